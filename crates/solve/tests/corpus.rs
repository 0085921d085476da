//! Reads every script of the shared benchmark set, says how long that takes, and runs the smaller
//! ones against their known answers.
//!
//! The set lies beside the workspace and is not part of it; where it is missing the test says so
//! and passes.

use proofmark_solve::smtlib::{Command, Reader, Script};
use proofmark_source::Sources;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/smt")
}

fn scripts() -> Option<Vec<(String, String)>> {
    let folder = folder();
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: no benchmark set at {}", folder.display());
        return None;
    };
    let mut scripts = Vec::new();
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        if path
            .extension()
            .is_some_and(|extension| extension == "smt2")
        {
            let text = std::fs::read_to_string(&path).expect("the script is readable");
            scripts.push((path.display().to_string(), text));
        }
    }
    scripts.sort();
    Some(scripts)
}

#[test]
fn every_benchmark_script_is_read_to_its_end() {
    let Some(scripts) = scripts() else { return };
    let mut total = Duration::ZERO;
    let mut slowest = (Duration::ZERO, String::new());
    let (mut bytes, mut checks) = (0, 0);
    for (name, text) in scripts {
        let file = Sources::default()
            .add(&name, text.clone())
            .expect("it is short");
        let begin = Instant::now();
        let mut reader = Reader::new(file, &text);
        loop {
            match reader.command() {
                Ok(Some((Command::CheckSat, _))) => checks += 1,
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(fault) => panic!("{name}: {fault:?}"),
            }
        }
        let taken = begin.elapsed();
        total += taken;
        bytes += text.len();
        slowest = slowest.max((taken, format!("{name} ({} bytes)", text.len())));
    }
    println!("{bytes} bytes with {checks} checks read in {total:?}; slowest {slowest:?}");
    assert!(checks > 1000);
}

/// The known answers, as one letter a check: `"name": "sus",` a line.
fn answers() -> Vec<(String, String)> {
    let path = folder().join("answers.json");
    let text = std::fs::read_to_string(path).expect("the answers lie beside the scripts");
    let pairs = text.lines().filter_map(|line| {
        let mut parts = line.split('"').skip(1).step_by(2);
        Some((parts.next()?.to_string(), parts.next()?.to_string()))
    });
    pairs.collect()
}

#[test]
fn small_benchmark_scripts_get_their_known_answers() {
    let Some(scripts) = scripts() else { return };
    let mut compared = 0;
    for (name, expected) in answers() {
        let script = scripts
            .iter()
            .find(|(path, _)| path.ends_with(&format!("/{name}")));
        let (path, text) = script.expect("every answer has its script");
        if text.len() > 15_000 {
            continue;
        }
        let mut solver = proofmark_solve::open(proofmark_solve::EMBEDDED).expect("it is built in");
        let file = Sources::default()
            .add(path, text.clone())
            .expect("it is short");
        let mut out = Vec::new();
        let script = Script::new(&mut *solver, &mut out);
        script.run(&mut Reader::new(file, text)).expect("it runs");
        let out = String::from_utf8(out).expect("answers are text");
        let found: String = out.lines().map(|line| &line[..1]).collect();
        assert_eq!(found, expected, "{name}");
        compared += 1;
    }
    assert!(compared > 20);
}
