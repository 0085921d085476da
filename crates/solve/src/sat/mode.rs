//! Two ways of searching in turn (Oh 2015; Biere and Fleury 2020; CaDiCaL).
//!
//! *Focused*: frequent restarts and decisions on what the last conflicts were about; good at proving
//! that there is no model. *Stable*: rare restarts, activities and target phases; good at finding
//! one. The first turn is of a fixed number of conflicts; later turns get the memory accesses that
//! it took, times the square of how many there were, so that both get the same time.

use super::Solver;

const FIRST_TURN: u64 = 1000;

#[derive(Default)]
pub(super) struct Mode {
    stable: bool,
    turns: u64,
    /// Ticks at which the turn began.
    began: u64,
    /// How many ticks the first turn took.
    first: u64,
}

impl Mode {
    pub(super) fn is_stable(&self) -> bool {
        self.stable
    }
}

impl Solver {
    pub(super) fn mode_switch_due(&self) -> bool {
        match self.mode.turns {
            0 => self.counters.conflicts >= FIRST_TURN,
            turns => {
                let rounds = turns / 2 + 1;
                self.ticks >= self.mode.began + self.mode.first * rounds * rounds
            }
        }
    }

    pub(super) fn switch_mode(&mut self) {
        self.cancel_until(self.fixed_levels());
        if self.mode.turns == 0 {
            self.mode.first = (self.ticks - self.mode.began).max(1);
        }
        self.mode.turns += 1;
        self.mode.began = self.ticks;
        self.mode.stable = !self.mode.stable;
        self.phases.begin();
        self.restart_mode_changed();
    }

    /// Are decisions made by activity? Always within a domain, whose order is by it.
    pub(super) fn decides_by_activity(&self) -> bool {
        self.mode.stable || self.domain.is_active()
    }
}
