//! Expressions: typed, without side effects, each with its place.

use super::{FunctionId, MutantId, VariableId};
use proofmark_source::Span;

/// What an expression is worth: something of at most 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// An integer; of one bit it is a truth value.
    Integer {
        /// 1, 8, 16, 32 or 64.
        bits: u8,
        /// Whether it is in two's complement.
        signed: bool,
    },
    /// An address.
    Pointer,
}

impl Scalar {
    /// A truth value.
    pub const BOOLEAN: Scalar = Scalar::Integer {
        bits: 1,
        signed: false,
    };

    /// A signed integer.
    pub const fn signed(bits: u8) -> Scalar {
        Scalar::Integer { bits, signed: true }
    }

    /// An unsigned integer.
    pub const fn unsigned(bits: u8) -> Scalar {
        Scalar::Integer {
            bits,
            signed: false,
        }
    }

    /// The width.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Integer { bits, .. } => u32::from(bits),
            Scalar::Pointer => 64,
        }
    }

    /// How many bytes it takes in memory; a truth value takes one.
    pub fn size(self) -> u64 {
        u64::from(self.bits().div_ceil(8))
    }

    /// Whether it is in two's complement.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::Integer { signed: true, .. })
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expression {
    /// What is computed.
    pub kind: ExpressionKind,
    /// What it is worth.
    pub sort: Scalar,
    /// Where it stands; generated checks are told apart by it.
    pub place: Span,
}

/// What an expression computes.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// The lowest bits of a number.
    Constant(u64),
    /// What is stored somewhere, as many bytes as the sort has. A truth value is the lowest bit of a byte.
    Load(Box<Lvalue>),
    /// Where something is stored; nothing is read.
    AddressOf(Box<Lvalue>),
    /// The address of a function.
    AddressOfFunction(FunctionId),
    /// An operator with one argument.
    Unary(Unary, Box<Expression>),
    /// An operator with two arguments of one sort, but for shifts and [`Binary::PointerAdd`].
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// The argument in another sort: cut, or extended by its own sign, or the bits of a pointer. An integer
    /// as a truth value is its lowest bit; that it is not zero is a comparison.
    Cast(Box<Expression>),
    /// Both truth values hold; the second is not evaluated where the first is false.
    And(Box<Expression>, Box<Expression>),
    /// One of the truth values holds; the second is not evaluated where the first is true.
    Or(Box<Expression>, Box<Expression>),
    /// Condition, value when it holds, value otherwise: one of the two is evaluated.
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// The original and what mutants have in its place, all of one sort.
    Selected(Box<Expression>, Vec<Variant>),
}

/// An expression in a mutant.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Whose it is.
    pub mutant: MutantId,
    /// What it has in the place of the original.
    pub expression: Expression,
}

/// Operators with one argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// Two's complement; a signed one may overflow.
    Negate,
    /// Every bit flipped; of a truth value it is negation.
    Not,
}

/// Operators with two arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// Sum; a signed one may overflow.
    Add,
    /// Difference; a signed one may overflow.
    Subtract,
    /// Product; a signed one may overflow.
    Multiply,
    /// Quotient, towards zero; divisors of zero are checked.
    Divide,
    /// Remainder, with the sign of the dividend; divisors of zero are checked.
    Remainder,
    /// Bitwise and.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
    /// To the left, zeros follow. The amount is unsigned, of any width; too great ones leave zero.
    ShiftLeft,
    /// To the right; a signed number is followed by its sign. The amount is as for the left.
    ShiftRight,
    /// A truth value, of integers or pointers.
    Equal,
    /// A truth value, of integers or pointers.
    NotEqual,
    /// A truth value, by the sign of the arguments' sort; of pointers into two objects it is any.
    Less,
    /// A truth value, by the sign of the arguments' sort; of pointers into two objects it is any.
    LessOrEqual,
    /// A pointer moved by a signed number of bytes, of 64 bits.
    PointerAdd,
    /// The bytes from the second pointer to the first, signed, of 64 bits; into two objects it is any number.
    PointerDifference,
}

/// A place in memory.
#[derive(Clone, Debug)]
pub struct Lvalue {
    /// How it is found.
    pub kind: LvalueKind,
    /// Where it stands in the source; generated checks are told apart by it.
    pub place: Span,
}

/// How a place in memory is found.
#[derive(Clone, Debug)]
pub enum LvalueKind {
    /// The first byte of a variable.
    Variable(VariableId),
    /// Where a pointer leads. Access is checked (`pointer`): to an object that lives, within its bounds.
    Dereference(Box<Expression>),
    /// A number of bytes further: a field.
    Offset(Box<Lvalue>, u64),
    /// An element of an array.
    Index {
        /// Where the array begins.
        array: Box<Lvalue>,
        /// A signed or unsigned integer.
        index: Box<Expression>,
        /// The bytes of an element.
        size: u64,
        /// How many elements there are; the index is checked against it (`bounds`). Nothing where it is not known.
        count: Option<u64>,
    },
    /// The original and what mutants have in its place.
    Selected(Box<Lvalue>, Vec<(MutantId, Lvalue)>),
}
