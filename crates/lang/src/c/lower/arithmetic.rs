//! Operators on integers and pointers, and assignments that compute.

use super::operand::{Location, Operand, Value, binary, cast};
use super::{Lowered, Lowerer, constant_of, load, variable_place};
use crate::c::syntax::{BinaryOperator, Direction, Expr, StepValue};
use crate::c::types::{CType, INT, LONG};
use proofmark_model::program::{
    Binary, Expression, ExpressionKind, LvalueKind, Scalar, Statement, StatementKind, Unary,
};
use proofmark_source::Span;

impl Lowerer<'_> {
    pub(super) fn binary(
        &mut self,
        operator: BinaryOperator,
        one: &Expr,
        other: &Expr,
        span: Span,
    ) -> Lowered<Value> {
        if matches!(operator, BinaryOperator::And | BinaryOperator::Or) {
            return self.logical(operator, one, other, span);
        }
        let left = self.rvalue(one)?;
        let right = self.rvalue(other)?;
        self.operate(operator, left, right, span)
    }

    /// An operator on two values.
    fn operate(
        &mut self,
        operator: BinaryOperator,
        left: Value,
        right: Value,
        span: Span,
    ) -> Lowered<Value> {
        use BinaryOperator as O;
        self.scalar_of(&left.sort, span)?;
        self.scalar_of(&right.sort, span)?;
        let pointers = [&left, &right].map(|one| matches!(one.sort, CType::Pointer(_)));
        match operator {
            O::Equal | O::NotEqual | O::Less | O::Greater | O::LessOrEqual | O::GreaterOrEqual => {
                self.comparison(operator, left, right, span)
            }
            O::Add if pointers != [false, false] => self.sum(left, right, span),
            O::Subtract if pointers == [true, true] => self.difference(left, right, span),
            O::Subtract if pointers == [true, false] => {
                let amount = self.scaled(&left.sort, right, span)?;
                let amount = super::operand::unary(Unary::Negate, amount, span);
                Ok(moved(left, amount, span))
            }
            _ if pointers != [false, false] => {
                let message = format!("`{}` takes no pointers", operator.text());
                self.error(span, message, "take integers")
            }
            O::ShiftLeft | O::ShiftRight => self.shift(operator, left, right, span),
            _ => self.arithmetic(operator, left, right, span),
        }
    }

    fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: Value,
        right: Value,
        span: Span,
    ) -> Lowered<Value> {
        let (left, right, sort) = self.in_common(left, right, span)?;
        let operator = match operator {
            BinaryOperator::Add => Binary::Add,
            BinaryOperator::Subtract => Binary::Subtract,
            BinaryOperator::Multiply => Binary::Multiply,
            BinaryOperator::Divide => Binary::Divide,
            BinaryOperator::Remainder => Binary::Remainder,
            BinaryOperator::BitAnd => Binary::BitAnd,
            BinaryOperator::BitXor => Binary::BitXor,
            _ => Binary::BitOr,
        };
        let scalar = left.sort;
        let expression = binary(operator, left, right, scalar, span);
        Ok(Value { expression, sort })
    }

    /// Both in the type in which they are computed with.
    fn in_common(
        &mut self,
        left: Value,
        right: Value,
        span: Span,
    ) -> Lowered<(Expression, Expression, CType)> {
        let Some(common) = self.types.common(&left.sort, &right.sort) else {
            let (one, other) = (self.name_of(&left.sort), self.name_of(&right.sort));
            let message = format!("expected integers, found `{one}` and `{other}`");
            return self.error(span, message, "take values of other types");
        };
        let sort = CType::Integer(common);
        let left = self.converted(left, &sort, span)?.expression;
        let right = self.converted(right, &sort, span)?.expression;
        Ok((left, right, sort))
    }

    fn comparison(
        &mut self,
        operator: BinaryOperator,
        left: Value,
        right: Value,
        span: Span,
    ) -> Lowered<Value> {
        let pointer = [&left, &right]
            .into_iter()
            .find(|one| matches!(one.sort, CType::Pointer(_)));
        let (left, right) = match pointer.map(|one| one.sort.clone()) {
            Some(sort) => {
                let left = self.converted(left, &sort, span)?.expression;
                (left, self.converted(right, &sort, span)?.expression)
            }
            None => {
                let (left, right, _) = self.in_common(left, right, span)?;
                (left, right)
            }
        };
        let (operator, left, right) = match operator {
            BinaryOperator::Equal => (Binary::Equal, left, right),
            BinaryOperator::NotEqual => (Binary::NotEqual, left, right),
            BinaryOperator::Less => (Binary::Less, left, right),
            BinaryOperator::LessOrEqual => (Binary::LessOrEqual, left, right),
            BinaryOperator::Greater => (Binary::Less, right, left),
            _ => (Binary::LessOrEqual, right, left),
        };
        let truth = binary(operator, left, right, Scalar::BOOLEAN, span);
        Ok(self.truth_value(truth))
    }

    fn shift(
        &mut self,
        operator: BinaryOperator,
        left: Value,
        right: Value,
        span: Span,
    ) -> Lowered<Value> {
        let (Some(of), Some(by)) = (
            self.types.promoted(&left.sort),
            self.types.promoted(&right.sort),
        ) else {
            return self.error(span, "a shift takes integers", "take values of other types");
        };
        let sort = CType::Integer(of);
        let left = self.converted(left, &sort, span)?.expression;
        let amount = self.converted(right, &CType::Integer(by), span)?.expression;
        // A negative amount is a great one.
        let amount = cast(amount, Scalar::unsigned(by.rank.bits()));
        let operator = match operator {
            BinaryOperator::ShiftLeft => Binary::ShiftLeft,
            _ => Binary::ShiftRight,
        };
        let scalar = left.sort;
        let expression = binary(operator, left, amount, scalar, span);
        Ok(Value { expression, sort })
    }

    /// The sum of a pointer and an integer.
    pub(super) fn sum(&mut self, left: Value, right: Value, span: Span) -> Lowered<Value> {
        let (pointer, by) = match (&left.sort, &right.sort) {
            (CType::Pointer(_), other) if other.is_integer() => (left, right),
            (other, CType::Pointer(_)) if other.is_integer() => (right, left),
            (one, other) => {
                let (one, other) = (self.name_of(one), self.name_of(other));
                let message =
                    format!("expected a pointer and an integer, found `{one}` and `{other}`");
                return self.error(span, message, "take values of other types");
            }
        };
        let amount = self.scaled(&pointer.sort, by, span)?;
        Ok(moved(pointer, amount, span))
    }

    /// The bytes of a number of elements, as a signed number.
    fn scaled(&mut self, pointer: &CType, by: Value, span: Span) -> Lowered<Expression> {
        let size = self.element_size(pointer, span)?;
        let by = cast(by.expression, Scalar::signed(64));
        if size == 1 {
            return Ok(by);
        }
        // Without a sign nothing overflows: an index that is too great is found where it is used.
        let unsigned = Scalar::unsigned(64);
        let size = constant_of(size, unsigned, span);
        let bytes = binary(Binary::Multiply, cast(by, unsigned), size, unsigned, span);
        Ok(cast(bytes, Scalar::signed(64)))
    }

    fn element_size(&mut self, pointer: &CType, span: Span) -> Lowered<u64> {
        match pointer {
            CType::Pointer(to) => match &**to {
                // GNU C counts them as bytes.
                CType::Void | CType::Function(_) => Ok(1),
                to => self.size_of(to, span),
            },
            _ => Ok(1),
        }
    }

    fn difference(&mut self, left: Value, right: Value, span: Span) -> Lowered<Value> {
        let size = self.element_size(&left.sort, span)?;
        let scalar = Scalar::signed(64);
        let (one, other) = (left.expression, right.expression);
        let bytes = binary(Binary::PointerDifference, one, other, scalar, span);
        let expression = match size {
            0 | 1 => bytes,
            size => {
                let size = constant_of(size, scalar, span);
                binary(Binary::Divide, bytes, size, scalar, span)
            }
        };
        Ok(Value {
            expression,
            sort: LONG,
        })
    }

    /// `&&` and `||`: an expression while nothing happens on the right, a statement otherwise.
    fn logical(
        &mut self,
        operator: BinaryOperator,
        one: &Expr,
        other: &Expr,
        span: Span,
    ) -> Lowered<Value> {
        let left = self.condition(one)?;
        let (right, mut made) = self.apart(|lowerer| lowerer.condition(other));
        let right = right?;
        let is_and = operator == BinaryOperator::And;
        if made.is_empty() {
            let (left, right) = (Box::new(left), Box::new(right));
            let kind = match is_and {
                true => ExpressionKind::And(left, right),
                false => ExpressionKind::Or(left, right),
            };
            let expression = Expression {
                kind,
                sort: Scalar::BOOLEAN,
                place: span,
            };
            return Ok(self.truth_value(expression));
        }
        let id = self.temporary(&CType::Bool, span);
        let to = variable_place(id, span);
        let value = load(to.clone(), Scalar::BOOLEAN);
        self.emit(StatementKind::Assign(to.clone(), left), span);
        let kind = StatementKind::Assign(to, right);
        made.push(Statement { kind, place: span });
        let kind = match is_and {
            true => StatementKind::If(value.clone(), made, Vec::new()),
            false => StatementKind::If(value.clone(), Vec::new(), made),
        };
        self.emit(kind, span);
        Ok(self.truth_value(value))
    }

    /// An assignment; returns where it went, to be read again.
    pub(super) fn assignment(
        &mut self,
        operator: Option<BinaryOperator>,
        to: &Expr,
        value: &Expr,
        span: Span,
    ) -> Lowered<Location> {
        let operand = self.operand(to)?;
        let place = self.assignable(operand, to.span)?;
        let value_operand = self.operand(value)?;
        let Some(operator) = operator else {
            self.assign_operand(&place, value_operand, span)?;
            return Ok(place);
        };
        let old = self.value(Operand::Place(place.clone()), to.span)?;
        let value = self.value(value_operand, value.span)?;
        let new = self.operate(operator, old, value, span)?;
        let new = self.converted(new, &place.sort, span)?;
        self.store(&place, new.expression, span);
        Ok(place)
    }

    fn assignable(&mut self, operand: Operand, span: Span) -> Lowered<Location> {
        match operand {
            Operand::Place(place)
                if !matches!(place.sort, CType::Array(..) | CType::Function(_)) =>
            {
                if place.sort == CType::Void {
                    let message = "nothing can be stored where a `void *` leads";
                    return self.error(span, message, "cast the pointer first");
                }
                Ok(place)
            }
            _ => {
                let message = "nothing can be assigned to this";
                self.error(
                    span,
                    message,
                    "name a variable, a field, an element or where a pointer leads",
                )
            }
        }
    }

    /// Stores what an operand is.
    pub(super) fn assign_operand(
        &mut self,
        to: &Location,
        operand: Operand,
        span: Span,
    ) -> Lowered<()> {
        if let CType::Record(_) = to.sort {
            return self.copy_record(to, operand, span);
        }
        let value = self.value(operand, span)?;
        let value = self.assigned(value, &to.sort, span)?;
        self.store(to, value.expression, span);
        Ok(())
    }

    fn copy_record(&mut self, to: &Location, operand: Operand, span: Span) -> Lowered<()> {
        let Operand::Place(from) = operand else {
            let message = format!("expected a value of type `{}`", self.name_of(&to.sort));
            return self.error(span, message, "take one of that type");
        };
        if self.name_of(&from.sort) != self.name_of(&to.sort) {
            let (one, other) = (self.name_of(&to.sort), self.name_of(&from.sort));
            let message = format!("expected a value of type `{one}`, found one of type `{other}`");
            return self.error(span, message, "take one of that type");
        }
        let size = self.size_of(&to.sort, span)?;
        let size = constant_of(size, Scalar::unsigned(64), span);
        let to = super::operand::address(to.at.clone(), span);
        let from = super::operand::address(from.at, span);
        self.emit(StatementKind::CopyBytes { to, from, size }, span);
        Ok(())
    }

    /// The value of an assignment: what is stored now. What may be elsewhere by then is read at once.
    pub(super) fn after_assignment(&mut self, to: Location, span: Span) -> Lowered<Operand> {
        if let CType::Record(_) = to.sort {
            return Ok(Operand::Place(to));
        }
        let is_simple = matches!(to.at.kind, LvalueKind::Variable(_)) && to.bits.is_none();
        let stored = match self.out.last() {
            Some(Statement {
                kind: StatementKind::Assign(_, stored),
                ..
            }) if !is_simple && to.bits.is_none() => Some(stored.clone()),
            _ => None,
        };
        let Some(stored) = stored else {
            let value = self.value(Operand::Place(to), span)?;
            return Ok(Operand::Value(value));
        };
        // The value is kept before it is stored, so that the place is not read.
        let Some(assign) = self.out.pop() else {
            return Ok(Operand::Nothing);
        };
        let value = Value {
            expression: stored,
            sort: to.sort.clone(),
        };
        let value = self.kept(value, span);
        let kind = StatementKind::Assign(to.at, value.expression.clone());
        self.out.push(Statement { kind, ..assign });
        Ok(Operand::Value(value))
    }

    /// `++` and `--`; returns where the value is.
    pub(super) fn step(&mut self, up: Direction, of: &Expr, span: Span) -> Lowered<Location> {
        let operand = self.operand(of)?;
        let place = self.assignable(operand, of.span)?;
        self.step_place(up, &place, span)?;
        Ok(place)
    }

    fn step_place(&mut self, up: Direction, place: &Location, span: Span) -> Lowered<()> {
        let old = self.value(Operand::Place(place.clone()), span)?;
        let one = Value {
            expression: constant_of(1, Scalar::signed(32), span),
            sort: INT,
        };
        let operator = match up {
            Direction::Up => BinaryOperator::Add,
            Direction::Down => BinaryOperator::Subtract,
        };
        let new = self.operate(operator, old, one, span)?;
        let new = self.converted(new, &place.sort, span)?;
        self.store(place, new.expression, span);
        Ok(())
    }

    pub(super) fn step_value(
        &mut self,
        up: Direction,
        when: StepValue,
        of: &Expr,
        span: Span,
    ) -> Lowered<Operand> {
        if when == StepValue::After {
            let place = self.step(up, of, span)?;
            return self.after_assignment(place, span);
        }
        let operand = self.operand(of)?;
        let place = self.assignable(operand, of.span)?;
        let old = self.value(Operand::Place(place.clone()), span)?;
        let old = self.kept(old, span);
        self.step_place(up, &place, span)?;
        Ok(Operand::Value(old))
    }
}

/// A pointer moved by some bytes.
fn moved(pointer: Value, by: Expression, span: Span) -> Value {
    Value {
        expression: binary(
            Binary::PointerAdd,
            pointer.expression,
            by,
            Scalar::Pointer,
            span,
        ),
        sort: pointer.sort,
    }
}
