//! `cargo xtask bench aiger`: `proofmark check` on circuits with known answers, beside ABC.
//!
//! Each circuit is given to both in turn, which goes first alternates, and CPU seconds of whole processes
//! are compared. Printed are the circuits decided, by which engine, those not decided, the geometric mean
//! of the ratios on what both decide, and the ten worst. A verdict against the known answer, or one that
//! was not audited, fails the bench, and so does a counterexample that `aigsim` does not replay, where that is
//! on the search path. `--with int` compares with ABC's interpolation instead of its IC3.

use super::process::{Ran, run};
use super::{build, shared};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const USAGE: &str = "bench aiger [--circuits DIR] [--timeout SECONDS] [--jobs N] [--match TEXT] \
                         [--every N] [--engines NAMES] [--with pdr|int|none] [--binary PATH]";

struct Options {
    circuits: PathBuf,
    timeout: String,
    jobs: String,
    matching: String,
    every: usize,
    engines: Option<String>,
    rival: Option<&'static str>,
    binary: Option<PathBuf>,
}

/// What is known of a circuit, and what was found.
struct Row {
    name: String,
    /// sat, unsat, or open.
    known: String,
    ours: Answer,
    theirs: Option<Answer>,
}

/// sat, unsat or neither, and the CPU seconds.
struct Answer {
    said: String,
    by: String,
    seconds: f64,
    is_audited: bool,
    /// Whether another tool replayed the counterexample, if one was asked.
    is_replayed: Option<bool>,
}

pub fn main(args: &[String]) -> Result<(), String> {
    let options = options(args)?;
    let binary = options.binary.clone().map_or_else(build, Ok)?;
    let rival = options.rival.filter(|_| has_abc());
    if options.rival.is_some() && rival.is_none() {
        println!("no `berkeley-abc` on the search path: nothing to compare with");
    }
    if !has_simulator() {
        println!("no `aigsim` on the search path: counterexamples are replayed by Proofmark alone");
    }
    let mut rows = Vec::new();
    for (at, (name, known)) in circuits(&options)?.into_iter().enumerate() {
        let file = options.circuits.join("hwmcc08").join(&name);
        let mut theirs = None;
        if at % 2 == 1 {
            theirs = ask_abc(rival, &file, &options)?;
        }
        let ours = ask(&binary, &file, &options)?;
        if at % 2 == 0 {
            theirs = ask_abc(rival, &file, &options)?;
        }
        let row = Row {
            name,
            known,
            ours,
            theirs,
        };
        print_row(&row);
        rows.push(row);
    }
    summarise(&mut rows)
}

fn options(args: &[String]) -> Result<Options, String> {
    let usage = || format!("usage: cargo xtask {USAGE}");
    let mut options = Options {
        circuits: shared("aiger"),
        timeout: "10".into(),
        jobs: "2".into(),
        matching: String::new(),
        every: 1,
        engines: None,
        rival: Some("pdr"),
        binary: None,
    };
    for pair in args.chunks(2) {
        let [flag, value] = pair else {
            return Err(usage());
        };
        match (flag.as_str(), value.as_str()) {
            ("--circuits", value) => options.circuits = value.into(),
            ("--timeout", value) => options.timeout = value.into(),
            ("--jobs", value) => options.jobs = value.into(),
            ("--match", value) => options.matching = value.into(),
            ("--every", value) => {
                let every = value.parse().ok().filter(|every| *every > 0);
                options.every = every.ok_or_else(usage)?;
            }
            ("--engines", value) => options.engines = Some(value.into()),
            ("--with", "pdr") => options.rival = Some("pdr"),
            ("--with", "int") => options.rival = Some("int"),
            ("--with", "none") => options.rival = None,
            ("--binary", value) => options.binary = Some(value.into()),
            _ => return Err(usage()),
        }
    }
    Ok(options)
}

/// The circuits that were asked for, with what is known of them.
fn circuits(options: &Options) -> Result<Vec<(String, String)>, String> {
    let path = options.circuits.join("status.csv");
    let text = std::fs::read_to_string(&path);
    let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
    let rows = text.lines().skip(1).filter_map(|line| {
        let mut cells = line.split(',');
        let (name, known) = (cells.next()?, cells.nth(3)?);
        Some((name.to_string(), known.to_string()))
    });
    let rows = rows.filter(|(name, _)| name.contains(&options.matching));
    Ok(rows.step_by(options.every).collect())
}

fn has_abc() -> bool {
    let found = Command::new("berkeley-abc").args(["-c", "quit"]).output();
    found.is_ok()
}

fn ask(binary: &Path, file: &Path, options: &Options) -> Result<Answer, String> {
    let mut command = Command::new(binary);
    command.args([
        "check",
        "--json",
        "--no-config",
        "--timeout",
        &options.timeout,
    ]);
    command.args(["--jobs", &options.jobs]);
    if let Some(engines) = &options.engines {
        command.args(["--engines", engines]);
    }
    let witness = std::env::temp_dir().join(format!("proofmark-{}.cex", std::process::id()));
    let replays = has_simulator();
    if replays {
        command.arg("--trace").arg(&witness);
    }
    let ran = run(command.arg(file)).map_err(|error| error.to_string())?;
    let findings: Value = serde_json::from_str(&ran.output).unwrap_or_default();
    let property = &findings["properties"][0];
    let said = match property["verdict"].as_str() {
        Some("valid") => "unsat",
        Some("invalid") => "sat",
        Some(_) => "unknown",
        None => return Err(format!("{}: no answer ({})", file.display(), ran.status)),
    };
    Ok(Answer {
        said: said.into(),
        by: property["engine"].as_str().unwrap_or("").into(),
        seconds: ran.cpu.as_secs_f64(),
        is_audited: property["audit"] == "passed",
        is_replayed: (replays && said == "sat").then(|| replay(file, &witness)),
    })
}

fn has_simulator() -> bool {
    Command::new("aigsim").arg("-h").output().is_ok()
}

/// Whether `aigsim` reaches a bad signal, or in the older format an output, by the witness.
fn replay(file: &Path, witness: &Path) -> bool {
    let mut command = Command::new("aigsim");
    let ran = command.args(["-m", "-c"]).arg(file).arg(witness).output();
    let _ = std::fs::remove_file(witness);
    ran.is_ok_and(|ran| ran.status.success())
}

fn ask_abc(rival: Option<&str>, file: &Path, options: &Options) -> Result<Option<Answer>, String> {
    let Some(rival) = rival else {
        return Ok(None);
    };
    let script = format!(
        "read_aiger {}; {rival} -T {}",
        file.display(),
        options.timeout
    );
    let mut command = Command::new("berkeley-abc");
    let Ran { output, cpu, .. } =
        run(command.args(["-c", &script])).map_err(|error| error.to_string())?;
    let said = match &output {
        text if text.contains("was asserted in frame") => "sat",
        text if text.contains("Property proved") => "unsat",
        text if text.contains("Property DISPROVED") => "sat",
        _ => "unknown",
    };
    Ok(Some(Answer {
        said: said.into(),
        by: rival.into(),
        seconds: cpu.as_secs_f64(),
        is_audited: true,
        is_replayed: None,
    }))
}

fn is_decided(answer: &Answer) -> bool {
    answer.said != "unknown"
}

fn print_row(row: &Row) {
    let Row {
        name,
        known,
        ours,
        theirs,
    } = row;
    print!(
        "{name:<32} {known:<6} {:<8} {:<14} {:>8.2}",
        ours.said, ours.by, ours.seconds
    );
    match theirs {
        Some(theirs) => println!("   {:<8} {:>8.2}", theirs.said, theirs.seconds),
        None => println!(),
    }
}

fn summarise(rows: &mut [Row]) -> Result<(), String> {
    let mut engines: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in rows.iter().filter(|row| is_decided(&row.ours)) {
        *engines.entry(&row.ours.by).or_default() += 1;
        let contradicts = row.known != "open" && row.known != row.ours.said;
        if contradicts || !row.ours.is_audited || row.ours.is_replayed == Some(false) {
            wrong.push(row.name.clone());
        }
    }
    let count = |said: &str| rows.iter().filter(|row| row.ours.said == said).count();
    let (sat, unsat) = (count("sat"), count("unsat"));
    let all = rows.len();
    println!(
        "\n{} of {all} decided: {sat} sat, {unsat} unsat; {} wrong",
        sat + unsat,
        wrong.len()
    );
    let replayed = rows.iter().filter_map(|row| row.ours.is_replayed);
    let (count, good) = (
        replayed.clone().count(),
        replayed.filter(|one| *one).count(),
    );
    if count > 0 {
        println!("aigsim replays {good} of {count} counterexamples");
    }
    for (engine, circuits) in engines {
        println!("  {circuits:>5} by {engine}");
    }
    let theirs = rows.iter().filter_map(|row| row.theirs.as_ref());
    println!(
        "ABC decides {}",
        theirs.filter(|one| is_decided(one)).count()
    );
    compare(rows);
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "wrong, not audited or not replayed: {}",
            wrong.join(", ")
        )),
    }
}

/// CPU seconds on what both decide; below this, a start of the process is all that is measured.
const LEAST: f64 = 0.02;

fn compare(rows: &mut [Row]) {
    let ratio = |row: &Row| {
        let theirs = row.theirs.as_ref().filter(|one| is_decided(one))?;
        let both = is_decided(&row.ours);
        both.then(|| row.ours.seconds.max(LEAST) / theirs.seconds.max(LEAST))
    };
    let mut ratios: Vec<(f64, &Row)> = rows
        .iter()
        .filter_map(|row| Some((ratio(row)?, row)))
        .collect();
    if ratios.is_empty() {
        return;
    }
    let mean = ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / ratios.len() as f64;
    let total = |side: fn(&Row) -> f64| ratios.iter().map(|(_, row)| side(row)).sum::<f64>();
    println!(
        "on {} that both decide: geometric mean {:.2} of ABC's CPU time, {:.1} s against {:.1} s; the worst:",
        ratios.len(),
        mean.exp(),
        total(|row| row.ours.seconds),
        total(|row| row.theirs.as_ref().map_or(0.0, |one| one.seconds)),
    );
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (ratio, row) in ratios.iter().take(10) {
        println!(
            "  {:<32} {ratio:>8.2}   {:>8.2} s by {}",
            row.name, row.ours.seconds, row.ours.by
        );
    }
}
