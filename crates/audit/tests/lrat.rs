//! The solver of literals under the eyes of the checker.

use proofmark_audit::lrat::random::{Session, Spoiled, run, shrink, spoil};

#[test]
fn answers_of_random_sessions_are_confirmed() {
    for seed in 0..1500 {
        let session = Session::random(seed);
        if let Err(fault) = run(&session) {
            panic!("seed {seed}: {fault}\n{}", shrink(&session));
        }
    }
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
