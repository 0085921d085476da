//! Lustre as a row of the registry: what the other rooms may know of it.

use super::{EquationKind, Loaded, Options, print, print_expression};
use crate::language::{self, Design, Language, Observable};
use proofmark_model::{ElementFacts, Expr, Facts, Rewriter, Symbol, VariableFacts};
use proofmark_source::{FileId, Sources};
use rustc_hash::FxHashSet;

/// Lustre, in the dialect of JKind.
pub static LANGUAGE: Language = Language {
    name: "lustre",
    extensions: &["lus", "lustre"],
    load,
    expression: print_expression,
    property,
    rewriter: Some(rewriter),
    unmutated: None,
    observable: Observable::Outputs,
    merge: None,
    part: Some(print),
    write_netlist: None,
    witness: None,
    word_witness: None,
    simulator_test: None,
    translator: None,
    program: None,
};

fn load(sources: &Sources, file: FileId, options: &language::Options) -> language::LoadResult {
    let (loaded, diagnostics) = super::load(sources, file, &own(options));
    (loaded.map(neutral).map(Design::Words), diagnostics)
}

fn rewriter(
    sources: &Sources,
    file: FileId,
    options: &language::Options,
) -> Option<Box<dyn Rewriter>> {
    super::rewriter(sources, file, &own(options))
}

fn own(options: &language::Options) -> Options {
    Options {
        main: options.main.clone(),
        strict: options.strict,
        nonlinear: options.nonlinear,
        ..Options::default()
    }
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
        EquationKind::Equation => "equation",
        EquationKind::Clock => "clock",
        EquationKind::Range => "range",
    }
}

fn property(name: &str, tree: &Expr) -> String {
    format!("--%PROPERTY \"{name}\" {};", print_expression(tree))
}
