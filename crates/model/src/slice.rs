//! Cone-of-influence slicing: the part of a system that can matter to some properties.
//!
//! The cone starts with what the properties mention. A variable in the cone brings in the elements
//! that define it, and an element brings in all that it mentions. A constraint joins when what it
//! mentions depends, through any number of definitions, on a variable or an uninterpreted function
//! of the cone (`b = a > 3; assert b` constrains `a`), and then brings in the rest of what it depends
//! on; so on until nothing changes. Functions count because a constraint on a function (`f(0) = 1`)
//! reaches every place that applies it; what a division by zero gives is such a function. A
//! constraint that mentions nothing (`assert true`) is in every cone: no change of the others brings
//! it in, and a change of itself concerns all.
//!
//! What is sound, for a system whose definitions are causal:
//! - a property that holds in the slice holds in the system, always: the system has the same
//!   elements and more;
//! - a run of the slice extends to a run of the system when the dropped constraints can be satisfied
//!   for as many steps. They share nothing with the cone, so whether they can does not depend on the
//!   run; but they may be contradictory, alone, and then the system has no such run and its
//!   properties hold vacuously. The slice does not see that. Contradiction has to be looked for in
//!   the whole system, and a counterexample of the slice replayed there.

use crate::system::{ElementId, ElementMap, Mentions, System};
use crate::term::{Function, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// A part of a system, with the way back.
#[derive(Clone, Debug)]
pub struct Slice {
    /// What was kept, with its properties.
    pub system: System,
    /// Which elements were kept.
    pub elements: ElementMap,
    /// The originals of the slice's properties, by position.
    pub properties: Vec<usize>,
}

impl Slice {
    /// Whether constraints were dropped, so that a run of the slice is a run of the system only if
    /// those can be satisfied.
    pub fn drops_constraints(&self, original: &System) -> bool {
        original.ids().any(|id| {
            original.element(id).target().is_none() && self.elements.position(id).is_none()
        })
    }
}

/// The part of the system that matters to the properties at these positions.
pub fn slice(system: &System, properties: &[usize]) -> Slice {
    slice_with(system, properties, &[])
}

/// The part of the system that matters to the properties at these positions or to some terms, of
/// which it may lack variables.
pub fn slice_with(system: &System, properties: &[usize], terms: &[Term]) -> Slice {
    let mut cone = Cone::new(system);
    terms.iter().for_each(|term| cone.add(*term));
    for property in properties {
        cone.add(system.properties()[*property].term);
    }
    cone.close();
    let elements = ElementMap::keep(system.elements().len(), |id| cone.elements.contains(&id));
    let reached = &cone.variables;
    let sliced = system.select(&elements, properties, |v| reached.contains(&v.current));
    Slice {
        system: sliced,
        elements,
        properties: properties.to_vec(),
    }
}

/// Something in the cone that may bring in elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Member {
    /// By its current term.
    Variable(Term),
    Function(Function),
}

struct Cone<'a> {
    system: &'a System,
    /// The elements that define each member.
    definers: FxHashMap<Member, Vec<ElementId>>,
    /// The elements that mention each member.
    readers: FxHashMap<Member, Vec<ElementId>>,
    /// Members that depend on the cone.
    affected: FxHashSet<Member>,
    seen: FxHashSet<Term>,
    functions: FxHashSet<Function>,
    variables: FxHashSet<Term>,
    elements: FxHashSet<ElementId>,
    waiting: Vec<Member>,
}

impl<'a> Cone<'a> {
    fn new(system: &'a System) -> Cone<'a> {
        let mut definers: FxHashMap<Member, Vec<ElementId>> = FxHashMap::default();
        let mut readers: FxHashMap<Member, Vec<ElementId>> = FxHashMap::default();
        for id in system.ids() {
            let element = system.element(id);
            for definition in element.definitions() {
                let member = Member::Variable(definition.variable);
                definers.entry(member).or_default().push(id);
            }
            let mentions = element.mentions();
            for member in members(system, &mentions) {
                readers.entry(member).or_default().push(id);
            }
        }
        Cone {
            system,
            definers,
            readers,
            affected: FxHashSet::default(),
            seen: FxHashSet::default(),
            functions: FxHashSet::default(),
            variables: FxHashSet::default(),
            elements: FxHashSet::default(),
            waiting: Vec::new(),
        }
    }

    /// Takes in all that a term mentions; parts of terms that came before cost nothing.
    fn add(&mut self, term: Term) {
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            if !self.seen.insert(term) {
                continue;
            }
            stack.extend(term.args());
            if let Some(function) = Mentions::function(term)
                && self.functions.insert(function)
            {
                self.waiting.push(Member::Function(function));
            }
            if let Some(variable) = self.system.variable(term) {
                self.add_variable(variable.current);
            }
        }
    }

    fn add_variable(&mut self, current: Term) {
        if self.variables.insert(current) {
            self.waiting.push(Member::Variable(current));
        }
    }

    fn close(&mut self) {
        for id in self.system.ids() {
            let element = self.system.element(id);
            if element.target().is_none() && members(self.system, &element.mentions()).is_empty() {
                self.elements.insert(id);
            }
        }
        while let Some(member) = self.waiting.pop() {
            for id in self.definers.remove(&member).unwrap_or_default() {
                self.add_element(id);
            }
            self.add_constraints(member);
        }
    }

    fn add_element(&mut self, id: ElementId) {
        if self.elements.insert(id) {
            let element = self.system.element(id);
            element.terms().for_each(|term| self.add(term));
            let defined = element.definitions().map(|definition| definition.variable);
            defined.for_each(|variable| self.add_variable(variable));
        }
    }

    /// Takes in the constraints on what depends on a member of the cone.
    fn add_constraints(&mut self, member: Member) {
        let mut stack = vec![member];
        while let Some(member) = stack.pop() {
            if !self.affected.insert(member) {
                continue;
            }
            for id in self.readers.remove(&member).unwrap_or_default() {
                let element = self.system.element(id);
                if element.target().is_none() {
                    self.add_element(id);
                }
                let defined = element.definitions();
                stack.extend(defined.map(|definition| Member::Variable(definition.variable)));
            }
        }
    }
}

fn members(system: &System, mentions: &Mentions) -> FxHashSet<Member> {
    let variables = mentions.variables.iter();
    let current = variables.filter_map(|term| system.variable(*term));
    let functions = mentions.functions.iter();
    current
        .map(|variable| Member::Variable(variable.current))
        .chain(functions.map(|function| Member::Function(*function)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::Origin;
    use crate::sort::Sort;
    use crate::system::{Definition, Element, Property, Role, Variable};

    struct Draft(System);

    impl Draft {
        fn new(names: &[&str]) -> Draft {
            let mut system = System::default();
            for name in names {
                let origin = Origin::generated();
                let variable = Variable::new(name, Sort::Int, Role::Local, origin);
                system.declare(variable).unwrap();
            }
            Draft(system)
        }

        fn define(&mut self, name: &str, step: Term) {
            let definition = Definition {
                variable: now(name),
                init: Some(Term::int(0)),
                step: Some(step),
            };
            let element = Element::define(definition, Origin::generated());
            self.0.add_element(element).unwrap();
        }

        fn assert(&mut self, term: Term) {
            let element = Element::constrain(Some(term), None, Origin::generated());
            self.0.add_element(element).unwrap();
        }

        fn property(&mut self, term: Term) {
            let (name, origin) = ("p".into(), Origin::generated());
            self.0
                .add_property(Property { name, term, origin })
                .unwrap();
        }
    }

    fn now(name: &str) -> Term {
        Term::var(name, Sort::Int)
    }

    fn before(name: &str) -> Term {
        Term::var(&format!("{name}@pre"), Sort::Int)
    }

    fn zero(term: Term) -> Term {
        term.eq(Term::int(0))
    }

    fn kept(system: &System, properties: &[usize]) -> Vec<u32> {
        let slice = slice(system, properties);
        // What is kept reads only what is kept.
        let mut rebuilt = System::default();
        for variable in slice.system.variables() {
            rebuilt.declare(variable.clone()).unwrap();
        }
        for element in slice.system.elements() {
            rebuilt.add_element((**element).clone()).unwrap();
        }
        slice.elements.kept().iter().map(|id| id.0).collect()
    }

    #[test]
    fn the_cone_follows_definitions_also_through_the_previous_state() {
        let mut draft = Draft::new(&["a", "b", "c", "d"]);
        draft.define("a", before("b"));
        draft.define("b", now("c"));
        draft.define("d", now("a"));
        draft.property(zero(now("a")));
        draft.property(zero(now("c")));
        assert_eq!(kept(&draft.0, &[0]), [0, 1]);
        assert_eq!(kept(&draft.0, &[1]), []);
        let slice = slice(&draft.0, &[1]);
        assert_eq!(slice.system.variables().len(), 1);
        assert_eq!(slice.properties, [1]);
    }

    #[test]
    fn constraints_join_when_they_share_a_variable_even_through_other_constraints() {
        let mut draft = Draft::new(&["a", "b", "c", "d", "e"]);
        draft.assert(now("b").le(now("c")));
        draft.assert(now("a").le(now("b")));
        draft.assert(zero(now("d")));
        draft.define("c", now("e"));
        draft.property(zero(now("a")));
        assert_eq!(kept(&draft.0, &[0]), [0, 1, 3]);
        assert!(slice(&draft.0, &[0]).drops_constraints(&draft.0));
    }

    #[test]
    fn a_constraint_that_mentions_nothing_is_in_every_cone() {
        let mut draft = Draft::new(&["a"]);
        draft.assert(Term::bool(true));
        draft.property(zero(now("a")));
        assert_eq!(kept(&draft.0, &[0]), [0]);
        assert!(!slice(&draft.0, &[0]).drops_constraints(&draft.0));
    }

    #[test]
    fn constraints_join_when_they_share_a_function() {
        let f = Function::new("f", vec![Sort::Int], Sort::Int);
        let mut draft = Draft::new(&["a", "b", "c"]);
        draft.assert(zero(Term::apply(f, &[Term::int(3)])));
        draft.assert(zero(now("b").int_div(now("c"))));
        draft.property(zero(Term::apply(f, &[now("a")])));
        draft.property(zero(now("a").int_div(Term::int(0))));
        draft.property(zero(now("a").modulo(Term::int(2))));
        assert_eq!(kept(&draft.0, &[0]), [0]);
        assert_eq!(kept(&draft.0, &[1]), [1]);
        assert_eq!(kept(&draft.0, &[2]), []);
    }

    #[test]
    fn an_element_keeps_the_auxiliaries_that_nothing_reads() {
        let mut draft = Draft::new(&["a", "auxiliary"]);
        let definition = |name, value| Definition {
            variable: now(name),
            init: Some(Term::int(value)),
            step: Some(Term::int(value)),
        };
        let mut element = Element::define(definition("a", 0), Origin::generated());
        element.auxiliaries.push(definition("auxiliary", 1));
        draft.0.add_element(element).unwrap();
        draft.property(zero(now("a")));
        assert_eq!(kept(&draft.0, &[0]), [0]);
        assert_eq!(slice(&draft.0, &[0]).system.variables().len(), 2);
    }

    #[test]
    fn a_constraint_on_what_depends_on_the_cone_joins_it() {
        let mut draft = Draft::new(&["a", "b", "c", "d"]);
        draft.define("b", now("a"));
        draft.define("c", now("b"));
        draft.assert(now("c").le(Term::int(3)));
        draft.assert(now("d").le(Term::int(3)));
        draft.property(now("a").le(Term::int(3)));
        let slice = slice(&draft.0, &[0]);
        let kept: Vec<bool> = draft
            .0
            .ids()
            .map(|id| slice.elements.position(id).is_some())
            .collect();
        assert_eq!(kept, [true, true, true, false]);
    }
}
