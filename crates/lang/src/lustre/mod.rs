//! Lustre, in the dialect of JKind.
//!
//! [`load`] takes a file through the passes: `lexer`, `parser`, `check`, `flatten`,
//! `causality`. Each looks at the whole file and adds what it finds wrong to one list; the model
//! is made only when nothing is.
//!
//! What the language means here:
//! - One equation is one element; an equation of a record, an array or a tuple gives one for each
//!   scalar, all with one [`Origin`](proofmark_model::Origin), so that equal origins are one
//!   equation of the source in one instance.
//! - A call makes an instance, named after the callee and numbered in the order of the text within
//!   its caller: `timer~0`, `plant~1.timer~0`. Its variables and equations are copied with that
//!   path. That its inputs are the arguments is generated, and so is what `condact` needs; the
//!   expressions in them are still the user's, and may be mutated.
//! - Scalars of compound variables are called `a[0]` and `r.f`; an index that is not constant
//!   becomes a conditional, in which an index out of range means the last element, as in JKind.
//! - A subrange is an assumption on an input of the main node and an obligation everywhere else.
//! - A cycle of equations within one step is a relation, as in JKind: its variables have any values
//!   that satisfy the equations, or there is no such run. A warning says so.
//! - What a division by zero gives is a function of the dividend of which nothing else is known, as in
//!   SMT-LIB; by the constant zero it is an error.
//! - An `assert` in a called node is an assumption at each call; a warning says so.

mod causality;
mod check;
mod constant;
mod door;
mod flatten;
mod lexer;
mod order;
mod parser;
mod print;
mod rewrite;
mod syntax;
mod types;

pub use crate::language::Part;
pub use door::LANGUAGE;
pub use print::{print, print_expression};
use proofmark_model::{Model, Symbol};
use proofmark_source::{Diagnostic, FileId, Severity, Sources, Span};
pub use rewrite::rewriter;

/// What a user may ask for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The main node; otherwise the one with `--%MAIN`, otherwise the last.
    pub main: Option<String>,
    /// Whether a cycle within one step is an error.
    pub strict: bool,
    /// Whether products of two values that are not constant, and divisions by one, are accepted.
    pub nonlinear: bool,
    /// How large the flattened model may become.
    pub limits: FlattenLimits,
}

/// How much a file may unfold to, so that a few lines cannot take all the memory there is.
#[derive(Clone, Debug)]
pub struct FlattenLimits {
    /// Nodes of expression trees and variables, over all instances.
    pub nodes: usize,
    /// How deep calls may be nested.
    pub calls: usize,
}

impl Default for FlattenLimits {
    fn default() -> FlattenLimits {
        FlattenLimits {
            nodes: 10_000_000,
            calls: 1000,
        }
    }
}

/// A model with what its source knows of it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The flattened model.
    pub model: Model,
    /// The name of the main node.
    pub main: String,
    /// About each variable of the model, in order.
    pub variables: Vec<VariableFacts>,
    /// About each equation of the model, in order.
    pub equations: Vec<EquationKind>,
    /// About each goal of the model, in order.
    pub goals: Vec<GoalKind>,
    /// The variables that `--%IVC` names, in all instances; `None` when there is no such directive
    /// and every equation counts.
    pub ivc: Option<Vec<Symbol>>,
}

/// How a variable came to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableFacts {
    /// The variable as declared, of which this may be one scalar.
    pub declared: Symbol,
    /// The node that declares it.
    pub node: Symbol,
    /// What it is in that node.
    pub kind: VariableKind,
    /// Where it is declared; of a generated one, what it serves.
    pub span: Span,
}

/// What a variable is in the node that declares it. The main node's inputs and outputs have these
/// roles in the model as well; those of instances are locals there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VariableKind {
    /// A parameter.
    Input,
    /// A result.
    Output,
    /// Neither.
    Local,
    /// Made up for a `condact`.
    Generated,
}

/// What an equation of the model is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EquationKind {
    /// An equation of the source in an instance.
    Equation,
    /// An `assert` of the source in an instance.
    Assertion,
    /// An input of an instance is equal to the argument. JKind counts these as elements; here they
    /// are generated.
    Binding,
    /// What runs a node under `condact`.
    Clock,
    /// An input of the main node lies in its subrange.
    Range,
}

/// What a goal of the model is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GoalKind {
    /// The user wrote it.
    Property,
    /// A variable lies in its subrange.
    Range,
}

/// Reads a file and makes a model of its main node. There is a model exactly when no diagnostic is
/// an error. Diagnostics come in the order of the text.
pub fn load(
    sources: &Sources,
    file: FileId,
    options: &Options,
) -> (Option<Loaded>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let loaded = run(sources, file, options, &mut diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    (loaded, diagnostics)
}

fn run(
    sources: &Sources,
    file: FileId,
    options: &Options,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Loaded> {
    let text = match sources.decode(file) {
        Ok(text) => text,
        Err(fault) => {
            diagnostics.push(fault);
            return None;
        }
    };
    let tokens = lexer::tokenize(text, file, diagnostics);
    let program = parser::parse(text, &tokens, diagnostics);
    let checked = check::check(&program, options.nonlinear, diagnostics);
    let end = text.len() as u32;
    let end = Span::new(file, end, end);
    let wanted = options.main.as_deref();
    let main = check::select_main(&program, wanted, end, diagnostics);
    if has_errors(diagnostics) {
        return None;
    }
    let mut loaded = flatten::flatten(&program, checked, main?, text, options, diagnostics)?;
    causality::check(&mut loaded.model, options.strict, diagnostics);
    (!has_errors(diagnostics)).then_some(loaded)
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    let mut severities = diagnostics.iter().map(|diagnostic| diagnostic.severity);
    severities.any(|severity| severity == Severity::Error)
}
