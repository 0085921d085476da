//! The kill matrix: what each property says of each mutant, and what that makes of the properties.

use crate::findings::{Cell, Findings, MutantFinding, Origin, Worth};
use crate::matrix::quoted;
use std::fmt::Write as _;

/// The properties of the matrix, in the order of the findings.
fn columns(findings: &Findings) -> Vec<&str> {
    let rows = || findings.mutants.iter();
    let names = findings.properties.iter().map(|one| one.name.as_str());
    names
        .filter(|name| rows().any(|mutant| mutant.matrix.contains_key(*name)))
        .collect()
}

/// For people: one row a mutant that somebody kills, one column a property.
pub fn kills_text(findings: &Findings) -> String {
    let columns = columns(findings);
    let mut out = String::from("\n");
    for (at, name) in columns.iter().enumerate() {
        // Writing to a string does not fail.
        let _ = writeln!(out, "  {:>3}  {name}", at + 1);
    }
    out.push_str("\n  K killed, . holds, ? unknown\n\n");
    let killed = findings.mutants.iter();
    let killed: Vec<&MutantFinding> = killed
        .filter(|one| one.matrix.values().any(|cell| *cell == Cell::Killed))
        .collect();
    let title = |one: &MutantFinding| format!("{} {}", one.place(), one.id);
    let widths = killed.iter().map(|one| title(one).chars().count());
    let width = widths.max().unwrap_or(0);
    let _ = write!(out, "  {:width$}", "");
    for at in 1..=columns.len() {
        let _ = write!(out, " {at:>3}");
    }
    out.push('\n');
    for mutant in killed {
        let _ = write!(out, "  {:width$}", title(mutant));
        for column in &columns {
            let mark = match mutant.matrix.get(*column) {
                Some(Cell::Killed) => "K",
                Some(Cell::Holds) => ".",
                Some(Cell::Unknown) | None => "?",
            };
            let _ = write!(out, " {mark:>3}");
        }
        out.push('\n');
    }
    if let Some(worth) = &findings.worth {
        write_worth(worth, columns.len(), &mut out);
    }
    out
}

fn write_worth(worth: &Worth, count: usize, out: &mut String) {
    let names = |names: &[String]| match names {
        [] => "none".to_string(),
        names => names.join(", "),
    };
    let _ = writeln!(
        out,
        "\nadd nothing to the score, each by itself: {}",
        names(&worth.redundant)
    );
    let fewest = match worth.exact {
        true => "the fewest properties with the same score",
        false => "fewer properties with the same score, perhaps not the fewest",
    };
    let (size, list) = (worth.smallest.len(), names(&worth.smallest));
    let _ = writeln!(out, "{fewest}: {size} of {count}: {list}");
    if worth.unknown > 0 {
        let _ = writeln!(out, "{} cells of the matrix are not known", worth.unknown);
    }
}

/// For spreadsheets: comma-separated values, quoted where needed, a row a mutant.
pub fn kills_csv(findings: &Findings) -> String {
    let columns = columns(findings);
    let mut out = String::from("mutant,mutator,file,line,column,verdict");
    for column in &columns {
        out.push(',');
        out.push_str(&quoted(column));
    }
    out.push('\n');
    for mutant in &findings.mutants {
        let file = mutant.origin.span().map_or("", |span| &span.file);
        let place = match (mutant.at, &mutant.origin) {
            (Some(at), _) => format!("{},{}", at.line, at.column),
            (None, Origin::Span(span)) => format!("{},{}", span.line, span.column),
            (None, Origin::Name { .. }) => ",".into(),
        };
        let _ = write!(
            out,
            "{},{},{},{place},{}",
            quoted(&mutant.id),
            quoted(&mutant.mutator),
            quoted(file),
            mutant.verdict.as_str().to_lowercase()
        );
        for column in &columns {
            let cell = mutant.matrix.get(*column);
            let _ = write!(out, ",{}", cell.map_or("", |cell| cell.as_str()));
        }
        out.push('\n');
    }
    out
}
