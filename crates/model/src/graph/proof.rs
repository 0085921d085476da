//! Why a bad signal is never true, as data.

use super::netlist::Netlist;
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

impl Netlist {
    /// A clause as people read it, such as `busy | !l3`.
    pub fn clause(&self, clause: &[Signal]) -> String {
        let literals = clause.iter().map(|signal| {
            let sign = if signal.is_complemented() { "!" } else { "" };
            format!("{sign}{}", self.name(signal.node()))
        });
        literals.collect::<Vec<_>>().join(" | ")
    }
}
