//! The solver of literals under the eyes of the checker.

use proofmark_audit::lrat::random::{Session, Spoiled, Tally, run, shrink, spoil};

#[test]
fn answers_of_random_sessions_are_confirmed() {
    let mut all = Tally::default();
    for seed in 0..1500 {
        let session = Session::random(seed);
        match run(&session) {
            Ok(tally) => all.add(tally),
            Err(fault) => panic!("seed {seed}: {fault}\n{}", shrink(&session)),
        }
    }
    // Every technique took part, and every answer was given.
    assert!(
        all.satisfiable > 500 && all.unsatisfiable > 500 && all.unknown > 20,
        "{all:?}"
    );
    assert!(all.eliminated > 500 && all.subsumed > 500, "{all:?}");
    assert!(
        all.strengthened > 500 && all.failed_literals > 50,
        "{all:?}"
    );
}

/// Ten thousand proofs with one hint, literal or deletion changed.
#[test]
fn a_spoiled_proof_is_refused_unless_it_still_is_one() {
    let (mut refused, mut proofs) = (0, 0);
    for seed in 0.. {
        match spoil(seed) {
            Some(Ok(Spoiled::Refused)) => refused += 1,
            Some(Ok(Spoiled::StillAProof)) => proofs += 1,
            Some(Err(fault)) => panic!("seed {seed}: {fault}"),
            None => {}
        }
        if refused + proofs == 10_000 {
            break;
        }
    }
    assert!(refused > 5_000, "{refused} refused, {proofs} still proofs");
}
