//! Algorithm 1 (COVERAGECHECKS) of Chockler, Kroening and Purandare (2010) as printed, for comparison.
//!
//! The property is proved by interpolation on the netlist with a switch a site, all of them off: the set of
//! states `R` grows by the interpolant of each refutation until it grows no more, at the bound `k`, after `m`
//! steps. Then come the five tests: CORE (sites whose switches the last refutation does not need),
//! COUNTEREXAMPLE (runs of up to `k + m` steps, a cut a question), INDUCTION (the clauses alone with which
//! `R` was refuted to be left), INDUCTIONRESTART (all clauses) and INTERPOLATION on the cut netlist. No
//! criterion says anything about another, no run is tried on another cut.
//!
//! The paper leaves mutations out that touch initial states; a cut output or gate may touch them and the
//! failure states as well. A cut that these tests acquit counts when `R` is audited on the cut netlist, and
//! where the paper's argument applies an audit that fails is an error.
//!
//! A bad state counts at the steps that the constraints accept a run up to, whatever becomes of it
//! afterwards.

use super::board::{Board, Certificate, CutRun};
use super::counterexample::run_of;
use super::{Progress, Test};
use crate::netlist::NetlistVerdict;
use crate::verify::VerifyError;
use proofmark_audit::cuts::{ClauseSink, Cut, CutSteps, FirstStep};
use proofmark_audit::{Audit, audit_bit_proof};
use proofmark_engine::EngineName;
use proofmark_engine::bits::{BitLimits, BitVerdict, check_bad, take_interpolant};
use proofmark_model::graph::{
    BitProof, BitTrace, Criterion, CutPlace, CutSites, Kind, Netlist, Region, Signal,
};
use proofmark_solve::Budget;
use proofmark_solve::sat::interpolant::{Side, Split, interpolate};
use proofmark_solve::sat::{Answer, ClauseId, Lit, ProofLog, Solver, Var};
use rustc_hash::FxHashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What one question of the tests INDUCTION and INDUCTIONRESTART may cost, in conflicts.
const EFFORT: u64 = 20_000;

/// Where the model checker of the paper ended.
pub struct Fixpoint {
    /// The states of the invariant.
    region: Region,
    /// The bound of the last refutation.
    k: usize,
    /// How many images were taken at it.
    m: usize,
    /// The sites whose switches the last refutation needs.
    core: FxHashSet<usize>,
}

impl Fixpoint {
    /// The proof that the states are.
    pub fn proof(&self) -> BitProof {
        BitProof {
            k: 1,
            clauses: Vec::new(),
            region: Some(Box::new(self.region.clone())),
        }
    }
}

/// What the model checker of the paper says of the property.
pub enum Checked {
    /// It holds.
    Holds(Box<Fixpoint>),
    /// It does not.
    Fails(BitTrace),
    /// The constraints accept no run that is worth speaking of.
    Vacuous(String),
    /// The time was up.
    Open,
}

/// Lines 2 and 3: interpolation on the netlist with switches.
pub fn check(board: &Board<'_>, progress: &Progress<'_>) -> Checked {
    let mut images = Images {
        board,
        progress,
        region: initial(board.netlist),
    };
    images.fixpoint().unwrap_or(Checked::Open)
}

/// Lines 4 to 29 on the cuts of a property that holds. Whether its proof was confirmed.
pub fn tests(
    board: &mut Board<'_>,
    fixpoint: &Fixpoint,
    progress: &Progress<'_>,
) -> Result<bool, VerifyError> {
    if !core(board, fixpoint, progress)? {
        return Ok(false);
    }
    counterexample(board, fixpoint, progress)?;
    induction(board, fixpoint, progress)?;
    interpolation(board, progress)?;
    Ok(true)
}

/// The end of a solver's time.
struct Stopped;

/// The images of the initial states.
struct Images<'i, 'n> {
    board: &'i Board<'n>,
    progress: &'i Progress<'i>,
    /// What was reached, and more.
    region: Region,
}

/// What one refutation came to.
enum Image {
    /// The states after a step are among these, and the sites that this needs.
    Among(Signal, FxHashSet<usize>),
    Bad(BitTrace),
}

impl Images<'_, '_> {
    fn fixpoint(&mut self) -> Result<Checked, Stopped> {
        if let Image::Bad(trace) = self.image(FirstStep::Initial, 0)? {
            return Ok(Checked::Fails(trace));
        }
        for k in 1.. {
            self.region = initial(self.board.netlist);
            let mut first = FirstStep::Initial;
            for m in 0.. {
                match (self.image(first, k)?, first) {
                    (Image::Bad(trace), FirstStep::Initial) => return Ok(Checked::Fails(trace)),
                    (Image::Bad(_), FirstStep::Anywhere) => break,
                    (Image::Among(next, core), _) => {
                        if first == FirstStep::Anywhere && self.is_known(next)? {
                            return Ok(Checked::Holds(Box::new(Fixpoint {
                                region: self.region.clone(),
                                k,
                                m,
                                core,
                            })));
                        }
                        let graph = &mut self.region.netlist.graph;
                        self.region.holds = graph.or(self.region.holds, next);
                        first = FirstStep::Anywhere;
                    }
                }
            }
        }
        Err(Stopped)
    }

    fn solver(&self) -> Result<Solver, Stopped> {
        if self.progress.limits.interrupt.is_set() || self.progress.left().is_zero() {
            return Err(Stopped);
        }
        let mut solver = Solver::new();
        solver.set_interrupt(self.progress.limits.interrupt.clone());
        solver.set_budget(Budget {
            effort: None,
            time: Some(self.progress.left()),
        });
        Ok(solver)
    }

    /// Whether a run from the states is bad after one to `k` steps, or at once when `k` is 0; otherwise what
    /// its first step reaches. Formula (2): the first step is one side, the rest and that all switches are
    /// off is the other.
    fn image(&mut self, first: FirstStep, k: usize) -> Result<Image, Stopped> {
        let log = Arc::new(Mutex::new(ProofLog::default()));
        let mut solver = self.solver()?;
        solver.log_proof(Arc::clone(&log));
        let netlist = self.board.netlist;
        let mut runs = Runs::new(netlist, self.board.sites, first, solver);
        if first == FirstStep::Anywhere {
            let inside = runs.steps.region(0, &self.region);
            runs.steps.solver.add_clause(&[inside]);
        }
        let begins = runs.accepted(0);
        runs.steps.solver.add_clause(&[begins]);
        let mut between: Vec<Lit> = Vec::new();
        if k > 0 {
            runs.steps.extend_freely();
            let latches = netlist.latches.iter();
            between.extend(latches.map(|latch| runs.steps.lit(1, Signal::of(latch.node))));
        }
        let truth = runs.steps.truth();
        let second_side: ClauseId = runs.steps.solver.add_clause(&[truth]);
        let bads = runs.bads(self.board.bad, if k == 0 { 0..=0 } else { 1..=k });
        runs.steps.solver.add_clause(&bads);
        let off: Vec<(usize, Lit)> = runs.off(None);
        let assumptions: Vec<Lit> = off.iter().map(|(_, lit)| *lit).collect();
        match runs.steps.solver.solve(&assumptions) {
            Answer::Unknown => Err(Stopped),
            Answer::Satisfiable => {
                let at = |lit: &Lit| runs.steps.solver.value(*lit) == Some(true);
                let last = bads.iter().position(at).unwrap_or(0) + usize::from(k > 0);
                Ok(Image::Bad(run_of(&runs.steps, netlist, last)))
            }
            Answer::Unsatisfiable if k == 0 => Ok(Image::Among(Signal::TRUE, FxHashSet::default())),
            Answer::Unsatisfiable => {
                let needed: FxHashSet<Lit> = runs.steps.solver.core().iter().copied().collect();
                let core = off.iter().filter(|(_, lit)| needed.contains(lit));
                let core = core.map(|(site, _)| *site).collect();
                let split = Split {
                    clauses: |id| if id < second_side { Side::A } else { Side::B },
                    assumptions: |_| Side::B,
                };
                let conclusion = runs.steps.solver.conclusion().ok_or(Stopped)?;
                let log = log.lock().unwrap_or_else(PoisonError::into_inner);
                let found = interpolate(&log, conclusion, &split).ok_or(Stopped)?;
                // Besides latches it may speak of switches, which are off. A latch whose literal is shared
                // with another is its equal or its complement, so that either may stand for the literal.
                let region = &mut self.region.netlist;
                let latch = |region: &Netlist, var: Var| {
                    if var == truth.var() {
                        return Signal::constant(truth.is_positive());
                    }
                    let at = between.iter().position(|lit| lit.var() == var);
                    at.map_or(Signal::FALSE, |at| {
                        let complemented = !between[at].is_positive();
                        Signal::of(region.inputs[at]).complement_if(complemented)
                    })
                };
                Ok(Image::Among(take_interpolant(region, &found, latch), core))
            }
        }
    }

    /// Whether all of these states are in the region already.
    fn is_known(&mut self, next: Signal) -> Result<bool, Stopped> {
        let none = CutSites::default();
        let none = CutSites::new(self.board.netlist, none.place, Vec::new());
        let solver = self.solver()?;
        let mut steps = CutSteps::new(self.board.netlist, &none, FirstStep::Anywhere, solver);
        steps.extend_freely();
        let mut within = self.region.clone();
        let graph = &mut within.netlist.graph;
        within.holds = graph.and(next, !self.region.holds);
        let new = steps.region(0, &within);
        match steps.solver.solve(&[new]) {
            Answer::Unknown => Err(Stopped),
            answer => Ok(answer == Answer::Unsatisfiable),
        }
    }
}

/// Runs of the netlist with switches, in which every step is known to be accepted or not.
struct Runs<'n, S> {
    steps: CutSteps<'n, S>,
    netlist: &'n Netlist,
}

impl<'n, S: ClauseSink> Runs<'n, S> {
    fn new(netlist: &'n Netlist, sites: &'n CutSites, first: FirstStep, solver: S) -> Self {
        let mut steps = CutSteps::new(netlist, sites, first, solver);
        steps.extend_freely();
        Runs { steps, netlist }
    }

    /// The constraints of one step.
    fn accepted(&mut self, step: usize) -> Lit {
        let mut all = self.steps.truth();
        for constraint in &self.netlist.constraints {
            let holds = self.steps.lit(step, *constraint);
            all = self.steps.and(all, holds);
        }
        all
    }

    /// For each step of a range that a run is bad there and accepted up to there; the steps before the range
    /// are accepted anyway.
    fn bads(&mut self, bad: usize, range: std::ops::RangeInclusive<usize>) -> Vec<Lit> {
        let mut accepted = self.steps.truth();
        let mut bads = Vec::new();
        for step in range {
            while self.steps.len() <= step {
                self.steps.extend_freely();
            }
            let here = self.accepted(step);
            accepted = self.steps.and(accepted, here);
            let bad = self.steps.lit(step, self.netlist.bads[bad].signal);
            bads.push(self.steps.and(accepted, bad));
        }
        bads
    }

    /// The literals that say that no site is cut, but for one.
    fn off(&self, except: Option<usize>) -> Vec<(usize, Lit)> {
        let others = self.steps.switches();
        let others = others.filter(|(site, _)| Some(*site) != except);
        others
            .map(|(site, switches)| (site, !switches.cut))
            .collect()
    }

    /// The literals that cut one site: `SEL_v`.
    fn select(&self, cut: Cut) -> Vec<Lit> {
        let mut lits: Vec<Lit> = self.off(Some(cut.site)).iter().map(|one| one.1).collect();
        let switches = self.steps.switches_of(cut.site);
        lits.extend(switches.iter().flat_map(|one| one.on(cut.criterion)));
        lits
    }
}

/// CORE: sites whose switches the last refutation does not need.
fn core(
    board: &mut Board<'_>,
    fixpoint: &Fixpoint,
    progress: &Progress<'_>,
) -> Result<bool, VerifyError> {
    let begin = Instant::now();
    let unused = (0..board.sites.len()).filter(|site| !fixpoint.core.contains(site));
    let unused: Vec<usize> = unused.collect();
    let proof = fixpoint.proof();
    // The original with nothing cut is the proof of the property itself.
    if !confirmed(board, &[], Criterion::Nondet, &proof, progress)? {
        return Ok(false);
    }
    board.certify(Certificate {
        sites: Vec::new(),
        criterion: Criterion::Nondet,
        proof: proof.clone(),
    });
    let together = confirmed(board, &unused, Criterion::Nondet, &proof, progress)?;
    let groups: Vec<Vec<usize>> = match together {
        true => vec![unused],
        // Some of them touch initial or failure states: each by itself.
        false => unused.into_iter().map(|site| vec![site]).collect(),
    };
    for sites in groups {
        if !together && !confirmed(board, &sites, Criterion::Nondet, &proof, progress)? {
            continue;
        }
        let cost = begin.elapsed() / (3 * sites.len().max(1)) as u32;
        let certificate = board.certify(Certificate {
            sites: sites.clone(),
            criterion: Criterion::Nondet,
            proof: proof.clone(),
        });
        for site in sites {
            for criterion in Criterion::ALL {
                board.acquit(Cut { site, criterion }, Test::Core, cost, certificate);
            }
        }
    }
    Ok(true)
}

/// Whether the paper's argument applies to a cut: it touches neither initial nor failure states.
fn applies(board: &Board<'_>, sites: &[usize]) -> bool {
    let is_latch = |node: &u32| matches!(board.netlist.graph.kind(*node), Kind::Latch(_));
    let latches = |site: &usize| board.sites.nodes(*site).iter().all(is_latch);
    // A constraint of the netlist is a part of every step, and the paper has none.
    board.sites.place == CutPlace::Next
        && board.netlist.constraints.is_empty()
        && sites.iter().all(latches)
}

/// Whether the auditor follows a proof on the netlist with these sites cut.
fn confirmed(
    board: &Board<'_>,
    sites: &[usize],
    criterion: Criterion,
    proof: &BitProof,
    progress: &Progress<'_>,
) -> Result<bool, VerifyError> {
    let cut = board.sites.cut(board.netlist, sites, criterion);
    match board.audited(|| audit_bit_proof(&cut, board.bad, proof, progress.audit)) {
        Audit::Passed { .. } => Ok(true),
        Audit::Failed { what } if applies(board, sites) || sites.is_empty() => {
            Err(VerifyError::Audit {
                property: board.netlist.bads[board.bad].name.clone(),
                what: format!("sites {sites:?}, {}: {what}", criterion.as_str()),
            })
        }
        Audit::Failed { .. } | Audit::Unknown { .. } => Ok(false),
    }
}

/// COUNTEREXAMPLE: a run of up to `k + m` steps, for each cut.
fn counterexample(
    board: &mut Board<'_>,
    fixpoint: &Fixpoint,
    progress: &Progress<'_>,
) -> Result<(), VerifyError> {
    let mut solver = Solver::new();
    solver.set_interrupt(progress.limits.interrupt.clone());
    let (netlist, sites) = (board.netlist, board.sites);
    let mut runs = Runs::new(netlist, sites, FirstStep::Initial, solver);
    let last = fixpoint.k + fixpoint.m;
    let bads = runs.bads(board.bad, 0..=last);
    runs.steps.solver.add_clause(&bads);
    for cut in board.open(&Criterion::ALL) {
        if progress.is_over(board) {
            return Ok(());
        }
        let begin = Instant::now();
        runs.steps.solver.set_budget(Budget {
            effort: None,
            time: Some(progress.left().min(progress.per_cut())),
        });
        let selected = runs.select(cut);
        if runs.steps.solver.solve(&selected) != Answer::Satisfiable {
            continue;
        }
        let bad = |lit: &Lit| runs.steps.solver.value(*lit) == Some(true);
        let step = bads.iter().position(bad).unwrap_or(last);
        let mut trace = run_of(&runs.steps, netlist, step);
        if cut.criterion == Criterion::Nondet {
            let value = |at: usize, node: u32| {
                let known = runs.steps.known(at, Signal::of(node));
                known.is_some_and(|lit| runs.steps.solver.value(lit) == Some(true))
            };
            let nodes = sites.nodes(cut.site);
            let values = nodes
                .iter()
                .map(|node| (0..=step).map(|at| value(at, *node)).collect());
            let values: Vec<Vec<bool>> = values.collect();
            trace = netlist.cut_trace(&trace, nodes, &values);
        }
        board.cover(CutRun { cut, trace }, Test::Counterexample, begin.elapsed())?;
    }
    Ok(())
}

/// A solver that remembers its clauses.
struct Recorder {
    solver: Solver,
    clauses: Vec<(ClauseId, Vec<Lit>)>,
}

impl ClauseSink for Recorder {
    fn new_var(&mut self) -> Var {
        self.solver.new_var()
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        let id = self.solver.add_clause(clause);
        self.clauses.push((id, clause.to_vec()));
    }
}

/// INDUCTION and INDUCTIONRESTART: whether the states are left in one step, first by the clauses that were
/// needed to refute it with all switches off (Formula 4), then by all of them (Formula 5).
fn induction(
    board: &mut Board<'_>,
    fixpoint: &Fixpoint,
    progress: &Progress<'_>,
) -> Result<(), VerifyError> {
    let log = Arc::new(Mutex::new(ProofLog::default()));
    let mut solver = Solver::new();
    solver.log_proof(Arc::clone(&log));
    solver.set_interrupt(progress.limits.interrupt.clone());
    let recorder = Recorder {
        solver,
        clauses: Vec::new(),
    };
    let mut runs = Runs::new(board.netlist, board.sites, FirstStep::Anywhere, recorder);
    runs.steps.extend_freely();
    let inside = runs.steps.region(0, &fixpoint.region);
    let after = runs.steps.region(1, &fixpoint.region);
    let (here, there) = (runs.accepted(0), runs.accepted(1));
    for lit in [inside, here, there, !after] {
        runs.steps.solver.add_clause(&[lit]);
    }
    let off: Vec<Lit> = runs.off(None).iter().map(|one| one.1).collect();
    let recorder = &mut runs.steps.solver;
    recorder.solver.set_budget(Budget {
        effort: None,
        time: Some(progress.left()),
    });
    if recorder.solver.solve(&off) == Answer::Unsatisfiable {
        let needed = {
            let log = log.lock().unwrap_or_else(PoisonError::into_inner);
            needed_clauses(&log, recorder.solver.conclusion())
        };
        let mut few = Solver::new();
        few.set_interrupt(progress.limits.interrupt.clone());
        for _ in 0..recorder.solver.variables() {
            few.new_var();
        }
        let clauses = recorder.clauses.iter();
        for (_, clause) in clauses.filter(|(id, _)| needed.contains(id)) {
            few.add_clause(clause);
        }
        inductive(board, fixpoint, progress, Test::Induction, &mut |cut| {
            refutes(&mut few, &runs.select(cut))
        })?;
    }
    inductive(board, fixpoint, progress, Test::Restart, &mut |cut| {
        let selected = runs.select(cut);
        refutes(&mut runs.steps.solver.solver, &selected)
    })
}

fn refutes(solver: &mut Solver, assumptions: &[Lit]) -> bool {
    solver.set_budget(Budget {
        effort: Some(EFFORT),
        time: None,
    });
    solver.solve(assumptions) == Answer::Unsatisfiable
}

/// One of the two tests on every cut that is open.
fn inductive(
    board: &mut Board<'_>,
    fixpoint: &Fixpoint,
    progress: &Progress<'_>,
    test: Test,
    refutes: &mut dyn FnMut(Cut) -> bool,
) -> Result<(), VerifyError> {
    for cut in board.open(&Criterion::ALL) {
        if progress.is_over(board) {
            return Ok(());
        }
        let begin = Instant::now();
        let proof = fixpoint.proof();
        if !refutes(cut) || !confirmed(board, &[cut.site], cut.criterion, &proof, progress)? {
            continue;
        }
        let certificate = board.certify(Certificate {
            sites: vec![cut.site],
            criterion: cut.criterion,
            proof,
        });
        board.acquit(cut, test, begin.elapsed(), certificate);
    }
    Ok(())
}

/// The clauses of the caller that a conclusion rests on.
fn needed_clauses(log: &ProofLog, conclusion: Option<ClauseId>) -> FxHashSet<ClauseId> {
    use proofmark_solve::sat::Step;
    let steps: Vec<Step<'_>> = log.steps().collect();
    let mut needed: FxHashSet<ClauseId> = conclusion.into_iter().collect();
    for step in steps.iter().rev() {
        if let Step::Derived { id, hints, .. } = step
            && needed.contains(id)
        {
            needed.extend(*hints);
        }
    }
    needed
}

/// INTERPOLATION: the engine on every cut netlist that is open.
fn interpolation(board: &mut Board<'_>, progress: &Progress<'_>) -> Result<(), VerifyError> {
    for cut in board.open(&Criterion::ALL) {
        if progress.is_over(board) {
            return Ok(());
        }
        let begin = Instant::now();
        let netlist = board.sites.cut(board.netlist, &[cut.site], cut.criterion);
        let limits = BitLimits {
            engines: vec![EngineName::Interpolation],
            jobs: 1,
            time: Some(progress.left().min(progress.per_cut())),
            interrupt: progress.limits.interrupt.clone(),
        };
        match check_bad(&netlist, board.bad, &limits, &mut |_, _| ()).verdict {
            BitVerdict::Unknown { .. } => {}
            BitVerdict::Invalid { trace, .. } => {
                board.cover(CutRun { cut, trace }, Test::Interpolation, begin.elapsed())?;
            }
            BitVerdict::Valid { proof, .. } => {
                match board.audited(|| audit_bit_proof(&netlist, board.bad, &proof, progress.audit))
                {
                    Audit::Passed { .. } => {}
                    Audit::Unknown { .. } => continue,
                    Audit::Failed { what } => {
                        return Err(VerifyError::Audit {
                            property: board.netlist.bads[board.bad].name.clone(),
                            what: format!("site {}, {}: {what}", cut.site, cut.criterion.as_str()),
                        });
                    }
                }
                let certificate = board.certify(Certificate {
                    sites: vec![cut.site],
                    criterion: cut.criterion,
                    proof,
                });
                board.acquit(cut, Test::Interpolation, begin.elapsed(), certificate);
            }
        }
    }
    Ok(())
}

/// What the paper's model checker found, as a verdict.
pub fn verdict(checked: &Checked) -> NetlistVerdict {
    let engine = EngineName::Interpolation;
    match checked {
        Checked::Holds(fixpoint) => NetlistVerdict::Valid {
            proof: fixpoint.proof(),
            engine,
        },
        Checked::Fails(trace) => NetlistVerdict::Invalid {
            trace: trace.clone(),
            engine,
        },
        Checked::Vacuous(why) => NetlistVerdict::Vacuous { why: why.clone() },
        Checked::Open => NetlistVerdict::Unknown {
            steps: 0,
            why: "the time is up".into(),
        },
    }
}

/// The initial states, as a function of all latches.
fn initial(netlist: &Netlist) -> Region {
    let mut function = Netlist::default();
    let latches = netlist.latches.iter();
    let begin = latches.filter_map(|latch| {
        let input = function.add_input();
        Some(input.complement_if(!latch.init.value()?))
    });
    let begin: Vec<Signal> = begin.collect();
    let holds = function.graph.and_all(&begin);
    Region {
        netlist: function,
        latches: (0..netlist.latches.len() as u32).collect(),
        holds,
    }
}
