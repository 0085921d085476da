//! The questions of IC3: one solver a level, and one that lifts.
//!
//! Solver `k` knows the gates, the constraints and the clauses of level `k` and above; solver 0 knows the
//! initial values. A question is answered within the cone of what it asks, together with the latches
//! of the level's clauses: the gates outside are functions of what is inside and of free latches and
//! inputs, so every answer extends to them.

use super::obligations::Obligation;
use crate::bits::account::{Account, Halt};
use crate::bits::cube::{Cube, StateLit};
use crate::bits::relation::{Cone, Relation};
use proofmark_solve::sat::{Answer, Lit, Solver, Var};
use std::ops::RangeInclusive;
use std::sync::Arc;

pub struct Queries {
    relation: Arc<Relation>,
    levels: Vec<Level>,
    /// Knows the gates alone.
    lifter: Solver,
    cone: Cone,
    assumptions: Vec<Lit>,
    constraint: Vec<Lit>,
    account: Account,
}

/// The solver of a level, and the variables that each of its questions is about.
struct Level {
    solver: Solver,
    always: Vec<Var>,
    is_always: Vec<bool>,
}

/// How often a state is lifted again, with its literals in another order.
const LIFTS: usize = 2;

impl Queries {
    pub fn new(relation: Arc<Relation>, account: Account) -> Queries {
        let lifter = account.open(relation.solver());
        let mut queries = Queries {
            relation: Arc::clone(&relation),
            levels: Vec::new(),
            lifter,
            cone: Cone::default(),
            assumptions: Vec::new(),
            constraint: Vec::new(),
            account,
        };
        queries.open_level();
        let first = &mut queries.levels[0];
        for latch in 0..relation.latches() {
            if let Some(value) = relation.init(latch).value() {
                let lit = relation.now(StateLit::new(latch, value));
                first.solver.add_clause(&[lit]);
            }
        }
        queries
    }

    /// What the solvers may spend.
    pub fn account(&mut self) -> &mut Account {
        &mut self.account
    }

    /// What they have cost so far.
    pub fn spent(&self) -> u64 {
        self.account.spent()
    }

    /// A solver for one level more.
    pub fn open_level(&mut self) {
        let relation = Arc::clone(&self.relation);
        let mut solver = self.account.open(relation.solver());
        for constraint in relation.constraints() {
            solver.add_clause(&[*constraint]);
        }
        let constraints = relation.constraints().iter().copied();
        relation.cone(constraints, &[], &mut self.cone);
        self.levels.push(Level {
            solver,
            always: self.cone.vars.clone(),
            is_always: vec![false; relation.latches()],
        });
    }

    /// Forbids a cube at some levels.
    pub fn forbid(&mut self, levels: RangeInclusive<usize>, cube: &Cube) {
        let relation = Arc::clone(&self.relation);
        self.constraint.clear();
        let clause = cube.lits().iter().map(|lit| !relation.now(*lit));
        self.constraint.extend(clause);
        for level in &mut self.levels[levels] {
            level.solver.add_clause(&self.constraint);
            for lit in cube.lits() {
                if !std::mem::replace(&mut level.is_always[lit.latch()], true) {
                    level.always.push(relation.now(*lit).var());
                }
            }
        }
    }

    /// Whether no state of the level below that is outside the cube leads into it: then the part of the
    /// cube that the answer needs, widened so far that it still has no initial state. Otherwise the
    /// solver below has a model.
    pub fn relative(&mut self, level: usize, cube: &Cube) -> Result<Option<Cube>, Halt> {
        let relation = Arc::clone(&self.relation);
        self.constraint.clear();
        let outside = cube.lits().iter().map(|lit| !relation.now(*lit));
        self.constraint.extend(outside);
        self.assumptions.clear();
        let there = cube.lits().iter().map(|lit| relation.next(*lit));
        self.assumptions.extend(there);
        let below = &mut self.levels[level - 1];
        let about = self.assumptions.iter().chain(&self.constraint).copied();
        relation.cone(about, &below.always, &mut self.cone);
        let solver = &mut below.solver;
        solver.restrict(&self.cone.vars);
        match self
            .account
            .solve(solver, &self.assumptions, &self.constraint)?
        {
            Answer::Satisfiable => Ok(None),
            _ => {
                let lits = cube.lits().iter().copied();
                let mut core: Vec<StateLit> = lits
                    .filter(|lit| solver.failed(relation.next(*lit)))
                    .collect();
                self.keep_from_initial(cube, &mut core);
                Ok(Some(Cube::new(core)))
            }
        }
    }

    /// Adds a literal of the cube that no initial state has, unless there is one already.
    fn keep_from_initial(&self, cube: &Cube, core: &mut Vec<StateLit>) {
        let differs = |lit: &StateLit| {
            let value = self.relation.init(lit.latch()).value();
            value.is_some_and(|value| value != lit.value())
        };
        if !core.iter().any(differs) {
            core.extend(cube.lits().iter().copied().find(differs));
        }
    }

    /// A bad state of a level, lifted, if there is one.
    pub fn bad(&mut self, level: usize) -> Result<Option<Obligation>, Halt> {
        let (relation, bad) = (Arc::clone(&self.relation), self.relation.bad());
        let at = &mut self.levels[level];
        relation.cone([bad], &at.always, &mut self.cone);
        at.solver.restrict(&self.cone.vars);
        match self.account.solve(&mut at.solver, &[bad], &[])? {
            Answer::Satisfiable => {
                let (cube, inputs) = self.lift(level, &[!bad])?;
                Ok(Some(Obligation {
                    cube,
                    inputs,
                    successor: None,
                    depth: 0,
                    blocked: 0,
                }))
            }
            _ => Ok(None),
        }
    }

    /// The states that lead into the cube under the inputs of the model at a level: that of the model,
    /// and as many others as are easily found.
    pub fn lifted(
        &mut self,
        level: usize,
        target: &Cube,
    ) -> Result<(Cube, Vec<Option<bool>>), Halt> {
        let misses = target.lits().iter().map(|lit| !self.relation.next(*lit));
        let misses: Vec<Lit> = misses.collect();
        self.lift(level, &misses)
    }

    /// The same, when the inputs do not matter.
    pub fn state(&mut self, level: usize, target: &Cube) -> Result<Cube, Halt> {
        Ok(self.lifted(level, target)?.0)
    }

    /// Those literals of the cube that are true in the model at a level.
    pub fn agreeing(&self, level: usize, cube: &Cube) -> Cube {
        let solver = &self.levels[level].solver;
        let holds = |lit: &StateLit| solver.value(self.relation.now(*lit)) == Some(true);
        Cube::new(cube.lits().iter().copied().filter(holds).collect())
    }

    /// The model at a level satisfies none of `misses`, and all constraints. The state literals that
    /// make it so, whatever the other latches are.
    fn lift(&mut self, level: usize, misses: &[Lit]) -> Result<(Cube, Vec<Option<bool>>), Halt> {
        let relation = Arc::clone(&self.relation);
        let model = &self.levels[level].solver;
        let inputs = relation.inputs().iter().map(|input| model.value(*input));
        let inputs: Vec<Option<bool>> = inputs.collect();
        let mut state: Vec<StateLit> = (0..relation.latches())
            .filter_map(|latch| {
                let value = model.value(relation.now(StateLit::new(latch, true)))?;
                Some(StateLit::new(latch, value))
            })
            .collect();
        let mut goal = misses.to_vec();
        goal.extend(relation.constraints().iter().map(|one| !*one));
        relation.cone(goal.iter().copied(), &[], &mut self.cone);
        self.lifter.restrict(&self.cone.vars);
        for _ in 0..LIFTS {
            self.assumptions.clear();
            let given = relation.inputs().iter().zip(&inputs);
            let given = given
                .filter_map(|(lit, value)| value.map(|value| if value { *lit } else { !*lit }));
            self.assumptions.extend(given);
            self.assumptions
                .extend(state.iter().map(|lit| relation.now(*lit)));
            let answer = self
                .account
                .solve(&mut self.lifter, &self.assumptions, &goal)?;
            // The inputs and the state decide the goal.
            assert_ne!(
                answer,
                Answer::Satisfiable,
                "a state that does not lead to its successor"
            );
            let before = state.len();
            state.retain(|lit| self.lifter.failed(relation.now(*lit)));
            state.reverse();
            if state.len() == before {
                break;
            }
        }
        Ok((Cube::new(state), inputs))
    }
}
