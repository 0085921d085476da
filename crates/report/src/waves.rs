//! The runs that waveforms show, and values as bits: what VCD and FST have in common.

use crate::findings::{Findings, MutantVerdict};
use crate::trace::ShownTrace;
use num_bigint::BigInt;
use proofmark_model::{Rational, Value};

/// A scope with one run, or with some that belong together.
pub struct Wave<'f> {
    pub name: String,
    /// A run with a name has a scope of its own inside.
    pub traces: Vec<(Option<&'static str>, &'f ShownTrace)>,
}

/// Each counterexample, each gap as the original beside the mutant, and for each element that is covered a run
/// of the cut netlist.
pub fn waves(findings: &Findings) -> Vec<Wave<'_>> {
    let mut waves = Vec::new();
    for property in &findings.properties {
        if let Some(trace) = &property.trace {
            let (name, traces) = (word(&property.name), vec![(None, trace)]);
            waves.push(Wave { name, traces });
        }
    }
    let mutants = findings.mutants.iter();
    for mutant in mutants.filter(|one| one.verdict == MutantVerdict::Gap) {
        let original = mutant.original_trace.iter();
        let original = original.map(|trace| (Some("original"), trace));
        let changed = mutant.trace.iter().map(|trace| (Some("mutant"), trace));
        let traces = original.chain(changed).collect();
        let name = word(&mutant.id);
        waves.push(Wave { name, traces });
    }
    for row in &findings.coverage {
        if let Some(trace) = &row.trace {
            let property = row.property.as_deref().unwrap_or_default();
            let name = word(&format!("{} cut, {property}", row.element));
            let traces = vec![(None, trace)];
            waves.push(Wave { name, traces });
        }
    }
    waves
}

/// How long the longest run is.
pub fn steps(waves: &[Wave<'_>]) -> usize {
    let traces = waves.iter().flat_map(|wave| &wave.traces);
    traces.map(|(_, trace)| trace.steps).max().unwrap_or(0)
}

/// A name without blanks, which would end it. One that had some is no variable of the model, and its
/// brackets are no index, as readers would think.
pub fn word(name: &str) -> String {
    let is_blank = |c: char| c.is_whitespace() || c.is_control();
    let is_phrase = name.contains(is_blank);
    let plain = |c: char| match c {
        '[' | ']' if is_phrase => '_',
        c if is_blank(c) => '_',
        c => c,
    };
    let word: String = name.chars().map(plain).collect();
    if word.is_empty() { "_".into() } else { word }
}

pub fn integer_width(value: &Value) -> u64 {
    match value {
        Value::Int(number) => 32.max(number.numerator().bits() + 1),
        _ => 1,
    }
}

pub fn twos_complement(number: &BigInt, width: u64) -> String {
    // Bits of negative numbers are those of two's complement, without end.
    let bits = (0..width)
        .rev()
        .map(|at| if number.bit(at) { '1' } else { '0' });
    bits.collect()
}

/// The nearest number that VCD can tell, or nearly.
pub fn approximate(number: &Rational) -> f64 {
    let float = |integer: BigInt| integer.to_string().parse().unwrap_or(f64::NAN);
    let quotient: f64 = float(number.numerator()) / float(number.denominator());
    // Both may be beyond what floating point holds, and then the quotient is no number.
    if quotient.is_nan() { 0.0 } else { quotient }
}
