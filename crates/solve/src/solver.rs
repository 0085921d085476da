//! The one trait that every solver implements, and the small types around it.
//!
//! Engines speak to a solver only through [`Solver`]. What a solver cannot do it says through
//! [`Capabilities`] or as a [`SolveError`]; `unknown` is an answer with a reason and is never read
//! as another answer.

use proofmark_model::{Term, Value};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// The answer to a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// The solver cannot tell, for this reason.
    Unknown(Unknown),
}

/// Why a check has no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The effort budget was used up.
    Budget,
    /// Somebody called [`Interrupt::set`].
    Interrupted,
    /// The solver gave up by itself.
    Incomplete,
    /// There is a model, and it has values that are no fractions, such as the root of two.
    Irrational,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        })
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unknown::Budget => "the effort budget is used up",
            Unknown::Interrupted => "interrupted",
            Unknown::Incomplete => "the solver gave up",
            Unknown::Irrational => "the solver found values that are no fractions",
        })
    }
}

/// Why a solver cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolveError {
    /// The solver's theory does not hold this term.
    Unsupported {
        /// The term that it does not take.
        term: Term,
        /// In words for people.
        why: String,
    },
    /// A call that does not fit the state: a model without `sat`, a pop without a push.
    Misuse(String),
    /// An external solver could not be run, died, or answered what nobody asked; with its words.
    External {
        /// The name of the solver.
        solver: String,
        /// What went wrong, in its own words where it has any.
        what: String,
    },
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::Unsupported { term, why } => write!(f, "unsupported: {why}: {term:?}"),
            SolveError::Misuse(what) => f.write_str(what),
            SolveError::External { solver, what } => write!(f, "{solver}: {what}"),
        }
    }
}
impl std::error::Error for SolveError {}

/// How much one check may cost; the default is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// Solver effort: conflicts and pivots, the same on every machine. Solvers that do not count
    /// effort ignore it.
    pub effort: Option<u64>,
    /// Wall clock, the backstop.
    pub time: Option<Duration>,
}

/// What a solver can do. Queried, never found out by failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Capabilities {
    /// Linear integer and real arithmetic, also mixed.
    pub arithmetic: bool,
    /// Products of unknowns and division by an unknown.
    pub nonlinear: bool,
    /// Uninterpreted functions.
    pub functions: bool,
    /// Bit-vectors of a fixed width.
    pub bit_vectors: bool,
    /// Cores of assumptions.
    pub cores: bool,
    /// Honours [`Budget::effort`].
    pub effort: bool,
}

/// What a solver has done since it was made. Solvers that do not count leave zeros.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// How many times it was asked.
    pub checks: u64,
    /// How many conflicts the search ran into, in clauses or in a theory.
    pub conflicts: u64,
    /// How many literals were guessed.
    pub decisions: u64,
    /// How many literals followed from others.
    pub propagations: u64,
    /// How many exchanges the tableau of the simplex method made.
    pub pivots: u64,
    /// How often the search began again with what it had learned.
    pub restarts: u64,
}

/// Stops a check from another thread; stays set until cleared.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<Shared>);

#[derive(Default)]
struct Shared {
    set: AtomicBool,
    listeners: Mutex<Vec<Weak<Listener>>>,
}

/// Called at once when an interrupt is set, for threads that block and cannot poll it.
pub type Listener = dyn Fn() + Send + Sync;

impl Interrupt {
    /// Stops the checks that listen to it, those under way and those to come, and calls the
    /// listeners.
    pub fn set(&self) {
        self.0.set.store(true, Ordering::SeqCst);
        let mut listeners = self.listeners();
        listeners.retain(|listener| listener.strong_count() > 0);
        let live: Vec<Arc<Listener>> = listeners.iter().filter_map(Weak::upgrade).collect();
        drop(listeners);
        live.iter().for_each(|listener| listener());
    }

    /// Lets checks run again.
    pub fn clear(&self) {
        self.0.set.store(false, Ordering::SeqCst);
    }

    /// Whether checks are to stop.
    pub fn is_set(&self) -> bool {
        self.0.set.load(Ordering::Relaxed)
    }

    /// Calls the listener, on the setting thread, whenever the interrupt is set, for as long as the
    /// caller keeps it alive.
    pub fn on_set(&self, listener: &Arc<Listener>) {
        self.listeners().push(Arc::downgrade(listener));
    }

    fn listeners(&self) -> MutexGuard<'_, Vec<Weak<Listener>>> {
        // A list of pointers is whole even after a panic.
        let listeners = &self.0.listeners;
        listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Interrupt").field(&self.is_set()).finish()
    }
}

/// An incremental solver.
///
/// Assertions live on a stack of scopes. After `Sat` a model is there until the next call that
/// changes the assertions; after `Unsat` likewise a core of the assumptions.
pub trait Solver {
    /// The solver's name and version, as shown to people.
    fn name(&self) -> String;

    /// What it can do; the same for its whole life.
    fn capabilities(&self) -> Capabilities;

    /// Makes a variable known before its first use. Variables declare themselves on first use;
    /// this is for those that should have a place in the model even when nothing mentions them.
    fn declare(&mut self, variable: Term) -> Result<(), SolveError>;

    /// Adds a Boolean term to the current scope.
    fn assert(&mut self, formula: Term) -> Result<(), SolveError>;

    /// Opens a scope.
    fn push(&mut self) -> Result<(), SolveError>;

    /// Closes the innermost `scopes` scopes and forgets what was asserted in them.
    fn pop(&mut self, scopes: usize) -> Result<(), SolveError>;

    /// Are the assertions satisfiable together with the assumptions (Boolean terms)?
    fn check(&mut self, assumptions: &[Term]) -> Result<Answer, SolveError>;

    /// A term's value in the model of the last check, which answered `Sat`. The values of one
    /// model agree with each other; a variable that nothing constrains gets some value.
    fn value(&mut self, term: Term) -> Result<Value, SolveError>;

    /// A subset of the last check's assumptions, in their order, with which it is already
    /// `Unsat`; small, but not minimal.
    fn core(&mut self) -> Result<Vec<Term>, SolveError>;

    /// Limits every later check.
    fn set_budget(&mut self, budget: Budget);

    /// The handle that stops this solver's checks from another thread.
    fn interrupt(&self) -> Interrupt;

    /// What it has done so far.
    fn statistics(&self) -> Statistics;

    /// A core of which every member is needed: each is left out in turn and the rest checked
    /// again. A member whose check ends in `Unknown` stays, and then the core may not be minimal;
    /// the flag tells which. It makes checks of its own: afterwards no model or core is there that
    /// the caller can rely on.
    fn minimal_core(&mut self) -> Result<(Vec<Term>, bool), SolveError> {
        let mut core = self.core()?;
        let mut minimal = true;
        let mut needed = 0;
        while needed < core.len() {
            let mut rest = core.clone();
            rest.remove(needed);
            match self.check(&rest)? {
                Answer::Unsat => {
                    // Members found needed stay needed in every subset.
                    let smaller = self.core()?;
                    core.retain(|member| smaller.contains(member));
                }
                Answer::Sat => needed += 1,
                Answer::Unknown(_) => {
                    minimal = false;
                    needed += 1;
                }
            }
        }
        Ok((core, minimal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_calls_its_listeners_while_they_live() {
        let (interrupt, heard) = (Interrupt::default(), Arc::new(AtomicBool::new(false)));
        let hearing = heard.clone();
        let listener: Arc<Listener> = Arc::new(move || hearing.store(true, Ordering::SeqCst));
        interrupt.on_set(&listener);
        interrupt.clone().set();
        assert!(interrupt.is_set() && heard.swap(false, Ordering::SeqCst));
        drop(listener);
        interrupt.set();
        assert!(!heard.load(Ordering::SeqCst));
    }
}
