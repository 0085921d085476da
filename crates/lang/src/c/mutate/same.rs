//! Whether two parts of programs are the same, wherever they stand and whatever an assertion says of itself.

use proofmark_model::program::{
    Callee, Expression, ExpressionKind, Lvalue, LvalueKind, Piece, Statement, StatementKind,
};

pub(super) fn same_list(one: &[Statement], other: &[Statement]) -> bool {
    let mut pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.all(|(one, other)| same_statement(one, other))
}

pub(super) fn same_statement(one: &Statement, other: &Statement) -> bool {
    use StatementKind as S;
    match (&one.kind, &other.kind) {
        (S::Declare(one), S::Declare(other)) | (S::End(one), S::End(other)) => one == other,
        (S::Goto(one), S::Goto(other)) | (S::Label(one), S::Label(other)) => one == other,
        (S::Assign(to, value), S::Assign(other_to, other)) => {
            same_lvalue(to, other_to) && same_expression(value, other)
        }
        (S::Input(to, sort, name), S::Input(other_to, other_sort, other_name)) => {
            same_lvalue(to, other_to) && sort == other_sort && name == other_name
        }
        (
            S::CopyBytes { to, from, size },
            S::CopyBytes {
                to: a,
                from: b,
                size: c,
            },
        ) => same_expression(to, a) && same_expression(from, b) && same_expression(size, c),
        (
            S::FillBytes { to, value, size },
            S::FillBytes {
                to: a,
                value: b,
                size: c,
            },
        ) => same_expression(to, a) && same_expression(value, b) && same_expression(size, c),
        (
            S::Allocate { to, size, filling },
            S::Allocate {
                to: a,
                size: b,
                filling: c,
            },
        ) => same_lvalue(to, a) && same_expression(size, b) && filling == c,
        (S::Free(one), S::Free(other)) | (S::Assume(one), S::Assume(other)) => {
            same_expression(one, other)
        }
        // The text of an assertion is for people.
        (S::Assert(one, _), S::Assert(other, _)) => same_expression(one, other),
        (S::Call { .. }, S::Call { .. }) => same_call(&one.kind, &other.kind),
        (S::Return(one), S::Return(other)) => match (one, other) {
            (Some(one), Some(other)) => same_expression(one, other),
            (one, other) => one.is_none() && other.is_none(),
        },
        (S::If(a, b, c), S::If(x, y, z)) => {
            same_expression(a, x) && same_list(b, y) && same_list(c, z)
        }
        (S::Loop(id, body), S::Loop(other, list)) => id == other && same_list(body, list),
        (S::Log(one), S::Log(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(one, other)| same_piece(one, other))
        }
        _ => false,
    }
}

fn same_call(one: &StatementKind, other: &StatementKind) -> bool {
    let (
        StatementKind::Call {
            result,
            callee,
            arguments,
        },
        StatementKind::Call {
            result: other_result,
            callee: other_callee,
            arguments: given,
        },
    ) = (one, other)
    else {
        return false;
    };
    let results = match (result, other_result) {
        (Some((to, sort)), Some((other, other_sort))) => {
            same_lvalue(to, other) && sort == other_sort
        }
        (one, other) => one.is_none() && other.is_none(),
    };
    let callees = match (callee, other_callee) {
        (Callee::Function(one), Callee::Function(other)) => one == other,
        (Callee::Pointer(one), Callee::Pointer(other)) => same_expression(one, other),
        _ => false,
    };
    let mut pairs = arguments.iter().zip(given);
    let alike = arguments.len() == given.len();
    results && callees && alike && pairs.all(|(one, other)| same_expression(one, other))
}

fn same_piece(one: &Piece, other: &Piece) -> bool {
    match (one, other) {
        (Piece::Text(one), Piece::Text(other)) => one == other,
        (
            Piece::Value {
                expression,
                conversion,
                width,
                padding,
            },
            Piece::Value {
                expression: a,
                conversion: b,
                width: c,
                padding: d,
            },
        ) => same_expression(expression, a) && conversion == b && width == c && padding == d,
        _ => false,
    }
}

pub(super) fn same_expression(one: &Expression, other: &Expression) -> bool {
    use ExpressionKind as E;
    if one.sort != other.sort {
        return false;
    }
    match (&one.kind, &other.kind) {
        (E::Constant(one), E::Constant(other)) => one == other,
        (E::Load(one), E::Load(other)) | (E::AddressOf(one), E::AddressOf(other)) => {
            same_lvalue(one, other)
        }
        (E::AddressOfFunction(one), E::AddressOfFunction(other)) => one == other,
        (E::Unary(operator, one), E::Unary(other_operator, other)) => {
            operator == other_operator && same_expression(one, other)
        }
        (E::Cast(one), E::Cast(other)) => same_expression(one, other),
        (E::Binary(operator, a, b), E::Binary(other, x, y)) => {
            operator == other && same_expression(a, x) && same_expression(b, y)
        }
        (E::And(a, b), E::And(x, y)) | (E::Or(a, b), E::Or(x, y)) => {
            same_expression(a, x) && same_expression(b, y)
        }
        (E::Conditional(a, b, c), E::Conditional(x, y, z)) => {
            same_expression(a, x) && same_expression(b, y) && same_expression(c, z)
        }
        _ => false,
    }
}

pub(super) fn same_lvalue(one: &Lvalue, other: &Lvalue) -> bool {
    use LvalueKind as L;
    match (&one.kind, &other.kind) {
        (L::Variable(one), L::Variable(other)) => one == other,
        (L::Dereference(one), L::Dereference(other)) => same_expression(one, other),
        (L::Offset(one, by), L::Offset(other, other_by)) => {
            by == other_by && same_lvalue(one, other)
        }
        (
            L::Index {
                array,
                index,
                size,
                count,
            },
            L::Index {
                array: a,
                index: b,
                size: c,
                count: d,
            },
        ) => same_lvalue(array, a) && same_expression(index, b) && size == c && count == d,
        _ => false,
    }
}
