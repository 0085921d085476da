//! The lines of a file: words, and the comment behind them.

use proofmark_source::{FileId, Span};

/// A word with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}

/// A line that says something.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) words: Vec<Word<'a>>,
    /// What stands behind the semicolon.
    pub(super) comment: &'a str,
    /// From the first word to the last.
    pub(super) span: Span,
}

/// The lines that are not empty.
pub(super) fn lines(file: FileId, text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let begin = start;
        start += line.len();
        let (code, comment) = line.split_once(';').unwrap_or((line, ""));
        let words: Vec<Word<'_>> = words(code)
            .map(|(at, text)| {
                let from = (begin + at) as u32;
                let span = Span::new(file, from, from + text.len() as u32);
                Word { text, span }
            })
            .collect();
        let span = words.first()?.span.to(words.last()?.span);
        Some(Line {
            words,
            comment: comment.trim(),
            span,
        })
    })
}

/// Words between blanks, with where they begin.
fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let base = code.as_ptr() as usize;
    let words = code.split_ascii_whitespace();
    words.map(move |word| (word.as_ptr() as usize - base, word))
}
