//! The transition system: a list of elements over variables.
//!
//! Each [`Variable`] is a pair of terms, its value at the present step and at the step before. An
//! [`Element`] is the unit of everything that Proofmark reports: one equation, assertion,
//! assignment, latch, gate or statement. It has an *init* part over the first state and a *step*
//! part over the previous and the current state. Elements are held as definitions where they define
//! something, so that the simulator can run them, and become constraints for a solver when asked.
//!
//! What defines nothing is free: an input, a variable whose element was removed, the value of an
//! unguarded `pre` at the first step. A variable of which only the first or only the later values
//! are defined is free at the others.

use crate::bounds::Bounds;
use crate::origin::{Category, Origin};
use crate::sort::Sort;
use crate::temporal::{Fairness, Specification};
use crate::term::{Function, Op, Symbol, Term, division_by_zero};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::sync::Arc;

/// The place of an element in its system.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ElementId(pub u32);

impl ElementId {
    /// As an index into [`System::elements`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a variable is to the author of the model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Its values come from outside.
    Input,
    /// Shown to the outside.
    Output,
    /// Neither.
    Local,
    /// The arbitrary value of an unguarded `pre`; it matters at the first step only.
    Choice,
    /// Holds the value of an expression for the next step; belongs to the element that defines it.
    Auxiliary,
}

/// A variable: its value now and its value one step before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// As the source has it, with the instance it is in.
    pub name: Symbol,
    /// The variable's identity.
    pub current: Term,
    /// Its value one step before.
    pub previous: Term,
    /// What it is to the author of the model.
    pub role: Role,
    /// Where it is declared.
    pub origin: Origin,
    /// What its type says of its values. Nothing is assumed because of it, except of the arbitrary
    /// value of an unguarded `pre`.
    pub bounds: Option<Bounds>,
}

impl Variable {
    /// A variable with its two terms, without bounds.
    pub fn new(name: &str, sort: Sort, role: Role, origin: Origin) -> Variable {
        Variable {
            name: Symbol::new(name),
            current: Term::var(name, sort),
            previous: Term::var(&format!("{name}@pre"), sort),
            role,
            origin,
            bounds: None,
        }
    }

    /// The variable with other bounds.
    #[must_use]
    pub fn with_bounds(self, bounds: Option<Bounds>) -> Variable {
        Variable { bounds, ..self }
    }

    /// The sort of its values.
    pub fn sort(&self) -> Sort {
        self.current.sort()
    }
}

/// The two parts of an element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// The first step; terms read the current state alone.
    Init,
    /// Every later step; terms read the previous and the current state.
    Step,
}

/// What a variable is equal to at the first step and at the later ones; free where there is no
/// term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The variable's current term.
    pub variable: Term,
    /// Over current variables.
    pub init: Option<Term>,
    /// Over previous and current variables.
    pub step: Option<Term>,
}

impl Definition {
    /// The term for a phase; nothing where the variable is free.
    pub fn value(&self, phase: Phase) -> Option<Term> {
        match phase {
            Phase::Init => self.init,
            Phase::Step => self.step,
        }
    }
}

/// What an element says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    /// A variable is equal to a term.
    Define(Definition),
    /// Boolean terms that hold at the first step and at the later ones.
    Constrain {
        /// Over current variables; nothing where it demands nothing.
        init: Option<Term>,
        /// Over previous and current variables; nothing where it demands nothing.
        step: Option<Term>,
    },
}

/// One equation, assertion, assignment, latch, gate or statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    /// The definition or the constraint.
    pub body: Body,
    /// State that the body needs to remember values of expressions. It comes and goes with the
    /// element; no other element reads it.
    pub auxiliaries: Vec<Definition>,
    /// Where it is in the source, and what it is there.
    pub origin: Origin,
}

impl Element {
    /// An element that defines a variable, without auxiliaries.
    pub fn define(definition: Definition, origin: Origin) -> Element {
        Element {
            body: Body::Define(definition),
            auxiliaries: Vec::new(),
            origin,
        }
    }

    /// An element that defines nothing, without auxiliaries.
    pub fn constrain(init: Option<Term>, step: Option<Term>, origin: Origin) -> Element {
        Element {
            body: Body::Constrain { init, step },
            auxiliaries: Vec::new(),
            origin,
        }
    }

    /// What it is in the source.
    pub fn category(&self) -> Category {
        self.origin.category
    }

    /// The variable that the element defines, if it defines one.
    pub fn target(&self) -> Option<Term> {
        match &self.body {
            Body::Define(definition) => Some(definition.variable),
            Body::Constrain { .. } => None,
        }
    }

    /// Its own definition and those of its auxiliaries.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        let own = match &self.body {
            Body::Define(definition) => Some(definition),
            Body::Constrain { .. } => None,
        };
        own.into_iter().chain(&self.auxiliaries)
    }

    /// The init part as a constraint over the first state.
    pub fn init(&self) -> Term {
        self.part(Phase::Init)
    }

    /// The step part as a constraint over the previous and the current state.
    pub fn step(&self) -> Term {
        self.part(Phase::Step)
    }

    /// Everything that the element says of a phase, as one constraint.
    pub fn part(&self, phase: Phase) -> Term {
        let equations = self
            .definitions()
            .filter_map(|definition| Some(definition.variable.eq(definition.value(phase)?)));
        let conjuncts: Vec<Term> = equations.chain(self.constraint(phase)).collect();
        Term::and(&conjuncts)
    }

    /// What an element that defines nothing demands.
    pub fn constraint(&self, phase: Phase) -> Option<Term> {
        match (&self.body, phase) {
            (Body::Define(_), _) => None,
            (Body::Constrain { init, .. }, Phase::Init) => *init,
            (Body::Constrain { step, .. }, Phase::Step) => *step,
        }
    }

    /// Every term in the element, left sides of definitions apart.
    pub fn terms(&self) -> impl Iterator<Item = Term> {
        let values = self
            .definitions()
            .flat_map(|definition| definition.init.into_iter().chain(definition.step));
        values
            .chain(self.constraint(Phase::Init))
            .chain(self.constraint(Phase::Step))
    }

    /// What those terms mention.
    pub fn mentions(&self) -> Mentions {
        let mut mentions = Mentions::default();
        self.terms().for_each(|term| mentions.add(term));
        mentions
    }
}

/// Something to prove: a Boolean term over the current state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// As reports write it.
    pub name: String,
    /// A Boolean over current variables.
    pub term: Term,
    /// Where it is in the source.
    pub origin: Origin,
}

/// Why something does not fit into a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SystemError {
    /// The name, or the name of the previous value, is taken.
    Declared {
        /// The name that is taken.
        name: Symbol,
    },
    /// A term reads a variable that was not declared.
    Undeclared {
        /// What is read.
        variable: Term,
    },
    /// A definition's value or a constraint has the wrong sort.
    Sort {
        /// What has it, in words.
        what: String,
        /// The sort that belongs there.
        wanted: Sort,
        /// The sort that stands there.
        found: Sort,
    },
    /// A specification is none of its kind.
    Malformed {
        /// What is, in words.
        what: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// An init part or a property reads the step before.
    Previous {
        /// What reads it, in words.
        what: String,
        /// The variable whose previous value is read.
        variable: Symbol,
    },
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SystemError::Declared { name } => write!(f, "the name `{name}` is declared twice"),
            SystemError::Undeclared { variable } => {
                write!(f, "the variable `{variable:?}` is not declared")
            }
            SystemError::Sort {
                what,
                wanted,
                found,
            } => write!(f, "{what} has sort {found}, expected {wanted}"),
            SystemError::Malformed { what, why } => write!(f, "{what} {why}"),
            SystemError::Previous { what, variable } => write!(
                f,
                "{what} reads the previous value of `{variable}`, which only a step part can"
            ),
        }
    }
}
impl std::error::Error for SystemError {}

/// The variables of a system and the way from a term to its variable. Every mutant of a system
/// shares them.
#[derive(Clone, Debug, Default)]
struct Variables {
    list: Vec<Variable>,
    /// The position of a variable by its current and its previous term.
    positions: FxHashMap<Term, usize>,
    names: FxHashMap<Symbol, usize>,
}

/// A transition system. Cloning shares the elements and the variables.
#[derive(Clone, Debug, Default)]
pub struct System {
    variables: Arc<Variables>,
    elements: Vec<Arc<Element>>,
    properties: Vec<Property>,
    specifications: Vec<Specification<Term>>,
    fairness: Fairness<Term>,
    functions: Vec<Function>,
    /// The terms that are known to read only what is declared, in which phase.
    checked: Arc<FxHashSet<(Term, Phase)>>,
}

impl System {
    /// In the order of their declarations.
    pub fn variables(&self) -> &[Variable] {
        &self.variables.list
    }

    /// The variable of a current or a previous term.
    pub fn variable(&self, term: Term) -> Option<&Variable> {
        let position = self.variables.positions.get(&term)?;
        Some(&self.variables.list[*position])
    }

    /// The variable of a name.
    pub fn variable_named(&self, name: Symbol) -> Option<&Variable> {
        let position = self.variables.names.get(&name)?;
        Some(&self.variables.list[*position])
    }

    /// In the order of their ids.
    pub fn elements(&self) -> &[Arc<Element>] {
        &self.elements
    }

    /// The element of an id of this system.
    pub fn element(&self, id: ElementId) -> &Element {
        &self.elements[id.index()]
    }

    /// The ids of all elements, in order.
    pub fn ids(&self) -> impl Iterator<Item = ElementId> + use<> {
        (0..self.elements.len() as u32).map(ElementId)
    }

    /// What is to be proved; engines name a property by its position here.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// What is claimed of runs and of the tree of runs.
    pub fn specifications(&self) -> &[Specification<Term>] {
        &self.specifications
    }

    /// Which runs count for the specifications; properties are not concerned.
    pub fn fairness(&self) -> &Fairness<Term> {
        &self.fairness
    }

    /// The uninterpreted functions, each once.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The variables whose values come from outside.
    pub fn inputs(&self) -> impl Iterator<Item = &Variable> {
        let inputs = self.variables().iter();
        inputs.filter(|variable| variable.role == Role::Input)
    }

    /// The variables of which some element reads the previous value: the state in the strict sense.
    pub fn state(&self) -> Vec<&Variable> {
        let mut read = Mentions::default();
        for element in &self.elements {
            element.terms().for_each(|term| read.add(term));
        }
        let variables = self.variables().iter();
        variables
            .filter(|variable| read.variables.contains(&variable.previous))
            .collect()
    }

    /// The variables that some element defines.
    pub fn defined(&self) -> FxHashSet<Term> {
        let elements = self.elements.iter();
        elements
            .flat_map(|element| element.definitions().map(|definition| definition.variable))
            .collect()
    }

    /// What every state satisfies by itself: the equations and constraints that read nothing of the
    /// step before and say the same at the first step and later. An induction may assume them of
    /// its first state, which is arbitrary otherwise.
    pub fn timeless(&self) -> Vec<Term> {
        let elements = self.elements.iter();
        elements
            .flat_map(|element| self.timeless_part(element))
            .collect()
    }

    /// What one element adds to [`System::timeless`].
    fn timeless_part(&self, element: &Element) -> Vec<Term> {
        let definitions = self.timeless_definitions(element).into_iter();
        let equations = definitions.map(|(variable, value)| variable.eq(value));
        equations.chain(self.timeless_constraint(element)).collect()
    }

    /// The variables of an element that have one and the same definition in every state, whatever
    /// came before, with their values.
    pub fn timeless_definitions(&self, element: &Element) -> Vec<(Term, Term)> {
        let definitions = element.definitions().filter(|one| one.init == one.step);
        let values = definitions.filter_map(|one| Some((one.variable, one.step?)));
        values
            .filter(|(_, value)| !self.reads_previous(*value))
            .collect()
    }

    /// What an element demands of every state, whatever came before.
    pub fn timeless_constraint(&self, element: &Element) -> Option<Term> {
        let init = element.constraint(Phase::Init);
        let step = element.constraint(Phase::Step);
        step.filter(|step| init == Some(*step) && !self.reads_previous(*step))
    }

    fn reads_previous(&self, term: Term) -> bool {
        let mentions = Mentions::of(term);
        let mut read = mentions.variables.iter();
        read.any(|read| {
            self.variable(*read)
                .is_some_and(|known| known.previous == *read)
        })
    }

    /// Declares a variable with both its terms.
    pub fn declare(&mut self, variable: Variable) -> Result<(), SystemError> {
        let name = variable.name;
        let taken = |term| self.variables.positions.contains_key(&term);
        if self.variables.names.contains_key(&name)
            || taken(variable.current)
            || taken(variable.previous)
        {
            return Err(SystemError::Declared { name });
        }
        let variables = Arc::make_mut(&mut self.variables);
        let position = variables.list.len();
        variables.positions.insert(variable.current, position);
        variables.positions.insert(variable.previous, position);
        variables.names.insert(name, position);
        variables.list.push(variable);
        Ok(())
    }

    /// Adds an element whose variables are declared; checks sorts and who reads what.
    pub fn add_element(&mut self, element: Element) -> Result<ElementId, SystemError> {
        let seen = self.check_element(&element)?;
        Arc::make_mut(&mut self.checked).extend(seen);
        let id = ElementId(self.elements.len() as u32);
        self.elements.push(Arc::new(element));
        Ok(id)
    }

    /// Adds a property, over current variables that are declared.
    pub fn add_property(&mut self, property: Property) -> Result<(), SystemError> {
        let mut seen = FxHashSet::default();
        let what = || format!("property `{}`", property.name);
        let place = (Sort::Bool, Phase::Init);
        self.check_term(property.term, place, &mut seen, what)?;
        Arc::make_mut(&mut self.checked).extend(seen);
        self.properties.push(property);
        Ok(())
    }

    /// Adds a specification whose atoms read current variables that are declared.
    pub fn add_specification(
        &mut self,
        specification: Specification<Term>,
    ) -> Result<(), SystemError> {
        let what = || format!("specification `{}`", specification.name);
        if let Some(why) = specification.claim.malformed() {
            return Err(SystemError::Malformed { what: what(), why });
        }
        let mut seen = FxHashSet::default();
        for atom in specification.claim.atoms() {
            self.check_term(*atom, (Sort::Bool, Phase::Init), &mut seen, what)?;
        }
        self.specifications.push(specification);
        Ok(())
    }

    /// Forgets what is claimed of runs.
    pub(crate) fn clear_specifications(&mut self) {
        self.specifications.clear();
    }

    /// Sets which runs count; conditions read current variables that are declared.
    pub fn set_fairness(&mut self, fairness: Fairness<Term>) -> Result<(), SystemError> {
        let mut seen = FxHashSet::default();
        for atom in fairness.atoms() {
            let what = || "a fairness condition".to_string();
            self.check_term(*atom, (Sort::Bool, Phase::Init), &mut seen, what)?;
        }
        self.fairness = fairness;
        Ok(())
    }

    /// The system with other properties in place of its own.
    pub fn with_properties(&self, properties: Vec<Property>) -> Result<System, SystemError> {
        let mut system = self.clone();
        system.properties.clear();
        for property in properties {
            system.add_property(property)?;
        }
        Ok(system)
    }

    /// Declares an uninterpreted function, unless it is declared.
    pub fn add_function(&mut self, function: Function) {
        if !self.functions.contains(&function) {
            self.functions.push(function);
        }
    }

    /// Returns the terms that were found in order, so that a part that elements share is checked
    /// once.
    fn check_element(&self, element: &Element) -> Result<FxHashSet<(Term, Phase)>, SystemError> {
        let mut seen = FxHashSet::default();
        for definition in element.definitions() {
            let variable = definition.variable;
            let declared = self.variable(variable).map(|known| known.current);
            if declared != Some(variable) {
                return Err(SystemError::Undeclared { variable });
            }
            let what = || format!("the value of `{variable:?}`");
            for phase in [Phase::Init, Phase::Step] {
                if let Some(value) = definition.value(phase) {
                    self.check_term(value, (variable.sort(), phase), &mut seen, what)?;
                }
            }
        }
        for phase in [Phase::Init, Phase::Step] {
            if let Some(term) = element.constraint(phase) {
                let what = || "a constraint".to_string();
                self.check_term(term, (Sort::Bool, phase), &mut seen, what)?;
            }
        }
        Ok(seen)
    }

    fn check_term(
        &self,
        root: Term,
        (wanted, phase): (Sort, Phase),
        seen: &mut FxHashSet<(Term, Phase)>,
        what: impl Fn() -> String,
    ) -> Result<(), SystemError> {
        if root.sort() != wanted {
            let (what, found) = (what(), root.sort());
            return Err(SystemError::Sort {
                what,
                wanted,
                found,
            });
        }
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if self.checked.contains(&(term, phase)) || !seen.insert((term, phase)) {
                continue;
            }
            stack.extend(term.args());
            if term.as_var().is_none() {
                continue;
            }
            let Some(known) = self.variable(term) else {
                return Err(SystemError::Undeclared { variable: term });
            };
            if phase == Phase::Init && term == known.previous {
                let (what, variable) = (what(), known.name);
                return Err(SystemError::Previous { what, variable });
            }
        }
        Ok(())
    }

    /// The system with some elements replaced by others of the same identity, as a mutant does.
    /// `variables` are those that the new elements need and may be there already.
    pub fn with_elements(
        &self,
        variables: &[Variable],
        elements: impl IntoIterator<Item = (ElementId, Element)>,
    ) -> Result<System, SystemError> {
        let mut system = self.clone();
        for variable in variables {
            let known = system.variable(variable.current);
            // The choice of one `pre` may have come in from several places.
            if known.is_none_or(|known| known.role != variable.role) {
                system.declare(variable.clone())?;
            }
        }
        for (id, element) in elements {
            system.check_element(&element)?;
            system.elements[id.index()] = Arc::new(element);
        }
        Ok(system)
    }

    /// The system without some elements: what they defined becomes free. Their auxiliaries go with
    /// them; every other variable stays.
    pub fn without(&self, removed: &FxHashSet<ElementId>) -> (System, ElementMap) {
        let map = ElementMap::keep(self.elements.len(), |id| !removed.contains(&id));
        let auxiliaries = removed.iter().flat_map(|id| &self.element(*id).auxiliaries);
        let gone: FxHashSet<Term> = auxiliaries.map(|auxiliary| auxiliary.variable).collect();
        let properties: Vec<usize> = (0..self.properties.len()).collect();
        let system = self.select(&map, &properties, |v| !gone.contains(&v.current));
        (system, map)
    }

    /// The part of the system that consists of these elements, properties and variables, which the
    /// caller has seen to be closed: nothing that is kept reads a variable that is not.
    pub(crate) fn select(
        &self,
        map: &ElementMap,
        properties: &[usize],
        keep: impl Fn(&Variable) -> bool,
    ) -> System {
        System {
            variables: self.select_variables(keep),
            elements: map.select(&self.elements),
            properties: properties
                .iter()
                .map(|index| self.properties[*index].clone())
                .collect(),
            // Whoever slices for specifications says what they need (`temporal`).
            specifications: Vec::new(),
            fairness: Fairness::default(),
            functions: self.functions.clone(),
            checked: Arc::default(),
        }
    }

    fn select_variables(&self, keep: impl Fn(&Variable) -> bool) -> Arc<Variables> {
        if self.variables().iter().all(&keep) {
            return Arc::clone(&self.variables);
        }
        let mut selected = Variables::default();
        for variable in self.variables().iter().filter(|variable| keep(variable)) {
            let position = selected.list.len();
            selected.positions.insert(variable.current, position);
            selected.positions.insert(variable.previous, position);
            selected.names.insert(variable.name, position);
            selected.list.push(variable.clone());
        }
        Arc::new(selected)
    }
}

/// Which elements of a system went into another, and where they are there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementMap {
    kept: Vec<ElementId>,
    positions: Vec<Option<ElementId>>,
}

impl ElementMap {
    pub(crate) fn keep(count: usize, mut keep: impl FnMut(ElementId) -> bool) -> ElementMap {
        let mut map = ElementMap {
            kept: Vec::new(),
            positions: vec![None; count],
        };
        for old in (0..count as u32).map(ElementId) {
            if keep(old) {
                map.positions[old.index()] = Some(ElementId(map.kept.len() as u32));
                map.kept.push(old);
            }
        }
        map
    }

    fn select(&self, elements: &[Arc<Element>]) -> Vec<Arc<Element>> {
        let kept = self.kept.iter();
        kept.map(|id| Arc::clone(&elements[id.index()])).collect()
    }

    /// The elements that were kept, by their original ids, in order.
    pub fn kept(&self) -> &[ElementId] {
        &self.kept
    }

    /// The original of a kept element.
    pub fn original(&self, new: ElementId) -> ElementId {
        self.kept[new.index()]
    }

    /// Where an original element is now, when it was kept.
    pub fn position(&self, original: ElementId) -> Option<ElementId> {
        self.positions[original.index()]
    }
}

/// The variables and functions that terms mention. A division whose divisor is not a constant other
/// than zero mentions the function that says what division by zero gives.
#[derive(Clone, Debug, Default)]
pub struct Mentions {
    /// As they stand in the terms: current or previous.
    pub variables: FxHashSet<Term>,
    /// Each once.
    pub functions: FxHashSet<Function>,
    seen: FxHashSet<Term>,
}

impl Mentions {
    /// What one term mentions.
    pub fn of(term: Term) -> Mentions {
        let mut mentions = Mentions::default();
        mentions.add(term);
        mentions
    }

    /// Takes in one more term; parts seen before are not visited again.
    pub fn add(&mut self, term: Term) {
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            if !self.seen.insert(term) {
                continue;
            }
            if term.as_var().is_some() {
                self.variables.insert(term);
            }
            self.functions.extend(Mentions::function(term));
            stack.extend(term.args());
        }
    }

    /// The function that a term's own operator mentions.
    pub(crate) fn function(term: Term) -> Option<Function> {
        match term.op() {
            Op::Apply(function) => Some(*function),
            op @ (Op::Div | Op::IntDiv | Op::Mod) if term.args()[1].as_const().is_none() => {
                Some(division_by_zero(op))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, role: Role) -> Variable {
        Variable::new(name, Sort::Int, role, Origin::generated())
    }

    /// `x = 0 -> pre x + i`
    fn accumulator() -> System {
        let mut system = System::default();
        let (i, x) = (variable("i", Role::Input), variable("x", Role::Output));
        system.declare(i.clone()).unwrap();
        system.declare(x.clone()).unwrap();
        let definition = Definition {
            variable: x.current,
            init: Some(Term::int(0)),
            step: Some(Term::add(&[x.previous, i.current])),
        };
        let element = Element::define(definition, Origin::generated());
        system.add_element(element).unwrap();
        system
    }

    #[test]
    fn an_element_is_a_constraint_on_the_first_state_and_on_each_step() {
        let system = accumulator();
        let element = system.element(ElementId(0));
        assert_eq!(format!("{:?}", element.init()), "(eq x 0)");
        assert_eq!(format!("{:?}", element.step()), "(eq x (add x@pre i))");
        let names: Vec<&str> = system.state().iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["x"]);
    }

    #[test]
    fn removing_an_element_frees_what_it_defined() {
        let system = accumulator();
        let (smaller, map) = system.without(&FxHashSet::from_iter([ElementId(0)]));
        assert!(smaller.elements().is_empty());
        assert!(smaller.defined().is_empty());
        assert_eq!(smaller.variables().len(), 2);
        assert_eq!(map.position(ElementId(0)), None);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_a_reason() {
        let mut system = accumulator();
        let x = system.variable_named(Symbol::new("x")).unwrap().clone();
        let error = system.declare(x.clone()).unwrap_err();
        assert_eq!(error.to_string(), "the name `x` is declared twice");

        let early = Element::constrain(Some(x.previous.eq(x.current)), None, Origin::generated());
        let error = system.add_element(early).unwrap_err().to_string();
        assert!(error.contains("reads the previous value of `x`"), "{error}");

        let stranger = Term::var("stranger", Sort::Bool);
        let unknown = Element::constrain(None, Some(stranger), Origin::generated());
        let error = system.add_element(unknown).unwrap_err().to_string();
        assert_eq!(error, "the variable `stranger` is not declared");

        let number = Element::constrain(None, Some(x.current), Origin::generated());
        let error = system.add_element(number).unwrap_err().to_string();
        assert_eq!(error, "a constraint has sort Int, expected Bool");
    }

    #[test]
    fn an_element_map_leads_both_ways() {
        let map = ElementMap::keep(3, |id| id != ElementId(1));
        assert_eq!(map.kept(), [ElementId(0), ElementId(2)]);
        assert_eq!(map.position(ElementId(2)), Some(ElementId(1)));
        assert_eq!(map.original(ElementId(1)), ElementId(2));
        assert_eq!(map.position(ElementId(1)), None);
    }
}
