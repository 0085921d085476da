//! The entrance: files, byte spans, line and column, changes of a text, diagnostics as data. Nothing here prints.

mod diagnostic;
mod edit;
mod file;
mod hash;
mod suggest;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use edit::{Edit, Edits};
pub use file::{FileId, Place, SourceFile, Sources, Span};
pub use hash::sha256;
pub use suggest::nearest;
