//! Tokens to the tree of a translation unit: C11 with what GNU C adds and harnesses use.
//!
//! The parser goes on after an error: at the end of the statement or declaration. It is written by hand because
//! names of types must be known while it reads, every place must be kept, and how deep it goes is bounded: what
//! is nested deeper than [`DEEPEST`] is refused, so that nobody who walks the tree runs out of stack.

mod declaration;
mod declarator;
mod expression;
mod statement;

use super::syntax::{External, Name};
use super::token::{Kind, Token, join};
use proofmark_model::Symbol;
use proofmark_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;

/// How deep statements and expressions may be.
pub(super) const DEEPEST: u32 = 400;
/// After so many errors of one unit the rest is not read.
const MOST_ERRORS: usize = 50;

/// An error was told; the parser goes on behind what is wrong.
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// The declarations of a unit; its tokens have no end.
pub(super) fn parse(
    tokens: &[Token],
    end: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<External> {
    let mut parser = Parser {
        tokens,
        at: 0,
        end: Token {
            kind: Kind::End,
            text: Symbol::new(""),
            span: end,
            spelled: end,
            space: true,
            first: true,
            blocked: false,
        },
        scopes: vec![FxHashMap::default()],
        depth: 0,
        diagnostics,
        errors: 0,
    };
    parser.unit()
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    end: Token,
    /// Names of each scope, and whether they are types.
    scopes: Vec<FxHashMap<Symbol, bool>>,
    depth: u32,
    diagnostics: &'a mut Vec<Diagnostic>,
    errors: usize,
}

impl Parser<'_> {
    fn unit(&mut self) -> Vec<External> {
        let mut externals = Vec::new();
        while self.peek().kind != Kind::End && self.errors < MOST_ERRORS {
            let start = self.at;
            self.scopes.truncate(1);
            self.depth = 0;
            if self.external(&mut externals).is_err() {
                self.recover_outside(start);
            }
        }
        externals
    }

    fn peek(&self) -> Token {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Token {
        *self.tokens.get(self.at + ahead).unwrap_or(&self.end)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at += usize::from(self.at < self.tokens.len());
        token
    }

    /// The place of the token that was read last.
    fn before(&self) -> Span {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.map_or(self.end.span, |token| token.span)
    }

    /// From a place to the end of what was read.
    fn since(&self, start: Span) -> Span {
        join(start, self.before())
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.peek().is(text);
        self.at += usize::from(found);
        found
    }

    fn take_word(&mut self, text: &str) -> bool {
        let found = self.peek().is_word(text);
        self.at += usize::from(found);
        found
    }

    fn error(&mut self, span: Span, message: impl Into<String>, hint: &str) {
        self.errors += 1;
        if self.errors <= MOST_ERRORS {
            let told = Diagnostic::error(span, message).with_hint(hint);
            self.diagnostics.push(told);
        }
    }

    /// An error at the next token, unless something before it was wrong already.
    fn fail<T>(&mut self, expected: &str) -> Parsed<T> {
        let token = self.peek();
        let (span, message, hint) = match token.kind {
            Kind::End => (
                self.before(),
                "found the end of the file".to_string(),
                "complete it",
            ),
            Kind::Other => (token.span, unknown(&token), "remove it, or complete it"),
            _ => (token.span, format!("found `{}`", token.text), "correct it"),
        };
        let mut told = Diagnostic::error(span, format!("expected {expected}, {message}"));
        if token.spelled != token.span && token.kind != Kind::End {
            told = told.with_label(token.spelled, "a macro spells it here");
        }
        self.errors += 1;
        if self.errors <= MOST_ERRORS {
            self.diagnostics.push(told.with_hint(hint));
        }
        Err(Failed)
    }

    fn expect(&mut self, text: &str) -> Parsed<Span> {
        let span = self.peek().span;
        match self.take(text) {
            true => Ok(span),
            false => self.fail(&format!("`{text}`")),
        }
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        if token.kind != Kind::Name || is_keyword(token.text.as_str()) {
            return self.fail(what);
        }
        self.at += 1;
        Ok(Name {
            text: token.text,
            span: token.span,
        })
    }

    /// Goes one level deeper for as long as `read` takes.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let span = self.peek().span;
            let message = format!("this is nested more than {DEEPEST} deep");
            self.error(span, message, "split it");
            // Everything around it is as deep: one error is enough.
            self.at = self.tokens.len();
            return Err(Failed);
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    fn is_type_name(&self, name: Symbol) -> bool {
        let known = self.scopes.iter().rev().find_map(|scope| scope.get(&name));
        known.copied().unwrap_or(false)
    }

    fn declare(&mut self, name: Symbol, is_type: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, is_type);
        }
    }

    fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.scopes.push(FxHashMap::default());
        let depth = self.scopes.len();
        let found = read(self);
        self.scopes.truncate(depth - 1);
        found
    }

    /// Goes on behind the next `;` of this level, or before the `}` that ends it.
    fn recover(&mut self) {
        let mut depth = 0usize;
        loop {
            let token = self.peek();
            match token.text.as_str() {
                _ if token.kind == Kind::End => return,
                ";" if depth == 0 => {
                    self.at += 1;
                    return;
                }
                "{" => depth += 1,
                "}" if depth == 0 => return,
                "}" => depth -= 1,
                _ => {}
            }
            let ends = depth == 0 && token.is("}");
            self.at += 1;
            if ends {
                return;
            }
        }
    }

    /// Goes on outside of functions: behind what began at `start`, by counting its braces.
    fn recover_outside(&mut self, start: usize) {
        let depth = self.tokens[start..self.at]
            .iter()
            .fold(0usize, |depth, token| match token.text.as_str() {
                "{" => depth + 1,
                "}" => depth.saturating_sub(1),
                _ => depth,
            });
        let mut depth = depth;
        while self.peek().kind != Kind::End {
            let token = self.next();
            match token.text.as_str() {
                ";" if depth == 0 => return,
                "{" => depth += 1,
                "}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.take(";");
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// Skips `__attribute__((…))`, and what renames a symbol; whether one of them packs a structure.
    fn skip_attributes(&mut self) -> Parsed<bool> {
        let mut packed = false;
        loop {
            let token = self.peek();
            match token.text.as_str() {
                _ if token.kind != Kind::Name => return Ok(packed),
                "__attribute__" | "__attribute" | "_Alignas" | "__declspec" => {}
                "asm" | "__asm__" | "__asm" if self.peek_at(1).is("(") => {}
                "__extension__" | "__restrict" | "__restrict__" | "restrict" => {
                    self.at += 1;
                    continue;
                }
                _ => return Ok(packed),
            }
            self.at += 1;
            let start = self.at;
            self.skip_parentheses()?;
            let within = &self.tokens[start..self.at];
            packed |= within
                .iter()
                .any(|one| one.is_word("packed") || one.is_word("__packed__"));
        }
    }

    fn skip_parentheses(&mut self) -> Parsed<()> {
        self.expect("(")?;
        let mut depth = 1usize;
        while depth > 0 {
            let token = self.peek();
            match token.text.as_str() {
                _ if token.kind == Kind::End => return self.fail("`)`"),
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
        Ok(())
    }
}

fn unknown(token: &Token) -> String {
    match token.text.as_str() {
        "/*" => "found a comment that has no end".to_string(),
        text if text.starts_with(['"', '\'']) => "found a quote that has no end".to_string(),
        text => format!("found `{}`, which begins nothing", text.escape_debug()),
    }
}

/// Whether a word is no name.
fn is_keyword(text: &str) -> bool {
    KEYWORDS.contains(&text)
}

const KEYWORDS: [&str; 59] = [
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "_Alignas",
    "_Alignof",
    "_Atomic",
    "_Bool",
    "_Complex",
    "_Generic",
    "_Imaginary",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
    "__attribute__",
    "__inline",
    "__inline__",
    "__const",
    "__volatile__",
    "__volatile",
    "__signed__",
    "__extension__",
    "__restrict",
    "__restrict__",
    "__typeof__",
    "typeof",
    "__alignof__",
    "__thread",
    "__int128",
];

#[cfg(test)]
mod tests;
