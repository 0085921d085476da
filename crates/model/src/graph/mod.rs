//! And-inverter graphs: what every finite system comes to.
//!
//! A gate as a [`Term`](crate::Term) costs hundreds of bytes, and a netlist has a million of them. Here a
//! gate is two 32-bit [`Signal`]s, equal gates exist once, and the fanins of a gate come before it, so that
//! a pass over the nodes in order is an evaluation. A [`Netlist`] is a graph with latches, constraints and
//! bad signals: a transition system of bits.
//!
//! - [`Graph`]: nodes, structural hashing, the usual gates.
//! - [`Netlist`]: inputs, latches with initial values, constraints, bad signals, names.
//! - [`Simulation`]: 64 runs at once; [`Netlist::replay`] checks a [`BitTrace`].
//! - [`Ternary`]: values that may be unknown; what a run can do without ([`Ternary::lift`]).
//! - [`cone`], [`simplify`]: smaller netlists, each with the [`NetlistMap`] that leads traces and
//!   invariants back.
//! - [`Netlist::cut`]: nodes replaced by inputs or constants.
//! - [`Encoding`]: gates as clauses.
//! - [`bit_blast`]: a finite [`System`](crate::System) as a netlist, with the [`SystemMap`] that makes terms of
//!   clauses and a run of the system of a run of the netlist.
//!
//! ```
//! use proofmark_model::graph::{BitTrace, Init, Netlist, Signal};
//!
//! // A latch that takes the value of an input and keeps it once it is true.
//! let mut netlist = Netlist::default();
//! let input = netlist.add_input();
//! let latch = netlist.add_latch(Init::Zero);
//! let next = netlist.graph.or(input, latch);
//! netlist.set_next(0, next);
//! netlist.add_bad("seen", latch);
//! let trace = BitTrace { latches: vec![false], inputs: vec![vec![true], vec![false]] };
//! assert_eq!(netlist.replay(&trace).refuted, [Some(1)]);
//! ```

mod blast;
mod clauses;
mod cone;
mod cut;
mod gates;
mod map;
mod netlist;
mod number;
mod proof;
pub mod random;
mod signal;
mod simplify;
mod simulation;
mod system_map;
mod ternary;
mod words;

pub use blast::{
    Blasted, Guess, NotFinite, bit_blast, bit_blast_with, blast_formulas, enum_width,
    integer_limits,
};
pub use clauses::Encoding;
pub use cone::cone;
pub use cut::{Criteria, Criterion, CutPlace, CutSites};
pub use gates::{Graph, Kind};
pub use map::{NetlistMap, Reduced};
pub use netlist::{Init, Labels, Latch, NamedSignal, Netlist};
pub use number::width as integer_width;
pub use proof::{BitProof, Region};
pub use signal::Signal;
pub use simplify::simplify;
pub use simulation::{BitTrace, Replay, Simulation};
pub use system_map::{SystemMap, decode};
pub use ternary::{Ternary, Truth};
pub use words::{Word, constant as constant_word, resize as resize_signed};
