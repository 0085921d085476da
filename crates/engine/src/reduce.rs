//! Fewer invariants: what a proof does not need is left out.
//!
//! Engines hand over every invariant they had, and often many properties that are inductive only
//! together. Here each of these terms is guarded by an activation literal, in one solver for all; the
//! core of the induction step for a property tells which ones it used, the core of the step for
//! those which ones they used, until nothing is added (the reduction of Ghassabani, Gacek and Whalen
//! 2016, paper on inductive validity cores, Algorithm 3).

use crate::frames::Frames;
use proofmark_model::{Sort, System, Term};
use proofmark_solve::{Answer, Budget, SolveError, Solver};
use rustc_hash::{FxHashMap, FxHashSet};

/// Terms that are `k`-inductive together.
pub struct Reducer<'s> {
    frames: Frames<'s>,
    terms: Vec<Term>,
    k: u32,
    activations: Vec<Term>,
    /// Where the term of an activation literal is.
    positions: FxHashMap<Term, usize>,
}

impl<'s> Reducer<'s> {
    /// Takes terms that are `k`-inductive together, and does not check again that they are.
    pub fn new(
        system: &'s System,
        terms: Vec<Term>,
        k: u32,
        solver: Box<dyn Solver>,
    ) -> Result<Reducer<'s>, SolveError> {
        let mut frames = Frames::new(system, solver);
        let activations: Vec<Term> = (0..terms.len())
            .map(|at| Term::var(&format!("%invariant{at}"), Sort::Bool))
            .collect();
        frames.assert_state()?;
        for step in 0..=k {
            if step > 0 {
                frames.assert_step(step)?;
            }
            if step < k {
                for (term, activation) in terms.iter().zip(&activations) {
                    frames.assert_at(activation.implies(*term), step)?;
                }
            }
        }
        let positions = activations.iter().enumerate();
        let positions = positions
            .map(|(at, activation)| (*activation, at))
            .collect();
        Ok(Reducer {
            frames,
            terms,
            k,
            activations,
            positions,
        })
    }

    /// Of the terms at the first `count` positions those that follow from the system alone, whatever the states
    /// before were: all of them by a few questions.
    pub fn unsupported(&mut self, count: usize, budget: Budget) -> Result<Vec<bool>, SolveError> {
        const ROUNDS: usize = 8;
        self.frames.solver.set_budget(budget);
        let mut open: Vec<usize> = (0..count).collect();
        for _ in 0..ROUNDS {
            let some_false: Vec<Term> = open.iter().map(|at| self.violated(*at)).collect();
            match self.frames.solver.check(&[Term::or(&some_false)])? {
                Answer::Unsat => {
                    let mut alone = vec![false; count];
                    open.iter().for_each(|at| alone[*at] = true);
                    return Ok(alone);
                }
                Answer::Sat => {}
                Answer::Unknown(_) => break,
            }
            let mut kept = Vec::new();
            for at in open {
                if self.frames.holds(self.terms[at], self.k)? {
                    kept.push(at);
                }
            }
            open = kept;
        }
        Ok(vec![false; count])
    }

    /// Whether a term is inductive by itself.
    pub fn needs_no_other(&mut self, at: usize, budget: Budget) -> Result<bool, SolveError> {
        self.frames.solver.set_budget(budget);
        let assumptions = [self.activations[at], self.violated(at)];
        Ok(self.frames.solver.check(&assumptions)? == Answer::Unsat)
    }

    fn violated(&mut self, at: usize) -> Term {
        self.frames.at(self.terms[at], self.k).not()
    }

    /// The terms that are inductive together with the one at a position and need no others, without
    /// that one; all others when the solver does not answer within the budget of each check. Nothing when
    /// the terms are not inductive together.
    pub fn support(&mut self, at: usize, budget: Budget) -> Result<Option<Vec<usize>>, SolveError> {
        self.frames.solver.set_budget(budget);
        let mut needed = FxHashSet::from_iter([at]);
        let mut wanted = vec![at];
        while !wanted.is_empty() {
            let mut some_false = Vec::new();
            for at in std::mem::take(&mut wanted) {
                some_false.push(self.violated(at));
            }
            let mut assumptions = self.activations.clone();
            assumptions.push(Term::or(&some_false));
            match self.frames.solver.check(&assumptions)? {
                Answer::Unsat => {}
                Answer::Sat => return Ok(None),
                Answer::Unknown(_) => {
                    let others = (0..self.terms.len()).filter(|other| *other != at);
                    return Ok(Some(others.collect()));
                }
            }
            let core = self.frames.solver.core()?;
            let used = core
                .iter()
                .filter_map(|literal| self.positions.get(literal));
            wanted.extend(used.filter(|used| needed.insert(**used)));
        }
        needed.remove(&at);
        let mut needed: Vec<usize> = needed.into_iter().collect();
        needed.sort_unstable();
        Ok(Some(needed))
    }
}
