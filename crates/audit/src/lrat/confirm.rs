//! A SAT solver that nobody has to trust.
//!
//! Every clause goes to the solver and to the checker, every step of the solver's proof to the
//! checker at once, and an answer is handed on only when it is confirmed: a model by evaluating
//! every clause, `Unsatisfiable` by the checked clause that the proof ends with.

use super::{Checker, LratError};
use proofmark_solve::sat::{Answer, Lit, ProofSink, Solver, Step, Var};
use rustc_hash::FxHashSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Why an answer is not confirmed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unconfirmed {
    /// A step of the proof is none.
    Step(LratError),
    /// The proof speaks of a clause as given that was not.
    Invented(Vec<i32>),
    /// The clause that the answer rests on does not say that the core is contradictory.
    Conclusion,
    /// The model does not satisfy this clause.
    Model(Vec<i32>),
}

impl fmt::Display for Unconfirmed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unconfirmed::Step(error) => error.fmt(f),
            Unconfirmed::Invented(clause) => {
                write!(
                    f,
                    "the proof uses the clause {clause:?}, which was not given"
                )
            }
            Unconfirmed::Conclusion => f.write_str("the proof does not end with the core"),
            Unconfirmed::Model(clause) => write!(f, "the model violates the clause {clause:?}"),
        }
    }
}
impl std::error::Error for Unconfirmed {}

#[derive(Default)]
struct Witness {
    checker: Checker,
    /// The only clause that may be taken for given now.
    expected: Option<Vec<i32>>,
    fault: Option<Unconfirmed>,
}

impl Witness {
    fn check(&mut self, step: Step<'_>) -> Result<(), Unconfirmed> {
        let checked = match step {
            Step::Original { id, clause } => {
                let clause = dimacs(clause);
                if self.expected.take().as_ref() != Some(&clause) {
                    return Err(Unconfirmed::Invented(clause));
                }
                self.checker.add_original(id.into(), &clause)
            }
            Step::Derived { id, clause, hints } => {
                let hints: Vec<u64> = hints.iter().map(|&hint| hint.into()).collect();
                self.checker.add_derived(id.into(), &dimacs(clause), &hints)
            }
            Step::Deleted { id } => self.checker.delete(id.into()),
        };
        checked.map_err(Unconfirmed::Step)
    }
}

impl ProofSink for Witness {
    fn step(&mut self, step: Step<'_>) {
        if self.fault.is_none()
            && let Err(fault) = self.check(step)
        {
            self.fault = Some(fault);
        }
    }
}

fn dimacs(clause: &[Lit]) -> Vec<i32> {
    clause.iter().map(|lit| lit.to_dimacs()).collect()
}

/// A solver and the checker of its proof.
pub struct CheckedSolver {
    solver: Solver,
    witness: Arc<Mutex<Witness>>,
    clauses: Vec<Vec<Lit>>,
}

impl Default for CheckedSolver {
    fn default() -> CheckedSolver {
        CheckedSolver::new()
    }
}

impl CheckedSolver {
    /// A solver without clauses.
    pub fn new() -> CheckedSolver {
        let witness = Arc::new(Mutex::new(Witness::default()));
        let mut solver = Solver::new();
        solver.log_proof(witness.clone());
        CheckedSolver {
            solver,
            witness,
            clauses: Vec::new(),
        }
    }

    /// A new variable.
    pub fn new_var(&mut self) -> Var {
        self.solver.new_var()
    }

    /// Tells solver and checker of a clause.
    pub fn add_clause(&mut self, clause: &[Lit]) {
        self.witness().expected = Some(dimacs(clause));
        self.solver.add_clause(clause);
        self.clauses.push(clause.to_vec());
    }

    /// The solver, for budgets and values.
    pub fn solver(&mut self) -> &mut Solver {
        &mut self.solver
    }

    /// Asks the solver; the answer is confirmed, or there is none.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Result<Answer, Unconfirmed> {
        self.solve_with(assumptions, &[])
    }

    /// Asks the solver with a clause that holds for this call only.
    pub fn solve_with(
        &mut self,
        assumptions: &[Lit],
        constraint: &[Lit],
    ) -> Result<Answer, Unconfirmed> {
        if !constraint.is_empty() {
            self.witness().expected = Some(dimacs(constraint));
        }
        let answer = self.solver.solve_with(assumptions, constraint);
        let mut witness = self.witness();
        witness.expected = None;
        if let Some(fault) = &witness.fault {
            return Err(fault.clone());
        }
        drop(witness);
        match answer {
            Answer::Satisfiable => self.confirm_model(assumptions, constraint)?,
            Answer::Unsatisfiable => self.confirm_core(assumptions)?,
            Answer::Unknown => {}
        }
        Ok(answer)
    }

    /// Asks for a refutation alone: the core of a confirmed one, nothing where there is none. A model is
    /// not confirmed, because nothing rests on it; `Unknown` counts as one.
    pub fn refute(&mut self, assumptions: &[Lit]) -> Result<Option<Vec<Lit>>, Unconfirmed> {
        let answer = self.solver.solve(assumptions);
        if let Some(fault) = &self.witness().fault {
            return Err(fault.clone());
        }
        if answer != Answer::Unsatisfiable {
            return Ok(None);
        }
        self.confirm_core(assumptions)?;
        Ok(Some(self.solver.core().to_vec()))
    }

    fn witness(&self) -> MutexGuard<'_, Witness> {
        self.witness.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn confirm_model(&self, assumptions: &[Lit], constraint: &[Lit]) -> Result<(), Unconfirmed> {
        let holds = |clause: &[Lit]| {
            clause
                .iter()
                .any(|&lit| self.solver.value(lit) == Some(true))
        };
        let assumed = assumptions.iter().map(std::slice::from_ref);
        let constraint = (!constraint.is_empty()).then_some(constraint);
        let clauses = self.clauses.iter().map(Vec::as_slice);
        for clause in clauses.chain(assumed).chain(constraint) {
            if !holds(clause) {
                return Err(Unconfirmed::Model(dimacs(clause)));
            }
        }
        Ok(())
    }

    /// The conclusion says that some assumptions of the core are false.
    fn confirm_core(&self, assumptions: &[Lit]) -> Result<(), Unconfirmed> {
        let core = self.solver.core();
        let assumed: FxHashSet<Lit> = assumptions.iter().copied().collect();
        let among: FxHashSet<Lit> = core.iter().copied().collect();
        if !core.iter().all(|lit| assumed.contains(lit)) {
            return Err(Unconfirmed::Conclusion);
        }
        if core.iter().any(|lit| among.contains(&!*lit)) {
            return Ok(());
        }
        let witness = self.witness();
        let conclusion = self.solver.conclusion().map(u64::from);
        let clause = conclusion.and_then(|id| witness.checker.clause(id));
        let among: FxHashSet<i32> = core.iter().map(|&lit| (!lit).to_dimacs()).collect();
        let negated = |literal: &i32| among.contains(literal);
        match clause {
            Some(clause) if clause.iter().all(negated) => Ok(()),
            _ => Err(Unconfirmed::Conclusion),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_with_and_without_assumptions_are_confirmed() {
        let mut solver = CheckedSolver::new();
        let [a, b, c] = [(); 3].map(|()| solver.new_var().positive());
        solver.add_clause(&[a, b]);
        solver.add_clause(&[!b, c]);
        assert_eq!(solver.solve(&[!a]), Ok(Answer::Satisfiable));
        assert_eq!(solver.solve(&[!a, !c]), Ok(Answer::Unsatisfiable));
        assert_eq!(solver.solve(&[a, !a]), Ok(Answer::Unsatisfiable));
        assert_eq!(
            solver.solve_with(&[!c], &[b, !a]),
            Ok(Answer::Unsatisfiable)
        );
        solver.add_clause(&[!c]);
        assert_eq!(solver.solve(&[!a]), Ok(Answer::Unsatisfiable));
        solver.add_clause(&[!a]);
        assert_eq!(solver.solve(&[]), Ok(Answer::Unsatisfiable));
    }

    #[test]
    fn a_clause_that_nobody_gave_is_noticed() {
        let mut solver = CheckedSolver::new();
        let a = solver.new_var().positive();
        solver.solver().add_clause(&[a]);
        let invented = Unconfirmed::Invented(vec![1]);
        assert_eq!(solver.solve(&[]), Err(invented));
    }
}
