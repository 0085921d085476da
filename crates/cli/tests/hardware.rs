//! Files of hardware: word-level ones are checked like every model; netlists are refused where a command
//! does not work on them yet.

mod common;

use common::{root, run};
use std::path::PathBuf;

fn corpus(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join("tests/corpus").join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let paths = paths.into_iter().map(|path| path.display().to_string());
    paths.collect()
}

#[test]
fn the_folder_of_a_word_level_design_is_its_verdict() {
    for (folder, expected) in [
        ("btor2/valid", 0),
        ("btor2/invalid", 10),
        ("btor2/error", 2),
    ] {
        for file in corpus(folder) {
            let (code, out, error) = run(&["check", "--timeout", "20", &file]);
            assert_eq!(code, Some(expected), "{file}\n{out}\n{error}");
        }
    }
}

#[test]
fn a_netlist_is_refused_where_a_command_does_not_work_on_it() {
    let file = root().join("tests/corpus/aiger/valid/arbiter.aag");
    for command in ["ivc", "mutate", "elements"] {
        let (code, _, error) = run(&[command, &file.display().to_string()]);
        assert_eq!(code, Some(1), "{command}: {error}");
        assert!(error.contains("is a netlist"), "{command}: {error}");
    }
}

#[test]
fn a_wrong_netlist_is_told_and_the_exit_code_tells() {
    for file in corpus("aiger/error") {
        let (code, _, error) = run(&["check", &file]);
        assert_eq!(code, Some(2), "{file}\n{error}");
        assert!(error.starts_with("error: "), "{file}\n{error}");
        assert!(error.contains("help: "), "{file}\n{error}");
    }
}
