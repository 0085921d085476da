//! Mutants without verdicts: `mutate --list`, `--mutant` and `--patch`.

mod common;

use common::{Folder, document, outcome, proofmark, root, run};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Command, Stdio};

/// Calls, a clock and an assertion, which are other trees when they are flattened.
const CALLS: &str = "node sub(a, b: int) returns (c: int);
let
  c = a - b;
tel;
node main(a: int; k: bool) returns (ok: bool; d, e: int);
let
  d = sub(a, 3);
  e = condact(k, sub(a, d), 0);
  assert a > 0 or k;
  ok = d < a;
  --%PROPERTY ok;
tel;
";

fn mutants(document: &Value) -> &[Value] {
    document["mutants"].as_array().map_or(&[], Vec::as_slice)
}

/// The ids of mutants, those of assumptions among them.
fn ids(document: &Value) -> BTreeSet<String> {
    let assumptions = document["assumptions"].as_array();
    let all = mutants(document)
        .iter()
        .chain(assumptions.into_iter().flatten());
    let ids = all.map(|one| one["id"].as_str());
    ids.map(|id| id.expect("a text").to_string()).collect()
}

#[test]
fn a_list_has_the_text_of_the_source_before_and_after() {
    let folder = Folder::new("list");
    let model = folder.file("calls.lus", CALLS);
    let (code, out, err) = run(&["mutate", "--list", &model]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    for line in [
        "main/d#equation_remove#1 7:3 d = sub(a, 3) becomes d = any_d (`any_d` is a new input: any \
         value at every step)",
        "main/d#pre_add#1 7:7 sub(a, 3) becomes sub_value -> pre sub_value (`sub_value` is `sub(a, \
         3)`)",
        "main/sub.c#minus2plus#1 3:9 a - b becomes a + b",
        "main/clock#stuck_true#1 8:15 k becomes true",
        "main/assert#or2left#1 9:16 a > 0 or k becomes a > 0",
    ] {
        assert!(out.lines().any(|one| one == line), "{line}\n{out}");
    }
    // Names that the flattened model has and the source does not.
    for made_up in ["@", "first_run", "5 -> c"] {
        assert!(!out.contains(made_up), "{made_up}\n{out}");
    }
    // Instances have numbers in ids alone.
    for line in out.lines() {
        let (_, change) = line.split_once(' ').expect("an id and a change");
        assert!(!change.contains('~'), "{line}");
    }
}

#[test]
fn reports_of_a_campaign_show_no_flattened_names_either() {
    let folder = Folder::new("shown");
    let model = folder.file("calls.lus", CALLS);
    let found = document(&["mutate", "--mutators", "all", &model]);
    assert!(mutants(&found).len() > 30);
    for mutant in mutants(&found) {
        for field in ["label", "original", "replacement", "note"] {
            let text = mutant[field].as_str().unwrap_or("");
            assert!(!text.contains(['@', '~']), "{field}: {text}");
        }
        // An argument is named by its call, and by nothing that the tool made up.
        for field in ["id", "element"] {
            let text = mutant[field].as_str().unwrap_or("");
            assert!(!text.contains('@'), "{field}: {text}");
        }
    }
    let (_, out, _) = run(&["mutate", "--mutators", "all", "-v", &model]);
    assert!(out.contains("sub~1.b") && !out.contains('@'), "{out}");
}

#[test]
fn a_list_in_json_is_a_document_that_decides_nothing() {
    let folder = Folder::new("list-json");
    // The property is false: nothing could be tested, and there is a list all the same.
    let model = folder.file("calls.lus", &CALLS.replace("d < a", "d > a"));
    let listed = document(&["mutate", "--list", &model]);
    assert_eq!(listed["schema"], "proofmark/1");
    assert_eq!(listed["command"], "mutate");
    assert_eq!(listed["options"]["list"], true);
    assert_eq!(listed["outcome"], "inconclusive");
    assert_eq!(listed["score"], Value::Null);
    assert_eq!(listed["properties"], Value::Array(Vec::new()));
    assert!(mutants(&listed).len() > 20);
    for mutant in mutants(&listed) {
        assert_eq!(mutant["verdict"], "unknown");
        assert_eq!(mutant["reason"], "listed, not decided");
    }
    let (_, out, _) = run(&["mutate", "--list", &model]);
    assert_eq!(out.lines().count(), mutants(&listed).len());
}

#[test]
fn a_list_has_the_mutants_of_the_campaign() {
    let model = common::example("cores.lus");
    for more in [
        &[][..],
        &["--line", "19"],
        &["--mutators", "paper"],
        &["--shard", "2/3"],
        &["--mutant", "*#g2*", "--mutant", "tank/level#*"],
    ] {
        let listed = document(&[&["mutate", "--list", &model], more].concat());
        let decided = document(&[&["mutate", "--no-suggest", &model], more].concat());
        assert!(!mutants(&listed).is_empty());
        assert_eq!(ids(&listed), ids(&decided), "{more:?}");
    }
}

#[test]
fn patterns_choose_mutants_and_one_that_chooses_none_is_an_error() {
    let folder = Folder::new("patterns");
    let model = folder.file("calls.lus", CALLS);
    let chosen = |patterns: &[&str]| ids(&document(&[&["mutate", &model], patterns].concat()));
    let clocks = chosen(&["--mutant", "main/clock#stuck_*#?"]);
    let wanted = ["main/clock#stuck_false#1", "main/clock#stuck_true#1"];
    assert_eq!(clocks, wanted.map(String::from).into());
    let two = chosen(&["--mutant=*minus2plus*,*/assert#g2l#1"]);
    let wanted = ["main/assert#g2l#1", "main/sub.c#minus2plus#1"];
    assert_eq!(two, wanted.map(String::from).into());

    for list in [&[][..], &["--list"]] {
        for (pattern, hint) in [
            ("main/clokc#*", "`main/clock#*` has"),
            ("main/d", "`main/d#*` has 2 mutants, such as"),
            ("main/d#pre_ad#1", "did you mean `main/d#pre_add#1`?"),
            ("zebra*", "--list` tells the ids"),
        ] {
            let arguments = [
                &["mutate", &model, "--mutant", "main/*", "--mutant", pattern],
                list,
            ];
            let (code, out, err) = run(&arguments.concat());
            assert_eq!((code, out.as_str()), (Some(1), ""), "{pattern} {list:?}");
            let told = format!("--mutant: the model has no mutant `{pattern}`; ");
            assert!(err.contains(&told) && err.contains(hint), "{err}");
        }
    }
}

#[test]
fn ids_stay_when_lines_move_and_other_mutators_are_chosen() {
    let folder = Folder::new("ids");
    let model = folder.file("calls.lus", CALLS);
    let moved = folder.file("moved.lus", &format!("-- A comment.\n\n{CALLS}"));
    let list = |model: &str, mutators: &str| -> BTreeMap<String, (Value, Value)> {
        let listed = document(&["mutate", "--list", "--mutators", mutators, model]);
        let mutants = mutants(&listed).iter();
        let text = |one: &Value| one.as_str().expect("a text").to_string();
        let change = |one: &Value| (one["original"].clone(), one["replacement"].clone());
        mutants.map(|one| (text(&one["id"]), change(one))).collect()
    };
    let every = list(&model, "all");
    assert_eq!(every, list(&moved, "all"));
    for (id, change) in list(&model, "default") {
        assert!(every.get(&id).is_none_or(|other| *other == change), "{id}");
    }
}

#[test]
fn what_needs_verdicts_does_not_go_with_a_list() {
    let folder = Folder::new("conflicts");
    let model = folder.file("calls.lus", CALLS);
    let page = folder.at("page.html");
    for more in [
        &["--in-core"][..],
        &["--html", &page],
        &["--run-dir", &page],
    ] {
        let (code, out, err) = run(&[&["mutate", "--list", &model], more].concat());
        assert_eq!((code, out.as_str()), (Some(1), ""), "{more:?}");
        assert!(err.contains("cannot be used with"), "{err}");
    }
    // A setting is not what somebody asks for now.
    let settings = "[mutate]\nhtml = 'page.html'\nin-core = true\nline = [9]\n";
    folder.file("proofmark.toml", settings);
    let (code, out, err) = run(&["mutate", "--list", &model]);
    assert_eq!(code, Some(0));
    // What the settings do is told, and nothing else.
    assert!(err.ends_with("proofmark.toml sets line=9\n"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(
        out.lines().all(|one| one.starts_with("main/assert#")),
        "{out}"
    );
    let (code, out, _) = run(&["mutate", "--patch", "main/d#pre_add#1", &model]);
    assert_eq!((code, out.is_empty()), (Some(0), false));
    assert!(fs::metadata(&page).is_err());
    // Where it is the campaign that is asked for, the settings stand: no core has the assertion.
    let (code, _, err) = run(&["mutate", &model]);
    assert_eq!(code, Some(5), "{err}");
    assert!(fs::metadata(&page).is_ok());
}

/// Whether the program that applies patches is here.
fn has_patch() -> bool {
    let mut patch = Command::new("patch");
    let found = patch.arg("--version").stdout(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// What a unified diff makes of a text: the lines between hunks, and in hunks all but those with `-`.
fn apply(diff: &str, text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut out, mut at) = (String::new(), 0);
    // A line that is followed by a remark has no end.
    let diff = diff.replace("\n\\ No newline at end of file\n", "\u{0}");
    let diff = diff.split_inclusive(['\n', '\u{0}']).skip(2);
    for line in diff.map(|line| line.trim_end_matches('\u{0}')) {
        let (mark, rest) = line.split_at(1);
        match mark {
            "@" => {
                let start = rest.split(['-', ',']).nth(1).expect("a line number");
                let start = start.parse::<usize>().expect("a number") - 1;
                out.push_str(&lines[at..start].concat());
                at = start;
            }
            "+" => out.push_str(rest),
            mark => {
                assert_eq!(lines[at], rest);
                at += 1;
                if mark == " " {
                    out.push_str(rest);
                }
            }
        }
    }
    out.push_str(&lines[at..].concat());
    out
}

/// Has a mutant written and the diff applied in the folder of the model; returns what the file is then.
fn patched(folder: &Folder, name: &str, id: &str) -> String {
    let mut command = proofmark(&["mutate", name, "--patch", id]);
    let (code, diff, err) = outcome(command.current_dir(&folder.0));
    assert_eq!((code, err.as_str()), (Some(0), ""), "{id}");
    let path = folder.0.join(name);
    let text = fs::read_to_string(&path).expect("a model");
    let wanted = apply(&diff, &text);
    if has_patch() {
        folder.file("mutant.diff", &diff);
        let mut patch = Command::new("patch");
        patch.args(["-p0", "-i", "mutant.diff"]);
        let (code, out, err) = outcome(patch.current_dir(&folder.0));
        assert_eq!(code, Some(0), "{id}\n{diff}\n{out}{err}");
        let found = fs::read_to_string(&path).expect("a model");
        assert_eq!(found, wanted);
        fs::write(&path, text).expect("a file can be written");
    }
    wanted
}

#[test]
fn patches_apply_and_are_the_change_that_is_listed() {
    let folder = Folder::new("patch");
    folder.file("calls.lus", CALLS);
    let found = patched(&folder, "calls.lus", "main/sub.c#minus2plus#1");
    assert_eq!(found, CALLS.replace("a - b", "a + b"));
    let found = patched(&folder, "calls.lus", "main/d#pre_add#1");
    let wanted = CALLS.replace(
        "let\n  d = sub(a, 3);",
        "var sub_value: int;\nlet\n  sub_value = sub(a, 3);\n  d = sub_value -> pre sub_value;",
    );
    assert_eq!(found, wanted);

    // Names with spaces, lines that end as on Windows, a last line without an end, a folder above.
    folder.file("two words.lus", CALLS.trim_end());
    let found = patched(&folder, "two words.lus", "main/assert#or2left#1");
    assert_eq!(found, CALLS.trim_end().replace("a > 0 or k", "a > 0"));
    let windows = CALLS.replace('\n', "\r\n");
    folder.file("windows.lus", &windows);
    let found = patched(&folder, "windows.lus", "main/clock#stuck_true#1");
    assert_eq!(found, windows.replace("condact(k", "condact(true"));
    for name in [
        folder.at("calls.lus"),
        format!(
            "../{}/calls.lus",
            folder.0.file_name().expect("a name").display()
        ),
    ] {
        patched(&folder, &name, "main/sub.c#minus2plus#1");
    }
}

/// Mutants of each kind of an example that is as large as real ones, by the program itself.
#[test]
fn every_tenth_mutant_of_an_example_is_a_patch_that_loads() {
    let folder = Folder::new("patch-many");
    let text = fs::read_to_string(root().join("examples/pump.lus")).expect("an example");
    let model = folder.file("pump.lus", &text);
    let listed = document(&["mutate", "--list", "--mutators", "all", &model]);
    for mutant in mutants(&listed).iter().step_by(10) {
        let id = mutant["id"].as_str().expect("a text");
        let mutated = patched(&folder, "pump.lus", id);
        assert_ne!(mutated, text, "{id}");
        let path = folder.file("mutant.lus", &mutated);
        let (code, _, err) = run(&["mutate", "--list", &path]);
        assert_eq!(code, Some(0), "{id}\n{err}");
    }
}

#[test]
fn an_id_that_no_mutant_has_is_an_error_with_a_hint() {
    let folder = Folder::new("no-patch");
    let model = folder.file("calls.lus", CALLS);
    for (id, hint) in [
        ("main/d#pre_ad#1", "did you mean `main/d#pre_add#1`?"),
        ("main/d", "`main/d#*` has 2 mutants, such as `main/d#"),
        ("main/d#pre_add#9", "did you mean `main/d#pre_add#1`?"),
        ("zebra", "`proofmark mutate --list` tells the ids"),
    ] {
        let (code, out, err) = run(&["mutate", "--patch", id, &model]);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{id}");
        let told = format!("--patch: the model has no mutant `{id}`; ");
        assert!(err.contains(&told) && err.contains(hint), "{err}");
    }
}
