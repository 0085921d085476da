//! `proofmark ivc` and `proofmark slice` as scripts see them.

mod common;

use common::{Model, example, run};
use std::fs;

const COUNTER: &str = "
node counter(up: bool) returns (n: int; twice: int);
let
  n = 0 -> if up then pre n + 1 else pre n;
  twice = 2 * n;
  --%PROPERTY \"natural\" n >= 0;
  --%PROPERTY \"even\" twice >= n;
tel
";

#[test]
fn elements_are_listed_in_the_order_of_the_source_with_their_roles() {
    let model = Model::new("roles", COUNTER);
    let (code, out, _) = run(&["ivc", "--all", "-v", model.path()]);
    assert_eq!(code, Some(0), "{out}");
    let line = |text: &str| out.lines().position(|line| line.contains(text));
    assert!(line("MUST    4  n = 0 -> if up").is_some(), "{out}");
    assert!(line("OUTSIDE 5  twice = 2 * n").is_some(), "{out}");
    assert!(
        line("natural: a core of 1 of 2 elements, minimal, no others").is_some(),
        "{out}"
    );
    assert!(
        line("even: a core of 2 of 2 elements, minimal, no others").is_some(),
        "{out}"
    );
    assert!(line("even: core 1: n, twice").is_some(), "{out}");
}

#[test]
fn in_short_the_elements_of_cores_are_listed_and_what_is_in_no_core_is_told_once() {
    let model = Model::new("short", COUNTER);
    let (_, out, _) = run(&["ivc", "--property", "natural", model.path()]);
    assert!(out.contains("USED    4  n = 0 -> if up"), "{out}");
    assert!(!out.contains("OUTSIDE"), "{out}");
    assert!(out.contains("\nin no core, 1 of 2: twice (5)\n"), "{out}");
    let (_, out, _) = run(&["ivc", "--quiet", model.path()]);
    assert_eq!(out.lines().count(), 4, "{out}");
}

/// Two calls of one node, with two arguments each.
const CALLS: &str = "
node add(left, right: int) returns (sum: int);
let
  sum = left + right;
tel
node main(a, b: int) returns (x, y: int);
let
  x = add(a, 3);
  y = add(x, b) + pre y;
  check \"p\" x = a + 3;
tel
";

#[test]
fn an_argument_is_named_by_the_call_and_the_parameter_in_every_command() {
    let model = Model::new("arguments", CALLS);
    let document = |words: &[&str]| -> serde_json::Value {
        let (_, out, _) = run(&[words, &["--json", model.path()]].concat());
        serde_json::from_str(&out).expect("one document")
    };
    let ids = |document: &serde_json::Value| -> Vec<String> {
        let elements = document["elements"].as_array().expect("a list").iter();
        elements
            .map(|one| one["id"].as_str().expect("a text").into())
            .collect()
    };
    let (cores, mutants) = (document(&["ivc"]), document(&["mutate"]));
    let wanted = [
        "main/add.sum",
        "main/x",
        "main/add~0.left",
        "main/add~0.right",
        "main/y",
        "main/add~1.left",
        "main/add~1.right",
    ];
    assert_eq!(ids(&cores), wanted);
    assert_eq!(ids(&mutants), wanted);
    let mutant = &mutants["mutants"].as_array().expect("a list")[0];
    assert_eq!(mutant["node"], "add");
    let each = document(&["ivc", "--grain", "equation"]);
    assert!(ids(&each).contains(&"main/add~1.sum".into()), "{each}");
    assert_eq!(ids(&each).len(), 8);
    let (_, out, _) = run(&["ivc", "-v", model.path()]);
    assert!(out.contains("add~1.right <- b"), "{out}");
    assert!(out.contains("7 elements (--grain source)"), "{out}");
    let (_, out, err) = run(&["mutate", model.path()]);
    assert!(
        out.contains("mutants of 7 elements (--grain source)"),
        "{out}"
    );
    assert!(err.contains("arbitrary"), "{err}");
    let (_, _, err) = run(&["mutate", "-q", model.path()]);
    assert_eq!(err, "");
}

#[test]
fn the_document_has_elements_roles_and_cores() {
    let model = Model::new("json", COUNTER);
    let (code, out, _) = run(&["ivc", "--must", "--minimal", "--json", model.path()]);
    assert_eq!(code, Some(0), "{out}");
    let document: serde_json::Value = serde_json::from_str(&out).expect("one document");
    assert_eq!(document["command"], "ivc");
    assert_eq!(document["elements"][0]["id"], "counter/n");
    assert_eq!(document["elements"][0]["role"]["natural"], "must");
    assert_eq!(document["elements"][1]["role"]["natural"], "outside");
    assert_eq!(document["cores"][0]["property"], "natural");
    assert_eq!(document["cores"][0]["elements"][0], "counter/n");
    assert_eq!(document["cores"][0]["minimal"], true);
    assert_eq!(document["cores"][0]["audit"], "passed");
}

#[test]
fn properties_can_be_taken_together() {
    let model = Model::new("joint", COUNTER);
    let (code, out, _) = run(&["ivc", "--joint", "--minimal", "--json", model.path()]);
    assert_eq!(code, Some(0), "{out}");
    let document: serde_json::Value = serde_json::from_str(&out).expect("one document");
    let cores = document["cores"].as_array().expect("a list");
    assert_eq!(cores.len(), 1);
    assert_eq!(cores[0]["property"][1], "even");
    assert_eq!(cores[0]["elements"].as_array().map(Vec::len), Some(2));
}

#[test]
fn the_matrix_is_written_as_text_and_as_csv() {
    let model = Model::new("matrix", COUNTER);
    let csv = std::path::Path::new(model.path()).with_extension("csv");
    let path = csv.to_str().expect("a plain name");
    let (code, out, _) = run(&["ivc", "--must", "--matrix", "--csv", path, model.path()]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("  n       M   M\n  twice       M\n"), "{out}");
    let written = fs::read_to_string(&csv).expect("it is there");
    let _ = fs::remove_file(&csv);
    assert!(written.starts_with("element,category,file,line,column,natural,even\n"));
    assert!(written.contains("twice,equation,"), "{written}");
    assert!(written.ends_with("5,3,outside,must\n"), "{written}");
}

#[test]
fn a_property_that_needs_nothing_of_the_model_is_flagged() {
    let model = Model::new(
        "vacuous",
        "node n(i: int) returns (ok, held: bool; x: int);
         let
           x = i;
           ok = x > 0 or x <= 0;
           assert i > 3;
           held = i > 1;
           --%PROPERTY ok;
           --%PROPERTY held;
         tel",
    );
    let (code, out, _) = run(&["ivc", "--minimal", model.path()]);
    assert_eq!(code, Some(5), "{out}");
    assert!(
        out.contains("VACUOUS no element of the model is needed"),
        "{out}"
    );
    assert!(
        out.contains("VACUOUS the assertions alone make it true"),
        "{out}"
    );
    let (code, ..) = run(&["ivc", "--minimal", "--accept", "vacuous", model.path()]);
    assert_eq!(code, Some(0));
}

#[test]
fn a_directive_restricts_what_is_counted() {
    let model = Model::new(
        "directive",
        "node n(i: int) returns (ok: bool);
         var a, b: int;
         let
           a = if i > 0 then i else 0;
           b = a;
           ok = b >= 0;
           --%IVC a, b;
           --%PROPERTY ok;
         tel",
    );
    let (_, out, _) = run(&["ivc", "--all", model.path()]);
    assert!(out.contains("a core of 2 of 2 elements"), "{out}");
}

#[test]
fn a_slice_parses_and_proves() {
    let model = Model::new("slice", COUNTER);
    for arguments in [
        vec!["slice"],
        vec!["slice", "--minimal"],
        vec!["slice", "--cone"],
    ] {
        let (code, out, _) = run(&[arguments, vec![model.path()]].concat());
        assert_eq!(code, Some(0), "{out}");
        let sliced = Model::new("sliced", &out);
        let (code, out, _) = run(&["check", sliced.path()]);
        assert_eq!(code, Some(0), "{out}");
    }
    let (_, out, _) = run(&["slice", "--property", "natural", model.path()]);
    assert!(!out.contains("twice"), "{out}");
}

#[test]
fn a_slice_of_the_demo_has_what_the_paper_keeps() {
    let model = Model::new(
        "demo",
        "node demo() returns (Prop1: bool; d: bool);
         var L1, L2, L3, L4: bool;
         let
           L1 = L2 or L3;
           L2 = true;
           L3 = not L2;
           L4 = not L1;
           Prop1 = L1;
           d = L4;
           --%PROPERTY Prop1;
         tel",
    );
    let (_, out, _) = run(&["slice", "--cone", model.path()]);
    let equations = out.lines().filter(|line| line.contains(" = "));
    assert_eq!(equations.count(), 4, "{out}");
    let (_, out, _) = run(&["slice", "--minimal", model.path()]);
    let equations = out.lines().filter(|line| line.contains(" = "));
    assert_eq!(equations.count(), 3, "{out}");
}

#[test]
fn what_is_not_proved_has_no_core() {
    let (code, out, _) = run(&["ivc", &example("switch.lus")]);
    assert_eq!(code, Some(10), "{out}");
    assert!(out.contains("INVALID"), "{out}");
    assert!(out.contains("a core of"), "{out}");
}
