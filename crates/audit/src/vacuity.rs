//! Do the assumptions of a system contradict each other?
//!
//! When no first state satisfies them, or none that can be followed by another, a property that is not
//! refuted at the first step is worth nothing. Without constraints nothing can be contradictory. With some, the
//! simulator is asked first, about the run in which all that is free has its default: that is
//! nothing to a solver's cost, and often enough.
//!
//! Assumptions that accept a run for two steps and block it later are not found here: that takes the
//! engines (`quality`'s `deadlock`).

use crate::audit::OpenSolver;
use proofmark_model::{Phase, Program, System, Trace, Unroller};
use proofmark_solve::{Answer, Budget, SolveError};
use std::time::{Duration, Instant};

/// What is known of a system's assumptions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Assumptions {
    /// There is a run of two steps.
    Consistent,
    /// No first state satisfies them.
    NoFirstState,
    /// There are first states, and none has a successor.
    NoNextState,
    /// No solver gave an answer.
    Unknown {
        /// Why there is none.
        why: String,
    },
}

impl Assumptions {
    /// Why every property of the system is vacuous, if it is.
    pub fn contradiction(&self) -> Option<&'static str> {
        match self {
            Assumptions::NoFirstState => Some("no first state satisfies the assumptions"),
            Assumptions::NoNextState => Some("no first state has a successor in the assumptions"),
            Assumptions::Consistent | Assumptions::Unknown { .. } => None,
        }
    }
}

/// Whether a system, compiled as this program, has runs at all.
pub fn vacuity(
    system: &System,
    program: &Program,
    open: &OpenSolver<'_>,
    time: Option<Duration>,
) -> Result<Assumptions, SolveError> {
    let mut elements = system.elements().iter();
    let constrained = elements.any(|element| element.target().is_none());
    if !constrained || default_run_exists(program) {
        return Ok(Assumptions::Consistent);
    }
    match ask(system, open, time) {
        Err(SolveError::Unsupported { why, .. }) => Ok(Assumptions::Unknown { why }),
        answer => answer,
    }
}

fn default_run_exists(program: &Program) -> bool {
    let mut trace = Trace::new(Vec::new());
    let steps = (0..2).try_for_each(|_| trace.push(Vec::new()));
    // A judge would stop when every property is false, before the second step.
    steps.is_ok() && program.machine().run(&trace).1.violated.is_empty()
}

fn ask(
    system: &System,
    open: &OpenSolver<'_>,
    time: Option<Duration>,
) -> Result<Assumptions, SolveError> {
    let deadline = time.and_then(|time| Instant::now().checked_add(time));
    let mut solver = open()?;
    let mut unroller = Unroller::new(system);
    let steps = [
        (Phase::Init, 0, Assumptions::NoFirstState),
        (Phase::Step, 1, Assumptions::NoNextState),
    ];
    for (phase, step, contradiction) in steps {
        for element in system.elements() {
            solver.assert(unroller.at(element.part(phase), step))?;
        }
        let time = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        solver.set_budget(Budget { effort: None, time });
        match solver.check(&[])? {
            Answer::Sat => {}
            Answer::Unsat => return Ok(contradiction),
            Answer::Unknown(why) => {
                let why = why.to_string();
                return Ok(Assumptions::Unknown { why });
            }
        }
    }
    Ok(Assumptions::Consistent)
}
