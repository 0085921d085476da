//! The list of what a certificate consists of: a text file that people can read, too.
//!
//! ```text
//! proofmark certificate 1
//! model 6c1d… examples/switch.lus
//! property Prop1
//! base 9f86… Prop1/base.smt2
//! step 60b7… Prop1/step.smt2
//! implication fd61… Prop1/implication.smt2
//! ```
//!
//! A property of a netlist may have a `circuit` besides, which witnesses its proof.
//!
//! The long numbers are SHA-256 of the files, so that a file that was changed is noticed even when
//! what it says now is true.

use crate::obligation::ObligationPart;
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The name of the file.
pub const MANIFEST: &str = "manifest.txt";

/// The word before a circuit.
const CIRCUIT: &str = "circuit";

const FIRST_LINE: &str = "proofmark certificate 1";

/// What a certificate consists of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Manifest {
    /// The hash and the name of the model's file.
    pub model: Option<(String, String)>,
    /// What was proved, in the order of the properties.
    pub properties: Vec<Entry>,
}

/// The files of one property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The name of the property.
    pub property: String,
    /// Each with its hash and its path in the certificate's folder.
    pub files: Vec<(ObligationPart, String, String)>,
    /// The circuit that witnesses the proof about a netlist, likewise.
    pub circuit: Option<(String, String)>,
}

/// Why a certificate cannot be written or read.
#[derive(Debug)]
pub enum CertificateError {
    /// A file cannot be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        error: io::Error,
    },
    /// Two things would have one name in the files.
    SameName {
        /// The name of the file.
        name: String,
    },
    /// The list of files is not as it should be.
    Manifest {
        /// Where, from 1 on.
        line: usize,
        /// What is wrong there.
        what: String,
    },
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertificateError::File { path, error } => write!(f, "{}: {error}", path.display()),
            CertificateError::SameName { name } => {
                write!(f, "two things of the model would be called {name}")
            }
            CertificateError::Manifest { line, what } => write!(f, "{MANIFEST}:{line}: {what}"),
        }
    }
}
impl std::error::Error for CertificateError {}

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FIRST_LINE}")?;
        if let Some((hash, name)) = &self.model {
            writeln!(f, "model {hash} {}", one_line(name))?;
        }
        for entry in &self.properties {
            writeln!(f, "property {}", one_line(&entry.property))?;
            for (part, hash, path) in &entry.files {
                writeln!(f, "{} {hash} {path}", part.as_str())?;
            }
            if let Some((hash, path)) = &entry.circuit {
                writeln!(f, "{CIRCUIT} {hash} {path}")?;
            }
        }
        Ok(())
    }
}

fn one_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

impl Manifest {
    /// Reads the list of files of a certificate.
    pub fn parse(text: &str) -> Result<Manifest, CertificateError> {
        let mut manifest = Manifest::default();
        let mut lines = (1..).zip(text.lines());
        if lines.next().map(|(_, line)| line) != Some(FIRST_LINE) {
            return Err(wrong(1, format!("expected `{FIRST_LINE}`")));
        }
        for (number, line) in lines {
            manifest
                .take(line)
                .map_err(|what| wrong(number, what.into()))?;
        }
        Ok(manifest)
    }

    fn take(&mut self, line: &str) -> Result<(), &'static str> {
        let (word, rest) = line.split_once(' ').ok_or("expected a word and more")?;
        if word == "property" {
            self.properties.push(Entry {
                property: rest.into(),
                files: Vec::new(),
                circuit: None,
            });
            return Ok(());
        }
        let (hash, name) = rest.split_once(' ').ok_or("expected a hash and a name")?;
        if word == "model" {
            self.model = Some((hash.into(), name.into()));
            return Ok(());
        }
        let entry = self.properties.last_mut();
        let entry = entry.ok_or("expected a property before its files")?;
        if !is_inside(name) {
            return Err("expected a path inside the certificate's folder");
        }
        if word == CIRCUIT {
            return match entry.circuit.replace((hash.into(), name.into())) {
                None => Ok(()),
                Some(_) => Err("expected one circuit at most"),
            };
        }
        let mut parts = ObligationPart::ALL.into_iter();
        let part = parts.find(|part| part.as_str() == word);
        let part = part.ok_or("expected model, property, base, step, implication or circuit")?;
        entry.files.push((part, hash.into(), name.into()));
        Ok(())
    }
}

/// A certificate may come from anywhere; its paths may not lead out of its folder.
fn is_inside(path: &str) -> bool {
    let mut components = Path::new(path).components();
    components.all(|component| matches!(component, Component::Normal(_)))
}

fn wrong(line: usize, what: String) -> CertificateError {
    CertificateError::Manifest { line, what }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let manifest = Manifest {
            model: Some(("ab".into(), "a model.lus".into())),
            properties: vec![Entry {
                property: "x is never 3".into(),
                files: vec![(ObligationPart::Base, "cd".into(), "x/base.smt2".into())],
                circuit: Some(("ef".into(), "x/circuit.x".into())),
            }],
        };
        let read = Manifest::parse(&manifest.to_string()).unwrap();
        assert_eq!(read, manifest);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let wrong = [
            ("", 1),
            ("proofmark certificate 2", 1),
            ("proofmark certificate 1\nbase ab x/base.smt2", 2),
            (
                "proofmark certificate 1\nproperty p\nbase ab ../base.smt2",
                3,
            ),
            ("proofmark certificate 1\nproperty p\nbase ab /base.smt2", 3),
            ("proofmark certificate 1\nproperty p\nbass ab base.smt2", 3),
        ];
        for (text, line) in wrong {
            let error = Manifest::parse(text).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("manifest.txt:{line}: ")),
                "{error}"
            );
        }
    }
}
