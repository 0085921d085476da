//! Is a mutant observably the same system?
//!
//! Original and mutant run side by side on the same inputs and the same choices; the *product* has
//! one copy of what the mutation cannot reach and two of what it can. They are equivalent when what
//! is observed is the same at every step. Where the mutation reaches assumptions, these are not
//! assumed but watched: both systems have to accept the same runs, and to show the same on those
//! that they accept.
//!
//! A proof for shared choices is one of equivalence: to each run of the one belongs the run of the
//! other with the same choices. A difference on shared choices is a hint where choices matter
//! (`choices`), since another choice may make up for it.
//!
//! Most answers need no product: no observed variable is within reach; a stored run already tells
//! them apart (`fault_simulation`); or a few queries do, or show that they are the same (`lockstep`). Here is what
//! is left for the rest: equality of each pair is inductive, or the engines are asked.

use crate::auditor::{Audited, Auditor};
use crate::mutate::decide::base_context::{BaseContext, Inserted};
use crate::mutate::mutant::Mutant;
use crate::oracle::{OracleError, Resources};
use proofmark_audit::{Audit, audit_proof};
use proofmark_engine::{EngineVerdict, Limits, check};
use proofmark_model::{
    Body, Definition, Element, ElementId, Invariant, Machine, Mentions, Origin, Phase, Program,
    Proof, Property, Role, Sort, System, SystemError, Term, Trace, Variable, rename, slice,
    slice_with,
};
use proofmark_solve::Budget;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// What a comparison of original and mutant came to.
#[derive(Clone, Debug)]
pub enum Comparison {
    /// Nothing that is observed differs, ever.
    Equivalent {
        /// The audit of the proof of that; nothing where nothing observed is within reach, which
        /// takes no proof.
        audit: Option<Audited>,
    },
    /// A run tells them apart.
    Different(Box<Distinction>),
    /// Neither a run that tells them apart was found nor a proof that none does.
    Unknown {
        /// What ended the search, in words.
        why: String,
    },
}

impl Comparison {
    pub(crate) fn late() -> Comparison {
        let why = "the time is up".into();
        Comparison::Unknown { why }
    }
}

/// A run of the original and of the mutant on the same inputs.
#[derive(Clone, Debug)]
pub struct Distinction {
    /// What the original does.
    pub original: Trace,
    /// What the mutant does.
    pub mutant: Trace,
    /// The first step at which they differ.
    pub step: usize,
    /// What differs there, as current terms; nothing when only one of them accepts the run.
    pub variables: Vec<Term>,
    /// Whose run the other does not have up to this step, whatever it chooses. The run shown of the
    /// other then follows as long as it can. Nothing where neither has a choice that matters.
    pub alone: Option<Side>,
}

/// One of the two systems that are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The system that was written.
    Original,
    /// The system with the mutation.
    Mutant,
}

impl Side {
    pub(crate) fn other(self) -> Side {
        match self {
            Side::Original => Side::Mutant,
            Side::Mutant => Side::Original,
        }
    }
}

/// Which elements read a variable, by its current term.
pub(crate) fn readers(system: &System) -> FxHashMap<Term, Vec<ElementId>> {
    let mut readers: FxHashMap<Term, Vec<ElementId>> = FxHashMap::default();
    for id in system.ids() {
        let element = system.element(id);
        let mentions = element.mentions();
        let known = mentions.variables.iter();
        let read: FxHashSet<Term> = known
            .filter_map(|term| Some(system.variable(*term)?.current))
            .collect();
        for variable in read {
            readers.entry(variable).or_default().push(id);
        }
    }
    readers
}

/// What a mutation can reach.
pub(crate) struct FanOut {
    variables: FxHashSet<Term>,
    elements: FxHashSet<ElementId>,
}

impl FanOut {
    pub fn new(
        system: &System,
        readers: &FxHashMap<Term, Vec<ElementId>>,
        mutant: &Mutant,
    ) -> FanOut {
        FanOut::of(system, readers, mutant.ids())
    }

    /// What a change of some elements can reach.
    pub fn of(
        system: &System,
        readers: &FxHashMap<Term, Vec<ElementId>>,
        mut waiting: Vec<ElementId>,
    ) -> FanOut {
        let mut fan_out = FanOut {
            variables: FxHashSet::default(),
            elements: FxHashSet::default(),
        };
        while let Some(id) = waiting.pop() {
            if !fan_out.elements.insert(id) {
                continue;
            }
            for definition in system.element(id).definitions() {
                if fan_out.variables.insert(definition.variable) {
                    let read_by = readers.get(&definition.variable);
                    waiting.extend(read_by.into_iter().flatten());
                }
            }
        }
        fan_out
    }

    /// By its current term.
    pub fn has(&self, variable: Term) -> bool {
        self.variables.contains(&variable)
    }

    pub fn elements(&self) -> impl Iterator<Item = ElementId> {
        self.elements.iter().copied()
    }

    pub fn into_elements(self) -> FxHashSet<ElementId> {
        self.elements
    }

    pub fn has_element(&self, id: ElementId) -> bool {
        self.elements.contains(&id)
    }

    fn constraints(&self, system: &System) -> Vec<ElementId> {
        let mut constraints: Vec<ElementId> = self.elements.iter().copied().collect();
        constraints.retain(|id| system.element(*id).target().is_none());
        constraints.sort_unstable();
        constraints
    }

    /// Whether it holds anything that somebody could see.
    pub fn shows(&self, system: &System, observed: &[Term]) -> bool {
        observed.iter().any(|one| self.variables.contains(one))
            || !self.constraints(system).is_empty()
    }
}

/// Original and mutant side by side.
pub(crate) struct Product {
    pub system: System,
    /// That the two copies of a variable are equal.
    pairs: Vec<Term>,
    /// The variable of which each copy is one.
    pub originals: FxHashMap<Term, Term>,
    /// What becomes of terms in the mutant's copy.
    pub copies: FxHashMap<Term, Term>,
}

/// The mutant's copy of a variable.
pub(crate) fn copy_variable(variable: &Variable) -> Variable {
    let name = format!("{}%mutant", variable.name);
    let origin = variable.origin.serving();
    Variable::new(&name, variable.sort(), variable.role, origin)
        .with_bounds(variable.bounds.clone())
}

pub(crate) fn copy_definition(
    definition: &Definition,
    copies: &mut FxHashMap<Term, Term>,
) -> Definition {
    let mut copy = |term| rename(term, copies, |variable| variable);
    Definition {
        variable: copy(definition.variable),
        init: definition.init.map(&mut copy),
        step: definition.step.map(&mut copy),
    }
}

/// An element with other variables in place of its own.
pub(crate) fn copy_element(element: &Element, copies: &mut FxHashMap<Term, Term>) -> Element {
    let mut copy = |term| rename(term, copies, |variable| variable);
    let body = match &element.body {
        Body::Define(definition) => Body::Define(copy_definition(definition, copies)),
        Body::Constrain { init, step } => Body::Constrain {
            init: init.map(&mut copy),
            step: step.map(&mut copy),
        },
    };
    let auxiliaries = element.auxiliaries.iter();
    Element {
        body,
        auxiliaries: auxiliaries
            .map(|one| copy_definition(one, copies))
            .collect(),
        origin: element.origin.clone(),
    }
}

/// Builds a product.
struct Joiner<'a> {
    original: &'a System,
    fan_out: &'a FanOut,
    product: System,
    /// What becomes of terms in the mutant's copy.
    copies: FxHashMap<Term, Term>,
    pairs: Vec<Term>,
    /// Whether original and mutant accept the run, where that may differ.
    accepted: Option<(Term, Term)>,
}

impl Joiner<'_> {
    fn declare(&mut self, mutant: &Mutant) -> Result<(), SystemError> {
        for variable in self.original.variables() {
            self.product.declare(variable.clone())?;
        }
        for variable in &mutant.variables {
            if self.product.variable(variable.current).is_none() {
                self.product.declare(variable.clone())?;
            }
        }
        for variable in self.original.variables() {
            if self.fan_out.variables.contains(&variable.current) {
                let copy = copy_variable(variable);
                self.copies.insert(variable.current, copy.current);
                self.copies.insert(variable.previous, copy.previous);
                if variable.role != Role::Auxiliary {
                    self.pairs.push(variable.current.eq(copy.current));
                }
                self.product.declare(copy)?;
            }
        }
        Ok(())
    }

    fn elements(&mut self, mutant: &Mutant) -> Result<(), SystemError> {
        let changed: FxHashMap<ElementId, &Element> = mutant
            .elements
            .iter()
            .map(|(id, element)| (*id, element))
            .collect();
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for id in self.original.ids() {
            let element = self.original.element(id).clone();
            if !self.fan_out.elements.contains(&id) {
                self.product.add_element(element)?;
                continue;
            }
            let version = changed.get(&id).map_or(&element, |changed| *changed);
            let copy = copy_element(version, &mut self.copies);
            if element.target().is_none() {
                here.push(element);
                there.push(copy);
            } else {
                self.product.add_element(element)?;
                self.product.add_element(copy)?;
            }
        }
        if here.is_empty() {
            return Ok(());
        }
        let (accepts, also) = (self.watch("original", here)?, self.watch("mutant", there)?);
        self.pairs.push(accepts.eq(also));
        self.accepted = Some((accepts, also));
        Ok(())
    }

    /// A variable that says whether constraints have held so far.
    fn watch(&mut self, whose: &str, constraints: Vec<Element>) -> Result<Term, SystemError> {
        let origin = Origin::generated();
        let name = format!("%accepted by the {whose}");
        let variable = Variable::new(&name, Sort::Bool, Role::Local, origin.clone());
        self.product.declare(variable.clone())?;
        let demands = |phase| -> Vec<Term> {
            let constraints = constraints.iter();
            constraints
                .filter_map(|one| one.constraint(phase))
                .collect()
        };
        let init = Term::and(&demands(Phase::Init));
        let mut step = demands(Phase::Step);
        step.push(variable.previous);
        let definition = Definition {
            variable: variable.current,
            init: Some(init),
            step: Some(Term::and(&step)),
        };
        let auxiliaries = constraints.into_iter().flat_map(|one| one.auxiliaries);
        self.product.add_element(Element {
            body: Body::Define(definition),
            auxiliaries: auxiliaries.collect(),
            origin,
        })?;
        Ok(variable.current)
    }
}

pub(crate) fn product(
    original: &System,
    mutant: &Mutant,
    fan_out: &FanOut,
    observed: &[Term],
) -> Result<Product, SystemError> {
    let mut joiner = Joiner {
        original,
        fan_out,
        product: System::default(),
        copies: FxHashMap::default(),
        pairs: Vec::new(),
        accepted: None,
    };
    for function in original.functions() {
        joiner.product.add_function(*function);
    }
    joiner.declare(mutant)?;
    joiner.elements(mutant)?;
    let seen = observed
        .iter()
        .filter(|one| fan_out.variables.contains(one));
    let same: Vec<Term> = seen.map(|one| Term::eq(*one, joiner.copies[one])).collect();
    let same = Term::and(&same);
    let term = match joiner.accepted {
        Some((accepts, also)) => Term::and(&[accepts.eq(also), accepts.implies(same)]),
        None => same,
    };
    joiner.product.add_property(Property {
        name: "the mutant shows the same".into(),
        term,
        origin: Origin::generated(),
    })?;
    let reached = fan_out.variables.iter();
    Ok(Product {
        system: joiner.product,
        pairs: joiner.pairs,
        originals: reached.map(|one| (joiner.copies[one], *one)).collect(),
        copies: joiner.copies,
    })
}

/// What a run of the product gives to the mutant: copies stand for what they are copies of.
pub(crate) fn mutants_view(trace: &Trace, originals: &FxHashMap<Term, Term>) -> Trace {
    let hidden: FxHashSet<Term> = originals.values().copied().collect();
    let columns = trace.columns().iter().enumerate();
    let kept: Vec<(usize, Term)> = columns
        .filter(|(_, column)| !hidden.contains(column))
        .map(|(at, column)| (at, originals.get(column).copied().unwrap_or(*column)))
        .collect();
    let mut view = Trace::new(kept.iter().map(|(_, column)| *column).collect());
    view.functions = trace.functions.clone();
    for step in 0..trace.len() {
        let row = trace.row(step);
        let pushed = view.push(kept.iter().map(|(at, _)| row[*at].clone()).collect());
        // Copies have the sorts of their originals.
        debug_assert!(pushed.is_ok());
    }
    view
}

/// A run of the original.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    pub run: Trace,
    /// The step at which it violates an assumption: from there on it is no run.
    pub broken_at: Option<usize>,
    /// The constraints that are violated there.
    pub broken: Vec<ElementId>,
}

impl Seen {
    /// What the original does on a trace.
    pub fn of(original: &Program, given: &Trace) -> Seen {
        let (run, outcome) = original.machine().run(given);
        let broken_at = outcome.broken_at();
        let broken = outcome.violated.iter();
        let broken = broken.filter(|(_, step)| Some(*step) == broken_at);
        Seen {
            broken: broken.map(|(id, _)| *id).collect(),
            run,
            broken_at,
        }
    }
}

/// Where a mutant differs in what is observed from a run of the original, if it does, on a trace
/// whose inputs the caller has made the same.
pub(crate) fn difference(
    seen: &Seen,
    mutant: &mut Machine<'_>,
    given: &Trace,
    observed: &[Term],
) -> Option<Distinction> {
    if !mutant.differs(given, (&seen.run, seen.broken_at), observed) {
        return None;
    }
    let (here, (there, outcome)) = (&seen.run, mutant.run(given));
    let until = |broken: Option<usize>| broken.unwrap_or(usize::MAX);
    let (ends, also) = (until(seen.broken_at), until(outcome.broken_at()));
    let at = |step: usize, variables| Distinction {
        original: here.first(step + 1),
        mutant: there.first(step + 1),
        step,
        variables,
        alone: None,
    };
    for step in 0..given.len() {
        if ends <= step || also <= step {
            let only_one = ends != also && ends.min(also) == step;
            return only_one.then(|| at(step, Vec::new()));
        }
        let differs = |one: &&Term| here.value(**one, step) != there.value(**one, step);
        let variables: Vec<Term> = observed.iter().filter(differs).copied().collect();
        if !variables.is_empty() {
            return Some(at(step, variables));
        }
    }
    None
}

/// Compares by proof: inductive equalities first, the engines last.
pub(crate) fn compare(
    original: &System,
    mutant: &Mutant,
    fan_out: &FanOut,
    observed: &[Term],
    resources: &Resources<'_>,
    auditor: Option<Auditor<'_>>,
) -> Result<Comparison, OracleError> {
    let Product {
        system,
        pairs,
        originals,
        ..
    } = product(original, mutant, fan_out, observed)?;
    // Constraints that share nothing with what differs are left out at first: most proofs do without.
    // They matter when they refuse the run that is found.
    let mut part = slice(&system, &[0]);
    let (part, proof) = loop {
        let known = |term: &&Term| {
            let mentions = Mentions::of(**term);
            let mut variables = mentions.variables.iter();
            variables.all(|one| part.system.variable(*one).is_some())
        };
        let pairs: Vec<Term> = pairs.iter().filter(known).copied().collect();
        if let Some(proof) = by_pairs(&part.system, &pairs, resources)? {
            break (part.system, proof);
        }
        if resources.exhausted() {
            // To set up the engines takes long, and they would be stopped at once.
            return Ok(Comparison::late());
        }
        match by_engines(&part.system, &pairs, resources)? {
            EngineVerdict::Valid { proof, .. } => break (part.system, proof),
            EngineVerdict::Unknown { why, .. } => return Ok(Comparison::Unknown { why }),
            EngineVerdict::Invalid { refutation, .. } => {
                let given = refutation.trace.first(refutation.step as usize + 1);
                let mutated = mutant.of(original)?;
                let (here, there) = (Program::compile(original)?, Program::compile(&mutated)?);
                let also_given = mutants_view(&given, &originals);
                let seen = Seen::of(&here, &given);
                let found = difference(&seen, &mut there.machine(), &also_given, observed);
                if let Some(found) = found {
                    return Ok(Comparison::Different(Box::new(found)));
                }
                if !part.drops_constraints(&system) {
                    let why = "a difference could not be replayed".into();
                    return Ok(Comparison::Unknown { why });
                }
                part = slice_with(&system, &[0], &constraints(&system));
            }
        }
    };
    let Some(auditor) = auditor else {
        let audit = Audited::NotAskedFor;
        return Ok(Comparison::Equivalent { audit: Some(audit) });
    };
    let time = Some(resources.within(auditor.time));
    let audit = match audit_proof(&part, 0, &proof, &|| (auditor.open)(), time)? {
        Audit::Passed { by, .. } => Audited::by(by),
        Audit::Failed { what } => return Err(OracleError::Audit(what)),
        Audit::Unknown { why } if auditor.accept_unaudited => Audited::NoAnswer { why },
        Audit::Unknown { why } => {
            let why = format!("proved to be, not audited: {why}");
            return Ok(Comparison::Unknown { why });
        }
    };
    Ok(Comparison::Equivalent { audit: Some(audit) })
}

/// What the constraints of a system say.
pub(crate) fn constraints(system: &System) -> Vec<Term> {
    let elements = system.elements().iter();
    let constraints = elements.filter(|element| element.target().is_none());
    constraints.flat_map(|element| element.terms()).collect()
}

/// For each query about pairs.
const EFFORT: u64 = 20_000;

pub(crate) fn by_pairs(
    part: &System,
    pairs: &[Term],
    resources: &Resources<'_>,
) -> Result<Option<Proof>, OracleError> {
    let nothing = Mutant {
        elements: Vec::new(),
        variables: Vec::new(),
    };
    let inserted = Inserted {
        mutant: &nothing,
        system: part,
    };
    let budget = Budget {
        effort: Some(EFFORT),
        time: Some(resources.time()),
    };
    let goal = part.properties()[0].term;
    let mut context = BaseContext::new(part, &[], 1, resources.open, budget);
    let mut all = vec![goal];
    all.extend(pairs.iter().filter(|pair| **pair != goal));
    let Some(kept) = context.base(&inserted, &all)? else {
        return Ok(None);
    };
    let Some((first, others)) = kept.split_first().filter(|(first, _)| **first == goal) else {
        return Ok(None);
    };
    let invariants = context.inductive(&inserted, &[*first], others, false)?;
    Ok(invariants.map(|terms| Proof {
        k: 1,
        invariants: terms
            .into_iter()
            .map(|term| Invariant { term, k: 1 })
            .collect(),
    }))
}

/// What the engines may take for one comparison.
const MOST: Duration = Duration::from_secs(2);

pub(crate) fn by_engines(
    part: &System,
    pairs: &[Term],
    resources: &Resources<'_>,
) -> Result<EngineVerdict, OracleError> {
    let program = Program::compile(part)?;
    let limits = Limits {
        advice: pairs
            .iter()
            .map(|pair| Invariant { term: *pair, k: 1 })
            .collect(),
        engines: resources.engines.to_vec(),
        jobs: 1,
        time: Some(resources.time().min(MOST)),
        interrupt: resources.interrupt.clone(),
        ..Limits::default()
    };
    let outcomes = check(part, &program, &limits, resources.open, &mut |_| ())?;
    let verdict = outcomes.into_iter().next().map(|outcome| outcome.verdict);
    Ok(verdict.unwrap_or(EngineVerdict::Unknown {
        steps: 0,
        why: "nothing to compare".into(),
        induction: None,
    }))
}
