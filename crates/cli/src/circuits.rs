//! The circuits of a certificate: each is checked against the netlist that the certificate is about.

use proofmark_audit::{
    Audit as Outcome, Checked, Complaint, Entry, Manifest, audit_witness_circuit, read_listed,
};
use proofmark_lang::{Design, Languages, Options};
use proofmark_model::graph::Netlist;
use proofmark_source::{Sources, printable};
use std::path::Path;

/// What is wrong with a circuit, and whether that is only not known.
type Fault = (String, bool);

/// Adds to what was found what the circuits come to, in the order of the certificate.
pub fn check(
    folder: &Path,
    manifest: &Manifest,
    model: &Netlist,
    languages: Languages,
    checked: &mut [Checked],
) {
    for (entry, checked) in manifest.properties.iter().zip(checked) {
        if let Err((what, open)) = circuit(folder, entry, model, languages) {
            let part = "circuit";
            checked.complaints.push(Complaint { part, what, open });
        }
    }
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
    let Some(listed) = &entry.circuit else {
        return Ok(());
    };
    let bytes = read_listed(folder, listed).map_err(|what| (what, false))?;
    let path = printable(&listed.path);
    let witness = load(&path, bytes, languages)?;
    let mut bads = model.bads.iter().enumerate();
    let mut bads = bads
        .by_ref()
        .filter(|(_, bad)| printable(&bad.name) == entry.property);
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
