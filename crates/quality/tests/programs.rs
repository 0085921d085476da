//! The formula of a program and its interpreter agree on every run of random programs: which checks fail, what is
//! asked for, and whether the run comes to its end.

mod program;

use proofmark_audit::program::{End, Record, Run, RunOptions, run_program};
use proofmark_engine::program::{EncodeOptions, Formula, encode};
use proofmark_model::graph::random::Dice;
use proofmark_model::graph::{Kind, Signal};
use proofmark_model::program::{Bounds, Check, CheckKind, Checks, MutantId, Program};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Values of all nodes for values of the inputs.
fn values(formula: &Formula, chosen: Option<MutantId>, dice: &mut Dice) -> Vec<bool> {
    let graph = &formula.netlist.graph;
    let mut values = vec![false; graph.len()];
    for node in 1..graph.len() {
        values[node] = match graph.kind(node as u32) {
            Kind::Constant => false,
            Kind::Input(position) => match formula.selectors.get(position as usize) {
                Some((mutant, _)) => Some(*mutant) == chosen,
                None => dice.below(3) == 0,
            },
            Kind::Latch(_) => unreachable!("a formula has no latches"),
            Kind::And(a, b) => {
                (values[a.index()] != a.is_complemented())
                    && (values[b.index()] != b.is_complemented())
            }
        };
    }
    values
}

fn holds(values: &[bool], signal: Signal) -> bool {
    values[signal.index()] != signal.is_complemented()
}

/// The bytes that a run asks for.
fn inputs(formula: &Formula, values: &[bool]) -> Vec<Vec<u8>> {
    let met = formula.inputs.iter().filter(|one| holds(values, one.guard));
    met.map(|input| {
        let bytes = input.bits.chunks(8);
        let byte = |bits: &[Signal]| {
            let bit = |(at, bit): (usize, &Signal)| u8::from(holds(values, *bit)) << at;
            bits.iter().enumerate().map(bit).sum()
        };
        bytes.map(byte).collect()
    })
    .collect()
}

/// The checks that fail in a run of the formula.
fn failed(formula: &Formula, values: &[bool]) -> BTreeSet<Check> {
    let violations = formula.violations.iter();
    let fails = violations.filter(|one| holds(values, one.signal) && !holds(values, one.over));
    fails.map(|one| one.check).collect()
}

fn interpret(
    program: &Program,
    checks: &Checks,
    bounds: &Bounds,
    mutant: Option<MutantId>,
    inputs: &[Vec<u8>],
) -> (Run, bool) {
    let options = RunOptions {
        checks,
        bounds,
        mutant,
        most_steps: 1_000_000,
        record: Record::Outcome,
    };
    let mut given = inputs.iter();
    let mut agrees = true;
    let run = run_program(program, &options, &mut |asked| {
        let next = given.next().cloned();
        agrees &= next.as_ref().is_some_and(|one| one.len() >= asked.bytes);
        next.unwrap_or_default()
    });
    let rest = given.next().is_some();
    let over = matches!(run.end, End::Over(_));
    (run, agrees && (over || !rest))
}

/// Compares formula and interpreter on some runs of a program, with every mutant.
fn compare(seed: u64, checks: &Checks) {
    let program = program::random(seed);
    let bounds = Bounds::all(3);
    let mutants: FxHashSet<MutantId> = (0..program.mutants).map(MutantId).collect();
    let options = EncodeOptions {
        checks,
        bounds: &bounds,
        mutants: &mutants,
        most_nodes: 2_000_000,
        stop: &|| false,
    };
    let Ok(formula) = encode(&program, &options) else {
        return;
    };
    let mut dice = Dice::new(seed + 77);
    for round in 0..24u32 {
        let chosen = round % (program.mutants + 1);
        let chosen = chosen.checked_sub(1).map(MutantId);
        let values = values(&formula, chosen, &mut dice);
        let inputs = inputs(&formula, &values);
        let (run, asks) = interpret(&program, checks, &bounds, chosen, &inputs);
        if run.end == End::Limit || formula.limits.iter().any(|one| holds(&values, one.0)) {
            continue;
        }
        let ran: BTreeSet<Check> = run.violations.iter().copied().collect();
        let told = failed(&formula, &values);
        let context = format!(
            "seed {seed}, round {round}, mutant {chosen:?}, {:?}",
            run.end
        );
        assert_eq!(ran, told, "{context}");
        assert!(asks, "other inputs: {context}");
        let ended = run.end == End::Finished;
        let over = matches!(run.end, End::Over(check) if check.kind != CheckKind::Unwinding);
        assert!(
            over || ended == holds(&values, formula.finished),
            "{context}"
        );
    }
}

#[test]
fn formula_and_interpreter_agree_on_random_programs() {
    for seed in 0..400 {
        compare(seed, &Checks::default());
    }
}

#[test]
fn they_agree_where_everything_is_checked_and_where_nothing_is() {
    let mut all = Checks::default();
    all.add(CheckKind::Overflow);
    all.add(CheckKind::Leak);
    let mut none = Checks::default();
    for kind in [CheckKind::Bounds, CheckKind::Pointer, CheckKind::Division] {
        none.remove(kind);
    }
    for seed in 1000..1200 {
        compare(seed, &all);
        compare(seed, &none);
    }
}
