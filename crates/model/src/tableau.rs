//! Linear time as fairness: the system whose fair runs are those that violate a claim.
//!
//! The tableau of Clarke, Grumberg and Hamaguchi (Another look at LTL model checking, 1997), with past
//! operators as in Kesten, Pnueli and Raviv (1998). A subformula that looks ahead gets a variable that
//! guesses whether it will hold, which the next step has to confirm; that an until is fulfilled one day is
//! a justice condition. A subformula that looks back gets a variable that remembers. The claim is violated
//! iff the new system has a fair run, and that run, without the new variables, is the counterexample.

use crate::origin::Origin;
use crate::sort::Sort;
use crate::system::{Definition, Element, Role, System, SystemError, Variable};
use crate::temporal::{Binary, Claim, Fairness, Formula, Node, Steps, Unary};
use crate::term::Term;
use crate::unroll::rename;
use rustc_hash::FxHashMap;

/// The system whose fair runs are the fair runs of another that violate a claim; none for claims that
/// are not about single runs. It has all variables and elements of the other, and more.
pub fn violations(system: &System, claim: &Claim<Term>) -> Result<Option<System>, SystemError> {
    let mut tableau = Tableau::new(system)?;
    match claim {
        Claim::Linear(formula) => {
            let holds = tableau.formula(formula)?;
            tableau.constrain(Some(holds.not()), None)?;
        }
        Claim::Justice(conditions) => tableau.fairness.justice.extend(conditions),
        Claim::Branching(_) | Claim::Distance { .. } => return Ok(None),
    }
    tableau.finish().map(Some)
}

struct Tableau {
    system: System,
    fairness: Fairness<Term>,
    /// What terms over the current state are over the previous one.
    previous: FxHashMap<Term, Term>,
    count: usize,
}

impl Tableau {
    fn new(system: &System) -> Result<Tableau, SystemError> {
        let mut bare = system.with_properties(Vec::new())?;
        bare.clear_specifications();
        Ok(Tableau {
            fairness: system.fairness().clone(),
            system: bare,
            previous: FxHashMap::default(),
            count: 0,
        })
    }

    fn finish(mut self) -> Result<System, SystemError> {
        self.system.set_fairness(self.fairness)?;
        Ok(self.system)
    }

    fn constrain(&mut self, init: Option<Term>, step: Option<Term>) -> Result<(), SystemError> {
        let element = Element::constrain(init, step, Origin::generated());
        self.system.add_element(element).map(|_| ())
    }

    fn fresh(&mut self) -> Result<Variable, SystemError> {
        loop {
            let name = format!("tableau@{}", self.count);
            self.count += 1;
            let variable = Variable::new(&name, Sort::Bool, Role::Auxiliary, Origin::generated());
            if self.system.variable_named(variable.name).is_none() {
                self.system.declare(variable.clone())?;
                return Ok(variable);
            }
        }
    }

    fn before(&mut self, term: Term) -> Term {
        let system = &self.system;
        rename(term, &mut self.previous, |leaf| {
            system.variable(leaf).map_or(leaf, |known| known.previous)
        })
    }

    /// The term that is true where a formula holds.
    fn formula(&mut self, formula: &Formula<Term>) -> Result<Term, SystemError> {
        let mut holds: Vec<Term> = Vec::with_capacity(formula.nodes().len());
        for node in formula.nodes() {
            let term = match *node {
                Node::Atom(term) => term,
                Node::Not(a) => holds[a.index()].not(),
                Node::And(a, b) => Term::and(&[holds[a.index()], holds[b.index()]]),
                Node::Or(a, b) => Term::or(&[holds[a.index()], holds[b.index()]]),
                Node::Iff(a, b) => holds[a.index()].eq(holds[b.index()]),
                Node::Unary(_, operator, a) => self.unary(operator, holds[a.index()])?,
                Node::Binary(_, operator, a, b) => {
                    self.binary(operator, holds[a.index()], holds[b.index()])?
                }
            };
            holds.push(term);
        }
        Ok(holds.last().copied().unwrap_or(Term::bool(true)))
    }

    fn unary(&mut self, operator: Unary, a: Term) -> Result<Term, SystemError> {
        let yes = Term::bool(true);
        match operator {
            Unary::Next => self.next(a),
            Unary::Eventually(None) => self.until(yes, a),
            Unary::Always(None) => Ok(self.until(yes, a.not())?.not()),
            Unary::Yesterday => self.yesterday(a, false),
            Unary::WeakYesterday => self.yesterday(a, true),
            Unary::Once(None) => self.since(yes, a),
            Unary::Historically(None) => Ok(self.since(yes, a.not())?.not()),
            Unary::Eventually(Some(steps)) => self.within(steps, a, Direction::Ahead),
            Unary::Always(Some(steps)) => Ok(self.within(steps, a.not(), Direction::Ahead)?.not()),
            Unary::Once(Some(steps)) => self.within(steps, a, Direction::Back),
            Unary::Historically(Some(steps)) => {
                Ok(self.within(steps, a.not(), Direction::Back)?.not())
            }
        }
    }

    fn binary(&mut self, operator: Binary, a: Term, b: Term) -> Result<Term, SystemError> {
        match operator {
            Binary::Until(_) => self.until(a, b),
            Binary::Release => Ok(self.until(a.not(), b.not())?.not()),
            Binary::Since => self.since(a, b),
            Binary::Trigger => Ok(self.since(a.not(), b.not())?.not()),
        }
    }

    /// Guessed now, and confirmed by the next step.
    fn next(&mut self, a: Term) -> Result<Term, SystemError> {
        let guess = self.fresh()?;
        self.constrain(None, Some(guess.previous.eq(a)))?;
        Ok(guess.current)
    }

    fn until(&mut self, a: Term, b: Term) -> Result<Term, SystemError> {
        let guess = self.fresh()?;
        let holds = Term::or(&[b, Term::and(&[a, guess.current])]);
        self.constrain(None, Some(guess.previous.eq(holds)))?;
        self.fairness.justice.push(Term::or(&[holds.not(), b]));
        Ok(holds)
    }

    fn remember(&mut self, memory: &Variable, first: bool, value: Term) -> Result<(), SystemError> {
        let definition = Definition {
            variable: memory.current,
            init: Some(Term::bool(first)),
            step: Some(self.before(value)),
        };
        let element = Element::define(definition, Origin::generated());
        self.system.add_element(element).map(|_| ())
    }

    fn yesterday(&mut self, a: Term, first: bool) -> Result<Term, SystemError> {
        let memory = self.fresh()?;
        self.remember(&memory, first, a)?;
        Ok(memory.current)
    }

    fn since(&mut self, a: Term, b: Term) -> Result<Term, SystemError> {
        let memory = self.fresh()?;
        let holds = Term::or(&[b, Term::and(&[a, memory.current])]);
        self.remember(&memory, false, holds)?;
        Ok(holds)
    }

    /// At one of some steps ahead or back.
    fn within(&mut self, steps: Steps, a: Term, to: Direction) -> Result<Term, SystemError> {
        let mut holds = match (steps.high, to) {
            (None, Direction::Ahead) => self.until(Term::bool(true), a)?,
            (None, Direction::Back) => self.since(Term::bool(true), a)?,
            (Some(high), _) if high < steps.low => return Ok(Term::bool(false)),
            (Some(high), _) => {
                let mut holds = a;
                for _ in steps.low..high {
                    let beyond = self.move_once(holds, to)?;
                    holds = Term::or(&[a, beyond]);
                }
                holds
            }
        };
        for _ in 0..steps.low {
            holds = self.move_once(holds, to)?;
        }
        Ok(holds)
    }

    fn move_once(&mut self, a: Term, to: Direction) -> Result<Term, SystemError> {
        match to {
            Direction::Ahead => self.next(a),
            Direction::Back => self.yesterday(a, false),
        }
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Ahead,
    Back,
}
