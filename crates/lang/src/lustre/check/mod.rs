//! The syntax tree, checked: every name resolved, every expression typed.
//!
//! Four passes, one a file: [`definitions`] makes the types and the constants, [`nodes`] the
//! signatures and the statements with [`expressions`] under them, [`calls`] looks at who calls whom,
//! [`guard`] warns of a `pre` that is read at the first step. Each says all that it finds; what was
//! found wrong has the unknown type from then on, which fits everywhere, so that one slip is one
//! message.

mod calls;
mod definitions;
mod expressions;
mod guard;
mod nodes;

use super::syntax::{ExpressionId, Name, Program};
use super::types::{TypeId, Types};
use proofmark_model::{EnumSort, Symbol, Value};
use proofmark_source::{Diagnostic, Span, nearest};
use rustc_hash::FxHashMap;
use std::sync::Arc;

pub(super) use calls::select_main;

/// What a name or a call in an expression stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reference {
    None,
    /// A name, or the beginning of one with dots, that nothing is known by yet.
    Pending(Symbol),
    /// A variable of the node, by position.
    Variable(u32),
    Constant(u32),
    EnumValue(EnumSort, u32),
    /// A call of a node; under a `condact` whose clock is not always true it is made there.
    Node(u32),
    Clocked(u32),
    Function(u32),
    /// A constant index into an array.
    Index(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DeclarationKind {
    Input,
    Output,
    Local,
}

#[derive(Clone, Debug)]
pub(super) struct VariableInfo {
    pub name: Symbol,
    pub span: Span,
    /// As declared, with subranges.
    pub of: TypeId,
    pub kind: DeclarationKind,
}

/// What a caller sees.
#[derive(Clone, Debug, Default)]
pub(super) struct Signature {
    pub inputs: Vec<TypeId>,
    pub outputs: Vec<TypeId>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct NodeInfo {
    /// Inputs, outputs, locals.
    pub variables: Vec<VariableInfo>,
    pub names: FxHashMap<Symbol, u32>,
    pub signature: Signature,
    /// The calls of nodes in the body, in the order of the text, each with its callee.
    pub calls: Vec<(ExpressionId, u32)>,
    /// Whether a run of it depends on more than the inputs of the present step.
    pub memory: Memory,
    /// How many expressions an instance has, with all that it calls.
    pub unfolded: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Memory {
    #[default]
    Without,
    With,
}

#[derive(Clone, Debug)]
pub(super) struct ConstantInfo {
    pub of: TypeId,
    /// The scalars of its value; none when something is wrong with it.
    pub values: Option<Arc<[Value]>>,
}

/// What the passes found out.
#[derive(Debug)]
pub(super) struct Checked {
    pub types: Types,
    pub named_types: FxHashMap<Symbol, TypeId>,
    pub constants: Vec<ConstantInfo>,
    /// The constants, each after those that it uses.
    pub constant_order: Vec<u32>,
    pub functions: Vec<Signature>,
    pub nodes: Vec<NodeInfo>,
    /// For each expression of the program.
    pub references: Vec<Reference>,
    /// The plain type of each expression.
    pub expression_types: Vec<TypeId>,
}

/// The passes' common ground.
struct Checker<'a> {
    program: &'a Program,
    diagnostics: &'a mut Vec<Diagnostic>,
    checked: Checked,
    /// The values of constant expressions.
    values: Vec<Option<Arc<[Value]>>>,
    /// What a global name stands for: a constant or a value of an enumeration.
    globals: FxHashMap<Symbol, (Reference, Span)>,
    callees: FxHashMap<Symbol, (Reference, Span)>,
    /// How many more names are compared to find what was meant: each costs a look at all names.
    suggestions: u32,
    /// Whether products and quotients of values that are not constant are accepted.
    nonlinear: bool,
}

/// Checks a program. When errors were reported, what is returned is not fit for the next pass.
pub(super) fn check(
    program: &Program,
    nonlinear: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Checked {
    let count = program.expressions.len();
    let mut checker = Checker {
        program,
        diagnostics,
        checked: Checked {
            types: Types::new(),
            named_types: FxHashMap::default(),
            constants: Vec::new(),
            constant_order: Vec::new(),
            functions: Vec::new(),
            nodes: Vec::new(),
            references: vec![Reference::None; count],
            expression_types: vec![TypeId::UNKNOWN; count],
        },
        values: vec![None; count],
        globals: FxHashMap::default(),
        callees: FxHashMap::default(),
        suggestions: 20,
        nonlinear,
    };
    checker.definitions();
    checker.nodes();
    checker.calls();
    checker.guards();
    checker.checked
}

impl Checker<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        let error = Diagnostic::error(span, message).with_hint(hint);
        self.diagnostics.push(error);
    }

    /// An unknown name, with the nearest known one, or else with what to do and what is known.
    fn unknown(&mut self, what: &str, name: Name, candidates: &[&str], remedy: &str) {
        let text = name.text.as_str();
        let mut near = None;
        if self.suggestions > 0 {
            self.suggestions -= 1;
            near = nearest(text, candidates.iter().copied());
        }
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if candidates.is_empty() => remedy.to_string(),
            None => format!("{remedy}; known here: {}", listed(candidates)),
        };
        self.error(name.span, format!("unknown {what} `{text}`"), hint);
    }

    /// A second definition of a name.
    fn duplicate(&mut self, what: &str, name: Name, first: Span) {
        let message = format!("{what} `{}` is defined twice", name.text);
        let error = Diagnostic::error(name.span, message)
            .with_hint("remove or rename one of the two")
            .with_label(first, "first defined here");
        self.diagnostics.push(error);
    }
}

/// The first of some names, for a hint.
fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 10;
    let quoted = names.iter().take(SHOWN).map(|name| format!("`{name}`"));
    let mut shown: Vec<String> = quoted.collect();
    if names.len() > SHOWN {
        shown.push("…".into());
    }
    shown.join(", ")
}
