//! The list of what a certificate consists of: a text file that people can read, too.
//!
//! ```text
//! proofmark certificate 2
//! model 6c1d… examples/switch.lus
//! cone Prop1
//! property Prop1
//! depth 1
//! proof 77ab… Prop1/proof.smt2
//! base 9f86… Prop1/base.smt2
//! step 60b7… Prop1/step.smt2
//! implication fd61… Prop1/implication.smt2
//! ```
//!
//! The model may be followed by how it is to be read (`language`, `main`, `include`), and by the properties whose
//! cone the proofs speak of. A property of a netlist may have a `circuit` besides, which witnesses its proof.
//!
//! The long numbers are SHA-256 of the files, so that a file that was changed is noticed even when
//! what it says now is true. Whoever forges a certificate writes its hashes as well: what the certificate is
//! worth is found out from the model alone.

use crate::obligation::ObligationPart;
use proofmark_source::printable;
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The name of the file.
pub const MANIFEST: &str = "manifest.txt";

/// The words before a proof and a circuit.
const PROOF: &str = "proof";
const CIRCUIT: &str = "circuit";

const FIRST_LINE: &str = "proofmark certificate 2";

/// What every certificate begins with, whatever its version.
const ANY_VERSION: &str = "proofmark certificate ";

/// What a certificate consists of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Manifest {
    /// The model, and how it was read.
    pub model: Option<CertifiedModel>,
    /// The names of the properties whose cone the proofs speak of.
    pub cone: Vec<String>,
    /// What was proved, in the order of the properties.
    pub properties: Vec<Entry>,
}

/// The model that a certificate is about.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CertifiedModel {
    /// The hash and the name of its file.
    pub file: Listed,
    /// The language, where the name of the file does not tell it.
    pub language: Option<String>,
    /// The main node, where it is not the one that the model marks.
    pub main: Option<String>,
    /// Folders with files that it includes.
    pub includes: Vec<String>,
}

/// A file with its hash.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listed {
    /// SHA-256 of the file.
    pub hash: String,
    /// Where it is: a path in the certificate's folder, or the model's.
    pub path: String,
}

/// The files of one property.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Entry {
    /// The name of the property.
    pub property: String,
    /// The depth of the induction.
    pub depth: u32,
    /// What is inductive together with the property.
    pub proof: Vec<Listed>,
    /// The scripts.
    pub files: Vec<(ObligationPart, Listed)>,
    /// The circuit that witnesses the proof about a netlist.
    pub circuit: Option<Listed>,
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
    /// A proof that was written does not read back.
    Proof {
        /// What is wrong.
        what: String,
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
            CertificateError::Proof { what } => write!(f, "the proof cannot be written: {what}"),
            CertificateError::Manifest { line, what } => write!(f, "{MANIFEST}:{line}: {what}"),
        }
    }
}
impl std::error::Error for CertificateError {}

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FIRST_LINE}")?;
        if let Some(model) = &self.model {
            write_listed(f, "model", &model.file)?;
            let words = [("language", &model.language), ("main", &model.main)];
            for (word, value) in words {
                if let Some(value) = value {
                    writeln!(f, "{word} {}", printable(value))?;
                }
            }
            for include in &model.includes {
                writeln!(f, "include {}", printable(include))?;
            }
        }
        for name in &self.cone {
            writeln!(f, "cone {}", printable(name))?;
        }
        for entry in &self.properties {
            writeln!(f, "property {}", printable(&entry.property))?;
            writeln!(f, "depth {}", entry.depth)?;
            for listed in &entry.proof {
                write_listed(f, PROOF, listed)?;
            }
            for (part, listed) in &entry.files {
                write_listed(f, part.as_str(), listed)?;
            }
            if let Some(listed) = &entry.circuit {
                write_listed(f, CIRCUIT, listed)?;
            }
        }
        Ok(())
    }
}

fn write_listed(f: &mut fmt::Formatter<'_>, word: &str, listed: &Listed) -> fmt::Result {
    writeln!(f, "{word} {} {}", listed.hash, printable(&listed.path))
}

impl Manifest {
    /// The paths of all files that it lists, in the certificate's folder.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = self.properties.iter();
        let files = entries.flat_map(|entry| {
            let scripts = entry.files.iter().map(|(_, listed)| listed);
            entry.proof.iter().chain(scripts).chain(&entry.circuit)
        });
        files.map(|listed| listed.path.clone()).collect()
    }

    /// Reads the list of files of a certificate.
    pub fn parse(text: &str) -> Result<Manifest, CertificateError> {
        let mut manifest = Manifest::default();
        let mut lines = (1..).zip(text.lines());
        let first = lines.next().map_or("", |(_, line)| line);
        if first.starts_with(ANY_VERSION) && first != FIRST_LINE {
            let what = "another version of Proofmark wrote the certificate; write it anew with `proofmark check \
                        --certificate`";
            return Err(wrong(1, what.into()));
        }
        if first != FIRST_LINE {
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
        match word {
            "property" => {
                if self.properties.iter().any(|one| one.property == rest) {
                    return Err("the property is listed twice");
                }
                self.properties.push(Entry {
                    property: rest.into(),
                    ..Entry::default()
                });
                Ok(())
            }
            "cone" => {
                self.cone.push(rest.into());
                Ok(())
            }
            "language" | "main" | "include" => self.take_option(word, rest),
            "model" => match self.model {
                Some(_) => Err("expected one model"),
                None => {
                    self.model = Some(CertifiedModel {
                        file: listed(rest)?,
                        ..CertifiedModel::default()
                    });
                    Ok(())
                }
            },
            _ => {
                let entry = self.properties.last_mut();
                let entry = entry.ok_or("expected a property before its files")?;
                entry.take(word, rest)
            }
        }
    }

    /// How the model is to be read.
    fn take_option(&mut self, word: &str, value: &str) -> Result<(), &'static str> {
        let model = self.model.as_mut();
        let model = model.ok_or("expected a model before how it is read")?;
        let place = match word {
            "language" => &mut model.language,
            "main" => &mut model.main,
            _ => {
                model.includes.push(value.into());
                return Ok(());
            }
        };
        match place.replace(value.into()) {
            None => Ok(()),
            Some(_) => Err("expected one language and one main node at most"),
        }
    }
}

impl Entry {
    fn take(&mut self, word: &str, rest: &str) -> Result<(), &'static str> {
        if word == "depth" {
            let depth = rest.parse().ok().filter(|depth| *depth > 0);
            let depth = depth.ok_or("expected the depth of an induction, from 1 on")?;
            return match std::mem::replace(&mut self.depth, depth) {
                0 => Ok(()),
                _ => Err("expected one depth"),
            };
        }
        let listed = listed(rest)?;
        if !is_inside(&listed.path) {
            return Err("expected a path inside the certificate's folder");
        }
        if word == PROOF {
            self.proof.push(listed);
            return Ok(());
        }
        if word == CIRCUIT {
            return match self.circuit.replace(listed) {
                None => Ok(()),
                Some(_) => Err("expected one circuit at most"),
            };
        }
        let mut parts = ObligationPart::ALL.into_iter();
        let part = parts.find(|part| part.as_str() == word);
        let part = part.ok_or(
            "expected model, cone, property, depth, proof, base, step, implication or circuit",
        )?;
        self.files.push((part, listed));
        Ok(())
    }
}

fn listed(rest: &str) -> Result<Listed, &'static str> {
    let (hash, path) = rest.split_once(' ').ok_or("expected a hash and a name")?;
    Ok(Listed {
        hash: hash.into(),
        path: path.into(),
    })
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

    fn file(hash: &str, path: &str) -> Listed {
        Listed {
            hash: hash.into(),
            path: path.into(),
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let manifest = Manifest {
            model: Some(CertifiedModel {
                file: file("ab", "a model.lus"),
                language: Some("lustre".into()),
                main: Some("top".into()),
                includes: vec!["some where".into()],
            }),
            cone: vec!["x is never 3".into(), "y".into()],
            properties: vec![Entry {
                property: "x is never 3".into(),
                depth: 3,
                proof: vec![file("01", "x/proof.smt2")],
                files: vec![(ObligationPart::Base, file("cd", "x/base.smt2"))],
                circuit: Some(file("ef", "x/circuit.x")),
            }],
        };
        let read = Manifest::parse(&manifest.to_string()).unwrap();
        assert_eq!(read, manifest);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let wrong = [
            ("", 1),
            ("proofmark certificate 1", 1),
            ("base ab x/base.smt2", 2),
            ("property p\nbase ab ../base.smt2", 3),
            ("property p\nbase ab /base.smt2", 3),
            ("property p\nbass ab base.smt2", 3),
            ("property p\nproperty p", 3),
            ("property p\ndepth 0", 3),
            ("property p\ndepth 1\ndepth 2", 4),
            ("model ab a\nmodel ab a", 3),
            ("main top", 2),
        ];
        for (text, line) in wrong {
            let whole = match line {
                1 => text.to_string(),
                _ => format!("{FIRST_LINE}\n{text}"),
            };
            let error = Manifest::parse(&whole).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("manifest.txt:{line}: ")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_name_never_makes_a_line_of_its_own() {
        let hostile = "p\nbase ab x\n\u{1b}[2K";
        let manifest = Manifest {
            properties: vec![Entry {
                property: hostile.into(),
                depth: 1,
                ..Entry::default()
            }],
            ..Manifest::default()
        };
        let read = Manifest::parse(&manifest.to_string()).unwrap();
        assert_eq!(read.properties[0].property, printable(hostile));
        assert!(read.properties[0].files.is_empty());
    }
}
