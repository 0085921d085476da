//! Do the assumptions block a run that they accepted?
//!
//! With `n = 0 -> pre n + 1; assert n < 3;` there are runs of three steps and none of four: what is
//! proved says nothing of any later step. Such a run ends in a *deadlock*: a reachable accepted state
//! without an accepted successor. To be one is a statement "for all inputs there is no", so that no
//! single query finds it; it is decided by counterexample-guided instantiation (Reynolds, Deters,
//! Kuncak, Tinelli and Barrett, CAV 2015, do the same within a solver).
//!
//! What the assumptions demand of the next step is unfolded to a formula over a state and the free
//! values of the step after it. A [`Strategy`] gives each of these values as a term over the state; put
//! into the formula, it says of a state that this way on is open. That some strategy of a list is open
//! in every reachable state is an ordinary property. If it is proved, every accepted run goes on. If a
//! run refutes it, its last state either has no successor at all, which is a deadlock, or a solver finds
//! one, and a strategy is learned from it that all others lack: by the values themselves, or, where they
//! go on as well, by what a value is compared with in the formula (as in model-based projection:
//! Komuravelli, Gurfinkel and Chaki, CAV 2014).
//!
//! A free value of which an assumption says what it is equal to (`assert x = y + pre z`, the way in
//! which contracts are often translated) is no choice: it is replaced by what it is equal to.
//!
//! First all states are asked about, reachable or not, which is often enough and needs no engine.
//! Demands that share no free value are decided one by one. A demand that reads nothing of the state
//! was met once and so can always be met.
//!
//! Nothing here is believed: the deadlock is shown to the auditor as the system and the whole run,
//! without the unfolding; a proof is audited as all proofs are, and for each strategy the auditor
//! confirms that what follows by it is a successor as the elements say.

use crate::auditor::{Audited, Auditor};
use crate::invert::solve_for;
use crate::oracle::OpenSolver;
use crate::stop::Stopper;
use crate::verify::VerifyError;
use proofmark_audit::{Audit, audit_proof};
use proofmark_engine::{EngineVerdict, Frames, Limits, check};
use proofmark_model::{
    Evaluator, Mentions, Op, Origin, Phase, Program, Proof, Property, Sort, System, Term, Trace,
    Unroller, Value, slice_with,
};
use proofmark_solve::{Answer, Budget, SolveError, Solver};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Whether the assumptions of a system block runs that they accepted.
#[derive(Clone, PartialEq, Debug)]
pub enum Deadlock {
    /// Nobody asked, or nothing was proved that it could make empty.
    NotLookedFor,
    /// No assumption can block a run: there are none, or they ask for what can always be given.
    Impossible,
    /// Every run has another step, by a proof.
    Absent {
        /// What became of the audit of the proof.
        audit: Audited,
    },
    /// The run is accepted, and no next step is.
    Found {
        /// Up to its last step.
        run: Trace,
        /// What became of the audit of the claim that there is no next step.
        audit: Audited,
    },
    /// Neither such a run nor a proof was found in the time.
    Undecided {
        /// Why there is none.
        why: String,
    },
}

impl Deadlock {
    /// Why what was proved says nothing of later steps, if a run is blocked.
    pub fn reason(&self) -> Option<String> {
        let Deadlock::Found { run, .. } = self else {
            return None;
        };
        let last = run.len().saturating_sub(1);
        Some(format!(
            "the assumptions accept a run up to step {last} and then no next step"
        ))
    }
}

/// What the search works with.
pub(crate) struct Search<'a> {
    pub system: &'a System,
    /// The system, compiled.
    pub program: &'a Program,
    pub limits: &'a Limits,
    pub open: &'a OpenSolver<'a>,
    pub auditor: Option<Auditor<'a>>,
    pub stopper: &'a Stopper,
    /// When the search gives up.
    pub deadline: Instant,
}

/// How many strategies one demand may need.
const MOST_STRATEGIES: usize = 24;
/// How many comparisons are looked at for values of one variable.
const MOST_BOUNDS: usize = 32;
/// How deep a comparison is looked into for a variable.
const DEPTH: usize = 32;
/// For one question about all states, reachable or not.
const EFFORT: u64 = 50_000;

/// Looks for a run that the assumptions block. The caller has seen that there are runs of two steps.
pub(crate) fn deadlock(search: &Search<'_>) -> Result<Deadlock, VerifyError> {
    match search.run() {
        // What the solver does not know is no fault of the model; it was told where it mattered.
        Err(VerifyError::Solve(SolveError::Unsupported { why, .. })) => {
            Ok(Deadlock::Undecided { why })
        }
        found => found,
    }
}

/// A way from any state to a next one: for each free value of the next step a term over the state.
type Strategy = FxHashMap<Term, Term>;

/// What the assumptions demand of the next step, as far as it shares free values.
struct Demand {
    /// Over the current variables, which stand for the state, and the free values of the next step.
    term: Term,
    /// The same in the words of the elements: over the previous and the current variables.
    conjuncts: Vec<Term>,
    /// Those free values, each with the variable whose value it is.
    free: Vec<(Term, Term)>,
    strategies: Vec<Strategy>,
}

/// A solver had no answer, or the time is up.
struct GivenUp(String);

/// What is known of one demand.
enum Met {
    Always(Audited),
    Not { run: Trace, audit: Audited },
    Unknown(GivenUp),
}

impl Search<'_> {
    fn run(&self) -> Result<Deadlock, VerifyError> {
        let constraints = constraints(self.system);
        if constraints.is_empty() {
            return Ok(Deadlock::Impossible);
        }
        // What no assumption depends on goes on whatever happens.
        let part = slice_with(self.system, &[], &constraints).system;
        let next = Next::new(&part, self.deadline);
        let mut demands = next.demands();
        demands.retain(|one| one.can_fail(&part));
        if demands.is_empty() && next.chosen.is_empty() {
            return Ok(Deadlock::Impossible);
        }
        let mut undecided = None;
        let mut audit = match &self.auditor {
            Some(auditor) => self.audited_split(&next, auditor)?,
            None => Audited::NotAskedFor,
        };
        for demand in &mut demands {
            match self.decide(&next, demand)? {
                Met::Always(passed) => audit = audit.and(passed),
                Met::Not { run, audit } => return Ok(Deadlock::Found { run, audit }),
                Met::Unknown(given_up) => undecided = undecided.or(Some(given_up)),
            }
        }
        Ok(match (undecided, audit) {
            (Some(GivenUp(why)), _) => Deadlock::Undecided { why },
            (None, Audited::NoAnswer { why }) if !self.accepts_unaudited() => {
                let why = format!("every run goes on, not audited: {why}");
                Deadlock::Undecided { why }
            }
            (None, audit) => Deadlock::Absent { audit },
        })
    }

    fn decide(&self, next: &Next<'_>, demand: &mut Demand) -> Result<Met, VerifyError> {
        let part = next.part;
        if self.open_in_all_states(part, demand)? {
            let proof = Proof {
                k: 1,
                invariants: Vec::new(),
            };
            let part = with_property(part, demand.open());
            return self.audited(next, &part, demand, &proof);
        }
        loop {
            let part = with_property(part, demand.open());
            let refutation = match self.ask_engines(&part)? {
                EngineVerdict::Valid { proof, .. } => {
                    return self.audited(next, &part, demand, &proof);
                }
                EngineVerdict::Unknown { why, .. } => return Ok(Met::Unknown(GivenUp(why))),
                EngineVerdict::Invalid { refutation, .. } => refutation,
            };
            let step = refutation.step as usize;
            let (run, outcome) = self
                .program
                .machine()
                .run(&refutation.trace.first(step + 1));
            if outcome.broken_at().is_some() {
                let why = "a run of the assumptions alone is none of the model".into();
                return Ok(Met::Unknown(GivenUp(why)));
            }
            let state = |variable| run.value(variable, step).cloned();
            let solver = self.open_solver()?;
            match self.successor(demand, solver, &state)? {
                Successor::Values(values) => {
                    if !demand.learn(&state, &values, self.deadline) {
                        let why = "no way on was found that holds in general".into();
                        return Ok(Met::Unknown(GivenUp(why)));
                    }
                }
                Successor::None => return self.blocked(&part, run),
                Successor::Unknown(given_up) => return Ok(Met::Unknown(given_up)),
            }
        }
    }

    /// Learns strategies until one is open in every state, whether it can be reached or not, or until a
    /// state has no successor, which may not be reachable.
    fn open_in_all_states(&self, part: &System, demand: &mut Demand) -> Result<bool, VerifyError> {
        let mut all = self.open_solver()?;
        for fact in part.timeless() {
            all.assert(fact)?;
        }
        let read = Mentions::of(demand.term).variables;
        let read: Vec<Term> = read
            .into_iter()
            .filter(|one| part.variable(*one).is_some())
            .collect();
        loop {
            match self.ask(&mut *all, Some(EFFORT))? {
                Answer::Unsat => return Ok(true),
                Answer::Unknown(_) => return Ok(false),
                Answer::Sat => {}
            }
            let mut state = FxHashMap::default();
            for &variable in &read {
                state.insert(variable, all.value(variable)?);
            }
            let known = |variable| state.get(&variable).cloned();
            let Successor::Values(values) = self.successor(demand, self.open_solver()?, &known)?
            else {
                return Ok(false);
            };
            let before = demand.strategies.len();
            if !demand.learn(&known, &values, self.deadline) {
                return Ok(false);
            }
            for strategy in &demand.strategies[before..] {
                all.assert(demand.open_by(strategy).not())?;
            }
        }
    }

    /// Free values with which a state has a successor, as far as the demand goes.
    fn successor(
        &self,
        demand: &Demand,
        mut solver: Box<dyn Solver>,
        state: &dyn Fn(Term) -> Option<Value>,
    ) -> Result<Successor, VerifyError> {
        let mut known = FxHashMap::default();
        let next = expand(demand.term, &mut known, |variable| {
            Leaf::Is(state(variable).map_or(variable, Term::constant))
        });
        solver.assert(next)?;
        for (free, _) in &demand.free {
            solver.declare(*free)?;
        }
        match self.ask(&mut *solver, None)? {
            Answer::Sat => {
                let mut values = FxHashMap::default();
                for (free, _) in &demand.free {
                    values.insert(*free, solver.value(*free)?);
                }
                Ok(Successor::Values(values))
            }
            Answer::Unsat => Ok(Successor::None),
            Answer::Unknown(why) => Ok(Successor::Unknown(GivenUp(why.to_string()))),
        }
    }

    fn ask_engines(&self, part: &System) -> Result<EngineVerdict, VerifyError> {
        let left = self.left();
        if left.is_zero() || self.limits.interrupt.is_set() {
            return Ok(EngineVerdict::Unknown {
                steps: 0,
                why: "the time for this question is up".into(),
                induction: None,
            });
        }
        let program = Program::compile(part)?;
        let known = |term| {
            let mentions = Mentions::of(term).variables;
            mentions.iter().all(|one| part.variable(*one).is_some())
        };
        let mut limits = Limits {
            time: Some(left),
            safe: 0,
            explain_inductions: false,
            ..self.limits.clone()
        };
        limits.advice.retain(|one| known(one.term));
        let results = check(part, &program, &limits, self.open, &mut |_| ())?;
        let result = results.into_iter().next();
        Ok(result.map_or(
            EngineVerdict::Unknown {
                steps: 0,
                why: "the engines gave no answer".into(),
                induction: None,
            },
            |one| one.verdict,
        ))
    }

    /// Has a proof audited that some strategy is open in every reachable state, and that an open
    /// strategy leads to a successor.
    fn audited(
        &self,
        next: &Next<'_>,
        part: &System,
        demand: &Demand,
        proof: &Proof,
    ) -> Result<Met, VerifyError> {
        let Some(auditor) = &self.auditor else {
            return Ok(Met::Always(Audited::NotAskedFor));
        };
        let time = Some(self.audit_time(auditor));
        let open = || (auditor.open)();
        let mut by = match audit_proof(part, 0, proof, &open, time)? {
            Audit::Passed { by, .. } => Audited::by(by),
            Audit::Failed { what } => return Err(failed(what)),
            Audit::Unknown { why } => Audited::NoAnswer { why },
        };
        for strategy in &demand.strategies {
            let mut unroller = Unroller::new(next.part);
            let mut told = vec![unroller.at(demand.open_by(strategy), 0)];
            for (free, variable) in &demand.free {
                let chosen = unroller.at(strategy[free], 0);
                told.push(unroller.at(*variable, 1).eq(chosen));
            }
            by = by.and(self.follows(next, &told, &demand.conjuncts, auditor)?);
        }
        Ok(Met::Always(by))
    }

    fn accepts_unaudited(&self) -> bool {
        self.auditor.is_none_or(|one| one.accept_unaudited)
    }

    fn audit_time(&self, auditor: &Auditor<'_>) -> Duration {
        auditor.time.min(self.left().max(SHORTEST_AUDIT))
    }

    /// Has it confirmed that the conjuncts of all demands are what the assumptions demand.
    fn audited_split(
        &self,
        next: &Next<'_>,
        auditor: &Auditor<'_>,
    ) -> Result<Audited, VerifyError> {
        let mut unroller = Unroller::new(next.part);
        let conjuncts = next.conjuncts.iter();
        let told: Vec<Term> = conjuncts.map(|one| unroller.at(*one, 1)).collect();
        let elements = next.part.elements().iter();
        let constraints = elements.filter_map(|one| one.constraint(Phase::Step));
        self.follows(next, &told, &constraints.collect::<Vec<_>>(), auditor)
    }

    /// Has it confirmed that some terms hold at step 1, by what is told of the steps 0 and 1, the
    /// definitions, and the values that are chosen in any case. All that is told must not contradict
    /// itself, or everything would follow.
    fn follows(
        &self,
        next: &Next<'_>,
        told: &[Term],
        terms: &[Term],
        auditor: &Auditor<'_>,
    ) -> Result<Audited, VerifyError> {
        let mut solver = (auditor.open)()?;
        let mut unroller = Unroller::new(next.part);
        for term in told {
            solver.assert(*term)?;
        }
        let defined = step_definitions(next.part);
        for (variable, value) in defined.chain(next.chosen.iter().copied()) {
            solver.assert(unroller.at(variable.eq(value), 1))?;
        }
        let violated: Vec<Term> = terms.iter().map(|one| unroller.at(*one, 1).not()).collect();
        let time = Some(self.audit_time(auditor));
        solver.set_budget(Budget { effort: None, time });
        let consistent = solver.check(&[])?;
        solver.assert(Term::or(&violated))?;
        let follows = solver.check(&[])?;
        Ok(match (consistent, follows) {
            (Answer::Unknown(why), _) | (_, Answer::Unknown(why)) => Audited::NoAnswer {
                why: why.to_string(),
            },
            (Answer::Sat, Answer::Unsat) => Audited::by(solver.name()),
            _ => return Err(failed("a way on leads to no accepted step".into())),
        })
    }

    /// Has it confirmed that an accepted run has no next step: the elements themselves are told at each
    /// step, and every value of the run.
    fn blocked(&self, part: &System, run: Trace) -> Result<Met, VerifyError> {
        let Some(auditor) = &self.auditor else {
            let audit = Audited::NotAskedFor;
            return Ok(Met::Not { run, audit });
        };
        let mut frames = Frames::new(part, (auditor.open)()?);
        frames.assert_init()?;
        for step in 0..run.len() as u32 {
            for variable in part.variables().iter().map(|one| one.current) {
                if let Some(value) = run.value(variable, step as usize) {
                    let value = Term::constant(value.clone());
                    frames.assert_at(variable.eq(value), step)?;
                }
            }
            frames.assert_step(step + 1)?;
        }
        let time = Some(self.audit_time(auditor));
        frames.solver.set_budget(Budget { effort: None, time });
        let audit = match frames.solver.check(&[])? {
            Answer::Unsat => Audited::by_simulator().and(Audited::by(frames.solver.name())),
            Answer::Sat => return Err(failed("the run that is blocked has a next step".into())),
            Answer::Unknown(why) => Audited::NoAnswer {
                why: why.to_string(),
            },
        };
        if audit.stands(Some(auditor)) {
            return Ok(Met::Not { run, audit });
        }
        let why = "a run is blocked, and the auditor has no answer".into();
        Ok(Met::Unknown(GivenUp(why)))
    }

    fn open_solver(&self) -> Result<Box<dyn Solver>, SolveError> {
        let solver = (self.open)()?;
        self.stopper.attach(&*solver);
        Ok(solver)
    }

    fn ask(&self, solver: &mut dyn Solver, effort: Option<u64>) -> Result<Answer, SolveError> {
        let left = self.left();
        if left.is_zero() {
            return Ok(Answer::Unknown(proofmark_solve::Unknown::Budget));
        }
        let time = Some(left);
        solver.set_budget(Budget { effort, time });
        solver.check(&[])
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}

/// An audit may take so long even when the time for the search is up.
const SHORTEST_AUDIT: Duration = Duration::from_millis(500);

/// What a solver says of the next step.
enum Successor {
    /// With these free values there is one.
    Values(FxHashMap<Term, Value>),
    None,
    Unknown(GivenUp),
}

fn failed(what: String) -> VerifyError {
    let property = "the assumptions".into();
    VerifyError::Audit { property, what }
}

/// Everything that elements demand, at the first step and later.
fn constraints(system: &System) -> Vec<Term> {
    let elements = system.elements().iter();
    let both = elements.flat_map(|one| {
        let phases = [Phase::Init, Phase::Step];
        phases.into_iter().filter_map(|phase| one.constraint(phase))
    });
    both.collect()
}

fn with_property(system: &System, term: Term) -> System {
    let property = Property {
        name: "there is a next step".into(),
        term,
        origin: Origin::generated(),
    };
    let with = system.with_properties(vec![property]);
    // Unfolding leaves nothing but current variables of the system.
    with.unwrap_or_else(|error| unreachable!("{error}"))
}

/// The variables that have a definition at later steps, with its value there.
fn step_definitions(system: &System) -> impl Iterator<Item = (Term, Term)> {
    let elements = system.elements().iter();
    let all = elements.flat_map(|element| element.definitions());
    all.filter_map(|one| Some((one.variable, one.step?)))
}

/// What a next step is, seen from the state before it.
struct Next<'a> {
    part: &'a System,
    /// What the assumptions demand, taken apart as far as conjunctions go, except for what `chosen`
    /// satisfies. Over the previous and the current variables.
    conjuncts: Vec<Term>,
    /// Free variables of which an assumption says what they are equal to: no other value is accepted,
    /// so that a step is accepted with this value or not at all.
    chosen: Vec<(Term, Term)>,
    /// The values of the variables that are defined or chosen.
    values: FxHashMap<Term, Term>,
    /// The names of the next step's other values, with the variables whose values they are.
    free: FxHashMap<Term, Term>,
}

impl Next<'_> {
    fn new(part: &System, deadline: Instant) -> Next<'_> {
        let mut values = Values::new(step_definitions(part).collect());
        let (mut conjuncts, mut chosen) = (Vec::new(), Vec::new());
        for conjunct in self::conjuncts(part, &values.of) {
            let options = equations(part, conjunct).into_iter();
            let mut options = options.filter(|_| Instant::now() < deadline);
            match options.find(|(variable, value)| values.allow(*variable, *value)) {
                Some((variable, value)) => {
                    values.of.insert(variable, value);
                    chosen.push((variable, value));
                }
                None => conjuncts.push(conjunct),
            }
        }
        let variables = part.variables().iter().map(|one| one.current);
        let free = variables.filter(|one| !values.of.contains_key(one));
        Next {
            part,
            conjuncts,
            chosen,
            free: free.map(|one| (next_value(one), one)).collect(),
            values: values.of,
        }
    }

    fn leaf(&self, variable: Term) -> Leaf {
        let known = self.part.variable(variable);
        match (self.values.get(&variable), known) {
            (Some(value), _) => Leaf::Defined(*value),
            (None, Some(known)) if known.previous == variable => Leaf::Is(known.current),
            (None, _) => Leaf::Is(next_value(variable)),
        }
    }

    /// The demands, each of which shares no free value with another. All that depends on no free value
    /// is one.
    fn demands(&self) -> Vec<Demand> {
        let mut known = FxHashMap::default();
        let mut alone: Vec<Demand> = Vec::new();
        for &conjunct in &self.conjuncts {
            let term = expand(conjunct, &mut known, |variable| self.leaf(variable));
            let mentioned = Mentions::of(term).variables.into_iter();
            let free = mentioned.filter_map(|one| Some((one, *self.free.get(&one)?)));
            alone.push(Demand {
                term,
                conjuncts: vec![conjunct],
                free: free.collect(),
                strategies: Vec::new(),
            });
        }
        joined(alone)
    }
}

/// Makes one of the demands that share a free value, and one of those that have none.
fn joined(alone: Vec<Demand>) -> Vec<Demand> {
    // Each one leads to an earlier one that it belongs to, or to itself.
    let mut leads: Vec<usize> = (0..alone.len()).collect();
    let first = |leads: &[usize], mut at: usize| {
        while leads[at] != at {
            at = leads[at];
        }
        at
    };
    let mut owners: FxHashMap<Option<Term>, usize> = FxHashMap::default();
    for (at, demand) in alone.iter().enumerate() {
        let free = demand.free.iter().map(|(free, _)| Some(*free));
        for free in free.chain(demand.free.is_empty().then_some(None)) {
            let owner = first(&leads, *owners.entry(free).or_insert(at));
            let own = first(&leads, at);
            leads[owner.max(own)] = owner.min(own);
        }
    }
    let mut parts: BTreeMap<usize, Vec<Demand>> = BTreeMap::new();
    for (at, demand) in alone.into_iter().enumerate() {
        parts.entry(first(&leads, at)).or_default().push(demand);
    }
    parts.into_values().map(Demand::all).collect()
}

/// Values of variables at a step, which must not lead back to their variable.
struct Values {
    of: FxHashMap<Term, Term>,
    /// What the value of a variable mentions.
    reads: FxHashMap<Term, Vec<Term>>,
}

impl Values {
    fn new(of: FxHashMap<Term, Term>) -> Values {
        let reads = FxHashMap::default();
        Values { of, reads }
    }

    /// Whether a variable has no value yet and may have this one.
    fn allow(&mut self, variable: Term, value: Term) -> bool {
        if self.of.contains_key(&variable) {
            return false;
        }
        let mut stack: Vec<Term> = Mentions::of(value).variables.into_iter().collect();
        let mut seen = FxHashSet::default();
        while let Some(read) = stack.pop() {
            if read == variable {
                return false;
            }
            if let Some(value) = self.of.get(&read).filter(|_| seen.insert(read)) {
                let reads = self.reads.entry(read).or_insert_with(|| {
                    let mentions = Mentions::of(*value).variables;
                    mentions.into_iter().collect()
                });
                stack.extend(reads.iter());
            }
        }
        true
    }
}

/// The ways to read a conjunct as the value of a current variable.
fn equations(part: &System, conjunct: Term) -> Vec<(Term, Term)> {
    let current = |term: Term| {
        let known = part.variable(term);
        known.is_some_and(|known| known.current == term)
    };
    let all = match (conjunct.op(), conjunct.args()) {
        (Op::Eq, [one, other]) => vec![(*one, *other), (*other, *one)],
        (Op::Not, [negated]) => vec![(*negated, Term::bool(false))],
        _ => vec![(conjunct, Term::bool(true))],
    };
    all.into_iter().filter(|(one, _)| current(*one)).collect()
}

/// What the assumptions demand of every step but the first, taken apart as far as conjunctions go,
/// also those that are definitions.
fn conjuncts(part: &System, definitions: &FxHashMap<Term, Term>) -> Vec<Term> {
    let elements = part.elements().iter().rev();
    let mut stack: Vec<Term> = elements
        .filter_map(|one| one.constraint(Phase::Step))
        .collect();
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        match (term.op(), definitions.get(&term)) {
            (Op::And, _) => stack.extend(term.args().iter().rev()),
            (_, Some(value)) => stack.push(*value),
            _ => found.push(term),
        }
    }
    found
}

/// The name of a variable's value at the next step.
fn next_value(variable: Term) -> Term {
    let name = variable.as_var().map_or("", |name| name.as_str());
    Term::var(&format!("{name}%next"), variable.sort())
}

/// What stands for a variable.
enum Leaf {
    Is(Term),
    /// The variable is what this becomes.
    Defined(Term),
}

/// Puts something in the place of each variable, with a stack of its own, and simplifies; `known`
/// remembers what every part became. Definitions do not lead back to their variable.
fn expand(root: Term, known: &mut FxHashMap<Term, Term>, leaf: impl Fn(Term) -> Leaf) -> Term {
    let mut stack = vec![root];
    while let Some(&term) = stack.last() {
        if known.contains_key(&term) {
            stack.pop();
            continue;
        }
        let is_variable = term.as_var().is_some();
        let expanded = match is_variable.then(|| leaf(term)) {
            Some(Leaf::Is(other)) => other,
            Some(Leaf::Defined(value)) => match known.get(&value) {
                Some(other) => *other,
                None => {
                    stack.push(value);
                    continue;
                }
            },
            None => {
                let before = stack.len();
                stack.extend(term.args().iter().filter(|arg| !known.contains_key(arg)));
                if stack.len() > before {
                    continue;
                }
                let args: Vec<Term> = term.args().iter().map(|arg| known[arg]).collect();
                match args.is_empty() {
                    true => term,
                    // What stands for a variable has its sort, so that the operator fits.
                    false => Term::build(term.op().clone(), &args)
                        .unwrap_or_else(|error| unreachable!("{error:?}")),
                }
            }
        };
        known.insert(term, expanded);
        stack.pop();
    }
    known[&root]
}

impl Demand {
    /// Several demands as one.
    fn all(demands: Vec<Demand>) -> Demand {
        let terms: Vec<Term> = demands.iter().map(|one| one.term).collect();
        let mut free: Vec<(Term, Term)> = demands.iter().flat_map(|one| one.free.clone()).collect();
        free.sort_by_key(|(_, variable)| variable.id());
        free.dedup();
        Demand {
            term: Term::and(&terms),
            conjuncts: demands.into_iter().flat_map(|one| one.conjuncts).collect(),
            free,
            strategies: Vec::new(),
        }
    }

    /// Whether it may be impossible to meet in some state, although it was met in another. Functions
    /// are part of a run and may differ between runs.
    fn can_fail(&self, part: &System) -> bool {
        let mentions = Mentions::of(self.term);
        let mut variables = mentions.variables.iter();
        variables.any(|one| part.variable(*one).is_some()) || !mentions.functions.is_empty()
    }

    /// Says of a state that some strategy leads to a next one.
    fn open(&self) -> Term {
        let each = self.strategies.iter().map(|one| self.open_by(one));
        Term::or(&each.collect::<Vec<_>>())
    }

    /// Says of a state that a strategy leads to a next one.
    fn open_by(&self, strategy: &Strategy) -> Term {
        expand(self.term, &mut FxHashMap::default(), |variable| {
            Leaf::Is(strategy.get(&variable).copied().unwrap_or(variable))
        })
    }

    /// Adds a strategy that is open in a state in which none was, given free values with which the
    /// demand is met there. Nothing is added, and the answer is no, where there are too many already or
    /// it is one of them.
    fn learn(
        &mut self,
        state: &dyn Fn(Term) -> Option<Value>,
        values: &FxHashMap<Term, Value>,
        deadline: Instant,
    ) -> bool {
        let strategy = self.generalise(state, values, deadline);
        if self.strategies.len() >= MOST_STRATEGIES || self.strategies.contains(&strategy) {
            return false;
        }
        self.strategies.push(strategy);
        true
    }

    /// Finds terms over the state with which the demand is met in it, one variable after the other:
    /// what it was before, what it is compared with, or else the value itself.
    fn generalise(
        &self,
        state: &dyn Fn(Term) -> Option<Value>,
        values: &FxHashMap<Term, Value>,
        deadline: Instant,
    ) -> Strategy {
        let mut environment = values.clone();
        let read = Mentions::of(self.term).variables.into_iter();
        for variable in read.chain(self.free.iter().map(|(_, variable)| *variable)) {
            if let Some(value) = state(variable) {
                environment.insert(variable, value);
            }
        }
        let comparisons = comparisons(self.term);
        let mut strategy = Strategy::default();
        for (free, variable) in &self.free {
            let given = values[free].clone();
            let mut chosen = Term::constant(given.clone());
            for candidate in candidates(*free, *variable, &comparisons) {
                if Instant::now() >= deadline {
                    break;
                }
                let candidate = expand(candidate, &mut FxHashMap::default(), |one| {
                    Leaf::Is(strategy.get(&one).copied().unwrap_or(one))
                });
                let mentioned = Mentions::of(candidate).variables;
                if mentioned.iter().any(|one| values.contains_key(one)) {
                    continue;
                }
                let Ok(value) = Evaluator::new(&environment).value(candidate) else {
                    continue;
                };
                environment.insert(*free, value);
                if Evaluator::new(&environment).value(self.term) == Ok(Value::Bool(true)) {
                    chosen = candidate;
                    break;
                }
                environment.insert(*free, given.clone());
            }
            strategy.insert(*free, chosen);
        }
        strategy
    }
}

/// Terms that may serve as the next value of a variable: its value before, what it is compared with,
/// and one more or less.
fn candidates(free: Term, variable: Term, comparisons: &[[Term; 2]]) -> Vec<Term> {
    let mut found = vec![variable];
    if variable.sort() == Sort::Bool {
        found.push(variable.not());
    }
    let mut bounds = Vec::new();
    for [one, other] in comparisons {
        let reads = |term: Term| Mentions::of(term).variables.contains(&free);
        let bound = match (reads(*one), reads(*other)) {
            (true, false) => solve_for(*one, free, *other, DEPTH),
            (false, true) => solve_for(*other, free, *one, DEPTH),
            _ => None,
        };
        bounds.extend(bound);
        if bounds.len() >= MOST_BOUNDS {
            break;
        }
    }
    found.extend(&bounds);
    let one = match free.sort() {
        Sort::Int => Term::int(1),
        Sort::Real => Term::int(1).to_real(),
        _ => return found,
    };
    for bound in bounds {
        found.push(Term::add(&[bound, one]));
        found.push(bound.sub(one));
    }
    found
}

/// The sides of all comparisons in a term, each pair once.
fn comparisons(term: Term) -> Vec<[Term; 2]> {
    let (mut stack, mut seen) = (vec![term], FxHashSet::default());
    let mut found = Vec::new();
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        if let (Op::Eq | Op::Le, [one, other]) = (term.op(), term.args()) {
            found.push([*one, *other]);
        }
        stack.extend(term.args());
    }
    found
}
