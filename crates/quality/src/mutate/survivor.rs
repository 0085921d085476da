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
use super::repair::{FEW_ATTEMPTS, MOST_ATTEMPTS, Repair, Repaired};
use super::ripple::Ripple;
use super::shared::{CONSISTENT, Shared, accepted_run};
use super::worker::Worker;
use crate::oracle::{OpenSolver, OracleError};
use proofmark_audit::vacuity;
use proofmark_model::{Program, System, Trace};
use rustc_hash::FxHashSet;
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
    pub(super) fn survived(&mut self, mutant: &Mutant, by: Test) -> Result<Looked, OracleError> {
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
        let reach = Reach::new(shared.system(), &shared.readers, mutant);
        let ripple = Ripple::new(shared.system(), &[], mutant, &reach);
        let mut runs = shared.accepted.runs();
        runs.retain(|seen| seen.broken_at.is_none());
        for seen in &runs {
            if ripple.is_same(seen) {
                shared.accepted.credit(seen);
                return Ok(Assumed::Consistent);
            }
        }
        let resources = &shared.plan.resources;
        let repair = Repair {
            workshop: &shared.workshop,
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
