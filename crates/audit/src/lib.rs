//! The notary: checks every verdict again, and cannot see who reached it.
//!
//! A proof is checked from the system and the proof alone, by another solver than the one that
//! found it; a refutation is run in the simulator. What was checked can be written down as SMT-LIB
//! files, for anybody's solver. And a system whose assumptions contradict each other is found out,
//! since in it everything holds.
//!
//! ```
//! use proofmark_audit::{Audit, audit_proof, auditor};
//! use proofmark_model::{
//!     Definition, Element, Origin, Proof, Property, Role, Sort, System, Term, Variable,
//! };
//!
//! let mut system = System::default();
//! let count = Variable::new("count", Sort::Int, Role::Output, Origin::generated());
//! let (now, before) = (count.current, count.previous);
//! system.declare(count)?;
//! let (init, step) = (Some(Term::int(0)), Some(Term::add(&[before, Term::int(1)])));
//! let counts = Definition { variable: now, init, step };
//! system.add_element(Element::define(counts, Origin::generated()))?;
//! let term = Term::int(0).le(now);
//! system.add_property(Property { name: "p".into(), term, origin: Origin::generated() })?;
//! // Somebody says that it holds by simple induction.
//! let claim = Proof { k: 1, invariants: Vec::new() };
//! let audit = audit_proof(&system, 0, &claim, &|| auditor(None), None)?;
//! assert!(matches!(audit, Audit::Passed { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod audit;
mod bits_proof;
mod certificate;
mod circuit;
pub mod cuts;
mod folder;
pub mod lrat;
mod manifest;
mod names;
mod netlist;
mod netlist_certificate;
mod obligation;
pub mod program;
mod recheck;
mod scripts;
mod structure;
mod temporal;
mod vacuity;
mod words_proof;

pub use audit::{
    Audit, OpenSolver, audit_proof, audit_proofs, audit_refutation, auditor, default_auditor,
    difference,
};
pub use certificate::{Certified, write_certificate};
pub use circuit::{audit_witness_circuit, witness_circuit};
pub use folder::{read_listed, read_manifest, remove_certificate};
pub use manifest::{CertificateError, CertifiedModel, Entry, Listed, MANIFEST, Manifest};
pub use netlist::{audit_bit_proof, audit_bit_trace};
pub use netlist_certificate::{CertifiedBad, write_netlist_certificate};
pub use obligation::{Obligation, ObligationPart, Stage, obligations};
pub use recheck::{Certificate, Checked, Complaint, NOT_COMPARED};
pub use structure::{
    accepted_states, audit_fair_difference, audit_same_fairness, audit_same_structure,
    audit_structure_difference,
};
pub use temporal::{Recount, RecountLimits, audit_lasso, matters, recount, replay};
pub use vacuity::{Assumptions, vacuity};
