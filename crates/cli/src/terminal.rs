//! All that is written for people: messages and diagnostics on standard error.
//!
//! A diagnostic shows the line it speaks of. Generated inputs have lines of megabytes; of those the
//! part around the place is shown.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use proofmark_source::{
    Diagnostic, Severity, SourceFile, Sources, Span, printable, printable_lines,
};
use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// How much of a line is shown before and after the place, in bytes.
const BEFORE: usize = 60;
const AFTER: usize = 90;

/// Whether warnings are shown.
static WARNINGS: AtomicBool = AtomicBool::new(true);

/// Sets whether warnings are shown from now on.
pub fn set_warnings(shown: bool) {
    WARNINGS.store(shown, Ordering::Relaxed);
}

fn warns() -> bool {
    WARNINGS.load(Ordering::Relaxed)
}

pub fn error(message: &str) {
    let message = printable_lines(message);
    print(&renderer().render(&[Group::with_title(Level::ERROR.primary_title(message))]));
}

pub fn warning(message: &str) {
    if !warns() {
        return;
    }
    let message = printable_lines(message);
    print(&renderer().render(&[Group::with_title(Level::WARNING.primary_title(message))]));
}

/// What is said whatever warnings are shown, on one line.
pub fn note(message: &str) {
    let message = printable(message);
    print(&renderer().render(&[Group::with_title(Level::NOTE.primary_title(message))]));
}

/// A text in which nothing acts on a terminal but colours and bold face.
pub fn styled(text: &str) -> Cow<'_, str> {
    let mut pieces = text.split('\x1b');
    let mut out = printable_lines(pieces.next().unwrap_or_default());
    for piece in pieces {
        let end = piece.find(|c: char| !c.is_ascii_digit() && !matches!(c, '[' | ';'));
        let is_style =
            end.is_some_and(|end| piece.starts_with('[') && piece[end..].starts_with('m'));
        let out = out.to_mut();
        out.push_str(if is_style { "\x1b" } else { "\\u{1b}" });
        out.push_str(&printable_lines(piece));
    }
    out
}

pub fn diagnostic(diagnostic: &Diagnostic, sources: &Sources) {
    if diagnostic.severity == Severity::Warning && !warns() {
        return;
    }
    print(&render(diagnostic, sources, &renderer()));
}

fn print(text: &str) {
    // When standard error is closed there is no better place to complain.
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn renderer() -> Renderer {
    if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        Renderer::styled()
    } else {
        Renderer::plain()
    }
}

fn render(diagnostic: &Diagnostic, sources: &Sources, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let file = sources.file(diagnostic.span.file);
    let excerpt = Excerpt::of(file, diagnostic.span);
    let cut = excerpt.cut;
    let mut group = level
        .primary_title(printable_lines(&diagnostic.message))
        .element(excerpt.snippet(file, AnnotationKind::Primary, "".into()));
    if cut {
        let place = file.place(diagnostic.span.start);
        let note = format!("at {}:{place}", printable(file.name()));
        group = group.element(Level::NOTE.message(note));
    }
    for label in &diagnostic.labels {
        let file = sources.file(label.span.file);
        let excerpt = Excerpt::of(file, label.span);
        if excerpt.cut {
            let place = file.place(label.span.start);
            let note = format!("{} at {}:{place}", label.text, file.name());
            let note = printable(&note).into_owned();
            group = group.element(Level::NOTE.message(note));
            continue;
        }
        group =
            group.element(excerpt.snippet(file, AnnotationKind::Context, printable(&label.text)));
    }
    if let Some(hint) = &diagnostic.hint {
        group = group.element(Level::HELP.message(printable_lines(hint)));
    }
    renderer.render(&[group])
}

/// A line, or the part of it around a place.
struct Excerpt {
    text: String,
    line: u32,
    marked: Range<usize>,
    cut: bool,
}

impl Excerpt {
    fn of(file: &SourceFile, span: Span) -> Excerpt {
        let place = file.place(span.start);
        let line = file.line(place.line);
        let before = &file.text()[..span.start as usize];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        // A place may lie on the line's end, and reach over it.
        let start = (span.start as usize - line_start).min(line.len());
        let end = (span.end as usize - line_start).clamp(start, line.len());
        let from = boundary_before(line, start.saturating_sub(BEFORE));
        let to = boundary_before(line, line.len().min(start.saturating_add(AFTER)));
        let (head, tail) = (
            if from > 0 { "..." } else { "" },
            if to < line.len() { "..." } else { "" },
        );
        let moved = |at: usize| at.min(to) - from + head.len();
        Excerpt {
            text: format!("{head}{}{tail}", inert(&line[from..to])),
            line: place.line,
            marked: moved(start)..moved(end),
            cut: from > 0,
        }
    }

    /// The snippet under the name of its file. Its column is counted in what is shown, so that a
    /// line without its beginning goes without it.
    fn snippet<'a>(
        self,
        file: &'a SourceFile,
        kind: AnnotationKind,
        label: Cow<'a, str>,
    ) -> Snippet<'a, Annotation<'a>> {
        let mut annotation = kind.span(self.marked);
        if !label.is_empty() {
            annotation = annotation.label(label);
        }
        let snippet = Snippet::source(self.text)
            .line_start(self.line as usize)
            .annotation(annotation);
        if self.cut {
            return snippet;
        }
        snippet.path(printable(file.name()))
    }
}

/// A line of a file in which nothing acts on a terminal; every place in it stays where it is.
fn inert(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        let acts = c != '\t' && printable(c.encode_utf8(&mut [0; 4])).len() != c.len_utf8();
        match (acts, c.len_utf8()) {
            (false, _) => out.push(c),
            (true, 1) => out.push('?'),
            (true, 2) => out.push('¿'),
            (true, _) => out.push(char::REPLACEMENT_CHARACTER),
        }
    }
    out
}

fn boundary_before(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str, start: u32, end: u32) -> String {
        let mut sources = Sources::default();
        let file = sources.add("a.smt2", text.into()).unwrap();
        let fault = Diagnostic::error(Span::new(file, start, end), "expected x, found y")
            .with_hint("write x");
        render(&fault, &sources, &Renderer::plain())
    }

    #[test]
    fn a_diagnostic_shows_line_caret_and_hint() {
        let expected = "\
error: expected x, found y
 --> a.smt2:2:9
  |
2 | (assert y)
  |         ^
  |
  = help: write x";
        assert_eq!(rendered("(set-logic ALL)\n(assert y)\n", 24, 25), expected);
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let text = format!("{}y{}", "é".repeat(100_000), "z".repeat(100_000));
        let shown = rendered(&text, 200_000, 200_001);
        assert!(shown.contains("at a.smt2:1:100001"), "{shown}");
        assert!(shown.len() < 1000, "{shown}");
        assert!(shown.contains("...é") && shown.contains("z..."), "{shown}");
    }

    #[test]
    fn a_diagnostic_acts_on_no_terminal_and_keeps_its_place() {
        let shown = rendered("a\u{1b}[2K\u{9b}\u{202e}y", 10, 11);
        assert!(
            !shown.contains(|c: char| c.is_control() && c != '\n'),
            "{shown:?}"
        );
        assert!(shown.contains("a?[2K¿\u{fffd}y"), "{shown}");
        assert!(shown.contains("a.smt2:1:8"), "{shown}");
    }

    #[test]
    fn of_what_acts_on_a_terminal_only_styles_are_left() {
        let text = "\x1b[1;31mINVALID\x1b[0m p\x1b[2K\r\u{9b}2K\n";
        let shown = "\x1b[1;31mINVALID\x1b[0m p\\u{1b}[2K\\r\\u{9b}2K\n";
        assert_eq!(styled(text), shown);
    }

    #[test]
    fn the_end_of_the_file_is_a_place() {
        for text in ["", "(", "(\n", "(\r\n", "é"] {
            let end = text.len() as u32;
            assert!(rendered(text, end, end).contains("expected x"), "{text:?}");
        }
    }
}
