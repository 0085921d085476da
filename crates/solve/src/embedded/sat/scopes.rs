//! Scopes: opening one, and forgetting what was made in it.

use super::clauses::LIFETIME;
use super::{ClauseRef, Sat, Theory};
use crate::sat::literal::{Lit, Var};

impl<T: Theory> Sat<T> {
    pub(in crate::embedded) fn push(&mut self) {
        self.cancel_until(0);
        self.scope += 1;
    }

    /// Closes the innermost scope; returns the variables that go with it.
    pub(in crate::embedded) fn pop(&mut self) -> Vec<Var> {
        self.cancel_until(0);
        let closed = self.scope;
        self.scope -= 1;
        if self.contradiction.is_some_and(|from| from >= closed) {
            self.contradiction = None;
        }
        self.drop_facts(closed);
        self.drop_clauses(closed);
        self.drop_binaries(closed);
        let dead = self.vars.close(closed);
        for &var in &dead {
            self.drop_var(var);
        }
        self.collect_garbage();
        for (fact, scope) in std::mem::take(&mut self.overridden) {
            if scope < closed && self.lifetime(fact) < closed {
                self.add_fact(fact, scope);
            }
        }
        dead
    }

    pub(super) fn drop_clauses(&mut self, closed: u32) {
        let lifetime = |sat: &Self, clause: ClauseRef| sat.arena[clause as usize + LIFETIME];
        let mut gone = self.originals.close(closed);
        gone.extend(
            self.learned
                .iter()
                .filter(|&&clause| lifetime(self, clause) >= closed),
        );
        self.delete(&gone);
    }

    pub(super) fn drop_binaries(&mut self, closed: u32) {
        let mut dirty = Vec::new();
        for (a, b) in self.binaries.close(closed) {
            dirty.extend([!a, !b]);
        }
        dirty.sort_unstable();
        dirty.dedup();
        let lifetime = &self.lifetime;
        for lit in dirty {
            self.implications[lit.index()]
                .retain(|&(other, scope)| scope < closed && lifetime[other.var().index()] < closed);
        }
    }

    /// Takes back the facts that go with a scope, and tells the theory of the rest anew.
    pub(super) fn drop_facts(&mut self, closed: u32) {
        let goes = |sat: &Self, lit: Lit| {
            sat.lifetime(lit) >= closed || sat.root_scope[lit.var().index()] >= closed
        };
        let Some(first) = self.trail.iter().position(|&lit| goes(self, lit)) else {
            return;
        };
        let later = self.trail.split_off(first);
        for &lit in &later {
            self.values.clear(lit);
        }
        if self.theory_head > first {
            self.told = self
                .trail
                .iter()
                .filter(|lit| self.is_atom[lit.var().index()])
                .count();
            self.theory.retract(self.told);
            self.theory_head = first;
        }
        // A fact that stays may imply one that goes, through a clause that watches neither: all
        // facts are propagated anew.
        self.head = 0;
        for lit in later {
            if goes(self, lit) {
                self.heap.insert(lit.var());
            } else {
                self.values.set(lit);
                self.trail.push(lit);
            }
        }
    }

    /// Nothing mentions the variable any more.
    pub(super) fn drop_var(&mut self, var: Var) {
        debug_assert!(self.values.is_open(var.positive()));
        for lit in [var.positive(), !var.positive()] {
            self.implications[lit.index()].clear();
            self.watches[lit.index()].clear();
        }
        self.phase[var.index()] = None;
        self.preferred[var.index()] = None;
        self.is_atom[var.index()] = false;
        self.heap.remove(var);
        self.free.push(var);
    }
}
