//! Every engine on every small model of the corpus: the folder is the verdict.

use proofmark_engine::{EngineName, EngineVerdict, Frames, Limits, check};
use proofmark_lang::lustre;
use proofmark_model::{Invariant, Program, Proof, Sort, System, Term, lower, slice};
use proofmark_solve::{Answer, Embedded, EmbeddedOptions, Solver};
use proofmark_source::Sources;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn models(verdict: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/lustre");
    let entries = std::fs::read_dir(root.join(verdict)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

fn system(path: &Path) -> System {
    let mut sources = Sources::default();
    let text = std::fs::read_to_string(path).unwrap();
    let file = sources.add(path.display().to_string(), text).unwrap();
    let (loaded, diagnostics) = lustre::load(&sources, file, &lustre::Options::default());
    let model = loaded
        .unwrap_or_else(|| panic!("{}: {diagnostics:?}", path.display()))
        .model;
    let system = lower(&model).unwrap().system;
    let properties: Vec<usize> = (0..system.properties().len()).collect();
    slice(&system, &properties).system
}

fn verdicts(
    system: &System,
    engines: &[EngineName],
    jobs: usize,
    seconds: u64,
) -> Vec<EngineVerdict> {
    let limits = Limits {
        engines: engines.to_vec(),
        jobs,
        time: Some(Duration::from_secs(seconds)),
        ..Limits::default()
    };
    verdicts_within(system, &limits)
}

fn verdicts_within(system: &System, limits: &Limits) -> Vec<EngineVerdict> {
    let program = Program::compile(system).unwrap();
    let make = || Ok(Box::new(Embedded::default()) as Box<dyn Solver>);
    let outcomes = check(system, &program, limits, &make, &mut |_| {}).unwrap();
    outcomes
        .into_iter()
        .map(|outcome| outcome.verdict)
        .collect()
}

/// Checks a proof from the outside: base and step, by a solver that does no preprocessing.
fn assert_proof(system: &System, property: Term, proof: &Proof) {
    let solver = || {
        Box::new(Embedded::new(EmbeddedOptions {
            preprocessing: false,
        }))
    };
    let mut terms: Vec<Term> = proof
        .invariants
        .iter()
        .map(|invariant| invariant.term)
        .collect();
    terms.push(property);
    let whole = Term::and(&terms);
    let mut base = Frames::new(system, solver());
    base.assert_init().unwrap();
    let mut step = Frames::new(system, solver());
    step.assert_state().unwrap();
    for at in 0..proof.k {
        if at > 0 {
            base.assert_step(at).unwrap();
        }
        let violated = base.at(whole, at).not();
        assert_eq!(
            base.solver.check(&[violated]),
            Ok(Answer::Unsat),
            "base at {at}"
        );
        step.assert_at(whole, at).unwrap();
        step.assert_step(at + 1).unwrap();
    }
    let violated = step.at(whole, proof.k).not();
    assert_eq!(step.solver.check(&[violated]), Ok(Answer::Unsat), "step");
}

fn assert_agrees(path: &Path, expected: &str, verdict: &EngineVerdict, system: &System, at: usize) {
    let name = format!("{}: {}", path.display(), system.properties()[at].name);
    match verdict {
        EngineVerdict::Valid { proof, .. } => {
            assert_eq!(expected, "valid", "{name}");
            assert_proof(system, system.properties()[at].term, proof);
        }
        EngineVerdict::Invalid { refutation, .. } => {
            assert_eq!(expected, "invalid", "{name}");
            let program = Program::compile(system).unwrap();
            let outcome = program.machine().judge(&refutation.trace);
            assert_eq!(
                outcome.refuted_at(at),
                Some(refutation.step as usize),
                "{name}"
            );
        }
        EngineVerdict::Unknown { .. } => {}
    }
}

#[test]
fn the_portfolio_proves_what_is_valid() {
    for path in models("valid") {
        let system = system(&path);
        for jobs in [1, 2] {
            for (at, verdict) in verdicts(&system, &EngineName::ALL, jobs, 60)
                .iter()
                .enumerate()
            {
                assert!(
                    matches!(verdict, EngineVerdict::Valid { .. }),
                    "{}: {verdict:?}",
                    path.display()
                );
                assert_agrees(&path, "valid", verdict, &system, at);
            }
        }
    }
}

#[test]
fn the_portfolio_refutes_what_is_invalid() {
    for path in models("invalid") {
        let system = system(&path);
        let verdicts = verdicts(&system, &EngineName::ALL, 2, 60);
        let refuted = verdicts
            .iter()
            .filter(|verdict| matches!(verdict, EngineVerdict::Invalid { .. }));
        assert!(refuted.count() > 0, "{}: {verdicts:?}", path.display());
        for (at, verdict) in verdicts.iter().enumerate() {
            if let EngineVerdict::Invalid { .. } = verdict {
                assert_agrees(&path, "invalid", verdict, &system, at);
            }
        }
    }
}

#[test]
fn no_engine_alone_contradicts_the_folder() {
    for expected in ["valid", "invalid"] {
        for path in models(expected) {
            let system = system(&path);
            for engine in EngineName::ALL {
                // Induction needs bounded model checking for its base.
                let engines = [EngineName::Bmc, engine];
                for (at, verdict) in verdicts(&system, &engines, 1, 1).iter().enumerate() {
                    if expected == "valid" || matches!(verdict, EngineVerdict::Invalid { .. }) {
                        assert_agrees(&path, expected, verdict, &system, at);
                    }
                }
            }
        }
    }
}

/// Claims about every variable, most of them wrong, and each with its opposite.
fn rumours(system: &System) -> Vec<Invariant> {
    let variables = system.variables().iter();
    let claims = variables.filter_map(|variable| match variable.current.sort() {
        Sort::Bool => Some(variable.current),
        Sort::Int => Some(variable.current.le(Term::int(0))),
        _ => None,
    });
    let both = claims.flat_map(|claim| [claim, claim.not()]);
    both.map(|term| Invariant { term, k: 1 }).collect()
}

#[test]
fn wrong_advice_does_no_harm() {
    for expected in ["valid", "invalid"] {
        for path in models(expected) {
            let system = system(&path);
            let limits = Limits {
                engines: vec![EngineName::Bmc, EngineName::Pdr],
                advice: rumours(&system),
                jobs: 1,
                time: Some(Duration::from_secs(1)),
                ..Limits::default()
            };
            for (at, verdict) in verdicts_within(&system, &limits).iter().enumerate() {
                if expected == "valid" || matches!(verdict, EngineVerdict::Invalid { .. }) {
                    assert_agrees(&path, expected, verdict, &system, at);
                }
            }
        }
    }
}

/// Whoever knows that the first steps are safe hears of the first run that refutes all the same, and a
/// proof is one.
#[test]
fn what_is_known_of_the_first_steps_is_not_asked_again() {
    let within = |safe| Limits {
        engines: vec![EngineName::Bmc, EngineName::Pdr],
        jobs: 1,
        time: Some(Duration::from_secs(2)),
        safe,
        ..Limits::default()
    };
    for path in models("invalid") {
        let system = system(&path);
        let shortest = |verdicts: &[EngineVerdict]| {
            let steps = verdicts.iter().filter_map(|verdict| match verdict {
                EngineVerdict::Invalid { refutation, .. } => Some(refutation.step),
                _ => None,
            });
            steps.min()
        };
        let Some(first) = shortest(&verdicts_within(&system, &within(0))) else {
            continue;
        };
        let again = verdicts_within(&system, &within(first));
        assert_eq!(shortest(&again), Some(first), "{}", path.display());
    }
    for path in models("valid") {
        let system = system(&path);
        for (at, verdict) in verdicts_within(&system, &within(4)).iter().enumerate() {
            if matches!(verdict, EngineVerdict::Valid { .. }) {
                assert_agrees(&path, "valid", verdict, &system, at);
            }
        }
    }
}
