//! Linear arithmetic: the general simplex of Dutertre and de Moura (CAV 2006).
//!
//! Every atom is a bound `x <= c` on one unknown; a sum of several unknowns gets an unknown of its
//! own and a row in the tableau. Over the integers the negation is `x >= c + 1`, over the reals
//! `x >= c + δ`, so that one kind of atom serves all comparisons, and the atoms of one unknown are
//! totally ordered (the encoder links neighbours by clauses, so that Boolean propagation finds what
//! follows from one bound; here only what follows from a row).
//!
//! Bounds live on a stack and remember the literal that set them. The assignment satisfies every
//! row at all times and, between checks, every bound of unknowns that are not basic; after a
//! conflict it goes back to the last one that satisfied all bounds, so that jumping back needs no
//! work here.

use super::delta::Delta;
use super::sat::{Consequences, Theory, TheoryVerdict};
use super::scoped::ScopedLog;
use super::tableau::{Tableau, Unknown};
use crate::sat::limits::{SearchLimits, Stop};
use crate::sat::literal::{Lit, Values, Var};
use proofmark_model::Rational;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which side of an unknown a bound is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Lower,
    Upper,
}
use Side::{Lower, Upper};

impl Side {
    fn other(self) -> Side {
        match self {
            Lower => Upper,
            Upper => Lower,
        }
    }
}

struct Bound {
    unknown: Unknown,
    side: Side,
    value: Delta,
    reason: Lit,
    /// The bound that this one replaced.
    previous: u32,
}

const NONE: u32 = u32::MAX;

struct UnknownData {
    is_int: bool,
    /// The scope with which the unknown goes.
    lifetime: u32,
    lower: u32,
    upper: u32,
    value: Delta,
    /// Atoms `unknown <= bound`, by bound.
    atoms: Vec<(Delta, Var)>,
    /// In the queue of basic unknowns that may be out of bounds.
    queued: bool,
    /// The value is saved for the way back.
    saved: bool,
    /// Bounds have changed since the rows were last looked at.
    touched: bool,
}

#[derive(Clone)]
pub(super) struct Atom {
    pub(super) unknown: Unknown,
    pub(super) bound: Delta,
}

/// Rows longer than this are not searched for implied bounds.
const LONGEST_PROPAGATED: usize = 40;

pub(super) struct Arithmetic {
    pub(super) tableau: Tableau,
    unknowns: Vec<UnknownData>,
    scoped: ScopedLog<Unknown>,
    /// Unknowns that are gone and may be used anew.
    free: Vec<Unknown>,
    bounds: Vec<Bound>,
    /// The atom of a propositional variable.
    atoms: Vec<Option<Atom>>,
    /// Literals told so far, each with the height of the bounds before it took effect.
    told: Vec<(Lit, u32)>,
    /// How many of them have taken effect.
    effective: usize,
    /// How many of them the assignment is known to satisfy.
    satisfied: usize,
    /// Basic unknowns that may be out of bounds, smallest first.
    queue: BinaryHeap<Reverse<u32>>,
    /// Values since the last assignment that satisfied all bounds.
    saved: Vec<(Unknown, Delta)>,
    touched: Vec<Unknown>,
    row_stamp: Vec<u32>,
    stamp: u32,
    explanation: Vec<Lit>,
    pub(super) pivots: u64,
}

impl Arithmetic {
    pub(super) fn new() -> Arithmetic {
        Arithmetic {
            tableau: Tableau::default(),
            unknowns: Vec::new(),
            scoped: ScopedLog::default(),
            free: Vec::new(),
            bounds: Vec::new(),
            atoms: Vec::new(),
            told: Vec::new(),
            effective: 0,
            satisfied: 0,
            queue: BinaryHeap::new(),
            saved: Vec::new(),
            touched: Vec::new(),
            row_stamp: Vec::new(),
            stamp: 0,
            explanation: Vec::new(),
            pivots: 0,
        }
    }

    pub(super) fn unknown_count(&self) -> usize {
        self.unknowns.len()
    }

    /// An unknown that lives until the scope `lifetime` is closed.
    pub(super) fn new_unknown(&mut self, is_int: bool, lifetime: u32) -> Unknown {
        let data = UnknownData {
            is_int,
            lifetime,
            lower: NONE,
            upper: NONE,
            value: Delta::ZERO,
            atoms: Vec::new(),
            queued: false,
            saved: false,
            touched: false,
        };
        let unknown = match self.free.pop() {
            Some(unknown) => {
                self.unknowns[unknown.index()] = data;
                unknown
            }
            None => {
                self.unknowns.push(data);
                self.tableau.new_unknown()
            }
        };
        self.scoped.note(lifetime, unknown);
        unknown
    }

    pub(super) fn lifetime(&self, unknown: Unknown) -> u32 {
        self.unknowns[unknown.index()].lifetime
    }

    /// A new unknown that equals a sum.
    pub(super) fn define(&mut self, sum: &[(Unknown, Rational)], lifetime: u32) -> Unknown {
        let is_int = sum
            .iter()
            .all(|(unknown, coefficient)| self.is_int(*unknown) && coefficient.is_integer());
        let unknown = self.new_unknown(is_int, lifetime);
        self.tableau.add_row(unknown, sum);
        self.unknowns[unknown.index()].value = self.value_of(sum);
        unknown
    }

    pub(super) fn value_of(&self, sum: &[(Unknown, Rational)]) -> Delta {
        let mut value = Delta::ZERO;
        for (unknown, coefficient) in sum {
            value.add_mul(coefficient, self.value(*unknown));
        }
        value
    }

    pub(super) fn is_int(&self, unknown: Unknown) -> bool {
        self.unknowns[unknown.index()].is_int
    }

    #[inline]
    pub(super) fn value(&self, unknown: Unknown) -> &Delta {
        &self.unknowns[unknown.index()].value
    }

    /// The present bound on a side, with the literal that set it.
    #[inline]
    pub(super) fn bound(&self, unknown: Unknown, side: Side) -> Option<(&Delta, Lit)> {
        let data = &self.unknowns[unknown.index()];
        let at = match side {
            Lower => data.lower,
            Upper => data.upper,
        };
        (at != NONE).then(|| {
            let bound = &self.bounds[at as usize];
            (&bound.value, bound.reason)
        })
    }

    /// The variable of the atom `unknown <= bound`, and otherwise its neighbours below and above.
    pub(super) fn find_atom(
        &self,
        unknown: Unknown,
        bound: &Delta,
    ) -> Result<Var, (Option<Var>, Option<Var>)> {
        let atoms = &self.unknowns[unknown.index()].atoms;
        match atoms.binary_search_by(|(known, _)| known.cmp(bound)) {
            Ok(at) => Ok(atoms[at].1),
            Err(at) => {
                let below = at.checked_sub(1).map(|at| atoms[at].1);
                Err((below, atoms.get(at).map(|atom| atom.1)))
            }
        }
    }

    pub(super) fn add_atom(&mut self, unknown: Unknown, bound: Delta, var: Var) {
        if self.atoms.len() <= var.index() {
            self.atoms.resize_with(var.index() + 1, || None);
        }
        let atoms = &mut self.unknowns[unknown.index()].atoms;
        let at = atoms.partition_point(|(known, _)| *known < bound);
        atoms.insert(at, (bound.clone(), var));
        self.atoms[var.index()] = Some(Atom { unknown, bound });
    }

    /// Forgets the atoms of variables that are gone and the unknowns that go with a scope. No
    /// bound of theirs may be left.
    pub(super) fn close(&mut self, scope: u32, dead: &[Var]) {
        for var in dead {
            if let Some(atom) = self.atoms.get_mut(var.index()).and_then(Option::take) {
                self.unknowns[atom.unknown.index()]
                    .atoms
                    .retain(|(_, other)| other != var);
            }
        }
        for unknown in self.scoped.close(scope) {
            self.tableau.forget(unknown);
            let data = &mut self.unknowns[unknown.index()];
            debug_assert!(data.lower == NONE && data.upper == NONE && data.atoms.is_empty());
            // Neither integral nor in any row: no later step looks at it.
            data.is_int = false;
            data.touched = false;
            self.free.push(unknown);
        }
        let unknowns = &self.unknowns;
        self.touched
            .retain(|unknown| unknowns[unknown.index()].touched);
    }

    // ---- Bounds ---------------------------------------------------------------------------

    /// Lets a literal take effect. False when it contradicts the bound on the other side; then
    /// `explanation` says so.
    fn assert_literal(&mut self, lit: Lit) -> bool {
        let Some(atom) = &self.atoms[lit.var().index()] else {
            return true;
        };
        let (unknown, mut value) = (atom.unknown, atom.bound.clone());
        if lit.is_positive() {
            return self.assert_bound(unknown, Upper, value, lit);
        }
        if self.is_int(unknown) {
            value.real += &Rational::ONE;
        } else {
            value.delta += &Rational::ONE;
        }
        self.assert_bound(unknown, Lower, value, lit)
    }

    fn assert_bound(&mut self, unknown: Unknown, side: Side, value: Delta, reason: Lit) -> bool {
        let tighter = |a: &Delta, b: &Delta| match side {
            Lower => a > b,
            Upper => a < b,
        };
        if let Some((known, _)) = self.bound(unknown, side)
            && !tighter(&value, known)
        {
            return true;
        }
        if let Some((opposite, other)) = self.bound(unknown, side.other())
            && tighter(&value, opposite)
        {
            self.explanation.clear();
            self.explanation.extend([reason, other]);
            return false;
        }
        let at = self.bounds.len() as u32;
        let data = &mut self.unknowns[unknown.index()];
        let slot = match side {
            Lower => &mut data.lower,
            Upper => &mut data.upper,
        };
        let previous = std::mem::replace(slot, at);
        if !data.touched {
            data.touched = true;
            self.touched.push(unknown);
        }
        let outside = tighter(&value, &data.value);
        self.bounds.push(Bound {
            unknown,
            side,
            value,
            reason,
            previous,
        });
        if outside {
            if self.tableau.row_of(unknown).is_some() {
                self.enqueue(unknown);
            } else {
                let value = self.bounds[at as usize].value.clone();
                self.update(unknown, value);
            }
        }
        true
    }

    fn enqueue(&mut self, unknown: Unknown) {
        let data = &mut self.unknowns[unknown.index()];
        if !data.queued {
            data.queued = true;
            self.queue.push(Reverse(unknown.0));
        }
    }

    /// The side on which an unknown is out of bounds.
    fn violated(&self, unknown: Unknown) -> Option<Side> {
        let value = self.value(unknown);
        if self
            .bound(unknown, Lower)
            .is_some_and(|(bound, _)| value < bound)
        {
            return Some(Lower);
        }
        self.bound(unknown, Upper)
            .is_some_and(|(bound, _)| value > bound)
            .then_some(Upper)
    }

    // ---- The assignment -------------------------------------------------------------------

    fn shift(&mut self, unknown: Unknown, factor: &Rational, by: &Delta) {
        let data = &mut self.unknowns[unknown.index()];
        if !data.saved {
            data.saved = true;
            self.saved.push((unknown, data.value.clone()));
        }
        data.value.add_mul(factor, by);
    }

    /// Gives an unknown that is not basic a new value; the basic ones follow.
    fn update(&mut self, unknown: Unknown, value: Delta) {
        let by = value.minus(self.value(unknown));
        self.shift(unknown, &Rational::ONE, &by);
        self.shift_column(unknown, &by, NONE as usize);
    }

    /// The basic unknowns follow a change of one that is not basic, except in the row `but`.
    fn shift_column(&mut self, unknown: Unknown, by: &Delta, but: usize) {
        let Arithmetic {
            tableau,
            unknowns,
            saved,
            queue,
            bounds,
            ..
        } = self;
        for (row, coefficient) in tableau.column(unknown) {
            if row == but {
                continue;
            }
            let basic = tableau.row(row).basic;
            let data = &mut unknowns[basic.index()];
            if !data.saved {
                data.saved = true;
                saved.push((basic, data.value.clone()));
            }
            data.value.add_mul(coefficient, by);
            if !data.queued {
                let out = (data.lower != NONE && data.value < bounds[data.lower as usize].value)
                    || (data.upper != NONE && data.value > bounds[data.upper as usize].value);
                if out {
                    data.queued = true;
                    queue.push(Reverse(basic.0));
                }
            }
        }
    }

    /// The present assignment satisfies all bounds.
    fn commit(&mut self) {
        self.satisfied = self.effective;
        for (unknown, _) in self.saved.drain(..) {
            self.unknowns[unknown.index()].saved = false;
        }
    }

    /// Back to the last assignment that satisfied all bounds.
    fn restore(&mut self) {
        for (unknown, value) in self.saved.drain(..) {
            let data = &mut self.unknowns[unknown.index()];
            data.saved = false;
            data.value = value;
        }
        for Reverse(unknown) in self.queue.drain() {
            self.unknowns[unknown as usize].queued = false;
        }
    }

    /// Looks again at bounds that took effect before a check that did not end well.
    fn recheck(&mut self) {
        for at in self.satisfied..self.effective {
            let Some(atom) = &self.atoms[self.told[at].0.var().index()] else {
                continue;
            };
            let unknown = atom.unknown;
            let Some(side) = self.violated(unknown) else {
                continue;
            };
            if self.tableau.row_of(unknown).is_some() {
                self.enqueue(unknown);
            } else if let Some((bound, _)) = self.bound(unknown, side) {
                let value = bound.clone();
                self.update(unknown, value);
            }
        }
    }

    /// Moves integer unknowns that are not basic from fractions to integers within their bounds,
    /// where the basic ones stay within theirs.
    pub(super) fn round_columns(&mut self) {
        for index in 0..self.unknowns.len() {
            let unknown = Unknown(index as u32);
            if !self.is_int(unknown)
                || self.tableau.row_of(unknown).is_some()
                || self.value(unknown).is_integer()
            {
                continue;
            }
            for value in [self.value(unknown).floor(), self.value(unknown).ceil()] {
                self.update(unknown, value.into());
                if self.queue.is_empty() {
                    self.commit();
                    break;
                }
                self.restore();
            }
        }
    }

    // ---- Simplex --------------------------------------------------------------------------

    /// Finds an assignment within all bounds, or a conflict in `explanation`.
    fn check(&mut self, limits: &SearchLimits) -> Result<bool, Stop> {
        let mut rounds = 0;
        while let Some(Reverse(unknown)) = self.queue.pop() {
            let basic = Unknown(unknown);
            self.unknowns[basic.index()].queued = false;
            let Some(row) = self.tableau.row_of(basic) else {
                continue;
            };
            let Some(side) = self.violated(basic) else {
                continue;
            };
            if let Some(stop) = limits.reached() {
                return Err(stop);
            }
            rounds += 1;
            // After many rounds the least index wins always, which ends (Bland's rule).
            let bland = rounds > 200 + self.tableau.row_count();
            let Some(entering) = self.entering(row, side, bland) else {
                self.explain_row(basic, row, side);
                return Ok(false);
            };
            limits.spend(1);
            self.pivots += 1;
            let Some((target, _)) = self.bound(basic, side) else {
                continue;
            };
            let target = target.clone();
            self.pivot_and_update(row, basic, entering, &target);
        }
        Ok(true)
    }

    /// Which unknown of the row can move so that its basic one gets back within bounds?
    fn entering(&self, row: usize, side: Side, bland: bool) -> Option<Unknown> {
        let mut best: Option<(usize, Unknown)> = None;
        for entry in &self.tableau.row(row).entries {
            let up = entry.coefficient.is_positive() == (side == Lower);
            let towards = if up { Upper } else { Lower };
            let value = self.value(entry.unknown);
            let can_move = match self.bound(entry.unknown, towards) {
                None => true,
                Some((bound, _)) => value != bound,
            };
            if !can_move {
                continue;
            }
            let cost = if bland {
                0
            } else {
                self.tableau.column_len(entry.unknown)
            };
            if best.is_none_or(|known| (cost, entry.unknown) < known) {
                best = Some((cost, entry.unknown));
            }
        }
        best.map(|(_, unknown)| unknown)
    }

    fn pivot_and_update(
        &mut self,
        row: usize,
        leaving: Unknown,
        entering: Unknown,
        target: &Delta,
    ) {
        let entries = &self.tableau.row(row).entries;
        let Some(entry) = entries.iter().find(|entry| entry.unknown == entering) else {
            return;
        };
        let by = target
            .minus(self.value(leaving))
            .divided_by(&entry.coefficient);
        let moved = target.minus(self.value(leaving));
        self.shift(leaving, &Rational::ONE, &moved);
        self.shift(entering, &Rational::ONE, &by);
        self.shift_column(entering, &by, row);
        self.tableau.pivot(row, entering);
        if self.violated(entering).is_some() {
            self.enqueue(entering);
        }
    }

    /// The bounds that keep a row's basic unknown from its bound: a conflict (Farkas).
    fn explain_row(&mut self, basic: Unknown, row: usize, side: Side) {
        self.explanation.clear();
        let mut explanation = std::mem::take(&mut self.explanation);
        explanation.extend(self.bound(basic, side).map(|(_, reason)| reason));
        for entry in &self.tableau.row(row).entries {
            let up = entry.coefficient.is_positive() == (side == Lower);
            let blocking = self.bound(entry.unknown, if up { Upper } else { Lower });
            explanation.extend(blocking.map(|(_, reason)| reason));
        }
        self.explanation = explanation;
    }

    // ---- Propagation ----------------------------------------------------------------------

    /// Looks for atoms implied by the rows whose bounds have changed.
    fn propagate_rows(&mut self, values: &Values, out: &mut Consequences) {
        self.stamp += 1;
        self.row_stamp.resize(self.tableau.row_count(), 0);
        let touched = std::mem::take(&mut self.touched);
        for &unknown in &touched {
            self.unknowns[unknown.index()].touched = false;
            if let Some(row) = self.tableau.row_of(unknown) {
                self.row_once(row, values, out);
                continue;
            }
            let rows: Vec<usize> = self.tableau.column(unknown).map(|(row, _)| row).collect();
            for row in rows {
                self.row_once(row, values, out);
            }
        }
        self.touched = touched;
        self.touched.clear();
    }

    fn row_once(&mut self, row: usize, values: &Values, out: &mut Consequences) {
        if self.row_stamp[row] == self.stamp {
            return;
        }
        self.row_stamp[row] = self.stamp;
        if self.tableau.row(row).entries.len() <= LONGEST_PROPAGATED {
            self.propagate_row(row, Lower, values, out);
            self.propagate_row(row, Upper, values, out);
        }
    }

    /// Bounds implied by `0 = Σ a·x - basic` when every summand but one is bounded on `side`.
    fn propagate_row(&mut self, row: usize, side: Side, values: &Values, out: &mut Consequences) {
        let Some((total, unbounded)) = self.row_extreme(row, side) else {
            return;
        };
        let row = self.tableau.row(row);
        let minus_one = Rational::MINUS_ONE;
        let summands = || {
            let entries = row
                .entries
                .iter()
                .map(|entry| (entry.unknown, &entry.coefficient));
            entries.chain(std::iter::once((row.basic, &minus_one)))
        };
        for (unknown, coefficient) in summands() {
            if unbounded.is_some_and(|only| only != unknown)
                || self.unknowns[unknown.index()].atoms.is_empty()
            {
                continue;
            }
            // coefficient * unknown = -(the others), whose extreme is the total less its own part.
            let own = extreme_side(coefficient, side);
            let mut others = total.clone();
            if unbounded.is_none()
                && let Some((bound, _)) = self.bound(unknown, own)
            {
                others.add_mul(&-coefficient, bound);
            }
            let implied = others.divided_by(&-coefficient);
            let implied_side = own.other();
            let Some(lit) = self.implied_atom(unknown, implied_side, &implied, values) else {
                continue;
            };
            let mut because = std::mem::take(&mut self.explanation);
            because.clear();
            for (other, coefficient) in summands() {
                if other != unknown {
                    let bound = self.bound(other, extreme_side(coefficient, side));
                    because.extend(bound.map(|(_, reason)| reason));
                }
            }
            out.imply(lit, &because);
            self.explanation = because;
        }
    }

    /// The least (or greatest) value of a row's sum by the bounds, leaving out the one summand
    /// that has no bound; `None` when there are two.
    fn row_extreme(&self, row: usize, side: Side) -> Option<(Delta, Option<Unknown>)> {
        let row = self.tableau.row(row);
        let mut total = Delta::ZERO;
        let mut unbounded = None;
        match self.bound(row.basic, side.other()) {
            Some((bound, _)) => total.add_mul(&Rational::MINUS_ONE, bound),
            None => unbounded = Some(row.basic),
        }
        for entry in &row.entries {
            match self.bound(entry.unknown, extreme_side(&entry.coefficient, side)) {
                Some((bound, _)) => total.add_mul(&entry.coefficient, bound),
                None if unbounded.is_some() => return None,
                None => unbounded = Some(entry.unknown),
            }
        }
        Some((total, unbounded))
    }

    /// The strongest open atom that a bound implies; the weaker ones follow by clauses.
    fn implied_atom(
        &self,
        unknown: Unknown,
        side: Side,
        implied: &Delta,
        values: &Values,
    ) -> Option<Lit> {
        let data = &self.unknowns[unknown.index()];
        // No news when the present bound is as tight.
        if let Some((known, _)) = self.bound(unknown, side) {
            let news = match side {
                Lower => implied > known,
                Upper => implied < known,
            };
            if !news {
                return None;
            }
        }
        match side {
            Upper => {
                let floor;
                let implied = if data.is_int {
                    floor = Delta::from(implied.floor());
                    &floor
                } else {
                    implied
                };
                let at = data.atoms.partition_point(|(bound, _)| bound < implied);
                let lit = data.atoms.get(at)?.1.positive();
                (!values.is_true(lit)).then_some(lit)
            }
            Lower => {
                // `x <= c` is false for every c below.
                let ceil;
                let implied = if data.is_int {
                    ceil = Delta::from(implied.ceil());
                    &ceil
                } else {
                    implied
                };
                let at = data.atoms.partition_point(|(bound, _)| bound < implied);
                let lit = !data.atoms.get(at.checked_sub(1)?)?.1.positive();
                (!values.is_true(lit)).then_some(lit)
            }
        }
    }
}

/// The side of the unknown's bound that gives the side's extreme of `coefficient * unknown`.
fn extreme_side(coefficient: &Rational, side: Side) -> Side {
    if coefficient.is_negative() {
        side.other()
    } else {
        side
    }
}

impl Theory for Arithmetic {
    fn assign(&mut self, lit: Lit) {
        self.told.push((lit, NONE));
    }

    fn retract(&mut self, count: usize) {
        if count < self.effective {
            let height = self.told[count].1 as usize;
            for bound in self.bounds.drain(height..).rev() {
                let data = &mut self.unknowns[bound.unknown.index()];
                match bound.side {
                    Lower => data.lower = bound.previous,
                    Upper => data.upper = bound.previous,
                }
            }
            self.effective = count;
            self.satisfied = self.satisfied.min(count);
        }
        self.told.truncate(count);
    }

    fn is_settled(&self) -> bool {
        self.satisfied == self.told.len()
    }

    fn propagate(
        &mut self,
        values: &Values,
        limits: &SearchLimits,
        out: &mut Consequences,
    ) -> TheoryVerdict {
        self.recheck();
        while self.effective < self.told.len() {
            let (lit, height) = &mut self.told[self.effective];
            let lit = *lit;
            *height = self.bounds.len() as u32;
            self.effective += 1;
            if !self.assert_literal(lit) {
                out.conflict.clone_from(&self.explanation);
                self.restore();
                return TheoryVerdict::Conflict;
            }
        }
        match self.check(limits) {
            Ok(true) => self.commit(),
            Ok(false) => {
                out.conflict.clone_from(&self.explanation);
                self.restore();
                return TheoryVerdict::Conflict;
            }
            Err(stop) => {
                self.restore();
                return TheoryVerdict::Stopped(stop);
            }
        }
        self.propagate_rows(values, out);
        TheoryVerdict::Consistent
    }

    fn phase(&self, var: Var) -> Option<bool> {
        let atom = self.atoms.get(var.index())?.as_ref()?;
        Some(self.value(atom.unknown) <= &atom.bound)
    }
}
