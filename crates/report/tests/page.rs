//! The page as a browser gets it: everything that was found is in it, and nothing that somebody
//! named can become markup. What it does in a browser is tried by `cargo xtask page`.

use proofmark_model::Value;
use proofmark_report::{
    AssumptionEffect, AssumptionFinding, AuditMark, CoreFinding, CoreRole, ElementFinding,
    Findings, Input, MutantFinding, MutantVerdict, Origin, Outcome, Position, Properties,
    PropertyFinding, PropertyKind, PropertyVerdict, Row, SCHEMA, Score, ShownSpan, ShownTrace,
    Tool, html,
};
use proofmark_source::Sources;
use serde_json::json;
use std::collections::BTreeMap;

const EVIL: &str = "</script><img src=x onerror=alert(1)><!-- [[data]] &lt; \u{2028} \"'";
const TEXT: &str = "y = x + 1; -- </script><script>alert(1)</script>\n";

fn span() -> ShownSpan {
    ShownSpan {
        file: "evil.lus".into(),
        line: 1,
        column: 5,
        end_line: 1,
        end_column: 10,
    }
}

fn trace(value: bool) -> ShownTrace {
    let row = |name: &str, value| Row {
        name: name.into(),
        is_input: name == EVIL,
        values: vec![Value::Bool(value)],
    };
    ShownTrace {
        steps: 1,
        back: None,
        rows: vec![row(EVIL, true), row("out", value)],
        violates: vec![(EVIL.into(), 0)],
    }
}

fn property(name: &str, verdict: PropertyVerdict) -> PropertyFinding {
    PropertyFinding {
        name: name.into(),
        kind: PropertyKind::Invariant,
        origin: Some(span()),
        verdict,
        value: None,
        engine: Some("bmc".into()),
        k: None,
        invariants: vec![EVIL.into()],
        audit: AuditMark::Passed,
        step: Some(0),
        trace: (verdict == PropertyVerdict::Invalid).then(|| trace(false)),
        inductive_counterexample: None,
        check: None,
        bound: None,
        path: None,
        reason: None,
        seconds: 0.1,
    }
}

fn mutant(number: usize, verdict: MutantVerdict) -> MutantFinding {
    MutantFinding {
        certificate: None,
        reaches: Vec::new(),
        covers: None,
        suppressed: None,
        id: format!("main/y#{number}"),
        mutator: EVIL.into(),
        label: "plus2minus".into(),
        element: "main/y".into(),
        node: "main".into(),
        origin: Origin::Span(span()),
        at: Some(Position { line: 1, column: 7 }),
        original: "x + 1".into(),
        replacement: EVIL.into(),
        note: Some(EVIL.into()),
        verdict,
        decided_by: "core".into(),
        audit: None,
        killed_by: Vec::new(),
        step: Some(0),
        trace: Some(trace(false)),
        path: None,
        original_trace: Some(trace(true)),
        differs: vec!["out".into()],
        matrix: BTreeMap::new(),
        suggestions: vec![EVIL.into()],
        reason: None,
        queries: 1,
        seconds: 0.1,
    }
}

fn findings() -> Findings {
    let mutants = vec![
        mutant(1, MutantVerdict::Gap),
        mutant(2, MutantVerdict::Killed),
        mutant(3, MutantVerdict::Equivalent),
        mutant(4, MutantVerdict::Unknown),
    ];
    Findings {
        schema: SCHEMA.into(),
        command: "mutate".into(),
        tool: Tool {
            version: "1.2.3".into(),
            solver: "embedded".into(),
        },
        inputs: vec![Input {
            file: format!("{EVIL}.lus"),
            hash: "00".into(),
        }],
        failed: Vec::new(),
        options: BTreeMap::from([("mutators".into(), EVIL.into())]),
        seconds: 1.0,
        outcome: Outcome::Found,
        audit: None,
        deadlock: None,
        states: None,
        properties: vec![
            property(EVIL, PropertyVerdict::Valid),
            property("false", PropertyVerdict::Invalid),
        ],
        elements: vec![ElementFinding {
            id: "main/y".into(),
            name: "y".into(),
            category: "equation".into(),
            origin: Some(Origin::Span(span())),
            text: "y = x + 1".into(),
            role: BTreeMap::from([(EVIL.to_string(), CoreRole::Must)]),
        }],
        cores: vec![CoreFinding {
            property: Properties::One(EVIL.into()),
            elements: vec!["main/y".into()],
            minimal: Some(true),
            undecided: Vec::new(),
            must_undecided: Vec::new(),
            complete: None,
            smallest: None,
            vacuous: None,
            audit: AuditMark::Passed,
            unaudited: None,
            decided: BTreeMap::new(),
            seconds: 0.1,
        }],
        shard: None,
        score: Some(Score::of(&mutants)),
        assumptions: vec![AssumptionFinding::new(
            mutant(5, MutantVerdict::Survived),
            AssumptionEffect::Removed,
        )],
        mutants,
        outputs: Vec::new(),
        worth: None,
        equivalence: None,
        coverage: Vec::new(),
        coverage_summary: Vec::new(),
        coverage_suggestions: Vec::new(),
    }
}

fn page() -> String {
    let mut sources = Sources::default();
    let file = sources.add("evil.lus", TEXT.into()).unwrap();
    html(&findings(), &[sources.file(file)]).unwrap()
}

/// The one JSON document in the page.
fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

#[test]
fn no_name_can_become_markup() {
    let page = page();
    assert!(!page.contains("<img"), "a tag out of a name");
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert_eq!(page.matches("<!--").count(), 0);
    let (_, title) = page.split_once("<title>").unwrap();
    assert!(title.starts_with("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&lt;!-- [[data]]"));
}

#[test]
fn everything_that_was_found_is_in_the_page() {
    let data = data(&page());
    assert_eq!(data["files"], json!([{"name": "evil.lus", "text": TEXT}]));
    assert_eq!(data["properties"][0]["name"], EVIL);
    assert_eq!(data["properties"][1]["verdict"], "invalid");
    assert_eq!(data["elements"][0]["role"][EVIL], "must");
    assert_eq!(data["cores"][0]["minimal"], true);
    assert_eq!(data["score"]["gap"], 1);
    let verdicts = data["mutants"].as_array().unwrap().iter();
    let verdicts: Vec<&str> = verdicts
        .map(|one| one["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["gap", "killed", "equivalent", "unknown"]);
    let gap = &data["mutants"][0];
    assert_eq!(gap["replacement"], EVIL);
    assert_eq!(gap["suggestions"], json!([EVIL]));
    assert_eq!(data["assumptions"][0]["verdict"], "not-needed");
    assert_eq!(data["assumptions"][0]["text"], "x + 1");
}

#[test]
fn traces_name_the_rows_they_share() {
    let data = data(&page());
    let rows = json!([
        [EVIL, 1, ["true"]],
        ["out", 0, ["false"]],
        ["out", 0, ["true"]]
    ]);
    assert_eq!(data["rows"], rows);
    assert_eq!(data["runs"], json!([[0, 2], [0, 1, 2, 1]]));
    assert_eq!(data["properties"][1]["trace"]["run"], 0);
    let gap = &data["mutants"][0];
    assert_eq!(gap["original_trace"]["run"], 1);
    assert_eq!(gap["trace"]["run"], 1);
    assert_eq!(gap["trace"]["changes"], json!([1, 1]));
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let page = page();
    // A namespace is a name, not an address that anybody visits.
    let addresses = page.matches("://").count();
    assert_eq!(
        addresses,
        page.matches("http://www.w3.org/2000/svg").count()
    );
    for word in [
        "src=\"",
        "<link",
        "@import",
        "url(",
        "fetch(",
        "innerHTML",
        "eval(",
    ] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn gaps_are_grouped_as_in_the_text() {
    let digest = &data(&page())["digest"];
    assert_eq!(digest["groups"][0]["element"]["name"], "main/y");
    assert_eq!(digest["groups"][0]["gaps"], json!([0]));
    assert_eq!(digest["remedies"][0]["property"], EVIL);
    assert_eq!(digest["nodes"][0]["score"]["killed"], 1);
    let mut checked = findings();
    checked.mutants.clear();
    let page = html(&checked, &[]).unwrap();
    assert_eq!(data(&page)["digest"], serde_json::Value::Null);
}

#[test]
fn what_is_suppressed_is_shown_as_that() {
    let mut findings = findings();
    findings.mutants[0].suppressed = Some("reviewed".into());
    let page = html(&findings, &[]).unwrap();
    let mutants = &data(&page)["mutants"];
    assert_eq!(mutants[0]["verdict"], "suppressed");
    assert_eq!(mutants[0]["suppressed"], "reviewed");
    assert_eq!(mutants[1]["verdict"], "killed");
}
