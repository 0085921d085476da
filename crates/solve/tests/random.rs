//! A small share of the fuzzing that `cargo xtask fuzz` does, as ordinary tests: the same sessions
//! in every run.

use proofmark_model::{Sort, Term};
use proofmark_solve::random::Random;
use proofmark_solve::random::oracle::SmallValues;
use proofmark_solve::random::rival::Rival;
use proofmark_solve::random::session::{Call, Session};
use proofmark_solve::random::shrink::shrink;
use proofmark_solve::random::terms::{Shape, THEORIES, Theory};
use proofmark_solve::random::trial::{Demands, Judge, Tally, run};

const SESSIONS: u64 = 60;
const DEMANDS: Demands = Demands {
    effort: 3_000,
    knowledge: false,
};

fn session(theory: Theory, number: u64) -> Session {
    let shape = Shape {
        theory,
        depth: 1 + (number % 4) as u32,
        variables: 1 + (number % 3) as usize,
        constants: 8,
    };
    Session::random(Random::new(number), shape)
}

fn all_pass(judges: &mut [Box<dyn Judge>]) -> Tally {
    let mut total = Tally::default();
    for theory in THEORIES {
        for number in 0..SESSIONS {
            let session = session(*theory, number);
            match run(&session, DEMANDS, judges) {
                Ok(tally) => total.add(&tally),
                Err(failure) => panic!(
                    "{} {number}: {:?}: {}\n{session}",
                    theory.name, failure.kind, failure.what
                ),
            }
        }
    }
    total
}

fn agrees_with(name: &str) {
    match Rival::start(name) {
        Ok(rival) => {
            let total = all_pass(&mut [Box::new(rival)]);
            assert!(total.confirmed > 0, "{name} confirmed nothing");
        }
        Err(why) => println!("not compared: {why}"),
    }
}

#[test]
fn every_answer_of_random_sessions_stands_up_to_examination() {
    let total = all_pass(&mut [Box::new(SmallValues { most_trials: 500 })]);
    assert!(total.sat > 500 && total.unsat > 500, "{total:?}");
    assert!(total.unknown * 100 < total.checks(), "{total:?}");
}

#[test]
fn z3_agrees_on_random_sessions() {
    agrees_with("z3");
}

#[test]
fn yices_agrees_on_random_sessions() {
    agrees_with("yices-smt2");
}

#[test]
fn a_session_reads_back_as_it_was_written() {
    for theory in THEORIES {
        for number in 0..SESSIONS {
            let mut session = session(*theory, number);
            // Declarations and pops without a push are comments in the text.
            session
                .0
                .retain(|call| !matches!(call, Call::Declare(_) | Call::Pop(_)));
            let text = session.to_string();
            assert_eq!(Session::read(&text).as_ref(), Ok(&session), "{text}");
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_session() {
    for theory in THEORIES {
        assert_eq!(session(*theory, 7), session(*theory, 7));
    }
}

#[test]
fn a_failing_session_shrinks_to_what_makes_it_fail() {
    let x = Term::var("x", Sort::Int);
    let bad = x.le(Term::int(3));
    let noise = Term::var("b", Sort::Bool);
    let calls = vec![
        Call::Push,
        Call::Assert(noise),
        Call::Assert(Term::or(&[noise.not(), bad, x.eq(Term::int(9))])),
        Call::Check(vec![noise]),
        Call::Pop(1),
    ];
    let small = shrink(&Session(calls), 1000, |session| {
        session
            .terms()
            .any(|term| format!("{term:?}").contains("le x"))
    });
    assert_eq!(small, Session(vec![Call::Assert(x.le(Term::int(0)))]));
}
