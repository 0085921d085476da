//! Commands on programs: several files with a harness, run within a bound.

pub mod check;
pub mod mutate;
mod path;

use crate::arguments::{ProgramArguments, Proving, Subject};
use crate::exit::Exit;
use crate::{input, interrupt, session, terminal};
use proofmark_lang::{Language, Languages, LoadedProgram, ProgramRequest};
use proofmark_model::program::{Bounds, CheckKind, Checks};
use proofmark_quality::program::ProgramOptions;
use proofmark_solve::Interrupt;
use proofmark_source::{FileId, Sources};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The bound where none is given.
const UNWIND: u32 = 10;

/// The most nodes of a formula.
const MOST_NODES: usize = 200_000_000;

/// A program that was read.
pub struct OpenedProgram {
    pub begin: Instant,
    pub interrupt: Interrupt,
    pub started: Arc<AtomicBool>,
    pub sources: Sources,
    /// The first file of the program.
    pub file: FileId,
    pub loaded: LoadedProgram,
}

/// The language of a subject, if it is one of programs.
pub fn language(languages: Languages, subject: &Subject) -> Option<&'static Language> {
    let language = languages.choose(&subject.file, subject.language.as_deref());
    language.ok().filter(|language| language.program.is_some())
}

/// The names of all sets of mutators of programs.
pub fn sets(languages: Languages) -> impl Iterator<Item = &'static str> {
    let readers = languages.0.iter().filter_map(|language| language.program);
    readers.flat_map(|reader| reader.mutators.iter().map(|(name, _)| *name))
}

impl OpenedProgram {
    /// Reads a program, with its mutants if a set of mutators is named. What is wrong has been printed.
    pub fn read(
        language: &Language,
        subject: &Subject,
        arguments: &ProgramArguments,
        mutators: Option<&str>,
    ) -> Result<OpenedProgram, Exit> {
        let begin = Instant::now();
        let (interrupt, started) = interrupt::of_run();
        let mut sources = Sources::default();
        let names = match subject.files.is_empty() {
            true => std::slice::from_ref(&subject.file),
            false => &subject.files[..],
        };
        let files = read_all(names, &mut sources)?;
        let harness = read_all(&arguments.harness, &mut sources)?;
        let (Some(reader), Some(file)) = (language.program, files.first().copied()) else {
            terminal::error("there is no program");
            return Err(Exit::Usage);
        };
        let request = ProgramRequest {
            files: &files,
            harness: &harness,
            definitions: &arguments.define,
            includes: &subject.include,
            entry: &arguments.function,
            mutators,
            read: &|path| std::fs::read(path).ok(),
        };
        let (loaded, diagnostics) = (reader.load)(&mut sources, &request);
        session::tell(&diagnostics, &sources);
        Ok(OpenedProgram {
            begin,
            interrupt,
            started,
            sources,
            file,
            loaded: loaded.ok_or(Exit::Input)?,
        })
    }

    /// What is asked of the program.
    pub fn options(
        &self,
        arguments: &ProgramArguments,
        proving: &Proving,
    ) -> Result<ProgramOptions, Exit> {
        Ok(ProgramOptions {
            checks: checks(arguments),
            bounds: self.bounds(arguments)?,
            time: proving.timeout.map(Duration::from_secs_f64),
            interrupt: self.interrupt.clone(),
            most_nodes: MOST_NODES,
        })
    }

    fn bounds(&self, arguments: &ProgramArguments) -> Result<Bounds, Exit> {
        let program = &self.loaded.program;
        let loops = program.loops.iter().map(|one| &*one.name);
        let functions = program.functions.iter().map(|one| &*one.name);
        let known: Vec<&str> = loops.chain(functions).collect();
        for (name, _) in &arguments.unwindset {
            if !known.contains(&name.as_str()) {
                let near = proofmark_source::nearest(name, known.iter().copied());
                let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                terminal::error(&format!(
                    "--unwindset: there is no loop or function `{name}`{near}"
                ));
                return Err(Exit::Usage);
            }
        }
        Ok(Bounds {
            default: arguments.unwind.unwrap_or(UNWIND),
            named: arguments.unwindset.iter().cloned().collect(),
        })
    }
}

fn read_all(names: &[String], sources: &mut Sources) -> Result<Vec<FileId>, Exit> {
    let files = names.iter().map(|name| input::read_text(name, sources));
    files.collect()
}

fn checks(arguments: &ProgramArguments) -> Checks {
    let mut checks = Checks::default();
    let off = [
        (CheckKind::Bounds, arguments.no_bounds_check),
        (CheckKind::Pointer, arguments.no_pointer_check),
        (CheckKind::Division, arguments.no_div_by_zero_check),
    ];
    for (kind, _) in off.into_iter().filter(|(_, off)| *off) {
        checks.remove(kind);
    }
    let on = [
        (CheckKind::Overflow, arguments.signed_overflow_check),
        (CheckKind::Leak, arguments.memory_leak_check),
    ];
    for (kind, _) in on.into_iter().filter(|(_, on)| *on) {
        checks.add(kind);
    }
    checks
}

/// What the command line asked for, for the findings.
pub fn options_of(
    arguments: &ProgramArguments,
    options: &ProgramOptions,
) -> BTreeMap<&'static str, serde_json::Value> {
    let on = CheckKind::ALL
        .into_iter()
        .filter(|kind| options.checks.has(*kind));
    let on: Vec<&str> = on.map(CheckKind::word).collect();
    BTreeMap::from([
        ("harness", arguments.harness.clone().into()),
        ("define", arguments.define.clone().into()),
        ("unwind", options.bounds.default.into()),
        ("unwindset", serde_json::json!(options.bounds.named)),
        ("function", arguments.function.clone().into()),
        ("checks", on.into()),
    ])
}
