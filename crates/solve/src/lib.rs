//! The machine room: one [`Solver`] trait, the embedded SMT solver behind it, and other people's
//! solvers as processes.
//!
//! ```
//! use proofmark_model::{Sort, Term, Value};
//! use proofmark_solve::{Answer, Embedded, Solver};
//!
//! let mut solver = Embedded::default();
//! let x = Term::var("x", Sort::Int);
//! solver.declare(x)?;
//! solver.assert(Term::int(3).lt(x))?;
//! assert_eq!(solver.check(&[x.lt(Term::int(5))])?, Answer::Sat);
//! assert_eq!(solver.value(x)?, Value::Int(4.into()));
//! // Assumptions are not remembered; those that cannot be met are told.
//! let small = x.lt(Term::int(2));
//! assert_eq!(solver.check(&[small])?, Answer::Unsat);
//! assert_eq!(solver.core()?, [small]);
//! # Ok::<(), proofmark_solve::SolveError>(())
//! ```

mod embedded;
pub mod external;
#[doc(hidden)]
pub mod random;
pub mod sat;
pub mod smtlib;
mod solver;

pub use embedded::{Embedded, EmbeddedOptions};
pub use solver::{
    Answer, Budget, Capabilities, Interrupt, Listener, SolveError, Solver, Statistics, Unknown,
};

/// The name of the embedded solver.
pub const EMBEDDED: &str = "embedded";

/// The names of all solvers that [`open`] knows.
pub fn solvers() -> impl Iterator<Item = &'static str> {
    std::iter::once(EMBEDDED).chain(external::known())
}

/// What the solver of a name can do, whether it is installed or not.
pub fn capabilities(name: &str) -> Option<Capabilities> {
    match name {
        EMBEDDED => Some(Embedded::default().capabilities()),
        _ => external::capabilities(name),
    }
}

/// A solver by its name: the embedded one, or an external one that has to be installed.
pub fn open(name: &str) -> Result<Box<dyn Solver>, SolveError> {
    match name {
        EMBEDDED => Ok(Box::new(Embedded::default())),
        _ => external::open(name),
    }
}
