//! Sequential simplification: latches that are constant or equal to others go away.
//!
//! Constants come from ternary simulation: beginning with the initial values and unknown inputs, a latch
//! whose next value may differ from its value becomes unknown, until nothing changes. What stays known is
//! constant in every reachable state.
//!
//! Equal latches are guessed and then proved (van Eijk, "Sequential Equivalence Checking Based on
//! Structural Similarities", 2000): latches that agree, or always differ, in random runs form classes; with
//! every member replaced by the first of its class, the graph is built again, and members whose next
//! values are not the same signal leave the class. When no class is split any more, the equalities are
//! inductive together. The proof is structural hashing alone, so that no solver is needed and a round costs
//! one pass.
//!
//! Free latches are left alone: they are equal to nothing at the first step.

use super::cone::{cone, rebuild};
use super::gates::{Graph, Kind};
use super::map::{GONE, NetlistMap, Reduced};
use super::netlist::{Init, Netlist};
use super::random::Dice;
use super::signal::Signal;
use super::simulation::Simulation;
use super::ternary::{Ternary, Truth};
use rustc_hash::FxHashMap;
use std::hash::Hasher;

/// How many steps the random runs have.
const STEPS: usize = 48;

/// How many gates may be looked at, in runs and in rounds of splitting, and how many rounds there may be:
/// what is not settled by then is given up, and the latches stay.
const MOST_GATES: usize = 80_000_000;
const MOST_ROUNDS: usize = 200;

/// How often all of it is done again because something went away.
const MOST_PASSES: usize = 3;

/// The cone of some bad signals without latches that are constant or equal to others.
pub fn simplify(netlist: &Netlist, bads: &[usize]) -> Reduced {
    let mut reduced = cone(netlist, bads);
    let mut budget = MOST_GATES;
    for _ in 0..MOST_PASSES {
        let all: Vec<usize> = (0..bads.len()).collect();
        let mut replaced = constants(&reduced.netlist);
        equal_latches(&reduced.netlist, &mut replaced, &mut budget);
        let facts = facts(&reduced.netlist, &replaced);
        let mut next = rebuild(&reduced.netlist, &all, &replaced);
        next.map.facts = facts;
        let done =
            next.map.facts.is_empty() && next.netlist.graph.len() == reduced.netlist.graph.len();
        reduced = reduced.then(next);
        if done {
            return reduced;
        }
    }
    // What the last pass left without a reader goes away.
    let last = cone(&reduced.netlist, &(0..bads.len()).collect::<Vec<usize>>());
    reduced.then(last)
}

/// The equalities as clauses.
fn facts(netlist: &Netlist, replaced: &[Option<Signal>]) -> Vec<Vec<Signal>> {
    let mut facts = Vec::new();
    for (latch, replaced) in netlist.latches.iter().zip(replaced) {
        let latch = Signal::of(latch.node);
        match *replaced {
            None => {}
            Some(Signal::TRUE) => facts.push(vec![latch]),
            Some(Signal::FALSE) => facts.push(vec![!latch]),
            Some(other) => facts.extend([vec![latch, !other], vec![!latch, other]]),
        }
    }
    facts
}

/// The latches that ternary simulation shows to be constant.
fn constants(netlist: &Netlist) -> Vec<Option<Signal>> {
    let mut ternary = Ternary::new(&netlist.graph);
    for latch in &netlist.latches {
        let value = latch.init.value();
        ternary.set(latch.node, value.map_or(Truth::Unknown, Truth::from));
    }
    ternary.evaluate(&netlist.graph);
    // Who has to be looked at again when a node becomes unknown.
    let mut by_next: Vec<(u32, u32)> = (0u32..)
        .zip(&netlist.latches)
        .map(|(at, latch)| (latch.next.node(), at))
        .collect();
    by_next.sort_unstable();
    let mut stack: Vec<u32> = (0..netlist.latches.len() as u32).collect();
    while let Some(position) = stack.pop() {
        let latch = netlist.latches[position as usize];
        let value = ternary.value(Signal::of(latch.node));
        if value == Truth::Unknown || ternary.value(latch.next) == value {
            continue;
        }
        for changed in ternary.forget(&netlist.graph, latch.node) {
            let from = by_next.partition_point(|(next, _)| *next < changed);
            let readers = by_next[from..].iter();
            let readers = readers.take_while(|(next, _)| *next == changed);
            stack.extend(readers.map(|(_, position)| *position));
        }
    }
    let values = netlist
        .latches
        .iter()
        .map(|latch| match ternary.value(Signal::of(latch.node)) {
            Truth::False => Some(Signal::FALSE),
            Truth::True => Some(Signal::TRUE),
            Truth::Unknown => None,
        });
    values.collect()
}

/// A class of latches that are thought to be equal, up to their initial values. The class of the constant
/// is 0; a latch that is alone has a class, too.
type Class = u32;
const CONSTANT: Class = 0;

/// Adds the latches that are equal to others, or constant after all.
fn equal_latches(netlist: &Netlist, replaced: &mut [Option<Signal>], budget: &mut usize) {
    if !spend(budget, STEPS * netlist.graph.len()) {
        return;
    }
    let mut classes = guess(netlist, replaced);
    for _ in 0..MOST_ROUNDS {
        let leaders = leaders(netlist, &classes, replaced);
        if leaders == *replaced {
            return;
        }
        if !spend(budget, netlist.graph.len()) {
            return;
        }
        let next = next_values(netlist, &leaders);
        if !split(netlist, &leaders, &next, &mut classes) {
            replaced.copy_from_slice(&leaders);
            return;
        }
    }
}

/// Takes from a budget; false when it is not enough.
fn spend(budget: &mut usize, cost: usize) -> bool {
    let rest = budget.checked_sub(cost);
    *budget = rest.unwrap_or(0);
    rest.is_some()
}

/// Classes from random runs: latches that differ from their initial values at the same times. Known
/// constants are in the class of the constant, and free latches alone.
fn guess(netlist: &Netlist, replaced: &[Option<Signal>]) -> Vec<Class> {
    let signatures = signatures(netlist);
    let unchanged = signatures.last().copied();
    let mut known: FxHashMap<u64, Class> = FxHashMap::default();
    known.extend(unchanged.map(|never| (never, CONSTANT)));
    let mut count = 1;
    let mut classes = Vec::with_capacity(netlist.latches.len());
    for (position, latch) in netlist.latches.iter().enumerate() {
        if replaced[position].is_some() {
            classes.push(CONSTANT);
            continue;
        }
        let fresh = count;
        let class = match latch.init {
            Init::Free => fresh,
            _ => *known.entry(signatures[position]).or_insert(fresh),
        };
        count += u32::from(class == fresh);
        classes.push(class);
    }
    classes
}

/// A hash of the values of every latch in random runs, each read as its difference from the initial
/// value; the last is that of a latch that never changes.
fn signatures(netlist: &Netlist) -> Vec<u64> {
    let mut dice = Dice::new(netlist.latches.len() as u64);
    let mut simulation = Simulation::new(netlist);
    simulation.start(netlist, |_| dice.word());
    let mut hashes = vec![rustc_hash::FxHasher::default(); netlist.latches.len() + 1];
    for _ in 0..STEPS {
        for &input in &netlist.inputs {
            simulation.set(input, dice.word());
        }
        simulation.evaluate(netlist);
        simulation.advance(netlist);
        for (latch, hash) in netlist.latches.iter().zip(&mut hashes) {
            let word = simulation.value(normal(latch.node, latch.init));
            hash.write_u64(word);
        }
        if let Some(last) = hashes.last_mut() {
            last.write_u64(0);
        }
    }
    hashes.iter().map(Hasher::finish).collect()
}

/// The signal that tells whether a latch differs from its initial value.
fn normal(node: u32, init: Init) -> Signal {
    Signal::of(node).complement_if(init == Init::One)
}

/// What every latch is replaced by when the classes are right: the constant, the first of its class, or
/// nothing when it is the first.
fn leaders(
    netlist: &Netlist,
    classes: &[Class],
    replaced: &[Option<Signal>],
) -> Vec<Option<Signal>> {
    let mut first: FxHashMap<Class, Signal> = FxHashMap::default();
    first.insert(CONSTANT, Signal::FALSE);
    // The graph is built in the order of nodes, so that the first is built before the others.
    let mut order: Vec<usize> = (0..netlist.latches.len()).collect();
    order.sort_unstable_by_key(|at| netlist.latches[*at].node);
    let mut leaders = replaced.to_vec();
    for at in order {
        let latch = &netlist.latches[at];
        let own = normal(latch.node, latch.init);
        let leader = *first.entry(classes[at]).or_insert(own);
        if leaders[at].is_none() && leader != own {
            leaders[at] = Some(leader.complement_if(own.is_complemented()));
        }
    }
    leaders
}

/// The next value of every latch as a difference from its initial value, in a graph in which latches
/// are replaced.
fn next_values(netlist: &Netlist, leaders: &[Option<Signal>]) -> Vec<Signal> {
    let mut graph = Graph::default();
    let mut map = vec![GONE; netlist.graph.len()];
    let read = |map: &[u32], signal: Signal| {
        Signal::from_code(map[signal.index()]).complement_if(signal.is_complemented())
    };
    map[0] = Signal::FALSE.code();
    for node in 1..netlist.graph.len() as u32 {
        let signal = match netlist.graph.kind(node) {
            Kind::Constant => Signal::FALSE,
            Kind::Input(_) => graph.add_input(),
            Kind::And(a, b) => {
                let (a, b) = (read(&map, a), read(&map, b));
                graph.and(a, b)
            }
            Kind::Latch(position) => match leaders[position as usize] {
                Some(leader) => read(&map, leader),
                None => graph.add_latch(),
            },
        };
        map[node as usize] = signal.code();
    }
    let latches = netlist.latches.iter();
    latches
        .map(|latch| read(&map, latch.next).complement_if(latch.init == Init::One))
        .collect()
}

/// Parts latches of one class that have different next values; false when there are none.
fn split(
    netlist: &Netlist,
    leaders: &[Option<Signal>],
    next: &[Signal],
    classes: &mut [Class],
) -> bool {
    let mut parts: FxHashMap<(Class, Signal), Class> = FxHashMap::default();
    // The constant stays constant; in another class the part of its first latch keeps its name.
    parts.insert((CONSTANT, Signal::FALSE), CONSTANT);
    for at in 0..classes.len() {
        if leaders[at].is_none() && classes[at] != CONSTANT {
            parts.insert((classes[at], next[at]), classes[at]);
        }
    }
    let mut count = classes.iter().copied().max().unwrap_or(0) + 1;
    let mut changed = false;
    for at in 0..netlist.latches.len() {
        let part = *parts.entry((classes[at], next[at])).or_insert_with(|| {
            count += 1;
            count - 1
        });
        changed |= part != classes[at];
        classes[at] = part;
    }
    changed
}

impl Reduced {
    /// What another step made of this result.
    fn then(self, next: Reduced) -> Reduced {
        Reduced {
            map: self.map.then(&next.map),
            netlist: next.netlist,
        }
    }

    /// The netlist as it is.
    pub fn unchanged(netlist: Netlist) -> Reduced {
        Reduced {
            map: NetlistMap::identity(&netlist),
            netlist,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::{Shape, netlist, trace};
    use super::*;

    /// Simulates the original beside the result, on the same inputs.
    fn compare(dice: &mut Dice, original: &Netlist, reduced: &Reduced) {
        let run = trace(dice, &reduced.netlist, 12);
        let restored = reduced.map.restore_trace(original, &run);
        let mut small = Simulation::new(&reduced.netlist);
        let mut large = Simulation::new(original);
        let word = |value: bool| if value { u64::MAX } else { 0 };
        small.start(&reduced.netlist, |at| word(run.latches[at]));
        large.start(original, |at| word(restored.latches[at]));
        for step in 0..run.inputs.len() {
            for (at, node) in reduced.netlist.inputs.iter().enumerate() {
                small.set(*node, word(run.inputs[step][at]));
            }
            for (at, node) in original.inputs.iter().enumerate() {
                large.set(*node, word(restored.inputs[step][at]));
            }
            small.evaluate(&reduced.netlist);
            large.evaluate(original);
            for node in 0..original.graph.len() as u32 {
                let signal = Signal::of(node);
                if let Some(translated) = reduced.map.translate(signal) {
                    assert_eq!(small.value(translated), large.value(signal), "{signal:?}");
                }
            }
            for node in 0..reduced.netlist.graph.len() as u32 {
                let signal = Signal::of(node);
                if let Some(restored) = reduced.map.restore(signal) {
                    assert_eq!(small.value(signal), large.value(restored), "{signal:?}");
                } else {
                    assert!(reduced.netlist.graph.fanins(node).is_some());
                }
            }
            for clause in reduced.map.facts() {
                let words = clause.iter().map(|one| large.value(*one));
                assert_eq!(words.fold(0, |all, one| all | one), u64::MAX);
            }
            small.advance(&reduced.netlist);
            large.advance(original);
        }
    }

    #[test]
    fn a_simplified_netlist_has_the_same_runs() {
        let mut dice = Dice::new(6);
        let mut merged = 0;
        for round in 0..300 {
            let shape = Shape {
                latches: 4 + round % 12,
                ..Shape::default()
            };
            let original = netlist(&mut dice, &shape);
            let all: Vec<usize> = (0..original.bads.len()).collect();
            let reduced = simplify(&original, &all);
            merged += reduced.map.facts().len();
            compare(&mut dice, &original, &reduced);
            assert!(reduced.netlist.latches.len() <= original.latches.len());
        }
        assert!(merged > 300, "{merged} facts");
    }

    #[test]
    fn the_facts_are_inductive() {
        let mut dice = Dice::new(7);
        for _ in 0..200 {
            let original = netlist(&mut dice, &Shape::default());
            let all: Vec<usize> = (0..original.bads.len()).collect();
            let facts = simplify(&original, &all).map.facts().to_vec();
            let mut simulation = Simulation::new(&original);
            let good = |simulation: &Simulation| {
                facts.iter().fold(u64::MAX, |all, clause| {
                    all & clause
                        .iter()
                        .fold(0, |any, one| any | simulation.value(*one))
                })
            };
            simulation.start(&original, |_| dice.word());
            assert_eq!(good(&simulation), u64::MAX);
            // Sixty-four states, reachable or not.
            let leaves = original.latches.iter().map(|latch| latch.node);
            for node in leaves.chain(original.inputs.iter().copied()) {
                simulation.set(node, dice.word());
            }
            let before = good(&simulation);
            simulation.evaluate(&original);
            simulation.advance(&original);
            assert_eq!(good(&simulation) & before, before);
        }
    }

    #[test]
    fn twins_and_stuck_latches_go_away() {
        let mut original = Netlist::default();
        let input = original.add_input();
        let a = original.add_latch(Init::Zero);
        let b = original.add_latch(Init::One);
        let stuck = original.add_latch(Init::Zero);
        // b is always the complement of a.
        let next = original.graph.xor(input, a);
        let other = original.graph.iff(input, !b);
        original.set_next(0, next);
        original.set_next(1, other);
        let never = original.graph.and(stuck, input);
        original.set_next(2, never);
        let all = original.graph.and_all(&[a, b, input]);
        let bad = original.graph.or(all, stuck);
        original.add_bad("bad", bad);
        let reduced = simplify(&original, &[0]);
        assert_eq!(reduced.netlist.latches.len(), 0);
        assert_eq!(reduced.netlist.bads[0].signal, Signal::FALSE);
        assert_eq!(reduced.map.facts().len(), 3);
    }
}
