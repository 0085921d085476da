//! How good the properties are at noticing faults, as numbers and as a line of text.
//!
//! The score is the share of killed mutants among all that are not equivalent. A mutant whose
//! assumptions contradict each other counts as killed and is also counted apart. A survivor of a model
//! of which nothing but properties is observed counts as not noticed. Changed assumptions are no
//! faults, and are not counted here at all ([`crate::AssumptionFinding`]).

use crate::findings::{MutantFinding, MutantVerdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// How good the properties are at noticing faults: killed of all that are no equivalents. While
/// something is not known, an interval.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Score {
    /// Those by contradictory assumptions among them.
    pub killed: usize,
    /// Those killed by contradictory assumptions.
    pub vacuous: usize,
    /// Those that do nothing else than the original: no property can notice them.
    pub equivalent: usize,
    /// Those that do something else, and no property notices.
    pub gap: usize,
    /// Survivors of which it is not known whether they are equivalent.
    pub survived: usize,
    /// Survivors where nothing but properties is observed.
    #[serde(default)]
    pub not_observed: usize,
    /// Those that nobody could decide.
    pub unknown: usize,
    /// What is no model; in none of the other counts.
    #[serde(default)]
    pub not_valid: usize,
    /// What nobody notices and somebody decided to leave so; in none of the other counts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub suppressed: usize,
    /// Without those that are no models.
    pub total: usize,
    /// The share of killed ones if whatever is open is not noticed, from 0 to 1.
    pub low: f64,
    /// The share of killed ones if whatever is open is noticed or equivalent, from 0 to 1.
    pub high: f64,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Score {
    /// Counts the verdicts; of no mutants at all, the score is 1.
    pub fn of<'a>(mutants: impl IntoIterator<Item = &'a MutantFinding>) -> Score {
        let (suppressed, counted): (Vec<_>, Vec<_>) = mutants
            .into_iter()
            .partition(|one| one.suppressed.is_some());
        let verdicts: Vec<MutantVerdict> = counted.iter().map(|one| one.verdict).collect();
        let count = |verdict| verdicts.iter().filter(|one| **one == verdict).count();
        let vacuous = count(MutantVerdict::Vacuous);
        let killed = count(MutantVerdict::Killed) + vacuous;
        let equivalent = count(MutantVerdict::Equivalent);
        let survived = count(MutantVerdict::Survived);
        let unknown = count(MutantVerdict::Unknown);
        let not_valid = count(MutantVerdict::NotValid);
        let total = verdicts.len() - not_valid;
        let share = |part: usize, of: usize| match of {
            0 => 1.0,
            _ => part as f64 / of as f64,
        };
        let relevant = total - equivalent;
        Score {
            killed,
            vacuous,
            equivalent,
            gap: count(MutantVerdict::Gap),
            survived,
            not_observed: count(MutantVerdict::NotObserved),
            unknown,
            not_valid,
            suppressed: suppressed.len(),
            total,
            low: share(killed, relevant),
            high: share(killed + unknown, relevant - survived),
        }
    }

    /// How many mutants the score is a share of.
    pub fn relevant(&self) -> usize {
        self.total - self.equivalent
    }

    /// `63.6 %`, the lower end; a dash where every mutant is equivalent.
    pub fn share(&self) -> String {
        match self.relevant() {
            0 => "-".into(),
            _ => format!("{:.1} %", 100.0 * self.low),
        }
    }

    /// `63.6`, or `50.0 to 63.6` while something is not known.
    pub fn percent(&self) -> String {
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        let (low, high) = (percent(self.low), percent(self.high));
        match low == high {
            true => low,
            false => format!("{low} to {high}"),
        }
    }

    /// `score 63.6 % (14 of 22 killed, 8 gaps, 0 unknown; 0 equivalent left out)`, with more where
    /// there is more.
    pub fn line(&self) -> String {
        let mut line = format!(
            "score {} % ({} of {} killed",
            self.percent(),
            self.killed,
            self.relevant()
        );
        // Writing to a string does not fail.
        if self.vacuous > 0 {
            let _ = write!(line, ", {} of them by contradiction", self.vacuous);
        }
        let gaps = if self.gap == 1 { "gap" } else { "gaps" };
        let _ = write!(line, ", {} {gaps}", self.gap);
        for (count, what) in [
            (self.survived, "survived"),
            (self.not_observed, "not observed"),
        ] {
            if count > 0 {
                let _ = write!(line, ", {count} {what}");
            }
        }
        let (unknown, equivalent) = (self.unknown, self.equivalent);
        let _ = write!(line, ", {unknown} unknown; {equivalent} equivalent");
        for (count, what) in [
            (self.suppressed, "suppressed"),
            (self.not_valid, "not valid"),
        ] {
            if count > 0 {
                let _ = write!(line, ", {count} {what}");
            }
        }
        line.push_str(" left out)");
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn score(verdicts: &[(&str, usize)]) -> Score {
        let mutants = verdicts.iter().flat_map(|(verdict, count)| {
            let one = samples::mutant(verdict);
            std::iter::repeat_n(one, *count)
        });
        let mutants: Vec<MutantFinding> = mutants.collect();
        Score::of(&mutants)
    }

    #[test]
    fn the_line_says_what_the_share_is_of() {
        let line = score(&[("killed", 14), ("gap", 8)]).line();
        let expected = "score 63.6 % (14 of 22 killed, 8 gaps, 0 unknown; 0 equivalent left out)";
        assert_eq!(line, expected);
        let line = score(&[("killed", 1), ("vacuous", 1), ("gap", 1), ("equivalent", 2)]).line();
        let expected = "score 66.7 % (2 of 3 killed, 1 of them by contradiction, 1 gap, 0 unknown; \
                        2 equivalent left out)";
        assert_eq!(line, expected);
    }

    #[test]
    fn what_is_not_observed_counts_as_not_noticed() {
        let found = score(&[("killed", 9), ("not-observed", 551)]);
        assert_eq!((found.total, found.not_observed), (560, 551));
        let expected = "score 1.6 % (9 of 560 killed, 0 gaps, 551 not observed, 0 unknown; \
                        0 equivalent left out)";
        assert_eq!(found.line(), expected);
    }

    #[test]
    fn what_is_not_known_makes_an_interval() {
        let found = score(&[
            ("killed", 5),
            ("gap", 2),
            ("unknown", 1),
            ("survived", 2),
            ("not-valid", 3),
        ]);
        assert_eq!((found.total, found.not_valid), (10, 3));
        let expected = "score 50.0 to 75.0 % (5 of 10 killed, 2 gaps, 2 survived, 1 unknown; \
                        0 equivalent, 3 not valid left out)";
        assert_eq!(found.line(), expected);
    }
}
