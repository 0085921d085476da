//! Checks a certificate that somebody wrote.
//!
//! A certificate is about a model. With the model at hand nothing of the certificate is believed but the depth and
//! the invariants of each proof, and these are only tried: what has to be true is stated anew, from the model and
//! its property, and checked; then the scripts, which are for other people's solvers, have to be those that the
//! model makes, to the letter. A proof of a cone is one of the model, whatever cone the certificate names.
//!
//! Without the model the scripts are run as they are. That shows that they hold, and not what they are about; it
//! never is enough for a certificate to pass.
//!
//! A file whose hash is not the manifest's was changed; it is a complaint by itself, whatever it says now.

use crate::audit::{Audit, OpenSolver, audit_proof};
use crate::folder::{read_manifest, read_text};
use crate::manifest::{CertificateError, Entry, Manifest};
use crate::netlist::audit_bit_proof;
use crate::obligation::ObligationPart;
use crate::scripts::{Fault, check_script, wrong};
use crate::vacuity::{Assumptions, vacuity};
use crate::{bits_proof, certificate, netlist_certificate, words_proof};
use proofmark_model::graph::Netlist;
use proofmark_model::{Program, System, slice};
use proofmark_source::printable;
use std::path::{Path, PathBuf};

/// What is said of scripts whose model nobody has.
pub const NOT_COMPARED: &str =
    "the scripts hold; whether they are the model's obligations was not checked";

/// What became of one property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// The name of the property.
    pub property: String,
    /// None when the certificate proves it.
    pub complaints: Vec<Complaint>,
}

/// What is wrong with a part of a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Complaint {
    /// What was not confirmed: the part of the induction, the proof, the model or the circuit.
    pub part: &'static str,
    /// What is wrong with it, or why nobody knows.
    pub what: String,
    /// The solver has no answer; another one, or more time, may have.
    pub open: bool,
}

/// A certificate in its folder.
pub struct Certificate {
    folder: PathBuf,
    /// What it consists of.
    pub manifest: Manifest,
}

impl Certificate {
    /// Reads the list of what a certificate consists of.
    pub fn read(folder: &Path) -> Result<Certificate, CertificateError> {
        let manifest = read_manifest(folder)?;
        if manifest.properties.is_empty() {
            return Err(CertificateError::Manifest {
                line: 1,
                what: "the certificate has no property".into(),
            });
        }
        Ok(Certificate {
            folder: folder.into(),
            manifest,
        })
    }

    /// Checks the certificate of a model, with a solver of its own for each question.
    pub fn check(&self, system: &System, open: &OpenSolver<'_>) -> Vec<Checked> {
        let vacuous = contradiction(system, open);
        let cone = self.cone(system);
        self.each(|entry| {
            let mut complaints = Complaints::default();
            if let Err(fault) = &vacuous {
                complaints.add("model", fault.clone());
            }
            let proved = cone
                .as_ref()
                .map_err(Clone::clone)
                .and_then(|cone| self.check_words(entry, cone, open, &mut complaints));
            complaints.take("proof", proved);
            complaints.0
        })
    }

    /// Checks the certificate of a netlist. A solver is asked only for the scripts, if it is given: each answer
    /// about the netlist itself is followed by the checker of LRAT proofs.
    pub fn check_netlist(&self, netlist: &Netlist, open: Option<&OpenSolver<'_>>) -> Vec<Checked> {
        self.each(|entry| {
            let mut complaints = Complaints::default();
            let proved = self.check_bits(entry, netlist, &mut complaints);
            complaints.take("proof", proved);
            if let Some(open) = open {
                self.run_scripts(entry, open, &mut complaints);
            }
            complaints.0
        })
    }

    /// Runs the scripts, which is all that can be done without the model. `why` says why there is none.
    pub fn check_scripts(&self, why: &str, open: &OpenSolver<'_>) -> Vec<Checked> {
        self.each(|entry| {
            let mut complaints = Complaints::default();
            self.run_scripts(entry, open, &mut complaints);
            let what = match complaints.0.is_empty() {
                true => format!("{NOT_COMPARED}: {why}"),
                false => why.to_string(),
            };
            complaints.add("model", (what, true));
            complaints.0
        })
    }

    fn each(&self, check: impl Fn(&Entry) -> Vec<Complaint>) -> Vec<Checked> {
        let entries = self.manifest.properties.iter();
        let checked = entries.map(|entry| Checked {
            property: entry.property.clone(),
            complaints: check(entry),
        });
        checked.collect()
    }

    /// The part of the model that the proofs speak of.
    fn cone(&self, system: &System) -> Result<System, Fault> {
        let names = self.manifest.cone.iter();
        let found = names.map(|name| {
            let all = system.properties().iter().map(|one| one.name.as_str());
            position(name, all).map_err(wrong)
        });
        let found: Vec<usize> = found.collect::<Result<_, Fault>>()?;
        Ok(slice(system, &found).system)
    }

    fn check_words(
        &self,
        entry: &Entry,
        cone: &System,
        open: &OpenSolver<'_>,
        complaints: &mut Complaints,
    ) -> Result<(), Fault> {
        let all = cone.properties().iter().map(|one| one.name.as_str());
        let property = position(&entry.property, all).map_err(wrong)?;
        let text = self.proof_text(entry)?;
        let proof = words_proof::read(&text, entry.depth, cone).map_err(wrong)?;
        let audit = audit_proof(cone, property, &proof, open, None);
        of_audit(audit.map_err(|error| (error.to_string(), true))?)?;
        let scripts = certificate::scripts(cone, property, &proof);
        let scripts = scripts.map_err(|error| wrong(error.to_string()))?;
        self.compare(entry, &scripts, complaints);
        Ok(())
    }

    fn check_bits(
        &self,
        entry: &Entry,
        netlist: &Netlist,
        complaints: &mut Complaints,
    ) -> Result<(), Fault> {
        let all = netlist.bads.iter().map(|bad| bad.name.as_str());
        let bad = position(&entry.property, all).map_err(wrong)?;
        let text = self.proof_text(entry)?;
        let proof = bits_proof::read(&text, entry.depth, netlist).map_err(wrong)?;
        of_audit(audit_bit_proof(netlist, bad, &proof, None))?;
        self.compare(
            entry,
            &netlist_certificate::scripts(netlist, bad, &proof),
            complaints,
        );
        Ok(())
    }

    fn proof_text(&self, entry: &Entry) -> Result<String, Fault> {
        if entry.depth == 0 {
            return Err(wrong(
                "the certificate does not tell the depth of the induction",
            ));
        }
        match &entry.proof[..] {
            [proof] => read_text(&self.folder, proof).map_err(wrong),
            [] => Err(wrong("the certificate has no proof")),
            _ => Err(wrong("the certificate has several proofs")),
        }
    }

    /// Whether the scripts are those that the model makes.
    fn compare(
        &self,
        entry: &Entry,
        expected: &[(ObligationPart, String)],
        complaints: &mut Complaints,
    ) {
        for (part, expected) in expected {
            let found =
                self.script(entry, *part)
                    .and_then(|(name, text)| match text == *expected {
                        true => Ok(()),
                        false => Err(wrong(format!(
                            "{name} is not what the model makes of the proof"
                        ))),
                    });
            complaints.take(part.as_str(), found);
        }
    }

    fn run_scripts(&self, entry: &Entry, open: &OpenSolver<'_>, complaints: &mut Complaints) {
        for part in ObligationPart::ALL {
            let questions = match part {
                ObligationPart::Base => u64::from(entry.depth),
                ObligationPart::Step | ObligationPart::Implication => 1,
            };
            let ran = self.script(entry, part);
            let ran = ran.and_then(|(name, text)| check_script(&name, text, questions, open));
            complaints.take(part.as_str(), ran);
        }
    }

    /// The name and the text of the only script of a part, which serves for no other part.
    fn script(&self, entry: &Entry, part: ObligationPart) -> Result<(String, String), Fault> {
        let mut files = entry.files.iter().filter(|(of, _)| *of == part);
        let listed = match (files.next(), files.next()) {
            (Some((_, listed)), None) => listed,
            (None, _) => return Err(wrong("the certificate has no such part")),
            (Some(_), Some(_)) => return Err(wrong("the part is listed twice")),
        };
        let name = printable(&listed.path).into_owned();
        let properties = self.manifest.properties.iter();
        let uses = properties.flat_map(|entry| &entry.files);
        if uses.filter(|(_, other)| other.path == listed.path).count() > 1 {
            return Err(wrong(format!(
                "{name} is listed twice, and serves for one part only"
            )));
        }
        let text = read_text(&self.folder, listed).map_err(wrong)?;
        Ok((name, text))
    }
}

#[derive(Default)]
struct Complaints(Vec<Complaint>);

impl Complaints {
    fn add(&mut self, part: &'static str, (what, open): Fault) {
        self.0.push(Complaint { part, what, open });
    }

    fn take(&mut self, part: &'static str, checked: Result<(), Fault>) {
        if let Err(fault) = checked {
            self.add(part, fault);
        }
    }
}

fn of_audit(audit: Audit) -> Result<(), Fault> {
    match audit {
        Audit::Passed { .. } => Ok(()),
        Audit::Failed { what } => Err(wrong(what)),
        Audit::Unknown { why } => Err((why, true)),
    }
}

/// The one thing of a name among the model's; the certificate has names as they are shown.
fn position<'n>(name: &str, all: impl Iterator<Item = &'n str>) -> Result<usize, String> {
    let mut found = all.enumerate().filter(|(_, one)| printable(one) == name);
    match (found.next(), found.next()) {
        (Some((at, _)), None) => Ok(at),
        (None, _) => Err(format!("the model has no property {name}")),
        (Some(_), Some(_)) => Err(format!("the model has several properties {name}")),
    }
}

/// Where assumptions contradict each other everything can be proved, and nothing is worth it.
fn contradiction(system: &System, open: &OpenSolver<'_>) -> Result<(), Fault> {
    let program = Program::compile(system).map_err(|error| wrong(error.to_string()))?;
    let known = vacuity(system, &program, open, None);
    let known = known.map_err(|error| (error.to_string(), true))?;
    match (known.contradiction(), known) {
        (Some(why), _) => Err(wrong(format!("every property is vacuous: {why}"))),
        (None, Assumptions::Unknown { why }) => Err((
            format!("whether the assumptions accept a run is not known: {why}"),
            true,
        )),
        (None, _) => Ok(()),
    }
}
