//! Text to tokens.
//!
//! A name may hold `-`, `$`, `#` and `\`, so that `x-1` is one name; a `-` that begins `->` ends it. A
//! comment is `-- …` up to the end of the line, or `/-- … --/`. Keywords are names to the lexer: which
//! words are reserved is said once, in [`is_reserved`]. What no token begins with is reported and
//! skipped, so that the parser always sees a whole file.

use proofmark_source::{Diagnostic, FileId, Span};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A name or a keyword.
    Name,
    /// Decimal digits.
    Number,
    /// A constant of a word, as `0ud8_255`.
    Word,
    /// Punctuation or an operator.
    Symbol(&'static str),
    /// The end of the file.
    End,
}

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub token: Token,
    pub span: Span,
}

/// Longer ones before those that they begin with.
const SYMBOLS: [&str; 34] = [
    "<->", "|->", "|=>", "->", "<=", ">=", "!=", ":=", "::", "..", "<<", ">>", "&&", "||", "(",
    ")", "[", "]", "{", "}", ",", ";", ":", "=", "<", ">", "+", "-", "*", "/", "!", "&", "|", "?",
];

/// Words that are no names.
const RESERVED: [&str; 101] = [
    "MODULE",
    "DEFINE",
    "MDEFINE",
    "CONSTANTS",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "INIT",
    "TRANS",
    "INVAR",
    "SPEC",
    "CTLSPEC",
    "LTLSPEC",
    "PSLSPEC",
    "COMPUTE",
    "NAME",
    "INVARSPEC",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "ISA",
    "ASSIGN",
    "CONSTRAINT",
    "SIMPWFF",
    "CTLWFF",
    "LTLWFF",
    "PSLWFF",
    "COMPWFF",
    "IN",
    "MIN",
    "MAX",
    "MIRROR",
    "PRED",
    "PREDICATES",
    "process",
    "array",
    "of",
    "boolean",
    "integer",
    "real",
    "word",
    "word1",
    "bool",
    "signed",
    "unsigned",
    "extend",
    "resize",
    "sizeof",
    "uwconst",
    "swconst",
    "EX",
    "AX",
    "EF",
    "AF",
    "EG",
    "AG",
    "E",
    "F",
    "O",
    "G",
    "H",
    "X",
    "Y",
    "Z",
    "A",
    "U",
    "S",
    "V",
    "T",
    "BU",
    "EBF",
    "ABF",
    "EBG",
    "ABG",
    "case",
    "esac",
    "mod",
    "next",
    "init",
    "union",
    "in",
    "xor",
    "xnor",
    "self",
    "TRUE",
    "FALSE",
    "count",
    "abs",
    "max",
    "min",
    "toint",
    "PARSYNTAX",
    "FUN",
    "ITYPE",
    "READ",
    "WRITE",
    "CONSTARRAY",
    "typeof",
    "GOTO",
    "CONTEXT",
    "EXTEND",
];

/// Whether a text is a word of the language, and so no name.
pub(super) fn is_reserved(text: &str) -> bool {
    RESERVED.contains(&text)
}

/// The tokens of a file; the last is [`Token::End`].
pub(super) fn tokenize(text: &str, file: FileId, diagnostics: &mut Vec<Diagnostic>) -> Vec<Placed> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        file,
        diagnostics,
    };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        let start = lexer.at;
        let Some(token) = lexer.next() else { continue };
        let span = Span::new(file, start as u32, lexer.at as u32);
        tokens.push(Placed { token, span });
        if token == Token::End {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    file: FileId,
    diagnostics: &'a mut Vec<Diagnostic>,
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#' | b'-' | b'\\')
}

impl Lexer<'_> {
    fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start as u32, self.at as u32)
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            if rest.first().is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
            } else if rest.starts_with(b"/--") {
                self.skip_block();
            } else if rest.starts_with(b"--") {
                let line = rest.iter().position(|byte| *byte == b'\n');
                self.at = line.map_or(self.bytes.len(), |length| self.at + length);
            } else {
                return;
            }
        }
    }

    fn skip_block(&mut self) {
        let start = self.at;
        let end = self.text[start + 3..].find("--/");
        self.at = end.map_or(self.bytes.len(), |length| start + 3 + length + 3);
        if end.is_none() {
            let opening = Span::new(self.file, start as u32, start as u32 + 3);
            let message = "the comment that begins here has no end";
            self.diagnostics
                .push(Diagnostic::error(opening, message).with_hint("end it with `--/`"));
        }
    }

    /// The next token; nothing when something was skipped.
    fn next(&mut self) -> Option<Token> {
        let Some(&first) = self.bytes.get(self.at) else {
            return Some(Token::End);
        };
        if first.is_ascii_digit() {
            return Some(self.number());
        }
        if first.is_ascii_alphabetic() || first == b'_' {
            return Some(self.name());
        }
        if first == b'.' && !self.rest().starts_with(b"..") {
            self.at += 1;
            return Some(Token::Symbol("."));
        }
        let rest = self.rest();
        if let Some(symbol) = SYMBOLS
            .into_iter()
            .find(|one| rest.starts_with(one.as_bytes()))
        {
            self.at += symbol.len();
            return Some(Token::Symbol(symbol));
        }
        let start = self.at;
        let character = self.text[start..].chars().next().unwrap_or(' ');
        self.at += character.len_utf8();
        let message = format!(
            "`{}` begins nothing that is known here",
            character.escape_debug()
        );
        self.diagnostics
            .push(Diagnostic::error(self.span(start), message).with_hint("remove it"));
        None
    }

    fn name(&mut self) -> Token {
        while let Some(byte) = self.bytes.get(self.at)
            && in_name(*byte)
            && !self.rest().starts_with(b"->")
        {
            self.at += 1;
        }
        Token::Name
    }

    /// Digits, or a constant of a word: `0`, a sign if any, a base, a width if any, `_`, digits.
    fn number(&mut self) -> Token {
        if let Some(length) = self.word_length() {
            self.at += length;
            return Token::Word;
        }
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        Token::Number
    }

    fn word_length(&self) -> Option<usize> {
        let rest = self.rest();
        let mut at = 1;
        if rest[0] != b'0' {
            return None;
        }
        if matches!(rest.get(at), Some(b'u' | b's')) {
            at += 1;
        }
        if !matches!(
            rest.get(at),
            Some(b'b' | b'B' | b'o' | b'O' | b'd' | b'D' | b'h' | b'H')
        ) {
            return None;
        }
        at += 1;
        while rest.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        if rest.get(at) != Some(&b'_') {
            return None;
        }
        while rest
            .get(at)
            .is_some_and(|byte| byte.is_ascii_hexdigit() || *byte == b'_')
        {
            at += 1;
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_source::Sources;

    fn texts(text: &str) -> (Vec<String>, usize) {
        let mut sources = Sources::default();
        let file = sources.add("a.smv", text.to_string()).unwrap();
        let mut diagnostics = Vec::new();
        let tokens = tokenize(text, file, &mut diagnostics);
        let texts = tokens.iter().map(|one| sources.text(one.span).to_string());
        (
            texts.filter(|text| !text.is_empty()).collect(),
            diagnostics.len(),
        )
    }

    #[test]
    fn a_name_may_hold_a_minus_and_ends_before_an_arrow() {
        let (found, wrong) = texts("x-1 a->b a <-> b c$#d p.q[0..3] -- gone\n0ud4_15 0h_f 12");
        let wanted = [
            "x-1", "a", "->", "b", "a", "<->", "b", "c$#d", "p", ".", "q", "[", "0", "..", "3",
            "]", "0ud4_15", "0h_f", "12",
        ];
        assert_eq!(found, wanted);
        assert_eq!(wrong, 0);
    }

    #[test]
    fn comments_are_skipped_and_strangers_reported() {
        let (found, wrong) = texts("a /-- b\n c --/ d ~ é e /-- never");
        assert_eq!(found, ["a", "d", "e"]);
        assert_eq!(wrong, 3);
    }
}
