//! The front window: one writer a format, all from one [`Findings`] type.
//!
//! What people and scripts are promised is written down in the types of [`Findings`]; a field may
//! be added, none may change its meaning. Nothing here computes a verdict.

mod findings;
mod json;
mod table;
mod text;
mod trace;
mod vcd;

pub use findings::{
    AuditMark, AuditSummary, Findings, Input, Outcome, PropertyFinding, SCHEMA, Span, Tool, Verdict,
};
pub use json::json;
pub use text::{Style, check_line, check_text};
pub use trace::{Row, Shown, Trace};
pub use vcd::vcd;
