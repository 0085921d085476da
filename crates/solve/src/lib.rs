//! The machine room: one [`Solver`] trait, the embedded SMT solver behind it, and other people's
//! solvers as processes.

mod embedded;
pub mod external;
#[doc(hidden)]
pub mod random;
pub mod smtlib;
mod solver;

pub use embedded::{Embedded, EmbeddedOptions};
pub use solver::{
    Answer, Budget, Capabilities, Interrupt, Listener, SolveError, Solver, Statistics, Unknown,
};
