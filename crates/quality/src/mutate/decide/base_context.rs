//! An incremental base context: a solver is told once of all elements but a few replaceable ones.
//! A mutant of those is asserted in a scope and popped again.
//!
//! Mutants that change the same elements share a context. What the solver learned about the rest
//! stays. Constraints carry a literal for their step: a question about the first steps must not see
//! the constraints of later ones, which might rule out the very run it asks about.

use crate::mutate::mutant::Mutant;
use crate::oracle::OpenSolver;
use proofmark_engine::Frames;
use proofmark_model::{Element, ElementId, Phase, Sort, System, Term, Trace, Value};
use proofmark_solve::{Answer, Budget, SolveError, Solver};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::time::Instant;

/// Where a sequence of states begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Root {
    /// In a first state.
    Init,
    /// In any state: of it only what every state satisfies by itself is known.
    State,
}

/// What the states of a context are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum View {
    Runs,
    /// Runs of more steps than an induction needs: what the solver knows of late steps would be in
    /// the way of questions about the first.
    LongRuns,
    Induction,
}

/// Unrolled states of the base in a solver.
pub(crate) struct Unrolling<'s> {
    root: Root,
    pub frames: Frames<'s>,
    /// How many states the solver has been told of.
    states: u32,
}

/// The solvers of a base: for runs, and for inductions of one depth.
pub(crate) struct BaseContext<'s> {
    system: &'s System,
    open: &'s OpenSolver<'s>,
    replaceable: FxHashSet<ElementId>,
    k: u32,
    budget: Budget,
    /// By view.
    unrollings: [Option<Unrolling<'s>>; 3],
    pub queries: u64,
}

/// A mutant in the place of the replaceable elements.
pub(crate) struct Inserted<'m> {
    pub mutant: &'m Mutant,
    /// The system with the mutant in place.
    pub system: &'m System,
}

/// What a look for a run showed.
#[derive(Default)]
pub(crate) struct Look {
    /// At how many steps, from the first on, there is certainly none.
    pub safe: u32,
    /// The first step of which nothing is known.
    unknown: Option<u32>,
    /// A step, and a run that violates something there.
    pub violation: Option<(u32, Trace)>,
}

/// What the first steps of a mutant's runs look like.
pub(crate) enum FirstSteps {
    /// Nothing is violated there.
    Safe,
    /// A run violates a property in its last step.
    Violation(Trace),
    /// Some run violates an invariant.
    Weaker,
    Unknown,
}

impl<'s> BaseContext<'s> {
    pub fn new(
        system: &'s System,
        replaceable: &[ElementId],
        k: u32,
        open: &'s OpenSolver<'s>,
        budget: Budget,
    ) -> BaseContext<'s> {
        BaseContext {
            system,
            open,
            replaceable: replaceable.iter().copied().collect(),
            k,
            budget,
            unrollings: [None, None, None],
            queries: 0,
        }
    }

    /// Looks for a run of the mutant that makes one of the terms false, at one step after the other,
    /// for no longer than some time in all, and with no more than some effort for each.
    pub fn violation(
        &mut self,
        inserted: &Inserted<'_>,
        terms: &[Term],
        steps: Range<u32>,
        most: Option<Budget>,
    ) -> Result<Look, SolveError> {
        if steps.is_empty() {
            return Ok(Look::default());
        }
        let start = Instant::now();
        let (view, reached) = match steps.start > self.k {
            true => (View::LongRuns, steps.start),
            false => (View::Runs, steps.end - 1),
        };
        let mut unrolling = self.take(view)?;
        unrolling.reach(self.system, &self.replaceable, reached)?;
        let others = self.others(inserted);
        unrolling.enter(inserted, &others, steps.start)?;
        let mut look = Look::default();
        for step in steps.clone() {
            if let Some(most) = most {
                let left = most.time.map(|time| time.saturating_sub(start.elapsed()));
                if left.is_some_and(|left| left.is_zero()) {
                    break;
                }
                let times = [left, self.budget.time];
                unrolling.frames.solver.set_budget(Budget {
                    time: times.into_iter().flatten().min(),
                    effort: most.effort.or(self.budget.effort),
                });
            }
            if step >= unrolling.states {
                unrolling.leave()?;
                unrolling.reach(self.system, &self.replaceable, step)?;
                unrolling.enter(inserted, &others, step)?;
            } else if step > steps.start {
                unrolling.go_on(inserted, &others, step)?;
            }
            self.queries += 1;
            match unrolling.some_false(terms, step, &[])? {
                Answer::Unsat if look.unknown.is_none() => look.safe += 1,
                Answer::Unsat => {}
                Answer::Unknown(_) => look.unknown = look.unknown.or(Some(step)),
                Answer::Sat => {
                    look.violation =
                        Some((step, unrolling.frames.trace_of(inserted.system, step)?));
                    break;
                }
            }
        }
        unrolling.leave()?;
        self.unrollings[view as usize] = Some(unrolling);
        Ok(look)
    }

    /// Asks at once whether some run of the mutant violates a property in the steps up to `last`, or an
    /// invariant in the first `k`.
    pub fn first_steps(
        &mut self,
        inserted: &Inserted<'_>,
        properties: &[Term],
        invariants: &[Term],
        last: u32,
    ) -> Result<FirstSteps, SolveError> {
        let mut unrolling = self.take(View::Runs)?;
        unrolling.reach(self.system, &self.replaceable, last)?;
        unrolling.enter(inserted, &self.others(inserted), last)?;
        let mut cases = Vec::new();
        for step in 0..=last {
            let invariants = invariants.iter().filter(|_| step < self.k);
            let wrong = properties.iter().chain(invariants);
            let wrong: Vec<Term> = wrong
                .map(|term| unrolling.frames.at(*term, step).not())
                .collect();
            let lived = (0..=step).map(live);
            let case: Vec<Term> = lived.chain([Term::or(&wrong)]).collect();
            cases.push(Term::and(&case));
        }
        self.queries += 1;
        let found = match unrolling.frames.solver.check(&[Term::or(&cases)])? {
            Answer::Unsat => FirstSteps::Safe,
            Answer::Unknown(_) => FirstSteps::Unknown,
            Answer::Sat => unrolling.first_violation(inserted, properties, last)?,
        };
        unrolling.leave()?;
        self.unrollings[View::Runs as usize] = Some(unrolling);
        Ok(found)
    }

    /// The terms that hold in the first `k` steps of every run of the mutant, if that can be told.
    pub fn base(
        &mut self,
        inserted: &Inserted<'_>,
        terms: &[Term],
    ) -> Result<Option<Vec<Term>>, SolveError> {
        let mut kept = terms.to_vec();
        let mut unrolling = self.take(View::Runs)?;
        unrolling.reach(self.system, &self.replaceable, self.k.saturating_sub(1))?;
        unrolling.enter(inserted, &self.others(inserted), self.k.saturating_sub(1))?;
        let mut known = true;
        for step in 0..self.k {
            self.queries += 1;
            known &= unrolling.filter(&mut kept, step, &[])?;
        }
        unrolling.leave()?;
        self.unrollings[View::Runs as usize] = Some(unrolling);
        Ok(known.then_some(kept))
    }

    /// Of the terms, those that are inductive together in the mutant, if that can be told; `first`
    /// must be among them, otherwise there are none.
    pub fn inductive(
        &mut self,
        inserted: &Inserted<'_>,
        first: &[Term],
        others: &[Term],
        all_or_nothing: bool,
    ) -> Result<Option<Vec<Term>>, SolveError> {
        let k = self.k;
        let mut unrolling = self.take(View::Induction)?;
        unrolling.reach(self.system, &self.replaceable, k)?;
        unrolling.enter(inserted, &self.others(inserted), k)?;
        let outcome = self.settle(&mut unrolling, first, others, all_or_nothing);
        unrolling.leave()?;
        self.unrollings[View::Induction as usize] = Some(unrolling);
        outcome
    }

    fn settle(
        &mut self,
        unrolling: &mut Unrolling<'_>,
        first: &[Term],
        others: &[Term],
        all_or_nothing: bool,
    ) -> Result<Option<Vec<Term>>, SolveError> {
        let k = self.k;
        let mut literals = Vec::new();
        for (at, term) in first.iter().chain(others).enumerate() {
            let literal = Term::var(&format!("%holds{at}"), Sort::Bool);
            for step in 0..k {
                unrolling.frames.assert_at(literal.implies(*term), step)?;
            }
            literals.push((*term, literal));
        }
        loop {
            self.queries += 1;
            let terms: Vec<Term> = literals.iter().map(|(term, _)| *term).collect();
            let assumed: Vec<Term> = literals.iter().map(|(_, literal)| *literal).collect();
            match unrolling.some_false(&terms, k, &assumed)? {
                Answer::Unsat => return Ok(Some(terms[first.len()..].to_vec())),
                Answer::Unknown(_) => return Ok(None),
                Answer::Sat if all_or_nothing => return Ok(None),
                Answer::Sat => {}
            }
            let count = literals.len();
            let mut still = Vec::new();
            for (term, literal) in literals {
                if unrolling.frames.holds(term, k)? {
                    still.push((term, literal));
                }
            }
            literals = still;
            let goal = literals.iter().take(first.len()).map(|(term, _)| *term);
            if literals.len() == count || !goal.eq(first.iter().copied()) {
                return Ok(None);
            }
        }
    }

    /// The replaceable elements that the mutant leaves as they are.
    fn others(&self, inserted: &Inserted<'_>) -> Vec<ElementId> {
        let changed = inserted.mutant.ids();
        let others = self.replaceable.iter().filter(|id| !changed.contains(id));
        others.copied().collect()
    }

    fn take(&mut self, view: View) -> Result<Unrolling<'s>, SolveError> {
        let root = match view {
            View::Runs | View::LongRuns => Root::Init,
            View::Induction => Root::State,
        };
        let mut unrolling = match self.unrollings[view as usize].take() {
            Some(unrolling) => unrolling,
            None => Unrolling::new(self.system, root, (self.open)()?),
        };
        unrolling.frames.solver.set_budget(self.budget);
        Ok(unrolling)
    }
}

impl<'s> Unrolling<'s> {
    pub fn new(system: &'s System, root: Root, solver: Box<dyn Solver>) -> Unrolling<'s> {
        Unrolling {
            root,
            frames: Frames::new(system, solver),
            states: 0,
        }
    }

    /// Tells the solver of the states up to one.
    pub fn reach(
        &mut self,
        system: &System,
        replaceable: &FxHashSet<ElementId>,
        last: u32,
    ) -> Result<(), SolveError> {
        while self.states <= last {
            let step = self.states;
            for id in system.ids().filter(|id| !replaceable.contains(id)) {
                self.assert(system, system.element(id), step)?;
            }
            for id in replaceable {
                self.mention(system.element(*id), step)?;
            }
            self.states += 1;
        }
        Ok(())
    }

    fn assert(&mut self, system: &System, element: &Element, step: u32) -> Result<(), SolveError> {
        if self.root == Root::State && step == 0 {
            for (variable, value) in system.timeless_definitions(element) {
                self.frames.assert_at(variable.eq(value), 0)?;
            }
            let constraint = system.timeless_constraint(element);
            return self.demand(constraint, 0);
        }
        let phase = match step {
            0 => Phase::Init,
            _ => Phase::Step,
        };
        if element.target().is_none() {
            for auxiliary in &element.auxiliaries {
                if let Some(value) = auxiliary.value(phase) {
                    self.frames.assert_at(auxiliary.variable.eq(value), step)?;
                }
            }
            return self.demand(element.constraint(phase), step);
        }
        self.frames.assert_at(element.part(phase), step)
    }

    /// Tells the solver of the replaced elements' terms without asserting them: a mutant has most of it,
    /// too, and what the solver knows already is not told again for each.
    fn mention(&mut self, element: &Element, step: u32) -> Result<(), SolveError> {
        let phase = match (self.root, step) {
            (Root::Init, 0) => Phase::Init,
            (Root::State, 0) => return Ok(()),
            _ => Phase::Step,
        };
        let never = Term::var("%never", Sort::Bool);
        let claim = never.implies(element.part(phase));
        self.frames.assert_at(claim, step)
    }

    fn demand(&mut self, constraint: Option<Term>, step: u32) -> Result<(), SolveError> {
        match constraint {
            Some(constraint) => self.frames.assert_at(live(step).implies(constraint), step),
            None => Ok(()),
        }
    }

    /// Asserts a mutant in a scope, up to a step; the states further on lack its elements. Others
    /// take their old places.
    fn enter(
        &mut self,
        inserted: &Inserted<'_>,
        others: &[ElementId],
        last: u32,
    ) -> Result<(), SolveError> {
        self.frames.solver.push()?;
        for variable in &inserted.mutant.variables {
            self.frames.declare(variable);
        }
        (0..=last).try_for_each(|step| self.go_on(inserted, others, step))
    }

    /// Puts the mutant that has entered into another state.
    fn go_on(
        &mut self,
        inserted: &Inserted<'_>,
        others: &[ElementId],
        step: u32,
    ) -> Result<(), SolveError> {
        let changed = inserted.mutant.elements.iter().map(|(_, element)| element);
        let others = others.iter().map(|id| inserted.system.element(*id));
        let mut elements = changed.chain(others);
        elements.try_for_each(|element| self.assert(inserted.system, element, step))
    }

    fn leave(&mut self) -> Result<(), SolveError> {
        self.frames.solver.pop(1)
    }

    /// Whether one of the terms can be false at a step.
    fn some_false(
        &mut self,
        terms: &[Term],
        step: u32,
        assumed: &[Term],
    ) -> Result<Answer, SolveError> {
        let negations: Vec<Term> = terms
            .iter()
            .map(|term| self.frames.at(*term, step).not())
            .collect();
        let mut assumptions: Vec<Term> = (0..=step).map(live).collect();
        assumptions.extend(assumed);
        assumptions.push(Term::or(&negations));
        self.frames.solver.check(&assumptions)
    }

    /// Where the run in the solver's model violates a property first, as far as its constraints hold.
    fn first_violation(
        &mut self,
        inserted: &Inserted<'_>,
        properties: &[Term],
        last: u32,
    ) -> Result<FirstSteps, SolveError> {
        for step in 0..=last {
            if self.frames.solver.value(live(step))? != Value::Bool(true) {
                break;
            }
            for property in properties {
                if !self.frames.holds(*property, step)? {
                    let trace = self.frames.trace_of(inserted.system, step)?;
                    return Ok(FirstSteps::Violation(trace));
                }
            }
        }
        Ok(FirstSteps::Weaker)
    }

    /// Keeps the terms that cannot be false at a step; returns whether that could be told.
    fn filter(
        &mut self,
        kept: &mut Vec<Term>,
        step: u32,
        assumed: &[Term],
    ) -> Result<bool, SolveError> {
        loop {
            match self.some_false(kept, step, assumed)? {
                Answer::Unsat => return Ok(true),
                Answer::Unknown(_) => return Ok(false),
                Answer::Sat => {}
            }
            let count = kept.len();
            let mut still = Vec::new();
            for term in kept.drain(..) {
                if self.frames.holds(term, step)? {
                    still.push(term);
                }
            }
            *kept = still;
            if kept.len() == count {
                return Ok(false);
            }
        }
    }
}

/// That the constraints of a step count.
pub(crate) fn live(step: u32) -> Term {
    Term::var(&format!("%live{step}"), Sort::Bool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::generate;
    use proofmark_lang::lustre;
    use proofmark_model::{Program, lower};
    use proofmark_solve::Embedded;
    use proofmark_source::Sources;
    use std::path::Path;

    fn open() -> Result<Box<dyn Solver>, SolveError> {
        Ok(Box::new(Embedded::default()))
    }

    /// Where a run violates a property, and whether the properties are inductive by themselves.
    fn answers(context: &mut BaseContext<'_>, inserted: &Inserted<'_>) -> (Vec<Option<u32>>, bool) {
        let properties = inserted.system.properties().iter();
        let terms: Vec<Term> = properties.map(|property| property.term).collect();
        let ranges = [0..2, 2..4];
        let violated = ranges.map(|steps| {
            let look = context.violation(inserted, &terms, steps, None).unwrap();
            look.violation.map(|(step, _)| step)
        });
        let steady = context.inductive(inserted, &terms, &[], true).unwrap();
        same_at_once(context, inserted, &terms, violated[0].is_some());
        (violated.to_vec(), steady.is_some())
    }

    /// One query about the first steps says what several say.
    fn same_at_once(
        context: &mut BaseContext<'_>,
        inserted: &Inserted<'_>,
        terms: &[Term],
        violated: bool,
    ) {
        let first = context.first_steps(inserted, terms, &[], 1).unwrap();
        match first {
            FirstSteps::Violation(trace) => {
                assert!(violated);
                let program = Program::compile(inserted.system).unwrap();
                let outcome = program.machine().judge(&trace);
                let last = outcome
                    .refuted()
                    .filter_map(|at| outcome.refuted_at(at))
                    .min();
                assert_eq!(last, Some(trace.len() - 1));
            }
            first => assert!(!violated && matches!(first, FirstSteps::Safe)),
        }
        let base = context.base(inserted, terms).unwrap();
        let first = context.first_steps(inserted, &[], terms, 1).unwrap();
        let holds = matches!(first, FirstSteps::Safe);
        assert_eq!(holds, base.as_deref() == Some(terms));
    }

    /// A context shared by all mutants agrees with a context for each.
    fn check(text: &str) -> usize {
        let mut sources = Sources::default();
        let file = sources.add("case.lus", text.to_string()).unwrap();
        let (loaded, diagnostics) = lustre::load(&sources, file, &lustre::Options::default());
        let model = loaded.unwrap_or_else(|| panic!("{diagnostics:?}")).model;
        let lowered = lower(&model).unwrap();
        let selection = "paper".parse().unwrap();
        let mutations = generate(&model, &lowered, &|_| true, &selection, None, 1).mutations;
        let mutants = mutations.iter();
        let mutants = mutants.filter_map(|one| Mutant::new(&lowered, one, "mutant:").ok());
        let mutants: Vec<Mutant> = mutants.collect();
        let (original, budget) = (&lowered.system, Budget::default());
        let all: Vec<ElementId> = mutants.iter().flat_map(Mutant::ids).collect();
        let mut wide = BaseContext::new(original, &all, 1, &open, budget);
        let mut count = 0;
        for mutant in &mutants {
            let Ok(system) = mutant.of(original) else {
                continue;
            };
            let inserted = Inserted {
                mutant,
                system: &system,
            };
            let mut narrow = BaseContext::new(original, &mutant.ids(), 1, &open, budget);
            let expected = answers(&mut narrow, &inserted);
            assert_eq!(
                answers(&mut wide, &inserted),
                expected,
                "{mutant:?}\n{text}"
            );
            count += 1;
        }
        count
    }

    #[test]
    fn sharing_a_context_with_neighbours_changes_no_answer() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/lustre/valid");
        let files = std::fs::read_dir(folder).unwrap();
        let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let count: usize = texts.map(|text| check(&text)).sum();
        assert!(count > 100, "{count}");
    }
}
