//! How a worker decides a mutant: the cascade, test after test, and the audit of what it says.

use crate::analysis::joint_proof;
use crate::auditor::Audited;
use crate::mutate::campaign::{Fate, Round, Test, first_audit};
use crate::mutate::compare::product::FanOut;
use crate::mutate::decide::audit_batch::AuditBatch;
use crate::mutate::decide::base_context::{BaseContext, FirstSteps, Inserted};
use crate::mutate::decide::group::{Group, Looked, Proved, put_off};
use crate::mutate::decide::stored_runs::{Fragment, Killer};
use crate::mutate::mutant::Mutant;
use crate::mutate::shared::{Shared, Subsystem};
use crate::oracle::OracleError;
use proofmark_audit::{Audit, audit_proofs};
use proofmark_engine::{EngineName, Extension, Limits, check, extend};
use proofmark_model::{
    ElementId, Invariant, Mentions, Program, Proof, Refutation, System, SystemError, Term, Trace,
    slice,
};
use proofmark_solve::Budget;
use std::cell::OnceCell;
use std::ops::Range;
use std::time::Duration;

/// How many steps more than the deepest kill are looked at.
const FURTHER: u32 = 1;
/// Kills are not looked for further than this without the engines.
const FURTHEST: u32 = 10;
/// No longer than this: late steps can be very hard.
const FURTHER_TIME: Duration = Duration::from_millis(5);
/// A single thread goes by effort for each of them, so that it does the same each time.
const FURTHER_EFFORT: u64 = 300;
/// How many trials of the engines may fail, to begin with and at most.
const FIRST_CREDIT: u32 = 1;
pub(crate) const MOST_CREDIT: u32 = 4;

/// The part of the system that something was proved of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    Core,
    Working,
}

/// Decides mutants.
pub(crate) struct Worker<'s> {
    pub(crate) shared: &'s Shared<'s>,
    /// What is proved and waits for its audit.
    pub(crate) batch: AuditBatch,
    /// What the auditor may take for one proof.
    pub(crate) audit_time: Duration,
    /// Whether what has no audit in that time is put off no more.
    pub(crate) is_last: bool,
    /// Whether the time of the whole campaign makes that time shorter.
    is_cut: bool,
    /// How many trials of the engines may still fail.
    pub(crate) credit: u32,
    /// How many queries the last mutant took.
    pub(crate) queries: u64,
    /// What proved the last mutant, where that is not the proof of the original.
    pub(crate) proof: Option<Proof>,
}

/// A mutant that is worth a closer look.
pub(crate) struct Candidate<'m> {
    mutant: &'m Mutant,
    original: &'m System,
    /// The part that matters: what is changed in it, and how it is then.
    part: Mutant,
    system: System,
    /// All of the mutant, and what runs that; made when first needed.
    whole: OnceCell<System>,
    program: OnceCell<Program>,
}

impl<'m> Candidate<'m> {
    /// Fails where the mutant is no model.
    pub fn new(shared: &Shared<'m>, mutant: &'m Mutant) -> Result<Candidate<'m>, SystemError> {
        let part = mutant.within(&shared.working.positions);
        Ok(Candidate {
            mutant,
            original: shared.system(),
            system: part.of(&shared.working.system)?,
            part,
            whole: OnceCell::new(),
            program: OnceCell::new(),
        })
    }

    /// What runs all of the mutant: the original's program, with what the mutation reaches put right.
    fn program(&self, shared: &Shared<'_>) -> Result<&Program, OracleError> {
        if let Some(program) = self.program.get() {
            return Ok(program);
        }
        let fan_out = FanOut::new(self.original, &shared.readers, self.mutant);
        let program = shared
            .template
            .patch(self.whole()?, &fan_out.into_elements())?;
        Ok(self.program.get_or_init(|| program))
    }

    fn whole(&self) -> Result<&System, OracleError> {
        if let Some(whole) = self.whole.get() {
            return Ok(whole);
        }
        let whole = self.mutant.of(self.original)?;
        Ok(self.whole.get_or_init(|| whole))
    }

    /// What is proved of it with the original's invariants, or with its own.
    fn proved(&self, own: Option<Vec<Term>>) -> Looked {
        Looked::Proved(Proved {
            extent: Extent::Working,
            mutant: self.part.clone(),
            own,
        })
    }

    fn inserted(&self) -> Inserted<'_> {
        Inserted {
            mutant: &self.part,
            system: &self.system,
        }
    }
}

impl<'s> Worker<'s> {
    pub fn new(shared: &'s Shared<'s>) -> Worker<'s> {
        Worker {
            shared,
            batch: AuditBatch::new(shared.plan.resources.jobs),
            audit_time: first_audit(shared.plan),
            is_last: false,
            is_cut: false,
            credit: FIRST_CREDIT,
            queries: 0,
            proof: None,
        }
    }

    /// A worker that looks again at mutants that were put off.
    pub fn in_round(shared: &'s Shared<'s>, round: Round) -> Worker<'s> {
        Worker {
            audit_time: round.audit,
            is_last: round.last,
            is_cut: round.cut,
            ..Worker::new(shared)
        }
    }

    /// A mutant that a stored run kills. Most runs show it no other than the original, which takes
    /// a look at the changed elements alone.
    pub(crate) fn replay(
        &self,
        at: usize,
        candidate: &Candidate<'_>,
    ) -> Result<Option<Fate>, OracleError> {
        let shared = self.shared;
        if let Some(run) = shared.plan.former.runs.get(&at)
            && let Some(fate) = self.killed_by_part(candidate, run)?
        {
            return Ok(Some(fate));
        }
        let fragment = Fragment::of(shared.system(), candidate.mutant);
        let mut watch = fragment.as_ref().map(Fragment::watch);
        for killer in shared.pool.runs() {
            let departs = watch
                .as_mut()
                .is_none_or(|watch| watch.departs(&killer.seen));
            if departs && let Some(fate) = self.killed(candidate, &killer.run)? {
                shared.pool.credit(&killer);
                return Ok(Some(fate));
            }
        }
        Ok(None)
    }

    /// A base context of a subsystem in which a mutant, and mutants of other elements, can be put.
    pub(crate) fn open(
        &self,
        part: &'s Subsystem,
        mutant: &Mutant,
        others: &[ElementId],
    ) -> BaseContext<'s> {
        let mut replaceable = mutant.ids();
        replaceable.extend(others.iter().filter_map(|id| part.positions.get(id)));
        let (k, budget) = (self.shared.plan.proof.k, self.shared.budget());
        let open = self.shared.plan.resources.open;
        BaseContext::new(&part.system, &replaceable, k, open, budget)
    }

    /// What solvers are asked about first: the core where it is small.
    pub(crate) fn first_extent(&self) -> Extent {
        match self.shared.core {
            Some(_) => Extent::Core,
            None => Extent::Working,
        }
    }

    pub(crate) fn part(&self, extent: Extent) -> &'s Subsystem {
        let core = self.shared.core.as_ref();
        let core = core.filter(|_| extent == Extent::Core);
        core.unwrap_or(&self.shared.working)
    }

    /// Tests with a solver. What they do not decide is put off.
    pub(crate) fn prove_or_kill(
        &mut self,
        candidate: &Candidate<'_>,
        group: &mut Group<'s>,
    ) -> Result<Looked, OracleError> {
        if let Some(core) = &self.shared.core
            && let Some(looked) =
                self.by_core(candidate.mutant, core, &group.replaceable, &mut group.core)?
        {
            return Ok(looked);
        }
        let context = &mut group.working;
        let context = context.get_or_insert_with(|| {
            self.open(&self.shared.working, &candidate.part, &group.replaceable)
        });
        let before = context.queries;
        let looked = self.by_working(candidate, context);
        self.queries += context.queries - before;
        looked
    }

    /// Tries the proof of the original on the mutant with no more than what that proof needs. Most
    /// that survives by induction does so here, and the less there is, the less it costs.
    fn by_core(
        &mut self,
        mutant: &Mutant,
        core: &'s Subsystem,
        replaceable: &[ElementId],
        context: &mut Option<BaseContext<'s>>,
    ) -> Result<Option<Looked>, OracleError> {
        let part = mutant.within(&core.positions);
        // It may read what only others define.
        let Ok(system) = part.of(&core.system) else {
            return Ok(None);
        };
        let inserted = Inserted {
            mutant: &part,
            system: &system,
        };
        let context = context.get_or_insert_with(|| self.open(core, &part, replaceable));
        let before = context.queries;
        let holds = self.proof_holds(&inserted, context)?;
        self.queries += context.queries - before;
        if !holds {
            return Ok(None);
        }
        Ok(Some(Looked::Proved(Proved {
            extent: Extent::Core,
            mutant: part,
            own: None,
        })))
    }

    /// Whether the proof of the original goes through as it is.
    pub(crate) fn proof_holds(
        &self,
        inserted: &Inserted<'_>,
        context: &mut BaseContext<'s>,
    ) -> Result<bool, OracleError> {
        let (properties, invariants) = (self.properties(), &self.shared.invariants);
        let steady = context.inductive(inserted, &properties, invariants, true)?;
        let mut all = properties;
        all.extend(invariants);
        Ok(steady.is_some() && context.base(inserted, &all)?.as_ref() == Some(&all))
    }

    fn properties(&self) -> Vec<Term> {
        let properties = self.shared.working.system.properties().iter();
        properties.map(|property| property.term).collect()
    }

    /// The same on all that matters, where a run that kills can be found as well.
    fn by_working(
        &mut self,
        candidate: &Candidate<'_>,
        context: &mut BaseContext<'s>,
    ) -> Result<Looked, OracleError> {
        let (inserted, shared) = (candidate.inserted(), self.shared);
        let k = shared.plan.proof.k;
        let (properties, invariants) = (self.properties(), &shared.invariants);
        let mut safe = k + 1;
        let mut base = Some(invariants.clone());
        let first = context.first_steps(&inserted, &properties, invariants, k)?;
        if let FirstSteps::Violation(trace) = &first
            && let Some(fate) = self.killed_by_new(candidate, trace)?
        {
            return Ok(Looked::Decided(fate, Test::Bmc));
        }
        if !matches!(first, FirstSteps::Safe) {
            let (killed, steps) = self.look(candidate, context, 0..k + 1, None)?;
            if let Some(fate) = killed {
                return Ok(Looked::Decided(fate, Test::Bmc));
            }
            safe = steps;
            base = match safe == k + 1 {
                true => context.base(&inserted, invariants)?,
                false => None,
            };
        }
        let candidates = shared.candidates();
        let more = candidates.len() > invariants.len();
        // Where there is more to try, what is left of the invariants alone is not worth a search.
        if let Some(base) = base
            && let Some(kept) = context.inductive(&inserted, &properties, &base, more)?
        {
            let own = kept.len() < invariants.len();
            return Ok(candidate.proved(own.then_some(kept)));
        }
        if more && let Some(looked) = self.filtered(candidate, &candidates, context)? {
            return Ok(looked);
        }
        let further = k + 1..shared.pool.longest().min(FURTHEST) + FURTHER + 1;
        let (killed, more) = self.look(candidate, context, further, Some(self.further()))?;
        if let Some(fate) = killed {
            return Ok(Looked::Decided(fate, Test::Bmc));
        }
        if safe == k + 1 {
            safe += more;
        }
        Ok(put_off(safe))
    }

    /// Tries to prove the properties with what is left of the invariants, and with those that
    /// proved them on other mutants.
    fn filtered(
        &mut self,
        candidate: &Candidate<'_>,
        candidates: &[Term],
        context: &mut BaseContext<'s>,
    ) -> Result<Option<Looked>, OracleError> {
        let (inserted, properties) = (candidate.inserted(), self.properties());
        if candidates.is_empty() {
            return Ok(None);
        }
        let all = [&properties[..], candidates].concat();
        let Some(base) = context.base(&inserted, &all)? else {
            return Ok(None);
        };
        if !base.starts_with(&properties) {
            return Ok(None);
        }
        let others = &base[properties.len()..];
        let Some(kept) = context.inductive(&inserted, &properties, others, false)? else {
            return Ok(None);
        };
        Ok(Some(candidate.proved(Some(kept))))
    }

    /// Looks again at a mutant that was put off: others have left runs and lemmas since, and the
    /// engines have some time.
    pub(crate) fn look_again(
        &mut self,
        at: usize,
        mutant: &Mutant,
        safe: u32,
        round: Round,
    ) -> Result<Looked, OracleError> {
        let candidate = Candidate::new(self.shared, mutant)?;
        if let Some(fate) = self.replay(at, &candidate)? {
            return Ok(Looked::Decided(fate, Test::Replay));
        }
        let mut candidates = self.shared.candidates();
        if round.library {
            let library = self.shared.library()?.iter();
            let new = library.filter(|one| !candidates.contains(one));
            let new: Vec<Term> = new.copied().collect();
            candidates.extend(new);
        } else if candidates.len() == self.shared.invariants.len() {
            // The original's own were not enough before.
            return self.full(&candidate, safe, round);
        }
        let mut context = self.open(&self.shared.working, &candidate.part, &[]);
        let filtered = self.filtered(&candidate, &candidates, &mut context)?;
        self.queries += context.queries;
        match filtered {
            Some(looked) => Ok(looked),
            None => self.full(&candidate, safe, round),
        }
    }

    /// What late steps may cost.
    fn further(&self) -> Budget {
        let alone = self.shared.plan.resources.jobs <= 1;
        Budget {
            effort: alone.then_some(FURTHER_EFFORT),
            time: (!alone).then_some(FURTHER_TIME),
        }
    }

    /// Looks for a run that kills at one of these steps; also says at how many, from the first on,
    /// there is none.
    fn look(
        &mut self,
        candidate: &Candidate<'_>,
        context: &mut BaseContext<'s>,
        steps: Range<u32>,
        most: Option<Budget>,
    ) -> Result<(Option<Fate>, u32), OracleError> {
        let (inserted, properties) = (candidate.inserted(), self.properties());
        let mut look = context.violation(&inserted, &properties, steps.clone(), most)?;
        let safe = look.safe;
        while let Some((step, trace)) = look.violation {
            if let Some(fate) = self.killed_by_new(candidate, &trace)? {
                return Ok((Some(fate), safe));
            }
            // It is no run of the whole mutant; a later one may be.
            look = context.violation(&inserted, &properties, step + 1..steps.end, most)?;
        }
        Ok((None, safe))
    }

    /// The fate of a mutant that a run kills, as the simulator shows it on the whole mutant.
    fn killed(&self, candidate: &Candidate<'_>, run: &Trace) -> Result<Option<Fate>, OracleError> {
        let mut machine = candidate.program(self.shared)?.machine();
        let properties = || self.shared.plan.properties.iter().copied();
        let outcome = machine.judge(run);
        let Some(last) = properties().filter_map(|at| outcome.refuted_at(at)).min() else {
            return Ok(None);
        };
        let (trace, outcome) = machine.run(&run.first(last + 1));
        let by = properties().filter(|at| outcome.refuted_at(*at) == Some(last));
        let by: Vec<usize> = by.collect();
        let step = last as u32;
        let refutation = Refutation { trace, step };
        Ok((!by.is_empty()).then_some(Fate::Killed { by, refutation }))
    }

    /// The same for a run that was found for it; it is kept for others.
    fn killed_by_new(
        &self,
        candidate: &Candidate<'_>,
        run: &Trace,
    ) -> Result<Option<Fate>, OracleError> {
        let fate = self.killed_by_part(candidate, run)?;
        if let Some(Fate::Killed { refutation, .. }) = &fate {
            let killer = Killer::new(&self.shared.original, refutation.trace.clone());
            self.shared.pool.add(killer);
        }
        Ok(fate)
    }

    /// The same for a run of the part that matters. What was left out shares nothing with it: any
    /// values that satisfy its constraints will do, those of a stored run or those that a solver finds.
    fn killed_by_part(
        &self,
        candidate: &Candidate<'_>,
        run: &Trace,
    ) -> Result<Option<Fate>, OracleError> {
        let (shared, open) = (self.shared, self.shared.plan.resources.open);
        let settled = shared.settled.as_ref().filter(|_| shared.working.partial);
        let completed = settled.and_then(|settled| run.completed(settled));
        let fate = self.killed(candidate, completed.as_ref().unwrap_or(run))?;
        if fate.is_some() || !shared.working.partial {
            return Ok(fate);
        }
        let outcome = Program::compile(&candidate.system)?.machine().judge(run);
        let refuted = outcome.refuted().filter_map(|at| outcome.refuted_at(at));
        let Some(last) = refuted.min() else {
            return Ok(None);
        };
        let given = run.first(last + 1);
        for &property in shared.plan.properties {
            if let Extension::Run(run) = extend(candidate.whole()?, &given, property, open()?)?
                && let Some(fate) = self.killed(candidate, &run)?
            {
                return Ok(Some(fate));
            }
        }
        Ok(None)
    }

    /// A proof of the depth of the original's.
    pub(crate) fn proof_by(&self, invariants: &[Term]) -> Proof {
        let k = self.shared.plan.proof.k;
        let invariants = invariants.iter().map(|term| Invariant { term: *term, k });
        Proof {
            k,
            invariants: invariants.collect(),
        }
    }

    /// What the auditor says of proofs within some time. A proof that fails ends the campaign.
    pub(crate) fn audited(
        &self,
        system: &System,
        proofs: &[(usize, &Proof)],
        time: Duration,
    ) -> Result<Audited, OracleError> {
        let Some(auditor) = &self.shared.plan.auditor else {
            return Ok(Audited::NotAskedFor);
        };
        let time = self.shared.plan.resources.within(time);
        let mut all = Vec::new();
        for audit in audit_proofs(system, proofs, &|| (auditor.open)(), Some(time))? {
            all.push(match audit {
                Audit::Passed { by, .. } => Audited::by(by),
                Audit::Failed { what } => return Err(OracleError::Audit(what)),
                Audit::Unknown { why } => Audited::NoAnswer { why },
            });
        }
        let all = all.into_iter().reduce(Audited::and);
        Ok(all.unwrap_or(Audited::NotAskedFor))
    }

    /// Whether a verdict with this audit may be shown.
    pub(crate) fn stands(&self, audit: &Audited) -> bool {
        audit.stands(self.shared.plan.auditor.as_ref())
    }

    /// All engines on the mutant.
    fn full(
        &mut self,
        candidate: &Candidate<'_>,
        safe: u32,
        round: Round,
    ) -> Result<Looked, OracleError> {
        use proofmark_engine::EngineVerdict;
        let plan = self.shared.plan;
        let part = slice(candidate.whole()?, plan.properties).system;
        let program = Program::compile(&part)?;
        let known = |invariant: &Invariant| {
            let variables = Mentions::of(invariant.term).variables;
            variables.iter().all(|one| part.variable(*one).is_some())
        };
        let mut engines = plan.resources.engines.to_vec();
        let slow = |one: &EngineName| {
            matches!(
                one,
                EngineName::InvariantGeneration | EngineName::KInduction
            )
        };
        if round.brief && engines.iter().any(|one| !slow(one)) {
            engines.retain(|one| !slow(one));
        }
        let effort = self.shared.effort(&round)?;
        let limits = Limits {
            advice: plan
                .proof
                .invariants
                .iter()
                .filter(|one| known(one))
                .cloned()
                .collect(),
            safe,
            engines,
            jobs: 1,
            time: Some(match effort {
                Some(_) => plan.resources.time(),
                None => round.time.min(plan.resources.time()),
            }),
            explain_inductions: false,
            interrupt: plan.resources.interrupt.clone(),
            effort,
        };
        let outcomes = check(&part, &program, &limits, plan.resources.open, &mut |_| ())?;
        let mut proofs = Vec::new();
        let mut open = None;
        for (at, outcome) in outcomes.iter().enumerate() {
            match &outcome.verdict {
                EngineVerdict::Invalid { refutation, .. } => {
                    if let Some(fate) = self.killed_by_new(candidate, &refutation.trace)? {
                        return Ok(Looked::Decided(fate, Test::Full));
                    }
                    open = Some((safe, "a counterexample could not be completed".into()));
                }
                EngineVerdict::Valid { proof, .. } => proofs.push((at, proof)),
                EngineVerdict::Unknown { steps, why, .. } => {
                    open = Some((safe.max(*steps), why.clone()));
                }
            }
        }
        if let Some((steps, why)) = open {
            return Ok(Looked::Decided(unknown(steps, why), Test::Full));
        }
        let audit = self.audited(&part, &proofs, round.audit)?;
        if let Audited::NoAnswer { why } = &audit
            && !(round.last && self.stands(&audit))
        {
            return Ok(Looked::Decided(self.unaudited(why), Test::Full));
        }
        let proof = joint_proof(proofs.iter().map(|(_, proof)| *proof));
        self.shared.learn(&proof);
        self.proof = Some(proof);
        self.survived(candidate.mutant, Test::Full, audit)
    }

    /// A mutant that is proved and not audited.
    pub(crate) fn unaudited(&self, why: &str) -> Fate {
        Fate::Unaudited {
            why: why.into(),
            cut: self.is_cut || self.shared.plan.resources.exhausted(),
        }
    }
}

/// One proof for every property of a system.
pub(crate) fn for_all<'p>(system: &System, proof: &'p Proof) -> Vec<(usize, &'p Proof)> {
    let properties = 0..system.properties().len();
    properties.map(|at| (at, proof)).collect()
}

pub(crate) fn unknown(steps: u32, why: String) -> Fate {
    let cut = false;
    Fate::Unknown { steps, why, cut }
}
