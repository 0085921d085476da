//! What is shown is what was done: every mutant, written into its file and loaded again, is the model
//! that the mutated trees are.

#[path = "common/same.rs"]
mod same;

use proofmark_lang::lustre::{self, Options};
use proofmark_model::{ElementId, Model, lower};
use proofmark_quality::mutate::{Generated, Mutation, MutationChange, Selection, generate};
use proofmark_source::{FileId, Sources};
use rustc_hash::FxHashSet;
use same::{Same, same};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

struct Case {
    sources: Sources,
    file: FileId,
    model: Model,
}

impl Case {
    fn new(text: &str) -> Result<Case, String> {
        let mut sources = Sources::default();
        let file = sources.add("case.lus", text.to_string())?;
        let (loaded, diagnostics) = lustre::load(&sources, file, &Options::default());
        let loaded = loaded.ok_or_else(|| format!("{diagnostics:#?}"))?;
        Ok(Case {
            sources,
            file,
            model: loaded.model,
        })
    }

    fn text(&self) -> &str {
        self.sources.file(self.file).text()
    }

    /// All mutants of what defines no property.
    fn generate(&self, selection: &str) -> Generated {
        let lowered = lower(&self.model).unwrap();
        let properties = lowered.system.properties().iter();
        let goals: FxHashSet<_> = properties.map(|property| property.term).collect();
        let mutable = |id: ElementId| {
            let target = lowered.system.element(id).target();
            target.is_none_or(|target| !goals.contains(&target))
        };
        let selection: Selection = selection.parse().unwrap();
        let rewriter = lustre::rewriter(&self.sources, self.file, &Options::default());
        let rewriter = rewriter.as_deref();
        assert!(rewriter.is_some());
        generate(&self.model, &lowered, &mutable, &selection, rewriter, 1)
    }

    /// The mutant as trees.
    fn mutant(&self, mutation: &Mutation) -> Model {
        let mut model = self.model.clone();
        match &mutation.change {
            MutationChange::Replace(changed) => {
                for (id, equation) in changed {
                    model.equations[id.index()] = equation.clone();
                }
            }
            MutationChange::Remove(ids) => {
                let mut at = 0;
                model.equations.retain(|_| {
                    at += 1;
                    !ids.contains(&ElementId(at - 1))
                });
            }
        }
        model
    }

    /// The mutant as text.
    fn patched(&self, mutation: &Mutation) -> String {
        let rewritten = mutation.rewritten.as_ref().unwrap();
        rewritten.edits.apply(self.text())
    }

    fn check(&self, mutation: &Mutation) -> Result<Same, String> {
        let text = self.patched(mutation);
        let found = Case::new(&text).map_err(|error| format!("{error}\n{text}"))?;
        let wanted = self.mutant(mutation);
        same(&wanted, &found.model).map_err(|error| format!("{error}\n{text}"))
    }
}

/// Checks all mutants of a text; returns how each was found to be the same.
fn check_all(name: &str, text: &str, selection: &str) -> BTreeMap<String, usize> {
    let case = Case::new(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let generated = case.generate(selection);
    let mut counts = BTreeMap::new();
    let mut count = |what: String| *counts.entry(what).or_default() += 1;
    for mutation in &generated.mutations {
        match case.check(mutation) {
            Ok(Same::Trees) => count("same trees".into()),
            Ok(Same::Runs) => count(format!("same runs: {}", mutation.mutator)),
            Err(error) => {
                let place = case
                    .sources
                    .place(mutation.rewritten.as_ref().unwrap().place);
                panic!("{name}:{place} {}: {error}", mutation.label)
            }
        }
    }
    (0..generated.unwritten).for_each(|_| count("unwritten".into()));
    counts
}

fn models(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    let entries = std::fs::read_dir(&folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "lus"));
    paths.sort();
    assert!(!paths.is_empty(), "no models in {}", folder.display());
    paths
}

#[test]
fn every_mutant_of_the_corpus_is_the_same_as_text_and_as_trees() {
    let folders = [
        "tests/corpus/lustre/valid",
        "tests/corpus/lustre/invalid",
        "examples",
    ];
    let mut total: BTreeMap<String, usize> = BTreeMap::new();
    for path in folders.into_iter().flat_map(models) {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy();
        let counts = check_all(&name, &text, "all");
        println!("{name}: {counts:?}");
        for (what, count) in counts {
            *total.entry(what).or_default() += count;
        }
    }
    println!("{total:?}");
}
