//! *Outside*: what the property does not depend on, through any number of steps.

use proofmark_model::graph::{CutSites, Kind, Netlist, Signal};

/// Which nodes a bad signal and the constraints depend on.
fn needed(netlist: &Netlist, bad: usize) -> Vec<bool> {
    closure(netlist, bad, |_| None)
}

/// Which nodes they depend on when sites are faulty: a twisted latch reads its partner.
pub fn needed_by_faults(netlist: &Netlist, sites: &CutSites, bad: usize) -> Vec<bool> {
    closure(netlist, bad, |node| sites.partner(node))
}

fn closure(netlist: &Netlist, bad: usize, partner: impl Fn(u32) -> Option<Signal>) -> Vec<bool> {
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
            Kind::Latch(position) => {
                stack.push(netlist.latches[position as usize].next.node());
                stack.extend(partner(node).map(|one| one.node()));
            }
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
