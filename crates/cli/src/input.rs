//! Reads input files whole, and says clearly why one cannot be read.

use crate::exit::Exit;
use crate::terminal;
use proofmark_source::{Diagnostic, FileId, Sources, Span};
use std::fs::File;
use std::io::{self, Read};

/// Places in files are 32 bits wide.
const LIMIT: u64 = u32::MAX as u64;

/// How much is read at once: a process does not end before the system has done what it was asked.
const AT_ONCE: u64 = 1 << 20;

/// Takes a file into the sources. What is wrong has been printed.
pub fn read(name: &str, sources: &mut Sources) -> Result<FileId, Exit> {
    let bytes = match read_bytes(name) {
        Ok(bytes) => bytes,
        Err(error) => {
            let hint = match error.kind() {
                io::ErrorKind::NotFound => "; is the name right?",
                io::ErrorKind::IsADirectory => "; name a file in it",
                _ => "",
            };
            terminal::error(&format!("cannot read {name}: {error}{hint}"));
            return Err(Exit::Input);
        }
    };
    if bytes.len() as u64 >= LIMIT {
        terminal::error(&format!(
            "expected a file of less than 4 GiB, found more in {name}; split it"
        ));
        return Err(Exit::Input);
    }
    let (text, fault) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            // What comes before the fault keeps its place when the rest is replaced.
            let at = error.utf8_error().valid_up_to() as u32;
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            (text, Some(at))
        }
    };
    let Ok(file) = sources.add(name, text) else {
        terminal::error(&format!("{name} has 4 GiB or more; split it"));
        return Err(Exit::Input);
    };
    if let Some(at) = fault {
        let span = Span::new(file, at, at + char::REPLACEMENT_CHARACTER.len_utf8() as u32);
        let message = "expected text in UTF-8, found a byte that is none";
        let fault = Diagnostic::error(span, message)
            .with_hint("is this a text file? If so, convert it to UTF-8");
        terminal::diagnostic(&fault, sources);
        return Err(Exit::Input);
    }
    Ok(file)
}

/// The bytes of a file, at most one more than the limit: that one tells that there are too many.
fn read_bytes(name: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(name)?;
    let length = file.metadata()?.len().min(LIMIT) as usize;
    // A failed reservation must not abort; reading will fail with a reason.
    bytes
        .try_reserve_exact(length)
        .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    let mut file = file.take(LIMIT);
    while file.by_ref().take(AT_ONCE).read_to_end(&mut bytes)? > 0 {}
    Ok(bytes)
}
