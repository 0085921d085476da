//! Names of what the file lists; the comment after them is for people.

use super::cursor::{Cursor, Fault};
use super::sections::Header;
use proofmark_source::printable;
use rustc_hash::FxHashMap;

/// The kinds of things that may have a name, by the letter of their lines.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Named {
    Input,
    Latch,
    Output,
    Bad,
    Constraint,
    Justice,
    Fairness,
}

/// Names by kind and position.
#[derive(Default, Debug)]
pub(super) struct Symbols(FxHashMap<(Named, u32), String>);

impl Symbols {
    pub(super) fn get(&self, kind: Named, position: usize) -> Option<&str> {
        let name = self.0.get(&(kind, position as u32))?;
        Some(name.as_str())
    }
}

pub(super) fn read(cursor: &mut Cursor, header: &Header) -> Result<Symbols, Fault> {
    let mut symbols = Symbols::default();
    while let Some(letter) = cursor.peek() {
        let from = cursor.at;
        let (kind, count) = match letter {
            b'i' => (Named::Input, header.inputs),
            b'l' => (Named::Latch, header.latches),
            b'o' => (Named::Output, header.outputs),
            b'b' => (Named::Bad, header.bads),
            b'j' => (Named::Justice, header.justice),
            b'f' => (Named::Fairness, header.fairness),
            b'c' => {
                cursor.at += 1;
                if cursor.peek().is_none_or(|_| cursor.at_line_end()) {
                    return Ok(symbols);
                }
                cursor.at -= 1;
                (Named::Constraint, header.constraints)
            }
            _ => return Err(cursor.expected("a symbol (as `i0 name`) or the comment (`c`)")),
        };
        cursor.at += 1;
        let position = cursor.number("the position of what is named")?;
        let name = name(cursor)?;
        let place = (from, cursor.at);
        cursor.line_end()?;
        let letter = char::from(letter);
        if position >= count {
            return Err(Fault::new(
                place,
                format!("the symbol {letter}{position} names what is not there: there are {count}"),
                "positions count from 0",
            ));
        }
        if symbols.0.insert((kind, position), name).is_some() {
            return Err(Fault::new(
                place,
                format!("the symbol {letter}{position} is given twice"),
                "keep one of the two names",
            ));
        }
    }
    Ok(symbols)
}

/// A blank and the rest of the line, whatever it is.
fn name(cursor: &mut Cursor) -> Result<String, Fault> {
    if cursor.next() != Some(b' ') {
        cursor.at -= 1;
        return Err(cursor.expected("a blank and a name"));
    }
    let from = cursor.at;
    while cursor.peek().is_some() && !cursor.at_line_end() {
        cursor.at += 1;
    }
    match cursor.at > from {
        true => {
            let name = String::from_utf8_lossy(cursor.slice(from, cursor.at));
            Ok(printable(&name).into_owned())
        }
        false => Err(cursor.expected("a name")),
    }
}
