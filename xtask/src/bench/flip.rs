//! `cargo xtask bench flip`: `proofmark check` on models that were made false.
//!
//! Of each model whose every property is known to be valid two variants are made as text. *Flipped*,
//! the properties are negated: such a property is false in the first step of every run, so any other
//! verdict than invalid at step 0 is wrong (but for assumptions that contradict each other). *Off by
//! one*, a literal of the main node is one more, and nobody knows the truth: a second run by bounded
//! model checking alone and random runs in the simulator must not contradict the verdicts, and no
//! counterexample may be longer than the one that bounded model checking finds. Whatever breaks these
//! rules is printed, kept as a file, and fails the bench.

use super::lustre::{Answer, Options, ask, models, name};
use super::milliseconds;
use proofmark_lang::lustre;
use proofmark_lang::random::{Dice, run};
use proofmark_model::{Program, lower};
use proofmark_solve::random::Random;
use proofmark_source::Sources;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub const USAGE: &str = "bench flip [--models DIR] [--timeout SECONDS] [--jobs N] [--match TEXT] \
    [--seed N] [--bound SECONDS] [--binary PATH]";

/// The exit code for a file that is no model.
const NOT_LOADED: i32 = 2;
/// Random runs of a variant, and how many steps each has.
const RUNS: (usize, usize) = (50, 20);
/// Before the names of negated properties.
const FLIPPED: &str = "flipped ";

struct Bench {
    binary: PathBuf,
    options: Options,
    seed: u64,
    /// How long bounded model checking alone may take.
    bound: String,
    folder: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variant {
    Flipped,
    OffByOne,
}

/// What was found about the variants of one kind.
#[derive(Default)]
struct Tally {
    variants: usize,
    not_loaded: usize,
    /// How many properties by verdict and engine.
    verdicts: BTreeMap<(String, String), usize>,
    times: Vec<Duration>,
    faults: usize,
}

pub fn main(args: &[String]) -> Result<(), String> {
    let mut bench = Bench {
        binary: PathBuf::new(),
        options: Options::new("10"),
        seed: 1,
        bound: "1".into(),
        folder: std::env::temp_dir().join(format!("proofmark-flip-{}", std::process::id())),
    };
    for pair in args.chunks(2) {
        match pair {
            [flag, value] if bench.options.take(flag, value) => {}
            [flag, value] if flag == "--seed" => {
                let seed = value.parse();
                bench.seed = seed.map_err(|_| format!("--seed takes a number, not {value}"))?;
            }
            [flag, value] if flag == "--bound" => bench.bound.clone_from(value),
            _ => return Err(format!("usage: cargo xtask {USAGE}")),
        }
    }
    bench.binary = bench.options.binary()?;
    std::fs::create_dir_all(&bench.folder).map_err(|error| error.to_string())?;
    let [mut flipped, mut off_by_one] = [Tally::default(), Tally::default()];
    for model in models(&bench.options)? {
        let text = std::fs::read_to_string(&model).map_err(|error| error.to_string())?;
        let name = name(&model);
        bench.try_variant(&name, Variant::Flipped, &flip(&text), &mut flipped)?;
        if let Some(text) = off_by_one_of(&text, &name, bench.seed) {
            bench.try_variant(&name, Variant::OffByOne, &text, &mut off_by_one)?;
        }
    }
    summarise("flipped", &mut flipped);
    summarise("off by one", &mut off_by_one);
    // Only a folder without kept files goes.
    let _ = std::fs::remove_dir(&bench.folder);
    match flipped.faults + off_by_one.faults {
        0 => Ok(()),
        faults => Err(format!("{faults} faults")),
    }
}

impl Bench {
    fn try_variant(
        &self,
        name: &str,
        variant: Variant,
        text: &str,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let path = self.folder.join(format!("{variant:?}-{name}"));
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        let faults = self.faults(&path, variant, text, tally)?;
        if faults.is_empty() {
            return std::fs::remove_file(&path).map_err(|error| error.to_string());
        }
        println!("{}", path.display());
        for fault in &faults {
            println!("  {fault}");
        }
        tally.faults += faults.len();
        Ok(())
    }

    /// Runs a variant and says what is wrong with the verdicts.
    fn faults(
        &self,
        path: &Path,
        variant: Variant,
        text: &str,
        tally: &mut Tally,
    ) -> Result<Vec<String>, String> {
        let Options { timeout, jobs, .. } = &self.options;
        let limits = ["--timeout", timeout, "--jobs", jobs];
        let answer = ask(&self.binary, path, &limits)?;
        tally.variants += 1;
        let found = match answer.properties {
            Ok(found) => found,
            Err(_) if variant == Variant::OffByOne && answer.exit == Some(NOT_LOADED) => {
                tally.not_loaded += 1;
                return Ok(Vec::new());
            }
            Err(why) => return Ok(vec![format!("exit code {:?}: {why}", answer.exit)]),
        };
        tally.note(&found, answer.time);
        let mut faults: Vec<String> = found.iter().filter_map(unaudited).collect();
        if variant == Variant::Flipped {
            faults.extend(found.iter().filter_map(unflipped));
            return Ok(faults);
        }
        let limits = ["--engines", "bmc", "--timeout", &self.bound, "--jobs", "1"];
        let bounded: Answer = ask(&self.binary, path, &limits)?;
        match bounded.properties {
            Err(why) => faults.push(format!("bmc alone: exit code {:?}: {why}", bounded.exit)),
            Ok(bounded) => {
                let pairs = found.iter().zip(&bounded);
                faults.extend(pairs.filter_map(|(one, other)| contradiction(one, other)));
            }
        }
        let refuted = refuted_by_chance(text, self.seed)?;
        for (at, property) in found.iter().enumerate() {
            if property["verdict"] == "valid" && refuted.contains(&at) {
                faults.push(format!("{} is valid, a run refutes it", property["name"]));
            }
        }
        Ok(faults)
    }
}

/// A verdict that nobody else agreed to.
fn unaudited(property: &Value) -> Option<String> {
    let verdict = property["verdict"].as_str()?;
    let wrong = matches!(verdict, "valid" | "invalid") && property["audit"] != "passed";
    wrong.then(|| format!("{} is {verdict}, not audited", property["name"]))
}

/// A flipped property that is not false at once.
fn unflipped(property: &Value) -> Option<String> {
    if !property["name"].as_str()?.contains(FLIPPED) {
        return None;
    }
    let verdict = property["verdict"].as_str()?;
    let wrong = match verdict {
        "valid" => true,
        "invalid" => property["step"] != 0,
        _ => false,
    };
    wrong.then(|| {
        let (name, step) = (&property["name"], &property["step"]);
        format!("{name} is {verdict}, step {step}, but false in every first step")
    })
}

/// How the verdict on a property is contradicted by bounded model checking alone.
fn contradiction(found: &Value, bounded: &Value) -> Option<String> {
    let verdicts = [found, bounded].map(|one| one["verdict"].as_str().unwrap_or("?"));
    let [step, steps] = [found, bounded].map(|one| one["step"].as_u64().unwrap_or(0));
    let what = match verdicts {
        ["valid", "invalid"] => "is valid, bmc refutes it",
        ["invalid", "invalid"] if steps < step => "has a shorter counterexample",
        ["invalid", "invalid"] if steps > step => "has a counterexample that bmc overlooked",
        ["invalid", "unknown"] if steps > step => "has a counterexample that bmc ruled out",
        _ => return None,
    };
    let name = &found["name"];
    Some(format!("{name} {what}: step {step}, bmc {steps}"))
}

/// The properties that are false in some random run, by position.
fn refuted_by_chance(text: &str, seed: u64) -> Result<BTreeSet<usize>, String> {
    let mut sources = Sources::default();
    let file = sources.add("variant.lus", text.into());
    let file = file.map_err(|error| error.to_string())?;
    let (loaded, _) = lustre::load(&sources, file, &lustre::Options::default());
    let Some(loaded) = loaded else {
        return Err("the front end loads a file only sometimes".into());
    };
    let lowered = lower(&loaded.model).map_err(|errors| errors[0].to_string())?;
    let program = Program::compile(&lowered.system).map_err(|error| error.to_string())?;
    let mut dice = Dice(seed | 1);
    let mut refuted = BTreeSet::new();
    for _ in 0..RUNS.0 {
        refuted.extend(run(&program, RUNS.1, &mut dice)?.refuted());
    }
    Ok(refuted)
}

impl Tally {
    fn note(&mut self, found: &[Value], time: Duration) {
        for property in found {
            let text = |key: &str| property[key].as_str().unwrap_or("").to_owned();
            let key = (text("verdict"), text("engine"));
            *self.verdicts.entry(key).or_default() += 1;
        }
        self.times.push(time);
    }
}

fn summarise(what: &str, tally: &mut Tally) {
    tally.times.sort_unstable();
    let median = tally.times.get(tally.times.len() / 2).copied();
    println!(
        "{what}: {} variants, {} not loaded, median {:.1} ms, {} faults",
        tally.variants,
        tally.not_loaded,
        milliseconds(median.unwrap_or_default()),
        tally.faults
    );
    for ((verdict, engine), count) in &tally.verdicts {
        println!("  {count:>5} properties {verdict} {engine}");
    }
}

/// The text with its properties negated, each under a name that tells.
fn flip(text: &str) -> String {
    const DIRECTIVE: &str = "--%PROPERTY";
    let mut flipped = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(DIRECTIVE) {
        let (before, after) = rest.split_at(start + DIRECTIVE.len());
        let (property, end) = after.split_at(after.find(';').unwrap_or(after.len()));
        // A name of its own would not be one of the negation.
        let property = property.rsplit('"').next().unwrap_or(property).trim();
        let label = property.split_whitespace().collect::<Vec<_>>().join(" ");
        flipped += &format!("{before} \"{FLIPPED}{label}\" not ({property})");
        rest = end;
    }
    flipped + rest
}

/// The text with one literal one more, if it has any.
fn off_by_one_of(text: &str, name: &str, seed: u64) -> Option<String> {
    let literals = literals(text);
    let mixed = name.bytes().fold(seed, |mixed, byte| {
        mixed.wrapping_mul(31).wrapping_add(byte.into())
    });
    let chosen = literals
        .get(Random::new(mixed).below(literals.len()))?
        .clone();
    let whole: u128 = text[chosen.clone()].parse().ok()?;
    let (before, after) = (&text[..chosen.start], &text[chosen.end..]);
    Some(format!("{before}{}{after}", whole + 1))
}

/// The whole parts of the numbers in the body of the main node, or in the text when that has none.
fn literals(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<(usize, Range<usize>)> = Vec::new();
    let (mut node, mut main) = (0, None);
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            _ if rest.starts_with("--%") => 3,
            _ if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("(*") => rest.find("*)").unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").unwrap_or(rest.len()),
            _ if is_name(first) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let word = &rest[..length];
        // Not the fraction of a real.
        let is_number = word.len() < 30
            && word.bytes().all(|byte| byte.is_ascii_digit())
            && !text[..at].ends_with('.');
        match word {
            "node" => node += 1,
            "MAIN" if text[..at].ends_with("--%") => main = Some(node),
            _ if is_number => found.push((node, at..at + length)),
            _ => {}
        }
        at += length;
    }
    let main = main.unwrap_or(node);
    let (inside, outside): (Vec<_>, Vec<_>) = found.into_iter().partition(|one| one.0 == main);
    let chosen = if inside.is_empty() { outside } else { inside };
    chosen.into_iter().map(|(_, range)| range).collect()
}

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '~' | '!' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn properties_are_negated_under_a_name_of_their_own() {
        let text = "let\n--%PROPERTY a\n or b;\n--%PROPERTY \"p\" c;\n--%MAIN\ntel;";
        let flipped = "let\n--%PROPERTY \"flipped a or b\" not (a\n or b);\n\
                       --%PROPERTY \"flipped c\" not (c);\n--%MAIN\ntel;";
        assert_eq!(flip(text), flipped);
    }

    #[test]
    fn literals_are_those_of_the_main_node() {
        let text = "const c = 7;\nnode a() returns (x1: int); let --%MAIN\n x1 = 2 + 1.5; -- 3\n \
                    tel;\nnode b() returns (y: int); let y = 4; (* 5 *) tel;";
        let found: Vec<&str> = literals(text).into_iter().map(|at| &text[at]).collect();
        assert_eq!(found, ["2", "1"]);
        let found: Vec<&str> = literals("const c = 7; node a() returns (); let tel;")
            .into_iter()
            .map(|_| "one")
            .collect();
        assert_eq!(found, ["one"]);
        let changed = off_by_one_of("node a() returns (x: int); let x = 9; tel;", "a.lus", 1);
        assert_eq!(
            changed.as_deref(),
            Some("node a() returns (x: int); let x = 10; tel;")
        );
    }

    #[test]
    fn contradictions_are_seen() {
        let finding = |verdict, step| json!({"name": "p", "verdict": verdict, "step": step});
        let wrong = |a, b| contradiction(&a, &b).is_some();
        assert!(wrong(finding("valid", 0), finding("invalid", 3)));
        assert!(wrong(finding("invalid", 4), finding("invalid", 3)));
        assert!(wrong(finding("invalid", 2), finding("invalid", 3)));
        assert!(wrong(finding("invalid", 2), finding("unknown", 3)));
        assert!(!wrong(finding("invalid", 3), finding("unknown", 3)));
        assert!(!wrong(finding("valid", 0), finding("unknown", 3)));
        assert!(
            unflipped(&json!({"name": "flipped a", "verdict": "invalid", "step": 1})).is_some()
        );
        assert!(
            unflipped(&json!({"name": "flipped a", "verdict": "invalid", "step": 0})).is_none()
        );
        assert!(unflipped(&json!({"name": "b", "verdict": "valid"})).is_none());
    }
}
