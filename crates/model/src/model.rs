//! A model as trees: what front ends make and mutators change.
//!
//! The trees are the source's own words; [`lower`](crate::lower) makes a [`System`](crate::System)
//! of them, element for equation. A mutation is made here, on the trees, and only the equations that
//! it changed are lowered again.

use crate::expr::{Expr, NodeId, NodeIds};
use crate::origin::Origin;
use crate::system::{ElementId, Phase, System, Variable};
use crate::temporal::{Fairness, Specification};
use crate::term::{Function, SortError, Symbol, Term};
use rustc_hash::FxHashMap;

/// Variables, equations and properties, as trees.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Inputs, outputs and locals; every name is declared once.
    pub variables: Vec<Variable>,
    /// Equation `i` becomes element `i` of the system.
    pub equations: Vec<Equation>,
    /// The properties, in the order of the source.
    pub goals: Vec<Goal>,
    /// What is said of whole runs or of the tree of runs, in the order of the source.
    pub specifications: Vec<Specification<Expr>>,
    /// Which runs count for the specifications.
    pub fairness: Fairness<Expr>,
    /// The uninterpreted functions that trees call.
    pub functions: Vec<Function>,
    /// Where new nodes get their ids.
    pub node_ids: NodeIds,
}

/// One element as a tree.
#[derive(Clone, Debug)]
pub struct Equation {
    /// The variable that is equal to the tree; without one, the tree is a constraint.
    pub target: Option<Symbol>,
    /// Whether it computes its target or relates it to others.
    pub reading: Reading,
    /// At which steps it holds.
    pub when: When,
    /// The right side, or the constraint.
    pub tree: Expr,
    /// Where it is in the source.
    pub origin: Origin,
}

/// What an equation says of its target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Reading {
    /// The target has the value of the tree, which is known before it.
    #[default]
    Definition,
    /// The target is free, and a constraint says that it is equal to the tree: what breaks a cycle
    /// of equations that need each other within one step. None, one or many values may satisfy it.
    Relation,
}

/// At which steps an equation holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum When {
    /// At every step.
    Always,
    /// Only at the first step.
    First,
    /// At every step but the first.
    Later,
}

impl When {
    /// Whether such an equation has a part in this phase.
    pub fn holds_in(self, phase: Phase) -> bool {
        !matches!(
            (self, phase),
            (When::First, Phase::Step) | (When::Later, Phase::Init)
        )
    }
}

/// A property as a tree.
#[derive(Clone, Debug)]
pub struct Goal {
    /// As reports write it.
    pub name: String,
    /// A Boolean, true in every state if the property holds.
    pub tree: Expr,
    /// Where it is in the source.
    pub origin: Origin,
}

impl Model {
    /// The variable on the left side of an element's equation, also one that it relates and does
    /// not define.
    pub fn target(&self, id: ElementId, system: &System) -> Option<Term> {
        let name = self.equations.get(id.index())?.target?;
        Some(system.variable_named(name)?.current)
    }

    /// Which equations contain a place, in order: those that a mutation of it changes.
    pub fn occurrences(&self) -> FxHashMap<NodeId, Vec<ElementId>> {
        let mut occurrences: FxHashMap<NodeId, Vec<ElementId>> = FxHashMap::default();
        for (index, equation) in self.equations.iter().enumerate() {
            let id = ElementId(index as u32);
            for node in equation.tree.nodes() {
                let elements = occurrences.entry(node.id()).or_default();
                if elements.last() != Some(&id) {
                    elements.push(id);
                }
            }
        }
        occurrences
    }

    /// Replaces a place in every equation that has it; see [`Expr::replace`]. Returns the equations
    /// that changed.
    pub fn replace(
        &self,
        place: NodeId,
        elements: &[ElementId],
        mut replacement: impl FnMut(&Expr) -> Result<Expr, SortError>,
    ) -> Result<Vec<(ElementId, Equation)>, SortError> {
        let mut changed = Vec::new();
        for &id in elements {
            let equation = &self.equations[id.index()];
            let tree = equation.tree.replace(place, &mut replacement)?;
            if !tree.is_same(&equation.tree) {
                let origin = equation.origin.clone();
                changed.push((
                    id,
                    Equation {
                        tree,
                        origin,
                        ..*equation
                    },
                ));
            }
        }
        Ok(changed)
    }
}
