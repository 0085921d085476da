//! Fewer invariants: what a proof does not need is left out.
//!
//! Engines hand over every invariant they had. Here each is guarded by an activation literal; the
//! core of the induction step for the property tells which ones it used, the core of the step for
//! those which ones they used, until nothing is added (the reduction of Ghassabani, Gacek and Whalen
//! 2016, paper on inductive validity cores, Algorithm 3).

use crate::frames::Frames;
use proofmark_model::{Invariant, Proof, Sort, System, Term};
use proofmark_solve::{Answer, Budget, SolveError, Solver};

/// The part of a proof that proves the property by itself; the proof as it
/// was when the solver does not answer within the effort.
pub fn reduce(
    system: &System,
    property: Term,
    proof: &Proof,
    solver: Box<dyn Solver>,
    effort: u64,
) -> Result<Proof, SolveError> {
    let mut frames = Frames::new(system, solver);
    frames.solver.set_budget(Budget {
        effort: Some(effort),
        time: None,
    });
    let activations: Vec<Term> = (0..proof.invariants.len())
        .map(|at| Term::var(&format!("%invariant{at}"), Sort::Bool))
        .collect();
    frames.assert_state()?;
    for step in 0..=proof.k {
        if step > 0 {
            frames.assert_step(step)?;
        }
        if step < proof.k {
            frames.assert_at(property, step)?;
            for (invariant, activation) in proof.invariants.iter().zip(&activations) {
                frames.assert_at(activation.implies(invariant.term), step)?;
            }
        }
    }
    let mut needed: Vec<usize> = Vec::new();
    let mut wanted = vec![property];
    while !wanted.is_empty() {
        let mut some_false = Vec::new();
        for term in std::mem::take(&mut wanted) {
            some_false.push(frames.at(term, proof.k).not());
        }
        let mut assumptions = activations.clone();
        assumptions.push(Term::or(&some_false));
        if frames.solver.check(&assumptions)? != Answer::Unsat {
            return Ok(proof.clone());
        }
        let core = frames.solver.core()?;
        for (at, activation) in activations.iter().enumerate() {
            if core.contains(activation) && !needed.contains(&at) {
                needed.push(at);
                wanted.push(proof.invariants[at].term);
            }
        }
    }
    needed.sort_unstable();
    let invariants: Vec<Invariant> = needed
        .iter()
        .map(|at| proof.invariants[*at].clone())
        .collect();
    Ok(Proof {
        k: proof.k,
        invariants,
    })
}
