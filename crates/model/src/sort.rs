//! Sorts: what kind of value a term has.

use crate::intern::Interner;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The sort of a term or a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// True and false.
    Bool,
    /// The integers, without bounds.
    Int,
    /// The rational numbers, which stand for the reals.
    Real,
    /// Bit-vectors of a width of at least one.
    BitVec(u32),
    /// The values of an enumeration.
    Enum(EnumSort),
}

impl Sort {
    /// Whether it is integers or reals.
    pub fn is_arithmetic(self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }

    /// Whether it is bit-vectors.
    pub fn is_bits(self) -> bool {
        matches!(self, Sort::BitVec(_))
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => write!(f, "Bool"),
            Sort::Int => write!(f, "Int"),
            Sort::Real => write!(f, "Real"),
            Sort::BitVec(width) => write!(f, "(_ BitVec {width})"),
            Sort::Enum(sort) => write!(f, "{}", sort.name()),
        }
    }
}

/// An enumeration: a name and the names of its values, in order. Interned; two enumerations are
/// the same sort exactly when both agree.
#[derive(Clone, Copy)]
pub struct EnumSort(&'static EnumData);

#[derive(Clone, PartialEq, Eq, Hash)]
struct EnumData {
    name: String,
    values: Vec<String>,
}

static ENUMS: Interner<EnumData> = Interner::new();

impl EnumSort {
    /// Panics when there is no value: a sort is never empty.
    pub fn new(name: impl Into<String>, values: Vec<String>) -> EnumSort {
        assert!(
            !values.is_empty(),
            "an enumeration needs at least one value"
        );
        EnumSort(ENUMS.intern(&EnumData {
            name: name.into(),
            values,
        }))
    }

    /// The name in the source.
    pub fn name(self) -> &'static str {
        &self.0.name
    }

    /// The names of its values, in order.
    pub fn values(self) -> &'static [String] {
        &self.0.values
    }
}

impl PartialEq for EnumSort {
    fn eq(&self, other: &EnumSort) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for EnumSort {}

impl Hash for EnumSort {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}

impl fmt::Debug for EnumSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.name)
    }
}
