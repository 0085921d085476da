//! AIGER 1.9 (Biere, Heljanko and Wieringa, "AIGER 1.9 and Beyond", 2011), text and binary.
//!
//! A file becomes a [`Netlist`] with its gates as they stand: nothing is simplified, so that whoever counts
//! gates counts the author's. Latches have resets (0, 1 or any value), constraints are assumed at every
//! step, and what is bad is never to be true. In a file of the older format, which has no bad signals, the
//! outputs are bad. Justice needs liveness, which is not checked yet: such a file is refused.
//!
//! The reader is our own: it puts gates into the graph as it meets them, knows the byte of every fault, and
//! reserves nothing because of what a header claims.
//!
//! ```
//! use proofmark_lang::{Design, LANGUAGES, Options};
//! use proofmark_source::Sources;
//!
//! // A latch that turns over at every step is bad when it is true.
//! let mut sources = Sources::default();
//! let file = sources.add("toggle.aag", "aag 1 0 1 1 0\n2 3\n2\n".into()).unwrap();
//! let language = LANGUAGES.choose("toggle.aag", None)?;
//! let (design, _) = (language.load)(&sources, file, &Options::default());
//! let Some(Design::Netlist(netlist)) = design else { panic!("it is a netlist") };
//! assert_eq!((netlist.latches.len(), netlist.bads.len()), (1, 1));
//! # Ok::<(), proofmark_lang::UnknownLanguage>(())
//! ```

mod build;
mod cursor;
mod gates;
mod sections;
mod symbols;
mod witness;
mod write;

pub use write::{write_binary, write_text};

use crate::language::{Design, Language, LoadResult, Observable, Options};
use cursor::{Cursor, Fault};
use proofmark_model::graph::Netlist;
use proofmark_source::{Diagnostic, FileId, Severity, Sources, Span};
use sections::{Format, Header};

/// AIGER; the first word of a file tells whether it is text or binary.
pub static LANGUAGE: Language = Language {
    name: "aiger",
    extensions: &["aag", "aig"],
    load,
    expression: |tree| format!("{tree:?}"),
    property: |name, _| format!("bad {name}"),
    rewriter: None,
    unmutated: None,
    observable: Observable::Outputs,
    merge: None,
    part: None,
    write_netlist: Some(write::file),
    witness: Some(witness::witness),
    word_witness: None,
    simulator_test: None,
    translator: None,
    program: None,
};

fn load(sources: &Sources, file: FileId, _: &Options) -> LoadResult {
    let (netlist, diagnostics) = read(sources, file);
    (netlist.map(Design::Netlist), diagnostics)
}

/// Reads a file. There is a netlist exactly when no diagnostic is an error.
pub fn read(sources: &Sources, file: FileId) -> (Option<Netlist>, Vec<Diagnostic>) {
    let places = Places::new(sources, file);
    let mut warnings = Vec::new();
    match netlist(sources, &places, &mut warnings) {
        Ok(netlist) => {
            let warnings = warnings.iter();
            let told = warnings.map(|fault| places.diagnostic(fault, Severity::Warning));
            (Some(netlist), told.collect())
        }
        Err(faults) => {
            let faults = faults.iter();
            let told = faults.map(|fault| places.diagnostic(fault, Severity::Error));
            (None, told.collect())
        }
    }
}

fn netlist(
    sources: &Sources,
    places: &Places,
    warnings: &mut Vec<Fault>,
) -> Result<Netlist, Vec<Fault>> {
    let mut cursor = Cursor::new(sources.file(places.file).content());
    let header = Header::read(&mut cursor)?;
    header.refuse_justice()?;
    warnings.extend(header.fairness_warning());
    let sections = header.sections(&mut cursor)?;
    let mut netlist = match header.format {
        Format::Text => {
            let gates = gates::read_text(&mut cursor, &header)?;
            build::from_text(&header, &sections, &gates, places)?
        }
        Format::Binary => {
            let mut netlist = build::before_gates(&header, &sections);
            gates::read_binary(&mut cursor, &header, &mut netlist.graph)?;
            build::connect_binary(&header, &sections, &mut netlist)?;
            netlist
        }
    };
    let symbols = symbols::read(&mut cursor, &header)?;
    build::name_all(&header, &sections, &symbols, places, &mut netlist);
    Ok(netlist)
}

/// From bytes to spans. Only what is text has a place that people can be shown; for the rest the message
/// names the byte.
struct Places {
    file: FileId,
    /// The text ends here at the latest: at the first byte that is none, or where gates are binary.
    end_of_text: usize,
    /// The end of the first line.
    header: usize,
}

impl Places {
    fn new(sources: &Sources, file: FileId) -> Places {
        let bytes = sources.file(file).content();
        let text = match sources.decode(file) {
            Ok(text) => text.len(),
            Err(fault) => fault.span.start as usize,
        };
        let header = bytes.iter().position(|byte| *byte == b'\n');
        let header = header.unwrap_or(bytes.len()).min(text);
        let binary = bytes.starts_with(b"aig");
        Places {
            file,
            end_of_text: if binary { header } else { text },
            header,
        }
    }

    /// The place of some bytes, if they are text.
    fn span(&self, from: usize, to: usize) -> Option<Span> {
        let fits = from <= self.end_of_text && to <= self.end_of_text;
        fits.then(|| Span::new(self.file, from as u32, to as u32))
    }

    fn diagnostic(&self, fault: &Fault, severity: Severity) -> Diagnostic {
        let make = match severity {
            Severity::Error => Diagnostic::error,
            Severity::Warning => Diagnostic::warning,
        };
        let diagnostic = match self.span(fault.from, fault.to) {
            Some(span) => make(span, fault.message.clone()),
            None => {
                let first = Span::new(self.file, 0, self.header as u32);
                make(first, format!("byte {}: {}", fault.from, fault.message))
            }
        };
        diagnostic.with_hint(fault.hint.clone())
    }
}
