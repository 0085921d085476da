//! The project's own small models: the folder says what is expected of them.

mod common;

use common::{corpus, load};
use proofmark_lang::lustre::{Loaded, Part, print};
use proofmark_lang::random::{Dice, run};
use proofmark_model::{ElementId, Program, RunResult, lower};
use proofmark_source::Severity;
use std::collections::BTreeSet;
use std::path::Path;

#[track_caller]
fn load_whole(path: &Path) -> Loaded {
    let text = std::fs::read_to_string(path).unwrap();
    let (loaded, diagnostics, _) = load(&text);
    loaded.unwrap_or_else(|| panic!("{}: {diagnostics:#?}", path.display()))
}

/// Random runs, some of which keep the assumptions for long enough.
fn outcomes(loaded: &Loaded) -> Vec<RunResult> {
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

/// Also of an unguarded `pre` whose arbitrary value has a range.
#[test]
fn no_random_run_refutes_a_valid_model_that_was_printed() {
    for path in corpus("valid") {
        let loaded = load_whole(&path);
        let model = &loaded.model;
        let equations = (0..model.equations.len() as u32).map(ElementId).collect();
        let goals: Vec<usize> = (0..model.goals.len()).collect();
        let name = "printed";
        let text = print(&Part {
            model,
            name,
            equations: &equations,
            goals: &goals,
        });
        let (printed, diagnostics, _) = load(&text);
        let printed = printed.unwrap_or_else(|| panic!("{diagnostics:#?}\n{text}"));
        let outcomes = outcomes(&printed);
        let refuted = outcomes.iter().any(|outcome| outcome.refuted().count() > 0);
        assert!(!refuted, "{}:\n{text}", path.display());
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

/// Each line that has an error says so in a comment, and no other line has one. What is understood
/// but wrong comes with a hint; what cannot be read says what was expected.
#[test]
fn a_wrong_file_gives_every_error_with_its_place_and_a_hint() {
    for path in corpus("error") {
        let text = std::fs::read_to_string(&path).unwrap();
        let (loaded, diagnostics, sources) = load(&text);
        assert!(loaded.is_none(), "{}", path.display());
        let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
        let mut found = BTreeSet::new();
        for error in errors {
            let advice = error.hint.is_some() || error.message.contains("expected");
            assert!(advice, "{}: no hint: {error:?}", path.display());
            found.insert(sources.place(error.span).line as usize);
        }
        let lines = text.lines().enumerate();
        let wanted = lines.filter(|(_, line)| line.ends_with("-- error"));
        let wanted: BTreeSet<usize> = wanted.map(|(at, _)| at + 1).collect();
        assert_eq!(found, wanted, "{}: {diagnostics:#?}", path.display());
    }
}
