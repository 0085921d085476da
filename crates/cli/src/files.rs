//! The models that a command line names, with folders opened.
//!
//! A folder stands for the files below it whose extension tells a language, in the order of their
//! paths, so that two runs see the same models in the same order. A file that is named is taken
//! whatever its extension; one that is named twice is taken once. Folders and files whose names begin
//! with a dot are left out of folders, and links to folders are not followed, which could go in circles.

use crate::exit::Exit;
use crate::input::STANDARD_INPUT;
use crate::terminal;
use proofmark_lang::Languages;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// The models to look at.
#[derive(PartialEq, Eq, Debug)]
pub enum Models {
    /// One, named as a file.
    One(String),
    /// One program in several files, which the command line names.
    Program(Vec<String>),
    /// Several, or a folder even with one model in it: what a report looks like must not depend on how
    /// many there are at the moment.
    Several(Vec<String>),
}

/// The models that names stand for. What is wrong has been printed.
pub fn expand(names: &[String], languages: Languages) -> Result<Models, Exit> {
    if let [name] = names
        && !Path::new(name).is_dir()
    {
        return Ok(Models::One(name.clone()));
    }
    if names.iter().any(|name| name == STANDARD_INPUT) {
        terminal::error("standard input is one model; name no others beside `-`");
        return Err(Exit::Usage);
    }
    if names.iter().all(|name| is_of_program(name, languages)) {
        return Ok(Models::Program(names.to_vec()));
    }
    let (mut files, mut seen) = (Vec::new(), BTreeSet::new());
    for name in names {
        for file in models(name, languages)? {
            let path = Path::new(&file);
            if seen.insert(path.canonicalize().unwrap_or_else(|_| path.into())) {
                files.push(file);
            }
        }
    }
    Ok(Models::Several(files))
}

/// Whether a name is that of a file in a language of programs: all of them together are one.
fn is_of_program(name: &str, languages: Languages) -> bool {
    let language = languages.choose(name, None);
    !Path::new(name).is_dir() && language.is_ok_and(|language| language.program.is_some())
}

/// The models that one name stands for.
fn models(name: &str, languages: Languages) -> Result<Vec<String>, Exit> {
    if !Path::new(name).is_dir() {
        return Ok(vec![name.to_string()]);
    }
    let mut found = Vec::new();
    walk(Path::new(name), languages, &mut found).map_err(|error| {
        terminal::error(&format!("cannot read the folder {name}: {error}"));
        Exit::Input
    })?;
    if found.is_empty() {
        let languages = languages.0.iter();
        let known = languages.flat_map(|one| one.extensions.iter().map(|end| format!(".{end}")));
        let known: Vec<String> = known.collect();
        terminal::error(&format!(
            "{name} has no models in it: no file below it ends in {}",
            known.join(", ")
        ));
        return Err(Exit::Usage);
    }
    found.sort();
    let names = found.iter().map(|path| {
        // What is in the folder where we are goes by its name alone.
        let path = path.strip_prefix(".").unwrap_or(path);
        path.to_string_lossy().into_owned()
    });
    Ok(names.collect())
}

/// Adds the models below a folder.
fn walk(folder: &Path, languages: Languages, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            walk(&path, languages, found)?;
        } else if path.is_file() && languages.choose(&path.to_string_lossy(), None).is_ok() {
            found.push(path);
        }
    }
    Ok(())
}
