//! The value of an `#if`: arithmetic in 64 bits, in which a name that is no macro is zero (C11 6.10.1).

use crate::c::literal;
use crate::c::token::{Kind, Token};
use proofmark_source::{Diagnostic, Span};

/// How deep parentheses and operators may be.
const DEEPEST: usize = 100;

/// A number, and whether it has no sign.
#[derive(Clone, Copy)]
struct Number {
    bits: u64,
    unsigned: bool,
}

impl Number {
    fn of(truth: bool) -> Number {
        Number {
            bits: u64::from(truth),
            unsigned: false,
        }
    }
}

/// Whether the condition holds.
pub(super) fn evaluate(tokens: &[Token], span: Span) -> Result<bool, Diagnostic> {
    let mut reader = Reader {
        tokens,
        at: 0,
        span,
        depth: 0,
        unused: 0,
    };
    let value = reader.conditional()?;
    match reader.tokens.get(reader.at) {
        None => Ok(value.bits != 0),
        Some(token) => Err(reader.fault(&format!("`{}` does not belong here", token.text))),
    }
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    span: Span,
    depth: usize,
    /// Within how many operands that do not count: these may divide by zero.
    unused: usize,
}

type Found = Result<Number, Diagnostic>;

/// Operators from the loosest to the tightest.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Reader<'_> {
    fn fault(&self, message: &str) -> Diagnostic {
        let place = self.tokens.get(self.at).map_or(self.span, |one| one.span);
        let hint = "a condition is made of integers, `defined` and operators";
        Diagnostic::error(place, message).with_hint(hint)
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|one| one.is(text));
        self.at += usize::from(found);
        found
    }

    fn deeper(&mut self) -> Result<(), Diagnostic> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(self.fault("this condition is too deep")),
            false => Ok(()),
        }
    }

    fn conditional(&mut self) -> Found {
        self.deeper()?;
        let condition = self.binary(0)?;
        let mut value = condition;
        if self.take("?") {
            let chosen = condition.bits != 0;
            let then = self.counted(chosen, Reader::conditional)?;
            if !self.take(":") {
                return Err(self.fault("expected `:`"));
            }
            let other = self.counted(!chosen, Reader::conditional)?;
            value = if chosen { then } else { other };
            value.unsigned = then.unsigned || other.unsigned;
        }
        self.depth -= 1;
        Ok(value)
    }

    fn counted(&mut self, counts: bool, read: impl FnOnce(&mut Self) -> Found) -> Found {
        self.unused += usize::from(!counts);
        let value = read(self);
        self.unused -= usize::from(!counts);
        value
    }

    fn binary(&mut self, level: usize) -> Found {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|one| self.take(one)) {
            let counts = match *operator {
                "||" => left.bits == 0,
                "&&" => left.bits != 0,
                _ => true,
            };
            let right = self.counted(counts, |reader| reader.binary(level + 1))?;
            left = self.apply(operator, left, right)?;
        }
        Ok(left)
    }

    fn apply(&self, operator: &str, left: Number, right: Number) -> Found {
        let unsigned = left.unsigned || right.unsigned;
        let (a, b) = (left.bits, right.bits);
        let (signed_a, signed_b) = (a as i64, b as i64);
        if b == 0 && matches!(operator, "/" | "%") {
            return match self.unused {
                0 => Err(self.fault("this condition divides by zero")),
                _ => Ok(left),
            };
        }
        let less = match unsigned {
            true => a < b,
            false => signed_a < signed_b,
        };
        let bits = match operator {
            "||" => return Ok(Number::of(a != 0 || b != 0)),
            "&&" => return Ok(Number::of(a != 0 && b != 0)),
            "==" => return Ok(Number::of(a == b)),
            "!=" => return Ok(Number::of(a != b)),
            "<" => return Ok(Number::of(less)),
            ">=" => return Ok(Number::of(!less)),
            ">" => return Ok(Number::of(!less && a != b)),
            "<=" => return Ok(Number::of(less || a == b)),
            "|" => a | b,
            "^" => a ^ b,
            "&" => a & b,
            "<<" => {
                return Ok(Number {
                    bits: a.wrapping_shl(b as u32),
                    ..left
                });
            }
            ">>" if left.unsigned => {
                return Ok(Number {
                    bits: a.wrapping_shr(b as u32),
                    ..left
                });
            }
            ">>" => signed_a.wrapping_shr(b as u32) as u64,
            "+" => a.wrapping_add(b),
            "-" => a.wrapping_sub(b),
            "*" => a.wrapping_mul(b),
            "/" if unsigned => a / b,
            "/" => signed_a.wrapping_div(signed_b) as u64,
            "%" if unsigned => a % b,
            _ => signed_a.wrapping_rem(signed_b) as u64,
        };
        Ok(Number { bits, unsigned })
    }

    fn unary(&mut self) -> Found {
        let mut signs = Vec::new();
        while let Some(sign) = ["!", "~", "-", "+"].into_iter().find(|one| self.take(one)) {
            signs.push(sign);
        }
        let mut value = self.primary()?;
        for sign in signs.into_iter().rev() {
            match sign {
                "!" => value = Number::of(value.bits == 0),
                "~" => value.bits = !value.bits,
                "-" => value.bits = value.bits.wrapping_neg(),
                _ => {}
            }
        }
        Ok(value)
    }

    fn primary(&mut self) -> Found {
        if self.take("(") {
            let value = self.conditional()?;
            return match self.take(")") {
                true => Ok(value),
                false => Err(self.fault("expected `)`")),
            };
        }
        let Some(token) = self.tokens.get(self.at) else {
            return Err(self.fault("expected a number"));
        };
        let value = match token.kind {
            Kind::Name => Number::of(false),
            Kind::Number => match literal::integer(token.text.as_str()) {
                Ok(found) => Number {
                    bits: found.value as u64,
                    unsigned: found.unsigned || found.value > i64::MAX as u128,
                },
                Err(message) => return Err(self.fault(&message)),
            },
            Kind::Character => match literal::character(token.text.as_str()) {
                Ok(value) => Number {
                    bits: value as u64,
                    unsigned: false,
                },
                Err(message) => return Err(self.fault(&message)),
            },
            _ => return Err(self.fault(&format!("expected a number, found `{}`", token.text))),
        };
        self.at += 1;
        // A call of what is no macro, as `__has_feature(x)`, is zero.
        if token.kind == Kind::Name && self.take("(") {
            while self.at < self.tokens.len() && !self.take(")") {
                self.at += 1;
            }
        }
        Ok(value)
    }
}
