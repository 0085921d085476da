//! The folder of `--certificate`: what is in it afterwards is of this run. A certificate that a former run left
//! there goes, also when this one proves nothing; otherwise it would speak of a model that is no more.

use crate::arguments::Check;
use crate::exit::Exit;
use crate::terminal;
use proofmark_audit::{CertificateError, CertifiedModel, Listed, Manifest, remove_certificate};
use proofmark_source::sha256;
use std::path::Path;

/// Writes the certificate of what is proved, if it is asked for.
pub fn write(
    arguments: &Check,
    model: &[u8],
    nothing_proved: bool,
    write: impl FnOnce(&Path, &CertifiedModel) -> Result<Manifest, CertificateError>,
) -> Result<(), Exit> {
    let Some(folder) = &arguments.certificate else {
        return Ok(());
    };
    let failed = |error: CertificateError| {
        terminal::error(&format!("cannot write the certificate: {error}"));
        Exit::Internal
    };
    if nothing_proved {
        let what = match remove_certificate(folder).map_err(failed)? {
            true => {
                "nothing was proved: the certificate that a former run left in the folder no longer holds, and \
                 is removed"
            }
            false => "nothing was proved, so there is nothing to certify",
        };
        terminal::warning(what);
        return Ok(());
    }
    write(folder, &certified_model(arguments, model)).map_err(failed)?;
    Ok(())
}

fn certified_model(arguments: &Check, model: &[u8]) -> CertifiedModel {
    let subject = &arguments.subject;
    CertifiedModel {
        file: Listed {
            hash: sha256(model),
            path: subject.file.clone(),
        },
        language: subject.language.clone(),
        main: subject.main.clone(),
        includes: subject.include.clone(),
    }
}
