//! Constants of any type as text.

use super::layout::Shape;
use crate::lustre::syntax::Unary;
use crate::lustre::types::{Type, TypeId, Types};
use proofmark_model::{Rational, Value};

/// Larger constants are not written out.
const MOST_SCALARS: usize = 1000;
/// A fraction with more digits is written as a quotient.
const MOST_DIGITS: usize = 1000;

/// A constant with this value in every scalar; nothing when a scalar has no such value.
pub(super) fn literal(types: &Types, of: TypeId, value: &Value) -> Option<(String, Shape)> {
    if types.size(of) > MOST_SCALARS {
        return None;
    }
    let mut text = String::new();
    write(types, of, value, &mut text)?;
    let shape = match text.starts_with('-') {
        true => Shape::prefix(Unary::Negate.precedence()?, Shape::CLOSED),
        false => Shape::CLOSED,
    };
    Some((text, shape))
}

/// Recursion is as deep as types are, which is bounded.
fn write(types: &Types, of: TypeId, value: &Value, out: &mut String) -> Option<()> {
    match (types.get(of), value) {
        (Type::Bool, Value::Bool(value)) => out.push_str(&value.to_string()),
        (Type::Int | Type::Subrange(..), _) => {
            let number = value.as_number().filter(|number| number.is_integer())?;
            out.push_str(&number.to_string());
        }
        (Type::Real, _) => out.push_str(&real(value.as_number()?)),
        (Type::Enum(sort), Value::Enum(of, at)) if sort == of => {
            out.push_str(of.values()[*at as usize].as_str());
        }
        (Type::Array(element, length), _) => {
            let elements = std::iter::repeat_n(*element, *length as usize);
            list("[", elements, ", ", "]", types, value, out)?;
        }
        (Type::Tuple(parts), _) => {
            list("(", parts.iter().copied(), ", ", ")", types, value, out)?;
        }
        (Type::Record(..), _) => {
            let record = types.record(of)?;
            out.push_str(record.name.as_str());
            for (at, field) in record.fields.iter().enumerate() {
                out.push_str(if at == 0 { " {" } else { "; " });
                out.push_str(field.name.as_str());
                out.push_str(" = ");
                write(types, field.of, value, out)?;
            }
            out.push('}');
        }
        _ => return None,
    }
    Some(())
}

fn list(
    open: &str,
    parts: impl Iterator<Item = TypeId>,
    between: &str,
    close: &str,
    types: &Types,
    value: &Value,
    out: &mut String,
) -> Option<()> {
    out.push_str(open);
    for (at, part) in parts.enumerate() {
        if at > 0 {
            out.push_str(between);
        }
        write(types, part, value, out)?;
    }
    out.push_str(close);
    Some(())
}

/// A fraction is written with a decimal point, if it has finitely many digits.
fn real(value: &Rational) -> String {
    let mut scaled = value.abs();
    let mut digits = 0;
    while !scaled.is_integer() && digits < MOST_DIGITS {
        scaled = &scaled * &Rational::from(10);
        digits += 1;
    }
    let sign = if value.is_negative() { "-" } else { "" };
    if !scaled.is_integer() {
        let (above, below) = (value.abs().numerator(), value.denominator());
        return format!("{sign}({above}.0 / {below}.0)");
    }
    let text = format!("{:0>width$}", scaled.to_string(), width = digits + 1);
    let (whole, fraction) = text.split_at(text.len() - digits);
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::Symbol;

    fn written(types: &Types, of: TypeId, value: Value) -> Option<String> {
        literal(types, of, &value).map(|(text, _)| text)
    }

    #[test]
    fn numbers_are_written_as_the_type_has_them() {
        let types = Types::new();
        let real = |above, below| Value::Real(Rational::new(above, below));
        let five = || Value::Int(5.into());
        assert_eq!(written(&types, TypeId::INT, five()).unwrap(), "5");
        assert_eq!(written(&types, TypeId::REAL, five()).unwrap(), "5.0");
        assert_eq!(
            written(&types, TypeId::REAL, real(-1, 8)).unwrap(),
            "-0.125"
        );
        assert_eq!(
            written(&types, TypeId::REAL, real(1101, 100)).unwrap(),
            "11.01"
        );
        assert_eq!(
            written(&types, TypeId::REAL, real(-1, 3)).unwrap(),
            "-(1.0 / 3.0)"
        );
        assert_eq!(written(&types, TypeId::BOOL, five()), None);
        assert_eq!(written(&types, TypeId::INT, Value::Bool(true)), None);
    }

    #[test]
    fn compound_constants_are_the_same_in_all_scalars() {
        let mut types = Types::new();
        let pair = types.array(TypeId::INT, 2).unwrap();
        let fields = vec![(Symbol::new("a"), TypeId::REAL), (Symbol::new("b"), pair)];
        let record = types.new_record(Symbol::new("r"), fields).unwrap();
        let tuple = types.tuple(vec![TypeId::INT, record]);
        let text = written(&types, tuple, Value::Int((-2).into())).unwrap();
        assert_eq!(text, "(-2, r {a = -2.0; b = [-2, -2]})");
    }
}
