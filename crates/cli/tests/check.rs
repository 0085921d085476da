//! `proofmark check` and `proofmark audit` as scripts see them.

mod common;

use common::{Folder, example, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Several engines may prove the same; with these it is always the same one.
const ENGINES: &str = "--engines=bmc,k-induction";

/// The text with every time replaced, and the blanks before it, which depend on it.
fn timeless(text: &str) -> String {
    let words = |line: &str| -> String {
        let mut words: Vec<&str> = line.split(' ').collect();
        for at in 1..words.len() {
            if ["ms", "s", "ms;", "ms\n"].contains(&words[at]) {
                words[at - 1] = "#";
            }
        }
        words.join(" ")
    };
    let lines: Vec<String> = text.lines().map(words).collect();
    lines.join("\n")
}

#[test]
fn an_example_has_valid_properties_and_an_invalid_one_with_its_trace() {
    let (code, out, error) = run(&["check", ENGINES, &example("switch.lus")]);
    assert_eq!((code, error.as_str()), (Some(10), ""));
    let expected = "\
VALID    dark_is_zero      k-induction k=1   # ms
VALID    never_too_long    k-induction k=1   # ms
INVALID  off_after_three   bmc step=3        # ms

  step                 0       1       2       3
  press             true   false*  false   false
  on                true    true    true    true
  lit                  1       2*      3*      4*
  was_on           false    true*   true    true
  off_after_three   true    true    true   false*
";
    let shown = timeless(&out);
    let (table, summary) = shown
        .split_once("\n\n2 valid, 1 invalid in # ")
        .expect(&shown);
    assert_eq!(format!("{table}\n"), expected);
    assert!(
        summary.contains("; audit passed in # ms (simulator, embedded"),
        "{summary}"
    );
}

#[test]
fn the_language_is_told_by_the_extension_or_by_an_option() {
    let folder = Folder::new("language");
    let model = fs::read(example("switch.lus")).unwrap();
    fs::write(folder.0.join("model.txt"), &model).unwrap();
    fs::write(folder.0.join("broken.lus"), b"node a(x\xff").unwrap();
    let path = |name: &str| folder.0.join(name).to_string_lossy().into_owned();
    let (code, out, error) = run(&["check", &path("model.txt")]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(error.contains("--language; known: lustre (.lus"), "{error}");
    let (code, _, error) = run(&["check", "--language=lustre", &path("model.txt")]);
    assert_eq!((code, error.as_str()), (Some(10), ""));
    let (code, _, error) = run(&["check", "--language=lsutre", &path("model.txt")]);
    assert_eq!(code, Some(1));
    assert!(error.contains("did you mean `lustre`?"), "{error}");
    let (code, _, error) = run(&["check", &path("broken.lus")]);
    assert_eq!(code, Some(2));
    assert!(error.contains("expected text in UTF-8"), "{error}");
}

#[test]
fn a_model_may_come_from_standard_input() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["check", "--quiet", "--language=lustre", "-"])
        .stdin(fs::File::open(example("switch.lus")).unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let code = child.wait().unwrap().code();
    assert_eq!(code, Some(10));
}

#[test]
fn json_is_one_document_of_the_promised_shape() {
    let (code, out, error) = run(&["check", "--json", ENGINES, &example("switch.lus")]);
    assert_eq!((code, error.as_str()), (Some(10), ""));
    let read: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(read["schema"], "proofmark/1");
    assert_eq!(read["command"], "check");
    assert_eq!(read["outcome"], "found");
    assert_eq!(read["tool"]["solver"], "embedded");
    assert_eq!(read["inputs"][0]["hash"].as_str().map(str::len), Some(64));
    let properties = read["properties"].as_array().expect("a list");
    assert_eq!(properties.len(), 3);
    let valid = &properties[0];
    assert_eq!(valid["name"], "dark_is_zero");
    assert_eq!(valid["verdict"], "valid");
    assert_eq!(valid["k"], 1);
    assert_eq!(valid["audit"], "passed");
    assert!(valid["origin"]["line"].as_u64() > Some(1));
    let invalid = &properties[2];
    assert_eq!(invalid["verdict"], "invalid");
    assert_eq!(invalid["engine"], "bmc");
    assert_eq!(invalid["audit"], "passed");
    assert_eq!(invalid["trace"]["violates"]["off_after_three"], 3);
    assert_eq!(invalid["trace"]["steps"][3]["lit"], "4");
    assert_eq!(invalid["trace"]["steps"].as_array().map(Vec::len), Some(4));
}

#[test]
fn quiet_is_a_line_a_property_and_a_pattern_chooses() {
    let file = example("switch.lus");
    let (code, out, _) = run(&["check", "--quiet", ENGINES, "--property", "*_is_*", &file]);
    assert_eq!(code, Some(0));
    assert_eq!(
        timeless(&out),
        "VALID    dark_is_zero   k-induction k=1   # ms"
    );
    let (code, out, error) = run(&["check", "--property", "nonesuch*", &file]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(error.contains("dark_is_zero, never_too_long"), "{error}");
}

#[test]
fn contradictory_assumptions_are_vacuous_and_inconclusive() {
    let file = example("contradiction.lus");
    let (code, out, _) = run(&["check", "--quiet", &file]);
    assert_eq!(code, Some(5));
    assert!(
        out.starts_with("VACUOUS  safe   contradictory assumptions"),
        "{out}"
    );
    assert!(
        out.contains("no first state satisfies the assumptions"),
        "{out}"
    );
    assert_eq!(run(&["check", "--accept", "vacuous", &file]).0, Some(0));
    assert_eq!(run(&["check", "--accept", "unknown", &file]).0, Some(5));
}

#[test]
fn assumptions_that_block_a_run_are_vacuous_and_the_run_is_shown() {
    let folder = Folder::new("blocked");
    let model = "node main(x: int) returns (ok, fine: bool); var n: int;
let
  n = 0 -> pre n + 1;
  assert n < 3;
  ok = n >= 0;
  fine = n < 9;
  --%PROPERTY ok;
  --%PROPERTY fine;
tel;
";
    let file = folder.file("blocked.lus", model);
    let (code, out, error) = run(&["check", &file]);
    assert_eq!((code, error.as_str()), (Some(5), ""));
    let blocked = "VACUOUS  ok     blocked after step 2";
    assert!(out.starts_with(blocked), "{out}");
    // The run is the same for both properties.
    assert_eq!(out.matches("step  0   1   2\n").count(), 1, "{out}");
    let accepting = ["check", "--accept", "vacuous", &file];
    assert_eq!(run(&accepting).0, Some(0));

    let (code, out, _) = run(&["check", "--json", &file]);
    assert_eq!(code, Some(5));
    let read: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(read["outcome"], "inconclusive");
    assert_eq!(read["deadlock"]["verdict"], "found");
    for property in read["properties"].as_array().expect("a list") {
        assert_eq!(property["verdict"], "vacuous");
        assert_eq!(property["audit"], "passed");
        assert_eq!(property["step"], 2);
        let reason = property["reason"].as_str().expect("a reason");
        assert!(reason.contains("up to step 2 "), "{reason}");
        assert_eq!(property["trace"]["steps"][2]["n"], "2");
        assert_eq!(property["trace"]["violates"], serde_json::json!({}));
    }
    for command in ["ivc", "mutate"] {
        let (code, out, _) = run(&[command, &file]);
        assert_eq!(code, Some(5), "{command}: {out}");
        assert!(out.contains("blocked after step 2"), "{command}: {out}");
    }
}

#[test]
fn it_is_told_in_one_line_when_nobody_knows_whether_assumptions_block_a_run() {
    let folder = Folder::new("undecided");
    // Every number from 60 on is 7 x + 11 y, but not by a few linear rules.
    let model = "node main(x, y: int) returns (ok: bool); var n: int;
let
  n = 60 -> pre n + 1;
  assert true -> 7 * x + 11 * y = pre n and x >= 0 and y >= 0;
  ok = n >= 60;
  --%PROPERTY ok;
tel;
";
    let file = folder.file("undecided.lus", model);
    let (code, out, _) = run(&["check", &file]);
    assert_eq!(code, Some(0), "{out}");
    let told = out
        .lines()
        .filter(|line| line.starts_with("it is not decided whether"));
    assert_eq!(told.count(), 1, "{out}");
    let (_, out, _) = run(&["check", "--json", &file]);
    let read: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(read["deadlock"]["verdict"], "undecided");
    assert!(read["deadlock"]["reason"].is_string());
    assert_eq!(read["properties"][0]["verdict"], "valid");
}

#[test]
fn a_verbose_check_says_how_the_auditor_differs_and_that_every_run_goes_on() {
    let folder = Folder::new("verbose");
    let model = "node main(x: int) returns (ok: bool);
let assert true -> x > pre x; ok = true -> x > pre x; --%PROPERTY ok;
tel;
";
    let file = folder.file("verbose.lus", model);
    let (code, out, _) = run(&["check", "--verbose", &file]);
    assert_eq!(code, Some(0), "{out}");
    let differs =
        "for proofs that is a fresh instance of the solver that proves, without its preproc";
    assert!(out.contains(differs), "{out}");
    let goes_on = "assumptions: every run that they accept goes on, audited by embedded";
    assert!(out.contains(goes_on), "{out}");
    let (_, out, _) = run(&["check", "--json", &file]);
    let read: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(read["deadlock"]["verdict"], "absent");
    let differs = read["audit"]["differs"].as_str().expect("it is told");
    assert!(
        differs.contains("encoding and search are the same code"),
        "{differs}"
    );
}

/// The assumption is about `y`, which the property does not depend on, and the default breaks it.
#[test]
fn a_cycle_without_solution_is_vacuous_and_an_error_for_the_strict() {
    let folder = Folder::new("cycle");
    let model = "node main(i: bool) returns (ok: bool);
var x: bool;
let
  x = not x;
  ok = i;
  --%PROPERTY ok;
tel;
";
    fs::write(folder.0.join("cycle.lus"), model).unwrap();
    let file = folder.at("cycle.lus");
    let (code, out, error) = run(&["check", &file]);
    assert_eq!(code, Some(5), "{out}");
    assert!(out.starts_with("VACUOUS  ok"), "{out}");
    let warning = "warning: `x` depends on itself within one step: `x` needs `x`";
    assert!(error.starts_with(warning), "{error}");
    let (code, out, error) = run(&["check", "--strict", &file]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    let wrong = "error: `x` depends on itself within one step: `x` needs `x`";
    assert!(error.starts_with(wrong), "{error}");
}

#[test]
fn a_counterexample_satisfies_the_assumptions_about_everything_else() {
    let folder = Folder::new("elsewhere");
    let model = "node main(x, y : int) returns (p : bool);\n\
                 let assert y > 41; p = x < 3; --%PROPERTY p;\ntel\n";
    let file = folder.file("elsewhere.lus", model);
    let (code, out, error) = run(&["check", "--json", "--all-vars", &file]);
    assert_eq!(code, Some(10), "{error}");
    let read: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let first = &read["properties"][0]["trace"]["steps"][0];
    let value = |name: &str| {
        first[name]
            .as_str()
            .and_then(|text| text.parse::<i64>().ok())
    };
    assert!(value("x") >= Some(3) && value("y") > Some(41), "{first}");
}

#[test]
fn warnings_of_one_kind_are_one_with_a_count_and_none_when_quiet() {
    let folder = Folder::new("kinds");
    let mut model = String::from("node main(x : int) returns (p : bool);\nvar ");
    let names: Vec<String> = (0..30).map(|at| format!("v{at}")).collect();
    model.push_str(&format!("{} : int;\nlet\n", names.join(", ")));
    for name in &names {
        model.push_str(&format!("  {name} = pre x;\n"));
    }
    model.push_str("  p = v0 = v1 or true;\n  --%PROPERTY p;\ntel\n");
    let file = folder.file("kinds.lus", &model);
    let (code, _, error) = run(&["check", &file]);
    assert_eq!(code, Some(0));
    assert_eq!(error.matches("warning: ").count(), 1, "{error}");
    assert!(error.contains("(the first of 30 such places)"), "{error}");
    assert!(error.contains("kinds.lus:4:"), "{error}");
    let (_, out, error) = run(&["check", "-q", &file]);
    assert_eq!((out.lines().count(), error.as_str()), (1, ""));
}

/// A node that hands its parameter on, and one input that the property does not need.
const RELAY: &str = "
node twice(n : int) returns (m : int);
let
  m = n + n;
tel
node main(x, other : int) returns (y : int);
let
  y = twice(x);
  --%PROPERTY \"small\" y < 10;
tel
";

#[test]
fn a_counterexample_has_all_inputs_and_nothing_that_is_only_passed_on() {
    let folder = Folder::new("relay");
    let file = folder.file("relay.lus", RELAY);
    for command in ["check", "ivc"] {
        let names = |more: &[&str]| -> Vec<String> {
            let (code, out, error) = run(&[&[command, "--json", &file], more].concat());
            assert_eq!(code, Some(10), "{error}");
            let read: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
            let trace = &read["properties"][0]["trace"];
            assert_eq!(trace["inputs"], serde_json::json!(["x", "other"]));
            let first = trace["steps"][0].as_object().expect("an object");
            first.keys().cloned().collect()
        };
        let sorted = |mut names: Vec<String>| {
            names.sort();
            names
        };
        assert_eq!(sorted(names(&[])), ["other", "small", "x", "y"]);
        let all = sorted(names(&["--all-vars"]));
        let wanted = ["other", "small", "twice~0.m", "twice~0.n", "x", "y"];
        assert_eq!(all, wanted);
    }
}

#[test]
fn what_takes_too_long_is_unknown_and_may_be_accepted() {
    let file = example("switch.lus");
    let options = ["check", "--quiet", "--engines", "bmc", "--timeout", "0.2"];
    let with = |more: &[&str]| run(&[&options[..], more, &[file.as_str()]].concat());
    let (code, out, _) = with(&["--property", "never*"]);
    assert_eq!(code, Some(5), "{out}");
    assert!(
        out.starts_with("UNKNOWN  never_too_long   holds for "),
        "{out}"
    );
    assert!(out.ends_with("   the time is up\n"), "{out}");
    let accepted = with(&["--property", "never*", "--accept", "unknown"]);
    assert_eq!(accepted.0, Some(0));
    assert_eq!(with(&["--accept", "unknown"]).0, Some(10));
}

/// `easy` is settled at once, `hard` never by bounded model checking.
#[cfg(unix)]
#[test]
fn ctrl_c_shows_what_is_settled_and_is_inconclusive() {
    let folder = Folder::new("interrupt");
    let model = "node main(x : int) returns (easy, hard : bool);\nvar n : int;\n\
                 let n = 0 -> pre n + (if x > 0 then 1 else 0);\n\
                 easy = x < 3; hard = n >= 0;\n\
                 --%PROPERTY easy;\n--%PROPERTY hard;\ntel\n";
    let file = folder.file("interrupt.lus", model);
    let child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["check", "--quiet", "--accept=unknown", "--engines=bmc"])
        .arg(&file)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    std::thread::sleep(Duration::from_millis(800));
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
    let begin = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    let taken = begin.elapsed();
    let out = String::from_utf8(output.stdout).expect("it writes UTF-8");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert!(lines[0].starts_with("INVALID  easy   bmc step=0"), "{out}");
    assert!(lines[1].starts_with("UNKNOWN  hard   holds for "), "{out}");
    assert!(lines[1].ends_with("   interrupted"), "{out}");
    assert_eq!(output.status.code(), Some(5));
    assert!(taken < Duration::from_millis(1500), "{taken:?}");
}

#[test]
fn every_error_of_a_model_is_shown() {
    let folder = Folder::new("errors");
    let file = folder.file(
        "errors.lus",
        "node main(x : int) returns (p : bool);\nlet p = y; --%PROPERTY q;\ntel\n",
    );
    let (code, out, error) = run(&["check", "--json", &file]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(error.matches("error").count() >= 2, "{error}");
    assert!(error.contains(":2:9"), "{error}");
}

#[test]
fn wrong_options_are_wrong_usage_and_a_missing_file_bad_input() {
    let file = example("switch.lus");
    assert_eq!(run(&["check"]).0, Some(1));
    assert_eq!(run(&["check", "--engines", "nonesuch", &file]).0, Some(1));
    assert_eq!(run(&["check", "--timeout", "soon", &file]).0, Some(1));
    assert_eq!(run(&["check", "--jobs", "0", &file]).0, Some(1));
    assert_eq!(run(&["check", "--accept", "anything", &file]).0, Some(1));
    assert_eq!(run(&["check", "nonesuch.lus"]).0, Some(2));
    assert_eq!(run(&["audit", "nonesuch"]).0, Some(2));
}

#[test]
fn a_model_without_properties_is_inconclusive() {
    let folder = Folder::new("nothing");
    let file = folder.file(
        "nothing.lus",
        "node main(x : int) returns (y : int);\nlet y = x; tel\n",
    );
    let (code, out, _) = run(&["check", &file]);
    assert_eq!(code, Some(5));
    assert!(out.contains("nothing to check"), "{out}");
}

/// The property needs `y <= 2 * x`, which is neither in it nor among what is guessed.
const NEEDS_ADVICE: &str = "type mode = enum {slow, fast};\n\
    node main(go, quick : bool) returns (p, q : bool);\nvar x, y : int; m : mode;\n\
    let x = 0 -> if go then pre x + 1 else pre x;\n\
    y = 0 -> if go then pre y + (if quick then 2 else 1) else pre y;\n\
    m = slow -> if quick then fast else pre m;\n\
    p = x = 1000 => y <= 2000;\n\
    q = m = fast => y < 3;\n\
    --%PROPERTY p;\n--%PROPERTY q;\ntel\n";

fn advice(invariants: &[&str]) -> String {
    let sorts = r#"{"x": "Int", "y": "Int", "m": "mode"}"#;
    let listed: Vec<String> = invariants
        .iter()
        .map(|term| format!(r#"{{"term": "{term}", "k": 1, "variables": {sorts}}}"#))
        .collect();
    let listed = listed.join(", ");
    format!(r#"{{"schema": "proofmark-proof/1", "invariants": [{listed}]}}"#)
}

/// The exit code, the verdict on `p` and on `q`, and what was written to standard error.
fn advised(file: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let engines = "--engines=bmc,invariant-generation,k-induction";
    let options = ["check", "--quiet", "--timeout=2", engines, file];
    let (code, out, error) = run(&[&options[..], more].concat());
    let verdicts: Vec<&str> = out
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    (code, verdicts.join(" "), error)
}

#[test]
fn a_saved_proof_settles_what_was_hard() {
    let folder = Folder::new("advice");
    let file = folder.file("advice.lus", NEEDS_ADVICE);
    let (_, verdicts, _) = advised(&file, &[]);
    assert_eq!(verdicts, "UNKNOWN INVALID");

    let given = folder.file(
        "given",
        &advice(&["(<= y (* 2 x))", "(or (= m slow) true)"]),
    );
    let saved = folder.at("saved");
    let options = ["--use-proof", &given, "--save-proof", &saved];
    let (code, verdicts, error) = advised(&file, &options);
    assert_eq!((code, error.as_str()), (Some(10), ""));
    assert_eq!(verdicts, "VALID INVALID");

    let (code, verdicts, error) = advised(&file, &["--use-proof", &saved]);
    assert_eq!((code, error.as_str()), (Some(10), ""));
    assert_eq!(verdicts, "VALID INVALID");
}

#[test]
fn false_advice_does_no_harm_and_what_is_no_advice_is_told() {
    let folder = Folder::new("false-advice");
    let file = folder.file("advice.lus", NEEDS_ADVICE);
    let lies = ["(= x 0)", "(< y 3)", "(= m slow)", "false", "(<= y x)"];
    let given = folder.file("lies", &advice(&lies));
    let (code, verdicts, error) = advised(&file, &["--use-proof", &given]);
    assert_eq!((code, error.as_str()), (Some(10), ""));
    assert_eq!(verdicts, "UNKNOWN INVALID");

    let odd = [
        "(<= y (* 2 x))",
        "(<= z 1)",
        "(<= y",
        "(+ x y)",
        "(<= (* x y) 7)",
        "true) (assert false",
    ];
    let given = folder.file("odd", &advice(&odd));
    let (code, verdicts, error) = advised(&file, &["--use-proof", &given]);
    assert_eq!((code, error.as_str()), (Some(10), ""));
    assert_eq!(verdicts, "VALID INVALID");
    // Who is not quiet hears what is skipped.
    let (_, _, error) = run(&["check", "--timeout=2", &file, "--use-proof", &given]);
    assert!(error.contains("5 of 6 invariants in "), "{error}");
    assert!(error.contains("(<= z 1)"), "{error}");

    let given = folder.file("none", "{}");
    assert_eq!(advised(&file, &["--use-proof", &given]).0, Some(2));
}

#[test]
fn an_unproved_property_shows_where_its_induction_fails_on_request() {
    let folder = Folder::new("induction");
    let file = folder.file("induction.lus", NEEDS_ADVICE);
    let options = [
        "check",
        ENGINES,
        "--timeout=0.3",
        "--property=p",
        "--inductive-counterexample",
        &file,
    ];
    let (code, out, _) = run(&options);
    assert_eq!(code, Some(5), "{out}");
    assert!(out.starts_with("UNKNOWN  p   holds for "), "{out}");
    assert!(out.contains("\n  Not a run of the model: "), "{out}");
    assert!(out.contains("\n  step "), "{out}");

    let (_, out, _) = run(&[&options[..], &["--json"]].concat());
    let read: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let property = &read["properties"][0];
    assert!(property["trace"].is_null(), "{property}");
    let states = property["inductive_counterexample"]["steps"].as_array();
    let states = states.expect("a list");
    assert!(states.len() >= 2, "{property}");
    for (at, state) in states.iter().enumerate() {
        let holds = at + 1 < states.len();
        assert_eq!(state["p"], holds.to_string(), "{property}");
    }

    let (_, out, _) = run(&options[..options.len() - 2]
        .iter()
        .copied()
        .chain([file.as_str()])
        .collect::<Vec<_>>());
    assert!(!out.contains("Not a run"), "{out}");
}

/// `go` has to pause once; `x` and `other` have to agree twice, which they can do without a change.
#[test]
fn a_smooth_counterexample_changes_its_inputs_no_more_than_it_must() {
    let folder = Folder::new("smooth");
    let model = "node main(x : int; go, other : bool) returns (p : bool);\nvar n, m : int;\n\
                 let n = (0 -> pre n) + (if go then 1 else 0);\n\
                 m = (0 -> pre m) + (if other = (x > 3) then 1 else 0);\n\
                 p = not (n = 3 and m >= 2 and (false -> pre (n = 2 and not go)));\n\
                 --%PROPERTY p;\ntel\n";
    let file = folder.file("smooth.lus", model);
    let found = |more: &[&str]| {
        let options = ["check", "--json", "--engines=bmc", &file];
        let (code, out, error) = run(&[&options[..], more].concat());
        assert_eq!((code, error.as_str()), (Some(10), ""));
        let read: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
        let property = read["properties"][0].clone();
        assert_eq!(property["audit"], "passed");
        property
    };
    // A small model is smooth without being asked.
    for property in [found(&[]), found(&["--smooth"])] {
        let steps = property["trace"]["steps"].as_array().expect("a list");
        let changes = |name: &str| {
            let pairs = steps.windows(2);
            pairs.filter(|pair| pair[0][name] != pair[1][name]).count()
        };
        // `go` holds twice, then not, then again.
        assert_eq!((changes("x"), changes("other"), changes("go")), (0, 0, 2));
    }
}

fn first_script(folder: &Path) -> PathBuf {
    folder.join("never_too_long").join("step.smt2")
}

#[test]
fn a_certificate_passes_until_somebody_touches_it() {
    let folder = Folder::new("certificate");
    let (certificate, wave) = (folder.at("certificate"), folder.at("wave.vcd"));
    let file = example("switch.lus");
    let (code, _, error) = run(&[
        "check",
        "--certificate",
        &certificate,
        "--vcd",
        &wave,
        &file,
    ]);
    assert_eq!((code, error.as_str()), (Some(10), ""));
    let (code, out, _) = run(&["audit", &certificate]);
    assert_eq!(code, Some(0));
    assert_eq!(out, "PASSED   dark_is_zero\nPASSED   never_too_long\n");
    let wave = fs::read_to_string(wave).expect("it was written");
    assert!(
        wave.contains("$scope module off_after_three $end"),
        "{wave}"
    );

    let script = first_script(Path::new(&certificate));
    let text = fs::read_to_string(&script).expect("it was written");
    fs::write(&script, text.replace("(assert ", "(assert (not ")).expect("it can be changed");
    let (code, out, _) = run(&["audit", &certificate]);
    assert_eq!(code, Some(6));
    assert!(out.contains("FAILED   never_too_long\n  step: "), "{out}");
}

#[test]
fn a_certificate_passes_for_its_model_only() {
    let folder = Folder::new("its-model");
    let proofs = folder.at("proofs");
    let text = fs::read_to_string(example("closed.lus")).expect("it is there");
    let model = folder.file("model.lus", &text);
    let (code, out, _) = run(&["check", "--certificate", &proofs, &model]);
    assert_eq!(code, Some(0), "{out}");
    assert_eq!(run(&["audit", &proofs]).0, Some(0));
    // Where it is now is told by whoever audits.
    let moved = folder.file("moved.lus", &text);
    fs::remove_file(&model).expect("it is there");
    let (code, out, _) = run(&["audit", &proofs]);
    assert_eq!(code, Some(5), "{out}");
    assert!(
        out.contains("whether they are the model's obligations was not checked"),
        "{out}"
    );
    assert_eq!(
        run(&["audit", &proofs, &example("switch.lus"), &moved]).0,
        Some(0)
    );
    // Another model, with the hash that it has: the obligations are not those of the proof.
    let other = text.replace("0 ->", "1000 ->");
    assert_ne!(text, other);
    let other_file = folder.file("other.lus", &other);
    let (code, out, _) = run(&["audit", &proofs, &other_file]);
    assert_eq!(code, Some(5), "{out}");
    assert!(out.contains("is not the file that was certified"), "{out}");
    let manifest = Path::new(&proofs).join("manifest.txt");
    let listed = fs::read_to_string(&manifest).expect("it is there");
    let hash = |text: &str| proofmark_source::sha256(text.as_bytes());
    fs::write(&manifest, listed.replace(&hash(&text), &hash(&other))).expect("it is there");
    let (code, out, _) = run(&["audit", &proofs, &other_file]);
    assert_eq!(code, Some(6), "{out}");
    assert!(!out.contains("PASSED"), "{out}");
}

#[test]
fn a_former_certificate_goes_when_the_model_no_longer_holds() {
    let folder = Folder::new("stale");
    let proofs = folder.at("proofs");
    let text = "node m() returns (n: int); let n = 0 -> pre n + 1; check \"p\" n >= 0; tel;";
    let model = folder.file("model.lus", text);
    assert_eq!(run(&["check", "--certificate", &proofs, &model]).0, Some(0));
    folder.file("model.lus", &text.replace("+ 1", "- 1"));
    let (code, out, error) = run(&["check", "--certificate", &proofs, &model]);
    assert_eq!(code, Some(10), "{out}");
    assert!(error.contains("no longer holds, and is removed"), "{error}");
    let left: Vec<_> = fs::read_dir(&proofs).expect("it is there").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn the_audit_can_be_skipped_or_done_by_another_solver() {
    let file = example("switch.lus");
    let (_, out, _) = run(&["check", "--no-audit", &file]);
    assert!(out.ends_with("; not audited\n"), "{out}");
    if run(&["smt", "--solver", "z3", &example("counter.smt2")]).0 != Some(0) {
        println!("skipped: z3 is not installed");
        return;
    }
    let (code, out, error) = run(&["check", "--audit-solver", "z3", &file]);
    assert_eq!(code, Some(10), "{error}");
    assert!(out.to_lowercase().contains("(simulator, z3"), "{out}");
}

/// What is inductive only together with a property that has just been refuted is not proved by it.
/// What a division by zero gives is the solver's to say, and the simulator has to hear of it.
const QUOTIENTS: &str = "node main(x, y: int) returns (q: int);
let
  q = x div y;
  --%PROPERTY \"bounded\" y > 1 and x >= 0 => q <= x;
  --%PROPERTY \"zero\" y = 0 => q = 0;
  --%PROPERTY \"same\" q = x div (y + 0);
tel;
";

#[test]
fn products_and_quotients_need_a_solver_that_has_them() {
    let folder = Folder::new("nonlinear");
    fs::write(folder.0.join("quotients.lus"), QUOTIENTS).unwrap();
    let file = folder.at("quotients.lus");
    let (code, _, error) = run(&["check", &file]);
    assert_eq!(code, Some(2));
    let place = "quotients.lus:3:7\n";
    assert!(error.contains(place), "{error}");
    let hint = "or name a solver that has quotients: --solver z3\n";
    assert!(error.contains(hint), "{error}");
    if run(&["smt", "--solver", "z3", &example("counter.smt2")]).0 != Some(0) {
        println!("skipped: z3 is not installed");
        return;
    }
    let z3 = ["check", "--solver=z3", "--audit-solver=z3", ENGINES];
    let (code, out, error) = run(&[&z3[..], &["--timeout=60", &file]].concat());
    assert_eq!((code, error.as_str()), (Some(10), ""), "{out}");
    let verdict = |line: &str| line.split("  ").next().map(str::to_string);
    let verdicts: Vec<String> = out.lines().take(2).filter_map(verdict).collect();
    assert_eq!(verdicts, ["VALID", "INVALID"], "{out}");
    assert!(out.contains("\nVALID    same "), "{out}");
    assert!(out.contains("audit passed"), "{out}");
    assert!(out.contains("simulator, z3 "), "{out}");
}

#[test]
fn a_run_with_a_value_that_is_no_fraction_is_unknown_and_no_failure() {
    if run(&["smt", "--solver", "z3", &example("counter.smt2")]).0 != Some(0) {
        println!("skipped: z3 is not installed");
        return;
    }
    let folder = Folder::new("irrational");
    let model = "node main(x: real) returns (ok: bool);
let
  ok = not (x * x = 2.0);
  --%PROPERTY ok;
tel;
";
    fs::write(folder.0.join("root.lus"), model).unwrap();
    let options = ["check", "--solver=z3", "--timeout=3", ENGINES];
    let (code, out, error) = run(&[&options[..], &[&folder.at("root.lus")]].concat());
    assert_eq!((code, error.as_str()), (Some(5), ""), "{out}");
    assert!(out.starts_with("UNKNOWN  ok"), "{out}");
}

#[test]
fn a_refuted_property_proves_no_other() {
    let model = "node main(up: bool) returns (n: int; full: bool);
let
  n = 5;
  full = n >= 3;
  --%PROPERTY \"low\" n >= 0;
  --%PROPERTY \"high\" n <= 3;
tel;
";
    let folder = Folder::new("refuted");
    let file = folder.file("model.lus", model);
    for _ in 0..20 {
        let (code, out, err) = run(&["check", "--jobs", "2", &file]);
        assert_eq!(code, Some(10), "{out}\n{err}");
        assert!(out.contains("VALID    low"), "{out}");
    }
}
