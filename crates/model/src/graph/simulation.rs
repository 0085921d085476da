//! Sixty-four runs at once: a word a node, a bit a run.
//!
//! The buffers are made once and serve every step; the netlist is handed in, so that an engine can keep a
//! simulation beside a netlist that others share.

use super::netlist::{Init, Netlist};
use super::signal::Signal;

/// A run: what the latches begin with and what comes in at each step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BitTrace {
    /// A value a latch at the first step.
    pub latches: Vec<bool>,
    /// A value an input, step by step.
    pub inputs: Vec<Vec<bool>>,
}

/// What a run shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// How many steps begin and satisfy all constraints: the run counts for no longer.
    pub accepted: usize,
    /// For every bad signal the first accepted step at which it is true.
    pub refuted: Vec<Option<usize>>,
}

/// The values of all nodes in 64 runs.
#[derive(Clone, Debug, Default)]
pub struct Simulation {
    words: Vec<u64>,
    next: Vec<u64>,
}

impl Simulation {
    /// All bits are false until the first step is set.
    pub fn new(netlist: &Netlist) -> Simulation {
        Simulation {
            words: vec![0; netlist.graph.len()],
            next: Vec::with_capacity(netlist.latches.len()),
        }
    }

    /// The values of a signal, a bit a run.
    #[inline]
    pub fn value(&self, signal: Signal) -> u64 {
        let word = self.words[signal.index()];
        if signal.is_complemented() {
            !word
        } else {
            word
        }
    }

    /// The values of an input or a latch.
    pub fn set(&mut self, node: u32, word: u64) {
        self.words[node as usize] = word;
    }

    /// Puts all latches at their initial values; free ones take what `free` gives.
    pub fn start(&mut self, netlist: &Netlist, mut free: impl FnMut(usize) -> u64) {
        for (position, latch) in netlist.latches.iter().enumerate() {
            let word = match latch.init {
                Init::Zero => 0,
                Init::One => u64::MAX,
                Init::Free => free(position),
            };
            self.set(latch.node, word);
        }
    }

    /// Computes all gates from the inputs and latches.
    pub fn evaluate(&mut self, netlist: &Netlist) {
        self.words[0] = 0;
        for (gate, [a, b]) in netlist.graph.and_gates() {
            self.words[gate as usize] = self.value(a) & self.value(b);
        }
    }

    /// Gives the latches their next values; the gates are those of the step before until
    /// [`Simulation::evaluate`] is called.
    pub fn advance(&mut self, netlist: &Netlist) {
        let mut next = std::mem::take(&mut self.next);
        next.clear();
        next.extend(netlist.latches.iter().map(|latch| self.value(latch.next)));
        for (latch, word) in netlist.latches.iter().zip(&next) {
            self.set(latch.node, *word);
        }
        self.next = next;
    }

    /// In which runs all constraints hold at this step.
    pub fn accepted(&self, netlist: &Netlist) -> u64 {
        let constraints = netlist.constraints.iter();
        constraints.fold(u64::MAX, |word, one| word & self.value(*one))
    }
}

impl Netlist {
    /// Runs a trace: how far the constraints let it go, and what it refutes. Latches that are not free begin
    /// as the netlist says, whatever the trace has for them; what the trace does not give is false.
    pub fn replay(&self, trace: &BitTrace) -> Replay {
        self.replay_with(trace, &mut Simulation::new(self))
    }

    /// As [`Netlist::replay`], in the buffers of a simulation of this netlist.
    pub fn replay_with(&self, trace: &BitTrace, simulation: &mut Simulation) -> Replay {
        let mut replay = Replay {
            accepted: 0,
            refuted: vec![None; self.bads.len()],
        };
        self.steps(trace, simulation, |step, simulation| {
            if simulation.accepted(self) & 1 == 0 {
                return false;
            }
            replay.accepted = step + 1;
            for (bad, refuted) in self.bads.iter().zip(&mut replay.refuted) {
                if refuted.is_none() && simulation.value(bad.signal) & 1 == 1 {
                    *refuted = Some(step);
                }
            }
            true
        });
        replay
    }

    /// The values of some nodes at each step of a trace, node by node.
    pub fn watch(&self, trace: &BitTrace, nodes: &[u32]) -> Vec<Vec<bool>> {
        let mut values = vec![Vec::with_capacity(trace.inputs.len()); nodes.len()];
        self.steps(trace, &mut Simulation::new(self), |_, simulation| {
            for (values, node) in values.iter_mut().zip(nodes) {
                values.push(simulation.value(Signal::of(*node)) & 1 == 1);
            }
            true
        });
        values
    }

    /// Simulates a trace, the same in all runs of the words, for as long as `each` wants more.
    fn steps(
        &self,
        trace: &BitTrace,
        simulation: &mut Simulation,
        mut each: impl FnMut(usize, &Simulation) -> bool,
    ) {
        let given = |values: &[bool], at: usize| match values.get(at) {
            Some(true) => u64::MAX,
            _ => 0,
        };
        simulation.start(self, |at| given(&trace.latches, at));
        for (step, inputs) in trace.inputs.iter().enumerate() {
            if step > 0 {
                simulation.advance(self);
            }
            for (at, &node) in self.inputs.iter().enumerate() {
                simulation.set(node, given(inputs, at));
            }
            simulation.evaluate(self);
            if !each(step, simulation) {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three bits that count up while the input is true; bad at 5; constrained to stay away from 6.
    fn counter() -> Netlist {
        let mut netlist = Netlist::default();
        let enable = netlist.add_input();
        let bits: Vec<Signal> = (0..3).map(|_| netlist.add_latch(Init::Zero)).collect();
        let mut carry = enable;
        for (at, &bit) in bits.iter().enumerate() {
            let next = netlist.graph.xor(bit, carry);
            carry = netlist.graph.and(bit, carry);
            netlist.set_next(at, next);
        }
        let five = netlist.graph.and_all(&[bits[0], !bits[1], bits[2]]);
        let six = netlist.graph.and_all(&[!bits[0], bits[1], bits[2]]);
        netlist.add_bad("five", five);
        netlist.constraints.push(!six);
        netlist
    }

    #[test]
    fn a_trace_is_replayed_until_a_constraint_fails() {
        let netlist = counter();
        let trace = BitTrace {
            latches: vec![true; 3],
            inputs: vec![vec![true]; 9],
        };
        let replay = netlist.replay(&trace);
        assert_eq!(replay.refuted, [Some(5)]);
        assert_eq!(replay.accepted, 6);
        let idle = BitTrace {
            latches: vec![],
            inputs: vec![vec![]; 9],
        };
        let replay = netlist.replay(&idle);
        assert_eq!((replay.accepted, replay.refuted), (9, vec![None]));
    }

    #[test]
    fn the_runs_of_a_word_do_not_touch_each_other() {
        let netlist = counter();
        let mut simulation = Simulation::new(&netlist);
        simulation.start(&netlist, |_| 0);
        for step in 0..6u32 {
            simulation.set(netlist.inputs[0], 0xF0);
            simulation.evaluate(&netlist);
            let bad = simulation.value(netlist.bads[0].signal);
            assert_eq!(bad, if step == 5 { 0xF0 } else { 0 });
            simulation.advance(&netlist);
        }
    }
}
