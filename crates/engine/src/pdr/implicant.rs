//! From one transition to many: which conditions on the state before made it possible?
//!
//! A solver's model gives one state, one choice of inputs and the goals they lead to. Walking the
//! goals backwards through the equations, and taking at each operator only what the model needs (one
//! disjunct that is true, the branch that was taken and its condition), leaves literals over the
//! state before. Every state that satisfies them reaches the goals with the same inputs. Inputs are
//! fixed to their values; projecting them out would give more states, but costs more than it gives
//! where inputs are mostly Boolean.

use proofmark_model::{Environment, Evaluator, Function, Op, Phase, Sort, System, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the equations say about the next state.
pub struct Backwards {
    /// The value of a current variable by its step part.
    definitions: FxHashMap<Term, Term>,
    /// From the previous to the current term of a variable.
    current: FxHashMap<Term, Term>,
    /// Current variables that no step part defines.
    pub free: Vec<Term>,
    /// Demands of the step parts that define nothing.
    pub constraints: Vec<Term>,
}

impl Backwards {
    pub fn new(system: &System) -> Backwards {
        let mut definitions = FxHashMap::default();
        let mut constraints = Vec::new();
        for element in system.elements() {
            for definition in element.definitions() {
                if let Some(step) = definition.step {
                    definitions.insert(definition.variable, step);
                }
            }
            constraints.extend(element.constraint(Phase::Step));
        }
        let variables = system.variables();
        let current = variables
            .iter()
            .map(|variable| (variable.previous, variable.current))
            .collect();
        let free = variables.iter().map(|variable| variable.current);
        let free = free
            .filter(|variable| !definitions.contains_key(variable))
            .collect();
        Backwards {
            definitions,
            current,
            free,
            constraints,
        }
    }

    /// Literals over the state (as current variables) that lead to the goals, which are true in
    /// the transition of `values` (of previous and of free current variables).
    pub fn implicant(&self, goals: &[Term], values: &FxHashMap<Term, Value>) -> Option<Vec<Term>> {
        let environment = Transition {
            values,
            definitions: &self.definitions,
        };
        let evaluator = Evaluator::new(&environment);
        let mut walk = Walk {
            backwards: self,
            values,
            evaluator,
            seen: FxHashSet::default(),
            resolved: FxHashMap::default(),
            waiting: goals.to_vec(),
            literals: Vec::new(),
        };
        while let Some(term) = walk.waiting.pop() {
            walk.demand(term)?;
        }
        let mut literals = walk.literals;
        let mut known = FxHashSet::default();
        literals.retain(|literal| known.insert(*literal));
        Some(literals)
    }
}

struct Transition<'a> {
    values: &'a FxHashMap<Term, Value>,
    definitions: &'a FxHashMap<Term, Term>,
}

impl Environment for Transition<'_> {
    fn variable(&self, variable: Term) -> Option<Value> {
        if self.definitions.contains_key(&variable) {
            return None;
        }
        let value = self.values.get(&variable).cloned();
        Some(value.unwrap_or_else(|| Value::default_of(variable.sort())))
    }

    fn function(&self, _: Function, _: &[Value]) -> Option<Value> {
        None
    }

    fn definition(&self, variable: Term) -> Option<Term> {
        self.definitions.get(&variable).copied()
    }
}

struct Walk<'a> {
    backwards: &'a Backwards,
    values: &'a FxHashMap<Term, Value>,
    evaluator: Evaluator<'a, Transition<'a>>,
    seen: FxHashSet<Term>,
    /// Numbers and other values without conditionals and inputs.
    resolved: FxHashMap<Term, Term>,
    /// Boolean terms that are true and must stay so.
    waiting: Vec<Term>,
    literals: Vec<Term>,
}

impl Walk<'_> {
    fn is_true(&mut self, term: Term) -> Option<bool> {
        self.evaluator.value(term).ok()?.as_bool()
    }

    /// The term or its negation, whichever is true.
    fn as_it_is(&mut self, term: Term) -> Option<Term> {
        Some(if self.is_true(term)? {
            term
        } else {
            term.not()
        })
    }

    /// Takes apart a Boolean term that is true.
    fn demand(&mut self, term: Term) -> Option<()> {
        if !self.seen.insert(term) {
            return Some(());
        }
        let (positive, atom) = match term.op() {
            Op::Not => (false, term.args()[0]),
            _ => (true, term),
        };
        let args = atom.args();
        match (atom.op(), positive) {
            (Op::Const(_), _) => {}
            (Op::Var(_), _) => self.variable(atom, positive),
            (Op::And, true) => self.waiting.extend(args),
            (Op::Or, false) => self.waiting.extend(args.iter().map(|arg| arg.not())),
            (Op::Or, true) => {
                let part = self.first(args, true)?;
                self.waiting.push(part);
            }
            (Op::And, false) => {
                let part = self.first(args, false)?;
                self.waiting.push(part.not());
            }
            (Op::Ite, _) => {
                let condition = self.as_it_is(args[0])?;
                let branch = if self.is_true(args[0])? {
                    args[1]
                } else {
                    args[2]
                };
                self.waiting
                    .extend([condition, if positive { branch } else { branch.not() }]);
            }
            (Op::Eq, _) if args[0].sort() == Sort::Bool => {
                let (a, b) = (self.as_it_is(args[0])?, self.as_it_is(args[1])?);
                self.waiting.extend([a, b]);
            }
            (Op::Eq, false) if args[0].sort().is_arithmetic() => {
                // Different means less or greater; the model knows which.
                let (a, b) = (args[0], args[1]);
                let less = self.is_true(a.le(b))?;
                let (small, large) = if less { (a, b) } else { (b, a) };
                self.comparison(large.le(small), false)?;
            }
            (Op::Eq, true) if args[0].sort().is_arithmetic() => {
                self.comparison(args[0].le(args[1]), true)?;
                self.comparison(args[1].le(args[0]), true)?;
            }
            _ => self.comparison(atom, positive)?,
        }
        Some(())
    }

    /// Some argument with this truth value, one already demanded if there is one.
    fn first(&mut self, args: &[Term], truth: bool) -> Option<Term> {
        let mut found = None;
        for &arg in args {
            if self.is_true(arg)? == truth {
                let demanded = if truth { arg } else { arg.not() };
                if self.seen.contains(&demanded) {
                    return Some(arg);
                }
                found.get_or_insert(arg);
            }
        }
        found
    }

    fn variable(&mut self, variable: Term, positive: bool) {
        let literal = |term: Term| if positive { term } else { term.not() };
        if let Some(&definition) = self.backwards.definitions.get(&variable) {
            self.waiting.push(literal(definition));
        } else if let Some(&current) = self.backwards.current.get(&variable) {
            self.literals.push(literal(current));
        }
        // What is free keeps its value.
    }

    /// An atom over values that are not Boolean.
    fn comparison(&mut self, atom: Term, positive: bool) -> Option<()> {
        let args: Option<Vec<Term>> = atom.args().iter().map(|arg| self.resolve(*arg)).collect();
        let atom = Term::build(atom.op().clone(), &args?).ok()?;
        if atom.as_const().is_none() {
            self.literals.push(if positive { atom } else { atom.not() });
        }
        Some(())
    }

    /// A value over the state before: conditionals decided (their conditions are demanded), inputs
    /// replaced by their values.
    fn resolve(&mut self, root: Term) -> Option<Term> {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.resolved.contains_key(&term) {
                stack.pop();
                continue;
            }
            let needed: Vec<Term> = match term.op() {
                Op::Var(_) => self
                    .backwards
                    .definitions
                    .get(&term)
                    .copied()
                    .into_iter()
                    .collect(),
                Op::Ite => {
                    let condition = self.as_it_is(term.args()[0])?;
                    self.waiting.push(condition);
                    let branch = if self.is_true(term.args()[0])? { 1 } else { 2 };
                    vec![term.args()[branch]]
                }
                _ if term.sort() == Sort::Bool => return None,
                _ => term.args().to_vec(),
            };
            let before = stack.len();
            stack.extend(
                needed
                    .iter()
                    .filter(|part| !self.resolved.contains_key(part)),
            );
            if stack.len() > before {
                continue;
            }
            let resolved = match term.op() {
                Op::Var(_) | Op::Ite if !needed.is_empty() => self.resolved[&needed[0]],
                Op::Var(_) => self.leaf(term),
                Op::Const(_) => term,
                op => {
                    let args: Vec<Term> = needed.iter().map(|part| self.resolved[part]).collect();
                    Term::build(op.clone(), &args).ok()?
                }
            };
            self.resolved.insert(term, resolved);
            stack.pop();
        }
        self.resolved.get(&root).copied()
    }

    fn leaf(&self, variable: Term) -> Term {
        if let Some(&current) = self.backwards.current.get(&variable) {
            return current;
        }
        let value = self.values.get(&variable).cloned();
        Term::constant(value.unwrap_or_else(|| Value::default_of(variable.sort())))
    }
}
