//! Programs at the command line: what holds within a bound, what fails with a run, and a bound that is too small.

mod common;

use common::{Folder, example, outcome, proofmark};
use serde_json::Value;
use std::fs;

/// The exit code and the document of a command on the example.
fn sorted(command: &str, words: &[&str]) -> (Option<i32>, Value) {
    let (program, harness) = (example("sort.c"), example("sort_harness.c"));
    let fixed = [command, &program, "--harness", &harness, "--json"];
    told(&[&fixed[..], words].concat())
}

fn told(words: &[&str]) -> (Option<i32>, Value) {
    let (code, out, err) = outcome(&mut proofmark(words));
    let document = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{code:?}\n{out}\n{err}"));
    (code, document)
}

/// The findings of the properties.
fn properties(document: &Value) -> &[Value] {
    let found = document["properties"].as_array();
    found.map_or(&[], Vec::as_slice)
}

#[test]
fn a_program_that_is_right_is_valid_within_a_bound() {
    let (code, document) = sorted("check", &["-D", "SIZE=2", "--unwind", "3"]);
    assert_eq!(code, Some(0), "{document}");
    let found = properties(&document);
    assert!(!found.is_empty());
    for one in found {
        assert_eq!(
            (&one["verdict"], &one["bound"]),
            (&"valid".into(), &3.into()),
            "{one}"
        );
        assert_eq!(one["audit"], "passed", "{one}");
    }
}

#[test]
fn a_bound_that_is_too_small_leaves_it_unknown() {
    let (code, document) = sorted("check", &["-D", "SIZE=2", "--unwind", "1"]);
    assert_eq!(code, Some(5), "{document}");
    let found = properties(&document);
    assert!(
        found.iter().any(|one| one["verdict"] == "unknown"),
        "{document}"
    );
}

#[test]
fn a_program_that_is_wrong_fails_with_a_run() {
    let folder = Folder::new("wrong-program");
    let path = folder.0.join("wrong.c");
    let text =
        "int nondet_int(void);\nint main(void) {\n  int x = nondet_int();\n  assert(x != 7);\n}\n";
    fs::write(&path, text).unwrap();
    let (code, document) = told(&["check", path.to_str().unwrap(), "--json"]);
    assert_eq!(code, Some(10), "{document}");
    let wrong = properties(&document)
        .iter()
        .find(|one| one["verdict"] == "invalid");
    let wrong = wrong.unwrap_or_else(|| panic!("{document}"));
    assert_eq!(
        (&wrong["check"], &wrong["audit"]),
        (&"assertion".into(), &"passed".into())
    );
    assert!(wrong["path"].is_object(), "{wrong}");
}

#[test]
fn mutants_are_killed_by_runs_that_are_replayed() {
    let words = ["-D", "SIZE=2", "--unwind", "3", "--mutators", "andrews"];
    let (code, document) = sorted("mutate", &words);
    let mutants = document["mutants"]
        .as_array()
        .unwrap_or_else(|| panic!("{code:?} {document}"));
    let killed = mutants.iter().filter(|one| one["verdict"] == "killed");
    let killed: Vec<_> = killed.collect();
    assert!(killed.len() > 10, "{document}");
    for one in killed {
        assert_eq!(one["audit"]["result"], "passed", "{one}");
    }
    assert!(
        mutants.iter().any(|one| one["verdict"] != "killed"),
        "{document}"
    );
}

#[test]
fn a_jump_out_of_a_block_ends_its_variables() {
    let folder = Folder::new("jump");
    let text = "int nondet_int(void);\n\
        int main(void) {\n  int *p; int z = 3;\n  p = &z;\n  if (nondet_int()) goto out;\n  \
        { int y = 1; p = POINTED; if (nondet_int()) goto out; z = y; }\n  p = &z;\nout:\n  \
        assert(*p == 3 || *p == 1);\n  return 0;\n}\n";
    for (pointed, code) in [("&y", 10), ("&z", 0)] {
        let file = folder.file("jump.c", &text.replace("POINTED", pointed));
        let (found, document) = told(&["check", "--json", &file]);
        assert_eq!(found, Some(code), "{pointed}: {document}");
    }
}
