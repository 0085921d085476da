//! The state of all runs that are at one place of the program: a guard, and memory as words of inputs.
//!
//! Where runs part, the state is copied, which is cheap: objects are shared until one is written. Where they meet, each byte that
//! differs becomes a choice. What decides the choice is the literal by which the two guards part, not the
//! guards themselves: formulas stay small, and equal ones are found equal.

use super::value::{Targets, Value};
use proofmark_model::graph::{Graph, Signal};
use std::rc::Rc;

/// A byte, least significant bit first, and whether it is part of a pointer to an object: a number that looks like one
/// leads nowhere.
pub(super) type Byte = [Signal; 9];

/// A byte of zeros.
pub(super) const ZERO: Byte = [Signal::FALSE; 9];

/// What an object holds.
#[derive(Clone, Debug)]
pub(super) struct Content {
    pub(super) bytes: Vec<Byte>,
    /// What the pointers in it may lead to.
    pub(super) targets: Targets,
    /// Whether it can be accessed.
    pub(super) live: Signal,
}

/// The condition under which runs are at a place: a conjunction, as it grew.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    /// The literals, each with the conjunction of all up to it.
    literals: Vec<(Signal, Signal)>,
}

impl Guard {
    /// The whole condition.
    pub(super) fn all(&self) -> Signal {
        self.literals.last().map_or(Signal::TRUE, |(_, all)| *all)
    }

    pub(super) fn push(&mut self, graph: &mut Graph, literal: Signal) {
        if literal != Signal::TRUE {
            let all = graph.and(self.all(), literal);
            self.literals.push((literal, all));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.literals.len()
    }

    /// Takes back what was pushed since there were so many literals.
    pub(super) fn truncate(&mut self, len: usize) {
        self.literals.truncate(len);
    }

    /// What the literals say of a signal.
    pub(super) fn decides(&self, signal: Signal) -> Option<bool> {
        let same = |(literal, _): &&(Signal, Signal)| literal.node() == signal.node();
        let found = self.literals.iter().rev().find(same);
        found.map(|(literal, _)| *literal == signal)
    }

    /// The first of so many nodes, from the first of the graph on, that the guard has as they are.
    pub(super) fn chosen(&self, nodes: u32) -> Option<u32> {
        let is_chosen =
            |literal: &Signal| !literal.is_complemented() && (1..=nodes).contains(&literal.node());
        let literals = self.literals.iter().map(|(literal, _)| *literal);
        literals.filter(is_chosen).map(Signal::node).next()
    }

    fn from(&self, start: usize) -> Vec<Signal> {
        let rest = &self.literals[start..];
        rest.iter().map(|(literal, _)| *literal).collect()
    }
}

/// All runs that are at one place.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) guard: Guard,
    /// By the number of the object; nothing for what was never made, or is gone for good.
    pub(super) objects: Vec<Option<Rc<Content>>>,
    /// What the call returns, once it has returned.
    pub(super) result: Option<Value>,
}

impl State {
    pub(super) fn object(&self, object: u32) -> Option<&Rc<Content>> {
        self.objects.get(object as usize)?.as_ref()
    }

    pub(super) fn set(&mut self, object: u32, content: Content) {
        let at = object as usize;
        if self.objects.len() <= at {
            self.objects.resize(at + 1, None);
        }
        self.objects[at] = Some(Rc::new(content));
    }

    pub(super) fn remove(&mut self, object: u32) {
        if let Some(slot) = self.objects.get_mut(object as usize) {
            *slot = None;
        }
    }

    /// The runs of both states, which have none in common.
    pub(super) fn merge(self, graph: &mut Graph, other: State) -> State {
        let (guard, selector) = meet(graph, self.guard, &other.guard);
        let result = match (self.result, other.result) {
            (Some(a), Some(b)) => Some(Value::choose(graph, selector, &a, &b)),
            (a, b) => a.or(b),
        };
        let mut objects = self.objects;
        let count = objects.len().max(other.objects.len());
        objects.resize(count, None);
        for (mine, theirs) in objects.iter_mut().zip(other.objects) {
            let Some(theirs) = theirs else { continue };
            match mine {
                // No run of the other side has a pointer to it.
                None => *mine = Some(theirs),
                Some(content) if Rc::ptr_eq(content, &theirs) => {}
                Some(content) => {
                    *content = Rc::new(merge_contents(graph, selector, content, &theirs));
                }
            }
        }
        State {
            guard,
            objects,
            result,
        }
    }
}

fn merge_contents(graph: &mut Graph, selector: Signal, a: &Content, b: &Content) -> Content {
    let pairs = a.bytes.iter().zip(&b.bytes);
    let bytes = pairs.map(|(a, b)| choose_byte(graph, selector, a, b));
    Content {
        bytes: bytes.collect(),
        targets: a.targets.union(&b.targets),
        live: graph.mux(selector, a.live, b.live),
    }
}

pub(super) fn choose_byte(graph: &mut Graph, condition: Signal, a: &Byte, b: &Byte) -> Byte {
    if a == b {
        return *a;
    }
    std::array::from_fn(|at| graph.mux(condition, a[at], b[at]))
}

/// The guard of two states together, and a signal that is true in the runs of the first and false in
/// those of the second.
fn meet(graph: &mut Graph, mut a: Guard, b: &Guard) -> (Guard, Signal) {
    let pairs = a.literals.iter().zip(&b.literals);
    let common = pairs.take_while(|(a, b)| a.0 == b.0).count();
    let (rest, other) = (a.from(common), b.from(common));
    let parting = rest.iter().find(|literal| other.contains(&!**literal));
    let (mine, theirs) = (graph.and_all(&rest), graph.and_all(&other));
    let selector = parting.copied().unwrap_or(mine);
    a.truncate(common);
    let either = graph.or(mine, theirs);
    a.push(graph, either);
    (a, selector)
}
