//! A checker of proofs of unsatisfiability, which knows nothing of any solver.
//!
//! A proof in LRAT (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp 2017, "Efficient certified
//! RAT verification") is a list of clauses, each with hints: the numbers of clauses that, visited in
//! this order, each become a unit under the negation of the clause, until the last is false. So there
//! is nothing to search for, and the checker is a page long: assume the negation, visit the hints,
//! and accept when a clause is false. Everything else is refused with the reason. It asks for more
//! than soundness needs: no hint may be superfluous, no number may come twice, and what is deleted
//! must be there; a proof that breaks a rule was not written by somebody who knew what he did.
//!
//! Clauses that are redundant without being implied (RAT) are refused: no technique of the solver
//! needs them, and an implied clause is also one that may be kept when more clauses are added.
//!
//! Literals are numbers as in DIMACS: a variable from one, negative when negated.

mod confirm;
#[doc(hidden)]
pub mod random;
mod text;

pub use self::confirm::{CheckedSolver, Unconfirmed};
pub use self::text::{TextError, check_text};

use rustc_hash::FxHashMap;
use std::fmt;

/// Why a step is no step of a proof. In each, `id` is the number of the clause at fault, and `hint` that
/// of the clause that it rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the fields are described once, above")]
pub enum LratError {
    /// The number of a clause is not greater than those before.
    Number { id: u64, last: u64 },
    /// A literal is zero, or its variable is none of the formula's.
    Literal { id: u64, literal: i32 },
    /// A derived clause holds a literal and its negation.
    Tautology { id: u64, literal: i32 },
    /// There is no clause with the number of a hint, or no longer.
    Missing { id: u64, hint: u64 },
    /// A hint's clause is true, or more than one of its literals is open.
    NotUnit { id: u64, hint: u64 },
    /// A hint comes after the conflict.
    Superfluous { id: u64, hint: u64 },
    /// The hints do not lead to a conflict.
    NoConflict { id: u64 },
    /// A clause is deleted that is not there.
    NotThere { id: u64 },
}

impl fmt::Display for LratError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LratError::Number { id, last } => {
                write!(f, "clause {id} does not have a number greater than {last}")
            }
            LratError::Literal { id, literal } => {
                write!(
                    f,
                    "clause {id} has the literal {literal}, which the formula lacks"
                )
            }
            LratError::Tautology { id, literal } => {
                write!(f, "clause {id} has the literal {literal} and its negation")
            }
            LratError::Missing { id, hint } => {
                write!(f, "clause {id} rests on clause {hint}, which is not there")
            }
            LratError::NotUnit { id, hint } => {
                write!(
                    f,
                    "clause {id} rests on clause {hint}, which implies nothing"
                )
            }
            LratError::Superfluous { id, hint } => {
                write!(f, "clause {id} has the hint {hint} after the conflict")
            }
            LratError::NoConflict { id } => {
                write!(f, "clause {id} does not follow from its hints")
            }
            LratError::NotThere { id } => {
                write!(f, "clause {id} is deleted and is not there")
            }
        }
    }
}
impl std::error::Error for LratError {}

/// A clause: where its literals start, and how many there are.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    size: usize,
}

/// Checks a proof step by step.
#[derive(Default)]
pub struct Checker {
    clauses: FxHashMap<u64, Place>,
    literals: Vec<i32>,
    /// How many of the literals belong to deleted clauses.
    wasted: usize,
    /// By variable: 1 true, -1 false, 0 open. All are open between steps.
    values: Vec<i8>,
    assigned: Vec<i32>,
    last: u64,
    refuted: bool,
}

impl Checker {
    /// A checker that knows no clause.
    pub fn new() -> Checker {
        Checker::default()
    }

    /// Takes in a clause of the formula.
    pub fn add_original(&mut self, id: u64, clause: &[i32]) -> Result<(), LratError> {
        self.next_number(id)?;
        for &literal in clause {
            if literal == 0 || literal == i32::MIN {
                return Err(LratError::Literal { id, literal });
            }
            let variable = literal.unsigned_abs() as usize;
            if variable >= self.values.len() {
                self.values.resize(variable + 1, 0);
            }
        }
        self.store(id, clause);
        Ok(())
    }

    /// Takes in a clause if it follows by its hints.
    pub fn add_derived(&mut self, id: u64, clause: &[i32], hints: &[u64]) -> Result<(), LratError> {
        self.next_number(id)?;
        let result = self.check(id, clause, hints);
        for literal in self.assigned.drain(..) {
            self.values[literal.unsigned_abs() as usize] = 0;
        }
        result?;
        self.store(id, clause);
        Ok(())
    }

    /// Forgets a clause.
    pub fn delete(&mut self, id: u64) -> Result<(), LratError> {
        let Some(place) = self.clauses.remove(&id) else {
            return Err(LratError::NotThere { id });
        };
        self.wasted += place.size;
        if self.wasted > 1 << 16 && self.wasted * 2 > self.literals.len() {
            self.compact();
        }
        Ok(())
    }

    /// The literals of a clause that is there.
    pub fn clause(&self, id: u64) -> Option<&[i32]> {
        let place = self.clauses.get(&id)?;
        Some(&self.literals[place.start..place.start + place.size])
    }

    /// Was the empty clause derived, or given?
    pub fn is_refuted(&self) -> bool {
        self.refuted
    }

    fn next_number(&mut self, id: u64) -> Result<(), LratError> {
        let last = self.last;
        if id <= last {
            return Err(LratError::Number { id, last });
        }
        self.last = id;
        Ok(())
    }

    /// Assumes the negation of the clause, and visits the hints.
    fn check(&mut self, id: u64, clause: &[i32], hints: &[u64]) -> Result<(), LratError> {
        for &literal in clause {
            match self.value(literal) {
                None => return Err(LratError::Literal { id, literal }),
                Some(1) => return Err(LratError::Tautology { id, literal }),
                Some(0) => self.assign(-literal),
                // The literal comes twice.
                Some(_) => {}
            }
        }
        let mut hints = hints.iter();
        while let Some(&hint) = hints.next() {
            match self.unit(id, hint)? {
                Some(implied) => self.assign(implied),
                None => {
                    return match hints.next() {
                        Some(&hint) => Err(LratError::Superfluous { id, hint }),
                        None => Ok(()),
                    };
                }
            }
        }
        Err(LratError::NoConflict { id })
    }

    /// The only literal of a clause that is not false; `None` when all are.
    fn unit(&self, id: u64, hint: u64) -> Result<Option<i32>, LratError> {
        let literals = self.clause(hint).ok_or(LratError::Missing { id, hint })?;
        let mut implied = None;
        for &literal in literals {
            match self.value(literal) {
                Some(-1) => {}
                Some(0) if implied.is_none() || implied == Some(literal) => {
                    implied = Some(literal);
                }
                _ => return Err(LratError::NotUnit { id, hint }),
            }
        }
        Ok(implied)
    }

    /// `None` when the variable is none of the formula's.
    fn value(&self, literal: i32) -> Option<i8> {
        let value = *self.values.get(literal.unsigned_abs() as usize)?;
        match literal {
            0 => None,
            1.. => Some(value),
            _ => Some(-value),
        }
    }

    fn assign(&mut self, literal: i32) {
        self.values[literal.unsigned_abs() as usize] = if literal > 0 { 1 } else { -1 };
        self.assigned.push(literal);
    }

    fn store(&mut self, id: u64, clause: &[i32]) {
        self.refuted |= clause.is_empty();
        let start = self.literals.len();
        self.literals.extend_from_slice(clause);
        let size = clause.len();
        self.clauses.insert(id, Place { start, size });
    }

    fn compact(&mut self) {
        let mut literals = Vec::with_capacity(self.literals.len() - self.wasted);
        for place in self.clauses.values_mut() {
            let start = literals.len();
            literals.extend_from_slice(&self.literals[place.start..place.start + place.size]);
            place.start = start;
        }
        self.literals = literals;
        self.wasted = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checker(clauses: &[&[i32]]) -> Checker {
        let mut checker = Checker::new();
        for (at, clause) in clauses.iter().enumerate() {
            checker.add_original(at as u64 + 1, clause).unwrap();
        }
        checker
    }

    const SQUARE: &[&[i32]] = &[&[1, 2], &[-1, 2], &[1, -2], &[-1, -2]];

    #[test]
    fn a_refutation_is_accepted() {
        let mut checker = checker(SQUARE);
        checker.add_derived(5, &[2], &[1, 2]).unwrap();
        checker.delete(1).unwrap();
        assert!(!checker.is_refuted());
        checker.add_derived(6, &[], &[5, 3, 4]).unwrap();
        assert!(checker.is_refuted());
    }

    #[test]
    fn every_broken_rule_has_its_message() {
        let cases: &[(u64, &[i32], &[u64], LratError)] = &[
            (4, &[2], &[1, 2], LratError::Number { id: 4, last: 4 }),
            (5, &[3], &[1], LratError::Literal { id: 5, literal: 3 }),
            (5, &[0], &[1], LratError::Literal { id: 5, literal: 0 }),
            (
                5,
                &[1, -1],
                &[1],
                LratError::Tautology { id: 5, literal: -1 },
            ),
            (5, &[2], &[1, 7], LratError::Missing { id: 5, hint: 7 }),
            (5, &[2], &[3, 1], LratError::NotUnit { id: 5, hint: 3 }),
            (5, &[], &[1], LratError::NotUnit { id: 5, hint: 1 }),
            (
                5,
                &[2],
                &[1, 2, 3],
                LratError::Superfluous { id: 5, hint: 3 },
            ),
            (5, &[2], &[1], LratError::NoConflict { id: 5 }),
            (5, &[2], &[], LratError::NoConflict { id: 5 }),
        ];
        for (id, clause, hints, error) in cases {
            let mut checker = checker(SQUARE);
            assert_eq!(checker.add_derived(*id, clause, hints).as_ref(), Err(error));
            // A refused step leaves nothing behind.
            assert_eq!(checker.add_derived(9, &[2], &[1, 2]), Ok(()), "{error}");
        }
    }

    #[test]
    fn what_is_deleted_is_not_there() {
        let mut checker = checker(SQUARE);
        checker.delete(2).unwrap();
        assert_eq!(checker.delete(2), Err(LratError::NotThere { id: 2 }));
        assert_eq!(
            checker.add_derived(5, &[2], &[1, 2]),
            Err(LratError::Missing { id: 5, hint: 2 })
        );
    }
}
