//! `cargo xtask bench lustre`: `proofmark check` on models whose every property is known to be valid.
//!
//! Whole processes are timed. Printed are the models proved, by which engine, those not proved, the
//! median and total time, and the ten slowest. An invalid verdict or an audit that did not pass is a
//! failure of the bench.

use super::{build, milliseconds, shared};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub const USAGE: &str = "bench lustre [--models DIR] [--timeout SECONDS] [--jobs N] [--match TEXT] \
                         [--binary PATH]";

/// What is asked of the binary, and about which models.
pub struct Options {
    pub models: PathBuf,
    pub timeout: String,
    pub jobs: String,
    pub matching: String,
    /// The binary to run, where it is not to be built.
    given: Option<PathBuf>,
}

impl Options {
    pub fn new(timeout: &str) -> Options {
        Options {
            models: shared("lustre/models"),
            timeout: timeout.into(),
            jobs: "2".into(),
            matching: String::new(),
            given: None,
        }
    }

    /// The binary that was named, or a release build of this tree.
    pub fn binary(&self) -> Result<PathBuf, String> {
        self.given.clone().map_or_else(build, Ok)
    }

    /// Takes a flag with its value; false when it is not one of these.
    pub fn take(&mut self, flag: &str, value: &str) -> bool {
        match flag {
            "--models" => self.models = value.into(),
            "--timeout" => self.timeout = value.into(),
            "--jobs" => self.jobs = value.into(),
            "--match" => self.matching = value.into(),
            "--binary" => self.given = Some(value.into()),
            _ => return false,
        }
        true
    }
}

struct Row {
    model: String,
    time: Duration,
    /// The engines that proved the properties, or why not all are proved.
    result: Result<Vec<String>, String>,
    wrong: bool,
}

pub fn main(args: &[String]) -> Result<(), String> {
    let mut options = Options::new("30");
    for pair in args.chunks(2) {
        match pair {
            [flag, value] if options.take(flag, value) => {}
            _ => return Err(format!("usage: cargo xtask {USAGE}")),
        }
    }
    let binary = options.binary()?;
    let mut rows = Vec::new();
    for model in models(&options)? {
        rows.push(check(&binary, &model, &options)?);
    }
    summarise(&mut rows)
}

pub fn models(options: &Options) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(&options.models)
        .map_err(|error| format!("{}: {error}", options.models.display()))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut models: Vec<PathBuf> = paths
        .filter(|path| name(path).ends_with(".lus") && name(path).contains(&options.matching))
        .collect();
    models.sort();
    Ok(models)
}

pub fn name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// What a run of `proofmark --json` came to.
pub struct Answer {
    pub time: Duration,
    /// Absent when it was killed.
    pub exit: Option<i32>,
    /// All that was found, or the first words of complaint.
    pub findings: Result<Value, String>,
    /// The findings of the properties.
    pub properties: Result<Vec<Value>, String>,
}

pub fn ask(binary: &Path, model: &Path, arguments: &[&str]) -> Result<Answer, String> {
    ask_command(binary, "check", model, arguments)
}

pub fn ask_command(
    binary: &Path,
    command: &str,
    model: &Path,
    arguments: &[&str],
) -> Result<Answer, String> {
    let start = Instant::now();
    let output = Command::new(binary)
        .args([command, "--json"])
        .args(arguments)
        .arg(model)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{}: {error}", binary.display()))?;
    let time = start.elapsed();
    let findings: Option<Value> = serde_json::from_slice(&output.stdout).ok();
    let properties = findings.as_ref().and_then(|findings| {
        let properties = findings["properties"].as_array()?;
        Some(properties.clone())
    });
    let complaint = || {
        let text = String::from_utf8_lossy(&output.stderr);
        text.lines().next().unwrap_or("no output").to_owned()
    };
    Ok(Answer {
        time,
        exit: output.status.code(),
        findings: findings.ok_or_else(complaint),
        properties: properties.ok_or_else(complaint),
    })
}

fn check(binary: &Path, model: &Path, options: &Options) -> Result<Row, String> {
    let limits = ["--timeout", &options.timeout, "--jobs", &options.jobs];
    let Answer {
        time, properties, ..
    } = ask(binary, model, &limits)?;
    let model = name(model);
    let properties = match properties {
        Ok(properties) => properties,
        Err(why) => {
            return Ok(Row {
                model,
                time,
                result: Err(why),
                wrong: true,
            });
        }
    };
    let wrong = properties.iter().any(|property| {
        property["verdict"] == "invalid"
            || (property["verdict"] == "valid" && property["audit"] != "passed")
    });
    let engine = |property: &Value| match property["verdict"].as_str() {
        Some("valid") => Ok(property["engine"].as_str().unwrap_or("?").to_owned()),
        verdict => Err(format!(
            "{} is {}",
            property["name"],
            verdict.unwrap_or("?")
        )),
    };
    let result = properties.iter().map(engine).collect();
    Ok(Row {
        model,
        time,
        result,
        wrong,
    })
}

fn summarise(rows: &mut [Row]) -> Result<(), String> {
    let mut engines: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows.iter() {
        match &row.result {
            Ok(by) => by
                .iter()
                .for_each(|engine| *engines.entry(engine).or_default() += 1),
            Err(why) => println!(
                "not proved  {:<44} {:>9.1} ms  {why}",
                row.model,
                milliseconds(row.time)
            ),
        }
    }
    let proved = rows.iter().filter(|row| row.result.is_ok()).count();
    let wrong = rows.iter().filter(|row| row.wrong).count();
    println!("\n{proved} of {} models proved, {wrong} wrong", rows.len());
    for (engine, properties) in engines {
        println!("  {properties:>5} properties by {engine}");
    }
    rows.sort_by_key(|row| row.time);
    let total: Duration = rows.iter().map(|row| row.time).sum();
    let median = rows
        .get(rows.len() / 2)
        .map_or(Duration::ZERO, |row| row.time);
    println!(
        "median {:.1} ms, total {:.1} s; the slowest:",
        milliseconds(median),
        total.as_secs_f64()
    );
    for row in rows.iter().rev().take(10) {
        println!("  {:<44} {:>9.1} ms", row.model, milliseconds(row.time));
    }
    if wrong > 0 {
        Err(format!("{wrong} models with a wrong verdict or none"))
    } else {
        Ok(())
    }
}
