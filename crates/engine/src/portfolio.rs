//! The portfolio: engines side by side on a few threads, and a judge that combines their findings.
//!
//! Each worker thread has some of the engines and lets the one that has cost least take the next
//! step, so that none starves another; a worker whose engines all wait sleeps until a message comes.
//! The judge, on the caller's thread, receives findings, settles properties (an induction step counts
//! when bounded model checking has covered its base), and tells all workers. No thread polls:
//! each worker and the judge block on their mailboxes, and an interrupt from outside is a letter, too.
//!
//! A worker that is alone waits after each step until the judge has read its letters and answered. So
//! messages always come between the same steps, and a check with one thread does the same each time.
//!
//! The judge prefers a shortest counterexample: a refutation by another engine waits, for a limited
//! time, until bounded model checking has covered the steps before it or has found a shorter run.

use crate::bmc::Bmc;
use crate::engine::{Engine, Finding, MakeSolver, Message, Progress, PropertyId};
use crate::finite::FiniteIc3;
use crate::invgen::InvariantGeneration;
use crate::kind::KInduction;
use crate::pdr::Pdr;
use crate::reduce::Reducer;
use proofmark_model::{Invariant, Program, Proof, Refutation, System, Term, Trace};
use proofmark_solve::{Budget, Interrupt, Listener, SolveError, Solver};
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// An engine, as options and reports name it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EngineName {
    /// Bounded model checking: refutes with the shortest runs, and covers the base of inductions.
    Bmc,
    /// Induction of growing depth, strengthened by the invariants of other engines.
    KInduction,
    /// Guesses facts from runs, and keeps those that are inductive.
    InvariantGeneration,
    /// Property-directed reachability on terms.
    Pdr,
    /// On bits: of netlists and of finite systems.
    Ic3,
    /// On netlists, when it is asked for.
    Interpolation,
    /// What makes a netlist smaller, when nothing is left.
    Simplification,
    /// Decision diagrams, for what is said of whole runs.
    Diagrams,
}

impl EngineName {
    /// Those that work on systems of terms.
    pub const ALL: [EngineName; 6] = [
        EngineName::Bmc,
        EngineName::InvariantGeneration,
        EngineName::KInduction,
        EngineName::Pdr,
        EngineName::Ic3,
        EngineName::Diagrams,
    ];

    /// Those that work on netlists when nobody says otherwise.
    pub const BITS: [EngineName; 2] = [EngineName::Ic3, EngineName::Bmc];

    /// Those that can work on netlists.
    pub const ON_BITS: [EngineName; 3] =
        [EngineName::Ic3, EngineName::Bmc, EngineName::Interpolation];

    /// The name in options and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            EngineName::Bmc => "bmc",
            EngineName::KInduction => "k-induction",
            EngineName::InvariantGeneration => "invariant-generation",
            EngineName::Pdr => "pdr",
            EngineName::Ic3 => "ic3",
            EngineName::Interpolation => "interpolation",
            EngineName::Simplification => "simplification",
            EngineName::Diagrams => "diagrams",
        }
    }
}

/// How long and with what a check may work.
#[derive(Clone, Debug)]
pub struct Limits {
    /// What invariant generation tries besides its own guesses, and what property-directed
    /// reachability begins with; every engine proves it before using it. The terms are over
    /// current variables of the system, such that the solver takes them.
    pub advice: Vec<Invariant>,
    /// How many steps are known in which no run refutes a property: bounded model checking goes on
    /// from there, and leaves the others more of the time.
    pub safe: u32,
    /// The engines that take part. An induction is settled only as deep as bounded model checking,
    /// or `safe`, covers its base.
    pub engines: Vec<EngineName>,
    /// How many worker threads, at least one; the judge has the thread of the caller.
    pub jobs: usize,
    /// Wall clock for the whole check; without it, the check ends when no engine can go on.
    pub time: Option<Duration>,
    /// Keep the states on which inductions fail.
    pub explain_inductions: bool,
    /// When set, the check ends with what is settled.
    pub interrupt: Interrupt,
    /// What the engines of a thread may cost together, roughly in propagations of a
    /// solver: the same on every machine, for solvers that count.
    pub effort: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            advice: Vec::new(),
            safe: 0,
            engines: EngineName::ALL.to_vec(),
            jobs: 2,
            time: None,
            explain_inductions: false,
            interrupt: Interrupt::default(),
            effort: None,
        }
    }
}

/// What became of a property.
#[derive(Clone, Debug)]
pub enum EngineVerdict {
    /// It holds in every reachable state.
    Valid {
        /// The invariants that are `k`-inductive together with the property.
        proof: Proof,
        /// The engine whose finding settled it.
        engine: EngineName,
    },
    /// A run violates it.
    Invalid {
        /// The run, and the step at which the property is false.
        refutation: Refutation,
        /// The engine that found the run.
        engine: EngineName,
    },
    /// No run of so many steps refutes it; more is not known.
    Unknown {
        /// Counted from the first, as bounded model checking went.
        steps: u32,
        /// What ended the check, in words for people.
        why: String,
        /// States on which the last induction failed, if they were asked for.
        induction: Option<Trace>,
    },
}

/// What a [`check`] says of one property.
#[derive(Clone, Debug)]
pub struct CheckResult {
    /// What became of the property.
    pub verdict: EngineVerdict,
    /// Since the start of the check.
    pub time: Duration,
}

/// Progress of a check, for a display.
#[derive(Clone, Debug)]
pub enum Report {
    /// An engine is at work at a depth.
    Depth {
        /// The name of the engine.
        engine: &'static str,
        /// Steps, or frames, as the engine counts.
        depth: u32,
    },
    /// A property has its verdict.
    Settled {
        /// Its position in the system.
        property: PropertyId,
    },
}

/// What workers send to the judge.
enum Letter {
    Finding(EngineName, Finding),
    Depth(&'static str, u32),
    Failed(SolveError),
    Interrupted,
    /// A worker without others waits until all its letters are read.
    Await(Sender<()>),
}

/// The effort of an engine's first step; each step that is cut short gets twice as much.
const FIRST_EFFORT: u64 = 500;

/// Where the first steps are known, bounded model checking waits until others have spent so much, and
/// then gets so much less than they do.
const HEAD_START: u64 = 10_000;
const ADVANTAGE: u64 = 3;

/// For each question on the way to a smaller proof.
const REDUCTION_EFFORT: u64 = 100_000;

/// A refutation is held back as long again as it took to find, and at least so long.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a worker is told, and for whom.
#[derive(Clone)]
struct Post {
    message: Message,
    /// The engine that sent it, which does not receive it.
    except: Option<EngineName>,
}

/// Proves or refutes every property of a system.
pub fn check(
    system: &System,
    program: &Program,
    limits: &Limits,
    make_solver: &MakeSolver<'_>,
    watch: &mut dyn FnMut(Report),
) -> Result<Vec<CheckResult>, SolveError> {
    let start = Instant::now();
    let (to_judge, letters) = channel();
    let to_judge = Arc::new(to_judge);
    let stop = Arc::new(Stop::default());
    let listener = listener(&to_judge, &stop);
    limits.interrupt.on_set(&listener);
    if limits.interrupt.is_set() {
        listener();
    }
    let jobs = limits.jobs.clamp(1, limits.engines.len().max(1));
    std::thread::scope(|scope| {
        let mut mailboxes = Vec::new();
        for job in 0..jobs {
            let (mailbox, messages) = channel();
            mailboxes.push(mailbox);
            let engines: Vec<EngineName> = limits
                .engines
                .iter()
                .copied()
                .skip(job)
                .step_by(jobs)
                .collect();
            let worker = Worker {
                system,
                program,
                limits,
                make_solver,
                engines,
                messages,
                to_judge: Arc::clone(&to_judge),
                stop: &stop,
                alone: jobs == 1,
            };
            scope.spawn(move || worker.run());
        }
        drop(to_judge);
        let judge = Judge::new(system, limits, make_solver, &stop, start, mailboxes);
        let outcome = judge.preside(&letters, watch);
        stop.set();
        // A worker that waits for the judge ends when nobody can read its letter any more.
        drop(letters);
        outcome
    })
}

/// What an interrupt does: it stops all solvers and sends the judge a letter. The listener holds only
/// a weak sender, so the judge's mailbox closes when the workers end.
fn listener(to_judge: &Arc<Sender<Letter>>, stop: &Arc<Stop>) -> Arc<Listener> {
    let (to_judge, stop) = (Arc::downgrade(to_judge), Arc::clone(stop));
    Arc::new(move || {
        if let Some(to_judge) = to_judge.upgrade() {
            // The judge may be gone already.
            let _ = to_judge.send(Letter::Interrupted);
        }
        stop.set();
    })
}

struct Worker<'a> {
    system: &'a System,
    program: &'a Program,
    limits: &'a Limits,
    make_solver: &'a MakeSolver<'a>,
    engines: Vec<EngineName>,
    messages: Receiver<Post>,
    to_judge: Arc<Sender<Letter>>,
    stop: &'a Stop,
    /// Whether there is no other worker.
    alone: bool,
}

/// Ends the work of all, also of solvers in the middle of a check.
#[derive(Default)]
struct Stop {
    set: AtomicBool,
    solvers: Mutex<Vec<Interrupt>>,
}

impl Stop {
    fn is_set(&self) -> bool {
        self.set.load(Ordering::SeqCst)
    }

    fn solvers(&self) -> MutexGuard<'_, Vec<Interrupt>> {
        // A list of handles is whole even after a panic.
        self.solvers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self) {
        self.set.store(true, Ordering::SeqCst);
        self.solvers().iter().for_each(Interrupt::set);
    }

    fn add(&self, solver: &dyn Solver) {
        self.add_interrupt(solver.interrupt());
    }

    fn add_interrupt(&self, interrupt: Interrupt) {
        let mut solvers = self.solvers();
        // The lock on the list is held: an interrupt set after this check finds the solver in it.
        if self.is_set() {
            interrupt.set();
        }
        solvers.push(interrupt);
    }
}

struct Seat<'a> {
    name: EngineName,
    engine: Box<dyn Engine + 'a>,
    effort: u64,
    depth: u32,
    waiting: bool,
}

impl<'a> Worker<'a> {
    /// A closed channel means that the judge has gone home: then there is nothing left to do.
    fn run(self) {
        if let Err(error) = self.work() {
            // The judge may be gone already.
            let _ = self.to_judge.send(Letter::Failed(error));
        }
    }

    fn work(&self) -> Result<(), SolveError> {
        let mut seats = Vec::new();
        for name in &self.engines {
            if self.stop.is_set() {
                return Ok(());
            }
            let Some(engine) = self.make(*name)? else {
                continue;
            };
            seats.push(Seat {
                name: *name,
                engine,
                effort: FIRST_EFFORT,
                depth: 0,
                waiting: false,
            });
        }
        while !self.stop.is_set() {
            loop {
                let all_wait = seats.iter().all(|seat| seat.waiting);
                let Post { message, except } = if all_wait {
                    match self.messages.recv() {
                        Ok(post) => post,
                        Err(_) => return Ok(()),
                    }
                } else {
                    match self.messages.try_recv() {
                        Ok(post) => post,
                        Err(_) => break,
                    }
                };
                for seat in seats.iter_mut().filter(|seat| Some(seat.name) != except) {
                    seat.engine.hear(&message)?;
                    seat.waiting = false;
                }
            }
            let spent = seats.iter().map(|seat| seat.engine.spent()).sum::<u64>();
            if self.limits.effort.is_some_and(|most| spent >= most) {
                return Ok(());
            }
            let ready = seats.iter_mut().filter(|seat| !seat.waiting);
            if let Some(next) = ready.min_by_key(|seat| self.counted(seat))
                && !self.turn(next)?
            {
                return Ok(());
            }
        }
        Ok(())
    }

    /// What an engine has spent, as it counts where they take turns.
    fn counted(&self, seat: &Seat<'_>) -> u64 {
        let spent = seat.engine.spent();
        match seat.name {
            EngineName::Bmc if self.limits.safe > 0 => {
                spent.saturating_mul(ADVANTAGE).saturating_add(HEAD_START)
            }
            _ => spent,
        }
    }

    /// The engine of a name, if it has something to say about the system.
    fn make(&self, name: EngineName) -> Result<Option<Box<dyn Engine + 'a>>, SolveError> {
        let engine: Box<dyn Engine + 'a> = match name {
            EngineName::Bmc => {
                let safe = self.limits.safe;
                Box::new(Bmc::new(self.system, self.program, self.solver()?, safe)?)
            }
            EngineName::KInduction => {
                let explains = self.limits.explain_inductions;
                Box::new(KInduction::new(self.system, self.solver()?, explains)?)
            }
            EngineName::Pdr => {
                let seeds = self.limits.advice.iter().map(|invariant| invariant.term);
                Box::new(Pdr::new(
                    self.system,
                    seeds.collect(),
                    &self.solver_factory(),
                )?)
            }
            EngineName::InvariantGeneration => {
                let advice = &self.limits.advice;
                let solver_factory = Box::new(self.solver_factory());
                let engine =
                    InvariantGeneration::new(self.system, self.program, advice, solver_factory);
                Box::new(engine?)
            }
            EngineName::Ic3 => {
                let interrupt = Interrupt::default();
                self.stop.add_interrupt(interrupt.clone());
                match FiniteIc3::new(self.system, self.program, interrupt) {
                    Some(engine) => Box::new(engine),
                    None => return Ok(None),
                }
            }
            EngineName::Interpolation | EngineName::Simplification | EngineName::Diagrams => {
                return Ok(None);
            }
        };
        Ok(Some(engine))
    }

    fn solver(&self) -> Result<Box<dyn Solver>, SolveError> {
        self.solver_factory()()
    }

    /// Makes solvers that stop when all do.
    fn solver_factory(&self) -> impl Fn() -> Result<Box<dyn Solver>, SolveError> + use<'a> {
        let (make_solver, stop) = (self.make_solver, self.stop);
        move || {
            let solver = make_solver()?;
            stop.add(&*solver);
            Ok(solver)
        }
    }

    /// One step of an engine; false when the judge has gone.
    fn turn(&self, seat: &mut Seat<'_>) -> Result<bool, SolveError> {
        let mut present = true;
        let mut found = false;
        let name = seat.name;
        let progress = seat.engine.step(seat.effort, &mut |finding| {
            found = true;
            present &= self.to_judge.send(Letter::Finding(name, finding)).is_ok();
        })?;
        seat.waiting = matches!(progress, Progress::Waiting);
        let depth = seat.engine.depth();
        if depth != seat.depth || found {
            seat.effort = FIRST_EFFORT;
        } else {
            seat.effort = seat.effort.saturating_mul(2);
        }
        if depth != seat.depth {
            seat.depth = depth;
            present &= self
                .to_judge
                .send(Letter::Depth(seat.engine.name(), depth))
                .is_ok();
        }
        Ok(present && (!self.alone || self.is_heard()))
    }

    /// Waits until the judge has read all letters; false when the judge has gone.
    fn is_heard(&self) -> bool {
        let (sender, answer) = channel();
        self.to_judge.send(Letter::Await(sender)).is_ok() && answer.recv().is_ok()
    }
}

/// Settles properties.
struct Judge<'a> {
    system: &'a System,
    limits: &'a Limits,
    make_solver: &'a MakeSolver<'a>,
    stop: &'a Stop,
    start: Instant,
    mailboxes: Vec<Sender<Post>>,
    outcomes: Vec<Option<CheckResult>>,
    /// Steps in which no open property is refuted.
    steps: u32,
    /// Inductions whose base is not covered yet.
    pending: Vec<Induction>,
    /// Refutations that may not be the shortest.
    held: Vec<Held>,
    /// For each property the states on which its last induction failed.
    failed: Vec<Option<Trace>>,
}

struct Induction {
    properties: Vec<PropertyId>,
    proof: Proof,
    engine: EngineName,
}

/// From so many terms on, that are inductive together, each is first looked at by itself, and the others hear of
/// all at once: what costs as much as there are terms for each of them must be rare.
const LARGE: usize = 64;

struct Held {
    property: PropertyId,
    refutation: Refutation,
    engine: EngineName,
    /// No longer than this.
    until: Instant,
}

impl<'a> Judge<'a> {
    fn new(
        system: &'a System,
        limits: &'a Limits,
        make_solver: &'a MakeSolver<'a>,
        stop: &'a Stop,
        start: Instant,
        mailboxes: Vec<Sender<Post>>,
    ) -> Judge<'a> {
        Judge {
            system,
            limits,
            make_solver,
            stop,
            start,
            mailboxes,
            outcomes: vec![None; system.properties().len()],
            steps: limits.safe,
            pending: Vec::new(),
            held: Vec::new(),
            failed: vec![None; system.properties().len()],
        }
    }

    fn preside(
        mut self,
        letters: &Receiver<Letter>,
        watch: &mut dyn FnMut(Report),
    ) -> Result<Vec<CheckResult>, SolveError> {
        let end = self.limits.time.map(|time| self.start + time);
        let mut why = "the engines have nothing more to try".to_string();
        while self.outcomes.iter().any(Option::is_none) {
            let alarm = self.held.iter().map(|held| held.until).chain(end).min();
            let letter = match alarm {
                None => letters.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(alarm) => {
                    letters.recv_timeout(alarm.saturating_duration_since(Instant::now()))
                }
            };
            match letter {
                Ok(Letter::Finding(engine, finding)) => self.hear(engine, finding, watch)?,
                Ok(Letter::Depth(engine, depth)) => watch(Report::Depth { engine, depth }),
                Ok(Letter::Failed(error)) => return Err(error),
                Ok(Letter::Await(worker)) => {
                    // A worker that has ended does not wait.
                    let _ = worker.send(());
                }
                Ok(Letter::Interrupted) => {
                    why = "interrupted".into();
                    break;
                }
                Err(RecvTimeoutError::Timeout) if alarm < end || end.is_none() => {
                    self.release(|held| Some(held.until) <= alarm, watch);
                }
                Err(RecvTimeoutError::Timeout) => {
                    why = "the time is up".into();
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.release(|_| true, watch);
        let (steps, time) = (self.steps, self.start.elapsed());
        let unknown = |induction| CheckResult {
            verdict: EngineVerdict::Unknown {
                steps,
                why: why.clone(),
                induction,
            },
            time,
        };
        Ok(self
            .outcomes
            .into_iter()
            .zip(self.failed)
            .map(|(outcome, failed)| outcome.unwrap_or_else(|| unknown(failed)))
            .collect())
    }

    fn hear(
        &mut self,
        engine: EngineName,
        finding: Finding,
        watch: &mut dyn FnMut(Report),
    ) -> Result<(), SolveError> {
        match finding {
            Finding::Refuted {
                property,
                refutation,
            } => {
                // An induction that leaned on it is none.
                self.pending
                    .retain(|induction| !induction.properties.contains(&property));
                self.refuted(property, refutation, engine, watch);
            }
            Finding::Holds { steps } => {
                self.steps = self.steps.max(steps);
                self.release(|held| held.refutation.step <= steps, watch);
            }
            Finding::Inductive {
                properties,
                k,
                invariants,
            } => {
                // What holds by a shallow induction holds by a deeper one.
                let k = invariants
                    .iter()
                    .map(|invariant| invariant.k)
                    .fold(k, u32::max);
                let proof = Proof { k, invariants };
                // It may have been on its way when one of them was refuted.
                if !properties.iter().any(|one| self.is_refuted(*one)) {
                    self.pending.push(Induction {
                        properties,
                        proof,
                        engine,
                    });
                }
            }
            Finding::NotInductive { property, states } => self.failed[property] = Some(states),
            Finding::Invariants(invariants) => self.tell(&Message::Invariants(invariants)),
        }
        self.conclude(watch)
    }

    fn is_refuted(&self, property: PropertyId) -> bool {
        let outcome = self.outcomes[property].as_ref();
        outcome.is_some_and(|one| matches!(one.verdict, EngineVerdict::Invalid { .. }))
            || self.held.iter().any(|held| held.property == property)
    }

    /// Settles a refutation that is the shortest for all that can be known, and holds others back;
    /// from then on only bounded model checking works on the property.
    fn refuted(
        &mut self,
        property: PropertyId,
        refutation: Refutation,
        engine: EngineName,
        watch: &mut dyn FnMut(Report),
    ) {
        let alone = !self.limits.engines.contains(&EngineName::Bmc);
        if engine == EngineName::Bmc || alone || refutation.step <= self.steps {
            self.held.retain(|held| held.property != property);
            self.settle(
                property,
                EngineVerdict::Invalid { refutation, engine },
                watch,
            );
            return;
        }
        if self.outcomes[property].is_some() {
            return;
        }
        let patience = self.start.elapsed().max(PATIENCE);
        self.held.push(Held {
            property,
            refutation,
            engine,
            until: Instant::now() + patience,
        });
        let message = Message::Settled { property };
        self.post(&message, Some(EngineName::Bmc));
    }

    /// Settles the refutations that need not be held back any more.
    fn release(&mut self, which: impl Fn(&Held) -> bool, watch: &mut dyn FnMut(Report)) {
        let (ready, held): (Vec<Held>, Vec<Held>) =
            std::mem::take(&mut self.held).into_iter().partition(which);
        self.held = held;
        for Held {
            property,
            refutation,
            engine,
            ..
        } in ready
        {
            self.settle(
                property,
                EngineVerdict::Invalid { refutation, engine },
                watch,
            );
        }
    }

    /// Settles the inductions whose base is covered.
    fn conclude(&mut self, watch: &mut dyn FnMut(Report)) -> Result<(), SolveError> {
        let (ready, pending): (Vec<Induction>, Vec<Induction>) = std::mem::take(&mut self.pending)
            .into_iter()
            .partition(|one| one.proof.k <= self.steps);
        self.pending = pending;
        for induction in ready {
            self.conclude_one(&induction, watch)?;
        }
        Ok(())
    }

    /// Each property gets a proof of its own: the others of the set are invariants there.
    fn conclude_one(
        &mut self,
        induction: &Induction,
        watch: &mut dyn FnMut(Report),
    ) -> Result<(), SolveError> {
        let Induction {
            properties,
            proof,
            engine,
        } = induction;
        let k = proof.k;
        let all = self.system.properties();
        let own = properties.iter().map(|property| all[*property].term);
        let others = proof.invariants.iter().map(|invariant| invariant.term);
        let terms: Vec<Term> = own.chain(others).collect();
        let solver = (self.make_solver)()?;
        self.stop.add(&*solver);
        let mut reducer = Reducer::new(self.system, terms.clone(), k, solver)?;
        let is_large = terms.len() > LARGE;
        let alone = match is_large {
            true => reducer.unsupported(properties.len(), self.reduction_budget())?,
            false => Vec::new(),
        };
        let (mut proved, mut lemmas) = (Vec::new(), Vec::new());
        for (at, &property) in properties.iter().enumerate() {
            if self.outcomes[property].is_some() {
                continue;
            }
            if is_large {
                let budget = self.reduction_budget();
                // A proof from all the others would be as large as all proofs may be together.
                if budget.time.is_some_and(|time| time.is_zero()) {
                    break;
                }
                if alone[at] || reducer.needs_no_other(at, budget)? {
                    proved.push((property, Vec::new()));
                    lemmas.push(Invariant { term: terms[at], k });
                    continue;
                }
            }
            let support = match reducer.support(at, self.reduction_budget())? {
                Some(support) => support,
                // IC3 reads the system through a netlist. Where the netlist knows more of a state than the
                // terms say, the induction settles nothing.
                None if *engine == EngineName::Ic3 => continue,
                None => (0..terms.len()).filter(|other| *other != at).collect(),
            };
            let invariant = |at: &usize| Invariant {
                term: terms[*at],
                k,
            };
            let invariants: Vec<Invariant> = support.iter().map(invariant).collect();
            // A lemma for the others, with all that its proof rests on.
            lemmas.extend(invariants.iter().cloned());
            lemmas.push(invariant(&at));
            if is_large {
                proved.push((property, invariants));
                continue;
            }
            self.tell(&Message::Invariants(std::mem::take(&mut lemmas)));
            let (engine, proof) = (*engine, Proof { k, invariants });
            self.settle(property, EngineVerdict::Valid { proof, engine }, watch);
        }
        if !lemmas.is_empty() {
            let mut seen = FxHashSet::default();
            lemmas.retain(|lemma| seen.insert(lemma.term));
            self.tell(&Message::Invariants(lemmas));
        }
        for (property, invariants) in proved {
            let (engine, proof) = (*engine, Proof { k, invariants });
            self.settle(property, EngineVerdict::Valid { proof, engine }, watch);
        }
        Ok(())
    }

    /// A proof may stay larger than need be when the time is up.
    fn reduction_budget(&self) -> Budget {
        let left = |time: Duration| time.saturating_sub(self.start.elapsed());
        Budget {
            effort: Some(REDUCTION_EFFORT),
            time: self.limits.time.map(left),
        }
    }

    fn settle(
        &mut self,
        property: PropertyId,
        verdict: EngineVerdict,
        watch: &mut dyn FnMut(Report),
    ) {
        if self.outcomes[property].is_some() {
            return;
        }
        self.outcomes[property] = Some(CheckResult {
            verdict,
            time: self.start.elapsed(),
        });
        watch(Report::Settled { property });
        self.tell(&Message::Settled { property });
    }

    fn tell(&self, message: &Message) {
        self.post(message, None);
    }

    /// A worker that has ended needs no message.
    fn post(&self, message: &Message, except: Option<EngineName>) {
        for mailbox in &self.mailboxes {
            let message = message.clone();
            let _ = mailbox.send(Post { message, except });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::{Origin, Property};
    use proofmark_solve::Embedded;

    fn refuted(engine: EngineName, step: u32) -> Letter {
        let trace = Trace::new(Vec::new());
        let finding = Finding::Refuted {
            property: 0,
            refutation: Refutation { trace, step },
        };
        Letter::Finding(engine, finding)
    }

    fn holds(steps: u32) -> Letter {
        Letter::Finding(EngineName::Bmc, Finding::Holds { steps })
    }

    /// Who refutes the only property, and where, when these letters come.
    fn judged(letters: Vec<Letter>, limits: &Limits) -> Option<(EngineName, u32)> {
        let mut system = System::default();
        let property = Property {
            name: "p".into(),
            term: Term::bool(true),
            origin: Origin::generated(),
        };
        system.add_property(property).unwrap();
        let make = || Ok(Box::new(Embedded::default()) as Box<dyn Solver>);
        let (stop, start) = (Stop::default(), Instant::now());
        let judge = Judge::new(&system, limits, &make, &stop, start, Vec::new());
        let (to_judge, mailbox) = channel();
        for letter in letters {
            to_judge.send(letter).unwrap();
        }
        let outcomes = judge.preside(&mailbox, &mut |_| {}).unwrap();
        match &outcomes[0].verdict {
            EngineVerdict::Invalid { refutation, engine } => Some((*engine, refutation.step)),
            _ => None,
        }
    }

    #[test]
    fn the_shortest_refutation_wins() {
        use EngineName::{Bmc, Pdr};
        let limits = Limits::default();
        let shorter = vec![refuted(Pdr, 5), holds(4), refuted(Bmc, 4)];
        assert_eq!(judged(shorter, &limits), Some((Bmc, 4)));
        let covered = vec![refuted(Pdr, 5), holds(5), refuted(Bmc, 5)];
        assert_eq!(judged(covered, &limits), Some((Pdr, 5)));
        let covered_before = vec![holds(5), refuted(Pdr, 5), refuted(Bmc, 5)];
        assert_eq!(judged(covered_before, &limits), Some((Pdr, 5)));
    }

    #[test]
    fn a_refutation_is_not_lost_with_the_time() {
        use EngineName::{Bmc, Pdr};
        let hasty = Limits {
            time: Some(Duration::from_millis(10)),
            ..Limits::default()
        };
        let letters = vec![refuted(Pdr, 5), holds(4)];
        assert_eq!(judged(letters, &hasty), Some((Pdr, 5)));
        let interrupted = vec![refuted(Pdr, 5), Letter::Interrupted, refuted(Bmc, 4)];
        assert_eq!(judged(interrupted, &Limits::default()), Some((Pdr, 5)));
    }

    #[test]
    fn without_bounded_model_checking_nobody_waits() {
        let alone = Limits {
            engines: vec![EngineName::Pdr],
            ..Limits::default()
        };
        let letters = vec![refuted(EngineName::Pdr, 5), refuted(EngineName::Bmc, 4)];
        assert_eq!(judged(letters, &alone), Some((EngineName::Pdr, 5)));
    }
}
