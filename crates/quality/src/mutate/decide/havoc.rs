//! Elements with places left open, so that one proof serves many mutants.
//!
//! A mutation changes some place of an expression. When the proof goes through with that place
//! open, that is with any value there at any step, then it goes through for every mutation at that
//! place and below it: their runs are among those of the open system. The less deep a place, the
//! more it says, so the way from a mutation's place up to the root is searched for the highest one
//! that may be open. What is proved and audited is the open system; its mutants need no look of
//! their own.
//!
//! Places are found by comparing terms. Where terms differ in shape, the whole of what differs is
//! the place: to open too much loses a proof, never truth.

use crate::mutate::mutant::Mutant;
use proofmark_model::{
    Body, Definition, Element, ElementId, Op, Origin, Phase, Role, System, Term, Variable,
};

/// Places further down than this are not told apart.
const DEEPEST: usize = 200;

/// Somewhere in the terms of some elements.
#[derive(Clone, PartialEq, Eq, Debug)]
struct TermPlace {
    /// Which element, which of its definitions or constraints, at the first step or later.
    element: usize,
    part: usize,
    phase: Phase,
    /// Which argument, from the root down.
    path: Vec<u32>,
}

impl TermPlace {
    fn is_within(&self, other: &TermPlace) -> bool {
        let term = |one: &TermPlace| (one.element, one.part, one.phase);
        term(self) == term(other) && self.path.starts_with(&other.path)
    }
}

/// Places to be opened together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct TermPlaces(Vec<TermPlace>);

impl TermPlaces {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether these are at or below places of others.
    pub fn are_within(&self, others: &TermPlaces) -> bool {
        let within = |place: &TermPlace| others.0.iter().any(|other| place.is_within(other));
        self.0.iter().all(within)
    }

    /// These and others, without those that are below some other.
    pub fn and(&self, others: &TermPlaces) -> TermPlaces {
        let mut kept: Vec<TermPlace> = Vec::new();
        for place in self.0.iter().chain(&others.0) {
            if !kept.iter().any(|one| place.is_within(one)) {
                kept.retain(|one| !one.is_within(place));
                kept.push(place.clone());
            }
        }
        TermPlaces(kept)
    }

    /// How far one can go up.
    pub fn depth(&self) -> usize {
        let depths = self.0.iter().map(|place| place.path.len());
        depths.max().unwrap_or(0)
    }

    /// The places so many levels above.
    pub fn above(&self, levels: usize) -> TermPlaces {
        let mut places = self.clone();
        for place in &mut places.0 {
            let left = place.path.len().saturating_sub(levels);
            place.path.truncate(left);
        }
        TermPlaces::default().and(&places)
    }
}

/// The elements that the mutants of a group change, as they are in the original.
pub(crate) struct OriginalElements(Vec<(ElementId, Element)>);

impl OriginalElements {
    pub fn new(original: &System, ids: &[ElementId]) -> OriginalElements {
        let element = |id: &ElementId| (*id, original.element(*id).clone());
        OriginalElements(ids.iter().map(element).collect())
    }

    /// Where a mutant differs, if it has the original's shape.
    pub fn places(&self, mutant: &Mutant) -> Option<TermPlaces> {
        let mut places = Vec::new();
        if mutant.elements.len() != self.0.len() {
            return None;
        }
        let pairs = self.0.iter().zip(&mutant.elements);
        for (element, ((id, here), (also, there))) in pairs.enumerate() {
            let defined = |one: &Element| -> Vec<Term> {
                let definitions = one.definitions();
                definitions.map(|definition| definition.variable).collect()
            };
            if id != also || defined(here) != defined(there) {
                return None;
            }
            let (here, there) = (terms(here), terms(there));
            for (part, (here, there)) in here.iter().zip(&there).enumerate() {
                for (phase, here, there) in [
                    (Phase::Init, here.0, there.0),
                    (Phase::Step, here.1, there.1),
                ] {
                    let mut paths = Vec::new();
                    match (here, there) {
                        (None, None) => {}
                        (Some(here), Some(there)) => {
                            differences(here, there, &mut Vec::new(), &mut paths);
                        }
                        _ => return None,
                    }
                    places.extend(paths.into_iter().map(|path| TermPlace {
                        element,
                        part,
                        phase,
                        path,
                    }));
                }
            }
        }
        Some(TermPlaces(places))
    }

    /// The elements with places open. A place that is in both phases of a term has one value, so
    /// that what held of every state still does.
    pub fn open(&self, places: &TermPlaces) -> Option<Mutant> {
        let mut variables: Vec<Variable> = Vec::new();
        let mut elements = Vec::new();
        for (at, (id, element)) in self.0.iter().enumerate() {
            let mut open = |part: usize, phase: Phase, term: Option<Term>| {
                let here = places
                    .0
                    .iter()
                    .filter(|place| (place.element, place.part, place.phase) == (at, part, phase));
                let paths: Vec<&[u32]> = here.map(|place| &place.path[..]).collect();
                let name = format!("%open {} {part}", id.0);
                match term.filter(|_| !paths.is_empty()) {
                    Some(term) => opened(term, &paths, &name, &mut variables).map(Some),
                    None => Some(term),
                }
            };
            elements.push((*id, with_terms(element, &mut open)?));
        }
        Some(Mutant {
            elements,
            variables,
        })
    }
}

/// The terms of an element at the first step and later: its own, then those of its auxiliaries.
fn terms(element: &Element) -> Vec<(Option<Term>, Option<Term>)> {
    let own = match &element.body {
        Body::Define(Definition { init, step, .. }) | Body::Constrain { init, step } => {
            (*init, *step)
        }
    };
    let auxiliaries = element.auxiliaries.iter().map(|one| (one.init, one.step));
    std::iter::once(own).chain(auxiliaries).collect()
}

type Open<'o> = dyn FnMut(usize, Phase, Option<Term>) -> Option<Option<Term>> + 'o;

/// The element with other terms; each is known by its position among [`terms`] and its phase.
fn with_terms(element: &Element, open: &mut Open<'_>) -> Option<Element> {
    let mut element = element.clone();
    match &mut element.body {
        Body::Define(Definition { init, step, .. }) | Body::Constrain { init, step } => {
            *init = open(0, Phase::Init, *init)?;
            *step = open(0, Phase::Step, *step)?;
        }
    }
    for (at, auxiliary) in element.auxiliaries.iter_mut().enumerate() {
        auxiliary.init = open(at + 1, Phase::Init, auxiliary.init)?;
        auxiliary.step = open(at + 1, Phase::Step, auxiliary.step)?;
    }
    Some(element)
}

/// Finds where two terms differ.
fn differences(here: Term, there: Term, path: &mut Vec<u32>, paths: &mut Vec<Vec<u32>>) {
    if here == there {
        return;
    }
    match pairs(here, there).filter(|_| path.len() < DEEPEST) {
        Some(pairs) => {
            for (at, here, there) in pairs {
                path.push(at);
                differences(here, there, path, paths);
                path.pop();
            }
        }
        None => paths.push(path.clone()),
    }
}

/// The arguments in which two terms of one shape differ, with their positions.
fn pairs(here: Term, there: Term) -> Option<Vec<(u32, Term, Term)>> {
    let (args, others) = (here.args(), there.args());
    let sorts = |args: &[Term]| -> Vec<_> { args.iter().map(|arg| arg.sort()).collect() };
    if here.op() != there.op() || args.is_empty() || sorts(args) != sorts(others) {
        return None;
    }
    let changed: Vec<(u32, Term, Term)> = match here.op() {
        Op::And | Op::Or | Op::Eq | Op::Add | Op::Mul => vec![exchanged(args, others)?],
        _ => {
            let both = args.iter().zip(others).enumerate();
            let changed = both.filter(|(_, (here, there))| here != there);
            changed
                .map(|(at, (here, there))| (at as u32, *here, *there))
                .collect()
        }
    };
    // A product with something open in it may be none that solvers understand.
    let stays_linear = |at: usize| match here.op() {
        Op::Mul => {
            let mut others = args.iter().enumerate().filter(|(other, _)| *other != at);
            others.all(|(_, arg)| arg.as_const().is_some())
        }
        Op::Div | Op::IntDiv | Op::Mod => at == 0,
        _ => true,
    };
    let linear = changed.iter().all(|(at, _, _)| stays_linear(*at as usize));
    linear.then_some(changed)
}

/// The one argument that another took the place of, wherever they stand.
fn exchanged(args: &[Term], others: &[Term]) -> Option<(u32, Term, Term)> {
    let mut left: Vec<Term> = others.to_vec();
    let mut gone = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        match left.iter().position(|other| other == arg) {
            Some(other) => drop(left.swap_remove(other)),
            None => gone.push((at as u32, *arg)),
        }
    }
    match (&gone[..], &left[..]) {
        ([(at, here)], [there]) if here.sort() == there.sort() => Some((*at, *here, *there)),
        _ => None,
    }
}

/// The term with free variables at some places.
fn opened(term: Term, paths: &[&[u32]], name: &str, variables: &mut Vec<Variable>) -> Option<Term> {
    if paths.iter().any(|path| path.is_empty()) {
        // The two phases may have terms of different sorts there.
        let name = format!("{name} {:?}", term.sort());
        let variable = Variable::new(&name, term.sort(), Role::Local, Origin::generated());
        let current = variable.current;
        if !variables.iter().any(|known| known.current == current) {
            variables.push(variable);
        }
        return Some(current);
    }
    let args = term.args().iter().enumerate().map(|(at, arg)| {
        let below = paths.iter().filter(|path| path[0] as usize == at);
        let below: Vec<&[u32]> = below.map(|path| &path[1..]).collect();
        match below.is_empty() {
            true => Some(*arg),
            false => opened(*arg, &below, &format!("{name}.{at}"), variables),
        }
    });
    let args: Vec<Term> = args.collect::<Option<_>>()?;
    Term::build(term.op().clone(), &args).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::Sort;

    fn x() -> Term {
        Term::var("x", Sort::Int)
    }

    fn p() -> Term {
        Term::var("p", Sort::Bool)
    }

    /// `p and x + 1 <= 3 or not p`, with other terms in some places.
    fn formula(one: Term, guard: Term) -> Term {
        let sum = Term::add(&[x(), one]);
        Term::or(&[Term::and(&[guard, sum.le(Term::int(3))]), p().not()])
    }

    fn mutant(init: Term, step: Term) -> Mutant {
        let target = Variable::new("y", Sort::Bool, Role::Local, Origin::generated());
        let definition = Definition {
            variable: target.current,
            init: Some(init),
            step: Some(step),
        };
        Mutant {
            elements: vec![(
                ElementId(0),
                Element::define(definition, Origin::generated()),
            )],
            variables: Vec::new(),
        }
    }

    fn originals() -> OriginalElements {
        let original = formula(Term::int(1), p());
        OriginalElements(mutant(original, original).elements)
    }

    fn places(init: Term, step: Term) -> TermPlaces {
        originals().places(&mutant(init, step)).unwrap()
    }

    fn step_of(mutant: &Mutant) -> Term {
        let element = &mutant.elements[0].1;
        element.definitions().next().unwrap().step.unwrap()
    }

    #[test]
    fn a_place_is_as_deep_as_the_difference() {
        let other = formula(Term::int(2), p());
        let found = places(other, other);
        let open = originals().open(&found).unwrap();
        // One variable for both phases, where the number was.
        assert_eq!(open.variables.len(), 1);
        let free = open.variables[0].current;
        assert_eq!(step_of(&open), formula(free, p()));
        assert_eq!(found.depth(), 4);
    }

    #[test]
    fn the_way_up_ends_at_the_root() {
        let found = places(formula(Term::int(2), p()), formula(Term::int(2), p()));
        let open = originals().open(&found.above(found.depth())).unwrap();
        assert_eq!(step_of(&open), open.variables[0].current);
        assert!(found.are_within(&found.above(2)));
        assert!(!found.above(2).are_within(&found));
    }

    #[test]
    fn mutants_of_other_places_are_not_covered() {
        let number = places(formula(Term::int(2), p()), formula(Term::int(2), p()));
        let guard = places(
            formula(Term::int(1), p().not()),
            formula(Term::int(1), p().not()),
        );
        assert!(!guard.are_within(&number) && !number.are_within(&guard));
        let both = number.and(&guard);
        assert!(guard.are_within(&both) && number.are_within(&both));
        // The conjunction holds the two.
        assert_eq!(both.and(&number.above(3)), number.above(3));
    }

    #[test]
    fn a_difference_in_one_phase_is_open_in_that_phase_alone() {
        let original = formula(Term::int(1), p());
        let found = places(original, formula(Term::int(2), p()));
        let open = originals().open(&found).unwrap();
        let definition = open.elements[0].1.definitions().next().unwrap().clone();
        assert_eq!(definition.init, Some(original));
        assert_ne!(definition.step, Some(original));
    }

    #[test]
    fn arguments_may_stand_elsewhere_but_not_more_often() {
        let (a, b, c) = (Term::int(7), x(), Term::var("z", Sort::Int));
        let found = exchanged(&[a, b], &[c, a]);
        assert_eq!(found, Some((1, b, c)));
        // How often an argument stands there counts.
        assert_eq!(exchanged(&[a, a, b], &[a, b, b]), Some((1, a, b)));
        assert_eq!(exchanged(&[a, b], &[c, c]), None);
    }

    #[test]
    fn a_factor_is_no_place() {
        let here = Term::var("z", Sort::Int).mul(Term::int(2));
        let there = Term::var("z", Sort::Int).mul(Term::int(3));
        let mut paths = Vec::new();
        differences(here, there, &mut Vec::new(), &mut paths);
        assert_eq!(paths, [Vec::<u32>::new()]);
    }
}
