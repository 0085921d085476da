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
//! Induction is tried on the core first, where that is small; on all that matters, one query about the
//! first steps (5) is also the base of the induction (4).
//!
//! Each verdict is audited: a run is replayed on the whole mutant, a proof checked on the mutant by
//! the auditor of the plan, many mutants at once (when the *core* decides, the proof of the core is checked
//! once: a mutant that leaves it alone has all its elements). An induction covers the first `k` steps
//! of all invariants, with the `k` of the deepest. An audit that takes long is put off to a later round,
//! with more time; a proof without an answer of the auditor is no verdict ([`Fate::Unaudited`]) unless
//! the plan accepts that. A survivor whose assumptions contradict each other is none.
//!
//! Mutants of the same elements share their solvers and, where the proof does without what they
//! change, its parts left open; workers share the runs that killed. The last test waits until all
//! mutants have had the others, and comes in rounds.

use crate::auditor::{Audited, Auditor};
use crate::mutate::Mutation;
use crate::mutate::compare::product::Comparison;
use crate::mutate::compare::survivor::{Comparer, Effort};
use crate::mutate::decide::cascade::Worker;
use crate::mutate::decide::group::Proved;
use crate::mutate::mutant::Mutant;
use crate::mutate::shared::Shared;
use crate::oracle::{OracleError, Resources};
use crate::parallel;
use proofmark_model::{ElementId, LowerError, Lowered, Proof, Refutation, Term, Trace};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

/// What a campaign starts from.
pub struct Plan<'a> {
    /// The original: its system, and what mutations are lowered with.
    pub lowered: &'a Lowered,
    /// The properties, all proved, by position.
    pub properties: &'a [usize],
    /// A proof of all of them together.
    pub proof: &'a Proof,
    /// The elements of a core of that proof, and its proof.
    pub core: &'a FxHashSet<ElementId>,
    /// What is observed, as current terms; `None` when equivalence is not asked for.
    pub observed: Option<&'a [Term]>,
    /// The solvers, engines, threads and time of the campaign.
    pub resources: Resources<'a>,
    /// What is left of a former campaign.
    pub former: &'a Former,
    /// Who audits, if an audit is asked for.
    pub auditor: Option<Auditor<'a>>,
    /// What became of the audit of that proof and its core.
    pub proof_audit: Audited,
}

/// What a former campaign, perhaps on another version of the model, leaves to try first. A run is
/// replayed and a lemma proved again, so that nothing of it is taken on trust.
#[derive(Clone, Debug, Default)]
pub struct Former {
    /// Runs that killed a mutation or told it from the original, by its position.
    pub runs: FxHashMap<usize, Trace>,
    /// Invariants that proved the properties on some mutant.
    pub lemmas: Vec<Term>,
    /// Mutations, by position, that are known to survive and have to be compared only: a
    /// resumed campaign trusts its own journal.
    pub survivors: FxHashMap<usize, Decided>,
}

/// The test that decided a mutant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Test {
    /// No property depends on what was changed.
    Outside,
    /// A proof of all properties does without what was changed.
    Core,
    /// A stored run violates a property, as the simulator says.
    Replay,
    /// The proof of the original goes through on the mutant.
    Induction,
    /// A run of a few steps violates a property.
    Bmc,
    /// The invariants that the mutant leaves inductive prove the properties.
    Filtered,
    /// All engines worked on the mutant.
    Full,
}

impl Test {
    /// In the order in which they are tried.
    pub const ALL: [Test; 7] = [
        Test::Outside,
        Test::Core,
        Test::Replay,
        Test::Induction,
        Test::Bmc,
        Test::Filtered,
        Test::Full,
    ];

    /// The test of a name.
    pub fn named(name: &str) -> Option<Test> {
        Test::ALL.into_iter().find(|one| one.as_str() == name)
    }

    /// The name in reports and in the journal.
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
    /// A run of the mutant violates a property.
    Killed {
        /// The properties that the run violates, by position in the plan's system.
        by: Vec<usize>,
        /// The run, and the step at which it does.
        refutation: Refutation,
    },
    /// The properties hold on the mutant, too.
    Survived {
        /// The mutant beside the original; nothing when equivalence is not asked for.
        comparison: Option<Comparison>,
        /// The audit of the proofs that they do.
        audit: Audited,
    },
    /// The mutant's assumptions contradict each other.
    Vacuous {
        /// The contradiction, in words.
        why: String,
        /// The audit of the proof that they do.
        audit: Audited,
    },
    /// It is no model: what it changes cannot be lowered, or a variable depends on itself.
    NotValid {
        /// What is wrong with it, in words.
        why: String,
    },
    /// Neither a run nor a proof was found.
    Unknown {
        /// How many steps no run of it violates a property.
        steps: u32,
        /// What ended the search, in words.
        why: String,
        /// Whether the time of the whole campaign cut it short.
        cut: bool,
    },
    /// It survives, or is vacuous, for all that the proving solver says; the auditor has no answer.
    Unaudited {
        /// What the auditor said instead, in words.
        why: String,
        /// Whether the time of the whole campaign cut it short.
        cut: bool,
    },
}

impl Fate {
    /// What became of the audit, where there is something to audit.
    pub fn audit(&self) -> Option<Audited> {
        match self {
            Fate::Killed { .. } => Some(Audited::by_simulator()),
            Fate::Survived { comparison, audit } => Some(match comparison {
                Some(Comparison::Equivalent { audit: Some(also) }) => {
                    audit.clone().and(also.clone())
                }
                Some(Comparison::Different(_)) => audit.clone().and(Audited::by_simulator()),
                _ => audit.clone(),
            }),
            Fate::Vacuous { audit, .. } => Some(audit.clone()),
            Fate::Unaudited { why, .. } => Some(Audited::NoAnswer { why: why.clone() }),
            Fate::NotValid { .. } | Fate::Unknown { .. } => None,
        }
    }
}

/// A decided mutant.
#[derive(Clone, Debug)]
pub struct Decided {
    /// What became of it.
    pub fate: Fate,
    /// What decided it; of what is not decided, the last that was tried.
    pub by: Test,
    /// Wall clock over all rounds, with its share of audits of many mutants at once.
    pub time: Duration,
    /// How many queries solvers answered for it.
    pub queries: u64,
    /// What proves that it survives, where that is not the proof of the original.
    pub proof: Option<Proof>,
}

/// A mutant that no cheap test decides, to be looked at again.
pub(crate) struct PutOff {
    /// How many steps no run of it violates a property.
    pub safe: u32,
    /// What is proved of it, and waits for an audit with more time.
    pub proved: Option<Proved>,
    pub time: Duration,
    pub queries: u64,
}

impl PutOff {
    /// What becomes of it when no round decides it.
    fn undecided(self, cut: bool) -> Decided {
        Decided {
            fate: Fate::Unknown {
                steps: self.safe,
                why: "the time is up".into(),
                cut,
            },
            by: Test::Full,
            time: self.time,
            queries: self.queries,
            proof: None,
        }
    }
}

/// What a look at a mutant came to.
pub(crate) enum Step {
    Decided(Decided),
    PutOff(PutOff),
}

/// Where workers tell of mutants.
pub(crate) type Outbox = Sender<parallel::Letter<Step, OracleError>>;

/// One look at all mutants that are put off.
#[derive(Clone, Copy)]
pub(crate) struct Round {
    /// What the engines get for each.
    pub time: Duration,
    /// What the auditor gets for a proof that it is asked about alone.
    pub audit: Duration,
    /// Whether that is less than it would be without a time limit of the campaign.
    pub cut: bool,
    /// Whether there is no time for what needs some to begin with.
    pub brief: bool,
    /// Whether more invariants are tried than those of the proof.
    pub library: bool,
    pub last: bool,
}

impl Round {
    /// A look before all others have had one.
    pub fn trial(plan: &Plan<'_>) -> Round {
        Round {
            time: plan.resources.budget / 120,
            audit: first_audit(plan),
            cut: false,
            brief: true,
            library: false,
            last: false,
        }
    }
}

/// Which part of the budget each round gives, and whether that is brief. Most mutants
/// need little, and leave runs and lemmas that help with the others.
const ROUNDS: [(u32, bool); 4] = [(200, true), (16, false), (4, false), (1, false)];
/// Which part of the auditor's time it gets for one proof before the rounds, and in each of them.
const FIRST_AUDIT: u32 = 50;
const AUDITS: [u32; 4] = [16, 8, 4, 1];

/// What the auditor gets for one proof before the rounds.
pub(crate) fn first_audit(plan: &Plan<'_>) -> Duration {
    let time = plan.auditor.map_or(Duration::ZERO, |auditor| auditor.time);
    match plan.resources.jobs {
        // A single thread audits when it is time to, so that a slow machine puts off nothing.
        0 | 1 => time,
        _ => time / FIRST_AUDIT,
    }
}

/// The rounds, for so many mutants each: when the time of the campaign is limited, what is left is
/// shared by the rounds to come and by all mutants alike, so that none is left out.
fn round(number: usize, mutants: usize, left: Option<Duration>, plan: &Plan<'_>) -> Round {
    let (part, brief) = ROUNDS[number];
    let wanted = plan.resources.budget / part;
    let audit = plan.auditor.map_or(Duration::ZERO, |auditor| auditor.time);
    let audit = audit / AUDITS[number];
    let share = left.map_or(wanted.max(audit), |left| {
        let rounds = (ROUNDS.len() - number) as u32;
        let each = mutants.div_ceil(plan.resources.jobs.max(1)).max(1);
        left / rounds / each as u32
    });
    Round {
        time: wanted.min(share),
        audit: audit.min(share),
        cut: share < wanted.max(audit),
        brief,
        library: true,
        last: number + 1 == ROUNDS.len(),
    }
}

/// What a campaign tells while it runs.
pub enum News<'a> {
    /// A mutant survives; it is told of again when it is compared with the original.
    Survives(&'a Decided),
    /// A mutant has its final verdict.
    Decided(&'a Decided),
}

/// Decides all mutations; `found` hears of each at once, on the caller's thread. Those in `skip`
/// are left out.
pub fn campaign(
    plan: &Plan<'_>,
    mutations: &[Mutation],
    skip: &dyn Fn(usize) -> bool,
    found: &mut dyn FnMut(usize, News<'_>),
) -> Result<Vec<Option<Decided>>, OracleError> {
    let todo: Vec<usize> = (0..mutations.len()).filter(|at| !skip(*at)).collect();
    let lower = |at: &usize| Mutant::new(plan.lowered, &mutations[*at], &format!("mutant{at}:"));
    let lowered = parallel::map(plan.resources.jobs, &todo, &|| (), &|(), at| lower(at));
    let mutants: FxHashMap<usize, Result<Mutant, LowerError>> =
        todo.iter().copied().zip(lowered).collect();
    let shared = Shared::new(plan, &mutants)?;
    let mut ledger = Ledger {
        compares: &|at| {
            let system = &plan.lowered.system;
            plan.observed.is_some() && !mutations[at].is_of_assumption(system)
        },
        decided: vec![None; mutations.len()],
        survivors: Vec::new(),
        found,
    };
    let (known, todo): (Vec<usize>, Vec<usize>) = todo
        .into_iter()
        .partition(|at| plan.former.survivors.contains_key(at));
    for at in known {
        ledger.settle(at, plan.former.survivors[&at].clone());
    }
    let hard = first_looks(&shared, mutations, &todo, &mut ledger)?;
    let hard = rounds(&shared, hard, &mut ledger)?;
    for (at, one) in hard {
        ledger.settle(at, one.undecided(plan.resources.exhausted()));
    }
    // Verdicts first: a comparison may take long, and tells two kinds of survivors apart.
    let mut survivors = std::mem::take(&mut ledger.survivors);
    survivors.sort_by_key(|(at, _)| *at);
    compare_all(&shared, &survivors, &mut |at, one| ledger.close(at, one))?;
    Ok(ledger.decided)
}

/// What is known of each mutant.
struct Ledger<'f> {
    /// Whether a survivor is compared with the original. A changed assumption is no fault, so that
    /// nobody asks what else it does.
    compares: &'f dyn Fn(usize) -> bool,
    decided: Vec<Option<Decided>>,
    /// What is still to be compared.
    survivors: Vec<(usize, Decided)>,
    found: &'f mut dyn FnMut(usize, News<'_>),
}

impl Ledger<'_> {
    /// Takes down a verdict.
    fn settle(&mut self, at: usize, one: Decided) {
        match one.fate {
            Fate::Survived { .. } if (self.compares)(at) => {
                (self.found)(at, News::Survives(&one));
                self.survivors.push((at, one));
            }
            _ => self.close(at, one),
        }
    }

    /// Takes down the last word on a mutant.
    fn close(&mut self, at: usize, one: Decided) {
        (self.found)(at, News::Decided(&one));
        self.decided[at] = Some(one);
    }
}

/// The cheap tests on all mutants, group by group. What they do not decide is put off.
fn first_looks(
    shared: &Shared<'_>,
    mutations: &[Mutation],
    todo: &[usize],
    ledger: &mut Ledger<'_>,
) -> Result<Vec<(usize, PutOff)>, OracleError> {
    let plan = shared.plan;
    let jobs = plan.resources.jobs;
    let most = todo.len().div_ceil(PIECES * jobs.max(1));
    let mut groups = groups(todo, mutations, most.max(SMALLEST));
    // What the proof does without takes least.
    let needed = |id: &ElementId| plan.core.contains(id);
    groups.sort_by_key(|group| mutations[group[0]].elements().iter().any(needed));
    let neighbours = (shared.working.positions.len() / LARGE).clamp(1, NEIGHBOURS);
    let pieces: Vec<&[Vec<usize>]> = groups.chunks(neighbours).collect();
    let (mut hard, wanted) = (Vec::new(), AtomicBool::new(false));
    parallel::each(
        jobs,
        pieces.len(),
        &|| Worker::new(shared),
        &|worker, piece, sender| match piece {
            Some(at) => worker.neighbours(pieces[at], sender),
            None => {
                worker.settle(sender)?;
                // Others may still be at work.
                if wanted.load(Ordering::SeqCst) && !plan.resources.exhausted() {
                    shared.library()?;
                }
                Ok(())
            }
        },
        &mut |at, step| match step {
            Step::Decided(one) => ledger.settle(at, one),
            Step::PutOff(one) => {
                wanted.store(true, Ordering::SeqCst);
                hard.push((at, one));
            }
        },
    )?;
    Ok(hard)
}

/// Looks at what is put off, with more time in each round; returns what none decides.
fn rounds(
    shared: &Shared<'_>,
    mut hard: Vec<(usize, PutOff)>,
    ledger: &mut Ledger<'_>,
) -> Result<Vec<(usize, PutOff)>, OracleError> {
    let plan = shared.plan;
    for number in 0..ROUNDS.len() {
        if hard.is_empty() {
            break;
        }
        let mut left = plan.resources.left();
        if plan.observed.is_some_and(|observed| !observed.is_empty()) {
            // Survivors have to be compared, too.
            left = left.map(|left| left / 2);
        }
        let round = round(number, hard.len(), left, plan);
        let mut left = Vec::new();
        hard.sort_by_key(|(at, _)| *at);
        parallel::each(
            plan.resources.jobs,
            hard.len(),
            &|| Worker::in_round(shared, round),
            &|worker, piece, sender| match piece.map(|index| &hard[index]) {
                Some((at, one)) => worker.put_off(*at, one, round, sender),
                None => worker.settle(sender),
            },
            &mut |at, step| match step {
                Step::Decided(one) => ledger.settle(at, one),
                Step::PutOff(one) => left.push((at, one)),
            },
        )?;
        hard = left;
    }
    Ok(hard)
}

/// Compares survivors with the original: all with little effort first, so that the time is not spent on
/// a few, then those that need more.
fn compare_all(
    shared: &Shared<'_>,
    survivors: &[(usize, Decided)],
    hear: &mut dyn FnMut(usize, Decided),
) -> Result<(), OracleError> {
    if survivors.is_empty() {
        return Ok(());
    }
    let Some(lockstep_base) = shared.lockstep_base()? else {
        return Ok(());
    };
    let jobs = shared.plan.resources.jobs;
    let compare = |survivors: &[(usize, Decided)], effort, hear: &mut dyn FnMut(usize, Decided)| {
        parallel::each(
            jobs,
            survivors.len(),
            &|| Comparer::new(shared, &lockstep_base),
            &|comparer, piece, sender| {
                let survivor = piece.map(|index| &survivors[index]);
                // What survives was lowered.
                if let Some((at, one)) = survivor
                    && let Some(Ok(mutant)) = shared.mutants.get(at)
                {
                    let decided = comparer.survivor(*at, one, mutant, effort)?;
                    // A closed channel means that the campaign has ended; the result is dropped.
                    let _ = sender.send(Ok((*at, decided)));
                }
                Ok(())
            },
            hear,
        )
    };
    let mut hard = Vec::new();
    compare(survivors, Effort::Little, &mut |at, one| match one.fate {
        Fate::Survived {
            comparison: None, ..
        } => hard.push((at, one)),
        _ => hear(at, one),
    })?;
    hard.sort_by_key(|(at, _)| *at);
    compare(&hard, Effort::Much, hear)
}

/// A large group is divided, so that no worker is left alone with it: into pieces of which each
/// worker gets so many, none of them smaller than this.
const PIECES: usize = 4;
const SMALLEST: usize = 24;

/// To tell a solver of a large system takes longer than to ask it, so groups share one: one group more
/// for so many elements, and so many at most.
const LARGE: usize = 100;
const NEIGHBOURS: usize = 8;

/// Mutations by the elements that they change, in the order of the source, so many at most.
fn groups(todo: &[usize], mutations: &[Mutation], most: usize) -> Vec<Vec<usize>> {
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
    let pieces = groups.iter().flat_map(|group| group.chunks(most));
    pieces.map(<[usize]>::to_vec).collect()
}
