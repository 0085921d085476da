//! Source files and places in them.
//!
//! A [`Span`] is a range of bytes in one file and nothing else; it becomes line and column only
//! when somebody looks. Lines and columns are 1-based and count characters, not bytes.

use crate::diagnostic::Diagnostic;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A file among the [`Sources`] of one run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(u32);

/// A range of bytes `start .. end` in a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    /// The file that the bytes are in.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to `end`, which is not included.
    pub fn new(file: FileId, start: u32, end: u32) -> Span {
        debug_assert!(start <= end);
        Span { file, start, end }
    }

    /// The smallest span that holds both, which lie in one file.
    pub fn to(self, other: Span) -> Span {
        debug_assert_eq!(self.file, other.file);
        Span::new(
            self.file,
            self.start.min(other.start),
            self.end.max(other.end),
        )
    }
}

/// A 1-based line and column, in characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place {
    /// From 1 on.
    pub line: u32,
    /// In characters, from 1 on.
    pub column: u32,
}

impl Place {
    /// The first character of a file.
    pub const BEGINNING: Place = Place { line: 1, column: 1 };

    /// The place after a text that begins here.
    pub fn after(self, text: &[u8]) -> Place {
        let newlines = text.iter().filter(|byte| **byte == b'\n').count();
        let last = text.iter().rposition(|byte| *byte == b'\n');
        let (column, line_part) = match last {
            Some(newline) => (1, &text[newline + 1..]),
            None => (self.column, text),
        };
        // Continuation bytes of UTF-8 are no characters of their own.
        let characters = line_part.iter().filter(|byte| **byte & 0xC0 != 0x80);
        Place {
            line: self.line + newlines as u32,
            column: column + characters.count() as u32,
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// What a file holds.
#[derive(Debug)]
enum Contents {
    Text(String),
    /// Bytes that are not UTF-8, and a text that shows them, made when somebody wants to see it.
    Binary {
        bytes: Vec<u8>,
        shown: OnceLock<String>,
    },
}

impl Contents {
    fn of(bytes: Vec<u8>) -> Contents {
        match String::from_utf8(bytes) {
            Ok(text) => Contents::Text(text),
            Err(error) => Contents::Binary {
                bytes: error.into_bytes(),
                shown: OnceLock::new(),
            },
        }
    }
}

/// One file: its name and what it holds, text or bytes.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    contents: Contents,
    /// Where each line starts; found when a place is first asked for.
    lines: OnceLock<Vec<u32>>,
}

impl SourceFile {
    fn new(name: String, contents: Contents) -> Arc<SourceFile> {
        Arc::new(SourceFile {
            name,
            contents,
            lines: OnceLock::new(),
        })
    }

    /// The name, as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes of the file, whether they are text or not: all of them, as a hash is of all of them.
    pub fn bytes(&self) -> &[u8] {
        match &self.contents {
            Contents::Text(text) => text.as_bytes(),
            Contents::Binary { bytes, .. } => bytes,
        }
    }

    /// What the bytes say: without the mark of byte order that some editors put before a text. Places are counted
    /// from here.
    pub fn content(&self) -> &[u8] {
        match &self.contents {
            Contents::Text(_) => self.text().as_bytes(),
            Contents::Binary { bytes, .. } => bytes,
        }
    }

    /// The text, without a mark of byte order. A file that is not UTF-8 is shown as far as it is text; no span points into the
    /// rest. [`Sources::decode`] is for those who want text and nothing else.
    pub fn text(&self) -> &str {
        match &self.contents {
            Contents::Text(text) => text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text),
            Contents::Binary { bytes, shown } => {
                shown.get_or_init(|| String::from_utf8_lossy(bytes).into_owned())
            }
        }
    }

    /// The first byte that is no text, if there is one.
    fn fault(&self) -> Option<u32> {
        match &self.contents {
            Contents::Text(_) => None,
            Contents::Binary { bytes, .. } => {
                let error = std::str::from_utf8(bytes).err()?;
                Some(error.valid_up_to() as u32)
            }
        }
    }

    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let after_newlines = self
                .text()
                .bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0)
                .chain(after_newlines.map(|(at, _)| at as u32 + 1))
                .collect()
        })
    }

    /// Line and column of a byte; one past the end is a place too.
    pub fn place(&self, byte: u32) -> Place {
        let lines = self.lines();
        let line = lines.partition_point(|start| *start <= byte) - 1;
        let before = self
            .text()
            .as_bytes()
            .get(lines[line] as usize..byte as usize)
            .unwrap_or(&[]);
        let start = Place {
            line: line as u32 + 1,
            column: 1,
        };
        start.after(before)
    }

    /// The byte at a 1-based line and column, if the text has it; one past the end of a line is a place
    /// too.
    pub fn byte(&self, line: u32, column: u32) -> Option<u32> {
        let start = *self.lines().get((line as usize).checked_sub(1)?)?;
        let before = (column as usize).checked_sub(1)?;
        let text = self.line(line);
        let mut places = text.char_indices().map(|(at, _)| at);
        let ends = [text.len()].into_iter();
        let at = places.by_ref().chain(ends).nth(before)?;
        Some(start + at as u32)
    }

    /// The text of a 1-based line, without its end.
    pub fn line(&self, line: u32) -> &str {
        let (lines, text) = (self.lines(), self.text());
        let start = lines
            .get(line as usize - 1)
            .map_or(text.len(), |start| *start as usize);
        let end = lines
            .get(line as usize)
            .map_or(text.len(), |next| *next as usize);
        text[start..end].trim_end_matches(['\n', '\r'])
    }
}

/// The files of one run.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Arc<SourceFile>>,
}

impl Sources {
    /// Takes a text in. Spans are 32 bits wide, so a text of 4 GiB or more is given back.
    pub fn add(&mut self, name: impl Into<String>, text: String) -> Result<FileId, String> {
        match u32::try_from(text.len()) {
            Ok(_) => Ok(self.push(name.into(), Contents::Text(text))),
            Err(_) => Err(text),
        }
    }

    /// Takes a file in, whatever it holds; 4 GiB or more are given back.
    pub fn add_bytes(
        &mut self,
        name: impl Into<String>,
        bytes: Vec<u8>,
    ) -> Result<FileId, Vec<u8>> {
        match u32::try_from(bytes.len()) {
            Ok(_) => Ok(self.push(name.into(), Contents::of(bytes))),
            Err(_) => Err(bytes),
        }
    }

    fn push(&mut self, name: String, contents: Contents) -> FileId {
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile::new(name, contents));
        id
    }

    /// Gives a file its text when it is known only later, as that of a pipe is.
    pub fn replace(&mut self, id: FileId, text: String) -> Result<(), String> {
        if u32::try_from(text.len()).is_err() {
            return Err(text);
        }
        let file = &mut self.files[id.0 as usize];
        *file = SourceFile::new(file.name.clone(), Contents::Text(text));
        Ok(())
    }

    /// The text of a file, for a format that is text; otherwise what is wrong with it.
    pub fn decode(&self, id: FileId) -> Result<&str, Diagnostic> {
        let file = self.file(id);
        let Some(at) = file.fault() else {
            return Ok(file.text());
        };
        // What comes before the fault keeps its place when the rest is replaced.
        let span = Span::new(id, at, at + char::REPLACEMENT_CHARACTER.len_utf8() as u32);
        let message = "expected text in UTF-8, found a byte that cannot stand there";
        Err(Diagnostic::error(span, message)
            .with_hint("is this a text file? If so, convert it to UTF-8"))
    }

    /// The file of a name, if it is here: the whole name, or how a program calls it that was run in the
    /// file's folder, as long as there is one such file.
    pub fn find(&self, name: &str) -> Option<FileId> {
        let whole = self.files.iter().position(|file| file.name == name);
        let position = whole.or_else(|| {
            let ends = |file: &SourceFile| Path::new(&file.name).ends_with(name);
            let mut ending = (0..self.files.len()).filter(|at| ends(&self.files[*at]));
            ending.next().filter(|_| ending.next().is_none())
        })?;
        Some(FileId(position as u32))
    }

    /// One of the files.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// Line and column of a span's first byte.
    pub fn place(&self, span: Span) -> Place {
        self.file(span.file).place(span.start)
    }

    /// The text that a span covers.
    pub fn text(&self, span: Span) -> &str {
        &self.file(span.file).text()[span.start as usize..span.end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_by_the_name_it_has_in_its_folder() {
        let mut sources = Sources::default();
        let first = sources.add("a/x.v", String::new()).unwrap();
        let second = sources.add("b/y.v", String::new()).unwrap();
        assert_eq!(sources.find("b/y.v"), Some(second));
        assert_eq!(sources.find("x.v"), Some(first));
        assert_eq!(sources.find(".v"), None);
        sources.add("b/x.v", String::new()).unwrap();
        assert_eq!(sources.find("x.v"), None);
        assert_eq!(sources.find("a/x.v"), Some(first));
    }

    #[test]
    fn places_count_characters_from_one() {
        let mut sources = Sources::default();
        let id = sources.add("a.lus", "αβ = 1;\r\nx\n".into()).unwrap();
        let place = |start| sources.place(Span::new(id, start, start)).to_string();
        assert_eq!(place(0), "1:1");
        assert_eq!(place(2), "1:2");
        assert_eq!(place(5), "1:4");
        assert_eq!(place(11), "2:1");
        assert_eq!(place(13), "3:1");
        assert_eq!(sources.file(id).line(1), "αβ = 1;");
        assert_eq!(sources.file(id).line(2), "x");
        assert_eq!(sources.file(id).line(3), "");
        assert_eq!(sources.text(Span::new(id, 0, 4)), "αβ");
        let byte = |line, column| sources.file(id).byte(line, column);
        assert_eq!(
            (byte(1, 1), byte(1, 2), byte(2, 2)),
            (Some(0), Some(2), Some(12))
        );
        assert_eq!((byte(2, 3), byte(0, 1), byte(9, 1)), (None, None, None));
        assert_eq!(sources.find("a.lus"), Some(id));
        assert_eq!(sources.find("b.lus"), None);
        sources.replace(id, "\nx".into()).unwrap();
        assert_eq!(sources.place(Span::new(id, 1, 2)).to_string(), "2:1");
    }

    #[test]
    fn a_file_that_is_no_text_keeps_its_bytes_and_tells_where_it_stops_to_be_text() {
        let mut sources = Sources::default();
        let bytes = b"a\nb\xff\xfe".to_vec();
        let binary = sources.add_bytes("b.aig", bytes.clone()).unwrap();
        assert_eq!(sources.file(binary).bytes(), bytes);
        let fault = sources.decode(binary).unwrap_err();
        assert_eq!(sources.place(fault.span).to_string(), "2:2");
        let text = sources.add_bytes("a.aag", b"aag 0".to_vec()).unwrap();
        assert_eq!(sources.decode(text), Ok("aag 0"));
        assert_eq!(sources.file(text).bytes(), b"aag 0");
        let marked = sources.add("marked", "\u{feff}node\n".into()).unwrap();
        let marked = sources.file(marked);
        assert_eq!(
            (marked.text(), marked.content()),
            ("node\n", &b"node\n"[..])
        );
        assert_eq!(marked.bytes(), "\u{feff}node\n".as_bytes());
        assert_eq!(marked.place(0).to_string(), "1:1");
    }

    #[test]
    fn places_add_up_over_the_parts_of_a_text() {
        let text = "αβ\n = 1;\r\nx\n".as_bytes();
        for cut in 0..=text.len() {
            let (head, tail) = text.split_at(cut);
            let place = Place::BEGINNING.after(head).after(tail);
            assert_eq!(place, Place { line: 4, column: 1 }, "{cut}");
            let place = Place::BEGINNING
                .after(&head[..cut.min(9)])
                .after(&text[cut.min(9)..9]);
            assert_eq!(place, Place { line: 2, column: 5 }, "{cut}");
        }
    }
}
