//! Cuts and faults: a node of a netlist replaced by an input, a constant, or another function.
//!
//! Chockler, Kroening and Purandare, "Coverage in Interpolation-based Model Checking" (2010), ask of each
//! node whether a property notices when it is cut. A cut gate becomes an input or a constant in its
//! place. A latch can be cut in two places: at its next value, which leaves its first value alone, or at
//! its output, so that every reader sees the cut value, from the first step on. The second is a latch
//! that begins and goes on with the cut value, which keeps the state of all cut netlists the same: clauses
//! over latches speak of each of them.
//!
//! The other faults are those of Yosys' `mutate`: inverted, and inverted while another bit (the *partner*) is
//! true (`cnot1`) or false (`cnot0`). Whoever asks for faults chooses the partners. That of a gate is one of its
//! fanins, so that the fault is a gate with other polarities and takes its place; that of a latch is any signal,
//! and both are told at the latch's next value. A free value takes in all of them.

use super::gates::Kind;
use super::netlist::{Init, Netlist};
use super::signal::Signal;
use super::simulation::BitTrace;
use rustc_hash::FxHashMap;

/// What a cut node becomes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Criterion {
    /// Any value at every step.
    Nondet,
    /// Stuck at false.
    Zero,
    /// Stuck at true.
    One,
    /// The complement.
    Inverted,
    /// The complement while the partner is true.
    Xor,
    /// The complement while the partner is false.
    Xnor,
}

impl Criterion {
    /// All of them, the one that the others are cases of first.
    pub const ALL: [Criterion; 6] = [
        Criterion::Nondet,
        Criterion::Zero,
        Criterion::One,
        Criterion::Inverted,
        Criterion::Xor,
        Criterion::Xnor,
    ];

    /// Those of coverage.
    pub const COVERAGE: [Criterion; 3] = [Criterion::Nondet, Criterion::Zero, Criterion::One];

    /// The value that it is stuck at.
    pub fn value(self) -> Option<bool> {
        match self {
            Criterion::Zero => Some(false),
            Criterion::One => Some(true),
            _ => None,
        }
    }

    /// Whether it is a function of what the node is given.
    pub fn is_twisted(self) -> bool {
        matches!(self, Criterion::Inverted | Criterion::Xor | Criterion::Xnor)
    }

    /// What the readers see, of what the node is given and of its partner, unless any value may be.
    pub fn seen(self, given: bool, partner: bool) -> Option<bool> {
        match self {
            Criterion::Nondet => None,
            Criterion::Zero => Some(false),
            Criterion::One => Some(true),
            Criterion::Inverted => Some(!given),
            Criterion::Xor => Some(given ^ partner),
            Criterion::Xnor => Some(given == partner),
        }
    }

    /// As reports write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Criterion::Nondet => "nondet",
            Criterion::Zero => "zero",
            Criterion::One => "one",
            Criterion::Inverted => "inverted",
            Criterion::Xor => "xor",
            Criterion::Xnor => "xnor",
        }
    }
}

/// A set of criteria.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Criteria(u8);

impl Criteria {
    /// None.
    pub const NONE: Criteria = Criteria(0);
    /// Those of coverage.
    pub const COVERAGE: Criteria = Criteria(0b111);

    /// These and one more.
    #[must_use]
    pub fn with(self, one: Criterion) -> Criteria {
        Criteria(self.0 | 1 << one as u8)
    }

    /// These but for one.
    #[must_use]
    pub fn without(self, one: Criterion) -> Criteria {
        Criteria(self.0 & !(1 << one as u8))
    }

    /// Whether it is one of them.
    pub fn has(self, one: Criterion) -> bool {
        self.0 >> one as u8 & 1 == 1
    }

    /// How many they are.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Where a latch is cut; a gate has only one place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CutPlace {
    /// Its next value: the first value stays as it is.
    #[default]
    Next,
    /// Its output: all readers see the cut value, at the first step as well.
    Output,
}

/// The sites of a netlist: groups of latches or gates that are cut together, such as the bits of a word.
#[derive(Clone, Debug, Default)]
pub struct CutSites {
    /// Where latches are cut.
    pub place: CutPlace,
    groups: Vec<Vec<u32>>,
    /// For every node the site that it belongs to, or `NO_SITE`.
    site_of: Vec<u32>,
    /// The partners of nodes, if there are faults other than cuts.
    partners: Option<FxHashMap<u32, Signal>>,
}

const NO_SITE: u32 = u32::MAX;

impl CutSites {
    /// Groups of latches and gates. A node belongs to one group at most: to the first that has it.
    pub fn new(netlist: &Netlist, place: CutPlace, groups: Vec<Vec<u32>>) -> CutSites {
        let mut site_of = vec![NO_SITE; netlist.graph.len()];
        for (site, group) in (0u32..).zip(&groups) {
            for &node in group {
                let known = &mut site_of[node as usize];
                if *known == NO_SITE {
                    *known = site;
                }
            }
        }
        CutSites {
            place,
            groups,
            site_of,
            partners: None,
        }
    }

    /// With faults that are no cuts; each node of a site has a partner. Latches are changed at their next values.
    #[must_use]
    pub fn with_partners(self, partners: FxHashMap<u32, Signal>) -> CutSites {
        debug_assert_eq!(self.place, CutPlace::Next);
        CutSites {
            partners: Some(partners),
            ..self
        }
    }

    /// Whether there are faults other than cuts.
    pub fn has_partners(&self) -> bool {
        self.partners.is_some()
    }

    /// What a node is twisted with, if there are faults other than cuts.
    pub fn partner(&self, node: u32) -> Option<Signal> {
        self.partners.as_ref()?.get(&node).copied()
    }

    /// Every latch by itself.
    pub fn latches(netlist: &Netlist, place: CutPlace) -> CutSites {
        let latches = netlist.latches.iter();
        CutSites::new(netlist, place, latches.map(|one| vec![one.node]).collect())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The nodes of a site.
    pub fn nodes(&self, site: usize) -> &[u32] {
        &self.groups[site]
    }

    /// The site of a node; what a cut has added belongs to none.
    pub fn of(&self, node: u32) -> Option<usize> {
        let site = *self.site_of.get(node as usize)?;
        (site != NO_SITE).then_some(site as usize)
    }

    /// The netlist with these sites cut.
    #[must_use]
    pub fn cut(&self, netlist: &Netlist, sites: &[usize], criterion: Criterion) -> Netlist {
        let nodes = sites.iter().flat_map(|site| self.nodes(*site).iter());
        let nodes: Vec<u32> = nodes.copied().collect();
        match criterion.is_twisted() {
            false => netlist.cut(&nodes, self.place, criterion),
            true => self.twist(netlist, &nodes, criterion),
        }
    }

    fn twist(&self, netlist: &Netlist, nodes: &[u32], criterion: Criterion) -> Netlist {
        let mut twisted = netlist.clone();
        for &node in nodes {
            match (netlist.graph.kind(node), self.partner(node)) {
                (Kind::Latch(position), Some(partner)) => {
                    twisted.twist_latch(position as usize, partner, criterion);
                }
                (Kind::And(..), Some(partner)) => twisted.twist_gate(node, partner, criterion),
                _ => debug_assert!(false, "only latches and gates have faults"),
            }
        }
        twisted.graph.forget_table();
        twisted
    }
}

impl Netlist {
    /// The netlist with some latches and gates cut. Nodes and latches keep their numbers; where the
    /// value is free, the inputs that give it come behind all others, in the order of the nodes.
    #[must_use]
    pub fn cut(&self, nodes: &[u32], place: CutPlace, criterion: Criterion) -> Netlist {
        let mut cut = self.clone();
        for &node in nodes {
            match self.graph.kind(node) {
                Kind::Latch(position) => cut.cut_latch(position as usize, place, criterion),
                Kind::And(..) => cut.cut_gate(node, criterion),
                Kind::Constant | Kind::Input(_) => {
                    debug_assert!(false, "only latches and gates are cut");
                }
            }
        }
        cut.graph.forget_table();
        cut
    }

    fn cut_latch(&mut self, position: usize, place: CutPlace, criterion: Criterion) {
        let next = match criterion.value() {
            Some(value) => Signal::constant(value),
            None => self.add_input(),
        };
        self.set_next(position, next);
        if place == CutPlace::Output {
            self.latches[position].init = criterion.value().map_or(Init::Free, Init::from);
        }
    }

    fn cut_gate(&mut self, node: u32, criterion: Criterion) {
        match criterion.value() {
            Some(value) => self.graph.gate_to_constant(node, value),
            None => {
                self.graph.gate_to_input(node);
                self.inputs.push(node);
            }
        }
    }

    fn twist_latch(&mut self, position: usize, partner: Signal, criterion: Criterion) {
        let given = self.latches[position].next;
        let next = match criterion {
            Criterion::Inverted => !given,
            _ => {
                let graph = &mut self.graph;
                let both = graph.add_gate(given, partner);
                let neither = graph.add_gate(!given, !partner);
                let differ = graph.add_gate(!both, !neither);
                differ.complement_if(criterion == Criterion::Xnor)
            }
        };
        self.set_next(position, next);
    }

    /// A gate exclusive-or one of its fanins is the gate with the other fanin complemented.
    fn twist_gate(&mut self, node: u32, partner: Signal, criterion: Criterion) {
        if let (Criterion::Xor | Criterion::Xnor, Kind::And(a, b)) =
            (criterion, self.graph.kind(node))
        {
            debug_assert!(partner == a || partner == b);
            let other = if partner == a { b } else { a };
            self.graph.set_gate(node, partner, !other);
        }
        if let Criterion::Inverted | Criterion::Xnor = criterion {
            self.complement_readers(node);
        }
    }

    /// Everything that reads a node reads its complement from now on.
    fn complement_readers(&mut self, node: u32) {
        self.graph.complement_fanins(node);
        let turn = |signal: &mut Signal| *signal = signal.complement_if(signal.node() == node);
        self.latches.iter_mut().for_each(|one| turn(&mut one.next));
        self.constraints.iter_mut().for_each(turn);
        let named = self.bads.iter_mut().chain(&mut self.outputs);
        named.for_each(|one| turn(&mut one.signal));
    }

    /// What the readers of some latches and gates see with one of these faults, step by step, in a run of the
    /// netlist that has it.
    pub fn seen_values(
        &self,
        run: &BitTrace,
        nodes: &[u32],
        criterion: Criterion,
    ) -> Vec<Vec<bool>> {
        let mut values = self.watch(run, nodes);
        for (values, node) in values.iter_mut().zip(nodes) {
            let is_gate = matches!(self.graph.kind(*node), Kind::And(..));
            if is_gate && matches!(criterion, Criterion::Inverted | Criterion::Xnor) {
                values.iter_mut().for_each(|value| *value = !*value);
            }
        }
        values
    }

    /// The run of the netlist with these nodes cut free in which the cut nodes have the given values: a
    /// value a node, step by step. What a latch that is cut at its next value has at the first step is
    /// not for the cut to say.
    #[must_use]
    pub fn cut_trace(&self, run: &BitTrace, nodes: &[u32], values: &[Vec<bool>]) -> BitTrace {
        let mut run = run.clone();
        let steps = run.inputs.len();
        for (&node, values) in nodes.iter().zip(values) {
            // The input of a latch gives the value of the step after.
            let ahead = match self.graph.kind(node) {
                Kind::Latch(position) => {
                    run.latches[position as usize] = values[0];
                    1
                }
                _ => 0,
            };
            for step in 0..steps {
                let value = values.get(step + ahead).copied().unwrap_or(false);
                run.inputs[step].push(value);
            }
        }
        run
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::{Dice, Shape, netlist, trace};
    use super::*;

    /// A cut latch or gate has the values that it is given, and nothing before it matters.
    #[test]
    fn a_cut_node_has_the_value_that_it_is_given() {
        let mut dice = Dice::new(7);
        for round in 0..300 {
            let netlist = netlist(&mut dice, &Shape::default());
            let gates: Vec<u32> = netlist.graph.and_gates().map(|(gate, _)| gate).collect();
            let latch = netlist.latches[dice.below(netlist.latches.len())].node;
            let gate = gates[dice.below(gates.len())];
            let node = if round % 2 == 0 { latch } else { gate };
            let place = [CutPlace::Next, CutPlace::Output][dice.below(2)];
            let run = trace(&mut dice, &netlist, 6);
            let values: Vec<bool> = (0..6).map(|_| dice.below(2) == 1).collect();
            for criterion in Criterion::COVERAGE {
                let cut = netlist.cut(&[node], place, criterion);
                let wanted: Vec<bool> = match criterion.value() {
                    Some(value) => vec![value; 6],
                    None => values.clone(),
                };
                let run = match criterion {
                    Criterion::Nondet => {
                        netlist.cut_trace(&run, &[node], std::slice::from_ref(&wanted))
                    }
                    _ => run.clone(),
                };
                let seen = &cut.watch(&run, &[node])[0];
                let from = usize::from(node == latch && place == CutPlace::Next);
                assert_eq!(seen[from..], wanted[from..], "{criterion:?} {place:?}");
            }
        }
    }

    /// What readers see of a twisted node is the function of what it would be given and of its partner.
    #[test]
    fn a_twisted_node_is_the_function_that_its_fault_says() {
        let mut dice = Dice::new(11);
        for round in 0..300 {
            let netlist = netlist(&mut dice, &Shape::default());
            let gates: Vec<u32> = netlist.graph.and_gates().map(|(gate, _)| gate).collect();
            let latches: Vec<u32> = netlist.latches.iter().map(|latch| latch.node).collect();
            let node = match round % 2 {
                0 => latches[dice.below(latches.len())],
                _ => gates[dice.below(gates.len())],
            };
            let partner = match netlist.graph.kind(node) {
                Kind::And(a, b) => [a, b][dice.below(2)],
                _ => {
                    let partner = Signal::of(dice.below(netlist.graph.len()) as u32);
                    partner.complement_if(dice.below(2) == 1)
                }
            };
            let sites = CutSites::new(&netlist, CutPlace::Next, vec![vec![node]]);
            let sites = sites.with_partners([(node, partner)].into_iter().collect());
            let run = trace(&mut dice, &netlist, 6);
            for criterion in [Criterion::Inverted, Criterion::Xor, Criterion::Xnor] {
                let twisted = sites.cut(&netlist, &[0], criterion);
                let seen = twisted.seen_values(&run, &[node], criterion).remove(0);
                // The same run with the node free, given these values, shows what it would be given.
                let free = sites.cut(&netlist, &[0], Criterion::Nondet);
                let freed = netlist.cut_trace(&run, &[node], std::slice::from_ref(&seen));
                let (given, of_next) = match netlist.graph.kind(node) {
                    Kind::Latch(position) => (netlist.latches[position as usize].next, 1),
                    Kind::And(a, b) => {
                        let both = free.watch(&freed, &[a.node(), b.node()]);
                        let read = |at: usize, signal: Signal, step: usize| {
                            both[at][step] ^ signal.is_complemented()
                        };
                        let own = if partner == a { 0 } else { 1 };
                        for (step, seen) in seen.iter().enumerate() {
                            let held = read(own, partner, step);
                            let given = read(0, a, step) && read(1, b, step);
                            assert_eq!(criterion.seen(given, held), Some(*seen), "{criterion:?}");
                        }
                        continue;
                    }
                    kind => panic!("{kind:?}"),
                };
                let values = free.watch(&freed, &[given.node(), partner.node()]);
                for step in 0..5 {
                    let given = values[0][step] ^ given.is_complemented();
                    let partner = values[1][step] ^ partner.is_complemented();
                    assert_eq!(criterion.seen(given, partner), Some(seen[step + of_next]));
                }
            }
        }
    }
}
