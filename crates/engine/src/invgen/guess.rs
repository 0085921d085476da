//! Facts that all samples agree with.
//!
//! The simple ones: constants, bounds of a number, linear equations between numbers (the affine hull
//! of the samples, after Karr 1976), bounds of differences and sums of two, implications and
//! equivalences of Booleans, bounds of a number where a Boolean holds. The rich ones, which are many
//! more, look at linear forms that the text itself compares or computes and at sums and differences
//! of two of those; and they look at equations and bounds also where a mode (a Boolean of the state)
//! is on, or off. A bound that no number of the text explains is taken for an accident.

use super::forms::{Form, forms, number};
use super::samples::{Samples, constants};
use proofmark_model::{Rational, Sort, System, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The simple facts.
pub fn simple(system: &System, samples: &Samples) -> Vec<Term> {
    let mut facts = Vec::new();
    let columns = Columns::new(samples);
    columns.booleans(&mut facts);
    columns.numbers(&constants(system), &mut facts);
    columns.equations(&columns.everywhere(), &mut facts);
    columns.pairs(&mut facts);
    columns.modes(&mut facts);
    facts
}

/// The simple and the rich facts, each once.
pub fn rich(system: &System, samples: &Samples) -> Vec<Term> {
    let mut facts = rigid(samples);
    let columns = Columns::new(samples);
    for case in columns.cases() {
        columns.equations(&case, &mut facts);
    }
    columns.bounded_forms(system, &mut facts);
    facts.extend(simple(system, samples));
    let mut known = FxHashSet::default();
    facts.retain(|fact| known.insert(*fact));
    facts.truncate(MOST_FACTS);
    facts
}

/// Facts that few samples can break for good: constants and equalities.
pub fn rigid(samples: &Samples) -> Vec<Term> {
    let columns = Columns::new(samples);
    let mut facts = Vec::new();
    columns.constants(&mut facts);
    columns.equalities(&mut facts);
    facts
}

/// The samples by variable.
struct Columns {
    rows: usize,
    booleans: Vec<(Term, Vec<bool>)>,
    numbers: Vec<(Term, Vec<Rational>)>,
}

/// More numbers than this are not looked at together.
const MOST_DIMENSIONS: usize = 30;
/// More pairs than this are not looked at.
const MOST_PAIRS: usize = 4_000;
/// More facts than this are not tried at once.
const MOST_FACTS: usize = 6_000;
/// More modes than this are not looked at.
const MOST_MODES: usize = 8;

/// Some of the samples.
struct ModeCase {
    /// False where the case is.
    unless: Option<Term>,
    rows: Vec<usize>,
}

impl ModeCase {
    fn fact(&self, fact: Term) -> Term {
        match self.unless {
            None => fact,
            Some(unless) => Term::or(&[unless, fact]),
        }
    }
}

impl Columns {
    fn new(samples: &Samples) -> Columns {
        let mut columns = Columns {
            rows: samples.rows.len(),
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

    fn everywhere(&self) -> ModeCase {
        ModeCase {
            unless: None,
            rows: (0..self.rows).collect(),
        }
    }

    /// All samples, those where a mode is on, and those where it is off.
    fn cases(&self) -> Vec<ModeCase> {
        let mut cases = vec![self.everywhere()];
        for (mode, values) in self.varied().take(MOST_MODES) {
            for (unless, truth) in [(mode.not(), true), (*mode, false)] {
                let rows = (0..self.rows).filter(|at| values[*at] == truth).collect();
                let unless = Some(unless);
                cases.push(ModeCase { unless, rows });
            }
        }
        cases
    }

    /// The Booleans that are not constant.
    fn varied(&self) -> impl Iterator<Item = &(Term, Vec<bool>)> {
        self.booleans
            .iter()
            .filter(|(_, values)| values.contains(&true) && values.contains(&false))
    }

    fn constants(&self, facts: &mut Vec<Term>) {
        for (variable, values) in &self.booleans {
            if !values.contains(&false) {
                facts.push(*variable);
            }
            if !values.contains(&true) {
                facts.push(variable.not());
            }
        }
    }

    /// Numbers that are equal in all samples.
    fn equalities(&self, facts: &mut Vec<Term>) {
        let mut first: FxHashMap<(Sort, &[Rational]), Term> = FxHashMap::default();
        for (variable, values) in &self.numbers {
            let class = first.entry((variable.sort(), values));
            let representative = *class.or_insert(*variable);
            if representative != *variable {
                facts.push(representative.eq(*variable));
            }
        }
    }

    /// Constants, implications, equivalences.
    fn booleans(&self, facts: &mut Vec<Term>) {
        self.constants(facts);
        let varied: Vec<&(Term, Vec<bool>)> = self.varied().collect();
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

    /// The linear equations that the samples of a case satisfy, for each numeric sort, without those
    /// that all samples do.
    fn equations(&self, case: &ModeCase, facts: &mut Vec<Term>) {
        for sort in [Sort::Int, Sort::Real] {
            let numbers = self.numbers.iter();
            let numbers = numbers.filter(|(variable, _)| variable.sort() == sort);
            let (variables, columns): (Vec<Term>, Vec<&Vec<Rational>>) = numbers
                .take(MOST_DIMENSIONS)
                .map(|(variable, values)| (*variable, values))
                .unzip();
            let width = variables.len() + 1;
            // Fewer samples mean nothing.
            if case.rows.len() < 2 * width {
                continue;
            }
            let point = |at: usize| -> Vec<Rational> {
                let point = columns.iter().map(|values| values[at].clone());
                point.chain([Rational::ONE]).collect()
            };
            let points = case.rows.iter().map(|at| point(*at));
            let mut equations = affine_hull(points, width);
            if case.unless.is_some() {
                equations.retain(|equation| {
                    (0..self.rows).any(|at| !product(equation, &point(at)).is_zero())
                });
            }
            for equation in equations {
                let mut form = Form::new(variables.iter().copied().zip(equation.iter().cloned()));
                if form.summands.len() > 1 || case.unless.is_some() {
                    let constant = equation.last().cloned().unwrap_or(Rational::ZERO);
                    let factor = form.normalise();
                    let value = number(-&(&constant * &factor), sort);
                    facts.push(case.fact(form.term(sort).eq(value)));
                }
            }
        }
    }

    /// Bounds of the forms of the text, and of sums and differences of two, in each case.
    fn bounded_forms(&self, system: &System, facts: &mut Vec<Term>) {
        let explained = explained(&constants(system));
        let cases = self.cases();
        let forms = forms(system, self.numbers.iter().map(|(variable, _)| *variable));
        let mut seen = FxHashSet::default();
        let mut left_over = MOST_PAIRS;
        for (at, (sort, form)) in forms.iter().enumerate() {
            let others = forms[..at].iter().filter(|(other, _)| other == sort);
            let sums = others.flat_map(|(_, other)| [form.plus(other), form.minus(other)]);
            for mut sum in [form.clone()].into_iter().chain(sums) {
                sum.normalise();
                if left_over == 0 || sum.summands.is_empty() || !seen.insert(sum.clone()) {
                    continue;
                }
                left_over -= 1;
                self.bounds(&sum, *sort, &cases, &explained, facts);
            }
        }
    }

    /// The bounds of a form in each case, those of a mode only when they are tighter.
    fn bounds(
        &self,
        form: &Form,
        sort: Sort,
        cases: &[ModeCase],
        explained: &FxHashSet<Rational>,
        facts: &mut Vec<Term>,
    ) {
        let values = self.values(form);
        let term = form.term(sort);
        let mut known: [Option<&Rational>; 2] = [None, None];
        for case in cases {
            let here = || case.rows.iter().map(|at| &values[*at]);
            for (side, bound) in [here().min(), here().max()].into_iter().enumerate() {
                let Some(bound) = bound else { continue };
                if known[side] != Some(bound) && explained.contains(bound) {
                    let bound = number(bound.clone(), sort);
                    let fact = [bound.le(term), term.le(bound)][side];
                    facts.push(case.fact(fact));
                }
                if case.unless.is_none() {
                    known[side] = Some(bound);
                }
            }
        }
    }

    /// The values of a form in the samples.
    fn values(&self, form: &Form) -> Vec<Rational> {
        let mut values = vec![Rational::ZERO; self.rows];
        for (variable, factor) in &form.summands {
            let column = self.numbers.iter().find(|(known, _)| known == variable);
            if let Some((_, column)) = column {
                let both = values.iter_mut().zip(column);
                both.for_each(|(value, number)| value.add_mul(factor, number));
            }
        }
        values
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

/// The numbers of the text, zero, and the neighbours of all these.
fn explained(constants: &[Rational]) -> FxHashSet<Rational> {
    let mut explained = FxHashSet::default();
    for constant in constants.iter().chain([&Rational::ZERO]) {
        for offset in [-1, 0, 1] {
            let neighbour = constant + &Rational::from(offset);
            explained.insert(-&neighbour);
            explained.insert(neighbour);
        }
    }
    explained
}

fn product(left: &[Rational], right: &[Rational]) -> Rational {
    let mut sum = Rational::ZERO;
    let both = left.iter().zip(right);
    both.for_each(|(left, right)| sum.add_mul(left, right));
    sum
}

/// `row += factor * other`
fn add_multiple(row: &mut [Rational], factor: &Rational, other: &[Rational]) {
    if !factor.is_zero() {
        row.iter_mut()
            .zip(other)
            .for_each(|(entry, other)| entry.add_mul(factor, other));
    }
}

/// Equations that all points satisfy, from the echelon form of the points.
fn affine_hull(points: impl Iterator<Item = Vec<Rational>>, width: usize) -> Vec<Vec<Rational>> {
    // Rows in reduced echelon form, by their leading column.
    let mut rows: Vec<Option<Vec<Rational>>> = vec![None; width];
    for mut point in points {
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
    equations.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_affine_hull_of_points_on_a_plane_is_its_equation() {
        // 2x + y - 3 = 0
        let points =
            (0..8).map(|x| vec![Rational::from(x), Rational::from(3 - 2 * x), Rational::ONE]);
        let equations = affine_hull(points, 3);
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
        assert!(affine_hull(points, 3).is_empty());
    }
}
