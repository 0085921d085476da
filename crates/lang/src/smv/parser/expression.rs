//! Expressions, by the strength of their operators: one loop for all levels, so that a parenthesis costs
//! two calls. How deep expressions may nest is limited; long chains are loops.

use super::super::lexer::{Token, is_reserved};
use super::super::syntax::{Expression, Function, Kind, Name, Operation, Paths, Temporal, Window};
use super::{Parsed, Parser, Told};
use num_bigint::{BigInt, BigUint};
use proofmark_source::Span;

/// How deep expressions may nest.
const DEEPEST: usize = 200;

/// The widest word.
pub(in crate::smv) const WIDEST: u32 = 4096;

// The levels, weakest first. An operator of a level takes operands of stronger ones on its right.
const IMPLIES: u8 = 1;
const IFF: u8 = 2;
const CONDITIONAL: u8 = 3;
const PSL_UNTIL: u8 = 4;
const OR: u8 = 5;
const AND: u8 = 6;
const LINEAR: u8 = 7;
const TEMPORAL: u8 = 8;
const COMPARISON: u8 = 9;
const IN: u8 = 10;
const UNION: u8 = 11;
const RANGE: u8 = 12;
const SHIFT: u8 = 13;
const SUM: u8 = 14;
const PRODUCT: u8 = 15;
const NEGATE: u8 = 16;
const CONCAT: u8 = 17;
const NOT: u8 = 18;

/// Constructs of PSL that are not plain LTL or CTL.
const SEQUENCES: [&str; 16] = [
    "before",
    "before!",
    "before_",
    "before!_",
    "abort",
    "within",
    "whilenot",
    "next_e",
    "next_a",
    "next_event",
    "next_event_a",
    "next_event_e",
    "next_event!",
    "rose",
    "fell",
    "prev",
];

impl Parser<'_> {
    /// An expression of any level.
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        self.level(IMPLIES)
    }

    /// A name with dots and indices, as the left side of an assignment.
    pub(super) fn path(&mut self) -> Parsed<Expression> {
        let head = match self.take_word("self") {
            true => Expression {
                kind: Kind::Itself,
                span: self.before(),
            },
            false => {
                let name = self.name("a name")?;
                Expression {
                    kind: Kind::Name(name.text),
                    span: name.span,
                }
            }
        };
        self.postfix(head)
    }

    /// What binds at least as strongly as a level.
    fn level(&mut self, least: u8) -> Parsed<Expression> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("expressions nest deeper than {DEEPEST}");
            self.tell(message, "give parts a name with DEFINE");
            return Err(Told);
        }
        let read = self
            .operand(least)
            .and_then(|left| self.operators(left, least));
        self.depth = self.depth.saturating_sub(1);
        read
    }

    fn operators(&mut self, mut left: Expression, least: u8) -> Parsed<Expression> {
        loop {
            let Some(level) = self.level_of_operator().filter(|level| *level >= least) else {
                return Ok(left);
            };
            left = match level {
                IMPLIES => self.implications(left)?,
                CONDITIONAL => self.conditional(left)?,
                RANGE => {
                    self.advance();
                    let right = self.level(SHIFT)?;
                    let span = left.span.to(right.span);
                    let kind = Kind::Range(Box::new(left), Box::new(right));
                    Expression { kind, span }
                }
                _ => self.chain(left, level)?,
            };
        }
    }

    fn level_of_operator(&self) -> Option<u8> {
        match self.token() {
            Token::Symbol("->") => Some(IMPLIES),
            Token::Symbol("?") => Some(CONDITIONAL),
            Token::Symbol("..") => Some(RANGE),
            _ => self.operation().map(|(level, _)| level),
        }
    }

    /// The left associative operator that stands here.
    fn operation(&self) -> Option<(u8, Operation)> {
        use Operation as O;
        Some(match self.token() {
            Token::Symbol(symbol) => match symbol {
                "<->" => (IFF, O::Iff),
                "|" => (OR, O::Or),
                "||" if self.psl => (OR, O::Or),
                "&" => (AND, O::And),
                "&&" if self.psl => (AND, O::And),
                "=" => (COMPARISON, O::Equal),
                "!=" => (COMPARISON, O::Different),
                "<" => (COMPARISON, O::Less),
                ">" => (COMPARISON, O::Greater),
                "<=" => (COMPARISON, O::LessEqual),
                ">=" => (COMPARISON, O::GreaterEqual),
                "<<" => (SHIFT, O::ShiftLeft),
                ">>" => (SHIFT, O::ShiftRight),
                "+" => (SUM, O::Plus),
                "-" => (SUM, O::Minus),
                "*" => (PRODUCT, O::Times),
                "/" => (PRODUCT, O::Divide),
                "::" => (CONCAT, O::Concat),
                _ => return None,
            },
            Token::Name => match self.word() {
                "xor" => (OR, O::Xor),
                "xnor" => (OR, O::Xnor),
                "U" if !self.bracketed => (LINEAR, O::Until),
                "V" if !self.bracketed => (LINEAR, O::Release),
                "S" if !self.bracketed => (LINEAR, O::Since),
                "T" if !self.bracketed => (LINEAR, O::Trigger),
                "in" => (IN, O::In),
                "union" => (UNION, O::Union),
                "mod" => (PRODUCT, O::Modulo),
                "until" if self.psl => (PSL_UNTIL, O::WeakUntil),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// `a + b - c`, one list.
    fn chain(&mut self, first: Expression, level: u8) -> Parsed<Expression> {
        let mut rest = Vec::new();
        let mut span = first.span;
        while let Some((found, mut operation)) = self.operation()
            && found == level
        {
            self.advance();
            if operation == Operation::WeakUntil && self.take("!") {
                operation = Operation::Until;
            }
            let right = self.level(level + 1)?;
            span = span.to(right.span);
            rest.push((operation, right));
        }
        let kind = Kind::Chain(Box::new(first), rest);
        Ok(Expression { kind, span })
    }

    fn implications(&mut self, first: Expression) -> Parsed<Expression> {
        let mut list = vec![first];
        while self.take("->") {
            list.push(self.level(IFF)?);
        }
        let span = list[0].span.to(list[list.len() - 1].span);
        let kind = Kind::Implies(list);
        Ok(Expression { kind, span })
    }

    /// `a ? b : c ? d : e`, one list.
    fn conditional(&mut self, first: Expression) -> Parsed<Expression> {
        let start = first.span;
        let mut condition = first;
        let mut branches = Vec::new();
        while self.take("?") {
            let then = self.level(CONDITIONAL)?;
            self.expect(":", "a conditional is `condition ? value : value`")?;
            branches.push((condition, then));
            condition = self.level(PSL_UNTIL)?;
        }
        let span = start.to(condition.span);
        let otherwise = Some(Box::new(condition));
        let kind = Kind::Case {
            branches,
            otherwise,
        };
        Ok(Expression { kind, span })
    }

    /// What stands before operators: prefixes, then something by itself.
    fn operand(&mut self, least: u8) -> Parsed<Expression> {
        let start = self.span();
        if self.starts_temporal() {
            return self.temporal(least);
        }
        if self.take("!") {
            let mut at = self.at;
            while self.text_at(at) == "!" {
                at += 1;
            }
            let level = match least <= TEMPORAL && self.is_temporal_at(at) {
                true => TEMPORAL,
                false => NOT,
            };
            return self.prefixed(start, level, Kind::Not);
        }
        if self.take("-") {
            return self.prefixed(start, NEGATE, Kind::Negate);
        }
        let head = self.primary()?;
        self.postfix(head)
    }

    fn prefixed(
        &mut self,
        start: Span,
        level: u8,
        make: fn(Box<Expression>) -> Kind,
    ) -> Parsed<Expression> {
        let operand = self.level(level)?;
        let span = start.to(operand.span);
        let kind = make(Box::new(operand));
        Ok(Expression { kind, span })
    }

    fn starts_temporal(&self) -> bool {
        self.is_temporal_at(self.at)
    }

    fn is_temporal_at(&self, at: usize) -> bool {
        let plain = [
            "EX", "EF", "EG", "AX", "AF", "AG", "EBF", "EBG", "ABF", "ABG", "E", "A", "X", "F",
            "G", "Y", "Z", "O", "H",
        ];
        let psl = ["always", "never", "eventually", "forall"];
        let text = self.text_at(at);
        let next = self.psl && text == "next";
        plain.contains(&text) || next || self.psl && psl.contains(&text)
    }

    fn temporal(&mut self, least: u8) -> Parsed<Expression> {
        let word = self.word().to_string();
        if least > TEMPORAL {
            let message = format!("the temporal operator `{word}` cannot stand here");
            self.tell(message, "put it and its operand between parentheses");
            return Err(Told);
        }
        let start = self.advance();
        let (paths, operator) = match word.as_str() {
            "E" => return self.until(Paths::Some, start),
            "A" => return self.until(Paths::All, start),
            "forall" => return self.forall(start),
            "EX" => (Paths::Some, Temporal::Next),
            "EF" | "EBF" => (Paths::Some, Temporal::Eventually),
            "EG" | "EBG" => (Paths::Some, Temporal::Always),
            "AX" => (Paths::All, Temporal::Next),
            "AF" | "ABF" => (Paths::All, Temporal::Eventually),
            "AG" | "ABG" => (Paths::All, Temporal::Always),
            "X" | "next" => (Paths::Linear, Temporal::Next),
            "F" | "eventually" => (Paths::Linear, Temporal::Eventually),
            "G" | "always" => (Paths::Linear, Temporal::Always),
            "Y" => (Paths::Linear, Temporal::Yesterday),
            "Z" => (Paths::Linear, Temporal::WeakYesterday),
            "O" => (Paths::Linear, Temporal::Once),
            "H" => (Paths::Linear, Temporal::Historically),
            _ => (Paths::Linear, Temporal::Never),
        };
        let window = self.window(&word)?;
        let level = match word.as_str() {
            "always" | "never" => IMPLIES,
            "eventually" | "next" => OR,
            _ => TEMPORAL,
        };
        let operand = Box::new(self.level(level)?);
        let span = start.to(operand.span);
        let kind = Kind::Temporal {
            paths,
            operator,
            window,
            operand,
        };
        Ok(Expression { kind, span })
    }

    /// The steps of a bounded operator, if it is one.
    fn window(&mut self, word: &str) -> Parsed<Option<Window>> {
        match word {
            "EBF" | "EBG" | "ABF" | "ABG" => {
                let range = self.level(RANGE)?;
                self.window_of(range).map(Some)
            }
            "F" | "G" | "O" | "H" if self.is("[") => {
                self.advance();
                let low = Box::new(self.expression()?);
                self.expect(",", "as `F [0, 3] p`")?;
                let high = match self.take_word("oo") {
                    true => None,
                    false => Some(Box::new(self.expression()?)),
                };
                let close = if high.is_none() { ")" } else { "]" };
                self.expect(close, "as `F [0, 3] p`")?;
                Ok(Some(Window { low, high }))
            }
            "eventually" => {
                let strong = self.take("!");
                if !strong {
                    self.tell(
                        "expected `!` behind `eventually`",
                        "PSL writes `eventually! p`",
                    );
                    return Err(Told);
                }
                Ok(None)
            }
            "next" => {
                self.take("!");
                if self.is("[") {
                    self.tell("`next[n]` of PSL is not read", "write `next` so many times");
                    return Err(Told);
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    fn window_of(&mut self, range: Expression) -> Parsed<Window> {
        match range.kind {
            Kind::Range(low, high) => Ok(Window {
                low,
                high: Some(high),
            }),
            _ => {
                self.tell_at(range.span, "expected a range of steps", "as `EBF 0..3 p`");
                Err(Told)
            }
        }
    }

    fn until(&mut self, paths: Paths, start: Span) -> Parsed<Expression> {
        let hint = "as `E [p U q]` or `A [p BU 0..3 q]`";
        self.expect("[", hint)?;
        // `U` ends the left side here, whereas it continues a formula of linear time.
        let outside = std::mem::replace(&mut self.bracketed, true);
        let left = self.expression()?;
        let window = if self.take_word("BU") {
            let range = self.level(RANGE)?;
            Some(self.window_of(range)?)
        } else if self.take_word("U") {
            None
        } else {
            let message = format!("expected `U` or `BU`, found {}", self.found());
            self.tell(message, hint);
            return Err(Told);
        };
        let (left, right) = (Box::new(left), Box::new(self.expression()?));
        self.bracketed = outside;
        let end = self.expect("]", hint)?;
        let kind = Kind::Until {
            paths,
            window,
            left,
            right,
        };
        Ok(Expression {
            kind,
            span: start.to(end),
        })
    }

    /// `forall i in {1, 2} : p`, also `{1:2}` for a range.
    fn forall(&mut self, start: Span) -> Parsed<Expression> {
        let hint = "as `forall i in {1, 2} : p`";
        let name = self.name("the name of a value")?;
        if !self.take_word("in") {
            let message = format!("expected `in`, found {}", self.found());
            self.tell(message, hint);
            return Err(Told);
        }
        self.expect("{", hint)?;
        let mut values = Vec::new();
        loop {
            let low = self.level(CONDITIONAL)?;
            values.push(match self.take(":") {
                true => {
                    let high = self.level(CONDITIONAL)?;
                    let span = low.span.to(high.span);
                    let kind = Kind::Range(Box::new(low), Box::new(high));
                    Expression { kind, span }
                }
                false => low,
            });
            if !self.take(",") {
                break;
            }
        }
        self.expect("}", hint)?;
        self.expect(":", hint)?;
        let body = Box::new(self.expression()?);
        let span = start.to(body.span);
        let kind = Kind::Forall(name, values, body);
        Ok(Expression { kind, span })
    }

    fn postfix(&mut self, mut head: Expression) -> Parsed<Expression> {
        loop {
            let start = head.span;
            if self.take(".") {
                let name = self.member()?;
                let span = start.to(name.span);
                let kind = Kind::Dot(Box::new(head), name);
                head = Expression { kind, span };
            } else if self.take("[") {
                let first = self.expression()?;
                let kind = if self.take(":") {
                    let second = Box::new(self.expression()?);
                    Kind::Bits(Box::new(head), Box::new(first), second)
                } else {
                    Kind::Index(Box::new(head), Box::new(first))
                };
                let end = self.expect("]", "close the bracket of the index")?;
                head = Expression {
                    kind,
                    span: start.to(end),
                };
            } else {
                return Ok(head);
            }
        }
    }

    /// What stands behind a dot: a name, or a number, which NuSMV allows there.
    pub(super) fn member(&mut self) -> Parsed<Name> {
        if self.token() == Token::Number || self.is_word("self") {
            let text = self.text_at(self.at).to_string();
            let span = self.advance();
            return Ok(Name { text, span });
        }
        self.name("a name behind the dot")
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let span = self.span();
        let text = self.text_at(self.at).to_string();
        match self.token() {
            Token::Number => {
                self.advance();
                if self.is(".") && matches!(self.tokens[self.at + 1].token, Token::Number) {
                    self.tell("real numbers are not read", "models are finite here");
                    return Err(Told);
                }
                let number = text.parse::<BigInt>().unwrap_or_default();
                Ok(Expression {
                    kind: Kind::Number(number),
                    span,
                })
            }
            Token::Word => {
                self.advance();
                let kind = self.word_constant(&text, span)?;
                Ok(Expression { kind, span })
            }
            Token::Symbol("(") => {
                self.advance();
                let outside = std::mem::replace(&mut self.bracketed, false);
                let inner = self.expression()?;
                self.bracketed = outside;
                let end = self.expect(")", "close the parenthesis")?;
                Ok(Expression {
                    kind: inner.kind,
                    span: span.to(end),
                })
            }
            Token::Symbol("{") => {
                self.advance();
                let values = self.expressions_of_set()?;
                let span = span.to(self.before());
                Ok(Expression {
                    kind: Kind::Set(values),
                    span,
                })
            }
            Token::Symbol("[") => {
                self.advance();
                let values = self.expressions("]")?;
                let span = span.to(self.before());
                Ok(Expression {
                    kind: Kind::List(values),
                    span,
                })
            }
            Token::Name => self.word_expression(&text, span),
            _ => {
                let message = format!("expected an expression, found {}", self.found());
                self.tell(message, "something is missing here");
                Err(Told)
            }
        }
    }

    fn expressions_of_set(&mut self) -> Parsed<Vec<Expression>> {
        let values = self.expressions("}");
        let is_sequence = self.psl && (self.is("|->") || self.is("|=>"));
        if is_sequence {
            self.tell("sequences of PSL are not read", "write the property in LTL");
            return Err(Told);
        }
        values
    }

    fn word_expression(&mut self, text: &str, span: Span) -> Parsed<Expression> {
        let kind = match text {
            "TRUE" | "FALSE" => Kind::Bool(text == "TRUE"),
            "self" => Kind::Itself,
            "case" => return self.case(span),
            "next" => {
                self.advance();
                self.expect("(", "as `next(x)`")?;
                let inner = Box::new(self.expression()?);
                let end = self.expect(")", "close the parenthesis")?;
                return Ok(Expression {
                    kind: Kind::Next(inner),
                    span: span.to(end),
                });
            }
            "READ" | "WRITE" | "CONSTARRAY" | "typeof" => {
                self.tell(
                    format!("`{text}` is not read"),
                    "arrays have constant bounds here",
                );
                return Err(Told);
            }
            _ if Function::from_text(text).is_some() => return self.call(text, span),
            _ if self.psl && SEQUENCES.contains(&text) => {
                self.tell(
                    format!("`{text}` of PSL is not read"),
                    "write the property in LTL",
                );
                return Err(Told);
            }
            _ if is_reserved(text) => {
                let message = format!("expected an expression, found `{text}`");
                self.tell(message, "this word is reserved");
                return Err(Told);
            }
            _ => Kind::Name(text.to_string()),
        };
        self.advance();
        Ok(Expression { kind, span })
    }

    fn call(&mut self, text: &str, span: Span) -> Parsed<Expression> {
        self.advance();
        self.expect("(", "the arguments stand between parentheses")?;
        let arguments = self.expressions(")")?;
        let function = Function::from_text(text).unwrap_or(Function::Count);
        let span = span.to(self.before());
        Ok(Expression {
            kind: Kind::Call(function, arguments),
            span,
        })
    }

    fn case(&mut self, span: Span) -> Parsed<Expression> {
        self.advance();
        let mut branches = Vec::new();
        while !self.is_word("esac") {
            let condition = self.expression()?;
            self.expect(":", "a branch is `condition : value;`")?;
            let value = self.expression()?;
            branches.push((condition, value));
            if !self.is_word("esac") {
                self.expect(";", "end the branch with a semicolon")?;
            }
        }
        let end = self.advance();
        if branches.is_empty() {
            self.tell_at(
                span.to(end),
                "a `case` without branches has no value",
                "add a branch",
            );
            return Err(Told);
        }
        let kind = Kind::Case {
            branches,
            otherwise: None,
        };
        Ok(Expression {
            kind,
            span: span.to(end),
        })
    }

    /// `0sd8_255` and its kin; where no width is given, the digits tell it.
    fn word_constant(&mut self, text: &str, span: Span) -> Parsed<Kind> {
        let (head, digits) = text.split_once('_').unwrap_or((text, ""));
        let head = &head[1..];
        let signed = head.starts_with('s');
        let head = head.trim_start_matches(['s', 'u']);
        let (base, width) = head.split_at(1);
        let digits: String = digits.chars().filter(|digit| *digit != '_').collect();
        let (radix, bits) = match base.to_ascii_lowercase().as_str() {
            "b" => (2, 1),
            "o" => (8, 3),
            "h" => (16, 4),
            _ => (10, 0),
        };
        let width = match width {
            "" => Some(digits.len() as u32 * bits),
            given => given.parse().ok(),
        };
        let value = BigUint::parse_bytes(digits.as_bytes(), radix);
        match (width, value) {
            (Some(width), Some(value)) if (1..=WIDEST).contains(&width) => {
                // A signed constant may have the magnitude of the least value, which `-` makes of it.
                if value.bits() > u64::from(width) {
                    self.tell_at(
                        span,
                        format!("{value} does not fit {width} bits"),
                        "widen the word",
                    );
                    return Err(Told);
                }
                Ok(Kind::Word {
                    signed,
                    width,
                    bits: value,
                })
            }
            _ => {
                let message = format!("`{text}` is no constant of a word");
                let hint = format!("as 0ud8_255 or 0b_1010, of 1 to {WIDEST} bits");
                self.tell_at(span, message, hint);
                Err(Told)
            }
        }
    }
}
