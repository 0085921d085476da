//! Engines on bits against the set of reachable states, computed state by state.

use proofmark_engine::EngineName;
use proofmark_engine::bits::{BitLimits, BitVerdict, check_bad};
use proofmark_model::graph::random::{Dice, Shape, netlist};
use proofmark_model::graph::{BitProof, Init, Netlist, Signal, Simulation};
use proofmark_solve::Interrupt;

/// What every state of a netlist does under every input: its successors, and which bad signals it shows.
struct Explicit {
    /// For each state its successors under inputs that the constraints accept.
    successors: Vec<Vec<usize>>,
    /// For each bad signal and state whether an accepted input shows it.
    bad: Vec<Vec<bool>>,
    initial: Vec<usize>,
}

impl Explicit {
    fn new(netlist: &Netlist) -> Explicit {
        let states = 1 << netlist.latches.len();
        let mut explicit = Explicit {
            successors: vec![Vec::new(); states],
            bad: vec![vec![false; states]; netlist.bads.len()],
            initial: (0..states)
                .filter(|state| is_initial(netlist, *state))
                .collect(),
        };
        let mut simulation = Simulation::new(netlist);
        for state in 0..states {
            for (at, latch) in netlist.latches.iter().enumerate() {
                simulation.set(latch.node, if state >> at & 1 == 1 { u64::MAX } else { 0 });
            }
            assert!(netlist.inputs.len() <= 6, "an input a bit of a word");
            for (at, input) in netlist.inputs.iter().enumerate() {
                let word = (0..64)
                    .filter(|run| run >> at & 1 == 1)
                    .fold(0, |all, run| all | 1 << run);
                simulation.set(*input, word);
            }
            simulation.evaluate(netlist);
            let accepted = simulation.accepted(netlist);
            for (at, bad) in netlist.bads.iter().enumerate() {
                explicit.bad[at][state] = simulation.value(bad.signal) & accepted != 0;
            }
            for run in (0..64).filter(|run| accepted >> run & 1 == 1) {
                let bits = netlist.latches.iter().enumerate();
                let next = bits.fold(0, |all, (at, latch)| {
                    all | ((simulation.value(latch.next) >> run & 1) as usize) << at
                });
                explicit.successors[state].push(next);
            }
            explicit.successors[state].sort_unstable();
            explicit.successors[state].dedup();
        }
        explicit
    }

    /// The states that a run can reach.
    fn reachable(&self) -> Vec<bool> {
        let mut seen = vec![false; self.successors.len()];
        let mut open = self.initial.clone();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                open.extend(&self.successors[state]);
            }
        }
        seen
    }

    /// Whether the proof is one: by all states and all sequences of `k` of them.
    fn accepts(&self, netlist: &Netlist, bad: usize, proof: &BitProof) -> bool {
        let states = 0..self.successors.len();
        let clauses: Vec<bool> = states
            .map(|state| satisfies(netlist, state, &proof.clauses) && is_inside(state, proof))
            .collect();
        // Good: satisfies the clauses and shows nothing bad.
        let good: Vec<bool> = (0..clauses.len())
            .map(|state| clauses[state] && !self.bad[bad][state])
            .collect();
        let step = |from: &[usize]| {
            let mut next: Vec<usize> = from
                .iter()
                .flat_map(|state| self.successors[*state].iter().copied())
                .collect();
            next.sort_unstable();
            next.dedup();
            next
        };
        let mut base = self.initial.clone();
        let mut any: Vec<usize> = (0..good.len()).collect();
        for _ in 0..proof.k {
            if !base.iter().all(|state| good[*state]) {
                return false;
            }
            base = step(&base);
            any.retain(|state| good[*state]);
            any = step(&any);
        }
        any.iter().all(|state| good[*state])
    }
}

fn is_initial(netlist: &Netlist, state: usize) -> bool {
    let mut latches = netlist.latches.iter().enumerate();
    latches.all(|(at, latch)| {
        latch
            .init
            .value()
            .is_none_or(|value| value == (state >> at & 1 == 1))
    })
}

fn satisfies(netlist: &Netlist, state: usize, clauses: &[Vec<Signal>]) -> bool {
    let value = |signal: &Signal| {
        let at = netlist
            .latches
            .iter()
            .position(|latch| latch.node == signal.node());
        let at = at.expect("clauses are over latches");
        (state >> at & 1 == 1) != signal.is_complemented()
    };
    clauses.iter().all(|clause| clause.iter().any(value))
}

/// Whether a state is in the region of a proof, if it has one.
fn is_inside(state: usize, proof: &BitProof) -> bool {
    let Some(region) = &proof.region else {
        return true;
    };
    let mut simulation = Simulation::new(&region.netlist);
    for (input, latch) in region.netlist.inputs.iter().zip(&region.latches) {
        let word = if state >> latch & 1 == 1 { u64::MAX } else { 0 };
        simulation.set(*input, word);
    }
    simulation.evaluate(&region.netlist);
    simulation.value(region.holds) & 1 == 1
}

fn limits(engines: &[EngineName], jobs: usize) -> BitLimits {
    BitLimits {
        engines: engines.to_vec(),
        jobs,
        time: None,
        interrupt: Interrupt::default(),
    }
}

/// Checks random netlists with some engines, and returns how many were valid and invalid.
fn compare(seed: u64, rounds: usize, limits: &BitLimits) -> (usize, usize) {
    let mut dice = Dice::new(seed);
    let (mut valid, mut invalid) = (0, 0);
    for round in 0..rounds {
        let shape = Shape {
            latches: 1 + round % 9,
            gates: 10 + round % 50,
            ..Shape::default()
        };
        let netlist = netlist(&mut dice, &shape);
        let (more_valid, more_invalid) = agrees(&netlist, round, limits);
        valid += more_valid;
        invalid += more_invalid;
    }
    (valid, invalid)
}

/// Checks one netlist against its reachable states; returns how many bad signals are valid and invalid.
fn agrees(netlist: &Netlist, round: usize, limits: &BitLimits) -> (usize, usize) {
    let (mut valid, mut invalid) = (0, 0);
    let explicit = Explicit::new(netlist);
    let reachable = explicit.reachable();
    for bad in 0..netlist.bads.len() {
        let shown = (0..reachable.len()).any(|state| reachable[state] && explicit.bad[bad][state]);
        let found = check_bad(netlist, bad, limits, &mut |_, _| ());
        match found.verdict {
            BitVerdict::Valid { proof, .. } => {
                assert!(!shown, "round {round}: a run shows bad signal {bad}");
                let accepted = explicit.accepts(netlist, bad, &proof);
                assert!(accepted, "round {round}: no proof of {bad}: {proof:?}");
                valid += 1;
            }
            BitVerdict::Invalid { trace, .. } => {
                assert!(shown, "round {round}: no run shows bad signal {bad}");
                let replay = netlist.replay(&trace);
                assert!(replay.refuted[bad].is_some(), "round {round}: {trace:?}");
                invalid += 1;
            }
            BitVerdict::Unknown { why, .. } => panic!("round {round}: {why}"),
        }
    }
    (valid, invalid)
}

#[test]
fn ic3_finds_what_the_reachable_states_show() {
    let (valid, invalid) = compare(1, 600, &limits(&[EngineName::Ic3], 1));
    assert!(
        valid > 100 && invalid > 100,
        "{valid} valid, {invalid} invalid"
    );
}

#[test]
fn engines_in_turns_and_side_by_side_agree_with_the_reachable_states() {
    for jobs in [1, 2] {
        let both = [EngineName::Ic3, EngineName::Bmc];
        let (valid, invalid) = compare(jobs as u64 + 7, 200, &limits(&both, jobs));
        assert!(
            valid > 20 && invalid > 20,
            "{valid} valid, {invalid} invalid"
        );
    }
}

#[test]
fn interpolation_finds_what_the_reachable_states_show() {
    let (valid, invalid) = compare(3, 400, &limits(&[EngineName::Interpolation], 1));
    assert!(
        valid > 50 && invalid > 50,
        "{valid} valid, {invalid} invalid"
    );
}

/// The next value of a latch that rises once is a constant, which both sides of a refutation know.
#[test]
fn interpolation_knows_latches_that_rise_once() {
    let mut dice = Dice::new(99);
    for round in 0..40 {
        let shape = Shape {
            latches: 6,
            gates: 60,
            ..Shape::default()
        };
        let mut netlist = netlist(&mut dice, &shape);
        for latch in 0..2 {
            netlist.latches[latch].init = Init::Zero;
            netlist.set_next(latch, Signal::TRUE);
        }
        agrees(&netlist, round, &limits(&[EngineName::Interpolation], 1));
    }
}
