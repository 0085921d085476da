//! The pages say what is so: every command in them is run, and what they show is what comes out.
//!
//! In a block of ```` ```console ```` each line that begins with `$ ` is given to a shell, in a folder
//! with a copy of the examples, the binary first on the search path. It must end with the exit code
//! that the page states (`# exit 10` behind the command, otherwise 0), and print what stands beneath
//! it, if anything does. `…` stands for any text within a line, and for any lines as a line of its own.
//! What differs from run to run is not compared: times, which engine was first, and who audited.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use yaml_rust2::{Yaml, YamlLoader};

/// A command and what a page says about it.
struct Example {
    place: String,
    command: String,
    exit: i32,
    shown: Vec<String>,
}

/// What a command did.
struct Outcome {
    exit: Option<i32>,
    lines: Vec<String>,
}

/// A folder with the examples, which goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("proofmark-docs-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("examples")).expect("a folder can be made");
        let examples = root().join("examples");
        let models = ["lus", "aag", "smv", "c", "h"].map(|ending| files(&examples, ending));
        for file in models.concat() {
            let name = file.file_name().expect("it has a name");
            fs::copy(&file, path.join("examples").join(name)).expect("a file can be copied");
        }
        Folder(path)
    }

    /// Runs a command as somebody would who copies it from the page.
    fn run(&self, command: &str) -> Outcome {
        // The README is for those who have not installed it yet.
        let command = command.replace("cargo run --release --", "proofmark");
        let program = Path::new(env!("CARGO_BIN_EXE_proofmark"));
        let mut search = vec![program.parent().expect("it is in a folder").to_path_buf()];
        search.extend(std::env::split_paths(
            &std::env::var_os("PATH").unwrap_or_default(),
        ));
        let output = Command::new("sh")
            .args(["-c", &command])
            .current_dir(&self.0)
            .env(
                "PATH",
                std::env::join_paths(search).expect("plain folder names"),
            )
            .env_remove("COLUMNS")
            .env_remove("GITHUB_ACTIONS")
            .output()
            .expect("there is a shell");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).expect("it writes UTF-8");
        Outcome {
            exit: output.status.code(),
            lines: text.lines().map(str::to_string).collect(),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of a folder with that ending, by name.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("there is such a folder");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|one| one == ending))
        .collect();
    paths.sort();
    paths
}

/// Every page, with the README.
fn pages() -> Vec<PathBuf> {
    let mut pages = files(&root().join("docs"), "md");
    pages.push(root().join("README.md"));
    pages
}

fn name(path: &Path) -> String {
    let name = path.file_name().expect("it has a name");
    let folder = path.parent().is_some_and(|one| one.ends_with("docs"));
    let folder = if folder { "docs/" } else { "" };
    format!("{folder}{}", name.to_string_lossy())
}

/// The commands in the console blocks of a page.
fn examples(page: &Path) -> Vec<Example> {
    let text = fs::read_to_string(page).expect("it is a text");
    let mut examples: Vec<Example> = Vec::new();
    let mut block: Option<bool> = None;
    for (index, line) in text.lines().enumerate() {
        let place = format!("{}:{}", name(page), index + 1);
        match (block, line.strip_prefix("```")) {
            (None, Some(language)) => block = Some(language == "console"),
            (Some(_), Some(_)) => block = None,
            (Some(true), None) => match line.strip_prefix("$ ") {
                Some(command) => examples.push(example(place, command)),
                None => {
                    let last = examples.last_mut();
                    let last = last.unwrap_or_else(|| panic!("{place}: output of no command"));
                    last.shown.push(line.to_string());
                }
            },
            _ => {}
        }
    }
    examples
}

fn example(place: String, command: &str) -> Example {
    let exit = match command.split_once("# exit ") {
        Some((_, code)) => code.trim().parse().expect("an exit code is a number"),
        None => 0,
    };
    Example {
        place,
        command: command.to_string(),
        exit,
        shown: Vec::new(),
    }
}

/// A line without what differs from run to run.
fn settled(line: &str) -> String {
    let columns: Vec<&str> = line.split("  ").filter(|one| !one.is_empty()).collect();
    if let [verdict @ ("VALID" | "INVALID" | "VACUOUS"), property, ..] = columns[..] {
        return format!("{verdict} {}", property.trim());
    }
    let line = match line.split_once(" (") {
        Some((audit, _)) if audit.contains("audit passed in") => audit,
        _ => line,
    };
    let mut settled: Vec<&str> = Vec::new();
    for word in line.split_whitespace() {
        let unit = matches!(word.trim_end_matches([',', ';', ':']), "ms" | "s" | "min");
        match settled.last_mut() {
            Some(number) if unit && number.parse::<f64>().is_ok() => *number = "(time)",
            _ => settled.push(word),
        }
    }
    settled.join(" ")
}

/// Whether a line is as shown, where `…` is any text.
fn line_matches(shown: &str, line: &str) -> bool {
    let (shown, line) = (settled(shown), settled(line));
    let mut parts = shown.split('…');
    let Some(mut rest) = parts.next().and_then(|head| line.strip_prefix(head)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((tail, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some((_, behind)) = rest.split_once(part) else {
            return false;
        };
        rest = behind;
    }
    rest.ends_with(tail)
}

/// Whether lines are as shown, where a line `…` is any lines.
fn matches(shown: &[String], lines: &[String]) -> bool {
    let Some((first, rest)) = shown.split_first() else {
        return lines.iter().all(|line| line.trim().is_empty());
    };
    if first.trim() == "…" {
        return (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]));
    }
    let Some((line, others)) = lines.split_first() else {
        return shown.iter().all(|line| line.trim().is_empty());
    };
    line_matches(first, line) && matches(rest, others)
}

/// What is wrong with an example, if anything is.
fn complaint(example: &Example, outcome: &Outcome) -> Option<String> {
    let mut complaint = String::new();
    if outcome.exit != Some(example.exit) {
        let (stated, exit) = (example.exit, outcome.exit);
        let _ = writeln!(complaint, "  exit code {stated} is stated, {exit:?} came");
    }
    if !example.shown.is_empty() && !matches(&example.shown, &outcome.lines) {
        let _ = writeln!(complaint, "  shown:\n{}", example.shown.join("\n"));
    }
    if complaint.is_empty() {
        return None;
    }
    let (place, command) = (&example.place, &example.command);
    let lines = outcome.lines.join("\n");
    Some(format!("{place}: {command}\n{complaint}  came:\n{lines}\n"))
}

#[test]
fn every_command_of_the_pages_does_what_they_say() {
    let mut complaints = String::new();
    for page in pages() {
        let page_name = name(&page);
        let folder = Folder::new(&page_name.replace('/', "-"));
        for example in examples(&page) {
            let outcome = folder.run(&example.command);
            complaints.extend(complaint(&example, &outcome));
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}

#[test]
fn most_pages_have_commands() {
    let silent: Vec<String> = pages()
        .iter()
        .filter(|page| examples(page).is_empty())
        .map(|page| name(page))
        .collect();
    assert_eq!(silent, ["docs/README.md"], "only the contents have none");
}

#[test]
fn every_link_leads_to_a_file() {
    for page in pages() {
        let text = fs::read_to_string(&page).expect("it is a text");
        let links = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split_once(')'));
        for (link, _) in links.filter(|(link, _)| !link.contains("://")) {
            let target = link.split('#').next().expect("there is a first part");
            let target = page.parent().expect("it is in a folder").join(target);
            assert!(target.exists(), "{}: {link} leads nowhere", page.display());
        }
    }
}

#[test]
fn every_page_is_in_the_contents() {
    let contents = fs::read_to_string(root().join("docs/README.md")).expect("there are contents");
    for page in files(&root().join("docs"), "md") {
        let file = page.file_name().expect("it has a name").to_string_lossy();
        let listed = file == "README.md" || contents.contains(&format!("]({file})"));
        assert!(listed, "docs/README.md does not list {file}");
    }
}

#[test]
fn what_differs_is_seen_and_what_may_differ_is_not() {
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_string).collect() };
    let said = |shown: &str, came: &str| matches(&lines(shown), &lines(came));
    let came = "VALID    p   pdr   12 ms\n\n1 valid in 0.3 ms; audit passed";
    assert!(said(
        "VALID  p   k-induction k=1   1 ms\n\n1 valid in 2 s; audit passed",
        came
    ));
    assert!(said("…\n1 valid … passed", came));
    assert!(said("…\n… valid … audit …", came));
    assert!(!said("…\n… valid … audit … failed", came));
    assert!(!said("INVALID  p   bmc\n…", came));
    assert!(!said("VALID    q   bmc\n…", came));
    assert!(!said("…\n2 valid … passed", came));
    assert!(!said("VALID    p   pdr   12 ms", came));
    assert!(!said(&format!("{came}\nand more"), came));
    assert!(!said("score 13.8 %", "score 13.9 %"));
}

fn yaml(file: &str) -> Yaml {
    let text = fs::read_to_string(root().join(file)).expect("there is such an example");
    let mut documents = YamlLoader::load_from_str(&text)
        .unwrap_or_else(|error| panic!("{file} is no YAML: {error}"));
    assert_eq!(documents.len(), 1, "{file}");
    documents.remove(0)
}

fn text<'y>(yaml: &'y Yaml, key: &str) -> Option<&'y str> {
    yaml[key].as_str()
}

/// The jobs of the workflow, each step that is a command of ours, for each part of a campaign.
fn workflow_commands(workflow: &Yaml) -> Vec<String> {
    let mut commands = Vec::new();
    for (_, job) in workflow["jobs"].as_hash().expect("a workflow has jobs") {
        assert!(text(job, "runs-on").is_some(), "a job runs somewhere");
        let steps = job["steps"].as_vec().expect("a job has steps");
        let runs: Vec<&str> = steps.iter().filter_map(|step| text(step, "run")).collect();
        let uses = steps.iter().filter(|step| text(step, "uses").is_some());
        assert_eq!(
            runs.len() + uses.count(),
            steps.len(),
            "a step does one thing"
        );
        let (install, ours): (Vec<&str>, Vec<&str>) =
            runs.iter().partition(|run| run.contains("cargo install"));
        assert_eq!(install.len(), 1, "a job installs before it runs");
        let once = [Yaml::Integer(1)];
        let shards = job["strategy"]["matrix"]["shard"].as_vec();
        for shard in shards.map_or(&once[..], |all| &all[..]) {
            let shard = shard.as_i64().expect("a part is a number").to_string();
            let fill = |run: &&str| run.replace("${{ matrix.shard }}", &shard);
            commands.extend(ours.iter().map(fill));
        }
    }
    commands
}

#[test]
fn the_workflow_runs() {
    let workflow = yaml("examples/github-actions.yml");
    let folder = Folder::new("workflow");
    let model = text(&workflow["env"], "MODEL").expect("the workflow names a model");
    let least = text(&workflow["env"], "MIN_SCORE").expect("the workflow has a threshold");
    let model = folder.0.join(model);
    fs::create_dir_all(model.parent().expect("it is in a folder")).expect("a folder can be made");
    fs::copy(folder.0.join("examples/cores.lus"), &model).expect("a file can be copied");
    let commands = workflow_commands(&workflow);
    assert!(commands.len() >= 4, "{commands:?}");
    for command in commands {
        assert!(!command.contains("${{"), "unknown to the test: {command}");
        let model = model.display();
        let outcome = folder.run(&format!("MODEL='{model}'; MIN_SCORE={least}; {command}"));
        assert_eq!(
            outcome.exit,
            Some(0),
            "{command}\n{}",
            outcome.lines.join("\n")
        );
    }
}

#[test]
fn the_hooks_run_and_stop_what_is_wrong() {
    let config = yaml("examples/pre-commit-config.yaml");
    let folder = Folder::new("hooks");
    let repositories = config["repos"].as_vec().expect("there are repositories");
    let hooks = repositories.iter().map(|one| one["hooks"].as_vec());
    for hook in hooks.flat_map(|hooks| hooks.expect("a list of hooks")) {
        for key in ["id", "name", "language", "files"] {
            assert!(text(hook, key).is_some(), "a hook has `{key}`");
        }
        // As pre-commit does: the words of the entry, then the files.
        let entry = text(hook, "entry").expect("a hook has an entry");
        let exit = |models: &str| folder.run(&format!("{entry} {models}")).exit;
        assert_eq!(exit("examples/cores.lus examples/closed.lus"), Some(0));
        assert_eq!(exit("examples/cores.lus examples/switch.lus"), Some(10));
        assert_eq!(exit("examples/switch.lus examples/cores.lus"), Some(10));
        assert_eq!(exit("examples/missing.lus"), Some(2));
    }
}

/// The one command of the pages that is not run, since it compiles everything: it must name a package
/// that has the binary.
#[test]
fn what_the_pages_install_is_there() {
    let mut found = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).expect("it is a text");
        for line in text.lines().filter(|line| line.contains("cargo install")) {
            let Some((_, path)) = line.split_once("--path ") else {
                continue;
            };
            let path = path.trim_end_matches('`').split_whitespace().next();
            let manifest = root().join(path.expect("a path")).join("Cargo.toml");
            let manifest = fs::read_to_string(manifest).expect("there is a package");
            assert!(manifest.contains("name = \"proofmark\""), "{line}");
            found += 1;
        }
    }
    assert!(found > 0, "a page tells how to install");
}
