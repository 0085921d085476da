//! The hall: what every room speaks of. Sorts, values, hash-consed terms, exact evaluation.

mod eval;
mod expr;
mod intern;
mod lower;
mod number;
mod origin;
mod simulate;
mod slice;
mod sort;
mod system;
mod term;
mod unroll;
mod value;

pub use eval::{Environment, Evaluator, fold};
pub use expr::{Expr, NodeId, NodeIds, Operator};
pub use lower::{
    Equation, Goal, LowerError, LowerErrorKind, Lowered, Model, Patch, Unguarded, When, lower,
};
pub use number::Rational;
pub use origin::{Call, Category, InstancePath, Origin};
pub use simulate::{CompileError, FunctionTable, Machine, Outcome, Program, Trace, TraceError};
pub use slice::{Slice, slice};
pub use sort::{EnumSort, Sort};
pub use system::{
    Body, Definition, Element, ElementId, ElementMap, Mentions, Phase, Property, Role, System,
    SystemError, Variable,
};
pub use term::{Function, Op, SortError, Symbol, Term, division_by_zero};
pub use unroll::Unroller;
pub use value::{BitVec, Value};
