//! What a campaign tells people beyond verdicts: which property kills what ([`kill_matrix`]), a run
//! that slips through ([`witness`]), and properties that would close a gap ([`suggest`], from
//! [`candidates`]).

pub(crate) mod candidates;
pub(crate) mod kill_matrix;
pub(crate) mod suggest;
pub(crate) mod witness;
