//! Cubes of state: conjunctions of latch literals, sorted, with a signature for quick comparisons.

use proofmark_model::graph::{Netlist, Reduced, Signal};
use std::ops::Not;

/// A latch, or its complement: twice the position among the latches, plus one when it is false.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateLit(u32);

impl StateLit {
    /// The literal that says that the latch has this value.
    pub fn new(latch: usize, value: bool) -> StateLit {
        StateLit((latch as u32) << 1 | u32::from(!value))
    }

    /// The position of the latch.
    pub fn latch(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// The value that it gives the latch.
    pub fn value(self) -> bool {
        self.0 & 1 == 0
    }
}

impl Not for StateLit {
    type Output = StateLit;

    fn not(self) -> StateLit {
        StateLit(self.0 ^ 1)
    }
}

/// A conjunction of latch literals. Its negation is a clause, as which it is blocked.
///
/// Invariant: the literals are sorted and of different latches; `signature` has the bit of every one.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cube {
    lits: Box<[StateLit]>,
    signature: u64,
}

impl Cube {
    /// The cube of these literals, which are of different latches.
    pub fn new(mut lits: Vec<StateLit>) -> Cube {
        lits.sort_unstable();
        debug_assert!(lits.windows(2).all(|two| two[0].latch() < two[1].latch()));
        let signature = lits.iter().fold(0, |all, lit| all | bit(*lit));
        Cube {
            lits: lits.into_boxed_slice(),
            signature,
        }
    }

    /// The literals, by position of their latch.
    pub fn lits(&self) -> &[StateLit] {
        &self.lits
    }

    /// The number of literals.
    pub fn len(&self) -> usize {
        self.lits.len()
    }

    /// Whether it has the literal.
    pub fn contains(&self, lit: StateLit) -> bool {
        self.signature & bit(lit) != 0 && self.lits.binary_search(&lit).is_ok()
    }

    /// The clause that forbids it, over latches of the netlist that the reduced one was made from.
    pub fn forbidden(&self, original: &Netlist, reduced: &Reduced) -> Vec<Signal> {
        let literals = self.lits.iter().map(|lit| {
            let latch = &original.latches[reduced.map.latch(lit.latch())];
            Signal::of(latch.node).complement_if(lit.value())
        });
        literals.collect()
    }

    /// Whether every state of the other is in it: its literals are among the other's.
    pub fn covers(&self, other: &Cube) -> bool {
        if self.len() > other.len() || self.signature & !other.signature != 0 {
            return false;
        }
        let mut rest = other.lits.iter();
        self.lits
            .iter()
            .all(|lit| rest.by_ref().find(|one| *one >= lit) == Some(lit))
    }
}

/// The bit of a literal in signatures.
fn bit(lit: StateLit) -> u64 {
    1 << (lit.0 & 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(lits: &[i32]) -> Cube {
        let lit = |lit: &i32| StateLit::new(lit.unsigned_abs() as usize, *lit > 0);
        Cube::new(lits.iter().map(lit).collect())
    }

    #[test]
    fn a_cube_covers_those_with_more_literals() {
        assert!(cube(&[1, -3]).covers(&cube(&[-3, 2, 1])));
        assert!(cube(&[]).covers(&cube(&[1])));
        assert!(!cube(&[1, -3]).covers(&cube(&[1, 3])));
        assert!(!cube(&[1, 40]).covers(&cube(&[1, 2, 3])));
        assert!(!cube(&[1, 2, 3]).covers(&cube(&[1, 2])));
    }

    #[test]
    fn a_cube_contains_its_literals_and_no_others() {
        // 35 and 3 share a bit of the signature.
        assert!(cube(&[3]).contains(StateLit::new(3, true)));
        assert!(!cube(&[3]).contains(StateLit::new(3, false)));
        assert!(!cube(&[3]).contains(StateLit::new(35, true)));
    }
}
