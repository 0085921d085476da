//! `proofmark sat` as scripts see it: output, exit codes and proofs.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn run(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .arg("sat")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("it writes UTF-8");
    (status.code(), text(stdout), text(stderr))
}

/// One pigeon more than holes.
fn pigeons(holes: i32) -> String {
    let place = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
    let mut clauses: Vec<Vec<i32>> = (0..=holes)
        .map(|pigeon| (0..holes).map(|hole| place(pigeon, hole)).collect())
        .collect();
    for hole in 0..holes {
        for one in 0..=holes {
            let others = 0..one;
            clauses.extend(others.map(|other| vec![-place(one, hole), -place(other, hole)]));
        }
    }
    let mut text = format!("p cnf {} {}\n", holes * (holes + 1), clauses.len());
    for clause in clauses {
        let words: Vec<String> = clause.iter().map(i32::to_string).collect();
        text += &format!("{} 0\n", words.join(" "));
    }
    text
}

#[test]
fn a_model_has_every_variable_that_occurs_and_ends_with_ten() {
    let (code, out, error) = run(&["-"], "p cnf 4 2\n1 -3 0\n3 0\n");
    assert_eq!(error, "");
    assert_eq!(code, Some(10));
    assert_eq!(out, "s SATISFIABLE\nv 1 -2 3\nv 0\n");
    // A header that promises a thousand million variables costs nothing.
    let (code, out, _) = run(&["-"], "p cnf 1000000000 0\n");
    assert_eq!((code, out.as_str()), (Some(10), "s SATISFIABLE\nv 0\n"));
}

#[test]
fn the_lines_of_a_model_are_short() {
    let (code, out, _) = run(&["-"], "p cnf 1000 1\n1000 0\n");
    assert_eq!(code, Some(10));
    assert!(out.lines().all(|line| line.len() <= 78));
    let values = out.lines().skip(1).flat_map(|line| line[2..].split(' '));
    assert_eq!(values.count(), 1001);
}

#[test]
fn a_refutation_ends_with_twenty_and_its_proof_is_checked() {
    let folder = std::env::temp_dir().join(format!("proofmark-sat-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (formula, proof) = (folder.join("f.cnf"), folder.join("f.lrat"));
    std::fs::write(&formula, pigeons(7)).expect("a formula");
    let paths = [formula.to_str().unwrap(), proof.to_str().unwrap()];
    let (code, out, error) = run(&[paths[0], "--proof", paths[1], "--check"], "");
    assert_eq!(
        (code, out.as_str(), error.as_str()),
        (Some(20), "s UNSATISFIABLE\n", "")
    );
    let text = std::fs::read_to_string(&formula).unwrap();
    let clauses: Vec<Vec<i32>> = text
        .lines()
        .skip(1)
        .map(|line| {
            let numbers = line.split(' ').map(|word| word.parse().unwrap());
            numbers.filter(|number| *number != 0).collect()
        })
        .collect();
    let written = std::fs::File::open(&proof).unwrap();
    proofmark_audit::lrat::check_text(
        clauses.iter().map(Vec::as_slice),
        std::io::BufReader::new(written),
    )
    .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_search_that_takes_too_long_is_unknown_and_ends_with_zero() {
    let (code, out, _) = run(&["-", "--timeout", "0.2"], &pigeons(14));
    assert_eq!((code, out.as_str()), (Some(0), "s UNKNOWN\n"));
}

#[test]
fn bad_input_ends_with_two_and_shows_the_line() {
    let (code, out, error) = run(&["-"], "p cnf 2 1\n1 3 0\n");
    assert_eq!((code, out.as_str()), (Some(2), ""));
    let expected = "\
error: expected a variable up to 2 as the header says, found 3
 --> -:2:3
  |
2 | 1 3 0
  |   ^
";
    assert_eq!(error, expected);
    let (code, _, error) = run(&["no-such-file.cnf"], "");
    assert_eq!(code, Some(2));
    assert!(error.contains("cannot read no-such-file.cnf"), "{error}");
    assert_eq!(run(&["-", "--nonsense"], "").0, Some(1));
}
