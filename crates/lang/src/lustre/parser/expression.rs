//! Expressions, by operator precedence and with a stack of its own.
//!
//! From tight to loose: `.f` `[i]` `{f := e}`, `pre`, `not`, unary `-`, `* / div mod`, `+ -`,
//! `< <= > >= = <>`, `and`, `or xor`, `=>`, `->` and `fby`, `if`. All are left-associative but
//! `=>`, `->` and `fby`. A prefix operator may stand wherever an operand may, as in
//! `a + if c then b else d`.
//!
//! A [`Frame`] is what has been begun and waits for an operand. An operator that comes closes the
//! frames that bind at least as tight; a token that ends an operand closes them up to the innermost
//! bracket, which says what may come next.

use super::{Parsed, Parser, Reported};
use crate::lustre::lexer::{Keyword, Symbol, Token};
use crate::lustre::syntax::{
    Binary, CONDITIONAL, Expression, ExpressionId, Kind, Name, Unary, ends,
};
use proofmark_model as model;
use proofmark_source::{Diagnostic, Span};

enum Frame {
    Unary(Unary, Span),
    Binary(Binary, ExpressionId),
    Group(Vec<ExpressionId>, Span),
    Call(Name, Vec<ExpressionId>),
    Condact(Vec<ExpressionId>, Span),
    Cast(Unary, Span),
    AtMostOne(Vec<ExpressionId>, Span),
    Array(Vec<ExpressionId>, Span),
    Record {
        of: Name,
        fields: Vec<(Name, ExpressionId)>,
        field: Name,
    },
    Index(ExpressionId),
    UpdateIndex(ExpressionId, ExpressionId),
    UpdateField(ExpressionId, Name),
    Condition(Span),
    Then(ExpressionId, Span),
    Else(ExpressionId, ExpressionId, Span),
}

/// What comes next: an operand, or something after one.
enum State {
    Operand,
    After(ExpressionId),
}

impl Frame {
    /// How tight an open operator binds; a bracket does not bind.
    fn precedence(&self) -> Option<u8> {
        match self {
            Frame::Unary(operator, _) => operator.precedence(),
            Frame::Binary(operator, _) => Some(operator.precedence()),
            Frame::Else(..) => Some(CONDITIONAL),
            _ => None,
        }
    }
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<ExpressionId> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut state = State::Operand;
        loop {
            state = match state {
                State::Operand => self.operand(&mut frames)?,
                State::After(operand) => {
                    if let Some(next) = self.postfix(operand, &mut frames)? {
                        next
                    } else if let Some(operator) = self.binary_operator()? {
                        let left = self.close(operand, &mut frames, |open| {
                            ends(operator.precedence(), open)
                        });
                        self.advance();
                        frames.push(Frame::Binary(operator, left));
                        State::Operand
                    } else {
                        let whole = self.close(operand, &mut frames, |_| true);
                        match frames.pop() {
                            None => return Ok(whole),
                            Some(frame) => self.bracket(frame, whole, &mut frames)?,
                        }
                    }
                }
            };
        }
    }

    fn add(&mut self, kind: Kind, span: Span) -> ExpressionId {
        let id = ExpressionId(self.program.expressions.len() as u32);
        self.program.expressions.push(Expression { kind, span });
        id
    }

    /// From where an expression starts to the token before the one at hand.
    fn since(&self, start: ExpressionId) -> Span {
        self.program.span(start).to(self.last_span())
    }

    fn binary_operator(&mut self) -> Parsed<Option<Binary>> {
        if self.peek() != Token::Name {
            return Ok(Binary::from_token(self.peek()));
        }
        match self.token_text() {
            "fby" => Ok(Some(Binary::FollowedBy)),
            "when" => Err(self.unsupported("when")),
            _ => {
                let last = self.last_span();
                let word = &self.text[last.start as usize..last.end as usize];
                match word {
                    "current" => Err(self.unsupported("current")),
                    "merge" => Err(self.unsupported("merge")),
                    _ => Ok(None),
                }
            }
        }
    }

    /// Clocks of the language's other dialects.
    fn unsupported(&mut self, word: &str) -> Reported {
        let message = format!("`{word}` is not supported: all flows here have one clock");
        let hint = "use `condact(clock, node(…), default, …)` to run a node at some steps only";
        let error = Diagnostic::error(self.span(), message).with_hint(hint);
        self.diagnostics.push(error);
        Reported
    }

    /// An operand, or what must come before one.
    fn operand(&mut self, frames: &mut Vec<Frame>) -> Parsed<State> {
        let span = self.span();
        let mut open = |parser: &mut Self, frame| {
            parser.advance();
            frames.push(frame);
            Ok(State::Operand)
        };
        match self.peek() {
            Token::Name => self.named(frames),
            Token::Integer | Token::Real => {
                let is_integer = self.peek() == Token::Integer;
                let number = self.number()?;
                let kind = match is_integer {
                    true => Kind::Integer(number),
                    false => Kind::Real(number),
                };
                Ok(State::After(self.add(kind, span)))
            }
            Token::Keyword(Keyword::True) => Ok(self.boolean(true)),
            Token::Keyword(Keyword::False) => Ok(self.boolean(false)),
            Token::Keyword(Keyword::Pre) => open(self, Frame::Unary(Unary::Pre, span)),
            Token::Keyword(Keyword::Not) => open(self, Frame::Unary(Unary::Not, span)),
            Token::Symbol(Symbol::Minus) => open(self, Frame::Unary(Unary::Negate, span)),
            Token::Keyword(Keyword::If) => open(self, Frame::Condition(span)),
            Token::Symbol(Symbol::Open) => open(self, Frame::Group(Vec::new(), span)),
            Token::Symbol(Symbol::OpenBracket) => open(self, Frame::Array(Vec::new(), span)),
            Token::Keyword(Keyword::Real) => self.opening(Frame::Cast(Unary::ToReal, span), frames),
            Token::Keyword(Keyword::Floor) => self.opening(Frame::Cast(Unary::Floor, span), frames),
            Token::Keyword(Keyword::Condact) => {
                self.opening(Frame::Condact(Vec::new(), span), frames)
            }
            Token::Symbol(Symbol::Hash) => self.opening(Frame::AtMostOne(Vec::new(), span), frames),
            _ => Err(self.expected("an expression")),
        }
    }

    /// A word that must be followed by `(`.
    fn opening(&mut self, frame: Frame, frames: &mut Vec<Frame>) -> Parsed<State> {
        self.advance();
        self.expect_symbol(Symbol::Open)?;
        frames.push(frame);
        Ok(State::Operand)
    }

    fn boolean(&mut self, value: bool) -> State {
        let span = self.advance();
        State::After(self.add(Kind::Boolean(value), span))
    }

    /// A variable or the name of a record's type.
    fn named(&mut self, frames: &mut Vec<Frame>) -> Parsed<State> {
        let name = self.name("a name")?;
        let is_record = self.peek() == Token::Symbol(Symbol::OpenBrace)
            && self.peek_ahead(1) == Token::Name
            && self.peek_ahead(2) == Token::Symbol(Symbol::Equal);
        if !is_record {
            return Ok(State::After(self.add(Kind::Name(name.text), name.span)));
        }
        self.advance();
        let field = self.field()?;
        frames.push(Frame::Record {
            of: name,
            fields: Vec::new(),
            field,
        });
        Ok(State::Operand)
    }

    /// `name =` in a record.
    fn field(&mut self) -> Parsed<Name> {
        let field = self.name("the name of a field")?;
        self.expect_symbol(Symbol::Equal)?;
        Ok(field)
    }

    /// What binds to the operand before it most tightly.
    fn postfix(&mut self, operand: ExpressionId, frames: &mut Vec<Frame>) -> Parsed<Option<State>> {
        match self.peek() {
            Token::Symbol(Symbol::Open) => {
                let Some(path) = self.call_path(operand) else {
                    return Ok(None);
                };
                let text = model::Symbol::new(&path);
                let span = self.program.span(operand);
                self.forget_path(operand);
                self.advance();
                let callee = Name { text, span };
                if let Some(close) = self.symbol(Symbol::Close) {
                    let arguments = Vec::new();
                    let call = Kind::Call { callee, arguments };
                    return Ok(Some(State::After(self.add(call, span.to(close)))));
                }
                frames.push(Frame::Call(callee, Vec::new()));
                Ok(Some(State::Operand))
            }
            Token::Symbol(Symbol::Dot) => {
                self.advance();
                let field = self.name("the name of a field")?;
                let kind = Kind::Field(operand, field);
                let span = self.since(operand);
                Ok(Some(State::After(self.add(kind, span))))
            }
            Token::Symbol(Symbol::OpenBracket) => {
                self.advance();
                frames.push(Frame::Index(operand));
                Ok(Some(State::Operand))
            }
            Token::Symbol(Symbol::OpenBrace) => {
                self.advance();
                let field = self.name("the name of a field")?;
                self.expect_symbol(Symbol::Assign)?;
                frames.push(Frame::UpdateField(operand, field));
                Ok(Some(State::Operand))
            }
            _ => Ok(None),
        }
    }

    /// The name that is called, when the operand is one and nothing separates it from the `(`.
    fn call_path(&self, operand: ExpressionId) -> Option<String> {
        if self.tokens.kinds[self.position.saturating_sub(1)] != Token::Name {
            return None;
        }
        match self.program.expression(operand).kind {
            Kind::Name(_) | Kind::Field(..) => self.program.path(operand),
            _ => None,
        }
    }

    /// Takes back the expressions that turned out to spell the name of a callee; they are the last.
    fn forget_path(&mut self, operand: ExpressionId) {
        let mut first = operand;
        while let Kind::Field(base, _) | Kind::Index { base, .. } =
            &self.program.expression(first).kind
        {
            first = *base;
        }
        self.program.expressions.truncate(first.index());
    }

    /// Closes the open operators that bind as tight as wanted.
    fn close(
        &mut self,
        operand: ExpressionId,
        frames: &mut Vec<Frame>,
        wanted: impl Fn(u8) -> bool,
    ) -> ExpressionId {
        let mut operand = operand;
        while let Some(tightness) = frames.last().and_then(Frame::precedence) {
            if !wanted(tightness) {
                break;
            }
            let (kind, start) = match frames.pop() {
                Some(Frame::Unary(operator, start)) => (Kind::Unary(operator, operand), start),
                Some(Frame::Binary(operator, left)) => {
                    let start = self.program.span(left);
                    (Kind::Binary(operator, left, operand), start)
                }
                Some(Frame::Else(condition, then, start)) => {
                    (Kind::If([condition, then, operand]), start)
                }
                // Only these have a precedence.
                _ => break,
            };
            let span = start.to(self.program.span(operand)).to(self.last_span());
            operand = self.add(kind, span);
        }
        operand
    }

    /// What a finished operand is to the bracket around it.
    fn bracket(
        &mut self,
        frame: Frame,
        operand: ExpressionId,
        frames: &mut Vec<Frame>,
    ) -> Parsed<State> {
        match frame {
            Frame::Group(items, start) => {
                self.list(items, operand, Symbol::Close, frames, |items| {
                    Frame::Group(items, start)
                })
            }
            Frame::Call(callee, items) => {
                self.list(items, operand, Symbol::Close, frames, |items| {
                    Frame::Call(callee, items)
                })
            }
            Frame::Condact(items, start) => {
                self.list(items, operand, Symbol::Close, frames, |items| {
                    Frame::Condact(items, start)
                })
            }
            Frame::AtMostOne(items, start) => {
                self.list(items, operand, Symbol::Close, frames, |items| {
                    Frame::AtMostOne(items, start)
                })
            }
            Frame::Array(items, start) => {
                self.list(items, operand, Symbol::CloseBracket, frames, |items| {
                    Frame::Array(items, start)
                })
            }
            Frame::Cast(operator, start) => {
                let close = self.expect_symbol(Symbol::Close)?;
                let kind = Kind::Unary(operator, operand);
                Ok(State::After(self.add(kind, start.to(close))))
            }
            Frame::Record { of, fields, field } => {
                self.record(of, fields, (field, operand), frames)
            }
            Frame::Condition(start) => {
                self.expect_keyword(Keyword::Then)?;
                frames.push(Frame::Then(operand, start));
                Ok(State::Operand)
            }
            Frame::Then(condition, start) => {
                let hint = "an `if` always has an `else`";
                if self.keyword(Keyword::Else).is_none() {
                    return Err(self.expected_with("`else`", Some(hint)));
                }
                frames.push(Frame::Else(condition, operand, start));
                Ok(State::Operand)
            }
            Frame::Index(base) if self.symbol(Symbol::Assign).is_some() => {
                frames.push(Frame::UpdateIndex(base, operand));
                Ok(State::Operand)
            }
            Frame::Index(base) => {
                self.expect_symbol(Symbol::CloseBracket)?;
                let index = operand;
                Ok(self.finish_postfix(base, Kind::Index { base, index }))
            }
            Frame::UpdateIndex(base, index) => {
                self.expect_symbol(Symbol::CloseBracket)?;
                let value = operand;
                Ok(self.finish_postfix(base, Kind::UpdateIndex { base, index, value }))
            }
            Frame::UpdateField(base, field) => {
                self.expect_symbol(Symbol::CloseBrace)?;
                let value = operand;
                Ok(self.finish_postfix(base, Kind::UpdateField { base, field, value }))
            }
            Frame::Unary(..) | Frame::Binary(..) | Frame::Else(..) => {
                unreachable!("operators are closed before their bracket is looked at")
            }
        }
    }

    fn finish_postfix(&mut self, base: ExpressionId, kind: Kind) -> State {
        let span = self.since(base);
        State::After(self.add(kind, span))
    }

    /// One more item of a list in brackets: another comes after a comma, or the list ends.
    fn list(
        &mut self,
        mut items: Vec<ExpressionId>,
        item: ExpressionId,
        close: Symbol,
        frames: &mut Vec<Frame>,
        reopen: impl FnOnce(Vec<ExpressionId>) -> Frame,
    ) -> Parsed<State> {
        items.push(item);
        let frame = reopen(items);
        if self.symbol(Symbol::Comma).is_some() {
            frames.push(frame);
            return Ok(State::Operand);
        }
        let Some(end) = self.symbol(close) else {
            return Err(self.expected(&format!("`,` or `{}`", close.text())));
        };
        let (kind, start) = match frame {
            Frame::Group(items, start) => match items[..] {
                [only] => {
                    // The parentheses become part of its place, so that a message shows them.
                    self.program.expressions[only.index()].span = start.to(end);
                    return Ok(State::After(only));
                }
                _ => (Kind::Tuple(items), start),
            },
            Frame::Call(callee, arguments) => (Kind::Call { callee, arguments }, callee.span),
            Frame::Condact(items, start) => (Kind::Condact(items), start),
            Frame::AtMostOne(items, start) => (Kind::AtMostOne(items), start),
            Frame::Array(items, start) => (Kind::Array(items), start),
            _ => unreachable!("`list` is called with lists"),
        };
        Ok(State::After(self.add(kind, start.to(end))))
    }

    fn record(
        &mut self,
        of: Name,
        mut fields: Vec<(Name, ExpressionId)>,
        last: (Name, ExpressionId),
        frames: &mut Vec<Frame>,
    ) -> Parsed<State> {
        fields.push(last);
        let more = self.symbol(Symbol::Semicolon).is_some();
        if more && self.peek() != Token::Symbol(Symbol::CloseBrace) {
            let field = self.field()?;
            frames.push(Frame::Record { of, fields, field });
            return Ok(State::Operand);
        }
        let Some(end) = self.symbol(Symbol::CloseBrace) else {
            return Err(self.expected("`;` or `}`"));
        };
        let kind = Kind::Record { of, fields };
        Ok(State::After(self.add(kind, of.span.to(end))))
    }
}
