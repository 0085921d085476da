//! Several models and folders on one command line: one summary, one report, the worst exit code.

mod common;

use common::{Folder, outcome, proofmark};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// Every fault that is put into it is noticed or equivalent, but for those of `alarm`.
const TANK: &str = "\
node tank(fill: bool) returns (level: int; alarm: bool);
let
  level = 0 -> if fill and pre level < 5 then pre level + 1 else pre level;
  alarm = level > 3;
  --%PROPERTY \"bounded\" level <= 5 and level >= 0;
tel
";

/// Its property has the name of the tank's, and is false.
const LAMP: &str = "\
node lamp(press: bool) returns (on: bool);
let
  on = press -> if press then not pre on else pre on;
  --%PROPERTY \"bounded\" not on;
tel
";

/// A latch that is false, and becomes false again.
const CIRCUIT: &str = "aag 1 0 1 0 0 1\n2 2\n2\n";

/// A folder with a tank, and a lamp in a folder below it, and notes.
fn project() -> Folder {
    let folder = Folder::new("files");
    fs::create_dir_all(folder.at("models/below/.hidden")).expect("folders can be made");
    folder.file("models/tank.lus", TANK);
    folder.file("models/below/lamp.lus", LAMP);
    folder.file("models/below/notes.txt", "no model");
    folder.file("models/below/.hidden/old.lus", "no model either");
    folder
}

fn run(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String, String) {
    outcome(proofmark(arguments).current_dir(&folder.0))
}

fn document(folder: &Folder, arguments: &[&str]) -> Value {
    let (code, out, err) = run(folder, &[arguments, &["--json"]].concat());
    let document = serde_json::from_str(&out);
    let document = document.unwrap_or_else(|_| panic!("{code:?}\n{out}\n{err}"));
    let schema = serde_json::from_str(&common::run(&["schema"]).1).expect("it is JSON");
    let validator = jsonschema::validator_for(&schema).expect("it is a schema");
    let faults: Vec<String> = validator
        .iter_errors(&document)
        .map(|error| error.to_string())
        .collect();
    assert!(faults.is_empty(), "{arguments:?}: {faults:?}");
    document
}

/// The values of a field in a list of a document.
fn all<'d>(document: &'d Value, list: &str, field: &str) -> Vec<&'d str> {
    let list = document[list].as_array().expect("it is a list");
    let texts = list.iter().map(|one| one[field].as_str());
    texts.map(|text| text.expect("it is text")).collect()
}

#[test]
fn a_folder_is_the_models_below_it_in_the_order_of_their_paths() {
    let folder = project();
    let (code, out, err) = run(&folder, &["check", "models"]);
    assert_eq!(code, Some(10), "{out}\n{err}");
    let heads: Vec<&str> = out.lines().filter(|line| line.ends_with(".lus:")).collect();
    assert_eq!(heads, ["models/below/lamp.lus:", "models/tank.lus:"]);
    let last = out.lines().last().expect("there is a summary");
    assert!(
        last.starts_with("2 models: 1 valid, 1 invalid in "),
        "{out}"
    );
    // The same when each is named, in the order of the names, and none twice.
    let named = ["models/tank.lus", "models", "./models/tank.lus"];
    let document = document(&folder, &[&["check"], &named[..]].concat());
    let files = ["models/tank.lus", "models/below/lamp.lus"];
    assert_eq!(all(&document, "inputs", "file"), files);
    let properties = ["models/tank.lus:bounded", "models/below/lamp.lus:bounded"];
    assert_eq!(all(&document, "properties", "name"), properties);
    assert_eq!(document["outcome"], "found");
    let violated = &document["properties"][1]["trace"]["violates"];
    assert!(violated.get("models/below/lamp.lus:bounded").is_some());
}

#[test]
fn a_folder_without_models_is_wrong_usage_and_standard_input_stands_alone() {
    let folder = project();
    fs::create_dir(folder.at("empty")).expect("a folder can be made");
    let (code, out, err) = run(&folder, &["check", "empty", "models"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("empty has no models in it"), "{err}");
    assert!(
        err.contains(".lus, .lustre") && err.contains(".btor2"),
        "{err}"
    );
    let (code, _, err) = run(&folder, &["check", "-", "models/tank.lus"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("standard input is one model"), "{err}");
}

#[test]
fn one_file_is_told_as_ever_and_a_folder_of_one_as_several() {
    let folder = project();
    let (code, alone, _) = run(&folder, &["check", "models/tank.lus"]);
    assert_eq!(code, Some(0));
    assert!(alone.starts_with("VALID    bounded "), "{alone}");
    assert!(!alone.contains("models"), "{alone}");
    let one = document(&folder, &["check", "models/tank.lus"]);
    assert_eq!(all(&one, "properties", "name"), ["bounded"]);
    let below = document(&folder, &["check", "models/below"]);
    let name = "models/below/lamp.lus:bounded";
    assert_eq!(all(&below, "properties", "name"), [name]);
}

#[test]
fn a_model_with_errors_is_told_and_the_others_go_on() {
    let folder = project();
    folder.file("models/broken.lus", "node broken(\n");
    let (code, out, err) = run(&folder, &["check", "models", "models/gone.lus"]);
    // Found is 10, and an input that is wrong is worse.
    assert_eq!(code, Some(2), "{out}\n{err}");
    assert!(err.contains("models/broken.lus:1:13"), "{err}");
    assert!(err.contains("cannot read models/gone.lus"), "{err}");
    assert!(out.contains("VALID    bounded"), "{out}");
    let summary = "4 models, 2 of them not looked at: 1 valid, 1 invalid in ";
    assert!(out.contains(summary), "{out}");
    let failed = ["models/broken.lus", "models/gone.lus"];
    let document = document(&folder, &["check", "models", "models/gone.lus"]);
    assert_eq!(document["failed"], serde_json::json!(failed));
    // Nothing is left when none is a model.
    let (code, out, _) = run(
        &folder,
        &["check", "models/gone.lus", "models/lost.lus", "--json"],
    );
    assert_eq!((code, out.as_str()), (Some(2), ""));
}

#[test]
fn the_exit_code_is_the_worst_of_the_models() {
    let folder = project();
    folder.file(
        "empty.lus",
        "node m(x: int) returns (y: int); let y = x; tel;\n",
    );
    let code = |files: &[&str]| run(&folder, &[&["check", "-q"], files].concat()).0;
    assert_eq!(code(&["models/tank.lus", "models/tank.lus"]), Some(0));
    assert_eq!(code(&["models/tank.lus", "empty.lus"]), Some(5));
    let all = ["models/below/lamp.lus", "models/tank.lus", "empty.lus"];
    assert_eq!(code(&all), Some(10));
    // The extension of a file that is named must tell a language.
    let notes = "models/below/notes.txt";
    assert_eq!(code(&["models/tank.lus", notes, "gone.lus"]), Some(1));
}

#[test]
fn netlists_stand_beside_models_of_equations() {
    let folder = project();
    folder.file("models/latch.aag", CIRCUIT);
    let document = document(&folder, &["check", "models", "--html", "page.html"]);
    let files = [
        "models/below/lamp.lus",
        "models/latch.aag",
        "models/tank.lus",
    ];
    assert_eq!(all(&document, "inputs", "file"), files);
    assert_eq!(
        all(&document, "properties", "verdict"),
        ["invalid", "valid", "valid"]
    );
    // Netlists have engines of their own.
    assert!(document["options"]["engines"]["models/latch.aag"].is_array());
    let page = fs::read_to_string(folder.at("page.html")).expect("there is a page");
    for text in ["node tank", "node lamp", "aag 1 0 1 0 0 1"] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn cores_and_roles_refer_to_each_other_by_whole_names() {
    let folder = project();
    folder.file("models/second.lus", TANK);
    for joint in [&[][..], &["--joint"]] {
        let words = [&["ivc", "models/tank.lus", "models/second.lus"], joint].concat();
        let document = document(&folder, &words);
        let elements = all(&document, "elements", "id");
        let ids: BTreeSet<&str> = elements.iter().copied().collect();
        assert_eq!(ids.len(), elements.len());
        let cores = document["cores"].as_array().expect("there are cores");
        assert_eq!(cores.len(), 2);
        for core in cores {
            let key = core["property"].as_str().or(core["property"][0].as_str());
            let key = key.expect("it has a name");
            for id in core["elements"].as_array().expect("it has elements") {
                let at = elements.iter().position(|one| Some(*one) == id.as_str());
                let element = &document["elements"][at.expect("the element is listed")];
                assert!(element["role"].get(key).is_some(), "{key}: {element}");
            }
        }
    }
}

#[test]
fn mutants_of_all_models_have_one_score() {
    let folder = project();
    folder.file("models/second.lus", TANK);
    let two = ["mutate", "models/tank.lus", "models/second.lus"];
    let one = document(&folder, &two[..2]);
    let both = document(&folder, &two);
    let total = |document: &Value| document["score"]["total"].as_u64().expect("a number");
    assert_eq!(total(&both), 2 * total(&one));
    let ids: BTreeSet<&str> = all(&both, "mutants", "id").into_iter().collect();
    assert_eq!(ids.len(), both["mutants"].as_array().map_or(0, Vec::len));
    let mutants = both["mutants"].as_array().expect("there are mutants");
    let killers = mutants.iter().filter_map(|one| one["killed_by"].as_array());
    let killers: BTreeSet<&str> = killers.flatten().filter_map(Value::as_str).collect();
    let names = ["models/second.lus:bounded", "models/tank.lus:bounded"];
    assert_eq!(Vec::from_iter(killers), names);
    let (code, out, _) = run(&folder, &[&two[..], &["-q"]].concat());
    assert_eq!(code, Some(10));
    let last = out.lines().last().expect("there is a summary");
    assert!(last.starts_with("2 models: score "), "{out}");
    // The threshold is for all together: no single gap fails the run.
    let least = |share| run(&folder, &[&two[..], &["-q", "--min-score", share]].concat()).0;
    assert_eq!((least("0.1"), least("0.99")), (Some(0), Some(10)));
}

#[test]
fn two_runs_on_several_models_can_be_compared() {
    let folder = project();
    let words = [
        "mutate",
        "models/tank.lus",
        "models/below/lamp.lus",
        "--json",
    ];
    folder.file("old.json", &run(&folder, &words).1);
    folder.file("models/tank.lus", &TANK.replace(" and level >= 0", ""));
    folder.file("new.json", &run(&folder, &words).1);
    let (code, out, err) = run(&folder, &["diff", "old.json", "new.json"]);
    assert_eq!(code, Some(10), "{out}\n{err}");
    assert!(out.contains("models/tank.lus:tank/level#"), "{out}");
    let (code, ..) = run(&folder, &["diff", "old.json", "old.json"]);
    assert_eq!(code, Some(0));
}

#[test]
fn reports_for_other_tools_have_all_models() {
    let folder = project();
    folder.file("models/broken.lus", "node broken(\n");
    let words = [
        "mutate", "models", "-q", "--junit", "j.xml", "--sarif", "s.json",
    ];
    let (code, ..) = run(&folder, &[&words[..], &["--stryker", "m.json"]].concat());
    assert_eq!(code, Some(2));
    let read = |name: &str| fs::read_to_string(folder.at(name)).expect("it was written");
    let junit = read("j.xml");
    for suite in [
        "tank.lus: properties",
        "tank.lus: mutation",
        "below/lamp.lus: properties",
    ] {
        assert!(
            junit.contains(&format!("name=\"models/{suite}\"")),
            "{junit}"
        );
    }
    assert!(
        junit.contains("name=\"models/broken.lus: model\""),
        "{junit}"
    );
    let sarif: Value = serde_json::from_str(&read("s.json")).expect("it is JSON");
    let artifacts = sarif["runs"][0]["artifacts"].as_array().map_or(0, Vec::len);
    assert_eq!(artifacts, 2);
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    let place = |one: &Value| {
        let place = &one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        place.as_str().map(str::to_string)
    };
    let places: BTreeSet<String> = results.iter().filter_map(place).collect();
    assert_eq!(
        Vec::from_iter(places),
        ["models/below/lamp.lus", "models/tank.lus"]
    );
    let stryker: Value = serde_json::from_str(&read("m.json")).expect("it is JSON");
    let mutants = stryker["files"]["models/tank.lus"]["mutants"].as_array();
    assert!(mutants.is_some_and(|mutants| !mutants.is_empty()));
}

#[test]
fn each_model_has_its_own_settings_and_suppressions() {
    let folder = project();
    folder.file("models/second.lus", TANK);
    let id = "tank/alarm#g2ge#1";
    let config = format!(
        "[[file]]\nmatch = \"models/tank.lus\"\nmutators = \"jkind\"\n\n\
         [[suppress]]\nmutant = \"{id}\"\nfile = \"models/second.lus\"\nreason = \"for display\"\n"
    );
    folder.file("proofmark.toml", &config);
    let document = document(&folder, &["mutate", "models/tank.lus", "models/second.lus"]);
    let mutators = &document["options"]["mutators"];
    assert_eq!(mutators["models/tank.lus"], "jkind");
    assert_eq!(mutators["models/second.lus"], "default");
    let mutants = document["mutants"].as_array().expect("there are mutants");
    let suppressed = mutants.iter().filter(|one| one.get("suppressed").is_some());
    let suppressed: Vec<&str> = suppressed.filter_map(|one| one["id"].as_str()).collect();
    assert_eq!(suppressed, [format!("models/second.lus:{id}")]);
}

#[test]
fn what_is_one_for_the_run_is_not_set_for_one_model() {
    let folder = project();
    let config = "[[file]]\nmatch = \"models/tank.lus\"\naccept = \"unknown\"\n";
    folder.file("proofmark.toml", config);
    let (code, _, err) = run(&folder, &["check", "models"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("--accept is one for all models"), "{err}");
    let typed = ["check", "models", "--accept", "unknown"];
    assert_eq!(run(&folder, &typed).0, Some(10));
}

#[test]
fn options_about_one_model_are_refused() {
    let folder = project();
    let refused = [
        ["check", "--certificate", "proofs"],
        ["check", "--save-proof", "proof"],
        ["mutate", "--run-dir", "run"],
        ["mutate", "--shard", "1/2"],
        ["mutate", "--in-diff", "change.diff"],
        ["mutate", "--patch", "tank/alarm#g2ge#1"],
    ];
    for [command, option, value] in refused {
        let (code, out, err) = run(&folder, &[command, "models", option, value]);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{option}");
        let message = format!("{option} is for one model, and several are named");
        assert!(err.contains(&message), "{err}");
        assert!(!folder.0.join(value).exists(), "{option}");
    }
}

#[test]
fn mutants_of_several_models_are_listed() {
    let folder = project();
    let words = ["mutate", "models", "--list", "--mutators", "jkind"];
    let (code, out, _) = run(&folder, &words);
    assert_eq!(code, Some(0));
    let listed = out.lines().filter(|line| line.contains('#')).count();
    assert!(
        out.ends_with(&format!("\n2 models: {listed} mutants\n")),
        "{out}"
    );
    let document = document(&folder, &words);
    assert_eq!(document["mutants"].as_array().map(Vec::len), Some(listed));
    assert!(document.get("score").is_none());
}
