//! Coverage as findings, and as a screen of text.
//!
//! Every site that can be cut is an element; what a property says of it has a row of its own, and so has
//! what all of them say together. The text shows the share that is covered, as an interval while
//! something is undecided, the way from all sites to those that are covered, and what to look at first.

use crate::findings::{CoreRole, ElementFinding, Findings, Origin};
use crate::text::Style;
use crate::trace::ShownTrace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a cut of an element does to a property, or to all of them together.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CoverageFinding {
    /// By id.
    pub element: String,
    /// A property by name; null for all that hold together.
    pub property: Option<String>,
    /// With any value in its place at every step.
    pub nondet: CoverageVerdict,
    /// Stuck at false.
    pub zero: CoverageVerdict,
    /// Stuck at true.
    pub one: CoverageVerdict,
    /// The test that decided each of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub decided_by: BTreeMap<String, String>,
    /// The step at which the property is false, for each that is covered.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub step: BTreeMap<String, u32>,
    /// What each of them took.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seconds: BTreeMap<String, f64>,
    /// The certificate of each that is not covered, by position in the summary of the property.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub certificate: BTreeMap<String, usize>,
    /// A run of the cut netlist that shows it, when that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<ShownTrace>,
}

/// What is known of a cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoverageVerdict {
    /// The property fails then.
    Covered,
    /// It still holds.
    NotCovered,
    /// Not decided in time.
    Unknown,
}

impl CoverageVerdict {
    /// The word in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            CoverageVerdict::Covered => "covered",
            CoverageVerdict::NotCovered => "not covered",
            CoverageVerdict::Unknown => "unknown",
        }
    }
}

/// What the coverage of one property comes to, or of all together.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CoverageSummary {
    /// A property by name; null for all that hold together.
    pub property: Option<String>,
    /// Where registers are cut: `next` or `output`.
    pub cut: String,
    /// How many elements were asked about.
    pub elements: usize,
    /// The shares that are covered, by criterion.
    pub share: BTreeMap<String, ShareInterval>,
    /// From all elements to those that are covered.
    pub funnel: Funnel,
    /// How many cuts each test decided.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tests: BTreeMap<String, u64>,
    /// The share of the cuts that are decided, and when: seconds after the proof.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accuracy: Vec<AccuracyPoint>,
    /// What the proof of the property took, without its audit.
    pub proof_seconds: f64,
    /// What the coverage took after it, audits included.
    pub seconds: f64,
    /// Proofs that something is not covered: what is inductive on the cut netlist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certificates: Vec<CoverageCertificate>,
}

impl CoverageSummary {
    /// The shares and the way to them of some rows, one an element; `role` tells what an element is to the
    /// proofs.
    pub fn of(
        cut: &str,
        rows: &[&CoverageFinding],
        role: &dyn Fn(&str) -> Option<CoreRole>,
    ) -> CoverageSummary {
        type Verdict = fn(&CoverageFinding) -> CoverageVerdict;
        let criteria: [(&str, Verdict); 3] = [
            ("nondet", |row| row.nondet),
            ("zero", |row| row.zero),
            ("one", |row| row.one),
        ];
        let share = criteria.map(|(name, verdict)| {
            let verdicts = rows.iter().map(|row| verdict(row));
            (name.to_string(), ShareInterval::of(verdicts))
        });
        let mut funnel = Funnel::default();
        for row in rows {
            *match (row.nondet, role(&row.element)) {
                (CoverageVerdict::Covered, _) => &mut funnel.covered,
                (CoverageVerdict::Unknown, _) => &mut funnel.unknown,
                (CoverageVerdict::NotCovered, Some(CoreRole::Outside)) => &mut funnel.outside,
                (CoverageVerdict::NotCovered, Some(CoreRole::Unused)) => &mut funnel.unused,
                (CoverageVerdict::NotCovered, _) => &mut funnel.used,
            } += 1;
        }
        CoverageSummary {
            property: None,
            cut: cut.into(),
            elements: rows.len(),
            share: share.into(),
            funnel,
            tests: BTreeMap::new(),
            accuracy: Vec::new(),
            proof_seconds: 0.0,
            seconds: 0.0,
            certificates: Vec::new(),
        }
    }
}

/// Puts the coverage of parts of the elements together: rows, certificates, and summaries made anew. The parts
/// have the same properties; the elements are given in the order in which they shall be.
pub fn join_coverage(
    elements: &[ElementFinding],
    parts: &[&Findings],
) -> (Vec<CoverageFinding>, Vec<CoverageSummary>) {
    let (mut rows, mut summaries) = (Vec::new(), Vec::new());
    let Some(first) = parts.first() else {
        return (rows, summaries);
    };
    for summary in &first.coverage_summary {
        let mut own: BTreeMap<&str, CoverageFinding> = BTreeMap::new();
        let mut whole = CoverageSummary {
            tests: BTreeMap::new(),
            certificates: Vec::new(),
            accuracy: Vec::new(),
            proof_seconds: 0.0,
            seconds: 0.0,
            ..summary.clone()
        };
        for part in parts {
            let before = whole.certificates.len();
            let listed = part.coverage.iter();
            for row in listed.filter(|row| row.property == summary.property) {
                let mut moved = row.clone();
                moved.certificate.values_mut().for_each(|at| *at += before);
                own.insert(&row.element, moved);
            }
            let of_part = part.coverage_summary.iter();
            for one in of_part.filter(|one| one.property == summary.property) {
                for (test, count) in &one.tests {
                    *whole.tests.entry(test.clone()).or_default() += count;
                }
                whole.certificates.extend(one.certificates.iter().cloned());
                whole.proof_seconds = whole.proof_seconds.max(one.proof_seconds);
                whole.seconds += one.seconds;
            }
        }
        let ordered = elements
            .iter()
            .filter_map(|one| own.remove(one.id.as_str()));
        let ordered: Vec<CoverageFinding> = ordered.collect();
        let known: BTreeMap<&str, &ElementFinding> =
            elements.iter().map(|one| (one.id.as_str(), one)).collect();
        let role = |id: &str| match &summary.property {
            Some(name) => known.get(id)?.role.get(name).copied(),
            None => joint_role(known.get(id)?),
        };
        let counted: Vec<&CoverageFinding> = ordered.iter().collect();
        let shares = CoverageSummary::of(&summary.cut, &counted, &role);
        summaries.push(CoverageSummary {
            elements: shares.elements,
            share: shares.share,
            funnel: shares.funnel,
            ..whole
        });
        rows.extend(ordered);
    }
    (rows, summaries)
}

/// Between these shares, whatever becomes of what is undecided.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize, JsonSchema, Serialize)]
pub struct ShareInterval {
    /// If nothing undecided is covered.
    pub low: f64,
    /// If all of it is.
    pub high: f64,
    /// How many are covered.
    pub covered: usize,
    /// How many are undecided.
    pub unknown: usize,
}

impl ShareInterval {
    /// Of so many verdicts.
    pub fn of(verdicts: impl Iterator<Item = CoverageVerdict>) -> ShareInterval {
        let (mut covered, mut unknown, mut all) = (0, 0, 0);
        for verdict in verdicts {
            all += 1;
            covered += usize::from(verdict == CoverageVerdict::Covered);
            unknown += usize::from(verdict == CoverageVerdict::Unknown);
        }
        let share = |count: usize| count as f64 / all.max(1) as f64;
        ShareInterval {
            low: share(covered),
            high: share(covered + unknown),
            covered,
            unknown,
        }
    }

    /// As people read it.
    pub fn text(&self) -> String {
        match self.unknown {
            0 => format!("{:.1} %", 100.0 * self.low),
            _ => format!("{:.1} to {:.1} %", 100.0 * self.low, 100.0 * self.high),
        }
    }
}

/// Each element is in one of these.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Funnel {
    /// The property does not depend on it.
    pub outside: usize,
    /// The proof does not need it.
    pub unused: usize,
    /// The proof needs it, and still no cut of it is noticed.
    pub used: usize,
    /// Some cut of it is noticed.
    pub covered: usize,
    /// Not decided in time.
    pub unknown: usize,
}

/// A point of the curve of decided cuts.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize, JsonSchema, Serialize)]
pub struct AccuracyPoint {
    /// After the proof.
    pub seconds: f64,
    /// Of all cuts.
    pub share: f64,
}

/// A proof that serves one element or many.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CoverageCertificate {
    /// The elements that are cut, by id, all at once.
    pub elements: Vec<String>,
    /// How: `nondet`, `zero` or `one`.
    pub criterion: String,
    /// The depth of the induction.
    pub k: u32,
    /// Clauses over registers that are inductive on the cut netlist.
    pub invariants: Vec<String>,
}

/// So many elements are listed unless all are asked for.
const SHOWN: usize = 12;

/// The findings as text. `all` lists every element.
pub fn coverage_text(findings: &Findings, style: &Style, all: bool) -> String {
    let mut text = String::new();
    let joint = findings
        .coverage_summary
        .iter()
        .find(|one| one.property.is_none());
    let Some(joint) = joint else {
        text.push_str("coverage: no property was proved, so that nothing can be covered\n");
        return text;
    };
    headline(findings, joint, &mut text);
    if style.quiet {
        return text;
    }
    for one in findings
        .coverage_summary
        .iter()
        .filter(|one| one.property.is_some())
    {
        property_line(one, &mut text);
    }
    funnel(joint, &mut text);
    table(findings, all, &mut text);
    next_steps(findings, joint, &mut text);
    text
}

fn headline(findings: &Findings, joint: &CoverageSummary, text: &mut String) {
    let free = joint.share.get("nondet");
    let share = |name: &str| {
        joint
            .share
            .get(name)
            .map_or_else(String::new, ShareInterval::text)
    };
    let covered = free.map_or(0, |one| one.covered);
    let unknown = free.map_or(0, |one| one.unknown);
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "coverage {} ({covered} of {} {} covered, {} not, {unknown} undecided; stuck at 0 {}, at 1 {})",
        share("nondet"),
        joint.elements,
        things(findings),
        joint.elements - covered - unknown,
        share("zero"),
        share("one"),
    );
}

/// What the elements are called.
fn things(findings: &Findings) -> &'static str {
    let gates = |one: &ElementFinding| one.category == "gate";
    match findings.elements.iter().any(gates) {
        true => "registers and gates",
        false => "registers",
    }
}

fn property_line(one: &CoverageSummary, text: &mut String) {
    let name = one.property.as_deref().unwrap_or_default();
    let share = one
        .share
        .get("nondet")
        .map_or_else(String::new, ShareInterval::text);
    let (proof, seconds) = (one.proof_seconds, one.seconds);
    let _ = writeln!(
        text,
        "  {name}: {share}, proved in {proof:.2} s, coverage in {seconds:.2} s"
    );
}

fn funnel(joint: &CoverageSummary, text: &mut String) {
    let Funnel {
        outside,
        unused,
        used,
        covered,
        unknown,
    } = joint.funnel;
    let place = match joint.cut.as_str() {
        "output" => "outputs",
        _ => "next values",
    };
    let _ = writeln!(
        text,
        "\nof {} ({place} cut): {outside} outside, {unused} unused by the proofs, {used} used but not \
         covered, {covered} covered{}",
        joint.elements,
        match unknown {
            0 => String::new(),
            unknown => format!(", {unknown} undecided"),
        }
    );
}

/// The rank of an element among those that people should look at: what is used and not covered first.
fn rank(role: Option<CoreRole>, row: &CoverageFinding) -> u8 {
    match (row.nondet, role) {
        (CoverageVerdict::Unknown, _) => 1,
        (CoverageVerdict::NotCovered, Some(CoreRole::Outside)) => 3,
        (CoverageVerdict::NotCovered, Some(CoreRole::Unused)) => 2,
        (CoverageVerdict::NotCovered, _) => 0,
        (CoverageVerdict::Covered, _) => 4,
    }
}

/// What an element is to all properties: what it is to the one that needs it most.
pub fn joint_role(element: &ElementFinding) -> Option<CoreRole> {
    let order = |role: &CoreRole| match role {
        CoreRole::Outside => 0,
        CoreRole::Unused => 1,
        _ => 2,
    };
    element.role.values().copied().max_by_key(order)
}

fn table(findings: &Findings, all: bool, text: &mut String) {
    let elements: BTreeMap<&str, &ElementFinding> = findings
        .elements
        .iter()
        .map(|one| (one.id.as_str(), one))
        .collect();
    let role = |row: &CoverageFinding| {
        elements
            .get(row.element.as_str())
            .and_then(|one| joint_role(one))
    };
    let joint = findings
        .coverage
        .iter()
        .filter(|row| row.property.is_none());
    let mut rows: Vec<&CoverageFinding> = joint.collect();
    rows.sort_by_key(|row| rank(role(row), row));
    if rows.is_empty() {
        return;
    }
    let shown = if all {
        rows.len()
    } else {
        SHOWN.min(rows.len())
    };
    let name = |row: &CoverageFinding| {
        let element = elements.get(row.element.as_str());
        let at = element.and_then(|one| match &one.origin {
            Some(Origin::Span(span)) => Some(format!(" (line {})", span.line)),
            _ => None,
        });
        format!("{}{}", row.element, at.unwrap_or_default())
    };
    let names: Vec<String> = rows[..shown].iter().map(|row| name(row)).collect();
    let width = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0)
        .max(8);
    let _ = writeln!(
        text,
        "\n{:width$}  {:8}  {:11}  {:11}  stuck at 1",
        "register", "proof", "any value", "stuck at 0"
    );
    for (row, name) in rows.iter().zip(&names) {
        let role = match role(row) {
            Some(CoreRole::Outside) => "outside",
            Some(CoreRole::Unused) => "unused",
            Some(_) => "used",
            None => "",
        };
        let _ = writeln!(
            text,
            "{name:width$}  {role:8}  {:11}  {:11}  {}",
            row.nondet.as_str(),
            row.zero.as_str(),
            row.one.as_str()
        );
    }
    if shown < rows.len() {
        let _ = writeln!(text, "... {} more: -v", rows.len() - shown);
    }
}

fn next_steps(findings: &Findings, joint: &CoverageSummary, text: &mut String) {
    let Funnel {
        outside,
        unused,
        used,
        unknown,
        ..
    } = joint.funnel;
    let open = outside + unused + used;
    if unknown > 0 {
        let _ = writeln!(
            text,
            "\n{unknown} are undecided: try a longer --timeout or --budget"
        );
    }
    if open == 0 {
        return;
    }
    let _ = writeln!(
        text,
        "\nnext: {open} could be anything and no property would notice; state what they must be, or \
         accept that they do not matter (--explain UNCOVERED)"
    );
    if findings.coverage_suggestions.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\nadd a property: each holds, and covers what it names"
    );
    for suggestion in &findings.coverage_suggestions {
        let _ = writeln!(text, "  covers {}", suggestion.elements.join(", "));
        let _ = writeln!(text, "    {}", suggestion.text);
    }
}

/// A property that would cover an element.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CoverageSuggestion {
    /// The elements that it covers, by id.
    pub elements: Vec<String>,
    /// As text to paste into the source, or as a formula where the source has no text.
    pub text: String,
}
