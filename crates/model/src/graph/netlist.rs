//! A netlist: a graph with latches, constraints and bad signals.
//!
//! A run begins with every latch at its initial value (a free one at any) and goes on with the next
//! values; inputs are free at every step. Constraints are assumed at every step, up to and including the
//! step that is asked about. A bad signal that is true refutes: `bads` are what properties come to.

use super::gates::{Graph, Kind};
use super::signal::Signal;
use crate::origin::{Category, Origin};
use crate::term::Symbol;
use rustc_hash::FxHashMap;

/// The value of a latch at the first step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Init {
    /// False at the first step.
    Zero,
    /// True at the first step.
    One,
    /// Either; each run begins with one.
    Free,
}

impl Init {
    /// The value, unless any may be.
    pub fn value(self) -> Option<bool> {
        match self {
            Init::Zero => Some(false),
            Init::One => Some(true),
            Init::Free => None,
        }
    }
}

impl From<bool> for Init {
    fn from(value: bool) -> Init {
        if value { Init::One } else { Init::Zero }
    }
}

/// A bit of state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Latch {
    /// Its node in the graph.
    pub node: u32,
    /// Its value at the next step.
    pub next: Signal,
    /// Its value at the first step.
    pub init: Init,
}

/// A signal that the source has a name for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedSignal {
    /// As reports write it.
    pub name: String,
    /// The signal itself.
    pub signal: Signal,
    /// Where the source speaks of it.
    pub origin: Origin,
}

/// What the source says of inputs and latches: only what has a name or a place takes room.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    names: FxHashMap<u32, Symbol>,
    origins: FxHashMap<u32, Origin>,
}

impl Labels {
    /// The name of a node, if the source has one.
    pub fn name(&self, node: u32) -> Option<Symbol> {
        self.names.get(&node).copied()
    }

    /// Gives a node a name in place of a former one.
    pub fn set_name(&mut self, node: u32, name: Symbol) {
        self.names.insert(node, name);
    }

    /// Where the source speaks of a node, if it does.
    pub fn origin(&self, node: u32) -> Option<&Origin> {
        self.origins.get(&node)
    }

    /// Gives a node an origin in place of a former one.
    pub fn set_origin(&mut self, node: u32, origin: Origin) {
        self.origins.insert(node, origin);
    }

    /// Gives a node what another node of another netlist has.
    pub(super) fn copy(&mut self, node: u32, other: &Labels, from: u32) {
        if let Some(name) = other.name(from) {
            self.set_name(node, name);
        }
        if let Some(origin) = other.origin(from) {
            self.set_origin(node, origin.clone());
        }
    }
}

/// A transition system of bits.
#[derive(Clone, Debug, Default)]
pub struct Netlist {
    /// Inputs, latches and gates as nodes.
    pub graph: Graph,
    /// The node of each input.
    pub inputs: Vec<u32>,
    /// The state, by position.
    pub latches: Vec<Latch>,
    /// True at every step of every run that counts.
    pub constraints: Vec<Signal>,
    /// Never to be true.
    pub bads: Vec<NamedSignal>,
    /// What the source shows to the outside.
    pub outputs: Vec<NamedSignal>,
    /// Names and origins of inputs, latches and gates.
    pub labels: Labels,
}

impl Netlist {
    /// A new input, at the end of the list.
    pub fn add_input(&mut self) -> Signal {
        let input = self.graph.add_input();
        self.inputs.push(input.node());
        input
    }

    /// A latch that keeps its value until [`Netlist::set_next`] says otherwise.
    pub fn add_latch(&mut self, init: Init) -> Signal {
        let latch = self.graph.add_latch();
        let (node, next) = (latch.node(), latch);
        self.latches.push(Latch { node, next, init });
        latch
    }

    /// The next value of a latch, by its position.
    pub fn set_next(&mut self, latch: usize, next: Signal) {
        debug_assert!(next.index() < self.graph.len());
        self.latches[latch].next = next;
    }

    /// A bad signal without a place in a source.
    pub fn add_bad(&mut self, name: &str, signal: Signal) {
        let (name, origin) = (name.to_string(), Origin::generated());
        self.bads.push(NamedSignal {
            name,
            signal,
            origin,
        });
    }

    /// What people call an input or a latch: its name, or `i3` and `l3` for those at position 3.
    pub fn name(&self, node: u32) -> String {
        if let Some(name) = self.labels.name(node) {
            return name.to_string();
        }
        match self.graph.kind(node) {
            Kind::Input(position) => format!("i{position}"),
            Kind::Latch(position) => format!("l{position}"),
            Kind::And(..) => format!("g{node}"),
            Kind::Constant => "false".into(),
        }
    }

    /// What readers see of a node, one level down.
    pub fn given(&self, node: u32) -> String {
        let name = |signal: Signal| self.clause(&[signal]);
        match self.graph.kind(node) {
            Kind::And(a, b) => format!("{} & {}", name(a), name(b)),
            Kind::Latch(at) => name(self.latches[at as usize].next),
            Kind::Input(_) | Kind::Constant => self.name(node),
        }
    }

    /// What a latch becomes, or a gate is.
    pub fn definition(&self, node: u32) -> String {
        let given = self.given(node);
        match self.graph.kind(node) {
            Kind::Latch(_) => format!("next({}) = {given}", self.name(node)),
            _ => format!("{} = {given}", self.name(node)),
        }
    }

    /// Where an input or a latch comes from: its place in the source, or its name and position.
    pub fn origin(&self, node: u32) -> Origin {
        if let Some(origin) = self.labels.origin(node) {
            return origin.clone();
        }
        let (position, category) = match self.graph.kind(node) {
            Kind::Input(position) => (position, Category::Declaration),
            Kind::Latch(position) => (position, Category::Latch),
            Kind::And(..) => (node, Category::Gate),
            Kind::Constant => return Origin::generated(),
        };
        Origin::named(&self.name(node), position, category)
    }

    /// Every signal that something outside of the graph reads.
    pub fn roots(&self) -> impl Iterator<Item = Signal> {
        let bads = self.bads.iter().map(|one| one.signal);
        let outputs = self.outputs.iter().map(|one| one.signal);
        let next = self.latches.iter().map(|latch| latch.next);
        let constraints = self.constraints.iter().copied();
        bads.chain(outputs).chain(next).chain(constraints)
    }
}
