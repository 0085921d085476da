//! Diagnostics: what is wrong, where, and what to do, as data.

use crate::file::Span;

/// How bad a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The text is accepted, and may not mean what its author thinks.
    Warning,
    /// The text is refused.
    Error,
}

/// A further place that a diagnostic speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// What the label points at.
    pub span: Span,
    /// What is said there.
    pub text: String,
}

/// One message for the author of a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Whether the text is refused.
    pub severity: Severity,
    /// What the message is about.
    pub span: Span,
    /// What is wrong: what was expected and what was found.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Other places that explain it.
    pub labels: Vec<Label>,
}

impl Diagnostic {
    /// A diagnostic that refuses the text, without a hint or labels.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        let message = message.into();
        Diagnostic {
            severity: Severity::Error,
            span,
            message,
            hint: None,
            labels: Vec::new(),
        }
    }

    /// A diagnostic that lets the text pass, without a hint or labels.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(span, message)
        }
    }

    /// The same with what to do about it.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }

    /// The same with one more place.
    pub fn with_label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }
}
