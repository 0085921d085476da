//! Invariant generation: guess from runs, keep what is inductive.
//!
//! Runs of the system (`samples`) show which facts might hold in every state; what no run contradicts
//! is a candidate (`guess`), and `houdini` finds out which of them are inductive together. This is
//! done in three waves, each on top of what those before have found. The first takes a few random runs
//! and simple facts, and is over in no time. When that is not enough, more runs are drawn, by a solver
//! where random inputs miss them (`draw`); the second wave tries the rigid facts that are left then,
//! which are few, and the third the rich ones, which are many.
//!
//! Advice, the invariants of a former run, joins the guesses of the first wave and is treated like
//! them; where it needed deeper inductions, more rounds follow.

mod draw;
mod forms;
mod guess;
mod houdini;
mod samples;

use self::draw::Draw;
use self::houdini::Houdini;
use self::samples::{Runs, Samples};
use crate::engine::{Engine, Finding, MakeSolver, Message, Progress};
use proofmark_model::{Invariant, Program, System, Term};
use proofmark_solve::{SolveError, Solver};
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};

/// Makes the solvers that an engine needs on its way.
pub type SolverFactory<'s> = Box<dyn Fn() -> Result<Box<dyn Solver>, SolveError> + 's>;

pub struct InvariantGeneration<'s> {
    system: &'s System,
    program: &'s Program,
    solver_factory: SolverFactory<'s>,
    stage: Stage<'s>,
    /// What solvers that are no longer needed have cost.
    spent: u64,
}

enum Stage<'s> {
    Simple(Box<Houdini<'s>>),
    Drawing(Box<Draw<'s>>, FxHashSet<Term>),
    Rigid(Box<Houdini<'s>>, Box<Samples>),
    Rich(Box<Houdini<'s>>),
    Done,
}

/// The last depth that is tried for guesses.
const DEEPEST: u32 = 2;
/// The last depth that is tried for advice.
const DEEPEST_ADVISED: u32 = 10;

const FIRST_RUNS: Runs = Runs {
    count: 12,
    patient: false,
};
const MORE_RUNS: Runs = Runs {
    count: 36,
    patient: true,
};

impl<'s> InvariantGeneration<'s> {
    pub fn new(
        system: &'s System,
        program: &'s Program,
        advice: &[Invariant],
        solver_factory: SolverFactory<'s>,
    ) -> Result<InvariantGeneration<'s>, SolveError> {
        let samples = Samples::draw(system, program, FIRST_RUNS);
        let mut facts = guess::simple(system, &samples);
        let advised = advice.iter().map(|invariant| invariant.term);
        let guessed: FxHashSet<Term> = facts.iter().copied().collect();
        facts.extend(advised.filter(|term| !guessed.contains(term)));
        let depths = advice.iter().map(|invariant| invariant.k);
        let advised = depths.max().unwrap_or(0).min(DEEPEST_ADVISED);
        let deepest = advised.max(DEEPEST);
        let lemmas = FxHashSet::default();
        let houdini = Houdini::new(
            system,
            facts,
            lemmas,
            deepest,
            solver_factory()?,
            solver_factory()?,
        )?;
        Ok(InvariantGeneration {
            system,
            program,
            solver_factory,
            stage: Stage::Simple(Box::new(houdini)),
            spent: 0,
        })
    }

    /// What comes after a stage that is done.
    fn next(&mut self) -> Result<(), SolveError> {
        self.spent = self.spent();
        self.stage = match std::mem::replace(&mut self.stage, Stage::Done) {
            Stage::Simple(houdini) => {
                let samples = Samples::draw(self.system, self.program, MORE_RUNS);
                let draw = Draw::new(self.system, samples, (self.solver_factory)()?)?;
                Stage::Drawing(Box::new(draw), houdini.into_lemmas())
            }
            Stage::Drawing(draw, lemmas) => {
                let samples = Box::new(draw.samples);
                Stage::Rigid(self.houdini(guess::rigid(&samples), lemmas)?, samples)
            }
            Stage::Rigid(houdini, samples) => {
                let facts = guess::rich(self.system, &samples);
                Stage::Rich(self.houdini(facts, houdini.into_lemmas())?)
            }
            Stage::Rich(_) | Stage::Done => Stage::Done,
        };
        Ok(())
    }

    fn houdini(
        &self,
        facts: Vec<Term>,
        lemmas: FxHashSet<Term>,
    ) -> Result<Box<Houdini<'s>>, SolveError> {
        let (base, step) = ((self.solver_factory)()?, (self.solver_factory)()?);
        let houdini = Houdini::new(self.system, facts, lemmas, DEEPEST, base, step)?;
        Ok(Box::new(houdini))
    }
}

/// The effort of one step when this is the only engine.
const STEP_EFFORT: u64 = 10_000;

/// Invariants that come at little cost, whatever they are good for: those of the first wave, as far
/// as it gets in some time and so many steps.
pub fn simple_invariants(
    system: &System,
    program: &Program,
    make_solver: &MakeSolver<'_>,
    time: Duration,
    most_steps: usize,
) -> Result<Vec<Invariant>, SolveError> {
    let start = Instant::now();
    let solver_factory = Box::new(make_solver);
    let mut engine = InvariantGeneration::new(system, program, &[], solver_factory)?;
    let mut found = Vec::new();
    let mut steps = 0;
    let is_over = |steps| steps >= most_steps || start.elapsed() >= time;
    while matches!(engine.stage, Stage::Simple(_)) && !is_over(steps) {
        steps += 1;
        engine.step(STEP_EFFORT, &mut |finding| {
            if let Finding::Invariants(invariants) = finding {
                found.extend(invariants);
            }
        })?;
    }
    Ok(found)
}

impl Engine for InvariantGeneration<'_> {
    fn name(&self) -> &'static str {
        "invariant-generation"
    }

    fn hear(&mut self, message: &Message) -> Result<(), SolveError> {
        let Message::Invariants(invariants) = message else {
            return Ok(());
        };
        for invariant in invariants {
            match &mut self.stage {
                Stage::Simple(houdini) | Stage::Rigid(houdini, _) | Stage::Rich(houdini) => {
                    houdini.hear(invariant.term)?
                }
                Stage::Drawing(_, lemmas) => {
                    lemmas.insert(invariant.term);
                }
                Stage::Done => {}
            }
        }
        Ok(())
    }

    fn step(
        &mut self,
        effort: u64,
        report: &mut dyn FnMut(Finding),
    ) -> Result<Progress, SolveError> {
        let done = match &mut self.stage {
            Stage::Simple(houdini) | Stage::Rigid(houdini, _) | Stage::Rich(houdini) => {
                houdini.step(effort, report)?;
                houdini.is_done()
            }
            Stage::Drawing(draw, _) => draw.step()?,
            Stage::Done => return Ok(Progress::Waiting),
        };
        if done {
            self.next()?;
        }
        Ok(Progress::More)
    }

    fn depth(&self) -> u32 {
        match &self.stage {
            Stage::Simple(houdini) | Stage::Rigid(houdini, _) | Stage::Rich(houdini) => houdini.k(),
            Stage::Drawing(..) | Stage::Done => DEEPEST,
        }
    }

    fn spent(&self) -> u64 {
        self.spent
            + match &self.stage {
                Stage::Simple(houdini) | Stage::Rigid(houdini, _) | Stage::Rich(houdini) => {
                    houdini.spent()
                }
                Stage::Drawing(draw, _) => draw.spent(),
                Stage::Done => 0,
            }
    }
}
