//! Engines on bits: literals of a netlist, no terms in the loop.
//!
//! A bad signal of a netlist is proved never to be true, or a run shows it. The netlist is reduced
//! to what the signal depends on, and what the engines find is led back: a run to a run of the
//! original, an invariant to clauses over its latches, with the facts that made it smaller. Engines run
//! side by side, one a thread, or in turns with growing effort on one thread.
//!
//! - `ic3`: clauses, one at a time, until they are inductive.
//! - `bmc`: runs of growing length, and k-induction on the side.
//! - `interpolate`: sets of states from refutations.
//! - `constraints`: whether the constraints accept a run at all.
//! - `relation`: one step as clauses; `unrolling`: many steps; `cube`: sets of states; `account`: effort.

mod account;
mod bmc;
mod constraints;
mod cube;
mod ic3;
mod interpolate;
mod portfolio;
mod relation;
mod unrolling;

use crate::portfolio::EngineName;
use account::Halt;
use proofmark_model::graph::{BitTrace, Region};

pub(crate) use account::Account;
pub(crate) use cube::Cube;
pub(crate) use ic3::Ic3;
pub(crate) use relation::Relation;

pub use constraints::longest_accepted;
pub use interpolate::take_interpolant;
pub use portfolio::{BitCheck, BitLimits, BitVerdict, check_bad, check_bad_knowing};

/// What an engine finds out about a bad signal.
pub(crate) enum BitAnswer {
    /// A run that ends with the signal true.
    Refuted(BitTrace),
    /// The clauses that forbid the cubes, together with the property, are `k`-inductive.
    Inductive { k: u32, cubes: Vec<Cube> },
    /// The states, by position of their latches, are inductive and none of them is bad.
    Region(Box<Region>),
}

/// A machine that can be stopped and goes on where it was.
pub(crate) trait BitEngine {
    fn name(&self) -> EngineName;

    /// Works until there is an answer, for at most this effort; `watch` hears of every depth.
    fn run(&mut self, effort: u64, watch: &mut dyn FnMut(u32)) -> Result<BitAnswer, Halt>;
}
