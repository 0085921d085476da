//! Terms at a step: `x` at step 3 is the variable `x@3`.
//!
//! Engines unroll the same few terms over and over. The [`Unroller`] therefore remembers, for each
//! step, what every part of a term became; instantiating an element once more, or one that shares
//! parts with it, costs one lookup. Renaming variables one to one keeps a term simplified, so the
//! copies are made without simplifying again.

use crate::system::{System, Variable};
use crate::term::{Op, Symbol, Term};
use rustc_hash::FxHashMap;

/// Rebuilds a term from its variables up, with a stack of its own; `known` remembers what every
/// part became and may be filled beforehand.
pub fn rename(
    root: Term,
    known: &mut FxHashMap<Term, Term>,
    mut leaf: impl FnMut(Term) -> Term,
) -> Term {
    let mut stack = vec![root];
    while let Some(&term) = stack.last() {
        if known.contains_key(&term) {
            stack.pop();
            continue;
        }
        let before = stack.len();
        stack.extend(term.args().iter().filter(|arg| !known.contains_key(arg)));
        if stack.len() > before {
            continue;
        }
        let renamed = match term.op() {
            Op::Var(_) => leaf(term),
            _ if term.args().is_empty() => term,
            _ => {
                let args: Vec<Term> = term.args().iter().map(|arg| known[arg]).collect();
                term.over(&args)
            }
        };
        known.insert(term, renamed);
        stack.pop();
    }
    known[&root]
}

/// Instantiates terms of one system at steps.
#[derive(Clone, Debug, Default)]
pub struct Unroller {
    /// The name of a variable, and whether the term reads it one step back.
    variables: FxHashMap<Term, (Symbol, Time)>,
    /// What each term became, by step; the first entry is step -1.
    steps: Vec<FxHashMap<Term, Term>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Time {
    Current,
    Previous,
}

impl Unroller {
    /// Knows the variables of the system, and has built no step.
    pub fn new(system: &System) -> Unroller {
        let mut unroller = Unroller::default();
        for variable in system.variables() {
            unroller.declare(variable);
        }
        unroller
    }

    /// Takes in a variable that the system did not have, such as one of a mutant.
    pub fn declare(&mut self, variable: &Variable) {
        let entry = |time| (variable.name, time);
        self.variables
            .insert(variable.current, entry(Time::Current));
        self.variables
            .insert(variable.previous, entry(Time::Previous));
    }

    /// The term at a step: a current variable becomes `name@step`, a previous one
    /// `name@(step - 1)`, and a variable that the system does not have, such as an activation
    /// literal, stays. Step 0 is the first; a step part at step 0 reads the state `name@-1`, which
    /// is what induction from an arbitrary state wants.
    pub fn at(&mut self, term: Term, step: u32) -> Term {
        let index = step as usize;
        if self.steps.len() <= index {
            self.steps.resize_with(index + 1, FxHashMap::default);
        }
        let variables = &self.variables;
        rename(term, &mut self.steps[index], |variable| {
            let Some(&(name, time)) = variables.get(&variable) else {
                return variable;
            };
            let step = match time {
                Time::Current => i64::from(step),
                Time::Previous => i64::from(step) - 1,
            };
            Term::var(&format!("{name}@{step}"), variable.sort())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;
    use crate::sort::Sort;
    use crate::system::Role;

    fn counter() -> (System, Term, Term) {
        let origin = Origin::generated();
        let mut system = System::default();
        let x = Variable::new("x", Sort::Int, Role::Local, origin);
        system.declare(x.clone()).unwrap();
        (system, x.current, x.previous)
    }

    #[test]
    fn a_step_reads_the_state_before_it() {
        let (system, x, before) = counter();
        let mut unroller = Unroller::new(&system);
        let step = x.eq(Term::add(&[before, Term::int(1)]));
        assert_eq!(
            format!("{:?}", unroller.at(step, 3)),
            "(eq x@3 (add x@2 1))"
        );
        assert_eq!(
            format!("{:?}", unroller.at(step, 0)),
            "(eq x@0 (add x@-1 1))"
        );
    }

    #[test]
    fn a_variable_that_the_system_does_not_have_stays() {
        let (system, x, _) = counter();
        let activation = Term::var("activation", Sort::Bool);
        let guarded = activation.implies(x.eq(Term::int(0)));
        let unrolled = Unroller::new(&system).at(guarded, 7);
        assert_eq!(format!("{unrolled:?}"), "(or (not activation) (eq x@7 0))");
    }

    #[test]
    fn a_term_a_million_deep_unrolls() {
        let (system, x, _) = counter();
        let f = crate::Function::new("deep", vec![Sort::Int], Sort::Int);
        let deep = (0..1_000_000).fold(x, |term, _| Term::apply(f, &[term]));
        let mut unroller = Unroller::new(&system);
        let first = unroller.at(deep, 1);
        assert_ne!(first, deep);
        assert_eq!(unroller.at(deep, 1), first);
    }
}
