//! Conflicts: the clause to learn from one, and the assumptions that one rests on.

use super::clauses::{ACTIVITY, DISTANCE_SHIFT, SCOPE};
use super::{ClauseRef, Conflict, Reason, Sat, Theory};
use crate::sat::literal::Lit;

impl<T: Theory> Sat<T> {
    /// Calls `visit` for the false literals of a conflict; returns the conflict's scope.
    pub(super) fn conflict_lits(&self, conflict: &Conflict, mut visit: impl FnMut(Lit)) -> u32 {
        match *conflict {
            Conflict::Clause(clause) => {
                self.lits(clause).iter().for_each(|&lit| visit(Lit(lit)));
                self.arena[clause as usize + SCOPE]
            }
            Conflict::Binary(a, b, scope) => {
                visit(a);
                visit(b);
                scope
            }
            Conflict::Theory => {
                self.out.conflict.iter().for_each(|&lit| visit(!lit));
                0
            }
        }
    }

    /// Calls `visit` for the false literals that imply `lit`; returns the reason's scope.
    pub(super) fn reason_lits(&self, lit: Lit, mut visit: impl FnMut(Lit)) -> u32 {
        match self.reason[lit.var().index()] {
            Reason::None => 0,
            Reason::Clause(clause) => {
                let others = self.lits(clause).iter().map(|&other| Lit(other));
                others.filter(|other| *other != lit).for_each(visit);
                self.arena[clause as usize + SCOPE]
            }
            Reason::Binary(other, scope) => {
                visit(other);
                scope
            }
            Reason::Theory(start) => {
                self.out
                    .explanation(start)
                    .iter()
                    .for_each(|&other| visit(!Lit(other)));
                0
            }
        }
    }

    /// Resolves a conflict; false when the clauses contradict each other without assumptions.
    pub(super) fn resolve(&mut self, conflict: &Conflict) -> bool {
        // A theory may find a conflict late: go to the level where it arose.
        let mut level = 0;
        self.conflict_lits(conflict, |lit| {
            level = level.max(self.level[lit.var().index()])
        });
        if level == 0 {
            let mut facts = 0;
            let scope = self.conflict_lits(conflict, |lit| {
                facts = facts.max(self.root_scope[lit.var().index()]);
            });
            self.contradict(scope.max(facts));
            return false;
        }
        self.cancel_until(level);
        let scope = self.analyze(conflict);
        let scope = self.minimize(scope);
        self.learn(scope);
        true
    }

    /// Fills `learnt` with the first unique implication point clause, its asserting literal first;
    /// returns the scope of its derivation.
    pub(super) fn analyze(&mut self, conflict: &Conflict) -> u32 {
        let level = self.decision_level();
        self.learnt.clear();
        self.learnt.push(Lit(0));
        let mut lits = std::mem::take(&mut self.cleared);
        lits.clear();
        let mut scope = self.conflict_lits(conflict, |lit| lits.push(lit));
        if let Conflict::Clause(clause) = *conflict {
            self.bump_clause(clause);
        }
        let mut open = 0;
        let mut at = self.trail.len();
        loop {
            for &lit in &lits {
                let var = lit.var();
                if self.seen[var.index()] {
                    continue;
                }
                let var_level = self.level[var.index()];
                if var_level == 0 {
                    scope = scope.max(self.root_scope[var.index()]);
                    continue;
                }
                self.seen[var.index()] = true;
                self.heap.bump(var);
                if var_level == level {
                    open += 1;
                } else {
                    self.learnt.push(lit);
                }
            }
            let implied = loop {
                at -= 1;
                if self.seen[self.trail[at].var().index()] {
                    break self.trail[at];
                }
            };
            open -= 1;
            if open == 0 {
                self.learnt[0] = !implied;
                break;
            }
            self.seen[implied.var().index()] = false;
            lits.clear();
            scope = scope.max(self.reason_lits(implied, |lit| lits.push(lit)));
            if let Reason::Clause(clause) = self.reason[implied.var().index()] {
                self.bump_clause(clause);
            }
        }
        self.cleared = lits;
        scope
    }

    /// Leaves out literals that the others imply (Sörensson and Biere 2009), deeply.
    pub(super) fn minimize(&mut self, mut scope: u32) -> u32 {
        self.cleared.clear();
        self.cleared.extend_from_slice(&self.learnt);
        let levels = self
            .learnt
            .iter()
            .fold(0, |bits, lit| bits | self.level_bit(*lit));
        let mut kept = 1;
        for at in 1..self.learnt.len() {
            let lit = self.learnt[at];
            if self.reason[lit.var().index()] != Reason::None
                && let Some(used) = self.redundant(lit, levels)
            {
                scope = scope.max(used);
                continue;
            }
            self.learnt[kept] = lit;
            kept += 1;
        }
        self.learnt.truncate(kept);
        for lit in std::mem::take(&mut self.cleared) {
            self.seen[lit.var().index()] = false;
        }
        scope
    }

    pub(super) fn level_bit(&self, lit: Lit) -> u64 {
        1 << (self.level[lit.var().index()] % 64)
    }

    /// Do the other literals of the clause imply this one? With the scope of the derivation.
    pub(super) fn redundant(&mut self, lit: Lit, levels: u64) -> Option<u32> {
        let kept = self.cleared.len();
        let mut scope = 0;
        let mut stack = vec![lit];
        let mut lits = Vec::new();
        while let Some(lit) = stack.pop() {
            lits.clear();
            scope = scope.max(self.reason_lits(!lit, |other| lits.push(other)));
            for &other in &lits {
                let var = other.var().index();
                if self.level[var] == 0 {
                    scope = scope.max(self.root_scope[var]);
                    continue;
                }
                if self.seen[var] {
                    continue;
                }
                if self.reason[var] == Reason::None || self.level_bit(other) & levels == 0 {
                    for lit in self.cleared.drain(kept..) {
                        self.seen[lit.var().index()] = false;
                    }
                    return None;
                }
                self.seen[var] = true;
                self.cleared.push(other);
                stack.push(other);
            }
        }
        Some(scope)
    }

    /// Stores the learned clause, jumps back and asserts its first literal.
    pub(super) fn learn(&mut self, scope: u32) {
        let mut learnt = std::mem::take(&mut self.learnt);
        let distance = self.distance(&learnt);
        self.restart.learned(distance);
        self.heap.decay();
        self.clause_increment += 1;
        if learnt.len() == 1 {
            self.cancel_until(0);
            self.enqueue(learnt[0], Reason::None);
            self.root_scope[learnt[0].var().index()] = scope;
        } else {
            let deepest = (1..learnt.len()).max_by_key(|&at| self.level[learnt[at].var().index()]);
            learnt.swap(1, deepest.unwrap_or(1));
            self.cancel_until(self.level[learnt[1].var().index()]);
            let reason = if let [a, b] = learnt[..] {
                self.attach_binary(a, b, scope)
            } else {
                let clause = self.store(&learnt, distance << DISTANCE_SHIFT, scope);
                self.learned.push(clause);
                Reason::Clause(clause)
            };
            self.enqueue(learnt[0], reason);
        }
        self.learnt = learnt;
    }

    /// The number of different levels in a clause.
    pub(super) fn distance(&mut self, lits: &[Lit]) -> u32 {
        self.stamp += 1;
        let mut distance = 0;
        for lit in lits {
            let level = self.level[lit.var().index()] as usize;
            if level >= self.level_stamp.len() {
                self.level_stamp.resize(level + 1, 0);
            }
            if self.level_stamp[level] != self.stamp {
                self.level_stamp[level] = self.stamp;
                distance += 1;
            }
        }
        distance
    }

    /// A learned clause that takes part in a conflict is young again.
    pub(super) fn bump_clause(&mut self, clause: ClauseRef) {
        self.arena[clause as usize + ACTIVITY] = self.clause_increment;
    }

    /// Which assumptions imply that the assumption `failed` is false?
    pub(super) fn analyze_core(&mut self, failed: Lit) {
        self.core.clear();
        self.core.push(failed);
        if self.level[failed.var().index()] == 0 {
            return;
        }
        let mut seen = vec![false; self.level.len()];
        seen[failed.var().index()] = true;
        for &lit in self.trail.iter().rev() {
            let var = lit.var().index();
            if !seen[var] || self.level[var] == 0 {
                continue;
            }
            if self.reason[var] == Reason::None {
                self.core.push(lit);
            } else {
                self.reason_lits(lit, |other| seen[other.var().index()] = true);
            }
        }
    }
}
