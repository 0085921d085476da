//! Propositional variables and literals: one machine word each, shared by every solver here.

use std::fmt;
use std::ops::Not;

/// A variable: its number, counted from zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var(pub(crate) u32);

impl Var {
    /// The most variables there can be: a literal is twice its variable, and the solver keeps a bit.
    pub const MOST: u32 = 1 << 30;

    /// The variable of a number below [`Var::MOST`].
    #[inline]
    pub const fn new(number: u32) -> Var {
        Var(number)
    }

    /// Its number, for tables.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal that is true when the variable is.
    #[inline]
    pub const fn positive(self) -> Lit {
        Lit(self.0 << 1)
    }

    /// The literal that is true when the variable is false.
    #[inline]
    pub const fn negative(self) -> Lit {
        Lit(self.0 << 1 | 1)
    }

    /// One of its two literals.
    #[inline]
    pub const fn lit(self, positive: bool) -> Lit {
        Lit(self.0 << 1 | !positive as u32)
    }
}

/// A variable or its negation: twice the variable, plus one when negated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(pub(crate) u32);

impl Lit {
    /// A variable, or its negation.
    #[inline]
    pub const fn new(var: Var, positive: bool) -> Lit {
        var.lit(positive)
    }

    /// The literal of a [`code`](Lit::code).
    #[inline]
    pub const fn from_code(code: u32) -> Lit {
        Lit(code)
    }

    /// Twice the variable's number, plus one when negated.
    #[inline]
    pub const fn code(self) -> u32 {
        self.0
    }

    /// The variable, without the sign.
    #[inline]
    pub const fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// The code as an index of tables by literal.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether it is the variable itself and not its negation.
    #[inline]
    pub const fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// As DIMACS writes it: variables are counted from one, a negation has a minus sign.
    pub const fn to_dimacs(self) -> i32 {
        let number = (self.0 >> 1) as i32 + 1;
        if self.is_positive() { number } else { -number }
    }

    /// The literal of a number of DIMACS; `None` for zero and for what is out of range.
    pub const fn from_dimacs(number: i32) -> Option<Lit> {
        let var = number.unsigned_abs();
        if var == 0 || var > Var::MOST {
            return None;
        }
        Some(Var(var - 1).lit(number > 0))
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

/// The truth values of literals: 1 true, -1 false, 0 open.
#[derive(Default)]
pub(crate) struct Values(Vec<i8>);

impl Values {
    /// Takes in one more variable, without a value.
    pub(crate) fn grow(&mut self) {
        self.0.extend([0, 0]);
    }

    #[inline]
    pub(crate) fn get(&self, lit: Lit) -> i8 {
        self.0[lit.index()]
    }

    #[inline]
    pub(crate) fn is_true(&self, lit: Lit) -> bool {
        self.get(lit) > 0
    }

    #[inline]
    pub(crate) fn is_false(&self, lit: Lit) -> bool {
        self.get(lit) < 0
    }

    #[inline]
    pub(crate) fn is_open(&self, lit: Lit) -> bool {
        self.get(lit) == 0
    }

    /// Makes a literal true.
    #[inline]
    pub(crate) fn set(&mut self, lit: Lit) {
        self.0[lit.index()] = 1;
        self.0[(!lit).index()] = -1;
    }

    #[inline]
    pub(crate) fn clear(&mut self, lit: Lit) {
        self.0[lit.index()] = 0;
        self.0[(!lit).index()] = 0;
    }
}
