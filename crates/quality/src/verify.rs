//! From a system to audited verdicts: slice, check, audit.
//!
//! Engines work on the slice that matters to the chosen properties. A proof of the slice is a proof
//! of the whole, and is audited there; a refutation is extended to a run of the whole, and replayed
//! there. A verdict that does not pass its audit is an error and never shown; a proof on which the
//! auditor has no answer is unknown, or valid and marked as not audited where the question accepts that.

use crate::auditor::{Audited, Auditor};
use crate::deadlock::{Deadlock, Search, deadlock};
use crate::liveness::decide_by_safety;
use crate::oracle::OpenSolver;
use crate::specification::{
    SpecificationAudit, SpecificationJudgement, SpecificationQuestion, SpecificationVerdict,
    judge_specifications,
};
use crate::stop::Stopper;
use proofmark_audit::{Assumptions, Audit, audit_proof, audit_proofs, audit_refutation, vacuity};
use proofmark_engine::diagrams::Statistics;
use proofmark_engine::{CheckResult, EngineName, Extension, Limits, Report, check, extend, smooth};
use proofmark_model::{
    Claim, CompileError, Mentions, Program, Proof, Refutation, Slice, System, Trace, slice,
};
use proofmark_solve::{Budget, SolveError, Solver};
use std::fmt;
use std::time::{Duration, Instant};

/// What is asked.
pub struct Question<'a> {
    /// The whole system; what the properties do not depend on is sliced away here.
    pub system: &'a System,
    /// The properties to check, by position.
    pub properties: Vec<usize>,
    /// What is said of whole runs and is to be checked, by position.
    pub specifications: Vec<usize>,
    /// Engines, threads and time of the check.
    pub limits: Limits,
    /// Makes the solvers that prove and refute.
    pub open: &'a OpenSolver<'a>,
    /// Who audits, if an audit is asked for.
    pub auditor: Option<Auditor<'a>>,
    /// Whether counterexamples are looked for in which inputs change little.
    pub smoothing: Smoothing,
    /// Look for runs that the assumptions accept for some steps and then block. Where there is one,
    /// nothing is valid.
    pub deadlocks: bool,
    /// Count the states, even when nothing is said of whole runs.
    pub statistics: bool,
}

/// How much may be spent on counterexamples in which inputs change little.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Smoothing {
    /// Counterexamples stay as they were found.
    #[default]
    Off,
    /// Less than a second for all of them, and only where unrolling the system takes no time.
    Brief,
    /// Some seconds for each question to the solver.
    Thorough,
}

impl<'a> Question<'a> {
    /// Asks about all that is claimed, within the usual limits, and audited as usual.
    pub fn new(system: &'a System, open: &'a OpenSolver<'a>) -> Question<'a> {
        Question {
            system,
            properties: (0..system.properties().len()).collect(),
            specifications: (0..system.specifications().len()).collect(),
            limits: Limits::default(),
            open,
            auditor: Some(Auditor::default()),
            smoothing: Smoothing::Off,
            deadlocks: true,
            statistics: false,
        }
    }
}

/// What is known of one property.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// By position in the system of the question.
    pub property: usize,
    /// The verdict, after the audit.
    pub verdict: Verdict,
    /// What became of the audit of the verdict; nothing where there is nothing to audit.
    pub audit: Option<Audited>,
    /// Until the verdict.
    pub time: Duration,
}

impl Judgement {
    /// Whether the verdict was audited, and passed.
    pub fn is_audited(&self) -> bool {
        self.audit.as_ref().is_some_and(Audited::passed)
    }
}

/// What became of a property of the whole system.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It holds in every run.
    Valid {
        /// On the slice of [`Verified`].
        proof: Proof,
        /// The engine whose finding settled it.
        engine: EngineName,
    },
    /// A run violates it.
    Invalid {
        /// A run of the whole system, and the step at which the property is false.
        refutation: Refutation,
        /// The engine that found the run.
        engine: EngineName,
    },
    /// The assumptions cannot be met, or not for ever.
    Vacuous {
        /// What contradicts or blocks them, in words.
        why: String,
        /// A run that they accept up to its last step, and then block.
        blocked: Option<Trace>,
    },
    /// Neither a proof nor a run was found.
    Unknown {
        /// How many steps it is known to hold.
        steps: u32,
        /// What ended the check, in words.
        why: String,
        /// States on which the last induction failed, if they were asked for.
        induction: Option<Trace>,
    },
}

/// What a question came to.
pub struct Verified {
    /// In the order of the question.
    pub judgements: Vec<Judgement>,
    /// The same of what is said of whole runs.
    pub specifications: Vec<SpecificationJudgement>,
    /// What is known of the states, where diagrams counted them.
    pub statistics: Option<Statistics>,
    /// Whether the assumptions of the whole system accept any run.
    pub assumptions: Assumptions,
    /// Whether they block a run that they accepted.
    pub deadlock: Deadlock,
    /// Who audited, by name.
    pub audited_by: Vec<String>,
    /// How long the audits took.
    pub audit_time: Duration,
    /// The part of the system that the proofs are about; its properties are those of the question.
    pub slice: Slice,
}

impl Verified {
    /// What was proved: properties by position in the system of the question, and their proofs.
    pub fn proved(&self) -> impl Iterator<Item = (usize, &Proof)> {
        let judgements = self.judgements.iter();
        judgements.filter_map(|judgement| match &judgement.verdict {
            Verdict::Valid { proof, .. } => Some((judgement.property, proof)),
            _ => None,
        })
    }

    /// What became of the audits of all that was proved, taken together.
    pub fn audit_of_proofs(&self) -> Audited {
        let judgements = self.judgements.iter();
        let proved = judgements.filter(|one| matches!(one.verdict, Verdict::Valid { .. }));
        let audits = proved.filter_map(|one| one.audit.clone());
        audits.reduce(Audited::and).unwrap_or(Audited::NotAskedFor)
    }

    /// Takes in what is said of whole runs. Where the assumptions accept no run, what holds says nothing.
    fn add(&mut self, mut specifications: Vec<SpecificationJudgement>) {
        for judgement in &mut specifications {
            let holds = matches!(judgement.verdict, SpecificationVerdict::Holds);
            if let (Some(why), true) = (self.assumptions.contradiction(), holds) {
                let why = why.to_string();
                judgement.verdict = SpecificationVerdict::Vacuous { why };
                judgement.audit = None;
            }
            if let Some(Audited::Passed { by }) = &judgement.audit {
                for who in by {
                    if !self.audited_by.contains(who) {
                        self.audited_by.push(who.clone());
                    }
                }
            }
        }
        self.specifications = specifications;
    }

    /// The proofs, by position of their property in the slice.
    pub fn proofs(&self) -> impl Iterator<Item = (usize, &Proof)> {
        let judgements = self.judgements.iter().enumerate();
        judgements.filter_map(|(at, judgement)| match &judgement.verdict {
            Verdict::Valid { proof, .. } => Some((at, proof)),
            _ => None,
        })
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub enum VerifyError {
    /// The simulator does not take the system.
    Compile(CompileError),
    /// A solver failed.
    Solve(SolveError),
    /// A verdict was wrong, or its reason.
    Audit {
        /// The name of the property.
        property: String,
        /// What the auditor found, in words.
        what: String,
    },
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::Compile(error) => error.fmt(f),
            VerifyError::Solve(error) => error.fmt(f),
            VerifyError::Audit { property, what } => write!(
                f,
                "internal error: the audit of the verdict on {property} failed: {what}; this is a \
                 fault in Proofmark, please report it with the model"
            ),
        }
    }
}

impl std::error::Error for VerifyError {}

impl From<SolveError> for VerifyError {
    fn from(error: SolveError) -> VerifyError {
        VerifyError::Solve(error)
    }
}

impl From<CompileError> for VerifyError {
    fn from(error: CompileError) -> VerifyError {
        VerifyError::Compile(error)
    }
}

/// Checks the properties that the question names; `watch` hears what happens on the way.
pub fn verify(
    question: &Question<'_>,
    watch: &mut dyn FnMut(Report),
) -> Result<Verified, VerifyError> {
    let start = Instant::now();
    let whole = Program::compile(question.system)?;
    let program = whole.clone();
    let together = question.limits.jobs > 1 || question.properties.is_empty();
    // Where properties wait for the same thread, half of the time is theirs.
    let time = question.limits.time;
    let time = time.map(|time| if together { time } else { time / 2 });
    // Claims of linear time that take long are left to other engines.
    let claims = question.system.specifications();
    let is_linear = |at: &usize| matches!(claims[*at].claim, Claim::Linear(_) | Claim::Justice(_));
    let time = match question.specifications.iter().any(is_linear) {
        true => time.map(|time| time * 2 / 3),
        false => time,
    };
    let auditor = question.auditor;
    let specifications = SpecificationQuestion {
        system: question.system,
        program: &program,
        asked: &question.specifications,
        limits: &question.limits,
        deadline: time.and_then(|time| start.checked_add(time)),
        audit: auditor.map(|one| SpecificationAudit {
            time: one.time,
            accept_unaudited: one.accept_unaudited,
        }),
    };
    let idle = question.specifications.is_empty() && !question.statistics;
    let (mut verified, (mut found, states)) = if idle {
        let verified = verify_properties(question, start, whole, watch)?;
        (verified, (Vec::new(), None))
    } else if together {
        // Diagrams need no solver, and have a thread of their own.
        std::thread::scope(|scope| {
            let aside = scope.spawn(|| judge_specifications(&specifications));
            let verified = verify_properties(question, start, whole, watch);
            let found = aside.join();
            let found = found.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok::<_, VerifyError>((verified?, found?))
        })?
    } else {
        let found = judge_specifications(&specifications)?;
        (verify_properties(question, start, whole, watch)?, found)
    };
    if verified.assumptions.contradiction().is_none() {
        decide_by_safety(question, start, &program, &mut found, watch)?;
    }
    verified.add(found);
    verified.statistics = states;
    Ok(verified)
}

fn verify_properties(
    question: &Question<'_>,
    start: Instant,
    whole: Program,
    watch: &mut dyn FnMut(Report),
) -> Result<Verified, VerifyError> {
    let verifier = Verifier {
        question,
        start,
        whole,
        slice: slice(question.system, &question.properties),
        audited_by: Vec::new(),
        audit_time: Duration::ZERO,
        smoothing_time: Duration::ZERO,
        stopper: Stopper::new(question.limits.interrupt.clone()),
    };
    verifier.run(watch)
}

struct Verifier<'a> {
    question: &'a Question<'a>,
    start: Instant,
    whole: Program,
    slice: Slice,
    audited_by: Vec<String>,
    audit_time: Duration,
    /// What smooth counterexamples have taken so far.
    smoothing_time: Duration,
    stopper: Stopper,
}

/// For each question on the way to a smooth counterexample.
const SMOOTHING_EFFORT: u64 = 200_000;
/// The same, for solvers that do not count their effort.
const SMOOTHING_TIME: Duration = Duration::from_secs(5);
/// For all questions of a brief search.
const BRIEF_SMOOTHING_TIME: Duration = Duration::from_millis(800);
/// A brief search is for unrolled systems of so many variables: telling a solver of more takes too long.
const BRIEF_SMOOTHING_SIZE: usize = 10_000;
/// The search for a run that the assumptions block may take as long again as the check did, and at least
/// so long.
const DEADLOCK_TIME: Duration = Duration::from_millis(250);
/// What all audits may take after an interrupt.
const LAST_AUDITS: Duration = Duration::from_secs(1);

impl Verifier<'_> {
    fn run(mut self, watch: &mut dyn FnMut(Report)) -> Result<Verified, VerifyError> {
        let assumptions = self.assumptions()?;
        let mut judgements = Vec::new();
        if let Some(contradiction) = assumptions.contradiction() {
            for property in self.slice.properties.clone() {
                judgements.push(self.blocked(property, contradiction, &assumptions)?);
            }
            return Ok(self.verified(judgements, assumptions, Deadlock::NotLookedFor));
        }
        for (at, outcome) in self.check(watch)?.into_iter().enumerate() {
            judgements.push(self.judge(at, outcome, &assumptions)?);
        }
        self.audit_proofs(&mut judgements)?;
        let deadlock = self.deadlock(&mut judgements, &assumptions)?;
        Ok(self.verified(judgements, assumptions, deadlock))
    }

    /// What becomes of a property when the assumptions accept no run of two steps: it is refuted when it
    /// is false in a first state that they accept, and vacuous otherwise.
    fn blocked(
        &mut self,
        property: usize,
        contradiction: &str,
        assumptions: &Assumptions,
    ) -> Result<Judgement, VerifyError> {
        let judgement = |verdict, audit, time| Judgement {
            property,
            verdict,
            audit,
            time,
        };
        if let Assumptions::NoNextState = assumptions
            && let Some(refutation) = self.refuted_at_once(property)?
        {
            let audit = match self.question.auditor {
                Some(_) => {
                    let audit = audit_refutation(&self.whole, property, &refutation);
                    self.note(audit, property)?;
                    Audited::by_simulator()
                }
                None => Audited::NotAskedFor,
            };
            let engine = EngineName::Bmc;
            let verdict = Verdict::Invalid { refutation, engine };
            return Ok(judgement(verdict, Some(audit), self.start.elapsed()));
        }
        let why = contradiction.to_string();
        let verdict = Verdict::Vacuous { why, blocked: None };
        Ok(judgement(verdict, None, self.start.elapsed()))
    }

    /// A first state in which the property is false.
    fn refuted_at_once(&self, property: usize) -> Result<Option<Refutation>, VerifyError> {
        let mut first = Trace::new(Vec::new());
        if first.push(Vec::new()).is_err() {
            unreachable!("a row without columns fits");
        }
        let system = self.question.system;
        let found = extend(system, &first, property, self.open_stoppable()?)?;
        Ok(match found {
            Extension::Run(run) => {
                let (trace, _) = self.whole.machine().run(&run);
                Some(Refutation { trace, step: 0 })
            }
            Extension::Impossible | Extension::Unknown(_) => None,
        })
    }

    /// Looks for a run that the assumptions block, if something is valid; with one, nothing is.
    fn deadlock(
        &self,
        judgements: &mut [Judgement],
        assumptions: &Assumptions,
    ) -> Result<Deadlock, VerifyError> {
        let is_valid = |one: &Judgement| matches!(one.verdict, Verdict::Valid { .. });
        let known = *assumptions == Assumptions::Consistent;
        if !self.question.deadlocks || !known || !judgements.iter().any(is_valid) {
            return Ok(Deadlock::NotLookedFor);
        }
        let limits = &self.question.limits;
        let (now, spent) = (Instant::now(), self.start.elapsed());
        let share = DEADLOCK_TIME.max(spent);
        let left = limits.time.map(|time| time.saturating_sub(spent));
        let found = deadlock(&Search {
            system: self.question.system,
            program: &self.whole,
            limits,
            open: self.question.open,
            auditor: self.question.auditor,
            stopper: &self.stopper,
            deadline: now + left.map_or(share, |left| left.min(share)),
        })?;
        if let Deadlock::Found { run, audit } = &found {
            let why = found.reason().unwrap_or_default();
            for judgement in judgements.iter_mut().filter(|one| is_valid(one)) {
                judgement.verdict = Verdict::Vacuous {
                    why: why.clone(),
                    blocked: Some(run.clone()),
                };
                judgement.audit = Some(audit.clone());
            }
        }
        Ok(found)
    }

    fn verified(
        self,
        judgements: Vec<Judgement>,
        assumptions: Assumptions,
        deadlock: Deadlock,
    ) -> Verified {
        Verified {
            judgements,
            specifications: Vec::new(),
            statistics: None,
            assumptions,
            deadlock,
            audited_by: self.audited_by,
            audit_time: self.audit_time,
            slice: self.slice,
        }
    }

    /// From what the engines say of the slice to what holds of the whole.
    fn judge(
        &mut self,
        at: usize,
        outcome: CheckResult,
        assumptions: &Assumptions,
    ) -> Result<Judgement, VerifyError> {
        use proofmark_engine::EngineVerdict as Found;
        let mut audit = None;
        let verdict = match outcome.verdict {
            Found::Valid { proof, engine } => Verdict::Valid { proof, engine },
            Found::Invalid { refutation, engine } => {
                let verdict = self.refuted(at, &refutation, engine, assumptions)?;
                audit = match (&verdict, self.question.auditor) {
                    (Verdict::Invalid { .. }, Some(_)) => Some(Audited::by_simulator()),
                    (Verdict::Invalid { .. }, None) => Some(Audited::NotAskedFor),
                    _ => None,
                };
                verdict
            }
            Found::Unknown {
                steps,
                why,
                induction,
            } => Verdict::Unknown {
                steps,
                why,
                induction,
            },
        };
        Ok(Judgement {
            property: self.slice.properties[at],
            verdict,
            audit,
            time: outcome.time,
        })
    }

    /// Whether the assumptions contradict each other; not known when interrupted.
    fn assumptions(&self) -> Result<Assumptions, VerifyError> {
        let Question { system, limits, .. } = self.question;
        let open = || self.open_stoppable();
        Ok(vacuity(system, &self.whole, &open, limits.time)?)
    }

    /// A solver that stops when the run is interrupted.
    fn open_stoppable(&self) -> Result<Box<dyn Solver>, SolveError> {
        let solver = self.open()?;
        self.stopper.attach(&*solver);
        Ok(solver)
    }

    /// A solver as the engines have it.
    fn open(&self) -> Result<Box<dyn Solver>, SolveError> {
        (self.question.open)()
    }

    fn check(&self, watch: &mut dyn FnMut(Report)) -> Result<Vec<CheckResult>, VerifyError> {
        let system = &self.slice.system;
        let program = Program::compile(system)?;
        let (limits, open) = (self.limits(), self.question.open);
        Ok(check(system, &program, &limits, open, watch)?)
    }

    /// The limits, with the advice that is about the slice.
    fn limits(&self) -> Limits {
        let mut limits = self.question.limits.clone();
        limits.advice.retain(|invariant| {
            let mentioned = Mentions::of(invariant.term).variables;
            let mut mentioned = mentioned.iter();
            mentioned.all(|variable| self.slice.system.variable(*variable).is_some())
        });
        limits
    }

    /// Takes a refutation in the slice to the whole.
    fn refuted(
        &mut self,
        at: usize,
        refutation: &Refutation,
        engine: EngineName,
        assumptions: &Assumptions,
    ) -> Result<Verdict, VerifyError> {
        let property = self.slice.properties[at];
        let steps = refutation.step + 1;
        let refutation = &self.smoothed(at, refutation)?;
        let run = match self.whole_run(property, refutation)? {
            Extension::Run(run) => run,
            Extension::Impossible => {
                let why = format!(
                    "no run of {steps} steps satisfies the assumptions, alone they refute it"
                );
                return Ok(Verdict::Vacuous { why, blocked: None });
            }
            Extension::Unknown(why) => {
                let doubt = match assumptions {
                    Assumptions::Unknown { why } => format!(" ({why})"),
                    _ => String::new(),
                };
                return Ok(Verdict::Unknown {
                    steps: refutation.step,
                    why: format!(
                        "refuted, if the assumptions can be met for {steps} steps: {why}{doubt}"
                    ),
                    induction: None,
                });
            }
        };
        let step = refutation.step;
        let refutation = Refutation { trace: run, step };
        if self.question.auditor.is_some() {
            let audit = audit_refutation(&self.whole, property, &refutation);
            self.note(audit, property)?;
        }
        Ok(Verdict::Invalid { refutation, engine })
    }

    /// The refutation as the question wants it.
    fn smoothed(&mut self, at: usize, refutation: &Refutation) -> Result<Refutation, VerifyError> {
        let start = Instant::now();
        let system = &self.slice.system;
        let size = system.variables().len() * (refutation.step as usize + 1);
        let time = match self.question.smoothing {
            Smoothing::Off => Duration::ZERO,
            Smoothing::Brief if size > BRIEF_SMOOTHING_SIZE => Duration::ZERO,
            Smoothing::Brief => BRIEF_SMOOTHING_TIME.saturating_sub(self.smoothing_time),
            Smoothing::Thorough => Duration::MAX,
        };
        let limit = self.question.limits.time;
        let left = limit.map(|limit| limit.saturating_sub(self.start.elapsed()));
        let time = left.map_or(time, |left| left.min(time));
        if time.is_zero() || self.question.limits.interrupt.is_set() {
            return Ok(refutation.clone());
        }
        let budget = Budget {
            effort: Some(SMOOTHING_EFFORT),
            time: Some(SMOOTHING_TIME.min(time)),
        };
        let program = Program::compile(system)?;
        let solver = self.open_stoppable()?;
        let until = start.checked_add(time);
        let found = smooth(system, &program, at, refutation, solver, budget, until)?;
        self.smoothing_time += start.elapsed();
        Ok(found)
    }

    /// The run of the whole: what is missing gets its default, unless constraints demand more.
    fn whole_run(
        &self,
        property: usize,
        refutation: &Refutation,
    ) -> Result<Extension, VerifyError> {
        let mut machine = self.whole.machine();
        let step = refutation.step as usize;
        let (run, outcome) = machine.run(&refutation.trace);
        let more_constraints = self.slice.drops_constraints(self.question.system);
        if !more_constraints || outcome.refuted_at(property) == Some(step) {
            return Ok(Extension::Run(run));
        }
        let given = refutation.trace.first(step + 1);
        let extension = extend(self.question.system, &given, property, self.open()?)?;
        Ok(match extension {
            Extension::Run(found) => Extension::Run(machine.run(&found).0),
            other => other,
        })
    }

    /// Audits all proofs. Without an answer of the auditor a proof is no verdict, unless the question
    /// accepts it.
    fn audit_proofs(&mut self, judgements: &mut [Judgement]) -> Result<(), VerifyError> {
        let proofs: Vec<(usize, Proof)> = judgements
            .iter()
            .enumerate()
            .filter_map(|(at, judgement)| match &judgement.verdict {
                Verdict::Valid { proof, .. } => Some((at, proof.clone())),
                _ => None,
            })
            .collect();
        let Some(auditor) = self.question.auditor else {
            for (at, _) in proofs {
                judgements[at].audit = Some(Audited::NotAskedFor);
            }
            return Ok(());
        };
        if proofs.is_empty() {
            return Ok(());
        }
        let start = Instant::now();
        let audits = self.ask_auditor(&auditor, &proofs)?;
        self.audit_time += start.elapsed();
        for ((at, proof), audit) in proofs.into_iter().zip(audits) {
            let judgement = &mut judgements[at];
            let why = match audit {
                Audit::Passed { ref by, .. } => {
                    judgement.audit = Some(Audited::by(by.clone()));
                    self.note(audit, judgement.property)?;
                    continue;
                }
                Audit::Failed { .. } => return self.note(audit, judgement.property),
                Audit::Unknown { why } => why,
            };
            if let Verdict::Valid { engine, .. } = &judgement.verdict
                && !auditor.accept_unaudited
            {
                let (engine, k) = (engine.as_str(), proof.k);
                judgement.verdict = Verdict::Unknown {
                    steps: k,
                    why: format!("{engine} proved it with k={k}, not audited: {why}"),
                    induction: None,
                };
            }
            judgement.audit = Some(Audited::NoAnswer { why });
        }
        Ok(())
    }

    /// Asks the auditor about all proofs together, and then about each on which it had no answer.
    fn ask_auditor(
        &self,
        auditor: &Auditor<'_>,
        proofs: &[(usize, Proof)],
    ) -> Result<Vec<Audit>, VerifyError> {
        let system = &self.slice.system;
        let all: Vec<(usize, &Proof)> = proofs.iter().map(|(at, proof)| (*at, proof)).collect();
        let Limits {
            time, interrupt, ..
        } = &self.question.limits;
        // After an interrupt, audits that need more than an instant are given up.
        let time = match interrupt.is_set() {
            true => Some(auditor.time.min(LAST_AUDITS)),
            false => time.map(|limit| {
                let left = limit.saturating_sub(self.start.elapsed());
                left.max(auditor.time)
            }),
        };
        let open = || (auditor.open)();
        let (start, half) = (Instant::now(), time.map(|time| time / 2));
        let first = match all.len() {
            1 => time,
            _ => half,
        };
        let mut audits = audit_proofs(system, &all, &open, first)?;
        // Whoever had all the time that there is, or less than was offered, is not asked again.
        if all.len() == 1 || half.is_none_or(|half| start.elapsed() < half) {
            return Ok(audits);
        }
        let is_open = |audit: &Audit| matches!(audit, Audit::Unknown { .. });
        let mut waiting = audits.iter().filter(|one| is_open(one)).count() as u32;
        for (audit, (property, proof)) in audits.iter_mut().zip(&all) {
            if !is_open(audit) {
                continue;
            }
            let share = time.map(|time| time.saturating_sub(start.elapsed()) / waiting);
            waiting -= 1;
            *audit = audit_proof(system, *property, proof, &open, share)?;
        }
        Ok(audits)
    }

    /// Takes note of an audit that passed; one that failed ends everything.
    fn note(&mut self, audit: Audit, property: usize) -> Result<(), VerifyError> {
        match audit {
            Audit::Passed { by, time } => {
                if by == "simulator" {
                    self.audit_time += time;
                }
                if !self.audited_by.contains(&by) {
                    self.audited_by.push(by);
                }
                Ok(())
            }
            Audit::Failed { what } | Audit::Unknown { why: what } => Err(VerifyError::Audit {
                property: self.question.system.properties()[property].name.clone(),
                what,
            }),
        }
    }
}
