//! All public benchmark models load, lower and run. They lie outside the project; without them the
//! test says so and passes.

mod common;

use common::{benchmarks, load};
use proofmark_lang::random::{Dice, run};
use proofmark_model::{Program, lower};
use proofmark_source::Severity;

#[test]
fn every_benchmark_model_loads_lowers_and_runs() {
    let paths = match benchmarks() {
        Ok(paths) => paths,
        Err(reason) => {
            println!("skipped: no benchmark models ({reason})");
            return;
        }
    };
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut failures = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap();
        let (loaded, diagnostics, _) = load(&text);
        let Some(loaded) = loaded else {
            let error = diagnostics.iter().find(|d| d.severity == Severity::Error);
            failures.push(format!("{}: {:?}", path.display(), error));
            continue;
        };
        assert_eq!(loaded.model.variables.len(), loaded.variables.len());
        assert_eq!(loaded.model.equations.len(), loaded.equations.len());
        assert_eq!(loaded.model.goals.len(), loaded.goals.len());
        match lower(&loaded.model) {
            Ok(lowered) => {
                let program = Program::compile(&lowered.system).map_err(|e| e.to_string());
                if let Err(reason) = program.and_then(|program| run(&program, 5, &mut dice)) {
                    failures.push(format!("{}: {reason}", path.display()));
                }
            }
            Err(errors) => failures.push(format!("{}: {}", path.display(), errors[0])),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(paths.len() > 100, "only {} models", paths.len());
}
