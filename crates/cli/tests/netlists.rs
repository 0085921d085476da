//! `mutate` and `ivc` on netlists: gates and registers as elements, faults as hardware people know them.

mod common;

use common::{Folder, document, root, run};
use serde_json::Value;
use std::collections::BTreeMap;

/// A counter of two bits that never is 3, an output that tells that it is 2, and a register that only the other
/// output reads.
const COUNTER: &str = "aag 9 1 3 2 4 1
2
4 10
6 12
8 2
14
8
18
10 5 7
12 4 7
14 5 6
18 4 6
l0 count[0]
l1 count[1]
l2 last
o0 is_two
o1 last_input
b0 is_three
";

fn verdicts(findings: &Value) -> BTreeMap<String, String> {
    let mutants = findings["mutants"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    mutants
        .map(|one| (text(&one["id"]), text(&one["verdict"])))
        .collect()
}

#[test]
fn faults_are_killed_equivalent_or_gaps_with_two_runs() {
    let folder = Folder::new("netlist-mutate");
    let file = folder.file("counter.aag", COUNTER);
    let findings = document(&["mutate", &file]);
    let found = verdicts(&findings);
    assert_eq!(found["last#const0#1"], "gap");
    assert_eq!(found["count[0]#const1#1"], "killed");
    assert_eq!(found["count[0]#const0#1"], "gap");
    let gaps = findings["mutants"].as_array().unwrap().iter();
    for gap in gaps.filter(|one| one["verdict"] == "gap") {
        assert!(!gap["differs"].as_array().unwrap().is_empty(), "{gap}");
        assert!(
            gap["trace"].is_object() && gap["original_trace"].is_object(),
            "{gap}"
        );
        assert_eq!(gap["audit"]["result"], "passed", "{gap}");
    }
    // The property is told by a gate that nothing else reads: that one is no place for a fault.
    assert!(found.keys().all(|id| !id.starts_with("g9#")), "{found:?}");
    let score = &findings["score"];
    assert_eq!(score["total"].as_u64().unwrap() as usize, found.len());
    assert_eq!(run(&["mutate", &file]).0, Some(10));
}

#[test]
fn names_of_yosys_select_faults_and_others_are_refused() {
    let folder = Folder::new("netlist-mutators");
    let file = folder.file("counter.aag", COUNTER);
    let found = verdicts(&document(&["mutate", "--mutators", "inv,cnot0", &file]));
    assert!(
        found
            .keys()
            .all(|id| id.contains("#inv#") || id.contains("#cnot0#"))
    );
    let (code, _, error) = run(&["mutate", "--mutators", "or2xor", &file]);
    assert_eq!(code, Some(1));
    assert!(error.contains("netlists have no fault `or2xor`"), "{error}");
    let (code, _, error) = run(&["mutate", "--patch", "last#inv#1", &file]);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("--patch does not work on netlists"),
        "{error}"
    );
    let (_, out, _) = run(&["mutate", "--list", "--mutant", "last#*", &file]);
    assert_eq!(
        out.lines().filter(|line| line.contains("last#")).count(),
        6,
        "{out}"
    );
}

#[test]
fn without_outputs_survivors_are_not_observed_and_named_registers_are() {
    let token = root().join("examples/token.aag").display().to_string();
    let findings = document(&["mutate", &token]);
    assert!(
        verdicts(&findings)
            .values()
            .any(|one| one == "not-observed")
    );
    let findings = document(&["mutate", "--observe", "first_has_the_token", &token]);
    assert!(
        verdicts(&findings)
            .values()
            .all(|one| one != "not-observed")
    );
    let (code, _, error) = run(&["mutate", "--observe", "first_has_the_tokn", &token]);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("did you mean `first_has_the_token`"),
        "{error}"
    );
}

#[test]
fn a_campaign_on_a_netlist_goes_on_where_it_was_killed() {
    let folder = Folder::new("netlist-resume");
    let file = folder.file("counter.aag", COUNTER);
    let place = folder.at("run");
    let first = document(&["mutate", "--run-dir", &place, &file]);
    let path = folder.0.join("run/journal.jsonl");
    let journal = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = journal.lines().collect();
    // After any line, and in the midst of one.
    for kept in [2, lines.len() / 3, lines.len() / 2, lines.len() - 1] {
        let torn = lines[..kept].join("\n") + "\n" + &lines[kept][..lines[kept].len() / 2];
        std::fs::write(&path, torn).unwrap();
        let again = document(&["mutate", "--run-dir", &place, "--resume", &file]);
        assert_eq!(verdicts(&again), verdicts(&first), "{kept} lines kept");
    }
}

#[test]
fn the_parts_of_a_campaign_on_a_netlist_are_put_together() {
    let folder = Folder::new("netlist-shard");
    let file = folder.file("counter.aag", COUNTER);
    let parts: Vec<String> = (1..=3)
        .map(|part| {
            let (_, out, _) = run(&["mutate", "--json", "--shard", &format!("{part}/3"), &file]);
            folder.file(&format!("part{part}.json"), &out)
        })
        .collect();
    let merged = document(&["merge", &parts[0], &parts[1], &parts[2]]);
    let whole = document(&["mutate", &file]);
    assert_eq!(verdicts(&merged), verdicts(&whole));
    assert_eq!(merged["score"], whole["score"]);
    let page = folder.at("page.html");
    run(&["mutate", "--html", &page, &file]);
    assert!(std::fs::read_to_string(page).unwrap().contains("count[0]"));
}

#[test]
fn cores_of_a_netlist_name_the_registers_that_a_proof_needs() {
    let folder = Folder::new("netlist-ivc");
    let file = folder.file("counter.aag", COUNTER);
    let role = |findings: &Value, id: &str| {
        let elements = findings["elements"].as_array().unwrap().iter();
        let mut own = elements.filter(|one| one["id"] == id);
        own.next().unwrap()["role"]["is_three"]
            .as_str()
            .unwrap()
            .to_string()
    };
    for options in [
        &["--minimal"][..],
        &["--all"],
        &["--must"],
        &["--smallest"],
        &[],
    ] {
        let findings = document(&[&["ivc", &file], options].concat());
        assert_eq!(role(&findings, "last"), "outside", "{options:?}");
        let core = &findings["cores"][0];
        assert_eq!(core["audit"], "passed", "{options:?}");
    }
    let findings = document(&["ivc", "--all", "--gates", &file]);
    assert!(
        findings["cores"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| one["minimal"] == true)
    );
    let (code, out, _) = run(&["ivc", "--minimal", &file]);
    assert_eq!(code, Some(0), "{out}");
    assert_eq!(run(&["ivc", "--joint", &file]).0, Some(1));
}
