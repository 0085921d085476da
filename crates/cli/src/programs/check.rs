//! `proofmark check` on a program: its assertions and the checks that come with every access.

use super::path::Shower;
use super::{OpenedProgram, options_of};
use crate::arguments::Check;
use crate::exit::Exit;
use crate::models::Examined;
use crate::{audits, check, session, terminal};
use proofmark_lang::Language;
use proofmark_model::program::CheckKind;
use proofmark_quality::program::{
    CheckedProgram, ProgramError, ProgramOptions, ProgramProperty, ProgramVerdict, check_program,
};
use proofmark_report::{AuditSummary, Findings, PropertyFinding, PropertyVerdict, ShownSpan};
use std::sync::atomic::Ordering;

/// Checks a program.
pub fn examine(arguments: &Check, language: &'static Language) -> Result<Examined, Exit> {
    refuse(arguments)?;
    let opened = OpenedProgram::read(language, &arguments.subject, &arguments.program, None)?;
    let options = opened.options(&arguments.program, &arguments.proving)?;
    opened.started.store(true, Ordering::SeqCst);
    let checked = check_program(&opened.loaded.program, &options).map_err(|error| fail(&error))?;
    let checked = chosen(arguments, checked)?;
    let findings = findings(arguments, &opened, &options, &checked);
    Ok(Examined {
        text: check::text(arguments, &findings),
        findings,
        page: None,
        model: Some((opened.sources, opened.file)),
        written: Ok(()),
    })
}

pub fn fail(error: &ProgramError) -> Exit {
    terminal::error(&error.to_string());
    Exit::Internal
}

/// The properties that are asked about.
fn chosen(arguments: &Check, mut checked: CheckedProgram) -> Result<CheckedProgram, Exit> {
    let names: Vec<&str> = checked
        .properties
        .iter()
        .map(|one| &*one.named.name)
        .collect();
    let chosen = session::choose(&arguments.subject, &names)?;
    let mut at = 0;
    checked.properties.retain(|_| {
        at += 1;
        chosen.contains(&(at - 1))
    });
    Ok(checked)
}

/// Options that say nothing about a program are refused, so that nobody waits for their effect.
fn refuse(arguments: &Check) -> Result<(), Exit> {
    let options = [
        ("--certificate", arguments.certificate.is_some()),
        ("--trace", arguments.trace.is_some()),
        ("--save-proof", arguments.save_proof.is_some()),
        ("--use-proof", arguments.proving.use_proof.is_some()),
        (
            "--inductive-counterexample",
            arguments.inductive_counterexample,
        ),
        ("--audit-solver", arguments.proving.audit_solver.is_some()),
        ("--engines", !arguments.proving.engines.is_empty()),
        ("--export-test", arguments.export_test.is_some()),
    ];
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => {
            terminal::error(&format!("{option} does not work on programs; leave it out"));
            Err(Exit::Usage)
        }
    }
}

fn findings(
    arguments: &Check,
    opened: &OpenedProgram,
    options: &ProgramOptions,
    checked: &CheckedProgram,
) -> Findings {
    let shower = Shower {
        program: &opened.loaded.program,
        sources: &opened.sources,
        named: checked
            .properties
            .iter()
            .map(|one| one.named.clone())
            .collect(),
    };
    let properties = checked.properties.iter();
    let properties: Vec<PropertyFinding> = properties
        .map(|one| property(&shower, options, one))
        .collect();
    let file = opened.sources.file(opened.file);
    let written = options_of(&arguments.program, options);
    Findings {
        outcome: check::outcome(&properties),
        audit: Some(audit()),
        properties,
        seconds: opened.begin.elapsed().as_secs_f64(),
        ..session::blank_findings("check", file, "sat", written)
    }
}

/// Everything is audited as it is found.
pub fn audit() -> AuditSummary {
    AuditSummary {
        by: vec!["interpreter".into(), "LRAT".into()],
        differs: Some(
            "a checker that knows no solver follows every step; runs are repeated by an interpreter that \
             knows no formula"
                .into(),
        ),
        seconds: 0.0,
    }
}

/// A check with its verdict.
pub fn property(
    shower: &Shower<'_>,
    options: &ProgramOptions,
    one: &ProgramProperty,
) -> PropertyFinding {
    let named = &one.named;
    let origin = Some(ShownSpan::new(named.check.place, shower.sources));
    let mut finding = PropertyFinding {
        check: Some(named.check.kind.word().into()),
        bound: Some(options.bounds.default),
        seconds: one.time.as_secs_f64(),
        audit: audits::mark(true),
        ..PropertyFinding::new(&named.name, origin)
    };
    let too_small = format!(
        "bound: raise --unwind above {}, or --unwindset for what is named unwinding",
        options.bounds.default
    );
    match &one.verdict {
        ProgramVerdict::Valid => finding.verdict = PropertyVerdict::Valid,
        ProgramVerdict::Invalid(run) => {
            finding.verdict = PropertyVerdict::Invalid;
            finding.path = Some(shower.path(run, Some(named.check)));
        }
        ProgramVerdict::Bound(run) => {
            finding.audit = audits::mark(false);
            finding.reason = Some(too_small);
            let is_unwinding = named.check.kind == CheckKind::Unwinding;
            finding.path = is_unwinding.then(|| shower.path(run, Some(named.check)));
        }
        ProgramVerdict::Vacuous => {
            finding.verdict = PropertyVerdict::Vacuous;
            finding.reason = Some("no run within the bound comes to its end".into());
        }
        ProgramVerdict::Unknown(why) => {
            finding.audit = audits::mark(false);
            finding.reason = Some(why.clone());
        }
    }
    finding
}
