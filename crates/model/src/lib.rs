//! The hall: what every room speaks of.
//!
//! A front end makes a [`Model`]: expression trees with node ids and origins, which mutators change.
//! [`lower`] makes a [`System`] of it: elements with an init and a step part as hash-consed
//! [`Term`]s, which engines take to steps with the [`Unroller`]. A [`Program`] runs a system exactly,
//! and [`slice()`] gives the part of it that matters to some properties.

mod bounds;
mod eval;
mod expr;
mod facts;
mod intern;
mod lower;
mod model;
mod number;
mod origin;
mod proof;
mod rewrite;
mod simulate;
mod slice;
mod sort;
mod spell;
mod system;
mod term;
mod unroll;
mod value;

pub use bounds::Bounds;
pub use eval::{Environment, Evaluator, fold};
pub use expr::{Expr, NodeId, NodeIds, Operator};
pub use facts::{ElementFacts, Facts, VariableFacts};
pub use lower::{LowerError, LowerErrorKind, Lowered, Patch, Unguarded, lower};
pub use model::{Equation, Goal, Model, Reading, When};
pub use number::Rational;
pub use origin::{Call, Category, InstancePath, Location, Origin};
pub use proof::{Invariant, Proof, Refutation};
pub use rewrite::{Rewrite, Rewriter, Rewritten};
pub use simulate::{
    CompileError, FunctionTable, Machine, Outcome, Program, Template, Trace, TraceError,
};
pub use slice::{Slice, slice, slice_with};
pub use sort::{EnumSort, Sort};
pub use system::{
    Body, Definition, Element, ElementId, ElementMap, Mentions, Phase, Property, Role, System,
    SystemError, Variable,
};
pub use term::{Function, Op, SortError, Symbol, Term, division_by_zero};
pub use unroll::{Unroller, rename};
pub use value::{BitVec, Value};
