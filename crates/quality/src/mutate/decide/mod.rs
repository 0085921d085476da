//! Killed, surviving or unknown: the cascade of tests that decides a mutant.
//!
//! [`cascade`] holds the tests in their order; [`group`] runs them on mutants of the same elements,
//! which share an incremental solver ([`base_context`]) and proofs with a place set free
//! ([`havoc`]). [`audit_batch`] has proofs audited, many mutants as one system
//! ([`joint_system`]). [`stored_runs`] are tried before any solver, [`weaker_invariants`] before
//! the engines. [`accepted_run`] and [`repair`] find a run that the mutant's assumptions accept.

pub(crate) mod accepted_run;
pub(crate) mod audit_batch;
pub(crate) mod base_context;
pub(crate) mod cascade;
pub(crate) mod group;
pub(crate) mod havoc;
pub(crate) mod joint_system;
pub(crate) mod repair;
pub(crate) mod stored_runs;
pub(crate) mod weaker_invariants;
