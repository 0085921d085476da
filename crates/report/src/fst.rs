//! Runs as FST, the compact waveforms of GTKWave, which Surfer reads, too.
//!
//! The same scopes and signals as in VCD. The writer has no strings, so an enumeration is a vector of
//! the characters of its values, eight bits each, as Verilog keeps text; viewers show it as ASCII.

use crate::findings::Findings;
use crate::trace::{Row, ShownTrace};
use crate::waves::{Wave, approximate, integer_width, steps, twos_complement, waves, word};
use fst_writer::{
    FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType, FstWriteError,
};
use proofmark_model::Value;
use std::io::Cursor;

type Writer = FstHeaderWriter<Cursor<Vec<u8>>>;

/// All runs of the findings that somebody may want to look at.
pub fn fst(findings: &Findings) -> Result<Vec<u8>, FstWriteError> {
    let info = FstInfo {
        start_time: 0,
        timescale_exponent: 0,
        version: format!("proofmark {}", findings.tool.version),
        date: String::new(),
        file_type: FstFileType::Verilog,
    };
    let waves = waves(findings);
    let mut header: Writer = FstHeaderWriter::write_to_mem(&info)?;
    let mut signals: Vec<Signal<'_>> = Vec::new();
    for wave in &waves {
        declare(wave, &mut header, &mut signals)?;
    }
    let mut body = header.finish()?;
    let steps = steps(&waves);
    for step in 0..steps {
        body.time_change(step as u64)?;
        for signal in &signals {
            if let Some(value) = signal.row.values.get(step) {
                body.signal_change(signal.id, &signal.bytes(value))?;
            }
        }
    }
    // The last values need some time to be seen.
    body.time_change(steps as u64)?;
    Ok(body.finish()?.into_inner())
}

struct Signal<'t> {
    row: &'t Row,
    id: FstSignalId,
    /// In bits.
    width: u32,
}

fn declare<'t>(
    wave: &Wave<'t>,
    header: &mut Writer,
    signals: &mut Vec<Signal<'t>>,
) -> Result<(), FstWriteError> {
    header.scope(&wave.name, "", FstScopeType::Module)?;
    for (name, trace) in &wave.traces {
        if let Some(name) = name {
            header.scope(name, "", FstScopeType::Module)?;
        }
        declare_rows(trace, header, signals)?;
        if name.is_some() {
            header.up_scope()?;
        }
    }
    header.up_scope()
}

fn declare_rows<'t>(
    trace: &'t ShownTrace,
    header: &mut Writer,
    signals: &mut Vec<Signal<'t>>,
) -> Result<(), FstWriteError> {
    for row in trace.rows.iter().filter(|row| !row.values.is_empty()) {
        let width = row.values.iter().map(width).max().unwrap_or(1);
        let (kind, variable) = match row.values.first() {
            Some(Value::Real(_)) => (FstSignalType::real(), FstVarType::Real),
            Some(Value::Int(_)) => (FstSignalType::bit_vec(width), FstVarType::Integer),
            Some(Value::Enum(..)) => (FstSignalType::bit_vec(width), FstVarType::Reg),
            _ => (FstSignalType::bit_vec(width), FstVarType::Wire),
        };
        let direction = match row.is_input {
            true => FstVarDirection::Input,
            false => FstVarDirection::Implicit,
        };
        let id = header.var(word(&row.name), kind, variable, direction, None)?;
        signals.push(Signal { row, id, width });
    }
    Ok(())
}

fn width(value: &Value) -> u32 {
    match value {
        Value::Int(_) => integer_width(value).try_into().unwrap_or(u32::MAX),
        Value::BitVec(bits) => bits.width(),
        Value::Enum(..) => 8 * value.to_string().len() as u32,
        Value::Bool(_) | Value::Real(_) => 1,
    }
}

impl Signal<'_> {
    /// A character a bit, or a number in floating point.
    fn bytes(&self, value: &Value) -> Vec<u8> {
        match value {
            Value::Bool(value) => vec![b'0' + u8::from(*value)],
            Value::Int(number) => {
                twos_complement(&number.numerator(), self.width.into()).into_bytes()
            }
            Value::Real(number) => approximate(number).to_le_bytes().to_vec(),
            Value::BitVec(_) => value.to_string().trim_start_matches("#b").into(),
            Value::Enum(..) => {
                let bits = value
                    .to_string()
                    .bytes()
                    .map(|byte| format!("{byte:08b}"))
                    .collect();
                let bits: String = bits;
                format!("{bits:0>width$}", width = self.width as usize).into_bytes()
            }
        }
    }
}
