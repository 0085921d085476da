//! The front window: one writer a format, all from one [`Findings`] type.
//!
//! What people and scripts are promised is written down in the types of [`Findings`]; a field may
//! be added, none may change its meaning. Nothing here computes a verdict.
//!
//! ```
//! use proofmark_report::{Findings, Style, check_text};
//!
//! let findings: Findings = serde_json::from_str(r#"{
//!     "schema": "proofmark/1", "command": "check", "outcome": "holds", "options": {}, "seconds": 0.1,
//!     "tool": { "version": "0.1.0", "solver": "embedded" },
//!     "inputs": [{ "file": "tank.lus", "hash": "ab" }],
//!     "properties": [{ "name": "safe", "verdict": "valid", "engine": "k-induction", "k": 1,
//!                      "invariants": [], "audit": "passed", "seconds": 0.1 }]
//! }"#)?;
//! let style = Style { width: 80, colour: false, quiet: true };
//! assert!(check_text(&findings, &style).starts_with("VALID"));
//! # Ok::<(), serde_json::Error>(())
//! ```

mod aliases;
mod annotations;
mod assumptions;
mod change;
mod combine;
mod compare;
mod cores;
mod coverage;
mod digest;
mod equivalence;
mod explain;
mod findings;
mod fst;
mod html;
mod jkind;
mod json;
mod junit;
mod kills;
mod lcov;
mod matrix;
mod mutant;
mod mutants;
mod path;
#[cfg(test)]
mod samples;
mod sarif;
mod schema;
mod score;
mod stryker;
mod table;
mod text;
mod tolerance;
mod trace;
mod vcd;
mod waves;

pub use annotations::annotations;
pub use assumptions::{
    AssumptionEffect, AssumptionFinding, AssumptionSummary, AssumptionVerdict,
    assumption_summaries, assumptions_text,
};
pub use combine::{combine, combined_text};
pub use compare::{Comparison, Direction, FindingChange, Kind, compare, comparison_text};
pub use cores::ivc_text;
pub use coverage::{
    AccuracyPoint, CoverageCertificate, CoverageFinding, CoverageSuggestion, CoverageSummary,
    CoverageVerdict, Funnel, ShareInterval, coverage_text, join_coverage, joint_role,
};
pub use digest::{Digest, GapGroup, Remedy, Tally, digest};
pub use equivalence::{
    DeclarationDifference, EquivalenceFinding, EquivalenceWord, FormulasFinding, RunDifference,
    equivalence_text,
};
pub use explain::{EXPLANATIONS, Explanation, explain};
pub use findings::{
    AuditMark, AuditSummary, Cell, CoreFinding, CoreRole, Covers, DeadlockFinding, DeadlockVerdict,
    ElementFinding, FROM_A_FILE, Findings, Input, MutantAudit, MutantFinding, MutantVerdict,
    Origin, Outcome, OutputFinding, Position, Properties, PropertyFinding, PropertyKind,
    PropertyVerdict, SCHEMA, Shard, ShownSpan, StatesFinding, Tool, Worth,
};
pub use fst::fst;
pub use html::html;
pub use jkind::jkind_xml;
pub use json::{read_json, write_json};
pub use junit::junit;
pub use kills::{kills_csv, kills_text};
pub use lcov::lcov;
pub use matrix::{matrix_csv, matrix_text};
pub use mutant::{assumption_text, mutant_text};
pub use mutants::{list_text, mutant_line, mutate_text};
pub use path::{PathStep, ShownPath, StepKind};
pub use sarif::sarif;
pub use schema::schema;
pub use score::Score;
pub use stryker::{Texts, stryker};
pub use text::{Detail, Style, check_lines, check_text, proofs_text, trace_json, trace_table};
pub use tolerance::Tolerance;
pub use trace::{Row, Shown, ShownTrace, View};
pub use vcd::vcd;
