//! The way back from a netlist to the one that it was made from.
//!
//! Whoever makes a netlist smaller hands out a [`NetlistMap`] with it: a run of the smaller one becomes a
//! run of the original ([`NetlistMap::restore_trace`]), and an invariant of the smaller one, together with
//! the [facts](NetlistMap::facts) that made it smaller, an invariant of the original.

use super::netlist::Netlist;
use super::signal::Signal;
use super::simulation::BitTrace;

/// A smaller netlist and the way back.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// What is left.
    pub netlist: Netlist,
    /// Takes signals and runs back to the netlist that it was made from.
    pub map: NetlistMap,
}

/// Stands for a node that the other netlist has no signal for.
pub(super) const GONE: u32 = u32::MAX;

/// What became of the nodes of the original, and where those of the result come from.
#[derive(Clone, Debug)]
pub struct NetlistMap {
    /// For every node of the original the code of a signal of the result that has its value.
    pub(super) forward: Vec<u32>,
    /// For every node of the result the code of a signal of the original that has its value.
    pub(super) backward: Vec<u32>,
    /// The position in the original of every input of the result.
    pub(super) inputs: Vec<u32>,
    /// The position in the original of every latch of the result.
    pub(super) latches: Vec<u32>,
    /// Clauses over latches of the original.
    pub(super) facts: Vec<Vec<Signal>>,
}

impl NetlistMap {
    /// The map from a netlist to itself.
    pub fn identity(netlist: &Netlist) -> NetlistMap {
        let nodes = 0..netlist.graph.len() as u32;
        let codes: Vec<u32> = nodes.map(|node| Signal::of(node).code()).collect();
        NetlistMap {
            forward: codes.clone(),
            backward: codes,
            inputs: (0..netlist.inputs.len() as u32).collect(),
            latches: (0..netlist.latches.len() as u32).collect(),
            facts: Vec::new(),
        }
    }

    /// The signal of the result that has the value of a signal of the original at every step of
    /// every run that counts; none when nothing that was kept depends on it.
    pub fn translate(&self, signal: Signal) -> Option<Signal> {
        look_up(&self.forward, signal)
    }

    /// A signal of the original that a signal of the result stands for. Inputs, latches and constants have
    /// one; a gate that the simplification made up may have none.
    pub fn restore(&self, signal: Signal) -> Option<Signal> {
        look_up(&self.backward, signal)
    }

    /// What is true in every reachable state of the original and made the result smaller: clauses over
    /// latches of the original, which together are inductive.
    pub fn facts(&self) -> &[Vec<Signal>] {
        &self.facts
    }

    /// The original's position of an input of the result.
    pub fn input(&self, position: usize) -> usize {
        self.inputs[position] as usize
    }

    /// The original's position of a latch of the result.
    pub fn latch(&self, position: usize) -> usize {
        self.latches[position] as usize
    }

    /// The run of the original that a run of the result stands for. What the result has not is
    /// false, or has the value with which it begins.
    pub fn restore_trace(&self, original: &Netlist, trace: &BitTrace) -> BitTrace {
        let initial = original.latches.iter();
        let mut latches: Vec<bool> = initial
            .map(|latch| latch.init.value().unwrap_or(false))
            .collect();
        for (&position, &value) in self.latches.iter().zip(&trace.latches) {
            let latch = &original.latches[position as usize];
            latches[position as usize] = latch.init.value().unwrap_or(value);
        }
        let steps = trace.inputs.iter().map(|given| {
            let mut inputs = vec![false; original.inputs.len()];
            for (&position, &value) in self.inputs.iter().zip(given) {
                inputs[position as usize] = value;
            }
            inputs
        });
        BitTrace {
            inputs: steps.collect(),
            latches,
        }
    }

    /// This map and then another, which begins at this one's result.
    #[must_use]
    pub fn then(&self, next: &NetlistMap) -> NetlistMap {
        let own = self.facts.iter().cloned();
        let later = next.facts.iter().map(|clause| {
            let restored = clause.iter().map(|signal| self.restore(*signal));
            let restored: Option<Vec<Signal>> = restored.collect();
            restored.unwrap_or_else(|| unreachable!("facts speak of latches"))
        });
        NetlistMap {
            forward: chain(&self.forward, &next.forward),
            backward: chain(&next.backward, &self.backward),
            inputs: through(&next.inputs, &self.inputs),
            latches: through(&next.latches, &self.latches),
            facts: own.chain(later).collect(),
        }
    }
}

/// What a list of codes by node has for a signal.
fn look_up(codes: &[u32], signal: Signal) -> Option<Signal> {
    let code = codes[signal.index()];
    let found = (code != GONE).then(|| Signal::from_code(code))?;
    Some(found.complement_if(signal.is_complemented()))
}

/// First one list and then another.
fn chain(first: &[u32], second: &[u32]) -> Vec<u32> {
    let codes = first.iter().map(|&code| match code {
        GONE => GONE,
        code => look_up(second, Signal::from_code(code)).map_or(GONE, Signal::code),
    });
    codes.collect()
}

fn through(positions: &[u32], original: &[u32]) -> Vec<u32> {
    let positions = positions.iter();
    positions.map(|&at| original[at as usize]).collect()
}
