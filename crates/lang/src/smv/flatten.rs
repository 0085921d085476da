//! Instances to one model: variables, assignments and constraints as equations.
//!
//! `x := e` holds in every state, `init(x) := e` in the first, `next(x) := e` at every step. A value that
//! is a set makes a constraint of the assignment: the variable is one of its elements. Variables that a
//! process assigns keep their values while another moves. What cannot be seen from the text alone (values
//! outside of a range, cases that fall through) is left as a list of [`Doubt`]s.

use super::elaborate::{Elaborated, Elaborator, Mode, SELECTOR, Shape, Told, has_numbers, plain};
use super::maker::{Place, truth};
use super::scope::Entry;
use super::syntax::{Expression, Form, Item, Kind, VariableKind};
use super::value::{Domain, One, Value};
use proofmark_model::{
    Bounds, Category, ElementFacts, Equation, Expr, Facts, Model, Operator, Origin, Reading, Role,
    Sort, Symbol, Variable, VariableFacts, When,
};
use proofmark_source::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// Something that must not happen: a condition, in a state or in a step, and what to say if it can.
pub(super) struct Doubt {
    pub tree: Expr,
    pub when: When,
    /// The fault that it is, if it is one of an expression.
    pub fault: Option<usize>,
    pub diagnostic: Diagnostic,
}

/// One assignment, with its value.
struct Assigned {
    value: Value,
    scope: usize,
    span: Span,
    place: Place,
}

/// Puts the model together.
pub(super) struct Flattener<'a> {
    pub elaborator: Elaborator<'a>,
    pub model: Model,
    pub facts: Facts,
    pub doubts: Vec<Doubt>,
    assignments: FxHashMap<(usize, Form), Vec<Assigned>>,
    /// The text of the file.
    pub text: &'a str,
    /// The names of specifications.
    pub names: FxHashSet<String>,
    /// The names of inputs.
    pub inputs: FxHashSet<Symbol>,
    /// Variables that an equation defines in the first state, and at steps.
    defined: FxHashSet<(Symbol, bool)>,
}

impl<'a> Flattener<'a> {
    pub fn new(elaborator: Elaborator<'a>, text: &'a str) -> Flattener<'a> {
        Flattener {
            elaborator,
            model: Model::default(),
            facts: Facts::default(),
            doubts: Vec::new(),
            assignments: FxHashMap::default(),
            text,
            names: FxHashSet::default(),
            inputs: FxHashSet::default(),
            defined: FxHashSet::default(),
        }
    }

    /// Reads everything; what is wrong is with the elaborator's diagnostics.
    pub fn run(&mut self) {
        self.declare();
        let items = self.elaborator.world.items.clone();
        for (scope, item) in &items {
            if let Item::Assign {
                form,
                target,
                value,
                span,
            } = item
            {
                let _ = self.assign(*scope, *form, target, value, *span);
            }
        }
        self.equations();
        for (scope, item) in &items {
            let _ = match item {
                Item::Init(tree) => self.constrain(*scope, tree, When::First, "INIT"),
                Item::Invar(tree) => self.constrain(*scope, tree, When::Always, "INVAR"),
                Item::Trans(tree) => self.constrain(*scope, tree, When::Later, "TRANS"),
                Item::Justice(tree) => self.justice(*scope, tree),
                Item::Compassion(first, second) => self.compassion(*scope, first, second),
                Item::Specification {
                    name,
                    question,
                    span,
                } => self.specification(*scope, name.as_ref(), question, *span),
                _ => Ok(()),
            };
        }
        self.types();
        self.break_cycles();
    }

    fn declare(&mut self) {
        for position in 0..self.elaborator.scalars.len() {
            let scalar = &self.elaborator.scalars[position];
            let scope = &self.elaborator.world.scopes[scalar.scope];
            let origin = Origin::new(scalar.span, Category::Declaration).within(&scope.path);
            let role = match scalar.kind {
                VariableKind::Input => Role::Input,
                _ if scope.path.is_root() => Role::Output,
                _ => Role::Local,
            };
            let bounds = scalar.domain.range().map(|(low, high)| Bounds {
                low: (low as i64).into(),
                high: (high as i64).into(),
            });
            let variable = Variable::new(&scalar.name, scalar.domain.sort(), role, origin);
            if role == Role::Input {
                self.inputs.insert(variable.name);
            }
            self.model.variables.push(variable.with_bounds(bounds));
            self.facts.variables.push(VariableFacts {
                declared: Symbol::new(&scalar.declared),
                scope: Symbol::new(self.elaborator.world.module_of(scalar.scope)),
            });
        }
        if let Some(selector) = self.elaborator.selector {
            let origin = Origin::generated();
            let variable = Variable::new(SELECTOR, Sort::Enum(selector), Role::Input, origin);
            self.inputs.insert(variable.name);
            self.model.variables.push(variable);
            self.facts.variables.push(VariableFacts {
                declared: Symbol::new(SELECTOR),
                scope: Symbol::new("main"),
            });
        }
    }

    // ---- assignments ----

    fn assign(
        &mut self,
        scope: usize,
        form: Form,
        target: &Expression,
        value: &Expression,
        span: Span,
    ) -> Elaborated<()> {
        let position = self.target(scope, target)?;
        let scalar = &self.elaborator.scalars[position];
        let (kind, name) = (scalar.kind, scalar.name.clone());
        if kind == VariableKind::Input {
            let message = format!("`{name}` is an input and cannot be assigned");
            return self
                .elaborator
                .tell(target.span, message, "declare it in VAR");
        }
        if kind == VariableKind::Frozen && form != Form::Init {
            let message = format!("`{name}` is frozen and has only a first value");
            return self.elaborator.tell(
                target.span,
                message,
                "assign `init` of it, or declare it in VAR",
            );
        }
        self.clash(position, form, &name, span)?;
        let mode = match form {
            Form::Next => Mode::Before,
            _ => Mode::State,
        };
        let value_of = self.elaborator.value(scope, mode, value)?;
        if let Value::Instance | Value::Array(..) = value_of {
            return self.elaborator.not_one(&value_of, value.span);
        }
        let place = self.elaborator.place(value, scope);
        let assigned = Assigned {
            value: value_of,
            scope,
            span,
            place,
        };
        self.assignments
            .entry((position, form))
            .or_default()
            .push(assigned);
        Ok(())
    }

    /// A variable has one assignment a form, and none beside `x := e`; processes may share one.
    fn clash(&mut self, position: usize, form: Form, name: &str, span: Span) -> Elaborated<()> {
        let forms: &[Form] = match form {
            Form::Always => &[Form::Always, Form::Init, Form::Next],
            Form::Init => &[Form::Always, Form::Init],
            Form::Next => &[Form::Always, Form::Next],
        };
        let first = forms.iter().find_map(|other| {
            let known = self.assignments.get(&(position, *other))?;
            let shared =
                form == Form::Next && *other == Form::Next && self.elaborator.selector.is_some();
            known.first().filter(|_| !shared).map(|known| known.span)
        });
        let Some(first) = first else { return Ok(()) };
        let diagnostic = Diagnostic::error(span, format!("`{name}` is assigned twice"))
            .with_hint("remove one of the two")
            .with_label(first, "assigned here first");
        self.elaborator.diagnostics.push(diagnostic);
        Err(Told)
    }

    fn target(&mut self, scope: usize, path: &Expression) -> Elaborated<usize> {
        match self.shape(scope, path)? {
            Shape::Scalar(position) => Ok(position),
            Shape::Array(..) => {
                self.elaborator
                    .tell(path.span, "an array is assigned value by value", "index it")
            }
        }
    }

    fn shape(&mut self, scope: usize, path: &Expression) -> Elaborated<Shape> {
        if let Kind::Index(base, index) = &path.kind {
            let Shape::Array(low, inner) = self.shape(scope, base)? else {
                let hint = "only arrays have an index on the left side";
                return self.elaborator.tell(base.span, "this is no array", hint);
            };
            let at = self.elaborator.integer(scope, index)?;
            let inside = at.checked_sub(low).and_then(|at| usize::try_from(at).ok());
            return match inside.and_then(|at| inner.get(at)) {
                Some(shape) => Ok(shape.clone()),
                None => {
                    let message = format!("the index {at} is outside of the array");
                    self.elaborator
                        .tell(index.span, message, "take one within the bounds")
                }
            };
        }
        let world = &self.elaborator.world;
        let entry = world.resolve(scope, path);
        if let Some(Entry::Parameter(position)) = entry
            && let Kind::Index(..) = world.parameters[position].argument.kind
        {
            let parameter = &world.parameters[position];
            return self.shape(parameter.caller, parameter.argument);
        }
        match entry.and_then(|entry| world.follow(entry)) {
            Some(Entry::Variable(position)) => self.elaborator.shapes[position].clone().ok_or(Told),
            Some(_) => {
                let hint = "the left side is a variable";
                self.elaborator
                    .tell(path.span, "this cannot be assigned", hint)
            }
            None => {
                // Reading it says what is wrong with the name.
                let _ = self.elaborator.value(scope, Mode::State, path)?;
                self.elaborator.tell(
                    path.span,
                    "this cannot be assigned",
                    "the left side is a variable",
                )
            }
        }
    }

    fn equations(&mut self) {
        let mut keys: Vec<(usize, Form)> = self.assignments.keys().copied().collect();
        keys.sort_by_key(|(position, form)| (*position, *form as u8));
        for (position, form) in keys {
            let Some(mut list) = self.assignments.remove(&(position, form)) else {
                continue;
            };
            let assigned = match (form, self.elaborator.selector) {
                (Form::Next, Some(_)) => self.by_process(position, list),
                _ => list.pop().ok_or(Told),
            };
            let _ = assigned.and_then(|assigned| self.equation(position, form, &assigned));
        }
    }

    /// The value that the moving process gives, and the old one while another moves.
    fn by_process(&mut self, position: usize, list: Vec<Assigned>) -> Elaborated<Assigned> {
        let first = list.first().ok_or(Told)?;
        let (span, scope, place) = (first.span, first.scope, first.place.clone());
        let keep = Place {
            key: place.key ^ 2,
            ..place.clone()
        };
        let old = self.elaborator.scalar(position, Mode::Before, &keep)?;
        let mut branches = Vec::new();
        let mut movers = FxHashSet::default();
        for one in list {
            let process = self.elaborator.world.scopes[one.scope].process;
            if !movers.insert(process) {
                let name = self.elaborator.scalars[position].name.clone();
                let message = format!("`{name}` is assigned twice by one process");
                return self
                    .elaborator
                    .tell(one.span, message, "remove one of the two");
            }
            let here = Place {
                key: one.place.key ^ 3,
                ..one.place
            };
            let moves = self.elaborator.running(one.scope, Mode::Before, &here);
            branches.push((moves, one.value));
        }
        let old = Some(Value::One(old));
        let value = self.elaborator.combine_cases(branches, old, &keep)?;
        Ok(Assigned {
            value,
            scope,
            span,
            place,
        })
    }

    fn equation(&mut self, position: usize, form: Form, assigned: &Assigned) -> Elaborated<()> {
        let when = match form {
            Form::Always => When::Always,
            Form::Init => When::First,
            Form::Next => When::Later,
        };
        let members = self
            .elaborator
            .members(&assigned.value, assigned.place.span)?;
        for (guard, member) in &members {
            self.check_member(position, guard.as_ref(), member, when, assigned)?;
        }
        self.doubt_value(&assigned.value, when, &assigned.place);
        let scalar = &self.elaborator.scalars[position];
        let (name, domain) = (scalar.name.clone(), scalar.domain.clone());
        let path = self.elaborator.world.scopes[assigned.scope].path.clone();
        let origin = Origin::new(assigned.span, Category::Assignment).within(&path);
        let (target, tree) = match &assigned.value {
            Value::One(one) => {
                for first in [true, false] {
                    if when != if first { When::Later } else { When::First } {
                        self.defined.insert((Symbol::new(&name), first));
                    }
                }
                (Some(Symbol::new(&name)), self.fitted(one, &domain))
            }
            set => {
                let place = Place {
                    key: assigned.place.key ^ 4,
                    ..assigned.place.clone()
                };
                let target = self.elaborator.maker.read(&place, &name, domain.sort());
                (None, self.relation(&target, set, &domain))
            }
        };
        self.push(
            Equation {
                target,
                reading: Reading::Definition,
                when,
                tree,
                origin,
            },
            "assignment",
            true,
        );
        Ok(())
    }

    fn push(&mut self, equation: Equation, category: &'static str, counted: bool) {
        self.model.equations.push(equation);
        self.facts.elements.push(ElementFacts { category, counted });
    }

    /// A value in the sort of a variable.
    fn fitted(&mut self, one: &One, domain: &Domain) -> Expr {
        match domain {
            Domain::Symbols(sort) => self.elaborator.maker.convert(&one.tree, *sort),
            _ => one.tree.clone(),
        }
    }

    /// That a variable is an element of a set.
    fn relation(&mut self, target: &Expr, value: &Value, domain: &Domain) -> Expr {
        match value {
            Value::One(one) => {
                let tree = self.fitted(one, domain);
                self.elaborator.maker.equal(target, &tree)
            }
            Value::Any(values) => {
                let mut whole = self.elaborator.maker.truth(false);
                for value in values {
                    let here = self.relation(target, value, domain);
                    whole = self.elaborator.maker.or(&whole, &here);
                }
                whole
            }
            Value::Cases(cases) => {
                let mut whole = match &cases.otherwise {
                    Some(value) => self.relation(target, value, domain),
                    None => self.elaborator.maker.truth(true),
                };
                for (condition, value) in cases.branches.iter().rev() {
                    let here = self.relation(target, value, domain);
                    whole = self.elaborator.maker.choose(&condition.tree, &here, &whole);
                }
                whole
            }
            Value::Array(..) | Value::Instance => self.elaborator.maker.truth(true),
        }
    }

    /// The type of one value that a variable may get, and whether it lies within the variable's.
    fn check_member(
        &mut self,
        position: usize,
        guard: Option<&Expr>,
        member: &One,
        when: When,
        assigned: &Assigned,
    ) -> Elaborated<()> {
        let scalar = &self.elaborator.scalars[position];
        let (name, domain) = (scalar.name.clone(), scalar.domain.clone());
        let fits = match (&domain, member.sort()) {
            (Domain::Symbols(sort), Sort::Int) => has_numbers(*sort),
            (Domain::Symbols(_), Sort::Enum(_)) => true,
            (Domain::Word { signed, .. }, sort) => {
                sort == domain.sort() && member.signed == *signed
            }
            (_, sort) => sort == domain.sort(),
        };
        if !fits {
            let wanted = describe(&domain);
            let hint = match (&domain, member.sort()) {
                (Domain::Boolean, Sort::Int) => "write TRUE or FALSE",
                (Domain::Range(..) | Domain::Integers(_), Sort::Bool) => "toint(b) is a number",
                _ => "change the value, or the type of the variable",
            };
            let message = format!(
                "`{name}` is {wanted} and gets a value that is {}",
                member.kind()
            );
            return self.elaborator.tell(assigned.place.span, message, hint);
        }
        let outside = self.outside(&domain, member);
        let outside = match guard {
            Some(guard) => self.elaborator.maker.and(guard, &outside),
            None => outside,
        };
        let message = format!("`{name}` may get a value outside of {}", describe(&domain));
        let diagnostic = Diagnostic::error(assigned.place.span, message)
            .with_hint("values are looked at in all states; limit the value, or widen the type");
        self.doubt(outside, when, None, diagnostic);
        Ok(())
    }

    /// When a value is none of a type's.
    fn outside(&mut self, domain: &Domain, one: &One) -> Expr {
        let maker = &mut self.elaborator.maker;
        let (low, high) = one.range;
        match domain {
            Domain::Boolean | Domain::Word { .. } => maker.truth(false),
            Domain::Symbols(sort) => {
                let within = maker.is_within(one, *sort);
                maker.not(&within)
            }
            Domain::Range(first, last) => {
                let (first, last) = (i128::from(*first), i128::from(*last));
                let mut outside = maker.truth(false);
                if low < first {
                    let end = maker.int(first);
                    outside = maker.serve(Operator::Less, vec![one.tree.clone(), end]);
                }
                if high > last {
                    let end = maker.int(last);
                    let above = maker.serve(Operator::Greater, vec![one.tree.clone(), end]);
                    outside = maker.or(&outside, &above);
                }
                outside
            }
            Domain::Integers(values) => {
                let mut within = maker.truth(false);
                for value in values {
                    let constant = maker.int(i128::from(*value));
                    let is = maker.equal(&one.tree, &constant);
                    within = maker.or(&within, &is);
                }
                maker.not(&within)
            }
        }
    }

    fn doubt(&mut self, tree: Expr, when: When, fault: Option<usize>, diagnostic: Diagnostic) {
        if truth(&tree) != Some(false) {
            self.doubts.push(Doubt {
                tree,
                when,
                fault,
                diagnostic,
            });
        }
    }

    /// What may be wrong with one value.
    pub fn doubt_one(&mut self, one: &One, when: When) {
        for (fault, tree) in one.faults.clone() {
            let diagnostic = self.elaborator.faults[fault].diagnostic.clone();
            self.doubt(tree, when, Some(fault), diagnostic);
        }
    }

    fn doubt_value(&mut self, value: &Value, when: When, place: &Place) {
        let mut collected = plain(self.elaborator.maker.truth(true));
        let mut stack = vec![(value.clone(), self.elaborator.maker.truth(true))];
        while let Some((value, guard)) = stack.pop() {
            match value {
                Value::One(one) => {
                    self.elaborator
                        .add_faults(&mut collected, one.faults, Some(&guard))
                }
                Value::Any(values) => {
                    stack.extend(values.into_iter().map(|one| (one, guard.clone())))
                }
                Value::Cases(cases) => {
                    let mut guard = guard;
                    for (condition, value) in &cases.branches {
                        let faults = condition.faults.clone();
                        self.elaborator
                            .add_faults(&mut collected, faults, Some(&guard));
                        let here = self.elaborator.maker.and(&guard, &condition.tree);
                        stack.push((value.clone(), here));
                        let not = self.elaborator.maker.not(&condition.tree);
                        guard = self.elaborator.maker.and(&guard, &not);
                    }
                    match &cases.otherwise {
                        Some(value) => stack.push((value.clone(), guard)),
                        None => {
                            let what = "no branch of this `case` may apply";
                            let fault =
                                self.elaborator
                                    .fault(place, what, "end it with `TRUE : …;`");
                            self.elaborator
                                .add_faults(&mut collected, vec![(fault, guard)], None);
                        }
                    }
                }
                Value::Array(..) | Value::Instance => {}
            }
        }
        self.doubt_one(&collected, when);
    }

    // ---- constraints ----

    /// A truth value in a mode.
    pub fn truth_of(
        &mut self,
        scope: usize,
        mode: Mode,
        tree: &Expression,
        what: &str,
    ) -> Elaborated<One> {
        let value = self.elaborator.value(scope, mode, tree)?;
        self.elaborator.boolean(value, tree.span, what)
    }

    fn constrain(
        &mut self,
        scope: usize,
        tree: &Expression,
        when: When,
        what: &'static str,
    ) -> Elaborated<()> {
        let mode = match when {
            When::Later => Mode::Before,
            _ => Mode::State,
        };
        let one = self.truth_of(scope, mode, tree, what)?;
        self.doubt_one(&one, when);
        let path = &self.elaborator.world.scopes[scope].path;
        let origin = Origin::new(tree.span, Category::Assertion).within(path);
        let equation = Equation {
            target: None,
            reading: Reading::Definition,
            when,
            tree: one.tree,
            origin,
        };
        self.push(equation, what, true);
        Ok(())
    }

    fn justice(&mut self, scope: usize, tree: &Expression) -> Elaborated<()> {
        let one = self.truth_of(scope, Mode::State, tree, "FAIRNESS")?;
        self.doubt_one(&one, When::Always);
        self.model.fairness.justice.push(one.tree);
        Ok(())
    }

    fn compassion(
        &mut self,
        scope: usize,
        first: &Expression,
        second: &Expression,
    ) -> Elaborated<()> {
        let a = self.truth_of(scope, Mode::State, first, "COMPASSION")?;
        let b = self.truth_of(scope, Mode::State, second, "COMPASSION")?;
        self.doubt_one(&a, When::Always);
        self.doubt_one(&b, When::Always);
        self.model.fairness.compassion.push((a.tree, b.tree));
        Ok(())
    }

    /// What types demand of variables that no equation defines throughout, and that frozen ones stay.
    fn types(&mut self) {
        for position in 0..self.elaborator.scalars.len() {
            let scalar = &self.elaborator.scalars[position];
            let (name, domain, kind, span) = (
                scalar.name.clone(),
                scalar.domain.clone(),
                scalar.kind,
                scalar.span,
            );
            let path = self.elaborator.world.scopes[scalar.scope].path.clone();
            let origin = Origin::new(span, Category::Declaration)
                .within(&path)
                .serving();
            let place = Place {
                key: usize::MAX - position * 8,
                span,
                path,
            };
            let read = self.elaborator.maker.read(&place, &name, domain.sort());
            let symbol = Symbol::new(&name);
            if kind == VariableKind::Frozen {
                let before = self
                    .elaborator
                    .maker
                    .serve(Operator::Pre, vec![read.clone()]);
                self.defined.insert((symbol, false));
                let equation = Equation {
                    target: Some(symbol),
                    reading: Reading::Definition,
                    when: When::Later,
                    tree: before,
                    origin: origin.clone(),
                };
                self.push(equation, "frozen", false);
            }
            let whole = [true, false]
                .into_iter()
                .all(|first| self.defined.contains(&(symbol, first)));
            if whole || domain.range().is_none() {
                continue;
            }
            let one = One {
                range: (i128::MIN / 2, i128::MAX / 2),
                ..plain(read)
            };
            let outside = self.outside(&domain, &one);
            let mut tree = self.elaborator.maker.not(&outside);
            if let Domain::Range(low, high) = domain {
                let (low, high) = (
                    self.elaborator.maker.int(low.into()),
                    self.elaborator.maker.int(high.into()),
                );
                let above = self
                    .elaborator
                    .maker
                    .serve(Operator::LessEqual, vec![low, one.tree.clone()]);
                let below = self
                    .elaborator
                    .maker
                    .serve(Operator::LessEqual, vec![one.tree, high]);
                tree = self.elaborator.maker.and(&above, &below);
            } else if let Some((low, high)) = domain.range() {
                let (low, high) = (
                    self.elaborator.maker.int(low),
                    self.elaborator.maker.int(high),
                );
                let above = self
                    .elaborator
                    .maker
                    .serve(Operator::LessEqual, vec![low, one.tree.clone()]);
                let below = self
                    .elaborator
                    .maker
                    .serve(Operator::LessEqual, vec![one.tree, high]);
                let both = self.elaborator.maker.and(&above, &below);
                tree = self.elaborator.maker.and(&both, &tree);
            }
            let equation = Equation {
                target: None,
                reading: Reading::Definition,
                when: When::Always,
                tree,
                origin,
            };
            self.push(equation, "type", false);
        }
    }

    // ---- cycles ----

    /// Assignments of one form that need each other are an error. Those that need each other because a
    /// step's are mixed with a state's (`next(x) := next(y); y := x`) have a meaning, as a relation.
    fn break_cycles(&mut self) {
        for forms in [&[When::Always][..], &[When::First], &[When::Later]] {
            let cycle = self.cyclic(forms);
            if let Some(first) = cycle.first() {
                let equation = &self.model.equations[*first];
                let name = equation.target.map_or("", Symbol::as_str);
                let span = equation
                    .origin
                    .span()
                    .unwrap_or(self.elaborator.scalars[0].span);
                let message = format!("`{name}` is defined by itself");
                let mut told =
                    Diagnostic::error(span, message).with_hint("break the circle of assignments");
                for other in cycle.iter().skip(1).take(4) {
                    let origin = &self.model.equations[*other].origin;
                    if let Some(span) = origin.span() {
                        told = told.with_label(span, "which needs this");
                    }
                }
                self.elaborator.diagnostics.push(told);
            }
        }
        for forms in [[When::Always, When::First], [When::Always, When::Later]] {
            for position in self.cyclic(&forms) {
                self.model.equations[position].reading = Reading::Relation;
            }
        }
    }

    /// The equations of some forms that need themselves within one state.
    fn cyclic(&self, forms: &[When]) -> Vec<usize> {
        let equations = || self.model.equations.iter().enumerate();
        let of: FxHashMap<Symbol, usize> = equations()
            .filter(|(_, equation)| forms.contains(&equation.when))
            .filter_map(|(position, equation)| Some((equation.target?, position)))
            .collect();
        let mut edges: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for &position in of.values() {
            let read = current(&self.model.equations[position].tree);
            let mut needs: Vec<usize> = read
                .iter()
                .filter_map(|name| of.get(name).copied())
                .collect();
            needs.sort_unstable();
            edges.insert(position, needs);
        }
        // What lies on no cycle goes: first what needs nothing left, then what nothing left needs.
        let mut left: FxHashSet<usize> = edges.keys().copied().collect();
        let mut needed_by: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (from, needs) in &edges {
            needs
                .iter()
                .for_each(|to| needed_by.entry(*to).or_default().push(*from));
        }
        let empty = Vec::new();
        for (forward, backward) in [(&edges, &needed_by), (&needed_by, &edges)] {
            let count = |node: &usize, left: &FxHashSet<usize>| {
                forward
                    .get(node)
                    .unwrap_or(&empty)
                    .iter()
                    .filter(|to| left.contains(to))
                    .count()
            };
            let mut counts: FxHashMap<usize, usize> = left
                .iter()
                .map(|node| (*node, count(node, &left)))
                .collect();
            let mut ready: Vec<usize> = left
                .iter()
                .copied()
                .filter(|node| counts[node] == 0)
                .collect();
            while let Some(node) = ready.pop() {
                left.remove(&node);
                for other in backward.get(&node).unwrap_or(&empty) {
                    if let Some(count) = counts.get_mut(other).filter(|count| **count > 0) {
                        *count -= 1;
                        if *count == 0 {
                            ready.push(*other);
                        }
                    }
                }
            }
        }
        let mut cycle: Vec<usize> = left.into_iter().collect();
        cycle.sort_unstable();
        cycle
    }
}

/// The variables whose current values a tree reads.
fn current(tree: &Expr) -> FxHashSet<Symbol> {
    let mut seen: FxHashSet<*const Operator> = FxHashSet::default();
    let mut read = FxHashSet::default();
    let mut stack = vec![tree];
    while let Some(node) = stack.pop() {
        if !seen.insert(std::ptr::from_ref(node.operator())) {
            continue;
        }
        match node.operator() {
            Operator::Variable(name) => {
                read.insert(*name);
            }
            Operator::Pre => {}
            _ => stack.extend(node.args()),
        }
    }
    read
}

/// A type, as messages have it.
fn describe(domain: &Domain) -> String {
    match domain {
        Domain::Boolean => "boolean".to_string(),
        Domain::Range(low, high) => format!("{low}..{high}"),
        Domain::Integers(values) => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            format!("{{{}}}", values.join(", "))
        }
        Domain::Symbols(sort) => sort.name().to_string(),
        Domain::Word {
            signed: true,
            width,
        } => format!("signed word[{width}]"),
        Domain::Word { width, .. } => format!("unsigned word[{width}]"),
    }
}
