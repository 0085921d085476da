//! Expressions, by how tight their operators bind.

use super::{DEEPEST, Failed, Parsed, Parser, is_keyword};
use crate::c::literal;
use crate::c::syntax::{
    BinaryOperator, Designator, Direction, Expr, ExprKind, Initializer, OPERATORS, StepValue,
    TypeName, UnaryOperator, Width,
};
use crate::c::token::{Kind, join};
use proofmark_source::Span;

/// Assignments that compute.
const ASSIGNMENTS: [(&str, BinaryOperator); 10] = [
    ("+=", BinaryOperator::Add),
    ("-=", BinaryOperator::Subtract),
    ("*=", BinaryOperator::Multiply),
    ("/=", BinaryOperator::Divide),
    ("%=", BinaryOperator::Remainder),
    ("<<=", BinaryOperator::ShiftLeft),
    (">>=", BinaryOperator::ShiftRight),
    ("&=", BinaryOperator::BitAnd),
    ("^=", BinaryOperator::BitXor),
    ("|=", BinaryOperator::BitOr),
];

impl Expr {
    /// An expression without parts.
    fn leaf(kind: ExprKind, span: Span) -> Expr {
        let height = 1;
        Expr { kind, span, height }
    }
}

impl Parser<'_> {
    /// An expression of parts, unless it is too deep.
    fn tree(&mut self, kind: ExprKind, span: Span, parts: u32) -> Parsed<Expr> {
        let height = parts + 1;
        if height > DEEPEST {
            let message = format!("this expression is more than {DEEPEST} deep");
            self.error(span, message, "split it");
            return Err(Failed);
        }
        Ok(Expr { kind, span, height })
    }

    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        let mut left = self.assignment()?;
        while self.take(",") {
            let right = self.assignment()?;
            let (span, height) = (join(left.span, right.span), left.height.max(right.height));
            left = self.tree(
                ExprKind::Comma(Box::new(left), Box::new(right)),
                span,
                height,
            )?;
        }
        Ok(left)
    }

    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let left = parser.conditional()?;
            let token = parser.peek();
            let computed = ASSIGNMENTS.iter().find(|(text, _)| token.is(text));
            let operator = match computed {
                Some((_, operator)) => Some(*operator),
                None if token.is("=") => None,
                None => return Ok(left),
            };
            parser.at += 1;
            let right = parser.assignment()?;
            let (span, height) = (join(left.span, right.span), left.height.max(right.height));
            let kind = ExprKind::Assign(operator, Box::new(left), Box::new(right));
            parser.tree(kind, span, height)
        })
    }

    pub(super) fn conditional(&mut self) -> Parsed<Expr> {
        let condition = self.binary(1)?;
        if !self.take("?") {
            return Ok(condition);
        }
        self.deeper(|parser| {
            let then = match parser.peek().is(":") {
                true => None,
                false => Some(Box::new(parser.expression()?)),
            };
            parser.expect(":")?;
            let other = parser.conditional()?;
            let height = then.as_ref().map_or(0, |then| then.height);
            let height = height.max(condition.height).max(other.height);
            let span = join(condition.span, other.span);
            let kind = ExprKind::Conditional(Box::new(condition), then, Box::new(other));
            parser.tree(kind, span, height)
        })
    }

    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        loop {
            let token = self.peek();
            let known = OPERATORS.iter().find(|(text, ..)| token.is(text));
            let Some((_, operator, level)) = known.filter(|(.., level)| *level >= least) else {
                return Ok(left);
            };
            self.at += 1;
            let right = self.binary(level + 1)?;
            let (span, height) = (join(left.span, right.span), left.height.max(right.height));
            let kind = ExprKind::Binary(*operator, Box::new(left), Box::new(right));
            left = self.tree(kind, span, height)?;
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        self.deeper(Parser::unary_within)
    }

    fn unary_within(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let operator = match token.text.as_str() {
            _ if token.kind == Kind::Name => return self.unary_word(),
            _ if token.kind != Kind::Punctuator => return self.postfix(),
            "++" | "--" => {
                self.at += 1;
                let of = self.unary()?;
                let (span, height) = (join(token.span, of.span), of.height);
                let kind = step(token.text.as_str(), StepValue::After, of);
                return self.tree(kind, span, height);
            }
            "(" if self.begins_type(1) => return self.cast(),
            "+" => UnaryOperator::Plus,
            "-" => UnaryOperator::Minus,
            "~" => UnaryOperator::BitNot,
            "!" => UnaryOperator::Not,
            "&" => UnaryOperator::Address,
            "*" => UnaryOperator::Dereference,
            "&&" => {
                self.at += 1;
                let name = self.name("the name of a label")?;
                let span = join(token.span, name.span);
                return Ok(Expr::leaf(
                    ExprKind::Refused("the address of a label"),
                    span,
                ));
            }
            _ => return self.postfix(),
        };
        self.at += 1;
        let of = self.unary()?;
        let (span, height) = (join(token.span, of.span), of.height);
        self.tree(ExprKind::Unary(operator, Box::new(of)), span, height)
    }

    fn unary_word(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        match token.text.as_str() {
            "sizeof" | "_Alignof" | "__alignof__" | "__alignof" => {
                self.at += 1;
                let is_size = token.is_word("sizeof");
                if self.peek().is("(") && self.begins_type(1) {
                    let start = self.at;
                    self.at += 1;
                    let name = Box::new(self.type_name()?);
                    self.expect(")")?;
                    if self.peek().is("{") {
                        // The size of a compound literal.
                        self.at = start;
                    } else {
                        let span = self.since(token.span);
                        return Ok(match is_size {
                            true => Expr::leaf(ExprKind::SizeOfType(name), span),
                            false => Expr::leaf(ExprKind::AlignOf(name), span),
                        });
                    }
                }
                let of = self.unary()?;
                let (span, height) = (join(token.span, of.span), of.height);
                match is_size {
                    true => self.tree(ExprKind::SizeOf(Box::new(of)), span, height),
                    false => Ok(Expr::leaf(
                        ExprKind::Refused("the alignment of an expression"),
                        span,
                    )),
                }
            }
            "__extension__" => {
                self.at += 1;
                self.unary()
            }
            "__real__" | "__imag__" | "__real" | "__imag" => {
                self.at += 1;
                let span = join(token.span, self.unary()?.span);
                Ok(Expr::leaf(ExprKind::Refused("complex arithmetic"), span))
            }
            _ => self.postfix(),
        }
    }

    /// `(type) …`: a cast or a compound literal.
    fn cast(&mut self) -> Parsed<Expr> {
        let start = self.expect("(")?;
        let name = self.type_name()?;
        self.expect(")")?;
        if self.peek().is("{") {
            let value = self.initializer()?;
            let span = self.since(start);
            let literal = self.tree(ExprKind::Compound(Box::new(name), value), span, 1)?;
            return self.postfix_of(literal);
        }
        let of = self.unary()?;
        let (span, height) = (join(start, of.span), of.height);
        self.tree(ExprKind::Cast(Box::new(name), Box::new(of)), span, height)
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let primary = self.primary()?;
        self.postfix_of(primary)
    }

    fn postfix_of(&mut self, mut left: Expr) -> Parsed<Expr> {
        loop {
            let token = self.peek();
            if token.kind != Kind::Punctuator {
                return Ok(left);
            }
            let (start, mut height) = (left.span, left.height);
            let kind = match token.text.as_str() {
                "[" => {
                    self.at += 1;
                    let index = self.expression()?;
                    self.expect("]")?;
                    height = height.max(index.height);
                    ExprKind::Index(Box::new(left), Box::new(index))
                }
                "(" => {
                    self.at += 1;
                    let arguments = self.arguments()?;
                    let deepest = arguments.iter().map(|one| one.height).max();
                    height = height.max(deepest.unwrap_or(0));
                    ExprKind::Call(Box::new(left), arguments)
                }
                "." => {
                    self.at += 1;
                    let name = self.name("the name of a field")?;
                    ExprKind::Member(Box::new(left), name)
                }
                "->" => {
                    self.at += 1;
                    let name = self.name("the name of a field")?;
                    ExprKind::Arrow(Box::new(left), name)
                }
                text @ ("++" | "--") => {
                    self.at += 1;
                    step(text, StepValue::Before, left)
                }
                _ => return Ok(left),
            };
            let span = self.since(start);
            left = self.tree(kind, span, height)?;
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut arguments = Vec::new();
        if self.take(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.assignment()?);
            if !self.take(",") {
                self.expect(")")?;
                return Ok(arguments);
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let text = token.text.as_str();
        match token.kind {
            Kind::Number => self.number(),
            Kind::Character => {
                self.at += 1;
                let width = Width::of_prefix(text.split('\'').next().unwrap_or(""));
                let value = literal::character(text);
                let value = self.literal(value, token.span)?;
                Ok(Expr::leaf(ExprKind::Character(value, width), token.span))
            }
            Kind::Text => self.text(),
            Kind::Name if text.starts_with("__builtin_") || is_keyword(text) => self.special(),
            Kind::Name => {
                self.at += 1;
                Ok(Expr::leaf(ExprKind::Name(token.text), token.span))
            }
            Kind::Punctuator if text == "(" && self.peek_at(1).is("{") => {
                self.at += 1;
                let block = self.scoped(Parser::block)?;
                self.expect(")")?;
                let span = self.since(token.span);
                Ok(Expr::leaf(ExprKind::Block(block), span))
            }
            Kind::Punctuator if text == "(" => {
                self.at += 1;
                let mut within = self.expression()?;
                self.expect(")")?;
                within.span = self.since(token.span);
                Ok(within)
            }
            _ => self.fail("an expression"),
        }
    }

    fn literal<T>(&mut self, value: Result<T, String>, span: Span) -> Parsed<T> {
        value.map_err(|message| {
            self.error(span, message, "correct it");
            Failed
        })
    }

    fn number(&mut self) -> Parsed<Expr> {
        let token = self.next();
        let text = token.text.as_str();
        if literal::is_float(text) {
            return Ok(Expr::leaf(ExprKind::Float, token.span));
        }
        let value = literal::integer(text);
        let value = self.literal(value, token.span)?;
        Ok(Expr::leaf(ExprKind::Integer(value), token.span))
    }

    /// Literals that follow each other are one.
    fn text(&mut self) -> Parsed<Expr> {
        let first = self.peek();
        let mut units = Vec::new();
        let mut width = Width::Char;
        while self.peek().kind == Kind::Text {
            let token = self.next();
            let (more, prefix) = self.literal(literal::string(token.text.as_str()), token.span)?;
            units.extend(more);
            if Width::of_prefix(prefix) != Width::Char {
                width = Width::of_prefix(prefix);
            }
        }
        let span = self.since(first.span);
        Ok(Expr::leaf(ExprKind::Text(units, width), span))
    }

    pub(super) fn string_literal(&mut self) -> Parsed<String> {
        match self.peek().kind {
            Kind::Text => {
                let text = self.text()?;
                let ExprKind::Text(units, _) = text.kind else {
                    return Err(Failed);
                };
                let characters = units.iter().map(|unit| char::from(*unit as u8));
                Ok(characters.collect())
            }
            _ => self.fail("a text in quotes"),
        }
    }

    /// What is written like a call or a keyword, and takes types.
    fn special(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let kind = match token.text.as_str() {
            "_Generic" => return self.generic(),
            "__builtin_offsetof" => {
                self.at += 1;
                self.expect("(")?;
                let of = self.type_name()?;
                self.expect(",")?;
                let path = self.member_path()?;
                ExprKind::OffsetOf(Box::new(of), path)
            }
            "__builtin_types_compatible_p" => {
                self.at += 1;
                self.expect("(")?;
                let one = Box::new(self.type_name()?);
                self.expect(",")?;
                ExprKind::SameType(one, Box::new(self.type_name()?))
            }
            "__builtin_va_arg" => {
                self.at += 1;
                self.skip_parentheses()?;
                let span = self.since(token.span);
                return Ok(Expr::leaf(ExprKind::Refused(VARIADIC), span));
            }
            text if is_keyword(text) => return self.fail("an expression"),
            _ => {
                self.at += 1;
                return Ok(Expr::leaf(ExprKind::Name(token.text), token.span));
            }
        };
        self.expect(")")?;
        let span = self.since(token.span);
        Ok(Expr::leaf(kind, span))
    }

    fn member_path(&mut self) -> Parsed<Vec<Designator>> {
        let mut path = vec![Designator::Field(self.name("the name of a field")?)];
        loop {
            if self.take(".") {
                path.push(Designator::Field(self.name("the name of a field")?));
            } else if self.take("[") {
                path.push(Designator::Index(self.expression()?));
                self.expect("]")?;
            } else {
                return Ok(path);
            }
        }
    }

    fn generic(&mut self) -> Parsed<Expr> {
        let start = self.next().span;
        self.expect("(")?;
        let of = Box::new(self.assignment()?);
        let mut choices: Vec<(Option<TypeName>, Expr)> = Vec::new();
        while self.take(",") {
            let name = match self.take_word("default") {
                true => None,
                false => Some(self.type_name()?),
            };
            self.expect(":")?;
            choices.push((name, self.assignment()?));
        }
        self.expect(")")?;
        let deepest = choices.iter().map(|(_, one)| one.height).max();
        let span = self.since(start);
        self.tree(ExprKind::Generic(of, choices), span, deepest.unwrap_or(0))
    }

    pub(super) fn initializer_value(&mut self) -> Parsed<Initializer> {
        match self.peek().is("{") {
            true => self.deeper(Parser::initializer),
            false => Ok(Initializer::Value(Box::new(self.assignment()?))),
        }
    }
}

/// What reading the arguments behind `...` is called.
pub(super) const VARIADIC: &str = "reading the arguments of a function with `...`";

fn step(text: &str, when: StepValue, of: Expr) -> ExprKind {
    let up = match text {
        "++" => Direction::Up,
        _ => Direction::Down,
    };
    let of = Box::new(of);
    ExprKind::Step { up, when, of }
}
