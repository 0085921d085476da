//! Runs programs: exactly, one statement after the other, with given values for what nothing determines.
//!
//! This is the audit of whoever finds a run of a program: it knows no formula, only the meaning of statements and
//! expressions as [`proofmark_model::program`] has it. Memory is objects of bytes; each byte of a pointer remembers the object
//! that it was made for, so that a number that happens to look like a pointer leads nowhere.

mod evaluate;
mod execute;
mod memory;
mod show;

use self::memory::Memory;
use proofmark_model::program::{
    Bounds, Check, CheckKind, Checks, FunctionId, InputReason, LabelId, MutantId, Program,
    VariableId,
};
use proofmark_source::Span;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How a program is run.
pub struct RunOptions<'a> {
    /// Which checks count.
    pub checks: &'a Checks,
    /// How far loops and calls go.
    pub bounds: &'a Bounds,
    /// The mutant that is run, if it is not the original.
    pub mutant: Option<MutantId>,
    /// The most statements.
    pub most_steps: u64,
    /// What is kept of the run.
    pub record: Record,
}

/// What is kept of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Record {
    /// What it comes to.
    Outcome,
    /// Every step, too.
    Steps,
}

/// What a program asks for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// How many bytes.
    pub bytes: usize,
    /// Why.
    pub reason: &'a InputReason,
    /// Where.
    pub place: Span,
}

/// Bytes that were asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunInput {
    /// The bytes, the least significant first.
    pub bytes: Vec<u8>,
    /// Why they were asked for.
    pub reason: InputReason,
    /// Where.
    pub place: Span,
}

/// How a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The entry has returned.
    Finished,
    /// What is assumed does not hold.
    Assumption(Span),
    /// A check failed after which nothing has a meaning, or a bound is reached.
    Over(Check),
    /// There are too many statements, objects or calls.
    Limit,
}

/// A step that people look at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Where it is.
    pub place: Span,
    /// The function that it is in.
    pub function: FunctionId,
    /// What happens.
    pub action: Action,
}

/// What happens in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Something is stored: its name, and the value.
    Store(String, String),
    /// A function is called.
    Call(FunctionId),
    /// A function returns, maybe with a value.
    Return(Option<String>),
    /// A line of the log.
    Log(String),
    /// A check fails.
    Violation(Check),
    /// What is assumed does not hold.
    Blocked,
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The checks that fail, in order, each as often as it does.
    pub violations: Vec<Check>,
    /// How it ends.
    pub end: End,
    /// What it asked for, in order.
    pub inputs: Vec<RunInput>,
    /// The log.
    pub log: String,
    /// Its steps, where they are recorded.
    pub steps: Vec<Step>,
    /// How many statements were executed.
    pub statements: u64,
}

/// Runs a program with an answer to everything that it asks for. Too short an answer is filled up with zeros, too long a one cut.
pub fn run_program(
    program: &Program,
    options: &RunOptions<'_>,
    answer: &mut dyn FnMut(Asked<'_>) -> Vec<u8>,
) -> Run {
    let mut machine = Machine {
        program,
        options,
        answer,
        memory: Memory::new(program.functions.len()),
        globals: FxHashMap::default(),
        frames: Vec::new(),
        run: Run {
            violations: Vec::new(),
            end: End::Finished,
            inputs: Vec::new(),
            log: String::new(),
            steps: Vec::new(),
            statements: 0,
        },
    };
    if let Err(end) = machine.run() {
        machine.run.end = end;
    }
    machine.run
}

/// A number of at most 64 bits, and the object that it was made to point to; 0 if to none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Value {
    bits: u64,
    object: u32,
}

/// A call that is open.
#[derive(Default)]
struct Frame {
    function: FunctionId,
    locals: FxHashMap<VariableId, u32>,
}

/// Where a run goes on.
enum Flow {
    Next,
    Jump(LabelId),
    Return(Option<Value>),
}

struct Machine<'a> {
    program: &'a Program,
    options: &'a RunOptions<'a>,
    answer: &'a mut dyn FnMut(Asked<'_>) -> Vec<u8>,
    memory: Memory,
    globals: FxHashMap<VariableId, u32>,
    frames: Vec<Frame>,
    run: Run,
}

impl Machine<'_> {
    /// A check fails. Nothing has a meaning after some of them.
    fn fail(&mut self, kind: CheckKind, place: Span) -> Result<(), End> {
        if !self.options.checks.has(kind) {
            return Ok(());
        }
        let check = Check::new(kind, place);
        self.run.violations.push(check);
        self.step(place, || Action::Violation(check));
        let ends = [CheckKind::Bounds, CheckKind::Pointer, CheckKind::Division];
        if ends.contains(&kind) {
            return Err(End::Over(check));
        }
        Ok(())
    }

    /// Asks for bytes that nothing determines.
    fn ask(&mut self, bytes: usize, reason: InputReason, place: Span) -> Vec<u8> {
        let reason_of = &reason;
        let asked = Asked {
            bytes,
            reason: reason_of,
            place,
        };
        let mut given = (self.answer)(asked);
        given.resize(bytes, 0);
        self.run.inputs.push(RunInput {
            bytes: given.clone(),
            reason,
            place,
        });
        given
    }

    /// The same as a number.
    fn ask_number(&mut self, bytes: usize, reason: InputReason, place: Span) -> u64 {
        memory::number(&self.ask(bytes, reason, place))
    }

    fn step(&mut self, place: Span, action: impl FnOnce() -> Action) {
        if self.options.record == Record::Steps {
            let function = self.frames.last();
            let function = function.map_or(self.program.entry, |frame| frame.function);
            self.run.steps.push(Step {
                place,
                function,
                action: action(),
            });
        }
    }

    fn is_chosen(&self, mutant: MutantId) -> bool {
        self.options.mutant == Some(mutant)
    }

    fn name_of(&self, variable: VariableId) -> Arc<str> {
        self.program.variable(variable).name.clone()
    }
}
