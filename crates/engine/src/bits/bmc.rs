//! Bounded model checking and k-induction: one looks for runs, the other shows that there are none.
//!
//! Bounded model checking (Biere, Cimatti, Clarke and Zhu, "Symbolic Model Checking without BDDs", 1999)
//! asks for each length whether a run of that length ends in a bad state; what a shorter run cannot do
//! stays as a fact. k-induction (Sheeran, Singh and Stålmarck, "Checking Safety Properties Using Induction
//! and a SAT-Solver", 2000) asks whether `k` states without a bad one can lead to a bad one, in
//! a second solver that begins anywhere. Its base is the work of the first, so both are one engine; the
//! induction gets no more effort than the search.

use super::account::{Account, Halt};
use super::relation::Relation;
use super::unrolling::{Begin, Unrolling};
use super::{BitAnswer, BitEngine};
use crate::portfolio::EngineName;
use proofmark_solve::sat::Answer;

/// The engine, on one bad signal.
pub struct BoundedSearch<'r> {
    relation: &'r Relation,
    account: Account,
    /// Runs from the initial states.
    runs: Unrolling<'r>,
    /// No run of so many steps is bad.
    safe: usize,
    /// States anywhere.
    induction: Unrolling<'r>,
    /// So many good states can be followed by a bad one.
    failed: usize,
    on_runs: u64,
    on_induction: u64,
}

/// An induction step is asked this much at least.
const LEAST: u64 = 20_000;

impl<'r> BoundedSearch<'r> {
    /// An engine that pays from an account.
    pub fn new(relation: &'r Relation, account: Account) -> BoundedSearch<'r> {
        BoundedSearch {
            relation,
            runs: Unrolling::new(relation, Begin::Initial, &account),
            safe: 0,
            induction: Unrolling::new(relation, Begin::Anywhere, &account),
            failed: 0,
            account,
            on_runs: 0,
            on_induction: 0,
        }
    }

    /// Looks for a run of one step more.
    fn search(&mut self) -> Result<Option<BitAnswer>, Halt> {
        let step = self.safe;
        if step == self.runs.len() {
            self.runs.extend();
        }
        let bad = self.runs.lit(step, self.relation.bad());
        let before = self.account.spent();
        let answer = self.account.solve(&mut self.runs.solver, &[bad], &[]);
        self.on_runs += self.account.spent() - before;
        if answer? == Answer::Satisfiable {
            return Ok(Some(BitAnswer::Refuted(self.runs.trace(step))));
        }
        self.runs.solver.add_clause(&[!bad]);
        self.safe += 1;
        Ok(None)
    }

    /// Tries the induction with as many good states as the search has covered, if that is not dear.
    fn induct(&mut self) -> Result<Option<BitAnswer>, Halt> {
        if self.failed >= self.safe || self.on_induction > self.on_runs + LEAST {
            return Ok(None);
        }
        let k = self.failed + 1;
        while self.induction.len() <= k {
            let step = self.induction.len();
            self.induction.extend();
            if step > 0 {
                let bad = self.induction.lit(step - 1, self.relation.bad());
                self.induction.solver.add_clause(&[!bad]);
            }
        }
        let bad = self.induction.lit(k, self.relation.bad());
        let before = self.account.spent();
        let answer = self.account.solve(&mut self.induction.solver, &[bad], &[]);
        self.on_induction += self.account.spent() - before;
        if answer? == Answer::Unsatisfiable {
            let (k, cubes) = (k as u32, Vec::new());
            return Ok(Some(BitAnswer::Inductive { k, cubes }));
        }
        self.failed = k;
        Ok(None)
    }
}

impl BitEngine for BoundedSearch<'_> {
    fn name(&self) -> EngineName {
        EngineName::Bmc
    }

    fn run(&mut self, effort: u64, watch: &mut dyn FnMut(u32)) -> Result<BitAnswer, Halt> {
        self.account.allow(effort);
        loop {
            if let Some(answer) = self.search()? {
                return Ok(answer);
            }
            watch(self.safe as u32);
            if let Some(answer) = self.induct()? {
                return Ok(answer);
            }
        }
    }
}
