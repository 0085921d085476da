//! Long runs of `proofmark mutate`: killed and resumed, in parts, and on a diff.

mod common;

use common::{Folder, proofmark, run};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Counters that are independent of each other, each with killed, equivalent and gap mutants.
fn model(counters: usize) -> String {
    use std::fmt::Write as _;
    let mut text = String::from("node main(up, reset: bool) returns (");
    let names: Vec<String> = (0..counters)
        .map(|at| format!("n{at}, m{at}: int"))
        .collect();
    let _ = writeln!(text, "{});\nlet", names.join("; "));
    for at in 0..counters {
        // Low, so that no mutant comes near its budget of seconds, however busy the machine is.
        let top = 3 + at % 3;
        let _ = writeln!(text, "  n{at} = 0 -> if reset then 0 else");
        let _ = writeln!(
            text,
            "    if up and pre n{at} < {top} then pre n{at} + 1 else pre n{at};"
        );
        let _ = writeln!(
            text,
            "  m{at} = if n{at} > 1 or reset then n{at} + 1 else 2 * n{at};"
        );
        let _ = writeln!(text, "  --%PROPERTY \"low{at}\" n{at} >= 0 and m{at} >= 0;");
        let _ = writeln!(text, "  --%PROPERTY \"high{at}\" n{at} <= {top};");
    }
    text.push_str("tel\n");
    text
}

fn document(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What does not depend on the run: ids, verdicts, what is changed, in order; and the score.
fn essence(document: &Value) -> (Vec<[String; 3]>, Value) {
    let mutants = document["mutants"].as_array().expect("mutants");
    let field = |one: &Value, name: &str| one[name].as_str().expect(name).to_string();
    let rows = mutants
        .iter()
        .map(|one| ["id", "verdict", "replacement"].map(|name| field(one, name)));
    (rows.collect(), document["score"].clone())
}

fn ids(document: &Value) -> BTreeSet<String> {
    let (rows, _) = essence(document);
    rows.into_iter().map(|[id, _, _]| id).collect()
}

/// Kills a campaign again and again, a little later each time, then lets it end.
fn killed_and_resumed(folder: &Folder, model: &str, kills: u64) -> Value {
    let dir = folder.at("run");
    let journal = format!("{dir}/journal.jsonl");
    let resume = ["mutate", model, "--json", "--run-dir", &dir, "--resume"];
    let (mut lines, mut interrupted) = (0, 0);
    // Any sequence that does not repeat will do.
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..kills {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let mut command = proofmark(&resume);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary starts");
        // Most of the time until there is something new in the journal, so that all kills meet a
        // campaign that is under way; and sometimes before that.
        let (begin, patience) = (Instant::now(), Duration::from_secs(20));
        let wanted = lines + (random >> 33) as usize % 9;
        while begin.elapsed() < patience && child.try_wait().expect("a child").is_none() {
            let now = fs::read(&journal).unwrap_or_default();
            if now.iter().filter(|byte| **byte == b'\n').count() >= wanted {
                break;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(Duration::from_micros(random >> 51));
        interrupted += u64::from(child.try_wait().expect("a child").is_none());
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        let now = fs::read(&journal).unwrap_or_default();
        let count = now.iter().filter(|byte| **byte == b'\n').count();
        assert!(count >= lines, "the journal lost {} lines", lines - count);
        lines = count;
    }
    assert!(
        interrupted >= kills / 2,
        "{interrupted} of {kills} kills met a run"
    );
    let (code, out, err) = run(&resume);
    assert_eq!(code, Some(10), "{err}");
    eprintln!("{interrupted} of {kills} kills met a run; {lines} lines were written by then");
    document(&out)
}

fn survives_kills(name: &str, counters: usize, kills: u64) {
    let folder = Folder::new(name);
    let model = folder.file("model.lus", &model(counters));
    let (code, out, err) = run(&["mutate", &model, "--json"]);
    assert_eq!(code, Some(10), "{err}");
    let undisturbed = document(&out);
    assert_eq!(ids(&undisturbed).len(), essence(&undisturbed).0.len());
    let resumed = killed_and_resumed(&folder, &model, kills);
    let (now, before) = (essence(&resumed).0, essence(&undisturbed).0);
    for (now, before) in now.iter().zip(&before) {
        assert_eq!(now, before);
    }
    assert_eq!(essence(&resumed), essence(&undisturbed));
    let mutants = resumed["mutants"].as_array().expect("mutants");
    for one in mutants {
        let verdict = one["verdict"].as_str().expect("a verdict");
        let traced = matches!(verdict, "killed" | "gap");
        assert_eq!(one["trace"]["steps"].is_array(), traced, "{one}");
    }
}

/// `PROOFMARK_KILLS=50 cargo test --test mutate_runs` takes minutes.
#[test]
fn a_run_that_is_killed_goes_on_to_the_same_end() {
    let kills = std::env::var("PROOFMARK_KILLS").ok();
    match kills.and_then(|kills| kills.parse().ok()) {
        Some(kills) => survives_kills("kills", 12, kills),
        None => survives_kills("kills", 4, 5),
    }
}

/// The model says which elements are counted, and mutants are also in the others.
#[test]
fn mutants_of_what_is_not_counted_have_ids_of_their_own() {
    let folder = Folder::new("ids");
    let corpus = "../../tests/corpus/lustre/valid/ring_buffer.lus";
    let model = format!("{}/{corpus}", env!("CARGO_MANIFEST_DIR"));
    let dir = folder.at("run");
    let quick = ["--no-equivalence", "--mutators", "all"];
    let base = [&["mutate", &model, "--json", "--run-dir", &dir][..], &quick].concat();
    let (_, first, err) = run(&base);
    let ids: BTreeSet<String> = ids(&document(&first));
    assert!(ids.contains("main/at#equation_remove#1"), "{ids:?} {err}");
    assert_eq!(ids.len(), essence(&document(&first)).0.len());
    let (_, second, err) = run(&[&base[..], &["--resume"]].concat());
    assert_eq!(
        essence(&document(&second)),
        essence(&document(&first)),
        "{err}"
    );
}

#[test]
fn text_after_a_resume_is_what_it_was() {
    let folder = Folder::new("text");
    let model = folder.file("model.lus", &model(1));
    let dir = folder.at("run");
    let once = ["mutate", &model, "-v", "--jobs", "1", "--run-dir", &dir];
    let (code, first, err) = run(&once);
    assert_eq!(code, Some(10), "{err}");
    assert!(
        first.contains("\nGAP ") && first.contains("\nKILLED "),
        "{first}"
    );
    let (code, second, err) = run(&[&once[..], &["--resume"]].concat());
    assert_eq!(code, Some(10), "{err}");
    // Times differ.
    let body = |text: &str| {
        let lines = text.lines().skip_while(|line| !line.is_empty());
        let lines: Vec<String> = lines.map(String::from).collect();
        lines[..lines.len() - 1].join("\n")
    };
    assert_eq!(body(&first), body(&second));
}

#[test]
fn a_torn_line_is_dropped_and_a_damaged_one_told() {
    let folder = Folder::new("torn");
    let model = folder.file("model.lus", &model(1));
    let dir = folder.at("run");
    // Suggestions would write lines again.
    let base = [
        "mutate",
        "--no-suggest",
        &model,
        "--json",
        "--run-dir",
        &dir,
    ];
    let resume = [&base[..], &["--resume"]].concat();
    let (_, out, _) = run(&base);
    let whole = essence(&document(&out));
    let path = folder.at("run/journal.jsonl");
    let text = fs::read(&path).expect("a journal");
    // Whatever the length at which it is torn, also in the header and in the plan.
    let lengths = [0, 7, 200, 700, text.len() / 2, text.len() - 1];
    for length in lengths {
        fs::write(&path, &text[..length]).expect("it can be written");
        let (code, out, err) = run(&resume);
        assert_eq!(code, Some(10), "{err}");
        assert_eq!(err, "", "torn at {length}");
        assert_eq!(essence(&document(&out)), whole, "torn at {length}");
        let again = fs::read(&path).expect("a journal");
        let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(lines(&again), lines(&text), "torn at {length}");
    }
    let third = text
        .split_inclusive(|byte| *byte == b'\n')
        .take(4)
        .map(<[u8]>::len)
        .sum::<usize>();
    let mut damaged = text.clone();
    damaged[third + 3..third + 20].fill(0);
    fs::write(&path, &damaged).expect("it can be written");
    let (_, out, err) = run(&resume);
    assert!(
        err.contains("line 5 of") && err.contains("is damaged"),
        "{err}"
    );
    assert_eq!(essence(&document(&out)), whole);
}

/// A verdict stays when a run is killed before survivors are told apart, which comes last.
#[test]
fn what_survives_is_not_proved_again() {
    let folder = Folder::new("survives");
    let model = folder.file("model.lus", &model(2));
    let dir = folder.at("run");
    let base = [
        "mutate",
        &model,
        "--json",
        "--no-suggest",
        "--run-dir",
        &dir,
    ];
    let (_, out, _) = run(&base);
    let whole = document(&out);
    let path = folder.at("run/journal.jsonl");
    let text = fs::read_to_string(&path).expect("a journal");
    let says = |line: &&str| line.starts_with("{\"survives\":");
    let survivors = text.lines().filter(says).count();
    let score = &whole["score"];
    let wanted = score["gap"].as_u64().zip(score["equivalent"].as_u64());
    assert_eq!(Some(survivors as u64), wanted.map(|(gap, same)| gap + same));
    // Killed when the last verdict was there.
    let mut left = survivors;
    let lines = text.split_inclusive('\n').take_while(|line| {
        let more = left > 0;
        left -= usize::from(says(line));
        more
    });
    fs::write(&path, lines.collect::<String>()).expect("it can be written");
    let (_, out, err) = run(&[&base[..], &["--resume"]].concat());
    assert_eq!(essence(&document(&out)), essence(&whole), "{err}");
    let again = fs::read_to_string(&path).expect("a journal");
    assert_eq!(again.lines().filter(says).count(), survivors);
    let by = |found: &Value| {
        let mutants = found["mutants"].as_array().expect("mutants").iter();
        let evidence = mutants.map(|one| (one["decided_by"].clone(), one["certificate"].clone()));
        evidence.collect::<Vec<_>>()
    };
    assert_eq!(by(&document(&out)), by(&whole));
}

/// The mutants depend on the proof then; those of the first run are gone on with.
#[test]
fn a_run_in_the_core_goes_on_with_its_own_mutants() {
    let folder = Folder::new("core");
    let model = folder.file("model.lus", &model(1));
    let dir = folder.at("run");
    let base = ["mutate", &model, "--json", "--in-core", "--run-dir", &dir];
    let (_, out, _) = run(&base);
    let whole = essence(&document(&out));
    let path = folder.at("run/journal.jsonl");
    let text = fs::read_to_string(&path).expect("a journal");
    let mut lines: Vec<&str> = text.split_inclusive('\n').take(5).collect();
    // As if the first proof had needed less.
    let mut plan: Value = serde_json::from_str(lines[1]).expect("a plan");
    let last = plan["mutants"].as_array_mut().and_then(Vec::pop);
    let shorter = format!("{plan}\n");
    lines[1] = &shorter;
    fs::write(&path, lines.concat()).expect("it can be written");
    let (_, out, err) = run(&[&base[..], &["--resume"]].concat());
    let (rows, _) = essence(&document(&out));
    assert_eq!(rows[..], whole.0[..whole.0.len() - 1], "{err}");
    assert_eq!(
        last.as_ref().and_then(Value::as_str),
        whole.0.last().map(|row| row[0].as_str())
    );
}

#[test]
fn another_model_or_other_options_are_refused() {
    let folder = Folder::new("refused");
    let path = folder.file("model.lus", &model(1));
    let dir = folder.at("run");
    let base = ["mutate", &path, "--quiet", "--run-dir", &dir];
    assert_eq!(run(&base).0, Some(10));
    let (code, _, err) = run(&base);
    assert_eq!(code, Some(1));
    assert!(
        err.contains("is not empty") && err.contains("--resume"),
        "{err}"
    );
    let (code, _, err) = run(&[&base[..], &["--resume", "--budget", "7", "--in-core"]].concat());
    assert_eq!(code, Some(1));
    assert!(err.contains("budget was 5.0 and is 7.0"), "{err}");
    assert!(err.contains("in_core was false and is true"), "{err}");
    // How long and how wide it runs is not what it finds.
    let (code, _, err) =
        run(&[&base[..], &["--resume", "--jobs", "1", "--timeout", "99"]].concat());
    assert_eq!((code, err.as_str()), (Some(10), ""));
    folder.file("model.lus", &model(2));
    let (code, _, err) = run(&[&base[..], &["--resume"]].concat());
    assert_eq!(code, Some(1));
    assert!(err.contains("the model has changed"), "{err}");
    let (code, _, err) = run(&["mutate", &path, "--resume"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("--run-dir"), "{err}");
}

#[test]
fn what_a_timeout_cut_short_is_tried_again() {
    let folder = Folder::new("timeout");
    let model = folder.file("model.lus", &model(2));
    let (_, out, _) = run(&["mutate", &model, "--json"]);
    let whole = essence(&document(&out));
    let dir = folder.at("run");
    let base = ["mutate", &model, "--json", "--run-dir", &dir, "--resume"];
    let (code, out, _) = run(&[&base[..], &["--timeout", "0.05"]].concat());
    assert!(matches!(code, Some(5 | 10)), "{code:?} {out}");
    let (_, out, err) = run(&base);
    assert_eq!(essence(&document(&out)), whole, "{err}");
}

#[test]
fn parts_merge_to_the_whole() {
    let folder = Folder::new("parts");
    let path = folder.file("model.lus", &model(2));
    let (_, out, _) = run(&["mutate", &path, "--json"]);
    let whole = essence(&document(&out));
    let part = |shard: &str, name: &str, more: &[&str]| {
        let (_, out, err) = run(&[&["mutate", &path, "--json", "--shard", shard], more].concat());
        assert_eq!(err, "");
        folder.file(name, &out)
    };
    let one = part("1/3", "1.json", &[]);
    let two = part("2/3", "2.json", &["--jobs", "1"]);
    let three = part("3/3", "3.json", &[]);
    let (code, out, err) = run(&["merge", "--json", &three, &one, &two]);
    assert_eq!((code, err.as_str()), (Some(10), ""));
    assert_eq!(essence(&document(&out)), whole);
    let (code, out, _) = run(&["merge", &one, &two, &three]);
    assert_eq!(code, Some(10));
    assert!(
        out.starts_with("score ") && out.contains("slip through"),
        "{out}"
    );
    let (code, _, err) = run(&["merge", "--accept", "gap", &one, &two]);
    assert_eq!(code, Some(5));
    assert!(
        err.contains("part 3/3 is missing") && err.contains("mutants"),
        "{err}"
    );
    let refused = |files: &[&str], why: &str| {
        let (code, out, err) = run(&[&["merge"], files].concat());
        assert_eq!((code, out.as_str()), (Some(2), ""));
        assert!(err.contains(why), "{err}");
    };
    refused(&[&one, &two, &one], "are both part 1");
    refused(
        &[&one, &part("2/3", "b.json", &["--in-core"])],
        "differ in in_core",
    );
    refused(
        &[&one, &part("2/4", "c.json", &[])],
        "are parts of 3 and of 4",
    );
    refused(&[&path], "is no part of a campaign");
    let (_, out, _) = run(&["mutate", &path, "--json"]);
    refused(&[&folder.file("d.json", &out)], "--shard");
    let (code, _, err) = run(&["mutate", &path, "--shard", "4/3"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("k from 1 to n"), "{err}");
}

#[test]
fn a_diff_picks_the_lines_it_adds() {
    let folder = Folder::new("diff");
    let model = folder.file("model.lus", &model(2));
    let line = "  m0 = if n0 > 1 or reset then n0 + 1 else 2 * n0;";
    let number = 1 + fs::read_to_string(&model)
        .unwrap()
        .lines()
        .position(|one| one == line)
        .unwrap();
    let text = format!(
        "--- a/sub/model.lus\n+++ b/model.lus\n@@ -{number} +{number} @@\n-  m0 = n0;\n+{line}\n"
    );
    let diff = folder.file("change.diff", &text);
    let (_, out, err) = run(&["mutate", &model, "--json", "--in-diff", &diff]);
    assert_eq!(err, "");
    let picked = document(&out);
    let lines = |document: &Value| -> Vec<u64> {
        let mutants = document["mutants"].as_array().expect("mutants");
        mutants
            .iter()
            .map(|one| one["at"]["line"].as_u64().expect("a line"))
            .collect()
    };
    assert!(!lines(&picked).is_empty());
    assert!(lines(&picked).iter().all(|line| *line == number as u64));
    let (_, out, _) = run(&["mutate", &model, "--json", "--line", &number.to_string()]);
    assert_eq!(essence(&document(&out)), essence(&picked));
    let other = folder.file("other.diff", &text.replace("b/model.lus", "b/other.lus"));
    let (code, _, err) = run(&["mutate", &model, "--in-diff", &other]);
    assert_eq!(code, Some(5));
    assert!(err.contains("adds no line"), "{err}");
    let stale = folder.file("stale.diff", &text.replace("2 * n0", "3 * n0"));
    for (name, why) in [
        (&stale, "the diff of this version"),
        (&model, "a unified diff"),
    ] {
        let (code, _, err) = run(&["mutate", &model, "--in-diff", name]);
        assert_eq!(code, Some(2));
        assert!(err.contains(why), "{err}");
    }
}

#[test]
fn a_former_run_is_tried_first_and_never_trusted() {
    let folder = Folder::new("reuse");
    let before = folder.file("before.lus", &model(2));
    let dir = folder.at("run");
    let (_, out, _) = run(&["mutate", &before, "--json", "--run-dir", &dir]);
    let printed = folder.file("before.json", &out);
    // The second counter is another; the first is as it was.
    let text = model(2).replace("n1 <= 4", "n1 <= 5");
    assert_ne!(text, model(2));
    let after = folder.file("after.lus", &text);
    let ask = |more: &[&str]| {
        let (code, out, err) = run(&[&["mutate", &after, "--json"], more].concat());
        assert!(code != Some(6), "{err}");
        document(&out)
    };
    let fresh = ask(&[]);
    // Every killed mutant is said to be killed by a run that does nothing, and the other way round.
    let mut wrong = document(&out);
    for mutant in wrong["mutants"].as_array_mut().expect("mutants") {
        let steps = serde_json::json!({"steps": [{"up": "true", "reset": "maybe"}], "loop": null,
                                       "violates": {"low0": 0}});
        mutant["trace"] = steps;
    }
    let wrong = folder.file("wrong.json", &wrong.to_string());
    for path in [&dir, &printed, &wrong] {
        let again = ask(&["--reuse", path]);
        assert_eq!(essence(&again), essence(&fresh), "{path}");
    }
    let (code, _, err) = run(&["mutate", &after, "--reuse", &after]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("--reuse"), "{err}");
}

#[test]
fn a_run_that_killed_kills_again() {
    let folder = Folder::new("again");
    let path = folder.file("model.lus", &model(1));
    let (_, out, _) = run(&["mutate", &path, "--json", "--jobs", "1"]);
    let printed = folder.file("former.json", &out);
    let (_, again, _) = run(&[
        "mutate", &path, "--json", "--jobs", "1", "--reuse", &printed,
    ]);
    let queries = |text: &str| {
        let document = document(text);
        let mutants = document["mutants"].as_array().expect("mutants").clone();
        let killed = mutants.iter().filter(|one| one["verdict"] == "killed");
        killed
            .filter_map(|one| one["queries"].as_u64())
            .sum::<u64>()
    };
    // All but what depends on values that only the mutant has.
    let (first, then) = (queries(&out), queries(&again));
    assert!(then * 4 < first, "{first} queries, then {then}");
}
