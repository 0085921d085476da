//! Generalisation: from a cube that is blocked to a larger one.
//!
//! Literals are dropped one by one as long as what is left stays inductive relative to the level
//! below (Bradley, "SAT-Based Model Checking without Unrolling", 2011). Where dropping fails because
//! of a state that is itself unreachable one level down, that state, a counterexample to
//! generalisation, is blocked first and the drop tried again (Hassan, Bradley and Somenzi, "Better
//! Generalization in IC3", 2013). How hard this is tried depends on how often the obligation came
//! back: most cubes are blocked once and for all by the cheap way.

use super::{Halt, Ic3};
use crate::bits::cube::{Cube, StateLit};

/// How many counterexamples to generalisation may be blocked.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// For one drop of a literal.
    drops: u32,
    /// For their own generalisation in turn.
    nested: u32,
}

impl Effort {
    /// The effort for an obligation that was blocked so often.
    pub fn after(blocked: u32) -> Effort {
        match blocked {
            0..=4 => Effort {
                drops: 0,
                nested: 0,
            },
            5..=19 => Effort {
                drops: 2,
                nested: 1,
            },
            _ => Effort {
                drops: 4,
                nested: 1,
            },
        }
    }

    fn inner(self) -> Effort {
        match self.nested {
            0 => Effort {
                drops: 0,
                nested: 0,
            },
            nested => Effort {
                drops: self.drops,
                nested: nested - 1,
            },
        }
    }
}

impl Ic3 {
    /// A cube that covers this one and is inductive relative to the level below, as this one is.
    pub(super) fn generalize(
        &mut self,
        level: usize,
        cube: Cube,
        effort: Effort,
    ) -> Result<Cube, Halt> {
        let mut cube = cube;
        let mut order: Vec<StateLit> = cube.lits().to_vec();
        // What blocked before is kept: literals of low activity are dropped first.
        order.sort_by(|a, b| self.activity_of(*a).total_cmp(&self.activity_of(*b)));
        let mut needed: Vec<StateLit> = Vec::new();
        for lit in order {
            if cube.len() == 1 || !cube.contains(lit) {
                continue;
            }
            match self.without(level, &cube, lit, &needed, effort)? {
                Some(smaller) => cube = smaller,
                None => needed.push(lit),
            }
        }
        Ok(cube)
    }

    /// The cube without the literal, or with even fewer, if it is inductive and has all that is needed.
    fn without(
        &mut self,
        level: usize,
        cube: &Cube,
        lit: StateLit,
        needed: &[StateLit],
        effort: Effort,
    ) -> Result<Option<Cube>, Halt> {
        let mut left: Vec<StateLit> = cube.lits().to_vec();
        left.retain(|one| *one != lit);
        let mut candidate = Cube::new(left);
        let mut drops = 0;
        loop {
            if self.relation.is_initial(&candidate) {
                return Ok(None);
            }
            if let Some(core) = self.queries.relative(level, &candidate)? {
                return Ok(Some(core));
            }
            if drops < effort.drops && level > 1 {
                let state = self.queries.state(level - 1, &candidate)?;
                if self.block_one(level - 1, state, effort)? {
                    drops += 1;
                    continue;
                }
            }
            if effort.drops == 0 {
                return Ok(None);
            }
            // The states of the candidate that agree with the one that leads to it: a smaller cube of
            // literals, a larger set.
            drops = 0;
            let joined = self.queries.agreeing(level - 1, &candidate);
            if joined.len() == candidate.len() || !needed.iter().all(|one| joined.contains(*one)) {
                return Ok(None);
            }
            candidate = joined;
        }
    }

    /// Blocks a counterexample to generalisation at its level or above, if it is unreachable there.
    fn block_one(&mut self, level: usize, state: Cube, effort: Effort) -> Result<bool, Halt> {
        if self.relation.is_initial(&state) {
            return Ok(false);
        }
        let Some(core) = self.queries.relative(level, &state)? else {
            return Ok(false);
        };
        let mut top = level;
        while top < self.lemmas.last() && self.queries.relative(top + 1, &core)?.is_some() {
            top += 1;
        }
        let core = self.generalize(top, core, effort.inner())?;
        self.learn(top, core);
        Ok(true)
    }
}
