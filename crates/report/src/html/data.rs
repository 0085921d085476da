//! What the page is drawn from: the findings, the texts they speak of, and traces as lists of rows.
//!
//! A campaign replays the same runs on many mutants, and a mutant and its original agree on most
//! variables. So a row, a variable with its values, is in the page once; a run is a list of rows by
//! number, and is there once, too; and a run of a mutant is that of its original with some rows
//! changed. The traces of a model with 1,642 variables take a hundredth of the room (125 MB to 1.2),
//! those of a model with five variables half.

use crate::assumptions::{AssumptionVerdict, assumption_summaries};
use crate::coverage::{CoverageFinding, CoverageSummary};
use crate::digest::{Digest, digest};
use crate::findings::{
    AuditMark, AuditSummary, Cell, CoreFinding, Covers, ElementFinding, Findings, Input,
    MutantAudit, MutantFinding, MutantVerdict, Origin, Outcome, OutputFinding, Position,
    PropertyFinding, PropertyVerdict, Shard, ShownSpan, Tool, Worth,
};
use crate::score::Score;
use crate::trace::{Row, ShownTrace};
use proofmark_source::SourceFile;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::BTreeMap;

/// Everything the scripts know.
#[derive(Serialize)]
pub struct Page<'f> {
    command: &'f str,
    tool: &'f Tool,
    inputs: &'f [Input],
    options: &'f BTreeMap<String, serde_json::Value>,
    seconds: f64,
    outcome: Outcome,
    audit: Option<&'f AuditSummary>,
    shard: Option<&'f Shard>,
    score: Option<&'f Score>,
    outputs: &'f [OutputFinding],
    worth: Option<&'f Worth>,
    /// The same groups, scores and remedies, in the same order, as in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<Digest<'f>>,
    files: Vec<File<'f>>,
    properties: Vec<Property<'f>>,
    elements: &'f [ElementFinding],
    cores: &'f [CoreFinding],
    mutants: Vec<Mutant<'f>>,
    assumptions: Vec<Assumption<'f>>,
    /// What all properties together say of each element.
    coverage: Vec<&'f CoverageFinding>,
    coverage_summary: &'f [CoverageSummary],
    /// Names, whether they are inputs, and values.
    rows: Vec<(&'f str, u8, Vec<String>)>,
    /// Rows by number, as ranges: a number and how many there are from it on, in turn.
    runs: Vec<Vec<usize>>,
}

#[derive(Serialize)]
struct File<'f> {
    name: &'f str,
    text: &'f str,
}

#[derive(Serialize)]
struct Property<'f> {
    name: &'f str,
    origin: Option<&'f ShownSpan>,
    verdict: PropertyVerdict,
    engine: Option<&'f str>,
    k: Option<u32>,
    invariants: &'f [String],
    audit: AuditMark,
    step: Option<u32>,
    trace: Option<Rows<'f>>,
    induction: Option<Rows<'f>>,
    reason: Option<&'f str>,
    seconds: f64,
}

/// What became of a mutant; what somebody suppressed is that, whatever became of it.
#[derive(Serialize)]
#[serde(untagged)]
enum Became {
    Decided(MutantVerdict),
    Set(&'static str),
}

#[derive(Serialize)]
struct Mutant<'f> {
    id: &'f str,
    mutator: &'f str,
    label: &'f str,
    element: &'f str,
    node: &'f str,
    origin: &'f Origin,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Position>,
    original: &'f str,
    replacement: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'f str>,
    verdict: Became,
    decided_by: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<&'f MutantAudit>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    killed_by: &'f [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Rows<'f>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    original_trace: Option<Rows<'f>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    differs: &'f [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    reaches: &'f [String],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    matrix: &'f BTreeMap<String, Cell>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    suggestions: &'f [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    covers: Option<Covers>,
    queries: u64,
    seconds: f64,
}

/// An assumption with what its changes tell.
#[derive(Serialize)]
struct Assumption<'f> {
    element: &'f str,
    origin: &'f Origin,
    place: String,
    text: &'f str,
    verdict: AssumptionVerdict,
    needed_by: Vec<&'f str>,
    /// What is weaker and suffices: from and to.
    weaker: Vec<(&'f str, &'f str)>,
    /// How many of its changes only leave out runs.
    tighter: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<&'f str>,
}

fn assumptions(findings: &Findings) -> Vec<Assumption<'_>> {
    let summaries = assumption_summaries(&findings.assumptions);
    let shown = summaries.into_iter().map(|one| Assumption {
        element: one.element,
        origin: &one.shown.origin,
        place: one.shown.place(),
        text: &one.shown.original,
        verdict: one.verdict,
        needed_by: one.needed_by,
        weaker: one
            .weaker
            .iter()
            .map(|one| (one.original.as_str(), one.replacement.as_str()))
            .collect(),
        tighter: one.tighter,
        reason: one.shown.reason.as_deref(),
        suppressed: one.shown.suppressed.as_deref(),
    });
    shown.collect()
}

fn joint_coverage(findings: &Findings) -> Vec<&CoverageFinding> {
    let rows = findings.coverage.iter();
    rows.filter(|one| one.property.is_none()).collect()
}

/// A trace: a run by number, and which of its rows are others.
#[derive(Serialize)]
struct Rows<'f> {
    steps: usize,
    /// The step that follows the last one, if the run goes round.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    back: Option<usize>,
    run: usize,
    /// The place of a row and its number, in turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<usize>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    violates: &'f [(String, usize)],
}

impl<'f> Page<'f> {
    pub fn new(findings: &'f Findings, sources: &[&'f SourceFile]) -> Page<'f> {
        let mut shelf = Shelf::default();
        let properties = findings.properties.iter();
        let properties = properties.map(|one| shelf.property(one)).collect();
        let mutants = findings.mutants.iter();
        let mutants = mutants.map(|one| shelf.mutant(one)).collect();
        let texts = sources.iter().filter(|file| is_text(file.text()));
        let files = texts.map(|file| File {
            name: file.name(),
            text: file.text(),
        });
        Page {
            command: &findings.command,
            tool: &findings.tool,
            inputs: &findings.inputs,
            options: &findings.options,
            seconds: findings.seconds,
            outcome: findings.outcome,
            audit: findings.audit.as_ref(),
            shard: findings.shard.as_ref(),
            score: findings.score.as_ref(),
            outputs: &findings.outputs,
            worth: findings.worth.as_ref(),
            digest: (!findings.mutants.is_empty()).then(|| digest(findings)),
            files: files.collect(),
            properties,
            // The page paints elements by their roles.
            elements: match findings.elements.iter().any(|one| !one.role.is_empty()) {
                true => &findings.elements,
                false => &[],
            },
            cores: &findings.cores,
            mutants,
            assumptions: assumptions(findings),
            coverage: joint_coverage(findings),
            coverage_summary: &findings.coverage_summary,
            rows: shelf.rows,
            runs: shelf.runs,
        }
    }
}

/// Whether people can read it: a binary netlist has bytes that are no letters.
fn is_text(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() && !c.is_whitespace())
}

/// The rows and the runs that traces share.
#[derive(Default)]
struct Shelf<'f> {
    rows: Vec<(&'f str, u8, Vec<String>)>,
    places: FxHashMap<(&'f str, Vec<String>), usize>,
    runs: Vec<Vec<usize>>,
    numbers: FxHashMap<Vec<usize>, usize>,
}

impl<'f> Shelf<'f> {
    fn row(&mut self, row: &'f Row) -> usize {
        let values: Vec<String> = row.values.iter().map(|value| value.to_string()).collect();
        let next = self.rows.len();
        let place = self.places.entry((&row.name, values));
        let place = place.or_insert_with_key(|(name, values)| {
            let input = u8::from(row.is_input);
            self.rows.push((name, input, values.clone()));
            next
        });
        *place
    }

    fn trace(&mut self, trace: Option<&'f ShownTrace>) -> Option<Rows<'f>> {
        let trace = trace?;
        let rows: Vec<usize> = trace.rows.iter().map(|row| self.row(row)).collect();
        Some(Rows {
            steps: trace.steps,
            back: trace.back,
            run: self.run(&rows),
            changes: Vec::new(),
            violates: &trace.violates,
        })
    }

    fn run(&mut self, rows: &[usize]) -> usize {
        let next = self.runs.len();
        let number = self.numbers.entry(ranges(rows));
        let number = number.or_insert_with_key(|run| {
            self.runs.push(run.clone());
            next
        });
        *number
    }

    /// A trace that differs from another one in some rows, as long as it has the same ones.
    fn beside(&mut self, original: &'f ShownTrace, trace: &'f ShownTrace) -> Rows<'f> {
        let rows: Vec<usize> = original.rows.iter().map(|row| self.row(row)).collect();
        let others: Vec<usize> = trace.rows.iter().map(|row| self.row(row)).collect();
        let pairs = || rows.iter().zip(&others).enumerate();
        let same =
            |(_, (one, other)): (usize, (&usize, &usize))| self.rows[*one].0 == self.rows[*other].0;
        let aligned = rows.len() == others.len() && pairs().all(same);
        let differing = pairs().filter(|(_, (one, other))| aligned && one != other);
        let changes = differing
            .flat_map(|(at, (_, other))| [at, *other])
            .collect();
        Rows {
            steps: trace.steps,
            back: trace.back,
            run: self.run(if aligned { &rows } else { &others }),
            changes,
            violates: &trace.violates,
        }
    }

    fn property(&mut self, one: &'f PropertyFinding) -> Property<'f> {
        Property {
            name: &one.name,
            origin: one.origin.as_ref(),
            verdict: one.verdict,
            engine: one.engine.as_deref(),
            k: one.k,
            invariants: &one.invariants,
            audit: one.audit,
            step: one.step,
            trace: self.trace(one.trace.as_ref()),
            induction: self.trace(one.inductive_counterexample.as_ref()),
            reason: one.reason.as_deref(),
            seconds: one.seconds,
        }
    }

    fn mutant(&mut self, one: &'f MutantFinding) -> Mutant<'f> {
        let original_trace = self.trace(one.original_trace.as_ref());
        let trace = match (&one.original_trace, &one.trace) {
            (Some(original), Some(trace)) => Some(self.beside(original, trace)),
            (_, trace) => self.trace(trace.as_ref()),
        };
        Mutant {
            id: &one.id,
            mutator: &one.mutator,
            label: &one.label,
            element: &one.element,
            node: &one.node,
            origin: &one.origin,
            at: one.at,
            original: &one.original,
            replacement: &one.replacement,
            note: one.note.as_deref(),
            verdict: match one.suppressed {
                Some(_) => Became::Set("suppressed"),
                None => Became::Decided(one.verdict),
            },
            decided_by: &one.decided_by,
            audit: one.audit.as_ref(),
            killed_by: &one.killed_by,
            step: one.step,
            trace,
            original_trace,
            differs: &one.differs,
            reaches: &one.reaches,
            matrix: &one.matrix,
            suggestions: &one.suggestions,
            reason: one.reason.as_deref(),
            suppressed: one.suppressed.as_deref(),
            covers: one.covers,
            queries: one.queries,
            seconds: one.seconds,
        }
    }
}

fn ranges(numbers: &[usize]) -> Vec<usize> {
    let mut ranges: Vec<usize> = Vec::new();
    for &number in numbers {
        match ranges[..] {
            [.., first, ref mut count] if first + *count == number => *count += 1,
            _ => ranges.extend([number, 1]),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::Value;

    #[test]
    fn a_binary_netlist_is_no_text() {
        assert!(is_text("node f() returns (x: int);\r\n\tlet x = 1; tel"));
        assert!(!is_text("aig 3 0 2 0 1 1\n4 1\n2\n6\n\u{2}\u{2}"));
    }

    #[test]
    fn rows_that_traces_share_are_told_once() {
        let row = |name: &str, value: bool| Row {
            name: name.into(),
            is_input: name == "in",
            values: vec![Value::Bool(value)],
        };
        let trace = |value: bool| ShownTrace {
            steps: 1,
            back: None,
            rows: vec![row("in", true), row("out", value)],
            violates: Vec::new(),
        };
        let (one, other) = (trace(true), trace(false));
        let mut shelf = Shelf::default();
        let original = shelf.trace(Some(&one)).unwrap();
        let mutant = shelf.beside(&one, &other);
        assert_eq!((original.run, original.changes), (0, Vec::new()));
        assert_eq!((mutant.run, mutant.changes), (0, vec![1, 2]));
        assert_eq!(shelf.runs, [[0, 2]]);
        assert_eq!(shelf.rows[0], ("in", 1, vec!["true".to_string()]));
        assert_eq!(shelf.rows[2], ("out", 0, vec!["false".to_string()]));
        let alone = ShownTrace {
            rows: vec![row("out", false)],
            ..one.clone()
        };
        let mutant = shelf.beside(&one, &alone);
        assert_eq!((mutant.run, mutant.changes), (1, Vec::new()));
        assert_eq!(shelf.runs, [[0, 2], [2, 1]]);
    }
}
