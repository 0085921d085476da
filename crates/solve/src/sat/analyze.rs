//! Conflicts: the clause to learn from one, and the assumptions that one rests on.
//!
//! The clause of the first unique implication point (Marques-Silva and Sakallah 1996; Zhang et al.
//! 2001), without the literals that the others imply (Sörensson and Biere 2009, with the levels as a
//! quick test by Van Gelder 2009 and Knuth).

use super::arena::{ClauseInfo, ClauseRef};
use super::literal::{Lit, Var};
use super::reduce::TIER2;
use super::{Answer, Solver};

const SEEN: u8 = 1;
/// The literal is implied by literals of the clause.
const REMOVABLE: u8 = 2;
/// The literal is not implied by literals of the clause.
const POISON: u8 = 4;

/// A literal whose reason is being looked at: up to where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    var: Var,
    reason: ClauseRef,
    next: usize,
}

impl Solver {
    /// Learns from a conflict; false when the clauses contradict each other.
    pub(super) fn resolve(&mut self, conflict: ClauseRef) -> bool {
        let levels = self.arena.lits(conflict);
        let level = levels.map(|lit| self.variables[lit.var().index()].level);
        let level = level.max().unwrap_or(0);
        if level == 0 {
            self.refute(conflict);
            return false;
        }
        self.cancel_until(level);
        self.note_consistent_trail();
        self.analyze(conflict);
        let glue = self.seen_levels.len() as u32;
        self.bump_marked();
        self.minimize();
        self.clear_marks();
        self.learn(conflict, glue);
        true
    }

    /// A clause is false by facts.
    pub(super) fn refute(&mut self, conflict: ClauseRef) {
        let lits: Vec<Lit> = self.arena.lits(conflict).collect();
        self.set_hints(&lits, &[self.arena.id(conflict)]);
        let id = self.log_derived(&[]);
        self.contradict(id);
    }

    /// Fills `learnt` with the clause of the first unique implication point, its literal first.
    fn analyze(&mut self, conflict: ClauseRef) {
        let level = self.decision_level();
        self.learnt.clear();
        self.learnt.push(Lit(0));
        let mut clause = conflict;
        let mut open = 0;
        let mut at = self.trail.len();
        loop {
            self.use_clause(clause);
            for place in 0..self.arena.size(clause) {
                let lit = self.arena.lit(clause, place);
                open += u32::from(self.see(lit, level));
            }
            let implied = loop {
                at -= 1;
                if self.marks[self.trail[at].var().index()] != 0 {
                    break self.trail[at];
                }
            };
            open -= 1;
            if open == 0 {
                self.learnt[0] = !implied;
                return;
            }
            clause = self.variables[implied.var().index()].reason;
        }
    }

    /// Notes a literal of a clause that takes part; returns whether it is of the present level.
    #[inline]
    fn see(&mut self, lit: Lit, level: u32) -> bool {
        let var = lit.var();
        let data = self.variables[var.index()];
        if self.marks[var.index()] != 0 || data.level == 0 {
            return false;
        }
        self.marks[var.index()] = SEEN;
        self.marked.push(var);
        let own = &mut self.levels[data.level as usize - 1];
        if own.seen == 0 {
            self.seen_levels.push(data.level);
            own.earliest = data.position;
        }
        own.seen += 1;
        own.earliest = own.earliest.min(data.position);
        if data.level < level {
            self.learnt.push(lit);
            return false;
        }
        true
    }

    /// A learned clause that takes part in a conflict is useful, and may have fewer levels by now.
    fn use_clause(&mut self, clause: ClauseRef) {
        if !self.arena.is_learned(clause) {
            return;
        }
        let glue = self.arena.glue(clause);
        if glue > 2 {
            let now = self.count_levels(clause);
            if now < glue {
                self.arena.set_glue(clause, now);
            }
        }
        let used = 1 + u32::from(self.arena.glue(clause) <= TIER2);
        self.arena.set_used(clause, used);
    }

    /// The number of different levels in a clause.
    fn count_levels(&mut self, clause: ClauseRef) -> u32 {
        self.stamp += 1;
        if self.level_stamp.len() <= self.levels.len() {
            self.level_stamp.resize(self.levels.len() + 1, 0);
        }
        let mut count = 0;
        for lit in self.arena.lits(clause) {
            let level = self.variables[lit.var().index()].level as usize;
            if self.level_stamp[level] != self.stamp {
                self.level_stamp[level] = self.stamp;
                count += 1;
            }
        }
        count
    }

    /// The variables that took part are decided sooner.
    fn bump_marked(&mut self) {
        if !self.decides_by_activity() {
            // Their order among themselves stays.
            let queue = &self.queue;
            self.marked.sort_unstable_by_key(|&var| queue.stamp(var));
            for &var in &self.marked {
                let is_open = self.values.is_open(var.positive());
                self.queue.bump(var, is_open);
            }
            return;
        }
        for at in 0..self.marked.len() {
            let var = self.marked[at];
            self.activities.bump(var);
            self.order.raised(var, &self.activities);
            if self.domain.is_active() {
                self.domain.raised(var, &self.activities);
            }
        }
        self.activities.decay();
    }

    /// Leaves out literals that the others imply.
    fn minimize(&mut self) {
        let mut kept = 1;
        for at in 1..self.learnt.len() {
            let lit = self.learnt[at];
            if !self.is_redundant(lit) {
                self.learnt[kept] = lit;
                kept += 1;
            }
        }
        self.learnt.truncate(kept);
    }

    /// Do the other literals of the clause imply this one?
    fn is_redundant(&mut self, lit: Lit) -> bool {
        let data = self.variables[lit.var().index()];
        if data.reason.is_none() || self.levels[data.level as usize - 1].seen < 2 {
            return false;
        }
        let mut frame = Frame {
            var: lit.var(),
            reason: data.reason,
            next: 0,
        };
        self.stack.clear();
        loop {
            if frame.next == self.arena.size(frame.reason) {
                self.mark(frame.var, REMOVABLE);
                match self.stack.pop() {
                    Some(outer) => frame = outer,
                    None => return true,
                }
                continue;
            }
            let var = self.arena.lit(frame.reason, frame.next).var();
            frame.next += 1;
            let data = self.variables[var.index()];
            let mark = self.marks[var.index()];
            if var == frame.var || data.level == 0 || mark & (SEEN | REMOVABLE) != 0 {
                continue;
            }
            let level = &self.levels[data.level as usize - 1];
            let hopeless = level.seen == 0 || data.position < level.earliest;
            if data.reason.is_none() || mark & POISON != 0 || hopeless {
                self.mark(frame.var, POISON);
                while let Some(outer) = self.stack.pop() {
                    self.mark(outer.var, POISON);
                }
                return false;
            }
            self.stack.push(frame);
            frame = Frame {
                var,
                reason: data.reason,
                next: 0,
            };
        }
    }

    fn mark(&mut self, var: Var, mark: u8) {
        if self.marks[var.index()] == 0 {
            self.marked.push(var);
        }
        self.marks[var.index()] |= mark;
    }

    fn clear_marks(&mut self) {
        for var in self.marked.drain(..) {
            self.marks[var.index()] = 0;
        }
        for level in self.seen_levels.drain(..) {
            self.levels[level as usize - 1].seen = 0;
        }
    }

    /// Stores the learned clause, jumps back and asserts its first literal.
    fn learn(&mut self, conflict: ClauseRef, glue: u32) {
        let mut learnt = std::mem::take(&mut self.learnt);
        self.restart.learned(glue);
        if self.proof.is_some() {
            let lits: Vec<Lit> = self.arena.lits(conflict).collect();
            self.explain(&learnt, &lits, self.arena.id(conflict));
        }
        let id = self.log_derived(&learnt);
        if let [fact] = learnt[..] {
            self.cancel_until(0);
            self.set_unit(fact, id);
            self.assign_fact(fact);
        } else {
            let deepest = (1..learnt.len())
                .max_by_key(|&at| self.variables[learnt[at].var().index()].level)
                .unwrap_or(1);
            learnt.swap(1, deepest);
            self.cancel_until(self.variables[learnt[1].var().index()].level);
            let info = ClauseInfo {
                id,
                learned: true,
                glue: glue.min(learnt.len() as u32),
            };
            let clause = self.attach(&learnt, info);
            let used = 1 + u32::from(glue <= TIER2);
            self.arena.set_used(clause, used);
            self.assign(learnt[0], clause);
        }
        self.learnt = learnt;
    }

    /// The assumption `failed` is false: which others imply that?
    pub(super) fn fail_assumption(&mut self, failed: Lit) -> Answer {
        let reason = self.variables[failed.var().index()].reason;
        self.collect_core(&[failed]);
        if self.variables[failed.var().index()].level == 0 {
            self.core.push(failed);
            self.conclusion = self.proof.as_ref().map(|proof| proof.unit(failed.var()));
        } else if reason.is_none() {
            // Its negation was assumed as well, which is in the core by now.
            self.core.push(failed);
        } else {
            self.core.push(failed);
            if self.proof.is_some() {
                let lits: Vec<Lit> = self.arena.lits(reason).collect();
                self.conclude(&lits, self.arena.id(reason));
            }
        }
        self.mark_core();
        Answer::Unsatisfiable
    }

    /// All literals of the constraint are false: which assumptions imply that?
    pub(super) fn fail_constraint(&mut self) -> Answer {
        let constraint = std::mem::take(&mut self.constraint);
        self.collect_core(&constraint);
        if self.proof.is_some() {
            self.conclude(&constraint, self.constraint_id);
        }
        self.constraint = constraint;
        self.mark_core();
        Answer::Unsatisfiable
    }

    /// Puts the decisions that the literals rest on into the core: all are assumptions.
    fn collect_core(&mut self, lits: &[Lit]) {
        let mut decisions = self.decisions_behind(lits);
        self.core.append(&mut decisions);
    }

    /// The decisions that the assigned literals rest on.
    pub(super) fn decisions_behind(&mut self, lits: &[Lit]) -> Vec<Lit> {
        let mut decisions = Vec::new();
        for lit in lits {
            self.mark(lit.var(), SEEN);
        }
        let mut at = 0;
        while at < self.marked.len() {
            let var = self.marked[at];
            at += 1;
            let data = self.variables[var.index()];
            if data.level == 0 {
                continue;
            }
            if data.reason.is_none() {
                decisions.push(self.trail[data.position as usize]);
                continue;
            }
            for place in 0..self.arena.size(data.reason) {
                let other = self.arena.lit(data.reason, place);
                self.mark(other.var(), SEEN);
            }
        }
        self.clear_marks();
        decisions
    }

    fn mark_core(&mut self) {
        for lit in &self.core {
            self.in_core[lit.index()] = true;
        }
    }

    /// Derives the clause of the core's negations, from a clause that is false.
    fn conclude(&mut self, lits: &[Lit], id: u32) {
        let clause: Vec<Lit> = self.core.iter().map(|&lit| !lit).collect();
        self.explain(&clause, lits, id);
        self.conclusion = Some(self.log_derived(&clause));
    }
}
