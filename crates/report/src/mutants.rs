//! A campaign as text for people: what fits a screen and tells what to do next.
//!
//! First the score, then which part of the model is weak, then the gaps by equation, the most telling
//! first, then the properties that would close most of them. The rest is one option away: `-v` lists
//! every mutant, and [`mutant_text`](crate::mutant_text) shows one with its runs.

use crate::assumptions::{assumption_line, assumptions_text};
use crate::change::change;
use crate::digest::{Digest, GapGroup, Remedy, Tally, digest};
use crate::findings::{
    AuditMark, Findings, MutantFinding, MutantVerdict, PropertyFinding, PropertyVerdict,
};
use crate::score::Score;
use crate::text::{Detail, Style, audit_text, check_lines, duration, undecided_deadlock};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How many gaps are shown in short.
const GAPS: usize = 20;
/// In how many groups.
const GROUPS: usize = 8;
/// How many rows the table has.
const ROWS: usize = 10;
/// How many properties to add.
const REMEDIES: usize = 3;
/// How many assumptions.
const ASSUMPTIONS: usize = 10;
/// How many mutants that are not decided.
const UNDECIDED: usize = 3;

/// What a campaign found.
pub fn mutate_text(findings: &Findings, style: &Style, detail: Detail) -> String {
    let mut out = String::new();
    let lines = check_lines(&findings.properties, style);
    for (property, line) in findings.properties.iter().zip(lines) {
        let is_plain = property.verdict == PropertyVerdict::Valid && property.reason.is_none();
        if style.quiet || detail == Detail::Every || !is_plain {
            out.push_str(&line);
            out.push('\n');
        }
    }
    if style.quiet {
        out.extend(
            findings
                .score
                .iter()
                .map(|score| score_line(score, findings) + "\n"),
        );
        return out;
    }
    if let Some(score) = &findings.score {
        let _ = writeln!(out, "{}", bold(&score_line(score, findings), style));
        let digest = digest(findings);
        write_tallies(findings, &digest, detail, &mut out);
        write_groups(findings, &digest, style, detail, &mut out);
        write_remedies(&digest, detail, style, &mut out);
        write_undecided(findings, detail, style, &mut out);
    }
    if !findings.assumptions.is_empty() {
        out.push('\n');
        let most = match detail {
            Detail::Every => usize::MAX,
            _ => ASSUMPTIONS,
        };
        out.push_str(&assumptions_text(&findings.assumptions, style, most));
    }
    if detail == Detail::Every {
        write_list(findings, &digest(findings), &mut out);
        write_tables(findings, &mut out);
        out.push_str(&audit_text(findings));
    }
    let _ = writeln!(out, "\n{}", cost_line(findings));
    out.push_str(&undecided_deadlock(findings));
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

fn bold(text: &str, style: &Style) -> String {
    match style.colour {
        true => format!("\x1b[1m{text}\x1b[0m"),
        false => text.into(),
    }
}

/// `... 98 more: -v, or --html`
fn write_more(count: usize, detail: Detail, style: &Style, out: &mut String) {
    let rest = match detail {
        Detail::Brief => "more: -v, or --html",
        Detail::Every => "more in the list below",
    };
    if count > 0 {
        let _ = writeln!(out, "  {} {count} {rest}", style.ellipsis());
    }
}

/// How the mutants of each node and those that reach each output fared; in a model of one node, also
/// those of each element.
fn write_tallies(findings: &Findings, digest: &Digest<'_>, detail: Detail, out: &mut String) {
    let outputs = findings.outputs.iter().map(|one| Tally {
        name: &one.name,
        score: one.score,
    });
    let outputs: Vec<Tally<'_>> = outputs.collect();
    let (several, every) = (digest.nodes.len() > 1, detail == Detail::Every);
    let tables = [
        ("node", &digest.nodes, several),
        ("output", &outputs, true),
        ("element", &digest.elements, every || !several),
    ];
    let tables = tables
        .iter()
        .filter(|(_, rows, wanted)| *wanted && !rows.is_empty());
    let tables: Vec<_> = tables.collect();
    let names = tables.iter().flat_map(|(title, rows, _)| {
        let rows = rows.iter().map(|one| one.name.chars().count());
        rows.chain([title.len()])
    });
    let width = names.max().unwrap_or(0);
    out.push('\n');
    for (title, rows, _) in tables {
        write_table(findings, title, rows, width, detail, out);
    }
}

/// A row for each part of the model, with its score and how many of its mutants there are of each kind.
fn write_table(
    findings: &Findings,
    title: &str,
    tallies: &[Tally<'_>],
    width: usize,
    detail: Detail,
    out: &mut String,
) {
    let shown = match detail {
        Detail::Brief => tallies.len().min(ROWS),
        Detail::Every => tallies.len(),
    };
    let columns = columns(findings);
    let _ = write!(out, "  {title:width$}  {:>7}", "score");
    for (head, _) in &columns {
        let _ = write!(out, "  {head:>6}");
    }
    out.push('\n');
    for one in &tallies[..shown] {
        let (name, share) = (one.name, one.score.share());
        let _ = write!(out, "  {name:width$}  {share:>7}");
        for (head, count) in &columns {
            let (count, width) = (count(&one.score), head.len().max(6));
            let _ = write!(out, "  {count:>width$}");
        }
        out.push('\n');
    }
    if shown < tallies.len() {
        // Outputs share mutants, so that the counts of the others have no sum.
        let _ = writeln!(out, "  and {} others", tallies.len() - shown);
    }
}

/// A column of the table: its head, and what it counts.
/// The score, and how much of it nobody has shown in this run.
fn score_line(score: &Score, findings: &Findings) -> String {
    let mutants = findings.mutants.iter();
    match mutants.filter(|one| one.is_from_a_file()).count() {
        0 => score.line(),
        count => format!(
            "{}; {count} verdicts are from a file, not rechecked",
            score.line()
        ),
    }
}

type Column = (&'static str, fn(&Score) -> usize);

/// What the table counts; the last ones only where there are such mutants.
fn columns(findings: &Findings) -> Vec<Column> {
    let mut columns: Vec<Column> = vec![
        ("killed", |score| score.killed),
        ("gaps", |score| score.gap),
        ("equivalent", |score| score.equivalent),
        ("unknown", |score| score.unknown),
    ];
    let rare: [Column; 2] = [
        ("survived", |score| score.survived),
        ("not observed", |score| score.not_observed),
    ];
    let score = findings.score.as_ref();
    columns.extend(
        rare.into_iter()
            .filter(|(_, count)| score.is_some_and(|one| count(one) > 0)),
    );
    columns
}

/// The gaps by the element they are in.
fn write_groups(
    findings: &Findings,
    digest: &Digest<'_>,
    style: &Style,
    detail: Detail,
    out: &mut String,
) {
    let shares = shares(&digest.groups);
    if shares.is_empty() {
        return;
    }
    out.push_str("\ngaps: faults that no property notices, by equation; --mutant ID shows one\n");
    let shown = || {
        let groups = digest.groups.iter().zip(&shares);
        groups.flat_map(|(group, share)| &group.gaps[..*share])
    };
    let mutants = || shown().map(|at| &findings.mutants[*at]);
    let widths = Columns {
        place: mutants().map(|one| one.place().chars().count()).max(),
        id: mutants().map(|one| one.id.chars().count()).max(),
    };
    for (group, share) in digest.groups.iter().zip(&shares) {
        write_group(findings, group, *share, &widths, style, out);
    }
    let all: usize = digest.groups.iter().map(|group| group.gaps.len()).sum();
    write_more(all - shown().count(), detail, style, out);
}

/// How many gaps of each group are shown in short: one of each, then the next of each, as long as
/// there is room.
fn shares(groups: &[GapGroup<'_>]) -> Vec<usize> {
    let mut shares = vec![0; groups.len().min(GROUPS)];
    let mut room = GAPS;
    loop {
        let before = room;
        for (share, group) in shares.iter_mut().zip(groups) {
            if room > 0 && *share < group.gaps.len() {
                *share += 1;
                room -= 1;
            }
        }
        if room == before {
            return shares;
        }
    }
}

struct Columns {
    place: Option<usize>,
    id: Option<usize>,
}

fn write_group(
    findings: &Findings,
    group: &GapGroup<'_>,
    share: usize,
    columns: &Columns,
    style: &Style,
    out: &mut String,
) {
    let (gaps, all) = (group.gaps.len(), group.element.score.relevant());
    let name = group.element.name;
    let mut title = format!("  {name}: {gaps} of {all} slip through");
    if let (Some(line), Some(text)) = (group.line, group.text) {
        let room = style.width.saturating_sub(title.chars().count() + 10);
        let text = style.cut(text, room.max(20));
        let _ = write!(title, "   {line}: {text}");
    }
    let _ = writeln!(out, "{}", bold(&title, style));
    let (place_width, id_width) = (columns.place.unwrap_or(0), columns.id.unwrap_or(0));
    for at in &group.gaps[..share] {
        let mutant = &findings.mutants[*at];
        let (place, id) = (mutant.place(), &mutant.id);
        let room = style.width.saturating_sub(place_width + id_width + 8);
        let change = change(mutant, room.max(30), style);
        let _ = writeln!(out, "    {place:>place_width$}  {id:id_width$}  {change}");
    }
}

/// What to add, each once.
fn write_remedies(digest: &Digest<'_>, detail: Detail, style: &Style, out: &mut String) {
    let shown = match detail {
        Detail::Brief => digest.remedies.len().min(REMEDIES),
        Detail::Every => digest.remedies.len(),
    };
    if shown == 0 {
        return;
    }
    out.push_str("\nadd a property: each holds on the model; the score is with those above it\n");
    for (at, remedy) in digest.remedies[..shown].iter().enumerate() {
        write_remedy(at, remedy, out);
    }
    write_more(digest.remedies.len() - shown, detail, style, out);
}

fn write_remedy(at: usize, remedy: &Remedy<'_>, out: &mut String) {
    let (count, percent) = (remedy.closes.len(), 100.0 * remedy.score);
    let other = if at > 0 { " other" } else { "" };
    let gaps = if count == 1 { "gap" } else { "gaps" };
    let _ = writeln!(
        out,
        "  closes at least {count}{other} {gaps}, score at least {percent:.1} %\n    {}",
        remedy.property
    );
}

/// What has no verdict, and why.
fn write_undecided(findings: &Findings, detail: Detail, style: &Style, out: &mut String) {
    let mutants = findings.mutants.iter();
    let open: Vec<&MutantFinding> = mutants
        .filter(|one| one.verdict == MutantVerdict::Unknown && one.suppressed.is_none())
        .collect();
    let shown = match detail {
        Detail::Brief => open.len().min(UNDECIDED),
        Detail::Every => 0,
    };
    if shown == 0 {
        return;
    }
    out.push_str("\nnot decided\n");
    for mutant in &open[..shown] {
        let line = mutant_line(mutant);
        let _ = writeln!(out, "  {}", style.cut(&line, style.width.max(42) - 2));
    }
    write_more(open.len() - shown, detail, style, out);
}

/// Every mutant: gaps as they are ranked, then by verdict, then those that somebody decided to live
/// with, then changed assumptions.
fn write_list(findings: &Findings, digest: &Digest<'_>, out: &mut String) {
    let verdicts = [
        MutantVerdict::Unknown,
        MutantVerdict::Killed,
        MutantVerdict::Vacuous,
        MutantVerdict::Equivalent,
        MutantVerdict::NotValid,
    ];
    let gaps = digest.groups.iter().flat_map(|group| &group.gaps);
    let gaps = gaps.map(|at| &findings.mutants[*at]);
    let others = verdicts.iter().flat_map(|verdict| {
        let mutants = findings.mutants.iter();
        mutants.filter(move |one| one.verdict == *verdict && one.suppressed.is_none())
    });
    out.push('\n');
    for mutant in gaps.chain(others) {
        let _ = writeln!(out, "{}", mutant_line(mutant));
    }
    for mutant in &findings.mutants {
        if let Some(why) = &mutant.suppressed {
            let _ = writeln!(out, "SUPPRESSED {}: {why}", mutant_line(mutant));
        }
    }
    for assumption in &findings.assumptions {
        let _ = writeln!(out, "{}", assumption_line(assumption));
    }
}

/// `KILLED 6:12 or2xor by Prop2, Prop3 at step 0 [demo2/b#or2xor#1]`
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
    let _ = write!(line, " [{}]", mutant.id);
    if let Some(reason) = &mutant.reason {
        let _ = write!(line, " ({reason})");
    }
    line
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
    let of = match elements_and_properties(findings) {
        Some(of) => format!(" of {of}"),
        None => String::new(),
    };
    let mutants = if count == 1 { "mutant" } else { "mutants" };
    let decided = match tests.is_empty() {
        true => String::new(),
        false => format!(", decided by: {}", tests.join(", ")),
    };
    format!("{count} {mutants}{of} in {time}, {queries} queries{decided}{audited}")
}

/// `25 elements (grain: source) against 6 properties`
fn elements_and_properties(findings: &Findings) -> Option<String> {
    let proved = |one: &&PropertyFinding| one.verdict == PropertyVerdict::Valid;
    let proved = findings.properties.iter().filter(proved).count();
    let elements = crate::cores::element_count(findings)?;
    let properties = if proved == 1 {
        "property"
    } else {
        "properties"
    };
    Some(format!("{elements} against {proved} {properties}"))
}
