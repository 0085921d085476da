//! Expressions: what each is, with its effects as statements before it.

use super::operand::{Location, Operand, Value, address, dereference};
use super::{Entity, Lowered, Lowerer, constant_of, load, variable_place};
use crate::c::literal;
use crate::c::syntax::{
    BinaryOperator, Expr, ExprKind, Initializer, Item, Name, Rank, StmtKind, TypeName,
    UnaryOperator, Width,
};
use crate::c::types::{CHAR, CType, INT, integer};
use proofmark_model::Symbol;
use proofmark_model::program::{
    Expression, ExpressionKind, Initial, Lvalue, LvalueKind, Scalar, Statement, StatementKind,
    Unary,
};
use proofmark_source::{Span, nearest};

impl Lowerer<'_> {
    /// The value of an expression.
    pub(super) fn rvalue(&mut self, of: &Expr) -> Lowered<Value> {
        let operand = self.operand(of)?;
        self.value(operand, of.span)
    }

    /// Whether an expression is not zero.
    pub(super) fn condition(&mut self, of: &Expr) -> Lowered<Expression> {
        let value = self.rvalue(of)?;
        self.scalar_of(&value.sort, of.span)?;
        Ok(self.truth(value))
    }

    /// The effects of an expression whose value nobody asks for.
    pub(super) fn effects(&mut self, of: &Expr) -> Lowered<()> {
        match &of.kind {
            ExprKind::Assign(operator, to, value) => {
                self.assignment(*operator, to, value, of.span)?;
            }
            ExprKind::Step { up, of: place, .. } => {
                self.step(*up, place, of.span)?;
            }
            ExprKind::Comma(one, other) => {
                self.effects(one)?;
                self.effects(other)?;
            }
            ExprKind::Cast(name, value) if self.type_name(name)? == CType::Void => {
                self.effects(value)?;
            }
            ExprKind::Conditional(condition, Some(then), other) => {
                let condition = self.condition(condition)?;
                let (one, then) = self.apart(|lowerer| lowerer.effects(then));
                let (two, other) = self.apart(|lowerer| lowerer.effects(other));
                one.and(two)?;
                self.emit(StatementKind::If(condition, then, other), of.span);
            }
            ExprKind::Call(callee, arguments) => {
                self.call(callee, arguments, of.span, super::call::Wanted::Effects)?;
            }
            ExprKind::Binary(BinaryOperator::And | BinaryOperator::Or, ..) => {
                self.rvalue(of)?;
            }
            _ => self.unused(of)?,
        }
        Ok(())
    }

    /// A value that is computed and dropped; what is wrong with computing it counts.
    fn unused(&mut self, of: &Expr) -> Lowered<()> {
        let operand = self.operand(of)?;
        if let Operand::Place(Location { sort, .. }) = &operand
            && !sort.is_scalar()
        {
            return Ok(());
        }
        if matches!(operand, Operand::Nothing | Operand::Function(..)) {
            return Ok(());
        }
        let value = self.value(operand, of.span)?;
        if !super::call::is_plain(&value.expression) {
            self.kept(value, of.span);
        }
        Ok(())
    }

    /// What an expression is.
    pub(super) fn operand(&mut self, of: &Expr) -> Lowered<Operand> {
        let span = of.span;
        match &of.kind {
            ExprKind::Integer(value) => Ok(self.integer(*value, span)),
            ExprKind::Float => self.refuse(span, "floating point"),
            ExprKind::Character(value, width) => {
                let sort = match width {
                    Width::Char | Width::Wide => INT,
                    Width::Char16 => integer(Rank::Short, false),
                    Width::Char32 => integer(Rank::Int, false),
                };
                Ok(self.number(*value as u64, &sort, span))
            }
            ExprKind::Text(units, width) => Ok(self.text(units, *width, span)),
            ExprKind::Name(name) => self.name(Name { text: *name, span }),
            ExprKind::Unary(operator, of) => self.unary(*operator, of, span),
            ExprKind::Step { up, when, of } => self.step_value(*up, *when, of, span),
            ExprKind::Binary(operator, one, other) => {
                self.binary(*operator, one, other, span).map(Operand::Value)
            }
            ExprKind::Assign(operator, to, value) => {
                let to = self.assignment(*operator, to, value, span)?;
                self.after_assignment(to, span)
            }
            ExprKind::Conditional(condition, then, other) => {
                self.conditional(condition, then.as_deref(), other, span)
            }
            ExprKind::Comma(one, other) => {
                self.effects(one)?;
                let last = self.operand(other)?;
                match last {
                    Operand::Place(_) => self.value_or_record(last, span),
                    last => Ok(last),
                }
            }
            ExprKind::Cast(name, value) => self.cast(name, value, span),
            ExprKind::SizeOf(of) => self.size_of_operand(of, span),
            ExprKind::SizeOfType(name) => {
                let sort = self.type_name(name)?;
                self.size_of_type(&sort, span)
            }
            ExprKind::AlignOf(name) => {
                let sort = self.type_name(name)?;
                self.size_of(&sort, span)?;
                Ok(self.size_value(self.types.align(&sort), span))
            }
            ExprKind::Index(one, other) => self.index(one, other, span),
            ExprKind::Call(callee, arguments) => {
                self.call(callee, arguments, span, super::call::Wanted::Value)
            }
            ExprKind::Member(of, name) => {
                let of = self.operand(of)?;
                self.member_of(of, *name, span)
            }
            ExprKind::Arrow(of, name) => {
                let pointer = self.rvalue(of)?;
                let of = self.pointed(pointer, span)?;
                self.member_of(of, *name, span)
            }
            ExprKind::Compound(name, value) => self.compound(name, value, span),
            ExprKind::Block(block) => self.block_value(block, span),
            ExprKind::Generic(of, choices) => self.generic(of, choices, span),
            ExprKind::OffsetOf(name, path) => {
                let sort = self.type_name(name)?;
                let offset = self.offset_of(sort, path, span)?;
                Ok(self.size_value(offset, span))
            }
            ExprKind::SameType(one, other) => {
                let same = self.type_name(one)? == self.type_name(other)?;
                Ok(self.number(u64::from(same), &INT, span))
            }
            ExprKind::Refused(what) => self.refuse(span, what),
        }
    }

    /// The value of a scalar; a record stays where it is.
    fn value_or_record(&mut self, operand: Operand, span: Span) -> Lowered<Operand> {
        match operand {
            Operand::Place(Location {
                sort: CType::Record(_),
                ..
            })
            | Operand::Nothing => Ok(operand),
            other => self.value(other, span).map(Operand::Value),
        }
    }

    /// A number of a type.
    pub(super) fn number(&self, value: u64, sort: &CType, span: Span) -> Operand {
        let scalar = self.types.scalar(sort).unwrap_or(Scalar::signed(32));
        Operand::Value(Value {
            expression: constant_of(value, scalar, span),
            sort: sort.clone(),
        })
    }

    /// C11 6.4.4.1: the first type of the list that holds it.
    fn integer(&self, of: literal::Integer, span: Span) -> Operand {
        let value = of.value as u64;
        let ranks = [Rank::Int, Rank::Long, Rank::LongLong];
        let least = usize::from(of.longs.min(2));
        let fits = |rank: Rank, signed: bool| {
            let bits = u32::from(rank.bits()) - u32::from(signed);
            bits >= 64 || value >> bits == 0
        };
        for rank in &ranks[least..] {
            let both = [true, false];
            for signed in both {
                let allowed = match signed {
                    true => !of.unsigned,
                    false => of.unsigned || !of.decimal,
                };
                if allowed && fits(*rank, signed) {
                    return self.number(value, &integer(*rank, signed), span);
                }
            }
        }
        self.number(value, &integer(Rank::LongLong, false), span)
    }

    fn text(&mut self, units: &[u32], width: Width, span: Span) -> Operand {
        let bytes = super::initial::bytes_of(units, width);
        let element = match width {
            Width::Char => CHAR,
            Width::Wide => INT,
            Width::Char16 => integer(Rank::Short, false),
            Width::Char32 => integer(Rank::Int, false),
        };
        let id = self.text_variable(bytes, span);
        Operand::Place(Location {
            at: variable_place(id, span),
            sort: CType::Array(element.into(), Some(units.len() as u64 + 1)),
            bits: None,
        })
    }

    fn name(&mut self, name: Name) -> Lowered<Operand> {
        match self.lookup(name.text).cloned() {
            Some(Entity::Variable(id, sort)) => Ok(Operand::Place(Location {
                at: variable_place(id, name.span),
                sort,
                bits: None,
            })),
            Some(Entity::Function(at)) => Ok(Operand::Function(at, name.span)),
            Some(Entity::Constant(value)) => Ok(self.number(value as u64, &INT, name.span)),
            Some(Entity::Type(_)) => {
                let message = format!("`{}` is a type, and a value is needed", name.text);
                self.error(name.span, message, "name a variable")
            }
            None => self.special_name(name),
        }
    }

    fn special_name(&mut self, name: Name) -> Lowered<Operand> {
        let text = name.text.as_str();
        match text {
            "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__" => {
                let units: Vec<u32> = self.current.name.bytes().map(u32::from).collect();
                Ok(self.text(&units, Width::Char, name.span))
            }
            "__CPROVER_true" => Ok(self.number(1, &INT, name.span)),
            "__CPROVER_false" => Ok(self.number(0, &INT, name.span)),
            _ if text.starts_with("__CPROVER_") => self.refuse(name.span, &format!("`{text}`")),
            _ => {
                let scopes = self.scopes.iter().flat_map(|scope| scope.names.keys());
                let hint = nearest(text, scopes.map(|known| known.as_str()));
                let hint = hint.map_or("declare it".to_string(), |near| {
                    format!("did you mean `{near}`?")
                });
                self.error(name.span, format!("there is no `{text}` here"), &hint)
            }
        }
    }

    fn unary(&mut self, operator: UnaryOperator, of: &Expr, span: Span) -> Lowered<Operand> {
        match operator {
            UnaryOperator::Address => {
                let operand = self.operand(of)?;
                self.pointer_to(operand, span).map(Operand::Value)
            }
            UnaryOperator::Dereference => {
                let operand = self.operand(of)?;
                if let Operand::Function(..) = operand {
                    return Ok(operand);
                }
                let pointer = self.value(operand, of.span)?;
                self.pointed(pointer, span)
            }
            UnaryOperator::Not => {
                let condition = self.condition(of)?;
                let not = super::operand::unary(Unary::Not, condition, span);
                Ok(Operand::Value(self.truth_value(not)))
            }
            UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::BitNot => {
                let value = self.rvalue(of)?;
                let Some(promoted) = self.types.promoted(&value.sort) else {
                    self.scalar_of(&value.sort, of.span)?;
                    let message =
                        format!("expected an integer, found `{}`", self.name_of(&value.sort));
                    return self.error(of.span, message, "take a value of another type");
                };
                let value = self.converted(value, &CType::Integer(promoted), span)?;
                let expression = match operator {
                    UnaryOperator::Minus => negated(value.expression, span),
                    UnaryOperator::BitNot => {
                        super::operand::unary(Unary::Not, value.expression, span)
                    }
                    _ => value.expression,
                };
                let sort = value.sort;
                Ok(Operand::Value(Value { expression, sort }))
            }
        }
    }

    /// A truth value as the `int` that it is in C.
    pub(super) fn truth_value(&self, truth: Expression) -> Value {
        Value {
            expression: super::operand::cast(truth, Scalar::signed(32)),
            sort: INT,
        }
    }

    /// What a pointer leads to.
    pub(super) fn pointed(&mut self, pointer: Value, span: Span) -> Lowered<Operand> {
        let CType::Pointer(to) = &pointer.sort else {
            let message = format!(
                "expected a pointer, found `{}`",
                self.name_of(&pointer.sort)
            );
            return self.error(span, message, "only a pointer leads somewhere");
        };
        Ok(Operand::Place(Location {
            at: dereference(pointer.expression, span),
            sort: (**to).clone(),
            bits: None,
        }))
    }

    /// A field of a record.
    pub(super) fn member_of(&mut self, of: Operand, name: Name, span: Span) -> Lowered<Operand> {
        let Operand::Place(Location {
            at,
            sort: CType::Record(record),
            bits: None,
        }) = of
        else {
            let message = format!("`{}` is asked of what is no structure", name.text);
            return self.error(
                span,
                message,
                "`.` needs a structure, `->` a pointer to one",
            );
        };
        let Some((offset, field)) = self.types.field(record, name.text) else {
            let known = &self.types.records[record];
            let message = match known.fields {
                Some(_) => format!("`{}` has no field `{}`", known.name, name.text),
                None => format!("`{}` is not complete here", known.name),
            };
            let names = known.fields.iter().flatten().filter_map(|one| one.name);
            let near = nearest(name.text.as_str(), names.map(Symbol::as_str));
            let hint = near.map_or("name one that is there".to_string(), |near| {
                format!("did you mean `{near}`?")
            });
            return self.error(name.span, message, &hint);
        };
        let at = match offset {
            0 => at,
            offset => Lvalue {
                kind: LvalueKind::Offset(Box::new(at), offset),
                place: span,
            },
        };
        Ok(Operand::Place(Location {
            at,
            sort: field.sort,
            bits: field.bits,
        }))
    }

    fn index(&mut self, one: &Expr, other: &Expr, span: Span) -> Lowered<Operand> {
        let left = self.operand(one)?;
        if let Operand::Place(Location {
            at,
            sort: CType::Array(element, count),
            bits: None,
        }) = &left
        {
            let index = self.rvalue(other)?;
            let index = self.index_value(index, other.span)?;
            let size = self.size_of(element, span)?;
            let at = Lvalue {
                kind: LvalueKind::Index {
                    array: Box::new(at.clone()),
                    index: Box::new(index),
                    size,
                    // An array of no elements ends a structure, and goes on behind it.
                    count: count.filter(|count| *count > 0),
                },
                place: span,
            };
            let sort = (**element).clone();
            return Ok(Operand::Place(Location {
                at,
                sort,
                bits: None,
            }));
        }
        let left = self.value(left, one.span)?;
        let right = self.rvalue(other)?;
        let sum = self.sum(left, right, span)?;
        self.pointed(sum, span)
    }

    /// An index; what is smaller than `int` is computed with as `int`.
    fn index_value(&mut self, index: Value, span: Span) -> Lowered<Expression> {
        let Some(promoted) = self.types.promoted(&index.sort) else {
            let message = format!("expected an integer, found `{}`", self.name_of(&index.sort));
            return self.error(span, message, "an index is an integer");
        };
        Ok(self
            .converted(index, &CType::Integer(promoted), span)?
            .expression)
    }

    fn cast(&mut self, name: &TypeName, value: &Expr, span: Span) -> Lowered<Operand> {
        let sort = self.type_name(name)?;
        if sort == CType::Void {
            self.effects(value)?;
            return Ok(Operand::Nothing);
        }
        let operand = self.operand(value)?;
        if let (CType::Record(to), Operand::Place(Location { sort: from, .. })) = (&sort, &operand)
            && *from == CType::Record(*to)
        {
            return Ok(operand);
        }
        let mut value = self.value(operand, value.span)?;
        self.scalar_of(&value.sort, span)?;
        value.expression.place = span;
        self.converted(value, &sort, span).map(Operand::Value)
    }

    /// The type of an operand.
    pub(super) fn sort_of(&mut self, operand: Operand, _: Span) -> Lowered<CType> {
        Ok(match operand {
            Operand::Place(place) => place.sort,
            Operand::Value(value) => value.sort,
            Operand::Function(at, _) => {
                CType::Function(self.functions[at].signature.clone().into())
            }
            Operand::Nothing => CType::Void,
        })
    }

    fn size_of_operand(&mut self, of: &Expr, span: Span) -> Lowered<Operand> {
        let (operand, _) = self.apart(|lowerer| lowerer.operand(of));
        let sort = self.sort_of(operand?, span)?;
        self.size_of_type(&sort, span)
    }

    fn size_of_type(&mut self, sort: &CType, span: Span) -> Lowered<Operand> {
        // GNU C says that both have a size of one.
        let size = match sort {
            CType::Void | CType::Function(_) => 1,
            sort => self.size_of(sort, span)?,
        };
        Ok(self.size_value(size, span))
    }

    fn conditional(
        &mut self,
        condition: &Expr,
        then: Option<&Expr>,
        other: &Expr,
        span: Span,
    ) -> Lowered<Operand> {
        let Some(then) = then else {
            return self.first_or(condition, other, span);
        };
        let condition = self.condition(condition)?;
        let (one, mut then_list) = self.apart(|lowerer| {
            let operand = lowerer.operand(then)?;
            lowerer.value_or_record(operand, then.span)
        });
        let (two, mut other_list) = self.apart(|lowerer| {
            let operand = lowerer.operand(other)?;
            lowerer.value_or_record(operand, other.span)
        });
        let (one, two) = (one?, two?);
        match (one, two) {
            (Operand::Nothing, _) | (_, Operand::Nothing) => {
                self.emit(StatementKind::If(condition, then_list, other_list), span);
                Ok(Operand::Nothing)
            }
            (Operand::Place(one), Operand::Place(two)) => {
                let (one_at, two_at) = (address(one.at, span), address(two.at, span));
                let pointer = CType::pointer(one.sort.clone());
                let value = |expression| Value {
                    expression,
                    sort: pointer.clone(),
                };
                let chosen = self.choose(
                    condition,
                    (value(one_at), &mut then_list),
                    (value(two_at), &mut other_list),
                    span,
                );
                self.pointed(chosen, span)
            }
            (one, two) => {
                let one = self.value(one, then.span)?;
                let two = self.value(two, other.span)?;
                let sort = self.common_of_two(&one, &two, span)?;
                let one = self.converted(one, &sort, span)?;
                let two = self.converted(two, &sort, span)?;
                let chosen = self.choose(
                    condition,
                    (one, &mut then_list),
                    (two, &mut other_list),
                    span,
                );
                Ok(Operand::Value(chosen))
            }
        }
    }

    /// The type of `a ? b : c`.
    fn common_of_two(&mut self, one: &Value, two: &Value, span: Span) -> Lowered<CType> {
        if let Some(common) = self.types.common(&one.sort, &two.sort) {
            return Ok(CType::Integer(common));
        }
        self.scalar_of(&one.sort, span)?;
        self.scalar_of(&two.sort, span)?;
        let is_void = |sort: &CType| *sort == CType::pointer(CType::Void);
        let is_zero = |of: &Value| matches!(of.expression.kind, ExpressionKind::Constant(0));
        Ok(match (&one.sort, &two.sort) {
            (CType::Pointer(_), other) if other.is_integer() => one.sort.clone(),
            (other, CType::Pointer(_)) if other.is_integer() => two.sort.clone(),
            (left, _) if is_void(left) && is_zero(one) => two.sort.clone(),
            (_, right) if is_void(right) && !is_zero(two) => two.sort.clone(),
            _ => one.sort.clone(),
        })
    }

    /// One of two values, of which only one is computed.
    fn choose(
        &mut self,
        condition: Expression,
        (one, then): (Value, &mut Vec<Statement>),
        (two, other): (Value, &mut Vec<Statement>),
        span: Span,
    ) -> Value {
        let sort = one.sort.clone();
        let scalar = one.expression.sort;
        if then.is_empty() && other.is_empty() {
            let kind = ExpressionKind::Conditional(
                Box::new(condition),
                Box::new(one.expression),
                Box::new(two.expression),
            );
            let expression = Expression {
                kind,
                sort: scalar,
                place: span,
            };
            return Value { expression, sort };
        }
        let id = self.temporary(&sort, span);
        for (list, value) in [(&mut *then, one), (&mut *other, two)] {
            let kind = StatementKind::Assign(variable_place(id, span), value.expression);
            list.push(Statement { kind, place: span });
        }
        let (then, other) = (std::mem::take(then), std::mem::take(other));
        self.emit(StatementKind::If(condition, then, other), span);
        Value {
            expression: load(variable_place(id, span), scalar),
            sort,
        }
    }

    /// `a ?: b`.
    fn first_or(&mut self, one: &Expr, other: &Expr, span: Span) -> Lowered<Operand> {
        let value = self.rvalue(one)?;
        let value = self.kept(value, one.span);
        let condition = self.truth(value.clone());
        let (two, mut list) = self.apart(|lowerer| lowerer.rvalue(other));
        let two = two?;
        let sort = self.common_of_two(&value, &two, span)?;
        let value = self.converted(value, &sort, span)?;
        let two = self.converted(two, &sort, span)?;
        let chosen = self.choose(condition, (value, &mut Vec::new()), (two, &mut list), span);
        Ok(Operand::Value(chosen))
    }

    /// An object without a name.
    fn compound(&mut self, name: &TypeName, value: &Initializer, span: Span) -> Lowered<Operand> {
        let sort = self.type_name(name)?;
        let layout = self.types.layout(&sort);
        let id = self.variable("", layout, span);
        let sort = match self.scopes.len() {
            1 => {
                let sort = self.static_value(id, &sort, value, span)?;
                self.program.globals.push(id);
                sort
            }
            _ => {
                self.emit(StatementKind::Declare(id), span);
                self.automatic_value(id, &sort, value, span)?
            }
        };
        self.size_of(&sort, span)?;
        let layout = self.types.layout(&sort);
        let variable = &mut self.program.variables[id.0 as usize];
        variable.sort = layout;
        if variable.initial == Initial::Any && self.scopes.len() == 1 {
            variable.initial = Initial::Known(Vec::new());
        }
        Ok(Operand::Place(Location {
            at: variable_place(id, span),
            sort,
            bits: None,
        }))
    }

    /// `({ … })`: the value of the last statement.
    fn block_value(&mut self, block: &crate::c::syntax::Block, span: Span) -> Lowered<Operand> {
        if self.scopes.len() == 1 {
            return self.error(span, "a block cannot stand here", "put it into a function");
        }
        self.scopes.push(super::Scope::default());
        let from = self.out.len();
        let found = self.block_items(block);
        self.declare_first(from);
        self.scopes.pop();
        found
    }

    fn block_items(&mut self, block: &crate::c::syntax::Block) -> Lowered<Operand> {
        let (last, before) = match block.items.split_last() {
            Some((last, before)) => (last, before),
            None => return Ok(Operand::Nothing),
        };
        for item in before {
            self.item(item)?;
        }
        if let Item::Statement(statement) = last
            && let StmtKind::Expr(value) = &statement.kind
        {
            let operand = self.operand(value)?;
            let operand = self.value_or_record(operand, value.span)?;
            return Ok(match operand {
                Operand::Value(value) => Operand::Value(self.kept(value, statement.span)),
                other => other,
            });
        }
        self.item(last)?;
        Ok(Operand::Nothing)
    }

    fn generic(
        &mut self,
        of: &Expr,
        choices: &[(Option<TypeName>, Expr)],
        span: Span,
    ) -> Lowered<Operand> {
        let (operand, _) = self.apart(|lowerer| lowerer.operand(of));
        let sort = self.sort_of(operand?, span)?.decayed();
        let mut default = None;
        for (name, value) in choices {
            match name {
                None => default = Some(value),
                Some(name) if self.type_name(name)? == sort => return self.operand(value),
                Some(_) => {}
            }
        }
        match default {
            Some(value) => self.operand(value),
            None => {
                let message = format!("`_Generic` has no choice for `{}`", self.name_of(&sort));
                self.error(span, message, "add `default`")
            }
        }
    }
}

/// A constant is negated at once, unless that overflows.
fn negated(of: Expression, span: Span) -> Expression {
    if let ExpressionKind::Constant(value) = of.kind {
        let least = 1u64 << (of.sort.bits() - 1);
        if !of.sort.is_signed() || value != least {
            return constant_of(value.wrapping_neg(), of.sort, span);
        }
    }
    super::operand::unary(Unary::Negate, of, span)
}
