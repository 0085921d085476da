//! `cargo xtask bench against --old BINARY`: two versions of `proofmark`, side by side.
//!
//! Each model is given to the old binary and to the new one in turn, which of them goes first
//! alternates, and each command (`check`, `ivc`, `mutate`) runs a few times; the ratio of the median
//! times is what a command costs now. Printed are the median and the quartiles of these ratios, the
//! totals, the counts of verdicts on either side, and the models with the largest ratios. A property
//! or a mutant that one version calls valid, or killed, and the other refutes, or lets survive, is a
//! contradiction and fails the bench; what one of them left undecided is not.

use super::lustre::{self, ask_command, models, name};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub const USAGE: &str = "bench against --old BINARY [--models DIR] [--timeout SECONDS] [--jobs N] \
                         [--match TEXT] [--binary NEW] [--commands check,ivc,mutate] [--every N] \
                         [--runs N]";

struct Options {
    common: lustre::Options,
    old: PathBuf,
    commands: Vec<String>,
    every: usize,
    runs: usize,
}

/// What one command came to on all models.
#[derive(Default)]
struct Tally {
    /// New over old, a ratio a model.
    ratios: Vec<(f64, String)>,
    old: Side,
    new: Side,
    contradictions: Vec<String>,
}

/// What one version said.
#[derive(Default)]
struct Side {
    seconds: f64,
    verdicts: BTreeMap<String, usize>,
}

pub fn main(args: &[String]) -> Result<(), String> {
    let options = options(args)?;
    let new = options.common.binary()?;
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for (at, model) in models(&options.common)?
        .iter()
        .step_by(options.every)
        .enumerate()
    {
        for command in &options.commands {
            let tally = tallies.entry(command).or_default();
            compare(&options, [&options.old, &new], command, model, at, tally)?;
        }
    }
    let mut contradictions = 0;
    for (command, tally) in tallies {
        contradictions += tally.contradictions.len();
        summarise(command, tally);
    }
    match contradictions {
        0 => Ok(()),
        count => Err(format!("{count} contradictions")),
    }
}

fn options(args: &[String]) -> Result<Options, String> {
    let usage = || format!("usage: cargo xtask {USAGE}");
    let mut options = Options {
        common: lustre::Options::new("10"),
        old: PathBuf::new(),
        commands: ["check", "ivc", "mutate"].map(String::from).to_vec(),
        every: 1,
        runs: 3,
    };
    let number = |value: &String| value.parse().ok().filter(|number| *number > 0);
    for pair in args.chunks(2) {
        match pair {
            [flag, value] if options.common.take(flag, value) => {}
            [flag, value] if flag == "--old" => options.old = value.into(),
            [flag, value] if flag == "--commands" => {
                options.commands = value.split(',').map(String::from).collect();
            }
            [flag, value] if flag == "--every" => {
                options.every = number(value).ok_or_else(usage)?;
            }
            [flag, value] if flag == "--runs" => options.runs = number(value).ok_or_else(usage)?,
            _ => return Err(usage()),
        }
    }
    match options.old.is_file() {
        true => Ok(options),
        false => Err(usage()),
    }
}

/// Runs one command on one model with both versions, `[old, new]`.
fn compare(
    options: &Options,
    binaries: [&Path; 2],
    command: &str,
    model: &Path,
    at: usize,
    tally: &mut Tally,
) -> Result<(), String> {
    let lustre::Options { timeout, jobs, .. } = &options.common;
    let mut arguments = vec!["--timeout", timeout, "--jobs", jobs];
    if command == "mutate" {
        arguments.extend(["--mutators", "jkind"]);
    }
    let mut times = [Vec::new(), Vec::new()];
    let mut documents = [Value::Null, Value::Null];
    for run in 0..options.runs {
        for turn in 0..2 {
            let side = (at + run + turn) % 2;
            let answer = ask_command(binaries[side], command, model, &arguments)?;
            times[side].push(answer.time.as_secs_f64());
            documents[side] = answer
                .findings
                .map_err(|why| format!("{}: {why}", name(model)))?;
        }
    }
    let [old, new] = times.map(median);
    tally.old.seconds += old;
    tally.new.seconds += new;
    tally.ratios.push((new / old.max(1e-6), name(model)));
    let [old, new] = documents.each_ref().map(verdicts);
    old.values().for_each(|one| tally.old.count(one));
    new.values().for_each(|one| tally.new.count(one));
    for (what, verdict) in &old {
        if let Some(other) = new.get(what)
            && contradict(verdict, other)
        {
            let fault = format!("{}: {what} was {verdict}, is {other}", name(model));
            tally.contradictions.push(fault);
        }
    }
    Ok(())
}

impl Side {
    fn count(&mut self, verdict: &str) {
        *self.verdicts.entry(verdict.into()).or_default() += 1;
    }
}

/// The verdicts of properties and mutants, by name.
fn verdicts(document: &Value) -> BTreeMap<String, String> {
    let of = |list: &str, key: &str| -> Vec<(String, String)> {
        let all = document[list].as_array().into_iter().flatten();
        let pair = |one: &Value| {
            let word = |field: &str| one[field].as_str().map(String::from);
            Some((word(key)?, word("verdict")?))
        };
        all.filter_map(pair).collect()
    };
    let all = of("properties", "name").into_iter();
    all.chain(of("mutants", "id")).collect()
}

/// Whether two verdicts cannot both be true.
fn contradict(one: &str, other: &str) -> bool {
    let side = |verdict: &str| match verdict {
        "valid" => Some(0),
        "invalid" => Some(1),
        "killed" => Some(2),
        "survived" | "gap" | "equivalent" | "not-observed" => Some(3),
        _ => None,
    };
    matches!((side(one), side(other)), (Some(one), Some(other)) if one != other)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0)
}

fn summarise(command: &str, mut tally: Tally) {
    tally.ratios.sort_by(|one, other| one.0.total_cmp(&other.0));
    let models = tally.ratios.len();
    let quantile = |part: usize| tally.ratios.get(models * part / 4).map_or(0.0, |one| one.0);
    println!(
        "\n{command} on {models} models, new over old: median {:.2} (quartiles {:.2} to {:.2}), total {:.1} s \
         over {:.1} s",
        quantile(2),
        quantile(1),
        quantile(3),
        tally.new.seconds,
        tally.old.seconds
    );
    let mut verdicts: Vec<&String> = tally.old.verdicts.keys().collect();
    verdicts.extend(tally.new.verdicts.keys());
    verdicts.sort();
    verdicts.dedup();
    for verdict in verdicts {
        let count = |side: &Side| side.verdicts.get(verdict).copied().unwrap_or(0);
        println!(
            "  {verdict:<14} {:>8} was {:>8}",
            count(&tally.new),
            count(&tally.old)
        );
    }
    for (ratio, model) in tally.ratios.iter().rev().take(5) {
        println!("  {model:<44} {ratio:.2}");
    }
    for fault in &tally.contradictions {
        println!("contradiction  {fault}");
    }
}
