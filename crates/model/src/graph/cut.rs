//! Cuts: a node of a netlist replaced by an input or by a constant.
//!
//! Chockler, Kroening and Purandare, "Coverage in Interpolation-based Model Checking" (2010), ask of each
//! node whether a property notices when it is cut. A cut gate becomes an input or a constant in its
//! place. A latch can be cut in two places: at its next value, which leaves its first value alone, or at
//! its output, so that every reader sees the cut value, from the first step on. The second is a latch
//! that begins and goes on with the cut value, which keeps the state of all cut netlists the same: clauses
//! over latches speak of each of them.

use super::gates::Kind;
use super::netlist::{Init, Netlist};
use super::signal::Signal;
use super::simulation::BitTrace;

/// What a cut node becomes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Criterion {
    /// Any value at every step.
    Nondet,
    /// Stuck at false.
    Zero,
    /// Stuck at true.
    One,
}

impl Criterion {
    /// All of them, the one that the others are cases of first.
    pub const ALL: [Criterion; 3] = [Criterion::Nondet, Criterion::Zero, Criterion::One];

    /// The value that it is stuck at.
    pub fn value(self) -> Option<bool> {
        match self {
            Criterion::Nondet => None,
            Criterion::Zero => Some(false),
            Criterion::One => Some(true),
        }
    }

    /// As reports write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Criterion::Nondet => "nondet",
            Criterion::Zero => "zero",
            Criterion::One => "one",
        }
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
        }
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

    /// The site of a node.
    pub fn of(&self, node: u32) -> Option<usize> {
        let site = self.site_of[node as usize];
        (site != NO_SITE).then_some(site as usize)
    }

    /// The netlist with these sites cut.
    #[must_use]
    pub fn cut(&self, netlist: &Netlist, sites: &[usize], criterion: Criterion) -> Netlist {
        let nodes = sites.iter().flat_map(|site| self.nodes(*site).iter());
        let nodes: Vec<u32> = nodes.copied().collect();
        netlist.cut(&nodes, self.place, criterion)
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
            for criterion in Criterion::ALL {
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
}
