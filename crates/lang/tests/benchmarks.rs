//! All public benchmark models load, lower and run. They lie outside the project; without them the
//! test says so and passes.

use proofmark_lang::lustre::{self, Options};
use proofmark_model::{Outcome, Program, Rational, Sort, System, Term, Trace, Value, lower};
use proofmark_source::{Severity, Sources};
use std::path::{Path, PathBuf};

/// The models, or why there are none.
fn models() -> Result<Vec<PathBuf>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("../shared/bench/lustre/models");
    let entries =
        std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "lus"));
    paths.sort();
    Ok(paths)
}

/// A small generator of numbers, so that a failure comes back.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }

    fn value(&mut self, sort: Sort) -> Value {
        let number = Rational::from(self.roll(20) as i64 - 5);
        match sort {
            Sort::Bool => Value::Bool(self.roll(2) == 0),
            Sort::Int => Value::Int(number),
            Sort::Real => Value::Real(number),
            Sort::Enum(of) => Value::Enum(of, self.roll(of.values().len() as u64) as u32),
            Sort::BitVec(_) => Value::default_of(sort),
        }
    }
}

/// Runs a few random steps.
fn run(system: &System, dice: &mut Dice) -> Result<Outcome, String> {
    let program = Program::compile(system).map_err(|error| error.to_string())?;
    let (first, later) = program.free();
    let mut columns: Vec<Term> = first;
    columns.extend(later);
    columns.sort_by_key(|term| format!("{term:?}"));
    columns.dedup();
    let mut trace = Trace::new(columns.clone());
    for _ in 0..5 {
        let row = columns.iter().map(|term| dice.value(term.sort())).collect();
        trace.push(row).map_err(|error| error.to_string())?;
    }
    Ok(program.machine().run(&trace).1)
}

#[test]
fn every_benchmark_model_loads_lowers_and_runs() {
    let paths = match models() {
        Ok(paths) => paths,
        Err(reason) => {
            println!("skipped: no benchmark models ({reason})");
            return;
        }
    };
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut failures = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap();
        let mut sources = Sources::default();
        let file = sources.add(path.display().to_string(), text).unwrap();
        let (loaded, diagnostics) = lustre::load(&sources, file, &Options::default());
        let Some(loaded) = loaded else {
            let error = diagnostics.iter().find(|d| d.severity == Severity::Error);
            failures.push(format!("{}: {:?}", path.display(), error));
            continue;
        };
        assert_eq!(loaded.model.variables.len(), loaded.variables.len());
        assert_eq!(loaded.model.equations.len(), loaded.equations.len());
        assert_eq!(loaded.model.goals.len(), loaded.goals.len());
        match lower(&loaded.model) {
            Ok(lowered) => {
                if let Err(reason) = run(&lowered.system, &mut dice) {
                    failures.push(format!("{}: {reason}", path.display()));
                }
            }
            Err(errors) => failures.push(format!("{}: {}", path.display(), errors[0])),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(paths.len() > 100, "only {} models", paths.len());
}
