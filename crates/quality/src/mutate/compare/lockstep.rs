//! Original and mutant in lockstep, in one solver that serves one mutant after the other.
//!
//! A product of original and mutant (`equivalence`) is a system of its own, and most of the work that
//! it makes is to build it and to tell a solver of it. Here the original is told once, and a mutant
//! comes in a scope: copies of what it reaches, at as many steps as are looked at, and then it is
//! forgotten again. Two questions are asked, about short runs and about one step.
//!
//! *Do a few steps tell them apart?* Both start and go on side by side. At the last step one of them
//! accepts and the other does not, or both do and something that is observed differs. An answer is a
//! run for the simulator, and nothing else. Both have the same choices; where choices matter, `choices`
//! judges the run.
//!
//! *Does one step keep them the same?* Suppose that both have accepted so far and that whatever a step
//! can read of the one before is the same in both. Then the state before is one of the original: it
//! satisfies what every state does by itself, and all proved invariants. It needs no second copy. Of
//! the step itself only that is copied which depends on the mutation within the step. If in no such
//! step they accept differently, or both accept and something observed, or something that a later step
//! can read, differs, and neither in a first step, then by induction they are the same for ever. That
//! proof rests on the invariants of the original, which were audited with the proof that they come
//! from, and on two queries, which are put to the auditor again.
//!
//! Where something that a step can read does differ, it may still not matter. Then the state before is
//! copied, too, and of all equalities between the two those are kept that are inductive together.
//!
//! Choices are shared: a variable that no equation defines is one and the same in both, unless the
//! mutation frees it, and then the mutant's copy has any value. A proof of sameness holds for all
//! choices, so that each system has every run of the other.
//!
//! Constraints that the mutation does not reach are assumed throughout. Those that it reaches are
//! assumed of both up to the step before, and not in the step that is asked about.

use crate::auditor::{Audited, Auditor};
use crate::mutate::compare::choices::{Choice, Dependence};
use crate::mutate::compare::product::{FanOut, copy_element, copy_variable, mutants_view, product};
use crate::mutate::decide::base_context::{Root, Unrolling, live};
use crate::mutate::mutant::Mutant;
use crate::oracle::{OpenSolver, OracleError, Resources};
use proofmark_engine::Frames;
use proofmark_model::{
    Definition, Element, ElementId, Mentions, Phase, Sort, System, Term, Trace, Variable,
};
use proofmark_solve::{Answer, Budget, SolveError};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// For each query of the solver that proves.
const EFFORT: u64 = 20_000;
/// For each query; a proof that is too hard for the auditor in this time is looked for once more, on
/// a product.
const TIME: Duration = Duration::from_secs(1);

/// What is known of the original, for all who compare with it.
pub(crate) struct LockstepBase<'a> {
    pub system: &'a System,
    pub observed: &'a [Term],
    pub resources: Resources<'a>,
    /// Which elements read a variable, by its current term, at the same step.
    at_once: FxHashMap<Term, Vec<ElementId>>,
    /// The variables that a step reads of the one before.
    carried: FxHashSet<Term>,
    constraints: Vec<ElementId>,
    /// What holds in every state that the original reaches.
    invariants: Vec<Term>,
    dependence: Dependence,
    /// The choices of the original that matter.
    pub choices: Vec<Choice>,
}

impl<'a> LockstepBase<'a> {
    pub fn new(
        system: &'a System,
        observed: &'a [Term],
        invariants: Vec<Term>,
        resources: Resources<'a>,
    ) -> LockstepBase<'a> {
        let mut base = LockstepBase {
            system,
            observed,
            resources,
            at_once: FxHashMap::default(),
            carried: FxHashSet::default(),
            constraints: Vec::new(),
            invariants,
            choices: Vec::new(),
            dependence: Dependence::new(system),
        };
        base.choices = base.dependence.choices(system, None, observed);
        for id in system.ids() {
            let element = system.element(id);
            if element.target().is_none() {
                base.constraints.push(id);
            }
            let mentions = element.mentions();
            for read in mentions.variables {
                let Some(variable) = system.variable(read) else {
                    continue;
                };
                match read == variable.current {
                    true => base.at_once.entry(read).or_default().push(id),
                    false => {
                        base.carried.insert(variable.current);
                    }
                }
            }
        }
        base
    }
}

/// What a mutant adds to the solver: copies of what it reaches.
struct MutantCopy {
    /// The copies, and what the mutant has of its own.
    variables: Vec<Variable>,
    /// The variable of which each copy is one.
    originals: FxHashMap<Term, Term>,
    copies: FxHashMap<Term, Term>,
    elements: Vec<Element>,
    /// The constraints of the original that it reaches.
    reached: Vec<ElementId>,
}

/// Whether the step before has copies, too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Copied,
    Same,
}

impl MutantCopy {
    fn new(
        base: &LockstepBase<'_>,
        mutant: &Mutant,
        fan_out: &FanOut,
        before: Before,
    ) -> MutantCopy {
        let mut side = MutantCopy {
            variables: mutant.variables.clone(),
            originals: FxHashMap::default(),
            copies: FxHashMap::default(),
            elements: Vec::new(),
            reached: Vec::new(),
        };
        let reached = base.system.variables().iter();
        for variable in reached.filter(|one| fan_out.has(one.current)) {
            let copy = copy_variable(variable);
            side.copies.insert(variable.current, copy.current);
            if before == Before::Copied {
                side.copies.insert(variable.previous, copy.previous);
            }
            side.originals.insert(copy.current, variable.current);
            side.variables.push(copy);
        }
        for id in base.system.ids().filter(|id| fan_out.has_element(*id)) {
            let mut changed = mutant.elements.iter();
            let version = changed.find(|(other, _)| *other == id);
            let version = version.map_or(base.system.element(id), |(_, element)| element);
            side.elements.push(copy_element(version, &mut side.copies));
            if version.target().is_none() {
                side.reached.push(id);
            }
        }
        side
    }

    /// That both accept, or neither does, and that then what is observed is the same, and so are some
    /// more variables.
    fn same(&self, base: &LockstepBase<'_>, more: &[Term], phase: Phase) -> Term {
        let seen = base.observed.iter().chain(more);
        let pair = |one: &Term| Some(Term::eq(*one, *self.copies.get(one)?));
        let same = Term::and(&seen.filter_map(pair).collect::<Vec<_>>());
        let here = self.reached.iter().map(|id| base.system.element(*id));
        let here = Term::and(&demands(here, phase));
        let there = self.accepted(phase);
        Term::and(&[here.eq(there), here.implies(same)])
    }

    /// What a definition says of every state, whatever came before.
    fn lasting(&self, base: &LockstepBase<'_>, definition: &Definition) -> Term {
        let is_before = |term: &Term| {
            let known = base.system.variable(*term);
            known.is_some_and(|known| known.previous == *term)
                || self.variables.iter().any(|own| own.previous == *term)
        };
        match definition
            .step
            .filter(|_| definition.init == definition.step)
        {
            Some(value) if !Mentions::of(value).variables.iter().any(is_before) => {
                definition.variable.eq(value)
            }
            _ => Term::bool(true),
        }
    }

    /// That the mutant accepts a step.
    fn accepted(&self, phase: Phase) -> Term {
        Term::and(&demands(self.elements.iter(), phase))
    }
}

fn demands<'e>(elements: impl Iterator<Item = &'e Element>, phase: Phase) -> Vec<Term> {
    elements.filter_map(|one| one.constraint(phase)).collect()
}

fn phase(step: u32) -> Phase {
    match step {
        0 => Phase::Init,
        _ => Phase::Step,
    }
}

/// A mutant that is about to be compared.
pub(crate) struct LockstepMutant<'m> {
    pub mutant: &'m Mutant,
    pub fan_out: &'m FanOut,
    /// With copies at every step.
    along: MutantCopy,
    /// What a later step can read, in both.
    carried: Vec<Term>,
    /// The choices of the mutant that matter.
    pub choices: Vec<Choice>,
}

impl<'m> LockstepMutant<'m> {
    pub fn new(
        base: &LockstepBase<'_>,
        mutant: &'m Mutant,
        fan_out: &'m FanOut,
    ) -> LockstepMutant<'m> {
        LockstepMutant {
            along: MutantCopy::new(base, mutant, fan_out, Before::Copied),
            carried: carried(base, mutant, fan_out),
            choices: base
                .dependence
                .choices(base.system, Some(mutant), base.observed),
            mutant,
            fan_out,
        }
    }
}

/// The variables within reach that a step of the mutant or of the original reads of the one before.
/// What the mutant no longer remembers, it does not read.
fn carried(base: &LockstepBase<'_>, mutant: &Mutant, fan_out: &FanOut) -> Vec<Term> {
    let mut mentions = Mentions::default();
    mutant.terms().iter().for_each(|term| mentions.add(*term));
    let mut forgotten = FxHashSet::default();
    for (id, element) in &mutant.elements {
        let before = base.system.element(*id).auxiliaries.iter();
        forgotten.extend(before.map(|one| one.variable));
        element.auxiliaries.iter().for_each(|one| {
            forgotten.remove(&one.variable);
        });
    }
    let variables = base.system.variables().iter();
    let reached = variables.filter(|one| fan_out.has(one.current));
    let read = reached.filter(|one| {
        let read = base.carried.contains(&one.current);
        let read = read || mentions.variables.contains(&one.previous);
        read && !forgotten.contains(&one.current)
    });
    read.map(|one| one.current).collect()
}

/// Solvers that have been told of the original.
struct LockstepSolvers<'s> {
    open: &'s OpenSolver<'s>,
    /// For each query.
    effort: Option<u64>,
    time: Duration,
    runs: Option<Unrolling<'s>>,
    step: Option<Unrolling<'s>>,
}

impl<'s> LockstepSolvers<'s> {
    fn proving(open: &'s OpenSolver<'s>) -> LockstepSolvers<'s> {
        LockstepSolvers {
            open,
            effort: Some(EFFORT),
            time: TIME,
            runs: None,
            step: None,
        }
    }

    fn auditing(auditor: Auditor<'s>) -> LockstepSolvers<'s> {
        LockstepSolvers {
            effort: None,
            time: auditor.time.min(TIME),
            ..LockstepSolvers::proving(auditor.open)
        }
    }

    fn budget(&self, base: &LockstepBase<'s>) -> Budget {
        Budget {
            effort: self.effort,
            time: Some(base.resources.time().min(self.time)),
        }
    }

    /// The solver, once it has been asked.
    fn name(&self) -> String {
        let asked = self.runs.as_ref();
        asked.map_or_else(String::new, |one| one.frames.solver.name())
    }

    /// Runs of the original, up to a step.
    fn runs(
        &mut self,
        base: &LockstepBase<'s>,
        last: u32,
    ) -> Result<&mut Unrolling<'s>, SolveError> {
        let unrolling = match self.runs.take() {
            Some(unrolling) => unrolling,
            None => Unrolling::new(base.system, Root::Init, (self.open)()?),
        };
        let unrolling = self.runs.insert(unrolling);
        unrolling.reach(base.system, &FxHashSet::default(), last)?;
        Ok(unrolling)
    }

    /// A step from any state that satisfies the invariants.
    fn step(&mut self, base: &LockstepBase<'s>) -> Result<&mut Unrolling<'s>, SolveError> {
        let unrolling = match self.step.take() {
            Some(unrolling) => unrolling,
            None => {
                let mut unrolling = Unrolling::new(base.system, Root::State, (self.open)()?);
                unrolling.reach(base.system, &FxHashSet::default(), 1)?;
                for invariant in &base.invariants {
                    unrolling.frames.assert_at(*invariant, 0)?;
                }
                unrolling
            }
        };
        Ok(self.step.insert(unrolling))
    }
}

/// The original in solvers, to which one mutant at a time is added.
pub(crate) struct Lockstep<'s> {
    base: &'s LockstepBase<'s>,
    proving: LockstepSolvers<'s>,
    auditing: Option<LockstepSolvers<'s>>,
    pub queries: u64,
}

impl<'s> Lockstep<'s> {
    pub fn new(base: &'s LockstepBase<'s>, auditor: Option<Auditor<'s>>) -> Lockstep<'s> {
        Lockstep {
            base,
            proving: LockstepSolvers::proving(base.resources.open),
            auditing: auditor.map(LockstepSolvers::auditing),
            queries: 0,
        }
    }

    /// A run, given to the original and to the mutant, that seems to tell them apart at a step.
    pub fn difference(
        &mut self,
        mutant_copy: &LockstepMutant<'_>,
        last: u32,
    ) -> Result<Option<(Trace, Trace)>, OracleError> {
        let (base, side) = (self.base, &mutant_copy.along);
        let budget = self.proving.budget(base);
        let unrolling = self.proving.runs(base, last)?;
        unrolling.frames.solver.push()?;
        let differs = side.same(base, &[], phase(last)).not();
        stand(unrolling, base, side, (0, last))?;
        let answer = ask(unrolling, budget, differs, last, &[])?;
        self.queries += 1;
        let found = match answer {
            Answer::Sat => Some(trace(&mut unrolling.frames, base, mutant_copy, last)?),
            Answer::Unsat | Answer::Unknown(_) => None,
        };
        unrolling.frames.solver.pop(1)?;
        Ok(found.map(|given| {
            let view = mutants_view(&given, &side.originals);
            (given, view)
        }))
    }

    /// Whether a first step and any other keep them the same, and the auditor agrees: then who that
    /// is.
    pub fn same(
        &mut self,
        mutant_copy: &LockstepMutant<'_>,
    ) -> Result<Option<Audited>, OracleError> {
        let (base, queries) = (self.base, &mut self.queries);
        match self.proving.keep(base, mutant_copy, queries)? {
            Answer::Unsat => {}
            Answer::Unknown(_) => return Ok(None),
            Answer::Sat => return self.settled(mutant_copy),
        }
        let Some(auditing) = &mut self.auditing else {
            return Ok(Some(Audited::NotAskedFor));
        };
        match auditing.keep(base, mutant_copy, queries)? {
            Answer::Unsat => Ok(Some(Audited::by(auditing.name()))),
            Answer::Unknown(_) => Ok(None),
            Answer::Sat => Err(disagreement()),
        }
    }

    /// The same, where something that steps read of the one before may differ and not matter.
    fn settled(
        &mut self,
        mutant_copy: &LockstepMutant<'_>,
    ) -> Result<Option<Audited>, OracleError> {
        let (base, queries) = (self.base, &mut self.queries);
        let all = mutant_copy.carried.clone();
        let Narrowed::Same(kept) = self.proving.settle(base, mutant_copy, all, queries)? else {
            return Ok(None);
        };
        let Some(auditing) = &mut self.auditing else {
            return Ok(Some(Audited::NotAskedFor));
        };
        match auditing.settle(base, mutant_copy, kept.clone(), queries)? {
            Narrowed::Same(also) if also == kept => Ok(Some(Audited::by(auditing.name()))),
            Narrowed::Same(_) | Narrowed::Different => Err(disagreement()),
            Narrowed::Unknown => Ok(None),
        }
    }
}

/// What is left of variables that two systems are to have in common.
enum Narrowed {
    /// No step makes one of these differ when all were the same before it.
    Same(Vec<Term>),
    /// A step may make something differ that must not.
    Different,
    Unknown,
}

fn disagreement() -> OracleError {
    let what = "a step tells a mutant from the original that none was to tell apart";
    OracleError::Audit(what.into())
}

impl<'s> LockstepSolvers<'s> {
    /// Whether a first step, or a step from a state that they share, makes them differ.
    fn keep(
        &mut self,
        base: &LockstepBase<'s>,
        mutant_copy: &LockstepMutant<'_>,
        queries: &mut u64,
    ) -> Result<Answer, SolveError> {
        *queries += 1;
        let budget = self.budget(base);
        let unrolling = self.runs(base, 0)?;
        let side = &mutant_copy.along;
        unrolling.frames.solver.push()?;
        stand(unrolling, base, side, (0, 0))?;
        let differs = side.same(base, &mutant_copy.carried, Phase::Init).not();
        let first = ask(unrolling, budget, differs, 0, &[])?;
        unrolling.frames.solver.pop(1)?;
        if first != Answer::Unsat {
            return Ok(first);
        }
        *queries += 1;
        let within = FanOut::new(base.system, &base.at_once, mutant_copy.mutant);
        let side = MutantCopy::new(base, mutant_copy.mutant, &within, Before::Same);
        let unrolling = self.step(base)?;
        unrolling.frames.solver.push()?;
        stand(unrolling, base, &side, (1, 1))?;
        // What the mutant remembers under a name of its own, the state that they share says, unless it
        // comes from something that the mutation changes at once: that need not be the same.
        let changed: FxHashSet<Term> = side.originals.values().copied().collect();
        for (_, element) in &mutant_copy.mutant.elements {
            let new = |one: &&Definition| base.system.variable(one.variable).is_none();
            let same = |one: &&Definition| {
                let read = one.step.map(|term| Mentions::of(term).variables);
                read.is_none_or(|read| read.is_disjoint(&changed))
            };
            for definition in element.auxiliaries.iter().filter(new).filter(same) {
                unrolling
                    .frames
                    .assert_at(side.lasting(base, definition), 0)?;
            }
        }
        let differs = side.same(base, &mutant_copy.carried, Phase::Step).not();
        let next = ask(unrolling, budget, differs, 1, &[])?;
        unrolling.frames.solver.pop(1)?;
        Ok(next)
    }

    /// Of these variables those that no first step, and no other when they were the same before it,
    /// makes differ.
    fn settle(
        &mut self,
        base: &LockstepBase<'s>,
        mutant_copy: &LockstepMutant<'_>,
        variables: Vec<Term>,
        queries: &mut u64,
    ) -> Result<Narrowed, SolveError> {
        let side = &mutant_copy.along;
        let budget = self.budget(base);
        let unrolling = self.runs(base, 0)?;
        unrolling.frames.solver.push()?;
        stand(unrolling, base, side, (0, 0))?;
        let narrowing = Narrowing { base, side, budget };
        let kept = narrowing.narrow(unrolling, variables, 0, queries)?;
        unrolling.frames.solver.pop(1)?;
        let Narrowed::Same(kept) = kept else {
            return Ok(kept);
        };
        let unrolling = self.step(base)?;
        unrolling.frames.solver.push()?;
        stand(unrolling, base, side, (1, 1))?;
        for element in &side.elements {
            for definition in element.definitions() {
                unrolling
                    .frames
                    .assert_at(side.lasting(base, definition), 0)?;
            }
        }
        for variable in &kept {
            let pair = Term::eq(*variable, side.copies[variable]);
            unrolling
                .frames
                .assert_at(was_same(*variable).implies(pair), 0)?;
        }
        let kept = narrowing.narrow(unrolling, kept, 1, queries)?;
        unrolling.frames.solver.pop(1)?;
        Ok(kept)
    }
}

/// A search for variables that original and mutant have in common.
struct Narrowing<'n> {
    base: &'n LockstepBase<'n>,
    side: &'n MutantCopy,
    budget: Budget,
}

impl Narrowing<'_> {
    /// Leaves out variables that can differ at a step, until none can.
    fn narrow(
        &self,
        unrolling: &mut Unrolling<'_>,
        mut variables: Vec<Term>,
        step: u32,
        queries: &mut u64,
    ) -> Result<Narrowed, SolveError> {
        let (base, side) = (self.base, self.side);
        let visible = side.same(base, &[], phase(step));
        loop {
            *queries += 1;
            let assumed: Vec<Term> = variables.iter().map(|one| was_same(*one)).collect();
            unrolling.frames.solver.push()?;
            let differs = side.same(base, &variables, phase(step)).not();
            let answer = ask(unrolling, self.budget, differs, step, &assumed)?;
            let mut still = Vec::new();
            let mut hopeless = false;
            if answer == Answer::Sat {
                hopeless = !unrolling.frames.holds(visible, step)?;
                for variable in &variables {
                    let pair = Term::eq(*variable, side.copies[variable]);
                    if unrolling.frames.holds(pair, step)? {
                        still.push(*variable);
                    }
                }
            }
            unrolling.frames.solver.pop(1)?;
            match answer {
                Answer::Unsat => return Ok(Narrowed::Same(variables)),
                Answer::Unknown(_) => return Ok(Narrowed::Unknown),
                Answer::Sat if hopeless || still.len() == variables.len() => {
                    return Ok(Narrowed::Different);
                }
                Answer::Sat => variables = still,
            }
        }
    }
}

/// That a variable was the same in both at the step before.
fn was_same(variable: Term) -> Term {
    Term::var(&format!("%same {variable:?}"), Sort::Bool)
}

/// Adds a mutant to the original at some steps, in a scope that the caller has opened. Both accept
/// the steps before the last; there only those constraints hold that are the same for both.
fn stand(
    unrolling: &mut Unrolling<'_>,
    base: &LockstepBase<'_>,
    side: &MutantCopy,
    (first, last): (u32, u32),
) -> Result<(), SolveError> {
    for variable in &side.variables {
        unrolling.frames.declare(variable);
    }
    for step in first..=last {
        let definitions = side.elements.iter().flat_map(|one| one.definitions());
        for definition in definitions {
            if let Some(value) = definition.value(phase(step)) {
                unrolling
                    .frames
                    .assert_at(definition.variable.eq(value), step)?;
            }
        }
        if step < last {
            unrolling
                .frames
                .assert_at(side.accepted(phase(step)), step)?;
        }
    }
    let others = base.constraints.iter();
    for id in others.filter(|id| !side.reached.contains(id)) {
        if let Some(demand) = base.system.element(*id).constraint(phase(last)) {
            unrolling.frames.assert_at(demand, last)?;
        }
    }
    Ok(())
}

/// Whether something can be at a step, when the original has accepted the steps before. It stays
/// asserted.
fn ask(
    unrolling: &mut Unrolling<'_>,
    budget: Budget,
    goal: Term,
    step: u32,
    assumed: &[Term],
) -> Result<Answer, SolveError> {
    unrolling.frames.assert_at(goal, step)?;
    let mut assumptions: Vec<Term> = (0..step).map(live).collect();
    assumptions.extend(assumed);
    unrolling.frames.solver.set_budget(budget);
    unrolling.frames.solver.check(&assumptions)
}

/// The run in the solver's model: the values of everything, copies and all.
fn trace(
    frames: &mut Frames<'_>,
    base: &LockstepBase<'_>,
    mutant_copy: &LockstepMutant<'_>,
    last: u32,
) -> Result<Trace, OracleError> {
    if !base.system.functions().is_empty() {
        let both = product(
            base.system,
            mutant_copy.mutant,
            mutant_copy.fan_out,
            base.observed,
        )?;
        return Ok(frames.trace_of(&both.system, last)?);
    }
    let variables = base.system.variables().iter();
    let own = mutant_copy.along.variables.iter();
    let own = own.filter(|one| base.system.variable(one.current).is_none());
    let columns: Vec<Term> = variables.chain(own).map(|one| one.current).collect();
    let mut trace = Trace::new(columns.clone());
    for step in 0..=last {
        let unrolling = columns.iter().map(|one| frames.value(*one, step));
        let unrolling: Result<Vec<_>, SolveError> = unrolling.collect();
        // Each value has the sort of its column.
        let pushed = trace.push(unrolling?);
        debug_assert!(pushed.is_ok());
    }
    Ok(trace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutate::compare::fault_simulation::FaultSimulation;
    use crate::mutate::compare::product::{Comparison, Seen, compare, difference, readers};
    use crate::mutate::compare::simple_facts::facts;
    use crate::mutate::decide::stored_runs::{Fragment, random_runs};
    use crate::mutate::generate;
    use proofmark_engine::EngineName;
    use proofmark_lang::lustre;
    use proofmark_model::{Lowered, Model, Program, Role, Template, lower};
    use proofmark_solve::{Embedded, Interrupt, Solver};
    use proofmark_source::Sources;
    use std::path::Path;
    use std::sync::Arc;

    fn open() -> Result<Box<dyn Solver>, SolveError> {
        Ok(Box::new(Embedded::default()))
    }

    fn load(text: &str) -> (Model, Lowered) {
        let mut sources = Sources::default();
        let file = sources.add("case.lus", text.to_string()).unwrap();
        let (loaded, diagnostics) = lustre::load(&sources, file, &lustre::Options::default());
        let loaded = loaded.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"));
        let lowered = lower(&loaded.model).unwrap();
        (loaded.model, lowered)
    }

    /// How many mutants are shown to be the same, and to differ, in the scopes of one solver.
    #[derive(Default, PartialEq, Eq, Debug)]
    struct Count {
        same: usize,
        different: usize,
        open: usize,
    }

    /// Compares every mutant in lockstep with the original, and the answers with what a product says of it.
    fn check(text: &str, selection: &str) -> Count {
        let (model, lowered) = load(text);
        let system = &lowered.system;
        let outputs = system.variables().iter();
        let outputs = outputs.filter(|one| one.role == Role::Output);
        let mut observed: Vec<Term> = outputs.map(|one| one.current).collect();
        observed.retain(|one| system.properties().iter().all(|goal| goal.term != *one));
        let interrupt = Interrupt::default();
        let resources = Resources {
            open: &open,
            engines: &EngineName::ALL,
            jobs: 1,
            budget: Duration::from_millis(300),
            deadline: None,
            interrupt: &interrupt,
        };
        let template = Template::new(system).unwrap();
        let original = template.program().clone();
        let runs = random_runs(system, &original).into_iter();
        let runs: Vec<Arc<Seen>> = runs
            .map(|run| Arc::new(Seen::of(&original, &run)))
            .collect();
        let known = facts(system, &runs, &[], &resources, Some(Auditor::default())).unwrap();
        let base = LockstepBase::new(system, &observed, known, resources);
        let readers = readers(system);
        let mut lockstep = Lockstep::new(&base, Some(Auditor::default()));
        let mut count = Count::default();
        let selection = selection.parse().unwrap();
        for mutation in generate(&model, &lowered, &|_| true, &selection, None, 1).mutations {
            let Ok(mutant) = Mutant::new(&lowered, &mutation, "mutant:") else {
                continue;
            };
            let fan_out = FanOut::new(system, &readers, &mutant);
            let whole = mutant.of(system).unwrap();
            let program = Program::compile(&whole).unwrap();
            let elements = fan_out.elements().collect();
            let patched = template.patch(&whole, &elements).unwrap();
            for seen in &runs {
                let (here, there) = (program.machine(), patched.machine());
                let [here, there] = [here, there].map(|mut machine| machine.run(&seen.run));
                assert_eq!(here, there, "{}", mutation.label);
            }
            if !fan_out.shows(system, &observed) {
                continue;
            }
            let mutant_copy = LockstepMutant::new(&base, &mutant, &fan_out);
            let simulation =
                FaultSimulation::new(base.system, base.observed, mutant_copy.mutant, &fan_out);
            let fragment = Fragment::of(system, &mutant);
            for seen in &runs {
                let shown = difference(seen, &mut program.machine(), &seen.run, &observed);
                assert_eq!(
                    simulation.differs(seen),
                    shown.is_some(),
                    "{}",
                    mutation.label
                );
                let still = |one: &Fragment| !one.watch().departs(seen);
                if fragment.as_ref().is_some_and(still) {
                    // Then everything is as it was.
                    let (run, outcome) = program.machine().run(&seen.run);
                    let variables = system
                        .variables()
                        .iter()
                        .filter(|one| one.role != Role::Auxiliary);
                    for variable in variables {
                        for step in 0..run.len() {
                            let value = run.value(variable.current, step);
                            assert_eq!(value, seen.run.value(variable.current, step));
                        }
                    }
                    assert_eq!(outcome.broken_at(), seen.broken_at, "{}", mutation.label);
                }
                if seen.broken_at.is_none() && simulation.is_same(seen) {
                    assert!(shown.is_none(), "{}", mutation.label);
                }
            }
            let shown = (0..3).any(|step| {
                let found = lockstep.difference(&mutant_copy, step).unwrap();
                found.is_some_and(|(given, view)| {
                    let seen = Seen::of(&original, &given);
                    difference(&seen, &mut program.machine(), &view, &observed).is_some()
                })
            });
            let same = lockstep.same(&mutant_copy).unwrap();
            assert!(same.as_ref().is_none_or(Audited::passed));
            let same = same.is_some();
            let product = compare(system, &mutant, &fan_out, &observed, &resources, None).unwrap();
            let what = format!("{} at {:?}: {product:?}", mutation.label, mutation.location);
            match product {
                Comparison::Equivalent { .. } => assert!(!shown, "{what}"),
                Comparison::Different(_) => assert!(!same, "{what}"),
                Comparison::Unknown { .. } => assert!(!(shown && same), "{what}"),
            }
            count.same += usize::from(same);
            count.different += usize::from(shown);
            count.open += usize::from(!same && !shown);
        }
        count
    }

    #[test]
    fn mutants_in_lockstep_are_what_a_product_says_they_are() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/lustre/valid");
        let mut all = Count::default();
        for file in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let count = check(&text, "paper");
            all.same += count.same;
            all.different += count.different;
            all.open += count.open;
        }
        assert!(all.same > 0 && all.different > 10 * all.open, "{all:?}");
    }

    #[test]
    fn assumptions_that_a_mutant_changes_are_not_assumed() {
        // The second assumption makes the first one idle; neither may hide what happens to the other.
        let count = check(
            "node main(a, b: int) returns (x: int);
             let
               assert a <= 10;
               assert a <= 5 and (true -> pre b >= 0 or b = 2);
               x = a + (0 -> pre (a + b)) + (0 -> pre (if b > 3 then pre a else b));
             tel;",
            "all",
        );
        assert!(count.same > 0 && count.different > 0, "{count:?}");
    }

    #[test]
    fn what_is_remembered_is_compared_with_what_was_remembered() {
        let count = check(
            "node last(i: int) returns (o: int);
             let o = pre (i + pre (i * 2)); tel;
             node main(i: int; c: bool) returns (o, p: int);
             var s, hidden: int;
             let
               s = 0 -> if c then pre s else pre (s - s);
               hidden = 0 -> pre hidden + i;
               o = last(i) + s;
               p = last(if c then i else i) + (0 -> pre (hidden - pre hidden));
             tel;",
            "all",
        );
        assert!(count.same > 0 && count.different > 0, "{count:?}");
    }
}
