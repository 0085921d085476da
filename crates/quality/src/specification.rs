//! What is said of whole runs: decided by decision diagrams, and audited by those who do not know them.
//!
//! A run that violates a claim of linear time is replayed, and the formula evaluated on it. What a single run
//! cannot show is decided a second time by the auditor, from the system alone; without its answer a
//! verdict is unknown, unless the question accepts that.

use crate::auditor::Audited;
use crate::verify::VerifyError;
use proofmark_audit::{Audit, Recount, RecountLimits, audit_lasso, matters, recount, replay};
use proofmark_engine::diagrams::{DiagramLimits, Evidence, Found, Statistics, explore};
use proofmark_engine::{EngineName, Limits};
use proofmark_model::{Claim, Distance, Program, System, Trace};
use std::time::{Duration, Instant};

/// What is known of one specification.
#[derive(Clone, Debug)]
pub struct SpecificationJudgement {
    /// By position in the system of the question.
    pub specification: usize,
    /// After the audit.
    pub verdict: SpecificationVerdict,
    /// What became of the audit; nothing where there is nothing to audit.
    pub audit: Option<Audited>,
    /// The engine that decided it.
    pub engine: EngineName,
    /// Until the verdict.
    pub time: Duration,
}

impl SpecificationJudgement {
    /// Whether the verdict was audited, and passed.
    pub fn is_audited(&self) -> bool {
        self.audit.as_ref().is_some_and(Audited::passed)
    }
}

/// What became of a specification.
#[derive(Clone, Debug)]
pub enum SpecificationVerdict {
    /// It holds.
    Holds,
    /// It does not.
    Fails(ViolatingRun),
    /// The number that it asks for.
    Value(Distance),
    /// It holds because there is no run that it speaks of.
    Vacuous {
        /// Why there is none, in words.
        why: String,
    },
    /// It is not known.
    Unknown {
        /// Why not, in words.
        why: String,
    },
}

/// A run that shows that a specification does not hold, as far as a run can.
#[derive(Clone, Debug)]
pub struct ViolatingRun {
    /// Every variable at every step.
    pub trace: Trace,
    /// The step that follows the last, if the run goes on for ever.
    pub back: Option<usize>,
    /// Whether it shows all there is to show; otherwise what it ends in has to be believed.
    pub complete: bool,
}

/// What is asked about specifications.
pub(crate) struct SpecificationQuestion<'a> {
    pub(crate) system: &'a System,
    pub(crate) program: &'a Program,
    /// By position.
    pub(crate) asked: &'a [usize],
    pub(crate) limits: &'a Limits,
    pub(crate) deadline: Option<Instant>,
    pub(crate) audit: Option<SpecificationAudit>,
}

/// How the verdicts are audited.
#[derive(Clone, Copy)]
pub(crate) struct SpecificationAudit {
    /// What it may take when the time is over.
    pub(crate) time: Duration,
    /// Whether a verdict counts that nobody confirmed in time.
    pub(crate) accept_unaudited: bool,
}

/// Decides and audits specifications; in the order of the question.
pub(crate) fn judge_specifications(
    question: &SpecificationQuestion<'_>,
) -> Result<(Vec<SpecificationJudgement>, Option<Statistics>), VerifyError> {
    let engine = EngineName::Diagrams;
    let judgement = |at: usize, verdict, audit, time| SpecificationJudgement {
        specification: at,
        verdict,
        audit,
        engine,
        time,
    };
    let unknown = |why: String| SpecificationVerdict::Unknown { why };
    if !question.limits.engines.contains(&engine) {
        let why = format!("the engine {} is left out", engine.as_str());
        let asked = question.asked.iter();
        let all = asked.map(|at| judgement(*at, unknown(why.clone()), None, Duration::ZERO));
        return Ok((all.collect(), None));
    }
    let start = Instant::now();
    let limits = DiagramLimits {
        deadline: question.deadline,
        interrupt: question.limits.interrupt.clone(),
        ..DiagramLimits::default()
    };
    let mut found = Vec::new();
    let states = explore(
        question.system,
        question.asked,
        &limits,
        &mut |at, answer| found.push((at, answer, start.elapsed())),
    );
    let mut judgements = Vec::new();
    for (at, answer, time) in found {
        let (verdict, audit) = match answer {
            Err(why) => (unknown(why.to_string()), None),
            Ok(Found::Vacuous) => {
                let why = "no fair run begins in an initial state".into();
                (SpecificationVerdict::Vacuous { why }, None)
            }
            Ok(Found::Holds) => (SpecificationVerdict::Holds, None),
            Ok(Found::Distance(distance)) => (SpecificationVerdict::Value(distance), None),
            Ok(Found::Fails(evidence)) => question.violated(at, &evidence)?,
        };
        judgements.push(judgement(at, verdict, audit, time));
    }
    question.confirm(&mut judgements)?;
    Ok((
        judgements,
        states.ok().map(|states| question.completed(states)),
    ))
}

impl SpecificationQuestion<'_> {
    /// The statistics with a run to a deadlock that has all variables, if it is one.
    fn completed(&self, mut states: Statistics) -> Statistics {
        if let Some(evidence) = &mut states.deadlock
            && let Ok(run) = replay(self.system, self.program, &evidence.trace, None, &[])
        {
            evidence.trace = run;
        }
        states
    }

    /// A violating run, replayed.
    fn violated(
        &self,
        at: usize,
        evidence: &Evidence,
    ) -> Result<(SpecificationVerdict, Option<Audited>), VerifyError> {
        let claim = &self.system.specifications()[at].claim;
        let failed = |what: String| VerifyError::Audit {
            property: self.system.specifications()[at].name.clone(),
            what,
        };
        let fails = |trace: Trace| {
            SpecificationVerdict::Fails(ViolatingRun {
                trace,
                back: evidence.back,
                complete: evidence.complete,
            })
        };
        let (system, program, trace) = (self.system, self.program, &evidence.trace);
        let (Claim::Linear(_) | Claim::Justice(_), Some(back)) = (claim, evidence.back) else {
            let matters = matters(claim, system.fairness());
            let run = replay(system, program, trace, evidence.back, &matters).map_err(failed)?;
            return Ok((fails(run), None));
        };
        let (audit, run) = audit_lasso(system, program, claim, trace, back);
        let audit = match audit {
            Audit::Failed { what } => return Err(failed(what)),
            Audit::Passed { by, .. } => Some(Audited::by(by)),
            Audit::Unknown { .. } => None,
        };
        let run = run.unwrap_or_else(|| trace.clone());
        Ok((fails(run), audit))
    }

    /// Has decided a second time what a run alone does not show.
    fn confirm(&self, judgements: &mut [SpecificationJudgement]) -> Result<(), VerifyError> {
        use SpecificationVerdict as Verdict;
        let is_open = |one: &SpecificationJudgement| {
            let is_answer = !matches!(
                one.verdict,
                Verdict::Unknown { .. } | Verdict::Vacuous { .. }
            );
            one.audit.is_none() && is_answer
        };
        let Some(auditor) = self.audit else {
            let open = judgements.iter_mut().filter(|one| is_open(one));
            open.for_each(|one| one.audit = Some(Audited::NotAskedFor));
            return Ok(());
        };
        let open: Vec<usize> = judgements
            .iter()
            .filter(|one| is_open(one))
            .map(|one| one.specification)
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        let least = Instant::now().checked_add(auditor.time);
        let limits = RecountLimits {
            deadline: self.deadline.max(self.deadline.and(least)),
            interrupt: self.limits.interrupt.clone(),
            ..RecountLimits::default()
        };
        let mut answers = Vec::new();
        recount(self.system, &open, &limits, &mut |at, answer| {
            answers.push((at, answer));
        });
        for judgement in judgements.iter_mut().filter(|one| is_open(one)) {
            let at = judgement.specification;
            let answer = answers.iter().find(|(asked, _)| *asked == at);
            let confirmed = match (&judgement.verdict, answer.map(|(_, answer)| answer)) {
                (_, None) => Err("there is no thread for the audit".into()),
                (_, Some(Err(why))) => Err(format!("the second computation has no answer: {why}")),
                (Verdict::Holds, Some(Ok(answer))) => Ok(*answer == Recount::Holds(true)),
                (Verdict::Value(found), Some(Ok(answer))) => {
                    Ok(*answer == Recount::Distance(*found))
                }
                (_, Some(Ok(answer))) => Ok(*answer == Recount::Holds(false)),
            };
            match confirmed {
                Ok(true) => judgement.audit = Some(Audited::by(SECOND)),
                Ok(false) => {
                    return Err(VerifyError::Audit {
                        property: self.system.specifications()[at].name.clone(),
                        what: "a second computation disagrees".into(),
                    });
                }
                Err(why) => {
                    if !auditor.accept_unaudited {
                        let why = format!("decided, not audited: {why}");
                        judgement.verdict = Verdict::Unknown { why };
                    }
                    judgement.audit = Some(Audited::NoAnswer { why });
                }
            }
        }
        Ok(())
    }
}

/// The auditor that decides again what a run alone does not show.
const SECOND: &str = "second computation";
