//! Sessions in which the embedded solver was once wrong, each shrunk to the least that showed it.
//! All the checks of a random trial apply: models, cores, fresh solvers.

use proofmark_solve::random::session::Session;
use proofmark_solve::random::trial::run;

#[track_caller]
fn passes(text: &str) {
    let session = Session::read(text).unwrap_or_else(|fault| panic!("{fault}"));
    if let Err(failure) = run(&session, 20_000, &mut []) {
        panic!("{:?}: {}", failure.kind, failure.what);
    }
}

#[test]
fn a_bound_variable_that_nothing_asks_for_has_the_value_of_its_definition() {
    passes("(declare-const b Bool)(assert b)(check-sat)");
}
