//! Bodies of mutants put into the original: each difference becomes a variant, as deep within as it can be.
//!
//! Two lists are compared by what they begin and end with alike. Where the one statement between is of the same
//! kind in both, the difference is within it; otherwise it is the list between. Ranges of several mutants that
//! overlap become one. What a jump from elsewhere leads to stays in the list where it is: the range grows to where
//! the jump comes from. In the merged body the variants of a mutant, chosen everywhere, are the mutant's body again.

use super::same::{same_expression, same_list, same_lvalue, same_statement};
use proofmark_model::program::{
    Callee, Expression, ExpressionKind, LabelId, Lvalue, LvalueKind, MutantId, Statement,
    StatementKind, StatementVariant, Variant,
};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// The body of a mutant, or a part of it.
pub(super) type Body<'a> = (MutantId, &'a [Statement]);

/// A range of the original's list and what mutants have instead.
struct Change {
    range: Range<usize>,
    variants: Vec<(MutantId, Range<usize>, Vec<Statement>)>,
}

/// The original's list with the differences of all bodies.
pub(super) fn merged(base: &[Statement], bodies: &[Body<'_>]) -> Vec<Statement> {
    let mut within: Vec<Vec<(MutantId, &Statement)>> = vec![Vec::new(); base.len()];
    let mut changes = Vec::new();
    for (mutant, body) in bodies {
        let (range, other) = difference(base, body);
        match (&base[range.clone()], &body[other.clone()]) {
            ([], []) => {}
            ([one], [changed]) if goes_within(one, changed) => {
                within[range.start].push((*mutant, changed));
            }
            (_, changed) => {
                let variants = vec![(*mutant, range.clone(), changed.to_vec())];
                changes.push(Change { range, variants });
            }
        }
    }
    let changes = joined(base, changes);
    let mut out = Vec::new();
    let mut at = 0;
    for change in changes {
        out.extend((at..change.range.start).map(|one| inside(&base[one], &within[one])));
        let original: Vec<Statement> = change
            .range
            .clone()
            .map(|one| inside(&base[one], &within[one]))
            .collect();
        at = change.range.end;
        out.push(selected(base, change, original));
    }
    out.extend((at..base.len()).map(|one| inside(&base[one], &within[one])));
    out
}

fn selected(base: &[Statement], change: Change, original: Vec<Statement>) -> Statement {
    let Range { start, end } = change.range;
    let variants = change.variants.into_iter().map(|(mutant, range, changed)| {
        let mut statements = base[start..range.start].to_vec();
        statements.extend(changed);
        statements.extend_from_slice(&base[range.end..end]);
        StatementVariant { mutant, statements }
    });
    let variants: Vec<StatementVariant> = variants.collect();
    let first = original
        .first()
        .or_else(|| variants.iter().find_map(|one| one.statements.first()));
    // A change is never empty on both sides.
    let place = first.map(|one| one.place);
    let place = place.unwrap_or_else(|| base[start.min(base.len() - 1)].place);
    Statement {
        kind: StatementKind::Selected(original, variants),
        place,
    }
}

/// What is between the beginning and the end that both have.
fn difference(base: &[Statement], body: &[Statement]) -> (Range<usize>, Range<usize>) {
    let same = |(one, other): &(&Statement, &Statement)| same_statement(one, other);
    let first = base.iter().zip(body).take_while(same).count();
    let rest = base[first..].iter().rev().zip(body[first..].iter().rev());
    let last = rest.take_while(same).count();
    (first..base.len() - last, first..body.len() - last)
}

/// Ranges that overlap become one; each grows until no jump leads into it.
fn joined(base: &[Statement], changes: Vec<Change>) -> Vec<Change> {
    let mut changes = changes;
    for change in &mut changes {
        grow(base, change);
    }
    changes.sort_by_key(|change| (change.range.start, change.range.end));
    let mut out: Vec<Change> = Vec::new();
    for change in changes {
        match out.last_mut() {
            Some(last) if overlap(&last.range, &change.range) => {
                last.range.end = last.range.end.max(change.range.end);
                last.variants.extend(change.variants);
            }
            _ => out.push(change),
        }
    }
    out
}

fn overlap(one: &Range<usize>, next: &Range<usize>) -> bool {
    next.start < one.end || next.start == one.start
}

/// Labels of a change that are jumped to from before it: the range begins there.
fn grow(base: &[Statement], change: &mut Change) {
    loop {
        let mut labels = FxHashSet::default();
        let changed = change.variants.iter().flat_map(|(_, _, changed)| changed);
        for statement in base[change.range.clone()].iter().chain(changed) {
            if let StatementKind::Label(label) = &statement.kind {
                labels.insert(*label);
            }
        }
        let before = base[..change.range.start].iter();
        let Some(start) = before.clone().position(|one| jumps_to(one, &labels)) else {
            return;
        };
        change.range.start = start;
    }
}

fn jumps_to(of: &Statement, labels: &FxHashSet<LabelId>) -> bool {
    let any = |list: &[Statement]| list.iter().any(|one| jumps_to(one, labels));
    match &of.kind {
        StatementKind::Goto(label) => labels.contains(label),
        StatementKind::If(_, then, other) => any(then) || any(other),
        StatementKind::Loop(_, body) => any(body),
        _ => false,
    }
}

/// Whether all differences of two statements are within expressions and lists of both.
fn goes_within(base: &Statement, changed: &Statement) -> bool {
    use StatementKind as S;
    match (&base.kind, &changed.kind) {
        (S::If(..), S::If(..)) | (S::Assert(..), S::Assert(..)) | (S::Assume(_), S::Assume(_)) => {
            true
        }
        (S::Loop(one, _), S::Loop(other, _)) => one == other,
        (S::Assign(_, one), S::Assign(_, other)) => one.sort == other.sort,
        (S::Free(_), S::Free(_)) | (S::CopyBytes { .. }, S::CopyBytes { .. }) => true,
        (S::FillBytes { .. }, S::FillBytes { .. }) => true,
        (S::Allocate { filling: one, .. }, S::Allocate { filling: other, .. }) => one == other,
        (S::Return(Some(one)), S::Return(Some(other))) => one.sort == other.sort,
        (
            S::Call {
                result: one,
                callee: Callee::Function(base),
                arguments: given,
            },
            S::Call {
                result: other,
                callee: Callee::Function(changed),
                arguments: instead,
            },
        ) => {
            let results = match (one, other) {
                (None, None) => true,
                (Some((one, sort)), Some((other, changed))) => {
                    sort == changed && same_lvalue(one, other)
                }
                _ => false,
            };
            results && base == changed && given.len() == instead.len()
        }
        _ => false,
    }
}

/// A statement with the differences within it.
fn inside(base: &Statement, bodies: &[(MutantId, &Statement)]) -> Statement {
    use StatementKind as S;
    let mut out = base.clone();
    match &base.kind {
        S::If(_, then, other) => {
            let lists = bodies.iter().filter_map(|(mutant, body)| match &body.kind {
                S::If(_, then, other) => Some((*mutant, then.as_slice(), other.as_slice())),
                _ => None,
            });
            let (one, two): (Vec<Body<'_>>, Vec<Body<'_>>) = lists
                .map(|(mutant, then, other)| ((mutant, then), (mutant, other)))
                .unzip();
            if let S::If(_, out_then, out_other) = &mut out.kind {
                *out_then = merged(then, &one);
                *out_other = merged(other, &two);
            }
        }
        S::Loop(_, list) => {
            let lists = bodies.iter().filter_map(|(mutant, body)| match &body.kind {
                S::Loop(_, list) => Some((*mutant, list.as_slice())),
                _ => None,
            });
            let lists: Vec<Body<'_>> = lists.collect();
            if let S::Loop(_, out_list) = &mut out.kind {
                *out_list = merged(list, &lists);
            }
        }
        _ => {}
    }
    for (mutant, body) in bodies {
        insert_parts(&mut out, base, body, *mutant);
    }
    out
}

/// Inserts the differences of the expressions of a statement.
fn insert_parts(out: &mut Statement, base: &Statement, body: &Statement, mutant: MutantId) {
    use StatementKind as S;
    let one = |out: &mut Expression, base: &Expression, body: &Expression| {
        insert(out, base, body, mutant);
    };
    match (&mut out.kind, &base.kind, &body.kind) {
        (S::If(out, ..), S::If(base, ..), S::If(body, ..))
        | (S::Assert(out, _), S::Assert(base, _), S::Assert(body, _))
        | (S::Assume(out), S::Assume(base), S::Assume(body))
        | (S::Free(out), S::Free(base), S::Free(body))
        | (S::Return(Some(out)), S::Return(Some(base)), S::Return(Some(body))) => {
            one(out, base, body);
        }
        (S::Assign(to, value), S::Assign(base_to, base_value), S::Assign(body_to, body_value)) => {
            insert_lvalue(to, base_to, body_to, mutant);
            one(value, base_value, body_value);
        }
        (
            S::Allocate { to, size, .. },
            S::Allocate {
                to: base_to,
                size: base_size,
                ..
            },
            S::Allocate {
                to: body_to,
                size: body_size,
                ..
            },
        ) => {
            insert_lvalue(to, base_to, body_to, mutant);
            one(size, base_size, body_size);
        }
        (
            S::CopyBytes { to, from, size },
            S::CopyBytes {
                to: base_to,
                from: base_from,
                size: base_size,
            },
            S::CopyBytes {
                to: body_to,
                from: body_from,
                size: body_size,
            },
        ) => {
            one(to, base_to, body_to);
            one(from, base_from, body_from);
            one(size, base_size, body_size);
        }
        (
            S::FillBytes { to, value, size },
            S::FillBytes {
                to: base_to,
                value: base_value,
                size: base_size,
            },
            S::FillBytes {
                to: body_to,
                value: body_value,
                size: body_size,
            },
        ) => {
            one(to, base_to, body_to);
            one(value, base_value, body_value);
            one(size, base_size, body_size);
        }
        (
            S::Call { arguments: out, .. },
            S::Call {
                arguments: base, ..
            },
            S::Call {
                arguments: body, ..
            },
        ) => {
            for ((out, base), body) in out.iter_mut().zip(base).zip(body) {
                one(out, base, body);
            }
        }
        _ => {}
    }
}

/// Inserts an expression of the same sort where it differs from the original.
fn insert(out: &mut Expression, base: &Expression, body: &Expression, mutant: MutantId) {
    if same_expression(base, body) {
        return;
    }
    // What has variants already holds the original within.
    let target = match &mut out.kind {
        ExpressionKind::Selected(original, _) => &mut **original,
        _ => &mut *out,
    };
    if insert_deeper(target, base, body, mutant) {
        return;
    }
    let expression = body.clone();
    let variant = Variant { mutant, expression };
    if let ExpressionKind::Selected(_, variants) = &mut out.kind {
        variants.push(variant);
        return;
    }
    let (sort, place) = (out.sort, out.place);
    let kind = ExpressionKind::Constant(0);
    let empty = Expression { kind, sort, place };
    let original = Box::new(std::mem::replace(out, empty));
    out.kind = ExpressionKind::Selected(original, vec![variant]);
}

/// Inserts into the parts, where both are made of the same ones; false where they are not.
fn insert_deeper(
    out: &mut Expression,
    base: &Expression,
    body: &Expression,
    mutant: MutantId,
) -> bool {
    use ExpressionKind as E;
    match (&mut out.kind, &base.kind, &body.kind) {
        (E::Load(out), E::Load(base), E::Load(body))
        | (E::AddressOf(out), E::AddressOf(base), E::AddressOf(body)) => {
            insert_lvalue(out, base, body, mutant);
            true
        }
        (E::Unary(_, out), E::Unary(one, base), E::Unary(other, body)) if one == other => {
            insert_alike(&mut [(&mut **out, &**base, &**body)], mutant)
        }
        (E::Cast(out), E::Cast(base), E::Cast(body)) => {
            insert_alike(&mut [(&mut **out, &**base, &**body)], mutant)
        }
        (E::Binary(_, a, b), E::Binary(one, base_a, base_b), E::Binary(other, body_a, body_b))
            if one == other =>
        {
            insert_alike(
                &mut [
                    (&mut **a, &**base_a, &**body_a),
                    (&mut **b, &**base_b, &**body_b),
                ],
                mutant,
            )
        }
        (E::And(a, b), E::And(base_a, base_b), E::And(body_a, body_b))
        | (E::Or(a, b), E::Or(base_a, base_b), E::Or(body_a, body_b)) => insert_alike(
            &mut [
                (&mut **a, &**base_a, &**body_a),
                (&mut **b, &**base_b, &**body_b),
            ],
            mutant,
        ),
        (
            E::Conditional(a, b, c),
            E::Conditional(base_a, base_b, base_c),
            E::Conditional(body_a, body_b, body_c),
        ) => insert_alike(
            &mut [
                (&mut **a, &**base_a, &**body_a),
                (&mut **b, &**base_b, &**body_b),
                (&mut **c, &**base_c, &**body_c),
            ],
            mutant,
        ),
        _ => false,
    }
}

/// A part of what is made, of the original and of a mutant.
type Part<'a> = (&'a mut Expression, &'a Expression, &'a Expression);

fn insert_alike(parts: &mut [Part<'_>], mutant: MutantId) -> bool {
    if parts.iter().any(|(_, base, body)| base.sort != body.sort) {
        return false;
    }
    for (out, base, body) in parts {
        insert(out, base, body, mutant);
    }
    true
}

fn insert_lvalue(out: &mut Lvalue, base: &Lvalue, body: &Lvalue, mutant: MutantId) {
    if same_lvalue(base, body) {
        return;
    }
    let target = match &mut out.kind {
        LvalueKind::Selected(original, _) => &mut **original,
        _ => &mut *out,
    };
    if insert_deeper_lvalue(target, base, body, mutant) {
        return;
    }
    if let LvalueKind::Selected(_, variants) = &mut out.kind {
        variants.push((mutant, body.clone()));
        return;
    }
    let original = Box::new(out.clone());
    out.kind = LvalueKind::Selected(original, vec![(mutant, body.clone())]);
}

fn insert_deeper_lvalue(out: &mut Lvalue, base: &Lvalue, body: &Lvalue, mutant: MutantId) -> bool {
    use LvalueKind as L;
    match (&mut out.kind, &base.kind, &body.kind) {
        (L::Dereference(out), L::Dereference(base), L::Dereference(body)) => {
            insert(out, base, body, mutant);
            true
        }
        (L::Offset(out, _), L::Offset(base, one), L::Offset(body, other)) if one == other => {
            insert_lvalue(out, base, body, mutant);
            true
        }
        (
            L::Index { array, index, .. },
            L::Index {
                array: base_array,
                index: base_index,
                size: one,
                count: base_count,
            },
            L::Index {
                array: body_array,
                index: body_index,
                size: other,
                count: body_count,
            },
        ) if one == other && base_count == body_count && base_index.sort == body_index.sort => {
            insert_lvalue(array, base_array, body_array, mutant);
            insert(index, base_index, body_index, mutant);
            true
        }
        _ => false,
    }
}

/// Whether two bodies do the same.
pub(super) fn same_bodies(one: &[Statement], other: &[Statement]) -> bool {
    same_list(one, other)
}
