//! Propagation: two watched literals with blockers (Moskewicz et al. 2001; blockers after Chu,
//! Harwood and Stuckey 2008). A watch of a binary clause holds all of it.
//!
//! There are two instances of one loop. The plain one implies whatever follows. The one within a
//! domain (see `domain`) implies nothing about variables outside: a clause with an open literal
//! outside counts as satisfied. Facts are always implied by the plain one.

use super::Solver;
use super::arena::ClauseRef;
use super::literal::Lit;

/// A clause that watches a literal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    /// Some other literal of the clause: when it is true there is nothing to do.
    pub(super) blocker: Lit,
    /// The clause, and a bit that is set when it is binary.
    clause: u32,
}

const BINARY: u32 = 1 << 31;

impl Watch {
    pub(super) fn new(clause: ClauseRef, blocker: Lit, size: usize) -> Watch {
        Watch {
            blocker,
            clause: clause.0 | if size == 2 { BINARY } else { 0 },
        }
    }

    #[inline]
    pub(super) fn clause(self) -> ClauseRef {
        ClauseRef(self.clause & !BINARY)
    }

    pub(super) fn move_to(&mut self, clause: ClauseRef) {
        self.clause = clause.0 | self.clause & BINARY;
    }

    #[inline]
    pub(super) fn is_binary(self) -> bool {
        self.clause & BINARY != 0
    }
}

impl Solver {
    /// Propagates until nothing more follows; returns a clause that is false.
    pub(super) fn propagate(&mut self) -> Option<ClauseRef> {
        if self.domain.is_active() && !self.levels.is_empty() {
            self.propagate_all::<true>()
        } else {
            self.propagate_all::<false>()
        }
    }

    /// Propagates without regard to a domain.
    pub(super) fn propagate_plainly(&mut self) -> Option<ClauseRef> {
        self.propagate_all::<false>()
    }

    fn propagate_all<const WITHIN: bool>(&mut self) -> Option<ClauseRef> {
        let first = self.head;
        let mut conflict = None;
        while conflict.is_none() && self.head < self.trail.len() {
            let lit = self.trail[self.head];
            self.head += 1;
            conflict = self.propagate_literal::<WITHIN>(lit);
        }
        self.counters.propagations += (self.head - first) as u64;
        conflict
    }

    /// Visits the clauses that watch the negation of `lit`, which has become true.
    fn propagate_literal<const WITHIN: bool>(&mut self, lit: Lit) -> Option<ClauseRef> {
        let mut watches = std::mem::take(&mut self.watches[lit.index()]);
        let mut ticks = 1 + watches.len() as u64 / 8;
        let (mut read, mut write) = (0, 0);
        let mut conflict = None;
        'watches: while read < watches.len() {
            let watch = watches[read];
            read += 1;
            watches[write] = watch;
            write += 1;
            let blocker = self.values.get(watch.blocker);
            if blocker > 0 {
                continue;
            }
            if watch.is_binary() {
                if blocker < 0 {
                    conflict = Some(watch.clause());
                    break;
                }
                if !WITHIN || self.domain.has(watch.blocker.var()) {
                    self.assign(watch.blocker, watch.clause());
                }
                continue;
            }
            if WITHIN && blocker == 0 && !self.domain.has(watch.blocker.var()) {
                continue;
            }
            ticks += 1;
            let clause = watch.clause();
            let lits = self.arena.words_mut(clause);
            // The other watched literal, whichever of the first two it is.
            let other = Lit(lits[0] ^ lits[1] ^ (!lit).0);
            let value = self.values.get(other);
            let kept = Watch {
                blocker: other,
                clause: watch.clause,
            };
            if value > 0 {
                watches[write - 1] = kept;
                continue;
            }
            for at in 2..lits.len() {
                let replacement = Lit(lits[at]);
                if !self.values.is_false(replacement) {
                    lits[0] = other.0;
                    lits[1] = replacement.0;
                    lits[at] = (!lit).0;
                    self.watches[(!replacement).index()].push(kept);
                    write -= 1;
                    continue 'watches;
                }
            }
            watches[write - 1] = kept;
            if value < 0 {
                conflict = Some(clause);
                break;
            }
            if !WITHIN || self.domain.has(other.var()) {
                self.assign(other, clause);
            }
        }
        if read < watches.len() {
            watches.copy_within(read.., write);
            write += watches.len() - read;
        }
        watches.truncate(write);
        self.watches[lit.index()] = watches;
        self.ticks += ticks;
        conflict
    }
}
