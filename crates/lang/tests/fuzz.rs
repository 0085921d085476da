//! Whatever the text is, the front end answers: mutations of good files, with a model or with an
//! error, and never with a panic.
//!
//! A few thousand mutants are tried in every test run; `PROOFMARK_FUZZ` asks for another number.

mod common;

use common::{Dice, benchmarks, corpus, load, run};
use proofmark_model::lower;
use proofmark_source::Severity;

/// Larger files are left out: they take long and have nothing that small ones have not.
const LARGEST: usize = 6_000;

fn seeds() -> Vec<String> {
    let mut paths: Vec<_> = ["valid", "invalid", "error"]
        .into_iter()
        .flat_map(corpus)
        .collect();
    match benchmarks() {
        Ok(more) => paths.extend(more),
        Err(reason) => println!("without benchmark models ({reason})"),
    }
    let texts = paths
        .into_iter()
        .filter_map(|path| std::fs::read_to_string(path).ok());
    texts.filter(|text| text.len() <= LARGEST).collect()
}

/// Pieces of text that change the meaning of what is around them.
const PIECES: &[&str] = &[
    "pre ",
    "->",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ".",
    ":=",
    "=",
    "--%MAIN",
    "--%IVC ",
    "--%PROPERTY ",
    "condact(",
    "if ",
    " then ",
    " else ",
    "tel;",
    "node f(",
    "let",
    "var ",
    "int",
    "real(",
    "#(",
    " fby ",
    " when ",
    "current ",
    "0",
    "-1",
    "1.5",
    "99999999999999999999",
    "(*",
    "/*",
    "*/",
    "\"",
    "[0]",
    ".f",
    "{f := 1}",
    "subrange [0, 3] of int",
    "int[3]",
    "enum {A, B}",
    "type t = ",
    "const c = ",
    "function g(x: int) returns (y: int);",
    "\u{0}",
    "é",
    "@",
    "~",
    "\r",
];

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Spans of words and signs.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut before = ' ';
    for (at, character) in text.char_indices() {
        let joins = character.is_alphanumeric() && before.is_alphanumeric();
        if !joins && start < at {
            words.push((start, at));
            start = at;
        }
        before = character;
    }
    words.push((start, text.len()));
    words
}

fn mutate(text: &str, other: &str, dice: &mut Dice) -> String {
    let at = boundary(text, dice.roll(text.len() + 1));
    match dice.roll(8) {
        // A byte changed; what is no text any more is repaired as a caller would.
        0 => {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=dice.roll(3) {
                let at = dice.roll(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << dice.roll(8);
                }
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
        1 => text[..at].to_string(),
        2 => {
            let piece = PIECES[dice.roll(PIECES.len())];
            format!("{}{piece}{}", &text[..at], &text[at..])
        }
        // A name or a number instead of another, which often is a program still.
        3 | 4 => {
            let named = |(start, _): &(usize, usize)| {
                text[*start..].starts_with(|c: char| c.is_alphanumeric())
            };
            let names: Vec<(usize, usize)> = words(text).into_iter().filter(named).collect();
            if names.is_empty() {
                return text.to_string();
            }
            let (start, end) = names[dice.roll(names.len())];
            let (from, to) = names[dice.roll(names.len())];
            format!("{}{}{}", &text[..start], &text[from..to], &text[end..])
        }
        // A word instead of another, from another file.
        5 => {
            let (words, donors) = (words(text), words(other));
            let (start, end) = words[dice.roll(words.len())];
            let (from, to) = donors[dice.roll(donors.len())];
            format!("{}{}{}", &text[..start], &other[from..to], &text[end..])
        }
        // Two words exchanged.
        6 => {
            let words = words(text);
            let (a, b) = (words[dice.roll(words.len())], words[dice.roll(words.len())]);
            let (first, second) = if a.0 <= b.0 { (a, b) } else { (b, a) };
            if first.1 > second.0 {
                return text.to_string();
            }
            [
                &text[..first.0],
                &text[second.0..second.1],
                &text[first.1..second.0],
                &text[first.0..first.1],
                &text[second.1..],
            ]
            .concat()
        }
        // A stretch left out or written twice.
        _ => {
            let end = boundary(text, (at + dice.roll(60)).min(text.len())).max(at);
            match dice.roll(2) {
                0 => format!("{}{}", &text[..at], &text[end..]),
                _ => format!("{}{}", &text[..end], &text[at..]),
            }
        }
    }
}

#[test]
fn no_text_makes_the_front_end_panic() {
    let count = std::env::var("PROOFMARK_FUZZ").ok();
    let count: usize = count.and_then(|count| count.parse().ok()).unwrap_or(3_000);
    let seeds = seeds();
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    let (mut loaded_count, mut refused) = (0, 0);
    for _ in 0..count {
        let other = &seeds[dice.roll(seeds.len())];
        let mut text = seeds[dice.roll(seeds.len())].clone();
        for _ in 0..=dice.roll(2) * dice.roll(4) {
            text = mutate(&text, other, &mut dice);
        }
        let (loaded, diagnostics, sources) = load(&text);
        let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
        assert_eq!(loaded.is_none(), errors.count() > 0, "{text}");
        for diagnostic in &diagnostics {
            let labels = diagnostic.labels.iter().map(|label| label.span);
            for span in labels.chain([diagnostic.span]) {
                assert!(
                    sources
                        .file(span.file)
                        .text()
                        .get(span.start as usize..span.end as usize)
                        .is_some()
                );
            }
        }
        match loaded {
            None => refused += 1,
            Some(loaded) => {
                loaded_count += 1;
                let lowered = lower(&loaded.model).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
                run(&lowered.system, 3, &mut dice).unwrap_or_else(|e| panic!("{e}\n{text}"));
            }
        }
    }
    println!("{loaded_count} loaded, {refused} refused");
    assert!(loaded_count * 50 > count && refused > 0);
}
