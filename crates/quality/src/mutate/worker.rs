//! How a worker decides a mutant: the cascade, test after test, and the audit of what it says.

use super::campaign::{Decided, Fate, Letter, Test};
use super::mutant::Mutant;
use super::opening::{Opening, Standing};
use super::shared::{Part, Shared};
use crate::analysis::joint_proof;
use crate::oracle::OracleError;
use proofmark_audit::{Audit, OpenSolver, audit_proofs};
use proofmark_engine::{Extension, Limits, check, extend};
use proofmark_model::{
    Invariant, LowerError, Mentions, Program, Proof, Refutation, System, Term, Trace, slice,
};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// How many steps more than the deepest kill are looked at.
const FURTHER: u32 = 1;
/// Kills are not looked for further than this without the engines.
const FURTHEST: u32 = 10;
/// What the auditor that does not simplify may take for a mutant.
const FIRST_AUDIT: Duration = Duration::from_millis(100);

/// The solvers that the mutants of one group share.
#[derive(Default)]
struct Openings<'s> {
    core: Option<Opening<'s>>,
    working: Option<Opening<'s>>,
}

/// Decides the mutants of one group.
pub(super) struct Worker<'s> {
    pub(super) shared: &'s Shared<'s>,
    queries: u64,
    /// What proved the last mutant, where that is not the proof of the original.
    proof: Option<Proof>,
}

impl<'s> Worker<'s> {
    pub fn new(shared: &'s Shared<'s>) -> Worker<'s> {
        Worker {
            shared,
            queries: 0,
            proof: None,
        }
    }

    pub fn group(
        &mut self,
        group: &[usize],
        mutants: &FxHashMap<usize, Result<Mutant, LowerError>>,
        sender: &Sender<Letter>,
    ) -> Result<(), OracleError> {
        let mut openings = Openings::default();
        for &at in group {
            let start = Instant::now();
            self.queries = 0;
            let (fate, by) = match &mutants[&at] {
                Ok(mutant) => self.decide(at, mutant, &mut openings)?,
                Err(error) => {
                    let why = error.to_string();
                    (Fate::NotValid { why }, Test::Outside)
                }
            };
            let decided = Decided {
                fate,
                by,
                time: start.elapsed(),
                queries: self.queries,
                proof: self.proof.take(),
            };
            if sender.send(Ok((at, decided))).is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn decide(
        &mut self,
        at: usize,
        mutant: &Mutant,
        openings: &mut Openings<'s>,
    ) -> Result<(Fate, Test), OracleError> {
        let shared = self.shared;
        if shared.plan.resources.exhausted() {
            let why = "the time is up".into();
            return Ok((Fate::Unknown { steps: 0, why }, Test::Full));
        }
        let whole = match mutant.of(shared.system()) {
            Ok(whole) => whole,
            Err(error) => {
                let why = error.to_string();
                return Ok((Fate::NotValid { why }, Test::Outside));
            }
        };
        let outside = self.is_outside(mutant, &whole);
        let in_core = mutant.ids().iter().any(|id| shared.plan.core.contains(id));
        if outside || !in_core {
            let by = if outside { Test::Outside } else { Test::Core };
            return self.survived(mutant, by);
        }
        let part = mutant.within(&shared.working.positions);
        let system = part.of(&shared.working.system)?;
        let program = match Program::compile(&system) {
            Ok(program) => program,
            Err(error) => {
                let why = error.to_string();
                return Ok((Fate::NotValid { why }, Test::Outside));
            }
        };
        let mut machine = program.machine();
        if let Some(run) = shared.plan.former.runs.get(&at)
            && machine.judge(run).refuted().next().is_some()
            && let Some(fate) = self.killed(&whole, &program, run)?
        {
            return Ok((fate, Test::Replay));
        }
        for run in shared.pool.runs() {
            if machine.judge(&run).refuted().next().is_some()
                && let Some(fate) = self.killed(&whole, &program, &run)?
            {
                shared.pool.credit(&run);
                return Ok((fate, Test::Replay));
            }
        }
        if let Some(core) = &shared.core
            && let Some(decided) = self.by_core(mutant, core, &mut openings.core)?
        {
            return Ok(decided);
        }
        let standing = Standing {
            mutant: &part,
            system: &system,
        };
        let opening = &mut openings.working;
        let opening = opening.get_or_insert_with(|| self.open(&shared.working, &part));
        let before = opening.queries;
        let decided = self.prove_or_kill(mutant, &whole, &program, &standing, opening);
        self.queries += opening.queries - before;
        decided
    }

    fn open(&self, part: &'s Part, mutant: &Mutant) -> Opening<'s> {
        let (k, budget) = (self.shared.plan.proof.k, self.shared.budget());
        let open = self.shared.plan.resources.open;
        Opening::new(&part.system, &mutant.ids(), k, open, budget)
    }

    /// Tries the proof of the original on the mutant with no more than what that proof needs. Most
    /// that survives by induction does so here, and the less there is, the less it costs.
    fn by_core(
        &mut self,
        mutant: &Mutant,
        core: &'s Part,
        opening: &mut Option<Opening<'s>>,
    ) -> Result<Option<(Fate, Test)>, OracleError> {
        let part = mutant.within(&core.positions);
        // It may read what only others define.
        let Ok(system) = part.of(&core.system) else {
            return Ok(None);
        };
        let standing = Standing {
            mutant: &part,
            system: &system,
        };
        let opening = opening.get_or_insert_with(|| self.open(core, &part));
        let before = opening.queries;
        let holds = self.proof_holds(&standing, opening)?;
        self.queries += opening.queries - before;
        if !holds {
            return Ok(None);
        }
        let invariants = &self.shared.invariants;
        let decided = self.proved(mutant, &system, invariants, Test::Induction)?;
        Ok(Some(decided))
    }

    /// Whether the proof of the original goes through as it is.
    fn proof_holds(
        &self,
        standing: &Standing<'_>,
        opening: &mut Opening<'s>,
    ) -> Result<bool, OracleError> {
        let (properties, invariants) = (self.properties(), &self.shared.invariants);
        let steady = opening.inductive(standing, &properties, invariants, true)?;
        let mut all = properties;
        all.extend(invariants);
        Ok(steady.is_some() && opening.base(standing, &all)?.as_ref() == Some(&all))
    }

    /// Whether no property depends on the mutant's elements, before and after.
    fn is_outside(&self, mutant: &Mutant, whole: &System) -> bool {
        let shared = self.shared;
        let ids = mutant.ids();
        if ids.iter().any(|id| shared.cone.contains(id)) {
            return false;
        }
        if shared.assumptions.is_none() {
            return true;
        }
        // What it reads now may tie it to an assumption about the properties.
        let after = slice(whole, shared.plan.properties);
        ids.iter().all(|id| after.elements.position(*id).is_none())
    }

    fn properties(&self) -> Vec<Term> {
        let properties = self.shared.working.system.properties().iter();
        properties.map(|property| property.term).collect()
    }

    fn prove_or_kill(
        &mut self,
        mutant: &Mutant,
        whole: &System,
        program: &Program,
        standing: &Standing<'_>,
        opening: &mut Opening<'s>,
    ) -> Result<(Fate, Test), OracleError> {
        let (properties, shared) = (self.properties(), self.shared);
        let (k, invariants) = (shared.plan.proof.k, &shared.invariants);
        if self.proof_holds(standing, opening)? {
            return self.proved(mutant, standing.system, invariants, Test::Induction);
        }
        let (killed, mut safe) = self.look(whole, program, standing, opening, 0..k + 1)?;
        if let Some(fate) = killed {
            return Ok((fate, Test::Bmc));
        }
        let candidates = shared.candidates();
        let mut all = properties.clone();
        all.extend(&candidates);
        if !candidates.is_empty()
            && let Some(base) = opening.base(standing, &all)?
            && base.starts_with(&properties)
        {
            let others = &base[properties.len()..];
            if let Some(kept) = opening.inductive(standing, &properties, others, false)? {
                return self.proved(mutant, standing.system, &kept, Test::Filtered);
            }
        }
        let further = k + 1..shared.pool.longest().min(FURTHEST) + FURTHER + 1;
        let (killed, more) = self.look(whole, program, standing, opening, further)?;
        if let Some(fate) = killed {
            return Ok((fate, Test::Bmc));
        }
        if safe == k + 1 {
            safe += more;
        }
        self.full(mutant, whole, safe)
    }

    /// Looks for a run that kills at one of these steps; also says at how many, from the first on,
    /// there is none.
    fn look(
        &mut self,
        whole: &System,
        program: &Program,
        standing: &Standing<'_>,
        opening: &mut Opening<'s>,
        steps: Range<u32>,
    ) -> Result<(Option<Fate>, u32), OracleError> {
        let properties = self.properties();
        let mut look = opening.violation(standing, &properties, steps.clone())?;
        let safe = look.safe;
        while let Some((step, trace)) = look.violation {
            if let Some(fate) = self.killed(whole, program, &trace)? {
                return Ok((Some(fate), safe));
            }
            // It is no run of the whole mutant; a later one may be.
            look = opening.violation(standing, &properties, step + 1..steps.end)?;
        }
        Ok((None, safe))
    }

    /// The fate of a mutant that a run kills, when the run stands on the whole mutant. The run is
    /// kept for others.
    fn killed(
        &self,
        whole: &System,
        program: &Program,
        run: &Trace,
    ) -> Result<Option<Fate>, OracleError> {
        let outcome = program.machine().judge(run);
        let Some(step) = outcome
            .refuted()
            .filter_map(|at| outcome.refuted_at(at))
            .min()
        else {
            return Ok(None);
        };
        let given = run.first(step + 1);
        let Some((trace, by)) = self.on_whole(whole, &given)? else {
            return Ok(None);
        };
        self.shared.pool.add(trace.clone());
        let step = step as u32;
        let refutation = Refutation { trace, step };
        Ok(Some(Fate::Killed { by, refutation }))
    }

    /// The run on the whole mutant, and which properties it violates at its last step.
    fn on_whole(
        &self,
        whole: &System,
        given: &Trace,
    ) -> Result<Option<(Trace, Vec<usize>)>, OracleError> {
        let program = Program::compile(whole)?;
        let last = given.len() - 1;
        let violated = |trace: &Trace| {
            let (run, outcome) = program.machine().run(trace);
            let properties = self.shared.plan.properties.iter().copied();
            let by: Vec<usize> = properties
                .filter(|at| outcome.refuted_at(*at) == Some(last))
                .collect();
            (!by.is_empty()).then_some((run, by))
        };
        if let Some(found) = violated(given) {
            return Ok(Some(found));
        }
        if !self.shared.working.partial {
            return Ok(None);
        }
        for &property in self.shared.plan.properties {
            let solver = (self.shared.plan.resources.open)()?;
            if let Extension::Run(run) = extend(whole, given, property, solver)?
                && let Some(found) = violated(&run)
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// A mutant on which these invariants prove the properties, once that is audited.
    fn proved(
        &mut self,
        mutant: &Mutant,
        system: &System,
        invariants: &[Term],
        by: Test,
    ) -> Result<(Fate, Test), OracleError> {
        let k = self.shared.plan.proof.k;
        let invariants = invariants.iter().map(|term| Invariant { term: *term, k });
        let proof = Proof {
            k,
            invariants: invariants.collect(),
        };
        let proofs: Vec<(usize, &Proof)> = (0..system.properties().len())
            .map(|at| (at, &proof))
            .collect();
        match self.audited(system, &proofs)? {
            None => {
                self.proof = (by == Test::Filtered).then_some(proof);
                self.survived(mutant, by)
            }
            Some(why) => Ok((Fate::Unknown { steps: k, why }, by)),
        }
    }

    /// Why proofs are not audited, if they are not.
    fn audited(
        &self,
        system: &System,
        proofs: &[(usize, &Proof)],
    ) -> Result<Option<String>, OracleError> {
        let Some(open) = self.shared.plan.auditor else {
            return Ok(None);
        };
        let time = self.shared.plan.resources.time();
        let times = [time.min(FIRST_AUDIT), time];
        let mut undecided = None;
        // The proving solver checks what is too hard for the one that does not simplify.
        let openers: [&OpenSolver<'_>; 2] = [&|| open(), &|| (self.shared.plan.resources.open)()];
        for (open, time) in openers.into_iter().zip(times) {
            undecided = None;
            for audit in audit_proofs(system, proofs, open, Some(time))? {
                match audit {
                    Audit::Passed { .. } => {}
                    Audit::Failed { what } => return Err(OracleError::Audit(what)),
                    Audit::Unknown { why } => {
                        undecided = Some(format!("proved, not audited: {why}"));
                    }
                }
            }
            if undecided.is_none() {
                break;
            }
        }
        Ok(undecided)
    }

    /// All engines on the mutant.
    fn full(
        &mut self,
        mutant: &Mutant,
        whole: &System,
        safe: u32,
    ) -> Result<(Fate, Test), OracleError> {
        use proofmark_engine::Verdict;
        let plan = self.shared.plan;
        let part = slice(whole, plan.properties).system;
        let program = Program::compile(&part)?;
        let known = |invariant: &Invariant| {
            let variables = Mentions::of(invariant.term).variables;
            variables.iter().all(|one| part.variable(*one).is_some())
        };
        let limits = Limits {
            advice: plan
                .proof
                .invariants
                .iter()
                .filter(|one| known(one))
                .cloned()
                .collect(),
            engines: plan.resources.engines.to_vec(),
            jobs: 1,
            time: Some(plan.resources.time()),
            explain_inductions: false,
            interrupt: plan.resources.interrupt.clone(),
        };
        let outcomes = check(&part, &program, &limits, plan.resources.open, &mut |_| ())?;
        let mut proofs = Vec::new();
        let mut unknown = None;
        for (at, outcome) in outcomes.iter().enumerate() {
            match &outcome.verdict {
                Verdict::Invalid { refutation, .. } => {
                    if let Some(fate) = self.killed(whole, &program, &refutation.trace)? {
                        return Ok((fate, Test::Full));
                    }
                    unknown = Some((safe, "a counterexample could not be completed".into()));
                }
                Verdict::Valid { proof, .. } => proofs.push((at, proof)),
                Verdict::Unknown { steps, why, .. } => {
                    unknown = Some((safe.max(*steps), why.clone()));
                }
            }
        }
        if let Some((steps, why)) = unknown {
            return Ok((Fate::Unknown { steps, why }, Test::Full));
        }
        match self.audited(&part, &proofs)? {
            None => {
                let proof = joint_proof(proofs.iter().map(|(_, proof)| *proof));
                self.shared.learn(&proof);
                self.proof = Some(proof);
                self.survived(mutant, Test::Full)
            }
            Some(why) => Ok((Fate::Unknown { steps: safe, why }, Test::Full)),
        }
    }
}
