//! A mutant as elements that take the place of others.
//!
//! A removed element stays as one that defines nothing, so that positions are the same in every
//! mutant.

use super::{Change, Mutation};
use proofmark_model::{
    Body, Definition, Element, ElementId, LowerError, Lowered, System, SystemError, Term, Variable,
};
use rustc_hash::FxHashMap;

/// What a mutation makes of a system.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// In the order of their ids.
    pub elements: Vec<(ElementId, Element)>,
    /// Variables that the original may not have.
    pub variables: Vec<Variable>,
}

impl Mutant {
    /// Lowers a mutation. `scope` goes before the names of new variables.
    pub fn new(lowered: &Lowered, mutation: &Mutation, scope: &str) -> Result<Mutant, LowerError> {
        let changed = match &mutation.change {
            Change::Replace(changed) => changed,
            Change::Remove(ids) => return Ok(Mutant::without(&lowered.system, ids)),
        };
        let mut mutant = Mutant {
            elements: Vec::new(),
            variables: Vec::new(),
        };
        for patch in lowered.patches(changed, scope)? {
            mutant.elements.push((patch.id, patch.element));
            mutant.variables.extend(patch.variables);
        }
        Ok(mutant)
    }

    fn without(system: &System, ids: &[ElementId]) -> Mutant {
        let free = |id: &ElementId| {
            let element = system.element(*id);
            let body = match &element.body {
                Body::Define(definition) => Body::Define(Definition {
                    variable: definition.variable,
                    init: None,
                    step: None,
                }),
                Body::Constrain { .. } => Body::Constrain {
                    init: None,
                    step: None,
                },
            };
            let element = Element {
                body,
                auxiliaries: Vec::new(),
                origin: element.origin.clone(),
            };
            (*id, element)
        };
        Mutant {
            elements: ids.iter().map(free).collect(),
            variables: Vec::new(),
        }
    }

    pub fn ids(&self) -> Vec<ElementId> {
        self.elements.iter().map(|(id, _)| *id).collect()
    }

    /// Everything that its elements mention.
    pub fn terms(&self) -> Vec<Term> {
        let elements = self.elements.iter();
        elements.flat_map(|(_, element)| element.terms()).collect()
    }

    /// The system with the mutant's elements in place.
    pub fn of(&self, original: &System) -> Result<System, SystemError> {
        original.with_elements(&self.variables, self.elements.iter().cloned())
    }

    /// The mutant of a part of the system: ids as they are there.
    pub fn within(&self, positions: &FxHashMap<ElementId, ElementId>) -> Mutant {
        let elements = self.elements.iter().filter_map(|(id, element)| {
            let position = positions.get(id)?;
            Some((*position, element.clone()))
        });
        Mutant {
            elements: elements.collect(),
            variables: self.variables.clone(),
        }
    }
}
