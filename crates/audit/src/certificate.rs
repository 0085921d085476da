//! Writes down what an audit checks, as SMT-LIB scripts for anybody's solver.
//!
//! For each property a folder with `base.smt2`, `step.smt2` and `implication.smt2`; every
//! `check-sat` in them has to answer `unsat`. Comments say what is asserted and what another answer
//! would mean. The manifest lists the files.

use crate::manifest::{CertificateError, Entry, MANIFEST, Manifest};
use crate::names::{Declarations, write_assertion, write_comment};
use crate::obligation::{Obligation, ObligationPart, obligations};
use proofmark_model::{Proof, System, Term};
use proofmark_source::sha256;
use std::fs;
use std::path::Path;

/// A property and its proof.
#[derive(Clone, Copy, Debug)]
pub struct Certified<'p> {
    /// The property's position in the system.
    pub property: usize,
    /// Its proof, which is what the certificate states.
    pub proof: &'p Proof,
}

/// Writes the certificate of some properties into a folder, which is made when it is not there.
/// `model` is the name and the text of the file that the system came from.
pub fn write_certificate(
    folder: &Path,
    model: Option<(&str, &str)>,
    system: &System,
    proofs: &[Certified<'_>],
) -> Result<Manifest, CertificateError> {
    let mut manifest = Manifest {
        model: model.map(|(name, text)| (sha256(text.as_bytes()), name.to_string())),
        properties: Vec::new(),
    };
    let mut folders = Vec::new();
    for certified in proofs {
        let property = &system.properties()[certified.property];
        let name = folder_name(&property.name, &mut folders);
        make_folder(&folder.join(&name))?;
        let mut files = Vec::new();
        let proof = certified.proof;
        let invariants: Vec<Term> = proof.invariants.iter().map(|one| one.term).collect();
        for obligation in obligations(system, &[property.term], &invariants, proof.k) {
            let text = script(&obligation, &property.name, proof)?;
            let path = format!("{name}/{}.smt2", obligation.part.as_str());
            write_bytes(&folder.join(&path), text.as_bytes())?;
            files.push((obligation.part, sha256(text.as_bytes()), path));
        }
        let property = property.name.clone();
        manifest.properties.push(Entry {
            property,
            files,
            circuit: None,
        });
    }
    make_folder(folder)?;
    // Last, so that a folder with a manifest has all that it lists.
    write_bytes(&folder.join(MANIFEST), manifest.to_string().as_bytes())?;
    Ok(manifest)
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
