//! Arrays, word by word: a read chooses by the bits of the address, a write changes each word or not.

use super::operators::Maker;
use proofmark_model::{Expr, Operator};

impl Maker<'_> {
    /// The word at an address: half of the words are left out for each bit of it.
    pub(super) fn read_word(&mut self, words: &[Expr], address: &Expr) -> Expr {
        let mut words = words.to_vec();
        let mut at = 0;
        while words.len() > 1 {
            let bit = self.bit(address, at);
            let pairs = words.chunks(2);
            words = pairs
                .map(|pair| match pair {
                    [low, high] => {
                        let args = vec![bit.clone(), high.clone(), low.clone()];
                        self.extra(Operator::IfThenElse, args)
                    }
                    _ => pair[0].clone(),
                })
                .collect();
            at += 1;
        }
        words[0].clone()
    }

    /// The words with one of them changed.
    pub(super) fn write_word(&mut self, words: &[Expr], address: &Expr, value: &Expr) -> Vec<Expr> {
        let width = super::operators::width(address.sort());
        let numbered = (0u32..).zip(words);
        numbered
            .map(|(number, word)| {
                let here = self.number(width, number.into());
                let here = self.extra(Operator::Equal, vec![address.clone(), here]);
                let args = vec![here, value.clone(), word.clone()];
                self.extra(Operator::IfThenElse, args)
            })
            .collect()
    }

    /// Whether all words are equal.
    pub(super) fn same_words(&mut self, a: &[Expr], b: &[Expr]) -> Expr {
        let args = a.iter().chain(b).cloned().collect();
        self.extra(Operator::Equal, args)
    }
}
