//! What a run writes for other tools, beside what it prints.

use crate::exit::Exit;
use crate::outputs::{self, Output};
use crate::session::write_file;
use crate::terminal;
use clap::{Args, ValueEnum};
use proofmark_lang::Languages;
use proofmark_report::{Findings, Texts, Tolerance, annotations, fst, junit, sarif, stryker, vcd};
use proofmark_source::sha256;
use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;

/// Stands above these options in the help.
pub const FOR_TOOLS: &str = "For other tools";

/// Files for other tools. It has to come last among the arguments: its heading is for all that follow.
#[derive(Args)]
#[command(next_help_heading = FOR_TOOLS)]
pub struct Exports {
    /// Write invalid properties and gaps as SARIF 2.1.0, for editors and code scanning
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write properties and mutants as JUnit XML, for CI systems
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the counterexamples and the runs of gaps for waveform viewers
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
    /// The same in the compact form of GTKWave
    #[arg(long, value_name = "FILE")]
    pub fst: Option<PathBuf>,
    /// Annotate files on GitHub, with workflow commands on standard error
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto,
          default_missing_value = "always", num_args = 0..=1, require_equals = true)]
    pub github: When,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum When {
    /// When the run is a step of a workflow
    Auto,
    Always,
    Never,
}

impl Exports {
    /// The files that are named.
    pub fn outputs(&self) -> [Output<'_>; 4] {
        [
            ("sarif", self.sarif.as_ref()),
            ("junit", self.junit.as_ref()),
            ("vcd", self.vcd.as_ref()),
            ("fst", self.fst.as_ref()),
        ]
    }

    /// Writes what was asked for, each whatever becomes of the others.
    pub fn write(&self, findings: &Findings, tolerance: &Tolerance) -> Result<(), Exit> {
        let written = [
            outputs::write(self.sarif.as_ref(), || Ok(sarif(findings, tolerance))),
            outputs::write(self.junit.as_ref(), || {
                junit(findings, tolerance).map_err(|error| fail("JUnit", &error))
            }),
            outputs::write(self.vcd.as_ref(), || Ok(vcd(findings))),
            outputs::write(self.fst.as_ref(), || {
                fst(findings).map_err(|error| fail("FST", &error))
            }),
        ];
        if self.annotates() {
            // Errors of standard error are ignored.
            let _ = write!(std::io::stderr(), "{}", annotations(findings));
        }
        outputs::all(written)
    }

    fn annotates(&self) -> bool {
        match self.github {
            When::Auto => std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
            When::Always => true,
            When::Never => false,
        }
    }
}

fn fail(format: &str, error: &dyn Display) -> Exit {
    terminal::error(&format!("cannot write {format}: {error}"));
    Exit::Internal
}

/// Writes Stryker's report, which has the text of the models in it; they are read again.
pub fn write_stryker(
    path: Option<&PathBuf>,
    findings: &Findings,
    languages: Languages,
) -> Result<(), Exit> {
    let Some(path) = path else {
        return Ok(());
    };
    let mut texts = Texts::new();
    for input in &findings.inputs {
        match std::fs::read_to_string(&input.file) {
            Ok(text) if sha256(text.as_bytes()) == input.hash => {
                texts.insert(input.file.clone(), text);
            }
            _ => terminal::warning(&format!(
                "{} has changed since it was mutated, so the report is without its text",
                input.file
            )),
        }
    }
    let named = findings.options.get("language");
    let named = named.and_then(|name| name.as_str());
    let language = |file: &str| match languages.choose(file, named) {
        Ok(language) => language.name,
        Err(_) => "unknown",
    };
    write_file(path, stryker(findings, &texts, &language))
}
