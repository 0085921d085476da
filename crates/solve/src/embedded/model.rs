//! Models: the values of terms after a check that answered `Sat`.
//!
//! The search leaves literals with values and unknowns with numbers that may hold an infinitesimal.
//! A concrete value for it is found that is small enough for every bound and keeps the arguments of
//! functions apart. Terms are then evaluated exactly, bound variables through their definitions.

use super::arithmetic::Side;
use super::delta::Delta;
use super::encode::{Code, Encoder};
use super::tableau::Unknown;
use num_bigint::BigUint;
use proofmark_model::{BitVec, Environment, Function, Rational, Sort, Term, Value};
use rustc_hash::FxHashMap;

pub(super) struct Model<'e> {
    encoder: &'e Encoder,
    delta: Rational,
    functions: &'e FxHashMap<(Function, Vec<Value>), Value>,
}

impl<'e> Model<'e> {
    pub(super) fn new(
        encoder: &'e Encoder,
        delta: Rational,
        functions: &'e FxHashMap<(Function, Vec<Value>), Value>,
    ) -> Model<'e> {
        Model {
            encoder,
            delta,
            functions,
        }
    }
}

impl Environment for Model<'_> {
    fn variable(&self, variable: Term) -> Option<Value> {
        match self.encoder.code(variable) {
            Some(code) => Some(decode(self.encoder, code, variable.sort(), &self.delta)),
            None if self.encoder.bindings.contains_key(&variable) => None,
            None => Some(Value::default_of(variable.sort())),
        }
    }

    fn function(&self, function: Function, args: &[Value]) -> Option<Value> {
        let known = self.functions.get(&(function, args.to_vec()));
        Some(
            known
                .cloned()
                .unwrap_or_else(|| Value::default_of(function.range())),
        )
    }

    fn definition(&self, variable: Term) -> Option<Term> {
        self.encoder
            .bindings
            .get(&variable)
            .map(|binding| binding.definition)
    }
}

/// The value of a code.
pub(super) fn decode(encoder: &Encoder, code: &Code, sort: Sort, delta: &Rational) -> Value {
    match (code, sort) {
        (Code::Lit(lit), _) => Value::Bool(encoder.sat.values.is_true(*lit)),
        (Code::Sum(_), Sort::Int) => Value::Int(sum_value(encoder, code).at(delta)),
        (Code::Sum(_), _) => Value::Real(sum_value(encoder, code).at(delta)),
        (Code::Bits(bits), _) => {
            let mut number = BigUint::default();
            for (at, lit) in bits.iter().enumerate() {
                number.set_bit(at as u64, encoder.sat.values.is_true(*lit));
            }
            match sort {
                Sort::Enum(sort) => {
                    let index = u32::try_from(&number).unwrap_or(0);
                    Value::Enum(sort, index)
                }
                _ => Value::BitVec(BitVec::new(bits.len() as u32, number)),
            }
        }
    }
}

/// The value of a number with its infinitesimal part.
pub(super) fn sum_value(encoder: &Encoder, code: &Code) -> Delta {
    let Code::Sum(sum) = code else {
        return Delta::ZERO;
    };
    let mut value = encoder.sat.theory.value_of(&sum.terms);
    value.real += &sum.constant;
    value
}

/// A positive value for the infinitesimal with which all bounds hold and the given numbers, where
/// they differ, still differ.
pub(super) fn concrete_delta(encoder: &Encoder, mut apart: Vec<Delta>) -> Rational {
    let theory = &encoder.sat.theory;
    let mut delta = Rational::ONE;
    // small + a·δ <= large + b·δ must survive.
    let mut keep = |small: &Delta, large: &Delta| {
        if small.real < large.real && small.delta > large.delta {
            let most = &(&large.real - &small.real) / &(&small.delta - &large.delta);
            // Half of it, so that what was less stays less.
            let half = &most / &Rational::from(2);
            if half < delta {
                delta = half;
            }
        }
    };
    for index in 0..theory.unknown_count() {
        let unknown = Unknown(index as u32);
        if let Some((lower, _)) = theory.bound(unknown, Side::Lower) {
            keep(lower, theory.value(unknown));
        }
        if let Some((upper, _)) = theory.bound(unknown, Side::Upper) {
            keep(theory.value(unknown), upper);
        }
    }
    apart.sort_unstable();
    apart.dedup();
    for pair in apart.windows(2) {
        keep(&pair[0], &pair[1]);
    }
    delta
}
