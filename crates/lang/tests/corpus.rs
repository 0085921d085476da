//! The project's own small models: the folder says what is expected of them.

mod common;

use common::{corpus, load};
use proofmark_lang::lustre::Loaded;
use proofmark_lang::random::{Dice, run};
use proofmark_model::{Outcome, Program, lower};
use proofmark_source::Severity;
use std::path::Path;

#[track_caller]
fn load_whole(path: &Path) -> Loaded {
    let text = std::fs::read_to_string(path).unwrap();
    let (loaded, diagnostics, _) = load(&text);
    loaded.unwrap_or_else(|| panic!("{}: {diagnostics:#?}", path.display()))
}

/// Random runs, some of which keep the assumptions for long enough.
fn outcomes(loaded: &Loaded) -> Vec<Outcome> {
    let lowered = lower(&loaded.model).unwrap();
    let program = Program::compile(&lowered.system).unwrap();
    let mut dice = Dice(7);
    let runs = (0..300).map(|_| run(&program, 10, &mut dice).unwrap());
    runs.collect()
}

#[test]
fn no_random_run_refutes_a_valid_model() {
    for path in corpus("valid") {
        let loaded = load_whole(&path);
        assert!(!loaded.goals.is_empty());
        for outcome in outcomes(&loaded) {
            let refuted: Vec<&str> = outcome
                .refuted()
                .map(|property| loaded.model.goals[property].name.as_str())
                .collect();
            assert!(refuted.is_empty(), "{}: {refuted:?}", path.display());
        }
    }
}

#[test]
fn some_random_run_refutes_an_invalid_model() {
    for path in corpus("invalid") {
        let outcomes = outcomes(&load_whole(&path));
        let refuted = outcomes.iter().any(|outcome| outcome.refuted().count() > 0);
        assert!(refuted, "{}", path.display());
    }
}

#[test]
fn a_wrong_file_gives_errors_with_places_and_no_model() {
    for path in corpus("error") {
        let text = std::fs::read_to_string(&path).unwrap();
        let (loaded, diagnostics, sources) = load(&text);
        assert!(loaded.is_none(), "{}", path.display());
        let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
        assert!(errors.count() > 0, "{}", path.display());
        for diagnostic in diagnostics {
            assert!(sources.place(diagnostic.span).line >= 1);
            assert!(sources.text(diagnostic.span).len() <= text.len());
        }
    }
}
