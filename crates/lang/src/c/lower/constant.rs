//! What is known before a run: the values of constant expressions, and the addresses of globals.

use super::operand::extended;
use super::{Lowered, Lowerer};
use crate::c::syntax::Expr;
use proofmark_model::program::{
    Binary, Expression, ExpressionKind, FunctionId, Lvalue, LvalueKind, Scalar, Unary, VariableId,
};

/// A value that is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Constant {
    /// Its lowest bits; the rest is as the sort extends it.
    Number(u64),
    /// A variable's address, moved.
    Address(VariableId, i64),
    Function(FunctionId),
}

/// The value of an expression, if it is known. A number is extended to 64 bits by its sort.
pub(super) fn known(expression: &Expression) -> Option<Constant> {
    let sort = expression.sort;
    Some(match &expression.kind {
        ExpressionKind::Constant(value) => Constant::Number(extended(*value, sort)),
        ExpressionKind::AddressOfFunction(id) => Constant::Function(*id),
        ExpressionKind::AddressOf(of) => {
            let (id, offset) = place(of)?;
            Constant::Address(id, offset)
        }
        ExpressionKind::Cast(of) => match known(of)? {
            Constant::Number(value) => Constant::Number(extended(value, sort)),
            address if sort.bits() == 64 => address,
            _ => return None,
        },
        ExpressionKind::Unary(operator, of) => {
            let value = number(of)?;
            let value = match operator {
                Unary::Negate => value.wrapping_neg(),
                Unary::Not => !value,
            };
            Constant::Number(extended(value, sort))
        }
        ExpressionKind::Binary(operator, one, other) => binary(*operator, one, other, sort)?,
        ExpressionKind::And(one, other) => match number(one)? {
            0 => Constant::Number(0),
            _ => known(other)?,
        },
        ExpressionKind::Or(one, other) => match number(one)? {
            0 => known(other)?,
            _ => Constant::Number(1),
        },
        ExpressionKind::Conditional(condition, then, other) => match number(condition)? {
            0 => known(other)?,
            _ => known(then)?,
        },
        ExpressionKind::Load(_) | ExpressionKind::Selected(..) => return None,
    })
}

/// The number that an expression is, if it is known.
pub(super) fn number(expression: &Expression) -> Option<u64> {
    match known(expression)? {
        Constant::Number(value) => Some(value),
        _ => None,
    }
}

fn place(of: &Lvalue) -> Option<(VariableId, i64)> {
    match &of.kind {
        LvalueKind::Variable(id) => Some((*id, 0)),
        LvalueKind::Dereference(pointer) => match known(pointer)? {
            Constant::Address(id, offset) => Some((id, offset)),
            _ => None,
        },
        LvalueKind::Offset(of, by) => {
            let (id, offset) = place(of)?;
            Some((id, offset.wrapping_add(*by as i64)))
        }
        LvalueKind::Index {
            array, index, size, ..
        } => {
            let (id, offset) = place(array)?;
            let by = number(index)?.wrapping_mul(*size) as i64;
            Some((id, offset.wrapping_add(by)))
        }
        LvalueKind::Selected(..) => None,
    }
}

fn binary(
    operator: Binary,
    one: &Expression,
    other: &Expression,
    sort: Scalar,
) -> Option<Constant> {
    let (left, right) = (known(one)?, known(other)?);
    let (a, b) = match (left, right) {
        (Constant::Number(a), Constant::Number(b)) => (a, b),
        (Constant::Address(id, offset), Constant::Number(by)) if operator == Binary::PointerAdd => {
            return Some(Constant::Address(id, offset.wrapping_add(by as i64)));
        }
        (Constant::Address(one, a), Constant::Address(other, b)) if one == other => {
            (a as u64, b as u64)
        }
        _ => return None,
    };
    let signed = one.sort.is_signed();
    let width = one.sort.bits();
    let (signed_a, signed_b) = (a as i64, b as i64);
    let value = match operator {
        Binary::Add | Binary::PointerAdd => a.wrapping_add(b),
        Binary::Subtract | Binary::PointerDifference => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::Divide | Binary::Remainder if b == 0 => return None,
        Binary::Divide if signed => signed_a.wrapping_div(signed_b) as u64,
        Binary::Divide => a / b,
        Binary::Remainder if signed => signed_a.wrapping_rem(signed_b) as u64,
        Binary::Remainder => a % b,
        Binary::BitAnd => a & b,
        Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        Binary::ShiftLeft if b >= u64::from(width) => 0,
        Binary::ShiftLeft => a << b,
        Binary::ShiftRight if signed => (signed_a >> b.min(63)) as u64,
        Binary::ShiftRight if b >= u64::from(width) => 0,
        Binary::ShiftRight => a >> b,
        Binary::Equal => u64::from(a == b),
        Binary::NotEqual => u64::from(a != b),
        Binary::Less if signed => u64::from(signed_a < signed_b),
        Binary::Less => u64::from(a < b),
        Binary::LessOrEqual if signed => u64::from(signed_a <= signed_b),
        Binary::LessOrEqual => u64::from(a <= b),
    };
    Some(Constant::Number(extended(value, sort)))
}

impl Lowerer<'_> {
    /// The number of a constant expression.
    pub(super) fn constant(&mut self, of: &Expr) -> Lowered<i64> {
        let (found, made) = self.apart(|lowerer| {
            let operand = lowerer.operand(of)?;
            lowerer.value(operand, of.span)
        });
        let found = found?;
        match number(&found.expression).filter(|_| made.is_empty()) {
            Some(value) => Ok(value as i64),
            None => {
                let message = "expected a constant of integers";
                self.error(of.span, message, "its value has to be known before a run")
            }
        }
    }
}
