//! The traceability matrix: what each element is to each property.

use crate::findings::{CoreRole, Findings, Origin};
use proofmark_source::printable;
use std::fmt::Write as _;

/// The properties of the matrix, in the order of the findings.
fn columns(findings: &Findings) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    for core in &findings.cores {
        let key = core.property.key();
        if !columns.contains(&key) {
            columns.push(key);
        }
    }
    columns
}

/// For people: one row an element, one column a property.
pub fn matrix_text(findings: &Findings) -> String {
    let columns = columns(findings);
    let mut out = String::from("\n");
    for (at, name) in columns.iter().enumerate() {
        // Writing to a string does not fail.
        let _ = writeln!(out, "  {:>3}  {name}", at + 1);
    }
    out.push_str("\n  M must, m may, u used, . unused, blank outside\n\n");
    let names = findings.elements.iter().map(|one| one.name.chars().count());
    let width = names.max().unwrap_or(0);
    let _ = write!(out, "  {:width$}", "");
    for at in 1..=columns.len() {
        let _ = write!(out, " {at:>3}");
    }
    out.push('\n');
    for element in &findings.elements {
        let mut row = format!("  {:width$}", element.name);
        for column in &columns {
            let mark = match element.role.get(column) {
                Some(CoreRole::Must) => "M",
                Some(CoreRole::May) => "m",
                Some(CoreRole::Used) => "u",
                Some(CoreRole::Unused) => ".",
                Some(CoreRole::Outside) | None => "",
            };
            let _ = write!(row, " {mark:>3}");
        }
        out.push_str(row.trim_end());
        out.push('\n');
    }
    out
}

/// For spreadsheets: comma-separated values, quoted where needed.
pub fn matrix_csv(findings: &Findings) -> String {
    let columns = columns(findings);
    let mut out = String::from("element,category,file,line,column");
    for column in &columns {
        out.push(',');
        out.push_str(&quoted(column));
    }
    out.push('\n');
    for element in &findings.elements {
        let place = match &element.origin {
            Some(Origin::Span(span)) => {
                format!("{},{},{}", quoted(&span.file), span.line, span.column)
            }
            Some(Origin::Name { .. }) | None => ",,".into(),
        };
        let _ = write!(
            out,
            "{},{},{place}",
            quoted(&element.name),
            element.category
        );
        for column in &columns {
            let role = element.role.get(column).map_or("", |role| role.as_str());
            let _ = write!(out, ",{}", role.to_lowercase());
        }
        out.push('\n');
    }
    out
}

/// A text as a cell. A spreadsheet would compute what begins like a formula; an apostrophe tells it that it is
/// text.
pub(crate) fn quoted(text: &str) -> String {
    let mut text = printable(text).into_owned();
    if text.starts_with(['=', '+', '-', '@']) {
        text.insert(0, '\'');
    }
    match text.contains([',', '"', ';']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}
