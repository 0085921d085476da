//! A place in the bytes of a file, and what is wrong there.

/// What is wrong with some bytes of the file, and what to do.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) message: String,
    pub(super) hint: String,
}

impl Fault {
    pub(super) fn new(
        (from, to): (usize, usize),
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Fault {
        Fault {
            from,
            to,
            message: message.into(),
            hint: hint.into(),
        }
    }
}

/// A fault that ends the reading is the only one of its file.
impl From<Fault> for Vec<Fault> {
    fn from(fault: Fault) -> Vec<Fault> {
        vec![fault]
    }
}

/// Reads forward, never beyond the end.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &'a [u8] {
        &self.bytes[from..to]
    }

    /// What was expected here and what there is instead.
    pub(super) fn expected(&self, what: &str) -> Fault {
        let hint = "see the AIGER 1.9 report for the format of each line";
        match self.peek() {
            None => Fault::new(
                (self.at, self.at),
                format!("expected {what}, found the end of the file"),
                "is the file complete? The header says how many lines there are of each kind",
            ),
            Some(byte) if byte.is_ascii_graphic() => {
                let shown = char::from(byte);
                let message = format!("expected {what}, found `{shown}`");
                Fault::new((self.at, self.at + 1), message, hint)
            }
            Some(b'\n' | b'\r') => {
                let message = format!("expected {what}, found the end of the line");
                Fault::new((self.at, self.at), message, hint)
            }
            Some(b' ') => {
                let message = format!("expected {what}, found a blank");
                Fault::new((self.at, self.at + 1), message, hint)
            }
            Some(byte) => {
                let message = format!("expected {what}, found the byte {byte:#04x}");
                Fault::new((self.at, self.at), message, hint)
            }
        }
    }

    /// A decimal number of 32 bits.
    pub(super) fn number(&mut self, what: &str) -> Result<u32, Fault> {
        let from = self.at;
        let mut number: u64 = 0;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            number = 10 * number + u64::from(digit - b'0');
            self.at += 1;
            if number > u64::from(u32::MAX) {
                let message = format!("{what} is greater than {}", u32::MAX);
                let hint = "netlists of more than 2^31 variables are not read";
                return Err(Fault::new((from, self.at), message, hint));
            }
        }
        match self.at > from {
            true => Ok(number as u32),
            false => Err(self.expected(what)),
        }
    }

    /// One blank and a number.
    pub(super) fn further_number(&mut self, what: &str) -> Result<u32, Fault> {
        match self.peek() {
            Some(b' ') => {
                self.at += 1;
                self.number(what)
            }
            _ => Err(self.expected(&format!("a blank and {what}"))),
        }
    }

    pub(super) fn at_line_end(&self) -> bool {
        matches!(self.peek(), Some(b'\n' | b'\r'))
    }

    /// The end of a line; returns where the text before it ended.
    pub(super) fn line_end(&mut self) -> Result<usize, Fault> {
        let end = self.at;
        if self.peek() == Some(b'\r') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'\n') => {
                self.at += 1;
                Ok(end)
            }
            // The last line may go without.
            None => Ok(end),
            Some(_) => Err(self.expected("the end of the line")),
        }
    }
}
