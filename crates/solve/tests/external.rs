//! External solvers, as far as they are installed: what they answer, and that they can be stopped.

use proofmark_model::{EnumSort, Function, Op, Rational, Sort, Term, Value};
use proofmark_solve::{Answer, Budget, SolveError, Solver, Unknown, external};
use std::time::{Duration, Instant};

/// Runs a test with every solver that is installed and can do what the test needs.
fn with_each(needs: impl Fn(&dyn Solver) -> bool, test: impl Fn(&mut dyn Solver)) {
    for name in external::known() {
        match external::open(name) {
            Ok(mut solver) if needs(&*solver) => {
                println!("running {}", solver.name());
                test(&mut *solver);
            }
            Ok(_) => println!("skipped {name}: it cannot do this"),
            Err(error) => println!("skipped {name}: {error}"),
        }
    }
}

fn arithmetic(solver: &dyn Solver) -> bool {
    solver.capabilities().arithmetic && solver.capabilities().functions
}

fn int(name: &str) -> Term {
    Term::var(name, Sort::Int)
}

fn boolean(name: &str) -> Term {
    Term::var(name, Sort::Bool)
}

#[test]
fn values_are_exact_and_agree_with_each_other() {
    with_each(arithmetic, |solver| {
        // Names that are words of SMT-LIB, or alike but for their sorts.
        let (x, and, r) = (int("and"), boolean("and"), Term::var("a|b", Sort::Real));
        let f = Function::new("f", vec![Sort::Int], Sort::Int);
        let third = Term::real(Rational::new(-1, 3));
        let deep = (0..2000).fold(x, |sum, n| and.ite(sum, Term::add(&[sum, Term::int(n)])));
        solver
            .assert(Term::apply(f, &[x]).eq(Term::int(-4)))
            .unwrap();
        solver.assert(r.eq(third)).unwrap();
        solver.assert(deep.gt(Term::int(5))).unwrap();
        solver.assert(and.implies(x.eq(Term::int(7)))).unwrap();
        assert_eq!(solver.check(&[and]), Ok(Answer::Sat));
        assert_eq!(solver.value(x), Ok(Value::Int(7.into())));
        assert_eq!(solver.value(and), Ok(Value::Bool(true)));
        assert_eq!(solver.value(r), Ok(Value::Real(Rational::new(-1, 3))));
        let inner = Term::add(&[Term::apply(f, &[Term::int(7)]), Term::int(1)]);
        assert_eq!(solver.value(inner), Ok(Value::Int((-3).into())));
        assert_eq!(solver.value(int("never told")), Ok(Value::Int(0.into())));
        let by_zero = solver.value(x.int_div(Term::int(0))).unwrap();
        assert_eq!(by_zero.sort(), Sort::Int);
        assert!(matches!(solver.core(), Err(SolveError::Misuse(_))));
    });
}

#[test]
fn scopes_assumptions_and_cores_work_together() {
    with_each(arithmetic, |solver| {
        let (a, b, x) = (boolean("a"), boolean("b"), int("x"));
        solver.assert(a.implies(x.gt(Term::int(3)))).unwrap();
        solver.push().unwrap();
        solver.assert(x.lt(Term::int(2))).unwrap();
        let assumptions = [b, a, x.gt(Term::int(0)), b.not().not()];
        assert_eq!(solver.check(&assumptions), Ok(Answer::Unsat));
        assert_eq!(solver.core(), Ok(vec![a]));
        // A formula as assumption, positive and negated.
        let positive = x.ge(Term::int(5));
        assert_eq!(solver.check(&[b, positive]), Ok(Answer::Unsat));
        assert_eq!(solver.core(), Ok(vec![positive]));
        assert_eq!(solver.check(&[b, positive.not()]), Ok(Answer::Sat));
        solver.pop(1).unwrap();
        assert_eq!(solver.check(&[a, b.not(), positive]), Ok(Answer::Sat));
        assert_eq!(solver.value(b), Ok(Value::Bool(false)));
        assert!(matches!(solver.pop(1), Err(SolveError::Misuse(_))));
        assert!(matches!(solver.value(x), Ok(Value::Int(_))));
        assert_eq!(solver.check(&[Term::bool(false)]), Ok(Answer::Unsat));
        assert_eq!(solver.core(), Ok(vec![Term::bool(false)]));
    });
}

#[test]
fn bit_vectors_and_enumerations_come_back_whole() {
    with_each(
        |solver| solver.capabilities().bit_vectors,
        |solver| {
            let v = Term::var("v", Sort::BitVec(70));
            let one = Term::bitvec(70, 1);
            let top = Term::bv(Op::BvShl, &[one, Term::bitvec(70, 69)]);
            solver.assert(v.eq(top)).unwrap();
            assert_eq!(solver.check(&[]), Ok(Answer::Sat));
            assert_eq!(solver.value(v.eq(top)), Ok(Value::Bool(true)));
            let color = EnumSort::new("Color", vec!["red".into(), "true".into()]);
            let c = Term::var("c", Sort::Enum(color));
            let is_true = c.eq(Term::constant(Value::Enum(color, 1)));
            match solver.assert(is_true) {
                Err(SolveError::Unsupported { .. }) => return,
                asserted => asserted.unwrap(),
            }
            assert_eq!(solver.check(&[]), Ok(Answer::Sat));
            assert_eq!(solver.value(c), Ok(Value::Enum(color, 1)));
        },
    );
}

/// A pigeonhole problem that nobody solves in a second.
fn hard(solver: &mut dyn Solver) {
    let (pigeons, holes) = (13, 12);
    let sits = |pigeon: usize, hole: usize| boolean(&format!("sits {pigeon} {hole}"));
    for pigeon in 0..pigeons {
        let somewhere: Vec<Term> = (0..holes).map(|hole| sits(pigeon, hole)).collect();
        solver.assert(Term::or(&somewhere)).unwrap();
        for other in 0..pigeon {
            for hole in 0..holes {
                let both = Term::and(&[sits(pigeon, hole), sits(other, hole)]);
                solver.assert(both.not()).unwrap();
            }
        }
    }
}

#[test]
fn a_check_ends_when_it_is_interrupted_and_the_solver_goes_on_later() {
    with_each(arithmetic, |solver| {
        solver.push().unwrap();
        hard(solver);
        let interrupt = solver.interrupt();
        let begin = Instant::now();
        let stopper = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            interrupt.set();
        });
        let interrupted = Ok(Answer::Unknown(Unknown::Interrupted));
        assert_eq!(solver.check(&[]), interrupted);
        assert!(begin.elapsed() < Duration::from_secs(3));
        stopper.join().unwrap();
        assert_eq!(solver.check(&[]), interrupted);
        solver.interrupt().clear();
        solver.pop(1).unwrap();
        solver.assert(int("x").gt(Term::int(1))).unwrap();
        assert_eq!(solver.check(&[]), Ok(Answer::Sat));
        // Killed while it idles, it comes back as well.
        solver.interrupt().set();
        solver.interrupt().clear();
        assert_eq!(
            solver.check(&[int("x").lt(Term::int(1))]),
            Ok(Answer::Unsat)
        );
    });
}

#[test]
fn a_check_ends_when_its_time_is_up() {
    with_each(arithmetic, |solver| {
        solver.push().unwrap();
        hard(solver);
        let time = Some(Duration::from_millis(300));
        solver.set_budget(Budget { effort: None, time });
        let begin = Instant::now();
        assert_eq!(solver.check(&[]), Ok(Answer::Unknown(Unknown::Budget)));
        assert!(begin.elapsed() < Duration::from_secs(3));
        solver.set_budget(Budget::default());
        solver.pop(1).unwrap();
        assert_eq!(solver.check(&[]), Ok(Answer::Sat));
    });
}

#[test]
fn a_solver_that_is_not_there_is_named() {
    let Err(SolveError::External { solver, what }) = external::open("nosuch") else {
        panic!("it was opened");
    };
    assert_eq!(solver, "nosuch");
    assert!(what.contains("z3"), "{what}");
}

#[test]
fn what_is_installed_tells_its_version() {
    for available in external::available() {
        println!("{available:?}");
        assert!(available.version.chars().any(|c| c.is_ascii_digit()));
    }
}
