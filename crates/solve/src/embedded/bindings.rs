//! Bindings: an assertion `x = t` about a new variable is a definition, not a constraint.
//!
//! When nothing has mentioned `x` before and `t` does not lead back to `x`, the equation holds for
//! exactly one value of `x` whatever the rest says. It is then enough to read `t` for `x` from now
//! on: no gate, no unknown, no clause, and what nothing asks for is never encoded (an unrolled
//! transition relation shrinks to the cone of the question). Values of `x` are computed from `t` on
//! demand. A binding lives as long as the scope of its assertion; assumptions never bind, so cores
//! stay exact. Within a batch of assertions a depth-first search keeps the definitions acyclic.

use proofmark_model::{Op, Sort, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a variable stands for, and the scope of the assertion that says so.
#[derive(Clone, Copy)]
pub(super) struct Binding {
    pub(super) definition: Term,
    pub(super) scope: u32,
}

pub(super) type Bindings = FxHashMap<Term, Binding>;

/// Which variables may still be bound, and which are.
#[derive(Default)]
pub(super) struct Binder {
    /// Terms that an assertion, an assumption or a definition has mentioned, with all that is in
    /// them.
    mentioned: FxHashSet<Term>,
    mentioned_log: Vec<Term>,
    bound_log: Vec<Term>,
    scopes: Vec<(usize, usize)>,
}

/// A definition under examination.
struct Candidate {
    definition: Term,
    /// The assertion that it comes from.
    conjunct: usize,
    state: State,
}

#[derive(PartialEq)]
enum State {
    New,
    Open,
    Closed,
    /// It leads back to itself.
    Cyclic,
}

impl Binder {
    pub(super) fn push(&mut self) {
        self.scopes
            .push((self.mentioned_log.len(), self.bound_log.len()));
    }

    pub(super) fn pop(&mut self, bindings: &mut Bindings) {
        let Some((mentioned, bound)) = self.scopes.pop() else {
            return;
        };
        for term in self.mentioned_log.drain(mentioned..) {
            self.mentioned.remove(&term);
        }
        for variable in self.bound_log.drain(bound..) {
            bindings.remove(&variable);
        }
    }

    /// Notes that a term is used, so that nothing in it can be bound any more.
    pub(super) fn mention(&mut self, root: Term) {
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if self.mentioned.insert(term) {
                self.mentioned_log.push(term);
                stack.extend(term.args());
            }
        }
    }

    /// Splits assertions into conjuncts and takes the definitions out of them; returns the rest.
    /// A variable that is encoded already is not bound.
    pub(super) fn bind(
        &mut self,
        assertions: &[Term],
        bindings: &mut Bindings,
        is_encoded: impl Fn(Term) -> bool,
    ) -> Vec<Term> {
        let scope = self.scopes.len() as u32;
        let mut candidates: FxHashMap<Term, Candidate> = FxHashMap::default();
        let mut order = Vec::new();
        let mut conjuncts = Vec::new();
        let mut stack: Vec<Term> = assertions.iter().rev().copied().collect();
        while let Some(term) = stack.pop() {
            let term = without_false_parts(term, bindings, &candidates);
            match split(term) {
                Some(parts) => stack.extend(parts.into_iter().rev()),
                None => {
                    let free = |variable: Term| {
                        !self.mentioned.contains(&variable)
                            && !candidates.contains_key(&variable)
                            && !is_encoded(variable)
                    };
                    if let Some((variable, definition)) = definition(term, free) {
                        let conjunct = conjuncts.len();
                        order.push(variable);
                        candidates.insert(
                            variable,
                            Candidate {
                                definition,
                                conjunct,
                                state: State::New,
                            },
                        );
                    }
                    conjuncts.push(term);
                }
            }
        }
        for &variable in &order {
            self.visit(variable, &mut candidates);
        }
        let mut bound = vec![false; conjuncts.len()];
        for variable in order {
            let candidate = &candidates[&variable];
            if candidate.state == State::Closed {
                bindings.insert(
                    variable,
                    Binding {
                        definition: candidate.definition,
                        scope,
                    },
                );
                self.bound_log.push(variable);
                bound[candidate.conjunct] = true;
            }
        }
        let rest = conjuncts
            .into_iter()
            .zip(bound)
            .filter(|(_, bound)| !bound)
            .map(|(term, _)| term);
        let rest: Vec<Term> = rest.collect();
        for &term in &rest {
            self.mention(term);
        }
        rest
    }

    /// Depth-first through terms and through the definitions of candidates.
    fn visit(&mut self, root: Term, candidates: &mut FxHashMap<Term, Candidate>) {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.mentioned.contains(&term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            match candidates.get_mut(&term) {
                Some(candidate) if candidate.state == State::New => {
                    candidate.state = State::Open;
                    let definition = candidate.definition;
                    self.descend(definition, &mut stack, candidates);
                    continue;
                }
                Some(candidate) if candidate.state == State::Open => {
                    candidate.state = State::Closed
                }
                Some(_) => {}
                None => {
                    for &arg in term.args() {
                        self.descend(arg, &mut stack, candidates);
                    }
                }
            }
            if stack.len() == before {
                self.mentioned.insert(term);
                self.mentioned_log.push(term);
                stack.pop();
            }
        }
    }

    /// Goes into a part of the term at hand, unless that leads back to an open definition.
    fn descend(
        &self,
        part: Term,
        stack: &mut Vec<Term>,
        candidates: &mut FxHashMap<Term, Candidate>,
    ) {
        if self.mentioned.contains(&part) {
            return;
        }
        match candidates.get_mut(&part) {
            Some(candidate) if candidate.state != State::New => candidate.state = State::Cyclic,
            _ => stack.push(part),
        }
    }
}

/// The parts of a conjunction.
fn split(term: Term) -> Option<Vec<Term>> {
    match term.op() {
        Op::And => Some(term.args().to_vec()),
        Op::Not if *term.args()[0].op() == Op::Or => {
            Some(term.args()[0].args().iter().map(|arg| arg.not()).collect())
        }
        _ => None,
    }
}

/// A disjunction without the parts that a binding makes false at sight.
fn without_false_parts(
    term: Term,
    bindings: &Bindings,
    candidates: &FxHashMap<Term, Candidate>,
) -> Term {
    if *term.op() != Op::Or {
        return term;
    }
    let constant = |variable: Term| {
        // A constant definition can not be cyclic.
        let bound = bindings.get(&variable).map(|binding| binding.definition);
        let definition = bound.or_else(|| Some(candidates.get(&variable)?.definition))?;
        definition.as_const().and_then(Value::as_bool)
    };
    let is_false = |part: &Term| match part.op() {
        Op::Not => constant(part.args()[0]) == Some(true),
        _ => constant(*part) == Some(false),
    };
    if !term.args().iter().any(is_false) {
        return term;
    }
    let kept: Vec<Term> = term
        .args()
        .iter()
        .copied()
        .filter(|part| !is_false(part))
        .collect();
    Term::or(&kept)
}

/// The variable that an assertion defines, and as what.
fn definition(term: Term, free: impl Fn(Term) -> bool) -> Option<(Term, Term)> {
    let candidate = |variable: Term| variable.as_var().is_some() && free(variable);
    match term.op() {
        Op::Var(_) if free(term) => Some((term, Term::bool(true))),
        Op::Not => {
            let inner = term.args()[0];
            if candidate(inner) {
                return Some((inner, Term::bool(false)));
            }
            let [a, b] = *inner.args() else { return None };
            if *inner.op() != Op::Eq || a.sort() != Sort::Bool {
                return None;
            }
            if candidate(a) {
                return Some((a, b.not()));
            }
            candidate(b).then(|| (b, a.not()))
        }
        Op::Eq => {
            let [a, b] = *term.args() else { return None };
            if candidate(a) {
                return Some((a, b));
            }
            candidate(b).then_some((b, a))
        }
        _ => None,
    }
}
