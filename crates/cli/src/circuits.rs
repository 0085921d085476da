//! The circuits of a certificate: each is checked against the netlist that the certificate is about, which
//! has to be the one that was certified.

use crate::arguments::Audit;
use crate::exit::Exit;
use crate::terminal;
use proofmark_audit::{
    Audit as Outcome, Checked, Complaint, Entry, audit_witness_circuit, read_manifest,
};
use proofmark_lang::{Design, Languages, Options};
use proofmark_model::graph::Netlist;
use proofmark_source::{Sources, sha256};
use std::path::Path;

/// What is wrong with a circuit, and whether that is only not known.
type Fault = (String, bool);

/// Adds to what was found what the circuits come to, in the order of the certificate.
pub fn check(arguments: &Audit, languages: Languages, checked: &mut [Checked]) -> Result<(), Exit> {
    let manifest = read_manifest(&arguments.folder).map_err(|error| {
        terminal::error(&format!("cannot read the certificate: {error}"));
        Exit::Input
    })?;
    if manifest.properties.iter().all(|one| one.circuit.is_none()) {
        return Ok(());
    }
    let model = manifest.model.as_ref().map(|(hash, name)| {
        let file = arguments.model.as_deref().unwrap_or(name);
        model(file, hash, languages)
    });
    for (entry, checked) in manifest.properties.iter().zip(checked) {
        let verdict = match &model {
            Some(Ok(model)) => circuit(&arguments.folder, entry, model, languages),
            Some(Err(fault)) => Err(fault.clone()),
            None => Err(("the certificate names no model".into(), false)),
        };
        if let (Err((what, open)), Some(_)) = (verdict, &entry.circuit) {
            let part = "circuit";
            checked.complaints.push(Complaint { part, what, open });
        }
    }
    Ok(())
}

/// The netlist that was certified. Without it nobody knows what the circuits are worth.
fn model(file: &str, hash: &str, languages: Languages) -> Result<Netlist, Fault> {
    let hint = "name it with --model";
    let bytes = std::fs::read(file).map_err(|error| (format!("{file}: {error}; {hint}"), true))?;
    if sha256(&bytes) != hash {
        return Err((
            format!("{file} is not the file that was certified; {hint}"),
            true,
        ));
    }
    load(file, bytes, languages)
}

fn load(file: &str, bytes: Vec<u8>, languages: Languages) -> Result<Netlist, Fault> {
    let wrong = |what: String| (format!("{file}: {what}"), false);
    let language = languages.choose(file, None);
    let language = language.map_err(|error| wrong(error.to_string()))?;
    let mut sources = Sources::default();
    let added = sources.add_bytes(file, bytes);
    let id = added.map_err(|_| wrong("4 GiB or more".into()))?;
    let (design, told) = (language.load)(&sources, id, &Options::default());
    match design {
        Some(Design::Netlist(netlist)) => Ok(netlist),
        Some(Design::Words(_)) => Err(wrong("this is no netlist".into())),
        None => {
            let first = told.first().map(|one| one.message.clone());
            Err(wrong(first.unwrap_or_default()))
        }
    }
}

/// Checks the circuit of one property, if it has one.
fn circuit(
    folder: &Path,
    entry: &Entry,
    model: &Netlist,
    languages: Languages,
) -> Result<(), Fault> {
    let Some((hash, path)) = &entry.circuit else {
        return Ok(());
    };
    let path = folder.join(path).display().to_string();
    let bytes = std::fs::read(&path).map_err(|error| (format!("{path}: {error}"), false))?;
    if sha256(&bytes) != *hash {
        return Err((format!("{path} was changed since it was certified"), false));
    }
    let witness = load(&path, bytes, languages)?;
    let mut bads = model.bads.iter().enumerate();
    let mut bads = bads.by_ref().filter(|(_, bad)| bad.name == entry.property);
    let (Some((bad, _)), None) = (bads.next(), bads.next()) else {
        let what = format!(
            "the model does not have one bad signal `{}`",
            entry.property
        );
        return Err((what, false));
    };
    match audit_witness_circuit(model, bad, &witness, None) {
        Outcome::Passed { .. } => Ok(()),
        Outcome::Failed { what } => Err((format!("{path}: {what}"), false)),
        Outcome::Unknown { why } => Err((format!("{path}: {why}"), true)),
    }
}
