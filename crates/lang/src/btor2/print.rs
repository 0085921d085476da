//! Expressions as people read them: prefix, with the names of the operators of the format.

use proofmark_model::{Expr, Operator};
use std::fmt::Write;

/// An expression. A part that occurs twice is written twice, so that deep ones are cut.
pub(crate) fn expression(tree: &Expr) -> String {
    let mut text = String::new();
    // What is still to be written: nodes with their depth, and what stands between them.
    let mut stack = vec![Piece::Node(tree, 0)];
    while let Some(piece) = stack.pop() {
        match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Node(_, depth) if depth > DEEPEST => text.push_str("..."),
            Piece::Node(node, depth) => match node.args() {
                [] => {
                    let _ = write!(text, "{}", node.operator().name());
                }
                args => {
                    let _ = write!(text, "({}", name(node.operator()));
                    stack.push(Piece::Text(")"));
                    for arg in args.iter().rev() {
                        stack.push(Piece::Node(arg, depth + 1));
                        stack.push(Piece::Text(" "));
                    }
                }
            },
        }
    }
    text
}

/// The depth at which an expression is cut.
const DEEPEST: usize = 8;

enum Piece<'a> {
    Text(&'static str),
    Node(&'a Expr, usize),
}

fn name(operator: &Operator) -> String {
    let name = match operator {
        Operator::Not | Operator::BitNot => "not",
        Operator::And | Operator::BitAnd => "and",
        Operator::Or | Operator::BitOr => "or",
        Operator::Xor | Operator::BitXor => "xor",
        Operator::Implies => "implies",
        Operator::Equal => "eq",
        Operator::Different => "neq",
        Operator::Less => "ult",
        Operator::LessEqual => "ulte",
        Operator::Greater => "ugt",
        Operator::GreaterEqual => "ugte",
        Operator::SignedLess => "slt",
        Operator::SignedLessEqual => "slte",
        Operator::SignedGreater => "sgt",
        Operator::SignedGreaterEqual => "sgte",
        Operator::Plus => "add",
        Operator::Minus => "sub",
        Operator::Negate => "neg",
        Operator::Times => "mul",
        Operator::IntDivide => "udiv",
        Operator::Modulo => "urem",
        Operator::SignedDivide => "sdiv",
        Operator::SignedRemainder => "srem",
        Operator::SignedModulo => "smod",
        Operator::IfThenElse => "ite",
        Operator::ShiftLeft => "sll",
        Operator::ShiftRight => "srl",
        Operator::ArithmeticShiftRight => "sra",
        Operator::Concat => "concat",
        Operator::Arrow => "init-next",
        Operator::Pre => "previous",
        Operator::Extract { high, low } => return format!("slice[{high}:{low}]"),
        Operator::ZeroExtend(more) => return format!("uext[{more}]"),
        Operator::SignExtend(more) => return format!("sext[{more}]"),
        other => return other.name(),
    };
    name.to_string()
}
