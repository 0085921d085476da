//! The graph itself: eight bytes a node, and a table that finds a gate by its fanins.
//!
//! Structural hashing as in Kuehlmann, Paruthi, Krohm and Ganai, "Robust Boolean Reasoning for Equivalence
//! Checking and Functional Property Verification" (2002): [`Graph::and`] gives the same node for the
//! same fanins, and makes no gate for what a look at the two signals and their fanins decides (rules of
//! Brummayer and Biere, "Local Two-Level And-Inverter Graph Minimization without Blowup", 2006). The table holds node
//! numbers alone (open addressing, linear probing); the fanins that it compares are in the nodes.
//!
//! Invariant: the fanins of a gate have smaller numbers than the gate, the greater signal first.

use super::signal::Signal;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Node 0, which is false.
    Constant,
    /// An input by its position among the inputs.
    Input(u32),
    /// A latch by its position among the latches.
    Latch(u32),
    /// A gate: the conjunction of two signals of nodes before it.
    And(Signal, Signal),
}

/// Marks in the place of the first fanin: no signal has these codes, for a graph has fewer than
/// 2^31 - 2 nodes.
const INPUT: u32 = u32::MAX;
const LATCH: u32 = u32::MAX - 1;
const CONSTANT: u32 = u32::MAX - 2;

/// The greatest number of nodes.
const MOST_NODES: usize = (u32::MAX / 2) as usize - 2;

/// What a look at the fanins of two signals tells of their conjunction.
enum Below {
    Decided(Signal),
    /// The conjunction of two others, of which one has a smaller number.
    Instead(Signal, Signal),
    /// An exclusive or of which one argument is complemented: there is one form for both.
    Xor(Signal, Signal),
    Nothing,
}

/// Nodes and the table of gates.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The fanins of a gate, or a mark and the position.
    nodes: Vec<[u32; 2]>,
    /// Numbers of gates by the hash of their fanins; 0 where there is none. A power of two long.
    table: Vec<u32>,
    /// How many gates the table has.
    hashed: usize,
    inputs: u32,
    latches: u32,
}

impl Default for Graph {
    fn default() -> Graph {
        Graph {
            nodes: vec![[CONSTANT, 0]],
            table: Vec::new(),
            hashed: 0,
            inputs: 0,
            latches: 0,
        }
    }
}

impl Graph {
    /// The number of nodes; every node has a smaller number.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing but the constant.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// The number of gates.
    pub fn gates(&self) -> usize {
        self.len() - 1 - self.inputs as usize - self.latches as usize
    }

    /// What a node is, by its number.
    pub fn kind(&self, node: u32) -> Kind {
        match self.nodes[node as usize] {
            [CONSTANT, _] => Kind::Constant,
            [INPUT, position] => Kind::Input(position),
            [LATCH, position] => Kind::Latch(position),
            [a, b] => Kind::And(Signal::from_code(a), Signal::from_code(b)),
        }
    }

    /// The fanins of a gate.
    #[inline]
    pub fn fanins(&self, node: u32) -> Option<[Signal; 2]> {
        let [a, b] = self.nodes[node as usize];
        (a < CONSTANT).then(|| [Signal::from_code(a), Signal::from_code(b)])
    }

    /// Every gate with its fanins, fanins before gates.
    pub fn and_gates(&self) -> impl Iterator<Item = (u32, [Signal; 2])> {
        let nodes = self.nodes.iter().zip(0u32..);
        nodes.filter_map(|([a, b], node)| {
            let fanins = [Signal::from_code(*a), Signal::from_code(*b)];
            (*a < CONSTANT).then_some((node, fanins))
        })
    }

    fn push(&mut self, node: [u32; 2]) -> Signal {
        assert!(
            self.nodes.len() < MOST_NODES,
            "a graph has at most 2^31 nodes"
        );
        let signal = Signal::of(self.nodes.len() as u32);
        self.nodes.push(node);
        signal
    }

    pub(super) fn add_input(&mut self) -> Signal {
        let position = self.inputs;
        self.inputs += 1;
        self.push([INPUT, position])
    }

    pub(super) fn add_latch(&mut self) -> Signal {
        let position = self.latches;
        self.latches += 1;
        self.push([LATCH, position])
    }

    /// Makes an input of a gate, in its place. The table may still lead to it: see
    /// [`Graph::forget_table`].
    pub(super) fn gate_to_input(&mut self, gate: u32) {
        debug_assert!(matches!(self.kind(gate), Kind::And(..)));
        self.nodes[gate as usize] = [INPUT, self.inputs];
        self.inputs += 1;
    }

    /// Makes a gate constant, in its place. The table may still lead to it: see
    /// [`Graph::forget_table`].
    pub(super) fn gate_to_constant(&mut self, gate: u32, value: bool) {
        debug_assert!(matches!(self.kind(gate), Kind::And(..)));
        let signal = Signal::constant(value);
        self.nodes[gate as usize] = [signal.code(); 2];
    }

    /// Gives a gate other fanins, in its place. The table may still lead to it: see
    /// [`Graph::forget_table`].
    pub(super) fn set_gate(&mut self, gate: u32, a: Signal, b: Signal) {
        debug_assert!(matches!(self.kind(gate), Kind::And(..)));
        debug_assert!(a.node().max(b.node()) < gate);
        self.nodes[gate as usize] = self.ordered(a, b);
    }

    /// Every gate that reads a node reads its complement from now on. The table may still lead to them.
    pub(super) fn complement_fanins(&mut self, node: u32) {
        let turn = |signal: Signal| signal.complement_if(signal.node() == node);
        for reader in node as usize + 1..self.nodes.len() {
            if let Some([a, b]) = self.fanins(reader as u32)
                && (a.node() == node || b.node() == node)
            {
                self.nodes[reader] = self.ordered(turn(a), turn(b));
            }
        }
    }

    /// Makes room for so many more nodes.
    pub fn reserve(&mut self, nodes: usize) {
        self.nodes.reserve(nodes);
    }

    /// A gate as it stands, for those who keep the gates of a file one by one: it is not simplified, and
    /// [`Graph::and`] does not find it.
    pub fn add_gate(&mut self, a: Signal, b: Signal) -> Signal {
        let fanins = self.ordered(a, b);
        self.push(fanins)
    }

    fn ordered(&self, a: Signal, b: Signal) -> [u32; 2] {
        debug_assert!(a.index().max(b.index()) < self.len());
        [a.max(b).code(), a.min(b).code()]
    }

    /// The conjunction: a known signal where the two decide it, otherwise the only gate that has
    /// these fanins.
    pub fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let [high, low] = self.ordered(a, b).map(Signal::from_code);
        match low {
            Signal::FALSE => return Signal::FALSE,
            Signal::TRUE => return high,
            _ if low == high => return high,
            _ if low == !high => return Signal::FALSE,
            _ => {}
        }
        match self.look_below(high, low) {
            Below::Decided(signal) => return signal,
            Below::Instead(a, b) => return self.and(a, b),
            Below::Xor(a, b) => return self.xor(a, b),
            Below::Nothing => {}
        }
        if 4 * (self.hashed + 1) > 3 * self.table.len() {
            self.grow();
        }
        let fanins = [high.code(), low.code()];
        let slot = self.slot(fanins);
        if self.table[slot] != 0 {
            return Signal::of(self.table[slot]);
        }
        let gate = self.push(fanins);
        self.table[slot] = gate.node();
        self.hashed += 1;
        gate
    }

    /// What the fanins of two signals say of their conjunction.
    fn look_below(&self, x: Signal, y: Signal) -> Below {
        let below = [self.fanins(x.node()), self.fanins(y.node())];
        for (gate, fanins, other) in [(x, below[0], y), (y, below[1], x)] {
            let Some([a, b]) = fanins else { continue };
            match gate.is_complemented() {
                false if a == !other || b == !other => return Below::Decided(Signal::FALSE),
                false if a == other || b == other => return Below::Decided(gate),
                true if a == !other || b == !other => return Below::Decided(other),
                true if a == other => return Below::Instead(other, !b),
                true if b == other => return Below::Instead(other, !a),
                _ => {}
            }
        }
        let [Some([a, b]), Some([c, d])] = below else {
            return Below::Nothing;
        };
        let clash = a == !c || a == !d || b == !c || b == !d;
        match (x.is_complemented(), y.is_complemented()) {
            (false, false) if clash => Below::Decided(Signal::FALSE),
            // `!(a & b)` says nothing where `!a` or `!b` is given.
            (false, true) if clash => Below::Decided(x),
            (true, false) if clash => Below::Decided(y),
            (true, true) if (a == c && b == !d) || (a == d && b == !c) => Below::Decided(!a),
            (true, true) if (b == c && a == !d) || (b == d && a == !c) => Below::Decided(!b),
            (true, true) if (a == !c && b == !d) || (a == !d && b == !c) => {
                match a.is_complemented() == b.is_complemented() {
                    true => Below::Nothing,
                    false => Below::Xor(a, b),
                }
            }
            _ => Below::Nothing,
        }
    }

    /// Where a gate stands in the table, or would.
    fn slot(&self, fanins: [u32; 2]) -> usize {
        let mask = self.table.len() - 1;
        let key = u64::from(fanins[0]) << 32 | u64::from(fanins[1]);
        // Fibonacci hashing: the upper bits of the product depend on all of the key.
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut slot = (hash >> 32) as usize & mask;
        while self.table[slot] != 0 && self.nodes[self.table[slot] as usize] != fanins {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let size = (2 * self.table.len()).max(64);
        let old = std::mem::replace(&mut self.table, vec![0; size]);
        for gate in old.into_iter().filter(|gate| *gate != 0) {
            let slot = self.slot(self.nodes[gate as usize]);
            self.table[slot] = gate;
        }
    }

    /// Gives the memory of the table back: later gates are no longer equal to earlier ones.
    pub fn forget_table(&mut self) {
        self.table = Vec::new();
        self.hashed = 0;
        self.nodes.shrink_to_fit();
    }

    /// The disjunction.
    pub fn or(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(!a, !b)
    }

    /// Whether the second is true when the first is.
    pub fn implies(&mut self, a: Signal, b: Signal) -> Signal {
        !self.and(a, !b)
    }

    /// Exclusive or, as two negated conjunctions under a third.
    pub fn xor(&mut self, a: Signal, b: Signal) -> Signal {
        // Complements move to the output, so that equal functions share their gates.
        let flipped = a.is_complemented() != b.is_complemented();
        let (a, b) = (a.positive(), b.positive());
        let both = self.and(a, b);
        let neither = self.and(!a, !b);
        self.and(!both, !neither).complement_if(flipped)
    }

    /// Whether both are the same.
    pub fn iff(&mut self, a: Signal, b: Signal) -> Signal {
        !self.xor(a, b)
    }

    /// `then` where `condition` is true, otherwise `otherwise`.
    pub fn mux(&mut self, condition: Signal, then: Signal, otherwise: Signal) -> Signal {
        if then == otherwise {
            return then;
        }
        if then == !otherwise {
            return self.xor(condition, otherwise);
        }
        let yes = self.and(condition, then);
        let no = self.and(!condition, otherwise);
        self.or(yes, no)
    }

    /// The conjunction of any number of signals, as a balanced tree.
    pub fn and_all(&mut self, signals: &[Signal]) -> Signal {
        match signals {
            [] => Signal::TRUE,
            [only] => *only,
            _ => {
                let (left, right) = signals.split_at(signals.len() / 2);
                let (left, right) = (self.and_all(left), self.and_all(right));
                self.and(left, right)
            }
        }
    }

    /// The disjunction of any number of signals.
    pub fn or_all(&mut self, signals: &[Signal]) -> Signal {
        let complements: Vec<Signal> = signals.iter().map(|one| !*one).collect();
        !self.and_all(&complements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> (Graph, Signal, Signal) {
        let mut graph = Graph::default();
        let (a, b) = (graph.add_input(), graph.add_input());
        (graph, a, b)
    }

    #[test]
    fn equal_gates_are_one_node() {
        let (mut graph, a, b) = two();
        let gate = graph.and(a, !b);
        assert_eq!(graph.and(!b, a), gate);
        assert_eq!(graph.gates(), 1);
        assert_ne!(graph.and(a, b), gate);
        let twice = graph.xor(a, b);
        assert_eq!(graph.xor(!b, a), !twice);
    }

    #[test]
    fn a_look_at_two_signals_makes_no_gate() {
        let (mut graph, a, b) = two();
        assert_eq!(graph.and(a, Signal::TRUE), a);
        assert_eq!(graph.and(Signal::FALSE, a), Signal::FALSE);
        assert_eq!(graph.and(a, a), a);
        assert_eq!(graph.and(a, !a), Signal::FALSE);
        assert_eq!(graph.or(a, !a), Signal::TRUE);
        assert_eq!(graph.xor(a, a), Signal::FALSE);
        assert_eq!(graph.xor(a, Signal::TRUE), !a);
        assert_eq!(graph.mux(b, a, a), a);
        assert_eq!(graph.mux(Signal::TRUE, a, b), a);
        assert_eq!(graph.gates(), 0);
    }

    #[test]
    fn a_look_at_the_fanins_keeps_the_function() {
        // All conjunctions of two conjunctions over three inputs and their complements.
        let mut graph = Graph::default();
        let mut signals: Vec<(Signal, u8)> = Vec::new();
        for truth in [0xAA, 0xCC, 0xF0] {
            signals.push((graph.add_input(), truth));
        }
        for (at, other) in [(0, 1), (0, 2), (1, 2)] {
            for signs in 0..4 {
                let [x, y] = [(at, signs & 1), (other, signs >> 1)].map(|(at, sign)| {
                    let (signal, truth) = signals[at];
                    (signal.complement_if(sign == 1), truth ^ [0, 0xFF][sign])
                });
                signals.push((graph.and(x.0, y.0), x.1 & y.1));
            }
        }
        let both = signals
            .iter()
            .flat_map(|(one, truth)| [(*one, *truth), (!*one, !*truth)]);
        let both: Vec<(Signal, u8)> = both.collect();
        let mut truths: Vec<Option<u8>> = vec![None; graph.len()];
        truths[0] = Some(0);
        for (signal, truth) in &signals {
            truths[signal.index()] = Some(*truth);
        }
        let mut saved = 0;
        for (x, y) in both.iter().flat_map(|x| both.iter().map(move |y| (x, y))) {
            let size = graph.len();
            let gate = graph.and(x.0, y.0);
            truths.resize(graph.len(), None);
            for node in size..graph.len() {
                let Some(fanins) = graph.fanins(node as u32) else {
                    panic!("only gates are new");
                };
                let [a, b] = fanins.map(|one| {
                    let truth = truths[one.index()].expect("it is known");
                    truth ^ if one.is_complemented() { 0xFF } else { 0 }
                });
                truths[node] = Some(a & b);
            }
            saved += usize::from(size == graph.len());
            let truth = truths[gate.index()].expect("it is known");
            let flip = if gate.is_complemented() { 0xFF } else { 0 };
            assert_eq!(truth ^ flip, x.1 & y.1, "{:?} & {:?}", x.0, y.0);
        }
        assert!(saved > 400, "{saved}");
    }

    #[test]
    fn gates_are_found_again_when_the_table_has_grown() {
        let (mut graph, a, b) = two();
        let others: Vec<Signal> = (0..10_000).map(|_| graph.add_input()).collect();
        let gates: Vec<Signal> = others.iter().map(|one| graph.and(a, !*one)).collect();
        let chain: Vec<Signal> = gates.iter().map(|one| graph.xor(b, *one)).collect();
        let size = graph.len();
        for (at, other) in others.iter().enumerate() {
            let gate = graph.and(!*other, a);
            assert_eq!(gate, gates[at]);
            assert_eq!(graph.xor(b, gate), chain[at]);
        }
        assert_eq!(graph.len(), size);
        assert_eq!(graph.gates(), 40_000);
    }
}
