//! Numbers with an infinitesimal part, which turn strict bounds into weak ones: `x < 3` is
//! `x <= 3 - δ` for a positive δ smaller than anything (Dutertre and de Moura 2006).

use proofmark_model::Rational;
use std::fmt;

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(super) struct Delta {
    // The order of the fields is the order of the numbers.
    pub(super) real: Rational,
    pub(super) delta: Rational,
}

impl Delta {
    pub(super) const ZERO: Delta = Delta {
        real: Rational::ZERO,
        delta: Rational::ZERO,
    };

    pub(super) fn is_integer(&self) -> bool {
        self.delta.is_zero() && self.real.is_integer()
    }

    /// The greatest integer below or equal.
    pub(super) fn floor(&self) -> Rational {
        if self.real.is_integer() && self.delta.is_negative() {
            return &self.real - &Rational::ONE;
        }
        self.real.floor()
    }

    /// The least integer above or equal.
    pub(super) fn ceil(&self) -> Rational {
        if self.real.is_integer() && self.delta.is_positive() {
            return &self.real + &Rational::ONE;
        }
        self.real.ceil()
    }

    /// `self += factor * other`
    #[inline]
    pub(super) fn add_mul(&mut self, factor: &Rational, other: &Delta) {
        self.real.add_mul(factor, &other.real);
        if !other.delta.is_zero() {
            self.delta.add_mul(factor, &other.delta);
        }
    }

    #[inline]
    pub(super) fn minus(&self, other: &Delta) -> Delta {
        Delta {
            real: &self.real - &other.real,
            delta: &self.delta - &other.delta,
        }
    }

    #[inline]
    pub(super) fn divided_by(&self, divisor: &Rational) -> Delta {
        if divisor.is_one() {
            return self.clone();
        }
        let delta = if self.delta.is_zero() {
            Rational::ZERO
        } else {
            &self.delta / divisor
        };
        Delta {
            real: &self.real / divisor,
            delta,
        }
    }

    /// The number for a given value of δ.
    pub(super) fn at(&self, delta: &Rational) -> Rational {
        let mut value = self.real.clone();
        value.add_mul(&self.delta, delta);
        value
    }
}

impl From<Rational> for Delta {
    fn from(real: Rational) -> Delta {
        Delta {
            real,
            delta: Rational::ZERO,
        }
    }
}

impl fmt::Debug for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.real)?;
        if self.delta.is_zero() {
            Ok(())
        } else {
            write!(f, "+{}δ", self.delta)
        }
    }
}
