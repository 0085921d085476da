//! The audit of cores: nothing that is claimed of a unit is taken on trust.
//!
//! That a core suffices is audited like any proof, on the part of the system that it is. That a unit
//! is needed is shown by a run: the simulator replays it on the part without that unit. That a list
//! of cores is complete is checked by asking another solver for a set that contains none of them and
//! is refuted by none of the runs.

use crate::goal::{ProofGoal, Set};
use crate::ivc::{Core, Enumeration, Minimality, Must};
use crate::oracle::{Oracle, OracleError};
use proofmark_audit::{Audit, OpenSolver, audit_proof, audit_refutation};
use proofmark_model::{Program, Refutation, Sort, Term};
use proofmark_solve::{Answer, Budget};
use std::time::Duration;

/// What was audited.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CoreAudit {
    /// Who, by name.
    pub by: Vec<String>,
    /// How many proofs that a core suffices.
    pub proofs: usize,
    /// How many runs that show that a unit is needed.
    pub runs: usize,
    /// What could not be decided, in words.
    pub open: Vec<String>,
    /// What is wrong: an internal error.
    pub failed: Option<String>,
}

impl CoreAudit {
    /// Whether everything was audited.
    pub fn passed(&self) -> bool {
        self.proofs > 0 && self.open.is_empty() && self.failed.is_none()
    }
}

/// Audits that each core suffices and is minimal where that is claimed, that what is said to be
/// needed is, and that the list is complete if it is said to be.
pub fn audit_cores(
    oracle: &Oracle<'_>,
    cores: &[Core],
    must: Option<&Must>,
    enumeration: Option<&Enumeration>,
    open: &OpenSolver<'_>,
    time: Option<Duration>,
) -> Result<CoreAudit, OracleError> {
    let mut notary = Notary {
        oracle,
        open,
        time,
        audit: CoreAudit::default(),
    };
    for core in cores {
        notary.suffices(core)?;
        let undecided = match &core.minimality {
            Minimality::Untried => continue,
            Minimality::Minimal => oracle.goal.units.none(),
            Minimality::Undecided(units) => units.clone(),
        };
        for unit in core.units.difference(&undecided) {
            let mut rest = core.units.clone();
            rest.remove(unit);
            notary.fails(&rest)?;
        }
    }
    for unit in must.iter().flat_map(|must| must.units.ones()) {
        let mut rest = oracle.goal.units.all();
        rest.remove(unit);
        notary.fails(&rest)?;
    }
    if let Some(enumeration) = enumeration.filter(|one| one.complete) {
        notary.complete(enumeration)?;
    }
    Ok(notary.audit)
}

struct Notary<'a> {
    oracle: &'a Oracle<'a>,
    open: &'a OpenSolver<'a>,
    time: Option<Duration>,
    audit: CoreAudit,
}

impl Notary<'_> {
    fn goal(&self) -> &ProofGoal {
        self.oracle.goal
    }

    fn note(&mut self, audit: Audit) -> bool {
        match audit {
            Audit::Passed { by, .. } => {
                if !self.audit.by.contains(&by) {
                    self.audit.by.push(by);
                }
                return true;
            }
            Audit::Failed { what } => self.audit.failed = Some(what),
            Audit::Unknown { why } => self.audit.open.push(why),
        }
        false
    }

    fn suffices(&mut self, core: &Core) -> Result<(), OracleError> {
        let part = self.goal().part(&core.units);
        let proof = self.oracle.proof(core.proof);
        let audit = audit_proof(&part, 0, proof, self.open, self.time)?;
        let passed = self.note(audit);
        self.audit.proofs += usize::from(passed);
        Ok(())
    }

    fn fails(&mut self, set: &Set) -> Result<(), OracleError> {
        let Some(run) = self.oracle.broken_by(set) else {
            self.audit.failed = Some("no run shows that a unit is needed".into());
            return Ok(());
        };
        let run = self.oracle.run(run);
        let part = self.goal().part(set);
        let program = Program::compile(&part)?;
        let refutation = Refutation {
            trace: run.trace.clone(),
            step: run.step(),
        };
        let passed = self.note(audit_refutation(&program, 0, &refutation));
        self.audit.runs += usize::from(passed);
        Ok(())
    }

    fn complete(&mut self, enumeration: &Enumeration) -> Result<(), OracleError> {
        let mut solver = (self.open)()?;
        let literal = |unit: usize| Term::var(&format!("%in{unit}"), Sort::Bool);
        for run in self.oracle.stored_runs() {
            let hit: Vec<Term> = run.breaks.ones().map(literal).collect();
            solver.assert(Term::or(&hit))?;
        }
        for core in &enumeration.cores {
            let lack: Vec<Term> = core.units.ones().map(|unit| literal(unit).not()).collect();
            solver.assert(Term::or(&lack))?;
        }
        solver.set_budget(Budget {
            effort: None,
            time: self.time,
        });
        match solver.check(&[])? {
            Answer::Unsat => {}
            Answer::Sat => self.audit.failed = Some("the list of cores is not complete".into()),
            Answer::Unknown(why) => self.audit.open.push(why.to_string()),
        }
        Ok(())
    }
}
