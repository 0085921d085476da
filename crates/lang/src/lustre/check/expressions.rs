//! Names and types of expressions, the values of constant ones, and linearity.
//!
//! Operands stand before their operators in the program's list, so that one loop over a root's
//! range does everything, however deep the tree is.

use super::{Checker, Reference};
use crate::lustre::constant::{self, NoValue};
use crate::lustre::syntax::{Binary, ExpressionId, Kind, Name, Root, Unary};
use crate::lustre::types::{Type, TypeId};
use proofmark_model::{Symbol, Value};
use proofmark_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Names with dots are not sought beyond this length.
const LONGEST_PATH: usize = 1000;

impl Checker<'_> {
    /// Checks an expression in a node, or outside of all; returns its type.
    pub(super) fn expression(&mut self, root: Root, node: Option<usize>) -> TypeId {
        for at in root.first.0..=root.root.0 {
            let id = ExpressionId(at);
            let of = self.one(id, node);
            self.checked.expression_types[id.index()] = of;
        }
        self.operand(root.root, node)
    }

    fn reference(&self, id: ExpressionId) -> Reference {
        self.checked.references[id.index()]
    }

    /// The type of an operand, which must be known by now.
    fn operand(&mut self, id: ExpressionId, node: Option<usize>) -> TypeId {
        if let Reference::Pending(text) = self.reference(id) {
            let span = self.program.span(id);
            self.unknown_variable(Name { text, span }, node);
            self.checked.references[id.index()] = Reference::None;
        }
        self.checked.expression_types[id.index()]
    }

    pub(super) fn unknown_variable(&mut self, name: Name, node: Option<usize>) {
        if let Some((Reference::Node(_) | Reference::Function(_), _)) = self.callees.get(&name.text)
        {
            let message = format!("`{}` is a node or function, not a variable", name.text);
            let hint = format!("call it: {}(…)", name.text);
            self.error(name.span, message, hint);
            return;
        }
        let variables = node.map(|node| &self.checked.nodes[node].variables);
        let variables = variables.into_iter().flatten();
        let mut candidates: Vec<&'static str> = Vec::new();
        if self.suggestions > 0 {
            candidates.extend(variables.map(|variable| variable.name.as_str()));
            let own = candidates.len();
            candidates.extend(self.globals.keys().map(|name| name.as_str()));
            candidates[own..].sort_unstable();
        }
        let Some(node) = node else {
            self.unknown("constant", name, &candidates, "define it as a `const`");
            return;
        };
        let node = self.program.nodes[node].name.text;
        let remedy = format!("declare it as an input, output or local of node `{node}`");
        self.unknown("variable", name, &candidates, &remedy);
    }

    fn one(&mut self, id: ExpressionId, node: Option<usize>) -> TypeId {
        let program = self.program;
        let expression = program.expression(id);
        match &expression.kind {
            Kind::Name(name) => self.name(id, *name, node),
            Kind::Integer(number) => self.literal(id, Value::Int(number.clone()), TypeId::INT),
            Kind::Real(number) => self.literal(id, Value::Real(number.clone()), TypeId::REAL),
            Kind::Boolean(value) => self.literal(id, Value::Bool(*value), TypeId::BOOL),
            Kind::Unary(operator, operand) => self.unary(id, *operator, *operand, node),
            Kind::Binary(operator, left, right) => {
                self.binary(id, *operator, [*left, *right], node)
            }
            Kind::If(parts) => self.conditional(id, *parts, node),
            Kind::Call { callee, arguments } => self.call(id, *callee, arguments, node),
            Kind::Condact(items) => self.condact(id, items, node),
            Kind::AtMostOne(items) => {
                for item in items {
                    let of = self.operand(*item, node);
                    self.expect("an operand of `#`", TypeId::BOOL, of, program.span(*item));
                }
                TypeId::BOOL
            }
            Kind::Tuple(items) => self.tuple(id, items, node),
            Kind::Array(items) => self.array(id, items, node),
            Kind::Record { of, fields } => self.record(id, *of, fields, node),
            Kind::Field(base, field) => self.field(id, *base, *field, node),
            Kind::UpdateField { base, field, value } => {
                let of = self.operand(*base, node);
                let found = self.operand(*value, node);
                let Some((wanted, _)) = self.field_of(of, *field) else {
                    return of;
                };
                let what = format!("the field `{}`", field.text);
                self.expect(&what, wanted, found, program.span(*value));
                of
            }
            Kind::Index { base, index } => self.index(id, *base, *index, node),
            Kind::UpdateIndex { base, index, value } => {
                let of = self.operand(*base, node);
                let found = self.operand(*value, node);
                let Some(wanted) = self.element_of(id, of, *base, *index, node) else {
                    return of;
                };
                self.expect("the new element", wanted, found, program.span(*value));
                of
            }
        }
    }

    fn literal(&mut self, id: ExpressionId, value: Value, of: TypeId) -> TypeId {
        self.values[id.index()] = Some(Arc::new([value]));
        of
    }

    fn name(&mut self, id: ExpressionId, name: Symbol, node: Option<usize>) -> TypeId {
        if let Some(of) = self.variable(id, name, node) {
            return of;
        }
        let global = self.globals.get(&name).map(|(reference, _)| *reference);
        let reference = global.unwrap_or(Reference::Pending(name));
        self.checked.references[id.index()] = reference;
        match reference {
            Reference::Constant(at) => {
                let constant = &self.checked.constants[at as usize];
                self.values[id.index()] = constant.values.clone();
                constant.of
            }
            Reference::EnumValue(sort, number) => {
                self.values[id.index()] = Some(Arc::new([Value::Enum(sort, number)]));
                self.checked.types.enumeration(sort)
            }
            _ => TypeId::UNKNOWN,
        }
    }

    /// The type of a variable of the node, which the expression then refers to.
    fn variable(&mut self, id: ExpressionId, name: Symbol, node: Option<usize>) -> Option<TypeId> {
        let info = &self.checked.nodes[node?];
        let at = *info.names.get(&name)?;
        let of = info.variables[at as usize].of;
        self.checked.references[id.index()] = Reference::Variable(at);
        Some(self.checked.types.plain(of))
    }

    /// Whether a type is what is wanted; says so if it is not.
    pub(super) fn expect(&mut self, what: &str, wanted: TypeId, found: TypeId, span: Span) -> bool {
        if self.fits(wanted, found) {
            return true;
        }
        let types = &self.checked.types;
        let (wanted_name, found_name) = (types.name(wanted), types.name(found));
        let message = format!("{what} must have type {wanted_name}, found {found_name}");
        let mut error = Diagnostic::error(span, message);
        let conversion = conversion(wanted, found);
        error.hint = conversion.or_else(|| Some("change the value or the declaration".into()));
        self.diagnostics.push(error);
        false
    }

    /// Whether both are one type, as far as they are known.
    fn fits(&self, wanted: TypeId, found: TypeId) -> bool {
        let unknown = |id| self.is_unknown(id);
        wanted == found || unknown(wanted) || unknown(found)
    }

    /// Whether a type has parts that are unknown, so that nothing can be said about it.
    fn is_unknown(&self, id: TypeId) -> bool {
        match self.checked.types.get(id) {
            Type::Unknown => true,
            Type::Array(of, _) => self.is_unknown(*of),
            Type::Tuple(parts) => parts.iter().any(|part| self.is_unknown(*part)),
            _ => false,
        }
    }

    fn unary(
        &mut self,
        id: ExpressionId,
        operator: Unary,
        operand: ExpressionId,
        node: Option<usize>,
    ) -> TypeId {
        let found = self.operand(operand, node);
        let is_number = found == TypeId::INT || found == TypeId::REAL;
        let (fits, wanted, result) = match operator {
            Unary::Pre => return found,
            Unary::Not => (found == TypeId::BOOL, "a Boolean", TypeId::BOOL),
            Unary::Negate => (is_number, "a number", found),
            Unary::ToReal => (found == TypeId::INT, "an integer", TypeId::REAL),
            Unary::Floor => (found == TypeId::REAL, "a real", TypeId::INT),
        };
        if found == TypeId::UNKNOWN {
            return result;
        }
        if !fits {
            self.operator_error(id, operator.text(), wanted, &[operand]);
            let known = matches!(operator, Unary::Not | Unary::ToReal | Unary::Floor);
            return if known { result } else { TypeId::UNKNOWN };
        }
        if let Some([value]) = self.values[operand.index()].as_deref() {
            let value = constant::unary(operator, value);
            self.fold(id, value);
        }
        result
    }

    /// Keeps the value of a constant expression.
    fn fold(&mut self, id: ExpressionId, value: Result<Value, NoValue>) {
        match value {
            Ok(value) => self.values[id.index()] = Some(Arc::new([value])),
            Err(NoValue::NotConstant) => {}
            Err(NoValue::TooLarge) => {
                let message = "the value of this constant expression is too large";
                self.error(self.program.span(id), message, "write a smaller one");
            }
        }
    }

    /// An operator with operands that it does not take.
    fn operator_error(
        &mut self,
        id: ExpressionId,
        operator: &str,
        wanted: &str,
        operands: &[ExpressionId],
    ) {
        let types = &self.checked.types;
        let of = |operand: &ExpressionId| self.checked.expression_types[operand.index()];
        let found: Vec<String> = operands.iter().map(|o| types.name(of(o))).collect();
        let message = match &found[..] {
            [only] => format!("`{operator}` takes {wanted}, found {only}"),
            _ => format!("`{operator}` takes {wanted}, found {}", found.join(" and ")),
        };
        let mut error = Diagnostic::error(self.program.span(id), message);
        for (operand, found) in operands.iter().zip(found) {
            error = error.with_label(self.program.span(*operand), format!("this is {found}"));
        }
        error.hint = Some(match operands {
            [left, right] => mixture(operator, of(left), of(right)),
            _ => format!("apply it to {wanted}"),
        });
        self.diagnostics.push(error);
    }

    fn binary(
        &mut self,
        id: ExpressionId,
        operator: Binary,
        operands: [ExpressionId; 2],
        node: Option<usize>,
    ) -> TypeId {
        let [left, right] = operands;
        let (a, b) = (self.operand(left, node), self.operand(right, node));
        let known = !self.is_unknown(a) && !self.is_unknown(b);
        let both = |of| a == of && b == of;
        let numbers = both(TypeId::INT) || both(TypeId::REAL);
        let somehow = if known || a != TypeId::UNKNOWN { a } else { b };
        let (fits, wanted, result) = match operator {
            Binary::Plus | Binary::Minus | Binary::Times => {
                (numbers, "two numbers of one type", somehow)
            }
            Binary::Divide => (both(TypeId::REAL), "two reals", TypeId::REAL),
            Binary::IntDivide | Binary::Modulo => (both(TypeId::INT), "two integers", TypeId::INT),
            Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => {
                (numbers, "two numbers of one type", TypeId::BOOL)
            }
            Binary::Equal | Binary::Different => (a == b, "two of one type", TypeId::BOOL),
            Binary::And | Binary::Or | Binary::Xor | Binary::Implies => {
                (both(TypeId::BOOL), "two Booleans", TypeId::BOOL)
            }
            Binary::Arrow | Binary::FollowedBy => (a == b, "two of one type", somehow),
        };
        if !known {
            return result;
        }
        if !fits {
            self.operator_error(id, operator.text(), wanted, &operands);
            let is_test = result == TypeId::BOOL && operator != Binary::Arrow;
            return if is_test { result } else { TypeId::UNKNOWN };
        }
        self.linear(operator, operands);
        if let (Some([a]), Some([b])) = (
            self.values[left.index()].as_deref(),
            self.values[right.index()].as_deref(),
        ) {
            let value = constant::binary(operator, a, b);
            self.fold(id, value);
        }
        result
    }

    /// A product needs a constant factor and a division a constant divisor, unless somebody can do
    /// without. The divisor is never the constant zero.
    fn linear(&mut self, operator: Binary, [left, right]: [ExpressionId; 2]) {
        let program = self.program;
        let is_constant = |id: ExpressionId| self.values[id.index()].is_some();
        let message = match operator {
            Binary::Times if !is_constant(left) && !is_constant(right) => {
                "non-linear: a product of two values that are not constant".to_string()
            }
            Binary::Divide | Binary::IntDivide | Binary::Modulo if !is_constant(right) => {
                format!(
                    "non-linear: `{}` by a value that is not constant",
                    operator.text()
                )
            }
            Binary::Divide | Binary::IntDivide | Binary::Modulo => {
                let divisor = self.values[right.index()].as_deref();
                let number = divisor.and_then(|values| values[0].as_number());
                if number.is_some_and(|number| number.is_zero()) {
                    let message = format!("`{}` by zero", operator.text());
                    self.error(program.span(right), message, "write another divisor");
                }
                return;
            }
            _ => return,
        };
        if self.nonlinear {
            return;
        }
        let hint = match operator {
            Binary::Times => {
                "make one factor a constant, choose among constants by `if`, leave the product \
                 open with an uninterpreted `function`, or name a solver that has products: \
                 --solver z3"
            }
            _ => {
                "make the divisor a constant, leave the quotient open with an uninterpreted \
                 `function`, or name a solver that has quotients: --solver z3"
            }
        };
        let span = program.span(left).to(program.span(right));
        let mut error = Diagnostic::error(span, message).with_hint(hint);
        if operator == Binary::Times {
            error = error.with_label(program.span(left), "this is not constant");
        }
        let error = error.with_label(program.span(right), "this is not constant");
        self.diagnostics.push(error);
    }

    fn conditional(
        &mut self,
        id: ExpressionId,
        [condition, then, other]: [ExpressionId; 3],
        node: Option<usize>,
    ) -> TypeId {
        let test = self.operand(condition, node);
        let span = self.program.span(condition);
        self.expect("the condition of `if`", TypeId::BOOL, test, span);
        let (a, b) = (self.operand(then, node), self.operand(other, node));
        if !self.fits(a, b) {
            self.operator_error(id, "if", "two branches of one type", &[then, other]);
            return TypeId::UNKNOWN;
        }
        if let Some([Value::Bool(choice)]) = self.values[condition.index()].as_deref() {
            let [a, b] = [then, other].map(|id| self.values[id.index()].clone());
            if a.is_some() && b.is_some() {
                self.values[id.index()] = if *choice { a } else { b };
            }
        }
        if self.is_unknown(a) { b } else { a }
    }

    fn call(
        &mut self,
        id: ExpressionId,
        callee: Name,
        arguments: &[ExpressionId],
        node: Option<usize>,
    ) -> TypeId {
        let found: Vec<TypeId> = arguments.iter().map(|a| self.operand(*a, node)).collect();
        let known = self.callees.get(&callee.text).map(|(known, _)| *known);
        let signature = match known {
            Some(Reference::Node(at)) => self.checked.nodes.get(at as usize).map(|n| &n.signature),
            Some(Reference::Function(at)) => self.checked.functions.get(at as usize),
            _ => {
                self.unknown_callee(callee);
                return TypeId::UNKNOWN;
            }
        };
        // Constants are made before the nodes are known, and may not call any.
        let Some(signature) = signature.cloned() else {
            let message = "a constant cannot call a node or function";
            let hint = "write the value out, or make it a local of a node";
            self.error(callee.span, message, hint);
            return TypeId::UNKNOWN;
        };
        self.checked.references[id.index()] = known.unwrap_or(Reference::None);
        let wanted: Vec<TypeId> = signature.inputs.clone();
        self.check_arguments(callee, arguments, &found, &wanted);
        let outputs = signature.outputs.iter();
        let outputs = outputs.map(|of| self.checked.types.plain(*of)).collect();
        self.checked.types.tuple(outputs)
    }

    fn unknown_callee(&mut self, callee: Name) {
        if matches!(callee.text.as_str(), "current" | "merge" | "when") {
            let message = format!(
                "`{}` is not supported: all flows here have one clock",
                callee.text
            );
            let hint = "use `condact(clock, node(…), default, …)` to run a node at some steps only";
            self.error(callee.span, message, hint);
            return;
        }
        let mut candidates: Vec<&str> = Vec::new();
        if self.suggestions > 0 {
            candidates.extend(self.callees.keys().map(|name| name.as_str()));
            candidates.sort_unstable();
        }
        let remedy = "define it as a `node`, or leave it open as a `function`";
        self.unknown("node or function", callee, &candidates, remedy);
    }

    /// Arguments against inputs; a tuple among the arguments stands for its parts.
    fn check_arguments(
        &mut self,
        callee: Name,
        arguments: &[ExpressionId],
        found: &[TypeId],
        wanted: &[TypeId],
    ) {
        let mut given: Vec<(TypeId, Span)> = Vec::new();
        for (argument, of) in arguments.iter().zip(found) {
            let span = self.program.span(*argument);
            match self.checked.types.get(*of) {
                Type::Tuple(parts) => given.extend(parts.iter().map(|part| (*part, span))),
                _ => given.push((*of, span)),
            }
        }
        if given.len() != wanted.len() {
            let message = format!(
                "`{}` takes {}, found {}",
                callee.text,
                counted(wanted.len(), "argument"),
                given.len()
            );
            let mut error = Diagnostic::error(callee.span, message);
            error.hint = Some(format!("write {}", self.pattern(callee)));
            if let Some((_, span)) = self.callees.get(&callee.text) {
                error = error.with_label(*span, "defined here");
            }
            self.diagnostics.push(error);
            return;
        }
        for (position, ((of, span), wanted)) in given.into_iter().zip(wanted).enumerate() {
            let wanted = self.checked.types.plain(*wanted);
            let what = format!("argument {} of `{}`", position + 1, callee.text);
            self.expect(&what, wanted, of, span);
        }
    }

    /// How a node or function is called: its name and those of its inputs.
    fn pattern(&self, callee: Name) -> String {
        let reference = self.callees.get(&callee.text).map(|known| known.0);
        let inputs = match reference {
            Some(Reference::Node(at)) => &self.program.nodes[at as usize].inputs[..],
            Some(Reference::Function(at)) => &self.program.functions[at as usize].inputs[..],
            _ => &[],
        };
        let names: Vec<&str> = inputs.iter().map(|one| one.name.text.as_str()).collect();
        format!("`{}({})`", callee.text, names.join(", "))
    }

    fn condact(&mut self, id: ExpressionId, items: &[ExpressionId], node: Option<usize>) -> TypeId {
        let program = self.program;
        let types: Vec<TypeId> = items.iter().map(|item| self.operand(*item, node)).collect();
        let clock = items[0];
        let span = program.span(clock);
        self.expect("the clock of `condact`", TypeId::BOOL, types[0], span);
        let call = items.get(1).map(|call| (*call, self.reference(*call)));
        let Some((call, Reference::Node(callee))) = call else {
            let unknown = types.get(1) == Some(&TypeId::UNKNOWN);
            if !unknown {
                let message = "the second argument of `condact` must be a call of a node";
                let hint = "write `condact(clock, node(…), default, …)`";
                self.error(program.span(id), message, hint);
            }
            return TypeId::UNKNOWN;
        };
        // A clock that is always true leaves a plain call.
        if !matches!(program.expression(clock).kind, Kind::Boolean(true)) {
            self.checked.references[call.index()] = Reference::Clocked(callee);
        }
        let outputs = types[1];
        let defaults = self.checked.types.tuple(types[2..].to_vec());
        if !self.fits(outputs, defaults) {
            let names = &self.checked.types;
            let (wanted, found) = (names.name(outputs), names.name(defaults));
            let message =
                format!("the defaults of `condact` must have type {wanted}, found {found}");
            let hint = "one default for each output of the node: \
                        its value until the clock is true for the first time";
            self.error(program.span(id), message, hint);
        }
        outputs
    }

    fn tuple(&mut self, id: ExpressionId, items: &[ExpressionId], node: Option<usize>) -> TypeId {
        let mut parts = Vec::new();
        for item in items {
            let of = self.operand(*item, node);
            match self.checked.types.get(of) {
                Type::Tuple(inner) => parts.extend(inner.iter().copied()),
                _ => parts.push(of),
            }
        }
        self.concatenate(id, items);
        self.checked.types.tuple(parts)
    }

    /// The value of what is made of constant parts.
    fn concatenate(&mut self, id: ExpressionId, items: &[ExpressionId]) {
        let mut values = Vec::new();
        for item in items {
            match &self.values[item.index()] {
                Some(part) => values.extend(part.iter().cloned()),
                None => return,
            }
        }
        self.values[id.index()] = Some(values.into());
    }

    fn array(&mut self, id: ExpressionId, items: &[ExpressionId], node: Option<usize>) -> TypeId {
        let types: Vec<TypeId> = items.iter().map(|item| self.operand(*item, node)).collect();
        let first = types[0];
        for (item, of) in items.iter().zip(&types).skip(1) {
            let span = self.program.span(*item);
            if !self.expect("an element of this array", first, *of, span) {
                return TypeId::UNKNOWN;
            }
        }
        if types.iter().any(|of| self.is_unknown(*of)) {
            return TypeId::UNKNOWN;
        }
        self.concatenate(id, items);
        match self.checked.types.array(first, items.len() as u32) {
            Ok(of) => of,
            Err(_) => {
                let hint = "make it smaller, or divide it among several variables";
                self.error(self.program.span(id), "this array is too large", hint);
                TypeId::UNKNOWN
            }
        }
    }

    fn record(
        &mut self,
        id: ExpressionId,
        of: Name,
        fields: &[(Name, ExpressionId)],
        node: Option<usize>,
    ) -> TypeId {
        let program = self.program;
        let named = self.named_type(of);
        let plain = self.checked.types.plain(named);
        let Some(record) = self.checked.types.record(plain).cloned() else {
            if plain != TypeId::UNKNOWN {
                let message = format!("`{}` is no record type", of.text);
                let hint = "a record is made of a type that is defined as `struct { … }`";
                self.error(of.span, message, hint);
            }
            return TypeId::UNKNOWN;
        };
        let mut given: FxHashMap<Symbol, (Span, ExpressionId)> = FxHashMap::default();
        for (field, value) in fields {
            let found = self.operand(*value, node);
            let Some((wanted, _)) = self.field_of(plain, *field) else {
                continue;
            };
            let what = format!("the field `{}`", field.text);
            self.expect(&what, wanted, found, program.span(*value));
            if let Some((first, _)) = given.insert(field.text, (field.span, *value)) {
                self.duplicate("field", *field, first);
            }
        }
        let missing = record.fields.iter();
        let missing = missing.filter(|field| !given.contains_key(&field.name));
        let missing: Vec<String> = missing.map(|field| format!("`{}`", field.name)).collect();
        if !missing.is_empty() {
            let message = format!("this `{}` lacks {}", of.text, missing.join(", "));
            let hint = "give every field a value";
            self.error(program.span(id), message, hint);
            return plain;
        }
        let order = record.fields.iter();
        let order: Vec<ExpressionId> = order.map(|field| given[&field.name].1).collect();
        self.concatenate(id, &order);
        plain
    }

    /// The type and offset of a field.
    fn field_of(&mut self, of: TypeId, field: Name) -> Option<(TypeId, usize)> {
        if of == TypeId::UNKNOWN {
            return None;
        }
        let Some(record) = self.checked.types.record(of) else {
            let message = format!(
                "a value of type {} has no field `{}`",
                self.checked.types.name(of),
                field.text
            );
            self.error(field.span, message, "only records have fields");
            return None;
        };
        let known = record.fields.iter().find(|known| known.name == field.text);
        if let Some(known) = known {
            return Some((known.of, known.offset));
        }
        let fields = record.fields.iter();
        let names: Vec<&str> = fields.map(|known| known.name.as_str()).collect();
        let what = format!("field of `{}`", record.name);
        self.unknown(&what, field, &names, "choose another field");
        None
    }

    /// The name that a chain of fields and indices spells so far.
    fn path(&self, id: ExpressionId) -> Option<Symbol> {
        match (self.reference(id), &self.program.expression(id).kind) {
            (Reference::Pending(text), _) => Some(text),
            (_, Kind::Name(text)) => Some(*text),
            _ => None,
        }
    }

    /// A variable whose name has dots or indices in it, as flattened models have; `None` when the
    /// base is a value with parts of its own.
    fn dotted(
        &mut self,
        id: ExpressionId,
        base: ExpressionId,
        rest: impl Fn() -> String,
        node: Option<usize>,
    ) -> Option<TypeId> {
        let of = self.checked.expression_types[base.index()];
        let types = &self.checked.types;
        if matches!(types.get(of), Type::Array(..) | Type::Record(..)) {
            return None;
        }
        let path = self.path(base)?;
        if path.as_str().len() > LONGEST_PATH {
            return None;
        }
        let name = Symbol::new(&format!("{path}{}", rest()));
        if let Some(of) = self.variable(id, name, node) {
            return Some(of);
        }
        let begun = matches!(self.reference(base), Reference::Pending(_));
        if begun {
            self.checked.references[id.index()] = Reference::Pending(name);
            return Some(TypeId::UNKNOWN);
        }
        None
    }

    fn field(
        &mut self,
        id: ExpressionId,
        base: ExpressionId,
        field: Name,
        node: Option<usize>,
    ) -> TypeId {
        let rest = || format!(".{}", field.text);
        if let Some(of) = self.dotted(id, base, rest, node) {
            return of;
        }
        let of = self.operand(base, node);
        let Some((part, offset)) = self.field_of(of, field) else {
            return TypeId::UNKNOWN;
        };
        self.project(id, base, offset, part);
        part
    }

    /// The value of a part of a constant.
    fn project(&mut self, id: ExpressionId, base: ExpressionId, offset: usize, part: TypeId) {
        let size = self.checked.types.size(part);
        if let Some(values) = &self.values[base.index()] {
            self.values[id.index()] = values.get(offset..offset + size).map(Into::into);
        }
    }

    fn index(
        &mut self,
        id: ExpressionId,
        base: ExpressionId,
        index: ExpressionId,
        node: Option<usize>,
    ) -> TypeId {
        if let Kind::Integer(number) = &self.program.expression(index).kind {
            let rest = || format!("[{number}]");
            if let Some(of) = self.dotted(id, base, rest, node) {
                return of;
            }
        }
        let of = self.operand(base, node);
        let Some(element) = self.element_of(id, of, base, index, node) else {
            return TypeId::UNKNOWN;
        };
        if let Reference::Index(at) = self.reference(id) {
            let offset = at as usize * self.checked.types.size(element);
            self.project(id, base, offset, element);
        }
        element
    }

    /// The type of an array's elements, once the index is found to be in order.
    fn element_of(
        &mut self,
        id: ExpressionId,
        of: TypeId,
        base: ExpressionId,
        index: ExpressionId,
        node: Option<usize>,
    ) -> Option<TypeId> {
        let program = self.program;
        let found = self.operand(index, node);
        let span = program.span(index);
        self.expect("an index", TypeId::INT, found, span);
        let (element, length) = match self.checked.types.get(of) {
            Type::Array(element, length) => (*element, *length),
            Type::Unknown => return None,
            _ => {
                let name = self.checked.types.name(of);
                let message = format!("a value of type {name} has no elements: it is no array");
                let hint = "leave the index out, or declare it as an array";
                self.error(program.span(base), message, hint);
                return None;
            }
        };
        let constant = self.values[index.index()].as_deref();
        if let Some([Value::Int(number)]) = constant {
            let at = number.to_i64().and_then(|at| u32::try_from(at).ok());
            match at.filter(|at| *at < length) {
                Some(at) => self.checked.references[id.index()] = Reference::Index(at),
                None => {
                    let last = length - 1;
                    let message = format!("the index {number} is outside the array: 0 to {last}");
                    let hint = "indices begin with 0; change the index or the array's length";
                    self.error(span, message, hint);
                }
            }
        }
        Some(element)
    }
}

/// `1 argument`, `2 arguments`.
pub(super) fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// How to make one type of the other.
fn conversion(wanted: TypeId, found: TypeId) -> Option<String> {
    let hint = match (wanted, found) {
        (TypeId::REAL, TypeId::INT) => "write `real(…)` around it, or `1.0` for the literal `1`",
        (TypeId::INT, TypeId::REAL) => "write `floor(…)` around it",
        (TypeId::BOOL, TypeId::INT | TypeId::REAL) => "compare it, as in `… > 0`",
        (TypeId::INT | TypeId::REAL, TypeId::BOOL) => "choose numbers by `if … then … else …`",
        _ => return None,
    };
    Some(hint.into())
}

/// What to do about two operands that do not go together.
fn mixture(operator: &str, left: TypeId, right: TypeId) -> String {
    let both = [left, right];
    if operator == "/" && both == [TypeId::INT, TypeId::INT] {
        return "integers are divided with `div`".into();
    }
    if matches!(operator, "div" | "mod") && both.contains(&TypeId::REAL) {
        return "reals are divided with `/`".into();
    }
    let logical = matches!(operator, "and" | "or" | "xor" | "=>");
    let wanted = [TypeId::BOOL, TypeId::REAL, TypeId::INT];
    let wanted = wanted.into_iter().filter(|of| match logical {
        true => *of == TypeId::BOOL,
        false => *of != TypeId::BOOL && both.contains(of),
    });
    let found = |of| both.into_iter().find(|one| *one != of).unwrap_or(of);
    let conversion = wanted.filter_map(|of| conversion(of, found(of))).next();
    conversion.unwrap_or_else(|| "change one of the two".into())
}
