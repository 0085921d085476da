//! Statements: everything that has an effect.

use super::{Expression, FunctionId, LabelId, LoopId, Lvalue, MutantId, Scalar, VariableId};
use proofmark_source::Span;
use std::sync::Arc;

/// A statement and its place.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands.
    pub place: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// A local comes into being, with any bytes. It is the same object whenever that happens within one call. A jump does
    /// not go past it to where the variable is used.
    Declare(VariableId),
    /// A local is gone; pointers to it are invalid. A return ends all locals of the call.
    End(VariableId),
    /// Stores a scalar.
    Assign(Lvalue, Expression),
    /// Stores any value of a sort: an input of the program, by the name of what gave it.
    Input(Lvalue, Scalar, Arc<str>),
    /// Copies a number of bytes from the second pointer to the first, as if all were read first. Both are checked
    /// (`pointer`) unless the number is zero.
    CopyBytes {
        /// A pointer.
        to: Expression,
        /// A pointer.
        from: Expression,
        /// An unsigned number of 64 bits.
        size: Expression,
    },
    /// Stores a byte a number of times from a pointer on, which is checked (`pointer`) unless it is zero.
    FillBytes {
        /// A pointer.
        to: Expression,
        /// An integer of 8 bits.
        value: Expression,
        /// An unsigned number of 64 bits.
        size: Expression,
    },
    /// Makes an object of a size and stores a pointer to it.
    Allocate {
        /// Where the pointer goes.
        to: Lvalue,
        /// An unsigned number of 64 bits.
        size: Expression,
        /// What the object holds.
        filling: Filling,
    },
    /// The object of a pointer is gone. Checked (`pointer`): null, or the beginning of an allocated object that lives.
    Free(Expression),
    /// Calls a function. What is returned is stored when somebody wants it; the sort is the callee's result.
    Call {
        /// Where the result goes.
        result: Option<(Lvalue, Scalar)>,
        /// Who is called.
        callee: Callee,
        /// As many as there are parameters, each in the sort of its parameter.
        arguments: Vec<Expression>,
    },
    /// Leaves the function.
    Return(Option<Expression>),
    /// One of two lists.
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// The body again and again.
    Loop(LoopId, Vec<Statement>),
    /// Goes on at a label further on, in this list or one around it.
    Goto(LabelId),
    /// Where jumps lead.
    Label(LabelId),
    /// A property: the condition holds whenever this is reached. The run goes on in any case.
    Assert(Expression, Arc<str>),
    /// Runs in which the condition does not hold here are none.
    Assume(Expression),
    /// A line of the log.
    Log(Vec<Piece>),
    /// The original and what mutants do instead.
    Selected(Vec<Statement>, Vec<StatementVariant>),
}

/// Statements of a mutant.
#[derive(Clone, Debug)]
pub struct StatementVariant {
    /// Whose they are.
    pub mutant: MutantId,
    /// What it does in the place of the original; nothing for a deleted statement.
    pub statements: Vec<Statement>,
}

/// Who is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function.
    Function(FunctionId),
    /// Whatever a pointer leads to; checked (`pointer`) to be a function with as many parameters of the same widths.
    Pointer(Expression),
}

/// What a new object holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filling {
    /// Zeros.
    Zero,
    /// Anything.
    Any,
}

/// A piece of a line of the log.
#[derive(Clone, Debug)]
pub enum Piece {
    /// As it stands.
    Text(Arc<str>),
    /// A value, written in some way and padded.
    Value {
        /// What is written; the address of the first character for [`Conversion::String`].
        expression: Expression,
        /// How.
        conversion: Conversion,
        /// At least so many characters.
        width: u32,
        /// What fills the width.
        padding: Padding,
    },
}

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conversion {
    /// By the sign of its sort.
    Decimal,
    /// In small hexadecimal digits.
    Hexadecimal,
    /// In capital hexadecimal digits.
    CapitalHexadecimal,
    /// In octal digits.
    Octal,
    /// As a character.
    Character,
    /// The characters up to a zero.
    String,
    /// As an address.
    Pointer,
}

/// What fills the width of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Padding {
    /// Blanks before it.
    Left,
    /// Blanks behind it.
    Right,
    /// Zeros behind the sign.
    Zeros,
}
