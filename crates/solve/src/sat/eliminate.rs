//! Bounded variable elimination with subsumption and strengthening (Eén and Biere 2005, "Effective
//! preprocessing in SAT through variable and clause elimination").
//!
//! A variable is resolved away when the resolvents are no more than the clauses that go. Before and
//! after, clauses that another one subsumes are removed, and literals that a resolution with another
//! one would remove are removed. It works on lists of where each literal occurs in the caller's
//! clauses; the watches are made anew afterwards. Learned clauses with an eliminated variable go.
//!
//! Each step is one or two resolutions, so the proof needs two hints. See `extend` for models and
//! for callers who use a variable again. Variables of assumptions are frozen, and within a domain
//! nothing is eliminated: the caller's promise about the variables outside is about his own clauses.

use super::arena::{ClauseInfo, ClauseRef};
use super::literal::{Lit, Var};
use super::{Solver, Truth};

/// Variables that occur more often are left alone.
const MOST_OCCURRENCES: usize = 100;
/// Longer resolvents are not made.
const MOST_LITERALS: usize = 100;
/// Longer clauses are not compared with others.
const MOST_COMPARED: usize = 100;
/// Lists longer than this are not searched for subsumed clauses.
const MOST_COMPARISONS: usize = 1000;

/// Where literals occur, while variables are eliminated.
struct Occurrences {
    by_literal: Vec<Vec<ClauseRef>>,
    /// By literal: is it in the clause that is compared with others?
    marked: Vec<bool>,
    /// Clauses to compare with others.
    fresh: Vec<ClauseRef>,
    /// Facts whose clauses were not looked at yet.
    facts: Vec<Lit>,
    /// Variables that lost a clause, and may be eliminated now.
    touched: Vec<Var>,
    is_touched: Vec<bool>,
    /// Steps left.
    budget: i64,
}

impl Occurrences {
    fn touch(&mut self, var: Var) {
        if !std::mem::replace(&mut self.is_touched[var.index()], true) {
            self.touched.push(var);
        }
    }
}

/// How a clause compares with another.
enum Comparison {
    Unrelated,
    Subsumes,
    /// The other clause can do without this literal.
    Strengthens(Lit),
}

impl Solver {
    /// Eliminates variables and subsumed clauses, for about so many steps. At the root.
    pub(super) fn eliminate(&mut self, budget: u64) {
        debug_assert!(self.levels.is_empty() && self.head == self.trail.len());
        let mut occurrences = self.connect(budget);
        loop {
            self.backward_subsume(&mut occurrences);
            if !self.consistent || occurrences.budget < 0 {
                break;
            }
            let mut candidates = std::mem::take(&mut occurrences.touched);
            if candidates.is_empty() {
                break;
            }
            let count = |var: &Var| {
                let lists = &occurrences.by_literal;
                let (p, n) = (var.positive().index(), var.negative().index());
                (lists[p].len() * lists[n].len(), var.0)
            };
            candidates.sort_by_cached_key(count);
            for var in candidates {
                occurrences.is_touched[var.index()] = false;
                if self.consistent && occurrences.budget >= 0 {
                    self.try_eliminate(var, &mut occurrences);
                }
            }
        }
        self.drop_learned_with_eliminated();
        self.settle_all();
    }

    fn connect(&mut self, budget: u64) -> Occurrences {
        let vars = self.variables.len();
        let mut occurrences = Occurrences {
            by_literal: vec![Vec::new(); 2 * vars],
            marked: vec![false; 2 * vars],
            fresh: Vec::new(),
            facts: Vec::new(),
            touched: Vec::new(),
            is_touched: vec![false; vars],
            budget: budget.min(i64::MAX as u64) as i64,
        };
        for &clause in &self.originals {
            for lit in self.arena.lits(clause) {
                occurrences.by_literal[lit.index()].push(clause);
            }
            if self.arena.is_fresh(clause) {
                occurrences.fresh.push(clause);
                for lit in self.arena.lits(clause) {
                    occurrences.touch(lit.var());
                }
            }
        }
        occurrences
    }

    /// Compares the fresh clauses with all others, small ones first.
    fn backward_subsume(&mut self, occurrences: &mut Occurrences) {
        let mut fresh = std::mem::take(&mut occurrences.fresh);
        fresh.sort_by_key(|&clause| std::cmp::Reverse(self.arena.size(clause)));
        loop {
            self.apply_facts(occurrences);
            fresh.append(&mut occurrences.fresh);
            if !self.consistent || occurrences.budget < 0 {
                return;
            }
            let Some(clause) = fresh.pop() else { return };
            if !self.arena.is_garbage(clause) {
                self.arena.set_stale(clause);
                self.subsume_with(clause, occurrences);
            }
        }
    }

    /// Removes what this clause subsumes, and strengthens what it can.
    fn subsume_with(&mut self, clause: ClauseRef, occurrences: &mut Occurrences) {
        let lits: Vec<Lit> = self.arena.lits(clause).collect();
        if lits.len() > MOST_COMPARED {
            return;
        }
        let lists = &occurrences.by_literal;
        let both = |lit: &Lit| lists[lit.index()].len() + lists[(!*lit).index()].len();
        let Some(&rarest) = lits.iter().min_by_key(|lit| both(lit)) else {
            return;
        };
        for lit in &lits {
            occurrences.marked[lit.index()] = true;
        }
        for list in [rarest, !rarest] {
            if occurrences.by_literal[list.index()].len() > MOST_COMPARISONS {
                continue;
            }
            let others = std::mem::take(&mut occurrences.by_literal[list.index()]);
            for &other in &others {
                if other != clause && !self.arena.is_garbage(other) {
                    self.compare_and_act(clause, other, lits.len(), occurrences);
                }
            }
            let arena = &self.arena;
            let kept = others.into_iter().filter(|&other| {
                !arena.is_garbage(other) && arena.lits(other).any(|lit| lit == list)
            });
            occurrences.by_literal[list.index()] = kept.collect();
        }
        for lit in &lits {
            occurrences.marked[lit.index()] = false;
        }
    }

    fn compare_and_act(
        &mut self,
        clause: ClauseRef,
        other: ClauseRef,
        size: usize,
        occurrences: &mut Occurrences,
    ) {
        occurrences.budget -= 1;
        // The clause itself may have become shorter or gone.
        if self.arena.is_garbage(clause) || self.arena.size(clause) != size {
            return;
        }
        if self.arena.size(other) < size {
            return;
        }
        match self.compare(other, size, &occurrences.marked) {
            Comparison::Unrelated => {}
            Comparison::Subsumes => {
                self.counters.subsumed += 1;
                for lit in self.arena.lits(other) {
                    occurrences.touch(lit.var());
                }
                self.delete(other);
            }
            Comparison::Strengthens(lit) => {
                self.counters.strengthened += 1;
                let ids = [self.arena.id(clause), self.arena.id(other)];
                self.set_hints(&[], &ids);
                self.remove_literal(other, lit, occurrences);
            }
        }
    }

    /// Compares the marked clause of so many literals with another.
    fn compare(&self, other: ClauseRef, size: usize, marked: &[bool]) -> Comparison {
        let (mut same, mut opposite) = (0, None);
        for lit in self.arena.lits(other) {
            if marked[lit.index()] {
                same += 1;
            } else if marked[(!lit).index()] {
                if opposite.is_some() {
                    return Comparison::Unrelated;
                }
                opposite = Some(lit);
            }
        }
        match opposite {
            None if same == size => Comparison::Subsumes,
            Some(lit) if same + 1 == size => Comparison::Strengthens(lit),
            _ => Comparison::Unrelated,
        }
    }

    /// Removes a literal from a clause, by the hints in the proof. Lists of the literal may still
    /// have the clause.
    fn remove_literal(&mut self, clause: ClauseRef, lit: Lit, occurrences: &mut Occurrences) {
        let kept: Vec<Lit> = self
            .arena
            .lits(clause)
            .filter(|&other| other != lit)
            .collect();
        for other in &kept {
            occurrences.touch(other.var());
        }
        occurrences.touch(lit.var());
        if let [fact] = kept[..] {
            let id = self.log_derived(&kept);
            self.delete(clause);
            self.note_fact(fact, id, occurrences);
            return;
        }
        self.replace_lits(clause, &kept);
        let list = &mut occurrences.by_literal[lit.index()];
        if let Some(at) = list.iter().position(|&other| other == clause) {
            list.swap_remove(at);
        }
        occurrences.fresh.push(clause);
    }

    /// A unit clause was derived.
    fn note_fact(&mut self, fact: Lit, id: u32, occurrences: &mut Occurrences) {
        match self.fact(fact) {
            Truth::True => {}
            Truth::Open => {
                self.set_unit(fact, id);
                self.assign_fact(fact);
                occurrences.facts.push(fact);
            }
            Truth::False => {
                self.set_hints(&[fact], &[id]);
                let empty = self.log_derived(&[]);
                self.contradict(empty);
            }
        }
    }

    /// Removes the clauses that facts satisfy, and their negations from others.
    fn apply_facts(&mut self, occurrences: &mut Occurrences) {
        while let Some(fact) = occurrences.facts.pop() {
            for clause in std::mem::take(&mut occurrences.by_literal[fact.index()]) {
                if !self.arena.is_garbage(clause) {
                    for lit in self.arena.lits(clause) {
                        occurrences.touch(lit.var());
                    }
                    self.delete(clause);
                }
            }
            for clause in std::mem::take(&mut occurrences.by_literal[(!fact).index()]) {
                if self.consistent && !self.arena.is_garbage(clause) {
                    self.set_hints(&[!fact], &[self.arena.id(clause)]);
                    self.remove_literal(clause, !fact, occurrences);
                }
            }
        }
    }

    fn may_eliminate(&self, var: Var) -> bool {
        self.values.is_open(var.positive())
            && self.may_decide(var)
            && !self.extension.is_frozen(var)
    }

    /// Resolves a variable away if that makes no more clauses.
    fn try_eliminate(&mut self, var: Var, occurrences: &mut Occurrences) {
        if !self.may_eliminate(var) {
            return;
        }
        for lit in [var.positive(), var.negative()] {
            let arena = &self.arena;
            let list = &mut occurrences.by_literal[lit.index()];
            list.retain(|&clause| !arena.is_garbage(clause));
            if list.len() > MOST_OCCURRENCES {
                return;
            }
        }
        let positive = occurrences.by_literal[var.positive().index()].clone();
        let negative = occurrences.by_literal[var.negative().index()].clone();
        let Some(resolvents) = self.resolvents(var, &positive, &negative, occurrences) else {
            return;
        };
        for (lits, parents) in resolvents {
            self.set_hints(&[], &parents);
            let id = self.log_derived(&lits);
            match lits[..] {
                [] => self.contradict(id),
                [fact] => self.note_fact(fact, id, occurrences),
                _ => self.add_resolvent(&lits, id, occurrences),
            }
        }
        let of = |lit: Lit, clauses: &[ClauseRef]| -> Vec<(Lit, ClauseRef)> {
            clauses.iter().map(|&clause| (lit, clause)).collect()
        };
        let mut gone = of(var.positive(), &positive);
        gone.extend(of(var.negative(), &negative));
        for &(_, clause) in &gone {
            for lit in self.arena.lits(clause) {
                occurrences.touch(lit.var());
            }
        }
        self.retire(var, &gone);
        occurrences.by_literal[var.positive().index()].clear();
        occurrences.by_literal[var.negative().index()].clear();
        self.backward_subsume(occurrences);
    }

    fn add_resolvent(&mut self, lits: &[Lit], id: u32, occurrences: &mut Occurrences) {
        let info = ClauseInfo {
            id,
            learned: false,
            glue: 0,
        };
        let clause = self.arena.store(lits, info);
        self.originals.push(clause);
        occurrences.fresh.push(clause);
        for lit in lits {
            occurrences.by_literal[lit.index()].push(clause);
            occurrences.touch(lit.var());
        }
    }

    /// The resolvents on a variable with the numbers of their parents; `None` when there are more
    /// than clauses that go.
    fn resolvents(
        &self,
        var: Var,
        positive: &[ClauseRef],
        negative: &[ClauseRef],
        occurrences: &mut Occurrences,
    ) -> Option<Vec<(Vec<Lit>, [u32; 2])>> {
        let most = positive.len() + negative.len();
        let mut found = Vec::new();
        for &one in positive {
            for lit in self.arena.lits(one) {
                occurrences.marked[lit.index()] = true;
            }
            let mut fits = true;
            for &other in negative {
                occurrences.budget -= 1;
                if let Some(resolvent) = self.resolvent(var, one, other, &occurrences.marked) {
                    fits &= resolvent.len() <= MOST_LITERALS && found.len() < most;
                    found.push((resolvent, [self.arena.id(one), self.arena.id(other)]));
                }
                if !fits {
                    break;
                }
            }
            for lit in self.arena.lits(one) {
                occurrences.marked[lit.index()] = false;
            }
            if !fits {
                return None;
            }
        }
        Some(found)
    }

    /// The resolvent of the marked clause with another; `None` for a tautology.
    fn resolvent(
        &self,
        var: Var,
        one: ClauseRef,
        other: ClauseRef,
        marked: &[bool],
    ) -> Option<Vec<Lit>> {
        let mut lits: Vec<Lit> = Vec::new();
        for lit in self.arena.lits(other) {
            if lit.var() == var || marked[lit.index()] {
                continue;
            }
            if marked[(!lit).index()] {
                return None;
            }
            lits.push(lit);
        }
        lits.extend(self.arena.lits(one).filter(|lit| lit.var() != var));
        Some(lits)
    }

    fn drop_learned_with_eliminated(&mut self) {
        for at in 0..self.learned.len() {
            let clause = self.learned[at];
            let gone = |lit: Lit| self.extension.is_eliminated(lit.var());
            if !self.arena.is_garbage(clause) && self.arena.lits(clause).any(gone) {
                self.delete(clause);
            }
        }
    }

    /// Makes all clauses fit the facts and watches them anew.
    fn settle_all(&mut self) {
        let mut facts = usize::MAX;
        while self.consistent && facts != self.trail.len() {
            facts = self.trail.len();
            for at in 0..self.originals.len() + self.learned.len() {
                let clause = match self.originals.get(at) {
                    Some(&clause) => clause,
                    None => self.learned[at - self.originals.len()],
                };
                if !self.arena.is_garbage(clause) && self.consistent {
                    self.settle_clause(clause);
                }
            }
        }
        self.head = self.trail.len();
        self.simplified_facts = self.trail.len();
        self.collect();
        self.rebuild_watches();
    }

    fn settle_clause(&mut self, clause: ClauseRef) {
        let (first, second) = {
            let lits = self.arena.lits(clause);
            let mut possible = lits.filter(|&lit| !self.values.is_false(lit));
            (possible.next(), possible.next())
        };
        match (first, second) {
            (None, _) => self.refute(clause),
            (Some(fact), None) => {
                if self.values.is_open(fact) {
                    self.derive_unit(fact, clause);
                    self.assign_fact(fact);
                }
                self.delete(clause);
            }
            _ => {
                self.simplify_clause(clause);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Answer;
    use super::*;

    /// A solver in which all variables but the first are frozen.
    fn solver(vars: usize, clauses: &[&[i32]]) -> Solver {
        let mut solver = Solver::new();
        solver.new_var();
        for _ in 1..vars {
            let var = solver.new_var();
            solver.freeze(var);
        }
        for clause in clauses {
            let lits = clause.iter().filter_map(|&lit| Lit::from_dimacs(lit));
            solver.add_clause(&lits.collect::<Vec<Lit>>());
        }
        solver
    }

    #[test]
    fn a_subsumed_clause_goes_and_a_clause_loses_a_literal_to_another() {
        // The first subsumes the second and removes -1 from the third, which then is 2 3 5.
        let clauses: &[&[i32]] = &[&[1, 2, 3], &[1, 2, 3, 4], &[-1, 2, 3, 5]];
        let mut solver = solver(5, clauses);
        solver.freeze(Var::new(0));
        solver.eliminate(1_000_000);
        let counters = solver.counters();
        assert_eq!((counters.subsumed, counters.strengthened), (1, 1));
        assert_eq!(solver.clauses().0, 2);
        let [b, c, e] = [2, 3, 5].map(|lit| Lit::from_dimacs(-lit).unwrap());
        assert_eq!(solver.solve(&[b, c, e]), Answer::Unsatisfiable);
    }

    #[test]
    fn a_variable_with_too_many_resolvents_stays() {
        // Four clauses on each side make sixteen resolvents.
        let clauses: Vec<Vec<i32>> = (0..4)
            .flat_map(|at| [vec![1, 2 + at, 6 + at], vec![-1, 10 + at, 14 + at]])
            .collect();
        let clauses: Vec<&[i32]> = clauses.iter().map(Vec::as_slice).collect();
        let mut many = solver(17, &clauses);
        many.eliminate(1_000_000);
        assert_eq!((many.counters().eliminated, many.clauses().0), (0, 8));
        let mut few = solver(17, &clauses[..3]);
        few.eliminate(1_000_000);
        assert_eq!((few.counters().eliminated, few.clauses().0), (1, 2));
    }
}
