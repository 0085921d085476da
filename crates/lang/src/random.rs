//! Random texts and random runs, for those who try to break things: the tests, and `cargo xtask`.
//!
//! Everything follows from the state of the [`Dice`].

use crate::{Options, ProgramRequest, aiger, btor2, c, lustre, smv};
use proofmark_model::graph::Netlist;
use proofmark_model::{Model, Program, Rational, RunResult, Sort, Term, Trace, Value, lower};
use proofmark_source::{Diagnostic, Severity, Sources};

/// A small generator of numbers, so that a failure comes back.
pub struct Dice(pub u64);

impl Dice {
    /// A number from 0 to below `below`; 0 when that is 0.
    pub fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }

    /// A small value of a sort.
    pub fn value(&mut self, sort: Sort) -> Value {
        let number = Rational::from(self.roll(20) as i64 - 5);
        match sort {
            Sort::Bool => Value::Bool(self.roll(2) == 0),
            Sort::Int => Value::Int(number),
            Sort::Real => Value::Real(number),
            Sort::Enum(of) => Value::Enum(of, self.roll(of.values().len()) as u32),
            Sort::BitVec(_) => Value::default_of(sort),
        }
    }
}

/// Runs some random steps.
pub fn run(program: &Program, steps: usize, dice: &mut Dice) -> Result<RunResult, String> {
    let (first, later) = program.free();
    let mut columns: Vec<Term> = first;
    columns.extend(later);
    columns.sort_by_cached_key(|term| format!("{term:?}"));
    columns.dedup();
    let mut trace = Trace::new(columns.clone());
    for _ in 0..steps {
        let row = columns.iter().map(|term| dice.value(term.sort())).collect();
        trace.push(row).map_err(|error| error.to_string())?;
    }
    Ok(program.machine().judge(&trace))
}

/// Pieces of text that change the meaning of what is around them.
const PIECES: &[&str] = &[
    "pre ",
    "->",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ".",
    ":=",
    "=",
    "--%MAIN",
    "--%IVC ",
    "--%PROPERTY ",
    "condact(",
    "if ",
    " then ",
    " else ",
    "tel;",
    "node f(",
    "let",
    "var ",
    "int",
    "real(",
    "#(",
    " fby ",
    " when ",
    "current ",
    "0",
    "-1",
    "1.5",
    "99999999999999999999",
    "(*",
    "/*",
    "*/",
    "\"",
    "[0]",
    ".f",
    "{f := 1}",
    "subrange [0, 3] of int",
    "int[3]",
    "enum {A, B}",
    "type t = ",
    "const c = ",
    "function g(x: int) returns (y: int);",
    "\u{0}",
    "é",
    "@",
    "~",
    "\r",
];

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Spans of words and signs.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut before = ' ';
    for (at, character) in text.char_indices() {
        let joins = character.is_alphanumeric() && before.is_alphanumeric();
        if !joins && start < at {
            words.push((start, at));
            start = at;
        }
        before = character;
    }
    words.push((start, text.len()));
    words
}

/// The text with one thing changed, some of it taken from the other.
pub fn mutate(text: &str, other: &str, dice: &mut Dice) -> String {
    let at = boundary(text, dice.roll(text.len() + 1));
    match dice.roll(9) {
        0 => flip_bits(text, dice),
        1 => text[..at].to_string(),
        2 => {
            let piece = PIECES[dice.roll(PIECES.len())];
            format!("{}{piece}{}", &text[..at], &text[at..])
        }
        // A name or a number instead of another, which often is a program still.
        3 | 4 => {
            let named = |(start, _): &(usize, usize)| {
                text[*start..].starts_with(|c: char| c.is_alphanumeric())
            };
            let names: Vec<(usize, usize)> = words(text).into_iter().filter(named).collect();
            replace_word(text, &names, text, &names, dice)
        }
        5 => replace_word(text, &words(text), other, &words(other), dice),
        6 => exchange_words(text, dice),
        // The beginning of one file and the end of another.
        7 => {
            let from = boundary(other, dice.roll(other.len() + 1));
            format!("{}{}", &text[..at], &other[from..])
        }
        // A stretch left out or written twice.
        _ => {
            let end = boundary(text, (at + dice.roll(60)).min(text.len())).max(at);
            match dice.roll(2) {
                0 => format!("{}{}", &text[..at], &text[end..]),
                _ => format!("{}{}", &text[..end], &text[at..]),
            }
        }
    }
}

/// What is no text any more is repaired as a caller would.
fn flip_bits(text: &str, dice: &mut Dice) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << dice.roll(8);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// One of the words becomes one of the donor's.
fn replace_word(
    text: &str,
    words: &[(usize, usize)],
    donor: &str,
    donors: &[(usize, usize)],
    dice: &mut Dice,
) -> String {
    let chosen = (
        words.get(dice.roll(words.len())),
        donors.get(dice.roll(donors.len())),
    );
    let (Some(&(start, end)), Some(&(from, to))) = chosen else {
        return text.to_string();
    };
    format!("{}{}{}", &text[..start], &donor[from..to], &text[end..])
}

fn exchange_words(text: &str, dice: &mut Dice) -> String {
    let words = words(text);
    let (a, b) = (words[dice.roll(words.len())], words[dice.roll(words.len())]);
    let (first, second) = if a.0 <= b.0 { (a, b) } else { (b, a) };
    if first.1 > second.0 {
        return text.to_string();
    }
    [
        &text[..first.0],
        &text[second.0..second.1],
        &text[first.1..second.0],
        &text[first.0..first.1],
        &text[second.1..],
    ]
    .concat()
}

/// What became of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It is a model, which lowers and runs.
    Loaded,
    /// It is none, and something is said about it.
    Diagnosed,
}

/// Takes a text through the Lustre front end and some random steps. An error says which rule was
/// broken: a model or an error, places inside the file, and a model that runs.
pub fn try_lustre(text: &str, dice: &mut Dice) -> Result<Fate, String> {
    let mut sources = Sources::default();
    let file = sources.add("random.lus", text.into());
    let file = file.map_err(|error| error.to_string())?;
    let (loaded, diagnostics) = lustre::load(&sources, file, &lustre::Options::default());
    check_places(&sources, &diagnostics)?;
    judge(loaded.map(|loaded| loaded.model), &diagnostics, dice)
}

/// Takes a text through the BTOR2 front end and some random steps, as [`try_lustre`] does.
pub fn try_btor2(text: &str, dice: &mut Dice) -> Result<Fate, String> {
    let mut sources = Sources::default();
    let file = sources.add("random.btor2", text.into());
    let file = file.map_err(|error| error.to_string())?;
    let (loaded, diagnostics) = btor2::read(&sources, file);
    check_places(&sources, &diagnostics)?;
    judge(loaded.map(|loaded| loaded.model), &diagnostics, dice)
}

/// The same for a text of SMV.
pub fn try_smv(text: &str, dice: &mut Dice) -> Result<Fate, String> {
    let mut sources = Sources::default();
    let file = sources.add("random.smv", text.into());
    let file = file.map_err(|error| error.to_string())?;
    let (loaded, diagnostics) = smv::read(&sources, file, &Options::default());
    check_places(&sources, &diagnostics)?;
    judge(loaded.map(|loaded| loaded.model), &diagnostics, dice)
}

/// Takes a C program through the front end, with mutants now and then, and checks that there is a program or an
/// error.
pub fn try_c(text: &str, dice: &mut Dice) -> Result<Fate, String> {
    let mut sources = Sources::default();
    let file = sources.add("random.c", text.into());
    let file = file.map_err(|error| error.to_string())?;
    // A mutant is a program more: few of them, of small programs.
    let mutates = text.len() < 600 && dice.roll(20) == 0;
    let request = ProgramRequest {
        files: &[file],
        harness: &[],
        definitions: &[],
        includes: &[],
        entry: "main",
        mutators: mutates.then_some("andrews"),
        read: &|_| None,
    };
    let (loaded, diagnostics) = (c::READER.load)(&mut sources, &request);
    check_places(&sources, &diagnostics)?;
    let wrong = diagnostics
        .iter()
        .any(|one| one.severity == Severity::Error);
    match (loaded.is_some(), wrong) {
        (true, false) => Ok(Fate::Loaded),
        (false, true) => Ok(Fate::Diagnosed),
        (true, true) => Err("a program in spite of errors".into()),
        (false, false) => Err("no program, and no error".into()),
    }
}

/// There is a model or an error, and a model runs.
fn judge(model: Option<Model>, told: &[Diagnostic], dice: &mut Dice) -> Result<Fate, String> {
    let wrong = told.iter().any(|one| one.severity == Severity::Error);
    let Some(model) = model else {
        let fate = wrong.then_some(Fate::Diagnosed);
        return fate.ok_or_else(|| "no model, and no error".into());
    };
    if wrong {
        return Err("a model in spite of errors".into());
    }
    let lowered = lower(&model).map_err(|errors| errors[0].to_string())?;
    let program = Program::compile(&lowered.system).map_err(|error| error.to_string())?;
    run(&program, 3, dice)?;
    Ok(Fate::Loaded)
}

/// Whether all diagnostics speak of places inside their files.
fn check_places(sources: &Sources, told: &[Diagnostic]) -> Result<(), String> {
    for diagnostic in told {
        let labels = diagnostic.labels.iter().map(|label| label.span);
        for span in labels.chain([diagnostic.span]) {
            let range = span.start as usize..span.end as usize;
            if sources.file(span.file).text().get(range).is_none() {
                let message = &diagnostic.message;
                return Err(format!("outside the file: {span:?} of {message}"));
            }
        }
    }
    Ok(())
}

/// The bytes with one thing changed, some of it taken from the other.
pub fn mutate_bytes(bytes: &[u8], other: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = dice.roll(bytes.len() + 1);
    match dice.roll(8) {
        0 => bytes.truncate(at),
        1 => bytes.insert(at, dice.roll(256) as u8),
        2 => {
            let number = [0, 1, 2, 3, 7, 4_294_967_295, 99_999_999_999_u64][dice.roll(7)];
            replace_number(&mut bytes, number, dice);
        }
        3 => {
            let number = dice.roll(40) as u64;
            replace_number(&mut bytes, number, dice);
        }
        4 => {
            let from = dice.roll(other.len() + 1);
            bytes.splice(at.., other[from..].iter().copied());
        }
        5 => {
            let end = (at + dice.roll(20)).min(bytes.len());
            bytes.drain(at..end);
        }
        6 => {
            let end = (at + dice.roll(20)).min(bytes.len());
            let twice = bytes[at..end].to_vec();
            bytes.splice(at..at, twice);
        }
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << dice.roll(8);
            }
        }
    }
    bytes
}

/// A run of digits becomes another number.
fn replace_number(bytes: &mut Vec<u8>, number: u64, dice: &mut Dice) {
    let start = dice.roll(bytes.len());
    let Some(from) = bytes[start..].iter().position(u8::is_ascii_digit) else {
        return;
    };
    let from = start + from;
    let digits = bytes[from..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit());
    let end = from + digits.count();
    bytes.splice(from..end, number.to_string().into_bytes());
}

/// Takes a netlist through its front end and back. An error says which rule was broken: a netlist or an
/// error, places inside the file, and a netlist that is read back as it was written, in text and binary.
pub fn try_aiger(bytes: &[u8]) -> Result<Fate, String> {
    let (netlist, diagnostics) = read_aiger(bytes)?;
    let wrong = diagnostics.iter().any(|d| d.severity == Severity::Error);
    let Some(netlist) = netlist else {
        let fate = wrong.then_some(Fate::Diagnosed);
        return fate.ok_or_else(|| "no netlist, and no error".into());
    };
    if wrong {
        return Err("a netlist in spite of errors".into());
    }
    let write = |netlist: &Netlist| -> Result<[Vec<u8>; 2], String> {
        let mut files = [Vec::new(), Vec::new()];
        aiger::write_text(netlist, &mut files[0]).map_err(|error| error.to_string())?;
        aiger::write_binary(netlist, &mut files[1]).map_err(|error| error.to_string())?;
        Ok(files)
    };
    let files = write(&netlist)?;
    for file in &files {
        let (again, told) = read_aiger(file)?;
        let again = again.ok_or_else(|| format!("what was written is not read: {told:?}"))?;
        if write(&again)? != files {
            return Err("what was written is read differently".into());
        }
    }
    Ok(Fate::Loaded)
}

fn read_aiger(bytes: &[u8]) -> Result<(Option<Netlist>, Vec<Diagnostic>), String> {
    let mut sources = Sources::default();
    let file = sources.add_bytes("random.aig", bytes.to_vec());
    let file = file.map_err(|_| "the file is too large".to_string())?;
    let (netlist, diagnostics) = aiger::read(&sources, file);
    check_places(&sources, &diagnostics)?;
    Ok((netlist, diagnostics))
}
