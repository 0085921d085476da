//! Changes of whole equations, and what they ask of the rest of the file.
//!
//! A removed equation is written as one whose right side is a new input: `x = any_x`. The variable
//! keeps its declaration, so that it stays an output if it is one, and a subrange stays an
//! obligation; the input is free at every step. In a called node the input is passed on by every
//! call, each with an input of its own, up to the main node. An argument of a call under a clock is
//! computed at every step, so that it is free there as well.

use super::{Change, Writer, literal};
use crate::lustre::check::Reference;
use crate::lustre::lexer::{Keyword, Symbol, Token};
use crate::lustre::syntax::{Binary, ExpressionId, Kind, StatementKind};
use crate::lustre::types::{Type, TypeId};
use proofmark_model::{Rewrite, Rewritten};
use proofmark_source::{Edit, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// A removal that takes more new inputs, over all callers, is not written.
const MOST_INPUTS: usize = 1000;

/// A variable to be declared, and its type.
type Declared = (String, String);

impl Writer {
    pub(super) fn rewrite_equation(
        &self,
        node: usize,
        statement: usize,
        rewrite: &Rewrite,
    ) -> Option<Rewritten> {
        let equation = self.statement(node, statement);
        let targets = match (&equation.kind, rewrite) {
            (StatementKind::Equation(targets), _) => targets.as_slice(),
            // An assumption that goes is one that everything satisfies.
            (StatementKind::Assert, Rewrite::Equal(_)) => &[],
            _ => return None,
        };
        let root = equation.value.root;
        let of = self.type_of(root);
        let (mut edits, mut taken) = (Vec::new(), FxHashSet::default());
        let mut change = Change {
            edits: Vec::new(),
            place: equation.span,
            at: equation.span.start,
            dropped: vec![root],
            named: None,
        };
        let mut note = None;
        match rewrite {
            Rewrite::Equal(value) => {
                let (text, _) = literal::literal(&self.checked.types, of, value)?;
                edits.push(Edit::new(self.span(root), text));
            }
            Rewrite::Init(value) if !self.clocked[node] => {
                let (text, _) = literal::literal(&self.checked.types, of, value)?;
                let mut before = format!("{text} {} ", Binary::Arrow.text());
                let span = self.span(root);
                if !self.layout.shape(root).is_closed() {
                    before.push('(');
                    edits.push(Edit::insert(span, span.end, ")"));
                }
                edits.push(Edit::insert(span, span.start, before));
                change.dropped.clear();
            }
            Rewrite::Remove => {
                let mut inputs = Vec::new();
                let mut values = Vec::new();
                for target in targets {
                    let info = &self.checked.nodes[node];
                    let at = *info.names.get(&target.text)?;
                    let of = info.variables[at as usize].of;
                    let base = format!("any_{}", target.text);
                    values.push(self.free(of, &base, &mut taken, &mut inputs)?);
                }
                let value = match &values[..] {
                    [only] => only.clone(),
                    _ => format!("({})", values.join(", ")),
                };
                edits.push(Edit::new(self.span(root), value));
                note = Some(inputs_note(&inputs));
                self.pass_inputs(node, inputs, &mut taken, &mut edits)?;
            }
            _ => return None,
        }
        self.keep_calls(node, statement, &change, &mut taken, &mut edits);
        self.finish(edits, change.place, change.at, note)
    }

    /// A value of a type, free in every scalar, made of new inputs. An input of a subrange would be
    /// assumed to lie in it.
    fn free(
        &self,
        of: TypeId,
        base: &str,
        taken: &mut FxHashSet<String>,
        inputs: &mut Vec<Declared>,
    ) -> Option<String> {
        let types = &self.checked.types;
        let plain = types.plain(of);
        if plain == of || !self.has_record(of) {
            let name = self.fresh(base, taken);
            inputs.push((name.clone(), types.name(plain)));
            return (inputs.len() <= MOST_INPUTS).then_some(name);
        }
        // Recursion is as deep as types are, which is bounded.
        match types.get(of) {
            Type::Array(element, length) => {
                let elements = (0..*length)
                    .map(|at| self.free(*element, &format!("{base}_{at}"), taken, inputs));
                let elements: Option<Vec<String>> = elements.collect();
                Some(format!("[{}]", elements?.join(", ")))
            }
            Type::Record(..) => {
                let record = types.record(of)?;
                let fields = record.fields.iter().map(|field| {
                    let base = format!("{base}_{}", field.name);
                    let value = self.free(field.of, &base, taken, inputs)?;
                    Some(format!("{} = {value}", field.name))
                });
                let fields: Option<Vec<String>> = fields.collect();
                Some(format!("{} {{{}}}", record.name, fields?.join("; ")))
            }
            _ => None,
        }
    }

    pub(super) fn has_record(&self, of: TypeId) -> bool {
        match self.checked.types.get(of) {
            Type::Record(..) => true,
            Type::Array(element, _) => self.has_record(*element),
            _ => false,
        }
    }

    /// Declares inputs of a node, and has every call of it pass them on.
    fn pass_inputs(
        &self,
        node: usize,
        inputs: Vec<Declared>,
        taken: &mut FxHashSet<String>,
        edits: &mut Vec<Edit>,
    ) -> Option<()> {
        let mut count = inputs.len();
        let mut added: FxHashMap<usize, Vec<Declared>> = FxHashMap::from_iter([(node, inputs)]);
        for at in self.order.iter().map(|at| *at as usize) {
            let mut own = Vec::new();
            for (call, callee) in &self.checked.nodes[at].calls {
                let Some(wanted) = added.get(&(*callee as usize)) else {
                    continue;
                };
                let mut names = Vec::new();
                for (name, of) in wanted {
                    let name = self.fresh(name, taken);
                    own.push((name.clone(), of.clone()));
                    names.push(name);
                }
                count += names.len();
                if count > MOST_INPUTS {
                    return None;
                }
                edits.push(self.add_arguments(*call, &names)?);
            }
            if !own.is_empty() {
                added.entry(at).or_default().extend(own);
            }
        }
        for (at, inputs) in &added {
            edits.push(self.declare_inputs(*at, inputs)?);
        }
        Some(())
    }

    fn add_arguments(&self, call: ExpressionId, names: &[String]) -> Option<Edit> {
        let Kind::Call { arguments, .. } = self.kind(call) else {
            return None;
        };
        let span = self.layout.bare(call);
        let names = names.join(", ");
        Some(match arguments.last() {
            Some(last) => Edit::insert(span, self.span(*last).end, format!(", {names}")),
            None => Edit::insert(span, span.end - 1, names),
        })
    }

    fn declare_inputs(&self, node: usize, inputs: &[Declared]) -> Option<Edit> {
        let definition = &self.program.nodes[node];
        let text = declarations(inputs);
        if let Some(last) = definition.inputs.last() {
            let span = last.of.span;
            return Some(Edit::insert(span, span.end, format!("; {text}")));
        }
        let name = definition.name.span;
        let open = self.find(name.end, Token::Symbol(Symbol::Open))?;
        Some(Edit::insert(name, open.end, text))
    }

    /// The first token of a kind from a byte on.
    fn find(&self, from: u32, wanted: Token) -> Option<Span> {
        let from = self.tokens.at(from);
        let mut kinds = self.tokens.kinds[from..].iter();
        let offset = kinds.position(|kind| *kind == wanted)?;
        Some(self.tokens.spans[from + offset])
    }

    /// Names for the values of a call.
    pub(super) fn names_for(
        &self,
        call: ExpressionId,
        taken: &mut FxHashSet<String>,
    ) -> Vec<String> {
        let base = self.callee(call).unwrap_or("called");
        let parts = self.parts(call);
        parts
            .iter()
            .map(|_| self.fresh(&format!("{base}_value"), taken))
            .collect()
    }

    fn callee(&self, call: ExpressionId) -> Option<&'static str> {
        match self.kind(call) {
            Kind::Call { callee, .. } => Some(callee.text.as_str()),
            Kind::Condact(items) => self.callee(*items.get(1)?),
            Kind::Field(base, _) | Kind::Index { base, .. } => self.callee(*base),
            _ => None,
        }
    }

    fn parts(&self, call: ExpressionId) -> Vec<TypeId> {
        let of = self.type_of(call);
        match self.checked.types.get(of) {
            Type::Tuple(parts) => parts.clone(),
            _ => vec![of],
        }
    }

    /// Gives equations of their own to calls that the text no longer has but whose nodes say more
    /// than what their outputs are, and to calls that are read by name.
    pub(super) fn keep_calls(
        &self,
        node: usize,
        statement: usize,
        change: &Change,
        taken: &mut FxHashSet<String>,
        edits: &mut Vec<Edit>,
    ) {
        let mut calls: Vec<(ExpressionId, Vec<String>)> = change.named.iter().cloned().collect();
        for dropped in &change.dropped {
            let binding = self.binding_calls(*dropped);
            calls.extend(
                binding
                    .into_iter()
                    .map(|call| (call, self.names_for(call, taken))),
            );
        }
        if calls.is_empty() {
            return;
        }
        let (mut declared, mut equations) = (Vec::new(), Vec::new());
        for (call, names) in calls {
            let types = self.parts(call).into_iter();
            let types = types.map(|of| self.checked.types.name(of));
            declared.extend(names.iter().cloned().zip(types));
            let left = match &names[..] {
                [only] => only.clone(),
                _ => format!("({})", names.join(", ")),
            };
            equations.push(format!("{left} = {};", self.slice(self.layout.bare(call))));
        }
        edits.extend(self.declare_locals(node, &declared));
        let at = self.statement(node, statement).span;
        edits.push(self.insert_line(at, &equations.join(" ")));
    }

    /// The outermost calls of nodes that say more than what their outputs are.
    fn binding_calls(&self, root: ExpressionId) -> Vec<ExpressionId> {
        let mut calls = Vec::new();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            let call = match self.kind(id) {
                Kind::Condact(items) => items.get(1).copied().unwrap_or(id),
                _ => id,
            };
            let says_more = match self.reference(call) {
                Reference::Node(callee) | Reference::Clocked(callee) => {
                    self.binding[callee as usize]
                }
                _ => false,
            };
            match says_more {
                true => calls.push(id),
                false => self.kind(id).operands(|operand| stack.push(operand)),
            }
        }
        calls.sort_unstable();
        calls
    }

    fn declare_locals(&self, node: usize, declared: &[Declared]) -> Option<Edit> {
        let definition = &self.program.nodes[node];
        let from = definition
            .outputs
            .last()
            .map_or(definition.name.span, |one| one.of.span);
        let at = self.find(from.end, Token::Keyword(Keyword::Let))?;
        let word = if definition.locals.is_empty() {
            "var "
        } else {
            ""
        };
        Some(self.insert_line(at, &format!("{word}{};", declarations(declared))))
    }

    /// Inserts a line before what begins one; within a line, only the text.
    fn insert_line(&self, at: Span, text: &str) -> Edit {
        let start = at.start as usize;
        let line = self.text[..start]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let indent = &self.text[line..start];
        let between = match indent.chars().all(char::is_whitespace) {
            true => format!("\n{indent}"),
            false => " ".into(),
        };
        Edit::insert(at, at.start, format!("{text}{between}"))
    }
}

fn declarations(declared: &[Declared]) -> String {
    let declared = declared.iter().map(|(name, of)| format!("{name}: {of}"));
    declared.collect::<Vec<String>>().join("; ")
}

fn inputs_note(inputs: &[Declared]) -> String {
    let names: Vec<String> = inputs
        .iter()
        .take(3)
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    let more = if inputs.len() > 3 { ", …" } else { "" };
    match inputs.len() {
        1 => format!("{} is a new input: any value at every step", names[0]),
        _ => format!(
            "{}{more} are new inputs: any values at every step",
            names.join(", ")
        ),
    }
}
