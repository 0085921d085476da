//! More runs from a run: rotation.
//!
//! A run that breaks one unit of a set alone shows that the set needs this unit. Give the variable
//! that the unit defines the values that it should have, and the unit is kept; now a unit that
//! reads the variable may be broken instead. If that is again one unit alone, and the goal is still violated, the
//! set needs that one, too, without a solver query. The other way round, a value that a
//! broken equation reads may be changed such that the equation holds, which breaks the unit that the
//! value comes from.
//!
//! This is the model rotation that made the extraction of minimal unsatisfiable sets of clauses fast
//! (Belov and Marques-Silva 2011), with equations over steps for clauses. A changed run is evaluated
//! where it changed, and nowhere else.

use crate::goal::{ProofGoal, Set};
use crate::run::{Run, Walk, breaks_unit, broken_at, violation};
use proofmark_model::{Body, ElementId, Term, Trace, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many variables of a broken equation are given other values.
const READ: usize = 16;

/// Other values for variables at steps.
type ValueChanges = Vec<(Term, usize, Value)>;

pub(crate) struct Rotation<'g> {
    goal: &'g ProofGoal,
    /// For each variable the elements that speak of it.
    concerned: FxHashMap<Term, Vec<ElementId>>,
}

impl<'g> Rotation<'g> {
    pub fn new(goal: &'g ProofGoal) -> Rotation<'g> {
        let mut concerned: FxHashMap<Term, Vec<ElementId>> = FxHashMap::default();
        for id in goal.system.ids() {
            let element = goal.system.element(id);
            let mut mentions = element.mentions();
            mentions.variables.extend(element.target());
            let variables = mentions.variables.into_iter();
            let currents = variables.filter_map(|one| Some(goal.system.variable(one)?.current));
            for variable in currents.collect::<FxHashSet<Term>>() {
                concerned.entry(variable).or_default().push(id);
            }
        }
        Rotation { goal, concerned }
    }

    /// Runs that each break one unit of a set alone, from one that does; none for a unit that is
    /// settled, and after it all of these units are.
    pub fn rotate(&self, run: &Run, within: &Set, settled: &mut Set) -> Vec<Run> {
        let mut found = Vec::new();
        let mut next = vec![run.clone()];
        while let Some(mut run) = next.pop() {
            let Some(unit) = only(&run.breaks, within) else {
                continue;
            };
            settled.insert(unit);
            for change in self.changes(&run.trace, unit) {
                let Some(breaks) = self.broken_by(&mut run, change.clone()) else {
                    continue;
                };
                if let Some(other) = only(&breaks, within)
                    && !settled.put(other)
                {
                    let mut trace = run.trace.clone();
                    apply(&mut trace, change);
                    let steps = violation(self.goal, &trace).map_or(trace.len(), |at| at + 1);
                    let trace = trace.first(steps);
                    let rotated = Run { trace, breaks };
                    next.push(rotated.clone());
                    found.push(rotated);
                }
            }
        }
        found
    }

    /// What a run breaks once it is changed, if the goal is still violated; the run stays as it is.
    fn broken_by(&self, run: &mut Run, change: ValueChanges) -> Option<Set> {
        let goal = self.goal;
        let variables: FxHashSet<Term> = change.iter().map(|(variable, ..)| *variable).collect();
        let former = apply(&mut run.trace, change);
        let mut breaks = run.breaks.clone();
        let touched = variables.iter().filter_map(|one| self.concerned.get(one));
        let mut kept = violation(goal, &run.trace).is_some();
        for id in touched.flatten() {
            match goal.units.unit_of(*id) {
                Some(unit) => breaks.set(unit, breaks_unit(goal, unit, &run.trace)),
                // What is in no unit always holds.
                None => {
                    let element = goal.system.element(*id);
                    kept &= broken_at(&goal.system, element, &run.trace).is_none();
                }
            }
            if !kept {
                break;
            }
        }
        apply(&mut run.trace, former);
        kept.then_some(breaks)
    }

    /// Changes after which a broken unit may hold.
    fn changes(&self, trace: &Trace, unit: usize) -> Vec<ValueChanges> {
        let mut changes = Vec::new();
        let mut repaired = trace.clone();
        let mut repairs = Vec::new();
        for id in self.goal.units.members(unit) {
            repairs.extend(self.repair(*id, &mut repaired).unwrap_or_default());
        }
        changes.push(repairs);
        for id in self.goal.units.members(unit) {
            changes.extend(self.flips(*id, trace));
        }
        changes
    }

    /// What the definition of an element makes of its variable, where that is something else.
    fn repair(&self, id: ElementId, trace: &mut Trace) -> Option<ValueChanges> {
        let element = self.goal.system.element(id);
        let Body::Define(definition) = &element.body else {
            return None;
        };
        let mut change = Vec::new();
        let mut walk = Walk::new(&self.goal.system, element);
        while walk.step < trace.len() {
            if let Some(term) = definition.value(walk.phase()) {
                let value = walk.value(trace, term)?;
                let former = trace.replace(definition.variable, walk.step, value.clone())?;
                if former != value {
                    change.push((definition.variable, walk.step, value));
                }
            }
            walk.advance(trace)?;
        }
        Some(change)
    }

    /// Other values for what an element reads at the step at which it is broken.
    fn flips(&self, id: ElementId, trace: &Trace) -> Vec<ValueChanges> {
        let system = &self.goal.system;
        let element = system.element(id);
        let Some(step) = broken_at(system, element, trace) else {
            return Vec::new();
        };
        let target = element.target();
        let wanted = target.and_then(|target| trace.value(target, step));
        let mentions = element.mentions();
        let mut read: Vec<Term> = mentions.variables.into_iter().collect();
        // The same order in every run.
        read.sort_by_key(|term| term.as_var().map(|name| name.as_str()));
        let flip = |term: &Term| -> Option<(Term, usize, Value)> {
            let variable = system.variable(*term)?.current;
            let at = match *term == variable {
                true => step,
                false => step.checked_sub(1)?,
            };
            let value = match trace.value(variable, at)? {
                Value::Bool(value) => Value::Bool(!value),
                value if wanted? != value && wanted?.sort() == variable.sort() => wanted?.clone(),
                _ => return None,
            };
            (Some(variable) != target).then_some((variable, at, value))
        };
        let flips = read.iter().filter_map(flip).take(READ);
        flips.map(|flip| vec![flip]).collect()
    }
}

/// Changes a trace; returns what changes it back.
fn apply(trace: &mut Trace, change: ValueChanges) -> ValueChanges {
    let mut former = Vec::new();
    for (variable, step, value) in change {
        let value = trace.replace(variable, step, value);
        former.extend(value.map(|value| (variable, step, value)));
    }
    former.reverse();
    former
}

/// The only unit of a set that is broken.
fn only(breaks: &Set, within: &Set) -> Option<usize> {
    let mut both = breaks.intersection(within);
    let first = both.next()?;
    both.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::{
        Definition, Element, Origin, Property, Role, Sort, System, Variable as Declared,
    };

    /// `x = true; y = x; p = y`, and that `p` holds; each equation is a unit.
    fn chain() -> ProofGoal {
        let mut system = System::default();
        let mut declare = |name: &str| {
            let role = Role::Output;
            let variable = Declared::new(name, Sort::Bool, role, Origin::generated());
            let current = variable.current;
            system.declare(variable).unwrap();
            current
        };
        let (x, y, p) = (declare("x"), declare("y"), declare("p"));
        let mut define = |variable: Term, value: Term| {
            let definition = Definition {
                variable,
                init: Some(value),
                step: Some(value),
            };
            let element = Element::define(definition, Origin::generated());
            vec![system.add_element(element).unwrap()]
        };
        let units = vec![define(x, Term::bool(true)), define(y, x), define(p, y)];
        let property = Property {
            name: "p".into(),
            term: p,
            origin: Origin::generated(),
        };
        let system = system.with_properties(vec![property]).unwrap();
        ProofGoal::new(&system, &[0], &units, &[]).unwrap()
    }

    #[test]
    fn a_run_that_breaks_one_unit_leads_to_those_that_break_the_others() {
        let goal = chain();
        let columns: Vec<Term> = goal.system.variables().iter().map(|v| v.current).collect();
        let mut trace = Trace::new(columns);
        trace.push(vec![Value::Bool(false); 3]).unwrap();
        let run = Run::new(&goal, trace);
        let all = goal.units.all();
        assert_eq!(only(&run.breaks, &all), Some(0));
        let mut settled = goal.units.none();
        let found = Rotation::new(&goal).rotate(&run, &all, &mut settled);
        let broken: Vec<Option<usize>> = found.iter().map(|run| only(&run.breaks, &all)).collect();
        assert_eq!(broken, [Some(1), Some(2)]);
        for run in found {
            assert_eq!(Run::new(&goal, run.trace.clone()).breaks, run.breaks);
            assert_eq!(violation(&goal, &run.trace), Some(0));
        }
    }
}
