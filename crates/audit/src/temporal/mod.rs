//! What is said of whole runs, checked again.
//!
//! ```text
//!  a run that violates it ─▶ lasso: replayed in the simulator ─▶ word: the formula on the run
//!  any other verdict      ─▶ recount: decided again
//!                            diagram ◀─ meaning ◀─ states ◀─ formula
//! ```
//!
//! The second computation knows the system and the claim, and neither the first answer nor anything that
//! the engines use: it has its own decision diagrams, its own way from terms to
//! them (by values and not by bits), its own fixpoints and its own tableau.

mod diagram;
mod formula;
mod lasso;
mod meaning;
mod recount;
mod states;
mod word;

pub use diagram::RecountLimits;
pub use lasso::{audit_lasso, matters, replay};
pub use recount::{Recount, recount};
