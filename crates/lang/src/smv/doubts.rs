//! Decides what the text leaves in doubt, before anything is checked: whether some state, reachable or
//! not, makes a value leave its type, a `case` fall through, a divisor zero.
//!
//! No solver is asked. Variables are given their values one after the other, the condition is simplified
//! each time, and what came up before is not looked at again: as a decision diagram would, without its
//! table. Conditions that come from guards and ranges are settled in a few steps. The work is limited;
//! what is not decided within it is said to be open.

use super::elaborate::Fault;
use super::flatten::Doubt;
use num_bigint::BigUint;
use proofmark_model::{
    BitVec, Equation, Expr, Model, Op, Origin, Phase, Reading, Sort, Symbol, Term, Value, Variable,
    When, lower,
};
use proofmark_source::{Diagnostic, Severity};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many terms may be built for one question.
const EFFORT: usize = 400_000;

/// The most values of a variable that is tried value by value.
const MOST_VALUES: i64 = 4_096;

/// A conjunct of so few variables is settled value by value.
const FEW: usize = 2;

/// What is certain is told as an error, what stays open as a warning.
pub(super) fn settle(
    model: &Model,
    doubts: Vec<Doubt>,
    faults: &[Fault],
    sets: &Sets,
) -> Vec<Diagnostic> {
    let alone = faults.iter().map(|fault| {
        let questions = fault.alone.iter().map(|tree| (tree, When::Later));
        let open = !fault.alone.is_empty()
            && decide(model, sets, questions)
                .iter()
                .all(|one| *one == Some(false));
        !open
    });
    let possible: Vec<bool> = alone.collect();
    let doubts: Vec<Doubt> = doubts
        .into_iter()
        .filter(|doubt| doubt.fault.is_none_or(|fault| possible[fault]))
        .collect();
    let answers = decide(
        model,
        sets,
        doubts.iter().map(|doubt| (&doubt.tree, doubt.when)),
    );
    let mut told = Vec::new();
    for (doubt, answer) in doubts.into_iter().zip(answers) {
        let mut diagnostic = doubt.diagnostic;
        match answer {
            Some(false) => continue,
            Some(true) => {}
            None => {
                diagnostic.severity = Severity::Warning;
                diagnostic.message = format!("could not be excluded: {}", diagnostic.message);
            }
        }
        told.push(diagnostic);
    }
    told
}

/// Whether some values of the variables make each condition true; nothing where that stays open.
fn decide<'t>(
    model: &Model,
    sets: &Sets,
    questions: impl Iterator<Item = (&'t Expr, When)>,
) -> Vec<Option<bool>> {
    let equations: Vec<Equation> = questions.map(|(tree, when)| question(tree, when)).collect();
    if equations.is_empty() {
        return Vec::new();
    }
    let scratch = Model {
        variables: model.variables.clone(),
        equations,
        node_ids: model.node_ids.clone(),
        ..Model::default()
    };
    let Ok(lowered) = lower(&scratch) else {
        return vec![None; scratch.equations.len()];
    };
    let mut search = Search::new(&scratch.variables, sets);
    let answers = lowered
        .system
        .ids()
        .zip(&scratch.equations)
        .map(|(id, equation)| {
            let phase = match equation.when {
                When::Later => Phase::Step,
                _ => Phase::Init,
            };
            let term = lowered.system.element(id).constraint(phase)?;
            search.effort = EFFORT;
            search.seen.clear();
            search.satisfiable(term)
        });
    answers.collect()
}

fn question(tree: &Expr, when: When) -> Equation {
    Equation {
        target: None,
        reading: Reading::Definition,
        when,
        tree: tree.clone(),
        origin: Origin::generated(),
    }
}

/// The values of integers whose types are no ranges.
pub(super) type Sets = FxHashMap<Symbol, Vec<i64>>;

struct Search<'a> {
    variables: FxHashMap<Term, &'a Variable>,
    sets: &'a Sets,
    supports: FxHashMap<Term, Vec<Term>>,
    seen: FxHashSet<Term>,
    effort: usize,
}

impl<'a> Search<'a> {
    fn new(variables: &'a [Variable], sets: &'a Sets) -> Search<'a> {
        let both = variables
            .iter()
            .flat_map(|one| [(one.current, one), (one.previous, one)]);
        Search {
            variables: both.collect(),
            sets,
            supports: FxHashMap::default(),
            seen: FxHashSet::default(),
            effort: EFFORT,
        }
    }

    /// Whether some values make a condition true; nothing when that is too hard to say.
    fn satisfiable(&mut self, root: Term) -> Option<bool> {
        let mut stack = vec![root];
        let mut open = false;
        while let Some(term) = stack.pop() {
            if term.is_true() {
                return Some(true);
            }
            if term.is_false() || !self.seen.insert(term) {
                continue;
            }
            if *term.op() == Op::Or {
                stack.extend(term.args());
                continue;
            }
            let parts = match term.op() {
                Op::And => term.args().to_vec(),
                _ => vec![term],
            };
            if let Some(both) = self.split(&parts) {
                stack.extend(both);
                continue;
            }
            let Some((variable, values)) = self.branch(parts) else {
                open = true;
                continue;
            };
            for value in values {
                let next = self.substitute(term, variable, value);
                stack.push(next?);
            }
        }
        if open { None } else { Some(false) }
    }

    /// Where every conjunct reads many variables: the two cases of one that is a conditional, or that
    /// compares one with a constant. The branches of a `case` are so looked at one by one.
    fn split(&mut self, parts: &[Term]) -> Option<[Term; 2]> {
        self.effort = self.effort.checked_sub(parts.len())?;
        if parts.iter().any(|part| self.support(*part).len() <= FEW) {
            return None;
        }
        parts.iter().enumerate().find_map(|(position, part)| {
            let (condition, then, otherwise) = cases(*part)?;
            let with = |condition: Term, value: Term| {
                let mut all = parts.to_vec();
                all[position] = value;
                all.push(condition);
                Term::and(&all)
            };
            Some([with(condition, then), with(condition.not(), otherwise)])
        })
    }

    /// The variable of the narrowest conjunct that has the fewest values, and these values.
    fn branch(&mut self, parts: Vec<Term>) -> Option<(Term, Vec<Term>)> {
        let supports: Vec<Vec<Term>> = parts.into_iter().map(|part| self.support(part)).collect();
        let narrow = supports.into_iter().filter(|support| !support.is_empty());
        let mut narrow: Vec<Vec<Term>> = narrow.collect();
        narrow.sort_by_key(Vec::len);
        narrow.into_iter().find_map(|support| {
            let candidates = support.into_iter().filter_map(|variable| {
                let values = self.values(variable)?;
                Some((variable, values))
            });
            candidates.min_by_key(|(variable, values)| (values.len(), variable.id()))
        })
    }

    fn values(&self, variable: Term) -> Option<Vec<Term>> {
        let of = self.variables.get(&variable)?;
        match variable.sort() {
            Sort::Bool => Some(vec![Term::bool(false), Term::bool(true)]),
            Sort::Enum(sort) => {
                let all = 0..sort.values().len() as u32;
                Some(
                    all.map(|at| Term::constant(Value::Enum(sort, at)))
                        .collect(),
                )
            }
            Sort::Int if self.sets.contains_key(&of.name) => {
                Some(self.sets[&of.name].iter().copied().map(Term::int).collect())
            }
            Sort::Int => {
                let bounds = of.bounds.as_ref()?;
                let (low, high) = (bounds.low.to_i64()?, bounds.high.to_i64()?);
                let few = high
                    .checked_sub(low)
                    .is_some_and(|width| width < MOST_VALUES);
                few.then(|| (low..=high).map(Term::int).collect())
            }
            Sort::BitVec(width) if width <= 10 => {
                let all = 0..1u32 << width;
                let value = |bits: u32| Value::BitVec(BitVec::new(width, BigUint::from(bits)));
                Some(all.map(|bits| Term::constant(value(bits))).collect())
            }
            _ => None,
        }
    }

    fn support(&mut self, root: Term) -> Vec<Term> {
        if let Some(known) = self.supports.get(&root) {
            return known.clone();
        }
        let mut seen = FxHashSet::default();
        let mut support = Vec::new();
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if seen.insert(term) {
                stack.extend(term.args());
                if term.as_var().is_some() {
                    support.push(term);
                }
            }
        }
        self.effort = self.effort.saturating_sub(seen.len() / 8);
        self.supports.insert(root, support.clone());
        support
    }

    fn substitute(&mut self, root: Term, variable: Term, value: Term) -> Option<Term> {
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        done.insert(variable, value);
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if done.contains_key(&term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(term.args().iter().filter(|arg| !done.contains_key(arg)));
            if stack.len() > before {
                continue;
            }
            self.effort = self.effort.checked_sub(1)?;
            let args: Vec<Term> = term.args().iter().map(|arg| done[arg]).collect();
            let made = match args == term.args() {
                true => term,
                false => Term::build(term.op().clone(), &args).ok()?,
            };
            done.insert(term, made);
            stack.pop();
        }
        Some(done[&root])
    }
}

/// A condition that is one thing or another: when, and what it is then and otherwise.
fn cases(part: Term) -> Option<(Term, Term, Term)> {
    let (inner, negated) = match (part.op(), part.args()) {
        (Op::Not, [inner]) => (*inner, true),
        _ => (part, false),
    };
    let rebuilt = |term: Term| if negated { term.not() } else { term };
    match (inner.op(), inner.args()) {
        (Op::Ite, [c, a, b]) => Some((*c, rebuilt(*a), rebuilt(*b))),
        (Op::Le | Op::Eq, [x, y]) => {
            let (choice, left) = match (x.op(), y.op()) {
                (Op::Ite, _) if y.as_const().is_some() => (*x, true),
                (_, Op::Ite) if x.as_const().is_some() => (*y, false),
                _ => return None,
            };
            let [c, a, b] = choice.args() else {
                return None;
            };
            let compare = |value: Term| {
                let args = if left { [value, *y] } else { [*x, value] };
                Term::build(inner.op().clone(), &args).ok().map(rebuilt)
            };
            Some((*c, compare(*a)?, compare(*b)?))
        }
        _ => None,
    }
}
