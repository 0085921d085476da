//! IC3: an inductive invariant, clause by clause, without unrolling.
//!
//! Bradley, "SAT-Based Model Checking without Unrolling" (2011), in the form of Eén, Mishchenko and
//! Brayton, "Efficient Implementation of Property Directed Reachability" (2011). Level k stands for
//! what runs of at most k steps can reach, as clauses over latches: each forbids a cube of states
//! (`lemmas`). A bad state of the last level is an obligation: either no state of the level below
//! leads to it, then a generalisation of it is forbidden (`generalize`), or one does and becomes an
//! obligation in turn, lifted to all states that lead there under the same inputs (`queries`).
//! Obligations that meet the initial states are a run; when a level needs no clause that the next one
//! does not have, its clauses are inductive.
//!
//! Each level has a solver of its own that knows the transition relation and the clauses of its level
//! and above, and answers within the cone of what is asked.

mod generalize;
mod lemmas;
mod obligations;
mod queries;

use super::account::{Account, Halt};
use super::cube::{Cube, StateLit};
use super::relation::Relation;
use super::{BitAnswer, BitEngine};
use crate::portfolio::EngineName;
use generalize::Effort;
use lemmas::Lemmas;
use obligations::{Obligation, Obligations};
use proofmark_model::graph::BitTrace;
use queries::Queries;
use std::sync::Arc;

/// The engine, on one bad signal.
pub struct Ic3 {
    relation: Arc<Relation>,
    queries: Queries,
    lemmas: Lemmas,
    obligations: Obligations,
    /// Cubes that no run reaches, as somebody else has shown: every level forbids them.
    unreachable: Vec<Cube>,
    /// How often a latch literal was part of a lemma lately.
    activity: Vec<f32>,
    bump: f32,
}

/// How much less a lemma counts than the one after it.
const DECAY: f32 = 0.95;

impl Ic3 {
    /// An engine that pays from an account.
    pub fn new(relation: Arc<Relation>, account: Account) -> Ic3 {
        let latches = relation.latches();
        let mut ic3 = Ic3 {
            queries: Queries::new(Arc::clone(&relation), account),
            relation,
            lemmas: Lemmas::default(),
            obligations: Obligations::default(),
            unreachable: Vec::new(),
            activity: vec![0.0; 2 * latches],
            bump: 1.0,
        };
        ic3.lemmas.open_level();
        ic3
    }

    /// Begins with cubes that no run reaches, as somebody else has shown. They are part of the answer.
    pub fn knowing(mut self, unreachable: Vec<Cube>) -> Ic3 {
        for cube in &unreachable {
            self.queries.forbid(0..=0, cube);
        }
        self.unreachable = unreachable;
        self
    }

    fn open_level(&mut self) {
        self.lemmas.open_level();
        self.queries.open_level();
        let last = self.lemmas.last();
        for cube in &self.unreachable {
            self.queries.forbid(last..=last, cube);
        }
    }

    /// What it has cost so far.
    pub fn spent(&self) -> u64 {
        self.queries.spent()
    }

    /// A bad state of the last level, and then the next level, until there is an answer. A halt in the
    /// middle loses obligations and no lemma: the next call begins with the bad states again.
    fn work(&mut self, watch: &mut dyn FnMut(u32)) -> Result<BitAnswer, Halt> {
        loop {
            let last = self.lemmas.last();
            self.obligations.clear();
            while let Some(obligation) = self.queries.bad(last)? {
                self.obligations.add(last, obligation);
                if let Some(first) = self.block(last)? {
                    return Ok(BitAnswer::Refuted(self.trace(first)));
                }
            }
            if let Some(level) = self.propagate()? {
                let found = self.lemmas.from(level).chain(&self.unreachable);
                let cubes = found.cloned().collect();
                return Ok(BitAnswer::Inductive { k: 1, cubes });
            }
            self.open_level();
            watch(self.lemmas.last() as u32);
        }
    }

    /// Blocks what waits at the levels up to the last. An obligation that meets the initial states
    /// is the beginning of a run.
    fn block(&mut self, last: usize) -> Result<Option<usize>, Halt> {
        while let Some((level, which)) = self.obligations.next(last) {
            let cube = self.obligations.get(which).cube.clone();
            if level == 0 || self.relation.is_initial(&cube) {
                return Ok(Some(which));
            }
            if let Some(blocked) = self.lemmas.blocked_at(level, &cube) {
                self.again(blocked + 1, last, which);
                continue;
            }
            match self.queries.relative(level, &cube)? {
                Some(core) => {
                    let effort = Effort::after(self.obligations.count_blocked(which));
                    let lemma = self.generalize(level, core, effort)?;
                    let level = self.push_up(level, lemma)?;
                    self.again(level + 1, last, which);
                }
                None => {
                    let before = self.predecessor(level, which)?;
                    self.obligations.add(level - 1, before);
                    self.obligations.wait(level, which);
                }
            }
        }
        Ok(None)
    }

    /// An obligation that is blocked at a level is looked at again at the next, as long as there is one.
    fn again(&mut self, level: usize, last: usize, which: usize) {
        if level <= last {
            self.obligations.wait(level, which);
        }
    }

    /// The lifted state that leads to an obligation, from the model of the last question.
    fn predecessor(&mut self, level: usize, which: usize) -> Result<Obligation, Halt> {
        let target = &self.obligations.get(which).cube;
        let (cube, inputs) = self.queries.lifted(level - 1, target)?;
        Ok(Obligation {
            cube,
            inputs,
            successor: Some(which),
            depth: self.obligations.get(which).depth + 1,
            blocked: 0,
        })
    }

    /// Forbids a cube at the greatest level at which it is inductive relative to the one below.
    fn push_up(&mut self, level: usize, cube: Cube) -> Result<usize, Halt> {
        let (mut level, mut cube) = (level, cube);
        while level < self.lemmas.last() {
            match self.queries.relative(level + 1, &cube)? {
                Some(core) => (level, cube) = (level + 1, core),
                None => break,
            }
        }
        self.learn(level, cube);
        Ok(level)
    }

    fn learn(&mut self, level: usize, cube: Cube) {
        self.bump /= DECAY;
        for lit in cube.lits() {
            self.activity[code(*lit)] += self.bump;
        }
        if self.bump > 1e20 {
            self.activity.iter_mut().for_each(|one| *one *= 1e-20);
            self.bump *= 1e-20;
        }
        self.queries.forbid(1..=level, &cube);
        self.lemmas.add(level, cube);
    }

    fn activity_of(&self, lit: StateLit) -> f32 {
        self.activity[code(lit)]
    }

    /// Moves every lemma to the next level if it holds there. When one level is left without lemmas
    /// of its own, those above it are inductive; that level is returned.
    fn propagate(&mut self) -> Result<Option<usize>, Halt> {
        for level in 1..self.lemmas.last() {
            let mut cubes = self.lemmas.take(level);
            cubes.sort_by_key(|cube| std::cmp::Reverse(cube.len()));
            while let Some(cube) = cubes.pop() {
                if let Err(halt) = self.push_one(level, &cube) {
                    // The solvers still know the lemmas, so the next turn must know them, too.
                    cubes.push(cube);
                    cubes
                        .into_iter()
                        .for_each(|cube| self.lemmas.put(level, cube));
                    return Err(halt);
                }
            }
            if self.lemmas.at(level).is_empty() {
                return Ok(Some(level + 1));
            }
        }
        Ok(None)
    }

    /// Moves a lemma, which was taken from its level, to the next one or puts it back.
    fn push_one(&mut self, level: usize, cube: &Cube) -> Result<(), Halt> {
        // What another lemma covers by now is not needed.
        if self.lemmas.from(level + 1).any(|one| one.covers(cube)) {
            return Ok(());
        }
        match self.queries.relative(level + 1, cube)? {
            Some(core) => {
                self.queries.forbid(level + 1..=level + 1, &core);
                if core.len() < cube.len() {
                    self.queries.forbid(1..=level, &core);
                }
                self.lemmas.add(level + 1, core);
            }
            None => self.lemmas.put(level, cube.clone()),
        }
        Ok(())
    }

    /// The run that an obligation begins: its inputs lead from any of its states to a bad one.
    fn trace(&self, first: usize) -> BitTrace {
        let path = self.obligations.path(first);
        let given = |input: &Option<bool>| input.unwrap_or(false);
        BitTrace {
            latches: self
                .relation
                .initial_state(&self.obligations.get(first).cube),
            inputs: path
                .map(|one| one.inputs.iter().map(given).collect())
                .collect(),
        }
    }
}

impl BitEngine for Ic3 {
    fn name(&self) -> EngineName {
        EngineName::Ic3
    }

    fn run(&mut self, effort: u64, watch: &mut dyn FnMut(u32)) -> Result<BitAnswer, Halt> {
        self.queries.account().allow(effort);
        self.work(watch)
    }
}

fn code(lit: StateLit) -> usize {
    2 * lit.latch() + usize::from(lit.value())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::graph::random::{Dice, Shape, netlist};
    use proofmark_solve::Interrupt;
    use proofmark_solve::sat::{Answer, Lit};

    /// An engine that is halted again and again knows at the end all that its solvers know.
    #[test]
    fn what_is_found_in_short_turns_is_inductive() {
        let (mut dice, mut halts, mut proofs) = (Dice::new(11), 0, 0);
        let shape = Shape {
            latches: 14,
            gates: 60,
            constraints: 0,
            ..Shape::default()
        };
        for _ in 0..400 {
            let relation = Arc::new(Relation::new(&netlist(&mut dice, &shape), 0));
            let account = Account::new(Interrupt::default());
            let mut ic3 = Ic3::new(Arc::clone(&relation), account);
            let mut effort = 600;
            let answer = loop {
                match ic3.run(effort, &mut |_| ()) {
                    Ok(answer) => break answer,
                    Err(Halt) => (effort, halts) = (effort + 20, halts + 1),
                }
            };
            let BitAnswer::Inductive { cubes, .. } = answer else {
                continue;
            };
            proofs += usize::from(!cubes.is_empty());
            let mut solver = relation.solver();
            for cube in &cubes {
                let clause = cube.lits().iter().map(|lit| !relation.now(*lit));
                solver.add_clause(&clause.collect::<Vec<Lit>>());
            }
            assert_eq!(solver.solve(&[relation.bad()]), Answer::Unsatisfiable);
            for cube in &cubes {
                let there = cube.lits().iter().map(|lit| relation.next(*lit));
                let answer = solver.solve(&there.collect::<Vec<Lit>>());
                assert_eq!(answer, Answer::Unsatisfiable);
            }
        }
        assert!(halts > 50 && proofs > 10, "{halts} halts, {proofs} proofs");
    }
}
