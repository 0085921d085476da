//! Questions about a formula, to a solver whose answers are confirmed.

use super::ProgramOptions;
use proofmark_audit::lrat::{CheckedSolver, Unconfirmed};
use proofmark_engine::program::Formula;
use proofmark_model::graph::{Encoding, Kind, Signal};
use proofmark_solve::Budget;
use proofmark_solve::sat::{Answer, Lit, Var};
use std::time::Duration;

/// A formula in a solver; gates are written when somebody asks about them.
pub(super) struct Question<'f> {
    pub(super) formula: &'f Formula,
    encoding: Encoding,
    solver: CheckedSolver,
    /// By node.
    variables: Vec<Option<Var>>,
    truth: Lit,
}

/// An answer.
pub(super) enum Found {
    /// What nothing determines, as the run meets it, and the number of the signal that holds of those that
    /// were asked about.
    Run(Assignment),
    /// There is none.
    Nothing,
    /// Nobody knows.
    Unknown,
}

/// A value for every node of the graph.
pub(super) struct Assignment(Vec<bool>);

impl Assignment {
    pub(super) fn holds(&self, signal: Signal) -> bool {
        self.0[signal.index()] != signal.is_complemented()
    }

    /// The bytes that the run asks for, in order.
    pub(super) fn inputs(&self, formula: &Formula) -> Vec<Vec<u8>> {
        let met = formula
            .inputs
            .iter()
            .filter(|input| self.holds(input.guard));
        met.map(|input| {
            let byte = |bits: &[Signal]| {
                let bit = |(at, bit): (usize, &Signal)| u8::from(self.holds(*bit)) << at;
                bits.iter().enumerate().map(bit).sum()
            };
            input.bits.chunks(8).map(byte).collect()
        })
        .collect()
    }
}

impl<'f> Question<'f> {
    pub(super) fn new(formula: &'f Formula, options: &ProgramOptions) -> Question<'f> {
        let mut solver = CheckedSolver::new();
        let truth = solver.new_var().positive();
        solver.add_clause(&[truth]);
        solver.solver().set_interrupt(options.interrupt.clone());
        Question {
            formula,
            encoding: Encoding::new(&formula.netlist),
            solver,
            variables: vec![None; formula.netlist.graph.len()],
            truth,
        }
    }

    /// The literal of a signal, with all that defines it.
    pub(super) fn literal(&mut self, signal: Signal) -> Lit {
        if signal.is_constant() {
            return if signal == Signal::TRUE {
                self.truth
            } else {
                !self.truth
            };
        }
        let mut clauses = Vec::new();
        let (variables, solver) = (&mut self.variables, &mut self.solver);
        let enter = |node: u32| {
            let slot = &mut variables[node as usize];
            let is_new = slot.is_none();
            slot.get_or_insert_with(|| solver.new_var());
            is_new
        };
        let graph = &self.formula.netlist.graph;
        self.encoding.clauses(graph, [signal], enter, |clause| {
            clauses.push(clause.to_vec())
        });
        for clause in clauses {
            let literals: Vec<Lit> = clause.iter().map(|one| self.known(*one)).collect();
            self.solver.add_clause(&literals);
        }
        self.known(signal)
    }

    /// The literal of a signal that was entered.
    fn known(&self, signal: Signal) -> Lit {
        let variable = self.variables[signal.index()];
        let literal = variable.map_or(!self.truth, Var::positive);
        if signal.is_complemented() {
            !literal
        } else {
            literal
        }
    }

    /// One of some literals holds from now on.
    pub(super) fn require(&mut self, clause: &[Lit]) {
        self.solver.add_clause(clause);
    }

    pub(super) fn new_literal(&mut self) -> Lit {
        self.solver.new_var().positive()
    }

    /// Values that a search tries first: those of the null pointer and of small numbers.
    pub(super) fn prefer_false(&mut self, signals: impl Iterator<Item = Signal>) {
        for signal in signals {
            if let Some(variable) = self.variables[signal.index()] {
                self.solver.solver().prefer(!variable.positive());
            }
        }
    }

    /// Asks for a run under assumptions in which one of some literals holds.
    pub(super) fn ask(
        &mut self,
        assumptions: &[Lit],
        one_of: &[Lit],
        time: Option<Duration>,
    ) -> Result<Found, Unconfirmed> {
        let effort = None;
        self.solver.solver().set_budget(Budget { effort, time });
        let answer = self.solver.solve_with(assumptions, one_of)?;
        Ok(match answer {
            Answer::Satisfiable => Found::Run(self.assignment()),
            Answer::Unsatisfiable => Found::Nothing,
            Answer::Unknown => Found::Unknown,
        })
    }

    /// What follows for every node from the model's inputs; those that no clause speaks of are false.
    fn assignment(&mut self) -> Assignment {
        let graph = &self.formula.netlist.graph;
        let mut values = vec![false; graph.len()];
        for node in 1..graph.len() {
            values[node] = match graph.kind(node as u32) {
                Kind::Constant => false,
                Kind::Input(_) | Kind::Latch(_) => {
                    let variable = self.variables[node];
                    variable
                        .is_some_and(|one| self.solver.solver().value(one.positive()) == Some(true))
                }
                Kind::And(a, b) => {
                    values[a.index()] != a.is_complemented()
                        && values[b.index()] != b.is_complemented()
                }
            };
        }
        Assignment(values)
    }
}
