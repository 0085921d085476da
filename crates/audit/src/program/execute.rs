//! What statements do.

use super::evaluate::Location;
use super::memory::{Owner, Spot};
use super::{Action, End, Flow, Frame, Machine, Value};
use proofmark_model::program::{
    Callee, CheckKind, Expression, Filling, FunctionId, Initial, InitialPiece, InputReason, LoopId,
    Lvalue, Scalar, Statement, StatementKind, VariableId, pointer,
};
use proofmark_source::Span;

/// How many calls may be open at a time, whatever the bounds are.
const DEEPEST: usize = 500;

/// How many bytes an object has at most.
const LARGEST: u64 = 1 << 20;

impl Machine<'_> {
    pub(super) fn run(&mut self) -> Result<(), End> {
        self.make_globals()?;
        let program = self.program;
        let entry = program.function(program.entry);
        let mut values = Vec::new();
        for parameter in &entry.parameters {
            let size = program.variable(*parameter).sort.size() as usize;
            let reason = InputReason::Uninitialised(*parameter);
            let bits = self.ask_number(size, reason, entry.place);
            values.push(Value { bits, object: 0 });
        }
        self.call(program.entry, &values, entry.place)?;
        if self.memory.leaks() {
            self.fail(CheckKind::Leak, entry.place)?;
        }
        Ok(())
    }

    fn make_globals(&mut self) -> Result<(), End> {
        let program = self.program;
        for id in &program.globals {
            let size = program.variable(*id).sort.size();
            if size > LARGEST {
                return Err(End::Limit);
            }
            let bytes = vec![0; size as usize];
            let object = self.memory.make(bytes, Owner::Variable(*id));
            self.globals.insert(*id, object.ok_or(End::Limit)?);
        }
        for id in &program.globals {
            let variable = program.variable(*id);
            let object = self.globals[id];
            match &variable.initial {
                Initial::Any => {
                    let size = variable.sort.size() as usize;
                    let reason = InputReason::Uninitialised(*id);
                    let bytes = self.ask(size, reason, variable.place);
                    self.memory.renew(object, bytes);
                }
                Initial::Known(pieces) => pieces
                    .iter()
                    .for_each(|piece| self.initialise(object, piece)),
            }
        }
        Ok(())
    }

    fn initialise(&mut self, object: u32, piece: &InitialPiece) {
        match piece {
            InitialPiece::Bytes(at, bytes) => {
                for (by, byte) in (0..).zip(bytes) {
                    let bits = u64::from(*byte);
                    self.put(object, at + by, Value { bits, object: 0 }, 1);
                }
            }
            InitialPiece::Address {
                at,
                variable,
                offset,
            } => {
                let to = self.globals.get(variable).copied().unwrap_or(0);
                let bits = pointer::encode(to, *offset);
                self.put(object, *at, Value { bits, object: to }, 8);
            }
            InitialPiece::Function(at, function) => {
                let to = pointer::of_function(function.0);
                let bits = pointer::encode(to, 0);
                self.put(object, *at, Value { bits, object: to }, 8);
            }
        }
    }

    fn put(&mut self, object: u32, offset: u64, value: Value, count: usize) {
        let bits = pointer::encode(object, offset as i64);
        if let Some(spot) = self.memory.find(Value { bits, object }, count as u64) {
            self.memory.write(spot, value, count);
        }
    }

    /// Executes a list; a jump to a label of it goes on there.
    fn statements(&mut self, statements: &[Statement]) -> Result<Flow, End> {
        let mut at = 0;
        while let Some(statement) = statements.get(at) {
            at += 1;
            match self.statement(statement)? {
                Flow::Next => {}
                Flow::Jump(label) => {
                    let is_it = |one: &Statement| matches!(one.kind, StatementKind::Label(this) if this == label);
                    match statements[at..].iter().position(is_it) {
                        Some(ahead) => at += ahead + 1,
                        None => return Ok(Flow::Jump(label)),
                    }
                }
                returned => return Ok(returned),
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &Statement) -> Result<Flow, End> {
        use StatementKind as S;
        self.run.statements += 1;
        if self.run.statements > self.options.most_steps {
            return Err(End::Limit);
        }
        let place = statement.place;
        match &statement.kind {
            S::Label(_) => {}
            S::Declare(variable) => self.declare(*variable)?,
            S::End(variable) => {
                let frame = self.frames.last();
                if let Some(object) = frame.and_then(|frame| frame.locals.get(variable)) {
                    self.memory.end(*object);
                }
            }
            S::Assign(to, value) => {
                let sort = value.sort;
                let value = self.evaluate(value)?;
                self.assign(to, value, sort, place)?;
            }
            S::Input(to, sort, name) => {
                let size = sort.size() as usize;
                let reason = InputReason::Asked(name.clone());
                let bits = self.ask_number(size, reason, place);
                let bits = if *sort == Scalar::BOOLEAN {
                    bits & 1
                } else {
                    bits
                };
                self.assign(to, Value { bits, object: 0 }, *sort, place)?;
            }
            S::CopyBytes { to, from, size } => self.copy(to, from, size)?,
            S::FillBytes { to, value, size } => self.fill(to, value, size)?,
            S::Allocate { to, size, filling } => {
                let size = self.evaluate(size)?.bits;
                self.allocate(to, size, *filling, place)?;
            }
            S::Free(pointer) => {
                let pointer = self.evaluate(pointer)?;
                self.free(pointer, place)?;
            }
            S::Call {
                result,
                callee,
                arguments,
            } => self.call_statement(result.as_ref(), callee, arguments, place)?,
            S::Return(value) => {
                let value = value.as_ref().map(|value| self.evaluate(value));
                return Ok(Flow::Return(value.transpose()?));
            }
            S::If(condition, then, otherwise) => {
                let list = match self.truth(condition)? {
                    true => then,
                    false => otherwise,
                };
                return self.statements(list);
            }
            S::Loop(id, body) => return self.repeat(*id, body),
            S::Goto(label) => return Ok(Flow::Jump(*label)),
            S::Assert(condition, _) => {
                if !self.truth(condition)? {
                    self.fail(CheckKind::Assertion, place)?;
                }
            }
            S::Assume(condition) => {
                if !self.truth(condition)? {
                    self.step(place, || Action::Blocked);
                    return Err(End::Assumption(place));
                }
            }
            S::Log(pieces) => {
                let line = self.format(pieces)?;
                self.run.log.push_str(&line);
                self.step(place, || Action::Log(line));
            }
            S::Selected(original, variants) => {
                let chosen = variants.iter().find(|one| self.is_chosen(one.mutant));
                return self.statements(chosen.map_or(original, |one| &one.statements));
            }
        }
        Ok(Flow::Next)
    }

    fn repeat(&mut self, id: LoopId, body: &[Statement]) -> Result<Flow, End> {
        let program = self.program;
        for _ in 0..self.options.bounds.of_loop(program, id) {
            match self.statements(body)? {
                Flow::Next => {}
                leaves => return Ok(leaves),
            }
        }
        Err(self.unwound(program.loops[id.0 as usize].place))
    }

    /// A bound is reached.
    fn unwound(&mut self, place: Span) -> End {
        let check = proofmark_model::program::Check::new(CheckKind::Unwinding, place);
        match self.fail(CheckKind::Unwinding, place) {
            Ok(()) => End::Over(check),
            Err(end) => end,
        }
    }

    fn assign(&mut self, to: &Lvalue, value: Value, sort: Scalar, place: Span) -> Result<(), End> {
        let location = self.locate(to)?;
        let size = sort.size() as usize;
        self.store(location, value, size)?;
        if self.records() {
            let shown = self.shown_store(location.pointer, value, sort);
            if let Some((name, value)) = shown {
                self.step(place, || Action::Store(name, value));
            }
        }
        Ok(())
    }

    /// A local begins with any bytes.
    fn declare(&mut self, id: VariableId) -> Result<(), End> {
        let variable = self.program.variable(id);
        let (size, place) = (variable.sort.size(), variable.place);
        if size > LARGEST {
            return Err(End::Limit);
        }
        let reason = InputReason::Uninitialised(id);
        let bytes = self.ask(size as usize, reason, place);
        let known = self.frames.last().and_then(|frame| frame.locals.get(&id));
        match known.copied() {
            Some(object) => self.memory.renew(object, bytes),
            None => {
                self.make_local(id, bytes)?;
            }
        }
        Ok(())
    }

    pub(super) fn make_local(&mut self, id: VariableId, bytes: Vec<u8>) -> Result<u32, End> {
        let object = self.memory.make(bytes, Owner::Variable(id));
        let object = object.ok_or(End::Limit)?;
        if let Some(frame) = self.frames.last_mut() {
            frame.locals.insert(id, object);
        }
        Ok(object)
    }

    fn allocate(
        &mut self,
        to: &Lvalue,
        size: u64,
        filling: Filling,
        place: Span,
    ) -> Result<(), End> {
        if size > LARGEST {
            return Err(End::Limit);
        }
        let bytes = match filling {
            Filling::Zero => vec![0; size as usize],
            Filling::Any => self.ask(size as usize, InputReason::Allocated, place),
        };
        let object = self.memory.allocate(bytes).ok_or(End::Limit)?;
        let bits = pointer::encode(object, 0);
        self.assign(to, Value { bits, object }, Scalar::Pointer, place)
    }

    fn free(&mut self, pointer: Value, place: Span) -> Result<(), End> {
        if pointer.bits == 0 {
            return Ok(());
        }
        let spot = self.memory.find(pointer, 0).filter(|spot| spot.offset == 0);
        let object = spot.and_then(|spot| self.memory.object(spot.object));
        match object.map(|object| object.owner) {
            Some(Owner::Allocated(_)) => {
                self.memory.end(pointer.object);
                Ok(())
            }
            _ => self.fail(CheckKind::Pointer, place),
        }
    }

    fn copy(&mut self, to: &Expression, from: &Expression, size: &Expression) -> Result<(), End> {
        let target = Location::of_pointer(self.evaluate(to)?, to.place);
        let source = Location::of_pointer(self.evaluate(from)?, from.place);
        let size = self.evaluate(size)?.bits;
        if size == 0 {
            return Ok(());
        }
        let read = self.access(source, size)?;
        let written = self.access(target, size)?;
        if size > LARGEST {
            return Err(End::Limit);
        }
        let (Some(read), Some(written)) = (read, written) else {
            return Ok(());
        };
        let further = |spot: Spot, at: usize| Spot {
            offset: spot.offset + at,
            ..spot
        };
        let bytes = (0..size as usize).map(|at| self.memory.read(further(read, at), 1));
        let bytes: Vec<Value> = bytes.collect();
        for (at, byte) in bytes.into_iter().enumerate() {
            self.memory.write(further(written, at), byte, 1);
        }
        Ok(())
    }

    fn fill(&mut self, to: &Expression, value: &Expression, size: &Expression) -> Result<(), End> {
        let target = Location::of_pointer(self.evaluate(to)?, to.place);
        let value = self.evaluate(value)?;
        let size = self.evaluate(size)?.bits;
        if size == 0 {
            return Ok(());
        }
        if let Some(start) = self.access(target, size)? {
            for at in 0..size as usize {
                let mut spot = start;
                spot.offset += at;
                self.memory.write(spot, value, 1);
            }
        }
        Ok(())
    }

    fn call_statement(
        &mut self,
        result: Option<&(Lvalue, Scalar)>,
        callee: &Callee,
        arguments: &[Expression],
        place: Span,
    ) -> Result<(), End> {
        let pointer = match callee {
            Callee::Function(_) => None,
            Callee::Pointer(pointer) => Some(self.evaluate(pointer)?),
        };
        let values = arguments.iter().map(|one| self.evaluate(one));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let wanted = result.map(|(_, sort)| *sort);
        let function = match (callee, pointer) {
            (Callee::Function(function), _) => Some(*function),
            (_, Some(pointer)) => self.pointed_function(pointer, arguments, wanted),
            (_, None) => None,
        };
        let value = match function {
            Some(function) => self.call(function, &values, place)?,
            None => {
                self.fail(CheckKind::Pointer, place)?;
                self.anything(wanted, InputReason::Invalid, place)
            }
        };
        if let (Some((to, sort)), Some(value)) = (result, value) {
            self.assign(to, value, *sort, place)?;
        }
        Ok(())
    }

    /// The function that a pointer leads to, if it can be called like this.
    fn pointed_function(
        &self,
        pointer: Value,
        arguments: &[Expression],
        wanted: Option<Scalar>,
    ) -> Option<FunctionId> {
        let (object, offset) = pointer::decode(pointer.bits);
        let position = object.checked_sub(1)?;
        let function = self.program.functions.get(position as usize)?;
        let sizes = arguments.iter().map(|one| one.sort.size());
        let parameters = function.parameters.iter();
        let has = parameters.map(|one| self.program.variable(*one).sort.size());
        let returns =
            wanted.is_none_or(|wanted| function.result.map(Scalar::bits) == Some(wanted.bits()));
        let is_it = offset == 0 && pointer.object == object && has.eq(sizes) && returns;
        is_it.then_some(FunctionId(position))
    }

    fn anything(
        &mut self,
        sort: Option<Scalar>,
        reason: InputReason,
        place: Span,
    ) -> Option<Value> {
        let sort = sort?;
        let mut bits = self.ask_number(sort.size() as usize, reason, place);
        if sort == Scalar::BOOLEAN {
            bits &= 1;
        }
        Some(Value { bits, object: 0 })
    }

    fn call(&mut self, id: FunctionId, values: &[Value], at: Span) -> Result<Option<Value>, End> {
        let program = self.program;
        let function = program.function(id);
        let Some(body) = &function.body else {
            return Ok(self.anything(function.result, InputReason::Undefined(id), at));
        };
        let open = self.frames.iter().filter(|frame| frame.function == id);
        if open.count() >= self.options.bounds.of_function(program, id) as usize {
            return Err(self.unwound(function.place));
        }
        if self.frames.len() >= DEEPEST {
            return Err(End::Limit);
        }
        self.step(at, || Action::Call(id));
        self.frames.push(Frame {
            function: id,
            ..Frame::default()
        });
        for (parameter, value) in function.parameters.iter().zip(values) {
            let size = program.variable(*parameter).sort.size() as usize;
            let object = self.make_local(*parameter, vec![0; size])?;
            self.put(object, 0, *value, size.min(8));
            self.show_parameter(*parameter, *value, function.place);
        }
        let value = match self.statements(body)? {
            Flow::Return(value) => value,
            _ => self.anything(function.result, InputReason::NoReturn(id), function.place),
        };
        self.show_return(value, function.result, at);
        if let Some(frame) = self.frames.pop() {
            frame.locals.values().for_each(|one| self.memory.end(*one));
        }
        Ok(value)
    }
}
