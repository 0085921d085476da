//! Proof coverage as an lcov trace file, for the many viewers of line coverage.
//!
//! A line was "hit" as often as there are properties whose cores have an element there: the proof
//! went through it. Several elements may share a line, so each is a "function", too, with a count
//! of its own, and the share of functions is exact. Unused and outside is not hit. In an analysis of
//! coverage, a line was hit as often as there are properties that notice a cut of an element there.

use crate::coverage::{CoverageFinding, CoverageVerdict};
use crate::findings::{CoreRole, ElementFinding, Findings, Origin, ShownSpan};
use proofmark_source::printable;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The elements of an analysis of cores.
pub fn lcov(findings: &Findings) -> String {
    let mut files: BTreeMap<&str, Vec<(&ElementFinding, &ShownSpan)>> = BTreeMap::new();
    for element in &findings.elements {
        if let Some(origin) = element.origin.as_ref().and_then(Origin::span) {
            let elements = files.entry(&origin.file).or_default();
            elements.push((element, origin));
        }
    }
    let mut out = String::new();
    for (file, elements) in files {
        // Writing to a string does not fail.
        let _ = writeln!(out, "TN:proofmark\nSF:{}", printable(file));
        write_elements(findings, &elements, &mut out);
        write_lines(findings, &elements, &mut out);
        out.push_str("end_of_record\n");
    }
    out
}

fn write_elements(
    findings: &Findings,
    elements: &[(&ElementFinding, &ShownSpan)],
    out: &mut String,
) {
    let hits = |element: &ElementFinding| hits(findings, element);
    // A comma would end a name.
    let name = |element: &ElementFinding| printable(&element.name).replace(',', ";");
    for (element, origin) in elements {
        let _ = writeln!(out, "FN:{},{}", origin.line, name(element));
    }
    for (element, _) in elements {
        let _ = writeln!(out, "FNDA:{},{}", hits(element), name(element));
    }
    let hit = elements.iter().filter(|(element, _)| hits(element) > 0);
    let _ = writeln!(out, "FNF:{}\nFNH:{}", elements.len(), hit.count());
}

fn write_lines(findings: &Findings, elements: &[(&ElementFinding, &ShownSpan)], out: &mut String) {
    let hits = |element: &ElementFinding| hits(findings, element);
    let mut lines: BTreeMap<u32, usize> = BTreeMap::new();
    for (element, origin) in elements {
        // The end is exclusive; one at the start of a line is not on it.
        let last = match origin.end_column {
            1 => origin.end_line.saturating_sub(1),
            _ => origin.end_line,
        };
        for line in origin.line..=last.max(origin.line) {
            let count = lines.entry(line).or_default();
            *count = (*count).max(hits(element));
        }
    }
    for (line, count) in &lines {
        let _ = writeln!(out, "DA:{line},{count}");
    }
    let hit = lines.values().filter(|count| **count > 0).count();
    let _ = writeln!(out, "LF:{}\nLH:{hit}", lines.len());
}

/// How many properties need it, or may; or, where cuts were asked about, how many notice one.
fn hits(findings: &Findings, element: &ElementFinding) -> usize {
    if !findings.coverage.is_empty() {
        let covers = |row: &&CoverageFinding| {
            row.property.is_some()
                && row.element == element.id
                && row.nondet == CoverageVerdict::Covered
        };
        return findings.coverage.iter().filter(covers).count();
    }
    let in_a_core =
        |role: &&CoreRole| matches!(role, CoreRole::Must | CoreRole::May | CoreRole::Used);
    element.role.values().filter(in_a_core).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_line_is_hit_by_the_properties_that_need_it() {
        let element = |name: &str, line: u32, roles: &[(&str, CoreRole)]| ElementFinding {
            id: format!("m/{name}"),
            name: name.into(),
            category: "equation".into(),
            origin: Some(Origin::Span(ShownSpan {
                file: "m.lus".into(),
                line,
                column: 1,
                end_line: line + 1,
                end_column: 1,
            })),
            text: String::new(),
            role: roles
                .iter()
                .map(|(name, role)| (name.to_string(), *role))
                .collect(),
        };
        let mut findings = samples::findings(&["valid"], Vec::new());
        findings.elements = vec![
            element("a", 3, &[("p", CoreRole::Must), ("q", CoreRole::May)]),
            element("b", 4, &[("p", CoreRole::Unused), ("q", CoreRole::Outside)]),
            element("c", 4, &[("p", CoreRole::Used), ("q", CoreRole::Outside)]),
            element("d", 5, &[("p", CoreRole::Outside)]),
        ];
        let text = lcov(&findings);
        let lines: Vec<&str> = text.lines().collect();
        for line in [
            "DA:3,2", "DA:4,1", "DA:5,0", "LF:3", "LH:2", "FNDA:0,b", "FNF:4", "FNH:2",
        ] {
            assert!(lines.contains(&line), "{line} in {text}");
        }
    }
}
