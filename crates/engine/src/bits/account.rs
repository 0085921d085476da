//! What an engine may spend: an effort that is the same on every machine, and a stop from outside.

use proofmark_solve::sat::{Answer, Counters, Lit, Solver};
use proofmark_solve::{Budget, Interrupt};

/// An engine stopped without an answer: it was interrupted, or its effort is used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Halt;

/// Counts the effort of solvers.
#[derive(Clone)]
pub struct Account {
    interrupt: Interrupt,
    left: u64,
    spent: u64,
}

/// What a conflict costs, in propagations.
const CONFLICT: u64 = 50;
/// What a question costs besides.
const QUESTION: u64 = 200;

impl Account {
    /// An account without a limit, closed by the interrupt.
    pub fn new(interrupt: Interrupt) -> Account {
        Account {
            interrupt,
            left: u64::MAX,
            spent: 0,
        }
    }

    /// A solver that the interrupt stops.
    pub fn open(&self, mut solver: Solver) -> Solver {
        solver.set_interrupt(self.interrupt.clone());
        solver
    }

    /// So much may be spent from now on.
    pub fn allow(&mut self, effort: u64) {
        self.left = effort;
    }

    /// Whether it was stopped from outside.
    pub fn is_stopped(&self) -> bool {
        self.interrupt.is_set()
    }

    /// What was spent so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Asks a solver, at its cost; never answers `Unknown`.
    pub fn solve(
        &mut self,
        solver: &mut Solver,
        assumptions: &[Lit],
        constraint: &[Lit],
    ) -> Result<Answer, Halt> {
        if self.left == 0 || self.interrupt.is_set() {
            return Err(Halt);
        }
        let effort = (self.left != u64::MAX).then_some(self.left / CONFLICT + 1);
        solver.set_budget(Budget { effort, time: None });
        let before = cost(&solver.counters());
        let answer = solver.solve_with(assumptions, constraint);
        let cost = cost(&solver.counters()) - before;
        self.spent += cost;
        if self.left != u64::MAX {
            self.left = self.left.saturating_sub(cost);
        }
        match answer {
            Answer::Unknown => Err(Halt),
            answer => Ok(answer),
        }
    }
}

fn cost(counters: &Counters) -> u64 {
    QUESTION * counters.solves + CONFLICT * counters.conflicts + counters.propagations
}
