//! `cargo xtask fuzz lustre`: mutated files through the Lustre front end, in this process.
//!
//! Input number n of a seed is the same whatever the count, as long as the files are, so that a
//! failure is found again with `--seed` and `--skip`. A panic or a broken rule (see
//! [`try_lustre`]) is printed with its input and makes the exit code tell.

use proofmark_lang::random::{Dice, Fate, mutate, try_lustre};
use proofmark_solve::random::Random;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub const USAGE: &str = "fuzz lustre [--seed N] [--count INPUTS] [--skip INPUTS]";

/// Larger files are left out: they take long and have nothing that small ones have not.
const LARGEST: usize = 6_000;
/// Stop after so many.
const MOST_FAILURES: usize = 5;

pub fn main(args: &[String]) -> Result<(), String> {
    let (mut seed, mut count, mut skip) = (1, 10_000, 0);
    for pair in args.chunks(2) {
        let number = |value: &String| value.parse::<u64>().map_err(|error| error.to_string());
        match pair {
            [flag, value] if flag == "--seed" => seed = number(value)?,
            [flag, value] if flag == "--count" => count = number(value)?,
            [flag, value] if flag == "--skip" => skip = number(value)?,
            _ => return Err(format!("usage: cargo xtask {USAGE}")),
        }
    }
    let files = files();
    // Panics are failures that are reported in their place.
    std::panic::set_hook(Box::new(|_| {}));
    let started = Instant::now();
    let (mut loaded, mut diagnosed, mut failures) = (0, 0, 0);
    let mut slowest = (Duration::ZERO, 0);
    for number in skip..skip + count {
        let mut random = Random::new(seed.wrapping_mul(0x1_0000_0001).wrapping_add(number));
        let mut dice = Dice(random.word() | 1);
        let text = input(&files, &mut dice);
        let begin = Instant::now();
        match fate(&text, dice) {
            Ok(Fate::Loaded) => loaded += 1,
            Ok(Fate::Diagnosed) => diagnosed += 1,
            Err(what) => {
                failures += 1;
                println!("input {number}: {what}\n{text}");
            }
        }
        slowest = slowest.max((begin.elapsed(), number));
        if failures == MOST_FAILURES {
            break;
        }
    }
    let time = started.elapsed();
    println!("seed {seed}, {} files, {time:.1?}", files.len());
    println!("slowest {:.1?}, input {}", slowest.0, slowest.1);
    println!("{loaded} loaded, {diagnosed} diagnosed, {failures} panics or broken rules");
    match failures {
        0 => Ok(()),
        _ => Err("the front end is wrong".into()),
    }
}

/// The project's own models and, when they are there, the shared ones.
fn files() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let own = root.join("tests/corpus/lustre");
    let folders = ["valid", "invalid", "error"].map(|folder| own.join(folder));
    let folders = folders
        .into_iter()
        .chain([crate::bench::shared("lustre/models")]);
    let entries = folders.filter_map(|folder| std::fs::read_dir(folder).ok());
    let mut paths: Vec<PathBuf> = entries.flatten().flatten().map(|e| e.path()).collect();
    paths.sort();
    let texts = paths
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok());
    texts.filter(|text| text.len() <= LARGEST).collect()
}

fn input(files: &[String], dice: &mut Dice) -> String {
    let other = &files[dice.roll(files.len())];
    let mut text = files[dice.roll(files.len())].clone();
    for _ in 0..=dice.roll(2) * dice.roll(4) {
        text = mutate(&text, other, dice);
    }
    text
}

fn fate(text: &str, mut dice: Dice) -> Result<Fate, String> {
    let caught = catch_unwind(move || try_lustre(text, &mut dice));
    caught.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", text.unwrap_or("of an unknown kind")))
    })
}
