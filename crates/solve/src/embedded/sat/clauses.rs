//! The clauses: how they are stored, added at any moment of the search, and thrown away.

use super::{ClauseRef, Reason, Sat, Theory, Watch};
use crate::sat::literal::Lit;

/// The arena's header: length, flags and block distance, scope of the derivation, scope with which
/// the clause goes, activity.
pub(super) const HEADER: usize = 5;
pub(super) const FLAGS: usize = 1;
pub(super) const SCOPE: usize = 2;
pub(super) const LIFETIME: usize = 3;
pub(super) const ACTIVITY: usize = 4;
pub(super) const DELETED: u32 = 1;
pub(super) const DISTANCE_SHIFT: u32 = 1;

impl<T: Theory> Sat<T> {
    /// Adds a clause that follows from assertions of `scope` (0 for a definition of fresh
    /// variables or a lemma of the theory). Works at every level of the search.
    pub(in crate::embedded) fn add_clause(&mut self, clause: &[Lit], scope: u32) {
        // A fact may shorten the clause only if it lives as long.
        let lifetime = clause
            .iter()
            .map(|&lit| self.lifetime(lit))
            .fold(scope, u32::max);
        let mut scope = scope;
        let mut lits: Vec<Lit> = Vec::with_capacity(clause.len());
        for &lit in clause {
            let root_scope = self.root_scope[lit.var().index()];
            if self.is_fact(!lit) && root_scope <= lifetime {
                scope = scope.max(root_scope);
            } else if lits.contains(&!lit) || (self.is_fact(lit) && root_scope <= lifetime) {
                return;
            } else if !lits.contains(&lit) {
                lits.push(lit);
            }
        }
        match lits[..] {
            [] => self.contradict(scope),
            [fact] => self.add_fact(fact, scope),
            _ => {
                if let Some(facts) = self.all_false_facts(&lits) {
                    self.attach(&lits, scope);
                    self.contradict(scope.max(facts));
                    return;
                }
                self.prepare_to_attach(&mut lits);
                let implied = self.values.is_false(lits[1]) && !self.values.is_true(lits[0]);
                let reason = self.attach(&lits, scope);
                if implied {
                    self.enqueue(lits[0], reason);
                }
            }
        }
    }

    /// The scope of the facts by which all literals are false, if they are.
    pub(super) fn all_false_facts(&self, lits: &[Lit]) -> Option<u32> {
        let all = lits.iter().all(|&lit| self.is_fact(!lit));
        all.then(|| {
            lits.iter()
                .map(|lit| self.root_scope[lit.var().index()])
                .fold(0, u32::max)
        })
    }

    pub(super) fn is_fact(&self, lit: Lit) -> bool {
        self.values.is_true(lit) && self.level[lit.var().index()] == 0
    }

    pub(super) fn add_fact(&mut self, fact: Lit, scope: u32) {
        self.cancel_until(0);
        if self.values.is_false(fact) {
            self.overridden.push((fact, scope));
            self.contradict(scope.max(self.root_scope[fact.var().index()]));
        } else if self.values.is_open(fact) {
            self.enqueue(fact, Reason::None);
            self.root_scope[fact.var().index()] = scope;
        } else {
            let known = &mut self.root_scope[fact.var().index()];
            *known = scope.min(*known);
        }
    }

    pub(super) fn contradict(&mut self, scope: u32) {
        self.cancel_until(0);
        self.contradiction = Some(self.contradiction.map_or(scope, |known| known.min(scope)));
    }

    /// Puts the two literals to watch first, and jumps back until the clause is no conflict and, if
    /// it implies its first literal, does so at the present level.
    pub(super) fn prepare_to_attach(&mut self, lits: &mut [Lit]) {
        let rank = |sat: &Self, lit: Lit| match sat.values.get(lit) {
            -1 => sat.level[lit.var().index()],
            _ => u32::MAX,
        };
        for place in 0..2 {
            let best = (place..lits.len())
                .max_by_key(|&at| rank(self, lits[at]))
                .unwrap_or(place);
            lits.swap(place, best);
        }
        let (first, second) = (rank(self, lits[0]), rank(self, lits[1]));
        if second == u32::MAX {
            return;
        }
        if first == u32::MAX {
            if !self.values.is_true(lits[0]) {
                self.cancel_until(second);
            }
        } else if first == second {
            self.cancel_until(first - 1);
        } else {
            self.cancel_until(second);
        }
    }

    /// Stores a clause of two or more literals; the first two are watched.
    pub(super) fn attach(&mut self, lits: &[Lit], scope: u32) -> Reason {
        if let [a, b] = *lits {
            return self.attach_binary(a, b, scope);
        }
        let clause = self.store(lits, 0, scope);
        self.originals
            .keep(self.arena[clause as usize + LIFETIME], clause);
        Reason::Clause(clause)
    }

    pub(super) fn attach_binary(&mut self, a: Lit, b: Lit, scope: u32) -> Reason {
        let lifetime = scope.max(self.lifetime(a)).max(self.lifetime(b));
        self.binaries.note(lifetime, (a, b));
        self.implications[(!a).index()].push((b, scope));
        self.implications[(!b).index()].push((a, scope));
        Reason::Binary(b, scope)
    }

    pub(super) fn store(&mut self, lits: &[Lit], flags: u32, scope: u32) -> ClauseRef {
        let clause = self.arena.len() as ClauseRef;
        let lifetime = lits
            .iter()
            .map(|&lit| self.lifetime(lit))
            .fold(scope, u32::max);
        self.arena.extend([
            lits.len() as u32,
            flags,
            scope,
            lifetime,
            self.clause_increment,
        ]);
        self.arena.extend(lits.iter().map(|lit| lit.0));
        self.watches[(!lits[0]).index()].push(Watch {
            clause,
            blocker: lits[1],
        });
        self.watches[(!lits[1]).index()].push(Watch {
            clause,
            blocker: lits[0],
        });
        clause
    }

    pub(super) fn lits(&self, clause: ClauseRef) -> &[u32] {
        let start = clause as usize;
        &self.arena[start + HEADER..start + HEADER + self.arena[start] as usize]
    }

    /// Deletes clauses, and learned ones from their list.
    pub(super) fn delete(&mut self, clauses: &[ClauseRef]) {
        let mut dirty = Vec::with_capacity(2 * clauses.len());
        for &clause in clauses {
            let lits = self.lits(clause);
            dirty.extend([!Lit(lits[0]), !Lit(lits[1])]);
            self.wasted += HEADER + self.arena[clause as usize] as usize;
            self.arena[clause as usize + FLAGS] |= DELETED;
        }
        dirty.sort_unstable();
        dirty.dedup();
        let arena = &self.arena;
        let alive = |clause: ClauseRef| arena[clause as usize + FLAGS] & DELETED == 0;
        for lit in dirty {
            self.watches[lit.index()].retain(|watch| alive(watch.clause));
        }
        self.learned.retain(|&clause| alive(clause));
    }

    /// Moves the clauses together when a good part of the arena is waste.
    pub(super) fn collect_garbage(&mut self) {
        if self.wasted < 1 << 12 || self.wasted * 4 < self.arena.len() {
            return;
        }
        let mut arena = Vec::with_capacity(self.arena.len() - self.wasted);
        // The new place of a moved clause is left where its length was.
        for clause in self.originals.iter_mut().chain(&mut self.learned) {
            let start = *clause as usize;
            let len = HEADER + self.arena[start] as usize;
            let moved = arena.len() as ClauseRef;
            arena.extend_from_slice(&self.arena[start..start + len]);
            self.arena[start] = moved;
            *clause = moved;
        }
        for watches in &mut self.watches {
            watches.retain_mut(|watch| {
                let start = watch.clause as usize;
                watch.clause = self.arena[start];
                self.arena[start + FLAGS] & DELETED == 0
            });
        }
        for lit in &self.trail {
            if let Reason::Clause(clause) = &mut self.reason[lit.var().index()] {
                *clause = self.arena[*clause as usize];
            }
        }
        self.arena = arena;
        self.wasted = 0;
    }

    /// Forgets the less useful half of the learned clauses.
    pub(super) fn reduce(&mut self) {
        let locked = |sat: &Self, clause: ClauseRef| {
            let first = Lit(sat.lits(clause)[0]);
            sat.values.is_true(first) && sat.reason[first.var().index()] == Reason::Clause(clause)
        };
        let mut candidates: Vec<ClauseRef> = self
            .learned
            .iter()
            .copied()
            .filter(|&clause| {
                self.arena[clause as usize + FLAGS] >> DISTANCE_SHIFT > 2 && !locked(self, clause)
            })
            .collect();
        candidates.sort_by_key(|&clause| {
            let distance = self.arena[clause as usize + FLAGS] >> DISTANCE_SHIFT;
            (distance, u32::MAX - self.arena[clause as usize + ACTIVITY])
        });
        self.delete(&candidates[candidates.len() / 2..]);
        self.collect_garbage();
    }
}
