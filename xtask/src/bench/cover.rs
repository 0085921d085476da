//! `cargo xtask bench cover`: coverage of circuits, beside the plain proof and beside ABC.
//!
//! Every circuit that is proved in time is covered. Printed are the mutations by the test that decided
//! (Fig. 3 of Chockler, Kroening and Purandare 2010), the time against the proof and how much of the
//! accuracy is there when (Fig. 4), the averages of the three criteria, and what stays undecided.
//! `--naive N` draws so many decided mutations at random, writes each mutated circuit (from the bytes of
//! the file, with nothing of Proofmark in between) and asks ABC's pdr: a disagreement fails the bench.
//! `--scatter FILE` draws the naive time against ours (Fig. 2).

use super::process::run;
use super::{aiger_file, build, shared};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const USAGE: &str = "bench cover [--circuits DIR] [--timeout SECONDS] [--jobs N] [--match TEXT] \
                         [--every N] [--from N] [--cut next|output] [--naive N] \
                         [--seed N] [--scatter FILE] [--binary PATH]";

struct Options {
    circuits: PathBuf,
    timeout: String,
    jobs: String,
    matching: String,
    every: usize,
    from: usize,
    cut: String,
    naive: usize,
    seed: u64,
    scatter: Option<PathBuf>,
    binary: Option<PathBuf>,
}

/// What became of one circuit.
struct Row {
    name: String,
    findings: Value,
    proof: f64,
    seconds: f64,
    cpu: f64,
    memory: u64,
    decided: f64,
}

pub fn main(args: &[String]) -> Result<(), String> {
    let options = options(args)?;
    let binary = options.binary.clone().map_or_else(build, Ok)?;
    let (mut rows, mut failed, mut unproved) = (Vec::new(), Vec::new(), 0);
    for name in circuits(&options)? {
        match ask(&binary, &name, &options)? {
            Asked::Covered(row) => {
                println!(
                    "{:<32} proof {:>7.2} s, coverage {:>7.2} s, decided {:>6.2} %, {:>5} MB  {}",
                    row.name,
                    row.proof,
                    row.seconds,
                    100.0 * row.decided,
                    row.memory / 1024,
                    tests(&row.findings)
                );
                rows.push(*row);
            }
            Asked::NotProved => unproved += 1,
            Asked::Failed(why) => {
                println!("{name:<32} {why}");
                failed.push(name);
            }
        }
    }
    println!(
        "\n{} circuits covered, {unproved} not proved in time or false, {} failed",
        rows.len(),
        failed.len()
    );
    summarise(&rows);
    let wrong = naive(&rows, &options)?;
    match (failed.is_empty(), wrong) {
        (true, 0) => Ok(()),
        _ => Err(format!(
            "failed: {}; {wrong} disagreements",
            failed.join(", ")
        )),
    }
}

fn options(args: &[String]) -> Result<Options, String> {
    let usage = || format!("usage: cargo xtask {USAGE}");
    let mut options = Options {
        circuits: shared("aiger"),
        timeout: "60".into(),
        jobs: "1".into(),
        matching: String::new(),
        every: 1,
        from: 0,
        cut: "next".into(),
        naive: 0,
        seed: 1,
        scatter: None,
        binary: None,
    };
    for pair in args.chunks(2) {
        let [flag, value] = pair else {
            return Err(usage());
        };
        let number = || value.parse::<usize>().map_err(|_| usage());
        match flag.as_str() {
            "--circuits" => options.circuits = value.into(),
            "--timeout" => options.timeout = value.into(),
            "--jobs" => options.jobs = value.into(),
            "--match" => options.matching = value.into(),
            "--every" => options.every = number()?.max(1),
            "--from" => options.from = number()?,
            "--cut" => options.cut = value.into(),
            "--naive" => options.naive = number()?,
            "--seed" => options.seed = number()? as u64,
            "--scatter" => options.scatter = Some(value.into()),
            "--binary" => options.binary = Some(value.into()),
            _ => return Err(usage()),
        }
    }
    Ok(options)
}

/// The circuits that may be proved: all but those known to be false.
fn circuits(options: &Options) -> Result<Vec<String>, String> {
    let path = options.circuits.join("status.csv");
    let text = std::fs::read_to_string(&path);
    let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
    let rows = text.lines().skip(1).filter_map(|line| {
        let mut cells = line.split(',');
        let (name, known) = (cells.next()?, cells.nth(3)?);
        (known != "sat" && name.contains(&options.matching)).then(|| name.to_string())
    });
    Ok(rows.skip(options.from).step_by(options.every).collect())
}

enum Asked {
    Covered(Box<Row>),
    NotProved,
    Failed(String),
}

fn ask(binary: &Path, name: &str, options: &Options) -> Result<Asked, String> {
    let file = options.circuits.join("hwmcc08").join(name);
    let mut command = Command::new(binary);
    command.args(["cover", "--json", "--no-config", "--cut", &options.cut]);
    // The proof has its time, and coverage has as much again, or a minute.
    let limit: f64 = options.timeout.parse().unwrap_or(60.0);
    let time = (limit + limit.max(60.0)).to_string();
    command.args(["--timeout", &time, "--jobs", &options.jobs]);
    command.args(["--budget", &options.timeout]);
    let ran = run(command.arg(&file)).map_err(|error| error.to_string())?;
    let findings: Value = match serde_json::from_str(&ran.output) {
        Ok(findings) => findings,
        Err(_) => return Ok(Asked::Failed(format!("no answer ({})", ran.status))),
    };
    let Some(summary) = findings["coverage_summary"].get(0) else {
        return Ok(Asked::NotProved);
    };
    let number = |name: &str| summary[name].as_f64().unwrap_or(0.0);
    if number("proof_seconds") > limit {
        return Ok(Asked::NotProved);
    }
    let all = 3.0 * number("elements");
    let open: f64 = ["nondet", "zero", "one"]
        .iter()
        .filter_map(|name| summary["share"][name]["unknown"].as_f64())
        .sum();
    Ok(Asked::Covered(Box::new(Row {
        name: name.to_string(),
        proof: number("proof_seconds"),
        seconds: number("seconds"),
        cpu: ran.cpu.as_secs_f64(),
        memory: ran.memory,
        decided: if all == 0.0 { 1.0 } else { 1.0 - open / all },
        findings,
    })))
}

fn tests(findings: &Value) -> String {
    let tests = findings["coverage_summary"][0]["tests"].as_object();
    let tests = tests.into_iter().flatten();
    tests
        .map(|(name, count)| format!("{name} {count}"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn summarise(rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    let count = |good: &dyn Fn(&Row) -> bool| {
        100.0 * rows.iter().filter(|row| good(row)).count() as f64 / rows.len() as f64
    };
    let mut by_test: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut all, mut open) = (0.0, 0.0);
    for row in rows {
        let summary = &row.findings["coverage_summary"][0];
        for (name, count) in summary["tests"].as_object().into_iter().flatten() {
            *by_test.entry(name).or_default() += count.as_u64().unwrap_or(0);
        }
        let cuts = 3.0 * summary["elements"].as_f64().unwrap_or(0.0);
        all += cuts;
        open += (1.0 - row.decided) * cuts;
    }
    println!("{all} mutations by test (Fig. 3):");
    for (test, count) in &by_test {
        println!(
            "  {test:<16} {count:>8}  {:>5.1} %",
            100.0 * *count as f64 / f64::max(all, 1.0)
        );
    }
    println!(
        "  {:<16} {open:>8}  {:>5.1} %",
        "undecided",
        100.0 * open / f64::max(all, 1.0)
    );
    println!(
        "all decided on {:.1} % of the circuits; within 20 times the proof or 60 s on {:.1} %",
        count(&|row| row.decided >= 1.0),
        count(&|row| row.decided >= 1.0 && row.seconds <= f64::max(20.0 * row.proof, 60.0))
    );
    println!(
        "the last test decides at most 10 % of the mutations on {:.1} % of the circuits",
        count(&|row| last_test(row) <= 0.1)
    );
    let mut total: Vec<f64> = rows.iter().map(|row| row.seconds).collect();
    let mut factor: Vec<f64> = rows
        .iter()
        .map(|row| row.seconds / row.proof.max(1e-3))
        .collect();
    let mut cpu: Vec<f64> = rows.iter().map(|row| row.cpu).collect();
    println!(
        "median: coverage {:.3} s, {:.2} times the proof; CPU of the process {:.3} s",
        median(&mut total),
        median(&mut factor),
        median(&mut cpu)
    );
    println!(
        "coverage within 2 times the proof or 0.5 s on {:.1} % of the circuits",
        count(&|row| row.seconds <= f64::max(2.0 * row.proof, 0.5))
    );
    println!(
        "accuracy over time (Fig. 4), share of the circuits that have it within so many proofs (or 0.5 s):"
    );
    println!("  accuracy     1x     2x     5x    10x    20x");
    for accuracy in [0.5, 0.8, 0.9, 0.96, 1.0] {
        print!("  {accuracy:>8.2}");
        for times in [1.0, 2.0, 5.0, 10.0, 20.0] {
            let reached = |row: &Row| when(row, accuracy) <= f64::max(times * row.proof, 0.5);
            print!(" {:>6.1}", count(&reached));
        }
        println!();
    }
    averages(rows);
}

/// The share of the mutations that the engines decide.
fn last_test(row: &Row) -> f64 {
    let summary = &row.findings["coverage_summary"][0];
    let count = |test: &str| summary["tests"][test].as_f64().unwrap_or(0.0);
    let open = (1.0 - row.decided) * 3.0 * summary["elements"].as_f64().unwrap_or(0.0);
    let all = 3.0 * summary["elements"].as_f64().unwrap_or(0.0);
    (count("ic3") + count("interpolation") + open) / all.max(1.0)
}

/// When so much was decided, in seconds after the proof.
fn when(row: &Row, accuracy: f64) -> f64 {
    let points = row.findings["coverage_summary"][0]["accuracy"].as_array();
    let mut points = points.into_iter().flatten();
    let reached = points.find(|point| point["share"].as_f64().unwrap_or(0.0) >= accuracy - 1e-9);
    match reached {
        Some(point) => point["seconds"].as_f64().unwrap_or(f64::INFINITY),
        None if row.findings["coverage_summary"][0]["elements"] == 0 => 0.0,
        None => f64::INFINITY,
    }
}

/// The averages of the criteria, and those of the quarter with the highest coverage, as published.
fn averages(rows: &[Row]) {
    let share = |row: &Row, name: &str| {
        let share = &row.findings["coverage_summary"][0]["share"][name];
        100.0 * share["low"].as_f64().unwrap_or(0.0)
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let of = |name: &str| mean(&rows.iter().map(|row| share(row, name)).collect::<Vec<_>>());
    println!(
        "covered on average: NONDET {:.1} %, ZERO {:.1} %, ONE {:.1} %",
        of("nondet"),
        of("zero"),
        of("one")
    );
    let mut free: Vec<f64> = rows.iter().map(|row| share(row, "nondet")).collect();
    free.sort_by(|a, b| b.total_cmp(a));
    let (high, low) = free.split_at(free.len().div_ceil(4));
    println!(
        "NONDET on the quarter with most {:.1} % (published 40 %), on the rest {:.1} % (published 5 %)",
        mean(high),
        mean(low)
    );
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// A decided mutation: circuit, latch, criterion, and whether it is covered.
struct Drawn<'r> {
    row: &'r Row,
    latch: usize,
    criterion: &'static str,
    covered: bool,
}

/// Asks ABC about mutations drawn at random. How many times it disagrees.
fn naive(rows: &[Row], options: &Options) -> Result<usize, String> {
    if options.naive == 0 {
        return Ok(0);
    }
    if Command::new("berkeley-abc")
        .args(["-c", "quit"])
        .output()
        .is_err()
    {
        println!("no `berkeley-abc` on the search path: nothing was model checked naively");
        return Ok(0);
    }
    let mut drawn = decided(rows);
    let mut state = options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let (mut agree, mut open, mut wrong) = (0, 0, Vec::new());
    let (mut times, mut ratios) = (BTreeMap::<&str, (f64, usize)>::new(), Vec::new());
    let mut points = Vec::new();
    for _ in 0..options.naive.min(drawn.len()) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let one = drawn.swap_remove((state >> 11) as usize % drawn.len());
        let (said, seconds) = ask_abc(&one, options)?;
        let of_circuit = times.entry(&one.row.name).or_default();
        *of_circuit = (of_circuit.0 + seconds, of_circuit.1 + 1);
        match said {
            None => open += 1,
            Some(covered) if covered == one.covered => agree += 1,
            Some(_) => {
                let Drawn {
                    row,
                    latch,
                    criterion,
                    covered,
                } = one;
                wrong.push(format!(
                    "{} l{latch} {criterion}: we say {covered}",
                    row.name
                ));
            }
        }
    }
    println!(
        "\nnaive, by ABC's pdr: {agree} agree, {open} without an answer, {} disagree",
        wrong.len()
    );
    wrong.iter().for_each(|one| println!("  {one}"));
    println!("naive time (estimated from the sample) and ours, in seconds (Fig. 2):");
    for row in rows {
        if let Some((seconds, count)) = times.get(row.name.as_str()) {
            let cuts = 3.0
                * row.findings["coverage_summary"][0]["elements"]
                    .as_f64()
                    .unwrap_or(0.0);
            let naive = seconds / *count as f64 * cuts;
            let ours = row.proof + row.seconds;
            println!("  {:<32} {naive:>10.2} {ours:>8.2}", row.name);
            ratios.push(naive / ours.max(1e-3));
            points.push((ours, naive));
        }
    }
    println!("median ratio {:.1}", median(&mut ratios));
    if let Some(path) = &options.scatter {
        std::fs::write(path, scatter(&points))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(wrong.len())
}

/// Ours from left to right, the naive time from bottom to top, both from a hundredth of a second to ten thousand
/// seconds on logarithmic scales. Above the diagonal ours is faster.
fn scatter(points: &[(f64, f64)]) -> String {
    const SIDE: f64 = 480.0;
    const EDGE: f64 = 60.0;
    let at = |seconds: f64| SIDE * (seconds.clamp(0.01, 10_000.0).log10() + 2.0) / 6.0;
    let (x, y) = (
        |seconds| EDGE + at(seconds),
        |seconds| EDGE + SIDE - at(seconds),
    );
    let mut drawn = String::new();
    for power in -2..=4 {
        let seconds = 10f64.powi(power);
        let (across, up) = (x(seconds), y(seconds));
        drawn += &format!(
            "<path d='M{across} {EDGE}v{SIDE}M{EDGE} {up}h{SIDE}' stroke='#ddd'/>\
             <text x='{across}' y='{}' text-anchor='middle'>{seconds}</text>\
             <text x='{}' y='{up}' text-anchor='end'>{seconds}</text>\n",
            EDGE + SIDE + 18.0,
            EDGE - 6.0
        );
    }
    for (ours, naive) in points {
        let (across, up) = (x(*ours), y(*naive));
        drawn +=
            &format!("<circle cx='{across:.1}' cy='{up:.1}' r='4' fill='#05c' opacity='.6'/>\n");
    }
    let size = SIDE + 2.0 * EDGE;
    let (from, to) = (EDGE + SIDE, EDGE);
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{size}' height='{size}' font-family='sans-serif' \
         font-size='12'><rect width='{size}' height='{size}' fill='white'/>\n{drawn}\
         <path d='M{EDGE} {from}L{from} {to}' stroke='#888'/>\
         <text x='{}' y='{}' text-anchor='middle'>coverage, seconds</text>\
         <text x='14' y='40'>model checking each mutant, seconds</text></svg>\n",
        EDGE + SIDE / 2.0,
        size - 12.0
    )
}

fn decided(rows: &[Row]) -> Vec<Drawn<'_>> {
    let mut all = Vec::new();
    for row in rows {
        let coverage = row.findings["coverage"].as_array().into_iter().flatten();
        let joint = coverage.filter(|one| one["property"].is_null());
        for (latch, one) in joint.enumerate() {
            for criterion in ["nondet", "zero", "one"] {
                let covered = match one[criterion].as_str() {
                    Some("covered") => true,
                    Some("not-covered") => false,
                    _ => continue,
                };
                all.push(Drawn {
                    row,
                    latch,
                    criterion,
                    covered,
                });
            }
        }
    }
    all
}

fn ask_abc(one: &Drawn<'_>, options: &Options) -> Result<(Option<bool>, f64), String> {
    let file = options.circuits.join("hwmcc08").join(&one.row.name);
    let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let cut = aiger_file::Circuit::read(&bytes)
        .ok_or_else(|| format!("{}: not binary AIGER", file.display()))?;
    let cut = cut.cut(one.latch, one.criterion, &options.cut);
    let path = std::env::temp_dir().join(format!("proofmark-cut-{}.aig", std::process::id()));
    std::fs::write(&path, cut.write()).map_err(|error| error.to_string())?;
    let script = format!("read_aiger {}; pdr -T {}", path.display(), options.timeout);
    let ran = run(Command::new("berkeley-abc").args(["-c", &script]));
    let ran = ran.map_err(|error| error.to_string())?;
    let _ = std::fs::remove_file(&path);
    let said = match &ran.output {
        text if text.contains("was asserted in frame") => Some(true),
        text if text.contains("Property DISPROVED") => Some(true),
        text if text.contains("Property proved") => Some(false),
        _ => None,
    };
    Ok((said, ran.cpu.as_secs_f64()))
}
