//! What a language is to the rest of Proofmark: one row of plain data.
//!
//! Whoever speaks to people asks the row how the language writes something, and never looks at the
//! text by itself. A new language is a folder with a row, and an entry in
//! [`LANGUAGES`](crate::LANGUAGES).

use crate::program::ProgramReader;
use proofmark_model::graph::{BitTrace, Netlist};
use proofmark_model::{ElementId, Expr, Facts, Model, Rewriter, Trace};
use proofmark_source::{Diagnostic, FileId, Sources, nearest};
use rustc_hash::FxHashSet;
use std::fmt;
use std::path::Path;

/// One language.
pub struct Language {
    /// As `--language` and reports have it.
    pub name: &'static str,
    /// How its files end, without the dot and in lower case.
    pub extensions: &'static [&'static str],
    /// Reads a file and makes a design of it. There is one exactly when no diagnostic is an
    /// error. A language that is text gets it from [`Sources::decode`].
    pub load: fn(&Sources, FileId, &Options) -> LoadResult,
    /// Writes an expression as the author of its place would.
    pub expression: fn(&Expr) -> String,
    /// Writes a property with a name, to be pasted into the file.
    pub property: fn(&str, &Expr) -> String,
    /// Reads a file again to write mutations into it, if the language is text; nothing when the file
    /// has errors.
    pub rewriter: Option<OpenRewriter>,
    /// Why models of the language are not mutated, if they are not.
    pub unmutated: Option<&'static str>,
    /// What two models of the language must have in common to be the same.
    pub observable: Observable,
    /// Merges two models for the published method of comparing them, or says why it cannot; there is none for
    /// most languages.
    pub merge: Option<Merge>,
    /// Writes a part of a model as a file of its own, if the language can.
    pub part: Option<fn(&Part<'_>) -> String>,
    /// Writes a netlist as a file, if the language is one of netlists. The ending of the file, without
    /// the dot and in lower case, tells the format where there are several.
    pub write_netlist: Option<fn(&Netlist, &str) -> Vec<u8>>,
    /// Writes a run of a netlist that ends with a bad signal, by position, as other tools of the language
    /// replay it.
    pub witness: Option<fn(&Netlist, usize, &BitTrace) -> String>,
    /// Writes a run of a model that violates a goal, as other tools of the language replay it.
    pub word_witness: Option<fn(&WordRun<'_>) -> String>,
    /// Writes a run that violates a goal as a test that fails in a simulator of the language, or says why
    /// there is none.
    pub simulator_test: Option<WriteTest>,
    /// The program outside that turns a file into one of another language, for a language that is read
    /// that way: what it wrote is loaded instead.
    pub translator: Option<&'static Translator>,
    /// How programs are read, if the language is one of programs; what `load` does then is to say that only
    /// programs are read.
    pub program: Option<&'static ProgramReader>,
}

/// Two models in one, with formulas that are to show that they are the same.
#[derive(Clone, Debug)]
pub struct Merging {
    /// A model in the language. Its specifications are, for each tuple of values, that it is no initial state
    /// of either and that it is none of both, and then for each that steps to it agree.
    pub text: String,
    /// How many tuples there are.
    pub tuples: usize,
    /// Why the formulas may be false although the models are the same, if that is known.
    pub wrong: Option<String>,
}

/// Merges two files into one.
pub type Merge = fn((&Sources, FileId), (&Sources, FileId)) -> Result<Merging, String>;

/// What is seen of a model from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observable {
    /// All variables: a model is its states and steps.
    States,
    /// What it shows for the inputs that it is given.
    Outputs,
}

/// A run of a model that violates a goal at its last step.
#[derive(Clone, Copy)]
pub struct WordRun<'a> {
    /// The model.
    pub loaded: &'a Loaded,
    /// The goal, by position.
    pub goal: usize,
    /// A value for every variable at every step.
    pub trace: &'a Trace,
    /// How many steps of it there are until the goal is violated.
    pub steps: usize,
}

/// What a test for a simulator is made of.
pub struct SimulatorTest<'a> {
    /// What the test shows.
    pub run: WordRun<'a>,
    /// The name of the design's file.
    pub file: &'a str,
    /// Its text.
    pub text: &'a str,
    /// What the translator made of it.
    pub translated: &'a str,
}

/// Writes a test for a simulator, or says why there is none.
pub type WriteTest = fn(&SimulatorTest<'_>) -> Result<TestFiles, String>;

/// A test for a simulator.
pub struct TestFiles {
    /// Names, without a folder, and texts.
    pub files: Vec<(String, String)>,
    /// What the test cannot do, for the user to know.
    pub warnings: Vec<String>,
}

/// A program outside that turns a file into one of another language, which it writes to its standard
/// output.
pub struct Translator {
    /// Its names on the search path; the first that is there is taken.
    pub programs: &'static [&'static str],
    /// Its arguments, or why it cannot be asked.
    pub arguments: fn(&Translation<'_>) -> Result<Vec<String>, String>,
    /// The name of the language that it writes.
    pub result: &'static str,
    /// Makes a file of that language of what it wrote.
    pub finish: fn(Vec<u8>) -> Vec<u8>,
    /// How to get it.
    pub install: &'static str,
}

/// What is to be translated.
#[derive(Clone, Copy, Debug)]
pub struct Translation<'a> {
    /// The file to be read.
    pub file: &'a str,
    /// What is to be analysed, if not what the program takes by default.
    pub main: Option<&'a str>,
    /// Folders of included files.
    pub includes: &'a [String],
}

/// Reads a file for the mutations that are written into it.
pub type OpenRewriter = fn(&Sources, FileId, &Options) -> Option<Box<dyn Rewriter>>;

/// What a user may ask of a front end; each takes what it knows.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What is to be analysed, if not what the file says or the language takes by default.
    pub main: Option<String>,
    /// Whether what is doubtful but has a meaning is an error.
    pub strict: bool,
    /// Whether products of unknowns and divisions by one are accepted: not every solver has them.
    pub nonlinear: bool,
}

/// What a front end makes of a file, and all that it has to say of it.
pub type LoadResult = (Option<Design>, Vec<Diagnostic>);

/// What a file describes.
#[derive(Clone, Debug)]
pub enum Design {
    /// Equations over variables of all sorts.
    Words(Loaded),
    /// Gates and latches: a million of them fit in where a model has no room for them.
    Netlist(Netlist),
}

impl Design {
    /// The model, if it is one.
    pub fn words(self) -> Option<Loaded> {
        match self {
            Design::Words(loaded) => Some(loaded),
            Design::Netlist(_) => None,
        }
    }
}

/// A model, and what its source knows of it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What is analysed.
    pub model: Model,
    /// What is known of its parts.
    pub facts: Facts,
}

/// A part of a model that is written as a file.
pub struct Part<'a> {
    /// The whole.
    pub model: &'a Model,
    /// What it is called.
    pub name: &'a str,
    /// Equations by position.
    pub equations: &'a FxHashSet<ElementId>,
    /// Goals by position.
    pub goals: &'a [usize],
}

/// The languages that somebody can read.
#[derive(Clone, Copy)]
pub struct Languages(pub &'static [&'static Language]);

impl Languages {
    /// The language of a file: the one of that name if a name is given, otherwise the one whose
    /// files end like this.
    pub fn choose(
        self,
        file: &str,
        name: Option<&str>,
    ) -> Result<&'static Language, UnknownLanguage> {
        match name {
            Some(name) => self.named(name),
            None => self.of_file(file),
        }
    }

    fn named(self, name: &str) -> Result<&'static Language, UnknownLanguage> {
        let known = self.0.iter().copied();
        let found = known.clone().find(|one| one.name == name);
        found.ok_or_else(|| {
            let near = nearest(name, known.map(|one| one.name));
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            self.unknown(format!("there is no language `{name}`{near}"))
        })
    }

    fn of_file(self, file: &str) -> Result<&'static Language, UnknownLanguage> {
        let extension = Path::new(file).extension();
        let extension = extension.map(|end| end.to_string_lossy().to_lowercase());
        let extension = extension.unwrap_or_default();
        let known = self.0.iter().copied();
        let found = known
            .clone()
            .find(|one| one.extensions.contains(&extension.as_str()));
        found.ok_or_else(|| {
            let endings = known.flat_map(|one| one.extensions.iter().copied());
            let near = nearest(&extension, endings);
            let near = near.map_or(String::new(), |near| format!("; did you mean `.{near}`?"));
            let what = match file {
                "-" => "standard input has no extension that tells its language.".to_string(),
                _ => format!(
                    "the extension of {file} tells no language{}",
                    if near.is_empty() { "." } else { &near }
                ),
            };
            self.unknown(format!("{what} Name one with --language"))
        })
    }

    fn unknown(self, what: String) -> UnknownLanguage {
        let known = self.0.iter().map(|one| {
            let endings: Vec<String> = one.extensions.iter().map(|end| format!(".{end}")).collect();
            format!("{} ({})", one.name, endings.join(", "))
        });
        let known: Vec<String> = known.collect();
        let between = if what.ends_with('?') {
            " Known"
        } else {
            "; known"
        };
        UnknownLanguage(format!("{what}{between}: {}", known.join(", ")))
    }
}

/// Why there is no language for a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownLanguage(String);

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnknownLanguage {}

#[cfg(test)]
mod tests {
    use crate::LANGUAGES;

    #[test]
    fn a_language_is_found_by_extension_or_by_name() {
        for (file, name) in [("a/m.lus", None), ("M.LUS", None), ("-", Some("lustre"))] {
            let found = LANGUAGES.choose(file, name);
            assert_eq!(found.map(|one| one.name), Ok("lustre"), "{file}");
        }
        let message = |file, name| match LANGUAGES.choose(file, name) {
            Ok(found) => panic!("{file} is {}", found.name),
            Err(error) => error.to_string(),
        };
        let wrong = message("m.lus", Some("lustr"));
        assert!(wrong.contains("did you mean `lustre`?"), "{wrong}");
        assert!(wrong.contains("? Known: lustre (.lus"), "{wrong}");
        let wrong = message("m.lsu", None);
        assert!(wrong.contains("did you mean `.lus`?"), "{wrong}");
        let wrong = message("-", None);
        assert!(wrong.contains("--language"), "{wrong}");
    }
}
