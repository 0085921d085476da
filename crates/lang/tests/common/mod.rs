//! What the tests over files share: the files, a generator of numbers, random runs.

// Each test uses some of it.
#![allow(dead_code)]

use proofmark_lang::lustre::{self, Loaded, Options};
use proofmark_model::{Outcome, Program, Rational, Sort, System, Term, Trace, Value};
use proofmark_source::{Diagnostic, Sources};
use std::path::{Path, PathBuf};

/// The project's own small models in a folder of `tests/corpus/lustre`.
pub fn corpus(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/lustre");
    let paths = models_in(&root.join(folder)).unwrap();
    assert!(!paths.is_empty(), "no models in {folder}");
    paths
}

/// The public benchmark models, or why there are none.
pub fn benchmarks() -> Result<Vec<PathBuf>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    models_in(&root.join("shared/bench/lustre/models"))
}

fn models_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "lus"));
    paths.sort();
    Ok(paths)
}

pub fn load(text: &str) -> (Option<Loaded>, Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let file = sources.add("test.lus", text.into()).unwrap();
    let (loaded, diagnostics) = lustre::load(&sources, file, &Options::default());
    (loaded, diagnostics, sources)
}

/// A small generator of numbers, so that a failure comes back.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }

    fn value(&mut self, sort: Sort) -> Value {
        let number = Rational::from(self.roll(20) as i64 - 5);
        match sort {
            Sort::Bool => Value::Bool(self.roll(2) == 0),
            Sort::Int => Value::Int(number),
            Sort::Real => Value::Real(number),
            Sort::Enum(of) => Value::Enum(of, self.roll(of.values().len()) as u32),
            Sort::BitVec(_) => Value::default_of(sort),
        }
    }
}

/// Runs some random steps.
pub fn run(system: &System, steps: usize, dice: &mut Dice) -> Result<Outcome, String> {
    let program = Program::compile(system).map_err(|error| error.to_string())?;
    let (first, later) = program.free();
    let mut columns: Vec<Term> = first;
    columns.extend(later);
    columns.sort_by_key(|term| format!("{term:?}"));
    columns.dedup();
    let mut trace = Trace::new(columns.clone());
    for _ in 0..steps {
        let row = columns.iter().map(|term| dice.value(term.sort())).collect();
        trace.push(row).map_err(|error| error.to_string())?;
    }
    Ok(program.machine().run(&trace).1)
}
