//! Values as words of signals, with the objects that they may point to.

use proofmark_model::graph::{Graph, Signal, Word};
use proofmark_model::program::pointer;
use std::rc::Rc;

/// Objects that a value may point to, in order; none for most numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Targets(Option<Rc<[u32]>>);

impl Targets {
    pub(super) fn of(object: u32) -> Targets {
        Targets(Some(Rc::new([object])))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().flat_map(|objects| objects.iter().copied())
    }

    /// What one of the two may point to.
    pub(super) fn union(&self, other: &Targets) -> Targets {
        let (Some(one), Some(two)) = (&self.0, &other.0) else {
            return if self.0.is_some() { self } else { other }.clone();
        };
        if Rc::ptr_eq(one, two) || two.iter().all(|object| one.contains(object)) {
            return self.clone();
        }
        let mut all: Vec<u32> = one.iter().chain(two.iter()).copied().collect();
        all.sort_unstable();
        all.dedup();
        Targets(Some(all.into()))
    }
}

/// What an expression is worth.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// As many as its sort has.
    pub(super) bits: Word,
    /// Whether it is a pointer to an object, and not a number that looks like one.
    pub(super) genuine: Signal,
    pub(super) targets: Targets,
}

impl Value {
    pub(super) fn number(bits: Word) -> Value {
        Value {
            bits,
            genuine: Signal::FALSE,
            targets: Targets::default(),
        }
    }

    /// A pointer to an object.
    pub(super) fn address(object: u32) -> Value {
        Value {
            bits: word(pointer::encode(object, 0), 64),
            genuine: Signal::TRUE,
            targets: Targets::of(object),
        }
    }

    pub(super) fn bit(signal: Signal) -> Value {
        Value::number(vec![signal])
    }

    pub(super) fn constant(number: u64, bits: u32) -> Value {
        Value::number(word(number, bits as usize))
    }

    /// The signal of a truth value.
    pub(super) fn truth(&self) -> Signal {
        self.bits[0]
    }

    /// One of two values of one width.
    pub(super) fn choose(graph: &mut Graph, condition: Signal, a: &Value, b: &Value) -> Value {
        Value {
            bits: graph.choose(condition, &a.bits, &b.bits),
            genuine: graph.mux(condition, a.genuine, b.genuine),
            targets: match condition {
                Signal::TRUE => a.targets.clone(),
                Signal::FALSE => b.targets.clone(),
                _ => a.targets.union(&b.targets),
            },
        }
    }
}

/// The bits of a number, zeros above the 64th.
pub(super) fn word(number: u64, width: usize) -> Word {
    let bit = |at: usize| Signal::constant(at < 64 && number >> at & 1 == 1);
    (0..width).map(bit).collect()
}

/// The number of a word of constants.
pub(super) fn constant_of(bits: &[Signal]) -> Option<u64> {
    let mut number = 0;
    for (at, bit) in bits.iter().enumerate() {
        if !bit.is_constant() || at >= 64 {
            return None;
        }
        number |= u64::from(*bit == Signal::TRUE) << at;
    }
    Some(number)
}

/// Whether a word can be a number, by its constant bits.
pub(super) fn can_be(bits: &[Signal], number: u64) -> bool {
    let agrees = |(at, bit): (usize, &Signal)| {
        !bit.is_constant() || *bit == Signal::constant(at < 64 && number >> at & 1 == 1)
    };
    bits.iter().enumerate().all(agrees)
}

/// The same number with another width: cut, or extended by its sign.
pub(super) fn resize(bits: &[Signal], signed: bool, width: usize) -> Word {
    let sign = bits.last().filter(|_| signed);
    let fill = sign.copied().unwrap_or(Signal::FALSE);
    let mut bits = bits.to_vec();
    bits.resize(width, fill);
    bits
}
