//! A node of a graph or its complement, in 32 bits.

use std::fmt;
use std::ops::Not;

/// Twice the number of a node, plus one for its complement. Node 0 is the
/// constant false.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signal(u32);

impl Signal {
    /// The constant false: node 0.
    pub const FALSE: Signal = Signal(0);
    /// The constant true: the complement of node 0.
    pub const TRUE: Signal = Signal(1);

    /// The node itself.
    pub fn of(node: u32) -> Signal {
        debug_assert!(node <= u32::MAX / 2);
        Signal(node << 1)
    }

    /// One of the two constants.
    pub fn constant(value: bool) -> Signal {
        Signal(u32::from(value))
    }

    /// The signal of a [`Signal::code`].
    pub fn from_code(code: u32) -> Signal {
        Signal(code)
    }

    /// Twice the node, plus one when complemented.
    pub fn code(self) -> u32 {
        self.0
    }

    /// The number of the node.
    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    /// The node as a position in lists that have an entry for every node.
    pub fn index(self) -> usize {
        self.node() as usize
    }

    /// Whether it is the complement of its node.
    pub fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether it is one of the two constants.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// The node without the complement.
    #[must_use]
    pub fn positive(self) -> Signal {
        Signal(self.0 & !1)
    }

    /// The complement when `flipped`, otherwise the signal itself.
    #[must_use]
    pub fn complement_if(self, flipped: bool) -> Signal {
        Signal(self.0 ^ u32::from(flipped))
    }
}

impl Not for Signal {
    type Output = Signal;

    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_complemented() { "!" } else { "" };
        write!(f, "{sign}n{}", self.node())
    }
}
