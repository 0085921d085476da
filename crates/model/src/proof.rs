//! Proofs and refutations as data.
//!
//! A [`Proof`] is enough to rebuild the proof on a changed model, and enough for an auditor who
//! trusts nobody: the conjunction of the property and its invariants is `k`-inductive. With `C` for
//! that conjunction, the *base* says that `C` holds in the first `k` steps of every run, the *step*
//! that `k` consecutive states with `C`, of which the first satisfies what every state does
//! (`System::timeless`) and is arbitrary otherwise, are followed by a state with `C`. A refutation is a [`Trace`]
//! that the simulator can run.

use crate::simulate::Trace;
use crate::term::Term;

/// A fact about every reachable state, over current variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// A Boolean, true in every reachable state.
    pub term: Term,
    /// The depth of the induction that proved it, together with the others of its proof.
    pub k: u32,
}

/// Why a property holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// At least 1, and at least the `k` of every invariant.
    pub k: u32,
    /// What is `k`-inductive together with the property.
    pub invariants: Vec<Invariant>,
}

/// Why a property does not hold.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The free values of a run; the simulator computes the rest.
    pub trace: Trace,
    /// The step at which the property is false.
    pub step: u32,
}

/// A run that goes on for ever: after its last step it comes back to an earlier one.
#[derive(Clone, Debug)]
pub struct Lasso {
    /// Every variable at every step.
    pub trace: Trace,
    /// The step that follows the last.
    pub back: usize,
}

/// Why no fair run stays within some states for ever: these are taken away in layers, and a fair run that
/// stays in what is left leaves each layer for good.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FairExclusion {
    /// The states, over current variables.
    pub within: Term,
    /// What is taken away, one after the other, until nothing is left.
    pub layers: Vec<ExclusionLayer>,
}

/// States that a fair run leaves for good.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExclusionLayer {
    /// The states, over current variables.
    pub removed: Term,
    /// Why.
    pub why: ExclusionReason,
}

/// Why a fair run does not stay in, or return to, some states, as long as it stays in what is left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExclusionReason {
    /// They have no successor there.
    Stuck,
    /// Nothing else there follows them, and none of them meets this condition of justice.
    Avoids(Term),
    /// They are among states that nothing else there follows, all of which meet the first of a pair of
    /// compassion and none the second.
    Unanswered {
        /// The first of the pair.
        often: Term,
        /// The second.
        answer: Term,
        /// The states that nothing else there follows.
        closed: Term,
    },
}
