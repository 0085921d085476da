//! Propagation: through binary clauses, through long ones by two watched literals, and through the
//! theory, until nothing more follows.

use super::clauses::HEADER;
use super::{Conflict, Reason, Sat, Theory, TheoryVerdict, Watch};
use crate::sat::limits::{SearchLimits, Stop};
use crate::sat::literal::Lit;

impl<T: Theory> Sat<T> {
    /// Propagates through clauses and theory until nothing more follows.
    pub(super) fn propagate(&mut self, limits: &SearchLimits) -> Result<Option<Conflict>, Stop> {
        loop {
            if let Some(conflict) = self.propagate_clauses() {
                return Ok(Some(conflict));
            }
            let before = self.told;
            while self.theory_head < self.trail.len() {
                let lit = self.trail[self.theory_head];
                self.theory_head += 1;
                if self.is_atom[lit.var().index()] {
                    self.theory.assign(lit);
                    self.told += 1;
                }
            }
            if self.told == before && self.theory.is_settled() {
                return Ok(None);
            }
            self.out.implied.clear();
            match self.theory.propagate(&self.values, limits, &mut self.out) {
                TheoryVerdict::Consistent => {}
                TheoryVerdict::Conflict => return Ok(Some(Conflict::Theory)),
                TheoryVerdict::Stopped(stop) => return Err(stop),
            }
            if self.out.implied.is_empty() {
                return Ok(None);
            }
            if let Some(conflict) = self.enqueue_implied() {
                return Ok(Some(conflict));
            }
        }
    }

    pub(super) fn enqueue_implied(&mut self) -> Option<Conflict> {
        for at in 0..self.out.implied.len() {
            let (lit, start) = self.out.implied[at];
            if self.values.is_open(lit) {
                self.enqueue(lit, Reason::Theory(start));
            } else if self.values.is_false(lit) {
                let because = self
                    .out
                    .explanation(start)
                    .iter()
                    .map(|&lit| Lit(lit))
                    .collect();
                self.out.conflict = because;
                self.out.conflict.push(!lit);
                return Some(Conflict::Theory);
            }
        }
        if self.levels.is_empty() {
            // Facts need no reasons.
            self.out.explanations.clear();
        }
        None
    }

    pub(super) fn propagate_clauses(&mut self) -> Option<Conflict> {
        while self.head < self.trail.len() {
            let lit = self.trail[self.head];
            self.head += 1;
            self.counters.propagations += 1;
            for at in 0..self.implications[lit.index()].len() {
                let (other, scope) = self.implications[lit.index()][at];
                match self.values.get(other) {
                    1 => {}
                    0 => self.enqueue(other, Reason::Binary(!lit, scope)),
                    _ => return Some(Conflict::Binary(other, !lit, scope)),
                }
            }
            if let Some(conflict) = self.propagate_watches(lit) {
                return Some(conflict);
            }
        }
        None
    }

    /// Visits the clauses that watch the negation of `lit`, which has become true.
    pub(super) fn propagate_watches(&mut self, lit: Lit) -> Option<Conflict> {
        let mut watches = std::mem::take(&mut self.watches[lit.index()]);
        let (mut read, mut write) = (0, 0);
        let mut conflict = None;
        'watches: while read < watches.len() {
            let watch = watches[read];
            read += 1;
            if self.values.is_true(watch.blocker) {
                watches[write] = watch;
                write += 1;
                continue;
            }
            let start = watch.clause as usize + HEADER;
            let end = start + self.arena[watch.clause as usize] as usize;
            let lits = &mut self.arena[start..end];
            if lits[0] == (!lit).0 {
                lits.swap(0, 1);
            }
            let first = Lit(lits[0]);
            let kept = Watch {
                clause: watch.clause,
                blocker: first,
            };
            if first != watch.blocker && self.values.is_true(first) {
                watches[write] = kept;
                write += 1;
                continue;
            }
            for at in 2..lits.len() {
                let other = Lit(lits[at]);
                if !self.values.is_false(other) {
                    lits.swap(1, at);
                    self.watches[(!other).index()].push(kept);
                    continue 'watches;
                }
            }
            watches[write] = kept;
            write += 1;
            if self.values.is_false(first) {
                conflict = Some(Conflict::Clause(watch.clause));
                watches.copy_within(read.., write);
                write += watches.len() - read;
                break;
            }
            self.enqueue(first, Reason::Clause(watch.clause));
        }
        watches.truncate(write);
        self.watches[lit.index()] = watches;
        conflict
    }
}
