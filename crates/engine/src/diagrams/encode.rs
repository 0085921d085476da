//! From terms to diagrams.
//!
//! Every variable of the system has two columns of bits: *present*, which its previous value is read from,
//! and *next*, for its current value. A step part is then a relation between a present and a next state,
//! and a term over one state is a set of present states once its current values are read as previous
//! ones. Terms become an and-inverter graph by the bit-blaster (all variables are its inputs), and the
//! graph becomes diagrams gate by gate.
//!
//! Definitions that say the same at every step and read no other step are expanded: what they define
//! costs no bits.

use super::store::{Answer, Bit, Diagram, GaveUp, Store, and, not, or};
use proofmark_model::graph::{Kind, NotFinite, blast_formulas, integer_limits};
use proofmark_model::{Mentions, Sort, System, Term, Value, Variable, rename};
use rustc_hash::{FxHashMap, FxHashSet};

/// The bits of a variable, least significant first.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pub(super) present: Vec<Bit>,
    pub(super) next: Vec<Bit>,
}

/// A diagram with the bits that it may read.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) set: Diagram,
    pub(super) support: Vec<Bit>,
}

pub(super) struct Encoder {
    pub(super) store: Store,
    columns: FxHashMap<Term, Columns>,
    /// The bits of a current or a previous term.
    bits: FxHashMap<Term, Vec<Bit>>,
    limits: FxHashMap<Term, (i128, i128)>,
    parts: FxHashMap<Term, Part>,
}

impl Encoder {
    pub(super) fn new(store: Store) -> Encoder {
        Encoder {
            store,
            columns: FxHashMap::default(),
            bits: FxHashMap::default(),
            limits: FxHashMap::default(),
            parts: FxHashMap::default(),
        }
    }

    /// Gives bits to variables that have none, in this order; the bits of those in one group alternate.
    pub(super) fn declare(&mut self, system: &System, order: &[Vec<&Variable>]) -> Answer<()> {
        let limits = integer_limits(system);
        self.declare_within(order, |variable| {
            let limit = limits.get(&variable.current).copied();
            limit.or_else(|| declared(variable))
        })
    }

    /// The same, with the limits of integers as somebody says.
    pub(super) fn declare_within(
        &mut self,
        order: &[Vec<&Variable>],
        limit: impl Fn(&Variable) -> Option<(i128, i128)>,
    ) -> Answer<()> {
        for group in order {
            let mut open = Vec::new();
            for variable in group {
                if self.columns.contains_key(&variable.current) {
                    continue;
                }
                let limit = limit(variable);
                let width = width(variable, limit)?;
                let columns = Columns {
                    present: vec![0; width],
                    next: vec![0; width],
                };
                open.push((*variable, limit, columns));
            }
            let widths = open.iter().map(|(_, _, columns)| columns.present.len());
            // The most significant bits come first in the order, present and next side by side.
            for at in (0..widths.max().unwrap_or(0)).rev() {
                for (_, _, columns) in &mut open {
                    if at < columns.present.len() {
                        let mut bits = self.store.add_bits(2);
                        columns.present[at] = bits.next().unwrap_or_default();
                        columns.next[at] = bits.next().unwrap_or_default();
                    }
                }
            }
            for (variable, limit, columns) in open {
                self.bits.insert(variable.previous, columns.present.clone());
                self.bits.insert(variable.current, columns.next.clone());
                if let Some(limit) = limit {
                    self.limits.insert(variable.current, limit);
                    self.limits.insert(variable.previous, limit);
                }
                self.columns.insert(variable.current, columns);
            }
        }
        Ok(())
    }

    pub(super) fn columns(&self, variable: Term) -> Option<&Columns> {
        self.columns.get(&variable)
    }

    /// The limits of a variable's values, when it is an integer.
    pub(super) fn limit(&self, variable: Term) -> Option<(i128, i128)> {
        self.limits.get(&variable).copied()
    }

    /// What the bits of a variable must be to stand for one of its values, in one of its columns.
    pub(super) fn valid(&self, variable: &Variable, next: bool) -> Answer<Option<Term>> {
        let term = if next {
            variable.current
        } else {
            variable.previous
        };
        Ok(match variable.sort() {
            Sort::Int => self.limit(variable.current).map(|(low, high)| {
                let [low, high] = [low, high].map(|end| Term::int(end as i64));
                Term::and(&[low.le(term), term.le(high)])
            }),
            _ => None,
        })
    }

    /// The codes of an enumeration that stand for a value, as a set over a column.
    pub(super) fn codes(&self, variable: &Variable, next: bool) -> Answer<Option<Part>> {
        let Sort::Enum(sort) = variable.sort() else {
            return Ok(None);
        };
        let Some(columns) = self.columns.get(&variable.current) else {
            return Ok(None);
        };
        let bits = if next {
            &columns.next
        } else {
            &columns.present
        };
        let last = sort.values().len() - 1;
        if last + 1 == 1 << bits.len() {
            return Ok(None);
        }
        // At most `last`, from the least significant bit up.
        let mut set = self.store.yes.clone();
        for (at, bit) in bits.iter().enumerate() {
            let zero = not(&self.store.bit(*bit)?)?;
            set = match last >> at & 1 {
                1 => or(&zero, &set)?,
                _ => and(&zero, &set)?,
            };
        }
        let support = bits.clone();
        Ok(Some(Part { set, support }))
    }

    /// Makes diagrams of terms whose variables all have bits.
    pub(super) fn encode(&mut self, terms: &[Term]) -> Answer<Vec<Part>> {
        let mut missing: Vec<Term> = Vec::new();
        let mut seen = FxHashSet::default();
        for term in terms {
            if !self.parts.contains_key(term) && seen.insert(*term) {
                missing.push(*term);
            }
        }
        if !missing.is_empty() {
            self.encode_new(&missing)?;
        }
        Ok(terms.iter().map(|term| self.parts[term].clone()).collect())
    }

    fn encode_new(&mut self, terms: &[Term]) -> Answer<()> {
        let order = |leaf: Term| self.bits.get(&leaf).and_then(|bits| bits.first().copied());
        let blasted = blast_formulas(terms, |leaf| self.limits.get(&leaf).copied(), order)?;
        let (graph, inputs) = (&blasted.netlist.graph, blasted.map.inputs());
        let roots: Vec<u32> = blasted
            .netlist
            .bads
            .iter()
            .map(|bad| bad.signal.node())
            .collect();
        let mut needed = vec![false; graph.len()];
        roots.iter().for_each(|root| needed[*root as usize] = true);
        for node in (0..graph.len() as u32).rev() {
            if needed[node as usize]
                && let Some(fanins) = graph.fanins(node)
            {
                fanins.iter().for_each(|fanin| needed[fanin.index()] = true);
            }
        }
        let mut sets: Vec<Option<Diagram>> = vec![None; graph.len()];
        let mut leaf_bits: Vec<Option<Bit>> = vec![None; graph.len()];
        for node in 0..graph.len() as u32 {
            if !needed[node as usize] {
                continue;
            }
            let set = match graph.kind(node) {
                Kind::Constant => self.store.no.clone(),
                Kind::Input(position) => {
                    let (leaf, bit) = inputs[position as usize];
                    let bit = self.bits[&leaf][bit as usize];
                    leaf_bits[node as usize] = Some(bit);
                    self.store.bit(bit)?
                }
                Kind::Latch(_) => {
                    let why = "is remembered where nothing should be".to_string();
                    return Err(NotFinite {
                        variable: None,
                        why,
                    }
                    .into());
                }
                Kind::And(a, b) => {
                    if node % 64 == 0 {
                        self.store.check()?;
                    }
                    let fanin = |signal: proofmark_model::graph::Signal| {
                        let set = sets[signal.index()].as_ref();
                        let set = set.unwrap_or(&self.store.no);
                        if signal.is_complemented() {
                            not(set)
                        } else {
                            Ok(set.clone())
                        }
                    };
                    and(&fanin(a)?, &fanin(b)?)?
                }
            };
            sets[node as usize] = Some(set);
        }
        let mut stamp = vec![u32::MAX; graph.len()];
        for (at, (term, bad)) in terms.iter().zip(&blasted.netlist.bads).enumerate() {
            let signal = !bad.signal;
            let set = sets[signal.index()]
                .clone()
                .unwrap_or(self.store.no.clone());
            let set = if signal.is_complemented() {
                not(&set)?
            } else {
                set
            };
            let mut support = Vec::new();
            let mut stack = vec![signal.node()];
            while let Some(node) = stack.pop() {
                if std::mem::replace(&mut stamp[node as usize], at as u32) == at as u32 {
                    continue;
                }
                support.extend(leaf_bits[node as usize]);
                if let Some(fanins) = graph.fanins(node) {
                    stack.extend(fanins.iter().map(|fanin| fanin.node()));
                }
            }
            support.sort_unstable();
            self.parts.insert(*term, Part { set, support });
        }
        Ok(())
    }

    /// The value of a variable in a present state.
    pub(super) fn decode(
        &self,
        variable: Term,
        mut bit: impl FnMut(Bit) -> bool,
        next: bool,
    ) -> Option<Value> {
        let columns = self.columns.get(&variable)?;
        let bits = if next {
            &columns.next
        } else {
            &columns.present
        };
        let bits: Vec<bool> = bits.iter().map(|one| bit(*one)).collect();
        Some(proofmark_model::graph::decode(variable.sort(), &bits))
    }
}

/// The limits that a variable's type sets.
pub(super) fn declared(variable: &Variable) -> Option<(i128, i128)> {
    let bounds = variable.bounds.as_ref()?;
    Some((bounds.low.to_i64()?.into(), bounds.high.to_i64()?.into()))
}

fn width(variable: &Variable, limit: Option<(i128, i128)>) -> Answer<usize> {
    let refuse = |why: &str| {
        GaveUp::NotFinite(NotFinite {
            variable: Some(variable.name),
            why: why.into(),
        })
    };
    match variable.sort() {
        Sort::Bool => Ok(1),
        Sort::BitVec(width) => Ok(width as usize),
        Sort::Enum(sort) => Ok(proofmark_model::graph::enum_width(sort.values().len())),
        Sort::Real => Err(refuse("is a real number")),
        Sort::Int => match limit {
            Some((low, high)) => Ok(proofmark_model::graph::integer_width(low, high)),
            None => Err(refuse("is an integer without bounds")),
        },
    }
}

/// The definitions of a system that hold at every step by themselves, expanded in each other.
#[derive(Default)]
pub(super) struct Expansion {
    definitions: FxHashMap<Term, Term>,
    current: FxHashMap<Term, Term>,
    previous: FxHashMap<Term, Term>,
    terms: FxHashMap<Term, Term>,
}

impl Expansion {
    pub(super) fn new(system: &System) -> Expansion {
        Expansion::of(system, definitions(system))
    }

    /// The definitions that two systems have in common.
    pub(super) fn common(first: &System, second: &System) -> Expansion {
        let others = definitions(second);
        let mut shared = definitions(first);
        shared.retain(|variable, value| others.get(variable) == Some(value));
        Expansion::of(first, shared)
    }

    fn of(system: &System, definitions: FxHashMap<Term, Term>) -> Expansion {
        let mut expansion = Expansion {
            definitions,
            ..Expansion::default()
        };
        let mut variables: Vec<Term> = expansion.definitions.keys().copied().collect();
        variables.sort_by_key(|one| one.id());
        let mut open: FxHashSet<Term> = FxHashSet::default();
        for root in variables {
            let mut stack = vec![root];
            while let Some(&variable) = stack.last() {
                let Some(&value) = expansion.definitions.get(&variable) else {
                    stack.pop();
                    continue;
                };
                if expansion.current.contains_key(&variable) {
                    stack.pop();
                    continue;
                }
                let needs = Mentions::of(value).variables;
                let missing: Vec<Term> = needs
                    .into_iter()
                    .filter(|need| expansion.definitions.contains_key(need))
                    .filter(|need| !expansion.current.contains_key(need))
                    .collect();
                if missing.is_empty() {
                    let Expansion { current, terms, .. } = &mut expansion;
                    let expanded = rename(value, terms, |leaf| {
                        current.get(&leaf).copied().unwrap_or(leaf)
                    });
                    expansion.current.insert(variable, expanded);
                    open.remove(&variable);
                    stack.pop();
                } else if open.insert(variable) {
                    stack.extend(missing);
                } else {
                    // It needs its own value: no definition, an equation to be solved.
                    expansion.definitions.remove(&variable);
                    stack.pop();
                }
            }
        }
        expansion.terms.clear();
        let mut back = FxHashMap::default();
        for (variable, value) in &expansion.current {
            let before = rename(*value, &mut back, |leaf| previous(system, leaf));
            expansion
                .previous
                .insert(previous(system, *variable), before);
        }
        expansion
    }

    /// What is expanded, with what it stands for: both over current variables.
    pub(super) fn definitions(&self) -> impl Iterator<Item = (Term, Term)> {
        self.current
            .iter()
            .map(|(variable, value)| (*variable, *value))
    }

    /// Whether a variable is expanded wherever it stands.
    pub(super) fn has(&self, variable: Term) -> bool {
        self.current.contains_key(&variable)
    }

    pub(super) fn expand(&mut self, term: Term) -> Term {
        let Expansion {
            current,
            previous,
            terms,
            ..
        } = self;
        rename(term, terms, |leaf| {
            let known = current.get(&leaf).or_else(|| previous.get(&leaf));
            known.copied().unwrap_or(leaf)
        })
    }
}

fn definitions(system: &System) -> FxHashMap<Term, Term> {
    let mut definitions = FxHashMap::default();
    for element in system.elements() {
        // A variable that is defined twice is a constraint the second time.
        for (variable, value) in system.timeless_definitions(element) {
            definitions.entry(variable).or_insert(value);
        }
    }
    definitions
}

/// The previous term of a current one.
pub(super) fn previous(system: &System, leaf: Term) -> Term {
    system.variable(leaf).map_or(leaf, |known| known.previous)
}
