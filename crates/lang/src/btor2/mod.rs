//! BTOR2 (Niemetz, Preiner, Wolf and Biere, "Btor2, BtorMC and Boolector 3.0", 2018): transition systems of
//! bit-vectors and arrays, a line a node.
//!
//! A file becomes a [`Model`](proofmark_model::Model). A state is a variable and one equation, its initial value before its next
//! one; an input is an input; a constraint is an assertion; a bad signal is a property, negated. A
//! bit-vector of one bit is a Boolean. Arrays of up to [`MOST_WORDS`] words are a variable a word, larger
//! ones are refused by name, and so are justice and fairness: liveness is not checked yet.
//!
//! Yosys writes where a node comes from in the design: `; fifo.v:12.3-12.20`. When that file is among the
//! sources, the node's origin is the place there, and otherwise the line of this file.
//!
//! ```
//! use proofmark_lang::{Design, LANGUAGES, Options};
//! use proofmark_source::Sources;
//!
//! let text = "1 sort bitvec 4\n2 zero 1\n3 one 1\n4 state 1 count\n5 init 1 4 2\n6 add 1 4 3\n\
//!     7 next 1 4 6\n8 sort bitvec 1\n9 ones 1\n10 eq 8 4 9\n11 bad 10 full\n";
//! let mut sources = Sources::default();
//! let file = sources.add("count.btor2", text.into()).unwrap();
//! let language = LANGUAGES.choose("count.btor2", None)?;
//! let (design, _) = (language.load)(&sources, file, &Options::default());
//! let model = design.and_then(Design::words).unwrap().model;
//! assert_eq!(model.goals[0].name, "full");
//! assert_eq!((language.expression)(&model.goals[0].tree), "(not (eq count #b1111))");
//! # Ok::<(), proofmark_lang::UnknownLanguage>(())
//! ```

mod arrays;
mod build;
mod lines;
mod operators;
mod places;
mod print;
mod witness;
mod write;

use crate::language::{Design, Language, LoadResult, Loaded, Observable, Options};
use build::Builder;
pub(crate) use print::expression;
use proofmark_model::Expr;
use proofmark_source::{Diagnostic, FileId, Severity, Sources};
pub(crate) use witness::{bits, width};

/// The most words that an array may have.
pub const MOST_WORDS: u32 = 256;

/// BTOR2.
pub static LANGUAGE: Language = Language {
    name: "btor2",
    extensions: &["btor2", "btor"],
    load,
    expression,
    property,
    rewriter: None,
    unmutated: None,
    observable: Observable::Outputs,
    merge: None,
    part: None,
    write_netlist: Some(write::file),
    witness: None,
    word_witness: Some(witness::witness),
    simulator_test: None,
    translator: None,
    program: None,
};

pub(crate) fn property(name: &str, tree: &Expr) -> String {
    format!("; never bad, {name}: {}", expression(tree))
}

fn load(sources: &Sources, file: FileId, _: &Options) -> LoadResult {
    let (loaded, diagnostics) = read(sources, file);
    (loaded.map(Design::Words), diagnostics)
}

/// Reads a file. There is a model exactly when no diagnostic is an error.
pub fn read(sources: &Sources, file: FileId) -> (Option<Loaded>, Vec<Diagnostic>) {
    let text = match sources.decode(file) {
        Ok(text) => text,
        Err(fault) => return (None, vec![fault]),
    };
    let translated = places::is_translated(sources, text);
    let mut builder = Builder::new(sources, file, translated);
    for line in lines::lines(file, text) {
        builder.line(&line);
    }
    let (loaded, diagnostics) = builder.finish();
    let wrong = diagnostics
        .iter()
        .any(|one| one.severity == Severity::Error);
    (loaded.filter(|_| !wrong), diagnostics)
}
