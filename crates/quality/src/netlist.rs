//! From a netlist to audited verdicts on its bad signals.
//!
//! Each signal is checked by the engines on bits, and what they say is audited before it is told: a run
//! by the simulator, a proof by the checker of LRAT proofs. A run that shows one signal is replayed for
//! the others, too. Constraints that accept no first step make every verdict vacuous.

use crate::auditor::Audited;
use crate::verify::VerifyError;
use proofmark_audit::{Audit, audit_bit_proof, audit_bit_trace};
use proofmark_engine::EngineName;
use proofmark_engine::bits::{BitLimits, BitVerdict, check_bad, longest_accepted};
use proofmark_model::graph::{BitProof, BitTrace, Netlist};
use std::time::{Duration, Instant};

/// What is asked about a netlist.
pub struct NetlistQuestion<'a> {
    /// The netlist.
    pub netlist: &'a Netlist,
    /// The bad signals to check, by position.
    pub bads: Vec<usize>,
    /// How long and with what; the time is for all signals together.
    pub limits: BitLimits,
    /// What the audit of one proof may take at least; none when no audit is asked for.
    pub audit: Option<Duration>,
    /// Whether a proof counts on which the auditor has no answer.
    pub accept_unaudited: bool,
}

/// What became of a bad signal.
#[derive(Clone, Debug)]
pub enum NetlistVerdict {
    /// It is never true.
    Valid {
        /// Why.
        proof: BitProof,
        /// Who found the proof.
        engine: EngineName,
    },
    /// The run ends with it true.
    Invalid {
        /// A run of the whole netlist.
        trace: BitTrace,
        /// Who found the run.
        engine: EngineName,
    },
    /// The constraints accept no run, or none of more steps than it takes.
    Vacuous {
        /// In words.
        why: String,
    },
    /// Not decided.
    Unknown {
        /// No run of so many steps shows it.
        steps: u32,
        /// Why not.
        why: String,
    },
}

/// What is known of one bad signal.
#[derive(Clone, Debug)]
pub struct NetlistJudgement {
    /// By position in the netlist.
    pub bad: usize,
    /// The verdict.
    pub verdict: NetlistVerdict,
    /// What became of its audit; nothing where there is nothing to audit.
    pub audit: Option<Audited>,
    /// Until the verdict.
    pub time: Duration,
}

/// What a question about a netlist came to.
pub struct VerifiedNetlist {
    /// In the order of the question.
    pub judgements: Vec<NetlistJudgement>,
    /// What all audits took.
    pub audit_time: Duration,
}

/// How many steps of the constraints are looked at before the engines begin.
const CONSTRAINED_STEPS: u32 = 8;

/// Checks the bad signals that the question names; `watch` hears how deep engines are.
pub fn verify_netlist(
    question: &NetlistQuestion<'_>,
    watch: &mut dyn FnMut(EngineName, u32),
) -> Result<VerifiedNetlist, VerifyError> {
    let mut verifier = NetlistVerifier {
        question,
        start: Instant::now(),
        audit_time: Duration::ZERO,
        runs: Vec::new(),
    };
    let mut judgements = Vec::new();
    let blocked = constraints_block(question.netlist, &question.limits);
    for (at, &bad) in question.bads.iter().enumerate() {
        let rest = question.bads.len() - at;
        let mut judgement = verifier.judge(bad, rest, watch)?;
        let refuted = matches!(judgement.verdict, NetlistVerdict::Invalid { .. });
        if let (Some(why), false) = (blocked.clone(), refuted) {
            judgement.audit = None;
            judgement.verdict = NetlistVerdict::Vacuous { why };
        }
        judgements.push(judgement);
    }
    Ok(VerifiedNetlist {
        judgements,
        audit_time: verifier.audit_time,
    })
}

/// Why the constraints make every verdict vacuous, if they are seen to do so.
pub(crate) fn constraints_block(netlist: &Netlist, limits: &BitLimits) -> Option<String> {
    longest_accepted(netlist, CONSTRAINED_STEPS, limits).map(vacuous)
}

fn vacuous(steps: u32) -> String {
    match steps {
        0 => "the constraints accept no first step".to_string(),
        1 => "the constraints accept no run of more than 1 step".to_string(),
        _ => format!("the constraints accept no run of more than {steps} steps"),
    }
}

struct NetlistVerifier<'a> {
    question: &'a NetlistQuestion<'a>,
    start: Instant,
    audit_time: Duration,
    /// Runs that showed other signals.
    runs: Vec<(BitTrace, EngineName)>,
}

impl NetlistVerifier<'_> {
    fn judge(
        &mut self,
        bad: usize,
        rest: usize,
        watch: &mut dyn FnMut(EngineName, u32),
    ) -> Result<NetlistJudgement, VerifyError> {
        let verdict = match self.shown(bad) {
            Some((trace, engine)) => BitVerdict::Invalid { trace, engine },
            None => check_bad(self.question.netlist, bad, &self.share(rest), watch).verdict,
        };
        let time = self.start.elapsed();
        let (verdict, audit) = match verdict {
            BitVerdict::Unknown { steps, why } => (NetlistVerdict::Unknown { steps, why }, None),
            BitVerdict::Invalid { trace, engine } => {
                let audit = self.audit(bad, |netlist| audit_bit_trace(netlist, bad, &trace))?;
                self.runs.push((trace.clone(), engine));
                (NetlistVerdict::Invalid { trace, engine }, Some(audit))
            }
            BitVerdict::Valid { proof, engine } => {
                let left = self.left().max(self.question.audit);
                let audit =
                    self.audit(bad, |netlist| audit_bit_proof(netlist, bad, &proof, left))?;
                (self.proved(proof, engine, &audit), Some(audit))
            }
        };
        Ok(NetlistJudgement {
            bad,
            verdict,
            audit,
            time,
        })
    }

    /// A proof on which the auditor has no answer is no verdict, unless the question accepts it.
    fn proved(&self, proof: BitProof, engine: EngineName, audit: &Audited) -> NetlistVerdict {
        match audit {
            Audited::NoAnswer { why } if !self.question.accept_unaudited => {
                NetlistVerdict::Unknown {
                    steps: proof.k,
                    why: format!("{} proved it, not audited: {why}", engine.as_str()),
                }
            }
            _ => NetlistVerdict::Valid { proof, engine },
        }
    }

    /// A run that showed another signal and shows this one, too, cut where it does.
    fn shown(&self, bad: usize) -> Option<(BitTrace, EngineName)> {
        self.runs.iter().find_map(|(trace, engine)| {
            let step = self.question.netlist.replay(trace).refuted[bad]?;
            let mut trace = trace.clone();
            trace.inputs.truncate(step + 1);
            Some((trace, *engine))
        })
    }

    fn left(&self) -> Option<Duration> {
        let time = self.question.limits.time?;
        Some(time.saturating_sub(self.start.elapsed()))
    }

    /// The limits of one of so many signals that are still to be checked.
    fn share(&self, rest: usize) -> BitLimits {
        BitLimits {
            time: self.left().map(|left| left / rest.max(1) as u32),
            ..self.question.limits.clone()
        }
    }

    fn audit(
        &mut self,
        bad: usize,
        check: impl FnOnce(&Netlist) -> Audit,
    ) -> Result<Audited, VerifyError> {
        if self.question.audit.is_none() {
            return Ok(Audited::NotAskedFor);
        }
        let begin = Instant::now();
        let audit = check(self.question.netlist);
        self.audit_time += begin.elapsed();
        match audit {
            Audit::Passed { by, .. } => Ok(Audited::by(by)),
            Audit::Unknown { why } => Ok(Audited::NoAnswer { why }),
            Audit::Failed { what } => Err(VerifyError::Audit {
                property: self.question.netlist.bads[bad].name.clone(),
                what,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::graph::{Init, Signal};
    use proofmark_solve::Interrupt;

    fn ask(netlist: &Netlist) -> Vec<NetlistJudgement> {
        let question = NetlistQuestion {
            netlist,
            bads: (0..netlist.bads.len()).collect(),
            limits: BitLimits {
                engines: EngineName::BITS.to_vec(),
                jobs: 1,
                time: None,
                interrupt: Interrupt::default(),
            },
            audit: Some(Duration::from_secs(5)),
            accept_unaudited: false,
        };
        verify_netlist(&question, &mut |_, _| ())
            .unwrap()
            .judgements
    }

    /// A counter of two bits that counts where the input says so, and never leaves three.
    fn counter() -> Netlist {
        let mut netlist = Netlist::default();
        let enable = netlist.add_input();
        let (low, high) = (netlist.add_latch(Init::Zero), netlist.add_latch(Init::Zero));
        let full = netlist.graph.and(low, high);
        let counts = netlist.graph.and(enable, !full);
        let next = netlist.graph.xor(low, counts);
        netlist.set_next(0, next);
        let carry = netlist.graph.and(low, counts);
        let next = netlist.graph.xor(high, carry);
        netlist.set_next(1, next);
        netlist.add_bad("full", full);
        netlist.add_bad("high", high);
        netlist
    }

    #[test]
    fn a_run_of_one_signal_serves_the_others_and_all_is_audited() {
        let found = ask(&counter());
        for (judgement, steps) in found.iter().zip([4, 3]) {
            let NetlistVerdict::Invalid { trace, .. } = &judgement.verdict else {
                panic!("{judgement:?}");
            };
            assert_eq!(trace.inputs.len(), steps);
            assert!(judgement.audit.as_ref().is_some_and(Audited::passed));
        }
    }

    #[test]
    fn constraints_that_block_every_run_are_told() {
        let mut netlist = counter();
        let low = Signal::of(netlist.latches[0].node);
        let enable = Signal::of(netlist.inputs[0]);
        // Counting is demanded, and being odd is forbidden.
        netlist.constraints.extend([enable, !low]);
        for judgement in ask(&netlist) {
            let NetlistVerdict::Vacuous { why } = judgement.verdict else {
                panic!("{judgement:?}");
            };
            assert!(why.contains("more than 1 step"), "{why}");
        }
    }
}
