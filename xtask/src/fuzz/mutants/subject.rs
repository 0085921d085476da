//! A random model with properties that are proved, ready for a campaign.

use super::models::{Candidate, Draft, candidates, draft};
use super::texts::Case;
use proofmark_engine::Limits;
use proofmark_model::{Program, Rational, RunResult, Sort, System, Term, Trace, Value};
use proofmark_quality::{Auditor, Question, Smoothing, Verdict, Verified, verify};
use proofmark_solve::random::Random;
use proofmark_solve::{Embedded, SolveError, Solver};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::time::Duration;

pub fn open() -> Result<Box<dyn Solver>, SolveError> {
    Ok(Box::new(Embedded::default()))
}

/// Checks properties as `proofmark check` does.
pub fn check(system: &System, properties: Vec<usize>, time: Duration) -> Result<Verified, String> {
    let question = Question {
        system,
        properties,
        specifications: Vec::new(),
        limits: Limits {
            jobs: 1,
            time: Some(time),
            ..Limits::default()
        },
        open: &open,
        auditor: Some(Auditor::default()),
        smoothing: Smoothing::Off,
        deadlocks: false,
        statistics: false,
    };
    verify(&question, &mut |_| ()).map_err(|error| error.to_string())
}

/// A model with proved properties.
pub struct Subject {
    pub case: Case,
    pub verified: Verified,
}

/// For each of the candidates.
const CANDIDATE_TIME: Duration = Duration::from_millis(300);
/// For the model with the properties that were proved.
const MODEL_TIME: Duration = Duration::from_secs(5);
/// A model keeps no more properties.
const MOST_PROPERTIES: usize = 5;

impl Subject {
    /// Draws a model and looks for properties of it; there may be none.
    pub fn draw(random: &mut Random) -> Result<Option<Subject>, String> {
        let draft = draft(random);
        let plain = Case::load(draft.text(&[]))?;
        let bounds = bounds(&plain, &draft, random)?;
        let candidates = candidates(&draft, &bounds, random);
        let candidates = unbroken(&draft, candidates, random)?;
        let proved = proved(&draft, candidates, random)?;
        match proved.is_empty() {
            true => Ok(None),
            false => Subject::new(draft.text(&proved)),
        }
    }

    /// A model with properties, of which those that are proved count.
    pub fn new(text: String) -> Result<Option<Subject>, String> {
        let case = Case::load(text)?;
        let system = &case.lowered.system;
        let all = (0..system.properties().len()).collect();
        let verified = check(system, all, MODEL_TIME)?;
        let is_proved = verified.proved().next().is_some();
        Ok(is_proved.then_some(Subject { case, verified }))
    }
}

/// The candidates that are proved quickly, a few of them.
fn proved(
    draft: &Draft,
    candidates: Vec<Candidate>,
    random: &mut Random,
) -> Result<Vec<Candidate>, String> {
    let case = Case::load(draft.text(&candidates))?;
    let mut kept = Vec::new();
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, random.below(at + 1));
    }
    for at in order {
        let system = &case.lowered.system;
        let name = format!("p{at}");
        let Some(position) = position(system, &name) else {
            return Err(format!("the model has no property {name}"));
        };
        let verified = check(system, vec![position], CANDIDATE_TIME)?;
        let verdict = &verified.judgements[0].verdict;
        if let Verdict::Valid { .. } = verdict {
            kept.push(candidates[at].clone());
        }
        if kept.len() == MOST_PROPERTIES || matches!(verdict, Verdict::Vacuous { .. }) {
            break;
        }
    }
    Ok(kept)
}

/// The position of a property.
pub fn position(system: &System, name: &str) -> Option<usize> {
    let mut all = system.properties().iter();
    all.position(|one| one.name == name)
}

/// The candidates that no random run breaks.
fn unbroken(
    draft: &Draft,
    candidates: Vec<Candidate>,
    random: &mut Random,
) -> Result<Vec<Candidate>, String> {
    let case = Case::load(draft.text(&candidates))?;
    let system = &case.lowered.system;
    let mut broken = FxHashSet::default();
    for (_, outcome) in runs(system, random)? {
        let names = outcome
            .refuted()
            .map(|at| system.properties()[at].name.clone());
        broken.extend(names);
    }
    let numbered = candidates.into_iter().enumerate();
    let kept = numbered.filter(|(at, _)| !broken.contains(&format!("p{at}")));
    Ok(kept.map(|(_, one)| one).collect())
}

/// The least and the greatest value of each number of the main node in some random runs.
fn bounds(
    case: &Case,
    draft: &Draft,
    random: &mut Random,
) -> Result<Vec<(String, i64, i64)>, String> {
    let main = draft.main();
    let declared = main.locals.iter().chain(&main.outputs);
    let names: FxHashSet<&str> = declared.map(|one| one.name.as_str()).collect();
    let system = &case.lowered.system;
    let mut found: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for (trace, outcome) in runs(system, random)? {
        let steps = outcome.broken_at().unwrap_or(trace.len());
        for variable in system.variables() {
            let name = variable.name.as_str();
            if !names.contains(name) || variable.sort() != Sort::Int {
                continue;
            }
            for step in 0..steps {
                let value = trace.value(variable.current, step);
                let value = value.and_then(|value| value.to_string().parse().ok());
                let Some(value) = value else { continue };
                let (least, most) = found.entry(name.into()).or_insert((value, value));
                (*least, *most) = (value.min(*least), value.max(*most));
            }
        }
    }
    let found = found.into_iter();
    Ok(found.map(|(name, (a, b))| (name, a, b)).collect())
}

const RUNS: usize = 12;
const STEPS: usize = 10;

/// Some random runs; not all are accepted to the end.
fn runs(system: &System, random: &mut Random) -> Result<Vec<(Trace, RunResult)>, String> {
    let program = Program::compile(system).map_err(|error| error.to_string())?;
    let (first, later) = program.free();
    let mut columns: Vec<Term> = first.into_iter().chain(later).collect();
    columns.sort_by_cached_key(|term| format!("{term:?}"));
    columns.dedup();
    let mut machine = program.machine();
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let mut given = Trace::new(columns.clone());
        for _ in 0..STEPS {
            let row = columns.iter().map(|term| value(term.sort(), random));
            let row = row.collect();
            given.push(row).map_err(|error| error.to_string())?;
        }
        runs.push(machine.run(&given));
    }
    Ok(runs)
}

fn value(sort: Sort, random: &mut Random) -> Value {
    let number = Rational::from(random.between(-1, 4));
    match sort {
        Sort::Bool => Value::Bool(random.chance(50)),
        Sort::Int => Value::Int(number),
        Sort::Real => Value::Real(number),
        Sort::Enum(of) => Value::Enum(of, random.below(of.values().len()) as u32),
        Sort::BitVec(_) => Value::default_of(sort),
    }
}
