//! Systems built by hand.

use proofmark_model::{
    Definition, Element, Invariant, Origin, Proof, Property, Role, Sort, System, Term, Variable,
};

#[derive(Default)]
pub struct Draft(pub System);

impl Draft {
    pub fn declare(&mut self, name: &str, sort: Sort, role: Role) -> (Term, Term) {
        let variable = Variable::new(name, sort, role, Origin::generated());
        let terms = (variable.current, variable.previous);
        self.0.declare(variable).unwrap();
        terms
    }

    pub fn define(&mut self, variable: Term, init: Term, step: Term) {
        let definition = Definition {
            variable,
            init: Some(init),
            step: Some(step),
        };
        let element = Element::define(definition, Origin::generated());
        self.0.add_element(element).unwrap();
    }

    pub fn assume(&mut self, init: Option<Term>, step: Option<Term>) {
        let element = Element::constrain(init, step, Origin::generated());
        self.0.add_element(element).unwrap();
    }

    pub fn property(&mut self, name: &str, term: Term) {
        let (name, origin) = (name.into(), Origin::generated());
        let property = Property { name, term, origin };
        self.0.add_property(property).unwrap();
    }
}

/// `x = 0 -> if pre x = 5 then 0 else pre x + 1; small = x <= 6` with the properties `small`,
/// `0 <= x` and `x <> 3`, the last of which is false at step 3.
pub fn counter() -> (System, Term) {
    let mut draft = Draft::default();
    let (x, before) = draft.declare("x", Sort::Int, Role::Local);
    let (small, _) = draft.declare("small", Sort::Bool, Role::Local);
    let next = before
        .eq(Term::int(5))
        .ite(Term::int(0), Term::add(&[before, Term::int(1)]));
    draft.define(x, Term::int(0), next);
    let definition = x.le(Term::int(6));
    draft.define(small, definition, definition);
    draft.property("small", small);
    draft.property("positive", Term::int(0).le(x));
    draft.property("never three", x.eq(Term::int(3)).not());
    (draft.0, x)
}

pub fn proof(k: u32, invariants: &[Term]) -> Proof {
    let invariants = invariants.iter();
    Proof {
        k,
        invariants: invariants.map(|&term| Invariant { term, k }).collect(),
    }
}
