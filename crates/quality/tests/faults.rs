//! Faults of small random circuits against the naive way: every state of the faulty netlist, and every pair of
//! states of both.

use proofmark_engine::EngineName;
use proofmark_engine::bits::BitLimits;
use proofmark_model::Origin;
use proofmark_model::graph::random::{Dice, Shape, netlist};
use proofmark_model::graph::{Criteria, Criterion, Init, NamedSignal, Netlist, Signal, Simulation};
use proofmark_quality::NetlistVerdict;
use proofmark_quality::cover::Cut;
use proofmark_quality::faults::{
    FaultCampaign, FaultComparison, FaultFate, FaultQuestion, decide_faults, fault_sites,
    faulty_nodes,
};
use proofmark_solve::Interrupt;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// One step of a netlist: whether it is accepted, the bad signals, the outputs, the next state.
fn step(netlist: &Netlist, state: usize, inputs: u64) -> (bool, Vec<bool>, Vec<bool>, usize) {
    let mut simulation = Simulation::new(netlist);
    for (at, latch) in netlist.latches.iter().enumerate() {
        simulation.set(latch.node, (state >> at & 1) as u64);
    }
    for (at, node) in netlist.inputs.iter().enumerate() {
        simulation.set(*node, inputs >> at & 1);
    }
    simulation.evaluate(netlist);
    let read = |all: &[NamedSignal]| -> Vec<bool> {
        let values = all.iter().map(|one| simulation.value(one.signal) & 1 == 1);
        values.collect()
    };
    let next = netlist.latches.iter().enumerate();
    let next = next.fold(0, |all, (at, latch)| {
        all | ((simulation.value(latch.next) & 1) as usize) << at
    });
    let accepted = simulation.accepted(netlist) & 1 == 1;
    (accepted, read(&netlist.bads), read(&netlist.outputs), next)
}

fn initial(netlist: &Netlist) -> Vec<usize> {
    let fits = |state: &usize| {
        let mut latches = netlist.latches.iter().enumerate();
        latches.all(|(at, latch)| {
            let begins: Init = latch.init;
            begins
                .value()
                .is_none_or(|one| one == (state >> at & 1 == 1))
        })
    };
    (0..1usize << netlist.latches.len()).filter(fits).collect()
}

/// Whether a run shows one of the bad signals.
fn is_killed(faulty: &Netlist, bads: &[usize]) -> bool {
    let mut waiting = initial(faulty);
    let mut seen: BTreeSet<usize> = waiting.iter().copied().collect();
    while let Some(state) = waiting.pop() {
        for inputs in 0..1u64 << faulty.inputs.len() {
            let (accepted, bad, _, next) = step(faulty, state, inputs);
            if !accepted {
                continue;
            }
            if bads.iter().any(|at| bad[*at]) {
                return true;
            }
            if seen.insert(next) {
                waiting.push(next);
            }
        }
    }
    false
}

/// Whether a run with the same inputs shows another output, or is accepted in one of them only.
fn differs(original: &Netlist, faulty: &Netlist) -> bool {
    let pairs = initial(original).into_iter().map(|state| (state, state));
    let mut waiting: Vec<(usize, usize)> = pairs.collect();
    let mut seen: BTreeSet<(usize, usize)> = waiting.iter().copied().collect();
    while let Some((one, other)) = waiting.pop() {
        for inputs in 0..1u64 << faulty.inputs.len() {
            let own = inputs & ((1 << original.inputs.len()) - 1);
            let (accepted, _, shown, next) = step(original, one, own);
            let (accepted_faulty, _, shown_faulty, next_faulty) = step(faulty, other, inputs);
            if accepted != accepted_faulty {
                return true;
            }
            if !accepted {
                continue;
            }
            if shown != shown_faulty {
                return true;
            }
            if seen.insert((next, next_faulty)) {
                waiting.push((next, next_faulty));
            }
        }
    }
    false
}

fn campaign(netlist: &Netlist, nodes: &[u32]) -> FaultCampaign {
    let sites = fault_sites(netlist, nodes);
    let all = Criterion::ALL
        .into_iter()
        .fold(Criteria::NONE, Criteria::with);
    let question = FaultQuestion {
        netlist,
        sites: &sites,
        wanted: vec![all; sites.len()],
        bads: (0..netlist.bads.len()).collect(),
        limits: BitLimits {
            engines: EngineName::BITS.to_vec(),
            jobs: 1,
            time: None,
            interrupt: Interrupt::default(),
        },
        audit: Duration::from_secs(20),
        budget: Duration::from_secs(20),
        compares: true,
        survives: Default::default(),
        listener: &|_, _| (),
    };
    decide_faults(&question).unwrap()
}

/// Outputs that a property does not see, and some that it does.
fn with_outputs(dice: &mut Dice, mut netlist: Netlist) -> Netlist {
    netlist.outputs = (0..2)
        .map(|at| NamedSignal {
            name: format!("o{at}"),
            signal: Signal::of(dice.below(netlist.graph.len()) as u32),
            origin: Origin::generated(),
        })
        .collect();
    netlist
}

#[test]
fn every_fault_is_killed_equivalent_or_a_gap_as_the_naive_way_says() {
    let mut dice = Dice::new(31);
    let mut counts = BTreeMap::<&str, usize>::new();
    for round in 0..600 {
        let shape = Shape {
            inputs: 2,
            latches: 4,
            gates: 16,
            bads: 2,
            constraints: usize::from(round % 4 == 0),
        };
        let random = netlist(&mut dice, &shape);
        let netlist = with_outputs(&mut dice, random);
        let nodes = faulty_nodes(&netlist);
        let sites = fault_sites(&netlist, &nodes);
        let found = campaign(&netlist, &nodes);
        let proved = found.properties.iter();
        let proved = proved.filter(|one| matches!(one.verdict, NetlistVerdict::Valid { .. }));
        let proved: Vec<usize> = proved.map(|one| one.bad).collect();
        for (Cut { site, criterion }, decided) in &found.decided {
            let faulty = sites.cut(&netlist, &[*site], *criterion);
            let what = format!("round {round}, site {site}, {criterion:?}: {decided:?}");
            let verdict = match &decided.fate {
                FaultFate::Killed { .. } => {
                    assert!(is_killed(&faulty, &proved), "{what}");
                    "killed"
                }
                FaultFate::Vacuous { .. } => "vacuous",
                FaultFate::Survived { comparison, .. } => {
                    assert!(!is_killed(&faulty, &proved), "{what}");
                    match comparison {
                        Some(FaultComparison::Equivalent) => {
                            assert!(!differs(&netlist, &faulty), "{what}");
                            "equivalent"
                        }
                        Some(FaultComparison::Different(_)) => {
                            assert!(differs(&netlist, &faulty), "{what}");
                            "gap"
                        }
                        _ => panic!("{what}"),
                    }
                }
                FaultFate::Unknown => panic!("{what}"),
            };
            *counts.entry(verdict).or_default() += 1;
        }
    }
    println!("{counts:?}");
    for verdict in ["killed", "equivalent", "gap"] {
        assert!(
            counts.get(verdict).is_some_and(|count| *count > 100),
            "{counts:?}"
        );
    }
}
