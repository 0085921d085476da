//! The notary: checks every verdict again, and cannot see who reached it.
//!
//! A proof is checked from the system and the proof alone, by another solver than the one that
//! found it; a refutation is run in the simulator. What was checked can be written down as SMT-LIB
//! files, for anybody's solver. And a system whose assumptions contradict each other is found out,
//! since in it everything holds.

mod audit;
mod certificate;
mod manifest;
mod names;
mod obligation;
mod recheck;
mod vacuity;

pub use audit::{
    Audit, OpenSolver, audit_proof, audit_proofs, audit_refutation, auditor, default_auditor,
    difference,
};
pub use certificate::{Certified, write_certificate};
pub use manifest::{CertificateError, Entry, MANIFEST, Manifest};
pub use obligation::{Obligation, ObligationPart, Stage, obligations};
pub use recheck::{Checked, Complaint, check_certificate};
pub use vacuity::{Assumptions, vacuity};
