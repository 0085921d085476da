//! What a file says, before anything is known of its meaning.
//!
//! Chains of operators are lists, and the parser limits how deep parts nest, so that whoever walks a
//! tree may recurse.

use num_bigint::{BigInt, BigUint};
use proofmark_source::Span;

/// A word with its place.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub text: String,
    pub span: Span,
}

/// A part of the text that has a value.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub kind: Kind,
    pub span: Span,
}

/// Operators of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    Iff,
    Or,
    Xor,
    Xnor,
    And,
    Equal,
    Different,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    In,
    Union,
    ShiftLeft,
    ShiftRight,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Concat,
    /// LTL's U, V, S and T, and PSL's until.
    Until,
    WeakUntil,
    Release,
    Since,
    Trigger,
}

impl Operation {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            Operation::Iff => "<->",
            Operation::Or => "|",
            Operation::Xor => "xor",
            Operation::Xnor => "xnor",
            Operation::And => "&",
            Operation::Equal => "=",
            Operation::Different => "!=",
            Operation::Less => "<",
            Operation::Greater => ">",
            Operation::LessEqual => "<=",
            Operation::GreaterEqual => ">=",
            Operation::In => "in",
            Operation::Union => "union",
            Operation::ShiftLeft => "<<",
            Operation::ShiftRight => ">>",
            Operation::Plus => "+",
            Operation::Minus => "-",
            Operation::Times => "*",
            Operation::Divide => "/",
            Operation::Modulo => "mod",
            Operation::Concat => "::",
            Operation::Until => "U",
            Operation::WeakUntil => "until",
            Operation::Release => "V",
            Operation::Since => "S",
            Operation::Trigger => "T",
        }
    }

    /// Whether it speaks of several steps.
    pub fn is_temporal(self) -> bool {
        use Operation::{Release, Since, Trigger, Until, WeakUntil};
        matches!(self, Until | WeakUntil | Release | Since | Trigger)
    }
}

/// What is written like a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Function {
    Word1,
    Bool,
    Toint,
    Count,
    Signed,
    Unsigned,
    Extend,
    Resize,
    Sizeof,
    Uwconst,
    Swconst,
    Abs,
    Min,
    Max,
}

impl Function {
    /// By its name.
    pub fn from_text(text: &str) -> Option<Function> {
        Some(match text {
            "word1" => Function::Word1,
            "bool" => Function::Bool,
            "toint" => Function::Toint,
            "count" => Function::Count,
            "signed" => Function::Signed,
            "unsigned" => Function::Unsigned,
            "extend" => Function::Extend,
            "resize" => Function::Resize,
            "sizeof" => Function::Sizeof,
            "uwconst" => Function::Uwconst,
            "swconst" => Function::Swconst,
            "abs" => Function::Abs,
            "min" => Function::Min,
            "max" => Function::Max,
            _ => return None,
        })
    }
}

/// Temporal operators of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Temporal {
    Next,
    Eventually,
    Always,
    Yesterday,
    WeakYesterday,
    Once,
    Historically,
    /// PSL's never.
    Never,
}

/// The path quantifier of a temporal operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Paths {
    /// None: linear time.
    Linear,
    Some,
    All,
}

/// The steps of a bounded operator.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub low: Box<Expression>,
    /// None for `[a, oo)`.
    pub high: Option<Box<Expression>>,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Bool(bool),
    Number(BigInt),
    Word {
        signed: bool,
        width: u32,
        bits: BigUint,
    },
    Name(String),
    /// `self`.
    Itself,
    Dot(Box<Expression>, Name),
    Index(Box<Expression>, Box<Expression>),
    Bits(Box<Expression>, Box<Expression>, Box<Expression>),
    Not(Box<Expression>),
    Negate(Box<Expression>),
    /// Left associative operators of one level.
    Chain(Box<Expression>, Vec<(Operation, Expression)>),
    /// `a -> b -> c`, right associative.
    Implies(Vec<Expression>),
    /// `case`, or `? :`, which has a last branch without condition.
    Case {
        branches: Vec<(Expression, Expression)>,
        otherwise: Option<Box<Expression>>,
    },
    Set(Vec<Expression>),
    Range(Box<Expression>, Box<Expression>),
    /// `[a, b, c]`.
    List(Vec<Expression>),
    Next(Box<Expression>),
    Call(Function, Vec<Expression>),
    Temporal {
        paths: Paths,
        operator: Temporal,
        window: Option<Window>,
        operand: Box<Expression>,
    },
    /// `E [a U b]`, `A [a BU l..h b]`.
    Until {
        paths: Paths,
        window: Option<Window>,
        left: Box<Expression>,
        right: Box<Expression>,
    },
    /// PSL's replicator.
    Forall(Name, Vec<Expression>, Box<Expression>),
}

/// The type of a variable as it is written.
#[derive(Clone, Debug)]
pub(super) enum Type {
    Boolean,
    Word {
        signed: bool,
        width: Expression,
    },
    Range(Expression, Expression),
    Enumeration(Vec<Expression>),
    Array {
        low: Expression,
        high: Expression,
        of: Box<Type>,
    },
    Instance {
        process: bool,
        module: Name,
        arguments: Vec<Expression>,
    },
}

/// What kind of variable is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum VariableKind {
    State,
    Input,
    Frozen,
}

/// The three forms of an assignment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Form {
    Always,
    Init,
    Next,
}

/// What a specification asks.
#[derive(Clone, Debug)]
pub(super) enum Question {
    Ctl(Expression),
    Ltl(Expression),
    Psl(Expression),
    Invariant(Expression),
    Compute {
        longest: bool,
        from: Expression,
        to: Expression,
    },
}

/// One thing that a module says.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Variable {
        kind: VariableKind,
        name: Name,
        of: Type,
        span: Span,
    },
    Define {
        target: Expression,
        value: Expression,
    },
    Constants(Vec<Name>),
    Assign {
        form: Form,
        target: Expression,
        value: Expression,
        span: Span,
    },
    Init(Expression),
    Invar(Expression),
    Trans(Expression),
    Isa(Name),
    Justice(Expression),
    Compassion(Expression, Expression),
    Specification {
        name: Option<Name>,
        question: Question,
        span: Span,
    },
}

/// A module.
#[derive(Clone, Debug)]
pub(super) struct Module {
    pub name: Name,
    pub parameters: Vec<Name>,
    pub items: Vec<Item>,
}
