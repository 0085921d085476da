//! What a run does not fail for, so that every report says the same as the exit code.
//!
//! A user accepts kinds of findings (`--accept`), or asks for a score (`--min-score`): then the score
//! decides, and no single mutant. What is accepted is still reported, as something that does not fail
//! the run, with the reason.

use crate::findings::{MutantFinding, MutantVerdict, PropertyFinding, PropertyVerdict};
use crate::score::Score;

/// What is accepted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tolerance {
    /// Properties and mutants without an answer.
    pub unknown: bool,
    /// Properties that say nothing, because their assumptions cannot be met.
    pub vacuous: bool,
    /// Mutants that no property notices.
    pub gap: bool,
    /// Verdicts to which the auditor has no answer.
    pub unaudited: bool,
    /// The least share of mutants that must be killed, if one is asked for.
    pub min_score: Option<f64>,
}

impl Tolerance {
    /// Why a mutant that is not noticed, or not decided, does not fail the run; nothing when it does.
    pub fn of_mutant(&self, mutant: &MutantFinding, score: Option<&Score>) -> Option<String> {
        if let (Some(least), Some(score)) = (self.min_score, score) {
            return (score.low >= least).then(|| {
                let least = 100.0 * least;
                format!("accepted: the score reaches {least:.1} %")
            });
        }
        let unknown = mutant.verdict == MutantVerdict::Unknown;
        let accepted = match unknown {
            true if self.unknown => "unknown",
            true if self.unaudited && mutant.is_unaudited() => "unaudited",
            false if self.gap => "gap",
            _ => return None,
        };
        Some(format!("accepted: --accept {accepted}"))
    }

    /// Why a property without an answer does not fail the run; nothing when it does.
    pub fn of_property(&self, property: &PropertyFinding) -> Option<String> {
        match property.verdict {
            PropertyVerdict::Unknown if self.unknown => Some("accepted: --accept unknown".into()),
            PropertyVerdict::Vacuous if self.vacuous => Some("accepted: --accept vacuous".into()),
            _ => None,
        }
    }
}
