//! Gates as clauses, in the way of Tseitin (1968).
//!
//! Only the cone that is asked for is written, and what is there already is not written again: an engine
//! that unrolls pays for the cone of each frame and nothing else. Three gates that are an exclusive or or
//! a multiplexer become one function of their leaves, and a conjunction of gates that nobody else reads
//! one long conjunction, so that the nodes between need no variable (Eén, Mishchenko and Sörensson,
//! "Applying Logic Synthesis for Speeding Up SAT", 2007, call this the shape of the gates).
//!
//! Constants never appear in a clause, and a clause has no literal twice.

use super::gates::Graph;
use super::netlist::Netlist;
use super::signal::Signal;

/// The longest conjunction that becomes one function.
const LONGEST: usize = 12;

/// Which nodes may be left out: it depends on who reads them.
#[derive(Clone, Debug)]
pub struct Encoding {
    /// How many read each node, roots of the netlist included, up to two.
    readers: Vec<u8>,
}

/// What a gate is as a function of nodes further down.
enum Function {
    /// The conjunction of the leaves.
    And,
    /// The exclusive or of two leaves.
    Xor([Signal; 2]),
    /// Condition, then, else; the gate is the complement.
    NotMux([Signal; 3]),
}

impl Encoding {
    /// Counts who reads each gate: one that has a single reader may go without a variable.
    pub fn new(netlist: &Netlist) -> Encoding {
        let mut readers = vec![0u8; netlist.graph.len()];
        let mut read = |signal: Signal, times: u8| {
            let count = &mut readers[signal.index()];
            *count = (*count + times).min(2);
        };
        for (_, fanins) in netlist.graph.and_gates() {
            fanins.into_iter().for_each(|fanin| read(fanin, 1));
        }
        // What an engine asks about has a variable of its own.
        netlist.roots().for_each(|root| read(root, 2));
        Encoding { readers }
    }

    /// Writes the clauses that define the roots in terms of inputs and latches. `enter` is told of
    /// every node (inputs and latches, too) before a clause speaks of it, and says whether it is new: the
    /// clauses of what is not new are not written again. The literals of a clause are signals of the
    /// graph.
    pub fn clauses(
        &self,
        graph: &Graph,
        roots: impl IntoIterator<Item = Signal>,
        mut enter: impl FnMut(u32) -> bool,
        mut emit: impl FnMut(&[Signal]),
    ) {
        let mut stack = Vec::new();
        let mut leaves = Vec::new();
        for root in roots {
            if !root.is_constant() && enter(root.node()) {
                stack.push(root.node());
            }
            while let Some(node) = stack.pop() {
                let Some(fanins) = graph.fanins(node) else {
                    continue;
                };
                leaves.clear();
                let function = self.function(graph, fanins, &mut leaves);
                for leaf in &leaves {
                    if !leaf.is_constant() && enter(leaf.node()) {
                        stack.push(leaf.node());
                    }
                }
                write(Signal::of(node), &function, &mut leaves, &mut emit);
            }
        }
    }

    /// What a gate is, and the leaves of that.
    fn function(&self, graph: &Graph, fanins: [Signal; 2], leaves: &mut Vec<Signal>) -> Function {
        if let Some(function) = branching(graph, fanins) {
            match &function {
                Function::Xor(pair) => leaves.extend(pair),
                Function::NotMux(three) => leaves.extend(three),
                Function::And => {}
            }
            return function;
        }
        leaves.extend(fanins);
        let mut at = 0;
        while at < leaves.len() && leaves.len() < LONGEST {
            match self.inside(graph, leaves[at]) {
                Some([a, b]) => {
                    leaves[at] = a;
                    leaves.push(b);
                }
                None => at += 1,
            }
        }
        Function::And
    }

    /// The fanins of a conjunction that only the conjunction above it reads.
    fn inside(&self, graph: &Graph, signal: Signal) -> Option<[Signal; 2]> {
        if signal.is_complemented() || self.readers[signal.index()] > 1 {
            return None;
        }
        let fanins = graph.fanins(signal.node())?;
        match branching(graph, fanins) {
            Some(_) => None,
            None => Some(fanins),
        }
    }
}

/// Whether a gate over these fanins is an exclusive or, or the complement of a multiplexer: both fanins are
/// complemented conjunctions, one with a signal and one with its complement.
fn branching(graph: &Graph, [x, y]: [Signal; 2]) -> Option<Function> {
    if !x.is_complemented() || !y.is_complemented() || x == y {
        return None;
    }
    let (one, other) = (graph.fanins(x.node())?, graph.fanins(y.node())?);
    let nodes = |pair: [Signal; 2]| pair[0].node() != pair[1].node();
    let constant = |signal: &Signal| signal.is_constant();
    if !nodes(one) || !nodes(other) || one.iter().chain(&other).any(constant) {
        return None;
    }
    let [a, b] = one;
    if (other[0] == !a && other[1] == !b) || (other[0] == !b && other[1] == !a) {
        // Neither both nor none.
        return Some(Function::Xor([a, b]));
    }
    for (condition, then) in [(a, b), (b, a)] {
        for (negated, otherwise) in [(other[0], other[1]), (other[1], other[0])] {
            if negated == !condition {
                return Some(Function::NotMux([condition, then, otherwise]));
            }
        }
    }
    None
}

fn write(
    gate: Signal,
    function: &Function,
    leaves: &mut Vec<Signal>,
    emit: &mut impl FnMut(&[Signal]),
) {
    match *function {
        Function::And => conjunction(gate, leaves, emit),
        Function::Xor([a, b]) => {
            emit(&[!gate, a, b]);
            emit(&[!gate, !a, !b]);
            emit(&[gate, !a, b]);
            emit(&[gate, a, !b]);
        }
        Function::NotMux([condition, then, otherwise]) => {
            emit(&[!condition, !then, !gate]);
            emit(&[!condition, then, gate]);
            emit(&[condition, !otherwise, !gate]);
            emit(&[condition, otherwise, gate]);
            // Not needed, but they propagate when both branches agree.
            if then.node() != otherwise.node() {
                emit(&[!then, !otherwise, !gate]);
                emit(&[then, otherwise, gate]);
            }
        }
    }
}

/// The gate is true exactly when all leaves are.
fn conjunction(gate: Signal, leaves: &mut Vec<Signal>, emit: &mut impl FnMut(&[Signal])) {
    leaves.sort_unstable();
    leaves.dedup();
    leaves.retain(|leaf| *leaf != Signal::TRUE);
    // A signal and its complement are neighbours now.
    let clash = leaves.windows(2).any(|pair| pair[0] == !pair[1]);
    if clash || leaves.contains(&Signal::FALSE) {
        emit(&[!gate]);
        return;
    }
    for &leaf in leaves.iter() {
        emit(&[!gate, leaf]);
    }
    leaves.iter_mut().for_each(|leaf| *leaf = !*leaf);
    leaves.push(gate);
    emit(leaves);
}

#[cfg(test)]
mod tests {
    use super::super::random::{Dice, Shape, netlist};
    use super::super::simulation::Simulation;
    use super::*;
    use rustc_hash::FxHashSet;

    /// Unit propagation to the end; the literals that are true, or none at a conflict.
    fn propagate(clauses: &[Vec<Signal>], leaves: &[Signal]) -> Option<FxHashSet<Signal>> {
        let mut known: FxHashSet<Signal> = leaves.iter().copied().collect();
        loop {
            let before = known.len();
            for clause in clauses {
                if clause.iter().any(|one| known.contains(one)) {
                    continue;
                }
                let open: Vec<Signal> = clause
                    .iter()
                    .copied()
                    .filter(|one| !known.contains(&!*one))
                    .collect();
                match open[..] {
                    [] => return None,
                    [only] => _ = known.insert(only),
                    _ => {}
                }
            }
            if known.len() == before {
                return Some(known);
            }
        }
    }

    #[test]
    fn the_clauses_define_every_node_that_they_enter() {
        let mut dice = Dice::new(5);
        let mut saved = 0;
        for _ in 0..300 {
            let netlist = netlist(&mut dice, &Shape::default());
            let encoding = Encoding::new(&netlist);
            let mut entered = FxHashSet::default();
            let mut clauses = Vec::new();
            let roots: Vec<Signal> = netlist.roots().take(3).collect();
            let mut mentioned = FxHashSet::default();
            encoding.clauses(
                &netlist.graph,
                roots.iter().copied(),
                |node| entered.insert(node),
                |clause| {
                    mentioned.extend(clause.iter().map(|one| one.node()));
                    clauses.push(clause.to_vec());
                },
            );
            assert!(mentioned.is_subset(&entered) && !mentioned.contains(&0));
            saved += netlist.graph.len() - entered.len();
            let mut simulation = Simulation::new(&netlist);
            for node in 0..netlist.graph.len() as u32 {
                simulation.set(node, dice.word());
            }
            simulation.evaluate(&netlist);
            for run in 0..8 {
                let literal = |node: u32| {
                    let value = simulation.value(Signal::of(node)) >> run & 1 == 1;
                    Signal::of(node).complement_if(!value)
                };
                let leaves: Vec<Signal> = entered
                    .iter()
                    .filter(|node| netlist.graph.fanins(**node).is_none())
                    .map(|node| literal(*node))
                    .collect();
                let known = propagate(&clauses, &leaves).expect("gates never conflict");
                for &node in &entered {
                    assert!(known.contains(&literal(node)), "node {node}");
                }
            }
        }
        assert!(saved > 100);
    }

    #[test]
    fn an_exclusive_or_needs_no_variables_between() {
        let mut netlist = Netlist::default();
        let (a, b) = (netlist.add_input(), netlist.add_input());
        let both = netlist.graph.xor(a, b);
        netlist.add_bad("differ", both);
        let mut entered = Vec::new();
        let mut count = 0;
        Encoding::new(&netlist).clauses(
            &netlist.graph,
            [both],
            |node| {
                entered.push(node);
                true
            },
            |_| count += 1,
        );
        assert_eq!(entered.len(), 3);
        assert_eq!(count, 4);
    }
}
