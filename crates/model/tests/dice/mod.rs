//! A small generator of random choices, the same in every run.

#![allow(dead_code)] // Each test binary uses its own part.

use proofmark_model::{BitVec, Rational, Sort, Value};

/// Marsaglia's xorshift: good enough to shuffle tests, and a failing seed can be repeated.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 8
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        (self.next() % u64::from(bound)) as u32
    }

    pub fn one_in(&mut self, chances: u32) -> bool {
        self.below(chances) == 0
    }

    pub fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize].clone()
    }

    fn small(&mut self) -> i64 {
        i64::from(self.below(9)) - 4
    }

    pub fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.one_in(2)),
            Sort::Int => Value::Int(self.small().into()),
            Sort::Real => {
                let denominator = 1 + i64::from(self.below(3));
                Value::Real(Rational::new(self.small(), denominator))
            }
            Sort::BitVec(width) => Value::BitVec(BitVec::new(width, self.next().into())),
            Sort::Enum(sort) => {
                let count = sort.values().len() as u32;
                Value::Enum(sort, self.below(count))
            }
        }
    }
}
