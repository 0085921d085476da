//! Cores as text for people: under each property the elements of its cores in the order of the source,
//! each with what it is to the proof, then the cores and their sizes, and last what no proof needs. In
//! detail every element stands under every property.

use crate::findings::{
    CoreFinding, CoreRole, ElementFinding, Findings, Origin, PropertyFinding, PropertyVerdict,
};
use crate::table::write_table;
use crate::text::{Detail, Style, check_lines, duration, shown_trace, summary};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// What an analysis of cores found. Where there are several, they are listed unless they were shown
/// as they were found.
pub fn ivc_text(findings: &Findings, style: &Style, detail: Detail, listed: bool) -> String {
    let mut out = String::new();
    let lines = check_lines(&findings.properties, style);
    for (property, line) in findings.properties.iter().zip(lines) {
        out.push_str(&line);
        out.push('\n');
        if style.quiet {
            continue;
        }
        if let Some(trace) = shown_trace(findings, property) {
            out.push('\n');
            write_table(trace, style, &mut out);
        }
    }
    let mut told: Vec<String> = Vec::new();
    for core in &findings.cores {
        let key = core.property.key();
        if told.contains(&key) {
            continue;
        }
        let cores = findings.cores.iter();
        let cores: Vec<&CoreFinding> = cores.filter(|one| one.property.key() == key).collect();
        write_cores(findings, &key, &cores, detail, style, &mut out);
        if !listed && !style.quiet {
            write_list(findings, &cores, &mut out);
        }
        told.push(key);
    }
    if !style.quiet {
        write_idle(findings, style, &mut out);
        out.push('\n');
        out.push_str(&ivc_summary(findings));
    }
    out
}

/// What no proof needs, so that no property checks it.
fn write_idle(findings: &Findings, style: &Style, out: &mut String) {
    let needed = [CoreRole::Must, CoreRole::May, CoreRole::Used];
    let is_idle = |one: &&ElementFinding| {
        !one.role.is_empty() && !one.role.values().any(|role| needed.contains(role))
    };
    let idle: Vec<&ElementFinding> = findings.elements.iter().filter(is_idle).collect();
    if idle.is_empty() {
        return;
    }
    let count = idle.len();
    let names: Vec<String> = idle
        .iter()
        .map(|one| format!("{} ({})", one.name, line_of(one)))
        .collect();
    let text = format!(
        "in no core, {count} of {}: {}",
        findings.elements.len(),
        names.join(", ")
    );
    let _ = writeln!(out, "\n{}", style.cut(&text, style.width.max(40)));
}

/// Everything about the cores of one property, or of several together.
fn write_cores(
    findings: &Findings,
    key: &str,
    cores: &[&CoreFinding],
    detail: Detail,
    style: &Style,
    out: &mut String,
) {
    if !style.quiet {
        out.push('\n');
    }
    // Writing to a string does not fail.
    let _ = writeln!(out, "{key}: {}", sizes(findings, key, cores));
    if let Some(why) = cores.iter().find_map(|core| core.vacuous.as_ref()) {
        let _ = writeln!(out, "  VACUOUS {why}");
    }
    if style.quiet {
        return;
    }
    let line_width = line_number_width(findings);
    let is_shown = |role: &CoreRole| {
        let in_core = !matches!(role, CoreRole::Unused | CoreRole::Outside);
        in_core || detail == Detail::Every
    };
    for element in &findings.elements {
        if let Some(role) = element.role.get(key).filter(|role| is_shown(role)) {
            write_element(element, *role, line_width, style, out);
        }
    }
}

fn write_list(findings: &Findings, cores: &[&CoreFinding], out: &mut String) {
    let by_id: FxHashMap<&str, &ElementFinding> = findings
        .elements
        .iter()
        .map(|element| (element.id.as_str(), element))
        .collect();
    let names = |ids: &[String]| -> String {
        let names = ids.iter().map(|id| match by_id.get(id.as_str()) {
            Some(element) => element.name.as_str(),
            None => id.as_str(),
        });
        names.collect::<Vec<&str>>().join(", ")
    };
    if cores.len() > 1 {
        for (at, core) in cores.iter().enumerate() {
            let _ = writeln!(out, "  core {}: {}", at + 1, names(&core.elements));
        }
    }
    for core in cores.iter().filter(|core| !core.undecided.is_empty()) {
        let _ = writeln!(
            out,
            "  not known to be minimal: undecided whether the rest suffices without {}",
            names(&core.undecided)
        );
    }
    if let Some(core) = cores.iter().find(|core| !core.must_undecided.is_empty()) {
        let undecided = names(&core.must_undecided);
        let _ = writeln!(out, "  undecided whether every core has {undecided}");
    }
}

fn write_element(
    element: &ElementFinding,
    role: CoreRole,
    line_width: usize,
    style: &Style,
    out: &mut String,
) {
    let mark = format!("{:<7}", role.as_str());
    let mark = match (style.colour, role) {
        (true, CoreRole::Must) => format!("\x1b[1;32m{mark}\x1b[0m"),
        (true, CoreRole::May | CoreRole::Used) => format!("\x1b[32m{mark}\x1b[0m"),
        (true, CoreRole::Unused | CoreRole::Outside) => format!("\x1b[2m{mark}\x1b[0m"),
        (false, _) => mark,
    };
    let line = line_of(element);
    let instance = match element.name.rsplit_once('.') {
        // The text of an argument begins with its name.
        Some((path, _)) if path.contains('~') && !element.text.starts_with(&element.name) => {
            format!("{path}: ")
        }
        _ => String::new(),
    };
    let room = style.width.saturating_sub(line_width + 12).max(20);
    let text: String = format!("{instance}{}", element.text);
    let shown = style.cut(&text, room);
    let _ = writeln!(out, "  {mark} {line:>line_width$}  {shown}");
}

fn line_number_width(findings: &Findings) -> usize {
    let lines = findings.elements.iter().map(line_of);
    lines.max().unwrap_or(0).to_string().len()
}

/// The line of an element, or its number where there are no lines.
fn line_of(element: &ElementFinding) -> u32 {
    match &element.origin {
        Some(Origin::Span(span)) => span.line,
        Some(Origin::Name { index, .. }) => *index,
        None => 0,
    }
}

/// `core of 3 of 6 elements, minimal; 2 must, 1 may, 1 unused, 2 outside; 0.4 ms`
fn sizes(findings: &Findings, key: &str, cores: &[&CoreFinding]) -> String {
    let all = findings.elements.len();
    let sizes: Vec<usize> = cores.iter().map(|core| core.elements.len()).collect();
    let least = sizes.iter().min().copied().unwrap_or(0);
    let most = sizes.iter().max().copied().unwrap_or(0);
    let mut text = match cores.len() {
        1 => format!("a core of {least} of {all} elements"),
        count if least == most => format!("{count} cores of {least} of {all} elements"),
        count => format!("{count} cores of {least} to {most} of {all} elements"),
    };
    if cores.iter().any(|core| core.minimal.is_some()) {
        text.push_str(", minimal");
    }
    match cores.first().and_then(|core| core.complete) {
        Some(true) => text.push_str(", no others"),
        Some(false) => text.push_str(", perhaps others"),
        None => {}
    }
    if let Some(proved) = cores.first().and_then(|core| core.smallest) {
        text.push_str(match proved {
            true => ", of the least size",
            false => ", not known to be of the least size",
        });
    }
    let roles = [
        CoreRole::Must,
        CoreRole::May,
        CoreRole::Used,
        CoreRole::Unused,
        CoreRole::Outside,
    ];
    let counts = roles.iter().filter_map(|role| {
        let of = findings.elements.iter();
        let count = of.filter(|one| one.role.get(key) == Some(role)).count();
        (count > 0).then(|| format!("{count} {}", role.as_str().to_lowercase()))
    });
    let counts: Vec<String> = counts.collect();
    let seconds: f64 = cores.iter().map(|core| core.seconds).sum();
    format!("{text}; {}; {}", counts.join(", "), duration(seconds))
}

/// `25 elements (--grain source)`, where elements were counted.
pub fn element_count(findings: &Findings) -> Option<String> {
    let count = match findings.elements.len() {
        0 => return None,
        1 => "1 element".to_string(),
        count => format!("{count} elements"),
    };
    let grain = findings.options.get("grain").and_then(|one| one.as_str());
    Some(match grain {
        Some(grain) => format!("{count} (--grain {grain})"),
        None => count,
    })
}

/// The verdicts, and what the cores cost beyond the proofs.
fn ivc_summary(findings: &Findings) -> String {
    let verdicts = summary(findings);
    let last_proof = findings
        .properties
        .iter()
        .filter(|property: &&PropertyFinding| property.verdict == PropertyVerdict::Valid)
        .map(|property| property.seconds)
        .fold(0.0, f64::max);
    let cores: f64 = findings.cores.iter().map(|core| core.seconds).sum();
    if findings.cores.is_empty() {
        return verdicts;
    }
    let overhead = match last_proof > 0.0 {
        true => format!(" ({:.0} % of the proofs)", 100.0 * cores / last_proof),
        false => String::new(),
    };
    let (proofs, cores) = (duration(last_proof), duration(cores));
    let counted = element_count(findings).map_or_else(String::new, |count| format!("{count}; "));
    format!("{verdicts}{counted}proofs {proofs}, cores {cores}{overhead}\n")
}
