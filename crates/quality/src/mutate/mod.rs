//! Mutations: the small faults that a proof should notice.
//!
//! A mutation belongs to a place in the source. It is made on the typed trees, so that one mutator
//! serves every language; it changes every instance of its place, and counts once. [`mutators`] is
//! the registry, a row a mutator; [`Selection`] says which rows are wanted; [`generate()`] applies
//! them to a model. What it returns can be lowered together with the original elements
//! ([`Lowered::patches`](proofmark_model::Lowered::patches)).

mod assumption;
mod campaign;
mod compare;
mod decide;
mod explain;
mod generate;
mod mutant;
mod prepare;
mod shared;

pub use assumption::{AssumptionEffect, assumption_effects};
pub use campaign::{Decided, Fate, Former, News, Plan, Test, campaign};
pub(crate) use compare::product::copy_element;
pub use compare::product::{Comparison, Distinction, Side};
pub use explain::kill_matrix::{Cell, Worth, matrix, worth};
pub use explain::suggest::{Suggested, suggest};
pub use explain::witness::{Witness, witness};
pub use generate::generate;
pub use generate::mutators::{Mutator, Set, mutators};
pub use generate::selection::{Selection, SelectionError};
pub use mutant::Mutant;
pub use prepare::{Campaign, CampaignError, MutableModel, Observed};
use proofmark_model::{Category, ElementId, Equation, Expr, Location, NodeId, Rewritten, System};

/// One mutation of the source: it changes every instance of its place, and counts once.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// The name of the mutator, as `or2xor`.
    pub mutator: &'static str,
    /// What people see: the name, and for constants and variables what became of them, as
    /// `const int 0 -> 1`.
    pub label: String,
    /// The first element that it changes.
    pub element: ElementId,
    /// The expression or the whole equation that it belongs to.
    pub place: MutationPlace,
    /// What is replaced: an expression or an equation.
    pub location: Location,
    /// What it is in the source, where that is text.
    pub rewritten: Option<Rewritten>,
    /// The tree at the place, in the first instance.
    pub before: Expr,
    /// What takes its place; nothing when the equation is removed.
    pub after: Option<Expr>,
    /// Counts what this mutator tries in the same element of the source, from 1, whether or not a
    /// mutation comes of it: so it is the same with every selection of mutators.
    pub ordinal: u32,
    /// What becomes of the elements, in every instance.
    pub change: MutationChange,
}

impl Mutation {
    /// Whether it changes nothing but what is assumed. A named constant may stand in an assumption and
    /// in an equation; a change of both is a change of what the model does.
    pub fn is_of_assumption(&self, system: &System) -> bool {
        let assumed = |id: &ElementId| system.element(*id).origin.category == Category::Assertion;
        self.elements().iter().all(assumed)
    }

    /// The elements that it changes, in order.
    pub fn elements(&self) -> Vec<ElementId> {
        match &self.change {
            MutationChange::Replace(changed) => changed.iter().map(|(id, _)| *id).collect(),
            MutationChange::Remove(removed) => removed.clone(),
        }
    }
}

/// What a mutation belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MutationPlace {
    /// An expression, in all instances.
    Node(NodeId),
    /// A whole equation, in all instances and scalars.
    Equation,
}

/// What becomes of the elements of a model.
#[derive(Clone, Debug)]
pub enum MutationChange {
    /// Each element gets another equation.
    Replace(Vec<(ElementId, Equation)>),
    /// What they define becomes free.
    Remove(Vec<ElementId>),
}

/// The mutations of a model, in the order of the source.
#[derive(Clone, Debug, Default)]
pub struct Generated {
    /// Those that are kept, each once.
    pub mutations: Vec<Mutation>,
    /// Mutations left out because they are the same as another or as the original.
    pub merged: usize,
    /// Mutations left out because they are no models: a variable would depend on itself, or
    /// something be divided by zero.
    pub invalid: usize,
    /// Mutations left out because no text means what the trees do.
    pub unwritten: usize,
}
