//! Mutants as text for people: gaps first, each with what it changes and a run that slips through;
//! then what is not known, then how many were noticed, by whom, and the score.

use crate::assumptions::assumptions_text;
use crate::findings::{AuditMark, Covers, Findings, MutantFinding, MutantVerdict};
use crate::table::write_table;
use crate::text::{Style, check_lines, duration};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a campaign found; with `verbose` every mutant is listed.
pub fn mutate_text(findings: &Findings, style: &Style, verbose: bool) -> String {
    let mut out = String::new();
    for line in check_lines(&findings.properties, style) {
        out.push_str(&line);
        out.push('\n');
    }
    let of = |verdict| {
        let mutants = findings.mutants.iter();
        mutants.filter(move |one| one.verdict == verdict && one.suppressed.is_none())
    };
    if !style.quiet {
        for gap in of(MutantVerdict::Gap).chain(of(MutantVerdict::Survived)) {
            write_block(gap, style, &mut out);
        }
        for survivor in of(MutantVerdict::NotObserved) {
            write_block(survivor, style, &mut out);
        }
        for unknown in of(MutantVerdict::Unknown) {
            write_block(unknown, style, &mut out);
        }
        write_suppressed(findings, &mut out);
        if verbose {
            out.push('\n');
            for verdict in [
                MutantVerdict::Killed,
                MutantVerdict::Vacuous,
                MutantVerdict::Equivalent,
                MutantVerdict::NotValid,
            ] {
                for mutant in of(verdict) {
                    // Writing to a string does not fail.
                    let _ = writeln!(out, "{}", mutant_line(mutant));
                }
            }
        }
        write_tables(findings, &mut out);
        if !findings.assumptions.is_empty() {
            out.push('\n');
            out.push_str(&assumptions_text(&findings.assumptions, style));
        }
    }
    if let Some(score) = &findings.score {
        let _ = writeln!(out, "\n{}", score.line());
    }
    if !style.quiet {
        let _ = writeln!(out, "{}", cost_line(findings));
    }
    out
}

/// Mutants of which nothing is decided, a line each: the id, the place, and the whole change.
pub fn list_text(findings: &Findings) -> String {
    let mut out = String::new();
    for mutant in &findings.mutants {
        let (id, place) = (&mutant.id, mutant.place());
        let (original, replacement) = (&mutant.original, &mutant.replacement);
        // Writing to a string does not fail.
        let _ = write!(out, "{id} {place} {original} becomes {replacement}");
        if let Some(note) = &mutant.note {
            let _ = write!(out, " ({note})");
        }
        out.push('\n');
    }
    out
}

/// What somebody decided to live with, and why.
fn write_suppressed(findings: &Findings, out: &mut String) {
    let suppressed = findings.mutants.iter();
    let mut suppressed = suppressed.filter(|one| one.suppressed.is_some()).peekable();
    if suppressed.peek().is_some() {
        out.push('\n');
    }
    for mutant in suppressed {
        let (line, why) = (mutant_line(mutant), mutant.suppressed.as_deref());
        let _ = writeln!(out, "SUPPRESSED {line}: {}", why.unwrap_or(""));
    }
}

/// `KILLED 6:12 or2xor by Prop2, Prop3 at step 0`
pub fn mutant_line(mutant: &MutantFinding) -> String {
    let (verdict, place) = (mutant.verdict.as_str(), mutant.place());
    let mut line = format!("{verdict} {place} {}", mutant.label);
    if !mutant.killed_by.is_empty() {
        let _ = write!(line, " by {}", mutant.killed_by.join(", "));
    }
    if let Some(step) = mutant
        .step
        .filter(|_| mutant.verdict == MutantVerdict::Killed)
    {
        let _ = write!(line, " at step {step}");
    }
    if let Some(reason) = &mutant.reason {
        let _ = write!(line, " ({reason})");
    }
    line
}

fn write_block(mutant: &MutantFinding, style: &Style, out: &mut String) {
    let (bold, plain) = match style.colour {
        true => ("\x1b[1;33m", "\x1b[0m"),
        false => ("", ""),
    };
    let _ = writeln!(
        out,
        "\n{bold}{}{plain}\n  {}\n  becomes {}",
        mutant_line(mutant),
        cut(&mutant.original, style),
        cut(&mutant.replacement, style)
    );
    if let Some(note) = &mutant.note {
        let _ = writeln!(out, "  {note}");
    }
    if !mutant.differs.is_empty() {
        let step = mutant.step.unwrap_or(0);
        let differs = mutant.differs.join(", ");
        let _ = writeln!(
            out,
            "  no property notices that {differs} differs at step {step}:"
        );
    }
    if let Some(Covers { taken, branches }) = mutant.covers {
        let _ = writeln!(
            out,
            "  this run takes {taken} of {branches} branches, and satisfies every property"
        );
    }
    if let Some(trace) = &mutant.original_trace {
        let _ = writeln!(out, "\n  the original");
        write_table(trace, style, out);
    }
    if let Some(trace) = mutant.trace.as_ref() {
        let _ = writeln!(out, "\n  the mutant on the same inputs");
        write_table(trace, style, out);
    }
    if !mutant.suggestions.is_empty() {
        let _ = writeln!(out, "\n  holds on the original, and would notice");
    }
    for suggestion in &mutant.suggestions {
        let _ = writeln!(out, "  {suggestion}");
    }
}

fn cut(text: &str, style: &Style) -> String {
    let room = style.width.saturating_sub(12).max(20);
    style.cut(text, room)
}

/// How many mutants each property kills, and how many of each mutator's are killed.
fn write_tables(findings: &Findings, out: &mut String) {
    let killed = |one: &&MutantFinding| {
        matches!(one.verdict, MutantVerdict::Killed | MutantVerdict::Vacuous)
    };
    let mut by_property: BTreeMap<&str, usize> = BTreeMap::new();
    let mut by_mutator: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for property in &findings.properties {
        by_property.insert(&property.name, 0);
    }
    for mutant in findings.mutants.iter().filter(killed) {
        for property in &mutant.killed_by {
            *by_property.entry(property).or_default() += 1;
        }
    }
    let relevant = |one: &&MutantFinding| {
        let verdict = one.verdict;
        let counted = verdict != MutantVerdict::Equivalent && verdict != MutantVerdict::NotValid;
        counted && one.suppressed.is_none()
    };
    for mutant in findings.mutants.iter().filter(relevant) {
        let row = by_mutator.entry(&mutant.mutator).or_default();
        row.1 += 1;
        row.0 += usize::from(killed(&mutant));
    }
    if findings.mutants.is_empty() {
        return;
    }
    let _ = writeln!(out, "\nnoticed by");
    for (name, count) in by_property {
        let _ = writeln!(out, "  {count:>6}  {name}");
    }
    let _ = writeln!(out, "killed of those that are no equivalents, by mutator");
    for (name, (killed, all)) in by_mutator {
        let _ = writeln!(out, "  {killed:>6} of {all:<6}  {name}");
    }
}

/// What the campaign cost, and which tests decided.
fn cost_line(findings: &Findings) -> String {
    let count = findings.mutants.len();
    let queries: u64 = findings.mutants.iter().map(|one| one.queries).sum();
    let mut by_test: BTreeMap<&str, usize> = BTreeMap::new();
    for mutant in &findings.mutants {
        *by_test.entry(&mutant.decided_by).or_default() += 1;
    }
    let tests: Vec<String> = by_test
        .iter()
        .map(|(test, count)| format!("{count} {test}"))
        .collect();
    let mut audited = match &findings.audit {
        Some(audit) => format!("; audited ({})", audit.by.join(", ")),
        None => "; not audited".into(),
    };
    let audits = findings.mutants.iter().filter_map(|one| one.audit.as_ref());
    let missing = audits.filter(|one| one.result == AuditMark::Missing);
    let missing = missing.count();
    if findings.audit.is_some() && missing > 0 {
        let _ = write!(audited, ", {missing} not audited");
    }
    let time = duration(findings.seconds);
    format!(
        "{count} mutants in {time}, {queries} queries, decided by: {}{audited}",
        tests.join(", ")
    )
}
