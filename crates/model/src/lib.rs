//! The hall: what every room speaks of. Sorts, values, hash-consed terms, exact evaluation.

mod eval;
mod intern;
mod number;
mod sort;
mod term;
mod value;

pub use eval::{Environment, Evaluator, fold};
pub use number::Rational;
pub use sort::{EnumSort, Sort};
pub use term::{Function, Op, SortError, Symbol, Term, division_by_zero};
pub use value::{BitVec, Value};
