//! SIMULATION: 64 cuts at once, on random inputs and on the runs of other cuts; no solver.
//!
//! A bit of a word is a run of its own netlist: each lane has a cut of its own, whose nodes get their
//! value from the cut in that lane and from the netlist in all others (parallel fault simulation,
//! Seshu 1965). A lane in which the bad signal becomes true is a run of the cut netlist, which the
//! simulator of netlists replays before it counts.

use super::board::{Board, CutRun};
use super::{Progress, Test};
use crate::verify::VerifyError;
use proofmark_audit::cuts::Cut;
use proofmark_model::graph::random::Dice;
use proofmark_model::graph::{
    BitTrace, Criterion, CutPlace, CutSites, Init, Kind, Netlist, Signal,
};
use std::time::{Duration, Instant};

/// What a lane's cut does with a free value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Strategy {
    /// Always the other value.
    Flip,
    /// Any.
    Random,
    /// Now and then the other value.
    Seldom,
}

const STRATEGIES: [Strategy; 3] = [Strategy::Random, Strategy::Flip, Strategy::Seldom];
const LANES: usize = 64;
/// Steps of a random run.
const SHORT: usize = 24;
const LONG: usize = 96;
/// The random runs end after so many rounds without a find.
const PATIENCE: usize = 3;

/// The simulator of cut netlists, for one property.
pub struct FaultSimulation {
    /// The gates that the bad signal and the constraints depend on, in order.
    gates: Vec<(u32, [Signal; 2])>,
    /// Positions of the latches and inputs that do.
    latches: Vec<usize>,
    inputs: Vec<usize>,
    words: Vec<u64>,
    next: Vec<u64>,
    dice: Dice,
    /// How many of the runs of the board were replayed on all open cuts.
    replayed: usize,
}

/// A node that is cut in some lanes.
struct CutNode {
    node: u32,
    free: u64,
    zero: u64,
    one: u64,
    inverted: u64,
    xor: u64,
    xnor: u64,
    /// What it is twisted with.
    partner: Option<Signal>,
    /// Its values, step by step.
    values: Vec<u64>,
}

impl CutNode {
    fn seen(&mut self, given: u64, change: u64, partner: u64) -> u64 {
        let change =
            (change & self.free) | self.inverted | (partner & self.xor) | (!partner & self.xnor);
        let seen = ((given ^ change) & !self.zero) | self.one;
        self.values.push(seen);
        seen
    }
}

/// Where the inputs come from.
enum Source<'r> {
    Random { bias: u32 },
    Run(&'r BitTrace),
}

/// What is known of one pass: all that a lane needs to be told as a run.
struct Pass {
    inputs: Vec<Vec<u64>>,
    first: Vec<u64>,
    cuts: Vec<CutNode>,
    /// For each lane the step at which the bad signal was true.
    bad: Vec<Option<usize>>,
}

impl FaultSimulation {
    /// A simulator of the part of the netlist that the bad signal depends on.
    pub fn new(netlist: &Netlist, sites: &CutSites, bad: usize) -> FaultSimulation {
        let needed = super::outside::needed_by_faults(netlist, sites, bad);
        let used = |node: &u32| needed[*node as usize];
        let gates = netlist.graph.and_gates().filter(|(gate, _)| used(gate));
        let positions = |nodes: Vec<u32>| -> Vec<usize> {
            let nodes = nodes.into_iter().enumerate();
            nodes
                .filter(|(_, node)| used(node))
                .map(|(at, _)| at)
                .collect()
        };
        FaultSimulation {
            gates: gates.collect(),
            latches: positions(netlist.latches.iter().map(|one| one.node).collect()),
            inputs: positions(netlist.inputs.clone()),
            words: vec![0; netlist.graph.len()],
            next: Vec::new(),
            dice: Dice::new(0x5EED),
            replayed: 0,
        }
    }

    /// Random runs, for as long as they find something and the time lasts.
    pub fn random(
        &mut self,
        board: &mut Board<'_>,
        progress: &Progress<'_>,
        time: Duration,
    ) -> Result<(), VerifyError> {
        let begin = Instant::now();
        let (mut idle, mut round) = (0, 0u32);
        while idle < PATIENCE && begin.elapsed() < time && !progress.is_over(board) {
            let open = board.open(&Criterion::ALL);
            if open.is_empty() {
                return Ok(());
            }
            let before = board.decided();
            let steps = if round % 3 == 2 { LONG } else { SHORT };
            let strategy = STRATEGIES[round as usize % STRATEGIES.len()];
            for cuts in open.chunks(LANES) {
                // What waits in few lanes gets several each.
                let lanes: Vec<Cut> = cuts.iter().copied().cycle().take(LANES).collect();
                let source = Source::Random { bias: round % 4 };
                self.examine(board, &lanes, &source, steps, strategy)?;
                if begin.elapsed() >= time {
                    break;
                }
            }
            idle = if board.decided() == before {
                idle + 1
            } else {
                0
            };
            round += 1;
        }
        Ok(())
    }

    /// Replays the runs that were found since the last time on all cuts that are open.
    pub fn replay(
        &mut self,
        board: &mut Board<'_>,
        progress: &Progress<'_>,
    ) -> Result<(), VerifyError> {
        while self.replayed < board.runs.len() {
            let run = board.runs[self.replayed].clone();
            self.replayed += 1;
            let mut trace = run.trace;
            for inputs in &mut trace.inputs {
                inputs.truncate(board.netlist.inputs.len());
            }
            // The cut of the run may have hurried it; others may need a few steps more.
            let last = trace.inputs.last().cloned().unwrap_or_default();
            trace.inputs.extend([last.clone(), last]);
            for strategy in STRATEGIES {
                let open = board.open(&Criterion::ALL);
                for cuts in open.chunks(LANES) {
                    if progress.is_over(board) {
                        return Ok(());
                    }
                    let source = Source::Run(&trace);
                    self.examine(board, cuts, &source, trace.inputs.len(), strategy)?;
                }
            }
        }
        Ok(())
    }

    /// Forgets that runs wait for a replay: what random runs found is no news to random runs.
    pub fn skip_replays(&mut self, board: &Board<'_>) {
        self.replayed = board.runs.len();
    }

    /// One pass; what it shows is replayed and told to the board.
    fn examine(
        &mut self,
        board: &mut Board<'_>,
        lanes: &[Cut],
        source: &Source<'_>,
        steps: usize,
        strategy: Strategy,
    ) -> Result<(), VerifyError> {
        let begin = Instant::now();
        let pass = self.pass(board, lanes, source, steps, strategy);
        let found = pass.bad.iter().filter(|one| one.is_some()).count().max(1);
        let cost = begin.elapsed() / found as u32;
        for (lane, cut) in lanes.iter().enumerate() {
            if let (Some(step), true) = (pass.bad[lane], board.is_open(*cut)) {
                let run = self.run(board, &pass, *cut, lane, step);
                board.cover(run, Test::Simulation, cost)?;
            }
        }
        Ok(())
    }

    fn pass(
        &mut self,
        board: &Board<'_>,
        lanes: &[Cut],
        source: &Source<'_>,
        steps: usize,
        strategy: Strategy,
    ) -> Pass {
        let netlist = board.netlist;
        let mut pass = Pass {
            inputs: Vec::with_capacity(steps),
            first: Vec::new(),
            cuts: cut_nodes(board, lanes),
            bad: vec![None; lanes.len()],
        };
        let lanes = match lanes.len() {
            LANES => u64::MAX,
            some => (1 << some) - 1,
        };
        let mut open = lanes;
        self.start(board, source, &mut pass, strategy);
        for step in 0..steps {
            if step > 0 {
                self.advance(netlist, &mut pass, strategy);
            }
            self.feed(netlist, source, step, &mut pass);
            self.evaluate(&mut pass, strategy);
            for constraint in &netlist.constraints {
                open &= self.value(*constraint);
            }
            let mut bad = open & self.value(netlist.bads[board.bad].signal);
            open &= !bad;
            while bad != 0 {
                pass.bad[bad.trailing_zeros() as usize] = Some(step);
                bad &= bad - 1;
            }
            if open == 0 {
                break;
            }
        }
        pass
    }

    fn value(&self, signal: Signal) -> u64 {
        let word = self.words[signal.index()];
        if signal.is_complemented() {
            !word
        } else {
            word
        }
    }

    fn partner(&self, cut: &CutNode) -> u64 {
        cut.partner.map_or(0, |partner| self.value(partner))
    }

    fn change(&mut self, strategy: Strategy) -> u64 {
        match strategy {
            Strategy::Flip => u64::MAX,
            Strategy::Random => self.dice.word(),
            Strategy::Seldom => self.dice.word() & self.dice.word() & self.dice.word(),
        }
    }

    fn start(
        &mut self,
        board: &Board<'_>,
        source: &Source<'_>,
        pass: &mut Pass,
        strategy: Strategy,
    ) {
        for at in 0..self.latches.len() {
            let position = self.latches[at];
            let latch = board.netlist.latches[position];
            let word = match (latch.init, source) {
                (Init::Zero, _) => 0,
                (Init::One, _) => u64::MAX,
                (Init::Free, Source::Random { .. }) => self.dice.word(),
                (Init::Free, Source::Run(run)) => spread(run.latches.get(position)),
            };
            pass.first.push(word);
            self.words[latch.node as usize] = word;
        }
        for at in 0..pass.cuts.len() {
            let node = pass.cuts[at].node;
            if !matches!(board.netlist.graph.kind(node), Kind::Latch(_)) {
                continue;
            }
            let word = self.words[node as usize];
            let word = match board.sites.place {
                CutPlace::Next => {
                    pass.cuts[at].values.push(word);
                    word
                }
                CutPlace::Output => {
                    let change = self.change(strategy);
                    pass.cuts[at].seen(word, change, 0)
                }
            };
            self.words[node as usize] = word;
        }
    }

    fn advance(&mut self, netlist: &Netlist, pass: &mut Pass, strategy: Strategy) {
        let partners: Vec<u64> = pass.cuts.iter().map(|cut| self.partner(cut)).collect();
        let mut next = std::mem::take(&mut self.next);
        next.clear();
        next.extend(
            self.latches
                .iter()
                .map(|at| self.value(netlist.latches[*at].next)),
        );
        for (at, word) in self.latches.iter().zip(&next) {
            self.words[netlist.latches[*at].node as usize] = *word;
        }
        self.next = next;
        for (cut, partner) in pass.cuts.iter_mut().zip(partners) {
            if matches!(netlist.graph.kind(cut.node), Kind::Latch(_)) {
                let change = self.change(strategy);
                let given = self.words[cut.node as usize];
                self.words[cut.node as usize] = cut.seen(given, change, partner);
            }
        }
    }

    fn feed(&mut self, netlist: &Netlist, source: &Source<'_>, step: usize, pass: &mut Pass) {
        let mut words = Vec::with_capacity(self.inputs.len());
        for at in 0..self.inputs.len() {
            let position = self.inputs[at];
            let word = match source {
                Source::Run(run) => spread(run.inputs[step].get(position)),
                Source::Random { bias: 1 } => self.dice.word() & self.dice.word(),
                Source::Random { bias: 2 } => self.dice.word() | self.dice.word(),
                Source::Random { .. } => self.dice.word(),
            };
            words.push(word);
            self.words[netlist.inputs[position] as usize] = word;
        }
        pass.inputs.push(words);
    }

    fn evaluate(&mut self, pass: &mut Pass, strategy: Strategy) {
        let mut at = 0;
        for index in 0..self.gates.len() {
            let (gate, [a, b]) = self.gates[index];
            let mut word = self.value(a) & self.value(b);
            while pass.cuts.get(at).is_some_and(|cut| cut.node < gate) {
                at += 1;
            }
            if pass.cuts.get(at).is_some_and(|cut| cut.node == gate) {
                let change = self.change(strategy);
                let partner = self.partner(&pass.cuts[at]);
                word = pass.cuts[at].seen(word, change, partner);
            }
            self.words[gate as usize] = word;
        }
    }

    /// A lane as a run of its cut netlist.
    fn run(&self, board: &Board<'_>, pass: &Pass, cut: Cut, lane: usize, step: usize) -> CutRun {
        let netlist = board.netlist;
        let bit = |word: &u64| word >> lane & 1 == 1;
        let begin = netlist.latches.iter();
        let begin = begin.map(|latch| latch.init.value().unwrap_or(false));
        let mut latches: Vec<bool> = begin.collect();
        for (position, word) in self.latches.iter().zip(&pass.first) {
            latches[*position] = bit(word);
        }
        let inputs = pass.inputs[..=step].iter().map(|words| {
            let mut inputs = vec![false; netlist.inputs.len()];
            for (position, word) in self.inputs.iter().zip(words) {
                inputs[*position] = bit(word);
            }
            inputs
        });
        let mut trace = BitTrace {
            inputs: inputs.collect(),
            latches,
        };
        if cut.criterion == Criterion::Nondet {
            let nodes = board.sites.nodes(cut.site);
            let values: Vec<Vec<bool>> = nodes
                .iter()
                .map(|node| {
                    let cut = pass.cuts.iter().find(|cut| cut.node == *node);
                    let words = cut.map_or(&[][..], |cut| &cut.values[..]);
                    let mut values: Vec<bool> = words.iter().map(bit).collect();
                    // Nodes that the bad signal does not depend on have any value.
                    values.resize(values.len().max(step + 1), false);
                    values
                })
                .collect();
            trace = netlist.cut_trace(&trace, nodes, &values);
        }
        CutRun { cut, trace }
    }
}

fn spread(bit: Option<&bool>) -> u64 {
    match bit {
        Some(true) => u64::MAX,
        _ => 0,
    }
}

/// The nodes of the cuts of the lanes, each with the lanes in which it is cut.
fn cut_nodes(board: &Board<'_>, lanes: &[Cut]) -> Vec<CutNode> {
    let mut nodes: Vec<CutNode> = Vec::new();
    let mut sorted: Vec<(u32, Criterion, usize)> = Vec::new();
    for (lane, cut) in lanes.iter().enumerate() {
        let group = board.sites.nodes(cut.site).iter();
        sorted.extend(group.map(|node| (*node, cut.criterion, lane)));
    }
    sorted.sort_unstable();
    for (node, criterion, lane) in sorted {
        if nodes.last().is_none_or(|last| last.node != node) {
            nodes.push(CutNode {
                node,
                free: 0,
                zero: 0,
                one: 0,
                inverted: 0,
                xor: 0,
                xnor: 0,
                partner: board.sites.partner(node),
                values: Vec::new(),
            });
        }
        if let Some(last) = nodes.last_mut() {
            let word = match criterion {
                Criterion::Nondet => &mut last.free,
                Criterion::Zero => &mut last.zero,
                Criterion::One => &mut last.one,
                Criterion::Inverted => &mut last.inverted,
                Criterion::Xor => &mut last.xor,
                Criterion::Xnor => &mut last.xnor,
            };
            *word |= 1 << lane;
        }
    }
    nodes
}
