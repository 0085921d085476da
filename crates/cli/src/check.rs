//! `proofmark check`: proves or refutes the properties of a model.

use crate::arguments::{Acceptable, Check};
use crate::exit::Exit;
use crate::session::{self, Opened, Session};
use crate::{advice, netlist, outputs, page, terminal};
use proofmark_audit::{Certified, write_certificate};
use proofmark_lang::{Design, Languages};
use proofmark_quality::{Smoothing, Verified};
use proofmark_report::{
    Findings, Outcome, PropertyFinding, PropertyVerdict, check_text, jkind_xml, proofs_text,
};
use std::collections::BTreeMap;

pub fn run(arguments: &Check, languages: Languages) -> Exit {
    match attempt(arguments, languages) {
        Ok(exit) | Err(exit) => exit,
    }
}

/// What ends a run early has been printed.
fn attempt(arguments: &Check, languages: Languages) -> Result<Exit, Exit> {
    let named = [
        ("html", arguments.printing.html.as_ref()),
        ("save-proof", arguments.save_proof.as_ref()),
        ("jkind-xml", arguments.jkind_xml.as_ref()),
    ];
    outputs::check(&[&named[..], &arguments.exports.outputs()].concat())?;
    outputs::check_folder("certificate", arguments.certificate.as_ref())?;
    let opened = Opened::read(languages, &arguments.subject, &arguments.proving)?;
    let loaded = match opened.load()? {
        Design::Words(loaded) => loaded,
        Design::Netlist(netlist) => return netlist::check(arguments, &opened, &netlist),
    };
    let mut session = Session::new(opened, loaded, &arguments.subject, &arguments.proving)?;
    session.accept_unaudited = arguments.printing.accepts(Acceptable::Unaudited);
    let asked = session::Asked {
        smoothing: match arguments.smooth {
            true => Smoothing::Thorough,
            false => Smoothing::Brief,
        },
        explain_inductions: arguments.inductive_counterexample,
        quiet: arguments.printing.quiet,
    };
    let verified = session.verify(&asked)?;
    let findings = findings(arguments, &session, &verified);
    let tolerance = arguments.printing.tolerance(None);
    let written = [
        write_certificates(arguments, &verified, session.text()),
        save_proof(arguments, &verified),
        arguments.exports.write(&findings, &tolerance),
        outputs::write(arguments.jkind_xml.as_ref(), || Ok(jkind_xml(&findings))),
        page::write(&arguments.printing, &findings, &session),
    ];
    print(arguments, &findings)?;
    outputs::all(written)?;
    let properties = &findings.properties;
    let open = properties
        .iter()
        .any(|one| one.verdict == PropertyVerdict::Unknown);
    if session.interrupt.is_set() && open {
        return Ok(Exit::Inconclusive);
    }
    Ok(exit(arguments, &findings))
}

fn write_certificates(arguments: &Check, verified: &Verified, text: &str) -> Result<(), Exit> {
    let Some(folder) = &arguments.certificate else {
        return Ok(());
    };
    let certified: Vec<Certified<'_>> = verified
        .proofs()
        .map(|(property, proof)| Certified { property, proof })
        .collect();
    if certified.is_empty() {
        terminal::warning("nothing was proved, so there is nothing to certify");
        return Ok(());
    }
    let model = Some((arguments.subject.file.as_str(), text));
    match write_certificate(folder, model, &verified.slice.system, &certified) {
        Ok(_) => Ok(()),
        Err(error) => {
            terminal::error(&format!("cannot write the certificate: {error}"));
            Err(Exit::Internal)
        }
    }
}

fn save_proof(arguments: &Check, verified: &Verified) -> Result<(), Exit> {
    let Some(path) = &arguments.save_proof else {
        return Ok(());
    };
    if verified.proofs().next().is_none() {
        terminal::warning("nothing was proved, so there is no proof to save");
        return Ok(());
    }
    let proofs = verified.proofs().map(|(_, proof)| proof);
    session::write_file(path, advice::write(proofs))
}

fn findings(arguments: &Check, session: &Session<'_>, verified: &Verified) -> Findings {
    let properties = session.property_findings(verified, session::shown(arguments.all_vars));
    let outcome = outcome(&properties);
    let options = BTreeMap::from([("use_proof", arguments.proving.use_proof.clone().into())]);
    Findings {
        audit: session.audit_summary(verified),
        deadlock: session.deadlock(verified),
        properties,
        ..session.findings("check", options, outcome)
    }
}

/// What the verdicts on properties come to.
pub fn outcome(properties: &[PropertyFinding]) -> Outcome {
    let has = |verdict| properties.iter().any(|one| one.verdict == verdict);
    if has(PropertyVerdict::Invalid) {
        Outcome::Found
    } else if properties.is_empty()
        || has(PropertyVerdict::Unknown)
        || has(PropertyVerdict::Vacuous)
    {
        Outcome::Inconclusive
    } else {
        Outcome::Holds
    }
}

pub fn exit(arguments: &Check, findings: &Findings) -> Exit {
    let accepts = |what| arguments.printing.accepts(what);
    let properties = findings.properties.iter();
    let rest: Vec<PropertyFinding> = properties
        .filter(|property| match property.verdict {
            PropertyVerdict::Unknown => !accepts(Acceptable::Unknown),
            PropertyVerdict::Vacuous => !accepts(Acceptable::Vacuous),
            PropertyVerdict::Valid | PropertyVerdict::Invalid => true,
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

pub fn print(arguments: &Check, findings: &Findings) -> Result<(), Exit> {
    if arguments.printing.json {
        return session::print_json(findings);
    }
    let mut text = check_text(findings, &session::style(&arguments.printing));
    if arguments.verbose {
        text.push_str(&proofs_text(findings));
    }
    session::print(&text)
}
