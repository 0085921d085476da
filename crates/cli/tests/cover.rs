//! `proofmark cover`: exit codes, findings, and runs that go on.

mod common;

use common::{Folder, document, root, run};
use serde_json::Value;

fn token() -> String {
    root().join("examples/token.aag").display().to_string()
}

/// Two latches that the property reads, one that nobody does, and one that the proof can do without.
const WATCHED: &str = "aag 6 1 4 0 1 1\n2\n4 4\n6 4\n8 2\n10 10\n12\n12 4 6\nl0 kept\nl1 copy\nl2 spare\nl3 idle\nb0 both\n";

fn verdict(findings: &Value, element: &str, criterion: &str) -> String {
    let rows = findings["coverage"].as_array().unwrap().iter();
    let mut rows = rows.filter(|row| row["element"] == element && row["property"].is_null());
    let row = rows.next().unwrap_or_else(|| panic!("no row of {element}"));
    row[criterion].as_str().unwrap().to_string()
}

#[test]
fn what_nobody_reads_is_outside_and_what_matters_is_covered() {
    let folder = Folder::new("cover");
    let file = folder.file("watched.aag", WATCHED);
    let findings = document(&["cover", &file]);
    assert_eq!(verdict(&findings, "spare", "nondet"), "not-covered");
    assert_eq!(verdict(&findings, "kept", "nondet"), "covered");
    assert_eq!(verdict(&findings, "kept", "zero"), "not-covered");
    let summary = &findings["coverage_summary"][0];
    assert_eq!(summary["funnel"]["outside"], 2);
    assert_eq!(summary["elements"], 4);
    let whole = document(&["cover", "--cut", "output", &file]);
    assert_eq!(whole["coverage_summary"][0]["cut"], "output");
    // A gate that is stuck at true is the bad signal itself.
    let gates = document(&["cover", "--gates", &file]);
    assert_eq!(gates["coverage_summary"][0]["elements"], 5);
    assert_eq!(gates["coverage_summary"][0]["funnel"]["outside"], 2);
}

#[test]
fn the_exit_code_tells_whether_enough_is_covered() {
    let file = token();
    assert_eq!(run(&["cover", &file]).0, Some(0));
    assert_eq!(run(&["cover", "--min-coverage", "1", &file]).0, Some(0));
    let folder = Folder::new("cover-exit");
    let watched = folder.file("watched.aag", WATCHED);
    let (code, out, _) = run(&["cover", "--min-coverage", "0.9", &watched]);
    assert_eq!(code, Some(10), "{out}");
    // What is refuted covers nothing.
    let wrong = root().join("tests/corpus/aiger/invalid/counter.aag");
    assert_eq!(run(&["cover", &wrong.display().to_string()]).0, Some(10));
}

#[test]
fn a_resumed_run_keeps_what_was_decided() {
    let folder = Folder::new("cover-resume");
    let file = folder.file("watched.aag", WATCHED);
    let place = folder.at("run");
    let first = document(&["cover", "--run-dir", &place, &file]);
    let journal = std::fs::read_to_string(folder.0.join("run/journal.jsonl")).unwrap();
    // The last line is torn, as by a process that was killed.
    let torn = &journal[..journal.len() - 9];
    std::fs::write(folder.0.join("run/journal.jsonl"), torn).unwrap();
    let again = document(&["cover", "--run-dir", &place, "--resume", &file]);
    for element in ["kept", "copy", "spare", "idle"] {
        for criterion in ["nondet", "zero", "one"] {
            let found = verdict(&again, element, criterion);
            assert_eq!(found, verdict(&first, element, criterion));
        }
    }
    let (code, _, error) = run(&["cover", "--run-dir", &place, "--resume", "--gates", &file]);
    assert_eq!(code, Some(1), "{error}");
}

#[test]
fn the_parts_of_a_run_are_all_of_it() {
    let folder = Folder::new("cover-shard");
    let file = folder.file("watched.aag", WATCHED);
    let count = |shard: &str| {
        let findings = document(&["cover", "--shard", shard, &file]);
        findings["coverage_summary"][0]["elements"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(count("1/2") + count("2/2"), 4);
}
