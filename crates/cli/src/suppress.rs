//! Gaps that a project lives with, each for a reason that somebody wrote down.
//!
//! A suppression that names no mutant of the model is an error: the model has changed, and nobody
//! knows whether the reason still holds. One whose mutant is noticed by now is told.

use crate::exit::Exit;
use crate::listing;
use crate::settings::Suppressions;
use crate::terminal;
use proofmark_report::{MutantFinding, MutantVerdict};
use proofmark_source::Diagnostic;
use std::collections::BTreeSet;

impl Suppressions {
    /// Whether every suppressed mutant is one of the model's; those that are not have been printed.
    pub fn check(&self, known: &BTreeSet<String>) -> Result<(), Exit> {
        let mut orphaned = false;
        for one in self.list.iter().filter(|one| !known.contains(&one.mutant)) {
            let id = &one.mutant;
            let hint = listing::near(id, known).unwrap_or_else(|| {
                "`proofmark mutate --list` tells the ids; if it is of another model, say so with \
                 file = \"...\""
                    .into()
            });
            let fault = Diagnostic::error(one.span, format!("the model has no mutant `{id}`"));
            terminal::diagnostic(&fault.with_hint(hint), &self.sources);
            orphaned = true;
        }
        match orphaned {
            true => Err(Exit::Input),
            false => Ok(()),
        }
    }

    /// Marks the mutants that are suppressed.
    pub fn apply(&self, mutants: &mut [MutantFinding]) {
        for one in &self.list {
            let mut mutants = mutants.iter_mut();
            let Some(mutant) = mutants.find(|mutant| mutant.id == one.mutant) else {
                continue;
            };
            match mutant.verdict {
                MutantVerdict::Gap
                | MutantVerdict::Survived
                | MutantVerdict::NotObserved
                | MutantVerdict::Unknown => {
                    mutant.suppressed = Some(one.reason.clone());
                }
                verdict => {
                    let verdict = verdict.as_str().to_lowercase();
                    let message =
                        format!("{} is {verdict}, and need not be suppressed", one.mutant);
                    let told = Diagnostic::warning(one.span, message).with_hint("leave this out");
                    terminal::diagnostic(&told, &self.sources);
                }
            }
        }
    }
}
