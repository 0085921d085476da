//! Coverage against the naive way: every cut netlist of small random circuits, by its reachable states and
//! by the engines.

use proofmark_audit::{Audit, audit_bit_proof};
use proofmark_engine::EngineName;
use proofmark_engine::bits::{BitLimits, BitVerdict, check_bad};
use proofmark_model::graph::random::{Dice, Shape, netlist};
use proofmark_model::graph::{
    Criteria, Criterion, CutPlace, CutSites, Init, Kind, Netlist, Signal, Simulation,
};
use proofmark_quality::cover::{
    CoverageQuestion, Cut, CutVerdict, Evidence, Method, NetlistCoreQuestion, PropertyCoverage,
    Test, cover, netlist_cores,
};
use proofmark_quality::{NetlistVerdict, Request};
use proofmark_solve::Interrupt;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

fn limits() -> BitLimits {
    BitLimits {
        engines: EngineName::BITS.to_vec(),
        jobs: 1,
        time: None,
        interrupt: Interrupt::default(),
    }
}

/// Whether a run reaches the bad signal, by visiting every state.
fn is_reachable(netlist: &Netlist, bad: usize) -> bool {
    let latches = netlist.latches.len();
    let mut seen = vec![false; 1 << latches];
    let mut waiting: Vec<usize> = (0..1usize << latches)
        .filter(|state| {
            let begins = |(at, init): (usize, Init)| {
                init.value()
                    .is_none_or(|value| value == (state >> at & 1 == 1))
            };
            let inits = netlist.latches.iter().map(|latch| latch.init);
            inits.enumerate().all(begins)
        })
        .collect();
    waiting.iter().for_each(|state| seen[*state] = true);
    let mut simulation = Simulation::new(netlist);
    while let Some(state) = waiting.pop() {
        for inputs in 0..1u64 << netlist.inputs.len() {
            for (at, latch) in netlist.latches.iter().enumerate() {
                simulation.set(latch.node, (state >> at & 1) as u64);
            }
            for (at, node) in netlist.inputs.iter().enumerate() {
                simulation.set(*node, inputs >> at & 1);
            }
            simulation.evaluate(netlist);
            if simulation.accepted(netlist) & 1 == 0 {
                continue;
            }
            if simulation.value(netlist.bads[bad].signal) & 1 == 1 {
                return true;
            }
            let next = netlist.latches.iter().enumerate();
            let next = next.fold(0, |all, (at, latch)| {
                all | ((simulation.value(latch.next) & 1) as usize) << at
            });
            if !std::mem::replace(&mut seen[next], true) {
                waiting.push(next);
            }
        }
    }
    false
}

fn by_engines(netlist: &Netlist, bad: usize) -> bool {
    match check_bad(netlist, bad, &limits(), &mut |_, _| ()).verdict {
        BitVerdict::Invalid { .. } => true,
        BitVerdict::Valid { .. } => false,
        BitVerdict::Unknown { why, .. } => panic!("{why}"),
    }
}

fn shape() -> Shape {
    Shape {
        inputs: 2,
        latches: 6,
        gates: 30,
        bads: 2,
        constraints: 1,
    }
}

fn decide<'a>(netlist: &'a Netlist, sites: &'a CutSites) -> Vec<PropertyCoverage<'a>> {
    decide_by(Method::Cascade, netlist, sites)
}

fn decide_by<'a>(
    method: Method,
    netlist: &'a Netlist,
    sites: &'a CutSites,
) -> Vec<PropertyCoverage<'a>> {
    // Algorithm 1 is about cuts.
    let criteria = match (method, sites.has_partners()) {
        (Method::Cascade, true) => Criterion::ALL
            .into_iter()
            .fold(Criteria::NONE, Criteria::with),
        _ => Criteria::COVERAGE,
    };
    let question = CoverageQuestion {
        netlist,
        method,
        sites,
        wanted: vec![criteria; sites.len()],
        bads: (0..netlist.bads.len()).collect(),
        limits: limits(),
        audit: Duration::from_secs(20),
        budget: Duration::from_secs(20),
        accuracy: 1.0,
        recalled: Vec::new(),
        certificates: Vec::new(),
        listener: &|_| (),
    };
    cover(&question).unwrap()
}

/// Sites: every latch, words of two latches, or gates as well.
fn sites(netlist: &Netlist, place: CutPlace, round: usize) -> CutSites {
    let latches: Vec<u32> = netlist.latches.iter().map(|latch| latch.node).collect();
    let groups = match round % 3 {
        0 => return CutSites::latches(netlist, place),
        1 => latches.chunks(2).map(<[u32]>::to_vec).collect(),
        _ => {
            let gates = netlist.graph.and_gates().map(|(gate, _)| gate).step_by(3);
            latches
                .into_iter()
                .chain(gates)
                .map(|node| vec![node])
                .collect()
        }
    };
    CutSites::new(netlist, place, groups)
}

#[test]
fn every_cut_is_decided_as_the_naive_way_decides_it() {
    let mut dice = Dice::new(17);
    let (mut tests, mut covered) = (BTreeMap::<Test, usize>::new(), 0);
    for round in 0..3000 {
        let netlist = netlist(&mut dice, &shape());
        let place = [CutPlace::Next, CutPlace::Output][round % 2];
        let sites = sites(&netlist, place, round / 2);
        for coverage in decide(&netlist, &sites) {
            if !coverage.is_proved() {
                continue;
            }
            for site in 0..sites.len() {
                for criterion in Criterion::COVERAGE {
                    let cut = sites.cut(&netlist, &[site], criterion);
                    let truth = is_reachable(&cut, coverage.bad);
                    let decision = coverage.board.decision(Cut { site, criterion });
                    let decision = decision.unwrap_or_else(|| panic!("round {round}: open"));
                    let found = decision.verdict == CutVerdict::Covered;
                    let what = format!("round {round}, site {site}, {criterion:?}: {decision:?}");
                    assert_eq!(found, truth, "{what}");
                    if round % 8 < 2 {
                        assert_eq!(by_engines(&cut, coverage.bad), truth, "{what}");
                    }
                    *tests.entry(decision.test).or_default() += 1;
                    covered += usize::from(found);
                }
            }
        }
    }
    println!("{tests:?}, {covered} covered");
    // Each test has something to do.
    for test in [
        Test::Outside,
        Test::Core,
        Test::Simulation,
        Test::Induction,
        Test::Houdini,
        Test::Ic3,
        Test::Implied,
    ] {
        assert!(tests.contains_key(&test), "{test:?} decides nothing");
    }
}

/// Faults that are no cuts: inverted, and twisted with another bit.
#[test]
fn every_fault_is_decided_as_the_naive_way_decides_it() {
    let mut dice = Dice::new(23);
    let mut tests = BTreeMap::<(Test, bool), usize>::new();
    for round in 0..1500 {
        let netlist = netlist(&mut dice, &shape());
        let latches: Vec<u32> = netlist.latches.iter().map(|latch| latch.node).collect();
        let gates = netlist.graph.and_gates().map(|(gate, _)| gate).step_by(3);
        let nodes = latches.iter().copied().chain(gates);
        let nodes: Vec<u32> = nodes.collect();
        let partners = nodes.iter().map(|node| match netlist.graph.kind(*node) {
            Kind::And(a, b) => (*node, [a, b][dice.below(2)]),
            _ => {
                let partner = Signal::of(dice.below(netlist.graph.len()) as u32);
                (*node, partner.complement_if(dice.below(2) == 1))
            }
        });
        let partners = partners.collect();
        let groups = nodes.iter().map(|node| vec![*node]).collect();
        let sites = CutSites::new(&netlist, CutPlace::Next, groups).with_partners(partners);
        for coverage in decide(&netlist, &sites) {
            for site in (0..sites.len()).filter(|_| coverage.is_proved()) {
                for criterion in Criterion::ALL {
                    let faulty = sites.cut(&netlist, &[site], criterion);
                    let decision = coverage.board.decision(Cut { site, criterion });
                    let decision = decision.unwrap_or_else(|| panic!("round {round}: open"));
                    let found = decision.verdict == CutVerdict::Covered;
                    let what = format!("round {round}, site {site}, {criterion:?}: {decision:?}");
                    assert_eq!(found, is_reachable(&faulty, coverage.bad), "{what}");
                    *tests
                        .entry((decision.test, criterion.is_twisted()))
                        .or_default() += 1;
                }
            }
        }
    }
    println!("{tests:?}");
    for test in [
        Test::Core,
        Test::Simulation,
        Test::Induction,
        Test::Houdini,
        Test::Ic3,
        Test::Implied,
    ] {
        assert!(
            tests.contains_key(&(test, true)),
            "{test:?} decides no twisted node"
        );
    }
}

/// Algorithm 1 as printed agrees with the default and with the reachable states of every cut netlist, and
/// each of its five tests has something to decide.
#[test]
fn the_algorithm_of_the_paper_agrees_with_the_cascade_and_with_the_naive_way() {
    let mut dice = Dice::new(29);
    let mut tests = BTreeMap::<Test, usize>::new();
    for round in 0..600 {
        let netlist = netlist(&mut dice, &shape());
        let place = [CutPlace::Next, CutPlace::Output][round % 2];
        let sites = sites(&netlist, place, round / 2);
        let (cascade, paper) = (
            decide(&netlist, &sites),
            decide_by(Method::Paper, &netlist, &sites),
        );
        for (one, other) in cascade.iter().zip(&paper) {
            assert_eq!(one.is_proved(), other.is_proved(), "round {round}");
            let bad = one.bad;
            for site in (0..sites.len()).filter(|_| one.is_proved()) {
                for criterion in Criterion::COVERAGE {
                    let cut = Cut { site, criterion };
                    let [one, other] = [one, other].map(|found| found.board.decision(cut));
                    let (Some(one), Some(other)) = (one, other) else {
                        panic!("round {round}: {cut:?} is open");
                    };
                    let what = format!("round {round}: {cut:?} {other:?}");
                    assert_eq!(one.verdict, other.verdict, "{what}");
                    let changed = sites.cut(&netlist, &[site], criterion);
                    let covered = other.verdict == CutVerdict::Covered;
                    assert_eq!(covered, is_reachable(&changed, bad), "{what}");
                    *tests.entry(other.test).or_default() += 1;
                }
            }
            for certificate in &other.board.certificates {
                let cut = sites.cut(&netlist, &certificate.sites, certificate.criterion);
                let audit = audit_bit_proof(&cut, other.bad, &certificate.proof, None);
                assert!(
                    matches!(audit, Audit::Passed { .. }),
                    "round {round}: {audit:?}"
                );
            }
        }
    }
    println!("{tests:?}");
    let five = [
        Test::Core,
        Test::Counterexample,
        Test::Induction,
        Test::Restart,
        Test::Interpolation,
    ];
    assert_eq!(tests.keys().copied().collect::<Vec<_>>(), five);
}

/// What the prover confirmed claim by claim is a proof of the cut netlist, for an auditor that knows
/// neither switches nor cores.
#[test]
fn every_certificate_is_a_proof_of_its_cut_netlist() {
    let mut dice = Dice::new(23);
    let mut certificates = 0;
    for round in 0..600 {
        let netlist = netlist(&mut dice, &shape());
        let place = [CutPlace::Next, CutPlace::Output][round % 2];
        let sites = sites(&netlist, place, round / 2);
        for coverage in decide(&netlist, &sites) {
            for one in &coverage.board.certificates {
                let cut = sites.cut(&netlist, &one.sites, one.criterion);
                let audit = audit_bit_proof(&cut, coverage.bad, &one.proof, None);
                assert!(
                    matches!(audit, Audit::Passed { .. }),
                    "round {round}: {audit:?} {one:?}"
                );
                certificates += 1;
            }
            for site in 0..sites.len() {
                for criterion in Criterion::COVERAGE {
                    let decision = coverage.board.decision(Cut { site, criterion });
                    let Some(decision) = decision else { continue };
                    match decision.evidence {
                        Evidence::Run(run) => {
                            let run = &coverage.board.runs[run];
                            assert_eq!(run.cut, Cut { site, criterion });
                        }
                        Evidence::Certificate(at) => {
                            let sites = &coverage.board.certificates[at].sites;
                            assert!(sites.contains(&site));
                        }
                    }
                }
            }
        }
    }
    assert!(certificates > 100, "{certificates}");
}

/// A free signal of its own, so that a site can be covered by the free value and by no stuck one.
#[test]
fn a_site_may_be_covered_by_the_free_value_alone() {
    let mut netlist = Netlist::default();
    let toggle = netlist.add_latch(Init::Zero);
    netlist.set_next(0, !toggle);
    let copy = netlist.add_latch(Init::Zero);
    netlist.set_next(1, !copy);
    let before = netlist.add_latch(Init::One);
    netlist.set_next(2, toggle);
    // The first latch is never what it was before.
    let same = netlist.graph.iff(toggle, before);
    netlist.add_bad("stays", same);
    assert_eq!(Signal::of(netlist.latches[1].node), copy);
    let sites = CutSites::latches(&netlist, CutPlace::Next);
    let found = decide(&netlist, &sites);
    let verdict = |site, criterion| {
        let decision = found[0].board.decision(Cut { site, criterion });
        decision.map(|one| (one.verdict, one.test))
    };
    assert_eq!(
        verdict(1, Criterion::Nondet),
        Some((CutVerdict::NotCovered, Test::Outside))
    );
    for criterion in Criterion::COVERAGE {
        let covered = verdict(0, criterion).map(|one| one.0);
        assert_eq!(covered, Some(CutVerdict::Covered), "{criterion:?}");
    }
}

/// All minimal cores are those that trying every set of sites finds.
#[test]
fn the_cores_of_a_netlist_are_the_smallest_sets_that_suffice() {
    let mut dice = Dice::new(41);
    let (mut several, mut count) = (0, 0);
    for round in 0..600 {
        let netlist = netlist(&mut dice, &shape());
        let sites = sites(&netlist, CutPlace::Next, round % 2);
        for bad in 0..netlist.bads.len() {
            let question = NetlistCoreQuestion {
                netlist: &netlist,
                sites: &sites,
                bad,
                limits: limits(),
                audit: Duration::from_secs(20),
                budget: Duration::from_secs(20),
                request: Request {
                    all: true,
                    must: true,
                    ..Request::default()
                },
            };
            let found = netlist_cores(&question).unwrap();
            if !matches!(found.verdict, NetlistVerdict::Valid { .. }) {
                continue;
            }
            let suffices = |kept: usize| {
                let others = (0..sites.len()).filter(|site| kept >> site & 1 == 0);
                let others: Vec<usize> = others.collect();
                !is_reachable(&sites.cut(&netlist, &others, Criterion::Nondet), bad)
            };
            let mut wanted: Vec<usize> = Vec::new();
            let mut sets: Vec<usize> = (0..1usize << sites.len()).collect();
            sets.sort_by_key(|set| set.count_ones());
            for set in sets {
                if wanted.iter().all(|core| core & set != *core) && suffices(set) {
                    wanted.push(set);
                }
            }
            let set = |sites: &BTreeSet<usize>| sites.iter().fold(0, |all, site| all | 1 << site);
            let mut cores: Vec<usize> = found.cores.iter().map(|core| set(&core.sites)).collect();
            assert!(found.cores.iter().all(|core| core.audited), "round {round}");
            assert_eq!(found.complete, Some(true), "round {round}");
            let shared = wanted.iter().fold(usize::MAX, |all, core| all & core);
            assert_eq!(set(&found.must.unwrap().0), shared, "round {round}");
            cores.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(cores, wanted, "round {round}");
            several += usize::from(wanted.len() > 1);
            count += 1;
        }
    }
    assert!(several > 5 && count > 100, "{several} of {count}");
}
