//! Gates: Boolean combinations of literals as clauses (Tseitin 1968), equal gates shared.
//!
//! A gate is made once; constants and plain identities never make one. Exclusive or is a negated
//! equivalence, or a negated conjunction, so that three kinds of gate are enough.

use super::arithmetic::Arithmetic;
use super::sat::Sat;
use super::scoped::ScopedLog;
use crate::sat::literal::Lit;
use rustc_hash::FxHashMap;

/// The literal that is always true; its variable is the solver's first.
pub(super) const TRUE: Lit = Lit(0);
pub(super) const FALSE: Lit = Lit(1);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Gate {
    /// Two or more literals, ascending.
    And(Box<[Lit]>),
    /// Two positive literals, ascending.
    Iff(Lit, Lit),
    /// A positive condition and two literals.
    Ite(Lit, Lit, Lit),
}

#[derive(Default)]
pub(super) struct Gates {
    known: FxHashMap<Gate, Lit>,
    scoped: ScopedLog<Gate>,
    /// The least scope with which a new gate goes.
    pub(super) lifetime: u32,
}

impl Gates {
    /// Forgets the gates that go with a scope.
    pub(super) fn close(&mut self, scope: u32) {
        for gate in self.scoped.close(scope) {
            self.known.remove(&gate);
        }
    }

    /// The output of a gate, and whether it is new and needs its clauses.
    fn output(&mut self, gate: Gate, inputs: &[Lit], sat: &mut Sat<Arithmetic>) -> (Lit, bool) {
        if let Some(&known) = self.known.get(&gate) {
            return (known, false);
        }
        let lifetime = inputs
            .iter()
            .map(|&lit| sat.lifetime(lit))
            .fold(self.lifetime, u32::max);
        let output = sat.new_var(lifetime).positive();
        self.known.insert(gate.clone(), output);
        self.scoped.note(lifetime, gate);
        (output, true)
    }

    pub(super) fn and(&mut self, lits: &[Lit], sat: &mut Sat<Arithmetic>) -> Lit {
        let mut lits: Vec<Lit> = lits.iter().copied().filter(|lit| *lit != TRUE).collect();
        lits.sort_unstable();
        lits.dedup();
        if lits.contains(&FALSE) || lits.windows(2).any(|pair| pair[0] == !pair[1]) {
            return FALSE;
        }
        match lits[..] {
            [] => return TRUE,
            [only] => return only,
            _ => {}
        }
        let (output, new) = self.output(Gate::And(lits.clone().into()), &lits, sat);
        if new {
            for &lit in &lits {
                sat.add_clause(&[!output, lit], 0);
            }
            let mut clause: Vec<Lit> = lits.iter().map(|lit| !*lit).collect();
            clause.push(output);
            sat.add_clause(&clause, 0);
        }
        output
    }

    pub(super) fn or(&mut self, lits: &[Lit], sat: &mut Sat<Arithmetic>) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|lit| !*lit).collect();
        !self.and(&negated, sat)
    }

    pub(super) fn xor(&mut self, a: Lit, b: Lit, sat: &mut Sat<Arithmetic>) -> Lit {
        !self.iff(a, b, sat)
    }

    pub(super) fn iff(&mut self, a: Lit, b: Lit, sat: &mut Sat<Arithmetic>) -> Lit {
        match (a, b) {
            (TRUE, other) | (other, TRUE) => return other,
            (FALSE, other) | (other, FALSE) => return !other,
            _ if a == b => return TRUE,
            _ if a == !b => return FALSE,
            _ => {}
        }
        if !a.is_positive() || !b.is_positive() {
            let output = self.iff(a.var().positive(), b.var().positive(), sat);
            return if a.is_positive() == b.is_positive() {
                output
            } else {
                !output
            };
        }
        let (a, b) = (a.min(b), a.max(b));
        let (output, new) = self.output(Gate::Iff(a, b), &[a, b], sat);
        if new {
            sat.add_clause(&[!output, !a, b], 0);
            sat.add_clause(&[!output, a, !b], 0);
            sat.add_clause(&[output, a, b], 0);
            sat.add_clause(&[output, !a, !b], 0);
        }
        output
    }

    pub(super) fn ite(&mut self, c: Lit, a: Lit, b: Lit, sat: &mut Sat<Arithmetic>) -> Lit {
        match c {
            TRUE => return a,
            FALSE => return b,
            _ if a == b => return a,
            _ if a == !b => return self.iff(c, a, sat),
            _ => {}
        }
        if a == TRUE || a == c {
            return self.or(&[c, b], sat);
        }
        if a == FALSE || a == !c {
            return self.and(&[!c, b], sat);
        }
        if b == TRUE || b == !c {
            return self.or(&[!c, a], sat);
        }
        if b == FALSE || b == c {
            return self.and(&[c, a], sat);
        }
        if !c.is_positive() {
            return self.ite(!c, b, a, sat);
        }
        let (output, new) = self.output(Gate::Ite(c, a, b), &[c, a, b], sat);
        if new {
            sat.add_clause(&[!c, !a, output], 0);
            sat.add_clause(&[!c, a, !output], 0);
            sat.add_clause(&[c, !b, output], 0);
            sat.add_clause(&[c, b, !output], 0);
            // Not needed, but they propagate when both branches agree.
            sat.add_clause(&[!a, !b, output], 0);
            sat.add_clause(&[a, b, !output], 0);
        }
        output
    }
}
