//! `cargo xtask bench smv`: `proofmark check` beside the recorded verdicts of NuSMV 2.6.
//!
//! A recorded verdict belongs to the property of its name, or of its text without blanks and parentheses,
//! or else to the next one that nobody took. A property that is true only because no run goes on counts as
//! true, as it does there. Whole processes are timed. A verdict that differs, or an audit that did not
//! pass, is a failure of the bench; what is not decided is listed.

use super::lustre::{Answer, Options, ask, name};
use super::{milliseconds, shared};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

pub const USAGE: &str = "bench smv [--models DIR] [--timeout SECONDS] [--jobs N] [--match TEXT] \
                         [--binary PATH]";

/// One line of `verdicts.csv`.
struct Recorded {
    kind: String,
    verdict: String,
    name: String,
    formula: String,
}

pub fn main(args: &[String]) -> Result<(), String> {
    let mut options = Options::new("60");
    options.models = shared("smv/models");
    for pair in args.chunks(2) {
        match pair {
            [flag, value] if options.take(flag, value) => {}
            _ => return Err(format!("usage: cargo xtask {USAGE}")),
        }
    }
    let recorded = recorded(&options.models.with_file_name("verdicts.csv"))?;
    let binary = options.binary()?;
    let limits = ["--timeout", &options.timeout, "--jobs", &options.jobs];
    let (mut right, mut wrong, mut open, mut total) = (0, 0, 0, 0.0);
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (file, rows) in recorded
        .iter()
        .filter(|(file, _)| file.contains(&options.matching))
    {
        let Answer {
            time, properties, ..
        } = ask(&binary, &options.models.join(file), &limits)?;
        total += milliseconds(time);
        let mut properties = properties.unwrap_or_default();
        for row in rows {
            let count = kinds.entry(row.kind.clone()).or_default();
            count.1 += 1;
            let property = take(&mut properties, row);
            let verdict = property.as_ref().map_or("nothing", said);
            if verdict == row.verdict {
                right += 1;
                count.0 += 1;
            } else if ["True", "False"].contains(&verdict) || verdict.parse::<u64>().is_ok() {
                wrong += 1;
                println!(
                    "WRONG     {file}: {} is {verdict}, not {}",
                    row.formula, row.verdict
                );
            } else {
                open += 1;
                println!("undecided {file}: {} ({verdict})", row.formula);
            }
            let unaudited =
                property.is_some_and(|one| one["verdict"] == "valid" && one["audit"] != "passed");
            if unaudited {
                wrong += 1;
                println!("AUDIT     {file}: {}", row.formula);
            }
        }
    }
    println!(
        "\n{right} verdicts as recorded, {wrong} wrong, {open} undecided, {:.1} s",
        total / 1000.0
    );
    for (kind, (right, of)) in kinds {
        println!("  {kind:<14} {right:>4} of {of}");
    }
    match wrong {
        0 => Ok(()),
        _ => Err(format!("{wrong} verdicts are wrong")),
    }
}

/// What a finding says, in the words of the list.
fn said(property: &Value) -> &str {
    match property["verdict"].as_str() {
        Some("valid" | "vacuous") => "True",
        Some("invalid") => "False",
        Some(other) => property["value"].as_str().unwrap_or(other),
        None => "nothing",
    }
}

/// Takes the property that a line speaks of.
fn take(properties: &mut Vec<Value>, row: &Recorded) -> Option<Value> {
    let own = |property: &Value| property["name"].as_str().unwrap_or("").to_string();
    let at = properties.iter().position(|property| {
        let name = own(property);
        name == row.name || plain(&name) == plain(&row.formula)
    });
    Some(properties.remove(at?))
}

fn plain(text: &str) -> String {
    text.chars()
        .filter(|one| !one.is_whitespace() && !"()".contains(*one))
        .collect()
}

/// The lines by model, in order.
fn recorded(path: &PathBuf) -> Result<BTreeMap<String, Vec<Recorded>>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", name(path)))?;
    let mut models: BTreeMap<String, Vec<Recorded>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.splitn(6, ',').collect();
        let [file, _, kind, verdict, name, formula] = fields[..] else {
            return Err(format!("a line without six fields: {line}"));
        };
        models.entry(file.to_string()).or_default().push(Recorded {
            kind: kind.to_string(),
            verdict: verdict.to_string(),
            name: name.to_string(),
            formula: formula.trim_matches('"').to_string(),
        });
    }
    Ok(models)
}
