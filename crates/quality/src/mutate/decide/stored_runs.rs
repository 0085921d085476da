//! Runs that are tried on every mutant before a solver is.
//!
//! To begin with a few random ones; then those that killed other mutants, the most successful first.

use crate::mutate::compare::product::Seen;
use crate::mutate::mutant::Mutant;
use proofmark_model::{
    Body, Definition, Machine, Op, Program, Rational, Sort, System, Term, Trace, Value, Variable,
};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many runs are kept; more cost more than they decide.
const MOST: usize = 24;
/// How many random runs there are, and of how many steps.
const RANDOM: usize = 6;
const STEPS: usize = 6;

/// The runs, shared by workers.
pub(crate) struct Pool<T>(Mutex<Vec<(u64, Arc<T>)>>);

impl<T: PartialEq> Pool<T> {
    pub fn new(runs: impl IntoIterator<Item = T>) -> Pool<T> {
        let runs = runs.into_iter().map(|run| (0, Arc::new(run)));
        Pool(Mutex::new(runs.collect()))
    }

    fn list(&self) -> MutexGuard<'_, Vec<(u64, Arc<T>)>> {
        // A list of pointers is whole even after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The most successful first.
    pub fn runs(&self) -> Vec<Arc<T>> {
        let list = self.list();
        list.iter().map(|(_, run)| Arc::clone(run)).collect()
    }

    /// Keeps a run that told something.
    pub fn add(&self, run: T) {
        let mut list = self.list();
        if list.iter().any(|(_, known)| **known == run) {
            return;
        }
        if list.len() >= MOST {
            list.pop();
        }
        list.push((1, Arc::new(run)));
        list.sort_by_key(|(kills, _)| Reverse(*kills));
    }

    /// Counts a success.
    pub fn credit(&self, run: &Arc<T>) {
        let mut list = self.list();
        if let Some(known) = list.iter_mut().find(|(_, known)| Arc::ptr_eq(known, run)) {
            known.0 += 1;
        }
        list.sort_by_key(|(kills, _)| Reverse(*kills));
    }
}

impl Pool<Killer> {
    /// The number of steps of the longest run that killed.
    pub fn longest(&self) -> u32 {
        let list = self.list();
        let kills = list.iter().filter(|(kills, _)| *kills > 0);
        let lengths = kills.map(|(_, killer)| killer.run.len() as u32);
        lengths.max().unwrap_or(0)
    }
}

/// A run that may kill, and what the original does on it.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Killer {
    pub run: Trace,
    pub seen: Seen,
}

impl Killer {
    pub fn new(original: &Program, run: Trace) -> Killer {
        let seen = Seen::of(original, &run);
        Killer { run, seen }
    }
}

/// The changed elements of a mutant alone, to be run on what the rest of the original does.
pub(crate) struct Fragment {
    program: Program,
    defined: Vec<Term>,
    /// Whether some of them are constraints.
    constrains: bool,
}

impl Fragment {
    /// Nothing when the mutant frees what the original defines: that takes whatever a run gives.
    pub fn of(original: &System, mutant: &Mutant) -> Option<Fragment> {
        let mut system = System::default();
        let mut defined = Vec::new();
        for function in original.functions() {
            system.add_function(*function);
        }
        for (id, element) in &mutant.elements {
            if let (Body::Define(before), Body::Define(now)) =
                (&original.element(*id).body, &element.body)
            {
                let is_defined = |one: &Definition| (one.init.is_some(), one.step.is_some());
                if is_defined(before) != is_defined(now) {
                    return None;
                }
                defined.push(now.variable);
            }
            let mentions = element.mentions();
            let targets = element.definitions().map(|one| one.variable);
            for term in mentions.variables.into_iter().chain(targets) {
                let new = |one: &&Variable| one.current == term || one.previous == term;
                let known = original.variable(term);
                let variable = known.or_else(|| mutant.variables.iter().find(new))?;
                if system.variable(variable.current).is_none() {
                    system.declare(variable.clone()).ok()?;
                }
            }
        }
        for (_, element) in &mutant.elements {
            system.add_element(element.clone()).ok()?;
        }
        let program = Program::compile(&system).ok()?;
        let constrains = defined.len() < mutant.elements.len();
        Some(Fragment {
            program,
            defined,
            constrains,
        })
    }

    pub fn watch(&self) -> Watch<'_> {
        Watch {
            machine: self.program.machine(),
            fragment: self,
        }
    }
}

/// Runs a fragment.
pub(crate) struct Watch<'f> {
    machine: Machine<'f>,
    fragment: &'f Fragment,
}

impl Watch<'_> {
    /// Whether the mutant may depart from a run of the original: until one of its elements has
    /// another value, or demands what does not hold, it does the same. Where the original's
    /// constraints do not hold, other ones may.
    pub fn departs(&mut self, seen: &Seen) -> bool {
        let Fragment {
            defined,
            constrains,
            ..
        } = self.fragment;
        let broken = *constrains && seen.broken_at.is_some();
        let earlier = (&seen.run, None);
        broken || self.machine.differs(&seen.run, earlier, defined)
    }
}

/// Random runs of a system: what is free gets values that the text mentions, or their neighbours.
pub(crate) fn random_runs(system: &System, program: &Program) -> Vec<Trace> {
    let numbers = numbers(system);
    let (first, later) = program.free();
    let mut free: Vec<Term> = first;
    free.extend(
        later
            .iter()
            .filter(|one| !free.contains(one))
            .copied()
            .collect::<Vec<_>>(),
    );
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut runs = Vec::new();
    for _ in 0..RANDOM {
        let mut run = Trace::new(free.clone());
        for _ in 0..STEPS {
            let row = free.iter().map(|one| dice.value(one.sort(), &numbers));
            // Each value has the sort of its column.
            let pushed = run.push(row.collect());
            debug_assert!(pushed.is_ok());
        }
        runs.push(program.machine().run(&run).0);
    }
    runs
}

/// The constants of a system and their neighbours.
fn numbers(system: &System) -> Vec<Rational> {
    let mut seen = FxHashSet::default();
    let mut numbers: Vec<Rational> = [-1, 0, 1, 2].map(Rational::from).to_vec();
    let elements = system.elements().iter();
    let mut stack: Vec<Term> = elements.flat_map(|element| element.terms()).collect();
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        stack.extend(term.args());
        if let Op::Const(Value::Int(value) | Value::Real(value)) = term.op() {
            for near in [-1, 0, 1] {
                let number = value.clone() + Rational::from(near);
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
        }
    }
    numbers
}

/// Numbers that are random enough, and the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count.max(1) as u64) as usize
    }

    fn value(&mut self, sort: Sort, numbers: &[Rational]) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.below(2) == 1),
            Sort::Int => {
                let number = numbers[self.below(numbers.len())].clone();
                match number.is_integer() {
                    true => Value::Int(number),
                    false => Value::Int(Rational::from(0)),
                }
            }
            Sort::Real => Value::Real(numbers[self.below(numbers.len())].clone()),
            Sort::Enum(of) => Value::Enum(of, self.below(of.values().len()) as u32),
            Sort::BitVec(_) => Value::default_of(sort),
        }
    }
}
