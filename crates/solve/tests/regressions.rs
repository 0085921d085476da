//! Sessions in which the embedded solver was once wrong, each shrunk to the least that showed it.
//! All the checks of a random trial apply: models, cores, fresh solvers.

use proofmark_solve::random::session::Session;
use proofmark_solve::random::trial::{Demands, Tally, run};

const DEMANDS: Demands = Demands {
    effort: 20_000,
    knowledge: false,
};

#[track_caller]
fn passes(text: &str) -> Tally {
    let session = Session::read(text).unwrap_or_else(|fault| panic!("{fault}"));
    run(&session, DEMANDS, &mut [])
        .unwrap_or_else(|failure| panic!("{:?}: {}", failure.kind, failure.what))
}

/// As `passes`, and no answer is unknown.
#[track_caller]
fn knows(text: &str) {
    assert_eq!(passes(text).unknown, 0);
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

#[test]
fn branches_on_integers_without_bounds_do_not_run_away() {
    knows(
        "(declare-const i Int)(declare-const j Int)(declare-const b Bool)(declare-const r Real)
         (assert (not (<= (to_real i) (+ (to_real j) (ite b 0.0 r)))))
         (check-sat)",
    );
    knows(
        "(declare-const b Bool)(declare-const i Int)(declare-const j Int)
         (assert (not (= (mod (ite b i j) 6) (mod j (- 75)))))
         (check-sat)",
    );
}

#[test]
fn a_cut_needs_no_bounds_of_whole_multiples() {
    // Two numbers that differ in their last digit alone: no branch on the others ends.
    knows(
        "(declare-const u Int)(declare-const v Int)(declare-const w Int)(declare-const x Int)
         (declare-const r Int)(declare-const s Int)
         (assert (and (<= 0 r 9) (<= 0 s 9) (< r s)))
         (assert (= (+ (* 10 u) (* 20 v) (* 30 w) r) (+ (* 50 x) s)))
         (check-sat)",
    );
}
