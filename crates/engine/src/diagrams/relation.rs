//! The transition relation as a conjunction of parts, with early quantification.
//!
//! Parts are ordered so that variables can be quantified as soon as no later part reads them, and
//! neighbours are joined while they stay small (Ranjan, Aziz, Brayton, Plessier, Pixley: Efficient BDD
//! algorithms for FSM synthesis and verification, 1995). Images and preimages quantify different
//! variables and have an order each.

use super::encode::Part;
use super::store::{Answer, Bit, Diagram, Renaming, Store, and, and_exists, exists, size};
use rustc_hash::{FxHashMap, FxHashSet};

/// Parts are joined up to so many nodes.
const CLUSTER: usize = 4_000;

pub(super) struct Relation {
    forward: Vec<(Diagram, Diagram)>,
    backward: Vec<(Diagram, Diagram)>,
    /// What no part reads and is quantified at once.
    idle_forward: Diagram,
    idle_backward: Diagram,
    to_next: Renaming,
    to_present: Renaming,
    /// All clusters, with labels that are not quantified: to find the labels of one step.
    whole: Vec<Diagram>,
}

/// The bits that a relation is about.
pub(super) struct Bits<'a> {
    pub(super) present: &'a [Bit],
    pub(super) next: &'a [Bit],
    /// Quantified in both directions.
    pub(super) labels: &'a [Bit],
    /// Those of the labels that conditions read, which stay until the end of a preimage.
    pub(super) asked: &'a [Bit],
}

impl Relation {
    pub(super) fn new(store: &Store, parts: Vec<Part>, bits: &Bits<'_>) -> Answer<Relation> {
        let whole: Vec<Diagram> = parts.iter().map(|part| part.set.clone()).collect();
        let parts = local(store, parts, bits.labels, bits.asked)?;
        let both = |ends: &[Bit]| -> Vec<Bit> { ends.iter().chain(bits.labels).copied().collect() };
        let (ahead, back) = (both(bits.present), both(bits.next));
        let (forward, idle_forward) = schedule(store, &parts, &ahead)?;
        let (backward, idle_backward) = schedule(store, &parts, &back)?;
        Ok(Relation {
            forward,
            backward,
            idle_forward,
            idle_backward,
            to_next: store.renaming(bits.present, bits.next)?,
            to_present: store.renaming(bits.next, bits.present)?,
            whole,
        })
    }

    /// The states that follow one of a set.
    pub(super) fn image(&self, store: &Store, set: &Diagram) -> Answer<Diagram> {
        let mut result = exists(set, &self.idle_forward)?;
        for (part, cube) in &self.forward {
            store.check()?;
            result = and_exists(&result, part, cube)?;
        }
        store.rename(&result, &self.to_present)
    }

    /// The states that have a successor in a set.
    pub(super) fn preimage(&self, store: &Store, set: &Diagram) -> Answer<Diagram> {
        self.preimage_with(store, set, &store.yes)
    }

    /// The same by steps whose present states and labels are in another set.
    pub(super) fn preimage_with(
        &self,
        store: &Store,
        set: &Diagram,
        by: &Diagram,
    ) -> Answer<Diagram> {
        let ahead = store.rename(set, &self.to_next)?;
        let mut result = and_exists(&ahead, by, &self.idle_backward)?;
        for (part, cube) in &self.backward {
            store.check()?;
            result = and_exists(&result, part, cube)?;
        }
        Ok(result)
    }

    /// The steps from one set to another with their labels, over both columns.
    pub(super) fn steps(&self, store: &Store, from: &Diagram, to: &Diagram) -> Answer<Diagram> {
        let mut result = and(from, &store.rename(to, &self.to_next)?)?;
        for part in &self.whole {
            result = and(&result, part)?;
        }
        Ok(result)
    }
}

/// Quantifies labels that a single part reads.
fn local(store: &Store, parts: Vec<Part>, labels: &[Bit], asked: &[Bit]) -> Answer<Vec<Part>> {
    let labels = labels.iter().filter(|bit| !asked.contains(bit));
    let mut readers: FxHashMap<Bit, usize> = labels.map(|bit| (*bit, 0)).collect();
    for bit in parts.iter().flat_map(|part| &part.support) {
        readers.entry(*bit).and_modify(|count| *count += 1);
    }
    let alone = |bit: &Bit| readers.get(bit) == Some(&1);
    let mut result = Vec::with_capacity(parts.len());
    for Part { set, support } in parts {
        let (gone, support): (Vec<Bit>, Vec<Bit>) = support.into_iter().partition(alone);
        let set = match gone.is_empty() {
            true => set,
            false => exists(&set, &store.cube(&gone)?)?,
        };
        result.push(Part { set, support });
    }
    Ok(result)
}

/// Orders and joins parts; each comes with the variables that are quantified with it. What no part reads
/// comes last.
pub(super) fn schedule(
    store: &Store,
    parts: &[Part],
    quantified: &[Bit],
) -> Answer<(Vec<(Diagram, Diagram)>, Diagram)> {
    let ordered = order(parts, quantified);
    let joined = join(store, ordered)?;
    let mut left: FxHashSet<Bit> = quantified.iter().copied().collect();
    let mut scheduled = Vec::with_capacity(joined.len());
    for (at, part) in joined.iter().enumerate().rev() {
        // Whoever is last to read a variable quantifies it.
        let mine: Vec<Bit> = part
            .support
            .iter()
            .copied()
            .filter(|bit| left.remove(bit))
            .collect();
        scheduled.push((joined[at].set.clone(), store.cube(&mine)?));
    }
    scheduled.reverse();
    let idle: Vec<Bit> = left.into_iter().collect();
    Ok((scheduled, store.cube(&idle)?))
}

/// Takes the part that quantifies most of what it reads, and among these the one that reads most.
fn order<'p>(parts: &'p [Part], quantified: &[Bit]) -> Vec<&'p Part> {
    let mut readers: FxHashMap<Bit, Vec<usize>> =
        quantified.iter().map(|bit| (*bit, Vec::new())).collect();
    for (at, part) in parts.iter().enumerate() {
        for bit in &part.support {
            if let Some(list) = readers.get_mut(bit) {
                list.push(at);
            }
        }
    }
    let mut counts: FxHashMap<Bit, usize> = readers
        .iter()
        .map(|(bit, list)| (*bit, list.len()))
        .collect();
    let mut free = vec![0usize; parts.len()];
    let mut reads = vec![0usize; parts.len()];
    for (bit, list) in &readers {
        for at in list {
            reads[*at] += 1;
            free[*at] += usize::from(counts[bit] == 1);
        }
    }
    let mut left: Vec<usize> = (0..parts.len()).collect();
    let mut ordered = Vec::with_capacity(parts.len());
    while !left.is_empty() {
        let score = |at: usize| {
            let new = parts[at].support.len() - reads[at];
            // In thousandths: what is quantified of what is read, less what comes in new.
            (2_000 * free[at]) as i64 / reads[at].max(1) as i64
                + (1_000 * reads[at]) as i64 / quantified.len().max(1) as i64
                - (1_000 * new) as i64 / quantified.len().max(1) as i64
        };
        let best = (0..left.len())
            .max_by_key(|&place| (score(left[place]), std::cmp::Reverse(left[place])));
        let Some(best) = best else { break };
        let at = left.swap_remove(best);
        left.sort_unstable();
        ordered.push(&parts[at]);
        for bit in &parts[at].support {
            let Some(count) = counts.get_mut(bit) else {
                continue;
            };
            *count -= 1;
            if *count == 1 {
                for reader in &readers[bit] {
                    free[*reader] += 1;
                }
            }
        }
    }
    ordered
}

/// Joins neighbours while they stay small.
fn join(store: &Store, parts: Vec<&Part>) -> Answer<Vec<Part>> {
    let mut joined: Vec<Part> = Vec::new();
    for part in parts {
        store.check()?;
        if let Some(last) = joined.last_mut() {
            let both = and(&last.set, &part.set)?;
            if size(&both) <= CLUSTER {
                last.set = both;
                last.support.extend(&part.support);
                last.support.sort_unstable();
                last.support.dedup();
                continue;
            }
        }
        joined.push(part.clone());
    }
    Ok(joined)
}
