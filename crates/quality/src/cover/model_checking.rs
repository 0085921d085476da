//! The last test: the engines on the cut netlist, begun with what is left of the proof.
//!
//! The claims of the proof that are still inductive are handed to IC3 as lemmas. What an engine proves of
//! one cut is tried on the others: a proof of a netlist with a site cut free is a proof of the
//! original that does not need the site, and there may be other sites that it does not need. Cuts that
//! take long wait for a later round with more time.

use super::board::{Board, Certificate, CutRun};
use super::simulation::FaultSimulation;
use super::{Progress, Test, induction};
use crate::verify::VerifyError;
use proofmark_audit::cuts::{Cut, CutProver};
use proofmark_audit::{Audit, audit_bit_proof};
use proofmark_engine::EngineName;
use proofmark_engine::bits::{BitLimits, BitVerdict, check_bad_knowing};
use proofmark_model::graph::{BitProof, Criterion};
use std::time::{Duration, Instant};

/// What the first round gives each cut; every round gives five times as much.
const FIRST_ROUND: Duration = Duration::from_millis(100);

/// The engines on every cut that is open, round by round.
pub fn model_check<'n>(
    board: &mut Board<'n>,
    prover: &mut CutProver<'n>,
    simulation: &mut FaultSimulation,
    progress: &Progress<'_>,
) -> Result<(), VerifyError> {
    let mut time = FIRST_ROUND;
    loop {
        for criterion in Criterion::ALL {
            for cut in board.open(&[criterion]) {
                if progress.is_over(board) {
                    return Ok(());
                }
                if board.is_open(cut) {
                    let time = time.min(progress.left());
                    check(board, prover, simulation, progress, cut, time)?;
                }
            }
        }
        if board.open(&Criterion::ALL).is_empty() || time > progress.per_cut() {
            return Ok(());
        }
        time *= 5;
    }
}

fn check<'n>(
    board: &mut Board<'n>,
    prover: &mut CutProver<'n>,
    simulation: &mut FaultSimulation,
    progress: &Progress<'_>,
    cut: Cut,
    time: Duration,
) -> Result<(), VerifyError> {
    let begin = Instant::now();
    let netlist = board.sites.cut(board.netlist, &[cut.site], cut.criterion);
    let mut known = induction::held(board, cut);
    if prover.is_simple() {
        let claims = prover.inductive(&[cut]);
        let claims = claims.map_err(|error| induction::fault(board, &error))?;
        known.extend(prover.clauses(&claims));
    }
    let limits = BitLimits {
        engines: EngineName::BITS.to_vec(),
        jobs: progress.limits.jobs,
        time: Some(time),
        interrupt: progress.limits.interrupt.clone(),
    };
    let found = check_bad_knowing(&netlist, board.bad, &known, &limits, &mut |_, _| ());
    match found.verdict {
        BitVerdict::Unknown { .. } => Ok(()),
        BitVerdict::Invalid { trace, engine } => {
            let run = CutRun { cut, trace };
            board.cover(run, last_test(engine), begin.elapsed())?;
            simulation.replay(board, progress)
        }
        BitVerdict::Valid { proof, engine } => {
            let audit = audit_bit_proof(&netlist, board.bad, &proof, progress.audit);
            match audit {
                Audit::Passed { .. } => {}
                Audit::Unknown { .. } => return Ok(()),
                Audit::Failed { what } => {
                    return Err(VerifyError::Audit {
                        property: board.netlist.bads[board.bad].name.clone(),
                        what: format!("site {}, {}: {what}", cut.site, cut.criterion.as_str()),
                    });
                }
            }
            let certificate = board.certify(Certificate {
                sites: vec![cut.site],
                criterion: cut.criterion,
                proof: proof.clone(),
            });
            board.acquit(cut, last_test(engine), begin.elapsed(), certificate);
            match cut.criterion {
                Criterion::Nondet => spread(board, &proof, progress),
                _ => Ok(()),
            }
        }
    }
}

/// A proof with one site cut free is one of the original: who else can do with it?
fn spread(
    board: &mut Board<'_>,
    proof: &BitProof,
    progress: &Progress<'_>,
) -> Result<(), VerifyError> {
    if board.open(&Criterion::ALL).is_empty() {
        return Ok(());
    }
    let mut other = induction::prover(board, proof, &progress.limits.interrupt);
    if induction::core(board, &mut other, &[], progress.audit)? {
        induction::sustain(board, &mut other, progress)?;
    }
    Ok(())
}

fn last_test(engine: EngineName) -> Test {
    match engine {
        EngineName::Interpolation => Test::Interpolation,
        _ => Test::Ic3,
    }
}
