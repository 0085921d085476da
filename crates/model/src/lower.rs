//! From expression trees to a transition system.
//!
//! The init part of an equation reads `a -> b` as `a`, the step part reads it as `b` and `pre y` as
//! the previous `y` (Ghassabani, Gacek, Whalen: Efficient generation of inductive validity cores for
//! safety properties, 2016, section 5.1). Each node is lowered for the phase in which it is needed,
//! and for no other, so that the right side of an arrow leaves nothing in the init part.
//!
//! `pre e` of an expression without `->` and `pre` is that expression over the previous state. When
//! `e` has some, its value cannot be told from one previous state: an auxiliary variable keeps it,
//! which belongs to the element that asked for it, so that an element stays the unit of coverage.
//!
//! A `pre` that is read at the first step has an arbitrary value: a variable of role
//! [`Role::Choice`], one for each expression under a `pre`, so that `pre y` written twice is equal
//! to itself. Each such place is listed in [`Lowered::unguarded`]. Where the variables under the
//! `pre` have bounds, so has the arbitrary value; see [`Bounds`].

use crate::bounds::Bounds;
use crate::expr::{Expr, Operator};
use crate::model::{Equation, Goal, Model, Reading, When};
use crate::origin::Origin;
use crate::sort::Sort;
use crate::spell::spell;
use crate::system::{
    Body, Definition, Element, ElementId, Mentions, Phase, Property, Role, System, SystemError,
    Variable,
};
use crate::temporal::Specification;
use crate::term::{Symbol, Term};
use crate::unroll::rename;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// What is wrong with a model, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LowerError {
    /// What is wrong.
    pub kind: LowerErrorKind,
    /// Where, for a diagnostic.
    pub origin: Origin,
}

impl LowerError {
    fn new(kind: LowerErrorKind, origin: &Origin) -> LowerError {
        let origin = origin.clone();
        LowerError { kind, origin }
    }
}

/// What can be wrong with a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LowerErrorKind {
    /// A variable is read or defined and not declared.
    Undeclared {
        /// As it is written.
        name: Symbol,
    },
    /// A variable is used with another sort than it was declared with.
    Misused {
        /// The variable.
        name: Symbol,
        /// The sort of its declaration.
        declared: Sort,
        /// The sort of its use.
        used: Sort,
    },
    /// The right side of an equation, a constraint or a property has the wrong sort.
    Sort {
        /// What has it, in words.
        what: String,
        /// The sort that belongs there.
        wanted: Sort,
        /// The sort that stands there.
        found: Sort,
    },
    /// An equation defines an input, whose values come from outside.
    InputDefined {
        /// The input.
        name: Symbol,
    },
    /// Two equations define the same variable at the same steps.
    DefinedTwice {
        /// The variable.
        name: Symbol,
        /// The first of the two equations.
        first: Origin,
    },
    /// A condition of a specification looks at other steps by itself.
    TemporalAtom,
    /// The terms do not fit into a system.
    System(SystemError),
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            LowerErrorKind::Undeclared { name } => write!(f, "`{name}` is not declared"),
            LowerErrorKind::Misused {
                name,
                declared,
                used,
            } => write!(f, "`{name}` is declared as {declared} and used as {used}"),
            LowerErrorKind::Sort {
                what,
                wanted,
                found,
            } => write!(f, "{what} must have sort {wanted}, found {found}"),
            LowerErrorKind::InputDefined { name } => {
                write!(f, "`{name}` is an input and cannot be defined")
            }
            LowerErrorKind::DefinedTwice { name, .. } => {
                write!(f, "`{name}` is defined more than once")
            }
            LowerErrorKind::TemporalAtom => {
                f.write_str("a condition within a temporal formula reads one state alone")
            }
            LowerErrorKind::System(error) => write!(f, "{error}"),
        }
    }
}
impl std::error::Error for LowerError {}

/// A `pre` that is read at the first step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unguarded {
    /// The element that reads it.
    pub element: ElementId,
    /// The variable that stands for the arbitrary value.
    pub choice: Term,
    /// Where the `pre` stands.
    pub origin: Origin,
}

/// A model as a system, with what is needed to lower changed equations into the same system.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// Element `i` is equation `i` of the model.
    pub system: System,
    /// Every `pre` that is read at the first step.
    pub unguarded: Vec<Unguarded>,
    choices: FxHashMap<Term, Variable>,
    memory: Memory,
}

/// What nodes of the model became where they needed no variable of their own, for those who lower
/// many equations that differ little.
#[derive(Clone, Debug, Default)]
struct Memory {
    /// The trees whose nodes are remembered, so that they keep their addresses.
    trees: Vec<Expr>,
    terms: FxHashMap<(usize, Phase), Term>,
}

/// A changed element, ready to take the place of the original.
#[derive(Clone, Debug)]
pub struct Patch {
    /// The element whose place it takes.
    pub id: ElementId,
    /// The changed element, over variables of the system and of `variables`.
    pub element: Element,
    /// Variables that the original system may not have.
    pub variables: Vec<Variable>,
    /// Every `pre` in it that is read at the first step.
    pub unguarded: Vec<Unguarded>,
    /// The choices among the variables, by the expression under the `pre`.
    choices: Vec<(Term, Variable)>,
}

/// Lowers a model. Returns everything that is wrong with it, not only the first.
pub fn lower(model: &Model) -> Result<Lowered, Vec<LowerError>> {
    let mut lowered = Lowered {
        system: System::default(),
        unguarded: Vec::new(),
        choices: FxHashMap::default(),
        memory: Memory::default(),
    };
    let mut errors = declare(model, &mut lowered.system);
    let none = FxHashMap::default();
    for (index, equation) in model.equations.iter().enumerate() {
        let id = ElementId(index as u32);
        let patch = lowered.patch(id, equation, "", &none);
        if let Err(error) = patch.and_then(|patch| lowered.append(patch)) {
            errors.push(error);
        }
    }
    for goal in &model.goals {
        if let Err(error) = lowered.add_goal(goal) {
            errors.push(error);
        }
    }
    errors.extend(lowered.add_specifications(model));
    if errors.is_empty() {
        Ok(lowered)
    } else {
        Err(errors)
    }
}

/// Declares variables and functions; checks who defines what.
fn declare(model: &Model, system: &mut System) -> Vec<LowerError> {
    let mut errors = Vec::new();
    for variable in &model.variables {
        if let Err(error) = system.declare(variable.clone()) {
            let kind = LowerErrorKind::System(error);
            errors.push(LowerError::new(kind, &variable.origin));
        }
    }
    model.functions.iter().for_each(|f| system.add_function(*f));
    errors.extend(check_definers(model, system));
    errors
}

/// A variable has one definition at each step, and an input none.
fn check_definers(model: &Model, system: &System) -> Vec<LowerError> {
    let mut errors = Vec::new();
    let mut definers: FxHashMap<(Symbol, Phase), &Origin> = FxHashMap::default();
    for equation in &model.equations {
        let Some(name) = equation.target else {
            continue;
        };
        let variable = system.variable_named(name);
        if variable.is_some_and(|variable| variable.role == Role::Input) {
            let kind = LowerErrorKind::InputDefined { name };
            errors.push(LowerError::new(kind, &equation.origin));
            continue;
        }
        let mut clash = None;
        for phase in [Phase::Init, Phase::Step] {
            if equation.when.holds_in(phase) {
                let before = definers.insert((name, phase), &equation.origin);
                clash = clash.or(before);
            }
        }
        if let Some(first) = clash.cloned() {
            let kind = LowerErrorKind::DefinedTwice { name, first };
            errors.push(LowerError::new(kind, &equation.origin));
        }
    }
    errors
}

impl Lowered {
    /// Remembers what the nodes of its model became: lowering a mutant then costs the path from the
    /// place to the root.
    pub fn remember(&mut self, model: &Model) {
        let mut memory = Memory::default();
        for equation in &model.equations {
            let none = FxHashMap::default();
            let mut lowerer = Lowerer::new(self, &none, String::new());
            // A model that was lowered has no errors.
            let lowered = [Phase::Init, Phase::Step]
                .into_iter()
                .filter(|phase| equation.when.holds_in(*phase))
                .all(|phase| lowerer.lower(&equation.tree, phase).is_ok());
            if lowered {
                let Lowerer { known, own, .. } = lowerer;
                let shared = known.into_iter().filter(|(node, _)| !own.contains(node));
                memory.terms.extend(shared);
                memory.trees.push(equation.tree.clone());
            }
        }
        self.memory = memory;
    }

    /// Lowers the changed equations of one mutant to stand in the place of the original elements.
    /// `scope` goes before the names of new variables: mutants that may meet in one solver need
    /// different scopes. The patches of one mutant share their choices, as the elements of a model
    /// do, and are to be used together.
    pub fn patches(
        &self,
        changed: &[(ElementId, Equation)],
        scope: &str,
    ) -> Result<Vec<Patch>, LowerError> {
        let mut choices = FxHashMap::default();
        let mut patches = Vec::with_capacity(changed.len());
        for (id, equation) in changed {
            let patch = self.patch(*id, equation, scope, &choices)?;
            choices.extend(patch.choices.iter().cloned());
            patches.push(patch);
        }
        Ok(patches)
    }

    /// `choices` are known beside those of the model.
    fn patch(
        &self,
        id: ElementId,
        equation: &Equation,
        scope: &str,
        choices: &FxHashMap<Term, Variable>,
    ) -> Result<Patch, LowerError> {
        let target = self.target(equation)?;
        let owner = equation.target.map_or("assert", Symbol::as_str);
        let mut lowerer = Lowerer::new(self, choices, format!("{scope}{owner}@{}", id.0));
        let mut part = |phase| match equation.when.holds_in(phase) {
            true => lowerer.lower(&equation.tree, phase).map(Some),
            false => Ok(None),
        };
        let (init, step) = (part(Phase::Init)?, part(Phase::Step)?);
        let body = match (target, equation.reading) {
            (Some(variable), Reading::Definition) => Body::Define(Definition {
                variable,
                init,
                step,
            }),
            (Some(variable), Reading::Relation) => Body::Constrain {
                init: init.map(|value| variable.eq(value)),
                step: step.map(|value| variable.eq(value)),
            },
            (None, _) => Body::Constrain { init, step },
        };
        Ok(lowerer.finish(id, body, equation.origin.clone()))
    }

    /// The variable that an equation defines, if any, once its sort is found to fit the tree's.
    fn target(&self, equation: &Equation) -> Result<Option<Term>, LowerError> {
        let fail = |kind| Err(LowerError::new(kind, &equation.origin));
        let found = equation.tree.sort();
        let (target, wanted, what) = match equation.target {
            None => (None, Sort::Bool, "a constraint".to_string()),
            Some(name) => match self.system.variable_named(name) {
                Some(variable) => {
                    let what = format!("the value of `{name}`");
                    (Some(variable.current), variable.sort(), what)
                }
                None => return fail(LowerErrorKind::Undeclared { name }),
            },
        };
        if wanted == found {
            return Ok(target);
        }
        fail(LowerErrorKind::Sort {
            what,
            wanted,
            found,
        })
    }

    fn append(&mut self, patch: Patch) -> Result<(), LowerError> {
        let origin = patch.element.origin.clone();
        self.adopt(&patch)
            .and_then(|()| self.system.add_element(patch.element))
            .map_err(|error| LowerError::new(LowerErrorKind::System(error), &origin))?;
        Ok(())
    }

    /// Declares a patch's variables and remembers its choices for the elements to come.
    fn adopt(&mut self, patch: &Patch) -> Result<(), SystemError> {
        for variable in &patch.variables {
            self.system.declare(variable.clone())?;
        }
        self.unguarded.extend(patch.unguarded.iter().cloned());
        self.choices.extend(patch.choices.iter().cloned());
        Ok(())
    }

    /// Specifications and fairness: their atoms are trees over the current state.
    fn add_specifications(&mut self, model: &Model) -> Vec<LowerError> {
        let mut errors = Vec::new();
        for specification in &model.specifications {
            if let Err(error) = self.add_specification(specification) {
                errors.push(error);
            }
        }
        let fairness = model.fairness.try_map(|tree| self.atom(tree));
        let added = fairness.and_then(|fairness| {
            let fail = |error| LowerError::new(LowerErrorKind::System(error), &Origin::generated());
            self.system.set_fairness(fairness).map_err(fail)
        });
        errors.extend(added.err());
        errors
    }

    fn add_specification(&mut self, given: &Specification<Expr>) -> Result<(), LowerError> {
        let specification = Specification {
            name: given.name.clone(),
            claim: given.claim.try_map(|tree| self.atom(tree))?,
            origin: given.origin.clone(),
        };
        let added = self.system.add_specification(specification);
        added.map_err(|error| LowerError::new(LowerErrorKind::System(error), &given.origin))
    }

    /// A Boolean over the current state.
    fn atom(&self, tree: &Expr) -> Result<Term, LowerError> {
        if tree.is_temporal() {
            let kind = LowerErrorKind::TemporalAtom;
            return Err(LowerError::new(kind, tree.origin()));
        }
        let none = FxHashMap::default();
        Lowerer::new(self, &none, String::new()).lower(tree, Phase::Step)
    }

    /// A property reads the current state alone; one with `->` or `pre` gets an element of its own,
    /// which no one wrote and no coverage counts.
    fn add_goal(&mut self, goal: &Goal) -> Result<(), LowerError> {
        let fail = |kind| LowerError::new(kind, &goal.origin);
        if goal.tree.sort() != Sort::Bool {
            return Err(fail(LowerErrorKind::Sort {
                what: format!("property `{}`", goal.name),
                wanted: Sort::Bool,
                found: goal.tree.sort(),
            }));
        }
        let term = if goal.tree.is_temporal() {
            self.hold(goal)?
        } else {
            let none = FxHashMap::default();
            Lowerer::new(self, &none, String::new()).lower(&goal.tree, Phase::Step)?
        };
        let property = Property {
            name: goal.name.clone(),
            term,
            origin: goal.origin.clone(),
        };
        let added = self.system.add_property(property);
        added.map_err(|error| fail(LowerErrorKind::System(error)))
    }

    /// A variable that has the value of a temporal property, with the element that defines it.
    fn hold(&mut self, goal: &Goal) -> Result<Term, LowerError> {
        let origin = goal.origin.serving();
        // The number tells properties of one name apart.
        let number = self.system.properties().len();
        let name = format!("{}@property{number}", goal.name);
        let variable = Variable::new(&name, Sort::Bool, Role::Auxiliary, origin.clone());
        let term = variable.current;
        let declared = self.system.declare(variable);
        declared.map_err(|error| LowerError::new(LowerErrorKind::System(error), &origin))?;
        let equation = Equation {
            target: Some(Symbol::new(&name)),
            reading: Reading::Definition,
            when: When::Always,
            tree: goal.tree.clone(),
            origin,
        };
        let id = ElementId(self.system.elements().len() as u32);
        let patch = self.patch(id, &equation, "", &FxHashMap::default())?;
        self.append(patch)?;
        Ok(term)
    }

    /// The system with patches in place.
    pub fn patched(&self, patches: Vec<Patch>) -> Result<System, SystemError> {
        let mut system = self.system.clone();
        for patch in patches {
            system = system.with_elements(&patch.variables, [(patch.id, patch.element)])?;
        }
        Ok(system)
    }
}

/// Lowers the nodes of one element.
struct Lowerer<'a> {
    lowered: &'a Lowered,
    /// Choices of other elements beside those of the lowered model.
    shared: &'a FxHashMap<Term, Variable>,
    /// Goes before the names of new variables.
    prefix: String,
    known: FxHashMap<(usize, Phase), Term>,
    /// The nodes that needed a variable of their own, or contain one that did.
    own: FxHashSet<(usize, Phase)>,
    /// What terms over the current state are over the previous one.
    previous: FxHashMap<Term, Term>,
    auxiliaries: Vec<Definition>,
    /// The auxiliary variable of an expression by its values at the first step and later.
    held: FxHashMap<(Term, Term), Variable>,
    variables: Vec<Variable>,
    choices: Vec<(Term, Variable)>,
    /// The position of each choice.
    chosen: FxHashMap<Term, usize>,
    /// Each `pre` that was lowered for the first step.
    arbitrary: Vec<(Term, Origin)>,
}

impl<'a> Lowerer<'a> {
    fn new(
        lowered: &'a Lowered,
        shared: &'a FxHashMap<Term, Variable>,
        prefix: String,
    ) -> Lowerer<'a> {
        Lowerer {
            lowered,
            shared,
            prefix,
            known: FxHashMap::default(),
            own: FxHashSet::default(),
            previous: FxHashMap::default(),
            auxiliaries: Vec::new(),
            held: FxHashMap::default(),
            variables: Vec::new(),
            choices: Vec::new(),
            chosen: FxHashMap::default(),
            arbitrary: Vec::new(),
        }
    }

    fn lower(&mut self, root: &Expr, phase: Phase) -> Result<Term, LowerError> {
        let mut stack = vec![(root, phase)];
        while let Some(&(node, phase)) = stack.last() {
            if self.has(node, phase) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(needs(node, phase).filter(|(need, phase)| !self.has(need, *phase)));
            if stack.len() > before {
                continue;
            }
            let term = self.combine(node, phase)?;
            self.known.insert((node.address(), phase), term);
            let pre = *node.operator() == Operator::Pre;
            let variable = pre && (phase == Phase::Init || node.args()[0].is_temporal());
            let mut inner = needs(node, phase);
            if variable || inner.any(|(need, phase)| self.own.contains(&(need.address(), phase))) {
                self.own.insert((node.address(), phase));
            }
            stack.pop();
        }
        Ok(self.term(root, phase))
    }

    fn has(&self, node: &Expr, phase: Phase) -> bool {
        let key = (node.address(), phase);
        self.known.contains_key(&key) || self.lowered.memory.terms.contains_key(&key)
    }

    fn term(&self, node: &Expr, phase: Phase) -> Term {
        let key = (node.address(), phase);
        let own = self.known.get(&key).copied();
        own.unwrap_or_else(|| self.lowered.memory.terms[&key])
    }

    /// Lowers a node whose needs are met.
    fn combine(&mut self, node: &Expr, phase: Phase) -> Result<Term, LowerError> {
        match (node.operator(), node.args()) {
            (Operator::Variable(name), _) => self.variable(*name, node),
            (Operator::Arrow, [left, right]) => Ok(match phase {
                Phase::Init => self.term(left, phase),
                Phase::Step => self.term(right, phase),
            }),
            (Operator::Pre, [operand]) => Ok(self.pre(node, operand, phase)),
            (operator, args) => {
                let args: Vec<Term> = args.iter().map(|arg| self.term(arg, phase)).collect();
                Ok(spell(operator, &args))
            }
        }
    }

    fn variable(&self, name: Symbol, node: &Expr) -> Result<Term, LowerError> {
        let kind = match self.lowered.system.variable_named(name) {
            Some(variable) if variable.sort() == node.sort() => return Ok(variable.current),
            Some(variable) => LowerErrorKind::Misused {
                name,
                declared: variable.sort(),
                used: node.sort(),
            },
            None => LowerErrorKind::Undeclared { name },
        };
        Err(LowerError::new(kind, node.origin()))
    }

    fn pre(&mut self, node: &Expr, operand: &Expr, phase: Phase) -> Term {
        let before = if operand.is_temporal() {
            let init = self.term(operand, Phase::Init);
            let step = self.term(operand, Phase::Step);
            self.auxiliary(init, step, node.origin())
        } else {
            let now = self.term(operand, Phase::Step);
            let system = &self.lowered.system;
            rename(now, &mut self.previous, |variable| {
                system.variable(variable).map_or(variable, |v| v.previous)
            })
        };
        match phase {
            Phase::Step => before,
            Phase::Init => self.choice(before, node.origin()),
        }
    }

    /// The previous value of a variable that holds an expression with these values.
    fn auxiliary(&mut self, init: Term, step: Term, origin: &Origin) -> Term {
        if let Some(variable) = self.held.get(&(init, step)) {
            return variable.previous;
        }
        let name = format!("{}.{}", self.prefix, self.auxiliaries.len());
        let variable = Variable::new(&name, step.sort(), Role::Auxiliary, origin.serving())
            .with_bounds(self.bounds(&[init, step]));
        self.auxiliaries.push(Definition {
            variable: variable.current,
            init: Some(init),
            step: Some(step),
        });
        self.held.insert((init, step), variable.clone());
        let previous = variable.previous;
        self.variables.push(variable);
        previous
    }

    /// The arbitrary value that an expression over the previous state has at the first step.
    fn choice(&mut self, operand: Term, origin: &Origin) -> Term {
        let own = self.chosen.get(&operand);
        let known = own
            .map(|position| &self.choices[*position].1)
            .or_else(|| self.lowered.choices.get(&operand))
            .or_else(|| self.shared.get(&operand));
        let choice = match known {
            Some(choice) => choice.clone(),
            None => {
                let name = match self.lowered.system.variable(operand) {
                    Some(variable) => format!("{}@first", variable.name),
                    None => format!("{}.first{}", self.prefix, self.choices.len()),
                };
                let choice = Variable::new(&name, operand.sort(), Role::Choice, origin.serving())
                    .with_bounds(self.bounds(&[operand]));
                self.chosen.insert(operand, self.choices.len());
                self.choices.push((operand, choice.clone()));
                choice
            }
        };
        self.arbitrary.push((choice.current, origin.clone()));
        match &choice.bounds {
            Some(bounds) => bounds.clamp(choice.current),
            None => choice.current,
        }
    }

    /// The bounds of whatever has one of these terms as its value.
    fn bounds(&self, terms: &[Term]) -> Option<Bounds> {
        Bounds::of_terms(terms, |term| {
            let own = self.variables.iter();
            let choices = self.choices.iter().map(|(_, choice)| choice);
            let mut known = own.chain(choices).chain(self.shared.values());
            let variable =
                self.lowered.system.variable(term).or_else(|| {
                    known.find(|known| known.current == term || known.previous == term)
                });
            variable.and_then(|variable| variable.bounds.clone())
        })
    }

    /// Puts the element together. Choices that simplification removed are not unguarded.
    fn finish(mut self, id: ElementId, body: Body, origin: Origin) -> Patch {
        let element = Element {
            body,
            auxiliaries: self.auxiliaries,
            origin,
        };
        let mut read = Mentions::default();
        let definitions = element.definitions();
        let inits = definitions.filter_map(|definition| definition.init);
        inits
            .chain(element.constraint(Phase::Init))
            .for_each(|term| read.add(term));
        self.choices
            .retain(|(_, choice)| read.variables.contains(&choice.current));
        self.arbitrary
            .retain(|(choice, _)| read.variables.contains(choice));
        let new_choices = self.choices.iter().map(|(_, choice)| choice.clone());
        self.variables.extend(new_choices);
        let unguarded = self
            .arbitrary
            .into_iter()
            .map(|(choice, origin)| Unguarded {
                element: id,
                choice,
                origin,
            });
        Patch {
            id,
            element,
            variables: self.variables,
            unguarded: unguarded.collect(),
            choices: self.choices,
        }
    }
}

/// Which nodes must be lowered before this one, and for which phase.
fn needs(node: &Expr, phase: Phase) -> impl Iterator<Item = (&Expr, Phase)> {
    let args = node.args();
    let (args, phases): (&[Expr], &[Phase]) = match (node.operator(), phase) {
        (Operator::Arrow, Phase::Init) => (&args[..1], &[Phase::Init]),
        (Operator::Arrow, Phase::Step) => (&args[1..], &[Phase::Step]),
        (Operator::Pre, _) if args[0].is_temporal() => (args, &[Phase::Init, Phase::Step]),
        (Operator::Pre, _) | (_, Phase::Step) => (args, &[Phase::Step]),
        (_, Phase::Init) => (args, &[Phase::Init]),
    };
    args.iter()
        .flat_map(move |arg| phases.iter().map(move |phase| (arg, *phase)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    /// Builds small models in few words.
    #[derive(Default)]
    struct Draft {
        model: Model,
    }

    impl Draft {
        fn variable(&mut self, name: &str, sort: Sort, role: Role) {
            let variable = Variable::new(name, sort, role, Origin::generated());
            self.model.variables.push(variable);
        }

        fn read(&mut self, name: &str) -> Expr {
            let known = self.model.variables.iter();
            let sort = known
                .filter(|v| v.name.as_str() == name)
                .map(Variable::sort)
                .next()
                .unwrap_or(Sort::Int);
            Expr::variable(self.model.node_ids.fresh(), name, sort, Origin::generated())
        }

        fn int(&mut self, value: i64) -> Expr {
            let id = self.model.node_ids.fresh();
            Expr::constant(id, Value::Int(value.into()), Origin::generated())
        }

        fn node(&mut self, operator: Operator, args: &[&Expr]) -> Expr {
            let args = args.iter().map(|arg| (*arg).clone()).collect();
            let id = self.model.node_ids.fresh();
            Expr::new(id, operator, args, Origin::generated()).unwrap()
        }

        fn pre(&mut self, operand: &Expr) -> Expr {
            self.node(Operator::Pre, &[operand])
        }

        fn arrow(&mut self, left: &Expr, right: &Expr) -> Expr {
            self.node(Operator::Arrow, &[left, right])
        }

        fn define(&mut self, name: &str, tree: &Expr) {
            self.model.equations.push(Equation {
                target: Some(Symbol::new(name)),
                reading: Reading::Definition,
                when: When::Always,
                tree: tree.clone(),
                origin: Origin::generated(),
            });
        }
    }

    fn draft() -> Draft {
        let mut draft = Draft::default();
        draft.variable("i", Sort::Int, Role::Input);
        draft.variable("x", Sort::Int, Role::Local);
        draft.variable("y", Sort::Int, Role::Local);
        draft
    }

    fn parts(element: &Element) -> [String; 2] {
        [element.init(), element.step()].map(|term| format!("{term:?}"))
    }

    #[test]
    fn an_arrow_is_its_left_side_first_and_its_right_side_later() {
        let mut draft = draft();
        let (x, i, zero) = (draft.read("x"), draft.read("i"), draft.int(0));
        let pre = draft.pre(&x);
        let sum = draft.node(Operator::Plus, &[&pre, &i]);
        let tree = draft.arrow(&zero, &sum);
        draft.define("x", &tree);
        let lowered = lower(&draft.model).unwrap();
        let element = lowered.system.element(ElementId(0));
        assert_eq!(parts(element), ["(eq x 0)", "(eq x (add x@pre i))"]);
        assert!(lowered.unguarded.is_empty());
        assert_eq!(lowered.system.variables().len(), 3);
    }

    #[test]
    fn pre_of_a_sum_is_the_sum_of_the_previous_values() {
        let mut draft = draft();
        let (x, i, zero) = (draft.read("x"), draft.read("i"), draft.int(0));
        let sum = draft.node(Operator::Plus, &[&x, &i]);
        let pre = draft.pre(&sum);
        let tree = draft.arrow(&zero, &pre);
        draft.define("x", &tree);
        let lowered = lower(&draft.model).unwrap();
        let element = lowered.system.element(ElementId(0));
        assert_eq!(parts(element)[1], "(eq x (add x@pre i@pre))");
        assert!(element.auxiliaries.is_empty());
    }

    #[test]
    fn pre_of_an_arrow_gets_an_auxiliary_variable_of_the_same_element() {
        let mut draft = draft();
        // x = 0 -> pre (1 -> pre i)
        let (i, zero, one) = (draft.read("i"), draft.int(0), draft.int(1));
        let pre = draft.pre(&i);
        let inner = draft.arrow(&one, &pre);
        let pre = draft.pre(&inner);
        let tree = draft.arrow(&zero, &pre);
        draft.define("x", &tree);
        let lowered = lower(&draft.model).unwrap();
        let element = lowered.system.element(ElementId(0));
        let wanted = [
            "(and (eq x 0) (eq x@0.0 1))",
            "(and (eq x x@0.0@pre) (eq x@0.0 i@pre))",
        ];
        assert_eq!(parts(element), wanted);
        assert!(lowered.unguarded.is_empty());
        assert_eq!(lowered.system.elements().len(), 1);
    }

    #[test]
    fn an_unguarded_pre_is_one_choice_per_expression_and_is_listed() {
        let mut draft = draft();
        let i = draft.read("i");
        let (first, second) = (draft.pre(&i), draft.pre(&i));
        draft.define("x", &first);
        draft.define("y", &second);
        let lowered = lower(&draft.model).unwrap();
        let system = &lowered.system;
        assert_eq!(parts(system.element(ElementId(0)))[0], "(eq x i@first)");
        assert_eq!(parts(system.element(ElementId(1)))[0], "(eq y i@first)");
        let places: Vec<ElementId> = lowered.unguarded.iter().map(|u| u.element).collect();
        assert_eq!(places, [ElementId(0), ElementId(1)]);
        let choices = system.variables().iter().filter(|v| v.role == Role::Choice);
        assert_eq!(choices.count(), 1);
    }

    #[test]
    fn the_choice_of_a_bounded_variable_is_read_within_its_bounds() {
        let mut draft = draft();
        draft.model.variables[0].bounds = Some(Bounds {
            low: 2.into(),
            high: 5.into(),
        });
        let i = draft.read("i");
        let pre = draft.pre(&i);
        draft.define("x", &pre);
        let twice = draft.pre(&pre);
        draft.define("y", &twice);
        let lowered = lower(&draft.model).unwrap();
        let clamp = |choice: &str| {
            let choice = Term::var(choice, Sort::Int);
            draft.model.variables[0]
                .bounds
                .as_ref()
                .unwrap()
                .clamp(choice)
        };
        let read = |name: &str| {
            lowered
                .system
                .variable_named(Symbol::new(name))
                .unwrap()
                .current
        };
        let first = lowered.system.element(ElementId(0)).init();
        assert_eq!(first, read("x").eq(clamp("i@first")));
        let Body::Define(second) = &lowered.system.element(ElementId(1)).body else {
            panic!("an equation defines");
        };
        assert_eq!(second.init, Some(clamp("y@1.first0")));
    }

    #[test]
    fn a_pre_of_a_pre_is_arbitrary_for_two_steps() {
        let mut draft = draft();
        // x = 0 -> pre pre i: the second step reads what pre i was at the first.
        let (i, zero) = (draft.read("i"), draft.int(0));
        let once = draft.pre(&i);
        let twice = draft.pre(&once);
        let tree = draft.arrow(&zero, &twice);
        draft.define("x", &tree);
        let lowered = lower(&draft.model).unwrap();
        let element = lowered.system.element(ElementId(0));
        assert_eq!(parts(element)[0], "(and (eq x 0) (eq x@0.0 i@first))");
        assert_eq!(parts(element)[1], "(and (eq x x@0.0@pre) (eq x@0.0 i@pre))");
        assert_eq!(lowered.unguarded.len(), 1);
    }

    #[test]
    fn a_relation_constrains_a_free_variable() {
        let mut draft = draft();
        let (x, zero) = (draft.read("x"), draft.int(0));
        let y = draft.node(Operator::Minus, &[&zero, &x]);
        draft.define("x", &y);
        draft.model.equations[0].reading = Reading::Relation;
        let lowered = lower(&draft.model).unwrap();
        let element = lowered.system.element(ElementId(0));
        assert_eq!(element.target(), None);
        assert!(lowered.system.defined().is_empty());
        let x = lowered.system.variables()[1].current;
        assert_eq!(element.step(), x.eq(Term::int(0).sub(x)));
    }

    #[test]
    fn an_equation_for_the_first_step_leaves_the_later_ones_free() {
        let mut draft = draft();
        let one = draft.int(1);
        draft.define("x", &one);
        draft.model.equations[0].when = When::First;
        let lowered = lower(&draft.model).unwrap();
        let element = lowered.system.element(ElementId(0));
        assert_eq!(parts(element), ["(eq x 1)", "true"]);
    }

    #[test]
    fn a_temporal_property_gets_a_generated_element() {
        let mut draft = draft();
        let (x, i) = (draft.read("x"), draft.read("i"));
        draft.define("x", &i);
        let (pre, truth) = (draft.pre(&x), Value::Bool(true));
        let id = draft.model.node_ids.fresh();
        let truth = Expr::constant(id, truth, Origin::generated());
        let same = draft.node(Operator::Equal, &[&pre, &x]);
        let tree = draft.arrow(&truth, &same);
        let origin = Origin::generated();
        let name = "stable".into();
        draft.model.goals.push(Goal { name, tree, origin });
        let lowered = lower(&draft.model).unwrap();
        assert_eq!(lowered.system.elements().len(), 2);
        assert!(!lowered.system.element(ElementId(1)).origin.is_source());
        let property = &lowered.system.properties()[0];
        assert_eq!(format!("{:?}", property.term), "stable@property0");
    }

    #[test]
    fn everything_that_is_wrong_is_reported() {
        let mut draft = draft();
        let (stranger, one) = (draft.read("stranger"), draft.int(1));
        draft.define("x", &stranger);
        draft.define("x", &one);
        draft.define("i", &one);
        draft.define("ghost", &one);
        let truth = draft.node(Operator::Equal, &[&one, &one]);
        draft.define("y", &truth);
        let errors = lower(&draft.model).unwrap_err();
        let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let wanted = [
            "`x` is defined more than once",
            "`i` is an input and cannot be defined",
            "`stranger` is not declared",
            "`ghost` is not declared",
            "the value of `y` must have sort Int, found Bool",
        ];
        assert_eq!(messages, wanted);
    }

    #[test]
    fn a_mutation_of_a_place_patches_every_element_that_has_it() {
        let mut draft = draft();
        let (i, one) = (draft.read("i"), draft.int(1));
        let sum = draft.node(Operator::Plus, &[&i, &one]);
        draft.define("x", &sum);
        draft.define("y", &sum);
        let lowered = lower(&draft.model).unwrap();
        let elements = &draft.model.occurrences()[&sum.id()];
        let pre = draft.pre(&sum);
        let changed = draft.model.replace(sum.id(), elements, |_| Ok(pre.clone()));
        let patches = lowered.patches(&changed.unwrap(), "m1:").unwrap();
        assert_eq!(patches.len(), 2);
        let mutant = lowered.patched(patches).unwrap();
        let element = mutant.element(ElementId(1));
        assert_eq!(parts(element)[0], "(eq y m1:x@0.first0)");
        assert_eq!(parts(element)[1], "(eq y (add i@pre 1))");
        assert_eq!(lowered.system.variables().len(), 3);
    }
}
