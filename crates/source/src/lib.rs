//! The entrance: files, byte spans, line and column, changes of a text, diagnostics as data. Nothing here prints.
//!
//! ```
//! use proofmark_source::{Diagnostic, Edit, Edits, Sources, Span, nearest};
//!
//! let mut sources = Sources::default();
//! let file = sources.add("tank.txt", "level = 3;\nlevl = 4;\n".into())?;
//! let fault = Diagnostic::error(Span::new(file, 11, 15), "`levl` is not declared");
//! assert_eq!(sources.place(fault.span).to_string(), "2:1");
//! assert_eq!(sources.text(fault.span), "levl");
//! // What was meant, and the text with that in its place.
//! let meant = nearest("levl", ["level", "valve"]).ok_or("nothing is near")?;
//! let edits = Edits::new(vec![Edit::new(fault.span, meant)]).ok_or("edits overlap")?;
//! let patch = edits.unified("tank.txt", sources.file(file).text());
//! assert!(patch.ends_with("-levl = 4;\n+level = 4;\n"));
//! # Ok::<(), String>(())
//! ```

mod diagnostic;
mod edit;
mod file;
mod hash;
mod printable;
mod suggest;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use edit::{Edit, Edits};
pub use file::{FileId, Place, SourceFile, Sources, Span};
pub use hash::sha256;
pub use printable::{printable, printable_lines};
pub use suggest::nearest;
