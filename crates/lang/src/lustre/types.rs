//! Types: interned, with the scalars that each is made of.
//!
//! A model has scalars only, so a value of a record or an array is the list of its scalars in order:
//! fields as declared, elements from index 0. A [`TypeId`] stands for one type; aliases are gone.
//! A subrange matters where a variable is declared and nowhere else, so that expressions have
//! *plain* types, in which every subrange is `int`.

use proofmark_model::{EnumSort, Rational, Sort, Symbol};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct TypeId(u32);

impl TypeId {
    /// The type of what was found wrong before; it fits everywhere.
    pub const UNKNOWN: TypeId = TypeId(0);
    pub const BOOL: TypeId = TypeId(1);
    pub const INT: TypeId = TypeId(2);
    pub const REAL: TypeId = TypeId(3);
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Type {
    Unknown,
    Bool,
    Int,
    Real,
    Subrange(Rational, Rational),
    Enum(EnumSort),
    /// By its number: records of one shape and two names are two types. The plain form of a record
    /// has its number too.
    Record(u32, Plainness),
    Array(TypeId, u32),
    Tuple(Vec<TypeId>),
}

/// Whether a record's fields are as declared or with subranges read as `int`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Plainness {
    Declared,
    Plain,
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    pub name: Symbol,
    pub of: TypeId,
    /// How many scalars stand before it.
    pub offset: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Record {
    pub name: Symbol,
    pub fields: Vec<Field>,
}

/// One scalar of a type.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// What comes after the variable's name: `.f`, `[2]`, or nothing.
    pub suffix: String,
    pub sort: Sort,
    pub range: Option<(Rational, Rational)>,
}

/// Why a type cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TooLarge {
    Scalars,
    Depth,
}

/// Types are nested at most so deep, since the names of scalars grow with each level.
pub(super) const DEEPEST: u32 = 200;
/// A type has at most so many scalars.
pub(super) const MOST_SCALARS: usize = 1 << 20;

#[derive(Debug)]
struct Entry {
    of: Type,
    plain: TypeId,
    size: usize,
    depth: u32,
    leaves: Option<Arc<[Leaf]>>,
}

/// All types of a program.
#[derive(Debug)]
pub(super) struct Types {
    entries: Vec<Entry>,
    known: FxHashMap<Type, TypeId>,
    /// As declared, and plain, by number.
    records: Vec<(Record, Record)>,
}

impl Types {
    pub fn new() -> Types {
        let mut types = Types {
            entries: Vec::new(),
            known: FxHashMap::default(),
            records: Vec::new(),
        };
        for of in [Type::Unknown, Type::Bool, Type::Int, Type::Real] {
            types.scalar(of);
        }
        types
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.entries[id.0 as usize].of
    }

    /// The type with every subrange read as `int`.
    pub fn plain(&self, id: TypeId) -> TypeId {
        self.entries[id.0 as usize].plain
    }

    /// How many scalars it has.
    pub fn size(&self, id: TypeId) -> usize {
        self.entries[id.0 as usize].size
    }

    pub fn record(&self, id: TypeId) -> Option<&Record> {
        match self.get(id) {
            Type::Record(number, Plainness::Declared) => Some(&self.records[*number as usize].0),
            Type::Record(number, Plainness::Plain) => Some(&self.records[*number as usize].1),
            _ => None,
        }
    }

    fn intern(&mut self, of: Type, plain: Option<TypeId>, size: usize, depth: u32) -> TypeId {
        if let Some(id) = self.known.get(&of) {
            return *id;
        }
        let id = TypeId(self.entries.len() as u32);
        self.known.insert(of.clone(), id);
        self.entries.push(Entry {
            of,
            plain: plain.unwrap_or(id),
            size,
            depth,
            leaves: None,
        });
        id
    }

    fn scalar(&mut self, of: Type) -> TypeId {
        self.intern(of, None, 1, 0)
    }

    pub fn enumeration(&mut self, sort: EnumSort) -> TypeId {
        self.scalar(Type::Enum(sort))
    }

    pub fn subrange(&mut self, low: Rational, high: Rational) -> TypeId {
        self.intern(Type::Subrange(low, high), Some(TypeId::INT), 1, 0)
    }

    pub fn array(&mut self, of: TypeId, length: u32) -> Result<TypeId, TooLarge> {
        let plain = self.plain(of);
        if plain != of {
            self.array(plain, length)?;
        }
        let entry = &self.entries[of.0 as usize];
        let size = entry.size.checked_mul(length as usize);
        let size = size.filter(|size| *size <= MOST_SCALARS);
        let size = size.ok_or(TooLarge::Scalars)?;
        let depth = entry.depth + 1;
        if depth > DEEPEST {
            return Err(TooLarge::Depth);
        }
        let plain = self.known.get(&Type::Array(plain, length)).copied();
        Ok(self.intern(Type::Array(of, length), plain, size, depth))
    }

    pub fn tuple(&mut self, parts: Vec<TypeId>) -> TypeId {
        if let [only] = parts[..] {
            return only;
        }
        let plain: Vec<TypeId> = parts.iter().map(|part| self.plain(*part)).collect();
        let size = parts.iter().map(|part| self.size(*part)).sum();
        let plain = self.intern(Type::Tuple(plain), None, size, 0);
        self.intern(Type::Tuple(parts), Some(plain), size, 0)
    }

    /// A new record type with these fields.
    pub fn new_record(
        &mut self,
        name: Symbol,
        fields: Vec<(Symbol, TypeId)>,
    ) -> Result<TypeId, TooLarge> {
        let (mut declared, mut plain) = (Vec::new(), Vec::new());
        let (mut size, mut depth) = (0, 0);
        for (name, of) in fields {
            let field = |of| Field {
                name,
                of,
                offset: size,
            };
            declared.push(field(of));
            plain.push(field(self.plain(of)));
            let entry = &self.entries[of.0 as usize];
            depth = depth.max(entry.depth + 1);
            size += entry.size;
            if size > MOST_SCALARS {
                return Err(TooLarge::Scalars);
            }
        }
        if depth > DEEPEST {
            return Err(TooLarge::Depth);
        }
        let number = self.records.len() as u32;
        let is_plain = declared.iter().zip(&plain).all(|(a, b)| a.of == b.of);
        let record = |fields| Record { name, fields };
        self.records.push((record(declared), record(plain)));
        let plain = Type::Record(number, Plainness::Plain);
        let plain = self.intern(plain, None, size, depth);
        if is_plain {
            return Ok(plain);
        }
        let declared = Type::Record(number, Plainness::Declared);
        Ok(self.intern(declared, Some(plain), size, depth))
    }

    /// The scalars of a type, in order.
    pub fn leaves(&mut self, id: TypeId) -> Arc<[Leaf]> {
        if let Some(leaves) = &self.entries[id.0 as usize].leaves {
            return Arc::clone(leaves);
        }
        // Recursion is as deep as types are, which is bounded.
        let mut leaves = Vec::new();
        match self.get(id).clone() {
            Type::Unknown | Type::Int => leaves.push(Leaf::new(Sort::Int)),
            Type::Bool => leaves.push(Leaf::new(Sort::Bool)),
            Type::Real => leaves.push(Leaf::new(Sort::Real)),
            Type::Enum(sort) => leaves.push(Leaf::new(Sort::Enum(sort))),
            Type::Subrange(low, high) => leaves.push(Leaf {
                range: Some((low, high)),
                ..Leaf::new(Sort::Int)
            }),
            Type::Record(..) => {
                let record = self.record(id).cloned();
                for field in record.iter().flat_map(|record| &record.fields) {
                    self.nest(&format!(".{}", field.name), field.of, &mut leaves);
                }
            }
            Type::Array(of, length) => {
                for index in 0..length {
                    self.nest(&format!("[{index}]"), of, &mut leaves);
                }
            }
            Type::Tuple(parts) => {
                for (index, part) in parts.into_iter().enumerate() {
                    self.nest(&format!("#{index}"), part, &mut leaves);
                }
            }
        }
        let leaves: Arc<[Leaf]> = leaves.into();
        self.entries[id.0 as usize].leaves = Some(Arc::clone(&leaves));
        leaves
    }

    fn nest(&mut self, prefix: &str, of: TypeId, leaves: &mut Vec<Leaf>) {
        let inner = self.leaves(of);
        leaves.extend(inner.iter().map(|leaf| Leaf {
            suffix: format!("{prefix}{}", leaf.suffix),
            ..leaf.clone()
        }));
    }

    /// What people call the type.
    pub fn name(&self, id: TypeId) -> String {
        match self.get(id) {
            Type::Unknown => "unknown".into(),
            Type::Bool => "bool".into(),
            Type::Int => "int".into(),
            Type::Real => "real".into(),
            Type::Subrange(low, high) => format!("subrange [{low}, {high}] of int"),
            Type::Enum(sort) => sort.name().into(),
            Type::Record(..) => {
                let record = self.record(id);
                record.map_or(String::new(), |record| record.name.to_string())
            }
            Type::Array(..) => {
                let (mut of, mut lengths) = (id, String::new());
                let mut dimensions = Vec::new();
                while let Type::Array(element, length) = self.get(of) {
                    dimensions.push(*length);
                    of = *element;
                }
                for length in dimensions.iter().rev() {
                    let _ = write!(lengths, "[{length}]");
                }
                format!("{}{lengths}", self.name(of))
            }
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.name(*part)).collect();
                format!("({})", parts.join(", "))
            }
        }
    }
}

impl Leaf {
    fn new(sort: Sort) -> Leaf {
        Leaf {
            suffix: String::new(),
            sort,
            range: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compound_types_are_lists_of_named_scalars() {
        let mut types = Types::new();
        let small = types.subrange(Rational::ZERO, Rational::new(3, 1));
        let pair = types.array(small, 2).unwrap();
        let fields = vec![(Symbol::new("a"), TypeId::BOOL), (Symbol::new("b"), pair)];
        let record = types.new_record(Symbol::new("r"), fields).unwrap();
        let suffixes: Vec<String> = types
            .leaves(record)
            .iter()
            .map(|leaf| leaf.suffix.clone())
            .collect();
        assert_eq!(suffixes, [".a", ".b[0]", ".b[1]"]);
        assert!(types.leaves(record)[2].range.is_some());
        let plain = types.plain(record);
        assert_ne!(plain, record);
        assert!(types.leaves(plain)[2].range.is_none());
        let matrix = types.array(pair, 5).unwrap();
        assert_eq!(types.name(matrix), "subrange [0, 3] of int[2][5]");
        assert_eq!(types.plain(matrix), {
            let ints = types.array(TypeId::INT, 2).unwrap();
            types.array(ints, 5).unwrap()
        });
    }

    #[test]
    fn types_too_large_to_write_out_are_refused() {
        let mut types = Types::new();
        let large = types.array(TypeId::INT, 1 << 20).unwrap();
        assert_eq!(types.array(large, 2), Err(TooLarge::Scalars));
        assert_eq!(types.array(TypeId::INT, u32::MAX), Err(TooLarge::Scalars));
        let mut deep = TypeId::INT;
        for _ in 0..DEEPEST {
            deep = types.array(deep, 1).unwrap();
        }
        assert_eq!(types.array(deep, 1), Err(TooLarge::Depth));
    }
}
