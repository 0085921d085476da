//! What a front end knows of a model beyond its meaning.
//!
//! Engines need none of it. It is for those who speak to people: how an element is called, whether
//! it counts for coverage, and under which name the author declared a variable.

use crate::term::Symbol;

/// What is known of the parts of a [`Model`](crate::Model), in the words of its author.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The name of what is analysed: a main node, a module, a function.
    pub main: String,
    /// About each variable of the model, in order.
    pub variables: Vec<VariableFacts>,
    /// About each equation of the model, in order.
    pub elements: Vec<ElementFacts>,
}

/// How a variable was declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VariableFacts {
    /// The variable as declared, of which this may be one scalar.
    pub declared: Symbol,
    /// What declares it: a node, a module, a function.
    pub scope: Symbol,
}

/// What an equation of the model is to its author.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ElementFacts {
    /// What people call it: `equation`, `assert`, `latch`.
    pub category: &'static str,
    /// Whether coverage counts it. A file may say which of its elements count.
    pub counted: bool,
}
