//! Statements: the state goes through them, parts at conditions and meets again.
//!
//! A jump puts the state aside under its label, and whoever comes to the label takes it up. A loop is its body as
//! often as the bound has it; a call is the body of what is called, with objects of its own.

use super::memory::{Location, Purpose, to_bytes};
use super::state::{Byte, Content, State, ZERO};
use super::value::{Targets, Value, constant_of, resize, word};
use super::{Encoder, Frame, Object, Stop};
use proofmark_model::graph::{Signal, Word};
use proofmark_model::program::{
    Callee, CheckKind, Expression, Filling, FunctionId, InputReason, LabelId, LoopId, Lvalue,
    Piece, Scalar, Statement, StatementKind, StatementVariant, VariableId, pointer,
};
use proofmark_source::Span;

/// How many bytes an object has at most.
const LARGEST: u64 = 1 << 20;

/// How many bytes an object has whose size is not known.
const UNKNOWN_SIZE: u64 = 256;

/// How many calls may be open at a time, whatever the bounds are.
const DEEPEST: usize = 500;

impl Encoder<'_> {
    pub(super) fn statements(&mut self, statements: &[Statement]) -> Result<(), Stop> {
        for statement in statements {
            if let StatementKind::Label(label) = statement.kind {
                self.take_up(label);
            } else if self.now.is_some() {
                self.look_around()?;
                self.statement(statement)?;
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Stop> {
        use StatementKind as S;
        let place = statement.place;
        match &statement.kind {
            S::Label(_) => {}
            S::Declare(variable) => self.declare(*variable)?,
            S::End(variable) => self.end(*variable),
            S::Assign(to, value) => {
                let value = self.evaluate(value)?;
                self.assign(to, &value)?;
            }
            S::Input(to, sort, name) => {
                let reason = InputReason::Asked(name.clone());
                let mut bits = self.input(sort.size() as usize, reason, place);
                bits.truncate(sort.bits() as usize);
                self.assign(to, &Value::number(bits))?;
            }
            S::CopyBytes { to, from, size } => self.copy(to, from, size)?,
            S::FillBytes { to, value, size } => self.fill(to, value, size)?,
            S::Allocate { to, size, filling } => self.allocate(to, size, *filling, place)?,
            S::Free(pointer) => self.free(pointer, place)?,
            S::Call {
                result,
                callee,
                arguments,
            } => self.call_statement(result.as_ref(), callee, arguments, place)?,
            S::Return(value) => {
                let value = value.as_ref().map(|value| self.evaluate(value));
                self.leave(value.transpose()?);
            }
            S::If(condition, then, otherwise) => {
                let condition = self.evaluate(condition)?.truth();
                self.branch(
                    condition,
                    |encoder| encoder.statements(then),
                    |encoder| encoder.statements(otherwise),
                )?;
            }
            S::Loop(id, body) => self.repeat(*id, body)?,
            S::Goto(label) => self.put_aside(*label),
            S::Assert(condition, _) => {
                let holds = self.evaluate(condition)?.truth();
                self.check(CheckKind::Assertion, place, !holds);
            }
            S::Assume(condition) => {
                let holds = self.evaluate(condition)?.truth();
                self.assume(holds);
            }
            S::Log(pieces) => self.log(pieces)?,
            S::Selected(original, variants) => self.selected(original, variants)?,
        }
        Ok(())
    }

    /// Runs go on where a condition holds.
    fn assume(&mut self, holds: Signal) {
        self.push(holds);
        if self.now().guard.all() == Signal::FALSE {
            self.now = None;
        }
    }

    /// One of two ways, by a condition.
    fn branch(
        &mut self,
        condition: Signal,
        then: impl FnOnce(&mut Self) -> Result<(), Stop>,
        otherwise: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let known = match condition.is_constant() {
            true => Some(condition == Signal::TRUE),
            false => self.now().guard.decides(condition),
        };
        match known {
            Some(true) => return then(self),
            Some(false) => return otherwise(self),
            None => {}
        }
        let other = self.now.clone();
        self.assume(condition);
        if self.now.is_some() {
            then(self)?;
        }
        let first = std::mem::replace(&mut self.now, other);
        self.assume(!condition);
        if self.now.is_some() {
            otherwise(self)?;
        }
        self.now = self.merged(first);
        Ok(())
    }

    /// The runs of a state and those that are here, who go on together.
    fn merged(&mut self, first: Option<State>) -> Option<State> {
        match (first, self.now.take()) {
            (Some(first), Some(second)) => Some(first.merge(&mut self.netlist.graph, second)),
            (first, second) => first.or(second),
        }
    }

    fn put_aside(&mut self, label: LabelId) {
        let before = self.frame_mut().pending.remove(&label);
        if let Some(state) = self.merged(before) {
            self.frame_mut().pending.insert(label, state);
        }
    }

    fn take_up(&mut self, label: LabelId) {
        if let Some(state) = self.frame_mut().pending.remove(&label) {
            self.now = self.merged(Some(state));
        }
    }

    /// The call ends here.
    fn leave(&mut self, value: Option<Value>) {
        self.now_mut().result = value;
        let before = self.frame_mut().returned.take();
        let state = self.merged(before);
        self.frame_mut().returned = state;
    }

    fn repeat(&mut self, id: LoopId, body: &[Statement]) -> Result<(), Stop> {
        let bound = self.options.bounds.of_loop(self.program, id);
        for _ in 0..bound {
            self.statements(body)?;
            if self.now.is_none() {
                return Ok(());
            }
        }
        let place = self.program.loops[id.0 as usize].place;
        self.check(CheckKind::Unwinding, place, Signal::TRUE);
        self.now = None;
        Ok(())
    }

    fn selected(
        &mut self,
        original: &[Statement],
        variants: &[StatementVariant],
    ) -> Result<(), Stop> {
        let Some((variant, rest)) = variants.split_first() else {
            return self.statements(original);
        };
        let selector = self.selector(variant.mutant);
        self.branch(
            selector,
            |encoder| encoder.statements(&variant.statements),
            |encoder| encoder.selected(original, rest),
        )
    }

    pub(super) fn assign(&mut self, to: &Lvalue, value: &Value) -> Result<(), Stop> {
        let location = self.locate(to, Purpose::Access)?;
        self.write(&location, value);
        Ok(())
    }

    /// A local holds anything.
    fn declare(&mut self, variable: VariableId) -> Result<(), Stop> {
        let declared = self.program.variable(variable);
        let bytes = declared.sort.size();
        let place = declared.place;
        let object = self.local(variable)?;
        let reason = InputReason::Uninitialised(variable);
        self.make(object, bytes, Filling::Any, reason, place)
    }

    /// The object of a local within this call.
    pub(super) fn local(&mut self, variable: VariableId) -> Result<u32, Stop> {
        if let Some(object) = self.frame_mut().locals.get(&variable) {
            return Ok(*object);
        }
        let bytes = self.program.variable(variable).sort.size();
        let object = self.new_object(word(bytes, 48), None)?;
        self.frame_mut().locals.insert(variable, object);
        Ok(object)
    }

    fn end(&mut self, variable: VariableId) {
        let object = self.frame_mut().locals.get(&variable).copied();
        let state = self.now_mut();
        if let Some(content) = object.and_then(|object| state.object(object)) {
            let live = Signal::FALSE;
            let content = Content {
                live,
                ..Content::clone(content)
            };
            state.set(object.unwrap_or_default(), content);
        }
    }

    /// Gives an object what it holds at first.
    pub(super) fn make(
        &mut self,
        object: u32,
        bytes: u64,
        filling: Filling,
        reason: InputReason,
        place: Span,
    ) -> Result<(), Stop> {
        if bytes > LARGEST {
            return Err(Stop::Object(place, bytes));
        }
        let bytes = match filling {
            Filling::Zero => vec![ZERO; bytes as usize],
            Filling::Any => {
                let bits = self.input(bytes as usize, reason, place);
                to_bytes(&Value::number(bits))
            }
        };
        let content = Content {
            bytes,
            targets: Targets::default(),
            live: Signal::TRUE,
        };
        self.now_mut().set(object, content);
        Ok(())
    }

    pub(super) fn new_object(
        &mut self,
        size: Word,
        allocated: Option<Signal>,
    ) -> Result<u32, Stop> {
        let object = self.objects.len() as u32;
        if object + 1 >= pointer::MOST_OBJECTS {
            return Err(Stop::Objects);
        }
        self.objects.push(Object { size, allocated });
        Ok(object)
    }

    fn allocate(
        &mut self,
        to: &Lvalue,
        size: &Expression,
        filling: Filling,
        place: Span,
    ) -> Result<(), Stop> {
        let size = self.evaluate(size)?.bits;
        let capacity = match constant_of(&size) {
            Some(size) => size,
            None => {
                let capacity = greatest(&size).min(UNKNOWN_SIZE);
                let fits = self.graph().unsigned_le(&size, &word(capacity, 64));
                let guard = self.now().guard.all();
                let beyond = self.graph().and(guard, !fits);
                self.limits.push((beyond, place));
                self.assume(fits);
                if self.now.is_none() {
                    return Ok(());
                }
                capacity
            }
        };
        let guard = self.now().guard.all();
        let object = self.new_object(size[..48].to_vec(), Some(guard))?;
        self.make(object, capacity, filling, InputReason::Allocated, place)?;
        self.assign(to, &Value::address(object))
    }

    fn free(&mut self, pointer: &Expression, place: Span) -> Result<(), Stop> {
        let value = self.evaluate(pointer)?;
        let null = !self.graph().or_all(&value.bits);
        let mut valid = vec![null];
        for object in value.targets.iter() {
            let is_allocated = self.objects[object as usize].allocated.is_some();
            let Some(content) = self.now().object(object).filter(|_| is_allocated).cloned() else {
                continue;
            };
            let is_this = word(pointer::encode(object, 0), 64);
            let same = self.graph().equal(&value.bits, &is_this);
            let hit = self.graph().and(same, value.genuine);
            valid.push(self.graph().and(hit, content.live));
            let live = self.graph().and(content.live, !hit);
            let content = Content {
                live,
                ..Content::clone(&content)
            };
            self.now_mut().set(object, content);
        }
        let valid = self.graph().or_all(&valid);
        self.check(CheckKind::Pointer, place, !valid);
        Ok(())
    }

    fn copy(&mut self, to: &Expression, from: &Expression, size: &Expression) -> Result<(), Stop> {
        let target = Location::of_pointer(self.evaluate(to)?, to.place);
        let source = Location::of_pointer(self.evaluate(from)?, from.place);
        let size = self.evaluate(size)?.bits;
        if let Some(bytes) = constant_of(&size) {
            if bytes == 0 {
                return Ok(());
            }
            if bytes > LARGEST {
                return Err(Stop::Object(to.place, bytes));
            }
            if self.options.checks.has(CheckKind::Pointer) {
                let value = self.read(&source, bytes as usize);
                self.write(&target, &value);
                return Ok(());
            }
        }
        self.under_some(&size, |encoder, size| {
            let read = encoder.access(&source, &size[..48]);
            let written = encoder.access(&target, &size[..48]);
            let most = encoder.capacity(&written).max(encoder.capacity(&read));
            let count = greatest(size).min(most as u64);
            let valid = encoder.graph().and(read.valid(), written.valid());
            let mut bytes = Vec::new();
            for at in 0..count {
                let offset = encoder.moved(read.offset(), at);
                let counts = encoder.counts(size, at);
                let counts = encoder.graph().and(counts, valid);
                let byte = encoder.under(counts, |encoder| Ok(encoder.byte_at(&read, &offset)))?;
                bytes.push((counts, byte));
            }
            for (at, (counts, byte)) in (0..count).zip(bytes) {
                if let Some((byte, targets)) = byte {
                    let offset = encoder.moved(written.offset(), at);
                    encoder.store(&written, &offset, counts, &[byte], &targets);
                }
            }
            Ok(())
        })
    }

    fn fill(&mut self, to: &Expression, value: &Expression, size: &Expression) -> Result<(), Stop> {
        let target = Location::of_pointer(self.evaluate(to)?, to.place);
        let value = self.evaluate(value)?;
        let size = self.evaluate(size)?.bits;
        let byte: Byte = to_bytes(&value)[0];
        self.under_some(&size, |encoder, size| {
            let written = encoder.access(&target, &size[..48]);
            let count = greatest(size).min(encoder.capacity(&written) as u64);
            for at in 0..count {
                let offset = encoder.moved(written.offset(), at);
                let counts = encoder.counts(size, at);
                encoder.store(&written, &offset, counts, &[byte], &value.targets);
            }
            Ok(())
        })
    }

    /// Does something with a number of bytes unless that is zero.
    fn under_some(
        &mut self,
        size: &[Signal],
        act: impl FnOnce(&mut Self, &[Signal]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let some = self.graph().or_all(size);
        self.branch(some, |encoder| act(encoder, size), |_| Ok(()))
    }

    /// An offset some bytes further.
    fn moved(&mut self, offset: &[Signal], by: u64) -> Word {
        let by = word(by, offset.len());
        self.graph().add(offset, &by, Signal::FALSE)
    }

    /// Whether a size is above a number.
    fn counts(&mut self, size: &[Signal], at: u64) -> Signal {
        !self.graph().unsigned_le(size, &word(at, size.len()))
    }

    fn log(&mut self, pieces: &[Piece]) -> Result<(), Stop> {
        for piece in pieces {
            if let Piece::Value { expression, .. } = piece {
                let value = self.evaluate(expression)?;
                self.observed.extend(value.bits);
            }
        }
        let guard = self.now().guard.all();
        self.observed.push(guard);
        Ok(())
    }

    fn call_statement(
        &mut self,
        result: Option<&(Lvalue, Scalar)>,
        callee: &Callee,
        arguments: &[Expression],
        place: Span,
    ) -> Result<(), Stop> {
        let pointer = match callee {
            Callee::Function(_) => None,
            Callee::Pointer(pointer) => Some(self.evaluate(pointer)?),
        };
        let values = arguments.iter().map(|one| self.evaluate(one));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        match (callee, pointer) {
            (Callee::Function(function), _) => self.call(*function, &values, place)?,
            (_, Some(pointer)) => {
                let widths: Vec<u32> = arguments.iter().map(|one| one.sort.bits()).collect();
                let wanted = result.map(|(_, sort)| *sort);
                self.call_pointer(&pointer, &widths, wanted, &values, place)?;
            }
            (_, None) => {}
        }
        let Some(state) = &mut self.now else {
            return Ok(());
        };
        let value = state.result.take();
        if let (Some((to, sort)), Some(value)) = (result, value) {
            debug_assert_eq!(value.bits.len(), sort.bits() as usize);
            self.assign(to, &value)?;
        }
        Ok(())
    }

    /// Calls whatever function a pointer leads to.
    fn call_pointer(
        &mut self,
        pointer: &Value,
        widths: &[u32],
        wanted: Option<Scalar>,
        values: &[Value],
        place: Span,
    ) -> Result<(), Stop> {
        let functions = self.program.functions.len() as u32;
        let possible: Vec<u32> = pointer
            .targets
            .iter()
            .filter(|object| *object <= functions)
            .filter(|object| self.accepts(FunctionId(object - 1), widths, wanted))
            .collect();
        let mut left = self.now.clone();
        let mut done: Option<State> = None;
        for object in possible {
            self.now = left.take();
            if self.now.is_none() {
                break;
            }
            let is_this = word(pointer::encode(object, 0), 64);
            let same = self.graph().equal(&pointer.bits, &is_this);
            let hit = self.graph().and(same, pointer.genuine);
            let other = self.now.clone();
            self.assume(hit);
            if self.now.is_some() {
                self.call(FunctionId(object - 1), values, place)?;
            }
            done = self.merged(done);
            self.now = other;
            self.assume(!hit);
            left = self.now.take();
        }
        self.now = left;
        if self.now.is_some() {
            self.check(CheckKind::Pointer, place, Signal::TRUE);
            self.no_function(wanted, place);
        }
        self.now = self.merged(done);
        Ok(())
    }

    /// A call of what is no function: the run is over, unless nobody checks.
    fn no_function(&mut self, wanted: Option<Scalar>, place: Span) {
        if self.options.checks.has(CheckKind::Pointer) {
            self.now = None;
        } else {
            self.return_anything(wanted, InputReason::Invalid, place);
        }
    }

    fn return_anything(&mut self, sort: Option<Scalar>, reason: InputReason, place: Span) {
        let value = sort.map(|sort| {
            let mut bits = self.input(sort.size() as usize, reason, place);
            bits.truncate(sort.bits() as usize);
            Value::number(bits)
        });
        self.now_mut().result = value;
    }

    /// Whether a function has parameters of these widths and a result as it is wanted.
    fn accepts(&self, function: FunctionId, widths: &[u32], wanted: Option<Scalar>) -> bool {
        let function = self.program.function(function);
        let sizes = widths.iter().map(|bits| u64::from(bits.div_ceil(8)));
        let parameters = function.parameters.iter();
        let has = parameters.map(|one| self.program.variable(*one).sort.size());
        has.eq(sizes)
            && (wanted.is_none() || function.result.map(Scalar::bits) == wanted.map(Scalar::bits))
    }

    /// Calls a function; its result is in the state.
    pub(super) fn call(
        &mut self,
        id: FunctionId,
        values: &[Value],
        place: Span,
    ) -> Result<(), Stop> {
        let function = self.program.function(id);
        let Some(body) = &function.body else {
            let reason = InputReason::Undefined(id);
            self.return_anything(function.result, reason, place);
            return Ok(());
        };
        let open = self.frames.iter().filter(|frame| frame.function == id);
        if open.count() >= self.options.bounds.of_function(self.program, id) as usize {
            self.check(CheckKind::Unwinding, function.place, Signal::TRUE);
            self.now = None;
            return Ok(());
        }
        if self.frames.len() >= DEEPEST {
            return Err(Stop::Depth(function.place));
        }
        self.now_mut().result = None;
        self.frames.push(Frame::new(id));
        self.pass(&function.parameters, values)?;
        self.statements(body)?;
        if self.now.is_some() {
            self.return_anything(function.result, InputReason::NoReturn(id), function.place);
            let value = self.now_mut().result.take();
            self.leave(value);
        }
        let frame = self.frames.pop().expect("the frame was pushed above");
        self.now = frame.returned;
        if let Some(state) = &mut self.now {
            frame
                .locals
                .values()
                .for_each(|object| state.remove(*object));
        }
        Ok(())
    }

    /// Makes the parameters of a call.
    fn pass(&mut self, parameters: &[VariableId], values: &[Value]) -> Result<(), Stop> {
        for (variable, value) in parameters.iter().zip(values) {
            let size = self.program.variable(*variable).sort.size();
            let object = self.new_object(word(size, 48), None)?;
            self.frame_mut().locals.insert(*variable, object);
            let bits = resize(&value.bits, false, size as usize * 8);
            let value = Value {
                bits,
                ..value.clone()
            };
            let content = Content {
                bytes: to_bytes(&value),
                targets: value.targets,
                live: Signal::TRUE,
            };
            self.now_mut().set(object, content);
        }
        Ok(())
    }
}

/// The greatest number that a word may be, by its constant bits.
fn greatest(bits: &[Signal]) -> u64 {
    let set = |(at, bit): (usize, &Signal)| u64::from(*bit != Signal::FALSE) << at;
    bits.iter().take(64).enumerate().map(set).sum()
}
