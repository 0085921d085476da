//! Random sessions with the solver of literals, and everything that judges the answers.
//!
//! Every answer is confirmed by the checker of proofs or by evaluating the model, compared with that
//! of a fresh solver that sees the same clauses at once, and every core is solved again by one. A
//! session that fails is shrunk. Proofs are also spoiled on purpose: what the checker still accepts
//! must be a proof, by a unit propagation that ignores the hints. Everything follows from a seed;
//! the tests and `cargo xtask fuzz sat` share it.

use super::{CheckedSolver, Checker};
use proofmark_solve::Budget;
use proofmark_solve::random::Random;
use proofmark_solve::sat::{Answer, Lit, ProofLog, Solver, Step, Var};
use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// A call of the solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Call {
    Clause(Vec<Lit>),
    Solve {
        assumptions: Vec<Lit>,
        constraint: Vec<Lit>,
    },
    /// Later questions may cost so many conflicts; `None` for any.
    Effort(Option<u64>),
    Simplify,
    Inprocess,
    Prefer(Lit),
}

/// Calls of a solver with so many variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    pub vars: usize,
    pub calls: Vec<Call>,
}

/// How many answers there were of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    pub satisfiable: u64,
    pub unsatisfiable: u64,
    pub unknown: u64,
    /// What the simplifications did.
    pub eliminated: u64,
    pub subsumed: u64,
    pub strengthened: u64,
    pub failed_literals: u64,
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        self.satisfiable += other.satisfiable;
        self.unsatisfiable += other.unsatisfiable;
        self.unknown += other.unknown;
        self.eliminated += other.eliminated;
        self.subsumed += other.subsumed;
        self.strengthened += other.strengthened;
        self.failed_literals += other.failed_literals;
    }
}

fn lits(random: &mut Random, vars: usize, sizes: &[usize]) -> Vec<Lit> {
    (0..random.pick(sizes))
        .map(|_| Var::new(random.below(vars) as u32).lit(random.chance(50)))
        .collect()
}

/// The clauses of a gate over lower variables: formulas with definitions are what is simplified most.
fn gate(random: &mut Random, vars: usize) -> Vec<Call> {
    let output = 2 + random.below(vars.max(3) - 2);
    let lit = |random: &mut Random, below: usize| {
        Var::new(random.below(below) as u32).lit(random.chance(50))
    };
    let (g, a) = (
        Var::new(output.min(vars - 1) as u32).positive(),
        lit(random, output.min(vars - 1).max(1)),
    );
    let b = lit(random, output.min(vars - 1).max(1));
    let clauses = if random.chance(60) {
        vec![vec![!g, a], vec![!g, b], vec![g, !a, !b]]
    } else {
        vec![
            vec![!g, a, b],
            vec![!g, !a, !b],
            vec![g, !a, b],
            vec![g, a, !b],
        ]
    };
    clauses.into_iter().map(Call::Clause).collect()
}

impl Session {
    /// Few calls with many conflicts: clauses are forgotten, and moved together.
    fn hard(mut random: Random) -> Session {
        let vars = 100 + random.below(70);
        let clause = |random: &mut Random| Call::Clause(lits(random, vars, &[3]));
        let mut calls: Vec<Call> = (0..vars * 4).map(|_| clause(&mut random)).collect();
        for _ in 0..4 {
            calls.push(Call::Solve {
                assumptions: lits(&mut random, vars, &[0, 1, 3]),
                constraint: lits(&mut random, vars, &[0, 2, 3]),
            });
            for _ in 0..vars / 10 {
                calls.push(clause(&mut random));
            }
        }
        Session { vars, calls }
    }

    /// The session of a seed.
    pub fn random(seed: u64) -> Session {
        let mut random = Random::new(seed);
        if random.chance(1) {
            return Session::hard(random);
        }
        let vars = 2 + random.pick(&[2, 5, 10, 20, 40, 80]) + random.below(10);
        let density = random.pick(&[1, 3, 4, 4, 5]);
        let mut calls = Vec::new();
        let rounds = 1 + random.below(8);
        for _ in 0..rounds {
            for _ in 0..1 + random.below(vars * density) / rounds {
                match random.below(100) {
                    0..=69 => calls.push(Call::Clause(lits(&mut random, vars, &[2, 3, 3, 3, 4]))),
                    70..=92 => calls.extend(gate(&mut random, vars)),
                    93 => calls.push(Call::Clause(lits(&mut random, vars, &[1, 1, 1, 8]))),
                    94 => calls.push(Call::Prefer(lits(&mut random, vars, &[1])[0])),
                    _ => {}
                }
            }
            if random.chance(30) {
                calls.push(Call::Simplify);
            }
            if random.chance(40) {
                calls.push(Call::Inprocess);
            }
            if random.chance(15) {
                calls.push(Call::Effort(Some(random.pick(&[0, 1, 5, 20]))));
            }
            for _ in 0..1 + random.below(3) {
                calls.push(Call::Solve {
                    assumptions: lits(&mut random, vars, &[0, 1, 2, 3, 6]),
                    constraint: lits(&mut random, vars, &[0, 0, 1, 2, 4]),
                });
            }
            calls.push(Call::Effort(None));
        }
        calls.push(Call::Solve {
            assumptions: Vec::new(),
            constraint: Vec::new(),
        });
        Session { vars, calls }
    }
}

/// Runs a session and examines every answer.
pub fn run(session: &Session) -> Result<Tally, String> {
    let run = AssertUnwindSafe(|| examine(session));
    catch_unwind(run).unwrap_or_else(|panic| Err(message(&*panic)))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panic: {}", text.unwrap_or("without a message"))
}

fn examine(session: &Session) -> Result<Tally, String> {
    let mut solver = CheckedSolver::new();
    for _ in 0..session.vars {
        solver.new_var();
    }
    let mut tally = Tally::default();
    let mut clauses: Vec<&[Lit]> = Vec::new();
    let mut effort = None;
    for call in &session.calls {
        match call {
            Call::Clause(clause) => {
                solver.add_clause(clause);
                clauses.push(clause);
            }
            Call::Effort(most) => {
                effort = *most;
                solver.solver().set_budget(Budget { effort, time: None });
            }
            Call::Simplify => solver.solver().simplify(),
            Call::Inprocess => solver.solver().inprocess(),
            Call::Prefer(lit) => solver.solver().prefer(*lit),
            Call::Solve {
                assumptions,
                constraint,
            } => {
                let answer = solver.solve_with(assumptions, constraint);
                let answer = answer.map_err(|fault| fault.to_string())?;
                let extra = (!constraint.is_empty()).then_some(&constraint[..]);
                let known = clauses.iter().copied().chain(extra);
                let known: Vec<&[Lit]> = known.collect();
                match answer {
                    Answer::Satisfiable => tally.satisfiable += 1,
                    Answer::Unsatisfiable => tally.unsatisfiable += 1,
                    Answer::Unknown if effort.is_none() => {
                        return Err("no answer without a limit".into());
                    }
                    Answer::Unknown => tally.unknown += 1,
                }
                compare(session.vars, &known, assumptions, answer)?;
                if answer == Answer::Unsatisfiable {
                    let core = solver.solver().core().to_vec();
                    compare(session.vars, &known, &core, answer)?;
                }
            }
        }
    }
    let counters = solver.solver().counters();
    tally.eliminated = counters.eliminated;
    tally.subsumed = counters.subsumed;
    tally.strengthened = counters.strengthened;
    tally.failed_literals = counters.failed_literals;
    Ok(tally)
}

/// Compares an answer with that of a fresh solver.
fn compare(vars: usize, known: &[&[Lit]], facts: &[Lit], answer: Answer) -> Result<(), String> {
    if answer == Answer::Unknown {
        return Ok(());
    }
    let mut fresh = Solver::new();
    fresh.set_inprocessing(false);
    for _ in 0..vars {
        fresh.new_var();
    }
    for clause in known {
        fresh.add_clause(clause);
    }
    for &lit in facts {
        fresh.add_clause(&[lit]);
    }
    let other = fresh.solve(&[]);
    if other == answer {
        return Ok(());
    }
    Err(format!(
        "the answer is {answer:?}, of a fresh solver {other:?}"
    ))
}

/// The least session that still fails, as far as leaving out calls and literals goes.
pub fn shrink(session: &Session) -> Session {
    let mut least = session.clone();
    let mut part = least.calls.len().div_ceil(2);
    while part > 0 {
        let mut at = 0;
        while at < least.calls.len() {
            let mut smaller = least.clone();
            let end = (at + part).min(smaller.calls.len());
            smaller.calls.drain(at..end);
            if run(&smaller).is_err() {
                least = smaller;
            } else {
                at += part;
            }
        }
        part /= 2;
    }
    for call in 0..least.calls.len() {
        while let Some(smaller) = without_a_literal(&least, call) {
            least = smaller;
        }
    }
    least
}

fn without_a_literal(session: &Session, call: usize) -> Option<Session> {
    let lists = |call: &Call| match call {
        Call::Clause(clause) => vec![clause.len()],
        Call::Solve {
            assumptions,
            constraint,
        } => vec![assumptions.len(), constraint.len()],
        _ => Vec::new(),
    };
    for (list, size) in lists(&session.calls[call]).into_iter().enumerate() {
        for at in 0..size {
            let mut smaller = session.clone();
            match (&mut smaller.calls[call], list) {
                (Call::Clause(lits), _) => lits.remove(at),
                (Call::Solve { assumptions, .. }, 0) => assumptions.remove(at),
                (Call::Solve { constraint, .. }, _) => constraint.remove(at),
                _ => return None,
            };
            if run(&smaller).is_err() {
                return Some(smaller);
            }
        }
    }
    None
}

impl fmt::Display for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = |lits: &[Lit]| {
            let words: Vec<String> = lits.iter().map(|lit| lit.to_dimacs().to_string()).collect();
            words.join(" ")
        };
        writeln!(f, "variables {}", self.vars)?;
        for call in &self.calls {
            match call {
                Call::Clause(clause) => writeln!(f, "clause {}", numbers(clause))?,
                Call::Effort(Some(effort)) => writeln!(f, "effort {effort}")?,
                Call::Effort(None) => writeln!(f, "effort any")?,
                Call::Simplify => writeln!(f, "simplify")?,
                Call::Inprocess => writeln!(f, "inprocess")?,
                Call::Prefer(lit) => writeln!(f, "prefer {}", lit.to_dimacs())?,
                Call::Solve {
                    assumptions,
                    constraint,
                } => {
                    let (assumptions, constraint) = (numbers(assumptions), numbers(constraint));
                    writeln!(f, "solve {assumptions} with {constraint}")?;
                }
            }
        }
        Ok(())
    }
}

/// A step of a proof, as the checker takes it.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Line {
    Original(u64, Vec<i32>),
    Derived(u64, Vec<i32>, Vec<u64>),
    Deleted(u64),
}

/// What became of a proof with one thing changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spoiled {
    /// The checker refused it.
    Refused,
    /// The checker accepted it, and each step follows indeed.
    StillAProof,
}

/// Makes a proof, changes one hint, literal, number or deletion, and checks it. An error when the
/// checker accepts a step that does not follow. `None` when the formula of the seed has no proof.
pub fn spoil(seed: u64) -> Option<Result<Spoiled, String>> {
    let mut random = Random::new(seed);
    let mut lines = proof(&mut random)?;
    change(&mut lines, &mut random);
    if !accepts(&lines) {
        return Some(Ok(Spoiled::Refused));
    }
    Some(match first_wrong(&lines) {
        None => Ok(Spoiled::StillAProof),
        Some(line) => Err(format!("accepted, and does not follow: {line:?}")),
    })
}

/// The proof that a random formula is unsatisfiable.
fn proof(random: &mut Random) -> Option<Vec<Line>> {
    let vars = 4 + random.below(16);
    let log = Arc::new(Mutex::new(ProofLog::default()));
    let mut solver = Solver::new();
    solver.log_proof(log.clone());
    for _ in 0..vars {
        solver.new_var();
    }
    for _ in 0..vars * 7 {
        solver.add_clause(&lits(random, vars, &[2, 3, 3, 3]));
    }
    if solver.solve(&[]) != Answer::Unsatisfiable {
        return None;
    }
    let log = log.lock().unwrap_or_else(PoisonError::into_inner);
    let numbers = |clause: &[Lit]| clause.iter().map(|lit| lit.to_dimacs()).collect();
    let lines = log.steps().map(|step| match step {
        Step::Original { id, clause } => Line::Original(id.into(), numbers(clause)),
        Step::Derived { id, clause, hints } => {
            let hints = hints.iter().map(|&hint| hint.into()).collect();
            Line::Derived(id.into(), numbers(clause), hints)
        }
        Step::Deleted { id } => Line::Deleted(id.into()),
    });
    Some(lines.collect())
}

fn change(lines: &mut Vec<Line>, random: &mut Random) {
    let derived: Vec<usize> = (0..lines.len())
        .filter(|&at| matches!(lines[at], Line::Derived(..)))
        .collect();
    let at = random.pick(&derived);
    let most = lines.len() as i64;
    let choice = random.below(8);
    match (&mut lines[at], choice) {
        (Line::Derived(_, _, hints), 0) if !hints.is_empty() => {
            hints.remove(random.below(hints.len()));
        }
        (Line::Derived(_, _, hints), 1) if !hints.is_empty() => {
            let place = random.below(hints.len());
            hints[place] = random.between(1, most) as u64;
        }
        (Line::Derived(_, _, hints), 2) => {
            let place = random.below(hints.len() + 1);
            hints.insert(place, random.between(1, most) as u64);
        }
        (Line::Derived(_, _, hints), 3) if hints.len() > 1 => {
            let place = random.below(hints.len() - 1);
            hints.swap(place, place + 1);
        }
        (Line::Derived(_, clause, _), 4) if !clause.is_empty() => {
            clause.remove(random.below(clause.len()));
        }
        (Line::Derived(_, clause, _), 5) if !clause.is_empty() => {
            let place = random.below(clause.len());
            clause[place] = -clause[place];
        }
        (Line::Derived(_, clause, _), 6) => {
            let literal = random.between(1, 20) as i32;
            clause.push(if random.chance(50) { literal } else { -literal });
        }
        // A clause goes too early.
        _ => lines.insert(at, Line::Deleted(random.between(1, most) as u64)),
    }
}

fn accepts(lines: &[Line]) -> bool {
    let mut checker = Checker::new();
    let all = lines.iter().all(|line| {
        let checked = match line {
            Line::Original(id, clause) => checker.add_original(*id, clause),
            Line::Derived(id, clause, hints) => checker.add_derived(*id, clause, hints),
            Line::Deleted(id) => checker.delete(*id),
        };
        checked.is_ok()
    });
    all && checker.is_refuted()
}

/// The first step that does not follow from what is there by any unit propagation.
fn first_wrong(lines: &[Line]) -> Option<&Line> {
    let mut clauses: Vec<(u64, &[i32])> = Vec::new();
    for line in lines {
        match line {
            Line::Original(id, clause) => clauses.push((*id, clause)),
            Line::Derived(id, clause, _) => {
                if !follows(&clauses, clause) {
                    return Some(line);
                }
                clauses.push((*id, clause));
            }
            Line::Deleted(id) => clauses.retain(|(other, _)| other != id),
        }
    }
    None
}

/// Does unit propagation refute the negation of the clause?
fn follows(clauses: &[(u64, &[i32])], clause: &[i32]) -> bool {
    let mut is_true: Vec<i32> = clause.iter().map(|literal| -literal).collect();
    loop {
        let before = is_true.len();
        for (_, clause) in clauses {
            if clause.iter().any(|literal| is_true.contains(literal)) {
                continue;
            }
            let open = clause
                .iter()
                .filter(|literal| !is_true.contains(&-**literal));
            let mut open: Vec<i32> = open.copied().collect();
            open.dedup();
            match open[..] {
                [] => return true,
                [unit] => is_true.push(unit),
                _ => {}
            }
        }
        if is_true.len() == before {
            return false;
        }
    }
}
