//! Runs a session on the embedded solver and examines every answer.
//!
//! A model is evaluated, twice: by the solver's own values and by an evaluator that is told nothing
//! but the values of variables and applications. A core is solved again by a fresh solver without
//! preprocessing. Every answer is compared with those of fresh solvers that see the same formulas
//! at once, and with what the judges say. A panic is a failure like any other.

use super::session::{Call, Session, mentioned};
use crate::{Answer, Budget, Embedded, EmbeddedOptions, SolveError, Solver};
use proofmark_model::{Environment, Evaluator, Function, Op, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Somebody with an opinion on whether formulas are satisfiable together.
pub trait Judge {
    fn name(&self) -> String;

    /// `None` when it does not know.
    fn satisfiable(&mut self, formulas: &[Term]) -> Option<bool>;
}

/// What kind of failure; a failure is shrunk to a smaller one of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The model does not satisfy the formulas, or contradicts itself.
    Model,
    /// The core holds what was not assumed, or is satisfiable, or is not minimal.
    Core,
    /// Two solvers disagree.
    Answer,
    /// An error where there is no reason for one.
    Error,
    Panic,
    /// A check took much longer than it may.
    Slow,
    /// No answer where a judge has one.
    Ignorance,
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub kind: Kind,
    pub what: String,
}

fn fail<T>(kind: Kind, what: impl Into<String>) -> Result<T, Failure> {
    Err(Failure {
        kind,
        what: what.into(),
    })
}

fn unexpected(error: SolveError) -> Failure {
    Failure {
        kind: Kind::Error,
        what: error.to_string(),
    }
}

/// How many checks ended how.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    pub sat: u64,
    pub unsat: u64,
    /// With the full effort; less effort is not counted.
    pub unknown: u64,
    /// Of those, how many a judge decided.
    pub decided_elsewhere: u64,
    /// How many `Unsat` answers a judge confirmed.
    pub confirmed: u64,
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.decided_elsewhere += other.decided_elsewhere;
        self.confirmed += other.confirmed;
    }

    pub fn checks(&self) -> u64 {
        self.sat + self.unsat + self.unknown
    }
}

/// The backstop of a check whose effort is dear.
const LONGEST: Duration = Duration::from_secs(1);
/// A check that takes so much longer does not look at the clock.
const PATIENCE: u32 = 10;

/// How a session is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Demands {
    /// The most effort of a check.
    pub effort: u64,
    /// Whether it is a failure not to know what a judge knows.
    pub knowledge: bool,
}

/// Runs a session.
pub fn run(
    session: &Session,
    demands: Demands,
    judges: &mut [Box<dyn Judge>],
) -> Result<Tally, Failure> {
    let run = AssertUnwindSafe(|| Trial::new(demands, judges).run(session));
    catch_unwind(run).unwrap_or_else(|panic| fail(Kind::Panic, message(&*panic)))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_string()
}

struct Trial<'j> {
    solver: Embedded,
    /// The assertions of each open scope.
    scopes: Vec<Vec<Term>>,
    effort: u64,
    demands: Demands,
    /// The formulas of the last check, if it answered `Sat`.
    model_of: Option<Vec<Term>>,
    /// A minimal core was made since the last check, by checks of its own.
    stirred: bool,
    judges: &'j mut [Box<dyn Judge>],
    tally: Tally,
}

impl<'j> Trial<'j> {
    fn new(demands: Demands, judges: &'j mut [Box<dyn Judge>]) -> Trial<'j> {
        let mut solver = Embedded::default();
        solver.set_budget(budget(demands.effort));
        Trial {
            solver,
            scopes: vec![Vec::new()],
            effort: demands.effort,
            demands,
            model_of: None,
            stirred: false,
            judges,
            tally: Tally::default(),
        }
    }

    fn run(mut self, session: &Session) -> Result<Tally, Failure> {
        for call in &session.0 {
            match call {
                Call::Declare(term) if term.as_var().is_none() => {}
                Call::Declare(term) => self.solver.declare(*term).map_err(unexpected)?,
                Call::Assert(term) => {
                    self.model_of = None;
                    self.solver.assert(*term).map_err(unexpected)?;
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.push(*term);
                    }
                }
                Call::Push => {
                    self.model_of = None;
                    self.solver.push().map_err(unexpected)?;
                    self.scopes.push(Vec::new());
                }
                Call::Pop(scopes) => self.pop(*scopes)?,
                Call::Check(assumptions) => {
                    self.check(assumptions)?;
                }
                Call::MinimalCore(assumptions) => {
                    if self.check(assumptions)? == Answer::Unsat {
                        self.minimal_core()?;
                    }
                }
                Call::Value(term) => self.value(*term)?,
                Call::Effort(effort) => {
                    self.effort = (*effort).min(self.demands.effort);
                    self.solver.set_budget(budget(self.effort));
                }
            }
        }
        Ok(self.tally)
    }

    fn pop(&mut self, scopes: usize) -> Result<(), Failure> {
        let popped = self.solver.pop(scopes);
        if scopes >= self.scopes.len() {
            return match popped {
                Err(SolveError::Misuse(_)) => Ok(()),
                other => fail(Kind::Error, format!("a pop of too many scopes: {other:?}")),
            };
        }
        self.model_of = None;
        self.scopes.truncate(self.scopes.len() - scopes);
        popped.map_err(unexpected)
    }

    fn active(&self) -> Vec<Term> {
        self.scopes.concat()
    }

    fn check(&mut self, assumptions: &[Term]) -> Result<Answer, Failure> {
        self.model_of = None;
        self.stirred = false;
        let started = Instant::now();
        let answer = self.solver.check(assumptions).map_err(unexpected)?;
        if started.elapsed() > PATIENCE * LONGEST {
            return fail(Kind::Slow, format!("a check took {:?}", started.elapsed()));
        }
        let mut formulas = self.active();
        formulas.extend(assumptions);
        match answer {
            Answer::Sat => {
                self.tally.sat += 1;
                verify_model(&mut self.solver, &formulas)?;
                self.compare(&formulas, true)?;
                self.model_of = Some(formulas);
            }
            Answer::Unsat => {
                self.tally.unsat += 1;
                let core = self.solver.core().map_err(unexpected)?;
                self.verify_core(assumptions, &core)?;
                self.compare(&formulas, false)?;
                let confirmed = self.ask_judges(&formulas)?;
                self.tally.confirmed += u64::from(confirmed);
            }
            Answer::Unknown(_) if self.effort < self.demands.effort => {}
            Answer::Unknown(_) => {
                self.tally.unknown += 1;
                let known = self
                    .judges
                    .iter_mut()
                    .any(|judge| judge.satisfiable(&formulas).is_some());
                self.tally.decided_elsewhere += u64::from(known);
                if known && self.demands.knowledge {
                    return fail(Kind::Ignorance, "unknown, but known to another");
                }
            }
        }
        Ok(answer)
    }

    /// Fresh solvers, with and without preprocessing, agree with an answer.
    fn compare(&self, formulas: &[Term], satisfiable: bool) -> Result<(), Failure> {
        for preprocessing in [true, false] {
            let mut fresh = fresh(formulas, preprocessing, self.demands.effort)?;
            match (fresh.check(&[]).map_err(unexpected)?, satisfiable) {
                (Answer::Unsat, true) | (Answer::Sat, false) => {
                    let words = |sat| if sat { "sat" } else { "unsat" };
                    return fail(
                        Kind::Answer,
                        format!(
                            "{} in the session, {} at once, preprocessing {preprocessing}",
                            words(satisfiable),
                            words(!satisfiable)
                        ),
                    );
                }
                (Answer::Sat, true) => verify_model(&mut fresh, formulas)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn verify_core(&mut self, assumptions: &[Term], core: &[Term]) -> Result<(), Failure> {
        let mut rest = assumptions.iter();
        if !core.iter().all(|member| rest.any(|other| other == member)) {
            return fail(
                Kind::Core,
                format!("{core:?} is no subset of {assumptions:?}, in its order"),
            );
        }
        let mut formulas = self.active();
        formulas.extend(core);
        let mut fresh = fresh(&formulas, false, self.demands.effort)?;
        if fresh.check(&[]).map_err(unexpected)? == Answer::Sat {
            return fail(Kind::Core, format!("the core {core:?} is satisfiable"));
        }
        if core.len() < assumptions.len() {
            self.ask_judges(&formulas)?;
        }
        Ok(())
    }

    fn minimal_core(&mut self) -> Result<(), Failure> {
        self.stirred = true;
        let before = self.solver.core().map_err(unexpected)?;
        let (core, minimal) = self.solver.minimal_core().map_err(unexpected)?;
        self.verify_core(&before, &core)?;
        if !minimal {
            return Ok(());
        }
        for left_out in 0..core.len() {
            let mut formulas = self.active();
            formulas.extend(&core[..left_out]);
            formulas.extend(&core[left_out + 1..]);
            let mut fresh = fresh(&formulas, true, self.demands.effort)?;
            if fresh.check(&[]).map_err(unexpected)? == Answer::Unsat {
                return fail(
                    Kind::Core,
                    format!("{core:?} is not minimal: {left_out} is not needed"),
                );
            }
        }
        Ok(())
    }

    fn value(&mut self, term: Term) -> Result<(), Failure> {
        let value = self.solver.value(term);
        match (&self.model_of, value) {
            (None, _) if self.stirred => Ok(()),
            (None, Err(SolveError::Misuse(_))) => Ok(()),
            (None, other) => fail(Kind::Error, format!("a value without a model: {other:?}")),
            (Some(_), Err(error)) => Err(unexpected(error)),
            (Some(formulas), Ok(value)) => {
                let mut formulas = formulas.clone();
                formulas.push(term.eq(Term::constant(value)));
                verify_model(&mut self.solver, &formulas)
            }
        }
    }

    /// Does any judge contradict that the formulas are unsatisfiable? Otherwise, does one confirm it?
    fn ask_judges(&mut self, formulas: &[Term]) -> Result<bool, Failure> {
        let mut confirmed = false;
        for judge in self.judges.iter_mut() {
            match judge.satisfiable(formulas) {
                Some(true) => {
                    return fail(Kind::Answer, format!("unsat, but sat by {}", judge.name()));
                }
                Some(false) => confirmed = true,
                None => {}
            }
        }
        Ok(confirmed)
    }
}

fn budget(effort: u64) -> Budget {
    Budget {
        effort: Some(effort),
        time: Some(LONGEST),
    }
}

fn fresh(formulas: &[Term], preprocessing: bool, effort: u64) -> Result<Embedded, Failure> {
    let mut solver = Embedded::new(EmbeddedOptions { preprocessing });
    solver.set_budget(budget(effort));
    for formula in formulas {
        solver.assert(*formula).map_err(unexpected)?;
    }
    Ok(solver)
}

/// The values of variables and of applications, as the solver gave them out.
#[derive(Default)]
struct Given {
    variables: FxHashMap<Term, Value>,
    functions: FxHashMap<(Function, Vec<Value>), Value>,
}

impl Environment for Given {
    fn variable(&self, variable: Term) -> Option<Value> {
        self.variables.get(&variable).cloned()
    }

    fn function(&self, function: Function, args: &[Value]) -> Option<Value> {
        self.functions.get(&(function, args.to_vec())).cloned()
    }
}

/// Checks that the solver's present model satisfies formulas.
fn verify_model(solver: &mut Embedded, formulas: &[Term]) -> Result<(), Failure> {
    let given = given(solver, formulas)?;
    let mut evaluator = Evaluator::new(&given);
    for formula in formulas {
        let own = solver.value(*formula).map_err(unexpected)?;
        if own != Value::Bool(true) {
            return fail(Kind::Model, format!("{formula:?} is {own} in its model"));
        }
        match evaluator.value(*formula) {
            Ok(Value::Bool(true)) => {}
            Ok(other) => {
                return fail(Kind::Model, format!("{formula:?} evaluates to {other}"));
            }
            Err(open) => return fail(Kind::Model, format!("{open:?} has no value")),
        }
    }
    Ok(())
}

fn given(solver: &mut Embedded, formulas: &[Term]) -> Result<Given, Failure> {
    let mut given = Given::default();
    for variable in mentioned(formulas.iter().copied()).variables {
        let value = value_of(solver, variable)?;
        given.variables.insert(variable, value);
    }
    for application in applications(formulas) {
        let Op::Apply(function) = application.op() else {
            continue;
        };
        let mut args = Vec::new();
        for arg in application.args() {
            args.push(value_of(solver, *arg)?);
        }
        let value = value_of(solver, application)?;
        let key = (*function, args);
        if let Some(known) = given.functions.insert(key.clone(), value.clone())
            && known != value
        {
            return fail(Kind::Model, format!("{key:?} is both {known} and {value}"));
        }
    }
    Ok(given)
}

/// A term's value, which must be one of the term's sort.
fn value_of(solver: &mut Embedded, term: Term) -> Result<Value, Failure> {
    let value = solver.value(term).map_err(unexpected)?;
    let proper = match &value {
        Value::Int(number) => number.is_integer(),
        Value::Enum(sort, index) => (*index as usize) < sort.values().len(),
        _ => true,
    };
    if !proper || value.sort() != term.sort() {
        return fail(Kind::Model, format!("{term:?} has the value {value:?}"));
    }
    Ok(value)
}

fn applications(formulas: &[Term]) -> Vec<Term> {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut stack = formulas.to_vec();
    let mut found = Vec::new();
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            stack.extend(term.args());
            found.extend(matches!(term.op(), Op::Apply(_)).then_some(term));
        }
    }
    found
}
