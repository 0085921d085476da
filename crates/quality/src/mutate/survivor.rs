//! What becomes of a mutant on which all properties hold: it has no runs at all, or it is compared
//! with the original.
//!
//! All survivors get a little effort first: stored runs, and a few queries about the mutant beside the
//! original. Most are decided so, and leave runs that tell others apart. What is put off gets those
//! runs, longer ones, and at last a product and the engines. So a timeout costs the hard ones alone.

use super::beside::{Beside, Ground, Visitor};
use super::campaign::{Decided, Fate, Test};
use super::equivalence::{Comparison, Reach, Seen, compare, difference};
use super::group::Looked;
use super::mutant::Mutant;
use super::ripple::Ripple;
use super::shared::{CONSISTENT, Shared, accepted_run};
use super::worker::Worker;
use crate::oracle::{OpenSolver, OracleError};
use proofmark_audit::vacuity;
use proofmark_model::{Program, Trace};
use std::ops::Range;
use std::time::Instant;

/// What a comparison may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effort {
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

/// Compares survivors with the original, one after the other.
pub(super) struct Comparer<'s> {
    shared: &'s Shared<'s>,
    ground: &'s Ground<'s>,
    beside: Beside<'s>,
}

impl<'s> Comparer<'s> {
    pub fn new(shared: &'s Shared<'s>, ground: &'s Ground<'s>) -> Comparer<'s> {
        let auditor = shared.plan.auditor;
        Comparer {
            shared,
            ground,
            beside: Beside::new(ground, auditor.map(|open| open as &OpenSolver<'_>)),
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
        let before = self.beside.queries;
        let comparison = match effort {
            Effort::Little => self.quick(at, mutant)?,
            Effort::Much => Some(self.thorough(at, mutant)?),
        };
        let mut decided = one.clone();
        decided.fate = Fate::Survived { comparison };
        decided.time += start.elapsed();
        decided.queries += self.beside.queries - before;
        Ok(decided)
    }
}

impl Comparer<'_> {
    /// Stored runs, then a few questions about the mutant beside the original.
    fn quick(&mut self, at: usize, mutant: &Mutant) -> Result<Option<Comparison>, OracleError> {
        let (shared, system) = (self.shared, self.shared.system());
        let reach = Reach::new(system, &shared.readers, mutant);
        if !reach.shows(system, self.ground.observed) {
            return Ok(Some(Comparison::Equivalent));
        }
        if shared.plan.resources.exhausted() {
            return Ok(None);
        }
        let visitor = Visitor::new(self.ground, mutant, &reach);
        if let Some(found) = self.replayed(at, &visitor)? {
            return Ok(Some(found));
        }
        if let Some(found) = self.look(&visitor, 0..FIRST_LOOK)? {
            return Ok(Some(found));
        }
        if self.beside.same(&visitor)? {
            return Ok(Some(Comparison::Equivalent));
        }
        self.look(&visitor, FIRST_LOOK..SECOND_LOOK)
    }

    /// A difference that a stored run shows.
    fn replayed(
        &self,
        at: usize,
        visitor: &Visitor<'_>,
    ) -> Result<Option<Comparison>, OracleError> {
        let shared = self.shared;
        if let Some(run) = shared.plan.former.runs.get(&at) {
            let seen = Seen::of(&shared.original, run);
            if let Some(found) = self.shown(visitor.mutant, &seen, &seen.run)? {
                return Ok(Some(found));
            }
        }
        let observed = self.ground.observed;
        let ripple = Ripple::new(shared.system(), observed, visitor.mutant, visitor.reach);
        for seen in shared.telling.runs() {
            if ripple.differs(&seen)
                && let Some(found) = self.shown(visitor.mutant, &seen, &seen.run)?
            {
                shared.telling.credit(&seen);
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// A difference, if the simulator shows one.
    fn shown(
        &self,
        mutant: &Mutant,
        seen: &Seen,
        given: &Trace,
    ) -> Result<Option<Comparison>, OracleError> {
        let program = Program::compile(&mutant.of(self.shared.system())?)?;
        let found = difference(seen, &mut program.machine(), given, self.ground.observed);
        Ok(found.map(|found| Comparison::Different(Box::new(found))))
    }

    /// Looks for a difference at these steps, and keeps the run for others.
    fn look(
        &mut self,
        visitor: &Visitor<'_>,
        steps: Range<u32>,
    ) -> Result<Option<Comparison>, OracleError> {
        let shared = self.shared;
        for step in steps {
            if shared.plan.resources.exhausted() {
                break;
            }
            let Some((given, also_given)) = self.beside.difference(visitor, step)? else {
                continue;
            };
            let seen = Seen::of(&shared.original, &given);
            if let Some(found) = self.shown(visitor.mutant, &seen, &also_given)? {
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
        let reach = Reach::new(system, &shared.readers, mutant);
        let visitor = Visitor::new(self.ground, mutant, &reach);
        if let Some(found) = self.replayed(at, &visitor)? {
            return Ok(found);
        }
        if let Some(found) = self.look(&visitor, SECOND_LOOK..LAST_LOOK)? {
            return Ok(found);
        }
        if resources.exhausted() {
            return Ok(Comparison::late());
        }
        let auditor = shared.plan.auditor;
        let audit = || match auditor {
            Some(open) => open(),
            None => (resources.open)(),
        };
        let auditor = auditor.map(|_| &audit as &proofmark_audit::OpenSolver<'_>);
        let comparison = compare(
            system,
            mutant,
            &reach,
            self.ground.observed,
            resources,
            auditor,
        )?;
        if let Comparison::Different(found) = &comparison {
            let seen = Seen::of(&shared.original, &found.original);
            shared.telling.add(seen);
        }
        Ok(comparison)
    }
}

impl Worker<'_> {
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
        let within = mutant.within(&part.positions);
        if within.elements.is_empty() {
            return Ok(None);
        }
        let reach = Reach::new(shared.system(), &shared.readers, mutant);
        let ripple = Ripple::new(shared.system(), &[], mutant, &reach);
        for seen in shared.accepted.runs() {
            if seen.broken_at.is_none() && ripple.is_same(&seen) {
                shared.accepted.credit(&seen);
                return Ok(None);
            }
        }
        let system = within.of(&part.system)?;
        let program = Program::compile(&system)?;
        let mut machine = program.machine();
        let mut accepts = |run: &Trace| machine.run(run).1.violated.is_empty();
        for seen in shared.accepted.runs() {
            if accepts(&seen.run) {
                shared.accepted.credit(&seen);
                return Ok(None);
            }
        }
        let resources = &shared.plan.resources;
        if let Some(run) = accepted_run(&system, CONSISTENT, resources)?
            && accepts(&run)
        {
            shared.accepted.add(Seen::of(&shared.original, &run));
            return Ok(None);
        }
        let open = || (resources.open)();
        let assumptions = vacuity(&system, &program, &open, Some(resources.time()))?;
        Ok(assumptions.contradiction())
    }
}
