//! Checks that two systems are the same structure, or that they are not.
//!
//! Two systems over the same variables have the same computation trees when an invariant `R` of the first
//! makes them equal: the initial states are the same and satisfy `R`; a step of the first from a state in
//! `R` leads to one in `R`; and from states in `R` each has the steps of the other. Every conjunct of these
//! is asked about by itself, with bits for variables, and each answer counts when the checker of LRAT proofs
//! has followed it. Of the state that a step leaves, what the first system says of all its states is known,
//! and what types say.
//!
//! A difference is a run: both accept it but for its last state, which only one accepts.

use crate::audit::Audit;
use crate::lrat::CheckedSolver;
use proofmark_model::graph::{Blasted, Kind, Signal, blast_formulas};
use proofmark_model::{
    Evaluator, ExclusionReason, FairExclusion, Fairness, Op, Phase, Program, System, Term, Trace,
    Value, Variable, rename,
};
use proofmark_solve::Budget;
use proofmark_solve::sat::{Answer, Lit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};

/// The name of the auditor of equivalence.
const CHECKER: &str = "lrat checker";

/// Checks that two systems over the same variables have the same initial states, and the same steps from
/// every state that the first reaches; an invariant is claimed to say enough of these.
pub fn audit_same_structure(
    first: &System,
    second: &System,
    invariant: Term,
    time: Option<Duration>,
) -> Audit {
    let start = Instant::now();
    let claims = Claims::new(first, second, invariant);
    let answer = claims.prove(time.map(|time| start + time));
    match answer {
        Ok(()) => Audit::Passed {
            by: CHECKER.into(),
            time: start.elapsed(),
        },
        Err(audit) => audit,
    }
}

/// How many states of a run a system accepts: as far as no assumption is violated, no value leaves its
/// type, and every value that the run gives is the one that the system computes.
pub fn accepted_states(system: &System, run: &Trace) -> Result<usize, String> {
    let program = Program::compile(system).map_err(|error| error.to_string())?;
    let (whole, outcome) = program.machine().run(run);
    let limit = outcome.broken_at().unwrap_or(run.len());
    let agrees = |step: usize| {
        let given = run.columns().iter();
        let same = |one: &Term| run.value(*one, step) == whole.value(*one, step);
        let variables = system.variables().iter();
        given.copied().all(|one| same(&one))
            && variables.clone().all(|one| {
                whole
                    .value(one.current, step)
                    .is_none_or(|value| fits(one, value))
            })
    };
    Ok((0..limit.min(run.len()))
        .find(|step| !agrees(*step))
        .unwrap_or(limit))
}

fn fits(variable: &Variable, value: &Value) -> bool {
    match (&variable.bounds, value) {
        (Some(bounds), Value::Int(number)) => bounds.low <= *number && *number <= bounds.high,
        _ => true,
    }
}

/// Checks that a run of one system is none of another, and only because of its last state.
pub fn audit_structure_difference(accepts: &System, refuses: &System, run: &Trace) -> Audit {
    let start = Instant::now();
    let found = accepted_states(accepts, run).and_then(|one| {
        let other = accepted_states(refuses, run)?;
        match (one == run.len(), other + 1 == run.len()) {
            (true, true) => Ok(()),
            (false, _) => Err(format!("only {one} states of the run are one's own")),
            (_, false) => Err(format!("{other} states of the run are the other's")),
        }
    });
    match found {
        Ok(()) => Audit::Passed {
            by: "simulator".into(),
            time: start.elapsed(),
        },
        Err(what) => Audit::Failed { what },
    }
}

/// Checks that two systems that are the same structure have the same fair runs. In states that satisfy the
/// invariant, each condition of one is always met, or is met whenever some condition of the other is;
/// or an exclusion says why no run that is fair in the other violates it. There is an exclusion, or none, for each
/// condition of the second and then of the first, justice before compassion.
pub fn audit_same_fairness(
    first: &System,
    second: &System,
    invariant: Term,
    exclusions: &[Option<FairExclusion>],
    time: Option<Duration>,
) -> Audit {
    let start = Instant::now();
    let deadline = time.map(|time| start + time);
    let mut exclusions = exclusions.iter();
    for (own, other) in [(first, second), (second, first)] {
        let (own, other) = (own.fairness(), other.fairness());
        let mut violations = other
            .justice
            .iter()
            .map(|one| (*one, None))
            .collect::<Vec<_>>();
        violations.extend(
            other
                .compassion
                .iter()
                .map(|(often, answer)| (*answer, Some(*often))),
        );
        for (alternatives, violation) in reasons(own, other).into_iter().zip(violations) {
            let exclusion = exclusions.next().and_then(Option::as_ref);
            let ways = alternatives
                .into_iter()
                .map(|goal| vec![claim_of_states(first, invariant, goal)]);
            let ways = ways.chain(
                exclusion.and_then(|one| exclusion_claims(first, own, (invariant, violation), one)),
            );
            match prove_one_of(first, ways.collect(), deadline) {
                Ok(true) => {}
                Ok(false) => {
                    let why = "nothing shows that conditions of fairness mean the same".into();
                    return Audit::Unknown { why };
                }
                Err(audit) => return audit,
            }
        }
    }
    Audit::Passed {
        by: CHECKER.into(),
        time: start.elapsed(),
    }
}

/// That a Boolean holds in all states that are reached.
fn claim_of_states(system: &System, invariant: Term, goal: Term) -> Claim {
    Claim {
        facts: [&[invariant][..], &system.timeless()].concat(),
        goals: vec![goal],
        otherwise: "",
    }
}

/// Whether all claims of one of several ways hold.
fn prove_one_of(
    system: &System,
    ways: Vec<Vec<Claim>>,
    deadline: Option<Instant>,
) -> Result<bool, Audit> {
    for list in ways {
        let claims = Claims {
            list,
            limits: limits(system),
        };
        match claims.prove(deadline) {
            Ok(()) => return Ok(true),
            Err(Audit::Failed { what }) if what.is_empty() => {}
            Err(audit) => return Err(audit),
        }
    }
    Ok(false)
}

/// What has to be true for an exclusion to be one: nothing where it is malformed. A run that stays within a
/// set, and in what layers leave of it, cannot return to a layer: it is stuck there, or caught where a condition
/// is never met.
fn exclusion_claims(
    system: &System,
    own: &Fairness<Term>,
    (invariant, (condition, often)): (Term, (Term, Option<Term>)),
    exclusion: &FairExclusion,
) -> Option<Vec<Claim>> {
    let before = |term: Term| at_previous(system, term);
    let timeless = system.timeless();
    let step: Vec<Term> = demands(system, Phase::Step)
        .into_iter()
        .chain(timeless.iter().map(|one| before(*one)))
        .collect();
    let claim = |facts: Vec<Term>, goal: Term| Claim {
        facts,
        goals: vec![goal],
        otherwise: "",
    };
    let mut left = exclusion.within;
    let begin = [&[invariant, condition.not()][..], &timeless].concat();
    let mut claims = vec![claim(begin, left)];
    let stays = |set: Term, left: Term| {
        let facts = [&[before(set), before(left), left][..], &step].concat();
        claim(facts, set)
    };
    for layer in &exclusion.layers {
        let removed = layer.removed;
        let here = |goal: Term, set: Term| claim([&[set, left][..], &timeless].concat(), goal);
        match &layer.why {
            ExclusionReason::Stuck => {
                let facts = [&[before(removed), before(left), left][..], &step].concat();
                claims.push(claim(facts, Term::bool(false)));
            }
            ExclusionReason::Avoids(justice) => {
                if !own.justice.contains(justice) && often != Some(*justice) {
                    return None;
                }
                claims.push(here(justice.not(), removed));
                claims.push(stays(removed, left));
            }
            ExclusionReason::Unanswered {
                often,
                answer,
                closed,
            } => {
                if !own.compassion.contains(&(*often, *answer)) {
                    return None;
                }
                claims.push(here(answer.not(), *closed));
                claims.push(here(Term::and(&[*closed, *often]), removed));
                claims.push(stays(*closed, left));
            }
        }
        left = Term::and(&[left, removed.not()]);
    }
    claims.push(claim([&[left][..], &timeless].concat(), Term::bool(false)));
    Some(claims)
}

fn at_previous(system: &System, term: Term) -> Term {
    rename(term, &mut FxHashMap::default(), |leaf| {
        system.variable(leaf).map_or(leaf, |known| known.previous)
    })
}

/// For each condition of the second, what would show that runs that are fair in the first meet it.
fn reasons(first: &Fairness<Term>, second: &Fairness<Term>) -> Vec<Vec<Term>> {
    let met = |condition: Term| {
        let by = first.justice.iter().map(move |one| one.implies(condition));
        std::iter::once(condition).chain(by).collect::<Vec<Term>>()
    };
    let mut all: Vec<Vec<Term>> = second.justice.iter().map(|one| met(*one)).collect();
    for (often, answer) in &second.compassion {
        let mut ways = met(*answer);
        ways.push(often.not());
        let by = first.compassion.iter();
        ways.extend(by.map(|(other, other_answer)| {
            Term::and(&[often.implies(*other), other_answer.implies(*answer)])
        }));
        all.push(ways);
    }
    all
}

/// Checks that both systems accept a run that goes on for ever, from a state on after its last, and that it
/// is fair in one of them only.
pub fn audit_fair_difference(fair: &System, unfair: &System, run: &Trace, back: usize) -> Audit {
    let start = Instant::now();
    let mut round = run.clone();
    if back >= run.len() || round.push(run.row(back).to_vec()).is_err() {
        let what = "the run goes round to no state of its own".into();
        return Audit::Failed { what };
    }
    let found = [(fair, true), (unfair, false)]
        .into_iter()
        .try_for_each(|(system, wanted)| {
            let accepted = accepted_states(system, &round)?;
            if accepted < round.len() {
                return Err(format!("only {accepted} states of the run are accepted"));
            }
            match is_fair(system, run, back)? == wanted {
                true => Ok(()),
                false => Err("the run is fair in both, or in none".to_string()),
            }
        });
    match found {
        Ok(()) => Audit::Passed {
            by: "simulator".into(),
            time: start.elapsed(),
        },
        Err(what) => Audit::Failed { what },
    }
}

/// Whether the states that a run meets again and again meet the conditions of a system.
fn is_fair(system: &System, run: &Trace, back: usize) -> Result<bool, String> {
    let program = Program::compile(system).map_err(|error| error.to_string())?;
    let (whole, _) = program.machine().run(run);
    let holds = |term: Term, step: usize| -> Result<bool, String> {
        let columns = whole.columns().iter().copied();
        let row = columns.zip(whole.row(step).iter().cloned());
        let state: FxHashMap<Term, Value> = row.collect();
        let value = Evaluator::new(&state).value(term);
        value
            .map(|value| value == Value::Bool(true))
            .map_err(|unknown| format!("`{unknown:?}` has no value"))
    };
    let again_and_again = |term: Term| -> Result<bool, String> {
        for step in back..run.len() {
            if holds(term, step)? {
                return Ok(true);
            }
        }
        Ok(false)
    };
    for condition in &system.fairness().justice {
        if !again_and_again(*condition)? {
            return Ok(false);
        }
    }
    for (often, answer) in &system.fairness().compassion {
        if again_and_again(*often)? && !again_and_again(*answer)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Facts, and conjuncts of which each has to follow.
struct Claim {
    facts: Vec<Term>,
    goals: Vec<Term>,
    otherwise: &'static str,
}

struct Claims {
    list: Vec<Claim>,
    /// The limits of integers, previous and current.
    limits: FxHashMap<Term, (i128, i128)>,
}

impl Claims {
    fn new(first: &System, second: &System, invariant: Term) -> Claims {
        let [init, other_init] = [first, second].map(|one| demands(one, Phase::Init));
        let [step, other_step] = [first, second].map(|one| demands(one, Phase::Step));
        let before = |term: Term| at_previous(first, term);
        let mut known: Vec<Term> = vec![before(invariant)];
        known.extend(first.timeless().into_iter().map(before));
        let from = |own: &[Term]| [own, &known[..]].concat();
        let claim = |facts: Vec<Term>, goals: &[Term], otherwise: &'static str| Claim {
            goals: without(goals, &facts),
            facts,
            otherwise,
        };
        let list = vec![
            claim(
                init.clone(),
                &other_init,
                "an initial state of the first is none of the second",
            ),
            claim(
                other_init.clone(),
                &init,
                "an initial state of the second is none of the first",
            ),
            claim(
                from(&step),
                &other_step,
                "a step of the first is none of the second",
            ),
            claim(
                from(&other_step),
                &step,
                "a step of the second is none of the first",
            ),
            claim(init, &[invariant], "the invariant does not hold at first"),
            claim(
                from(&step),
                &[invariant],
                "the invariant does not hold inductively",
            ),
        ];
        let limits = limits(first);
        Claims { list, limits }
    }

    fn prove(&self, deadline: Option<Instant>) -> Result<(), Audit> {
        let formulas = self
            .list
            .iter()
            .flat_map(|one| one.facts.iter().chain(&one.goals));
        let mut seen = FxHashSet::default();
        let formulas: Vec<Term> = formulas.copied().filter(|one| seen.insert(*one)).collect();
        let blasted = blast_formulas(&formulas, |leaf| self.limits.get(&leaf).copied(), |_| 0);
        let blasted = blasted.map_err(|error| Audit::Unknown {
            why: error.to_string(),
        })?;
        let mut gates = Gates::new(&blasted, &formulas);
        for claim in &self.list {
            let facts: Vec<Lit> = claim.facts.iter().map(|one| gates.formula(*one)).collect();
            for goal in &claim.goals {
                let mut asked = vec![!gates.formula(*goal)];
                asked.extend(&facts);
                gates.refute(&asked, deadline, claim.otherwise)?;
            }
        }
        Ok(())
    }
}

/// What types say of integers, current and previous.
fn limits(system: &System) -> FxHashMap<Term, (i128, i128)> {
    let mut limits = FxHashMap::default();
    for variable in system.variables() {
        if let Some(bounds) = &variable.bounds
            && let (Some(low), Some(high)) = (bounds.low.to_i64(), bounds.high.to_i64())
        {
            for column in [variable.current, variable.previous] {
                limits.insert(column, (i128::from(low), i128::from(high)));
            }
        }
    }
    limits
}

/// What elements demand in a phase, by conjuncts.
fn demands(system: &System, phase: Phase) -> Vec<Term> {
    let mut all = Vec::new();
    let elements = system.elements().iter();
    let mut stack: Vec<Term> = elements.map(|one| one.part(phase)).collect();
    stack.reverse();
    while let Some(term) = stack.pop() {
        match term.op() {
            Op::And => stack.extend(term.args().iter().rev()),
            _ if term.is_true() => {}
            _ => all.push(term),
        }
    }
    all
}

fn without(goals: &[Term], facts: &[Term]) -> Vec<Term> {
    let known: FxHashSet<&Term> = facts.iter().collect();
    goals
        .iter()
        .filter(|one| !known.contains(one))
        .copied()
        .collect()
}

/// Formulas as literals of a checked solver; a gate has its clauses once somebody asks for it.
struct Gates<'b> {
    blasted: &'b Blasted,
    places: FxHashMap<Term, usize>,
    solver: CheckedSolver,
    truth: Lit,
    lits: Vec<Option<Lit>>,
}

impl<'b> Gates<'b> {
    fn new(blasted: &'b Blasted, formulas: &[Term]) -> Gates<'b> {
        let mut solver = CheckedSolver::new();
        let truth = solver.new_var().positive();
        solver.add_clause(&[truth]);
        let places = formulas.iter().enumerate().map(|(at, one)| (*one, at));
        let mut gates = Gates {
            blasted,
            places: places.collect(),
            solver,
            truth,
            lits: vec![None; blasted.netlist.graph.len()],
        };
        for constraint in &blasted.netlist.constraints {
            let lit = gates.lit(*constraint);
            gates.solver.add_clause(&[lit]);
        }
        gates
    }

    fn formula(&mut self, formula: Term) -> Lit {
        let bad = self.blasted.netlist.bads[self.places[&formula]].signal;
        !self.lit(bad)
    }

    fn lit(&mut self, signal: Signal) -> Lit {
        let mut stack = vec![signal.node()];
        while let Some(&node) = stack.last() {
            if self.lits[node as usize].is_some() {
                stack.pop();
                continue;
            }
            let lit = match self.blasted.netlist.graph.kind(node) {
                Kind::Constant => !self.truth,
                // A latch does not occur: formulas have no state.
                Kind::Input(_) | Kind::Latch(_) => self.solver.new_var().positive(),
                Kind::And(a, b) => {
                    let open = [a, b].map(|one| self.lits[one.index()].is_none());
                    if open != [false, false] {
                        stack.extend([a, b].map(|one| one.node()));
                        continue;
                    }
                    let [a, b] = [a, b].map(|one| self.known(one));
                    self.and(a, b)
                }
            };
            self.lits[node as usize] = Some(lit);
        }
        self.known(signal)
    }

    fn known(&self, signal: Signal) -> Lit {
        let lit = self.lits[signal.index()].unwrap_or(self.truth);
        if signal.is_complemented() { !lit } else { lit }
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let gate = self.solver.new_var().positive();
        self.solver.add_clause(&[!gate, a]);
        self.solver.add_clause(&[!gate, b]);
        self.solver.add_clause(&[gate, !a, !b]);
        gate
    }

    fn refute(
        &mut self,
        asked: &[Lit],
        deadline: Option<Instant>,
        otherwise: &str,
    ) -> Result<(), Audit> {
        let time = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        self.solver
            .solver()
            .set_budget(Budget { effort: None, time });
        match self.solver.solve(asked) {
            Ok(Answer::Unsatisfiable) => Ok(()),
            Ok(Answer::Satisfiable) => Err(Audit::Failed {
                what: otherwise.into(),
            }),
            Ok(Answer::Unknown) => Err(Audit::Unknown {
                why: "the time of the audit is up".into(),
            }),
            Err(fault) => Err(Audit::Failed {
                what: format!("the solver's own proof is wrong: {fault}"),
            }),
        }
    }
}
