//! What somebody can do who writes the model, the configuration, the run directory or the solver: nothing that a
//! reader of the output would not see.

mod common;

use common::{Folder, document, example, outcome, proofmark, run};
use std::fs;
use std::path::Path;

/// Each acts on a terminal, a spreadsheet, a runner of workflows or a format of lines.
const HOSTILE: [&str; 9] = [
    "\u{1b}[2Kbad",
    "\u{9b}2K\u{7}bell",
    "back\u{8}\u{8}space\u{7f}",
    "\u{202e}dilav",
    "\u{2028}VALID p",
    "=HYPERLINK(1)",
    "@sum",
    "a,b%0A::error::c",
    "-1+2",
];

/// Whether a text would do something where it is shown.
fn acts(text: &str) -> Option<char> {
    let marks = ['\u{2028}', '\u{202e}', '\u{feff}'];
    text.chars()
        .find(|c| (c.is_control() && *c != '\n') || marks.contains(c))
}

/// One property of each name, of which the first is false.
fn hostile_model() -> String {
    let mut text =
        String::from("node m(x: bool) returns (n: int);\nlet\n  n = 0 -> if x then 1 else 2;\n");
    for (at, name) in HOSTILE.iter().enumerate() {
        let bound = if at == 0 { 1 } else { 2 };
        text.push_str(&format!(
            "  --%PROPERTY \"{name}\" n <= {bound} + 0 * {at};\n"
        ));
    }
    text + "tel\n"
}

#[test]
fn a_name_acts_on_nothing_that_is_printed_or_written() {
    let folder = Folder::new("hostile");
    let model = folder.file("model.lus", &hostile_model());
    let runs: [(&[&str], &[&str]); 4] = [
        (
            &["check", "-v", "--github"],
            &["html", "sarif", "junit", "vcd", "jkind-xml"],
        ),
        (&["check", "--json"], &[]),
        (
            &["ivc", "--all", "--github"],
            &["csv", "lcov", "html", "sarif", "junit"],
        ),
        (
            &["mutate", "--matrix", "--github", "--timeout", "20"],
            &["csv", "stryker", "html", "sarif", "junit", "vcd"],
        ),
    ];
    for (command, exports) in runs {
        let mut arguments: Vec<String> = command.iter().map(|one| one.to_string()).collect();
        for export in exports {
            arguments.push(format!("--{export}={}", folder.at(export)));
        }
        arguments.push(model.clone());
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, out, error) = run(&words);
        assert!(matches!(code, Some(0 | 10)), "{words:?} {error}");
        assert!(out.contains("u{1b}[2Kbad"), "{out}");
        for (what, text) in [("standard output", &out), ("standard error", &error)] {
            assert_eq!(acts(text), None, "{what} of {words:?}: {text:?}");
        }
        for export in exports {
            let text = fs::read_to_string(folder.at(export)).expect("it was written");
            // These show the text of the model, in the strings of a script or of JSON.
            if ["stryker", "html"].contains(export) {
                continue;
            }
            assert_eq!(acts(&text.replace('\t', " ")), None, "{export}: {text:?}");
            if *export == "csv" {
                let header = text.lines().next().expect("it has a header");
                for name in ["'=HYPERLINK(1)", "'@sum", "'-1+2"] {
                    assert!(
                        header.split([',', '"']).any(|cell| cell == name),
                        "{header}"
                    );
                }
            }
        }
    }
}

#[test]
fn symbols_of_netlists_act_on_nothing_either() {
    let folder = Folder::new("symbols");
    let aiger = "aag 1 0 1 0 0 1\n2 2\n2\nl0 \u{1b}[2Kl\nb0 \u{9b}b\u{7}\n";
    let btor = "1 sort bitvec 1\n2 zero 1\n3 state 1 \u{1b}[2Ks\n4 init 1 3 2\n5 next 1 3 3\n6 bad 3 \u{7}b\n";
    for (name, text) in [("a.aag", aiger), ("a.btor2", btor)] {
        let file = folder.file(name, text);
        let proofs = folder.at("proofs");
        let (code, out, error) = run(&["check", "-v", "--certificate", &proofs, &file]);
        assert_eq!(code, Some(0), "{out} {error}");
        assert_eq!(
            (acts(&out), acts(&error)),
            (None, None),
            "{out:?} {error:?}"
        );
        let (code, out, error) = run(&["audit", &proofs]);
        assert_eq!(code, Some(0), "{out} {error}");
        assert_eq!(
            (acts(&out), acts(&error)),
            (None, None),
            "{out:?} {error:?}"
        );
    }
}

#[test]
fn a_wrong_model_is_shown_without_acting() {
    let folder = Folder::new("wrong");
    let file = folder.file(
        "\u{1b}[2Kwrong.lus",
        "node m(\u{1b}[2K\u{9b}x: bool) returns ();\n",
    );
    let (code, out, error) = run(&["check", &file]);
    assert_eq!(code, Some(2), "{out}");
    assert_eq!((acts(&out), acts(&error)), (None, None), "{error:?}");
    let (_, out, error) = run(&["check", "\u{1b}[2Kmissing.lus"]);
    assert_eq!((acts(&out), acts(&error)), (None, None), "{error:?}");
}

#[test]
fn names_in_documents_and_certificates_act_on_nothing() {
    let folder = Folder::new("documents");
    let text = document(&["check", &example("switch.lus")]).to_string();
    let hostile = text.replace("never_too_long", "\\u001b[2K\\nVALID \u{9b}x");
    assert_ne!(text, hostile);
    let (old, new) = (
        folder.file("old.json", &text),
        folder.file("new.json", &hostile),
    );
    for (a, b) in [(&old, &new), (&new, &old)] {
        let (_, out, error) = run(&["diff", a, b]);
        assert!(out.contains("\\u{1b}[2K\\nVALID"), "{out} {error}");
        assert_eq!((acts(&out), acts(&error)), (None, None), "{out:?}");
    }
    let proofs = folder.at("proofs");
    run(&["check", "--certificate", &proofs, &example("switch.lus")]);
    let manifest = Path::new(&proofs).join("manifest.txt");
    let listed = fs::read_to_string(&manifest).expect("it is there");
    let listed = listed
        .replace("property ", "property \u{1b}[2K")
        .replace("examples/", "\u{9b}2K/");
    fs::write(&manifest, listed).expect("it can be written");
    let (code, out, error) = run(&["audit", &proofs]);
    assert!(matches!(code, Some(5 | 6)), "{out}");
    assert_eq!(
        (acts(&out), acts(&error)),
        (None, None),
        "{out:?} {error:?}"
    );
}

#[test]
fn a_mark_of_byte_order_is_no_part_of_a_model() {
    let folder = Folder::new("marked");
    let files = [
        ("a.lus", fs::read_to_string(example("closed.lus"))),
        ("a.aag", fs::read_to_string(example("token.aag"))),
        ("a.smv", fs::read_to_string(example("ring.smv"))),
    ];
    for (name, text) in files {
        let text = text.expect("it is there");
        let plain = run(&["check", "--quiet", &folder.file(name, &text)]);
        let marked = folder.file(name, &format!("\u{feff}{text}"));
        let (code, out, error) = run(&["check", "--quiet", &marked]);
        assert_eq!(
            (code, error.as_str()),
            (plain.0, plain.2.as_str()),
            "{name}: {out}"
        );
    }
}

#[test]
fn what_a_full_disk_cannot_take_leaves_what_was_there() {
    let folder = Folder::new("whole");
    let (page, sarif) = (
        folder.file("page.html", "old"),
        folder.file("a.sarif", "old"),
    );
    // A folder in the way of the name under which the new file is made fails as a full disk does.
    let limited = format!(
        "ulimit -f 1; trap '' XFSZ; {} check --html {page} --sarif {sarif} {}",
        env!("CARGO_BIN_EXE_proofmark"),
        example("switch.lus")
    );
    let mut shell = std::process::Command::new("sh");
    let (code, _, error) = outcome(shell.args(["-c", &limited]));
    assert_eq!(code, Some(6), "{error}");
    for file in [&page, &sarif] {
        assert_eq!(fs::read_to_string(file).expect("it is there"), "old");
    }
    let left = fs::read_dir(&folder.0).expect("it is there").count();
    assert_eq!(left, 2, "nothing half written is left");
}

#[test]
fn two_processes_do_not_write_one_run_directory() {
    let folder = Folder::new("locked");
    let place = folder.at("run");
    fs::create_dir(&place).expect("it can be made");
    let lock = fs::File::create(Path::new(&place).join("lock")).expect("it can be made");
    fs::write(
        Path::new(&place).join("lock"),
        "process 7 on ship since 1970\n",
    )
    .expect("it is there");
    lock.lock().expect("it is free");
    let arguments = ["mutate", "--run-dir", &place, &example("closed.lus")];
    let (code, _, error) = run(&arguments);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("in use by process 7 on ship"), "{error}");
    // When that process is gone its lock is free, whatever stands in the file.
    drop(lock);
    let (code, out, error) = run(&arguments);
    assert!(matches!(code, Some(0 | 10)), "{out} {error}");
    let held = fs::read_to_string(Path::new(&place).join("lock")).expect("it is there");
    assert!(held.contains(" since 20"), "{held}");
}

#[test]
fn a_configuration_says_what_it_sets_and_writes_nowhere_else() {
    let folder = Folder::new("configured");
    let text = fs::read_to_string(example("closed.lus")).expect("it is there");
    let model = folder.file("model.lus", &text);
    folder.file(
        "proofmark.toml",
        "no-audit = true\naccept = [\"unknown\"]\nquiet = true\n",
    );
    let (code, _, error) = run(&["check", &model]);
    assert_eq!(code, Some(0), "{error}");
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 1, "{error}");
    assert!(lines[0].contains("proofmark.toml sets"), "{error}");
    assert!(
        lines[0].contains("no-audit") && lines[0].contains("accept=unknown"),
        "{error}"
    );
    for path in ["../page.html", "/elsewhere/page.html", "a/../../page.html"] {
        let config = folder.file("proofmark.toml", &format!("html = \"{path}\"\n"));
        let (code, _, error) = run(&["check", &model]);
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains("below the folder"), "{error}");
        if path.starts_with("..") {
            fs::create_dir_all(folder.at("deep")).expect("it can be made");
            let (by_hand, deep) = (folder.at("deep/by-hand.toml"), folder.at("page.html"));
            fs::copy(&config, &by_hand).expect("it can be copied");
            let (code, _, error) = run(&["check", "--no-audit", "--config", &by_hand, &model]);
            assert_eq!(code, Some(0), "{error}");
            assert!(Path::new(&deep).is_file());
        }
    }
    folder.file("proofmark.toml", "html = \"page.html\"\n");
    let elsewhere = Folder::new("configured-elsewhere");
    let mut command = proofmark(&["check", &model]);
    let (code, _, error) = outcome(command.current_dir(&elsewhere.0));
    assert_eq!(code, Some(0), "{error}");
    assert!(Path::new(&folder.at("page.html")).is_file());
}

/// Every line with a field changed and its checksum made anew, as whoever forges it would.
fn forged(journal: &str, change: impl Fn(&mut serde_json::Value)) -> String {
    let lines = journal.lines().map(|line| {
        let mut value: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
        let fields = value.as_object_mut().expect("it has fields");
        fields.remove("sum");
        if !fields.contains_key("id") {
            return format!("{line}\n");
        }
        change(&mut value);
        let text = value.to_string();
        let body = text.strip_suffix('}').expect("it has fields");
        let sum = proofmark_source::sha256(body.as_bytes());
        format!("{body},\"sum\":\"{}\"}}\n", &sum[..16])
    });
    lines.collect()
}

#[test]
fn a_journal_of_kills_is_not_believed() {
    let folder = Folder::new("journal");
    let (place, model) = (folder.at("run"), example("cores.lus"));
    let base = ["mutate", "--json", "--run-dir", &place, &model];
    let (code, out, error) = run(&base);
    assert_eq!(code, Some(10), "{error}");
    let verdicts = |text: &str| -> Vec<String> {
        let document: serde_json::Value = serde_json::from_str(text).expect("a document");
        let mutants = document["mutants"].as_array().expect("a list").iter();
        mutants
            .map(|one| format!("{} {}", one["id"], one["verdict"]))
            .collect()
    };
    let path = Path::new(&place).join("journal.jsonl");
    let journal = fs::read_to_string(&path).expect("it is there");
    let all_killed = forged(&journal, |line| line["verdict"] = "killed".into());
    fs::write(&path, &all_killed).expect("it can be written");
    // Who rechecks everything believes nothing of it, and is told.
    let resume = [&base[..], &["--resume"]].concat();
    let (code, again, error) = run(&[&resume[..], &["--recheck", "all"]].concat());
    assert_eq!(code, Some(10), "{error}");
    assert_eq!(verdicts(&again), verdicts(&out));
    assert!(error.contains("rechecked are wrong"), "{error}");
    // A campaign of less than ten seconds is rechecked as a whole in any case.
    let (code, _, error) = run(&resume);
    assert_eq!(code, Some(6), "{error}");
    // Who rechecks nothing sees that in the score.
    let (_, text, _) = run(&[
        "mutate",
        "--run-dir",
        &place,
        &model,
        "--resume",
        "--recheck",
        "none",
    ]);
    assert!(text.contains("are from a file, not rechecked"), "{text}");
    // A line that was changed by accident loses itself only.
    let line = journal.lines().nth(3).expect("it has so many");
    fs::write(
        &path,
        journal.replace(line, &line.replace("\"id\"", "\"ie\"")),
    )
    .expect("it can be written");
    let (_, again, error) = run(&resume);
    assert!(
        error.contains("line 4 of") && error.contains("is damaged;"),
        "{error}"
    );
    assert_eq!(verdicts(&again), verdicts(&out));
}

#[test]
fn a_part_that_does_not_fit_is_refused() {
    let folder = Folder::new("parts");
    let part = document(&["mutate", "--shard", "1/2", &example("closed.lus")]);
    let attempt = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut changed = part.clone();
        change(&mut changed);
        let file = folder.file("part.json", &changed.to_string());
        run(&["merge", &file])
    };
    let (code, text, _) = attempt(&|_| {});
    assert_ne!(code, Some(2));
    assert!(text.contains("are from a file, not rechecked"), "{text}");
    let changes: [&dyn Fn(&mut serde_json::Value); 5] = [
        &|one| one["shard"]["of"] = 1_000_000_000_000_u64.into(),
        &|one| one["shard"]["number"] = 3.into(),
        &|one| one["shard"]["all"] = 1.into(),
        &|one| one["shard"]["positions"][1] = one["shard"]["positions"][0].clone(),
        &|one| one["shard"]["number"] = 2.into(),
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let (code, out, error) = attempt(change);
        assert_eq!(code, Some(2), "change {at}: {out} {error}");
    }
}

#[test]
fn an_input_without_end_is_cut_off() {
    if !Path::new("/dev/zero").exists() {
        println!("skipped: there is no /dev/zero");
        return;
    }
    let (code, _, error) = run(&["check", "--language", "lustre", "/dev/zero"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("had no end after 1 GiB"), "{error}");
}
