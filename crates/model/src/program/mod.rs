//! Programs with functions, memory and loops, typed and checked: what an imperative language comes to.
//!
//! A front end makes a [`Program`]; an interpreter runs it and an encoder writes it as a formula within a
//! bound, and neither knows the language. What keeps both small:
//!
//! - **Expressions have no side effects.** A call, an assignment or an input inside an expression becomes
//!   statements before it, into variables of the front end's making. What is not always evaluated (the right
//!   side of `&&`) stays an expression when it has no effects ([`ExpressionKind::And`], …), for the checks in it
//!   count only when it is evaluated.
//! - **Memory is objects of bytes.** Every variable is one; others are allocated. A pointer is 64 bits: the
//!   object in the 16 highest, the offset as a signed number in the 48 lowest; all zero is the null pointer. It is
//!   copied as any eight bytes. Whatever has more than eight bytes is copied as bytes
//!   ([`StatementKind::CopyBytes`]), given to a function by its address, and returned to an address.
//! - **Control goes forward, but for loops.** [`StatementKind::Goto`] leads to a [`StatementKind::Label`] that
//!   comes later in the same list or in one around it; a [`StatementKind::Loop`] repeats its body until something in it
//!   jumps out or returns. The end of its body is the only way back, and what a bound counts.
//! - **All mutants are in the program.** Where one differs, an expression ([`ExpressionKind::Selected`]) or a
//!   list of statements ([`StatementKind::Selected`]) has a variant for it; at most one is chosen in a run.
//!
//! - **Order counts.** Arguments are evaluated from left to right, values before the place that they go to, so that
//!   whoever runs a program asks for its inputs in the same order.
//! - **A run ends at an access that is none.** Where a check of the kinds `bounds`, `pointer` or `division` fails, nothing
//!   that follows has a meaning, and the run is over. When the kind is not checked, what is read is any value and what is
//!   written or copied is lost. After a failed assertion or an overflow the run goes on.
//!
//! Conditions are of the sort [`Scalar::BOOLEAN`]. All arithmetic wraps around; what may not happen is a check
//! ([`Check`]), which the place of an expression or statement names.

mod bounds;
mod check;
mod expression;
mod input;
mod list;
mod statement;
mod types;

pub use bounds::{Bounds, pointer};
pub use check::{Check, CheckKind, Checks};
pub use expression::{
    Binary, Expression, ExpressionKind, Lvalue, LvalueKind, Scalar, Unary, Variant,
};
pub use input::InputReason;
pub use list::{NamedCheck, checks_of};
pub use statement::{
    Callee, Conversion, Filling, Padding, Piece, Statement, StatementKind, StatementVariant,
};
pub use types::{Field, Type};

use proofmark_source::Span;
use std::sync::Arc;

/// A variable of the program, by its position among [`Program::variables`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VariableId(pub u32);

/// A function, by its position among [`Program::functions`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct FunctionId(pub u32);

/// A mutant, by its number; a run has at most one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MutantId(pub u32);

/// A label, one of its kind within a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LabelId(pub u32);

/// A loop, by its position among [`Program::loops`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LoopId(pub u32);

/// A whole program, with its mutants.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Globals and the locals of all functions.
    pub variables: Vec<Variable>,
    /// Functions, also such as have no body.
    pub functions: Vec<Function>,
    /// All loops, in all functions and variants.
    pub loops: Vec<Loop>,
    /// The globals, in the order in which they come into being.
    pub globals: Vec<VariableId>,
    /// Where runs begin.
    pub entry: FunctionId,
    /// Numbers of mutants are below this.
    pub mutants: u32,
}

/// An object with a name.
#[derive(Clone, Debug)]
pub struct Variable {
    /// As the source has it; what the front end made itself has an empty name.
    pub name: Arc<str>,
    /// Its size and how its bytes are shown.
    pub sort: Arc<Type>,
    /// What a global holds at first. A local begins at its [`StatementKind::Declare`], with any bytes.
    pub initial: Initial,
    /// Where it is declared.
    pub place: Span,
}

/// What a global holds when a run begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Initial {
    /// Any bytes: what is defined elsewhere.
    Any,
    /// Zero but for these pieces.
    Known(Vec<InitialPiece>),
}

/// Bytes of a global at the beginning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InitialPiece {
    /// Bytes, from an offset on.
    Bytes(u64, Vec<u8>),
    /// The eight bytes of the address of a variable, moved by an offset.
    Address {
        /// Where it is stored.
        at: u64,
        /// What is pointed to.
        variable: VariableId,
        /// By how many bytes it is moved.
        offset: i64,
    },
    /// The eight bytes of the address of a function, at an offset.
    Function(u64, FunctionId),
}

/// What can be called.
#[derive(Clone, Debug)]
pub struct Function {
    /// As the source has it.
    pub name: Arc<str>,
    /// Locals that hold the arguments, each a scalar.
    pub parameters: Vec<VariableId>,
    /// What it returns; a body that ends without returning returns anything.
    pub result: Option<Scalar>,
    /// What it does; without a body it returns anything and does nothing else.
    pub body: Option<Vec<Statement>>,
    /// Where it is defined.
    pub place: Span,
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// As bounds name it: `main.0`.
    pub name: Arc<str>,
    /// The place of its keyword or condition.
    pub place: Span,
}

impl Program {
    /// A variable.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// A function.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// Adds a variable.
    pub fn add_variable(&mut self, variable: Variable) -> VariableId {
        self.variables.push(variable);
        VariableId(self.variables.len() as u32 - 1)
    }

    /// Adds a function.
    pub fn add_function(&mut self, function: Function) -> FunctionId {
        self.functions.push(function);
        FunctionId(self.functions.len() as u32 - 1)
    }

    /// Adds a loop.
    pub fn add_loop(&mut self, name: &str, place: Span) -> LoopId {
        let name = name.into();
        self.loops.push(Loop { name, place });
        LoopId(self.loops.len() as u32 - 1)
    }
}
