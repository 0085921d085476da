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
    /// The term whose value a variable has, when it has no value of its own. Definitions must not
    /// lead back to their variable.
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
    pub fn new(environment: &'e E) -> Self {
        Evaluator {
            environment,
            known: FxHashMap::default(),
        }
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
            let value = self.node(term).ok_or(term)?;
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
