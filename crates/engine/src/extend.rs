//! From a run of a part of a system to a run of the whole.
//!
//! Engines work on the slice that matters to the properties. What a slice leaves out shares nothing
//! with what it keeps, so its free values may be anything that the constraints left out accept.
//! Mostly that is anything; when it is not, a solver finds what they accept, or that they accept
//! nothing for so many steps.

use crate::frames::Frames;
use proofmark_model::{System, Term, Trace};
use proofmark_solve::{Answer, SolveError, Solver, Unknown};

/// What became of a run of a part.
#[derive(Clone, Debug)]
pub enum Extension {
    /// A run of the whole with the same values.
    Run(Trace),
    /// The whole has no run of so many steps.
    Impossible,
    /// The solver gave up, for this reason.
    Unknown(Unknown),
}

/// Looks for a run of the system that has all values of the given one and violates the property,
/// given by its position, at its last step.
pub fn extend(
    system: &System,
    run: &Trace,
    property: usize,
    solver: Box<dyn Solver>,
) -> Result<Extension, SolveError> {
    let Some(last) = run.len().checked_sub(1) else {
        return Ok(Extension::Impossible);
    };
    let mut frames = Frames::new(system, solver);
    for step in 0..=last {
        match step {
            0 => frames.assert_init()?,
            _ => frames.assert_step(step as u32)?,
        }
        for (&column, value) in run.columns().iter().zip(run.row(step)) {
            frames.assert_at(column.eq(Term::constant(value.clone())), step as u32)?;
        }
    }
    let violation = system.properties()[property].term.not();
    frames.assert_at(violation, last as u32)?;
    match frames.solver.check(&[])? {
        Answer::Sat => Ok(Extension::Run(frames.trace(last as u32)?)),
        Answer::Unsat => Ok(Extension::Impossible),
        Answer::Unknown(why) => Ok(Extension::Unknown(why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::{Element, Origin, Program, Property, Role, Sort, Value, Variable};
    use proofmark_solve::Embedded;

    /// Two inputs; the property is about `x` and the constraint about `y`.
    fn system(least: i64, most: i64) -> (System, Term) {
        let mut system = System::default();
        let mut declare = |name| {
            let variable = Variable::new(name, Sort::Int, Role::Input, Origin::generated());
            system.declare(variable.clone()).unwrap();
            variable.current
        };
        let (x, y) = (declare("x"), declare("y"));
        let within = Term::and(&[Term::int(least).le(y), y.le(Term::int(most))]);
        let element = Element::constrain(Some(within), Some(within), Origin::generated());
        system.add_element(element).unwrap();
        let property = Property {
            name: "p".into(),
            term: x.le(Term::int(3)),
            origin: Origin::generated(),
        };
        system.add_property(property).unwrap();
        (system, x)
    }

    fn extended(least: i64, most: i64) -> Option<(System, Trace)> {
        let (system, x) = system(least, most);
        let mut run = Trace::new(vec![x]);
        for value in [0, 4] {
            run.push(vec![Value::Int(Into::into(value))]).unwrap();
        }
        match extend(&system, &run, 0, Box::new(Embedded::default())).unwrap() {
            Extension::Run(run) => Some((system, run)),
            Extension::Impossible => None,
            Extension::Unknown(why) => panic!("{why}"),
        }
    }

    #[test]
    fn what_was_left_out_gets_values_that_its_constraints_accept() {
        let (system, run) = extended(7, 9).expect("there is a run");
        let program = Program::compile(&system).unwrap();
        assert_eq!(program.machine().judge(&run).refuted_at(0), Some(1));
    }

    #[test]
    fn contradictory_constraints_accept_nothing() {
        assert!(extended(9, 7).is_none());
    }
}
