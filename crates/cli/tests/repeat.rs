//! The same run gives the same findings: byte by byte with one thread, verdict by verdict with more.

mod common;

use common::{document, example};
use serde_json::Value;

/// Findings without what a clock says.
fn without_times(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields
                .into_iter()
                .filter(|(name, _)| !name.ends_with("seconds"));
            fields
                .map(|(name, value)| (name, without_times(value)))
                .collect()
        }
        Value::Array(items) => items.into_iter().map(without_times).collect(),
        other => other,
    }
}

/// Traces, witnesses, suggestions, certificates, numbers of queries: all of it.
#[test]
fn with_one_thread_a_run_gives_the_same_bytes_each_time() {
    for name in ["cores.lus", "switch.lus", "pump.lus"] {
        let model = example(name);
        for command in [
            &["check"][..],
            &["ivc", "--minimal"],
            &["mutate", "--witness", "--matrix"],
        ] {
            let run = || {
                let found = document(&[command, &[&model, "--jobs", "1"]].concat());
                without_times(found).to_string()
            };
            assert!(run() == run(), "{command:?} {name} is not the same twice");
        }
    }
}

/// What one property or mutant was found to be.
fn verdicts(found: &Value) -> Vec<(Value, Value)> {
    let lists = ["properties", "mutants", "assumptions"];
    let all = lists.iter().filter_map(|list| found[*list].as_array());
    let name = |one: &Value| match &one["id"] {
        Value::Null => one["name"].clone(),
        id => id.clone(),
    };
    let told = all.flatten().map(|one| (name(one), one["verdict"].clone()));
    told.collect()
}

/// Coverage as well: verdicts, the tests that decided, runs and certificates.
#[test]
fn with_one_thread_coverage_gives_the_same_bytes_each_time() {
    for name in ["ring.smv", "token.aag"] {
        let model = example(name);
        let run = || {
            let found = document(&["cover", &model, "--traces", "--gates", "--jobs", "1"]);
            without_times(found).to_string()
        };
        assert!(run() == run(), "cover {name} is not the same twice");
    }
}

#[test]
fn with_more_threads_coverage_is_the_same() {
    let model = example("ring.smv");
    let run = |jobs: &str| document(&["cover", &model, "--gates", "--jobs", jobs]);
    let told = |found: &Value| -> Vec<Value> {
        let rows = found["coverage"].as_array().expect("a list");
        let row = |one: &Value| -> Value {
            let names = ["element", "property", "nondet", "zero", "one"];
            names.iter().map(|name| one[*name].clone()).collect()
        };
        rows.iter().map(row).collect()
    };
    let alone = run("1");
    assert!(!told(&alone).is_empty());
    for _ in 0..2 {
        assert_eq!(told(&run("3")), told(&alone));
    }
}

#[test]
fn with_more_threads_verdicts_and_scores_are_the_same() {
    let model = example("pump.lus");
    let run = |jobs: &str| document(&["mutate", "--no-suggest", &model, "--jobs", jobs]);
    let alone = run("1");
    for _ in 0..2 {
        let together = run("3");
        assert_eq!(verdicts(&together), verdicts(&alone));
        assert_eq!(together["score"], alone["score"]);
    }
}
