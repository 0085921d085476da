//! Expressions as trees of scalars.
//!
//! As in the checker, one loop over a root's range does everything: each expression becomes the
//! list of its scalars, made from the lists of its operands. An operator on compound values is
//! written out for each scalar with one id, so that it stays one place.

use super::{Flattener, Instance, Scalar, Stop};
use crate::lustre::check::Reference;
use crate::lustre::syntax::{Binary, ExpressionId, Kind, Root, Unary};
use crate::lustre::types::Type;
use proofmark_model::{Category, Expr, Function, Operator, Origin, Rational, Sort, Symbol, Value};
use rustc_hash::FxHashMap;

/// The scalars of an expression; almost always there is one.
#[derive(Debug, Default)]
pub(super) enum Flat {
    /// Not made, or taken.
    #[default]
    Empty,
    One(Expr),
    Many(Vec<Expr>),
}

impl Flat {
    fn into_vec(self) -> Vec<Expr> {
        match self {
            Flat::Empty => Vec::new(),
            Flat::One(expr) => vec![expr],
            Flat::Many(exprs) => exprs,
        }
    }

    pub fn new(mut exprs: Vec<Expr>) -> Flat {
        match exprs.len() {
            1 => exprs.pop().map_or(Flat::Empty, Flat::One),
            _ => Flat::Many(exprs),
        }
    }
}

/// One root being written out.
pub(super) struct Writing {
    base: usize,
    flats: Vec<Flat>,
    /// The root of a constant's definition, which is its place.
    definition: Option<ExpressionId>,
}

impl Writing {
    /// The scalars of an operand; each is an operand once.
    pub fn take(&mut self, id: ExpressionId) -> Vec<Expr> {
        std::mem::take(&mut self.flats[id.index() - self.base]).into_vec()
    }
}

impl Flattener<'_> {
    /// The scalars of an expression in an instance.
    pub(super) fn flatten_root(
        &mut self,
        root: Root,
        instance: &mut Instance,
    ) -> Result<Vec<Expr>, Stop> {
        self.write_root(root, instance, None)
    }

    /// The scalars of a constant's definition.
    pub(super) fn constant(&mut self, root: Root) -> Result<Vec<Expr>, Stop> {
        let mut nowhere = Instance {
            node: usize::MAX,
            path: Default::default(),
            prefix: String::new(),
            depth: 0,
            clock: None,
            scalars: Vec::new(),
            offsets: Vec::new(),
            kept_expressions: 0,
        };
        self.write_root(root, &mut nowhere, Some(root.root))
    }

    fn write_root(
        &mut self,
        root: Root,
        instance: &mut Instance,
        definition: Option<ExpressionId>,
    ) -> Result<Vec<Expr>, Stop> {
        let base = root.first.index();
        let count = root.root.index() + 1 - base;
        let mut writing = Writing {
            base,
            flats: Vec::with_capacity(count),
            definition,
        };
        for index in base..=root.root.index() {
            let flat = self.write_one(ExpressionId(index as u32), instance, &mut writing)?;
            writing.flats.push(flat);
        }
        Ok(writing.take(root.root))
    }

    fn place(&self, id: ExpressionId, instance: &Instance, writing: &Writing) -> Origin {
        let category = match writing.definition == Some(id) {
            true => Category::Constant,
            false => Category::Expression,
        };
        instance.origin(self.program.span(id), category)
    }

    fn write_one(
        &mut self,
        id: ExpressionId,
        instance: &mut Instance,
        writing: &mut Writing,
    ) -> Result<Flat, Stop> {
        let program = self.program;
        let origin = self.place(id, instance, writing);
        let literal = |value| Operator::Constant(value);
        let node_id = self.ids[id.index()];
        match &program.expression(id).kind {
            Kind::Name(_) => self.write_name(id, instance, origin),
            Kind::Integer(number) => {
                let operator = literal(Value::Int(number.clone()));
                self.make(node_id, operator, Vec::new(), origin)
                    .map(Flat::One)
            }
            Kind::Real(number) => {
                let operator = literal(Value::Real(number.clone()));
                self.make(node_id, operator, Vec::new(), origin)
                    .map(Flat::One)
            }
            Kind::Boolean(value) => {
                let operator = literal(Value::Bool(*value));
                self.make(node_id, operator, Vec::new(), origin)
                    .map(Flat::One)
            }
            Kind::Unary(Unary::Pre, operand) => {
                let operand = writing.take(*operand);
                self.write_pre(id, operand, instance, &origin)
            }
            Kind::Unary(operator, operand) => {
                let operator = unary_operator(*operator);
                let operand = vec![writing.take(*operand)];
                self.distribute(id, &operator, operand, &origin)
            }
            Kind::Binary(operator, left, right) => {
                let operands = [writing.take(*left), writing.take(*right)];
                self.write_binary(id, *operator, operands, instance, &origin)
            }
            Kind::If([condition, then, other]) => {
                let condition = writing.take(*condition);
                let (then, other) = (writing.take(*then), writing.take(*other));
                // Each scalar has the one condition.
                let conditions = condition.iter().cycle().take(then.len()).cloned();
                let operands = vec![conditions.collect(), then, other];
                self.distribute(id, &Operator::IfThenElse, operands, &origin)
            }
            Kind::Call { arguments, .. } => self.write_call(id, arguments, instance, writing),
            Kind::Condact(items) => self.write_condact(id, items, instance, writing),
            Kind::AtMostOne(items) => {
                let items: Vec<Expr> = items.iter().flat_map(|i| writing.take(*i)).collect();
                self.at_most_one(items, &origin).map(Flat::One)
            }
            Kind::Tuple(items) | Kind::Array(items) => {
                let parts = items.iter().flat_map(|item| writing.take(*item));
                Ok(Flat::new(parts.collect()))
            }
            Kind::Record { fields, .. } => {
                let of = self.checked.expression_types[id.index()];
                let order: Vec<Symbol> = match self.checked.types.record(of) {
                    Some(record) => record.fields.iter().map(|field| field.name).collect(),
                    None => return Err(Stop::Unresolved(program.span(id))),
                };
                let given: FxHashMap<Symbol, ExpressionId> = fields
                    .iter()
                    .map(|(name, value)| (name.text, *value))
                    .collect();
                let parts = order.iter().filter_map(|name| given.get(name));
                let parts = parts.flat_map(|value| writing.take(*value));
                Ok(Flat::new(parts.collect()))
            }
            Kind::Field(base, field) => {
                if let Reference::Variable(_) | Reference::Pending(_) = self.reference(id) {
                    return self.write_name(id, instance, origin);
                }
                let range = self.field_range(*base, field.text)?;
                let mut whole = writing.take(*base);
                Ok(Flat::new(whole.drain(range).collect()))
            }
            Kind::UpdateField { base, field, value } => {
                let range = self.field_range(*base, field.text)?;
                let mut whole = writing.take(*base);
                whole.splice(range, writing.take(*value));
                Ok(Flat::new(whole))
            }
            Kind::Index { base, index } => {
                if let Reference::Variable(_) | Reference::Pending(_) = self.reference(id) {
                    return self.write_name(id, instance, origin);
                }
                let (array, index) = (writing.take(*base), writing.take(*index));
                self.write_index(id, *base, array, index, &origin)
            }
            Kind::UpdateIndex { base, index, value } => {
                let (array, index) = (writing.take(*base), writing.take(*index));
                let value = writing.take(*value);
                self.write_update(id, *base, array, index, value, &origin)
            }
        }
    }

    pub(super) fn reference(&self, id: ExpressionId) -> Reference {
        self.checked.references[id.index()]
    }

    fn write_name(
        &mut self,
        id: ExpressionId,
        instance: &Instance,
        origin: Origin,
    ) -> Result<Flat, Stop> {
        match self.reference(id) {
            Reference::Variable(at) => self.uses(id, instance.scalars(at as usize), &origin),
            Reference::Constant(at) => self.named_constant(id, at as usize, &origin),
            Reference::EnumValue(sort, number) => {
                let operator = Operator::Constant(Value::Enum(sort, number));
                let id = self.ids[id.index()];
                self.make(id, operator, Vec::new(), origin).map(Flat::One)
            }
            // The beginning of a name with dots, or of a call.
            _ => Ok(Flat::Empty),
        }
    }

    /// Uses of variables, all at one place.
    pub(super) fn uses(
        &mut self,
        id: ExpressionId,
        scalars: &[Scalar],
        origin: &Origin,
    ) -> Result<Flat, Stop> {
        let id = self.ids[id.index()];
        let mut exprs = Vec::with_capacity(scalars.len());
        for scalar in scalars {
            self.spend()?;
            let name = scalar.name.as_str();
            exprs.push(Expr::variable(id, name, scalar.sort, origin.clone()));
        }
        Ok(Flat::new(exprs))
    }

    fn named_constant(
        &mut self,
        id: ExpressionId,
        at: usize,
        origin: &Origin,
    ) -> Result<Flat, Stop> {
        let name = self.program.constants[at].name.text;
        let of = self.checked.constants[at].of;
        let leaves = self.checked.types.leaves(of);
        let definitions = self.constants[at].clone();
        let mut exprs = Vec::with_capacity(definitions.len());
        for (leaf, definition) in leaves.iter().zip(definitions) {
            let name = match leaf.suffix.is_empty() {
                true => name,
                false => Symbol::new(&format!("{name}{}", leaf.suffix)),
            };
            let node_id = self.ids[id.index()];
            let operator = Operator::Named(name);
            exprs.push(self.make(node_id, operator, vec![definition], origin.clone())?);
        }
        Ok(Flat::new(exprs))
    }

    /// An operator on each scalar of its operands, all at one place.
    fn distribute(
        &mut self,
        id: ExpressionId,
        operator: &Operator,
        operands: Vec<Vec<Expr>>,
        origin: &Origin,
    ) -> Result<Flat, Stop> {
        let count = operands.iter().map(Vec::len).min().unwrap_or(0);
        let mut operands: Vec<_> = operands.into_iter().map(Vec::into_iter).collect();
        let mut exprs = Vec::with_capacity(count);
        for _ in 0..count {
            let args: Vec<Expr> = operands.iter_mut().filter_map(Iterator::next).collect();
            let node_id = self.ids[id.index()];
            exprs.push(self.make(node_id, operator.clone(), args, origin.clone())?);
        }
        Ok(Flat::new(exprs))
    }

    fn write_binary(
        &mut self,
        id: ExpressionId,
        operator: Binary,
        [left, right]: [Vec<Expr>; 2],
        instance: &mut Instance,
        origin: &Origin,
    ) -> Result<Flat, Stop> {
        match operator {
            Binary::Arrow => self.write_arrow(id, left, right, instance, origin),
            Binary::FollowedBy => {
                let pre = self.generated_pre(right, instance, origin)?;
                self.write_arrow(id, left, pre, instance, origin)
            }
            Binary::Equal | Binary::Different if left.len() > 1 => {
                // One place, whatever is compared: the scalars of one side, then the other's.
                let args = [left, right].concat();
                let operator = binary_operator(operator);
                let node_id = self.ids[id.index()];
                let tree = self.make(node_id, operator, args, origin.clone())?;
                Ok(Flat::One(tree))
            }
            _ => {
                let operands = vec![left, right];
                self.distribute(id, &binary_operator(operator), operands, origin)
            }
        }
    }

    /// No two are true: none is true after another. Linear, since what came before is shared.
    fn at_most_one(&mut self, items: Vec<Expr>, origin: &Origin) -> Result<Expr, Stop> {
        let mut items = items.into_iter();
        let Some(mut before) = items.next() else {
            return self.boolean(true, origin);
        };
        let mut all: Option<Expr> = None;
        for item in items {
            let both = self.generate(Operator::And, vec![before.clone(), item.clone()], origin)?;
            let fine = self.generate(Operator::Not, vec![both], origin)?;
            all = Some(match all {
                None => fine,
                Some(all) => self.generate(Operator::And, vec![all, fine], origin)?,
            });
            before = self.generate(Operator::Or, vec![before, item], origin)?;
        }
        match all {
            Some(all) => Ok(all),
            None => self.boolean(true, origin),
        }
    }

    /// Which scalars of a record are a field's.
    fn field_range(
        &self,
        base: ExpressionId,
        field: Symbol,
    ) -> Result<std::ops::Range<usize>, Stop> {
        let of = self.checked.expression_types[base.index()];
        let record = self.checked.types.record(of);
        let known = record.and_then(|r| r.fields.iter().find(|known| known.name == field));
        match known {
            Some(known) => {
                let size = self.checked.types.size(known.of);
                Ok(known.offset..known.offset + size)
            }
            None => Err(Stop::Unresolved(self.program.span(base))),
        }
    }

    /// How many scalars an element of an array has.
    fn stride(&self, base: ExpressionId) -> Result<usize, Stop> {
        let of = self.checked.expression_types[base.index()];
        match self.checked.types.get(of) {
            Type::Array(element, _) => Ok(self.checked.types.size(*element)),
            _ => Err(Stop::Unresolved(self.program.span(base))),
        }
    }

    fn write_index(
        &mut self,
        id: ExpressionId,
        base: ExpressionId,
        mut array: Vec<Expr>,
        index: Vec<Expr>,
        origin: &Origin,
    ) -> Result<Flat, Stop> {
        let stride = self.stride(base)?;
        if let Reference::Index(at) = self.reference(id) {
            let start = at as usize * stride;
            return Ok(Flat::new(array.drain(start..start + stride).collect()));
        }
        // From the last element back: an index out of range means the last.
        let last = array.len() - stride;
        let mut chosen = array.split_off(last);
        for (number, element) in array.chunks(stride).enumerate().rev() {
            let here = self.index_is(&index, number, origin)?;
            let mut next = Vec::with_capacity(stride);
            for (yes, no) in element.iter().zip(chosen) {
                let args = vec![here.clone(), yes.clone(), no];
                next.push(self.generate(Operator::IfThenElse, args, origin)?);
            }
            chosen = next;
        }
        Ok(Flat::new(chosen))
    }

    fn index_is(&mut self, index: &[Expr], number: usize, origin: &Origin) -> Result<Expr, Stop> {
        let number = self.integer(&Rational::from(number as i64), origin)?;
        let mut args = index.to_vec();
        args.push(number);
        self.generate(Operator::Equal, args, origin)
    }

    fn write_update(
        &mut self,
        id: ExpressionId,
        base: ExpressionId,
        mut array: Vec<Expr>,
        index: Vec<Expr>,
        value: Vec<Expr>,
        origin: &Origin,
    ) -> Result<Flat, Stop> {
        let stride = self.stride(base)?;
        if let Reference::Index(at) = self.reference(id) {
            let start = at as usize * stride;
            array.splice(start..start + stride, value);
            return Ok(Flat::new(array));
        }
        let mut updated = Vec::with_capacity(array.len());
        for (number, element) in array.chunks(stride).enumerate() {
            let here = self.index_is(&index, number, origin)?;
            for (new, old) in value.iter().zip(element) {
                let args = vec![here.clone(), new.clone(), old.clone()];
                updated.push(self.generate(Operator::IfThenElse, args, origin)?);
            }
        }
        Ok(Flat::new(updated))
    }

    /// A call of an uninterpreted function: one function for each scalar of its outputs.
    pub(super) fn write_application(
        &mut self,
        id: ExpressionId,
        function: usize,
        arguments: Vec<Expr>,
        origin: &Origin,
    ) -> Result<Flat, Stop> {
        let definition = &self.program.functions[function];
        let outputs = self.checked.functions[function].outputs.clone();
        let domain: Vec<Sort> = arguments.iter().map(Expr::sort).collect();
        let mut exprs = Vec::new();
        for (of, output) in outputs.iter().zip(&definition.outputs) {
            let leaves = self.checked.types.leaves(*of);
            for leaf in leaves.iter() {
                let name = match outputs.len() == 1 && leaves.len() == 1 {
                    true => definition.name.text.to_string(),
                    false => format!(
                        "{}.{}{}",
                        definition.name.text, output.name.text, leaf.suffix
                    ),
                };
                let function = Function::new(&name, domain.clone(), leaf.sort);
                if self.functions.insert(function) {
                    self.model.functions.push(function);
                }
                let node_id = self.ids[id.index()];
                let operator = Operator::Call(function);
                exprs.push(self.make(node_id, operator, arguments.clone(), origin.clone())?);
            }
        }
        Ok(Flat::new(exprs))
    }
}

fn unary_operator(operator: Unary) -> Operator {
    match operator {
        Unary::Pre => Operator::Pre,
        Unary::Not => Operator::Not,
        Unary::Negate => Operator::Negate,
        Unary::ToReal => Operator::ToReal,
        Unary::Floor => Operator::Floor,
    }
}

fn binary_operator(operator: Binary) -> Operator {
    match operator {
        Binary::Times => Operator::Times,
        Binary::Divide => Operator::Divide,
        Binary::IntDivide => Operator::IntDivide,
        Binary::Modulo => Operator::Modulo,
        Binary::Plus => Operator::Plus,
        Binary::Minus => Operator::Minus,
        Binary::Less => Operator::Less,
        Binary::LessEqual => Operator::LessEqual,
        Binary::Greater => Operator::Greater,
        Binary::GreaterEqual => Operator::GreaterEqual,
        Binary::Equal => Operator::Equal,
        Binary::Different => Operator::Different,
        Binary::And => Operator::And,
        Binary::Or => Operator::Or,
        Binary::Xor => Operator::Xor,
        Binary::Implies => Operator::Implies,
        Binary::Arrow | Binary::FollowedBy => Operator::Arrow,
    }
}
