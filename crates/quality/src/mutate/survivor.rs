//! What becomes of a mutant on which all properties hold: it has no runs at all, or it is compared
//! with the original.

use super::campaign::{Decided, Fate, Letter, Step, Test};
use super::equivalence::{Comparison, Reach, Seen, compare, difference};
use super::group::Looked;
use super::mutant::Mutant;
use super::shared::{CONSISTENT, accepted_run};
use super::worker::Worker;
use crate::oracle::OracleError;
use proofmark_audit::{OpenSolver, vacuity};
use proofmark_model::{Program, System, Term, Trace};
use std::sync::mpsc::Sender;
use std::time::Instant;

impl Worker<'_> {
    /// Compares a survivor with the original.
    pub fn survivor(
        &mut self,
        at: usize,
        one: &Decided,
        mutant: Option<&Mutant>,
        sender: &Sender<Letter>,
    ) -> Result<(), OracleError> {
        let start = Instant::now();
        let mut decided = one.clone();
        if let (Some(observed), Some(mutant)) = (self.shared.plan.observed, mutant) {
            let whole = mutant.of(self.shared.system())?;
            let comparison = Some(self.compare(at, mutant, &whole, observed)?);
            decided.fate = Fate::Survived { comparison };
        }
        decided.time += start.elapsed();
        // With nobody left to hear there is nothing left to do.
        let _ = sender.send(Ok((at, Step::Decided(decided))));
        Ok(())
    }

    /// A mutant on which all properties hold, if it has runs at all.
    pub(super) fn survived(&mut self, mutant: &Mutant, by: Test) -> Result<Looked, OracleError> {
        if let Some(why) = self.contradiction(mutant)? {
            let why = why.to_string();
            return Ok(Looked::Decided(Fate::Vacuous { why }, by));
        }
        let comparison = None;
        Ok(Looked::Decided(Fate::Survived { comparison }, by))
    }

    /// How the assumptions of a mutant contradict each other, if they do. A stored run that it
    /// accepts shows that they do not.
    fn contradiction(&self, mutant: &Mutant) -> Result<Option<&'static str>, OracleError> {
        let shared = self.shared;
        let Some(part) = &shared.assumptions else {
            return Ok(None);
        };
        let mutant = mutant.within(&part.positions);
        if mutant.elements.is_empty() {
            return Ok(None);
        }
        let system = mutant.of(&part.system)?;
        let program = Program::compile(&system)?;
        let mut machine = program.machine();
        let mut accepts = |run: &Trace| machine.run(run).1.violated.is_empty();
        for run in shared.accepted.runs() {
            if accepts(&run) {
                shared.accepted.credit(&run);
                return Ok(None);
            }
        }
        let resources = &shared.plan.resources;
        if let Some(run) = accepted_run(&system, CONSISTENT, resources)?
            && accepts(&run)
        {
            shared.accepted.add(run);
            return Ok(None);
        }
        let open = || (resources.open)();
        let assumptions = vacuity(&system, &program, &open, Some(resources.time()))?;
        Ok(assumptions.contradiction())
    }

    fn compare(
        &self,
        at: usize,
        mutant: &Mutant,
        whole: &System,
        observed: &[Term],
    ) -> Result<Comparison, OracleError> {
        let shared = self.shared;
        let system = shared.system();
        let reach = Reach::new(system, &shared.readers, mutant);
        if !reach.shows(system, observed) {
            return Ok(Comparison::Equivalent);
        }
        if shared.plan.resources.exhausted() {
            let why = "the time is up".into();
            return Ok(Comparison::Unknown { why });
        }
        let program = Program::compile(whole)?;
        let mut machine = program.machine();
        if let Some(run) = shared.plan.former.runs.get(&at) {
            let seen = Seen::of(&shared.original, run);
            if let Some(distinction) = difference(&seen, &mut machine, &seen.run, observed) {
                return Ok(Comparison::Different(Box::new(distinction)));
            }
        }
        for seen in shared.telling.runs() {
            if let Some(distinction) = difference(&seen, &mut machine, &seen.run, observed) {
                shared.telling.credit(&seen);
                return Ok(Comparison::Different(Box::new(distinction)));
            }
        }
        let auditor = shared.plan.auditor;
        let audit = || match auditor {
            Some(open) => open(),
            None => (shared.plan.resources.open)(),
        };
        let comparison = compare(
            system,
            mutant,
            &reach,
            observed,
            &shared.plan.resources,
            auditor.map(|_| &audit as &OpenSolver<'_>),
        )?;
        if let Comparison::Different(distinction) = &comparison {
            let seen = Seen::of(&shared.original, &distinction.original);
            shared.telling.add(seen);
        }
        Ok(comparison)
    }
}
