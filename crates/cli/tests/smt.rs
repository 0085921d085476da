//! The binary as scripts see it: streams, exit codes, and how it ends when it is told to.

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn start(arguments: &[&str], input: &[u8]) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    let input = input.to_vec();
    // It reads on when it has done what it has read; and a run that ends early does not read all.
    std::thread::spawn(move || stdin.write_all(&input));
    child
}

fn run(arguments: &[&str], input: &[u8]) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = start(arguments, input).wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("it writes UTF-8");
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn sat_and_unsat_are_both_fine() {
    let script = b"(declare-const p Bool)(assert p)(check-sat)(assert (not p))(check-sat)";
    let (code, out, error) = run(&["smt", "-"], script);
    assert_eq!(
        (code, out.as_str(), error.as_str()),
        (Some(0), "sat\nunsat\n", "")
    );
}

#[test]
fn a_wrong_script_ends_with_two_and_shows_the_line() {
    let (code, out, error) = run(&["smt", "-"], b"(check-sat)\n(assert (+ 1 true))\n");
    assert_eq!(code, Some(2));
    assert_eq!(
        out,
        "sat\n(error \"line 2 column 9: expected integers or reals as arguments of `+`, found (Int Bool)\")\n"
    );
    let expected = "\
error: expected integers or reals as arguments of `+`, found (Int Bool)
 --> standard input:2:9
  |
2 | (assert (+ 1 true))
  |         ^
";
    assert_eq!(error, expected);
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let (code, out, error) = run(&["smt", "-"], b"(check-sat)\n(echo \"\xff\")");
    let expected = "sat\n(error \"line 2 column 8: expected text in UTF-8, found a byte that cannot stand there\")\n";
    assert_eq!((code, out.as_str()), (Some(2), expected));
    assert!(error.contains("standard input:2:8"), "{error}");
}

#[test]
fn a_file_that_is_missing_is_bad_input_and_a_wrong_option_is_wrong_usage() {
    assert_eq!(run(&["smt", "no-such-file.smt2"], b"").0, Some(2));
    assert_eq!(run(&["smt", "."], b"").0, Some(2));
    assert_eq!(run(&["smt"], b"").0, Some(1));
    assert_eq!(run(&["smt", "--solver", "nonesuch", "-"], b"").0, Some(1));
    assert_eq!(run(&["nonesuch"], b"").0, Some(1));
    assert_eq!(run(&["--help"], b"").0, Some(0));
    assert_eq!(run(&["--version"], b"").0, Some(0));
}

#[test]
fn no_answer_is_inconclusive() {
    let script = format!(
        "(set-option :reproducible-resource-limit 5){}(check-sat)",
        pigeons(9)
    );
    let (code, out, _) = run(&["smt", "-"], script.as_bytes());
    assert_eq!((code, out.as_str()), (Some(5), "unknown\n"));
}

#[test]
fn statistics_go_to_standard_error() {
    let (code, out, error) = run(&["smt", "--stats", "-"], b"(check-sat)");
    assert_eq!((code, out.as_str()), (Some(0), "sat\n"));
    assert!(error.contains("checks        1\n"), "{error}");
}

#[test]
fn the_solvers_are_listed() {
    let (code, out, _) = run(&["solvers"], b"");
    assert_eq!(code, Some(0));
    assert!(out.starts_with("embedded "), "{out}");
    assert!(out.contains("\nz3 "), "{out}");
}

/// So many pigeons in one hole less, which takes a solver long to see impossible.
fn pigeons(pigeons: usize) -> String {
    let mut script = String::new();
    for pigeon in 0..pigeons {
        let holes: Vec<String> = (1..pigeons)
            .map(|hole| format!("p{pigeon}_{hole}"))
            .collect();
        for hole in &holes {
            script += &format!("(declare-const {hole} Bool)");
        }
        script += &format!("(assert (or {}))\n", holes.join(" "));
        for other in 0..pigeon {
            for hole in 1..pigeons {
                script += &format!("(assert (not (and p{pigeon}_{hole} p{other}_{hole})))");
            }
        }
    }
    script
}

/// Sends Ctrl-C after a while; the output and how long the end took.
#[cfg(unix)]
fn interrupted(solver: &str, script: &str) -> (Option<i32>, String, Duration) {
    let child = start(&["smt", "--solver", solver, "-"], script.as_bytes());
    std::thread::sleep(Duration::from_millis(800));
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
    let begin = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    let out = String::from_utf8(output.stdout).expect("it writes UTF-8");
    (output.status.code(), out, begin.elapsed())
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_check_with_unknown() {
    for solver in ["embedded", "z3"] {
        if solver != "embedded" && run(&["smt", "--solver", solver, "-"], b"").0 != Some(0) {
            println!("skipped {solver}: it is not installed");
            continue;
        }
        let script = format!("(check-sat){}(check-sat)(check-sat)", pigeons(14));
        let (code, out, taken) = interrupted(solver, &script);
        println!("{solver} ended after {taken:?}");
        assert_eq!(
            (code, out.as_str()),
            (Some(5), "sat\nunknown\n"),
            "{solver}"
        );
        // A tenth of a second, and some for a busy machine.
        assert!(taken < Duration::from_millis(500), "{solver}: {taken:?}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_long_parse() {
    // Millions of disequalities, written shortly.
    let names: Vec<String> = (0..4000).map(|number| format!("x{number}")).collect();
    let declared: String = names
        .iter()
        .map(|name| format!("(declare-const {name} Int)"))
        .collect();
    let distinct = format!("(assert (distinct {}))", names.join(" "));
    let script = format!("(check-sat){declared}{}", distinct.repeat(20));
    let (code, out, taken) = interrupted("embedded", &script);
    println!("ended after {taken:?}");
    assert_eq!((code, out.as_str()), (Some(5), "sat\n"));
    assert!(taken < Duration::from_millis(500), "{taken:?}");
}
