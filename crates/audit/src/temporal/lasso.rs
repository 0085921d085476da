//! A run that is said to violate a specification, replayed.

use super::word::Word;
use crate::audit::Audit;
use proofmark_model::{Claim, Evaluator, Fairness, Mentions, Program, System, Term, Trace, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;

/// Replays a path or, with the step that follows the last, a run that goes round, and returns it with all
/// variables; an error says what is wrong with it.
pub fn replay(
    system: &System,
    program: &Program,
    trace: &Trace,
    back: Option<usize>,
    matters: &[Term],
) -> Result<Trace, String> {
    let mut given = trace.clone();
    if let Some(back) = back {
        if back >= trace.len() {
            return Err(format!(
                "it goes back to step {back}, which it does not have"
            ));
        }
        let row = trace.row(back).to_vec();
        given.push(row).map_err(|error| error.to_string())?;
    }
    let (run, outcome) = program.machine().run(&given);
    if let Some(step) = outcome.broken_at() {
        return Err(format!(
            "it is no run: a constraint is violated at step {step}"
        ));
    }
    if let Some(back) = back {
        let mut read = Mentions::default();
        matters.iter().for_each(|term| read.add(*term));
        let mut all: FxHashSet<Term> = read.variables;
        all.extend(system.state().iter().map(|one| one.current));
        let differs = |one: &&Term| run.value(**one, back) != run.value(**one, trace.len());
        if let Some(one) = all.iter().find(differs) {
            return Err(format!(
                "it does not come back: `{one:?}` has another value"
            ));
        }
    }
    Ok(run.first(trace.len()))
}

/// What a claim and the fairness conditions speak of.
pub fn matters(claim: &Claim<Term>, fairness: &Fairness<Term>) -> Vec<Term> {
    let atoms = claim.atoms().into_iter().chain(fairness.atoms());
    atoms.copied().collect()
}

/// Checks that a run that goes round is fair and violates a claim of linear time; with the run.
pub fn audit_lasso(
    system: &System,
    program: &Program,
    claim: &Claim<Term>,
    trace: &Trace,
    back: usize,
) -> (Audit, Option<Trace>) {
    let start = Instant::now();
    let matters = matters(claim, system.fairness());
    let run = match replay(system, program, trace, Some(back), &matters) {
        Ok(run) => run,
        Err(what) => return (Audit::Failed { what }, None),
    };
    let audit = match violates(system, claim, &run, back) {
        Ok(true) => Audit::Passed {
            by: "simulator".into(),
            time: start.elapsed(),
        },
        Ok(false) => Audit::Failed {
            what: "the run does not violate it".into(),
        },
        Err(why) => Audit::Unknown { why },
    };
    (audit, Some(run))
}

fn violates(
    system: &System,
    claim: &Claim<Term>,
    run: &Trace,
    back: usize,
) -> Result<bool, String> {
    let mut truth = Truth::new(run);
    let mut often = |term: Term| -> Result<bool, String> {
        let mut met = false;
        for step in back..run.len() {
            met |= truth.of(term, step).ok_or("an atom has no value")?;
        }
        Ok(met)
    };
    let fairness = system.fairness();
    for condition in &fairness.justice {
        if !often(*condition)? {
            return Ok(false);
        }
    }
    for (first, second) in &fairness.compassion {
        if often(*first)? && !often(*second)? {
            return Ok(false);
        }
    }
    match claim {
        Claim::Justice(conditions) => {
            for condition in conditions {
                if !often(*condition)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Claim::Linear(formula) => {
            let word = Word::new(formula, run.len(), back).ok_or("the run is too long")?;
            let holds = word.satisfies(formula, |term, step| truth.of(term, step));
            Ok(!holds.ok_or("an atom has no value")?)
        }
        _ => Err("a run does not decide it".into()),
    }
}

/// The values of atoms along a run.
struct Truth<'r> {
    run: &'r Trace,
    rows: Vec<Option<FxHashMap<Term, Value>>>,
}

impl<'r> Truth<'r> {
    fn new(run: &'r Trace) -> Truth<'r> {
        Truth {
            run,
            rows: vec![None; run.len()],
        }
    }

    fn of(&mut self, term: Term, step: usize) -> Option<bool> {
        let run = self.run;
        let row = self.rows[step].get_or_insert_with(|| {
            let values = run.columns().iter().copied();
            values.zip(run.row(step).iter().cloned()).collect()
        });
        Some(Evaluator::new(row).value(term).ok()? == Value::Bool(true))
    }
}
