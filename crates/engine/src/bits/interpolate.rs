//! Interpolation: what a bounded refutation says about one step, until it says nothing new.
//!
//! McMillan, "Interpolation and SAT-Based Model Checking" (2003). From a set of states, the frontier, no run
//! of `bound` steps is bad. The refutation is split behind the first step: one side knows the frontier
//! and the step, the other what follows. The interpolant speaks of the states between alone; it covers all
//! that the frontier reaches in a step, and leads to nothing bad within the bound. It becomes the next
//! frontier. When a frontier is within the union of those before, that union is inductive. A run that
//! begins in a frontier other than the initial states need not be one: then the bound grows, and
//! everything begins anew.

use super::account::{Account, Halt};
use super::cube::StateLit;
use super::relation::Relation;
use super::unrolling::{Begin, Unrolling};
use super::{BitAnswer, BitEngine};
use crate::portfolio::EngineName;
use proofmark_model::graph::{BitTrace, Kind, Netlist, Region, Signal};
use proofmark_solve::sat::interpolant::{Edge, Interpolant, Node, Side, Split, interpolate};
use proofmark_solve::sat::{Answer, Lit, ProofLog, Solver, Var};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The engine, on one bad signal.
pub struct Interpolation {
    relation: Arc<Relation>,
    account: Account,
    /// How far the refutations look.
    bound: usize,
    /// The union of all frontiers at this bound, and the last one, as functions of the latches.
    states: Region,
    frontier: Frontier,
}

/// The states from which the next step is taken.
#[derive(Clone, Copy)]
enum Frontier {
    Initial,
    Signal(Signal),
}

/// What one refutation came to.
enum Look {
    /// The states after the first step are among these.
    Covered(Signal),
    /// A run from the frontier ends in a bad state.
    Bad(BitTrace),
}

impl Interpolation {
    /// An engine that pays from an account.
    pub fn new(relation: Arc<Relation>, account: Account) -> Interpolation {
        let states = initial(&relation);
        Interpolation {
            relation,
            account,
            bound: 0,
            states,
            frontier: Frontier::Initial,
        }
    }

    fn work(&mut self, watch: &mut dyn FnMut(u32)) -> Result<BitAnswer, Halt> {
        if self.bound == 0 {
            if let Some(trace) = self.bad_at_first()? {
                return Ok(BitAnswer::Refuted(trace));
            }
            self.deepen(watch);
        }
        loop {
            match (self.look()?, self.frontier) {
                (Look::Bad(trace), Frontier::Initial) => return Ok(BitAnswer::Refuted(trace)),
                (Look::Bad(_), Frontier::Signal(_)) => self.deepen(watch),
                (Look::Covered(next), _) => {
                    if self.is_known(next)? {
                        return Ok(BitAnswer::Region(Box::new(self.states.clone())));
                    }
                    let graph = &mut self.states.netlist.graph;
                    self.states.holds = graph.or(self.states.holds, next);
                    self.frontier = Frontier::Signal(next);
                }
            }
        }
    }

    fn deepen(&mut self, watch: &mut dyn FnMut(u32)) {
        self.bound += 1;
        self.states = initial(&self.relation);
        self.frontier = Frontier::Initial;
        watch(self.bound as u32);
    }

    /// A run of one step.
    fn bad_at_first(&mut self) -> Result<Option<BitTrace>, Halt> {
        let relation = Arc::clone(&self.relation);
        let mut runs = Unrolling::new(&relation, Begin::Initial, &self.account);
        runs.extend();
        let bad = runs.lit(0, relation.bad());
        match self.account.solve(&mut runs.solver, &[bad], &[])? {
            Answer::Satisfiable => Ok(Some(runs.trace(0))),
            _ => Ok(None),
        }
    }

    /// Whether a run from the frontier is bad after one to `bound` steps, and otherwise what the first
    /// of them reaches.
    fn look(&mut self) -> Result<Look, Halt> {
        let relation = Arc::clone(&self.relation);
        let log = Arc::new(Mutex::new(ProofLog::default()));
        let mut solver = Solver::new();
        solver.log_proof(Arc::clone(&log));
        let begin = match self.frontier {
            Frontier::Initial => Begin::Initial,
            Frontier::Signal(_) => Begin::Anywhere,
        };
        let solver = self.account.open(solver);
        let mut runs = Unrolling::in_solver(&relation, begin, solver);
        runs.extend();
        if let Frontier::Signal(frontier) = self.frontier {
            let latch = |at| relation.now(StateLit::new(at, true));
            let lits = (0..relation.latches()).map(|at| runs.lit(0, latch(at)));
            let lits: Vec<Lit> = lits.collect();
            let holds = encode(&self.states.netlist, frontier, &lits, &mut runs.solver);
            runs.solver.add_clause(&[holds]);
        }
        let cut = runs.cut();
        // Every clause up to here is about the frontier and the first step.
        let first = runs.solver.add_clause(&[runs.truth()]);
        let mut bads = Vec::new();
        for step in 1..=self.bound {
            runs.extend();
            bads.push(runs.lit(step, relation.bad()));
        }
        runs.solver.add_clause(&bads);
        if self.account.solve(&mut runs.solver, &[], &[])? == Answer::Satisfiable {
            let is_bad = |bad: &Lit| runs.solver.value(*bad) == Some(true);
            let last = bads.iter().position(is_bad).map_or(0, |at| at + 1);
            return Ok(Look::Bad(runs.trace(last)));
        }
        let split = Split {
            clauses: |id| if id < first { Side::A } else { Side::B },
            assumptions: |_| Side::B,
        };
        let conclusion = runs.solver.conclusion().ok_or(Halt)?;
        let log = log.lock().unwrap_or_else(PoisonError::into_inner);
        let found = interpolate(&log, conclusion, &split).ok_or(Halt)?;
        let truth = runs.truth();
        Ok(Look::Covered(self.take(&found, &cut, truth)))
    }

    /// The interpolant as a function of the latches, whose literals between the sides are given. Both
    /// sides know the literal that is true, so that it may occur, too.
    fn take(&mut self, found: &Interpolant, cut: &[Lit], truth: Lit) -> Signal {
        let latches = cut.iter().enumerate();
        let latches: FxHashMap<Var, usize> = latches.map(|(at, lit)| (lit.var(), at)).collect();
        take_interpolant(
            &mut self.states.netlist,
            found,
            |netlist, var| match latches.get(&var) {
                Some(&at) => Signal::of(netlist.inputs[at]),
                None => {
                    debug_assert_eq!(var, truth.var(), "only latches are between the sides");
                    Signal::constant(truth.is_positive())
                }
            },
        )
    }

    /// Whether all of these states are in the union already.
    fn is_known(&mut self, next: Signal) -> Result<bool, Halt> {
        let netlist = &self.states.netlist;
        let mut solver = self.account.open(Solver::new());
        let lits: Vec<Lit> = (0..netlist.inputs.len())
            .map(|_| solver.new_var().positive())
            .collect();
        let new = encode(netlist, next, &lits, &mut solver);
        let old = encode(netlist, self.states.holds, &lits, &mut solver);
        let answer = self.account.solve(&mut solver, &[new, !old], &[])?;
        Ok(answer == Answer::Unsatisfiable)
    }
}

impl BitEngine for Interpolation {
    fn name(&self) -> EngineName {
        EngineName::Interpolation
    }

    fn run(&mut self, effort: u64, watch: &mut dyn FnMut(u32)) -> Result<BitAnswer, Halt> {
        self.account.allow(effort);
        self.work(watch)
    }
}

/// An interpolant as a signal of a netlist; `input` tells what a variable is there.
pub fn take_interpolant(
    netlist: &mut Netlist,
    found: &Interpolant,
    input: impl Fn(&Netlist, Var) -> Signal,
) -> Signal {
    let mut signals: Vec<Signal> = Vec::with_capacity(found.nodes().len());
    let follow =
        |signals: &[Signal], edge: Edge| signals[edge.node()].complement_if(edge.is_complemented());
    for node in found.nodes() {
        let signal = match *node {
            Node::True => Signal::TRUE,
            Node::Input(var) => input(netlist, var),
            Node::And(a, b) => {
                let (a, b) = (follow(&signals, a), follow(&signals, b));
                netlist.graph.and(a, b)
            }
        };
        signals.push(signal);
    }
    follow(&signals, found.root())
}

/// The initial states, as a function of the latches.
fn initial(relation: &Relation) -> Region {
    let mut netlist = Netlist::default();
    let latches: Vec<Signal> = (0..relation.latches())
        .map(|_| netlist.add_input())
        .collect();
    let begin = latches.iter().enumerate().filter_map(|(at, latch)| {
        let value = relation.init(at).value()?;
        Some(latch.complement_if(!value))
    });
    let begin: Vec<Signal> = begin.collect();
    let holds = netlist.graph.and_all(&begin);
    Region {
        netlist,
        latches: (0..relation.latches() as u32).collect(),
        holds,
    }
}

/// Tells a solver of a signal over inputs that are these literals.
fn encode(netlist: &Netlist, signal: Signal, inputs: &[Lit], solver: &mut Solver) -> Lit {
    let mut lits: Vec<Option<Lit>> = vec![None; signal.index() + 1];
    let mut stack = vec![signal.node()];
    while let Some(&node) = stack.last() {
        if lits[node as usize].is_some() {
            stack.pop();
            continue;
        }
        let known = |lits: &[Option<Lit>], signal: Signal| {
            let lit = lits[signal.index()]?;
            Some(if signal.is_complemented() { !lit } else { lit })
        };
        lits[node as usize] = match netlist.graph.kind(node) {
            Kind::Input(position) => Some(inputs[position as usize]),
            Kind::Constant | Kind::Latch(_) => {
                let no = solver.new_var().positive();
                solver.add_clause(&[!no]);
                Some(no)
            }
            Kind::And(a, b) => match (known(&lits, a), known(&lits, b)) {
                (Some(a), Some(b)) => {
                    let gate = solver.new_var().positive();
                    solver.add_clause(&[!gate, a]);
                    solver.add_clause(&[!gate, b]);
                    solver.add_clause(&[gate, !a, !b]);
                    Some(gate)
                }
                (known_a, known_b) => {
                    stack.extend(known_a.is_none().then_some(a.node()));
                    stack.extend(known_b.is_none().then_some(b.node()));
                    None
                }
            },
        };
    }
    // The loop ends when the signal has its literal.
    let lit = lits[signal.index()].unwrap_or(Lit::from_code(0));
    if signal.is_complemented() { !lit } else { lit }
}
