//! Why a bad signal is never true, as data.

use super::netlist::Netlist;
use super::signal::Signal;

/// Clauses over latches of a netlist, and perhaps a set of states, that together with the complement of a
/// bad signal are `k`-inductive: they hold in the first `k` steps of every run, and after `k` steps in
/// which they hold they hold in the next.
#[derive(Clone, Debug)]
pub struct BitProof {
    /// The depth of the induction.
    pub k: u32,
    /// Each a disjunction of latches and complements of latches.
    pub clauses: Vec<Vec<Signal>>,
    /// The state is one of these.
    pub region: Option<Box<Region>>,
}

/// A set of states, as a function of latches.
#[derive(Clone, Debug)]
pub struct Region {
    /// The function; it has no latches of its own.
    pub netlist: Netlist,
    /// For each input of the function the position of the latch that it stands for.
    pub latches: Vec<u32>,
    /// True in the states of the set.
    pub holds: Signal,
}

impl Region {
    /// Whether it is a function of latches of this netlist and of nothing else.
    pub fn fits(&self, netlist: &Netlist) -> bool {
        let known = |latch: &u32| (*latch as usize) < netlist.latches.len();
        self.netlist.latches.is_empty()
            && self.latches.len() == self.netlist.inputs.len()
            && self.latches.iter().all(known)
            && self.holds.index() < self.netlist.graph.len()
    }
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
