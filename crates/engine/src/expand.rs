//! Properties and invariants in terms of the state.
//!
//! A property is often a variable, `OK`, that an equation defines by others of the same step. In an
//! induction the first state is arbitrary and no equation holds in it, so that `OK` says nothing
//! there. Replacing variables by their definitions, where these read nothing of the step before and
//! are the same at the first step and later, says in the first state what was meant.

use proofmark_model::{Body, Mentions, Op, System, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Replaces what is defined within a step by its definition, as far as that goes.
pub struct Expander {
    definitions: FxHashMap<Term, Term>,
    known: FxHashMap<Term, Term>,
}

impl Expander {
    pub fn new(system: &System) -> Expander {
        let previous: FxHashSet<Term> = system
            .variables()
            .iter()
            .map(|variable| variable.previous)
            .collect();
        let mut definitions = FxHashMap::default();
        for element in system.elements() {
            let Body::Define(definition) = &element.body else {
                continue;
            };
            let (Some(init), Some(step)) = (definition.init, definition.step) else {
                continue;
            };
            if init != step || !element.auxiliaries.is_empty() {
                continue;
            }
            let mut mentions = Mentions::default();
            mentions.add(step);
            if mentions.variables.is_disjoint(&previous) {
                definitions.insert(definition.variable, step);
            }
        }
        Expander {
            definitions,
            known: FxHashMap::default(),
        }
    }

    /// The term over what is not defined within a step. Systems are causal, so this ends.
    pub fn expand(&mut self, root: Term) -> Term {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.known.contains_key(&term) {
                stack.pop();
                continue;
            }
            let definition = self.definitions.get(&term);
            let before = stack.len();
            let needed = definition.into_iter().chain(term.args());
            stack.extend(needed.filter(|part| !self.known.contains_key(part)));
            if stack.len() > before {
                continue;
            }
            let expanded = match (definition, term.op()) {
                (Some(definition), _) => self.known[definition],
                (None, Op::Var(_) | Op::Const(_)) => term,
                (None, op) => {
                    let args: Vec<Term> = term.args().iter().map(|arg| self.known[arg]).collect();
                    // The sorts are those of the original.
                    Term::build(op.clone(), &args).unwrap_or(term)
                }
            };
            self.known.insert(term, expanded);
            stack.pop();
        }
        self.known[&root]
    }
}
