//! Operators on Booleans and bit-vectors as wires of Verilog.
//!
//! Every operand is a wire of its own, so that no context changes the width or the sign of an operation.
//! Division by zero has the values that it has in the model, where Verilog has none.

use crate::btor2::{bits, width};
use proofmark_model::{Expr, Operator, Value};

/// A value as a literal.
pub(super) fn constant(value: &Value) -> String {
    format!("{}'b{}", width(value.sort()), bits(value))
}

/// The declaration of a wire with the value of a node, whose arguments are wires. Signed operations have a
/// wire of their own: in an expression with anything unsigned they would be unsigned.
pub(super) fn operation(node: &Expr, name: &str, args: &[&str]) -> Result<String, String> {
    let size = width(node.sort());
    let high = size - 1;
    let wire = |name: &str, value: String| format!("  wire [{high}:0] {name} = {value};\n");
    let infix = |sign: &str| Ok(wire(name, format!("{} {sign} {}", args[0], args[1])));
    let signed = |sign: &str| {
        Ok(wire(
            name,
            format!("$signed({}) {sign} $signed({})", args[0], args[1]),
        ))
    };
    match node.operator() {
        Operator::Constant(value) => Ok(wire(name, constant(value))),
        Operator::Not | Operator::BitNot => Ok(wire(name, format!("~{}", args[0]))),
        Operator::Negate => Ok(wire(name, format!("-{}", args[0]))),
        Operator::And | Operator::BitAnd => infix("&"),
        Operator::Or | Operator::BitOr => infix("|"),
        Operator::Xor | Operator::BitXor => infix("^"),
        Operator::Implies => Ok(wire(name, format!("~{} | {}", args[0], args[1]))),
        Operator::Equal => Ok(wire(name, compound("==", args))),
        Operator::Different => Ok(wire(name, compound("!=", args))),
        Operator::Less => infix("<"),
        Operator::LessEqual => infix("<="),
        Operator::Greater => infix(">"),
        Operator::GreaterEqual => infix(">="),
        Operator::SignedLess => signed("<"),
        Operator::SignedLessEqual => signed("<="),
        Operator::SignedGreater => signed(">"),
        Operator::SignedGreaterEqual => signed(">="),
        Operator::Plus => infix("+"),
        Operator::Minus => infix("-"),
        Operator::Times => infix("*"),
        Operator::ShiftLeft => infix("<<"),
        Operator::ShiftRight => infix(">>"),
        Operator::ArithmeticShiftRight => {
            Ok(wire(name, format!("$signed({}) >>> {}", args[0], args[1])))
        }
        Operator::IntDivide
        | Operator::Modulo
        | Operator::SignedDivide
        | Operator::SignedRemainder
        | Operator::SignedModulo => Ok(division(node.operator(), size, name, args)),
        Operator::IfThenElse => Ok(wire(
            name,
            format!("{} ? {} : {}", args[0], args[1], args[2]),
        )),
        Operator::Concat => Ok(wire(name, format!("{{{}, {}}}", args[0], args[1]))),
        Operator::Extract { high, low } => Ok(wire(name, format!("{}[{high}:{low}]", args[0]))),
        Operator::ZeroExtend(0) | Operator::SignExtend(0) => Ok(wire(name, args[0].into())),
        Operator::ZeroExtend(more) => Ok(wire(name, format!("{{{more}'b0, {}}}", args[0]))),
        Operator::SignExtend(more) => {
            let sign = width(node.args()[0].sort()) - 1;
            let value = format!("{{{{{more}{{{0}[{sign}]}}}}, {0}}}", args[0]);
            Ok(wire(name, value))
        }
        other => Err(format!("`{}` has no operator of Verilog", other.name())),
    }
}

/// A comparison of two values, or of the words of two arrays.
fn compound(sign: &str, args: &[&str]) -> String {
    let (left, right) = args.split_at(args.len() / 2);
    format!("{{{}}} {sign} {{{}}}", left.join(", "), right.join(", "))
}

/// Quotients and remainders, with a value where the divisor is zero.
fn division(operator: &Operator, size: u32, name: &str, args: &[&str]) -> String {
    let (a, b) = (args[0], args[1]);
    let high = size - 1;
    let sign = match operator {
        Operator::IntDivide | Operator::SignedDivide => "/",
        _ => "%",
    };
    let plain = match operator {
        Operator::IntDivide | Operator::Modulo => format!("{a} {sign} {b}"),
        _ => format!("$signed({a}) {sign} $signed({b})"),
    };
    let by_zero = match operator {
        Operator::IntDivide => format!("{{{size}{{1'b1}}}}"),
        Operator::SignedDivide => format!("({a}[{high}] ? {size}'b1 : {{{size}{{1'b1}}}})"),
        _ => a.to_string(),
    };
    let result = match operator {
        // With the sign of the divisor.
        Operator::SignedModulo => {
            format!("(|{name}_q && {name}_q[{high}] != {b}[{high}] ? {name}_q + {b} : {name}_q)")
        }
        _ => format!("{name}_q"),
    };
    format!(
        "  wire [{high}:0] {name}_q = {plain};\n  wire [{high}:0] {name} = |{b} ? {result} : {by_zero};\n"
    )
}
