//! The search: assumptions first, then the constraint, then decisions, and conflicts in between.
//!
//! Assumptions are the first decisions, one a level (MiniSat, Eén and Sörensson 2003), so that what
//! is learned never depends on them. So is a literal of the constraint, a clause for this call only
//! (Froleyks and Biere 2021, "Single clause assumption without activation literals to speed-up
//! IC3"): when none of its literals can be true, the constraint fails as an assumption does, and
//! there is no clause to take back.

use super::arena::ClauseRef;
use super::limits::SearchLimits;
use super::literal::{Lit, Var};
use super::proof::LAST_ID;
use super::{Answer, Level, Solver, Variable};

/// What became of a decision.
enum Decision {
    Made,
    /// There is nothing left to decide.
    Complete,
    /// An assumption or the constraint is false.
    Failed,
}

impl Solver {
    /// Can the clauses be satisfied together with the assumptions and a clause that holds for this
    /// call only? No constraint is meant by an empty one.
    pub fn solve_with(&mut self, assumptions: &[Lit], constraint: &[Lit]) -> Answer {
        self.counters.solves += 1;
        for lit in self.core.drain(..) {
            self.in_core[lit.index()] = false;
        }
        self.conclusion = None;
        self.drop_constraint();
        self.assumptions.clear();
        self.assumptions.extend_from_slice(assumptions);
        self.constraint.extend_from_slice(constraint);
        if self.proof.is_some() && !constraint.is_empty() {
            self.constraint_id = self.log_original(constraint);
        }
        for lit in assumptions.iter().chain(constraint) {
            self.freeze(lit.var());
        }
        self.keep_common_levels();
        self.phases.begin();
        if self.domain.is_active() {
            for lit in assumptions.iter().chain(constraint) {
                self.extend_domain(lit.var());
            }
        }
        let limits = SearchLimits::new(self.interrupt.clone(), self.budget);
        let answer = self.search(&limits);
        if answer == Answer::Unsatisfiable && !self.consistent && self.proof.is_some() {
            self.conclusion = Some(self.refutation);
        }
        answer
    }

    fn drop_constraint(&mut self) {
        if !self.constraint.is_empty() {
            self.constraint.clear();
            if self.proof.is_some() {
                self.log_deleted(self.constraint_id);
            }
        }
    }

    /// Keeps the levels of the last call as long as they are those of the assumptions.
    fn keep_common_levels(&mut self) {
        let same = self.levels.iter().zip(&self.assumptions);
        let same = same.take_while(|(level, lit)| level.decision == **lit);
        let same = same.count() as u32;
        self.cancel_until(same);
    }

    /// The levels that are not of decisions of the search.
    pub(super) fn fixed_levels(&self) -> u32 {
        self.assumptions.len() as u32 + u32::from(!self.constraint.is_empty())
    }

    fn search(&mut self, limits: &SearchLimits) -> Answer {
        if !self.consistent {
            return Answer::Unsatisfiable;
        }
        if self.simplify_pays() {
            self.simplify();
            if !self.consistent {
                return Answer::Unsatisfiable;
            }
        }
        loop {
            if let Some(conflict) = self.propagate() {
                self.counters.conflicts += 1;
                limits.spend(1);
                if !self.resolve(conflict) {
                    return Answer::Unsatisfiable;
                }
                continue;
            }
            if limits.reached().is_some() || self.proof.is_some() && self.next_id > LAST_ID {
                return Answer::Unknown;
            }
            if self.restart_due() {
                self.restart();
            } else if self.reduce_due() {
                self.reduce();
            } else if self.rephase_due() {
                self.rephase();
            } else if self.inprocess_due() {
                self.inprocess();
                if !self.consistent {
                    return Answer::Unsatisfiable;
                }
            } else if self.mode_switch_due() {
                self.switch_mode();
            } else {
                match self.decide() {
                    Decision::Made => {}
                    Decision::Complete => {
                        self.extend_model();
                        return Answer::Satisfiable;
                    }
                    Decision::Failed => return Answer::Unsatisfiable,
                }
            }
        }
    }

    /// Are there new facts, and was as much done since the last simplification as one costs?
    fn simplify_pays(&self) -> bool {
        let facts = self
            .levels
            .first()
            .map_or(self.trail.len(), |level| level.trail as usize);
        facts > self.simplified_facts && self.ticks > self.simplified_at + self.arena.len() as u64
    }

    fn decide(&mut self) -> Decision {
        let level = self.levels.len();
        if let Some(&assumption) = self.assumptions.get(level) {
            if self.values.is_false(assumption) {
                self.fail_assumption(assumption);
                return Decision::Failed;
            }
            self.new_level(assumption);
            return Decision::Made;
        }
        if level == self.assumptions.len() && !self.constraint.is_empty() {
            return self.decide_constraint();
        }
        let Some(var) = self.peek_variable() else {
            return Decision::Complete;
        };
        self.counters.decisions += 1;
        self.new_level(self.phases.choose(var, self.mode.is_stable()));
        Decision::Made
    }

    /// Makes a literal of the constraint true: one that is, or one that was last time.
    fn decide_constraint(&mut self) -> Decision {
        let mut chosen: Option<Lit> = None;
        for &lit in &self.constraint {
            let wanted = self.phases.was_true(lit);
            match self.values.get(lit) {
                1 => {
                    chosen = Some(lit);
                    break;
                }
                0 if chosen.is_none() || wanted => chosen = Some(lit),
                _ => {}
            }
        }
        match chosen {
            Some(lit) => {
                self.new_level(lit);
                Decision::Made
            }
            None => {
                self.fail_constraint();
                Decision::Failed
            }
        }
    }

    /// The variable to decide next; it stays where it is.
    pub(super) fn peek_variable(&mut self) -> Option<Var> {
        if !self.decides_by_activity() {
            let (values, undecided) = (&self.values, &self.undecided);
            let extension = &self.extension;
            return self.queue.find(|var| {
                values.is_open(var.positive())
                    && !undecided[var.index()]
                    && !extension.is_eliminated(var)
            });
        }
        loop {
            let within = self.domain.is_active();
            let top = match within {
                true => self.domain.top(),
                false => self.order.top(),
            };
            let var = top?;
            if self.values.is_open(var.positive()) && self.may_decide(var) {
                return Some(var);
            }
            match within {
                true => self.domain.pop(&self.activities),
                false => self.order.pop(&self.activities),
            };
        }
    }

    /// Opens a level with a decision, which may be true already.
    pub(super) fn new_level(&mut self, decision: Lit) {
        self.levels.push(Level {
            trail: self.trail.len() as u32,
            decision,
            seen: 0,
            earliest: 0,
        });
        if self.values.is_open(decision) {
            self.assign(decision, ClauseRef::NONE);
        }
    }

    #[inline]
    pub(super) fn assign(&mut self, lit: Lit, reason: ClauseRef) {
        debug_assert!(self.values.is_open(lit));
        if self.levels.is_empty() {
            self.derive_unit(lit, reason);
            self.assign_fact(lit);
            return;
        }
        self.variables[lit.var().index()] = Variable {
            level: self.levels.len() as u32,
            position: self.trail.len() as u32,
            reason,
        };
        self.values.set(lit);
        self.trail.push(lit);
    }

    /// A literal is true whatever is assumed. Facts need no reasons.
    pub(super) fn assign_fact(&mut self, lit: Lit) {
        debug_assert!(self.levels.is_empty() && self.values.is_open(lit));
        self.variables[lit.var().index()] = Variable {
            level: 0,
            position: self.trail.len() as u32,
            reason: ClauseRef::NONE,
        };
        self.values.set(lit);
        self.trail.push(lit);
    }

    pub(super) fn cancel_until(&mut self, level: u32) {
        let Some(start) = self.levels.get(level as usize) else {
            return;
        };
        let start = start.trail as usize;
        for at in start..self.trail.len() {
            let lit = self.trail[at];
            self.values.clear(lit);
            self.phases.save(lit);
            self.unassigned(lit.var());
        }
        self.trail.truncate(start);
        self.head = self.head.min(start);
        self.levels.truncate(level as usize);
    }

    /// A variable has lost its value. Within a domain decisions are made from the domain's order
    /// alone, so that the other two orders still have the variable.
    #[inline]
    fn unassigned(&mut self, var: Var) {
        if self.undecided[var.index()] {
            return;
        }
        if self.domain.is_active() {
            self.domain.reopen(var, &self.activities);
        } else {
            self.order.insert(var, &self.activities);
            self.queue.reopen(var);
        }
    }

    /// A variable may be decided that could not be before.
    pub(super) fn reopen(&mut self, var: Var) {
        if self.domain.is_active() {
            self.domain.reopen(var, &self.activities);
        }
        self.order.insert(var, &self.activities);
        self.queue.reopen(var);
    }
}
