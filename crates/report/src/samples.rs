//! Findings for the tests of the writers.

use crate::assumptions::{AssumptionEffect, AssumptionFinding};
use crate::findings::{Findings, MutantFinding};
use serde_json::json;

/// A mutant with this verdict.
pub fn mutant(verdict: &str) -> MutantFinding {
    let finding = json!({
        "id": "m/x#or2xor#1", "mutator": "or2xor", "label": "or2xor", "element": "m/x",
        "origin": { "file": "m.lus", "line": 3, "column": 7, "end_line": 3, "end_column": 13 },
        "at": { "line": 3, "column": 9 }, "original": "a or b", "replacement": "a xor b",
        "verdict": verdict, "decided_by": "full", "killed_by": [], "differs": ["x"], "step": 2,
        "reason": "100% sure:\nno", "queries": 1, "seconds": 0.5,
    });
    serde_json::from_value(finding).expect("it is a mutant")
}

/// An assumption that is needed, and one that nothing needs.
pub fn assumptions() -> Vec<AssumptionFinding> {
    let of = |verdict: &str, element: &str| {
        let mutant = MutantFinding {
            id: format!("{element}#assumption_remove#1"),
            element: element.into(),
            original: "assert a or b;".into(),
            killed_by: match verdict {
                "killed" => vec!["p&q".into()],
                _ => Vec::new(),
            },
            ..mutant(verdict)
        };
        AssumptionFinding::new(mutant, AssumptionEffect::Removed)
    };
    vec![of("killed", "m/assertion"), of("survived", "m/assertion#2")]
}

/// A property with this verdict; an invalid one has a counterexample.
pub fn findings(verdicts: &[&str], mutants: Vec<MutantFinding>) -> Findings {
    let properties = verdicts.iter().map(|verdict| {
        let trace = json!({ "steps": [{ "x<y": "true" }, { "x<y": "false" }], "loop": null,
                            "violates": { "p&q": 1 } });
        json!({
            "name": "p&q",
            "origin": { "file": "a b/m.lus", "line": 6, "column": 2, "end_line": 6, "end_column": 5 },
            "verdict": verdict, "invariants": [], "audit": "passed", "seconds": 0.25,
            "trace": if *verdict == "invalid" { trace } else { json!(null) },
            "step": 1, "reason": if *verdict == "valid" { json!(null) } else { json!("it is so") },
        })
    });
    let findings = json!({
        "schema": "proofmark/1", "command": "check",
        "tool": { "version": "0.1.0", "solver": "embedded" },
        "inputs": [{ "file": "a b/m.lus", "hash": "ab" }], "options": {}, "seconds": 0.5,
        "outcome": "found", "properties": properties.collect::<Vec<_>>(), "elements": [], "cores": [],
    });
    let findings: Findings = serde_json::from_value(findings).expect("these are findings");
    Findings {
        mutants,
        ..findings
    }
}
