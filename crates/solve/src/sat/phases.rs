//! Which value to decide a variable with.
//!
//! The one it had last (phase saving, Pipatsrisawat and Darwiche 2007). While the search is stable,
//! the one it had in the longest trail without conflict since the last change (target phases, Biere
//! and Fleury 2020). Now and then the saved values are thrown over (rephasing, Biere 2018): to the
//! longest trail of all, to the first values, or to the opposite of either.

use super::Solver;
use super::literal::{Lit, Var};

/// A saved value: 1 true, -1 false, 0 none.
type Phase = i8;

/// The value that variables without history are decided with.
const FIRST: Phase = -1;

/// Conflicts until the values are thrown over, times how often they were.
const INTERVAL: u64 = 1000;

#[derive(Default)]
pub(super) struct Phases {
    saved: Vec<Phase>,
    target: Vec<Phase>,
    best: Vec<Phase>,
    /// What the caller wants.
    preferred: Vec<Phase>,
    /// How long the trails of `target` and `best` were.
    target_length: usize,
    best_length: usize,
    count: u64,
    next: u64,
}

fn sign(lit: Lit) -> Phase {
    if lit.is_positive() { 1 } else { -1 }
}

impl Phases {
    pub(super) fn grow(&mut self) {
        self.saved.push(FIRST);
        self.target.push(0);
        self.best.push(0);
        self.preferred.push(0);
        self.next = self.next.max(INTERVAL);
    }

    #[inline]
    pub(super) fn save(&mut self, lit: Lit) {
        self.saved[lit.var().index()] = sign(lit);
    }

    pub(super) fn was_true(&self, lit: Lit) -> bool {
        self.saved[lit.var().index()] == sign(lit)
    }

    pub(super) fn prefer(&mut self, lit: Lit) {
        self.preferred[lit.var().index()] = sign(lit);
    }

    pub(super) fn no_preference(&mut self, var: Var) {
        self.preferred[var.index()] = 0;
    }

    /// The literal to decide.
    pub(super) fn choose(&self, var: Var, stable: bool) -> Lit {
        let mut phase = self.preferred[var.index()];
        if phase == 0 && stable {
            phase = self.target[var.index()];
        }
        if phase == 0 {
            phase = self.saved[var.index()];
        }
        var.lit(phase > 0)
    }

    /// A part of a trail had no conflict.
    fn consistent(&mut self, trail: &[Lit]) {
        if trail.len() > self.target_length {
            self.target_length = trail.len();
            for lit in trail {
                self.target[lit.var().index()] = sign(*lit);
            }
        }
        if trail.len() > self.best_length {
            self.best_length = trail.len();
            for lit in trail {
                self.best[lit.var().index()] = sign(*lit);
            }
        }
    }

    /// A new question: trails of other questions are no measure.
    pub(super) fn begin(&mut self) {
        self.target_length = 0;
        self.best_length = 0;
    }
}

impl Solver {
    /// A conflict on the last level: the trail before it had none.
    pub(super) fn note_consistent_trail(&mut self) {
        if self.mode.is_stable()
            && let Some(level) = self.levels.last()
        {
            self.phases.consistent(&self.trail[..level.trail as usize]);
        }
    }

    pub(super) fn rephase_due(&self) -> bool {
        self.counters.conflicts >= self.phases.next
    }

    /// Throws the saved values over.
    pub(super) fn rephase(&mut self) {
        self.cancel_until(self.fixed_levels());
        let phases = &mut self.phases;
        match phases.count % 6 {
            0 | 2 | 4 => {
                let both = phases.saved.iter_mut().zip(&phases.best);
                both.filter(|(_, best)| **best != 0)
                    .for_each(|(saved, best)| *saved = *best);
            }
            1 => phases.saved.iter_mut().for_each(|saved| *saved = -*saved),
            3 => phases.saved.fill(FIRST),
            _ => phases.saved.fill(-FIRST),
        }
        phases.target.fill(0);
        phases.begin();
        phases.count += 1;
        phases.next = self.counters.conflicts + INTERVAL * phases.count;
    }
}
