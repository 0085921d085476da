//! `cargo xtask bench mutate`: whole campaigns on models whose every property is known to be valid.
//!
//! `proofmark mutate` runs on each model, interleaved with `proofmark check`. Printed are a line for
//! each, mutants by verdict, the share that each test of the cascade decided, queries and mutants per
//! second, and the cost beside the plain proof. With `--equivalence no` survivors are not compared with
//! the original. With `--cross` the elements that `equation_remove` alone kills are compared with those
//! that `ivc --must` finds, by another way. An audit that fails, or a comparison that does not agree,
//! is a failure of the bench.

use super::lustre::{self, ask_command, models, name};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

pub const USAGE: &str = "bench mutate [--models DIR] [--timeout SECONDS] [--jobs N] [--match TEXT] \
                         [--mutators LIST] [--every N] [--cross yes] [--equivalence no] [--binary PATH]";

struct Options {
    common: lustre::Options,
    mutators: String,
    every: usize,
    cross: bool,
    /// Whether survivors are compared with the original.
    equivalence: bool,
}

#[derive(Default)]
struct Tally {
    models: usize,
    /// Models whose campaign ended before its time was up.
    finished: usize,
    /// Models of which every mutant has a verdict.
    settled: usize,
    /// Mutants of models that are not finished.
    left: usize,
    verdicts: BTreeMap<String, usize>,
    tests: BTreeMap<String, usize>,
    mutants: usize,
    queries: u64,
    seconds: f64,
    /// Of each model: the cost of the campaign over three proofs and 0.2 ms a mutant.
    costs: Vec<f64>,
    /// Elements on which removal and `ivc --must` agree, those that one of them did not decide, and
    /// models that one of them did not prove.
    agreed: usize,
    open: usize,
    not_crossed: usize,
    faults: Vec<String>,
    slowest: Vec<(f64, String)>,
}

pub fn main(args: &[String]) -> Result<(), String> {
    let options = options(args)?;
    let binary = options.common.binary()?;
    let mut tally = Tally::default();
    for model in models(&options.common)?.into_iter().step_by(options.every) {
        campaign(&binary, &model, &options, &mut tally)?;
        if options.cross {
            cross(&binary, &model, &options, &mut tally)?;
        }
    }
    summarise(tally)
}

fn options(args: &[String]) -> Result<Options, String> {
    let mut options = Options {
        common: lustre::Options::new("60"),
        mutators: "jkind".into(),
        every: 1,
        cross: false,
        equivalence: true,
    };
    let usage = || format!("usage: cargo xtask {USAGE}");
    for pair in args.chunks(2) {
        match pair {
            [flag, value] if options.common.take(flag, value) => {}
            [flag, value] if flag == "--mutators" => options.mutators.clone_from(value),
            [flag, value] if flag == "--every" => {
                options.every = value.parse().map_err(|_| usage())?;
            }
            [flag, value] if flag == "--cross" => options.cross = value == "yes",
            [flag, value] if flag == "--equivalence" => options.equivalence = value != "no",
            _ => return Err(usage()),
        }
    }
    options.every = options.every.max(1);
    Ok(options)
}

fn campaign(
    binary: &Path,
    model: &Path,
    options: &Options,
    tally: &mut Tally,
) -> Result<(), String> {
    let limits = limits(options);
    let proof = ask_command(binary, "check", model, &limits)?
        .time
        .as_secs_f64();
    let mut arguments = [&["--mutators", &options.mutators][..], &limits].concat();
    if !options.equivalence {
        arguments.push("--no-equivalence");
    }
    let answer = ask_command(binary, "mutate", model, &arguments)?;
    let (seconds, document) = (answer.time.as_secs_f64(), answer.findings);
    tally.models += 1;
    let document = match document {
        Ok(document) => document,
        Err(why) => {
            tally.faults.push(format!("{}: {why}", name(model)));
            return Ok(());
        }
    };
    let mutants = list(&document, "mutants");
    for mutant in mutants {
        *tally.verdicts.entry(text(mutant, "verdict")).or_default() += 1;
        *tally.tests.entry(text(mutant, "decided_by")).or_default() += 1;
        tally.queries += mutant["queries"].as_u64().unwrap_or(0);
    }
    let unknown = mutants.iter().filter(|one| one["verdict"] == "unknown");
    let unknown = unknown.count();
    tally.settled += usize::from(unknown == 0 && !mutants.is_empty());
    // What the tool reports: writing the document is not the campaign.
    let spent = document["seconds"].as_f64().unwrap_or(f64::MAX);
    let limit: f64 = options.common.timeout.parse().unwrap_or(f64::MAX);
    match spent < limit && !mutants.is_empty() {
        true => tally.finished += 1,
        false => tally.left += unknown,
    }
    tally.mutants += mutants.len();
    tally.seconds += seconds;
    let allowed = 3.0 * proof + 0.0002 * mutants.len() as f64;
    let cost = seconds / allowed;
    println!(
        "{:<44} {:>6} mutants, {unknown:>5} unknown, {seconds:>7.2} s, cost {cost:.2}",
        name(model),
        mutants.len()
    );
    tally.costs.push(cost);
    tally.slowest.push((seconds, name(model)));
    Ok(())
}

fn limits(options: &Options) -> [&str; 4] {
    let lustre::Options { timeout, jobs, .. } = &options.common;
    ["--timeout", timeout, "--jobs", jobs]
}

/// Elements that removal of equations kills, against those that are in every core.
fn cross(binary: &Path, model: &Path, options: &Options, tally: &mut Tally) -> Result<(), String> {
    let limits = limits(options);
    let removal = ["--mutators", "equation_remove", "--no-equivalence"];
    let removal = [&removal[..], &limits].concat();
    let killed = ask_command(binary, "mutate", model, &removal)?.findings;
    let must = [&["--must", "--grain", "source"][..], &limits].concat();
    let must = ask_command(binary, "ivc", model, &must)?.findings;
    let (Ok(killed), Ok(must)) = (killed, must) else {
        tally
            .faults
            .push(format!("{}: no document to compare", name(model)));
        return Ok(());
    };
    // Where a proof is missing, nothing is said about the elements it needs.
    let proved = |document: &Value| {
        let properties = list(document, "properties");
        !properties.is_empty() && properties.iter().all(|one| one["verdict"] == "valid")
    };
    if !proved(&killed) || !proved(&must) {
        tally.not_crossed += 1;
        println!("{:<44} not proved twice, so not compared", name(model));
        return Ok(());
    }
    let required = required(&must);
    for mutant in list(&killed, "mutants") {
        let element = text(mutant, "element");
        let killed = match mutant["verdict"].as_str() {
            Some("unknown") => None,
            verdict => Some(verdict == Some("killed")),
        };
        let what = match (killed, required.get(&element).copied()) {
            // Agreement with somebody who has not heard of it would be none.
            (_, None) => "not an element of `ivc`",
            (Some(true), Some(Some(false))) => "killed, not MUST",
            (Some(false), Some(Some(true))) => "MUST, not killed",
            (None, _) | (_, Some(None)) => {
                tally.open += 1;
                continue;
            }
            _ => {
                tally.agreed += 1;
                continue;
            }
        };
        let fault = format!("{}: {element} is {what}", name(model));
        tally.faults.push(fault);
    }
    Ok(())
}

/// Which elements every core has, by what `ivc --must` says; it may not know.
fn required(must: &Value) -> BTreeMap<String, Option<bool>> {
    let mut required = BTreeMap::new();
    for element in list(must, "elements") {
        let mut roles = element["role"].as_object().into_iter().flatten();
        let is_must = roles.any(|(_, role)| role == "must");
        required.insert(text(element, "id"), Some(is_must));
    }
    let undecided = list(must, "cores").iter();
    for id in undecided.flat_map(|core| list(core, "must_undecided")) {
        if let Some(required) = id.as_str().and_then(|id| required.get_mut(id)) {
            *required = required.filter(|is_must| *is_must);
        }
    }
    required
}

/// A list in a document; what is not there has no members.
fn list<'d>(document: &'d Value, field: &str) -> &'d [Value] {
    document[field].as_array().map_or(&[], Vec::as_slice)
}

fn text(document: &Value, field: &str) -> String {
    document[field].as_str().unwrap_or("?").to_string()
}

fn summarise(mut tally: Tally) -> Result<(), String> {
    let share = |count: usize| 100.0 * count as f64 / tally.mutants.max(1) as f64;
    println!(
        "{} of {} models finished, {} with a verdict for every mutant; {} unknown mutants are in those \
         that did not finish",
        tally.finished, tally.models, tally.settled, tally.left
    );
    println!(
        "{} mutants in {:.1} s: {:.0} a second, {:.2} queries each",
        tally.mutants,
        tally.seconds,
        tally.mutants as f64 / tally.seconds.max(1e-9),
        tally.queries as f64 / tally.mutants.max(1) as f64
    );
    for (verdict, count) in &tally.verdicts {
        println!("  {count:>8} {verdict:<12} {:>6.2} %", share(*count));
    }
    println!("decided by");
    for (test, count) in &tally.tests {
        println!("  {count:>8} {test:<12} {:>6.2} %", share(*count));
    }
    tally.costs.sort_by(f64::total_cmp);
    let median = tally.costs.get(tally.costs.len() / 2).copied();
    println!(
        "campaign over three proofs and 0.2 ms a mutant: median {:.2}; the slowest:",
        median.unwrap_or(0.0)
    );
    tally.slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (seconds, model) in tally.slowest.iter().take(10) {
        println!("  {model:<44} {seconds:>8.1} s");
    }
    if tally.agreed + tally.open + tally.not_crossed > 0 {
        println!(
            "removal kills what `ivc --must` finds: {} elements agree, {} are undecided; {} models are not \
             compared",
            tally.agreed, tally.open, tally.not_crossed
        );
    }
    for fault in &tally.faults {
        println!("fault  {fault}");
    }
    match tally.faults.len() {
        0 => Ok(()),
        faults => Err(format!("{faults} faults")),
    }
}
