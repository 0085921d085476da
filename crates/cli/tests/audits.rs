//! The auditor that is named is the one that audits: solvers that lie or are silent stand in for z3.
#![cfg(unix)]

mod common;

use common::{Folder, outcome, proofmark};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt as _;

/// Every number in it but 0 and 1 is 41, so that a solver can tell a mutant of that number.
const MODEL: &str = "\
node main(up: bool) returns (level: int; ok: bool);
var count: int;
let
  count = 0 -> pre count + (if up then 1 else 0);
  level = count + 41;
  ok = level >= 0;
  --%PROPERTY ok;
tel;
";

/// Mutants of the line with the number: four that survive, and one that is killed.
const MUTATE: [&str; 8] = [
    "--line",
    "5",
    "--mutators",
    "const,const_plus,const_minus,const_zero,plus2minus",
    "--no-suggest",
    "--audit-solver",
    "z3",
    "--json",
];

/// A folder with the model, and with a program called z3 that runs these commands at each question.
struct Stage {
    folder: Folder,
    model: String,
}

impl Stage {
    /// `$seen` holds what the solver was told so far.
    fn new(name: &str, answer: &str) -> Stage {
        let folder = Folder::new(name);
        let model = folder.file("model.lus", MODEL);
        let script = format!(
            "#!/bin/sh\nseen=\nwhile read -r line; do\n  seen=\"$seen $line\"\n  \
             case \"$line\" in\n    *get-info*) echo '(:version \"of the test\")' ;;\n    \
             *check-sat*) {answer} ;;\n  esac\ndone\n"
        );
        let program = folder.file("z3", &script);
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(program, executable).expect("it can be made a program");
        Stage { folder, model }
    }

    fn run(&self, command: &str, arguments: &[&str]) -> (Option<i32>, Value, String) {
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", self.folder.0.display());
        let arguments = [&[command, &self.model], arguments].concat();
        let (code, out, error) = outcome(proofmark(&arguments).env("PATH", path));
        let document = serde_json::from_str(&out).unwrap_or(Value::Null);
        (code, document, error)
    }

    fn check(&self, arguments: &[&str]) -> (Option<i32>, Value, String) {
        let audited = ["--audit-solver", "z3", "--json"];
        self.run("check", &[&audited, arguments].concat())
    }

    fn mutate(&self, arguments: &[&str]) -> (Option<i32>, Value, String) {
        self.run("mutate", &[&MUTATE, arguments].concat())
    }
}

/// Answers `unsat` about the original, and something else about mutants of its number.
fn on_mutants(answer: &str) -> String {
    format!("case \"$seen\" in *40*|*42*) {answer} ;; *41*) echo unsat ;; *) {answer} ;; esac")
}

/// The mutants that no run kills.
fn survivors(document: &Value) -> Vec<&Value> {
    let mutants = document["mutants"].as_array().expect("there are mutants");
    let survivors: Vec<&Value> = mutants
        .iter()
        .filter(|one| one["verdict"] != "killed")
        .collect();
    assert_eq!((mutants.len(), survivors.len()), (5, 4), "{document:#}");
    survivors
}

#[test]
fn a_solver_that_says_that_a_proof_is_wrong_ends_a_check() {
    let stage = Stage::new("sat", "echo sat");
    let (code, _, error) = stage.check(&[]);
    assert_eq!(code, Some(6), "{error}");
    assert!(
        error.contains("the audit of the verdict on ok failed"),
        "{error}"
    );
}

#[test]
fn a_solver_that_says_that_the_proof_of_a_mutant_is_wrong_ends_a_campaign() {
    let stage = Stage::new("sat-on-mutants", &on_mutants("echo sat"));
    let (code, _, error) = stage.mutate(&[]);
    assert_eq!(code, Some(6), "{error}");
    assert!(error.contains("an audit failed"), "{error}");
}

#[test]
fn a_solver_that_agrees_is_credited_and_nobody_else() {
    let stage = Stage::new("unsat", "echo unsat");
    let (_, found, _) = stage.mutate(&[]);
    assert_eq!(found["properties"][0]["audit"], "passed");
    for mutant in found["mutants"].as_array().unwrap() {
        let by = match mutant["verdict"].as_str() {
            Some("killed") => "simulator",
            Some("gap") => "z3 of the test, simulator",
            other => panic!("{other:?}: {mutant:#}"),
        };
        assert_eq!(mutant["audit"]["result"], "passed", "{mutant:#}");
        assert_eq!(mutant["audit"]["by"], by, "{mutant:#}");
    }
    let by = found["audit"]["by"].to_string();
    assert!(!by.contains("embedded"), "{by}");
    let differs = "another solver than the one that proves";
    assert_eq!(found["audit"]["differs"], differs);
}

#[test]
fn a_property_without_an_answer_of_the_auditor_is_unknown_unless_that_is_accepted() {
    let stage = Stage::new("unknown", "echo unknown");
    let (code, found, _) = stage.check(&[]);
    let property = &found["properties"][0];
    assert_eq!(code, Some(5), "{found:#}");
    assert_eq!(property["verdict"], "unknown");
    assert_eq!(property["audit"], "none");
    let reason = property["reason"].as_str().unwrap();
    assert!(
        reason.contains("not audited: no answer about the base"),
        "{reason}"
    );

    let (code, found, _) = stage.check(&["--accept", "unaudited"]);
    let property = &found["properties"][0];
    assert_eq!(code, Some(0), "{found:#}");
    assert_eq!(property["verdict"], "valid");
    assert_eq!(property["audit"], "none");
    let reason = property["reason"].as_str().unwrap();
    assert!(reason.starts_with("not audited: no answer"), "{reason}");
}

#[test]
fn a_core_without_an_answer_of_the_auditor_is_inconclusive_unless_that_is_accepted() {
    let stage = Stage::new("unknown-core", "echo unknown");
    let (code, found, _) = stage.run("ivc", &["--audit-solver", "z3", "--json"]);
    assert_eq!(
        (code, &found["cores"]),
        (Some(5), &Value::Null),
        "{found:#}"
    );
    let accepted = ["--audit-solver", "z3", "--json", "--accept", "unaudited"];
    let (code, found, _) = stage.run("ivc", &accepted);
    assert_eq!(code, Some(0), "{found:#}");
    assert_eq!(found["cores"][0]["audit"], "none");
    assert!(found["cores"][0]["unaudited"].is_string(), "{found:#}");
}

/// What a campaign says with an auditor that has nothing to say about mutants.
fn silence(stage: &Stage, arguments: &[&str]) {
    let (code, found, _) = stage.mutate(arguments);
    assert_eq!(code, Some(5), "{found:#}");
    assert_eq!(found["properties"][0]["audit"], "passed");
    assert_eq!(found["score"]["unknown"], 4);
    for mutant in survivors(&found) {
        assert_eq!(mutant["verdict"], "unknown", "{mutant:#}");
        assert_eq!(mutant["audit"]["result"], "none", "{mutant:#}");
        assert_eq!(mutant["audit"]["by"], Value::Null, "{mutant:#}");
        assert!(mutant["audit"]["reason"].is_string(), "{mutant:#}");
        let reason = mutant["reason"].as_str().unwrap();
        assert!(
            reason.starts_with("proved, not audited: no answer"),
            "{reason}"
        );
    }

    let accepted = [arguments, &["--accept", "unaudited"]].concat();
    let (code, found, _) = stage.mutate(&accepted);
    assert_eq!(code, Some(10), "{found:#}");
    assert_eq!(found["score"]["unknown"], 0);
    for mutant in survivors(&found) {
        assert_eq!(mutant["verdict"], "gap", "{mutant:#}");
        assert_eq!(mutant["audit"]["result"], "none", "{mutant:#}");
        let reason = mutant["reason"].as_str().unwrap();
        assert!(reason.starts_with("not audited: no answer"), "{reason}");
    }
    let without = [&accepted[..], &["--no-equivalence"]].concat();
    let (_, found, _) = stage.mutate(&without);
    for mutant in survivors(&found) {
        assert_eq!(mutant["verdict"], "survived", "{mutant:#}");
        assert_eq!(mutant["audit"]["result"], "none", "{mutant:#}");
    }
}

#[test]
fn survivors_of_which_the_auditor_knows_nothing_are_unknown_unless_that_is_accepted() {
    silence(&Stage::new("silent", &on_mutants("echo unknown")), &[]);
}

#[test]
fn survivors_on_which_the_auditor_never_answers_are_unknown_unless_that_is_accepted() {
    let stage = Stage::new("asleep", &on_mutants("exec sleep 20"));
    silence(&stage, &["--audit-time", "0.2"]);
}

#[test]
fn without_an_audit_nobody_is_credited_and_verdicts_stand() {
    let stage = Stage::new("no-audit", "exit");
    let arguments = [&MUTATE[..5], &["--json", "--no-audit"]].concat();
    let (code, found, _) = stage.run("mutate", &arguments);
    assert_eq!(code, Some(10), "{found:#}");
    assert_eq!(found["score"]["unknown"], 0);
    for mutant in found["mutants"].as_array().unwrap() {
        assert_eq!(mutant["audit"]["result"], "none", "{mutant:#}");
        assert_eq!(mutant["audit"]["reason"], "not asked for", "{mutant:#}");
    }
}

/// The verdict and the audit of each mutant.
fn audits(document: &Value) -> Vec<(String, String)> {
    let mutants = document["mutants"].as_array().expect("there are mutants");
    let text = |one: &Value| (one["verdict"].to_string(), one["audit"].to_string());
    mutants.iter().map(text).collect()
}

#[test]
fn a_run_that_goes_on_keeps_who_audited_what_and_merged_parts_are_from_files() {
    let stage = Stage::new("kept", &on_mutants("echo unknown"));
    for accept in [&[] as &[&str], &["--accept", "unaudited"]] {
        let folder = stage.folder.at(&format!("run{}", accept.len()));
        let kept = [accept, &["--run-dir", &folder]].concat();
        let (_, first, _) = stage.mutate(&kept);
        survivors(&first);
        let resumed = [&kept[..], &["--resume"]].concat();
        let (_, second, _) = stage.mutate(&resumed);
        assert_eq!(audits(&first), audits(&second));

        let parts = ["1/2", "2/2"].map(|part| {
            let arguments = [accept, &["--shard", part]].concat();
            let (_, found, _) = stage.mutate(&arguments);
            let name = format!("part{}-{}.json", accept.len(), &part[..1]);
            stage.folder.file(&name, &found.to_string())
        });
        let arguments = ["merge", &parts[0], &parts[1], "--json"];
        let (_, out, error) = outcome(&mut proofmark(&arguments));
        let merged = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{error}"));
        // What the parts decided is a claim of their files now; what they did not stays as it was.
        let mut expected = audits(&first);
        for (verdict, audit) in &mut expected {
            if verdict != "\"unknown\"" {
                *audit = "{\"reason\":\"from a file\",\"result\":\"none\"}".into();
            }
        }
        assert_eq!(expected, audits(&merged));
    }
    // The verdicts of a run depend on what it accepts.
    let folder = stage.folder.at("run0");
    let (code, _, error) =
        stage.mutate(&["--run-dir", &folder, "--resume", "--accept", "unaudited"]);
    assert_eq!(code, Some(1), "{error}");
    assert!(
        error.contains("accept_unaudited was false and is true"),
        "{error}"
    );
}
