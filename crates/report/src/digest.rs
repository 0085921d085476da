//! A campaign in short: where the properties are weak, which gap to look at first, what to add.
//!
//! Hundreds of gaps are one list that nobody reads. Most of them go back to a few equations of which
//! the properties say little, and a few properties would close them. So gaps are grouped by the
//! equation they are in, the largest group first; within a group the gap comes first that reaches an
//! output soonest, since its run is the shortest to understand. Remedies are chosen greedily, as a set
//! cover is: each closes most of what those before it leave open. All of this is data: the text and the
//! page show the same groups in the same order.

use crate::findings::{ElementFinding, Findings, MutantFinding, Origin};
use crate::score::Score;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::cmp::Reverse;

/// A campaign in short. Mutants are given by their positions in the findings.
#[derive(Clone, Debug, Serialize)]
pub struct Digest<'f> {
    /// How the mutants of each node fared, the weakest node first.
    pub nodes: Vec<Tally<'f>>,
    /// The same of each element, by id, those with most gaps first.
    pub elements: Vec<Tally<'f>>,
    /// The gaps of each element, the largest group first.
    pub groups: Vec<GapGroup<'f>>,
    /// Properties to add, in this order.
    pub remedies: Vec<Remedy<'f>>,
}

/// How the mutants of one part of the model fared.
#[derive(Clone, Debug, Serialize)]
pub struct Tally<'f> {
    /// The name of the node, or the id of the element.
    pub name: &'f str,
    /// The score of its mutants alone.
    pub score: Score,
}

/// The gaps in one element.
#[derive(Clone, Debug, Serialize)]
pub struct GapGroup<'f> {
    /// The id of the element, and how all its mutants fared.
    pub element: Tally<'f>,
    /// Where the element stands, if it is one that is counted.
    pub line: Option<u32>,
    /// The first line of its text.
    pub text: Option<&'f str>,
    /// The most telling first.
    pub gaps: Vec<usize>,
}

/// A property that would close gaps: it holds on the original and is false on each of these.
#[derive(Clone, Debug, Serialize)]
pub struct Remedy<'f> {
    /// As text to paste into the model.
    pub property: &'f str,
    /// Gaps that it closes, without those that are counted for a remedy before it. It may close more:
    /// a mutant lists only the best of what would notice it.
    pub closes: Vec<usize>,
    /// The lower end of the score with this one and all before it is at least this.
    pub score: f64,
}

/// The digest of a campaign.
pub fn digest(findings: &Findings) -> Digest<'_> {
    Digest {
        nodes: nodes(findings),
        elements: elements(findings),
        groups: groups(findings),
        remedies: remedies(findings),
    }
}

/// Mutants by a name, in the order in which the names first come.
fn by_name<'f>(
    findings: &'f Findings,
    name: impl Fn(&'f MutantFinding) -> &'f str,
) -> Vec<(&'f str, Vec<usize>)> {
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut all: Vec<(&str, Vec<usize>)> = Vec::new();
    for (at, mutant) in findings.mutants.iter().enumerate() {
        let name = name(mutant);
        let place = *places.entry(name).or_insert_with(|| {
            all.push((name, Vec::new()));
            all.len() - 1
        });
        all[place].1.push(at);
    }
    all
}

fn tally<'f>(findings: &'f Findings, name: &'f str, mutants: &[usize]) -> Tally<'f> {
    let score = Score::of(mutants.iter().map(|at| &findings.mutants[*at]));
    Tally { name, score }
}

fn nodes(findings: &Findings) -> Vec<Tally<'_>> {
    let all = by_name(findings, |mutant| &mutant.node);
    let tallies = all.iter();
    let mut nodes: Vec<Tally<'_>> = tallies
        .map(|(name, mutants)| tally(findings, name, mutants))
        .collect();
    nodes.sort_by(|one, other| one.score.low.total_cmp(&other.score.low));
    nodes
}

fn elements(findings: &Findings) -> Vec<Tally<'_>> {
    let all = by_name(findings, |mutant| &mutant.element);
    let tallies = all.iter();
    let mut elements: Vec<Tally<'_>> = tallies
        .map(|(name, mutants)| tally(findings, name, mutants))
        .collect();
    let unnoticed = |score: &Score| score.gap + score.survived + score.not_observed;
    elements.sort_by_key(|one| Reverse(unnoticed(&one.score)));
    elements
}

fn groups(findings: &Findings) -> Vec<GapGroup<'_>> {
    let elements = findings.elements.iter();
    let elements: FxHashMap<&str, &ElementFinding> =
        elements.map(|one| (one.id.as_str(), one)).collect();
    let all = by_name(findings, |mutant| &mutant.element);
    let groups = all.iter().filter_map(|(id, mutants)| {
        let is_gap = |at: &usize| findings.mutants[*at].is_gap();
        let mut gaps: Vec<usize> = mutants.iter().copied().filter(is_gap).collect();
        if gaps.is_empty() {
            return None;
        }
        gaps.sort_by_key(|at| telling(&findings.mutants[*at]));
        let element = elements.get(id);
        Some(GapGroup {
            element: tally(findings, id, mutants),
            line: element.and_then(|one| line(one)),
            text: element.map(|one| one.text.as_str()),
            gaps,
        })
    });
    let mut groups: Vec<GapGroup<'_>> = groups.collect();
    groups.sort_by_key(|group| {
        let first = group.gaps.first();
        let soonest = first.map(|at| telling(&findings.mutants[*at]));
        (Reverse(group.gaps.len()), soonest)
    });
    groups
}

/// What comes first is most telling: a gap before what only may be one, and what is seen sooner.
fn telling(mutant: &MutantFinding) -> (bool, u32) {
    let unseen = mutant.differs.is_empty();
    (unseen, mutant.step.unwrap_or(u32::MAX))
}

fn line(element: &ElementFinding) -> Option<u32> {
    match element.origin.as_ref()? {
        Origin::Span(span) => Some(span.line),
        Origin::Name { .. } => None,
    }
}

/// Chosen greedily among what is suggested for the gaps.
fn remedies(findings: &Findings) -> Vec<Remedy<'_>> {
    let score = Score::of(&findings.mutants);
    let numbered = findings.mutants.iter().enumerate();
    let mut open: Vec<(usize, &MutantFinding)> = numbered
        .filter(|(_, mutant)| mutant.is_gap() && !mutant.suggestions.is_empty())
        .collect();
    let mut remedies: Vec<Remedy<'_>> = Vec::new();
    let mut closed = 0;
    while let Some(property) = best(&open) {
        let (closes, rest): (Vec<_>, Vec<_>) = open
            .into_iter()
            .partition(|(_, mutant)| mutant.suggestions.iter().any(|one| one == property));
        open = rest;
        closed += closes.len();
        remedies.push(Remedy {
            property,
            closes: closes.into_iter().map(|(at, _)| at).collect(),
            score: (score.killed + closed) as f64 / score.relevant().max(1) as f64,
        });
    }
    remedies
}

/// The property that is suggested for most of these gaps; of several the shortest.
fn best<'f>(open: &[(usize, &'f MutantFinding)]) -> Option<&'f str> {
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for (_, mutant) in open {
        let suggested: FxHashSet<&str> = mutant.suggestions.iter().map(String::as_str).collect();
        for property in suggested {
            *counts.entry(property).or_default() += 1;
        }
    }
    let counts = counts.into_iter();
    let best = counts.min_by_key(|(property, count)| (Reverse(*count), property.len(), *property));
    best.map(|(property, _)| property)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn mutant(id: &str, verdict: &str, step: u32, suggestions: &[&str]) -> MutantFinding {
        let element = id.split('#').next().unwrap_or("");
        let node = element.split('.').next().unwrap_or("");
        MutantFinding {
            id: id.into(),
            element: element.into(),
            node: node.into(),
            step: Some(step),
            suggestions: suggestions.iter().map(|one| one.to_string()).collect(),
            ..samples::mutant(verdict)
        }
    }

    fn findings() -> Findings {
        let mutants = vec![
            mutant("sub.c#1", "gap", 0, &["p", "q"]),
            mutant("main.a#1", "gap", 4, &["p"]),
            mutant("main.a#2", "gap", 1, &["q"]),
            mutant("main.a#3", "killed", 0, &[]),
            mutant("main.b#1", "equivalent", 0, &[]),
            mutant("main.b#2", "gap", 0, &["longer"]),
            mutant("main.b#3", "unknown", 0, &[]),
        ];
        samples::findings(&["valid"], mutants)
    }

    #[test]
    fn the_largest_group_comes_first_and_in_it_what_is_seen_soonest() {
        let findings = findings();
        let groups = digest(&findings).groups;
        let found: Vec<(&str, &[usize])> = groups
            .iter()
            .map(|group| (group.element.name, &group.gaps[..]))
            .collect();
        let wanted: [(&str, &[usize]); 3] =
            [("main.a", &[2, 1]), ("sub.c", &[0]), ("main.b", &[5])];
        assert_eq!(found, wanted);
        assert_eq!(groups[0].element.score.killed, 1);
    }

    #[test]
    fn the_weakest_node_comes_first() {
        let findings = findings();
        let nodes = digest(&findings).nodes;
        let found: Vec<(&str, usize, usize)> = nodes
            .iter()
            .map(|node| (node.name, node.score.killed, node.score.gap))
            .collect();
        assert_eq!(found, [("sub", 0, 1), ("main", 1, 3)]);
    }

    #[test]
    fn a_gap_is_counted_for_one_remedy_alone() {
        let findings = findings();
        let remedies = digest(&findings).remedies;
        let found: Vec<(&str, &[usize])> = remedies
            .iter()
            .map(|one| (one.property, &one.closes[..]))
            .collect();
        let wanted: [(&str, &[usize]); 3] = [("p", &[0, 1]), ("q", &[2]), ("longer", &[5])];
        assert_eq!(found, wanted);
        // One is killed of six that are no equivalents; two more would be.
        assert!((remedies[0].score - 0.5).abs() < 1e-9);
    }

    #[test]
    fn what_somebody_suppressed_is_in_no_group_and_has_no_remedy() {
        let mut findings = findings();
        for mutant in &mut findings.mutants {
            mutant.suppressed = Some("for display only".into());
        }
        let digest = digest(&findings);
        assert!(digest.groups.is_empty() && digest.remedies.is_empty());
    }
}
