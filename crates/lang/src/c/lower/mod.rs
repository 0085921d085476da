//! Trees of all units to one [`Program`]: names are resolved, types checked, effects put in order.
//!
//! ```text
//!  declare   specifiers and declarators to types, externals to functions and globals
//!  initial   initializers to pieces of an object
//!  operand   what an expression is: a place in memory, a value, a function
//!  expression, arithmetic, call, library    expressions; effects become statements on the way
//!  statement statements, loops and jumps
//!  constant  what is known before a run
//! ```
//!
//! All externals of all units are declared before the first body is lowered, so that a call knows the function
//! that is linked, whatever was declared where. A name is visible from its declaration on all the same.

mod arithmetic;
mod call;
mod constant;
mod declare;
mod expression;
mod format;
mod initial;
mod jumps;
mod library;
mod operand;
mod statement;

use super::syntax::{Definition, External};
use super::types::{CType, Signature, Types};
use proofmark_model::Symbol;
use proofmark_model::program::{
    Expression, ExpressionKind, Function, FunctionId, Initial, LabelId, Lvalue, LvalueKind,
    Program, Scalar, Statement, StatementKind, Type, Variable, VariableId,
};
use proofmark_source::{Diagnostic, FileId, Sources, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

pub(super) use library::{SOURCE as LIBRARY, is_known as is_library};

/// An error was told; whoever can goes on with the next statement or declaration.
#[derive(Debug)]
pub(super) struct Wrong;

type Lowered<T> = Result<T, Wrong>;

/// What a name means.
#[derive(Clone, Debug)]
enum Entity {
    Variable(VariableId, CType),
    /// By its position among the functions.
    Function(usize),
    Type(CType),
    Constant(i64),
}

/// A structure, union or enumeration by its tag.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Tag {
    Record(usize),
    Enum(usize),
}

#[derive(Clone, Debug, Default)]
struct Scope {
    /// Names, each with the external that declares it; zero within functions.
    names: FxHashMap<Symbol, (Entity, usize)>,
    tags: FxHashMap<Symbol, Tag>,
    /// Variables that end where it does.
    locals: Vec<VariableId>,
}

/// A function that somebody named.
#[derive(Clone, Debug)]
struct Known {
    name: Symbol,
    signature: Signature,
    /// Whether some unit has its body.
    defined: bool,
    /// Where its body is.
    id: Option<FunctionId>,
    place: Span,
}

/// A global with its type, for all units.
#[derive(Clone, Debug)]
struct Global {
    id: VariableId,
    sort: CType,
}

/// A body to be lowered.
struct Body<'t> {
    unit: usize,
    order: usize,
    function: usize,
    definition: &'t Definition,
}

/// Where `break` and `continue` lead.
#[derive(Clone, Copy)]
struct Target {
    label: LabelId,
    /// How many scopes are left as they are.
    scopes: usize,
}

/// What is known of the function that is being lowered.
#[derive(Default)]
struct Current {
    name: String,
    result: Option<CType>,
    /// Where a result that is no scalar goes.
    result_at: Option<VariableId>,
    labels: FxHashMap<Symbol, LabelId>,
    /// Labels that were placed, with the number of lists around them.
    placed: FxHashSet<LabelId>,
    breaks: Vec<Target>,
    continues: Vec<Target>,
    switches: Vec<statement::Switch>,
    next_label: u32,
    loops: usize,
    jumps: Vec<Jump>,
}

/// A `goto`.
struct Jump {
    label: LabelId,
    place: Span,
    name: Symbol,
    /// The scopes around both the jump and what was read since.
    depth: usize,
    /// The variables of the scopes that it leaves.
    leaves: Vec<VariableId>,
}

/// A program in the making.
pub(super) struct Lowerer<'a> {
    sources: &'a Sources,
    diagnostics: &'a mut Vec<Diagnostic>,
    pub program: Program,
    types: Types,
    functions: Vec<Known>,
    linked: FxHashMap<Symbol, usize>,
    globals: FxHashMap<Symbol, Global>,
    texts: FxHashMap<Vec<u8>, VariableId>,
    /// The scopes of the place that is lowered; the first is the unit's.
    scopes: Vec<Scope>,
    unit: usize,
    order: usize,
    current: Current,
    /// The statements that are being made.
    out: Vec<Statement>,
    warned: FxHashSet<Symbol>,
}

/// Lowers all units; runs begin at `entry`.
pub(super) fn lower<'a>(
    sources: &'a Sources,
    units: &[(FileId, Vec<External>)],
    entry: &str,
    diagnostics: &'a mut Vec<Diagnostic>,
) -> Program {
    let mut lowerer = Lowerer {
        sources,
        diagnostics,
        program: Program::default(),
        types: Types::default(),
        functions: Vec::new(),
        linked: FxHashMap::default(),
        globals: FxHashMap::default(),
        texts: FxHashMap::default(),
        scopes: Vec::new(),
        unit: 0,
        order: 0,
        current: Current::default(),
        out: Vec::new(),
        warned: FxHashSet::default(),
    };
    let mut bodies = Vec::new();
    let mut scopes = Vec::new();
    for (unit, (_, externals)) in units.iter().enumerate() {
        lowerer.unit = unit;
        lowerer.scopes = vec![Scope::default()];
        for (order, external) in externals.iter().enumerate() {
            lowerer.order = order + 1;
            lowerer.external(external, &mut bodies);
        }
        scopes.push(lowerer.scopes.remove(0));
    }
    for body in bodies {
        lowerer.unit = body.unit;
        lowerer.order = body.order;
        lowerer.scopes = vec![std::mem::take(&mut scopes[body.unit])];
        lowerer.body(body.function, body.definition);
        scopes[body.unit] = lowerer.scopes.remove(0);
    }
    let first = units.first().map(|(file, _)| Span::new(*file, 0, 0));
    if let Some(first) = first {
        lowerer.start(entry, first);
    }
    lowerer.program
}

impl Lowerer<'_> {
    fn error<T>(&mut self, span: Span, message: impl Into<String>, hint: &str) -> Lowered<T> {
        let told = Diagnostic::error(span, message).with_hint(hint);
        self.diagnostics.push(told);
        Err(Wrong)
    }

    fn warn(&mut self, span: Span, message: impl Into<String>, hint: &str) {
        let told = Diagnostic::warning(span, message).with_hint(hint);
        self.diagnostics.push(told);
    }

    /// Refuses what is read and has no meaning here.
    fn refuse<T>(&mut self, span: Span, what: &str) -> Lowered<T> {
        let hint =
            "docs/c.md tells what is supported; write it without, or leave it out by `#ifdef`";
        self.error(span, format!("{what} is not supported"), hint)
    }

    fn name_of(&self, sort: &CType) -> String {
        self.types.name(sort)
    }

    /// The size of an object, or an error.
    fn size_of(&mut self, sort: &CType, span: Span) -> Lowered<u64> {
        if let Some(what) = sort.refusal().filter(|what| *what != "floating point") {
            return self.refuse(span, what);
        }
        match self.types.size(sort) {
            Some(size) => Ok(size),
            None => {
                let message = format!("the size of `{}` is not known here", self.name_of(sort));
                self.error(span, message, "complete the type")
            }
        }
    }

    /// What a value of a type is computed with, or an error.
    fn scalar_of(&mut self, sort: &CType, span: Span) -> Lowered<Scalar> {
        if let Some(what) = sort.refusal() {
            return self.refuse(span, what);
        }
        match self.types.scalar(sort) {
            Some(scalar) => Ok(scalar),
            None => {
                let message = format!(
                    "expected a number or a pointer, found `{}`",
                    self.name_of(sort)
                );
                self.error(span, message, "take a value of another type")
            }
        }
    }

    fn lookup(&self, name: Symbol) -> Option<&Entity> {
        let found = self
            .scopes
            .iter()
            .rev()
            .find_map(|scope| scope.names.get(&name))?;
        let (entity, order) = found;
        Some(entity).filter(|_| *order <= self.order)
    }

    fn declare(&mut self, name: Symbol, entity: Entity) {
        let order = match self.scopes.len() {
            1 => self.order,
            _ => 0,
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, (entity, order));
        }
    }

    fn emit(&mut self, kind: StatementKind, place: Span) {
        self.out.push(Statement { kind, place });
    }

    /// The statements that `lower` makes, apart from those before.
    fn apart<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (T, Vec<Statement>) {
        let before = std::mem::take(&mut self.out);
        let found = lower(self);
        let made = std::mem::replace(&mut self.out, before);
        (found, made)
    }

    fn label(&mut self) -> LabelId {
        self.current.next_label += 1;
        LabelId(self.current.next_label - 1)
    }

    fn variable(&mut self, name: &str, sort: Arc<Type>, place: Span) -> VariableId {
        self.program.add_variable(Variable {
            name: name.into(),
            sort,
            initial: Initial::Any,
            place,
        })
    }

    /// A variable of our own for a value of a type; what is no scalar is declared.
    fn temporary(&mut self, sort: &CType, place: Span) -> VariableId {
        let layout = self.types.layout(sort);
        let id = self.variable("", layout, place);
        if !sort.is_scalar() {
            self.emit(StatementKind::Declare(id), place);
        }
        id
    }

    /// Makes the function in which runs begin.
    fn start(&mut self, entry: &str, span: Span) {
        let known = self.linked.get(&Symbol::new(entry)).copied();
        let known = known.map(|at| self.functions[at].clone());
        let Some((known, id)) = known.and_then(|known| Some((known.clone(), known.id?))) else {
            let names = self.functions.iter().filter(|one| one.defined);
            let names = names.map(|one| one.name.as_str());
            let hint = proofmark_source::nearest(entry, names)
                .map_or("define it, or name another one".to_string(), |near| {
                    format!("did you mean `{near}`?")
                });
            let message = format!("there is no function `{entry}` in which runs begin");
            let _: Lowered<()> = self.error(span, message, &hint);
            return;
        };
        self.program.entry = id;
        if !self.program.function(id).parameters.is_empty() {
            self.start_with_arguments(&known, id);
        }
    }

    /// A function that gives the first one any arguments.
    fn start_with_arguments(&mut self, known: &Known, id: FunctionId) {
        let place = known.place;
        let name = format!("__start_{}", known.name);
        let mut arguments = Vec::new();
        self.out.clear();
        for sort in known.signature.parameters.clone() {
            let Ok(scalar) = self.scalar_of(&sort, place) else {
                return;
            };
            let id = self.temporary(&sort, place);
            let to = variable_place(id, place);
            let input = Arc::from(format!("{}()", known.name));
            self.emit(StatementKind::Input(to.clone(), scalar, input), place);
            arguments.push(load(to, scalar));
        }
        let callee = proofmark_model::program::Callee::Function(id);
        let result = None;
        self.emit(
            StatementKind::Call {
                result,
                callee,
                arguments,
            },
            place,
        );
        let body = Some(std::mem::take(&mut self.out));
        self.program.entry = self.program.add_function(Function {
            name: name.into(),
            parameters: Vec::new(),
            result: None,
            body,
            place,
        });
    }
}

fn variable_place(id: VariableId, place: Span) -> Lvalue {
    Lvalue {
        kind: LvalueKind::Variable(id),
        place,
    }
}

fn load(from: Lvalue, sort: Scalar) -> Expression {
    let place = from.place;
    Expression {
        kind: ExpressionKind::Load(Box::new(from)),
        sort,
        place,
    }
}

fn constant_of(value: u64, sort: Scalar, place: Span) -> Expression {
    let bits = sort.bits();
    let masked = match bits {
        64 => value,
        bits => value & ((1 << bits) - 1),
    };
    Expression {
        kind: ExpressionKind::Constant(masked),
        sort,
        place,
    }
}
