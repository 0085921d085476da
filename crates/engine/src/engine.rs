//! What every engine is: a machine that takes small steps and writes messages.
//!
//! Engines share nothing. An engine is asked for one step at a time, within an effort that the
//! portfolio sets, and answers with what it has found; what others have found comes to it as
//! messages. So any number of engines can share a thread, and one thread gives the same run always.

use proofmark_model::{Invariant, Refutation, Trace};
use proofmark_solve::{SolveError, Solver};

/// A property by its position in the system.
pub type PropertyId = usize;

/// What an engine found.
#[derive(Clone, Debug)]
pub enum Finding {
    /// A run refutes a property.
    Refuted {
        property: PropertyId,
        refutation: Refutation,
    },
    /// No run refutes a property that is open in the first `steps` steps.
    Holds { steps: u32 },
    /// The properties together with the invariants pass the step of the induction with depth `k`.
    Inductive {
        properties: Vec<PropertyId>,
        k: u32,
        invariants: Vec<Invariant>,
    },
    /// The states satisfy a property but for the last one, and the first need not be reachable.
    NotInductive { property: PropertyId, states: Trace },
    /// Facts about every reachable state, proved.
    Invariants(Vec<Invariant>),
}

/// What an engine is told.
#[derive(Clone, Debug)]
pub enum Message {
    /// A property needs no more work. If it is proved, it and the invariants of its proof have come
    /// as invariants before.
    Settled {
        property: PropertyId,
    },
    Invariants(Vec<Invariant>),
}

/// How a step ended.
pub enum Progress {
    /// There is more to do.
    More,
    /// Nothing more to do until a message comes.
    Waiting,
}

pub trait Engine {
    fn name(&self) -> &'static str;

    fn hear(&mut self, message: &Message) -> Result<(), SolveError>;

    /// Works for about `effort` and reports.
    fn step(
        &mut self,
        effort: u64,
        report: &mut dyn FnMut(Finding),
    ) -> Result<Progress, SolveError>;

    /// Where it is, for people: a depth, a frame.
    fn depth(&self) -> u32;

    /// What it has cost so far, the same on every machine; see [`cost`].
    fn spent(&self) -> u64;
}

/// What a solver has cost, roughly in units of one propagation. Engines that share a thread get
/// equal shares of this.
pub fn cost(solver: &dyn Solver) -> u64 {
    let statistics = solver.statistics();
    200 * statistics.checks
        + 50 * statistics.conflicts
        + 20 * statistics.pivots
        + statistics.decisions
        + statistics.propagations
}

/// Makes a solver for an engine.
pub type MakeSolver<'m> = dyn Fn() -> Result<Box<dyn Solver>, SolveError> + Sync + 'm;
