//! Programs within a bound: which checks hold, and which mutants they notice.
//!
//! ```text
//! program ─▶ formula ─▶ solver ─▶ inputs ─▶ interpreter ─▶ a run that fails a check
//!   mutants   selectors    └────▶ LRAT ──────────────────▶ nothing fails within the bound
//! ```
//!
//! Nothing is believed that was not confirmed: a run counts when the interpreter, which knows no formula, fails a
//! check with the same inputs; that there is none counts when the LRAT checker has followed every step.

mod campaign;
mod check;
mod cofactor;
mod question;
mod random;

pub use campaign::{ProgramCampaign, ProgramFate, SubjectMutant, decide_mutants};
pub use check::{CheckedProgram, ProgramProperty, ProgramVerdict, check_program};
pub use proofmark_audit::program::{Action, End, Run as ProgramRun, RunInput, Step};

use proofmark_audit::lrat::Unconfirmed;
use proofmark_audit::program::{Record, Run, RunOptions, run_program};
use proofmark_engine::program::Stop;
use proofmark_model::program::{Bounds, Checks, MutantId, Program};
use proofmark_solve::Interrupt;
use std::time::{Duration, Instant};

/// What is asked of a program.
#[derive(Clone)]
pub struct ProgramOptions {
    /// Which checks count.
    pub checks: Checks,
    /// How far loops and calls go.
    pub bounds: Bounds,
    /// For one question to the solver.
    pub time: Option<Duration>,
    /// Ends everything.
    pub interrupt: Interrupt,
    /// The most nodes of a formula.
    pub most_nodes: usize,
}

/// Why there is no answer that anybody could trust.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProgramError {
    /// The proof of a solver is none.
    Unconfirmed(String),
    /// The interpreter does not fail where the formula says that it does.
    Disagreement(String),
}

impl std::fmt::Display for ProgramError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ProgramError::Unconfirmed(why) => write!(f, "an answer is not confirmed: {why}"),
            ProgramError::Disagreement(why) => {
                write!(f, "formula and interpreter disagree: {why}")
            }
        }
    }
}

impl std::error::Error for ProgramError {}

impl From<Unconfirmed> for ProgramError {
    fn from(why: Unconfirmed) -> ProgramError {
        ProgramError::Unconfirmed(why.to_string())
    }
}

/// Why something has no formula, for people.
fn no_formula(stop: &Stop) -> String {
    stop.to_string()
}

/// The most statements of a run that is replayed.
const MOST_STEPS: u64 = 50_000_000;

/// Runs a program on bytes that were found for it; when they do not suffice, zeros follow.
pub fn replay(
    program: &Program,
    options: &ProgramOptions,
    mutant: Option<MutantId>,
    inputs: &[Vec<u8>],
    record: Record,
) -> Run {
    let mut given = inputs.iter();
    let options = RunOptions {
        checks: &options.checks,
        bounds: &options.bounds,
        mutant,
        most_steps: MOST_STEPS,
        record,
    };
    run_program(program, &options, &mut |_| {
        given.next().cloned().unwrap_or_default()
    })
}

/// Programs nest, and so do those who walk over them.
const STACK: usize = 2 << 30;

fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, work) {
            Ok(handle) => match handle.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(error) => panic!("no thread for a program: {error}"),
        }
    })
}

/// When a deadline is.
fn deadline(options: &ProgramOptions) -> Option<Instant> {
    options.time.map(|time| Instant::now() + time)
}
