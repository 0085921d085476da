//! Runs that violate the goal, and whom they speak of.
//!
//! A run gives every variable a value at every step and makes the goal false at its last. The units
//! whose equations it breaks tell all it can tell: it is a run of every part of the system that has
//! none of them. So one run shows at once, for any number of sets of units, that they do not
//! suffice, and every core contains one of the units that it breaks.

use crate::goal::{Goal, Set};
use proofmark_model::{
    Element, Environment, Evaluator, Function, Phase, System, Term, Trace, Value,
};
use rustc_hash::FxHashMap;

/// A run that violates the goal at its last step.
#[derive(Clone, Debug)]
pub struct Run {
    pub trace: Trace,
    /// The units whose equations it breaks.
    pub breaks: Set,
}

impl Run {
    pub(crate) fn new(goal: &Goal, trace: Trace) -> Run {
        let trace = until_violation(goal, trace);
        let mut breaks = goal.units.none();
        for unit in 0..goal.units.len() {
            let members = goal.units.members(unit);
            if members
                .iter()
                .any(|id| !obeys(&goal.system, goal.system.element(*id), &trace))
            {
                breaks.insert(unit);
            }
        }
        Run { trace, breaks }
    }

    pub fn step(&self) -> u32 {
        (self.trace.len() as u32).saturating_sub(1)
    }
}

/// The trace up to the first step at which the goal is false.
fn until_violation(goal: &Goal, trace: Trace) -> Trace {
    let nothing = Element::constrain(None, None, proofmark_model::Origin::generated());
    let violates = |step: &usize| {
        let view = View {
            system: &goal.system,
            element: &nothing,
            trace: &trace,
            step: *step,
            before: FxHashMap::default(),
        };
        Evaluator::new(&view).value(goal.property()) == Ok(Value::Bool(false))
    };
    match (0..trace.len()).find(violates) {
        Some(step) => trace.first(step + 1),
        None => trace,
    }
}

/// One step of a trace, as an element sees it: its auxiliaries have the values that it gives them.
struct View<'a> {
    system: &'a System,
    element: &'a Element,
    trace: &'a Trace,
    step: usize,
    /// The element's auxiliaries one step before.
    before: FxHashMap<Term, Value>,
}

impl View<'_> {
    fn phase(&self) -> Phase {
        match self.step {
            0 => Phase::Init,
            _ => Phase::Step,
        }
    }
}

impl Environment for View<'_> {
    fn variable(&self, term: Term) -> Option<Value> {
        if let Some(value) = self.before.get(&term) {
            return Some(value.clone());
        }
        if self.definition(term).is_some() {
            return None;
        }
        let known = self.system.variable(term)?;
        let step = match term == known.current {
            true => self.step,
            false => self.step.checked_sub(1)?,
        };
        let value = self.trace.value(known.current, step).cloned();
        Some(value.unwrap_or_else(|| Value::default_of(known.sort())))
    }

    fn function(&self, function: Function, args: &[Value]) -> Option<Value> {
        Some(self.trace.functions.value(function, args))
    }

    fn definition(&self, variable: Term) -> Option<Term> {
        let mut auxiliaries = self.element.auxiliaries.iter();
        let own = auxiliaries.find(|auxiliary| auxiliary.variable == variable)?;
        own.value(self.phase())
    }
}

/// Whether a trace satisfies an element at every step. What cannot be evaluated counts as broken.
fn obeys(system: &System, element: &Element, trace: &Trace) -> bool {
    let mut before = FxHashMap::default();
    for step in 0..trace.len() {
        let view = View {
            system,
            element,
            trace,
            step,
            before: std::mem::take(&mut before),
        };
        let mut evaluator = Evaluator::new(&view);
        if evaluator.value(body(element, view.phase())) != Ok(Value::Bool(true)) {
            return false;
        }
        let mut after = FxHashMap::default();
        for auxiliary in &element.auxiliaries {
            let Some(known) = system.variable(auxiliary.variable) else {
                return false;
            };
            let Ok(value) = evaluator.value(auxiliary.variable) else {
                return false;
            };
            after.insert(known.previous, value);
        }
        before = after;
    }
    true
}

/// What an element says of the variables that others know.
fn body(element: &Element, phase: Phase) -> Term {
    use proofmark_model::Body;
    match &element.body {
        Body::Define(definition) => match definition.value(phase) {
            Some(value) => definition.variable.eq(value),
            None => Term::bool(true),
        },
        Body::Constrain { .. } => element.constraint(phase).unwrap_or(Term::bool(true)),
    }
}
