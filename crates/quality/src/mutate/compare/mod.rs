//! Equivalent or a gap: what a survivor is, compared with the original.
//!
//! [`survivor`] holds the tests in their order, cheap ones first: stored runs re-simulated where the
//! mutation changes something ([`fault_simulation`]), short runs and one step of original and mutant
//! in lockstep ([`lockstep`], helped by [`simple_facts`]), and the product of the two for the
//! engines ([`product`]). Where the systems may choose values, [`choices`] says what tells them apart,
//! and [`inclusion`] shows that each has the runs of the other.

pub(crate) mod choices;
pub(crate) mod fault_simulation;
pub(crate) mod inclusion;
pub(crate) mod lockstep;
pub(crate) mod product;
pub(crate) mod simple_facts;
pub(crate) mod survivor;
