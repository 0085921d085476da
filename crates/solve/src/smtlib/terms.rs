//! Reads terms: the part of the reader that almost all of its time is spent in.
//!
//! The stack of open parentheses is a vector of small frames, the terms that wait for their
//! operator another; depth costs memory and nothing else. An application is built when its
//! parenthesis closes.

use super::lexer::{Fault, Kind, Token};
use super::names::{Binding, NameId, Reserved, Shadowed};
use super::operators::{self, Operator, Refusal, TABLE, WIDEST, as_real};
use super::reader::{Located, Reader, shorten};
use num_bigint::{BigInt, BigUint};
use proofmark_model::{BitVec, Op, Rational, Sort, Term, Value};

/// No literal has more digits: exact arithmetic on longer ones takes minutes.
const MOST_DIGITS: usize = 100_000;

/// An open parenthesis.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    kind: Pending,
    /// Where its operands begin.
    first: u32,
    /// Where it stands in the text.
    at: u32,
}

/// What an open parenthesis waits for. Kept small: scripts may open millions.
#[derive(Clone, Copy)]
enum Pending {
    Operator(Operator),
    Indexed(Operator, u32, u32),
    /// A declared function, by its number.
    Function(u32),
    Macro(u32),
    /// The bindings of a `let`, so many of them read.
    LetBindings(u32),
    /// The body of a `let` with so many bindings.
    LetBody(u32),
    /// The term of `(! term …)`.
    Annotated,
}

/// A name bound by a `let` that is open, with the meaning it had.
#[derive(Clone, Copy)]
pub(super) struct LetBinding {
    name: NameId,
    at: u32,
    shadowed: Option<Shadowed>,
}

impl<'t> Reader<'t> {
    pub(super) fn located_term(&mut self) -> Result<Located, Fault> {
        self.named_term().map(|(term, _)| term)
    }

    /// A term, its place, and the name when the whole of it is named.
    pub(super) fn named_term(&mut self) -> Result<(Located, Option<&'t str>), Fault> {
        self.frames.clear();
        self.operands.clear();
        self.bindings.clear();
        self.functions.clear();
        let mut token = self.lexer.token()?;
        let start = token.start;
        loop {
            let complete = match token.kind {
                Kind::Open => self.open_term(token)?,
                Kind::Close => Some(self.close_term(token)?),
                _ => Some(self.atom(token)?),
            };
            if let Some(term) = complete
                && let Some(name) = self.hand_over(term)?
            {
                let span = self.lexer.span_between(start, self.lexer.position());
                return Ok((Located { term, span }, name));
            }
            token = self.lexer.token()?;
        }
    }

    /// Gives a complete term to the parenthesis around it. When there is none, that was the whole
    /// term, and the result is the name it was given, if any.
    #[inline]
    fn hand_over(&mut self, term: Term) -> Result<Option<Option<&'t str>>, Fault> {
        let mut name = None;
        loop {
            let Some(frame) = self.frames.last_mut() else {
                return Ok(Some(name));
            };
            match frame.kind {
                Pending::LetBody(bindings) => {
                    self.end_let(bindings)?;
                    name = None;
                }
                Pending::Annotated => name = self.annotate(term)?,
                Pending::LetBindings(read) => {
                    frame.kind = Pending::LetBindings(read + 1);
                    self.operands.push(term);
                    self.close("`)` after the term that a name is bound to")?;
                    self.next_binding()?;
                    return Ok(None);
                }
                _ => {
                    self.operands.push(term);
                    return Ok(None);
                }
            }
        }
    }

    #[inline]
    fn atom(&mut self, token: Token) -> Result<Term, Fault> {
        match token.kind {
            Kind::Symbol | Kind::Quoted => {
                let id = self.id_of(token);
                match self.names.binding(id) {
                    Binding::Term(term) => Ok(term),
                    binding => Err(self.not_a_term(token, binding)),
                }
            }
            Kind::Numeral => self.numeral(token),
            Kind::Decimal => self.decimal(token),
            Kind::Hexadecimal | Kind::Binary => self.bits(token),
            _ => Err(self.missing_term(token)),
        }
    }

    fn missing_term(&self, token: Token) -> Fault {
        let fault = self.expected("a term", token);
        match self.frames.last() {
            Some(frame) => {
                let open = Token {
                    kind: Kind::Open,
                    start: frame.at,
                    end: frame.at + 1,
                };
                self.opened_by(open, fault)
            }
            None => fault,
        }
    }

    fn not_a_term(&self, token: Token, binding: Binding) -> Fault {
        let name = shorten(self.lexer.name_of(token));
        let is_negative = name
            .strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let (message, hint) = match binding {
            Binding::Free if is_negative => (
                format!("expected a term, found `{name}`"),
                "a negative number is written with the operator, as in (- 1)",
            ),
            Binding::Free => (
                format!("expected a term, found `{name}`, which is not declared here"),
                "declare it with declare-fun or declare-const before its first use; pop forgets what was declared after its push",
            ),
            Binding::Reserved(_) => (
                format!("expected a term, found the reserved word `{name}`"),
                "such a word stands only after `(`",
            ),
            _ => (
                format!("expected a term, found the function `{name}` without arguments"),
                "write the function and its arguments between parentheses",
            ),
        };
        self.fault(token, message).with_hint(hint).into()
    }

    /// What follows `(`: a term when it is complete already, as `(_ bv1 8)`.
    #[inline]
    fn open_term(&mut self, open: Token) -> Result<Option<Term>, Fault> {
        let head = self.lexer.token()?;
        let kind = match head.kind {
            Kind::Symbol | Kind::Quoted => {
                let id = self.id_of(head);
                match self.names.binding(id) {
                    Binding::Operator(operator) => Pending::Operator(operator),
                    Binding::Macro(index) => Pending::Macro(index),
                    Binding::Function(function) => {
                        self.functions.push(function);
                        Pending::Function(self.functions.len() as u32 - 1)
                    }
                    Binding::Reserved(word) => return self.open_reserved(word, open, head),
                    binding => return Err(self.not_a_function(head, binding)),
                }
            }
            Kind::Open => return self.open_indexed(open).map(|()| None),
            _ => {
                let fault = self.expected("a function after `(`", head);
                return Err(self.opened_by(open, fault));
            }
        };
        self.push_frame(kind, open);
        Ok(None)
    }

    fn push_frame(&mut self, kind: Pending, open: Token) {
        self.frames.push(Frame {
            kind,
            first: self.operands.len() as u32,
            at: open.start,
        });
    }

    fn not_a_function(&self, head: Token, binding: Binding) -> Fault {
        let name = shorten(self.lexer.name_of(head));
        let (message, hint) = match binding {
            Binding::Term(_) => (
                format!("expected a function after `(`, found `{name}`, which takes no arguments"),
                "write a constant without parentheses",
            ),
            _ => (
                format!(
                    "expected a function after `(`, found `{name}`, which is not declared here"
                ),
                "the functions are those of Core, Ints, Reals and FixedSizeBitVectors as far as the logic has them, and what the script declares before its first use",
            ),
        };
        self.fault(head, message).with_hint(hint).into()
    }

    fn open_reserved(
        &mut self,
        word: Reserved,
        open: Token,
        head: Token,
    ) -> Result<Option<Term>, Fault> {
        match word {
            Reserved::Let => {
                self.open("`(` and the bindings of the `let`")?;
                self.push_frame(Pending::LetBindings(0), open);
                self.next_binding()?;
                Ok(None)
            }
            Reserved::Annotation => {
                self.push_frame(Pending::Annotated, open);
                Ok(None)
            }
            Reserved::Underscore => self.indexed_constant().map(Some),
            Reserved::As => self.qualified().map(Some),
            Reserved::Unsupported => {
                let word = self.lexer.text_of(head);
                let message = format!("unsupported: `{word}`; terms are free of quantifiers");
                Err(self.fault(head, message).into())
            }
            Reserved::Word => Err(self.expected("a function after `(`", head)),
        }
    }

    /// `(_ bv10 32)`, after the underscore.
    fn indexed_constant(&mut self) -> Result<Term, Fault> {
        let (name, token) = self.symbol("the name of an indexed constant, as bv10")?;
        let digits = name.strip_prefix("bv").unwrap_or("");
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let name = shorten(name);
            let message = format!("expected an indexed constant as (_ bv10 32), found `{name}`");
            return Err(self.fault(token, message).into());
        }
        let number = self.digits(digits, token)?;
        let width = self.width()?;
        self.close("`)` after the width")?;
        let bits = BitVec::new(width, number.magnitude().clone());
        Ok(Term::constant(Value::BitVec(bits)))
    }

    /// `(as red Color)`, after `as`.
    fn qualified(&mut self) -> Result<Term, Fault> {
        let token = self.lexer.token()?;
        let term = self.atom(token)?;
        let sort = self.sort()?;
        self.close("`)` after the sort")?;
        if term.sort() == sort {
            return Ok(term);
        }
        let found = term.sort();
        let message = format!("expected a term of sort {sort}, found one of sort {found}");
        Err(self.fault(token, message).into())
    }

    /// An application `((_ name index …) …`, after the second parenthesis.
    fn open_indexed(&mut self, open: Token) -> Result<(), Fault> {
        let underscore = self.lexer.token()?;
        if underscore.kind != Kind::Symbol || self.lexer.text_of(underscore) != "_" {
            let fault = self.expected("`_` and an indexed function after `((`", underscore);
            return Err(self.opened_by(open, fault));
        }
        let (name, token) = self.symbol("the name of an indexed function")?;
        let row = TABLE.iter().find(|row| row.indices > 0 && row.name == name);
        let Some(row) = row else {
            let name = shorten(name);
            let message = format!("expected an indexed function, found `{name}`");
            let hint = "they are extract, repeat, zero_extend, sign_extend, rotate_left, rotate_right, divisible and is";
            return Err(self.fault(token, message).with_hint(hint).into());
        };
        self.push_frame(Pending::Operator(row.operator), open);
        let kind = match row.operator {
            // Their index is a term, and becomes the first operand.
            Operator::Is | Operator::Divisible => {
                let index = self.index_term(row.operator)?;
                self.operands.push(index);
                Pending::Operator(row.operator)
            }
            _ => {
                let first = self.index()?;
                let second = if row.indices == 2 { self.index()? } else { 0 };
                Pending::Indexed(row.operator, first, second)
            }
        };
        if let Some(frame) = self.frames.last_mut() {
            frame.kind = kind;
        }
        self.close("`)` after the index")?;
        Ok(())
    }

    fn index(&mut self) -> Result<u32, Fault> {
        let token = self.lexer.token()?;
        if token.kind != Kind::Numeral {
            return Err(self.expected("a numeral as index", token));
        }
        self.lexer.text_of(token).parse().map_err(|_| {
            let found = shorten(self.lexer.text_of(token));
            let message = format!("expected an index below 2^32, found {found}");
            self.fault(token, message).into()
        })
    }

    fn index_term(&mut self, operator: Operator) -> Result<Term, Fault> {
        let token = self.lexer.token()?;
        if operator == Operator::Is {
            let constructor = self.atom(token)?;
            return match constructor.op() {
                Op::Const(Value::Enum(..)) => Ok(constructor),
                _ => Err(self.expected("a constructor", token)),
            };
        }
        if token.kind != Kind::Numeral {
            return Err(self.expected("a positive numeral as index", token));
        }
        let number = self.digits(self.lexer.text_of(token), token)?;
        let divisor = Rational::from(number);
        if divisor.is_zero() {
            return Err(self.expected("a positive numeral as index", token));
        }
        Ok(Term::constant(Value::Int(divisor)))
    }

    /// Builds the application whose parenthesis closes here.
    #[inline]
    fn close_term(&mut self, close: Token) -> Result<Term, Fault> {
        let Some(frame) = self.frames.last().copied() else {
            return Err(self.missing_term(close));
        };
        let first = frame.first as usize;
        let args = &mut self.operands[first..];
        let built = match frame.kind {
            Pending::Operator(operator) => operators::apply(operator, [0, 0], args),
            Pending::Indexed(operator, i, j) => operators::apply(operator, [i, j], args),
            Pending::Function(index) => {
                let function = self.functions[index as usize];
                fit(function.domain(), args).and_then(|()| {
                    Term::build(Op::Apply(function), args).map_err(|_| Refusal::Sorts)
                })
            }
            Pending::Macro(index) => {
                let called = &mut self.macros[index as usize];
                fit(&called.parameters, args).and_then(|()| called.call(args, &mut self.scratch))
            }
            Pending::LetBindings(_) | Pending::LetBody(_) | Pending::Annotated => {
                return Err(self.missing_term(close));
            }
        };
        let term = built.map_err(|refusal| self.refused(frame, refusal))?;
        if let Pending::Function(_) = frame.kind {
            self.functions.pop();
        }
        self.operands.truncate(first);
        self.frames.pop();
        Ok(term)
    }

    #[cold]
    fn refused(&self, frame: Frame, refusal: Refusal) -> Fault {
        let message = match refusal {
            Refusal::Sorts => self.wrong_sorts(frame),
            Refusal::Width => {
                format!("expected bit-vectors of at most {WIDEST} bits, found a wider one")
            }
            Refusal::Number => {
                "expected numbers that fit the memory, found a constant of millions of digits"
                    .into()
            }
            Refusal::Distinct => {
                "expected fewer arguments of `distinct`: it is the conjunction over all pairs"
                    .into()
            }
        };
        // The parenthesis tells the place; a term of many lines would hide it.
        let head = Token {
            kind: Kind::Open,
            start: frame.at,
            end: frame.at + 1,
        };
        self.fault(head, message).into()
    }

    fn wrong_sorts(&self, frame: Frame) -> String {
        const SHOWN: usize = 8;
        let first = match frame.kind {
            Pending::Operator(Operator::Is | Operator::Divisible) => frame.first as usize + 1,
            _ => frame.first as usize,
        };
        let found = self.operands[first..].iter().map(|arg| arg.sort());
        let mut found: Vec<String> = found.take(SHOWN + 1).map(|sort| sort.to_string()).collect();
        if found.len() > SHOWN {
            found[SHOWN] = format!("… {} in all", self.operands.len() - first);
        }
        let found = found.join(" ");
        let joined = |sorts: &[Sort]| {
            let sorts: Vec<String> = sorts.iter().map(ToString::to_string).collect();
            sorts.join(" ")
        };
        match frame.kind {
            Pending::Operator(operator) | Pending::Indexed(operator, _, _) => {
                let row = operator.row();
                format!(
                    "expected {} as arguments of `{}`, found ({found})",
                    row.takes, row.name
                )
            }
            Pending::Function(index) => {
                let function = self.functions[index as usize];
                let (domain, name) = (joined(function.domain()), function.name());
                format!("expected ({domain}) as arguments of `{name}`, found ({found})")
            }
            Pending::Macro(index) => {
                let parameters = &self.macros[index as usize].parameters;
                let count = parameters.len();
                format!(
                    "expected the {count} arguments of the definition, of sorts ({}), found ({found})",
                    shorten(&joined(parameters))
                )
            }
            _ => "expected an application".into(),
        }
    }

    /// The name of the next binding of a `let`, or the end of its bindings.
    fn next_binding(&mut self) -> Result<(), Fault> {
        let token = self.lexer.token()?;
        let read = match self.frames.last() {
            Some(Frame {
                kind: Pending::LetBindings(read),
                ..
            }) => *read,
            _ => 0,
        };
        match token.kind {
            Kind::Open => {
                let (_, at) = self.symbol("a name to bind")?;
                let name = self.local_name(at)?;
                self.bindings.push(LetBinding {
                    name,
                    at: at.start,
                    shadowed: None,
                });
                Ok(())
            }
            Kind::Close if read > 0 => self.begin_let(read),
            _ => Err(self.expected("`(`, a name and a term", token)),
        }
    }

    /// All bindings of a `let` are read; now they hold, all at once.
    fn begin_let(&mut self, count: u32) -> Result<(), Fault> {
        let binder = self.names.binder();
        let first_binding = self.bindings.len() - count as usize;
        let first_value = self.operands.len() - count as usize;
        for (offset, binding) in self.bindings[first_binding..].iter_mut().enumerate() {
            let value = Binding::Term(self.operands[first_value + offset]);
            binding.shadowed = self.names.shadow(binding.name, value, binder);
            if binding.shadowed.is_none() {
                let name = self.names.name(binding.name);
                let span = self
                    .lexer
                    .span_between(binding.at, binding.at + name.len() as u32);
                let message = format!("`{}` is bound twice in one `let`", shorten(name));
                return Err(proofmark_source::Diagnostic::error(span, message).into());
            }
        }
        self.operands.truncate(first_value);
        if let Some(frame) = self.frames.last_mut() {
            frame.kind = Pending::LetBody(count);
        }
        Ok(())
    }

    fn end_let(&mut self, count: u32) -> Result<(), Fault> {
        self.close("`)` at the end of the `let`")?;
        for _ in 0..count {
            if let Some(shadowed) = self.bindings.pop().and_then(|binding| binding.shadowed) {
                self.names.restore(shadowed);
            }
        }
        self.frames.pop();
        Ok(())
    }

    /// The attributes after the term of an annotation; the name when one of them gives it.
    fn annotate(&mut self, term: Term) -> Result<Option<&'t str>, Fault> {
        let mut name = None;
        loop {
            let token = self.lexer.token()?;
            match token.kind {
                Kind::Close => break,
                Kind::Keyword if self.lexer.text_of(token) == ":named" => {
                    name = Some(self.give_name(term)?);
                }
                Kind::Keyword => {
                    self.attribute_value()?;
                }
                _ => return Err(self.expected("an attribute as :named, or `)`", token)),
            }
        }
        self.frames.pop();
        Ok(name)
    }

    fn give_name(&mut self, term: Term) -> Result<&'t str, Fault> {
        let (name, token) = self.symbol("a name after :named")?;
        if self.in_definition {
            let message =
                "expected a closed term to name, found one inside a definition with parameters";
            return Err(self.fault(token, message).into());
        }
        let id = self.id_of(token);
        self.bind(id, token, Binding::Term(term))?;
        self.named.push((name, term));
        Ok(name)
    }

    fn numeral(&self, token: Token) -> Result<Term, Fault> {
        let text = self.lexer.text_of(token);
        // Eighteen digits fit a machine word.
        let number = match text.parse::<i64>() {
            Ok(number) if text.len() <= 18 => Rational::from(number),
            _ => Rational::from(self.digits(text, token)?),
        };
        Ok(Term::constant(if self.numerals_are_real {
            Value::Real(number)
        } else {
            Value::Int(number)
        }))
    }

    fn decimal(&self, token: Token) -> Result<Term, Fault> {
        let text = self.lexer.text_of(token);
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let fraction = fraction.trim_end_matches('0');
        let numerator = self.digits(&format!("{whole}{fraction}"), token)?;
        let denominator = BigInt::from(10u8).pow(fraction.len() as u32);
        let number = Rational::from_big(numerator, denominator);
        Ok(Term::constant(Value::Real(number)))
    }

    /// A number from decimal digits, of which there are not too many.
    fn digits(&self, digits: &str, token: Token) -> Result<BigInt, Fault> {
        self.check_length(digits.len(), token)?;
        match BigInt::parse_bytes(digits.as_bytes(), 10) {
            Some(number) => Ok(number),
            None => Err(self.expected("a number", token)),
        }
    }

    fn check_length(&self, digits: usize, token: Token) -> Result<(), Fault> {
        if digits <= MOST_DIGITS {
            return Ok(());
        }
        let message = format!("expected at most {MOST_DIGITS} digits in a number, found {digits}");
        Err(self.fault(token, message).into())
    }

    fn bits(&self, token: Token) -> Result<Term, Fault> {
        let digits = &self.lexer.text_of(token)[2..];
        self.check_length(digits.len(), token)?;
        let (radix, bits) = match token.kind {
            Kind::Hexadecimal => (16, 4),
            _ => (2, 1),
        };
        let width = digits.len() as u32 * bits;
        let number = BigUint::parse_bytes(digits.as_bytes(), radix).unwrap_or_default();
        Ok(Term::constant(Value::BitVec(BitVec::new(width, number))))
    }
}

/// Fits arguments to the sorts of parameters; integers become reals where those are wanted.
#[inline]
fn fit(parameters: &[Sort], args: &mut [Term]) -> Result<(), Refusal> {
    if parameters.len() != args.len() {
        return Err(Refusal::Sorts);
    }
    for (arg, sort) in args.iter_mut().zip(parameters) {
        if arg.sort() == *sort {
            continue;
        }
        if *sort != Sort::Real || arg.sort() != Sort::Int {
            return Err(Refusal::Sorts);
        }
        *arg = as_real(*arg);
    }
    Ok(())
}
