//! From a system to findings: slice, check, audit.
//!
//! Engines work on the slice that matters to the chosen properties. A proof of the slice is a proof
//! of the whole, and is audited there; a refutation is extended to a run of the whole, and replayed
//! there. A verdict that does not pass its audit is an error and never shown.

use crate::progress::Progress;
use proofmark_audit::{Assumptions, Audit, audit_proofs, audit_refutation, auditor, vacuity};
use proofmark_engine::{Extension, Limits, Outcome, Verdict, check, extend, smooth};
use proofmark_model::{
    self as model, CompileError, Mentions, Program, Proof, Refutation, Slice, System, slice,
};
use proofmark_report::{self as report, AuditMark, AuditSummary, PropertyFinding, Shown, Trace};
use proofmark_solve::smtlib::printer;
use proofmark_solve::{Budget, Listener, SolveError, Solver};
use proofmark_source::Sources;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is asked.
pub struct Question<'a> {
    pub system: &'a System,
    pub sources: &'a Sources,
    /// The properties to check, by position.
    pub properties: Vec<usize>,
    pub limits: Limits,
    pub solver: &'a str,
    pub auditing: Auditing<'a>,
    pub shown: Shown,
    /// Look for counterexamples in which inputs change little.
    pub smooth: bool,
    pub quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Auditing<'a> {
    Skip,
    /// By the default auditor.
    Default,
    With(&'a str),
}

pub struct Examined {
    /// In the order of the question.
    pub findings: Vec<PropertyFinding>,
    pub audit: Option<AuditSummary>,
    /// The system of the proofs.
    pub proved: System,
    /// By position in that system.
    pub proofs: Vec<(usize, Proof)>,
}

#[derive(Debug)]
pub enum ExamineError {
    Compile(CompileError),
    Solve(SolveError),
    /// A verdict was wrong, or its reason.
    Audit {
        property: String,
        what: String,
    },
}

impl fmt::Display for ExamineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExamineError::Compile(error) => error.fmt(f),
            ExamineError::Solve(error) => error.fmt(f),
            ExamineError::Audit { property, what } => write!(
                f,
                "internal error: the audit of the verdict on {property} failed: {what}; this is a \
                 fault in Proofmark, please report it with the model"
            ),
        }
    }
}

impl From<SolveError> for ExamineError {
    fn from(error: SolveError) -> ExamineError {
        ExamineError::Solve(error)
    }
}

impl From<CompileError> for ExamineError {
    fn from(error: CompileError) -> ExamineError {
        ExamineError::Compile(error)
    }
}

/// Checks the properties that the question names.
pub fn examine(question: &Question<'_>) -> Result<Examined, ExamineError> {
    let mut examiner = Examiner {
        question,
        start: Instant::now(),
        whole: Program::compile(question.system)?,
        slice: slice(question.system, &question.properties),
        audited_by: Vec::new(),
        audit_time: Duration::ZERO,
        listeners: Mutex::default(),
    };
    examiner.run()
}

struct Examiner<'a> {
    question: &'a Question<'a>,
    start: Instant,
    whole: Program,
    slice: Slice,
    audited_by: Vec<String>,
    audit_time: Duration,
    /// Those who stop solvers when the run is interrupted.
    listeners: Mutex<Vec<Arc<Listener>>>,
}

/// For each question on the way to a smooth counterexample.
const SMOOTHING_EFFORT: u64 = 200_000;
/// The same, for solvers that do not count their effort.
const SMOOTHING_TIME: Duration = Duration::from_secs(5);
/// Audits get this much time at least.
const LEAST_AUDIT_TIME: Duration = Duration::from_secs(1);

impl Examiner<'_> {
    fn run(&mut self) -> Result<Examined, ExamineError> {
        let assumptions = self.assumptions()?;
        if let Some(contradiction) = assumptions.contradiction() {
            return Ok(self.vacuous(contradiction));
        }
        let outcomes = self.check()?;
        let mut findings = Vec::new();
        let mut proofs = Vec::new();
        for (at, outcome) in outcomes.into_iter().enumerate() {
            let mut finding = self.finding(at, outcome.time);
            match outcome.verdict {
                Verdict::Valid { proof, engine } => {
                    finding.verdict = report::Verdict::Valid;
                    finding.engine = Some(engine.as_str());
                    finding.k = Some(proof.k);
                    let invariants = proof.invariants.iter();
                    finding.invariants = invariants.map(|one| printer::term(one.term)).collect();
                    proofs.push((at, proof));
                }
                Verdict::Invalid { refutation, engine } => {
                    self.refuted(at, &refutation, &assumptions, &mut finding)?;
                    let found = finding.verdict == report::Verdict::Invalid;
                    finding.engine = found.then_some(engine.as_str());
                }
                Verdict::Unknown {
                    steps,
                    why,
                    induction,
                } => {
                    finding.inductive_counterexample = induction.map(|states| {
                        let last = states.len().saturating_sub(1);
                        let shown = self.question.shown;
                        Trace::new(&self.slice.system, &states, (at, last), shown)
                    });
                    finding.step = Some(steps);
                    finding.reason = Some(why);
                }
            }
            findings.push(finding);
        }
        self.audit_proofs(&mut proofs, &mut findings)?;
        Ok(self.examined(findings, proofs))
    }

    fn examined(
        &mut self,
        findings: Vec<PropertyFinding>,
        proofs: Vec<(usize, Proof)>,
    ) -> Examined {
        let by = std::mem::take(&mut self.audited_by);
        let seconds = self.audit_time.as_secs_f64();
        Examined {
            findings,
            audit: (!by.is_empty()).then_some(AuditSummary { by, seconds }),
            proved: self.slice.system.clone(),
            proofs,
        }
    }

    /// Whether the assumptions contradict each other; not known when interrupted.
    fn assumptions(&self) -> Result<Assumptions, ExamineError> {
        let Question { system, limits, .. } = self.question;
        let open = || self.open_stoppable();
        Ok(vacuity(system, &self.whole, &open, limits.time)?)
    }

    /// A solver that stops when the run is interrupted.
    fn open_stoppable(&self) -> Result<Box<dyn Solver>, SolveError> {
        let solver = self.open()?;
        let (stop, interrupt) = (solver.interrupt(), &self.question.limits.interrupt);
        let listener: Arc<Listener> = Arc::new(move || stop.set());
        interrupt.on_set(&listener);
        if interrupt.is_set() {
            listener();
        }
        // A list of pointers is whole even after a panic.
        let listeners = self.listeners.lock();
        let mut listeners = listeners.unwrap_or_else(PoisonError::into_inner);
        listeners.push(listener);
        Ok(solver)
    }

    /// A solver as the engines have it.
    fn open(&self) -> Result<Box<dyn Solver>, SolveError> {
        proofmark_solve::open(self.question.solver)
    }

    fn check(&self) -> Result<Vec<Outcome>, ExamineError> {
        let system = &self.slice.system;
        let program = Program::compile(system)?;
        let mut progress = Progress::new(system.properties().len(), self.question.quiet);
        let solver = self.question.solver;
        let outcomes = check(
            system,
            &program,
            &self.limits(),
            &|| proofmark_solve::open(solver),
            &mut |report| progress.hear(&report),
        )?;
        Ok(outcomes)
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

    /// What is said of a property before its verdict is known.
    fn finding(&self, at: usize, time: Duration) -> PropertyFinding {
        let property = &self.slice.system.properties()[at];
        let span = property.origin.span;
        PropertyFinding {
            name: property.name.clone(),
            origin: span.map(|span| report::Span::new(span, self.question.sources)),
            verdict: report::Verdict::Unknown,
            engine: None,
            k: None,
            invariants: Vec::new(),
            audit: AuditMark::Skipped,
            step: None,
            trace: None,
            inductive_counterexample: None,
            reason: None,
            seconds: time.as_secs_f64(),
        }
    }

    fn vacuous(&mut self, contradiction: &str) -> Examined {
        let all = 0..self.slice.system.properties().len();
        let findings = all.map(|at| PropertyFinding {
            verdict: report::Verdict::Vacuous,
            reason: Some(contradiction.to_string()),
            ..self.finding(at, self.start.elapsed())
        });
        let findings = findings.collect();
        self.examined(findings, Vec::new())
    }

    /// Takes a refutation in the slice to the whole.
    fn refuted(
        &mut self,
        at: usize,
        refutation: &Refutation,
        assumptions: &Assumptions,
        finding: &mut PropertyFinding,
    ) -> Result<(), ExamineError> {
        let property = self.slice.properties[at];
        let steps = refutation.step + 1;
        let refutation = &self.smoothed(at, refutation)?;
        let run = match self.whole_run(property, refutation)? {
            Extension::Run(run) => run,
            Extension::Impossible => {
                finding.verdict = report::Verdict::Vacuous;
                finding.reason = Some(format!(
                    "no run of {steps} steps satisfies the assumptions, alone they refute it"
                ));
                return Ok(());
            }
            Extension::Unknown(why) => {
                let doubt = match assumptions {
                    Assumptions::Unknown { why } => format!(" ({why})"),
                    _ => String::new(),
                };
                finding.step = Some(refutation.step);
                finding.reason = Some(format!(
                    "refuted, if the assumptions can be met for {steps} steps: {why}{doubt}"
                ));
                return Ok(());
            }
        };
        let step = refutation.step;
        let whole = Refutation { trace: run, step };
        if self.question.auditing != Auditing::Skip {
            let audit = audit_refutation(&self.whole, property, &whole);
            finding.audit = self.note(audit, &finding.name)?;
        }
        finding.verdict = report::Verdict::Invalid;
        finding.step = Some(step);
        finding.trace = Some(Trace::new(
            self.question.system,
            &whole.trace,
            (property, step as usize),
            self.question.shown,
        ));
        Ok(())
    }

    /// The refutation as the question wants it.
    fn smoothed(&self, at: usize, refutation: &Refutation) -> Result<Refutation, ExamineError> {
        let Limits {
            time, interrupt, ..
        } = &self.question.limits;
        if !self.question.smooth || interrupt.is_set() {
            return Ok(refutation.clone());
        }
        let left = time.map(|time| time.saturating_sub(self.start.elapsed()));
        let budget = Budget {
            effort: Some(SMOOTHING_EFFORT),
            time: Some(left.map_or(SMOOTHING_TIME, |left| left.min(SMOOTHING_TIME))),
        };
        let system = &self.slice.system;
        let program = Program::compile(system)?;
        let solver = self.open_stoppable()?;
        Ok(smooth(system, &program, at, refutation, solver, budget)?)
    }

    /// The run of the whole: what is missing gets its default, unless constraints demand more.
    fn whole_run(
        &self,
        property: usize,
        refutation: &Refutation,
    ) -> Result<Extension, ExamineError> {
        let mut machine = self.whole.machine();
        let step = refutation.step as usize;
        let (run, outcome) = machine.run(&refutation.trace);
        let more_constraints = self.slice.drops_constraints(self.question.system);
        if !more_constraints || outcome.refuted_at(property) == Some(step) {
            return Ok(Extension::Run(run));
        }
        let given = cut(&refutation.trace, step + 1);
        let extension = extend(self.question.system, &given, property, self.open()?)?;
        Ok(match extension {
            Extension::Run(found) => Extension::Run(machine.run(&found).0),
            other => other,
        })
    }

    /// Audits all proofs. What the auditor cannot decide is no verdict.
    fn audit_proofs(
        &mut self,
        proofs: &mut Vec<(usize, Proof)>,
        findings: &mut [PropertyFinding],
    ) -> Result<(), ExamineError> {
        if self.question.auditing == Auditing::Skip || proofs.is_empty() {
            return Ok(());
        }
        let start = Instant::now();
        let audits = self.ask_auditor(proofs)?;
        self.audit_time += start.elapsed();
        let mut passed = Vec::new();
        for ((at, proof), audit) in std::mem::take(proofs).into_iter().zip(audits) {
            let finding = &mut findings[at];
            if let Audit::Unknown { why } = &audit {
                let (engine, k) = (finding.engine.unwrap_or("an engine"), proof.k);
                finding.reason = Some(format!("{engine} proved it with k={k}, not audited: {why}"));
                finding.verdict = report::Verdict::Unknown;
                finding.k = None;
                continue;
            }
            finding.audit = self.note(audit, &finding.name)?;
            passed.push((at, proof));
        }
        *proofs = passed;
        Ok(())
    }

    fn ask_auditor(&self, proofs: &[(usize, Proof)]) -> Result<Vec<Audit>, ExamineError> {
        let system = &self.slice.system;
        let all: Vec<(usize, &Proof)> = proofs.iter().map(|(at, proof)| (*at, proof)).collect();
        let Limits {
            time, interrupt, ..
        } = &self.question.limits;
        // Who interrupts wants to see what there is, and soon.
        let limit = if interrupt.is_set() {
            Some(Duration::ZERO)
        } else {
            *time
        };
        let time = limit.map(|limit| {
            let left = limit.saturating_sub(self.start.elapsed());
            left.max(LEAST_AUDIT_TIME)
        });
        let name = match self.question.auditing {
            Auditing::With(name) => Some(name),
            Auditing::Skip | Auditing::Default => None,
        };
        // The second auditor, if one is needed, gets the other half.
        let audits = audit_proofs(system, &all, &|| auditor(name), time.map(|time| time / 2))?;
        let undecided = audits
            .iter()
            .any(|one| matches!(one, Audit::Unknown { .. }));
        if undecided && name.is_none() {
            // Products only the proving solver knows, and some proofs are too hard without
            // preprocessing: a fresh instance of the proving solver checks the certificate.
            return Ok(audit_proofs(
                system,
                &all,
                &|| self.open(),
                time.map(|time| time / 2),
            )?);
        }
        Ok(audits)
    }

    /// Takes note of an audit that passed; one that failed ends everything.
    fn note(&mut self, audit: Audit, property: &str) -> Result<AuditMark, ExamineError> {
        let property = property.to_string();
        match audit {
            Audit::Passed { by, time } => {
                if by == "simulator" {
                    self.audit_time += time;
                }
                if !self.audited_by.contains(&by) {
                    self.audited_by.push(by);
                }
                Ok(AuditMark::Passed)
            }
            Audit::Failed { what } | Audit::Unknown { why: what } => {
                Err(ExamineError::Audit { property, what })
            }
        }
    }
}

/// The first steps of a run.
fn cut(run: &model::Trace, steps: usize) -> model::Trace {
    let mut cut = model::Trace::new(run.columns().to_vec());
    cut.functions = run.functions.clone();
    for step in 0..run.len().min(steps) {
        // The row comes from a trace of the same columns.
        let fits = cut.push(run.row(step).to_vec());
        debug_assert!(fits.is_ok());
    }
    cut
}
