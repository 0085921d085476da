//! What two systems are about: variables that only one declares, or that are not of the same type.
//!
//! A type is a sort and, of integers, the least and the greatest value. Whether a variable comes from outside
//! is part of it: a value that labels a step is no part of a state. A set of integers with holes is a
//! constraint, and is compared as one.

use proofmark_model::{Role, Sort, System, Term, Variable};
use std::fmt;

/// What a system declares of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    sort: Sort,
    range: Option<(String, String)>,
    is_input: bool,
    /// How many there are, where they have no names.
    count: Option<usize>,
}

impl Declared {
    /// What is observed: only its sort matters.
    pub(super) fn observed(term: Term) -> Declared {
        Declared {
            sort: term.sort(),
            range: None,
            is_input: false,
            count: None,
        }
    }

    /// So many bits.
    pub(super) fn count(count: usize) -> Declared {
        Declared {
            sort: Sort::Bool,
            range: None,
            is_input: false,
            count: Some(count),
        }
    }

    pub(super) fn of(variable: &Variable) -> Declared {
        let bounds = variable.bounds.as_ref();
        Declared {
            sort: variable.sort(),
            range: bounds.map(|one| (one.low.to_string(), one.high.to_string())),
            is_input: variable.role == Role::Input,
            count: None,
        }
    }
}

impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(count) = self.count {
            return write!(f, "{count} of them");
        }
        if self.is_input {
            f.write_str("an input, ")?;
        }
        match (&self.range, self.sort) {
            (Some((low, high)), _) => write!(f, "{low}..{high}"),
            (None, Sort::Enum(sort)) => write!(f, "{{{}}}", sort.values().join(", ")),
            (None, Sort::Bool) => f.write_str("a Boolean"),
            (None, Sort::BitVec(width)) => write!(f, "a word of {width} bits"),
            (None, Sort::Int) => f.write_str("an integer"),
            (None, Sort::Real) => f.write_str("a real number"),
        }
    }
}

/// A variable that is not the same in both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableDifference {
    /// The name.
    pub name: String,
    /// What it is in the first; nothing where it is not declared.
    pub first: Option<Declared>,
    /// What it is in the second.
    pub second: Option<Declared>,
}

/// The variables that are not the same in both, in the order of the declarations.
pub fn signature(first: &System, second: &System) -> Vec<VariableDifference> {
    let known = |system: &System, variable: &Variable| {
        system.variable_named(variable.name).map(Declared::of)
    };
    let added = second.variables().iter();
    let added = added.filter(|one| first.variable_named(one.name).is_none());
    let all = first.variables().iter().chain(added);
    let rows = all.map(|variable| VariableDifference {
        name: variable.name.to_string(),
        first: known(first, variable),
        second: known(second, variable),
    });
    rows.filter(|row| row.first != row.second).collect()
}
