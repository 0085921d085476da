//! Whatever the text is, the front end answers: mutations of good files, with a model or with an
//! error, and never with a panic.
//!
//! A few thousand mutants are tried in every test run; `cargo xtask fuzz lustre` tries more.

mod common;

use common::{benchmarks, corpus};
use proofmark_lang::random::{Dice, Fate, mutate, try_lustre};

/// Larger files are left out: they take long and have nothing that small ones have not.
const LARGEST: usize = 6_000;

fn seeds() -> Vec<String> {
    let mut paths: Vec<_> = ["valid", "invalid", "error"]
        .into_iter()
        .flat_map(corpus)
        .collect();
    match benchmarks() {
        Ok(more) => paths.extend(more),
        Err(reason) => println!("without benchmark models ({reason})"),
    }
    let texts = paths
        .into_iter()
        .filter_map(|path| std::fs::read_to_string(path).ok());
    texts.filter(|text| text.len() <= LARGEST).collect()
}

#[test]
fn no_text_makes_the_front_end_panic() {
    let count = 3_000;
    let seeds = seeds();
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    let mut loaded = 0;
    for _ in 0..count {
        let other = &seeds[dice.roll(seeds.len())];
        let mut text = seeds[dice.roll(seeds.len())].clone();
        for _ in 0..=dice.roll(2) * dice.roll(4) {
            text = mutate(&text, other, &mut dice);
        }
        match try_lustre(&text, &mut dice) {
            Ok(fate) => loaded += usize::from(fate == Fate::Loaded),
            Err(broken) => panic!("{broken}\n{text}"),
        }
    }
    println!("{loaded} of {count} loaded");
    assert!(loaded * 50 > count && loaded < count);
}
