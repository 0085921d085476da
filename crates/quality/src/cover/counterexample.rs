//! COUNTEREXAMPLE: bounded search in all cut netlists at once.
//!
//! One unrolling has a switch for every site (see [`CutSteps`]), and a number says which site is cut: its
//! bits are what keeps two from being cut together. The solver chooses the site; each run that it finds
//! is replayed on all cuts that are open, and one answer that there is no run of this length is one for
//! all of them. Stuck values are asked about with the same clauses, once the free ones of this length
//! are.

use super::board::{Board, CutRun};
use super::simulation::FaultSimulation;
use super::{Progress, Test};
use crate::verify::VerifyError;
use proofmark_audit::cuts::{Cut, CutSteps, FirstStep};
use proofmark_model::graph::{BitTrace, Criterion, CutSites, Netlist, Signal};
use proofmark_solve::sat::{Answer, Lit, Solver};
use proofmark_solve::{Budget, Interrupt};
use std::time::{Duration, Instant};

/// Bounded search in the cut netlists of one property.
pub struct BoundedCuts<'n> {
    steps: CutSteps<'n, Solver>,
    sites: &'n CutSites,
    netlist: &'n Netlist,
    bad: Signal,
    /// The bits of the number of the site that is cut.
    number: Vec<Lit>,
    /// The value of a cut site is stuck, or twisted: it is not free.
    stuck: Lit,
    /// The sites whose switches are bound to their number.
    bound: Vec<bool>,
    /// Lengths that were searched, for all open cuts.
    searched: usize,
}

impl<'n> BoundedCuts<'n> {
    /// No step has been searched.
    pub fn new(board: &Board<'n>, interrupt: &Interrupt) -> BoundedCuts<'n> {
        let mut solver = Solver::new();
        solver.set_interrupt(interrupt.clone());
        let bits = usize::BITS - board.sites.len().leading_zeros();
        let number = (0..bits).map(|_| solver.new_var().positive()).collect();
        let stuck = solver.new_var().positive();
        BoundedCuts {
            steps: CutSteps::new(board.netlist, board.sites, FirstStep::Initial, solver),
            sites: board.sites,
            netlist: board.netlist,
            bad: board.netlist.bads[board.bad].signal,
            number,
            stuck,
            bound: vec![false; board.sites.len()],
            searched: 0,
        }
    }

    /// Searches runs of up to so many steps, for so long; further calls go on. Whether all was searched.
    pub fn search(
        &mut self,
        board: &mut Board<'n>,
        simulation: &mut FaultSimulation,
        progress: &Progress<'_>,
        depth: usize,
        time: Duration,
    ) -> Result<bool, VerifyError> {
        let end = Instant::now() + time;
        while self.searched < depth {
            let step = self.searched;
            while self.steps.len() <= step {
                self.steps.extend();
            }
            let bad = self.steps.lit(step, self.bad);
            self.bind();
            for stuck in [false, true] {
                if !self.exhaust(board, simulation, progress, (bad, stuck), end)? {
                    return Ok(false);
                }
            }
            self.searched += 1;
        }
        Ok(true)
    }

    /// Ties new switches to the number of their site.
    fn bind(&mut self) {
        let new: Vec<_> = self
            .steps
            .switches()
            .filter(|(site, _)| !self.bound[*site])
            .collect();
        for (site, switches) in new {
            self.bound[site] = true;
            for (bit, lit) in self.number.iter().enumerate() {
                let lit = if site >> bit & 1 == 1 { *lit } else { !*lit };
                self.steps.solver.add_clause(&[!switches.cut, lit]);
            }
            let held: Vec<Lit> = switches.all_held().map(|(_, lit)| lit).collect();
            let mut some = vec![!self.stuck, !switches.cut];
            some.extend(&held);
            self.steps.solver.add_clause(&some);
            for (at, one) in held.iter().enumerate() {
                for other in &held[..at] {
                    self.steps.solver.add_clause(&[!*one, !*other]);
                }
            }
        }
    }

    /// Finds all that a bad state at this step covers.
    fn exhaust(
        &mut self,
        board: &mut Board<'n>,
        simulation: &mut FaultSimulation,
        progress: &Progress<'_>,
        (bad, stuck): (Lit, bool),
        end: Instant,
    ) -> Result<bool, VerifyError> {
        loop {
            let begin = Instant::now();
            let left = end.saturating_duration_since(begin);
            if left.is_zero() || progress.is_over(board) {
                return Ok(false);
            }
            let Some(assumptions) = self.open(board, bad, stuck) else {
                return Ok(true);
            };
            self.steps.solver.set_budget(Budget {
                effort: None,
                time: Some(left),
            });
            match self.steps.solver.solve(&assumptions) {
                Answer::Unsatisfiable => return Ok(true),
                Answer::Unknown => return Ok(false),
                Answer::Satisfiable => {
                    let run = self.run(stuck);
                    board.cover(run, Test::Counterexample, begin.elapsed())?;
                    simulation.replay(board, progress)?;
                }
            }
        }
    }

    /// The assumptions under which a run covers something that is open, if anything is.
    fn open(&self, board: &Board<'n>, bad: Lit, stuck: bool) -> Option<Vec<Lit>> {
        let mut assumptions = vec![if stuck { self.stuck } else { !self.stuck }];
        let mut some = false;
        for (site, switches) in self.steps.switches() {
            let is_open = |criterion| board.is_open(Cut { site, criterion });
            if !stuck {
                match is_open(Criterion::Nondet) {
                    true => some = true,
                    false => assumptions.push(!switches.cut),
                }
                continue;
            }
            let held = || switches.all_held();
            match held().any(|(criterion, _)| is_open(criterion)) {
                false => assumptions.push(!switches.cut),
                true => {
                    some = true;
                    let closed = held().filter(|(criterion, _)| !is_open(*criterion));
                    assumptions.extend(closed.map(|(_, lit)| !lit));
                }
            }
        }
        assumptions.push(bad);
        some.then_some(assumptions)
    }

    /// The run of the solver's model, up to where it is bad.
    fn run(&self, stuck: bool) -> CutRun {
        let value = |lit: Lit| self.steps.solver.value(lit).unwrap_or(false);
        let last = self.searched;
        let at = |step: usize, node: u32| {
            let known = self.steps.known(step, Signal::of(node));
            known.is_some_and(value)
        };
        let mut trace = run_of(&self.steps, self.netlist, last);
        let chosen = self
            .steps
            .switches()
            .find(|(_, switches)| value(switches.cut));
        // Without a cut there is no run: the property holds on the original.
        let site = chosen.map_or(0, |(site, _)| site);
        let held = chosen.filter(|_| stuck).and_then(|(_, switches)| {
            let mut held = switches.all_held();
            held.find(|(_, lit)| value(*lit))
        });
        let criterion = held.map_or(Criterion::Nondet, |(criterion, _)| criterion);
        if criterion == Criterion::Nondet {
            let nodes = self.sites.nodes(site);
            let values: Vec<Vec<bool>> = nodes
                .iter()
                .map(|node| (0..=last).map(|step| at(step, *node)).collect())
                .collect();
            trace = self.netlist.cut_trace(&trace, nodes, &values);
        }
        CutRun {
            cut: Cut { site, criterion },
            trace,
        }
    }
}

/// The run of a solver's model from an initial state, up to a step: what nobody asked about is false.
pub fn run_of(steps: &CutSteps<'_, Solver>, netlist: &Netlist, last: usize) -> BitTrace {
    let at = |step: usize, node: u32| {
        let known = steps.known(step, Signal::of(node));
        known.is_some_and(|lit| steps.solver.value(lit) == Some(true))
    };
    let latches = netlist.latches.iter();
    let inputs = |step: usize| {
        let inputs = netlist.inputs.iter();
        inputs.map(|node| at(step, *node)).collect()
    };
    BitTrace {
        latches: latches
            .map(|latch| latch.init.value().unwrap_or_else(|| at(0, latch.node)))
            .collect(),
        inputs: (0..=last).map(inputs).collect(),
    }
}
