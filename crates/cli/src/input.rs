//! Reads input files whole, and says clearly why one cannot be read.

use crate::exit::Exit;
use crate::terminal;
use proofmark_source::{FileId, Sources};
use std::fs::File;
use std::io::{self, Read};

/// Places in files are 32 bits wide.
const LIMIT: u64 = u32::MAX as u64;

/// What is no file, such as a pipe or a device, tells no length and may have no end. A text of this length takes
/// longer to be understood than anybody waits.
const LIMIT_OF_STREAMS: u64 = 1 << 30;

/// How much is read at once: a process does not end before the system has done what it was asked.
const AT_ONCE: u64 = 1 << 20;

/// The name of standard input.
pub const STANDARD_INPUT: &str = "-";

/// Takes a text into the sources. What is wrong has been printed.
pub fn read_text(name: &str, sources: &mut Sources) -> Result<FileId, Exit> {
    let file = read(name, sources)?;
    match sources.decode(file) {
        Ok(_) => Ok(file),
        Err(fault) => {
            terminal::diagnostic(&fault, sources);
            Err(Exit::Input)
        }
    }
}

/// Takes a file into the sources, text or not. What is wrong has been printed.
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
    if bytes.len() as u64 >= LIMIT_OF_STREAMS && !is_file(name) {
        terminal::error(&format!(
            "{name} is no file and had no end after 1 GiB; write it to a file if it has one"
        ));
        return Err(Exit::Input);
    }
    if bytes.len() as u64 >= LIMIT {
        terminal::error(&format!(
            "expected a file of less than 4 GiB, found more in {name}; split it"
        ));
        return Err(Exit::Input);
    }
    sources.add_bytes(name, bytes).map_err(|_| {
        terminal::error(&format!("{name} has 4 GiB or more; split it"));
        Exit::Input
    })
}

/// Whether the length of an input is known beforehand.
fn is_file(name: &str) -> bool {
    name != STANDARD_INPUT && std::fs::metadata(name).is_ok_and(|found| found.is_file())
}

/// The bytes of a file, at most one more than the limit: that one tells that there are too many.
fn read_bytes(name: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if name == STANDARD_INPUT {
        let stream = io::stdin().lock();
        stream.take(LIMIT_OF_STREAMS).read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    let file = File::open(name)?;
    let length = file.metadata()?.len().min(LIMIT) as usize;
    // A failed reservation must not abort; reading will fail with a reason.
    bytes
        .try_reserve_exact(length)
        .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    let limit = if is_file(name) {
        LIMIT
    } else {
        LIMIT_OF_STREAMS
    };
    let mut file = file.take(limit);
    while file.by_ref().take(AT_ONCE).read_to_end(&mut bytes)? > 0 {}
    Ok(bytes)
}
