//! Why a bad signal is never true, as data.

use super::signal::Signal;

/// Clauses over latches of a netlist that, together with the complement of a bad signal, are
/// `k`-inductive: they hold in the first `k` steps of every run, and after `k` steps in which they hold
/// they hold in the next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitProof {
    /// The depth of the induction.
    pub k: u32,
    /// Each a disjunction of latches and complements of latches.
    pub clauses: Vec<Vec<Signal>>,
}
