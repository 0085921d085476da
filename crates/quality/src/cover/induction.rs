//! CORE, INDUCTION, RESTART and HOUDINI: what is left of the proof on a cut netlist.
//!
//! The claims of the proof are asked about one by one, and what an answer needs is kept
//! ([`CutProver`]). Sites that no answer needs are not covered, all at once: that is one certificate for
//! all of them. For any other cut, only the claims are asked about anew whose answers need the site;
//! which of the three tests decides is a matter of what the new answers take. Every answer is confirmed
//! by the checker of LRAT proofs.

use super::board::{Board, Certificate};
use super::{Progress, Test};
use crate::verify::VerifyError;
use proofmark_audit::cuts::{Cut, CutProver, How};
use proofmark_audit::lrat::Unconfirmed;
use proofmark_audit::{Audit, audit_bit_proof};
use proofmark_model::graph::{BitProof, Criterion, CutPlace, Init, Kind, Signal};
use proofmark_solve::{Budget, Interrupt};
use std::time::{Duration, Instant};

/// What one question of a claim may cost, in conflicts.
const EFFORT: u64 = 2_000;

/// The claims of a proof of the board's property.
pub fn prover<'n>(board: &Board<'n>, proof: &BitProof, interrupt: &Interrupt) -> CutProver<'n> {
    let bad = board.netlist.bads[board.bad].signal;
    let mut prover = CutProver::new(board.netlist, board.sites, bad, proof);
    prover.set_interrupt(interrupt);
    prover
}

/// CORE: the sites that the proof does not need. Nothing where the proof cannot be confirmed in time; an
/// auditor that refutes it is an error.
pub fn core(
    board: &mut Board<'_>,
    prover: &mut CutProver<'_>,
    outside: &[usize],
    time: Option<Duration>,
) -> Result<bool, VerifyError> {
    let begin = Instant::now();
    prover.set_budget(Budget { effort: None, time });
    let Some(original) = prover.sustain(&[]).map_err(|error| fault(board, &error))? else {
        return Ok(false);
    };
    let unused = (0..board.sites.len()).filter(|site| !original.sites.contains(site));
    let unused: Vec<usize> = unused.collect();
    let proof = prover.proof(&original.claims);
    // All at once, on the netlist as it is then: one audit, which is also one of the proof itself.
    let cut = board.sites.cut(board.netlist, &unused, Criterion::Nondet);
    let left = time.map(|time| time.saturating_sub(begin.elapsed()));
    match board.audited(|| audit_bit_proof(&cut, board.bad, &proof, left)) {
        Audit::Passed { .. } => {}
        Audit::Unknown { .. } => return Ok(false),
        Audit::Failed { what } => {
            return Err(VerifyError::Audit {
                property: board.netlist.bads[board.bad].name.clone(),
                what: format!("with {} unused sites cut: {what}", unused.len()),
            });
        }
    }
    let cost = begin.elapsed() / unused.len().max(1) as u32;
    let certificate = board.certify(Certificate {
        sites: unused.clone(),
        criterion: Criterion::Nondet,
        proof,
    });
    for site in unused {
        let test = match outside.binary_search(&site) {
            Ok(_) => Test::Outside,
            Err(_) => Test::Core,
        };
        let criterion = Criterion::Nondet;
        board.acquit(Cut { site, criterion }, test, cost, certificate);
    }
    Ok(true)
}

/// INDUCTION, RESTART and HOUDINI, on every cut that is open.
pub fn sustain(
    board: &mut Board<'_>,
    prover: &mut CutProver<'_>,
    progress: &Progress<'_>,
) -> Result<(), VerifyError> {
    let budget = Budget {
        effort: Some(EFFORT),
        time: None,
    };
    prover.set_budget(budget);
    for criterion in Criterion::ALL {
        for cut in board.open(&[criterion]) {
            if progress.is_over(board) {
                return Ok(());
            }
            let begin = Instant::now();
            let found = prover.sustain(&[cut]);
            let found = found.map_err(|error| fault(board, &error))?;
            let Some(sustained) = found else {
                continue;
            };
            let mut proof = prover.proof(&sustained.claims);
            proof.clauses.extend(held(board, cut));
            if !audit(board, cut, &proof, progress.audit)? {
                continue;
            }
            let certificate = board.certify(Certificate {
                sites: vec![cut.site],
                criterion,
                proof,
            });
            let test = match sustained.how {
                How::Core => Test::Core,
                How::Induction => Test::Induction,
                How::Restart => Test::Restart,
                How::Houdini => Test::Houdini,
            };
            board.acquit(cut, test, begin.elapsed(), certificate);
        }
    }
    Ok(())
}

/// Whether an auditor that knows neither switches nor cores follows the proof on the cut netlist.
pub fn audit(
    board: &Board<'_>,
    cut: Cut,
    proof: &BitProof,
    time: Option<Duration>,
) -> Result<bool, VerifyError> {
    let netlist = board.sites.cut(board.netlist, &[cut.site], cut.criterion);
    match board.audited(|| audit_bit_proof(&netlist, board.bad, proof, time)) {
        Audit::Passed { .. } => Ok(true),
        Audit::Unknown { .. } => Ok(false),
        Audit::Failed { what } => Err(VerifyError::Audit {
            property: board.netlist.bads[board.bad].name.clone(),
            what: format!("site {}, {}: {what}", cut.site, cut.criterion.as_str()),
        }),
    }
}

/// What a stuck latch says of every state: it has the value that it is stuck at, if it begins with it.
pub fn held(board: &Board<'_>, cut: Cut) -> Vec<Vec<Signal>> {
    let Some(value) = cut.criterion.value() else {
        return Vec::new();
    };
    let nodes = board.sites.nodes(cut.site).iter();
    let clauses = nodes.filter_map(|node| {
        let Kind::Latch(position) = board.netlist.graph.kind(*node) else {
            return None;
        };
        let init = board.netlist.latches[position as usize].init;
        let begins = board.sites.place == CutPlace::Output || init == Init::from(value);
        begins.then(|| vec![Signal::of(*node).complement_if(!value)])
    });
    clauses.collect()
}

/// An answer of the solver that the checker does not follow.
pub fn fault(board: &Board<'_>, error: &Unconfirmed) -> VerifyError {
    VerifyError::Audit {
        property: board.netlist.bads[board.bad].name.clone(),
        what: format!("the solver's own proof is wrong: {error}"),
    }
}
