//! Text to tokens.
//!
//! A comment is `-- …`, `(* … *)` or `/* … */`; `--%NAME` is a directive, which is a token. What no
//! token begins with is reported and skipped, so that the parser always sees a whole file.

use proofmark_source::{Diagnostic, FileId, Span};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Name,
    Integer,
    Real,
    /// In double quotes, on one line.
    Text,
    Directive(Directive),
    Keyword(Keyword),
    Symbol(Symbol),
    End,
}

/// `--%MAIN` and its kin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Directive {
    Main,
    Property,
    Ivc,
    Realizable,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum $name { $($variant,)* }

        impl $name {
            pub(super) fn text(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            fn from_text(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
}

/// Whether a text is a word of the language, and so no name.
pub(super) fn is_word(text: &str) -> bool {
    Keyword::from_text(text).is_some()
}

words! {
    /// Words that are no names.
    Keyword {
        Type = "type", Const = "const", Node = "node", Function = "function",
        Returns = "returns", Var = "var", Let = "let", Tel = "tel", Assert = "assert",
        Struct = "struct", Enum = "enum", Subrange = "subrange", Of = "of",
        Int = "int", Bool = "bool", Real = "real", Floor = "floor", Condact = "condact",
        Pre = "pre", Not = "not", And = "and", Or = "or", Xor = "xor", Div = "div", Mod = "mod",
        If = "if", Then = "then", Else = "else", True = "true", False = "false",
    }
}

words! {
    /// Punctuation and operators.
    Symbol {
        Arrow = "->", Implies = "=>", Different = "<>", LessEqual = "<=", GreaterEqual = ">=",
        Assign = ":=", Open = "(", Close = ")", OpenBracket = "[", CloseBracket = "]",
        OpenBrace = "{", CloseBrace = "}", Semicolon = ";", Colon = ":", Comma = ",", Dot = ".",
        Equal = "=", Less = "<", Greater = ">", Plus = "+", Minus = "-", Times = "*",
        Divide = "/", Hash = "#",
    }
}

/// The words with which Kind 2 begins a contract, in a block the first, after `--@` any.
const CONTRACTS: [&str; 10] = [
    "contract",
    "assume",
    "guarantee",
    "require",
    "ensure",
    "mode",
    "import",
    "var",
    "const",
    "weakly",
];

/// The tokens of a file with their places; the last is [`Token::End`].
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub kinds: Vec<Token>,
    pub spans: Vec<Span>,
}

impl Tokens {
    /// The first token that begins at a byte or behind it.
    pub fn at(&self, byte: u32) -> usize {
        self.spans.partition_point(|span| span.start < byte)
    }
}

pub(super) fn tokenize(text: &str, file: FileId, diagnostics: &mut Vec<Diagnostic>) -> Tokens {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        position: 0,
        file,
        tokens: Tokens::default(),
        diagnostics,
        contract_line: None,
    };
    lexer.run();
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    position: usize,
    file: FileId,
    tokens: Tokens,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// Where the last line of a contract ends.
    contract_line: Option<usize>,
}

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'~' | b'!' | b'$')
}

fn continues_name(byte: u8) -> bool {
    starts_name(byte) || byte.is_ascii_digit()
}

impl Lexer<'_> {
    fn run(&mut self) {
        while self.position < self.bytes.len() {
            let start = self.position;
            if let Some(token) = self.next() {
                let span = self.span(start);
                self.tokens.kinds.push(token);
                self.tokens.spans.push(span);
            }
        }
        let span = self.span(self.position);
        self.tokens.kinds.push(Token::End);
        self.tokens.spans.push(span);
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start as u32, self.position as u32)
    }

    fn peek(&self, ahead: usize) -> u8 {
        let byte = self.bytes.get(self.position + ahead);
        byte.copied().unwrap_or(0)
    }

    fn skip_while(&mut self, keep: impl Fn(u8) -> bool) {
        while self.position < self.bytes.len() && keep(self.bytes[self.position]) {
            self.position += 1;
        }
    }

    /// Takes one token, or what is none.
    fn next(&mut self) -> Option<Token> {
        match (self.peek(0), self.peek(1)) {
            (b' ' | b'\t' | b'\n' | b'\r' | 0x0c, _) => {
                self.position += 1;
                None
            }
            (b'-', b'-') if self.peek(2) == b'%' => self.directive(),
            (b'-', b'-') => {
                self.contract();
                self.skip_while(|byte| byte != b'\n' && byte != b'\r');
                None
            }
            (b'(', b'*') => {
                self.contract();
                self.block_comment("*)")
            }
            (b'/', b'*') => {
                self.contract();
                self.block_comment("*/")
            }
            (b'"', _) => self.quoted(),
            (byte, _) if byte.is_ascii_digit() => Some(self.number()),
            (byte, _) if starts_name(byte) => Some(self.word()),
            _ => self.symbol(),
        }
    }

    /// Warns of a comment in which Kind 2 would read a contract, once where several follow each other.
    fn contract(&mut self) {
        let start = self.position;
        let Some(text) = self.text[start + 2..].strip_prefix('@') else {
            return;
        };
        let text = text.trim_start_matches([' ', '\t']);
        let word = text.find(|c: char| !c.is_ascii_alphabetic());
        let word = &text[..word.unwrap_or(text.len())];
        let is_line = self.peek(0) == b'-';
        if !(CONTRACTS.contains(&word) && (is_line || word == CONTRACTS[0])) {
            return;
        }
        let between = self.contract_line.map(|end| &self.text[end..start]);
        let goes_on = is_line && between.is_some_and(|text| text.trim().is_empty());
        if is_line {
            let rest = &self.text[start..];
            let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
            self.contract_line = Some(start + length);
        }
        if !goes_on {
            // What follows the word is the end of the file's text.
            let end = self.text.len() - text.len() + word.len();
            let span = Span::new(self.file, start as u32, end as u32);
            let message = "contracts are not read: this one is skipped like any comment";
            let hint = "write what it guarantees as a property, `check …;`, \
                        and what it assumes as an assertion, `assert …;`";
            let warning = Diagnostic::warning(span, message).with_hint(hint);
            self.diagnostics.push(warning);
        }
    }

    fn block_comment(&mut self, end: &str) -> Option<Token> {
        let start = self.position;
        match self.text[start + 2..].find(end) {
            Some(length) => self.position = start + 2 + length + end.len(),
            None => {
                self.position = self.bytes.len();
                let opening = Span::new(self.file, start as u32, start as u32 + 2);
                let message = format!("this comment is never closed: expected `{end}`");
                self.diagnostics.push(Diagnostic::error(opening, message));
            }
        }
        None
    }

    fn directive(&mut self) -> Option<Token> {
        let start = self.position;
        self.position += 3;
        self.skip_while(continues_name);
        let directive = match &self.text[start + 3..self.position] {
            "MAIN" => Directive::Main,
            "PROPERTY" => Directive::Property,
            "IVC" | "SUPPORT" => Directive::Ivc,
            "REALIZABLE" => Directive::Realizable,
            other => {
                let message = format!("the directive `--%{other}` is unknown and ignored");
                let hint = "known are --%MAIN, --%PROPERTY, --%IVC, --%SUPPORT and --%REALIZABLE";
                let warning = Diagnostic::warning(self.span(start), message).with_hint(hint);
                self.diagnostics.push(warning);
                self.skip_while(|byte| byte != b'\n' && byte != b'\r');
                return None;
            }
        };
        Some(Token::Directive(directive))
    }

    fn quoted(&mut self) -> Option<Token> {
        let start = self.position;
        self.position += 1;
        self.skip_while(|byte| !matches!(byte, b'"' | b'\n' | b'\r'));
        if self.peek(0) != b'"' {
            let message = "this text is never closed: expected `\"` on the same line";
            let error = Diagnostic::error(self.span(start), message);
            self.diagnostics.push(error);
            return None;
        }
        self.position += 1;
        Some(Token::Text)
    }

    fn number(&mut self) -> Token {
        self.skip_while(|byte| byte.is_ascii_digit());
        if self.peek(0) != b'.' || !self.peek(1).is_ascii_digit() {
            return Token::Integer;
        }
        self.position += 1;
        self.skip_while(|byte| byte.is_ascii_digit());
        Token::Real
    }

    fn word(&mut self) -> Token {
        let start = self.position;
        self.skip_while(continues_name);
        Keyword::from_text(&self.text[start..self.position]).map_or(Token::Name, Token::Keyword)
    }

    fn symbol(&mut self) -> Option<Token> {
        let start = self.position;
        for length in [2, 1] {
            let text = self.text.get(start..start + length);
            if let Some(symbol) = text.and_then(Symbol::from_text) {
                self.position += length;
                return Some(Token::Symbol(symbol));
            }
        }
        self.unexpected();
        None
    }

    /// Reports a run of characters that begin nothing, once for all of them.
    fn unexpected(&mut self) {
        let start = self.position;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            return;
        };
        self.position += first.len_utf8();
        self.skip_while(|byte| !byte.is_ascii());
        let error = Diagnostic::error(
            self.span(start),
            format!("unexpected character `{}`", first.escape_debug()),
        );
        let error = match first {
            '&' | '|' => error.with_hint("write `and` and `or`"),
            '@' | '?' => error.with_hint("a name has letters, digits and `_`, `~`, `!`, `$`"),
            '%' => error.with_hint("write `mod`"),
            '^' => error.with_hint("an array type is written `int[3]`, an array `[a, b, c]`"),
            _ => error,
        };
        self.diagnostics.push(error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_source::Sources;

    fn tokens(text: &str) -> (Vec<Token>, Vec<String>) {
        let mut sources = Sources::default();
        let file = sources.add("a.lus", text.into()).unwrap();
        let mut diagnostics = Vec::new();
        let tokens = tokenize(text, file, &mut diagnostics);
        let messages = diagnostics.into_iter().map(|d| d.message).collect();
        (tokens.kinds, messages)
    }

    #[test]
    fn a_contract_that_is_skipped_is_told_once() {
        let text = "(*@contract assume a; *) x\n/*@ contract b */\n(*@author c*)\n--@author d\n\
                    --@contract\n  --@assume e;\n-- f\n  --@guarantee g;\n--@ ensure h;\ny";
        let (kinds, messages) = tokens(text);
        assert_eq!(kinds.len(), 3);
        let message = "contracts are not read: this one is skipped like any comment";
        assert_eq!(messages, [message; 4]);
    }

    #[test]
    fn comments_of_three_kinds_are_skipped_and_directives_kept() {
        let (kinds, messages) = tokens("-- a\n(* b * ) *) x /* c */ --%PROPERTY y;--\n--");
        assert_eq!(
            kinds,
            [
                Token::Name,
                Token::Directive(Directive::Property),
                Token::Name,
                Token::Symbol(Symbol::Semicolon),
                Token::End
            ]
        );
        assert!(messages.is_empty(), "{messages:?}");
    }

    #[test]
    fn numbers_and_names_end_where_they_should() {
        let (kinds, _) = tokens("1.5 1.x ~a!b$0 pre prefix a--b");
        let wanted = [
            Token::Real,
            Token::Integer,
            Token::Symbol(Symbol::Dot),
            Token::Name,
            Token::Name,
            Token::Keyword(Keyword::Pre),
            Token::Name,
            Token::Name,
            Token::End,
        ];
        assert_eq!(kinds, wanted);
    }

    #[test]
    fn what_begins_no_token_is_reported_once_and_skipped() {
        let (kinds, messages) = tokens("x é√ y & \u{0} (* open");
        assert_eq!(kinds, [Token::Name, Token::Name, Token::End]);
        assert_eq!(
            messages,
            [
                "unexpected character `é`",
                "unexpected character `&`",
                "unexpected character `\\0`",
                "this comment is never closed: expected `*)`"
            ]
        );
    }

    #[test]
    fn an_unknown_directive_is_a_warning_and_its_line_is_skipped() {
        let (kinds, messages) = tokens("--%SPEED fast;\nx");
        assert_eq!(kinds, [Token::Name, Token::End]);
        assert_eq!(
            messages,
            ["the directive `--%SPEED` is unknown and ignored"]
        );
    }
}
