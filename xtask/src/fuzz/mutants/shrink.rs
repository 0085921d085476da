//! From a model with a contradiction to a smaller one that still has it.
//!
//! Lines are left out and expressions replaced by their parts or by constants, for as long as the
//! text is a model and the question is answered with yes. Most texts that are tried are no models,
//! which is found out quickly.

use super::texts::Case;
use std::time::{Duration, Instant};

/// The smallest text that was found in the time.
pub fn shrink(text: &str, time: Duration, still: &dyn Fn(&str) -> bool) -> String {
    let end = Instant::now() + time;
    let mut best = text.to_string();
    let good = |text: &str| Case::load(text.into()).is_ok() && still(text);
    loop {
        let before = best.len();
        for smaller in [without_lines, without_declarations, simpler_expressions] {
            let mut from = 0;
            loop {
                let late = || Instant::now() > end;
                let mut tried = smaller(&best).enumerate().skip(from);
                let found =
                    tried.find(|(_, tried)| late() || (tried.len() < best.len() && good(tried)));
                drop(tried);
                let Some((at, smaller)) = found else { break };
                if late() {
                    return best;
                }
                // What stands at this position now was not tried yet.
                (best, from) = (smaller, at);
            }
        }
        if best.len() == before {
            return best;
        }
    }
}

type Texts<'a> = Box<dyn Iterator<Item = String> + 'a>;

/// The text with some lines in a row left out: nodes, declarations, assertions, properties.
fn without_lines(text: &str) -> Texts<'_> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let lengths = [16, 8, 4, 2, 1];
    Box::new(lengths.into_iter().flat_map(move |length| {
        let lines = lines.clone();
        (0..(lines.len() + 1).saturating_sub(length))
            .map(move |from| [lines[..from].concat(), lines[from + length..].concat()].concat())
    }))
}

/// The text without a variable: its declaration and the lines that begin with its name.
fn without_declarations(text: &str) -> Texts<'_> {
    let names = text.lines().filter_map(|line| {
        let (name, _) = line.trim().split_once(" = ")?;
        Some(name.to_string())
    });
    Box::new(names.map(move |name| {
        let concerns = |line: &&str| {
            let line = line.trim();
            line.starts_with(&format!("{name} = "))
                || line.starts_with(&format!("{name}: "))
                || line == format!("--%PROPERTY {name};")
        };
        let lines = text.split_inclusive('\n');
        let kept: String = lines.filter(|line| !concerns(line)).collect();
        // An output is declared in the header.
        let header = format!("; {name}: ");
        match kept.split_once(&header) {
            Some((before, after)) => {
                let rest = after.find([';', ')']).map_or("", |end| &after[end..]);
                format!("{before}{rest}")
            }
            None => kept,
        }
    }))
}

/// The text with an expression in brackets, or the right side of an equation, replaced by something
/// within it or by a constant.
fn simpler_expressions(text: &str) -> Texts<'_> {
    let words = words(text);
    let wholes = groups(&words).into_iter().chain(right_sides(&words));
    let wholes: Vec<(usize, usize)> = wholes.collect();
    Box::new(wholes.into_iter().flat_map(move |(from, to)| {
        let inner = groups(&words[from..=to]).into_iter();
        let inner = inner.map(|(a, b)| (a + from, b + from));
        let within: Vec<(usize, usize)> = inner.chain((from..=to).map(|at| (at, at))).collect();
        let (start, end) = (words[from].0, words[to].0 + words[to].1.len());
        let constants = ["0", "false", "true", "0.0"].map(String::from);
        let parts = within.into_iter().map({
            let words = words.clone();
            move |(a, b)| text[words[a].0..words[b].0 + words[b].1.len()].to_string()
        });
        constants
            .into_iter()
            .chain(parts)
            .map(move |part| format!("{} {part} {}", &text[..start], &text[end..]))
    }))
}

/// Words and signs with where they begin.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        if !first.is_whitespace() {
            words.push((text.len() - rest.len(), &rest[..length]));
        }
        rest = &rest[length..];
    }
    words
}

/// First and last word of each expression in brackets, with the name of what is called.
fn groups(words: &[(usize, &str)]) -> Vec<(usize, usize)> {
    let (mut open, mut groups) = (Vec::new(), Vec::new());
    for (at, (_, word)) in words.iter().enumerate() {
        match *word {
            "(" | "[" | "{" => open.push(at),
            ")" | "]" | "}" => {
                let Some(from) = open.pop() else { continue };
                groups.push((from, at));
                if from > 0 {
                    groups.push((from - 1, at));
                }
            }
            _ => {}
        }
    }
    groups.sort_by_key(|(from, to)| from + words.len() - to);
    groups
}

/// What stands between each `=` and the next `;`.
fn right_sides(words: &[(usize, &str)]) -> Vec<(usize, usize)> {
    let equals = words
        .iter()
        .enumerate()
        .filter(|(_, (_, word))| *word == "=");
    let sides = equals.filter_map(|(at, _)| {
        let length = words[at..].iter().position(|(_, word)| *word == ";")?;
        (length > 2).then_some((at + 1, at + length - 1))
    });
    sides.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let text = "node part(x: int) returns (y: int);
let
  y = x + 1;
tel;
node main(a: bool; n: int) returns (o: int; p: bool);
var
  v: int;
let
  v = part(n);
  o = (if a then (0 -> pre (n div 3)) else v);
  assert n > 0;
  p = true;
  --%PROPERTY p;
tel;
";
        let small = shrink(text, Duration::from_secs(20), &|text| text.contains("div"));
        assert!(small.len() < 100, "{small}");
        assert!(Case::load(small.clone()).is_ok(), "{small}");
    }
}
