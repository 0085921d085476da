//! Whether constraints accept a run at all.

use super::account::Account;
use super::portfolio::BitLimits;
use super::relation::Relation;
use super::unrolling::{Begin, Unrolling};
use proofmark_model::graph::{Netlist, Signal};
use proofmark_solve::sat::Answer;

/// What one question about the constraints may cost.
const EFFORT: u64 = 20_000_000;

/// The number of steps after which no run goes on, if the constraints accept no run of `most` steps;
/// nothing when they do, or when that is not known.
pub fn longest_accepted(netlist: &Netlist, most: u32, limits: &BitLimits) -> Option<u32> {
    if netlist.constraints.is_empty() {
        return None;
    }
    let relation = Relation::of(netlist, Signal::FALSE);
    let mut account = Account::new(limits.interrupt.clone());
    account.allow(EFFORT);
    let mut runs = Unrolling::new(&relation, Begin::Initial, &account);
    for step in 0..most {
        runs.extend();
        match account.solve(&mut runs.solver, &[], &[]) {
            Ok(Answer::Unsatisfiable) => return Some(step),
            Ok(_) => {}
            Err(_) => return None,
        }
    }
    None
}
