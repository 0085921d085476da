//! The kernel's spelling of the operators of the source.
//!
//! Terms have few operators and one spelling of each idea; this is where the many operators of the
//! trees become those few. Signed division of bit-vectors is SMT-LIB's definition, word for word.

use crate::expr::Operator;
use crate::sort::Sort;
use crate::term::{Op, Term};

/// The kernel's spelling of an operator of the source. The tree's sorts were checked when it was
/// built, so the builders of terms cannot fail.
pub(crate) fn spell(operator: &Operator, args: &[Term]) -> Term {
    if args.first().is_some_and(|first| first.sort().is_bits())
        && let Some(term) = spell_bits(operator, args)
    {
        return term;
    }
    match (operator, args) {
        (Operator::Constant(value), &[]) => Term::constant(value.clone()),
        (Operator::Named(_), &[definition]) => definition,
        (Operator::Call(function), _) => Term::apply(*function, args),
        (Operator::Not, &[a]) => a.not(),
        (Operator::And, _) => Term::and(args),
        (Operator::Or, _) => Term::or(args),
        (Operator::Xor, &[a, b]) => a.xor(b),
        (Operator::Implies, &[a, b]) => a.implies(b),
        (Operator::Equal, _) => equal(args),
        (Operator::Different, _) => equal(args).not(),
        (Operator::Less, &[a, b]) => a.lt(b),
        (Operator::LessEqual, &[a, b]) => a.le(b),
        (Operator::Greater, &[a, b]) => a.gt(b),
        (Operator::GreaterEqual, &[a, b]) => a.ge(b),
        (Operator::Plus, _) => Term::add(args),
        (Operator::Minus, &[a, b]) => a.sub(b),
        (Operator::Negate, &[a]) => a.neg(),
        (Operator::Times, &[a, b]) => a.mul(b),
        (Operator::Divide, &[a, b]) => a.div(b),
        (Operator::IntDivide, &[a, b]) => a.int_div(b),
        (Operator::Modulo, &[a, b]) => a.modulo(b),
        (Operator::IfThenElse, &[c, a, b]) => c.ite(a, b),
        (Operator::ToReal, &[a]) => a.to_real(),
        (Operator::Floor, &[a]) => a.floor(),
        _ => unreachable!("{operator:?} on {args:?}: sorts are checked when a tree is built"),
    }
}

/// Whether each of the first half is equal to its counterpart in the second.
fn equal(args: &[Term]) -> Term {
    let (left, right) = args.split_at(args.len() / 2);
    let pairs = left.iter().zip(right).map(|(a, b)| Term::eq(*a, *b));
    Term::and(&pairs.collect::<Vec<Term>>())
}

/// The operators that mean something of their own on bit-vectors.
fn spell_bits(operator: &Operator, args: &[Term]) -> Option<Term> {
    let plain = |op| Some(Term::bv(op, args));
    let unsigned = |a: Term, b: Term| Term::bv(Op::BvUle, &[a, b]);
    let signed = |a: Term, b: Term| Term::bv(Op::BvSle, &[a, b]);
    match (operator, args) {
        (Operator::Less, &[a, b]) => Some(unsigned(b, a).not()),
        (Operator::LessEqual, &[a, b]) => Some(unsigned(a, b)),
        (Operator::Greater, &[a, b]) => Some(unsigned(a, b).not()),
        (Operator::GreaterEqual, &[a, b]) => Some(unsigned(b, a)),
        (Operator::SignedLess, &[a, b]) => Some(signed(b, a).not()),
        (Operator::SignedLessEqual, &[a, b]) => Some(signed(a, b)),
        (Operator::SignedGreater, &[a, b]) => Some(signed(a, b).not()),
        (Operator::SignedGreaterEqual, &[a, b]) => Some(signed(b, a)),
        (Operator::Plus, _) => plain(Op::BvAdd),
        (Operator::Minus, &[a, b]) => Some(Term::bv(Op::BvAdd, &[a, negated(b)])),
        (Operator::Negate, _) => plain(Op::BvNeg),
        (Operator::Times, _) => plain(Op::BvMul),
        (Operator::IntDivide, _) => plain(Op::BvUdiv),
        (Operator::Modulo, _) => plain(Op::BvUrem),
        (Operator::SignedDivide, &[a, b]) => Some(signed_quotient(a, b)),
        (Operator::SignedRemainder, &[a, b]) => Some(signed_remainder(a, b)),
        (Operator::SignedModulo, &[a, b]) => Some(signed_modulo(a, b)),
        (Operator::BitNot, _) => plain(Op::BvNot),
        (Operator::BitAnd, _) => plain(Op::BvAnd),
        (Operator::BitOr, _) => plain(Op::BvOr),
        (Operator::BitXor, _) => plain(Op::BvXor),
        (Operator::ShiftLeft, _) => plain(Op::BvShl),
        (Operator::ShiftRight, _) => plain(Op::BvLshr),
        (Operator::ArithmeticShiftRight, _) => plain(Op::BvAshr),
        (Operator::Concat, _) => plain(Op::Concat),
        (Operator::Extract { high, low }, _) => plain(Op::Extract {
            high: *high,
            low: *low,
        }),
        (Operator::ZeroExtend(0) | Operator::SignExtend(0), &[a]) => Some(a),
        (Operator::ZeroExtend(more), &[a]) => {
            Some(Term::bv(Op::Concat, &[Term::bitvec(*more, 0), a]))
        }
        (Operator::SignExtend(more), &[a]) => Some(sign_extended(a, *more)),
        _ => None,
    }
}

fn negated(a: Term) -> Term {
    Term::bv(Op::BvNeg, &[a])
}

fn is_negative(a: Term) -> Term {
    let Sort::BitVec(width) = a.sort() else {
        unreachable!("the caller has a bit-vector");
    };
    let high = width - 1;
    Term::bv(Op::Extract { high, low: high }, &[a]).eq(Term::bitvec(1, 1))
}

fn magnitude(a: Term) -> Term {
    is_negative(a).ite(negated(a), a)
}

/// Copies of the sign in front: the bits go to the high end of the wide vector and come back.
fn sign_extended(a: Term, more: u32) -> Term {
    let high = Term::bv(Op::Concat, &[a, Term::bitvec(more, 0)]);
    let Sort::BitVec(width) = high.sort() else {
        unreachable!("a concatenation is a bit-vector");
    };
    // The distance fits: it is less than the width, and a width fits 32 bits.
    Term::bv(Op::BvAshr, &[high, Term::bitvec(width, u64::from(more))])
}

/// SMT-LIB's `bvsdiv`.
fn signed_quotient(a: Term, b: Term) -> Term {
    let quotient = Term::bv(Op::BvUdiv, &[magnitude(a), magnitude(b)]);
    let differ = is_negative(a).xor(is_negative(b));
    differ.ite(negated(quotient), quotient)
}

/// SMT-LIB's `bvsrem`.
fn signed_remainder(a: Term, b: Term) -> Term {
    let remainder = Term::bv(Op::BvUrem, &[magnitude(a), magnitude(b)]);
    is_negative(a).ite(negated(remainder), remainder)
}

/// SMT-LIB's `bvsmod`.
fn signed_modulo(a: Term, b: Term) -> Term {
    let remainder = signed_remainder(a, b);
    let Sort::BitVec(width) = a.sort() else {
        unreachable!("the caller has a bit-vector");
    };
    let exact = remainder.eq(Term::bitvec(width, 0));
    let same_side = is_negative(a).eq(is_negative(b));
    let moved = Term::bv(Op::BvAdd, &[remainder, b]);
    Term::or(&[exact, same_side]).ite(remainder, moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_operators_on_bit_vectors_agree_with_machine_arithmetic() {
        let bits = |value: i64| Term::bitvec(4, (value & 15) as u64);
        let word = |operator, a, b| spell(&operator, &[bits(a), bits(b)]);
        for a in -8i64..8 {
            let wide = spell(&Operator::SignExtend(3), &[bits(a)]);
            assert_eq!(wide, Term::bitvec(7, (a & 127) as u64));
            for b in -8i64..8 {
                assert_eq!(word(Operator::SignedLess, a, b), Term::bool(a < b));
                assert_eq!(word(Operator::SignedGreaterEqual, a, b), Term::bool(a >= b));
                assert_eq!(word(Operator::Less, a, b), Term::bool(a & 15 < b & 15));
                assert_eq!(word(Operator::Greater, a, b), Term::bool(a & 15 > b & 15));
                assert_eq!(word(Operator::Minus, a, b), bits(a - b));
                if b == 0 {
                    let wanted = if a < 0 { 1 } else { -1 };
                    assert_eq!(word(Operator::SignedDivide, a, b), bits(wanted));
                    assert_eq!(word(Operator::SignedRemainder, a, b), bits(a));
                    assert_eq!(word(Operator::SignedModulo, a, b), bits(a));
                    continue;
                }
                assert_eq!(word(Operator::SignedDivide, a, b), bits(a / b));
                assert_eq!(word(Operator::SignedRemainder, a, b), bits(a % b));
                let modulo = a - b * floor_div(a, b);
                assert_eq!(word(Operator::SignedModulo, a, b), bits(modulo));
            }
        }
    }

    fn floor_div(a: i64, b: i64) -> i64 {
        let quotient = a / b;
        if a % b != 0 && (a < 0) != (b < 0) {
            quotient - 1
        } else {
            quotient
        }
    }
}
