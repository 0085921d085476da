//! The syntax tree.
//!
//! All expressions of a program lie in one list, each after its operands, so that every pass is a
//! loop over a range of that list and a tree of any depth is dropped as flat as it was built.

use super::lexer;
use proofmark_model::{Rational, Symbol};
use proofmark_source::Span;

/// A name and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    pub text: Symbol,
    pub span: Span,
}

/// The place of an expression in the program's list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct ExpressionId(pub u32);

impl ExpressionId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub kind: Kind,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unary {
    Pre,
    Not,
    Negate,
    ToReal,
    Floor,
}

impl Unary {
    /// How tight it binds; nothing when it has parentheses of its own.
    pub fn precedence(self) -> Option<u8> {
        match self {
            Unary::Pre => Some(11),
            Unary::Not => Some(10),
            Unary::Negate => Some(9),
            Unary::ToReal | Unary::Floor => None,
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Unary::Pre => "pre",
            Unary::Not => "not",
            Unary::Negate => "-",
            Unary::ToReal => "real",
            Unary::Floor => "floor",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Times,
    Divide,
    IntDivide,
    Modulo,
    Plus,
    Minus,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Different,
    And,
    Or,
    Xor,
    Implies,
    Arrow,
    /// `a fby b` is `a -> pre b`.
    FollowedBy,
}

/// How tight `if … else` binds its last operand: looser than any operator.
pub(super) const CONDITIONAL: u8 = 1;

impl Binary {
    /// How tight it binds: an operator that comes ends the operands of those that bind tighter.
    pub fn precedence(self) -> u8 {
        match self {
            Binary::Times | Binary::Divide | Binary::IntDivide | Binary::Modulo => 8,
            Binary::Plus | Binary::Minus => 7,
            Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual
            | Binary::Equal
            | Binary::Different => 6,
            Binary::And => 5,
            Binary::Or | Binary::Xor => 4,
            Binary::Implies => 3,
            Binary::Arrow | Binary::FollowedBy => 2,
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Binary::Times => "*",
            Binary::Divide => "/",
            Binary::IntDivide => "div",
            Binary::Modulo => "mod",
            Binary::Plus => "+",
            Binary::Minus => "-",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
            Binary::Equal => "=",
            Binary::Different => "<>",
            Binary::And => "and",
            Binary::Or => "or",
            Binary::Xor => "xor",
            Binary::Implies => "=>",
            Binary::Arrow => "->",
            Binary::FollowedBy => "fby",
        }
    }

    /// The operator that a token is between two operands.
    pub fn from_token(token: lexer::Token) -> Option<Binary> {
        use lexer::{Keyword, Symbol, Token};
        Some(match token {
            Token::Symbol(Symbol::Times) => Binary::Times,
            Token::Symbol(Symbol::Divide) => Binary::Divide,
            Token::Keyword(Keyword::Div) => Binary::IntDivide,
            Token::Keyword(Keyword::Mod) => Binary::Modulo,
            Token::Symbol(Symbol::Plus) => Binary::Plus,
            Token::Symbol(Symbol::Minus) => Binary::Minus,
            Token::Symbol(Symbol::Less) => Binary::Less,
            Token::Symbol(Symbol::LessEqual) => Binary::LessEqual,
            Token::Symbol(Symbol::Greater) => Binary::Greater,
            Token::Symbol(Symbol::GreaterEqual) => Binary::GreaterEqual,
            Token::Symbol(Symbol::Equal) => Binary::Equal,
            Token::Symbol(Symbol::Different) => Binary::Different,
            Token::Keyword(Keyword::And) => Binary::And,
            Token::Keyword(Keyword::Or) => Binary::Or,
            Token::Keyword(Keyword::Xor) => Binary::Xor,
            Token::Symbol(Symbol::Implies) => Binary::Implies,
            Token::Symbol(Symbol::Arrow) => Binary::Arrow,
            _ => return None,
        })
    }
}

/// Whether an operator that comes ends the operand of one that is open, both by precedence. All
/// operators of one precedence are associative to the same side.
pub(super) fn ends(coming: u8, open: u8) -> bool {
    let right_associative = coming <= Binary::Implies.precedence();
    open > coming || open == coming && !right_associative
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Name(Symbol),
    Integer(Rational),
    Real(Rational),
    Boolean(bool),
    Unary(Unary, ExpressionId),
    Binary(Binary, ExpressionId, ExpressionId),
    /// Condition, then, else.
    If([ExpressionId; 3]),
    Call {
        callee: Name,
        arguments: Vec<ExpressionId>,
    },
    /// Clock, call, defaults.
    Condact(Vec<ExpressionId>),
    AtMostOne(Vec<ExpressionId>),
    /// Two or more: parentheses around one leave no trace.
    Tuple(Vec<ExpressionId>),
    Array(Vec<ExpressionId>),
    Record {
        of: Name,
        fields: Vec<(Name, ExpressionId)>,
    },
    Field(ExpressionId, Name),
    UpdateField {
        base: ExpressionId,
        field: Name,
        value: ExpressionId,
    },
    Index {
        base: ExpressionId,
        index: ExpressionId,
    },
    UpdateIndex {
        base: ExpressionId,
        index: ExpressionId,
        value: ExpressionId,
    },
}

impl Kind {
    /// Calls `visit` with every operand.
    pub fn operands(&self, mut visit: impl FnMut(ExpressionId)) {
        match self {
            Kind::Name(_) | Kind::Integer(_) | Kind::Real(_) | Kind::Boolean(_) => {}
            Kind::Unary(_, operand) | Kind::Field(operand, _) => visit(*operand),
            Kind::Binary(_, left, right) => [*left, *right].into_iter().for_each(visit),
            Kind::If(parts) => parts.iter().copied().for_each(visit),
            Kind::Call {
                arguments: items, ..
            }
            | Kind::Condact(items)
            | Kind::AtMostOne(items)
            | Kind::Tuple(items)
            | Kind::Array(items) => items.iter().copied().for_each(visit),
            Kind::Record { fields, .. } => fields.iter().for_each(|(_, value)| visit(*value)),
            Kind::UpdateField { base, value, .. } => [*base, *value].into_iter().for_each(visit),
            Kind::Index { base, index } => [*base, *index].into_iter().for_each(visit),
            Kind::UpdateIndex { base, index, value } => {
                [*base, *index, *value].into_iter().for_each(visit);
            }
        }
    }
}

/// An expression of its own with everything under it: all of `first ..= root`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub first: ExpressionId,
    pub root: ExpressionId,
}

/// A number where a type needs one: a literal or a named constant.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    Literal(Rational, Span),
    Named { negated: Negated, name: Name },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Negated {
    No,
    Yes,
}

impl Bound {
    pub fn span(&self) -> Span {
        match self {
            Bound::Literal(_, span) => *span,
            Bound::Named { name, .. } => name.span,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum BaseType {
    Bool,
    Int,
    Real,
    Subrange(Bound, Bound),
    Named(Name),
}

/// A type as written: `base[n][m]` is `m` arrays of `n`.
#[derive(Clone, Debug)]
pub(super) struct TypeSyntax {
    pub base: BaseType,
    pub dimensions: Vec<Bound>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct TypeDefinition {
    pub name: Name,
    pub body: TypeBody,
}

#[derive(Clone, Debug)]
pub(super) enum TypeBody {
    Alias(TypeSyntax),
    Struct(Vec<Declaration>),
    Enum(Vec<Name>),
}

/// `name : type`; of a group, each name has its own.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    pub name: Name,
    pub of: TypeSyntax,
}

#[derive(Clone, Debug)]
pub(super) struct ConstantDefinition {
    pub name: Name,
    pub of: Option<TypeSyntax>,
    pub value: Root,
}

#[derive(Clone, Debug)]
pub(super) struct FunctionDefinition {
    pub name: Name,
    pub inputs: Vec<Declaration>,
    pub outputs: Vec<Declaration>,
}

#[derive(Clone, Debug)]
pub(super) struct NodeDefinition {
    pub name: Name,
    pub inputs: Vec<Declaration>,
    pub outputs: Vec<Declaration>,
    pub locals: Vec<Declaration>,
    pub statements: Vec<Statement>,
    /// Where `--%MAIN` stands.
    pub main: Option<Span>,
    /// The names of `--%IVC`, and whether there was one.
    pub ivc: Option<Vec<Name>>,
    /// Whether all of the body could be read; what a broken one lacks is not reported.
    pub body: Body,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Body {
    Whole,
    Broken,
}

#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub kind: StatementKind,
    pub value: Root,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum StatementKind {
    Equation(Vec<Name>),
    Assert,
    /// A property, with its name when it was given one.
    Check(Option<Name>),
}

#[derive(Debug, Default)]
pub(super) struct Program {
    pub expressions: Vec<Expression>,
    pub types: Vec<TypeDefinition>,
    pub constants: Vec<ConstantDefinition>,
    pub functions: Vec<FunctionDefinition>,
    pub nodes: Vec<NodeDefinition>,
}

impl Program {
    pub fn expression(&self, id: ExpressionId) -> &Expression {
        &self.expressions[id.index()]
    }

    pub fn span(&self, id: ExpressionId) -> Span {
        self.expression(id).span
    }

    /// The name that `a.b[2].c` spells, when it is made of nothing else.
    pub fn path(&self, id: ExpressionId) -> Option<String> {
        let mut parts = Vec::new();
        let mut at = id;
        loop {
            match &self.expression(at).kind {
                Kind::Name(name) => {
                    parts.push(name.to_string());
                    parts.reverse();
                    return Some(parts.concat());
                }
                Kind::Field(base, field) => {
                    parts.push(format!(".{}", field.text));
                    at = *base;
                }
                Kind::Index { base, index } => {
                    let Kind::Integer(number) = &self.expression(*index).kind else {
                        return None;
                    };
                    parts.push(format!("[{number}]"));
                    at = *base;
                }
                _ => return None,
            }
        }
    }
}
