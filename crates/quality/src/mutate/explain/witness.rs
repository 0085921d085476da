//! A gap's witness: the run that slips through and shows the most on its way.
//!
//! Any run on which a mutant shows something else proves a gap. The most telling one also takes as
//! many branches of the mutant as possible: maxcover. A *branch* is a
//! condition of the mutant, true or false at some step. A solver is asked, over original and mutant
//! side by side, for a run that shows a difference and takes every branch that is taken so far and
//! one more, until there is none or the effort is spent; then no single branch can be added.
//!
//! The run is replayed on both. It violates no property, since the mutant survived; if it does, that
//! is an internal error. Branches are counted on what the simulator made of it. Where original or mutant
//! have choices that matter, the run has to be one that the other has not, whatever it chooses; else
//! the gap keeps the run that it was found with.

use crate::mutate::Mutation;
use crate::mutate::campaign::Plan;
use crate::mutate::compare::choices::{Choosers, Dependence, Told};
use crate::mutate::compare::product::{Distinction, FanOut, Seen, mutants_view, product, readers};
use crate::mutate::mutant::Mutant;
use crate::oracle::OracleError;
use crate::run::Walk;
use proofmark_engine::Frames;
use proofmark_model::{Element, Op, Origin, Phase, Program, System, Term, Trace, Value, rename};
use proofmark_solve::{Answer, Budget, SolveError};
use rustc_hash::FxHashSet;
use std::time::Duration;

/// How many steps beyond the difference the run may have.
const BEYOND: u32 = 3;
/// How many times a solver is asked for more.
const ROUNDS: usize = 16;
/// What one run may take.
const MOST: Duration = Duration::from_secs(2);

/// A run of original and mutant, and how much of the mutant it goes through.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The run, on both.
    pub distinction: Distinction,
    /// How many branches of the mutant it takes at some step.
    pub taken: usize,
    /// How many branches the mutant has: every condition of a case distinction, both ways.
    pub branches: usize,
}

/// A condition of the mutant, at the first step or at later ones, and the value it has there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Branch {
    phase: Phase,
    condition: Term,
    value: bool,
}

/// A run that tells a mutation from the original, as the one at hand does, and takes as many of its
/// branches as it can; nothing when there is none in time.
pub fn witness(
    plan: &Plan<'_>,
    mutation: &Mutation,
    found: &Distinction,
) -> Result<Option<Witness>, OracleError> {
    let (Some(observed), system) = (plan.observed, &plan.lowered.system) else {
        return Ok(None);
    };
    let Ok(mutant) = Mutant::new(plan.lowered, mutation, "witness:") else {
        return Ok(None);
    };
    let whole = mutant.of(system)?;
    let branches = branches(&whole);
    let fan_out = FanOut::new(system, &readers(system), &mutant);
    let mut both = product(system, &mutant, &fan_out, observed)?;
    let last = found.step as u32 + BEYOND;
    let mut frames = Frames::new(&both.system, (plan.resources.open)()?);
    frames.solver.set_budget(Budget {
        effort: None,
        time: Some(plan.resources.time().min(MOST)),
    });
    let copies = &mut both.copies;
    let mut goal = |branch: &Branch, frames: &mut Frames<'_>| {
        let condition = rename(branch.condition, copies, |variable| variable);
        some_step(branch, condition, last, frames)
    };
    let goals: Vec<Term> = branches.iter().map(|one| goal(one, &mut frames)).collect();
    let same = both.system.properties()[0].term;
    let Some(trace) = most(&mut frames, same, goals, last)? else {
        return Ok(None);
    };
    let given = mutants_view(&trace, &both.originals);
    let (original, mutated) = (Program::compile(system)?, Program::compile(&whole)?);
    let seen = Seen::of(&original, &trace);
    let dependence = Dependence::new(system);
    let choices = [None, Some(&mutant)].map(|one| dependence.choices(system, one, observed));
    let choosers = Choosers {
        systems: [system, &whole],
        programs: [&original, &mutated],
        choices: [&choices[0], &choices[1]],
        observed,
        resources: &plan.resources,
        auditor: plan.auditor,
    };
    let Told::Apart(distinction) = choosers.told_apart(&seen, &given, &mut 2)? else {
        return Ok(None);
    };
    // Where choices matter, the run ends with the step of which the other has no match.
    let (seen, given) = match distinction.alone {
        None => (seen, given),
        Some(_) => (
            Seen::of(&original, &distinction.original),
            distinction.mutant.clone(),
        ),
    };
    let (run, outcome) = mutated.machine().run(&given);
    if plan
        .properties
        .iter()
        .any(|at| outcome.refuted_at(*at).is_some())
    {
        let what = "a run of a mutant that survived violates a property";
        return Err(OracleError::Audit(what.into()));
    }
    // From where one of them breaks an assumption on, it is no run.
    let ends = [seen.broken_at, outcome.broken_at()].into_iter().flatten();
    let steps = ends.map(|step| step + 1).min().unwrap_or(run.len());
    let (original, mutant) = (seen.run.first(steps), run.first(steps));
    let taken = branches.iter().filter(|one| one.taken(&whole, &mutant));
    Ok(Some(Witness {
        taken: taken.count(),
        branches: branches.len(),
        distinction: Distinction {
            original,
            mutant,
            ..*distinction
        },
    }))
}

/// A run on which the two differ, and which meets as many goals as can be had.
fn most(
    frames: &mut Frames<'_>,
    same: Term,
    mut goals: Vec<Term>,
    last: u32,
) -> Result<Option<Trace>, SolveError> {
    frames.assert_init()?;
    for step in 1..=last {
        frames.assert_step(step)?;
    }
    let differs: Vec<Term> = (0..=last).map(|step| frames.at(same, step).not()).collect();
    frames.solver.assert(Term::or(&differs))?;
    let (mut best, mut wanted) = (None, Term::bool(true));
    for _ in 0..ROUNDS {
        match frames.solver.check(&[wanted])? {
            Answer::Sat => {}
            Answer::Unsat | Answer::Unknown(_) => break,
        }
        best = Some(frames.trace(last)?);
        let mut met = Vec::new();
        let mut rest = Vec::new();
        for goal in goals {
            match frames.solver.value(goal)? == Value::Bool(true) {
                true => met.push(goal),
                false => rest.push(goal),
            }
        }
        goals = rest;
        if goals.is_empty() {
            break;
        }
        for goal in met {
            frames.solver.assert(goal)?;
        }
        wanted = Term::or(&goals);
    }
    Ok(best)
}

/// That a branch is taken at some step.
fn some_step(branch: &Branch, condition: Term, last: u32, frames: &mut Frames<'_>) -> Term {
    let steps = match branch.phase {
        Phase::Init => 0..=0,
        Phase::Step => 1..=last,
    };
    let taken = steps.map(|step| match branch.value {
        true => frames.at(condition, step),
        false => frames.at(condition, step).not(),
    });
    let taken: Vec<Term> = taken.collect();
    Term::or(&taken)
}

/// The branches of a system: every condition of a case distinction, both ways.
fn branches(system: &System) -> Vec<Branch> {
    let mut branches = Vec::new();
    for phase in [Phase::Init, Phase::Step] {
        let mut seen = FxHashSet::default();
        let parts = system.elements().iter().map(|element| element.part(phase));
        let mut stack: Vec<Term> = parts.collect();
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            stack.extend(term.args());
            let condition = term.args().first().filter(|_| *term.op() == Op::Ite);
            let both = |condition: &Term| {
                [true, false].map(|value| Branch {
                    phase,
                    condition: *condition,
                    value,
                })
            };
            branches.extend(condition.into_iter().flat_map(both));
        }
    }
    let mut seen = FxHashSet::default();
    branches.retain(|branch| seen.insert(*branch));
    branches
}

impl Branch {
    /// Whether a run, which has a value for every variable, takes it.
    fn taken(&self, system: &System, run: &Trace) -> bool {
        let nothing = Element::constrain(None, None, Origin::generated());
        let mut walk = Walk::new(system, &nothing);
        let mut steps = match self.phase {
            Phase::Init => 0..run.len().min(1),
            Phase::Step => 1..run.len().max(1),
        };
        steps.any(|step| {
            walk.step = step;
            walk.value(run, self.condition) == Some(Value::Bool(self.value))
        })
    }
}
