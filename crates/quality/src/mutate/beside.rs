//! Mutants beside the original in one solver, one after the other.
//!
//! A product of original and mutant (`equivalence`) is a system of its own, and most of the work that
//! it makes is to build it and to tell a solver of it. Here the original is told once, and a mutant
//! comes in a scope: copies of what it reaches, at as many steps as are looked at, and then it is
//! forgotten again. Two questions are asked, about short runs and about one step.
//!
//! *Do a few steps tell them apart?* Both start and go on side by side. At the last step one of them
//! accepts and the other does not, or both do and something that is observed differs. An answer is a
//! run for the simulator, and nothing else.
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
//! Constraints that the mutation does not reach are assumed throughout. Those that it reaches are
//! assumed of both up to the step before, and not in the step that is asked about.

use super::equivalence::{Reach, copy_element, copy_variable, mutants_view, product};
use super::mutant::Mutant;
use super::opening::{Root, Row, live};
use crate::oracle::{OpenSolver, OracleError, Resources};
use proofmark_engine::Frames;
use proofmark_model::{
    Definition, Element, ElementId, Mentions, Phase, Sort, System, Term, Trace, Variable,
};
use proofmark_solve::{Answer, Budget, SolveError};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// For each query.
const EFFORT: u64 = 20_000;
const TIME: Duration = Duration::from_secs(1);

/// What is known of the original, for all who compare with it.
pub(crate) struct Ground<'a> {
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
}

impl<'a> Ground<'a> {
    pub fn new(
        system: &'a System,
        observed: &'a [Term],
        invariants: Vec<Term>,
        resources: Resources<'a>,
    ) -> Ground<'a> {
        let mut ground = Ground {
            system,
            observed,
            resources,
            at_once: FxHashMap::default(),
            carried: FxHashSet::default(),
            constraints: Vec::new(),
            invariants,
        };
        for id in system.ids() {
            let element = system.element(id);
            if element.target().is_none() {
                ground.constraints.push(id);
            }
            let mentions = element.mentions();
            for read in mentions.variables {
                let Some(variable) = system.variable(read) else {
                    continue;
                };
                match read == variable.current {
                    true => ground.at_once.entry(read).or_default().push(id),
                    false => {
                        ground.carried.insert(variable.current);
                    }
                }
            }
        }
        ground
    }
}

/// What a mutant adds to the solver: copies of what it reaches.
struct Side {
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

impl Side {
    fn new(ground: &Ground<'_>, mutant: &Mutant, reach: &Reach, before: Before) -> Side {
        let mut side = Side {
            variables: mutant.variables.clone(),
            originals: FxHashMap::default(),
            copies: FxHashMap::default(),
            elements: Vec::new(),
            reached: Vec::new(),
        };
        let reached = ground.system.variables().iter();
        for variable in reached.filter(|one| reach.has(one.current)) {
            let copy = copy_variable(variable);
            side.copies.insert(variable.current, copy.current);
            if before == Before::Copied {
                side.copies.insert(variable.previous, copy.previous);
            }
            side.originals.insert(copy.current, variable.current);
            side.variables.push(copy);
        }
        for id in ground.system.ids().filter(|id| reach.has_element(*id)) {
            let mut changed = mutant.elements.iter();
            let version = changed.find(|(other, _)| *other == id);
            let version = version.map_or(ground.system.element(id), |(_, element)| element);
            side.elements.push(copy_element(version, &mut side.copies));
            if version.target().is_none() {
                side.reached.push(id);
            }
        }
        side
    }

    /// That both accept, or neither does, and that then what is observed is the same, and so are some
    /// more variables.
    fn same(&self, ground: &Ground<'_>, more: &[Term], phase: Phase) -> Term {
        let seen = ground.observed.iter().chain(more);
        let pair = |one: &Term| Some(Term::eq(*one, *self.copies.get(one)?));
        let same = Term::and(&seen.filter_map(pair).collect::<Vec<_>>());
        let here = self.reached.iter().map(|id| ground.system.element(*id));
        let here = Term::and(&demands(here, phase));
        let there = self.accepted(phase);
        Term::and(&[here.eq(there), here.implies(same)])
    }

    /// What a definition says of every state, whatever came before.
    fn lasting(&self, ground: &Ground<'_>, definition: &Definition) -> Term {
        let is_before = |term: &Term| {
            let known = ground.system.variable(*term);
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
pub(crate) struct Visitor<'m> {
    pub mutant: &'m Mutant,
    pub reach: &'m Reach,
    /// With copies at every step.
    along: Side,
    /// What a later step can read, in both.
    carried: Vec<Term>,
}

impl<'m> Visitor<'m> {
    pub fn new(ground: &Ground<'_>, mutant: &'m Mutant, reach: &'m Reach) -> Visitor<'m> {
        Visitor {
            along: Side::new(ground, mutant, reach, Before::Copied),
            carried: carried(ground, mutant, reach),
            mutant,
            reach,
        }
    }
}

/// The variables within reach that a step of the mutant or of the original reads of the one before.
/// What the mutant no longer remembers, it does not read.
fn carried(ground: &Ground<'_>, mutant: &Mutant, reach: &Reach) -> Vec<Term> {
    let mut mentions = Mentions::default();
    mutant.terms().iter().for_each(|term| mentions.add(*term));
    let mut forgotten = FxHashSet::default();
    for (id, element) in &mutant.elements {
        let before = ground.system.element(*id).auxiliaries.iter();
        forgotten.extend(before.map(|one| one.variable));
        element.auxiliaries.iter().for_each(|one| {
            forgotten.remove(&one.variable);
        });
    }
    let variables = ground.system.variables().iter();
    let reached = variables.filter(|one| reach.has(one.current));
    let read = reached.filter(|one| {
        let read = ground.carried.contains(&one.current);
        let read = read || mentions.variables.contains(&one.previous);
        read && !forgotten.contains(&one.current)
    });
    read.map(|one| one.current).collect()
}

/// Solvers that have been told of the original.
struct Rows<'s> {
    open: &'s OpenSolver<'s>,
    runs: Option<Row<'s>>,
    step: Option<Row<'s>>,
}

impl<'s> Rows<'s> {
    fn new(open: &'s OpenSolver<'s>) -> Rows<'s> {
        Rows {
            open,
            runs: None,
            step: None,
        }
    }

    /// Runs of the original, up to a step.
    fn runs(&mut self, ground: &Ground<'s>, last: u32) -> Result<&mut Row<'s>, SolveError> {
        let row = match self.runs.take() {
            Some(row) => row,
            None => Row::new(ground.system, Root::Init, (self.open)()?),
        };
        let row = self.runs.insert(row);
        row.reach(ground.system, &FxHashSet::default(), last)?;
        Ok(row)
    }

    /// A step from any state that satisfies the invariants.
    fn step(&mut self, ground: &Ground<'s>) -> Result<&mut Row<'s>, SolveError> {
        let row = match self.step.take() {
            Some(row) => row,
            None => {
                let mut row = Row::new(ground.system, Root::State, (self.open)()?);
                row.reach(ground.system, &FxHashSet::default(), 1)?;
                for invariant in &ground.invariants {
                    row.frames.assert_at(*invariant, 0)?;
                }
                row
            }
        };
        Ok(self.step.insert(row))
    }
}

/// The original in solvers, and room for a mutant beside it.
pub(crate) struct Beside<'s> {
    ground: &'s Ground<'s>,
    proving: Rows<'s>,
    auditing: Option<Rows<'s>>,
    pub queries: u64,
}

impl<'s> Beside<'s> {
    pub fn new(ground: &'s Ground<'s>, auditor: Option<&'s OpenSolver<'s>>) -> Beside<'s> {
        Beside {
            ground,
            proving: Rows::new(ground.resources.open),
            auditing: auditor.map(Rows::new),
            queries: 0,
        }
    }

    /// A run, given to the original and to the mutant, that seems to tell them apart at a step.
    pub fn difference(
        &mut self,
        visitor: &Visitor<'_>,
        last: u32,
    ) -> Result<Option<(Trace, Trace)>, OracleError> {
        let (ground, side) = (self.ground, &visitor.along);
        let row = self.proving.runs(ground, last)?;
        row.frames.solver.push()?;
        let differs = side.same(ground, &[], phase(last)).not();
        stand(row, ground, side, (0, last))?;
        let answer = ask(row, ground, differs, last, &[])?;
        self.queries += 1;
        let found = match answer {
            Answer::Sat => Some(trace(&mut row.frames, ground, visitor, last)?),
            Answer::Unsat | Answer::Unknown(_) => None,
        };
        row.frames.solver.pop(1)?;
        Ok(found.map(|given| {
            let view = mutants_view(&given, &side.originals);
            (given, view)
        }))
    }

    /// Whether a first step and any other keep them the same, and the auditor agrees.
    pub fn same(&mut self, visitor: &Visitor<'_>) -> Result<bool, OracleError> {
        let (ground, queries) = (self.ground, &mut self.queries);
        match self.proving.keep(ground, visitor, queries)? {
            Answer::Unsat => {}
            Answer::Unknown(_) => return Ok(false),
            Answer::Sat => return self.settled(visitor),
        }
        let Some(auditing) = &mut self.auditing else {
            return Ok(true);
        };
        match auditing.keep(ground, visitor, queries)? {
            Answer::Unsat => Ok(true),
            Answer::Unknown(_) => Ok(false),
            Answer::Sat => Err(disagreement()),
        }
    }

    /// The same, where something that steps read of the one before may differ and not matter.
    fn settled(&mut self, visitor: &Visitor<'_>) -> Result<bool, OracleError> {
        let (ground, queries) = (self.ground, &mut self.queries);
        let all = visitor.carried.clone();
        let Some(kept) = self.proving.settle(ground, visitor, all, queries)? else {
            return Ok(false);
        };
        let Some(auditing) = &mut self.auditing else {
            return Ok(true);
        };
        match auditing.settle(ground, visitor, kept.clone(), queries)? {
            Some(also) if also == kept => Ok(true),
            Some(_) => Err(disagreement()),
            None => Ok(false),
        }
    }
}

fn disagreement() -> OracleError {
    let what = "a step tells a mutant from the original that none was to tell apart";
    OracleError::Audit(what.into())
}

impl<'s> Rows<'s> {
    /// Whether a first step, or a step from a state that they share, makes them differ.
    fn keep(
        &mut self,
        ground: &Ground<'s>,
        visitor: &Visitor<'_>,
        queries: &mut u64,
    ) -> Result<Answer, SolveError> {
        *queries += 1;
        let row = self.runs(ground, 0)?;
        let side = &visitor.along;
        row.frames.solver.push()?;
        stand(row, ground, side, (0, 0))?;
        let differs = side.same(ground, &visitor.carried, Phase::Init).not();
        let first = ask(row, ground, differs, 0, &[])?;
        row.frames.solver.pop(1)?;
        if first != Answer::Unsat {
            return Ok(first);
        }
        *queries += 1;
        let within = Reach::new(ground.system, &ground.at_once, visitor.mutant);
        let side = Side::new(ground, visitor.mutant, &within, Before::Same);
        let row = self.step(ground)?;
        row.frames.solver.push()?;
        stand(row, ground, &side, (1, 1))?;
        // What the mutant remembers under a name of its own, the state that they share says, unless it
        // comes from something that the mutation changes at once: that need not be the same.
        let changed: FxHashSet<Term> = side.originals.values().copied().collect();
        for (_, element) in &visitor.mutant.elements {
            let new = |one: &&Definition| ground.system.variable(one.variable).is_none();
            let same = |one: &&Definition| {
                let read = one.step.map(|term| Mentions::of(term).variables);
                read.is_none_or(|read| read.is_disjoint(&changed))
            };
            for definition in element.auxiliaries.iter().filter(new).filter(same) {
                row.frames.assert_at(side.lasting(ground, definition), 0)?;
            }
        }
        let differs = side.same(ground, &visitor.carried, Phase::Step).not();
        let next = ask(row, ground, differs, 1, &[])?;
        row.frames.solver.pop(1)?;
        Ok(next)
    }

    /// Of these variables those that no first step, and no other when they were the same before it,
    /// makes differ; nothing when a step may make something differ that must not.
    fn settle(
        &mut self,
        ground: &Ground<'s>,
        visitor: &Visitor<'_>,
        variables: Vec<Term>,
        queries: &mut u64,
    ) -> Result<Option<Vec<Term>>, SolveError> {
        let side = &visitor.along;
        let row = self.runs(ground, 0)?;
        row.frames.solver.push()?;
        stand(row, ground, side, (0, 0))?;
        let kept = narrow(row, ground, side, variables, 0, queries)?;
        row.frames.solver.pop(1)?;
        let Some(kept) = kept else {
            return Ok(None);
        };
        let row = self.step(ground)?;
        row.frames.solver.push()?;
        stand(row, ground, side, (1, 1))?;
        for element in &side.elements {
            for definition in element.definitions() {
                row.frames.assert_at(side.lasting(ground, definition), 0)?;
            }
        }
        for variable in &kept {
            let pair = Term::eq(*variable, side.copies[variable]);
            row.frames.assert_at(was_same(*variable).implies(pair), 0)?;
        }
        let kept = narrow(row, ground, side, kept, 1, queries)?;
        row.frames.solver.pop(1)?;
        Ok(kept)
    }
}

/// Leaves out variables that can differ at a step, until none can; nothing when that cannot be told or
/// what must not differ can.
fn narrow(
    row: &mut Row<'_>,
    ground: &Ground<'_>,
    side: &Side,
    mut variables: Vec<Term>,
    step: u32,
    queries: &mut u64,
) -> Result<Option<Vec<Term>>, SolveError> {
    let visible = side.same(ground, &[], phase(step));
    loop {
        *queries += 1;
        let assumed: Vec<Term> = variables.iter().map(|one| was_same(*one)).collect();
        row.frames.solver.push()?;
        let differs = side.same(ground, &variables, phase(step)).not();
        let answer = ask(row, ground, differs, step, &assumed)?;
        let mut still = Vec::new();
        let mut hopeless = matches!(answer, Answer::Unknown(_));
        if answer == Answer::Sat {
            hopeless = !row.frames.holds(visible, step)?;
            for variable in &variables {
                let pair = Term::eq(*variable, side.copies[variable]);
                if row.frames.holds(pair, step)? {
                    still.push(*variable);
                }
            }
        }
        row.frames.solver.pop(1)?;
        if answer == Answer::Unsat {
            return Ok(Some(variables));
        }
        if hopeless || still.len() == variables.len() {
            return Ok(None);
        }
        variables = still;
    }
}

/// That a variable was the same in both at the step before.
fn was_same(variable: Term) -> Term {
    Term::var(&format!("%same {variable:?}"), Sort::Bool)
}

/// Puts a mutant beside the original at some steps, in a scope that the caller has opened. Both accept
/// the steps before the last; there only those constraints hold that are the same for both.
fn stand(
    row: &mut Row<'_>,
    ground: &Ground<'_>,
    side: &Side,
    (first, last): (u32, u32),
) -> Result<(), SolveError> {
    for variable in &side.variables {
        row.frames.declare(variable);
    }
    for step in first..=last {
        let definitions = side.elements.iter().flat_map(|one| one.definitions());
        for definition in definitions {
            if let Some(value) = definition.value(phase(step)) {
                row.frames.assert_at(definition.variable.eq(value), step)?;
            }
        }
        if step < last {
            row.frames.assert_at(side.accepted(phase(step)), step)?;
        }
    }
    let others = ground.constraints.iter();
    for id in others.filter(|id| !side.reached.contains(id)) {
        if let Some(demand) = ground.system.element(*id).constraint(phase(last)) {
            row.frames.assert_at(demand, last)?;
        }
    }
    Ok(())
}

/// Whether something can be at a step, when the original has accepted the steps before. It stays
/// asserted.
fn ask(
    row: &mut Row<'_>,
    ground: &Ground<'_>,
    goal: Term,
    step: u32,
    assumed: &[Term],
) -> Result<Answer, SolveError> {
    row.frames.assert_at(goal, step)?;
    let mut assumptions: Vec<Term> = (0..step).map(live).collect();
    assumptions.extend(assumed);
    row.frames.solver.set_budget(Budget {
        effort: Some(EFFORT),
        time: Some(ground.resources.time().min(TIME)),
    });
    row.frames.solver.check(&assumptions)
}

/// The run in the solver's model: the values of everything, copies and all.
fn trace(
    frames: &mut Frames<'_>,
    ground: &Ground<'_>,
    visitor: &Visitor<'_>,
    last: u32,
) -> Result<Trace, OracleError> {
    if !ground.system.functions().is_empty() {
        let both = product(
            ground.system,
            visitor.mutant,
            visitor.reach,
            ground.observed,
        )?;
        return Ok(frames.trace_of(&both.system, last)?);
    }
    let variables = ground.system.variables().iter();
    let own = visitor.along.variables.iter();
    let own = own.filter(|one| ground.system.variable(one.current).is_none());
    let columns: Vec<Term> = variables.chain(own).map(|one| one.current).collect();
    let mut trace = Trace::new(columns.clone());
    for step in 0..=last {
        let row = columns.iter().map(|one| frames.value(*one, step));
        let row: Result<Vec<_>, SolveError> = row.collect();
        // Each value has the sort of its column.
        let pushed = trace.push(row?);
        debug_assert!(pushed.is_ok());
    }
    Ok(trace)
}

#[cfg(test)]
mod tests {
    use super::super::equivalence::{Comparison, Seen, compare, difference, readers};
    use super::super::facts::facts;
    use super::super::generate;
    use super::super::ripple::Ripple;
    use super::super::runs::{Fragment, random_runs};
    use super::*;
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

    fn audit() -> Result<Box<dyn Solver>, SolveError> {
        proofmark_audit::auditor(None)
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

    /// Puts every mutant beside the original and compares with what a product says of it.
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
        let known = facts(system, &runs, &[], &resources, Some(&audit)).unwrap();
        let ground = Ground::new(system, &observed, known, resources);
        let readers = readers(system);
        let mut beside = Beside::new(&ground, Some(&audit));
        let mut count = Count::default();
        let selection = selection.parse().unwrap();
        for mutation in generate(&model, &lowered, &|_| true, &selection, 1).mutations {
            let Ok(mutant) = Mutant::new(&lowered, &mutation, "mutant:") else {
                continue;
            };
            let reach = Reach::new(system, &readers, &mutant);
            let whole = mutant.of(system).unwrap();
            let program = Program::compile(&whole).unwrap();
            let elements = reach.elements().collect();
            let patched = template.patch(&whole, &elements).unwrap();
            for seen in &runs {
                let (here, there) = (program.machine(), patched.machine());
                let [here, there] = [here, there].map(|mut machine| machine.run(&seen.run));
                assert_eq!(here, there, "{}", mutation.label);
            }
            if !reach.shows(system, &observed) {
                continue;
            }
            let visitor = Visitor::new(&ground, &mutant, &reach);
            let ripple = Ripple::new(ground.system, ground.observed, visitor.mutant, &reach);
            let fragment = Fragment::of(system, &mutant);
            for seen in &runs {
                let shown = difference(seen, &mut program.machine(), &seen.run, &observed);
                assert_eq!(ripple.differs(seen), shown.is_some(), "{}", mutation.label);
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
                if seen.broken_at.is_none() && ripple.is_same(seen) {
                    assert!(shown.is_none(), "{}", mutation.label);
                }
            }
            let shown = (0..3).any(|step| {
                let found = beside.difference(&visitor, step).unwrap();
                found.is_some_and(|(given, view)| {
                    let seen = Seen::of(&original, &given);
                    difference(&seen, &mut program.machine(), &view, &observed).is_some()
                })
            });
            let same = beside.same(&visitor).unwrap();
            let product = compare(system, &mutant, &reach, &observed, &resources, None).unwrap();
            let what = format!("{} at {:?}: {product:?}", mutation.label, mutation.span);
            match product {
                Comparison::Equivalent => assert!(!shown, "{what}"),
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
    fn mutants_beside_the_original_are_what_a_product_says_they_are() {
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
