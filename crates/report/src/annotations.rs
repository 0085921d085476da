//! Findings as workflow commands of GitHub Actions, which shows them beside the lines.
//!
//! One line a finding that somebody should look at, on the file and line it speaks of. A runner
//! takes a command wherever a line begins with it, so that all text is escaped.

use crate::findings::{Findings, MutantFinding, MutantVerdict, PropertyVerdict, ShownSpan};
use proofmark_source::printable_lines;
use std::fmt::Write as _;

/// A line for each invalid, unknown or vacuous property, for each gap, and for each assumption that no
/// property needs.
pub fn annotations(findings: &Findings) -> String {
    let mut out = String::new();
    for property in &findings.properties {
        let name = &property.name;
        let reason = property.reason.as_deref().unwrap_or("no reason is known");
        let (level, title, text) = match property.verdict {
            PropertyVerdict::Valid => continue,
            PropertyVerdict::Invalid => {
                let step = property.step.unwrap_or(0);
                (
                    "error",
                    "invalid property",
                    format!("{name} is false at step {step}"),
                )
            }
            PropertyVerdict::Unknown => (
                "warning",
                "unknown",
                format!("{name} is not decided: {reason}"),
            ),
            PropertyVerdict::Vacuous => (
                "warning",
                "vacuous",
                format!("{name} says nothing: {reason}"),
            ),
        };
        let place = place(property.origin.as_ref(), findings.file_of(name));
        write(level, title, &place, &text, &mut out);
    }
    for core in &findings.cores {
        if let Some(why) = &core.vacuous {
            let text = format!("{} says nothing: {why}", core.property.key());
            let place = place(None, findings.file_of(&core.property.key()));
            write("warning", "vacuous", &place, &text, &mut out);
        }
    }
    for mutant in findings.mutants.iter().filter(|one| one.is_gap()) {
        let place = place(mutant.origin.span(), findings.file_of(&mutant.id));
        let (level, title) = match mutant.verdict {
            MutantVerdict::Gap => ("warning", "gap"),
            MutantVerdict::NotObserved => ("notice", "not observed"),
            _ => ("notice", "survivor"),
        };
        write(level, title, &place, &describe(mutant), &mut out);
    }
    for one in findings.assumptions.iter().filter(|one| one.can_go()) {
        let place = place(one.origin.span(), findings.file_of(&one.id));
        let text = format!("{} is needed by no property: it can go", one.original);
        write("notice", "unneeded assumption", &place, &text, &mut out);
    }
    out
}

fn describe(mutant: &MutantFinding) -> String {
    let (original, replacement) = (&mutant.original, &mutant.replacement);
    let mut text = format!("no property notices {original} becoming {replacement}");
    let _ = write!(text, " ({})", mutant.id);
    for suggestion in &mutant.suggestions {
        let _ = write!(text, "\nwould notice: {suggestion}");
    }
    text
}

/// The parameters that name a place. Columns are only understood within one line.
fn place(origin: Option<&ShownSpan>, file: &str) -> String {
    let Some(span) = origin else {
        return format!("file={}", parameter(file));
    };
    let mut place = format!("file={},line={}", parameter(&span.file), span.line);
    let _ = write!(place, ",endLine={}", span.end_line);
    if span.line == span.end_line {
        let _ = write!(place, ",col={},endColumn={}", span.column, span.end_column);
    }
    place
}

fn write(level: &str, title: &str, place: &str, text: &str, out: &mut String) {
    let (title, text) = (parameter(title), message(text));
    // Writing to a string does not fail.
    let _ = writeln!(out, "::{level} {place},title=Proofmark%3A {title}::{text}");
}

/// Text behind the colons.
fn message(text: &str) -> String {
    printable_lines(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a parameter, which commas and colons would end.
fn parameter(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn what_is_wrong_is_a_line_with_its_place() {
        let mut suppressed = samples::mutant("gap");
        suppressed.suppressed = Some("a reason".into());
        let mutants = vec![
            samples::mutant("gap"),
            suppressed,
            samples::mutant("killed"),
        ];
        let mut findings = samples::findings(&["valid", "invalid", "unknown"], mutants);
        findings.properties[2].reason = Some("100 %,\nreally".into());
        findings.assumptions = samples::assumptions();
        let text = annotations(&findings);
        let expected = "\
::error file=a b/m.lus,line=6,endLine=6,col=2,endColumn=5,title=Proofmark%3A invalid property::p&q is false at step 1
::warning file=a b/m.lus,line=6,endLine=6,col=2,endColumn=5,title=Proofmark%3A unknown::p&q is not decided: 100 %25,%0Areally
::warning file=m.lus,line=3,endLine=3,col=7,endColumn=13,title=Proofmark%3A gap::no property notices a or b becoming a xor b (m/x#or2xor#1)
::notice file=m.lus,line=3,endLine=3,col=7,endColumn=13,title=Proofmark%3A unneeded assumption::assert a or b; is needed by no property: it can go
";
        assert_eq!(text, expected);
    }
}
