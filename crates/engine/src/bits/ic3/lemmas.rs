//! Lemmas by level: cubes that no run of so many steps reaches.
//!
//! The encoding is that of deltas: a cube stands at the greatest level at which it is blocked, and
//! holds at all lower ones, too.

use crate::bits::cube::Cube;

/// Blocked cubes, each at the greatest level at which it is known to be blocked.
#[derive(Default)]
pub struct Lemmas {
    levels: Vec<Vec<Cube>>,
}

impl Lemmas {
    /// The last level.
    pub fn last(&self) -> usize {
        self.levels.len().saturating_sub(1)
    }

    /// One level more.
    pub fn open_level(&mut self) {
        self.levels.push(Vec::new());
    }

    /// The cubes that stand at this level.
    pub fn at(&self, level: usize) -> &[Cube] {
        &self.levels[level]
    }

    /// The cubes that are blocked at this level: what stands there and above.
    pub fn from(&self, level: usize) -> impl Iterator<Item = &Cube> {
        self.levels[level.min(self.levels.len())..].iter().flatten()
    }

    /// The greatest level at which a lemma blocks all of the cube.
    pub fn blocked_at(&self, from: usize, cube: &Cube) -> Option<usize> {
        let levels = (from..self.levels.len()).rev();
        levels
            .into_iter()
            .find(|level| self.levels[*level].iter().any(|one| one.covers(cube)))
    }

    /// Adds a cube at a level, in the place of those that it covers up to there.
    pub fn add(&mut self, level: usize, cube: Cube) {
        for cubes in &mut self.levels[..=level] {
            cubes.retain(|one| !cube.covers(one));
        }
        self.levels[level].push(cube);
    }

    /// Takes the cubes from a level, to be put at this one or the next.
    pub fn take(&mut self, level: usize) -> Vec<Cube> {
        std::mem::take(&mut self.levels[level])
    }

    /// Puts back a cube that stays at its level.
    pub fn put(&mut self, level: usize, cube: Cube) {
        self.levels[level].push(cube);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::cube::StateLit;

    fn cube(latches: &[usize]) -> Cube {
        Cube::new(
            latches
                .iter()
                .map(|one| StateLit::new(*one, true))
                .collect(),
        )
    }

    #[test]
    fn a_wider_cube_takes_the_place_of_those_below_it() {
        let mut lemmas = Lemmas::default();
        (0..4).for_each(|_| lemmas.open_level());
        lemmas.add(1, cube(&[1, 2]));
        lemmas.add(3, cube(&[1, 3]));
        lemmas.add(2, cube(&[1]));
        assert!(lemmas.at(1).is_empty());
        assert_eq!(lemmas.at(3).len(), 1);
        assert_eq!(lemmas.blocked_at(1, &cube(&[1, 5])), Some(2));
        assert_eq!(lemmas.blocked_at(1, &cube(&[1, 3, 5])), Some(3));
        assert_eq!(lemmas.blocked_at(3, &cube(&[1, 5])), None);
        assert_eq!(lemmas.from(2).count(), 2);
    }
}
