//! A goal's system unrolled in a solver, with a literal for each unit.
//!
//! Everything is asserted once; which units take part in a query is said by assumptions, and the
//! core of an unsatisfiable query names the units that it used. Constraints carry a second literal,
//! one a step: a query about the first steps must not see the constraints of later ones, since
//! those might rule out the very run that it asks about. Definitions never rule out a run.

use crate::goal::{Goal, Set};
use proofmark_engine::Frames;
use proofmark_model::{Phase, Sort, Term, Trace};
use proofmark_solve::{Answer, Budget, SolveError, Solver};

/// Where a sequence of states begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Root {
    /// In a first state.
    Init,
    /// In any state: of it only what every state satisfies by itself is known.
    State,
}

pub(crate) struct Guarded<'g> {
    goal: &'g Goal,
    frames: Frames<'g>,
    /// A literal for each unit.
    units: Vec<Term>,
    /// How many states there are.
    states: u32,
}

impl<'g> Guarded<'g> {
    pub fn new(goal: &'g Goal, root: Root, solver: Box<dyn Solver>) -> Result<Self, SolveError> {
        let literal = |unit| Term::var(&format!("%unit{unit}"), Sort::Bool);
        let mut guarded = Guarded {
            goal,
            frames: Frames::new(&goal.system, solver),
            units: (0..goal.units.len()).map(literal).collect(),
            states: 0,
        };
        match root {
            Root::Init => guarded.assert_part(Phase::Init)?,
            Root::State => guarded.assert_state()?,
        }
        Ok(guarded)
    }

    pub fn set_budget(&mut self, budget: Budget) {
        self.frames.solver.set_budget(budget);
    }

    /// Makes sure that the states up to this one are there.
    pub fn reach(&mut self, last: u32) -> Result<(), SolveError> {
        while self.states <= last {
            self.assert_part(Phase::Step)?;
        }
        Ok(())
    }

    fn assert_part(&mut self, phase: Phase) -> Result<(), SolveError> {
        let step = self.states;
        for id in self.goal.system.ids() {
            let element = self.goal.system.element(id);
            let is_constraint = element.target().is_none();
            let part = element.part(phase);
            self.assert_guarded(id, part, is_constraint, step)?;
        }
        self.states += 1;
        Ok(())
    }

    fn assert_state(&mut self) -> Result<(), SolveError> {
        for id in self.goal.system.ids() {
            let element = self.goal.system.element(id);
            for fact in self.goal.system.timeless_part(element) {
                self.assert_guarded(id, fact, element.target().is_none(), 0)?;
            }
        }
        self.states = 1;
        Ok(())
    }

    fn assert_guarded(
        &mut self,
        id: proofmark_model::ElementId,
        fact: Term,
        is_constraint: bool,
        step: u32,
    ) -> Result<(), SolveError> {
        let unit = self.goal.units.unit_of(id).map(|unit| self.units[unit]);
        let live = is_constraint.then(|| live(step));
        let guards: Vec<Term> = unit.into_iter().chain(live).collect();
        let fact = self.frames.at(fact, step);
        self.frames.solver.assert(Term::and(&guards).implies(fact))
    }

    /// Asserts a term at a state, whatever units take part.
    pub fn assert_at(&mut self, term: Term, step: u32) -> Result<(), SolveError> {
        self.frames.assert_at(term, step)
    }

    /// That one of the terms is false at a state.
    pub fn some_false(&mut self, terms: &[Term], step: u32) -> Term {
        let negations = terms.iter().map(|term| self.frames.at(*term, step).not());
        let negations: Vec<Term> = negations.collect();
        Term::or(&negations)
    }

    /// Whether states up to `last` exist, with these units, that satisfy the terms. They have to be
    /// there.
    pub fn check(&mut self, set: &Set, last: u32, terms: &[Term]) -> Result<Answer, SolveError> {
        debug_assert!(last < self.states);
        let mut assumptions: Vec<Term> = set.ones().map(|unit| self.units[unit]).collect();
        assumptions.extend((0..=last).map(live));
        assumptions.extend(terms);
        self.frames.solver.check(&assumptions)
    }

    /// The units that the last query, which was unsatisfiable, used.
    pub fn core(&mut self) -> Result<Set, SolveError> {
        let core = self.frames.solver.core()?;
        let core: rustc_hash::FxHashSet<Term> = core.into_iter().collect();
        let mut set = self.goal.units.none();
        let used = (0..self.units.len()).filter(|unit| core.contains(&self.units[*unit]));
        set.extend(used);
        Ok(set)
    }

    /// Does a term hold at a state of the model of the last query?
    pub fn holds(&mut self, term: Term, step: u32) -> Result<bool, SolveError> {
        self.frames.holds(term, step)
    }

    /// The states of the model of the last query.
    pub fn trace(&mut self, last: u32) -> Result<Trace, SolveError> {
        self.frames.trace(last)
    }
}

/// That the constraints of a step count.
fn live(step: u32) -> Term {
    Term::var(&format!("%live{step}"), Sort::Bool)
}
