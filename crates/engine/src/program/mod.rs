//! A program within a bound as one formula: every run of it is an assignment to the inputs of an and-inverter graph.
//!
//! The way of CBMC (Clarke, Kroening and Lerda, "A Tool for Checking ANSI-C Programs", 2004): loops and calls are unrolled up
//! to a bound, and every statement is executed once for all runs that come to it, with a word of signals for every value.
//! What is known folds away while it is built, so that loops with constant counters cost their bodies and nothing
//! else. Memory is read and written through the sets of objects that a pointer may lead to.
//!
//! All mutants are in the formula, each with a selector ([`Formula::selectors`]); no two hold at a time. What
//! mutants have in common, which is nearly everything, is there once.
//!
//! A [`Violation`] is a signal: some run, in which it is true, fails a check. Whoever asks for one check alone
//! has to leave out runs that are over before ([`Violation::over`]); whoever asks for any does not.

mod arithmetic;
mod expression;
mod memory;
mod state;
mod statement;
mod value;

use self::memory::to_bytes;
use self::state::{Byte, Content, State, ZERO};
use self::value::{Targets, Value, word};
use proofmark_model::graph::{Graph, Netlist, Signal, Word};
use proofmark_model::program::{
    Bounds, Check, CheckKind, Checks, FunctionId, Initial, InitialPiece, InputReason, LabelId,
    MutantId, Program, VariableId, pointer,
};
use proofmark_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is encoded of a program.
pub struct EncodeOptions<'a> {
    /// Which checks count.
    pub checks: &'a Checks,
    /// How far loops and calls go.
    pub bounds: &'a Bounds,
    /// The mutants that take part.
    pub mutants: &'a FxHashSet<MutantId>,
    /// The most nodes of the graph.
    pub most_nodes: usize,
    /// Whether to give up.
    pub stop: &'a dyn Fn() -> bool,
}

/// Why there is no formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// It would have more nodes than it may.
    Nodes,
    /// There are more objects than pointers have room for.
    Objects,
    /// An object has too many bytes.
    Object(Span, u64),
    /// Too many calls are open.
    Depth(Span),
    /// Somebody asked to give up.
    Asked,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Nodes => f.write_str("the formula is too large at this bound"),
            Stop::Objects => f.write_str("there are more objects than pointers have room for"),
            Stop::Object(_, bytes) => write!(f, "an object of {bytes} bytes is too large"),
            Stop::Depth(_) => f.write_str("too many calls are open at a time"),
            Stop::Asked => f.write_str("the time is up"),
        }
    }
}

/// Bytes that nothing determines, in the order in which a run meets them.
#[derive(Clone, Debug)]
pub struct FormulaInput {
    /// Eight for each byte.
    pub bits: Vec<Signal>,
    /// When a run meets it.
    pub guard: Signal,
    /// Why it is there.
    pub reason: InputReason,
    /// Where it is.
    pub place: Span,
}

/// That a check fails.
#[derive(Clone, Debug)]
pub struct Violation {
    /// Which.
    pub check: Check,
    /// When.
    pub signal: Signal,
    /// When the run was over before: it does not come here then, whatever the signal is.
    pub over: Signal,
}

/// All runs of a program within a bound.
#[derive(Debug)]
pub struct Formula {
    /// The graph, with the inputs in the order in which they were made.
    pub netlist: Netlist,
    /// A signal a mutant that takes part.
    pub selectors: Vec<(MutantId, Signal)>,
    /// What nothing determines.
    pub inputs: Vec<FormulaInput>,
    /// All ways to fail a check, in the order of a run.
    pub violations: Vec<Violation>,
    /// When a run leaves what the formula has room for, and where.
    pub limits: Vec<(Signal, Span)>,
    /// When a run comes to its end.
    pub finished: Signal,
    /// All that can be seen of a run: what it logs, asks for and leaves in globals. Where two mutants have the same signals
    /// here and in the violations, they are the same program within the bound.
    pub observed: Vec<Signal>,
}

/// Writes a program as a formula.
pub fn encode(program: &Program, options: &EncodeOptions<'_>) -> Result<Formula, Stop> {
    let mut encoder = Encoder::new(program, options);
    encoder.make_globals()?;
    encoder.run()?;
    encoder.observe_end();
    Ok(Formula {
        selectors: encoder.selectors.into_iter().collect(),
        netlist: encoder.netlist,
        inputs: encoder.inputs,
        violations: encoder.violations,
        limits: encoder.limits,
        finished: encoder.now.map_or(Signal::FALSE, |state| state.guard.all()),
        observed: encoder.observed,
    })
}

/// An object of the program or of a run.
struct Object {
    /// Its number of bytes, in 48 bits.
    size: Word,
    /// When a run allocates it; nothing for variables and functions.
    allocated: Option<Signal>,
}

/// A call that is open.
struct Frame {
    function: FunctionId,
    locals: FxHashMap<VariableId, u32>,
    /// Runs that jumped to a label, which is still to come.
    pending: FxHashMap<LabelId, State>,
    /// Runs that have returned.
    returned: Option<State>,
}

impl Frame {
    fn new(function: FunctionId) -> Frame {
        Frame {
            function,
            locals: FxHashMap::default(),
            pending: FxHashMap::default(),
            returned: None,
        }
    }
}

struct Encoder<'a> {
    program: &'a Program,
    options: &'a EncodeOptions<'a>,
    netlist: Netlist,
    /// Their nodes are the first of the graph.
    selectors: Vec<(MutantId, Signal)>,
    selector_of: FxHashMap<MutantId, Signal>,
    inputs: Vec<FormulaInput>,
    violations: Vec<Violation>,
    limits: Vec<(Signal, Span)>,
    /// When a run is over because an access was none.
    over: Signal,
    observed: Vec<Signal>,
    objects: Vec<Object>,
    globals: FxHashMap<VariableId, u32>,
    frames: Vec<Frame>,
    /// The runs that are here; nothing where no run comes.
    now: Option<State>,
    /// Statements until somebody looks whether to give up.
    patience: u32,
}

impl<'a> Encoder<'a> {
    fn new(program: &'a Program, options: &'a EncodeOptions<'a>) -> Encoder<'a> {
        let mut netlist = Netlist::default();
        let mut mutants: Vec<MutantId> = options.mutants.iter().copied().collect();
        mutants.sort_unstable();
        let selectors: Vec<(MutantId, Signal)> = mutants
            .into_iter()
            .map(|mutant| (mutant, netlist.add_input()))
            .collect();
        let no_object = || Object {
            size: word(0, 48),
            allocated: None,
        };
        Encoder {
            program,
            options,
            netlist,
            selector_of: selectors.iter().copied().collect(),
            selectors,
            inputs: Vec::new(),
            violations: Vec::new(),
            limits: Vec::new(),
            over: Signal::FALSE,
            observed: Vec::new(),
            // The null pointer's and those of functions.
            objects: (0..=program.functions.len()).map(|_| no_object()).collect(),
            globals: FxHashMap::default(),
            frames: vec![Frame::new(program.entry)],
            now: Some(State::default()),
            patience: 0,
        }
    }

    fn make_globals(&mut self) -> Result<(), Stop> {
        for variable in &self.program.globals {
            let size = self.program.variable(*variable).sort.size();
            let object = self.new_object(word(size, 48), None)?;
            self.globals.insert(*variable, object);
        }
        for variable in &self.program.globals {
            self.make_global(*variable)?;
        }
        Ok(())
    }

    fn make_global(&mut self, variable: VariableId) -> Result<(), Stop> {
        let declared = self.program.variable(variable);
        let size = declared.sort.size();
        if size > 1 << 20 {
            return Err(Stop::Object(declared.place, size));
        }
        let (bytes, targets) = match &declared.initial {
            Initial::Any => {
                let reason = InputReason::Uninitialised(variable);
                let bits = self.input(size as usize, reason, declared.place);
                (to_bytes(&Value::number(bits)), Targets::default())
            }
            Initial::Known(pieces) => self.initial(size, pieces),
        };
        let content = Content {
            bytes,
            targets,
            live: Signal::TRUE,
        };
        let object = self.globals[&variable];
        self.now_mut().set(object, content);
        Ok(())
    }

    fn initial(&self, size: u64, pieces: &[InitialPiece]) -> (Vec<Byte>, Targets) {
        let mut bytes = vec![ZERO; size as usize];
        let mut targets = Targets::default();
        for piece in pieces {
            let (at, new) = match piece {
                InitialPiece::Bytes(at, bytes) => {
                    let constant = |byte: &u8| Value::constant((*byte).into(), 8);
                    let bytes = bytes.iter().flat_map(|byte| to_bytes(&constant(byte)));
                    (*at, bytes.collect())
                }
                InitialPiece::Address {
                    at,
                    variable,
                    offset,
                } => {
                    let object = self.globals.get(variable).copied().unwrap_or(0);
                    targets = targets.union(&Targets::of(object));
                    let mut value = Value::address(object);
                    value.bits = word(pointer::encode(object, *offset), 64);
                    (*at, to_bytes(&value))
                }
                InitialPiece::Function(at, function) => {
                    let object = pointer::of_function(function.0);
                    targets = targets.union(&Targets::of(object));
                    (*at, to_bytes(&Value::address(object)))
                }
            };
            let start = (at as usize).min(bytes.len());
            for (slot, byte) in bytes[start..].iter_mut().zip(new) {
                *slot = byte;
            }
        }
        (bytes, targets)
    }

    fn run(&mut self) -> Result<(), Stop> {
        let entry = self.program.function(self.program.entry);
        let mut values = Vec::new();
        for parameter in &entry.parameters {
            let size = self.program.variable(*parameter).sort.size();
            let reason = InputReason::Uninitialised(*parameter);
            values.push(Value::number(self.input(
                size as usize,
                reason,
                entry.place,
            )));
        }
        self.frames.clear();
        self.call(self.program.entry, &values, entry.place)?;
        if self.now.is_some() && self.options.checks.has(CheckKind::Leak) {
            self.check_leaks(entry.place);
        }
        Ok(())
    }

    /// What a run leaves behind can be seen.
    fn observe_end(&mut self) {
        let guards: Vec<Signal> = self.inputs.iter().map(|input| input.guard).collect();
        self.observed.extend(guards);
        let Some(state) = &self.now else { return };
        self.observed.push(state.guard.all());
        for object in self.globals.values() {
            let content = state.object(*object);
            let bytes = content
                .iter()
                .flat_map(|content| content.bytes.iter().flat_map(|byte| &byte[..8]));
            self.observed.extend(bytes);
        }
        let result = state.result.iter().flat_map(|value| &value.bits);
        self.observed.extend(result);
    }

    fn check_leaks(&mut self, place: Span) {
        let mut leaks = Vec::new();
        for (at, object) in self.objects.iter().enumerate() {
            let content = self.now.as_ref().and_then(|state| state.object(at as u32));
            if let (Some(allocated), Some(content)) = (object.allocated, content) {
                leaks.push(self.netlist.graph.and(allocated, content.live));
            }
        }
        let leaks = self.graph().or_all(&leaks);
        self.check(CheckKind::Leak, place, leaks);
    }

    fn graph(&mut self) -> &mut Graph {
        &mut self.netlist.graph
    }

    /// The runs that are here. Whoever asks has seen that there are some.
    fn now(&self) -> &State {
        self.now
            .as_ref()
            .expect("statements are executed where runs come")
    }

    fn now_mut(&mut self) -> &mut State {
        self.now
            .as_mut()
            .expect("statements are executed where runs come")
    }

    fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a call is open")
    }

    /// A condition that the runs from here on satisfy.
    fn push(&mut self, condition: Signal) {
        let graph = &mut self.netlist.graph;
        if let Some(state) = &mut self.now {
            state.guard.push(graph, condition);
        }
    }

    /// Whether a mutant is chosen in the runs that are here.
    fn selector(&self, mutant: MutantId) -> Signal {
        let Some(selector) = self.selector_of.get(&mutant) else {
            return Signal::FALSE;
        };
        let count = self.selectors.len() as u32;
        match self.now().guard.chosen(count) {
            Some(node) => Signal::constant(node == selector.node()),
            None => match self.now().guard.decides(*selector) {
                Some(known) => Signal::constant(known),
                None => *selector,
            },
        }
    }

    /// Bytes that nothing determines.
    fn input(&mut self, bytes: usize, reason: InputReason, place: Span) -> Word {
        self.input_under(Signal::TRUE, bytes, reason, place)
    }

    /// The same, where a condition holds.
    fn input_under(
        &mut self,
        condition: Signal,
        bytes: usize,
        reason: InputReason,
        place: Span,
    ) -> Word {
        let guard = self.now().guard.all();
        let guard = self.graph().and(guard, condition);
        let bits: Word = (0..bytes * 8).map(|_| self.netlist.add_input()).collect();
        self.inputs.push(FormulaInput {
            bits: bits.clone(),
            guard,
            reason,
            place,
        });
        bits
    }

    /// A check fails here where a condition holds.
    fn check(&mut self, kind: CheckKind, place: Span, fails: Signal) {
        if fails == Signal::FALSE || !self.options.checks.has(kind) {
            return;
        }
        let guard = self.now().guard.all();
        let signal = self.graph().and(guard, fails);
        if signal == Signal::FALSE {
            return;
        }
        self.violations.push(Violation {
            check: Check::new(kind, place),
            signal,
            over: self.over,
        });
        let ends = [CheckKind::Bounds, CheckKind::Pointer, CheckKind::Division];
        if ends.contains(&kind) {
            self.over = self.netlist.graph.or(self.over, signal);
        }
    }

    /// Gives up where the formula grows too large or somebody asks for it.
    fn look_around(&mut self) -> Result<(), Stop> {
        if self.netlist.graph.len() > self.options.most_nodes {
            return Err(Stop::Nodes);
        }
        self.patience += 1;
        if self.patience.is_multiple_of(64) && (self.options.stop)() {
            return Err(Stop::Asked);
        }
        Ok(())
    }
}
