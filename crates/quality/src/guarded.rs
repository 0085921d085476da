//! A goal's system unrolled in a solver, with a literal for each unit.
//!
//! Everything is asserted once; which units take part in a query is said by assumptions, and the
//! core of an unsatisfiable query names the units that it used. There is one such solver for each
//! length: a query about the first steps must not see the constraints of later ones, which might
//! rule out the very run that it asks about, and should not have to think of their equations.

use crate::goal::{ProofGoal, Set};
use proofmark_engine::Frames;
use proofmark_model::{ElementId, Phase, Sort, Term, Trace};
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
    goal: &'g ProofGoal,
    frames: Frames<'g>,
    /// A literal for each unit.
    units: Vec<Term>,
}

impl<'g> Guarded<'g> {
    /// The states from step 0 to `last`.
    pub fn new(
        goal: &'g ProofGoal,
        root: Root,
        last: u32,
        solver: Box<dyn Solver>,
    ) -> Result<Self, SolveError> {
        let literal = |unit| Term::var(&format!("%unit{unit}"), Sort::Bool);
        let mut guarded = Guarded {
            goal,
            frames: Frames::new(&goal.system, solver),
            units: (0..goal.units.len()).map(literal).collect(),
        };
        for id in goal.system.ids() {
            let element = goal.system.element(id);
            match root {
                Root::Init => guarded.assert_part(id, Phase::Init, 0)?,
                Root::State => {
                    for (variable, value) in goal.system.timeless_definitions(element) {
                        guarded.define(id, variable, value, 0)?;
                    }
                    if let Some(constraint) = goal.system.timeless_constraint(element) {
                        guarded.demand(id, constraint, 0)?;
                    }
                }
            }
            for step in 1..=last {
                guarded.assert_part(id, Phase::Step, step)?;
            }
        }
        Ok(guarded)
    }

    pub fn set_budget(&mut self, budget: Budget) {
        self.frames.solver.set_budget(budget);
    }

    /// The effort of all queries so far.
    pub fn spent(&self) -> u64 {
        let statistics = self.frames.solver.statistics();
        statistics.conflicts + statistics.pivots
    }

    fn assert_part(&mut self, id: ElementId, phase: Phase, step: u32) -> Result<(), SolveError> {
        let element = self.goal.system.element(id);
        for definition in element.definitions() {
            if let Some(value) = definition.value(phase) {
                self.define(id, definition.variable, value, step)?;
            }
        }
        match element.constraint(phase) {
            Some(constraint) => self.demand(id, constraint, step),
            None => Ok(()),
        }
    }

    /// The variable has the value when the unit takes part, and any other when it does not. Said
    /// like this it is a definition in any case, and solvers are good at definitions.
    fn define(
        &mut self,
        id: ElementId,
        variable: Term,
        value: Term,
        step: u32,
    ) -> Result<(), SolveError> {
        let (variable, value) = (self.frames.at(variable, step), self.frames.at(value, step));
        let value = match self.guard(id) {
            Some(guard) => {
                let name = format!("{variable:?}%free");
                Term::ite(guard, value, Term::var(&name, variable.sort()))
            }
            None => value,
        };
        self.frames.solver.assert(variable.eq(value))
    }

    fn demand(&mut self, id: ElementId, constraint: Term, step: u32) -> Result<(), SolveError> {
        let constraint = self.frames.at(constraint, step);
        let demanded = match self.guard(id) {
            Some(guard) => guard.implies(constraint),
            None => constraint,
        };
        self.frames.solver.assert(demanded)
    }

    fn guard(&self, id: ElementId) -> Option<Term> {
        self.goal.units.unit_of(id).map(|unit| self.units[unit])
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

    /// Whether there are such states, with these units, that satisfy the terms.
    pub fn check(&mut self, set: &Set, terms: &[Term]) -> Result<Answer, SolveError> {
        let mut assumptions: Vec<Term> = set.ones().map(|unit| self.units[unit]).collect();
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
