//! An order of variables in which those that have to do with each other are close, for decision diagrams.
//!
//! Numbers that are added, compared or copied to each other belong together: their bits are to
//! alternate. Then units that equations mention together move together, as in FORCE (Aloul, Markov,
//! Sakallah: FORCE, a fast and easy-to-implement variable-ordering heuristic, 2003): each goes to the mean of the
//! centres of its equations, again and again, as long as equations span less. It begins with the order of
//! the source, which often is a good one, and keeps it unless another is much better. Nothing depends
//! on it but time.

use crate::sort::Sort;
use crate::system::{Mentions, System, Variable};
use crate::term::{Op, Term};
use rustc_hash::FxHashMap;

/// The variables by their current terms, in an order; the bits of those that stand together alternate.
pub fn arrangement(system: &System) -> Vec<Vec<Term>> {
    let variables = system.variables();
    let mut kin = Kin::new(system);
    for element in system.elements() {
        for definition in element.definitions() {
            for value in definition.init.into_iter().chain(definition.step) {
                kin.join(definition.variable, value);
            }
        }
        element.terms().for_each(|term| kin.walk(term));
    }
    // Units in the order of their first members.
    let mut unit_of: Vec<usize> = Vec::with_capacity(variables.len());
    let mut units: Vec<Vec<Term>> = Vec::new();
    let mut roots: FxHashMap<usize, usize> = FxHashMap::default();
    for (at, variable) in variables.iter().enumerate() {
        let unit = *roots.entry(kin.root(at)).or_insert_with(|| {
            units.push(Vec::new());
            units.len() - 1
        });
        units[unit].push(variable.current);
        unit_of.push(unit);
    }
    let edges = edges(system, &unit_of);
    let order = force(units.len(), &edges);
    order.into_iter().map(|unit| units[unit].clone()).collect()
}

/// Which numbers flow into each other: a forest of variables by position.
struct Kin {
    positions: FxHashMap<Term, usize>,
    parents: Vec<usize>,
    /// A variable whose value a term may have, if it has that of a variable at all.
    flows: FxHashMap<Term, Option<usize>>,
}

/// Numbers with fewer values are no wider than what steers them.
const FEW: i64 = 8;

impl Kin {
    fn new(system: &System) -> Kin {
        let mut positions = FxHashMap::default();
        for (at, variable) in system.variables().iter().enumerate() {
            if is_wide(variable) {
                positions.insert(variable.current, at);
                positions.insert(variable.previous, at);
            }
        }
        Kin {
            positions,
            parents: (0..system.variables().len()).collect(),
            flows: FxHashMap::default(),
        }
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    fn union(&mut self, one: Option<usize>, other: Option<usize>) -> Option<usize> {
        if let (Some(one), Some(other)) = (one, other) {
            let (one, other) = (self.root(one), self.root(other));
            self.parents[one.max(other)] = one.min(other);
        }
        one.or(other)
    }

    fn join(&mut self, variable: Term, value: Term) {
        self.walk(value);
        let flow = self.flows.get(&value).copied().flatten();
        let own = self.positions.get(&variable).copied();
        self.union(own, flow);
    }

    /// Joins what flows together anywhere in a term.
    fn walk(&mut self, root: Term) {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.flows.contains_key(&term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let open = term.args().iter();
            stack.extend(open.filter(|one| !self.flows.contains_key(one)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let parts = match term.op() {
                Op::Ite => &term.args()[1..],
                _ => term.args(),
            };
            let mut flow = self.positions.get(&term).copied();
            for part in parts {
                let part = self.flows[part];
                flow = self.union(flow, part);
            }
            // Nothing flows out of a comparison.
            let flow = flow.filter(|_| term.sort() != Sort::Bool);
            self.flows.insert(term, flow);
        }
    }
}

fn is_wide(variable: &Variable) -> bool {
    match variable.sort() {
        Sort::Bool | Sort::Real => false,
        Sort::BitVec(width) => 1 << width.min(62) > FEW,
        Sort::Enum(sort) => sort.values().len() as i64 > FEW,
        Sort::Int => variable.bounds.as_ref().is_some_and(|bounds| {
            let ends = (bounds.low.to_i64(), bounds.high.to_i64());
            matches!(ends, (Some(low), Some(high)) if high.saturating_sub(low) >= FEW)
        }),
    }
}

/// The units that the equations and conjuncts of the system mention, each with more than one.
fn edges(system: &System, unit_of: &[usize]) -> Vec<Vec<usize>> {
    let mut positions: FxHashMap<Term, usize> = FxHashMap::default();
    for (at, variable) in system.variables().iter().enumerate() {
        positions.insert(variable.current, unit_of[at]);
        positions.insert(variable.previous, unit_of[at]);
    }
    let mut edges = Vec::new();
    let mut add = |terms: &[Term]| {
        let mut mentions = Mentions::default();
        terms.iter().for_each(|term| mentions.add(*term));
        let found = mentions.variables.iter();
        let mut units: Vec<usize> = found
            .filter_map(|one| positions.get(one).copied())
            .collect();
        units.sort_unstable();
        units.dedup();
        if units.len() > 1 {
            edges.push(units);
        }
    };
    for element in system.elements() {
        for definition in element.definitions() {
            for value in definition.init.into_iter().chain(definition.step) {
                add(&[definition.variable, value]);
            }
        }
        for phase in [crate::Phase::Init, crate::Phase::Step] {
            let mut stack: Vec<Term> = element.constraint(phase).into_iter().collect();
            while let Some(term) = stack.pop() {
                match term.op() {
                    Op::And => stack.extend(term.args()),
                    _ => add(&[term]),
                }
            }
        }
    }
    edges
}

/// So many rounds at most, and so many without a gain.
const ROUNDS: usize = 100;
const PATIENCE: usize = 5;

fn force(count: usize, edges: &[Vec<usize>]) -> Vec<usize> {
    let source: Vec<usize> = (0..count).collect();
    let mut place = source.clone();
    let cost = |place: &[usize]| -> usize {
        let span = |edge: &Vec<usize>| {
            let places = edge.iter().map(|unit| place[*unit]);
            let (low, high) = places.fold((usize::MAX, 0), |(low, high), at| {
                (low.min(at), high.max(at))
            });
            high - low
        };
        edges.iter().map(span).sum()
    };
    let first = cost(&place);
    let (mut best, mut order, mut waited) = (first, source.clone(), 0);
    for _ in 0..ROUNDS {
        let mut pull = vec![(0.0f64, 0u32); count];
        for edge in edges {
            let sum: usize = edge.iter().map(|unit| place[*unit]).sum();
            let centre = sum as f64 / edge.len() as f64;
            for unit in edge {
                pull[*unit].0 += centre;
                pull[*unit].1 += 1;
            }
        }
        let target = |unit: usize| match pull[unit] {
            (_, 0) => place[unit] as f64,
            (sum, edges) => sum / f64::from(edges),
        };
        let mut next = source.clone();
        next.sort_by(|one, other| target(*one).total_cmp(&target(*other)));
        for (at, unit) in next.iter().enumerate() {
            place[*unit] = at;
        }
        let now = cost(&place);
        if now < best {
            (best, order, waited) = (now, next, 0);
        } else {
            waited += 1;
        }
        if waited > PATIENCE {
            break;
        }
    }
    // The source may know better what belongs together.
    match best * 10 < first * 8 {
        true => order,
        false => source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mentioned_together_comes_together() {
        // Pairs of the first and the second half.
        let edges: Vec<Vec<usize>> = (0..8).map(|at| vec![at, at + 8]).collect();
        let order = force(16, &edges);
        let place = |unit: usize| order.iter().position(|one| *one == unit).unwrap();
        assert!(
            edges
                .iter()
                .all(|edge| place(edge[0]).abs_diff(place(edge[1])) == 1)
        );
    }

    #[test]
    fn an_order_that_is_good_stays() {
        let edges: Vec<Vec<usize>> = (0..15).map(|at| vec![at, at + 1]).collect();
        assert_eq!(force(16, &edges), (0..16).collect::<Vec<usize>>());
    }
}
