//! BTOR2: every operator, arrays, places, what is wrong, and no text makes the reader panic.

use proofmark_lang::random::{Dice, Fate, mutate, try_btor2};
use proofmark_lang::{Loaded, btor2};
use proofmark_model::graph;
use proofmark_model::{BitVec, Program, Symbol, Trace, Value, lower};
use proofmark_source::{Diagnostic, Sources};
use std::path::{Path, PathBuf};

fn read(text: &str) -> (Option<Loaded>, Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let file = sources.add("test.btor2", text.into()).unwrap();
    let (loaded, told) = btor2::read(&sources, file);
    (loaded, told, sources)
}

fn good(text: &str) -> Loaded {
    let (loaded, told, _) = read(text);
    loaded.unwrap_or_else(|| panic!("{told:#?}"))
}

fn corpus(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/btor2");
    let entries = std::fs::read_dir(root.join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn number(value: &Value) -> u64 {
    match value {
        Value::Bool(bit) => u64::from(*bit),
        Value::BitVec(bits) => bits.unsigned().iter_u64_digits().next().unwrap_or(0),
        other => panic!("{other:?}"),
    }
}

fn bits(width: u32, number: u64) -> Value {
    match width {
        1 => Value::Bool(number & 1 == 1),
        _ => Value::BitVec(BitVec::new(width, number.into())),
    }
}

/// What an operator on two vectors yields, and its width, straight from the paper.
fn meaning(name: &str, width: u32, a: u64, b: u64) -> (u64, u32) {
    let size = 1u64 << width;
    let signed = |x: u64| x as i64 - if x >= size / 2 { size as i64 } else { 0 };
    let wrap = |x: i64| x.rem_euclid(size as i64) as u64;
    let fits = |x: i64| -(size as i64) / 2 <= x && x < size as i64 / 2;
    let (x, y) = (signed(a), signed(b));
    let turn = b % u64::from(width);
    let vector = match name {
        "and" => a & b,
        "nand" => wrap(!(a & b) as i64),
        "or" => a | b,
        "nor" => wrap(!(a | b) as i64),
        "xor" => a ^ b,
        "xnor" => wrap(!(a ^ b) as i64),
        "add" => (a + b) % size,
        "sub" => wrap(a as i64 - b as i64),
        "mul" => a * b % size,
        "udiv" => a.checked_div(b).unwrap_or(size - 1),
        "urem" => a.checked_rem(b).unwrap_or(a),
        "sdiv" if y == 0 => {
            if x < 0 {
                1
            } else {
                size - 1
            }
        }
        "sdiv" => wrap(x / y),
        "srem" => wrap(x.checked_rem(y).unwrap_or(x)),
        "smod" if y == 0 => a,
        "smod" => wrap(x - y * (x as f64 / y as f64).floor() as i64),
        "sll" => {
            if b < 64 {
                (a << b) % size
            } else {
                0
            }
        }
        "srl" => a >> b.min(63),
        "sra" => wrap(x >> b.min(63)),
        "rol" => ((a << turn) | (a >> (u64::from(width) - turn))) % size,
        "ror" => ((a >> turn) | (a << (u64::from(width) - turn))) % size,
        "concat" => return (a << width | b, 2 * width),
        _ => {
            let bit = match name {
                "eq" => a == b,
                "neq" => a != b,
                "ult" => a < b,
                "ulte" => a <= b,
                "ugt" => a > b,
                "ugte" => a >= b,
                "slt" => x < y,
                "slte" => x <= y,
                "sgt" => x > y,
                "sgte" => x >= y,
                "uaddo" => a + b >= size,
                "saddo" => !fits(x + y),
                "usubo" => a < b,
                "ssubo" => !fits(x - y),
                "umulo" => a * b >= size,
                "smulo" => !fits(x * y),
                "sdivo" => y == -1 && !fits(-x),
                other => panic!("{other}"),
            };
            return (u64::from(bit), 1);
        }
    };
    (vector, width)
}

fn unary_meaning(name: &str, width: u32, a: u64) -> (u64, u32) {
    let size = 1u64 << width;
    match name {
        "not" => (size - 1 - a, width),
        "inc" => ((a + 1) % size, width),
        "dec" => ((a + size - 1) % size, width),
        "neg" => ((size - a) % size, width),
        "redand" => (u64::from(a == size - 1), 1),
        "redor" => (u64::from(a != 0), 1),
        "redxor" => (u64::from(a.count_ones() % 2), 1),
        other => panic!("{other}"),
    }
}

const BINARY: &[&str] = &[
    "and", "nand", "or", "nor", "xor", "xnor", "add", "sub", "mul", "udiv", "urem", "sdiv", "srem",
    "smod", "sll", "srl", "sra", "rol", "ror", "concat", "eq", "neq", "ult", "ulte", "ugt", "ugte",
    "slt", "slte", "sgt", "sgte", "uaddo", "saddo", "usubo", "ssubo", "umulo", "smulo", "sdivo",
];
const UNARY: &[&str] = &["not", "inc", "dec", "neg", "redand", "redor", "redxor"];

#[test]
fn every_operator_means_what_the_paper_says() {
    for width in [1, 2, 3, 4] {
        let mut text = String::from("1 sort bitvec 1\n");
        let mut sorts = std::collections::BTreeMap::from([(1, 1)]);
        let mut line = 2;
        for wide in [width, 2 * width, width + 2] {
            if let std::collections::btree_map::Entry::Vacant(entry) = sorts.entry(wide) {
                text.push_str(&format!("{line} sort bitvec {wide}\n"));
                entry.insert(line);
                line += 1;
            }
        }
        let (a, b) = (line, line + 1);
        text.push_str(&format!(
            "{a} input {} a\n{b} input {} b\n",
            sorts[&width], sorts[&width]
        ));
        line += 2;
        let mut add = |body: String, name: &str| {
            text.push_str(&format!(
                "{line} {body}\n{} output {line} out_{name}\n",
                line + 1
            ));
            line += 2;
        };
        for name in BINARY {
            let (_, result) = meaning(name, width, 0, 0);
            add(format!("{name} {} {a} {b}", sorts[&result]), name);
        }
        for name in UNARY {
            let (_, result) = unary_meaning(name, width, 0);
            add(format!("{name} {} {a}", sorts[&result]), name);
        }
        add(format!("uext {} {a} 2", sorts[&(width + 2)]), "uext");
        add(format!("sext {} {a} 2", sorts[&(width + 2)]), "sext");
        add(
            format!("slice {} {a} {} {}", sorts[&1], width - 1, width - 1),
            "slice",
        );
        add(format!("and {} -{a} {b}", sorts[&width]), "complement");
        let system = lower(&good(&text).model).unwrap().system;
        let program = Program::compile(&system).unwrap();
        let variable = |name: &str| system.variable_named(Symbol::new(name)).unwrap().current;
        let mut machine = program.machine();
        for (x, y) in (0..1u64 << width).flat_map(|x| (0..1u64 << width).map(move |y| (x, y))) {
            let mut given = Trace::new(vec![variable("a"), variable("b")]);
            given.push(vec![bits(width, x), bits(width, y)]).unwrap();
            let (values, _) = machine.run(&given);
            let check = |name: &str, expected: u64| {
                let found = values.value(variable(&format!("out_{name}")), 0).unwrap();
                assert_eq!(
                    number(found),
                    expected,
                    "{name} of {x} and {y}, {width} bits"
                );
            };
            BINARY
                .iter()
                .for_each(|name| check(name, meaning(name, width, x, y).0));
            UNARY
                .iter()
                .for_each(|name| check(name, unary_meaning(name, width, x).0));
            let sign = x >> (width - 1);
            check("uext", x);
            check("sext", x | (sign * 3) << width);
            check("slice", sign);
            check("complement", !x & y & ((1 << width) - 1));
        }
    }
}

#[test]
fn a_memory_holds_what_is_written() {
    let path = corpus("invalid")
        .into_iter()
        .find(|path| path.ends_with("memory.btor2"));
    let loaded = good(&std::fs::read_to_string(path.unwrap()).unwrap());
    assert_eq!(loaded.model.variables.len(), 6);
    let system = lower(&loaded.model).unwrap().system;
    let program = Program::compile(&system).unwrap();
    let variable = |name: &str| system.variable_named(Symbol::new(name)).unwrap().current;
    let mut given = Trace::new(vec![variable("address"), variable("data")]);
    for (address, data) in [(1, 15), (2, 3), (1, 0), (1, 1)] {
        given.push(vec![bits(2, address), bits(4, data)]).unwrap();
    }
    let (values, outcome) = program.machine().run(&given);
    assert_eq!(outcome.first_false, [Some(2)]);
    let at = |name: &str, step| number(values.value(variable(name), step).unwrap());
    assert_eq!(
        [at("memory[1]", 2), at("memory[2]", 2), at("memory[1]", 3)],
        [15, 3, 0]
    );
}

#[test]
fn places_lead_to_the_design_when_it_is_there() {
    let mut sources = Sources::default();
    let design = "module m;\n  reg [3:0] count;\n  always count <= count + 1;\nendmodule\n";
    let design = sources.add("m.v", design.into()).unwrap();
    let text = "1 sort bitvec 4\n2 state 1 count ; begin m.v:2.13-2.18\n3 one 1\n\
        4 add 1 2 3 ; $add m.v:3.19-3.28|x.v:1.1-1.2\n5 next 1 2 4\n6 sort bitvec 1\n\
        7 redand 6 2\n8 bad 7 m.v:9.1-9.2\n";
    let file = sources.add("m.btor2", text.into()).unwrap();
    let (loaded, told) = btor2::read(&sources, file);
    let model = loaded.unwrap_or_else(|| panic!("{told:?}")).model;
    let span = model.equations[0].origin.span().unwrap();
    assert_eq!((span.file, sources.text(span)), (design, "count"));
    let sum = &model.equations[0].tree;
    let span = sum.origin().span().unwrap();
    assert_eq!(sources.text(span), "count + 1");
    // A place that the design has not is no place.
    let span = model.goals[0].origin.span().unwrap();
    assert_eq!((span.file, sources.place(span).line), (file, 8));
}

#[test]
fn every_wrong_line_is_told() {
    let path = corpus("error")
        .into_iter()
        .find(|path| path.ends_with("mixed.btor2"));
    let (loaded, told, sources) = read(&std::fs::read_to_string(path.unwrap()).unwrap());
    assert!(loaded.is_none());
    let expected = [
        (5, "`add` takes bitvec 4, bitvec 8 and yields bitvec 4 here"),
        (6, "there is no operator `foo`"),
        (7, "expected the number of a node, found `99`"),
        (8, "`slice` with 9 and 2 of bitvec 8 is no bitvec 4"),
        (9, "`16` does not fit into 4 bits"),
        (10, "expected a number to base 2, found `102`"),
        (11, "`bad` of 4 bits"),
        (12, "the number 11 is given twice"),
        (13, "expected the number of a node, found `x`"),
        (14, "a bit-vector of 0 bits"),
        (15, "`justice` needs liveness, which is not checked yet"),
        (
            16,
            "`concat` takes bitvec 4, bitvec 4 and yields bitvec 4 here",
        ),
        (17, "expected the number of a state, found `3`"),
        (19, "expected `bitvec` or `array`, found `float`"),
        (
            20,
            "expected the number of a sort, found the end of the line",
        ),
        (21, "expected the number of a state, found `3`"),
    ];
    let found: Vec<(u32, &str)> = told
        .iter()
        .map(|one| (sources.place(one.span).line, one.message.as_str()))
        .collect();
    assert_eq!(found, expected);
    let (loaded, told, _) = read(&std::fs::read_to_string(&corpus("error")[0]).unwrap());
    assert!(loaded.is_none());
    let messages: Vec<&str> = told.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(messages, ["the array `memory` has 2^16 words"]);
}

#[test]
fn no_text_makes_the_reader_panic() {
    let folders = ["valid", "invalid", "error"].into_iter().flat_map(corpus);
    let seeds: Vec<String> = folders
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    let (count, mut loaded) = (5_000, 0);
    for _ in 0..count {
        let other = &seeds[dice.roll(seeds.len())];
        let mut text = seeds[dice.roll(seeds.len())].clone();
        for _ in 0..=dice.roll(2) * dice.roll(4) {
            text = mutate(&text, other, &mut dice);
        }
        match try_btor2(&text, &mut dice) {
            Ok(fate) => loaded += usize::from(fate == Fate::Loaded),
            Err(broken) => panic!("{broken}\n{text}"),
        }
    }
    println!("{loaded} of {count} loaded");
    assert!(loaded * 20 > count && loaded < count);
}

/// Compares random netlists, written and read again, on random runs: which bad signals they show first and
/// when, and how many steps the constraints accept.
#[test]
fn a_netlist_that_is_written_behaves_the_same() {
    for seed in 0..200 {
        let mut dice = graph::random::Dice::new(seed);
        let mut netlist = graph::random::netlist(&mut dice, &graph::random::Shape::default());
        for at in 0..netlist.inputs.len() {
            let node = netlist.inputs[at];
            netlist
                .labels
                .set_name(node, Symbol::new(&format!("in {at}")));
        }
        for at in 0..netlist.latches.len() {
            let node = netlist.latches[at].node;
            netlist
                .labels
                .set_name(node, Symbol::new(&format!("l;{at}")));
        }
        let write = btor2::LANGUAGE.write_netlist.unwrap();
        let text = String::from_utf8(write(&netlist, "btor2")).unwrap();
        let model = good(&text).model;
        let system = lower(&model).unwrap().system;
        let program = Program::compile(&system).unwrap();
        let named = |name: String| {
            let mut variables = model.variables.iter();
            variables
                .find(|one| one.name.as_str() == name)
                .unwrap()
                .current
        };
        let inputs = (0..netlist.inputs.len()).map(|at| named(format!("in_{at}")));
        let latches = (0..netlist.latches.len()).map(|at| named(format!("l_{at}")));
        let columns: Vec<_> = inputs.chain(latches).collect();
        for _ in 0..20 {
            let run = graph::random::trace(&mut dice, &netlist, 12);
            let replay = netlist.replay(&run);
            let mut trace = Trace::new(columns.clone());
            for inputs in &run.inputs {
                let row = inputs.iter().chain(&run.latches);
                trace
                    .push(row.map(|bit| Value::Bool(*bit)).collect())
                    .unwrap();
            }
            let (_, result) = program.machine().run(&trace);
            let accepted = result.broken_at().unwrap_or(run.inputs.len());
            assert_eq!(accepted, replay.accepted, "seed {seed}\n{text}");
            for (bad, refuted) in replay.refuted.iter().enumerate() {
                let found = result.refuted_at(bad).filter(|step| *step < accepted);
                assert_eq!(found, *refuted, "seed {seed}, bad {bad}\n{text}");
            }
        }
    }
}
