//! The published method, by the formulas of a merging specification (Arcaini, Gargantini and Riccobene,
//! Equivalence checking for NuSMV specifications, section 4.4), decided by decision diagrams.
//!
//! The specifications of the merged model are `isNotInitState_1, notEqInitState_1, isNotInitState_2, ...`, then
//! `transRelOk_1, ...`. The models are equivalent when `notEqInitState_i` is false wherever
//! `isNotInitState_i` is, and every `transRelOk_i` is true. `notEqInitState_i` is not looked at where
//! `isNotInitState_i` is true. The method is here for comparison: see [`structure`](super::structure).

use proofmark_engine::diagrams::{DiagramLimits, Found, GaveUp, explore};
use proofmark_model::System;

/// What the formulas say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormulaAnswer {
    /// How many formulas about the initial states were looked at, and how many there are.
    pub initial: (usize, usize),
    /// How many formulas about steps are true, and how many there are.
    pub steps: (usize, usize),
    /// The first formula that says that the models differ, if one does.
    pub failing: Option<String>,
}

/// Decides by the formulas of a merged model with so many tuples of values.
pub fn decide_by_formulas(
    merged: &System,
    tuples: usize,
    limits: &DiagramLimits,
) -> Result<FormulaAnswer, GaveUp> {
    let not_initial: Vec<usize> = (0..tuples).map(|at| 2 * at).collect();
    let steps: Vec<usize> = (0..tuples).map(|at| 2 * tuples + at).collect();
    let holds = truth(merged, &[&not_initial[..], &steps].concat(), limits)?;
    let (of_initial, of_steps) = holds.split_at(tuples);
    let is_initial = (0..tuples).filter(|at| !of_initial[*at]);
    let not_equal: Vec<usize> = is_initial.map(|at| 2 * at + 1).collect();
    let of_equal = truth(merged, &not_equal, limits)?;
    let alone = not_equal.iter().zip(&of_equal).find(|(_, holds)| **holds);
    let wrong = steps.iter().zip(of_steps).find(|(_, holds)| !**holds);
    let failing = alone.or(wrong).map(|(at, _)| *at);
    Ok(FormulaAnswer {
        initial: (tuples + not_equal.len(), 2 * tuples),
        steps: (of_steps.iter().filter(|holds| **holds).count(), tuples),
        failing: failing.map(|at| merged.specifications()[at].name.clone()),
    })
}

fn truth(merged: &System, wanted: &[usize], limits: &DiagramLimits) -> Result<Vec<bool>, GaveUp> {
    let mut found: Vec<Result<bool, GaveUp>> = Vec::new();
    explore(merged, wanted, limits, &mut |_, answer| {
        found.push(answer.map(|one| matches!(one, Found::Holds)));
    })?;
    found.into_iter().collect()
}
