//! Linear sums over the unknowns of the arithmetic.

use super::tableau::Unknown;
use proofmark_model::Rational;

/// `Σ coefficient · unknown + constant`; unknowns ascend, no coefficient is zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Sum {
    pub(super) terms: Vec<(Unknown, Rational)>,
    pub(super) constant: Rational,
}

impl Sum {
    pub(super) fn constant(constant: Rational) -> Sum {
        Sum {
            terms: Vec::new(),
            constant,
        }
    }

    pub(super) fn unknown(unknown: Unknown) -> Sum {
        Sum {
            terms: vec![(unknown, Rational::ONE)],
            constant: Rational::ZERO,
        }
    }

    pub(super) fn as_constant(&self) -> Option<&Rational> {
        self.terms.is_empty().then_some(&self.constant)
    }

    pub(super) fn times(&self, factor: &Rational) -> Sum {
        if factor.is_zero() {
            return Sum::default();
        }
        Sum {
            terms: self
                .terms
                .iter()
                .map(|(unknown, c)| (*unknown, c * factor))
                .collect(),
            constant: &self.constant * factor,
        }
    }

    /// `self + factor * other`
    pub(super) fn plus(&self, factor: &Rational, other: &Sum) -> Sum {
        let mut constant = self.constant.clone();
        constant.add_mul(factor, &other.constant);
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(a), Some(b)) if a.0 == b.0 => {
                    let mut coefficient = a.1.clone();
                    coefficient.add_mul(factor, &b.1);
                    if !coefficient.is_zero() {
                        terms.push((a.0, coefficient));
                    }
                    left.next();
                    right.next();
                }
                (Some(a), b) if b.is_none_or(|b| a.0 < b.0) => {
                    terms.push((*a).clone());
                    left.next();
                }
                (_, Some(b)) => {
                    terms.push((b.0, &b.1 * factor));
                    right.next();
                }
                (Some(_), None) => unreachable!("covered above"),
            }
        }
        Sum { terms, constant }
    }

    pub(super) fn minus(&self, other: &Sum) -> Sum {
        self.plus(&Rational::MINUS_ONE, other)
    }

    /// Divides the terms so that their coefficients are integers without a common divisor, the
    /// first positive; returns them and what they were multiplied by (never zero).
    pub(super) fn primitive(&self) -> (Vec<(Unknown, Rational)>, Rational) {
        let mut divisor = self
            .terms
            .iter()
            .fold(Rational::ZERO, |gcd, (_, c)| gcd.gcd(c));
        if self.terms.first().is_some_and(|(_, c)| c.is_negative()) {
            divisor = -divisor;
        }
        let terms = self
            .terms
            .iter()
            .map(|(unknown, c)| (*unknown, c / &divisor))
            .collect();
        (terms, divisor)
    }
}
