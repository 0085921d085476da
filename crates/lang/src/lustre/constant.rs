//! The values of constant expressions, exactly.
//!
//! The model's evaluator works on terms; the checker needs values earlier, to see that a factor, a
//! divisor or an index is constant, and to say so at its place.

use super::syntax::{Binary, Unary};
use proofmark_model::{Rational, Value};

/// A number beyond this many bits is refused: products of products grow without end.
const WIDEST: u64 = 1 << 19;

/// Why a constant expression has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoValue {
    /// It is not constant, or ill-typed, which has been said elsewhere.
    NotConstant,
    TooLarge,
}

fn limited(value: Value) -> Result<Value, NoValue> {
    match value.as_number() {
        Some(number) if number.heap_bits() > WIDEST => Err(NoValue::TooLarge),
        _ => Ok(value),
    }
}

pub(super) fn unary(operator: Unary, operand: &Value) -> Result<Value, NoValue> {
    Ok(match (operator, operand) {
        (Unary::Not, Value::Bool(value)) => Value::Bool(!value),
        (Unary::Negate, Value::Int(number)) => Value::Int(-number),
        (Unary::Negate, Value::Real(number)) => Value::Real(-number),
        (Unary::ToReal, Value::Int(number)) => Value::Real(number.clone()),
        (Unary::Floor, Value::Real(number)) => Value::Int(number.floor()),
        _ => return Err(NoValue::NotConstant),
    })
}

pub(super) fn binary(operator: Binary, left: &Value, right: &Value) -> Result<Value, NoValue> {
    match (operator, left, right) {
        (Binary::Equal, _, _) => Ok(Value::Bool(left == right)),
        (Binary::Different, _, _) => Ok(Value::Bool(left != right)),
        (_, Value::Bool(a), Value::Bool(b)) => booleans(operator, *a, *b).map(Value::Bool),
        (_, Value::Int(a), Value::Int(b)) => match operator {
            Binary::IntDivide if !b.is_zero() => Ok(Value::Int(a.div_euclid(b))),
            Binary::Modulo if !b.is_zero() => Ok(Value::Int(a.rem_euclid(b))),
            _ => numbers(operator, a, b, Value::Int),
        },
        (_, Value::Real(a), Value::Real(b)) => match operator {
            Binary::Divide if !b.is_zero() => limited(Value::Real(a / b)),
            _ => numbers(operator, a, b, Value::Real),
        },
        _ => Err(NoValue::NotConstant),
    }
}

fn booleans(operator: Binary, a: bool, b: bool) -> Result<bool, NoValue> {
    match operator {
        Binary::And => Ok(a && b),
        Binary::Or => Ok(a || b),
        Binary::Xor => Ok(a != b),
        Binary::Implies => Ok(!a || b),
        _ => Err(NoValue::NotConstant),
    }
}

fn numbers(
    operator: Binary,
    a: &Rational,
    b: &Rational,
    wrap: impl Fn(Rational) -> Value,
) -> Result<Value, NoValue> {
    match operator {
        Binary::Plus => limited(wrap(a + b)),
        Binary::Minus => limited(wrap(a - b)),
        Binary::Times => limited(wrap(a * b)),
        Binary::Less => Ok(Value::Bool(a < b)),
        Binary::LessEqual => Ok(Value::Bool(a <= b)),
        Binary::Greater => Ok(Value::Bool(a > b)),
        Binary::GreaterEqual => Ok(Value::Bool(a >= b)),
        _ => Err(NoValue::NotConstant),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(number: i64) -> Value {
        Value::Int(number.into())
    }

    #[test]
    fn division_is_euclidean_and_by_zero_has_no_value() {
        let value = |op, a, b| binary(op, &int(a), &int(b));
        assert_eq!(value(Binary::IntDivide, -7, 2), Ok(int(-4)));
        assert_eq!(value(Binary::Modulo, -7, 2), Ok(int(1)));
        assert_eq!(value(Binary::IntDivide, 7, -2), Ok(int(-3)));
        assert_eq!(value(Binary::Modulo, 7, 0), Err(NoValue::NotConstant));
    }

    #[test]
    fn squares_of_squares_end_in_a_refusal() {
        let mut value = int(10);
        let mut steps = 0;
        let refusal = loop {
            match binary(Binary::Times, &value, &value) {
                Ok(square) => value = square,
                Err(refusal) => break refusal,
            }
            steps += 1;
        };
        assert_eq!(refusal, NoValue::TooLarge);
        assert!((10..30).contains(&steps), "{steps}");
    }
}
