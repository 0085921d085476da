//! Has one system every run, as observed, that the other has?
//!
//! That is a question of the kind "for all there is": for each run of the *leader* there have to be
//! choices with which the *follower* shows the same. A *strategy* answers it: a value for each choice
//! of the follower, given the leader's values at the same step. The leader and a copy of the follower
//! that chooses by the strategy are one system, without choices of the follower, and whether the copy
//! accepts and shows the same for ever is a property for the engines. If it is proved, the follower
//! has all runs of the leader. With several strategies and a copy for each, it is enough that at
//! every step one of them has not failed yet.
//!
//! Strategies come from three places: a choice is paired with the same one of the leader, or with one
//! that only the leader has; it is computed from what is observed, where the first value of an
//! observed variable can be solved for it; or it is constant. A run on which all strategies fail goes
//! to `choices`: if the follower has no such run at all, it tells the systems apart; if it has one,
//! the values chosen there are one strategy more. For choices of finite sorts at the first step this
//! ends with an answer; otherwise it may not, and after a few rounds nothing is known.
//!
//! Only what a mutation or a different choice can reach is copied. A copy is defined by what the leader
//! does, without cycles, so that no run of the leader is lost.

use crate::auditor::Audited;
use crate::invert::solve_for;
use crate::mutate::compare::choices::{Choice, Choosers, Followed};
use crate::mutate::compare::product::{
    Comparison, Distinction, FanOut, Side, by_engines, by_pairs, constraints, copy_element,
};
use crate::oracle::OracleError;
use proofmark_audit::{Audit, audit_proof};
use proofmark_engine::EngineVerdict;
use proofmark_model::{
    Body, CompileError, Definition, Element, ElementId, Mentions, Origin, Phase, Program, Property,
    Role, Sort, System, SystemError, Term, Trace, Value, Variable, rename, slice_with,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};

/// How many times the engines are asked about one direction, and what both directions may take.
const ROUNDS: usize = 16;
const MOST: Duration = Duration::from_secs(5);
/// How deep an observed variable is looked into for a choice.
const DEPTH: usize = 32;

/// How the follower chooses.
#[derive(Clone, PartialEq, Debug)]
enum Strategy {
    /// As the leader does.
    Paired,
    /// What leads to the values that the leader shows at the first step, where that can be solved.
    Solved,
    /// These values at the first step, and later as the leader does.
    Constant(Vec<(Term, Value)>),
}

/// Whether each of two systems has the runs of the other.
pub(crate) struct Inclusion<'a> {
    pub choosers: &'a Choosers<'a>,
    /// The elements in which the two differ.
    pub changed: Vec<ElementId>,
    /// Which elements of the original read a variable.
    pub readers: &'a FxHashMap<Term, Vec<ElementId>>,
}

/// Whether the follower has all runs of the leader.
enum Included {
    Yes(Audited),
    No(Box<Distinction>),
    Unknown,
}

impl Inclusion<'_> {
    pub fn compare(&self, queries: &mut u64) -> Result<Comparison, OracleError> {
        let end = Instant::now() + MOST;
        let (mut equivalent, mut audit) = (true, None::<Audited>);
        for leader in [Side::Mutant, Side::Original] {
            match self.included(leader, end, queries)? {
                Included::Yes(passed) => {
                    audit = Some(match audit {
                        Some(other) => other.and(passed),
                        None => passed,
                    });
                }
                Included::No(found) => return Ok(Comparison::Different(found)),
                Included::Unknown => equivalent = false,
            }
        }
        if equivalent {
            return Ok(Comparison::Equivalent { audit });
        }
        let why = "one may choose so that it shows what the other does".into();
        Ok(Comparison::Unknown { why })
    }

    fn included(
        &self,
        leader: Side,
        end: Instant,
        queries: &mut u64,
    ) -> Result<Included, OracleError> {
        let (choosers, follower) = (self.choosers, leader.other());
        let mut strategies = vec![Strategy::Paired];
        let mut constant = Vec::new();
        for _ in 0..ROUNDS {
            if choosers.resources.exhausted() || Instant::now() >= end {
                break;
            }
            *queries += 1;
            let run = match self.ask(leader, &strategies)? {
                Asked::Proved(audit) => return Ok(Included::Yes(audit)),
                Asked::Fails(run) => run,
                Asked::Unknown => break,
                Asked::Cyclic => {
                    strategies = vec![Strategy::Paired];
                    strategies.extend(constant.iter().cloned());
                    continue;
                }
            };
            *queries += 1;
            let values = match choosers.follow(follower, &run)? {
                Followed::By(values) => values,
                Followed::Unknown => break,
                Followed::Not { step, closest } => {
                    let (given, found) = ([&run, &run], (step, closest));
                    let found = choosers.without_match(leader, &run, found, given)?;
                    return Ok(found.map_or(Included::Unknown, |one| Included::No(Box::new(one))));
                }
            };
            let next = constants(choosers.choices[follower as usize], &values);
            if strategies.contains(&next) {
                // The strategy fails at a later step, where it is not constant.
                break;
            }
            let is_first = constant.is_empty();
            constant.push(next.clone());
            match is_first {
                true => strategies = vec![Strategy::Solved],
                false => strategies.push(next),
            }
        }
        Ok(Included::Unknown)
    }

    /// Puts the question to the engines.
    fn ask(&self, leader: Side, strategies: &[Strategy]) -> Result<Asked, OracleError> {
        let (choosers, resources) = (self.choosers, self.choosers.resources);
        let mut joiner = Joiner::new(self, leader)?;
        for strategy in strategies {
            joiner.follow(strategy)?;
        }
        let (system, pairs) = joiner.finish()?;
        if let Err(error) = Program::compile(&system) {
            return match error {
                CompileError::Cycle { .. } => Ok(Asked::Cyclic),
                error => Err(error.into()),
            };
        }
        let part = slice_with(&system, &[0], &constraints(&system)).system;
        let known = |pair: &Term| {
            let mentions = Mentions::of(*pair);
            let mut variables = mentions.variables.iter();
            variables.all(|one| part.variable(*one).is_some())
        };
        let pairs: Vec<Term> = pairs.into_iter().filter(known).collect();
        let proof = match by_pairs(&part, &pairs, resources)? {
            Some(proof) => proof,
            None => match by_engines(&part, &pairs, resources)? {
                EngineVerdict::Valid { proof, .. } => proof,
                EngineVerdict::Unknown { .. } => return Ok(Asked::Unknown),
                EngineVerdict::Invalid { refutation, .. } => {
                    let given = refutation.trace.first(refutation.step as usize + 1);
                    let program = choosers.programs[leader as usize];
                    let (run, outcome) = program.machine().run(&given);
                    return Ok(match outcome.broken_at() {
                        None => Asked::Fails(run),
                        Some(_) => Asked::Unknown,
                    });
                }
            },
        };
        let Some(auditor) = choosers.auditor else {
            return Ok(Asked::Proved(Audited::NotAskedFor));
        };
        let time = Some(resources.within(auditor.time));
        Ok(
            match audit_proof(&part, 0, &proof, &|| (auditor.open)(), time)? {
                Audit::Passed { by, .. } => Asked::Proved(Audited::by(by)),
                Audit::Failed { what } => return Err(OracleError::Audit(what)),
                Audit::Unknown { why } if auditor.accept_unaudited => {
                    Asked::Proved(Audited::NoAnswer { why })
                }
                Audit::Unknown { .. } => Asked::Unknown,
            },
        )
    }
}

/// What the engines say of some strategies.
enum Asked {
    /// On every run of the leader one of them shows the same.
    Proved(Audited),
    /// On this run of the leader all of them fail.
    Fails(Trace),
    /// Values that strategies compute depend on themselves.
    Cyclic,
    Unknown,
}

/// The values that were chosen at the first step.
fn constants(choices: &[Choice], run: &Trace) -> Strategy {
    let first = choices.iter().filter(|choice| choice.at[0]);
    let values = first.filter_map(|one| Some((one.variable, run.value(one.variable, 0)?.clone())));
    Strategy::Constant(values.collect())
}

/// Builds the leader with copies of the follower.
struct Joiner<'a> {
    inclusion: &'a Inclusion<'a>,
    leader: &'a System,
    follower: &'a System,
    choices: &'a [Choice],
    /// The leader's choice for each choice of the follower that has one.
    partners: FxHashMap<Term, Term>,
    product: System,
    /// For each copy, whether it has accepted and shown the same so far.
    followed: Vec<Term>,
    pairs: Vec<Term>,
}

impl<'a> Joiner<'a> {
    fn new(inclusion: &'a Inclusion<'a>, leader: Side) -> Result<Joiner<'a>, SystemError> {
        let (choosers, other) = (inclusion.choosers, leader.other());
        let (leads, follows) = (choosers.systems[leader as usize], other as usize);
        let choices = choosers.choices[follows];
        Ok(Joiner {
            inclusion,
            leader: leads,
            follower: choosers.systems[follows],
            choices,
            partners: partners(choosers.choices[leader as usize], choices),
            product: leads.with_properties(Vec::new())?,
            followed: Vec::new(),
            pairs: Vec::new(),
        })
    }

    /// Adds a copy of the follower that chooses by a strategy.
    fn follow(&mut self, strategy: &Strategy) -> Result<(), SystemError> {
        let is_shared = |choice: &Choice| {
            let partner = self.partners.get(&choice.variable);
            *strategy == Strategy::Paired && partner == Some(&choice.variable)
        };
        let differing: Vec<Term> = self
            .choices
            .iter()
            .filter(|one| !is_shared(one))
            .map(|one| one.variable)
            .collect();
        let readers = self.inclusion.readers;
        let mut roots = self.inclusion.changed.clone();
        for choice in &differing {
            roots.extend(readers.get(choice).into_iter().flatten());
        }
        let fan_out = FanOut::of(self.inclusion.choosers.systems[0], readers, roots);
        let elements = self.follower.ids().filter(|id| fan_out.has_element(*id));
        let elements: Vec<&Element> = elements.map(|id| self.follower.element(id)).collect();
        let mut copies = self.copies(&elements, &differing)?;
        let values = self.values(strategy, &copies);
        let (mut constraints, mut defined) = (Vec::new(), FxHashSet::default());
        for element in elements {
            let mut copy = copy_element(element, &mut copies);
            if let Body::Define(definition) = &mut copy.body {
                let chosen = values.get(&definition.variable);
                let [init, step] = chosen.copied().unwrap_or_default();
                definition.init = definition.init.or(init);
                definition.step = definition.step.or(step);
                defined.insert(definition.variable);
                self.product.add_element(copy)?;
            } else {
                constraints.push(copy);
            }
        }
        for (variable, [init, step]) in values {
            // A variable that is defined at some steps has its element.
            if !defined.contains(&variable) {
                let definition = Definition {
                    variable,
                    init,
                    step,
                };
                let element = Element::define(definition, Origin::generated());
                self.product.add_element(element)?;
            }
        }
        self.watch(constraints, &copies)
    }

    /// Declares copies of what some elements define, of choices, and of whatever else they read that the
    /// leader does not have: choices that do not matter, which stay free.
    fn copies(
        &mut self,
        elements: &[&Element],
        differing: &[Term],
    ) -> Result<FxHashMap<Term, Term>, SystemError> {
        let mut copies = FxHashMap::default();
        let defined = elements.iter().flat_map(|element| element.definitions());
        let defined = defined.map(|one| one.variable);
        let read = elements.iter().flat_map(|one| one.mentions().variables);
        let read = read.filter(|term| self.product.variable(*term).is_none());
        let read = read.filter_map(|term| Some(self.follower.variable(term)?.current));
        let read: Vec<Term> = read.collect();
        let number = self.followed.len();
        for variable in defined.chain(differing.iter().copied()).chain(read) {
            let Some(known) = self.follower.variable(variable) else {
                return Err(SystemError::Undeclared { variable });
            };
            if copies.contains_key(&variable) {
                continue;
            }
            let (name, origin) = (format!("{}%{number}", known.name), known.origin.serving());
            let copy = Variable::new(&name, known.sort(), known.role, origin);
            copies.insert(known.current, copy.current);
            copies.insert(known.previous, copy.previous);
            if known.role != Role::Auxiliary && self.leader.variable(variable).is_some() {
                self.pairs.push(variable.eq(copy.current));
            }
            self.product.declare(copy)?;
        }
        Ok(copies)
    }

    /// What a strategy chooses, by the copies: at the first step, and later.
    fn values(
        &self,
        strategy: &Strategy,
        copies: &FxHashMap<Term, Term>,
    ) -> FxHashMap<Term, [Option<Term>; 2]> {
        let mut values = FxHashMap::default();
        let copied = |choice: &&Choice| copies.contains_key(&choice.variable);
        for choice in self.choices.iter().filter(copied) {
            let paired = self.paired(choice.variable);
            let first = match strategy {
                Strategy::Paired => paired,
                Strategy::Solved => self.solved(choice.variable, copies).unwrap_or(paired),
                Strategy::Constant(values) => {
                    let mut values = values.iter();
                    let value = values.find(|(variable, _)| *variable == choice.variable);
                    value.map_or(paired, |(_, value)| Term::constant(value.clone()))
                }
            };
            let at = [(choice.at[0], first), (choice.at[1], paired)];
            let at = at.map(|(chosen, value)| chosen.then_some(value));
            values.insert(copies[&choice.variable], at);
        }
        values
    }

    /// The leader's value of a choice: that of its partner, or of the same variable where that is
    /// defined; else any value.
    fn paired(&self, variable: Term) -> Term {
        let same = self.leader.variable(variable);
        let same = same.filter(|one| one.role != Role::Choice);
        let partner = self.partners.get(&variable).copied();
        let any = || Term::constant(Value::default_of(variable.sort()));
        partner.or(same.map(|one| one.current)).unwrap_or_else(any)
    }

    /// The first value of a choice with which the copy shows what the leader shows in some observed
    /// variable.
    fn solved(&self, choice: Term, copies: &FxHashMap<Term, Term>) -> Option<Term> {
        let mut observed = self.inclusion.choosers.observed.iter();
        let mut copies = copies.clone();
        observed.find_map(|shown| {
            let value = first_value(self.follower, *shown)?;
            let value = rename(value, &mut copies, |variable| variable);
            solve_for(value, copies[&choice], *shown, DEPTH)
        })
    }

    /// Adds what says whether a copy has accepted and shown the same so far.
    fn watch(
        &mut self,
        constraints: Vec<Element>,
        copies: &FxHashMap<Term, Term>,
    ) -> Result<(), SystemError> {
        let name = format!("%followed{}", self.followed.len());
        let variable = Variable::new(&name, Sort::Bool, Role::Local, Origin::generated());
        let observed = self.inclusion.choosers.observed.iter();
        let same = observed.filter_map(|one| Some(Term::eq(*one, *copies.get(one)?)));
        let same: Vec<Term> = same.collect();
        let demands = |phase| {
            let demands = constraints.iter().filter_map(|one| one.constraint(phase));
            let demands: Vec<Term> = demands.chain(same.iter().copied()).collect();
            demands
        };
        let (init, mut step) = (demands(Phase::Init), demands(Phase::Step));
        step.push(variable.previous);
        let definition = Definition {
            variable: variable.current,
            init: Some(Term::and(&init)),
            step: Some(Term::and(&step)),
        };
        self.followed.push(variable.current);
        self.product.declare(variable)?;
        let auxiliaries = constraints.into_iter().flat_map(|one| one.auxiliaries);
        self.product.add_element(Element {
            body: Body::Define(definition),
            auxiliaries: auxiliaries.collect(),
            origin: Origin::generated(),
        })?;
        Ok(())
    }

    /// The system, and equalities between leader and copies that may help to prove it.
    fn finish(self) -> Result<(System, Vec<Term>), SystemError> {
        let mut product = self.product;
        product.add_property(Property {
            name: "some strategy follows".into(),
            term: Term::or(&self.followed),
            origin: Origin::generated(),
        })?;
        Ok((product, self.pairs))
    }
}

/// Pairs each choice of the follower with the same one of the leader, or, in order, with one of the
/// same sort that only the leader has.
fn partners(leader: &[Choice], follower: &[Choice]) -> FxHashMap<Term, Term> {
    let has = |choices: &[Choice], one: &Choice| {
        choices.iter().any(|other| other.variable == one.variable)
    };
    let (same, other): (Vec<&Choice>, Vec<&Choice>) =
        follower.iter().partition(|one| has(leader, one));
    let mut partners: FxHashMap<Term, Term> = same
        .iter()
        .map(|one| (one.variable, one.variable))
        .collect();
    let mut left: Vec<&Choice> = leader.iter().filter(|one| !has(follower, one)).collect();
    for choice in other {
        let fits =
            |one: &&Choice| one.variable.sort() == choice.variable.sort() && one.at == choice.at;
        if let Some(at) = left.iter().position(fits) {
            partners.insert(choice.variable, left.remove(at).variable);
        }
    }
    partners
}

/// The first value of a variable as a term over inputs and choices.
fn first_value(system: &System, variable: Term) -> Option<Term> {
    let elements = system.elements().iter();
    let definitions = elements.flat_map(|element| element.definitions());
    let first: FxHashMap<Term, Term> = definitions
        .filter_map(|one| Some((one.variable, one.init?)))
        .collect();
    let mut value = variable;
    for _ in 0..DEPTH {
        let before = value;
        let mut known = FxHashMap::default();
        value = rename(value, &mut known, |one| {
            first.get(&one).copied().unwrap_or(one)
        });
        if value == before {
            return Some(value);
        }
    }
    None
}
