//! Findings as JSON.

use crate::findings::Findings;
use proofmark_source::{printable, printable_lines};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::{self, Write};

/// What may have several lines: text of models. Everything else is a name, a number or a sentence.
const OF_LINES: [&str; 5] = ["text", "original", "replacement", "suggestions", "patch"];

/// Writes one document, with a newline at its end: campaigns have large ones, and the reader need not
/// wait for the last mutant.
pub fn write_json(findings: &Findings, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, findings)?;
    out.write_all(b"\n")
}

/// Reads a document, or a line of one, that somebody wrote. Names in it are data, as those of models are: what
/// would act on a terminal is spelled out.
pub fn read_json<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    if !may_act(text) {
        return serde_json::from_str(text);
    }
    let mut value: Value = serde_json::from_str(text)?;
    clean(&mut value, &|text| printable(text).into_owned());
    serde_json::from_value(value)
}

/// Whether a string of the document may hold what acts on a terminal, as it stands or escaped. Line breaks between
/// the parts of a document are none of its text.
fn may_act(text: &str) -> bool {
    let escaped = ["\\u", "\\n", "\\r", "\\t", "\\b", "\\f"];
    let raw = || {
        let mut lines = text.lines();
        lines.any(|line| printable_lines(line) != *line)
    };
    escaped.iter().any(|one| text.contains(one)) || raw()
}

fn clean(value: &mut Value, spell: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = spell(text),
        Value::Array(values) => values.iter_mut().for_each(|one| clean(one, spell)),
        Value::Object(fields) => {
            for (name, mut value) in std::mem::take(fields) {
                match OF_LINES.contains(&name.as_str()) {
                    true => clean(&mut value, &|text| printable_lines(text).into_owned()),
                    false => clean(&mut value, spell),
                }
                fields.insert(printable(&name).into_owned(), value);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_a_document_does_not_act_on_a_terminal() {
        let document = serde_json::json!({
            "name": "\u{1b}[2K\nVALID",
            "text": "a\n\u{7}b",
            "list": ["\u{9b}x", 1.5, null],
            "\u{202e}": true,
        });
        let expected = serde_json::json!({
            "name": "\\u{1b}[2K\\nVALID",
            "text": "a\n\\u{7}b",
            "list": ["\\u{9b}x", 1.5, null],
            "\\u{202e}": true,
        });
        let read: Value = read_json(&document.to_string()).unwrap();
        assert_eq!(read, expected);
    }
}
