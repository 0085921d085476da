//! What a model says of whole runs has a verdict, and without an engine for it, it is unknown.

use std::path::PathBuf;
use std::process::{Command, Output};

const MODEL: &str = "MODULE main\n\
    VAR x : 0..3;\n\
    ASSIGN init(x) := 0; next(x) := case x < 3 : x + 1; TRUE : 0; esac;\n\
    INVARSPEC x <= 3\n\
    SPEC AG (x = 3 -> AF x = 1)\n\
    LTLSPEC G x = 0\n";

fn run(name: &str, arguments: &[&str]) -> Output {
    run_text(name, MODEL, arguments)
}

fn run_text(name: &str, model: &str, arguments: &[&str]) -> Output {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, model).expect("a file can be written");
    let program = env!("CARGO_BIN_EXE_proofmark");
    let mut command = Command::new(program);
    let command = command.arg(arguments[0]).arg(&file).args(&arguments[1..]);
    command.output().expect("the program runs")
}

#[test]
fn what_is_said_of_whole_runs_is_decided_and_audited() {
    let output = run("decided.smv", &["check"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(10), "{text}");
    let lines = |verdict: &str| {
        text.lines()
            .filter(|line| line.starts_with(verdict))
            .count()
    };
    assert_eq!((lines("VALID"), lines("INVALID")), (2, 1), "{text}");
    // The run goes round, and the table says where.
    assert!(text.contains("(0"), "{text}");
    let json = run("decided_json.smv", &["check", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("a document");
    assert_eq!(json["outcome"], "found");
    let properties = json["properties"].as_array().expect("properties");
    let kinds: Vec<&str> = properties
        .iter()
        .filter_map(|one| one["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["invariant", "ctl", "ltl"]);
    assert!(properties.iter().all(|one| one["audit"] == "passed"));
    assert_eq!(properties[2]["trace"]["loop"], 0);
    assert_eq!(
        properties[2]["trace"]["steps"].as_array().map(Vec::len),
        Some(4)
    );
}

#[test]
fn without_diagrams_linear_time_is_left_to_the_other_engines() {
    let engines = ["check", "--engines", "bmc,k-induction,ic3"];
    let output = run("undecided.smv", &engines);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(10), "{text}");
    let lines = |verdict: &str| {
        text.lines()
            .filter(|line| line.starts_with(verdict))
            .count()
    };
    assert_eq!((lines("INVALID"), lines("UNKNOWN")), (1, 1), "{text}");
    let model = format!("{MODEL}LTLSPEC G F x = 2\nLTLSPEC G (x = 1 -> X x = 2)\n");
    let json = run_text("proved.smv", &model, &[&engines[..], &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("a document");
    for at in [3, 4] {
        let found = &json["properties"][at];
        assert_eq!(
            (&found["verdict"], &found["audit"]),
            (&"valid".into(), &"passed".into())
        );
    }
}

#[test]
fn a_number_is_a_value_and_no_fair_run_is_vacuous() {
    let model = "MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 0; next(x) := (x + 1) mod 4;\n";
    let computed = format!("{model}COMPUTE MIN [x = 0, x = 3]\n");
    let json = run_text("computed.smv", &computed, &["check", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("a document");
    let found = &json["properties"][0];
    assert_eq!(
        (&found["kind"], &found["value"]),
        (&"compute".into(), &"3".into())
    );
    let unfair = format!("{model}FAIRNESS FALSE\nLTLSPEC F x = 2\n");
    let output = run_text("unfair.smv", &unfair, &["check"]);
    assert_eq!(output.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&output.stdout).contains("VACUOUS"));
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
