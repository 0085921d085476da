//! `cargo xtask bench smt`: the embedded solver beside every solver found, on real scripts.
//!
//! Each script is run by each solver as a whole process, in turn within one run, several times; the
//! medians are compared, so that a noisy machine is noisy for all. Answers are checked against the
//! known ones, and memory is the most that a process ever held.

use super::process::{self, Ran};
use super::{build, milliseconds, shared};
use proofmark_solve::external;
use std::collections::BTreeMap;
use std::fs;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub const USAGE: &str = "bench smt [--runs N] [--scripts DIR] [--with NAME,NAME] [--match TEXT]";

struct Options {
    runs: usize,
    scripts: PathBuf,
    /// Only these solvers beside the embedded one.
    with: Option<Vec<String>>,
    /// Only scripts whose name holds this.
    matching: String,
}

struct Contender {
    name: String,
    program: PathBuf,
    arguments: Vec<String>,
}

struct Script {
    name: String,
    path: PathBuf,
    bytes: u64,
    /// One letter a check.
    answers: String,
}

/// What one solver did on one script.
struct Measure {
    median: Duration,
    /// In KiB.
    memory: u64,
    right: bool,
}

pub fn main(args: &[String]) -> Result<(), String> {
    let options = options(args)?;
    let scripts = scripts(&options)?;
    let contenders = contenders(&options)?;
    let version = |contender: &Contender| contender.program.display().to_string();
    for contender in &contenders {
        println!("{:<12} {}", contender.name, version(contender));
    }
    println!(
        "\n{} scripts, {} runs each, interleaved; medians in ms\n",
        scripts.len(),
        options.runs
    );
    let mut table = Vec::new();
    for script in &scripts {
        let measures = measure(script, &contenders, options.runs)?;
        print_row(script, &measures);
        table.push(measures);
    }
    summarise(&scripts, &contenders, &table)
}

fn options(args: &[String]) -> Result<Options, String> {
    let mut options = Options {
        runs: 3,
        scripts: shared("smt"),
        with: None,
        matching: String::new(),
    };
    for pair in args.chunks(2) {
        match pair {
            [flag, value] if flag == "--runs" => {
                let runs: usize = value
                    .parse()
                    .map_err(|_| format!("--runs takes a number, not {value}"))?;
                options.runs = runs.max(1);
            }
            [flag, value] if flag == "--scripts" => options.scripts = value.into(),
            [flag, value] if flag == "--match" => options.matching.clone_from(value),
            [flag, value] if flag == "--with" => {
                options.with = Some(value.split(',').map(str::to_owned).collect());
            }
            _ => return Err(format!("usage: cargo xtask {USAGE}")),
        }
    }
    Ok(options)
}

fn scripts(options: &Options) -> Result<Vec<Script>, String> {
    let folder = &options.scripts;
    let known = fs::read_to_string(folder.join("answers.json"))
        .map_err(|error| format!("no answers.json in {}: {error}", folder.display()))?;
    let known: BTreeMap<String, String> =
        serde_json::from_str(&known).map_err(|error| format!("answers.json: {error}"))?;
    let chosen = known
        .into_iter()
        .filter(|(name, _)| name.contains(&options.matching));
    chosen
        .map(|(name, answers)| {
            let path = folder.join(&name);
            let bytes = fs::metadata(&path)
                .map_err(|error| format!("{name}: {error}"))?
                .len();
            Ok(Script {
                name,
                path,
                bytes,
                answers,
            })
        })
        .collect()
}

/// The embedded solver first, built for release, then those on the search path.
fn contenders(options: &Options) -> Result<Vec<Contender>, String> {
    let mut contenders = vec![Contender {
        name: "embedded".into(),
        program: build()?,
        arguments: vec!["smt".into()],
    }];
    for found in external::available() {
        if options
            .with
            .as_ref()
            .is_some_and(|with| !with.iter().any(|name| name == found.name))
        {
            continue;
        }
        contenders.push(Contender {
            name: found.name.into(),
            program: behind_shim(&found.program, found.name),
            arguments: incremental(found.name)
                .iter()
                .map(|&word| word.to_owned())
                .collect(),
        });
    }
    Ok(contenders)
}

/// What makes a solver read a file incrementally.
fn incremental(name: &str) -> &'static [&'static str] {
    match name {
        "yices-smt2" | "cvc5" => &["--incremental"],
        _ => &[],
    }
}

/// Version managers put a shell script in front of a program, whose start-up is not the solver's.
fn behind_shim(program: &Path, name: &str) -> PathBuf {
    let is_script = fs::read(program).is_ok_and(|bytes| bytes.starts_with(b"#!"));
    if !is_script {
        return program.into();
    }
    let real = Command::new("pyenv").args(["which", name]).output();
    let real = real.ok().filter(|output| output.status.success());
    real.map_or_else(
        || program.into(),
        |output| String::from_utf8_lossy(&output.stdout).trim().into(),
    )
}

fn measure(script: &Script, contenders: &[Contender], runs: usize) -> Result<Vec<Measure>, String> {
    let mut times = vec![Vec::new(); contenders.len()];
    let mut memory = vec![0; contenders.len()];
    let mut right = vec![true; contenders.len()];
    for _ in 0..runs {
        for (at, contender) in contenders.iter().enumerate() {
            let run = run(contender, &script.path)
                .map_err(|error| format!("{}: {error}", contender.name))?;
            times[at].push(run.wall);
            memory[at] = run.memory.max(memory[at]);
            right[at] &= run.status.success() && letters(&run.output) == script.answers;
        }
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2]
    };
    let rows = times.iter_mut().zip(memory).zip(right);
    Ok(rows
        .map(|((times, memory), right)| Measure {
            median: median(times),
            memory,
            right,
        })
        .collect())
}

fn run(contender: &Contender, script: &Path) -> std::io::Result<Ran> {
    let mut command = Command::new(&contender.program);
    process::run(command.args(&contender.arguments).arg(script))
}

/// The answers as letters; whatever else was printed shows as a question mark.
fn letters(output: &str) -> String {
    let letter = |word| match word {
        "sat" => 's',
        "unsat" => 'u',
        _ => '?',
    };
    output.split_whitespace().map(letter).collect()
}

fn print_row(script: &Script, measures: &[Measure]) {
    print!("{:<58}", script.name);
    for measure in measures {
        print!(
            " {:9.1}{}",
            milliseconds(measure.median),
            if measure.right { ' ' } else { '!' }
        );
    }
    println!();
}

fn summarise(
    scripts: &[Script],
    contenders: &[Contender],
    table: &[Vec<Measure>],
) -> Result<(), String> {
    let largest = (0..scripts.len())
        .max_by_key(|&at| scripts[at].bytes)
        .ok_or("no scripts")?;
    let total = |at: usize| -> Duration { table.iter().map(|row| row[at].median).sum() };
    let checks: usize = scripts.iter().map(|script| script.answers.len()).sum();
    println!(
        "\n{checks} checks; ! marks a wrong answer; memory on the largest, {}\n",
        scripts[largest].name
    );
    println!(
        "{:<12} {:>10} {:>8} {:>14} {:>14} {:>12}",
        "solver", "total ms", "ratio", "scripts wrong", "3x slower on", "memory KiB"
    );
    for (at, contender) in contenders.iter().enumerate() {
        let wrong = table.iter().filter(|row| !row[at].right).count();
        // Of scripts that take the embedded solver 20 ms or more.
        let slow = table.iter().filter(|row| {
            row[0].median > 3 * row[at].median && row[0].median >= Duration::from_millis(20)
        });
        let ratio = total(0).as_secs_f64() / total(at).as_secs_f64();
        println!(
            "{:<12} {:>10.1} {ratio:>8.3} {wrong:>14} {:>14} {:>12}",
            contender.name,
            milliseconds(total(at)),
            slow.count(),
            table[largest][at].memory,
        );
    }
    println!("\nratio: the embedded solver's total over this solver's");
    println!(
        "3x slower on: scripts of 20 ms or more on which the embedded solver needs over 3x this one's time"
    );
    let wrong = table.iter().filter(|row| !row[0].right).count();
    if wrong > 0 {
        Err(format!("the embedded solver is wrong on {wrong} scripts"))
    } else {
        Ok(())
    }
}
