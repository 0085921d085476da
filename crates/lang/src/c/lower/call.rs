//! Calls: of functions with a body, through pointers, and of what has none and returns any value.

use super::operand::{Location, Operand, Value, address, cast};
use super::{Entity, Lowered, Lowerer, load, variable_place};
use crate::c::syntax::{Expr, ExprKind, Name};
use crate::c::types::{CType, INT, Signature};
use proofmark_model::Symbol;
use proofmark_model::program::{
    Binary, Callee, Expression, ExpressionKind, Lvalue, LvalueKind, Scalar, StatementKind,
};
use proofmark_source::Span;

/// What a call is made for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Value,
    Effects,
}

/// Functions of other worlds that are refused by the name of the feature.
const REFUSED: [(&str, &str); 15] = [
    ("pthread_", "threads (`pthread`)"),
    ("thrd_", "threads (`thrd`)"),
    ("__sync_", "atomic operations of threads (`__sync`)"),
    ("__atomic_", "atomic operations of threads (`__atomic`)"),
    ("atomic_", "atomic operations of threads (`atomic`)"),
    ("setjmp", "a long jump (`setjmp`)"),
    ("_setjmp", "a long jump (`setjmp`)"),
    ("sigsetjmp", "a long jump (`setjmp`)"),
    ("longjmp", "a long jump (`longjmp`)"),
    ("siglongjmp", "a long jump (`longjmp`)"),
    (
        "__builtin_va_",
        "reading the arguments of a function with `...`",
    ),
    ("__builtin_", "a function of the compiler's own"),
    ("realloc", "`realloc`"),
    ("alloca", "`alloca`"),
    ("__CPROVER_", "a function of the checker's own"),
];

impl Lowerer<'_> {
    pub(super) fn call(
        &mut self,
        callee: &Expr,
        arguments: &[Expr],
        span: Span,
        wanted: Wanted,
    ) -> Lowered<Operand> {
        if let ExprKind::Name(text) = callee.kind {
            let name = Name {
                text,
                span: callee.span,
            };
            match self.lookup(text).cloned() {
                None => return self.call_undeclared(name, arguments, span, wanted),
                Some(Entity::Function(at)) if !self.functions[at].defined => {
                    let signature = self.functions[at].signature.clone();
                    return self.call_undefined(name, Some(signature), arguments, span, wanted);
                }
                _ => {}
            }
        }
        match self.operand(callee)? {
            Operand::Function(at, place) if !self.functions[at].defined => {
                let known = self.functions[at].clone();
                let name = Name {
                    text: known.name,
                    span: place,
                };
                self.call_undefined(name, Some(known.signature), arguments, span, wanted)
            }
            Operand::Function(at, _) => self.call_defined(at, arguments, span, wanted),
            operand => {
                let pointer = self.value(operand, callee.span)?;
                self.call_pointer(pointer, arguments, span, wanted)
            }
        }
    }

    fn call_defined(
        &mut self,
        at: usize,
        arguments: &[Expr],
        span: Span,
        wanted: Wanted,
    ) -> Lowered<Operand> {
        let signature = self.functions[at].signature.clone();
        let id = self.function_id(at);
        self.call_with(Callee::Function(id), &signature, arguments, span, wanted)
    }

    fn call_pointer(
        &mut self,
        pointer: Value,
        arguments: &[Expr],
        span: Span,
        wanted: Wanted,
    ) -> Lowered<Operand> {
        let signature = match &pointer.sort {
            CType::Pointer(to) => match &**to {
                CType::Function(signature) => (**signature).clone(),
                _ => return self.not_called(&pointer, span),
            },
            _ => return self.not_called(&pointer, span),
        };
        let callee = Callee::Pointer(pointer.expression);
        self.call_with(callee, &signature, arguments, span, wanted)
    }

    fn not_called<T>(&mut self, value: &Value, span: Span) -> Lowered<T> {
        let message = format!(
            "`{}` is no function and cannot be called",
            self.name_of(&value.sort)
        );
        self.error(span, message, "call a function")
    }

    fn call_with(
        &mut self,
        callee: Callee,
        signature: &Signature,
        arguments: &[Expr],
        span: Span,
        wanted: Wanted,
    ) -> Lowered<Operand> {
        let mut given = self.arguments(signature, arguments, span)?;
        let (result, operand) = match &signature.result {
            CType::Void => (None, Operand::Nothing),
            CType::Record(_) => {
                self.size_of(&signature.result, span)?;
                let id = self.temporary(&signature.result, span);
                let at = variable_place(id, span);
                given.insert(0, address(at.clone(), span));
                let sort = signature.result.clone();
                let place = Location {
                    at,
                    sort,
                    bits: None,
                };
                (None, Operand::Place(place))
            }
            sort => {
                let scalar = self.scalar_of(sort, span)?;
                match wanted {
                    Wanted::Effects => (None, Operand::Nothing),
                    Wanted::Value => {
                        let value = self.any_place(sort, scalar, span);
                        (Some((value.0, scalar)), Operand::Value(value.1))
                    }
                }
            }
        };
        let kind = StatementKind::Call {
            result,
            callee,
            arguments: given,
        };
        self.emit(kind, span);
        Ok(operand)
    }

    /// A variable of our own and what is in it.
    fn any_place(&mut self, sort: &CType, scalar: Scalar, span: Span) -> (Lvalue, Value) {
        let id = self.temporary(sort, span);
        let to = variable_place(id, span);
        let value = Value {
            expression: load(to.clone(), scalar),
            sort: sort.clone(),
        };
        (to, value)
    }

    /// Arguments in the types of the parameters; what goes to `...` is only computed.
    fn arguments(
        &mut self,
        signature: &Signature,
        arguments: &[Expr],
        span: Span,
    ) -> Lowered<Vec<Expression>> {
        let wanted = signature.parameters.len();
        let too_many = arguments.len() > wanted && signature.known && !signature.variadic;
        if arguments.len() < wanted || too_many {
            let message = format!(
                "this function takes {wanted} arguments, and {} are given",
                arguments.len()
            );
            return self.error(span, message, "give one for each parameter");
        }
        let mut given = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let operand = self.operand(argument)?;
            match (signature.parameters.get(at), operand) {
                (Some(CType::Record(of)), Operand::Place(place))
                    if self.name_of(&place.sort) == self.name_of(&CType::Record(*of)) =>
                {
                    given.push(address(place.at, argument.span));
                }
                (Some(sort), operand) => {
                    let value = self.value(operand, argument.span)?;
                    let sort = sort.clone();
                    given.push(self.assigned(value, &sort, argument.span)?.expression);
                }
                (None, operand) => {
                    if let Some(value) = self.promoted_argument(operand, argument.span)?
                        && !signature.known
                        && wanted == 0
                    {
                        given.push(value.expression);
                    }
                }
            }
        }
        // A definition without parameters takes none, whatever is given.
        if wanted == 0 && signature.known {
            given.clear();
        }
        Ok(given)
    }

    /// An argument of a function of which no parameter is known; nothing for a record.
    pub(super) fn promoted_argument(
        &mut self,
        operand: Operand,
        span: Span,
    ) -> Lowered<Option<Value>> {
        if let Operand::Place(Location {
            sort: CType::Record(_),
            ..
        }) = operand
        {
            return Ok(None);
        }
        let value = self.value(operand, span)?;
        self.scalar_of(&value.sort, span)?;
        match self.types.promoted(&value.sort) {
            Some(promoted) => self
                .converted(value, &CType::Integer(promoted), span)
                .map(Some),
            None => Ok(Some(value)),
        }
    }

    /// Old code calls what it has not declared: it returns an `int`, whoever defines it.
    fn call_undeclared(
        &mut self,
        name: Name,
        arguments: &[Expr],
        span: Span,
        wanted: Wanted,
    ) -> Lowered<Operand> {
        let linked = self.linked.get(&name.text).copied();
        if let Some(at) = linked.filter(|at| self.functions[*at].defined) {
            if !super::is_library(name.text.as_str()) && self.warned.insert(name.text) {
                let message = format!("function `{}` is called before it is declared", name.text);
                self.warn(name.span, message, "declare it before");
            }
            return self.call_defined(at, arguments, span, wanted);
        }
        self.call_undefined(name, None, arguments, span, wanted)
    }

    /// Calls what has no body: it is known to us, or returns any value.
    fn call_undefined(
        &mut self,
        name: Name,
        signature: Option<Signature>,
        arguments: &[Expr],
        span: Span,
        wanted: Wanted,
    ) -> Lowered<Operand> {
        let text = name.text.as_str();
        let result = signature.as_ref().map(|one| one.result.clone());
        if let Some(found) = self.known_function(text, arguments, span, wanted) {
            return found;
        }
        let refused = REFUSED.iter().find(|(prefix, _)| text.starts_with(prefix));
        if let Some((prefix, what)) = refused {
            let what = match *prefix {
                "__CPROVER_" | "__builtin_" => format!("`{text}`"),
                _ => (*what).to_string(),
            };
            return self.refuse(span, &what);
        }
        match &signature {
            Some(signature) => {
                self.arguments(signature, arguments, span)?;
            }
            None => {
                for argument in arguments {
                    let operand = self.operand(argument)?;
                    self.promoted_argument(operand, argument.span)?;
                }
            }
        }
        let sort = result.unwrap_or_else(|| sort_by_name(text));
        self.warn_no_body(name, signature.is_some());
        self.any_value(name.text, &sort, span, wanted)
    }

    fn warn_no_body(&mut self, name: Name, declared: bool) {
        let text = name.text.as_str();
        let is_input = text.contains("nondet");
        if is_input || !self.warned.insert(name.text) {
            return;
        }
        let message = match declared {
            true => {
                format!("function `{text}` has no body: it returns any value and does nothing else")
            }
            false => {
                format!("function `{text}` is not declared and has no body: it returns any value")
            }
        };
        self.warn(name.span, message, "name the file that defines it");
    }

    /// Any value of a type, as a function of this name returns it.
    fn any_value(
        &mut self,
        name: Symbol,
        sort: &CType,
        span: Span,
        wanted: Wanted,
    ) -> Lowered<Operand> {
        match sort {
            CType::Void => Ok(Operand::Nothing),
            CType::Record(_) => {
                self.size_of(sort, span)?;
                let id = self.temporary(sort, span);
                let at = variable_place(id, span);
                let sort = sort.clone();
                Ok(Operand::Place(Location {
                    at,
                    sort,
                    bits: None,
                }))
            }
            _ if wanted == Wanted::Effects => Ok(Operand::Nothing),
            _ => {
                let scalar = self.scalar_of(sort, span)?;
                let (to, value) = self.any_place(sort, scalar, span);
                self.emit(StatementKind::Input(to, scalar, name.as_str().into()), span);
                Ok(Operand::Value(value))
            }
        }
    }

    /// Any value of a type that is fresh, for a function of the library.
    pub(super) fn input(&mut self, name: &str, sort: &CType, span: Span) -> Lowered<Operand> {
        self.any_value(Symbol::new(name), sort, span, Wanted::Value)
    }

    /// A place of our own for a pointer.
    pub(super) fn pointer_place(&mut self, span: Span) -> (Lvalue, Value) {
        let sort = CType::pointer(CType::Void);
        self.any_place(&sort, Scalar::Pointer, span)
    }

    /// An argument as an unsigned number of 64 bits.
    pub(super) fn size_argument(&mut self, of: &Expr) -> Lowered<Expression> {
        let value = self.rvalue(of)?;
        self.scalar_of(&value.sort, of.span)?;
        Ok(cast(value.expression, Scalar::unsigned(64)))
    }
}

/// What `__VERIFIER_nondet_uint` and its like return, when nobody declares them.
fn sort_by_name(name: &str) -> CType {
    use crate::c::syntax::Rank;
    use crate::c::types::integer;
    match name.strip_prefix("__VERIFIER_nondet_") {
        Some("bool") => CType::Bool,
        Some("char" | "schar") => integer(Rank::Char, true),
        Some("uchar" | "u8") => integer(Rank::Char, false),
        Some("short") => integer(Rank::Short, true),
        Some("ushort" | "u16") => integer(Rank::Short, false),
        Some("uint" | "unsigned" | "unsigned_int" | "u32") => integer(Rank::Int, false),
        Some("long" | "loff_t") => integer(Rank::Long, true),
        Some("ulong" | "size_t" | "u64") => integer(Rank::Long, false),
        Some("longlong") => integer(Rank::LongLong, true),
        Some("ulonglong") => integer(Rank::LongLong, false),
        Some("pointer") => CType::pointer(CType::Void),
        _ => INT,
    }
}

/// Whether nothing can go wrong with computing an expression.
pub(super) fn is_plain(of: &Expression) -> bool {
    match &of.kind {
        ExpressionKind::Constant(_) | ExpressionKind::AddressOfFunction(_) => true,
        ExpressionKind::Load(from) | ExpressionKind::AddressOf(from) => is_plain_place(from),
        ExpressionKind::Unary(_, of) | ExpressionKind::Cast(of) => is_plain(of),
        ExpressionKind::Binary(Binary::Divide | Binary::Remainder, ..) => false,
        ExpressionKind::Binary(_, one, other)
        | ExpressionKind::And(one, other)
        | ExpressionKind::Or(one, other) => is_plain(one) && is_plain(other),
        ExpressionKind::Conditional(condition, one, other) => {
            is_plain(condition) && is_plain(one) && is_plain(other)
        }
        ExpressionKind::Selected(..) => false,
    }
}

fn is_plain_place(of: &Lvalue) -> bool {
    match &of.kind {
        LvalueKind::Variable(_) => true,
        LvalueKind::Offset(of, _) => is_plain_place(of),
        _ => false,
    }
}
