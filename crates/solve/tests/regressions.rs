//! Sessions in which the embedded solver was once wrong, each shrunk to the least that showed it.
//! All the checks of a random trial apply: models, cores, fresh solvers.

use proofmark_solve::random::session::Session;
use proofmark_solve::random::trial::{Demands, run};

#[track_caller]
fn passes(text: &str) {
    let session = Session::read(text).unwrap_or_else(|fault| panic!("{fault}"));
    let demands = Demands {
        effort: 20_000,
        knowledge: false,
    };
    if let Err(failure) = run(&session, demands, &mut []) {
        panic!("{:?}: {}", failure.kind, failure.what);
    }
}

#[test]
fn a_bound_variable_that_nothing_asks_for_has_the_value_of_its_definition() {
    passes("(declare-const b Bool)(assert b)(check-sat)");
}

#[test]
fn bounds_that_a_contradiction_left_unchecked_are_checked_after_the_pop() {
    passes(
        "(declare-const x Int)(declare-const y Int)
         (assert (<= 3 (+ x y)))
         (push 1)
         (assert (<= x 0))
         (assert (<= y 0))
         (check-sat)
         (pop 1)
         (check-sat)",
    );
}

#[test]
fn bounds_that_a_spent_budget_left_unchecked_are_checked_later() {
    passes(
        "(declare-const x Int)(declare-const y Int)
         (assert (<= 3 (+ x y)))
         (assert (<= 1 (- x y)))
         (set-option :effort 0)
         (check-sat)
         (set-option :effort 10000)
         (check-sat)",
    );
}
