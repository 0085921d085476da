//! What every command that proves something does: load a model, choose properties, verify them,
//! and tell.

use crate::arguments::{Printing, Proving, Subject};
use crate::exit::Exit;
use crate::progress::Progress;
use crate::translate::Request;
use crate::{advice, audits, glob, input, interrupt, outputs, terminal, translate};
use proofmark_audit::{Assumptions, default_auditor, difference};
use proofmark_engine::{EngineName, Limits};
use proofmark_lang::{Design, Language, Languages, Loaded, Options};
use proofmark_model::{Invariant, LowerError, Lowered, Model, Rewriter, System, lower};
use proofmark_quality::{
    AnnotatedModel, Audited, Auditor, Deadlock, Judgement, OpenSolver, Question, Smoothing,
    SpecificationJudgement, SpecificationVerdict, Stopper, Verdict, Verified, VerifyError, verify,
};
use proofmark_report::{
    AuditSummary, DeadlockFinding, DeadlockVerdict, Detail, Findings, Input, Outcome,
    PropertyFinding, PropertyVerdict, SCHEMA, Shown, ShownSpan, ShownTrace, StatesFinding, Style,
    Tool, write_json,
};
use proofmark_solve::smtlib::printer;
use proofmark_solve::{EMBEDDED, Interrupt, SolveError, Solver};
use proofmark_source::{
    Diagnostic, FileId, Severity, SourceFile, Sources, printable, printable_lines, sha256,
};
use std::collections::BTreeMap;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write, stdout};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A model, loaded, and how to prove things about it.
pub struct Session<'a> {
    begin: Instant,
    pub interrupt: Interrupt,
    stopper: Stopper,
    subject: &'a Subject,
    proving: &'a Proving,
    pub sources: Sources,
    file: FileId,
    pub language: &'static Language,
    /// What was loaded: the file itself, or what a translator made of it.
    pub design: (&'static Language, FileId),
    options: Options,
    rewriter: OnceLock<Option<Box<dyn Rewriter>>>,
    pub loaded: Loaded,
    pub lowered: Lowered,
    /// The chosen properties, by position.
    pub properties: Vec<usize>,
    /// What is said of whole runs and was chosen, by position.
    pub specifications: Vec<usize>,
    advice: Vec<Invariant>,
    /// Whether another process of the prover is the auditor where none is named, once that is known.
    prover_audits: OnceLock<bool>,
    /// Whether verdicts count on which the auditor has no answer.
    pub accept_unaudited: bool,
    /// Set when there is something to show if the run is interrupted.
    started: Arc<AtomicBool>,
}

/// A file that was read, and how: all that is known before it is loaded.
pub struct Opened {
    /// When the command began.
    pub begin: Instant,
    /// Set by Ctrl-C.
    pub interrupt: Interrupt,
    /// Set when there is something to show if the run is interrupted.
    pub started: Arc<AtomicBool>,
    pub sources: Sources,
    pub file: FileId,
    language: &'static Language,
    /// What is loaded: the file itself, or what a translator made of it.
    design: (&'static Language, FileId),
    options: Options,
}

impl Opened {
    /// Reads the file. What is wrong has been printed.
    pub fn read(languages: Languages, subject: &Subject, solver: &str) -> Result<Opened, Exit> {
        let begin = Instant::now();
        let (interrupt, started) = interrupt::of_run();
        let mut sources = Sources::default();
        let file = input::read(&subject.file, &mut sources)?;
        let language = languages.choose(&subject.file, subject.language.as_deref());
        let language = language.map_err(|error| {
            terminal::error(&error.to_string());
            Exit::Usage
        })?;
        let can = proofmark_solve::capabilities(solver).unwrap_or_default();
        let options = Options {
            main: subject.main.clone(),
            strict: subject.strict,
            nonlinear: can.nonlinear,
        };
        let request = Request {
            file: &subject.file,
            main: subject.main.as_deref(),
            includes: &subject.include,
        };
        let design = translate::resolve(languages, (language, file), &request, &mut sources)?;
        Ok(Opened {
            begin,
            interrupt,
            started,
            sources,
            file,
            language,
            design,
            options,
        })
    }

    /// The language of the file.
    pub fn language(&self) -> &'static Language {
        self.language
    }

    /// The language of what is loaded, which a translator may have written.
    pub fn design_language(&self) -> &'static Language {
        self.design.0
    }

    /// What the file describes; everything that the front end has to say is shown.
    pub fn load(&self) -> Result<Design, Exit> {
        let (language, file) = self.design;
        let (design, diagnostics) = (language.load)(&self.sources, file, &self.options);
        tell(&diagnostics, &self.sources);
        design.ok_or(Exit::Input)
    }
}

/// What a verification is asked besides.
#[derive(Clone, Copy)]
pub struct Asked {
    pub smoothing: Smoothing,
    pub explain_inductions: bool,
    pub claims: Claims,
    /// Count the states.
    pub statistics: bool,
    pub quiet: bool,
}

/// What is verified of what was chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Claims {
    /// What is true of every state.
    Properties,
    /// Also what is said of whole runs.
    All,
}

impl Default for Asked {
    fn default() -> Asked {
        Asked {
            smoothing: Smoothing::Brief,
            explain_inductions: false,
            claims: Claims::Properties,
            statistics: false,
            quiet: false,
        }
    }
}

impl<'a> Session<'a> {
    /// Loads a model of equations. What is wrong with it has been printed.
    pub fn open(
        languages: Languages,
        subject: &'a Subject,
        proving: &'a Proving,
    ) -> Result<Session<'a>, Exit> {
        let opened = Opened::read(languages, subject, &proving.solver)?;
        match opened.load()? {
            Design::Words(loaded) => Session::new(opened, loaded, subject, proving),
            Design::Netlist(_) => {
                let name = opened.sources.file(opened.file).name();
                terminal::error(&format!(
                    "{name} is a netlist, which this command does not work on yet; `proofmark \
                     check` does"
                ));
                Err(Exit::Usage)
            }
        }
    }

    /// A session on a model that is loaded.
    pub fn new(
        opened: Opened,
        loaded: Loaded,
        subject: &'a Subject,
        proving: &'a Proving,
    ) -> Result<Session<'a>, Exit> {
        let lowered = lower_model(&loaded.model, &opened.sources)?;
        let system = &lowered.system;
        let properties = system.properties().iter().map(|one| one.name.as_str());
        let claims = system.specifications().iter();
        let names: Vec<&str> = properties
            .chain(claims.map(|one| one.name.as_str()))
            .collect();
        let count = system.properties().len();
        let chosen = choose(subject, &names)?.into_iter();
        let (properties, specifications): (Vec<usize>, Vec<usize>) =
            chosen.partition(|at| *at < count);
        let specifications = specifications.into_iter().map(|at| at - count).collect();
        let advice = read_advice(proving, system)?;
        Ok(Session {
            begin: opened.begin,
            stopper: Stopper::new(opened.interrupt.clone()),
            interrupt: opened.interrupt,
            subject,
            proving,
            sources: opened.sources,
            file: opened.file,
            language: opened.language,
            design: opened.design,
            options: opened.options,
            rewriter: OnceLock::new(),
            loaded,
            lowered,
            properties,
            specifications,
            advice,
            prover_audits: OnceLock::new(),
            accept_unaudited: false,
            started: opened.started,
        })
    }

    /// The model with all that is known of it.
    pub fn annotated(&self) -> AnnotatedModel<'_> {
        AnnotatedModel {
            sources: &self.sources,
            model: &self.loaded.model,
            facts: &self.loaded.facts,
            lowered: &self.lowered,
            rewriter: None,
        }
    }

    /// The same, with what writes mutations into the file, if its language is text.
    pub fn mutable(&self) -> AnnotatedModel<'_> {
        let rewriter = self.rewriter.get_or_init(|| {
            let open = self.language.rewriter?;
            open(&self.sources, self.file, &self.options)
        });
        AnnotatedModel {
            rewriter: rewriter.as_deref(),
            ..self.annotated()
        }
    }

    pub fn system(&self) -> &System {
        &self.lowered.system
    }

    /// The model.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// Since the beginning.
    pub fn seconds(&self) -> f64 {
        self.begin.elapsed().as_secs_f64()
    }

    pub fn text(&self) -> &str {
        self.sources.file(self.file).text()
    }

    /// When everything has to be done.
    pub fn deadline(&self) -> Option<Instant> {
        let time = self.proving.timeout.map(Duration::from_secs_f64)?;
        self.begin.checked_add(time)
    }

    pub fn engines(&self) -> Vec<EngineName> {
        engines(self.proving)
    }

    pub fn jobs(&self) -> usize {
        self.proving.jobs.into()
    }

    /// A solver as the engines have it; an interrupt stops it.
    pub fn open_solver(&self) -> Result<Box<dyn Solver>, SolveError> {
        let solver = proofmark_solve::open(&self.proving.solver)?;
        self.stopper.attach(&*solver);
        Ok(solver)
    }

    pub fn audits(&self) -> bool {
        !self.proving.no_audit
    }

    /// The name of the solver that audits; nothing for the default one.
    fn audit_solver(&self) -> Option<&str> {
        let named = self.proving.audit_solver.as_deref();
        named.or_else(|| {
            let prover = self.proving.solver.as_str();
            let default = || default_auditor(self.system(), prover).is_some();
            self.prover_audits.get_or_init(default).then_some(prover)
        })
    }

    /// The solver that audits, also after an interrupt.
    fn open_auditor(&self) -> Result<Box<dyn Solver>, SolveError> {
        proofmark_audit::auditor(self.audit_solver())
    }

    /// The solver that audits; an interrupt stops it.
    pub fn open_stoppable_auditor(&self) -> Result<Box<dyn Solver>, SolveError> {
        let solver = self.open_auditor()?;
        self.stopper.attach(&*solver);
        Ok(solver)
    }

    /// Who audits, if an audit is asked for, with what opens its solver.
    pub fn auditor<'o>(&self, open: &'o OpenSolver<'o>) -> Option<Auditor<'o>> {
        self.audits().then_some(Auditor {
            open,
            time: Duration::from_secs_f64(self.proving.audit_time),
            accept_unaudited: self.accept_unaudited,
        })
    }

    /// Who audited the verdicts, if somebody did.
    pub fn audit_summary(&self, verified: &Verified) -> Option<AuditSummary> {
        let by = verified.audited_by.clone();
        let difference = difference(&self.proving.solver, self.audit_solver());
        (!by.is_empty()).then(|| AuditSummary {
            by,
            differs: Some(difference.into()),
            seconds: verified.audit_time.as_secs_f64(),
        })
    }

    /// Whether the assumptions block a run, if somebody looked.
    pub fn deadlock(&self, verified: &Verified) -> Option<DeadlockFinding> {
        let reason = verified.deadlock.reason();
        let (verdict, audit, reason) = match &verified.deadlock {
            Deadlock::NotLookedFor => return None,
            Deadlock::Impossible => (DeadlockVerdict::Absent, None, None),
            Deadlock::Absent { audit } => (DeadlockVerdict::Absent, Some(audit), None),
            Deadlock::Found { audit, .. } => (DeadlockVerdict::Found, Some(audit), reason),
            Deadlock::Undecided { why } => (DeadlockVerdict::Undecided, None, Some(why.clone())),
        };
        let audited_by = match audit {
            Some(Audited::Passed { by }) => by.clone(),
            _ => Vec::new(),
        };
        Some(DeadlockFinding {
            verdict,
            audited_by,
            reason,
        })
    }

    /// What is known of the states.
    pub fn states(&self, verified: &Verified) -> Option<StatesFinding> {
        let states = verified.statistics.as_ref()?;
        let system = self.system();
        let deadlock = states.deadlock.as_ref();
        Some(StatesFinding {
            reachable: states.reachable.to_string(),
            bits: states.bits,
            diameter: states.diameter,
            total: deadlock.is_none(),
            fair: states.fair,
            deadlock: deadlock.map(|run| ShownTrace::declared(system, &run.trace)),
        })
    }

    /// Proves or refutes the chosen properties.
    pub fn verify(&self, asked: &Asked) -> Result<Verified, Exit> {
        let open = || self.open_solver();
        let open_auditor = || self.open_auditor();
        let count = self.specifications.len();
        if asked.claims == Claims::Properties && count > 0 {
            terminal::warning(&format!(
                "what is said of whole runs is left out here ({count} specifications); `proofmark \
                 check` decides it"
            ));
        }
        let question = Question {
            system: self.system(),
            properties: self.properties.clone(),
            specifications: match asked.claims {
                Claims::All => self.specifications.clone(),
                Claims::Properties => Vec::new(),
            },
            limits: Limits {
                advice: self.advice.clone(),
                engines: self.engines(),
                jobs: self.jobs(),
                time: self.proving.timeout.map(Duration::from_secs_f64),
                explain_inductions: asked.explain_inductions,
                safe: 0,
                interrupt: self.interrupt.clone(),
                effort: None,
            },
            open: &open,
            auditor: self.auditor(&open_auditor),
            smoothing: asked.smoothing,
            deadlocks: true,
            statistics: asked.statistics,
        };
        self.started.store(true, Ordering::SeqCst);
        let mut progress = Progress::new(self.properties.len(), asked.quiet);
        let verified = verify(&question, &mut |report| progress.hear(&report));
        verified.map_err(|error| self.fail(&error))
    }

    /// Says why a verification has no result.
    pub fn fail(&self, error: &VerifyError) -> Exit {
        match error {
            VerifyError::Solve(error) => self.fail_solver(error),
            VerifyError::Compile(_) => {
                terminal::error(&error.to_string());
                Exit::Input
            }
            VerifyError::Audit { .. } => {
                terminal::error(&error.to_string());
                Exit::Internal
            }
        }
    }

    pub fn fail_solver(&self, error: &SolveError) -> Exit {
        let SolveError::Unsupported { .. } = error else {
            terminal::error(&error.to_string());
            return Exit::Internal;
        };
        let hint = match self.proving.solver.as_str() {
            EMBEDDED => "; another solver may know it: --solver z3",
            _ => "",
        };
        terminal::error(&format!("{error}{hint}"));
        Exit::Input
    }

    pub fn property_findings(&self, verified: &Verified, shown: Shown) -> Vec<PropertyFinding> {
        let judgements = verified.judgements.iter().enumerate();
        judgements
            .map(|(at, judgement)| self.property_finding(at, judgement, verified, shown))
            .collect()
    }

    fn property_finding(
        &self,
        at: usize,
        judgement: &Judgement,
        verified: &Verified,
        shown: Shown,
    ) -> PropertyFinding {
        let property = &self.system().properties()[judgement.property];
        let span = property.origin.span();
        let origin = span.map(|span| ShownSpan::new(span, &self.sources));
        let mut finding = PropertyFinding {
            audit: audits::mark(judgement.is_audited()),
            seconds: judgement.time.as_secs_f64(),
            ..PropertyFinding::new(&property.name, origin)
        };
        match &judgement.verdict {
            Verdict::Valid { proof, engine } => {
                finding.verdict = PropertyVerdict::Valid;
                finding.engine = Some(engine.as_str().into());
                finding.k = Some(proof.k);
                let invariants = proof.invariants.iter();
                finding.invariants = invariants.map(|one| printer::term(one.term)).collect();
                finding.reason = reservations(judgement, verified);
            }
            Verdict::Invalid { refutation, engine } => {
                finding.verdict = PropertyVerdict::Invalid;
                finding.engine = Some(engine.as_str().into());
                finding.step = Some(refutation.step);
                let place = (judgement.property, refutation.step as usize);
                let trace = ShownTrace::new(self.system(), &refutation.trace, place, shown);
                finding.trace = Some(trace);
            }
            Verdict::Vacuous { why, blocked } => {
                finding.verdict = PropertyVerdict::Vacuous;
                finding.reason = Some(why.clone());
                if let Some(run) = blocked {
                    let last = run.len().saturating_sub(1);
                    finding.step = u32::try_from(last).ok();
                    finding.trace = Some(ShownTrace::blocked(self.system(), run, shown));
                }
            }
            Verdict::Unknown {
                steps,
                why,
                induction,
            } => {
                finding.step = Some(*steps);
                finding.reason = Some(why.clone());
                finding.inductive_counterexample = induction.as_ref().map(|states| {
                    let last = states.len().saturating_sub(1);
                    ShownTrace::new(&verified.slice.system, states, (at, last), shown)
                });
            }
        }
        finding
    }

    /// What was found of what is said of whole runs.
    pub fn specification_findings(
        &self,
        verified: &Verified,
        shown: Shown,
    ) -> Vec<PropertyFinding> {
        let judgements = verified.specifications.iter();
        judgements
            .map(|judgement| self.specification_finding(judgement, shown))
            .collect()
    }

    fn specification_finding(
        &self,
        judgement: &SpecificationJudgement,
        shown: Shown,
    ) -> PropertyFinding {
        let specification = &self.system().specifications()[judgement.specification];
        let span = specification.origin.span();
        let origin = span.map(|span| ShownSpan::new(span, &self.sources));
        let mut finding = PropertyFinding {
            kind: specification.claim.kind().into(),
            audit: audits::mark(judgement.is_audited()),
            engine: Some(judgement.engine.as_str().into()),
            seconds: judgement.time.as_secs_f64(),
            ..PropertyFinding::new(&specification.name, origin)
        };
        if let Some(Audited::NoAnswer { why }) = &judgement.audit {
            finding.reason = Some(format!("not audited: {why}"));
        }
        match &judgement.verdict {
            SpecificationVerdict::Holds => finding.verdict = PropertyVerdict::Valid,
            SpecificationVerdict::Value(distance) => {
                finding.verdict = PropertyVerdict::Valid;
                finding.value = Some(distance.to_string());
            }
            SpecificationVerdict::Fails(run) => {
                finding.verdict = PropertyVerdict::Invalid;
                let (trace, at) = (&run.trace, judgement.specification);
                let trace = ShownTrace::of_claim(self.system(), trace, run.back, at, shown);
                finding.trace = Some(trace);
                if !run.complete && finding.reason.is_none() {
                    finding.reason = Some("no single run shows all of it".into());
                }
            }
            SpecificationVerdict::Vacuous { why } => {
                finding.verdict = PropertyVerdict::Vacuous;
                finding.reason = Some(why.clone());
            }
            SpecificationVerdict::Unknown { why } => {
                finding.engine = None;
                finding.reason = Some(why.clone());
            }
        }
        finding
    }

    /// Findings without anything found yet.
    pub fn findings(
        &self,
        command: &'static str,
        options: BTreeMap<&'static str, serde_json::Value>,
        outcome: Outcome,
    ) -> Findings {
        let mut all = options_of(self.subject, self.proving, &self.engines());
        all.insert("accept_unaudited", self.accept_unaudited.into());
        all.extend(options);
        let file = self.sources.file(self.file);
        let mut findings = blank_findings(command, file, &self.proving.solver, all);
        findings.outcome = outcome;
        findings.seconds = self.seconds();
        findings
    }
}

/// Findings of a command on a file, without anything found yet.
pub fn blank_findings(
    command: &str,
    file: &SourceFile,
    solver: &str,
    options: BTreeMap<&'static str, serde_json::Value>,
) -> Findings {
    Findings {
        schema: SCHEMA.into(),
        command: command.into(),
        tool: Tool {
            version: env!("CARGO_PKG_VERSION").into(),
            solver: solver.into(),
        },
        inputs: vec![Input {
            file: file.name().to_string(),
            hash: sha256(file.bytes()),
        }],
        failed: Vec::new(),
        options: options
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect(),
        outcome: Outcome::Inconclusive,
        audit: None,
        deadlock: None,
        states: None,
        properties: Vec::new(),
        elements: Vec::new(),
        cores: Vec::new(),
        shard: None,
        mutants: Vec::new(),
        assumptions: Vec::new(),
        score: None,
        outputs: Vec::new(),
        worth: None,
        equivalence: None,
        coverage: Vec::new(),
        coverage_summary: Vec::new(),
        coverage_suggestions: Vec::new(),
        seconds: 0.0,
    }
}

/// What decides the verdicts.
pub fn options_of(
    subject: &Subject,
    proving: &Proving,
    engines: &[EngineName],
) -> BTreeMap<&'static str, serde_json::Value> {
    let engines: Vec<&str> = engines.iter().map(|name| name.as_str()).collect();
    let Proving {
        timeout,
        jobs,
        no_audit,
        audit_solver,
        audit_time,
        ..
    } = proving;
    let mut options = BTreeMap::from([
        ("main", subject.main.clone().into()),
        ("property", subject.property.clone().into()),
        ("engines", engines.into()),
        ("timeout", (*timeout).into()),
        ("jobs", (*jobs).into()),
        ("audit", (!no_audit).into()),
        ("audit_solver", audit_solver.clone().into()),
        ("audit_time", (*audit_time).into()),
    ]);
    if let Some(language) = &subject.language {
        options.insert("language", language.clone().into());
    }
    if subject.strict {
        options.insert("strict", true.into());
    }
    let named = [Some(&proving.solver), proving.audit_solver.as_ref()];
    let programs = named.into_iter().flatten().filter_map(|name| program(name));
    let programs: BTreeMap<&str, serde_json::Value> = programs.collect();
    if !programs.is_empty() {
        options.insert("programs", serde_json::json!(programs));
    }
    options
}

/// The program behind a solver that is none of ours: which it was must be known to whoever reads the verdicts.
fn program(name: &str) -> Option<(&'static str, serde_json::Value)> {
    let found = proofmark_solve::external::describe(name)?;
    let hash = std::fs::read(&found.program).map(|bytes| sha256(&bytes));
    let described = serde_json::json!({
        "path": printable(&found.program.display().to_string()),
        "version": printable(&found.version),
        "hash": hash.unwrap_or_default(),
    });
    Some((found.name, described))
}

/// Shows every error, and of warnings the first of each kind with how many there are. Warnings are of
/// one kind when they give the same advice.
pub fn tell(diagnostics: &[Diagnostic], sources: &Sources) {
    let kind = |one: &Diagnostic| one.hint.clone().unwrap_or_else(|| one.message.clone());
    let mut kinds: Vec<(String, Diagnostic, usize)> = Vec::new();
    for diagnostic in diagnostics {
        if diagnostic.severity != Severity::Warning {
            terminal::diagnostic(diagnostic, sources);
            continue;
        }
        let own = kind(diagnostic);
        match kinds.iter_mut().find(|(kind, ..)| *kind == own) {
            Some((.., count)) => *count += 1,
            None => kinds.push((own, diagnostic.clone(), 1)),
        }
    }
    for (_, mut first, count) in kinds {
        if count > 1 {
            first.message = format!("{} (the first of {count} such places)", first.message);
        }
        terminal::diagnostic(&first, sources);
    }
}

/// The system of a model; what is wrong is shown.
pub fn lower_model(model: &Model, sources: &Sources) -> Result<Lowered, Exit> {
    lower(model).map_err(|errors| {
        errors.iter().for_each(|error| show(error, sources));
        Exit::Input
    })
}

fn show(error: &LowerError, sources: &Sources) {
    match error.origin.span() {
        Some(span) => terminal::diagnostic(&Diagnostic::error(span, error.to_string()), sources),
        None => terminal::error(&error.to_string()),
    }
}

/// The properties whose names match, by position.
pub fn choose(subject: &Subject, names: &[&str]) -> Result<Vec<usize>, Exit> {
    let Some(pattern) = &subject.property else {
        return Ok((0..names.len()).collect());
    };
    let chosen = names
        .iter()
        .enumerate()
        .filter(|(_, name)| glob::matches(pattern, name));
    let chosen: Vec<usize> = chosen.map(|(at, _)| at).collect();
    if chosen.is_empty() {
        const SHOWN: usize = 20;
        let mut known: Vec<&str> = names.iter().copied().take(SHOWN).collect();
        if names.len() > SHOWN {
            known.push("...");
        }
        terminal::error(&format!(
            "no property matches `{pattern}`; there are: {}",
            known.join(", ")
        ));
        return Err(Exit::Usage);
    }
    Ok(chosen)
}

pub fn engines(proving: &Proving) -> Vec<EngineName> {
    match proving.engines.is_empty() {
        true => EngineName::ALL.to_vec(),
        false => proving.engines.clone(),
    }
}

/// The invariants of a former run; what is of no use here is told.
fn read_advice(proving: &Proving, system: &System) -> Result<Vec<Invariant>, Exit> {
    let Some(name) = &proving.use_proof else {
        return Ok(Vec::new());
    };
    let mut sources = Sources::default();
    let file = input::read_text(name, &mut sources)?;
    let text = sources.file(file).text();
    let advice = advice::read(text, system, &proving.solver).map_err(|error| {
        terminal::error(&format!("cannot use the proofs in {name}: {error}"));
        Exit::Input
    })?;
    if let Some(first) = advice.skipped.first() {
        let count = advice.skipped.len();
        let all = count + advice.invariants.len();
        terminal::warning(&format!(
            "{count} of {all} invariants in {name} are skipped; the first is {first}"
        ));
    }
    if !engines(proving).contains(&EngineName::InvariantGeneration) {
        terminal::warning(&format!(
            "{name} is not used: that is for the engine {}, which --engines leaves out",
            EngineName::InvariantGeneration.as_str()
        ));
    }
    Ok(advice.invariants)
}

/// What is not known although a property is proved.
fn reservations(judgement: &Judgement, verified: &Verified) -> Option<String> {
    let mut all = Vec::new();
    if let Some(Audited::NoAnswer { why }) = &judgement.audit {
        all.push(format!("not audited: {why}"));
    }
    if let Assumptions::Unknown { why } = &verified.assumptions {
        all.push(format!(
            "it is not known whether the assumptions accept a run: {why}"
        ));
    }
    (!all.is_empty()).then(|| all.join("; "))
}

pub fn write_file(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), Exit> {
    outputs::replace(path, contents.as_ref()).map_err(|error| {
        terminal::error(&format!("cannot write {}: {error}", path.display()));
        Exit::Internal
    })
}

/// How much is told.
pub fn detail(verbose: bool) -> Detail {
    match verbose {
        true => Detail::Every,
        false => Detail::Brief,
    }
}

/// Which variables runs show.
pub fn shown(all_vars: bool) -> Shown {
    match all_vars {
        true => Shown::All,
        false => Shown::Relevant,
    }
}

/// The width of a page when the terminal does not tell.
const WIDTH: usize = 100;

pub fn style(printing: &Printing) -> Style {
    page(printing.quiet)
}

pub fn page(quiet: bool) -> Style {
    let columns = std::env::var("COLUMNS").ok();
    let width = columns.and_then(|columns| columns.parse().ok());
    Style {
        width: width.unwrap_or(WIDTH),
        colour: stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        quiet,
    }
}

pub fn print_json(findings: &Findings) -> Result<(), Exit> {
    let mut out = BufWriter::with_capacity(1 << 16, stdout().lock());
    printed(write_json(findings, &mut out).and_then(|()| out.flush()))
}

/// Prints a text for people. Names in it act on nothing: they are spelled out where they are read, and once more
/// here, so that no writer of text can forget it.
pub fn print(text: &str) -> Result<(), Exit> {
    let shown = match page(false).colour {
        true => terminal::styled(text),
        false => printable_lines(text),
    };
    printed(stdout().write_all(shown.as_bytes()))
}

fn printed(outcome: io::Result<()>) -> Result<(), Exit> {
    match outcome {
        // A closed pipe ends the printing, not the run.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            terminal::error(&format!("cannot write the findings: {error}"));
            Err(Exit::Internal)
        }
        _ => Ok(()),
    }
}
