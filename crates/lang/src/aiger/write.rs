//! A netlist as a file: text or binary.
//!
//! Inputs have the first numbers, then come latches, then gates in the order of the graph, so that a gate
//! has a greater number than what it reads. A netlist whose outputs are what is bad is written in the older
//! format, and read back as it was.

use proofmark_model::graph::{Init, NamedSignal, Netlist, Signal};
use std::io::{self, Write};

/// The netlist with the numbers of a file.
struct Numbered<'a> {
    netlist: &'a Netlist,
    /// The variable of every node.
    variables: Vec<u32>,
    gates: Vec<u32>,
    bads: &'a [NamedSignal],
}

impl<'a> Numbered<'a> {
    fn new(netlist: &'a Netlist) -> Numbered<'a> {
        let mut variables = vec![0; netlist.graph.len()];
        let gates: Vec<u32> = netlist.graph.and_gates().map(|(gate, _)| gate).collect();
        let latches = netlist.latches.iter().map(|latch| latch.node);
        let nodes = netlist.inputs.iter().copied().chain(latches);
        for (variable, node) in (1..).zip(nodes.chain(gates.iter().copied())) {
            variables[node as usize] = variable;
        }
        Numbered {
            netlist,
            variables,
            gates,
            bads: if netlist.bads == netlist.outputs {
                &[]
            } else {
                &netlist.bads
            },
        }
    }

    fn code(&self, signal: Signal) -> u32 {
        let variable = self.variables[signal.index()];
        2 * variable + u32::from(signal.is_complemented())
    }

    fn header(&self, word: &str, out: &mut impl Write) -> io::Result<()> {
        let Netlist {
            inputs,
            latches,
            outputs,
            constraints,
            ..
        } = self.netlist;
        let most = inputs.len() + latches.len() + self.gates.len();
        let counts = [inputs.len(), latches.len(), outputs.len(), self.gates.len()];
        write!(out, "{word} {most}")?;
        for count in counts {
            write!(out, " {count}")?;
        }
        match (self.bads.len(), constraints.len()) {
            (0, 0) => writeln!(out),
            (bads, 0) => writeln!(out, " {bads}"),
            (bads, constraints) => writeln!(out, " {bads} {constraints}"),
        }
    }

    /// Latches, outputs, bad signals and constraints.
    fn sections(&self, with_literals: bool, out: &mut impl Write) -> io::Result<()> {
        for latch in &self.netlist.latches {
            let own = self.code(Signal::of(latch.node));
            if with_literals {
                write!(out, "{own} ")?;
            }
            write!(out, "{}", self.code(latch.next))?;
            match latch.init {
                Init::Zero => writeln!(out)?,
                Init::One => writeln!(out, " 1")?,
                Init::Free => writeln!(out, " {own}")?,
            }
        }
        let outputs = self.netlist.outputs.iter().chain(self.bads);
        let signals = outputs.map(|one| one.signal);
        for signal in signals.chain(self.netlist.constraints.iter().copied()) {
            writeln!(out, "{}", self.code(signal))?;
        }
        Ok(())
    }

    /// The literal of a gate and of what it reads, the greater first.
    fn gate(&self, node: u32) -> [u32; 3] {
        let fanins = self
            .netlist
            .graph
            .fanins(node)
            .unwrap_or([Signal::FALSE; 2]);
        let [a, b] = fanins.map(|fanin| self.code(fanin));
        [self.code(Signal::of(node)), a.max(b), a.min(b)]
    }

    /// Names; what has none is called by its position when it is read.
    fn symbols(&self, out: &mut impl Write) -> io::Result<()> {
        let labels = &self.netlist.labels;
        let latches = self.netlist.latches.iter().map(|latch| latch.node);
        let latches: Vec<u32> = latches.collect();
        for (letter, nodes) in [('i', &self.netlist.inputs), ('l', &latches)] {
            for (position, &node) in nodes.iter().enumerate() {
                if let Some(name) = labels.name(node) {
                    writeln!(out, "{letter}{position} {}", one_line(name.as_str()))?;
                }
            }
        }
        for (letter, list) in [('o', &self.netlist.outputs[..]), ('b', self.bads)] {
            for (position, one) in list.iter().enumerate() {
                if !one.name.is_empty() && one.name != format!("{letter}{position}") {
                    writeln!(out, "{letter}{position} {}", one_line(&one.name))?;
                }
            }
        }
        Ok(())
    }
}

/// A name is the rest of a line.
fn one_line(name: &str) -> String {
    name.replace(['\n', '\r'], " ")
}

/// A file with this ending.
pub(super) fn file(netlist: &Netlist, ending: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = match ending {
        "aag" => write_text(netlist, &mut bytes),
        _ => write_binary(netlist, &mut bytes),
    };
    match written {
        Ok(()) => bytes,
        Err(error) => unreachable!("memory takes what is written: {error}"),
    }
}

/// The text format (`aag`).
pub fn write_text(netlist: &Netlist, out: &mut impl Write) -> io::Result<()> {
    let numbered = Numbered::new(netlist);
    numbered.header("aag", out)?;
    for &input in &netlist.inputs {
        writeln!(out, "{}", numbered.code(Signal::of(input)))?;
    }
    numbered.sections(true, out)?;
    for &node in &numbered.gates {
        let [gate, high, low] = numbered.gate(node);
        writeln!(out, "{gate} {high} {low}")?;
    }
    numbered.symbols(out)
}

/// The binary format (`aig`).
pub fn write_binary(netlist: &Netlist, out: &mut impl Write) -> io::Result<()> {
    let numbered = Numbered::new(netlist);
    numbered.header("aig", out)?;
    numbered.sections(false, out)?;
    for &node in &numbered.gates {
        let [gate, high, low] = numbered.gate(node);
        difference(gate - high, out)?;
        difference(high - low, out)?;
    }
    numbered.symbols(out)
}

/// A number in groups of seven bits, least first.
fn difference(mut number: u32, out: &mut impl Write) -> io::Result<()> {
    while number >= 0x80 {
        out.write_all(&[(number & 0x7F) as u8 | 0x80])?;
        number >>= 7;
    }
    out.write_all(&[number as u8])
}
