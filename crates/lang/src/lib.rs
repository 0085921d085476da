//! One door a language: text becomes a checked [`Model`](proofmark_model::Model).
//!
//! Every front end reads all of a file and says everything that is wrong with it, as data: it
//! returns what it could make and a list of diagnostics, never only the first error. Nothing here
//! solves, prints or opens files.

pub mod lustre;
pub mod random;
