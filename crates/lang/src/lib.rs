//! One door a language: text becomes a checked [`Model`](proofmark_model::Model), or a
//! [`Netlist`](proofmark_model::graph::Netlist).
//!
//! Every front end reads all of a file and says everything that is wrong with it, as data: it
//! returns what it could make and a list of diagnostics, never only the first error. Nothing here
//! solves, prints or opens files. A language is its folder and one row, a [`Language`], which is
//! all that the rest of Proofmark knows of it.
//!
//! ```
//! use proofmark_lang::{Design, LANGUAGES, Options};
//! use proofmark_source::Sources;
//!
//! let mut sources = Sources::default();
//! let text = "node up() returns (n: int); let n = 0 -> pre n + 1; check n >= 0; tel;";
//! let file = sources.add("up.lus", text.into()).unwrap();
//! let language = LANGUAGES.choose("up.lus", None)?;
//! let (loaded, diagnostics) = (language.load)(&sources, file, &Options::default());
//! assert!(diagnostics.is_empty());
//! let loaded = loaded.and_then(Design::words).expect("there is a model when there is no error");
//! assert_eq!(loaded.facts.main, "up");
//! assert_eq!((language.expression)(&loaded.model.equations[0].tree), "0 -> pre n + 1");
//! # Ok::<(), proofmark_lang::UnknownLanguage>(())
//! ```

pub mod aiger;
pub mod btor2;
pub mod c;
mod language;
pub mod lustre;
mod program;
pub mod random;
pub mod smv;
pub mod verilog;

pub use language::{
    Design, Language, Languages, LoadResult, Loaded, Merge, Merging, Observable, OpenRewriter,
    Options, Part, SimulatorTest, TestFiles, Translation, Translator, UnknownLanguage, WordRun,
    WriteTest,
};

pub use program::{
    LoadedProgram, LoadedProgramResult, MutantForm, ProgramMutant, ProgramReader, ProgramRequest,
};

/// Every language that Proofmark reads.
pub const LANGUAGES: Languages = Languages(&[
    &lustre::LANGUAGE,
    &aiger::LANGUAGE,
    &btor2::LANGUAGE,
    &verilog::LANGUAGE,
    &smv::LANGUAGE,
    &c::LANGUAGE,
]);
