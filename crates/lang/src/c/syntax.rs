//! The tree of a translation unit, as the parser reads it: names are not resolved, types not checked.

use super::literal;
use proofmark_model::Symbol;
use proofmark_source::Span;

/// A name with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    pub text: Symbol,
    pub span: Span,
}

/// An expression.
#[derive(Debug)]
pub(super) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// How deep it is.
    pub height: u32,
}

#[derive(Debug)]
pub(super) enum ExprKind {
    Integer(literal::Integer),
    /// A constant of floating point; only its being there matters.
    Float,
    Character(i64, Width),
    Text(Vec<u32>, Width),
    Name(Symbol),
    Unary(UnaryOperator, Box<Expr>),
    /// `++` or `--`: by how much, and whether the value is the one before.
    Step {
        up: Direction,
        when: StepValue,
        of: Box<Expr>,
    },
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    Assign(Option<BinaryOperator>, Box<Expr>, Box<Expr>),
    /// `a ? b : c`; without `b` it is the value of `a`.
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    Cast(Box<TypeName>, Box<Expr>),
    SizeOf(Box<Expr>),
    SizeOfType(Box<TypeName>),
    AlignOf(Box<TypeName>),
    Index(Box<Expr>, Box<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    Member(Box<Expr>, Name),
    Arrow(Box<Expr>, Name),
    Compound(Box<TypeName>, Initializer),
    /// `({ … })`.
    Block(Block),
    /// `_Generic`: the types that are tried, nothing for `default`.
    Generic(Box<Expr>, Vec<(Option<TypeName>, Expr)>),
    OffsetOf(Box<TypeName>, Vec<Designator>),
    SameType(Box<TypeName>, Box<TypeName>),
    /// What is read and not supported, by its name.
    Refused(&'static str),
}

/// The characters of a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Width {
    Char,
    Char16,
    Char32,
    Wide,
}

impl Width {
    pub fn of_prefix(prefix: &str) -> Width {
        match prefix {
            "L" => Width::Wide,
            "u" => Width::Char16,
            "U" => Width::Char32,
            _ => Width::Char,
        }
    }
}

/// Which way `++` and `--` go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Up,
    Down,
}

/// Which value of what is stepped the expression has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StepValue {
    Before,
    After,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UnaryOperator {
    Plus,
    Minus,
    BitNot,
    Not,
    Address,
    Dereference,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

impl BinaryOperator {
    pub fn text(self) -> &'static str {
        let known = OPERATORS.iter().find(|(_, operator, _)| *operator == self);
        known.map_or("", |(text, ..)| text)
    }
}

/// Operators with how tight they bind.
pub(super) const OPERATORS: [(&str, BinaryOperator, u8); 18] = [
    ("||", BinaryOperator::Or, 1),
    ("&&", BinaryOperator::And, 2),
    ("|", BinaryOperator::BitOr, 3),
    ("^", BinaryOperator::BitXor, 4),
    ("&", BinaryOperator::BitAnd, 5),
    ("==", BinaryOperator::Equal, 6),
    ("!=", BinaryOperator::NotEqual, 6),
    ("<", BinaryOperator::Less, 7),
    (">", BinaryOperator::Greater, 7),
    ("<=", BinaryOperator::LessOrEqual, 7),
    (">=", BinaryOperator::GreaterOrEqual, 7),
    ("<<", BinaryOperator::ShiftLeft, 8),
    (">>", BinaryOperator::ShiftRight, 8),
    ("+", BinaryOperator::Add, 9),
    ("-", BinaryOperator::Subtract, 9),
    ("*", BinaryOperator::Multiply, 10),
    ("/", BinaryOperator::Divide, 10),
    ("%", BinaryOperator::Remainder, 10),
];

/// A type as an expression names it.
#[derive(Debug)]
pub(super) struct TypeName {
    pub specifiers: Specifiers,
    pub declarator: Declarator,
}

/// Where a declared name lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Storage {
    Typedef,
    Extern,
    Static,
    Auto,
}

/// What stands before the declarators.
#[derive(Debug)]
pub(super) struct Specifiers {
    pub span: Span,
    pub storage: Option<Storage>,
    pub base: Base,
}

#[derive(Debug)]
pub(super) enum Base {
    Void,
    Bool,
    Integer(Integer),
    /// By its name and size.
    Float(&'static str, u64),
    /// What is read and not supported where it is used, by its name.
    Refused(&'static str),
    Record(Box<RecordSpecifier>),
    Enum(Box<EnumSpecifier>),
    Named(Symbol),
    TypeOf(Box<Expr>),
    TypeOfType(Box<TypeName>),
}

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Integer {
    pub rank: Rank,
    pub signed: bool,
}

/// The ranks of C11 6.3.1.1; `char` has that of `signed char`, and is signed here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Rank {
    Char,
    Short,
    Int,
    Long,
    LongLong,
}

#[derive(Debug)]
pub(super) struct RecordSpecifier {
    pub span: Span,
    pub is_union: bool,
    pub is_packed: bool,
    pub tag: Option<Name>,
    /// The fields, where they are given.
    pub fields: Option<Vec<FieldDeclaration>>,
}

#[derive(Debug)]
pub(super) struct FieldDeclaration {
    pub specifiers: Specifiers,
    pub fields: Vec<FieldDeclarator>,
}

#[derive(Debug)]
pub(super) struct FieldDeclarator {
    pub declarator: Declarator,
    pub bits: Option<Expr>,
}

#[derive(Debug)]
pub(super) struct EnumSpecifier {
    pub span: Span,
    pub tag: Option<Name>,
    pub values: Option<Vec<(Name, Option<Expr>)>>,
}

/// What is declared: a name, and what it is of the type before it, from the name outwards.
#[derive(Debug)]
pub(super) struct Declarator {
    pub name: Option<Name>,
    pub parts: Vec<Part>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum Part {
    Pointer,
    Array(Option<Box<Expr>>),
    Function(Parameters),
}

#[derive(Debug)]
pub(super) struct Parameters {
    pub list: Vec<Parameter>,
    /// Whether `...` follows.
    pub variadic: bool,
    /// Names without types, which an old definition has.
    pub old: Vec<Name>,
    /// Whether anything at all is said of them.
    pub known: bool,
}

#[derive(Debug)]
pub(super) struct Parameter {
    pub specifiers: Specifiers,
    pub declarator: Declarator,
}

#[derive(Debug)]
pub(super) struct Declaration {
    pub specifiers: Specifiers,
    pub list: Vec<(Declarator, Option<Initializer>)>,
}

#[derive(Debug)]
pub(super) enum Initializer {
    Value(Box<Expr>),
    List(Vec<InitializerItem>, Span),
}

#[derive(Debug)]
pub(super) struct InitializerItem {
    pub designators: Vec<Designator>,
    pub value: Initializer,
}

#[derive(Debug)]
pub(super) enum Designator {
    Field(Name),
    Index(Expr),
    Range(Expr, Expr),
}

/// A function with its body.
#[derive(Debug)]
pub(super) struct Definition {
    pub specifiers: Specifiers,
    pub declarator: Declarator,
    /// The declarations of an old definition's parameters.
    pub old: Vec<Declaration>,
    pub body: Block,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct Block {
    pub items: Vec<Item>,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum Item {
    Declaration(Declaration),
    Statement(Stmt),
    Check(StaticAssert),
}

#[derive(Debug)]
pub(super) struct StaticAssert {
    pub condition: Expr,
    pub text: String,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum StmtKind {
    Empty,
    Expr(Expr),
    Block(Block),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(Expr, Box<Stmt>),
    Do(Box<Stmt>, Expr),
    For(Box<For>),
    Switch(Expr, Box<Stmt>),
    Case(Expr, Option<Expr>, Box<Stmt>),
    Default(Box<Stmt>),
    Label(Name, Box<Stmt>),
    Goto(Name),
    Break,
    Continue,
    Return(Option<Expr>),
    /// What is read and not supported, by its name.
    Refused(&'static str),
}

#[derive(Debug)]
pub(super) struct For {
    pub first: Option<Item>,
    pub condition: Option<Expr>,
    pub step: Option<Expr>,
    pub body: Stmt,
}

/// What stands outside of functions.
#[derive(Debug)]
pub(super) enum External {
    Declaration(Declaration),
    Definition(Definition),
    Check(StaticAssert),
}
