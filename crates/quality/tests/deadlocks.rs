//! Runs that the assumptions accept for some steps and then block.

use proofmark_engine::Limits;
use proofmark_lang::lustre;
use proofmark_lang::random::Dice;
use proofmark_model::{
    Definition, Element, Evaluator, Origin, Program, Property, Role, Sort, System, Term, Value,
    Variable, lower,
};
use proofmark_quality::{Audited, Deadlock, Question, Verdict, Verified, verify};
use proofmark_solve::{Embedded, SolveError, Solver};
use proofmark_source::Sources;
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::time::Duration;

fn open() -> Result<Box<dyn Solver>, SolveError> {
    Ok(Box::new(Embedded::default()))
}

fn load(text: &str) -> System {
    let mut sources = Sources::default();
    let file = sources.add("model.lus", text.to_string()).unwrap();
    let (loaded, diagnostics) = lustre::load(&sources, file, &lustre::Options::default());
    let loaded = loaded.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"));
    lower(&loaded.model).unwrap().system
}

fn verified(system: &System) -> Verified {
    let question = Question {
        limits: Limits {
            jobs: 1,
            time: Some(Duration::from_secs(20)),
            ..Limits::default()
        },
        ..Question::new(system, &open)
    };
    verify(&question, &mut |_| ()).unwrap_or_else(|error| panic!("{error}"))
}

/// A node with these inputs and assertions, and a counter from 0.
fn with_assertions(inputs: &str, assertions: &str) -> System {
    load(&format!(
        "node main({inputs}) returns (ok: bool); var n: int;
         let n = 0 -> pre n + 1; {assertions} ok = n >= 0; --%PROPERTY ok;\ntel;"
    ))
}

#[test]
fn every_model_of_the_corpus_that_blocks_a_run_is_vacuous() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/lustre/vacuous");
    let last_steps = [
        ("both_doors.lus", 0),
        ("counted_out.lus", 2),
        ("growing_range.lus", 0),
        ("seven_in_a_row.lus", 6),
    ];
    let count = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(count, last_steps.len());
    for (name, last) in last_steps {
        let system = load(&std::fs::read_to_string(folder.join(name)).unwrap());
        let verified = verified(&system);
        let Deadlock::Found { run, audit } = &verified.deadlock else {
            panic!("{name}: {:?}", verified.deadlock);
        };
        assert!(audit.passed(), "{name}");
        assert_eq!(run.len(), last + 1, "{name}");
        let program = Program::compile(&system).unwrap();
        assert_eq!(program.machine().run(run).1.broken_at(), None, "{name}");
        let verdict = &verified.judgements[0].verdict;
        assert!(
            matches!(verdict, Verdict::Vacuous { blocked: Some(_), why }
                if why.contains(&format!("up to step {last} "))),
            "{name}: {verdict:?}"
        );
    }
}

#[test]
fn assumptions_that_can_always_be_met_block_nothing() {
    let models = [
        ("x: int", "assert true -> x > pre x;"),
        ("x: bool", "assert true -> x <> pre x;"),
        ("x: real", "assert true -> 2.0 * x < pre x;"),
        ("x: int", "assert true -> x = pre x + n;"),
        (
            "x, y: int",
            "assert x <= y; assert true -> y <= x + pre y - pre x;",
        ),
        ("x: subrange [0, 9] of int", "assert true -> x <> pre x;"),
        ("x, y: int", "assert x = y + n; assert true -> y = pre x;"),
        // From an unreachable state there is no way on; it takes an invariant to see that.
        ("x: int", "assert true -> (pre n < 0 => false);"),
        ("x: int", "assert true -> x > pre x or pre n < 0;"),
    ];
    for (inputs, assertions) in models {
        let verified = verified(&with_assertions(inputs, assertions));
        let Deadlock::Absent { audit } = &verified.deadlock else {
            panic!("{assertions}: {:?}", verified.deadlock);
        };
        assert!(audit.passed(), "{assertions}");
        let verdict = &verified.judgements[0].verdict;
        assert!(matches!(verdict, Verdict::Valid { .. }), "{assertions}");
    }
}

#[test]
fn what_reads_no_state_needs_no_proof() {
    for (inputs, assertions) in [
        ("x: int", ""),
        ("x, y: int", "assert x > 3 and y > x;"),
        ("x: subrange [0, 9] of int", "assert x <> 5;"),
    ] {
        let verified = verified(&with_assertions(inputs, assertions));
        assert_eq!(verified.deadlock, Deadlock::Impossible, "{assertions}");
    }
}

#[test]
fn what_no_strategy_decides_is_undecided_and_the_property_valid() {
    // Every number from 60 on is 7 x + 11 y, but not by a few linear rules.
    let system = with_assertions(
        "x, y: int",
        "assert true -> 7 * x + 11 * y = 60 + pre n and x >= 0 and y >= 0;",
    );
    let verified = verified(&system);
    let Deadlock::Undecided { why } = &verified.deadlock else {
        panic!("{:?}", verified.deadlock);
    };
    assert!(!why.is_empty());
    let verdict = &verified.judgements[0].verdict;
    assert!(matches!(verdict, Verdict::Valid { .. }));
}

#[test]
fn a_violation_on_a_run_that_is_blocked_later_stays_invalid() {
    let system = load(
        "node main(x: int) returns (ok, fine: bool); var n: int;
         let n = 0 -> pre n + 1; assert n < 3; ok = n < 2; fine = n < 9;
         --%PROPERTY ok;\n--%PROPERTY fine;\ntel;",
    );
    let verified = verified(&system);
    let verdicts: Vec<&Verdict> = verified.judgements.iter().map(|one| &one.verdict).collect();
    assert!(matches!(verdicts[0], Verdict::Invalid { .. }));
    assert!(matches!(verdicts[1], Verdict::Vacuous { .. }));
}

#[test]
fn a_cycle_within_a_step_that_has_no_solution_later_blocks_a_run() {
    // `x` is half of a number, which is odd at step 3.
    let system = load(
        "node main(i: bool) returns (ok: bool); var n, x: int;
         let n = 0 -> pre n + 1; x = (if n = 3 then 1 else 2 * n) - x; ok = n >= 0; --%PROPERTY ok;\ntel;",
    );
    let verified = verified(&system);
    let verdict = &verified.judgements[0].verdict;
    assert!(
        matches!(verdict, Verdict::Vacuous { blocked: Some(run), .. } if run.len() == 3),
        "{verdict:?}"
    );
}

#[test]
fn who_does_not_ask_gets_no_answer() {
    let system = with_assertions("x: int", "assert n < 3;");
    let question = Question {
        deadlocks: false,
        statistics: false,
        ..Question::new(&system, &open)
    };
    let verified = verify(&question, &mut |_| ()).unwrap();
    assert_eq!(verified.deadlock, Deadlock::NotLookedFor);
    let verdict = &verified.judgements[0].verdict;
    assert!(matches!(verdict, Verdict::Valid { .. }));
}

#[test]
fn without_an_audit_a_deadlock_is_told_as_not_audited() {
    let system = with_assertions("x: int", "assert n < 3;");
    let question = Question {
        auditor: None,
        ..Question::new(&system, &open)
    };
    let verified = verify(&question, &mut |_| ()).unwrap();
    let Deadlock::Found { audit, .. } = verified.deadlock else {
        panic!("{:?}", verified.deadlock);
    };
    assert_eq!(audit, Audited::NotAskedFor);
}

/// A system of two Boolean states and three inputs, one of which is a number from 0 to 2, with random
/// definitions and assumptions.
struct Small {
    system: System,
    states: Vec<(Variable, Term, Term)>,
    inputs: Vec<Variable>,
    demands: [Term; 2],
}

const NUMBERS: i64 = 3;

impl Small {
    fn new(dice: &mut Dice) -> Small {
        let variable =
            |name: &str, sort, role| Variable::new(name, sort, role, Origin::generated());
        let inputs = vec![
            variable("a", Sort::Bool, Role::Input),
            variable("b", Sort::Bool, Role::Input),
            variable("x", Sort::Int, Role::Input),
        ];
        let locals = ["s", "t"].map(|name| variable(name, Sort::Bool, Role::Local));
        let mut system = System::default();
        for one in inputs.iter().chain(&locals) {
            system.declare(one.clone()).unwrap();
        }
        let now = atoms(&inputs, |one| one.current);
        let both = [
            now.clone(),
            atoms(&inputs, |one| one.previous),
            atoms(&locals, |one| one.previous),
        ];
        let both = both.concat();
        let mut states = Vec::new();
        for local in locals.clone() {
            let (init, step) = (formula(dice, &now, 2), formula(dice, &both, 2));
            let definition = Definition {
                variable: local.current,
                init: Some(init),
                step: Some(step),
            };
            let element = Element::define(definition, Origin::generated());
            system.add_element(element).unwrap();
            states.push((local, init, step));
        }
        let x = inputs[2].current;
        let range = Term::and(&[Term::int(0).le(x), x.lt(Term::int(NUMBERS))]);
        let first = [now, atoms(&locals, |one| one.current)].concat();
        let later = [both, atoms(&locals, |one| one.current), moves(&inputs[2])].concat();
        let init = Term::and(&[range, formula(dice, &first, 1)]);
        let each = (0..1 + dice.roll(3)).map(|_| formula(dice, &later, 2));
        let step = Term::and(&[vec![range], each.collect()].concat());
        let element = Element::constrain(Some(init), Some(step), Origin::generated());
        system.add_element(element).unwrap();
        let property = Property {
            name: "true".into(),
            term: Term::bool(true),
            origin: Origin::generated(),
        };
        system.add_property(property).unwrap();
        Small {
            system,
            states,
            inputs,
            demands: [init, step],
        }
    }

    /// The accepted states after one, or at the beginning.
    fn next(&self, before: Option<&[Value]>) -> Vec<Vec<Value>> {
        let mut found = Vec::new();
        for bits in 0..4 {
            for number in 0..NUMBERS {
                let input = [
                    Value::Bool(bits & 1 == 1),
                    Value::Bool(bits & 2 == 2),
                    Value::Int(number.into()),
                ];
                let mut known: FxHashMap<Term, Value> = FxHashMap::default();
                let all = self
                    .inputs
                    .iter()
                    .chain(self.states.iter().map(|one| &one.0));
                for (variable, value) in all.zip(before.into_iter().flatten()) {
                    known.insert(variable.previous, value.clone());
                }
                for (variable, value) in self.inputs.iter().zip(&input) {
                    known.insert(variable.current, value.clone());
                }
                let mut state = input.to_vec();
                for (variable, init, step) in &self.states {
                    let term = if before.is_some() { step } else { init };
                    let value = Evaluator::new(&known).value(*term).unwrap();
                    known.insert(variable.current, value.clone());
                    state.push(value);
                }
                let demand = self.demands[usize::from(before.is_some())];
                if Evaluator::new(&known).value(demand).unwrap() == Value::Bool(true) {
                    found.push(state);
                }
            }
        }
        found
    }

    /// Whether a reachable state has no successor; nothing when there is no run of two steps.
    fn truth(&self) -> Option<bool> {
        let mut waiting = self.next(None);
        waiting
            .iter()
            .find(|one| !self.next(Some(one)).is_empty())?;
        let mut seen = FxHashSet::default();
        while let Some(state) = waiting.pop() {
            if !seen.insert(format!("{state:?}")) {
                continue;
            }
            let next = self.next(Some(&state));
            if next.is_empty() {
                return Some(true);
            }
            waiting.extend(next);
        }
        Some(false)
    }
}

/// Simple statements about some variables.
fn atoms(variables: &[Variable], time: impl Fn(&Variable) -> Term) -> Vec<Term> {
    let each = variables.iter().flat_map(|one| match one.sort() {
        Sort::Bool => vec![time(one)],
        _ => (0..NUMBERS - 1)
            .map(|number| time(one).le(Term::int(number)))
            .collect(),
    });
    each.collect()
}

/// Statements about how a number changes.
fn moves(number: &Variable) -> Vec<Term> {
    let (now, before) = (number.current, number.previous);
    vec![
        now.lt(before),
        now.eq(before),
        now.eq(Term::add(&[before, Term::int(1)])),
    ]
}

fn formula(dice: &mut Dice, atoms: &[Term], depth: usize) -> Term {
    if depth == 0 || dice.roll(4) == 0 {
        let atom = atoms[dice.roll(atoms.len())];
        return if dice.roll(2) == 0 { atom } else { atom.not() };
    }
    let (one, other) = (
        formula(dice, atoms, depth - 1),
        formula(dice, atoms, depth - 1),
    );
    match dice.roll(4) {
        0 => Term::and(&[one, other]),
        1 => one.eq(other),
        _ => Term::or(&[one, other]),
    }
}

#[test]
fn random_finite_systems_get_the_answer_that_enumeration_gives() {
    let (mut dice, mut found, mut absent, mut open) = (Dice(11), 0, 0, 0);
    for _ in 0..400 {
        let small = Small::new(&mut dice);
        let Some(truth) = small.truth() else {
            continue;
        };
        match (verified(&small.system).deadlock, truth) {
            (Deadlock::Found { .. }, true) => found += 1,
            (Deadlock::Absent { .. } | Deadlock::Impossible, false) => absent += 1,
            (Deadlock::Undecided { .. }, _) => open += 1,
            (answer, _) => panic!("{truth} {answer:?}\n{:?}", small.system.elements()),
        }
    }
    assert!(found > 30 && absent > 30, "{found} found, {absent} absent");
    assert!(open * 50 < found + absent, "{open} undecided");
}
