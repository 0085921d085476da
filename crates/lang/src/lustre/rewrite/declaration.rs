//! The range of an input, taken away: `x: subrange [0, 9] of int` becomes `x: int`.
//!
//! The range of an input of the main node is an assumption, and the only one that no statement makes.
//! Its declaration is written anew with the plain type; names that are declared with it keep theirs.
//! A record that has ranges has no plain form that a text could name, so that its ranges stay.
//!
//! The type of an input says one thing more: a `pre` that is read at the first step has a value of
//! the range. A text without the range would allow others there, which is another change; then there
//! is no text.

use super::Writer;
use crate::lustre::load;
use crate::lustre::types::TypeId;
use proofmark_model::{Bounds, Rewrite, Rewritten, Role, Symbol, Value, lower};
use proofmark_source::{Edit, Sources, Span};
use rustc_hash::FxHashMap;

/// The bounds of the values that a text leaves arbitrary, by the names of their variables. Nothing
/// when the text is no model.
pub(super) type Choices = Option<FxHashMap<Symbol, Bounds>>;

impl Writer {
    /// Takes the range away from the input that is declared at a place.
    pub(super) fn rewrite_declaration(&self, place: Span, rewrite: &Rewrite) -> Option<Rewritten> {
        if *rewrite != Rewrite::Equal(Value::Bool(true)) {
            return None;
        }
        let inputs = &self.program.nodes[self.main].inputs;
        let input = inputs.iter().find(|one| one.name.span == place)?;
        let info = &self.checked.nodes[self.main];
        let type_of = |name| -> Option<TypeId> {
            let at = *info.names.get(&name)?;
            Some(info.variables[at as usize].of)
        };
        let of = type_of(input.name.text)?;
        let plain = self.checked.types.plain(of);
        if plain == of || self.has_record(of) {
            return None;
        }
        // Names that share a type stand before it, separated by commas.
        let group: Vec<_> = inputs
            .iter()
            .filter(|one| one.of.span == input.of.span)
            .collect();
        let first = group.first()?.name.span;
        let whole = Span::new(first.file, first.start, input.of.span.end);
        let declared = group.iter().map(|one| match one.name.span == place {
            true => format!("{}: {}", one.name.text, self.checked.types.name(plain)),
            false => format!("{}: {}", one.name.text, self.slice(one.of.span)),
        });
        let declared: Vec<String> = declared.collect();
        let edits = vec![Edit::new(whole, declared.join("; "))];
        let rewritten = self.finish(edits, whole, place.start, None)?;
        let same = self.is_correct(&rewritten) && self.has_same_choices(&rewritten);
        same.then_some(rewritten)
    }

    /// Whether what is arbitrary has the same bounds in the edited text.
    fn has_same_choices(&self, rewritten: &Rewritten) -> bool {
        let own = self
            .bounded_choices
            .get_or_init(|| self.choices(&self.text));
        match own {
            None => false,
            Some(own) if own.is_empty() => true,
            own => self.choices(&rewritten.edits.apply(&self.text)) == *own,
        }
    }

    fn choices(&self, text: &str) -> Choices {
        let mut sources = Sources::default();
        let file = sources.add("text", text.to_string()).ok()?;
        let (loaded, _) = load(&sources, file, &self.options);
        let lowered = lower(&loaded?.model).ok()?;
        let variables = lowered.system.variables().iter();
        let choices = variables.filter(|one| one.role == Role::Choice);
        let bounded = choices.filter_map(|one| Some((one.name, one.bounds.clone()?)));
        Some(bounded.collect())
    }
}
