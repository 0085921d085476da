//! Lustre as a row of the registry: what the other rooms may know of it.

use super::{EquationKind, Loaded, Options, print, print_expression};
use crate::language::{self, Language};
use proofmark_model::{ElementFacts, Expr, Facts, Operator, Symbol, VariableFacts};
use proofmark_source::{FileId, Sources};
use rustc_hash::FxHashSet;

/// Lustre, in the dialect of JKind.
pub static LANGUAGE: Language = Language {
    name: "lustre",
    extensions: &["lus", "lustre"],
    load,
    expression: print_expression,
    element,
    property,
    position,
    part: Some(print),
};

fn load(sources: &Sources, file: FileId, options: &language::Options) -> language::Outcome {
    let options = Options {
        main: options.main.clone(),
        strict: options.strict,
        nonlinear: options.nonlinear,
        ..Options::default()
    };
    let (loaded, diagnostics) = super::load(sources, file, &options);
    (loaded.map(neutral), diagnostics)
}

/// The same in words that every language has.
fn neutral(loaded: Loaded) -> language::Loaded {
    let wanted: Option<FxHashSet<Symbol>> = loaded.ivc.map(|list| list.into_iter().collect());
    let variables = loaded.variables.iter().map(|one| VariableFacts {
        declared: one.declared,
        scope: one.node,
    });
    let equations = loaded.model.equations.iter().zip(&loaded.equations);
    let elements = equations.map(|(equation, kind)| {
        // A file that names what it wants counted has no other elements.
        let is_wanted = match &wanted {
            Some(wanted) => equation
                .target
                .is_some_and(|target| wanted.contains(&target)),
            None => true,
        };
        ElementFacts {
            category: category(*kind),
            counted: is_wanted && !matches!(kind, EquationKind::Clock | EquationKind::Range),
        }
    });
    let facts = Facts {
        main: loaded.main,
        variables: variables.collect(),
        elements: elements.collect(),
    };
    language::Loaded {
        model: loaded.model,
        facts,
    }
}

fn category(kind: EquationKind) -> &'static str {
    match kind {
        EquationKind::Assertion => "assert",
        EquationKind::Binding => "argument",
        EquationKind::Equation | EquationKind::Clock | EquationKind::Range => "equation",
    }
}

/// An equation with another right side.
fn element(original: &str, value: &Expr) -> String {
    let left = original.split('=').next().unwrap_or("").trim();
    format!("{left} = {}", print_expression(value))
}

fn property(name: &str, tree: &Expr) -> String {
    format!("--%PROPERTY \"{name}\" {};", print_expression(tree))
}

/// An operation stands at its operator, everything else at its beginning.
fn position(text: &str, node: &Expr) -> Option<u32> {
    let span = node.origin().span()?;
    let infix = node.args().len() == 2 && !matches!(node.operator(), Operator::Call(_));
    let left = node.args().first().and_then(|left| left.origin().span());
    let left = left.filter(|left| infix && left.file == span.file && left.end > span.start);
    let found = left.and_then(|left| {
        let rest = text.as_bytes().get(left.end as usize..span.end as usize)?;
        let found = find(rest, node.operator().name().as_bytes());
        // The other spelling of an arrow.
        let arrow = *node.operator() == Operator::Arrow;
        let found = found.or_else(|| if arrow { find(rest, b"fby") } else { None });
        Some(left.end + found? as u32)
    });
    Some(found.unwrap_or(span.start))
}

/// Where a token stands first outside of comments.
fn find(text: &[u8], token: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if let Some(length) = comment(rest) {
            at += length;
        } else if rest.starts_with(token) {
            return Some(at);
        } else {
            at += 1;
        }
    }
    None
}

/// The length of the comment that begins here.
fn comment(text: &[u8]) -> Option<usize> {
    let ended = |end: &[u8]| {
        let mut windows = text[2..].windows(end.len());
        let found = windows.position(|window| window == end);
        found.map_or(text.len(), |at| at + 2 + end.len())
    };
    match text {
        [b'-', b'-', ..] => Some(ended(b"\n")),
        [b'(', b'*', ..] => Some(ended(b"*)")),
        [b'/', b'*', ..] => Some(ended(b"*/")),
        _ => None,
    }
}
