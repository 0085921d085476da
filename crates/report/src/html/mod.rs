//! Findings as one page for a browser: self-contained, and readable from disk, on paper, in the dark
//! and without a mouse.
//!
//! The findings are in the page once, as JSON ([`data`]); the scripts beside this file draw them,
//! and draw the parts that are folded only when somebody opens them, so that thousands of mutants
//! load at once. Whatever a model or its author may have named comes into the page as that JSON or
//! escaped, and from there as text nodes: no name can become markup. A content security policy
//! allows the one script of the page, known by its hash, and nothing from elsewhere.
//!
//! Why not the mutant view of Stryker (`mutation-testing-elements`)? It knows mutants of a test
//! suite: killed, survived, no coverage, timeout. What people look for here has no place there:
//! that a survivor is a gap or proved equivalent, the score as an interval, elements by what they
//! are to a proof, runs of original and mutant side by side, properties to paste. It is also a
//! quarter of a megabyte of script in every page, where ours is a fifth of that.

mod data;

use crate::findings::Findings;
use crate::text::summary;
use data::Page;
use proofmark_source::{SourceFile, sha256};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");

/// One script; a file a part of the page.
const SCRIPTS: [&str; 12] = [
    include_str!("words.js"),
    include_str!("dom.js"),
    include_str!("wave.js"),
    include_str!("filter.js"),
    include_str!("mutants.js"),
    include_str!("weak.js"),
    include_str!("summary.js"),
    include_str!("coverage.js"),
    include_str!("source.js"),
    include_str!("matrix.js"),
    include_str!("figures.js"),
    include_str!("main.js"),
];

/// The page; with the texts that the findings speak of, as far as they are at hand.
pub fn html(findings: &Findings, sources: &[&SourceFile]) -> Result<String, serde_json::Error> {
    let script = format!("\n\"use strict\";\n(() => {{\n{}}})();\n", SCRIPTS.concat());
    let data = serde_json::to_string(&Page::new(findings, sources))?;
    let names: Vec<&str> = findings
        .inputs
        .iter()
        .map(|one| one.file.as_str())
        .collect();
    let title = format!("{} · proofmark {}", names.join(", "), findings.command);
    let plain = format!("{title}: {}.", summary(findings).trim_end());
    Ok(fill(
        TEMPLATE,
        &[
            ("script-hash", &base64_of_hex(&sha256(script.as_bytes()))),
            ("version", &escape(&findings.tool.version)),
            ("title", &escape(&title)),
            ("style", STYLE),
            ("plain", &escape(&plain)),
            ("data", &inert(&data)),
            ("script", &script),
        ],
    ))
}

/// The template with its `[[names]]` filled in, in one pass: what is filled in is not looked at
/// again.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("[[") {
        out.push_str(before);
        let Some((name, after)) = after.split_once("]]") else {
            rest = after;
            break;
        };
        let value = values.iter().find(|(known, _)| *known == name);
        out.push_str(value.map_or("", |(_, value)| value));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Text that is only text, between tags and in attributes.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// JSON that cannot end the element it is in: `<` is only ever inside of strings.
fn inert(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// A hash as a content security policy has it.
fn base64_of_hex(hex: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0);
    let bits: Vec<u32> = hex
        .bytes()
        .flat_map(|byte| (0..4).rev().map(move |at| digit(byte) >> at & 1))
        .collect();
    let sextets = bits.chunks(6).map(|chunk| {
        let value = (0..6).fold(0, |all, at| all << 1 | chunk.get(at).unwrap_or(&0));
        char::from(DIGITS[value as usize])
    });
    let mut out: String = sextets.collect();
    while !out.len().is_multiple_of(4) {
        out.push('=');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_not_looked_at_again() {
        let filled = fill(
            "a [[one]] b [[two]] [[",
            &[("one", "[[two]]"), ("two", "2")],
        );
        assert_eq!(filled, "a [[two]] b 2 ");
    }

    #[test]
    fn text_in_markup_is_escaped() {
        assert_eq!(
            escape("<a href='x'>\"&\""),
            "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;"
        );
        assert_eq!(inert("\"</script><!--\""), "\"\\u003c/script>\\u003c!--\"");
    }

    #[test]
    fn a_hash_is_told_in_base64() {
        let hash = sha256(b"hello");
        assert_eq!(
            base64_of_hex(&hash),
            "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
        );
    }
}
