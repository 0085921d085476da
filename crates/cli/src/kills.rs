//! The kill matrix of `proofmark mutate`: from cells by position to findings by name.

use crate::arguments::Mutate;
use crate::exit::Exit;
use crate::ivc::report_oracle_error;
use crate::session::Session;
use proofmark_quality::mutate::{Cell as Decision, Decided, Mutation, Plan, matrix, worth};
use proofmark_report::{Cell, MutantFinding, Worth};

/// The cells of each mutation, when they are asked for.
pub fn rows(
    arguments: &Mutate,
    session: &Session<'_>,
    plan: &Plan<'_>,
    mutations: &[Mutation],
    decided: &[Option<Decided>],
) -> Result<Option<Vec<Vec<Decision>>>, Exit> {
    if !arguments.matrix && arguments.csv.is_none() {
        return Ok(None);
    }
    let rows = matrix(plan, mutations, decided);
    rows.map(Some)
        .map_err(|error| report_oracle_error(session, &error))
}

/// Puts cells into a finding; then the killers are all that are known.
pub fn tell(row: &[Decision], properties: &[String], finding: &mut MutantFinding) {
    for (cell, name) in row.iter().zip(properties) {
        let cell = match cell {
            Decision::Killed => Cell::Killed,
            Decision::Holds => Cell::Holds,
            Decision::Unknown => Cell::Unknown,
        };
        finding.matrix.insert(name.clone(), cell);
    }
    let killed = |name: &&String| finding.matrix.get(*name) == Some(&Cell::Killed);
    if !row.is_empty() {
        finding.killed_by = properties.iter().filter(killed).cloned().collect();
    }
}

/// What the matrix in findings says of the properties.
pub fn summary(properties: &[String], mutants: &[MutantFinding]) -> Option<Worth> {
    let known = mutants.iter().filter(|one| !one.matrix.is_empty());
    let cell = |mutant: &MutantFinding, name: &String| match mutant.matrix.get(name) {
        Some(Cell::Killed) => Decision::Killed,
        Some(Cell::Holds) => Decision::Holds,
        Some(Cell::Unknown) | None => Decision::Unknown,
    };
    let rows: Vec<Vec<Decision>> = known
        .map(|mutant| properties.iter().map(|name| cell(mutant, name)).collect())
        .collect();
    if rows.is_empty() {
        return None;
    }
    let found = worth(&rows);
    let names = |list: &[usize]| list.iter().map(|at| properties[*at].clone()).collect();
    let cells = rows.iter().flatten();
    Some(Worth {
        redundant: names(&found.redundant),
        smallest: names(&found.smallest),
        exact: found.exact,
        unknown: cells.filter(|cell| **cell == Decision::Unknown).count(),
    })
}
