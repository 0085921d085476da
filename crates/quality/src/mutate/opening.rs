//! A system with an opening: all but a few elements are told to a solver once, and whatever takes
//! their place is told in a scope and forgotten again.
//!
//! Mutants that change the same elements share an opening. What the solver learned about the rest
//! stays. Constraints carry a literal for their step: a question about the first steps must not see
//! the constraints of later ones, which might rule out the very run it asks about.

use super::mutant::Mutant;
use crate::oracle::OpenSolver;
use proofmark_engine::Frames;
use proofmark_model::{Element, ElementId, Phase, Sort, System, Term, Trace, Value};
use proofmark_solve::{Answer, Budget, SolveError, Solver};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Where a sequence of states begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Root {
    /// In a first state.
    Init,
    /// In any state: of it only what every state satisfies by itself is known.
    State,
}

/// What the states of an opening are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum View {
    Runs,
    /// Runs of more steps than an induction needs: what the solver knows of late steps would be in
    /// the way of questions about the first.
    LongRuns,
    Induction,
}

/// States of a system with an opening, in a solver.
pub(super) struct Row<'s> {
    root: Root,
    pub frames: Frames<'s>,
    /// How many states the solver has been told of.
    states: u32,
}

/// The ways to look at a system with an opening: runs, and inductions of one depth.
pub(crate) struct Opening<'s> {
    system: &'s System,
    open: &'s OpenSolver<'s>,
    hole: FxHashSet<ElementId>,
    k: u32,
    budget: Budget,
    /// By view.
    rows: [Option<Row<'s>>; 3],
    pub queries: u64,
}

/// A mutant that stands in an opening.
pub(crate) struct Standing<'m> {
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

impl<'s> Opening<'s> {
    pub fn new(
        system: &'s System,
        hole: &[ElementId],
        k: u32,
        open: &'s OpenSolver<'s>,
        budget: Budget,
    ) -> Opening<'s> {
        Opening {
            system,
            open,
            hole: hole.iter().copied().collect(),
            k,
            budget,
            rows: [None, None, None],
            queries: 0,
        }
    }

    /// Looks for a run of the mutant that makes one of the terms false, at one step after the other,
    /// for no longer than some time.
    pub fn violation(
        &mut self,
        standing: &Standing<'_>,
        terms: &[Term],
        steps: Range<u32>,
        time: Option<Duration>,
    ) -> Result<Look, SolveError> {
        if steps.is_empty() {
            return Ok(Look::default());
        }
        let start = Instant::now();
        let (view, reached) = match steps.start > self.k {
            true => (View::LongRuns, steps.start),
            false => (View::Runs, steps.end - 1),
        };
        let mut row = self.take(view)?;
        row.reach(self.system, &self.hole, reached)?;
        let others = self.others(standing);
        row.enter(standing, &others, steps.start)?;
        let mut look = Look::default();
        for step in steps.clone() {
            if let Some(time) = time {
                let left = time.saturating_sub(start.elapsed());
                if left.is_zero() {
                    break;
                }
                let time = self.budget.time.map_or(left, |time| time.min(left));
                row.frames.solver.set_budget(Budget {
                    time: Some(time),
                    ..self.budget
                });
            }
            if step >= row.states {
                row.leave()?;
                row.reach(self.system, &self.hole, step)?;
                row.enter(standing, &others, step)?;
            } else if step > steps.start {
                row.go_on(standing, &others, step)?;
            }
            self.queries += 1;
            match row.some_false(terms, step, &[])? {
                Answer::Unsat if look.unknown.is_none() => look.safe += 1,
                Answer::Unsat => {}
                Answer::Unknown(_) => look.unknown = look.unknown.or(Some(step)),
                Answer::Sat => {
                    look.violation = Some((step, row.frames.trace_of(standing.system, step)?));
                    break;
                }
            }
        }
        row.leave()?;
        self.rows[view as usize] = Some(row);
        Ok(look)
    }

    /// Asks at once whether some run of the mutant violates a property in the steps up to `last`, or an
    /// invariant in the first `k`.
    pub fn first_steps(
        &mut self,
        standing: &Standing<'_>,
        properties: &[Term],
        invariants: &[Term],
        last: u32,
    ) -> Result<FirstSteps, SolveError> {
        let mut row = self.take(View::Runs)?;
        row.reach(self.system, &self.hole, last)?;
        row.enter(standing, &self.others(standing), last)?;
        let mut cases = Vec::new();
        for step in 0..=last {
            let invariants = invariants.iter().filter(|_| step < self.k);
            let wrong = properties.iter().chain(invariants);
            let wrong: Vec<Term> = wrong.map(|term| row.frames.at(*term, step).not()).collect();
            let lived = (0..=step).map(live);
            let case: Vec<Term> = lived.chain([Term::or(&wrong)]).collect();
            cases.push(Term::and(&case));
        }
        self.queries += 1;
        let found = match row.frames.solver.check(&[Term::or(&cases)])? {
            Answer::Unsat => FirstSteps::Safe,
            Answer::Unknown(_) => FirstSteps::Unknown,
            Answer::Sat => row.first_violation(standing, properties, last)?,
        };
        row.leave()?;
        self.rows[View::Runs as usize] = Some(row);
        Ok(found)
    }

    /// The terms that hold in the first `k` steps of every run of the mutant, if that can be told.
    pub fn base(
        &mut self,
        standing: &Standing<'_>,
        terms: &[Term],
    ) -> Result<Option<Vec<Term>>, SolveError> {
        let mut kept = terms.to_vec();
        let mut row = self.take(View::Runs)?;
        row.reach(self.system, &self.hole, self.k.saturating_sub(1))?;
        row.enter(standing, &self.others(standing), self.k.saturating_sub(1))?;
        let mut known = true;
        for step in 0..self.k {
            self.queries += 1;
            known &= row.filter(&mut kept, step, &[])?;
        }
        row.leave()?;
        self.rows[View::Runs as usize] = Some(row);
        Ok(known.then_some(kept))
    }

    /// Of the terms, those that are inductive together in the mutant, if that can be told; `first`
    /// must be among them, otherwise there are none.
    pub fn inductive(
        &mut self,
        standing: &Standing<'_>,
        first: &[Term],
        others: &[Term],
        all_or_nothing: bool,
    ) -> Result<Option<Vec<Term>>, SolveError> {
        let k = self.k;
        let mut row = self.take(View::Induction)?;
        row.reach(self.system, &self.hole, k)?;
        row.enter(standing, &self.others(standing), k)?;
        let outcome = self.settle(&mut row, first, others, all_or_nothing);
        row.leave()?;
        self.rows[View::Induction as usize] = Some(row);
        outcome
    }

    fn settle(
        &mut self,
        row: &mut Row<'_>,
        first: &[Term],
        others: &[Term],
        all_or_nothing: bool,
    ) -> Result<Option<Vec<Term>>, SolveError> {
        let k = self.k;
        let mut literals = Vec::new();
        for (at, term) in first.iter().chain(others).enumerate() {
            let literal = Term::var(&format!("%holds{at}"), Sort::Bool);
            for step in 0..k {
                row.frames.assert_at(literal.implies(*term), step)?;
            }
            literals.push((*term, literal));
        }
        loop {
            self.queries += 1;
            let terms: Vec<Term> = literals.iter().map(|(term, _)| *term).collect();
            let assumed: Vec<Term> = literals.iter().map(|(_, literal)| *literal).collect();
            match row.some_false(&terms, k, &assumed)? {
                Answer::Unsat => return Ok(Some(terms[first.len()..].to_vec())),
                Answer::Unknown(_) => return Ok(None),
                Answer::Sat if all_or_nothing => return Ok(None),
                Answer::Sat => {}
            }
            let count = literals.len();
            let mut still = Vec::new();
            for (term, literal) in literals {
                if row.frames.holds(term, k)? {
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

    /// What stands in the opening as it did before.
    fn others(&self, standing: &Standing<'_>) -> Vec<ElementId> {
        let changed = standing.mutant.ids();
        let others = self.hole.iter().filter(|id| !changed.contains(id));
        others.copied().collect()
    }

    fn take(&mut self, view: View) -> Result<Row<'s>, SolveError> {
        let root = match view {
            View::Runs | View::LongRuns => Root::Init,
            View::Induction => Root::State,
        };
        let mut row = match self.rows[view as usize].take() {
            Some(row) => row,
            None => Row::new(self.system, root, (self.open)()?),
        };
        row.frames.solver.set_budget(self.budget);
        Ok(row)
    }
}

impl<'s> Row<'s> {
    pub fn new(system: &'s System, root: Root, solver: Box<dyn Solver>) -> Row<'s> {
        Row {
            root,
            frames: Frames::new(system, solver),
            states: 0,
        }
    }

    /// Tells the solver of the states up to one.
    pub fn reach(
        &mut self,
        system: &System,
        hole: &FxHashSet<ElementId>,
        last: u32,
    ) -> Result<(), SolveError> {
        while self.states <= last {
            let step = self.states;
            for id in system.ids().filter(|id| !hole.contains(id)) {
                self.assert(system, system.element(id), step)?;
            }
            for id in hole {
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

    /// Tells the solver of what stood in the opening without claiming it: a mutant has most of it,
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

    /// Puts a mutant into the opening, up to a step; the states further on lack its elements. Others
    /// take their old places.
    fn enter(
        &mut self,
        standing: &Standing<'_>,
        others: &[ElementId],
        last: u32,
    ) -> Result<(), SolveError> {
        self.frames.solver.push()?;
        for variable in &standing.mutant.variables {
            self.frames.declare(variable);
        }
        (0..=last).try_for_each(|step| self.go_on(standing, others, step))
    }

    /// Puts the mutant that has entered into another state.
    fn go_on(
        &mut self,
        standing: &Standing<'_>,
        others: &[ElementId],
        step: u32,
    ) -> Result<(), SolveError> {
        let changed = standing.mutant.elements.iter().map(|(_, element)| element);
        let others = others.iter().map(|id| standing.system.element(*id));
        let mut elements = changed.chain(others);
        elements.try_for_each(|element| self.assert(standing.system, element, step))
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
        standing: &Standing<'_>,
        properties: &[Term],
        last: u32,
    ) -> Result<FirstSteps, SolveError> {
        for step in 0..=last {
            if self.frames.solver.value(live(step))? != Value::Bool(true) {
                break;
            }
            for property in properties {
                if !self.frames.holds(*property, step)? {
                    let trace = self.frames.trace_of(standing.system, step)?;
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
pub(super) fn live(step: u32) -> Term {
    Term::var(&format!("%live{step}"), Sort::Bool)
}

#[cfg(test)]
mod tests {
    use super::super::generate;
    use super::*;
    use proofmark_lang::lustre;
    use proofmark_model::{Program, lower};
    use proofmark_solve::Embedded;
    use proofmark_source::Sources;
    use std::path::Path;

    fn open() -> Result<Box<dyn Solver>, SolveError> {
        Ok(Box::new(Embedded::default()))
    }

    /// Where a run violates a property, and whether the properties are inductive by themselves.
    fn answers(opening: &mut Opening<'_>, standing: &Standing<'_>) -> (Vec<Option<u32>>, bool) {
        let properties = standing.system.properties().iter();
        let terms: Vec<Term> = properties.map(|property| property.term).collect();
        let ranges = [0..2, 2..4];
        let violated = ranges.map(|steps| {
            let look = opening.violation(standing, &terms, steps, None).unwrap();
            look.violation.map(|(step, _)| step)
        });
        let steady = opening.inductive(standing, &terms, &[], true).unwrap();
        same_at_once(opening, standing, &terms, violated[0].is_some());
        (violated.to_vec(), steady.is_some())
    }

    /// One query about the first steps says what several say.
    fn same_at_once(
        opening: &mut Opening<'_>,
        standing: &Standing<'_>,
        terms: &[Term],
        violated: bool,
    ) {
        let first = opening.first_steps(standing, terms, &[], 1).unwrap();
        match first {
            FirstSteps::Violation(trace) => {
                assert!(violated);
                let program = Program::compile(standing.system).unwrap();
                let outcome = program.machine().judge(&trace);
                let last = outcome
                    .refuted()
                    .filter_map(|at| outcome.refuted_at(at))
                    .min();
                assert_eq!(last, Some(trace.len() - 1));
            }
            first => assert!(!violated && matches!(first, FirstSteps::Safe)),
        }
        let base = opening.base(standing, terms).unwrap();
        let first = opening.first_steps(standing, &[], terms, 1).unwrap();
        let holds = matches!(first, FirstSteps::Safe);
        assert_eq!(holds, base.as_deref() == Some(terms));
    }

    /// An opening for everything that is mutated, shared by all mutants, against one for each.
    fn check(text: &str) -> usize {
        let mut sources = Sources::default();
        let file = sources.add("case.lus", text.to_string()).unwrap();
        let (loaded, diagnostics) = lustre::load(&sources, file, &lustre::Options::default());
        let model = loaded.unwrap_or_else(|| panic!("{diagnostics:?}")).model;
        let lowered = lower(&model).unwrap();
        let selection = "paper".parse().unwrap();
        let mutations = generate(&model, &lowered, &|_| true, &selection, 1).mutations;
        let mutants = mutations.iter();
        let mutants = mutants.filter_map(|one| Mutant::new(&lowered, one, "mutant:").ok());
        let mutants: Vec<Mutant> = mutants.collect();
        let (original, budget) = (&lowered.system, Budget::default());
        let all: Vec<ElementId> = mutants.iter().flat_map(Mutant::ids).collect();
        let mut wide = Opening::new(original, &all, 1, &open, budget);
        let mut count = 0;
        for mutant in &mutants {
            let Ok(system) = mutant.of(original) else {
                continue;
            };
            let standing = Standing {
                mutant,
                system: &system,
            };
            let mut narrow = Opening::new(original, &mutant.ids(), 1, &open, budget);
            let expected = answers(&mut narrow, &standing);
            assert_eq!(
                answers(&mut wide, &standing),
                expected,
                "{mutant:?}\n{text}"
            );
            count += 1;
        }
        count
    }

    #[test]
    fn neighbours_in_an_opening_make_no_difference() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/lustre/valid");
        let files = std::fs::read_dir(folder).unwrap();
        let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let count: usize = texts.map(|text| check(&text)).sum();
        assert!(count > 100, "{count}");
    }
}
