//! From the bits of a netlist back to the words of the system that it was made of.
//!
//! A run of the netlist gives the values of what is free in the system; the system's simulator does the
//! rest. A clause over latches becomes a term over one state of the system. When every latch is a register
//! that is the state at the same step. Otherwise some latches hold what was, and the state at the *step
//! before* says all: previous values are its values, `later` is true, and a register has the value that its
//! definition gives it from that state. Either way, if the clauses are an inductive invariant of the netlist
//! that rules out what is bad, the terms (with those of [`SystemMap::ranges`]) and the properties together
//! are inductive in the system: the netlist's state at step `t + 1` is a function of the system's at `t`, and
//! what the system demands of a state holds in it.

use super::gates::Kind;
use super::netlist::Netlist;
use super::number::range;
use super::signal::Signal;
use super::simulation::BitTrace;
use crate::number::Rational;
use crate::simulate::Trace;
use crate::sort::Sort;
use crate::system::{Phase, System};
use crate::term::{Op, Term};
use crate::unroll::rename;
use crate::value::{BitVec, Value};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

/// What a latch holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LatchSource {
    /// Whether this is not the first step.
    Later,
    /// A bit of a variable at the step before.
    Before { variable: Term, bit: u32 },
    /// A bit of a variable.
    Register { variable: Term, bit: u32 },
}

/// What the inputs and latches of a netlist are in its system.
#[derive(Clone, Debug, Default)]
pub struct SystemMap {
    /// The variable and the bit of every input.
    pub(super) inputs: Vec<(Term, u32)>,
    pub(super) latches: Vec<LatchSource>,
    pub(super) overflows: bool,
    /// Every variable of the system that a latch could hold, in the order of the system.
    pub(super) registers: Vec<Term>,
    /// For every latch the Boolean term over one state of the system that it stands for.
    terms: Vec<Term>,
    /// What a state satisfies because its integers fit their latches.
    ranges: Vec<Term>,
}

impl SystemMap {
    /// Whether a bad signal may also tell that an integer left its bounds: a run that the system's
    /// simulator does not confirm then refutes nothing.
    pub fn may_overflow(&self) -> bool {
        self.overflows
    }

    /// What the system remembers, word by word: a variable and the positions of its latches, lowest bit
    /// first. Registers that no property or constraint depends on have none.
    pub fn words(&self) -> Vec<(Term, Vec<usize>)> {
        let mut words: Vec<(Term, Vec<usize>)> = Vec::new();
        let mut places: FxHashMap<Term, usize> = FxHashMap::default();
        let mut place = |words: &mut Vec<(Term, Vec<usize>)>, variable: Term| {
            *places.entry(variable).or_insert_with(|| {
                words.push((variable, Vec::new()));
                words.len() - 1
            })
        };
        for variable in &self.registers {
            place(&mut words, *variable);
        }
        for (position, source) in self.latches.iter().enumerate() {
            let (LatchSource::Before { variable, .. } | LatchSource::Register { variable, .. }) =
                source
            else {
                continue;
            };
            let at = place(&mut words, *variable);
            words[at].1.push(position);
        }
        words
    }

    /// The variable and the bit of every input.
    pub fn inputs(&self) -> &[(Term, u32)] {
        &self.inputs
    }

    /// What has to be added to invariants that are made of clauses: the bounds of stored integers.
    pub fn ranges(&self) -> &[Term] {
        &self.ranges
    }

    /// A clause over latches as a term over the current state of the system; none when it speaks of
    /// something else.
    pub fn clause(&self, netlist: &Netlist, clause: &[Signal]) -> Option<Term> {
        let literals = clause.iter().map(|signal| {
            if signal.is_constant() {
                return Some(Term::bool(*signal == Signal::TRUE));
            }
            let Kind::Latch(position) = netlist.graph.kind(signal.node()) else {
                return None;
            };
            let term = self.terms[position as usize];
            Some(if signal.is_complemented() {
                term.not()
            } else {
                term
            })
        });
        let literals: Option<Vec<Term>> = literals.collect();
        Some(Term::or(&literals?))
    }

    /// The values of what is free in the system in a run of the netlist.
    pub fn trace(&self, run: &BitTrace) -> Trace {
        let mut columns: Vec<Term> = Vec::new();
        let mut positions: FxHashMap<Term, usize> = FxHashMap::default();
        let registers = self.latches.iter().filter_map(|source| match source {
            LatchSource::Register { variable, .. } => Some(*variable),
            _ => None,
        });
        for variable in self
            .inputs
            .iter()
            .map(|(variable, _)| *variable)
            .chain(registers)
        {
            positions.entry(variable).or_insert_with(|| {
                columns.push(variable);
                columns.len() - 1
            });
        }
        let mut trace = Trace::new(columns.clone());
        for (step, inputs) in run.inputs.iter().enumerate() {
            let mut rows: Vec<Vec<bool>> = vec![Vec::new(); columns.len()];
            for (&(variable, bit), &value) in self.inputs.iter().zip(inputs) {
                set(&mut rows[positions[&variable]], bit, value);
            }
            // Registers are free at most at the first step.
            let first = if step == 0 { &run.latches[..] } else { &[] };
            for (source, &value) in self.latches.iter().zip(first) {
                if let LatchSource::Register { variable, bit } = source {
                    set(&mut rows[positions[variable]], *bit, value);
                }
            }
            let row = columns
                .iter()
                .zip(&rows)
                .map(|(column, bits)| decode(column.sort(), bits));
            if trace.push(row.collect()).is_err() {
                unreachable!("values have the sorts of their variables");
            }
        }
        trace
    }

    /// Finds the terms of the latches, when all latches are known.
    pub(super) fn finish(&mut self, system: &System) {
        let is_register = |source: &LatchSource| matches!(source, LatchSource::Register { .. });
        let same_step = self.latches.iter().all(is_register);
        let mut ahead = Ahead::new(system);
        let mut widths: FxHashMap<Term, u32> = FxHashMap::default();
        for source in &self.latches {
            let term = match *source {
                LatchSource::Later => Term::bool(true),
                LatchSource::Before { variable, bit } => {
                    widen(&mut widths, variable, bit);
                    bit_term(variable, bit)
                }
                LatchSource::Register { variable, bit } if same_step => {
                    widen(&mut widths, variable, bit);
                    bit_term(variable, bit)
                }
                LatchSource::Register { variable, bit } => {
                    let value = ahead.step(variable);
                    widen(&mut widths, value, bit);
                    bit_term(value, bit)
                }
            };
            self.terms.push(term);
        }
        let numbers = widths
            .into_iter()
            .filter(|(term, _)| term.sort() == Sort::Int);
        let mut numbers: Vec<(Term, u32)> = numbers.collect();
        numbers.sort_by_cached_key(|(term, _)| format!("{term:?}"));
        for (term, width) in numbers {
            let (low, high) = range(width as usize);
            let [low, high] = [low, high].map(|end| integer(end as i64));
            self.ranges.push(Term::and(&[low.le(term), term.le(high)]));
        }
    }
}

fn widen(widths: &mut FxHashMap<Term, u32>, term: Term, bit: u32) {
    let width = widths.entry(term).or_default();
    *width = (*width).max(bit + 1);
}

/// Step values with current variables in the place of previous ones.
struct Ahead<'a> {
    system: &'a System,
    steps: FxHashMap<Term, Term>,
    known: FxHashMap<Term, Term>,
}

impl<'a> Ahead<'a> {
    fn new(system: &'a System) -> Ahead<'a> {
        let elements = system.elements().iter();
        let definitions = elements.flat_map(|element| element.definitions());
        let steps = definitions.filter_map(|one| Some((one.variable, one.value(Phase::Step)?)));
        Ahead {
            system,
            steps: steps.collect(),
            known: FxHashMap::default(),
        }
    }

    fn step(&mut self, variable: Term) -> Term {
        let system = self.system;
        rename(self.steps[&variable], &mut self.known, |leaf| {
            system.variable(leaf).map_or(leaf, |known| known.current)
        })
    }
}

/// Whether a bit of a value is one.
fn bit_term(value: Term, bit: u32) -> Term {
    match value.sort() {
        Sort::Bool => value,
        Sort::BitVec(_) => {
            let part = Term::bv(
                Op::Extract {
                    high: bit,
                    low: bit,
                },
                &[value],
            );
            part.eq(Term::bitvec(1, 1))
        }
        Sort::Enum(sort) => {
            let positions = (0..sort.values().len() as u32).filter(|at| at >> bit & 1 == 1);
            let values = positions.map(|at| value.eq(Term::constant(Value::Enum(sort, at))));
            Term::or(&values.collect::<Vec<Term>>())
        }
        Sort::Int | Sort::Real => {
            let weight = integer(
                1i64.checked_shl(bit)
                    .filter(|_| bit < 63)
                    .unwrap_or(i64::MAX),
            );
            match bit {
                // The sign of the widest numbers.
                63.. => value.lt(integer(0)),
                _ => value.int_div(weight).modulo(integer(2)).eq(integer(1)),
            }
        }
    }
}

fn integer(value: i64) -> Term {
    Term::int(value)
}

fn set(bits: &mut Vec<bool>, bit: u32, value: bool) {
    let bit = bit as usize;
    if bits.len() <= bit {
        bits.resize(bit + 1, false);
    }
    bits[bit] = value;
}

/// The value that bits stand for; the default of the sort where there are none.
pub fn decode(sort: Sort, bits: &[bool]) -> Value {
    if bits.is_empty() {
        return Value::default_of(sort);
    }
    let unsigned = || {
        let ones = (0u64..).zip(bits).filter(|(_, bit)| **bit);
        let mut number = BigUint::default();
        ones.for_each(|(at, _)| number.set_bit(at, true));
        number
    };
    match sort {
        Sort::Bool => Value::Bool(bits[0]),
        Sort::BitVec(width) => Value::BitVec(BitVec::new(width, unsigned())),
        Sort::Enum(of) => {
            let number = unsigned().iter_u32_digits().next().unwrap_or(0);
            // Bits that stand for no value stand for the first.
            let valid = (number as usize) < of.values().len();
            Value::Enum(of, if valid { number } else { 0 })
        }
        Sort::Int | Sort::Real => {
            let mut number: i128 = 0;
            for (at, _) in bits.iter().enumerate().filter(|(_, bit)| **bit) {
                let weight = 1i128 << at;
                number += if at + 1 == bits.len() {
                    -weight
                } else {
                    weight
                };
            }
            Value::Int(Rational::from(number as i64))
        }
    }
}
