//! What a mutation does, in words that every language can write into its own text.
//!
//! A mutator changes trees; people and patches see text. Both come from one [`Rewrite`] at one
//! place, so that what is shown is what was done: a [`Rewriter`] knows a file and says which edits
//! make its text mean the changed trees, or that none do.

use crate::expr::Operator;
use crate::value::Value;
use proofmark_source::{Edits, Span};

/// A change at a place in the source: an expression, or for the last three an equation.
#[derive(Clone, PartialEq, Debug)]
pub enum Rewrite {
    /// An operation has another operator over the same arguments.
    Operator(Operator),
    /// An operation becomes one of its arguments.
    Argument(usize),
    /// The condition of a conditional becomes a constant.
    Condition(bool),
    /// The branches of a conditional change places.
    Branches,
    /// Every scalar of an expression becomes this constant.
    Constant(Value),
    /// A variable becomes the one that is declared there.
    Variable(Span),
    /// A variable comes one step late: `x -> pre x`.
    Delay,
    /// The last index with which an array is read moves by so many.
    Index(i64),
    /// Every scalar that an equation defines is this constant; a number is an integer or a real, as
    /// the scalar is. An assumption demands it.
    Equal(Value),
    /// Every scalar that an equation defines is this constant at the first step.
    Init(Value),
    /// What an equation defines is free at every step.
    Remove,
}

/// A change as edits of the text.
#[derive(Clone, PartialEq, Debug)]
pub struct Rewritten {
    /// What to change in the files.
    pub edits: Edits,
    /// What the change is shown on: the text here becomes what the edits within it make of it, with
    /// `shown` in the place of it when the change is made in a copy somewhere else.
    pub place: Span,
    /// The text that stands for `place` when the change is made elsewhere.
    pub shown: Option<String>,
    /// Where people point: the operator of an operation, the beginning of everything else.
    pub at: u32,
    /// What the edits do besides, as a second constant.
    pub note: Option<String>,
}

/// Writes changes into the text of one file.
pub trait Rewriter: Send + Sync {
    /// The edits that make the text mean what the trees mean after a change at `place`, in all
    /// instances. `keep` has the uses of named constants, by place, that must keep their value
    /// although the change is in its definition. Nothing when no text has that meaning.
    fn rewrite(&self, place: Span, rewrite: &Rewrite, keep: &[Span]) -> Option<Rewritten>;

    /// The text of the place before and after, each on one line and without comments.
    fn show(&self, rewritten: &Rewritten) -> (String, String);
}
