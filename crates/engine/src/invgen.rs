//! Invariant generation: guess from runs, keep what is inductive.
//!
//! Runs of the system on random inputs show which simple facts might hold in every state: constants,
//! bounds of a number, linear equations between numbers (the affine hull of the samples, after Karr
//! 1976), bounds of differences and sums of two, implications and equivalences of
//! Booleans, bounds of a number where a Boolean holds (modes). What no run contradicts is a
//! candidate; where constraints leave random inputs no run, everything simple is. Candidates that a first state violates go (the base); then, as in Houdini (Flanagan and
//! Leino 2001), all that are left are assumed in one state and those that can be false in the next
//! go, until none does. What stays is inductive, all together. What went then gets a second chance
//! with an induction over two states, with the facts of the first round as lemmas.
//!
//! Advice, the invariants of a former run, joins the guesses and is treated like them; where it
//! needed deeper inductions, more rounds follow.

use crate::engine::{Engine, Finding, Message, Progress, cost};
use crate::frames::Frames;
use proofmark_model::{
    Invariant, Op, Program, Rational, Sort, System, Term, Trace, Value, Variable,
};
use proofmark_solve::{Answer, Budget, SolveError, Solver};
use rustc_hash::{FxHashMap, FxHashSet};

pub struct InvariantGeneration<'s> {
    base: Frames<'s>,
    step: Frames<'s>,
    candidates: Vec<Candidate>,
    /// Those that the induction threw out.
    dropped: Vec<Candidate>,
    stage: Stage,
    /// The depth of the induction.
    k: u32,
    /// The last depth that is tried.
    deepest: u32,
    found: FxHashSet<Term>,
}

struct Candidate {
    term: Term,
    activation: Term,
}

#[derive(PartialEq)]
enum Stage {
    /// Throwing out what is false at this step of some run; before it, all hold.
    Base(u32),
    Step,
    Done,
}

/// The last depth that is tried for guesses.
const DEEPEST: u32 = 2;
/// The last depth that is tried for advice.
const DEEPEST_ADVISED: u32 = 10;

impl<'s> InvariantGeneration<'s> {
    pub fn new(
        system: &'s System,
        program: &'s Program,
        advice: &[Invariant],
        base: Box<dyn Solver>,
        step: Box<dyn Solver>,
    ) -> Result<InvariantGeneration<'s>, SolveError> {
        let samples = Samples::draw(system, program);
        let mut facts = guess(system, &samples);
        let advised = advice.iter().map(|invariant| invariant.term);
        let guessed: FxHashSet<Term> = facts.iter().copied().collect();
        facts.extend(advised.filter(|term| !guessed.contains(term)));
        let depths = advice.iter().map(|invariant| invariant.k);
        let advised = depths.max().unwrap_or(0).min(DEEPEST_ADVISED);
        let candidates: Vec<Candidate> = facts
            .into_iter()
            .enumerate()
            .map(|(at, term)| Candidate {
                term,
                activation: Term::var(&format!("%candidate{at}"), Sort::Bool),
            })
            .collect();
        let mut base = Frames::new(system, base);
        base.assert_init()?;
        let mut step = Frames::new(system, step);
        step.assert_state()?;
        step.assert_step(1)?;
        for candidate in &candidates {
            step.assert_at(candidate.activation.implies(candidate.term), 0)?;
        }
        Ok(InvariantGeneration {
            base,
            step,
            candidates,
            dropped: Vec::new(),
            stage: Stage::Base(0),
            k: 1,
            deepest: advised.max(DEEPEST),
            found: FxHashSet::default(),
        })
    }

    /// Takes out the candidates that are false at a step of the model.
    fn take_out(
        frames: &mut Frames<'s>,
        candidates: &mut Vec<Candidate>,
        step: u32,
    ) -> Result<Vec<Candidate>, SolveError> {
        let mut out = Vec::new();
        for candidate in std::mem::take(candidates) {
            if frames.holds(candidate.term, step)? {
                candidates.push(candidate);
            } else {
                out.push(candidate);
            }
        }
        Ok(out)
    }

    /// The next round: what the induction threw out, one state deeper, on top of what was found.
    fn deepen(&mut self) -> Result<(), SolveError> {
        if self.k >= self.deepest || self.dropped.is_empty() {
            self.stage = Stage::Done;
            return Ok(());
        }
        self.k += 1;
        self.step.assert_step(self.k)?;
        for &lemma in &self.found {
            for step in 0..=self.k {
                self.step.assert_at(lemma, step)?;
            }
        }
        self.candidates = std::mem::take(&mut self.dropped);
        for candidate in &self.candidates {
            let term = candidate.activation.implies(candidate.term);
            self.step.assert_at(term, self.k - 1)?;
        }
        self.base.assert_step(self.k - 1)?;
        self.stage = Stage::Base(self.k - 1);
        Ok(())
    }

    fn some_false(frames: &mut Frames<'s>, candidates: &[Candidate], step: u32) -> Term {
        let mut parts = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            parts.push(frames.at(candidate.term, step).not());
        }
        Term::or(&parts)
    }

    fn base_step(&mut self, depth: u32) -> Result<(), SolveError> {
        let question = Self::some_false(&mut self.base, &self.candidates, depth);
        match self.base.solver.check(&[question])? {
            Answer::Unknown(_) => {}
            Answer::Sat => drop(Self::take_out(&mut self.base, &mut self.candidates, depth)?),
            Answer::Unsat => self.stage = Stage::Step,
        }
        Ok(())
    }

    fn inductive_step(&mut self, report: &mut dyn FnMut(Finding)) -> Result<(), SolveError> {
        let mut assumptions: Vec<Term> = self.candidates.iter().map(|one| one.activation).collect();
        assumptions.push(Self::some_false(&mut self.step, &self.candidates, self.k));
        match self.step.solver.check(&assumptions)? {
            Answer::Unknown(_) => {}
            Answer::Sat => {
                let out = Self::take_out(&mut self.step, &mut self.candidates, self.k)?;
                self.dropped.extend(out);
            }
            Answer::Unsat => {
                let fresh: Vec<Invariant> = self
                    .candidates
                    .iter()
                    .filter(|candidate| self.found.insert(candidate.term))
                    .map(|candidate| Invariant {
                        term: candidate.term,
                        k: self.k,
                    })
                    .collect();
                if !fresh.is_empty() {
                    report(Finding::Invariants(fresh));
                }
                self.deepen()?;
            }
        }
        Ok(())
    }
}

impl Engine for InvariantGeneration<'_> {
    fn name(&self) -> &'static str {
        "invariant-generation"
    }

    fn hear(&mut self, message: &Message) -> Result<(), SolveError> {
        if let Message::Invariants(invariants) = message {
            for invariant in invariants
                .iter()
                .filter(|one| !self.found.contains(&one.term))
            {
                for step in 0..=self.k {
                    self.step.assert_at(invariant.term, step)?;
                }
            }
        }
        Ok(())
    }

    fn step(
        &mut self,
        effort: u64,
        report: &mut dyn FnMut(Finding),
    ) -> Result<Progress, SolveError> {
        if self.candidates.is_empty() && self.stage != Stage::Done {
            self.deepen()?;
        }
        self.base.solver.set_budget(Budget {
            effort: Some(effort),
            time: None,
        });
        self.step.solver.set_budget(Budget {
            effort: Some(effort),
            time: None,
        });
        match self.stage {
            Stage::Base(depth) => self.base_step(depth)?,
            Stage::Step => self.inductive_step(report)?,
            Stage::Done => return Ok(Progress::Waiting),
        }
        Ok(Progress::More)
    }

    fn depth(&self) -> u32 {
        self.k
    }

    fn spent(&self) -> u64 {
        cost(&*self.base.solver) + cost(&*self.step.solver)
    }
}

// ---- Guessing -----------------------------------------------------------------------------

/// States that runs have visited: a row of values for each variable of interest.
struct Samples {
    variables: Vec<Term>,
    rows: Vec<Vec<Value>>,
}

const RUNS: usize = 12;
const STEPS: usize = 40;

impl Samples {
    fn draw(system: &System, program: &Program) -> Samples {
        let variables: Vec<Term> = interesting(system);
        let (first, later) = program.free();
        let mut columns = first;
        columns.extend(later);
        columns.sort_by_key(|column| column.id());
        columns.dedup();
        let constants = constants(system);
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
        let mut machine = program.machine();
        let mut rows = Vec::new();
        let mut seen = FxHashSet::default();
        for run in 0..RUNS {
            let mut given = Trace::new(columns.clone());
            for _ in 0..STEPS {
                let row = dice.row(&columns, &constants, Density::of(run));
                if given.push(row).is_err() {
                    return Samples { variables, rows };
                }
            }
            let (trace, outcome) = machine.run(&given);
            for step in 0..outcome.broken_at().unwrap_or(trace.len()) {
                let row: Option<Vec<Value>> = variables
                    .iter()
                    .map(|variable| trace.value(*variable, step).cloned())
                    .collect();
                if let Some(row) = row
                    && seen.insert(row.clone())
                {
                    rows.push(row);
                }
            }
        }
        Samples { variables, rows }
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
fn constants(system: &System) -> Vec<Rational> {
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

/// The facts that all samples agree with.
fn guess(system: &System, samples: &Samples) -> Vec<Term> {
    let mut facts = Vec::new();
    let columns = Columns::new(samples);
    columns.booleans(&mut facts);
    columns.numbers(&constants(system), &mut facts);
    columns.equations(&mut facts);
    columns.pairs(&mut facts);
    columns.modes(&mut facts);
    facts
}

/// The samples by variable.
struct Columns {
    booleans: Vec<(Term, Vec<bool>)>,
    numbers: Vec<(Term, Vec<Rational>)>,
}

/// More numbers than this are not looked at together.
const MOST_DIMENSIONS: usize = 30;
/// More pairs than this are not looked at.
const MOST_PAIRS: usize = 4_000;

impl Columns {
    fn new(samples: &Samples) -> Columns {
        let mut columns = Columns {
            booleans: Vec::new(),
            numbers: Vec::new(),
        };
        for (at, variable) in samples.variables.iter().enumerate() {
            let values = samples.rows.iter().map(|row| &row[at]);
            match variable.sort() {
                Sort::Bool => {
                    let values = values.filter_map(Value::as_bool).collect();
                    columns.booleans.push((*variable, values));
                }
                Sort::Int | Sort::Real => {
                    let values = values
                        .filter_map(|value| value.as_number().cloned())
                        .collect();
                    columns.numbers.push((*variable, values));
                }
                Sort::BitVec(_) | Sort::Enum(_) => {}
            }
        }
        columns
    }

    /// Constants, implications, equivalences.
    fn booleans(&self, facts: &mut Vec<Term>) {
        for (variable, values) in &self.booleans {
            if !values.contains(&false) {
                facts.push(*variable);
            }
            if !values.contains(&true) {
                facts.push(variable.not());
            }
        }
        let varied: Vec<&(Term, Vec<bool>)> = self
            .booleans
            .iter()
            .filter(|(_, values)| values.contains(&true) && values.contains(&false))
            .collect();
        for (at, (a, left)) in varied
            .iter()
            .copied()
            .enumerate()
            .map(|(at, pair)| (at, (pair.0, &pair.1)))
        {
            for (b, right) in varied[at + 1..]
                .iter()
                .take(MOST_PAIRS / varied.len().max(1))
                .map(|pair| (pair.0, &pair.1))
            {
                let mut seen = [false; 4];
                for (x, y) in left.iter().zip(right) {
                    seen[usize::from(*x) * 2 + usize::from(*y)] = true;
                }
                // One disjunct for each combination that never occurs.
                for (combination, occurred) in seen.iter().enumerate() {
                    if !occurred {
                        let first = if combination & 2 == 0 { a } else { a.not() };
                        let second = if combination & 1 == 0 { b } else { b.not() };
                        facts.push(Term::or(&[first, second]));
                    }
                }
            }
        }
    }

    /// Bounds at what was seen, and at the numbers of the text beyond.
    fn numbers(&self, constants: &[Rational], facts: &mut Vec<Term>) {
        for (variable, values) in &self.numbers {
            let sort = variable.sort();
            let (least, most) = (values.iter().min(), values.iter().max());
            let below = constants
                .iter()
                .filter(|constant| least.is_none_or(|least| *constant < least));
            for bound in least.into_iter().chain(below.rev().take(3)) {
                facts.push(number(bound.clone(), sort).le(*variable));
            }
            let above = constants
                .iter()
                .filter(|constant| most.is_none_or(|most| *constant > most));
            for bound in most.into_iter().chain(above.take(3)) {
                facts.push(variable.le(number(bound.clone(), sort)));
            }
        }
    }

    /// The linear equations that all samples satisfy, for each numeric sort.
    fn equations(&self, facts: &mut Vec<Term>) {
        for sort in [Sort::Int, Sort::Real] {
            let numbers = self
                .numbers
                .iter()
                .filter(|(variable, _)| variable.sort() == sort);
            let (variables, columns): (Vec<Term>, Vec<&Vec<Rational>>) = numbers
                .take(MOST_DIMENSIONS)
                .map(|(variable, values)| (*variable, values))
                .unzip();
            let samples = columns.first().map_or(0, |values| values.len());
            let points = (0..samples).map(|at| {
                let point = columns.iter().map(|values| values[at].clone());
                point.chain([Rational::ONE]).collect()
            });
            let Some(equations) = affine_hull(points, variables.len() + 1) else {
                continue;
            };
            for equation in equations {
                let summands = equation
                    .iter()
                    .zip(&variables)
                    .filter(|(factor, _)| !factor.is_zero());
                let summands: Vec<Term> = summands
                    .map(|(factor, variable)| number(factor.clone(), sort).mul(*variable))
                    .collect();
                if summands.len() > 1 {
                    let constant = -equation.last().unwrap_or(&Rational::ZERO);
                    facts.push(Term::add(&summands).eq(number(constant, sort)));
                }
            }
        }
    }

    /// Bounds of differences and sums of two.
    fn pairs(&self, facts: &mut Vec<Term>) {
        let mut left_over = MOST_PAIRS;
        for (at, (a, left)) in self.numbers.iter().enumerate() {
            for (b, right) in &self.numbers[at + 1..] {
                if a.sort() != b.sort() || left_over == 0 {
                    continue;
                }
                left_over -= 1;
                let difference = || left.iter().zip(right).map(|(x, y)| x - y);
                let sum = || left.iter().zip(right).map(|(x, y)| x + y);
                let minus = a.sub(*b);
                let plus = Term::add(&[*a, *b]);
                for (term, least, most) in [
                    (minus, difference().min(), difference().max()),
                    (plus, sum().min(), sum().max()),
                ] {
                    let (Some(least), Some(most)) = (least, most) else {
                        continue;
                    };
                    facts.push(number(least, a.sort()).le(term));
                    facts.push(term.le(number(most, a.sort())));
                }
            }
        }
    }

    /// Bounds of a number where a Boolean has one value, if they are tighter than elsewhere.
    fn modes(&self, facts: &mut Vec<Term>) {
        let mut left_over = MOST_PAIRS;
        for (mode, values) in &self.booleans {
            for (variable, numbers) in &self.numbers {
                if left_over == 0 {
                    return;
                }
                left_over -= 1;
                let mut extremes: FxHashMap<bool, (Rational, Rational)> = FxHashMap::default();
                for (value, number) in values.iter().zip(numbers) {
                    let entry = extremes
                        .entry(*value)
                        .or_insert_with(|| (number.clone(), number.clone()));
                    if *number < entry.0 {
                        entry.0 = number.clone();
                    }
                    if *number > entry.1 {
                        entry.1 = number.clone();
                    }
                }
                let (Some(on), Some(off)) = (extremes.get(&true), extremes.get(&false)) else {
                    continue;
                };
                for (here, there, guard) in [(on, off, mode.not()), (off, on, *mode)] {
                    let sort = variable.sort();
                    if here.0 > there.0 {
                        facts.push(Term::or(&[
                            guard,
                            number(here.0.clone(), sort).le(*variable),
                        ]));
                    }
                    if here.1 < there.1 {
                        facts.push(Term::or(&[
                            guard,
                            variable.le(number(here.1.clone(), sort)),
                        ]));
                    }
                }
            }
        }
    }
}

/// `row += factor * other`
fn add_multiple(row: &mut [Rational], factor: &Rational, other: &[Rational]) {
    if !factor.is_zero() {
        row.iter_mut()
            .zip(other)
            .for_each(|(entry, other)| entry.add_mul(factor, other));
    }
}

/// Equations with whole factors that all points satisfy, from the echelon form of the points;
/// nothing when there are too few points to mean anything.
fn affine_hull(
    points: impl Iterator<Item = Vec<Rational>>,
    width: usize,
) -> Option<Vec<Vec<Rational>>> {
    // Rows in reduced echelon form, by their leading column.
    let mut rows: Vec<Option<Vec<Rational>>> = vec![None; width];
    let mut count = 0;
    for mut point in points {
        count += 1;
        for column in 0..width {
            if let Some(row) = &rows[column] {
                let factor = -&point[column];
                add_multiple(&mut point, &factor, row);
            }
        }
        let Some(leading) = point.iter().position(|entry| !entry.is_zero()) else {
            continue;
        };
        let inverse = point[leading].recip();
        point.iter_mut().for_each(|entry| *entry *= &inverse);
        for other in rows.iter_mut().flatten() {
            let factor = -&other[leading];
            add_multiple(other, &factor, &point);
        }
        rows[leading] = Some(point);
    }
    if count < 2 * width {
        return None;
    }
    let free = (0..width).filter(|column| rows[*column].is_none());
    let equations = free.map(|column| {
        let mut equation: Vec<Rational> = vec![Rational::ZERO; width];
        equation[column] = Rational::ONE;
        for (leading, row) in rows.iter().enumerate() {
            if let Some(row) = row {
                equation[leading] = -&row[column];
            }
        }
        let divisor = equation
            .iter()
            .fold(Rational::ZERO, |divisor, factor| divisor.gcd(factor));
        equation.iter().map(|factor| factor / &divisor).collect()
    });
    Some(equations.collect())
}

fn number(value: Rational, sort: Sort) -> Term {
    Term::constant(match sort {
        Sort::Int => Value::Int(value),
        _ => Value::Real(value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_affine_hull_of_points_on_a_plane_is_its_equation() {
        // 2x + y - 3 = 0
        let points =
            (0..8).map(|x| vec![Rational::from(x), Rational::from(3 - 2 * x), Rational::ONE]);
        let equations = affine_hull(points, 3).unwrap();
        assert_eq!(equations.len(), 1);
        let found: Vec<Option<i64>> = equations[0].iter().map(Rational::to_i64).collect();
        assert!(found == [Some(2), Some(1), Some(-3)] || found == [Some(-2), Some(-1), Some(3)]);
    }

    #[test]
    fn points_that_span_everything_satisfy_no_equation() {
        let points = (0..9).map(|at| {
            vec![
                Rational::from(at % 3),
                Rational::from(at / 3),
                Rational::ONE,
            ]
        });
        assert_eq!(affine_hull(points, 3), Some(Vec::new()));
    }
}
