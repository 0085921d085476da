//! Random netlists and runs, for tests of whatever works on them.

use super::netlist::{Init, Netlist};
use super::signal::Signal;
use super::simulation::BitTrace;

/// Numbers that look random and are the same in every run (Marsaglia's xorshift).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below the limit.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.word()) * limit as u128) >> 64) as usize
    }
}

/// How large a random netlist is.
#[derive(Clone, Debug)]
pub struct Shape {
    /// How many inputs.
    pub inputs: usize,
    /// How many latches.
    pub latches: usize,
    /// How many operations are tried; some fold away.
    pub gates: usize,
    /// How many bad signals.
    pub bads: usize,
    /// How many constraints.
    pub constraints: usize,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape {
            inputs: 4,
            latches: 8,
            gates: 40,
            bads: 2,
            constraints: 1,
        }
    }
}

/// A netlist of at most this shape. Some latches are copies of others, their complements or stuck, and
/// some gates are left as they stand, so that there is something to find.
pub fn netlist(dice: &mut Dice, shape: &Shape) -> Netlist {
    let mut netlist = Netlist::default();
    let mut signals = vec![Signal::TRUE];
    for _ in 0..shape.inputs {
        signals.push(netlist.add_input());
    }
    for _ in 0..shape.latches {
        let init = [Init::Zero, Init::One, Init::Zero, Init::Free][dice.below(4)];
        signals.push(netlist.add_latch(init));
    }
    for _ in 0..shape.gates {
        let [a, b, c] = [0; 3].map(|_| pick(dice, &signals));
        let gate = match dice.below(8) {
            0 => netlist.graph.add_gate(a, b),
            1 | 2 => netlist.graph.xor(a, b),
            3 => netlist.graph.mux(a, b, c),
            _ => netlist.graph.and(a, b),
        };
        signals.push(gate);
    }
    for position in 0..shape.latches {
        let next = next_value(dice, &mut netlist, position, &signals);
        netlist.set_next(position, next);
    }
    for at in 0..shape.bads {
        let bad = pick(dice, &signals);
        netlist.add_bad(&format!("bad {at}"), bad);
    }
    for _ in 0..shape.constraints {
        let [a, b, c] = [0; 3].map(|_| pick(dice, &signals));
        let some = netlist.graph.or_all(&[a, b, c]);
        netlist.constraints.push(some);
    }
    netlist
}

fn next_value(dice: &mut Dice, netlist: &mut Netlist, at: usize, signals: &[Signal]) -> Signal {
    match (dice.below(6), at) {
        (0, _) => Signal::of(netlist.latches[at].node),
        (1 | 2, 1..) => {
            // As another latch, or its complement.
            let other = dice.below(at);
            let init = netlist.latches[other].init;
            let flipped = dice.below(2) == 1;
            netlist.latches[at].init = match init.value() {
                Some(value) => Init::from(value != flipped),
                None => Init::Free,
            };
            netlist.latches[other].next.complement_if(flipped)
        }
        _ => pick(dice, signals),
    }
}

fn pick(dice: &mut Dice, signals: &[Signal]) -> Signal {
    let signal = signals[dice.below(signals.len())];
    signal.complement_if(dice.below(2) == 1)
}

/// A run of a netlist.
pub fn trace(dice: &mut Dice, netlist: &Netlist, steps: usize) -> BitTrace {
    let mut flip = || dice.below(2) == 1;
    let latches = netlist.latches.iter();
    let latches = latches.map(|latch| latch.init.value().unwrap_or_else(&mut flip));
    let latches = latches.collect();
    let mut step = || netlist.inputs.iter().map(|_| flip()).collect();
    BitTrace {
        latches,
        inputs: (0..steps).map(|_| step()).collect(),
    }
}
