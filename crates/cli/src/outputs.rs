//! The files that a run writes, looked at before the work begins: a campaign of an hour must not be lost
//! to a slip in a name.
//!
//! A file that is there is opened and left as it is; one that is not there is made and removed again. What
//! cannot be written later, as when a disk is full, is told, keeps nothing else from being written, and leaves
//! what was there.

use crate::exit::Exit;
use crate::terminal;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// An option and the file it names, if it names one.
pub type Output<'a> = (&'static str, Option<&'a PathBuf>);

/// Whether every file can be written, and each by one option only. What is wrong has been printed.
pub fn check(outputs: &[Output<'_>]) -> Result<(), Exit> {
    let named = outputs.iter();
    let named = named.filter_map(|(option, path)| Some((*option, path.as_ref()?.as_path())));
    let named: Vec<(&str, &Path)> = named.collect();
    for (at, (option, path)) in named.iter().enumerate() {
        let same = |(_, other): &&(&str, &Path)| other == path && !is_device(path);
        if let Some((other, _)) = named[..at].iter().find(same) {
            let path = path.display();
            terminal::error(&format!("--{other} and --{option} both write to {path}"));
            return Err(Exit::Usage);
        }
        check_file(path).map_err(|error| {
            let path = path.display();
            terminal::error(&format!("--{option}: cannot write {path}: {error}"));
            Exit::Usage
        })?;
    }
    Ok(())
}

/// Two reports may go to the same terminal or to nowhere.
fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Whether a folder can be used: it is one, or it can be made. It is left as it is.
pub fn check_folder(option: &str, path: Option<&PathBuf>) -> Result<(), Exit> {
    let Some(path) = path.filter(|path| !path.is_dir()) else {
        return Ok(());
    };
    let shown = path.display();
    if path.exists() {
        terminal::error(&format!(
            "--{option}: expected a folder, found the file {shown}"
        ));
        return Err(Exit::Usage);
    }
    try_folder(path).map_err(|error| {
        terminal::error(&format!(
            "--{option}: cannot make the folder {shown}: {error}"
        ));
        Exit::Usage
    })
}

/// Makes a folder with all that are above it, and removes those that were not there before.
fn try_folder(path: &Path) -> io::Result<()> {
    let missing = path.ancestors().take_while(|one| !one.exists());
    let missing: Vec<&Path> = missing.filter(|one| !one.as_os_str().is_empty()).collect();
    let made = fs::create_dir_all(path);
    for one in missing.into_iter().filter(|one| one.is_dir()) {
        fs::remove_dir(one)?;
    }
    made
}

/// Whether a file can be written. It is left as it is.
pub fn check_file(path: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            OpenOptions::new().write(true).create_new(true).open(path)?;
            fs::remove_file(path)
        }
        Err(error) => Err(error),
    }
}

/// Writes a file beside its place, and puts it there when it is whole: when a disk is full, what a former run left
/// is still there. What is no file, such as a terminal, and what a link leads to is written where it is.
pub fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let former = fs::metadata(&place).ok();
    if former.as_ref().is_some_and(|found| !found.is_file()) {
        return fs::write(&place, contents);
    }
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let beside = place.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let mut file = match OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&beside)
    {
        // The file may be changed, and nothing may be put beside it.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && former.is_some() => {
            return fs::write(&place, contents);
        }
        opened => opened?,
    };
    let written = file
        .write_all(contents)
        .and_then(|()| file.sync_data())
        .and_then(|()| match &former {
            Some(former) => fs::set_permissions(&beside, former.permissions()),
            None => Ok(()),
        })
        .and_then(|()| fs::rename(&beside, &place));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// What came of several outputs, all of which were tried: the first that failed.
pub fn all(written: impl IntoIterator<Item = Result<(), Exit>>) -> Result<(), Exit> {
    let failed: Vec<Exit> = written.into_iter().filter_map(Result::err).collect();
    failed.first().map_or(Ok(()), |exit| Err(*exit))
}

/// Writes a file, if it is wanted.
pub fn write<C: AsRef<[u8]>>(
    path: Option<&PathBuf>,
    contents: impl FnOnce() -> Result<C, Exit>,
) -> Result<(), Exit> {
    match path {
        Some(path) => crate::session::write_file(path, contents()?),
        None => Ok(()),
    }
}
