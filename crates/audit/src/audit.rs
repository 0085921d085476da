//! Checks proofs and refutations again.
//!
//! The default auditor is a fresh embedded solver that does not simplify: the definitions that the
//! provers take out of the formulas stay in, so that a fault there would show. It costs no process;
//! starting another solver takes longer than most proofs. A user who trusts the embedded solver
//! not at all names another.

use crate::obligation::{Obligation, ObligationPart, obligations};
use proofmark_model::{Mentions, Phase, Program, Proof, Refutation, System, Term, Unroller};
use proofmark_solve::{Answer, Budget, EMBEDDED, Embedded, EmbeddedOptions, SolveError, Solver};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What the notary says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Audit {
    /// The verdict was checked again, and is right.
    Passed {
        /// The solver, or the simulator.
        by: String,
        /// What the audit took.
        time: Duration,
    },
    /// The verdict is wrong, or its reason is: an internal error.
    Failed {
        /// What is wrong with it.
        what: String,
    },
    /// The solver has no answer.
    Unknown {
        /// Why it has none.
        why: String,
    },
}

/// Makes a solver that has been told nothing yet.
pub type OpenSolver<'o> = dyn Fn() -> Result<Box<dyn Solver>, SolveError> + 'o;

/// The solver for audits: the one of that name, the default when none is named.
pub fn auditor(name: Option<&str>) -> Result<Box<dyn Solver>, SolveError> {
    match name {
        None | Some(EMBEDDED) => Ok(Box::new(Embedded::new(EmbeddedOptions {
            preprocessing: false,
        }))),
        Some(name) => proofmark_solve::open(name),
    }
}

/// The auditor where none is named: the default one or, where the system has operations that the
/// embedded solver does not know, a second process of the solver that proves.
pub fn default_auditor<'n>(system: &System, prover: &'n str) -> Option<&'n str> {
    if prover == EMBEDDED {
        return None;
    }
    let mut solver = Embedded::default();
    let mut unroller = Unroller::new(system);
    let elements = system.elements().iter();
    let mut terms: Vec<Term> = Vec::new();
    for element in elements {
        terms.push(unroller.at(element.part(Phase::Init), 0));
        terms.push(unroller.at(element.part(Phase::Step), 1));
    }
    terms.extend(
        system
            .properties()
            .iter()
            .map(|one| unroller.at(one.term, 0)),
    );
    // A scope makes the solver look at what it was told.
    let told = terms.into_iter().try_for_each(|term| solver.assert(term));
    let known = told.and_then(|()| solver.push());
    matches!(known, Err(SolveError::Unsupported { .. })).then_some(prover)
}

/// How an auditor, `None` for the default one, differs from the solver that proves.
pub fn difference(prover: &str, auditor: Option<&str>) -> &'static str {
    let auditor = auditor.unwrap_or(EMBEDDED);
    match (prover == auditor, auditor) {
        (true, EMBEDDED) => {
            "a fresh instance of the solver that proves, without its preprocessing: definitions are \
             not taken out of formulas; encoding and search are the same code"
        }
        (true, _) => "another process of the solver that proves",
        (false, _) => "another solver than the one that proves",
    }
}

/// Checks that a proof proves a property of the system, given by its position.
pub fn audit_proof(
    system: &System,
    property: usize,
    proof: &Proof,
    open: &OpenSolver<'_>,
    time: Option<Duration>,
) -> Result<Audit, SolveError> {
    let start = Instant::now();
    Notary::new(system, open, time).examine(&[(property, proof)], start)
}

/// Checks proofs of several properties, with one answer for each.
///
/// Proofs of one depth are first checked as one: when each conjunction is `k`-inductive, all of
/// them together are. That takes two queries for all; only when they fail is each asked about.
pub fn audit_proofs(
    system: &System,
    proofs: &[(usize, &Proof)],
    open: &OpenSolver<'_>,
    time: Option<Duration>,
) -> Result<Vec<Audit>, SolveError> {
    let notary = Notary::new(system, open, time);
    let mut depths: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, (_, proof)) in proofs.iter().enumerate() {
        depths.entry(proof.k).or_default().push(at);
    }
    let mut audits = vec![None; proofs.len()];
    for group in depths.values() {
        let together: Vec<(usize, &Proof)> = group.iter().map(|at| proofs[*at]).collect();
        let audit = notary.examine(&together, Instant::now())?;
        let decided = group.len() == 1 || matches!(audit, Audit::Passed { .. });
        // To ask about each takes long, and when the time is up there is no answer anyway.
        let late = matches!(audit, Audit::Unknown { .. }) && notary.is_late();
        for &at in group {
            audits[at] = Some(match decided || late {
                true => audit.clone(),
                false => notary.examine(&[proofs[at]], Instant::now())?,
            });
        }
    }
    // Every proof is in the group of its depth.
    Ok(audits.into_iter().flatten().collect())
}

struct Notary<'a> {
    system: &'a System,
    open: &'a OpenSolver<'a>,
    deadline: Option<Instant>,
}

impl<'a> Notary<'a> {
    fn new(system: &'a System, open: &'a OpenSolver<'a>, time: Option<Duration>) -> Notary<'a> {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Notary {
            system,
            open,
            deadline,
        }
    }

    fn is_late(&self) -> bool {
        let now = Instant::now();
        self.deadline.is_some_and(|deadline| deadline <= now)
    }

    /// Checks proofs of one depth as one proof.
    fn examine(&self, proofs: &[(usize, &Proof)], start: Instant) -> Result<Audit, SolveError> {
        let mut properties = Vec::new();
        let mut invariants = Vec::new();
        let mut k = 0;
        for (property, proof) in proofs {
            if let Err(what) = well_formed(self.system, *property, proof) {
                return Ok(Audit::Failed { what });
            }
            properties.push(self.system.properties()[*property].term);
            invariants.extend(proof.invariants.iter().map(|invariant| invariant.term));
            k = proof.k;
        }
        let mut by = String::new();
        for obligation in obligations(self.system, &properties, &invariants, k) {
            let mut solver = (self.open)()?;
            by = solver.name();
            match self.discharge(&obligation, &mut *solver) {
                Ok(None) => {}
                Ok(Some(audit)) => return Ok(audit),
                Err(SolveError::Unsupported { why, .. }) => return Ok(Audit::Unknown { why }),
                Err(error) => return Err(error),
            }
        }
        let time = start.elapsed();
        Ok(Audit::Passed { by, time })
    }

    /// Nothing when every goal follows from its facts.
    fn discharge(
        &self,
        obligation: &Obligation,
        solver: &mut dyn Solver,
    ) -> Result<Option<Audit>, SolveError> {
        let many = obligation.stages.len() > 1;
        for stage in &obligation.stages {
            for term in stage.facts.iter().flat_map(|(_, terms)| terms) {
                solver.assert(*term)?;
            }
            if many {
                solver.push()?;
            }
            solver.assert(stage.goal.not())?;
            let time = self
                .deadline
                .map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if time.is_some_and(|time| time.is_zero()) {
                return Ok(Some(open(obligation.part, "the time is up")));
            }
            solver.set_budget(Budget { effort: None, time });
            match solver.check(&[])? {
                Answer::Unsat => {}
                Answer::Sat => return Ok(Some(failed(obligation.part, &stage.otherwise))),
                Answer::Unknown(why) => {
                    return Ok(Some(open(obligation.part, &why.to_string())));
                }
            }
            if many {
                solver.pop(1)?;
                solver.assert(stage.goal)?;
            }
        }
        Ok(None)
    }
}

fn failed(part: ObligationPart, otherwise: &str) -> Audit {
    let part = part.as_str();
    let what = format!("the {part} of the induction does not hold: {otherwise}");
    Audit::Failed { what }
}

fn open(part: ObligationPart, why: &str) -> Audit {
    let part = part.as_str();
    let why = format!("no answer about the {part} of the induction: {why}");
    Audit::Unknown { why }
}

/// Whether a proof speaks of this system at all.
fn well_formed(system: &System, property: usize, proof: &Proof) -> Result<(), String> {
    if property >= system.properties().len() {
        return Err(format!("the system has no property {property}"));
    }
    if proof.k == 0 {
        return Err("an induction of depth 0 proves nothing".into());
    }
    let variables = system.variables().iter();
    let current: FxHashSet<Term> = variables.map(|variable| variable.current).collect();
    for invariant in &proof.invariants {
        if invariant.term.sort() != proofmark_model::Sort::Bool {
            return Err(format!("the invariant {:?} is no formula", invariant.term));
        }
        let mentions = Mentions::of(invariant.term);
        if let Some(stranger) = mentions.variables.difference(&current).next() {
            return Err(format!(
                "an invariant mentions {stranger:?}, which is not part of a state"
            ));
        }
    }
    Ok(())
}

/// Runs a refutation in the simulator: the property is false at its step, and no constraint is
/// violated up to there.
pub fn audit_refutation(program: &Program, property: usize, refutation: &Refutation) -> Audit {
    let start = Instant::now();
    let (_, outcome) = program.machine().run(&refutation.trace);
    let step = refutation.step as usize;
    let fail = |what: String| Audit::Failed { what };
    if property >= outcome.first_false.len() {
        return fail(format!("the system has no property {property}"));
    }
    if let Some(broken) = outcome.broken_at().filter(|broken| *broken <= step) {
        return fail(format!("the run violates an assumption at step {broken}"));
    }
    match outcome.refuted_at(property) {
        Some(found) if found == step => Audit::Passed {
            by: "simulator".into(),
            time: start.elapsed(),
        },
        Some(found) => fail(format!(
            "the property is first false at step {found}, not at step {step}"
        )),
        None => fail("the property holds at every step of the run".into()),
    }
}
