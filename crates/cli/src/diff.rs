//! Which lines a unified diff adds or changes, as `git diff` and `diff -u` write it.
//!
//! The diff may have been made in another folder, so its names and ours need only end alike. A line
//! that it adds must stand in the model: otherwise it is the diff of another version, and would
//! point at the wrong lines.

use crate::exit::Exit;
use crate::{input, terminal};
use proofmark_source::{SourceFile, Sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

/// The lines of a model that a diff adds. What is wrong has been printed.
pub fn read(name: &str, model: &SourceFile) -> Result<BTreeSet<u32>, Exit> {
    let mut sources = Sources::default();
    let file = input::read_text(name, &mut sources)?;
    let found = parse(sources.file(file).text()).and_then(|files| added(&files, model));
    let found = found.map_err(|error| {
        terminal::error(&format!("--in-diff: {name}: {error}"));
        Exit::Input
    })?;
    if found.is_empty() {
        let model = model.name();
        terminal::warning(&format!("{name} adds no line to {model}"));
    }
    Ok(found)
}

/// The added lines of a file, by number.
type Added<'t> = BTreeMap<u32, &'t str>;

/// The lines that are added to the model.
fn added(files: &[(&str, Added<'_>)], model: &SourceFile) -> Result<BTreeSet<u32>, String> {
    let mut fitting: Vec<&(&str, Added<'_>)> = files
        .iter()
        .filter(|(name, _)| end_alike(name, model.name()))
        .collect();
    if fitting.len() > 1 && fitting.iter().any(|(name, _)| *name == model.name()) {
        fitting.retain(|(name, _)| *name == model.name());
    }
    if let [first, second, ..] = fitting[..] {
        let (first, second, model) = (first.0, second.0, model.name());
        return Err(format!(
            "both {first} and {second} may be {model}; name the model with more of its folders"
        ));
    }
    let lines = fitting.first().map(|(_, lines)| lines);
    for (number, text) in lines.into_iter().flatten() {
        let last = model.place(model.text().len() as u32).line;
        let is = if *number <= last {
            model.line(*number)
        } else {
            ""
        };
        if is.trim_end() != text.trim_end() {
            return Err(format!(
                "it adds `{}` as line {number}, where {} has `{}`; is it the diff of this version?",
                text.trim(),
                model.name(),
                is.trim()
            ));
        }
    }
    Ok(lines.into_iter().flatten().map(|(line, _)| *line).collect())
}

/// Whether one name is the end of the other, by folders.
fn end_alike(one: &str, other: &str) -> bool {
    let parts = |name| {
        let parts = Path::new(name).components().rev();
        parts.filter(|part| matches!(part, Component::Normal(_)))
    };
    let mut pairs = parts(one).zip(parts(other)).peekable();
    pairs.peek().is_some() && pairs.all(|(one, other)| one == other)
}

/// The files of a diff with the lines that it adds to each.
fn parse(text: &str) -> Result<Vec<(&str, Added<'_>)>, String> {
    let mut files: Vec<(&str, Added<'_>)> = Vec::new();
    let mut lines = (1..).zip(text.split_terminator('\n')).peekable();
    let mut before = "";
    let mut is_diff = text.trim().is_empty();
    while let Some((at, line)) = lines.next() {
        is_diff |= line.starts_with("diff ");
        if let Some(name) = line
            .strip_prefix("+++ ")
            .filter(|_| before.starts_with("--- "))
        {
            files.push((file_name(name), Added::new()));
            is_diff = true;
        } else if line.starts_with("@@") {
            let wrong = |what: &str| format!("line {at}: {what}");
            let hunk = hunk(line).ok_or_else(|| {
                wrong("expected a hunk `@@ -1,2 +3,4 @@`; is this a unified diff of two files?")
            })?;
            let (_, added) = files
                .last_mut()
                .ok_or_else(|| wrong("expected `--- FILE` and `+++ FILE` before the first hunk"))?;
            hunk.read(&mut lines, added).map_err(|what| wrong(&what))?;
        }
        before = line;
    }
    match is_diff {
        true => Ok(files),
        false => Err("expected a unified diff, found none; try `git diff -U0`".into()),
    }
}

/// The name without what comes behind a tab, and without the `b/` of git.
fn file_name(text: &str) -> &str {
    let name = text.split('\t').next().unwrap_or(text).trim();
    let name = name.trim_matches('"');
    name.strip_prefix("b/").unwrap_or(name)
}

/// What a hunk announces: lines before and after, and where those after begin.
struct Hunk {
    old: u32,
    new: u32,
    start: u32,
}

fn hunk(line: &str) -> Option<Hunk> {
    let rest = line.strip_prefix("@@ -")?;
    let (old, rest) = rest.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |text: &str| -> Option<(u32, u32)> {
        match text.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let ((_, old), (start, new)) = (range(old)?, range(new)?);
    start.checked_add(new)?;
    Some(Hunk { old, new, start })
}

impl Hunk {
    /// Takes as many lines as were announced.
    fn read<'t>(
        mut self,
        lines: &mut impl Iterator<Item = (usize, &'t str)>,
        added: &mut Added<'t>,
    ) -> Result<(), String> {
        while self.old > 0 || self.new > 0 {
            let Some((at, line)) = lines.next() else {
                let (old, new) = (self.old, self.new);
                return Err(format!(
                    "the hunk ends early: {old} lines of before and {new} of after are missing"
                ));
            };
            let (old, new) = match line.as_bytes().first() {
                Some(b'+') => (0, 1),
                Some(b'-') => (1, 0),
                // Some programs cut the blank off an empty line.
                Some(b' ' | b'\r') | None => (1, 1),
                Some(b'\\') => (0, 0),
                Some(_) => return Err(format!("line {at} is no line of the hunk: `{line}`")),
            };
            let announced = |left: u32, taken| {
                let more = || format!("line {at} is one more than the hunk has: `{line}`");
                u32::checked_sub(left, taken).ok_or_else(more)
            };
            if (old, new) == (0, 1) {
                added.insert(self.start, &line[1..]);
            }
            self.old = announced(self.old, old)?;
            self.new = announced(self.new, new)?;
            self.start += new;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "\
diff --git a/models/m.lus b/models/m.lus
index 1..2 100644
--- a/models/m.lus
+++ b/models/m.lus
@@ -1,3 +1,4 @@ node
 one
-two
+TWO
+and
 three
@@ -9,0 +11 @@
+--- ten
\\ No newline at end of file
--- a/other.lus\t2024-01-01
+++ b/other.lus\t2024-01-01
@@ -1 +1 @@
-a
+b
";

    #[test]
    fn added_lines_have_the_numbers_of_the_new_file() {
        let files = parse(DIFF).unwrap();
        let first = Added::from([(2, "TWO"), (3, "and"), (11, "--- ten")]);
        assert_eq!(files[0], ("models/m.lus", first));
        assert_eq!(files[1], ("other.lus", Added::from([(1, "b")])));
        assert_eq!(parse("\n"), Ok(Vec::new()));
    }

    #[test]
    fn names_end_alike_by_folders() {
        assert!(end_alike("models/m.lus", "m.lus"));
        assert!(end_alike("m.lus", "/models/m.lus"));
        assert!(end_alike("./m.lus", "m.lus"));
        assert!(!end_alike("models/m.lus", "other/m.lus"));
        assert!(!end_alike("am.lus", "m.lus"));
        assert!(!end_alike("", "m.lus"));
    }

    #[test]
    fn what_is_no_diff_is_refused_with_a_reason() {
        let wrong = |text: &str, part: &str| {
            let error = parse(text).expect_err(text);
            assert!(error.contains(part), "{error}");
        };
        wrong("node m() returns ();\n", "expected a unified diff");
        wrong("@@ -1 +1 @@\n-a\n+b\n", "before the first hunk");
        wrong("--- a\n+++ b\n@@ -x +1 @@\n", "line 3: expected a hunk");
        wrong("--- a\n+++ b\n@@ -1 +1 @@\n-a\n", "ends early");
        wrong("--- a\n+++ b\n@@ -1 +1 @@\n-a\nb\n", "no line of the hunk");
        wrong("--- a\n+++ b\n@@ -1,2 +1 @@\n+a\n+b\n", "one more");
        wrong("--- a\n+++ b\n@@ -1 +4294967295,9 @@\n", "expected a hunk");
    }

    #[test]
    fn a_diff_of_another_version_is_refused() {
        let mut sources = Sources::default();
        let text = "one\nTWO\nand\nthree\n".to_string();
        let id = sources.add("m.lus", text).unwrap();
        let lines = |added: Added<'static>| self::added(&[("m.lus", added)], sources.file(id));
        assert_eq!(lines(Added::from([(2, "TWO\r")])), Ok(BTreeSet::from([2])));
        assert!(lines(Added::from([(2, "two")])).is_err());
        assert!(lines(Added::from([(99, "two")])).is_err());
    }
}
