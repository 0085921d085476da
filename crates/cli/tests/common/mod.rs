//! What tests of the command line share: the binary away from whoever runs the tests, and files that
//! go when a test ends.

// Each test file is a program of its own and uses a part of this.
#![allow(dead_code)]

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The binary, as if neither a terminal nor a CI system had started it.
pub fn proofmark(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
    command
        .args(arguments)
        .env_remove("COLUMNS")
        .env_remove("GITHUB_ACTIONS");
    command
}

/// What a command came to: the exit code, what it printed, and what it said beside that.
pub fn outcome(command: &mut Command) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("it writes UTF-8");
    (status.code(), text(stdout), text(stderr))
}

pub fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    outcome(&mut proofmark(arguments))
}

/// The one document that a command prints.
pub fn document(arguments: &[&str]) -> Value {
    let (code, out, err) = run(&[arguments, &["--json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{code:?}\n{out}\n{err}"))
}

/// The folder that the examples are in.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn example(name: &str) -> String {
    root().join("examples").join(name).display().to_string()
}

/// A folder that goes when the test ends.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        // Tests of one program run side by side.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::SeqCst);
        let name = format!("proofmark-{}-{count}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("a folder can be made");
        Folder(path)
    }

    pub fn at(&self, name: &str) -> String {
        let path = self.0.join(name);
        path.to_str().expect("a plain name").to_string()
    }

    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.at(name);
        fs::write(&path, text).expect("a file can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A model in a folder of its own.
pub struct Model {
    path: String,
    _folder: Folder,
}

impl Model {
    pub fn new(name: &str, text: &str) -> Model {
        let folder = Folder::new(name);
        Model {
            path: folder.file(&format!("{name}.lus"), text),
            _folder: folder,
        }
    }

    pub fn path(&self) -> &str {
        &self.path
    }
}
