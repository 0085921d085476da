//! AIGER: what is written is read, what is wrong is told, and no bytes make the reader panic.

use proofmark_lang::aiger;
use proofmark_lang::random::{Dice, Fate, mutate_bytes, try_aiger};
use proofmark_model::graph::{self, Init, Netlist, Signal, Simulation};
use proofmark_source::{Diagnostic, Sources};
use std::path::{Path, PathBuf};

fn read(name: &str, bytes: &[u8]) -> (Option<Netlist>, Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let file = sources.add_bytes(name, bytes.to_vec()).unwrap();
    let (netlist, told) = aiger::read(&sources, file);
    (netlist, told, sources)
}

fn corpus(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/aiger");
    let entries = std::fs::read_dir(root.join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn good(path: &Path) -> Netlist {
    let (netlist, told, _) = read("m.aag", &std::fs::read(path).unwrap());
    netlist.unwrap_or_else(|| panic!("{}: {told:?}", path.display()))
}

/// The netlist in both formats.
fn written(netlist: &Netlist) -> [Vec<u8>; 2] {
    let mut files = [Vec::new(), Vec::new()];
    aiger::write_text(netlist, &mut files[0]).unwrap();
    aiger::write_binary(netlist, &mut files[1]).unwrap();
    files
}

/// Runs two netlists on the same random inputs and compares what they show.
fn same_runs(a: &Netlist, b: &Netlist, seed: u64) {
    let mut dice = graph::random::Dice::new(seed);
    let (mut one, mut other) = (Simulation::new(a), Simulation::new(b));
    let free: Vec<u64> = a.latches.iter().map(|_| dice.word()).collect();
    one.start(a, |at| free[at]);
    other.start(b, |at| free[at]);
    for _ in 0..10 {
        for (&x, &y) in a.inputs.iter().zip(&b.inputs) {
            let word = dice.word();
            one.set(x, word);
            other.set(y, word);
        }
        one.evaluate(a);
        other.evaluate(b);
        assert_eq!(one.accepted(a), other.accepted(b));
        for (x, y) in a.bads.iter().zip(&b.bads) {
            assert_eq!(one.value(x.signal), other.value(y.signal));
        }
        one.advance(a);
        other.advance(b);
    }
}

#[test]
fn a_random_netlist_is_read_back_as_it_was_written() {
    let mut dice = graph::random::Dice::new(11);
    for round in 0..300 {
        let shape = graph::random::Shape {
            inputs: dice.below(5),
            latches: dice.below(9),
            gates: dice.below(60),
            bads: dice.below(3),
            constraints: dice.below(3),
        };
        let netlist = graph::random::netlist(&mut dice, &shape);
        for file in written(&netlist) {
            let (again, told, _) = read("m.aig", &file);
            let again = again.unwrap_or_else(|| panic!("{told:?}"));
            let count = |one: &Netlist| (one.inputs.len(), one.latches.len(), one.graph.gates());
            assert_eq!(count(&again), count(&netlist));
            assert_eq!(again.constraints.len(), netlist.constraints.len());
            let names = |one: &Netlist| {
                let bads = one.bads.iter().map(|bad| bad.name.clone());
                bads.collect::<Vec<String>>()
            };
            assert_eq!(names(&again), names(&netlist));
            same_runs(&netlist, &again, round);
            assert_eq!(written(&again), written(&netlist));
        }
    }
}

#[test]
fn both_formats_of_one_circuit_are_the_same_netlist() {
    let folder = |verdict: &str, name: &str| {
        corpus(verdict)
            .into_iter()
            .filter(|path| path.file_stem().unwrap() == name)
            .map(|path| good(&path))
            .collect::<Vec<Netlist>>()
    };
    for (verdict, name) in [("valid", "arbiter"), ("invalid", "counter")] {
        let [a, b] = &folder(verdict, name)[..] else {
            panic!("there is a text and a binary file");
        };
        assert_eq!(written(a), written(b));
    }
}

#[test]
fn names_resets_and_older_formats_are_read() {
    let older = corpus("valid")
        .into_iter()
        .find(|path| path.ends_with("older_format.aag"));
    let netlist = good(&older.unwrap());
    let bads: Vec<&str> = netlist.bads.iter().map(|bad| bad.name.as_str()).collect();
    assert_eq!(bads, ["lost", "two"]);
    assert_eq!(netlist.bads, netlist.outputs);
    let inits: Vec<Init> = netlist.latches.iter().map(|latch| latch.init).collect();
    assert_eq!(inits, [Init::One, Init::Zero, Init::Zero]);
    assert_eq!(netlist.name(netlist.latches[1].node), "ring1");
    let text = b"aag 3 1 1 1 1 1 1\n2\n4 6 4\n3\n4\n1\n6 4 2\nl0 a b\nc\nanything \xff\n";
    let (netlist, told, sources) = read("m.aag", text);
    let netlist = netlist.unwrap_or_else(|| panic!("{told:?}"));
    assert_eq!(netlist.latches[0].init, Init::Free);
    assert_eq!(netlist.constraints, [Signal::TRUE]);
    assert_eq!(netlist.name(netlist.inputs[0]), "i0");
    assert_eq!(netlist.name(netlist.latches[0].node), "a b");
    let place = netlist.origin(netlist.latches[0].node).span().unwrap();
    assert_eq!(sources.place(place).to_string(), "3:1");
    assert_eq!(netlist.outputs[0].name, "o0");
    assert_eq!(netlist.bads[0].name, "b0");
}

#[test]
fn every_wrong_file_is_told_where_it_is_wrong() {
    let expected = [
        (
            "below_zero.aig",
            "byte 16: the gate 4 reads itself or a signal that is not before it",
        ),
        (
            "counts.aag",
            "the header says 1 variables, its inputs, latches and gates are 3",
        ),
        ("cycle.aag", "the gate 6 reads itself"),
        (
            "forward.aig",
            "byte 16: the gate 4 reads itself or a signal that is not before it",
        ),
        (
            "huge.aig",
            "the header says 2000000000 inputs in a file of 32 bytes",
        ),
        (
            "justice.aag",
            "the file has 1 justice properties; liveness is not checked yet",
        ),
        (
            "literal.aag",
            "an output is the literal 4, the greatest is 3",
        ),
        (
            "no_header.aag",
            "expected a file that begins with `aag` or `aig`",
        ),
        (
            "number.aag",
            "the greatest number of a variable is greater than 4294967295",
        ),
        ("odd.aag", "the literal 3 cannot be defined"),
        ("reset.aag", "the reset of latch 2 is 4"),
        (
            "symbol.aag",
            "the symbol i1 names what is not there: there are 1",
        ),
        (
            "too_few_lines.aag",
            "expected an output, found the end of the file",
        ),
        (
            "truncated.aig",
            "byte 40: the file ends too early: 6 gates are missing",
        ),
        ("twice.aag", "the literal 2 is defined twice"),
        ("undefined.aag", "the literal 6 is not defined"),
        (
            "wide.aig",
            "byte 16: a difference of literals has more than 32 bits",
        ),
    ];
    let files = corpus("error");
    assert_eq!(files.len(), expected.len());
    for (path, (name, message)) in files.iter().zip(expected) {
        assert!(path.ends_with(name), "{} is not {name}", path.display());
        let (netlist, told, _) = read(name, &std::fs::read(path).unwrap());
        assert!(netlist.is_none(), "{name}");
        assert_eq!(told[0].message, message, "{name}");
        assert!(told[0].hint.is_some(), "{name}");
    }
}

#[test]
fn no_bytes_make_the_reader_panic() {
    let folders = ["valid", "invalid", "error"].into_iter().flat_map(corpus);
    let seeds: Vec<Vec<u8>> = folders.map(|path| std::fs::read(path).unwrap()).collect();
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    let (count, mut loaded) = (20_000, 0);
    for _ in 0..count {
        let other = &seeds[dice.roll(seeds.len())];
        let mut bytes = seeds[dice.roll(seeds.len())].clone();
        for _ in 0..=dice.roll(2) * dice.roll(4) {
            bytes = mutate_bytes(&bytes, other, &mut dice);
        }
        match try_aiger(&bytes) {
            Ok(fate) => loaded += usize::from(fate == Fate::Loaded),
            Err(broken) => panic!("{broken}\n{:?}", String::from_utf8_lossy(&bytes)),
        }
    }
    println!("{loaded} of {count} loaded");
    assert!(loaded * 50 > count && loaded < count);
}

#[test]
fn deep_chains_of_gates_in_reverse_order_need_no_stack() {
    let gates = 200_000;
    let mut text = format!(
        "aag {} 2 0 1 {gates}\n2\n4\n{}\n",
        gates + 2,
        2 * (gates + 2)
    );
    for at in (0..gates).rev() {
        let gate = 2 * (at + 3);
        text.push_str(&format!("{gate} {} 2\n", gate - 1));
    }
    let (netlist, told, _) = read("m.aag", text.as_bytes());
    let netlist = netlist.unwrap_or_else(|| panic!("{told:?}"));
    assert_eq!(netlist.graph.gates(), gates);
}

/// What the process has taken at most, in megabytes, where the system tells.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024)
}

#[test]
fn a_million_gates_are_read_written_and_simplified() {
    let shape = graph::random::Shape {
        inputs: 1_000,
        latches: 10_000,
        gates: 0,
        bads: 0,
        constraints: 0,
    };
    let mut dice = graph::random::Dice::new(12);
    let mut netlist = graph::random::netlist(&mut dice, &shape);
    for _ in 0..1_000_000 {
        let size = netlist.graph.len();
        // Most gates read what is near, as in designs.
        let near = dice.below(size.min(20_000)) + 1;
        let [a, b] = [size - near, dice.below(size)]
            .map(|node| Signal::of(node as u32).complement_if(dice.below(2) == 1));
        netlist.graph.add_gate(a, b);
    }
    for latch in 0..10_000 {
        let next = netlist.graph.len() - 1 - dice.below(200_000);
        netlist.set_next(latch, Signal::of(next as u32));
    }
    let last = Signal::of(netlist.graph.len() as u32 - 1);
    netlist.add_bad("last", last);
    let mut bytes = Vec::new();
    aiger::write_binary(&netlist, &mut bytes).unwrap();
    drop(netlist);
    let mut sources = Sources::default();
    let file = sources.add_bytes("million.aig", bytes).unwrap();
    let begin = std::time::Instant::now();
    let (again, told) = aiger::read(&sources, file);
    let again = again.unwrap_or_else(|| panic!("{told:?}"));
    println!("read in {:.2?}, at most {:?} MB", begin.elapsed(), peak());
    assert_eq!(
        (again.graph.gates(), again.latches.len()),
        (1_000_000, 10_000)
    );
    let begin = std::time::Instant::now();
    let reduced = graph::simplify(&again, &[0]);
    println!(
        "simplified in {:.2?}, at most {:?} MB",
        begin.elapsed(),
        peak()
    );
    assert!(reduced.netlist.graph.gates() <= 1_000_000);
    assert!(
        peak().is_none_or(|megabytes| megabytes < 500),
        "{:?} MB",
        peak()
    );
}
