//! The front window: one writer a format, all from one [`Findings`] type.
//!
//! What people and scripts are promised is written down in the types of [`Findings`]; a field may
//! be added, none may change its meaning. Nothing here computes a verdict.

mod cores;
mod findings;
mod html;
mod json;
mod kills;
mod matrix;
mod mutants;
mod table;
mod text;
mod trace;
mod vcd;

pub use cores::ivc_text;
pub use findings::{
    AuditMark, AuditSummary, Cell, CoreFinding, Covers, ElementFinding, Findings, Input,
    MutantFinding, MutantVerdict, Outcome, Position, Properties, PropertyFinding, Role, SCHEMA,
    Score, Shard, Span, Tool, Verdict, Worth,
};
pub use html::html;
pub use json::json;
pub use kills::{kills_csv, kills_text};
pub use matrix::{matrix_csv, matrix_text};
pub use mutants::{mutant_line, mutate_text};
pub use text::{Style, check_line, check_text};
pub use trace::{Row, Shown, Trace};
pub use vcd::vcd;
