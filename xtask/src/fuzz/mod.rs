//! `cargo xtask fuzz`: random sessions with the embedded solver, every answer examined;
//! `cargo xtask fuzz lustre`, `fuzz aiger`, `fuzz btor2` and `fuzz smv`: random files for the front ends;
//! `cargo xtask fuzz mutants`: campaigns on random models; `cargo xtask fuzz sat`: random sessions with
//! the solver of literals, and spoiled proofs.
//!
//! Session number n of a seed is the same whatever the count, so that a failure is found again with
//! `--seed` and `--skip`. Failures are shrunk and printed; the exit code tells whether there were any.

mod aiger;
mod btor2;
mod c;
mod files;
mod lustre;
mod mutants;
mod sat;
mod smv;

use proofmark_solve::random::Random;
use proofmark_solve::random::oracle::SmallValues;
use proofmark_solve::random::rival::Rival;
use proofmark_solve::random::session::Session;
use proofmark_solve::random::shrink::shrink;
use proofmark_solve::random::terms::{MOST_VARIABLES, Shape, THEORIES, Theory};
use proofmark_solve::random::trial::{Demands, Failure, Judge, Kind, Tally, run};
use std::time::Instant;

pub fn usage() -> String {
    let kinds = [
        USAGE,
        aiger::USAGE,
        btor2::USAGE,
        lustre::USAGE,
        mutants::USAGE,
        sat::USAGE,
        smv::USAGE,
        c::USAGE,
    ];
    let lines = kinds.map(|usage| format!("cargo xtask {usage}"));
    lines.join("\n       ")
}

const USAGE: &str = "fuzz [--seed N] [--count CHECKS] [--theory NAME] [--with z3,yices-smt2] \
    [--effort N] [--skip SESSIONS] [--failures N] [--unknown tolerated|failure]";

struct Options {
    seed: u64,
    count: u64,
    theories: Vec<Theory>,
    with: Vec<String>,
    demands: Demands,
    skip: u64,
    /// Stop after so many.
    failures: usize,
}

fn options(args: &[String]) -> Result<Options, String> {
    let mut options = Options {
        seed: 1,
        count: 10_000,
        theories: THEORIES.to_vec(),
        with: Vec::new(),
        demands: Demands {
            effort: 20_000,
            knowledge: false,
        },
        skip: 0,
        failures: 5,
    };
    for pair in args.chunks(2) {
        let [flag, value] = pair else {
            return Err(format!("{} needs a value\nusage: {USAGE}", pair[0]));
        };
        let number = || {
            let parsed = value.parse::<u64>();
            parsed.map_err(|_| format!("{flag} takes a number, not {value}"))
        };
        match flag.as_str() {
            "--seed" => options.seed = number()?,
            "--count" => options.count = number()?,
            "--effort" => options.demands.effort = number()?,
            "--skip" => options.skip = number()?,
            "--failures" => options.failures = number()? as usize,
            "--with" => options.with = value.split(',').map(str::to_string).collect(),
            "--unknown" => options.demands.knowledge = value == "failure",
            "--theory" => options.theories = theories(value)?,
            _ => return Err(format!("{flag} is unknown\nusage: {USAGE}")),
        }
    }
    Ok(options)
}

fn theories(names: &str) -> Result<Vec<Theory>, String> {
    let find = |name: &str| {
        let found = THEORIES.iter().find(|theory| theory.name == name).copied();
        let known: Vec<&str> = THEORIES.iter().map(|theory| theory.name).collect();
        found.ok_or_else(|| format!("{name} is not one of {}", known.join(", ")))
    };
    names.split(',').map(find).collect()
}

/// The shape of a session's terms.
fn shape(theory: Theory, random: &mut Random) -> Shape {
    Shape {
        theory,
        depth: 1 + random.below(6) as u32,
        variables: 1 + random.below(MOST_VARIABLES),
        constants: random.pick(&[1, 2, 4, 8, 8, 20, 100]),
    }
}

pub fn main(args: &[String]) -> Result<(), String> {
    match args.split_first() {
        Some((what, rest)) if what == "aiger" => return aiger::main(rest),
        Some((what, rest)) if what == "btor2" => return btor2::main(rest),
        Some((what, rest)) if what == "lustre" => return lustre::main(rest),
        Some((what, rest)) if what == "mutants" => return mutants::main(rest),
        Some((what, rest)) if what == "sat" => return sat::main(rest),
        Some((what, rest)) if what == "smv" => return smv::main(rest),
        Some((what, rest)) if what == "c" => return c::main(rest),
        _ => {}
    }
    let options = options(args)?;
    let mut judges: Vec<Box<dyn Judge>> = vec![Box::new(SmallValues { most_trials: 2000 })];
    for name in &options.with {
        judges.push(Box::new(Rival::start(name)?));
    }
    // Panics are failures that are reported in their place.
    std::panic::set_hook(Box::new(|_| {}));
    let started = Instant::now();
    let mut tallies = vec![Tally::default(); options.theories.len()];
    let mut failures = 0;
    let mut number = options.skip;
    while tallies.iter().map(Tally::checks).sum::<u64>() < options.count
        && failures < options.failures
    {
        let mut random = Random::new(
            options
                .seed
                .wrapping_mul(0x1_0000_0001)
                .wrapping_add(number),
        );
        let which = number as usize % options.theories.len();
        let shape = shape(options.theories[which], &mut random);
        let session = Session::random(random, shape);
        match run(&session, options.demands, &mut judges) {
            Ok(tally) => tallies[which].add(&tally),
            Err(failure) => {
                failures += 1;
                println!("session {number} ({}):", shape.theory.name);
                explain(&session, &failure, options.demands, &mut judges);
            }
        }
        number += 1;
    }
    print_tallies(&options, &tallies, number);
    println!("{failures} failures, {:.1?}", started.elapsed());
    match failures {
        0 => Ok(()),
        _ => Err("the solver is wrong".into()),
    }
}

fn explain(session: &Session, failure: &Failure, demands: Demands, judges: &mut [Box<dyn Judge>]) {
    let trials = match failure.kind {
        Kind::Slow => 50,
        Kind::Ignorance => 300,
        _ => 5000,
    };
    let small = shrink(session, trials, |session| {
        run(session, demands, judges).is_err_and(|other| other.kind == failure.kind)
    });
    let what = run(&small, demands, judges)
        .err()
        .unwrap_or(failure.clone());
    println!("{:?}: {}\n{small}", what.kind, what.what);
}

fn print_tallies(options: &Options, tallies: &[Tally], sessions: u64) {
    println!(
        "seed {}, sessions {}, effort {}",
        options.seed,
        sessions - options.skip,
        options.demands.effort
    );
    println!(
        "{:<14}{:>9}{:>9}{:>9}{:>10}{:>9}{:>9}",
        "theory", "checks", "sat", "unsat", "confirmed", "unknown", "decided"
    );
    let mut total = Tally::default();
    for (theory, tally) in options.theories.iter().zip(tallies) {
        print_row(theory.name, tally);
        total.add(tally);
    }
    print_row("total", &total);
}

fn print_row(name: &str, tally: &Tally) {
    println!(
        "{name:<14}{:>9}{:>9}{:>9}{:>10}{:>9}{:>9}",
        tally.checks(),
        tally.sat,
        tally.unsat,
        tally.confirmed,
        tally.unknown,
        tally.decided_elsewhere
    );
}
