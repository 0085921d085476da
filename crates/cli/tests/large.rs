//! Models that are large, deep or endless: each is checked or refused with a place, in seconds, and
//! nothing overflows.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Far more than any of these takes, with tests on all sides.
const LONGEST: Duration = Duration::from_secs(40);
const DEPTH: usize = 10_000;
const ALL: &str = "bmc,invariant-generation,k-induction,pdr";
/// How many models have been written.
static FILES: AtomicUsize = AtomicUsize::new(0);

/// The exit code of a check, and everything that was written.
#[track_caller]
fn check(model: &str, engines: &str) -> (Option<i32>, String) {
    let start = Instant::now();
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let name = format!("proofmark-large-{}-{number}.lus", std::process::id());
    let path = std::env::temp_dir().join(name);
    fs::write(&path, model).expect("a file can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["check", "--quiet", "--timeout=20", "--engines", engines])
        .arg(&path)
        .output()
        .expect("the binary starts");
    let _ = fs::remove_file(&path);
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(start.elapsed() < LONGEST, "{:?}", start.elapsed());
    (output.status.code(), text)
}

#[track_caller]
fn proved(model: &str) {
    proved_by(ALL, model);
}

#[track_caller]
fn proved_by(engines: &str, model: &str) {
    let (code, text) = check(model, engines);
    let start: String = text.chars().take(500).collect();
    assert_eq!(code, Some(0), "{start}");
}

/// A wrong model; the error says this and has a place.
#[track_caller]
fn refused(model: &str, message: &str) {
    let (code, text) = check(model, ALL);
    let start: String = text.chars().take(500).collect();
    assert_eq!(code, Some(2), "{start}");
    assert!(text.contains(message), "{start}");
    assert!(text.contains("--> "), "{start}");
}

/// A node that computes a number or a Boolean by one expression, and a property about it.
fn of_expression(sort: &str, expression: &str) -> String {
    let property = match sort {
        "int" => "o >= 0 or o < 1",
        _ => "o or i < 5 or i >= 0 or not o",
    };
    format!(
        "node main(i: int; b: bool) returns (o: {sort});\nlet\no = {expression};\n\
         check \"cone\" {property};\ntel;"
    )
}

fn nested(open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(DEPTH), close.repeat(DEPTH))
}

#[test]
fn deep_expressions_are_no_deeper_for_the_stack() {
    let numbers = [
        nested("(", "i", ")"),
        nested("1 + ", "i", ""),
        nested("(i + ", "1", ")"),
        nested("-", " i", "").replace('-', "- "),
        nested("0 -> ", "i", ""),
        nested("(", "i", " -> 1)"),
        nested("0 -> pre ", "i", ""),
        nested("(0 -> 1 + pre (", "i", "))"),
        nested("if i > 0 then 1 else ", "0", ""),
        nested("if b then ", "i", " else 0"),
    ];
    for expression in numbers {
        proved(&of_expression("int", &expression));
    }
    let booleans = [
        nested("not ", "b", ""),
        nested("b => ", "b", ""),
        nested("if ", "b", " then b else false"),
    ];
    for expression in booleans {
        proved(&of_expression("bool", &expression));
    }
}

/// `count` equations, each of which uses the one before.
fn chain(count: usize, property: &str) -> String {
    let names: Vec<String> = (0..count).map(|at| format!("x{at}")).collect();
    let equations = (1..count).map(|at| format!("x{at} = x{} and x{};\n", at - 1, at / 2));
    let equations: String = equations.collect();
    format!(
        "node main(i: bool) returns (ok: bool);\nvar {}: bool;\nlet\nx0 = true -> pre x0;\n\
         {equations}ok = {property};\n--%PROPERTY ok;\ntel;",
        names.join(", ")
    )
}

#[test]
fn a_hundred_thousand_equations_are_sliced_away() {
    proved(&chain(100_000, "true"));
}

#[test]
fn a_property_may_need_thousands_of_equations() {
    proved(&chain(5_000, "x4999"));
}

#[test]
fn many_properties_that_are_inductive_together_are_proved_at_once() {
    let checks = (0..1_500).map(|at| format!("check \"p{at}\" x >= 0 or i = {at};\n"));
    let checks: String = checks.collect();
    let model =
        format!("node main(i: int) returns (x: int);\nlet\nx = 0 -> pre x + 1;\n{checks}tel;");
    // Induction alone, since PDR would take some of them out of the set.
    proved_by("bmc,k-induction", &model);
}

#[test]
fn numbers_of_a_thousand_digits_are_numbers() {
    let huge = "9".repeat(1_000);
    proved(&format!(
        "node main(i: subrange [-{huge}, {huge}] of int; r: real) returns (ok: bool);\nlet\n\
         ok = i <= {huge} and (i < {huge} or i + 1 > {huge}) and i * {huge} <> 1;\n\
         check \"mod\" (i mod {huge}) < {huge};\n\
         check \"real\" r * 2.0 < {huge}.5 or r >= {huge}.5 / 2.0;\n--%PROPERTY ok;\ntel;"
    ));
    let powers = (1..60).map(|at| format!("const c{at} = c{0} * c{0};\n", at - 1));
    let powers: String = powers.collect();
    refused(
        &format!("const c0 = 10;\n{powers}node main() returns (); let tel;"),
        "too large",
    );
}

#[test]
fn what_would_take_all_the_memory_is_refused() {
    let types = [1_000_000_000u64, u64::MAX].map(|length| format!("int[{length}]"));
    for of in types
        .into_iter()
        .chain([format!("int[{}]", "9".repeat(1_000))])
    {
        let model = format!("node main(a: {of}) returns (ok: bool); let ok = true; tel;");
        refused(&model, "a type may have at most");
    }
    let records =
        (1..60).map(|at| format!("type t{at} = struct {{ a: t{0}; b: t{0} }};\n", at - 1));
    let records: String = records.collect();
    refused(
        &format!("type t0 = int;\n{records}node main(x: t59) returns (); let tel;"),
        "a type may have at most",
    );
}

/// Nodes that each use the one before by an expression; the last is the main one.
fn calls(levels: usize, call: impl Fn(String) -> String) -> String {
    let node = |at: usize| {
        let body = match at {
            0 => "x".into(),
            at => call(format!("n{}", at - 1)),
        };
        format!(
            "node n{at}(x: int) returns (y: int); let y = {body}; check y >= 0 or y < 1; tel;\n"
        )
    };
    (0..levels).map(node).collect()
}

#[test]
fn calls_may_be_deep_but_not_without_end() {
    proved(&calls(200, |callee| format!("{callee}(x)")));
    refused(
        &calls(DEPTH, |callee| format!("{callee}(x)")),
        "calls are nested more than",
    );
    refused(
        &calls(40, |callee| format!("{callee}(x) + {callee}(-x)")),
        "the model unfolds to more than",
    );
    let last = DEPTH - 1;
    let model = calls(DEPTH, |callee| format!("{callee}(x)"));
    refused(
        &model.replace("let y = x;", &format!("let y = n{last}(x);")),
        "calls itself",
    );
}
