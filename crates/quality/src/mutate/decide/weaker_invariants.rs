//! Weaker invariants than those of a proof.
//!
//! A fault that leaves the properties alone often spoils an invariant only by a little: a sum that was
//! kept is now at most what it was, a counter that was never negative is so only while the environment
//! behaves. So each equation also gives its two inequalities, and each invariant is also tried under
//! the conditions that others have. None of that is trusted; which of them are inductive on a mutant,
//! if any, a solver says.

use proofmark_model::{Op, Sort, Term};
use rustc_hash::FxHashSet;

/// How many conditions are tried.
const MOST_CONDITIONS: usize = 3;

/// What follows from single invariants, and is none of them.
pub(crate) fn weakened(invariants: &[Term]) -> Vec<Term> {
    let mut seen: FxHashSet<Term> = invariants.iter().copied().collect();
    let mut weaker: Vec<Term> = invariants.iter().flat_map(|one| halves(*one)).collect();
    weaker.retain(|one| seen.insert(*one));
    let all = [invariants, &weaker].concat();
    let mut conditions = Vec::new();
    for literal in invariants.iter().flat_map(|one| cases(*one)) {
        if is_literal(literal) && !conditions.contains(&literal) {
            conditions.push(literal);
        }
    }
    for condition in conditions.into_iter().take(MOST_CONDITIONS) {
        let free = all.iter().filter(|one| {
            let cases = cases(**one);
            !cases.contains(&condition) && !cases.contains(&condition.not())
        });
        let under = free.map(|one| Term::or(&[&[condition][..], &cases(*one)].concat()));
        weaker.extend(under.filter(|one| seen.insert(*one)));
    }
    weaker
}

/// What a term says one of.
fn cases(term: Term) -> Vec<Term> {
    match (term.op(), term.args()) {
        (Op::Or, args) => args.to_vec(),
        (Op::Not, [inner]) if *inner.op() == Op::And => {
            inner.args().iter().map(|one| one.not()).collect()
        }
        _ => vec![term],
    }
}

/// The inequalities of the equations in a term.
fn halves(term: Term) -> Vec<Term> {
    let cases = cases(term);
    let mut halves = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let (Op::Eq, [left, right]) = (case.op(), case.args()) else {
            continue;
        };
        if !matches!(left.sort(), Sort::Int | Sort::Real) {
            continue;
        }
        for half in [left.le(*right), right.le(*left)] {
            let mut cases = cases.clone();
            cases[at] = half;
            halves.push(Term::or(&cases));
        }
    }
    halves
}

/// Whether a term is a variable, or one denied.
fn is_literal(term: Term) -> bool {
    let variable = match (term.op(), term.args()) {
        (Op::Not, [inner]) => *inner,
        _ => term,
    };
    variable.as_var().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_halved_and_conditions_shared() {
        let calm = Term::var("calm", Sort::Bool);
        let (x, y) = (Term::var("x", Sort::Int), Term::var("y", Sort::Int));
        let rough = calm.not();
        let proof = [Term::or(&[rough, x.eq(y)]), Term::int(0).le(x)];
        let found = weakened(&proof);
        let wanted = [
            Term::or(&[rough, x.le(y)]),
            Term::or(&[rough, y.le(x)]),
            Term::or(&[rough, Term::int(0).le(x)]),
        ];
        assert_eq!(found, wanted);
        // Nothing new comes of what there is.
        assert!(weakened(&[proof.as_slice(), &wanted].concat()).is_empty());
    }
}
