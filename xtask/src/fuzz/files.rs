//! Mutated files through a front end: what the languages have in common.

use proofmark_lang::random::{Dice, Fate};
use proofmark_solve::random::Random;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Larger files are left out: they take long and have nothing that small ones have not.
const LARGEST: usize = 6_000;
/// Stop after so many.
const MOST_FAILURES: usize = 5;

/// A front end and what it reads.
pub struct Front {
    pub usage: &'static str,
    /// Folders of the project's own corpus.
    pub folders: &'static [&'static str],
    /// The folder of shared files, which may be absent.
    pub shared: &'static str,
    /// Changes one thing, perhaps to something of the second file.
    pub mutate: fn(&[u8], &[u8], &mut Dice) -> Vec<u8>,
    /// Takes a file through the front end.
    pub attempt: fn(&[u8], &mut Dice) -> Result<Fate, String>,
}

pub fn fuzz(front: &Front, args: &[String]) -> Result<(), String> {
    let (mut seed, mut count, mut skip) = (1, 10_000, 0);
    for pair in args.chunks(2) {
        let number = |value: &String| value.parse::<u64>().map_err(|error| error.to_string());
        match pair {
            [flag, value] if flag == "--seed" => seed = number(value)?,
            [flag, value] if flag == "--count" => count = number(value)?,
            [flag, value] if flag == "--skip" => skip = number(value)?,
            _ => return Err(format!("usage: cargo xtask {}", front.usage)),
        }
    }
    let files = files(front);
    // Panics are failures that are reported in their place.
    std::panic::set_hook(Box::new(|_| {}));
    let started = Instant::now();
    let (mut loaded, mut diagnosed, mut failures) = (0, 0, 0);
    let mut slowest = (Duration::ZERO, 0);
    for number in skip..skip + count {
        let mut random = Random::new(seed.wrapping_mul(0x1_0000_0001).wrapping_add(number));
        let mut dice = Dice(random.word() | 1);
        let bytes = input(front, &files, &mut dice);
        let begin = Instant::now();
        match fate(front, &bytes, dice) {
            Ok(Fate::Loaded) => loaded += 1,
            Ok(Fate::Diagnosed) => diagnosed += 1,
            Err(what) => {
                failures += 1;
                println!("input {number}: {what}\n{}", bytes.escape_ascii());
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

/// The project's own files and, when they are there, the shared ones.
fn files(front: &Front) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let folders = front.folders.iter().map(|folder| root.join(folder));
    let folders = folders.chain([crate::bench::shared(front.shared)]);
    let entries = folders.filter_map(|folder| std::fs::read_dir(folder).ok());
    let mut paths: Vec<PathBuf> = entries.flatten().flatten().map(|e| e.path()).collect();
    paths.sort();
    let files = paths.iter().filter_map(|path| std::fs::read(path).ok());
    files.filter(|bytes| bytes.len() <= LARGEST).collect()
}

fn input(front: &Front, files: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let other = &files[dice.roll(files.len())];
    let mut bytes = files[dice.roll(files.len())].clone();
    for _ in 0..=dice.roll(2) * dice.roll(4) {
        bytes = (front.mutate)(&bytes, other, dice);
    }
    bytes
}

fn fate(front: &Front, bytes: &[u8], mut dice: Dice) -> Result<Fate, String> {
    let attempt = front.attempt;
    let caught = catch_unwind(move || attempt(bytes, &mut dice));
    caught.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", text.unwrap_or("of an unknown kind")))
    })
}
