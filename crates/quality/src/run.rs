//! Runs that violate the goal, and whom they speak of.
//!
//! A run gives every variable a value at every step and makes the goal false at its last. The units
//! whose equations it breaks tell all it can tell: it is a run of every part of the system that has
//! none of them. So one run shows at once, for any number of sets of units, that they do not
//! suffice, and every core contains one of the units that it breaks.

use crate::goal::{ProofGoal, Set};
use proofmark_model::{
    Body, Element, Environment, Evaluator, Function, Phase, System, Term, Trace, Value,
};
use rustc_hash::FxHashMap;

/// A run that violates the goal at its last step.
#[derive(Clone, Debug)]
pub struct Run {
    /// The values of the goal's variables, step by step.
    pub trace: Trace,
    /// The units whose equations it breaks.
    pub breaks: Set,
}

impl Run {
    pub(crate) fn new(goal: &ProofGoal, trace: Trace) -> Run {
        let trace = match violation(goal, &trace) {
            Some(step) => trace.first(step + 1),
            None => trace,
        };
        let mut breaks = goal.units.none();
        breaks.extend((0..goal.units.len()).filter(|unit| breaks_unit(goal, *unit, &trace)));
        Run { trace, breaks }
    }

    /// The last step, at which it violates the goal; steps count from 0.
    pub fn step(&self) -> u32 {
        (self.trace.len() as u32).saturating_sub(1)
    }
}

/// The first step of a trace at which the goal is false.
pub(crate) fn violation(goal: &ProofGoal, trace: &Trace) -> Option<usize> {
    let nothing = Element::constrain(None, None, proofmark_model::Origin::generated());
    let mut walk = Walk::new(&goal.system, &nothing);
    let violates = |step: &usize| {
        walk.step = *step;
        walk.value(trace, goal.property()) == Some(Value::Bool(false))
    };
    (0..trace.len()).find(violates)
}

/// Whether a trace breaks an equation of a unit.
pub(crate) fn breaks_unit(goal: &ProofGoal, unit: usize, trace: &Trace) -> bool {
    let mut members = goal.units.members(unit).iter();
    members.any(|id| broken_at(&goal.system, goal.system.element(*id), trace).is_some())
}

/// The first step at which a trace does not satisfy an element. What cannot be evaluated counts as
/// broken.
pub(crate) fn broken_at(system: &System, element: &Element, trace: &Trace) -> Option<usize> {
    let mut walk = Walk::new(system, element);
    while walk.step < trace.len() {
        let step = walk.step;
        if !walk.is_kept(trace) || walk.advance(trace).is_none() {
            return Some(step);
        }
    }
    None
}

/// An element along a trace, step by step: its auxiliaries have the values that it gives them.
pub(crate) struct Walk<'a> {
    system: &'a System,
    element: &'a Element,
    pub step: usize,
    /// The element's auxiliaries one step before.
    before: FxHashMap<Term, Value>,
}

impl<'a> Walk<'a> {
    pub fn new(system: &'a System, element: &'a Element) -> Walk<'a> {
        Walk {
            system,
            element,
            step: 0,
            before: FxHashMap::default(),
        }
    }

    pub fn phase(&self) -> Phase {
        match self.step {
            0 => Phase::Init,
            _ => Phase::Step,
        }
    }

    /// Whether the trace does at this step what the element says of the variables that others know.
    fn is_kept(&self, trace: &Trace) -> bool {
        match &self.element.body {
            Body::Define(definition) => definition.value(self.phase()).is_none_or(|term| {
                let value = self.value(trace, term);
                value.is_some() && value == Self::of_trace(trace, definition.variable, self.step)
            }),
            Body::Constrain { .. } => {
                let constraint = self.element.constraint(self.phase());
                constraint.is_none_or(|term| self.value(trace, term) == Some(Value::Bool(true)))
            }
        }
    }

    /// What a trace says of a variable at a step; what it does not mention has a value by default.
    fn of_trace(trace: &Trace, variable: Term, step: usize) -> Option<Value> {
        let default = || Value::default_of(variable.sort());
        Some(trace.value(variable, step).cloned().unwrap_or_else(default))
    }

    /// The value of a term at this step, when there is one.
    pub fn value(&self, trace: &Trace, term: Term) -> Option<Value> {
        let view = View { walk: self, trace };
        Evaluator::new(&view).value(term).ok()
    }

    /// Goes on to the next step, remembering the auxiliaries.
    pub fn advance(&mut self, trace: &Trace) -> Option<()> {
        let mut after = FxHashMap::default();
        for auxiliary in &self.element.auxiliaries {
            let known = self.system.variable(auxiliary.variable)?;
            after.insert(known.previous, self.value(trace, auxiliary.variable)?);
        }
        self.before = after;
        self.step += 1;
        Some(())
    }
}

/// One step of a trace, as an element sees it.
struct View<'a> {
    walk: &'a Walk<'a>,
    trace: &'a Trace,
}

impl Environment for View<'_> {
    fn variable(&self, term: Term) -> Option<Value> {
        if let Some(value) = self.walk.before.get(&term) {
            return Some(value.clone());
        }
        if self.definition(term).is_some() {
            return None;
        }
        let known = self.walk.system.variable(term)?;
        let step = match term == known.current {
            true => self.walk.step,
            false => self.walk.step.checked_sub(1)?,
        };
        Walk::of_trace(self.trace, known.current, step)
    }

    fn function(&self, function: Function, args: &[Value]) -> Option<Value> {
        Some(self.trace.functions.value(function, args))
    }

    fn definition(&self, variable: Term) -> Option<Term> {
        let mut auxiliaries = self.walk.element.auxiliaries.iter();
        let own = auxiliaries.find(|auxiliary| auxiliary.variable == variable)?;
        own.value(self.walk.phase())
    }
}
