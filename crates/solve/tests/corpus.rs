//! Reads every script of the shared benchmark set, and says how long that takes.
//!
//! The set lies beside the workspace and is not part of it; where it is missing the test says so
//! and passes.

use proofmark_solve::smtlib::{Command, Reader};
use proofmark_source::Sources;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn scripts() -> Option<Vec<(String, String)>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/smt");
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
