//! A language is known to its folder in `lang` and to nobody else.

use std::fs;
use std::path::{Path, PathBuf};

/// The sources of a crate.
fn sources(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, list),
            false => list.push(path),
        }
    }
}

/// Unit tests may speak a language; they stand at the end of a file.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("")
}

/// What gives a language away: its name, alone or as an ending within quotes where it is a letter that every
/// word may have, and a comment that only one language has.
fn words() -> Vec<String> {
    let names = proofmark_lang::LANGUAGES.0.iter().map(|one| one.name);
    let words = names.flat_map(|name| match name.len() {
        1 => vec![format!("\"{name}\""), format!(".{name}\"")],
        _ => vec![name.into()],
    });
    words.chain(["--%".into()]).collect()
}

#[test]
fn no_other_crate_names_a_language_or_its_syntax() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        let path = entry.unwrap().path();
        if path.join("src").is_dir() && !path.ends_with("lang") {
            sources(&path.join("src"), &mut files);
        }
    }
    assert!(files.len() > 100, "{} files", files.len());
    let words = words();
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_default();
        for (number, line) in (1..).zip(without_tests(&text).lines()) {
            let line = line.to_lowercase();
            for word in &words {
                let place = file.display();
                // An example in the documentation of a crate has to be in some language.
                let is_example = line.trim_start().starts_with("//!");
                // The format of waveforms has a name for who wrote them.
                // So have comments in the files of SAT solvers a letter.
                let is_comment = file.ends_with("lrat/text.rs") && line.contains("*word != \"c\"");
                let is_foreign = is_comment || line.contains("fstfiletype::");
                assert!(
                    is_example || is_foreign || !line.contains(word.as_str()),
                    "{place}:{number}: {line}"
                );
            }
        }
    }
}
