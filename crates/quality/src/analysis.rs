//! One analysis of cores from end to end: what was asked for is computed, audited, and told in the
//! units of the caller.

use crate::auditor::Auditor;
use crate::goal::{ProofGoal, Set};
use crate::ivc::{self, Core, Minimality, Must};
use crate::notary::{CoreAudit, audit_cores};
use crate::oracle::{Counts, Oracle, OracleError, Resources};
use proofmark_model::{ElementId, Invariant, Proof, System};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Which cores are wanted; without anything, that of the proof at hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Request {
    /// Remove units until none can go.
    pub minimal: bool,
    /// Put every removal to the engines and reuse nothing: slow, and simple enough to compare with.
    pub brute_force: bool,
    /// Enumerate the minimal cores.
    pub all: bool,
    /// With `all`: how many at most.
    pub limit: Option<usize>,
    /// Find the units that every core has; they also come for nothing when all cores are known.
    pub must: bool,
    /// Look for a core with the fewest units.
    pub smallest: bool,
}

/// A core in the units of the caller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundCore {
    /// By position among the caller's units.
    pub units: BTreeSet<usize>,
    /// The units of which it is not known whether the others suffice; nothing when nobody asked.
    pub undecided: Option<BTreeSet<usize>>,
    /// The proof that goes through with these units.
    pub proof: Proof,
}

impl FoundCore {
    /// Whether it is known that no unit less suffices.
    pub fn is_minimal(&self) -> Option<bool> {
        let undecided = self.undecided.as_ref()?;
        undecided.is_empty().then_some(true)
    }
}

/// What an analysis found.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// One, or with `all` the minimal ones in the order in which they were found.
    pub cores: Vec<FoundCore>,
    /// The units that every core has, and those of which it is not known; when asked.
    pub must: Option<(BTreeSet<usize>, BTreeSet<usize>)>,
    /// With `all`: whether there are no other minimal cores.
    pub complete: Option<bool>,
    /// With `smallest`: whether no core has fewer units.
    pub smallest: Option<bool>,
    /// What the auditor says of the cores; empty when nobody audits.
    pub audit: CoreAudit,
    /// How the questions of the oracle were decided.
    pub counts: Counts,
    /// Without the audit.
    pub time: Duration,
    /// How long the audit took.
    pub audit_time: Duration,
}

/// What is asked about cores.
pub struct CoreQuestion<'a> {
    /// The whole system; what the properties do not depend on is left out here.
    pub system: &'a System,
    /// The properties, taken together, by position.
    pub properties: &'a [usize],
    /// A proof of all of them.
    pub proof: &'a Proof,
    /// What is removed as one.
    pub units: &'a [Vec<ElementId>],
    /// Which cores are wanted.
    pub request: Request,
}

/// Looks for cores of properties among units of a system; an audit that fails is an error.
pub fn analyze_units(
    question: &CoreQuestion<'_>,
    resources: Resources<'_>,
    auditor: Option<Auditor<'_>>,
    found: &mut dyn FnMut(&FoundCore),
) -> Result<Analysis, OracleError> {
    let CoreQuestion {
        system,
        properties,
        proof,
        units,
        request,
    } = question;
    let goal = ProofGoal::new(system, properties, units, &proof.invariants)?;
    let analysis = analyze(&goal, proof, request, resources, auditor, found)?;
    match &analysis.audit.failed {
        Some(what) => Err(OracleError::Audit(what.clone())),
        None => Ok(analysis),
    }
}

/// Looks for cores of a goal from a proof of it; `found` hears of each core with `all`.
pub fn analyze(
    goal: &ProofGoal,
    proof: &Proof,
    request: &Request,
    resources: Resources<'_>,
    auditor: Option<Auditor<'_>>,
    found: &mut dyn FnMut(&FoundCore),
) -> Result<Analysis, OracleError> {
    let start = Instant::now();
    let mut oracle = Oracle::new(goal, proof, resources)?;
    let mut cores = Vec::new();
    let (mut complete, mut smallest, mut enumeration) = (None, None, None);
    let mut first = match request.brute_force {
        true => ivc::brute_force(&mut oracle)?,
        false => ivc::from_proof(&mut oracle)?,
    };
    if request.minimal || request.smallest {
        first = ivc::minimize(&mut oracle, first)?;
    }
    if request.smallest {
        let map = (resources.open)()?;
        let (core, proved) = ivc::smallest(&mut oracle, first.clone(), map)?;
        first = core;
        smallest = Some(proved);
    }
    if request.all {
        let map = (resources.open)()?;
        let mut count = 0;
        let every = ivc::enumerate(&mut oracle, first.clone(), map, &mut |oracle, core| {
            found(&tell(oracle, core));
            count += 1;
            request.limit.is_none_or(|limit| count < limit)
        })?;
        complete = Some(every.complete);
        cores.extend(every.cores.iter().cloned());
        first = cores.first().cloned().unwrap_or(first);
        enumeration = Some(every);
    } else {
        cores.push(first.clone());
    }
    let must = match (complete, request.must) {
        (Some(true), _) => Some(common(goal, &cores)),
        (_, true) => Some(ivc::must(&mut oracle, &first)?),
        _ => None,
    };
    let time = start.elapsed();
    let audit = match auditor {
        Some(auditor) => audit_cores(
            &oracle,
            &cores,
            must.as_ref(),
            enumeration.as_ref(),
            &|| (auditor.open)(),
            resources.deadline.map(|_| auditor.time),
        )?,
        None => CoreAudit::default(),
    };
    let caller = |set: &Set| callers(goal, set);
    Ok(Analysis {
        cores: cores.iter().map(|core| tell(&oracle, core)).collect(),
        must: must.map(|must| (caller(&must.units), caller(&must.undecided))),
        complete,
        smallest,
        audit,
        counts: oracle.counts,
        time,
        audit_time: start.elapsed().saturating_sub(time),
    })
}

/// One proof of several properties from a proof of each: together they are as inductive as the
/// deepest of them.
pub fn joint_proof<'p>(proofs: impl IntoIterator<Item = &'p Proof>) -> Proof {
    let mut joint = Proof {
        k: 1,
        invariants: Vec::<Invariant>::new(),
    };
    for proof in proofs {
        joint.k = joint.k.max(proof.k);
        for invariant in &proof.invariants {
            if !joint.invariants.contains(invariant) {
                joint.invariants.push(invariant.clone());
            }
        }
    }
    joint
}

/// What all cores share.
fn common(goal: &ProofGoal, cores: &[Core]) -> Must {
    let mut units = goal.units.all();
    for core in cores {
        units.intersect_with(&core.units);
    }
    let undecided = goal.units.none();
    Must { units, undecided }
}

fn callers(goal: &ProofGoal, set: &Set) -> BTreeSet<usize> {
    set.ones().map(|unit| goal.originals[unit]).collect()
}

fn tell(oracle: &Oracle<'_>, core: &Core) -> FoundCore {
    let undecided = match &core.minimality {
        Minimality::Untried => None,
        Minimality::Minimal => Some(BTreeSet::new()),
        Minimality::Undecided(units) => Some(callers(oracle.goal, units)),
    };
    FoundCore {
        units: callers(oracle.goal, &core.units),
        undecided,
        proof: oracle.proof(core.proof).clone(),
    }
}
