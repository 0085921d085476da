//! The hall: what every room speaks of.
//!
//! A front end makes a [`Model`]: expression trees with node ids and origins, which mutators change.
//! [`lower`] makes a [`System`] of it: elements with an init and a step part as hash-consed
//! [`Term`]s, which engines take to steps with the [`Unroller`]. A [`Program`] runs a system exactly,
//! and [`slice()`] gives the part of it that matters to some properties.
//!
//! ```
//! use proofmark_model::{Definition, Element, Origin, Program, Property, Role, Sort};
//! use proofmark_model::{System, Term, Trace, Value, Variable, slice};
//!
//! // A counter that starts at 0 and goes up by 1, and what is said of it.
//! let mut system = System::default();
//! let count = Variable::new("count", Sort::Int, Role::Output, Origin::generated());
//! let (now, before) = (count.current, count.previous);
//! system.declare(count)?;
//! let step = Definition {
//!     variable: now,
//!     init: Some(Term::int(0)),
//!     step: Some(Term::add(&[before, Term::int(1)])),
//! };
//! system.add_element(Element::define(step, Origin::generated()))?;
//! let term = now.le(Term::int(2));
//! system.add_property(Property { name: "never 3".into(), term, origin: Origin::generated() })?;
//! // The property depends on the counter: the part that matters to it has it.
//! assert_eq!(slice(&system, &[0]).elements.kept().len(), 1);
//! // A run of five steps, in which nothing is given from outside, refutes it.
//! let mut given = Trace::new(Vec::new());
//! for _ in 0..5 {
//!     given.push(Vec::new())?;
//! }
//! let (run, outcome) = Program::compile(&system)?.machine().run(&given);
//! assert_eq!(run.value(now, 4), Some(&Value::Int(4.into())));
//! assert_eq!(outcome.refuted_at(0), Some(3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arrangement;
mod bounds;
mod eval;
mod expr;
mod facts;
pub mod graph;
mod intern;
mod liveness;
mod lower;
mod model;
mod number;
mod origin;
pub mod program;
mod proof;
mod rewrite;
mod simulate;
mod slice;
mod sort;
mod spell;
mod system;
mod tableau;
mod temporal;
mod term;
mod unroll;
mod value;

pub use arrangement::arrangement;
pub use bounds::Bounds;
pub use eval::{Environment, Evaluator, fold};
pub use expr::{Expr, NodeId, NodeIds, Operator};
pub use facts::{ElementFacts, Facts, VariableFacts};
pub use liveness::{SafetyReduction, safety_reduction};
pub use lower::{LowerError, LowerErrorKind, Lowered, Patch, Unguarded, lower};
pub use model::{Equation, Goal, Model, Reading, When};
pub use number::Rational;
pub use origin::{Call, Category, InstancePath, Location, Origin};
pub use proof::{
    ExclusionLayer, ExclusionReason, FairExclusion, Invariant, Lasso, Proof, Refutation,
};
pub use rewrite::{Rewrite, Rewriter, Rewritten};
pub use simulate::{
    CompileError, FunctionTable, Machine, Program, RunResult, Template, Trace, TraceError,
};
pub use slice::{Slice, slice, slice_with};
pub use sort::{EnumSort, Sort};
pub use system::{
    Body, Definition, Element, ElementId, ElementMap, Mentions, Phase, Property, Role, System,
    SystemError, Variable,
};
pub use tableau::violations;
pub use temporal::{
    Binary, Claim, Distance, Fairness, Formula, Kind, Node, Quantifier, Specification, Steps,
    Subformula, Unary,
};
pub use term::{Function, Op, SortError, Symbol, Term, division_by_zero};
pub use unroll::{Unroller, rename};
pub use value::{BitVec, Value};
