//! The C corpus: what is right is read, and of what is wrong each marked line has its error.

use proofmark_lang::random::{Dice, Fate, mutate, try_c};
use proofmark_lang::{LANGUAGES, LoadedProgramResult, ProgramRequest};
use proofmark_source::{Severity, Sources};
use std::path::Path;

fn read(path: &Path, sources: &mut Sources) -> LoadedProgramResult {
    let text = std::fs::read_to_string(path).unwrap();
    let file = sources.add("file.c", text).unwrap();
    let reader = LANGUAGES.choose("file.c", None).unwrap().program.unwrap();
    let request = ProgramRequest {
        files: &[file],
        harness: &[],
        definitions: &[],
        includes: &[],
        entry: "main",
        mutators: Some("default"),
        read: &|_| None,
    };
    (reader.load)(sources, &request)
}

fn folder(name: &str) -> Vec<std::path::PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/corpus/c")
        .join(name);
    let entries = std::fs::read_dir(root).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn what_is_right_is_read() {
    let files = folder("valid");
    assert!(files.len() >= 2);
    for path in files {
        let (loaded, told) = read(&path, &mut Sources::default());
        let loaded = loaded.unwrap_or_else(|| panic!("{}: {told:?}", path.display()));
        assert!(loaded.mutants.len() > 5, "{}", path.display());
    }
}

#[test]
fn of_what_is_wrong_each_marked_line_has_its_error() {
    let files = folder("error");
    assert!(files.len() >= 4);
    for path in files {
        let mut sources = Sources::default();
        let (loaded, told) = read(&path, &mut sources);
        assert!(loaded.is_none(), "{}", path.display());
        let errors = told.iter().filter(|one| one.severity == Severity::Error);
        let errors: Vec<(u32, &str)> = errors
            .map(|one| (sources.place(one.span).line, one.message.as_str()))
            .collect();
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in (1..).zip(text.lines()) {
            let mark = line
                .split_once("/* ")
                .and_then(|(_, rest)| rest.strip_suffix(" */"));
            let found = errors.iter().find(|(at, _)| *at == number);
            let (at, file) = (number, path.display());
            match (mark, found) {
                (None, None) => {}
                (Some(mark), Some((_, message))) => {
                    assert!(message.contains(mark), "{file}:{at}: {message}, not {mark}");
                }
                (mark, found) => panic!("{file}:{at}: {found:?}, not {mark:?}; {errors:?}"),
            }
        }
    }
}

#[test]
fn no_text_makes_the_c_reader_panic() {
    let seeds = ["valid", "error"].into_iter().flat_map(folder);
    let seeds: Vec<String> = seeds
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    let mut loaded = 0;
    for _ in 0..2_000 {
        let other = &seeds[dice.roll(seeds.len())];
        let mut text = seeds[dice.roll(seeds.len())].clone();
        for _ in 0..=dice.roll(2) * dice.roll(4) {
            text = mutate(&text, other, &mut dice);
        }
        match try_c(&text, &mut dice) {
            Ok(fate) => loaded += usize::from(fate == Fate::Loaded),
            Err(broken) => panic!("{broken}\n{text}"),
        }
    }
    assert!(loaded > 50, "{loaded} loaded");
}
