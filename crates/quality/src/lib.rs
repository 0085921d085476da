//! What Proofmark is here for: how much is a proof worth?
//!
//! One question a file. [`verify()`] asks whether the properties hold, and has the answer audited;
//! [`ivc`] asks which parts of a model a proof needs; its answers come from an
//! [`Oracle`] that decides whether a set of parts suffices, cheap tests first. [`mutate`] makes the
//! small faults that a proof should notice.

mod analysis;
mod auditor;
mod elements;
mod goal;
mod guarded;
pub mod ivc;
pub mod mutate;
mod notary;
mod oracle;
mod parallel;
mod rotate;
mod run;
mod stop;
mod verify;

pub use analysis::{
    Analysis, CoreQuestion, FoundCore, Request, analyze, analyze_units, joint_proof,
};
pub use auditor::{Audited, Auditor};
pub use elements::{AnnotatedModel, ElementRole, Elements, Grain, NamedElement, element_ids};
pub use goal::{Goal, Set, Units};
pub use notary::{CoreAudit, audit_cores};
pub use oracle::{Counts, Decision, OpenSolver, Oracle, OracleError, Resources};
pub use run::Run;
pub use stop::Stopper;
pub use verify::{Judgement, Question, Verdict, Verified, VerifyError, verify};
