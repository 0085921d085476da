//! The header, and the lines before the gates.

use super::cursor::{Cursor, Fault};
use proofmark_model::graph::Init;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    Text,
    Binary,
}

/// The first line: how many there are of each kind.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) format: Format,
    /// The greatest number of a variable.
    pub(super) most: u32,
    pub(super) inputs: u32,
    pub(super) latches: u32,
    pub(super) outputs: u32,
    pub(super) gates: u32,
    pub(super) bads: u32,
    pub(super) constraints: u32,
    pub(super) justice: u32,
    pub(super) fairness: u32,
    /// The end of the line.
    end: usize,
}

/// Binary inputs take no bytes. As many as the file has bytes, and some more, may be claimed.
const UNSEEN_INPUTS: usize = 1_000_000;

impl Header {
    pub(super) fn read(cursor: &mut Cursor) -> Result<Header, Fault> {
        let word = cursor.slice(0, cursor.len().min(4));
        let format = match word {
            b"aag " => Format::Text,
            b"aig " => Format::Binary,
            _ => {
                return Err(Fault::new(
                    (0, 0),
                    "expected a file that begins with `aag` or `aig`",
                    "the first line is `aag M I L O A` in text files and `aig M I L O A` in binary ones",
                ));
            }
        };
        cursor.at = 4;
        let most = cursor.number("the greatest number of a variable")?;
        let mut counts = [0; 8];
        let names = [
            "inputs",
            "latches",
            "outputs",
            "gates",
            "bad signals",
            "constraints",
            "justice properties",
            "fairness constraints",
        ];
        for (at, name) in names.into_iter().enumerate() {
            // The last four may be left out.
            if at >= 4 && cursor.peek() != Some(b' ') {
                break;
            }
            counts[at] = cursor.further_number(&format!("the number of {name}"))?;
        }
        let end = cursor.line_end()?;
        let [
            inputs,
            latches,
            outputs,
            gates,
            bads,
            constraints,
            justice,
            fairness,
        ] = counts;
        let header = Header {
            format,
            most,
            inputs,
            latches,
            outputs,
            gates,
            bads,
            constraints,
            justice,
            fairness,
            end,
        };
        header.check(cursor.len())?;
        Ok(header)
    }

    /// The counts have to fit together, and the file has to be large enough for them.
    fn check(&self, bytes: usize) -> Result<(), Fault> {
        let fault = |message: String, hint: &str| Err(Fault::new((0, self.end), message, hint));
        let sum = u64::from(self.inputs) + u64::from(self.latches) + u64::from(self.gates);
        let most = u64::from(self.most);
        if sum > most || (self.format == Format::Binary && sum != most) {
            return fault(
                format!(
                    "the header says {most} variables, its inputs, latches and gates are {sum}"
                ),
                "the first number is the greatest variable: the sum of inputs, latches and gates",
            );
        }
        if self.most > u32::MAX / 2 - 4 {
            return fault(
                format!("the header says {most} variables"),
                "netlists of 2^31 variables or more are not read",
            );
        }
        let inputs = match self.format {
            Format::Text => 0,
            Format::Binary => (self.inputs as usize).saturating_sub(UNSEEN_INPUTS),
        };
        if inputs > bytes {
            return fault(
                format!(
                    "the header says {} inputs in a file of {bytes} bytes",
                    self.inputs
                ),
                "most of these inputs cannot be used; is the header right?",
            );
        }
        Ok(())
    }

    pub(super) fn refuse_justice(&self) -> Result<(), Fault> {
        match self.justice {
            0 => Ok(()),
            count => Err(Fault::new(
                (0, self.end),
                format!("the file has {count} justice properties; liveness is not checked yet"),
                "remove them, or keep only the bad signals, to check the file for safety",
            )),
        }
    }

    /// Fairness speaks of infinite runs alone.
    pub(super) fn fairness_warning(&self) -> Option<Fault> {
        let count = self.fairness;
        (count > 0).then(|| {
            Fault::new(
                (0, self.end),
                format!("the {count} fairness constraints are not used: they do not matter to bad signals"),
                "what is bad is bad in a finite run, and fairness speaks of infinite ones",
            )
        })
    }

    /// Reads what comes before the gates. Justice has been refused.
    pub(super) fn sections(&self, cursor: &mut Cursor) -> Result<Sections, Fault> {
        let mut sections = Sections::default();
        if self.format == Format::Text {
            for _ in 0..self.inputs {
                let line = self.line(cursor, "an input")?;
                sections.inputs.push(line);
            }
        }
        for position in 0..self.latches {
            let latch = self.latch(cursor, position)?;
            sections.latches.push(latch);
        }
        let lists = [
            (self.outputs, "an output", &mut sections.outputs),
            (self.bads, "a bad signal", &mut sections.bads),
            (self.constraints, "a constraint", &mut sections.constraints),
        ];
        for (count, what, list) in lists {
            for _ in 0..count {
                list.push(self.line(cursor, what)?);
            }
        }
        for _ in 0..self.fairness {
            self.line(cursor, "a fairness constraint")?;
        }
        Ok(sections)
    }

    /// A line with one literal.
    fn line(&self, cursor: &mut Cursor, what: &str) -> Result<Line, Fault> {
        let from = cursor.at;
        let code = cursor.number(what)?;
        let to = cursor.line_end()?;
        let line = Line { code, from, to };
        self.check_code(line.code, line.place(), what)?;
        Ok(line)
    }

    pub(super) fn check_code(
        &self,
        code: u32,
        place: (usize, usize),
        what: &str,
    ) -> Result<(), Fault> {
        let limit = 2 * self.most + 1;
        match code <= limit {
            true => Ok(()),
            false => Err(Fault::new(
                place,
                format!("{what} is the literal {code}, the greatest is {limit}"),
                "the first number of the header is the greatest variable, a literal is twice that or one more",
            )),
        }
    }

    /// A latch: its literal (which binary files leave out), its next value, and its reset if that is not 0.
    fn latch(&self, cursor: &mut Cursor, position: u32) -> Result<LatchLine, Fault> {
        let from = cursor.at;
        let (code, next) = match self.format {
            Format::Text => {
                let code = cursor.number("a latch")?;
                (code, cursor.further_number("the next value of a latch")?)
            }
            Format::Binary => {
                let code = 2 * (self.inputs + position + 1);
                (code, cursor.number("the next value of a latch")?)
            }
        };
        let reset = match cursor.at_line_end() {
            true => 0,
            false => cursor.further_number("the reset of a latch")?,
        };
        let place = (from, cursor.line_end()?);
        self.check_code(code, place, "a latch")?;
        self.check_code(next, place, "the next value of a latch")?;
        let init = match reset {
            0 => Init::Zero,
            1 => Init::One,
            own if own == code => Init::Free,
            other => {
                return Err(Fault::new(
                    place,
                    format!("the reset of latch {code} is {other}"),
                    format!("a reset is 0, 1, or {code} for any value"),
                ));
            }
        };
        let line = Line {
            code,
            from: place.0,
            to: place.1,
        };
        Ok(LatchLine { line, next, init })
    }
}

/// A literal and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) code: u32,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Line {
    pub(super) fn place(&self) -> (usize, usize) {
        (self.from, self.to)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct LatchLine {
    pub(super) line: Line,
    pub(super) next: u32,
    pub(super) init: Init,
}

/// What comes before the gates.
#[derive(Default, Debug)]
pub(super) struct Sections {
    /// Only in text files.
    pub(super) inputs: Vec<Line>,
    pub(super) latches: Vec<LatchLine>,
    pub(super) outputs: Vec<Line>,
    pub(super) bads: Vec<Line>,
    pub(super) constraints: Vec<Line>,
}
