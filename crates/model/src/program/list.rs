//! The checks of a program in the order of its text, each with a name that stays when other functions change.

use super::{
    Binary, Callee, Check, CheckKind, Checks, Expression, ExpressionKind, Function, FunctionId,
    Initial, InitialPiece, Lvalue, LvalueKind, Piece, Program, Statement, StatementKind, Unary,
};
use proofmark_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A check with its names.
#[derive(Clone, Debug)]
pub struct NamedCheck {
    /// What and where.
    pub check: Check,
    /// Function, kind and number: `main.assertion.1`.
    pub name: Arc<str>,
    /// What an assertion says, as the source has it; of other checks it is empty.
    pub text: Arc<str>,
    /// The function that it is in.
    pub function: Arc<str>,
}

/// The checks of the original program, function by function, in the order of the source.
pub fn checks_of(program: &Program, checks: &Checks) -> Vec<NamedCheck> {
    let mut walks: Vec<Walk> = program.functions.iter().map(|f| walk(program, f)).collect();
    for at in 0..walks.len() {
        if reaches_itself(&walks, at) {
            walks[at].meet(CheckKind::Unwinding, program.functions[at].place);
        }
    }
    if checks.has(CheckKind::Leak) {
        let entry = program.function(program.entry).place;
        walks[program.entry.0 as usize].meet(CheckKind::Leak, entry);
    }
    // Globals may hold functions, too.
    let pieces = program
        .globals
        .iter()
        .flat_map(|id| match &program.variable(*id).initial {
            Initial::Known(pieces) => &pieces[..],
            Initial::Any => &[],
        });
    let held = pieces.filter_map(|piece| match piece {
        InitialPiece::Function(_, function) => Some(*function),
        _ => None,
    });
    let reached = reached(&walks, held.chain([program.entry]));
    let functions = program.functions.iter().zip(walks).enumerate();
    functions
        .filter(|(at, _)| reached.contains(at))
        .map(|(_, one)| one)
        .flat_map(|(function, walk)| named(function, walk, checks))
        .collect()
}

fn walk<'a>(program: &'a Program, function: &'a Function) -> Walk<'a> {
    let mut walk = Walk {
        program,
        met: FxHashMap::default(),
        calls: FxHashSet::default(),
        addresses: FxHashSet::default(),
    };
    walk.statements(function.body.as_deref().unwrap_or_default());
    walk
}

/// Whether a function may call itself, by way of others, too.
fn reaches_itself(walks: &[Walk], start: usize) -> bool {
    let mut reached = FxHashSet::default();
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        for FunctionId(callee) in &walks[at].calls {
            let callee = *callee as usize;
            if callee == start {
                return true;
            }
            if reached.insert(callee) {
                open.push(callee);
            }
        }
    }
    false
}

/// The functions that a run may come to: those that are called, and those of which somebody takes the address.
fn reached(walks: &[Walk], first: impl Iterator<Item = FunctionId>) -> FxHashSet<usize> {
    let mut reached = FxHashSet::default();
    let mut open: Vec<usize> = first.map(|function| function.0 as usize).collect();
    while let Some(at) = open.pop() {
        if reached.insert(at) {
            let named = walks[at].calls.iter().chain(&walks[at].addresses);
            open.extend(named.map(|function| function.0 as usize));
        }
    }
    reached
}

fn named(function: &Function, walk: Walk, checks: &Checks) -> Vec<NamedCheck> {
    let mut met: Vec<(Check, Arc<str>)> = walk.met.into_iter().collect();
    met.retain(|(check, _)| checks.has(check.kind));
    met.sort_by_key(|(check, _)| (check.place.file, check.place.start, *check));
    let mut numbers: FxHashMap<CheckKind, usize> = FxHashMap::default();
    let name = |(check, text): (Check, Arc<str>)| {
        let number = numbers.entry(check.kind).or_default();
        *number += 1;
        NamedCheck {
            check,
            name: format!("{}.{}.{number}", function.name, check.kind.word()).into(),
            text,
            function: function.name.clone(),
        }
    };
    met.into_iter().map(name).collect()
}

/// Collects what is checked in a function, without the variants of mutants.
struct Walk<'a> {
    program: &'a Program,
    met: FxHashMap<Check, Arc<str>>,
    calls: FxHashSet<FunctionId>,
    addresses: FxHashSet<FunctionId>,
}

impl Walk<'_> {
    fn meet(&mut self, kind: CheckKind, place: Span) {
        self.met
            .entry(Check::new(kind, place))
            .or_insert_with(|| "".into());
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        use StatementKind as S;
        let place = statement.place;
        match &statement.kind {
            S::Declare(_) | S::End(_) | S::Goto(_) | S::Label(_) => {}
            S::Assign(to, value) => {
                self.expression(value);
                self.access(to);
            }
            S::Input(to, ..) => self.access(to),
            S::CopyBytes { to, from, size } => {
                self.expressions([to, from, size]);
                self.meet(CheckKind::Pointer, to.place);
                self.meet(CheckKind::Pointer, from.place);
            }
            S::FillBytes { to, value, size } => {
                self.expressions([to, value, size]);
                self.meet(CheckKind::Pointer, to.place);
            }
            S::Allocate { to, size, .. } => {
                self.expression(size);
                self.access(to);
            }
            S::Free(pointer) => {
                self.expression(pointer);
                self.meet(CheckKind::Pointer, place);
            }
            S::Call {
                result,
                callee,
                arguments,
            } => {
                self.callee(callee, place);
                self.expressions(arguments);
                if let Some((to, _)) = result {
                    self.access(to);
                }
            }
            S::Return(value) => self.expressions(value),
            S::If(condition, then, otherwise) => {
                self.expression(condition);
                self.statements(then);
                self.statements(otherwise);
            }
            S::Loop(id, body) => {
                let place = self.program.loops[id.0 as usize].place;
                self.meet(CheckKind::Unwinding, place);
                self.statements(body);
            }
            S::Assert(condition, text) => {
                self.expression(condition);
                let check = Check::new(CheckKind::Assertion, place);
                self.met.insert(check, text.clone());
            }
            S::Assume(condition) => self.expression(condition),
            S::Log(pieces) => pieces.iter().for_each(|piece| self.piece(piece)),
            S::Selected(original, _) => self.statements(original),
        }
    }

    fn callee(&mut self, callee: &Callee, place: Span) {
        match callee {
            Callee::Function(id) => {
                self.calls.insert(*id);
            }
            Callee::Pointer(pointer) => {
                self.expression(pointer);
                self.meet(CheckKind::Pointer, place);
            }
        }
    }

    fn piece(&mut self, piece: &Piece) {
        if let Piece::Value { expression, .. } = piece {
            self.expression(expression);
        }
    }

    fn expressions<'e>(&mut self, expressions: impl IntoIterator<Item = &'e Expression>) {
        for expression in expressions {
            self.expression(expression);
        }
    }

    fn expression(&mut self, expression: &Expression) {
        use ExpressionKind as E;
        let place = expression.place;
        match &expression.kind {
            E::Constant(_) => {}
            E::AddressOfFunction(function) => {
                self.addresses.insert(*function);
            }
            E::Load(from) => self.access(from),
            E::AddressOf(lvalue) => self.address(lvalue),
            E::Unary(operator, argument) => {
                self.expression(argument);
                if *operator == Unary::Negate && expression.sort.is_signed() {
                    self.meet(CheckKind::Overflow, place);
                }
            }
            E::Binary(operator, left, right) => {
                self.expressions([&**left, &**right]);
                self.operator(*operator, expression);
            }
            E::Cast(argument) => self.expression(argument),
            E::And(left, right) | E::Or(left, right) => self.expressions([&**left, &**right]),
            E::Conditional(condition, yes, no) => self.expressions([&**condition, &**yes, &**no]),
            E::Selected(original, _) => self.expression(original),
        }
    }

    fn operator(&mut self, operator: Binary, expression: &Expression) {
        use Binary as B;
        if matches!(operator, B::Divide | B::Remainder) {
            self.meet(CheckKind::Division, expression.place);
        }
        let overflows = matches!(
            operator,
            B::Add | B::Subtract | B::Multiply | B::Divide | B::Remainder
        );
        if overflows && expression.sort.is_signed() {
            self.meet(CheckKind::Overflow, expression.place);
        }
    }

    /// Something is read or written.
    fn access(&mut self, lvalue: &Lvalue) {
        match &lvalue.kind {
            LvalueKind::Variable(_) => {}
            LvalueKind::Dereference(pointer) => {
                self.expression(pointer);
                self.meet(CheckKind::Pointer, lvalue.place);
            }
            LvalueKind::Offset(inside, _) => self.access(inside),
            LvalueKind::Index {
                array,
                index,
                count,
                ..
            } => {
                self.access(array);
                self.expression(index);
                if count.is_some() {
                    self.meet(CheckKind::Bounds, lvalue.place);
                }
            }
            LvalueKind::Selected(original, _) => self.access(original),
        }
    }

    /// Only the address is computed: what leads to it is read, itself it is not.
    fn address(&mut self, lvalue: &Lvalue) {
        match &lvalue.kind {
            LvalueKind::Variable(_) => {}
            LvalueKind::Dereference(pointer) => self.expression(pointer),
            LvalueKind::Offset(inside, _) => self.address(inside),
            LvalueKind::Index { array, index, .. } => {
                self.address(array);
                self.expression(index);
            }
            LvalueKind::Selected(original, _) => self.address(original),
        }
    }
}
