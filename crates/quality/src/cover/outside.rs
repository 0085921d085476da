//! *Outside*: what the property does not depend on, through any number of steps.

use proofmark_model::graph::{CutSites, Kind, Netlist};

/// Which nodes a bad signal and the constraints depend on.
pub fn needed(netlist: &Netlist, bad: usize) -> Vec<bool> {
    let mut needed = vec![false; netlist.graph.len()];
    let constraints = netlist.constraints.iter().map(|one| one.node());
    let mut stack: Vec<u32> = constraints.collect();
    stack.push(netlist.bads[bad].signal.node());
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut needed[node as usize], true) {
            continue;
        }
        match netlist.graph.kind(node) {
            Kind::And(a, b) => stack.extend([a.node(), b.node()]),
            Kind::Latch(position) => stack.push(netlist.latches[position as usize].next.node()),
            Kind::Constant | Kind::Input(_) => {}
        }
    }
    needed
}

/// The sites of which no node is needed.
pub fn outside(netlist: &Netlist, sites: &CutSites, bad: usize) -> Vec<usize> {
    let needed = needed(netlist, bad);
    let unused = |site: &usize| {
        sites
            .nodes(*site)
            .iter()
            .all(|node| !needed[*node as usize])
    };
    (0..sites.len()).filter(unused).collect()
}
