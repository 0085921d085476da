//! `cargo xtask bench smv`: `proofmark check` beside the recorded verdicts of NuSMV 2.6.
//!
//! A recorded verdict belongs to the property of its name, or of its text without blanks and parentheses,
//! or else to the next one that nobody took. A property that is true only because no run goes on counts as
//! true, as it does there. Whole processes are timed. A verdict that differs, an audit that did not
//! pass, or a count of states that differs is a failure of the bench; what is not decided is listed. Where
//! NuSMV is on the search path, it checks the same models.

use super::lustre::{Answer, Options, ask, name};
use super::{milliseconds, shared};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

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
    let limits = [
        "--stats",
        "--timeout",
        &options.timeout,
        "--jobs",
        &options.jobs,
    ];
    let counted = counted(&options.models.with_file_name("manifest.csv"))?;
    let before = children();
    let (mut same, mut uncounted) = (0, 0);
    let (mut right, mut wrong, mut open, mut total) = (0, 0, 0, 0.0);
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (file, rows) in recorded
        .iter()
        .filter(|(file, _)| file.contains(&options.matching))
    {
        let Answer {
            time,
            properties,
            findings,
            ..
        } = ask(&binary, &options.models.join(file), &limits)?;
        total += milliseconds(time);
        let states = findings.as_ref().map_or(&Value::Null, |all| &all["states"]);
        match counted.get(file).map(|counted| counted.agrees(states)) {
            Some(Some(true)) => same += 1,
            Some(Some(false)) => {
                wrong += 1;
                println!("COUNT     {file}: {states}");
            }
            _ => uncounted += 1,
        }
        let mut properties = properties.unwrap_or_default();
        let named: Vec<Option<Value>> = rows.iter().map(|row| take(&mut properties, row)).collect();
        for (row, named) in rows.iter().zip(named) {
            let count = kinds.entry(row.kind.clone()).or_default();
            count.1 += 1;
            let property = named.or_else(|| take_next(&mut properties, row));
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
    println!("{same} models with the states and the diameter as recorded, {uncounted} not counted");
    println!("{:.1} s of processors", children() - before);
    beside_nusmv(&options, recorded.keys())?;
    match wrong {
        0 => Ok(()),
        _ => Err(format!("{wrong} verdicts are wrong")),
    }
}

/// One line of `manifest.csv`.
struct Counted {
    reachable: f64,
    diameter: u64,
}

impl Counted {
    /// Whether statistics say the same, to six digits; none where there are none.
    fn agrees(&self, states: &Value) -> Option<bool> {
        let reachable: f64 = states["reachable"].as_str()?.parse().ok()?;
        let diameter = states["diameter"].as_u64()?;
        let near = (reachable - self.reachable).abs() <= 1e-5 * self.reachable;
        // Without any state there is no first layer, either.
        let layers = if reachable == 0.0 { 0 } else { diameter };
        Some(near && layers == self.diameter)
    }
}

fn counted(path: &PathBuf) -> Result<BTreeMap<String, Counted>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", name(path)))?;
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let counted = Counted {
            reachable: fields.get(6)?.parse().ok()?,
            diameter: fields.get(8)?.parse().ok()?,
        };
        Some((fields.first()?.to_string(), counted))
    };
    Ok(text.lines().skip(1).filter_map(line).collect())
}

/// The seconds of processors that all finished children took, as Linux tells; nothing elsewhere.
fn children() -> f64 {
    const TICKS: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may have blanks: the 14th and 15th fields are those of children.
    let rest = text.rsplit(')').next().unwrap_or_default();
    let fields: Vec<f64> = rest
        .split_whitespace()
        .skip(13)
        .take(2)
        .filter_map(|field| field.parse().ok())
        .collect();
    fields.iter().sum::<f64>() / TICKS
}

/// Has NuSMV check the same models, if it is there.
fn beside_nusmv<'f>(
    options: &Options,
    files: impl Iterator<Item = &'f String>,
) -> Result<(), String> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&paths).map(|folder| folder.join("NuSMV"));
    let Some(nusmv) = found.find(|path| path.is_file()) else {
        println!("NuSMV is not on the search path");
        return Ok(());
    };
    let before = children();
    for file in files.filter(|file| file.contains(&options.matching)) {
        let mut command = Command::new("timeout");
        let command = command.arg(&options.timeout).arg(&nusmv);
        let command = command.arg(options.models.join(file)).stdin(Stdio::null());
        command
            .output()
            .map_err(|error| format!("NuSMV: {error}"))?;
    }
    println!("NuSMV: {:.1} s of processors", children() - before);
    Ok(())
}

/// What a finding says, in the words of the list.
fn said(property: &Value) -> &str {
    if let (Some("valid"), Some(value)) = (property["verdict"].as_str(), property["value"].as_str())
    {
        return value;
    }
    match property["verdict"].as_str() {
        Some("valid" | "vacuous") => "True",
        Some("invalid") => "False",
        Some(other) => other,
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

/// Takes the next property of the kind that a line has.
fn take_next(properties: &mut Vec<Value>, row: &Recorded) -> Option<Value> {
    let kinds: &[&str] = match row.kind.as_str() {
        "CTL" => &["ctl"],
        "LTL" => &["ltl"],
        "PSL" => &["ltl", "ctl"],
        "Invar" => &["invariant"],
        _ => &["compute"],
    };
    let is_one = |property: &Value| kinds.iter().any(|kind| property["kind"] == *kind);
    let at = properties.iter().position(is_one)?;
    Some(properties.remove(at))
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
