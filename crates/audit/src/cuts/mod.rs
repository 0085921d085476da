//! Checks a proof of a netlist on every netlist that a cut makes of it.
//!
//! A proof is a set of claims: the property, clauses over latches, perhaps a region. Each is asked about
//! by itself, under assumptions: that the other claims held before, and that sites are not cut. The
//! assumptions that an answer needs are its core. An answer is one for every cut netlist whose
//! assumptions include the core, so that most questions about thousands of cut netlists are answered by a
//! few about the original. Every answer is confirmed by the checker of LRAT proofs before anything rests
//! on it; what has no answer in time counts as not shown.

mod steps;

use crate::lrat::{CheckedSolver, Unconfirmed};
use proofmark_model::graph::{
    BitProof, Criterion, CutPlace, CutSites, Kind, Netlist, Region, Signal,
};
use proofmark_solve::sat::Lit;
use proofmark_solve::{Budget, Interrupt};
use std::collections::BTreeSet;
pub use steps::{ClauseSink, CutSteps, FirstStep, Switches};

/// A site, and how it is cut.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Cut {
    /// By position among the sites.
    pub site: usize,
    /// What it becomes.
    pub criterion: Criterion,
}

/// What a proof consists of.
enum Claim {
    /// The bad signal is false.
    Safe(Signal),
    Clause(Vec<Signal>),
    Region(Box<Region>),
}

/// The property is the first claim.
const SAFE: usize = 0;

/// What an answer about a claim needs.
#[derive(Clone, Debug)]
struct Core {
    /// Claims that held before.
    claims: Vec<usize>,
    /// Sites that are not cut.
    sites: Vec<usize>,
    /// Whether it needs that the cut is the one that was asked about.
    needs_cut: bool,
}

/// How a proof was shown to hold on a cut netlist, from what is easy to see to what is not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum How {
    /// No answer needs the site.
    Core,
    /// Each claim follows from those from which it follows in the original.
    Induction,
    /// All claims are inductive together.
    Restart,
    /// Some claims are not, and the others suffice.
    Houdini,
}

/// Why a proof holds on a cut netlist.
#[derive(Clone, Debug)]
pub struct Sustained {
    /// How it was found.
    pub how: How,
    /// The claims that are needed, by position; the property is among them.
    pub claims: Vec<usize>,
    /// The sites that must not be cut besides.
    pub sites: BTreeSet<usize>,
}

/// A proof, with the questions that were answered about it.
pub struct CutProver<'n> {
    sites: &'n CutSites,
    k: usize,
    claims: Vec<Claim>,
    /// For every claim: it holds in all steps before the last.
    held: Vec<Lit>,
    base: CutSteps<'n, CheckedSolver>,
    step: CutSteps<'n, CheckedSolver>,
    /// One step by itself, in which the constraints of no later one are assumed; and what `held` is to
    /// `step`.
    now: CutSteps<'n, CheckedSolver>,
    holds_now: Vec<Lit>,
    /// For every claim some cores, that of the original first.
    known: Vec<Vec<Core>>,
    /// A question about a clause can only need the switches of its own latches.
    local: bool,
    /// How many questions were asked.
    pub questions: u64,
}

/// So many cores are kept of a claim.
const CORES: usize = 6;

impl<'n> CutProver<'n> {
    /// The claims of a proof that a bad signal is never true. The proof speaks of latches of the netlist.
    pub fn new(
        netlist: &'n Netlist,
        sites: &'n CutSites,
        bad: Signal,
        proof: &BitProof,
    ) -> CutProver<'n> {
        let mut claims = vec![Claim::Safe(bad)];
        claims.extend(proof.clauses.iter().cloned().map(Claim::Clause));
        claims.extend(proof.region.clone().map(Claim::Region));
        let k = proof.k.max(1) as usize;
        let steps = |first, count| {
            let mut steps = CutSteps::new(netlist, sites, first, CheckedSolver::new());
            (0..count).for_each(|_| steps.extend());
            steps
        };
        let is_latch = |node: &u32| matches!(netlist.graph.kind(*node), Kind::Latch(_));
        let only_latches = (0..sites.len()).all(|site| sites.nodes(site).iter().all(is_latch));
        let mut prover = CutProver {
            sites,
            k,
            held: Vec::new(),
            known: vec![Vec::new(); claims.len()],
            claims,
            base: steps(FirstStep::Initial, k),
            step: steps(FirstStep::Anywhere, k + 1),
            now: steps(FirstStep::Anywhere, 1),
            holds_now: Vec::new(),
            local: only_latches
                && sites.place == CutPlace::Next
                && k == 1
                && netlist.constraints.is_empty(),
            questions: 0,
        };
        prover.suppose();
        prover
    }

    /// Gives every claim the literal that says that it held.
    fn suppose(&mut self) {
        for claim in 0..self.claims.len() {
            let held = self.step.solver.new_var().positive();
            for step in 0..self.k {
                let mut clause = holds(&self.claims[claim], &mut self.step, step);
                clause.push(!held);
                self.step.solver.add_clause(&clause);
            }
            self.held.push(held);
            let held = self.now.solver.new_var().positive();
            let mut clause = holds(&self.claims[claim], &mut self.now, 0);
            clause.push(!held);
            self.now.solver.add_clause(&clause);
            self.holds_now.push(held);
        }
    }

    /// Stops the solvers when the interrupt is set.
    pub fn set_interrupt(&mut self, interrupt: &Interrupt) {
        self.base.solver.solver().set_interrupt(interrupt.clone());
        self.step.solver.solver().set_interrupt(interrupt.clone());
        self.now.solver.solver().set_interrupt(interrupt.clone());
    }

    /// What one question may cost.
    pub fn set_budget(&mut self, budget: Budget) {
        self.base.solver.solver().set_budget(budget);
        self.step.solver.solver().set_budget(budget);
        self.now.solver.solver().set_budget(budget);
    }

    /// Whether the claims are inductive in one step, and clauses all of them but the property.
    pub fn is_simple(&self) -> bool {
        let region = |claim: &Claim| matches!(claim, Claim::Region(_));
        self.k == 1 && !self.claims.iter().any(region)
    }

    /// The clauses among some claims.
    pub fn clauses(&self, claims: &[usize]) -> Vec<Vec<Signal>> {
        let clauses = claims
            .iter()
            .filter_map(|claim| match &self.claims[*claim] {
                Claim::Clause(clause) => Some(clause.clone()),
                _ => None,
            });
        clauses.collect()
    }

    /// The proof that some claims are.
    pub fn proof(&self, claims: &[usize]) -> BitProof {
        let region = claims.iter().find_map(|claim| match &self.claims[*claim] {
            Claim::Region(region) => Some(region.clone()),
            _ => None,
        });
        BitProof {
            k: self.k as u32,
            clauses: self.clauses(claims),
            region,
        }
    }

    /// Whether the property follows, with these sites cut, from claims that are inductive together. The
    /// claims that the property needs are looked at, and no others. Without an answer: nothing.
    pub fn sustain(&mut self, cuts: &[Cut]) -> Result<Option<Sustained>, Unconfirmed> {
        let mut effort = Attempt::new(self.claims.len());
        if !self.work_off(&mut effort, vec![SAFE], cuts)? {
            return Ok(None);
        }
        // What was needed for a while and is no longer is left out.
        let mut needed = BTreeSet::new();
        let mut sites = BTreeSet::new();
        let mut stack = vec![SAFE];
        while let Some(claim) = stack.pop() {
            if !needed.insert(claim) {
                continue;
            }
            if let Some(core) = &effort.cores[claim] {
                stack.extend(&core.claims);
                sites.extend(&core.sites);
            }
        }
        Ok(Some(Sustained {
            how: effort.how,
            claims: needed.into_iter().collect(),
            sites,
        }))
    }

    /// The claims other than the property that are inductive together with these sites cut.
    pub fn inductive(&mut self, cuts: &[Cut]) -> Result<Vec<usize>, Unconfirmed> {
        let mut effort = Attempt::new(self.claims.len());
        // The property is no support: it may fail.
        effort.alive[SAFE] = false;
        self.work_off(&mut effort, (1..self.claims.len()).collect(), cuts)?;
        Ok((1..self.claims.len())
            .filter(|claim| effort.alive[*claim])
            .collect())
    }

    /// Proves the claims that wait and all that they need; those that cannot be are given up. Whether
    /// the property is still standing, if it was needed.
    fn work_off(
        &mut self,
        attempt: &mut Attempt,
        mut waiting: Vec<usize>,
        cuts: &[Cut],
    ) -> Result<bool, Unconfirmed> {
        while let Some(claim) = waiting.pop() {
            if !attempt.alive[claim] || attempt.is_proved(claim) {
                continue;
            }
            match self.support(attempt, claim, cuts)? {
                Some(core) => {
                    waiting.extend(&core.claims);
                    attempt.cores[claim] = Some(core);
                }
                None if claim == SAFE => return Ok(false),
                None => {
                    attempt.alive[claim] = false;
                    attempt.how = How::Houdini;
                    let rests = |core: &Option<Core>| {
                        core.as_ref()
                            .is_some_and(|core| core.claims.contains(&claim))
                    };
                    let orphans = (0..self.claims.len()).filter(|one| rests(&attempt.cores[*one]));
                    let orphans: Vec<usize> = orphans.collect();
                    waiting.extend(&orphans);
                }
            }
        }
        Ok(true)
    }

    /// What a claim follows from: a core that is known, the claims of that of the original, or all.
    fn support(
        &mut self,
        attempt: &mut Attempt,
        claim: usize,
        cuts: &[Cut],
    ) -> Result<Option<Core>, Unconfirmed> {
        let applies = |core: &&Core| {
            core.claims.iter().all(|one| attempt.alive[*one])
                && core
                    .sites
                    .iter()
                    .all(|site| cuts.iter().all(|cut| cut.site != *site))
        };
        if let Some(core) = self.known[claim].iter().find(applies) {
            return Ok(Some(core.clone()));
        }
        if let Some(first) = self.known[claim].first() {
            let before = first.claims.iter().copied();
            let before: Vec<usize> = before.filter(|one| attempt.alive[*one]).collect();
            if let Some(core) = self.prove(claim, &before, cuts)? {
                attempt.how = attempt.how.max(How::Induction);
                return Ok(Some(core));
            }
        }
        let alive = (0..self.claims.len()).filter(|one| attempt.alive[*one]);
        let alive: Vec<usize> = alive.collect();
        let core = self.prove(claim, &alive, cuts)?;
        if core.is_some() && !cuts.is_empty() {
            attempt.how = attempt.how.max(How::Restart);
        }
        Ok(core)
    }

    /// Asks whether a claim holds at first and after the others.
    fn prove(
        &mut self,
        claim: usize,
        others: &[usize],
        cuts: &[Cut],
    ) -> Result<Option<Core>, Unconfirmed> {
        let core = match self.follows_now(claim, others, cuts)? {
            Some(core) => Some(core),
            None => self.follows_later(claim, others, cuts)?,
        };
        if let Some(core) = core.as_ref().filter(|core| !core.needs_cut) {
            let known = &mut self.known[claim];
            known.truncate(CORES - 1);
            known.push(core.clone());
        }
        Ok(core)
    }

    /// The property may follow from the other claims of the same state: then they say all about it.
    fn follows_now(
        &mut self,
        claim: usize,
        others: &[usize],
        cuts: &[Cut],
    ) -> Result<Option<Core>, Unconfirmed> {
        if claim != SAFE || self.k != 1 {
            return Ok(None);
        }
        let violated = violated(&self.claims[claim], &mut self.now, 0);
        let others: Vec<usize> = others.iter().copied().filter(|one| *one != SAFE).collect();
        let mut core = Core::nothing();
        self.questions += 1;
        let asked = Question {
            others: &others,
            held: &self.holds_now,
            cuts,
            about: None,
        };
        Ok(asked
            .put(&mut self.now, &violated, &mut core)?
            .then_some(core))
    }

    fn follows_later(
        &mut self,
        claim: usize,
        others: &[usize],
        cuts: &[Cut],
    ) -> Result<Option<Core>, Unconfirmed> {
        let about = match (&self.claims[claim], self.local) {
            (Claim::Clause(clause), true) => {
                let sites = clause.iter().filter_map(|lit| self.sites.of(lit.node()));
                Some(sites.collect::<Vec<usize>>())
            }
            _ => None,
        };
        let mut core = Core::nothing();
        self.questions += 1;
        for step in 0..self.k {
            let violated = violated(&self.claims[claim], &mut self.base, step);
            let asked = Question {
                others: &[],
                held: &self.held,
                cuts,
                about: about.as_deref(),
            };
            if !asked.put(&mut self.base, &violated, &mut core)? {
                return Ok(None);
            }
        }
        let violated = violated(&self.claims[claim], &mut self.step, self.k);
        let asked = Question {
            others,
            held: &self.held,
            cuts,
            about: about.as_deref(),
        };
        Ok(asked
            .put(&mut self.step, &violated, &mut core)?
            .then_some(core))
    }
}

/// What was found on the way to a proof on one cut netlist.
struct Attempt {
    alive: Vec<bool>,
    cores: Vec<Option<Core>>,
    how: How,
}

impl Attempt {
    fn new(claims: usize) -> Attempt {
        Attempt {
            alive: vec![true; claims],
            cores: vec![None; claims],
            how: How::Core,
        }
    }

    /// Whether the claim has a core of claims that all stand.
    fn is_proved(&self, claim: usize) -> bool {
        let core = self.cores[claim].as_ref();
        core.is_some_and(|core| core.claims.iter().all(|one| self.alive[*one]))
    }
}

impl Core {
    fn nothing() -> Core {
        Core {
            claims: Vec::new(),
            sites: Vec::new(),
            needs_cut: false,
        }
    }
}

/// One question: can this be violated, when these claims held and these sites are cut?
struct Question<'q> {
    others: &'q [usize],
    held: &'q [Lit],
    cuts: &'q [Cut],
    /// The sites that can matter, where somebody knows.
    about: Option<&'q [usize]>,
}

impl Question<'_> {
    /// Whether it cannot; what that needs is added to the core.
    fn put(
        &self,
        steps: &mut CutSteps<'_, CheckedSolver>,
        violated: &[Lit],
        core: &mut Core,
    ) -> Result<bool, Unconfirmed> {
        let mut assumptions: Vec<Lit> = self.others.iter().map(|one| self.held[*one]).collect();
        let mut switches: Vec<(usize, Switches)> = match self.about {
            Some(sites) => {
                let known = sites.iter();
                known
                    .filter_map(|site| Some((*site, steps.switches_of(*site)?)))
                    .collect()
            }
            None => steps.switches().collect(),
        };
        let (on, off): (Vec<_>, Vec<_>) = switches
            .drain(..)
            .partition(|(site, _)| self.cuts.iter().any(|cut| cut.site == *site));
        assumptions.extend(off.iter().map(|(_, switches)| !switches.cut));
        let mut cut_on: Vec<Lit> = Vec::new();
        for (site, switches) in &on {
            for cut in self.cuts.iter().filter(|cut| cut.site == *site) {
                cut_on.extend(switches.on(cut.criterion));
            }
        }
        assumptions.extend(&cut_on);
        assumptions.extend(violated);
        let Some(found) = steps.solver.refute(&assumptions)? else {
            return Ok(false);
        };
        let found: rustc_hash::FxHashSet<Lit> = found.into_iter().collect();
        let claims = self
            .others
            .iter()
            .filter(|one| found.contains(&self.held[**one]));
        core.claims.extend(claims);
        let sites = off
            .iter()
            .filter(|(_, switches)| found.contains(&!switches.cut));
        core.sites.extend(sites.map(|(site, _)| *site));
        core.sites.sort_unstable();
        core.sites.dedup();
        core.needs_cut |= cut_on.iter().any(|lit| found.contains(lit));
        Ok(true)
    }
}

/// The clause that says that a claim holds at a step.
fn holds<S: ClauseSink>(claim: &Claim, steps: &mut CutSteps<'_, S>, step: usize) -> Vec<Lit> {
    match claim {
        Claim::Safe(bad) => vec![!steps.lit(step, *bad)],
        Claim::Clause(clause) => clause.iter().map(|one| steps.lit(step, *one)).collect(),
        Claim::Region(region) => vec![steps.region(step, region)],
    }
}

/// The literals that say that it does not.
fn violated<S: ClauseSink>(claim: &Claim, steps: &mut CutSteps<'_, S>, step: usize) -> Vec<Lit> {
    let holds = holds(claim, steps, step);
    holds.into_iter().map(|lit| !lit).collect()
}
