//! The entrance: files, byte spans, line and column, diagnostics as data. Nothing here prints.

mod diagnostic;
mod file;
mod hash;
mod suggest;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use file::{FileId, Place, SourceFile, Sources, Span};
pub use hash::sha256;
pub use suggest::nearest;
