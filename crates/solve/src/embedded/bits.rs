//! Bit-vectors as lists of literals, least significant first: circuits from the textbook.

use super::arithmetic::Arithmetic;
use super::gates::{FALSE, Gates, TRUE};
use super::sat::Sat;
use crate::sat::literal::Lit;

/// Builds circuits out of gates.
pub(super) struct Circuits<'a> {
    pub(super) gates: &'a mut Gates,
    pub(super) sat: &'a mut Sat<Arithmetic>,
}

impl Circuits<'_> {
    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.gates.and(&[a, b], self.sat)
    }

    fn or(&mut self, a: Lit, b: Lit) -> Lit {
        self.gates.or(&[a, b], self.sat)
    }

    fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        self.gates.xor(a, b, self.sat)
    }

    fn zip(&mut self, a: &[Lit], b: &[Lit], op: fn(&mut Self, Lit, Lit) -> Lit) -> Vec<Lit> {
        a.iter().zip(b).map(|(&a, &b)| op(self, a, b)).collect()
    }

    pub(super) fn bitwise_and(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.zip(a, b, Self::and)
    }

    pub(super) fn bitwise_or(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.zip(a, b, Self::or)
    }

    pub(super) fn bitwise_xor(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.zip(a, b, Self::xor)
    }

    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: Vec<Lit> = a
            .iter()
            .zip(b)
            .map(|(&a, &b)| self.gates.iff(a, b, self.sat))
            .collect();
        self.gates.and(&same, self.sat)
    }

    pub(super) fn ite(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        a.iter()
            .zip(b)
            .map(|(&a, &b)| self.gates.ite(c, a, b, self.sat))
            .collect()
    }

    fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let both = self.and(a, b);
        let either = self.or(a, b);
        let carried = self.and(either, c);
        self.or(both, carried)
    }

    /// The sum and the carry out.
    pub(super) fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Vec<Lit>, Lit) {
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            carry = self.majority(a, b, carry);
        }
        (sum, carry)
    }

    pub(super) fn negate(&mut self, a: &[Lit]) -> Vec<Lit> {
        let inverted: Vec<Lit> = a.iter().map(|lit| !*lit).collect();
        self.add(&inverted, &vec![FALSE; a.len()], TRUE).0
    }

    pub(super) fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let width = a.len();
        let mut total = vec![FALSE; width];
        for (shift, &bit) in b.iter().enumerate() {
            if bit == FALSE {
                continue;
            }
            let partial: Vec<Lit> = a[..width - shift]
                .iter()
                .map(|&a| self.and(a, bit))
                .collect();
            let upper = self.add(&total[shift..], &partial, FALSE).0;
            total.splice(shift.., upper);
        }
        total
    }

    /// Unsigned `a <= b`: no borrow out of `b - a`.
    pub(super) fn unsigned_le(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        // From the least bit up: below so far, or decided by this bit.
        let mut le = TRUE;
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            le = self.gates.ite(differ, b, le, self.sat);
        }
        le
    }

    pub(super) fn signed_le(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        // With the sign bits inverted the order is the unsigned one.
        let flip = |bits: &[Lit]| {
            let mut bits = bits.to_vec();
            if let Some(sign) = bits.last_mut() {
                *sign = !*sign;
            }
            bits
        };
        self.unsigned_le(&flip(a), &flip(b))
    }

    /// Quotient and remainder by long division; by zero all ones and the dividend, as SMT-LIB has
    /// it, which is just what long division yields.
    pub(super) fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let width = a.len();
        // One bit wider, so that the shifted remainder does not overflow.
        let mut divisor = b.to_vec();
        divisor.push(FALSE);
        let mut remainder = vec![FALSE; width + 1];
        let mut quotient = vec![FALSE; width];
        for at in (0..width).rev() {
            remainder.pop();
            remainder.insert(0, a[at]);
            let fits = self.unsigned_le(&divisor, &remainder);
            quotient[at] = fits;
            let inverted: Vec<Lit> = divisor.iter().map(|lit| !*lit).collect();
            let difference = self.add(&remainder, &inverted, TRUE).0;
            remainder = self.ite(fits, &difference, &remainder);
        }
        remainder.pop();
        (quotient, remainder)
    }

    /// Shifts by a variable amount, bit by bit of the amount; `fill` comes in. The direction is
    /// upwards; for the other, reverse the bits before and after.
    pub(super) fn shift_up(&mut self, a: &[Lit], amount: &[Lit], fill: Lit) -> Vec<Lit> {
        let width = a.len();
        let mut shifted = a.to_vec();
        let mut beyond = FALSE;
        for (stage, &bit) in amount.iter().enumerate() {
            match 1usize.checked_shl(stage as u32).filter(|by| *by < width) {
                Some(by) => {
                    let moved: Vec<Lit> = (0..width)
                        .map(|at| if at < by { fill } else { shifted[at - by] })
                        .collect();
                    shifted = self.ite(bit, &moved, &shifted);
                }
                None => beyond = self.or(beyond, bit),
            }
        }
        self.ite(beyond, &vec![fill; width], &shifted)
    }

    pub(super) fn shift_down(&mut self, a: &[Lit], amount: &[Lit], fill: Lit) -> Vec<Lit> {
        let reversed: Vec<Lit> = a.iter().rev().copied().collect();
        let mut shifted = self.shift_up(&reversed, amount, fill);
        shifted.reverse();
        shifted
    }
}
