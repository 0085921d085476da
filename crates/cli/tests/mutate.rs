//! `proofmark mutate` as scripts see it: the figures of the paper, and what must agree with `ivc`.

mod common;

use common::{Model, document, run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// Figure 4 of the paper in its layout, with properties behind what is mutated.
fn demo2(properties: &[&str]) -> String {
    let mut text = String::from(
        "node demo2 ( a1 , a2 : int )
returns ( Prop1 : bool ; b : int );
var
  d : bool;
let
  d = (a1 > 0);
  b = if d or (a2 < 0) then a1 else a2;
  Prop1 = (b = a1 or b = a2);
  --%PROPERTY Prop1;
",
    );
    for property in properties {
        text.push_str(&format!("  --%PROPERTY {property};\n"));
    }
    text.push_str("tel;\n");
    text
}

const MORE: [&str; 3] = [
    "\"Prop2\" ((a1 > 0) => b = a1)",
    "\"Prop3\" ((a2 < 0) => b = a1)",
    "\"Prop4\" (((a1 <= 0) and (a2 >= 0)) => b = a2)",
];

/// `6:11 g2l`
fn place(mutant: &Value) -> String {
    let label = mutant["label"].as_str().expect("a text");
    format!(
        "{}:{} {label}",
        mutant["at"]["line"], mutant["at"]["column"]
    )
}

fn mutants(document: &Value) -> &[Value] {
    document["mutants"].as_array().map_or(&[], Vec::as_slice)
}

/// The lines that a campaign on an example prints.
fn lines(words: &[&str]) -> Vec<String> {
    let (_, out, _) = run(&[&["mutate"], words].concat());
    out.lines().map(str::to_string).collect()
}

#[test]
fn a_campaign_fits_a_screen_and_names_what_is_weak_and_what_to_add() {
    for name in ["pump", "crossing", "cruise", "closed", "cores", "switch"] {
        let found = lines(&[&common::example(&format!("{name}.lus"))]);
        assert!(found.len() < 60, "{name}: {}", found.len());
        let find = |text: &str| found.iter().position(|line| line.contains(text));
        // A property that is not valid is told first.
        let score = find("score ").expect("a score");
        assert!(score <= 1 && find(" left out)") == Some(score), "{found:?}");
        let (table, gaps) = (
            find("  score  killed    gaps  equivalent  unknown"),
            find("gaps: "),
        );
        assert!(Some(score) < table && table < gaps, "{found:?}");
        let first = &found[gaps.expect("there are gaps") + 1];
        assert!(first.contains(" slip through   "), "{first}");
        let add = find("add a property: ");
        assert!(gaps < add, "{found:?}");
        assert!(
            found[add.expect("there is one") + 1].starts_with("  closes "),
            "{found:?}"
        );
        let shown = found
            .iter()
            .filter(|line| line.starts_with("    ") && line.contains('#'));
        assert!(shown.count() <= 20, "{name}");
    }
}

#[test]
fn a_mutant_that_is_named_is_shown_in_full() {
    let file = common::example("pump.lus");
    let (code, out, _) = run(&[
        "mutate",
        &file,
        "--mutant",
        "pump/count_while~0.holds#and2or#1",
    ]);
    assert_eq!(code, Some(10), "{out}");
    let parts = [
        "GAP 43:37 and2or [pump/count_while~0.holds#and2or#1]\n",
        "  was_running and not falls\n  becomes was_running or not falls\n",
        "  no property notices that waiting differs at step ",
        " branches, and satisfies every property\n",
        "\n  step ",
        "\n  water ",
        "\n    mutant ",
        "\n  holds on the original, and would notice\n  --%PROPERTY ",
        "\n+  waiting = count_while(was_running or not falls, hopeless);\n",
    ];
    let mut rest = out.as_str();
    for part in parts {
        let (_, after) = rest
            .split_once(part)
            .unwrap_or_else(|| panic!("{part}: {out}"));
        rest = after;
    }
    // What is the same in both runs, and no input, is not shown.
    assert!(!out.contains("was_running  "), "{out}");
    let found = lines(&[&file, "--mutant", "pump/count_while~0.holds#*"]);
    assert!(found[0].starts_with("score "), "{found:?}");
}

#[test]
fn a_changed_assumption_that_is_named_is_shown_in_full_and_all_are_listed_in_detail() {
    let text = "node main(x: int) returns (y: int);
let
  assert x >= 0;
  y = x + 1;
  check \"positive\" y > 0;
tel;
";
    let model = Model::new("assumed", text);
    let (_, out, _) = run(&["mutate", model.path(), "--mutant", "main/assert#ge2le#1"]);
    let line = "NEEDED 3:12 ge2le by positive at step ";
    assert!(out.starts_with(line), "{out}");
    assert!(out.contains(" [main/assert#ge2le#1]\n"), "{out}");
    assert!(out.contains("  x >= 0\n  becomes x <= 0\n"), "{out}");
    assert!(out.contains("\n+  assert x <= 0;\n"), "{out}");
    let (_, out, _) = run(&["mutate", model.path(), "-v"]);
    assert!(out.contains(line), "{out}");
    let (_, out, _) = run(&["mutate", model.path()]);
    assert!(
        !out.contains(line) && out.contains("needed by positive"),
        "{out}"
    );
}

#[test]
fn inputs_are_in_the_runs_of_a_gap_however_large_the_model_is() {
    let names: Vec<String> = (0..80).map(|at| format!("v{at}")).collect();
    let mut model = format!(
        "node main(first, second: int) returns (out: int);\nvar {}: int;\nlet\n",
        names.join(", ")
    );
    for (at, name) in names.iter().enumerate() {
        model.push_str(&format!("  {name} = first + {at};\n"));
    }
    model.push_str("  out = v0 + second;\n  --%PROPERTY \"p\" v1 = v0 + 1;\ntel\n");
    let model = Model::new("large", &model);
    let found = document(&["mutate", model.path(), "--mutant", "main/out#plus2minus#1"]);
    let gap = &mutants(&found)[0];
    assert_eq!(gap["verdict"], "gap", "{gap}");
    for trace in ["original_trace", "trace"] {
        assert_eq!(gap[trace]["inputs"], serde_json::json!(["first", "second"]));
        let first = &gap[trace]["steps"][0];
        assert!(
            first["first"].is_string() && first["second"].is_string(),
            "{gap}"
        );
        assert!(first.as_object().is_some_and(|all| all.len() < 10), "{gap}");
    }
}

#[test]
fn demo2_has_the_counts_of_the_paper() {
    for (count, killed) in [5, 14, 16, 22].into_iter().enumerate() {
        let model = Model::new(&format!("demo2-{count}"), &demo2(&MORE[..count]));
        let found = document(&["mutate", "--mutators", "paper", model.path()]);
        assert_eq!(found["score"]["total"], 22);
        assert_eq!(found["score"]["killed"], killed, "with {count} more");
        assert_eq!(found["score"]["gap"], 22 - killed);
        let outcome = if killed == 22 { "holds" } else { "found" };
        assert_eq!(found["outcome"], outcome);
    }
}

#[test]
fn figure_5_is_what_it_was() {
    let model = Model::new("figure5", &demo2(&MORE[..1]));
    let found = document(&["mutate", "--mutators", "paper", model.path()]);
    let with = |verdict: &str| -> BTreeSet<String> {
        let mutants = mutants(&found).iter();
        let chosen = mutants.filter(|one| one["verdict"] == verdict);
        chosen.map(place).collect()
    };
    let killed = [
        "6:3 equal_false",
        "6:3 equation_remove",
        "6:3 init_false",
        "6:11 g2l",
        "6:13 const int 0 -> 1",
        "7:3 init_-1",
        "7:3 equal_5",
        "7:3 equal_-2",
        "7:3 equation_remove",
        "7:3 init_5",
        "7:7 ifelsethen",
        "7:7 ifelse",
        "7:12 or2right",
        "7:12 or2xor",
    ];
    let survived = [
        "6:3 init_true",
        "6:3 equal_true",
        "6:11 g2ge",
        "7:7 ifthen",
        "7:12 or2left",
        "7:19 l2g",
        "7:19 l2le",
        "7:21 const int 0 -> 1",
    ];
    assert_eq!(with("killed"), killed.map(String::from).into());
    assert_eq!(with("gap"), survived.map(String::from).into());
    let ivc = document(&["ivc", "--must", "--joint", model.path()]);
    let roles = ivc["elements"].as_array().expect("a list").iter();
    let must = roles.filter(|one| {
        one["role"]
            .as_object()
            .is_some_and(|roles| roles.values().any(|role| role == "must"))
    });
    let names: Vec<&str> = must.filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["d", "b", "Prop1"]);
}

#[test]
fn only_one_equation_of_the_demo_must_be_there() {
    let model = Model::new(
        "demo",
        "node demo() returns (Prop1: bool; d: bool);
var
  L1, L2, L3, L4: bool;
let
  L1 = L2 or L3;
  L2 = true;
  L3 = not L2;
  L4 = not L1;
  Prop1 = L1;
  d = L4;
  --%PROPERTY Prop1;
tel
",
    );
    let found = document(&["mutate", "--mutators", "equation_remove", model.path()]);
    let killed = mutants(&found).iter();
    let killed: Vec<String> = killed
        .filter(|one| one["verdict"] == "killed")
        .map(place)
        .collect();
    assert_eq!(killed, ["5:3 equation_remove"]);
    assert_eq!(found["score"]["total"], 5);
}

/// What `equation_remove` kills is what every core needs: two code paths, one answer.
#[test]
fn removal_kills_what_must_be_there() {
    let folder = format!(
        "{}/../../tests/corpus/lustre/valid",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut compared = 0;
    for file in fs::read_dir(folder).expect("the corpus is there") {
        let path = file.expect("a file").path();
        let path = path.to_str().expect("a plain name");
        // Cores count what --%IVC names; mutants do not.
        let text = fs::read_to_string(path).expect("it can be read");
        let lines = text.lines().filter(|line| !line.contains("--%IVC"));
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        let model = Model::new("corpus", &text);
        let options = ["--timeout", "20"];
        let found = document(
            &[
                &[
                    "mutate",
                    "--mutators",
                    "equation_remove",
                    "--no-equivalence",
                ],
                &options[..],
                &[model.path()],
            ]
            .concat(),
        );
        let ivc = document(
            &[
                &["ivc", "--must", "--joint", "--grain", "source"],
                &options[..],
                &[model.path()],
            ]
            .concat(),
        );
        let valid = |one: &Value| one["verdict"] == "valid";
        let properties = found["properties"].as_array().expect("a list");
        if !properties.iter().all(valid) {
            continue;
        }
        let elements = ivc["elements"].as_array().expect("a list");
        for mutant in mutants(&found) {
            let verdict = mutant["verdict"].as_str().expect("a text");
            assert_ne!(verdict, "unknown", "{path}: {mutant}");
            let id = &mutant["element"];
            let element = elements.iter().find(|one| one["id"] == *id);
            let element = element.unwrap_or_else(|| panic!("{path}: {id}"));
            let roles = element["role"].as_object().expect("roles");
            let must = roles.values().any(|role| role == "must");
            assert_eq!(verdict == "killed", must, "{path}: {mutant}\n{element}");
            compared += 1;
        }
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn the_matrix_has_every_property_on_every_mutant() {
    // The last property says no more than the first.
    let properties = [&MORE[..], &["\"Again\" (b = a2 or b = a1)"]].concat();
    let model = Model::new("matrix", &demo2(&properties));
    let csv = std::path::Path::new(model.path()).with_extension("csv");
    let path = csv.to_str().expect("a plain name");
    let arguments = ["mutate", "--mutators", "paper", "--matrix", "--csv", path];
    let found = document(&[&arguments[..], &[model.path()]].concat());
    let redundant = found["worth"]["redundant"].as_array().expect("a list");
    assert!(
        redundant.iter().any(|name| name == "Again"),
        "{redundant:?}"
    );
    assert_eq!(found["worth"]["exact"], true);
    assert_eq!(found["worth"]["unknown"], 0);
    let smallest = &found["worth"]["smallest"];
    assert_eq!(*smallest, serde_json::json!(["Prop2", "Prop3", "Prop4"]));
    // Each property alone says the same of each mutant.
    for name in ["Prop1", "Prop2", "Prop3", "Prop4", "Again"] {
        let alone = document(&[
            "mutate",
            "--mutators",
            "paper",
            "--property",
            name,
            model.path(),
        ]);
        for (together, alone) in mutants(&found).iter().zip(mutants(&alone)) {
            assert_eq!(together["id"], alone["id"]);
            let killed = alone["verdict"] == "killed";
            let cell = if killed { "killed" } else { "holds" };
            assert_eq!(together["matrix"][name], cell, "{name} on {}", alone["id"]);
        }
    }
    let written = fs::read_to_string(&csv).expect("it is there");
    let _ = fs::remove_file(&csv);
    assert!(
        written
            .starts_with("mutant,mutator,file,line,column,verdict,Prop1,Prop2,Prop3,Prop4,Again\n")
    );
    assert_eq!(written.lines().count(), 23);
    let (_, out, _) = run(&["mutate", "--mutators", "paper", "--matrix", model.path()]);
    assert!(
        out.contains("same score: 3 of 5: Prop2, Prop3, Prop4\n"),
        "{out}"
    );
}

#[test]
fn who_observes_nothing_is_told() {
    let text = "node main(i: int) returns (ok: bool);
var x: int;
let
  x = if i > 0 then i else 0;
  ok = x >= 0;
  --%PROPERTY ok;
tel;
";
    let model = Model::new("blind", text);
    let (_, out, err) = run(&["mutate", model.path()]);
    assert!(err.contains("--observe"), "{err}");
    assert!(out.contains(" 0 gaps"), "{out}");
    let (code, out, err) = run(&["mutate", "--observe", "x", model.path()]);
    assert_eq!(code, Some(10), "{out}");
    assert!(!err.contains("--observe"), "{err}");
}

/// The suggestions of a document, each once.
fn suggestions(document: &Value) -> BTreeSet<String> {
    let lists = mutants(document).iter();
    let lists = lists.filter_map(|one| one["suggestions"].as_array());
    let texts = lists.flatten().filter_map(Value::as_str);
    texts.map(String::from).collect()
}

#[test]
fn suggestions_pasted_in_close_the_gaps() {
    let model = Model::new("suggest", &demo2(&[]));
    let found = document(&["mutate", "--mutators", "paper", model.path()]);
    assert_eq!(found["score"]["killed"], 5);
    for gap in mutants(&found).iter().filter(|one| one["verdict"] == "gap") {
        let count = gap["suggestions"].as_array().map_or(0, Vec::len);
        assert!((1..=3).contains(&count), "{gap}");
    }
    let mut text = demo2(&[]);
    let end = text.find("tel;").expect("it ends");
    for suggestion in suggestions(&found) {
        text.insert_str(end, &format!("  {suggestion}\n"));
    }
    let model = Model::new("suggested", &text);
    let found = document(&["mutate", "--mutators", "paper", model.path()]);
    assert_eq!(found["score"]["killed"], 22, "{text}");
    assert_eq!(found["outcome"], "holds");
}

#[test]
fn the_first_suggestions_close_all_gaps_and_later_ones_are_not_needed() {
    let model = Model::new("first", &demo2(&[]));
    let found = document(&["mutate", "--mutators", "paper", model.path()]);
    let firsts: BTreeSet<&str> = mutants(&found)
        .iter()
        .filter_map(|one| one["suggestions"][0].as_str())
        .collect();
    assert!(firsts.len() <= 4, "{firsts:?}");
}

#[test]
fn suggestions_for_models_with_memory_hold_and_kill() {
    let text = "node main(up, reset: bool) returns (n: int; full: bool);
let
  n = 0 -> if reset then 0 else if up and pre n < 7 then pre n + 1 else pre n;
  full = n >= 5;
  --%PROPERTY \"natural\" n >= 0;
tel;
";
    let model = Model::new("memory", text);
    let before = document(&["mutate", model.path()]);
    let mut text = text.to_string();
    let end = text.find("tel;").expect("it ends");
    let pasted = suggestions(&before);
    assert!(!pasted.is_empty());
    for suggestion in pasted {
        text.insert_str(end, &format!("  {suggestion}\n"));
    }
    let model = Model::new("memory-pasted", &text);
    let after = document(&["mutate", model.path()]);
    let properties = after["properties"].as_array().expect("a list");
    assert!(
        properties.iter().all(|one| one["verdict"] == "valid"),
        "{text}"
    );
    let killed = |document: &Value| document["score"]["killed"].as_u64();
    assert!(killed(&after) > killed(&before), "{text}");
    let none = document(&["mutate", "--no-suggest", model.path()]);
    assert!(suggestions(&none).is_empty());
}

/// Whatever is suggested can be pasted in, and holds.
#[test]
fn suggestions_for_the_corpus_parse_and_hold() {
    let folder = format!(
        "{}/../../tests/corpus/lustre/valid",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut pasted = 0;
    for file in fs::read_dir(folder).expect("the corpus is there") {
        let path = file.expect("a file").path();
        let mut text = fs::read_to_string(&path).expect("it can be read");
        let path = path.to_str().expect("a plain name");
        let options = ["mutate", "--timeout", "5", "--mutators", "paper", path];
        let found = document(&options);
        let end = text.rfind("tel").expect("it ends");
        let all = suggestions(&found);
        for suggestion in &all {
            text.insert_str(end, &format!("  {suggestion}\n"));
        }
        pasted += all.len();
        let model = Model::new("pasted", &text);
        let (_, out, err) = run(&["check", "--timeout", "20", model.path()]);
        let suggested = |line: &&str| line.contains("suggested ");
        let valid = |line: &str| line.starts_with("VALID");
        assert_eq!(
            out.lines().filter(suggested).count(),
            all.len(),
            "{text}{out}{err}"
        );
        assert!(out.lines().filter(suggested).all(valid), "{text}{out}{err}");
    }
    assert!(pasted > 10, "{pasted}");
}

#[test]
fn a_witness_takes_many_branches_and_shows_the_difference() {
    let model = Model::new("witness", &demo2(&[]));
    let ask = |more: &[&str]| document(&[&["mutate", model.path()], more].concat());
    let found = ask(&["--mutators", "paper", "--witness"]);
    let mutants = found["mutants"].as_array().unwrap();
    let gaps = mutants.iter().filter(|one| one["verdict"] == "gap");
    let (mut count, mut most) = (0, 0);
    for gap in gaps {
        count += 1;
        let number = |name: &str| gap["covers"][name].as_u64().expect("a count");
        let (taken, branches) = (number("taken"), number("branches"));
        assert!(0 < taken && taken <= branches || branches == 0, "{gap}");
        // There is one condition, at the first step and later, true and false. All can be taken but
        // one of the first step, unless it has become a constant.
        most += usize::from(taken == 3);
        let step = gap["step"].as_u64().unwrap() as usize;
        let value = |trace: &str, name: &str| gap[trace]["steps"][step][name].clone();
        for name in gap["differs"].as_array().unwrap() {
            let name = name.as_str().unwrap();
            assert_ne!(value("trace", name), value("original_trace", name), "{gap}");
        }
        for input in ["a1", "a2"] {
            assert_eq!(value("trace", input), value("original_trace", input));
        }
    }
    assert_eq!(count, 17);
    assert!(most >= 8, "{most}");
}

/// A mutant of a node that is called twice has a choice in each instance; that of a call whose result is not
/// observed does not matter, and what reads it is compared all the same.
#[test]
fn choices_that_do_not_matter_are_no_obstacle_to_a_comparison() {
    let text = "\
type small = subrange [-1, 3] of int;
type mode = enum {red, green, blue};
type pair = struct {f: int; g: bool};
node n0(i0: bool; i1: int) returns (o0: pair);
let
  o0 = (pair {f = 1; g = false} fby ((if (if i0 then i0 else i0) then (pre ((pre o0))) else pair {f = i1; g = i0})));
tel;
node main(i0: bool; i1: int; i2: small; i3: int) returns (o0: pair; c0_0: pair);
var
  v0: int;
  v1: int;
  c1_0: pair;
  p0: bool;
  p1: bool;
  p2: bool;
  p3: bool;
let
  v1 = (if (i0 -> pre true) then (i1 div 2) else i1);
  v0 = ((if (not i0) then (i3 mod 2) else (i2 div 3)) - (i1 -> pre ((i1 - i2))));
  c1_0 = n0((i0 or i0), (-i1));
  o0 = pair {f = 0; g = true} -> if (i0 => i0) then (pre o0){f := v0} else pre o0;
  c0_0 = n0(i0, i3);
  p0 = i0 = i0;
  --%PROPERTY p0;
  p1 = v1 = ((if (i0 -> pre true) then (i1 div 2) else i1));
  p2 = green <> blue;
  p3 = not (i0 and false);
tel;
";
    let model = Model::new("unobserved-choice", text);
    let (code, _, error) = run(&["mutate", "-q", model.path()]);
    assert_eq!(code, Some(10), "{error}");
}
