//! When to simplify between two restarts, and for how long.
//!
//! A round comes after some thousand conflicts, later ones further and further apart, and each
//! technique may touch a share of the memory that the search touched since the last round. A caller
//! with many small questions hardly ever pays, and never much.

use super::Solver;

/// Conflicts until the first round; the next ones are further apart.
const INTERVAL: u64 = 2000;

pub(super) struct Inprocess {
    enabled: bool,
    pub(super) eliminates: bool,
    rounds: u64,
    /// The number of conflicts at which the next round is.
    next: u64,
    /// Ticks at the end of the last round.
    ticks: u64,
}

impl Default for Inprocess {
    fn default() -> Inprocess {
        Inprocess {
            enabled: true,
            eliminates: true,
            rounds: 0,
            next: INTERVAL,
            ticks: 0,
        }
    }
}

impl Solver {
    /// Whether the search simplifies clauses by itself; it does unless told otherwise.
    pub fn set_inprocessing(&mut self, enabled: bool) {
        self.inprocess.enabled = enabled;
    }

    /// Whether variables are eliminated; they are unless told otherwise. A caller who adds clauses
    /// about old variables again and again can save their going and coming back.
    pub fn set_elimination(&mut self, enabled: bool) {
        self.inprocess.eliminates = enabled;
    }

    pub(super) fn inprocess_due(&self) -> bool {
        self.inprocess.enabled && self.counters.conflicts >= self.inprocess.next
    }

    /// Simplifies the clauses as far as it pays.
    pub fn inprocess(&mut self) {
        let searched = self.ticks - self.inprocess.ticks;
        self.simplify();
        let share = |percent: u64| searched * percent / 100 + 10_000;
        if self.consistent {
            self.probe(share(5));
        }
        if self.consistent {
            self.vivify(share(20));
        }
        if self.consistent && self.inprocess.eliminates && !self.domain.is_active() {
            self.remove_satisfied();
            self.eliminate(share(20) + 4 * self.arena.len() as u64);
        }
        self.inprocess.rounds += 1;
        self.inprocess.ticks = self.ticks;
        let rounds = self.inprocess.rounds;
        self.inprocess.next =
            self.counters.conflicts + INTERVAL * rounds * (1 + rounds.ilog2() as u64);
    }
}
