//! Tokens of C, each with its place: where the author wrote what became of it, and where it is spelled.
//!
//! A token that a macro expands to stands at the call of the macro, the outermost one, because that is
//! what its author looks at; where the macro spells it is kept beside.

use proofmark_model::Symbol;
use proofmark_source::Span;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name or a keyword.
    Name,
    /// What begins with a digit, as the preprocessor sees it.
    Number,
    /// A character constant, with its prefix and quotes.
    Character,
    /// A string literal, with its prefix and quotes.
    Text,
    /// An operator or a separator.
    Punctuator,
    /// What begins nothing; an error when it gets as far as the parser.
    Other,
    /// The end.
    End,
}

/// A token with its places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub text: Symbol,
    /// Where it stands; for what a macro expands to, where the macro is called.
    pub span: Span,
    /// Where it is spelled.
    pub spelled: Span,
    /// Whether something blank is before it.
    pub space: bool,
    /// Whether it is the first of its line.
    pub first: bool,
    /// Whether it is the name of a macro that is not to be expanded any more.
    pub blocked: bool,
}

impl Token {
    /// Whether it is this operator or separator.
    pub fn is(&self, text: &str) -> bool {
        self.kind == Kind::Punctuator && self.text.as_str() == text
    }

    /// Whether it is this word.
    pub fn is_word(&self, text: &str) -> bool {
        self.kind == Kind::Name && self.text.as_str() == text
    }
}

/// The smallest span that holds both; the first, if they are in different files.
pub(super) fn join(one: Span, other: Span) -> Span {
    match one.file == other.file {
        true => one.to(other),
        false => one,
    }
}
