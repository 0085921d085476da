//! The cascade: what becomes of each mutant, cheap tests first.
//!
//! 1. *outside*: no property depends on what was changed.
//! 2. *core*: a proof of all properties does without what was changed.
//! 3. *replay*: a stored run, of another mutant or a random one, violates a property. No solver.
//! 4. *induction*: the proof of the original goes through on the mutant.
//! 5. *bmc*: a run of a few steps violates a property.
//! 6. *filtered*: of the invariants, those that the mutant leaves inductive prove the properties.
//! 7. *full*: all engines on the mutant, within a budget.
//!
//! Each verdict is audited: a run is replayed on the whole mutant, a proof checked on the mutant by
//! another solver (when the *core* decides, the proof of the core is checked once: a mutant that
//! leaves it alone has all its elements). An induction covers the first `k` steps of all invariants,
//! with the `k` of the deepest. A survivor whose assumptions contradict each other is none.
//!
//! Mutants of the same elements share their solvers, and workers share the runs that killed.

use super::Mutation;
use super::equivalence::{Comparison, Reach, compare, difference, readers};
use super::mutant::Mutant;
use super::opening::{Opening, Standing};
use super::runs::{Pool, random_runs};
use crate::oracle::{OracleError, Resources};
use proofmark_audit::{Audit, OpenSolver, audit_proofs, vacuity};
use proofmark_engine::{Extension, Frames, Limits, check, extend};
use proofmark_model::{
    ElementId, Invariant, LowerError, Lowered, Mentions, Program, Proof, Refutation, System, Term,
    Trace, slice, slice_with,
};
use proofmark_solve::{Answer, Budget};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a campaign starts from.
pub struct Plan<'a> {
    pub lowered: &'a Lowered,
    /// The properties, all proved, by position.
    pub properties: &'a [usize],
    /// A proof of all of them together.
    pub proof: &'a Proof,
    /// The elements of a core of that proof, and its proof.
    pub core: &'a FxHashSet<ElementId>,
    /// What is observed, as current terms; nothing when nobody asks about equivalence.
    pub observed: Option<&'a [Term]>,
    pub resources: Resources<'a>,
    /// Who audits, if somebody does.
    pub auditor: Option<&'a (dyn Fn() -> Solver + Sync + 'a)>,
}

type Solver = Result<Box<dyn proofmark_solve::Solver>, proofmark_solve::SolveError>;

/// The test that decided a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Test {
    Outside,
    Core,
    Replay,
    Induction,
    Bmc,
    Filtered,
    Full,
}

impl Test {
    pub const ALL: [Test; 7] = [
        Test::Outside,
        Test::Core,
        Test::Replay,
        Test::Induction,
        Test::Bmc,
        Test::Filtered,
        Test::Full,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Test::Outside => "outside",
            Test::Core => "core",
            Test::Replay => "replay",
            Test::Induction => "induction",
            Test::Bmc => "bmc",
            Test::Filtered => "filtered",
            Test::Full => "full",
        }
    }
}

/// What became of a mutant.
#[derive(Clone, Debug)]
pub enum Fate {
    Killed {
        /// The properties that the run violates, by position in the plan's system.
        by: Vec<usize>,
        refutation: Refutation,
    },
    /// The properties hold on the mutant, too.
    Survived { comparison: Option<Comparison> },
    /// The mutant's assumptions contradict each other.
    Vacuous { why: String },
    /// It is no model: what it changes cannot be lowered, or a variable depends on itself.
    NotValid { why: String },
    Unknown {
        /// How many steps no run of it violates a property.
        steps: u32,
        why: String,
    },
}

/// A decided mutant.
#[derive(Clone, Debug)]
pub struct Decided {
    pub fate: Fate,
    /// What decided it; of what is not decided, the last that was tried.
    pub by: Test,
    pub time: Duration,
    /// How many queries solvers answered for it.
    pub queries: u64,
}

/// For each query of the campaign itself.
const EFFORT: u64 = 20_000;
/// How many steps more than the deepest kill are looked at.
const FURTHER: u32 = 1;
/// Kills are not looked for further than this without the engines.
const FURTHEST: u32 = 10;

/// What the auditor that does not simplify may take for a mutant.
const FIRST_AUDIT: Duration = Duration::from_millis(100);
/// How many lemmas of mutants are kept.
const MOST_LEMMAS: usize = 100;

/// Decides all mutations; `found` hears of each at once, on the caller's thread. Those in `skip`
/// are left out.
pub fn campaign(
    plan: &Plan<'_>,
    mutations: &[Mutation],
    skip: &dyn Fn(usize) -> bool,
    found: &mut dyn FnMut(usize, &Decided),
) -> Result<Vec<Option<Decided>>, OracleError> {
    let todo: Vec<usize> = (0..mutations.len()).filter(|at| !skip(*at)).collect();
    let lower = |at: &usize| Mutant::new(plan.lowered, &mutations[*at], &format!("mutant{at}:"));
    let mutants: FxHashMap<usize, Result<Mutant, LowerError>> =
        todo.iter().map(|at| (*at, lower(at))).collect();
    let shared = Shared::new(plan, &mutants)?;
    let groups = groups(&todo, mutations);
    let mut decided: Vec<Option<Decided>> = vec![None; mutations.len()];
    let mut survivors = Vec::new();
    let compares = plan.observed.is_some();
    in_parallel(
        plan.resources.jobs,
        groups.len(),
        &|at, sender| Worker::new(&shared).group(&groups[at], &mutants, sender),
        &mut |at, one| match one.fate {
            Fate::Survived { .. } if compares => survivors.push((at, one)),
            _ => {
                found(at, &one);
                decided[at] = Some(one);
            }
        },
    )?;
    // Verdicts first: a comparison may take long, and tells two kinds of survivors apart.
    survivors.sort_by_key(|(at, _)| *at);
    in_parallel(
        plan.resources.jobs,
        survivors.len(),
        &|index, sender| {
            let (at, one) = &survivors[index];
            let mutant = mutants[at].as_ref().ok();
            Worker::new(&shared).survivor(*at, one, mutant, sender)
        },
        &mut |at, one| {
            found(at, &one);
            decided[at] = Some(one);
        },
    )?;
    Ok(decided)
}

type Letter = Result<(usize, Decided), OracleError>;
type Work<'w> = dyn Fn(usize, &Sender<Letter>) -> Result<(), OracleError> + Sync + 'w;

/// Does so many pieces of work on some threads; what they send is heard on the caller's.
fn in_parallel(
    jobs: usize,
    pieces: usize,
    work: &Work<'_>,
    hear: &mut dyn FnMut(usize, Decided),
) -> Result<(), OracleError> {
    let next = AtomicUsize::new(0);
    let (sender, letters) = channel();
    let mut failed = None;
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, pieces.max(1)) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let piece = next.fetch_add(1, Ordering::SeqCst);
                    if piece >= pieces {
                        return;
                    }
                    if let Err(error) = work(piece, &sender) {
                        // Who ends early has a reason, and nobody else need go on.
                        next.store(pieces, Ordering::SeqCst);
                        let _ = sender.send(Err(error));
                    }
                }
            });
        }
        drop(sender);
        for letter in letters {
            match letter {
                Ok((at, one)) => hear(at, one),
                Err(error) => failed = Some(error),
            }
        }
    });
    failed.map_or(Ok(()), Err)
}

/// Mutations by the elements that they change, in the order of the source.
fn groups(todo: &[usize], mutations: &[Mutation]) -> Vec<Vec<usize>> {
    let mut positions: FxHashMap<Vec<ElementId>, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &at in todo {
        let place = *positions
            .entry(mutations[at].elements())
            .or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
        groups[place].push(at);
    }
    groups
}

/// What all workers look at.
struct Shared<'a> {
    plan: &'a Plan<'a>,
    /// The part of the system that solvers are told of.
    working: System,
    /// Where elements are in it.
    positions: FxHashMap<ElementId, ElementId>,
    /// Whether constraints were left out of it.
    partial: bool,
    /// The elements that properties depend on.
    cone: FxHashSet<ElementId>,
    /// The elements that assumptions depend on.
    assumed: FxHashSet<ElementId>,
    invariants: Vec<Term>,
    original: Program,
    readers: FxHashMap<Term, Vec<ElementId>>,
    /// Runs that kill.
    pool: Pool,
    /// Runs that tell mutants from the original.
    telling: Pool,
    /// Invariants that proved the properties on some mutant.
    lemmas: Mutex<Vec<Term>>,
}

impl<'a> Shared<'a> {
    fn new(
        plan: &'a Plan<'a>,
        mutants: &FxHashMap<usize, Result<Mutant, LowerError>>,
    ) -> Result<Shared<'a>, OracleError> {
        let system = &plan.lowered.system;
        let kept = slice(system, plan.properties);
        let cone: FxHashSet<ElementId> = kept.elements.kept().iter().copied().collect();
        let invariants: Vec<Term> = plan.proof.invariants.iter().map(|one| one.term).collect();
        let mut terms = invariants.clone();
        for mutant in mutants.values().flatten() {
            if mutant.ids().iter().any(|id| cone.contains(id)) {
                terms.extend(mutant.terms());
            }
        }
        let part = slice_with(system, plan.properties, &terms);
        let kept = part.elements.kept().iter().enumerate();
        let original = Program::compile(system)?;
        let mut random = random_runs(system, &original);
        let assumed = assumed(system);
        if !assumed.is_empty() {
            // Random runs rarely satisfy assumptions.
            random.extend(accepted_run(system, &plan.resources)?);
        }
        Ok(Shared {
            plan,
            positions: kept.map(|(at, id)| (*id, ElementId(at as u32))).collect(),
            partial: part.drops_constraints(system),
            working: part.system,
            cone,
            assumed,
            invariants,
            original,
            readers: readers(system),
            pool: Pool::new(random.clone()),
            telling: Pool::new(random),
            lemmas: Mutex::default(),
        })
    }

    fn system(&self) -> &'a System {
        &self.plan.lowered.system
    }

    /// Invariants to try on a mutant: those of the proof, and those that helped others.
    fn candidates(&self) -> Vec<Term> {
        let mut candidates = self.invariants.clone();
        candidates.extend(self.lemmas().iter().copied());
        candidates
    }

    fn lemmas(&self) -> MutexGuard<'_, Vec<Term>> {
        // A list of terms is whole even after a panic.
        self.lemmas.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the invariants of a proof on a mutant for others.
    fn learn(&self, proof: &Proof) {
        let mut lemmas = self.lemmas();
        for invariant in &proof.invariants {
            let variables = Mentions::of(invariant.term).variables;
            let known = |one: &Term| self.working.variable(*one).is_some();
            let new =
                !lemmas.contains(&invariant.term) && !self.invariants.contains(&invariant.term);
            if new && lemmas.len() < MOST_LEMMAS && variables.iter().all(known) {
                lemmas.push(invariant.term);
            }
        }
    }

    fn budget(&self) -> Budget {
        Budget {
            effort: Some(EFFORT),
            time: Some(self.plan.resources.time()),
        }
    }
}

/// The elements that constraints depend on, and the constraints.
fn assumed(system: &System) -> FxHashSet<ElementId> {
    let constraints: Vec<ElementId> = system
        .ids()
        .filter(|id| system.element(*id).target().is_none())
        .collect();
    let elements = constraints.iter().map(|id| system.element(*id));
    let terms: Vec<Term> = elements.flat_map(|element| element.terms()).collect();
    if terms.is_empty() {
        return FxHashSet::default();
    }
    let part = slice_with(system, &[], &terms);
    let kept = part.elements.kept().iter().copied();
    kept.chain(constraints).collect()
}

/// How many steps a run of the original has to have to say something about a mutant.
const ACCEPTED: u32 = 3;

/// A run of a few steps that satisfies the assumptions, if a solver finds one.
fn accepted_run(system: &System, resources: &Resources<'_>) -> Result<Option<Trace>, OracleError> {
    let mut frames = Frames::new(system, (resources.open)()?);
    frames.solver.set_budget(Budget {
        effort: None,
        time: Some(resources.time()),
    });
    frames.assert_init()?;
    for step in 1..ACCEPTED {
        frames.assert_step(step)?;
    }
    match frames.solver.check(&[])? {
        Answer::Sat => Ok(Some(frames.trace(ACCEPTED - 1)?)),
        Answer::Unsat | Answer::Unknown(_) => Ok(None),
    }
}

/// Decides the mutants of one group.
struct Worker<'s> {
    shared: &'s Shared<'s>,
    queries: u64,
}

impl<'s> Worker<'s> {
    fn new(shared: &'s Shared<'s>) -> Worker<'s> {
        Worker { shared, queries: 0 }
    }

    fn group(
        &mut self,
        group: &[usize],
        mutants: &FxHashMap<usize, Result<Mutant, LowerError>>,
        sender: &Sender<Letter>,
    ) -> Result<(), OracleError> {
        let mut opening = None;
        for &at in group {
            let start = Instant::now();
            self.queries = 0;
            let (fate, by) = match &mutants[&at] {
                Ok(mutant) => self.decide(mutant, &mut opening)?,
                Err(error) => {
                    let why = error.to_string();
                    (Fate::NotValid { why }, Test::Outside)
                }
            };
            let decided = Decided {
                fate,
                by,
                time: start.elapsed(),
                queries: self.queries,
            };
            if sender.send(Ok((at, decided))).is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Compares a survivor with the original.
    fn survivor(
        &mut self,
        at: usize,
        one: &Decided,
        mutant: Option<&Mutant>,
        sender: &Sender<Letter>,
    ) -> Result<(), OracleError> {
        let start = Instant::now();
        let mut decided = one.clone();
        if let (Some(observed), Some(mutant)) = (self.shared.plan.observed, mutant) {
            let whole = mutant.of(self.shared.system())?;
            let comparison = Some(self.compare(mutant, &whole, observed)?);
            decided.fate = Fate::Survived { comparison };
        }
        decided.time += start.elapsed();
        // With nobody left to hear there is nothing left to do.
        let _ = sender.send(Ok((at, decided)));
        Ok(())
    }

    fn decide(
        &mut self,
        mutant: &Mutant,
        opening: &mut Option<Opening<'s>>,
    ) -> Result<(Fate, Test), OracleError> {
        let shared = self.shared;
        if shared.plan.resources.exhausted() {
            let why = "the time is up".into();
            return Ok((Fate::Unknown { steps: 0, why }, Test::Full));
        }
        let whole = match mutant.of(shared.system()) {
            Ok(whole) => whole,
            Err(error) => {
                let why = error.to_string();
                return Ok((Fate::NotValid { why }, Test::Outside));
            }
        };
        let outside = self.is_outside(mutant, &whole);
        let in_core = mutant.ids().iter().any(|id| shared.plan.core.contains(id));
        if outside || !in_core {
            let by = if outside { Test::Outside } else { Test::Core };
            return self.survived(mutant, &whole, by);
        }
        let part = mutant.within(&shared.positions);
        let system = part.of(&shared.working)?;
        let program = match Program::compile(&system) {
            Ok(program) => program,
            Err(error) => {
                let why = error.to_string();
                return Ok((Fate::NotValid { why }, Test::Outside));
            }
        };
        for run in shared.pool.runs() {
            if program.machine().judge(&run).refuted().next().is_some()
                && let Some(fate) = self.killed(&whole, &program, &run)?
            {
                shared.pool.credit(&run);
                return Ok((fate, Test::Replay));
            }
        }
        let standing = Standing {
            mutant: &part,
            system: &system,
        };
        let opening = opening.get_or_insert_with(|| {
            let (k, budget) = (shared.plan.proof.k, shared.budget());
            let open = shared.plan.resources.open;
            Opening::new(&shared.working, &part.ids(), k, open, budget)
        });
        let before = opening.queries;
        let decided = self.prove_or_kill(mutant, &whole, &program, &standing, opening);
        self.queries += opening.queries - before;
        decided
    }

    /// Whether no property depends on the mutant's elements, before and after.
    fn is_outside(&self, mutant: &Mutant, whole: &System) -> bool {
        let shared = self.shared;
        let ids = mutant.ids();
        if ids.iter().any(|id| shared.cone.contains(id)) {
            return false;
        }
        if shared.assumed.is_empty() {
            return true;
        }
        // What it reads now may tie it to an assumption about the properties.
        let after = slice(whole, shared.plan.properties);
        ids.iter().all(|id| after.elements.position(*id).is_none())
    }

    fn properties(&self) -> Vec<Term> {
        let properties = self.shared.working.properties().iter();
        properties.map(|property| property.term).collect()
    }

    fn prove_or_kill(
        &mut self,
        mutant: &Mutant,
        whole: &System,
        program: &Program,
        standing: &Standing<'_>,
        opening: &mut Opening<'s>,
    ) -> Result<(Fate, Test), OracleError> {
        let (properties, shared) = (self.properties(), self.shared);
        let (k, invariants) = (shared.plan.proof.k, &shared.invariants);
        let mut all = properties.clone();
        all.extend(invariants);
        let steady = opening.inductive(standing, &properties, invariants, true)?;
        if steady.is_some() && opening.base(standing, &all)?.as_ref() == Some(&all) {
            return self.proved(mutant, whole, standing.system, invariants, Test::Induction);
        }
        let mut safe = 0;
        for step in 0..=k {
            match self.look(whole, program, standing, opening, step)? {
                Look::Killed(fate) => return Ok((*fate, Test::Bmc)),
                Look::Safe if safe == step => safe = step + 1,
                Look::Safe | Look::Unknown => {}
            }
        }
        let candidates = shared.candidates();
        all.truncate(properties.len());
        all.extend(&candidates);
        if !candidates.is_empty()
            && let Some(base) = opening.base(standing, &all)?
            && base.starts_with(&properties)
        {
            let others = &base[properties.len()..];
            if let Some(kept) = opening.inductive(standing, &properties, others, false)? {
                return self.proved(mutant, whole, standing.system, &kept, Test::Filtered);
            }
        }
        for step in k + 1..=shared.pool.longest().min(FURTHEST) + FURTHER {
            match self.look(whole, program, standing, opening, step)? {
                Look::Killed(fate) => return Ok((*fate, Test::Bmc)),
                Look::Safe if safe == step => safe = step + 1,
                Look::Safe | Look::Unknown => {}
            }
        }
        self.full(mutant, whole, safe)
    }

    /// Looks for a run that violates a property at a step.
    fn look(
        &mut self,
        whole: &System,
        program: &Program,
        standing: &Standing<'_>,
        opening: &mut Opening<'s>,
        step: u32,
    ) -> Result<Look, OracleError> {
        let (answer, trace) = opening.violation(standing, &self.properties(), step)?;
        if let Some(trace) = trace
            && let Some(fate) = self.killed(whole, program, &trace)?
        {
            return Ok(Look::Killed(Box::new(fate)));
        }
        Ok(match answer {
            Answer::Unsat => Look::Safe,
            Answer::Sat | Answer::Unknown(_) => Look::Unknown,
        })
    }

    /// The fate of a mutant that a run kills, when the run stands on the whole mutant. The run is
    /// kept for others.
    fn killed(
        &self,
        whole: &System,
        program: &Program,
        run: &Trace,
    ) -> Result<Option<Fate>, OracleError> {
        let outcome = program.machine().judge(run);
        let Some(step) = outcome
            .refuted()
            .filter_map(|at| outcome.refuted_at(at))
            .min()
        else {
            return Ok(None);
        };
        let given = run.first(step + 1);
        let Some((trace, by)) = self.on_whole(whole, &given)? else {
            return Ok(None);
        };
        self.shared.pool.add(&trace);
        let step = step as u32;
        let refutation = Refutation { trace, step };
        Ok(Some(Fate::Killed { by, refutation }))
    }

    /// The run on the whole mutant, and which properties it violates at its last step.
    fn on_whole(
        &self,
        whole: &System,
        given: &Trace,
    ) -> Result<Option<(Trace, Vec<usize>)>, OracleError> {
        let program = Program::compile(whole)?;
        let last = given.len() - 1;
        let violated = |trace: &Trace| {
            let (run, outcome) = program.machine().run(trace);
            let properties = self.shared.plan.properties.iter().copied();
            let by: Vec<usize> = properties
                .filter(|at| outcome.refuted_at(*at) == Some(last))
                .collect();
            (!by.is_empty()).then_some((run, by))
        };
        if let Some(found) = violated(given) {
            return Ok(Some(found));
        }
        if !self.shared.partial {
            return Ok(None);
        }
        for &property in self.shared.plan.properties {
            let solver = (self.shared.plan.resources.open)()?;
            if let Extension::Run(run) = extend(whole, given, property, solver)?
                && let Some(found) = violated(&run)
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// A mutant on which these invariants prove the properties, once that is audited.
    fn proved(
        &mut self,
        mutant: &Mutant,
        whole: &System,
        system: &System,
        invariants: &[Term],
        by: Test,
    ) -> Result<(Fate, Test), OracleError> {
        let k = self.shared.plan.proof.k;
        let invariants = invariants.iter().map(|term| Invariant { term: *term, k });
        let proof = Proof {
            k,
            invariants: invariants.collect(),
        };
        let proofs: Vec<(usize, &Proof)> = (0..system.properties().len())
            .map(|at| (at, &proof))
            .collect();
        match self.audited(system, &proofs)? {
            None => self.survived(mutant, whole, by),
            Some(why) => Ok((Fate::Unknown { steps: k, why }, by)),
        }
    }

    /// Why proofs are not audited, if they are not.
    fn audited(
        &self,
        system: &System,
        proofs: &[(usize, &Proof)],
    ) -> Result<Option<String>, OracleError> {
        let Some(open) = self.shared.plan.auditor else {
            return Ok(None);
        };
        let time = self.shared.plan.resources.time();
        let times = [time.min(FIRST_AUDIT), time];
        let mut undecided = None;
        // The proving solver checks what is too hard for the one that does not simplify.
        let openers: [&OpenSolver<'_>; 2] = [&|| open(), &|| (self.shared.plan.resources.open)()];
        for (open, time) in openers.into_iter().zip(times) {
            undecided = None;
            for audit in audit_proofs(system, proofs, open, Some(time))? {
                match audit {
                    Audit::Passed { .. } => {}
                    Audit::Failed { what } => return Err(OracleError::Audit(what)),
                    Audit::Unknown { why } => {
                        undecided = Some(format!("proved, not audited: {why}"));
                    }
                }
            }
            if undecided.is_none() {
                break;
            }
        }
        Ok(undecided)
    }

    /// A mutant on which all properties hold, if it has runs at all.
    fn survived(
        &mut self,
        mutant: &Mutant,
        whole: &System,
        by: Test,
    ) -> Result<(Fate, Test), OracleError> {
        let shared = self.shared;
        let constrained = |id: &ElementId| shared.assumed.contains(id);
        if mutant.ids().iter().any(constrained) {
            let program = Program::compile(whole)?;
            if let Some(why) = self.contradiction(whole, &program)? {
                let why = why.to_string();
                return Ok((Fate::Vacuous { why }, by));
            }
        }
        let comparison = None;
        Ok((Fate::Survived { comparison }, by))
    }

    /// How the assumptions of a mutant contradict each other, if they do. A stored run that it
    /// accepts for two steps shows that they do not.
    fn contradiction(
        &self,
        whole: &System,
        program: &Program,
    ) -> Result<Option<&'static str>, OracleError> {
        let accepts = |run: &Trace| {
            let two = run.first(2);
            two.len() == 2 && program.machine().run(&two).1.violated.is_empty()
        };
        if self.shared.telling.runs().iter().any(|run| accepts(run)) {
            return Ok(None);
        }
        let resources = &self.shared.plan.resources;
        let open = || (resources.open)();
        let assumptions = vacuity(whole, program, &open, Some(resources.time()))?;
        Ok(assumptions.contradiction())
    }

    fn compare(
        &self,
        mutant: &Mutant,
        whole: &System,
        observed: &[Term],
    ) -> Result<Comparison, OracleError> {
        let shared = self.shared;
        let system = shared.system();
        let reach = Reach::new(system, &shared.readers, mutant);
        if !reach.shows(system, observed) {
            return Ok(Comparison::Equivalent);
        }
        if shared.plan.resources.exhausted() {
            let why = "the time is up".into();
            return Ok(Comparison::Unknown { why });
        }
        let program = Program::compile(whole)?;
        for run in shared.telling.runs() {
            let (here, there) = ((&shared.original, &*run), (&program, &*run));
            if let Some(distinction) = difference(here, there, observed) {
                shared.telling.credit(&run);
                return Ok(Comparison::Different(Box::new(distinction)));
            }
        }
        let auditor = shared.plan.auditor;
        let audit = || match auditor {
            Some(open) => open(),
            None => (shared.plan.resources.open)(),
        };
        let comparison = compare(
            system,
            mutant,
            &reach,
            observed,
            &shared.plan.resources,
            auditor.map(|_| &audit as &OpenSolver<'_>),
        )?;
        if let Comparison::Different(distinction) = &comparison {
            shared.telling.add(&distinction.original);
        }
        Ok(comparison)
    }

    /// All engines on the mutant.
    fn full(
        &mut self,
        mutant: &Mutant,
        whole: &System,
        safe: u32,
    ) -> Result<(Fate, Test), OracleError> {
        use proofmark_engine::Verdict;
        let plan = self.shared.plan;
        let part = slice(whole, plan.properties).system;
        let program = Program::compile(&part)?;
        let known = |invariant: &Invariant| {
            let variables = Mentions::of(invariant.term).variables;
            variables.iter().all(|one| part.variable(*one).is_some())
        };
        let limits = Limits {
            advice: plan
                .proof
                .invariants
                .iter()
                .filter(|one| known(one))
                .cloned()
                .collect(),
            engines: plan.resources.engines.to_vec(),
            jobs: 1,
            time: Some(plan.resources.time()),
            explain_inductions: false,
            interrupt: plan.resources.interrupt.clone(),
        };
        let outcomes = check(&part, &program, &limits, plan.resources.open, &mut |_| ())?;
        let mut proofs = Vec::new();
        let mut unknown = None;
        for (at, outcome) in outcomes.iter().enumerate() {
            match &outcome.verdict {
                Verdict::Invalid { refutation, .. } => {
                    if let Some(fate) = self.killed(whole, &program, &refutation.trace)? {
                        return Ok((fate, Test::Full));
                    }
                    unknown = Some((safe, "a counterexample could not be completed".into()));
                }
                Verdict::Valid { proof, .. } => proofs.push((at, proof)),
                Verdict::Unknown { steps, why, .. } => {
                    unknown = Some((safe.max(*steps), why.clone()));
                }
            }
        }
        if let Some((steps, why)) = unknown {
            return Ok((Fate::Unknown { steps, why }, Test::Full));
        }
        match self.audited(&part, &proofs)? {
            None => {
                proofs
                    .iter()
                    .for_each(|(_, proof)| self.shared.learn(proof));
                self.survived(mutant, whole, Test::Full)
            }
            Some(why) => Ok((Fate::Unknown { steps: safe, why }, Test::Full)),
        }
    }
}

/// What a look for a run showed.
enum Look {
    Killed(Box<Fate>),
    Safe,
    Unknown,
}
