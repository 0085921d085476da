//! Languages of programs: several files with included ones, definitions on the command line, mutants as edits.
//!
//! A language of programs has a [`ProgramReader`] in its row. It makes one [`Program`] of all files and, when it is
//! asked to, writes every mutant into it; what cannot be a variant of a place (another size of an array, say) is a
//! program of its own.

use proofmark_model::program::{MutantId, Program};
use proofmark_source::{Diagnostic, Edits, FileId, Sources, Span};

/// How programs of a language are read.
pub struct ProgramReader {
    /// Reads the files of a request and makes a program of them. There is one exactly when no diagnostic is an
    /// error. Included files are added to the sources.
    pub load: fn(&mut Sources, &ProgramRequest<'_>) -> LoadedProgramResult,
    /// The sets of mutators, by name with one line for each; the first is taken by default.
    pub mutators: &'static [(&'static str, &'static str)],
}

/// What a program is made of.
#[derive(Clone, Copy)]
pub struct ProgramRequest<'a> {
    /// The program: what is mutated.
    pub files: &'a [FileId],
    /// What is part of it and never mutated.
    pub harness: &'a [FileId],
    /// Definitions, `NAME` or `NAME=TEXT`.
    pub definitions: &'a [String],
    /// Folders of included files, in the order of the search.
    pub includes: &'a [String],
    /// Where runs begin.
    pub entry: &'a str,
    /// The set of mutators by name; no mutants without.
    pub mutators: Option<&'a str>,
    /// Reads a file by its path, if it is there.
    pub read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

/// What a front end makes of a program, and all that it has to say of it.
pub type LoadedProgramResult = (Option<LoadedProgram>, Vec<Diagnostic>);

/// A program and its mutants.
#[derive(Clone, Debug)]
pub struct LoadedProgram {
    /// The original with all variants.
    pub program: Program,
    /// The mutants, in the order of the source.
    pub mutants: Vec<ProgramMutant>,
}

/// A mutant of a program.
#[derive(Clone, Debug)]
pub struct ProgramMutant {
    /// The name of the mutator, such as `rep_op`.
    pub mutator: &'static str,
    /// How the text changes.
    pub edits: Edits,
    /// What changes.
    pub place: Span,
    /// The name of the function that it is in; empty outside of functions.
    pub function: String,
    /// The text that is replaced.
    pub original: String,
    /// What stands in its place.
    pub replacement: String,
    /// What becomes of the program.
    pub form: MutantForm,
}

/// What a mutant is to the program.
#[derive(Clone, Debug)]
pub enum MutantForm {
    /// Variants in the common program.
    Variant(MutantId),
    /// A program of its own.
    Alone(Box<Program>),
    /// The same program as the original, by its text alone.
    Same,
    /// No program: the language refuses it, for this reason.
    Invalid(String),
}
