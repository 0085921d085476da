//! `proofmark check` on a netlist: its bad signals are the properties.

use crate::arguments::{Acceptable, Check};
use crate::exit::Exit;
use crate::models::Examined;
use crate::progress::Progress;
use crate::session::{self, Opened};
use crate::{audits, certificates, check, outputs, terminal};
use proofmark_audit::{CertifiedBad, witness_circuit, write_netlist_certificate};
use proofmark_engine::bits::BitLimits;
use proofmark_engine::{EngineName, Report};
use proofmark_lang::Language;
use proofmark_model::graph::Netlist;
use proofmark_quality::{
    Audited, NetlistJudgement, NetlistQuestion, NetlistVerdict, VerifiedNetlist, VerifyError,
    verify_netlist,
};
use proofmark_report::{
    AuditSummary, Findings, PropertyFinding, PropertyVerdict, Shown, ShownSpan, ShownTrace,
};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Checks the chosen bad signals.
pub fn examine(arguments: &Check, opened: Opened, netlist: &Netlist) -> Result<Examined, Exit> {
    refuse(arguments)?;
    let names: Vec<&str> = netlist.bads.iter().map(|bad| bad.name.as_str()).collect();
    let bads = session::choose(&arguments.subject, &names)?;
    let question = question(arguments, &opened, netlist, bads);
    opened.started.store(true, Ordering::SeqCst);
    let mut progress = Progress::new(question.bads.len(), arguments.printing.quiet);
    let verified = verify_netlist(&question, &mut |engine, depth| {
        let engine = engine.as_str();
        progress.hear(&Report::Depth { engine, depth });
    });
    drop(progress);
    let verified = verified.map_err(|error| fail(&error))?;
    let findings = findings(arguments, &opened, &question, &verified);
    let file = opened.sources.file(opened.file);
    let written = outputs::all([
        write_witnesses(arguments, opened.language(), netlist, &verified),
        write_certificates(
            arguments,
            opened.language(),
            (netlist, file.bytes()),
            &verified,
        ),
    ]);
    let is_text = std::str::from_utf8(file.bytes()).is_ok();
    Ok(Examined {
        text: check::text(arguments, &findings),
        findings,
        page: None,
        model: is_text.then_some((opened.sources, opened.file)),
        written,
    })
}

/// Writes the runs of all that is refuted, one after the other.
fn write_witnesses(
    arguments: &Check,
    language: &Language,
    netlist: &Netlist,
    verified: &VerifiedNetlist,
) -> Result<(), Exit> {
    let Some(write) = language.witness else {
        return Ok(());
    };
    outputs::write(arguments.trace.as_ref(), || {
        let judgements = verified.judgements.iter();
        let witnesses = judgements.filter_map(|one| match &one.verdict {
            NetlistVerdict::Invalid { trace, .. } => Some(write(netlist, one.bad, trace)),
            _ => None,
        });
        let text: String = witnesses.collect();
        if text.is_empty() {
            terminal::warning("nothing is refuted, so there is no witness to write");
        }
        Ok(text)
    })
}

/// Writes the proofs as scripts, and as circuits where one step of induction is enough.
fn write_certificates(
    arguments: &Check,
    language: &Language,
    (netlist, bytes): (&Netlist, &[u8]),
    verified: &VerifiedNetlist,
) -> Result<(), Exit> {
    if arguments.certificate.is_none() {
        return Ok(());
    }
    let ending = Path::new(&arguments.subject.file).extension();
    let mut endings = language.extensions.iter().copied();
    let ending = endings
        .clone()
        .find(|one| ending.is_some_and(|given| given == *one));
    let ending = ending.or_else(|| endings.next()).unwrap_or_default();
    let judgements = verified.judgements.iter();
    let certified = judgements.filter_map(|one| match &one.verdict {
        NetlistVerdict::Valid { proof, .. } => Some(CertifiedBad {
            bad: one.bad,
            proof,
            circuit: language.write_netlist.and_then(|write| {
                let circuit = witness_circuit(netlist, one.bad, proof)?;
                Some((write(&circuit, ending), ending))
            }),
        }),
        _ => None,
    });
    let certified: Vec<CertifiedBad<'_>> = certified.collect();
    let nothing = certified.is_empty();
    certificates::write(arguments, bytes, nothing, |folder, model| {
        write_netlist_certificate(folder, model, netlist, certified)
    })
}

/// Options that say nothing about a netlist are refused, so that nobody waits for their effect.
fn refuse(arguments: &Check) -> Result<(), Exit> {
    let options = [
        ("--export-test", arguments.export_test.is_some()),
        ("--save-proof", arguments.save_proof.is_some()),
        ("--use-proof", arguments.proving.use_proof.is_some()),
        (
            "--inductive-counterexample",
            arguments.inductive_counterexample,
        ),
        ("--audit-solver", arguments.proving.audit_solver.is_some()),
    ];
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => {
            terminal::error(&format!(
                "{option} does not work on netlists yet; leave it out"
            ));
            Err(Exit::Usage)
        }
    }
}

fn fail(error: &VerifyError) -> Exit {
    terminal::error(&error.to_string());
    Exit::Internal
}

fn question<'n>(
    arguments: &Check,
    opened: &Opened,
    netlist: &'n Netlist,
    bads: Vec<usize>,
) -> NetlistQuestion<'n> {
    let proving = &arguments.proving;
    NetlistQuestion {
        netlist,
        bads,
        limits: BitLimits {
            engines: engines(arguments),
            jobs: proving.jobs.into(),
            time: proving.timeout.map(Duration::from_secs_f64),
            interrupt: opened.interrupt.clone(),
        },
        audit: (!proving.no_audit).then(|| Duration::from_secs_f64(proving.audit_time)),
        accept_unaudited: arguments.printing.accepts(Acceptable::Unaudited),
    }
}

fn engines(arguments: &Check) -> Vec<EngineName> {
    match arguments.proving.engines.is_empty() {
        true => EngineName::BITS.to_vec(),
        false => arguments.proving.engines.clone(),
    }
}

fn findings(
    arguments: &Check,
    opened: &Opened,
    question: &NetlistQuestion<'_>,
    verified: &VerifiedNetlist,
) -> Findings {
    let proving = &arguments.proving;
    let mut options = session::options_of(&arguments.subject, proving, &engines(arguments));
    options.insert("accept_unaudited", question.accept_unaudited.into());
    let shown = match arguments.all_vars {
        true => Shown::All,
        false => Shown::Relevant,
    };
    let judgements = verified.judgements.iter();
    let properties: Vec<PropertyFinding> = judgements
        .map(|judgement| property(opened, question.netlist, judgement, shown))
        .collect();
    let file = opened.sources.file(opened.file);
    Findings {
        outcome: check::outcome(&properties),
        audit: audit(verified),
        properties,
        seconds: opened.begin.elapsed().as_secs_f64(),
        ..session::blank_findings("check", file, &proving.solver, options)
    }
}

/// Who audited, if somebody did.
fn audit(verified: &VerifiedNetlist) -> Option<AuditSummary> {
    let mut by: Vec<String> = Vec::new();
    for judgement in &verified.judgements {
        if let Some(Audited::Passed { by: who }) = &judgement.audit {
            by.extend(who.iter().cloned());
        }
    }
    by.sort();
    by.dedup();
    (!by.is_empty()).then(|| {
        AuditSummary {
        by,
        differs: Some(
            "the netlist is encoded anew, and a checker that knows no solver follows every step of \
             every answer"
                .into(),
        ),
        seconds: verified.audit_time.as_secs_f64(),
    }
    })
}

fn property(
    opened: &Opened,
    netlist: &Netlist,
    judgement: &NetlistJudgement,
    shown: Shown,
) -> PropertyFinding {
    let bad = &netlist.bads[judgement.bad];
    let span = bad.origin.span();
    let audited = judgement.audit.as_ref().is_some_and(Audited::passed);
    let origin = span.map(|span| ShownSpan::new(span, &opened.sources));
    let mut finding = PropertyFinding {
        audit: audits::mark(audited),
        seconds: judgement.time.as_secs_f64(),
        ..PropertyFinding::new(&bad.name, origin)
    };
    match &judgement.verdict {
        NetlistVerdict::Valid { proof, engine } => {
            finding.verdict = PropertyVerdict::Valid;
            finding.engine = Some(engine.as_str().into());
            finding.k = Some(proof.k);
            finding.invariants = proof
                .clauses
                .iter()
                .map(|clause| netlist.clause(clause))
                .collect();
            if let Some(Audited::NoAnswer { why }) = &judgement.audit {
                finding.reason = Some(format!("not audited: {why}"));
            }
        }
        NetlistVerdict::Invalid { trace, engine } => {
            finding.verdict = PropertyVerdict::Invalid;
            finding.engine = Some(engine.as_str().into());
            finding.step = Some(trace.inputs.len().saturating_sub(1) as u32);
            finding.trace = Some(ShownTrace::of_netlist(netlist, trace, judgement.bad, shown));
        }
        NetlistVerdict::Vacuous { why } => {
            finding.verdict = PropertyVerdict::Vacuous;
            finding.reason = Some(why.clone());
        }
        NetlistVerdict::Unknown { steps, why } => {
            finding.step = Some(*steps);
            finding.reason = Some(why.clone());
        }
    }
    finding
}
