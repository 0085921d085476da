//! What a survivor is: equivalent to the original, a gap, or not told apart.
//!
//! All survivors get a little effort first: stored runs, and a few queries about mutant and original
//! in lockstep. Most are decided so, and leave runs that tell others apart. What is put off gets those
//! runs, longer ones, and at last a product and the engines. So a timeout costs the hard ones alone.
//!
//! Where one of them has choices that matter, a run that seems to tell them apart is a candidate, and
//! `choices` decides whether it does; `inclusion` comes last.

use crate::mutate::campaign::{Decided, Fate};
use crate::mutate::compare::choices::{Choosers, Told};
use crate::mutate::compare::fault_simulation::FaultSimulation;
use crate::mutate::compare::inclusion::Inclusion;
use crate::mutate::compare::lockstep::{Lockstep, LockstepBase, LockstepMutant};
use crate::mutate::compare::product::{Comparison, Distinction, FanOut, Seen, compare};
use crate::mutate::mutant::Mutant;
use crate::mutate::shared::Shared;
use crate::oracle::OracleError;
use proofmark_model::{Program, System, Trace};
use std::ops::Range;
use std::time::Instant;

/// What a comparison may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    /// Stored runs and a few queries.
    Little,
    /// All engines.
    Much,
}

/// How many steps are looked at for a difference before it is asked whether there is none.
const FIRST_LOOK: u32 = 2;
/// How many before a mutant is put off, and how many before the engines are asked.
const SECOND_LOOK: u32 = 3;
const LAST_LOOK: u32 = 6;
/// How many times a solver is asked, for one effort, whether a system has a run of the other one.
const FOLLOWED: u64 = 12;

/// Compares survivors with the original, one after the other.
pub(crate) struct Comparer<'s> {
    shared: &'s Shared<'s>,
    base: &'s LockstepBase<'s>,
    lockstep: Lockstep<'s>,
    /// How many times a solver may still be asked whether a system has a run of the other one.
    follow: u64,
}

impl<'s> Comparer<'s> {
    pub fn new(shared: &'s Shared<'s>, base: &'s LockstepBase<'s>) -> Comparer<'s> {
        Comparer {
            shared,
            base,
            lockstep: Lockstep::new(base, shared.plan.auditor),
            follow: FOLLOWED,
        }
    }

    /// What a survivor is found to be; nothing when that takes more than a few queries and `effort`
    /// does not allow it.
    pub fn survivor(
        &mut self,
        at: usize,
        one: &Decided,
        mutant: &Mutant,
        effort: Effort,
    ) -> Result<Decided, OracleError> {
        let start = Instant::now();
        let before = self.lockstep.queries;
        self.follow = FOLLOWED;
        let comparison = match effort {
            Effort::Little => self.quick(at, mutant)?,
            Effort::Much => Some(self.thorough(at, mutant)?),
        };
        let mut decided = one.clone();
        if let Fate::Survived {
            comparison: found, ..
        } = &mut decided.fate
        {
            *found = comparison;
        }
        decided.time += start.elapsed();
        decided.queries += self.lockstep.queries - before + FOLLOWED - self.follow;
        Ok(decided)
    }
}

impl Comparer<'_> {
    /// Stored runs, then a few questions about mutant and original in lockstep.
    fn quick(&mut self, at: usize, mutant: &Mutant) -> Result<Option<Comparison>, OracleError> {
        let (shared, system) = (self.shared, self.shared.system());
        let fan_out = FanOut::new(system, &shared.readers, mutant);
        if !fan_out.shows(system, self.base.observed) {
            return Ok(Some(Comparison::Equivalent { audit: None }));
        }
        if shared.plan.resources.exhausted() {
            return Ok(None);
        }
        let mutant_copy = LockstepMutant::new(self.base, mutant, &fan_out);
        if let Some(found) = self.replayed(at, &mutant_copy)? {
            return Ok(Some(found));
        }
        if let Some(found) = self.look(&mutant_copy, 0..FIRST_LOOK)? {
            return Ok(Some(found));
        }
        if let Some(audit) = self.lockstep.same(&mutant_copy)? {
            // The proof rests on the invariants of the original.
            let audit = Some(audit.and(shared.plan.proof_audit.clone()));
            return Ok(Some(Comparison::Equivalent { audit }));
        }
        self.look(&mutant_copy, FIRST_LOOK..SECOND_LOOK)
    }

    /// A difference that a stored run shows.
    fn replayed(
        &mut self,
        at: usize,
        mutant_copy: &LockstepMutant<'_>,
    ) -> Result<Option<Comparison>, OracleError> {
        let shared = self.shared;
        if let Some(run) = shared.plan.former.runs.get(&at) {
            let seen = Seen::of(&shared.original, run);
            if let Some(found) = self.shown(mutant_copy, &seen, &seen.run)? {
                return Ok(Some(found));
            }
        }
        let observed = self.base.observed;
        let simulation = FaultSimulation::new(
            shared.system(),
            observed,
            mutant_copy.mutant,
            mutant_copy.fan_out,
        );
        for seen in shared.telling.runs() {
            if simulation.differs(&seen)
                && let Some(found) = self.shown(mutant_copy, &seen, &seen.run)?
            {
                shared.telling.credit(&seen);
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// A difference, if the simulator shows one, and no choice makes up for it.
    fn shown(
        &mut self,
        mutant_copy: &LockstepMutant<'_>,
        seen: &Seen,
        given: &Trace,
    ) -> Result<Option<Comparison>, OracleError> {
        let system = mutant_copy.mutant.of(self.shared.system())?;
        let program = Program::compile(&system)?;
        let mut queries = self.follow;
        let told = self.with_choosers(mutant_copy, (&system, &program), &mut |choosers| {
            choosers.told_apart(seen, given, &mut queries)
        })?;
        self.follow = queries;
        Ok(match told {
            Told::Apart(found) => Some(Comparison::Different(found)),
            Told::Open => None,
        })
    }

    fn with_choosers<T>(
        &self,
        mutant_copy: &LockstepMutant<'_>,
        (system, program): (&System, &Program),
        ask: &mut dyn FnMut(&Choosers<'_>) -> Result<T, OracleError>,
    ) -> Result<T, OracleError> {
        ask(&Choosers {
            systems: [self.shared.system(), system],
            programs: [&self.shared.original, program],
            choices: [&self.base.choices, &mutant_copy.choices],
            observed: self.base.observed,
            resources: &self.shared.plan.resources,
            auditor: self.shared.plan.auditor,
        })
    }

    /// Looks for a difference at these steps, and keeps the run for others.
    fn look(
        &mut self,
        mutant_copy: &LockstepMutant<'_>,
        steps: Range<u32>,
    ) -> Result<Option<Comparison>, OracleError> {
        let shared = self.shared;
        for step in steps {
            if shared.plan.resources.exhausted() {
                break;
            }
            let Some((given, also_given)) = self.lockstep.difference(mutant_copy, step)? else {
                continue;
            };
            let seen = Seen::of(&shared.original, &given);
            if let Some(found) = self.shown(mutant_copy, &seen, &also_given)? {
                shared.telling.add(seen);
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The runs that were found since then, longer runs, and at last all engines on a product of its
    /// own.
    fn thorough(&mut self, at: usize, mutant: &Mutant) -> Result<Comparison, OracleError> {
        let shared = self.shared;
        let resources = &shared.plan.resources;
        if resources.exhausted() {
            return Ok(Comparison::late());
        }
        let system = shared.system();
        let fan_out = FanOut::new(system, &shared.readers, mutant);
        let mutant_copy = LockstepMutant::new(self.base, mutant, &fan_out);
        if let Some(found) = self.replayed(at, &mutant_copy)? {
            return Ok(found);
        }
        if let Some(found) = self.look(&mutant_copy, SECOND_LOOK..LAST_LOOK)? {
            return Ok(found);
        }
        if resources.exhausted() {
            return Ok(Comparison::late());
        }
        let comparison = compare(
            system,
            mutant,
            &fan_out,
            self.base.observed,
            resources,
            shared.plan.auditor,
        )?;
        let comparison = match comparison {
            Comparison::Different(found) => self.despite_choices(&mutant_copy, found)?,
            comparison => comparison,
        };
        if let Comparison::Different(found) = &comparison {
            let seen = Seen::of(&shared.original, &found.original);
            shared.telling.add(seen);
        }
        Ok(comparison)
    }

    /// What becomes of a difference on shared choices when each system may choose for itself.
    fn despite_choices(
        &mut self,
        mutant_copy: &LockstepMutant<'_>,
        found: Box<Distinction>,
    ) -> Result<Comparison, OracleError> {
        let shared = self.shared;
        if self.base.choices.is_empty() && mutant_copy.choices.is_empty() {
            return Ok(Comparison::Different(found));
        }
        let seen = Seen::of(&shared.original, &found.original);
        if let Some(found) = self.shown(mutant_copy, &seen, &found.mutant)? {
            return Ok(found);
        }
        let system = mutant_copy.mutant.of(shared.system())?;
        let program = Program::compile(&system)?;
        let mut queries = 0;
        let comparison = self.with_choosers(mutant_copy, (&system, &program), &mut |choosers| {
            let inclusion = Inclusion {
                choosers,
                changed: mutant_copy.mutant.ids(),
                readers: &shared.readers,
            };
            inclusion.compare(&mut queries)
        });
        self.lockstep.queries += queries;
        comparison
    }
}
