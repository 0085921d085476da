//! What people see of a run: names and values as the types have them, and the log.

use super::memory::Owner;
use super::{Action, End, Machine, Record, Value};
use proofmark_model::program::{Conversion, Padding, Piece, Scalar, Type, VariableId, pointer};
use proofmark_source::Span;

/// How many characters of a string are shown.
const LONGEST: usize = 4096;

/// A number by its sign.
fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    ((bits << unused) as i64) >> unused
}

impl Machine<'_> {
    pub(super) fn records(&self) -> bool {
        self.options.record == Record::Steps
    }

    /// The name of what a pointer leads to, and a value as it is stored there. What the front end
    /// made has no name.
    pub(super) fn shown_store(
        &self,
        to: Value,
        value: Value,
        sort: Scalar,
    ) -> Option<(String, String)> {
        let (object, offset) = pointer::decode(to.bits);
        let owner = self.memory.object(object)?.owner;
        let offset = u64::try_from(offset).ok()?;
        match owner {
            Owner::Variable(id) => {
                let variable = self.program.variable(id);
                if variable.name.is_empty() {
                    return None;
                }
                let (path, part) = path(&variable.sort, offset, sort.size());
                let shown = self.shown(value, sort, part);
                Some((format!("{}{path}", variable.name), shown))
            }
            Owner::Allocated(number) => {
                let name = format!("object {number} at {offset}");
                Some((name, self.shown(value, sort, None)))
            }
            Owner::Nobody => None,
        }
    }

    /// A value as its type has it.
    fn shown(&self, value: Value, sort: Scalar, part: Option<&Type>) -> String {
        match part {
            Some(Type::Boolean) => (value.bits != 0).to_string(),
            Some(Type::Enumeration { bits, names, .. }) => {
                let number = signed(value.bits, u32::from(*bits));
                let name = names.iter().find(|(_, one)| *one == number);
                name.map_or_else(|| number.to_string(), |(name, _)| name.to_string())
            }
            _ => match sort {
                Scalar::Pointer => self.shown_pointer(value),
                _ if sort.is_signed() => signed(value.bits, sort.bits()).to_string(),
                _ => value.bits.to_string(),
            },
        }
    }

    fn shown_pointer(&self, value: Value) -> String {
        if value.bits == 0 {
            return "NULL".into();
        }
        let (object, offset) = pointer::decode(value.bits);
        if let Some(function) = object.checked_sub(1)
            && let Some(function) = self.program.functions.get(function as usize)
        {
            return function.name.to_string();
        }
        let found = self
            .memory
            .object(object)
            .filter(|_| object == value.object);
        match found.map(|object| object.owner) {
            Some(Owner::Variable(id)) => {
                let variable = self.program.variable(id);
                let inside = u64::try_from(offset).ok();
                let inside = inside.filter(|offset| *offset < variable.sort.size());
                match inside.map(|offset| path(&variable.sort, offset, 1).0) {
                    Some(path) => format!("&{}{path}", variable.name),
                    None => format!("&{} + {offset}", variable.name),
                }
            }
            Some(Owner::Allocated(number)) if offset == 0 => format!("object {number}"),
            Some(Owner::Allocated(number)) => format!("object {number} + {offset}"),
            _ => "invalid".into(),
        }
    }

    pub(super) fn show_parameter(&mut self, id: VariableId, value: Value, place: Span) {
        if !self.records() || self.name_of(id).is_empty() {
            return;
        }
        let variable = self.program.variable(id);
        let sort = scalar(&variable.sort);
        let shown = self.shown(value, sort, Some(&*variable.sort));
        let name = variable.name.to_string();
        self.step(place, || Action::Store(name, shown));
    }

    pub(super) fn show_return(&mut self, value: Option<Value>, sort: Option<Scalar>, place: Span) {
        if self.records() {
            let both = value.zip(sort);
            let shown = both.map(|(value, sort)| self.shown(value, sort, None));
            self.step(place, || Action::Return(shown));
        }
    }

    /// A line of the log.
    pub(super) fn format(&mut self, pieces: &[Piece]) -> Result<String, End> {
        let mut line = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => line.push_str(text),
                Piece::Value {
                    expression,
                    conversion,
                    width,
                    padding,
                } => {
                    let value = self.evaluate(expression)?;
                    let text = self.converted(value, expression.sort, *conversion);
                    line.push_str(&padded(text, *width as usize, *padding));
                }
            }
        }
        Ok(line)
    }

    fn converted(&self, value: Value, sort: Scalar, conversion: Conversion) -> String {
        let bits = value.bits;
        match conversion {
            Conversion::Decimal if sort.is_signed() => signed(bits, sort.bits()).to_string(),
            Conversion::Decimal => bits.to_string(),
            Conversion::Hexadecimal => format!("{bits:x}"),
            Conversion::CapitalHexadecimal => format!("{bits:X}"),
            Conversion::Octal => format!("{bits:o}"),
            Conversion::Character => char::from(bits as u8).to_string(),
            Conversion::String => self.string_at(value),
            Conversion::Pointer => self.shown_pointer(value),
        }
    }

    /// The characters from a pointer on up to a zero.
    fn string_at(&self, value: Value) -> String {
        let Some(start) = self.memory.find(value, 1) else {
            return self.shown_pointer(value);
        };
        let bytes = (start.offset..).map_while(|at| self.memory.byte(start.object, at));
        let bytes = bytes.take_while(|byte| *byte != 0).take(LONGEST);
        bytes.map(char::from).collect()
    }
}

fn padded(text: String, width: usize, padding: Padding) -> String {
    match padding {
        Padding::Left => format!("{text:>width$}"),
        Padding::Right => format!("{text:<width$}"),
        Padding::Zeros => match text.strip_prefix('-') {
            Some(digits) => format!("-{digits:0>width$}", width = width.saturating_sub(1)),
            None => format!("{text:0>width$}"),
        },
    }
}

/// The sort of a parameter.
fn scalar(sort: &Type) -> Scalar {
    match sort {
        Type::Integer { bits, signed } | Type::Enumeration { bits, signed, .. } => {
            Scalar::Integer {
                bits: *bits,
                signed: *signed,
            }
        }
        Type::Boolean => Scalar::unsigned(8),
        _ => Scalar::Pointer,
    }
}

/// How a part of an object is named (`[2].next`), and its type.
fn path(sort: &Type, offset: u64, size: u64) -> (String, Option<&Type>) {
    match sort {
        Type::Array { element, .. } if element.size() > 0 => {
            let step = element.size();
            let (rest, part) = path(element, offset % step, size);
            (format!("[{}]{rest}", offset / step), part)
        }
        Type::Record { fields, .. } => {
            let holds = |start: u64, end: u64| start <= offset && offset + size <= end;
            let field = fields
                .iter()
                .find(|field| holds(field.offset, field.offset + field.sort.size()));
            match field {
                Some(field) => {
                    let (rest, part) = path(&field.sort, offset - field.offset, size);
                    (format!(".{}{rest}", field.name), part)
                }
                None => (format!(" at {offset}"), None),
            }
        }
        _ if offset == 0 => (String::new(), (sort.size() == size).then_some(sort)),
        _ => (format!(" at {offset}"), None),
    }
}
