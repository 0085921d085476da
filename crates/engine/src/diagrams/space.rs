//! The states of a system as diagrams: which there are, where runs begin, what follows what, which runs
//! are fair.

use super::encode::{Encoder, Expansion, Part, previous};
use super::relation::{Bits, Relation};
use super::store::{Answer, Bit, Diagram, GaveUp, and, exists, is_empty, minus};
use num_bigint::BigUint;
use proofmark_model::{
    Claim, Mentions, Phase, Role, Sort, System, Term, Variable, arrangement, rename,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A system as diagrams.
pub(super) struct Space<'s> {
    pub(super) system: &'s System,
    pub(super) expansion: Expansion,
    /// The variables that a state consists of, and those that label steps.
    pub(super) state: Vec<Variable>,
    pub(super) labels: Vec<Variable>,
    /// The labels that are read at the step that they lead to.
    pub(super) late: FxHashSet<Term>,
    pub(super) present: Vec<Bit>,
    pub(super) next: Vec<Bit>,
    pub(super) init: Diagram,
    /// The initial states with their labels.
    pub(super) labelled_init: Diagram,
    /// What labels of the present column may be.
    pub(super) domain: Diagram,
    pub(super) relation: Relation,
    pub(super) justice: Vec<Condition>,
    pub(super) compassion: Vec<(Diagram, Diagram)>,
    /// What has to be true where a definition gives an integer a value.
    bounds: Vec<(Term, String)>,
}

/// Something that fair runs meet infinitely often.
pub(super) struct Condition {
    /// States, or states with the labels of steps out of them.
    pub(super) set: Diagram,
    pub(super) labelled: bool,
}

/// The states that runs reach.
pub(super) struct Reached {
    /// By their distance from the initial states.
    pub(super) rings: Vec<Diagram>,
    pub(super) all: Diagram,
}

impl<'s> Space<'s> {
    /// The conditions of branching time are read of states; those of linear time are in the product.
    pub(super) fn new(encoder: &mut Encoder, system: &'s System) -> Answer<Space<'s>> {
        Space::with(encoder, system, classify)
    }

    /// The same where a state consists of all variables that are not expanded, inputs among them: the
    /// value of an input in a state is the one that labels the steps out of it.
    pub(super) fn whole(encoder: &mut Encoder, system: &'s System) -> Answer<Space<'s>> {
        Space::with(encoder, system, |system, expansion, _, _, _| {
            let variables = system.variables().iter();
            let state = variables.filter(|one| !expansion.has(one.current));
            (state.cloned().collect(), Vec::new())
        })
    }

    fn with(
        encoder: &mut Encoder,
        system: &'s System,
        classify: impl Fn(
            &System,
            &Expansion,
            &Parts,
            &[Term],
            &[Term],
        ) -> (Vec<Variable>, Vec<Variable>),
    ) -> Answer<Space<'s>> {
        let mut expansion = Expansion::new(system);
        let mut parts = Parts::new(system, &mut expansion);
        parts.find_domains(system);
        let claims = system.specifications().iter().map(|one| &one.claim);
        let branching = claims.filter(|one| !matches!(one, Claim::Linear(_) | Claim::Justice(_)));
        let atoms: Vec<Term> = branching
            .flat_map(|claim| claim.atoms())
            .map(|atom| expansion.expand(*atom))
            .collect();
        let conditions = system
            .fairness()
            .atoms()
            .map(|atom| expansion.expand(*atom))
            .collect::<Vec<_>>();
        let (state, labels) = classify(system, &expansion, &parts, &atoms, &conditions);
        let late = late(&labels, &parts);
        let order = order(system, &state, &labels);
        encoder.declare(system, &order)?;
        let column = |list: &[Variable], next: bool| -> Vec<Bit> {
            let columns = list.iter().filter_map(|one| encoder.columns(one.current));
            columns
                .flat_map(|one| {
                    if next {
                        one.next.clone()
                    } else {
                        one.present.clone()
                    }
                })
                .collect()
        };
        let (present, next) = (column(&state, false), column(&state, true));
        let label_bits = [column(&labels, false), column(&labels, true)].concat();
        let labelled_init = initial(encoder, system, &parts, &state, &labels)?;
        let init = exists(&labelled_init, &encoder.store.cube(&label_bits)?)?;
        let domain = domain(encoder, system, &parts, &labels)?;
        let asked: Vec<Bit> = match conditions.is_empty() {
            true => Vec::new(),
            false => label_bits.clone(),
        };
        let steps = step_parts(encoder, system, &parts, &state, &labels)?;
        let bits = Bits {
            present: &present,
            next: &next,
            labels: &label_bits,
            asked: &asked,
        };
        let relation = Relation::new(&encoder.store, steps, &bits)?;
        let mut space = Space {
            system,
            expansion,
            state,
            labels,
            late,
            present,
            next,
            init,
            labelled_init,
            domain,
            relation,
            justice: Vec::new(),
            compassion: Vec::new(),
            bounds: parts.bounds,
        };
        for condition in &system.fairness().justice {
            let (set, label) = space.set_with_labels(encoder, *condition)?;
            let labelled = label.is_some();
            space.justice.push(Condition { set, labelled });
        }
        for (first, second) in &system.fairness().compassion {
            let pair = (space.set(encoder, *first)?, space.set(encoder, *second)?);
            space.compassion.push(pair);
        }
        Ok(space)
    }

    /// The states in which a Boolean over current variables is true.
    pub(super) fn set(&mut self, encoder: &mut Encoder, term: Term) -> Answer<Diagram> {
        match self.set_with_labels(encoder, term)? {
            (set, None) => Ok(set),
            (_, Some(label)) => Err(GaveUp::Label(label)),
        }
    }

    /// The same, with labels of steps out of a state, and one of these by name.
    fn set_with_labels(
        &mut self,
        encoder: &mut Encoder,
        term: Term,
    ) -> Answer<(Diagram, Option<String>)> {
        let expanded = self.expansion.expand(term);
        let mentions = Mentions::of(expanded);
        let label = self
            .labels
            .iter()
            .find(|one| mentions.variables.contains(&one.current));
        let label = label.map(|one| one.name.to_string());
        let present = at_present(self.system, expanded);
        let part = encoder.encode(&[present])?.remove(0);
        Ok((part.set, label))
    }

    /// All states that finite runs reach, breadth first.
    pub(super) fn reach(&self, encoder: &mut Encoder) -> Answer<Reached> {
        let store = &encoder.store;
        let mut all = self.init.clone();
        let mut rings = vec![self.init.clone()];
        let mut frontier = self.init.clone();
        while !is_empty(&frontier) {
            store.check()?;
            let next = self.relation.image(store, &frontier)?;
            frontier = minus(&next, &all)?;
            all = super::store::or(&all, &next)?;
            rings.push(frontier.clone());
        }
        rings.pop();
        self.within_bounds(encoder, &all)?;
        Ok(Reached { rings, all })
    }

    /// Definitions that may give an integer a value that it has no bits for were not encoded right: then
    /// nothing is known. A state that is no initial one has a step that leads to it.
    fn within_bounds(&self, encoder: &mut Encoder, reached: &Diagram) -> Answer<()> {
        for (within, name) in &self.bounds {
            let part = encoder.encode(&[*within])?.remove(0);
            let mut beyond = minus(reached, &part.set)?;
            // What comes next is some value of its variable.
            for variable in self.state.iter().chain(&self.labels) {
                if is_empty(&beyond) {
                    break;
                }
                if let Some(valid) = encoder.valid(variable, true)? {
                    let valid = encoder.encode(&[valid])?.remove(0);
                    beyond = and(&beyond, &valid.set)?;
                }
                if let Some(codes) = encoder.codes(variable, true)? {
                    beyond = and(&beyond, &codes.set)?;
                }
            }
            if !is_empty(&beyond) {
                return Err(GaveUp::Bounds(name.clone()));
            }
        }
        Ok(())
    }

    /// How many states are in a set.
    pub(super) fn count(&self, encoder: &Encoder, set: &Diagram) -> BigUint {
        encoder.store.count(set, self.present.len())
    }
}

/// A term over current variables, of the present state.
pub(super) fn at_present(system: &System, term: Term) -> Term {
    rename(term, &mut FxHashMap::default(), |leaf| {
        previous(system, leaf)
    })
}

/// What a system demands, expanded and as single conjuncts.
pub(super) struct Parts {
    pub(super) init: Vec<Term>,
    pub(super) step: Vec<Term>,
    /// What is demanded of an input or a choice by itself, at every step.
    domains: Vec<(Term, Term)>,
    pub(super) bounds: Vec<(Term, String)>,
}

impl Parts {
    pub(super) fn new(system: &System, expansion: &mut Expansion) -> Parts {
        let mut parts = Parts {
            init: Vec::new(),
            step: Vec::new(),
            domains: Vec::new(),
            bounds: Vec::new(),
        };
        let limits = proofmark_model::graph::integer_limits(system);
        for element in system.elements() {
            let timeless = system.timeless_definitions(element);
            for definition in element.definitions() {
                let variable = definition.variable;
                let known = definition.step.map(|value| (variable, value));
                let expanded =
                    expansion.has(variable) && known.is_some_and(|one| timeless.contains(&one));
                for phase in [Phase::Init, Phase::Step] {
                    let Some(value) = definition.value(phase) else {
                        continue;
                    };
                    let value = expansion.expand(value);
                    if !expanded {
                        let equation = expansion.expand(variable).eq(value);
                        parts.list(phase).push(equation);
                    }
                    if !limits.contains_key(&variable) && !expanded {
                        parts.bound(system, variable, value, phase);
                    }
                }
            }
            for phase in [Phase::Init, Phase::Step] {
                if let Some(constraint) = element.constraint(phase) {
                    let constraint = expansion.expand(constraint);
                    split(constraint, parts.list(phase));
                }
            }
        }
        parts
    }

    /// Takes out what is demanded of a single input or choice at the first step and at every later one:
    /// it says what its values are, and makes it no part of the state.
    fn find_domains(&mut self, system: &System) {
        let init: FxHashSet<Term> = self.init.iter().copied().collect();
        let mut domains = Vec::new();
        self.step.retain(|term| {
            let read = Mentions::of(*term).variables;
            let mut read = read.iter();
            let (Some(one), None) = (read.next(), read.next()) else {
                return true;
            };
            let is_label = system.variable(*one).is_some_and(|known| {
                known.current == *one && matches!(known.role, Role::Input | Role::Choice)
            });
            let found = is_label && init.contains(term);
            if found {
                domains.push((*one, *term));
            }
            !found
        });
        let gone: FxHashSet<Term> = domains.iter().map(|(_, term)| *term).collect();
        self.init.retain(|term| !gone.contains(term));
        self.domains = domains;
    }

    /// The domains of some variables, in the next column or in the present one.
    fn domains_of(&self, system: &System, of: &[Variable], next: bool) -> Vec<Term> {
        let wanted: FxHashSet<Term> = of.iter().map(|one| one.current).collect();
        let domains = self.domains.iter().filter(|(one, _)| wanted.contains(one));
        let column = |term: Term| if next { term } else { at_present(system, term) };
        domains.map(|(_, term)| column(*term)).collect()
    }

    fn list(&mut self, phase: Phase) -> &mut Vec<Term> {
        match phase {
            Phase::Init => &mut self.init,
            Phase::Step => &mut self.step,
        }
    }

    fn bound(&mut self, system: &System, variable: Term, value: Term, phase: Phase) {
        let Some(known) = system.variable(variable) else {
            return;
        };
        let (Sort::Int, Some(bounds)) = (variable.sort(), &known.bounds) else {
            return;
        };
        let (Some(low), Some(high)) = (bounds.low.to_i64(), bounds.high.to_i64()) else {
            return;
        };
        let within = Term::and(&[Term::int(low).le(value), value.le(Term::int(high))]);
        // An initial value is over one state.
        let within = match phase {
            Phase::Init => at_present(system, within),
            Phase::Step => within,
        };
        if !within.is_true() {
            self.bounds.push((within, known.name.to_string()));
        }
    }
}

/// The conjuncts of a term.
fn split(term: Term, list: &mut Vec<Term>) {
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        match term.op() {
            proofmark_model::Op::And => stack.extend(term.args().iter().rev()),
            _ => list.push(term),
        }
    }
}

/// States consist of all variables but inputs and choices, and of these whenever a condition reads them
/// or a step reads them on both sides.
fn classify(
    system: &System,
    expansion: &Expansion,
    parts: &Parts,
    atoms: &[Term],
    conditions: &[Term],
) -> (Vec<Variable>, Vec<Variable>) {
    let mut read = Mentions::default();
    parts
        .init
        .iter()
        .chain(&parts.step)
        .for_each(|term| read.add(*term));
    let mut asked = Mentions::default();
    atoms.iter().for_each(|atom| asked.add(*atom));
    let mut fair = Mentions::default();
    conditions.iter().for_each(|condition| fair.add(*condition));
    let (mut state, mut labels) = (Vec::new(), Vec::new());
    for variable in system.variables() {
        let now = read.variables.contains(&variable.current);
        let before = read.variables.contains(&variable.previous);
        // A condition on a label is one on the step out of a state, where the step before cannot be.
        let infinitely_often = fair.variables.contains(&variable.current);
        let conditions = asked.variables.contains(&variable.current) || (infinitely_often && now);
        if expansion.has(variable.current) {
            continue;
        }
        match variable.role {
            Role::Input | Role::Choice if !now && !before && !conditions && !infinitely_often => {}
            Role::Input | Role::Choice if !(conditions || now && before) => {
                labels.push(variable.clone())
            }
            // What only serves other variables and nobody reads is no state.
            Role::Auxiliary if !now && !before && !conditions && !infinitely_often => {}
            _ => state.push(variable.clone()),
        }
    }
    (state, labels)
}

/// The variables that have bits, as they are arranged.
fn order<'s>(
    system: &'s System,
    state: &[Variable],
    labels: &[Variable],
) -> Vec<Vec<&'s Variable>> {
    let wanted: FxHashSet<Term> = state.iter().chain(labels).map(|one| one.current).collect();
    let groups = arrangement(system).into_iter();
    let variables = |group: Vec<Term>| {
        let group = group.into_iter().filter(|one| wanted.contains(one));
        group.filter_map(|one| system.variable(one)).collect()
    };
    groups.map(variables).collect()
}

fn initial(
    encoder: &mut Encoder,
    system: &System,
    parts: &Parts,
    state: &[Variable],
    labels: &[Variable],
) -> Answer<Diagram> {
    let mut terms: Vec<Term> = parts
        .init
        .iter()
        .map(|term| at_present(system, *term))
        .collect();
    for variable in state.iter().chain(labels) {
        terms.extend(encoder.valid(variable, false)?);
    }
    terms.extend(parts.domains_of(system, state, false));
    terms.extend(parts.domains_of(system, labels, false));
    let mut conjuncts: Vec<Part> = encoder.encode(&terms)?;
    for variable in state.iter().chain(labels) {
        conjuncts.extend(encoder.codes(variable, false)?);
    }
    conjuncts.sort_by_key(|part| std::cmp::Reverse(part.support.first().copied()));
    let mut init = encoder.store.yes.clone();
    for part in conjuncts {
        encoder.store.check()?;
        init = and(&init, &part.set)?;
    }
    Ok(init)
}

/// What labels of the present column may be.
fn domain(
    encoder: &mut Encoder,
    system: &System,
    parts: &Parts,
    labels: &[Variable],
) -> Answer<Diagram> {
    let mut terms = parts.domains_of(system, labels, false);
    for label in labels {
        terms.extend(encoder.valid(label, false)?);
    }
    let mut domain = encoder.store.yes.clone();
    for part in encoder.encode(&terms)? {
        domain = and(&domain, &part.set)?;
    }
    for label in labels {
        if let Some(codes) = encoder.codes(label, false)? {
            domain = and(&domain, &codes.set)?;
        }
    }
    Ok(domain)
}

/// The labels that a step part reads at the step that they lead to.
fn late(labels: &[Variable], parts: &Parts) -> FxHashSet<Term> {
    let mut read = Mentions::default();
    parts.step.iter().for_each(|term| read.add(*term));
    let labels = labels.iter().map(|one| one.current);
    labels.filter(|one| read.variables.contains(one)).collect()
}

fn step_parts(
    encoder: &mut Encoder,
    system: &System,
    parts: &Parts,
    state: &[Variable],
    labels: &[Variable],
) -> Answer<Vec<Part>> {
    let mut terms = parts.step.clone();
    for variable in state.iter().chain(labels) {
        terms.extend(encoder.valid(variable, true)?);
    }
    for variable in labels {
        terms.extend(encoder.valid(variable, false)?);
    }
    terms.extend(parts.domains_of(system, state, true));
    terms.extend(parts.domains_of(system, labels, true));
    terms.extend(parts.domains_of(system, labels, false));
    let mut conjuncts = encoder.encode(&terms)?;
    for variable in state.iter().chain(labels) {
        conjuncts.extend(encoder.codes(variable, true)?);
    }
    for variable in labels {
        conjuncts.extend(encoder.codes(variable, false)?);
    }
    conjuncts.retain(|part| part.set != encoder.store.yes);
    Ok(conjuncts)
}
