//! What the assumptions of a model are worth: a question of its own, never part of the score.
//!
//! A changed assumption is no fault. One that is weakened or removed asks whether the properties need
//! it: a property that is false then needs it, and when all hold, none does. One that is tightened
//! accepts fewer runs, which no property can notice. A change that does neither shows, when a property
//! is false with it, that the assumption is needed (with it removed, the same run is accepted); when
//! all properties hold, it shows nothing.

use crate::findings::{MutantAudit, MutantFinding, MutantVerdict, Origin, Position};
use crate::text::Style;
use crate::trace::ShownTrace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// A change of an assumption, and what it tells of the assumption.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct AssumptionFinding {
    /// The element, the mutator, and which of its mutations this is.
    pub id: String,
    /// The name of the mutator, as `proofmark mutators` lists it.
    pub mutator: String,
    /// What people see of the mutator.
    pub label: String,
    /// By id.
    pub element: String,
    /// What is replaced.
    pub origin: Origin,
    /// Where to point: at the operator. Absent where there is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Position>,
    /// What the change replaces, in the language of the source.
    pub original: String,
    /// What takes its place, in the language of the source; in words where nothing does.
    pub replacement: String,
    /// What the change does besides, as a second constant that the properties do not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What the change does to the runs that the assumptions accept.
    pub effect: AssumptionEffect,
    /// What the change tells of the assumption.
    pub verdict: AssumptionVerdict,
    /// The properties that are false without it.
    #[serde(default)]
    pub needed_by: Vec<String>,
    /// The test that decided.
    pub decided_by: String,
    /// Who checked the verdict again; absent where there is nothing to check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<MutantAudit>,
    /// Where a property that needs it is false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// A run that only the changed assumption accepts, and that violates a property.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<ShownTrace>,
    /// What proves that the properties hold without it, where that is not the proof of the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<serde_json::Value>,
    /// Why there is no better verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why somebody decided that it may stay although nothing needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<String>,
    /// How many queries solvers answered.
    pub queries: u64,
    /// Wall clock that the decision took.
    pub seconds: f64,
}

/// What a change does to an assumption.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AssumptionEffect {
    /// Nothing is assumed in its place.
    Removed,
    /// It follows from the original.
    Weaker,
    /// The original follows from it.
    Tighter,
    /// Neither, or nobody could tell.
    Other,
}

impl AssumptionEffect {
    /// The word in findings and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            AssumptionEffect::Removed => "removed",
            AssumptionEffect::Weaker => "weaker",
            AssumptionEffect::Tighter => "tighter",
            AssumptionEffect::Other => "other",
        }
    }
}

/// What a changed assumption tells of the original.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Deserialize, JsonSchema, Serialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum AssumptionVerdict {
    /// A property is false with the change.
    Needed,
    /// Every property holds with what is weaker, or with nothing in its place.
    NotNeeded,
    /// The change only leaves out runs, so that no property can notice.
    Tighter,
    /// Nobody could tell in time.
    Unknown,
}

impl AssumptionVerdict {
    /// The word in reports, in capitals.
    pub fn as_str(self) -> &'static str {
        match self {
            AssumptionVerdict::Needed => "NEEDED",
            AssumptionVerdict::NotNeeded => "NOT-NEEDED",
            AssumptionVerdict::Tighter => "TIGHTER",
            AssumptionVerdict::Unknown => "UNKNOWN",
        }
    }
}

impl AssumptionFinding {
    /// What the verdict on a mutant tells of the assumption that it changes.
    pub fn new(mutant: MutantFinding, effect: AssumptionEffect) -> AssumptionFinding {
        let (verdict, reason) = judge(&mutant, effect);
        AssumptionFinding {
            id: mutant.id,
            mutator: mutant.mutator,
            label: mutant.label,
            element: mutant.element,
            origin: mutant.origin,
            at: mutant.at,
            original: mutant.original,
            replacement: mutant.replacement,
            note: mutant.note,
            effect,
            verdict,
            needed_by: mutant.killed_by,
            decided_by: mutant.decided_by,
            audit: mutant.audit,
            step: mutant.step,
            trace: mutant.trace,
            certificate: mutant.certificate,
            reason,
            suppressed: mutant.suppressed,
            queries: mutant.queries,
            seconds: mutant.seconds,
        }
    }

    /// Whether no property needs the assumption at all, and nobody says that this is fine.
    pub fn can_go(&self) -> bool {
        self.effect == AssumptionEffect::Removed
            && self.verdict == AssumptionVerdict::NotNeeded
            && self.suppressed.is_none()
    }

    /// Where people look for it: line and column, or the name of what has no text.
    pub fn place(&self) -> String {
        self.origin.place(self.at.as_ref())
    }
}

fn judge(mutant: &MutantFinding, effect: AssumptionEffect) -> (AssumptionVerdict, Option<String>) {
    use AssumptionEffect::{Removed, Tighter, Weaker};
    let reason = mutant.reason.clone();
    match (effect, mutant.verdict) {
        (Tighter, _) => (AssumptionVerdict::Tighter, None),
        (_, MutantVerdict::Killed) => (AssumptionVerdict::Needed, reason),
        (Removed | Weaker, MutantVerdict::Survived) => (AssumptionVerdict::NotNeeded, reason),
        (_, MutantVerdict::Survived) => {
            let why = "the properties hold with it, and it is neither weaker nor tighter";
            (AssumptionVerdict::Unknown, Some(why.into()))
        }
        _ => (AssumptionVerdict::Unknown, reason),
    }
}

/// An assumption with all that its changes tell.
pub struct AssumptionSummary<'f> {
    /// The id of the element that assumes.
    pub element: &'f str,
    /// What is shown: the removal of the whole, or the first change.
    pub shown: &'f AssumptionFinding,
    /// What its changes tell, taken together.
    pub verdict: AssumptionVerdict,
    /// The properties that need it.
    pub needed_by: Vec<&'f str>,
    /// Weaker ones with which all properties hold; of no interest where nothing needs the whole.
    pub weaker: Vec<&'f AssumptionFinding>,
    /// Those of its changes that only leave out runs.
    pub tighter: usize,
}

/// The assumptions, in the order of the findings, each with what its changes tell.
pub fn assumption_summaries(findings: &[AssumptionFinding]) -> Vec<AssumptionSummary<'_>> {
    let mut order: Vec<&str> = Vec::new();
    for one in findings {
        if !order.contains(&one.element.as_str()) {
            order.push(&one.element);
        }
    }
    let summaries = order.into_iter().filter_map(|element| {
        let of: Vec<&AssumptionFinding> = findings
            .iter()
            .filter(|one| one.element == element)
            .collect();
        let with = |verdict| of.iter().copied().filter(move |one| one.verdict == verdict);
        let removal = of
            .iter()
            .find(|one| one.effect == AssumptionEffect::Removed);
        let mut needed_by: Vec<&str> = Vec::new();
        for name in with(AssumptionVerdict::Needed).flat_map(|one| &one.needed_by) {
            if !needed_by.contains(&name.as_str()) {
                needed_by.push(name);
            }
        }
        let needed = with(AssumptionVerdict::Needed).next().is_some();
        let can_go = removal.is_some_and(|one| one.verdict == AssumptionVerdict::NotNeeded);
        let verdict = match (needed, can_go) {
            (true, _) => AssumptionVerdict::Needed,
            (false, true) => AssumptionVerdict::NotNeeded,
            (false, false) => AssumptionVerdict::Unknown,
        };
        let is_part = |one: &&AssumptionFinding| one.effect == AssumptionEffect::Weaker;
        Some(AssumptionSummary {
            element,
            shown: removal.or(of.first()).copied()?,
            verdict,
            needed_by,
            weaker: match verdict {
                AssumptionVerdict::NotNeeded => Vec::new(),
                _ => with(AssumptionVerdict::NotNeeded).filter(is_part).collect(),
            },
            tighter: with(AssumptionVerdict::Tighter).count(),
        })
    });
    summaries.collect()
}

/// The table of assumptions as text, a line each, of at most so many lines; nothing when none was
/// changed.
pub fn assumptions_text(findings: &[AssumptionFinding], style: &Style, most: usize) -> String {
    let mut summaries = assumption_summaries(findings);
    let rest = summaries.split_off(summaries.len().min(most));
    let mut out = String::new();
    if summaries.is_empty() {
        return out;
    }
    out.push_str("assumptions (not part of the score)\n");
    let room = style.width.saturating_sub(50).clamp(20, 60);
    let texts = summaries.iter();
    let texts = texts.map(|one| style.cut(&one.shown.original, room));
    let texts: Vec<String> = texts.collect();
    let width = texts.iter().map(|text| text.chars().count()).max();
    let width = width.unwrap_or(0);
    for (summary, text) in summaries.iter().zip(&texts) {
        let (place, what) = (summary.shown.place(), describe(summary));
        // Writing to a string does not fail.
        let _ = writeln!(out, "  {place:<7} {text:<width$}  {what}");
    }
    if !rest.is_empty() {
        let is_unneeded =
            |one: &&AssumptionSummary<'_>| one.verdict == AssumptionVerdict::NotNeeded;
        let unneeded = rest.iter().filter(is_unneeded).count();
        let more = rest.len();
        let _ = writeln!(
            out,
            "  ... {more} more, {unneeded} of them needed by no property: -v, or --html"
        );
    }
    out
}

/// `NEEDED 3:12 ge2g by positive at step 0 [clamp/assert#ge2g#1]`
pub fn assumption_line(one: &AssumptionFinding) -> String {
    let (verdict, place) = (one.verdict.as_str(), one.place());
    let mut line = format!("{verdict} {place} {}", one.label);
    // Writing to a string does not fail.
    if !one.needed_by.is_empty() {
        let _ = write!(line, " by {}", one.needed_by.join(", "));
    }
    let needed = one.verdict == AssumptionVerdict::Needed;
    if let Some(step) = one.step.filter(|_| needed) {
        let _ = write!(line, " at step {step}");
    }
    let _ = write!(line, " [{}]", one.id);
    if let Some(reason) = &one.reason {
        let _ = write!(line, " ({reason})");
    }
    if let Some(why) = &one.suppressed {
        let _ = write!(line, " (suppressed: {why})");
    }
    line
}

/// What is known of an assumption, in words.
fn describe(summary: &AssumptionSummary<'_>) -> String {
    let mut text = match summary.verdict {
        AssumptionVerdict::Needed => format!("needed by {}", summary.needed_by.join(", ")),
        AssumptionVerdict::NotNeeded => "needed by no property: it can go".into(),
        _ => {
            let reason = summary.shown.reason.as_deref();
            format!("not known: {}", reason.unwrap_or("it was not removed"))
        }
    };
    if let Some(why) = &summary.shown.suppressed {
        let _ = write!(text, " (suppressed: {why})");
    }
    for one in &summary.weaker {
        let (original, replacement) = (&one.original, &one.replacement);
        let _ = write!(text, "; `{replacement}` for `{original}` suffices");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn verdict(mutant: &str, effect: AssumptionEffect) -> &'static str {
        let finding = AssumptionFinding::new(samples::mutant(mutant), effect);
        finding.verdict.as_str()
    }

    #[test]
    fn only_what_is_weaker_shows_that_nothing_needs_an_assumption() {
        use AssumptionEffect::{Other, Removed, Tighter, Weaker};
        for effect in [Removed, Weaker] {
            assert_eq!(verdict("killed", effect), "NEEDED");
            assert_eq!(verdict("survived", effect), "NOT-NEEDED");
            assert_eq!(verdict("unknown", effect), "UNKNOWN");
        }
        assert_eq!(verdict("killed", Other), "NEEDED");
        assert_eq!(verdict("survived", Other), "UNKNOWN");
        assert_eq!(verdict("vacuous", Other), "UNKNOWN");
        assert_eq!(verdict("survived", Tighter), "TIGHTER");
    }

    #[test]
    fn the_table_has_a_line_for_each_assumption() {
        let of = |element: &str, mutant: &str, effect, original: &str| {
            let mutant = MutantFinding {
                element: element.into(),
                original: original.into(),
                killed_by: match mutant {
                    "killed" => vec!["P".into()],
                    _ => Vec::new(),
                },
                ..samples::mutant(mutant)
            };
            AssumptionFinding::new(mutant, effect)
        };
        let findings = [
            of(
                "m/assertion",
                "killed",
                AssumptionEffect::Removed,
                "assert x > 0;",
            ),
            of("m/assertion", "survived", AssumptionEffect::Weaker, "x > 0"),
            of(
                "m/assertion#2",
                "survived",
                AssumptionEffect::Removed,
                "assert a;",
            ),
            of("m/assertion#2", "survived", AssumptionEffect::Weaker, "a"),
        ];
        let style = Style {
            width: 100,
            colour: false,
            quiet: false,
        };
        let expected = "assumptions (not part of the score)
  3:9     assert x > 0;  needed by P; `a xor b` for `x > 0` suffices
  3:9     assert a;      needed by no property: it can go
";
        assert_eq!(assumptions_text(&findings, &style, 2), expected);
        let cut = "assumptions (not part of the score)
  3:9     assert x > 0;  needed by P; `a xor b` for `x > 0` suffices
  ... 1 more, 1 of them needed by no property: -v, or --html
";
        assert_eq!(assumptions_text(&findings, &style, 1), cut);
        assert!(findings[2].can_go() && !findings[3].can_go());
        assert!(assumptions_text(&[], &style, 2).is_empty());
    }
}
