//! The simulator: runs a system on given values of what is free, exactly.
//!
//! A [`Program`] is compiled once: for the first step and for the later ones, a flat list of
//! instructions in dependency order over an array of values, in which a variable that is defined is
//! just another name for the value that defines it. A [`Machine`] owns the arrays and runs a
//! program over many traces. Mutants are replayed by the hundred thousand, so a step allocates
//! nothing while numbers are small, and [`Machine::judge`] keeps no trace.
//!
//! What is free and not given takes the default value of its sort, as does an uninterpreted function
//! at a point that its table does not have. Any value would do: what is free may have it, so the run
//! is a run of the system, whatever the trace left out.

use crate::eval::fold;
use crate::sort::Sort;
use crate::system::{Element, ElementId, Phase, System};
use crate::term::{Function, Op, Term, division_by_zero};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// The values of uninterpreted functions at points.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionTable {
    points: FxHashMap<Function, FxHashMap<Vec<Value>, Value>>,
}

impl FunctionTable {
    /// Sets a point; the last one set counts.
    pub fn insert(
        &mut self,
        function: Function,
        args: Vec<Value>,
        value: Value,
    ) -> Result<(), TraceError> {
        let sorts = args.iter().map(Value::sort);
        if !function.domain().iter().copied().eq(sorts) {
            return Err(TraceError::Point { function });
        }
        check_sort(function.name().as_str(), function.range(), &value)?;
        self.points.entry(function).or_default().insert(args, value);
        Ok(())
    }

    /// The value at a point, the default where none is set.
    pub fn value(&self, function: Function, args: &[Value]) -> Value {
        let set = self.points.get(&function).and_then(|table| table.get(args));
        set.cloned()
            .unwrap_or_else(|| Value::default_of(function.range()))
    }

    /// The points that are set: the function, its arguments, and the value.
    pub fn points(&self) -> impl Iterator<Item = (Function, &[Value], &Value)> {
        let tables = self.points.iter();
        tables.flat_map(|(function, table)| {
            let points = table.iter();
            points.map(|(args, value)| (*function, args.as_slice(), value))
        })
    }
}

/// Values of variables at consecutive steps, and the functions, which do not change. It is both what
/// a run is given and what comes out of it: of a given trace, only what is free is read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    columns: Vec<Term>,
    positions: FxHashMap<Term, usize>,
    /// Row after row.
    values: Vec<Value>,
    length: usize,
    /// What the uninterpreted functions are in this run.
    pub functions: FunctionTable,
}

/// Values that do not fit a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TraceError {
    /// A step with too few or too many values.
    Width {
        /// How many columns the trace has.
        wanted: usize,
        /// How many values there are.
        found: usize,
    },
    /// A value does not belong to its variable.
    Sort {
        /// The name of the variable.
        name: String,
        /// The sort of the variable.
        wanted: Sort,
        /// The sort of the value.
        found: Sort,
    },
    /// A point outside a function's domain.
    Point {
        /// The function that was given a wrong point.
        function: Function,
    },
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::Width { wanted, found } => {
                write!(f, "a step needs {wanted} values, found {found}")
            }
            TraceError::Sort {
                name,
                wanted,
                found,
            } => write!(f, "`{name}` has sort {wanted}, found a value of {found}"),
            TraceError::Point { function } => {
                write!(f, "a point outside the domain of `{}`", function.name())
            }
        }
    }
}
impl std::error::Error for TraceError {}

fn check_sort(name: &str, wanted: Sort, value: &Value) -> Result<(), TraceError> {
    let found = value.sort();
    if found == wanted {
        return Ok(());
    }
    let name = name.to_string();
    Err(TraceError::Sort {
        name,
        wanted,
        found,
    })
}

impl Trace {
    /// A trace of no steps over these variables, given by their current terms.
    pub fn new(columns: Vec<Term>) -> Trace {
        let positions = columns.iter().enumerate();
        Trace {
            positions: positions
                .map(|(position, term)| (*term, position))
                .collect(),
            columns,
            ..Trace::default()
        }
    }

    /// Adds a step: one value for each column, in order.
    pub fn push(&mut self, row: Vec<Value>) -> Result<(), TraceError> {
        let (wanted, found) = (self.columns.len(), row.len());
        if wanted != found {
            return Err(TraceError::Width { wanted, found });
        }
        for (column, value) in self.columns.iter().zip(&row) {
            let name = column.as_var().map_or("", |name| name.as_str());
            check_sort(name, column.sort(), value)?;
        }
        self.values.extend(row);
        self.length += 1;
        Ok(())
    }

    /// The first steps of the trace.
    #[must_use]
    pub fn first(&self, steps: usize) -> Trace {
        let mut first = self.clone();
        first.length = self.length.min(steps);
        first.values.truncate(first.length * self.columns.len());
        first
    }

    /// The trace of some of the variables.
    #[must_use]
    pub fn of(&self, kept: impl Fn(Term) -> bool) -> Trace {
        let columns = self.columns.iter().copied().enumerate();
        let (positions, columns): (Vec<usize>, Vec<Term>) =
            columns.filter(|(_, column)| kept(*column)).unzip();
        let mut some = Trace::new(columns);
        for step in 0..self.length {
            let row = self.row(step);
            some.values
                .extend(positions.iter().map(|at| row[*at].clone()));
        }
        some.length = self.length;
        some.functions = self.functions.clone();
        some
    }

    /// The trace with the variables of another that it lacks, if that is as long.
    pub fn completed(&self, other: &Trace) -> Option<Trace> {
        if other.length < self.length {
            return None;
        }
        let lacks = |at: &usize| !self.positions.contains_key(&other.columns[*at]);
        let more: Vec<usize> = (0..other.columns.len()).filter(lacks).collect();
        let names = more.iter().map(|at| other.columns[*at]);
        let mut all = Trace::new(self.columns.iter().copied().chain(names).collect());
        for step in 0..self.length {
            all.values.extend_from_slice(self.row(step));
            let row = other.row(step);
            all.values.extend(more.iter().map(|at| row[*at].clone()));
        }
        all.length = self.length;
        all.functions = self.functions.clone();
        Some(all)
    }

    /// The variables that have values, as current terms, in the order of a row.
    pub fn columns(&self) -> &[Term] {
        &self.columns
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it has no step.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The values of a step, in the order of the columns.
    pub fn row(&self, step: usize) -> &[Value] {
        let width = self.columns.len();
        &self.values[step * width..(step + 1) * width]
    }

    /// The value of a variable at a step, when the trace has both.
    pub fn value(&self, variable: Term, step: usize) -> Option<&Value> {
        let position = self.positions.get(&variable)?;
        if step >= self.length {
            return None;
        }
        self.row(step).get(*position)
    }

    /// Gives a variable another value at a step, and returns the former one. Nothing happens when the
    /// trace does not have both, or the value is of another sort.
    pub fn replace(&mut self, variable: Term, step: usize, value: Value) -> Option<Value> {
        let position = *self.positions.get(&variable)?;
        if step >= self.length || value.sort() != variable.sort() {
            return None;
        }
        let place = self.values.get_mut(step * self.columns.len() + position)?;
        Some(std::mem::replace(place, value))
    }
}

/// What a run showed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunResult {
    /// The number of steps that were run.
    pub steps: usize,
    /// For each property, the first step at which it is false.
    pub first_false: Vec<Option<usize>>,
    /// Each constraint that was violated, with the first step, in order of the elements. From the
    /// earliest on, this is no run of the system.
    pub violated: Vec<(ElementId, usize)>,
}

impl RunResult {
    /// The first step at which some constraint is violated.
    pub fn broken_at(&self) -> Option<usize> {
        self.violated.iter().map(|(_, step)| *step).min()
    }

    /// The step at which a property is false while every constraint held up to then: the run
    /// refutes it.
    pub fn refuted_at(&self, property: usize) -> Option<usize> {
        let step = self.first_false[property]?;
        match self.broken_at() {
            Some(broken) if broken <= step => None,
            _ => Some(step),
        }
    }

    /// The properties that the run refutes.
    pub fn refuted(&self) -> impl Iterator<Item = usize> {
        (0..self.first_false.len()).filter(|property| self.refuted_at(*property).is_some())
    }
}

/// Why a system cannot be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CompileError {
    /// Variables that depend on themselves within one step, each on the next, the last on the
    /// first.
    Cycle {
        /// The cycle, as current terms.
        variables: Vec<Term>,
        /// Whether at the first step or later.
        phase: Phase,
    },
    /// Two elements define the same variable.
    DefinedTwice {
        /// The variable, as its current term.
        variable: Term,
        /// Whether at the first step or later.
        phase: Phase,
    },
    /// A term reads what the system does not declare, or the state before the first.
    Unknown {
        /// What is read, as it stands in the term.
        variable: Term,
        /// Whether at the first step or later.
        phase: Phase,
    },
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let when = |phase: &Phase| match phase {
            Phase::Init => "at the first step",
            Phase::Step => "within one step",
        };
        match self {
            CompileError::Cycle { variables, phase } => {
                let round = variables.iter().chain(variables.first());
                let names: Vec<String> = round.map(|term| format!("`{term:?}`")).collect();
                let chain = names.join(" needs ");
                write!(f, "a cycle of dependencies {}: {chain}", when(phase))
            }
            CompileError::DefinedTwice { variable, phase } => {
                write!(f, "`{variable:?}` is defined twice {}", when(phase))
            }
            CompileError::Unknown { variable, phase } => {
                write!(f, "`{variable:?}` has no value {}", when(phase))
            }
        }
    }
}
impl std::error::Error for CompileError {}

/// One operation: the operands are a range of the list of operands.
#[derive(Clone, Copy, Debug)]
struct Instruction {
    op: &'static Op,
    first: u32,
    end: u32,
    target: u32,
}

/// A variable's value that comes from outside the step.
#[derive(Clone, Copy, Debug)]
struct Load {
    variable: Term,
    slot: u32,
}

/// The code of one phase. Slots are positions in the array of values.
#[derive(Clone, Debug, Default)]
struct Code {
    /// Values to start with: the constants, and anything elsewhere.
    image: Vec<Value>,
    free: Vec<Load>,
    /// The previous values, by position in the program's state.
    previous: Vec<(usize, u32)>,
    instructions: Vec<Instruction>,
    operands: Vec<u32>,
    /// The slot of each variable of the system, in order.
    variables: Vec<u32>,
    /// The slot of each state variable.
    state: Vec<u32>,
    constraints: Vec<(ElementId, u32)>,
    properties: Vec<u32>,
}

/// A system, compiled. Threads share it; each has its own [`Machine`].
#[derive(Clone, Debug)]
pub struct Program {
    init: Code,
    step: Code,
    /// Current terms of the system's variables.
    variables: Vec<Term>,
}

impl Program {
    /// Puts the definitions in order, so that each reads only what is computed before it.
    pub fn compile(system: &System) -> Result<Program, CompileError> {
        Ok(Template::new(system)?.program)
    }

    /// What a run reads from a trace: the variables that are free at the first step, and those that
    /// are free later.
    pub fn free(&self) -> (Vec<Term>, Vec<Term>) {
        let free = |code: &Code| code.free.iter().map(|load| load.variable).collect();
        (free(&self.init), free(&self.step))
    }

    /// A machine before its first step.
    pub fn machine(&self) -> Machine<'_> {
        Machine {
            program: self,
            init: self.init.image.clone(),
            step: self.step.image.clone(),
            state: vec![Value::Bool(false); self.step.state.len()],
            operands: Vec::new(),
        }
    }
}

/// A program, and where everything is in it, so that programs of systems that differ in few elements
/// are made from it: the code stays, and what the difference reaches is computed once more behind it.
#[derive(Clone, Debug)]
pub struct Template {
    program: Program,
    /// Where values are at the first step and later.
    slots: [FxHashMap<Term, u32>; 2],
    /// The variables whose previous values are read.
    state: Vec<Term>,
    /// What each element defines.
    defined: Vec<Vec<Term>>,
}

impl Template {
    /// Compiles a system, and keeps where every value is.
    pub fn new(system: &System) -> Result<Template, CompileError> {
        let mut state = Vec::new();
        let mut step = Compiler::new(system, Phase::Step)?;
        step.compile(&mut state)?;
        let mut init = Compiler::new(system, Phase::Init)?;
        init.compile(&mut Vec::new())?;
        for compiler in [&mut init, &mut step] {
            for variable in &state {
                let slot = compiler.slots[variable];
                compiler.code.state.push(slot);
            }
        }
        let variables = system.variables().iter();
        Ok(Template {
            program: Program {
                init: init.code,
                step: step.code,
                variables: variables.map(|variable| variable.current).collect(),
            },
            slots: [init.slots, step.slots],
            state,
            defined: system.elements().iter().map(|one| targets(one)).collect(),
        })
    }

    /// The program of the system itself.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The program of a system with other elements in the place of some, and perhaps more variables.
    /// `reached` are those elements and all that depend on what they define.
    pub fn patch(
        &self,
        system: &System,
        reached: &FxHashSet<ElementId>,
    ) -> Result<Program, CompileError> {
        let mut state = self.state.clone();
        let mut step = Compiler::resume(system, Phase::Step, self, reached);
        step.recompile(reached, &mut state)?;
        let mut init = Compiler::resume(system, Phase::Init, self, reached);
        init.recompile(reached, &mut Vec::new())?;
        for compiler in [&mut init, &mut step] {
            for (at, variable) in state.iter().enumerate() {
                match compiler.code.state.get(at) {
                    Some(_) if !compiler.is_new(*variable) => {}
                    Some(_) => {
                        compiler.code.state[at] = compiler.slot(*variable, &mut Vec::new())?
                    }
                    None => {
                        let slot = compiler.slot(*variable, &mut Vec::new())?;
                        compiler.code.state.push(slot);
                    }
                }
            }
        }
        let variables = system.variables().iter();
        Ok(Program {
            init: init.code,
            step: step.code,
            variables: variables.map(|variable| variable.current).collect(),
        })
    }
}

fn targets(element: &Element) -> Vec<Term> {
    let definitions = element.definitions();
    definitions.map(|definition| definition.variable).collect()
}

/// Compiles the code of one phase.
struct Compiler<'a> {
    system: &'a System,
    phase: Phase,
    definitions: FxHashMap<Term, Term>,
    /// Where a term's value is.
    slots: FxHashMap<Term, u32>,
    /// The terms that wait for what they depend on.
    open: FxHashSet<Term>,
    /// Where values are in the code that this goes on from, as far as they are still right.
    base: Option<&'a FxHashMap<Term, u32>>,
    /// Whether terms depend on what is computed once more.
    dependent: FxHashMap<Term, bool>,
    code: Code,
}

impl<'a> Compiler<'a> {
    fn new(system: &'a System, phase: Phase) -> Result<Compiler<'a>, CompileError> {
        let mut definitions = FxHashMap::default();
        for definition in system.elements().iter().flat_map(|e| e.definitions()) {
            let variable = definition.variable;
            let Some(value) = definition.value(phase) else {
                continue;
            };
            if definitions.insert(variable, value).is_some() {
                return Err(CompileError::DefinedTwice { variable, phase });
            }
        }
        Ok(Compiler {
            system,
            phase,
            definitions,
            slots: FxHashMap::default(),
            open: FxHashSet::default(),
            base: None,
            dependent: FxHashMap::default(),
            code: Code::default(),
        })
    }

    /// A compiler that goes on from other code. What the elements that are reached define, before or
    /// now, is computed once more.
    fn resume(
        system: &'a System,
        phase: Phase,
        base: &'a Template,
        reached: &FxHashSet<ElementId>,
    ) -> Compiler<'a> {
        let (slots, code) = match phase {
            Phase::Init => (&base.slots[0], &base.program.init),
            Phase::Step => (&base.slots[1], &base.program.step),
        };
        let mut compiler = Compiler {
            system,
            phase,
            definitions: FxHashMap::default(),
            slots: FxHashMap::default(),
            open: FxHashSet::default(),
            base: Some(slots),
            dependent: FxHashMap::default(),
            code: code.clone(),
        };
        for id in reached {
            let before = base.defined[id.index()].iter();
            compiler.dependent.extend(before.map(|one| (*one, true)));
            for definition in system.element(*id).definitions() {
                let variable = definition.variable;
                compiler.dependent.insert(variable, true);
                if let Some(value) = definition.value(phase) {
                    compiler.definitions.insert(variable, value);
                }
            }
        }
        compiler
    }

    /// Whether a variable is computed once more.
    fn is_new(&self, variable: Term) -> bool {
        self.dependent.get(&variable) == Some(&true)
    }

    /// Whether a term depends, within the step, on what is computed once more.
    fn depends(&mut self, root: Term) -> bool {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.dependent.contains_key(&term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let args = term.args().iter();
            stack.extend(args.filter(|arg| !self.dependent.contains_key(arg)));
            if stack.len() == before {
                let depends = term.args().iter().any(|arg| self.dependent[arg]);
                self.dependent.insert(term, depends);
            }
        }
        self.dependent[&root]
    }

    /// Whether a term has a slot.
    fn has(&mut self, term: Term) -> bool {
        if self.slots.contains_key(&term) {
            return true;
        }
        let known = self.base.and_then(|base| base.get(&term).copied());
        match known {
            Some(slot) if !self.depends(term) => {
                self.slots.insert(term, slot);
                true
            }
            _ => false,
        }
    }

    /// Compiles what the elements that are reached change.
    fn recompile(
        &mut self,
        reached: &FxHashSet<ElementId>,
        state: &mut Vec<Term>,
    ) -> Result<(), CompileError> {
        let mut free = std::mem::take(&mut self.code.free);
        free.retain(|load| !self.is_new(load.variable));
        self.code.free = free;
        for (at, variable) in self.system.variables().iter().enumerate() {
            if at >= self.code.variables.len() {
                let slot = self.slot(variable.current, state)?;
                self.code.variables.push(slot);
            } else if self.is_new(variable.current) {
                self.code.variables[at] = self.slot(variable.current, state)?;
            }
        }
        self.code
            .constraints
            .retain(|(id, _)| !reached.contains(id));
        for id in reached {
            if let Some(constraint) = self.system.element(*id).constraint(self.phase) {
                let slot = self.slot(constraint, state)?;
                self.code.constraints.push((*id, slot));
            }
        }
        self.code.constraints.sort_unstable_by_key(|(id, _)| *id);
        for (at, property) in self.system.properties().iter().enumerate() {
            if self.depends(property.term) {
                self.code.properties[at] = self.slot(property.term, state)?;
            }
        }
        Ok(())
    }

    /// Compiles everything there is; `state` becomes the variables whose previous values are read.
    fn compile(&mut self, state: &mut Vec<Term>) -> Result<(), CompileError> {
        for variable in self.system.variables() {
            let slot = self.slot(variable.current, state)?;
            self.code.variables.push(slot);
        }
        for id in self.system.ids() {
            if let Some(constraint) = self.system.element(id).constraint(self.phase) {
                let slot = self.slot(constraint, state)?;
                self.code.constraints.push((id, slot));
            }
        }
        for property in self.system.properties() {
            let slot = self.slot(property.term, state)?;
            self.code.properties.push(slot);
        }
        Ok(())
    }

    /// The slot of a term, after the code that fills it.
    fn slot(&mut self, root: Term, state: &mut Vec<Term>) -> Result<u32, CompileError> {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.has(term) {
                stack.pop();
                continue;
            }
            if self.open.remove(&term) {
                let slot = self.emit(term, state)?;
                self.slots.insert(term, slot);
                stack.pop();
                continue;
            }
            self.open.insert(term);
            let definition = self.definitions.get(&term).copied();
            let needs = definition
                .as_ref()
                .map_or(term.args(), std::slice::from_ref);
            // What is open is what the term at hand is needed for.
            if let Some(again) = needs.iter().find(|need| self.open.contains(need)) {
                return Err(self.cycle(&stack, *again));
            }
            for need in needs {
                if !self.has(*need) {
                    stack.push(*need);
                }
            }
        }
        Ok(self.slots[&root])
    }

    fn cycle(&self, stack: &[Term], again: Term) -> CompileError {
        let path = stack.iter().filter(|term| self.open.contains(term));
        let round = path.copied().skip_while(|term| *term != again);
        CompileError::Cycle {
            variables: round.filter(|term| term.as_var().is_some()).collect(),
            phase: self.phase,
        }
    }

    /// Makes the code for a term whose needs are met, and says where its value will be.
    fn emit(&mut self, term: Term, state: &mut Vec<Term>) -> Result<u32, CompileError> {
        match term.op() {
            Op::Const(value) => Ok(self.fresh(value.clone())),
            Op::Var(_) => self.variable(term, state),
            op => {
                let target = self.fresh(Value::Bool(false));
                let first = self.code.operands.len() as u32;
                let args = term.args().iter().map(|arg| self.slots[arg]);
                self.code.operands.extend(args);
                let end = self.code.operands.len() as u32;
                self.code.instructions.push(Instruction {
                    op,
                    first,
                    end,
                    target,
                });
                Ok(target)
            }
        }
    }

    fn variable(&mut self, term: Term, state: &mut Vec<Term>) -> Result<u32, CompileError> {
        if let Some(definition) = self.definitions.get(&term) {
            return Ok(self.slots[definition]);
        }
        let (variable, phase) = (term, self.phase);
        let Some(known) = self.system.variable(term) else {
            return Err(CompileError::Unknown { variable, phase });
        };
        let (current, previous) = (known.current, known.previous);
        if term == previous && phase == Phase::Init {
            return Err(CompileError::Unknown { variable, phase });
        }
        let slot = self.fresh(Value::default_of(term.sort()));
        if term == previous {
            self.code.previous.push((state.len(), slot));
            state.push(current);
        } else {
            self.code.free.push(Load { variable, slot });
        }
        Ok(slot)
    }

    fn fresh(&mut self, value: Value) -> u32 {
        let slot = self.code.image.len() as u32;
        self.code.image.push(value);
        slot
    }
}

/// Runs a program; holds the arrays that it works on.
#[derive(Clone, Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    init: Vec<Value>,
    step: Vec<Value>,
    /// The values of the state variables after the last step.
    state: Vec<Value>,
    operands: Vec<Value>,
}

impl Machine<'_> {
    /// Runs all steps of a trace, also past a violated constraint, and returns the values of all
    /// variables.
    pub fn run(&mut self, given: &Trace) -> (Trace, RunResult) {
        let mut trace = Trace::new(self.program.variables.clone());
        trace.functions = given.functions.clone();
        let outcome = self.drive(given, |code, values, _| {
            let row = code.variables.iter().map(|slot| &values[*slot as usize]);
            trace.values.extend(row.cloned());
            trace.length += 1;
            Next::Continue
        });
        (trace, outcome)
    }

    /// What a trace shows, without keeping the values; ends when a constraint is violated, since
    /// nothing after that counts, or when every property is false.
    pub fn judge(&mut self, given: &Trace) -> RunResult {
        self.drive(given, |_, _, outcome| {
            let decided = outcome.first_false.iter().all(Option::is_some);
            if decided || !outcome.violated.is_empty() {
                return Next::Stop;
            }
            Next::Continue
        })
    }

    /// Whether the run on a trace shows some variable with another value than an earlier run did, or
    /// violates a constraint at another step than `broken_at`; what comes after that does not count.
    pub fn differs(
        &mut self,
        given: &Trace,
        (earlier, broken_at): (&Trace, Option<usize>),
        variables: &[Term],
    ) -> bool {
        let program = self.program;
        let all = program.variables.iter().copied().enumerate();
        let shown = all.filter(|(_, one)| variables.contains(one));
        let shown: Vec<(usize, Term)> = shown.collect();
        let mut differs = false;
        self.drive(given, |code, values, outcome| {
            let step = outcome.steps - 1;
            let (broken, also) = (!outcome.violated.is_empty(), broken_at == Some(step));
            let other = |(at, variable): &(usize, Term)| {
                let value = &values[code.variables[*at] as usize];
                Some(value) != earlier.value(*variable, step)
            };
            differs = broken != also || (!broken && shown.iter().any(other));
            match differs || broken {
                true => Next::Stop,
                false => Next::Continue,
            }
        });
        differs
    }

    fn drive(
        &mut self,
        given: &Trace,
        mut observe: impl FnMut(&Code, &[Value], &RunResult) -> Next,
    ) -> RunResult {
        let program = self.program;
        let mut outcome = RunResult {
            steps: 0,
            first_false: vec![None; program.init.properties.len()],
            violated: Vec::new(),
        };
        let columns = [&program.init, &program.step].map(|code| columns(code, given));
        for step in 0..given.len() {
            let (code, values, columns) = match step {
                0 => (&program.init, &mut self.init, &columns[0]),
                _ => (&program.step, &mut self.step, &columns[1]),
            };
            load(code, values, &self.state, (given, columns, step));
            for instruction in &code.instructions {
                execute(instruction, code, values, &mut self.operands, given);
            }
            for (kept, slot) in self.state.iter_mut().zip(&code.state) {
                kept.clone_from(&values[*slot as usize]);
            }
            judge(code, values, step, &mut outcome);
            outcome.steps = step + 1;
            if let Next::Stop = observe(code, values, &outcome) {
                break;
            }
        }
        outcome.violated.sort();
        outcome
    }
}

enum Next {
    Continue,
    Stop,
}

/// Where the free variables of a phase are in a trace.
fn columns(code: &Code, given: &Trace) -> Vec<Option<usize>> {
    let free = code.free.iter();
    free.map(|load| given.positions.get(&load.variable).copied())
        .collect()
}

fn load(
    code: &Code,
    values: &mut [Value],
    state: &[Value],
    (given, columns, step): (&Trace, &[Option<usize>], usize),
) {
    let row = given.row(step);
    for (load, column) in code.free.iter().zip(columns) {
        let slot = load.slot as usize;
        match column {
            Some(column) => values[slot].clone_from(&row[*column]),
            // A trace before this one may have left another value.
            None => values[slot].clone_from(&code.image[slot]),
        }
    }
    for (position, slot) in &code.previous {
        values[*slot as usize].clone_from(&state[*position]);
    }
}

fn judge(code: &Code, values: &[Value], step: usize, outcome: &mut RunResult) {
    for (property, slot) in code.properties.iter().enumerate() {
        if outcome.first_false[property].is_none() && !is_true(&values[*slot as usize]) {
            outcome.first_false[property] = Some(step);
        }
    }
    for (element, slot) in &code.constraints {
        if !is_true(&values[*slot as usize])
            && !outcome.violated.iter().any(|(known, _)| known == element)
        {
            outcome.violated.push((*element, step));
        }
    }
}

fn is_true(value: &Value) -> bool {
    matches!(value, Value::Bool(true))
}

fn execute(
    instruction: &Instruction,
    code: &Code,
    values: &mut [Value],
    operands: &mut Vec<Value>,
    given: &Trace,
) {
    let slots = &code.operands[instruction.first as usize..instruction.end as usize];
    let op = instruction.op;
    let value = quick(op, slots, values).unwrap_or_else(|| {
        operands.clear();
        operands.extend(slots.iter().map(|slot| values[*slot as usize].clone()));
        match op {
            Op::Apply(function) => given.functions.value(*function, operands),
            // Only a division by zero has no value of its own.
            _ => fold(op, operands)
                .unwrap_or_else(|| given.functions.value(division_by_zero(op), &operands[..1])),
        }
    });
    values[instruction.target as usize] = value;
}

/// The operators that make up most of a program, without copying the operands. They mean what
/// [`fold`] says.
#[inline]
fn quick(op: &Op, slots: &[u32], values: &[Value]) -> Option<Value> {
    let at = |slot: &u32| &values[*slot as usize];
    Some(match (op, slots) {
        (Op::Not, [a]) => Value::Bool(!is_true(at(a))),
        (Op::And, _) => Value::Bool(slots.iter().all(|slot| is_true(at(slot)))),
        (Op::Or, _) => Value::Bool(slots.iter().any(|slot| is_true(at(slot)))),
        (Op::Eq, [a, b]) => Value::Bool(at(a) == at(b)),
        (Op::Ite, [c, a, b]) => at(if is_true(at(c)) { a } else { b }).clone(),
        (Op::Le, [a, b]) => Value::Bool(at(a).as_number()? <= at(b).as_number()?),
        (Op::Mul, [a, b]) => match (at(a), at(b)) {
            (Value::Int(a), Value::Int(b)) => Value::Int(a * b),
            (Value::Real(a), Value::Real(b)) => Value::Real(a * b),
            _ => return None,
        },
        (Op::Add, [a, b]) => match (at(a), at(b)) {
            (Value::Int(a), Value::Int(b)) => Value::Int(a + b),
            (Value::Real(a), Value::Real(b)) => Value::Real(a + b),
            _ => return None,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::Origin;
    use crate::system::{Definition, Element, Property, Role, Variable};

    fn int(value: i64) -> Value {
        Value::Int(value.into())
    }

    fn declare(system: &mut System, name: &str, role: Role) -> Variable {
        let variable = Variable::new(name, Sort::Int, role, Origin::generated());
        system.declare(variable.clone()).unwrap();
        variable
    }

    fn define(system: &mut System, variable: &Variable, init: Term, step: Term) -> ElementId {
        let definition = Definition {
            variable: variable.current,
            init: Some(init),
            step: Some(step),
        };
        let element = Element::define(definition, Origin::generated());
        system.add_element(element).unwrap()
    }

    fn property(system: &mut System, name: &str, term: Term) {
        let (name, origin) = (name.into(), Origin::generated());
        system
            .add_property(Property { name, term, origin })
            .unwrap();
    }

    /// `x = 0 -> pre x + i; y = x + x; assert i <= 9; property y <= 10`
    fn accumulator() -> System {
        let mut system = System::default();
        let i = declare(&mut system, "i", Role::Input);
        let y = declare(&mut system, "y", Role::Output);
        let x = declare(&mut system, "x", Role::Local);
        let double = Term::add(&[x.current, x.current]);
        define(&mut system, &y, double, double);
        let next = Term::add(&[x.previous, i.current]);
        define(&mut system, &x, Term::int(0), next);
        let small = i.current.le(Term::int(9));
        let assert = Element::constrain(Some(small), Some(small), Origin::generated());
        system.add_element(assert).unwrap();
        property(&mut system, "small", y.current.le(Term::int(10)));
        system
    }

    fn column(name: &str, values: &[i64]) -> Trace {
        let mut trace = Trace::new(vec![Term::var(name, Sort::Int)]);
        for value in values {
            trace.push(vec![int(*value)]).unwrap();
        }
        trace
    }

    #[test]
    fn equations_run_in_dependency_order_and_the_first_false_step_is_found() {
        let program = Program::compile(&accumulator()).unwrap();
        let (trace, outcome) = program.machine().run(&column("i", &[7, 3, 2, 1]));
        let y = Term::var("y", Sort::Int);
        let values: Vec<&Value> = (0..4).map(|step| trace.value(y, step).unwrap()).collect();
        assert_eq!(values, [&int(0), &int(6), &int(10), &int(12)]);
        assert_eq!(outcome.first_false, [Some(3)]);
        assert_eq!(outcome.refuted_at(0), Some(3));
        assert_eq!(outcome.violated, []);
        assert_eq!(trace.value(y, 4), None);
    }

    #[test]
    fn a_property_that_fails_after_a_violated_constraint_is_not_refuted() {
        let program = Program::compile(&accumulator()).unwrap();
        let given = column("i", &[0, 10, 1]);
        let (trace, outcome) = program.machine().run(&given);
        assert_eq!(trace.len(), 3);
        assert_eq!(outcome.first_false, [Some(1)]);
        assert_eq!(outcome.violated, [(ElementId(2), 1)]);
        assert_eq!(outcome.refuted_at(0), None);
        assert_eq!(program.machine().judge(&given).steps, 2);
    }

    #[test]
    fn a_machine_forgets_the_trace_before() {
        let program = Program::compile(&accumulator()).unwrap();
        let mut machine = program.machine();
        let first = machine.judge(&column("i", &[1, 9]));
        let mut nothing = Trace::new(Vec::new());
        nothing.push(Vec::new()).unwrap();
        nothing.push(Vec::new()).unwrap();
        let (trace, _) = machine.run(&nothing);
        assert_eq!(trace.row(1), [int(0), int(0), int(0)]);
        assert_eq!(machine.judge(&column("i", &[1, 9])), first);
    }

    #[test]
    fn what_a_removed_element_defined_is_read_from_the_trace() {
        let system = accumulator();
        let (freed, _) = system.without(&FxHashSet::from_iter([ElementId(1)]));
        let program = Program::compile(&freed).unwrap();
        let (_, outcome) = program.machine().run(&column("x", &[5, 6]));
        assert_eq!(outcome.first_false, [Some(1)]);
        let names = |terms: Vec<Term>| format!("{terms:?}");
        assert_eq!(names(program.free().0), "[i, x]");
    }

    #[test]
    fn a_cycle_within_a_step_is_reported_with_its_variables() {
        let mut system = System::default();
        let a = declare(&mut system, "a", Role::Local);
        let b = declare(&mut system, "b", Role::Local);
        let c = declare(&mut system, "c", Role::Local);
        define(
            &mut system,
            &a,
            Term::int(0),
            Term::add(&[b.current, Term::int(1)]),
        );
        define(&mut system, &b, Term::int(0), c.current.neg());
        define(&mut system, &c, Term::int(0), b.current);
        let error = Program::compile(&system).unwrap_err();
        let wanted = "a cycle of dependencies within one step: `b` needs `c` needs `b`";
        assert_eq!(error.to_string(), wanted);
        let CompileError::Cycle { variables, phase } = error else {
            panic!("expected a cycle");
        };
        assert_eq!(
            (variables, phase),
            (vec![b.current, c.current], Phase::Step)
        );
    }

    #[test]
    fn a_variable_may_depend_on_itself_through_the_previous_state() {
        let mut system = System::default();
        let a = declare(&mut system, "a", Role::Local);
        define(&mut system, &a, Term::int(1), a.previous.mul(Term::int(2)));
        let program = Program::compile(&system).unwrap();
        let mut given = Trace::new(Vec::new());
        (0..70).for_each(|_| given.push(Vec::new()).unwrap());
        let (trace, _) = program.machine().run(&given);
        // Past the machine word.
        let last = trace.value(a.current, 69).unwrap();
        assert_eq!(last.to_string(), "590295810358705651712");
    }

    #[test]
    fn functions_are_read_from_their_table_also_for_division_by_zero() {
        let mut system = System::default();
        let i = declare(&mut system, "i", Role::Input);
        let x = declare(&mut system, "x", Role::Local);
        let f = Function::new("f", vec![Sort::Int], Sort::Int);
        let value = Term::apply(f, &[Term::int(7).int_div(i.current)]);
        define(&mut system, &x, value, value);
        let program = Program::compile(&system).unwrap();
        let mut given = column("i", &[0, 2, 1]);
        let zero = division_by_zero(&Op::IntDiv);
        given.functions.insert(zero, vec![int(7)], int(40)).unwrap();
        given.functions.insert(f, vec![int(40)], int(41)).unwrap();
        given.functions.insert(f, vec![int(3)], int(4)).unwrap();
        let (trace, _) = program.machine().run(&given);
        let values: Vec<Value> = (0..3).map(|step| trace.row(step)[1].clone()).collect();
        assert_eq!(values, [int(41), int(4), int(0)]);
        let wrong = given.functions.insert(f, vec![Value::Bool(true)], int(0));
        assert_eq!(
            wrong.unwrap_err().to_string(),
            "a point outside the domain of `f`"
        );
    }

    #[test]
    fn a_trace_refuses_values_that_do_not_fit() {
        let mut trace = column("i", &[]);
        let error = trace.push(vec![Value::Bool(true)]).unwrap_err();
        assert_eq!(error.to_string(), "`i` has sort Int, found a value of Bool");
        let error = trace.push(vec![]).unwrap_err();
        assert_eq!(error.to_string(), "a step needs 1 values, found 0");
    }

    /// A patched program against one that is compiled from scratch.
    #[test]
    fn a_patch_does_what_a_new_program_does() {
        let system = accumulator();
        let template = Template::new(&system).unwrap();
        let of = |at: usize| system.variables()[at].clone();
        let (i, y, x) = (of(0), of(1), of(2));
        let z = Variable::new("z", Sort::Int, Role::Local, Origin::generated());
        let definition = |variable: &Variable, init, step| {
            let variable = variable.current;
            let definition = Definition {
                variable,
                init,
                step,
            };
            Element::define(definition, Origin::generated())
        };
        let less = Term::add(&[x.previous, Term::int(-1)]);
        let remembers = Term::add(&[z.previous, y.previous]);
        let small = i.current.le(Term::int(1));
        let changes = [
            (1, definition(&x, Some(i.current), Some(less))),
            (1, definition(&x, Some(Term::int(3)), Some(remembers))),
            (1, definition(&x, None, None)),
            (0, definition(&y, Some(Term::int(9)), None)),
            (
                2,
                Element::constrain(None, Some(small), Origin::generated()),
            ),
        ];
        let mut given = Trace::new(vec![i.current, x.current, y.current, z.current]);
        for step in 0..4 {
            given
                .push([step, 7, 40 + step, 20 - step].map(int).to_vec())
                .unwrap();
        }
        for (id, element) in changes {
            let mutant = system
                .with_elements(std::slice::from_ref(&z), [(ElementId(id), element)])
                .unwrap();
            let mut reached = FxHashSet::from_iter([ElementId(id)]);
            if id == 1 {
                // What is defined by `x`.
                reached.insert(ElementId(0));
            }
            let patched = template.patch(&mutant, &reached).unwrap();
            let compiled = Program::compile(&mutant).unwrap();
            assert_eq!(
                patched.machine().run(&given),
                compiled.machine().run(&given)
            );
            assert_eq!(patched.free().0.len(), compiled.free().0.len());
            assert_eq!(patched.free().1.len(), compiled.free().1.len());
        }
        let itself = definition(&x, Some(y.current), Some(y.current));
        let cyclic = system.with_elements(&[], [(ElementId(1), itself)]).unwrap();
        let reached = FxHashSet::from_iter([ElementId(0), ElementId(1)]);
        assert!(template.patch(&cyclic, &reached).is_err());
    }

    #[test]
    fn a_trace_takes_from_another_what_it_lacks() {
        let [a, b] = ["a", "b"].map(|name| Term::var(name, Sort::Int));
        let mut both = Trace::new(vec![a, b]);
        both.push(vec![int(1), int(2)]).unwrap();
        both.push(vec![int(3), int(4)]).unwrap();
        let mut one = Trace::new(vec![a]);
        one.push(vec![int(5)]).unwrap();
        let completed = one.completed(&both).unwrap();
        assert_eq!(
            (completed.len(), completed.row(0)),
            (1, &[int(5), int(2)][..])
        );
        assert_eq!(completed.of(|column| column == a), one);
        assert!(both.completed(&one).is_none());
    }
}
