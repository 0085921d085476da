//! Source files and places in them.
//!
//! A [`Span`] is a range of bytes in one file and nothing else; it becomes line and column only
//! when somebody looks. Lines and columns are 1-based and count characters, not bytes.

use std::sync::{Arc, OnceLock};

/// A file among the [`Sources`] of one run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(u32);

/// A range of bytes `start .. end` in a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
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
    pub line: u32,
    pub column: u32,
}

impl Place {
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

/// One file: its name and its text.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    /// Where each line starts; found when a place is first asked for.
    lines: OnceLock<Vec<u32>>,
}

impl SourceFile {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let after_newlines = self
                .text
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
            .text
            .as_bytes()
            .get(lines[line] as usize..byte as usize)
            .unwrap_or(&[]);
        let start = Place {
            line: line as u32 + 1,
            column: 1,
        };
        start.after(before)
    }

    /// The text of a 1-based line, without its end.
    pub fn line(&self, line: u32) -> &str {
        let lines = self.lines();
        let start = lines
            .get(line as usize - 1)
            .map_or(self.text.len(), |start| *start as usize);
        let end = lines
            .get(line as usize)
            .map_or(self.text.len(), |next| *next as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }
}

/// The files of one run.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Arc<SourceFile>>,
}

impl Sources {
    /// Takes a file in. Spans are 32 bits wide, so a text of 4 GiB or more is given back.
    pub fn add(&mut self, name: impl Into<String>, text: String) -> Result<FileId, String> {
        if u32::try_from(text.len()).is_err() {
            return Err(text);
        }
        let id = FileId(self.files.len() as u32);
        self.files.push(Arc::new(SourceFile {
            name: name.into(),
            text,
            lines: OnceLock::new(),
        }));
        Ok(id)
    }

    /// Gives a file its text when it is known only later, as that of a pipe is.
    pub fn replace(&mut self, id: FileId, text: String) -> Result<(), String> {
        if u32::try_from(text.len()).is_err() {
            return Err(text);
        }
        let file = &mut self.files[id.0 as usize];
        *file = Arc::new(SourceFile {
            name: file.name.clone(),
            text,
            lines: OnceLock::new(),
        });
        Ok(())
    }

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
        sources.replace(id, "\nx".into()).unwrap();
        assert_eq!(sources.place(Span::new(id, 1, 2)).to_string(), "2:1");
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
