//! Propositional variables and literals.

use std::fmt;
use std::ops::Not;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Var(pub(super) u32);

impl Var {
    #[inline]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(super) fn positive(self) -> Lit {
        Lit(self.0 << 1)
    }

    #[inline]
    pub(super) fn lit(self, positive: bool) -> Lit {
        Lit(self.0 << 1 | u32::from(!positive))
    }
}

/// A variable or its negation: twice the variable, plus one when negated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Lit(pub(super) u32);

impl Lit {
    #[inline]
    pub(super) fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    #[inline]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(super) fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }
}

impl Not for Lit {
    type Output = Lit;
    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            if self.is_positive() { "" } else { "-" },
            self.var().0
        )
    }
}
