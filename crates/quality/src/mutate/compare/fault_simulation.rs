//! What a mutation changes along a run of the original.
//!
//! Most of a mutant does on a run just what the original did, and that is known. So only what the
//! mutation reaches is evaluated, and at a step at which the mutated elements come to the same values
//! as before, and nothing is left over from earlier steps, nothing at all. That takes no program for
//! each mutant, and a small part of the time of a whole run. What it says is a hint: whoever finds a
//! difference here shows it in the simulator.

use crate::mutate::compare::product::{FanOut, Seen};
use crate::mutate::mutant::Mutant;
use proofmark_model::{
    Definition, ElementId, Environment, Evaluator, Function, Phase, System, Term, Trace, Value,
};
use rustc_hash::FxHashMap;

/// What a mutation can change.
pub(crate) struct FaultSimulation<'a> {
    system: &'a System,
    observed: &'a [Term],
    fan_out: &'a FanOut,
    mutant: &'a Mutant,
    /// How the mutant defines what can differ.
    definitions: FxHashMap<Term, &'a Definition>,
    /// The current term of the previous terms of what the mutant has of its own.
    own: FxHashMap<Term, Term>,
    /// The constraints that can differ, as the mutant has them, at the first step and later.
    demands: [Vec<Term>; 2],
}

/// A run of the original, and how the mutant's differs from it at a step and at the one before.
pub(crate) struct Point<'r> {
    simulation: &'r FaultSimulation<'r>,
    run: &'r Trace,
    /// Other values for what the run gives.
    changes: &'r Changes,
    step: usize,
    before: FxHashMap<Term, Value>,
}

/// Values of free variables, given by their current terms, at steps.
pub(crate) type Changes = FxHashMap<(Term, usize), Value>;

impl<'a> FaultSimulation<'a> {
    pub fn new(
        system: &'a System,
        observed: &'a [Term],
        mutant: &'a Mutant,
        fan_out: &'a FanOut,
    ) -> FaultSimulation<'a> {
        let mut simulation = FaultSimulation {
            system,
            observed,
            fan_out,
            mutant,
            definitions: FxHashMap::default(),
            own: mutant
                .variables
                .iter()
                .map(|one| (one.previous, one.current))
                .collect(),
            demands: [Vec::new(), Vec::new()],
        };
        for id in fan_out.elements() {
            let mut changed = mutant.elements.iter();
            let version = changed.find(|(other, _)| *other == id);
            let version = version.map_or(system.element(id), |(_, element)| element);
            for definition in version.definitions() {
                simulation
                    .definitions
                    .insert(definition.variable, definition);
            }
            for (at, phase) in [Phase::Init, Phase::Step].into_iter().enumerate() {
                simulation.demands[at].extend(version.constraint(phase));
            }
        }
        simulation
    }

    fn start<'r>(&'r self, seen: &'r Seen, changes: &'r Changes) -> Point<'r> {
        Point {
            simulation: self,
            run: &seen.run,
            changes,
            step: 0,
            before: FxHashMap::default(),
        }
    }

    /// Whether the mutant accepts a run of the original with other values for some free variables,
    /// all of whose readers are within reach. If not, all states, and what fails in them; nothing
    /// when something has no value.
    pub fn accepts<'r>(
        &'r self,
        seen: &'r Seen,
        changes: &'r Changes,
    ) -> Result<(), Option<Refusal<'r>>> {
        let mut refusal = Refusal {
            states: Vec::new(),
            failed: Vec::new(),
        };
        let mut point = self.start(seen, changes);
        for step in 0..seen.run.len() {
            let mut evaluator = Evaluator::new(&point);
            for demand in self.demands(step) {
                match evaluator.value(*demand) {
                    Ok(Value::Bool(true)) => {}
                    Ok(_) => refusal.failed.push((*demand, step)),
                    Err(_) => return Err(None),
                }
            }
            let next = Point {
                before: point.departures(&mut evaluator).ok_or(None)?,
                step: step + 1,
                ..self.start(seen, changes)
            };
            refusal.states.push(std::mem::replace(&mut point, next));
        }
        match refusal.failed.is_empty() {
            true => Ok(()),
            false => Err(Some(refusal)),
        }
    }

    /// How the mutant defines what can differ.
    pub fn definition(&self, variable: Term) -> Option<&'a Definition> {
        self.definitions.get(&variable).copied()
    }

    /// The constraints that can differ, as the mutant has them.
    pub fn demands(&self, step: usize) -> &[Term] {
        &self.demands[step.min(1)]
    }

    /// The variable of a term, by its current term, and whether the term is its previous value.
    pub fn variable(&self, term: Term) -> (Term, bool) {
        let known = self.system.variable(term);
        let known = known.map(|one| (one.current, one.previous == term));
        let own = || self.own.get(&term).map(|current| (*current, true));
        known.or_else(own).unwrap_or((term, false))
    }

    /// Whether the mutant is known to accept and to show the same on a run that the original
    /// accepts.
    pub fn is_same(&self, seen: &Seen) -> bool {
        let nothing = Changes::default();
        let mut point = self.start(seen, &nothing);
        (0..seen.run.len()).all(|_| matches!(point.look(&[]), Some(Look::Same)))
    }

    /// Whether the mutant seems to differ from the original on a run.
    pub fn differs(&self, seen: &Seen) -> bool {
        let nothing = Changes::default();
        let mut point = self.start(seen, &nothing);
        while point.step < seen.run.len() {
            let broken = seen.broken_at == Some(point.step);
            let by: &[ElementId] = if broken { &seen.broken } else { &[] };
            match point.look(by) {
                Some(Look::Same) if !broken => {}
                Some(Look::Differs) => return true,
                Some(Look::Same) | None => return false,
            }
        }
        false
    }
}

/// Where a mutant does not accept a run.
pub(crate) struct Refusal<'r> {
    pub states: Vec<Point<'r>>,
    /// What fails, and at which steps.
    pub failed: Vec<(Term, usize)>,
}

enum Look {
    Same,
    Differs,
}

impl Point<'_> {
    /// Looks at a step, at which the original breaks some constraints, and goes on to the next;
    /// nothing when something has no value.
    fn look(&mut self, by: &[ElementId]) -> Option<Look> {
        let (simulation, broken) = (self.simulation, !by.is_empty());
        if self.before.is_empty() && self.is_still(by) {
            self.step += 1;
            return Some(Look::Same);
        }
        let mut evaluator = Evaluator::new(&*self);
        let mut accepts = by.iter().all(|id| simulation.fan_out.has_element(*id));
        for demand in &simulation.demands[self.step.min(1)] {
            accepts &= evaluator.value(*demand).ok()? == Value::Bool(true);
        }
        if accepts == broken {
            return Some(Look::Differs);
        }
        let mut after = FxHashMap::default();
        for variable in simulation.definitions.keys() {
            let value = evaluator.value(*variable).ok()?;
            if self.run.value(*variable, self.step) != Some(&value) {
                if accepts && simulation.observed.contains(variable) {
                    return Some(Look::Differs);
                }
                after.insert(*variable, value);
            }
        }
        self.before = after;
        self.step += 1;
        Some(Look::Same)
    }

    /// Whether the mutated elements come to what the original has.
    fn is_still(&self, by: &[ElementId]) -> bool {
        let phase = self.phase();
        let mut evaluator = Evaluator::new(self);
        self.simulation.mutant.elements.iter().all(|(id, element)| {
            element.definitions().all(|one| {
                let value = evaluator.value(one.variable).ok();
                value.is_some() && value.as_ref() == self.run.value(one.variable, self.step)
            }) && match element.constraint(phase) {
                Some(demand) => evaluator.value(demand) == Ok(Value::Bool(!by.contains(id))),
                // What is not demanded any more is not broken.
                None => !by.contains(id),
            }
        })
    }

    /// What has another value than in the original, if all has one.
    fn departures(&self, evaluator: &mut Evaluator<'_, Self>) -> Option<FxHashMap<Term, Value>> {
        let mut after = FxHashMap::default();
        for variable in self.simulation.definitions.keys() {
            let value = evaluator.value(*variable).ok()?;
            if self.run.value(*variable, self.step) != Some(&value) {
                after.insert(*variable, value);
            }
        }
        Some(after)
    }

    fn phase(&self) -> Phase {
        match self.step {
            0 => Phase::Init,
            _ => Phase::Step,
        }
    }

    /// The value of a variable in the original's run; one of the mutant's own that is free has that
    /// of its sort, as in the simulator.
    fn given(&self, current: Term, step: usize) -> Option<Value> {
        let default = || Value::default_of(current.sort());
        let changed = self.changes.get(&(current, step));
        let value = changed.or_else(|| self.run.value(current, step));
        Some(value.cloned().unwrap_or_else(default))
    }
}

impl Environment for Point<'_> {
    fn variable(&self, term: Term) -> Option<Value> {
        let (current, is_previous) = self.simulation.variable(term);
        if is_previous {
            let before = self.step.checked_sub(1)?;
            let changed = self.before.get(&current).cloned();
            return changed.or_else(|| self.given(current, before));
        }
        match self.definition(term) {
            Some(_) => None,
            None => self.given(current, self.step),
        }
    }

    fn function(&self, function: Function, args: &[Value]) -> Option<Value> {
        Some(self.run.functions.value(function, args))
    }

    fn definition(&self, variable: Term) -> Option<Term> {
        let definition = self.simulation.definitions.get(&variable)?;
        definition.value(self.phase())
    }
}
