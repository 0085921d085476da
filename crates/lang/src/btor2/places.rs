//! Where a line comes from: a place in the design that Yosys names, or the line itself.

use super::lines::Line;
use proofmark_model::{Category, Origin};
use proofmark_source::{Sources, Span};

/// The origin of what a line says.
pub(super) fn origin(sources: &Sources, line: &Line<'_>, category: Category) -> Origin {
    let symbol = line.words.last().map_or("", |word| word.text);
    let places = line.comment.split([' ', '|']).chain([symbol]);
    let found = places.filter_map(|place| design(sources, place)).next();
    Origin::new(found.unwrap_or(line.span), category)
}

/// Whether a file names places in designs that are among the sources.
pub(super) fn is_translated(sources: &Sources, text: &str) -> bool {
    let mut words = text.split([' ', '|', '\n', '\r']);
    words.any(|word| design(sources, word).is_some())
}

/// A place as Yosys writes it, `file:line.column-line.column`, in a file that is among the sources.
fn design(sources: &Sources, place: &str) -> Option<Span> {
    let (name, range) = place.rsplit_once(':')?;
    let (from, to) = range.split_once('-')?;
    let file = sources.find(name)?;
    let byte = |position: &str| {
        let (line, column) = position.split_once('.')?;
        let (line, column) = (line.parse().ok()?, column.parse().ok()?);
        sources.file(file).byte(line, column)
    };
    let (from, to) = (byte(from)?, byte(to)?);
    (from <= to).then(|| Span::new(file, from, to))
}
