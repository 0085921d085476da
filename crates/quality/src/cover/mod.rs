//! Coverage: which registers and gates of a netlist does a property see?
//!
//! Chockler, Kroening and Purandare, "Coverage in Interpolation-based Model Checking" (2010). A site (a
//! register, a word of them, a gate) is cut: it gets any value, or is stuck at false or true. The site is
//! *covered* when a property that held fails then. Each property is proved once; what its proof and the
//! runs of some cuts say about the others decides nearly all of them, cheap tests first:
//!
//! ```text
//!  proof ─▶ outside, CORE ─▶ SIMULATION ─▶ COUNTEREXAMPLE ─▶ INDUCTION, RESTART, HOUDINI ─▶ engines
//!            (induction)      64 lanes      one unrolling        (induction)          (model_checking)
//!                  ▲                │             │                                       │
//!                  │                └── runs, replayed on all that is open ◀──────────────┤
//!                  └──────────────────── proofs, tried on all that is open ◀──────────────┘
//! ```
//!
//! `board` holds what is decided and draws the conclusions from one criterion to the others. Nothing
//! counts that is not confirmed: a run by replaying it on the cut netlist, a proof by the checker of LRAT
//! proofs. What no test decides in time is undecided, and said so.

mod board;
mod cores;
mod counterexample;
mod induction;
mod model_checking;
mod outside;
mod paper;
mod simulation;
mod suggest;

use crate::auditor::Audited;
use crate::netlist::{NetlistQuestion, NetlistVerdict, constraints_block, verify_netlist};
use crate::verify::VerifyError;
pub use board::{Board, Certificate, CutRun, CutVerdict, Decision, Evidence, Listener, News};
pub use cores::{NetlistCore, NetlistCoreQuestion, NetlistCores, netlist_cores};
use counterexample::BoundedCuts;
use paper::{Checked, Fixpoint};
pub use proofmark_audit::cuts::Cut;
use proofmark_audit::{Audit, audit_bit_trace};
use proofmark_engine::EngineName;
use proofmark_engine::bits::BitLimits;
use proofmark_model::graph::{BitProof, Criteria, Criterion, CutSites, Netlist};
use simulation::FaultSimulation;
use std::time::{Duration, Instant};
pub use suggest::suggest;

/// The tests, from cheap to dear.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Test {
    /// The property does not depend on the site.
    Outside,
    /// The proof does not need the site.
    Core,
    /// A simulated run shows the bad signal.
    Simulation,
    /// Bounded search finds a run.
    Counterexample,
    /// The claims of the proof follow from what they follow from in the original.
    Induction,
    /// The claims of the proof are still inductive together.
    Restart,
    /// Some of the claims are, and suffice.
    Houdini,
    /// The engines on the cut netlist.
    Ic3,
    /// The same, and interpolation was first.
    Interpolation,
    /// Another criterion of the same site says it.
    Implied,
}

impl Test {
    /// All tests, in order.
    pub const ALL: [Test; 10] = [
        Test::Outside,
        Test::Core,
        Test::Simulation,
        Test::Counterexample,
        Test::Induction,
        Test::Restart,
        Test::Houdini,
        Test::Ic3,
        Test::Interpolation,
        Test::Implied,
    ];

    /// As reports write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Test::Outside => "outside",
            Test::Core => "core",
            Test::Simulation => "simulation",
            Test::Counterexample => "counterexample",
            Test::Induction => "induction",
            Test::Restart => "restart",
            Test::Houdini => "houdini",
            Test::Ic3 => "ic3",
            Test::Interpolation => "interpolation",
            Test::Implied => "implied",
        }
    }
}

/// What shows what a former session has decided.
#[derive(Clone, Debug)]
pub enum RecalledEvidence {
    /// A run of the cut netlist, which covers.
    Run(CutRun),
    /// A certificate that it does not, by position among those of the property.
    Certificate(usize),
}

/// What a former session has decided of a cut for a property.
#[derive(Clone, Debug)]
pub struct Recalled {
    /// The bad signal, by position.
    pub bad: usize,
    /// The cut.
    pub cut: Cut,
    /// The test that decided.
    pub test: Test,
    /// What it took.
    pub cost: Duration,
    /// What shows it; it is examined again.
    pub evidence: RecalledEvidence,
}

/// How cuts are decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// All tests, cheap ones first, each helping the others.
    #[default]
    Cascade,
    /// Algorithm 1 of the paper as printed: interpolation, and its five tests.
    Paper,
}

/// What is asked about a netlist.
pub struct CoverageQuestion<'a> {
    /// The netlist.
    pub netlist: &'a Netlist,
    /// How cuts are decided.
    pub method: Method,
    /// What is cut.
    pub sites: &'a CutSites,
    /// What is asked about each site.
    pub wanted: Vec<Criteria>,
    /// The bad signals, by position.
    pub bads: Vec<usize>,
    /// How properties are proved; the time is for everything.
    pub limits: BitLimits,
    /// What one audit may take at least.
    pub audit: Duration,
    /// A cut gets no more than this from the engines.
    pub budget: Duration,
    /// The share of the cuts at which it ends.
    pub accuracy: f64,
    /// What need not be decided again, if the evidence convinces.
    pub recalled: Vec<Recalled>,
    /// The certificates to which that refers, with the bad signal of each, in the order of their numbers.
    pub certificates: Vec<(usize, Certificate)>,
    /// Hears of every decision.
    pub listener: Listener<'a>,
}

impl<'a> CoverageQuestion<'a> {
    /// What former sessions have decided of a property.
    fn board(&self, bad: usize) -> Board<'a> {
        let wanted = self.wanted.clone();
        let mut board = Board::new(self.netlist, self.sites, bad, wanted, self.listener);
        let own = self.certificates.iter().filter(|(of, _)| *of == bad);
        let certificates: Vec<Option<usize>> = own
            .map(|(_, one)| board.recall_certificate(one, self.audit))
            .collect();
        for one in self.recalled.iter().filter(|one| one.bad == bad) {
            board.recall(one, &certificates);
        }
        board
    }

    fn progress(&self, end: Option<Instant>) -> Progress<'_> {
        Progress {
            limits: &self.limits,
            audit: Some(self.audit),
            budget: self.budget,
            accuracy: self.accuracy,
            end,
        }
    }
}

/// What became of one property.
pub struct PropertyCoverage<'a> {
    /// The bad signal, by position.
    pub bad: usize,
    /// What the proof took, audit not included.
    pub proof_time: Duration,
    /// What the coverage took after it, audits included.
    pub time: Duration,
    /// The property itself: coverage is a question of those that hold.
    pub verdict: NetlistVerdict,
    /// Its audit.
    pub audit: Option<Audited>,
    /// What is known of the cuts.
    pub board: Board<'a>,
}

impl PropertyCoverage<'_> {
    /// Whether it was proved, so that it can cover something.
    pub fn is_proved(&self) -> bool {
        matches!(self.verdict, NetlistVerdict::Valid { .. })
    }
}

/// What the tests must know of the run: when to stop.
pub struct Progress<'p> {
    limits: &'p BitLimits,
    audit: Option<Duration>,
    budget: Duration,
    accuracy: f64,
    end: Option<Instant>,
}

/// Longer than anybody waits.
const FOREVER: Duration = Duration::from_secs(1 << 32);

impl Progress<'_> {
    /// Whether enough is decided, or the time is up.
    fn is_over(&self, board: &Board<'_>) -> bool {
        self.limits.interrupt.is_set()
            || board.accuracy() >= self.accuracy
            || self.end.is_some_and(|end| Instant::now() >= end)
    }

    fn left(&self) -> Duration {
        let left = |end: Instant| end.saturating_duration_since(Instant::now());
        self.end.map_or(FOREVER, left)
    }

    fn per_cut(&self) -> Duration {
        self.budget
    }
}

/// A share of the proof's time, and never less than so many milliseconds.
fn share(proof: Duration, part: f64, least: u64) -> Duration {
    proof.mul_f64(part).max(Duration::from_millis(least))
}

/// Proves the properties and decides the cuts of each.
pub fn cover<'a>(
    question: &CoverageQuestion<'a>,
) -> Result<Vec<PropertyCoverage<'a>>, VerifyError> {
    let begin = Instant::now();
    let mut covered = Vec::new();
    for (at, &bad) in question.bads.iter().enumerate() {
        let rest = (question.bads.len() - at) as u32;
        let end = question.limits.time.map(|time| {
            let left = time.saturating_sub(begin.elapsed());
            Instant::now() + left / rest
        });
        let proved = match question.method {
            Method::Cascade => prove(question, bad, end)?,
            Method::Paper => prove_by_images(question, bad, end)?,
        };
        covered.push(decide(question, proved, end)?);
    }
    Ok(covered)
}

/// Decides the cuts of a property whose proof is known; it counts once it is confirmed, as always.
pub fn cover_proved<'a>(
    question: &CoverageQuestion<'a>,
    bad: usize,
    proof: BitProof,
) -> Result<PropertyCoverage<'a>, VerifyError> {
    let end = question.limits.time.map(|time| Instant::now() + time);
    let proved = PropertyProof {
        proof_time: Duration::ZERO,
        verdict: NetlistVerdict::Valid {
            proof,
            engine: EngineName::Simplification,
        },
        audit: None,
        depth: 0,
        fixpoint: None,
        board: question.board(bad),
    };
    decide(question, proved, end)
}

/// All tests on one property.
fn decide<'a>(
    question: &CoverageQuestion<'a>,
    mut proved: PropertyProof<'a>,
    end: Option<Instant>,
) -> Result<PropertyCoverage<'a>, VerifyError> {
    if let NetlistVerdict::Valid { proof, .. } = &proved.verdict {
        let progress = question.progress(end);
        proved.board.restart();
        let confirmed = match &proved.fixpoint {
            Some(fixpoint) => paper::tests(&mut proved.board, fixpoint, &progress)?,
            None => {
                let mut cascade = Cascade {
                    proof,
                    proof_time: proved.proof_time,
                    depth: proved.depth,
                    progress,
                };
                cascade.run(&mut proved.board)?
            }
        };
        if !confirmed {
            proved.verdict = NetlistVerdict::Unknown {
                steps: 0,
                why: "a proof was found, and not confirmed in time".into(),
            };
        }
    }
    let PropertyProof {
        proof_time,
        verdict,
        audit,
        board,
        ..
    } = proved;
    Ok(PropertyCoverage {
        bad: board.bad,
        proof_time,
        time: board.elapsed(),
        verdict,
        audit,
        board,
    })
}

/// A property, and what was found of it before any cut was looked at.
struct PropertyProof<'a> {
    proof_time: Duration,
    verdict: NetlistVerdict,
    audit: Option<Audited>,
    /// How deep the engines looked.
    depth: usize,
    /// Where the model checker of the paper ended, if it was asked.
    fixpoint: Option<Fixpoint>,
    board: Board<'a>,
}

/// The property itself. Its proof is not audited here: the certificate of CORE is an audit of it.
fn prove<'a>(
    question: &CoverageQuestion<'a>,
    bad: usize,
    end: Option<Instant>,
) -> Result<PropertyProof<'a>, VerifyError> {
    let begin = Instant::now();
    let mut depth = 0;
    let asked = NetlistQuestion {
        netlist: question.netlist,
        bads: vec![bad],
        limits: BitLimits {
            time: end.map(|end| end.saturating_duration_since(begin)),
            ..question.limits.clone()
        },
        audit: None,
        accept_unaudited: true,
    };
    let verified = verify_netlist(&asked, &mut |_, heard| depth = depth.max(heard as usize))?;
    let board = question.board(bad);
    let mut judgements = verified.judgements;
    let verdict = match judgements.pop() {
        Some(judgement) => judgement.verdict,
        None => unreachable!("one signal was asked about"),
    };
    Ok(PropertyProof {
        proof_time: begin.elapsed(),
        audit: replayed(&board, &verdict)?,
        verdict,
        depth,
        fixpoint: None,
        board,
    })
}

/// The property itself, by the model checker of the paper.
fn prove_by_images<'a>(
    question: &CoverageQuestion<'a>,
    bad: usize,
    end: Option<Instant>,
) -> Result<PropertyProof<'a>, VerifyError> {
    let begin = Instant::now();
    let mut board = question.board(bad);
    board.without_implications();
    let checked = match constraints_block(question.netlist, &question.limits) {
        Some(why) => Checked::Vacuous(why),
        None => paper::check(&board, &question.progress(end)),
    };
    let verdict = paper::verdict(&checked);
    Ok(PropertyProof {
        proof_time: begin.elapsed(),
        audit: replayed(&board, &verdict)?,
        fixpoint: match checked {
            Checked::Holds(fixpoint) => Some(*fixpoint),
            _ => None,
        },
        verdict,
        depth: 0,
        board,
    })
}

/// The audit of a property that is refuted: its run, replayed.
fn replayed(board: &Board<'_>, verdict: &NetlistVerdict) -> Result<Option<Audited>, VerifyError> {
    let NetlistVerdict::Invalid { trace, .. } = verdict else {
        return Ok(None);
    };
    match board.audited(|| audit_bit_trace(board.netlist, board.bad, trace)) {
        Audit::Passed { by, .. } => Ok(Some(Audited::by(by))),
        Audit::Unknown { why } => Ok(Some(Audited::NoAnswer { why })),
        Audit::Failed { what } => {
            let property = board.netlist.bads[board.bad].name.clone();
            Err(VerifyError::Audit { property, what })
        }
    }
}

/// The tests on one property.
struct Cascade<'p> {
    proof: &'p BitProof,
    proof_time: Duration,
    depth: usize,
    progress: Progress<'p>,
}

impl Cascade<'_> {
    /// Whether the proof itself was confirmed: one that nobody confirms decides nothing.
    fn run(&mut self, board: &mut Board<'_>) -> Result<bool, VerifyError> {
        let progress = &self.progress;
        let outside = outside::outside(board.netlist, board.sites, board.bad);
        let mut prover = induction::prover(board, self.proof, &progress.limits.interrupt);
        let time = progress.audit.map(|audit| audit.max(progress.left()));
        if !induction::core(board, &mut prover, &outside, time)? {
            return Ok(false);
        }
        if progress.is_over(board) {
            return Ok(true);
        }
        let mut simulation = FaultSimulation::new(board.netlist, board.sites, board.bad);
        simulation.random(board, progress, share(self.proof_time, 0.1, 40))?;
        simulation.skip_replays(board);
        let mut bounded = BoundedCuts::new(board, &progress.limits.interrupt);
        let depth = (self.depth + self.proof.k as usize + 1).max(4);
        let time = share(self.proof_time, 0.2, 50);
        bounded.search(board, &mut simulation, progress, depth, time)?;
        induction::sustain(board, &mut prover, progress)?;
        if progress.is_over(board) {
            return Ok(true);
        }
        model_checking::model_check(board, &mut prover, &mut simulation, progress)?;
        Ok(true)
    }
}

/// A site for all properties together.
pub fn joint(all: &[PropertyCoverage<'_>], cut: Cut) -> Option<CutVerdict> {
    let proved = || all.iter().filter(|one| one.is_proved());
    let verdicts = || proved().map(|one| one.board.decision(cut).map(|one| one.verdict));
    if verdicts().any(|one| one == Some(CutVerdict::Covered)) {
        return Some(CutVerdict::Covered);
    }
    let settled = verdicts().all(|one| one.is_some()) && proved().next().is_some();
    settled.then_some(CutVerdict::NotCovered)
}

/// The criterion that a word names.
pub fn criterion(word: &str) -> Option<Criterion> {
    Criterion::ALL.into_iter().find(|one| one.as_str() == word)
}
