//! Forgetting: most learned clauses are of no use later.
//!
//! Clauses of few levels (glue at most 2) stay. Of the others, those that took part in a conflict
//! since the last reduction stay for now, and of the rest three quarters go, those of many levels
//! and literals first (Audemard and Simon 2009; Oh 2016; as in CaDiCaL).

use super::Solver;
use super::arena::ClauseRef;

/// Clauses of at most so many levels are kept for good.
pub(super) const TIER1: u32 = 2;
/// Clauses of at most so many levels survive two reductions after they were used.
pub(super) const TIER2: u32 = 6;

/// The first reduction is after so many conflicts; later ones are further and further apart.
const FIRST: u64 = 300;
const INTERVAL: u64 = 25;

pub(super) struct Reduce {
    /// The number of conflicts at which the next reduction is.
    next: u64,
}

impl Default for Reduce {
    fn default() -> Reduce {
        Reduce { next: FIRST }
    }
}

impl Solver {
    pub(super) fn reduce_due(&self) -> bool {
        self.counters.conflicts >= self.reduce.next
    }

    /// Forgets the less useful of the learned clauses.
    pub(super) fn reduce(&mut self) {
        let conflicts = self.counters.conflicts;
        self.reduce.next = conflicts + INTERVAL * conflicts.isqrt().max(12);
        let mut candidates: Vec<ClauseRef> = Vec::new();
        for at in 0..self.learned.len() {
            let clause = self.learned[at];
            let used = self.arena.used(clause);
            if used > 0 {
                self.arena.set_used(clause, used - 1);
            } else if self.arena.glue(clause) > TIER1 && !self.is_reason(clause) {
                candidates.push(clause);
            }
        }
        candidates.sort_by_key(|&clause| (self.arena.glue(clause), self.arena.size(clause)));
        for &clause in &candidates[candidates.len() / 4..] {
            self.delete(clause);
        }
        self.collect();
    }
}
