//! Findings as JSON.

use crate::findings::Findings;
use std::io::{self, Write};

/// Writes one document, with a newline at its end: campaigns have large ones, and the reader need not
/// wait for the last mutant.
pub fn write_json(findings: &Findings, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, findings)?;
    out.write_all(b"\n")
}
