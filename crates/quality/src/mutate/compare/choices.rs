//! What original and mutant may choose, and when a run tells them apart in spite of it.
//!
//! Inputs come from outside, and both get the same. All else that no equation defines is a *choice*
//! of the system: the value of an unguarded `pre` at the first step, a variable whose equation a
//! mutation removed, at every step. A *run as observed* is the sequence of inputs and observed values
//! of a run that the assumptions accept, of any length. Original and mutant are equivalent when they
//! have the same runs as observed. Uninterpreted functions are given from outside, as inputs are.
//!
//! A choice matters when something observed, or an assumption, depends on it. Where neither system
//! has one that matters, what is observed is a function of the inputs, and one pair of runs on the
//! same inputs that show something different tells them apart. Where a system has some, such a pair
//! is a hint: the other values may be what it shows with another choice. Then a run of the one is
//! evidence only when the other has no run with the same inputs and observed values. If the other
//! has no choices, its own run on those inputs shows that. Otherwise a solver is asked about runs of
//! the other, with inputs and observed values fixed and all choices free, and the auditor is asked
//! the same.
//!
//! Equivalence that is proved with choices shared by both (`lockstep`, `product`) needs no more: to a
//! run of the one belongs the run of the other with the same choices, and with any values for what
//! only the other chooses. `inclusion` proves it where the other has to choose differently.

use crate::auditor::Auditor;
use crate::mutate::compare::product::{Distinction, Seen, Side, constraints, difference};
use crate::mutate::mutant::Mutant;
use crate::oracle::{OracleError, Resources};
use proofmark_engine::Frames;
use proofmark_model::{
    Body, Definition, Element, ElementId, Phase, Program, Role, System, Term, Trace, slice_with,
};
use proofmark_solve::{Answer, Budget, SolveError};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// For each query about the runs of a system.
const TIME: Duration = Duration::from_secs(1);

/// A variable that a system may choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    /// Its current term.
    pub variable: Term,
    /// Whether it is chosen at the first step, and at later ones.
    pub at: [bool; 2],
}

/// What the variables of the original depend on, to find the choices that matter in a mutant.
pub(crate) struct Dependence {
    /// What each element reads, as current terms.
    reads: Vec<Vec<Term>>,
    definers: FxHashMap<Term, Vec<ElementId>>,
    /// Whether the original has choices, whether they matter or not.
    chooses: bool,
}

impl Dependence {
    pub fn new(system: &System) -> Dependence {
        let mut definers: FxHashMap<Term, Vec<ElementId>> = FxHashMap::default();
        let mut reads = Vec::new();
        for id in system.ids() {
            let element = system.element(id);
            for definition in element.definitions() {
                definers.entry(definition.variable).or_default().push(id);
            }
            reads.push(read(element, |term| {
                system.variable(term).map(|one| one.current)
            }));
        }
        let mut dependence = Dependence {
            reads,
            definers,
            chooses: true,
        };
        let mut all = system.variables().iter();
        dependence.chooses = all.any(|one| dependence.choice(system, None, one.current).is_some());
        dependence
    }

    /// The choices of the original, or of a mutant, that matter.
    pub fn choices(
        &self,
        system: &System,
        mutant: Option<&Mutant>,
        observed: &[Term],
    ) -> Vec<Choice> {
        if !self.chooses && mutant.is_none_or(|mutant| !frees(system, mutant)) {
            return Vec::new();
        }
        let changed = mutant.map_or(&[][..], |mutant| &mutant.elements);
        let own = changed
            .iter()
            .map(|(id, element)| (*id, read(element, |term| known(system, mutant, term))));
        let own: FxHashMap<ElementId, Vec<Term>> = own.collect();
        let reads = |id: ElementId| own.get(&id).unwrap_or(&self.reads[id.index()]);
        let mut waiting = observed.to_vec();
        let all = system.ids().map(|id| (id, system.element(id)));
        for (id, element) in all.chain(changed.iter().map(|(id, element)| (*id, element))) {
            if element.target().is_none() {
                waiting.extend(reads(id));
            }
        }
        let (mut seen, mut choices) = (FxHashSet::default(), Vec::new());
        while let Some(variable) = waiting.pop() {
            if !seen.insert(variable) {
                continue;
            }
            choices.extend(self.choice(system, mutant, variable));
            for id in self.definers.get(&variable).into_iter().flatten() {
                waiting.extend(reads(*id));
            }
            let own = changed.iter().filter(|(_, one)| defines(one, variable));
            own.for_each(|(id, _)| waiting.extend(reads(*id)));
        }
        // The same order in every run of the program.
        choices.sort_by_key(|one| one.variable.as_var().map(|name| name.as_str()));
        choices
    }

    /// Where a variable is a choice, if it is one.
    fn choice(&self, system: &System, mutant: Option<&Mutant>, variable: Term) -> Option<Choice> {
        let own = mutant.into_iter().flat_map(|mutant| &mutant.variables);
        let mut own = own.filter(|one| one.current == variable);
        let role = system.variable(variable).or_else(|| own.next())?.role;
        if role == Role::Input {
            return None;
        }
        let changed = mutant.map_or(&[][..], |mutant| &mutant.elements);
        let is_changed = |id: &ElementId| changed.iter().any(|(other, _)| other == id);
        let definers = self.definers.get(&variable).into_iter().flatten();
        let unchanged = definers.filter(|id| !is_changed(id));
        let elements = unchanged.map(|id| system.element(*id));
        let elements = elements.chain(changed.iter().map(|(_, element)| element));
        let definitions: Vec<&Definition> = elements
            .flat_map(|element| element.definitions())
            .filter(|one| one.variable == variable)
            .collect();
        let free = |phase| definitions.iter().all(|one| one.value(phase).is_none());
        // The value of an unguarded `pre` is read at the first step only.
        let later = role != Role::Choice && free(Phase::Step);
        let at = [free(Phase::Init), later];
        at.contains(&true).then_some(Choice { variable, at })
    }
}

fn defines(element: &Element, variable: Term) -> bool {
    let mut definitions = element.definitions();
    definitions.any(|one| one.variable == variable)
}

/// What an element reads, as current terms.
fn read(element: &Element, current: impl Fn(Term) -> Option<Term>) -> Vec<Term> {
    let mentions = element.mentions();
    let read: FxHashSet<Term> = mentions.variables.into_iter().filter_map(current).collect();
    read.into_iter().collect()
}

/// The current term of a variable of the original or of a mutant.
fn known(system: &System, mutant: Option<&Mutant>, term: Term) -> Option<Term> {
    let own = mutant.into_iter().flat_map(|mutant| &mutant.variables);
    let mut own = own.filter(|one| one.current == term || one.previous == term);
    let known = system.variable(term).or_else(|| own.next())?;
    Some(known.current)
}

/// Whether a mutant may choose what the original does not have or defines.
fn frees(system: &System, mutant: &Mutant) -> bool {
    let defined = |element: &Element| match &element.body {
        Body::Define(one) => Some((one.variable, one.init.is_some(), one.step.is_some())),
        Body::Constrain { .. } => None,
    };
    let mut elements = mutant.elements.iter();
    mutant.variables.iter().any(|one| one.role == Role::Choice)
        || elements.any(|(id, element)| defined(element) != defined(system.element(*id)))
}

/// What can be said of two runs on the same inputs.
pub(crate) enum Told {
    Apart(Box<Distinction>),
    /// Each system has the other's run, as observed, or that is not known.
    Open,
}

/// Whether a system has a run with given inputs and observed values.
pub(crate) enum Followed {
    /// This one.
    By(Trace),
    /// None of so many steps; perhaps one that has all but the last.
    Not {
        step: usize,
        closest: Option<Trace>,
    },
    Unknown,
}

/// Original and mutant, in this order, with what they may choose.
pub(crate) struct Choosers<'a> {
    pub systems: [&'a System; 2],
    pub programs: [&'a Program; 2],
    pub choices: [&'a [Choice]; 2],
    pub observed: &'a [Term],
    pub resources: &'a Resources<'a>,
    pub auditor: Option<Auditor<'a>>,
}

impl Choosers<'_> {
    /// Whether a run of the original and one of the mutant, which is given by what is free in it, on
    /// the same inputs, tell them apart. A solver is asked at most so many times.
    pub fn told_apart(
        &self,
        seen: &Seen,
        given: &Trace,
        queries: &mut u64,
    ) -> Result<Told, OracleError> {
        let mut machine = self.programs[1].machine();
        let Some(mut found) = difference(seen, &mut machine, given, self.observed) else {
            return Ok(Told::Open);
        };
        let chooses = self.choices.map(|choices| !choices.is_empty());
        let original_rejects = seen.broken_at == Some(found.step);
        if let Some(alone) = by_inputs(&found, original_rejects, chooses) {
            found.alone = chooses.contains(&true).then_some(alone);
            return Ok(Told::Apart(Box::new(found)));
        }
        let given = [&seen.run, given];
        for one in [Side::Original, Side::Mutant] {
            let Some(left) = queries.checked_sub(1) else {
                break;
            };
            *queries = left;
            let (run, outcome) = self.program(one).machine().run(given[one as usize]);
            let run = run.first(outcome.broken_at().unwrap_or(run.len()));
            if let Followed::Not { step, closest } = self.follow(one.other(), &run)?
                && let Some(found) = self.without_match(one, &run, (step, closest), given)?
            {
                return Ok(Told::Apart(Box::new(found)));
            }
        }
        Ok(Told::Open)
    }

    fn program(&self, side: Side) -> &Program {
        self.programs[side as usize]
    }

    fn time(&self) -> Duration {
        self.resources.time().min(TIME)
    }

    /// Whether a system has an accepted run with the inputs and observed values of a run of the other
    /// one.
    pub fn follow(&self, side: Side, run: &Trace) -> Result<Followed, OracleError> {
        let part = self.visible(side);
        let solver = (self.resources.open)()?;
        let mut follower = Follower::new(&part, self.observed, run, solver, self.time())?;
        let mut closest = None;
        for step in 0..run.len() {
            follower.assert(step)?;
            match follower.frames.solver.check(&[])? {
                Answer::Sat => closest = Some(follower.frames.trace(step as u32)?),
                Answer::Unknown(_) => return Ok(Followed::Unknown),
                Answer::Unsat => return Ok(Followed::Not { step, closest }),
            }
        }
        Ok(closest.map_or(Followed::Unknown, Followed::By))
    }

    /// What observed values and assumptions depend on.
    fn visible(&self, side: Side) -> System {
        let system = self.systems[side as usize];
        let mut terms = constraints(system);
        terms.extend(self.observed);
        slice_with(system, &[], &terms).system
    }

    /// The distinction by a run of one of them of which the other has no match at a step, when the
    /// auditor agrees and the simulator shows that run.
    pub fn without_match(
        &self,
        one: Side,
        run: &Trace,
        (step, closest): (usize, Option<Trace>),
        given: [&Trace; 2],
    ) -> Result<Option<Distinction>, OracleError> {
        let other = one.other();
        let run = run.first(step + 1);
        if let Some(auditor) = self.auditor {
            let part = self.visible(other);
            let (solver, time) = ((auditor.open)()?, self.resources.within(auditor.time));
            let mut follower = Follower::new(&part, self.observed, &run, solver, time)?;
            for step in 0..=step {
                follower.assert(step)?;
            }
            match follower.frames.solver.check(&[])? {
                Answer::Unsat => {}
                Answer::Unknown(_) => return Ok(None),
                Answer::Sat => {
                    let what = "the auditor finds a run that a system was not to have";
                    return Err(OracleError::Audit(what.into()));
                }
            }
        }
        // The other one follows as long as it can.
        let mut also_given = run.clone();
        if let Some(completed) = run.completed(given[other as usize]) {
            also_given = completed;
        }
        for choice in self.choices[other as usize] {
            for at in 0..=step {
                let chosen = closest
                    .as_ref()
                    .and_then(|one| one.value(choice.variable, at));
                let chosen = chosen.or_else(|| given[other as usize].value(choice.variable, at));
                if let Some(value) = chosen {
                    also_given.replace(choice.variable, at, value.clone());
                }
            }
        }
        let (also_run, outcome) = self.program(other).machine().run(&also_given);
        let accepted = outcome.broken_at().unwrap_or(step + 1);
        let differs = |term: &&Term| run.value(**term, step) != also_run.value(**term, step);
        let variables: Vec<Term> = match accepted > step {
            true => self.observed.iter().filter(differs).copied().collect(),
            false => Vec::new(),
        };
        if accepted > step && variables.is_empty() {
            // The solver takes it for no run, and the simulator for one.
            return Ok(None);
        }
        let (original, mutant) = match one {
            Side::Original => (run, also_run),
            Side::Mutant => (also_run, run),
        };
        Ok(Some(Distinction {
            original,
            mutant,
            step,
            variables,
            alone: Some(one),
        }))
    }
}

/// Whose run the other one does not have, where its run on the inputs is the only one that the other
/// has.
fn by_inputs(found: &Distinction, original_rejects: bool, chooses: [bool; 2]) -> Option<Side> {
    let both_accept = !found.variables.is_empty();
    let original = both_accept || !original_rejects;
    let mutant = both_accept || original_rejects;
    match chooses {
        [false, _] if mutant => Some(Side::Mutant),
        [_, false] if original => Some(Side::Original),
        _ => None,
    }
}

/// A system in a solver, held to the inputs and observed values of a run.
struct Follower<'s> {
    frames: Frames<'s>,
    fixed: Vec<Term>,
    run: &'s Trace,
}

impl<'s> Follower<'s> {
    fn new(
        system: &'s System,
        observed: &[Term],
        run: &'s Trace,
        solver: Box<dyn proofmark_solve::Solver>,
        time: Duration,
    ) -> Result<Follower<'s>, SolveError> {
        let mut frames = Frames::new(system, solver);
        frames.solver.set_budget(Budget {
            effort: None,
            time: Some(time),
        });
        for (function, args, value) in run.functions.points() {
            let args: Vec<Term> = args.iter().cloned().map(Term::constant).collect();
            let point = Term::apply(function, &args);
            frames
                .solver
                .assert(point.eq(Term::constant(value.clone())))?;
        }
        let inputs = system.inputs().map(|one| one.current);
        let mut fixed: Vec<Term> = inputs.collect();
        fixed.extend(
            observed
                .iter()
                .filter(|one| system.variable(**one).is_some()),
        );
        Ok(Follower { frames, fixed, run })
    }

    fn assert(&mut self, step: usize) -> Result<(), SolveError> {
        for term in &self.fixed {
            if let Some(value) = self.run.value(*term, step) {
                let value = Term::constant(value.clone());
                self.frames.assert_at(Term::eq(*term, value), step as u32)?;
            }
        }
        match step {
            0 => self.frames.assert_init(),
            _ => self.frames.assert_step(step as u32),
        }
    }
}
