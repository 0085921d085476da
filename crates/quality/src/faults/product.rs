//! A netlist beside a copy of itself, with the same inputs: does a fault of the copy show?
//!
//! The bad signal is true when an output differs, or when the constraints accept one of the two only. Without a
//! fault that never happens, and equalities between latches prove it; so that the tests of coverage, asked about
//! the copy, tell faults that are equivalent from those that are not.
//!
//! Registers that begin with any value begin with the same one in both.

use crate::cover::Cut;
use proofmark_model::graph::{
    BitProof, BitTrace, Criterion, CutPlace, CutSites, Graph, Init, Kind, Netlist, Signal,
};

/// The product, and how to get back from it.
pub struct Product {
    /// Nodes, inputs and latches of the original come first, with their numbers.
    pub netlist: Netlist,
    /// The sites of the copy.
    pub sites: CutSites,
    /// The latch that tells the first step from the others, if somebody needs it.
    started: Option<usize>,
    /// The position of the first latch of the copy.
    copied: usize,
}

impl Product {
    /// The product; what is observed are the outputs.
    pub fn new(original: &Netlist, sites: &CutSites) -> Product {
        let mut netlist = original.clone();
        netlist.outputs.clear();
        netlist.bads.clear();
        let free = |init| init == Init::Free;
        let started = original.latches.iter().any(|one| free(one.init));
        let started = started.then(|| {
            netlist.add_latch(Init::Zero);
            let position = netlist.latches.len() - 1;
            netlist.set_next(position, Signal::TRUE);
            position
        });
        let copied = netlist.latches.len();
        let map = copy(original, &mut netlist, started);
        let read = |signal: Signal| map[signal.index()].complement_if(signal.is_complemented());
        for (at, latch) in original.latches.iter().enumerate() {
            netlist.set_next(copied + at, read(latch.next));
        }
        let mut differ: Vec<Signal> = Vec::new();
        for output in &original.outputs {
            differ.push(xor(&mut netlist.graph, output.signal, read(output.signal)));
        }
        if !original.constraints.is_empty() {
            let copies: Vec<Signal> = original.constraints.iter().map(|one| read(*one)).collect();
            let graph = &mut netlist.graph;
            let one = all(graph, &original.constraints);
            let other = all(graph, &copies);
            let neither = graph.add_gate(!one, !other);
            differ.push(xor(graph, one, other));
            netlist.constraints = vec![!neither];
        }
        let same: Vec<Signal> = differ.iter().map(|one| !*one).collect();
        let same = all(&mut netlist.graph, &same);
        netlist.add_bad("an output differs", !same);
        let place = |node: &u32| match original.graph.kind(*node) {
            Kind::Latch(at) => netlist.latches[copied + at as usize].node,
            _ => map[*node as usize].node(),
        };
        let groups = (0..sites.len()).map(|site| sites.nodes(site).iter().map(place).collect());
        let groups: Vec<Vec<u32>> = groups.collect();
        let all = (0..sites.len()).flat_map(|site| sites.nodes(site));
        let partners = all.filter_map(|node| Some((place(node), read(sites.partner(*node)?))));
        let partners = partners.collect();
        let sites = CutSites::new(&netlist, CutPlace::Next, groups).with_partners(partners);
        Product {
            netlist,
            sites,
            started,
            copied,
        }
    }

    /// Why nothing differs without a fault: the latches are the same, from the first step on, or from the second
    /// where the first value is any. What is known of the original helps with faults.
    pub fn proof(&self, invariants: &[Vec<Signal>]) -> BitProof {
        let mut clauses = Vec::new();
        let latches = &self.netlist.latches;
        let started = self.started.map(|at| Signal::of(latches[at].node));
        for (at, copy) in latches[self.copied..].iter().enumerate() {
            let (one, other) = (Signal::of(latches[at].node), Signal::of(copy.node));
            let unless = started.filter(|_| latches[at].init == Init::Free);
            for (one, other) in [(one, !other), (!one, other)] {
                let mut clause = vec![one, other];
                clause.extend(unless.map(|started| !started));
                clauses.push(clause);
            }
        }
        clauses.extend(invariants.iter().cloned());
        BitProof {
            k: 1,
            clauses,
            region: None,
        }
    }

    /// The two runs that a run of the product with a fault in the copy is, up to where they differ first; nothing
    /// when they do not.
    pub fn difference(
        &self,
        original: &Netlist,
        sites: &CutSites,
        cut: Cut,
        run: &BitTrace,
    ) -> Option<super::FaultDifference> {
        let inputs = original.inputs.len();
        let count = original.latches.len();
        let mut one = BitTrace {
            latches: run.latches[..count].to_vec(),
            inputs: run
                .inputs
                .iter()
                .map(|all| all[..inputs].to_vec())
                .collect(),
        };
        let begins = original.latches.iter().zip(&one.latches);
        let begins = begins.map(|(latch, value)| latch.init.value().unwrap_or(*value));
        let mut other = BitTrace {
            latches: begins.collect(),
            inputs: run.inputs.clone(),
        };
        let faulty = sites.cut(original, &[cut.site], cut.criterion);
        debug_assert!(cut.criterion == Criterion::Nondet || faulty.inputs.len() == inputs);
        let (shown, shown_faulty) = (outputs(original, &one), outputs(&faulty, &other));
        let accepts = |netlist: &Netlist, run| {
            let signals: Vec<Signal> = netlist.constraints.clone();
            let values = values(netlist, run, &signals);
            (0..run.inputs.len())
                .map(|step| values.iter().all(|of_signal| of_signal[step]))
                .collect::<Vec<bool>>()
        };
        let (accepted, accepted_faulty) = (accepts(original, &one), accepts(&faulty, &other));
        for step in 0..run.inputs.len() {
            let differ = (0..shown.len()).filter(|at| shown[*at][step] != shown_faulty[*at][step]);
            let differ: Vec<usize> = differ.collect();
            let only_one = accepted[step] != accepted_faulty[step];
            if !only_one && !accepted[step] {
                return None;
            }
            if only_one || !differ.is_empty() {
                one.inputs.truncate(step + 1);
                other.inputs.truncate(step + 1);
                return Some(super::FaultDifference {
                    step,
                    outputs: if only_one { Vec::new() } else { differ },
                    original: one,
                    faulty: other,
                });
            }
        }
        None
    }
}

fn outputs(netlist: &Netlist, run: &BitTrace) -> Vec<Vec<bool>> {
    let signals: Vec<Signal> = netlist.outputs.iter().map(|one| one.signal).collect();
    values(netlist, run, &signals)
}

fn values(netlist: &Netlist, run: &BitTrace, signals: &[Signal]) -> Vec<Vec<bool>> {
    let nodes: Vec<u32> = signals.iter().map(|one| one.node()).collect();
    let mut values = netlist.watch(run, &nodes);
    for (values, signal) in values.iter_mut().zip(signals) {
        if signal.is_complemented() {
            values.iter_mut().for_each(|value| *value = !*value);
        }
    }
    values
}

/// Copies latches and gates. The signal of the copy for each node of the original.
fn copy(original: &Netlist, netlist: &mut Netlist, started: Option<usize>) -> Vec<Signal> {
    let mut map: Vec<Signal> = (0..original.graph.len() as u32).map(Signal::of).collect();
    for latch in &original.latches {
        let own = match latch.init {
            Init::Free => Init::Zero,
            known => known,
        };
        let copy = netlist.add_latch(own);
        map[latch.node as usize] = match (latch.init, started) {
            (Init::Free, Some(started)) => {
                let started = Signal::of(netlist.latches[started].node);
                mux(&mut netlist.graph, started, copy, Signal::of(latch.node))
            }
            _ => copy,
        };
    }
    for (gate, fanins) in original.graph.and_gates() {
        let [a, b] = fanins.map(|one| map[one.index()].complement_if(one.is_complemented()));
        map[gate as usize] = netlist.graph.add_gate(a, b);
    }
    map
}

// The gates of the product are added as they stand: one that is shared with the copy would be faulty with it.

fn xor(graph: &mut Graph, a: Signal, b: Signal) -> Signal {
    let both = graph.add_gate(a, b);
    let neither = graph.add_gate(!a, !b);
    graph.add_gate(!both, !neither)
}

fn mux(graph: &mut Graph, condition: Signal, then: Signal, otherwise: Signal) -> Signal {
    let yes = graph.add_gate(condition, then);
    let no = graph.add_gate(!condition, otherwise);
    !graph.add_gate(!yes, !no)
}

fn all(graph: &mut Graph, signals: &[Signal]) -> Signal {
    let mut signals = signals.iter().copied();
    let first = signals.next().unwrap_or(Signal::TRUE);
    signals.fold(first, |all, one| graph.add_gate(all, one))
}
