//! Proof obligations: cubes that lead to a bad state, each with the way there.

use crate::bits::cube::Cube;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A cube, every state of which leads to the cube of its successor under the given inputs.
pub struct Obligation {
    pub cube: Cube,
    /// The values of the inputs in its states; what is open may have any.
    pub inputs: Vec<Option<bool>>,
    /// The obligation that it leads to; none when its states are bad.
    pub successor: Option<usize>,
    /// How many steps it is from a bad state.
    pub depth: u32,
    /// How often it was blocked and came back, which tells where more effort pays.
    pub blocked: u32,
}

/// All obligations, and those that wait: the lowest level first, then the one nearest to a bad state.
#[derive(Default)]
pub struct Obligations {
    all: Vec<Obligation>,
    waiting: BinaryHeap<Reverse<(usize, u32, usize)>>,
}

impl Obligations {
    /// Adds an obligation, which waits to be blocked at a level.
    pub fn add(&mut self, level: usize, obligation: Obligation) {
        self.all.push(obligation);
        self.wait(level, self.all.len() - 1);
    }

    /// Lets one wait to be blocked at a level.
    pub fn wait(&mut self, level: usize, which: usize) {
        let depth = self.all[which].depth;
        self.waiting.push(Reverse((level, depth, which)));
    }

    /// The next one that waits to be blocked up to this level.
    pub fn next(&mut self, last: usize) -> Option<(usize, usize)> {
        let Reverse((level, ..)) = self.waiting.peek()?;
        if *level > last {
            return None;
        }
        let Reverse((level, _, which)) = self.waiting.pop()?;
        Some((level, which))
    }

    /// The obligation of a number.
    pub fn get(&self, which: usize) -> &Obligation {
        &self.all[which]
    }

    /// Counts that it was blocked once more.
    pub fn count_blocked(&mut self, which: usize) -> u32 {
        self.all[which].blocked += 1;
        self.all[which].blocked
    }

    /// The way from an obligation to a bad state.
    pub fn path(&self, from: usize) -> impl Iterator<Item = &Obligation> {
        let next = |at: &usize| self.all[*at].successor;
        std::iter::successors(Some(from), next).map(|at| &self.all[at])
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.all.clear();
        self.waiting.clear();
    }
}
