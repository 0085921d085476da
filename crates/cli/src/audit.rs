//! `proofmark audit`: checks a certificate with whatever solver its reader trusts.

use crate::arguments::Audit;
use crate::exit::Exit;
use crate::{circuits, terminal};
use proofmark_audit::{Checked, auditor, check_certificate};
use proofmark_lang::Languages;
use std::fmt::Write as _;
use std::io::Write as _;

pub fn run(arguments: &Audit, languages: Languages) -> Exit {
    let name = arguments.solver.as_deref();
    if let Err(error) = auditor(name) {
        terminal::error(&error.to_string());
        return Exit::Usage;
    }
    let mut checked = match check_certificate(&arguments.folder, &|| auditor(name)) {
        Ok(checked) => checked,
        Err(error) => {
            let hint = match arguments.folder.join(proofmark_audit::MANIFEST).exists() {
                true => "",
                false => {
                    "; a certificate is a folder that `proofmark check --certificate DIR` wrote"
                }
            };
            terminal::error(&format!("cannot read the certificate: {error}{hint}"));
            return Exit::Input;
        }
    };
    if let Err(exit) = circuits::check(arguments, languages, &mut checked) {
        return exit;
    }
    let mut text = String::new();
    for one in &checked {
        write_lines(one, &mut text);
    }
    if let Err(error) = std::io::stdout().write_all(text.as_bytes())
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        return Exit::Internal;
    }
    let complaints = || checked.iter().flat_map(|one| &one.complaints);
    if complaints().next().is_none() {
        Exit::Fine
    } else if complaints().all(|complaint| complaint.open) {
        Exit::Inconclusive
    } else {
        Exit::Internal
    }
}

/// One line a property, and one more for each complaint.
fn write_lines(checked: &Checked, text: &mut String) {
    let verdict = match &checked.complaints[..] {
        [] => "PASSED",
        complaints if complaints.iter().all(|complaint| complaint.open) => "UNKNOWN",
        _ => "FAILED",
    };
    // Writing to a string does not fail.
    let _ = writeln!(text, "{verdict:<8} {}", checked.property);
    for complaint in &checked.complaints {
        let _ = writeln!(text, "  {}: {}", complaint.part, complaint.what);
    }
}
