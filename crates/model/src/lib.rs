//! The hall: what every room speaks of. Sorts, values, hash-consed terms, exact evaluation.

mod eval;
mod expr;
mod intern;
mod number;
mod origin;
mod sort;
mod term;
mod value;

pub use eval::{Environment, Evaluator, fold};
pub use expr::{Expr, NodeId, NodeIds, Operator};
pub use number::Rational;
pub use origin::{Call, Category, InstancePath, Origin};
pub use sort::{EnumSort, Sort};
pub use term::{Function, Op, SortError, Symbol, Term, division_by_zero};
pub use value::{BitVec, Value};
