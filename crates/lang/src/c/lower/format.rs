//! `printf`: a format and its arguments become the pieces of a line of the log.

use super::operand::{Value, cast};
use super::{Lowered, Lowerer};
use crate::c::syntax::{Expr, ExprKind};
use proofmark_model::program::{Conversion, Padding, Piece, Scalar, StatementKind};
use proofmark_source::Span;

/// What stands between `%` and the letter.
#[derive(Default)]
struct Flags {
    left: bool,
    zeros: bool,
    width: u32,
    /// Of the length of the argument: `hh`, `h`, `l` and its like.
    bits: Option<u8>,
    /// How many arguments say how wide it is.
    stars: usize,
}

/// No value is padded to more.
const WIDEST: u32 = 200;

impl Lowerer<'_> {
    pub(super) fn log(&mut self, format: &Expr, arguments: &[Expr], span: Span) -> Lowered<()> {
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.logged_value(argument)?);
        }
        let pieces = match &format.kind {
            ExprKind::Text(units, _) => self.pieces_of(units, values, span)?,
            _ => {
                let text = self.logged_value(format)?;
                vec![piece(text, Conversion::String, &Flags::default())]
            }
        };
        self.emit(StatementKind::Log(pieces), span);
        Ok(())
    }

    pub(super) fn log_text(&mut self, text: &Expr, span: Span) -> Lowered<()> {
        let text = self.logged_value(text)?;
        let line = piece(text, Conversion::String, &Flags::default());
        let end = Piece::Text("\n".into());
        self.emit(StatementKind::Log(vec![line, end]), span);
        Ok(())
    }

    pub(super) fn log_character(&mut self, of: &Expr, span: Span) -> Lowered<()> {
        let value = self.logged_value(of)?;
        let one = piece(value, Conversion::Character, &Flags::default());
        self.emit(StatementKind::Log(vec![one]), span);
        Ok(())
    }

    fn pieces_of(&mut self, units: &[u32], values: Vec<Value>, span: Span) -> Lowered<Vec<Piece>> {
        let bytes: Vec<u8> = units.iter().map(|unit| *unit as u8).collect();
        let format = String::from_utf8_lossy(&bytes).into_owned();
        let mut values = values.into_iter();
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = format.as_str();
        while let Some(at) = rest.find('%') {
            plain.push_str(&rest[..at]);
            let (flags, letter, behind) = directive(&rest[at + 1..]);
            rest = behind;
            if letter == '%' {
                plain.push('%');
                continue;
            }
            for _ in 0..flags.stars {
                values.next();
            }
            let Some(conversion) = conversion(letter) else {
                if matches!(letter, 'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A') {
                    return self.refuse(span, "floating point");
                }
                let message = format!("`%{letter}` is no conversion of `printf`");
                self.warn(span, message, "use %d, %u, %x, %o, %c, %s or %p");
                continue;
            };
            let Some(value) = values.next() else {
                self.warn(
                    span,
                    "the format asks for more values than there are",
                    "add them",
                );
                plain.push('?');
                continue;
            };
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain).into()));
            }
            pieces.push(piece(as_asked(value, letter, &flags), conversion, &flags));
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain.into()));
        }
        Ok(pieces)
    }
}

/// Flags, letter and what follows.
fn directive(text: &str) -> (Flags, char, &str) {
    let mut flags = Flags::default();
    let mut in_precision = false;
    for (at, one) in text.char_indices() {
        match one {
            '-' => flags.left = true,
            '0' if flags.width == 0 && !in_precision => flags.zeros = true,
            '+' | ' ' | '#' | '\'' => {}
            '0'..='9' if in_precision => {}
            '0'..='9' => {
                let digit = one.to_digit(10).unwrap_or(0);
                flags.width = (flags.width * 10 + digit).min(WIDEST);
            }
            '.' => in_precision = true,
            '*' => flags.stars += 1,
            'h' => flags.bits = Some(if flags.bits == Some(16) { 8 } else { 16 }),
            'l' | 'j' | 'z' | 't' | 'q' | 'L' => flags.bits = Some(64),
            letter => return (flags, letter, &text[at + letter.len_utf8()..]),
        }
    }
    (flags, '%', "")
}

fn conversion(letter: char) -> Option<Conversion> {
    Some(match letter {
        'd' | 'i' | 'u' => Conversion::Decimal,
        'x' => Conversion::Hexadecimal,
        'X' => Conversion::CapitalHexadecimal,
        'o' => Conversion::Octal,
        'c' => Conversion::Character,
        's' => Conversion::String,
        'p' => Conversion::Pointer,
        _ => return None,
    })
}

/// A value in the type that the letter asks for.
fn as_asked(value: Value, letter: char, flags: &Flags) -> Value {
    let bits = flags.bits.unwrap_or(32);
    let sort = match letter {
        'd' | 'i' => Scalar::signed(bits),
        'u' | 'x' | 'X' | 'o' => Scalar::unsigned(bits),
        'c' => Scalar::unsigned(8),
        _ => Scalar::Pointer,
    };
    Value {
        expression: cast(value.expression, sort),
        sort: value.sort,
    }
}

fn piece(value: Value, conversion: Conversion, flags: &Flags) -> Piece {
    let padding = match (flags.left, flags.zeros) {
        (true, _) => Padding::Right,
        (false, true) => Padding::Zeros,
        _ => Padding::Left,
    };
    Piece::Value {
        expression: value.expression,
        conversion,
        width: flags.width,
        padding,
    }
}
