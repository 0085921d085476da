//! How often a loop may go round, and how deep a function may call itself.
//!
//! The body of a loop with bound `n` is run at most `n` times; coming to its end for the `n`-th time is what the check
//! of kind `unwinding` forbids, and where such a run ends. Of a function there are at most `n` calls at a time.

use super::{FunctionId, LoopId, Program};
use std::collections::BTreeMap;

/// One bound for everything, and others by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// For what is not named.
    pub default: u32,
    /// By the name of a loop (`main.0`) or of a function.
    pub named: BTreeMap<String, u32>,
}

impl Bounds {
    /// The same bound for everything.
    pub fn all(default: u32) -> Bounds {
        let named = BTreeMap::new();
        Bounds { default, named }
    }

    /// The bound of a loop.
    pub fn of_loop(&self, program: &Program, id: LoopId) -> u32 {
        self.of(&program.loops[id.0 as usize].name)
    }

    /// The bound of calls of a function at a time.
    pub fn of_function(&self, program: &Program, id: FunctionId) -> u32 {
        self.of(&program.function(id).name)
    }

    fn of(&self, name: &str) -> u32 {
        self.named.get(name).copied().unwrap_or(self.default)
    }
}

/// Numbers of objects: functions come first, then globals, then what a run makes. Zero is the null pointer's.
pub mod pointer {
    /// The width of an offset; the object is in the bits above.
    pub const OFFSET_BITS: u32 = 48;
    /// There are fewer objects than this.
    pub const MOST_OBJECTS: u32 = 1 << 16;

    /// The bits of a pointer.
    pub fn encode(object: u32, offset: i64) -> u64 {
        let mask = (1u64 << OFFSET_BITS) - 1;
        (u64::from(object) << OFFSET_BITS) | (offset as u64 & mask)
    }

    /// The object and the offset of a pointer.
    pub fn decode(bits: u64) -> (u32, i64) {
        let unused = 64 - OFFSET_BITS;
        let offset = ((bits << unused) as i64) >> unused;
        ((bits >> OFFSET_BITS) as u32, offset)
    }

    /// The number of a function's object.
    pub fn of_function(position: u32) -> u32 {
        position + 1
    }
}
