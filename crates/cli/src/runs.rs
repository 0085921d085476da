//! Counterexamples of models for other tools: witnesses that they replay (`--trace`), and tests that fail in
//! a simulator (`--export-test`). What they look like is a matter of the language.

use crate::arguments::Check;
use crate::exit::Exit;
use crate::session::{self, Opened, Session};
use crate::{outputs, terminal};
use proofmark_lang::{SimulatorTest, WordRun};
use proofmark_quality::{Verdict, Verified};

/// Whoever asks for what the language does not have is told before the work begins.
pub fn refuse(arguments: &Check, opened: &Opened) -> Result<(), Exit> {
    let name = opened.language().name;
    if arguments.trace.is_some() && opened.design_language().word_witness.is_none() {
        terminal::error(&format!(
            "--trace writes witnesses of designs, and there is no such format for a {name} model; `proofmark \
             convert` makes a design of a finite one, and --vcd or --json show its runs"
        ));
        return Err(Exit::Usage);
    }
    if arguments.export_test.is_some() && opened.language().simulator_test.is_none() {
        terminal::error(&format!(
            "--export-test writes tests for simulators, and there is none for a {name} model; --vcd, --trace \
             or --json show its runs"
        ));
        return Err(Exit::Usage);
    }
    Ok(())
}

/// The runs of all that is refuted.
fn runs<'a>(session: &'a Session<'_>, verified: &'a Verified) -> Vec<WordRun<'a>> {
    let judgements = verified.judgements.iter();
    let runs = judgements.filter_map(|judgement| match &judgement.verdict {
        Verdict::Invalid { refutation, .. } => Some(WordRun {
            loaded: &session.loaded,
            goal: judgement.property,
            trace: &refutation.trace,
            steps: refutation.step as usize + 1,
        }),
        _ => None,
    });
    runs.collect()
}

/// Writes a witness for all that is refuted, one after the other.
pub fn write_witnesses(
    arguments: &Check,
    session: &Session<'_>,
    verified: &Verified,
) -> Result<(), Exit> {
    let Some(write) = session.design.0.word_witness else {
        return Ok(());
    };
    outputs::write(arguments.trace.as_ref(), || {
        let text: String = runs(session, verified).iter().map(write).collect();
        if text.is_empty() {
            terminal::warning("nothing is refuted, so there is no witness to write");
        }
        Ok(text)
    })
}

/// Writes a test for all that is refuted, a file each.
pub fn write_tests(
    arguments: &Check,
    session: &Session<'_>,
    verified: &Verified,
) -> Result<(), Exit> {
    let (Some(folder), Some(write)) = (&arguments.export_test, session.language.simulator_test)
    else {
        return Ok(());
    };
    let runs = runs(session, verified);
    if runs.is_empty() {
        terminal::warning("nothing is refuted, so there is no test to write");
        return Ok(());
    }
    std::fs::create_dir_all(folder).map_err(|error| {
        let folder = folder.display();
        terminal::error(&format!("--export-test: cannot make {folder}: {error}"));
        Exit::Internal
    })?;
    let written = runs.into_iter().map(|run| {
        let property = &session.loaded.model.goals[run.goal].name;
        let test = write(&SimulatorTest {
            run,
            file: &arguments.subject.file,
            text: session.text(),
            translated: session.sources.file(session.design.1).text(),
        });
        let test = test.map_err(|why| {
            terminal::error(&format!("there is no test for {property}: {why}"));
            Exit::Input
        })?;
        for warning in &test.warnings {
            terminal::warning(&format!("the test for {property}: {warning}"));
        }
        let files = test.files.iter();
        outputs::all(files.map(|(name, text)| session::write_file(&folder.join(name), text)))
    });
    outputs::all(written)
}
