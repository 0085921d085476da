//! One door a language: text becomes a checked [`Model`](proofmark_model::Model).
//!
//! Every front end reads all of a file and says everything that is wrong with it, as data: it
//! returns what it could make and a list of diagnostics, never only the first error. Nothing here
//! solves, prints or opens files. A language is its folder and one row, a [`Language`], which is
//! all that the rest of Proofmark knows of it.

mod language;
pub mod lustre;
pub mod random;

pub use language::{
    Language, Languages, Loaded, OpenRewriter, Options, Outcome, Part, UnknownLanguage,
};

/// Every language that Proofmark reads.
pub const LANGUAGES: Languages = Languages(&[&lustre::LANGUAGE]);
