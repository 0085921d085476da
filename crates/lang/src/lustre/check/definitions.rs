//! Types, constants and the names of functions and nodes.
//!
//! A constant may stand in a type (`int[N]`) and a type in a constant (`const c : t = …`), so both
//! are made in one order, each after what it uses.

use super::{Checker, ConstantInfo, Reference};
use crate::lustre::order::walk;
use crate::lustre::syntax::{
    BaseType, Bound, Declaration, Kind, Name, Negated, Root, TypeBody, TypeSyntax,
};
use crate::lustre::types::{DEEPEST, MOST_SCALARS, TooLarge, TypeId};
use proofmark_model::{EnumSort, Rational, Symbol, Value};
use proofmark_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;

impl Checker<'_> {
    pub(super) fn definitions(&mut self) {
        self.callees();
        let (types, constants) = self.declare_globals();
        let graph = self.definition_graph(&types, &constants);
        let walk = walk(&graph);
        for cycle in &walk.cycles {
            self.definition_cycle(cycle);
        }
        let count = self.program.types.len() as u32;
        for vertex in walk.order {
            match vertex.checked_sub(count) {
                None => self.define_type(vertex as usize),
                Some(constant) => {
                    self.define_constant(constant as usize);
                    self.checked.constant_order.push(constant);
                }
            }
        }
    }

    fn callees(&mut self) {
        let program = self.program;
        let functions = program.functions.iter().enumerate();
        let functions = functions.map(|(at, f)| (f.name, Reference::Function(at as u32)));
        let nodes = program.nodes.iter().enumerate();
        let nodes = nodes.map(|(at, node)| (node.name, Reference::Node(at as u32)));
        for (name, reference) in functions.chain(nodes) {
            match self.callees.get(&name.text) {
                Some((_, first)) => {
                    let first = *first;
                    self.duplicate("node or function", name, first);
                }
                None => {
                    self.callees.insert(name.text, (reference, name.span));
                }
            }
        }
    }

    fn declare_global(&mut self, what: &str, name: Name, reference: Reference) {
        match self.globals.get(&name.text) {
            Some((_, first)) => {
                let first = *first;
                self.duplicate(what, name, first);
            }
            None => {
                self.globals.insert(name.text, (reference, name.span));
            }
        }
    }

    /// Enumerations are made here, since they use nothing. Returns the positions of types and
    /// constants by name.
    fn declare_globals(&mut self) -> (FxHashMap<Symbol, u32>, FxHashMap<Symbol, u32>) {
        let program = self.program;
        let mut types = FxHashMap::default();
        for (at, definition) in program.types.iter().enumerate() {
            let name = definition.name;
            if let Some(first) = types.get(&name.text) {
                let first = program.types[*first as usize].name.span;
                self.duplicate("type", name, first);
                continue;
            }
            types.insert(name.text, at as u32);
            if let TypeBody::Enum(values) = &definition.body {
                let texts = values.iter().map(|value| value.text.to_string());
                let sort = EnumSort::new(name.text.as_str(), texts.collect());
                let of = self.checked.types.enumeration(sort);
                self.checked.named_types.insert(name.text, of);
                for (number, value) in values.iter().enumerate() {
                    let reference = Reference::EnumValue(sort, number as u32);
                    self.declare_global("value", *value, reference);
                }
            }
        }
        let mut constants = FxHashMap::default();
        for (at, constant) in program.constants.iter().enumerate() {
            self.checked.constants.push(ConstantInfo {
                of: TypeId::UNKNOWN,
                values: None,
            });
            constants.entry(constant.name.text).or_insert(at as u32);
            let reference = Reference::Constant(at as u32);
            self.declare_global("constant", constant.name, reference);
        }
        (types, constants)
    }

    /// What each type, and then each constant, uses.
    fn definition_graph(
        &self,
        types: &FxHashMap<Symbol, u32>,
        constants: &FxHashMap<Symbol, u32>,
    ) -> Vec<Vec<u32>> {
        let program = self.program;
        let count = program.types.len() as u32;
        let constant = |name: &Symbol| constants.get(name).map(|at| at + count);
        let syntax = |of: &TypeSyntax, uses: &mut Vec<u32>| {
            let mut bounds: Vec<&Bound> = of.dimensions.iter().collect();
            match &of.base {
                BaseType::Named(name) => uses.extend(types.get(&name.text)),
                BaseType::Subrange(low, high) => bounds.extend([low, high]),
                _ => {}
            }
            for bound in bounds {
                if let Bound::Named { name, .. } = bound {
                    uses.extend(constant(&name.text));
                }
            }
        };
        let mut graph = Vec::new();
        for definition in &program.types {
            let mut uses = Vec::new();
            match &definition.body {
                TypeBody::Alias(of) => syntax(of, &mut uses),
                TypeBody::Struct(fields) => {
                    fields.iter().for_each(|field| syntax(&field.of, &mut uses));
                }
                TypeBody::Enum(_) => {}
            }
            graph.push(uses);
        }
        for definition in &program.constants {
            let mut uses = Vec::new();
            if let Some(of) = &definition.of {
                syntax(of, &mut uses);
            }
            let range = definition.value.first.index()..=definition.value.root.index();
            for expression in &program.expressions[range] {
                match &expression.kind {
                    Kind::Name(name) => uses.extend(constant(name)),
                    Kind::Record { of, .. } => uses.extend(types.get(&of.text)),
                    _ => {}
                }
            }
            graph.push(uses);
        }
        graph
    }

    fn definition_cycle(&mut self, cycle: &[u32]) {
        let program = self.program;
        let name = |vertex: u32| match vertex.checked_sub(program.types.len() as u32) {
            None => program.types[vertex as usize].name,
            Some(constant) => program.constants[constant as usize].name,
        };
        let first = name(cycle[0]);
        let message = format!("`{}` is defined by itself", first.text);
        let mut error = Diagnostic::error(first.span, message)
            .with_hint("write one of them without the others");
        for (position, vertex) in cycle.iter().enumerate().take(20) {
            let next = name(cycle[(position + 1) % cycle.len()]);
            let own = name(*vertex);
            error = error.with_label(own.span, format!("`{}` uses `{}`", own.text, next.text));
        }
        self.diagnostics.push(error);
    }

    fn define_type(&mut self, at: usize) {
        let program = self.program;
        let definition = &program.types[at];
        let name = definition.name.text;
        if self.checked.named_types.contains_key(&name) {
            return;
        }
        let of = match &definition.body {
            TypeBody::Alias(of) => self.resolve(of),
            TypeBody::Struct(fields) => self.define_record(definition.name, fields),
            TypeBody::Enum(_) => return,
        };
        self.checked.named_types.insert(name, of);
    }

    fn define_record(&mut self, name: Name, fields: &[Declaration]) -> TypeId {
        if fields.is_empty() {
            let message = "a record needs at least one field";
            self.error(name.span, message, "write `struct { name: type }`");
            return TypeId::UNKNOWN;
        }
        let mut seen: FxHashMap<Symbol, Span> = FxHashMap::default();
        let mut parts = Vec::new();
        for field in fields {
            if let Some(first) = seen.insert(field.name.text, field.name.span) {
                self.duplicate("field", field.name, first);
                continue;
            }
            let of = self.resolve(&field.of);
            parts.push((field.name.text, of));
        }
        match self.checked.types.new_record(name.text, parts) {
            Ok(of) => of,
            Err(reason) => self.too_large(name.span, reason),
        }
    }

    fn too_large(&mut self, span: Span, reason: TooLarge) -> TypeId {
        let message = match reason {
            TooLarge::Scalars => format!("a type may have at most {MOST_SCALARS} scalars"),
            TooLarge::Depth => format!("types may be nested at most {DEEPEST} deep"),
        };
        let hint = "make it smaller, or divide it among several variables";
        self.error(span, message, hint);
        TypeId::UNKNOWN
    }

    /// The type that a piece of syntax means.
    pub(super) fn resolve(&mut self, syntax: &TypeSyntax) -> TypeId {
        let mut of = match &syntax.base {
            BaseType::Bool => TypeId::BOOL,
            BaseType::Int => TypeId::INT,
            BaseType::Real => TypeId::REAL,
            BaseType::Subrange(low, high) => self.resolve_subrange(low, high),
            BaseType::Named(name) => self.named_type(*name),
        };
        for bound in &syntax.dimensions {
            let length = self.bound(bound);
            let Some(length) = length else {
                return TypeId::UNKNOWN;
            };
            if !length.is_positive() {
                let message = format!("an array needs at least one element, not {length}");
                let hint = "write a length of 1 or more";
                self.error(bound.span(), message, hint);
                return TypeId::UNKNOWN;
            }
            let length = length
                .to_i64()
                .and_then(|length| u32::try_from(length).ok());
            let array = length.ok_or(TooLarge::Scalars);
            let array = array.and_then(|length| self.checked.types.array(of, length));
            of = match array {
                Ok(of) => of,
                Err(reason) => return self.too_large(syntax.span, reason),
            };
        }
        of
    }

    pub(super) fn named_type(&mut self, name: Name) -> TypeId {
        if let Some(of) = self.checked.named_types.get(&name.text) {
            return *of;
        }
        // A type that is defined by itself is known, and has been reported.
        let program = self.program;
        let names = || program.types.iter().map(|known| known.name.text);
        if !names().any(|known| known == name.text) {
            let known = names().map(Symbol::as_str);
            let candidates = known.chain(["int", "bool", "real"]).collect::<Vec<_>>();
            self.unknown("type", name, &candidates, "define it as a `type`");
        }
        // Said once is enough.
        self.checked.named_types.insert(name.text, TypeId::UNKNOWN);
        TypeId::UNKNOWN
    }

    fn resolve_subrange(&mut self, low: &Bound, high: &Bound) -> TypeId {
        let span = low.span().to(high.span());
        let (Some(low), Some(high)) = (self.bound(low), self.bound(high)) else {
            return TypeId::INT;
        };
        if low > high {
            let message = format!("the subrange [{low}, {high}] is empty");
            self.error(span, message, "the lower bound comes first");
            return TypeId::INT;
        }
        self.checked.types.subrange(low, high)
    }

    fn bound(&mut self, bound: &Bound) -> Option<Rational> {
        let (negated, name) = match bound {
            Bound::Literal(number, _) => return Some(number.clone()),
            Bound::Named { negated, name } => (*negated, *name),
        };
        let Some((Reference::Constant(at), _)) = self.globals.get(&name.text) else {
            let constants = self.program.constants.iter();
            let candidates: Vec<&str> = constants.map(|known| known.name.text.as_str()).collect();
            self.unknown("constant", name, &candidates, "define it as a `const`");
            return None;
        };
        let values = self.checked.constants[*at as usize].values.clone()?;
        match (&values[..], negated) {
            ([Value::Int(number)], Negated::No) => Some(number.clone()),
            ([Value::Int(number)], Negated::Yes) => Some(-number),
            _ => {
                let message = format!("the constant `{}` is no integer", name.text);
                let hint = "a bound is an integer or a constant that is one";
                self.error(name.span, message, hint);
                None
            }
        }
    }

    fn define_constant(&mut self, at: usize) {
        let program = self.program;
        let definition = &program.constants[at];
        let wanted = definition.of.as_ref().map(|of| self.resolve(of));
        let found = self.expression(definition.value, None);
        let plain = wanted.map(|wanted| self.checked.types.plain(wanted));
        if let Some(plain) = plain {
            let what = format!("the constant `{}`", definition.name.text);
            self.expect(&what, plain, found, program.span(definition.value.root));
        }
        let root = definition.value.root;
        let values = self.values[root.index()].clone();
        if values.is_none() && found != TypeId::UNKNOWN && !self.uses_broken(definition.value) {
            let message = format!("the value of `{}` is not constant", definition.name.text);
            let hint = "a constant is made of literals, other constants and operators, \
                        without `->`, `pre`, calls and variables";
            self.error(program.span(root), message, hint);
        }
        self.check_constant_range(definition.name, wanted, values.as_deref());
        self.checked.constants[at] = ConstantInfo {
            of: plain.unwrap_or(found),
            values,
        };
    }

    /// Whether an expression uses a constant that something is wrong with, which has been said.
    fn uses_broken(&self, root: Root) -> bool {
        let range = root.first.index()..=root.root.index();
        self.checked.references[range].iter().any(|reference| {
            let Reference::Constant(at) = reference else {
                return false;
            };
            self.checked.constants[*at as usize].values.is_none()
        })
    }

    /// A constant of a subrange type must lie in it.
    fn check_constant_range(
        &mut self,
        name: Name,
        wanted: Option<TypeId>,
        values: Option<&[Value]>,
    ) {
        let (Some(wanted), Some(values)) = (wanted, values) else {
            return;
        };
        if self.checked.types.size(wanted) != values.len() {
            return;
        }
        let leaves = self.checked.types.leaves(wanted);
        for (leaf, value) in leaves.iter().zip(values) {
            let (Some((low, high)), Value::Int(number)) = (&leaf.range, value) else {
                continue;
            };
            if number < low || number > high {
                let name_text = format!("{}{}", name.text, leaf.suffix);
                let message = format!("`{name_text}` is {number}, outside [{low}, {high}]");
                let hint = "change the value, or widen the range";
                self.error(name.span, message, hint);
            }
        }
    }
}
