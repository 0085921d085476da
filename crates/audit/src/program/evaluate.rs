//! What expressions are worth, and where places are.

use super::memory::Spot;
use super::{End, Machine, Value};
use proofmark_model::program::{
    Binary, CheckKind, Expression, ExpressionKind, InputReason, Lvalue, LvalueKind, Scalar, Unary,
    VariableId, pointer,
};
use proofmark_source::Span;

/// A place that need not be one.
#[derive(Clone, Copy)]
pub(super) struct Location {
    pub(super) pointer: Value,
    /// What is checked when it is accessed.
    kind: CheckKind,
    place: Span,
}

impl Location {
    pub(super) fn of_pointer(pointer: Value, place: Span) -> Location {
        let kind = CheckKind::Pointer;
        Location {
            pointer,
            kind,
            place,
        }
    }

    fn move_by(&mut self, bytes: i64) {
        let (object, offset) = pointer::decode(self.pointer.bits);
        self.pointer.bits = pointer::encode(object, offset.wrapping_add(bytes));
    }
}

/// The lowest bits of a number.
fn cut(bits: u64, width: u32) -> u64 {
    match width {
        64.. => bits,
        _ => bits & ((1 << width) - 1),
    }
}

/// A number by its sign, wide enough for everything.
fn wide(bits: u64, sort: Scalar) -> i128 {
    let unused = 64 - sort.bits().min(64);
    match sort.is_signed() {
        true => i128::from(((bits << unused) as i64) >> unused),
        false => i128::from(bits),
    }
}

impl Machine<'_> {
    pub(super) fn evaluate(&mut self, expression: &Expression) -> Result<Value, End> {
        let sort = expression.sort;
        let width = sort.bits();
        match &expression.kind {
            ExpressionKind::Constant(number) => Ok(Value {
                bits: cut(*number, width),
                object: 0,
            }),
            ExpressionKind::Load(lvalue) => {
                let location = self.locate(lvalue)?;
                let mut value = self.load(location, sort.size() as usize)?;
                value.bits = cut(value.bits, width);
                Ok(value)
            }
            ExpressionKind::AddressOf(lvalue) => Ok(self.address(lvalue)?.pointer),
            ExpressionKind::AddressOfFunction(function) => {
                let object = pointer::of_function(function.0);
                let bits = pointer::encode(object, 0);
                Ok(Value { bits, object })
            }
            ExpressionKind::Unary(operator, argument) => {
                let value = self.evaluate(argument)?;
                self.unary(*operator, value, expression)
            }
            ExpressionKind::Binary(operator, left, right) => {
                let (a, b) = (self.evaluate(left)?, self.evaluate(right)?);
                self.binary(*operator, a, b, left.sort, expression)
            }
            ExpressionKind::Cast(argument) => {
                let value = self.evaluate(argument)?;
                let bits = cut(wide(value.bits, argument.sort) as u64, width);
                Ok(Value { bits, ..value })
            }
            ExpressionKind::And(left, right) => match self.truth(left)? {
                true => self.evaluate(right),
                false => Ok(Value::default()),
            },
            ExpressionKind::Or(left, right) => match self.truth(left)? {
                true => Ok(Value { bits: 1, object: 0 }),
                false => self.evaluate(right),
            },
            ExpressionKind::Conditional(condition, yes, no) => match self.truth(condition)? {
                true => self.evaluate(yes),
                false => self.evaluate(no),
            },
            ExpressionKind::Selected(original, variants) => {
                let chosen = variants.iter().find(|one| self.is_chosen(one.mutant));
                self.evaluate(chosen.map_or(original, |one| &one.expression))
            }
        }
    }

    pub(super) fn truth(&mut self, condition: &Expression) -> Result<bool, End> {
        Ok(self.evaluate(condition)?.bits != 0)
    }

    fn unary(&mut self, operator: Unary, value: Value, of: &Expression) -> Result<Value, End> {
        let width = of.sort.bits();
        let bits = match operator {
            Unary::Not => !value.bits,
            Unary::Negate => {
                let negated = -wide(value.bits, of.sort);
                self.overflow(negated, of)?;
                negated as u64
            }
        };
        let bits = cut(bits, width);
        Ok(Value { bits, ..value })
    }

    /// A signed result has to fit its sort.
    fn overflow(&mut self, exact: i128, of: &Expression) -> Result<(), End> {
        let half = 1i128 << (of.sort.bits() - 1);
        if of.sort.is_signed() && !(-half..half).contains(&exact) {
            self.fail(CheckKind::Overflow, of.place)?;
        }
        Ok(())
    }

    fn binary(
        &mut self,
        operator: Binary,
        a: Value,
        b: Value,
        operands: Scalar,
        of: &Expression,
    ) -> Result<Value, End> {
        use Binary as B;
        let (x, y) = (wide(a.bits, operands), wide(b.bits, operands));
        let bits = match operator {
            B::Add | B::Subtract | B::Multiply => {
                let exact = match operator {
                    B::Add => x + y,
                    B::Subtract => x - y,
                    // Two numbers without a sign may have a product of 128 bits; only its lowest count.
                    _ => x.wrapping_mul(y),
                };
                self.overflow(exact, of)?;
                exact as u64
            }
            B::Divide | B::Remainder => self.divide(operator, x, y, of)?,
            B::BitAnd => a.bits & b.bits,
            B::BitOr => a.bits | b.bits,
            B::BitXor => a.bits ^ b.bits,
            B::ShiftLeft if b.bits >= u64::from(of.sort.bits()) => 0,
            B::ShiftLeft => a.bits << b.bits,
            B::ShiftRight => (x >> b.bits.min(64)) as u64,
            B::Equal => u64::from(a.bits == b.bits),
            B::NotEqual => u64::from(a.bits != b.bits),
            B::Less | B::LessOrEqual if operands == Scalar::Pointer => {
                u64::from(self.order_of_pointers(operator, a, b, of.place))
            }
            B::Less => u64::from(x < y),
            B::LessOrEqual => u64::from(x <= y),
            B::PointerAdd => {
                let (object, offset) = pointer::decode(a.bits);
                let bits = pointer::encode(object, offset.wrapping_add(b.bits as i64));
                return Ok(Value { bits, ..a });
            }
            B::PointerDifference => self.pointer_difference(a, b, of.place),
        };
        let is_plain = of.sort == Scalar::BOOLEAN || operator == B::PointerDifference;
        let object = match is_plain {
            true => 0,
            false if a.object != 0 => a.object,
            false => b.object,
        };
        let bits = cut(bits, of.sort.bits());
        Ok(Value { bits, object })
    }

    fn divide(&mut self, operator: Binary, x: i128, y: i128, of: &Expression) -> Result<u64, End> {
        if y == 0 {
            self.fail(CheckKind::Division, of.place)?;
            let size = of.sort.size() as usize;
            return Ok(self.ask_number(size, InputReason::Invalid, of.place));
        }
        // The remainder overflows where its quotient does.
        self.overflow(x / y, of)?;
        let exact = match operator {
            Binary::Divide => x / y,
            _ => x % y,
        };
        Ok(exact as u64)
    }

    fn order_of_pointers(&mut self, operator: Binary, a: Value, b: Value, place: Span) -> bool {
        let ((one, x), (other, y)) = (pointer::decode(a.bits), pointer::decode(b.bits));
        if one != other {
            return self.ask(1, InputReason::Invalid, place)[0] & 1 == 1;
        }
        match operator {
            Binary::Less => x < y,
            _ => x <= y,
        }
    }

    fn pointer_difference(&mut self, a: Value, b: Value, place: Span) -> u64 {
        let ((one, x), (other, y)) = (pointer::decode(a.bits), pointer::decode(b.bits));
        if one != other {
            return self.ask_number(8, InputReason::Invalid, place);
        }
        // The difference of two offsets has their width.
        pointer::decode(x.wrapping_sub(y) as u64).1 as u64
    }

    /// The object of a variable.
    pub(super) fn object_of(&mut self, variable: VariableId) -> Result<u32, End> {
        let frame = self.frames.last();
        let local = frame.and_then(|frame| frame.locals.get(&variable));
        match local.or_else(|| self.globals.get(&variable)) {
            Some(object) => Ok(*object),
            // One that is never declared is there all the same.
            None => {
                let size = self.program.variable(variable).sort.size();
                self.make_local(variable, vec![0; size as usize])
            }
        }
    }

    /// Finds a place that is accessed.
    pub(super) fn locate(&mut self, lvalue: &Lvalue) -> Result<Location, End> {
        self.place_of(lvalue, Machine::check_index)
    }

    /// Finds a place of which only the address matters.
    fn address(&mut self, lvalue: &Lvalue) -> Result<Location, End> {
        self.place_of(lvalue, |_, _, _, _| Ok(()))
    }

    fn check_index(&mut self, index: i128, count: Option<u64>, place: Span) -> Result<(), End> {
        let is_within = |count: u64| (0..i128::from(count)).contains(&index);
        match count {
            Some(count) if !is_within(count) => self.fail(CheckKind::Bounds, place),
            _ => Ok(()),
        }
    }

    fn place_of(
        &mut self,
        lvalue: &Lvalue,
        check: fn(&mut Self, i128, Option<u64>, Span) -> Result<(), End>,
    ) -> Result<Location, End> {
        match &lvalue.kind {
            LvalueKind::Variable(variable) => {
                let object = self.object_of(*variable)?;
                let bits = pointer::encode(object, 0);
                Ok(Location {
                    pointer: Value { bits, object },
                    kind: CheckKind::Bounds,
                    place: lvalue.place,
                })
            }
            LvalueKind::Dereference(pointer) => {
                let pointer = self.evaluate(pointer)?;
                Ok(Location::of_pointer(pointer, lvalue.place))
            }
            LvalueKind::Offset(inside, bytes) => {
                let mut location = self.place_of(inside, check)?;
                location.move_by(*bytes as i64);
                Ok(location)
            }
            LvalueKind::Index {
                array,
                index,
                size,
                count,
            } => {
                let mut location = self.place_of(array, check)?;
                let value = self.evaluate(index)?;
                let index = wide(value.bits, index.sort);
                check(self, index, *count, lvalue.place)?;
                location.move_by((index as i64).wrapping_mul(*size as i64));
                Ok(location)
            }
            LvalueKind::Selected(original, variants) => {
                let chosen = variants.iter().find(|one| self.is_chosen(one.0));
                self.place_of(chosen.map_or(original, |one| &one.1), check)
            }
        }
    }

    /// The bytes of a place, if it is one; the run may be over if it is not.
    pub(super) fn access(&mut self, location: Location, size: u64) -> Result<Option<Spot>, End> {
        let found = self.memory.find(location.pointer, size);
        if found.is_none() {
            self.fail(location.kind, location.place)?;
        }
        Ok(found)
    }

    fn load(&mut self, location: Location, size: usize) -> Result<Value, End> {
        match self.access(location, size as u64)? {
            Some(spot) => Ok(self.memory.read(spot, size)),
            None => {
                let bits = self.ask_number(size, InputReason::Invalid, location.place);
                Ok(Value { bits, object: 0 })
            }
        }
    }

    pub(super) fn store(&mut self, to: Location, value: Value, size: usize) -> Result<(), End> {
        if let Some(spot) = self.access(to, size as u64)? {
            self.memory.write(spot, value, size);
        }
        Ok(())
    }
}
