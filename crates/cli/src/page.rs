//! `--html FILE`: the findings as a page, beside whatever else is printed.
//!
//! The page of a campaign also shows what each element is to the proofs, which the campaign itself
//! does not ask. That is asked for the page alone, and before the campaign, so that it is known
//! even when that is cut short; it may take as long as the proofs did.

use crate::arguments::Printing;
use crate::elements;
use crate::exit::Exit;
use crate::ivc::{Patience, Subject};
use crate::models::Report;
use crate::session::{self, Session};
use crate::terminal;
use proofmark_quality::{Elements, Grain, Verified};
use proofmark_report::{CoreFinding, ElementFinding, Findings, html};
use proofmark_source::{SourceFile, Sources, sha256};
use std::path::Path;
use std::time::{Duration, Instant};

/// What the cores may take even when the proofs took no time.
const LEAST: Duration = Duration::from_secs(10);
/// For the engines, each time that a removal is put to them.
const BUDGET: Duration = Duration::from_secs(1);

/// The page of a command that examined models, if it is wanted.
pub fn write(printing: &Printing, report: &Report<'_>) -> Result<(), Exit> {
    match &printing.html {
        Some(path) => write_to(path, report.page, report.sources),
        None => Ok(()),
    }
}

/// What elements are to the proofs.
#[derive(Default)]
pub struct Roles {
    elements: Vec<ElementFinding>,
    cores: Vec<CoreFinding>,
}

/// The roles of the elements, if a page is wanted.
pub fn roles(
    printing: &Printing,
    session: &Session<'_>,
    verified: &Verified,
) -> Result<Roles, Exit> {
    if printing.html.is_none() {
        return Ok(Roles::default());
    }
    let time = LEAST.max(Duration::from_secs_f64(session.seconds()));
    let ends = [session.deadline(), Instant::now().checked_add(time)];
    let patience = Patience {
        budget: BUDGET,
        deadline: ends.into_iter().flatten().min(),
    };
    // Mutants are in the elements of the source, all instances of one together.
    let counted = Elements::of(&session.annotated(), Grain::Source);
    let mut elements = elements::findings(session, &counted);
    let mut cores = Vec::new();
    for subject in Subject::each(session, verified) {
        cores.extend(subject.roles(session, &counted, &mut elements, patience)?);
    }
    Ok(Roles { elements, cores })
}

impl Roles {
    /// What the page of a campaign shows, if it is wanted: the roles of the elements besides.
    pub fn page(self, printing: &Printing, findings: &Findings) -> Option<Findings> {
        printing.html.as_ref()?;
        Some(Findings {
            elements: self.elements,
            cores: self.cores,
            ..findings.clone()
        })
    }
}

/// The page of a campaign that was put together; its model may have moved or changed since.
pub fn write_merged(printing: &Printing, findings: &Findings) -> Result<(), Exit> {
    let Some(path) = &printing.html else {
        return Ok(());
    };
    let mut sources = Sources::default();
    let mut files = Vec::new();
    for input in &findings.inputs {
        let text = std::fs::read_to_string(&input.file).ok();
        let same = text.filter(|text| sha256(text.as_bytes()) == input.hash);
        match same.and_then(|text| sources.add(input.file.clone(), text).ok()) {
            Some(id) => files.push(id),
            None => terminal::warning(&format!(
                "the page is without the text of {}: the file has changed since then",
                input.file
            )),
        }
    }
    let files: Vec<&SourceFile> = files.into_iter().map(|id| sources.file(id)).collect();
    write_to(path, findings, &files)
}

fn write_to(path: &Path, findings: &Findings, sources: &[&SourceFile]) -> Result<(), Exit> {
    let page = html(findings, sources).map_err(|error| {
        terminal::error(&format!("cannot write the page: {error}"));
        Exit::Internal
    })?;
    session::write_file(path, &page)
}
