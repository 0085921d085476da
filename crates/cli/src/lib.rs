//! The command line of Proofmark.
//!
//! Each command is a file with a function that returns how the run ended. Results go to standard
//! output, everything else to standard error. The program is [`run`] with the languages that
//! Proofmark knows; with a row more it reads one more language, and nothing else changes.
//!
//! ```
//! use std::process::ExitCode;
//!
//! let file = std::env::temp_dir().join(format!("up-{}.lus", std::process::id()));
//! let model = "node up() returns (n: int); let n = 0 -> pre n + 1; check \"p\" n >= 0; tel;";
//! std::fs::write(&file, model)?;
//! // `mutate` proves the property, finds a core of the proof, and decides the mutants. Its exit code
//! // says that something was found: the property does not notice when `n` goes up by 2.
//! let words = ["proofmark".into(), "mutate".into(), file.clone().into()];
//! let exit = proofmark::run(words.into(), proofmark_lang::LANGUAGES);
//! assert_eq!(exit, ExitCode::from(10));
//! # std::fs::remove_file(&file)?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod advice;
mod arguments;
mod audit;
mod audits;
mod certificates;
mod check;
mod circuits;
mod compare;
mod config;
mod convert;
mod cover;
mod diff;
mod elements;
mod ending;
mod equiv;
mod exit;
mod explain;
mod exports;
mod faults;
mod files;
mod glob;
mod init;
mod input;
mod interrupt;
mod ivc;
mod journal;
mod kills;
mod listing;
mod lock;
mod manual;
mod merge;
mod models;
mod mutants;
mod mutate;
mod mutators;
mod netlist;
mod netlist_ivc;
mod outputs;
mod page;
mod programs;
mod progress;
mod recheck;
mod record;
mod reuse;
mod runs;
mod sat;
mod schema;
mod session;
mod settings;
mod shard;
mod simulate;
mod slice;
mod smt;
mod solvers;
mod suggest;
mod suppress;
mod terminal;
mod translate;

use arguments::Command;
use exit::Exit;
use proofmark_lang::Languages;
use settings::{Parsed, Run};
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs a command line, the name of the program first, on models in any of the languages.
pub fn run(words: Vec<OsString>, languages: Languages) -> ExitCode {
    let exit = match settings::parse(words, languages) {
        Ok(Parsed::One(one)) => {
            terminal::set_warnings(!one.arguments.command.is_quiet());
            run_one(*one, languages)
        }
        Ok(Parsed::Several(all)) => {
            let quiet = all.iter().any(|one| one.arguments.command.is_quiet());
            terminal::set_warnings(!quiet);
            models::run_all(&all, languages)
        }
        Err(exit) => exit,
    };
    exit.into()
}

/// Runs a command on one model, or one that is about none.
fn run_one(run: Run, languages: Languages) -> Exit {
    let suppressions = &run.suppressions;
    match run.arguments.command {
        Command::Check(arguments) => models::run_alone(&*arguments, suppressions, languages),
        Command::Audit(arguments) => audit::run(&arguments, languages),
        Command::Convert(arguments) => convert::run(&arguments, languages),
        Command::Simulate(arguments) => simulate::run(&arguments, languages),
        Command::Ivc(arguments) => models::run_alone(&*arguments, suppressions, languages),
        Command::Mutate(arguments) => models::run_alone(&*arguments, suppressions, languages),
        Command::Cover(arguments) => models::run_alone(&*arguments, suppressions, languages),
        Command::Equiv(arguments) => equiv::run(&arguments, languages),
        Command::Merge(arguments) => merge::run(&arguments, languages),
        Command::Slice(arguments) => slice::run(&arguments, languages),
        Command::Sat(arguments) => sat::run(&arguments),
        Command::Smt(arguments) => smt::run(&arguments),
        Command::Solvers => solvers::run(),
        Command::Mutators(arguments) => mutators::run(&arguments),
        Command::Diff(arguments) => compare::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Completions(arguments) => manual::completions(&arguments),
        Command::Man(arguments) => manual::manual(&arguments),
        Command::Schema => schema::run(),
    }
}
