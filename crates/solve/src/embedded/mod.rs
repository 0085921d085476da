//! The embedded SMT solver: CDCL(T) over Booleans, linear integer and real arithmetic,
//! uninterpreted functions and bit-vectors.
//!
//! Assertions wait until a check or a push; then definitions are taken out of them (`bindings`),
//! the rest becomes clauses and bounds (`encode`, `gates`, `bits`), and the search begins (`sat`
//! with `arithmetic` at its side). A complete assignment is examined for what is decided lazily:
//! integrality (`integers`) and functions (`functions`). Each file is one technique.

mod arithmetic;
mod bindings;
mod bits;
mod delta;
mod encode;
mod functions;
mod gates;

mod integers;

mod model;
mod sat;
mod scoped;
mod sum;
mod tableau;

use self::bindings::Binder;
use self::encode::{Code, Encoder};
use self::integers::IntegerStep;
use self::model::{Model, concrete_delta, decode, sum_value};
use self::sat::SearchOutcome;
use crate::sat::limits::SearchLimits;
use crate::sat::literal::Lit;
use crate::solver::{Answer, Budget, Capabilities, Interrupt, SolveError, Solver, Statistics};
use proofmark_model::{Evaluator, Function, Op, Rational, Sort, Term, Value};
use rustc_hash::FxHashMap;

/// What the embedded solver does before it searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EmbeddedOptions {
    /// Take definitions out of the assertions.
    pub preprocessing: bool,
}

impl Default for EmbeddedOptions {
    fn default() -> Self {
        EmbeddedOptions {
            preprocessing: true,
        }
    }
}

/// The embedded solver.
pub struct Embedded {
    options: EmbeddedOptions,
    encoder: Encoder,
    binder: Binder,
    /// Asserted in the current scope, not yet encoded.
    waiting: Vec<Term>,
    depth: usize,
    interrupt: Interrupt,
    budget: Budget,
    checks: u64,
    last: Last,
}

/// What the last check left behind.
enum Last {
    Nothing,
    Model {
        delta: Rational,
        functions: FxHashMap<(Function, Vec<Value>), Value>,
        /// Values that were asked for, and of what they needed.
        known: FxHashMap<Term, Value>,
    },
    Core(Vec<Term>),
}

impl Default for Embedded {
    fn default() -> Self {
        Embedded::new(EmbeddedOptions::default())
    }
}

impl Embedded {
    /// A solver without assertions.
    pub fn new(options: EmbeddedOptions) -> Embedded {
        Embedded {
            options,
            encoder: Encoder::new(),
            binder: Binder::default(),
            waiting: Vec::new(),
            depth: 0,
            interrupt: Interrupt::default(),
            budget: Budget::default(),
            checks: 0,
            last: Last::Nothing,
        }
    }

    /// Encodes the assertions that wait. What cannot be encoded goes on waiting, and fails again
    /// at the next check: no assertion is ever lost.
    fn flush(&mut self) -> Result<(), SolveError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.encoder.sat.cancel_until(0);
        let waiting = std::mem::take(&mut self.waiting);
        let conjuncts = if self.options.preprocessing {
            {
                let Encoder {
                    bindings, codes, ..
                } = &mut self.encoder;
                self.binder
                    .bind(&waiting, bindings, |variable| codes.contains_key(&variable))
            }
        } else {
            waiting
        };
        for (at, &conjunct) in conjuncts.iter().enumerate() {
            if let Err(error) = self.assert_clauses(conjunct) {
                self.waiting = conjuncts[at..].to_vec();
                return Err(error);
            }
        }
        Ok(())
    }

    /// Asserts a formula, without a gate for its outermost operator.
    fn assert_clauses(&mut self, formula: Term) -> Result<(), SolveError> {
        let scope = self.encoder.sat.scope();
        let args = formula.args();
        match formula.op() {
            Op::And => {
                for &part in args {
                    let lit = self.encoder.literal(part)?;
                    self.encoder.sat.add_clause(&[lit], scope);
                }
            }
            Op::Or => {
                let clause = self.disjuncts(formula)?;
                self.encoder.sat.add_clause(&clause, scope);
            }
            Op::Eq if args[0].sort() == Sort::Bool => {
                let (a, b) = (
                    self.encoder.literal(args[0])?,
                    self.encoder.literal(args[1])?,
                );
                self.encoder.sat.add_clause(&[!a, b], scope);
                self.encoder.sat.add_clause(&[a, !b], scope);
            }
            Op::Ite => {
                let c = self.encoder.literal(args[0])?;
                let (a, b) = (
                    self.encoder.literal(args[1])?,
                    self.encoder.literal(args[2])?,
                );
                self.encoder.sat.add_clause(&[!c, a], scope);
                self.encoder.sat.add_clause(&[c, b], scope);
            }
            _ => {
                let lit = self.encoder.literal(formula)?;
                self.encoder.sat.add_clause(&[lit], scope);
            }
        }
        Ok(())
    }

    /// The literals of a disjunction, with disjunctions inside it opened.
    fn disjuncts(&mut self, formula: Term) -> Result<Vec<Lit>, SolveError> {
        let mut clause = Vec::new();
        let mut stack: Vec<Term> = vec![formula];
        while let Some(part) = stack.pop() {
            match part.op() {
                Op::Or => stack.extend(part.args().iter().rev()),
                Op::Not if *part.args()[0].op() == Op::And => {
                    stack.extend(part.args()[0].args().iter().rev().map(|arg| arg.not()));
                }
                _ => clause.push(self.encoder.literal(part)?),
            }
        }
        Ok(clause)
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Result<SearchOutcome, SolveError> {
        let limits = SearchLimits::new(self.interrupt.clone(), self.budget);
        self.encoder.sat.start();
        let mut round = 0;
        loop {
            match self.encoder.sat.search(assumptions, &limits) {
                SearchOutcome::Complete => {}
                outcome => return Ok(outcome),
            }
            if let Some(stop) = limits.reached() {
                return Ok(SearchOutcome::Stopped(stop));
            }
            if !self.refine(round)? {
                return Ok(SearchOutcome::Complete);
            }
            limits.spend(1);
            round += 1;
        }
    }

    /// Examines a complete assignment for what is decided lazily; true when there is something
    /// new to search.
    fn refine(&mut self, round: u64) -> Result<bool, SolveError> {
        match self.encoder.sat.theory.integer_step(round) {
            IntegerStep::Done => {}
            IntegerStep::Conflict(because) => {
                let clause: Vec<Lit> = because.iter().map(|lit| !*lit).collect();
                self.encoder.sat.add_clause(&clause, 0);
                return Ok(true);
            }
            IntegerStep::Branch { unknown, bound } => {
                // Towards zero: away from it a ray of solutions never ends.
                let down = !bound.is_negative();
                let at_most = self.encoder.atom(unknown, bound.into());
                self.encoder
                    .sat
                    .prefer(if down { at_most } else { !at_most });
                return Ok(true);
            }
            IntegerStep::Cut { because, sum } => {
                let cut = self.encoder.at_most_zero(&sum);
                let mut clause: Vec<Lit> = because.iter().map(|lit| !*lit).collect();
                clause.push(cut);
                self.encoder.sat.add_clause(&clause, 0);
                return Ok(true);
            }
        }
        let violations = functions::violations(&self.encoder);
        for &(a, b) in &violations {
            functions::add_congruence(&mut self.encoder, a, b)?;
        }
        Ok(!violations.is_empty())
    }

    /// Makes the model of the present assignment.
    fn take_model(&mut self) -> Last {
        let encoder = &self.encoder;
        let arguments = encoder
            .applications
            .iter()
            .flat_map(|application| application.term.args());
        let numbers = arguments.filter_map(|arg| encoder.code(*arg));
        let apart = numbers.filter(|code| matches!(code, Code::Sum(_)));
        let delta = concrete_delta(
            encoder,
            apart.map(|code| sum_value(encoder, code)).collect(),
        );
        let mut functions = FxHashMap::default();
        let value = |term: Term| {
            let code = encoder.code(term);
            code.map(|code| decode(encoder, code, term.sort(), &delta))
        };
        for application in &encoder.applications {
            let args: Option<Vec<Value>> = application
                .term
                .args()
                .iter()
                .map(|arg| value(*arg))
                .collect();
            if let (Some(args), Some(result)) = (args, value(application.term)) {
                functions.insert((application.function, args), result);
            }
        }
        Last::Model {
            delta,
            functions,
            known: FxHashMap::default(),
        }
    }
}

impl Solver for Embedded {
    fn name(&self) -> String {
        let how = match self.options.preprocessing {
            true => "",
            false => " without preprocessing",
        };
        format!("embedded {}{how}", env!("CARGO_PKG_VERSION"))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            arithmetic: true,
            nonlinear: false,
            functions: true,
            bit_vectors: true,
            cores: true,
            effort: true,
        }
    }

    fn declare(&mut self, variable: Term) -> Result<(), SolveError> {
        self.encoder.declare(variable);
        Ok(())
    }

    fn assert(&mut self, formula: Term) -> Result<(), SolveError> {
        if formula.sort() != Sort::Bool {
            return Err(SolveError::Misuse(format!(
                "an assertion is Boolean, not {}",
                formula.sort()
            )));
        }
        self.last = Last::Nothing;
        self.waiting.push(formula);
        Ok(())
    }

    fn push(&mut self) -> Result<(), SolveError> {
        self.last = Last::Nothing;
        self.flush()?;
        self.encoder.push();
        self.binder.push();
        self.depth += 1;
        Ok(())
    }

    fn pop(&mut self, scopes: usize) -> Result<(), SolveError> {
        if scopes > self.depth {
            return Err(SolveError::Misuse(format!(
                "cannot pop {scopes} of {} scopes",
                self.depth
            )));
        }
        if scopes > 0 {
            self.last = Last::Nothing;
            self.waiting.clear();
        }
        for _ in 0..scopes {
            self.encoder.pop();
            self.binder.pop(&mut self.encoder.bindings);
            self.depth -= 1;
        }
        Ok(())
    }

    fn check(&mut self, assumptions: &[Term]) -> Result<Answer, SolveError> {
        self.last = Last::Nothing;
        self.checks += 1;
        self.flush()?;
        self.encoder.sat.cancel_until(0);
        let mut lits = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            if assumption.sort() != Sort::Bool {
                return Err(SolveError::Misuse(format!(
                    "an assumption is Boolean, not {}",
                    assumption.sort()
                )));
            }
            self.binder.mention(assumption);
            lits.push(self.encoder.literal(assumption)?);
        }
        match self.solve(&lits)? {
            SearchOutcome::Complete => {
                self.last = self.take_model();
                Ok(Answer::Sat)
            }
            SearchOutcome::Unsat => {
                let core = &self.encoder.sat.core;
                let mut used = vec![];
                let mut terms = vec![];
                for (lit, term) in lits.iter().zip(assumptions) {
                    if core.contains(lit) && !used.contains(lit) {
                        used.push(*lit);
                        terms.push(*term);
                    }
                }
                self.last = Last::Core(terms);
                Ok(Answer::Unsat)
            }
            SearchOutcome::Stopped(stop) => Ok(Answer::Unknown(stop)),
        }
    }

    fn value(&mut self, term: Term) -> Result<Value, SolveError> {
        let Last::Model {
            delta,
            functions,
            known,
        } = &mut self.last
        else {
            let why = "a value needs a check that answered sat";
            return Err(SolveError::Misuse(why.into()));
        };
        let model = Model::new(&self.encoder, delta.clone(), functions);
        let mut evaluator = Evaluator::resume(&model, std::mem::take(known));
        let value = evaluator.value(term);
        *known = evaluator.into_known();
        value.map_err(|open| SolveError::Misuse(format!("{open:?} has no value")))
    }

    fn core(&mut self) -> Result<Vec<Term>, SolveError> {
        match &self.last {
            Last::Core(core) => Ok(core.clone()),
            _ => Err(SolveError::Misuse(
                "a core needs a check that answered unsat".into(),
            )),
        }
    }

    fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    fn statistics(&self) -> Statistics {
        let counters = self.encoder.sat.counters;
        Statistics {
            checks: self.checks,
            conflicts: counters.conflicts,
            decisions: counters.decisions,
            propagations: counters.propagations,
            pivots: self.encoder.sat.theory.pivots,
            restarts: counters.restarts,
        }
    }
}
