//! Where a piece of the model comes from.
//!
//! An [`Origin`] is a place in the source, the chain of calls through which that place was
//! instantiated, and what kind of thing stands there. A source without text, such as a binary
//! netlist, has names and numbers in the place of spans. It goes with a node through inlining,
//! flattening and lowering, so that whatever is found out about a formula can be told in the words
//! of the file it came from. What a front end or a lowering makes up has the category
//! [`Category::Generated`]: it may point to the place it serves, but it is not the user's code and
//! nobody mutates it.

use crate::term::Symbol;
use proofmark_source::Span;
use std::fmt;
use std::sync::Arc;

/// What kind of thing stands at an origin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Category {
    /// Gives a variable its value at every step.
    Equation,
    /// Says what is assumed.
    Assertion,
    /// Gives a variable its value at the first step, at the next one, or at the current one.
    Assignment,
    /// A bit of state in a netlist.
    Latch,
    /// An operation in a netlist.
    Gate,
    /// A step of a program.
    Statement,
    /// Says what is to be proved.
    Property,
    /// The definition of a named constant.
    Constant,
    /// A declaration of a variable, with the constraint that its type may be.
    Declaration,
    /// A part of one of the above.
    Expression,
    /// Made up by the tool: counted in no coverage, never mutated.
    Generated,
}

impl Category {
    /// Whether mutators of whole elements are for this: whether it stands by itself and gives a
    /// variable its value. An assertion gives none, and what is a part goes with the whole.
    pub fn is_definition(self) -> bool {
        use Category::{Assignment, Equation, Gate, Latch, Statement};
        matches!(self, Equation | Assignment | Latch | Gate | Statement)
    }
}

/// A place in a source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Location {
    /// In a text.
    Span(Span),
    /// In a source that is no text: what people call it, and its number there.
    Name {
        /// As `latch` or `counter_state`.
        name: Symbol,
        /// Counts what the source lists, in its order.
        index: u32,
    },
}

impl Location {
    /// The place in the text, if it is one.
    pub fn span(self) -> Option<Span> {
        match self {
            Location::Span(span) => Some(span),
            Location::Name { .. } => None,
        }
    }

    /// Where it comes in the order of its source.
    pub fn start(self) -> u32 {
        match self {
            Location::Span(span) => span.start,
            Location::Name { index, .. } => index,
        }
    }
}

/// The chain of calls that leads to an instance, outermost first. Empty in the main node.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct InstancePath(Option<Arc<Call>>);

/// One call on an instance path.
#[derive(PartialEq, Eq, Hash, Debug)]
pub struct Call {
    outer: InstancePath,
    /// The name of the instance, as people should see it.
    pub name: Symbol,
    /// Where the call stands.
    pub span: Option<Span>,
}

impl InstancePath {
    /// The path of an instance that is called from this one.
    #[must_use]
    pub fn enter(&self, name: &str, span: Option<Span>) -> InstancePath {
        InstancePath(Some(Arc::new(Call {
            outer: self.clone(),
            name: Symbol::new(name),
            span,
        })))
    }

    /// This path as seen from the outer end of `outer`.
    #[must_use]
    pub fn within(&self, outer: &InstancePath) -> InstancePath {
        if self.is_root() {
            return outer.clone();
        }
        if outer.is_root() {
            return self.clone();
        }
        self.calls().iter().fold(outer.clone(), |path, call| {
            path.enter(call.name.as_str(), call.span)
        })
    }

    /// Whether it is the main node itself.
    pub fn is_root(&self) -> bool {
        self.0.is_none()
    }

    /// The calls, outermost first.
    pub fn calls(&self) -> Vec<&Call> {
        let mut calls = Vec::new();
        let mut path = self;
        while let Some(call) = &path.0 {
            calls.push(&**call);
            path = &call.outer;
        }
        calls.reverse();
        calls
    }
}

/// The names of the instances, joined by dots.
impl fmt::Display for InstancePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, call) in self.calls().iter().enumerate() {
            let dot = if position == 0 { "" } else { "." };
            write!(f, "{dot}{}", call.name)?;
        }
        Ok(())
    }
}

impl fmt::Debug for InstancePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Where a node or an element comes from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    /// The place in the source; nothing for what the tool made up.
    pub location: Option<Location>,
    /// The instance that it is in.
    pub path: InstancePath,
    /// What stands there.
    pub category: Category,
}

impl Origin {
    /// A place in the source, in the main node.
    pub fn new(span: Span, category: Category) -> Origin {
        Origin {
            location: Some(Location::Span(span)),
            path: InstancePath::default(),
            category,
        }
    }

    /// Something in a source without text.
    pub fn named(name: &str, index: u32, category: Category) -> Origin {
        let name = Symbol::new(name);
        Origin {
            location: Some(Location::Name { name, index }),
            path: InstancePath::default(),
            category,
        }
    }

    /// The place in the text, if there is one.
    pub fn span(&self) -> Option<Span> {
        self.location.and_then(Location::span)
    }

    /// No place at all.
    pub fn generated() -> Origin {
        Origin {
            location: None,
            path: InstancePath::default(),
            category: Category::Generated,
        }
    }

    /// The origin of something made up in the service of this place.
    #[must_use]
    pub fn serving(&self) -> Origin {
        Origin {
            category: Category::Generated,
            ..self.clone()
        }
    }

    /// The same place in an instance: `outer` leads to where its own path begins.
    #[must_use]
    pub fn within(&self, outer: &InstancePath) -> Origin {
        Origin {
            path: self.path.within(outer),
            ..self.clone()
        }
    }

    /// Whether somebody wrote this, so that it may be mutated and counts for coverage.
    pub fn is_source(&self) -> bool {
        self.location.is_some() && self.category != Category::Generated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_within_a_path_names_the_outer_calls_first() {
        let outer = InstancePath::default().enter("a", None).enter("b", None);
        let inner = InstancePath::default().enter("c", None);
        assert_eq!(inner.within(&outer).to_string(), "a.b.c");
        assert_eq!(inner.within(&outer), outer.enter("c", None));
        assert_eq!(inner.within(&InstancePath::default()), inner);
        assert_eq!(InstancePath::default().within(&outer), outer);
    }

    #[test]
    fn what_serves_a_place_is_not_source() {
        let mut sources = proofmark_source::Sources::default();
        let file = sources.add("a.lus", "x".into()).unwrap();
        let origin = Origin::new(Span::new(file, 0, 1), Category::Equation);
        assert!(origin.is_source());
        assert!(!origin.serving().is_source());
        assert_eq!(origin.serving().span(), origin.span());
        assert!(!Origin::generated().is_source());
        let named = Origin::named("latch", 3, Category::Latch);
        assert!(named.is_source() && named.span().is_none());
        assert_eq!(named.location.map(Location::start), Some(3));
    }
}
