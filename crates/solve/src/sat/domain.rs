//! A domain: the variables that the next questions are about.
//!
//! A question about a circuit concerns the gates below what is asked; the other gates are functions
//! of them and can take whatever value they must. A caller who knows that gives the variables of the
//! cone. Within a domain only its variables are decided and implied, so that an answer costs what
//! the cone costs and not what the circuit does (Su, Yang, Ci and Bu 2024, "Deeply optimizing the
//! SAT solver for the IC3 algorithm"). `Unsatisfiable` needs no trust, since it rests on clauses
//! alone. `Satisfiable` says that every clause without an open literal outside is satisfied: the
//! caller vouches that the values outside can be chosen to satisfy the others.

use super::Solver;
use super::heap::{Activities, Order};
use super::literal::Var;

#[derive(Default)]
pub(super) struct Domain {
    active: bool,
    /// The present domain has this number; a variable is in it when it has the number, too.
    stamp: u32,
    member: Vec<u32>,
    /// Those of its variables that may be open.
    order: Order,
}

impl Domain {
    pub(super) fn grow(&mut self, var: Var) {
        self.member.push(0);
        self.order.grow(var);
    }

    #[inline]
    pub(super) fn is_active(&self) -> bool {
        self.active
    }

    #[inline]
    pub(super) fn has(&self, var: Var) -> bool {
        self.member[var.index()] == self.stamp
    }

    fn clear(&mut self) {
        self.order.clear();
        if self.stamp == u32::MAX {
            self.member.fill(0);
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    pub(super) fn top(&self) -> Option<Var> {
        self.order.top()
    }

    pub(super) fn pop(&mut self, by: &Activities) -> Option<Var> {
        self.order.pop(by)
    }

    /// A variable is open again.
    #[inline]
    pub(super) fn reopen(&mut self, var: Var, by: &Activities) {
        if self.has(var) {
            self.order.insert(var, by);
        }
    }

    pub(super) fn raised(&mut self, var: Var, by: &Activities) {
        self.order.raised(var, by);
    }
}

impl Solver {
    /// From now on only these variables, and those of assumptions and constraints, are decided and
    /// implied: until [`unrestrict`](Solver::unrestrict) or another domain. The caller vouches that
    /// every assignment of them that satisfies the clauses among them can be extended to the rest.
    pub fn restrict(&mut self, vars: &[Var]) {
        self.cancel_until(0);
        if !self.extension.is_empty() {
            vars.iter().for_each(|&var| self.freeze(var));
        }
        self.domain.clear();
        self.domain.active = true;
        let Solver {
            domain,
            values,
            undecided,
            ..
        } = self;
        let Domain {
            member,
            stamp,
            order,
            ..
        } = domain;
        // Facts need no decision. A variable that comes twice is taken once.
        let open = vars.iter().copied().filter(|var| {
            let before = std::mem::replace(&mut member[var.index()], *stamp);
            before != *stamp && values.is_open(var.positive()) && !undecided[var.index()]
        });
        order.fill(open, &self.activities);
    }

    /// Takes one more variable into the domain.
    pub fn extend_domain(&mut self, var: Var) {
        if self.domain.is_active() && !self.domain.has(var) {
            self.freeze(var);
            // What the variable's clauses imply was not looked at.
            self.cancel_until(0);
            self.domain.member[var.index()] = self.domain.stamp;
            if self.may_decide(var) {
                self.domain.order.insert(var, &self.activities);
            }
        }
    }

    /// All variables are decided and implied again.
    pub fn unrestrict(&mut self) {
        if self.domain.active {
            self.cancel_until(0);
            self.domain.active = false;
        }
    }
}
