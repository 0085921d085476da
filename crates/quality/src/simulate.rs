//! A run of a system, step by step: what is given, and random values for the rest.
//!
//! What constraints demand is found by a solver. At each step it gets random values as assumptions and is
//! asked for as many of them as go together with the step before: what it finds in contradiction is given
//! up, so that relations and invariants need no luck. A step that has no values at all ends the run.

use crate::verify::VerifyError;
use proofmark_engine::Frames;
use proofmark_model::graph::integer_limits;
use proofmark_model::{Program, Sort, System, Term, Trace, Value, Variable};
use proofmark_solve::{Answer, Solver};
use rustc_hash::FxHashMap;

/// What a simulation is asked.
#[derive(Clone, Debug)]
pub struct SimulationRequest {
    /// How many steps at most.
    pub steps: usize,
    /// Where random values begin.
    pub seed: u64,
    /// Values that are given, step by step; nothing is demanded of the others.
    pub given: Vec<Vec<(Term, Value)>>,
}

/// A run, and why it ended early, if it did.
#[derive(Clone, Debug)]
pub struct SimulatedRun {
    /// Every variable at every step.
    pub trace: Trace,
    /// In words.
    pub stopped: Option<String>,
}

/// So many random values are given up one after the other before all are.
const TRIES: usize = 20;

/// Runs a system.
pub fn simulate(
    system: &System,
    request: &SimulationRequest,
    solver: Box<dyn Solver>,
) -> Result<SimulatedRun, VerifyError> {
    let program = Program::compile(system)?;
    let (first, later) = program.free();
    let mut dice = Dice::new(request.seed, system);
    let mut frames = Frames::new(system, solver);
    let mut rows = Trace::new(Vec::new());
    let mut stopped = None;
    for step in 0..request.steps {
        let at = step as u32;
        match step {
            0 => frames.assert_init()?,
            _ => frames.assert_step(at)?,
        }
        let free = if step == 0 { &first } else { &later };
        let given = request.given.get(step).map_or(&[][..], Vec::as_slice);
        for (variable, value) in given {
            frames.assert_at((*variable).eq(Term::constant(value.clone())), at)?;
        }
        let mut wishes = Vec::new();
        for variable in free {
            if let Some(value) = dice.value(*variable) {
                wishes.push(frames.at((*variable).eq(Term::constant(value)), at));
            }
        }
        if let Some(why) = settle(&mut frames, wishes)? {
            let guided = if given.is_empty() {
                ""
            } else {
                " with the given values"
            };
            stopped = Some(format!("{why} at step {step}{guided}"));
            break;
        }
        rows = frames.trace(at)?;
        for variable in free {
            if let Some(value) = rows.value(*variable, step).cloned() {
                frames.assert_at((*variable).eq(Term::constant(value)), at)?;
            }
        }
    }
    // The simulator has the last word.
    let (trace, outcome) = program.machine().run(&rows);
    if let Some(step) = outcome.broken_at() {
        return Err(VerifyError::Audit {
            property: "the run".into(),
            what: format!("a constraint is violated at step {step}"),
        });
    }
    Ok(SimulatedRun { trace, stopped })
}

/// Finds values for a step with as many wishes as it can; or says why there are none.
fn settle(frames: &mut Frames<'_>, mut wishes: Vec<Term>) -> Result<Option<String>, VerifyError> {
    for _ in 0..TRIES {
        match frames.solver.check(&wishes)? {
            Answer::Sat => return Ok(None),
            Answer::Unknown(why) => return Ok(Some(format!("the solver has no answer ({why})"))),
            Answer::Unsat => {
                let core = frames.solver.core()?;
                let Some(gone) = core.first().copied() else {
                    return Ok(Some("there is no next state".into()));
                };
                wishes.retain(|wish| *wish != gone);
            }
        }
    }
    match frames.solver.check(&[])? {
        Answer::Sat => Ok(None),
        Answer::Unsat => Ok(Some("there is no next state".into())),
        Answer::Unknown(why) => Ok(Some(format!("the solver has no answer ({why})"))),
    }
}

/// Random values (xorshift); the same seed gives the same run.
struct Dice {
    state: u64,
    limits: FxHashMap<Term, (i64, i64)>,
}

impl Dice {
    fn new(seed: u64, system: &System) -> Dice {
        let demanded = integer_limits(system);
        let limits = system.variables().iter().filter_map(|variable: &Variable| {
            let demanded = demanded.get(&variable.current);
            let demanded = demanded.map(|(low, high)| (*low as i64, *high as i64));
            let declared = || {
                let bounds = variable.bounds.as_ref()?;
                Some((bounds.low.to_i64()?, bounds.high.to_i64()?))
            };
            Some((variable.current, demanded.or_else(declared)?))
        });
        Dice {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            limits: limits.collect(),
        }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn value(&mut self, variable: Term) -> Option<Value> {
        let random = self.next();
        Some(match variable.sort() {
            Sort::Bool => Value::Bool(random & 1 == 1),
            Sort::Int => {
                let (low, high) = self.limits.get(&variable).copied().unwrap_or((-8, 8));
                let width = high.saturating_sub(low).saturating_add(1).max(1);
                Value::Int((low + (random % width as u64) as i64).into())
            }
            Sort::Enum(sort) => Value::Enum(sort, (random % sort.values().len() as u64) as u32),
            Sort::BitVec(width) => {
                let bits = random & (u64::MAX >> (64 - width.min(48)));
                Term::bitvec(width, bits).as_const()?.clone()
            }
            // Any number would do; the solver takes a simple one.
            Sort::Real => return None,
        })
    }
}
