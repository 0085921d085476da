//! Changes of a text, and the diff that shows them.
//!
//! Edits know where they are, so that their diff needs no search for what two texts have in common.

use crate::file::Span;
use std::fmt::Write as _;

/// A range of bytes and the text that takes its place; an empty range is an insertion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// What is replaced; nothing is, where the span is empty.
    pub span: Span,
    /// What stands there afterwards.
    pub text: String,
}

impl Edit {
    /// Replaces the text of a span.
    pub fn new(span: Span, text: impl Into<String>) -> Edit {
        let text = text.into();
        Edit { span, text }
    }

    /// A text before what stands at a byte of the span's file.
    pub fn insert(at: Span, byte: u32, text: impl Into<String>) -> Edit {
        Edit::new(Span::new(at.file, byte, byte), text)
    }
}

/// Edits of one file, in the order of the text, none over another.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edits(Vec<Edit>);

impl Edits {
    /// Puts edits in order; insertions at one place stay in the order in which they are given.
    /// Nothing when two overlap.
    pub fn new(mut edits: Vec<Edit>) -> Option<Edits> {
        edits.sort_by_key(|edit| (edit.span.file, edit.span.start, edit.span.end));
        let apart = edits.windows(2).all(|pair| {
            let [one, next] = [pair[0].span, pair[1].span];
            one.file == next.file && one.end <= next.start
        });
        apart.then_some(Edits(edits))
    }

    /// The edits, in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = &Edit> {
        self.0.iter()
    }

    /// The text with all edits made.
    pub fn apply(&self, text: &str) -> String {
        self.part(text, 0, text.len() as u32)
    }

    /// What becomes of a part of the text by the edits that lie within it.
    pub fn apply_within(&self, text: &str, span: Span) -> String {
        self.part(text, span.start, span.end)
    }

    fn part(&self, text: &str, start: u32, end: u32) -> String {
        let mut out = String::new();
        let mut at = start;
        let slice = |from: u32, to: u32| text.get(from as usize..to as usize).unwrap_or("");
        for Edit { span, text: new } in &self.0 {
            if span.start < start || span.end > end {
                continue;
            }
            out.push_str(slice(at, span.start));
            out.push_str(new);
            at = span.end;
        }
        out.push_str(slice(at, end));
        out
    }

    /// The edits as a unified diff of a file, as `patch -p0` takes it; nothing when no line changes.
    pub fn unified(&self, name: &str, text: &str) -> String {
        let hunks = self.hunks(text);
        if hunks.is_empty() {
            return String::new();
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        // A tab ends a name that has spaces.
        let end = if name.contains(' ') { "\t" } else { "" };
        let mut out = format!("--- {name}{end}\n+++ {name}{end}\n");
        let mut moved = 0i64;
        for group in grouped(&hunks) {
            moved = write_group(&lines, group, moved, &mut out);
        }
        out
    }

    /// The lines that change, with what they become.
    fn hunks(&self, text: &str) -> Vec<Hunk> {
        let starts: Vec<usize> = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .filter(|at| *at < text.len() || text.is_empty())
            .collect();
        let line_of = |byte: u32| starts.partition_point(|start| *start <= byte as usize) - 1;
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for edit in &self.0 {
            let first = line_of(edit.span.start);
            let last = line_of(edit.span.end.max(edit.span.start)) + 1;
            match ranges.last_mut() {
                Some((_, end)) if *end >= first => *end = last.max(*end),
                _ => ranges.push((first, last)),
            }
        }
        let byte = |line: usize| starts.get(line).map_or(text.len(), |start| *start) as u32;
        let hunks = ranges.into_iter().map(|(first, last)| Hunk {
            first,
            last,
            new: self.part(text, byte(first), byte(last)),
        });
        let old = |hunk: &Hunk| &text[byte(hunk.first) as usize..byte(hunk.last) as usize];
        hunks.filter(|hunk| old(hunk) != hunk.new).collect()
    }
}

/// Lines `first .. last` and their new text.
struct Hunk {
    first: usize,
    last: usize,
    new: String,
}

/// Lines around a change, so that it is found in a file that has moved on.
const CONTEXT: usize = 3;

/// Neighbours whose contexts meet are shown together.
fn grouped(hunks: &[Hunk]) -> impl Iterator<Item = &[Hunk]> {
    hunks.chunk_by(|one, next| next.first <= one.last + 2 * CONTEXT)
}

/// Writes hunks that are shown together; `moved` is by how many lines the new text is ahead.
fn write_group(lines: &[&str], group: &[Hunk], moved: i64, out: &mut String) -> i64 {
    let (Some(first), Some(last)) = (group.first(), group.last()) else {
        return moved;
    };
    let from = first.first.saturating_sub(CONTEXT);
    let to = (last.last + CONTEXT).min(lines.len());
    let added: usize = group
        .iter()
        .map(|one| one.new.split_inclusive('\n').count())
        .sum();
    let removed: usize = group.iter().map(|one| one.last - one.first).sum();
    let (old, new) = (to - from, to - from + added - removed);
    let start = |count: usize, at: i64| at + i64::from(count > 0);
    let (old_start, new_start) = (start(old, from as i64), start(new, from as i64 + moved));
    // Writing to a string does not fail.
    let _ = writeln!(out, "@@ -{old_start},{old} +{new_start},{new} @@");
    let mut at = from;
    for hunk in group {
        lines[at..hunk.first]
            .iter()
            .for_each(|line| write_line(' ', line, out));
        let old = &lines[hunk.first..hunk.last];
        old.iter().for_each(|line| write_line('-', line, out));
        let new = hunk.new.split_inclusive('\n');
        new.for_each(|line| write_line('+', line, out));
        at = hunk.last;
    }
    lines[at..to]
        .iter()
        .for_each(|line| write_line(' ', line, out));
    moved + added as i64 - removed as i64
}

fn write_line(mark: char, line: &str, out: &mut String) {
    out.push(mark);
    out.push_str(line);
    if !line.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sources;

    fn edits(list: &[(u32, u32, &str)]) -> Option<Edits> {
        let mut sources = Sources::default();
        let file = sources.add("a", String::new()).unwrap();
        let edits = list.iter();
        let edits = edits.map(|(start, end, text)| Edit::new(Span::new(file, *start, *end), *text));
        Edits::new(edits.collect())
    }

    #[test]
    fn edits_are_made_in_the_order_of_the_text() {
        let made = edits(&[(4, 5, "C"), (0, 1, "A"), (2, 2, "("), (2, 2, "[")]).unwrap();
        assert_eq!(made.apply("a b c"), "A ([b C");
        assert!(edits(&[(0, 2, ""), (1, 3, "")]).is_none());
    }

    #[test]
    fn a_part_is_shown_with_the_edits_in_it() {
        let made = edits(&[(0, 1, "A"), (2, 3, "B"), (4, 5, "C")]).unwrap();
        let span = made.iter().nth(1).unwrap().span;
        assert_eq!(made.apply_within("a b c", span), "B");
    }

    #[test]
    fn a_diff_has_three_lines_around_each_change_and_joins_neighbours() {
        let text: String = (1..=30).map(|line| format!("{line}\n")).collect();
        let at = |line: &str| text.find(&format!("\n{line}\n")).unwrap() as u32 + 1;
        let made = edits(&[
            (at("10"), at("10") + 2, "ten"),
            (at("14"), at("14"), "new\n"),
            (at("25"), at("26"), ""),
        ]);
        let wanted = "--- f\n+++ f\n@@ -7,11 +7,12 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n-14\n\
                      +new\n+14\n 15\n 16\n 17\n@@ -22,8 +23,7 @@\n 22\n 23\n 24\n-25\n-26\n+26\n \
                      27\n 28\n 29\n";
        assert_eq!(made.unwrap().unified("f", &text), wanted);
    }

    #[test]
    fn a_name_with_spaces_ends_with_a_tab() {
        let made = edits(&[(0, 1, "b")]).unwrap().unified("my f", "a\n");
        assert!(made.starts_with("--- my f\t\n+++ my f\t\n@@"), "{made}");
    }

    #[test]
    fn a_last_line_without_an_end_is_marked() {
        let made = edits(&[(2, 3, "B")]).unwrap();
        let wanted = "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n\\ \
                      No newline at end of file\n";
        assert_eq!(made.unified("f", "a\nb"), wanted);
        let same = edits(&[(2, 3, "b")]).unwrap();
        assert_eq!(same.unified("f", "a\nb"), "");
    }
}
