//! What a model says of whole runs is never passed over: without an engine for it, it is unknown.

use std::path::PathBuf;
use std::process::{Command, Output};

const MODEL: &str = "MODULE main\n\
    VAR x : 0..3;\n\
    ASSIGN init(x) := 0; next(x) := case x < 3 : x + 1; TRUE : 0; esac;\n\
    INVARSPEC x <= 3\n\
    SPEC AG (x = 3 -> AF x = 1)\n\
    LTLSPEC G x = 0\n";

fn run(name: &str, arguments: &[&str]) -> Output {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, MODEL).expect("a file can be written");
    let program = env!("CARGO_BIN_EXE_proofmark");
    let mut command = Command::new(program);
    let command = command.arg(arguments[0]).arg(&file).args(&arguments[1..]);
    command.output().expect("the program runs")
}

#[test]
fn a_run_does_not_hold_for_specifications_that_nobody_decided() {
    let output = run("undecided.smv", &["check"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(5), "{text}");
    assert!(text.contains("VALID    x <= 3"), "{text}");
    assert_eq!(text.matches("UNKNOWN").count(), 2, "{text}");
    let json = run("undecided_json.smv", &["check", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("a document");
    assert_eq!(json["outcome"], "inconclusive");
    assert_eq!(json["properties"].as_array().map(Vec::len), Some(3));
}

#[test]
fn one_chosen_invariant_has_its_own_answer() {
    let output = run("chosen.smv", &["check", "--property", "x <= 3"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn mutants_are_refused_where_some_would_be_no_models() {
    let output = run("refused.smv", &["mutate"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no mutants yet"));
}
