//! Whether two models are the same, for people.

use crate::findings::{AuditMark, Findings, MutantAudit};
use crate::table::{write_pair_of, write_table};
use crate::text::Style;
use crate::trace::ShownTrace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Whether two models are the same.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[schemars(rename = "Equivalence")]
pub struct EquivalenceFinding {
    /// Whether they are.
    pub verdict: EquivalenceWord,
    /// Whether somebody else agrees.
    pub audit: MutantAudit,
    /// Whether all states and steps were compared; otherwise it was what is observed from outside.
    #[serde(default)]
    pub structures: bool,
    /// How many states the first reaches, in decimal, where they were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<String>,
    /// What is declared in one only, or not the same in both.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<DeclarationDifference>,
    /// A run that tells them apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<RunDifference>,
    /// What the formulas of the published method say, when that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulas: Option<FormulasFinding>,
    /// Why there is no better verdict, or why this one may be wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What the formulas of the published method say.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct FormulasFinding {
    /// How many formulas about initial states were needed.
    pub initial_needed: usize,
    /// How many there are.
    pub initial_total: usize,
    /// How many formulas about steps are true.
    pub steps_true: usize,
    /// How many there are.
    pub steps_total: usize,
    /// The first formula that tells the models apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing: Option<String>,
}

/// The verdict of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "EquivalenceVerdict")]
pub enum EquivalenceWord {
    /// Nobody can tell them apart.
    Equivalent,
    /// Somebody can.
    Different,
    /// Not decided.
    Unknown,
}

impl EquivalenceWord {
    /// The word in reports, in capitals.
    pub fn as_str(self) -> &'static str {
        match self {
            EquivalenceWord::Equivalent => "EQUIVALENT",
            EquivalenceWord::Different => "DIFFERENT",
            EquivalenceWord::Unknown => "UNKNOWN",
        }
    }
}

/// A variable that is not the same in both.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct DeclarationDifference {
    /// Its name.
    pub name: String,
    /// What it is in the first; null where it is not declared.
    pub first: Option<String>,
    /// What it is in the second.
    pub second: Option<String>,
}

/// A run that tells two models apart.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct RunDifference {
    /// The run, of the one that has it, or of the first where both have one.
    pub trace: ShownTrace,
    /// What the second does on the same inputs, where what is observed differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<ShownTrace>,
    /// The file of the model that alone has the run, or in which alone it counts. Absent where both have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_in: Option<String>,
    /// The step at which they differ.
    pub step: usize,
    /// The step that follows the last one, where the run goes on for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back: Option<usize>,
    /// What is shown differently there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shows: Vec<String>,
}

/// What a comparison found.
pub fn equivalence_text(findings: &Findings, style: &Style) -> String {
    let mut out = String::new();
    let Some(found) = &findings.equivalence else {
        return out;
    };
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "{:<11} {}",
        found.verdict.as_str(),
        how(findings, found)
    );
    if style.quiet {
        return out;
    }
    if let Some(difference) = &found.difference {
        out.push('\n');
        match &difference.other {
            Some(other) => write_pair_of(&difference.trace, other, "  second", style, &mut out),
            None => write_table(&difference.trace, style, &mut out),
        }
    }
    for row in &found.variables {
        let side = |side: &Option<String>| side.clone().unwrap_or("not declared".into());
        let (first, second) = (side(&row.first), side(&row.second));
        let _ = writeln!(out, "  {}: {first}; {second}", row.name);
    }
    out
}

/// What the verdict rests on, in a few words.
fn how(findings: &Findings, found: &EquivalenceFinding) -> String {
    if let (Some(formulas), true) = (&found.formulas, found.verdict != EquivalenceWord::Unknown) {
        return by_formulas(formulas);
    }
    let audit = match (found.audit.result, &found.audit.by) {
        (AuditMark::Passed, Some(by)) => format!("audited: {by}"),
        _ => "not audited".into(),
    };
    match found.verdict {
        EquivalenceWord::Equivalent => match &found.states {
            Some(states) => format!("the same {states} states, steps and fair runs ({audit})"),
            None if found.structures => format!("the same states, steps and fair runs ({audit})"),
            None => format!("the same outputs on the same inputs ({audit})"),
        },
        EquivalenceWord::Unknown => found.reason.clone().unwrap_or_default(),
        EquivalenceWord::Different => match &found.difference {
            None => "the models are not about the same variables".into(),
            Some(difference) => format!("{} ({audit})", different(findings, difference)),
        },
    }
}

fn by_formulas(found: &FormulasFinding) -> String {
    let failing = match &found.failing {
        Some(name) if name.starts_with("notEq") => format!("{name} is true; "),
        Some(name) => format!("{name} is false; "),
        None => String::new(),
    };
    format!(
        "{failing}{} of {} transRelOk true, {} of {} about initial states needed (not audited)",
        found.steps_true, found.steps_total, found.initial_needed, found.initial_total
    )
}

fn different(findings: &Findings, difference: &RunDifference) -> String {
    let step = difference.step;
    if let Some(back) = difference.back {
        let file = difference.only_in.as_deref().unwrap_or("one of them");
        return format!(
            "a run of both, from step {step} again at step {back}, is fair in {file} only"
        );
    }
    match &difference.only_in {
        Some(file) if step == 0 => format!("only {file} begins like this"),
        Some(file) => match difference.other {
            None => format!("only {file} goes to the state of step {step}"),
            Some(_) => format!("only {file} accepts step {step}"),
        },
        None => {
            let files: Vec<&str> = findings
                .inputs
                .iter()
                .map(|one| one.file.as_str())
                .collect();
            format!(
                "{} show another {} at step {step}",
                files.join(" and "),
                difference.shows.join(", ")
            )
        }
    }
}
