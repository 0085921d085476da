//! A mutant as elements that take the place of others.
//!
//! A removed element stays as one that defines nothing, so that positions are the same in every
//! mutant.

use crate::mutate::{Mutation, MutationChange};
use proofmark_model::{
    Body, Definition, Element, ElementId, LowerError, Lowered, Origin, Role, System, SystemError,
    Term, Variable, rename,
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
            MutationChange::Replace(changed) => changed,
            MutationChange::Remove(ids) => return Ok(Mutant::without(&lowered.system, ids)),
        };
        let mut mutant = Mutant {
            elements: Vec::new(),
            variables: Vec::new(),
        };
        for patch in lowered.patches(changed, scope)? {
            let original = lowered.system.element(patch.id);
            let (element, variables) = with_known_names(original, patch.element, patch.variables);
            mutant.elements.push((patch.id, element));
            mutant.variables.extend(variables);
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

    /// The elements that it changes, in order.
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

/// Gives what an element remembers the names that the original has for it, so that what is known of
/// the original can be said of the mutant: where the definition is the same, or else by position
/// when there are as many.
fn with_known_names(
    original: &Element,
    mut element: Element,
    mut variables: Vec<Variable>,
) -> (Element, Vec<Variable>) {
    let (known, own) = (&original.auxiliaries, &element.auxiliaries);
    let mut names: FxHashMap<Term, Term> = FxHashMap::default();
    let mut taken = Vec::new();
    for (at, auxiliary) in own.iter().enumerate() {
        let fits = |one: &&Definition| {
            one.variable.sort() == auxiliary.variable.sort() && !taken.contains(&one.variable)
        };
        // One may remember what another does.
        let mut so_far = names.clone();
        let mut named = |term: Option<Term>| term.map(|one| rename(one, &mut so_far, |v| v));
        let values = (named(auxiliary.init), named(auxiliary.step));
        let mut same = known.iter().filter(fits);
        let same = same.find(|one| (one.init, one.step) == values);
        let there = known.get(at).filter(fits);
        let there = there.filter(|_| known.len() == own.len());
        if let Some(name) = same.or(there) {
            taken.push(name.variable);
            names.insert(auxiliary.variable, name.variable);
            names.insert(previous(auxiliary.variable), previous(name.variable));
        }
    }
    if names.is_empty() {
        return (element, variables);
    }
    variables.retain(|one| !names.contains_key(&one.current));
    let previous = names
        .iter()
        .map(|(new, old)| (previous(*new), previous(*old)));
    let previous: Vec<(Term, Term)> = previous.collect();
    names.extend(previous);
    let mut renamed =
        |term: &mut Option<Term>| *term = term.map(|one| rename(one, &mut names, |v| v));
    match &mut element.body {
        Body::Define(Definition { init, step, .. }) | Body::Constrain { init, step } => {
            renamed(init);
            renamed(step);
        }
    }
    for auxiliary in &mut element.auxiliaries {
        let mut variable = Some(auxiliary.variable);
        renamed(&mut variable);
        auxiliary.variable = variable.unwrap_or(auxiliary.variable);
        renamed(&mut auxiliary.init);
        renamed(&mut auxiliary.step);
    }
    (element, variables)
}

/// The term for what a variable was one step before.
fn previous(variable: Term) -> Term {
    let name = variable.as_var().map_or("", |name| name.as_str());
    Variable::new(name, variable.sort(), Role::Auxiliary, Origin::generated()).previous
}
