//! A part of a campaign: `--shard 2/5` is the second of five parts.
//!
//! Which part a mutant is in depends on its id alone, so that parts agree about it even where they
//! do not agree about the others, as with `--in-core` and different proofs.

use proofmark_report::Shard;
use proofmark_source::sha256;
use std::str::FromStr;

/// The digits of a hash that are read: enough to be even, and no overflow.
const DIGITS: usize = 15;

/// Which of how many parts, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShardNumber {
    pub number: usize,
    pub of: usize,
}

impl ShardNumber {
    /// Whether a mutant is in this part.
    pub fn has(self, id: &str) -> bool {
        let hash = sha256(id.as_bytes());
        let digits = hash.get(..DIGITS).unwrap_or_default();
        let place = u64::from_str_radix(digits, 16).unwrap_or(0) % self.of as u64;
        place == self.number as u64 - 1
    }

    /// The part of these mutants.
    pub fn of(self, ids: &[String]) -> Shard {
        let positions = (0..ids.len()).filter(|at| self.has(&ids[*at]));
        Shard {
            number: self.number,
            of: self.of,
            all: ids.len(),
            positions: positions.collect(),
            assumptions: Vec::new(),
        }
    }
}

impl std::fmt::Display for ShardNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for ShardNumber {
    type Err = String;

    fn from_str(text: &str) -> Result<ShardNumber, String> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((number, of)) if 1 <= number && number <= of => Ok(ShardNumber { number, of }),
            _ => Err("expected k/n with k from 1 to n, such as 2/5".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_disjoint_complete_and_fairly_even() {
        let ids: Vec<String> = (0..1000).map(|at| format!("main/x#or2xor#{at}")).collect();
        let part = |number| ShardNumber { number, of: 4 }.of(&ids).positions;
        let mut all: Vec<usize> = (1..=4).flat_map(part).collect();
        all.sort_unstable();
        assert_eq!(all, (0..1000).collect::<Vec<_>>());
        assert!((1..=4).all(|number| (200..300).contains(&part(number).len())));
    }

    #[test]
    fn a_part_is_written_as_a_fraction() {
        assert_eq!("2/5".parse(), Ok(ShardNumber { number: 2, of: 5 }));
        for wrong in ["", "2", "0/5", "6/5", "a/5", "1/", "-1/2"] {
            assert!(wrong.parse::<ShardNumber>().is_err(), "{wrong}");
        }
    }
}
