//! The street: the command line of Proofmark.
//!
//! Each command is a file with a function that returns how the run ended. Results go to standard
//! output, everything else to standard error.

mod advice;
mod arguments;
mod audit;
mod check;
mod diff;
mod elements;
mod exit;
mod exports;
mod glob;
mod input;
mod interrupt;
mod ivc;
mod journal;
mod kills;
mod merge;
mod mutants;
mod mutate;
mod mutators;
mod page;
mod progress;
mod reuse;
mod schema;
mod session;
mod shard;
mod slice;
mod smt;
mod solvers;
mod suggest;
mod terminal;

use arguments::{Arguments, Command};
use clap::Parser;
use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // Help and version come as errors, too; they belong on standard output and are fine.
        Err(error) => {
            let exit = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Fine
            };
            // With the streams gone there is nobody left to tell.
            let _ = error.print();
            return exit.into();
        }
    };
    let exit = match arguments.command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Audit(arguments) => audit::run(&arguments),
        Command::Ivc(arguments) => ivc::run(&arguments),
        Command::Mutate(arguments) => mutate::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Slice(arguments) => slice::run(&arguments),
        Command::Smt(arguments) => smt::run(&arguments),
        Command::Solvers => solvers::run(),
        Command::Mutators(arguments) => mutators::run(&arguments),
        Command::Schema => schema::run(),
    };
    exit.into()
}
