//! `proofmark cover`: exit codes, findings, and runs that go on.

mod common;

use common::{Folder, document, root, run};
use serde_json::Value;

fn token() -> String {
    root().join("examples/token.aag").display().to_string()
}

/// Two latches that the property reads, one that nobody does, and one that the proof can do without.
const WATCHED: &str = "aag 6 1 4 0 1 1\n2\n4 4\n6 4\n8 2\n10 10\n12\n12 4 6\nl0 kept\nl1 copy\nl2 spare\nl3 idle\nb0 both\n";

fn verdict(findings: &Value, element: &str, criterion: &str) -> String {
    let rows = findings["coverage"].as_array().unwrap().iter();
    let mut rows = rows.filter(|row| row["element"] == element && row["property"].is_null());
    let row = rows.next().unwrap_or_else(|| panic!("no row of {element}"));
    row[criterion].as_str().unwrap().to_string()
}

#[test]
fn what_nobody_reads_is_outside_and_what_matters_is_covered() {
    let folder = Folder::new("cover");
    let file = folder.file("watched.aag", WATCHED);
    let findings = document(&["cover", &file]);
    assert_eq!(verdict(&findings, "spare", "nondet"), "not-covered");
    assert_eq!(verdict(&findings, "kept", "nondet"), "covered");
    assert_eq!(verdict(&findings, "kept", "zero"), "not-covered");
    let summary = &findings["coverage_summary"][0];
    assert_eq!(summary["funnel"]["outside"], 2);
    assert_eq!(summary["elements"], 4);
    let whole = document(&["cover", "--cut", "output", &file]);
    assert_eq!(whole["coverage_summary"][0]["cut"], "output");
    // A gate that is stuck at true is the bad signal itself.
    let gates = document(&["cover", "--gates", &file]);
    assert_eq!(gates["coverage_summary"][0]["elements"], 5);
    assert_eq!(gates["coverage_summary"][0]["funnel"]["outside"], 2);
}

#[test]
fn the_exit_code_tells_whether_enough_is_covered() {
    let file = token();
    assert_eq!(run(&["cover", &file]).0, Some(0));
    assert_eq!(run(&["cover", "--min-coverage", "1", &file]).0, Some(0));
    let folder = Folder::new("cover-exit");
    let watched = folder.file("watched.aag", WATCHED);
    let (code, out, _) = run(&["cover", "--min-coverage", "0.9", &watched]);
    assert_eq!(code, Some(10), "{out}");
    // What is refuted covers nothing.
    let wrong = root().join("tests/corpus/aiger/invalid/counter.aag");
    let wrong = wrong.display().to_string();
    assert_eq!(run(&["cover", &wrong]).0, Some(10));
    for method in ["cascade", "paper"] {
        let found = document(&["cover", "--method", method, &wrong]);
        assert_eq!(found["properties"][0]["verdict"], "invalid", "{method}");
        assert_eq!(found["properties"][0]["audit"], "passed", "{method}");
    }
}

#[test]
fn a_resumed_run_keeps_what_was_decided() {
    let folder = Folder::new("cover-resume");
    let file = folder.file("watched.aag", WATCHED);
    let place = folder.at("run");
    let first = document(&["cover", "--run-dir", &place, &file]);
    let journal = std::fs::read_to_string(folder.0.join("run/journal.jsonl")).unwrap();
    // The last line is torn, as by a process that was killed.
    let torn = &journal[..journal.len() - 9];
    std::fs::write(folder.0.join("run/journal.jsonl"), torn).unwrap();
    let again = document(&["cover", "--run-dir", &place, "--resume", &file]);
    for element in ["kept", "copy", "spare", "idle"] {
        for criterion in ["nondet", "zero", "one"] {
            let found = verdict(&again, element, criterion);
            assert_eq!(found, verdict(&first, element, criterion));
        }
    }
    let (code, _, error) = run(&["cover", "--run-dir", &place, "--resume", "--gates", &file]);
    assert_eq!(code, Some(1), "{error}");
}

#[test]
fn the_parts_of_a_run_are_all_of_it() {
    let folder = Folder::new("cover-shard");
    let file = folder.file("watched.aag", WATCHED);
    let count = |shard: &str| {
        let findings = document(&["cover", "--shard", shard, &file]);
        findings["coverage_summary"][0]["elements"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(count("1/2") + count("2/2"), 4);
}

#[test]
fn the_method_of_the_paper_agrees_and_has_five_tests() {
    let folder = Folder::new("cover-paper");
    let file = folder.file("watched.aag", WATCHED);
    let (one, other) = (
        document(&["cover", &file]),
        document(&["cover", "--method", "paper", &file]),
    );
    for element in ["kept", "copy", "spare", "idle"] {
        for criterion in ["nondet", "zero", "one"] {
            let found = verdict(&other, element, criterion);
            assert_eq!(found, verdict(&one, element, criterion), "{element}");
        }
    }
    let five = [
        "core",
        "counterexample",
        "induction",
        "interpolation",
        "restart",
    ];
    let tests = other["coverage_summary"][0]["tests"].as_object().unwrap();
    assert!(
        tests.keys().all(|test| five.contains(&test.as_str())),
        "{tests:?}"
    );
    assert_eq!(other["options"]["method"], "paper");
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    for option in [&["--no-audit"][..], &["--audit-solver", "embedded"][..]] {
        let (code, _, error) = run(&[&["cover"], option, &[token().as_str()]].concat());
        assert_eq!(code, Some(1), "{error}");
        assert!(error.contains("LRAT checker"), "{error}");
    }
}

/// A journal that claims what is not so is not believed: runs are replayed, certificates audited.
/// A line with its checksum made anew, as whoever forges it would.
fn sealed(line: &Value) -> String {
    let text = line.to_string();
    let body = text.strip_suffix('}').expect("it has fields");
    let sum = proofmark_source::sha256(body.as_bytes());
    format!("{body},\"sum\":\"{}\"}}\n", &sum[..16])
}

#[test]
fn a_resumed_run_does_not_believe_its_journal() {
    let folder = Folder::new("cover-forged");
    let file = folder.file("watched.aag", WATCHED);
    let place = folder.at("run");
    let first = document(&["cover", "--run-dir", &place, &file]);
    let path = folder.0.join("run/journal.jsonl");
    let journal = std::fs::read_to_string(&path).unwrap();
    let forged: Vec<String> = journal
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line.as_object_mut().unwrap().remove("sum");
            if line["cut"] == "kept" && line["criterion"] == "nondet" {
                // A certificate of other elements is put forward instead of the run.
                line["covered"] = false.into();
                line["certificate"] = 0.into();
                line.as_object_mut().unwrap().remove("run");
            }
            if line["proof"].is_number() {
                let cuts = line["cuts"].as_array_mut().unwrap();
                cuts.push("kept".into());
            }
            sealed(&line)
        })
        .collect();
    std::fs::write(&path, forged.concat()).unwrap();
    let again = document(&["cover", "--run-dir", &place, "--resume", &file]);
    for element in ["kept", "copy", "spare", "idle"] {
        for criterion in ["nondet", "zero", "one"] {
            let found = verdict(&again, element, criterion);
            assert_eq!(found, verdict(&first, element, criterion), "{element}");
        }
    }
}

#[test]
fn merged_parts_are_the_whole_and_a_diff_tells_what_changed() {
    let folder = Folder::new("cover-merge");
    let file = folder.file("watched.aag", WATCHED);
    let parts: Vec<String> = ["1/2", "2/2"]
        .iter()
        .map(|shard| {
            let (_, out, _) = run(&["cover", "--json", "--shard", shard, &file]);
            folder.file(&format!("part{}.json", &shard[..1]), &out)
        })
        .collect();
    let (code, out, error) = run(&["merge", "--json", &parts[0], &parts[1]]);
    assert_eq!(code, Some(0), "{error}");
    let merged: Value = serde_json::from_str(&out).unwrap();
    let whole = document(&["cover", &file]);
    for element in ["kept", "copy", "spare", "idle"] {
        assert_eq!(
            verdict(&merged, element, "nondet"),
            verdict(&whole, element, "nondet")
        );
    }
    for (one, other) in [0, 1].map(|at| {
        (
            &merged["coverage_summary"][at],
            &whole["coverage_summary"][at],
        )
    }) {
        for field in ["property", "share", "funnel", "elements"] {
            assert_eq!(one[field], other[field], "{field}");
        }
    }
    let (code, _, error) = run(&["merge", &parts[0]]);
    assert_eq!(code, Some(5), "{error}");
    assert!(error.contains("part 2/2 is missing"), "{error}");
    // The property of the other one is about the second latch alone, which it covers.
    let strict = WATCHED.replace("12 4 6\n", "12 6 6\n");
    let other = folder.file("strict.aag", &strict);
    let documents = [&other, &file].map(|model| {
        let (_, out, _) = run(&["cover", "--json", model]);
        let name = format!("{}.json", model.rsplit('/').next().unwrap());
        folder.file(&name, &out)
    });
    let (code, out, error) = run(&["diff", &documents[0], &documents[1]]);
    assert_eq!(code, Some(10), "{out}{error}");
    assert!(
        out.contains("WORSE   element copy: covered -> not covered"),
        "{out}"
    );
}

#[test]
fn lines_waves_and_the_page_show_coverage() {
    let folder = Folder::new("cover-exports");
    let file = folder.file("watched.aag", WATCHED);
    let [lcov, vcd, html] = ["out.info", "out.vcd", "out.html"].map(|name| folder.at(name));
    let (code, _, error) = run(&[
        "cover", "--lcov", &lcov, "--vcd", &vcd, "--html", &html, &file,
    ]);
    assert_eq!(code, Some(0), "{error}");
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    let lines = read(&lcov);
    assert!(
        lines.contains("FNDA:1,kept") && lines.contains("FNDA:0,spare"),
        "{lines}"
    );
    assert!(
        read(&vcd).contains("$scope module kept_cut,_both"),
        "{}",
        read(&vcd)
    );
    assert!(read(&html).contains("\"coverage_summary\":[{\"property\":\"both\""));
}

/// A finite model of any language is cut at its memory.
#[test]
fn models_of_equations_are_covered_through_their_bits() {
    let folder = Folder::new("cover-words");
    let text = "node top(a: bool) returns (x: bool);\nvar c, d: bool;\nlet\n  c = false -> not pre c;\n  \
        d = false -> not pre d;\n  x = true -> pre a;\n  check c = d;\ntel\n";
    let findings = document(&["cover", &folder.file("twins.lus", text)]);
    assert_eq!(verdict(&findings, "c", "nondet"), "covered");
    assert_eq!(verdict(&findings, "x", "nondet"), "not-covered");
}

/// A process that is killed has written all that it had decided, and what goes on keeps it.
#[cfg(unix)]
#[test]
fn nothing_that_is_decided_is_lost_when_the_process_is_killed() {
    use std::process::{Command, Stdio};
    let folder = Folder::new("cover-killed");
    // Latches that stay at zero, and a bad signal that is true when all are set.
    let latches = 300;
    let gate = |at: usize| 4 + 2 * (latches + at);
    let gates = latches - 1;
    let mut text = format!("aag {} 1 {latches} 0 {gates} 1\n2\n", 1 + latches + gates);
    for at in 0..latches {
        text += &format!("{0} {0}\n", 4 + 2 * at);
    }
    text += &format!("{}\n", gate(gates - 1));
    for at in 0..gates {
        let left = if at == 0 { 4 } else { gate(at - 1) };
        text += &format!("{} {} {left}\n", gate(at), 6 + 2 * at);
    }
    let file = folder.file("ring.aag", &text);
    let place = folder.at("run");
    let journal = folder.0.join("run/journal.jsonl");
    let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["cover", "--run-dir", &place, &file])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // As soon as something is written, or when it is over.
    let begun = std::time::Instant::now();
    while std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < 20
        && child.try_wait().unwrap().is_none()
        && begun.elapsed().as_secs() < 60
    {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let lines = std::fs::read_to_string(&journal).unwrap();
    let again = document(&["cover", "--run-dir", &place, "--resume", &file]);
    let mut kept = 0;
    for line in lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
    {
        let (Some(cut), Some(criterion)) = (line["cut"].as_str(), line["criterion"].as_str())
        else {
            continue;
        };
        let covered = if line["covered"] == true {
            "covered"
        } else {
            "not-covered"
        };
        assert_eq!(verdict(&again, cut, criterion), covered, "{cut}");
        kept += 1;
    }
    assert!(kept > 0, "{lines}");
}
