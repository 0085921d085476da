//! Expressions to values: names are resolved, types checked, and what may go wrong is collected.
//!
//! A place is read in one of three ways ([`Mode`]): in a state, or in a step, in which plain names are
//! values before it and those under `next` are values behind it. Definitions and parameters are
//! elaborated once a mode, those that others need first, without recursion from one to the next.
//!
//! What goes wrong in some states only (a `case` that falls through, a division by zero, an index out of
//! bounds) is a fault with the condition under which it happens. It is one only where the value is used:
//! a branch that is not taken has no faults. Whether such a state exists is decided later.

use super::maker::{Maker, Place, truth};
use super::scope::{Entry, World};
use super::syntax::{Expression, Kind, Operation, Type, VariableKind};
use super::value::{Cases, Domain, One, Value, small};
use proofmark_model::{
    BitVec, EnumSort, Expr, Operator, Rational, Sort, Symbol, Value as Constant,
};
use proofmark_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Something was wrong and has been told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told;

pub(super) type Elaborated<T> = Result<T, Told>;

/// What plain names mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Mode {
    /// Values in one state; `next` is an error.
    State,
    /// Values before a step.
    Before,
    /// Values behind a step: within `next`.
    Behind,
}

/// Something that goes wrong in the states of a condition.
pub(super) struct Fault {
    pub diagnostic: Diagnostic,
    /// When it happens, whatever is around it: where this never is, no guard needs to be looked at.
    pub alone: Vec<Expr>,
}

/// The scalars of a variable: one, or an array of them.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Scalar(usize),
    Array(i64, Vec<Shape>),
}

/// A variable that is no array.
pub(super) struct Scalar {
    pub name: String,
    pub kind: VariableKind,
    pub domain: Domain,
    pub scope: usize,
    pub span: Span,
    /// As it was declared, without the index.
    pub declared: String,
}

/// The name of the variable that says which process moves.
pub(super) const SELECTOR: &str = "_process_selector_";

/// What a definition or a parameter is in a mode.
type Key = (Entry, Mode);

#[derive(Clone)]
enum Known {
    Open,
    Done(Elaborated<Value>),
}

/// Elaborates the expressions of a world.
pub(super) struct Elaborator<'a> {
    pub world: World<'a>,
    pub maker: Maker,
    /// The shape of each declared variable; none while types are read.
    pub shapes: Vec<Option<Shape>>,
    pub scalars: Vec<Scalar>,
    pub faults: Vec<Fault>,
    pub diagnostics: Vec<Diagnostic>,
    /// Values of PSL's replicators.
    pub bound: Vec<(String, i64)>,
    pub selector: Option<EnumSort>,
    known: FxHashMap<Key, Known>,
    fault_places: FxHashMap<(usize, &'static str), usize>,
}

impl<'a> Elaborator<'a> {
    pub fn new(world: World<'a>) -> Elaborator<'a> {
        let selector =
            (world.processes.len() > 1).then(|| EnumSort::new(SELECTOR, world.processes.clone()));
        let mut elaborator = Elaborator {
            shapes: vec![None; world.variables.len()],
            world,
            maker: Maker::default(),
            scalars: Vec::new(),
            faults: Vec::new(),
            diagnostics: Vec::new(),
            bound: Vec::new(),
            selector,
            known: FxHashMap::default(),
            fault_places: FxHashMap::default(),
        };
        elaborator.types();
        elaborator
    }

    pub fn tell<T>(
        &mut self,
        span: Span,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Elaborated<T> {
        let diagnostic = Diagnostic::error(span, message).with_hint(hint);
        self.diagnostics.push(diagnostic);
        Err(Told)
    }

    pub fn place(&self, expression: &Expression, scope: usize) -> Place {
        Place {
            key: std::ptr::from_ref(expression) as usize,
            span: expression.span,
            path: self.world.scopes[scope].path.clone(),
        }
    }

    /// A fault of a place: the same one in all instances and modes.
    pub fn fault(&mut self, place: &Place, what: &'static str, hint: &'static str) -> usize {
        let key = (place.key, what);
        if let Some(known) = self.fault_places.get(&key) {
            return *known;
        }
        let diagnostic = Diagnostic::error(place.span, what).with_hint(hint);
        let alone = Vec::new();
        self.faults.push(Fault { diagnostic, alone });
        self.fault_places.insert(key, self.faults.len() - 1);
        self.faults.len() - 1
    }

    // ---- types ----

    fn types(&mut self) {
        for position in 0..self.world.variables.len() {
            let declared = &self.world.variables[position];
            let (of, scope, name) = (declared.of, declared.scope, declared.name.clone());
            if let Ok(shape) = self.shape(position, of, scope, name) {
                self.shapes[position] = Some(shape);
            }
        }
        // What was elaborated for types has seen variables without one.
        self.known.clear();
    }

    fn shape(
        &mut self,
        variable: usize,
        of: &Type,
        scope: usize,
        name: String,
    ) -> Elaborated<Shape> {
        if let Type::Array { low, high, of } = of {
            let (first, last) = (self.integer(scope, low)?, self.integer(scope, high)?);
            let count = i128::from(last) - i128::from(first) + 1;
            if count < 1 {
                return self.tell(
                    low.span,
                    "an array has at least one value",
                    "exchange its bounds",
                );
            }
            let room = super::scope::MOST.saturating_sub(self.scalars.len()) as i128;
            if count > room {
                let message = format!("an array of {count} values is too large");
                return self.tell(low.span.to(high.span), message, "make it smaller");
            }
            let mut inner = Vec::new();
            for index in first..=last {
                inner.push(self.shape(variable, of, scope, format!("{name}[{index}]"))?);
            }
            return Ok(Shape::Array(first, inner));
        }
        let domain = self.domain(of, scope)?;
        let declared = &self.world.variables[variable];
        self.scalars.push(Scalar {
            name,
            kind: declared.kind,
            domain,
            scope,
            span: declared.span,
            declared: declared.name.clone(),
        });
        Ok(Shape::Scalar(self.scalars.len() - 1))
    }

    fn domain(&mut self, of: &Type, scope: usize) -> Elaborated<Domain> {
        match of {
            Type::Boolean => Ok(Domain::Boolean),
            Type::Word { signed, width } => {
                let found = self.integer(scope, width)?;
                let widest = super::parser::WIDEST;
                match u32::try_from(found) {
                    Ok(bits) if (1..=widest).contains(&bits) => {
                        let signed = *signed;
                        Ok(Domain::Word {
                            signed,
                            width: bits,
                        })
                    }
                    _ => {
                        let message = format!("a word has 1 to {widest} bits, not {found}");
                        self.tell(width.span, message, "change the width")
                    }
                }
            }
            Type::Range(low, high) => {
                let (first, last) = (self.integer(scope, low)?, self.integer(scope, high)?);
                if first > last {
                    let message = format!("the range {first}..{last} is empty");
                    return self.tell(low.span.to(high.span), message, "exchange its bounds");
                }
                Ok(Domain::Range(first, last))
            }
            Type::Enumeration(values) => self.enumeration(values, scope),
            Type::Array { low, .. } => self.tell(low.span, "an array is no value", "index it"),
            Type::Instance { module, .. } => self.tell(
                module.span,
                "arrays of instances are not read",
                "declare each by itself",
            ),
        }
    }

    fn enumeration(&mut self, values: &[Expression], scope: usize) -> Elaborated<Domain> {
        let mut names: Vec<String> = Vec::new();
        let mut all_numbers = true;
        let mut all_truths = true;
        for value in values {
            let mut add = |text: String| {
                if !names.contains(&text) {
                    names.push(text);
                }
            };
            match &value.kind {
                Kind::Bool(truth) => {
                    all_numbers = false;
                    add(if *truth { "TRUE" } else { "FALSE" }.to_string());
                    continue;
                }
                Kind::Name(text) if self.world.resolve(scope, value).is_none() => {
                    all_numbers = false;
                    add(text.clone());
                }
                Kind::Range(low, high) => {
                    let (low, high) = (self.integer(scope, low)?, self.integer(scope, high)?);
                    if i128::from(high) - i128::from(low) > 65_536 {
                        let hint = "declare the range itself";
                        return self.tell(value.span, "the enumeration is too large", hint);
                    }
                    (low..=high).for_each(|number| add(number.to_string()));
                }
                Kind::Name(text) => match self.integer(scope, value) {
                    Ok(number) => add(number.to_string()),
                    Err(Told) => {
                        let message = format!("`{text}` is declared as something else");
                        return self.tell(value.span, message, "rename one of the two");
                    }
                },
                _ => add(self.integer(scope, value)?.to_string()),
            }
            all_truths = false;
        }
        match values {
            [] => Err(Told),
            _ if all_truths => Ok(Domain::Boolean),
            _ if all_numbers => {
                let mut numbers: Vec<i64> =
                    names.iter().filter_map(|one| one.parse().ok()).collect();
                numbers.sort_unstable();
                let (low, high) = (numbers[0], numbers[numbers.len() - 1]);
                let whole = (high - low) as usize + 1 == numbers.len();
                Ok(match whole {
                    true => Domain::Range(low, high),
                    false => Domain::Integers(numbers),
                })
            }
            _ => Ok(Domain::Symbols(symbols(names))),
        }
    }

    /// An integer that is the same in all states.
    pub fn integer(&mut self, scope: usize, expression: &Expression) -> Elaborated<i64> {
        let value = self.value(scope, Mode::State, expression)?;
        let constant = match &value {
            Value::One(one) => one.constant(),
            _ => None,
        };
        match constant.and_then(|number| i64::try_from(number).ok()) {
            Some(number) => Ok(number),
            None => self.tell(
                expression.span,
                "expected a constant integer",
                "write a number",
            ),
        }
    }

    // ---- names ----

    /// The value of an expression, once everything that it needs has one.
    pub fn value(
        &mut self,
        scope: usize,
        mode: Mode,
        expression: &Expression,
    ) -> Elaborated<Value> {
        self.prepare(scope, mode, expression);
        self.elaborate(scope, mode, expression)
    }

    /// Elaborates the definitions and parameters that an expression needs, innermost first.
    fn prepare(&mut self, scope: usize, mode: Mode, expression: &Expression) {
        let mut stack = Vec::new();
        self.references(scope, mode, expression, &mut stack);
        while let Some(&key) = stack.last() {
            match self.known.get(&key) {
                Some(Known::Done(_)) => {
                    stack.pop();
                    continue;
                }
                Some(Known::Open) => {
                    // All that it needs is known, or it needs itself, which is told where that is read.
                    let value = self.referred(key);
                    self.known.insert(key, Known::Done(value));
                    stack.pop();
                    continue;
                }
                None => {}
            }
            self.known.insert(key, Known::Open);
            let (scope, expression) = self.source(key.0);
            let mut needs = Vec::new();
            self.references(scope, key.1, expression, &mut needs);
            needs.retain(|need| !matches!(self.known.get(need), Some(Known::Done(_))));
            // What is open is below on the stack and needs itself: reading it finds it open.
            needs.retain(|need| !self.known.contains_key(need));
            stack.extend(needs);
        }
    }

    fn source(&self, entry: Entry) -> (usize, &'a Expression) {
        match entry {
            Entry::Define(position) => {
                let define = &self.world.defines[position];
                (define.scope, define.value)
            }
            Entry::Parameter(position) => {
                let parameter = &self.world.parameters[position];
                (parameter.caller, parameter.argument)
            }
            _ => unreachable!("only definitions and parameters are expressions"),
        }
    }

    fn referred(&mut self, (entry, mode): Key) -> Elaborated<Value> {
        let (scope, expression) = self.source(entry);
        if self.is_instance(entry) {
            return Ok(Value::Instance);
        }
        let value = self.elaborate(scope, mode, expression)?;
        Ok(match (entry, value) {
            (Entry::Define(position), Value::One(one)) => {
                let define = &self.world.defines[position];
                let name = Symbol::new(&define.name);
                let place = Place {
                    key: std::ptr::from_ref(define.value) as usize + 1,
                    span: define.span,
                    path: self.world.scopes[define.scope].path.clone(),
                };
                let tree = self
                    .maker
                    .node(&place, Operator::Named(name), vec![one.tree]);
                Value::One(One { tree, ..one })
            }
            (_, value) => value,
        })
    }

    fn is_instance(&self, entry: Entry) -> bool {
        let followed = self.world.follow(entry);
        matches!(followed, Some(Entry::Instance(_)))
    }

    /// The definitions and parameters that are read.
    fn references(&self, scope: usize, mode: Mode, expression: &Expression, into: &mut Vec<Key>) {
        match &expression.kind {
            Kind::Name(_) | Kind::Dot(..) => {
                if let Some(entry @ (Entry::Define(_) | Entry::Parameter(_))) =
                    self.world.resolve(scope, expression)
                {
                    into.push((entry, mode));
                }
            }
            Kind::Next(inner) => self.references(scope, Mode::Behind, inner, into),
            kind => children(kind, &mut |child| self.references(scope, mode, child, into)),
        }
    }

    fn elaborate(
        &mut self,
        scope: usize,
        mode: Mode,
        expression: &Expression,
    ) -> Elaborated<Value> {
        let place = self.place(expression, scope);
        match &expression.kind {
            Kind::Bool(value) => {
                let tree = self.maker.literal(&place, Constant::Bool(*value));
                Ok(Value::One(plain(tree)))
            }
            Kind::Number(number) => {
                let Some(value) = small(number) else {
                    return self.tell(
                        expression.span,
                        "the number is too large",
                        "write a smaller one",
                    );
                };
                let tree = Constant::Int(Rational::from(value));
                let tree = self.maker.literal(&place, tree);
                let range = (i128::from(value), i128::from(value));
                Ok(Value::One(One {
                    range,
                    ..plain(tree)
                }))
            }
            Kind::Word {
                signed,
                width,
                bits,
            } => {
                let bits = Constant::BitVec(BitVec::new(*width, bits.clone()));
                let tree = self.maker.literal(&place, bits);
                let signed = *signed;
                Ok(Value::One(One {
                    signed,
                    ..plain(tree)
                }))
            }
            Kind::Name(text) => self.name(scope, mode, expression, text, &place),
            Kind::Dot(..) => self.entry(scope, mode, expression, &place),
            Kind::Itself => Ok(Value::Instance),
            Kind::Set(values) => {
                let values: Elaborated<Vec<Value>> = values
                    .iter()
                    .map(|value| self.elaborate(scope, mode, value))
                    .collect();
                Ok(Value::Any(values?))
            }
            Kind::Range(low, high) => self.range(scope, mode, expression, low, high),
            Kind::List(values) => {
                let values: Elaborated<Vec<Value>> = values
                    .iter()
                    .map(|value| self.elaborate(scope, mode, value))
                    .collect();
                Ok(Value::Array(0, Rc::new(values?)))
            }
            Kind::Next(inner) => match mode {
                Mode::Before => self.elaborate(scope, Mode::Behind, inner),
                Mode::Behind => self.tell(expression.span, "`next` within `next`", "remove one"),
                Mode::State => {
                    let hint = "it can in TRANS and on the right side of `next(x) := …`";
                    self.tell(expression.span, "`next` cannot stand here", hint)
                }
            },
            Kind::Case {
                branches,
                otherwise,
            } => self.case(scope, mode, branches, otherwise.as_deref(), &place),
            Kind::Chain(first, rest) => self.chain(scope, mode, first, rest),
            Kind::Index(base, index) => self.index(scope, mode, base, index, &place),
            Kind::Temporal { .. } | Kind::Until { .. } | Kind::Forall(..) => {
                let hint = "they can in specifications, outside of arithmetic and comparisons";
                self.tell(
                    expression.span,
                    "temporal operators cannot stand here",
                    hint,
                )
            }
            _ => self
                .operator(scope, mode, expression, &place)
                .map(Value::One),
        }
    }

    fn name(
        &mut self,
        scope: usize,
        mode: Mode,
        expression: &Expression,
        text: &str,
        place: &Place,
    ) -> Elaborated<Value> {
        let bound = self.bound.iter().rev().find(|(name, _)| name == text);
        if let Some(&(_, value)) = bound {
            let tree = self.maker.int(value.into());
            let range = (i128::from(value), i128::from(value));
            return Ok(Value::One(One {
                range,
                ..plain(tree)
            }));
        }
        if self.world.resolve(scope, expression).is_none() && self.world.symbols.contains(text) {
            let sort = symbols(vec![text.to_string()]);
            let tree = self.maker.literal(place, Constant::Enum(sort, 0));
            return Ok(Value::One(plain(tree)));
        }
        self.entry(scope, mode, expression, place)
    }

    fn entry(
        &mut self,
        scope: usize,
        mode: Mode,
        path: &Expression,
        place: &Place,
    ) -> Elaborated<Value> {
        match self.world.resolve(scope, path) {
            Some(Entry::Variable(position)) => {
                let Some(shape) = self.shapes[position].clone() else {
                    let hint = "the types of variables are made of constants";
                    return self.tell(path.span, "a variable has no value here", hint);
                };
                self.variable(&shape, mode, place)
            }
            Some(entry @ (Entry::Define(_) | Entry::Parameter(_))) => {
                match self.known.get(&(entry, mode)) {
                    Some(Known::Done(value)) => value.clone(),
                    _ => {
                        let text = self.path_text(path);
                        let message = format!("`{text}` is defined by itself");
                        self.tell(path.span, message, "break the circle of definitions")
                    }
                }
            }
            Some(Entry::Instance(_)) => Ok(Value::Instance),
            Some(Entry::Running(inner)) => Ok(Value::One(self.running(inner, mode, place))),
            None => {
                let text = self.path_text(path);
                let near = match &path.kind {
                    Kind::Name(text) => self.world.nearest(scope, text),
                    _ => None,
                };
                let hint = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if text.contains('-') => {
                        "`-` is a part of names; put blanks around it to subtract".to_string()
                    }
                    None => "declare it".to_string(),
                };
                self.tell(path.span, format!("`{text}` is not declared"), hint)
            }
        }
    }

    fn path_text(&self, path: &Expression) -> String {
        match &path.kind {
            Kind::Name(text) => text.clone(),
            Kind::Dot(base, name) => format!("{}.{}", self.path_text(base), name.text),
            Kind::Itself => "self".to_string(),
            Kind::Index(base, _) => format!("{}[…]", self.path_text(base)),
            _ => "…".to_string(),
        }
    }

    /// A variable, or an array of them.
    fn variable(&mut self, shape: &Shape, mode: Mode, place: &Place) -> Elaborated<Value> {
        match shape {
            Shape::Scalar(position) => self.scalar(*position, mode, place).map(Value::One),
            Shape::Array(low, inner) => {
                let inner: Elaborated<Vec<Value>> = inner
                    .iter()
                    .map(|shape| self.variable(shape, mode, place))
                    .collect();
                Ok(Value::Array(*low, Rc::new(inner?)))
            }
        }
    }

    /// One variable, as it is before or behind a step.
    pub fn scalar(&mut self, position: usize, mode: Mode, place: &Place) -> Elaborated<One> {
        let scalar = &self.scalars[position];
        let (sort, kind) = (scalar.domain.sort(), scalar.kind);
        let signed = matches!(scalar.domain, Domain::Word { signed: true, .. });
        let range = scalar.domain.range().unwrap_or((0, 0));
        if kind == VariableKind::Input && mode == Mode::Behind {
            let message = format!(
                "`{}` is an input and has no value behind a step",
                scalar.name
            );
            return self.tell(
                place.span,
                message,
                "inputs label the step itself; remove `next`",
            );
        }
        let read = self.maker.read(place, &scalar.name.clone(), sort);
        let tree = self.timed(read, mode);
        let faults = Vec::new();
        Ok(One {
            tree,
            signed,
            range,
            faults,
        })
    }

    fn timed(&mut self, read: Expr, mode: Mode) -> Expr {
        match mode {
            Mode::Before => self.maker.serve(Operator::Pre, vec![read]),
            Mode::State | Mode::Behind => read,
        }
    }

    /// Whether the process of an instance moves.
    pub fn running(&mut self, scope: usize, mode: Mode, place: &Place) -> One {
        let process = self.world.scopes[scope].process;
        let Some(selector) = self.selector else {
            return plain(self.maker.truth(true));
        };
        let read = self.maker.read(place, SELECTOR, Sort::Enum(selector));
        let read = self.timed(read, mode);
        let value = self.maker.value(Constant::Enum(selector, process as u32));
        plain(self.maker.equal(&read, &value))
    }

    // ---- compound values ----

    fn range(
        &mut self,
        scope: usize,
        mode: Mode,
        whole: &Expression,
        low: &Expression,
        high: &Expression,
    ) -> Elaborated<Value> {
        let mut ends = Vec::new();
        for end in [low, high] {
            let value = self.elaborate(scope, mode, end)?;
            ends.push(match value {
                Value::One(one) => one.constant(),
                _ => None,
            });
        }
        let (Some(first), Some(last)) = (ends[0], ends[1]) else {
            return self.tell(
                whole.span,
                "the ends of a range are constants",
                "write numbers",
            );
        };
        if last < first || last - first > 65_536 {
            let message = format!("the set {first}..{last} is empty or too large");
            return self.tell(whole.span, message, "change its ends");
        }
        let values = (first..=last).map(|number| {
            let tree = self.maker.int(number);
            Value::One(One {
                range: (number, number),
                ..plain(tree)
            })
        });
        Ok(Value::Any(values.collect()))
    }

    fn case(
        &mut self,
        scope: usize,
        mode: Mode,
        branches: &[(Expression, Expression)],
        otherwise: Option<&Expression>,
        place: &Place,
    ) -> Elaborated<Value> {
        let mut wrong = None;
        let mut made = Vec::new();
        for (condition, value) in branches {
            let condition = self
                .elaborate(scope, mode, condition)
                .and_then(|found| self.boolean(found, condition.span, "a condition"));
            let value = self.elaborate(scope, mode, value);
            match (condition, value) {
                (Ok(condition), Ok(value)) => made.push((condition, value)),
                _ => wrong = Some(Told),
            }
        }
        let otherwise = match otherwise {
            Some(value) => Some(self.elaborate(scope, mode, value)?),
            None => None,
        };
        if let Some(told) = wrong {
            return Err(told);
        }
        self.combine_cases(made, otherwise, place)
    }

    pub fn combine_cases(
        &mut self,
        branches: Vec<(One, Value)>,
        otherwise: Option<Value>,
        place: &Place,
    ) -> Elaborated<Value> {
        let values = || branches.iter().map(|(_, value)| value).chain(&otherwise);
        if values().any(|value| matches!(value, Value::Instance)) {
            return self.tell(
                place.span,
                "an instance is no value",
                "name a variable of it",
            );
        }
        if let Some(length) = values().find_map(array_length) {
            return self.array_cases(&branches, otherwise.as_ref(), length, place);
        }
        if values().all(|value| matches!(value, Value::One(_))) {
            return self.plain_cases(branches, otherwise, place).map(Value::One);
        }
        Ok(Value::Cases(Rc::new(Cases {
            branches,
            otherwise,
        })))
    }

    /// A conditional of arrays is an array of conditionals.
    fn array_cases(
        &mut self,
        branches: &[(One, Value)],
        otherwise: Option<&Value>,
        (low, length): (i64, usize),
        place: &Place,
    ) -> Elaborated<Value> {
        let mut all = branches.iter().map(|(_, value)| value).chain(otherwise);
        if !all.all(|value| array_length(value) == Some((low, length))) {
            return self.tell(
                place.span,
                "branches are arrays of different bounds",
                "change one",
            );
        }
        let pick = |value: &Value, at: usize| match value {
            Value::Array(_, values) => values[at].clone(),
            other => other.clone(),
        };
        let mut values = Vec::new();
        for at in 0..length {
            let inner = branches
                .iter()
                .map(|(condition, value)| (condition.clone(), pick(value, at)));
            let last = otherwise.map(|value| pick(value, at));
            values.push(self.combine_cases(inner.collect(), last, place)?);
        }
        Ok(Value::Array(low, Rc::new(values)))
    }

    fn plain_cases(
        &mut self,
        branches: Vec<(One, Value)>,
        otherwise: Option<Value>,
        place: &Place,
    ) -> Elaborated<One> {
        let one = |value: Value| match value {
            Value::One(one) => one,
            _ => unreachable!("the caller has looked"),
        };
        let (conditions, mut values): (Vec<One>, Vec<One>) = branches
            .into_iter()
            .map(|(condition, value)| (condition, one(value)))
            .unzip();
        let falls = otherwise.is_none()
            && conditions
                .last()
                .is_none_or(|last| truth(&last.tree) != Some(true));
        values.extend(otherwise.map(one));
        let values = self.unify(values, place.span)?;
        let fault = falls.then(|| {
            self.fault(
                place,
                "no branch of this `case` may apply",
                "end it with `TRUE : …;`",
            )
        });
        if let Some(fault) = fault {
            let mut fallen = self.maker.truth(true);
            for condition in &conditions {
                let not = self.maker.not(&condition.tree);
                fallen = self.maker.and(&fallen, &not);
            }
            self.faults[fault].alone.push(fallen);
        }
        Ok(self.fold_cases(&conditions, values, fault, place))
    }

    /// From the last branch to the first.
    fn fold_cases(
        &mut self,
        conditions: &[One],
        values: Vec<One>,
        fault: Option<usize>,
        place: &Place,
    ) -> One {
        let range = values.iter().map(|value| value.range);
        let range = range
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
            .unwrap_or((0, 0));
        let signed = values.first().is_some_and(|value| value.signed);
        let mut whole = values
            .last()
            .cloned()
            .unwrap_or_else(|| plain(self.maker.truth(false)));
        let covered = values.len() > conditions.len();
        for (position, condition) in conditions.iter().enumerate().rev() {
            let value = &values[position];
            let last = position + 1 == conditions.len() && !covered;
            if last {
                let fallen = self.maker.not(&condition.tree);
                whole = value.clone();
                whole.faults = fault.map(|fault| (fault, fallen)).into_iter().collect();
                self.add_faults(&mut whole, value.faults.clone(), Some(&condition.tree));
                self.add_faults(&mut whole, condition.faults.clone(), None);
                continue;
            }
            let args = vec![
                condition.tree.clone(),
                value.tree.clone(),
                whole.tree.clone(),
            ];
            let here = Place {
                key: place.key.wrapping_add(position).wrapping_mul(2) ^ usize::MAX,
                ..place.clone()
            };
            let tree = match position {
                0 => self.maker.node(place, Operator::IfThenElse, args),
                _ => self.maker.node(&here, Operator::IfThenElse, args),
            };
            let below = std::mem::take(&mut whole.faults);
            let mut next = One {
                tree,
                ..whole.clone()
            };
            let not = self.maker.not(&condition.tree);
            self.add_faults(&mut next, condition.faults.clone(), None);
            self.add_faults(&mut next, value.faults.clone(), Some(&condition.tree));
            self.add_faults(&mut next, below, Some(&not));
            whole = next;
        }
        One {
            range,
            signed,
            ..whole
        }
    }

    /// Adds faults that happen where a guard is true.
    pub fn add_faults(&mut self, one: &mut One, faults: Vec<(usize, Expr)>, guard: Option<&Expr>) {
        for (fault, when) in faults {
            let when = match guard {
                Some(guard) => self.maker.and(guard, &when),
                None => when,
            };
            match one.faults.iter_mut().find(|(known, _)| *known == fault) {
                Some((_, known)) => {
                    *known = self.maker.or(known, &when);
                }
                None => one.faults.push((fault, when)),
            }
        }
    }

    /// Values of one type: enumerations are widened to one that has the values of all.
    pub fn unify(&mut self, values: Vec<One>, span: Span) -> Elaborated<Vec<One>> {
        let sorts: Vec<Sort> = values.iter().map(One::sort).collect();
        let enumerated = sorts.iter().any(|sort| matches!(sort, Sort::Enum(_)));
        if enumerated {
            let mut names: Vec<String> = Vec::new();
            for value in &values {
                let own: Vec<String> = match value.sort() {
                    Sort::Enum(sort) => sort.values().to_vec(),
                    Sort::Int if value.range.1 - value.range.0 < 1024 => (value.range.0
                        ..=value.range.1)
                        .map(|one| one.to_string())
                        .collect(),
                    _ => return self.mismatch(&values, span),
                };
                for name in own {
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
            let known = sorts.iter().find_map(|sort| match sort {
                Sort::Enum(sort) if names.iter().all(|name| sort.values().contains(name)) => {
                    Some(*sort)
                }
                _ => None,
            });
            let sort = known.unwrap_or_else(|| symbols(names));
            let widened = values.into_iter().map(|value| One {
                tree: self.maker.convert(&value.tree, sort),
                ..value
            });
            return Ok(widened.collect());
        }
        let first = values.first().map(|value| (value.sort(), value.signed));
        let same = values
            .iter()
            .all(|value| Some((value.sort(), value.signed)) == first);
        match same {
            true => Ok(values),
            false => self.mismatch(&values, span),
        }
    }

    pub fn mismatch<T>(&mut self, values: &[One], span: Span) -> Elaborated<T> {
        let mut kinds: Vec<String> = values.iter().map(One::kind).collect();
        kinds.dedup();
        let hint = match kinds.iter().any(|kind| kind == "boolean")
            && kinds.iter().any(|kind| kind == "integer")
        {
            true => "write TRUE and FALSE for truth values; toint(b) is a number",
            false => "make them of one type",
        };
        let message = format!("these are of different types: {}", kinds.join(" and "));
        self.tell(span, message, hint)
    }

    /// A truth value.
    pub fn boolean(&mut self, value: Value, span: Span, what: &str) -> Elaborated<One> {
        match value {
            Value::One(one) if one.sort() == Sort::Bool => Ok(one),
            Value::One(one) => {
                let hint = match one.sort() {
                    Sort::Int => "write TRUE or FALSE, or compare it with a number",
                    Sort::BitVec(1) => "bool(w) makes a truth value of a word of one bit",
                    _ => "compare it with something",
                };
                let message = format!("{what} must be boolean, found {}", one.kind());
                self.tell(span, message, hint)
            }
            other => self.not_one(&other, span),
        }
    }

    /// One value, which a set is not.
    pub fn one(&mut self, scope: usize, mode: Mode, expression: &Expression) -> Elaborated<One> {
        match self.elaborate(scope, mode, expression)? {
            Value::One(one) => Ok(one),
            other => self.not_one(&other, expression.span),
        }
    }

    pub fn not_one<T>(&mut self, value: &Value, span: Span) -> Elaborated<T> {
        match value {
            Value::Any(_) | Value::Cases(_) => {
                let hint = "sets can stand behind `:=`, `in` and `union` and in their branches";
                self.tell(span, "a set cannot stand here", hint)
            }
            Value::Array(..) => self.tell(span, "an array cannot stand here", "index it"),
            _ => self.tell(span, "an instance is no value", "name a variable of it"),
        }
    }

    fn index(
        &mut self,
        scope: usize,
        mode: Mode,
        base: &Expression,
        index: &Expression,
        place: &Place,
    ) -> Elaborated<Value> {
        let value = self.elaborate(scope, mode, base)?;
        let at = self.one(scope, mode, index)?;
        let (low, values) = match value {
            Value::Array(low, values) => (low, values),
            Value::One(word) if word.sort().is_bits() => {
                return self.bit(word, &at, index.span, place);
            }
            other => {
                let message = "only arrays and words have an index";
                return match other {
                    Value::Instance => self.not_one(&other, base.span),
                    _ => self.tell(base.span, message, "remove the index"),
                };
            }
        };
        let at = match at.sort() {
            Sort::BitVec(_) => self.number_of(&at),
            Sort::Int => at,
            _ => {
                let message = format!("an index is an integer, not {}", at.kind());
                return self.tell(index.span, message, "use a number");
            }
        };
        let (first, last) = (i128::from(low), i128::from(low) + values.len() as i128 - 1);
        if let Some(constant) = at.constant() {
            if constant < first || constant > last {
                let message = format!("the index {constant} is outside of {first}..{last}");
                return self.tell(index.span, message, "take one within the bounds");
            }
            return Ok(values[(constant - first) as usize].clone());
        }
        if at.range.1 < first || at.range.0 > last {
            return self.tell(index.span, "the index is outside of the array", "change it");
        }
        let mut branches = Vec::new();
        for (position, value) in values.iter().enumerate() {
            let number = first + position as i128;
            if number < at.range.0 || number > at.range.1 {
                continue;
            }
            let constant = self.maker.int(number);
            let is = self.maker.equal(&at.tree, &constant);
            branches.push((plain(is), value.clone()));
        }
        let outside = at.range.0 < first || at.range.1 > last;
        let last = branches.pop().map(|(_, value)| value);
        let mut chosen = match branches.is_empty() {
            true => last.unwrap_or(Value::Instance),
            false => self.combine_cases(branches, last, place)?,
        };
        if let Value::One(one) = &mut chosen {
            self.add_faults(one, at.faults.clone(), None);
            if outside {
                let fault = self.fault(place, "the index may be out of bounds", "limit it");
                let (low, high) = (
                    self.maker.int(first),
                    self.maker.int(i128::from(low) + values.len() as i128 - 1),
                );
                let below = self.maker.serve(Operator::Less, vec![at.tree.clone(), low]);
                let above = self
                    .maker
                    .serve(Operator::Greater, vec![at.tree.clone(), high]);
                let when = self.maker.or(&below, &above);
                self.faults[fault].alone.push(when.clone());
                self.add_faults(one, vec![(fault, when)], None);
            }
        }
        Ok(chosen)
    }

    /// The elements of a set, each with the condition under which it is one.
    pub fn members(&mut self, value: &Value, span: Span) -> Elaborated<Vec<(Option<Expr>, One)>> {
        let mut members = Vec::new();
        let mut stack: Vec<(Option<Expr>, Value)> = vec![(None, value.clone())];
        while let Some((guard, value)) = stack.pop() {
            match value {
                Value::One(one) => members.push((guard, one)),
                Value::Any(values) => {
                    stack.extend(values.into_iter().rev().map(|value| (guard.clone(), value)));
                }
                Value::Cases(cases) => {
                    let mut before = guard;
                    let mut inner = Vec::new();
                    for (condition, value) in &cases.branches {
                        let here = self.guarded(before.as_ref(), &condition.tree);
                        inner.push((Some(here), value.clone()));
                        let not = self.maker.not(&condition.tree);
                        before = Some(self.guarded(before.as_ref(), &not));
                    }
                    inner.extend(cases.otherwise.clone().map(|value| (before, value)));
                    stack.extend(inner.into_iter().rev());
                }
                other => return self.not_one(&other, span),
            }
        }
        Ok(members)
    }

    fn guarded(&mut self, guard: Option<&Expr>, condition: &Expr) -> Expr {
        match guard {
            Some(guard) => self.maker.and(guard, condition),
            None => condition.clone(),
        }
    }

    fn chain(
        &mut self,
        scope: usize,
        mode: Mode,
        first: &Expression,
        rest: &[(Operation, Expression)],
    ) -> Elaborated<Value> {
        let mut left = self.elaborate(scope, mode, first)?;
        let mut span = first.span;
        for (operation, right) in rest {
            let value = self.elaborate(scope, mode, right)?;
            span = span.to(right.span);
            let place = Place {
                span,
                ..self.place(right, scope)
            };
            // The operator is another node than the operand whose place tells it apart.
            let place = Place {
                key: place.key ^ 1,
                ..place
            };
            left = match operation {
                Operation::Union => {
                    let both = vec![left, value];
                    Value::Any(both)
                }
                Operation::In => Value::One(self.is_in(&left, &value, &place)?),
                _ => {
                    let a = match left {
                        Value::One(one) => one,
                        other => return self.not_one(&other, first.span),
                    };
                    let b = match value {
                        Value::One(one) => one,
                        other => return self.not_one(&other, right.span),
                    };
                    Value::One(self.binary(*operation, a, b, &place)?)
                }
            };
        }
        Ok(left)
    }

    /// Whether every element of the left side is one of the right side.
    fn is_in(&mut self, left: &Value, right: &Value, place: &Place) -> Elaborated<One> {
        let elements = self.members(left, place.span)?;
        let among = self.members(right, place.span)?;
        let mut whole = plain(self.maker.truth(true));
        for (guard, element) in elements {
            let mut found = plain(self.maker.truth(false));
            for (condition, candidate) in &among {
                let same = self.equality(&element, candidate, place.span)?;
                let here = match condition {
                    Some(condition) => self.maker.and(condition, &same),
                    None => same,
                };
                found.tree = self.maker.or(&found.tree, &here);
                self.add_faults(&mut found, candidate.faults.clone(), condition.as_ref());
            }
            let tree = match &guard {
                Some(guard) => {
                    let not = self.maker.not(guard);
                    self.maker.or(&not, &found.tree)
                }
                None => found.tree.clone(),
            };
            whole.tree = self.maker.and(&whole.tree, &tree);
            self.add_faults(&mut whole, found.faults, None);
            self.add_faults(&mut whole, element.faults, guard.as_ref());
        }
        Ok(whole)
    }

    /// Whether two values are equal; types that have nothing in common are told.
    pub fn equality(&mut self, a: &One, b: &One, span: Span) -> Elaborated<Expr> {
        match (a.sort(), b.sort()) {
            (x, y) if x == y && a.signed == b.signed => Ok(self.maker.equal(&a.tree, &b.tree)),
            (Sort::Enum(x), Sort::Enum(y)) => Ok(self.enum_equality(a, x, b, y)),
            (Sort::Enum(x), Sort::Int) if has_numbers(x) => Ok(self.mixed_equality(a, x, b)),
            (Sort::Int, Sort::Enum(y)) if has_numbers(y) => Ok(self.mixed_equality(b, y, a)),
            _ => self.mismatch(&[a.clone(), b.clone()], span),
        }
    }

    fn enum_equality(&mut self, a: &One, x: EnumSort, b: &One, y: EnumSort) -> Expr {
        let mut whole = self.maker.truth(false);
        for name in x.values().iter().filter(|name| y.values().contains(name)) {
            let (Some(left), Some(right)) =
                (self.maker.symbol(x, name), self.maker.symbol(y, name))
            else {
                continue;
            };
            let left = match x.values().len() {
                1 => self.maker.truth(true),
                _ => self.maker.equal(&a.tree, &left),
            };
            let right = match y.values().len() {
                1 => self.maker.truth(true),
                _ => self.maker.equal(&b.tree, &right),
            };
            let both = self.maker.and(&left, &right);
            whole = self.maker.or(&whole, &both);
        }
        whole
    }

    fn mixed_equality(&mut self, a: &One, x: EnumSort, number: &One) -> Expr {
        let within = self.maker.is_within(number, x);
        let converted = self.maker.convert(&number.tree, x);
        let same = self.maker.equal(&a.tree, &converted);
        self.maker.and(&within, &same)
    }
}

/// Whether an enumeration has numbers among its values.
pub(super) fn has_numbers(sort: EnumSort) -> bool {
    sort.values().iter().any(|name| name.parse::<i64>().is_ok())
}

/// An enumeration of these values.
pub(super) fn symbols(names: Vec<String>) -> EnumSort {
    EnumSort::new(format!("{{{}}}", names.join(", ")), names)
}

/// A value without faults that is no integer, or is given its range afterwards.
pub(super) fn plain(tree: Expr) -> One {
    One {
        tree,
        signed: false,
        range: (0, 0),
        faults: Vec::new(),
    }
}

fn array_length(value: &Value) -> Option<(i64, usize)> {
    match value {
        Value::Array(low, values) => Some((*low, values.len())),
        _ => None,
    }
}

/// The parts of an expression.
pub(super) fn children(kind: &Kind, visit: &mut impl FnMut(&Expression)) {
    match kind {
        Kind::Bool(_) | Kind::Number(_) | Kind::Word { .. } | Kind::Name(_) | Kind::Itself => {}
        Kind::Dot(a, _) | Kind::Not(a) | Kind::Negate(a) | Kind::Next(a) => visit(a),
        Kind::Index(a, b) | Kind::Range(a, b) => [a, b].into_iter().for_each(|part| visit(part)),
        Kind::Bits(a, b, c) => [a, b, c].into_iter().for_each(|part| visit(part)),
        Kind::Chain(first, rest) => {
            visit(first);
            rest.iter().for_each(|(_, part)| visit(part));
        }
        Kind::Case {
            branches,
            otherwise,
        } => {
            for (condition, value) in branches {
                visit(condition);
                visit(value);
            }
            otherwise.iter().for_each(|part| visit(part));
        }
        Kind::Implies(parts) | Kind::Set(parts) | Kind::List(parts) | Kind::Call(_, parts) => {
            parts.iter().for_each(visit);
        }
        Kind::Temporal { operand, .. } => visit(operand),
        Kind::Until { left, right, .. } => {
            visit(left);
            visit(right);
        }
        Kind::Forall(_, values, body) => {
            values.iter().for_each(&mut *visit);
            visit(body);
        }
    }
}
