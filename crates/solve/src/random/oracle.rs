//! The judge that needs no solver: it tries values.
//!
//! It can only find models, never refute: numbers have infinitely many values. That is what is
//! needed, since a `Sat` of the solver comes with a model that is checked, and an `Unsat` does not.

use super::Random;
use super::session::mentioned;
use super::trial::Judge;
use num_bigint::BigUint;
use proofmark_model::{BitVec, Evaluator, Rational, Sort, Term, Value};
use rustc_hash::FxHashMap;

/// Tries all small values when there are few, and random ones when there are many.
pub struct SmallValues {
    pub most_trials: usize,
}

impl Judge for SmallValues {
    fn name(&self) -> String {
        "trying small values".into()
    }

    fn satisfiable(&mut self, formulas: &[Term]) -> Option<bool> {
        let mentioned = mentioned(formulas.iter().copied());
        if !mentioned.functions.is_empty() {
            return None;
        }
        let variables = mentioned.variables;
        let domains: Vec<Vec<Value>> = variables.iter().map(|v| small(v.sort())).collect();
        let all = domains
            .iter()
            .try_fold(1usize, |product, domain| product.checked_mul(domain.len()))
            .filter(|all| *all <= self.most_trials);
        let mut random = Random::new(formulas.len() as u64);
        for trial in 0..all.unwrap_or(self.most_trials / 10) {
            let mut rest = trial;
            let mut assignment = FxHashMap::default();
            for (variable, domain) in variables.iter().zip(&domains) {
                let at = match all {
                    Some(_) => rest % domain.len(),
                    None => random.below(domain.len()),
                };
                rest /= domain.len();
                assignment.insert(*variable, domain[at].clone());
            }
            let mut evaluator = Evaluator::new(&assignment);
            let mut holds = |formula: &Term| evaluator.value(*formula) == Ok(Value::Bool(true));
            if formulas.iter().all(&mut holds) {
                return Some(true);
            }
        }
        None
    }
}

fn small(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Int => (-3..=3).map(|n: i64| Value::Int(n.into())).collect(),
        Sort::Real => (-4..=4).map(|n| Value::Real(Rational::new(n, 2))).collect(),
        Sort::BitVec(width) => (0..1u64 << width.min(8))
            .map(|n| Value::BitVec(BitVec::new(width, BigUint::from(n))))
            .collect(),
        Sort::Enum(sort) => (0..sort.values().len() as u32)
            .map(|index| Value::Enum(sort, index))
            .collect(),
    }
}
