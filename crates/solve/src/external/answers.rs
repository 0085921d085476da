//! Reads what solvers answer: values, exactly, and the literals of cores.
//!
//! Solvers write numbers in many ways (`3`, `3.0`, `(- 3)`, `(/ 1 3)`, `(- (/ 1.0 3.0))`); the sort
//! that was asked for decides what they mean. What is not understood is an error with the words of
//! the solver, never a guess.

use crate::smtlib::lexer::{Kind, Lexer};
use num_bigint::{BigInt, BigUint};
use proofmark_model::{BitVec, Rational, Sort, Value};
use proofmark_source::FileId;

/// Values are shallow; an answer that is deeper is none.
const DEEPEST: usize = 8;

/// A list or an atom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Atom(Kind, String),
    List(Vec<Answer>),
}

/// Reads one list or atom; `None` when the text is something else.
pub fn parse(file: FileId, text: &str) -> Option<Answer> {
    let mut lexer = Lexer::new(file, text);
    let mut open: Vec<Vec<Answer>> = Vec::new();
    loop {
        let token = lexer.token().ok()?;
        let complete = match token.kind {
            Kind::End => return None,
            Kind::Open if open.len() > DEEPEST => return None,
            Kind::Open => {
                open.push(Vec::new());
                continue;
            }
            Kind::Close => Answer::List(open.pop()?),
            kind => Answer::Atom(kind, lexer.name_of(token).to_string()),
        };
        match open.last_mut() {
            Some(list) => list.push(complete),
            None => {
                let end = lexer.token().ok()?;
                return (end.kind == Kind::End).then_some(complete);
            }
        }
    }
}

/// The value of this sort that an answer writes. Constructors are looked up by `constructor`.
pub fn value(
    answer: &Answer,
    sort: Sort,
    constructor: &dyn Fn(&str) -> Option<Value>,
) -> Option<Value> {
    match (sort, answer) {
        (Sort::Bool, Answer::Atom(_, text)) => text.parse().ok().map(Value::Bool),
        (Sort::Int, _) => number(answer).filter(Rational::is_integer).map(Value::Int),
        (Sort::Real, _) => number(answer).map(Value::Real),
        (Sort::BitVec(width), _) => bits(answer, width).map(Value::BitVec),
        (Sort::Enum(_), Answer::Atom(_, name)) => {
            constructor(name).filter(|value| value.sort() == sort)
        }
        (Sort::Enum(_), Answer::List(parts)) => match &parts[..] {
            [Answer::Atom(_, word), name, _] if word == "as" => value(name, sort, constructor),
            _ => None,
        },
        _ => None,
    }
}

/// Whether values that could not be read are roots of polynomials, as z3 and cvc5 write them.
pub fn has_roots(text: &str) -> bool {
    text.contains("(root-obj ") || text.contains("(_ real_algebraic_number ")
}

fn number(answer: &Answer) -> Option<Rational> {
    match answer {
        Answer::Atom(Kind::Numeral, digits) => integer(digits),
        Answer::Atom(Kind::Decimal, digits) => {
            let (whole, fraction) = digits.split_once('.')?;
            let scale = BigInt::from(10u8).pow(u32::try_from(fraction.len()).ok()?);
            let digits = BigInt::parse_bytes(format!("{whole}{fraction}").as_bytes(), 10)?;
            Some(Rational::from_big(digits, scale))
        }
        Answer::List(parts) => match &parts[..] {
            [Answer::Atom(_, minus), operand] if minus == "-" => Some(-number(operand)?),
            [Answer::Atom(_, cast), operand] if cast == "to_real" => number(operand),
            [Answer::Atom(_, slash), dividend, divisor] if slash == "/" => {
                let (dividend, divisor) = (number(dividend)?, number(divisor)?);
                (!divisor.is_zero()).then(|| dividend / divisor)
            }
            _ => None,
        },
        Answer::Atom(..) => None,
    }
}

fn integer(digits: &str) -> Option<Rational> {
    BigInt::parse_bytes(digits.as_bytes(), 10).map(Rational::from)
}

fn bits(answer: &Answer, width: u32) -> Option<BitVec> {
    let (digits, radix, written) = match answer {
        Answer::Atom(Kind::Binary, text) => (&text[2..], 2, text.len() - 2),
        Answer::Atom(Kind::Hexadecimal, text) => (&text[2..], 16, 4 * (text.len() - 2)),
        Answer::List(parts) => match &parts[..] {
            [
                Answer::Atom(_, underscore),
                Answer::Atom(_, name),
                Answer::Atom(_, written),
            ] if underscore == "_" => (name.strip_prefix("bv")?, 10, written.parse().ok()?),
            _ => return None,
        },
        Answer::Atom(..) => return None,
    };
    let number = BigUint::parse_bytes(digits.as_bytes(), radix)?;
    (written == width as usize).then(|| BitVec::new(width, number))
}

/// A literal of a core: the name, and whether it stands there without `not`.
pub fn literal(answer: &Answer) -> Option<(&str, Polarity)> {
    match answer {
        Answer::Atom(Kind::Symbol | Kind::Quoted, name) => Some((name, Polarity::Positive)),
        Answer::List(parts) => match &parts[..] {
            [Answer::Atom(_, not), Answer::Atom(_, name)] if not == "not" => {
                Some((name, Polarity::Negative))
            }
            _ => None,
        },
        Answer::Atom(..) => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Polarity {
    Positive,
    Negative,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_source::Sources;

    fn read(text: &str, sort: Sort) -> Option<Value> {
        let file = Sources::default().add("answer", String::new()).unwrap();
        value(&parse(file, text)?, sort, &|_| None)
    }

    #[test]
    fn numbers_are_exact_however_they_are_written() {
        let third = Some(Value::Real(Rational::new(-1, 3)));
        for text in [
            "(- (/ 1 3))",
            "(/ (- 1.0) 3.0)",
            "(/ 1 (- 3))",
            "(- (/ 1.0 3.0))",
        ] {
            assert_eq!(read(text, Sort::Real), third, "{text}");
        }
        let half = Some(Value::Real(Rational::new(1, 2)));
        assert_eq!(read("0.50", Sort::Real), half);
        assert_eq!(read("(- 7)", Sort::Int), Some(Value::Int((-7).into())));
        assert_eq!(read("1.5", Sort::Int), None);
        assert_eq!(read("(/ 1 0)", Sort::Real), None);
        assert_eq!(read("(root-obj (+ (^ x 2) (- 2)) 1)", Sort::Real), None);
        assert_eq!(read("1.41421?", Sort::Real), None);
    }

    #[test]
    fn bit_vectors_have_the_width_that_was_asked_for() {
        let nine = Some(Value::BitVec(BitVec::new(4, 9u32.into())));
        assert_eq!(read("#b1001", Sort::BitVec(4)), nine);
        assert_eq!(read("#x9", Sort::BitVec(4)), nine);
        assert_eq!(read("(_ bv9 4)", Sort::BitVec(4)), nine);
        assert_eq!(read("#b1001", Sort::BitVec(5)), None);
    }

    #[test]
    fn what_is_no_value_is_refused() {
        for text in [
            "",
            "(",
            ")",
            "1 2",
            "((((((((((((1))))))))))))",
            "(error \"no\")",
        ] {
            assert_eq!(read(text, Sort::Int), None, "{text}");
        }
    }
}
