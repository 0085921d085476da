//! Does a surviving mutant have a run at all?
//!
//! All properties hold on a mutant whose assumptions accept nothing. So a survivor needs a run that
//! its assumptions accept: a stored one, one that is repaired, or one that a solver finds. A
//! contradiction that a solver proves makes the mutant vacuous; without either answer the mutant is
//! unknown.

use crate::auditor::Audited;
use crate::mutate::campaign::{Fate, Test};
use crate::mutate::compare::fault_simulation::FaultSimulation;
use crate::mutate::compare::product::{FanOut, Seen};
use crate::mutate::decide::cascade::Worker;
use crate::mutate::decide::group::Looked;
use crate::mutate::decide::repair::{FEW_ATTEMPTS, MOST_ATTEMPTS, Repair, Repaired};
use crate::mutate::mutant::Mutant;
use crate::mutate::shared::{CONSISTENT, accepted_run};
use crate::oracle::OracleError;
use proofmark_audit::{Assumptions, vacuity};
use proofmark_model::{Program, System, Trace};
use rustc_hash::FxHashSet;
use std::cell::RefCell;

/// How many stored runs are mended for a mutant.
const MENDED: usize = 2;

/// What is known of a mutant's assumptions.
enum Assumed {
    Consistent,
    Contradiction {
        why: &'static str,
        audit: Audited,
    },
    /// Neither a run nor a contradiction was found.
    Unknown {
        why: String,
    },
}

/// What the solver that proves says of assumptions.
enum Contradicting {
    Yes(&'static str, Audited),
    No,
    Unknown { why: String },
}

impl Worker<'_> {
    /// A mutant on which all properties hold, with the audit of that, if it has runs at all.
    pub(crate) fn survived(
        &mut self,
        mutant: &Mutant,
        by: Test,
        audit: Audited,
    ) -> Result<Looked, OracleError> {
        let fate = match self.assumed(mutant)? {
            Assumed::Consistent => Fate::Survived {
                comparison: None,
                audit,
            },
            Assumed::Contradiction { why, audit } if self.stands(&audit) => {
                let why = why.into();
                Fate::Vacuous { why, audit }
            }
            Assumed::Contradiction { why, audit } => {
                let doubt = match audit {
                    Audited::NoAnswer { why } => why,
                    _ => String::new(),
                };
                self.unaudited(&format!("{why}: {doubt}"))
            }
            Assumed::Unknown { why } => Fate::Unknown {
                steps: self.shared.plan.proof.k,
                why: format!("it is not known whether the assumptions accept a run: {why}"),
                cut: self.shared.plan.resources.exhausted(),
            },
        };
        Ok(Looked::Decided(fate, by))
    }

    /// Whether the assumptions of a mutant contradict each other. A stored run that it accepts, as it
    /// is or mended, shows that they do not.
    fn assumed(&self, mutant: &Mutant) -> Result<Assumed, OracleError> {
        let shared = self.shared;
        let Some(part) = &shared.assumptions else {
            return Ok(Assumed::Consistent);
        };
        let within = mutant.within(&part.positions);
        if within.elements.is_empty() {
            return Ok(Assumed::Consistent);
        }
        let fan_out = FanOut::new(shared.system(), &shared.readers, mutant);
        let simulation = FaultSimulation::new(shared.system(), &[], mutant, &fan_out);
        let mut runs = shared.accepted.runs();
        runs.retain(|seen| seen.broken_at.is_none());
        for seen in &runs {
            if simulation.is_same(seen) {
                shared.accepted.credit(seen);
                return Ok(Assumed::Consistent);
            }
        }
        let resources = &shared.plan.resources;
        let repair = Repair {
            dependencies: &shared.dependencies,
            system: shared.system(),
            readers: &shared.readers,
            mutant,
            open: resources.open,
        };
        for attempts in [FEW_ATTEMPTS, MOST_ATTEMPTS] {
            let mut damaged = FxHashSet::default();
            for seen in runs.iter().take(MENDED) {
                match repair.mend(seen, attempts)? {
                    Repaired::Run(run) => {
                        self.accept(&run);
                        return Ok(Assumed::Consistent);
                    }
                    Repaired::Damaged(elements) => damaged.extend(elements),
                }
            }
            if resources.exhausted() {
                let why = "the time is up".into();
                return Ok(Assumed::Unknown { why });
            }
            if let Some(excerpt) = repair.excerpt(&damaged)
                && let Contradicting::Yes(why, audit) = self.contradiction(&excerpt)?
            {
                return Ok(Assumed::Contradiction { why, audit });
            }
        }
        self.by_solver(&within.of(&part.system)?)
    }

    /// Keeps a run that some mutant accepts for others.
    fn accept(&self, run: &Trace) {
        let seen = Seen::of(&self.shared.original, run);
        if seen.broken_at.is_none() {
            self.shared.accepted.add(seen);
        }
    }

    /// Whether the constraints of a system contradict each other, and what the auditor says of that.
    fn contradiction(&self, system: &System) -> Result<Contradicting, OracleError> {
        let plan = self.shared.plan;
        let (open, program) = (|| (plan.resources.open)(), Program::compile(system)?);
        let found = vacuity(system, &program, &open, Some(plan.resources.time()))?;
        let Some(why) = found.contradiction() else {
            return Ok(match found {
                Assumptions::Unknown { why } => Contradicting::Unknown { why },
                _ => Contradicting::No,
            });
        };
        let Some(auditor) = &plan.auditor else {
            return Ok(Contradicting::Yes(why, Audited::NotAskedFor));
        };
        let by = RefCell::new(String::new());
        let open = || {
            let solver = (auditor.open)()?;
            by.replace(solver.name());
            Ok(solver)
        };
        let time = plan.resources.within(auditor.time);
        let audit = match vacuity(system, &program, &open, Some(time))? {
            Assumptions::NoFirstState | Assumptions::NoNextState => Audited::by(by.take()),
            Assumptions::Unknown { why } => Audited::NoAnswer { why },
            Assumptions::Consistent => {
                let what = format!("{why}, and there is a run that satisfies them");
                return Err(OracleError::Audit(what));
            }
        };
        Ok(Contradicting::Yes(why, audit))
    }

    /// Whether the assumptions of a system contradict each other, by a solver that is told of all.
    fn by_solver(&self, system: &System) -> Result<Assumed, OracleError> {
        let resources = &self.shared.plan.resources;
        let program = Program::compile(system)?;
        let run = accepted_run(system, CONSISTENT, resources)?;
        let found = run.is_some();
        if let Some(run) = run.filter(|run| program.machine().run(run).1.violated.is_empty()) {
            self.accept(&run);
            return Ok(Assumed::Consistent);
        }
        Ok(match self.contradiction(system)? {
            Contradicting::Yes(why, audit) => Assumed::Contradiction { why, audit },
            Contradicting::No if found => Assumed::Unknown {
                why: "the simulator does not accept the run that a solver found".into(),
            },
            Contradicting::No => Assumed::Consistent,
            Contradicting::Unknown { why } => Assumed::Unknown { why },
        })
    }
}
