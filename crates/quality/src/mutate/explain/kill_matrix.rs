//! The kill matrix: what each property says of each killed mutant.
//!
//! A campaign stops at the first run that violates anything. Here every property is decided on every
//! mutant that was killed: first by the runs that killed some mutant, in the simulator, and what they
//! leave open by a verification of the mutant from scratch, audited, within the budget. What that
//! does not decide stays unknown.

use crate::mutate::Mutation;
use crate::mutate::campaign::{Decided, Fate, Plan};
use crate::mutate::mutant::Mutant;
use crate::oracle::OracleError;
use crate::verify::{Question, Smoothing, Verdict, VerifyError, verify};
use fixedbitset::FixedBitSet;
use proofmark_engine::Limits;
use proofmark_model::{Program, System, Trace};

/// What a property says of a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// It is false on the mutant.
    Killed,
    /// It holds on the mutant, too.
    Holds,
    /// Not decided in time.
    Unknown,
}

/// A row for each mutation, in their order, and in it a cell for each property of the plan, in their
/// order. Rows of mutants that were not decided, or are no models, are empty.
pub fn matrix(
    plan: &Plan<'_>,
    mutations: &[Mutation],
    decided: &[Option<Decided>],
) -> Result<Vec<Vec<Cell>>, OracleError> {
    let fates = decided.iter().flatten().map(|one| &one.fate);
    let runs: Vec<&Trace> = fates
        .filter_map(|fate| match fate {
            Fate::Killed { refutation, .. } => Some(&refutation.trace),
            _ => None,
        })
        .collect();
    let pairs = mutations.iter().zip(decided);
    pairs
        .map(|(mutation, decided)| {
            let all = |cell| vec![cell; plan.properties.len()];
            match decided.as_ref().map(|one| &one.fate) {
                Some(Fate::Killed { by, .. }) => killed(plan, mutation, by, &runs),
                Some(Fate::Survived { .. }) => Ok(all(Cell::Holds)),
                Some(Fate::Unknown { .. } | Fate::Unaudited { .. }) => Ok(all(Cell::Unknown)),
                Some(Fate::Vacuous { .. } | Fate::NotValid { .. }) | None => Ok(Vec::new()),
            }
        })
        .collect()
}

/// The row of a mutant that some properties are known to kill.
fn killed(
    plan: &Plan<'_>,
    mutation: &Mutation,
    by: &[usize],
    runs: &[&Trace],
) -> Result<Vec<Cell>, OracleError> {
    let mut row = vec![Cell::Unknown; plan.properties.len()];
    let position = |property: usize| plan.properties.iter().position(|one| *one == property);
    for at in by.iter().filter_map(|property| position(*property)) {
        row[at] = Cell::Killed;
    }
    let Ok(mutant) = Mutant::new(plan.lowered, mutation, "mutant:") else {
        return Ok(row);
    };
    let system = mutant.of(&plan.lowered.system)?;
    let program = Program::compile(&system)?;
    for run in runs {
        if row.iter().all(|cell| *cell == Cell::Killed) {
            return Ok(row);
        }
        for at in program.machine().judge(run).refuted().filter_map(position) {
            row[at] = Cell::Killed;
        }
    }
    verified(plan, &system, &mut row)?;
    Ok(row)
}

/// Verifies what is open in a row.
fn verified(plan: &Plan<'_>, system: &System, row: &mut [Cell]) -> Result<(), OracleError> {
    let open: Vec<usize> = (0..row.len())
        .filter(|at| row[*at] == Cell::Unknown)
        .collect();
    let resources = &plan.resources;
    if open.is_empty() || resources.exhausted() {
        return Ok(());
    }
    let question = Question {
        system,
        properties: open.iter().map(|at| plan.properties[*at]).collect(),
        specifications: Vec::new(),
        limits: Limits {
            advice: plan.proof.invariants.clone(),
            engines: resources.engines.to_vec(),
            jobs: resources.jobs,
            time: Some(resources.time()),
            interrupt: resources.interrupt.clone(),
            ..Limits::default()
        },
        open: resources.open,
        auditor: plan.auditor,
        smoothing: Smoothing::Off,
        deadlocks: false,
        statistics: false,
    };
    let verified = verify(&question, &mut |_| ()).map_err(|error| match error {
        VerifyError::Solve(error) => OracleError::Solve(error),
        VerifyError::Compile(error) => OracleError::Compile(error),
        VerifyError::Audit { property, what } => OracleError::Audit(format!("{property}: {what}")),
    })?;
    for judgement in verified.judgements {
        let at = plan
            .properties
            .iter()
            .position(|one| *one == judgement.property);
        let cell = match judgement.verdict {
            Verdict::Valid { .. } => Cell::Holds,
            Verdict::Invalid { .. } => Cell::Killed,
            Verdict::Vacuous { .. } | Verdict::Unknown { .. } => Cell::Unknown,
        };
        if let Some(at) = at {
            row[at] = cell;
        }
    }
    Ok(())
}

/// What a matrix says of the properties, by column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Worth {
    /// Properties each of which could be left out, alone, without losing a kill.
    pub redundant: Vec<usize>,
    /// Properties that together kill all that is killed.
    pub smallest: Vec<usize>,
    /// Whether no fewer do, for all that is known.
    pub exact: bool,
}

/// What the properties are worth, each and together.
pub fn worth(rows: &[Vec<Cell>]) -> Worth {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut killers: Vec<FixedBitSet> = Vec::new();
    for row in rows {
        let mut set = FixedBitSet::with_capacity(columns);
        let cells = row.iter().enumerate();
        set.extend(
            cells
                .filter(|(_, cell)| **cell == Cell::Killed)
                .map(|(at, _)| at),
        );
        if !set.is_clear() && !killers.contains(&set) {
            killers.push(set);
        }
    }
    let alone = |at: &usize| {
        killers
            .iter()
            .any(|set| set.count_ones(..) == 1 && set[*at])
    };
    let redundant = (0..columns).filter(|at| !alone(at)).collect();
    // A set of properties that hits a subset hits every superset, so supersets can go.
    let all = killers.clone();
    killers.retain(|set| !all.iter().any(|other| other != set && other.is_subset(set)));
    let (forced, mut open): (Vec<FixedBitSet>, Vec<FixedBitSet>) =
        killers.into_iter().partition(|set| set.count_ones(..) == 1);
    open.sort_by_key(|set| set.count_ones(..));
    let mut search = Search {
        best: greedy(&open),
        left: MOST,
    };
    search.visit(&open, &mut Vec::new());
    let mut smallest = search.best;
    smallest.extend(forced.iter().flat_map(FixedBitSet::ones));
    smallest.sort_unstable();
    Worth {
        redundant,
        smallest,
        exact: search.left > 0,
    }
}

/// How many sets a search looks at.
const MOST: u32 = 100_000;

/// A search for the smallest set that meets each of others, by branch and bound.
struct Search {
    best: Vec<usize>,
    left: u32,
}

impl Search {
    /// The depth is at most the number of properties of the best set so far.
    fn visit(&mut self, open: &[FixedBitSet], chosen: &mut Vec<usize>) {
        let Some(first) = open.first() else {
            if chosen.len() < self.best.len() {
                self.best.clone_from(chosen);
            }
            return;
        };
        if self.left == 0 || chosen.len() + bound(open) >= self.best.len() {
            return;
        }
        self.left -= 1;
        let mut members: Vec<usize> = first.ones().collect();
        let meets = |member: usize| open.iter().filter(|set| set[member]).count();
        members.sort_by_key(|member| std::cmp::Reverse(meets(*member)));
        for member in members {
            let rest = open.iter().filter(|set| !set[member]);
            let rest: Vec<FixedBitSet> = rest.cloned().collect();
            chosen.push(member);
            self.visit(&rest, chosen);
            chosen.pop();
        }
    }
}

/// A set that meets each of others, always the member next that meets most.
fn greedy(sets: &[FixedBitSet]) -> Vec<usize> {
    let mut open: Vec<&FixedBitSet> = sets.iter().collect();
    let mut chosen = Vec::new();
    while let Some(first) = open.first() {
        let meets = |member: &usize| open.iter().filter(|set| set[*member]).count();
        let Some(best) = first.ones().max_by_key(meets) else {
            break;
        };
        open.retain(|set| !set[best]);
        chosen.push(best);
    }
    chosen
}

/// At least so many are needed: sets that share nothing need one each.
fn bound(sets: &[FixedBitSet]) -> usize {
    let mut seen = FixedBitSet::with_capacity(sets.first().map_or(0, FixedBitSet::len));
    let mut count = 0;
    for set in sets {
        if set.is_disjoint(&seen) {
            seen.union_with(set);
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &[&str]) -> Vec<Vec<Cell>> {
        let cell = |c| match c {
            'K' => Cell::Killed,
            '.' => Cell::Holds,
            _ => Cell::Unknown,
        };
        let rows = text.iter();
        rows.map(|row| row.chars().map(cell).collect()).collect()
    }

    #[test]
    fn what_kills_nothing_alone_is_redundant() {
        let found = worth(&rows(&["K..", "KK.", ".K?", "..."]));
        assert_eq!(found.redundant, [2]);
        assert_eq!(found.smallest, [0, 1]);
        assert!(found.exact);
    }

    #[test]
    fn greed_is_not_enough() {
        // The last property kills most, and is not among the two that kill all.
        let found = worth(&rows(&["K.K", "K.K", "K..", ".KK", ".KK", ".K."]));
        assert_eq!(found.smallest, [0, 1]);
    }

    #[test]
    fn the_smallest_set_is_as_small_as_by_trying_all() {
        let mut seed = 7u64;
        for _ in 0..200 {
            let mut row = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let bits = seed >> 33;
                let cell = |at: u32| match (bits >> (2 * at)) & 3 {
                    0 => Cell::Killed,
                    1 => Cell::Unknown,
                    _ => Cell::Holds,
                };
                (0..6).map(cell).collect::<Vec<Cell>>()
            };
            let rows: Vec<Vec<Cell>> = (0..9).map(|_| row()).collect();
            let keeps = |set: u32| {
                rows.iter().all(|row| {
                    let killers = (0..6u32).filter(|at| row[*at as usize] == Cell::Killed);
                    let killers: Vec<u32> = killers.collect();
                    killers.is_empty() || killers.iter().any(|at| (set >> at) & 1 == 1)
                })
            };
            let least = (0..64u32)
                .filter(|set| keeps(*set))
                .map(u32::count_ones)
                .min();
            let found = worth(&rows);
            assert_eq!(Some(found.smallest.len() as u32), least);
            assert!(found.exact);
            assert!(keeps(found.smallest.iter().map(|at| 1 << at).sum()));
            for at in 0..6 {
                assert_eq!(found.redundant.contains(&at), keeps(63 & !(1 << at)));
            }
        }
    }

    #[test]
    fn nothing_killed_needs_nothing() {
        let found = worth(&rows(&["..", "??"]));
        assert!(found.smallest.is_empty() && found.exact);
        assert_eq!(found.redundant, [0, 1]);
    }
}
