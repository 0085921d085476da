//! Failed literals: a literal whose consequences contradict each other is false (Freeman 1995; Lynce
//! and Marques-Silva 2003).
//!
//! Only roots of the graph of binary clauses are tried: what another literal implies would fail with
//! it. A literal is not tried again before there are new facts.

use super::Solver;
use super::literal::{Lit, Var};

#[derive(Default)]
pub(super) struct Probes {
    /// By literal: how many facts there were when it was tried, plus one.
    tried: Vec<u32>,
    /// Where the next round begins.
    next: usize,
}

impl Solver {
    /// Looks for failed literals, for about so many ticks. At the root.
    pub(super) fn probe(&mut self, budget: u64) {
        let end = self.ticks + budget;
        let count = 2 * self.variables.len();
        self.probes.tried.resize(count, 0);
        for _ in 0..count {
            if self.ticks > end || !self.consistent {
                return;
            }
            let lit = Lit::from_code((self.probes.next % count) as u32);
            self.probes.next = (self.probes.next + 1) % count;
            if self.is_root(lit) {
                self.probe_literal(lit);
            }
        }
    }

    /// Does the literal imply others by binary clauses, and none implies it?
    fn is_root(&self, lit: Lit) -> bool {
        let facts = self.trail.len() as u32 + 1;
        let has_binary = |lit: Lit| {
            let watches = &self.watches[lit.index()];
            watches.iter().any(|watch| watch.is_binary())
        };
        self.probes.tried[lit.index()] != facts
            && self.values.is_open(lit)
            && self.may_probe(lit.var())
            && has_binary(lit)
            && !has_binary(!lit)
    }

    fn may_probe(&self, var: Var) -> bool {
        !self.extension.is_eliminated(var)
    }

    fn probe_literal(&mut self, lit: Lit) {
        self.probes.tried[lit.index()] = self.trail.len() as u32 + 1;
        self.new_level(lit);
        let Some(conflict) = self.propagate_plainly() else {
            self.cancel_until(0);
            return;
        };
        // The clause that is learned on the first level is a fact.
        self.counters.failed_literals += 1;
        self.resolve(conflict);
        if self.consistent
            && let Some(conflict) = self.propagate_plainly()
        {
            self.refute(conflict);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_that_implies_a_contradiction_is_false() {
        let mut solver = Solver::new();
        let [a, b, c] = [(); 3].map(|()| solver.new_var().positive());
        solver.add_clause(&[!a, b]);
        solver.add_clause(&[!a, c]);
        solver.add_clause(&[!a, !b, !c]);
        assert_eq!(solver.fixed(a), None);
        solver.probe(1_000_000);
        assert_eq!(solver.counters().failed_literals, 1);
        assert_eq!(solver.fixed(a), Some(false));
    }
}
