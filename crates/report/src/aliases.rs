//! Variables of instances that only pass a value on: a parameter that is given a variable or a constant,
//! an output that is read into a variable of the caller.
//!
//! In a run they repeat what is shown already under the name that is nearer to the main node. A
//! mutation may give such a parameter something else, so that a variable is left out only where the
//! run itself has the same values under both names.

use proofmark_model::{System, Term, Trace, Value};
use rustc_hash::FxHashMap;

/// What variables of instances are the same as.
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    /// A variable nearer to the main node, or a constant.
    nearer: FxHashMap<Term, Term>,
}

impl Aliases {
    pub fn of(system: &System) -> Aliases {
        let mut nearer: FxHashMap<Term, Term> = FxHashMap::default();
        let depth = |term: Term| {
            let variable = system.variable(term)?;
            (variable.current == term).then(|| variable.origin.path.calls().len())
        };
        let elements = system.elements().iter();
        for definition in elements.flat_map(|element| element.definitions()) {
            let (Some(value), true) = (definition.step, definition.init == definition.step) else {
                continue;
            };
            let variable = definition.variable;
            let Some(own) = depth(variable) else {
                continue;
            };
            if value.as_const().is_some() && own > 0 {
                nearer.insert(variable, value);
            }
            match depth(value) {
                Some(other) if other < own => nearer.insert(variable, value),
                // Of several that read an output the first is kept.
                Some(other) if other > own => Some(*nearer.entry(value).or_insert(variable)),
                _ => None,
            };
        }
        Aliases { nearer }
    }

    /// Whether a run has the values of a variable under another name that is shown, or they are a
    /// constant of the text.
    pub fn repeats(&self, variable: Term, run: &Trace, is_shown: &dyn Fn(Term) -> bool) -> bool {
        let mut known = variable;
        // Each alias is nearer to the main node than the one before, but for constants, so this ends.
        while let Some(nearer) = self.nearer.get(&known).copied() {
            let same =
                (0..run.len()).all(|step| value(run, variable, step) == value(run, nearer, step));
            if !same {
                return false;
            }
            if nearer.as_const().is_some() || is_shown(nearer) {
                return true;
            }
            known = nearer;
        }
        false
    }
}

fn value(run: &Trace, term: Term, step: usize) -> Option<&Value> {
    term.as_const().or_else(|| run.value(term, step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::{
        Category, Definition, Element, InstancePath, Origin, Role, Sort, Variable,
    };

    /// `given -> sub.parameter`, `sub.result -> read`, and `sub.fixed = 3`.
    fn system() -> (System, [Term; 5]) {
        let mut system = System::default();
        let inside = Origin {
            path: InstancePath::default().enter("sub~0", None),
            category: Category::Declaration,
            location: None,
        };
        let mut declare = |name: &str, role: Role, origin: &Origin| {
            let variable = Variable::new(name, Sort::Int, role, origin.clone());
            system.declare(variable.clone()).unwrap();
            variable.current
        };
        let outside = Origin::generated();
        let given = declare("given", Role::Input, &outside);
        let parameter = declare("sub~0.parameter", Role::Local, &inside);
        let fixed = declare("sub~0.fixed", Role::Local, &inside);
        let result = declare("sub~0.result", Role::Local, &inside);
        let read = declare("read", Role::Output, &outside);
        let sum = Term::add(&[parameter, fixed]);
        let equations = [
            (parameter, given),
            (fixed, Term::int(3)),
            (result, sum),
            (read, result),
        ];
        for (variable, value) in equations {
            let definition = Definition {
                variable,
                init: Some(value),
                step: Some(value),
            };
            let element = Element::define(definition, Origin::generated());
            system.add_element(element).unwrap();
        }
        (system, [given, parameter, fixed, result, read])
    }

    #[test]
    fn what_an_instance_passes_on_repeats_what_its_caller_has() {
        let (system, variables) = system();
        let aliases = Aliases::of(&system);
        let mut run = Trace::new(variables.to_vec());
        let row = |values: [i64; 5]| values.map(|value| Value::Int(value.into())).to_vec();
        run.push(row([1, 1, 3, 4, 4])).unwrap();
        let repeats = |run: &Trace| variables.map(|one| aliases.repeats(one, run, &|_| true));
        assert_eq!(repeats(&run), [false, true, true, true, false]);
        let hidden = variables.map(|one| aliases.repeats(one, &run, &|_| false));
        assert_eq!(hidden, [false, false, true, false, false]);
        // A mutant may give the parameter something else.
        run.push(row([1, 2, 5, 7, 7])).unwrap();
        assert_eq!(repeats(&run), [false, false, false, true, false]);
    }
}
