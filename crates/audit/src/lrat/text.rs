//! Proofs as text: lines `NUMBER LITERALS 0 HINTS 0` and `NUMBER d NUMBERS 0`.

use super::{Checker, LratError};
use std::fmt;
use std::io::{self, BufRead};

/// Why a text is no proof, with the line.
#[derive(Debug)]
pub struct TextError {
    /// Counted from one.
    pub line: usize,
    /// What is wrong there.
    pub what: Fault,
}

#[derive(Debug)]
pub enum Fault {
    Step(LratError),
    /// The line is not written as LRAT has it.
    Syntax(String),
    Read(io::Error),
    /// The text ends before the empty clause.
    Unfinished,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.what {
            Fault::Step(error) => error.fmt(f),
            Fault::Syntax(what) => f.write_str(what),
            Fault::Read(error) => error.fmt(f),
            Fault::Unfinished => f.write_str("the proof ends before the empty clause"),
        }
    }
}
impl std::error::Error for TextError {}

/// Checks that `proof` refutes the clauses of `formula`, which are numbered from one.
pub fn check_text<'a>(
    formula: impl IntoIterator<Item = &'a [i32]>,
    proof: impl BufRead,
) -> Result<(), TextError> {
    let fault = |line, what| TextError { line, what };
    let mut checker = Checker::new();
    for (id, clause) in (1..).zip(formula) {
        checker
            .add_original(id, clause)
            .map_err(|error| fault(0, Fault::Step(error)))?;
    }
    let mut last = 0;
    for (line, text) in (1..).zip(proof.lines()) {
        last = line;
        let text = text.map_err(|error| fault(line, Fault::Read(error)))?;
        step(&mut checker, &text).map_err(|what| fault(line, what))?;
        if checker.is_refuted() {
            return Ok(());
        }
    }
    if checker.is_refuted() {
        return Ok(());
    }
    Err(fault(last, Fault::Unfinished))
}

fn step(checker: &mut Checker, line: &str) -> Result<(), Fault> {
    let mut words = line.split_ascii_whitespace().peekable();
    let Some(first) = words.next().filter(|word| *word != "c") else {
        return Ok(());
    };
    let id = number(first)?;
    if words.next_if_eq(&"d").is_some() {
        for id in until_zero(&mut words, number)? {
            checker.delete(id).map_err(Fault::Step)?;
        }
    } else {
        let clause = until_zero(&mut words, literal)?;
        let hints = until_zero(&mut words, number)?;
        checker
            .add_derived(id, &clause, &hints)
            .map_err(Fault::Step)?;
    }
    match words.next() {
        Some(word) => Err(Fault::Syntax(format!(
            "expected the end of the line, found `{word}`"
        ))),
        None => Ok(()),
    }
}

fn until_zero<'t, T>(
    words: &mut impl Iterator<Item = &'t str>,
    parse: impl Fn(&str) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let mut found = Vec::new();
    for word in words {
        if word == "0" {
            return Ok(found);
        }
        found.push(parse(word)?);
    }
    Err(Fault::Syntax(
        "expected `0`, found the end of the line".into(),
    ))
}

fn number(word: &str) -> Result<u64, Fault> {
    if word.starts_with('-') {
        return Err(Fault::Syntax(format!(
            "`{word}` begins a step by resolution asymmetric tautology, which is not accepted"
        )));
    }
    word.parse()
        .map_err(|_| Fault::Syntax(format!("expected the number of a clause, found `{word}`")))
}

fn literal(word: &str) -> Result<i32, Fault> {
    word.parse()
        .map_err(|_| Fault::Syntax(format!("expected a literal, found `{word}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(proof: &str) -> Result<(), String> {
        let formula: [&[i32]; 4] = [&[1, 2], &[-1, 2], &[1, -2], &[-1, -2]];
        check_text(formula, proof.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_text_is_checked_line_by_line() {
        assert_eq!(
            check("5 2 0 1 2 0\n5 d 1 2 0\nc done\n6 0 5 3 4 0\n"),
            Ok(())
        );
        let cases = [
            (
                "5 2 0 1 2 0\n",
                "line 1: the proof ends before the empty clause",
            ),
            ("", "line 0: the proof ends before the empty clause"),
            (
                "5 2 0 1 2\n",
                "line 1: expected `0`, found the end of the line",
            ),
            (
                "5 2 0 1 2 0 7\n",
                "line 1: expected the end of the line, found `7`",
            ),
            ("5 x 0 1 2 0\n", "line 1: expected a literal, found `x`"),
            (
                "x 2 0 1 2 0\n",
                "line 1: expected the number of a clause, found `x`",
            ),
            (
                "5 99999999999 0 1 2 0\n",
                "line 1: expected a literal, found `99999999999`",
            ),
            (
                "\n5 2 0 1 3 0\n",
                "line 2: clause 5 rests on clause 3, which implies nothing",
            ),
            ("5 d 9 0\n", "line 1: clause 9 is deleted and is not there"),
        ];
        for (proof, error) in cases {
            assert_eq!(check(proof), Err(error.to_string()));
        }
        assert!(
            check("5 2 0 1 -2 3 0\n")
                .unwrap_err()
                .contains("asymmetric")
        );
    }
}
