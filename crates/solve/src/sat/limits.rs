//! When to stop: interrupts, effort and time.

use crate::solver::{Budget, Interrupt, Unknown};
use std::cell::Cell;
use std::time::Instant;

pub(crate) type Stop = Unknown;

/// The limits of one check. Effort is counted in conflicts and pivots.
pub(crate) struct SearchLimits {
    interrupt: Interrupt,
    effort: Cell<u64>,
    most: u64,
    deadline: Option<Instant>,
    /// The clock is read only now and then.
    ticks: Cell<u32>,
}

impl SearchLimits {
    pub(crate) fn new(interrupt: Interrupt, budget: Budget) -> SearchLimits {
        SearchLimits {
            interrupt,
            effort: Cell::new(0),
            most: budget.effort.unwrap_or(u64::MAX),
            deadline: budget.time.map(|time| Instant::now() + time),
            ticks: Cell::new(0),
        }
    }

    #[inline]
    pub(crate) fn spend(&self, effort: u64) {
        self.effort.set(self.effort.get() + effort);
    }

    #[inline]
    pub(crate) fn reached(&self) -> Option<Stop> {
        if self.interrupt.is_set() {
            return Some(Unknown::Interrupted);
        }
        if self.effort.get() > self.most {
            return Some(Unknown::Budget);
        }
        let deadline = self.deadline?;
        self.ticks.set(self.ticks.get() + 1);
        (self.ticks.get().is_multiple_of(64) && Instant::now() >= deadline)
            .then_some(Unknown::Budget)
    }
}
