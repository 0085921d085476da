//! The tableau: linear equations, each solved for one variable.
//!
//! A row says `basic = Σ coefficient · variable` over variables that are not basic. Rows and columns
//! are both sparse and point at each other, so that a pivot visits only the entries it changes;
//! entries are removed by moving the last one into the gap.

use proofmark_model::Rational;

/// A variable of the arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Unknown(pub(super) u32);

impl Unknown {
    #[inline]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) unknown: Unknown,
    pub(super) coefficient: Rational,
    /// Where this entry is in its column.
    in_column: u32,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    row: u32,
    /// Where this entry is in its row.
    in_row: u32,
}

#[derive(Debug)]
pub(super) struct Row {
    pub(super) basic: Unknown,
    pub(super) entries: Vec<Entry>,
}

const NONE: u32 = u32::MAX;

#[derive(Default)]
pub(super) struct Tableau {
    rows: Vec<Row>,
    /// By unknown: where it occurs as a variable that is not basic.
    columns: Vec<Vec<Cell>>,
    /// By unknown: the row it is basic in, or `NONE`.
    row_of: Vec<u32>,
    /// Scratch: where each unknown is in the row at hand.
    position: Vec<u32>,
    /// Scratch: the row that is being substituted.
    definition: Vec<(Unknown, Rational)>,
}

impl Tableau {
    pub(super) fn new_unknown(&mut self) -> Unknown {
        self.columns.push(Vec::new());
        self.row_of.push(NONE);
        self.position.push(NONE);
        Unknown(self.columns.len() as u32 - 1)
    }

    /// The row that an unknown is basic in.
    #[inline]
    pub(super) fn row_of(&self, unknown: Unknown) -> Option<usize> {
        let row = self.row_of[unknown.index()];
        (row != NONE).then_some(row as usize)
    }

    #[inline]
    pub(super) fn row(&self, row: usize) -> &Row {
        &self.rows[row]
    }

    pub(super) fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// The rows that an unknown, not basic, occurs in, with its coefficient there.
    #[inline]
    pub(super) fn column(&self, unknown: Unknown) -> impl Iterator<Item = (usize, &Rational)> {
        self.columns[unknown.index()].iter().map(|cell| {
            let entry = &self.rows[cell.row as usize].entries[cell.in_row as usize];
            (cell.row as usize, &entry.coefficient)
        })
    }

    #[inline]
    pub(super) fn column_len(&self, unknown: Unknown) -> usize {
        self.columns[unknown.index()].len()
    }

    /// Adds the row `basic = Σ sum`; `basic` occurs nowhere yet.
    pub(super) fn add_row(&mut self, basic: Unknown, sum: &[(Unknown, Rational)]) {
        let row = self.rows.len();
        self.rows.push(Row {
            basic,
            entries: Vec::with_capacity(sum.len()),
        });
        for (unknown, coefficient) in sum {
            match self.row_of(*unknown) {
                None => self.add_to_row(row, *unknown, coefficient),
                Some(definition) => {
                    let entries = std::mem::take(&mut self.rows[definition].entries);
                    for entry in &entries {
                        self.add_to_row(row, entry.unknown, &(coefficient * &entry.coefficient));
                    }
                    self.rows[definition].entries = entries;
                }
            }
        }
        self.row_of[basic.index()] = row as u32;
        self.forget_positions(row);
        self.drop_zeros(row);
    }

    /// Adds to one entry, found through `position`, which the caller clears. May leave a zero.
    fn add_to_row(&mut self, row: usize, unknown: Unknown, coefficient: &Rational) {
        let at = self.position[unknown.index()];
        if at != NONE {
            self.rows[row].entries[at as usize].coefficient += coefficient;
            return;
        }
        self.position[unknown.index()] = self.rows[row].entries.len() as u32;
        self.insert(row, unknown, coefficient.clone());
    }

    fn insert(&mut self, row: usize, unknown: Unknown, coefficient: Rational) {
        let in_row = self.rows[row].entries.len() as u32;
        let column = &mut self.columns[unknown.index()];
        let in_column = column.len() as u32;
        column.push(Cell {
            row: row as u32,
            in_row,
        });
        self.rows[row].entries.push(Entry {
            unknown,
            coefficient,
            in_column,
        });
    }

    fn forget_positions(&mut self, row: usize) {
        for entry in &self.rows[row].entries {
            self.position[entry.unknown.index()] = NONE;
        }
    }

    fn drop_zeros(&mut self, row: usize) {
        let mut at = 0;
        while at < self.rows[row].entries.len() {
            if self.rows[row].entries[at].coefficient.is_zero() {
                self.remove(row, at);
            } else {
                at += 1;
            }
        }
    }

    fn remove(&mut self, row: usize, at: usize) {
        let entry = self.rows[row].entries.swap_remove(at);
        if let Some(moved) = self.rows[row].entries.get(at) {
            self.columns[moved.unknown.index()][moved.in_column as usize].in_row = at as u32;
        }
        let column = &mut self.columns[entry.unknown.index()];
        column.swap_remove(entry.in_column as usize);
        if let Some(moved) = column.get(entry.in_column as usize) {
            self.rows[moved.row as usize].entries[moved.in_row as usize].in_column =
                entry.in_column;
        }
    }

    /// Makes `entering` basic in a row where it occurs, and the row's basic unknown not.
    pub(super) fn pivot(&mut self, row: usize, entering: Unknown) {
        let leaving = self.rows[row].basic;
        let at = self.rows[row]
            .entries
            .iter()
            .position(|entry| entry.unknown == entering);
        let Some(at) = at else {
            unreachable!("a pivot needs an entry")
        };
        let inverse = self.rows[row].entries[at].coefficient.recip();
        self.remove(row, at);
        let scale = -&inverse;
        if !scale.is_one() {
            for entry in &mut self.rows[row].entries {
                entry.coefficient *= &scale;
            }
        }
        self.insert(row, leaving, inverse);
        self.rows[row].basic = entering;
        self.row_of[leaving.index()] = NONE;
        self.row_of[entering.index()] = row as u32;
        self.substitute(row, entering);
    }

    /// Replaces an unknown by its row wherever it occurs.
    fn substitute(&mut self, row: usize, unknown: Unknown) {
        if self.columns[unknown.index()].is_empty() {
            return;
        }
        let mut definition = std::mem::take(&mut self.definition);
        let entries = self.rows[row].entries.iter();
        definition.extend(entries.map(|entry| (entry.unknown, entry.coefficient.clone())));
        while let Some(cell) = self.columns[unknown.index()].last().copied() {
            let target = cell.row as usize;
            let factor = self.rows[target].entries[cell.in_row as usize]
                .coefficient
                .clone();
            self.remove(target, cell.in_row as usize);
            self.add_multiple(target, &factor, &definition);
        }
        definition.clear();
        self.definition = definition;
    }

    fn add_multiple(&mut self, target: usize, factor: &Rational, sum: &[(Unknown, Rational)]) {
        for (at, entry) in self.rows[target].entries.iter().enumerate() {
            self.position[entry.unknown.index()] = at as u32;
        }
        let mut zeros = false;
        for (unknown, coefficient) in sum {
            let at = self.position[unknown.index()];
            if at == NONE {
                self.insert(target, *unknown, factor * coefficient);
            } else {
                let sum = &mut self.rows[target].entries[at as usize].coefficient;
                sum.add_mul(factor, coefficient);
                zeros |= sum.is_zero();
            }
        }
        self.forget_positions(target);
        if zeros {
            self.drop_zeros(target);
        }
    }

    /// Forgets an unknown: the rows that are left say what the old ones said of the others.
    pub(super) fn forget(&mut self, unknown: Unknown) {
        if self.row_of(unknown).is_none()
            && let Some(cell) = self.columns[unknown.index()].first().copied()
        {
            self.pivot(cell.row as usize, unknown);
        }
        if let Some(row) = self.row_of(unknown) {
            self.remove_row(row);
            self.row_of[unknown.index()] = NONE;
        }
    }

    fn remove_row(&mut self, row: usize) {
        while let Some(at) = self.rows[row].entries.len().checked_sub(1) {
            self.remove(row, at);
        }
        self.rows.swap_remove(row);
        if row < self.rows.len() {
            let moved = &self.rows[row];
            self.row_of[moved.basic.index()] = row as u32;
            for entry in &moved.entries {
                self.columns[entry.unknown.index()][entry.in_column as usize].row = row as u32;
            }
        }
    }
}
