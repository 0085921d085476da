//! Who checks verdicts again, for how long, and what came of it.
//!
//! The auditor that is named is the one that audits: no other solver answers in its place, and none
//! is credited for it. A proof on which the auditor has no answer in its time is not audited; its
//! verdict is unknown unless the caller accepts unaudited verdicts.

use crate::oracle::OpenSolver;
use proofmark_solve::{SolveError, Solver};
use std::time::Duration;

/// The solver that audits proofs, and its limits.
#[derive(Clone, Copy)]
pub struct Auditor<'a> {
    /// Makes a fresh instance of the solver that is named as auditor.
    pub open: &'a OpenSolver<'a>,
    /// What it may take for one proof; for the properties of the model also what is left of the time.
    pub time: Duration,
    /// Whether a verdict counts that is proved and on which the auditor has no answer.
    pub accept_unaudited: bool,
}

impl Default for Auditor<'_> {
    /// The embedded solver without preprocessing, five seconds a proof; what has no audit is no verdict.
    fn default() -> Self {
        Auditor {
            open: &open_default,
            time: Duration::from_secs(5),
            accept_unaudited: false,
        }
    }
}

fn open_default() -> Result<Box<dyn Solver>, SolveError> {
    proofmark_audit::auditor(None)
}

/// What became of the audit of a verdict. A verdict whose audit fails is an error, and never shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Audited {
    /// Each of these checked its part of the verdict: solvers by name, or the simulator.
    Passed {
        /// The auditors by name, each once.
        by: Vec<String>,
    },
    /// No audit was asked for.
    NotAskedFor,
    /// The auditor has no answer.
    NoAnswer {
        /// What the auditor said instead, in words.
        why: String,
    },
}

impl Audited {
    /// An audit that passed.
    pub fn by(who: impl Into<String>) -> Audited {
        Audited::Passed {
            by: vec![who.into()],
        }
    }

    /// A run that was replayed.
    pub fn by_simulator() -> Audited {
        Audited::by("simulator")
    }

    /// Whether somebody checked all of it.
    pub fn passed(&self) -> bool {
        matches!(self, Audited::Passed { .. })
    }

    /// Whether a verdict may be shown: it was audited, no audit was asked for, or unaudited verdicts
    /// are accepted.
    pub fn stands(&self, auditor: Option<&Auditor<'_>>) -> bool {
        match self {
            Audited::Passed { .. } | Audited::NotAskedFor => true,
            Audited::NoAnswer { .. } => auditor.is_none_or(|one| one.accept_unaudited),
        }
    }

    /// The audit of a verdict that rests on two that were audited: it passed when both did.
    pub fn and(self, other: Audited) -> Audited {
        match (self, other) {
            (Audited::Passed { mut by }, Audited::Passed { by: also }) => {
                by.extend(also);
                let mut seen = Vec::new();
                by.retain(|one| {
                    let new = !seen.contains(one);
                    seen.push(one.clone());
                    new
                });
                Audited::Passed { by }
            }
            (Audited::Passed { .. }, other) => other,
            (one @ Audited::NoAnswer { .. }, _) => one,
            (Audited::NotAskedFor, other @ Audited::NoAnswer { .. }) => other,
            (Audited::NotAskedFor, _) => Audited::NotAskedFor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_audit_of_two_parts_passes_when_both_do() {
        let by = |names: &[&str]| Audited::Passed {
            by: names.iter().map(|name| name.to_string()).collect(),
        };
        let silent = Audited::NoAnswer { why: "no".into() };
        assert_eq!(by(&["a"]).and(by(&["b", "a"])), by(&["a", "b"]));
        assert_eq!(by(&["a"]).and(silent.clone()), silent);
        assert_eq!(silent.clone().and(by(&["a"])), silent);
        assert_eq!(Audited::NotAskedFor.and(silent.clone()), silent);
        assert_eq!(Audited::NotAskedFor.and(by(&["a"])), Audited::NotAskedFor);
    }
}
