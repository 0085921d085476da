//! The files of a certificate, which may come from anywhere: what is read lies in its folder, is a file that ends,
//! and is the one that was listed.

use crate::manifest::{CertificateError, Listed, MANIFEST, Manifest};
use proofmark_source::{printable, sha256};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Places in files are 32 bits wide.
const LIMIT: u64 = u32::MAX as u64;

/// The list of what a certificate consists of.
pub fn read_manifest(folder: &Path) -> Result<Manifest, CertificateError> {
    let text = read_file(folder, MANIFEST).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|_| io::Error::other("it is not text in UTF-8"))
    });
    let text = text.map_err(|error| CertificateError::File {
        path: folder.join(MANIFEST),
        error,
    })?;
    Manifest::parse(&text)
}

/// The text of a file that is listed, unless it was changed or is none.
pub(crate) fn read_text(folder: &Path, listed: &Listed) -> Result<String, String> {
    let bytes = read_listed(folder, listed)?;
    String::from_utf8(bytes)
        .map_err(|_| format!("{} is not text in UTF-8", printable(&listed.path)))
}

/// A file that is listed, unless it was changed.
pub fn read_listed(folder: &Path, listed: &Listed) -> Result<Vec<u8>, String> {
    let shown = printable(&listed.path);
    let bytes = read_file(folder, &listed.path).map_err(|error| format!("{shown}: {error}"))?;
    match sha256(&bytes) == listed.hash {
        true => Ok(bytes),
        false => Err(format!("{shown} was changed since it was certified")),
    }
}

fn read_file(folder: &Path, path: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(find(folder, path)?)?;
    file.take(LIMIT).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file below a folder, to which no link leads.
fn find(folder: &Path, path: &str) -> io::Result<PathBuf> {
    let mut place = folder.to_path_buf();
    for component in Path::new(path).components() {
        place.push(component);
        if fs::symlink_metadata(&place)?.is_symlink() {
            let what = "a link, and a certificate has none: its files are in its folder";
            return Err(io::Error::other(what));
        }
    }
    match fs::metadata(&place)?.is_file() {
        true => Ok(place),
        false => Err(io::Error::other("this is no file")),
    }
}

/// Removes the certificate of a former run, if there is one: the list first, so that what is left of an
/// interrupted removal is no certificate, then what it listed. Whether there was one.
pub fn remove_certificate(folder: &Path) -> Result<bool, CertificateError> {
    let manifest = folder.join(MANIFEST);
    let failed = |path: &Path, error| CertificateError::File {
        path: path.into(),
        error,
    };
    let listed = read_manifest(folder).map(|manifest| manifest.files());
    match fs::remove_file(&manifest) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(failed(&manifest, error)),
    }
    for path in listed.unwrap_or_default() {
        let place = folder.join(&path);
        // What is no file of ours, or no longer there, stays as it is; so does a folder that has more in it.
        if find(folder, &path).is_ok() {
            let _ = fs::remove_file(&place);
            let _ = place.parent().map(fs::remove_dir);
        }
    }
    Ok(true)
}
