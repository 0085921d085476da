//! Changes in the definition of a named constant.
//!
//! A constant is changed once, for all uses. Some must keep the old value: what is part of a
//! property, the sizes and ranges of types, indices that are constant. The others then read a second
//! constant, and so do constants that are made from it.

use super::layout::Layout;
use super::{Change, Owner, Writer};
use crate::lustre::check::{Checked, Reference};
use crate::lustre::lexer::{Symbol, Token};
use crate::lustre::syntax::{BaseType, Bound, ExpressionId, Kind, Program, TypeBody, TypeSyntax};
use proofmark_model::Rewritten;
use proofmark_source::{Edit, Edits, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// The uses of named constants.
#[derive(Debug)]
pub(super) struct Definitions {
    /// The expressions that name each constant.
    uses: Vec<Vec<ExpressionId>>,
    /// Whether a type or a constant index has it, by constant; there it cannot change.
    in_types: Vec<bool>,
    /// Uses in constant indices.
    fixed: FxHashSet<ExpressionId>,
}

impl Definitions {
    pub fn new(program: &Program, checked: &Checked, layout: &Layout) -> Definitions {
        let count = program.constants.len();
        let mut definitions = Definitions {
            uses: vec![Vec::new(); count],
            in_types: vec![false; count],
            fixed: FxHashSet::default(),
        };
        // Operators stand after their operands, so that an index is known before what is in it.
        let mut within = vec![false; program.expressions.len()];
        for at in (0..program.expressions.len()).rev() {
            let id = ExpressionId(at as u32);
            if let Some(parent) = layout.parents[at] {
                let constant = matches!(checked.references[parent.index()], Reference::Index(_));
                let index = match &program.expression(parent).kind {
                    Kind::Index { index, .. } | Kind::UpdateIndex { index, .. } => *index == id,
                    _ => false,
                };
                within[at] = within[parent.index()] || constant && index;
            }
            if let Reference::Constant(constant) = checked.references[at] {
                definitions.uses[constant as usize].push(id);
                if within[at] {
                    definitions.fixed.insert(id);
                }
            }
        }
        let names: FxHashMap<_, usize> = program
            .constants
            .iter()
            .enumerate()
            .map(|(at, constant)| (constant.name.text, at))
            .collect();
        for bound in types(program).flat_map(bounds) {
            if let Bound::Named { name, .. } = bound
                && let Some(at) = names.get(&name.text)
            {
                definitions.in_types[*at] = true;
            }
        }
        definitions
    }
}

/// Every type that is written in a program.
fn types(program: &Program) -> impl Iterator<Item = &TypeSyntax> {
    let defined = program.types.iter().flat_map(|one| match &one.body {
        TypeBody::Alias(of) => vec![of],
        TypeBody::Struct(fields) => fields.iter().map(|field| &field.of).collect(),
        TypeBody::Enum(_) => Vec::new(),
    });
    let constants = program.constants.iter().filter_map(|one| one.of.as_ref());
    let functions = program.functions.iter();
    let functions = functions.flat_map(|one| one.inputs.iter().chain(&one.outputs));
    let nodes = program.nodes.iter();
    let nodes = nodes.flat_map(|one| one.inputs.iter().chain(&one.outputs).chain(&one.locals));
    let declared = functions.chain(nodes).map(|declaration| &declaration.of);
    defined.chain(constants).chain(declared)
}

fn bounds(of: &TypeSyntax) -> Vec<&Bound> {
    let mut bounds: Vec<&Bound> = of.dimensions.iter().collect();
    if let BaseType::Subrange(low, high) = &of.base {
        bounds.extend([low, high]);
    }
    bounds
}

/// The constants that a change reaches, and which of them exist twice afterwards.
struct Reach {
    /// Each after those that it is made from.
    reached: Vec<usize>,
    /// Some use must have the old value.
    kept: FxHashSet<usize>,
    /// The names of those that exist twice.
    second: FxHashMap<usize, String>,
}

impl Writer {
    /// A change in the definition of a constant, with these uses as they are.
    pub(super) fn redefine(
        &self,
        constant: usize,
        change: Change,
        keep: &[Span],
    ) -> Option<Rewritten> {
        let keep: FxHashSet<Span> = keep.iter().copied().collect();
        let reach = self.reach(constant, &keep);
        if reach.second.is_empty() {
            return match reach.kept.contains(&constant) {
                // Nobody would notice.
                true => None,
                false => self.finish(change.edits, change.place, change.at, None),
            };
        }
        let shown = Edits::new(change.edits.clone())?.apply_within(&self.text, change.place);
        let mut edits = Vec::new();
        for at in &reach.reached {
            let own = match *at == constant {
                true => change.edits.clone(),
                false => Vec::new(),
            };
            self.define_again(*at, own, &reach, &mut edits)?;
        }
        self.rename_uses(&reach, &keep, &mut edits);
        let note = format!(
            "properties, types and constant indices keep `{}`; the rest reads a second constant `{}`",
            self.program.constants[constant].name.text,
            reach.second.get(&constant)?
        );
        let mut rewritten = self.finish(edits, change.place, change.at, Some(note))?;
        rewritten.shown = Some(shown);
        Some(rewritten)
    }

    fn reach(&self, constant: usize, keep: &FxHashSet<Span>) -> Reach {
        let changes = |id: &ExpressionId| !self.definitions.fixed.contains(id);
        let mut reached: FxHashSet<usize> = FxHashSet::from_iter([constant]);
        let order = self.checked.constant_order.iter().map(|at| *at as usize);
        let order: Vec<usize> = order.collect();
        // The constants whose definitions use one, and the uses elsewhere.
        let made_from = |at: usize| {
            let uses = self.definitions.uses[at].iter().filter(|id| changes(id));
            uses.filter_map(|id| match self.owner(*id)? {
                Owner::Constant(user) => Some(user),
                Owner::Statement(..) => None,
            })
        };
        for at in &order {
            if reached.contains(at) {
                reached.extend(made_from(*at));
            }
        }
        let reached: Vec<usize> = order
            .into_iter()
            .filter(|at| reached.contains(at))
            .collect();
        let (mut kept, mut changed) = (FxHashSet::default(), FxHashSet::default());
        for at in reached.iter().rev() {
            let uses = &self.definitions.uses[*at];
            let is_kept = |id: &ExpressionId| !changes(id) || keep.contains(&self.span(*id));
            let elsewhere =
                |id: &&ExpressionId| matches!(self.owner(**id), Some(Owner::Statement(..)));
            if self.definitions.in_types[*at]
                || uses.iter().any(is_kept)
                || made_from(*at).any(|user| kept.contains(&user))
            {
                kept.insert(*at);
            }
            if uses.iter().filter(elsewhere).any(|id| !is_kept(id))
                || made_from(*at).any(|user| changed.contains(&user))
            {
                changed.insert(*at);
            }
        }
        let mut taken = FxHashSet::default();
        let twice = reached
            .iter()
            .filter(|at| kept.contains(at) && changed.contains(at));
        let second = twice.map(|at| {
            let name = self.program.constants[*at].name.text;
            (*at, self.fresh(&format!("{name}_2"), &mut taken))
        });
        Reach {
            second: second.collect(),
            reached,
            kept,
        }
    }

    /// Writes the second definition of a constant, or changes the only one.
    fn define_again(
        &self,
        at: usize,
        own: Vec<Edit>,
        reach: &Reach,
        edits: &mut Vec<Edit>,
    ) -> Option<()> {
        let definition = &self.program.constants[at];
        let mut changes = own;
        for (used, name) in &reach.second {
            let uses = self.definitions.uses[*used].iter();
            let uses = uses.filter(|id| self.owner(**id) == Some(Owner::Constant(at)));
            for id in uses.filter(|id| !self.definitions.fixed.contains(id)) {
                let place = self.layout.bare(*id);
                // A use that the change itself replaces is gone.
                if !changes.iter().any(|edit| covers(edit.span, place)) {
                    changes.push(Edit::new(place, name.as_str()));
                }
            }
        }
        let Some(name) = reach.second.get(&at) else {
            if !reach.kept.contains(&at) {
                edits.extend(changes);
            }
            return Some(());
        };
        let whole = self.span(definition.value.root);
        let value = Edits::new(changes)?.apply_within(&self.text, whole);
        let of = definition
            .of
            .as_ref()
            .map(|of| format!(": {}", self.slice(of.span)));
        let text = format!("\nconst {name}{} = {value};", of.unwrap_or_default());
        let end = self.tokens.at(whole.end);
        if self.tokens.kinds[end] != Token::Symbol(Symbol::Semicolon) {
            return None;
        }
        let end = self.tokens.spans[end].end;
        edits.push(Edit::insert(whole, end, text));
        Some(())
    }

    /// Lets the uses in nodes that change read the second constants.
    fn rename_uses(&self, reach: &Reach, keep: &FxHashSet<Span>, edits: &mut Vec<Edit>) {
        for (at, name) in &reach.second {
            let uses = self.definitions.uses[*at].iter();
            let uses = uses.filter(|id| {
                !self.definitions.fixed.contains(id)
                    && !keep.contains(&self.span(**id))
                    && matches!(self.owner(**id), Some(Owner::Statement(..)))
            });
            edits.extend(uses.map(|id| Edit::new(self.layout.bare(*id), name.as_str())));
        }
    }
}

fn covers(span: Span, other: Span) -> bool {
    span.start <= other.start && other.end <= span.end
}
