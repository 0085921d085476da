//! `proofmark equiv` on models of each kind.

mod common;

use common::{Folder, document, example, run};
use serde_json::Value;
use std::fs;

/// Two models in a folder, compared.
fn compared(ending: &str, models: [&str; 2], options: &[&str]) -> (Option<i32>, Value) {
    let folder = Folder::new("equiv");
    let paths = ["a", "b"].map(|name| folder.0.join(format!("{name}.{ending}")));
    for (path, text) in paths.iter().zip(models) {
        fs::write(path, text).unwrap();
    }
    let paths = paths.map(|path| path.display().to_string());
    let arguments = [&["equiv", &paths[0], &paths[1]], options].concat();
    let (code, out, err) = run(&[&arguments[..], &["--quiet"]].concat());
    assert!(out.lines().count() == 1, "{out}{err}");
    (code, document(&arguments)["equivalence"].clone())
}

#[test]
fn an_equivalent_mutant_is_equivalent_and_audited() {
    let found = document(&["equiv", &example("clock.smv"), &example("clock_mutant.smv")]);
    let found = &found["equivalence"];
    assert_eq!(found["verdict"], "equivalent");
    assert_eq!(found["states"], serde_json::Value::Null);
    assert_eq!(found["audit"]["by"], "lrat checker");
}

#[test]
fn choices_of_one_step_are_compared_as_sets() {
    // The published method says that these differ: it does not copy what a changed variable depends on.
    let model = |set: &str| {
        format!(
            "MODULE main VAR v : 0..1; w : 0..1; ASSIGN init(v) := 0; next(v) := {set}; w := v;"
        )
    };
    let (code, found) = compared("smv", [&model("{0,1}"), &model("{1,0}")], &[]);
    assert_eq!((code, &found["verdict"]), (Some(0), &"equivalent".into()));
    let (code, found) = compared("smv", [&model("{0,1}"), &model("0")], &[]);
    assert_eq!((code, &found["verdict"]), (Some(10), &"different".into()));
    assert_eq!(found["difference"]["step"], 1);
    assert!(
        found["difference"]["only_in"]
            .as_str()
            .unwrap()
            .ends_with("a.smv")
    );
}

#[test]
fn models_of_other_variables_are_told_apart_by_these() {
    let (code, found) = compared(
        "smv",
        [
            "MODULE main VAR v : 0..1; x : boolean;",
            "MODULE main VAR v : 0..2; IVAR y : boolean;",
        ],
        &[],
    );
    assert_eq!(code, Some(10));
    let names: Vec<&str> = found["variables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["v", "x", "y"]);
    assert_eq!(found["variables"][0]["second"], "0..2");
}

#[test]
fn runs_that_are_fair_in_one_only_tell_models_apart() {
    let model = |fair: &str| format!("MODULE main VAR b : boolean; {fair}");
    let models = [model("FAIRNESS b"), model("FAIRNESS !b")];
    let (code, found) = compared("smv", [&models[0], &models[1]], &[]);
    assert_eq!(code, Some(10));
    assert!(found["difference"]["back"].is_u64(), "{found}");
    // Said otherwise.
    let models = [
        model("FAIRNESS b"),
        model("FAIRNESS b | b & !b FAIRNESS b xor FALSE"),
    ];
    let (code, _) = compared("smv", [&models[0], &models[1]], &[]);
    assert_eq!(code, Some(0));
    // Both are met again and again, which no single state tells.
    let model = |fair: &str| format!("MODULE main VAR b : boolean; ASSIGN next(b) := !b; {fair}");
    let models = [model("FAIRNESS b"), model("FAIRNESS !b")];
    let (code, found) = compared("smv", [&models[0], &models[1]], &[]);
    assert_eq!(
        (code, &found["audit"]["result"]),
        (Some(0), &"passed".into())
    );
}

#[test]
fn other_models_are_compared_by_their_outputs() {
    let model = |step: &str| {
        format!(
            "node m(a: bool) returns (n: int); let assert true; n = 0 -> if a then {step} else pre n; tel;"
        )
    };
    let (code, found) = compared("lus", [&model("pre n + 1"), &model("1 + pre n")], &[]);
    assert_eq!(
        (code, &found["audit"]["result"]),
        (Some(0), &"passed".into())
    );
    let (code, found) = compared("lus", [&model("pre n + 1"), &model("pre n + 2")], &[]);
    assert_eq!((code, &found["difference"]["step"]), (Some(10), &1.into()));
    assert_eq!(found["difference"]["shows"][0], "n");
    let (code, found) = compared(
        "lus",
        [&model("pre n + 1"), &model("pre n + 2")],
        &["--observe", "a"],
    );
    assert_eq!(code, Some(0), "{found}");
    let assumes = "node m(a: bool) returns (n: int); let assert a; n = 0 -> if a then pre n + 1 else pre n; tel;";
    let (code, found) = compared("lus", [&model("pre n + 1"), assumes], &[]);
    assert_eq!(code, Some(10));
    assert!(
        found["difference"]["only_in"]
            .as_str()
            .unwrap()
            .ends_with("a.lus")
    );
}

#[test]
fn what_a_model_may_choose_makes_a_difference_unknown() {
    let model = |text: &str| format!("node m(a: bool) returns (n: bool); let n = {text}; tel;");
    let (code, found) = compared("lus", [&model("pre a"), &model("not (pre (not a))")], &[]);
    assert_eq!(
        (code, &found["verdict"]),
        (Some(5), &"unknown".into()),
        "{found}"
    );
}

#[test]
fn netlists_are_compared_by_outputs_and_bad_signals() {
    // A latch that toggles, and its complement shown twice negated; then one that stays.
    let toggles = "aag 1 0 1 1 0\n2 3\n2\n";
    let again = "aag 2 0 2 1 0\n2 3\n4 5\n4\n";
    let stays = "aag 1 0 1 1 0\n2 2\n2\n";
    let (code, _) = compared("aag", [toggles, again], &[]);
    assert_eq!(code, Some(0));
    let (code, found) = compared("aag", [toggles, stays], &[]);
    assert_eq!((code, &found["difference"]["step"]), (Some(10), &1.into()));
}

#[test]
fn models_that_cannot_be_compared_are_refused() {
    let (code, _, err) = run(&["equiv", &example("clock.smv"), &example("switch.lus")]);
    assert_eq!(code, Some(1));
    assert!(err.contains("are not compared"), "{err}");
}

#[test]
fn the_published_method_says_what_it_says_in_the_paper() {
    let folder = Folder::new("merged");
    let merged = folder.at("merged.smv");
    let (original, mutant) = (example("clock.smv"), example("clock_mutant.smv"));
    let arguments = [
        "equiv",
        &original,
        &mutant,
        "--method",
        "paper",
        "--emit-merged",
        &merged,
    ];
    let found = document(&arguments)["equivalence"].clone();
    assert_eq!(found["verdict"], "equivalent");
    let formulas = &found["formulas"];
    assert_eq!(
        (&formulas["steps_true"], &formulas["steps_total"]),
        (&48.into(), &48.into())
    );
    assert_eq!(
        (&formulas["initial_needed"], &formulas["initial_total"]),
        (&49.into(), &96.into())
    );
    let text = fs::read_to_string(&merged).unwrap();
    for line in [
        "VAR amPmMut : {AM, PM};",
        "CTLSPEC NAME isNotInitState_1 := !((AM = amPm | AM = amPmMut) & h = 0);",
        "CTLSPEC NAME notEqInitState_2 := !((AM = amPm & AM = amPmMut) & h = 1);",
        "CTLSPEC NAME isNotInitState_25 := !((PM = amPm | PM = amPmMut) & h = 0);",
        "CTLSPEC NAME transRelOk_25 := AG ((amPm = amPmMut & EX ((PM = amPm | PM = amPmMut) & h = 0)) -> \
         EX ((PM = amPm & amPmMut = PM) & h = 0));",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains("h12"), "{text}");
}

#[test]
fn the_published_method_is_wrong_where_a_variable_follows_at_once_and_says_so() {
    let folder = Folder::new("wrong");
    let model = |name: &str, set: &str| {
        let text = format!(
            "MODULE main VAR v : {{0,1}}; w : {{0,1}}; ASSIGN init(v) := 0; next(v) := {set}; w := v;"
        );
        folder.file(name, &text)
    };
    let (one, other) = (model("a.smv", "{0,1}"), model("b.smv", "{1,0}"));
    let (code, out, err) = run(&["equiv", &one, &other, "--method", "paper"]);
    assert_eq!(code, Some(10), "{out}{err}");
    assert!(
        out.contains("transRelOk_") && out.contains("is false"),
        "{out}"
    );
    assert!(err.contains("`w` reads `v` in the same state"), "{err}");
    assert_eq!(run(&["equiv", &one, &other]).0, Some(0));
}
