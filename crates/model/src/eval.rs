//! Exact evaluation of terms.
//!
//! [`fold`] is the meaning of every operator, stated once: the term builder uses it on constants,
//! the evaluator on values. [`Evaluator`] walks a term with a stack of its own, so that depth costs
//! no recursion, and remembers what it has evaluated, so that shared parts are visited once.

use crate::number::Rational;
use crate::term::{Function, Op, Term, division_by_zero};
use crate::value::{BitVec, Value};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::FxHashMap;

/// Where the evaluator finds the values of what is free in a term.
pub trait Environment {
    /// The value of a variable.
    fn variable(&self, variable: Term) -> Option<Value>;
    /// The value of an uninterpreted function at a point.
    fn function(&self, function: Function, args: &[Value]) -> Option<Value>;
    /// The term whose value a variable has, when [`Environment::variable`] gives none. Definitions
    /// must not lead back to their variable.
    fn definition(&self, _variable: Term) -> Option<Term> {
        None
    }
}

impl Environment for FxHashMap<Term, Value> {
    fn variable(&self, variable: Term) -> Option<Value> {
        self.get(&variable).cloned()
    }

    fn function(&self, _: Function, _: &[Value]) -> Option<Value> {
        None
    }
}

/// Evaluates terms in one environment and remembers the results.
pub struct Evaluator<'e, E: Environment> {
    environment: &'e E,
    known: FxHashMap<Term, Value>,
}

impl<'e, E: Environment> Evaluator<'e, E> {
    /// Knows nothing yet; results are kept from term to term.
    pub fn new(environment: &'e E) -> Self {
        Evaluator::resume(environment, FxHashMap::default())
    }

    /// An evaluator that goes on where another of the same environment ended.
    pub fn resume(environment: &'e E, known: FxHashMap<Term, Value>) -> Self {
        Evaluator { environment, known }
    }

    /// All that was evaluated.
    pub fn into_known(self) -> FxHashMap<Term, Value> {
        self.known
    }

    /// The term's value, or the variable or application that the environment does not know.
    pub fn value(&mut self, root: Term) -> Result<Value, Term> {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.known.contains_key(&term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(
                term.args()
                    .iter()
                    .filter(|arg| !self.known.contains_key(arg)),
            );
            if stack.len() > before {
                continue;
            }
            let Some(value) = self.node(term) else {
                let definition = self.environment.definition(term).ok_or(term)?;
                match self.known.get(&definition).cloned() {
                    Some(value) => self.known.insert(term, value),
                    None => {
                        stack.push(definition);
                        continue;
                    }
                };
                continue;
            };
            self.known.insert(term, value);
            stack.pop();
        }
        Ok(self.known[&root].clone())
    }

    /// The value of a term whose arguments are known.
    fn node(&self, term: Term) -> Option<Value> {
        let values: Vec<Value> = term
            .args()
            .iter()
            .map(|arg| self.known[arg].clone())
            .collect();
        match term.op() {
            Op::Var(_) => self.environment.variable(term),
            Op::Apply(function) => self.environment.function(*function, &values),
            op => fold(op, &values).or_else(|| {
                // Only a division by zero has no value of its own.
                self.environment
                    .function(division_by_zero(op), &values[..1])
            }),
        }
    }
}

/// The meaning of an operator on values of the right sorts; `None` for variables, uninterpreted
/// functions and division by zero, which have no meaning of their own.
pub fn fold(op: &Op, args: &[Value]) -> Option<Value> {
    use Value::{Bool, Int, Real};
    let value = match (op, args) {
        (Op::Const(value), []) => value.clone(),
        (Op::Var(_) | Op::Apply(_), _) => return None,
        (Op::Not, [Bool(a)]) => Bool(!a),
        (Op::And, _) => Bool(args.iter().all(|arg| *arg == Bool(true))),
        (Op::Or, _) => Bool(args.contains(&Bool(true))),
        (Op::Eq, [a, b]) => Bool(a == b),
        (Op::Ite, [Bool(c), a, b]) => (if *c { a } else { b }).clone(),
        (Op::Le, [Int(a), Int(b)] | [Real(a), Real(b)]) => Bool(a <= b),
        (Op::Add, [Int(_), ..]) => Int(sum(args)),
        (Op::Add, [Real(_), ..]) => Real(sum(args)),
        (Op::Mul, [Int(a), Int(b)]) => Int(a * b),
        (Op::Mul, [Real(a), Real(b)]) => Real(a * b),
        (Op::Div | Op::IntDiv | Op::Mod, [_, Int(b) | Real(b)]) if b.is_zero() => return None,
        (Op::Div, [Real(a), Real(b)]) => Real(a / b),
        (Op::IntDiv, [Int(a), Int(b)]) => Int(a.div_euclid(b)),
        (Op::Mod, [Int(a), Int(b)]) => Int(a.rem_euclid(b)),
        (Op::ToReal, [Int(a)]) => Real(a.clone()),
        (Op::Floor, [Real(a)]) => Int(a.floor()),
        (_, [Value::BitVec(a)]) => Value::BitVec(fold_bits(op, a)),
        (Op::BvUle, [Value::BitVec(a), Value::BitVec(b)]) => Bool(a.unsigned() <= b.unsigned()),
        (Op::BvSle, [Value::BitVec(a), Value::BitVec(b)]) => Bool(a.signed() <= b.signed()),
        (_, [Value::BitVec(a), Value::BitVec(b)]) => Value::BitVec(fold_bits_pair(op, a, b)),
        _ => unreachable!("{op:?} on {args:?}: sorts are checked when a term is built"),
    };
    Some(value)
}

fn sum(args: &[Value]) -> Rational {
    let mut total = Rational::ZERO;
    for number in args.iter().filter_map(Value::as_number) {
        total += number;
    }
    total
}

fn fold_bits(op: &Op, a: &BitVec) -> BitVec {
    let width = a.width();
    let modulus = BigUint::one() << width;
    match op {
        Op::Extract { high, low } => BitVec::new(high - low + 1, a.unsigned() >> low),
        Op::BvNot => BitVec::new(width, modulus - 1u32 - a.unsigned()),
        Op::BvNeg => BitVec::new(width, modulus - a.unsigned()),
        _ => unreachable!("{op:?} on one bit-vector"),
    }
}

fn fold_bits_pair(op: &Op, a: &BitVec, b: &BitVec) -> BitVec {
    let width = a.width();
    let (x, y) = (a.unsigned(), b.unsigned());
    let ones = || (BigUint::one() << width) - 1u32;
    // A shift by the width or more moves every bit out.
    let shift = y.to_u32().filter(|shift| *shift < width);
    let number = match op {
        Op::Concat => return BitVec::new(width + b.width(), (x << b.width()) | y),
        Op::BvAnd => x & y,
        Op::BvOr => x | y,
        Op::BvXor => x ^ y,
        Op::BvAdd => x + y,
        Op::BvMul => x * y,
        Op::BvUdiv if y.is_zero() => ones(),
        Op::BvUdiv => x / y,
        Op::BvUrem if y.is_zero() => x.clone(),
        Op::BvUrem => x % y,
        Op::BvShl => shift.map_or_else(BigUint::zero, |shift| x << shift),
        Op::BvLshr => shift.map_or_else(BigUint::zero, |shift| x >> shift),
        Op::BvAshr => {
            let shift = shift.unwrap_or(width);
            let fill = if a.bit(width - 1) {
                ones() ^ (ones() >> shift)
            } else {
                BigUint::zero()
            };
            (x >> shift) | fill
        }
        _ => unreachable!("{op:?} on two bit-vectors"),
    };
    BitVec::new(width, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(width: u32, number: u64) -> Value {
        Value::BitVec(BitVec::new(width, number.into()))
    }

    /// Folds an operator on two vectors of four bits.
    fn four(op: Op, a: u64, b: u64) -> Value {
        fold(&op, &[bits(4, a), bits(4, b)]).unwrap()
    }

    #[test]
    fn bit_vector_division_by_zero_is_all_ones_and_its_remainder_the_dividend() {
        for a in 0..16 {
            assert_eq!(four(Op::BvUdiv, a, 0), bits(4, 15));
            assert_eq!(four(Op::BvUrem, a, 0), bits(4, a));
        }
    }

    #[test]
    fn shifts_by_the_width_or_more_move_every_bit_out() {
        for (a, b) in (0..16).flat_map(|a| (0..16).map(move |b| (a, b))) {
            let signed = if a >= 8 { a as i64 - 16 } else { a as i64 };
            assert_eq!(four(Op::BvShl, a, b), bits(4, (a << b) & 15));
            assert_eq!(four(Op::BvLshr, a, b), bits(4, a >> b));
            assert_eq!(four(Op::BvAshr, a, b), bits(4, (signed >> b) as u64 & 15));
        }
        // A distance beyond every machine word.
        let one = Value::BitVec(BitVec::new(80, BigUint::one()));
        let far = Value::BitVec(BitVec::new(80, BigUint::one() << 79));
        let zero = Value::BitVec(BitVec::new(80, BigUint::zero()));
        let shifted = |op: Op, a: &Value| fold(&op, &[a.clone(), far.clone()]).unwrap();
        assert_eq!(shifted(Op::BvShl, &one), zero);
        assert_eq!(shifted(Op::BvLshr, &far), zero);
        let ones = fold(&Op::BvNot, &[zero]).unwrap();
        assert_eq!(shifted(Op::BvAshr, &far), ones);
    }

    #[test]
    fn signed_and_unsigned_order_differ_at_the_sign() {
        for (a, b) in (0..16).flat_map(|a| (0..16).map(move |b| (a, b))) {
            let signed = |x: u64| if x >= 8 { x as i64 - 16 } else { x as i64 };
            assert_eq!(four(Op::BvUle, a, b), Value::Bool(a <= b));
            assert_eq!(four(Op::BvSle, a, b), Value::Bool(signed(a) <= signed(b)));
        }
        assert_eq!(
            fold(&Op::BvSle, &[bits(1, 1), bits(1, 0)]),
            Some(Value::Bool(true))
        );
    }

    #[test]
    fn bit_vector_arithmetic_wraps_around() {
        assert_eq!(four(Op::BvAdd, 15, 1), bits(4, 0));
        assert_eq!(four(Op::BvMul, 7, 7), bits(4, 1));
        assert_eq!(fold(&Op::BvNeg, &[bits(4, 0)]), Some(bits(4, 0)));
        assert_eq!(fold(&Op::BvNeg, &[bits(4, 8)]), Some(bits(4, 8)));
        assert_eq!(fold(&Op::BvNot, &[bits(4, 5)]), Some(bits(4, 10)));
    }

    #[test]
    fn concatenation_and_extraction_undo_each_other() {
        let joined = fold(&Op::Concat, &[bits(3, 5), bits(2, 1)]).unwrap();
        assert_eq!(joined, bits(5, 21));
        let part = |high, low| fold(&Op::Extract { high, low }, std::slice::from_ref(&joined));
        assert_eq!(part(4, 2), Some(bits(3, 5)));
        assert_eq!(part(1, 0), Some(bits(2, 1)));
    }

    #[test]
    fn division_by_zero_of_numbers_is_left_to_the_environment() {
        let int = |value: i64| Value::Int(value.into());
        assert_eq!(fold(&Op::IntDiv, &[int(1), int(0)]), None);
        assert_eq!(fold(&Op::Mod, &[int(1), int(0)]), None);
        assert_eq!(fold(&Op::Mod, &[int(-7), int(-2)]), Some(int(1)));
    }
}
