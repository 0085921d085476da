//! Simple facts that hold in every state of the original.
//!
//! Whether a mutant is the same often hangs on something so plain that no property needed it: a flag
//! that is always up, a counter that is never negative. Of all such facts about single variables that
//! the runs at hand do not contradict, those are kept that are inductive together, found by leaving
//! out, again and again, what a solver shows to fail (Flanagan and Leino, Houdini, FME 2001). They are
//! audited as one proof; without an answer there are none.

use crate::auditor::Auditor;
use crate::mutate::compare::product::Seen;
use crate::mutate::decide::base_context::{BaseContext, Inserted};
use crate::mutate::mutant::Mutant;
use crate::oracle::{OracleError, Resources};
use proofmark_audit::{Audit, audit_proof};
use proofmark_model::{Origin, Proof, Property, Rational, Sort, System, Term, Value};
use proofmark_solve::Budget;
use std::sync::Arc;
use std::time::Duration;

/// For each query.
const EFFORT: u64 = 20_000;
/// For each query, and for the audit.
const TIME: Duration = Duration::from_secs(2);

/// Facts about the states of a system that accept what is assumed.
pub(crate) fn facts(
    system: &System,
    runs: &[Arc<Seen>],
    known: &[Term],
    resources: &Resources<'_>,
    auditor: Option<Auditor<'_>>,
) -> Result<Vec<Term>, OracleError> {
    let guesses = guesses(system, runs);
    if guesses.is_empty() || resources.exhausted() {
        return Ok(Vec::new());
    }
    let nothing = Mutant {
        elements: Vec::new(),
        variables: Vec::new(),
    };
    let inserted = Inserted {
        mutant: &nothing,
        system,
    };
    let time = resources.time().min(TIME);
    let budget = Budget {
        effort: Some(EFFORT),
        time: Some(time),
    };
    let mut context = BaseContext::new(system, &[], 1, resources.open, budget);
    let mut all = known.to_vec();
    all.extend(guesses);
    let Some(base) = context.base(&inserted, &all)? else {
        return Ok(Vec::new());
    };
    let Some(kept) = context.inductive(&inserted, &[], &base, false)? else {
        return Ok(Vec::new());
    };
    let Some(auditor) = auditor else {
        return Ok(kept);
    };
    let together = system.with_properties(vec![Property {
        name: "facts".into(),
        term: Term::and(&kept),
        origin: Origin::generated(),
    }])?;
    let proof = Proof {
        k: 1,
        invariants: Vec::new(),
    };
    match audit_proof(&together, 0, &proof, &|| (auditor.open)(), Some(time))? {
        Audit::Passed { .. } => Ok(kept),
        Audit::Failed { what } => Err(OracleError::Audit(what)),
        Audit::Unknown { .. } => Ok(Vec::new()),
    }
}

/// What no run contradicts, variable by variable.
fn guesses(system: &System, runs: &[Arc<Seen>]) -> Vec<Term> {
    let variables = system.variables().iter().map(|one| one.current);
    let guesses = variables.flat_map(|variable| {
        let least = match variable.sort() {
            Sort::Bool => {
                let is = |value: bool| agree(runs, variable, |seen| *seen == Value::Bool(value));
                let guesses = [(variable, is(true)), (variable.not(), is(false))];
                return guesses.to_vec();
            }
            Sort::Int => Value::Int(Rational::from(0)),
            Sort::Real => Value::Real(Rational::from(0)),
            Sort::Enum(_) | Sort::BitVec(_) => return Vec::new(),
        };
        let positive = agree(runs, variable, |seen| match seen {
            Value::Int(number) | Value::Real(number) => *number >= Rational::from(0),
            _ => false,
        });
        vec![(Term::constant(least).le(variable), positive)]
    });
    let hopeful = guesses.filter(|(_, hopeful)| *hopeful);
    hopeful.map(|(guess, _)| guess).collect()
}

/// Whether all values of a variable are so, in all states in which the assumptions hold.
fn agree(runs: &[Arc<Seen>], variable: Term, is_so: impl Fn(&Value) -> bool) -> bool {
    runs.iter().all(|seen| {
        let accepted = seen.broken_at.unwrap_or(seen.run.len());
        let mut values = (0..accepted).filter_map(|step| seen.run.value(variable, step));
        values.all(&is_so)
    })
}
