//! Counterexamples as the field exchanges them: the witness format of AIGER 1.9 (Biere, Heljanko and
//! Wieringa, "AIGER 1.9 and Beyond", 2011).
//!
//! `1` says that a bad signal is reached and `b0` which; then come the values of the latches at the first
//! step, the inputs step by step, and a dot.

use proofmark_model::graph::{BitTrace, Netlist};
use std::fmt::Write;

/// A run that ends with a bad signal, given by its position.
pub(super) fn witness(netlist: &Netlist, bad: usize, trace: &BitTrace) -> String {
    let mut text = format!("1\nb{bad}\n");
    // Latches that are not free begin as the netlist says, whatever the run has for them.
    let given = trace
        .latches
        .iter()
        .copied()
        .chain(std::iter::repeat(false));
    let latches = netlist.latches.iter().zip(given);
    line(
        latches.map(|(latch, given)| latch.init.value().unwrap_or(given)),
        &mut text,
    );
    for inputs in &trace.inputs {
        line(inputs.iter().copied(), &mut text);
    }
    text.push_str(".\n");
    text
}

fn line(bits: impl Iterator<Item = bool>, text: &mut String) {
    for bit in bits {
        let _ = write!(text, "{}", u8::from(bit));
    }
    text.push('\n');
}
