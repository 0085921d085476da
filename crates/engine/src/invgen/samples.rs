//! States that runs have visited.
//!
//! Most runs are random: inputs are numbers of the system's text, or near them, and Booleans of
//! which half, few or just one is true. In patient runs numbers mostly keep their value, because many
//! models leave their normal mode for good when an input is odd once. Where the constraints leave
//! random inputs no run, a solver draws (see `draw`).

use proofmark_model::{Op, Program, Rational, Sort, System, Term, Trace, Value, Variable};
use rustc_hash::FxHashSet;

/// A row of values for each variable of interest, each row once.
pub struct Samples {
    pub variables: Vec<Term>,
    pub rows: Vec<Vec<Value>>,
    seen: FxHashSet<Vec<Value>>,
}

/// How many random runs, and whether every other one is patient.
#[derive(Clone, Copy)]
pub struct Runs {
    pub count: usize,
    pub patient: bool,
}

const STEPS: usize = 40;

impl Samples {
    pub fn draw(system: &System, program: &Program, runs: Runs) -> Samples {
        let mut samples = Samples {
            variables: interesting(system),
            rows: Vec::new(),
            seen: FxHashSet::default(),
        };
        let (first, later) = program.free();
        let mut columns = first;
        columns.extend(later);
        columns.sort_by_key(|column| column.id());
        columns.dedup();
        let constants = constants(system);
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
        let mut machine = program.machine();
        for run in 0..runs.count {
            let patient = runs.patient && run % 2 == 1;
            let mut given = Trace::new(columns.clone());
            let mut row: Vec<Value> = Vec::new();
            for _ in 0..STEPS {
                let fresh = dice.row(&columns, &constants, Density::of(run));
                row = if patient {
                    dice.mostly(&row, fresh)
                } else {
                    fresh
                };
                if given.push(row.clone()).is_err() {
                    return samples;
                }
            }
            let (trace, outcome) = machine.run(&given);
            samples.add(&trace, outcome.broken_at().unwrap_or(trace.len()));
        }
        samples
    }

    /// Adds the first steps of a run.
    pub fn add(&mut self, trace: &Trace, steps: usize) {
        for step in 0..steps {
            let values = self.variables.iter();
            let row: Option<Vec<Value>> = values
                .map(|variable| trace.value(*variable, step).cloned())
                .collect();
            if let Some(row) = row
                && self.seen.insert(row.clone())
            {
                self.rows.push(row);
            }
        }
    }
}

/// The state, and what properties and conditions are made of.
fn interesting(system: &System) -> Vec<Term> {
    let mut variables: Vec<Term> = system
        .state()
        .iter()
        .map(|variable| variable.current)
        .collect();
    let state: FxHashSet<Term> = variables.iter().copied().collect();
    let defined = system.defined();
    let others = system
        .variables()
        .iter()
        .map(|variable: &Variable| variable.current);
    variables.extend(others.filter(|variable| {
        variable.sort() == Sort::Bool && defined.contains(variable) && !state.contains(variable)
    }));
    variables
}

/// The numbers in the system's text.
pub fn constants(system: &System) -> Vec<Rational> {
    let mut found = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut stack: Vec<Term> = system
        .elements()
        .iter()
        .flat_map(|element| element.terms().collect::<Vec<_>>())
        .collect();
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            stack.extend(term.args());
            if let Op::Const(value) = term.op()
                && let Some(number) = value.as_number()
            {
                found.insert(number.clone());
            }
        }
    }
    let mut constants: Vec<Rational> = found.into_iter().collect();
    constants.sort();
    constants
}

/// How many of the Boolean inputs are true at a step. Models often say that of several events one
/// happens at a time.
#[derive(Clone, Copy)]
enum Density {
    Half,
    One,
    Few,
}

impl Density {
    fn of(run: usize) -> Density {
        [Density::Half, Density::One, Density::Few][run % 3]
    }
}

/// A small generator (xorshift), the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound.max(1)
    }

    /// A value for each column.
    fn row(&mut self, columns: &[Term], constants: &[Rational], density: Density) -> Vec<Value> {
        let mut row: Vec<Value> = columns
            .iter()
            .map(|column| self.value(column.sort(), constants))
            .collect();
        let booleans: Vec<usize> = (0..columns.len())
            .filter(|at| columns[*at].sort() == Sort::Bool)
            .collect();
        let chosen = booleans.get(self.below(booleans.len())).copied();
        for at in booleans {
            row[at] = Value::Bool(match density {
                Density::Half => row[at] == Value::Bool(true),
                Density::One => chosen == Some(at),
                Density::Few => self.below(8) == 0,
            });
        }
        row
    }

    /// The row before, with one number in eight and all else taken from the fresh one.
    fn mostly(&mut self, before: &[Value], fresh: Vec<Value>) -> Vec<Value> {
        let mut row = fresh;
        for (value, before) in row.iter_mut().zip(before) {
            if value.as_number().is_some() && self.below(8) > 0 {
                *value = before.clone();
            }
        }
        row
    }

    fn number(&mut self, constants: &[Rational]) -> Rational {
        let offset = Rational::from(self.below(5) as i64 - 2);
        match constants.get(self.below(2 * constants.len())) {
            Some(constant) => constant + &offset,
            None => Rational::from(self.below(8) as i64),
        }
    }

    fn value(&mut self, sort: Sort, constants: &[Rational]) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.below(2) == 1),
            Sort::Int => Value::Int(self.number(constants).floor()),
            Sort::Real => Value::Real(self.number(constants)),
            Sort::Enum(sort) => Value::Enum(sort, self.below(sort.values().len()) as u32),
            Sort::BitVec(width) => {
                let bits = self.next() & (u64::MAX >> (64 - width.min(64)));
                match Term::bitvec(width, bits).as_const() {
                    Some(value) => value.clone(),
                    None => Value::default_of(sort),
                }
            }
        }
    }
}
