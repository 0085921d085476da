//! The gates: lines in any order in text files, differences of literals in binary ones.

use super::cursor::{Cursor, Fault};
use super::sections::Header;
use proofmark_model::graph::{Graph, Signal};

/// A gate of a text file.
#[derive(Clone, Copy, Debug)]
pub(super) struct GateLine {
    pub(super) code: u32,
    pub(super) fanins: [u32; 2],
    /// Where the line begins and how long it is.
    pub(super) from: u32,
    pub(super) length: u32,
}

impl GateLine {
    pub(super) fn place(&self) -> (usize, usize) {
        let from = self.from as usize;
        (from, from + self.length as usize)
    }
}

pub(super) fn read_text(cursor: &mut Cursor, header: &Header) -> Result<Vec<GateLine>, Fault> {
    let mut gates = Vec::new();
    for _ in 0..header.gates {
        let from = cursor.at;
        let code = cursor.number("a gate")?;
        let fanins = [
            cursor.further_number("the first literal of a gate")?,
            cursor.further_number("the second literal of a gate")?,
        ];
        let place = (from, cursor.line_end()?);
        for code in [code, fanins[0], fanins[1]] {
            header.check_code(code, place, "a literal of a gate")?;
        }
        gates.push(GateLine {
            code,
            fanins,
            from: from as u32,
            length: (place.1 - from) as u32,
        });
    }
    Ok(gates)
}

/// Gate after gate: the difference of the gate and its greater literal, and that of its literals, in
/// groups of seven bits, least first. So a gate comes after what it reads.
pub(super) fn read_binary(
    cursor: &mut Cursor,
    header: &Header,
    graph: &mut Graph,
) -> Result<(), Fault> {
    let first = header.inputs + header.latches + 1;
    // A gate has two bytes at least.
    graph.reserve((header.gates as usize).min((cursor.len() - cursor.at) / 2));
    for position in 0..header.gates {
        let from = cursor.at;
        let gate = 2 * (first + position);
        let down = difference(cursor, header, position)?;
        let apart = difference(cursor, header, position)?;
        let high = gate.checked_sub(down).filter(|_| down > 0);
        let low = high.and_then(|high| high.checked_sub(apart));
        let (Some(high), Some(low)) = (high, low) else {
            return Err(Fault::new(
                (from, cursor.at),
                format!("the gate {gate} reads itself or a signal that is not before it"),
                format!(
                    "its differences are {down} and {apart}; the first is at least 1, and their sum at most {gate}"
                ),
            ));
        };
        graph.add_gate(Signal::from_code(high), Signal::from_code(low));
    }
    Ok(())
}

fn difference(cursor: &mut Cursor, header: &Header, position: u32) -> Result<u32, Fault> {
    let from = cursor.at;
    let mut number: u64 = 0;
    for shift in 0..5 {
        let Some(byte) = cursor.next() else {
            let missing = header.gates - position;
            return Err(Fault::new(
                (cursor.at, cursor.at),
                format!("the file ends too early: {missing} gates are missing"),
                format!(
                    "the header says {} gates; is the file complete?",
                    header.gates
                ),
            ));
        };
        number |= u64::from(byte & 0x7F) << (7 * shift);
        if byte & 0x80 == 0 {
            return u32::try_from(number).map_err(|_| too_large(from, cursor.at));
        }
    }
    Err(too_large(from, cursor.at))
}

fn too_large(from: usize, to: usize) -> Fault {
    Fault::new(
        (from, to),
        "a difference of literals has more than 32 bits",
        "the bytes of a gate are two numbers in groups of seven bits, least first",
    )
}
