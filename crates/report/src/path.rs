//! The run of a program: what happens, line by line, and what it logs.

use crate::findings::ShownSpan;
use crate::text::Style;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// How many steps are printed, the last ones.
const PRINTED: usize = 40;

/// A run of a program.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[schemars(rename = "Path")]
pub struct ShownPath {
    /// What happens, in order.
    pub steps: Vec<PathStep>,
    /// What the program printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub log: String,
    /// What nothing determines, in the order in which the program asks for it: bytes, the least significant first, in
    /// hexadecimal digits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// How the run ends.
    pub end: String,
}

/// A step of a run.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct PathStep {
    /// Where it is.
    pub origin: ShownSpan,
    /// The function that it is in.
    pub function: String,
    /// What kind of step it is.
    pub kind: StepKind,
    /// What happens, in words of the source.
    pub text: String,
}

/// What happens in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// Something is stored.
    Store,
    /// A function is called.
    Call,
    /// A function returns.
    Return,
    /// Something is printed.
    Log,
    /// A check fails.
    Violation,
    /// What is assumed does not hold.
    Blocked,
}

/// A run as lines: the last steps, each with its place.
pub(crate) fn write_path(path: &ShownPath, style: &Style, out: &mut String) {
    let left_out = path.steps.len().saturating_sub(PRINTED);
    if left_out > 0 {
        let _ = writeln!(out, "  {} ({left_out} steps before)", style.ellipsis());
    }
    let shown = &path.steps[left_out..];
    let place = |step: &PathStep| format!("{}:{}", step.origin.file, step.origin.line);
    let width = shown
        .iter()
        .map(|step| place(step).len())
        .max()
        .unwrap_or(0);
    let functions = shown.iter().map(|step| step.function.len());
    let function_width = functions.max().unwrap_or(0);
    for step in shown {
        let (bold, plain) = match style.colour && step.kind == StepKind::Violation {
            true => ("\x1b[1;31m", "\x1b[0m"),
            false => ("", ""),
        };
        let (at, function) = (place(step), &step.function);
        let room = style
            .width
            .saturating_sub(width + function_width + 6)
            .max(20);
        let text = style.cut(step.text.trim_end(), room);
        let _ = writeln!(
            out,
            "  {at:<width$}  {function:<function_width$}  {bold}{text}{plain}"
        );
    }
}
