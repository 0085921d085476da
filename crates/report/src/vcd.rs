//! Counterexamples as VCD (IEEE 1364), for waveform viewers.
//!
//! Each refuted property is a module, and all run on one time axis, a step a unit. Booleans and
//! bit-vectors are wires, integers are vectors of as many bits as they need, enumerations are
//! strings, which the standard lacks and the common viewers show. VCD knows reals in floating point
//! only; the exact values are in the other formats.

use crate::findings::Findings;
use crate::trace::{Row, Trace};
use num_bigint::BigInt;
use proofmark_model::{Rational, Value};
use std::fmt::Write as _;

/// All counterexamples of the findings.
pub fn vcd(findings: &Findings) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(out, "$version proofmark {} $end", findings.tool.version);
    out.push_str("$timescale 1 s $end\n");
    let traces: Vec<(&str, &Trace)> = findings
        .properties
        .iter()
        .filter_map(|property| Some((property.name.as_str(), property.trace.as_ref()?)))
        .collect();
    let mut signals = Vec::new();
    for (property, trace) in &traces {
        let _ = writeln!(out, "$scope module {} $end", word(property));
        for row in trace.rows.iter().filter(|row| !row.values.is_empty()) {
            let signal = Signal::new(row, signals.len());
            let (kind, code) = (&signal.kind, &signal.code);
            let _ = writeln!(out, "$var {kind} {code} {} $end", word(&row.name));
            signals.push(signal);
        }
        out.push_str("$upscope $end\n");
    }
    out.push_str("$enddefinitions $end\n");
    let steps = traces
        .iter()
        .map(|(_, trace)| trace.steps)
        .max()
        .unwrap_or(0);
    for step in 0..steps {
        let _ = writeln!(out, "#{step}");
        signals
            .iter()
            .for_each(|signal| signal.write(step, &mut out));
    }
    // The last values need some time to be seen.
    let _ = writeln!(out, "#{steps}");
    out
}

/// A name without blanks, which would end it.
fn word(name: &str) -> String {
    let plain = |c: char| {
        if c.is_whitespace() || c.is_control() {
            '_'
        } else {
            c
        }
    };
    let word: String = name.chars().map(plain).collect();
    if word.is_empty() { "_".into() } else { word }
}

struct Signal<'t> {
    row: &'t Row,
    code: String,
    /// Type and size, as declared.
    kind: String,
    /// In bits, of an integer.
    width: u64,
}

impl<'t> Signal<'t> {
    fn new(row: &'t Row, number: usize) -> Signal<'t> {
        let width = row.values.iter().map(integer_width).max().unwrap_or(1);
        let kind = match row.values.first() {
            Some(Value::Int(_)) => format!("integer {width}"),
            Some(Value::Real(_)) => "real 64".into(),
            Some(Value::BitVec(bits)) => format!("wire {}", bits.width()),
            Some(Value::Enum(..)) => "string 1".into(),
            Some(Value::Bool(_)) | None => "wire 1".into(),
        };
        Signal {
            row,
            code: code(number),
            kind,
            width,
        }
    }

    /// Writes the value when it is new at this step.
    fn write(&self, step: usize, out: &mut String) {
        let Some(value) = self.row.values.get(step) else {
            return;
        };
        if step > 0 && self.row.values[step - 1] == *value {
            return;
        }
        let code = &self.code;
        let _ = match value {
            Value::Bool(value) => writeln!(out, "{}{code}", u8::from(*value)),
            Value::Int(number) => {
                let bits = twos_complement(&number.numerator(), self.width);
                writeln!(out, "b{bits} {code}")
            }
            Value::Real(number) => writeln!(out, "r{} {code}", approximate(number)),
            Value::BitVec(_) => {
                writeln!(
                    out,
                    "b{} {code}",
                    value.to_string().trim_start_matches("#b")
                )
            }
            Value::Enum(..) => writeln!(out, "s{} {code}", word(&value.to_string())),
        };
    }
}

/// The short name of a signal: printable characters, as few as will do.
fn code(mut number: usize) -> String {
    let mut code = String::new();
    loop {
        code.push(char::from(b'!' + (number % 94) as u8));
        number /= 94;
        if number == 0 {
            return code;
        }
    }
}

fn integer_width(value: &Value) -> u64 {
    match value {
        Value::Int(number) => 32.max(number.numerator().bits() + 1),
        _ => 1,
    }
}

fn twos_complement(number: &BigInt, width: u64) -> String {
    // Bits of negative numbers are those of two's complement, without end.
    let bits = (0..width)
        .rev()
        .map(|at| if number.bit(at) { '1' } else { '0' });
    bits.collect()
}

/// The nearest number that VCD can tell, or nearly.
fn approximate(number: &Rational) -> f64 {
    let float = |integer: BigInt| integer.to_string().parse().unwrap_or(f64::NAN);
    let quotient: f64 = float(number.numerator()) / float(number.denominator());
    // Both may be beyond what floating point holds, and then the quotient is no number.
    if quotient.is_nan() { 0.0 } else { quotient }
}
