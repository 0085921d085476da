//! A finite system as a netlist: bit-blasting.
//!
//! Booleans are one bit, bit-vectors and enumerations (by position) their bits, integers words in two's
//! complement that are as wide as what their bounds or definitions allow. What has no bound is refused, with
//! the name of the variable.
//!
//! A system says what variables are at the first step and at the later ones. Terms are therefore read in
//! contexts: *init*, *step*, and *next*. The value of a variable is its step value where the latch `later`
//! is true (it is false at the first step only) and its init value otherwise. Two kinds of latches hold
//! the state:
//! - a *register* holds a variable itself: one whose step value reads nothing but previous values and whose
//!   init value is a constant or arbitrary. Its next value is its step value with present values in the
//!   place of previous ones: it is read in the context *next*.
//! - for everything else a latch holds the *previous* value, false at the first step, when nobody reads it.
//!
//! What is free is an input. Nothing restricts the bits: those of an enumeration that stand for no value
//! stand for the first, and bounds of free integers are those that constraints of the system demand at
//! every step, or those of a choice, which is read through them (`bounds.rs`).
//!
//! An integer that is stored has the width of its declared bounds, which nobody has proved. A bad signal is
//! therefore also true where a latch has no room for its next value: a proof shows that this never happens, and a
//! trace has to be replayed on the system, which decides whether it refutes.

mod formulas;
mod limits;
mod operators;

use crate::graph::netlist::{Init, NamedSignal, Netlist};
use crate::graph::number::{Number, WIDEST, range, width};
use crate::graph::signal::Signal;
use crate::graph::system_map::{LatchSource, SystemMap};
use crate::graph::words::{constant, resize};
use crate::sort::Sort;
use crate::system::{Mentions, Phase, Role, System, Variable};
use crate::term::{Symbol, Term};
use crate::value::Value;
pub use formulas::blast_formulas;
pub use limits::limits as integer_limits;
use limits::{declared, limits};
use operators::constant_code;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::sync::Arc;

/// A netlist that does what a system does, and the way back. Bad signal `i` is the negation of property
/// `i`.
#[derive(Clone, Debug)]
pub struct Blasted {
    /// Latches for what the system remembers, inputs for what is free.
    pub netlist: Netlist,
    /// Takes clauses and runs back to the system.
    pub map: SystemMap,
}

/// Why a system has no netlist.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotFinite {
    /// The variable that is to blame, if one is.
    pub variable: Option<Symbol>,
    /// For people: what has no fixed number of bits.
    pub why: String,
}

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.variable {
            Some(name) => write!(f, "`{name}` {}", self.why),
            None => f.write_str(&self.why),
        }
    }
}
impl std::error::Error for NotFinite {}

/// What may be assumed of what has no bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Guess {
    /// So many bits for stored integers that have no bounds and depend on their own past. As with
    /// declared bounds, what does not fit is bad, so that a proof shows that the guess was right.
    pub width: Option<u32>,
}

/// The netlist of a system in which everything that matters to properties and constraints is finite.
pub fn bit_blast(system: &System) -> Result<Blasted, NotFinite> {
    bit_blast_with(system, Guess::default())
}

/// As [`bit_blast`], with a guess for what has no bounds.
pub fn bit_blast_with(system: &System, guess: Guess) -> Result<Blasted, NotFinite> {
    let mut blaster = Blaster::new(system)?;
    blaster.guess = guess.width.map(|width| (width as usize).clamp(1, WIDEST));
    for element in system.elements() {
        let parts = [Phase::Init, Phase::Step].map(|phase| element.constraint(phase));
        let always = Term::bool(true);
        let [init, step] = parts.map(|part| part.unwrap_or(always));
        let constraint = blaster.at_every_step(init, step)?;
        if constraint != Signal::TRUE {
            blaster.netlist.constraints.push(constraint);
        }
    }
    for property in system.properties() {
        let signal = !blaster.at_every_step(property.term, property.term)?;
        let (name, origin) = (property.name.clone(), property.origin.clone());
        blaster.netlist.bads.push(NamedSignal {
            name,
            signal,
            origin,
        });
    }
    blaster.connect()?;
    let overflow = blaster.overflow;
    for bad in &mut blaster.netlist.bads {
        bad.signal = blaster.netlist.graph.or(bad.signal, overflow);
    }
    blaster.map.overflows = overflow != Signal::FALSE;
    let variables = system.variables().iter().map(|one| one.current);
    blaster.map.registers = variables
        .filter(|one| blaster.registers.contains(one))
        .collect();
    blaster.map.finish(system);
    let (netlist, map) = (blaster.netlist, blaster.map);
    Ok(Blasted { netlist, map })
}

/// How a term is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Context {
    /// At the first step.
    Init,
    /// At a later step: previous values are in latches.
    Step,
    /// At any step, of the step after it: previous values are the present ones.
    Next,
}

/// What a term has become.
#[derive(Clone, Debug)]
enum Code {
    Bit(Signal),
    /// A bit-vector, or the position of a value of an enumeration.
    Bits(Arc<[Signal]>),
    Number(Arc<Number>),
}

impl Code {
    fn signals(&self) -> &[Signal] {
        match self {
            Code::Bit(bit) => std::slice::from_ref(bit),
            Code::Bits(bits) => bits,
            Code::Number(number) => &number.bits,
        }
    }
}

/// The bits of a variable that is free or stored.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Bit,
    Bits(usize),
    /// So many values.
    Enum(usize),
    /// An integer of this width.
    Number(usize),
}

impl Shape {
    fn width(self) -> usize {
        match self {
            Shape::Bit => 1,
            Shape::Bits(width) | Shape::Number(width) => width,
            Shape::Enum(values) => enum_width(values),
        }
    }
}

/// A variable that latches hold, beginning with one position.
struct Stored {
    variable: Term,
    context: Context,
    first: usize,
    shape: Shape,
}

struct Blaster<'a> {
    system: &'a System,
    definitions: FxHashMap<(Term, Phase), Term>,
    registers: FxHashSet<Term>,
    /// What constraints say of integers at every step.
    limits: FxHashMap<Term, (i128, i128)>,
    /// The width of what has no bounds and depends on its own past.
    guess: Option<usize>,
    netlist: Netlist,
    known: FxHashMap<(Context, Term), Code>,
    /// What free variables are.
    free: FxHashMap<Term, Code>,
    /// What registers are.
    held: FxHashMap<Term, Code>,
    /// The latches whose next values are not connected yet.
    waiting: Vec<Stored>,
    later: Option<Signal>,
    overflow: Signal,
    map: SystemMap,
}

impl<'a> Blaster<'a> {
    fn new(system: &'a System) -> Result<Blaster<'a>, NotFinite> {
        let mut definitions = FxHashMap::default();
        for element in system.elements() {
            for definition in element.definitions() {
                for phase in [Phase::Init, Phase::Step] {
                    let Some(value) = definition.value(phase) else {
                        continue;
                    };
                    let place = (definition.variable, phase);
                    if definitions.insert(place, value).is_some() {
                        return Err(refuse(definition.variable, "is defined twice"));
                    }
                }
            }
        }
        let mut blaster = Blaster {
            system,
            registers: FxHashSet::default(),
            limits: limits(system),
            guess: None,
            definitions,
            netlist: Netlist::default(),
            known: FxHashMap::default(),
            free: FxHashMap::default(),
            held: FxHashMap::default(),
            waiting: Vec::new(),
            later: None,
            overflow: Signal::FALSE,
            map: SystemMap::default(),
        };
        let variables = system.variables().iter();
        let registers = variables.filter(|one| blaster.is_register(one));
        blaster.registers = registers.map(|one| one.current).collect();
        Ok(blaster)
    }

    fn definition(&self, variable: Term, phase: Phase) -> Option<Term> {
        self.definitions.get(&(variable, phase)).copied()
    }

    /// Whether a latch can hold the variable itself.
    fn is_register(&self, variable: &Variable) -> bool {
        let init = self.definition(variable.current, Phase::Init);
        let Some(step) = self.definition(variable.current, Phase::Step) else {
            return false;
        };
        if self.is_unbounded(variable) {
            // How wide it has to be is known when its value is.
            return false;
        }
        let reads = Mentions::of(step);
        let is_previous = |read: &Term| {
            let known = self.system.variable(*read);
            known.is_some_and(|known| known.previous == *read)
        };
        init.is_none_or(|init| init.as_const().is_some()) && reads.variables.iter().all(is_previous)
    }

    /// The value of a Boolean that is one term at the first step and one at the later ones.
    fn at_every_step(&mut self, init: Term, step: Term) -> Result<Signal, NotFinite> {
        let first = self.evaluate(Context::Init, init)?;
        let later = self.evaluate(Context::Step, step)?;
        let merged = self.merge(&first, &later);
        Ok(merged.signals()[0])
    }

    /// One at the first step, another at the later ones.
    fn merge(&mut self, init: &Code, step: &Code) -> Code {
        if init.signals() == step.signals() {
            return step.clone();
        }
        let later = match self.later {
            Some(later) => later,
            None => {
                let later = self.netlist.add_latch(Init::Zero);
                let position = self.netlist.latches.len() - 1;
                self.netlist.set_next(position, Signal::TRUE);
                self.map.latches.push(LatchSource::Later);
                *self.later.insert(later)
            }
        };
        let graph = &mut self.netlist.graph;
        match (step, init) {
            (Code::Bit(step), Code::Bit(init)) => Code::Bit(graph.mux(later, *step, *init)),
            (Code::Bits(step), Code::Bits(init)) => {
                Code::Bits(graph.choose(later, step, init).into())
            }
            (Code::Number(step), Code::Number(init)) => {
                Code::Number(Arc::new(graph.choose_number(later, step, init)))
            }
            _ => unreachable!("both have the sort of one term"),
        }
    }

    /// Connects the next values of all latches; more latches may turn up on the way.
    fn connect(&mut self) -> Result<(), NotFinite> {
        while let Some(stored) = self.waiting.pop() {
            let next = match stored.context {
                // A register takes its step value, read one step ahead.
                Context::Next => {
                    let step = self.definition(stored.variable, Phase::Step);
                    let step = step.unwrap_or_else(|| unreachable!("a register has a step value"));
                    self.evaluate(Context::Next, step)?
                }
                _ => self.present(stored.variable)?,
            };
            if let (Code::Number(number), Shape::Number(width)) = (&next, stored.shape) {
                let lost = self.netlist.graph.overflows(number, width);
                self.overflow = self.netlist.graph.or(self.overflow, lost);
            }
            let bits = resize(
                next.signals(),
                stored.shape.width().max(next.signals().len()),
            );
            for (at, bit) in bits.iter().enumerate().take(stored.shape.width()) {
                self.netlist.set_next(stored.first + at, *bit);
            }
        }
        Ok(())
    }

    /// The value of a variable at this step, the first or a later one.
    fn present(&mut self, variable: Term) -> Result<Code, NotFinite> {
        let init = self.evaluate(Context::Init, variable)?;
        let step = self.evaluate(Context::Step, variable)?;
        Ok(self.merge(&init, &step))
    }

    /// What a term is in a context. The walk has a stack of its own; depth costs no recursion.
    fn evaluate(&mut self, context: Context, root: Term) -> Result<Code, NotFinite> {
        let mut stack = vec![(context, root)];
        let mut open: FxHashSet<(Context, Term)> = FxHashSet::default();
        let mut missing = Vec::new();
        while let Some(&(context, term)) = stack.last() {
            if self.known.contains_key(&(context, term)) {
                stack.pop();
                continue;
            }
            missing.clear();
            self.needs(context, term, &mut missing);
            missing.retain(|need| !self.known.contains_key(need));
            if missing.is_empty() {
                let code = self.build(context, term)?;
                self.known.insert((context, term), code);
                open.remove(&(context, term));
                stack.pop();
                continue;
            }
            open.insert((context, term));
            if let Some((_, again)) = missing.iter().find(|need| open.contains(*need)) {
                let why = "needs its own value, or has no bounds and grows with its own past";
                return Err(refuse(self.blamed(*again, term), why));
            }
            stack.append(&mut missing);
        }
        Ok(self.known[&(context, root)].clone())
    }

    /// The variable of a cycle that people should hear of.
    fn blamed(&self, one: Term, other: Term) -> Term {
        let known = |term: Term| self.system.variable(term).map(|known| known.current);
        known(one).or_else(|| known(other)).unwrap_or(one)
    }

    /// What has to be known before a term.
    fn needs(&self, context: Context, term: Term, needs: &mut Vec<(Context, Term)>) {
        let Some(variable) = self.system.variable(term) else {
            needs.extend(term.args().iter().map(|arg| (context, *arg)));
            return;
        };
        let both = [Context::Init, Context::Step].map(|context| (context, variable.current));
        if variable.previous == term {
            match context {
                Context::Next => needs.extend(both),
                // How wide the latch must be follows from what it holds, unless it is guessed.
                _ if self.is_unbounded(variable) && self.guess.is_none() => needs.extend(both),
                _ => {}
            }
        } else if !self.registers.contains(&term) {
            let definition = self.definition(term, phase(context));
            needs.extend(definition.map(|value| (context, value)));
        }
    }

    fn is_unbounded(&self, variable: &Variable) -> bool {
        let declared = variable.bounds.is_some() || self.limits.contains_key(&variable.current);
        variable.sort() == Sort::Int && !declared
    }

    /// A term whose needs are known.
    fn build(&mut self, context: Context, term: Term) -> Result<Code, NotFinite> {
        let Some(variable) = self.system.variable(term) else {
            return self.operator(context, term);
        };
        let current = variable.current;
        if variable.previous == term {
            return match context {
                Context::Next => self.present(current),
                _ => self.before(variable),
            };
        }
        if self.registers.contains(&term) {
            return self.register(variable);
        }
        match self.definition(term, phase(context)) {
            Some(value) => Ok(self.known[&(context, value)].clone()),
            None => self.free(variable),
        }
    }

    /// The bits of a variable that is free.
    fn free(&mut self, variable: &Variable) -> Result<Code, NotFinite> {
        if let Some(known) = self.free.get(&variable.current) {
            return Ok(known.clone());
        }
        let shape = self.free_shape(variable)?;
        let mut raw = Vec::new();
        for bit in 0..shape.width() {
            let input = self.netlist.add_input();
            self.label(input, variable, bit, shape.width());
            self.map.inputs.push((variable.current, bit as u32));
            raw.push(input);
        }
        let code = self.read(shape, raw);
        self.free.insert(variable.current, code.clone());
        Ok(code)
    }

    fn free_shape(&self, variable: &Variable) -> Result<Shape, NotFinite> {
        let declared = match variable.role {
            Role::Choice => declared(variable),
            _ => None,
        };
        let limits = self.limits.get(&variable.current).copied().or(declared);
        self.shape(
            variable,
            limits,
            "is free and has no bounds that are assumed",
        )
    }

    fn shape(
        &self,
        variable: &Variable,
        limits: Option<(i128, i128)>,
        why: &str,
    ) -> Result<Shape, NotFinite> {
        match variable.sort() {
            Sort::Bool => Ok(Shape::Bit),
            Sort::BitVec(width) => Ok(Shape::Bits(width as usize)),
            Sort::Enum(sort) => Ok(Shape::Enum(sort.values().len())),
            Sort::Real => Err(refuse(variable.current, "is a real number")),
            Sort::Int => {
                let Some((low, high)) = limits else {
                    return Err(refuse(variable.current, why));
                };
                let width = width(low, high);
                match width <= WIDEST {
                    true => Ok(Shape::Number(width)),
                    false => Err(refuse(variable.current, "has bounds of more than 64 bits")),
                }
            }
        }
    }

    /// What bits of a shape stand for, whatever they are.
    fn read(&mut self, shape: Shape, raw: Vec<Signal>) -> Code {
        match shape {
            Shape::Bit => Code::Bit(raw[0]),
            Shape::Bits(_) => Code::Bits(raw.into()),
            Shape::Number(width) => {
                let (low, high) = range(width);
                let bits = raw;
                Code::Number(Arc::new(Number { bits, low, high }))
            }
            Shape::Enum(values) => {
                let graph = &mut self.netlist.graph;
                let last = constant(values as i128 - 1, raw.len());
                let valid = graph.unsigned_le(&raw, &last);
                let bits = raw.iter().map(|bit| graph.and(*bit, valid));
                Code::Bits(bits.collect())
            }
        }
    }

    fn label(&mut self, signal: Signal, variable: &Variable, bit: usize, width: usize) {
        let name = match width {
            1 => variable.name,
            _ => Symbol::new(&format!("{}[{bit}]", variable.name)),
        };
        self.netlist.labels.set_name(signal.node(), name);
        let origin = variable.origin.clone();
        self.netlist.labels.set_origin(signal.node(), origin);
    }

    /// The latches that hold a variable itself.
    fn register(&mut self, variable: &Variable) -> Result<Code, NotFinite> {
        if let Some(known) = self.held.get(&variable.current) {
            return Ok(known.clone());
        }
        let init = self.definition(variable.current, Phase::Init);
        let shape = match init {
            None => self.free_shape(variable)?,
            Some(_) => self.stored_shape(variable)?,
        };
        let values = match init.and_then(Term::as_const) {
            None => vec![Init::Free; shape.width()],
            Some(value) => self.initial(variable, value, shape)?,
        };
        let first = self.netlist.latches.len();
        let mut raw = Vec::new();
        for (bit, init) in values.into_iter().enumerate() {
            let latch = self.netlist.add_latch(init);
            self.label(latch, variable, bit, shape.width());
            let (variable, bit) = (variable.current, bit as u32);
            self.map
                .latches
                .push(LatchSource::Register { variable, bit });
            raw.push(latch);
        }
        self.waiting.push(Stored {
            variable: variable.current,
            context: Context::Next,
            first,
            shape,
        });
        let code = self.read(shape, raw);
        self.held.insert(variable.current, code.clone());
        Ok(code)
    }

    /// The first values of a register; they have to fit.
    fn initial(
        &mut self,
        variable: &Variable,
        value: &Value,
        shape: Shape,
    ) -> Result<Vec<Init>, NotFinite> {
        let code = constant_code(value)
            .ok_or_else(|| refuse(variable.current, "begins with a value that has no bits"))?;
        if let (Code::Number(number), Shape::Number(width)) = (&code, shape)
            && number.bits.len() > width
        {
            return Err(refuse(variable.current, "begins outside of its bounds"));
        }
        let bits = resize(code.signals(), shape.width());
        let bits = bits.iter().map(|bit| Init::from(*bit == Signal::TRUE));
        Ok(bits.collect())
    }

    /// How a variable is stored: integers by their bounds, or by all that they can be.
    fn stored_shape(&self, variable: &Variable) -> Result<Shape, NotFinite> {
        let limits = self.limits.get(&variable.current).copied();
        let limits = declared(variable).or(limits).or_else(|| {
            let init = self.known.get(&(Context::Init, variable.current))?;
            let step = self.known.get(&(Context::Step, variable.current))?;
            match (init, step) {
                (Code::Number(a), Code::Number(b)) => Some((a.low.min(b.low), a.high.max(b.high))),
                _ => None,
            }
        });
        let limits = limits.or(self.guess.map(range));
        self.shape(variable, limits, "is an integer without bounds")
    }

    /// The latches that hold what a variable was at the step before.
    fn before(&mut self, variable: &Variable) -> Result<Code, NotFinite> {
        let shape = self.stored_shape(variable)?;
        let first = self.netlist.latches.len();
        let mut raw = Vec::new();
        for bit in 0..shape.width() {
            let latch = self.netlist.add_latch(Init::Zero);
            self.label(latch, variable, bit, shape.width());
            let (variable, bit) = (variable.current, bit as u32);
            self.map.latches.push(LatchSource::Before { variable, bit });
            raw.push(latch);
        }
        self.waiting.push(Stored {
            variable: variable.current,
            context: Context::Step,
            first,
            shape,
        });
        Ok(match shape {
            // What is stored is a value, so that no bits have to be ruled out.
            Shape::Enum(_) => Code::Bits(raw.into()),
            _ => self.read(shape, raw),
        })
    }
}

fn phase(context: Context) -> Phase {
    match context {
        Context::Init => Phase::Init,
        Context::Step | Context::Next => Phase::Step,
    }
}

fn refuse(variable: Term, why: &str) -> NotFinite {
    NotFinite {
        variable: variable.as_var(),
        why: why.into(),
    }
}

/// How many bits tell so many values apart; at least one.
pub fn enum_width(values: usize) -> usize {
    (values - 1)
        .checked_ilog2()
        .map_or(1, |log| log as usize + 1)
}
