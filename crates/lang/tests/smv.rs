//! SMV: models of our own that fix the meaning of what NuSMV answers, and the benchmarks, all of which
//! must load.

use proofmark_lang::{Design, LANGUAGES, Loaded, Options};
use proofmark_model::lower;
use proofmark_source::{Diagnostic, Sources};
use std::path::Path;

fn load(name: &str, text: &str) -> (Option<Loaded>, Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let file = sources.add(name, text.to_string()).unwrap();
    let language = LANGUAGES.choose("m.smv", None).unwrap();
    let (design, diagnostics) = (language.load)(&sources, file, &Options::default());
    (design.and_then(Design::words), diagnostics, sources)
}

#[test]
fn the_models_of_the_benchmark_load() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/smv/models");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("no benchmark models here");
        return;
    };
    let mut failed = Vec::new();
    let mut count = 0;
    for file in files {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let start = std::time::Instant::now();
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        let (loaded, diagnostics, sources) = load(&name, &text);
        count += 1;
        let lowered = loaded.as_ref().map(|loaded| lower(&loaded.model));
        if !matches!(lowered, Some(Ok(_))) || !diagnostics.is_empty() {
            for one in diagnostics.iter().take(3) {
                let place = sources.place(one.span);
                println!("{name}:{}: {:?}: {}", place.line, one.severity, one.message);
            }
        }
        if start.elapsed().as_millis() > 300 {
            println!("{name}: slow {:?}", start.elapsed());
        }
        match lowered {
            Some(Ok(_)) => {}
            Some(Err(errors)) => {
                println!("{name}: lowering: {}", errors[0]);
                failed.push(name);
            }
            None => failed.push(name),
        }
    }
    assert!(failed.is_empty(), "{} of {count}: {failed:?}", failed.len());
}
