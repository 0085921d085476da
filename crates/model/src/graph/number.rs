//! Bounded integers as words in two's complement.
//!
//! A [`Number`] knows the least and the greatest value that it can have, so that every operation gets just
//! the width that it needs and never wraps around.

use super::gates::Graph;
use super::signal::Signal;
use super::words::{Word, constant, resize};

/// A word and what it can be.
#[derive(Clone, Debug)]
pub(super) struct Number {
    pub(super) bits: Word,
    pub(super) low: i128,
    pub(super) high: i128,
}

/// The widest number; wider ones are refused.
pub(super) const WIDEST: usize = 64;

/// How many bits the numbers of a range need.
pub fn width(low: i128, high: i128) -> usize {
    let bits = |number: i128| {
        let magnitude = if number < 0 { !number } else { number };
        129 - magnitude.leading_zeros() as usize
    };
    bits(low).max(bits(high))
}

/// The numbers that a width has room for.
pub(super) fn range(width: usize) -> (i128, i128) {
    let half = 1i128 << (width - 1);
    (-half, half - 1)
}

impl Number {
    pub(super) fn constant(number: i128) -> Number {
        Number {
            bits: constant(number, width(number, number)),
            low: number,
            high: number,
        }
    }

    fn as_constant(&self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    fn within(bits: &[Signal], low: i128, high: i128) -> Number {
        Number {
            bits: resize(bits, width(low, high)),
            low,
            high,
        }
    }
}

/// Operations on numbers; none where the result is too wide.
impl Graph {
    pub(super) fn add_numbers(&mut self, a: &Number, b: &Number) -> Option<Number> {
        let (low, high) = (a.low + b.low, a.high + b.high);
        let width = checked_width(low, high)?;
        let (x, y) = (resize(&a.bits, width), resize(&b.bits, width));
        let bits = self.add(&x, &y, Signal::FALSE);
        Some(Number { bits, low, high })
    }

    pub(super) fn multiply_numbers(&mut self, a: &Number, b: &Number) -> Option<Number> {
        let products = [
            a.low * b.low,
            a.low * b.high,
            a.high * b.low,
            a.high * b.high,
        ];
        let low = products.into_iter().min()?;
        let high = products.into_iter().max()?;
        let width = checked_width(low, high)?;
        let (a, b) = match a.as_constant() {
            Some(_) => (b, a),
            None => (a, b),
        };
        let x = resize(&a.bits, width);
        // A constant below zero has many ones, its magnitude has few.
        let bits = match b.as_constant() {
            Some(factor) if factor < 0 => {
                let product = self.multiply(&x, &constant(-factor, width));
                self.negate(&product)
            }
            _ => self.multiply(&x, &resize(&b.bits, width)),
        };
        Some(Number { bits, low, high })
    }

    /// The Euclidean quotient and remainder by a constant that is not zero.
    pub(super) fn divide_number(&mut self, a: &Number, divisor: i128) -> Option<(Number, Number)> {
        let size = divisor.abs();
        // Moved up by a multiple of the divisor, the dividend is not negative.
        let moved = (-a.low.div_euclid(size)).max(0);
        let offset = Number::constant(moved.checked_mul(size)?);
        let dividend = self.add_numbers(a, &offset)?;
        let width = checked_width(0, dividend.high.max(size))?;
        let dividend = resize(&dividend.bits, width);
        let (quotient, remainder) = self.divide(&dividend, &constant(size, width));
        let remainder = Number::within(&remainder, 0, size - 1);
        let (low, high) = (a.low.div_euclid(size), a.high.div_euclid(size));
        let quotient = Number {
            bits: quotient,
            low: low + moved,
            high: high + moved,
        };
        let quotient = self.add_numbers(&quotient, &Number::constant(-moved))?;
        let quotient = match divisor < 0 {
            true => self.multiply_numbers(&quotient, &Number::constant(-1))?,
            false => quotient,
        };
        Some((quotient, remainder))
    }

    pub(super) fn number_le(&mut self, a: &Number, b: &Number) -> Signal {
        let (x, y) = same_width(a, b);
        self.signed_le(&x, &y)
    }

    pub(super) fn number_equal(&mut self, a: &Number, b: &Number) -> Signal {
        let (x, y) = same_width(a, b);
        self.equal(&x, &y)
    }

    pub(super) fn choose_number(&mut self, condition: Signal, a: &Number, b: &Number) -> Number {
        let (x, y) = same_width(a, b);
        Number {
            bits: self.choose(condition, &x, &y),
            low: a.low.min(b.low),
            high: a.high.max(b.high),
        }
    }

    /// Whether a number does not fit a width.
    pub(super) fn overflows(&mut self, a: &Number, width: usize) -> Signal {
        let Some((kept, lost)) = a.bits.split_at_checked(width) else {
            return Signal::FALSE;
        };
        let sign = kept.last().copied().unwrap_or(Signal::FALSE);
        let differ: Word = lost.iter().map(|bit| self.xor(*bit, sign)).collect();
        self.or_all(&differ)
    }
}

fn checked_width(low: i128, high: i128) -> Option<usize> {
    Some(width(low, high)).filter(|width| *width <= WIDEST)
}

fn same_width(a: &Number, b: &Number) -> (Word, Word) {
    let width = a.bits.len().max(b.bits.len());
    (resize(&a.bits, width), resize(&b.bits, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a constant word.
    fn value(number: &Number) -> i128 {
        let mut total = 0;
        for (at, bit) in number.bits.iter().enumerate() {
            assert!(bit.is_constant());
            let weight = 1i128 << at;
            let sign = at + 1 == number.bits.len();
            total += match *bit == Signal::TRUE {
                true if sign => -weight,
                true => weight,
                false => 0,
            };
        }
        assert!(number.low <= total && total <= number.high);
        total
    }

    /// A number that is not known to be a constant, but is one.
    fn hidden(number: i128) -> Number {
        let (low, high) = (-20, 20);
        Number {
            bits: constant(number, width(low, high)),
            low,
            high,
        }
    }

    #[test]
    fn a_width_has_room_for_its_range_and_no_more() {
        assert_eq!(width(0, 0), 1);
        assert_eq!(width(-1, 0), 1);
        assert_eq!(width(0, 1), 2);
        assert_eq!(width(-8, 7), 4);
        assert_eq!(width(-9, 7), 5);
        assert_eq!(range(4), (-8, 7));
    }

    #[test]
    fn operations_are_those_of_integers() {
        let graph = &mut Graph::default();
        for a in -12..=12 {
            for b in -12..=12 {
                let (x, y) = (hidden(a), hidden(b));
                let sum = graph.add_numbers(&x, &y).unwrap();
                assert_eq!(value(&sum), a + b);
                for y in [&y, &Number::constant(b)] {
                    let product = graph.multiply_numbers(&x, y).unwrap();
                    assert_eq!(value(&product), a * b);
                }
                assert_eq!(graph.number_le(&x, &y), Signal::constant(a <= b));
                assert_eq!(graph.number_equal(&x, &y), Signal::constant(a == b));
                if b != 0 {
                    let (quotient, remainder) = graph.divide_number(&x, b).unwrap();
                    assert_eq!(value(&quotient), a.div_euclid(b), "{a} div {b}");
                    assert_eq!(value(&remainder), a.rem_euclid(b), "{a} mod {b}");
                }
                let fits = (-8..8).contains(&a);
                assert_eq!(graph.overflows(&x, 4), Signal::constant(!fits));
            }
        }
    }
}
