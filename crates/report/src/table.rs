//! A trace as a table: steps as columns, variables as rows.
//!
//! A value that differs from the one before has a `*` behind it (and is bold on a terminal): what
//! changes tells the story. A table that is wider than the page continues in a block below, with
//! the names again. Two runs on the same inputs are one table: what differs has a row for each.

use crate::text::Style;
use crate::trace::{Row, ShownTrace};
use std::fmt::Write as _;

const INDENT: usize = 2;
const GAP: usize = 2;
const BOLD: &str = "\x1b[1m";
const PLAIN: &str = "\x1b[0m";

/// A value as it is shown.
struct Cell {
    text: String,
    changed: bool,
}

struct Line {
    name: String,
    cells: Vec<Cell>,
}

pub fn write_table(trace: &ShownTrace, style: &Style, out: &mut String) {
    let lines = trace.rows.iter().map(line).collect();
    write_lines(lines, (trace.steps, trace.back), style, out);
}

/// The inputs of two runs, of a model and of a mutant, and what differs.
pub fn write_pair(original: &ShownTrace, mutant: &ShownTrace, style: &Style, out: &mut String) {
    write_pair_of(original, mutant, "  mutant", style, out);
}

/// The inputs of two runs, and what differs; `beside` is what a row of the second run is called, below the
/// first's.
pub fn write_pair_of(
    original: &ShownTrace,
    other: &ShownTrace,
    beside: &str,
    style: &Style,
    out: &mut String,
) {
    let find = |name: &str| other.rows.iter().find(|row| row.name == name);
    let mut lines = Vec::new();
    for row in &original.rows {
        let second = find(&row.name).filter(|second| second.values != row.values);
        if row.is_input || second.is_some() {
            lines.push(line(row));
        }
        lines.extend(second.map(|second| Line {
            name: beside.into(),
            ..line(second)
        }));
    }
    let steps = original.steps.max(other.steps);
    write_lines(lines, (steps, None), style, out);
}

/// Of a run that goes round, the steps that come again and again stand in parentheses.
fn write_lines(
    rows: Vec<Line>,
    (steps, back): (usize, Option<usize>),
    style: &Style,
    out: &mut String,
) {
    let number = |step: usize| {
        let opens = if back == Some(step) { "(" } else { "" };
        let closes = back.is_some() && step + 1 == steps;
        let closes = if closes { ")" } else { "" };
        cell(format!("{opens}{step}{closes}"), false)
    };
    let header = Line {
        name: "step".into(),
        cells: (0..steps).map(number).collect(),
    };
    let mut lines = vec![header];
    lines.extend(rows);
    let names = lines
        .iter()
        .map(|line| count(&line.name))
        .max()
        .unwrap_or(0);
    let widths: Vec<usize> = (0..steps)
        .map(|step| {
            let cells = lines.iter().filter_map(|line| line.cells.get(step));
            // The mark has a place of its own, so that values stand below each other.
            cells.map(|cell| count(&cell.text) + 1).max().unwrap_or(0)
        })
        .collect();
    let room = style.width.saturating_sub(INDENT + names);
    let mut from = 0;
    while from < steps {
        let to = block_end(&widths, from, room);
        if from > 0 {
            out.push('\n');
        }
        for line in &lines {
            write_line(line, names, (&widths, from..to), style, out);
        }
        from = to;
    }
}

/// The first step that does not fit any more; at least one does.
fn block_end(widths: &[usize], from: usize, room: usize) -> usize {
    let mut used = 0;
    let fits = widths[from..].iter().take_while(|width| {
        used += *width + GAP;
        // The last mark may stick out: mostly it is a blank.
        used <= room + 1
    });
    from + fits.count().max(1)
}

fn write_line(
    line: &Line,
    names: usize,
    (widths, steps): (&[usize], std::ops::Range<usize>),
    style: &Style,
    out: &mut String,
) {
    let mut written = format!("{:INDENT$}{}", "", line.name);
    written.extend(std::iter::repeat_n(' ', names - count(&line.name)));
    for step in steps {
        let Some(cell) = line.cells.get(step) else {
            continue;
        };
        let blanks = GAP + widths[step] - 1 - count(&cell.text);
        written.extend(std::iter::repeat_n(' ', blanks));
        // Writing to a string does not fail.
        let _ = match (cell.changed, style.colour) {
            (false, _) => write!(written, "{} ", cell.text),
            (true, false) => write!(written, "{}*", cell.text),
            (true, true) => write!(written, "{BOLD}{}*{PLAIN}", cell.text),
        };
    }
    out.push_str(written.trim_end());
    out.push('\n');
}

fn line(row: &Row) -> Line {
    let cells = row.values.iter().enumerate().map(|(step, value)| {
        let changed = step > 0 && row.values[step - 1] != *value;
        cell(value.to_string(), changed)
    });
    Line {
        name: row.name.clone(),
        cells: cells.collect(),
    }
}

fn cell(text: String, changed: bool) -> Cell {
    Cell { text, changed }
}

fn count(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::{Rational, Value};

    fn row(name: &str, is_input: bool, values: Vec<Value>) -> Row {
        Row {
            name: name.into(),
            is_input,
            values,
        }
    }

    fn trace() -> ShownTrace {
        let bools = |values: [bool; 4]| values.into_iter().map(Value::Bool).collect();
        let ints = |values: [i64; 4]| values.into_iter().map(|n| Value::Int(n.into())).collect();
        ShownTrace {
            steps: 4,
            back: None,
            rows: vec![
                row("press", true, bools([true, true, false, true])),
                row("chosen", false, vec![Value::Real(Rational::new(-1, 3))]),
                row("count", false, ints([0, 1, 1, -100])),
            ],
            violates: vec![("p".into(), 3)],
        }
    }

    fn shown(width: usize, colour: bool) -> String {
        let mut out = String::new();
        let style = Style {
            width,
            colour,
            quiet: false,
        };
        write_table(&trace(), &style, &mut out);
        out
    }

    #[test]
    fn columns_stand_below_each_other_and_changes_are_marked() {
        let expected = "  step       0      1       2      3
  press   true   true   false*  true*
  chosen  -1/3
  count      0      1*      1   -100*
";
        assert_eq!(shown(80, false), expected);
    }

    #[test]
    fn a_run_that_goes_round_has_its_loop_in_parentheses() {
        let mut out = String::new();
        let style = Style {
            width: 80,
            colour: false,
            quiet: false,
        };
        let trace = ShownTrace {
            back: Some(2),
            ..trace()
        };
        write_table(&trace, &style, &mut out);
        let first = out.lines().next().unwrap();
        assert_eq!(first, "  step       0      1      (2     3)");
    }

    #[test]
    fn a_wide_table_continues_below() {
        let expected = "  step       0      1
  press   true   true
  chosen  -1/3
  count      0      1*

  step        2      3
  press   false*  true*
  chosen
  count       1   -100*
";
        let shown = shown(28, false);
        assert_eq!(shown, expected);
        assert!(shown.lines().all(|line| line.len() <= 28), "{shown}");
    }

    #[test]
    fn a_column_wider_than_the_page_stands_alone() {
        let shown = shown(5, false);
        assert_eq!(
            shown.lines().filter(|line| line.contains("step")).count(),
            4
        );
    }

    #[test]
    fn a_terminal_shows_changes_in_bold() {
        assert!(shown(80, true).contains("\x1b[1mfalse*\x1b[0m"));
    }
}
