//! Access to objects: where a place is, whether it is one, what is read and written there.
//!
//! An offset that is known costs nothing, one that is not becomes a tree of choices by its bits; bits that are known
//! (those below the size of an element are zero) prune it. Which objects come into question is what
//! [`Targets`] tells.
//!
//! Where a check says that an access is one, the rest relies on it: what an invalid access yields does not matter, for the
//! run has ended there.

use super::state::{Byte, Content, ZERO, choose_byte};
use super::value::{Targets, Value, can_be, constant_of, resize, word};
use super::{Encoder, Stop};
use proofmark_model::graph::{Graph, Signal, Word};
use proofmark_model::program::{
    CheckKind, Filling, InputReason, Lvalue, LvalueKind, VariableId, pointer,
};
use proofmark_source::Span;
use std::rc::Rc;

const OFFSET: usize = pointer::OFFSET_BITS as usize;
const OBJECT: usize = 64 - OFFSET;

/// A place in memory.
pub(super) struct Location {
    object: Word,
    offset: Word,
    genuine: Signal,
    targets: Targets,
    /// What names a failing access: its kind and place.
    check: (CheckKind, Span),
}

/// What a place is needed for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Access,
    /// Only where it is.
    Address,
}

/// The objects that an access may be to.
pub(super) struct Access {
    candidates: Vec<(u32, Signal)>,
    offset: Word,
    /// When it is no access: only told where no check ends the run.
    invalid: Signal,
}

impl Location {
    /// Where a pointer leads.
    pub(super) fn of_pointer(value: Value, place: Span) -> Location {
        let (offset, object) = value.bits.split_at(OFFSET);
        Location {
            object: object.to_vec(),
            offset: offset.to_vec(),
            genuine: value.genuine,
            targets: value.targets,
            check: (CheckKind::Pointer, place),
        }
    }

    fn of_object(object: u32, place: Span) -> Location {
        Location {
            object: word(object.into(), OBJECT),
            offset: word(0, OFFSET),
            genuine: Signal::TRUE,
            targets: Targets::of(object),
            check: (CheckKind::Bounds, place),
        }
    }

    /// The pointer that leads there.
    pub(super) fn pointer(self) -> Value {
        let mut bits = self.offset;
        bits.extend(self.object);
        Value {
            bits,
            genuine: self.genuine,
            targets: self.targets,
        }
    }

    fn choose(graph: &mut Graph, condition: Signal, a: Location, b: Location) -> Location {
        Location {
            object: graph.choose(condition, &a.object, &b.object),
            offset: graph.choose(condition, &a.offset, &b.offset),
            genuine: graph.mux(condition, a.genuine, b.genuine),
            targets: a.targets.union(&b.targets),
            check: b.check,
        }
    }
}

impl Encoder<'_> {
    /// Finds a place.
    pub(super) fn locate(&mut self, lvalue: &Lvalue, purpose: Purpose) -> Result<Location, Stop> {
        let place = lvalue.place;
        match &lvalue.kind {
            LvalueKind::Variable(variable) => {
                let object = self.object_of(*variable)?;
                Ok(Location::of_object(object, place))
            }
            LvalueKind::Dereference(pointer) => {
                let value = self.evaluate(pointer)?;
                Ok(Location::of_pointer(value, place))
            }
            LvalueKind::Offset(inside, by) => {
                let mut location = self.locate(inside, purpose)?;
                let by = word(*by, OFFSET);
                location.offset = self.graph().add(&location.offset, &by, Signal::FALSE);
                Ok(location)
            }
            LvalueKind::Index {
                array,
                index,
                size,
                count,
            } => {
                let mut location = self.locate(array, purpose)?;
                let signed = index.sort.is_signed();
                let index = resize(&self.evaluate(index)?.bits, signed, 64);
                if let Some(count) = count.filter(|_| purpose == Purpose::Access) {
                    let within = below(self.graph(), &index, count);
                    self.check(CheckKind::Bounds, place, !within);
                }
                let by = scale(self.graph(), &index[..OFFSET], *size);
                location.offset = self.graph().add(&location.offset, &by, Signal::FALSE);
                Ok(location)
            }
            LvalueKind::Selected(original, variants) => {
                let variants = variants.iter().map(|(mutant, lvalue)| (*mutant, lvalue));
                let (chosen, others) = self.select(&**original, variants, |encoder, one| {
                    encoder.locate(one, purpose)
                })?;
                let fold =
                    |rest, (selector, one)| Location::choose(self.graph(), selector, one, rest);
                Ok(others.into_iter().fold(chosen, fold))
            }
        }
    }

    /// The object of a variable. One that was never declared in these runs, as variables of the front end's making are not, is
    /// there all the same.
    pub(super) fn object_of(&mut self, variable: VariableId) -> Result<u32, Stop> {
        if let Some(object) = self.globals.get(&variable) {
            return Ok(*object);
        }
        let object = self.local(variable)?;
        if self.now().object(object).is_none() {
            let bytes = self.program.variable(variable).sort.size();
            self.make(
                object,
                bytes,
                Filling::Zero,
                InputReason::Invalid,
                self.program.variable(variable).place,
            )?;
        }
        Ok(object)
    }

    /// Checks an access of a number of bytes, and finds the objects that it may be to.
    pub(super) fn access(&mut self, location: &Location, size: &[Signal]) -> Access {
        let mut candidates = Vec::new();
        let mut valid = Vec::new();
        let (kind, place) = location.check;
        let relies = self.options.checks.has(kind);
        for object in location.targets.iter() {
            let Some(content) = self.now().object(object) else {
                continue;
            };
            if !can_be(&location.object, object.into()) {
                continue;
            }
            let live = content.live;
            let whole = self.objects[object as usize].size.clone();
            let graph = &mut self.netlist.graph;
            let same = graph.equal(&location.object, &word(object.into(), OBJECT));
            let hit = graph.and(same, location.genuine);
            let inside = within(graph, &location.offset, size, &whole);
            let is_access = graph.and_all(&[hit, live, inside]);
            valid.push(is_access);
            candidates.push((object, if relies { hit } else { is_access }));
        }
        let invalid = !self.graph().or_all(&valid);
        self.check(kind, place, invalid);
        if relies && let [(_, hit)] = candidates.as_mut_slice() {
            *hit = Signal::TRUE;
        }
        Access {
            candidates,
            offset: location.offset.clone(),
            invalid: if relies { Signal::FALSE } else { invalid },
        }
    }

    /// What stands at a place, as so many bytes.
    pub(super) fn read(&mut self, location: &Location, bytes: usize) -> Value {
        let size = word(bytes as u64, OFFSET);
        let access = self.access(location, &size);
        let mut value = match access.invalid {
            Signal::FALSE => Value::constant(0, bytes as u32 * 8),
            invalid => Value::number(self.input_under(
                invalid,
                bytes,
                InputReason::Invalid,
                location.check.1,
            )),
        };
        for (at, (object, hit)) in access.candidates.iter().enumerate() {
            let content = self.now().object(*object).cloned();
            let Some(content) = content else { continue };
            let found = pick(self.graph(), &content.bytes, &access.offset, bytes);
            let here = self.value_of(&found, &content.targets);
            let first = at == 0 && access.invalid == Signal::FALSE;
            value = match first {
                true => here,
                false => Value::choose(self.graph(), *hit, &here, &value),
            };
        }
        value
    }

    /// Bytes as a value.
    fn value_of(&mut self, bytes: &[Byte], targets: &Targets) -> Value {
        let genuine: Word = bytes.iter().map(|byte| byte[8]).collect();
        Value {
            bits: bytes.iter().flat_map(|byte| byte[..8].to_vec()).collect(),
            genuine: self.graph().or_all(&genuine),
            targets: targets.clone(),
        }
    }

    /// Stores a value at a place.
    pub(super) fn write(&mut self, location: &Location, value: &Value) {
        let bytes = to_bytes(value);
        let size = word(bytes.len() as u64, OFFSET);
        let access = self.access(location, &size);
        self.store(
            &access,
            &access.offset,
            Signal::TRUE,
            &bytes,
            &value.targets,
        );
    }

    /// Stores bytes where a condition holds.
    pub(super) fn store(
        &mut self,
        access: &Access,
        offset: &[Signal],
        condition: Signal,
        bytes: &[Byte],
        targets: &Targets,
    ) {
        let graph = &mut self.netlist.graph;
        let Some(state) = &mut self.now else { return };
        for (object, hit) in &access.candidates {
            let hit = graph.and(*hit, condition);
            let slot = state.objects.get_mut(*object as usize);
            let Some(content) = slot.and_then(|slot| slot.as_mut()) else {
                continue;
            };
            let content = Rc::make_mut(content);
            content.targets = match hit {
                Signal::TRUE if content.bytes.len() == bytes.len() => targets.clone(),
                Signal::FALSE => continue,
                _ => content.targets.union(targets),
            };
            put(graph, content, offset, hit, bytes);
        }
    }

    /// A byte at a place of which the access is checked already.
    pub(super) fn byte_at(&mut self, access: &Access, offset: &[Signal]) -> (Byte, Targets) {
        let mut byte = ZERO;
        let mut targets = Targets::default();
        for (object, hit) in &access.candidates {
            let Some(content) = self.now().object(*object).cloned() else {
                continue;
            };
            let here = pick(self.graph(), &content.bytes, offset, 1);
            byte = choose_byte(self.graph(), *hit, &here[0], &byte);
            targets = targets.union(&content.targets);
        }
        (byte, targets)
    }

    /// The most bytes that a candidate of an access has.
    pub(super) fn capacity(&self, access: &Access) -> usize {
        let sizes = access.candidates.iter().map(|(object, _)| {
            let content = self.now().object(*object);
            content.map_or(0, |content| content.bytes.len())
        });
        sizes.max().unwrap_or(0)
    }
}

impl Access {
    /// When it is one, as far as nothing relies on it.
    pub(super) fn valid(&self) -> Signal {
        !self.invalid
    }

    pub(super) fn offset(&self) -> &[Signal] {
        &self.offset
    }
}

/// Whether a number of 64 bits is below another, neither having a sign.
fn below(graph: &mut Graph, number: &[Signal], limit: u64) -> Signal {
    match limit.checked_sub(1) {
        Some(greatest) => graph.unsigned_le(number, &word(greatest, number.len())),
        None => Signal::FALSE,
    }
}

/// Whether bytes from an offset on lie within an object.
fn within(graph: &mut Graph, offset: &[Signal], size: &[Signal], whole: &[Signal]) -> Signal {
    if let (Some(size), Some(whole)) = (constant_of(size), constant_of(whole)) {
        return match whole.checked_sub(size) {
            Some(last) => graph.unsigned_le(offset, &word(last, OFFSET)),
            None => Signal::FALSE,
        };
    }
    // One bit more, so that nothing wraps around.
    let wide = |bits: &[Signal]| resize(bits, false, OFFSET + 1);
    let end = graph.add(&wide(offset), &wide(size), Signal::FALSE);
    graph.unsigned_le(&end, &wide(whole))
}

/// A number times a constant.
fn scale(graph: &mut Graph, number: &[Signal], factor: u64) -> Word {
    graph.multiply(number, &word(factor, number.len()))
}

/// A value as bytes; a truth value is one.
pub(super) fn to_bytes(value: &Value) -> Vec<Byte> {
    let byte = |chunk: &[Signal]| {
        let mut byte = ZERO;
        byte[..chunk.len()].copy_from_slice(chunk);
        byte[8] = value.genuine;
        byte
    };
    value.bits.chunks(8).map(byte).collect()
}

/// So many bytes from an offset on; zeros where there are none.
fn pick(graph: &mut Graph, bytes: &[Byte], offset: &[Signal], count: usize) -> Vec<Byte> {
    let positions = (bytes.len() + 1).saturating_sub(count).max(1);
    let width = (usize::BITS - (positions - 1).leading_zeros()) as usize;
    let width = width.min(offset.len());
    let found = pick_below(graph, bytes, &offset[..width], 0, positions, count);
    found.unwrap_or_else(|| vec![ZERO; count])
}

/// A tree of choices by the bits of the offset, the highest first.
fn pick_below(
    graph: &mut Graph,
    bytes: &[Byte],
    bits: &[Signal],
    start: usize,
    positions: usize,
    count: usize,
) -> Option<Vec<Byte>> {
    if start >= positions {
        return None;
    }
    let Some((bit, rest)) = bits.split_last() else {
        let from = bytes.get(start..).unwrap_or_default();
        let mut found: Vec<Byte> = from.iter().take(count).copied().collect();
        found.resize(count, ZERO);
        return Some(found);
    };
    let middle = start + (1 << rest.len());
    if bit.is_constant() {
        let start = if *bit == Signal::TRUE { middle } else { start };
        return pick_below(graph, bytes, rest, start, positions, count);
    }
    let low = pick_below(graph, bytes, rest, start, positions, count);
    let high = pick_below(graph, bytes, rest, middle, positions, count);
    match (low, high) {
        (Some(low), Some(high)) => {
            let pairs = high.iter().zip(&low);
            let chosen = pairs.map(|(high, low)| choose_byte(graph, *bit, high, low));
            Some(chosen.collect())
        }
        (low, high) => low.or(high),
    }
}

/// Stores bytes at an offset where a condition holds.
fn put(graph: &mut Graph, content: &mut Content, offset: &[Signal], hit: Signal, new: &[Byte]) {
    let positions = (content.bytes.len() + 1).saturating_sub(new.len());
    if positions == 0 {
        return;
    }
    let width = (usize::BITS - (positions - 1).leading_zeros()) as usize;
    let (low, high) = offset.split_at(width.min(offset.len()));
    let none: Word = high.iter().map(|bit| !*bit).collect();
    let none = graph.and_all(&none);
    let hit = graph.and(hit, none);
    let mut places = Vec::new();
    decode(graph, low, 0, positions, hit, &mut places);
    for (at, condition) in places {
        for (slot, byte) in content.bytes[at..].iter_mut().zip(new) {
            *slot = choose_byte(graph, condition, byte, slot);
        }
    }
}

/// The positions that an offset may be, each with when it is.
fn decode(
    graph: &mut Graph,
    bits: &[Signal],
    start: usize,
    positions: usize,
    condition: Signal,
    places: &mut Vec<(usize, Signal)>,
) {
    if start >= positions || condition == Signal::FALSE {
        return;
    }
    let Some((bit, rest)) = bits.split_last() else {
        places.push((start, condition));
        return;
    };
    let (low, high) = (graph.and(condition, !*bit), graph.and(condition, *bit));
    decode(graph, rest, start, positions, low, places);
    decode(
        graph,
        rest,
        start + (1 << rest.len()),
        positions,
        high,
        places,
    );
}
