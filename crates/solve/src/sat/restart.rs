//! Restarts: when the block distances of late are worse than usual (Glucose, Audemard and Simon
//! 2009), by moving averages.

use super::Solver;
use super::averages::Average;

pub(super) struct Restart {
    fast: Average,
    slow: Average,
    /// The number of conflicts from which the next restart may be.
    next: u64,
}

impl Default for Restart {
    fn default() -> Restart {
        Restart {
            fast: Average::new(33),
            slow: Average::new(100_000),
            next: 0,
        }
    }
}

impl Restart {
    pub(super) fn learned(&mut self, glue: u32) {
        self.fast.update(glue);
        self.slow.update(glue);
    }
}

impl Solver {
    pub(super) fn restart_due(&self) -> bool {
        let slow = self.restart.slow.value();
        self.counters.conflicts >= self.restart.next
            && self.decision_level() > self.fixed_levels()
            && self.restart.fast.value() > slow + slow / 10
    }

    /// Takes back the decisions, but not the assumptions.
    pub(super) fn restart(&mut self) {
        self.counters.restarts += 1;
        self.restart.next = self.counters.conflicts + 2;
        self.cancel_until(self.fixed_levels());
    }
}
