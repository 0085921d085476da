//! What counts in the score and what does not: assumptions, contradictions, and what nobody observes.

mod common;

use common::{Model, document, run};
use serde_json::{Value, json};

/// Fully specified: the properties pin down `y` for every input that is accepted, and one more
/// assumption is of no use.
const CLAMP: &str = "node clamp(x: int; b: bool) returns (y: int);
let
  assert x >= 0;
  assert b;
  y = if x > 5 then 5 else x;
  check \"small\" x <= 5 => y = x;
  check \"large\" x > 5 => y = 5;
  check \"positive\" y >= 0;
tel;
";

fn list<'d>(document: &'d Value, name: &str) -> &'d [Value] {
    document[name].as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn a_full_specification_scores_everything_and_the_table_says_which_assumptions_are_needed() {
    let model = Model::new("clamp", CLAMP);
    let found = document(&["mutate", model.path()]);
    assert_eq!(found["score"]["low"], 1.0, "{}", found["score"]);
    assert_eq!(found["score"]["gap"], 0);
    assert_eq!(found["outcome"], "holds");
    let mutants = list(&found, "mutants");
    assert!(!mutants.is_empty());
    assert!(mutants.iter().all(|one| one["element"] == "clamp/y"));
    let assumptions = list(&found, "assumptions");
    let removed = |element: &str| {
        let of = |one: &&Value| one["element"] == element && one["effect"] == "removed";
        assumptions
            .iter()
            .find(of)
            .unwrap_or_else(|| panic!("{element}"))
    };
    let first = removed("clamp/assert");
    assert_eq!(first["verdict"], "needed");
    assert_eq!(first["needed_by"], json!(["positive"]));
    assert_eq!(first["original"], "assert x >= 0");
    assert_eq!(first["replacement"], "assert true");
    assert_eq!(removed("clamp/assert#2")["verdict"], "not-needed");
    // `x > 0` and `x >= 1` leave out runs; nobody asks what they kill.
    let tighter = |one: &&Value| one["replacement"] == "x > 0" || one["replacement"] == "x >= 1";
    let tighter: Vec<&Value> = assumptions.iter().filter(tighter).collect();
    assert!(!tighter.is_empty());
    for one in tighter {
        assert_eq!(
            (&one["verdict"], &one["effect"]),
            (&json!("tighter"), &json!("tighter"))
        );
    }
    let weaker = assumptions.iter().find(|one| one["replacement"] == "(-1)");
    let weaker = weaker.expect("one constant less");
    assert_eq!(
        (&weaker["verdict"], &weaker["effect"]),
        (&json!("needed"), &json!("weaker"))
    );
}

/// Ranges of inputs are assumptions: one that properties need, one that none does, and one that must
/// not be weaker at one end.
const RANGES: &str = "type level = subrange [0, 9] of int;
node ranges(x, y: level; v: level[2]) returns (o, p: int);
let
  o = x + v[0];
  p = y + v[1];
  check \"o\" o = x + v[0] and o >= 0;
  check \"p\" p = y + v[1];
tel;
";

#[test]
fn the_ranges_of_inputs_are_assumptions_with_rows_of_their_own() {
    let model = Model::new("ranges", RANGES);
    let found = document(&["mutate", model.path()]);
    let told = list(&found, "assumptions").iter().map(|one| {
        assert_eq!(one["effect"], "removed", "{one}");
        let text = |name: &str| one[name].as_str().unwrap_or_default().to_string();
        (text("id"), text("verdict"), text("replacement"))
    });
    let told: Vec<(String, String, String)> = told.collect();
    let row = |id: &str, verdict: &str, replacement: &str| {
        (id.to_string(), verdict.to_string(), replacement.to_string())
    };
    assert_eq!(
        told,
        [
            row(
                "ranges/range.x#assumption_remove#1",
                "needed",
                "x: int; y: level"
            ),
            row(
                "ranges/range.y#assumption_remove#1",
                "not-needed",
                "x: level; y: int"
            ),
            row("ranges/range.v#assumption_remove#1", "needed", "v: int[2]"),
        ]
    );
    // They are no faults.
    let mutants = list(&found, "mutants");
    assert!(!mutants.is_empty());
    assert!(mutants.iter().all(|one| one["element"] != "ranges/range.x"));
    assert_eq!(found["score"]["low"], 1.0, "{}", found["score"]);
    // What is decided is the text that is shown.
    let id = "ranges/range.x#assumption_remove#1";
    let (code, out, err) = run(&["mutate", model.path(), "--mutant", id]);
    assert_eq!(code, Some(0), "{err}");
    assert!(
        out.contains("x, y: level") && out.contains("+node ranges(x: int; y: level;"),
        "{out}"
    );
}

#[test]
fn the_text_has_a_table_of_assumptions_and_a_score_without_them() {
    let model = Model::new("clamp-text", CLAMP);
    let (code, out, err) = run(&["mutate", model.path()]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("score 100.0 % ("), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    let table = lines
        .iter()
        .position(|line| line.starts_with("assumptions"));
    let table = &lines[table.expect("a table") + 1..];
    assert!(table[0].contains("assert x >= 0") && table[0].contains("needed by positive"));
    assert!(table[1].contains("assert b") && table[1].contains("needed by no property: it can go"));
}

#[test]
fn an_assumption_that_nothing_needs_is_a_note_in_every_report() {
    let model = Model::new("clamp-reports", CLAMP);
    let folder = common::Folder::new("clamp-reports");
    let path = |name: &str| folder.0.join(name).display().to_string();
    let (sarif, junit) = (path("out.sarif"), path("out.xml"));
    let (code, _, err) = run(&[
        "mutate",
        model.path(),
        "--sarif",
        &sarif,
        "--junit",
        &junit,
        "--github=always",
    ]);
    assert_eq!(code, Some(0), "{err}");
    assert!(
        err.contains("::notice") && err.contains("unneeded assumption"),
        "{err}"
    );
    let sarif: Value = serde_json::from_str(&std::fs::read_to_string(sarif).unwrap()).unwrap();
    let results = list(&sarif["runs"][0], "results");
    assert_eq!(results.len(), 1, "{results:?}");
    assert_eq!(results[0]["ruleId"], "unneeded-assumption");
    assert_eq!(results[0]["level"], "note");
    let junit = std::fs::read_to_string(junit).unwrap();
    assert!(junit.contains("needed by no property"), "{junit}");
}

#[test]
fn parts_of_a_campaign_keep_the_assumptions() {
    let model = Model::new("clamp-parts", CLAMP);
    let whole = document(&["mutate", model.path()]);
    let folder = common::Folder::new("clamp-parts");
    let mut parts = Vec::new();
    for shard in ["1/2", "2/2"] {
        let part = document(&["mutate", model.path(), "--shard", shard]);
        let path = folder.0.join(shard.replace('/', "-"));
        std::fs::write(&path, part.to_string()).unwrap();
        parts.push(path.display().to_string());
    }
    let merged = document(&["merge", &parts[0], &parts[1]]);
    let told = |document: &Value| -> Vec<(Value, Value)> {
        let all = list(document, "assumptions").iter();
        all.map(|one| (one["id"].clone(), one["verdict"].clone()))
            .collect()
    };
    assert_eq!(told(&merged), told(&whole));
    assert_eq!(merged["score"], whole["score"]);
}

/// Only a property comes out.
const CLOSED: &str = "node closed(x: int) returns (ok: bool);
var count: int;
let
  count = 0 -> if x > 0 then pre count + 1 else pre count;
  ok = count >= 0;
  --%PROPERTY ok;
tel;
";

#[test]
fn where_nothing_is_observed_survivors_count_as_not_noticed() {
    let model = Model::new("closed", CLOSED);
    let (code, out, err) = run(&["mutate", model.path(), "--json"]);
    assert_eq!(code, Some(10), "{err}");
    assert!(
        err.contains("NOT OBSERVED") && err.contains("`--observe count`"),
        "{err}"
    );
    let found: Value = serde_json::from_str(&out).unwrap();
    let score = &found["score"];
    assert_eq!(
        (&score["equivalent"], &score["gap"]),
        (&json!(0), &json!(0))
    );
    let (killed, total) = (
        score["killed"].as_u64().unwrap(),
        score["total"].as_u64().unwrap(),
    );
    assert_eq!(score["not_observed"].as_u64().unwrap(), total - killed);
    assert!(killed < total);
    assert_eq!(score["low"], score["high"]);
    // The same with something to look at.
    let found = document(&["mutate", model.path(), "--observe", "count"]);
    assert_eq!(found["score"]["not_observed"], 0);
    assert!(found["score"]["gap"].as_u64().unwrap() > 0);
}

#[test]
fn a_contradiction_counts_as_killed_and_is_shown_apart() {
    let text = "node main(x: int) returns (y: int; ok: bool);
var limit: bool;
let
  limit = x >= 0;
  assert limit;
  y = x;
  ok = y >= 0;
  --%PROPERTY ok;
tel;
";
    let model = Model::new("vacuous", text);
    let only = ["mutate", model.path(), "--mutators", "equal_false"];
    let found = document(&only);
    let score = &found["score"];
    assert_eq!(
        (&score["killed"], &score["vacuous"]),
        (&json!(1), &json!(1))
    );
    let (_, out, _) = run(&only);
    assert!(
        out.contains("1 of 1 killed, 1 of them by contradiction"),
        "{out}"
    );
}

/// `near` depends on `far` only by its memory of `link`; `apart` depends on nothing else.
const OUTPUTS: &str = "node main(x: int; b: bool) returns (near, far: int; apart: bool);
var link, unread: int;
let
  link = x + 1;
  far = link;
  near = 0 -> pre link;
  apart = not b;
  unread = x + 2;
  check \"far\" far = x + 1;
  check \"unread\" unread > x;
tel;
";

#[test]
fn an_output_has_the_score_of_the_mutants_that_can_reach_it() {
    let model = Model::new("outputs", OUTPUTS);
    let found = document(&["mutate", model.path()]);
    let mutants = list(&found, "mutants");
    let reached_from = |element: &str, wanted: &[&str]| {
        let of = |one: &&Value| one["element"] == format!("main/{element}");
        let of: Vec<&Value> = mutants.iter().filter(of).collect();
        assert!(!of.is_empty(), "{element}");
        for mutant in of {
            let reaches: Vec<&str> = list(mutant, "reaches")
                .iter()
                .filter_map(Value::as_str)
                .collect();
            assert_eq!(reaches, wanted, "{}", mutant["id"]);
        }
    };
    reached_from("link", &["near", "far"]);
    reached_from("far", &["far"]);
    reached_from("near", &["near"]);
    reached_from("apart", &["apart"]);
    reached_from("unread", &[]);

    let outputs = list(&found, "outputs");
    assert_eq!(outputs.len(), 3);
    // Nothing is said of `apart`; it is the weakest.
    assert_eq!(outputs[0]["name"], "apart");
    assert_eq!(outputs[0]["score"]["killed"], 0);
    for output in outputs {
        let reaches = |one: &&Value| list(one, "reaches").contains(&output["name"]);
        let all: Vec<&Value> = mutants.iter().filter(reaches).collect();
        let killed = all.iter().filter(|one| one["verdict"] == "killed").count();
        assert_eq!(output["score"]["total"], json!(all.len()), "{output}");
        assert_eq!(output["score"]["killed"], json!(killed), "{output}");
    }
}

#[test]
fn a_difference_shows_only_at_outputs_that_the_mutant_reaches() {
    for name in ["pump", "crossing", "cruise", "cores"] {
        let found = document(&["mutate", &common::example(&format!("{name}.lus"))]);
        let outputs: Vec<&Value> = list(&found, "outputs")
            .iter()
            .map(|one| &one["name"])
            .collect();
        for mutant in list(&found, "mutants") {
            for output in list(mutant, "differs") {
                let reached = list(mutant, "reaches").contains(output);
                assert!(reached || !outputs.contains(&output), "{}", mutant["id"]);
            }
        }
    }
}
