//! Expressions as words, with their checks under the guard of what is evaluated.

use super::arithmetic;
use super::memory::Purpose;
use super::value::{Value, resize};
use super::{Encoder, Stop};
use proofmark_model::graph::{Signal, Word};
use proofmark_model::program::{
    Binary, CheckKind, Expression, ExpressionKind, InputReason, MutantId, Scalar, Unary, pointer,
};
use proofmark_source::Span;

const OFFSET: usize = pointer::OFFSET_BITS as usize;

impl Encoder<'_> {
    /// What an expression is worth now.
    pub(super) fn evaluate(&mut self, expression: &Expression) -> Result<Value, Stop> {
        let sort = expression.sort;
        match &expression.kind {
            ExpressionKind::Constant(number) => Ok(Value::constant(*number, sort.bits())),
            ExpressionKind::Load(lvalue) => {
                let location = self.locate(lvalue, Purpose::Access)?;
                let mut value = self.read(&location, sort.size() as usize);
                value.bits.truncate(sort.bits() as usize);
                Ok(value)
            }
            ExpressionKind::AddressOf(lvalue) => {
                Ok(self.locate(lvalue, Purpose::Address)?.pointer())
            }
            ExpressionKind::AddressOfFunction(function) => {
                let object = pointer::of_function(function.0);
                Ok(Value::address(object))
            }
            ExpressionKind::Unary(operator, argument) => {
                let mut value = self.evaluate(argument)?;
                value.bits = self.unary(*operator, &value.bits, expression);
                Ok(value)
            }
            ExpressionKind::Binary(operator, left, right) => {
                let operands = left.sort;
                let left = self.evaluate(left)?;
                let right = self.evaluate(right)?;
                Ok(self.binary(*operator, &left, &right, operands, expression))
            }
            ExpressionKind::Cast(argument) => {
                let value = self.evaluate(argument)?;
                let signed = argument.sort.is_signed();
                let bits = resize(&value.bits, signed, sort.bits() as usize);
                Ok(Value { bits, ..value })
            }
            ExpressionKind::And(left, right) => {
                let left = self.evaluate(left)?.truth();
                let right = self.under(left, |encoder| encoder.evaluate(right))?;
                let right = right.map_or(Signal::FALSE, |value| value.truth());
                Ok(Value::bit(self.graph().and(left, right)))
            }
            ExpressionKind::Or(left, right) => {
                let left = self.evaluate(left)?.truth();
                let right = self.under(!left, |encoder| encoder.evaluate(right))?;
                let right = right.map_or(Signal::FALSE, |value| value.truth());
                Ok(Value::bit(self.graph().or(left, right)))
            }
            ExpressionKind::Conditional(condition, yes, no) => {
                let condition = self.evaluate(condition)?.truth();
                let yes = self.under(condition, |encoder| encoder.evaluate(yes))?;
                let no = self.under(!condition, |encoder| encoder.evaluate(no))?;
                Ok(match (yes, no) {
                    (Some(yes), Some(no)) => Value::choose(self.graph(), condition, &yes, &no),
                    (yes, no) => yes
                        .or(no)
                        .unwrap_or_else(|| Value::constant(0, sort.bits())),
                })
            }
            ExpressionKind::Selected(original, variants) => {
                let variants = variants.iter().map(|one| (one.mutant, &one.expression));
                let (chosen, others) =
                    self.select(&**original, variants, |encoder, one| encoder.evaluate(one))?;
                let fold =
                    |rest, (selector, one)| Value::choose(self.graph(), selector, &one, &rest);
                Ok(others.into_iter().fold(chosen, fold))
            }
        }
    }

    /// Evaluates something where a condition holds; nothing when it never does.
    pub(super) fn under<T>(
        &mut self,
        condition: Signal,
        evaluate: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<Option<T>, Stop> {
        let condition = match self.now().guard.decides(condition) {
            Some(known) => Signal::constant(known),
            None => condition,
        };
        if condition == Signal::FALSE {
            return Ok(None);
        }
        let depth = self.now().guard.len();
        self.push(condition);
        let value = evaluate(self);
        if let Some(state) = &mut self.now {
            state.guard.truncate(depth);
        }
        value.map(Some)
    }

    /// Evaluates the original and those of its variants that may be chosen, each where it is. The first that is
    /// returned is what it is when no selector holds.
    pub(super) fn select<'e, E, T>(
        &mut self,
        original: &'e E,
        variants: impl Iterator<Item = (MutantId, &'e E)>,
        mut evaluate: impl FnMut(&mut Self, &'e E) -> Result<T, Stop>,
    ) -> Result<(T, Vec<(Signal, T)>), Stop> {
        let mut possible = Vec::new();
        for (mutant, variant) in variants {
            match self.selector(mutant) {
                Signal::FALSE => {}
                Signal::TRUE => return Ok((evaluate(self, variant)?, Vec::new())),
                selector => possible.push((selector, variant)),
            }
        }
        let selectors: Word = possible.iter().map(|(selector, _)| *selector).collect();
        let none = !self.graph().or_all(&selectors);
        let depth = self.now().guard.len();
        self.push(none);
        let chosen = evaluate(self, original)?;
        self.now_mut().guard.truncate(depth);
        let mut others = Vec::new();
        for (selector, variant) in possible {
            if let Some(value) = self.under(selector, |encoder| evaluate(encoder, variant))? {
                others.push((selector, value));
            }
        }
        Ok((chosen, others))
    }

    fn unary(&mut self, operator: Unary, bits: &[Signal], expression: &Expression) -> Word {
        match operator {
            Unary::Not => bits.iter().map(|bit| !*bit).collect(),
            Unary::Negate => {
                if expression.sort.is_signed() && self.options.checks.has(CheckKind::Overflow) {
                    let least = arithmetic::is_least(self.graph(), bits);
                    self.check(CheckKind::Overflow, expression.place, least);
                }
                self.graph().negate(bits)
            }
        }
    }

    fn binary(
        &mut self,
        operator: Binary,
        left: &Value,
        right: &Value,
        operands: Scalar,
        expression: &Expression,
    ) -> Value {
        use Binary as B;
        let (a, b) = (&left.bits, &right.bits);
        let place = expression.place;
        let bits = match operator {
            B::Add | B::Subtract | B::Multiply => self.sum(operator, a, b, expression),
            B::Divide | B::Remainder => self.quotient(operator, a, b, expression),
            B::BitAnd => self.graph().bitwise_and(a, b),
            B::BitOr => self.graph().bitwise_or(a, b),
            B::BitXor => self.graph().bitwise_xor(a, b),
            B::ShiftLeft => self.graph().shift_up(a, b, Signal::FALSE),
            B::ShiftRight => {
                let sign = a.last().filter(|_| expression.sort.is_signed());
                let fill = sign.copied().unwrap_or(Signal::FALSE);
                self.graph().shift_down(a, b, fill)
            }
            B::Equal => vec![self.graph().equal(a, b)],
            B::NotEqual => vec![!self.graph().equal(a, b)],
            B::Less | B::LessOrEqual => vec![self.less(operator, a, b, operands, place)],
            B::PointerAdd => {
                let sum = self.graph().add(&a[..OFFSET], &b[..OFFSET], Signal::FALSE);
                let mut bits = sum;
                bits.extend(&a[OFFSET..]);
                return Value {
                    bits,
                    ..left.clone()
                };
            }
            B::PointerDifference => self.pointer_difference(a, b, place),
        };
        let is_truth = expression.sort == Scalar::BOOLEAN;
        if is_truth || operator == B::PointerDifference {
            return Value::number(bits);
        }
        Value {
            bits,
            genuine: self.graph().or(left.genuine, right.genuine),
            targets: left.targets.union(&right.targets),
        }
    }

    fn sum(&mut self, operator: Binary, a: &[Signal], b: &[Signal], of: &Expression) -> Word {
        let asks = of.sort.is_signed() && self.options.checks.has(CheckKind::Overflow);
        let graph = self.graph();
        let (bits, overflows) = match operator {
            Binary::Add => arithmetic::add(graph, a, b),
            Binary::Subtract => arithmetic::subtract(graph, a, b),
            _ => {
                let overflows = match asks {
                    true => arithmetic::multiply_overflows(graph, a, b),
                    false => Signal::FALSE,
                };
                (arithmetic::multiply(graph, a, b), overflows)
            }
        };
        if asks {
            self.check(CheckKind::Overflow, of.place, overflows);
        }
        bits
    }

    fn quotient(&mut self, operator: Binary, a: &[Signal], b: &[Signal], of: &Expression) -> Word {
        let zero = !self.graph().or_all(b);
        self.check(CheckKind::Division, of.place, zero);
        let signed = of.sort.is_signed();
        if signed && self.options.checks.has(CheckKind::Overflow) {
            let overflows = arithmetic::quotient_overflows(self.graph(), a, b);
            self.check(CheckKind::Overflow, of.place, overflows);
        }
        let (quotient, remainder) = arithmetic::divide(self.graph(), a, b, signed);
        let bits = match operator {
            Binary::Divide => quotient,
            _ => remainder,
        };
        if zero == Signal::FALSE || self.options.checks.has(CheckKind::Division) {
            return bits;
        }
        let size = of.sort.size() as usize;
        let any = self.input_under(zero, size, InputReason::Invalid, of.place);
        self.graph().choose(zero, &any[..bits.len()], &bits)
    }

    /// The order of numbers; of pointers within an object it is that of the offsets.
    fn less(
        &mut self,
        operator: Binary,
        a: &[Signal],
        b: &[Signal],
        operands: Scalar,
        place: Span,
    ) -> Signal {
        // `a < b` is the opposite of `b <= a`.
        let order = |encoder: &mut Self, a: &[Signal], b: &[Signal], signed| match operator {
            Binary::Less => !arithmetic::less_or_equal(encoder.graph(), b, a, signed),
            _ => arithmetic::less_or_equal(encoder.graph(), a, b, signed),
        };
        if operands != Scalar::Pointer {
            return order(self, a, b, operands.is_signed());
        }
        let by_offset = order(self, &a[..OFFSET], &b[..OFFSET], true);
        let same = self.graph().equal(&a[OFFSET..], &b[OFFSET..]);
        if same == Signal::TRUE {
            return by_offset;
        }
        let any = self.input_under(!same, 1, InputReason::Invalid, place)[0];
        self.graph().mux(same, by_offset, any)
    }

    fn pointer_difference(&mut self, a: &[Signal], b: &[Signal], place: Span) -> Word {
        let (difference, _) = arithmetic::subtract(self.graph(), &a[..OFFSET], &b[..OFFSET]);
        let difference = resize(&difference, true, 64);
        let same = self.graph().equal(&a[OFFSET..], &b[OFFSET..]);
        if same == Signal::TRUE {
            return difference;
        }
        let any = self.input_under(!same, 8, InputReason::Invalid, place);
        self.graph().choose(same, &difference, &any)
    }
}
