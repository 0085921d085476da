//! `proofmark audit`: checks a certificate with whatever solver its reader trusts, against the model that it is
//! about.

use crate::arguments::Audit;
use crate::exit::Exit;
use crate::{circuits, input, session, terminal, translate};
use proofmark_audit::{Certificate, CertifiedModel, Checked, auditor};
use proofmark_lang::{Design, Languages, Options};
use proofmark_model::System;
use proofmark_model::graph::Netlist;
use proofmark_source::{Sources, printable, sha256};
use std::fmt::Write as _;
use std::path::Path;

pub fn run(arguments: &Audit, languages: Languages) -> Exit {
    let name = arguments.solver.as_deref();
    if let Err(error) = auditor(name) {
        terminal::error(&error.to_string());
        return Exit::Usage;
    }
    let certificate = match Certificate::read(&arguments.folder) {
        Ok(certificate) => certificate,
        Err(error) => {
            let hint = match arguments.folder.join(proofmark_audit::MANIFEST).exists() {
                true => "",
                false => {
                    "; a certificate is a folder that `proofmark check --certificate DIR` wrote"
                }
            };
            terminal::error(&format!("cannot read the certificate: {error}{hint}"));
            return Exit::Input;
        }
    };
    let checked = match model(arguments, &certificate, languages) {
        Ok(model) => check(arguments, &certificate, &model, languages),
        Err(exit) => return exit,
    };
    let mut text = String::new();
    for one in &checked {
        write_lines(one, &mut text);
    }
    match session::print(&text) {
        Ok(()) => exit(&checked),
        Err(exit) => exit,
    }
}

/// What the certificate is about.
enum Subject {
    Words(Box<System>),
    Netlist(Box<Netlist>),
    /// Why it is not here.
    Missing(String),
}

fn check(
    arguments: &Audit,
    certificate: &Certificate,
    model: &Subject,
    languages: Languages,
) -> Vec<Checked> {
    let name = arguments.solver.as_deref();
    let open = || auditor(name);
    match model {
        Subject::Words(system) => {
            let names = system.properties().iter().map(|one| one.name.as_str());
            tell_missing(certificate, names);
            certificate.check(system, &open)
        }
        Subject::Netlist(netlist) => {
            tell_missing(
                certificate,
                netlist.bads.iter().map(|one| one.name.as_str()),
            );
            let named = name.map(|_| &open as &proofmark_audit::OpenSolver<'_>);
            let mut checked = certificate.check_netlist(netlist, named);
            circuits::check(
                &arguments.folder,
                &certificate.manifest,
                netlist,
                languages,
                &mut checked,
            );
            checked
        }
        Subject::Missing(why) => certificate.check_scripts(why, &open),
    }
}

/// A certificate shows what it has, and is silent about the rest of the model.
fn tell_missing<'n>(certificate: &Certificate, names: impl Iterator<Item = &'n str>) {
    let certified = certificate.manifest.properties.iter();
    let certified: std::collections::BTreeSet<&str> =
        certified.map(|one| one.property.as_str()).collect();
    let names: Vec<_> = names.map(printable).collect();
    let missing = names.iter().filter(|name| !certified.contains(&***name));
    let missing: Vec<_> = missing.collect();
    if let Some(first) = missing.first() {
        let (count, all) = (missing.len(), names.len());
        terminal::warning(&format!(
            "{count} of the model's {all} properties are not in the certificate; the first is {first}"
        ));
    }
}

/// The model that is named, or that the certificate names. What is wrong with it has been printed.
fn model(
    arguments: &Audit,
    certificate: &Certificate,
    languages: Languages,
) -> Result<Subject, Exit> {
    let given = arguments.models.iter().chain(&arguments.model);
    let given: Vec<&String> = given.collect();
    let Some(certified) = &certificate.manifest.model else {
        return Ok(Subject::Missing("the certificate names no model".into()));
    };
    let shown = printable(&certified.file.path);
    if given.is_empty() && !Path::new(&certified.file.path).is_file() {
        let why = format!("there is no file {shown} here; name it behind the folder");
        return Ok(Subject::Missing(why));
    }
    let own = [&certified.file.path];
    let names = if given.is_empty() { &own[..] } else { &given };
    for name in names {
        let mut sources = Sources::default();
        let file = input::read(name, &mut sources)?;
        if sha256(sources.file(file).bytes()) == certified.file.hash {
            return load(name, (sources, file), arguments, certified, languages);
        }
    }
    let names: Vec<_> = names.iter().map(|name| printable(name)).collect();
    Ok(Subject::Missing(format!(
        "{} is not the file that was certified",
        names.join(", ")
    )))
}

fn load(
    name: &str,
    (mut sources, file): (Sources, proofmark_source::FileId),
    arguments: &Audit,
    certified: &CertifiedModel,
    languages: Languages,
) -> Result<Subject, Exit> {
    let named = arguments.language.as_ref().or(certified.language.as_ref());
    let language = languages.choose(name, named.map(String::as_str));
    let language = language.map_err(|error| {
        terminal::error(&error.to_string());
        Exit::Usage
    })?;
    let main = arguments.main.as_ref().or(certified.main.as_ref());
    if let (None, Some(main)) = (&arguments.main, main) {
        let main = printable(main);
        terminal::warning(&format!(
            "the certificate is about the node {main}, which it names itself; --main says which you mean"
        ));
    }
    let includes = match arguments.include.is_empty() {
        true => &certified.includes,
        false => &arguments.include,
    };
    let request = translate::Request {
        file: name,
        main: main.map(String::as_str),
        includes,
    };
    let (language, file) = translate::resolve(languages, (language, file), &request, &mut sources)?;
    let options = Options {
        main: main.cloned(),
        strict: false,
        // What the solver cannot do it will say.
        nonlinear: true,
    };
    let (design, diagnostics) = (language.load)(&sources, file, &options);
    match design {
        None => {
            session::tell(&diagnostics, &sources);
            Err(Exit::Input)
        }
        Some(Design::Netlist(netlist)) => Ok(Subject::Netlist(Box::new(netlist))),
        Some(Design::Words(loaded)) => {
            let lowered = session::lower_model(&loaded.model, &sources)?;
            Ok(Subject::Words(Box::new(lowered.system)))
        }
    }
}

fn exit(checked: &[Checked]) -> Exit {
    let complaints = || checked.iter().flat_map(|one| &one.complaints);
    if complaints().next().is_none() {
        Exit::Fine
    } else if complaints().all(|complaint| complaint.open) {
        Exit::Inconclusive
    } else {
        Exit::Internal
    }
}

/// One line a property, and one more for each complaint.
fn write_lines(checked: &Checked, text: &mut String) {
    let verdict = match &checked.complaints[..] {
        [] => "PASSED",
        complaints if complaints.iter().all(|complaint| complaint.open) => "UNKNOWN",
        _ => "FAILED",
    };
    // Writing to a string does not fail.
    let _ = writeln!(text, "{verdict:<8} {}", printable(&checked.property));
    for complaint in &checked.complaints {
        let _ = writeln!(text, "  {}: {}", complaint.part, printable(&complaint.what));
    }
}
