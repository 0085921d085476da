//! Mutants that are the original, at no cost: their formulas are the same once what is known is folded away.
//!
//! Compilers do as much with machine code (Papadakis, Jia, Harman and Le Traon, "Trivial Compiler Equivalence", 2015). Here a
//! selector is set and the gates that depend on it are built anew; structural hashing finds those that are there
//! already.

use proofmark_engine::program::Formula;
use proofmark_model::graph::{Kind, Netlist, Signal};
use proofmark_model::program::MutantId;
use rustc_hash::FxHashMap;

/// The mutants whose runs fail the same checks and show the same as those of the original.
pub(super) fn same_as_original(formula: &Formula) -> Vec<MutantId> {
    let mut cofactors = Cofactors::new(formula);
    let roots = roots(formula);
    let selectors = formula.selectors.iter();
    let same = selectors.filter(|(_, selector)| cofactors.is_same(*selector, &roots));
    same.map(|(mutant, _)| *mutant).collect()
}

fn roots(formula: &Formula) -> Vec<Signal> {
    let violations = formula
        .violations
        .iter()
        .flat_map(|one| [one.signal, one.over]);
    let limits = formula.limits.iter().map(|(signal, _)| *signal);
    let mut roots: Vec<Signal> = violations.chain(limits).collect();
    roots.extend(&formula.observed);
    roots.sort_unstable_by_key(|signal| signal.code());
    roots.dedup();
    roots
}

struct Cofactors<'f> {
    formula: &'f Formula,
    netlist: Netlist,
    /// Every node with all selectors false.
    original: Vec<Signal>,
}

impl<'f> Cofactors<'f> {
    fn new(formula: &'f Formula) -> Cofactors<'f> {
        let mut netlist = Netlist::default();
        let graph = &formula.netlist.graph;
        let selectors = formula.selectors.len();
        let mut original = vec![Signal::FALSE; graph.len()];
        for node in 1..graph.len() {
            original[node] = match graph.kind(node as u32) {
                Kind::Constant => Signal::FALSE,
                // Selectors come first.
                Kind::Input(position) if (position as usize) < selectors => Signal::FALSE,
                Kind::Input(_) | Kind::Latch(_) => netlist.add_input(),
                Kind::And(a, b) => {
                    let of = |signal: Signal| {
                        original[signal.index()].complement_if(signal.is_complemented())
                    };
                    netlist.graph.and(of(a), of(b))
                }
            };
        }
        Cofactors {
            formula,
            netlist,
            original,
        }
    }

    /// Whether the roots are the same with a selector set.
    fn is_same(&mut self, selector: Signal, roots: &[Signal]) -> bool {
        let graph = &self.formula.netlist.graph;
        let mut changed: FxHashMap<usize, Signal> = FxHashMap::default();
        changed.insert(selector.index(), Signal::TRUE);
        for (node, [a, b]) in graph.and_gates() {
            let (one, two) = (changed.get(&a.index()), changed.get(&b.index()));
            if one.is_none() && two.is_none() {
                continue;
            }
            let of = |found: Option<&Signal>, signal: Signal| {
                let node = found.copied().unwrap_or(self.original[signal.index()]);
                node.complement_if(signal.is_complemented())
            };
            let (a, b) = (of(one, a), of(two, b));
            let now = self.netlist.graph.and(a, b);
            if now != self.original[node as usize] {
                changed.insert(node as usize, now);
            }
        }
        roots
            .iter()
            .all(|root| !changed.contains_key(&root.index()))
    }
}
