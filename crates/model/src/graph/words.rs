//! Words as lists of signals, least significant first: circuits from the textbook.

use super::gates::Graph;
use super::signal::Signal;

/// A word, least significant bit first.
pub type Word = Vec<Signal>;

impl Graph {
    fn zip(
        &mut self,
        a: &[Signal],
        b: &[Signal],
        gate: fn(&mut Graph, Signal, Signal) -> Signal,
    ) -> Word {
        a.iter().zip(b).map(|(&a, &b)| gate(self, a, b)).collect()
    }

    /// The conjunction, bit by bit.
    pub fn bitwise_and(&mut self, a: &[Signal], b: &[Signal]) -> Word {
        self.zip(a, b, Graph::and)
    }

    /// The disjunction, bit by bit.
    pub fn bitwise_or(&mut self, a: &[Signal], b: &[Signal]) -> Word {
        self.zip(a, b, Graph::or)
    }

    /// The exclusive or, bit by bit.
    pub fn bitwise_xor(&mut self, a: &[Signal], b: &[Signal]) -> Word {
        self.zip(a, b, Graph::xor)
    }

    /// Whether two words of one width are the same.
    pub fn equal(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        let same = self.zip(a, b, Graph::iff);
        self.and_all(&same)
    }

    /// The first word where the condition holds, the second elsewhere.
    pub fn choose(&mut self, condition: Signal, a: &[Signal], b: &[Signal]) -> Word {
        let pairs = a.iter().zip(b);
        pairs.map(|(&a, &b)| self.mux(condition, a, b)).collect()
    }

    /// The sum, as wide as the words.
    pub fn add(&mut self, a: &[Signal], b: &[Signal], mut carry: Signal) -> Word {
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            let both = self.and(a, b);
            let carried = self.and(half, carry);
            carry = self.or(both, carried);
        }
        sum
    }

    /// The number with the other sign, in two's complement.
    pub fn negate(&mut self, a: &[Signal]) -> Word {
        let inverted: Word = a.iter().map(|one| !*one).collect();
        self.add(&inverted, &vec![Signal::FALSE; a.len()], Signal::TRUE)
    }

    /// The product, as wide as the words.
    pub fn multiply(&mut self, a: &[Signal], b: &[Signal]) -> Word {
        let width = a.len();
        let mut total = vec![Signal::FALSE; width];
        for (shift, &bit) in b.iter().enumerate() {
            if bit == Signal::FALSE {
                continue;
            }
            let part: Word = a[..width - shift]
                .iter()
                .map(|&a| self.and(a, bit))
                .collect();
            let upper = self.add(&total[shift..], &part, Signal::FALSE);
            total.splice(shift.., upper);
        }
        total
    }

    /// Whether one number without a sign is at most another.
    pub fn unsigned_le(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        // From the least bit up: below so far, or decided by this bit.
        let mut le = Signal::TRUE;
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            le = self.mux(differ, b, le);
        }
        le
    }

    /// Whether one number in two's complement is at most another.
    pub fn signed_le(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        // With the sign bits inverted the order is the unsigned one.
        let flip = |bits: &[Signal]| {
            let mut bits = bits.to_vec();
            if let Some(sign) = bits.last_mut() {
                *sign = !*sign;
            }
            bits
        };
        self.unsigned_le(&flip(a), &flip(b))
    }

    /// Quotient and remainder by long division; by zero all ones and the dividend, which is what
    /// long division yields.
    pub fn divide(&mut self, a: &[Signal], b: &[Signal]) -> (Word, Word) {
        let width = a.len();
        // One bit wider, so that the shifted remainder does not overflow.
        let mut divisor = b.to_vec();
        divisor.push(Signal::FALSE);
        let inverted: Word = divisor.iter().map(|one| !*one).collect();
        let mut remainder = vec![Signal::FALSE; width + 1];
        let mut quotient = vec![Signal::FALSE; width];
        for at in (0..width).rev() {
            remainder.pop();
            remainder.insert(0, a[at]);
            let fits = self.unsigned_le(&divisor, &remainder);
            quotient[at] = fits;
            let difference = self.add(&remainder, &inverted, Signal::TRUE);
            remainder = self.choose(fits, &difference, &remainder);
        }
        remainder.pop();
        (quotient, remainder)
    }

    /// Shifts by a variable amount, bit by bit of the amount; `fill` comes in. The direction is
    /// upwards; for the other, reverse the bits before and after.
    pub fn shift_up(&mut self, a: &[Signal], amount: &[Signal], fill: Signal) -> Word {
        let width = a.len();
        let mut shifted = a.to_vec();
        let mut beyond = Signal::FALSE;
        for (stage, &bit) in amount.iter().enumerate() {
            match 1usize.checked_shl(stage as u32).filter(|by| *by < width) {
                Some(by) => {
                    let moved: Word = (0..width)
                        .map(|at| if at < by { fill } else { shifted[at - by] })
                        .collect();
                    shifted = self.choose(bit, &moved, &shifted);
                }
                None => beyond = self.or(beyond, bit),
            }
        }
        self.choose(beyond, &vec![fill; width], &shifted)
    }

    /// As [`Graph::shift_up`], in the other direction.
    pub fn shift_down(&mut self, a: &[Signal], amount: &[Signal], fill: Signal) -> Word {
        let reversed: Word = a.iter().rev().copied().collect();
        let mut shifted = self.shift_up(&reversed, amount, fill);
        shifted.reverse();
        shifted
    }
}

/// The bits of a number.
pub fn constant(number: i128, width: usize) -> Word {
    let bit = |at: usize| Signal::constant(number >> at.min(127) & 1 == 1);
    (0..width).map(bit).collect()
}

/// The same number in two's complement with another width, which is not too small.
pub fn resize(bits: &[Signal], width: usize) -> Word {
    let sign = bits.last().copied().unwrap_or(Signal::FALSE);
    let mut bits = bits.to_vec();
    bits.resize(width, sign);
    bits
}
