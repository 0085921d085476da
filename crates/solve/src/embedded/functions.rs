//! Uninterpreted functions, by lemmas on demand.
//!
//! An application is a fresh value as far as clauses and arithmetic know. At each complete
//! assignment the applications of a function are compared: two with equal arguments and different
//! results violate the assignment, and get the lemma `args equal → results equal` (Ackermann 1954,
//! only for pairs that need it). When there is none, the results tabulate a function. This needs no
//! exchange of equalities between theories, and costs nothing where no function is used.

use super::delta::Delta;
use super::encode::{Code, Encoder};
use super::model::sum_value;
use crate::sat::literal::Lit;
use crate::solver::SolveError;
use proofmark_model::{Function, Term};
use rustc_hash::FxHashMap;

/// A value that tells apart what the assignment tells apart, infinitesimals included.
#[derive(PartialEq, Eq, Hash)]
enum Point {
    Bits(Vec<bool>),
    Number(Delta),
}

fn point(encoder: &Encoder, term: Term) -> Point {
    match encoder.code(term) {
        Some(Code::Lit(lit)) => Point::Bits(vec![encoder.sat.values.is_true(*lit)]),
        Some(Code::Bits(bits)) => Point::Bits(
            bits.iter()
                .map(|lit| encoder.sat.values.is_true(*lit))
                .collect(),
        ),
        Some(code @ Code::Sum(_)) => Point::Number(sum_value(encoder, code)),
        None => unreachable!("the arguments of an application are encoded before it"),
    }
}

/// The pairs of applications that the assignment violates.
pub(super) fn violations(encoder: &Encoder) -> Vec<(Term, Term)> {
    let mut table: FxHashMap<(Function, Vec<Point>), Term> = FxHashMap::default();
    let mut violated = Vec::new();
    for application in &encoder.applications {
        let term = application.term;
        let args = term.args().iter().map(|arg| point(encoder, *arg)).collect();
        let known = *table.entry((application.function, args)).or_insert(term);
        if point(encoder, known) != point(encoder, term) {
            violated.push((known, term));
        }
    }
    violated
}

/// Adds the lemma that two applications agree when their arguments do.
pub(super) fn add_congruence(encoder: &mut Encoder, a: Term, b: Term) -> Result<(), SolveError> {
    let mut clause: Vec<Lit> = Vec::with_capacity(a.args().len() + 1);
    for (&x, &y) in a.args().iter().zip(b.args()) {
        clause.push(!encoder.literal(x.eq(y))?);
    }
    clause.push(encoder.literal(a.eq(b))?);
    encoder.sat.add_clause(&clause, 0);
    Ok(())
}
