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
use proofmark_engine::EngineName;
use proofmark_engine::bits::{BitLimits, BitVerdict, check_bad_knowing};
use proofmark_model::graph::{BitProof, Criterion, Signal};
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
    let jobs = progress.limits.jobs.max(1);
    loop {
        for criterion in Criterion::ALL {
            let mut waiting = board.open(&[criterion]);
            waiting.reverse();
            while !waiting.is_empty() {
                if progress.is_over(board) {
                    return Ok(());
                }
                let mut batch = Vec::new();
                while let (true, Some(cut)) = (batch.len() < jobs, waiting.pop()) {
                    // What the others of the batch teach comes too late for it, and may have been enough
                    // for those after it.
                    if board.is_open(cut) {
                        batch.push((cut, known(board, prover, cut)?));
                    }
                }
                let time = time.min(progress.left());
                for (cut, answer, cost) in ask(board, progress, &batch, time) {
                    learn(board, simulation, progress, cut, answer, cost)?;
                }
            }
        }
        if board.open(&Criterion::ALL).is_empty() || time > progress.per_cut() {
            return Ok(());
        }
        time *= 5;
    }
}

/// Clauses that are inductive with a site cut: what is left of the proof.
fn known<'n>(
    board: &Board<'n>,
    prover: &mut CutProver<'n>,
    cut: Cut,
) -> Result<Vec<Vec<Signal>>, VerifyError> {
    let mut known = induction::held(board, cut);
    if prover.is_simple() {
        let claims = prover.inductive(&[cut]);
        let claims = claims.map_err(|error| induction::fault(board, &error))?;
        known.extend(prover.clauses(&claims));
    }
    Ok(known)
}

/// The engines on a few cuts at once, a thread each; one alone has all threads.
fn ask(
    board: &Board<'_>,
    progress: &Progress<'_>,
    batch: &[(Cut, Vec<Vec<Signal>>)],
    time: Duration,
) -> Vec<(Cut, BitVerdict, Duration)> {
    let limits = BitLimits {
        engines: EngineName::BITS.to_vec(),
        jobs: (progress.limits.jobs / batch.len().max(1)).max(1),
        time: Some(time),
        interrupt: progress.limits.interrupt.clone(),
    };
    let (netlist, sites, bad) = (board.netlist, board.sites, board.bad);
    let check = |cut: Cut, known: &[Vec<Signal>]| {
        let begin = Instant::now();
        let netlist = sites.cut(netlist, &[cut.site], cut.criterion);
        let found = check_bad_knowing(&netlist, bad, known, &limits, &mut |_, _| ());
        (cut, found.verdict, begin.elapsed())
    };
    if let [(cut, known)] = batch {
        return vec![check(*cut, known)];
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = batch
            .iter()
            .map(|(cut, known)| scope.spawn(|| check(*cut, known)))
            .collect();
        let answers = threads.into_iter().map(|thread| thread.join());
        answers
            .map(|answer| answer.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// Takes an answer of the engines, once it is audited, and tries what it teaches on the others.
fn learn(
    board: &mut Board<'_>,
    simulation: &mut FaultSimulation,
    progress: &Progress<'_>,
    cut: Cut,
    answer: BitVerdict,
    cost: Duration,
) -> Result<(), VerifyError> {
    match answer {
        BitVerdict::Unknown { .. } => Ok(()),
        BitVerdict::Invalid { trace, engine } => {
            let run = CutRun { cut, trace };
            board.cover(run, last_test(engine), cost)?;
            simulation.replay(board, progress)
        }
        BitVerdict::Valid { proof, engine } => {
            if !board.is_open(cut) || !induction::audit(board, cut, &proof, progress.audit)? {
                return Ok(());
            }
            let certificate = board.certify(Certificate {
                sites: vec![cut.site],
                criterion: cut.criterion,
                proof: proof.clone(),
            });
            board.acquit(cut, last_test(engine), cost, certificate);
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
