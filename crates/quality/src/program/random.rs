//! Random answers to a program that asks: mostly small numbers, for what is assumed of them is mostly that they are small.

use proofmark_audit::program::Asked;
use proofmark_model::graph::random::Dice;
use proofmark_model::program::InputReason;

/// Answers of one run.
pub(super) struct Answers {
    dice: Dice,
    /// Small numbers of this run are below this.
    small: usize,
}

impl Answers {
    /// The same seed gives the same answers.
    pub(super) fn new(seed: u64) -> Answers {
        let mut dice = Dice::new(seed);
        let small = 2 + dice.below(7);
        Answers { dice, small }
    }

    pub(super) fn answer(&mut self, asked: Asked<'_>) -> Vec<u8> {
        match asked.reason {
            InputReason::Asked(_) | InputReason::Undefined(_) => self.number(asked.bytes),
            // What an operation without a meaning yields, and memory that nobody wrote.
            _ => (0..asked.bytes).map(|_| self.dice.word() as u8).collect(),
        }
    }

    fn number(&mut self, bytes: usize) -> Vec<u8> {
        let number = match self.dice.below(16) {
            0 => self.dice.word(),
            1 => u64::MAX,
            2 => 1 << (bytes * 8 - 1).min(63),
            3 => (1 << (bytes * 8 - 1).min(63)) - 1,
            4 => self.dice.below(256) as u64,
            _ => self.dice.below(self.small) as u64,
        };
        number.to_le_bytes().into_iter().take(bytes).collect()
    }
}
