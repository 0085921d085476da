//! `proofmark check`: proves or refutes the properties of a model.

use crate::arguments::{Acceptable, Check};
use crate::examine::{Auditing, ExamineError, Examined, Question, examine};
use crate::exit::Exit;
use crate::{advice, glob, input, interrupt, terminal};
use proofmark_audit::{Certified, write_certificate};
use proofmark_engine::{EngineName, Limits};
use proofmark_lang::lustre;
use proofmark_model::{Invariant, LowerError, System, lower};
use proofmark_report::{
    Findings, Input, Outcome, PropertyFinding, SCHEMA, Shown, Style, Tool, Verdict, check_text,
    json, vcd,
};
use proofmark_solve::{EMBEDDED, Interrupt, SolveError};
use proofmark_source::{Diagnostic, FileId, Sources, sha256};
use std::collections::BTreeMap;
use std::io::{ErrorKind, IsTerminal, Write, stdout};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub fn run(arguments: &Check) -> Exit {
    match attempt(arguments, Instant::now()) {
        Ok(exit) | Err(exit) => exit,
    }
}

/// What ends a run early has been printed.
fn attempt(arguments: &Check, begin: Instant) -> Result<Exit, Exit> {
    let (interrupt, started) = (Interrupt::default(), Arc::new(AtomicBool::new(false)));
    interrupt::connect_run(interrupt.clone(), Arc::clone(&started));
    let mut sources = Sources::default();
    let file = input::read(&arguments.file, &mut sources)?;
    let system = load(arguments, &sources, file)?;
    let properties = choose(arguments, &system)?;
    let mut question = question(arguments, &system, &sources, properties, &interrupt);
    question.limits.advice = read_advice(arguments, &system)?;
    started.store(true, Ordering::SeqCst);
    let examined = examine(&question).map_err(|error| fail(&error, arguments))?;
    write_certificates(arguments, &examined, sources.file(file).text())?;
    save_proof(arguments, &examined)?;
    let findings = findings(arguments, &sources, file, examined, begin);
    if let Some(path) = &arguments.vcd {
        write_file(path, &vcd(&findings))?;
    }
    print(arguments, &findings)?;
    let properties = &findings.properties;
    if interrupt.is_set() && properties.iter().any(|one| one.verdict == Verdict::Unknown) {
        return Ok(Exit::Inconclusive);
    }
    Ok(exit(arguments, &findings))
}

/// The system of the model; everything that the front end has to say is shown.
fn load(arguments: &Check, sources: &Sources, file: FileId) -> Result<System, Exit> {
    let options = lustre::Options {
        main: arguments.main.clone(),
        ..lustre::Options::default()
    };
    let (loaded, diagnostics) = lustre::load(sources, file, &options);
    for diagnostic in &diagnostics {
        terminal::diagnostic(diagnostic, sources);
    }
    let loaded = loaded.ok_or(Exit::Input)?;
    match lower(&loaded.model) {
        Ok(lowered) => Ok(lowered.system),
        Err(errors) => {
            errors.iter().for_each(|error| show(error, sources));
            Err(Exit::Input)
        }
    }
}

fn show(error: &LowerError, sources: &Sources) {
    match error.origin.span {
        Some(span) => terminal::diagnostic(&Diagnostic::error(span, error.to_string()), sources),
        None => terminal::error(&error.to_string()),
    }
}

/// The properties whose names match, by position.
fn choose(arguments: &Check, system: &System) -> Result<Vec<usize>, Exit> {
    let names = || system.properties().iter().map(|property| &property.name);
    let Some(pattern) = &arguments.property else {
        return Ok((0..system.properties().len()).collect());
    };
    let chosen = names()
        .enumerate()
        .filter(|(_, name)| glob::matches(pattern, name));
    let chosen: Vec<usize> = chosen.map(|(at, _)| at).collect();
    if chosen.is_empty() {
        const SHOWN: usize = 20;
        let mut known: Vec<&str> = names().take(SHOWN).map(String::as_str).collect();
        if system.properties().len() > SHOWN {
            known.push("…");
        }
        terminal::error(&format!(
            "no property matches `{pattern}`; there are: {}",
            known.join(", ")
        ));
        return Err(Exit::Usage);
    }
    Ok(chosen)
}

fn engines(arguments: &Check) -> Vec<EngineName> {
    match arguments.engines.is_empty() {
        true => EngineName::ALL.to_vec(),
        false => arguments.engines.clone(),
    }
}

fn question<'a>(
    arguments: &'a Check,
    system: &'a System,
    sources: &'a Sources,
    properties: Vec<usize>,
    interrupt: &Interrupt,
) -> Question<'a> {
    let auditing = match (&arguments.audit_solver, arguments.no_audit) {
        (_, true) => Auditing::Skip,
        (Some(name), _) => Auditing::With(name),
        (None, _) => Auditing::Default,
    };
    Question {
        system,
        sources,
        properties,
        limits: Limits {
            advice: Vec::new(),
            engines: engines(arguments),
            jobs: arguments.jobs.into(),
            time: arguments.timeout.map(Duration::from_secs_f64),
            explain_inductions: arguments.inductive_counterexample,
            interrupt: interrupt.clone(),
        },
        solver: &arguments.solver,
        auditing,
        shown: if arguments.all_vars {
            Shown::All
        } else {
            Shown::Relevant
        },
        smooth: arguments.smooth,
        quiet: arguments.quiet,
    }
}

fn fail(error: &ExamineError, arguments: &Check) -> Exit {
    match error {
        ExamineError::Solve(SolveError::Unsupported { .. }) => {
            let hint = match arguments.solver.as_str() {
                EMBEDDED => "; another solver may know it: --solver z3",
                _ => "",
            };
            terminal::error(&format!("{error}{hint}"));
            Exit::Input
        }
        ExamineError::Compile(_) => {
            terminal::error(&error.to_string());
            Exit::Input
        }
        ExamineError::Solve(_) | ExamineError::Audit { .. } => {
            terminal::error(&error.to_string());
            Exit::Internal
        }
    }
}

fn write_certificates(arguments: &Check, examined: &Examined, text: &str) -> Result<(), Exit> {
    let Some(folder) = &arguments.certificate else {
        return Ok(());
    };
    if examined.proofs.is_empty() {
        terminal::warning("nothing was proved, so there is nothing to certify");
        return Ok(());
    }
    let proofs = examined.proofs.iter();
    let certified: Vec<Certified<'_>> = proofs
        .map(|(property, proof)| Certified {
            property: *property,
            proof,
        })
        .collect();
    let model = Some((arguments.file.as_str(), text));
    match write_certificate(folder, model, &examined.proved, &certified) {
        Ok(_) => Ok(()),
        Err(error) => {
            terminal::error(&format!("cannot write the certificate: {error}"));
            Err(Exit::Internal)
        }
    }
}

/// The invariants of a former run; what is of no use here is told.
fn read_advice(arguments: &Check, system: &System) -> Result<Vec<Invariant>, Exit> {
    let Some(name) = &arguments.use_proof else {
        return Ok(Vec::new());
    };
    let mut sources = Sources::default();
    let file = input::read(name, &mut sources)?;
    let text = sources.file(file).text();
    let advice = advice::read(text, system, &arguments.solver).map_err(|error| {
        terminal::error(&format!("{name} is no proof to use: {error}"));
        Exit::Input
    })?;
    if let Some(first) = advice.skipped.first() {
        let count = advice.skipped.len();
        let all = count + advice.invariants.len();
        terminal::warning(&format!(
            "{count} of {all} invariants in {name} are skipped; the first is {first}"
        ));
    }
    if !engines(arguments).contains(&EngineName::InvariantGeneration) {
        terminal::warning(&format!(
            "{name} is not used: that is for the engine {}, which --engines leaves out",
            EngineName::InvariantGeneration.as_str()
        ));
    }
    Ok(advice.invariants)
}

fn save_proof(arguments: &Check, examined: &Examined) -> Result<(), Exit> {
    let Some(path) = &arguments.save_proof else {
        return Ok(());
    };
    if examined.proofs.is_empty() {
        terminal::warning("nothing was proved, so there is no proof to save");
        return Ok(());
    }
    let proofs = examined.proofs.iter().map(|(_, proof)| proof);
    write_file(path, &advice::write(proofs))
}

fn write_file(path: &Path, text: &str) -> Result<(), Exit> {
    std::fs::write(path, text).map_err(|error| {
        terminal::error(&format!("cannot write {}: {error}", path.display()));
        Exit::Internal
    })
}

fn findings(
    arguments: &Check,
    sources: &Sources,
    file: FileId,
    examined: Examined,
    begin: Instant,
) -> Findings {
    let file = sources.file(file);
    Findings {
        schema: SCHEMA,
        command: "check",
        tool: Tool {
            version: env!("CARGO_PKG_VERSION"),
            solver: arguments.solver.clone(),
        },
        inputs: vec![Input {
            file: file.name().to_string(),
            hash: sha256(file.text().as_bytes()),
        }],
        options: options(arguments),
        outcome: outcome(&examined.findings),
        audit: examined.audit,
        properties: examined.findings,
        seconds: begin.elapsed().as_secs_f64(),
    }
}

/// What decides the verdicts.
fn options(arguments: &Check) -> BTreeMap<&'static str, serde_json::Value> {
    let engines: Vec<&str> = engines(arguments)
        .iter()
        .map(|name| name.as_str())
        .collect();
    BTreeMap::from([
        ("main", arguments.main.clone().into()),
        ("property", arguments.property.clone().into()),
        ("engines", engines.into()),
        ("timeout", arguments.timeout.into()),
        ("jobs", arguments.jobs.into()),
        ("audit", (!arguments.no_audit).into()),
        ("audit_solver", arguments.audit_solver.clone().into()),
        ("use_proof", arguments.use_proof.clone().into()),
    ])
}

fn outcome(properties: &[PropertyFinding]) -> Outcome {
    let has = |verdict| properties.iter().any(|one| one.verdict == verdict);
    if has(Verdict::Invalid) {
        Outcome::Found
    } else if properties.is_empty() || has(Verdict::Unknown) || has(Verdict::Vacuous) {
        Outcome::Inconclusive
    } else {
        Outcome::Holds
    }
}

fn exit(arguments: &Check, findings: &Findings) -> Exit {
    let accepts = |what| arguments.accept.contains(&what);
    let properties = findings.properties.iter();
    let rest: Vec<PropertyFinding> = properties
        .filter(|property| match property.verdict {
            Verdict::Unknown => !accepts(Acceptable::Unknown),
            Verdict::Vacuous => !accepts(Acceptable::Vacuous),
            Verdict::Valid | Verdict::Invalid => true,
        })
        .cloned()
        .collect();
    match outcome(&rest) {
        Outcome::Holds => Exit::Fine,
        Outcome::Found => Exit::Found,
        Outcome::Inconclusive if rest.len() < findings.properties.len() && rest.is_empty() => {
            Exit::Fine
        }
        Outcome::Inconclusive => Exit::Inconclusive,
    }
}

/// The width of a page when the terminal does not tell.
const WIDTH: usize = 100;

fn style(arguments: &Check) -> Style {
    let columns = std::env::var("COLUMNS").ok();
    let width = columns.and_then(|columns| columns.parse().ok());
    Style {
        width: width.unwrap_or(WIDTH),
        colour: stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        quiet: arguments.quiet,
    }
}

fn print(arguments: &Check, findings: &Findings) -> Result<(), Exit> {
    let text = if arguments.json {
        json(findings).map_err(|error| {
            terminal::error(&format!("cannot write JSON: {error}"));
            Exit::Internal
        })?
    } else {
        check_text(findings, &style(arguments))
    };
    match stdout().write_all(text.as_bytes()) {
        // Who reads has heard enough; what was found stays found.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            terminal::error(&format!("cannot write the findings: {error}"));
            Err(Exit::Internal)
        }
        _ => Ok(()),
    }
}
