//! What a run writes: looked at before the work, and never at the cost of something else.

mod common;

use common::{Folder, Model, example, run};
use std::fs;

/// Every option of `mutate` that names a file.
const FILES: [&str; 7] = [
    "--html",
    "--csv",
    "--stryker",
    "--sarif",
    "--junit",
    "--vcd",
    "--fst",
];

#[test]
fn a_file_that_cannot_be_written_ends_the_run_before_it_begins() {
    let folder = Folder::new("unwritable");
    let model = example("cores.lus");
    let wrong = folder.0.join("not-there/report").display().to_string();
    for option in FILES {
        let (code, out, err) = run(&["mutate", &model, option, &wrong]);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{option} {err}");
        assert!(err.contains(option) && err.contains(&wrong), "{err}");
    }
    for (command, option) in [
        ("check", "--html"),
        ("check", "--save-proof"),
        ("check", "--jkind-xml"),
        ("ivc", "--csv"),
        ("ivc", "--lcov"),
        ("merge", "--stryker"),
    ] {
        let (code, out, err) = run(&[command, &model, option, &wrong]);
        assert_eq!(
            (code, out.as_str()),
            (Some(1), ""),
            "{command} {option} {err}"
        );
        assert!(err.contains(option) && err.contains(&wrong), "{err}");
    }
    // A folder is no file.
    let here = folder.0.display().to_string();
    let (code, _, err) = run(&["check", &model, "--sarif", &here]);
    assert_eq!(code, Some(1), "{err}");
}

#[test]
fn looking_at_a_file_leaves_it_as_it_is() {
    let folder = Folder::new("as-it-is");
    let kept = folder.0.join("kept").display().to_string();
    let fresh = folder.0.join("fresh").display().to_string();
    fs::write(&kept, "former").unwrap();
    let broken = Model::new("broken", "node main(");
    let (code, _, _) = run(&["check", broken.path(), "--sarif", &kept, "--junit", &fresh]);
    assert_eq!(code, Some(2));
    assert_eq!(fs::read_to_string(&kept).unwrap(), "former");
    assert!(!fs::exists(&fresh).unwrap());
}

#[test]
fn two_reports_do_not_go_into_one_file() {
    let folder = Folder::new("twice");
    let path = folder.0.join("report").display().to_string();
    let model = example("cores.lus");
    let (code, _, err) = run(&["check", &model, "--html", &path, "--sarif", &path]);
    assert_eq!(code, Some(1));
    assert!(err.contains("--html and --sarif both write to"), "{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_fails_later_stops_neither_the_others_nor_the_summary() {
    let folder = Folder::new("full");
    let junit = folder.0.join("junit.xml").display().to_string();
    let model = example("cores.lus");
    let (code, out, err) = run(&["check", &model, "--sarif", "/dev/full", "--junit", &junit]);
    assert_eq!(code, Some(6), "{err}");
    assert!(err.contains("/dev/full"), "{err}");
    assert!(out.contains("VALID"), "{out}");
    assert!(fs::read_to_string(&junit).unwrap().contains("<testsuite"));
}

#[test]
fn a_folder_that_is_a_file_ends_the_run_before_it_begins() {
    let folder = Folder::new("run-dir");
    let file = folder.0.join("file").display().to_string();
    fs::write(&file, "").unwrap();
    let model = example("cores.lus");
    for (command, option) in [("mutate", "--run-dir"), ("check", "--certificate")] {
        let (code, out, err) = run(&[command, &model, option, &file]);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
        assert!(err.contains(option) && err.contains(&file), "{err}");
    }
}

#[test]
fn wrong_words_on_the_command_line_are_answered_with_what_may_be_meant() {
    let (code, _, err) = run(&["mutat", "model.lus"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("'mutate'"), "{err}");
    let (code, _, err) = run(&["mutate", "model.lus", "--min-scor", "0.9"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("'--min-score'"), "{err}");
    let (code, _, err) = run(&["check", "model.lus", "--accept", "gaps"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("'gap'"), "{err}");
}
