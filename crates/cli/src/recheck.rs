//! `--recheck`: how much of what a file says is shown once more.
//!
//! A journal or a document may have been written by anybody, so that what it says is evidence and never a verdict.
//! A mutant that is rechecked is decided anew, with the run or the invariants of the file tried first, as `--reuse`
//! does; where that comes to the same, the verdict has the audit of this run. What is not rechecked has none, for
//! the reason [`FROM_A_FILE`], and the score says how many those are. Which ones a sample takes, nobody can know who
//! writes the file.

use crate::exit::Exit;
use crate::journal::Journal;
use crate::terminal;
use clap::ValueEnum;
use proofmark_report::{AuditMark, FROM_A_FILE, MutantAudit, MutantFinding, MutantVerdict};
use rustc_hash::FxHashSet;
use std::hash::{BuildHasher, RandomState};

/// How much of what a file says is shown once more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Recheck {
    /// Everything
    All,
    /// As many verdicts as cost a tenth of what all did, and at least a second
    #[default]
    Sample,
    /// Nothing: what is not shown is told as such
    None,
}

/// The share of its cost for which a campaign is rechecked, and the seconds that are always spent.
const SHARE: f64 = 0.1;
const AT_LEAST: f64 = 1.0;

/// The ids of the mutants in a journal that are decided again.
pub fn choose(how: Recheck, journal: &Journal) -> FxHashSet<String> {
    let all = journal.findings();
    let cost = |one: &MutantFinding| match one.seconds.is_finite() {
        true => one.seconds.max(0.0),
        false => 0.0,
    };
    let mut left = match how {
        Recheck::All => f64::INFINITY,
        Recheck::Sample => AT_LEAST.max(SHARE * all.iter().map(|one| cost(one)).sum::<f64>()),
        Recheck::None => return FxHashSet::default(),
    };
    let random = RandomState::new();
    let mut order = all;
    order.sort_by_key(|one| random.hash_one(&one.id));
    let mut chosen = FxHashSet::default();
    for one in order {
        left -= cost(one);
        if left < 0.0 && !chosen.is_empty() {
            break;
        }
        chosen.insert(one.id.clone());
    }
    chosen
}

/// A verdict that nobody has shown in this run.
pub fn unshown(mut finding: MutantFinding) -> MutantFinding {
    if finding.verdict != MutantVerdict::Unknown {
        finding.audit = Some(MutantAudit {
            result: AuditMark::Missing,
            by: None,
            reason: Some(FROM_A_FILE.into()),
        });
    }
    finding
}

/// What the file says of a mutant and what this run found, put together.
pub struct Rechecked {
    how: Recheck,
    wrong: Vec<String>,
}

impl Rechecked {
    pub fn new(how: Recheck) -> Rechecked {
        Rechecked {
            how,
            wrong: Vec::new(),
        }
    }

    /// The finding that counts.
    pub fn compare(
        &mut self,
        filed: &MutantFinding,
        found: Option<MutantFinding>,
    ) -> MutantFinding {
        let Some(found) = found.filter(|one| one.verdict != MutantVerdict::Unknown) else {
            // The time was up, or the budget is smaller than it was.
            return unshown(filed.clone());
        };
        if comes_to_the_same(filed.verdict, found.verdict) {
            return MutantFinding {
                audit: found.audit,
                ..filed.clone()
            };
        }
        self.wrong.push(filed.id.clone());
        found
    }

    /// A mutant of which the file says that it survives, and no more.
    pub fn compare_survivor(&mut self, filed: &MutantFinding, found: &MutantFinding) {
        if found.verdict != MutantVerdict::Unknown && !found.verdict.survives() {
            self.wrong.push(filed.id.clone());
        }
    }

    /// Says what was wrong. Where only a part was looked at, the rest is not worth more.
    pub fn tell(self) -> Result<(), Exit> {
        let Some(first) = self.wrong.first() else {
            return Ok(());
        };
        let count = self.wrong.len();
        let what = format!(
            "{count} verdicts of the journal that were rechecked are wrong; the first is that of {first}"
        );
        match self.how {
            Recheck::All => {
                terminal::warning(&what);
                Ok(())
            }
            Recheck::Sample | Recheck::None => {
                terminal::error(&format!("{what}; --recheck all decides all of them again"));
                Err(Exit::Internal)
            }
        }
    }
}

/// Whether a survivor was compared further does not make a verdict wrong.
fn comes_to_the_same(filed: MutantVerdict, found: MutantVerdict) -> bool {
    use MutantVerdict::{Survived, Unknown};
    let is_open = filed == Survived || found == Survived;
    filed == found || filed == Unknown || (filed.survives() && found.survives() && is_open)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(verdict: &str) -> MutantFinding {
        let finding = serde_json::json!({
            "id": "m/x", "label": "x", "mutator": "or2xor", "element": "x", "origin": { "name": "x", "index": 0 },
            "original": "a", "replacement": "b", "verdict": verdict, "decided_by": "bmc",
            "queries": 1, "seconds": 0.1,
            "audit": { "result": "passed", "by": "simulator" },
        });
        serde_json::from_value(finding).unwrap()
    }

    #[test]
    fn a_verdict_of_a_file_counts_when_it_is_found_again_and_is_marked_otherwise() {
        let mut rechecked = Rechecked::new(Recheck::Sample);
        let same = rechecked.compare(&finding("killed"), Some(finding("killed")));
        assert_eq!(same.audit.unwrap().result, AuditMark::Passed);
        let late = rechecked.compare(&finding("killed"), None);
        assert_eq!(late.audit.unwrap().reason.as_deref(), Some(FROM_A_FILE));
        assert!(rechecked.wrong.is_empty());
        let forged = rechecked.compare(&finding("killed"), Some(finding("gap")));
        assert_eq!(forged.verdict, MutantVerdict::Gap);
        assert!(rechecked.tell().is_err());
    }
}
