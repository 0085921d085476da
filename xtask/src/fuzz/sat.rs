//! `cargo xtask fuzz sat`: random sessions with the solver of literals, every answer confirmed by
//! the checker of proofs, and proofs that are spoiled on purpose.

use proofmark_audit::lrat::random::{Session, Spoiled, Tally, run, shrink, spoil};
use std::time::Instant;

pub const USAGE: &str = "fuzz sat [--seed N] [--count SESSIONS]";

struct Options {
    seed: u64,
    count: u64,
}

fn options(args: &[String]) -> Result<Options, String> {
    let mut options = Options {
        seed: 1,
        count: 10_000,
    };
    for pair in args.chunks(2) {
        let [flag, value] = pair else {
            return Err(format!("{} needs a value\nusage: {USAGE}", pair[0]));
        };
        let number = value.parse::<u64>();
        let number = number.map_err(|_| format!("{flag} takes a number, not {value}"))?;
        match flag.as_str() {
            "--seed" => options.seed = number,
            "--count" => options.count = number,
            _ => return Err(format!("{flag} is unknown\nusage: {USAGE}")),
        }
    }
    Ok(options)
}

pub fn main(args: &[String]) -> Result<(), String> {
    let options = options(args)?;
    // Panics are failures that are reported in their place.
    std::panic::set_hook(Box::new(|_| {}));
    let started = Instant::now();
    let mut all = Tally::default();
    let (mut refused, mut still, mut failures) = (0u64, 0u64, 0u64);
    for number in 0..options.count {
        let seed = options.seed.wrapping_mul(0x1_0000_0001);
        let seed = seed.wrapping_add(number);
        let session = Session::random(seed);
        match run(&session) {
            Ok(tally) => all.add(tally),
            Err(fault) => {
                failures += 1;
                println!("session {number}: {fault}\n{}", shrink(&session));
            }
        }
        match spoil(seed) {
            Some(Ok(Spoiled::Refused)) => refused += 1,
            Some(Ok(Spoiled::StillAProof)) => still += 1,
            Some(Err(fault)) => {
                failures += 1;
                println!("proof {number}: {fault}");
            }
            None => {}
        }
    }
    println!("{all:?}");
    println!("spoiled proofs: {refused} refused, {still} still are proofs");
    println!("{failures} failures, {:.1?}", started.elapsed());
    match failures {
        0 => Ok(()),
        _ => Err("the solver or the checker is wrong".into()),
    }
}
