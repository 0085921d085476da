//! Engines on one bad signal: side by side, the first answer wins.

use super::account::Account;
use super::bmc::BoundedSearch;
use super::cube::{Cube, StateLit};
use super::ic3::Ic3;
use super::interpolate::Interpolation;
use super::relation::Relation;
use super::{BitAnswer, BitEngine};
use crate::portfolio::EngineName;
use proofmark_model::graph::{
    BitProof, BitTrace, Kind, Netlist, Reduced, Region, Signal, simplify,
};
use proofmark_solve::Interrupt;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How long and with what a check may work.
#[derive(Clone)]
pub struct BitLimits {
    /// The engines that may work; those that do not know bits are left out.
    pub engines: Vec<EngineName>,
    /// How many threads.
    pub jobs: usize,
    /// For this signal.
    pub time: Option<Duration>,
    /// When set, the check ends.
    pub interrupt: Interrupt,
}

/// What became of a bad signal, and when.
#[derive(Clone, Debug)]
pub struct BitCheck {
    /// The answer, or why there is none.
    pub verdict: BitVerdict,
    /// From the start of the check to the answer.
    pub time: Duration,
}

/// What became of a bad signal.
#[derive(Clone, Debug)]
pub enum BitVerdict {
    /// It is never true.
    Valid {
        /// What is inductive together with the complement of the signal, over the netlist as it was given.
        proof: BitProof,
        /// The engine that found it.
        engine: EngineName,
    },
    /// The run ends with it true.
    Invalid {
        /// A run of the netlist as it was given.
        trace: BitTrace,
        /// The engine that found it.
        engine: EngineName,
    },
    /// No run of so many steps shows it; more is not known.
    Unknown {
        /// Counted from the first, as bounded search went.
        steps: u32,
        /// What ended the check, in words for people.
        why: String,
    },
}

/// The effort of an engine's first turn, where several share a thread; each further turn gets twice as much.
const FIRST_TURN: u64 = 200_000;

/// What a worker sends.
enum Letter {
    Found(EngineName, BitAnswer),
    Depth(EngineName, u32),
    Interrupted,
}

/// Proves or refutes that a bad signal, by position, is ever true. `watch` hears how deep engines are.
pub fn check_bad(
    netlist: &Netlist,
    bad: usize,
    limits: &BitLimits,
    watch: &mut dyn FnMut(EngineName, u32),
) -> BitCheck {
    check_bad_knowing(netlist, bad, &[], limits, watch)
}

/// As [`check_bad`], beginning with clauses over latches that together are inductive on the netlist. They
/// are part of the proof, so that nobody has to take the caller's word for it.
pub fn check_bad_knowing(
    netlist: &Netlist,
    bad: usize,
    clauses: &[Vec<Signal>],
    limits: &BitLimits,
    watch: &mut dyn FnMut(EngineName, u32),
) -> BitCheck {
    let start = Instant::now();
    let reduced = simplify(netlist, &[bad]);
    let mut verdict = match reduced.netlist.bads[0].signal {
        Signal::FALSE => BitVerdict::Valid {
            proof: proof(netlist, &reduced, 1, &[]),
            engine: EngineName::Simplification,
        },
        _ => race(netlist, bad, &reduced, clauses, limits, start, watch),
    };
    if let BitVerdict::Valid { proof, .. } = &mut verdict {
        proof.clauses.extend(clauses.iter().cloned());
    }
    BitCheck {
        verdict,
        time: start.elapsed(),
    }
}

fn race(
    netlist: &Netlist,
    bad: usize,
    reduced: &Reduced,
    clauses: &[Vec<Signal>],
    limits: &BitLimits,
    start: Instant,
    watch: &mut dyn FnMut(EngineName, u32),
) -> BitVerdict {
    let relation = Arc::new(Relation::new(&reduced.netlist, 0));
    let unreachable = clauses.iter();
    let unreachable = unreachable.filter_map(|clause| violation(reduced, clause));
    let unreachable: Vec<Cube> = unreachable.collect();
    let engines: Vec<EngineName> = EngineName::ON_BITS
        .into_iter()
        .filter(|one| limits.engines.contains(one))
        .collect();
    let (sender, letters) = channel();
    let sender = Arc::new(sender);
    let stop = Interrupt::default();
    let weak = Arc::downgrade(&sender);
    let tell: Arc<proofmark_solve::Listener> = Arc::new(move || {
        if let Some(sender) = weak.upgrade() {
            // The check may be over already.
            let _ = sender.send(Letter::Interrupted);
        }
    });
    limits.interrupt.on_set(&tell);
    if limits.interrupt.is_set() {
        tell();
    }
    let jobs = limits.jobs.clamp(1, engines.len().max(1));
    let mut steps = 0;
    let mut why = "no engine that was chosen works on bits";
    let found = std::thread::scope(|scope| {
        for job in 0..jobs {
            let (relation, sender) = (&relation, Arc::clone(&sender));
            let unreachable = &unreachable;
            let names: Vec<EngineName> = engines.iter().copied().skip(job).step_by(jobs).collect();
            let account = Account::new(stop.clone());
            scope.spawn(move || work(relation, unreachable, &names, &account, &sender));
        }
        drop(sender);
        let found = loop {
            let left = limits.time.map(|time| time.saturating_sub(start.elapsed()));
            let letter = match left {
                Some(left) => letters.recv_timeout(left),
                None => letters.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match letter {
                Ok(Letter::Found(name, answer)) => break Some((name, answer)),
                Ok(Letter::Depth(name, depth)) => {
                    if name == EngineName::Bmc {
                        steps = depth;
                    }
                    watch(name, depth);
                }
                Ok(Letter::Interrupted) => {
                    why = "interrupted";
                    break None;
                }
                Err(RecvTimeoutError::Timeout) => {
                    why = "the time is up";
                    break None;
                }
                Err(RecvTimeoutError::Disconnected) => break None,
            }
        };
        stop.set();
        found
    });
    match found {
        None => BitVerdict::Unknown {
            steps,
            why: why.to_string(),
        },
        Some((engine, BitAnswer::Refuted(trace))) => BitVerdict::Invalid {
            trace: restored(netlist, reduced, bad, &trace),
            engine,
        },
        Some((engine, BitAnswer::Region(region))) => {
            let latches = region.latches.iter();
            let latches = latches.map(|at| reduced.map.latch(*at as usize) as u32);
            let latches = latches.collect();
            let mut proof = proof(netlist, reduced, 1, &[]);
            let region = Region { latches, ..*region };
            proof.region = Some(Box::new(region));
            BitVerdict::Valid { proof, engine }
        }
        Some((engine, BitAnswer::Inductive { k, cubes })) => {
            let engine = match (engine, k) {
                (EngineName::Bmc, _) => EngineName::KInduction,
                _ => engine,
            };
            let proof = proof(netlist, reduced, k, &cubes);
            BitVerdict::Valid { proof, engine }
        }
    }
}

/// The states of the smaller netlist that a clause of the original forbids; nothing where the clause says
/// nothing about it.
fn violation(reduced: &Reduced, clause: &[Signal]) -> Option<Cube> {
    let mut lits: Vec<StateLit> = Vec::with_capacity(clause.len());
    for signal in clause {
        let here = reduced.map.translate(*signal)?;
        match reduced.netlist.graph.kind(here.node()) {
            Kind::Latch(latch) => {
                lits.push(StateLit::new(latch as usize, here.is_complemented()));
            }
            _ if here == Signal::FALSE => {}
            _ => return None,
        }
    }
    lits.sort_unstable();
    lits.dedup();
    let twice = lits.windows(2).any(|two| two[0].latch() == two[1].latch());
    (!twice && !lits.is_empty()).then(|| Cube::new(lits))
}

/// The run of the original, up to where it shows the signal first.
fn restored(netlist: &Netlist, reduced: &Reduced, bad: usize, trace: &BitTrace) -> BitTrace {
    let mut run = reduced.map.restore_trace(netlist, trace);
    if let Some(step) = netlist.replay(&run).refuted[bad] {
        run.inputs.truncate(step + 1);
    }
    run
}

/// One thread: its engines take turns until one has an answer or all are stopped.
fn work(
    relation: &Arc<Relation>,
    unreachable: &[Cube],
    names: &[EngineName],
    account: &Account,
    sender: &Sender<Letter>,
) {
    let mut engines: Vec<Box<dyn BitEngine + '_>> = Vec::new();
    for name in names {
        engines.push(match name {
            EngineName::Ic3 => {
                let ic3 = Ic3::new(Arc::clone(relation), account.clone());
                Box::new(ic3.knowing(unreachable.to_vec()))
            }
            EngineName::Interpolation => {
                Box::new(Interpolation::new(Arc::clone(relation), account.clone()))
            }
            _ => Box::new(BoundedSearch::new(relation, account.clone())),
        });
    }
    let mut effort = match engines.len() {
        1 => u64::MAX,
        _ => FIRST_TURN,
    };
    while !account.is_stopped() {
        for engine in &mut engines {
            let name = engine.name();
            // A closed channel means that the check is over; the stop is set then.
            let found = engine.run(effort, &mut |depth| {
                let _ = sender.send(Letter::Depth(name, depth));
            });
            if let Ok(answer) = found {
                let _ = sender.send(Letter::Found(name, answer));
                return;
            }
        }
        effort = effort.saturating_mul(2);
    }
}

/// The proof for the original: what the engines found, and what made the netlist smaller.
fn proof(netlist: &Netlist, reduced: &Reduced, k: u32, cubes: &[Cube]) -> BitProof {
    let facts = reduced.map.facts().iter().cloned();
    BitProof {
        k,
        region: None,
        clauses: facts
            .chain(cubes.iter().map(|cube| cube.forbidden(netlist, reduced)))
            .collect(),
    }
}
