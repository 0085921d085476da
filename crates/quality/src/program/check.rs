//! Checks a program: every check holds within the bound, or a run fails it.
//!
//! All checks are asked about at once; each run that is found settles those that it fails, and the last answer, that there is
//! no further run, all others together.

use super::question::{Found, Question};
use super::{ProgramError, ProgramOptions, Record, deadline, no_formula, on_a_large_stack, replay};
use proofmark_audit::program::Run;
use proofmark_engine::program::{EncodeOptions, Formula, Violation, encode};
use proofmark_model::graph::{Graph, Signal};
use proofmark_model::program::{Check, CheckKind, MutantId, NamedCheck, Program, checks_of};
use proofmark_solve::sat::Lit;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is known of a check.
#[derive(Clone, Debug)]
pub enum ProgramVerdict {
    /// No run within the bound fails it.
    Valid,
    /// This run fails it.
    Invalid(Arc<Run>),
    /// No run within the bound fails it, but there are runs beyond the bound.
    Bound(Arc<Run>),
    /// No run comes to its end: what is assumed cannot be met.
    Vacuous,
    /// Nobody knows, for this reason.
    Unknown(String),
}

/// A check of a program and what is known of it.
#[derive(Clone, Debug)]
pub struct ProgramProperty {
    /// The check.
    pub named: NamedCheck,
    /// What is known.
    pub verdict: ProgramVerdict,
    /// Until that was known.
    pub time: Duration,
}

/// All checks of a program.
#[derive(Clone, Debug, Default)]
pub struct CheckedProgram {
    /// In the order of the source, function by function.
    pub properties: Vec<ProgramProperty>,
    /// The gates of the formula.
    pub gates: usize,
}

impl CheckedProgram {
    /// The checks that a run fails.
    pub fn broken(&self) -> FxHashSet<Check> {
        let is_broken = |one: &&ProgramProperty| matches!(one.verdict, ProgramVerdict::Invalid(_));
        let broken = self.properties.iter().filter(is_broken);
        broken.map(|one| one.named.check).collect()
    }
}

/// Checks the original of a program.
pub fn check_program(
    program: &Program,
    options: &ProgramOptions,
) -> Result<CheckedProgram, ProgramError> {
    on_a_large_stack(|| check_here(program, options))
}

/// The same on the stack that is there.
pub(super) fn check_here(
    program: &Program,
    options: &ProgramOptions,
) -> Result<CheckedProgram, ProgramError> {
    let begin = Instant::now();
    let named = checks_of(program, &options.checks);
    let encoded = encode_program(program, options, &FxHashSet::default());
    let mut formula = match encoded {
        Ok(formula) => formula,
        Err(why) => return Ok(undecided(named, &why, begin)),
    };
    let questions = by_check(&mut formula);
    let mut search = Search {
        program,
        options,
        question: Question::new(&formula, options),
        open: Vec::new(),
        failing: FxHashMap::default(),
        begin,
        settled: FxHashMap::default(),
    };
    for (check, signal) in &questions {
        let literal = search.question.literal(*signal);
        search.open.push((*check, literal));
    }
    let rest = search.run()?;
    Ok(search.verdicts(named, rest))
}

/// Writes a program as a formula, or says why there is none.
pub(super) fn encode_program(
    program: &Program,
    options: &ProgramOptions,
    mutants: &FxHashSet<MutantId>,
) -> Result<Formula, String> {
    let end = deadline(options);
    let encoding = EncodeOptions {
        checks: &options.checks,
        bounds: &options.bounds,
        mutants,
        most_nodes: options.most_nodes,
        stop: &|| options.interrupt.is_set() || end.is_some_and(|end| Instant::now() > end),
    };
    encode(program, &encoding).map_err(|stop| no_formula(&stop))
}

fn undecided(named: Vec<NamedCheck>, why: &str, begin: Instant) -> CheckedProgram {
    let properties = named.into_iter().map(|named| ProgramProperty {
        named,
        verdict: ProgramVerdict::Unknown(why.to_string()),
        time: begin.elapsed(),
    });
    CheckedProgram {
        properties: properties.collect(),
        gates: 0,
    }
}

/// For each check, whether a run that is not over fails it somewhere.
fn by_check(formula: &mut Formula) -> Vec<(Check, Signal)> {
    let mut order = Vec::new();
    let mut signals: FxHashMap<Check, Vec<Signal>> = FxHashMap::default();
    let graph = &mut formula.netlist.graph;
    for violation in &formula.violations {
        let signal = fails(graph, violation);
        let of_check = signals.entry(violation.check).or_insert_with(|| {
            order.push(violation.check);
            Vec::new()
        });
        of_check.push(signal);
    }
    let either = |check: Check| (check, graph.or_all(&signals[&check]));
    order.into_iter().map(either).collect()
}

/// A run comes to a violation, and is not over before.
fn fails(graph: &mut Graph, violation: &Violation) -> Signal {
    graph.and(violation.signal, !violation.over)
}

/// A check that only a run meets, such as the depth of a function that calls itself by a pointer.
fn unlisted(check: Check, at: usize) -> NamedCheck {
    NamedCheck {
        check,
        name: format!("further.{}.{}", check.kind.word(), at + 1).into(),
        text: "".into(),
        function: "".into(),
    }
}

/// What is left when no further run is found.
enum Rest {
    Valid,
    Vacuous,
    Unknown(String),
}

struct Search<'a> {
    program: &'a Program,
    options: &'a ProgramOptions,
    question: Question<'a>,
    /// Checks that no run fails yet.
    open: Vec<(Check, Lit)>,
    failing: FxHashMap<Check, Arc<Run>>,
    begin: Instant,
    /// When a check was decided.
    settled: FxHashMap<Check, Duration>,
}

impl Search<'_> {
    /// Looks for runs until there is none that fails something new.
    fn run(&mut self) -> Result<Rest, ProgramError> {
        let formula = self.question.formula;
        let inputs = formula.inputs.iter().flat_map(|input| input.bits.clone());
        self.question.prefer_false(inputs);
        loop {
            let literals: Vec<Lit> = self.open.iter().map(|(_, literal)| *literal).collect();
            if literals.is_empty() {
                return self.end();
            }
            match self.question.ask(&[], &literals, self.options.time)? {
                Found::Run(found) => {
                    let inputs = found.inputs(formula);
                    let record = Record::Steps;
                    let run = replay(self.program, self.options, None, &inputs, record);
                    self.take(run)?;
                }
                Found::Nothing => return self.end(),
                Found::Unknown => {
                    return Ok(Rest::Unknown(
                        "no answer in the time that it may take".into(),
                    ));
                }
            }
        }
    }

    /// A run settles the checks that it fails.
    fn take(&mut self, run: Run) -> Result<(), ProgramError> {
        let run = Arc::new(run);
        let before = self.open.len();
        let failed: FxHashSet<Check> = run.violations.iter().copied().collect();
        self.open.retain(|(check, _)| !failed.contains(check));
        for check in failed {
            self.failing.entry(check).or_insert_with(|| run.clone());
            self.settled.insert(check, self.begin.elapsed());
        }
        if self.open.len() == before {
            let why = format!("a run was found, and it ends with {:?}", run.end);
            return Err(ProgramError::Disagreement(why));
        }
        Ok(())
    }

    /// What holds of the checks that no run fails.
    fn end(&mut self) -> Result<Rest, ProgramError> {
        let formula = self.question.formula;
        let limits: Vec<Lit> = formula
            .limits
            .iter()
            .map(|(signal, _)| self.question.literal(*signal))
            .collect();
        if !limits.is_empty() {
            match self.question.ask(&[], &limits, self.options.time)? {
                Found::Nothing => {}
                _ => {
                    let why = "an object of a size that is not known may have too many bytes";
                    return Ok(Rest::Unknown(why.into()));
                }
            }
        }
        let finished = self.question.literal(formula.finished);
        Ok(
            match self.question.ask(&[finished], &[], self.options.time)? {
                Found::Nothing if self.failing.is_empty() => Rest::Vacuous,
                _ => Rest::Valid,
            },
        )
    }

    fn verdicts(self, named: Vec<NamedCheck>, rest: Rest) -> CheckedProgram {
        let unwound = self
            .failing
            .iter()
            .filter(|(check, _)| check.kind == CheckKind::Unwinding);
        let unwound = unwound.min_by_key(|(check, _)| **check);
        let beyond = unwound.map(|(_, run)| run.clone());
        let verdict = |check: Check| match (self.failing.get(&check), &rest, &beyond) {
            (Some(run), ..) if check.kind == CheckKind::Unwinding => {
                ProgramVerdict::Bound(run.clone())
            }
            (Some(run), ..) => ProgramVerdict::Invalid(run.clone()),
            (None, Rest::Unknown(why), _) => ProgramVerdict::Unknown(why.clone()),
            (None, _, Some(run)) => ProgramVerdict::Bound(run.clone()),
            (None, Rest::Vacuous, None) => ProgramVerdict::Vacuous,
            (None, Rest::Valid, None) => ProgramVerdict::Valid,
        };
        let whole = self.begin.elapsed();
        let listed: FxHashSet<Check> = named.iter().map(|one| one.check).collect();
        let mut further: Vec<Check> = self.failing.keys().copied().collect();
        further.retain(|check| !listed.contains(check));
        further.sort_unstable();
        let further = further.into_iter().enumerate();
        let named = named
            .into_iter()
            .chain(further.map(|(at, check)| unlisted(check, at)));
        let properties = named.into_iter().map(|named| ProgramProperty {
            verdict: verdict(named.check),
            time: self.settled.get(&named.check).copied().unwrap_or(whole),
            named,
        });
        CheckedProgram {
            properties: properties.collect(),
            gates: self.question.formula.netlist.graph.gates(),
        }
    }
}
