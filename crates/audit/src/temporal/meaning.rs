//! From terms to diagrams, by values.
//!
//! A term that is no Boolean is a list of its values, each with the valuations of bits in which it has it; an
//! operator is applied to values one by one, by its one meaning ([`fold`]). Nothing here
//! knows how arithmetic is done on bits. A variable has as many bits as its values need, in two columns;
//! codes beyond the last value mean the last one, so that every valuation is one of values.

use super::diagram::{Answer, Diagrams, Set};
use proofmark_model::graph::integer_limits;
use proofmark_model::{
    BitVec, Bounds, Op, Phase, Rational, Sort, System, Term, Value, Variable, arrangement, fold,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which state a current variable is of: the one at hand, or the one after it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Reading {
    /// A term over one state.
    State,
    /// A term over a step: previous values are of the state at hand, current ones of the next.
    Step,
}

#[derive(Clone)]
enum Meaning {
    Truth(Set),
    /// Disjoint, and together everything.
    Values(Vec<(Value, Set)>),
}

/// The meanings of all terms of one system.
pub(super) struct Meanings<'s> {
    pub(super) system: &'s System,
    pub(super) diagrams: Diagrams,
    /// What a variable is defined as at every step.
    definitions: FxHashMap<Term, Term>,
    /// The levels of the present bits of variables without such a definition; the next ones lie below.
    pub(super) levels: FxHashMap<Term, Vec<u32>>,
    domains: FxHashMap<Term, Vec<Value>>,
    /// The variables that a constraint keeps within their values.
    kept: FxHashSet<Term>,
    known: FxHashMap<(Term, Reading), Meaning>,
    pub(super) height: u32,
}

/// A variable may have so many values, and an operator so many pairs of them.
const VALUES: u64 = 1 << 16;
const PAIRS: usize = 1 << 20;

impl<'s> Meanings<'s> {
    pub(super) fn new(system: &'s System, diagrams: Diagrams) -> Answer<Meanings<'s>> {
        let elements = system.elements().iter();
        let definitions = elements.flat_map(|one| system.timeless_definitions(one));
        let mut meanings = Meanings {
            system,
            diagrams,
            definitions: definitions.collect(),
            levels: FxHashMap::default(),
            domains: FxHashMap::default(),
            kept: FxHashSet::default(),
            known: FxHashMap::default(),
            height: 0,
        };
        let limits = integer_limits(system);
        for group in arrangement(system) {
            meanings.declare(&group, &limits)?;
        }
        Ok(meanings)
    }

    /// Gives levels to variables; the bits of those in one group alternate, the most significant first.
    fn declare(&mut self, group: &[Term], limits: &FxHashMap<Term, (i128, i128)>) -> Answer<()> {
        let mut widths = Vec::new();
        for variable in group.iter().filter_map(|one| self.system.variable(*one)) {
            let current = variable.current;
            if self.definitions.contains_key(&current) {
                continue;
            }
            let domain = domain(variable, limits.get(&current).copied())?;
            widths.push((current, usize::BITS - (domain.len() - 1).leading_zeros()));
            self.levels.insert(current, Vec::new());
            self.domains.insert(current, domain);
            if limits.contains_key(&current) {
                self.kept.insert(current);
            }
        }
        let widest = widths.iter().map(|(_, width)| *width).max().unwrap_or(0);
        for at in (0..widest).rev() {
            for (variable, width) in &widths {
                if at < *width {
                    let level = self.fresh();
                    self.levels.entry(*variable).or_default().push(level);
                }
            }
        }
        Ok(())
    }

    /// The level of a new present bit.
    pub(super) fn fresh(&mut self) -> u32 {
        self.height += 2;
        self.height - 2
    }

    /// The valuations in which a Boolean is true.
    pub(super) fn truth(&mut self, term: Term, reading: Reading) -> Answer<Set> {
        match self.meaning(term, reading)? {
            Meaning::Truth(set) => Ok(set),
            Meaning::Values(_) => Err(format!("`{term:?}` is no Boolean")),
        }
    }

    /// The valuations in which a term has a value that its variable cannot have, and nothing forbids that.
    pub(super) fn beyond(&mut self, variable: Term, value: Term, reading: Reading) -> Answer<Set> {
        let mut beyond = self.diagrams.no();
        if !self.kept.contains(&variable)
            && let Meaning::Values(values) = self.meaning(value, reading)?
            && let Some(domain) = self.domains.get(&variable)
        {
            for (_, set) in values.iter().filter(|(one, _)| !domain.contains(one)) {
                beyond = beyond.or(set)?;
            }
        }
        Ok(beyond)
    }

    fn meaning(&mut self, root: Term, reading: Reading) -> Answer<Meaning> {
        let mut stack = vec![(root, reading)];
        while let Some(&(term, reading)) = stack.last() {
            if self.known.contains_key(&(term, reading)) {
                stack.pop();
                continue;
            }
            let needs: Vec<(Term, Reading)> = match self.definition(term, reading) {
                Some(definition) => vec![definition],
                None => term.args().iter().map(|arg| (*arg, reading)).collect(),
            };
            let before = stack.len();
            stack.extend(needs.iter().filter(|one| !self.known.contains_key(one)));
            if stack.len() > before {
                continue;
            }
            let meaning = match (self.definition(term, reading), term.op()) {
                (Some(definition), _) => self.known[&definition].clone(),
                (None, Op::Var(_)) => self.variable(term, reading)?,
                _ => {
                    let args: Vec<Meaning> =
                        needs.iter().map(|one| self.known[one].clone()).collect();
                    self.operator(term, args)?
                }
            };
            self.known.insert((term, reading), meaning);
            stack.pop();
        }
        Ok(self.known[&(root, reading)].clone())
    }

    /// What a variable that is defined at every step stands for, and over which state.
    fn definition(&self, term: Term, reading: Reading) -> Option<(Term, Reading)> {
        term.as_var()?;
        let variable = self.system.variable(term)?;
        let definition = *self.definitions.get(&variable.current)?;
        let before = term == variable.previous;
        Some((definition, if before { Reading::State } else { reading }))
    }

    fn variable(&mut self, term: Term, reading: Reading) -> Answer<Meaning> {
        let unknown = || format!("`{term:?}` is no variable");
        let variable = self.system.variable(term).ok_or_else(unknown)?;
        let next = u32::from(reading == Reading::Step && term == variable.current);
        let levels = self.levels.get(&variable.current).ok_or_else(unknown)?;
        let levels: Vec<u32> = levels.iter().map(|level| level + next).collect();
        if variable.sort() == Sort::Bool {
            return Ok(Meaning::Truth(self.diagrams.bit(levels[0])?));
        }
        let domain = self.domains.get(&variable.current).ok_or_else(unknown)?;
        let mut codes = vec![self.diagrams.yes()];
        for level in levels {
            let bit = self.diagrams.bit(level)?;
            let mut longer = Vec::with_capacity(2 * codes.len());
            for code in codes {
                longer.push(code.minus(&bit)?);
                longer.push(code.and(&bit)?);
            }
            codes = longer;
        }
        let mut values: Vec<(Value, Set)> = Vec::with_capacity(domain.len());
        for (at, code) in codes.into_iter().enumerate() {
            match domain.get(at) {
                Some(value) => values.push((value.clone(), code)),
                None => {
                    if let Some((_, last)) = values.last_mut() {
                        *last = last.or(&code)?;
                    }
                }
            }
        }
        Ok(Meaning::Values(values))
    }

    fn operator(&self, term: Term, args: Vec<Meaning>) -> Answer<Meaning> {
        let truths = || -> Option<Vec<&Set>> {
            let sets = args.iter().map(|arg| match arg {
                Meaning::Truth(set) => Some(set),
                Meaning::Values(_) => None,
            });
            sets.collect()
        };
        let set = match (term.op(), truths()) {
            (Op::Const(Value::Bool(true)), _) => self.diagrams.yes(),
            (Op::Const(Value::Bool(false)), _) => self.diagrams.no(),
            (Op::Const(value), _) => {
                let all = vec![(value.clone(), self.diagrams.yes())];
                return Ok(Meaning::Values(all));
            }
            (Op::Not, Some(sets)) => sets[0].not(),
            (Op::And, Some(sets)) => {
                let mut all = self.diagrams.yes();
                for set in sets {
                    all = all.and(set)?;
                }
                all
            }
            (Op::Or, Some(sets)) => {
                let mut any = self.diagrams.no();
                for set in sets {
                    any = any.or(set)?;
                }
                any
            }
            (Op::Eq, Some(sets)) => sets[0].iff(sets[1])?,
            (Op::Eq, None) => self.same(&args)?,
            (Op::Ite, _) => return self.choice(&args),
            (Op::Apply(_), _) => return Err("it has uninterpreted functions".into()),
            (op, _) => return self.by_values(op, &args, term.sort()),
        };
        Ok(Meaning::Truth(set))
    }

    fn same(&self, args: &[Meaning]) -> Answer<Set> {
        let [Meaning::Values(a), Meaning::Values(b)] = args else {
            return Err("an equation of unlike sides".into());
        };
        let others: FxHashMap<&Value, &Set> = b.iter().map(|(value, set)| (value, set)).collect();
        let mut same = self.diagrams.no();
        for (value, here) in a {
            if let Some(there) = others.get(value) {
                same = same.or(&here.and(there)?)?;
            }
        }
        Ok(same)
    }

    fn choice(&self, args: &[Meaning]) -> Answer<Meaning> {
        match args {
            [Meaning::Truth(c), Meaning::Truth(a), Meaning::Truth(b)] => {
                let set = c.and(a)?.or(&c.not().and(b)?)?;
                Ok(Meaning::Truth(set))
            }
            [Meaning::Truth(c), Meaning::Values(a), Meaning::Values(b)] => {
                let mut values = Collected::default();
                for (when, list) in [(c.clone(), a), (c.not(), b)] {
                    for (value, set) in list {
                        values.add(value.clone(), when.and(set)?)?;
                    }
                }
                Ok(Meaning::Values(values.list))
            }
            _ => Err("a conditional of unlike parts".into()),
        }
    }

    /// An operator on all values of its arguments, two at a time where it takes more.
    fn by_values(&self, op: &Op, args: &[Meaning], sort: Sort) -> Answer<Meaning> {
        let lists: Vec<Vec<(Value, Set)>> = args
            .iter()
            .map(|arg| match arg {
                Meaning::Values(values) => values.clone(),
                Meaning::Truth(set) => {
                    let both = [(true, set.clone()), (false, set.not())];
                    both.map(|(value, set)| (Value::Bool(value), set)).into()
                }
            })
            .collect();
        let mut result = Collected::default();
        let mut lists = lists.into_iter();
        let first = lists.next().ok_or("an operator without arguments")?;
        let Some(second) = lists.next() else {
            for (value, set) in first {
                result.add(apply(op, &[value])?, set)?;
            }
            return result.of(sort, &self.diagrams);
        };
        let mut left = first;
        let mut right = second;
        loop {
            if left.len().saturating_mul(right.len()) > PAIRS {
                return Err("its terms have too many values".into());
            }
            let mut both = Collected::default();
            for (a, here) in &left {
                for (b, there) in &right {
                    let when = here.and(there)?;
                    if !when.is_empty() {
                        both.add(apply(op, &[a.clone(), b.clone()])?, when)?;
                    }
                }
            }
            match lists.next() {
                None => return both.of(sort, &self.diagrams),
                Some(next) => (left, right) = (both.list, next),
            }
        }
    }

    /// The definitions of an element that are no expansions, as equations of a phase, and what it demands.
    pub(super) fn equations(&self, phase: Phase) -> Vec<(Option<(Term, Term)>, Term)> {
        let mut all = Vec::new();
        for element in self.system.elements() {
            for definition in element.definitions() {
                let variable = definition.variable;
                if let (Some(value), false) = (
                    definition.value(phase),
                    self.definitions.contains_key(&variable),
                ) {
                    all.push((Some((variable, value)), variable.eq(value)));
                }
            }
            all.extend(element.constraint(phase).map(|one| (None, one)));
        }
        all
    }
}

/// Division by zero has no meaning of its own; where it mattered, the front end would have refused it.
fn apply(op: &Op, args: &[Value]) -> Answer<Value> {
    let by_zero = || args.first().map(|one| Value::default_of(one.sort()));
    fold(op, args)
        .or_else(by_zero)
        .ok_or_else(|| "an operator without a value".into())
}

/// Values with the valuations that have them.
#[derive(Default)]
struct Collected {
    list: Vec<(Value, Set)>,
    places: FxHashMap<Value, usize>,
}

impl Collected {
    fn add(&mut self, value: Value, set: Set) -> Answer<()> {
        if set.is_empty() {
            return Ok(());
        }
        match self.places.get(&value) {
            Some(at) => self.list[*at].1 = self.list[*at].1.or(&set)?,
            None => {
                self.places.insert(value.clone(), self.list.len());
                self.list.push((value, set));
            }
        }
        Ok(())
    }

    fn of(self, sort: Sort, diagrams: &Diagrams) -> Answer<Meaning> {
        if sort != Sort::Bool {
            return Ok(Meaning::Values(self.list));
        }
        let truth = self.list.into_iter();
        let mut truth = truth.filter(|(value, _)| *value == Value::Bool(true));
        let set = truth.next().map_or_else(|| diagrams.no(), |(_, set)| set);
        Ok(Meaning::Truth(set))
    }
}

/// The values that a variable may have.
fn domain(variable: &Variable, limit: Option<(i128, i128)>) -> Answer<Vec<Value>> {
    let many = || format!("`{}` has too many values", variable.name);
    let integers = |low: i64, high: i64| -> Answer<Vec<Value>> {
        match high.checked_sub(low) {
            Some(width) if (0..VALUES as i64).contains(&width) => {
                Ok((low..=high).map(|one| Value::Int(one.into())).collect())
            }
            _ => Err(many()),
        }
    };
    match variable.sort() {
        Sort::Bool => Ok([false, true].map(Value::Bool).into()),
        Sort::Enum(sort) => {
            let count = sort.values().len() as u32;
            Ok((0..count).map(|at| Value::Enum(sort, at)).collect())
        }
        Sort::BitVec(width) if width <= 16 => {
            let codes = 0..1u64 << width;
            Ok(codes
                .map(|code| Value::BitVec(BitVec::new(width, code.into())))
                .collect())
        }
        Sort::Int => match (limit, &variable.bounds) {
            (Some((low, high)), _) => integers(
                low.try_into().map_err(|_| many())?,
                high.try_into().map_err(|_| many())?,
            ),
            (None, Some(Bounds { low, high })) => {
                let number = |one: &Rational| one.to_i64().ok_or_else(many);
                integers(number(low)?, number(high)?)
            }
            (None, None) => Err(many()),
        },
        Sort::BitVec(_) | Sort::Real => Err(many()),
    }
}
