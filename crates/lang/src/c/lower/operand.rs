//! What an expression is: a place in memory, a value, a function, or nothing; and how one becomes another.

use super::{Lowered, Lowerer, constant_of, load, variable_place};
use crate::c::types::{Bits, CType, INT};
use proofmark_model::program::{
    Binary, Expression, ExpressionKind, FunctionId, Lvalue, LvalueKind, Scalar, StatementKind,
    Unary,
};
use proofmark_source::Span;

/// A place in memory with its type.
#[derive(Clone, Debug)]
pub(super) struct Location {
    pub at: Lvalue,
    pub sort: CType,
    pub bits: Option<Bits>,
}

/// A scalar with its type.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub expression: Expression,
    pub sort: CType,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    Place(Location),
    Value(Value),
    /// By its position among the functions.
    Function(usize, Span),
    Nothing,
}

pub(super) fn unary(operator: Unary, of: Expression, place: Span) -> Expression {
    Expression {
        sort: of.sort,
        kind: ExpressionKind::Unary(operator, Box::new(of)),
        place,
    }
}

pub(super) fn binary(
    operator: Binary,
    one: Expression,
    other: Expression,
    sort: Scalar,
    place: Span,
) -> Expression {
    Expression {
        kind: ExpressionKind::Binary(operator, Box::new(one), Box::new(other)),
        sort,
        place,
    }
}

/// In another sort; a constant is converted at once.
pub(super) fn cast(of: Expression, sort: Scalar) -> Expression {
    if of.sort == sort {
        return of;
    }
    let place = of.place;
    if let ExpressionKind::Constant(value) = of.kind
        && sort != Scalar::Pointer
        && of.sort != Scalar::Pointer
    {
        return constant_of(extended(value, of.sort), sort, place);
    }
    Expression {
        kind: ExpressionKind::Cast(Box::new(of)),
        sort,
        place,
    }
}

/// The 64 bits of a value of fewer.
pub(super) fn extended(value: u64, sort: Scalar) -> u64 {
    let free = 64 - sort.bits();
    match sort.is_signed() {
        true => ((value << free) as i64 >> free) as u64,
        false => value << free >> free,
    }
}

pub(super) fn address(of: Lvalue, place: Span) -> Expression {
    // What a pointer leads to is where it leads.
    if let LvalueKind::Dereference(pointer) = of.kind {
        return *pointer;
    }
    Expression {
        kind: ExpressionKind::AddressOf(Box::new(of)),
        sort: Scalar::Pointer,
        place,
    }
}

pub(super) fn dereference(pointer: Expression, place: Span) -> Lvalue {
    // The address of a place leads there.
    if let ExpressionKind::AddressOf(of) = pointer.kind {
        return *of;
    }
    Lvalue {
        kind: LvalueKind::Dereference(Box::new(pointer)),
        place,
    }
}

impl Lowerer<'_> {
    /// The value of an operand; arrays and functions become pointers.
    pub(super) fn value(&mut self, operand: Operand, span: Span) -> Lowered<Value> {
        match operand {
            Operand::Value(value) => Ok(value),
            Operand::Place(place) => self.load(place, span),
            Operand::Function(at, place) => {
                let id = self.function_id(at);
                let sort = CType::Function(self.functions[at].signature.clone().into());
                let expression = Expression {
                    kind: ExpressionKind::AddressOfFunction(id),
                    sort: Scalar::Pointer,
                    place,
                };
                let sort = CType::pointer(sort);
                Ok(Value { expression, sort })
            }
            Operand::Nothing => {
                let message = "this has no value, and one is needed";
                self.error(span, message, "call a function that returns something")
            }
        }
    }

    fn load(&mut self, place: Location, span: Span) -> Lowered<Value> {
        if matches!(place.sort, CType::Array(..) | CType::Function(_)) {
            let sort = place.sort.decayed();
            let expression = address(place.at, span);
            return Ok(Value { expression, sort });
        }
        let scalar = self.scalar_of(&place.sort, span)?;
        let Some(bits) = place.bits else {
            let expression = load(place.at, scalar);
            let sort = place.sort;
            return Ok(Value { expression, sort });
        };
        let unit = unit_of(scalar);
        let expression = self.extract(load(place.at, unit), bits);
        let fits = bits.width < 32 || bits.width == 32 && unit.is_signed();
        // C11 6.3.1.1: what an `int` can hold is computed with as `int`, whatever the field is declared as.
        Ok(match fits {
            true => Value {
                expression: cast(expression, Scalar::signed(32)),
                sort: INT,
            },
            false => Value {
                expression,
                sort: place.sort,
            },
        })
    }

    /// A bit-field of the integer around it.
    fn extract(&mut self, whole: Expression, bits: Bits) -> Expression {
        let (sort, place) = (whole.sort, whole.place);
        let amount = |by: u32| constant_of(u64::from(by), sort_of_amount(), place);
        let left = sort.bits().saturating_sub(bits.shift + bits.width);
        let right = sort.bits() - bits.width;
        let up = binary(Binary::ShiftLeft, whole, amount(left), sort, place);
        binary(Binary::ShiftRight, up, amount(right), sort, place)
    }

    /// Stores a value, which has been converted.
    pub(super) fn store(&mut self, to: &Location, value: Expression, span: Span) {
        let stored = match to.bits {
            Some(bits) => self.inserted(to, bits, value, span),
            None => value,
        };
        self.emit(StatementKind::Assign(to.at.clone(), stored), span);
    }

    /// The integer around a bit-field with the field changed.
    fn inserted(&mut self, to: &Location, bits: Bits, value: Expression, span: Span) -> Expression {
        let sort = unit_of(value.sort);
        let value = cast(value, sort);
        let ones = u64::MAX >> (64 - bits.width.clamp(1, 64));
        let mask = ones << bits.shift;
        let whole = load(to.at.clone(), sort);
        let constant = |value| constant_of(value, sort, span);
        let kept = binary(Binary::BitAnd, whole, constant(!mask), sort, span);
        let amount = constant_of(u64::from(bits.shift), sort_of_amount(), span);
        let moved = binary(Binary::ShiftLeft, value, amount, sort, span);
        let moved = binary(Binary::BitAnd, moved, constant(mask), sort, span);
        binary(Binary::BitOr, kept, moved, sort, span)
    }

    /// Keeps a value in a variable of our own, so that it stays whatever happens.
    pub(super) fn kept(&mut self, value: Value, span: Span) -> Value {
        if matches!(value.expression.kind, ExpressionKind::Constant(_)) {
            return value;
        }
        let scalar = value.expression.sort;
        let id = self.temporary(&value.sort, span);
        let to = variable_place(id, span);
        self.emit(StatementKind::Assign(to.clone(), value.expression), span);
        Value {
            expression: load(to, scalar),
            sort: value.sort,
        }
    }

    /// Whether a scalar is not zero.
    pub(super) fn truth(&mut self, value: Value) -> Expression {
        let expression = value.expression;
        if expression.sort == Scalar::BOOLEAN {
            return expression;
        }
        if let ExpressionKind::Cast(of) = &expression.kind
            && of.sort == Scalar::BOOLEAN
        {
            return (**of).clone();
        }
        let (sort, place) = (expression.sort, expression.place);
        if let ExpressionKind::Constant(value) = expression.kind {
            return constant_of(u64::from(value != 0), Scalar::BOOLEAN, place);
        }
        let zero = constant_of(0, sort, place);
        binary(Binary::NotEqual, expression, zero, Scalar::BOOLEAN, place)
    }

    /// A value in another type, as by a cast.
    pub(super) fn converted(&mut self, value: Value, sort: &CType, span: Span) -> Lowered<Value> {
        let scalar = self.scalar_of(sort, span)?;
        let expression = match scalar {
            Scalar::BOOLEAN => self.truth(value),
            _ => cast(value.expression, scalar),
        };
        let sort = sort.clone();
        Ok(Value { expression, sort })
    }

    /// A value in the type of what it is stored in, as by `=`.
    pub(super) fn assigned(&mut self, value: Value, sort: &CType, span: Span) -> Lowered<Value> {
        self.check_assigned(&value, sort, span)?;
        self.converted(value, sort, span)
    }

    fn check_assigned(&mut self, value: &Value, sort: &CType, span: Span) -> Lowered<()> {
        if let Some(what) = sort.refusal() {
            return self.refuse(span, what);
        }
        let from = &value.sort;
        let is_zero = matches!(value.expression.kind, ExpressionKind::Constant(0));
        let fits = match (from, sort) {
            (from, to) if from.is_integer() && to.is_integer() => true,
            (CType::Pointer(_), CType::Bool) => true,
            (CType::Pointer(one), CType::Pointer(other)) => {
                if !self.are_like(one, other) {
                    let (from, to) = (self.name_of(from), self.name_of(sort));
                    let message = format!("`{from}` becomes `{to}` without a cast");
                    self.warn(span, message, "write a cast if this is meant");
                }
                true
            }
            (from, CType::Pointer(_)) if from.is_integer() => {
                if !is_zero {
                    let message =
                        format!("an integer becomes `{}` without a cast", self.name_of(sort));
                    self.warn(span, message, "write a cast if this is meant");
                }
                true
            }
            (CType::Pointer(_), to) if to.is_integer() => {
                let message = format!("`{}` becomes an integer without a cast", self.name_of(from));
                self.warn(span, message, "write a cast if this is meant");
                true
            }
            _ => false,
        };
        if fits {
            return Ok(());
        }
        let (from, to) = (self.name_of(from), self.name_of(sort));
        let message = format!("expected a value of type `{to}`, found one of type `{from}`");
        self.error(span, message, "take a value of another type")
    }

    /// Whether pointers to both may stand for each other without a word.
    fn are_like(&self, one: &CType, other: &CType) -> bool {
        match (one, other) {
            (CType::Void, _) | (_, CType::Void) => true,
            // Signs of what is pointed to are nothing to warn about.
            (CType::Integer(one), CType::Integer(other)) => one.rank.bits() == other.rank.bits(),
            (CType::Record(one), CType::Record(other)) => {
                self.types.records[*one].name == self.types.records[*other].name
            }
            (CType::Array(one, _), CType::Array(other, _)) => self.are_like(one, other),
            (CType::Function(_), CType::Function(_)) => true,
            (CType::Pointer(one), CType::Pointer(other)) => self.are_like(one, other),
            (CType::Enum(_), CType::Enum(_) | CType::Integer(_)) => true,
            (CType::Integer(_), CType::Enum(_)) => true,
            (one, other) => one == other,
        }
    }

    /// The address of what an operand is.
    pub(super) fn pointer_to(&mut self, operand: Operand, span: Span) -> Lowered<Value> {
        match operand {
            Operand::Place(Location { bits: Some(_), .. }) => {
                let message = "a bit-field has no address";
                self.error(span, message, "take the address of the structure")
            }
            Operand::Place(place) => Ok(Value {
                sort: CType::pointer(place.sort),
                expression: address(place.at, span),
            }),
            Operand::Function(..) => self.value(operand, span),
            _ => {
                let message = "`&` needs something that is stored";
                self.error(span, message, "store the value in a variable")
            }
        }
    }

    /// The function that is pointed to by its name; one without a body gets a place, too.
    pub(super) fn function_id(&mut self, at: usize) -> FunctionId {
        if let Some(id) = self.functions[at].id {
            return id;
        }
        let known = self.functions[at].clone();
        let result = self.types.scalar(&known.signature.result);
        let hidden = matches!(known.signature.result, CType::Record(_));
        let hidden = hidden.then(|| CType::pointer(CType::Void));
        let sorts = hidden.into_iter().chain(known.signature.parameters.clone());
        let sorts: Vec<CType> = sorts.collect();
        let parameters = sorts.iter().map(|sort| {
            let layout = self.types.layout(sort);
            self.variable("", layout, known.place)
        });
        let parameters = parameters.collect();
        let id = self
            .program
            .add_function(proofmark_model::program::Function {
                name: known.name.as_str().into(),
                parameters,
                result,
                body: None,
                place: known.place,
            });
        self.functions[at].id = Some(id);
        id
    }
}

/// In what a bit-field is read and written; one of a truth value is a bit of a byte.
fn unit_of(field: Scalar) -> Scalar {
    match field {
        Scalar::BOOLEAN => Scalar::unsigned(8),
        other => other,
    }
}

/// How far a shift goes is told in this.
pub(super) fn sort_of_amount() -> Scalar {
    Scalar::unsigned(32)
}
