//! What all workers of a campaign look at: parts of the system, runs that killed or told apart,
//! lemmas that proved.

use crate::mutate::campaign::{Plan, Round};
use crate::mutate::compare::lockstep::LockstepBase;
use crate::mutate::compare::product::{Seen, constraints, readers};
use crate::mutate::compare::simple_facts::facts;
use crate::mutate::decide::repair::Dependencies;
use crate::mutate::decide::stored_runs::{Killer, Pool, random_runs};
use crate::mutate::decide::weaker_invariants::weakened;
use crate::mutate::mutant::Mutant;
use crate::oracle::{OracleError, Resources};
use proofmark_engine::{Frames, simple_invariants};
use proofmark_model::{
    ElementId, LowerError, Mentions, Program, Proof, System, Template, Term, Trace, slice,
    slice_with,
};
use proofmark_solve::{Answer, Budget};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// For each query of the campaign itself.
const EFFORT: u64 = 20_000;
/// How many lemmas of mutants are kept.
const MOST_LEMMAS: usize = 100;
/// What is spent on invariants of the original that its proof does without, and how many are kept.
const LIBRARY_TIME: Duration = Duration::from_millis(200);
const LIBRARY_STEPS: usize = 20;
const MOST_IN_LIBRARY: usize = 300;
/// The core is worth solvers of its own when it has at most this part of the cone's elements.
const SMALL_CORE: usize = 2;

/// What each mutation makes of the system, where that is a model.
pub(crate) type Mutants = FxHashMap<usize, Result<Mutant, LowerError>>;

/// A part of the system that solvers are told of.
pub(crate) struct Subsystem {
    pub system: System,
    /// Where elements of the whole system are in it.
    pub positions: FxHashMap<ElementId, ElementId>,
    /// Whether constraints were left out of it.
    pub partial: bool,
}

impl Subsystem {
    /// What matters to the properties and to some terms.
    fn cone(system: &System, properties: &[usize], terms: &[Term]) -> Subsystem {
        let part = slice_with(system, properties, terms);
        let kept = part.elements.kept().iter().enumerate();
        Subsystem {
            positions: kept.map(|(at, id)| (*id, ElementId(at as u32))).collect(),
            partial: part.drops_constraints(system),
            system: part.system,
        }
    }

    /// What a run of the whole system is in it.
    fn of(&self, run: &Trace) -> Trace {
        run.of(|variable| self.system.variable(variable).is_some())
    }

    /// The same, of some elements alone: whatever the others define is free. What is proved of it
    /// holds in the whole system; what is refuted may not.
    fn core(
        system: &System,
        properties: &[usize],
        terms: &[Term],
        core: &FxHashSet<ElementId>,
    ) -> Subsystem {
        let others = system.ids().filter(|id| !core.contains(id)).collect();
        let (alone, kept) = system.without(&others);
        let mut part = Subsystem::cone(&alone, properties, terms);
        let positions = part.positions.into_iter();
        part.positions = positions
            .map(|(id, at)| (kept.kept()[id.index()], at))
            .collect();
        part.partial = true;
        part
    }
}

/// What all workers look at.
pub(crate) struct Shared<'a> {
    pub plan: &'a Plan<'a>,
    pub mutants: &'a Mutants,
    /// What the properties depend on, in the original or in a mutant.
    pub working: Subsystem,
    /// Of that, what the proof needs, where that is much less.
    pub core: Option<Subsystem>,
    /// The elements that properties depend on.
    pub cone: FxHashSet<ElementId>,
    /// What assumptions depend on, where there are any. The rest of a system only adds definitions:
    /// a run of this part is the beginning of one of the whole.
    pub assumptions: Option<Subsystem>,
    pub invariants: Vec<Term>,
    pub original: Program,
    /// The same, to make the programs of mutants from.
    pub template: Template,
    pub readers: FxHashMap<Term, Vec<ElementId>>,
    pub dependencies: Dependencies,
    /// A run of the original that satisfies all assumptions, where there are any.
    pub settled: Option<Trace>,
    /// Runs that kill.
    pub pool: Pool<Killer>,
    /// Runs that tell mutants from the original.
    pub telling: Pool<Seen>,
    /// First steps of runs that satisfied the assumptions of the original or of a mutant.
    pub accepted: Pool<Seen>,
    /// Invariants that proved the properties on some mutant.
    lemmas: Mutex<Vec<Term>>,
    /// Invariants of the original that its own proof did without; made when they are first needed.
    library: OnceLock<Vec<Term>>,
    /// Whether the solver counts its effort, once that is known.
    counts_effort: OnceLock<bool>,
    /// Held while the library is made, so that one thread makes it and the others wait.
    key: Mutex<()>,
}

impl<'a> Shared<'a> {
    pub fn new(plan: &'a Plan<'a>, mutants: &'a Mutants) -> Result<Shared<'a>, OracleError> {
        let system = &plan.lowered.system;
        let kept = slice(system, plan.properties);
        let cone: FxHashSet<ElementId> = kept.elements.kept().iter().copied().collect();
        let invariants: Vec<Term> = plan.proof.invariants.iter().map(|one| one.term).collect();
        let mut terms = invariants.clone();
        terms.extend(known_lemmas(plan));
        for mutant in mutants.values().flatten() {
            if mutant.ids().iter().any(|id| cone.contains(id)) {
                terms.extend(mutant.terms());
            }
        }
        let template = Template::new(system)?;
        let original = template.program().clone();
        let mut random = random_runs(system, &original);
        let demands = constraints(system);
        let assumptions = (!demands.is_empty()).then(|| assumptions(system, demands, mutants));
        let settled = match &assumptions {
            Some(part) => accepted_run(&part.system, ACCEPTED, &plan.resources)?,
            None => None,
        };
        let settled = settled.map(|run| original.machine().run(&run).0);
        // Random runs rarely satisfy assumptions.
        random.extend(settled.clone());
        let seen = random.iter().map(|run| Seen::of(&original, run));
        let seen: Vec<Seen> = seen.collect();
        let few = |run: &Trace| Seen::of(&original, &run.first(CONSISTENT as usize));
        let accepted: Vec<Seen> = random.iter().map(few).collect();
        let working = Subsystem::cone(system, plan.properties, &terms);
        // What is left out of that part is best left as it is in a run that satisfies it.
        let settled = settled.filter(|run| working.partial && !run.is_empty());
        let others = settled.iter().flat_map(|settled| {
            let part = random
                .iter()
                .map(|run| working.of(run).first(settled.len()));
            part.filter_map(|run| run.completed(settled))
        });
        let killers = random.iter().cloned().chain(others);
        let killers = killers.map(|run| Killer::new(&original, run));
        let killers: Vec<Killer> = killers.collect();
        let small = plan.core.len() * SMALL_CORE <= working.positions.len();
        Ok(Shared {
            plan,
            mutants,
            working,
            core: small.then(|| Subsystem::core(system, plan.properties, &terms, plan.core)),
            assumptions,
            cone,
            invariants,
            readers: readers(system),
            dependencies: Dependencies::new(system),
            settled,
            telling: Pool::new(seen),
            accepted: Pool::new(accepted),
            pool: Pool::new(killers),
            original,
            template,
            lemmas: Mutex::new(known_lemmas(plan)),
            library: OnceLock::new(),
            counts_effort: OnceLock::new(),
            key: Mutex::new(()),
        })
    }

    pub fn system(&self) -> &'a System {
        &self.plan.lowered.system
    }

    /// Invariants to try on a mutant: those of the proof, and those that helped others.
    pub fn candidates(&self) -> Vec<Term> {
        let mut candidates = self.invariants.clone();
        candidates.extend(self.lemmas().iter().copied());
        candidates
    }

    /// What the engines may cost in a round, where effort limits them and not time: with one thread, unless
    /// the time of the campaign is short. The last round is for those that nothing else decides, and has
    /// all the time that there is.
    pub fn effort(&self, round: &Round) -> Result<Option<u64>, OracleError> {
        let resources = &self.plan.resources;
        let Some(effort) = resources.effort(round.time) else {
            return Ok(None);
        };
        if round.last || round.cut {
            return Ok(None);
        }
        let counts = match self.counts_effort.get() {
            Some(counts) => *counts,
            None => {
                let counts = (resources.open)()?.capabilities().effort;
                *self.counts_effort.get_or_init(|| counts)
            }
        };
        Ok(counts.then_some(effort))
    }

    /// More invariants to try when the candidates do not suffice; made once, at the first call.
    pub fn library(&self) -> Result<&[Term], OracleError> {
        let _key = self.key.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = self.library.get() {
            return Ok(library);
        }
        let part = slice(self.system(), self.plan.properties).system;
        let program = Program::compile(&part)?;
        let time = self.plan.resources.time().min(LIBRARY_TIME);
        let steps = (self.plan.resources.jobs <= 1).then_some(LIBRARY_STEPS);
        let open = self.plan.resources.open;
        let found = match steps {
            // A single thread goes by the number of steps, so that the library is always the same.
            Some(steps) => {
                simple_invariants(&part, &program, open, self.plan.resources.time(), steps)
            }
            None => simple_invariants(&part, &program, open, time, usize::MAX),
        }?;
        let terms = found.into_iter().map(|invariant| invariant.term);
        let mut library = weakened(&self.invariants);
        library.extend(terms);
        library.truncate(MOST_IN_LIBRARY);
        Ok(self.library.get_or_init(|| library))
    }

    fn lemmas(&self) -> MutexGuard<'_, Vec<Term>> {
        // A list of terms is whole even after a panic.
        self.lemmas.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the invariants of a proof on a mutant for others.
    pub fn learn(&self, proof: &Proof) {
        let mut lemmas = self.lemmas();
        for invariant in &proof.invariants {
            let variables = Mentions::of(invariant.term).variables;
            let known = |one: &Term| self.working.system.variable(*one).is_some();
            let new =
                !lemmas.contains(&invariant.term) && !self.invariants.contains(&invariant.term);
            if new && lemmas.len() < MOST_LEMMAS && variables.iter().all(known) {
                lemmas.push(invariant.term);
            }
        }
    }

    /// What comparisons with the original start from, when something is observed.
    pub fn lockstep_base(&self) -> Result<Option<LockstepBase<'_>>, OracleError> {
        let (plan, system) = (self.plan, self.system());
        let Some(observed) = plan.observed else {
            return Ok(None);
        };
        let properties = plan.properties.iter();
        let mut proved: Vec<Term> = properties.map(|at| system.properties()[*at].term).collect();
        proved.extend(&self.invariants);
        let runs = self.telling.runs();
        let facts = facts(system, &runs, &proved, &plan.resources, plan.auditor)?;
        proved.extend(facts);
        let lockstep_base = LockstepBase::new(system, observed, proved, plan.resources);
        Ok(Some(lockstep_base))
    }

    pub fn budget(&self) -> Budget {
        Budget {
            effort: Some(EFFORT),
            time: Some(self.plan.resources.time()),
        }
    }
}

/// The lemmas of a former campaign that are not in the proof anyway.
fn known_lemmas(plan: &Plan<'_>) -> Vec<Term> {
    let proof = &plan.proof.invariants;
    let known = |term: &&Term| proof.iter().any(|one| one.term == **term);
    let lemmas = plan.former.lemmas.iter().filter(|term| !known(term));
    lemmas.take(MOST_LEMMAS).copied().collect()
}

/// What the demands depend on, in the original or in a mutant. What a mutant of a demand reads brings
/// in elements that others mutate: these are concerned, too, and so on until there are no more.
fn assumptions(system: &System, demands: Vec<Term>, mutants: &Mutants) -> Subsystem {
    let (mut part, mut before) = (Subsystem::cone(system, &[], &demands), 0);
    loop {
        let all = mutants.values().flatten();
        let concerned: Vec<&Mutant> = all
            .filter(|mutant| {
                let ids = mutant.ids();
                ids.iter().any(|id| part.positions.contains_key(id))
            })
            .collect();
        if concerned.len() == before {
            return part;
        }
        before = concerned.len();
        let mut terms = demands.clone();
        terms.extend(concerned.into_iter().flat_map(Mutant::terms));
        part = Subsystem::cone(system, &[], &terms);
    }
}

/// How many steps a run of the original has to have to say something about a mutant.
const ACCEPTED: u32 = 3;
/// How many steps show that assumptions do not contradict each other.
pub(crate) const CONSISTENT: u32 = 2;

/// A run of a few steps that satisfies the assumptions, if a solver finds one.
pub(crate) fn accepted_run(
    system: &System,
    steps: u32,
    resources: &Resources<'_>,
) -> Result<Option<Trace>, OracleError> {
    let mut frames = Frames::new(system, (resources.open)()?);
    frames.solver.set_budget(Budget {
        effort: None,
        time: Some(resources.time()),
    });
    frames.assert_init()?;
    for step in 1..steps {
        frames.assert_step(step)?;
    }
    match frames.solver.check(&[])? {
        Answer::Sat => Ok(Some(frames.trace(steps - 1)?)),
        Answer::Unsat | Answer::Unknown(_) => Ok(None),
    }
}
