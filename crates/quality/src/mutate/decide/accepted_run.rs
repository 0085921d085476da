//! Does a surviving mutant have a run at all?
//!
//! All properties hold on a mutant whose assumptions accept nothing. So a survivor needs a run that
//! its assumptions accept: a stored one, one that is repaired, or one that a solver finds. A
//! contradiction that a solver proves makes the mutant vacuous; without either answer the mutant is
//! unknown.

use crate::mutate::campaign::{Fate, Test};
use crate::mutate::compare::fault_simulation::FaultSimulation;
use crate::mutate::compare::product::{FanOut, Seen};
use crate::mutate::decide::cascade::Worker;
use crate::mutate::decide::group::Looked;
use crate::mutate::decide::repair::{FEW_ATTEMPTS, MOST_ATTEMPTS, Repair, Repaired};
use crate::mutate::mutant::Mutant;
use crate::mutate::shared::{CONSISTENT, accepted_run};
use crate::oracle::OracleError;
use proofmark_audit::vacuity;
use proofmark_model::{Program, System, Trace};
use rustc_hash::FxHashSet;

/// How many stored runs are mended for a mutant.
const MENDED: usize = 2;

/// What is known of a mutant's assumptions.
enum Assumed {
    Consistent,
    Contradiction(&'static str),
    /// The time was up.
    Unknown,
}

impl Worker<'_> {
    /// A mutant on which all properties hold, if it has runs at all.
    pub(crate) fn survived(&mut self, mutant: &Mutant, by: Test) -> Result<Looked, OracleError> {
        let comparison = None;
        let fate = match self.assumed(mutant)? {
            Assumed::Consistent => Fate::Survived { comparison },
            Assumed::Contradiction(why) => Fate::Vacuous { why: why.into() },
            Assumed::Unknown => Fate::Unknown {
                steps: self.shared.plan.proof.k,
                why: "no time was left to find a run of the assumptions".into(),
                cut: true,
            },
        };
        Ok(Looked::Decided(fate, by))
    }

    /// Whether the assumptions of a mutant contradict each other. A stored run that it accepts, as it
    /// is or mended, shows that they do not.
    fn assumed(&self, mutant: &Mutant) -> Result<Assumed, OracleError> {
        let shared = self.shared;
        let Some(part) = &shared.assumptions else {
            return Ok(Assumed::Consistent);
        };
        let within = mutant.within(&part.positions);
        if within.elements.is_empty() {
            return Ok(Assumed::Consistent);
        }
        let fan_out = FanOut::new(shared.system(), &shared.readers, mutant);
        let simulation = FaultSimulation::new(shared.system(), &[], mutant, &fan_out);
        let mut runs = shared.accepted.runs();
        runs.retain(|seen| seen.broken_at.is_none());
        for seen in &runs {
            if simulation.is_same(seen) {
                shared.accepted.credit(seen);
                return Ok(Assumed::Consistent);
            }
        }
        let resources = &shared.plan.resources;
        let repair = Repair {
            dependencies: &shared.dependencies,
            system: shared.system(),
            readers: &shared.readers,
            mutant,
            open: resources.open,
        };
        for attempts in [FEW_ATTEMPTS, MOST_ATTEMPTS] {
            let mut damaged = FxHashSet::default();
            for seen in runs.iter().take(MENDED) {
                match repair.mend(seen, attempts)? {
                    Repaired::Run(run) => {
                        self.accept(&run);
                        return Ok(Assumed::Consistent);
                    }
                    Repaired::Damaged(elements) => damaged.extend(elements),
                }
            }
            if resources.exhausted() {
                return Ok(Assumed::Unknown);
            }
            if let Some(excerpt) = repair.excerpt(&damaged)
                && let Some(why) = self.contradiction(&excerpt)?
            {
                return Ok(Assumed::Contradiction(why));
            }
        }
        self.by_solver(&within.of(&part.system)?)
    }

    /// Keeps a run that some mutant accepts for others.
    fn accept(&self, run: &Trace) {
        let seen = Seen::of(&self.shared.original, run);
        if seen.broken_at.is_none() {
            self.shared.accepted.add(seen);
        }
    }

    /// How the constraints of a system contradict each other, if they do.
    fn contradiction(&self, system: &System) -> Result<Option<&'static str>, OracleError> {
        let resources = &self.shared.plan.resources;
        let (open, program) = (|| (resources.open)(), Program::compile(system)?);
        let found = vacuity(system, &program, &open, Some(resources.time()))?;
        Ok(found.contradiction())
    }

    /// Whether the assumptions of a system contradict each other, by a solver that is told of all.
    fn by_solver(&self, system: &System) -> Result<Assumed, OracleError> {
        let resources = &self.shared.plan.resources;
        let program = Program::compile(system)?;
        if let Some(run) = accepted_run(system, CONSISTENT, resources)?
            && program.machine().run(&run).1.violated.is_empty()
        {
            self.accept(&run);
            return Ok(Assumed::Consistent);
        }
        Ok(match self.contradiction(system)? {
            Some(why) => Assumed::Contradiction(why),
            None if resources.exhausted() => Assumed::Unknown,
            None => Assumed::Consistent,
        })
    }
}
