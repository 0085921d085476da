//! Values: what a term evaluates to, exactly.

use crate::number::Rational;
use crate::sort::{EnumSort, Sort};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use std::fmt;

/// A value of some sort. Displayed as people write it: `true`, `-2`, `1/3`, `#b0101`, `red`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// Always an integer.
    Int(Rational),
    /// Any rational number.
    Real(Rational),
    /// Bits of a fixed width.
    BitVec(BitVec),
    /// A value of an enumeration by its position.
    Enum(EnumSort, u32),
}

impl Value {
    /// The sort that it is a value of.
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Int(_) => Sort::Int,
            Value::Real(_) => Sort::Real,
            Value::BitVec(bits) => Sort::BitVec(bits.width),
            Value::Enum(sort, _) => Sort::Enum(*sort),
        }
    }

    /// The value that a variable takes when nothing constrains it.
    pub fn default_of(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Int => Value::Int(Rational::ZERO),
            Sort::Real => Value::Real(Rational::ZERO),
            Sort::BitVec(width) => Value::BitVec(BitVec::new(width, BigUint::zero())),
            Sort::Enum(sort) => Value::Enum(sort, 0),
        }
    }

    /// The truth value, of a Boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, when the value is an integer or a real.
    pub fn as_number(&self) -> Option<&Rational> {
        match self {
            Value::Int(number) | Value::Real(number) => Some(number),
            _ => None,
        }
    }
}

impl Value {
    /// The value of a sort that is written like this; what [`Display`](fmt::Display) writes is read
    /// back.
    pub fn parse(text: &str, sort: Sort) -> Option<Value> {
        let number = || {
            let (above, below) = text.split_once('/').unwrap_or((text, "1"));
            let (above, below) = (above.parse().ok()?, below.parse().ok()?);
            (below != BigInt::ZERO).then(|| Rational::from_big(above, below))
        };
        match sort {
            Sort::Bool => text.parse().ok().map(Value::Bool),
            Sort::Int => number().filter(Rational::is_integer).map(Value::Int),
            Sort::Real => number().map(Value::Real),
            Sort::Enum(of) => {
                let mut names = of.values().iter();
                let at = names.position(|name| name == text)?;
                Some(Value::Enum(of, at as u32))
            }
            Sort::BitVec(width) => {
                let bits = BigUint::parse_bytes(text.strip_prefix("#b")?.as_bytes(), 2)?;
                let fits = bits.bits() <= u64::from(width);
                fits.then(|| Value::BitVec(BitVec::new(width, bits)))
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(number) | Value::Real(number) => write!(f, "{number}"),
            Value::BitVec(bits) => write!(f, "{bits}"),
            Value::Enum(sort, index) => write!(f, "{}", sort.values()[*index as usize]),
        }
    }
}

/// A bit-vector: `bits < 2^width`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BitVec {
    width: u32,
    bits: BigUint,
}

impl BitVec {
    /// The number modulo `2^width`.
    pub fn new(width: u32, number: BigUint) -> BitVec {
        assert!(width > 0, "a bit-vector has at least one bit");
        let bits = if number.bits() > u64::from(width) {
            number % (BigUint::one() << width)
        } else {
            number
        };
        BitVec { width, bits }
    }

    /// How many bits, at least one.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The value when all bits count as positive.
    pub fn unsigned(&self) -> &BigUint {
        &self.bits
    }

    /// The value read as two's complement.
    pub fn signed(&self) -> BigInt {
        let value = BigInt::from(self.bits.clone());
        if self.bit(self.width - 1) {
            value - (BigInt::one() << self.width)
        } else {
            value
        }
    }

    /// So much more, modulo `2^width`.
    #[must_use]
    pub fn plus(&self, by: i64) -> BitVec {
        let modulus = BigInt::one() << self.width;
        let sum = (BigInt::from(self.bits.clone()) + BigInt::from(by)) % &modulus;
        let sum = if sum < BigInt::from(0) {
            sum + modulus
        } else {
            sum
        };
        let bits = sum.to_biguint().unwrap_or_default();
        BitVec::new(self.width, bits)
    }

    /// A bit by its place; bit 0 is the least significant.
    pub fn bit(&self, index: u32) -> bool {
        self.bits.bit(u64::from(index))
    }
}

impl fmt::Display for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#b")?;
        (0..self.width)
            .rev()
            .try_for_each(|index| write!(f, "{}", u8::from(self.bit(index))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let colour = EnumSort::new("colour", vec!["red".into(), "green".into()]);
        let values = [
            Value::Bool(false),
            Value::Int(Rational::from(-12)),
            Value::Real(Rational::new(-1, 3)),
            Value::Real(Rational::from(2)),
            Value::BitVec(BitVec::new(5, BigUint::from(9u32))),
            Value::Enum(colour, 1),
        ];
        for value in values {
            let text = value.to_string();
            assert_eq!(Value::parse(&text, value.sort()), Some(value), "{text}");
        }
        for (text, sort) in [
            ("1/3", Sort::Int),
            ("1/0", Sort::Real),
            ("yes", Sort::Bool),
            ("#b111", Sort::BitVec(2)),
            ("blue", Sort::Enum(colour)),
        ] {
            assert_eq!(Value::parse(text, sort), None, "{text}");
        }
    }
}
