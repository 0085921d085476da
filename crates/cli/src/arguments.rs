//! What can be written on the command line.

use crate::exports::{Exports, FOR_TOOLS};
use crate::recheck::Recheck;
use crate::shard::ShardNumber;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use proofmark_engine::EngineName;
use proofmark_report::Tolerance;
use std::path::PathBuf;

/// A model checker that says how much a proof is worth.
#[derive(Parser)]
#[command(name = "proofmark", version, propagate_version = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// Read settings from this file instead of proofmark.toml
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// Read no file of settings
    #[arg(long, global = true, conflicts_with = "config")]
    pub no_config: bool,
    /// Explain a word of the reports, such as GAP, and do nothing else
    #[arg(long, value_name = "WORD", global = true)]
    pub explain: Option<String>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Prove or refute the properties of a model
    Check(Box<Check>),
    /// Find the elements of a model that its proofs need
    Ivc(Box<Ivc>),
    /// Find the faults that the properties would not notice
    Mutate(Box<Mutate>),
    /// Find the registers and gates that the properties do not see
    Cover(Box<Cover>),
    /// Tell whether two models are the same, and if not, by which run
    Equiv(Box<Equiv>),
    /// Put the parts of a campaign with --shard together
    Merge(Merge),
    /// Print the model reduced to what its proofs need
    Slice(Box<Slice>),
    /// Check a certificate that `check --certificate` wrote
    Audit(Audit),
    /// Solve a propositional formula in DIMACS, as in SAT competitions
    Sat(Sat),
    /// Write a finite design as a netlist
    Convert(Convert),
    /// Print a run of a model, random or with given inputs
    Simulate(Simulate),
    /// Run an SMT-LIB 2.6 script
    Smt(Smt),
    /// List the solvers that can be used here
    Solvers,
    /// List the mutators: the small faults that can be put into a model
    Mutators(Mutators),
    /// Compare two runs: what is better, and what is worse
    Diff(Diff),
    /// Write a proofmark.toml to begin with
    Init(Init),
    /// Explain a word of the reports
    Explain(Explain),
    /// Print completions for a shell
    Completions(Completions),
    /// Print the manual page, of all or of one command
    Man(Manual),
    /// Print the JSON Schema of what --json prints
    Schema,
}

impl Command {
    /// Sets the model that the command looks at.
    pub fn set_model(&mut self, file: &str) {
        let subject = match self {
            Command::Check(arguments) => &mut arguments.subject,
            Command::Ivc(arguments) => &mut arguments.subject,
            Command::Mutate(arguments) => &mut arguments.subject,
            Command::Cover(arguments) => &mut arguments.subject,
            Command::Slice(arguments) => &mut arguments.subject,
            _ => return,
        };
        subject.file = file.into();
    }

    /// Sets all files of a program.
    pub fn set_files(&mut self, files: Vec<String>) {
        match self {
            Command::Check(arguments) => arguments.subject.files = files,
            Command::Mutate(arguments) => arguments.subject.files = files,
            _ => {}
        }
    }

    /// Whether only verdicts are asked for.
    pub fn is_quiet(&self) -> bool {
        match self {
            Command::Check(arguments) => arguments.printing.quiet,
            Command::Ivc(arguments) => arguments.printing.quiet,
            Command::Mutate(arguments) => arguments.printing.quiet,
            Command::Cover(arguments) => arguments.printing.quiet,
            Command::Equiv(arguments) => arguments.quiet,
            Command::Merge(arguments) => arguments.printing.quiet,
            _ => false,
        }
    }
}

#[derive(Args)]
pub struct Explain {
    /// A verdict or a role, such as GAP or MUST; without it, the words that are explained
    pub word: Option<String>,
}

#[derive(Args)]
pub struct Completions {
    pub shell: clap_complete::Shell,
}

#[derive(Args)]
pub struct Manual {
    /// The command whose page it is
    pub command: Option<String>,
}

#[derive(Args)]
pub struct Diff {
    /// The JSON of an earlier run of check, ivc or mutate
    pub old: String,
    /// The JSON of a later run of the same command
    pub new: String,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Print only what is worse
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Args)]
pub struct Init {
    /// The folder to write it to
    #[arg(value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
    /// Replace a file that is there already
    #[arg(long)]
    pub force: bool,
}

#[derive(Args)]
pub struct Equiv {
    /// A model; its extension tells its language. `-` is standard input
    pub first: String,
    /// Another model in a language that is compared in the same way
    pub second: String,
    /// The language of both, whatever their extensions
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// The main node or top module of both; by default the one that each marks, or else the last
    #[arg(long, value_name = "NODE", visible_alias = "top")]
    pub main: Option<String>,
    /// A folder with files that a design includes; may be given several times
    #[arg(long, value_name = "DIR")]
    pub include: Vec<String>,
    #[command(flatten)]
    pub proving: Proving,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Print only the verdict line, and no warnings
    #[arg(long, short)]
    pub quiet: bool,
    /// Exit with 0 also when these are found
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub accept: Vec<Acceptable>,
    /// Observe only variables and properties of these names, of models that are compared by their outputs
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub observe: Vec<String>,
    /// How models whose states are seen are compared
    #[arg(long, value_enum, default_value_t = EquivMethod::Exact)]
    pub method: EquivMethod,
    /// Write the merged model of the published method with its formulas, for other model checkers
    #[arg(long, value_name = "FILE")]
    pub emit_merged: Option<PathBuf>,
}

/// How structures are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum EquivMethod {
    /// By the steps from all states that are reached
    Exact,
    /// By formulas about a merged model, as published; wrong where a variable follows a changed one at once
    Paper,
}

#[derive(Args)]
pub struct Mutators {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct Sat {
    /// The formula, in DIMACS; `-` is standard input
    pub file: String,
    /// Write a proof in LRAT
    #[arg(long, value_name = "FILE")]
    pub proof: Option<String>,
    /// Check each step of the proof while it is made
    #[arg(long)]
    pub check: bool,
    /// Give up after so many seconds
    #[arg(long, value_name = "SECS", allow_negative_numbers = true, value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Print what the solver did to standard error
    #[arg(long)]
    pub stats: bool,
}

#[derive(Args)]
pub struct Convert {
    /// The design; its extension tells its language. `-` is standard input
    pub file: String,
    /// The netlist to write; its extension tells the format
    pub output: String,
    /// The language of the design, whatever its extension
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// The main node or top module; by default the one that the model marks, or else the last
    #[arg(long, value_name = "NODE", visible_alias = "top")]
    pub main: Option<String>,
    /// A folder with files that the design includes; may be given several times
    #[arg(long, value_name = "DIR")]
    pub include: Vec<String>,
}

#[derive(Args)]
pub struct Simulate {
    /// The model; its extension tells its language. `-` is standard input
    pub file: String,
    /// How many steps; by default ten, or as many as are given
    #[arg(long, value_name = "N")]
    pub steps: Option<usize>,
    /// Another number gives another run, the same one the same
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Values that are given: names in the first line, then a line a step, separated by commas
    #[arg(long, value_name = "FILE")]
    pub inputs: Option<String>,
    /// Print the run as JSON, as findings have it
    #[arg(long)]
    pub json: bool,
    /// The language of the model, whatever its extension
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// The main node or top module; by default the one that the model marks, or else the last
    #[arg(long, value_name = "NODE", visible_alias = "top")]
    pub main: Option<String>,
    /// A folder with files that the design includes; may be given several times
    #[arg(long, value_name = "DIR")]
    pub include: Vec<String>,
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

/// Which model and which of its properties.
#[derive(Args)]
pub struct Subject {
    /// The model itself, one of those that the command names.
    #[arg(skip)]
    pub file: String,
    /// All files of a program; only those that the command names, and only where it is one.
    #[arg(skip)]
    pub files: Vec<String>,
    /// The language of the model, whatever its extension
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// The main node or top module; by default the one that the model marks, or else the last
    #[arg(long, value_name = "NODE", visible_alias = "top")]
    pub main: Option<String>,
    /// A folder with files that the design includes; may be given several times
    #[arg(long, short = 'I', value_name = "DIR")]
    pub include: Vec<String>,
    /// Make it an error when a variable depends on itself within one step
    #[arg(long)]
    pub strict: bool,
    /// Look only at the properties whose names match: `*` is any text, `?` any character
    #[arg(long, value_name = "GLOB")]
    pub property: Option<String>,
}

/// What a program is made of, and how far it is run.
#[derive(Args, Clone)]
#[command(next_help_heading = "Programs")]
pub struct ProgramArguments {
    /// A file of the program that is never mutated; may be given several times
    #[arg(long, value_name = "FILE")]
    pub harness: Vec<String>,
    /// Define a macro; may be given several times
    #[arg(short = 'D', long = "define", value_name = "NAME[=TEXT]")]
    pub define: Vec<String>,
    /// Run the bodies of loops so often at most, and so many calls of a function at a time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub unwind: Option<u32>,
    /// Other bounds for loops and functions, such as `main.0:5`
    #[arg(long, value_name = "NAME:N", value_delimiter = ',', value_parser = named_bound)]
    pub unwindset: Vec<(String, u32)>,
    /// Where runs begin
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub function: String,
    /// Check that indices are within their arrays; the default
    #[arg(long, overrides_with = "no_bounds_check")]
    pub bounds_check: bool,
    /// Do not check that indices are within their arrays
    #[arg(long)]
    pub no_bounds_check: bool,
    /// Check that pointers lead to living objects; the default
    #[arg(long, overrides_with = "no_pointer_check")]
    pub pointer_check: bool,
    /// Do not check that pointers lead to living objects
    #[arg(long)]
    pub no_pointer_check: bool,
    /// Check that nothing is divided by zero; the default
    #[arg(long, overrides_with = "no_div_by_zero_check")]
    pub div_by_zero_check: bool,
    /// Do not check that nothing is divided by zero
    #[arg(long)]
    pub no_div_by_zero_check: bool,
    /// Check that signed numbers do not overflow
    #[arg(long, overrides_with = "no_signed_overflow_check")]
    pub signed_overflow_check: bool,
    /// Do not check that signed numbers do not overflow; the default
    #[arg(long)]
    pub no_signed_overflow_check: bool,
    /// Check that everything allocated is free when the run ends
    #[arg(long, overrides_with = "no_memory_leak_check")]
    pub memory_leak_check: bool,
    /// Do not check that everything allocated is free; the default
    #[arg(long)]
    pub no_memory_leak_check: bool,
}

/// A bound by name: `main.0:5`.
fn named_bound(text: &str) -> Result<(String, u32), String> {
    let (name, bound) = text
        .rsplit_once(':')
        .ok_or("expected a name, a colon and a number, as main.0:5")?;
    match bound.parse() {
        Ok(bound) if bound > 0 => Ok((name.to_string(), bound)),
        _ => Err(format!(
            "expected a positive number after the colon, found `{bound}`"
        )),
    }
}

/// How properties are proved, and the proofs audited.
#[derive(Args)]
pub struct Proving {
    /// The solver that proves and refutes
    #[arg(long, value_name = "NAME", default_value = proofmark_solve::EMBEDDED,
          value_parser = PossibleValuesParser::new(proofmark_solve::solvers()))]
    pub solver: String,
    /// The engines to run together, all by default
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = engine_name)]
    pub engines: Vec<EngineName>,
    /// Stop after so many seconds for each model; what is open by then is unknown
    #[arg(long, value_name = "SECS", allow_negative_numbers = true, value_parser = seconds)]
    pub timeout: Option<f64>,
    /// How many threads to use
    #[arg(long, value_name = "N", default_value_t = 2, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
    /// Do not audit: do not check the verdicts again
    #[arg(long)]
    pub no_audit: bool,
    /// The solver that audits the proofs; by default a fresh embedded one without preprocessing
    #[arg(long, value_name = "NAME", conflicts_with = "no_audit",
          value_parser = PossibleValuesParser::new(proofmark_solve::solvers()))]
    pub audit_solver: Option<String>,
    /// Seconds that the auditor may take for one mutant, and at least for the properties; a verdict
    /// without its answer counts as unknown, unless `--accept unaudited`
    #[arg(long, value_name = "SECS", default_value_t = AUDIT_TIME, allow_negative_numbers = true, value_parser = seconds)]
    pub audit_time: f64,
    /// Try the invariants that --save-proof wrote; each is proved again
    #[arg(long, value_name = "FILE")]
    pub use_proof: Option<String>,
}

/// What is printed, and what counts as success.
#[derive(Args)]
pub struct Printing {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Print only the verdict lines, and no warnings
    #[arg(long, short)]
    pub quiet: bool,
    /// Write the findings as one page for a browser
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Exit with 0 also when these are found
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub accept: Vec<Acceptable>,
}

impl Printing {
    pub fn accepts(&self, what: Acceptable) -> bool {
        self.accept.contains(&what)
    }

    /// What the run does not fail for, with the score that is asked for.
    pub fn tolerance(&self, min_score: Option<f64>) -> Tolerance {
        Tolerance {
            unknown: self.accepts(Acceptable::Unknown),
            vacuous: self.accepts(Acceptable::Vacuous),
            gap: self.accepts(Acceptable::Gap),
            unaudited: self.accepts(Acceptable::Unaudited),
            min_score,
        }
    }
}

#[derive(Args)]
pub struct Check {
    /// Models, and folders of them; the extension tells the language. `-` is standard input, alone.
    ///
    /// A folder stands for the files below it whose extensions tell a language, hidden ones left out.
    /// Several models are looked at one after the other, each with its own settings, and have one
    /// summary and one report; the exit code is the worst, in this order: 6, 1, 2, 10, 5, 0
    #[arg(value_name = "FILE", required = true)]
    pub models: Vec<String>,
    #[command(flatten)]
    pub subject: Subject,
    #[command(flatten)]
    pub proving: Proving,
    #[command(flatten)]
    pub program: ProgramArguments,
    #[command(flatten)]
    pub printing: Printing,
    /// Show all variables in counterexamples
    #[arg(long)]
    pub all_vars: bool,
    /// Take more than a second to find counterexamples in which the inputs change as little as possible
    #[arg(long)]
    pub smooth: bool,
    /// For what stays unknown, show the states on which the last induction failed
    #[arg(long)]
    pub inductive_counterexample: bool,
    /// Count the states that are reached, and look for one without successor
    #[arg(long)]
    pub stats: bool,
    /// List the invariants of the proofs
    #[arg(long, short)]
    pub verbose: bool,
    /// Write the proofs as SMT-LIB files into this folder, and those of netlists as circuits, too
    #[arg(long, value_name = "DIR")]
    pub certificate: Option<PathBuf>,
    /// Keep the invariants of the proofs in this file, for --use-proof
    #[arg(long, value_name = "FILE")]
    pub save_proof: Option<PathBuf>,
    /// Write the counterexamples as witnesses in the format of the design, for other tools to replay
    #[arg(long, value_name = "FILE", help_heading = FOR_TOOLS)]
    pub trace: Option<PathBuf>,
    /// Write each counterexample as a test into this folder, which fails in a simulator of the design
    #[arg(long, value_name = "DIR", help_heading = FOR_TOOLS)]
    pub export_test: Option<PathBuf>,
    /// Write the results as JKind writes them
    #[arg(long, value_name = "FILE", help_heading = FOR_TOOLS)]
    pub jkind_xml: Option<PathBuf>,
    #[command(flatten)]
    pub exports: Exports,
}

#[derive(Args)]
pub struct Ivc {
    /// Models, and folders of them; the extension tells the language. `-` is standard input, alone.
    ///
    /// A folder stands for the files below it whose extensions tell a language, hidden ones left out.
    /// Several models are looked at one after the other, each with its own settings, and have one
    /// summary and one report; the exit code is the worst, in this order: 6, 1, 2, 10, 5, 0
    #[arg(value_name = "FILE", required = true)]
    pub models: Vec<String>,
    #[command(flatten)]
    pub subject: Subject,
    #[command(flatten)]
    pub proving: Proving,
    #[command(flatten)]
    pub printing: Printing,
    #[command(flatten)]
    pub cores: Cores,
    /// Of a netlist: gates are elements as well as registers
    #[arg(long)]
    pub gates: bool,
    /// Show all variables in counterexamples
    #[arg(long)]
    pub all_vars: bool,
    /// List every element under every property, and the invariants of the proofs
    #[arg(long, short)]
    pub verbose: bool,
    /// Find cores of all properties together, as if they were one
    #[arg(long)]
    pub joint: bool,
    /// Print the traceability matrix, properties by elements
    #[arg(long)]
    pub matrix: bool,
    /// Write the traceability matrix as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write which lines the proofs need, for viewers of line coverage
    #[arg(long, value_name = "FILE", help_heading = FOR_TOOLS)]
    pub lcov: Option<PathBuf>,
    /// Write the results as JKind writes them
    #[arg(long, value_name = "FILE", help_heading = FOR_TOOLS)]
    pub jkind_xml: Option<PathBuf>,
    #[command(flatten)]
    pub exports: Exports,
}

/// Which cores are looked for.
#[derive(Args)]
pub struct Cores {
    /// Find a minimal core: without any one of its elements the proof fails
    #[arg(long)]
    pub minimal: bool,
    /// Find a minimal core, with each removal proved from scratch, for comparison
    #[arg(long, conflicts_with_all = ["all", "smallest"])]
    pub brute_force: bool,
    /// Find every minimal core; each is printed as soon as it is found
    #[arg(long)]
    pub all: bool,
    /// Stop after so many cores
    #[arg(long, value_name = "N", requires = "all", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: Option<u32>,
    /// Find the elements that every core has
    #[arg(long)]
    pub must: bool,
    /// Find a core of the least size
    #[arg(long, conflicts_with = "all")]
    pub smallest: bool,
    /// Seconds for the engines, each time that they are asked about a removal
    #[arg(long, value_name = "SECS", default_value_t = BUDGET, allow_negative_numbers = true, value_parser = seconds)]
    pub budget: f64,
    /// What counts as one element
    #[arg(long, value_enum, default_value_t = Grain::Source)]
    pub grain: Grain,
    /// Keep all assertions in every core
    #[arg(long)]
    pub keep_assertions: bool,
}

impl Default for Cores {
    /// The core of the proof at hand.
    fn default() -> Cores {
        Cores {
            minimal: false,
            brute_force: false,
            all: false,
            limit: None,
            must: false,
            smallest: false,
            budget: BUDGET,
            grain: Grain::Source,
            keep_assertions: false,
        }
    }
}

/// Seconds for the engines when the command line does not say.
const BUDGET: f64 = 5.0;
/// Seconds for the auditor when the command line does not say.
const AUDIT_TIME: f64 = 5.0;

/// What counts as one element.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Grain {
    /// Each scalar of an equation, in each instance
    Scalar,
    /// An equation, in each instance
    Equation,
    /// An equation of the source, all its instances together
    Source,
}

/// What `mutate` cannot do where nothing is proved or decided.
const NEED_VERDICTS: [&str; 14] = [
    "in_core",
    "run_dir",
    "resume",
    "reuse",
    "min_score",
    "matrix",
    "csv",
    "witness",
    "html",
    "stryker",
    "sarif",
    "junit",
    "vcd",
    "fst",
];

#[derive(Args)]
pub struct Mutate {
    /// Models, and folders of them; the extension tells the language. `-` is standard input, alone.
    ///
    /// A folder stands for the files below it whose extensions tell a language, hidden ones left out.
    /// Several models are looked at one after the other, each with its own settings, and have one
    /// summary and one report; the exit code is the worst, in this order: 6, 1, 2, 10, 5, 0
    #[arg(value_name = "FILE", required = true)]
    pub models: Vec<String>,
    #[command(flatten)]
    pub subject: Subject,
    #[command(flatten)]
    pub proving: Proving,
    #[command(flatten)]
    pub program: ProgramArguments,
    #[command(flatten)]
    pub printing: Printing,
    /// Which mutators: a set (paper, jkind, default, all), names, `+name` and `-name`
    #[arg(
        long,
        value_name = "LIST",
        default_value = "default",
        allow_hyphen_values = true
    )]
    pub mutators: String,
    /// Mutate only elements that are in a core of the proofs
    #[arg(long)]
    pub in_core: bool,
    /// Look only at mutants on these lines
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub line: Vec<u32>,
    /// Look only at the mutants whose ids match: `*` is any text, `?` any character. A mutant that is
    /// named by its whole id is shown in full
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub mutant: Vec<String>,
    /// List the mutants, a line each, without proving or deciding anything
    #[arg(long, conflicts_with_all = NEED_VERDICTS)]
    pub list: bool,
    /// Write this mutant as a unified diff for `patch -p0`, and decide nothing
    #[arg(long, value_name = "ID", conflicts_with_all = NEED_VERDICTS,
          conflicts_with_all = ["list", "json", "mutant", "line", "in_diff", "shard"])]
    pub patch: Option<String>,
    /// Do not compare survivors with the original
    #[arg(long)]
    pub no_equivalence: bool,
    /// Compare survivors in these variables, instead of the outputs of the main node
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub observe: Vec<String>,
    /// Seconds for the engines, each time that they are asked about a mutant
    #[arg(long, value_name = "SECS", default_value_t = BUDGET, allow_negative_numbers = true, value_parser = seconds)]
    pub budget: f64,
    /// Do not look for properties that would close the gaps
    #[arg(long)]
    pub no_suggest: bool,
    /// Show each gap by a run that takes as many branches as it can
    #[arg(long)]
    pub witness: bool,
    /// Check every property on every killed mutant, and say which properties add nothing
    #[arg(long)]
    pub matrix: bool,
    /// Write that matrix as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// List every mutant
    #[arg(long, short)]
    pub verbose: bool,
    /// Show all variables in runs
    #[arg(long)]
    pub all_vars: bool,
    /// Write each decision to this folder as soon as it is made
    #[arg(long, value_name = "DIR")]
    pub run_dir: Option<PathBuf>,
    /// Go on with the run in that folder
    #[arg(long, requires = "run_dir")]
    pub resume: bool,
    /// How much of what the folder says is shown again before it counts
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Recheck::Sample, requires = "resume")]
    pub recheck: Recheck,
    /// Try first what an earlier run found, also on another version of the model: PATH is its folder
    /// or its JSON. Its runs are replayed and its invariants proved again
    #[arg(long, value_name = "PATH")]
    pub reuse: Option<PathBuf>,
    /// Decide only a part of the mutants: the k-th of n; `merge` puts the parts together
    #[arg(long, value_name = "K/N")]
    pub shard: Option<ShardNumber>,
    /// Look only at mutants on lines that this unified diff adds or changes
    #[arg(long, value_name = "FILE")]
    pub in_diff: Option<String>,
    /// Fail when the score is below this share, such as 0.9; of an interval the lower end counts.
    /// Several models have one score together
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    pub min_score: Option<f64>,
    /// Write the mutants for Stryker's viewers and dashboards
    #[arg(long, value_name = "FILE", help_heading = FOR_TOOLS)]
    pub stryker: Option<PathBuf>,
    #[command(flatten)]
    pub exports: Exports,
}

impl Mutate {
    /// Whether mutants are shown, and none is decided.
    pub fn shows_only(&self) -> bool {
        self.list || self.patch.is_some()
    }

    /// Whether a mutant is asked for by its whole id.
    pub fn names(&self, id: &str) -> bool {
        self.mutant.iter().any(|one| one == id)
    }

    /// Whether each mutant that is asked for is, so that each is shown in full.
    pub fn is_about_named(&self) -> bool {
        let is_pattern = |one: &String| one.contains(['*', '?']);
        !self.mutant.is_empty() && !self.mutant.iter().any(is_pattern)
    }
}

/// Where registers are cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CutPlaceArgument {
    /// At their next value: what they begin with stays as it is
    Next,
    /// At their output: all readers see the cut value, from the first step on
    Output,
}

/// How cuts are decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CoverMethod {
    /// All tests, cheap ones first
    Cascade,
    /// Algorithm 1 of Chockler, Kroening and Purandare, by interpolation
    Paper,
}

#[derive(Args)]
pub struct Cover {
    /// Models, and folders of them; the extension tells the language. `-` is standard input, alone.
    ///
    /// A folder stands for the files below it whose extensions tell a language, hidden ones left out.
    /// Several models are looked at one after the other, each with its own settings, and have one
    /// summary and one report; the exit code is the worst, in this order: 6, 1, 2, 10, 5, 0
    #[arg(value_name = "FILE", required = true)]
    pub models: Vec<String>,
    #[command(flatten)]
    pub subject: Subject,
    #[command(flatten)]
    pub proving: Proving,
    #[command(flatten)]
    pub printing: Printing,
    /// Cut gates as well as registers
    #[arg(long)]
    pub gates: bool,
    /// Cut each bit of a word by itself
    #[arg(long)]
    pub bits: bool,
    /// Where registers are cut
    #[arg(long, value_enum, default_value_t = CutPlaceArgument::Next)]
    pub cut: CutPlaceArgument,
    /// How cuts are decided: by all tests, or by Algorithm 1 of the paper as printed, for comparison
    #[arg(long, value_enum, default_value_t = CoverMethod::Cascade)]
    pub method: CoverMethod,
    /// Stop when this share of the cuts is decided, such as 0.9
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, allow_negative_numbers = true, value_parser = share)]
    pub accuracy: f64,
    /// Seconds for the engines, each time that they are asked about a cut
    #[arg(long, value_name = "SECS", default_value_t = BUDGET, allow_negative_numbers = true, value_parser = seconds)]
    pub budget: f64,
    /// Fail when a smaller share of the registers is covered, such as 0.9; of an interval the lower
    /// end counts
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    pub min_coverage: Option<f64>,
    /// List every register
    #[arg(long, short)]
    pub verbose: bool,
    /// Write the runs that show what is covered into the JSON
    #[arg(long)]
    pub traces: bool,
    /// Write each decision to this folder as soon as it is made
    #[arg(long, value_name = "DIR")]
    pub run_dir: Option<PathBuf>,
    /// Go on with the run in that folder
    #[arg(long, requires = "run_dir")]
    pub resume: bool,
    /// Decide only a part of the registers: the k-th of n
    #[arg(long, value_name = "K/N")]
    pub shard: Option<ShardNumber>,
    /// Write which lines the properties cover, for viewers of line coverage
    #[arg(long, value_name = "FILE", help_heading = FOR_TOOLS)]
    pub lcov: Option<PathBuf>,
    #[command(flatten)]
    pub exports: Exports,
}

#[derive(Args)]
pub struct Merge {
    /// The JSON of each `mutate --shard K/N --json`, or of `cover`
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    #[command(flatten)]
    pub printing: Printing,
    /// List every mutant
    #[arg(long, short)]
    pub verbose: bool,
    /// Fail when the score is below this share, such as 0.9; of an interval the lower end counts
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    pub min_score: Option<f64>,
    /// Write the mutants for Stryker's viewers and dashboards
    #[arg(long, value_name = "FILE", help_heading = FOR_TOOLS)]
    pub stryker: Option<PathBuf>,
    #[command(flatten)]
    pub exports: Exports,
}

#[derive(Args)]
pub struct Slice {
    /// The model; its extension tells its language. `-` is standard input
    pub file: String,
    #[command(flatten)]
    pub subject: Subject,
    #[command(flatten)]
    pub proving: Proving,
    /// Leave out only what the properties do not depend on; this needs no proof
    #[arg(long)]
    pub cone: bool,
    /// Find a minimal core: without any one of its elements the proof fails
    #[arg(long)]
    pub minimal: bool,
    /// Seconds for the engines, each time that they are asked about a removal
    #[arg(long, value_name = "SECS", default_value_t = BUDGET, allow_negative_numbers = true, value_parser = seconds)]
    pub budget: f64,
}

/// What a user may accept although it is not what was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Acceptable {
    Unknown,
    Vacuous,
    Gap,
    /// What is proved but has no answer of the auditor
    Unaudited,
}

#[derive(Args)]
pub struct Audit {
    /// The folder of the certificate
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The model that the certificate is about, where that is not the file that it names; of several the one
    /// that was certified
    #[arg(value_name = "MODEL")]
    pub models: Vec<String>,
    /// The solver that answers; by default an embedded one that does not simplify
    #[arg(long, value_name = "NAME",
          value_parser = PossibleValuesParser::new(proofmark_solve::solvers()))]
    pub solver: Option<String>,
    /// The same as MODEL
    #[arg(long, value_name = "FILE")]
    pub model: Option<String>,
    /// The language of the model, whatever the certificate says
    #[arg(long, value_name = "NAME")]
    pub language: Option<String>,
    /// The main node or top module, whatever the certificate says
    #[arg(long, value_name = "NODE", visible_alias = "top")]
    pub main: Option<String>,
    /// A folder with files that the design includes, whatever the certificate says
    #[arg(long, value_name = "DIR")]
    pub include: Vec<String>,
}

fn engine_name(text: &str) -> Result<EngineName, String> {
    let mut known = EngineName::ALL.to_vec();
    known.extend(
        EngineName::ON_BITS
            .iter()
            .filter(|one| !EngineName::ALL.contains(one)),
    );
    let names: Vec<&str> = known.iter().map(|name| name.as_str()).collect();
    let found = known.iter().copied().find(|name| name.as_str() == text);
    found.ok_or_else(|| format!("expected one of {}", names.join(", ")))
}

/// As many as a clock can count, and then some.
const LONGEST: f64 = 1e9;

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=LONGEST).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds, such as 30 or 0.5".into()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a share from 0 to 1, such as 0.9".into()),
    }
}
