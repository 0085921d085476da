//! Objects of bytes.

use super::Value;
use proofmark_model::program::{VariableId, pointer};

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    Nobody,
    Variable(VariableId),
    /// It was allocated, as the first, second and so on.
    Allocated(u32),
}

/// An object.
pub(super) struct Object {
    bytes: Vec<u8>,
    /// The object that each byte is part of a pointer to; 0 where to none.
    pointers: Vec<u32>,
    pub(super) live: bool,
    pub(super) owner: Owner,
}

/// All objects, by number; those of functions have no bytes and nobody accesses them.
pub(super) struct Memory {
    objects: Vec<Object>,
    allocated: u32,
}

/// A place that was found to be one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) object: u32,
    pub(super) offset: usize,
}

impl Memory {
    /// Nothing but the objects of functions, after the null pointer's.
    pub(super) fn new(functions: usize) -> Memory {
        let nobody = || Object {
            bytes: Vec::new(),
            pointers: Vec::new(),
            live: false,
            owner: Owner::Nobody,
        };
        Memory {
            objects: (0..=functions).map(|_| nobody()).collect(),
            allocated: 0,
        }
    }

    /// A new object, if there is a number left for it.
    pub(super) fn make(&mut self, bytes: Vec<u8>, owner: Owner) -> Option<u32> {
        let number = self.objects.len() as u32;
        if number + 1 >= pointer::MOST_OBJECTS {
            return None;
        }
        self.objects.push(Object {
            pointers: vec![0; bytes.len()],
            bytes,
            live: true,
            owner,
        });
        Some(number)
    }

    pub(super) fn allocate(&mut self, bytes: Vec<u8>) -> Option<u32> {
        self.allocated += 1;
        self.make(bytes, Owner::Allocated(self.allocated))
    }

    pub(super) fn object(&self, number: u32) -> Option<&Object> {
        self.objects.get(number as usize)
    }

    pub(super) fn end(&mut self, number: u32) {
        if let Some(object) = self.objects.get_mut(number as usize) {
            object.live = false;
        }
    }

    /// An object holds other bytes from now on, and is alive.
    pub(super) fn renew(&mut self, number: u32, bytes: Vec<u8>) {
        if let Some(object) = self.objects.get_mut(number as usize) {
            object.pointers = vec![0; bytes.len()];
            object.bytes = bytes;
            object.live = true;
        }
    }

    /// The place that a pointer leads to, if so many bytes there are within a living object.
    pub(super) fn find(&self, pointer: Value, bytes: u64) -> Option<Spot> {
        let (number, offset) = pointer::decode(pointer.bits);
        let object = self.object(number)?;
        let end = u64::try_from(offset).ok()?.checked_add(bytes)?;
        let is_inside = end <= object.bytes.len() as u64;
        (number != 0 && number == pointer.object && object.live && is_inside).then_some(Spot {
            object: number,
            offset: offset as usize,
        })
    }

    /// At most eight bytes as a number.
    pub(super) fn read(&self, at: Spot, count: usize) -> Value {
        let Some(object) = self.object(at.object) else {
            return Value::default();
        };
        let range = at.offset..at.offset + count;
        let pointers = &object.pointers[range.clone()];
        Value {
            bits: number(&object.bytes[range]),
            object: pointers.iter().copied().find(|one| *one != 0).unwrap_or(0),
        }
    }

    pub(super) fn write(&mut self, at: Spot, value: Value, count: usize) {
        if let Some(object) = self.objects.get_mut(at.object as usize) {
            let bytes = value.bits.to_le_bytes();
            object.bytes[at.offset..at.offset + count].copy_from_slice(&bytes[..count]);
            object.pointers[at.offset..at.offset + count].fill(value.object);
        }
    }

    /// Objects that were allocated and live.
    pub(super) fn leaks(&self) -> bool {
        let leaks = |one: &Object| one.live && matches!(one.owner, Owner::Allocated(_));
        self.objects.iter().any(leaks)
    }

    /// A byte of an object, if it has so many.
    pub(super) fn byte(&self, object: u32, offset: usize) -> Option<u8> {
        self.object(object)?.bytes.get(offset).copied()
    }
}

/// Up to eight bytes as a number.
pub(super) fn number(bytes: &[u8]) -> u64 {
    let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    bytes.iter().take(8).rev().fold(0, add)
}
