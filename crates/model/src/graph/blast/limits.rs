//! What is known of integers before anything is built: bounds that are declared, and bounds that the
//! constraints of the system demand at every step.

use crate::sort::Sort;
use crate::system::{Body, Phase, System, Variable};
use crate::term::{Op, Term};
use crate::value::Value;
use rustc_hash::FxHashMap;

/// The least and the greatest value of a variable, as far as they are known.
type Found = FxHashMap<Term, (Option<i128>, Option<i128>)>;

/// The bounds of a variable's type.
pub(super) fn declared(variable: &Variable) -> Option<(i128, i128)> {
    let bounds = variable.bounds.as_ref()?;
    Some((bounds.low.to_i64()?.into(), bounds.high.to_i64()?.into()))
}

/// The bounds of integers that constraints demand at the first step and at every later one.
pub fn limits(system: &System) -> FxHashMap<Term, (i128, i128)> {
    let mut found: [Found; 2] = Default::default();
    for element in system.elements() {
        if !matches!(element.body, Body::Constrain { .. }) {
            continue;
        }
        for (phase, bounds) in [Phase::Init, Phase::Step].into_iter().zip(&mut found) {
            let mut stack: Vec<Term> = element.constraint(phase).into_iter().collect();
            while let Some(term) = stack.pop() {
                match term.op() {
                    Op::And => stack.extend(term.args()),
                    _ => tighten(term, bounds),
                }
            }
        }
    }
    let [init, step] = found;
    let both = init.into_iter().filter_map(|(variable, (low, high))| {
        let (other_low, other_high) = *step.get(&variable)?;
        Some((variable, (low?.min(other_low?), high?.max(other_high?))))
    });
    both.collect()
}

/// Takes in what one conjunct says of a variable.
fn tighten(term: Term, bounds: &mut Found) {
    let (inner, negated) = match term.op() {
        Op::Not => (term.args()[0], true),
        _ => (term, false),
    };
    let (Op::Le | Op::Eq, [a, b]) = (inner.op(), inner.args()) else {
        return;
    };
    let number = |term: &Term| {
        let value = term.as_const().and_then(Value::as_number)?;
        value.to_i64().map(i128::from)
    };
    let (low, high) = match (inner.op(), negated, number(a), number(b)) {
        (Op::Le, false, Some(low), None) => (Some(low), None),
        (Op::Le, false, None, Some(high)) => (None, Some(high)),
        (Op::Le, true, Some(above), None) => (None, Some(above - 1)),
        (Op::Le, true, None, Some(below)) => (Some(below + 1), None),
        (Op::Eq, false, Some(value), None) | (Op::Eq, false, None, Some(value)) => {
            (Some(value), Some(value))
        }
        _ => return,
    };
    let variable = if number(a).is_some() { *b } else { *a };
    if variable.as_var().is_none() || variable.sort() != Sort::Int {
        return;
    }
    let entry = bounds.entry(variable).or_default();
    entry.0 = entry.0.max(low);
    entry.1 = match (entry.1, high) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
}
