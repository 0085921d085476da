//! Types as C on x86-64 Linux has them: sizes, layouts, promotions and conversions.
//!
//! Qualifiers are not kept: they change no value. Structures and enumerations are known by their position in
//! [`Types`], since two of them with the same fields are two types.

use super::syntax::{Integer, Rank};
use proofmark_model::Symbol;
use proofmark_model::program::{Field, Scalar, Type};
use std::rc::Rc;
use std::sync::Arc;

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum CType {
    Void,
    Bool,
    Integer(Integer),
    /// By its name and size.
    Float(&'static str, u64),
    /// What is not supported, by its name.
    Refused(&'static str),
    Pointer(Rc<CType>),
    Array(Rc<CType>, Option<u64>),
    Record(usize),
    Enum(usize),
    Function(Rc<Signature>),
}

/// What a function takes and returns.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Signature {
    pub result: CType,
    pub parameters: Vec<CType>,
    pub variadic: bool,
    /// Whether anything is said of the parameters.
    pub known: bool,
}

/// A structure or a union.
#[derive(Debug)]
pub(super) struct Record {
    /// With `struct` or `union`.
    pub name: String,
    pub is_union: bool,
    /// Nothing until they are given.
    pub fields: Option<Vec<RecordField>>,
    pub size: u64,
    pub align: u64,
}

#[derive(Clone, Debug)]
pub(super) struct RecordField {
    /// A field without a name is a record whose fields are the outer one's.
    pub name: Option<Symbol>,
    pub sort: CType,
    pub offset: u64,
    pub bits: Option<Bits>,
}

/// Where a bit-field is in the integer at its offset.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bits {
    pub shift: u32,
    pub width: u32,
}

#[derive(Debug)]
pub(super) struct Enumeration {
    pub name: String,
    pub names: Vec<(Arc<str>, i64)>,
    pub is_complete: bool,
}

/// The structures and enumerations of a program.
#[derive(Debug, Default)]
pub(super) struct Types {
    pub records: Vec<Record>,
    pub enums: Vec<Enumeration>,
}

pub(super) const INT: CType = integer(Rank::Int, true);
pub(super) const CHAR: CType = integer(Rank::Char, true);
pub(super) const LONG: CType = integer(Rank::Long, true);
pub(super) const SIZE: CType = integer(Rank::Long, false);

pub(super) const fn integer(rank: Rank, signed: bool) -> CType {
    CType::Integer(Integer { rank, signed })
}

/// The largest object that a program may have, in bytes.
pub(super) const LARGEST: u64 = 1 << 40;

impl Rank {
    pub fn bits(self) -> u8 {
        match self {
            Rank::Char => 8,
            Rank::Short => 16,
            Rank::Int => 32,
            Rank::Long | Rank::LongLong => 64,
        }
    }
}

impl CType {
    pub fn pointer(to: CType) -> CType {
        CType::Pointer(Rc::new(to))
    }

    pub fn is_integer(&self) -> bool {
        matches!(self, CType::Bool | CType::Integer(_) | CType::Enum(_))
    }

    pub fn is_scalar(&self) -> bool {
        self.is_integer() || matches!(self, CType::Pointer(_))
    }

    /// What an array or a function becomes where its value is asked for.
    pub fn decayed(&self) -> CType {
        match self {
            CType::Array(element, _) => CType::Pointer(element.clone()),
            CType::Function(_) => CType::pointer(self.clone()),
            other => other.clone(),
        }
    }

    /// What is not supported about values of it, by its name.
    pub fn refusal(&self) -> Option<&'static str> {
        match self {
            CType::Float(..) => Some("floating point"),
            CType::Refused(what) => Some(what),
            CType::Array(element, _) => element.refusal(),
            _ => None,
        }
    }
}

impl Types {
    /// The number of bytes; nothing where it is not known.
    pub fn size(&self, sort: &CType) -> Option<u64> {
        match sort {
            CType::Void | CType::Function(_) | CType::Refused(_) => None,
            CType::Bool => Some(1),
            CType::Integer(of) => Some(u64::from(of.rank.bits()) / 8),
            CType::Float(_, size) => Some(*size),
            CType::Pointer(_) => Some(8),
            CType::Array(element, count) => {
                let size = self.size(element)?.checked_mul((*count)?)?;
                Some(size).filter(|size| *size <= LARGEST)
            }
            CType::Record(of) => {
                let record = &self.records[*of];
                record.fields.as_ref().map(|_| record.size)
            }
            CType::Enum(_) => Some(4),
        }
    }

    pub fn align(&self, sort: &CType) -> u64 {
        match sort {
            CType::Array(element, _) => self.align(element),
            CType::Record(of) => self.records[*of].align,
            other => self.size(other).unwrap_or(1).max(1),
        }
    }

    /// How a value is computed with; nothing for what is no scalar.
    pub fn scalar(&self, sort: &CType) -> Option<Scalar> {
        match sort {
            CType::Bool => Some(Scalar::BOOLEAN),
            CType::Integer(of) => Some(Scalar::Integer {
                bits: of.rank.bits(),
                signed: of.signed,
            }),
            CType::Enum(of) => Some(Scalar::Integer {
                bits: 32,
                signed: self.is_signed_enum(*of),
            }),
            CType::Pointer(_) => Some(Scalar::Pointer),
            _ => None,
        }
    }

    fn is_signed_enum(&self, of: usize) -> bool {
        self.enums[of].names.iter().any(|(_, value)| *value < 0)
    }

    /// The integer type of an integer.
    pub fn integer_of(&self, sort: &CType) -> Option<Integer> {
        match sort {
            CType::Integer(of) => Some(*of),
            CType::Bool => Some(Integer {
                rank: Rank::Char,
                signed: false,
            }),
            CType::Enum(of) => Some(Integer {
                rank: Rank::Int,
                signed: self.is_signed_enum(*of),
            }),
            _ => None,
        }
    }

    /// C11 6.3.1.1: what is smaller than `int` becomes `int`.
    pub fn promoted(&self, sort: &CType) -> Option<Integer> {
        let of = self.integer_of(sort)?;
        Some(match of.rank < Rank::Int {
            true => Integer {
                rank: Rank::Int,
                signed: true,
            },
            false => of,
        })
    }

    /// C11 6.3.1.8: the type in which both are computed with.
    pub fn common(&self, one: &CType, other: &CType) -> Option<Integer> {
        let (one, other) = (self.promoted(one)?, self.promoted(other)?);
        let (low, high) = match one.rank <= other.rank {
            true => (one, other),
            false => (other, one),
        };
        let signed = match (low.signed, high.signed) {
            (same, high) if same == high => same,
            (true, false) => false,
            _ if low.rank == high.rank => false,
            // `long long` is no wider than `long`.
            _ => high.rank.bits() > low.rank.bits(),
        };
        let rank = high.rank;
        Some(Integer { rank, signed })
    }

    /// The layout, for people.
    pub fn layout(&self, sort: &CType) -> Arc<Type> {
        self.layout_within(sort, 0)
    }

    fn layout_within(&self, sort: &CType, depth: usize) -> Arc<Type> {
        let size = self.size(sort).unwrap_or(0);
        Arc::new(match sort {
            CType::Bool => Type::Boolean,
            CType::Integer(of) => Type::Integer {
                bits: of.rank.bits(),
                signed: of.signed,
            },
            CType::Enum(of) => Type::Enumeration {
                bits: 32,
                signed: self.is_signed_enum(*of),
                names: self.enums[*of].names.clone(),
            },
            CType::Pointer(_) => Type::Pointer {
                name: self.name(sort).into(),
            },
            CType::Array(element, Some(count)) if depth < 50 => Type::Array {
                element: self.layout_within(element, depth + 1),
                count: *count,
            },
            CType::Record(of) if depth < 50 => {
                let record = &self.records[*of];
                let fields = record.fields.iter().flatten();
                let fields = fields.filter(|field| field.bits.is_none());
                let fields = fields.map(|field| Field {
                    name: field.name.map_or("", Symbol::as_str).into(),
                    offset: field.offset,
                    sort: self.layout_within(&field.sort, depth + 1),
                });
                Type::Record {
                    name: record.name.clone().into(),
                    fields: fields.collect(),
                    size: record.size,
                }
            }
            _ => Type::Bytes(size),
        })
    }

    /// The type as the source may write it.
    pub fn name(&self, sort: &CType) -> String {
        match sort {
            CType::Void => "void".to_string(),
            CType::Bool => "_Bool".to_string(),
            CType::Integer(of) => integer_name(*of).to_string(),
            CType::Float(name, _) => (*name).to_string(),
            CType::Refused(what) => (*what).to_string(),
            CType::Record(of) => self.records[*of].name.clone(),
            CType::Enum(of) => self.enums[*of].name.clone(),
            CType::Pointer(to) => match &**to {
                CType::Function(of) => format!("{} (*)({})", self.name(&of.result), self.names(of)),
                CType::Array(element, count) => {
                    format!("{} (*)[{}]", self.name(element), count_text(*count))
                }
                CType::Pointer(_) => format!("{}*", self.name(to)),
                to => format!("{} *", self.name(to)),
            },
            CType::Array(element, count) => {
                format!("{}[{}]", self.name(element), count_text(*count))
            }
            CType::Function(of) => format!("{} ({})", self.name(&of.result), self.names(of)),
        }
    }

    fn names(&self, of: &Signature) -> String {
        let names: Vec<String> = of.parameters.iter().map(|one| self.name(one)).collect();
        names.join(", ")
    }

    /// A field, also one of a record without a name within: what leads there, from the outside.
    pub fn field(&self, record: usize, name: Symbol) -> Option<(u64, RecordField)> {
        let fields = self.records[record].fields.as_ref()?;
        for field in fields {
            if field.name == Some(name) {
                return Some((field.offset, field.clone()));
            }
            if let (None, CType::Record(within)) = (field.name, &field.sort)
                && let Some((offset, found)) = self.field(*within, name)
            {
                return Some((field.offset + offset, found));
            }
        }
        None
    }

    /// Lays out the fields of a record.
    pub fn lay_out(&mut self, of: usize, fields: Vec<RecordField>, packed: bool) {
        let is_union = self.records[of].is_union;
        // Bits from the beginning.
        let (mut at, mut size, mut align) = (0u64, 0u64, 1u64);
        let mut laid = Vec::new();
        for mut field in fields {
            let bytes = self.size(&field.sort).unwrap_or(0);
            let needed = if packed { 1 } else { self.align(&field.sort) };
            let unit = bytes * 8;
            if is_union {
                at = 0;
            }
            match &mut field.bits {
                // Without a width the next field begins a new unit.
                Some(bits) if bits.width == 0 => {
                    at = at.next_multiple_of(unit.max(8));
                    continue;
                }
                Some(bits) => {
                    let width = u64::from(bits.width);
                    if at % unit + width > unit {
                        at = at.next_multiple_of(unit);
                    }
                    field.offset = at / unit * bytes;
                    bits.shift = (at % unit) as u32;
                    at += width;
                }
                None => {
                    at = at.next_multiple_of(needed * 8);
                    field.offset = at / 8;
                    at = at.saturating_add(unit);
                }
            }
            if field.bits.is_none() || field.name.is_some() {
                align = align.max(needed);
            }
            size = size.max(at.div_ceil(8));
            laid.push(field);
        }
        // A bit-field without a name is only room.
        laid.retain(|field| field.bits.is_none() || field.name.is_some());
        let record = &mut self.records[of];
        record.fields = Some(laid);
        record.align = align;
        record.size = size.next_multiple_of(align);
    }
}

fn count_text(count: Option<u64>) -> String {
    count.map_or(String::new(), |count| count.to_string())
}

fn integer_name(of: Integer) -> &'static str {
    match (of.rank, of.signed) {
        (Rank::Char, true) => "char",
        (Rank::Char, false) => "unsigned char",
        (Rank::Short, true) => "short",
        (Rank::Short, false) => "unsigned short",
        (Rank::Int, true) => "int",
        (Rank::Int, false) => "unsigned int",
        (Rank::Long, true) => "long",
        (Rank::Long, false) => "unsigned long",
        (Rank::LongLong, true) => "long long",
        (Rank::LongLong, false) => "unsigned long long",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_integers_are_computed_with_as_int() {
        let types = Types::default();
        let common = |one: CType, other: CType| types.common(&one, &other).map(CType::Integer);
        let unsigned = |rank| integer(rank, false);
        assert_eq!(common(CHAR, unsigned(Rank::Short)), Some(INT));
        assert_eq!(common(INT, unsigned(Rank::Int)), Some(unsigned(Rank::Int)));
        assert_eq!(common(LONG, unsigned(Rank::Int)), Some(LONG));
        let longer = integer(Rank::LongLong, true);
        assert_eq!(common(longer, SIZE), Some(unsigned(Rank::LongLong)));
        assert_eq!(common(CType::Bool, CType::Bool), Some(INT));
    }

    #[test]
    fn fields_are_laid_out_as_on_linux() {
        let mut types = Types::default();
        types.records.push(Record {
            name: "struct s".into(),
            is_union: false,
            fields: None,
            size: 0,
            align: 1,
        });
        let field = |name, sort, width: Option<u32>| RecordField {
            name: Some(Symbol::new(name)),
            sort,
            offset: 0,
            bits: width.map(|width| Bits { shift: 0, width }),
        };
        let fields = vec![
            field("a", CHAR, None),
            field("b", LONG, None),
            field("c", INT, Some(5)),
            field("d", INT, Some(28)),
            field("e", CHAR, None),
        ];
        types.lay_out(0, fields, false);
        let laid = types.records[0].fields.clone().unwrap();
        let places: Vec<u64> = laid.iter().map(|one| one.offset).collect();
        assert_eq!(places, [0, 8, 16, 20, 24]);
        assert_eq!((types.records[0].size, types.records[0].align), (32, 8));
    }
}
