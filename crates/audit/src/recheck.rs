//! Checks a certificate that somebody wrote.
//!
//! The files are run as the scripts they are, and every answer has to be `unsat`. A file whose hash
//! is not the manifest's was changed; it is a complaint by itself, whatever it says now.

use crate::audit::OpenSolver;
use crate::manifest::{CertificateError, Entry, MANIFEST, Manifest};
use crate::obligation::ObligationPart;
use proofmark_solve::SolveError;
use proofmark_solve::smtlib::{Reader, Script, ScriptError};
use proofmark_source::{Sources, sha256};
use std::fs;
use std::path::Path;

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
    /// What was not confirmed: the part of the induction, or the circuit.
    pub part: &'static str,
    /// What is wrong with it, or why nobody knows.
    pub what: String,
    /// The solver has no answer; another one, or more time, may have.
    pub open: bool,
}

/// Checks the certificate in a folder, each file with a solver of its own.
pub fn check_certificate(
    folder: &Path,
    open: &OpenSolver<'_>,
) -> Result<Vec<Checked>, CertificateError> {
    let manifest = read_manifest(folder)?;
    if manifest.properties.is_empty() {
        return Err(CertificateError::Manifest {
            line: 1,
            what: "the certificate has no property".into(),
        });
    }
    let entries = manifest.properties.iter();
    Ok(entries.map(|entry| check(folder, entry, open)).collect())
}

/// The list of what a certificate consists of.
pub fn read_manifest(folder: &Path) -> Result<Manifest, CertificateError> {
    Manifest::parse(&read(&folder.join(MANIFEST))?)
}

fn read(path: &Path) -> Result<String, CertificateError> {
    fs::read_to_string(path).map_err(|error| CertificateError::File {
        path: path.into(),
        error,
    })
}

fn check(folder: &Path, entry: &Entry, open: &OpenSolver<'_>) -> Checked {
    let mut complaints = Vec::new();
    for part in ObligationPart::ALL {
        let mut files = entry.files.iter().filter(|(of, ..)| *of == part);
        let verdict = match (files.next(), files.next()) {
            (Some((_, hash, path)), None) => check_file(&folder.join(path), hash, open),
            (None, _) => Err(wrong("the certificate has no such part")),
            (Some(_), Some(_)) => Err(wrong("the certificate has several of it")),
        };
        if let Err((what, open)) = verdict {
            let part = part.as_str();
            complaints.push(Complaint { part, what, open });
        }
    }
    Checked {
        property: entry.property.clone(),
        complaints,
    }
}

fn wrong(what: impl Into<String>) -> (String, bool) {
    (what.into(), false)
}

fn check_file(path: &Path, hash: &str, open: &OpenSolver<'_>) -> Result<(), (String, bool)> {
    let text = read(path).map_err(|error| wrong(error.to_string()))?;
    if sha256(text.as_bytes()) != hash {
        let what = format!("{} was changed since it was certified", path.display());
        return Err(wrong(what));
    }
    let answers = run(path, text, open)?;
    for (number, answer) in (1..).zip(answers.lines()) {
        let what = format!("{}: check {number} answers {answer}", path.display());
        match answer {
            "unsat" => {}
            "unknown" => return Err((what, true)),
            _ => return Err(wrong(what)),
        }
    }
    if answers.is_empty() {
        return Err(wrong(format!("{} checks nothing", path.display())));
    }
    Ok(())
}

/// What the script prints.
fn run(path: &Path, text: String, open: &OpenSolver<'_>) -> Result<String, (String, bool)> {
    let unreadable = |what: &str| wrong(format!("{}: {what}", path.display()));
    let mut sources = Sources::default();
    let file = sources
        .add(path.display().to_string(), text)
        .map_err(|_| unreadable("4 GiB or more"))?;
    let mut solver = open().map_err(|error| (error.to_string(), true))?;
    let mut answers = Vec::new();
    let script = Script::new(&mut *solver, &mut answers);
    let ran = script.run(&mut Reader::new(file, sources.file(file).text()));
    match ran {
        Ok(_) => String::from_utf8(answers).map_err(|_| unreadable("its answers are no text")),
        Err(ScriptError::Input(fault)) => Err(unreadable(&fault.message)),
        Err(ScriptError::Solver(error, _)) => {
            let open = matches!(
                error,
                SolveError::Unsupported { .. } | SolveError::External { .. }
            );
            Err((format!("{}: {error}", path.display()), open))
        }
        Err(ScriptError::Output(error)) => Err(unreadable(&error.to_string())),
    }
}
