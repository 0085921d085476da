//! For a gap, properties that would close it.
//!
//! Candidates come from the text of the model (`candidates`). All are put to the runs at hand: one
//! that is false on a run of the original is dropped, and one that is false on a gap's mutant is of
//! use there. The simplest that are of use to each gap are proved on the original, all together, and
//! audited; what is not proved is not shown. Of the proved ones those come first that close most
//! gaps, so that few need to be pasted in. A whole definition is shown where nothing else helps.

use crate::auditor::Auditor;
use crate::mutate::Mutation;
use crate::mutate::campaign::{Decided, Fate, Plan};
use crate::mutate::compare::product::Comparison;
use crate::mutate::decide::stored_runs::random_runs;
use crate::mutate::explain::candidates::{Candidates, candidates};
use crate::mutate::mutant::Mutant;
use crate::oracle::OracleError;
use crate::verify::{Question, Smoothing, Verdict, VerifyError, verify};
use fixedbitset::FixedBitSet;
use proofmark_engine::Limits;
use proofmark_model::{
    Expr, Goal, Lowered, Model, Origin, Program, Symbol, Term, Trace, lower, slice,
};
use std::cmp::Reverse;
use std::time::Duration;

/// Properties that hold on the original, and for each mutation those that would kill it.
#[derive(Clone, Debug, Default)]
pub struct Suggested {
    /// Each holds on the original, and kills a gap.
    pub properties: Vec<Expr>,
    /// By position, the best first.
    pub of: Vec<Vec<usize>>,
}

/// How many properties are suggested for a gap.
const SHOWN: usize = 3;
/// How many candidates are proved for a gap.
const TRIED: usize = 5;
/// For all proofs together.
const TIME: Duration = Duration::from_secs(3);
/// Gaps beyond so many get no suggestions of their own.
const GAPS: usize = 200;

/// Suggests properties for the gaps among decided mutants. `lowered` of the plan comes from `model`.
/// `hear` is told how many steps are done, of how many: one a gap, and one for the proofs.
pub fn suggest(
    model: &Model,
    plan: &Plan<'_>,
    mutations: &[Mutation],
    decided: &[Option<Decided>],
    hear: &mut dyn FnMut(usize, usize),
) -> Result<Suggested, OracleError> {
    let mut suggested = Suggested {
        properties: Vec::new(),
        of: vec![Vec::new(); mutations.len()],
    };
    let gaps = gaps(decided);
    let worthwhile = !gaps.is_empty() && !plan.resources.exhausted();
    let Some(stage) = worthwhile.then(|| Stage::new(model, plan)).flatten() else {
        return Ok(suggested);
    };
    let mut false_on = Vec::new();
    for (done, (at, _)) in gaps.iter().enumerate() {
        hear(done, gaps.len() + 1);
        // Without the time to prove them, candidates are of no use.
        if plan.resources.exhausted() {
            return Ok(suggested);
        }
        false_on.push(stage.kills(&mutations[*at], &gaps)?);
    }
    hear(gaps.len(), gaps.len() + 1);
    let hopeful = stage.true_on_original(&gaps, plan)?;
    let wanted = stage.wanted(&false_on, &hopeful);
    let proved = stage.proved(&wanted, plan)?;
    let (repeats, plain): (Vec<usize>, Vec<usize>) =
        proved.iter().partition(|one| **one >= stage.repeat_from);
    let order = cover(&plain, &false_on);
    for ((at, _), kills) in gaps.iter().zip(&false_on) {
        let mut own: Vec<usize> = order.iter().copied().filter(|one| kills[*one]).collect();
        own.truncate(SHOWN);
        if own.is_empty() {
            own.extend(repeats.iter().copied().find(|one| kills[*one]));
        }
        for candidate in own {
            let tree = &stage.candidates[candidate];
            let known = suggested
                .properties
                .iter()
                .position(|one| one.is_same(tree));
            let position = known.unwrap_or_else(|| {
                suggested.properties.push(tree.clone());
                suggested.properties.len() - 1
            });
            suggested.of[*at].push(position);
        }
    }
    Ok(suggested)
}

/// The gaps: which mutant, and the run that shows it.
type Gap<'d> = (usize, (&'d Trace, &'d Trace));

fn gaps(decided: &[Option<Decided>]) -> Vec<Gap<'_>> {
    let all = decided.iter().enumerate().filter_map(|(at, one)| {
        let Fate::Survived {
            comparison: Some(Comparison::Different(distinction)),
            ..
        } = &one.as_ref()?.fate
        else {
            return None;
        };
        Some((at, (&distinction.original, &distinction.mutant)))
    });
    all.take(GAPS).collect()
}

/// The model with all candidates as properties.
struct Stage {
    candidates: Vec<Expr>,
    repeat_from: usize,
    lowered: Lowered,
    /// How many properties come before the candidates.
    before: usize,
}

impl Stage {
    fn new(model: &Model, plan: &Plan<'_>) -> Option<Stage> {
        let system = &plan.lowered.system;
        let observed = plan.observed?.iter();
        let observed: Vec<Symbol> = observed
            .filter_map(|term: &Term| Some(system.variable(*term)?.name))
            .collect();
        let Candidates { trees, repeat_from } = candidates(model, &observed);
        if trees.is_empty() {
            return None;
        }
        let mut model = model.clone();
        let before = model.goals.len();
        for (at, tree) in trees.iter().enumerate() {
            model.goals.push(Goal {
                name: format!("candidate {at}"),
                tree: tree.clone(),
                origin: Origin::generated(),
            });
        }
        let lowered = lower(&model).ok()?;
        Some(Stage {
            candidates: trees,
            repeat_from,
            lowered,
            before,
        })
    }

    /// The candidates that are false on some of the runs.
    fn false_on<'t>(
        &self,
        program: &Program,
        runs: impl Iterator<Item = &'t Trace>,
    ) -> FixedBitSet {
        let mut found = FixedBitSet::with_capacity(self.candidates.len());
        for run in runs {
            let outcome = program.machine().judge(run);
            let refuted = outcome.refuted().filter(|at| *at >= self.before);
            found.extend(refuted.map(|at| at - self.before));
        }
        found
    }

    /// The candidates that a mutant violates, on its own run or that of another gap.
    fn kills(&self, mutation: &Mutation, gaps: &[Gap<'_>]) -> Result<FixedBitSet, OracleError> {
        let nothing = FixedBitSet::with_capacity(self.candidates.len());
        let Ok(mutant) = Mutant::new(&self.lowered, mutation, "mutant:") else {
            return Ok(nothing);
        };
        let system = mutant.of(&self.lowered.system)?;
        let program = Program::compile(&system)?;
        Ok(self.false_on(&program, gaps.iter().map(|(_, (_, run))| *run)))
    }

    /// The candidates that no run of the original at hand violates.
    fn true_on_original(
        &self,
        gaps: &[Gap<'_>],
        plan: &Plan<'_>,
    ) -> Result<FixedBitSet, OracleError> {
        let program = Program::compile(&self.lowered.system)?;
        let random = random_runs(&plan.lowered.system, &program);
        let runs = gaps.iter().map(|(_, (run, _))| *run).chain(&random);
        let mut hopeful = self.false_on(&program, runs);
        hopeful.toggle_range(..);
        Ok(hopeful)
    }

    /// The simplest of use to each gap: candidates are in that order.
    fn wanted(&self, false_on: &[FixedBitSet], hopeful: &FixedBitSet) -> Vec<usize> {
        let mut wanted = FixedBitSet::with_capacity(self.candidates.len());
        for kills in false_on {
            let useful = || kills.intersection(hopeful);
            wanted.extend(useful().take(TRIED));
            wanted.extend(useful().find(|one| *one >= self.repeat_from));
        }
        wanted.ones().collect()
    }

    /// Of these candidates those that are proved on the original.
    fn proved(&self, wanted: &[usize], plan: &Plan<'_>) -> Result<Vec<usize>, OracleError> {
        let resources = &plan.resources;
        if wanted.is_empty() || resources.exhausted() {
            return Ok(Vec::new());
        }
        let properties: Vec<usize> = wanted.iter().map(|at| at + self.before).collect();
        let part = slice(&self.lowered.system, &properties);
        let question = Question {
            system: &part.system,
            properties: (0..properties.len()).collect(),
            specifications: Vec::new(),
            limits: Limits {
                advice: plan.proof.invariants.clone(),
                engines: resources.engines.to_vec(),
                jobs: resources.jobs,
                time: Some(resources.time().min(TIME)),
                interrupt: resources.interrupt.clone(),
                ..Limits::default()
            },
            open: resources.open,
            // A suggestion is worth its audit: an unaudited one is not shown.
            auditor: plan.auditor.map(|auditor| Auditor {
                accept_unaudited: false,
                ..auditor
            }),
            smoothing: Smoothing::Off,
            deadlocks: false,
            statistics: false,
        };
        let verified = verify(&question, &mut |_| ()).map_err(|error| match error {
            VerifyError::Solve(error) => OracleError::Solve(error),
            VerifyError::Compile(error) => OracleError::Compile(error),
            VerifyError::Audit { what, .. } => OracleError::Audit(what),
        })?;
        let valid = verified
            .judgements
            .iter()
            .filter(|one| matches!(one.verdict, Verdict::Valid { .. }));
        Ok(valid.map(|one| wanted[one.property]).collect())
    }
}

/// The proved candidates: first few that together close all gaps that can be closed, then the rest
/// in their order.
fn cover(proved: &[usize], false_on: &[FixedBitSet]) -> Vec<usize> {
    let mut open: Vec<&FixedBitSet> = false_on.iter().collect();
    let mut order = Vec::new();
    loop {
        let closes = |one: &usize| open.iter().filter(|kills| kills[*one]).count();
        let rest = proved.iter().filter(|one| !order.contains(*one));
        // Candidates are in the order of their size.
        let best = rest.max_by_key(|one| (closes(one), Reverse(**one)));
        let Some(best) = best.copied().filter(|best| closes(best) > 0) else {
            break;
        };
        open.retain(|kills| !kills[best]);
        order.push(best);
    }
    let rest: Vec<usize> = proved
        .iter()
        .filter(|one| !order.contains(one))
        .copied()
        .collect();
    order.extend(rest);
    order
}
