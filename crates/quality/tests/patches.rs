//! What is shown is what was done: every mutant, written into its file and loaded again, is the model
//! that the mutated trees are.

#[path = "common/same.rs"]
mod same;

use proofmark_lang::lustre::{self, Options};
use proofmark_lang::random::Dice;
use proofmark_model::{ElementId, Model, lower};
use proofmark_quality::mutate::{
    Generated, Mutation, MutationChange, Selection, generate, mutators,
};
use proofmark_source::{FileId, Sources};
use rustc_hash::FxHashSet;
use same::{Same, same};
use std::collections::{BTreeMap, BTreeSet, HashSet};
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

    /// All mutants of what defines no property, those alone that have a text or all of them.
    fn generate(&self, selection: &str, written: bool) -> Generated {
        let lowered = lower(&self.model).unwrap();
        let properties = lowered.system.properties().iter();
        let goals: FxHashSet<_> = properties.map(|property| property.term).collect();
        let mutable = |id: ElementId| {
            let target = lowered.system.element(id).target();
            target.is_none_or(|target| !goals.contains(&target))
        };
        let selection: Selection = selection.parse().unwrap();
        let rewriter = lustre::rewriter(&self.sources, self.file, &Options::default());
        assert!(rewriter.is_some());
        let rewriter = rewriter.as_deref().filter(|_| written);
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
    let generated = case.generate(selection, true);
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
    let key = |one: &Mutation| (one.mutator, one.location, one.label.clone());
    let written: HashSet<_> = generated.mutations.iter().map(key).collect();
    for mutation in &case.generate(selection, false).mutations {
        if !written.contains(&key(mutation)) {
            count(format!("no text: {}", mutation.mutator));
            let place = case.sources.place(mutation.location.span().unwrap());
            println!("{name}:{place} {} has no text", mutation.label);
        }
    }
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

const FOLDERS: [&str; 3] = [
    "tests/corpus/lustre/valid",
    "tests/corpus/lustre/invalid",
    "examples",
];

/// Each mutator alone: beside others, some of its mutants would be merged with theirs.
#[test]
fn every_mutant_of_the_corpus_is_the_same_as_text_and_as_trees() {
    let files = FOLDERS.into_iter().flat_map(models);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path.display().to_string(), text)
    };
    let hard = HARD.iter();
    let hard = hard.map(|(name, text)| (name.to_string(), text.to_string()));
    let texts: Vec<(String, String)> = files.map(read).chain(hard).collect();
    let (mut trees, mut runs) = (0, 0);
    for mutator in mutators() {
        let mut tried = 0;
        for (name, text) in &texts {
            for (what, count) in check_all(name, text, mutator.name) {
                match what.as_str() {
                    "same trees" => trees += count,
                    what if what.starts_with("same runs") => runs += count,
                    _ => continue,
                }
                tried += count;
            }
        }
        assert!(tried > 0, "no model has mutants of {}", mutator.name);
    }
    println!("{trees} mutants are the same trees, {runs} have the same runs");
    // Runs are tried, not compared in full, and must stay the exception.
    assert!(100 * runs < trees, "{runs} runs, {trees} trees");
}

/// A comparison that found everything the same would show nothing: the text of a mutant is neither the
/// trees of the next one nor those of the original.
#[test]
fn the_text_of_a_mutant_is_the_trees_of_no_other() {
    for path in FOLDERS.into_iter().flat_map(models) {
        let case = Case::new(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let mutations = case.generate("all", true).mutations;
        for pair in mutations.windows(2) {
            let found = Case::new(&case.patched(&pair[0])).unwrap().model;
            for other in [&case.mutant(&pair[1]), &case.model] {
                let (name, label) = (path.display(), &pair[0].label);
                assert_ne!(same(other, &found), Ok(Same::Trees), "{name} {label}");
            }
        }
    }
}

/// Each of these has something that a text has to say otherwise than a tree.
const HARD: &[(&str, &str)] = &[
    (
        "a node that runs at all steps, and at some",
        "node latch(a: bool) returns (o: bool; v: bool[2]);
let
  o = false -> a or pre o;
  v = [false, true] fby if a then v else [o, a];
tel;
node main(i: bool) returns (p, q: bool; v, w: bool[2]);
let
  (p, v) = latch(i);
  (q, w) = condact(i, latch(not i), true, [i, i]);
tel;
",
    ),
    (
        "constants that properties, types and indices share",
        "const N = 3; M: int = N + 1;
const K = -(2); flag = not true; P = N;
const table = [N, 2, M];
node main(a: int[N]; i: int) returns (ok: bool; x, y: int; s: subrange [0, M] of int);
let
  x = a[N - 1] + N * M;
  y = if flag or i > M then table[N - 2] + a[i] else K;
  s = if x > N then 0 else P - 2;
  ok = x > N or y <= M or P = N;
  --%PROPERTY ok;
  check \"text\" x < N + M;
tel;
",
    ),
    (
        "a called node with assertions, whose result is dropped",
        "node limit(x: int) returns (y: int);
let
  assert x < 100;
  y = if x > 50 then 50 else x;
tel;
node two(x, z: int) returns (y: int; b: bool);
var t: subrange [0, 60] of int;
let
  t = limit(x) + 1;
  (y, b) = (t + z, t > z);
tel;
node main(i: int) returns (o, o2: int; p, q: bool);
let
  o = limit(i) + limit(limit(i) + 1);
  (o2, p) = two(i, o);
  q = p and limit(i) > 3 or (if limit(i) > 4 then p else not p);
  --%PROPERTY q;
tel;
",
    ),
    (
        "removals in nodes that are called often, also under clocks",
        "node leaf(x: int; c: bool) returns (y: int; z: bool);
var m: int;
let
  m = (0 -> pre m) + x;
  y = if c then m else -m;
  z = y > m;
tel;
node none() returns (y: int);
let
  y = 1 -> pre y + 1;
tel;
node middle(x: int) returns (y: int);
var a, b: int; c, d, d0: bool;
let
  a, c = leaf(x, true);
  b, d = condact(c, leaf(a, d0), 7, false);
  d0 = x > a;
  y = a + b + none() + (if d then 1 else 2);
tel;
node unused(x: int) returns (y: int);
let
  y = middle(x);
tel;
node main(i: int; clock: bool) returns (o, n: int);
let
  o = middle(i) - middle(i + 1);
  n = condact(clock, middle(o), 0) + condact(true, none(), 3);
  check o >= n;
tel;
",
    ),
    (
        "records, arrays, tuples and their parts",
        "type pair = struct { l: int; r: bool };
type range = struct { v: subrange [0, 3] of int; w: bool };
type color = enum { red, green, blue };
node id(p: pair; c: color) returns (q: pair; d: color);
let
  q = p;
  d = if c = red then green else c;
tel;
node main(p: pair; v: int[3]; b: bool[2]; i: int; c: color)
returns (q, q2: pair; x: int; w: int[3]; ok: bool; m: range; d: color; u: bool[2]);
var e: color; rs: range[2]; x0: int;
let
  q, d = id(p, c);
  q2 = q { l := v[1] + p.l };
  x = v[i] + v[if b[0] then 1 else 2] + w[0] + p.l;
  w = v[i := x0][1 := 3];
  u = [b[1] and p.r, not b[0]];
  ok = u[0] or #(b[0], b[1], p.r) and q = p;
  rs = [m, range { v = 1; w = b[1] }];
  m = range { v = 2; w = p.r };
  (e, x0) = (if ok then d else blue, 4);
  --%PROPERTY ok;
tel;
",
    ),
    (
        "inputs with ranges, alone and in groups, also of arrays and of named types",
        "type small = subrange [0, 3] of int;
node twice(x: small) returns (y: int);
let
  y = 2 * x;
tel;
node main(a, b: small; c: subrange [-1, 1] of int; v: small[2]; x: int) returns (o: int; p: small; q: bool);
let
  o = twice(a) + b + c + v[0] + (0 -> pre v[1]) + x;
  p = if a > 2 then 2 else if a < 0 then 0 else a;
  q = o >= -1 + x;
  --%PROPERTY q;
tel;
",
    ),
    (
        "operators that bind, comments, and words without spaces",
        "node main(a, b, c: bool; x, y: int; r: real) returns (o, p: bool; z: int; s: real);
var t: bool;
let
  o = a or b and c => (a -- not b or
    xor(*and*)b) => not(a)and b;
  p = not a = b -> pre(not b)or if a then b else c or a;
  z = x-(y-3)- -1 - -(x) + 2*(-y + if a then-x else y) - (x mod 5) * 2;
  s = -0.5 * r + 1.25 - r / 4.0;
  t = (true fby (a xor b)) = ((0 fby x + 1) > y) <> (x >= y) and(if(a)then(b)else(c))
    or (a => b=>c);
  --%PROPERTY o;
tel
",
    ),
];

/// What is left of a declaration when the range of an input goes.
#[test]
fn an_input_without_its_range_is_declared_anew() {
    let after = |inputs: &str, body: &str| -> Vec<String> {
        let text = format!(
            "type small = subrange [0, 3] of int;
type pair = struct {{ l: small; r: bool }};
node main({inputs}) returns (o: int);
let
  o = {body};
  --%PROPERTY \"p\" o >= 0;
tel;
"
        );
        let case = Case::new(&text).unwrap();
        let mutations = case.generate("assumption_remove", true).mutations;
        let patched = mutations.iter().map(|one| case.patched(one));
        let line = |text: String| text.lines().nth(2).unwrap().to_string();
        patched.map(line).collect()
    };
    let wanted = |inputs: &str| format!("node main({inputs}) returns (o: int);");
    assert_eq!(after("a: small", "a"), [wanted("a: int")]);
    assert_eq!(
        after("a, b: small; x: bool", "a + b"),
        [
            wanted("a: int; b: small; x: bool"),
            wanted("a: small; b: int; x: bool")
        ]
    );
    assert_eq!(after("v: small[2]", "v[0]"), [wanted("v: int[2]")]);
    // No type is a pair without ranges.
    assert!(after("p: pair", "p.l").is_empty());
    // The first `pre a` is a small number whatever `a` may be; without the range it is any.
    assert!(after("a: small", "pre a").is_empty());
    assert_eq!(after("a: small", "0 -> pre a"), [wanted("a: int")]);
    // Another `pre` that is not guarded keeps its own range.
    assert_eq!(
        after("a: small; b: int", "a + pre b"),
        [wanted("a: int; b: int")]
    );
}

/// An equation over Booleans `a`, `b`, `c` and integers `x`, `y`, and what mutants make of it.
const WRITTEN: &[(&str, &str, &[&str])] = &[
    ("a or b and c", "and2or", &["a or (b or c)"]),
    ("(a or b) and c", "and2or", &["(a or b) or c"]),
    ("a or b and c", "or2right", &["b and c"]),
    ("(a or b) and c", "or2left", &["a and c"]),
    ("not (a and b)", "and2left", &["not a"]),
    ("not(a)", "rm_not", &["(a)"]),
    ("not a = b", "rm_not", &["a = b"]),
    (
        "a => b => c",
        "implies2and",
        &["a and (b => c)", "a => b and c"],
    ),
    (
        "(a => b) => c",
        "implies2and",
        &["(a => b) and c", "(a and b) => c"],
    ),
    (
        "a and if b then c else a",
        "ifelsethen",
        &["a and if b then a else c"],
    ),
    (
        "(if a then b else c) or a",
        "ifthen",
        &["(if true then b else c) or a"],
    ),
    (
        "if (a) then (b) else (c)",
        "ifelse",
        &["if false then (b) else (c)"],
    ),
    ("a -> pre b", "arrow_left,arrow_right", &["a", "pre b"]),
    (
        "(a fby b or c) and b",
        "arrow_right",
        &["pre (b or c) and b"],
    ),
    ("pre (a and b)", "pre_drop", &["(a and b)"]),
    ("c or pre (a => b)", "pre_drop", &["c or (a => b)"]),
    (
        "x - (y - 3) > 0",
        "minus2plus",
        &["x + (y - 3) > 0", "x - (y + 3) > 0"],
    ),
    (
        "x - y * 3 > 0",
        "const",
        &["x - y * 1 > 0", "x - y * 3 > 1"],
    ),
    ("-1 > x - 1", "const", &["-(-1) > x - 1", "-1 > x - (-1)"]),
    ("x > - (-y)", "rm_minus", &["x > (-y)", "x > - y"]),
    (
        "x > y",
        "pre_add",
        &["(x -> pre x) > y", "x > (y -> pre y)"],
    ),
    ("a", "pre_add", &["a -> pre a"]),
    (
        "a or b",
        "init_true,equal_false",
        &["false", "true -> (a or b)"],
    ),
    ("(a or b)", "init_true", &["true -> (a or b)"]),
    ("if(a)then b else c", "ifthen", &["if true then b else c"]),
    ("a and(b)or c", "and2right", &["(b)or c"]),
    ("x+-y>0", "plus2minus", &["x- -y>0"]),
    (
        "(a -- or\n or (* and *) b)",
        "or2xor",
        &["(a -- or\n xor (* and *) b)"],
    ),
];

#[test]
fn parentheses_and_spaces_are_written_where_they_are_needed_and_nowhere_else() {
    for (expression, mutators, wanted) in WRITTEN {
        let model = |value: &str| {
            format!(
                "node main(a, b, c: bool; x, y: int) returns (o: bool);\nlet\n  o = {value};\n\
                 tel;\n"
            )
        };
        let case = Case::new(&model(expression)).unwrap();
        let generated = case.generate(mutators, true);
        let found = generated.mutations.iter().map(|one| case.patched(one));
        let wanted = wanted.iter().map(|value| model(value));
        assert_eq!(
            found.collect::<BTreeSet<_>>(),
            wanted.collect::<BTreeSet<_>>()
        );
    }
}

/// A random expression, with parentheses here and there.
fn random(dice: &mut Dice, boolean: bool, depth: usize) -> String {
    let inner = depth.saturating_sub(1);
    let text = match (boolean, dice.roll(if depth == 0 { 2 } else { 10 })) {
        (true, 0 | 1) => ["a", "b", "c", "true"][dice.roll(4)].into(),
        (false, 0 | 1) => ["x", "y", "0", "7"][dice.roll(4)].into(),
        (true, 2) => format!("not {}", random(dice, true, inner)),
        (false, 2) => format!("- {}", random(dice, false, inner)),
        (_, 3) => format!("pre {}", random(dice, boolean, inner)),
        (_, 4) => {
            let condition = random(dice, true, inner);
            let [then, other] = [(); 2].map(|()| random(dice, boolean, inner));
            format!("if {condition} then {then} else {other}")
        }
        (_, 5) => {
            let word = ["->", "fby"][dice.roll(2)];
            let [left, right] = [(); 2].map(|()| random(dice, boolean, inner));
            format!("{left} {word} {right}")
        }
        (true, 6) => {
            let word = ["<", "<=", ">", ">=", "=", "<>"][dice.roll(6)];
            let [left, right] = [(); 2].map(|()| random(dice, false, inner));
            format!("{left} {word} {right}")
        }
        _ => {
            let words: &[&str] = match boolean {
                true => &["and", "or", "xor", "=>", "=", "<>"],
                false => &["+", "-"],
            };
            let word = words[dice.roll(words.len())];
            let [left, right] = [(); 2].map(|()| random(dice, boolean, inner));
            format!("{left} {word} {right}")
        }
    };
    match dice.roll(3) {
        0 => format!("({text})"),
        _ => text,
    }
}

#[test]
fn every_mutant_of_random_expressions_is_the_same_as_text_and_as_trees() {
    let mut dice = Dice(0x1234_5678_9ABC_DEF1);
    let (mut texts, mut mutants) = (0, 0);
    for _ in 0..400 {
        let value = random(&mut dice, true, 5);
        let text =
            format!("node main(a, b, c: bool; x, y: int) returns (o: bool); let o = {value}; tel;");
        // Without parentheses, operands may come to have other types.
        if Case::new(&text).is_ok() {
            texts += 1;
            mutants += check_all(&text, &text, "all").values().sum::<usize>();
        }
    }
    println!("{mutants} mutants of {texts} texts");
    assert!(texts > 50);
}

/// The smallest models alone: many of them show as much as few large ones.
const BENCHMARKS: usize = 25;

#[test]
fn every_mutant_of_small_benchmarks_is_the_same_as_text_and_as_trees() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let folder = folder.join("shared/bench/lustre/models");
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries.flatten(),
        Err(error) => return println!("without benchmark models ({error})"),
    };
    let files = entries.filter_map(|one| Some((one.metadata().ok()?.len(), one.path())));
    let mut files: Vec<(u64, PathBuf)> = files.collect();
    files.sort();
    for (_, path) in files.into_iter().take(BENCHMARKS) {
        let text = std::fs::read_to_string(&path).unwrap();
        check_all(&path.display().to_string(), &text, "all");
    }
}
