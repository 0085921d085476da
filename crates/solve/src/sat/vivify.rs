//! Vivification: clauses made shorter by propagation (Piette, Hamadi and Saïs 2008; Luo et al. 2017;
//! Fleury, Biere and others in CaDiCaL).
//!
//! The negations of a clause's literals are decided one after the other. A conflict, or a literal of
//! the clause that becomes true, or one that becomes false without having been decided, shows that
//! fewer literals do. Literals that occur often come first and the clauses are visited in the order
//! of their literals, so that neighbours share decisions. Learned clauses that are likely to stay
//! are worth it most.

use super::Solver;
use super::arena::ClauseRef;
use super::literal::Lit;
use super::reduce::TIER2;

impl Solver {
    /// Makes clauses shorter, for about so many ticks. At the root.
    pub(super) fn vivify(&mut self, budget: u64) {
        let end = self.ticks + budget;
        for learned in [true, false] {
            // Two thirds of the time are for learned clauses.
            let end = if learned { end - budget / 3 } else { end };
            self.vivify_list(learned, end);
            self.cancel_until(0);
            if !self.consistent {
                return;
            }
        }
        self.collect();
    }

    fn vivify_list(&mut self, learned: bool, end: u64) {
        let mut counts = vec![0u32; 2 * self.variables.len()];
        let all = if learned {
            &self.learned
        } else {
            &self.originals
        };
        let wanted = |clause: &ClauseRef| {
            let arena = &self.arena;
            let size = arena.size(*clause);
            size > 2 && !arena.is_garbage(*clause) && (!learned || arena.glue(*clause) <= TIER2)
        };
        let mut schedule: Vec<ClauseRef> = all.iter().copied().filter(wanted).collect();
        for &clause in &schedule {
            for lit in self.arena.lits(clause) {
                counts[lit.index()] += 1;
            }
        }
        if schedule
            .iter()
            .all(|&clause| self.arena.is_vivified(clause))
        {
            // All had their turn: another round begins.
            for &clause in &schedule {
                self.arena.set_unvivified(clause);
            }
        }
        schedule.retain(|&clause| !self.arena.is_vivified(clause));
        // Literals by how often they occur, frequent ones first.
        let rank = |lit: &Lit| (u32::MAX - counts[lit.index()], *lit);
        let sorted = |clause: ClauseRef| {
            let mut lits: Vec<Lit> = self.arena.lits(clause).collect();
            lits.sort_unstable_by_key(rank);
            (lits, clause)
        };
        let mut schedule: Vec<(Vec<Lit>, ClauseRef)> = schedule.into_iter().map(sorted).collect();
        schedule.sort_unstable_by(|(one, _), (other, _)| {
            one.iter().map(rank).cmp(other.iter().map(rank))
        });
        for (lits, clause) in schedule {
            if self.ticks > end || !self.consistent {
                return;
            }
            self.vivify_clause(clause, &lits);
        }
    }

    /// Tries to make a clause shorter.
    fn vivify_clause(&mut self, clause: ClauseRef, sorted: &[Lit]) {
        self.arena.set_vivified(clause);
        self.back_off_reason(clause);
        let same = self.levels.iter().zip(sorted);
        let same = same.take_while(|(level, lit)| level.decision == !**lit);
        let same = same.count() as u32;
        self.cancel_until(same);
        if self
            .arena
            .lits(clause)
            .any(|lit| self.fixed(lit) == Some(true))
        {
            // The next simplification removes it.
            return;
        }
        self.unwatch(clause);
        self.counters.vivified += 1;
        let shorter = self.shorter_clause(clause, sorted);
        match shorter {
            Some(shorter) => self.replace_clause(clause, &shorter),
            None => self.rewatch(clause, sorted),
        }
    }

    /// A clause must not be the reason of what is decided to examine it.
    fn back_off_reason(&mut self, clause: ClauseRef) {
        let implied = self.arena.lits(clause).find(|&lit| {
            let data = &self.variables[lit.var().index()];
            self.values.is_true(lit) && data.level > 0 && data.reason == clause
        });
        if let Some(lit) = implied {
            self.cancel_until(self.variables[lit.var().index()].level - 1);
        }
    }

    /// Decides the negations of the literals; returns fewer literals that follow, if there are, with
    /// the hints in the proof.
    fn shorter_clause(&mut self, clause: ClauseRef, sorted: &[Lit]) -> Option<Vec<Lit>> {
        for &lit in sorted {
            if let Some(conflict) = self.propagate_plainly() {
                let lits: Vec<Lit> = self.arena.lits(conflict).collect();
                let id = self.arena.id(conflict);
                return self.fewer(None, &lits, id, sorted.len());
            }
            match self.values.get(lit) {
                1 => {
                    let reason = self.variables[lit.var().index()].reason;
                    if reason.is_none() {
                        return None;
                    }
                    let lits: Vec<Lit> = self.arena.lits(reason).collect();
                    let id = self.arena.id(reason);
                    return self.fewer(Some(lit), &lits, id, sorted.len());
                }
                0 => self.new_level(!lit),
                _ => {}
            }
        }
        if let Some(conflict) = self.propagate_plainly() {
            let lits: Vec<Lit> = self.arena.lits(conflict).collect();
            let id = self.arena.id(conflict);
            return self.fewer(None, &lits, id, sorted.len());
        }
        let id = self.arena.id(clause);
        self.fewer(None, sorted, id, sorted.len())
    }

    /// The clause of the decisions that make the literals false, and of one that became true, if it
    /// has fewer than `size` literals.
    fn fewer(
        &mut self,
        implied: Option<Lit>,
        lits: &[Lit],
        id: u32,
        size: usize,
    ) -> Option<Vec<Lit>> {
        let behind: Vec<Lit> = lits
            .iter()
            .copied()
            .filter(|&lit| Some(lit) != implied)
            .collect();
        let mut decisions = self.decisions_behind(&behind);
        decisions.iter_mut().for_each(|lit| *lit = !*lit);
        decisions.extend(implied);
        if decisions.len() >= size {
            return None;
        }
        self.explain(&decisions, lits, id);
        Some(decisions)
    }

    /// Puts a shorter clause into the place of one that is not watched.
    fn replace_clause(&mut self, clause: ClauseRef, shorter: &[Lit]) {
        self.counters.strengthened += 1;
        if shorter.is_empty() {
            let id = self.log_derived(&[]);
            self.contradict(id);
            return;
        }
        if let [fact] = *shorter {
            let id = self.log_derived(shorter);
            self.delete(clause);
            self.cancel_until(0);
            self.set_unit(fact, id);
            self.assign_fact(fact);
            if let Some(conflict) = self.propagate_plainly() {
                self.refute(conflict);
            }
            return;
        }
        self.replace_lits(clause, shorter);
        self.rewatch(clause, shorter);
    }

    /// Watches two literals of a clause that are open, after jumping back as far as that takes.
    fn rewatch(&mut self, clause: ClauseRef, lits: &[Lit]) {
        // The decisions were made in this order: the last two literals are open soonest.
        let level = |lit: Lit| match self.values.get(lit) {
            0 => u32::MAX,
            _ => self.variables[lit.var().index()].level,
        };
        let mut sorted: Vec<Lit> = lits.to_vec();
        sorted.sort_by_key(|&lit| std::cmp::Reverse(level(lit)));
        let second = level(sorted[1]);
        if second != u32::MAX {
            self.cancel_until(second.saturating_sub(1));
        }
        let words = self.arena.words_mut(clause);
        for (word, lit) in words.iter_mut().zip(&sorted) {
            *word = lit.code();
        }
        self.watch(clause);
    }

    fn unwatch(&mut self, clause: ClauseRef) {
        for at in 0..2 {
            let lit = self.arena.lit(clause, at);
            let watches = &mut self.watches[(!lit).index()];
            self.ticks += 1 + watches.len() as u64 / 8;
            if let Some(at) = watches.iter().position(|watch| watch.clause() == clause) {
                watches.swap_remove(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_loses_a_literal_that_the_others_imply_to_be_false() {
        let mut solver = Solver::new();
        let [a, b, c, d] = [(); 4].map(|()| solver.new_var().positive());
        // Without a and b there is no c, by way of d.
        solver.add_clause(&[a, d]);
        solver.add_clause(&[b, !d, !c]);
        let clause = solver.add_clause(&[a, b, c]);
        solver.vivify(1_000_000);
        assert_eq!(solver.counters().strengthened, 1);
        let sizes = solver.originals.iter().map(|&it| solver.arena.size(it));
        assert_eq!(sizes.collect::<Vec<usize>>(), [2, 3, 2]);
        assert!(
            solver
                .originals
                .iter()
                .all(|&it| solver.arena.id(it) != clause)
        );
    }
}
