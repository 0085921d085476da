//! A netlist as a file: every signal is a bit-vector of one bit.

use proofmark_model::graph::{Init, Netlist, Signal};
use std::fmt::Write;

/// The numbers of the first lines.
const SORT: u32 = 1;
const ZERO: u32 = 2;
const ONE: u32 = 3;

/// The lines written so far, and the number of each node's line.
struct Writer<'a> {
    netlist: &'a Netlist,
    numbers: Vec<u32>,
    last: u32,
    text: String,
}

/// A file; there is one format.
pub(super) fn file(netlist: &Netlist, _: &str) -> Vec<u8> {
    let mut writer = Writer {
        netlist,
        numbers: vec![ZERO; netlist.graph.len()],
        last: ONE,
        text: format!("{SORT} sort bitvec 1\n{ZERO} zero {SORT}\n{ONE} one {SORT}\n"),
    };
    writer.variables();
    for (gate, [a, b]) in netlist.graph.and_gates() {
        let (a, b) = (writer.operand(a), writer.operand(b));
        let number = writer.line(&format!("and {SORT} {a} {b}"), "");
        writer.numbers[gate as usize] = number;
    }
    writer.next_values();
    writer.roots();
    writer.text.into_bytes()
}

impl Writer<'_> {
    /// Writes a line and returns its number.
    fn line(&mut self, what: &str, name: &str) -> u32 {
        self.last += 1;
        let _ = write!(self.text, "{} {what}", self.last);
        let name = symbol(name);
        if !name.is_empty() {
            let _ = write!(self.text, " {name}");
        }
        self.text.push('\n');
        self.last
    }

    /// A signal as an operand: a minus sign complements.
    fn operand(&self, signal: Signal) -> i64 {
        if signal.is_constant() {
            let truth = signal == Signal::TRUE;
            return if truth { ONE.into() } else { ZERO.into() };
        }
        let number = i64::from(self.numbers[signal.index()]);
        if signal.is_complemented() {
            -number
        } else {
            number
        }
    }

    fn variables(&mut self) {
        let netlist = self.netlist;
        for &input in &netlist.inputs {
            let number = self.line(&format!("input {SORT}"), &netlist.name(input));
            self.numbers[input as usize] = number;
        }
        for latch in &netlist.latches {
            let number = self.line(&format!("state {SORT}"), &netlist.name(latch.node));
            self.numbers[latch.node as usize] = number;
            let init = match latch.init {
                Init::Zero => ZERO,
                Init::One => ONE,
                Init::Free => continue,
            };
            self.line(&format!("init {SORT} {number} {init}"), "");
        }
    }

    fn next_values(&mut self) {
        for latch in &self.netlist.latches {
            let state = self.numbers[latch.node as usize];
            let next = self.operand(latch.next);
            self.line(&format!("next {SORT} {state} {next}"), "");
        }
    }

    /// What is bad, what is assumed, and outputs that are not what is bad.
    fn roots(&mut self) {
        let netlist = self.netlist;
        for constraint in &netlist.constraints {
            let signal = self.operand(*constraint);
            self.line(&format!("constraint {signal}"), "");
        }
        for bad in &netlist.bads {
            let signal = self.operand(bad.signal);
            self.line(&format!("bad {signal}"), &bad.name);
        }
        if netlist.outputs == netlist.bads {
            return;
        }
        for output in &netlist.outputs {
            let signal = self.operand(output.signal);
            self.line(&format!("output {signal}"), &output.name);
        }
    }
}

/// A name is one word, and a semicolon would begin a comment.
fn symbol(name: &str) -> String {
    let fits = |c: char| !c.is_whitespace() && !c.is_control() && c != ';';
    name.chars()
        .map(|c| if fits(c) { c } else { '_' })
        .collect()
}
