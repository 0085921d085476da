//! Properties as assertions that can be pasted into a design.
//!
//! A value of the model is the unsigned number that an expression has here. Verilog computes with the widest
//! operand around, so that an expression may be *wide*: the number is right, and there are more bits than the
//! model has. What would use these bits is cut back by a mask, or, where their number matters, not written.

use proofmark_model::{Expr, NodeId, Operator, Sort, Value};
use rustc_hash::FxHashMap;

/// Longer assertions help nobody.
const LONGEST: usize = 600;

/// A written expression.
#[derive(Clone)]
struct Written {
    text: String,
    is_wide: bool,
}

/// An assertion, if Verilog can say it briefly. All clocks of a design are one: a step is one of the global
/// clock.
pub(super) fn assertion(tree: &Expr) -> Option<String> {
    let text = write(tree)?;
    let event = match text.contains("$past") {
        true => "always @($global_clock)",
        false => "always @*",
    };
    Some(format!("{event} assert ({text});"))
}

fn write(tree: &Expr) -> Option<String> {
    let mut written: FxHashMap<NodeId, Written> = FxHashMap::default();
    let mut stack = vec![tree];
    while let Some(&node) = stack.last() {
        if written.contains_key(&node.id()) {
            stack.pop();
            continue;
        }
        let open = node.args().iter();
        let open: Vec<&Expr> = open
            .filter(|one| !written.contains_key(&one.id()))
            .collect();
        if !open.is_empty() {
            stack.extend(open);
            continue;
        }
        let args: Vec<&Written> = node.args().iter().map(|one| &written[&one.id()]).collect();
        let text = apply(node, &args)?;
        if text.text.len() > LONGEST {
            return None;
        }
        written.insert(node.id(), text);
    }
    written.remove(&tree.id()).map(|one| one.text)
}

fn width(node: &Expr) -> Option<u32> {
    match node.sort() {
        Sort::Bool => Some(1),
        Sort::BitVec(width) => Some(width),
        _ => None,
    }
}

fn exact(text: String) -> Option<Written> {
    let is_wide = false;
    Some(Written { text, is_wide })
}

fn apply(node: &Expr, args: &[&Written]) -> Option<Written> {
    let width = width(node)?;
    let text = |at: usize| args[at].text.as_str();
    let is_wide = args.iter().any(|one| one.is_wide);
    // Both are numbers, whatever their bits.
    let relation = |sign: &str| exact(format!("({} {sign} {})", text(0), text(1)));
    let bitwise = |sign: &str| {
        let text = format!("({} {sign} {})", text(0), text(1));
        Some(Written { text, is_wide })
    };
    match node.operator() {
        Operator::Constant(Value::Bool(value)) => exact(format!("1'b{}", u8::from(*value))),
        Operator::Constant(Value::BitVec(value)) => {
            exact(format!("{width}'h{:x}", value.unsigned()))
        }
        Operator::Variable(name) => exact(plain(name.as_str())?.to_string()),
        Operator::Named(_) => Some(args.first().copied()?.clone()),
        Operator::Pre => match node.args()[0].operator() {
            Operator::Variable(_) => exact(format!("$past({})", text(0))),
            _ => None,
        },
        Operator::Arrow => {
            let text = format!("($initstate ? {} : {})", text(0), text(1));
            Some(Written { text, is_wide })
        }
        Operator::Not => exact(format!("!{}", text(0))),
        Operator::And => relation("&&"),
        Operator::Or => relation("||"),
        Operator::Xor => relation("!="),
        Operator::Implies => exact(format!("(!{} || {})", text(0), text(1))),
        Operator::Equal if args.len() == 2 => relation("=="),
        Operator::Different if args.len() == 2 => relation("!="),
        Operator::Less => relation("<"),
        Operator::LessEqual => relation("<="),
        Operator::Greater => relation(">"),
        Operator::GreaterEqual => relation(">="),
        Operator::IfThenElse => {
            let text = format!("({} ? {} : {})", text(0), text(1), text(2));
            Some(Written { text, is_wide })
        }
        Operator::BitAnd => bitwise("&"),
        Operator::BitOr => bitwise("|"),
        Operator::BitXor => bitwise("^"),
        // What these give depends on the bits around them: they say how many they have.
        Operator::Plus => wrapping(width, format!("({} + {})", text(0), text(1))),
        Operator::Minus => wrapping(width, format!("({} - {})", text(0), text(1))),
        Operator::BitNot => wrapping(width, format!("(~{})", text(0))),
        Operator::ZeroExtend(_) if is_wide => Some(args[0].clone()),
        Operator::ZeroExtend(more) => exact(format!("{{{more}'b0, {}}}", text(0))),
        Operator::Concat if !is_wide => exact(format!("{{{}, {}}}", text(0), text(1))),
        Operator::Extract { low, .. } => {
            let shifted = match low {
                0 => text(0).to_string(),
                low => format!("({} >> {low})", text(0)),
            };
            Some(Written {
                text: format!("({shifted} & {})", mask(width)),
                is_wide: true,
            })
        }
        _ => None,
    }
}

/// A result that is cut back to its bits; what stands around it may be wider.
fn wrapping(width: u32, text: String) -> Option<Written> {
    Some(Written {
        text: format!("({text} & {})", mask(width)),
        is_wide: true,
    })
}

/// As many ones.
fn mask(width: u32) -> String {
    format!("{{{width}{{1'b1}}}}")
}

/// A name that stands as it is in the text of a design.
fn plain(name: &str) -> Option<&str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (begins && name.chars().all(fits)).then_some(name)
}
