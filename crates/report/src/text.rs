//! Findings as text for people.
//!
//! One line a property, then, for an invalid one, the table of its counterexample. The columns of
//! the verdict lines are aligned, since they are read downwards.

use crate::findings::{
    AuditMark, DeadlockVerdict, Findings, PropertyFinding, PropertyKind, PropertyVerdict,
    StatesFinding,
};
use crate::path::{ShownPath, write_path};
use crate::table::write_table;
use crate::trace::ShownTrace;
use std::fmt::Write as _;

/// How text is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// In characters.
    pub width: usize,
    /// Use the colours of a terminal.
    pub colour: bool,
    /// Only the verdict lines.
    pub quiet: bool,
}

/// How much is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// What fits a screen.
    Brief,
    /// Every mutant, every element.
    Every,
}

impl Style {
    /// What stands for text that was left out: beyond ASCII only where colours are, too.
    pub fn ellipsis(&self) -> &'static str {
        if self.colour { "…" } else { "..." }
    }

    /// A text in so much room, in characters.
    pub fn cut(&self, text: &str, room: usize) -> String {
        if text.chars().count() <= room {
            return text.to_string();
        }
        let ellipsis = self.ellipsis();
        let kept = room.saturating_sub(ellipsis.chars().count());
        text.chars().take(kept).chain(ellipsis.chars()).collect()
    }
}

/// Stands above states on which an induction fails.
const INDUCTION: &str = "
  Not a run of the model: states on which the induction fails. If the first one cannot be reached,
  a property that says so would help; if it can, the property is false.

";

/// What a check found.
pub fn check_text(findings: &Findings, style: &Style) -> String {
    let mut out = String::new();
    let mut after_table = false;
    let lines = check_lines(&findings.properties, style);
    for (property, line) in findings.properties.iter().zip(lines) {
        if after_table {
            out.push('\n');
        }
        out.push_str(&line);
        out.push('\n');
        after_table = false;
        if let Some(trace) = shown_trace(findings, property).filter(|_| !style.quiet) {
            out.push('\n');
            write_table(trace, style, &mut out);
            after_table = true;
        }
        if let Some(path) = shown_path(findings, property).filter(|_| !style.quiet) {
            out.push('\n');
            write_path(path, style, &mut out);
            after_table = true;
        }
        let induction = property.inductive_counterexample.as_ref();
        if let Some(states) = induction.filter(|_| !style.quiet) {
            out.push_str(INDUCTION);
            write_table(states, style, &mut out);
            after_table = true;
        }
    }
    if !style.quiet {
        out.push('\n');
        out.push_str(&summary(findings));
        if let Some(states) = &findings.states {
            write_states(states, style, &mut out);
        }
    }
    out
}

/// A run as a table.
pub fn trace_table(trace: &ShownTrace, style: &Style) -> String {
    let mut out = String::new();
    write_table(trace, style, &mut out);
    out
}

/// A run as findings have it.
pub fn trace_json(trace: &ShownTrace) -> String {
    // The names of a trace are text: this cannot fail.
    let mut text = serde_json::to_string_pretty(trace).unwrap_or_default();
    text.push('\n');
    text
}

fn write_states(states: &StatesFinding, style: &Style, out: &mut String) {
    let StatesFinding {
        reachable,
        bits,
        diameter,
        ..
    } = states;
    let plural = if *diameter == 1 { "" } else { "s" };
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "\n{reachable} states of {bits} bits are reached, in {diameter} layer{plural}"
    );
    if !states.fair {
        out.push_str("no fair run begins in an initial state\n");
    }
    match &states.deadlock {
        None => out.push_str("every reached state has a successor\n"),
        Some(run) => {
            out.push_str("a state without successor is reached:\n\n");
            write_table(run, style, out);
        }
    }
}

/// The run of a property, unless it was shown before: a run that is blocked is the same for all.
pub(crate) fn shown_trace<'f>(
    findings: &'f Findings,
    property: &'f PropertyFinding,
) -> Option<&'f ShownTrace> {
    let is_vacuous = |one: &&PropertyFinding| one.verdict == PropertyVerdict::Vacuous;
    let first = findings.properties.iter().find(is_vacuous);
    let again = is_vacuous(&property) && !first.is_some_and(|first| std::ptr::eq(first, property));
    property.trace.as_ref().filter(|_| !again)
}

/// The run of a program, unless it was shown before: one run may violate several properties.
fn shown_path<'f>(findings: &'f Findings, property: &'f PropertyFinding) -> Option<&'f ShownPath> {
    let path = property.path.as_ref()?;
    let before = findings.properties.iter();
    let before = before.take_while(|one| !std::ptr::eq(*one, property));
    let inputs = |one: &ShownPath| (one.inputs.clone(), one.steps.len());
    let shown = before
        .filter_map(|one| one.path.as_ref())
        .any(|one| inputs(one) == inputs(path));
    (!shown).then_some(path)
}

/// The proofs: the invariants of each, and who audited it, and how the auditor differs from the
/// solver that proved it.
pub fn proofs_text(findings: &Findings) -> String {
    let mut out = String::new();
    let properties = findings.properties.iter();
    for property in properties.filter(|one| one.verdict == PropertyVerdict::Valid) {
        let audit = match property.audit {
            AuditMark::Passed => "audited",
            AuditMark::Missing => "not audited",
        };
        let (name, count) = (&property.name, property.invariants.len());
        let with = match count {
            0 => "no invariants".into(),
            1 => "1 invariant".into(),
            count => format!("{count} invariants"),
        };
        // Writing to a string does not fail.
        let _ = writeln!(out, "\nproof of {name}: {}, {with}, {audit}", how(property));
        for invariant in &property.invariants {
            let _ = writeln!(out, "  {invariant}");
        }
    }
    out.push_str(&audit_text(findings));
    let deadlock = findings.deadlock.as_ref();
    if let Some(one) = deadlock.filter(|one| one.verdict == DeadlockVerdict::Absent) {
        let by = match &one.audited_by[..] {
            [] => String::new(),
            by => format!(", audited by {}", by.join(", ")),
        };
        let _ = writeln!(out, "\nassumptions: every run that they accept goes on{by}");
    }
    out
}

/// Who audited, and how the solver that audits differs from the one that proves.
pub(crate) fn audit_text(findings: &Findings) -> String {
    let audit = findings.audit.as_ref();
    let differs = audit.and_then(|audit| Some((audit, audit.differs.as_ref()?)));
    match differs {
        Some((audit, differs)) => format!(
            "\naudited by {}; for proofs that is {differs}\n",
            audit.by.join(", ")
        ),
        None => String::new(),
    }
}

/// A line for each property, aligned.
pub fn check_lines(properties: &[PropertyFinding], style: &Style) -> Vec<String> {
    let widths = Widths::of(properties);
    let lines = properties.iter();
    lines.map(|one| line(one, &widths, style)).collect()
}

struct Widths {
    name: usize,
    how: usize,
}

impl Widths {
    fn of(properties: &[PropertyFinding]) -> Widths {
        let longest = |text: &dyn Fn(&PropertyFinding) -> String| {
            let lengths = properties.iter().map(|one| text(one).chars().count());
            lengths.max().unwrap_or(0)
        };
        Widths {
            name: longest(&|property| property.name.clone()),
            how: longest(&how),
        }
    }
}

fn line(property: &PropertyFinding, widths: &Widths, style: &Style) -> String {
    let verdict = format!("{:<8}", property.verdict.as_str());
    let verdict = match (style.colour, property.verdict) {
        (false, _) => verdict,
        (true, PropertyVerdict::Valid) => format!("\x1b[32m{verdict}\x1b[0m"),
        (true, PropertyVerdict::Invalid) => format!("\x1b[1;31m{verdict}\x1b[0m"),
        (true, _) => format!("\x1b[33m{verdict}\x1b[0m"),
    };
    let (name, how) = (&property.name, how(property));
    let mut line = format!(
        "{verdict} {name:<name_width$}   {how:<how_width$}   {}",
        duration(property.seconds),
        name_width = widths.name,
        how_width = widths.how,
    );
    if let Some(reason) = &property.reason {
        // Writing to a string does not fail.
        let _ = write!(line, "   {reason}");
    }
    line
}

/// How the verdict was reached.
fn how(property: &PropertyFinding) -> String {
    let engine = property.engine.as_deref().unwrap_or("");
    if let Some(bound) = property.bound {
        return match property.verdict {
            PropertyVerdict::Valid => format!("within bound {bound}"),
            PropertyVerdict::Vacuous => "no run comes to its end".into(),
            _ => engine.into(),
        };
    }
    if let Some(value) = &property.value {
        return format!("{engine} = {value}").trim().into();
    }
    match (property.verdict, property.k, property.step) {
        (PropertyVerdict::Vacuous, ..) if property.kind != PropertyKind::Invariant => engine.into(),
        (PropertyVerdict::Valid, Some(k), _) => format!("{engine} k={k}"),
        (PropertyVerdict::Invalid, _, Some(step)) => format!("{engine} step={step}").trim().into(),
        (PropertyVerdict::Unknown, _, Some(1)) => "holds for 1 step".into(),
        (PropertyVerdict::Unknown, _, Some(steps)) => format!("holds for {steps} steps"),
        (PropertyVerdict::Vacuous, _, Some(step)) => format!("blocked after step {step}"),
        (PropertyVerdict::Vacuous, ..) => "contradictory assumptions".into(),
        _ => engine.into(),
    }
}

pub(crate) fn summary(findings: &Findings) -> String {
    let verdicts = [
        PropertyVerdict::Valid,
        PropertyVerdict::Invalid,
        PropertyVerdict::Unknown,
        PropertyVerdict::Vacuous,
    ];
    let counts = verdicts.iter().filter_map(|verdict| {
        let of = findings.properties.iter();
        let count = of.filter(|property| property.verdict == *verdict).count();
        let word = verdict.as_str().to_lowercase();
        (count > 0).then(|| format!("{count} {word}"))
    });
    let counts: Vec<String> = counts.collect();
    let mut text = match counts.is_empty() {
        true => "nothing to check".into(),
        false => counts.join(", "),
    };
    let _ = write!(text, " in {}", duration(findings.seconds));
    match &findings.audit {
        Some(audit) => {
            let (by, time) = (audit.by.join(", "), duration(audit.seconds));
            let _ = write!(text, "; audit passed in {time} ({by})");
            let open = findings.properties.iter().filter(|one| !is_open(one));
            let open = open.filter(|one| one.audit == AuditMark::Missing).count();
            if open > 0 {
                let _ = write!(text, ", {open} not audited");
            }
        }
        None if counts.is_empty() || findings.properties.iter().all(is_open) => {}
        None => text.push_str("; not audited"),
    }
    text.push('\n');
    text.push_str(&undecided_deadlock(findings));
    text
}

/// A line that says so when it is not known whether the assumptions block a run; else nothing.
pub(crate) fn undecided_deadlock(findings: &Findings) -> String {
    let deadlock = findings.deadlock.as_ref();
    match deadlock.filter(|one| one.verdict == DeadlockVerdict::Undecided) {
        Some(one) => {
            let reason = one.reason.as_deref().unwrap_or("nobody knows why");
            format!("it is not decided whether the assumptions block a run: {reason}\n")
        }
        None => String::new(),
    }
}

fn is_open(property: &PropertyFinding) -> bool {
    matches!(
        property.verdict,
        PropertyVerdict::Unknown | PropertyVerdict::Vacuous
    )
}

/// A time as people read it.
pub(crate) fn duration(seconds: f64) -> String {
    let milliseconds = seconds * 1000.0;
    match milliseconds {
        ..0.95 => format!("{milliseconds:.1} ms"),
        ..999.5 => format!("{milliseconds:.0} ms"),
        _ => format!("{seconds:.1} s"),
    }
}
