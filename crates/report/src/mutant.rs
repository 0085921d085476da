//! One mutant in full: the change, the runs of original and mutant beside each other, what would notice
//! it, and the patch that makes it.
//!
//! Of the two runs only what differs is shown twice. The inputs are the same in both, and everything
//! else follows.

use crate::assumptions::{AssumptionFinding, assumption_line};
use crate::findings::{Covers, MutantFinding};
use crate::mutants::mutant_line;
use crate::table::{write_pair, write_table};
use crate::text::Style;
use std::fmt::Write as _;

/// How many suggestions are shown of a mutant.
const SUGGESTIONS: usize = 3;

/// What every change has: a line that says what became of it, and what it does.
struct Change<'f> {
    line: String,
    original: &'f str,
    replacement: &'f str,
    note: Option<&'f str>,
}

fn write_change(change: &Change<'_>, style: &Style, out: &mut String) {
    let (bold, plain) = match style.colour {
        true => ("\x1b[1;33m", "\x1b[0m"),
        false => ("", ""),
    };
    // Writing to a string does not fail.
    let _ = writeln!(out, "{bold}{}{plain}", change.line);
    let _ = writeln!(out, "  {}", change.original);
    let _ = writeln!(out, "  becomes {}", change.replacement);
    if let Some(note) = change.note {
        let _ = writeln!(out, "  {note}");
    }
}

/// A changed assumption in full; the patch is shown if there is one.
pub fn assumption_text(one: &AssumptionFinding, patch: Option<&str>, style: &Style) -> String {
    let mut out = String::new();
    let change = Change {
        line: assumption_line(one),
        original: &one.original,
        replacement: &one.replacement,
        note: one.note.as_deref(),
    };
    write_change(&change, style, &mut out);
    if let Some(trace) = &one.trace {
        out.push_str("\n  a run that only the changed assumption accepts\n");
        write_table(trace, style, &mut out);
    }
    if let Some(patch) = patch {
        let _ = write!(out, "\n{patch}");
    }
    out
}

/// A mutant in full; the patch is shown if there is one.
pub fn mutant_text(mutant: &MutantFinding, patch: Option<&str>, style: &Style) -> String {
    let mut out = String::new();
    let change = Change {
        line: mutant_line(mutant),
        original: &mutant.original,
        replacement: &mutant.replacement,
        note: mutant.note.as_deref(),
    };
    write_change(&change, style, &mut out);
    if let Some(why) = &mutant.suppressed {
        let _ = writeln!(out, "  suppressed: {why}");
    }
    write_runs(mutant, style, &mut out);
    if !mutant.suggestions.is_empty() {
        out.push_str("\n  holds on the original, and would notice\n");
    }
    for suggestion in mutant.suggestions.iter().take(SUGGESTIONS) {
        let _ = writeln!(out, "  {suggestion}");
    }
    if let Some(patch) = patch {
        let _ = write!(out, "\n{patch}");
    }
    out
}

/// The run that kills it, or the two that show a gap.
fn write_runs(mutant: &MutantFinding, style: &Style, out: &mut String) {
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
    match (&mutant.original_trace, &mutant.trace) {
        (Some(original), Some(trace)) => {
            out.push('\n');
            write_pair(original, trace, style, out);
        }
        (_, Some(trace)) => {
            out.push_str("\n  the mutant\n");
            write_table(trace, style, out);
        }
        (_, None) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_gap_shows_inputs_once_and_what_differs_beside_each_other() {
        let trace = |x: [&str; 2]| {
            let steps = [0, 1].map(|at| serde_json::json!({ "a": "1", "same": "7", "x": x[at] }));
            let written = serde_json::json!({
                "steps": steps, "loop": null, "violates": {}, "inputs": ["a"],
            });
            serde_json::from_value(written).ok()
        };
        let mutant = MutantFinding {
            reason: None,
            path: None,
            original_trace: trace(["true", "true"]),
            trace: trace(["true", "false"]),
            suggestions: vec!["--%PROPERTY x;".into()],
            ..samples::mutant("gap")
        };
        let style = Style {
            width: 80,
            colour: false,
            quiet: false,
        };
        let expected = "GAP 3:9 or2xor [m/x#or2xor#1]
  a or b
  becomes a xor b
  no property notices that x differs at step 2:

  step         0       1
  a            1       1
  x         true    true
    mutant  true   false*

  holds on the original, and would notice
  --%PROPERTY x;

--- m.lus
";
        assert_eq!(mutant_text(&mutant, Some("--- m.lus\n"), &style), expected);
    }
}
