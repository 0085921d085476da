//! Initializers: what a list in braces says of which piece of an object (C11 6.7.9).
//!
//! The list is walked once, for objects that live all the time and for those of a block alike: it gives pieces,
//! each a place within the object and what goes there. The rest of the object is zero.

use super::constant::{Constant, known};
use super::operand::{Location, Operand};
use super::{Lowered, Lowerer, constant_of, variable_place};
use crate::c::syntax::{Designator, Expr, ExprKind, Initializer, InitializerItem, Width};
use crate::c::types::{Bits, CType, LARGEST, SIZE};
use proofmark_model::program::{
    Initial, InitialPiece, Lvalue, LvalueKind, Scalar, StatementKind, VariableId,
};
use proofmark_source::Span;
use std::rc::Rc;

/// What goes to a place within an object.
struct Piece {
    offset: u64,
    sort: CType,
    bits: Option<Bits>,
    what: What,
    span: Span,
}

enum What {
    Operand(Operand),
    Bytes(Vec<u8>),
}

/// A place within an object, for what comes next.
#[derive(Clone)]
struct Member {
    sort: CType,
    offset: u64,
    bits: Option<Bits>,
}

/// An aggregate whose members are given one after the other.
struct Cursor {
    sort: CType,
    offset: u64,
    next: u64,
}

/// How many pieces one object may have.
const MOST_PIECES: usize = 1 << 20;

impl Lowerer<'_> {
    /// Gives a global its value; returns its type, which an array may have got from the list.
    pub(super) fn static_value(
        &mut self,
        id: VariableId,
        sort: &CType,
        value: &Initializer,
        span: Span,
    ) -> Lowered<CType> {
        let (walked, made) = self.apart(|lowerer| lowerer.pieces(sort, value));
        let (sort, pieces) = walked?;
        if !made.is_empty() {
            let message = "the value of what lives all the time is not known before a run";
            return self.error(span, message, "take a constant, or assign it in a function");
        }
        let mut initial: Vec<InitialPiece> = Vec::new();
        for piece in pieces {
            self.static_piece(piece, &mut initial)?;
        }
        let variable = &mut self.program.variables[id.0 as usize];
        variable.initial = Initial::Known(initial);
        Ok(sort)
    }

    fn static_piece(&mut self, piece: Piece, initial: &mut Vec<InitialPiece>) -> Lowered<()> {
        let at = piece.offset;
        let operand = match piece.what {
            What::Bytes(bytes) => {
                initial.push(InitialPiece::Bytes(at, bytes));
                return Ok(());
            }
            What::Operand(operand) => operand,
        };
        if let (CType::Record(_), Operand::Place(place)) = (&piece.sort, &operand)
            && let LvalueKind::Variable(id) = place.at.kind
            && let Initial::Known(parts) = &self.program.variable(id).initial
        {
            // A compound literal as a member.
            let parts = parts.clone();
            initial.extend(parts.into_iter().map(|one| moved(one, at)));
            return Ok(());
        }
        let value = self.value(operand, piece.span)?;
        let value = self.assigned(value, &piece.sort, piece.span)?;
        let size = self.size_of(&piece.sort, piece.span)?;
        match (known(&value.expression), piece.bits) {
            (Some(Constant::Number(number)), None) => {
                let bytes = number.to_le_bytes()[..size as usize].to_vec();
                initial.push(InitialPiece::Bytes(at, bytes));
            }
            (Some(Constant::Number(number)), Some(bits)) => {
                static_bits(initial, at, bits, number);
            }
            (Some(Constant::Address(variable, offset)), _) => initial.push(InitialPiece::Address {
                at,
                variable,
                offset,
            }),
            (Some(Constant::Function(id)), _) => initial.push(InitialPiece::Function(at, id)),
            (None, _) => {
                let message = "the value of what lives all the time is not known before a run";
                return self.error(
                    piece.span,
                    message,
                    "take a constant, or assign it in a function",
                );
            }
        }
        Ok(())
    }

    /// Gives a variable of a block its value; returns its type.
    pub(super) fn automatic_value(
        &mut self,
        id: VariableId,
        sort: &CType,
        value: &Initializer,
        span: Span,
    ) -> Lowered<CType> {
        let (sort, pieces) = self.pieces(sort, value)?;
        let size = self.size_of(&sort, span)?;
        let covered: u64 = pieces.iter().map(|one| self.covered(one)).sum();
        if covered < size {
            let to = super::operand::address(variable_place(id, span), span);
            let value = constant_of(0, Scalar::unsigned(8), span);
            let size = constant_of(size, Scalar::unsigned(64), span);
            self.emit(StatementKind::FillBytes { to, value, size }, span);
        }
        for piece in pieces {
            let at = place_within(id, piece.offset, span);
            let to = Location {
                at,
                sort: piece.sort,
                bits: piece.bits,
            };
            match piece.what {
                What::Operand(operand) => self.assign_operand(&to, operand, piece.span)?,
                What::Bytes(bytes) => self.copy_text(&to, bytes, piece.span),
            }
        }
        Ok(sort)
    }

    fn covered(&self, piece: &Piece) -> u64 {
        match &piece.what {
            What::Bytes(bytes) => bytes.len() as u64,
            What::Operand(_) if piece.bits.is_some() => 0,
            What::Operand(_) => self.types.size(&piece.sort).unwrap_or(0),
        }
    }

    fn copy_text(&mut self, to: &Location, bytes: Vec<u8>, span: Span) {
        let size = constant_of(bytes.len() as u64, Scalar::unsigned(64), span);
        let from = self.text_variable(bytes, span);
        let from = super::operand::address(variable_place(from, span), span);
        let to = super::operand::address(to.at.clone(), span);
        self.emit(StatementKind::CopyBytes { to, from, size }, span);
    }

    fn pieces(&mut self, sort: &CType, value: &Initializer) -> Lowered<(CType, Vec<Piece>)> {
        let mut pieces = Vec::new();
        let member = Member {
            sort: sort.clone(),
            offset: 0,
            bits: None,
        };
        let counted = self.initialize(member, value, &mut pieces)?;
        let sort = match (sort, counted) {
            (CType::Array(element, None), Some(count)) => {
                CType::Array(element.clone(), Some(count))
            }
            _ => sort.clone(),
        };
        Ok((sort, pieces))
    }

    /// Initializes an object; returns how many elements an array was given.
    fn initialize(
        &mut self,
        member: Member,
        value: &Initializer,
        pieces: &mut Vec<Piece>,
    ) -> Lowered<Option<u64>> {
        match value {
            Initializer::Value(value) => {
                if let Some(bytes) = text_for(&member.sort, value) {
                    return Ok(Some(self.text_piece(member, bytes, value.span, pieces)));
                }
                let operand = self.operand(value)?;
                self.push(member, operand, value.span, pieces)?;
                Ok(None)
            }
            Initializer::List(items, span) => match &member.sort {
                CType::Array(..) | CType::Record(_) => self.list(member, items, *span, pieces),
                _ => match items.as_slice() {
                    [one] if one.designators.is_empty() => {
                        self.initialize(member, &one.value, pieces)
                    }
                    [] => {
                        let zero = Operand::Value(super::operand::Value {
                            expression: constant_of(0, Scalar::signed(32), *span),
                            sort: crate::c::types::INT,
                        });
                        self.push(member, zero, *span, pieces)?;
                        Ok(None)
                    }
                    _ => self.error(
                        *span,
                        "one value is needed, and a list is given",
                        "give one",
                    ),
                },
            },
        }
    }

    fn text_piece(
        &mut self,
        member: Member,
        mut bytes: Vec<u8>,
        span: Span,
        pieces: &mut Vec<Piece>,
    ) -> u64 {
        let CType::Array(element, count) = &member.sort else {
            return 0;
        };
        let width = self.types.size(element).unwrap_or(1).max(1);
        let found = bytes.len() as u64 / width;
        if let Some(count) = count {
            bytes.truncate((count * width) as usize);
        }
        let what = What::Bytes(bytes);
        pieces.push(piece(member, what, span));
        found
    }

    fn push(
        &mut self,
        member: Member,
        operand: Operand,
        span: Span,
        pieces: &mut Vec<Piece>,
    ) -> Lowered<()> {
        if pieces.len() >= MOST_PIECES {
            let message = format!("an object has more than {MOST_PIECES} pieces");
            return self.error(span, message, "assign them in a loop");
        }
        pieces.push(piece(member, What::Operand(operand), span));
        Ok(())
    }

    /// A list in braces for an array or a record.
    fn list(
        &mut self,
        member: Member,
        items: &[InitializerItem],
        span: Span,
        pieces: &mut Vec<Piece>,
    ) -> Lowered<Option<u64>> {
        // A text may stand in braces.
        if let [one] = items
            && let Initializer::Value(value) = &one.value
            && one.designators.is_empty()
            && text_for(&member.sort, value).is_some()
        {
            return self.initialize(member, &one.value, pieces);
        }
        let mut stack = vec![Cursor {
            sort: member.sort.clone(),
            offset: member.offset,
            next: 0,
        }];
        let mut most = 0;
        for item in items {
            let first = pieces.len();
            let (target, times) = match item.designators.is_empty() {
                true => (self.next_member(&mut stack, span)?, 1),
                false => self.designated(&mut stack, &item.designators)?,
            };
            let Some(target) = target else {
                self.warn(
                    span,
                    "more values are given than there are members",
                    "remove them",
                );
                break;
            };
            let step = self.types.size(&target.sort).unwrap_or(0);
            self.give(&mut stack, target, &item.value, pieces)?;
            self.repeat(pieces, first, step, times, span)?;
            most = most.max(stack[0].next);
        }
        let is_array = matches!(member.sort, CType::Array(..));
        Ok(is_array.then_some(most))
    }

    /// The same for the elements behind, as `[a ... b]` asks for.
    fn repeat(
        &mut self,
        pieces: &mut Vec<Piece>,
        first: usize,
        step: u64,
        times: u64,
        span: Span,
    ) -> Lowered<()> {
        let made = pieces.len() - first;
        if (made as u64).saturating_mul(times) > MOST_PIECES as u64 {
            let message = format!("an object has more than {MOST_PIECES} pieces");
            return self.error(span, message, "assign them in a loop");
        }
        for time in 1..times {
            for at in first..first + made {
                let one = &pieces[at];
                let what = match &one.what {
                    What::Operand(operand) => What::Operand(operand.clone()),
                    What::Bytes(bytes) => What::Bytes(bytes.clone()),
                };
                let again = Piece {
                    offset: one.offset + time * step,
                    sort: one.sort.clone(),
                    bits: one.bits,
                    what,
                    span: one.span,
                };
                pieces.push(again);
            }
        }
        Ok(())
    }

    /// Gives a value to a member, or to the members in it where braces are left out.
    fn give(
        &mut self,
        stack: &mut Vec<Cursor>,
        mut target: Member,
        value: &Initializer,
        pieces: &mut Vec<Piece>,
    ) -> Lowered<()> {
        let Initializer::Value(expr) = value else {
            return self.initialize(target, value, pieces).map(|_| ());
        };
        let mut operand = None;
        loop {
            if text_for(&target.sort, expr).is_some() {
                return self.initialize(target, value, pieces).map(|_| ());
            }
            let found = match operand.take() {
                Some(found) => found,
                None => self.operand(expr)?,
            };
            let whole = match &found {
                Operand::Place(place) => place.sort == target.sort,
                _ => false,
            };
            let aggregate = matches!(target.sort, CType::Array(..) | CType::Record(_));
            if whole && matches!(target.sort, CType::Record(_)) || !aggregate {
                return self.push(target, found, expr.span, pieces);
            }
            operand = Some(found);
            let mut cursor = Cursor {
                sort: target.sort.clone(),
                offset: target.offset,
                next: 0,
            };
            let Some(first) = self.member(&cursor, 0) else {
                return self.error(expr.span, "there is no member for this", "remove it");
            };
            cursor.next = 1;
            stack.push(cursor);
            target = first;
        }
    }

    /// The next member in the order of the object.
    fn next_member(&mut self, stack: &mut Vec<Cursor>, _: Span) -> Lowered<Option<Member>> {
        while let Some(cursor) = stack.last() {
            if let Some(found) = self.member(cursor, cursor.next) {
                if let Some(cursor) = stack.last_mut() {
                    cursor.next += 1;
                }
                return Ok(Some(found));
            }
            if stack.len() == 1 {
                return Ok(None);
            }
            stack.pop();
        }
        Ok(None)
    }

    /// A member by its position.
    fn member(&self, of: &Cursor, at: u64) -> Option<Member> {
        match &of.sort {
            CType::Array(element, count) => {
                let fits = count.is_none_or(|count| at < count);
                let size = self.types.size(element)?;
                let offset = of.offset.checked_add(size.checked_mul(at)?)?;
                (fits && offset <= LARGEST).then(|| Member {
                    sort: (**element).clone(),
                    offset,
                    bits: None,
                })
            }
            CType::Record(record) => {
                let record = &self.types.records[*record];
                let fields = record.fields.as_ref()?;
                let field = fields.get(at as usize)?;
                (!record.is_union || at == 0).then(|| Member {
                    sort: field.sort.clone(),
                    offset: of.offset + field.offset,
                    bits: field.bits,
                })
            }
            _ => None,
        }
    }

    /// What designators name, and for how many elements it is meant.
    fn designated(
        &mut self,
        stack: &mut Vec<Cursor>,
        designators: &[Designator],
    ) -> Lowered<(Option<Member>, u64)> {
        stack.truncate(1);
        let mut times = 1;
        let mut found: Option<Member> = None;
        for designator in designators {
            if let Some(member) = found.take() {
                stack.push(Cursor {
                    sort: member.sort,
                    offset: member.offset,
                    next: 0,
                });
            }
            let (position, last, span) = match designator {
                Designator::Index(at) => {
                    let index = self.constant(at)? as u64;
                    (index, index, at.span)
                }
                Designator::Range(low, high) => {
                    let first = self.constant(low)? as u64;
                    let last = self.constant(high)? as u64;
                    times = last.saturating_sub(first).saturating_add(1);
                    (first, last, low.span)
                }
                Designator::Field(name) => {
                    let Some(at) = self.field_position(stack, name.text) else {
                        let message = format!("there is no field `{}`", name.text);
                        return self.error(name.span, message, "name one that is there");
                    };
                    (at, at, name.span)
                }
            };
            found = self.designated_member(stack, position, last);
            if found.is_none() {
                return self.error(
                    span,
                    "there is no such element",
                    "take one within the array",
                );
            }
        }
        Ok((found, times))
    }

    fn designated_member(&mut self, stack: &mut [Cursor], at: u64, last: u64) -> Option<Member> {
        let cursor = stack.last_mut()?;
        cursor.next = last.checked_add(1)?;
        let cursor = stack.last()?;
        if let CType::Record(record) = &cursor.sort {
            // Any member of a union may be named.
            let field = self.types.records[*record]
                .fields
                .as_ref()?
                .get(at as usize)?;
            return Some(Member {
                sort: field.sort.clone(),
                offset: cursor.offset + field.offset,
                bits: field.bits,
            });
        }
        self.member(cursor, last)?;
        self.member(cursor, at)
    }

    /// The position of a field; those of records without names are gone into.
    fn field_position(
        &self,
        stack: &mut Vec<Cursor>,
        name: proofmark_model::Symbol,
    ) -> Option<u64> {
        loop {
            let cursor = stack.last()?;
            let CType::Record(record) = cursor.sort else {
                return None;
            };
            let fields = self.types.records[record].fields.as_ref()?;
            if let Some(at) = fields.iter().position(|one| one.name == Some(name)) {
                return Some(at as u64);
            }
            let holds = |one: &crate::c::types::RecordField| match (one.name, &one.sort) {
                (None, CType::Record(within)) => self.types.field(*within, name).is_some(),
                _ => false,
            };
            let at = fields.iter().position(holds)?;
            let (sort, offset) = (fields[at].sort.clone(), cursor.offset + fields[at].offset);
            if let Some(cursor) = stack.last_mut() {
                cursor.next = at as u64 + 1;
            }
            stack.push(Cursor {
                sort,
                offset,
                next: 0,
            });
        }
    }

    /// The place of a designator path, for `offsetof`.
    pub(super) fn offset_of(
        &mut self,
        sort: CType,
        path: &[Designator],
        span: Span,
    ) -> Lowered<u64> {
        let mut stack = vec![Cursor {
            sort,
            offset: 0,
            next: 0,
        }];
        let mut offset = 0;
        for designator in path {
            let one = std::slice::from_ref(designator);
            let base = stack.len() - 1;
            let mut rest = stack.split_off(base);
            let (found, _) = self.designated(&mut rest, one)?;
            let Some(found) = found else {
                return self.error(span, "there is no such member", "name one that is there");
            };
            offset = found.offset;
            stack = vec![Cursor {
                sort: found.sort,
                offset: found.offset,
                next: 0,
            }];
        }
        Ok(offset)
    }

    /// The global that holds a text with its zero.
    pub(super) fn text_variable(&mut self, bytes: Vec<u8>, span: Span) -> VariableId {
        if let Some(known) = self.texts.get(&bytes) {
            return *known;
        }
        let count = Some(bytes.len() as u64);
        let sort = CType::Array(Rc::new(crate::c::types::CHAR), count);
        let layout = self.types.layout(&sort);
        let id = self.variable("", layout, span);
        self.program.globals.push(id);
        let pieces = vec![InitialPiece::Bytes(0, bytes.clone())];
        self.program.variables[id.0 as usize].initial = Initial::Known(pieces);
        self.texts.insert(bytes, id);
        id
    }

    /// A number of the type of sizes.
    pub(super) fn size_value(&self, size: u64, span: Span) -> Operand {
        Operand::Value(super::operand::Value {
            expression: constant_of(size, Scalar::unsigned(64), span),
            sort: SIZE,
        })
    }
}

fn piece(member: Member, what: What, span: Span) -> Piece {
    Piece {
        offset: member.offset,
        sort: member.sort,
        bits: member.bits,
        what,
        span,
    }
}

/// The bytes of a text that initializes an array of its characters.
fn text_for(sort: &CType, value: &Expr) -> Option<Vec<u8>> {
    let CType::Array(element, _) = sort else {
        return None;
    };
    let (ExprKind::Text(units, width), CType::Integer(of)) = (&value.kind, &**element) else {
        return None;
    };
    let bytes = bytes_of(units, *width);
    let per = bytes.len() / (units.len() + 1);
    (per * 8 == usize::from(of.rank.bits())).then_some(bytes)
}

/// The characters of a literal and the zero behind them, as they are stored.
pub(super) fn bytes_of(units: &[u32], width: Width) -> Vec<u8> {
    let units = units.iter().chain([&0]);
    match width {
        Width::Char => units.map(|unit| *unit as u8).collect(),
        Width::Char16 => units
            .flat_map(|unit| (*unit as u16).to_le_bytes())
            .collect(),
        Width::Char32 | Width::Wide => units.flat_map(|unit| unit.to_le_bytes()).collect(),
    }
}

/// Bytes of a variable.
fn place_within(id: VariableId, offset: u64, span: Span) -> Lvalue {
    let whole = variable_place(id, span);
    match offset {
        0 => whole,
        offset => Lvalue {
            kind: LvalueKind::Offset(Box::new(whole), offset),
            place: span,
        },
    }
}

fn moved(piece: InitialPiece, by: u64) -> InitialPiece {
    match piece {
        InitialPiece::Bytes(at, bytes) => InitialPiece::Bytes(at + by, bytes),
        InitialPiece::Function(at, id) => InitialPiece::Function(at + by, id),
        InitialPiece::Address {
            at,
            variable,
            offset,
        } => InitialPiece::Address {
            at: at + by,
            variable,
            offset,
        },
    }
}

/// Puts a bit-field into the bytes that it shares with others.
fn static_bits(initial: &mut Vec<InitialPiece>, at: u64, bits: Bits, number: u64) {
    let ones = u64::MAX >> (64 - bits.width.clamp(1, 64));
    let added = ((number & ones) << bits.shift).to_le_bytes();
    for byte in bits.shift / 8..=(bits.shift + bits.width - 1) / 8 {
        let (more, place) = (added[byte as usize], at + u64::from(byte));
        let shared = initial.iter_mut().find_map(|piece| match piece {
            InitialPiece::Bytes(from, bytes) => bytes.get_mut(place.checked_sub(*from)? as usize),
            _ => None,
        });
        match shared {
            Some(shared) => *shared |= more,
            None => initial.push(InitialPiece::Bytes(place, vec![more])),
        }
    }
}
