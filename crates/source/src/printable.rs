//! Names as they are shown: text of people, files and other programs that must not act on where it is shown.
//!
//! A name may hold anything. A control character among it moves the cursor of a terminal, a line break makes a
//! second line of a format of lines, and a mark of direction shows a text in another order than it has. Whatever
//! is shown outside of JSON or XML, which have escapes of their own, goes through [`printable`] or
//! [`printable_lines`] first.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A text on one line, in which nothing acts on a terminal: what would is written as in Rust, such as `\n` or
/// `\u{1b}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, acts)
}

/// The same for a text of lines that we made ourselves: line breaks, of either kind, and tabs stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    let acts_in_line = |c| acts(c) && !matches!(c, '\n' | '\t');
    if !text.contains("\r\n") {
        return escape(text, acts_in_line);
    }
    let lines = text.split("\r\n").map(|line| escape(line, acts_in_line));
    Cow::Owned(lines.collect::<Vec<_>>().join("\r\n"))
}

fn escape(text: &str, acts: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match acts(c) {
            true => {
                // Writing to a string does not fail.
                let _ = write!(out, "{}", c.escape_default());
            }
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Control characters of both halves, separators of lines, marks of direction and of byte order.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
                | '\u{61c}' | '\u{feff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_spelled_out() {
        let cases = [
            ("plain näme ∧", "plain näme ∧"),
            ("\u{1b}[2Kbad", "\\u{1b}[2Kbad"),
            ("a\r\nb\tc", "a\\r\\nb\\tc"),
            ("\u{9b}2K\u{7f}", "\\u{9b}2K\\u{7f}"),
            ("\u{202e}dilav\u{2028}", "\\u{202e}dilav\\u{2028}"),
        ];
        for (text, shown) in cases {
            assert_eq!(printable(text), shown);
        }
        assert_eq!(printable_lines("a\n\tb\r\u{7}"), "a\n\tb\\r\\u{7}");
        assert_eq!(printable_lines("a\r\nb\rc\r\n"), "a\r\nb\\rc\r\n");
    }
}
