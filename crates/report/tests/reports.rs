//! The reports as people and scripts see them, word for word.

use proofmark_model::{
    Definition, Element, Origin, Program, Property, Role, Sort, System, Term, Trace as Run,
    Variable,
};
use proofmark_report::{
    AuditMark, AuditSummary, Detail, Findings, Input, Outcome, PropertyFinding, PropertyKind,
    PropertyVerdict, SCHEMA, Shown, ShownSpan, ShownTrace, Style, Tool, check_lines, check_text,
    ivc_text, mutate_text, vcd, write_json,
};
use std::collections::BTreeMap;

/// `n = 0 -> pre n + 1`, an input that nothing reads and a local variable that nothing reads, with the
/// property `n <> 2`.
fn system() -> System {
    let mut system = System::default();
    let mut declare = |name, sort, role| {
        let variable = Variable::new(name, sort, role, Origin::generated());
        system.declare(variable.clone()).unwrap();
        (variable.current, variable.previous)
    };
    let (n, before) = declare("n", Sort::Int, Role::Local);
    declare("unread", Sort::Bool, Role::Input);
    declare("idle", Sort::Bool, Role::Local);
    let definition = Definition {
        variable: n,
        init: Some(Term::int(0)),
        step: Some(Term::add(&[before, Term::int(1)])),
    };
    let element = Element::define(definition, Origin::generated());
    system.add_element(element).unwrap();
    let property = Property {
        name: "never two".into(),
        term: n.eq(Term::int(2)).not(),
        origin: Origin::generated(),
    };
    system.add_property(property).unwrap();
    system
}

fn trace(shown: Shown) -> ShownTrace {
    let system = system();
    let program = Program::compile(&system).unwrap();
    let mut given = Run::new(Vec::new());
    (0..5).for_each(|_| given.push(Vec::new()).unwrap());
    let (run, _) = program.machine().run(&given);
    ShownTrace::new(&system, &run, (0, 2), shown)
}

fn valid() -> PropertyFinding {
    PropertyFinding {
        name: "Prop1".into(),
        origin: Some(ShownSpan {
            file: "a.lus".into(),
            line: 6,
            column: 11,
            end_line: 6,
            end_column: 13,
        }),
        kind: PropertyKind::Invariant,
        verdict: PropertyVerdict::Valid,
        value: None,
        engine: Some("k-induction".into()),
        k: Some(1),
        invariants: vec!["(<= 0 n)".into()],
        audit: AuditMark::Passed,
        step: None,
        trace: None,
        inductive_counterexample: None,
        check: None,
        bound: None,
        path: None,
        reason: None,
        seconds: 0.002,
    }
}

fn invalid() -> PropertyFinding {
    PropertyFinding {
        name: "never two".into(),
        origin: None,
        verdict: PropertyVerdict::Invalid,
        engine: Some("bmc".into()),
        k: None,
        invariants: Vec::new(),
        step: Some(2),
        trace: Some(trace(Shown::Relevant)),
        seconds: 0.0004,
        ..valid()
    }
}

fn unknown() -> PropertyFinding {
    PropertyFinding {
        name: "Prop3".into(),
        verdict: PropertyVerdict::Unknown,
        engine: None,
        k: None,
        audit: AuditMark::Missing,
        step: Some(12),
        reason: Some("the time is up".into()),
        seconds: 30.02,
        ..valid()
    }
}

fn findings(properties: Vec<PropertyFinding>) -> Findings {
    Findings {
        schema: SCHEMA.into(),
        command: "check".into(),
        tool: Tool {
            version: "0.1.0".into(),
            solver: "embedded".into(),
        },
        inputs: vec![Input {
            file: "a.lus".into(),
            hash: "ab".into(),
        }],
        failed: Vec::new(),
        options: BTreeMap::from([("jobs".into(), 2.into())]),
        seconds: 0.0125,
        outcome: Outcome::Found,
        audit: Some(AuditSummary {
            by: vec!["embedded 0.1.0".into(), "simulator".into()],
            differs: Some("another solver".into()),
            seconds: 0.0011,
        }),
        deadlock: None,
        states: None,
        properties,
        elements: Vec::new(),
        cores: Vec::new(),
        shard: None,
        mutants: Vec::new(),
        assumptions: Vec::new(),
        score: None,
        outputs: Vec::new(),
        worth: None,
        equivalence: None,
        coverage: Vec::new(),
        coverage_summary: Vec::new(),
        coverage_suggestions: Vec::new(),
    }
}

const PLAIN: Style = Style {
    width: 80,
    colour: false,
    quiet: false,
};

#[test]
fn a_verdict_line_is_as_the_contract_says() {
    let lines = check_lines(&[valid()], &PLAIN);
    assert_eq!(lines, ["VALID    Prop1   k-induction k=1   2 ms"]);
}

#[test]
fn verdict_lines_are_aligned_and_counterexamples_follow_theirs() {
    let expected = "\
VALID    Prop1       k-induction k=1      2 ms
INVALID  never two   bmc step=2           0.4 ms

  step           0       1       2
  unread     false   false   false
  n              0       1*      2*
  never two   true    true   false*

UNKNOWN  Prop3       holds for 12 steps   30.0 s   the time is up

1 valid, 1 invalid, 1 unknown in 12 ms; audit passed in 1 ms (embedded 0.1.0, simulator)
";
    let findings = findings(vec![valid(), invalid(), unknown()]);
    assert_eq!(check_text(&findings, &PLAIN), expected);
}

#[test]
fn verdict_lines_are_aligned_whatever_is_analysed() {
    let findings = findings(vec![valid(), unknown()]);
    let lines = check_lines(&findings.properties, &PLAIN).join("\n");
    assert!(lines.contains("VALID    Prop1   k-induction k=1      2 ms\n"));
    assert!(mutate_text(&findings, &PLAIN, Detail::Every).starts_with(&lines));
    assert!(ivc_text(&findings, &PLAIN, Detail::Brief, true).starts_with(&lines));
}

#[test]
fn quiet_is_the_verdict_lines_alone() {
    let style = Style {
        quiet: true,
        ..PLAIN
    };
    let text = check_text(&findings(vec![valid(), invalid()]), &style);
    assert_eq!(text.lines().count(), 2);
    assert!(text.lines().all(|line| line.contains("VALID")));
}

#[test]
fn inputs_are_shown_always_and_first_and_all_variables_when_asked_for() {
    let names = |shown| -> Vec<String> {
        let rows = trace(shown).rows.into_iter();
        rows.map(|row| row.name).collect()
    };
    assert_eq!(names(Shown::Relevant), ["unread", "n", "never two"]);
    assert_eq!(names(Shown::All), ["unread", "n", "idle", "never two"]);
}

#[test]
fn the_json_has_the_shape_of_the_contract() {
    let mut bytes = Vec::new();
    write_json(&findings(vec![valid(), invalid(), unknown()]), &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.ends_with("}\n"));
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    let expected = serde_json::json!({
        "schema": "proofmark/1",
        "command": "check",
        "tool": {"version": "0.1.0", "solver": "embedded"},
        "inputs": [{"file": "a.lus", "hash": "ab"}],
        "options": {"jobs": 2},
        "seconds": 0.0125,
        "outcome": "found",
        "audit": {"by": ["embedded 0.1.0", "simulator"], "differs": "another solver",
                  "seconds": 0.0011},
        "properties": [
            {
                "name": "Prop1", "kind": "invariant",
                "origin": {"file": "a.lus", "line": 6, "column": 11, "end_line": 6, "end_column": 13},
                "verdict": "valid", "engine": "k-induction", "k": 1,
                "invariants": ["(<= 0 n)"], "audit": "passed", "seconds": 0.002
            },
            {
                "name": "never two", "kind": "invariant", "verdict": "invalid", "engine": "bmc",
                "invariants": [], "audit": "passed", "step": 2,
                "trace": {
                    "steps": [
                        {"unread": "false", "n": "0", "never two": "true"},
                        {"unread": "false", "n": "1", "never two": "true"},
                        {"unread": "false", "n": "2", "never two": "false"}
                    ],
                    "loop": null,
                    "violates": {"never two": 2},
                    "inputs": ["unread"]
                },
                "seconds": 0.0004
            },
            {
                "name": "Prop3", "kind": "invariant",
                "origin": {"file": "a.lus", "line": 6, "column": 11, "end_line": 6, "end_column": 13},
                "verdict": "unknown", "invariants": ["(<= 0 n)"], "audit": "none", "step": 12,
                "reason": "the time is up", "seconds": 30.02
            }
        ]
    });
    assert_eq!(read, expected);
}

#[test]
fn a_waveform_has_a_module_for_each_counterexample() {
    let expected = "\
$version proofmark 0.1.0 $end
$timescale 1 s $end
$scope module never_two $end
$var wire 1 ! unread $end
$var integer 32 \" n $end
$var wire 1 # never_two $end
$upscope $end
$enddefinitions $end
#0
0!
b00000000000000000000000000000000 \"
1#
#1
b00000000000000000000000000000001 \"
#2
b00000000000000000000000000000010 \"
0#
#3
";
    assert_eq!(vcd(&findings(vec![valid(), invalid()])), expected);
}
