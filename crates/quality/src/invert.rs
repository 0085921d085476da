//! Solves a term for one of its variables.
//!
//! Strategies need it: a free value is chosen so that something has the value it should have.

use proofmark_model::{Mentions, Op, Rational, Sort, Term, Value};

/// The value of a variable with which a term has a given value, where there is one: for other values of
/// the rest, anything.
pub(crate) fn solve_for(term: Term, variable: Term, target: Term, depth: usize) -> Option<Term> {
    if term == variable {
        return Some(target);
    }
    let depth = depth.checked_sub(1)?;
    let reads = |one: &&Term| Mentions::of(**one).variables.contains(&variable);
    let (inner, others): (Vec<Term>, Vec<Term>) = term.args().iter().partition(|one| reads(one));
    match (term.op(), &inner[..], term.args()) {
        (Op::Not, [inner], _) => solve_for(*inner, variable, target.not(), depth),
        (Op::And | Op::Or, [inner], _) => solve_for(*inner, variable, target, depth),
        (Op::Eq, [inner], _) if inner.sort() == Sort::Bool => {
            solve_for(*inner, variable, target.eq(others[0]), depth)
        }
        (Op::Add, [inner], _) => {
            let rest = Term::add(&others);
            solve_for(*inner, variable, target.sub(rest), depth)
        }
        (Op::Mul, [inner], _) if is_minus_one(others[0]) => {
            solve_for(*inner, variable, target.neg(), depth)
        }
        (Op::Ite, _, [condition, then, otherwise]) if !reads(&condition) => {
            let then = solve_for(*then, variable, target, depth);
            let otherwise = solve_for(*otherwise, variable, target, depth);
            match (then, otherwise) {
                (Some(then), Some(otherwise)) => Some(condition.ite(then, otherwise)),
                (one, other) => one.or(other),
            }
        }
        _ => None,
    }
}

fn is_minus_one(term: Term) -> bool {
    matches!(term.as_const(), Some(Value::Int(one) | Value::Real(one)) if *one == Rational::from(-1))
}
