//! What is written for other tools, read by other people's readers: every format, from real runs.

mod common;

use common::{outcome, proofmark, root};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    outcome(proofmark(arguments).current_dir(root()))
}

/// The one document that a command prints.
fn document(arguments: &[&str]) -> Value {
    let (code, out, err) = run(&[arguments, &["--json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{code:?}\n{out}\n{err}"))
}

/// All models that are right, from the examples and the corpus.
fn models() -> Vec<String> {
    let folders = [
        "examples",
        "tests/corpus/lustre/valid",
        "tests/corpus/lustre/invalid",
    ];
    let mut models = Vec::new();
    for folder in folders {
        for entry in fs::read_dir(root().join(folder)).expect("the folder is there") {
            let name = entry.expect("it can be read").file_name();
            let name = name.to_str().expect("a plain name");
            if name.ends_with(".lus") {
                models.push(format!("{folder}/{name}"));
            }
        }
    }
    models.sort();
    assert!(models.len() > 10, "{models:?}");
    models
}

/// What each command is asked about each model; mutants of the examples only, to save time.
fn runs() -> Vec<Vec<String>> {
    let mut runs = Vec::new();
    for model in models() {
        let mut add = |words: &[&str]| {
            let words = words.iter().map(|word| word.to_string());
            runs.push(words.chain([model.clone()]).collect());
        };
        add(&["check"]);
        add(&["ivc", "--minimal", "--must"]);
        if model.starts_with("examples") {
            add(&["mutate", "--matrix"]);
        }
    }
    runs
}

fn words(run: &[String]) -> Vec<&str> {
    run.iter().map(String::as_str).collect()
}

/// What a validator has against a document.
fn complaints(schema: &Value, document: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).expect("it is a schema");
    let errors = validator.iter_errors(document);
    errors.map(|error| error.to_string()).collect()
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    let (code, printed, _) = run(&["schema"]);
    assert_eq!(code, Some(0));
    let path = root().join("schemas/proofmark-1.schema.json");
    let published = fs::read_to_string(path).unwrap_or_default();
    assert!(
        printed == published,
        "after a field is added: proofmark schema > schemas/proofmark-1.schema.json"
    );
}

#[test]
fn every_document_is_as_the_schema_says_and_a_wrong_one_is_not() {
    let schema: Value = serde_json::from_str(&run(&["schema"]).1).expect("it is JSON");
    for run in runs() {
        let document = document(&words(&run));
        let complaints = complaints(&schema, &document);
        assert!(complaints.is_empty(), "{run:?}: {complaints:?}");
    }
    let mut wrong = document(&["check", "examples/switch.lus"]);
    wrong["properties"][0]["verdict"] = "perhaps".into();
    wrong["schema"] = "proofmark/2".into();
    assert_eq!(complaints(&schema, &wrong).len(), 2);
}

/// Runs a command and returns what it wrote to a file, beside its document.
fn written(arguments: &[&str], flag: &str) -> (Vec<u8>, Value) {
    let number = SERIAL.fetch_add(1, Ordering::Relaxed);
    let name = format!("proofmark-formats-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let file = path.to_str().expect("a plain name");
    let document = document(&[arguments, &[flag, file]].concat());
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{arguments:?} {flag}: {error}"));
    let _ = fs::remove_file(&path);
    (bytes, document)
}

static SERIAL: AtomicUsize = AtomicUsize::new(0);

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("it is UTF-8")
}

fn list<'a>(document: &'a Value, name: &str) -> &'a [Value] {
    document[name].as_array().map_or(&[], Vec::as_slice)
}

fn count(document: &Value, name: &str, verdict: &str) -> usize {
    let all = list(document, name).iter();
    all.filter(|one| one["verdict"] == verdict).count()
}

/// Stryker's own schema, if `npm install --prefix target/npm mutation-testing-report-schema` put it
/// there, as the checks do.
fn stryker_schema() -> Option<Value> {
    let path = "target/npm/node_modules/mutation-testing-report-schema/dist/src/\
                mutation-testing-report-schema.json";
    let text = fs::read_to_string(root().join(path)).ok()?;
    Some(serde_json::from_str(&text).expect("it is JSON"))
}

#[test]
fn stryker_reads_the_mutants_and_counts_the_same_score() {
    let schema = stryker_schema();
    if schema.is_none() {
        println!("not validated with Stryker's schema: target/npm does not have it");
    }
    for model in ["examples/cores.lus", "examples/switch.lus"] {
        let (bytes, document) = written(&["mutate", model], "--stryker");
        let report: Value = serde_json::from_slice(&bytes).expect("it is JSON");
        if let Some(schema) = &schema {
            assert_eq!(complaints(schema, &report), Vec::<String>::new());
            let mut wrong = report.clone();
            wrong["files"][model]["mutants"][0]["status"] = "Perhaps".into();
            assert_eq!(complaints(schema, &wrong).len(), 1);
        }
        let file = &report["files"][model];
        let source = fs::read_to_string(root().join(model)).unwrap();
        assert_eq!(file["source"], source);
        let has = |status: &str| {
            let mutants = list(file, "mutants").iter();
            mutants.filter(|one| one["status"] == status).count()
        };
        let (killed, open) = (has("Killed"), has("Survived") + has("NoCoverage"));
        assert_eq!(has("Timeout"), 0);
        // As Stryker has it: detected of detected and undetected.
        let score = killed as f64 / (killed + open) as f64;
        assert_eq!(document["score"]["low"].as_f64(), Some(score));
        for (mine, theirs) in list(&document, "mutants").iter().zip(list(file, "mutants")) {
            assert_eq!(mine["id"], theirs["id"]);
            assert_eq!(
                mine["origin"]["end_column"],
                theirs["location"]["end"]["column"]
            );
        }
    }
}

#[test]
fn sarif_is_read_and_has_a_result_for_each_gap_and_each_invalid_property() {
    for run in runs() {
        let (bytes, document) = written(&words(&run), "--sarif");
        let log: serde_sarif::sarif::Sarif =
            serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{run:?}: {error}"));
        // What it knows nothing of, it would not write again.
        let again = serde_json::to_value(&log).unwrap();
        let original: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(again, original, "{run:?}");
        let results = log.runs[0].results.as_ref().expect("there are results");
        let of = |rule: &str| {
            let results = results.iter();
            results
                .filter(|one| one.rule_id.as_deref() == Some(rule))
                .count()
        };
        assert_eq!(of("gap"), count(&document, "mutants", "gap"), "{run:?}");
        assert_eq!(of("survivor"), count(&document, "mutants", "survived"));
        assert_eq!(
            of("invalid-property"),
            count(&document, "properties", "invalid")
        );
        let prints: BTreeSet<&String> = results
            .iter()
            .flat_map(|one| one.partial_fingerprints.iter().flat_map(|all| all.values()))
            .collect();
        assert_eq!(
            prints.len(),
            results.len(),
            "fingerprints tell results apart"
        );
    }
}

#[test]
fn fingerprints_survive_a_change_of_lines() {
    let prints = |path: &str| -> BTreeSet<String> {
        let (bytes, _) = written(&["mutate", path], "--sarif");
        let log: Value = serde_json::from_slice(&bytes).unwrap();
        let results = list(&log["runs"][0], "results").iter();
        results
            .map(|one| one["partialFingerprints"].to_string())
            .collect()
    };
    let name = format!("proofmark-moved-{}.lus", std::process::id());
    let moved = std::env::temp_dir().join(name);
    let source = fs::read_to_string(root().join("examples/cores.lus")).unwrap();
    fs::write(&moved, format!("-- a line\n-- and another\n{source}")).unwrap();
    let before = prints("examples/cores.lus");
    assert!(!before.is_empty());
    assert_eq!(before, prints(moved.to_str().unwrap()));
    let _ = fs::remove_file(moved);
}

#[test]
fn junit_has_a_case_for_each_property_and_mutant() {
    for run in runs() {
        let (bytes, document) = written(&words(&run), "--junit");
        let suites = junit_parser::from_reader(&bytes[..]).expect("it is JUnit");
        let suite = |name: &str| {
            let mut suites = suites.suites.iter();
            suites.find(|one| one.name.ends_with(name))
        };
        for (name, key) in [("properties", "properties"), ("mutation", "mutants")] {
            let verdicts = list(&document, key);
            let Some(suite) = suite(name) else {
                assert!(verdicts.is_empty(), "{run:?}");
                continue;
            };
            assert_eq!(suite.tests as usize, verdicts.len(), "{run:?}");
            for (case, finding) in suite.cases.iter().zip(verdicts) {
                let status = &case.status;
                match finding["verdict"].as_str().unwrap() {
                    "valid" | "killed" => assert!(status.is_success()),
                    "invalid" | "gap" | "survived" => assert!(status.is_failure()),
                    "unknown" => assert!(status.is_error()),
                    "vacuous" => assert_eq!(status.is_error(), key == "properties"),
                    _ => assert!(status.is_skipped()),
                }
            }
        }
    }
}

#[test]
fn lcov_counts_the_properties_that_need_a_line() {
    let ivc = ["ivc", "--all", "examples/cores.lus"];
    let (bytes, document) = written(&ivc, "--lcov");
    let records: Result<Vec<lcov::Record>, _> = lcov::Reader::new(&bytes[..]).collect();
    let records = records.expect("it is lcov");
    let lines: Vec<(u32, u64)> = records
        .iter()
        .filter_map(|record| match record {
            lcov::Record::LineData { line, count, .. } => Some((*line, *count)),
            _ => None,
        })
        .collect();
    let elements = list(&document, "elements").iter();
    let expected: Vec<(u32, u64)> = elements
        .map(|one| {
            let used = ["must", "may", "used"];
            let role = one["role"]["no_overflow"].as_str().unwrap();
            let line = one["origin"]["line"].as_u64().unwrap();
            (line as u32, used.contains(&role).into())
        })
        .collect();
    assert_eq!(lines, expected);
    assert!(lines.iter().any(|(_, count)| *count == 0));
    for model in models() {
        let (bytes, _) = written(&["ivc", &model], "--lcov");
        let report = lcov::Report::from_reader(lcov::Reader::new(&bytes[..]));
        assert!(report.is_ok(), "{model}: {report:?}");
    }
}

#[test]
fn jkind_xml_has_answers_traces_and_cores() {
    for run in runs().iter().filter(|run| run[0] != "mutate") {
        let (bytes, document) = written(&words(run), "--jkind-xml");
        let bytes = text(bytes);
        let xml = roxmltree::Document::parse(&bytes).expect("it is XML");
        let properties = xml.root_element().children();
        let properties: Vec<roxmltree::Node<'_, '_>> =
            properties.filter(roxmltree::Node::is_element).collect();
        let findings = list(&document, "properties");
        assert_eq!(properties.len(), findings.len(), "{run:?}");
        for (node, finding) in properties.iter().zip(findings) {
            let child = |tag: &str| node.children().find(|one| one.has_tag_name(tag));
            assert_eq!(node.attribute("name"), finding["name"].as_str());
            let answer = child("Answer").and_then(|one| one.text());
            let expected = match finding["verdict"].as_str().unwrap() {
                "invalid" => "falsifiable",
                "vacuous" => "inconsistent",
                other => other,
            };
            assert_eq!(answer, Some(expected), "{run:?}");
            let seconds = child("Runtime").and_then(|one| one.text());
            assert!(seconds.is_some_and(|text| text.parse::<f64>().is_ok()));
            if let Some(trace) = child("Counterexample") {
                compare_signals(trace, &finding["trace"]);
            }
            let mut cores = list(&document, "cores").iter();
            let core = cores.find(|core| core["property"] == finding["name"]);
            let size = core.map_or(0, |core| list(core, "elements").len());
            let ivc = node.children().filter(|one| one.has_tag_name("Ivc"));
            assert_eq!(ivc.count(), size, "{run:?}");
        }
    }
    let (bytes, _) = written(&["ivc", "--all", "examples/cores.lus"], "--jkind-xml");
    assert_eq!(text(bytes).matches("<IvcSet ").count(), 2);
}

fn compare_signals(xml: roxmltree::Node<'_, '_>, trace: &Value) {
    for (step, values) in list(trace, "steps").iter().enumerate() {
        for (name, value) in values.as_object().expect("an object") {
            let mut signals = xml.children();
            let signal = signals.find(|one| one.attribute("name") == Some(name));
            let mut values = signal.expect("the signal is there").children();
            let time = step.to_string();
            let found = values.find(|one| one.attribute("time") == Some(&time));
            let expected = match value.as_str() {
                Some("true") => Some("1"),
                Some("false") => Some("0"),
                other => other,
            };
            assert_eq!(found.and_then(|one| one.text()), expected);
        }
    }
}

/// The value of a signal at each time, as a waveform reader sees it.
fn signal(waves: &mut wellen::simple::Waveform, path: &[&str], name: &str) -> Vec<String> {
    let hierarchy = waves.hierarchy();
    let variable = hierarchy.lookup_var(path, name);
    let variable = variable.unwrap_or_else(|| panic!("{path:?} {name} is not there"));
    let signal = hierarchy[variable].signal_ref();
    waves.load_signals(&[signal]);
    let times = waves.time_table().len() as u32;
    let signal = waves.get_signal(signal).expect("it is loaded");
    let values = (0..times).map(|at| {
        let offset = signal.get_offset(at).expect("it has a value");
        match signal.get_value_at(&offset, 0) {
            wellen::SignalValueRef::Real(real) => real.to_string(),
            wellen::SignalValueRef::String(text) => text.to_string(),
            other => other.to_bit_string().expect("bits"),
        }
    });
    values.collect()
}

/// A name as waveforms have it: a blank would end it.
fn word(name: &str) -> String {
    match name.contains(' ') {
        true => name.replace([' ', '[', ']'], "_"),
        false => name.into(),
    }
}

/// What a waveform shows for a value as the document has it.
fn shown(value: &str, bits: &str, is_fst: bool) -> String {
    if let Ok(number) = value.parse::<i128>() {
        let width = bits.len();
        let all = format!("{number:0128b}");
        return all[128 - width..].to_string();
    }
    match value {
        "true" => "1".into(),
        "false" => "0".into(),
        text if is_fst => {
            let ascii: String = text.bytes().map(|byte| format!("{byte:08b}")).collect();
            format!("{ascii:0>width$}", width = bits.len())
        }
        text => text.into(),
    }
}

#[test]
fn waveforms_show_the_values_of_the_counterexamples() {
    let mut compared = 0;
    for model in models() {
        for flag in ["--vcd", "--fst"] {
            let (bytes, document) = written(&["check", &model], flag);
            let read = wellen::simple::read_from_reader(std::io::Cursor::new(bytes));
            let mut waves = read.unwrap_or_else(|error| panic!("{model} {flag}: {error}"));
            for property in list(&document, "properties") {
                let scope = word(property["name"].as_str().unwrap());
                for (step, values) in list(&property["trace"], "steps").iter().enumerate() {
                    for (name, value) in values.as_object().expect("an object") {
                        let value = value.as_str().unwrap();
                        let found = signal(&mut waves, &[&scope], &word(name));
                        // A real is only near.
                        if value.contains('/') || value.contains('.') {
                            continue;
                        }
                        let expected = shown(value, &found[step], flag == "--fst");
                        assert_eq!(found[step], expected, "{model} {flag} {name} {step}");
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn waveforms_show_reals_negative_numbers_and_enumerations() {
    let name = format!("proofmark-sorts-{}.lus", std::process::id());
    let path = std::env::temp_dir().join(name);
    let model = "type mode = enum { idle, running };
node m(go: bool) returns (x: real; n: int; s: mode; p: bool);
let
  x = 0.5 -> pre x * 2.0;
  n = -1 -> pre n - 2;
  s = idle -> if go then running else pre s;
  p = not (s = running) or x < 3.0 or n > -7;
  --%PROPERTY p;
tel
";
    fs::write(&path, model).unwrap();
    for flag in ["--vcd", "--fst"] {
        let (bytes, document) = written(&["check", path.to_str().unwrap()], flag);
        assert_eq!(
            document["properties"][0]["verdict"], "invalid",
            "{document}"
        );
        let read = wellen::simple::read_from_reader(std::io::Cursor::new(bytes));
        let mut waves = read.expect("it is a waveform");
        let reals = signal(&mut waves, &["p"], "x");
        let reals: Vec<f64> = reals.iter().map(|text| text.parse().unwrap()).collect();
        assert_eq!(reals[..4], [0.5, 1.0, 2.0, 4.0], "{flag}");
        let numbers = signal(&mut waves, &["p"], "n");
        assert_eq!(numbers[3], format!("{:032b}", -7_i32), "{flag}");
        let modes = signal(&mut waves, &["p"], "s");
        let is_fst = flag == "--fst";
        assert_eq!(modes[0], shown("idle", &modes[0], is_fst), "{flag}");
        assert_eq!(modes[3], shown("running", &modes[3], is_fst), "{flag}");
    }
    let _ = fs::remove_file(path);
}

#[test]
fn waveforms_of_gaps_have_the_original_beside_the_mutant() {
    let mutate = ["mutate", "--no-suggest", "examples/cores.lus"];
    for flag in ["--vcd", "--fst"] {
        let (bytes, document) = written(&mutate, flag);
        let read = wellen::simple::read_from_reader(std::io::Cursor::new(bytes));
        let mut waves = read.expect("it is a waveform");
        let mutants = list(&document, "mutants").iter();
        let gaps: Vec<&Value> = mutants.filter(|one| one["verdict"] == "gap").collect();
        assert!(!gaps.is_empty());
        for gap in gaps {
            let id = gap["id"].as_str().unwrap();
            let differs = gap["differs"][0].as_str().unwrap();
            let step = gap["step"].as_u64().unwrap() as usize;
            let original = signal(&mut waves, &[id, "original"], differs);
            let mutant = signal(&mut waves, &[id, "mutant"], differs);
            assert_ne!(original[step], mutant[step], "{flag} {id}");
            assert_eq!(original[..step], mutant[..step], "{flag} {id}");
        }
    }
}

#[test]
fn github_gets_annotations_when_it_runs_us_and_nobody_else_does() {
    let check = ["check", "examples/switch.lus"];
    let (_, _, err) = run(&check);
    assert!(!err.contains("::error"), "{err}");
    let expected = "::error file=examples/switch.lus,line=";
    let (_, out, err) = run(&[&check[..], &["--github", "--json"]].concat());
    assert!(err.contains(expected), "{err}");
    assert!(serde_json::from_str::<Value>(&out).is_ok());
    let there = |argument: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args([&check[..], argument].concat())
            .current_dir(root())
            .env("GITHUB_ACTIONS", "true")
            .output();
        text(output.expect("the binary starts").stderr)
    };
    assert!(there(&[]).contains(expected));
    assert!(!there(&["--github=never"]).contains("::error"));
}
