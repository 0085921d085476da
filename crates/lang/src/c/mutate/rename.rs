//! A mutated program in the names of the original: variables, functions, loops and labels are known by where
//! they are in the text, so that everything outside of the mutation keeps its name.
//!
//! What has no counterpart is added to the original, where only the mutant uses it. The renaming is injective and
//! keeps sorts, so that a renamed body means what it meant.

use proofmark_model::program::{
    Callee, Expression, ExpressionKind, Function, FunctionId, Initial, InitialPiece, LabelId,
    LoopId, Lvalue, LvalueKind, Piece, Program, Statement, StatementKind, VariableId,
};
use proofmark_source::{Edits, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Where something is, and which of those that are there.
type Key = (Arc<str>, Span, usize);

/// From places in the mutated text to those of the original.
pub(super) struct Places<'a> {
    pub edits: &'a Edits,
}

impl Places<'_> {
    fn original(&self, span: Span) -> Span {
        let start = self.position(span, span.start, Bound::Start);
        let end = self.position(span, span.end, Bound::End);
        Span::new(span.file, start.min(end), end.max(start))
    }

    fn position(&self, of: Span, at: u32, bound: Bound) -> u32 {
        // What was put in before the place, and what was taken out.
        let (mut inserted, mut removed) = (0u32, 0u32);
        for edit in self.edits.iter().filter(|edit| edit.span.file == of.file) {
            let start = edit.span.start + inserted - removed;
            let length = edit.text.len() as u32;
            let behind = at > start + length || at == start + length && bound == Bound::Start;
            let before = at < start || at == start && bound == Bound::End;
            if before {
                break;
            }
            if !behind {
                return match bound {
                    Bound::Start => edit.span.start,
                    Bound::End => edit.span.end,
                };
            }
            inserted += length;
            removed += edit.span.end - edit.span.start;
        }
        at + removed - inserted
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Start,
    End,
}

/// Why a mutant cannot be a variant of the original.
pub(super) struct Apart;

/// What the original's things are called.
pub(super) struct Names {
    variables: FxHashMap<Key, VariableId>,
    functions: FxHashMap<Key, FunctionId>,
    loops: FxHashMap<Key, LoopId>,
    labels: Vec<FxHashMap<Key, LabelId>>,
    next_labels: Vec<u32>,
}

impl Names {
    pub fn of(program: &Program) -> Names {
        let same = |span: Span| span;
        let variables = keys(
            program
                .variables
                .iter()
                .map(|one| (one.name.clone(), one.place)),
            same,
        );
        let functions = keys(
            program
                .functions
                .iter()
                .map(|one| (one.name.clone(), one.place)),
            same,
        );
        let loops = keys(program.loops.iter().map(|one| (no_name(), one.place)), same);
        let labels: Vec<_> = program
            .functions
            .iter()
            .map(|one| label_keys(one, same))
            .collect();
        let next = |keys: &Vec<(Key, LabelId)>| keys.iter().map(|(_, id)| id.0 + 1).max();
        Names {
            variables: numbered(variables, VariableId),
            functions: numbered(functions, FunctionId),
            loops: numbered(loops, LoopId),
            next_labels: labels.iter().map(|keys| next(keys).unwrap_or(0)).collect(),
            labels: labels
                .into_iter()
                .map(|keys| keys.into_iter().collect())
                .collect(),
        }
    }
}

fn no_name() -> Arc<str> {
    Arc::from("")
}

fn numbered<T: Copy>(keys: Vec<Key>, id: fn(u32) -> T) -> FxHashMap<Key, T> {
    let keys = keys.into_iter().enumerate();
    keys.map(|(at, key)| (key, id(at as u32))).collect()
}

fn keys(
    things: impl Iterator<Item = (Arc<str>, Span)>,
    original: impl Fn(Span) -> Span,
) -> Vec<Key> {
    let mut seen: FxHashMap<(Arc<str>, Span), usize> = FxHashMap::default();
    let key = |(name, place): (Arc<str>, Span)| {
        let place = original(place);
        let count = seen.entry((name.clone(), place)).or_default();
        *count += 1;
        (name, place, *count)
    };
    things.map(key).collect()
}

fn label_keys(function: &Function, original: impl Fn(Span) -> Span) -> Vec<(Key, LabelId)> {
    let mut found = Vec::new();
    labels_of(function.body.as_deref().unwrap_or_default(), &mut found);
    let things = found.iter().map(|(_, place)| (no_name(), *place));
    let keys = keys(things, original);
    keys.into_iter()
        .zip(found)
        .map(|(key, (id, _))| (key, id))
        .collect()
}

fn labels_of(list: &[Statement], found: &mut Vec<(LabelId, Span)>) {
    for statement in list {
        match &statement.kind {
            StatementKind::Label(label) => found.push((*label, statement.place)),
            StatementKind::If(_, then, other) => {
                labels_of(then, found);
                labels_of(other, found);
            }
            StatementKind::Loop(_, body) => labels_of(body, found),
            _ => {}
        }
    }
}

/// Renames the bodies of a mutant; returns those that the original has, too, by function of the original. What
/// the mutant has alone is added to `program`.
pub(super) fn renamed(
    program: &mut Program,
    names: &Names,
    mutant: Program,
    places: &Places<'_>,
) -> Result<Vec<(FunctionId, Vec<Statement>)>, Apart> {
    let original = |span| places.original(span);
    let functions = keys(
        mutant
            .functions
            .iter()
            .map(|one| (one.name.clone(), one.place)),
        original,
    );
    let functions: Vec<FunctionId> = functions
        .iter()
        .map(|key| names.functions.get(key).copied().ok_or(Apart))
        .collect::<Result<_, _>>()?;
    if functions.len() != names.functions.len()
        || functions[mutant.entry.0 as usize] != program.entry
    {
        return Err(Apart);
    }
    let variables = rename_variables(program, names, &mutant, places, &functions)?;
    let loops = keys(
        mutant.loops.iter().map(|one| (no_name(), one.place)),
        original,
    );
    let loops = loops
        .iter()
        .zip(&mutant.loops)
        .map(|(key, one)| match names.loops.get(key) {
            Some(known) => *known,
            None => program.add_loop(&one.name, original(one.place)),
        });
    let loops: Vec<LoopId> = loops.collect();
    let mut bodies = Vec::new();
    for (function, id) in mutant.functions.into_iter().zip(&functions) {
        let labels = rename_labels(names, &function, *id, places);
        let renamer = Renamer {
            variables: &variables,
            functions: &functions,
            loops: &loops,
            labels,
            places,
        };
        check_signature(program, &renamer, &function, *id)?;
        if let Some(mut body) = function.body {
            renamer.list(&mut body);
            bodies.push((*id, body));
        }
    }
    Ok(bodies)
}

fn check_signature(
    program: &Program,
    renamer: &Renamer<'_>,
    function: &Function,
    id: FunctionId,
) -> Result<(), Apart> {
    let known = program.function(id);
    let parameters = function.parameters.iter().map(|one| renamer.variable(*one));
    let same = parameters.eq(known.parameters.iter().copied());
    match same && function.result == known.result && function.body.is_some() == known.body.is_some()
    {
        true => Ok(()),
        false => Err(Apart),
    }
}

fn rename_labels(
    names: &Names,
    function: &Function,
    id: FunctionId,
    places: &Places<'_>,
) -> FxHashMap<LabelId, LabelId> {
    let known = &names.labels[id.0 as usize];
    let mut next = names.next_labels[id.0 as usize];
    let keys = label_keys(function, |span| places.original(span));
    let name = |(key, label): (Key, LabelId)| match known.get(&key) {
        Some(known) => (label, *known),
        None => {
            next += 1;
            (label, LabelId(next - 1))
        }
    };
    keys.into_iter().map(name).collect()
}

fn rename_variables(
    program: &mut Program,
    names: &Names,
    mutant: &Program,
    places: &Places<'_>,
    functions: &[FunctionId],
) -> Result<Vec<VariableId>, Apart> {
    let named = mutant
        .variables
        .iter()
        .map(|one| (one.name.clone(), one.place));
    let keys = keys(named, |span| places.original(span));
    let is_global: Vec<bool> = global_marks(mutant);
    let was_global: Vec<bool> = global_marks(program);
    let mut ids = Vec::new();
    let mut added = Vec::new();
    for (at, key) in keys.iter().enumerate() {
        let variable = &mutant.variables[at];
        let known = names.variables.get(key).copied().filter(|known| {
            let other = program.variable(*known);
            other.sort == variable.sort && was_global[known.0 as usize] == is_global[at]
        });
        let id = known.unwrap_or_else(|| {
            let mut own = variable.clone();
            own.place = places.original(own.place);
            let id = program.add_variable(own);
            added.push((at, id));
            id
        });
        ids.push(id);
    }
    // A global that has changed is another program; one that is new comes with what it holds.
    for (at, id) in ids.iter().enumerate().filter(|(at, _)| is_global[*at]) {
        let initial = rename_initial(&mutant.variables[at].initial, &ids, functions);
        if added.iter().any(|(_, one)| one == id) {
            program.variables[id.0 as usize].initial = initial;
            program.globals.push(*id);
        } else if program.variable(*id).initial != initial {
            return Err(Apart);
        }
    }
    Ok(ids)
}

fn global_marks(program: &Program) -> Vec<bool> {
    let mut marks = vec![false; program.variables.len()];
    for id in &program.globals {
        marks[id.0 as usize] = true;
    }
    marks
}

fn rename_initial(initial: &Initial, ids: &[VariableId], functions: &[FunctionId]) -> Initial {
    let Initial::Known(pieces) = initial else {
        return Initial::Any;
    };
    let renamed = pieces.iter().map(|piece| match piece {
        InitialPiece::Bytes(at, bytes) => InitialPiece::Bytes(*at, bytes.clone()),
        InitialPiece::Address {
            at,
            variable,
            offset,
        } => InitialPiece::Address {
            at: *at,
            variable: ids[variable.0 as usize],
            offset: *offset,
        },
        InitialPiece::Function(at, id) => InitialPiece::Function(*at, functions[id.0 as usize]),
    });
    Initial::Known(renamed.collect())
}

/// Puts the original's names into statements.
struct Renamer<'a> {
    variables: &'a [VariableId],
    functions: &'a [FunctionId],
    loops: &'a [LoopId],
    labels: FxHashMap<LabelId, LabelId>,
    places: &'a Places<'a>,
}

impl Renamer<'_> {
    fn variable(&self, id: VariableId) -> VariableId {
        self.variables[id.0 as usize]
    }

    fn place(&self, place: &mut Span) {
        *place = self.places.original(*place);
    }

    fn list(&self, list: &mut [Statement]) {
        for statement in list {
            self.statement(statement);
        }
    }

    fn statement(&self, of: &mut Statement) {
        use StatementKind as S;
        self.place(&mut of.place);
        match &mut of.kind {
            S::Declare(id) | S::End(id) => *id = self.variable(*id),
            S::Goto(label) | S::Label(label) => {
                *label = self.labels.get(label).copied().unwrap_or(*label);
            }
            S::Assign(to, value) => {
                self.lvalue(to);
                self.expression(value);
            }
            S::Input(to, ..) => self.lvalue(to),
            S::CopyBytes { to, from, size } => self.expressions([to, from, size]),
            S::FillBytes { to, value, size } => self.expressions([to, value, size]),
            S::Allocate { to, size, .. } => {
                self.lvalue(to);
                self.expression(size);
            }
            S::Free(of) | S::Assert(of, _) | S::Assume(of) => self.expression(of),
            S::Call {
                result,
                callee,
                arguments,
            } => {
                if let Some((to, _)) = result {
                    self.lvalue(to);
                }
                match callee {
                    Callee::Function(id) => *id = self.functions[id.0 as usize],
                    Callee::Pointer(of) => self.expression(of),
                }
                self.expressions(arguments);
            }
            S::Return(value) => self.expressions(value),
            S::If(condition, then, other) => {
                self.expression(condition);
                self.list(then);
                self.list(other);
            }
            S::Loop(id, body) => {
                *id = self.loops[id.0 as usize];
                self.list(body);
            }
            S::Log(pieces) => {
                for piece in pieces {
                    if let Piece::Value { expression, .. } = piece {
                        self.expression(expression);
                    }
                }
            }
            S::Selected(original, variants) => {
                self.list(original);
                for variant in variants {
                    self.list(&mut variant.statements);
                }
            }
        }
    }

    fn expressions<'e>(&self, all: impl IntoIterator<Item = &'e mut Expression>) {
        for one in all {
            self.expression(one);
        }
    }

    fn expression(&self, of: &mut Expression) {
        use ExpressionKind as E;
        self.place(&mut of.place);
        match &mut of.kind {
            E::Constant(_) => {}
            E::Load(from) | E::AddressOf(from) => self.lvalue(from),
            E::AddressOfFunction(id) => *id = self.functions[id.0 as usize],
            E::Unary(_, of) | E::Cast(of) => self.expression(of),
            E::Binary(_, one, other) | E::And(one, other) | E::Or(one, other) => {
                self.expressions([&mut **one, &mut **other]);
            }
            E::Conditional(condition, one, other) => {
                self.expressions([&mut **condition, &mut **one, &mut **other]);
            }
            E::Selected(original, variants) => {
                self.expression(original);
                self.expressions(variants.iter_mut().map(|one| &mut one.expression));
            }
        }
    }

    fn lvalue(&self, of: &mut Lvalue) {
        self.place(&mut of.place);
        match &mut of.kind {
            LvalueKind::Variable(id) => *id = self.variable(*id),
            LvalueKind::Dereference(pointer) => self.expression(pointer),
            LvalueKind::Offset(of, _) => self.lvalue(of),
            LvalueKind::Index { array, index, .. } => {
                self.lvalue(array);
                self.expression(index);
            }
            LvalueKind::Selected(original, variants) => {
                self.lvalue(original);
                for (_, one) in variants {
                    self.lvalue(one);
                }
            }
        }
    }
}
