//! Prove or refute: one algorithm a file, each a machine that takes small steps, and the portfolio
//! that runs them together.

mod bmc;
mod engine;
mod extend;
mod frames;
mod invgen;
mod kind;
mod pdr;
mod portfolio;
mod reduce;
mod smooth;

pub use engine::{Finding, MakeSolver, PropertyId};
pub use extend::{Extension, extend};
pub use frames::Frames;
pub use invgen::simple_invariants;
pub use portfolio::{EngineName, Limits, Outcome, Report, Verdict, check};
pub use reduce::Reducer;
pub use smooth::smooth;
