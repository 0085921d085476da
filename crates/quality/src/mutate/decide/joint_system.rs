//! Many mutants in one system: each of its runs is a run of one of them.
//!
//! A few Boolean variables that keep their values spell a number, and every element that some
//! mutant changes is what the mutant of that number has there. So a proof that goes through on the
//! joint system goes through on each mutant, and one audit does for all of them.

use crate::mutate::mutant::Mutant;
use proofmark_model::{
    Body, Definition, Element, ElementId, Origin, Phase, Role, Sort, System, SystemError, Term,
    Variable,
};
use std::collections::BTreeMap;

/// The mutants that can be joined. One that makes a definition depend on time where the original's
/// does not, or the other way round, would take from all others what is known of every state.
pub(crate) fn joins(original: &System, mutant: &Mutant) -> bool {
    mutant.elements.iter().all(|(id, element)| {
        let before = original.element(*id);
        let timeless = |element: &Element| -> Vec<Term> {
            let definitions = original.timeless_definitions(element);
            definitions
                .into_iter()
                .map(|(variable, _)| variable)
                .collect()
        };
        let demand = |element: &Element| original.timeless_constraint(element).is_some();
        let own = |element: &Element| timeless(element).first() == element.target().as_ref();
        element.auxiliaries.len() == before.auxiliaries.len()
            && timeless(element).len() == timeless(before).len()
            && own(element) == own(before)
            && demand(element) == demand(before)
    })
}

/// Joins mutants of one system.
pub(crate) fn join(original: &System, mutants: &[&Mutant]) -> Result<System, SystemError> {
    let bits = mutants.len().next_power_of_two().trailing_zeros();
    let bits: Vec<Variable> = (0..bits)
        .map(|bit| {
            let name = format!("%which {bit}");
            Variable::new(&name, Sort::Bool, Role::Local, Origin::generated())
        })
        .collect();
    let mut changed: BTreeMap<ElementId, Vec<(Term, &Element)>> = BTreeMap::new();
    let mut variables = bits.clone();
    for (number, mutant) in mutants.iter().enumerate() {
        let digits = bits
            .iter()
            .enumerate()
            .map(|(bit, variable)| match number >> bit & 1 == 1 {
                true => variable.current,
                false => variable.current.not(),
            });
        let chosen = Term::and(&digits.collect::<Vec<_>>());
        for (id, element) in &mutant.elements {
            changed.entry(*id).or_default().push((chosen, element));
        }
        let known = |one: &&Variable| !variables.iter().any(|known| known.name == one.name);
        let new: Vec<Variable> = mutant.variables.iter().filter(known).cloned().collect();
        variables.extend(new);
    }
    let mut elements = Vec::new();
    for (id, versions) in changed {
        elements.push((id, merge(original.element(id), &versions, &mut variables)));
    }
    let mut system = original.with_elements(&variables, elements)?;
    for bit in bits {
        let keeps = Definition {
            variable: bit.current,
            init: None,
            step: Some(bit.previous),
        };
        system.add_element(Element::define(keeps, Origin::generated()))?;
    }
    Ok(system)
}

/// The element that is one of several versions.
fn merge(
    original: &Element,
    versions: &[(Term, &Element)],
    variables: &mut Vec<Variable>,
) -> Element {
    let mut defined: Vec<Term> = Vec::new();
    let all = std::iter::once(original).chain(versions.iter().map(|(_, element)| *element));
    for definition in all.flat_map(|element| element.definitions()) {
        if !defined.contains(&definition.variable) {
            defined.push(definition.variable);
        }
    }
    let mut definitions = defined.into_iter().map(|variable| Definition {
        variable,
        init: value(variable, Phase::Init, original, versions, variables),
        step: value(variable, Phase::Step, original, versions, variables),
    });
    let body = match original.target() {
        // The element's own definition comes first.
        Some(_) => definitions.next().map(Body::Define),
        None => None,
    };
    let body = body.unwrap_or_else(|| Body::Constrain {
        init: Some(demand(Phase::Init, original, versions)),
        step: Some(demand(Phase::Step, original, versions)),
    });
    Element {
        body,
        auxiliaries: definitions.collect(),
        origin: original.origin.clone(),
    }
}

/// What a variable is in the version that is chosen; free where that leaves it free, and whatever
/// any other says where that does not know it.
fn value(
    variable: Term,
    phase: Phase,
    original: &Element,
    versions: &[(Term, &Element)],
    variables: &mut Vec<Variable>,
) -> Option<Term> {
    let definition = |element: &Element| -> Option<Definition> {
        let mut definitions = element.definitions();
        definitions.find(|one| one.variable == variable).cloned()
    };
    let mut cases: Vec<(Term, Option<Term>)> = Vec::new();
    if let Some(own) = definition(original) {
        cases.push((Term::bool(true), own.value(phase)));
    }
    for (chosen, element) in versions {
        if let Some(own) = definition(element) {
            cases.push((*chosen, own.value(phase)));
        }
    }
    if cases.iter().all(|(_, value)| value.is_none()) {
        return None;
    }
    let mut free = || {
        let name = format!("%free {variable:?}");
        let anything = Variable::new(&name, variable.sort(), Role::Local, Origin::generated());
        let current = anything.current;
        if !variables.iter().any(|known| known.current == current) {
            variables.push(anything);
        }
        current
    };
    let mut cases = cases.into_iter();
    let (_, first) = cases.next()?;
    let first = first.unwrap_or_else(&mut free);
    Some(cases.fold(first, |otherwise, (chosen, value)| {
        chosen.ite(value.unwrap_or_else(&mut free), otherwise)
    }))
}

/// What the version that is chosen demands.
fn demand(phase: Phase, original: &Element, versions: &[(Term, &Element)]) -> Term {
    let demanded = |element: &Element| {
        let constraint = element.constraint(phase);
        constraint.unwrap_or_else(|| Term::bool(true))
    };
    let first = demanded(original);
    let fold =
        |otherwise, (chosen, element): &(Term, &Element)| chosen.ite(demanded(element), otherwise);
    versions.iter().fold(first, fold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::{Program, Property, Rational, Trace, Value};

    /// A counter that goes up by one from zero.
    fn counter() -> System {
        let mut system = System::default();
        let n = Variable::new("n", Sort::Int, Role::Local, Origin::generated());
        system.declare(n.clone()).unwrap();
        let up = Term::add(&[n.previous, Term::int(1)]);
        let counts = definition(&n, Some(Term::int(0)), Some(up));
        system.add_element(counts).unwrap();
        let small = Property {
            name: "small".into(),
            term: n.current.le(Term::int(2)),
            origin: Origin::generated(),
        };
        system.add_property(small).unwrap();
        system
    }

    fn definition(variable: &Variable, init: Option<Term>, step: Option<Term>) -> Element {
        let definition = Definition {
            variable: variable.current,
            init,
            step,
        };
        Element::define(definition, Origin::generated())
    }

    fn mutants(system: &System) -> Vec<Mutant> {
        let n = system.variables()[0].clone();
        let by = |number: i64| Some(Term::add(&[n.previous, Term::int(number)]));
        let versions = [
            (Some(Term::int(5)), by(1)),
            (Some(Term::int(0)), by(-1)),
            (Some(Term::int(0)), None),
        ];
        let versions = versions.map(|(init, step)| Mutant {
            elements: vec![(ElementId(0), definition(&n, init, step))],
            variables: Vec::new(),
        });
        versions.to_vec()
    }

    /// What the joint system does when it is some mutant, against that mutant itself.
    #[test]
    fn each_number_is_one_mutant() {
        let system = counter();
        let mutants = mutants(&system);
        let joined = join(&system, &mutants.iter().collect::<Vec<_>>()).unwrap();
        let program = Program::compile(&joined).unwrap();
        let n = system.variables()[0].current;
        for number in 0..4 {
            let bits = (0..2).map(|bit| Term::var(&format!("%which {bit}"), Sort::Bool));
            let mut columns: Vec<Term> = bits.collect();
            columns.push(n);
            columns.push(Term::var("%free n", Sort::Int));
            let mut given = Trace::new(columns);
            for step in 0..4 {
                let value = Value::Int(Rational::from(40 + step));
                let bit = |bit: u32| Value::Bool(number >> bit & 1 == 1);
                given
                    .push(vec![bit(0), bit(1), value.clone(), value])
                    .unwrap();
            }
            let alone = match mutants.get(number) {
                Some(mutant) => mutant.of(&system).unwrap(),
                None => system.clone(),
            };
            let (here, _) = program.machine().run(&given);
            let alone = Program::compile(&alone).unwrap();
            let (there, _) = alone.machine().run(&given);
            for step in 0..4 {
                assert_eq!(
                    here.value(n, step),
                    there.value(n, step),
                    "{number} at {step}"
                );
            }
        }
    }

    #[test]
    fn a_mutant_that_begins_to_depend_on_time_is_not_joined() {
        let mut system = System::default();
        let variable = |name| Variable::new(name, Sort::Int, Role::Local, Origin::generated());
        let (a, b) = (variable("a"), variable("b"));
        system.declare(a.clone()).unwrap();
        system.declare(b.clone()).unwrap();
        let copies = definition(&a, Some(b.current), Some(b.current));
        system.add_element(copies).unwrap();
        let mutant = |element| Mutant {
            elements: vec![(ElementId(0), element)],
            variables: Vec::new(),
        };
        let five = Some(Term::int(5));
        assert!(joins(&system, &mutant(definition(&a, five, five))));
        let late = definition(&a, Some(b.current), Some(b.previous));
        assert!(!joins(&system, &mutant(late)));
        assert!(!joins(&system, &mutant(definition(&a, None, None))));
    }
}
