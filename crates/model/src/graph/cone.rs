//! The cone of influence: what bad signals and constraints depend on, through any number of steps.
//!
//! The graph is built again with structural hashing, so that equal gates become one on the way, and with
//! latches replaced that are known to be constant or equal to others (`simplify.rs`).

use super::gates::Kind;
use super::map::{GONE, NetlistMap, Reduced};
use super::netlist::Netlist;
use super::signal::Signal;

/// The part of a netlist on which some bad signals (by position) and all constraints depend. The result has
/// these bad signals, in this order, and no outputs.
pub fn cone(netlist: &Netlist, bads: &[usize]) -> Reduced {
    rebuild(netlist, bads, &vec![None; netlist.latches.len()])
}

/// As [`cone`], with some latches replaced: by a constant, or by a latch that has a smaller node number and
/// is not replaced itself.
pub(super) fn rebuild(netlist: &Netlist, bads: &[usize], replaced: &[Option<Signal>]) -> Reduced {
    let needed = needed(netlist, bads, replaced);
    let mut result = Netlist::default();
    let mut map = NetlistMap {
        forward: vec![GONE; netlist.graph.len()],
        backward: vec![Signal::FALSE.code()],
        inputs: Vec::new(),
        latches: Vec::new(),
        facts: Vec::new(),
    };
    map.forward[0] = Signal::FALSE.code();
    for node in (1..netlist.graph.len() as u32).filter(|node| needed[*node as usize]) {
        let translated = |signal| {
            let translated = map.translate(signal);
            translated.unwrap_or_else(|| unreachable!("fanins are needed and come first"))
        };
        let signal = match netlist.graph.kind(node) {
            Kind::Constant => Signal::FALSE,
            Kind::And(a, b) => {
                let (a, b) = (translated(a), translated(b));
                result.graph.and(a, b)
            }
            Kind::Input(position) => {
                map.inputs.push(position);
                result.add_input()
            }
            Kind::Latch(position) => match replaced[position as usize] {
                Some(other) => translated(other),
                None => {
                    map.latches.push(position);
                    result.add_latch(netlist.latches[position as usize].init)
                }
            },
        };
        map.forward[node as usize] = signal.code();
        map.backward.resize(result.graph.len(), GONE);
        let backward = &mut map.backward[signal.index()];
        if *backward == GONE {
            let original = Signal::of(node).complement_if(signal.is_complemented());
            *backward = original.code();
            result.labels.copy(signal.node(), &netlist.labels, node);
        }
    }
    connect(netlist, bads, &map, &mut result);
    result.graph.forget_table();
    Reduced {
        netlist: result,
        map,
    }
}

/// Next values, constraints and bad signals of the result.
fn connect(netlist: &Netlist, bads: &[usize], map: &NetlistMap, result: &mut Netlist) {
    let translate = |signal: Signal| {
        let translated = map.translate(signal);
        translated.unwrap_or_else(|| unreachable!("{signal:?} is a root of the cone"))
    };
    for (at, &position) in map.latches.iter().enumerate() {
        let next = translate(netlist.latches[position as usize].next);
        result.set_next(at, next);
    }
    result.constraints = netlist
        .constraints
        .iter()
        .map(|one| translate(*one))
        .collect();
    // A constraint that is true by now says nothing.
    result.constraints.retain(|one| *one != Signal::TRUE);
    result.constraints.sort_unstable();
    result.constraints.dedup();
    result.bads = bads.iter().map(|at| netlist.bads[*at].clone()).collect();
    for bad in &mut result.bads {
        bad.signal = translate(bad.signal);
    }
}

/// Which nodes the bad signals and constraints depend on.
fn needed(netlist: &Netlist, bads: &[usize], replaced: &[Option<Signal>]) -> Vec<bool> {
    let mut needed = vec![false; netlist.graph.len()];
    let bads = bads.iter().map(|at| netlist.bads[*at].signal.node());
    let constraints = netlist.constraints.iter().map(|one| one.node());
    let mut stack: Vec<u32> = bads.chain(constraints).collect();
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut needed[node as usize], true) {
            continue;
        }
        match netlist.graph.kind(node) {
            Kind::And(a, b) => stack.extend([a.node(), b.node()]),
            Kind::Latch(position) => {
                let next = netlist.latches[position as usize].next;
                stack.push(replaced[position as usize].unwrap_or(next).node());
            }
            Kind::Constant | Kind::Input(_) => {}
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use super::super::random::{Dice, Shape, netlist, trace};
    use super::*;

    #[test]
    fn a_run_of_the_cone_is_a_run_of_the_whole() {
        let mut dice = Dice::new(4);
        let mut smaller = 0;
        for _ in 0..200 {
            let netlist = netlist(&mut dice, &Shape::default());
            let bads = [netlist.bads.len() - 1];
            let reduced = cone(&netlist, &bads);
            smaller += usize::from(reduced.netlist.graph.len() < netlist.graph.len());
            let run = trace(&mut dice, &reduced.netlist, 10);
            let restored = reduced.map.restore_trace(&netlist, &run);
            let (part, whole) = (reduced.netlist.replay(&run), netlist.replay(&restored));
            assert_eq!(part.accepted, whole.accepted);
            assert_eq!(part.refuted[0], whole.refuted[bads[0]]);
        }
        assert!(smaller > 100);
    }
}
