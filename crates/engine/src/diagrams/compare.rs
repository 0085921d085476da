//! Whether systems over the same variables are the same structure (Arcaini, Gargantini and Riccobene,
//! Equivalence checking for NuSMV specifications, Definition 3).
//!
//! Two systems have the same computation trees exactly when their initial states are the same and no state
//! that the first reaches has a step in one that it has not in the other. The reachable states are computed
//! once, and any number of others is compared with them. What both systems demand is never looked at: a
//! conjunct that only one has must follow, in reachable states, from what the other demands.
//!
//! Often the steps agree even in states that are not reached; then these are not computed.
//!
//! A state is the values of all variables, inputs among them. Definitions that both have are expanded.
//! Where the structures are the same, fairness may still differ: then some run is fair in one and for ever
//! outside of a condition of the other.

use super::encode::{Encoder, Expansion, Part, declared};
use super::on_a_large_stack;
use super::paths::Evidence;
use super::relation::schedule;
use super::space::{Condition, Parts, Reached, Space, at_present};
use super::store::{
    Answer, Bit, Diagram, DiagramLimits, Store, and, and_exists, exists, is_empty, minus, not,
};
use num_bigint::BigUint;
use proofmark_model::graph::integer_limits;
use proofmark_model::{
    ExclusionLayer, ExclusionReason, FairExclusion, Fairness, System, Term, Trace, Value, Variable,
};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Which of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The one that others are compared with.
    First,
    /// The other.
    Second,
}

/// How a system differs from the first one.
#[derive(Clone, Debug)]
pub enum StructureDifference {
    /// A run of both but for its last state, which only one of them can go to; a run of a single state
    /// begins where only one of them does. There is no shorter one.
    Step {
        /// The run, as far as states are not computed from others.
        run: Trace,
        /// Who has it.
        only: Side,
    },
    /// A run of both that goes on for ever, and is fair in one only.
    Fair {
        /// A lasso.
        run: Evidence,
        /// Where it is fair.
        only: Side,
    },
}

/// What a comparison came to.
#[derive(Clone, Debug)]
pub enum StructureComparison {
    /// They are the same.
    Same {
        /// What every reachable state of both satisfies, and in which they agree: to be checked by others.
        /// Nothing where it is too large to be written down.
        invariant: Option<Term>,
        /// Where conditions of fairness are not the same: for each condition of the second and then of the
        /// first, justice before compassion, why no run that is fair in the other violates it. Nothing of one
        /// that is too large to be written down.
        fairness: Option<Vec<Option<FairExclusion>>>,
    },
    /// They are not.
    Differ(Box<StructureDifference>),
}

/// Compares systems with the first, by position; `hear` is told of each. Returns how many states the first
/// reaches, if that mattered. Works on a thread of its own, for the sake of its stack.
pub fn compare_structures<'o>(
    first: &System,
    others: impl IntoIterator<Item = &'o System> + Send,
    limits: &DiagramLimits,
    hear: &mut (dyn FnMut(usize, Answer<StructureComparison>) + Send),
) -> Answer<Option<BigUint>> {
    on_a_large_stack(|| {
        let mut structure = Structure::new(first, limits)?;
        for (at, other) in others.into_iter().enumerate() {
            let found = structure.compare(other);
            hear(at, found);
        }
        let (space, encoder) = (&structure.space, &structure.encoder);
        let reached = structure.reached.as_ref();
        Ok(reached.map(|reached| space.count(encoder, &reached.all)))
    })
}

/// An invariant with more nodes is not written down.
const INVARIANT: usize = 60_000;

/// A system whose reachable states are computed once.
struct Structure<'s> {
    system: &'s System,
    encoder: Encoder,
    space: Space<'s>,
    /// Once somebody asks.
    reached: Option<Rc<Reached>>,
    invariant: Option<Option<Term>>,
}

/// Two systems under the definitions that they share.
struct Pair {
    /// What both demand, and what only one does.
    init: Conjuncts,
    step: Conjuncts,
    /// Variables that are not expanded here, though they are in the first system alone.
    lifted: Vec<Variable>,
    /// What the first says of these, over a present state.
    lift: Diagram,
    /// The next bits of all variables that are not expanded.
    next: Vec<Bit>,
    variables: Vec<Variable>,
}

/// The conjuncts of two terms.
struct Conjuncts {
    common: Vec<Term>,
    only: [Vec<Term>; 2],
}

impl Conjuncts {
    fn new(first: Vec<Term>, second: Vec<Term>) -> Conjuncts {
        let of_first: FxHashSet<Term> = first.iter().copied().collect();
        let of_second: FxHashSet<Term> = second.iter().copied().collect();
        let (common, only_first) = first.into_iter().partition(|one| of_second.contains(one));
        let only_second = second.into_iter().filter(|one| !of_first.contains(one));
        Conjuncts {
            common,
            only: [only_first, only_second.collect()],
        }
    }
}

impl<'s> Structure<'s> {
    fn new(system: &'s System, limits: &DiagramLimits) -> Answer<Structure<'s>> {
        let mut encoder = Encoder::new(Store::new(limits.clone()));
        // The other may demand less of a variable: there must be room for all that its type allows.
        let order: Vec<&Variable> = {
            let expansion = Expansion::new(system);
            let variables = system.variables().iter();
            variables
                .filter(|one| !expansion.has(one.current))
                .collect()
        };
        declare(&mut encoder, system, &order)?;
        let space = Space::whole(&mut encoder, system)?;
        Ok(Structure {
            system,
            encoder,
            space,
            reached: None,
            invariant: None,
        })
    }

    fn reached(&mut self) -> Answer<Rc<Reached>> {
        if let Some(reached) = &self.reached {
            return Ok(Rc::clone(reached));
        }
        let reached = Rc::new(self.space.reach(&mut self.encoder)?);
        self.reached = Some(Rc::clone(&reached));
        Ok(reached)
    }

    fn invariant(&mut self) -> Answer<Option<Term>> {
        if self.invariant.is_none() {
            let (reached, state) = (self.reached()?, &self.space.state);
            self.invariant = Some(self.encoder.readback(&reached.all, state, INVARIANT)?);
        }
        Ok(self.invariant.flatten())
    }

    fn compare(&mut self, other: &System) -> Answer<StructureComparison> {
        let pair = self.pair(other)?;
        let mut found = self.initial(&pair)?;
        let everywhere = found.is_none() && self.agree_everywhere(&pair)?;
        let fairness = (self.system.fairness(), other.fairness());
        if everywhere && same_conditions(fairness.0, fairness.1) {
            return Ok(StructureComparison::Same {
                invariant: Some(Term::bool(true)),
                fairness: None,
            });
        }
        if found.is_none() && !everywhere {
            found = self.steps(&pair)?;
        }
        if let Some((run, only)) = found {
            let found = StructureDifference::Step { run, only };
            return Ok(StructureComparison::Differ(Box::new(found)));
        }
        let fairness = match self.fairness(other)? {
            FairnessComparison::Same => None,
            FairnessComparison::MeansTheSame(exclusions) => Some(exclusions),
            FairnessComparison::Differ(run, only) => {
                let found = StructureDifference::Fair { run: *run, only };
                return Ok(StructureComparison::Differ(Box::new(found)));
            }
        };
        let invariant = self.invariant()?;
        Ok(StructureComparison::Same {
            invariant,
            fairness,
        })
    }

    fn pair(&mut self, other: &System) -> Answer<Pair> {
        let mut shared = Expansion::common(self.system, other);
        let variables: Vec<Variable> = self
            .system
            .variables()
            .iter()
            .filter(|one| !shared.has(one.current))
            .cloned()
            .collect();
        let lifted: Vec<Variable> = variables
            .iter()
            .filter(|one| self.space.expansion.has(one.current))
            .cloned()
            .collect();
        declare(
            &mut self.encoder,
            self.system,
            &lifted.iter().collect::<Vec<_>>(),
        )?;
        let first = self.demands(self.system, &mut shared)?;
        let second = self.demands(other, &mut shared)?;
        let [init, step] = [0, 1].map(|at| Conjuncts::new(first[at].clone(), second[at].clone()));
        let lift = self.lift(&lifted)?;
        let columns = variables
            .iter()
            .filter_map(|one| self.encoder.columns(one.current));
        let next = columns.flat_map(|one| one.next.clone()).collect();
        Ok(Pair {
            init,
            step,
            lifted,
            lift,
            next,
            variables,
        })
    }

    /// What a system demands of the first state, as one of the present, and of a step.
    fn demands(&mut self, system: &System, shared: &mut Expansion) -> Answer<[Vec<Term>; 2]> {
        let parts = Parts::new(system, shared);
        let init = parts.init.iter().map(|one| at_present(system, *one));
        Ok([init.collect(), parts.step])
    }

    /// What the first system says of variables that it defines, in a present state.
    fn lift(&mut self, lifted: &[Variable]) -> Answer<Diagram> {
        let mut definitions: Vec<Term> = Vec::new();
        for (variable, value) in self.space.expansion.definitions() {
            if lifted.iter().any(|one| one.current == variable) {
                definitions.push(at_present(self.system, variable.eq(value)));
            }
        }
        let mut lift = self.encoder.store.yes.clone();
        for part in self.encoder.encode(&definitions)? {
            lift = and(&lift, &part.set)?;
        }
        Ok(lift)
    }

    /// What types say of some variables, in one of their columns.
    fn types(&mut self, variables: &[Variable], next: bool) -> Answer<Vec<Part>> {
        let mut parts = Vec::new();
        for variable in variables {
            if let Some(valid) = self.encoder.valid(variable, next)? {
                parts.extend(self.encoder.encode(&[valid])?);
            }
            parts.extend(self.encoder.codes(variable, next)?);
        }
        Ok(parts)
    }

    /// An initial state that only one has.
    fn initial(&mut self, pair: &Pair) -> Answer<Option<(Trace, Side)>> {
        let mut common = self.types(&pair.variables, false)?;
        common.extend(self.encoder.encode(&pair.init.common)?);
        let yes = self.encoder.store.yes.clone();
        for (side, own, others) in sides(&pair.init) {
            let own = self.encoder.encode(own)?;
            for other in self.encoder.encode(others)? {
                let mut set = minus(&yes, &other.set)?;
                for part in own.iter().chain(&common) {
                    set = and(&set, &part.set)?;
                }
                if is_empty(&set) {
                    continue;
                }
                let mut run = trace(&pair.variables);
                self.write(&mut run, &set, false)?;
                return Ok(Some((run, side)));
            }
        }
        Ok(None)
    }

    /// Whether all states have the same steps in both, reached or not, as far as conjuncts that only one
    /// demands show. Then it does not matter which are reached.
    fn agree_everywhere(&mut self, pair: &Pair) -> Answer<bool> {
        let types = [
            self.types(&pair.variables, false)?,
            self.types(&pair.variables, true)?,
        ];
        let mut begin = pair.lift.clone();
        for part in types.iter().flatten() {
            begin = and(&begin, &part.set)?;
        }
        for (_, own, others) in sides(&pair.step) {
            let own = self.encoder.encode(own)?;
            for other in self.encoder.encode(others)? {
                let mut steps = and(&begin, &not(&other.set)?)?;
                for part in &own {
                    steps = and(&steps, &part.set)?;
                }
                if !is_empty(&steps) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// A shortest run to a step that only one has.
    fn steps(&mut self, pair: &Pair) -> Answer<Option<(Trace, Side)>> {
        let mut nearest: Option<(usize, Diagram, Vec<Part>, Side)> = None;
        let reached = self.reached()?;
        let begin = and(&reached.all, &pair.lift)?;
        let mut common: Option<Vec<Part>> = None;
        for (side, own, others) in sides(&pair.step) {
            let own = self.encoder.encode(own)?;
            for other in self.encoder.encode(others)? {
                self.encoder.store.check()?;
                let mut steps = and(&begin, &not(&other.set)?)?;
                for part in &own {
                    steps = and(&steps, &part.set)?;
                }
                if is_empty(&steps) {
                    continue;
                }
                if common.is_none() {
                    let mut parts = self.types(&pair.variables, true)?;
                    parts.extend(self.encoder.encode(&pair.step.common)?);
                    common = Some(parts);
                }
                let common = common.as_deref().unwrap_or_default();
                let from = self.project(&steps, common, pair)?;
                let Some(ring) = self.ring(&reached, &from, pair)? else {
                    continue;
                };
                if nearest.as_ref().is_none_or(|(best, ..)| ring < *best) {
                    let mut parts = own.clone();
                    parts.push(Part {
                        set: not(&other.set)?,
                        support: other.support.clone(),
                    });
                    nearest = Some((ring, from, parts, side));
                }
            }
        }
        let Some((_, from, mut parts, side)) = nearest else {
            return Ok(None);
        };
        parts.extend(common.unwrap_or_default());
        Ok(Some((self.run(&from, &parts, pair)?, side)))
    }

    /// The states from which a step in a set satisfies all parts.
    fn project(&self, steps: &Diagram, parts: &[Part], pair: &Pair) -> Answer<Diagram> {
        let store = &self.encoder.store;
        let (scheduled, idle) = schedule(store, parts, &pair.next)?;
        let mut result = exists(steps, &idle)?;
        for (part, cube) in &scheduled {
            store.check()?;
            result = and_exists(&result, part, cube)?;
        }
        Ok(result)
    }

    /// How far the nearest of some states is.
    fn ring(&self, reached: &Reached, from: &Diagram, pair: &Pair) -> Answer<Option<usize>> {
        for (at, ring) in reached.rings.iter().enumerate() {
            if !is_empty(&and(&and(ring, &pair.lift)?, from)?) {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// A shortest run to one of some states, with a step that satisfies all parts.
    fn run(&mut self, from: &Diagram, parts: &[Part], pair: &Pair) -> Answer<Trace> {
        let lifted: Vec<Bit> = self.bits(&pair.lifted);
        let reached = self.reached()?;
        let store = &self.encoder.store;
        let target = and_exists(from, &pair.lift, &store.cube(&lifted)?)?;
        let path = self
            .space
            .path_by_rings(&self.encoder, &reached.rings, &target)?;
        let path = path.unwrap_or_default();
        let mut run = trace(&pair.variables);
        let mut last = store.yes.clone();
        for state in path.sets() {
            last = and(state, &pair.lift)?;
            self.write(&mut run, &last, false)?;
        }
        let mut steps = last;
        for part in parts {
            steps = and(&steps, &part.set)?;
        }
        self.write(&mut run, &steps, true)?;
        Ok(run)
    }

    fn bits(&self, variables: &[Variable]) -> Vec<Bit> {
        let columns = variables
            .iter()
            .filter_map(|one| self.encoder.columns(one.current));
        columns.flat_map(|one| one.present.clone()).collect()
    }

    /// Adds a state of a set to a run, or the state that a step of a set leads to.
    fn write(&self, run: &mut Trace, set: &Diagram, next: bool) -> Answer<()> {
        let store = &self.encoder.store;
        let all: Vec<Bit> = (0..store.bits() as Bit).collect();
        let Some((values, _)) = store.pick(set, &all)? else {
            unreachable!("the set is not empty");
        };
        let bit = |bit: Bit| values[bit as usize];
        let columns = run.columns().to_vec();
        let row = columns.iter().map(|one| {
            let value = self.encoder.decode(*one, bit, next);
            value.unwrap_or_else(|| Value::default_of(one.sort()))
        });
        if run.push(row.collect()).is_err() {
            unreachable!("values have the sorts of their variables");
        }
        Ok(())
    }

    /// Whether the same runs are fair, where the structures are the same.
    fn fairness(&mut self, other: &System) -> Answer<FairnessComparison> {
        let system = self.system;
        let (first, second) = (system.fairness(), other.fairness());
        if same_conditions(first, second) {
            return Ok(FairnessComparison::Same);
        }
        let mut exclusions = Vec::new();
        for (side, own, others) in [(Side::First, first, second), (Side::Second, second, first)] {
            self.set_fairness(own)?;
            let justice = others.justice.iter().map(|one| (*one, None));
            let compassion = others.compassion.iter();
            let compassion = compassion.map(|(often, answer)| (*answer, Some(*often)));
            for (condition, often) in justice.chain(compassion) {
                match self.violation(own, condition, often)? {
                    Ok(exclusion) => exclusions.push(exclusion),
                    Err(run) => return Ok(FairnessComparison::Differ(run, side)),
                }
            }
        }
        self.set_fairness(first)?;
        Ok(FairnessComparison::MeansTheSame(exclusions))
    }

    fn set_fairness(&mut self, fairness: &Fairness<Term>) -> Answer<()> {
        self.space.justice.clear();
        self.space.compassion.clear();
        for condition in &fairness.justice {
            let set = self.space.set(&mut self.encoder, *condition)?;
            self.space.justice.push(Condition {
                set,
                labelled: false,
            });
        }
        for (often, answer) in &fairness.compassion {
            let often = self.space.set(&mut self.encoder, *often)?;
            let answer = self.space.set(&mut self.encoder, *answer)?;
            self.space.compassion.push((often, answer));
        }
        Ok(())
    }

    /// A fair run that does not meet a condition any more from some step on, and meets another again and
    /// again; or why there is none.
    fn violation(
        &mut self,
        own: &Fairness<Term>,
        condition: Term,
        often: Option<Term>,
    ) -> Answer<Result<Option<FairExclusion>, Box<Evidence>>> {
        let reached = self.reached()?;
        let condition = self.space.set(&mut self.encoder, condition)?;
        let within = minus(&reached.all, &condition)?;
        let count = self.space.justice.len();
        if let Some(often) = often {
            let set = self.space.set(&mut self.encoder, often)?;
            self.space.justice.push(Condition {
                set,
                labelled: false,
            });
        }
        let core = self.space.core(&self.encoder, &within)?;
        let found = if is_empty(&core) {
            Ok(self.exclusion(own, often, &within)?)
        } else {
            let path = self
                .space
                .path_by_rings(&self.encoder, &reached.rings, &core)?;
            let mut path = path.unwrap_or_default();
            self.space.close(&self.encoder, &mut path, &within)?;
            Err(Box::new(self.space.evidence(
                &mut self.encoder,
                path,
                true,
            )?))
        };
        self.space.justice.truncate(count);
        Ok(found)
    }

    /// The layers in which states without a fair run are taken away.
    fn exclusion(
        &mut self,
        own: &Fairness<Term>,
        often: Option<Term>,
        within: &Diagram,
    ) -> Answer<Option<FairExclusion>> {
        let justice: Vec<Term> = own.justice.iter().copied().chain(often).collect();
        let mut layers: Vec<(Diagram, Reason)> = Vec::new();
        let mut left = within.clone();
        while !is_empty(&left) && layers.len() < LAYERS {
            let (space, encoder) = (&self.space, &self.encoder);
            for (at, condition) in space.justice.iter().enumerate() {
                let meets = and(&left, &condition.set)?;
                let meeting = space.until(encoder, &left, &meets)?;
                layers.push((minus(&left, &meeting)?, Reason::Avoids(justice[at])));
                left = meeting;
            }
            for (at, (first, second)) in space.compassion.iter().enumerate() {
                let answered = space.until(encoder, &left, &and(&left, second)?)?;
                let closed = minus(&left, &answered)?;
                let removed = and(&closed, first)?;
                left = minus(&left, &removed)?;
                layers.push((removed, Reason::Unanswered(own.compassion[at], closed)));
            }
            let goes_on = space.relation.preimage(&encoder.store, &left)?;
            layers.push((minus(&left, &goes_on)?, Reason::Stuck));
            left = and(&left, &goes_on)?;
        }
        if !is_empty(&left) {
            return Ok(None);
        }
        layers.retain(|(removed, _)| !is_empty(removed));
        let read = |set: &Diagram| self.encoder.readback(set, &self.space.state, INVARIANT);
        let Some(within) = read(within)? else {
            return Ok(None);
        };
        let mut written = Vec::new();
        for (removed, reason) in layers {
            let why = match reason {
                Reason::Stuck => Some(ExclusionReason::Stuck),
                Reason::Avoids(condition) => Some(ExclusionReason::Avoids(condition)),
                Reason::Unanswered((often, answer), closed) => {
                    read(&closed)?.map(|closed| ExclusionReason::Unanswered {
                        often,
                        answer,
                        closed,
                    })
                }
            };
            let (Some(removed), Some(why)) = (read(&removed)?, why) else {
                return Ok(None);
            };
            written.push(ExclusionLayer { removed, why });
        }
        Ok(Some(FairExclusion {
            within,
            layers: written,
        }))
    }
}

/// An exclusion with more layers is not written down.
const LAYERS: usize = 200;

/// Why states are taken away.
enum Reason {
    Stuck,
    Avoids(Term),
    Unanswered((Term, Term), Diagram),
}

enum FairnessComparison {
    Same,
    MeansTheSame(Vec<Option<FairExclusion>>),
    Differ(Box<Evidence>, Side),
}

fn same_conditions(first: &Fairness<Term>, second: &Fairness<Term>) -> bool {
    fn set<T: Copy + Eq + std::hash::Hash>(list: &[T]) -> FxHashSet<T> {
        list.iter().copied().collect()
    }
    set(&first.justice) == set(&second.justice) && set(&first.compassion) == set(&second.compassion)
}

/// Who may have what the other has not: the side, its own conjuncts, those of the other.
fn sides(conjuncts: &Conjuncts) -> [(Side, &[Term], &[Term]); 2] {
    let [first, second] = &conjuncts.only;
    [(Side::First, first, second), (Side::Second, second, first)]
}

fn trace(variables: &[Variable]) -> Trace {
    Trace::new(variables.iter().map(|one| one.current).collect())
}

fn declare(encoder: &mut Encoder, system: &System, order: &[&Variable]) -> Answer<()> {
    let limits = integer_limits(system);
    // Sets are read back variable by variable, so that the bits of each stay together.
    let alone: Vec<Vec<&Variable>> = order.iter().map(|one| vec![*one]).collect();
    encoder.declare_within(&alone, |variable| {
        declared(variable).or_else(|| limits.get(&variable.current).copied())
    })
}
