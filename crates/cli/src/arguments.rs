//! What can be written on the command line.

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use proofmark_engine::EngineName;
use std::path::PathBuf;

/// A model checker that says how much a proof is worth.
#[derive(Parser)]
#[command(name = "proofmark", version, propagate_version = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Prove or refute the properties of a model
    Check(Box<Check>),
    /// Check a certificate that `check --certificate` wrote
    Audit(Audit),
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

#[derive(Args)]
pub struct Check {
    /// The model, in Lustre
    pub file: String,
    /// The main node; otherwise the one with --%MAIN, otherwise the last
    #[arg(long, value_name = "NODE")]
    pub main: Option<String>,
    /// Only the properties whose names match: `*` is any text, `?` any character
    #[arg(long, value_name = "GLOB")]
    pub property: Option<String>,
    /// The solver that proves and refutes
    #[arg(long, value_name = "NAME", default_value = proofmark_solve::EMBEDDED,
          value_parser = PossibleValuesParser::new(proofmark_solve::solvers()))]
    pub solver: String,
    /// The engines to run together, all by default
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = engine_name)]
    pub engines: Vec<EngineName>,
    /// Give up after so many seconds
    #[arg(long, value_name = "SECS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// How many threads to use
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Print only the verdict lines
    #[arg(long)]
    pub quiet: bool,
    /// Show all variables in counterexamples
    #[arg(long)]
    pub all_vars: bool,
    /// Look for counterexamples in which the inputs change as little as possible
    #[arg(long)]
    pub smooth: bool,
    /// For what stays unknown, show the states on which the last induction failed
    #[arg(long)]
    pub inductive_counterexample: bool,
    /// Write the counterexamples for waveform viewers
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
    /// Write the proofs as SMT-LIB files into this folder
    #[arg(long, value_name = "DIR")]
    pub certificate: Option<PathBuf>,
    /// Keep the invariants of the proofs in this file, for --use-proof
    #[arg(long, value_name = "FILE")]
    pub save_proof: Option<PathBuf>,
    /// Try the invariants that --save-proof has kept; they are proved again
    #[arg(long, value_name = "FILE")]
    pub use_proof: Option<String>,
    /// Do not check the verdicts again
    #[arg(long)]
    pub no_audit: bool,
    /// The solver that checks proofs again; by default a fresh embedded one that does not simplify
    #[arg(long, value_name = "NAME", conflicts_with = "no_audit",
          value_parser = PossibleValuesParser::new(proofmark_solve::solvers()))]
    pub audit_solver: Option<String>,
    /// Count these as success
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub accept: Vec<Acceptable>,
}

/// What a user may accept although it is not what was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Acceptable {
    Unknown,
    Vacuous,
    Gap,
}

#[derive(Args)]
pub struct Audit {
    /// The folder of the certificate
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The solver that answers; by default an embedded one that does not simplify
    #[arg(long, value_name = "NAME",
          value_parser = PossibleValuesParser::new(proofmark_solve::solvers()))]
    pub solver: Option<String>,
}

fn engine_name(text: &str) -> Result<EngineName, String> {
    let known = EngineName::ALL.into_iter();
    let names: Vec<&str> = EngineName::ALL.iter().map(|name| name.as_str()).collect();
    known
        .clone()
        .find(|name| name.as_str() == text)
        .ok_or_else(|| format!("expected one of {}", names.join(", ")))
}

/// As many as a clock can count, and then some.
const LONGEST: f64 = 1e9;

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=LONGEST).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds, such as 30 or 0.5".into()),
    }
}
