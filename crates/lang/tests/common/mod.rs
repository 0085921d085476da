//! What the tests over files share: the files and how they are loaded.

// Each test uses some of it.
#![allow(dead_code)]

use proofmark_lang::lustre::{self, Loaded, Options};
use proofmark_source::{Diagnostic, Sources};
use std::path::{Path, PathBuf};

/// The project's own small models in a folder of `tests/corpus/lustre`.
pub fn corpus(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/lustre");
    let paths = models_in(&root.join(folder)).unwrap();
    assert!(!paths.is_empty(), "no models in {folder}");
    paths
}

/// The public benchmark models, or why there are none.
pub fn benchmarks() -> Result<Vec<PathBuf>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    models_in(&root.join("shared/bench/lustre/models"))
}

fn models_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries =
        std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "lus"));
    paths.sort();
    Ok(paths)
}

pub fn load(text: &str) -> (Option<Loaded>, Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let file = sources.add("test.lus", text.into()).unwrap();
    let (loaded, diagnostics) = lustre::load(&sources, file, &Options::default());
    (loaded, diagnostics, sources)
}
