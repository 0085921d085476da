//! `proofmark.toml`, `init` and `diff` as people and CI see them.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder with a model and a configuration; it goes when the test ends.
struct Project(PathBuf);

static SERIAL: AtomicUsize = AtomicUsize::new(0);

/// Two faults that nobody notices, and some that the property does.
const TANK: &str = "\
node tank(fill: bool) returns (level: int; alarm: bool);
let
  level = 0 -> if fill and pre level < 5 then pre level + 1 else pre level;
  alarm = level > 3;
  --%PROPERTY \"bounded\" level <= 5 and level >= 0;
tel
";

impl Project {
    fn new(config: &str) -> Project {
        let number = SERIAL.fetch_add(1, Ordering::Relaxed);
        let name = format!("proofmark-config-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(folder.join("models")).expect("a folder can be made");
        let project = Project(folder);
        project.write("models/tank.lus", TANK);
        if !config.is_empty() {
            project.write("proofmark.toml", config);
        }
        project
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).expect("a file can be written");
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(arguments)
            .current_dir(&self.0)
            .env_remove("COLUMNS")
            .env_remove("GITHUB_ACTIONS")
            .output()
            .expect("the binary starts");
        let text = |bytes| String::from_utf8(bytes).expect("it writes UTF-8");
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    /// What a command on the model prints with --json.
    fn document(&self, command: &str, arguments: &[&str]) -> Value {
        let words = [&[command, "models/tank.lus", "--json"], arguments].concat();
        let (code, out, err) = self.run(&words);
        serde_json::from_str(&out).unwrap_or_else(|_| panic!("{code:?}\n{out}\n{err}"))
    }

    /// The ids of the gaps.
    fn gaps(&self) -> Vec<String> {
        let document = self.document("mutate", &["--no-config"]);
        let mutants = document["mutants"].as_array().expect("a list").iter();
        let gaps = mutants.filter(|one| one["verdict"] == "gap");
        let ids: Vec<String> = gaps.map(|one| one["id"].as_str().unwrap().into()).collect();
        assert!(ids.len() > 1, "{ids:?}");
        ids
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const MUTATE: [&str; 2] = ["mutate", "models/tank.lus"];

#[test]
fn options_come_from_the_file_above_the_model_and_the_command_line_wins() {
    let project = Project::new("timeout = 41\njobs = 1\n[ivc]\nminimal = true\ntimeout = 42\n");
    let options =
        |command: &str, arguments: &[&str]| project.document(command, arguments)["options"].clone();
    assert_eq!(options("check", &[])["timeout"], 41.0);
    assert_eq!(options("check", &[])["jobs"], 1);
    assert_eq!(options("ivc", &[])["timeout"], 42.0);
    assert_eq!(options("ivc", &[])["minimal"], true);
    assert_eq!(options("ivc", &["--timeout", "43"])["timeout"], 43.0);
    assert_eq!(options("ivc", &["--no-config"])["minimal"], false);
    project.write("other.toml", "timeout = 7\n");
    let other = options("check", &["--config", "other.toml"]);
    assert_eq!(
        (&other["timeout"], &other["jobs"]),
        (&7.0.into(), &2.into())
    );
}

#[test]
fn lists_and_globs_of_files_are_understood() {
    let project = Project::new(
        "engines = [\"bmc\", \"k-induction\"]\n\
         [[file]]\nmatch = \"models/t*.lus\"\ntimeout = 5\n[file.ivc]\nmust = true\n\
         [[file]]\nmatch = \"other/*\"\ntimeout = 6\n",
    );
    let options = &project.document("ivc", &[])["options"];
    assert_eq!(
        options["engines"],
        serde_json::json!(["bmc", "k-induction"])
    );
    assert_eq!(options["timeout"], 5.0);
    assert_eq!(options["must"], true);
    assert_eq!(project.document("check", &[])["options"]["timeout"], 5.0);
}

#[test]
fn what_is_wrong_has_its_place_and_a_hint() {
    let cases = [
        (
            "\ntimout = 3\n",
            "proofmark.toml:2:1",
            "did you mean `timeout`?",
        ),
        (
            "[chek]\nsmooth = true\n",
            "proofmark.toml:1:2",
            "did you mean `check`?",
        ),
        (
            "[check]\nminimal = true\n",
            "proofmark.toml:2:1",
            "no option is named `minimal`",
        ),
        (
            "timeout = \"soon\"\n",
            "proofmark.toml:1:1",
            "expected a number of seconds",
        ),
        (
            "timeout = true\n",
            "proofmark.toml:1:1",
            "expected a text, a number",
        ),
        (
            "[check]\nsmooth = 3\n",
            "proofmark.toml:2:1",
            "expected true or false",
        ),
        (
            "timeout = 1979-05-27\n",
            "proofmark.toml:1:11",
            "expected a text, a number",
        ),
        ("jobs = \n", "proofmark.toml:1:", "toml.io"),
        ("[[file]]\njobs = 1\n", "proofmark.toml:1:", "which models"),
        (
            "config = \"x\"\n",
            "proofmark.toml:1:1",
            "no option is named `config`",
        ),
        (
            "[[suppress]]\nmutant = \"a#b#1\"\n",
            "proofmark.toml:2:10",
            "has no reason",
        ),
        (
            "[[suppress]]\nmutant = \"a#b#1\"\nreason = \" \"\n",
            "proofmark.toml:2:10",
            "reason",
        ),
        (
            "[[suppress]]\nreason = \"x\"\n",
            "proofmark.toml:1:",
            "which mutant",
        ),
        (
            "[[suppress]]\nmutat = \"x\"\n",
            "proofmark.toml:2:1",
            "did you mean `mutant`?",
        ),
    ];
    for (config, place, hint) in cases {
        let project = Project::new(config);
        let (code, out, err) = project.run(&["check", "models/tank.lus"]);
        assert_eq!(code, Some(2), "{config}{out}{err}");
        assert!(err.contains(place), "{config}{err}");
        assert!(err.contains(hint), "{config}{err}");
    }
}

#[test]
fn settings_that_do_not_go_with_the_command_line_are_told() {
    let project = Project::new("[ivc]\nall = true\n");
    let (code, _, err) = project.run(&["ivc", "models/tank.lus", "--smallest"]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("proofmark.toml:2:1"), "{err}");
    assert!(err.contains("--no-config"), "{err}");
    let (code, _, err) = project.run(&["check", "models/tank.lus", "--config", "none.toml"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("none.toml"), "{err}");
}

#[test]
fn a_score_below_the_threshold_fails_the_run_and_one_above_does_not() {
    let project = Project::new("[mutate]\nmin-score = 0.99\n");
    let (code, _, err) = project.run(&MUTATE);
    assert_eq!(code, Some(10));
    assert!(err.contains("below the 99.0 % of --min-score"), "{err}");
    // There are gaps, and that is fine as far as the threshold goes.
    let (code, _, err) = project.run(&[&MUTATE[..], &["--min-score", "0.1"]].concat());
    assert_eq!(code, Some(0), "{err}");
    let (code, _, err) = project.run(&[&MUTATE[..], &["--min-score", "90"]].concat());
    assert_eq!(code, Some(1), "{err}");
}

#[test]
fn a_campaign_in_parts_meets_the_threshold_when_it_is_merged() {
    let project = Project::new("min-score = 0.99\n");
    let mut parts = Vec::new();
    for part in ["1/2", "2/2"] {
        let document = project.document("mutate", &["--shard", part]);
        let (code, _, err) = project.run(&[&MUTATE[..], &["--shard", part]].concat());
        assert!(!err.contains("--min-score"), "{code:?} {err}");
        let name = format!("{}.json", part.replace('/', "-"));
        project.write(&name, &document.to_string());
        parts.push(name);
    }
    let merge = ["merge", &parts[0], &parts[1]];
    let (code, _, err) = project.run(&merge);
    assert_eq!(code, Some(10), "{err}");
    assert!(err.contains("below the 99.0 % of --min-score"), "{err}");
    let more = ["--min-score=0.1", "--stryker", "stryker.json"];
    let (code, _, err) = project.run(&[&merge[..], &more].concat());
    assert_eq!(code, Some(0), "{err}");
    let written = fs::read_to_string(project.0.join("stryker.json")).unwrap();
    let report: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(report["files"]["models/tank.lus"]["source"], TANK);
    // The text that was mutated is not there any more.
    project.write("models/tank.lus", "-- another\n");
    let (_, _, err) = project.run(&[&merge[..], &more].concat());
    assert!(err.contains("has changed since it was mutated"), "{err}");
}

#[test]
fn suppressed_mutants_are_told_and_are_no_gaps() {
    let project = Project::new("");
    let gaps = project.gaps();
    let mut config = String::new();
    for id in &gaps {
        config.push_str(&format!(
            "[[suppress]]\nmutant = \"{id}\"\nreason = \"for display\"\nfile = \"*tank.lus\"\n"
        ));
    }
    project.write("proofmark.toml", &config);
    let (code, out, err) = project.run(&[&MUTATE[..], &["-v"]].concat());
    assert_eq!(code, Some(0), "{out}{err}");
    assert_eq!(out.matches("SUPPRESSED GAP").count(), gaps.len(), "{out}");
    assert!(out.contains(&format!(
        "0 gaps, 0 unknown; 0 equivalent, {} suppressed left out",
        gaps.len()
    )));
    let document = project.document("mutate", &[]);
    assert_eq!(document["score"]["suppressed"], gaps.len());
    assert_eq!(document["score"]["low"], 1.0);
    assert_eq!(document["outcome"], "holds");
    // Each of them still is what it is.
    let mutants = document["mutants"].as_array().unwrap().iter();
    let marked =
        mutants.filter(|one| one["verdict"] == "gap" && one["suppressed"] == "for display");
    assert_eq!(marked.count(), gaps.len());
}

#[test]
fn an_orphaned_suppression_is_an_error_with_a_hint() {
    let project = Project::new("");
    let id = project.gaps()[0].clone();
    let suppress = |id: &str| format!("[[suppress]]\nmutant = \"{id}\"\nreason = \"so\"\n");
    project.write("proofmark.toml", &suppress(&format!("{id}1")));
    let (code, _, err) = project.run(&MUTATE);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("proofmark.toml:2:10"), "{err}");
    assert!(
        err.contains("the model has no mutant") && err.contains("did you mean"),
        "{err}"
    );
    // What this run leaves out is a mutant all the same, and so is what another file has.
    let elsewhere = format!("{}file = \"other.lus\"\n", suppress("other/x#y#1"));
    project.write("proofmark.toml", &format!("{}{elsewhere}", suppress(&id)));
    let (code, _, err) = project.run(&[&MUTATE[..], &["--mutators", "or2xor"]].concat());
    assert_ne!(code, Some(2), "{err}");
}

#[test]
fn a_suppression_that_is_not_needed_any_more_is_told() {
    let project = Project::new("");
    let document = project.document("mutate", &[]);
    let mut mutants = document["mutants"].as_array().unwrap().iter();
    let killed = mutants.find(|one| one["verdict"] == "killed").unwrap();
    let id = killed["id"].as_str().unwrap();
    let config = format!("[[suppress]]\nmutant = \"{id}\"\nreason = \"once\"\n");
    project.write("proofmark.toml", &config);
    let (_, _, err) = project.run(&MUTATE);
    assert!(
        err.contains("is killed, and need not be suppressed"),
        "{err}"
    );
}

#[test]
fn init_writes_a_file_whose_every_setting_is_right() {
    let project = Project::new("");
    let (code, out, _) = project.run(&["init"]);
    assert_eq!((code, out.as_str()), (Some(0), "wrote ./proofmark.toml\n"));
    let path = project.0.join("proofmark.toml");
    let written = fs::read_to_string(&path).unwrap();
    let (code, _, err) = project.run(&["check", "models/tank.lus"]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(project.run(&["init"]).0, Some(1));
    // With everything that looks like a setting made one.
    let is_setting = |line: &str| {
        let word = line.split([' ', '=']).next().unwrap_or("");
        let assigned = line[word.len()..].trim_start().starts_with('=');
        line.starts_with('[') || (assigned && !word.is_empty())
    };
    let lines = written.lines().map(|line| match line.strip_prefix("# ") {
        Some(rest) if is_setting(rest) => rest,
        _ => line,
    });
    let all = lines.collect::<Vec<_>>().join("\n");
    let settings = all.lines().filter(|line| is_setting(line)).count();
    assert!(settings > 15, "{all}");
    fs::write(&path, &all).unwrap();
    for command in ["check", "ivc"] {
        let (code, _, err) = project.run(&[command, "models/tank.lus"]);
        assert_eq!(code, Some(0), "{err}");
    }
    assert!(Path::new(&project.0).join("proofs.xml").exists());
    assert_eq!(project.run(&["init", "--force"]).0, Some(0));
    assert_eq!(fs::read_to_string(path).unwrap(), written);
}

#[test]
fn diff_tells_what_is_covered_no_more_and_fails() {
    let project = Project::new("");
    let write = |name: &str, command: &str| {
        let document = project.document(command, &[]);
        project.write(name, &document.to_string());
    };
    write("old.json", "mutate");
    write("old-ivc.json", "ivc");
    let (code, out, _) = project.run(&["diff", "old.json", "old.json"]);
    assert_eq!(code, Some(0));
    assert_eq!(out, "0 regressions, 0 improvements, 0 other changes\n");
    // The lower bound does not matter any more.
    let weaker = TANK.replace("level <= 5 and level >= 0", "level >= 0");
    project.write("models/tank.lus", &weaker);
    write("new.json", "mutate");
    write("new-ivc.json", "ivc");
    let (code, out, err) = project.run(&["diff", "old.json", "new.json"]);
    assert_eq!(code, Some(10), "{out}{err}");
    assert!(out.contains("WORSE   mutant tank/level#"), "{out}");
    assert!(out.contains("killed -> gap"), "{out}");
    assert!(out.contains("WORSE   score: "), "{out}");
    let (code, out, _) = project.run(&["diff", "new.json", "old.json", "--json"]);
    assert_eq!(code, Some(0));
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["schema"], "proofmark-diff/1");
    assert_eq!(document["regressions"], 0);
    assert!(document["improvements"].as_u64() > Some(1), "{out}");
    let (code, _, err) = project.run(&["diff", "old.json", "new-ivc.json"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("the same command"), "{err}");
    let (code, _, err) = project.run(&["diff", "old.json", "models/tank.lus"]);
    assert_eq!(code, Some(2));
    assert!(
        err.contains("is not what check, ivc, mutate or cover print"),
        "{err}"
    );
}
