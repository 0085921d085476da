//! What people at a terminal use: quiet and verbose, plain text, explanations, completions, manual.

mod common;

use common::{outcome, proofmark, root};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    // Narrow, so that something has to be cut.
    outcome(
        proofmark(arguments)
            .current_dir(root())
            .env("COLUMNS", "40"),
    )
}

const RUNS: [&[&str]; 5] = [
    &["check", "examples/switch.lus"],
    &["check", "examples/contradiction.lus"],
    &["ivc", "--all", "--matrix", "examples/cores.lus"],
    &["mutate", "-v", "examples/cores.lus"],
    &["check", "--property", "nosuch", "examples/switch.lus"],
];

#[test]
fn away_from_a_terminal_there_are_no_colours_and_nothing_but_ascii() {
    for arguments in RUNS {
        let (_, out, err) = run(arguments);
        for text in [out, err] {
            assert!(text.is_ascii(), "{arguments:?}: {text}");
            assert!(!text.contains('\x1b'), "{arguments:?}: {text}");
        }
    }
}

/// Runs in a pseudo-terminal that `script` of util-linux makes; none if there is no such program.
fn on_a_terminal(no_colour: bool) -> Option<String> {
    let binary = env!("CARGO_BIN_EXE_proofmark");
    let mut command = Command::new("script");
    command
        .args([
            "-qec",
            &format!("{binary} check examples/switch.lus"),
            "/dev/null",
        ])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .env_remove("NO_COLOR")
        .stdin(Stdio::null());
    if no_colour {
        command.env("NO_COLOR", "1");
    }
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.contains("VALID").then_some(text)
}

#[test]
fn a_terminal_has_colours_unless_it_wants_none() {
    let Some(coloured) = on_a_terminal(false) else {
        let _ = writeln!(
            std::io::stdout(),
            "not tried: `script` makes no terminal here"
        );
        return;
    };
    assert!(coloured.contains("\x1b[32mVALID"), "{coloured}");
    let plain = on_a_terminal(true).expect("it worked before");
    assert!(!plain.contains("\x1b[3"), "{plain}");
}

#[test]
fn quiet_is_less_and_verbose_is_more() {
    let model = "examples/cores.lus";
    for command in ["check", "ivc", "mutate"] {
        let length = |flag: &[&str]| run(&[&[command, model], flag].concat()).1.lines().count();
        let (quiet, normal, verbose) = (length(&["-q"]), length(&[]), length(&["-v"]));
        assert!(
            quiet < normal && normal < verbose,
            "{command}: {quiet} {normal} {verbose}"
        );
    }
    let (_, out, _) = run(&["check", "-v", model]);
    assert!(out.contains("\nproof of no_overflow: "), "{out}");
}

#[test]
fn words_are_explained_in_five_lines() {
    let (code, out, _) = run(&["explain", "gap"]);
    assert_eq!(code, Some(0));
    assert!(
        out.starts_with("GAP\n\n") && out.contains("\nExample: "),
        "{out}"
    );
    assert_eq!(out.lines().count(), 7);
    // Wherever it is asked, with or without a model.
    for words in [
        &["--explain", "GAP"][..],
        &["mutate", "--explain=GAP"],
        &["mutate", "none.lus", "--explain", "Gap"],
    ] {
        assert_eq!(run(words).1, out, "{words:?}");
    }
    let (code, _, err) = run(&["explain", "equivalnet"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("did you mean EQUIVALENT?"), "{err}");
    let (code, out, _) = run(&["explain"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("KILLED, GAP"), "{out}");
}

#[test]
fn completions_know_every_command() {
    let (_, help, _) = run(&["--help"]);
    assert!(
        help.contains("--explain") && help.contains("--config"),
        "{help}"
    );
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, out, err) = run(&["completions", shell]);
        assert_eq!(code, Some(0), "{err}");
        for word in ["mutate", "min-score", "stryker", "explain"] {
            assert!(out.contains(word), "{shell} {word}");
        }
    }
    assert_eq!(run(&["completions", "tcsh"]).0, Some(1));
    // A shell takes its own.
    let (_, script, _) = run(&["completions", "bash"]);
    let ask = "COMP_WORDS=(proofmark mu); COMP_CWORD=1; _proofmark proofmark mu proofmark; \
               echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash")
        .args(["--norc", "-c", &format!("{script}\n{ask}")])
        .output();
    match output {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(text.trim(), "mutate mutators", "{output:?}");
        }
        Err(error) => println!("not tried in bash: {error}"),
    }
}

#[test]
fn the_help_lists_what_is_for_other_tools_last() {
    for (command, option) in [
        ("check", "--jkind-xml"),
        ("ivc", "--lcov"),
        ("mutate", "--stryker"),
    ] {
        let (_, help, _) = run(&[command, "-h"]);
        let (own, others) = help
            .split_once("For other tools:")
            .expect("there is a heading");
        for name in [option, "--sarif", "--junit", "--fst"] {
            assert!(others.contains(name), "{command} {name}");
        }
        for name in ["--timeout", "--json", "--config"] {
            assert!(own.contains(name), "{command} {name}");
        }
        assert!(!others.contains("--save-proof"), "{help}");
    }
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let (code, out, _) = run(&["man"]);
    assert_eq!(code, Some(0));
    assert!(out.contains(".TH proofmark 1"), "{out}");
    assert!(out.contains("proofmark\\-mutate(1)"), "{out}");
    let (code, out, _) = run(&["man", "mutate"]);
    assert_eq!(code, Some(0));
    assert!(out.contains(".TH proofmark-mutate 1"), "{out}");
    assert!(out.contains("\\-\\-min\\-score"), "{out}");
    let (code, _, err) = run(&["man", "mutat"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("did you mean mutate?"), "{err}");
}
