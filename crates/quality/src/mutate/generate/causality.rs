//! Whether a mutation makes a variable depend on itself within one step.
//!
//! The original has no such cycle, so that its variables can be ranked: each above those that it
//! needs. A mutation that reads nothing new, or only what ranks below, makes none either. Otherwise
//! the definitions are followed from what is new, down to the lowest rank that was changed.

use proofmark_model::{Body, Element, Mentions, Patch, Phase, System, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// A variable in a phase.
type Key = (Phase, Term);
/// What variables need of the present.
type Needs = FxHashMap<Key, FxHashSet<Term>>;

pub(crate) struct Causality {
    needs: Needs,
    /// Variables that nobody defines have no rank: they are below all others.
    ranks: FxHashMap<Key, u32>,
}

impl Causality {
    pub fn of(system: &System) -> Causality {
        let elements = system.elements().iter();
        let needs: Needs = elements.flat_map(|element| needs(element)).collect();
        let ranks = ranks(&needs);
        Causality { needs, ranks }
    }

    /// Whether there is a cycle when these take the places of their originals.
    pub fn has_cycle(&self, patches: &[Patch]) -> bool {
        let changed = patches.iter().flat_map(|patch| needs(&patch.element));
        let changed: Needs = changed.collect();
        let rank = |key: Key| self.ranks.get(&key).copied();
        let rising = changed.iter().any(|(key, now)| {
            let mut new = now.iter().filter(|one| !self.has(*key, **one));
            new.any(|one| rank((key.0, *one)) >= rank(*key))
        });
        rising
            && changed.iter().any(|(key, now)| {
                let mut new = now.iter().filter(|one| !self.has(*key, **one));
                new.any(|one| self.reaches(*one, *key, &changed))
            })
    }

    fn has(&self, key: Key, need: Term) -> bool {
        let needs = self.needs.get(&key);
        needs.is_some_and(|needs| needs.contains(&need))
    }

    fn reaches(&self, from: Term, (phase, to): Key, changed: &Needs) -> bool {
        let ranks = changed.keys().map(|key| self.ranks.get(key));
        let lowest = ranks.min().flatten();
        let mut seen = FxHashSet::default();
        let mut stack = vec![from];
        while let Some(variable) = stack.pop() {
            if variable == to {
                return true;
            }
            let key = (phase, variable);
            // From below everything that was changed, only unchanged definitions lead further down.
            if self.ranks.get(&key) >= lowest && seen.insert(variable) {
                let needs = changed.get(&key).or_else(|| self.needs.get(&key));
                stack.extend(needs.into_iter().flatten());
            }
        }
        false
    }
}

/// Ranks every variable above those that it needs.
fn ranks(needs: &Needs) -> FxHashMap<Key, u32> {
    let mut ranks = FxHashMap::default();
    let mut open = FxHashSet::default();
    let mut stack: Vec<Key> = needs.keys().copied().collect();
    while let Some(&key) = stack.last() {
        let first = !ranks.contains_key(&key) && open.insert(key);
        let Some(needed) = needs.get(&key).filter(|_| first) else {
            stack.pop();
            if needs.contains_key(&key) {
                let rank = ranks.len() as u32;
                ranks.entry(key).or_insert(rank);
            }
            continue;
        };
        stack.extend(needed.iter().map(|variable| (key.0, *variable)));
    }
    ranks
}

/// What an element's variable needs. Previous values are variables that nobody defines.
fn needs(element: &Element) -> Vec<(Key, FxHashSet<Term>)> {
    let Body::Define(definition) = &element.body else {
        return Vec::new();
    };
    let phases = [Phase::Init, Phase::Step].into_iter();
    let needs = phases.filter_map(|phase| {
        let value = definition.value(phase)?;
        Some(((phase, definition.variable), Mentions::of(value).variables))
    });
    needs.collect()
}
