//! Eliminated variables: their values in a model, and their return.
//!
//! The clauses of an eliminated variable are kept in the order in which they went. A model is
//! extended by looking at them backwards: a clause that is false makes its *witness*, the literal of
//! the variable, true (Järvisalo and Biere 2010, "Reconstructing solutions after blocked clause
//! elimination"). When the caller uses the variable again, its clauses come back, and with them the
//! variables in them that went later (Fazekas, Biere and Scholl 2019, "Incremental inprocessing in
//! SAT solving"). What was learned meanwhile follows from the clauses that there were, so it stays.
//! A variable that came back is not eliminated again.

use super::Solver;
use super::arena::ClauseRef;
use super::literal::{Lit, Var};
use super::proof::ClauseId;
use rustc_hash::FxHashMap;
use std::ops::Range;

struct Gone {
    witness: Lit,
    /// Its number in the proof, where it was not deleted.
    id: ClauseId,
    /// Empty when it came back.
    clause: Box<[Lit]>,
}

#[derive(Default)]
pub(super) struct Extension {
    stack: Vec<Gone>,
    /// The clauses of each eliminated variable.
    clauses: FxHashMap<Var, Range<usize>>,
    eliminated: Vec<bool>,
    /// The values of eliminated variables in the last model.
    values: Vec<bool>,
    /// Variables that must not be eliminated.
    frozen: Vec<bool>,
}

impl Extension {
    pub(super) fn grow(&mut self) {
        self.eliminated.push(false);
        self.values.push(false);
        self.frozen.push(false);
    }

    /// Is no variable eliminated?
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    #[inline]
    pub(super) fn is_eliminated(&self, var: Var) -> bool {
        self.eliminated[var.index()]
    }

    pub(super) fn value(&self, lit: Lit) -> bool {
        self.values[lit.var().index()] == lit.is_positive()
    }

    pub(super) fn freeze(&mut self, var: Var) {
        self.frozen[var.index()] = true;
    }

    pub(super) fn is_frozen(&self, var: Var) -> bool {
        self.frozen[var.index()]
    }
}

impl Solver {
    /// Promises that the variable will be used again: it is never eliminated. Variables of
    /// assumptions and constraints are frozen by themselves.
    pub fn freeze(&mut self, var: Var) {
        self.use_again(&[var.positive()]);
        self.extension.freeze(var);
    }

    /// A variable goes with its clauses.
    pub(super) fn retire(&mut self, var: Var, clauses: &[(Lit, ClauseRef)]) {
        let begin = self.extension.stack.len();
        for &(witness, clause) in clauses {
            self.extension.stack.push(Gone {
                witness,
                id: self.arena.id(clause),
                clause: self.arena.lits(clause).collect(),
            });
            // The proof keeps the clause: it may come back.
            self.arena.set_garbage(clause);
        }
        let end = self.extension.stack.len();
        self.extension.clauses.insert(var, begin..end);
        self.extension.eliminated[var.index()] = true;
        self.counters.eliminated += 1;
    }

    /// Brings back the variables of these literals that are eliminated.
    #[inline]
    pub(super) fn use_again(&mut self, lits: &[Lit]) {
        if !self.extension.is_empty()
            && lits
                .iter()
                .any(|lit| self.extension.is_eliminated(lit.var()))
        {
            self.restore(lits);
        }
    }

    fn restore(&mut self, lits: &[Lit]) {
        let mut waiting: Vec<Var> = lits.iter().map(|lit| lit.var()).collect();
        let mut back: Vec<(ClauseId, Box<[Lit]>)> = Vec::new();
        while let Some(var) = waiting.pop() {
            let Some(range) = self.extension.clauses.remove(&var) else {
                continue;
            };
            self.extension.eliminated[var.index()] = false;
            self.extension.freeze(var);
            self.counters.eliminated -= 1;
            self.reopen(var);
            for gone in &mut self.extension.stack[range] {
                waiting.extend(gone.clause.iter().map(|lit| lit.var()));
                back.push((gone.id, std::mem::take(&mut gone.clause)));
            }
        }
        for (id, clause) in back {
            let mut clause = clause.into_vec();
            clause.sort_unstable();
            self.settle(&mut clause, id);
        }
    }

    /// Gives eliminated variables their values, after a model was found.
    pub(super) fn extend_model(&mut self) {
        if self.extension.is_empty() {
            return;
        }
        for at in (0..self.extension.stack.len()).rev() {
            let gone = &self.extension.stack[at];
            let satisfied = gone.clause.iter().any(|&lit| self.value(lit) == Some(true));
            if !satisfied && !gone.clause.is_empty() {
                let witness = gone.witness;
                self.extension.values[witness.var().index()] = witness.is_positive();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Answer;
    use super::*;

    /// A chain of equal variables; all but the frozen ends can go.
    fn chain(length: u32) -> (Solver, Vec<Lit>) {
        let mut solver = Solver::new();
        let lits: Vec<Lit> = (0..length).map(|_| solver.new_var().positive()).collect();
        for pair in lits.windows(2) {
            solver.add_clause(&[!pair[0], pair[1]]);
            solver.add_clause(&[pair[0], !pair[1]]);
        }
        solver.freeze(lits[0].var());
        solver.freeze(lits[length as usize - 1].var());
        solver.inprocess();
        (solver, lits)
    }

    #[test]
    fn a_model_has_the_values_of_eliminated_variables() {
        let (mut solver, lits) = chain(8);
        assert_eq!(solver.counters().eliminated, 6);
        for value in [lits[0], !lits[0]] {
            assert_eq!(solver.solve(&[value]), Answer::Satisfiable);
            for &lit in &lits {
                assert_eq!(solver.value(lit), Some(value == lits[0]));
            }
        }
    }

    #[test]
    fn a_variable_that_is_used_again_returns_with_all_that_it_needs() {
        let (mut solver, lits) = chain(8);
        let frozen = solver.counters().eliminated;
        assert_eq!(solver.solve(&[lits[0], !lits[4]]), Answer::Unsatisfiable);
        assert!(solver.counters().eliminated < frozen);
        solver.add_clause(&[!lits[2]]);
        assert_eq!(solver.solve(&[lits[7]]), Answer::Unsatisfiable);
        assert_eq!(solver.solve(&[]), Answer::Satisfiable);
        assert!(lits.iter().all(|&lit| solver.value(lit) == Some(false)));
        // What came back stays.
        solver.inprocess();
        assert!(!solver.extension.is_eliminated(lits[4].var()));
    }
}
