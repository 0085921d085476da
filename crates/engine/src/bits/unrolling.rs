//! A relation, step after step, in one solver.
//!
//! A gate of a step gets a variable and its clauses when somebody asks for it, and so do the gates below
//! it: the solver holds the cones of what was asked about and nothing else. A latch has no variable of
//! its own: it is the next value of the step before.

use super::account::Account;
use super::cube::StateLit;
use super::relation::Relation;
use proofmark_model::graph::{BitTrace, Init};
use proofmark_solve::sat::{Lit, Solver, Var};

/// How the first step begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Begin {
    /// In an initial state.
    Initial,
    /// In any state.
    Anywhere,
}

/// Steps of a relation in a solver.
pub struct Unrolling<'r> {
    relation: &'r Relation,
    pub solver: Solver,
    begin: Begin,
    /// The latches of the second step, where these are variables of their own.
    cut: Option<Vec<Lit>>,
    /// For each step and variable of the relation the literal that it is, once there is one.
    steps: Vec<Vec<Option<Lit>>>,
    truth: Lit,
    stack: Vec<(usize, Var)>,
    clause: Vec<Lit>,
}

impl<'r> Unrolling<'r> {
    /// No steps yet, in a solver that the account pays.
    pub fn new(relation: &'r Relation, begin: Begin, account: &Account) -> Unrolling<'r> {
        Unrolling::in_solver(relation, begin, account.open(Solver::new()))
    }

    /// No steps yet, in a solver without clauses.
    pub fn in_solver(relation: &'r Relation, begin: Begin, mut solver: Solver) -> Unrolling<'r> {
        let truth = solver.new_var().positive();
        solver.add_clause(&[truth]);
        Unrolling {
            relation,
            solver,
            begin,
            cut: None,
            steps: Vec::new(),
            truth,
            stack: Vec::new(),
            clause: Vec::new(),
        }
    }

    /// The literal that is true.
    pub fn truth(&self) -> Lit {
        self.truth
    }

    /// Gives the latches of the second step variables of their own, equal to the next values of the
    /// first. What is told later of the second step and those after it speaks of the first by these alone.
    pub fn cut(&mut self) -> Vec<Lit> {
        let mut cut = Vec::new();
        for latch in 0..self.relation.latches() {
            let next = self.relation.next(StateLit::new(latch, true));
            let next = self.lit(0, next);
            let lit = self.solver.new_var().positive();
            self.solver.add_clause(&[!lit, next]);
            self.solver.add_clause(&[lit, !next]);
            cut.push(lit);
        }
        self.cut = Some(cut.clone());
        cut
    }

    /// The number of steps that are there.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// One step more, with its constraints.
    pub fn extend(&mut self) {
        let step = self.steps.len();
        self.steps.push(vec![None; self.relation.variables()]);
        for &constraint in self.relation.constraints() {
            let lit = self.lit(step, constraint);
            self.solver.add_clause(&[lit]);
        }
    }

    /// A literal of the relation at a step.
    pub fn lit(&mut self, step: usize, lit: Lit) -> Lit {
        self.stack.push((step, lit.var()));
        while let Some(&(step, var)) = self.stack.last() {
            if self.known(step, var).is_some() || self.define(step, var) {
                self.stack.pop();
            }
        }
        let found = self.known(step, lit.var()).unwrap_or(self.truth);
        if lit.is_positive() { found } else { !found }
    }

    fn known(&self, step: usize, var: Var) -> Option<Lit> {
        self.steps[step][var.index()]
    }

    /// Gives a variable its literal, if all that it depends on has one; otherwise that is asked first.
    fn define(&mut self, step: usize, var: Var) -> bool {
        if let Some(latch) = self.relation.latch_of(var) {
            return self.define_latch(step, latch, var);
        }
        let waiting = self.stack.len();
        for &leaf in self.relation.leaves(var) {
            if self.known(step, leaf).is_none() {
                self.stack.push((step, leaf));
            }
        }
        if self.stack.len() > waiting {
            return false;
        }
        let lit = match var.index() {
            0 => !self.truth,
            _ => self.solver.new_var().positive(),
        };
        self.steps[step][var.index()] = Some(lit);
        for clause in self.relation.definition(var) {
            self.clause.clear();
            for one in clause {
                let here = self.steps[step][one.var().index()].unwrap_or(self.truth);
                self.clause
                    .push(if one.is_positive() { here } else { !here });
            }
            self.solver.add_clause(&self.clause);
        }
        true
    }

    fn define_latch(&mut self, step: usize, latch: usize, var: Var) -> bool {
        let cut = self.cut.as_ref().filter(|_| step == 1);
        let lit = match step {
            1 if cut.is_some() => cut.map_or(self.truth, |cut| cut[latch]),
            0 => match (self.begin, self.relation.init(latch)) {
                (Begin::Initial, Init::Zero) => !self.truth,
                (Begin::Initial, Init::One) => self.truth,
                _ => self.solver.new_var().positive(),
            },
            _ => {
                let next = self.relation.next(StateLit::new(latch, true));
                let Some(before) = self.known(step - 1, next.var()) else {
                    self.stack.push((step - 1, next.var()));
                    return false;
                };
                if next.is_positive() { before } else { !before }
            }
        };
        self.steps[step][var.index()] = Some(lit);
        true
    }

    /// The run of the solver's model, up to a step.
    pub fn trace(&self, last: usize) -> BitTrace {
        let value = |step: usize, lit: Lit| {
            let known = self.known(step, lit.var());
            known
                .and_then(|lit| self.solver.value(lit))
                .unwrap_or(false)
        };
        let latches = (0..self.relation.latches()).map(|latch| {
            let free = value(0, self.relation.now(StateLit::new(latch, true)));
            match self.begin {
                Begin::Initial => self.relation.init(latch).value().unwrap_or(free),
                Begin::Anywhere => free,
            }
        });
        let inputs = |step| {
            self.relation
                .inputs()
                .iter()
                .map(move |lit| value(step, *lit))
        };
        BitTrace {
            latches: latches.collect(),
            inputs: (0..=last).map(|step| inputs(step).collect()).collect(),
        }
    }
}
