//! From liveness to safety: a system with a property that is violated iff another has a fair run.
//!
//! After Biere, Artho and Schuppan (Liveness checking as safety checking, 2002). A run of a finite system goes on
//! for ever iff it can come back to a state. At some step, which is guessed, the state is saved; from the next
//! step on the system remembers which conditions were met, and when the saved state comes again with all of
//! them met, the steps since the saving can be repeated for ever. They are a loop from the step
//! after the saving on: what is no state need not be the same then as it was.

use crate::bounds::Bounds;
use crate::origin::Origin;
use crate::sort::Sort;
use crate::system::{Definition, Element, Property, Role, System, SystemError, Variable};
use crate::term::Term;

/// A system, and whether its state is saved.
#[derive(Clone, Debug)]
pub struct SafetyReduction {
    /// The other system with more variables, and one property: that no fair run has come back. Its state
    /// must be finite for this to mean that there is none.
    pub system: System,
    /// True from the first step of the loop on.
    pub saved: Term,
}

/// The reduction of "there is no fair run" to a property of every state.
pub fn safety_reduction(product: &System) -> Result<SafetyReduction, SystemError> {
    let state: Vec<Variable> = product.state().into_iter().cloned().collect();
    let mut made = Made {
        system: product.with_properties(Vec::new())?,
        count: 0,
    };
    made.system.clear_specifications();
    let (no, yes) = (Term::bool(false), Term::bool(true));
    let save = made.fresh(Sort::Bool, None)?;
    let saved = made.remembered(no, |saved| Term::or(&[saved.previous, save.previous]))?;
    let mut came_back = vec![saved.current];
    for variable in &state {
        let copy = made.fresh(variable.sort(), variable.bounds.clone())?;
        let step = saved.current.ite(copy.previous, variable.current);
        made.define(&copy, variable.current, step)?;
        came_back.push(variable.current.eq(copy.current));
    }
    let fairness = product.fairness().clone();
    let mut met = |condition: Term| -> Result<Term, SystemError> {
        let now = Term::and(&[saved.current, condition]);
        let seen = made.remembered(no, |seen| Term::or(&[seen.previous, now]))?;
        Ok(seen.current)
    };
    for condition in &fairness.justice {
        if *condition != yes {
            came_back.push(met(*condition)?);
        }
    }
    for (first, second) in &fairness.compassion {
        let (first, second) = (met(*first)?, met(*second)?);
        came_back.push(Term::or(&[first.not(), second]));
    }
    let property = Property {
        name: "no fair run".into(),
        term: Term::and(&came_back).not(),
        origin: Origin::generated(),
    };
    made.system.add_property(property)?;
    Ok(SafetyReduction {
        system: made.system,
        saved: saved.current,
    })
}

struct Made {
    system: System,
    count: usize,
}

impl Made {
    fn fresh(&mut self, sort: Sort, bounds: Option<Bounds>) -> Result<Variable, SystemError> {
        loop {
            let name = format!("saved@{}", self.count);
            self.count += 1;
            let variable = Variable::new(&name, sort, Role::Auxiliary, Origin::generated());
            let variable = variable.with_bounds(bounds.clone());
            if self.system.variable_named(variable.name).is_none() {
                self.system.declare(variable.clone())?;
                return Ok(variable);
            }
        }
    }

    fn define(&mut self, variable: &Variable, init: Term, step: Term) -> Result<(), SystemError> {
        let definition = Definition {
            variable: variable.current,
            init: Some(init),
            step: Some(step),
        };
        let element = Element::define(definition, Origin::generated());
        self.system.add_element(element).map(|_| ())
    }

    fn remembered(
        &mut self,
        init: Term,
        step: impl FnOnce(&Variable) -> Term,
    ) -> Result<Variable, SystemError> {
        let variable = self.fresh(Sort::Bool, None)?;
        let step = step(&variable);
        self.define(&variable, init, step)?;
        Ok(variable)
    }
}
