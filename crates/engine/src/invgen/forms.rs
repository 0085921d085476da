//! Linear forms: sums of multiples of variables, and those that a system's text speaks of.
//!
//! A model that says `a + b >= 1` or `x := a + b - c` shows in which directions its state moves and
//! is looked at. Constants are left out, because bounds are what is guessed.

use proofmark_model::{Op, Rational, Sort, Symbol, System, Term, Value};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A sum of multiples of variables, in the order of their names.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Form {
    pub summands: Vec<(Term, Rational)>,
}

impl Form {
    /// The summands that are not zero; each variable comes once.
    pub fn new(summands: impl Iterator<Item = (Term, Rational)>) -> Form {
        let summands = summands.filter(|(_, factor)| !factor.is_zero()).collect();
        Form { summands }
    }

    fn combine(&self, other: &Form, factor: &Rational) -> Form {
        let mut sum: BTreeMap<Option<&str>, (Term, Rational)> = BTreeMap::new();
        let scaled = other
            .summands
            .iter()
            .map(|(term, own)| (*term, own * factor));
        for (term, factor) in self.summands.iter().cloned().chain(scaled) {
            let entry = sum
                .entry(term.as_var().map(Symbol::as_str))
                .or_insert((term, Rational::ZERO));
            entry.1 = &entry.1 + &factor;
        }
        Form::new(sum.into_values())
    }

    pub fn plus(&self, other: &Form) -> Form {
        self.combine(other, &Rational::ONE)
    }

    pub fn minus(&self, other: &Form) -> Form {
        self.combine(other, &Rational::from(-1))
    }

    /// Divides by the greatest common divisor and makes the first factor positive; answers what the
    /// form was multiplied by.
    pub fn normalise(&mut self) -> Rational {
        let factors = self.summands.iter().map(|(_, factor)| factor);
        let divisor = factors.fold(Rational::ZERO, |divisor, factor| divisor.gcd(factor));
        let Some((_, first)) = self.summands.first() else {
            return Rational::ONE;
        };
        let inverse = divisor.abs().recip();
        let scale = if first.is_negative() {
            -&inverse
        } else {
            inverse
        };
        for (_, factor) in &mut self.summands {
            *factor *= &scale;
        }
        scale
    }

    pub fn term(&self, sort: Sort) -> Term {
        let summands: Vec<Term> = self
            .summands
            .iter()
            .map(|(variable, factor)| number(factor.clone(), sort).mul(*variable))
            .collect();
        match summands[..] {
            [] => number(Rational::ZERO, sort),
            [one] => one,
            _ => Term::add(&summands),
        }
    }
}

pub fn number(value: Rational, sort: Sort) -> Term {
    Term::constant(match sort {
        Sort::Int => Value::Int(value),
        _ => Value::Real(value),
    })
}

/// More forms than this are not looked at.
const MOST_FORMS: usize = 48;
/// Sums with more operators than this are not looked at.
const MOST_OPERATORS: usize = 64;

/// The given variables, and what the system adds up or compares of them, before or after a step.
pub fn forms(system: &System, variables: impl Iterator<Item = Term>) -> Vec<(Sort, Form)> {
    let variables: Vec<Term> = variables.collect();
    let known: FxHashSet<Term> = variables.iter().copied().collect();
    let mut found: Vec<(Sort, Form)> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut add = |sort: Sort, mut form: Form| {
        form.normalise();
        if !form.summands.is_empty() && found.len() < MOST_FORMS && seen.insert(form.clone()) {
            found.push((sort, form));
        }
    };
    for variable in variables {
        add(
            variable.sort(),
            Form {
                summands: vec![(variable, Rational::ONE)],
            },
        );
    }
    for term in subterms(system) {
        let args = term.args();
        let parts: &[(Term, i64)] = match term.op() {
            Op::Le | Op::Eq if args[0].sort().is_arithmetic() => &[(args[0], 1), (args[1], -1)],
            Op::Add => &[(term, 1)],
            _ => continue,
        };
        if let Some(form) = linear(system, &known, parts) {
            add(parts[0].0.sort(), form);
        }
    }
    found
}

/// What the elements and properties of a system are made of, roughly in the order of the text.
fn subterms(system: &System) -> Vec<Term> {
    let properties = system.properties().iter().map(|property| property.term);
    let elements = system.elements().iter();
    let parts = elements.flat_map(|element| element.terms().collect::<Vec<_>>());
    let mut stack: Vec<Term> = properties.chain(parts).collect();
    stack.reverse();
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            found.push(term);
            stack.extend(term.args());
        }
    }
    found
}

/// A sum of terms as a form over current variables, if all are linear over those known.
fn linear(system: &System, known: &FxHashSet<Term>, parts: &[(Term, i64)]) -> Option<Form> {
    let mut sum = Form::default();
    let parts = parts.iter();
    let mut stack: Vec<(Term, Rational)> = parts
        .map(|(term, factor)| (*term, Rational::from(*factor)))
        .collect();
    let mut operators = 0;
    while let Some((term, factor)) = stack.pop() {
        operators += 1;
        if operators > MOST_OPERATORS {
            return None;
        }
        match (term.op(), term.args()) {
            (Op::Const(_), _) => {}
            (Op::Add, args) => stack.extend(args.iter().map(|arg| (*arg, factor.clone()))),
            (Op::Mul, [a, b]) => match (constant(*a), constant(*b)) {
                (Some(own), _) => stack.push((*b, &factor * own)),
                (_, Some(own)) => stack.push((*a, &factor * own)),
                _ => return None,
            },
            (Op::Var(_), _) => {
                let variable = system.variable(term)?.current;
                if !known.contains(&variable) {
                    return None;
                }
                let one = Form {
                    summands: vec![(variable, Rational::ONE)],
                };
                sum = sum.combine(&one, &factor);
            }
            _ => return None,
        }
    }
    Some(sum)
}

fn constant(term: Term) -> Option<&'static Rational> {
    term.as_const()?.as_number()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::{Element, Origin, Property, Role, Variable};

    #[test]
    fn the_text_shows_its_forms_before_and_after_a_step() {
        let mut system = System::default();
        let [x, y] = ["x", "y"].map(|name| {
            let variable = Variable::new(name, Sort::Int, Role::Local, Origin::generated());
            system.declare(variable.clone()).unwrap();
            variable
        });
        let step = Term::int(4).le(Term::add(&[x.previous, Term::int(2).mul(y.previous)]));
        let element = Element::constrain(None, Some(step), Origin::generated());
        system.add_element(element).unwrap();
        let property = Property {
            name: "p".into(),
            term: x.current.le(y.current),
            origin: Origin::generated(),
        };
        system.add_property(property).unwrap();
        let found = forms(&system, [x.current, y.current].into_iter());
        let form = |a: i64, b: i64| {
            let summands = [(x.current, a.into()), (y.current, b.into())];
            (Sort::Int, Form::new(summands.into_iter()))
        };
        assert_eq!(found, [form(1, 0), form(0, 1), form(1, -1), form(1, 2)]);
    }

    #[test]
    fn a_normal_form_has_a_positive_first_factor_and_no_divisor() {
        let (x, y) = (Term::var("x", Sort::Int), Term::var("y", Sort::Int));
        let mut form = Form::new([(x, (-4).into()), (y, 6.into())].into_iter());
        assert_eq!(form.normalise(), Rational::new(-1, 2));
        assert_eq!(
            form,
            Form::new([(x, 2.into()), (y, (-3).into())].into_iter())
        );
    }
}
