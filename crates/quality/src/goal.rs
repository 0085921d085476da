//! What an analysis is about: one thing to prove, and the units of which it asks whether they are
//! needed.
//!
//! A *unit* is what is removed as one: an element, or all instances of an equation of the source.
//! Elements in no unit always stay.

use fixedbitset::FixedBitSet;
use proofmark_model::{ElementId, Invariant, Origin, Property, System, SystemError, Term, slice};
use rustc_hash::FxHashSet;

/// A set of units.
pub type Set = FixedBitSet;

/// The units of a system.
#[derive(Clone, Debug)]
pub struct Units {
    members: Vec<Vec<ElementId>>,
    /// By element.
    unit_of: Vec<Option<usize>>,
}

impl Units {
    /// Units of a system with so many elements; no two share an element.
    pub fn new(elements: usize, members: Vec<Vec<ElementId>>) -> Units {
        let mut unit_of = vec![None; elements];
        for (unit, ids) in members.iter().enumerate() {
            ids.iter().for_each(|id| unit_of[id.index()] = Some(unit));
        }
        Units { members, unit_of }
    }

    /// How many units there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether nothing can be removed.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The elements of a unit, by the unit's position.
    pub fn members(&self, unit: usize) -> &[ElementId] {
        &self.members[unit]
    }

    /// The unit of an element; nothing when the element always stays.
    pub fn unit_of(&self, element: ElementId) -> Option<usize> {
        self.unit_of[element.index()]
    }

    /// The set of all units.
    pub fn all(&self) -> Set {
        let mut all = Set::with_capacity(self.len());
        all.insert_range(..);
        all
    }

    /// The empty set, with room for every unit.
    pub fn none(&self) -> Set {
        Set::with_capacity(self.len())
    }

    /// The elements of the units that are not kept.
    pub fn removed(&self, kept: &Set) -> FxHashSet<ElementId> {
        let units = (0..self.len()).filter(|unit| !kept.contains(*unit));
        units
            .flat_map(|unit| &self.members[unit])
            .copied()
            .collect()
    }
}

/// The part of a system that matters to some properties, taken as one, and its units.
#[derive(Clone, Debug)]
pub struct ProofGoal {
    /// It has one property: the conjunction.
    pub system: System,
    /// What is removed as one, over the elements of `system`.
    pub units: Units,
    /// For each unit its place among the units that the goal was made from.
    pub originals: Vec<usize>,
}

impl ProofGoal {
    /// The goal that the properties at these positions hold. What the invariants of a proof at hand
    /// mention stays part of the system.
    pub fn new(
        system: &System,
        properties: &[usize],
        units: &[Vec<ElementId>],
        invariants: &[Invariant],
    ) -> Result<ProofGoal, SystemError> {
        let joint = with_joint_property(system, properties, invariants)?;
        let wanted: Vec<usize> = (0..joint.properties().len()).collect();
        let part = slice(&joint, &wanted);
        let mut members = Vec::new();
        let mut originals = Vec::new();
        for (original, ids) in units.iter().enumerate() {
            let kept: Vec<ElementId> = ids
                .iter()
                .filter_map(|id| part.elements.position(*id))
                .collect();
            if !kept.is_empty() {
                members.push(kept);
                originals.push(original);
            }
        }
        let conjunction = part.system.properties()[..1].to_vec();
        let sliced = part.system.with_properties(conjunction)?;
        let units = Units::new(sliced.elements().len(), members);
        Ok(ProofGoal {
            system: sliced,
            units,
            originals,
        })
    }

    /// The only property of the system, as a term.
    pub fn property(&self) -> Term {
        self.system.properties()[0].term
    }

    /// The system that has only these units, and what is in none.
    pub fn part(&self, kept: &Set) -> System {
        self.system.without(&self.units.removed(kept)).0
    }
}

/// The system with the conjunction of the properties as its first property, and the invariants as
/// the others.
fn with_joint_property(
    system: &System,
    properties: &[usize],
    invariants: &[Invariant],
) -> Result<System, SystemError> {
    let all = properties.iter().map(|at| &system.properties()[*at]);
    let terms: Vec<Term> = all.clone().map(|property| property.term).collect();
    let names: Vec<&str> = all.clone().map(|property| property.name.as_str()).collect();
    let origin = all.clone().next().map(|property| property.origin.clone());
    let origin = origin.unwrap_or_else(Origin::generated);
    let joint = Property {
        name: names.join(" and "),
        term: Term::and(&terms),
        origin: origin.clone(),
    };
    let lemmas = invariants.iter().map(|invariant| Property {
        name: "invariant".into(),
        term: invariant.term,
        origin: origin.serving(),
    });
    system.with_properties(std::iter::once(joint).chain(lemmas).collect())
}
