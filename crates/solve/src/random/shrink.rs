//! From a session that fails to a small one that fails in the same way.
//!
//! Greedy: calls are left out, first many at once and then one by one; assumptions likewise; terms
//! are replaced by their parts and by constants. Every change makes the session smaller, so it ends.

use super::session::{Call, Session};
use proofmark_model::{Sort, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Shrinks a session for as long as `fails` holds of it, in at most so many trials.
pub fn shrink(
    session: &Session,
    trials: usize,
    mut fails: impl FnMut(&Session) -> bool,
) -> Session {
    let mut left = trials;
    let mut best = session.clone();
    let mut test = |session: &Session| {
        if left == 0 {
            return false;
        }
        left -= 1;
        fails(session)
    };
    loop {
        let before = best.clone();
        leave_out_calls(&mut best, &mut test);
        leave_out_assumptions(&mut best, &mut test);
        simplify_terms(&mut best, &mut test);
        if best == before {
            return best;
        }
    }
}

fn leave_out_calls(best: &mut Session, test: &mut impl FnMut(&Session) -> bool) {
    let mut length = best.0.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at + length <= best.0.len() {
            let mut shorter = best.clone();
            shorter.0.drain(at..at + length);
            if test(&shorter) {
                *best = shorter;
            } else {
                at += 1;
            }
        }
        length /= 2;
    }
}

fn leave_out_assumptions(best: &mut Session, test: &mut impl FnMut(&Session) -> bool) {
    for at in 0..best.0.len() {
        if let Call::MinimalCore(terms) = &best.0[at] {
            let plain = Call::Check(terms.clone());
            try_call(best, at, plain, test);
        }
        let mut place = 0;
        while place < best.0[at].terms().len() {
            let mut call = best.0[at].clone();
            let (Call::Check(terms) | Call::MinimalCore(terms)) = &mut call else {
                break;
            };
            terms.remove(place);
            if !try_call(best, at, call, test) {
                place += 1;
            }
        }
    }
}

fn try_call(
    best: &mut Session,
    at: usize,
    call: Call,
    test: &mut impl FnMut(&Session) -> bool,
) -> bool {
    let mut changed = best.clone();
    changed.0[at] = call;
    let better = test(&changed);
    if better {
        *best = changed;
    }
    better
}

fn simplify_terms(best: &mut Session, test: &mut impl FnMut(&Session) -> bool) {
    for at in 0..best.0.len() {
        for place in 0..best.0[at].terms().len() {
            while best.0[at].terms().get(place).copied().is_some_and(|term| {
                simpler(term).into_iter().any(|term| {
                    let call = with_term(&best.0[at], place, term);
                    try_call(best, at, call, test)
                })
            }) {}
        }
    }
}

fn with_term(call: &Call, place: usize, term: Term) -> Call {
    let mut call = call.clone();
    match &mut call {
        Call::Declare(own) | Call::Assert(own) | Call::Value(own) => *own = term,
        Call::Check(terms) | Call::MinimalCore(terms) => terms[place] = term,
        Call::Push | Call::Pop(_) | Call::Effort(_) => {}
    }
    call
}

/// Terms that are smaller than a term in one place.
fn simpler(root: Term) -> Vec<Term> {
    let mut results = Vec::new();
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    for part in parts(root) {
        for replacement in replacements(part) {
            let changed = replace(root, part, replacement, &mut FxHashMap::default());
            if let Some(changed) = changed
                && measure(changed) < measure(root)
                && seen.insert(changed)
            {
                results.push(changed);
            }
        }
    }
    results
}

/// A term and all its parts, the larger first.
fn parts(root: Term) -> Vec<Term> {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut found = vec![root];
    let mut at = 0;
    while at < found.len() {
        let args = found[at].args();
        found.extend(args.iter().filter(|arg| seen.insert(**arg)));
        at += 1;
    }
    found
}

/// What may stand in a term's place.
fn replacements(term: Term) -> Vec<Term> {
    let mut choices = vec![Term::constant(Value::default_of(term.sort()))];
    match term.sort() {
        Sort::Bool => choices.push(Term::bool(true)),
        Sort::Int => choices.push(Term::int(1)),
        _ => {}
    }
    let inner = parts(term);
    choices.extend(
        inner[1..]
            .iter()
            .filter(|part| part.sort() == term.sort())
            .take(6),
    );
    // One argument less.
    if term.args().len() > 2 {
        for left_out in 0..term.args().len() {
            let mut args = term.args().to_vec();
            args.remove(left_out);
            choices.extend(Term::build(term.op().clone(), &args).ok());
        }
    }
    choices
}

/// First the size, then how long the constants are to read.
fn measure(root: Term) -> (usize, usize) {
    let parts = parts(root);
    let constants = parts.iter().filter_map(|part| part.as_const());
    let letters = constants
        .filter(|value| **value != Value::default_of(value.sort()))
        .map(|value| value.to_string().len())
        .sum();
    let inner = parts.iter().filter(|part| part.as_const().is_none());
    (parts.len() + inner.count(), letters)
}

fn replace(root: Term, from: Term, to: Term, done: &mut FxHashMap<Term, Term>) -> Option<Term> {
    if root == from {
        return Some(to);
    }
    if root.args().is_empty() {
        return Some(root);
    }
    if let Some(known) = done.get(&root) {
        return Some(*known);
    }
    let args: Option<Vec<Term>> = root
        .args()
        .iter()
        .map(|arg| replace(*arg, from, to, done))
        .collect();
    let result = Term::build(root.op().clone(), &args?).ok()?;
    done.insert(root, result);
    Some(result)
}
