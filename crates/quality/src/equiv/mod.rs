//! Are two models the same?
//!
//! ```text
//!  two systems ─▶ signature: variables that differ ─▶ structure: one reachability computation
//!                                                        │ a run that only one has ─▶ simulator
//!                                                        ▼ an invariant on which they agree ─▶ LRAT
//! ```
//!
//! - [`structure`]: the same states, steps and fair runs, nothing hidden (Arcaini, Gargantini and Riccobene).
//! - [`sequential`], [`netlists`]: the same outputs on the same inputs, as black boxes.
//! - [`paper`]: the published method, by formulas, for comparison.
//! - [`mod@signature`]: what can be told apart without looking at a state.

pub mod netlists;
pub mod paper;
pub mod sequential;
pub mod signature;
pub mod structure;

pub use netlists::compare_netlists;
pub use paper::{FormulaAnswer, decide_by_formulas};
pub use proofmark_engine::diagrams::Side;
pub use sequential::{SequentialError, compare_sequential, observed};
pub use signature::{Declared, VariableDifference, signature};
pub use structure::{compare_structure, settle};

use crate::auditor::Audited;
use proofmark_engine::diagrams::DiagramLimits;
use proofmark_model::Trace;
use proofmark_model::graph::BitTrace;
use std::time::Duration;

/// What may be spent on a comparison.
#[derive(Clone, Debug, Default)]
pub struct EquivalenceLimits {
    /// For the states.
    pub diagrams: DiagramLimits,
    /// For the audit; no audit where there is none.
    pub audit: Option<Duration>,
}

/// What a comparison of two models came to.
#[derive(Clone, Debug)]
pub struct Equivalence {
    /// Whether they are the same.
    pub verdict: EquivalenceVerdict,
    /// Whether somebody else agrees.
    pub audit: Audited,
    /// How many states the first reaches, in decimal, where they were counted.
    pub states: Option<String>,
}

/// Whether two models are the same.
#[derive(Clone, Debug)]
pub enum EquivalenceVerdict {
    /// They are.
    Equivalent,
    /// They are not.
    Different(Box<Difference>),
    /// Nobody found out.
    Unknown {
        /// Why.
        why: String,
    },
}

/// What tells two models apart.
#[derive(Clone, Debug)]
pub enum Difference {
    /// They are not about the same variables.
    Variables(Vec<VariableDifference>),
    /// A run of both but for its last state, which only one has.
    Step {
        /// The values of all variables of the one that has it.
        run: Trace,
        /// Who has it.
        only: Side,
    },
    /// A run of both that goes on for ever, and counts in one only.
    Fair {
        /// The values of all variables.
        run: Trace,
        /// The state that follows the last.
        back: usize,
        /// Where it is fair.
        only: Side,
    },
    /// On the same inputs they show something else, or only one accepts these.
    Observed {
        /// The last step of the runs.
        step: usize,
        /// What is shown differently, by name.
        names: Vec<String>,
        /// What the first does.
        first: Trace,
        /// What the second does.
        second: Trace,
        /// Who accepts the last step.
        accepted: [bool; 2],
    },
    /// The same of netlists.
    Bits {
        /// The last step of the runs.
        step: usize,
        /// What is shown differently, by name.
        names: Vec<String>,
        /// What the first does.
        first: BitTrace,
        /// What the second does.
        second: BitTrace,
        /// Who accepts the last step.
        accepted: [bool; 2],
    },
}

/// An audit that fails: an internal error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuditFailed(pub String);
