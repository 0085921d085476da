//! Layouts: how many bytes something takes, and how people are shown them.

use std::sync::Arc;

/// The layout of an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A truth value in one byte, 0 or 1.
    Boolean,
    /// An integer of 8, 16, 32 or 64 bits, little end first.
    Integer {
        /// Its width.
        bits: u8,
        /// Whether it is in two's complement.
        signed: bool,
    },
    /// One of named numbers.
    Enumeration {
        /// Its width.
        bits: u8,
        /// Whether it is in two's complement.
        signed: bool,
        /// The names, each with its number.
        names: Vec<(Arc<str>, i64)>,
    },
    /// An address of eight bytes.
    Pointer {
        /// As the source writes the type.
        name: Arc<str>,
    },
    /// Elements one after the other.
    Array {
        /// The layout of each.
        element: Arc<Type>,
        /// How many there are.
        count: u64,
    },
    /// Fields at offsets: a structure, or a union where they overlap.
    Record {
        /// As the source writes the type.
        name: Arc<str>,
        /// The fields.
        fields: Vec<Field>,
        /// How many bytes it takes, with padding.
        size: u64,
    },
    /// Bytes of which nothing is known.
    Bytes(u64),
}

/// A part of a record.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// Its name.
    pub name: Arc<str>,
    /// The offset of its first byte.
    pub offset: u64,
    /// Its layout.
    pub sort: Arc<Type>,
}

impl Type {
    /// The number of bytes.
    pub fn size(&self) -> u64 {
        match self {
            Type::Boolean => 1,
            Type::Integer { bits, .. } | Type::Enumeration { bits, .. } => u64::from(*bits) / 8,
            Type::Pointer { .. } => 8,
            Type::Array { element, count } => element.size().saturating_mul(*count),
            Type::Record { size, .. } | Type::Bytes(size) => *size,
        }
    }
}
