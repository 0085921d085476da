//! What can be written on the command line.

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};

/// A model checker that says how much a proof is worth.
#[derive(Parser)]
#[command(name = "proofmark", version, propagate_version = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run an SMT-LIB 2.6 script
    Smt(Smt),
    /// List the solvers that are at hand
    Solvers,
}

#[derive(Args)]
pub struct Smt {
    /// The script; `-` runs what is written to standard input, command by command
    pub file: String,
    /// The solver that answers
    #[arg(long, value_name = "NAME", default_value = proofmark_solve::EMBEDDED,
          value_parser = PossibleValuesParser::new(proofmark_solve::solvers()))]
    pub solver: String,
    /// Print what the solver did to standard error
    #[arg(long)]
    pub stats: bool,
}
