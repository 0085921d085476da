//! Claims of linear time that diagrams do not decide, as properties of every state.
//!
//! The product with the tableau has a fair run iff the claim is violated, and that is reduced to safety
//! (`model/src/liveness.rs`). So all engines work on it, bounded model checking finds loops, and a proof is audited
//! as every proof is; a loop is replayed on the system itself.

use crate::auditor::Audited;
use crate::specification::{SpecificationJudgement, SpecificationVerdict, ViolatingRun};
use crate::verify::{Question, Smoothing, Verdict, VerifyError, verify};
use proofmark_audit::{Audit, audit_lasso};
use proofmark_engine::{EngineName, Limits, Report};
use proofmark_model::graph::bit_blast;
use proofmark_model::{Program, Trace, safety_reduction, violations};
use std::time::Instant;

/// Tries every claim of linear time that is not known yet.
pub(crate) fn decide_by_safety(
    question: &Question<'_>,
    start: Instant,
    program: &Program,
    judgements: &mut [SpecificationJudgement],
    watch: &mut dyn FnMut(Report),
) -> Result<(), VerifyError> {
    let engines = question.limits.engines.iter().copied();
    let engines: Vec<EngineName> = engines.filter(|one| *one != EngineName::Diagrams).collect();
    let is_open = |one: &&mut SpecificationJudgement| {
        matches!(one.verdict, SpecificationVerdict::Unknown { .. })
    };
    let mut open: Vec<_> = judgements.iter_mut().filter(is_open).collect();
    if engines.is_empty() || open.is_empty() || bit_blast(question.system).is_err() {
        return Ok(());
    }
    let mut waiting = open.len() as u32;
    for judgement in &mut open {
        let left = question.limits.time;
        let left = left.map(|time| time.saturating_sub(start.elapsed()) / waiting);
        waiting -= 1;
        if left.is_some_and(|left| left.is_zero()) || question.limits.interrupt.is_set() {
            return Ok(());
        }
        let limits = Limits {
            engines: engines.clone(),
            time: left,
            advice: Vec::new(),
            ..question.limits.clone()
        };
        decide(question, limits, program, judgement, watch)?;
        judgement.time = start.elapsed();
    }
    Ok(())
}

fn decide(
    question: &Question<'_>,
    limits: Limits,
    program: &Program,
    judgement: &mut SpecificationJudgement,
    watch: &mut dyn FnMut(Report),
) -> Result<(), VerifyError> {
    let specification = &question.system.specifications()[judgement.specification];
    // What has no product is none of linear time.
    let Ok(Some(product)) = violations(question.system, &specification.claim) else {
        return Ok(());
    };
    let Ok(reduction) = safety_reduction(&product) else {
        return Ok(());
    };
    let asked = Question {
        system: &reduction.system,
        properties: vec![0],
        specifications: Vec::new(),
        limits,
        open: question.open,
        auditor: question.auditor,
        smoothing: Smoothing::Off,
        deadlocks: false,
        statistics: false,
    };
    let found = verify(&asked, watch)?.judgements.swap_remove(0);
    let (verdict, audit, engine) = match found.verdict {
        Verdict::Valid { engine, .. } => (SpecificationVerdict::Holds, found.audit, engine),
        Verdict::Invalid { refutation, engine } => {
            let run = refutation.trace.first(refutation.step as usize + 1);
            let is_saved = |step: &usize| {
                let value = run.value(reduction.saved, *step);
                value == Some(&proofmark_model::Value::Bool(true))
            };
            let Some(back) = (0..run.len()).find(is_saved) else {
                return Ok(());
            };
            let own = run.of(|one| question.system.variable(one).is_some());
            let (verdict, audit) = violated(question, program, judgement, &own, back)?;
            (verdict, audit, engine)
        }
        Verdict::Vacuous { .. } | Verdict::Unknown { .. } => return Ok(()),
    };
    judgement.verdict = verdict;
    judgement.audit = audit;
    judgement.engine = engine;
    Ok(())
}

fn violated(
    question: &Question<'_>,
    program: &Program,
    judgement: &SpecificationJudgement,
    run: &Trace,
    back: usize,
) -> Result<(SpecificationVerdict, Option<Audited>), VerifyError> {
    let specification = &question.system.specifications()[judgement.specification];
    let claim = &specification.claim;
    let (audit, replayed) = audit_lasso(question.system, program, claim, run, back);
    let audit = match audit {
        Audit::Passed { by, .. } => Audited::by(by),
        Audit::Failed { what } | Audit::Unknown { why: what } => {
            return Err(VerifyError::Audit {
                property: specification.name.clone(),
                what,
            });
        }
    };
    let trace = replayed.unwrap_or_else(|| run.clone());
    let run = ViolatingRun {
        trace,
        back: Some(back),
        complete: true,
    };
    Ok((SpecificationVerdict::Fails(run), Some(audit)))
}
