//! Random formulas and random sessions with a solver, and everything that judges the answers.
//!
//! Soundness is the product, so the judge is part of the code that is shared by the tests and by
//! `cargo xtask fuzz`: random terms (`terms`), random sequences of calls (`session`), the checks of
//! every answer (`trial`), opinions from elsewhere (`oracle`, `rival`), and the way from a failure
//! to the least session that still fails (`shrink`). Everything follows from a seed.

pub mod oracle;
pub mod rival;
pub mod session;
pub mod shrink;
pub mod terms;
pub mod trial;

/// A small generator of pseudo-random numbers (SplitMix64, Steele et al. 2014): the same numbers
/// from the same seed on every machine and in every version.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in `0 .. limit`; zero when the limit is zero.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.word() % limit.max(1) as u64) as usize
    }

    /// A number from `least` to `most`, both included.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        least + self.below((most - least + 1) as usize) as i64
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the choices, of which there is at least one.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
