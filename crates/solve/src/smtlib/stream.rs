//! Text that is still being written: standard input, a pipe, a person.
//!
//! Who drives a solver through pipes waits for an answer before writing on, so a command has to be
//! read when it is complete and not when the input ends. A stream hands its text out in pieces that
//! end where a command does. A command lies in one piece, so the reader works on a piece as it does
//! on a file. A piece is everything complete that is there: a script that is piped in whole comes in
//! large ones. To find the ends, all there is to know about tokens is where parentheses do not
//! count: in comments, strings and symbols between bars.
//!
//! Pieces stay where they are as long as the stream, so that names can be parts of them. They are a
//! chain, whose links are set once; that needs no more than a shared reference.

use super::lexer::Fault;
use proofmark_source::{Diagnostic, FileId, Place, Span};
use std::cell::{OnceCell, RefCell};
use std::io::{self, ErrorKind, Read};

/// How much is read at once; pipes hold no more.
const CHUNK: usize = 1 << 16;
/// Places are 32 bits wide.
const LIMIT: usize = u32::MAX as usize;

/// Text that is still being written, in pieces that end where commands do.
pub struct Stream {
    file: FileId,
    first: Link,
    state: RefCell<State>,
}

type Link = OnceCell<Box<Piece>>;

struct Piece {
    text: String,
    next: Link,
}

/// Chains are long: they are taken apart link by link, not by recursion.
impl Drop for Piece {
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut piece) = next {
            next = piece.next.take();
        }
    }
}

impl Stream {
    /// The text of `input`, whose places are in `file`.
    pub fn new(file: FileId, input: Box<dyn Read>) -> Stream {
        let state = State {
            input,
            chunk: vec![0; CHUNK].into(),
            pending: Vec::new(),
            start: 0,
            scanner: Scanner::default(),
            complete: 0,
            ended: false,
        };
        Stream {
            file,
            first: OnceCell::new(),
            state: RefCell::new(state),
        }
    }

    /// All that was read, whether or not it was handed out; what is no text is replaced.
    pub fn into_text(self) -> String {
        let Stream { first, state, .. } = self;
        let mut text = String::new();
        let mut next = first.into_inner();
        while let Some(mut piece) = next {
            // The smaller part moves: a piece may fill half of the memory.
            if piece.text.len() > text.len() {
                piece.text.insert_str(0, &text);
                text = std::mem::take(&mut piece.text);
            } else {
                text.push_str(&piece.text);
            }
            next = piece.next.take();
        }
        text.push_str(&String::from_utf8_lossy(&state.borrow().pending));
        text
    }

    /// Waits for the next piece; `None` at the end. Only the last one may end inside a command.
    fn receive(&self) -> Result<Option<String>, Fault> {
        let mut state = self.state.borrow_mut();
        while state.complete == 0 && !state.ended {
            let read = state.read();
            let at = state.start + state.pending.len();
            if let Err(error) = read {
                let message = format!("expected more text, found that reading fails: {error}");
                return Err(self.fault(at, at, message).into());
            }
            if at >= LIMIT {
                let message = "expected less than 4 GiB of text, found more";
                let fault = self.fault(state.start, state.start, message);
                return Err(fault.with_hint("split it").into());
            }
        }
        state.take().map_err(|at| {
            let end = at + char::REPLACEMENT_CHARACTER.len_utf8();
            let message = "expected text in UTF-8, found a byte that cannot stand there";
            let hint = "is this a text file? If so, convert it to UTF-8";
            self.fault(at, end, message).with_hint(hint).into()
        })
    }

    fn fault(&self, start: usize, end: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(Span::new(self.file, start as u32, end as u32), message)
    }
}

struct State {
    input: Box<dyn Read>,
    chunk: Box<[u8]>,
    /// What is read and not handed out.
    pending: Vec<u8>,
    /// Where that begins.
    start: usize,
    scanner: Scanner,
    /// How much of what is pending is complete commands.
    complete: usize,
    ended: bool,
}

impl State {
    /// Reads what is there, and waits only when nothing is.
    fn read(&mut self) -> io::Result<()> {
        let before = self.pending.len();
        let room = CHUNK.min(LIMIT - self.start - before);
        let length = loop {
            match self.input.read(&mut self.chunk[..room]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        let chunk = &self.chunk[..length];
        // Memory that is not there must not abort.
        self.pending
            .try_reserve(length)
            .map_err(|_| ErrorKind::OutOfMemory)?;
        self.pending.extend_from_slice(chunk);
        self.ended = length == 0;
        if let Some(end) = self.scanner.scan(chunk) {
            self.complete = before + end;
        }
        Ok(())
    }

    /// What is complete, or, at the end of the input, what is left. Of that, what comes before a
    /// byte that is no text; when such a byte is in the first command, its place.
    fn take(&mut self) -> Result<Option<String>, usize> {
        if self.complete == 0 {
            self.complete = self.pending.len();
        }
        if self.complete == 0 {
            return Ok(None);
        }
        let length = match str::from_utf8(&self.pending[..self.complete]) {
            Ok(_) => self.complete,
            Err(error) => {
                let valid = error.valid_up_to();
                let before = Scanner::default().scan(&self.pending[..valid]);
                before.ok_or(self.start + valid)?
            }
        };
        let rest = self.pending.split_off(length);
        let bytes = std::mem::replace(&mut self.pending, rest);
        self.complete -= length;
        self.start += length;
        // It has just been found to be text.
        String::from_utf8(bytes).map(Some).map_err(|_| self.start)
    }
}

/// Finds the ends of commands, however the text is cut.
#[derive(Default)]
struct Scanner {
    /// How many parentheses are open.
    depth: usize,
    inside: Inside,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Inside {
    #[default]
    Command,
    Comment,
    /// A doubled quotation mark ends a string and begins another, which comes to the same.
    String,
    Bars,
}

impl Scanner {
    /// The last place in the next bytes before which all commands are complete. Outside of commands
    /// every line is complete, so that a mistake there is told at once.
    fn scan(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut end = None;
        for (at, byte) in bytes.iter().enumerate() {
            match (self.inside, byte) {
                (Inside::Command, b'(') => self.depth += 1,
                (Inside::Command, b')') => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        end = Some(at + 1);
                    }
                }
                (Inside::Command | Inside::Comment, b'\n') => {
                    self.inside = Inside::Command;
                    if self.depth == 0 {
                        end = Some(at + 1);
                    }
                }
                (Inside::Command, b';') => self.inside = Inside::Comment,
                (Inside::Command, b'"') => self.inside = Inside::String,
                (Inside::Command, b'|') => self.inside = Inside::Bars,
                (Inside::String, b'"') | (Inside::Bars, b'|') => self.inside = Inside::Command,
                // The lexer refuses it: there is nothing to wait for.
                (Inside::Bars, b'\\') => end = Some(at + 1),
                _ => {}
            }
        }
        end
    }
}

/// The text of a script as far as it is known: a whole file, or what has come of a stream.
pub(super) struct Text<'t> {
    stream: Option<(&'t Stream, &'t Link)>,
    /// The pieces, and where each begins.
    pieces: Vec<(u32, &'t str)>,
}

impl<'t> Text<'t> {
    pub fn whole(text: &'t str) -> Text<'t> {
        Text {
            stream: None,
            pieces: vec![(0, text)],
        }
    }

    pub fn of(stream: &'t Stream) -> (FileId, Text<'t>) {
        let text = Text {
            stream: Some((stream, &stream.first)),
            pieces: Vec::new(),
        };
        (stream.file, text)
    }

    /// The next piece of a stream and where it begins; `None` when all is known.
    pub fn more(&mut self) -> Result<Option<(u32, &'t str)>, Fault> {
        let Some((stream, link)) = self.stream else {
            return Ok(None);
        };
        let piece = match link.get() {
            Some(piece) => piece,
            None => {
                let Some(text) = stream.receive()? else {
                    return Ok(None);
                };
                let next = OnceCell::new();
                link.get_or_init(|| Box::new(Piece { text, next }))
            }
        };
        self.stream = Some((stream, &piece.next));
        let last = self.pieces.last();
        let start = last.map_or(0, |(start, text)| start + text.len() as u32);
        self.pieces.push((start, &piece.text));
        Ok(Some((start, &piece.text)))
    }

    /// Does this occur anywhere? In what is still to come it may.
    pub fn may_mention(&self, text: &str) -> bool {
        self.stream.is_some() || self.pieces.iter().any(|(_, piece)| piece.contains(text))
    }

    /// The text of a span inside one command.
    pub fn slice(&self, span: Span) -> &'t str {
        let after = self
            .pieces
            .partition_point(|(start, _)| *start <= span.start);
        let (start, piece) = self.pieces[after - 1];
        &piece[(span.start - start) as usize..(span.end - start) as usize]
    }

    /// Line and column of a byte, be it of a piece that was refused.
    pub fn place(&self, byte: u32) -> Place {
        let known = self.pieces.iter().map(|(_, piece)| piece.as_bytes());
        let state = self.stream.map(|(stream, _)| stream.state.borrow());
        let pending = state.as_ref().map(|state| &state.pending[..]);
        let mut place = Place::BEGINNING;
        let mut left = byte as usize;
        for bytes in known.chain(pending) {
            let (before, _) = bytes.split_at(left.min(bytes.len()));
            place = place.after(before);
            left -= before.len();
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_source::Sources;
    use std::collections::VecDeque;

    /// Gives what was written in the portions it was written in.
    struct Portions(VecDeque<Vec<u8>>);

    impl Read for Portions {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let portion = self.0.pop_front().unwrap_or_default();
            buffer[..portion.len()].copy_from_slice(&portion);
            Ok(portion.len())
        }
    }

    fn stream<'p>(portions: impl IntoIterator<Item = &'p [u8]>) -> Stream {
        let file = Sources::default().add("test", String::new()).unwrap();
        let portions = portions.into_iter().map(<[u8]>::to_vec).collect();
        Stream::new(file, Box::new(Portions(portions)))
    }

    fn pieces(stream: &Stream) -> Vec<String> {
        let (_, mut text) = Text::of(stream);
        std::iter::from_fn(|| text.more().unwrap())
            .map(|(_, piece)| piece.to_string())
            .collect()
    }

    #[test]
    fn a_piece_is_all_that_is_complete() {
        let portions: [&[u8]; 4] = [b"(a)(b)(c", b" \"(", b"\"\"\" |)|)\nx", b"\n; (\n(d"];
        let expected = ["(a)(b)", "(c \"(\"\"\" |)|)\n", "x\n; (\n", "(d"];
        let stream = stream(portions);
        assert_eq!(pieces(&stream), expected);
        assert_eq!(pieces(&stream), expected);
        assert_eq!(stream.into_text(), expected.concat());
    }

    #[test]
    fn however_a_text_is_cut_its_pieces_end_at_ends_of_commands() {
        let text = "(a \"b;\"\"(\" |\"c)|) ; é ( | \"\n(b\n;)\n(c))\n)";
        let ends = [
            "(a \"b;\"\"(\" |\"c)|)",
            " ; é ( | \"\n",
            "(b\n;)\n(c))",
            "\n",
            ")",
        ];
        for size in 1..text.len() {
            let stream = stream(text.as_bytes().chunks(size));
            let found = pieces(&stream);
            let mut left = &ends[..];
            for piece in &found {
                let count = (0..=left.len()).find(|count| left[..*count].concat() == *piece);
                left = &left[count.unwrap_or_else(|| panic!("{size}: {piece:?}"))..];
            }
            assert!(left.is_empty(), "{size}: {found:?}");
        }
    }

    #[test]
    fn what_no_reader_can_accept_is_not_waited_for() {
        assert_eq!(
            pieces(&stream([b"(a |b\\".as_slice(), b"|)"]))[0],
            "(a |b\\"
        );
        assert_eq!(pieces(&stream([b")".as_slice(), b"(a)"]))[0], ")");
    }

    #[test]
    fn commands_before_a_byte_that_is_no_text_are_handed_out() {
        for portions in [
            &[b"(a)\n(b \"\xff\")(c)".as_slice()][..],
            &[b"(a)\n(b", b" \"\xff\")"],
        ] {
            let stream = stream(portions.iter().copied());
            let (_, mut text) = Text::of(&stream);
            let mut read = String::new();
            let fault = loop {
                match text.more() {
                    Ok(piece) => read += piece.expect("a fault comes first").1,
                    Err(fault) => break fault,
                }
            };
            assert_eq!(read, "(a)\n");
            assert_eq!(fault.span.start, 8);
            assert_eq!(text.place(fault.span.start).to_string(), "2:5");
        }
    }

    #[test]
    fn a_long_chain_is_taken_apart() {
        let stream = stream(std::iter::repeat_n(b"()".as_slice(), 200_000));
        assert_eq!(pieces(&stream).len(), 200_000);
    }
}
