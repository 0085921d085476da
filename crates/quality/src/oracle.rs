//! Does a set of units suffice to prove the goal?
//!
//! The question behind every kind of core. It is asked many times about sets that are much alike,
//! so that whatever an answer taught is kept, and the cheap tests come first:
//!
//! 1. *known*: a core inside the set, or a stored run that breaks none of its units (see
//!    [`Run`](crate::Run)). No solver.
//! 2. *proof*: a proof at hand goes through with the set alone; its core may be smaller still.
//! 3. *run*: a run of very few steps violates the goal.
//! 4. *filtered*: of all invariants that ever helped, those that are still inductive prove it.
//! 5. *run*: a longer run violates the goal, found with little effort.
//! 6. *engines*: all engines on the part, within a budget.
//!
//! One solver holds the runs and one the inductions of each length; units take part by assumption, and
//! nothing is built twice. What no test decides is unknown, and said so.

use crate::goal::{ProofGoal, Set};
use crate::guarded::{Guarded, Root};
use crate::rotate::Rotation;
use crate::run::Run;
use proofmark_engine::{EngineName, EngineVerdict, Extension, Limits, Reducer, check, extend};
use proofmark_model::{
    CompileError, Invariant, Mentions, Program, Proof, Refutation, Sort, System, SystemError, Term,
    slice,
};
use proofmark_solve::{Answer, Budget, Interrupt, SolveError, Solver};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Makes a solver that has been told nothing yet.
pub type OpenSolver<'o> = dyn Fn() -> Result<Box<dyn Solver>, SolveError> + Sync + 'o;

/// What an analysis may use.
#[derive(Clone, Copy)]
pub struct Resources<'r> {
    /// Makes the solvers of the oracle and of the engines.
    pub open: &'r OpenSolver<'r>,
    /// The engines that may be asked when cheap tests fail.
    pub engines: &'r [EngineName],
    /// How many threads.
    pub jobs: usize,
    /// For the engines, each time that all else fails.
    pub budget: Duration,
    /// For everything.
    pub deadline: Option<Instant>,
    /// When set, everything ends with what is known.
    pub interrupt: &'r Interrupt,
}

/// What engines cost in a second, in their own units, on a machine that is slow or busy.
const COST_PER_SECOND: f64 = 2e6;

/// For the engines, each time that all else fails, when nobody says.
const BUDGET: Duration = Duration::from_secs(5);

impl<'r> Resources<'r> {
    /// What a check with these limits may use, from now on.
    pub fn new(open: &'r OpenSolver<'r>, limits: &'r Limits) -> Resources<'r> {
        let deadline = limits.time.map(|time| Instant::now().checked_add(time));
        Resources {
            open,
            engines: &limits.engines,
            jobs: limits.jobs,
            budget: BUDGET,
            deadline: deadline.flatten(),
            interrupt: &limits.interrupt,
        }
    }
}

impl Resources<'_> {
    /// Whether there is nothing left to use.
    pub fn exhausted(&self) -> bool {
        let over = |deadline| Instant::now() >= deadline;
        self.interrupt.is_set() || self.deadline.is_some_and(over)
    }

    /// What one question may take.
    pub fn time(&self) -> Duration {
        self.within(self.budget)
    }

    /// What so much time is as effort of the engines, where effort is what limits them: with one thread,
    /// so that the same run finds the same, however fast the machine is.
    pub(crate) fn effort(&self, time: Duration) -> Option<u64> {
        let effort = time.as_secs_f64() * COST_PER_SECOND;
        (self.jobs <= 1).then_some(effort as u64)
    }

    /// What is left for everything, if that is limited.
    pub fn left(&self) -> Option<Duration> {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        self.deadline.map(left)
    }

    /// So much, or what is left.
    pub(crate) fn within(&self, time: Duration) -> Duration {
        self.left().map_or(time, |left| time.min(left))
    }
}

/// What the oracle says of a set.
#[derive(Clone, Debug)]
pub enum Decision {
    /// The proof goes through with this part of the set.
    Suffices {
        /// The units that the proof used.
        core: Set,
        /// By its position in the oracle, for [`Oracle::proof`].
        proof: usize,
    },
    /// The run, by its position, breaks nothing of the set.
    Fails {
        /// For [`Oracle::run`].
        run: usize,
    },
    /// Nothing was found in time.
    Unknown {
        /// What ended the search, in words.
        why: String,
    },
}

/// What decided how many questions, and how many queries solvers answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// By former answers.
    pub known: u64,
    /// By a proof at hand.
    pub proof: u64,
    /// By a run of a few steps.
    pub run: u64,
    /// By the invariants that the set leaves inductive.
    pub filtered: u64,
    /// By the engines.
    pub engines: u64,
    /// By nothing: they stay open.
    pub unknown: u64,
    /// What the oracle's own solvers answered; the queries of engines are not counted.
    pub queries: u64,
}

/// Why there is no analysis.
#[derive(Debug)]
pub enum OracleError {
    /// A solver failed.
    Solve(SolveError),
    /// The simulator does not take the system.
    Compile(CompileError),
    /// A mutant, or mutants put side by side, make no system.
    System(SystemError),
    /// Something that was found does not stand: an internal error.
    Audit(String),
}

impl fmt::Display for OracleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OracleError::Solve(error) => error.fmt(f),
            OracleError::Compile(error) => error.fmt(f),
            OracleError::System(error) => error.fmt(f),
            OracleError::Audit(what) => write!(
                f,
                "internal error: an audit failed: {what}; this is a fault in Proofmark, please \
                 report it with the model"
            ),
        }
    }
}
impl std::error::Error for OracleError {}

impl From<SolveError> for OracleError {
    fn from(error: SolveError) -> OracleError {
        OracleError::Solve(error)
    }
}

impl From<CompileError> for OracleError {
    fn from(error: CompileError) -> OracleError {
        OracleError::Compile(error)
    }
}

impl From<SystemError> for OracleError {
    fn from(error: SystemError) -> OracleError {
        OracleError::System(error)
    }
}

/// For each query of the oracle itself.
const EFFORT: u64 = 50_000;
/// For all queries about runs of one set: what costs more is left to the engines, which need not prove
/// for each length that there is no run.
const RUN_EFFORT: u64 = 200;
/// In how many steps to look for runs at once, and before anything longer is known.
const FIRST_STEPS: u32 = 2;
const STEPS: u32 = 4;
/// How many of the latest proofs are tried on a set.
const PROOFS_TRIED: usize = 4;

/// Inductions of one depth: the goal holds in the first states, invariants by assumption.
struct Induction<'g> {
    guarded: Guarded<'g>,
    /// The literal of each invariant.
    assumed: FxHashMap<Term, Term>,
}

/// Decides whether a set of units suffices, and keeps whatever an answer taught.
pub struct Oracle<'g> {
    /// What the sets are about.
    pub goal: &'g ProofGoal,
    resources: Resources<'g>,
    /// Runs of each length, by their last step.
    runs: BTreeMap<u32, Guarded<'g>>,
    /// Sets of which no run violates the goal at a step, which goes for larger ones, too.
    safe: BTreeMap<u32, Vec<Set>>,
    inductions: BTreeMap<u32, Induction<'g>>,
    proofs: Vec<Proof>,
    /// For each proof sets with which it does not go through; neither does it with smaller ones.
    lacking: Vec<Vec<Set>>,
    /// Made when it is first needed.
    rotation: Option<Rotation<'g>>,
    /// Every invariant that a proof had.
    pool: Vec<Invariant>,
    stored: Vec<Run>,
    /// Sets that suffice, with their proofs.
    cores: Vec<(Set, usize)>,
    /// What the engines may take for a question.
    patience: Duration,
    /// How the questions so far were decided.
    pub counts: Counts,
}

impl<'g> Oracle<'g> {
    /// An oracle that starts from a proof of the goal with all units.
    pub fn new(
        goal: &'g ProofGoal,
        proof: &Proof,
        resources: Resources<'g>,
    ) -> Result<Oracle<'g>, OracleError> {
        let mut oracle = Oracle {
            goal,
            resources,
            runs: BTreeMap::new(),
            safe: BTreeMap::new(),
            inductions: BTreeMap::new(),
            proofs: Vec::new(),
            lacking: Vec::new(),
            rotation: None,
            pool: Vec::new(),
            stored: Vec::new(),
            cores: Vec::new(),
            patience: resources.budget,
            counts: Counts::default(),
        };
        let proof = oracle.with_least_depth(proof)?;
        let proof = match proof.invariants.is_empty() {
            true => proof,
            false => oracle.reduced(&proof)?,
        };
        oracle.keep(proof);
        Ok(oracle)
    }

    /// A proof that a decision named.
    pub fn proof(&self, proof: usize) -> &Proof {
        &self.proofs[proof]
    }

    /// A run that a decision named.
    pub fn run(&self, run: usize) -> &Run {
        &self.stored[run]
    }

    /// All runs that were found, in order.
    pub fn stored_runs(&self) -> &[Run] {
        &self.stored
    }

    /// Whether the time is up or an interrupt is set.
    pub fn exhausted(&self) -> bool {
        self.resources.exhausted()
    }

    /// What a question may take, if there is no deadline to go by.
    pub fn budget(&self) -> Duration {
        self.resources.budget
    }

    /// Sets how long the engines may take for a question from now on.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Whether the engines may take so long for a question: within the budget, or while there is a
    /// deadline and it is not there yet.
    pub fn may_wait(&self, patience: Duration) -> bool {
        let limited = self.resources.deadline.is_some() && !self.exhausted();
        limited || patience <= self.resources.budget
    }

    /// For one query of the oracle itself.
    fn query_budget(&self, effort: u64) -> Budget {
        Budget {
            effort: Some(effort),
            time: Some(self.resources.time()),
        }
    }

    /// The proof with the least depth at which it goes through.
    fn with_least_depth(&mut self, proof: &Proof) -> Result<Proof, OracleError> {
        let all = self.goal.units.all();
        for k in 1..proof.k {
            let shallow = with_depth(proof, k);
            if self.induction_core(&shallow, &all)?.is_some() {
                return Ok(shallow);
            }
        }
        Ok(proof.clone())
    }

    /// The proof without the invariants that it does not need.
    fn reduced(&self, proof: &Proof) -> Result<Proof, OracleError> {
        let (system, solver) = (&self.goal.system, (self.resources.open)()?);
        let mut reducer = Reducer::new(system, self.claims(proof), proof.k, solver)?;
        let needed = reducer.support(0, self.query_budget(EFFORT))?;
        let Some(needed) = needed else {
            return Ok(proof.clone());
        };
        let invariants = needed.iter().map(|at| proof.invariants[at - 1].clone());
        Ok(Proof {
            k: proof.k,
            invariants: invariants.collect(),
        })
    }

    fn keep(&mut self, proof: Proof) -> usize {
        for invariant in &proof.invariants {
            let known = self.pool.iter().any(|one| one.term == invariant.term);
            if !known && invariant.term != self.goal.property() {
                self.pool.push(invariant.clone());
            }
        }
        self.proofs.push(proof);
        self.lacking.push(Vec::new());
        self.proofs.len() - 1
    }

    /// Whether a set suffices.
    pub fn decide(&mut self, set: &Set) -> Result<Decision, OracleError> {
        match self.decide_cheaply(set)? {
            Some(decision) => Ok(decision),
            None => self.ask_engines(set),
        }
    }

    /// Whether a set suffices, of which the cheap tests have left it open: what was learned since
    /// may help, and if not, the engines may.
    pub fn decide_at_last(&mut self, set: &Set) -> Result<Decision, OracleError> {
        if let Some(decision) = self.remember(set)? {
            return Ok(decision);
        }
        if let Some((core, proof)) = self.filtered(set)? {
            self.counts.filtered += 1;
            return Ok(self.suffices(core, proof));
        }
        self.ask_engines(set)
    }

    /// Whether a set suffices, unless it takes the engines to tell.
    pub fn decide_cheaply(&mut self, set: &Set) -> Result<Option<Decision>, OracleError> {
        if let Some(decision) = self.remember(set)? {
            return Ok(Some(decision));
        }
        let mut effort = RUN_EFFORT;
        if let Some(run) = self.short_run(set, 0..FIRST_STEPS, &mut effort)? {
            return Ok(Some(Decision::Fails { run }));
        }
        if let Some((core, proof)) = self.filtered(set)? {
            self.counts.filtered += 1;
            return Ok(Some(self.suffices(core, proof)));
        }
        let run = self.short_run(set, FIRST_STEPS..self.reach(), &mut effort)?;
        Ok(run.map(|run| Decision::Fails { run }))
    }

    /// What is known of a set, or shown by a proof at hand.
    fn remember(&mut self, set: &Set) -> Result<Option<Decision>, OracleError> {
        if let Some(known) = self.known(set) {
            self.counts.known += 1;
            return Ok(Some(known));
        }
        if self.resources.exhausted() {
            return Ok(Some(self.unknown("the time is up")));
        }
        let newest = self.proofs.len();
        for proof in (newest.saturating_sub(PROOFS_TRIED)..newest).rev() {
            if let Some(core) = self.proves(proof, set)? {
                self.counts.proof += 1;
                return Ok(Some(self.suffices(core, proof)));
            }
        }
        Ok(None)
    }

    /// A run of the set that violates the goal at one of these steps, if it is found with the effort.
    fn short_run(
        &mut self,
        set: &Set,
        steps: Range<u32>,
        effort: &mut u64,
    ) -> Result<Option<usize>, OracleError> {
        for step in steps {
            if *effort == 0 {
                break;
            }
            if let Some(run) = self.violation(set, step, effort)? {
                self.counts.run += 1;
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    /// The run as it is when the set decides what it can and the run only the rest; stored, if it
    /// still violates the goal.
    pub fn complete(&mut self, run: usize, set: &Set) -> Result<Option<usize>, OracleError> {
        let program = Program::compile(&self.goal.part(set))?;
        let (trace, outcome) = program.machine().run(&self.stored[run].trace);
        let Some(step) = outcome.refuted_at(0) else {
            return Ok(None);
        };
        let run = Run::new(self.goal, trace.first(step + 1));
        Ok(self.store(run, set))
    }

    /// Stores what the run that shows that a set needs a unit shows of its other units, as long as there
    /// is one of those in doubt of which nothing is shown yet.
    pub fn rotate(&mut self, run: usize, within: &Set, in_doubt: &Set) {
        let goal = self.goal;
        let mut settled = goal.units.none();
        let alone = |run: &Run| {
            let mut both = run.breaks.intersection(within);
            both.next().filter(|_| both.next().is_none())
        };
        settled.extend(self.stored.iter().filter_map(alone));
        if in_doubt.is_subset(&settled) {
            return;
        }
        let rotation = self.rotation.get_or_insert_with(|| Rotation::new(goal));
        let found = rotation.rotate(&self.stored[run], within, &mut settled);
        self.stored.extend(found);
    }

    /// In how many steps to look for a run: a few, and as many as one ever took.
    fn reach(&self) -> u32 {
        let longest = self.stored.iter().map(|run| run.trace.len() as u32).max();
        longest.unwrap_or(0).max(STEPS)
    }

    fn suffices(&mut self, core: Set, proof: usize) -> Decision {
        self.cores.push((core.clone(), proof));
        Decision::Suffices { core, proof }
    }

    fn unknown(&mut self, why: &str) -> Decision {
        self.counts.unknown += 1;
        let why = why.to_string();
        Decision::Unknown { why }
    }

    /// What former answers say of a set.
    fn known(&self, set: &Set) -> Option<Decision> {
        if let Some(run) = self.broken_by(set) {
            return Some(Decision::Fails { run });
        }
        let mut cores = self.cores.iter();
        let (core, proof) = cores.find(|(core, _)| core.is_subset(set))?;
        Some(Decision::Suffices {
            core: core.clone(),
            proof: *proof,
        })
    }

    /// A stored run that breaks none of the units.
    pub fn broken_by(&self, set: &Set) -> Option<usize> {
        let mut stored = self.stored.iter();
        stored.position(|run| run.breaks.is_disjoint(set))
    }

    /// The part of a set with which a proof goes through, if it does.
    pub fn proves(&mut self, proof: usize, set: &Set) -> Result<Option<Set>, OracleError> {
        let position = proof;
        let mut lacking = self.lacking[position].iter();
        if lacking.any(|known| set.is_subset(known)) {
            return Ok(None);
        }
        let proof = self.proofs[position].clone();
        let Some(mut core) = self.induction_core(&proof, set)? else {
            self.lacking[position].push(set.clone());
            return Ok(None);
        };
        let claims = self.claims(&proof);
        for step in 0..proof.k {
            if self.base(set, &claims, step, EFFORT)? != Answer::Unsat {
                self.lacking[position].push(set.clone());
                return Ok(None);
            }
            core.union_with(&self.runs(step)?.core()?);
        }
        Ok(Some(core))
    }

    /// What a proof shows to be inductive.
    fn claims(&self, proof: &Proof) -> Vec<Term> {
        let invariants = proof.invariants.iter().map(|invariant| invariant.term);
        std::iter::once(self.goal.property())
            .chain(invariants)
            .collect()
    }

    /// Whether a run of the set violates one of the terms at a step.
    fn base(
        &mut self,
        set: &Set,
        terms: &[Term],
        step: u32,
        effort: u64,
    ) -> Result<Answer, OracleError> {
        self.counts.queries += 1;
        let budget = self.query_budget(effort);
        let runs = self.runs(step)?;
        runs.set_budget(budget);
        let violation = runs.some_false(terms, step);
        Ok(runs.check(set, &[violation])?)
    }

    fn runs(&mut self, last: u32) -> Result<&mut Guarded<'g>, OracleError> {
        match self.runs.entry(last) {
            Entry::Occupied(runs) => Ok(runs.into_mut()),
            Entry::Vacant(place) => {
                let solver = (self.resources.open)()?;
                let runs = Guarded::new(self.goal, Root::Init, last, solver)?;
                Ok(place.insert(runs))
            }
        }
    }

    /// The part of a set with which a proof's induction step goes through.
    fn induction_core(&mut self, proof: &Proof, set: &Set) -> Result<Option<Set>, OracleError> {
        let claims = self.claims(proof);
        match self.step(set, &claims, proof.k)? {
            Answer::Unsat => {
                let induction = self.inductions.get_mut(&proof.k);
                let core = induction.map(|induction| induction.guarded.core());
                Ok(core.transpose()?)
            }
            Answer::Sat | Answer::Unknown(_) => Ok(None),
        }
    }

    /// Whether, in a set, a state that violates one of the terms follows `k` that satisfy them all.
    fn step(&mut self, set: &Set, terms: &[Term], k: u32) -> Result<Answer, OracleError> {
        self.counts.queries += 1;
        let (goal, budget) = (self.goal.property(), self.query_budget(EFFORT));
        let induction = self.induction(k)?;
        induction.guarded.set_budget(budget);
        let mut assumptions = Vec::new();
        for term in terms.iter().filter(|term| **term != goal) {
            assumptions.push(induction.assume(*term, k)?);
        }
        assumptions.push(induction.guarded.some_false(terms, k));
        Ok(induction.guarded.check(set, &assumptions)?)
    }

    fn induction(&mut self, k: u32) -> Result<&mut Induction<'g>, OracleError> {
        match self.inductions.entry(k) {
            Entry::Occupied(induction) => Ok(induction.into_mut()),
            Entry::Vacant(place) => {
                let solver = (self.resources.open)()?;
                let mut guarded = Guarded::new(self.goal, Root::State, k, solver)?;
                for step in 0..k {
                    guarded.assert_at(self.goal.property(), step)?;
                }
                let assumed = FxHashMap::default();
                Ok(place.insert(Induction { guarded, assumed }))
            }
        }
    }

    /// A run of the set that violates the goal at a step, stored.
    fn violation(
        &mut self,
        set: &Set,
        step: u32,
        effort: &mut u64,
    ) -> Result<Option<usize>, OracleError> {
        let safe = self.safe.entry(step).or_default();
        if safe.iter().any(|known| known.is_subset(set)) {
            return Ok(None);
        }
        let before = self.runs(step)?.spent();
        let answer = self.base(set, &[self.goal.property()], step, *effort)?;
        let spent = self.runs(step)?.spent() - before;
        *effort = effort.saturating_sub(spent);
        match answer {
            Answer::Sat => {
                let trace = self.runs(step)?.trace(step)?;
                Ok(self.store(Run::new(self.goal, trace), set))
            }
            Answer::Unsat => {
                let core = self.runs(step)?.core()?;
                self.safe.entry(step).or_default().push(core);
                Ok(None)
            }
            Answer::Unknown(_) => {
                *effort = 0;
                Ok(None)
            }
        }
    }

    /// Stores a run that shows something about a set; one that does not is not worth keeping.
    fn store(&mut self, run: Run, set: &Set) -> Option<usize> {
        run.breaks.is_disjoint(set).then(|| {
            self.stored.push(run);
            self.stored.len() - 1
        })
    }

    /// Of the pool, what is inductive with the set alone, if it proves the goal.
    fn filtered(&mut self, set: &Set) -> Result<Option<(Set, usize)>, OracleError> {
        let k = self.proofs.iter().map(|proof| proof.k).max().unwrap_or(1);
        let mut kept: Vec<Term> = self.pool.iter().map(|invariant| invariant.term).collect();
        if kept.is_empty() {
            return Ok(None);
        }
        for step in 0..k {
            loop {
                match self.base(set, &kept, step, EFFORT)? {
                    Answer::Unsat => break,
                    Answer::Unknown(_) => return Ok(None),
                    Answer::Sat => retain(&mut kept, self.runs(step)?, step)?,
                }
            }
        }
        loop {
            let mut claims = vec![self.goal.property()];
            claims.extend(&kept);
            match self.step(set, &claims, k)? {
                Answer::Unsat => break,
                Answer::Unknown(_) => return Ok(None),
                Answer::Sat => {
                    let goal = self.goal.property();
                    let guarded = &mut self.induction(k)?.guarded;
                    if !guarded.holds(goal, k)? {
                        return Ok(None);
                    }
                    retain(&mut kept, guarded, k)?;
                }
            }
        }
        let invariants = kept.into_iter().map(|term| Invariant { term, k });
        let proof = Proof {
            k,
            invariants: invariants.collect(),
        };
        let proof = self.keep(proof);
        Ok(self.proves(proof, set)?.map(|core| (core, proof)))
    }

    /// What the engines say of the part that a set is.
    fn ask_engines(&mut self, set: &Set) -> Result<Decision, OracleError> {
        let part = self.goal.part(set);
        let verdict = self.engines(&part, self.pool.clone())?;
        match verdict {
            EngineVerdict::Valid { proof, .. } => {
                self.counts.engines += 1;
                let proof = self.keep(proof);
                let core = self.proves(proof, set)?.unwrap_or_else(|| set.clone());
                Ok(self.suffices(core, proof))
            }
            EngineVerdict::Invalid { refutation, .. } => {
                let Some(refutation) = self.lift(&part, &refutation)? else {
                    return Ok(self.unknown("a counterexample could not be completed"));
                };
                let run = Run::new(self.goal, refutation.trace);
                match self.store(run, set) {
                    Some(run) => {
                        self.counts.engines += 1;
                        Ok(Decision::Fails { run })
                    }
                    None => Ok(self.unknown("a counterexample does not stand")),
                }
            }
            EngineVerdict::Unknown { why, .. } => Ok(self.unknown(&why)),
        }
    }

    /// The verdict of the engines on a part of the system, from scratch but for some advice.
    pub fn engines(
        &self,
        part: &System,
        advice: Vec<Invariant>,
    ) -> Result<EngineVerdict, OracleError> {
        let part = slice(part, &[0]).system;
        let program = Program::compile(&part)?;
        let mentioned = |invariant: &Invariant| {
            let variables = Mentions::of(invariant.term).variables;
            variables.iter().all(|one| part.variable(*one).is_some())
        };
        let limits = Limits {
            advice: advice.into_iter().filter(mentioned).collect(),
            engines: self.resources.engines.to_vec(),
            jobs: self.resources.jobs,
            time: Some(self.resources.within(self.patience)),
            interrupt: self.resources.interrupt.clone(),
            ..Limits::default()
        };
        let open = self.resources.open;
        let outcomes = check(&part, &program, &limits, open, &mut |_| ())?;
        let first = outcomes.into_iter().next();
        Ok(first.map_or_else(
            || EngineVerdict::Unknown {
                steps: 0,
                why: "nothing to prove".into(),
                induction: None,
            },
            |outcome| outcome.verdict,
        ))
    }

    /// A refutation of a slice as a refutation of the whole part.
    pub fn lift(
        &self,
        part: &System,
        refutation: &Refutation,
    ) -> Result<Option<Refutation>, OracleError> {
        let program = Program::compile(part)?;
        let given = refutation.trace.first(refutation.step as usize + 1);
        let (trace, outcome) = program.machine().run(&given);
        let step = refutation.step;
        if outcome.refuted_at(0) == Some(step as usize) {
            return Ok(Some(Refutation { trace, step }));
        }
        let solver = (self.resources.open)()?;
        match extend(part, &given, 0, solver)? {
            Extension::Run(found) => {
                let (trace, outcome) = program.machine().run(&found);
                let stands = outcome.refuted_at(0) == Some(step as usize);
                Ok(stands.then_some(Refutation { trace, step }))
            }
            Extension::Impossible | Extension::Unknown(_) => Ok(None),
        }
    }
}

impl Induction<'_> {
    /// The literal that says that a term holds in the first `k` states.
    fn assume(&mut self, term: Term, k: u32) -> Result<Term, SolveError> {
        if let Some(literal) = self.assumed.get(&term) {
            return Ok(*literal);
        }
        let name = format!("%invariant{}", self.assumed.len());
        let literal = Term::var(&name, Sort::Bool);
        for step in 0..k {
            self.guarded.assert_at(literal.implies(term), step)?;
        }
        self.assumed.insert(term, literal);
        Ok(literal)
    }
}

/// Keeps what holds in the model of the last query.
fn retain(kept: &mut Vec<Term>, guarded: &mut Guarded<'_>, step: u32) -> Result<(), SolveError> {
    let count = kept.len();
    let mut still = Vec::new();
    for term in kept.drain(..) {
        if guarded.holds(term, step)? {
            still.push(term);
        }
    }
    *kept = still;
    match kept.len() < count {
        true => Ok(()),
        false => Err(SolveError::Misuse("a model violates nothing".into())),
    }
}

/// A proof of another depth with the same invariants.
fn with_depth(proof: &Proof, k: u32) -> Proof {
    let invariants = proof.invariants.iter().map(|invariant| Invariant {
        term: invariant.term,
        k: invariant.k.min(k),
    });
    Proof {
        k,
        invariants: invariants.collect(),
    }
}
