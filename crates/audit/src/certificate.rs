//! Writes down what an audit checks, as SMT-LIB scripts for anybody's solver.
//!
//! For each property a folder with `base.smt2`, `step.smt2` and `implication.smt2`; every
//! `check-sat` in them has to answer `unsat`. Comments say what is asserted and what another answer
//! would mean. `proof.smt2` has the invariants, from which whoever has the model builds the scripts himself.
//! The manifest lists the files.

use crate::folder::remove_certificate;
use crate::manifest::{CertificateError, CertifiedModel, Entry, Listed, MANIFEST, Manifest};
use crate::names::{Declarations, write_assertion, write_comment};
use crate::obligation::{Obligation, ObligationPart, obligations};
use crate::words_proof;
use proofmark_model::{Proof, System, Term};
use proofmark_source::{printable, sha256};
use std::fs;
use std::path::Path;

/// The name of a manifest that is not yet whole.
const NEW_MANIFEST: &str = "manifest.txt.new";

/// A property and its proof.
#[derive(Clone, Copy, Debug)]
pub struct Certified<'p> {
    /// The property's position in the system.
    pub property: usize,
    /// Its proof, which is what the certificate states.
    pub proof: &'p Proof,
}

/// Writes the certificate of some properties into a folder, which is made when it is not there and loses the
/// certificate that it had. `system` is the cone of its properties in the model.
pub fn write_certificate(
    folder: &Path,
    model: &CertifiedModel,
    system: &System,
    proofs: &[Certified<'_>],
) -> Result<Manifest, CertificateError> {
    remove_certificate(folder)?;
    let mut manifest = Manifest {
        model: Some(model.clone()),
        cone: system
            .properties()
            .iter()
            .map(|one| one.name.clone())
            .collect(),
        properties: Vec::new(),
    };
    let mut folders = Vec::new();
    for certified in proofs {
        let property = &system.properties()[certified.property];
        let text = words_proof::write(&property.name, certified.proof)?;
        let proof = words_proof::read(&text, certified.proof.k, system);
        let proof = proof.map_err(|what| CertificateError::Proof { what })?;
        let files = EntryFiles {
            proof: (text, "smt2"),
            scripts: scripts(system, certified.property, &proof)?,
            circuit: None,
        };
        let name = folder_name(&property.name, &mut folders);
        let entry = files.write(
            folder,
            &name,
            Entry {
                property: property.name.clone(),
                depth: proof.k,
                ..Entry::default()
            },
        )?;
        manifest.properties.push(entry);
    }
    write_manifest(folder, &manifest)?;
    Ok(manifest)
}

/// What a property's folder has in it.
pub(crate) struct EntryFiles {
    /// With the ending of its name, as the circuit.
    pub proof: (String, &'static str),
    pub scripts: Vec<(ObligationPart, String)>,
    pub circuit: Option<(Vec<u8>, &'static str)>,
}

impl EntryFiles {
    /// Writes the files into a folder of this name, and lists them.
    pub(crate) fn write(
        &self,
        folder: &Path,
        name: &str,
        mut entry: Entry,
    ) -> Result<Entry, CertificateError> {
        make_folder(&folder.join(name))?;
        let write = |file: &str, bytes: &[u8]| {
            let path = format!("{name}/{file}");
            write_bytes(&folder.join(&path), bytes)?;
            let hash = sha256(bytes);
            Ok(Listed { hash, path })
        };
        let (proof, ending) = &self.proof;
        let listed = write(&format!("proof.{ending}"), proof.as_bytes())?;
        entry.proof.push(listed);
        for (part, text) in &self.scripts {
            let listed = write(&format!("{}.smt2", part.as_str()), text.as_bytes())?;
            entry.files.push((*part, listed));
        }
        if let Some((bytes, ending)) = &self.circuit {
            entry.circuit = Some(write(&format!("circuit.{ending}"), bytes)?);
        }
        Ok(entry)
    }
}

/// Last, so that a folder with a manifest has all that it lists.
pub(crate) fn write_manifest(folder: &Path, manifest: &Manifest) -> Result<(), CertificateError> {
    make_folder(folder)?;
    let (new, place) = (folder.join(NEW_MANIFEST), folder.join(MANIFEST));
    write_bytes(&new, manifest.to_string().as_bytes())?;
    fs::rename(&new, &place).map_err(|error| CertificateError::File { path: place, error })
}

/// The scripts of a proof, as they are written and as they have to be.
pub(crate) fn scripts(
    system: &System,
    property: usize,
    proof: &Proof,
) -> Result<Vec<(ObligationPart, String)>, CertificateError> {
    let property = &system.properties()[property];
    let invariants: Vec<Term> = proof.invariants.iter().map(|one| one.term).collect();
    let obligations = obligations(system, &[property.term], &invariants, proof.k);
    let scripts = obligations.iter().map(|obligation| {
        let text = script(obligation, &property.name, proof)?;
        Ok((obligation.part, text))
    });
    scripts.collect()
}

pub(crate) fn make_folder(path: &Path) -> Result<(), CertificateError> {
    fs::create_dir_all(path).map_err(|error| CertificateError::File {
        path: path.into(),
        error,
    })
}

pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), CertificateError> {
    fs::write(path, bytes).map_err(|error| CertificateError::File {
        path: path.into(),
        error,
    })
}

/// A name for a folder, like the property's and not yet taken; case does not tell names apart
/// everywhere.
pub(crate) fn folder_name(property: &str, taken: &mut Vec<String>) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let plain = property.chars().take(60);
    let plain: String = plain.map(|c| if fits(c) { c } else { '_' }).collect();
    let plain = if plain.is_empty() { "_".into() } else { plain };
    let mut name = plain.clone();
    let mut number = 1;
    while taken.contains(&name.to_lowercase()) {
        number += 1;
        name = format!("{plain}-{number}");
    }
    taken.push(name.to_lowercase());
    name
}

fn introduction(part: ObligationPart, property: &str, proof: &Proof) -> String {
    let what = match part {
        ObligationPart::Base => "it holds, with the invariants, in the first steps of every run",
        ObligationPart::Step => {
            "steps in which it holds, with the invariants, are followed by such a step"
        }
        ObligationPart::Implication => "it follows from what base and step prove",
    };
    let Proof { k, invariants } = proof;
    let count = invariants.len();
    let property = printable(property);
    format!(
        "Proofmark certificate, {} of an induction with k = {k} and {count} invariants.\n\
         Property {property}: {what}.\n\
         Every check-sat has to answer unsat.",
        part.as_str(),
    )
}

fn script(
    obligation: &Obligation,
    property: &str,
    proof: &Proof,
) -> Result<String, CertificateError> {
    let mut out = String::new();
    write_comment(&introduction(obligation.part, property, proof), &mut out);
    out.push_str("(set-logic ALL)\n");
    let mut declarations = Declarations::default();
    for stage in &obligation.stages {
        let facts = stage.facts.iter().flat_map(|(_, terms)| terms);
        facts.for_each(|fact| declarations.add(*fact));
        declarations.add(stage.goal);
    }
    declarations.write(&mut out)?;
    let last = obligation.stages.len() - 1;
    for (at, stage) in obligation.stages.iter().enumerate() {
        for (what, terms) in &stage.facts {
            out.push('\n');
            write_comment(what, &mut out);
            terms
                .iter()
                .for_each(|term| write_assertion(*term, &mut out));
        }
        out.push('\n');
        write_comment(&format!("Otherwise {}.", stage.otherwise), &mut out);
        if at < last {
            out.push_str("(push 1)\n");
        }
        write_assertion(stage.goal.not(), &mut out);
        out.push_str("(set-info :status unsat)\n(check-sat)\n");
        if at < last {
            out.push_str("(pop 1)\n");
            write_assertion(stage.goal, &mut out);
        }
    }
    Ok(out)
}
