//! The corpus of SMV: good models load without a word, and of the wrong ones exactly the marked lines
//! have an error.

use proofmark_lang::Options;
use proofmark_lang::smv;
use proofmark_source::{Severity, Sources};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn files(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/smv");
    let entries = std::fs::read_dir(root.join(folder)).unwrap();
    let paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    assert!(!paths.is_empty());
    paths
}

#[test]
fn good_models_load_and_wrong_ones_say_which_line() {
    for folder in ["valid", "invalid", "error"] {
        for path in files(folder) {
            let text = std::fs::read_to_string(&path).unwrap();
            let mut sources = Sources::default();
            let name = path.display().to_string();
            let file = sources.add(name.clone(), text.clone()).unwrap();
            let (loaded, diagnostics) = smv::read(&sources, file, &Options::default());
            let errors = diagnostics
                .iter()
                .filter(|one| one.severity == Severity::Error);
            let found: BTreeSet<u32> = errors.map(|one| sources.place(one.span).line).collect();
            let lines = text.lines().zip(1..);
            let marked = lines.filter(|(line, _)| line.ends_with("-- error"));
            let wanted: BTreeSet<u32> = marked.map(|(_, number)| number).collect();
            assert_eq!(found, wanted, "{name}: {diagnostics:?}");
            assert_eq!(loaded.is_some(), wanted.is_empty(), "{name}");
        }
    }
}
