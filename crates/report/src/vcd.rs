//! Runs as VCD (IEEE 1364), for waveform viewers.
//!
//! Each refuted property is a module, each gap one with the original and the mutant inside, and all
//! run on one time axis, a step a unit. Booleans and
//! bit-vectors are wires, integers are vectors of as many bits as they need, enumerations are
//! strings, which the standard lacks and the common viewers show. VCD knows reals in floating point
//! only; the exact values are in the other formats.

use crate::findings::Findings;
use crate::trace::Row;
use crate::waves::{approximate, integer_width, steps, twos_complement, waves, word};
use proofmark_model::Value;
use std::fmt::Write as _;

/// All runs of the findings that somebody may want to look at.
pub fn vcd(findings: &Findings) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(out, "$version proofmark {} $end", findings.tool.version);
    out.push_str("$timescale 1 s $end\n");
    let waves = waves(findings);
    let mut signals = Vec::new();
    for wave in &waves {
        let _ = writeln!(out, "$scope module {} $end", wave.name);
        for (name, trace) in &wave.traces {
            if let Some(name) = name {
                let _ = writeln!(out, "$scope module {name} $end");
            }
            if let Some(back) = trace.back {
                let last = trace.steps.saturating_sub(1);
                let _ = writeln!(out, "$comment step {back} follows step {last} $end");
            }
            for row in trace.rows.iter().filter(|row| !row.values.is_empty()) {
                let signal = Signal::new(row, signals.len());
                let (kind, code) = (&signal.kind, &signal.code);
                let _ = writeln!(out, "$var {kind} {code} {} $end", word(&row.name));
                signals.push(signal);
            }
            if name.is_some() {
                out.push_str("$upscope $end\n");
            }
        }
        out.push_str("$upscope $end\n");
    }
    out.push_str("$enddefinitions $end\n");
    let steps = steps(&waves);
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
