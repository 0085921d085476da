//! Text to the tokens of the preprocessor.
//!
//! Lines that end in a backslash are joined first; every byte keeps its place. Comments are blanks. What
//! begins no token becomes one of its own kind: in text that conditions leave out it is no error.

use super::token::{Kind, Token};
use proofmark_model::Symbol;
use proofmark_source::{FileId, Span};

/// Longer ones before those that they begin with.
const PUNCTUATORS: [&str; 24] = [
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=",
    "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##", "::",
];

/// Punctuators of one character.
const SINGLES: &[u8] = b"[](){}.&*+-~!/%<>^|?:;=,#";

/// How a few punctuators may be written on keyboards that lack the characters.
const DIGRAPHS: [(&str, &str); 6] = [
    ("%:%:", "##"),
    ("<:", "["),
    (":>", "]"),
    ("<%", "{"),
    ("%>", "}"),
    ("%:", "#"),
];

/// The tokens of a text, without an end.
pub(super) fn scan(text: &str, file: FileId) -> Vec<Token> {
    let mut scanner = Scanner::new(text, file);
    let mut tokens = Vec::new();
    while let Some(token) = scanner.next() {
        tokens.push(token);
    }
    tokens
}

struct Scanner {
    /// The text with its lines joined.
    bytes: Vec<u8>,
    /// Where each byte is in the file, and the end.
    places: Vec<u32>,
    at: usize,
    file: FileId,
}

impl Scanner {
    fn new(text: &str, file: FileId) -> Scanner {
        let (bytes, places) = joined(text.as_bytes());
        Scanner {
            bytes,
            places,
            at: 0,
            file,
        }
    }

    fn next(&mut self) -> Option<Token> {
        let (mut first, mut space) = (self.at == 0, false);
        let unended = self.skip_blanks(&mut first, &mut space);
        let start = unended.unwrap_or(self.at);
        if start >= self.bytes.len() {
            return None;
        }
        let (kind, text) = match unended {
            Some(_) => (Kind::Other, Symbol::new("/*")),
            None => self.token(),
        };
        let span = Span::new(self.file, self.places[start], self.places[self.at]);
        Some(Token {
            kind,
            text,
            span,
            spelled: span,
            space,
            first,
            blocked: false,
        })
    }

    /// Goes on to the next token; returns where a comment begins that has no end.
    fn skip_blanks(&mut self, first: &mut bool, space: &mut bool) -> Option<usize> {
        while let Some(byte) = self.bytes.get(self.at) {
            let rest = &self.bytes[self.at..];
            match byte {
                b'\n' => (*first, *space, self.at) = (true, true, self.at + 1),
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => (*space, self.at) = (true, self.at + 1),
                b'/' if rest.starts_with(b"//") => {
                    let line = rest.iter().position(|byte| *byte == b'\n');
                    self.at += line.unwrap_or(rest.len());
                    *space = true;
                }
                b'/' if rest.starts_with(b"/*") => {
                    let end = rest[2..].windows(2).position(|pair| pair == b"*/");
                    let Some(end) = end else {
                        let start = self.at;
                        self.at = self.bytes.len();
                        return Some(start);
                    };
                    self.at += end + 4;
                    *space = true;
                }
                _ => return None,
            }
        }
        None
    }

    fn token(&mut self) -> (Kind, Symbol) {
        let start = self.at;
        let kind = self.kind();
        if let Some(text) = self.digraph(start) {
            return (Kind::Punctuator, Symbol::new(text));
        }
        let text = String::from_utf8_lossy(&self.bytes[start..self.at]);
        (kind, Symbol::new(&text))
    }

    /// Takes in one token.
    fn kind(&mut self) -> Kind {
        let rest = &self.bytes[self.at..];
        let byte = rest[0];
        let digit_behind = rest.get(1).is_some_and(u8::is_ascii_digit);
        if byte.is_ascii_digit() || byte == b'.' && digit_behind {
            return self.number();
        }
        if let Some(prefix) = quoted(rest) {
            return self.quoted(prefix);
        }
        if begins_name(byte) {
            let length = rest.iter().position(|byte| !in_name(*byte));
            self.at += length.unwrap_or(rest.len());
            return Kind::Name;
        }
        let known = PUNCTUATORS.into_iter();
        let mut known = known.filter(|one| rest.starts_with(one.as_bytes()));
        let length = match known.next() {
            Some(text) => text.len(),
            None => usize::from(SINGLES.contains(&byte)),
        };
        self.at += length.max(1);
        match length {
            0 => Kind::Other,
            _ => Kind::Punctuator,
        }
    }

    fn number(&mut self) -> Kind {
        let mut before = b'0';
        while let Some(byte) = self.bytes.get(self.at) {
            let sign = matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E' | b'p' | b'P');
            if !in_name(*byte) && *byte != b'.' && !sign {
                break;
            }
            before = *byte;
            self.at += 1;
        }
        Kind::Number
    }

    /// Text between quotes; without the quote at the end it is nothing that is known.
    fn quoted(&mut self, prefix: usize) -> Kind {
        self.at += prefix;
        let quote = self.bytes[self.at];
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => return Kind::Other,
                b'\\'
                    if self
                        .bytes
                        .get(self.at + 1)
                        .is_some_and(|next| *next != b'\n') =>
                {
                    self.at += 1;
                }
                _ if *byte == quote => {
                    self.at += 1;
                    return match quote {
                        b'"' => Kind::Text,
                        _ => Kind::Character,
                    };
                }
                _ => {}
            }
            self.at += 1;
        }
        Kind::Other
    }

    /// Whether what was taken in, or it and what follows, is written otherwise.
    fn digraph(&mut self, start: usize) -> Option<&'static str> {
        let rest = &self.bytes[start..];
        let mut known = DIGRAPHS.into_iter();
        let (written, meant) = known.find(|(one, _)| rest.starts_with(one.as_bytes()))?;
        self.at = start + written.len();
        Some(meant)
    }
}

fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn in_name(byte: u8) -> bool {
    begins_name(byte) || byte.is_ascii_digit()
}

/// The length of the prefix of a literal in quotes.
fn quoted(rest: &[u8]) -> Option<usize> {
    let prefixes: [&[u8]; 5] = [b"", b"L", b"u8", b"u", b"U"];
    let lengths = prefixes.iter().filter(|one| rest.starts_with(one));
    let mut lengths = lengths.map(|one| one.len());
    lengths.find(|length| matches!(rest.get(*length), Some(b'"' | b'\'')))
}

/// A text without the line ends that a backslash joins.
fn joined(text: &[u8]) -> (Vec<u8>, Vec<u32>) {
    let mut bytes = Vec::with_capacity(text.len());
    let mut places = Vec::with_capacity(text.len() + 1);
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with(b"\\\n") {
            at += 2;
        } else if rest.starts_with(b"\\\r\n") {
            at += 3;
        } else {
            bytes.push(rest[0]);
            places.push(at as u32);
            at += 1;
        }
    }
    places.push(text.len() as u32);
    (bytes, places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_source::Sources;

    fn texts(text: &str) -> Vec<&'static str> {
        let mut sources = Sources::default();
        let file = sources.add("a.c", text.to_string()).unwrap();
        let tokens = scan(text, file);
        tokens.iter().map(|one| one.text.as_str()).collect()
    }

    #[test]
    fn the_longest_token_is_taken() {
        let found = texts("a+++b<<=1.5e+3.x...0x1fUL L'a' u8\"x\\\"y\" <:%>");
        let wanted = [
            "a",
            "++",
            "+",
            "b",
            "<<=",
            "1.5e+3.x...0x1fUL",
            "L'a'",
            "u8\"x\\\"y\"",
            "[",
            "}",
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn comments_are_blanks_and_a_backslash_joins_lines() {
        assert_eq!(texts("a/* b\n */c // d \\\n e\nf\\\ng"), ["a", "c", "fg"]);
        assert_eq!(texts("a /* b"), ["a", "/*"]);
    }

    #[test]
    fn a_joined_token_covers_all_that_is_written() {
        let mut sources = Sources::default();
        let file = sources.add("a.c", "x\\\ny z".to_string()).unwrap();
        let tokens = scan("x\\\ny z", file);
        assert_eq!((tokens[0].span.start, tokens[0].span.end), (0, 4));
        assert_eq!(sources.text(tokens[1].span), "z");
    }
}
