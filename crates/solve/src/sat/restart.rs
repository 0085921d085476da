//! Restarts. In focused mode: when the block distances of late are worse than usual (Glucose,
//! Audemard and Simon 2009; Biere and Fröhlich 2015). In stable mode: after the numbers of conflicts
//! of Luby, Sinclair and Zuckerman 1993 ("reluctant doubling", Knuth).
//!
//! What would be decided again stays (trail reuse, van der Tak, Ramos and Heule 2011).

use super::Solver;
use super::averages::Average;

/// Conflicts of the unit of stable mode.
const UNIT: u64 = 1024;
/// Conflicts between two restarts of focused mode, at least.
const LEAST: u64 = 2;

pub(super) struct Restart {
    fast: Average,
    slow: Average,
    /// The number of conflicts from which the next restart may be.
    next: u64,
    /// Where the sequence of stable mode is.
    luby: (u64, u64),
}

impl Default for Restart {
    fn default() -> Restart {
        Restart {
            fast: Average::new(33),
            slow: Average::new(100_000),
            next: 0,
            luby: (1, 1),
        }
    }
}

impl Restart {
    pub(super) fn learned(&mut self, glue: u32) {
        self.fast.update(glue);
        self.slow.update(glue);
    }

    /// The next number of the sequence 1 1 2 1 1 2 4 …
    fn next_luby(&mut self) -> u64 {
        let (u, v) = self.luby;
        self.luby = if u & u.wrapping_neg() == v {
            (u + 1, 1)
        } else {
            (u, 2 * v)
        };
        v
    }
}

impl Solver {
    pub(super) fn restart_due(&self) -> bool {
        if self.counters.conflicts < self.restart.next
            || self.decision_level() <= self.fixed_levels()
        {
            return false;
        }
        let slow = self.restart.slow.value();
        self.mode.is_stable() || self.restart.fast.value() > slow + slow / 10
    }

    /// Takes back the decisions, but not the assumptions.
    pub(super) fn restart(&mut self) {
        self.counters.restarts += 1;
        let pause = match self.mode.is_stable() {
            true => UNIT * self.restart.next_luby(),
            false => LEAST,
        };
        self.restart.next = self.counters.conflicts + pause;
        let level = self.reusable_level();
        self.cancel_until(level);
    }

    pub(super) fn restart_mode_changed(&mut self) {
        self.restart.luby = (1, 1);
        let pause = if self.mode.is_stable() { UNIT } else { LEAST };
        self.restart.next = self.counters.conflicts + pause;
    }

    /// How many levels have decisions that come before the next one.
    fn reusable_level(&mut self) -> u32 {
        let fixed = self.fixed_levels();
        let Some(next) = self.peek_variable() else {
            return fixed;
        };
        let by_activity = self.decides_by_activity();
        let mut level = fixed;
        for at in fixed as usize..self.levels.len() {
            let decision = self.levels[at].decision.var();
            let before = match by_activity {
                true => self.activities.before(decision, next),
                false => self.queue.stamp(decision) > self.queue.stamp(next),
            };
            if !before {
                break;
            }
            level += 1;
        }
        level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_stable_mode_doubles_reluctantly() {
        let mut restart = Restart::default();
        let numbers: Vec<u64> = (0..15).map(|_| restart.next_luby()).collect();
        assert_eq!(numbers, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
