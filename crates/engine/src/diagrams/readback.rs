//! From diagrams back to terms, so that somebody else can check what a set of states is claimed to be.
//!
//! A variable's bits are neighbours in the order, so that a diagram is read variable by variable: what its
//! values lead to are the nodes below its bits, and the values that lead to one of these are a few ranges. A
//! set that has too many nodes stays a set, and nobody can check it.

use super::encode::{Columns, Encoder};
use super::store::{Answer, Bit, Diagram};
use oxidd::{BooleanFunction, Function, LevelNo, Manager};
use proofmark_model::{Op, Sort, Term, Value, Variable};
use rustc_hash::FxHashMap;

/// Codes of a variable, both ends included, that lead to a node.
type Ranges = Vec<(u128, u128)>;

/// What the values of a variable lead to.
type Branches = Vec<(Diagram, Ranges)>;

struct Reader<'e> {
    variables: Vec<(Variable, Columns)>,
    /// The variable that a present bit belongs to, by position.
    owner: FxHashMap<Bit, usize>,
    terms: FxHashMap<Diagram, Term>,
    left: usize,
    encoder: &'e Encoder,
}

impl Encoder {
    /// A set of present states as a Boolean over the current values of some variables; nothing where that
    /// takes more than so many nodes and ranges.
    pub(super) fn readback(
        &self,
        set: &Diagram,
        variables: &[Variable],
        limit: usize,
    ) -> Answer<Option<Term>> {
        let known = variables.iter().filter_map(|one| {
            let columns = self.columns(one.current)?;
            Some((one.clone(), columns.clone()))
        });
        let variables: Vec<(Variable, Columns)> = known.collect();
        let mut owner = FxHashMap::default();
        for (at, (_, columns)) in variables.iter().enumerate() {
            owner.extend(columns.present.iter().map(|bit| (*bit, at)));
        }
        let mut reader = Reader {
            variables,
            owner,
            terms: FxHashMap::default(),
            left: limit,
            encoder: self,
        };
        reader.read(set)
    }
}

impl Reader<'_> {
    fn read(&mut self, set: &Diagram) -> Answer<Option<Term>> {
        let mut stack = vec![(set.clone(), None::<Branches>)];
        while let Some((node, branches)) = stack.pop() {
            if self.terms.contains_key(&node) {
                continue;
            }
            let Some(top) = top(&node) else {
                let all = node == self.encoder.store.yes;
                self.terms.insert(node, Term::bool(all));
                continue;
            };
            let Some(&variable) = self.owner.get(&top) else {
                return Ok(None);
            };
            let branches = match branches {
                Some(branches) => branches,
                None => {
                    self.encoder.store.check()?;
                    let Some(branches) = self.branches(&node, variable) else {
                        return Ok(None);
                    };
                    branches
                }
            };
            let open = branches.iter().map(|(below, _)| below);
            let open = open.filter(|below| !self.terms.contains_key(below));
            let open: Vec<Diagram> = open.cloned().collect();
            if open.is_empty() {
                let term = self.choose(variable, &branches);
                self.terms.insert(node, term);
            } else {
                stack.push((node, Some(branches)));
                stack.extend(open.into_iter().map(|below| (below, None)));
            }
        }
        Ok(self.terms.get(set).copied())
    }

    /// Which nodes the values of a variable lead to.
    // A diagram is hashed by its node and manager, which stay the same.
    #[allow(clippy::mutable_key_type)]
    fn branches(&mut self, node: &Diagram, variable: usize) -> Option<Branches> {
        let bits = self.variables[variable].1.present.clone();
        let mut found: Branches = Vec::new();
        let mut at: FxHashMap<Diagram, usize> = FxHashMap::default();
        // Larger codes are pushed first, so that ranges come in order and neighbours join.
        let mut stack = vec![(node.clone(), bits.len(), 0u128)];
        while let Some((node, left, code)) = stack.pop() {
            let own = top(&node).and_then(|top| bits.iter().position(|bit| *bit == top));
            let Some(position) = own else {
                self.left = self.left.checked_sub(1)?;
                let end = code + ((1u128 << left) - 1);
                let place = *at.entry(node.clone()).or_insert_with(|| {
                    found.push((node, Ranges::new()));
                    found.len() - 1
                });
                let ranges = &mut found[place].1;
                match ranges.last_mut().filter(|last| last.1 + 1 == code) {
                    Some(last) => last.1 = end,
                    None => ranges.push((code, end)),
                }
                continue;
            };
            // A skipped bit may be either.
            if position + 1 < left {
                stack.push((node.clone(), left - 1, code | 1 << (left - 1)));
                stack.push((node, left - 1, code));
                continue;
            }
            let (one, zero) = node.cofactors()?;
            stack.push((one, position, code | 1 << position));
            stack.push((zero, position, code));
        }
        Some(found)
    }

    /// The branch whose ranges are most is the one that needs no condition.
    fn choose(&self, variable: usize, branches: &Branches) -> Term {
        let (variable, columns) = &self.variables[variable];
        let width = columns.present.len();
        let most = (0..branches.len()).max_by_key(|at| branches[*at].1.len());
        let Some(most) = most else {
            return Term::bool(false);
        };
        let mut term = self.terms[&branches[most].0];
        for (at, (below, ranges)) in branches.iter().enumerate() {
            if at != most {
                let ranges: Vec<Term> = ranges
                    .iter()
                    .map(|range| within(variable, width, *range))
                    .collect();
                term = Term::or(&ranges).ite(self.terms[below], term);
            }
        }
        term
    }
}

/// The bit that a diagram branches on first.
fn top(node: &Diagram) -> Option<Bit> {
    node.with_manager_shared(|manager, edge| {
        let level = manager.get_node(edge).level();
        (level != LevelNo::MAX).then(|| manager.level_to_var(level))
    })
}

/// That a variable's code lies in a range.
fn within(variable: &Variable, width: usize, (low, high): (u128, u128)) -> Term {
    let current = variable.current;
    match variable.sort() {
        Sort::Bool => match (low, high) {
            (0, 1) => Term::bool(true),
            (0, _) => current.not(),
            _ => current,
        },
        Sort::Enum(sort) => {
            let last = (sort.values().len() as u128 - 1).min(high);
            let values = low..=last;
            let equal = values.map(|code| {
                let value = Value::Enum(sort, code as u32);
                current.eq(Term::constant(value))
            });
            Term::or(&equal.collect::<Vec<Term>>())
        }
        Sort::BitVec(bits) => {
            let end = |code: u128| {
                let code = proofmark_model::BitVec::new(bits, code.into());
                Term::constant(Value::BitVec(code))
            };
            let above = Term::bv(Op::BvUle, &[end(low), current]);
            let below = Term::bv(Op::BvUle, &[current, end(high)]);
            Term::and(&[above, below])
        }
        Sort::Int | Sort::Real => {
            // Two's complement: the upper half of the codes is negative.
            let half = 1u128 << (width - 1);
            if low < half && high >= half {
                let lower = within(variable, width, (low, half - 1));
                let upper = within(variable, width, (half, high));
                return Term::or(&[lower, upper]);
            }
            let shift = if low >= half { 1i128 << width } else { 0 };
            let [low, high] = [low, high].map(|code| Term::int((code as i128 - shift) as i64));
            Term::and(&[low.le(current), current.le(high)])
        }
    }
}
