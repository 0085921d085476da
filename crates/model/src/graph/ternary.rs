//! Values that may be unknown, two bits a node.
//!
//! A gate is false as soon as one fanin is, whatever the other may be. So a pass with unknown inputs tells
//! what holds for all inputs, and a leaf that can be made unknown without a target becoming unknown is a
//! leaf that the targets do not need: this is how IC3 enlarges a state to a cube of states (Eén,
//! Mishchenko and Brayton, "Efficient Implementation of Property Directed Reachability", 2011).
//!
//! Known values only ever become unknown during a propagation. Every node changes at most once, in
//! whatever order, so that a stack is enough and an attempt that fails is undone by its trail.

use super::gates::Graph;
use super::signal::Signal;

/// A value that may be unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Truth {
    /// False, whatever the unknown values are.
    False,
    /// True, whatever the unknown values are.
    True,
    /// Not known: the graph may decide it either way.
    Unknown,
}

impl From<bool> for Truth {
    fn from(value: bool) -> Truth {
        if value { Truth::True } else { Truth::False }
    }
}

/// Bit 0: it may be false. Bit 1: it may be true.
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const UNKNOWN: u8 = 3;

/// The values of all nodes of a graph, and who reads whom.
#[derive(Clone, Debug)]
pub struct Ternary {
    values: Vec<u8>,
    /// The gates that read node `n` are `readers[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
    readers: Vec<u32>,
    /// The cone in which a node was last: only the last cone takes part in a propagation.
    cones: Vec<u32>,
    cone: u32,
    watched: Vec<bool>,
    /// What became unknown since the last attempt began, with what it was.
    trail: Vec<(u32, u8)>,
    order: Vec<u32>,
    stack: Vec<(u32, bool)>,
}

impl Ternary {
    /// All inputs and latches are unknown.
    pub fn new(graph: &Graph) -> Ternary {
        let nodes = graph.len();
        let (starts, readers) = fanouts(graph);
        let mut values = vec![UNKNOWN; nodes];
        values[0] = FALSE;
        Ternary {
            values,
            starts,
            readers,
            cones: vec![0; nodes],
            cone: 0,
            watched: vec![false; nodes],
            trail: Vec::new(),
            order: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// The value of a signal, as far as it is known.
    pub fn value(&self, signal: Signal) -> Truth {
        match self.code(signal) {
            FALSE => Truth::False,
            TRUE => Truth::True,
            _ => Truth::Unknown,
        }
    }

    #[inline]
    fn code(&self, signal: Signal) -> u8 {
        let code = self.values[signal.index()];
        if signal.is_complemented() {
            code >> 1 | (code & 1) << 1
        } else {
            code
        }
    }

    /// Gives an input or a latch a value; no gate changes.
    pub fn set(&mut self, node: u32, value: Truth) {
        self.values[node as usize] = match value {
            Truth::False => FALSE,
            Truth::True => TRUE,
            Truth::Unknown => UNKNOWN,
        };
    }

    #[inline]
    fn gate(&self, [a, b]: [Signal; 2]) -> u8 {
        let (a, b) = (self.code(a), self.code(b));
        (a | b) & FALSE | a & b & TRUE
    }

    /// Computes all gates from the inputs and latches.
    pub fn evaluate(&mut self, graph: &Graph) {
        for (gate, fanins) in graph.and_gates() {
            self.values[gate as usize] = self.gate(fanins);
        }
        // All nodes are in the cone.
        self.cone = self.cone.wrapping_add(1);
        self.cones.fill(self.cone);
    }

    /// Computes the gates that the targets depend on; `leaf` gives the values of inputs and latches.
    pub fn evaluate_cone(
        &mut self,
        graph: &Graph,
        targets: &[Signal],
        leaf: impl Fn(u32) -> Truth,
    ) {
        self.collect(graph, targets);
        let order = std::mem::take(&mut self.order);
        for &node in &order {
            match graph.fanins(node) {
                Some(fanins) => self.values[node as usize] = self.gate(fanins),
                None if node == 0 => {}
                None => self.set(node, leaf(node)),
            }
        }
        self.order = order;
    }

    /// Writes the cone of the targets into `order`, fanins before gates.
    fn collect(&mut self, graph: &Graph, targets: &[Signal]) {
        self.order.clear();
        if self.cone == u32::MAX {
            self.cones.fill(0);
            self.cone = 0;
        }
        self.cone += 1;
        for target in targets {
            self.stack.push((target.node(), false));
            while let Some((node, entered)) = self.stack.pop() {
                if entered {
                    self.order.push(node);
                    continue;
                }
                if self.cones[node as usize] == self.cone {
                    continue;
                }
                self.cones[node as usize] = self.cone;
                self.stack.push((node, true));
                for fanin in graph.fanins(node).into_iter().flatten() {
                    self.stack.push((fanin.node(), false));
                }
            }
        }
    }

    /// Makes a node unknown, and every gate of the last cone (or evaluation) that this makes unknown. Returns
    /// what changed.
    pub fn forget(&mut self, graph: &Graph, node: u32) -> impl Iterator<Item = u32> {
        self.trail.clear();
        self.spread(graph, node);
        self.trail.iter().map(|(node, _)| *node)
    }

    /// Makes a node and its readers unknown. Stops and returns false when a watched node becomes
    /// unknown; the trail has what changed until then.
    fn spread(&mut self, graph: &Graph, node: u32) -> bool {
        if !self.lose(node) {
            return !self.watched[node as usize];
        }
        let mut done = self.trail.len() - 1;
        while let Some(&(node, _)) = self.trail.get(done) {
            if self.watched[node as usize] {
                return false;
            }
            done += 1;
            let readers = self.starts[node as usize]..self.starts[node as usize + 1];
            for at in readers {
                let reader = self.readers[at as usize];
                if self.cones[reader as usize] != self.cone
                    || self.values[reader as usize] == UNKNOWN
                {
                    continue;
                }
                if let Some(fanins) = graph.fanins(reader)
                    && self.gate(fanins) == UNKNOWN
                {
                    self.lose(reader);
                }
            }
        }
        true
    }

    /// Makes one node unknown; false when it was.
    fn lose(&mut self, node: u32) -> bool {
        let value = std::mem::replace(&mut self.values[node as usize], UNKNOWN);
        if value != UNKNOWN {
            self.trail.push((node, value));
        }
        value != UNKNOWN
    }

    /// Which of the candidates (inputs or latches) the targets need to keep their values when all
    /// leaves have the values that `leaf` gives. They are tried in order, and each that can be unknown stays
    /// unknown; those that cannot are put into `needed`. The targets depend on nothing else among the
    /// candidates.
    pub fn lift(
        &mut self,
        graph: &Graph,
        targets: &[Signal],
        leaf: impl Fn(u32) -> Truth,
        candidates: &[u32],
        needed: &mut Vec<u32>,
    ) {
        self.evaluate_cone(graph, targets, leaf);
        for target in targets {
            debug_assert!(self.value(*target) != Truth::Unknown, "a target is known");
            self.watched[target.index()] = true;
        }
        for &candidate in candidates {
            if self.cones[candidate as usize] != self.cone {
                continue;
            }
            self.trail.clear();
            if !self.spread(graph, candidate) {
                self.undo();
                needed.push(candidate);
            }
        }
        for target in targets {
            self.watched[target.index()] = false;
        }
    }

    fn undo(&mut self) {
        for (node, value) in self.trail.drain(..) {
            self.values[node as usize] = value;
        }
    }
}

/// Who reads each node: where its readers start, and the readers.
fn fanouts(graph: &Graph) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; graph.len() + 1];
    for (_, fanins) in graph.and_gates() {
        for fanin in fanins {
            starts[fanin.index() + 1] += 1;
        }
    }
    for node in 1..starts.len() {
        starts[node] += starts[node - 1];
    }
    let mut ends = starts.clone();
    let mut readers = vec![0; starts[graph.len()] as usize];
    for (gate, fanins) in graph.and_gates() {
        for fanin in fanins {
            let end = &mut ends[fanin.index()];
            readers[*end as usize] = gate;
            *end += 1;
        }
    }
    (starts, readers)
}

#[cfg(test)]
mod tests {
    use super::super::random::{Dice, Shape, netlist};
    use super::super::simulation::Simulation;
    use super::*;

    #[test]
    fn what_is_known_agrees_with_every_completion() {
        let mut dice = Dice::new(1);
        for _ in 0..50 {
            let netlist = netlist(&mut dice, &Shape::default());
            let mut ternary = Ternary::new(&netlist.graph);
            let mut simulation = Simulation::new(&netlist);
            let latches = netlist.latches.iter().map(|latch| latch.node);
            for node in netlist.inputs.iter().copied().chain(latches) {
                let (value, word) = match dice.below(3) {
                    0 => (Truth::False, 0),
                    1 => (Truth::True, u64::MAX),
                    _ => (Truth::Unknown, dice.word()),
                };
                ternary.set(node, value);
                simulation.set(node, word);
            }
            ternary.evaluate(&netlist.graph);
            simulation.evaluate(&netlist);
            for node in 0..netlist.graph.len() as u32 {
                let word = simulation.value(Signal::of(node));
                match ternary.value(Signal::of(node)) {
                    Truth::False => assert_eq!(word, 0),
                    Truth::True => assert_eq!(word, u64::MAX),
                    Truth::Unknown => {}
                }
            }
        }
    }

    #[test]
    fn what_is_lifted_away_cannot_change_a_target() {
        let mut dice = Dice::new(2);
        let mut removed = 0;
        for _ in 0..200 {
            let netlist = netlist(&mut dice, &Shape::default());
            let graph = &netlist.graph;
            let mut ternary = Ternary::new(graph);
            let values: Vec<bool> = (0..graph.len()).map(|_| dice.below(2) == 1).collect();
            let candidates: Vec<u32> = netlist.latches.iter().map(|latch| latch.node).collect();
            let targets: Vec<Signal> = netlist.latches.iter().map(|latch| latch.next).collect();
            let targets = &targets[..targets.len().min(3)];
            // A second use of the same buffers gives the same answer.
            let mut needed = Vec::new();
            let mut again = Vec::new();
            for list in [&mut needed, &mut again] {
                let leaf = |node: u32| Truth::from(values[node as usize]);
                ternary.lift(graph, targets, leaf, &candidates, list);
            }
            assert_eq!(needed, again);
            removed += candidates.len() - needed.len();
            let mut simulation = Simulation::new(&netlist);
            for &node in netlist.inputs.iter().chain(&candidates) {
                let kept = !candidates.contains(&node) || needed.contains(&node);
                let fixed = if values[node as usize] { u64::MAX } else { 0 };
                // The last run has the values that were lifted.
                let word = dice.word() << 1 | u64::from(values[node as usize]);
                simulation.set(node, if kept { fixed } else { word });
            }
            simulation.evaluate(&netlist);
            for target in targets {
                let word = simulation.value(*target);
                assert!(word == 0 || word == u64::MAX, "{target:?} changes");
            }
        }
        assert!(removed > 100, "{removed} latches were lifted away");
    }

    #[test]
    fn forgetting_a_node_is_the_same_as_evaluating_without_it() {
        let mut dice = Dice::new(3);
        for _ in 0..50 {
            let netlist = netlist(&mut dice, &Shape::default());
            let graph = &netlist.graph;
            let mut ternary = Ternary::new(graph);
            let latches = netlist.latches.iter().map(|latch| latch.node);
            let leaves: Vec<u32> = netlist.inputs.iter().copied().chain(latches).collect();
            for &node in &leaves {
                ternary.set(node, Truth::from(dice.below(2) == 1));
            }
            ternary.evaluate(graph);
            let mut whole = ternary.clone();
            for &node in &leaves {
                if dice.below(2) == 0 {
                    let changed = ternary.forget(graph, node).count();
                    assert!(changed > 0);
                    whole.set(node, Truth::Unknown);
                }
            }
            whole.evaluate(graph);
            assert_eq!(ternary.values, whole.values);
        }
    }
}
