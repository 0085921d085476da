//! A refutation with fewer changes of the inputs.
//!
//! A solver's run changes inputs for no reason. Here the run of the same length is looked for whose
//! inputs change least often: the number of changes is a sum in the solver, and its bound is halved
//! until no run is left below it. A question that the solver does not answer in time counts as no,
//! and none is asked when all the time is up, so that there is always a result, if not always the
//! smoothest. Every run is replayed by the simulator.

use crate::engine::PropertyId;
use crate::frames::Frames;
use proofmark_model::{Program, Refutation, Sort, System, Term, Trace};
use proofmark_solve::{Answer, Budget, SolveError, Solver};
use std::time::Instant;

/// The refutation of the same property at the same step with the fewest changes of inputs that the
/// solver finds, with the budget for each question, until all the time is up.
pub fn smooth(
    system: &System,
    program: &Program,
    property: PropertyId,
    refutation: &Refutation,
    solver: Box<dyn Solver>,
    budget: Budget,
    until: Option<Instant>,
) -> Result<Refutation, SolveError> {
    let inputs: Vec<Term> = system.inputs().map(|input| input.current).collect();
    let last = refutation.step;
    let mut best = refutation.clone();
    let mut most = changes(&inputs, &best.trace, last);
    // Changes are counted in numbers, which not every solver has.
    if most == 0 || !solver.capabilities().arithmetic {
        return Ok(best);
    }
    let mut frames = Frames::new(system, solver);
    let number = assert_run(&mut frames, property, &inputs, last)?;
    let mut least = 0;
    while least < most {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            break;
        }
        frames.solver.set_budget(Budget {
            time: [budget.time, left].into_iter().flatten().min(),
            ..budget
        });
        let bound = least + (most - least) / 2;
        let few = number.le(Term::int(bound as i64));
        let smoother = match frames.solver.check(&[few])? {
            Answer::Sat => frames.refutation(program, property, last)?,
            Answer::Unsat | Answer::Unknown(_) => None,
        };
        // What does not replay to the same step is not believed.
        match smoother.filter(|found| found.step == last) {
            Some(found) => {
                most = changes(&inputs, &found.trace, last).min(bound);
                best = found;
            }
            None => least = bound + 1,
        }
    }
    Ok(best)
}

/// Asserts a run that refutes the property at its last step; the number of its changes.
fn assert_run(
    frames: &mut Frames<'_>,
    property: PropertyId,
    inputs: &[Term],
    last: u32,
) -> Result<Term, SolveError> {
    let term = frames.system.properties()[property].term;
    frames.assert_init()?;
    let mut changes = Vec::new();
    for step in 1..=last {
        frames.assert_at(term, step - 1)?;
        frames.assert_step(step)?;
        for (at, input) in inputs.iter().enumerate() {
            let same = frames.at(*input, step).eq(frames.at(*input, step - 1));
            let change = Term::var(&format!("%change{at}@{step}"), Sort::Int);
            let counted = Term::ite(same, Term::int(0), Term::int(1));
            frames.solver.assert(change.eq(counted))?;
            changes.push(change);
        }
    }
    frames.assert_at(term.not(), last)?;
    Ok(Term::add(&changes))
}

/// How often inputs differ from the step before.
fn changes(inputs: &[Term], run: &Trace, last: u32) -> usize {
    let steps = 1..=last as usize;
    let differs =
        |input: &Term, step: usize| run.value(*input, step) != run.value(*input, step - 1);
    steps
        .map(|step| inputs.iter().filter(|input| differs(input, step)).count())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::{Definition, Element, Origin, Property, Role, Value, Variable};
    use proofmark_solve::Embedded;

    /// The sum of an input so far, and an input that nobody reads; the sum must stay below 5.
    fn system() -> (System, [Term; 2]) {
        let mut system = System::default();
        let mut declare = |name, role| {
            let variable = Variable::new(name, Sort::Int, role, Origin::generated());
            system.declare(variable.clone()).unwrap();
            variable
        };
        let (x, idle) = (declare("x", Role::Input), declare("idle", Role::Input));
        let sum = declare("sum", Role::Local);
        let most = x.current.le(Term::int(2));
        let bounded = Element::constrain(Some(most), Some(most), Origin::generated());
        system.add_element(bounded).unwrap();
        let step = Term::add(&[sum.previous, x.current]);
        let definition = Definition {
            variable: sum.current,
            init: Some(x.current),
            step: Some(step),
        };
        system
            .add_element(Element::define(definition, Origin::generated()))
            .unwrap();
        let property = Property {
            name: "p".into(),
            term: sum.current.le(Term::int(4)),
            origin: Origin::generated(),
        };
        system.add_property(property).unwrap();
        (system, [x.current, idle.current])
    }

    #[test]
    fn inputs_change_no_more_than_they_must() {
        let (system, inputs) = system();
        let program = Program::compile(&system).unwrap();
        let mut run = Trace::new(inputs.to_vec());
        for (x, idle) in [(1, 5), (2, 7), (2, 5)] {
            let row = [x, idle].map(|value| Value::Int(Into::into(value)));
            run.push(row.to_vec()).unwrap();
        }
        let (trace, outcome) = program.machine().run(&run);
        assert_eq!(outcome.refuted_at(0), Some(2));
        let refutation = Refutation { trace, step: 2 };
        assert_eq!(changes(&inputs, &refutation.trace, 2), 3);
        let solver = Box::new(Embedded::default());
        let budget = Budget::default();
        let smooth = smooth(&system, &program, 0, &refutation, solver, budget, None).unwrap();
        assert_eq!(smooth.step, 2);
        assert_eq!(changes(&inputs, &smooth.trace, 2), 0);
        let replayed = program.machine().judge(&smooth.trace);
        assert_eq!(replayed.refuted_at(0), Some(2));
    }
}
