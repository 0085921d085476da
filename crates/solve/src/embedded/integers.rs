//! Integer unknowns: from a rational solution to an integral one.
//!
//! When simplex is content but an integer unknown has a fraction for a value, four things are tried
//! in turn: moving an unknown that is not basic to an integer; a greatest-common-divisor test on the
//! rows, which refutes equations like `2x + 4y = 1`; from time to time a mixed-integer Gomory cut
//! (Gomory 1960; as a lemma in Dutertre and de Moura 2006); and otherwise a branch `x <= k` or
//! `x >= k + 1`, which the search decides like any other atom.

use super::arithmetic::{Arithmetic, Side};
use super::delta::Delta;
use super::sum::Sum;
use super::tableau::Unknown;
use crate::sat::literal::Lit;
use proofmark_model::Rational;

pub(super) enum IntegerStep {
    /// All integer unknowns have integers for values.
    Done,
    /// These true literals contradict each other.
    Conflict(Vec<Lit>),
    /// Decide `unknown <= bound`.
    Branch { unknown: Unknown, bound: Rational },
    /// These true literals imply `sum <= 0`.
    Cut { because: Vec<Lit>, sum: Sum },
}

/// One cut for so many branches.
const CUT_EVERY: u64 = 4;
/// Cuts with larger numbers than this are not worth their price; none beyond the machine word are.
const LARGEST_CUT_BITS: u64 = 0;

impl Arithmetic {
    pub(super) fn integer_step(&mut self, round: u64) -> IntegerStep {
        self.round_columns();
        let Some(fractional) = self.fractional() else {
            return IntegerStep::Done;
        };
        if let Some(conflict) = self.divisor_conflict() {
            return IntegerStep::Conflict(conflict);
        }
        if round % CUT_EVERY == CUT_EVERY - 1
            && let Some((because, sum)) = self.cut(fractional)
        {
            return IntegerStep::Cut { because, sum };
        }
        IntegerStep::Branch {
            unknown: fractional,
            bound: self.value(fractional).floor(),
        }
    }

    /// The integer unknown with a fraction for a value that has the narrowest range; among those
    /// without a range, the oldest.
    fn fractional(&self) -> Option<Unknown> {
        let mut best: Option<(Option<Rational>, Unknown)> = None;
        for index in 0..self.unknown_count() {
            let unknown = Unknown(index as u32);
            if !self.is_int(unknown) || self.value(unknown).is_integer() {
                continue;
            }
            let range = match (
                self.bound(unknown, Side::Lower),
                self.bound(unknown, Side::Upper),
            ) {
                (Some((lower, _)), Some((upper, _))) => Some(&upper.real - &lower.real),
                _ => None,
            };
            let better = match (&best, &range) {
                (None, _) => true,
                (Some((Some(known), _)), Some(range)) => range < known,
                (Some((None, _)), Some(_)) => true,
                _ => false,
            };
            if better {
                best = Some((range, unknown));
            }
        }
        best.map(|(_, unknown)| unknown)
    }

    /// A row over integers, some of them fixed: does the divisor of the others divide the rest?
    fn divisor_conflict(&self) -> Option<Vec<Lit>> {
        (0..self.tableau.row_count()).find_map(|row| {
            let row = self.tableau.row(row);
            if self.value(row.basic).is_integer() || !self.is_int(row.basic) {
                return None;
            }
            let minus_one = Rational::MINUS_ONE;
            let entries = row
                .entries
                .iter()
                .map(|entry| (entry.unknown, &entry.coefficient));
            let mut divisor = Rational::ZERO;
            let mut rest = Rational::ZERO;
            let mut because = Vec::new();
            for (unknown, coefficient) in entries.chain([(row.basic, &minus_one)]) {
                if !self.is_int(unknown) {
                    return None;
                }
                match (
                    self.bound(unknown, Side::Lower),
                    self.bound(unknown, Side::Upper),
                ) {
                    (Some((lower, a)), Some((upper, b))) if lower == upper => {
                        rest.add_mul(coefficient, &lower.real);
                        because.extend([a, b]);
                    }
                    _ => divisor = divisor.gcd(coefficient),
                }
            }
            let divides = if divisor.is_zero() {
                rest.is_zero()
            } else {
                (&rest / &divisor).is_integer()
            };
            (!divides).then_some(because)
        })
    }

    /// A mixed-integer Gomory cut from the row of a basic unknown whose other unknowns rest on a
    /// bound, those aside that enter as whole multiples of integers: `sum <= 0`, and the bounds it
    /// follows from.
    fn cut(&self, basic: Unknown) -> Option<(Vec<Lit>, Sum)> {
        let row = self.tableau.row(self.tableau.row_of(basic)?);
        let value = self.value(basic);
        if !value.delta.is_zero() {
            return None;
        }
        let fraction = &value.real - &value.real.floor();
        let rest = &Rational::ONE - &fraction;
        // Σ coefficient · distance from the bound >= 1
        let mut sum = Sum::constant(Rational::ONE);
        let mut because = Vec::new();
        for entry in &row.entries {
            // A whole multiple of an integer changes no fraction, wherever it rests.
            if self.is_int(entry.unknown) && entry.coefficient.is_integer() {
                if !self.value(entry.unknown).is_integer() {
                    return None;
                }
                continue;
            }
            let (at_lower, bound, reason) = self.resting_bound(entry.unknown)?;
            because.push(reason);
            if let (Some((a, first)), Some((b, second))) = (
                self.bound(entry.unknown, Side::Lower),
                self.bound(entry.unknown, Side::Upper),
            ) && a == b
            {
                because.extend([first, second]);
                continue;
            }
            if !bound.delta.is_zero() {
                return None;
            }
            // In terms of the distance from the bound, which is never negative.
            let slope = if at_lower {
                entry.coefficient.clone()
            } else {
                -&entry.coefficient
            };
            let weight = if self.is_int(entry.unknown) {
                let part = &slope - &slope.floor();
                if part.is_zero() {
                    continue;
                }
                if part <= rest {
                    &part / &rest
                } else {
                    &(&Rational::ONE - &part) / &fraction
                }
            } else if slope.is_positive() {
                &slope / &rest
            } else {
                &(-&slope) / &fraction
            };
            if weight.heap_bits() > LARGEST_CUT_BITS {
                return None;
            }
            // 1 - Σ weight · distance <= 0, where distance is x - lower or upper - x.
            let factor = if at_lower { -&weight } else { weight };
            let mut distance = Sum::unknown(entry.unknown);
            distance.constant = -&bound.real;
            sum = sum.plus(&factor, &distance);
        }
        because.sort_unstable();
        because.dedup();
        Some((because, sum))
    }

    /// The bound that the value of an unknown is equal to: whether it is the lower, and which.
    fn resting_bound(&self, unknown: Unknown) -> Option<(bool, &Delta, Lit)> {
        let value = self.value(unknown);
        let on = |side| {
            self.bound(unknown, side)
                .filter(|(bound, _)| *bound == value)
        };
        if let Some((bound, reason)) = on(Side::Lower) {
            return Some((true, bound, reason));
        }
        on(Side::Upper).map(|(bound, reason)| (false, bound, reason))
    }
}
