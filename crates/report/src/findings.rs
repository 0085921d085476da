//! What a run found: the only types that are serialized, and the contract with scripts.

use crate::trace::Trace;
use proofmark_source::Sources;
use serde::Serialize;
use std::collections::BTreeMap;

/// The version of the contract.
pub const SCHEMA: &str = "proofmark/1";

#[derive(Clone, Debug, Serialize)]
pub struct Findings {
    pub schema: &'static str,
    pub command: &'static str,
    pub tool: Tool,
    pub inputs: Vec<Input>,
    /// What the command line asked for, by the names of the options.
    pub options: BTreeMap<&'static str, serde_json::Value>,
    /// Of the whole run.
    pub seconds: f64,
    pub outcome: Outcome,
    /// Absent when nothing was audited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<AuditSummary>,
    pub properties: Vec<PropertyFinding>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Tool {
    pub version: &'static str,
    pub solver: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct Input {
    pub file: String,
    /// SHA-256 of the text.
    pub hash: String,
}

/// What a run comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Holds,
    Found,
    Inconclusive,
}

/// Who audited, and what it cost.
#[derive(Clone, Debug, Serialize)]
pub struct AuditSummary {
    pub by: Vec<String>,
    pub seconds: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct PropertyFinding {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Span>,
    pub verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<&'static str>,
    /// The depth of the induction that proved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<u32>,
    pub invariants: Vec<String>,
    pub audit: AuditMark,
    /// Where an invalid property is false; how many steps an unknown one is known to hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
    /// States on which the last induction failed. The first need not be reachable: this is no run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inductive_counterexample: Option<Trace>,
    /// Why there is no better verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Until the verdict.
    pub seconds: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Valid,
    Invalid,
    Unknown,
    Vacuous,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Valid => "VALID",
            Verdict::Invalid => "INVALID",
            Verdict::Unknown => "UNKNOWN",
            Verdict::Vacuous => "VACUOUS",
        }
    }
}

/// Whether somebody looked at a verdict again. A verdict that does not pass is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AuditMark {
    Passed,
    Skipped,
}

/// A place in a file: lines and columns from 1, the end exclusive.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Span {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl Span {
    pub fn new(span: proofmark_source::Span, sources: &Sources) -> Span {
        let file = sources.file(span.file);
        let (start, end) = (file.place(span.start), file.place(span.end));
        Span {
            file: file.name().to_string(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
}
