//! The least and the greatest value that a variable's type allows.
//!
//! The value of an unguarded `pre` at the first step is arbitrary, but it is a value of its type. A
//! choice of bounded type is read through [`Bounds::clamp`]: the variable itself stays free, and
//! whatever value it has, what is read lies within the bounds, and every value within them can be
//! read. So no solver, simulator, mutant or certificate needs a constraint that could be forgotten.

use crate::expr::{Expr, Operator};
use crate::number::Rational;
use crate::term::{Op, Symbol, Term};
use crate::value::Value;
use rustc_hash::FxHashSet;

/// Two integers, the first not above the second.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The least value, included.
    pub low: Rational,
    /// The greatest value, included.
    pub high: Rational,
}

impl Bounds {
    /// The bounds of whatever lies within one or the other.
    #[must_use]
    pub fn join(&self, other: &Bounds) -> Bounds {
        Bounds {
            low: self.low.clone().min(other.low.clone()),
            high: self.high.clone().max(other.high.clone()),
        }
    }

    /// The value within the bounds that is nearest to a term's.
    pub fn clamp(&self, term: Term) -> Term {
        let [low, high] =
            [&self.low, &self.high].map(|end| Term::constant(Value::Int(end.clone())));
        let below = term.le(high).ite(term, high);
        low.le(term).ite(below, low)
    }

    /// As [`Bounds::clamp`], of a value; one that is no integer stays as it is.
    pub fn clamp_value(&self, value: Value) -> Value {
        match value {
            Value::Int(number) => Value::Int(number.max(self.low.clone()).min(self.high.clone())),
            other => other,
        }
    }

    /// The bounds of whatever has one of these terms as its value, when `of` says those of the
    /// variables. A conditional has the bounds of its branches, in which a constant is its own. All
    /// else, constants alone included, is any integer, as its type is.
    pub(crate) fn of_terms(terms: &[Term], of: impl Fn(Term) -> Option<Bounds>) -> Option<Bounds> {
        let mut leaves = Leaves::default();
        let mut seen = FxHashSet::default();
        let mut stack = terms.to_vec();
        while let Some(term) = stack.pop() {
            match (term.op(), term.args(), term.as_const()) {
                _ if !seen.insert(term) => {}
                (Op::Ite, [_, then, otherwise], _) => stack.extend([*then, *otherwise]),
                (_, _, Some(value)) => leaves.add_constant(value)?,
                _ => leaves.add(of(term)?),
            }
        }
        leaves.bounds()
    }

    /// As for terms, of a tree; the value of `a -> b` is that of `a` or of `b`, and `pre a` is one
    /// that `a` had.
    pub fn of_tree(tree: &Expr, of: impl Fn(Symbol) -> Option<Bounds>) -> Option<Bounds> {
        let mut leaves = Leaves::default();
        let mut seen = FxHashSet::default();
        let mut stack = vec![tree];
        while let Some(node) = stack.pop() {
            match (node.operator(), node.args()) {
                _ if !seen.insert(node.address()) => {}
                (Operator::IfThenElse, [_, values @ ..])
                | (Operator::Arrow | Operator::Pre | Operator::Named(_), values) => {
                    stack.extend(values);
                }
                (Operator::Constant(value), _) => leaves.add_constant(value)?,
                (Operator::Variable(name), _) => leaves.add(of(*name)?),
                _ => return None,
            }
        }
        leaves.bounds()
    }
}

/// What the value of an expression may be one of.
#[derive(Default)]
struct Leaves {
    joined: Option<Bounds>,
    /// Whether there is more than constants.
    variable: bool,
}

impl Leaves {
    fn join(&mut self, bounds: Bounds) {
        self.joined = Some(match &self.joined {
            Some(joined) => joined.join(&bounds),
            None => bounds,
        });
    }

    fn add(&mut self, bounds: Bounds) {
        self.variable = true;
        self.join(bounds);
    }

    /// Nothing but integers has bounds.
    fn add_constant(&mut self, value: &Value) -> Option<()> {
        let Value::Int(number) = value else {
            return None;
        };
        self.join(Bounds {
            low: number.clone(),
            high: number.clone(),
        });
        Some(())
    }

    fn bounds(self) -> Option<Bounds> {
        self.joined.filter(|_| self.variable)
    }
}
