//! Which expressions need parentheses where.
//!
//! The parser keeps a stack of operators that wait for an operand; one that comes ends those that
//! bind tighter. A text without parentheses is read as one operand exactly when none of its own
//! operators ends the operator before it, and the operator behind it ends all of its own. The first
//! depends on the loosest operator along its left side, the second on the loosest along its right
//! side: these two are its [`Shape`]. What stands around an expression is its [`Slot`].

use crate::lustre::lexer::{Symbol, Token, Tokens};
use crate::lustre::syntax::{CONDITIONAL, ExpressionId, Kind, Program, ends};
use proofmark_source::Span;

/// The loosest operators that are open to the left and to the right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::lustre) struct Shape {
    pub left: Option<u8>,
    pub right: Option<u8>,
}

impl Shape {
    /// A name, a literal, anything in brackets.
    pub const CLOSED: Shape = Shape {
        left: None,
        right: None,
    };

    pub fn is_closed(self) -> bool {
        self == Shape::CLOSED
    }

    /// An operand after a prefix operator.
    pub fn prefix(operator: u8, operand: Shape) -> Shape {
        Shape {
            left: None,
            right: loosest(operator, operand.right),
        }
    }

    /// Two operands with an operator between.
    pub fn infix(left: Shape, operator: u8, right: Shape) -> Shape {
        Shape {
            left: loosest(operator, left.left),
            right: loosest(operator, right.right),
        }
    }
}

fn loosest(operator: u8, other: Option<u8>) -> Option<u8> {
    Some(other.map_or(operator, |other| other.min(operator)))
}

/// What an expression stands between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::lustre) enum Slot {
    /// The operator that waits for it, and the one that comes after it.
    Between {
        before: Option<u8>,
        after: Option<u8>,
    },
    /// Before `.f` or `[i]`, which bind to the last operand alone.
    Base,
}

impl Slot {
    pub const OPEN: Slot = Slot::between(None, None);
    /// Between `then` and `else`.
    pub const CONDITIONAL: Slot = Slot::between(Some(CONDITIONAL), None);

    pub const fn between(before: Option<u8>, after: Option<u8>) -> Slot {
        Slot::Between { before, after }
    }

    /// Whether a text of this shape is read as one operand here.
    pub fn fits(self, shape: Shape) -> bool {
        let Slot::Between { before, after } = self else {
            return shape.is_closed();
        };
        let stays = match (before, shape.left) {
            (Some(before), Some(own)) => !ends(own, before),
            _ => true,
        };
        let ended = match (after, shape.right) {
            (Some(after), Some(own)) => ends(after, own),
            _ => true,
        };
        stays && ended
    }

    /// Whether nothing waits for the expression.
    pub fn begins(self) -> bool {
        matches!(self, Slot::Between { before: None, .. })
    }
}

/// The surroundings of every expression of a program.
#[derive(Debug)]
pub(super) struct Layout {
    pub parents: Vec<Option<ExpressionId>>,
    shapes: Vec<Shape>,
    slots: Vec<Slot>,
    /// The expression without the parentheses around it.
    bare: Vec<Span>,
}

impl Layout {
    pub fn new(program: &Program, tokens: &Tokens) -> Layout {
        let count = program.expressions.len();
        let mut layout = Layout {
            parents: vec![None; count],
            shapes: vec![Shape::CLOSED; count],
            slots: vec![Slot::OPEN; count],
            bare: program.expressions.iter().map(|one| one.span).collect(),
        };
        for index in 0..count {
            let id = ExpressionId(index as u32);
            let kind = &program.expression(id).kind;
            kind.operands(|operand| layout.parents[operand.index()] = Some(id));
            layout.bare[index] = without_parentheses(program, tokens, id);
            if !layout.is_parenthesized(program, id) {
                layout.shapes[index] = layout.shape_of(kind);
            }
        }
        // Operands stand before their operators, so that surroundings are known from the end.
        for index in (0..count).rev() {
            layout.surround(program, ExpressionId(index as u32));
        }
        layout
    }

    pub fn shape(&self, id: ExpressionId) -> Shape {
        self.shapes[id.index()]
    }

    pub fn slot(&self, id: ExpressionId) -> Slot {
        self.slots[id.index()]
    }

    pub fn bare(&self, id: ExpressionId) -> Span {
        self.bare[id.index()]
    }

    fn is_parenthesized(&self, program: &Program, id: ExpressionId) -> bool {
        self.bare(id) != program.span(id)
    }

    fn shape_of(&self, kind: &Kind) -> Shape {
        match kind {
            Kind::Binary(operator, left, right) => {
                Shape::infix(self.shape(*left), operator.precedence(), self.shape(*right))
            }
            Kind::Unary(operator, operand) => match operator.precedence() {
                Some(own) => Shape::prefix(own, self.shape(*operand)),
                None => Shape::CLOSED,
            },
            Kind::If(_) => Shape::prefix(CONDITIONAL, Shape::CLOSED),
            _ => Shape::CLOSED,
        }
    }

    /// Tells the operands of an expression what they stand between.
    fn surround(&mut self, program: &Program, id: ExpressionId) {
        let open = self.is_parenthesized(program, id);
        let (before, after) = match self.slot(id) {
            Slot::Between { before, after } if !open => (before, after),
            _ => (None, None),
        };
        match &program.expression(id).kind {
            Kind::Binary(operator, left, right) => {
                let own = Some(operator.precedence());
                self.slots[left.index()] = Slot::between(before, own);
                self.slots[right.index()] = Slot::between(own, after);
            }
            Kind::Unary(operator, operand) if operator.precedence().is_some() => {
                self.slots[operand.index()] = Slot::between(operator.precedence(), after);
            }
            Kind::If([_, _, other]) => {
                self.slots[other.index()] = Slot::between(Some(CONDITIONAL), after);
            }
            Kind::Field(base, _)
            | Kind::Index { base, .. }
            | Kind::UpdateField { base, .. }
            | Kind::UpdateIndex { base, .. } => self.slots[base.index()] = Slot::Base,
            _ => {}
        }
    }
}

/// Where an expression stands without the parentheses that are part of its place.
fn without_parentheses(program: &Program, tokens: &Tokens, id: ExpressionId) -> Span {
    let Span { file, start, end } = program.span(id);
    // What begins with an operand begins where that does, with its parentheses.
    let begins = match &program.expression(id).kind {
        Kind::Tuple(_) => Some(start),
        Kind::Binary(_, first, _)
        | Kind::Field(first, _)
        | Kind::Index { base: first, .. }
        | Kind::UpdateField { base: first, .. }
        | Kind::UpdateIndex { base: first, .. } => Some(program.span(*first).start),
        _ => None,
    };
    let mut first = tokens.at(start);
    let mut last = tokens.at(end) - 1;
    while tokens.kinds[first] == Token::Symbol(Symbol::Open)
        && begins.is_none_or(|begins| tokens.spans[first].start < begins)
    {
        first += 1;
        last -= 1;
    }
    Span::new(file, tokens.spans[first].start, tokens.spans[last].end)
}
