//! What a mutation does to the assumption that it changes: does it accept more runs, or fewer?
//!
//! Only one direction can show something. A weaker assumption accepts all runs of the original and
//! perhaps more: when the properties still hold, none of them needs the assumption as it is. A tighter
//! one leaves out runs, which no property can notice. The question is put to a solver for each
//! assumption by itself, over all values of all variables, so that the answer does not depend on the
//! rest of the model: does the new one follow from the old one, or the old one from the new one?
//!
//! An assumption may remember values of its own (`pre` of an expression). Two that remember different
//! things are not compared: the change is then neither weaker nor tighter for all that is known.

use crate::auditor::Auditor;
use crate::mutate::Mutation;
use crate::mutate::mutant::Mutant;
use crate::oracle::{OracleError, Resources};
use proofmark_model::{Element, Lowered, Phase, Term};
use proofmark_solve::{Answer, Budget, SolveError, Solver};
use std::time::Duration;

/// What a change does to an assumption.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssumptionEffect {
    /// Nothing is assumed in its place.
    Removed,
    /// It follows from the original.
    Weaker,
    /// The original follows from it; it accepts no run that the original does not accept.
    Tighter,
    /// Neither, or nobody could tell.
    Other,
}

/// What one question may cost. An assumption is small, so that most answers come at once.
const EFFORT: u64 = 20_000;
const TIME: Duration = Duration::from_secs(5);

/// What each mutation does to the assumption it changes; nothing for those that change what the model
/// does. With an auditor, a second solver has to agree.
pub fn assumption_effects(
    lowered: &Lowered,
    mutations: &[Mutation],
    resources: &Resources<'_>,
    auditor: Option<&Auditor<'_>>,
) -> Result<Vec<Option<AssumptionEffect>>, OracleError> {
    let mut solvers: Vec<Box<dyn Solver>> = Vec::new();
    let mut effects = Vec::with_capacity(mutations.len());
    for mutation in mutations {
        if !mutation.is_of_assumption(&lowered.system) {
            effects.push(None);
            continue;
        }
        if solvers.is_empty() {
            solvers.push((resources.open)()?);
            if let Some(auditor) = auditor {
                solvers.push((auditor.open)()?);
            }
        }
        effects.push(Some(effect(lowered, mutation, &mut solvers)?));
    }
    Ok(effects)
}

fn effect(
    lowered: &Lowered,
    mutation: &Mutation,
    solvers: &mut [Box<dyn Solver>],
) -> Result<AssumptionEffect, OracleError> {
    let Ok(mutant) = Mutant::new(lowered, mutation, "@") else {
        return Ok(AssumptionEffect::Other);
    };
    let everything = Term::bool(true);
    let (mut removed, mut weaker, mut tighter) = (true, true, true);
    for (id, new) in &mutant.elements {
        let old = lowered.system.element(*id);
        for phase in [Phase::Init, Phase::Step] {
            let before = old.constraint(phase).unwrap_or(everything);
            let after = new.constraint(phase).unwrap_or(everything);
            removed &= after == everything;
            let compared = remember_the_same(old, new);
            weaker &= after == everything || compared && follows(before, after, solvers)?;
            tighter &= before == everything || compared && follows(after, before, solvers)?;
        }
    }
    Ok(match (removed, weaker, tighter) {
        (true, ..) => AssumptionEffect::Removed,
        // A change that is both says the same as the original, and shows nothing either.
        (false, _, true) => AssumptionEffect::Tighter,
        (false, true, false) => AssumptionEffect::Weaker,
        (false, false, false) => AssumptionEffect::Other,
    })
}

/// Whether variables of the same name have the same values in both.
fn remember_the_same(old: &Element, new: &Element) -> bool {
    let known = |one| old.auxiliaries.contains(one);
    new.auxiliaries.iter().all(known)
}

/// Whether every solver says that one term follows from another, whatever the variables are.
fn follows(from: Term, to: Term, solvers: &mut [Box<dyn Solver>]) -> Result<bool, OracleError> {
    if from == to {
        return Ok(true);
    }
    for solver in solvers {
        match refutes(solver.as_mut(), from, to.not()) {
            Ok(true) => {}
            // What the solver's theory does not hold has no answer.
            Ok(false) | Err(SolveError::Unsupported { .. }) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}

fn refutes(solver: &mut dyn Solver, one: Term, other: Term) -> Result<bool, SolveError> {
    solver.set_budget(Budget {
        effort: Some(EFFORT),
        time: Some(TIME),
    });
    solver.push()?;
    let told = solver.assert(one).and_then(|()| solver.assert(other));
    let answer = told.and_then(|()| solver.check(&[]));
    solver.pop(1)?;
    Ok(answer? == Answer::Unsat)
}
