//! Adding, shrinking and deleting clauses.
//!
//! A clause may be added while the trail of the last answer is still there: the search jumps back no
//! further than it must, so that a caller who adds a clause between two similar questions does not
//! pay for the same assumptions again.

use super::arena::{Arena, ClauseInfo, ClauseRef};
use super::literal::Lit;
use super::proof::ClauseId;
use super::propagate::Watch;
use super::{Solver, Truth};

impl Solver {
    /// Adds a clause; returns its number in the proof.
    ///
    /// # Panics
    /// When a literal's variable was not made by [`new_var`](Solver::new_var).
    pub fn add_clause(&mut self, lits: &[Lit]) -> ClauseId {
        self.use_again(lits);
        let id = self.log_original(lits);
        let mut clause = std::mem::take(&mut self.scratch);
        clause.clear();
        clause.extend_from_slice(lits);
        clause.sort_unstable();
        clause.dedup();
        self.settle(&mut clause, id);
        self.scratch = clause;
        id
    }

    /// Stores a sorted original clause without what the facts make superfluous.
    pub(super) fn settle(&mut self, clause: &mut Vec<Lit>, id: ClauseId) {
        let tautology = clause.windows(2).any(|pair| pair[0] == !pair[1]);
        if !self.consistent || tautology || clause.iter().any(|&lit| self.fact(lit) == Truth::True)
        {
            self.log_deleted(id);
            return;
        }
        let mut id = id;
        if clause.iter().any(|&lit| self.fact(lit) == Truth::False) {
            let (open, false_facts): (Vec<Lit>, Vec<Lit>) = clause
                .iter()
                .partition(|&&lit| self.fact(lit) == Truth::Open);
            *clause = open;
            self.set_hints(&false_facts, &[id]);
            let shorter = self.log_derived(clause);
            self.log_deleted(id);
            id = shorter;
        }
        match clause[..] {
            [] => self.contradict(id),
            [unit] => {
                self.cancel_until(0);
                self.set_unit(unit, id);
                self.assign_fact(unit);
            }
            _ => {
                self.prepare_to_attach(clause);
                let info = ClauseInfo {
                    id,
                    learned: false,
                    glue: 0,
                };
                let stored = self.attach(clause, info);
                if self.values.is_open(clause[0]) && self.values.is_false(clause[1]) {
                    self.assign(clause[0], stored);
                }
            }
        }
    }

    /// The clauses contradict each other; the empty clause has the number `id`.
    pub(super) fn contradict(&mut self, id: ClauseId) {
        self.consistent = false;
        self.refutation = id;
    }

    /// Puts the two literals to watch first, and jumps back until the clause is no conflict and, if
    /// it implies its first literal, does so at the present level.
    fn prepare_to_attach(&mut self, lits: &mut [Lit]) {
        let rank = |solver: &Self, lit: Lit| match solver.values.get(lit) {
            -1 => solver.variables[lit.var().index()].level,
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
    pub(super) fn attach(&mut self, lits: &[Lit], info: ClauseInfo) -> ClauseRef {
        let clause = self.arena.store(lits, info);
        self.watch(clause);
        if info.learned {
            self.learned.push(clause);
        } else {
            self.originals.push(clause);
        }
        clause
    }

    /// The first two literals of a clause are watched from now on.
    pub(super) fn watch(&mut self, clause: ClauseRef) {
        let size = self.arena.size(clause);
        let (first, second) = (self.arena.lit(clause, 0), self.arena.lit(clause, 1));
        self.watches[(!first).index()].push(Watch::new(clause, second, size));
        self.watches[(!second).index()].push(Watch::new(clause, first, size));
    }

    /// Is the clause the reason of a literal?
    pub(super) fn is_reason(&self, clause: ClauseRef) -> bool {
        (0..2).any(|at| {
            let lit = self.arena.lit(clause, at);
            self.values.is_true(lit) && self.variables[lit.var().index()].reason == clause
        })
    }

    /// The clause goes with the next [`collect`](Solver::collect).
    pub(super) fn delete(&mut self, clause: ClauseRef) {
        self.log_deleted(self.arena.id(clause));
        self.arena.set_garbage(clause);
    }

    /// Drops deleted clauses from all lists, and moves the others together when it pays.
    pub(super) fn collect(&mut self) {
        let arena = &self.arena;
        self.originals.retain(|&clause| !arena.is_garbage(clause));
        self.learned.retain(|&clause| !arena.is_garbage(clause));
        for watches in &mut self.watches {
            watches.retain(|watch| !arena.is_garbage(watch.clause()));
        }
        if self.arena.is_wasteful() {
            self.compact();
        }
    }

    /// Moves the clauses together, those that are watched by one literal beside each other.
    fn compact(&mut self) {
        let mut arena = Arena::with_capacity_of(&self.arena);
        for watches in &mut self.watches {
            for watch in watches {
                watch.move_to(self.arena.move_to(watch.clause(), &mut arena));
            }
        }
        for clause in self.originals.iter_mut().chain(&mut self.learned) {
            *clause = self.arena.move_to(*clause, &mut arena);
        }
        for lit in &self.trail {
            let reason = &mut self.variables[lit.var().index()].reason;
            if !reason.is_none() {
                *reason = self.arena.move_to(*reason, &mut arena);
            }
        }
        self.arena = arena;
    }

    /// Removes clauses that are satisfied by facts, and false literals from the others, when there
    /// are new facts. Costs a walk over all clauses; the search calls it by itself when it pays.
    pub fn simplify(&mut self) {
        self.cancel_until(0);
        if !self.consistent {
            return;
        }
        if let Some(conflict) = self.propagate() {
            self.refute(conflict);
            return;
        }
        self.remove_satisfied();
    }

    pub(super) fn remove_satisfied(&mut self) {
        debug_assert!(self.levels.is_empty());
        if self.simplified_facts == self.trail.len() {
            return;
        }
        self.simplified_facts = self.trail.len();
        self.simplified_at = self.ticks;
        let mut shrunk = false;
        for learned in [false, true] {
            let clauses = std::mem::take(self.clause_list(learned));
            for &clause in &clauses {
                shrunk |= self.simplify_clause(clause);
            }
            *self.clause_list(learned) = clauses;
        }
        self.collect();
        if shrunk {
            self.rebuild_watches();
        }
    }

    fn clause_list(&mut self, learned: bool) -> &mut Vec<ClauseRef> {
        if learned {
            &mut self.learned
        } else {
            &mut self.originals
        }
    }

    /// Returns whether the clause lost literals. All facts are propagated, so that two are left.
    pub(super) fn simplify_clause(&mut self, clause: ClauseRef) -> bool {
        if self.arena.is_garbage(clause) {
            return false;
        }
        if self.arena.lits(clause).any(|lit| self.values.is_true(lit)) {
            self.delete(clause);
            return false;
        }
        let has_false = self.arena.lits(clause).any(|lit| self.values.is_false(lit));
        if has_false {
            let (open, false_facts): (Vec<Lit>, Vec<Lit>) = self
                .arena
                .lits(clause)
                .partition(|&lit| self.values.is_open(lit));
            self.set_hints(&false_facts, &[self.arena.id(clause)]);
            self.replace_lits(clause, &open);
        }
        has_false
    }

    /// Gives a clause fewer literals, by the hints in the proof. The watches are left as they are.
    pub(super) fn replace_lits(&mut self, clause: ClauseRef, lits: &[Lit]) {
        let old = self.arena.id(clause);
        let id = self.log_derived(lits);
        self.log_deleted(old);
        for (word, lit) in self.arena.words_mut(clause).iter_mut().zip(lits) {
            *word = lit.0;
        }
        self.arena.shrink(clause, lits.len(), id);
    }

    /// Watches the first two literals of every clause; only at the root, when all are open.
    pub(super) fn rebuild_watches(&mut self) {
        debug_assert!(self.levels.is_empty());
        for watches in &mut self.watches {
            watches.clear();
        }
        // Binary clauses first: they are visited without a look at the clause.
        for binary in [true, false] {
            for at in 0..self.originals.len() + self.learned.len() {
                let clause = match self.originals.get(at) {
                    Some(&clause) => clause,
                    None => self.learned[at - self.originals.len()],
                };
                if (self.arena.size(clause) == 2) == binary && !self.arena.is_garbage(clause) {
                    self.watch(clause);
                }
            }
        }
    }
}
