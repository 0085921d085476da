//! What an expression is once names are resolved: a typed tree, a set of such, or an array.

use num_bigint::BigInt;
use proofmark_model::{EnumSort, Expr, Sort};
use std::rc::Rc;

/// What a variable may be.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Domain {
    Boolean,
    /// Both ends included.
    Range(i64, i64),
    /// In order.
    Integers(Vec<i64>),
    /// Names, and maybe numbers between them.
    Symbols(EnumSort),
    Word {
        signed: bool,
        width: u32,
    },
}

impl Domain {
    /// The sort of its values.
    pub fn sort(&self) -> Sort {
        match self {
            Domain::Boolean => Sort::Bool,
            Domain::Range(..) | Domain::Integers(_) => Sort::Int,
            Domain::Symbols(sort) => Sort::Enum(*sort),
            Domain::Word { width, .. } => Sort::BitVec(*width),
        }
    }

    /// The least and the greatest integer.
    pub fn range(&self) -> Option<(i128, i128)> {
        match self {
            Domain::Range(low, high) => Some((i128::from(*low), i128::from(*high))),
            Domain::Integers(values) => {
                let (low, high) = (values.first()?, values.last()?);
                Some((i128::from(*low), i128::from(*high)))
            }
            _ => None,
        }
    }
}

/// One value.
#[derive(Clone, Debug)]
pub(super) struct One {
    pub tree: Expr,
    /// Of a word, whether it is signed.
    pub signed: bool,
    /// Of an integer, what it lies between.
    pub range: (i128, i128),
    /// What may be wrong with it: the position of a fault, and when it happens. Each fault is there once.
    pub faults: Vec<(usize, Expr)>,
}

impl One {
    /// The sort of the tree.
    pub fn sort(&self) -> Sort {
        self.tree.sort()
    }

    /// The number, of an integer that is always the same.
    pub fn constant(&self) -> Option<i128> {
        let (low, high) = self.range;
        (self.sort() == Sort::Int && low == high).then_some(low)
    }

    /// As messages say it.
    pub fn kind(&self) -> String {
        match self.sort() {
            Sort::Bool => "boolean".to_string(),
            Sort::Int | Sort::Real => "integer".to_string(),
            Sort::BitVec(width) if self.signed => format!("signed word[{width}]"),
            Sort::BitVec(width) => format!("unsigned word[{width}]"),
            Sort::Enum(_) => "symbolic".to_string(),
        }
    }
}

/// What an expression means.
#[derive(Clone, Debug)]
pub(super) enum Value {
    One(One),
    /// Any of these.
    Any(Vec<Value>),
    /// The first whose condition is true, at least one of which is a set.
    Cases(Rc<Cases>),
    /// From an index on.
    Array(i64, Rc<Vec<Value>>),
    /// An instance, which only a parameter can be.
    Instance,
}

/// A conditional with sets in it.
#[derive(Clone, Debug)]
pub(super) struct Cases {
    pub branches: Vec<(One, Value)>,
    /// Nothing where the last condition is true whenever no other is.
    pub otherwise: Option<Value>,
}

/// Whether a number is one that a range may have.
pub(super) fn small(number: &BigInt) -> Option<i64> {
    i64::try_from(number)
        .ok()
        .filter(|value| value.unsigned_abs() < 1 << 62)
}
