//! The tokens of SMT-LIB 2.6, cut out of the text without copying it.
//!
//! A token is a kind and two offsets, nothing is allocated for it: reading a script is a good part
//! of the time a small one takes. One table of 256 bytes says what each byte may begin or continue.

use proofmark_source::{Diagnostic, FileId, Span};

/// Why reading cannot go on. Boxed: the error is rare and large, the result is returned per token.
pub type Fault = Box<Diagnostic>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Open,
    Close,
    Symbol,
    /// A symbol between bars, which are part of the token and not of the name.
    Quoted,
    /// With its colon.
    Keyword,
    Numeral,
    Decimal,
    /// With its `#x`.
    Hexadecimal,
    /// With its `#b`.
    Binary,
    /// With its quotation marks; a doubled one inside stands for one.
    String,
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

/// What a byte can be. `SYMBOL` bytes continue a symbol; digits do too, but cannot begin one.
const OTHER: u8 = 0;
const BLANK: u8 = 1;
const SYMBOL: u8 = 2;
const DIGIT: u8 = 3;

const CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' => BLANK,
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' => SYMBOL,
            b'~' | b'!' | b'@' | b'$' | b'%' | b'^' | b'&' | b'*' | b'_' => SYMBOL,
            b'-' | b'+' | b'=' | b'<' | b'>' | b'.' | b'?' | b'/' => SYMBOL,
            _ => OTHER,
        };
        byte += 1;
    }
    table
}

/// Can this be written as a symbol without bars around it?
pub fn is_simple_symbol(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes
        .first()
        .is_some_and(|first| CLASS[*first as usize] == SYMBOL)
        && bytes.iter().all(|byte| CLASS[*byte as usize] >= SYMBOL)
}

#[derive(Clone)]
pub struct Lexer<'t> {
    file: FileId,
    text: &'t str,
    /// Where in the file the text begins; tokens count from there.
    base: u32,
    at: usize,
}

impl<'t> Lexer<'t> {
    /// `text` is the text of `file`, or a part of it that begins at its beginning: a file, being
    /// shorter than 4 GiB, has offsets that fit a token.
    pub fn new(file: FileId, text: &'t str) -> Lexer<'t> {
        Lexer::part(file, 0, text)
    }

    /// `text` is the part of `file` that begins at the byte `base`.
    pub fn part(file: FileId, base: u32, text: &'t str) -> Lexer<'t> {
        let at = 0;
        Lexer {
            file,
            text,
            base,
            at,
        }
    }

    /// Where the last token ended.
    pub fn position(&self) -> u32 {
        self.at as u32
    }

    /// The text from `start` to `end`, tokens of the same text.
    pub fn slice(&self, start: u32, end: u32) -> &'t str {
        &self.text[start as usize..end as usize]
    }

    pub fn text_of(&self, token: Token) -> &'t str {
        self.slice(token.start, token.end)
    }

    /// The name that a symbol stands for: without its bars.
    pub fn name_of(&self, token: Token) -> &'t str {
        match token.kind {
            Kind::Quoted => self.slice(token.start + 1, token.end - 1),
            _ => self.text_of(token),
        }
    }

    pub fn span(&self, token: Token) -> Span {
        self.span_between(token.start, token.end)
    }

    /// The place in the file of what `slice` gives.
    pub fn span_between(&self, start: u32, end: u32) -> Span {
        Span::new(self.file, self.base + start, self.base + end)
    }

    /// The next token; at the end of the text, `End` again and again.
    #[inline]
    pub fn token(&mut self) -> Result<Token, Fault> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        let first = loop {
            match bytes.get(at) {
                None => {
                    self.at = at;
                    return Ok(self.cut(Kind::End, at));
                }
                Some(b';') => at = self.end_of_comment(at),
                Some(byte) if CLASS[*byte as usize] == BLANK => at += 1,
                Some(byte) => break *byte,
            }
        };
        self.at = at + 1;
        match first {
            b'(' => Ok(self.cut(Kind::Open, at)),
            b')' => Ok(self.cut(Kind::Close, at)),
            _ if CLASS[first as usize] == SYMBOL => {
                self.at = self.end_of_word(at + 1);
                Ok(self.cut(Kind::Symbol, at))
            }
            b'0'..=b'9' => self.number(at),
            b':' => {
                self.at = self.end_of_word(at + 1);
                Ok(self.cut(Kind::Keyword, at))
            }
            b'|' => self.quoted(at),
            b'"' => self.string(at),
            b'#' => self.bits(at),
            _ => Err(self.stray(at)),
        }
    }

    fn cut(&self, kind: Kind, start: usize) -> Token {
        Token {
            kind,
            start: start as u32,
            end: self.at as u32,
        }
    }

    fn end_of_comment(&self, at: usize) -> usize {
        let rest = &self.text.as_bytes()[at..];
        let length = rest.iter().position(|byte| *byte == b'\n');
        length.map_or(self.text.len(), |length| at + length + 1)
    }

    #[inline]
    fn end_of_word(&self, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        while at < bytes.len() && CLASS[bytes[at] as usize] >= SYMBOL {
            at += 1;
        }
        at
    }

    fn end_of_digits(&self, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        while at < bytes.len() && bytes[at].is_ascii_digit() {
            at += 1;
        }
        at
    }

    fn number(&mut self, start: usize) -> Result<Token, Fault> {
        let bytes = self.text.as_bytes();
        let mut kind = Kind::Numeral;
        self.at = self.end_of_digits(start);
        if bytes.get(self.at) == Some(&b'.')
            && bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit)
        {
            kind = Kind::Decimal;
            self.at = self.end_of_digits(self.at + 1);
        }
        let end = self.end_of_word(self.at);
        if end == self.at {
            return Ok(self.cut(kind, start));
        }
        let message = "expected a blank or a parenthesis after a number, found more of a word";
        Err(self.fault(start, end, message).with_hint(
            "a symbol that begins with a digit is written between bars, as in |1st|; a decimal has digits on both sides of its point",
        ).into())
    }

    fn quoted(&mut self, start: usize) -> Result<Token, Fault> {
        let rest = &self.text.as_bytes()[start + 1..];
        match rest.iter().position(|byte| matches!(byte, b'|' | b'\\')) {
            Some(length) if rest[length] == b'|' => {
                self.at = start + length + 2;
                Ok(self.cut(Kind::Quoted, start))
            }
            Some(length) => {
                let at = start + 1 + length;
                let message = "expected the characters of a quoted symbol, found `\\`";
                let hint = "a quoted symbol holds every character but `\\` and `|`";
                Err(self.fault(at, at + 1, message).with_hint(hint).into())
            }
            None => {
                let message =
                    "expected `|` at the end of a quoted symbol, found the end of the file";
                let hint = "close the symbol that begins here with `|`";
                Err(self.fault(start, start + 1, message).with_hint(hint).into())
            }
        }
    }

    fn string(&mut self, start: usize) -> Result<Token, Fault> {
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        while let Some(length) = bytes[at..].iter().position(|byte| *byte == b'"') {
            at += length + 1;
            if bytes.get(at) != Some(&b'"') {
                self.at = at;
                return Ok(self.cut(Kind::String, start));
            }
            at += 1;
        }
        let message = "expected `\"` at the end of a string, found the end of the file";
        let hint =
            "close the string that begins here; a quotation mark inside a string is written twice";
        Err(self.fault(start, start + 1, message).with_hint(hint).into())
    }

    fn bits(&mut self, start: usize) -> Result<Token, Fault> {
        let bytes = self.text.as_bytes();
        let (kind, is_digit): (Kind, fn(&u8) -> bool) = match bytes.get(start + 1) {
            Some(b'x') => (Kind::Hexadecimal, u8::is_ascii_hexdigit),
            Some(b'b') => (Kind::Binary, |byte| matches!(byte, b'0' | b'1')),
            _ => (Kind::Binary, |_| false),
        };
        let digits = bytes.get(start + 2..).unwrap_or(&[]);
        let length = digits.iter().take_while(|byte| is_digit(byte)).count();
        let end = self.end_of_word(start + 2 + length);
        if length == 0 || end > start + 2 + length {
            let message = "expected a bit-vector after `#`, found something else";
            let hint = "write #x and hexadecimal digits, or #b and binary digits";
            let end = end.min(self.text.len()).max(start + 1);
            return Err(self.fault(start, end, message).with_hint(hint).into());
        }
        self.at = end;
        Ok(self.cut(kind, start))
    }

    fn stray(&self, at: usize) -> Fault {
        let found = self.text[at..].chars().next().unwrap_or(' ');
        let message = format!("expected a token of SMT-LIB, found the character {found:?}");
        let hint = "such characters stand only in strings, comments and symbols between bars";
        self.fault(at, at + found.len_utf8(), message)
            .with_hint(hint)
            .into()
    }

    fn fault(&self, start: usize, end: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.span_between(start as u32, end as u32), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_source::Sources;

    fn kinds(text: &str) -> Result<Vec<(Kind, String)>, String> {
        let file = Sources::default().add("test", text.into()).unwrap();
        let mut lexer = Lexer::new(file, text);
        let mut kinds = Vec::new();
        loop {
            let token = lexer.token().map_err(|fault| fault.message)?;
            if token.kind == Kind::End {
                return Ok(kinds);
            }
            kinds.push((token.kind, lexer.name_of(token).to_string()));
        }
    }

    #[test]
    fn every_kind_of_token_is_cut_where_it_ends() {
        let text = "(a.b |c d|:k 12 1.50#x0F #b01\"say \"\"hi\"\"\" ; gone\n$x~1)";
        let expected = [
            (Kind::Open, "("),
            (Kind::Symbol, "a.b"),
            (Kind::Quoted, "c d"),
            (Kind::Keyword, ":k"),
            (Kind::Numeral, "12"),
            (Kind::Decimal, "1.50"),
        ];
        let found = kinds(&text.replace("#x0F", " #x0F")).unwrap();
        for (found, (kind, text)) in found.iter().zip(expected) {
            assert_eq!((found.0, found.1.as_str()), (kind, text));
        }
        let rest: Vec<&str> = found[6..].iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(rest, ["#x0F", "#b01", "\"say \"\"hi\"\"\"", "$x~1", ")"]);
    }

    #[test]
    fn broken_tokens_are_refused() {
        for text in [
            "1a", "1.", "#", "#xg", "#b2", "#b", "|a", "|a\\|", "\"a", "é", "[", "#é",
        ] {
            assert!(kinds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_comment_may_end_the_text() {
        assert_eq!(kinds("; nothing else").unwrap(), []);
    }
}
