//! Whether a mutation makes a variable depend on itself within one step.
//!
//! The original has no such cycle, so that a new one goes through something that a changed element
//! reads and did not read before. From there the definitions are followed; most mutations read
//! nothing new and cost nothing.

use proofmark_model::{Body, Element, Mentions, Patch, Phase, System, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// What each variable needs of the present, in both phases.
pub(super) struct Causality {
    needs: FxHashMap<(Phase, Term), FxHashSet<Term>>,
}

impl Causality {
    pub fn of(system: &System) -> Causality {
        let elements = system.elements().iter();
        let needs = elements.flat_map(|element| needs(element));
        Causality {
            needs: needs.collect(),
        }
    }

    /// Whether there is a cycle when these take the places of their originals.
    pub fn has_cycle(&self, patches: &[Patch]) -> bool {
        let changed = patches.iter().flat_map(|patch| needs(&patch.element));
        let changed: FxHashMap<(Phase, Term), FxHashSet<Term>> = changed.collect();
        changed.iter().any(|(key, now)| {
            let before = self.needs.get(key);
            let mut new = now
                .iter()
                .filter(|one| before.is_none_or(|before| !before.contains(one)));
            new.any(|one| self.reaches(*one, *key, &changed))
        })
    }

    fn reaches(
        &self,
        from: Term,
        (phase, to): (Phase, Term),
        changed: &FxHashMap<(Phase, Term), FxHashSet<Term>>,
    ) -> bool {
        let mut seen = FxHashSet::default();
        let mut stack = vec![from];
        while let Some(variable) = stack.pop() {
            if variable == to {
                return true;
            }
            if seen.insert(variable) {
                let key = (phase, variable);
                let needs = changed.get(&key).or_else(|| self.needs.get(&key));
                stack.extend(needs.into_iter().flatten());
            }
        }
        false
    }
}

/// What an element's variable needs. Previous values are variables that nobody defines.
fn needs(element: &Element) -> Vec<((Phase, Term), FxHashSet<Term>)> {
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
