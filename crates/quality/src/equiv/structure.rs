//! Two models as structures: all variables are seen, choices are sets of steps.
//!
//! Two models are equivalent when they have the same initial states, the same steps from every state that is
//! reached, and the same fair runs. The value of an input in a state is the one that labels the steps out
//! of it, so that the same inputs must allow the same successors; a state without successor has to be one in
//! both. That is exact: `reach(M) & (T xor T')` is empty, and nothing is hidden that would need a bisimulation.

use super::{
    AuditFailed, Difference, Equivalence, EquivalenceLimits, EquivalenceVerdict, Side, signature,
};
use crate::auditor::Audited;
use proofmark_audit::{
    Audit, audit_fair_difference, audit_same_fairness, audit_same_structure,
    audit_structure_difference,
};
use proofmark_engine::diagrams::{
    DiagramLimits, Evidence, GaveUp, StructureComparison, StructureDifference, compare_structures,
};
use proofmark_model::{FairExclusion, Program, Role, System, Term, Trace};
use std::time::Duration;

/// Compares two models.
pub fn compare_structure(
    first: &System,
    second: &System,
    limits: &EquivalenceLimits,
) -> Result<Equivalence, AuditFailed> {
    let rows = signature(first, second);
    if !rows.is_empty() {
        let difference = Box::new(Difference::Variables(rows));
        return Ok(Equivalence {
            verdict: EquivalenceVerdict::Different(difference),
            audit: Audited::by("the declarations"),
            states: None,
        });
    }
    if let Some(why) = hidden(first).or_else(|| hidden(second)) {
        return Ok(unknown(why));
    }
    let few = DiagramLimits {
        nodes: FEW.min(limits.diagrams.nodes),
        ..limits.diagrams.clone()
    };
    let mut answer = explore(first, second, &few);
    if matches!(answer, Err(GaveUp::Memory)) {
        answer = explore(first, second, &limits.diagrams);
    }
    let (answer, states) = match answer {
        Ok(answer) => answer,
        Err(why) => return Ok(unknown(why.to_string())),
    };
    let settled = settle(first, second, answer, limits.audit)?;
    Ok(Equivalence { states, ..settled })
}

/// Most models need few nodes, and room for many has to be cleared first.
const FEW: usize = 1 << 19;

/// What the engine says, and how many states the first reaches, if that mattered.
fn explore(
    first: &System,
    second: &System,
    limits: &DiagramLimits,
) -> Result<(StructureComparison, Option<String>), GaveUp> {
    let mut found = None;
    let states = compare_structures(first, [second], limits, &mut |_, answer| {
        found = Some(answer);
    });
    match (found, states) {
        (Some(Ok(answer)), Ok(states)) => {
            let states = states.map(|one| one.to_string());
            Ok((answer, states))
        }
        (Some(Err(why)), _) | (_, Err(why)) => Err(why),
        (None, Ok(_)) => unreachable!("an answer comes for each system"),
    }
}

/// Has an answer of the engine audited.
pub fn settle(
    first: &System,
    second: &System,
    answer: StructureComparison,
    time: Option<Duration>,
) -> Result<Equivalence, AuditFailed> {
    let (verdict, audit) = match answer {
        StructureComparison::Same {
            invariant,
            fairness,
        } => {
            let audit = same(first, second, (invariant, fairness.as_deref()), time)?;
            (EquivalenceVerdict::Equivalent, audit)
        }
        StructureComparison::Differ(difference) => {
            let (difference, audit) = differ(first, second, *difference, time)?;
            (EquivalenceVerdict::Different(Box::new(difference)), audit)
        }
    };
    Ok(Equivalence {
        verdict,
        audit,
        states: None,
    })
}

fn unknown(why: String) -> Equivalence {
    Equivalence {
        verdict: EquivalenceVerdict::Unknown { why },
        audit: Audited::NotAskedFor,
        states: None,
    }
}

/// What no state shows: then structures are not all there is.
fn hidden(system: &System) -> Option<String> {
    let mut variables = system.variables().iter();
    let is_hidden = |role| matches!(role, Role::Choice | Role::Auxiliary);
    let found = variables.find(|one| is_hidden(one.role))?;
    Some(format!("the states of the model hide `{}`", found.name))
}

/// Without an invariant at hand, it may be that none is needed.
fn same(
    first: &System,
    second: &System,
    (invariant, exclusions): (Option<Term>, Option<&[Option<FairExclusion>]>),
    time: Option<Duration>,
) -> Result<Audited, AuditFailed> {
    let Some(time) = time else {
        return Ok(Audited::NotAskedFor);
    };
    let written = invariant.is_some();
    let invariant = invariant.unwrap_or(Term::bool(true));
    let too_large = || Audited::NoAnswer {
        why: "the set of reachable states is too large to be written down".into(),
    };
    let audit = match audit_same_structure(first, second, invariant, Some(time)) {
        Audit::Failed { .. } if !written => return Ok(too_large()),
        audit => audited(audit)?,
    };
    let Some(exclusions) = exclusions.filter(|_| audit.passed()) else {
        return Ok(audit);
    };
    let fairness = audit_same_fairness(first, second, invariant, exclusions, Some(time));
    Ok(audit.and(audited(fairness)?))
}

fn audited(audit: Audit) -> Result<Audited, AuditFailed> {
    match audit {
        Audit::Passed { by, .. } => Ok(Audited::by(by)),
        Audit::Unknown { why } => Ok(Audited::NoAnswer { why }),
        Audit::Failed { what } => Err(AuditFailed(what)),
    }
}

fn differ(
    first: &System,
    second: &System,
    difference: StructureDifference,
    time: Option<Duration>,
) -> Result<(Difference, Audited), AuditFailed> {
    let sides = |only| match only {
        Side::First => (first, second),
        Side::Second => (second, first),
    };
    let (found, audit) = match difference {
        StructureDifference::Step { run, only } => {
            let (accepts, refuses) = sides(only);
            let audit = || audit_structure_difference(accepts, refuses, &run);
            let audit = time.map(|_| audit());
            let run = whole(accepts, &run)?;
            (Difference::Step { run, only }, audit)
        }
        StructureDifference::Fair { run, only } => {
            let (fair, unfair) = sides(only);
            let Evidence { trace, back, .. } = run;
            let back = back.unwrap_or(0);
            let audit = time.map(|_| audit_fair_difference(fair, unfair, &trace, back));
            let run = whole(fair, &trace)?;
            (Difference::Fair { run, back, only }, audit)
        }
    };
    let audit = audit.map_or(Ok(Audited::NotAskedFor), audited)?;
    Ok((found, audit))
}

/// The values of all variables.
fn whole(system: &System, run: &Trace) -> Result<Trace, AuditFailed> {
    let program = Program::compile(system).map_err(|error| AuditFailed(error.to_string()))?;
    Ok(program.machine().run(run).0)
}
