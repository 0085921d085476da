//! Expressions as the author would write them. What stands under `pre` is a value before a step, so that
//! in a tree which has such, plain variables are values behind it.

use proofmark_model::{BitVec, Expr, Operator, Value};

/// The depth at which an expression is cut.
const DEEPEST: usize = 40;

enum Piece<'a> {
    Text(String),
    Node(&'a Expr, usize, bool),
}

/// An expression as text.
pub(super) fn expression(tree: &Expr) -> String {
    let step = tree.is_temporal();
    let mut text = String::new();
    let mut stack = vec![Piece::Node(tree, 0, false)];
    while let Some(piece) = stack.pop() {
        match piece {
            Piece::Text(piece) => text.push_str(&piece),
            Piece::Node(_, DEEPEST, _) => text.push('…'),
            Piece::Node(node, depth, before) => {
                let pieces = pieces(node, depth, before, step);
                stack.extend(pieces.into_iter().rev());
            }
        }
    }
    text
}

fn pieces(node: &Expr, depth: usize, before: bool, step: bool) -> Vec<Piece<'_>> {
    let text = |text: &str| Piece::Text(text.to_string());
    let part = |node| Piece::Node(node, depth + 1, before);
    match (node.operator(), node.args()) {
        (Operator::Constant(value), _) => vec![Piece::Text(constant(value))],
        (Operator::Named(name), _) => vec![text(name.as_str())],
        (Operator::Variable(name), _) if step && !before => {
            vec![Piece::Text(format!("next({name})"))]
        }
        (Operator::Variable(name), _) => vec![text(name.as_str())],
        (Operator::Pre, [inner]) => vec![Piece::Node(inner, depth, true)],
        (Operator::Arrow, [_, later]) => vec![part(later)],
        (Operator::IfThenElse, [c, a, b]) => {
            vec![
                text("("),
                part(c),
                text(" ? "),
                part(a),
                text(" : "),
                part(b),
                text(")"),
            ]
        }
        (Operator::Not | Operator::BitNot, [a]) => vec![text("!"), part(a)],
        (Operator::Negate, [a]) => vec![text("-"), part(a)],
        (Operator::Extract { high, low }, [a]) => {
            vec![part(a), Piece::Text(format!("[{high}:{low}]"))]
        }
        (Operator::ZeroExtend(more), [a]) => {
            vec![text("extend("), part(a), Piece::Text(format!(", {more})"))]
        }
        (Operator::SignExtend(more), [a]) => {
            vec![
                text("extend(signed("),
                part(a),
                Piece::Text(format!("), {more})")),
            ]
        }
        (operator, [a, b]) => {
            let name = Piece::Text(format!(" {} ", infix(operator)));
            vec![text("("), part(a), name, part(b), text(")")]
        }
        (operator, args) => {
            let mut pieces = vec![Piece::Text(format!("{}(", operator.name()))];
            for (position, arg) in args.iter().enumerate() {
                if position > 0 {
                    pieces.push(text(", "));
                }
                pieces.push(part(arg));
            }
            pieces.push(text(")"));
            pieces
        }
    }
}

fn infix(operator: &Operator) -> String {
    let name = match operator {
        Operator::And | Operator::BitAnd => "&",
        Operator::Or | Operator::BitOr => "|",
        Operator::Xor | Operator::BitXor => "xor",
        Operator::Implies => "->",
        Operator::Different => "!=",
        Operator::SignedLess => "<",
        Operator::SignedLessEqual => "<=",
        Operator::SignedGreater => ">",
        Operator::SignedGreaterEqual => ">=",
        Operator::IntDivide | Operator::SignedDivide => "/",
        Operator::SignedRemainder => "mod",
        Operator::ShiftLeft => "<<",
        Operator::ShiftRight | Operator::ArithmeticShiftRight => ">>",
        Operator::Concat => "::",
        other => return other.name(),
    };
    name.to_string()
}

fn constant(value: &Value) -> String {
    match value {
        Value::Bool(true) => "TRUE".to_string(),
        Value::Bool(false) => "FALSE".to_string(),
        Value::BitVec(bits) => word(bits),
        other => other.to_string(),
    }
}

fn word(bits: &BitVec) -> String {
    format!("0ud{}_{}", bits.width(), bits.unsigned())
}
