//! Samples drawn by a solver (symbolic abstraction, after Reps, Sagiv and Yorsh 2004).
//!
//! A solver is asked for a run of a few steps that breaks some of the facts that the samples so far
//! agree with; its states become samples, until there is no such run. Each run breaks a class of
//! equal variables in two or more, so that this ends soon.

use super::guess::rigid;
use super::samples::Samples;
use crate::engine::cost;
use crate::frames::Frames;
use proofmark_model::{System, Term};
use proofmark_solve::{Answer, Budget, SolveError, Solver};

pub struct Draw<'s> {
    frames: Frames<'s>,
    pub samples: Samples,
    left_over: usize,
}

/// The last step of the runs.
const LAST: u32 = 3;
/// Runs that are asked for.
const RUNS: usize = 60;
/// The effort that a run may take.
const EFFORT: u64 = 5_000;

impl<'s> Draw<'s> {
    pub fn new(
        system: &'s System,
        samples: Samples,
        solver: Box<dyn Solver>,
    ) -> Result<Draw<'s>, SolveError> {
        let mut frames = Frames::new(system, solver);
        frames.assert_init()?;
        for step in 1..=LAST {
            frames.assert_step(step)?;
        }
        Ok(Draw {
            frames,
            samples,
            left_over: RUNS,
        })
    }

    pub fn spent(&self) -> u64 {
        cost(&*self.frames.solver)
    }

    /// Asks for one run; true when there are enough.
    pub fn step(&mut self) -> Result<bool, SolveError> {
        if self.left_over == 0 {
            return Ok(true);
        }
        self.left_over -= 1;
        let mut broken = Vec::new();
        for fact in rigid(&self.samples) {
            for step in 0..=LAST {
                broken.push(self.frames.at(fact, step).not());
            }
        }
        self.frames.solver.set_budget(Budget {
            effort: Some(EFFORT),
            time: None,
        });
        match self.frames.solver.check(&[Term::or(&broken)])? {
            Answer::Unsat | Answer::Unknown(_) => Ok(true),
            Answer::Sat => {
                let trace = self.frames.states(LAST)?;
                self.samples.add(&trace, trace.len());
                Ok(false)
            }
        }
    }
}
