//! DIMACS: formulas in conjunctive normal form as SAT competitions write them.
//!
//! Lines that begin with `c` are comments. `p cnf VARIABLES CLAUSES` comes first, then the clauses:
//! numbers of variables, negative when negated, each clause closed by `0`. A `%` ends the formula, as
//! in old collections. The header is checked and otherwise not trusted: nothing is allocated by it.

use super::literal::{Lit, Var};
use proofmark_source::{Diagnostic, FileId, Span};
use std::io::{self, Write};

/// Clauses over variables that are numbered from one in the text, from zero here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Formula {
    /// As the header has it.
    pub variables: u32,
    lits: Vec<Lit>,
    /// Where the literals of each clause end.
    ends: Vec<usize>,
}

impl Formula {
    /// How many variables a solver needs: up to the last that occurs.
    pub fn used_variables(&self) -> u32 {
        let last = self.lits.iter().map(|lit| lit.var().0 + 1).max();
        last.unwrap_or(0)
    }

    /// Adds a clause, and makes room for its variables.
    pub fn push(&mut self, clause: &[Lit]) {
        self.lits.extend_from_slice(clause);
        self.ends.push(self.lits.len());
        for lit in clause {
            self.variables = self.variables.max(lit.var().0 + 1);
        }
    }

    /// The clauses, in the order of the text.
    pub fn clauses(&self) -> impl ExactSizeIterator<Item = &[Lit]> {
        let mut begin = 0;
        self.ends.iter().map(move |&end| {
            let clause = &self.lits[begin..end];
            begin = end;
            clause
        })
    }
}

/// Writes a formula.
pub fn write(formula: &Formula, out: &mut impl Write) -> io::Result<()> {
    let clauses = formula.clauses();
    writeln!(out, "p cnf {} {}", formula.variables, clauses.len())?;
    for clause in clauses {
        for lit in clause {
            write!(out, "{} ", lit.to_dimacs())?;
        }
        writeln!(out, "0")?;
    }
    Ok(())
}

/// A formula may leave so many numbers of variables unused whatever its size.
const UNUSED: u64 = 1_000_000;

/// Reads a formula.
pub fn read(file: FileId, text: &str) -> Result<Formula, Diagnostic> {
    let mut words = Words {
        file,
        text,
        at: 0,
        at_line_start: true,
    };
    let header = read_header(&mut words)?;
    let mut formula = Formula {
        variables: header.variables,
        ..Formula::default()
    };
    let mut open: Option<Span> = None;
    while let Some((word, span)) = words.next() {
        if word == "%" {
            break;
        }
        let number = read_number(word, span)?;
        if number == 0 {
            open = None;
            formula.ends.push(formula.lits.len());
            continue;
        }
        open = open.or(Some(span));
        formula
            .lits
            .push(read_literal(number, header.variables, span)?);
    }
    if let Some(span) = open {
        return Err(Diagnostic::error(
            span,
            "expected `0` at the end of the clause that begins here, found the end of the formula",
        )
        .with_hint("the file may be cut off"));
    }
    let found = formula.ends.len() as u64;
    if found != header.clauses {
        let message = format!(
            "expected {} clauses as the header says, found {found}",
            header.clauses
        );
        return Err(Diagnostic::error(header.span, message)
            .with_hint("the file may be cut off, or the header wrong"));
    }
    check_density(&formula, header.span)?;
    Ok(formula)
}

struct Header {
    variables: u32,
    clauses: u64,
    span: Span,
}

fn read_header(words: &mut Words<'_>) -> Result<Header, Diagnostic> {
    let hint = "a formula begins with `p cnf VARIABLES CLAUSES`";
    let mut parts: [(&str, Span); 4] = [("", words.here()); 4];
    for (part, expected) in parts.iter_mut().zip(["p", "cnf", "VARIABLES", "CLAUSES"]) {
        *part = words.next().unwrap_or(("", words.here()));
        let (word, span) = *part;
        let is_number = expected.starts_with(['V', 'C']);
        let right = match is_number {
            true => word.bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty(),
            false => word == expected,
        };
        if !right {
            let found = if word.is_empty() { "the end" } else { word };
            let message = format!("expected `{expected}` of the header, found `{found}`");
            return Err(Diagnostic::error(span, message).with_hint(hint));
        }
    }
    let [(_, begin), _, (variables, at), (clauses, end)] = parts;
    let variables = variables.parse().ok().filter(|count| *count <= Var::MOST);
    let Some(variables) = variables else {
        let message = format!("expected at most {} variables", Var::MOST);
        return Err(Diagnostic::error(at, message));
    };
    let Ok(clauses) = clauses.parse() else {
        return Err(Diagnostic::error(end, "the number of clauses is too large"));
    };
    Ok(Header {
        variables,
        clauses,
        span: begin.to(end),
    })
}

fn read_number(word: &str, span: Span) -> Result<i64, Diagnostic> {
    word.parse().map_err(|_| {
        let diagnostic = Diagnostic::error(span, format!("expected a number, found `{word}`"));
        if word == "p" {
            diagnostic.with_hint("a file has one formula")
        } else {
            diagnostic.with_hint("a clause is a list of variables, negative when negated, and `0`")
        }
    })
}

fn read_literal(number: i64, variables: u32, span: Span) -> Result<Lit, Diagnostic> {
    if number.unsigned_abs() > u64::from(variables) {
        let message =
            format!("expected a variable up to {variables} as the header says, found {number}");
        return Err(Diagnostic::error(span, message));
    }
    // Var::MOST fits, so the number does.
    Lit::from_dimacs(number as i32)
        .ok_or_else(|| Diagnostic::error(span, "expected a variable, found zero"))
}

/// A solver's tables go up to the last variable: a few literals must not make them huge.
fn check_density(formula: &Formula, span: Span) -> Result<(), Diagnostic> {
    let used = u64::from(formula.used_variables());
    if used > UNUSED + 100 * formula.lits.len() as u64 {
        let message = format!(
            "the formula has {} literals and variables up to {used}",
            formula.lits.len()
        );
        return Err(Diagnostic::error(span, message).with_hint("number the variables from 1 on"));
    }
    Ok(())
}

/// The words of a text, without comments.
struct Words<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
    at_line_start: bool,
}

impl<'t> Words<'t> {
    fn here(&self) -> Span {
        let at = self.at as u32;
        Span::new(self.file, at, at)
    }

    fn next(&mut self) -> Option<(&'t str, Span)> {
        let bytes = self.text.as_bytes();
        loop {
            let byte = *bytes.get(self.at)?;
            if byte == b'\n' {
                self.at_line_start = true;
                self.at += 1;
            } else if byte.is_ascii_whitespace() {
                self.at += 1;
            } else if self.at_line_start && byte == b'c' {
                let rest = &bytes[self.at..];
                let end = rest.iter().position(|&byte| byte == b'\n');
                self.at += end.unwrap_or(rest.len());
            } else {
                break;
            }
        }
        self.at_line_start = false;
        let rest = &bytes[self.at..];
        let end = rest.iter().position(u8::is_ascii_whitespace);
        let (start, end) = (self.at, self.at + end.unwrap_or(rest.len()));
        self.at = end;
        let span = Span::new(self.file, start as u32, end as u32);
        Some((&self.text[start..end], span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_source::Sources;

    fn check(text: &str) -> Result<String, String> {
        let mut sources = Sources::default();
        let file = sources.add("f.cnf", text.into()).unwrap();
        match read(file, text) {
            Ok(formula) => {
                let mut out = Vec::new();
                write(&formula, &mut out).unwrap();
                Ok(String::from_utf8(out).unwrap())
            }
            Err(fault) => Err(format!("{}: {}", sources.place(fault.span), fault.message)),
        }
    }

    #[test]
    fn what_is_read_is_written() {
        let text = "p cnf 4 3\n1 -2 0\n0\n3 0\n";
        assert_eq!(check(text), Ok(text.into()));
        let loose = "c comment\np  cnf 4 3\nc 9\n1 \n-2 0 0\r\nc 7 0\n3 0\n%\n0\n";
        assert_eq!(check(loose), Ok(text.into()));
        assert_eq!(check("p cnf 0 0"), Ok("p cnf 0 0\n".into()));
    }

    #[test]
    fn bad_input_is_told_with_its_place() {
        let cases = [
            ("", "1:1: expected `p` of the header, found `the end`"),
            ("1 2 0\n", "1:1: expected `p` of the header, found `1`"),
            (
                "p dnf 1 1",
                "1:3: expected `cnf` of the header, found `dnf`",
            ),
            (
                "p cnf -1 1",
                "1:7: expected `VARIABLES` of the header, found `-1`",
            ),
            (
                "p cnf 1",
                "1:8: expected `CLAUSES` of the header, found `the end`",
            ),
            (
                "p cnf 2000000000 0",
                "1:7: expected at most 1073741824 variables",
            ),
            (
                "p cnf 1 99999999999999999999 0",
                "1:9: the number of clauses is too large",
            ),
            (
                "p cnf 2 1\n1 3 0\n",
                "2:3: expected a variable up to 2 as the header says, found 3",
            ),
            ("p cnf 2 1\n1 x 0\n", "2:3: expected a number, found `x`"),
            (
                "p cnf 2 1\n1 2\n",
                "2:1: expected `0` at the end of the clause that begins here, found the end of the formula",
            ),
            (
                "p cnf 2 2\n1 2 0\n",
                "1:1: expected 2 clauses as the header says, found 1",
            ),
            (
                "p cnf 1000000000 1\n1000000000 0\n",
                "1:1: the formula has 1 literals and variables up to 1000000000",
            ),
        ];
        for (text, error) in cases {
            assert_eq!(check(text), Err(error.to_string()));
        }
    }
}
