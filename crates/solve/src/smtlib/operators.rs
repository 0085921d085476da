//! The operators of the theories Core, Ints, Reals and FixedSizeBitVectors, and what each means in
//! the kernel of terms.
//!
//! One table names them all. An operator that the kernel does not have becomes, here and nowhere
//! else, the kernel term that the standard defines it by.

use proofmark_model::{Op, Rational, Sort, Term, Value};

/// No bit-vector is wider: a script of a few bytes must not ask for gigabytes.
pub const WIDEST: u32 = 1 << 20;
/// No number that constant folding makes is longer, in bits.
const LONGEST_NUMBER: u64 = 1 << 20;
/// `distinct` says so of every pair, which is a square; more arguments are refused.
const MOST_DISTINCT: usize = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    Not,
    Implies,
    And,
    Or,
    Xor,
    Equal,
    Distinct,
    Ite,
    /// The constructor that it asks for is the first argument.
    Is,
    Minus,
    Plus,
    Times,
    Divide,
    IntDiv,
    Mod,
    Abs,
    Le,
    Lt,
    Ge,
    Gt,
    ToReal,
    ToInt,
    IsInt,
    /// Its index is the first argument.
    Divisible,
    Concat,
    Extract,
    Repeat,
    ZeroExtend,
    SignExtend,
    RotateLeft,
    RotateRight,
    BvNot,
    BvNeg,
    BvAnd,
    BvOr,
    BvXor,
    BvNand,
    BvNor,
    BvXnor,
    BvComp,
    BvAdd,
    BvSub,
    BvMul,
    BvUdiv,
    BvUrem,
    BvSdiv,
    BvSrem,
    BvSmod,
    BvShl,
    BvLshr,
    BvAshr,
    BvUlt,
    BvUle,
    BvUgt,
    BvUge,
    BvSlt,
    BvSle,
    BvSgt,
    BvSge,
}
use Operator as O;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theory {
    Core,
    Arithmetic,
    BitVectors,
}

/// A row of the table: the operator, its name, its theory, how many indices it has, what it takes.
pub struct Row {
    pub operator: Operator,
    pub name: &'static str,
    pub theory: Theory,
    pub indices: u8,
    pub takes: &'static str,
}

const fn row(
    operator: Operator,
    name: &'static str,
    theory: Theory,
    indices: u8,
    takes: &'static str,
) -> Row {
    Row {
        operator,
        name,
        theory,
        indices,
        takes,
    }
}

const BOOLEANS: &str = "Booleans";
const ONE_SORT: &str = "two or more terms of one sort";
const NUMBERS: &str = "two or more integers or reals";
const INTEGERS: &str = "two or more integers";
const BITS: &str = "one bit-vector";
const SAME_BITS: &str = "bit-vectors of one width";
const TWO_BITS: &str = "two bit-vectors of one width";

use Theory::{Arithmetic, BitVectors, Core};
pub const TABLE: &[Row] = &[
    row(O::Not, "not", Core, 0, "one Boolean"),
    row(O::Implies, "=>", Core, 0, "two or more Booleans"),
    row(O::And, "and", Core, 0, BOOLEANS),
    row(O::Or, "or", Core, 0, BOOLEANS),
    row(O::Xor, "xor", Core, 0, "two or more Booleans"),
    row(O::Equal, "=", Core, 0, ONE_SORT),
    row(O::Distinct, "distinct", Core, 0, ONE_SORT),
    row(
        O::Ite,
        "ite",
        Core,
        0,
        "a Boolean and two terms of one sort",
    ),
    row(
        O::Is,
        "is",
        Core,
        1,
        "one term of the constructor's datatype",
    ),
    row(O::Minus, "-", Arithmetic, 0, "integers or reals"),
    row(O::Plus, "+", Arithmetic, 0, "integers or reals"),
    row(O::Times, "*", Arithmetic, 0, "integers or reals"),
    row(O::Divide, "/", Arithmetic, 0, "two or more reals"),
    row(O::IntDiv, "div", Arithmetic, 0, INTEGERS),
    row(O::Mod, "mod", Arithmetic, 0, "two integers"),
    row(O::Abs, "abs", Arithmetic, 0, "one integer or real"),
    row(O::Le, "<=", Arithmetic, 0, NUMBERS),
    row(O::Lt, "<", Arithmetic, 0, NUMBERS),
    row(O::Ge, ">=", Arithmetic, 0, NUMBERS),
    row(O::Gt, ">", Arithmetic, 0, NUMBERS),
    row(O::ToReal, "to_real", Arithmetic, 0, "one integer"),
    row(O::ToInt, "to_int", Arithmetic, 0, "one real"),
    row(O::IsInt, "is_int", Arithmetic, 0, "one real"),
    row(O::Divisible, "divisible", Arithmetic, 1, "one integer"),
    row(
        O::Concat,
        "concat",
        BitVectors,
        0,
        "two or more bit-vectors",
    ),
    row(
        O::Extract,
        "extract",
        BitVectors,
        2,
        "one bit-vector that has these bits",
    ),
    row(O::Repeat, "repeat", BitVectors, 1, BITS),
    row(O::ZeroExtend, "zero_extend", BitVectors, 1, BITS),
    row(O::SignExtend, "sign_extend", BitVectors, 1, BITS),
    row(O::RotateLeft, "rotate_left", BitVectors, 1, BITS),
    row(O::RotateRight, "rotate_right", BitVectors, 1, BITS),
    row(O::BvNot, "bvnot", BitVectors, 0, BITS),
    row(O::BvNeg, "bvneg", BitVectors, 0, BITS),
    row(O::BvAnd, "bvand", BitVectors, 0, SAME_BITS),
    row(O::BvOr, "bvor", BitVectors, 0, SAME_BITS),
    row(O::BvXor, "bvxor", BitVectors, 0, SAME_BITS),
    row(O::BvNand, "bvnand", BitVectors, 0, TWO_BITS),
    row(O::BvNor, "bvnor", BitVectors, 0, TWO_BITS),
    row(O::BvXnor, "bvxnor", BitVectors, 0, TWO_BITS),
    row(O::BvComp, "bvcomp", BitVectors, 0, TWO_BITS),
    row(O::BvAdd, "bvadd", BitVectors, 0, SAME_BITS),
    row(O::BvSub, "bvsub", BitVectors, 0, TWO_BITS),
    row(O::BvMul, "bvmul", BitVectors, 0, SAME_BITS),
    row(O::BvUdiv, "bvudiv", BitVectors, 0, TWO_BITS),
    row(O::BvUrem, "bvurem", BitVectors, 0, TWO_BITS),
    row(O::BvSdiv, "bvsdiv", BitVectors, 0, TWO_BITS),
    row(O::BvSrem, "bvsrem", BitVectors, 0, TWO_BITS),
    row(O::BvSmod, "bvsmod", BitVectors, 0, TWO_BITS),
    row(O::BvShl, "bvshl", BitVectors, 0, TWO_BITS),
    row(O::BvLshr, "bvlshr", BitVectors, 0, TWO_BITS),
    row(O::BvAshr, "bvashr", BitVectors, 0, TWO_BITS),
    row(O::BvUlt, "bvult", BitVectors, 0, TWO_BITS),
    row(O::BvUle, "bvule", BitVectors, 0, TWO_BITS),
    row(O::BvUgt, "bvugt", BitVectors, 0, TWO_BITS),
    row(O::BvUge, "bvuge", BitVectors, 0, TWO_BITS),
    row(O::BvSlt, "bvslt", BitVectors, 0, TWO_BITS),
    row(O::BvSle, "bvsle", BitVectors, 0, TWO_BITS),
    row(O::BvSgt, "bvsgt", BitVectors, 0, TWO_BITS),
    row(O::BvSge, "bvsge", BitVectors, 0, TWO_BITS),
];

impl Operator {
    pub fn row(self) -> &'static Row {
        // Only error messages and declarations ask, so a search will do.
        TABLE
            .iter()
            .find(|row| row.operator == self)
            .expect("every operator has its row")
    }
}

/// Why an operator was not applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It does not take so many arguments or not of these sorts.
    Sorts,
    /// The result would be wider than [`WIDEST`].
    Width,
    /// The result is a constant longer than a computer should write down.
    Number,
    /// Too many arguments of `distinct`.
    Distinct,
}

type Result<T> = std::result::Result<T, Refusal>;

/// Applies an operator. Integers among reals become reals, in place.
pub fn apply(operator: Operator, indices: [u32; 2], args: &mut [Term]) -> Result<Term> {
    match operator.theory() {
        Theory::Core => core(operator, args),
        Theory::Arithmetic => arithmetic(operator, args).and_then(short),
        Theory::BitVectors => bit_vectors(operator, indices, args),
    }
}

impl Operator {
    /// As in the table; the enumeration is in the order of the theories.
    fn theory(self) -> Theory {
        match self as u8 {
            operator if operator <= O::Is as u8 => Theory::Core,
            operator if operator < O::Concat as u8 => Theory::Arithmetic,
            _ => Theory::BitVectors,
        }
    }
}

fn build(op: Op, args: &[Term]) -> Result<Term> {
    Term::build(op, args).map_err(|_| Refusal::Sorts)
}

/// Refuses a constant that grew beyond measure, as repeated squaring makes it.
pub fn short(term: Term) -> Result<Term> {
    match term.op() {
        Op::Const(Value::Int(number) | Value::Real(number))
            if number.heap_bits() > LONGEST_NUMBER =>
        {
            Err(Refusal::Number)
        }
        _ => Ok(term),
    }
}

/// Where integers and reals meet, the integers become reals.
fn mix(args: &mut [Term]) {
    let Some(first) = args.first().map(|arg| arg.sort()) else {
        return;
    };
    if args.iter().all(|arg| arg.sort() == first) {
        return;
    }
    if args.iter().all(|arg| arg.sort().is_arithmetic()) {
        args.iter_mut().for_each(|arg| *arg = as_real(*arg));
    }
}

/// An integer as a real; other terms as they are.
pub fn as_real(term: Term) -> Term {
    match term.sort() {
        Sort::Int => term.to_real(),
        _ => term,
    }
}

fn core(operator: Operator, args: &mut [Term]) -> Result<Term> {
    match (operator, &mut *args) {
        (O::Not, _) => build(Op::Not, args),
        (O::And | O::Or, [only]) if only.sort() == Sort::Bool => Ok(*only),
        (O::And, _) => build(Op::And, args),
        (O::Or, _) => build(Op::Or, args),
        (O::Implies, [_, _, ..]) => implies(args),
        (O::Xor, [first, rest @ ..]) if !rest.is_empty() => {
            fold(*first, rest, |a, b| match a.sort() {
                Sort::Bool => build(Op::Not, &[build(Op::Eq, &[a, b])?]),
                _ => Err(Refusal::Sorts),
            })
        }
        (O::Equal, [_, _, ..]) => {
            mix(args);
            chain(args, |a, b| build(Op::Eq, &[a, b]))
        }
        (O::Distinct, [_, _, ..]) => {
            mix(args);
            distinct(args)
        }
        (O::Ite, [_, branches @ ..]) => {
            mix(branches);
            build(Op::Ite, args)
        }
        (O::Is, [_, _]) => build(Op::Eq, args),
        _ => Err(Refusal::Sorts),
    }
}

/// `a => (b => c)` is `(not a) or (not b) or c`.
fn implies(args: &mut [Term]) -> Result<Term> {
    let last = args.len() - 1;
    for premise in &mut args[..last] {
        *premise = build(Op::Not, &[*premise])?;
    }
    build(Op::Or, args)
}

fn distinct(args: &[Term]) -> Result<Term> {
    if args.len() > MOST_DISTINCT {
        return Err(Refusal::Distinct);
    }
    let mut different = Vec::with_capacity(args.len() * (args.len() - 1) / 2);
    for (at, &a) in args.iter().enumerate() {
        for &b in &args[at + 1..] {
            different.push(build(Op::Not, &[build(Op::Eq, &[a, b])?])?);
        }
    }
    Ok(Term::and(&different))
}

/// Left-associative application.
fn fold(first: Term, rest: &[Term], step: impl Fn(Term, Term) -> Result<Term>) -> Result<Term> {
    rest.iter().try_fold(first, |a, &b| step(a, b))
}

/// Chainable application: between every two neighbours.
fn chain(args: &[Term], link: impl Fn(Term, Term) -> Result<Term>) -> Result<Term> {
    match args {
        [a, b] => link(*a, *b),
        [_, _, ..] => {
            let links: Result<Vec<Term>> = args.windows(2).map(|w| link(w[0], w[1])).collect();
            Ok(Term::and(&links?))
        }
        _ => Err(Refusal::Sorts),
    }
}

fn arithmetic(operator: Operator, args: &mut [Term]) -> Result<Term> {
    if !args.iter().all(|arg| arg.sort().is_arithmetic()) {
        return Err(Refusal::Sorts);
    }
    mix(args);
    let le = |a, b| build(Op::Le, &[a, b]);
    let lt = |a, b| build(Op::Not, &[build(Op::Le, &[b, a])?]);
    match (operator, &mut *args) {
        (O::Plus | O::Times, [only]) => Ok(*only),
        (O::Plus, [_, _, ..]) => build(Op::Add, args),
        (O::Minus, [only]) => Ok(only.neg()),
        (O::Minus, [_, subtracted @ ..]) => {
            subtracted.iter_mut().for_each(|arg| *arg = arg.neg());
            build(Op::Add, args)
        }
        (O::Times, [first, rest @ ..]) => {
            fold(*first, rest, |a, b| short(build(Op::Mul, &[a, b])?))
        }
        (O::Divide, [_, _, ..]) => {
            args.iter_mut().for_each(|arg| *arg = as_real(*arg));
            fold(args[0], &args[1..], |a, b| short(build(Op::Div, &[a, b])?))
        }
        (O::IntDiv, [first, rest @ ..]) if !rest.is_empty() => {
            fold(*first, rest, |a, b| build(Op::IntDiv, &[a, b]))
        }
        (O::Mod, [_, _]) => build(Op::Mod, args),
        (O::Abs, [only]) => Ok(absolute(*only)),
        (O::Le, _) => chain(args, le),
        (O::Lt, _) => chain(args, lt),
        (O::Ge, _) => chain(args, |a, b| le(b, a)),
        (O::Gt, _) => chain(args, |a, b| lt(b, a)),
        (O::ToReal, [only]) if only.sort() == Sort::Int => Ok(only.to_real()),
        (O::ToInt, [only]) => Ok(as_real(*only).floor()),
        (O::IsInt, [only]) => {
            let real = as_real(*only);
            Ok(real.eq(real.floor().to_real()))
        }
        (O::Divisible, [divisor, dividend]) if dividend.sort() == Sort::Int => {
            Ok(dividend.modulo(*divisor).eq(Term::int(0)))
        }
        _ => Err(Refusal::Sorts),
    }
}

fn absolute(number: Term) -> Term {
    let zero = match number.sort() {
        Sort::Int => Term::int(0),
        _ => Term::real(Rational::ZERO),
    };
    number.ge(zero).ite(number, number.neg())
}

fn width(term: Term) -> Result<u32> {
    match term.sort() {
        Sort::BitVec(width) => Ok(width),
        _ => Err(Refusal::Sorts),
    }
}

fn bit_vectors(operator: Operator, indices: [u32; 2], args: &mut [Term]) -> Result<Term> {
    let not = |a| build(Op::BvNot, &[a]);
    match (operator, &*args) {
        (O::Concat, [first, rest @ ..]) if !rest.is_empty() => fold(*first, rest, concat),
        (O::BvNot, _) => build(Op::BvNot, args),
        (O::BvNeg, _) => build(Op::BvNeg, args),
        (O::BvAnd, _) => bits(Op::BvAnd, args),
        (O::BvOr, _) => bits(Op::BvOr, args),
        (O::BvXor, _) => bits(Op::BvXor, args),
        (O::BvAdd, _) => bits(Op::BvAdd, args),
        (O::BvMul, _) => bits(Op::BvMul, args),
        (O::BvNand, [_, _]) => not(build(Op::BvAnd, args)?),
        (O::BvNor, [_, _]) => not(build(Op::BvOr, args)?),
        (O::BvXnor, [_, _]) => not(build(Op::BvXor, args)?),
        (O::BvSub, [a, b]) => build(Op::BvAdd, &[*a, build(Op::BvNeg, &[*b])?]),
        (O::BvUdiv, _) => build(Op::BvUdiv, args),
        (O::BvUrem, _) => build(Op::BvUrem, args),
        (O::BvShl, _) => build(Op::BvShl, args),
        (O::BvLshr, _) => build(Op::BvLshr, args),
        (O::BvAshr, _) => build(Op::BvAshr, args),
        (O::BvComp, [a, b]) if width(*a)? == width(*b)? => {
            Ok(Term::eq(*a, *b).ite(Term::bitvec(1, 1), Term::bitvec(1, 0)))
        }
        (O::BvSdiv | O::BvSrem | O::BvSmod, [a, b]) if width(*a)? == width(*b)? => {
            Ok(signed_division(operator, *a, *b))
        }
        (_, [only]) => of_one(operator, indices, *only),
        (_, [a, b]) => compare_bits(operator, *a, *b),
        _ => Err(Refusal::Sorts),
    }
}

/// The left-associative operators of two or more bit-vectors of one width.
fn bits(op: Op, args: &[Term]) -> Result<Term> {
    match args {
        [first, rest @ ..] if !rest.is_empty() => {
            fold(*first, rest, |a, b| build(op.clone(), &[a, b]))
        }
        _ => Err(Refusal::Sorts),
    }
}

fn compare_bits(operator: Operator, a: Term, b: Term) -> Result<Term> {
    let not = |term: Result<Term>| Ok(term?.not());
    match operator {
        O::BvUle => build(Op::BvUle, &[a, b]),
        O::BvUge => build(Op::BvUle, &[b, a]),
        O::BvUlt => not(build(Op::BvUle, &[b, a])),
        O::BvUgt => not(build(Op::BvUle, &[a, b])),
        O::BvSle => build(Op::BvSle, &[a, b]),
        O::BvSge => build(Op::BvSle, &[b, a]),
        O::BvSlt => not(build(Op::BvSle, &[b, a])),
        O::BvSgt => not(build(Op::BvSle, &[a, b])),
        _ => Err(Refusal::Sorts),
    }
}

fn concat(a: Term, b: Term) -> Result<Term> {
    match width(a)?.checked_add(width(b)?) {
        Some(width) if width <= WIDEST => build(Op::Concat, &[a, b]),
        _ => Err(Refusal::Width),
    }
}

fn extract(term: Term, high: u32, low: u32) -> Result<Term> {
    build(Op::Extract { high, low }, &[term])
}

/// The indexed operators of one bit-vector.
fn of_one(operator: Operator, [i, j]: [u32; 2], term: Term) -> Result<Term> {
    let width = width(term)?;
    let widened = |width: Option<u32>| match width {
        Some(width) if width <= WIDEST => Ok(()),
        _ => Err(Refusal::Width),
    };
    match operator {
        O::Extract => extract(term, i, j),
        O::Repeat => {
            widened(width.checked_mul(i))?;
            repeat(term, i)
        }
        O::ZeroExtend | O::SignExtend if i == 0 => Ok(term),
        O::ZeroExtend => {
            widened(width.checked_add(i))?;
            concat(Term::bitvec(i, 0), term)
        }
        O::SignExtend => {
            widened(width.checked_add(i))?;
            let zeros = Term::bitvec(i, 0);
            let sign = negative(term).ite(build(Op::BvNot, &[zeros])?, zeros);
            concat(sign, term)
        }
        O::RotateLeft => rotate_left(term, width, i % width),
        O::RotateRight => rotate_left(term, width, (width - i % width) % width),
        _ => Err(Refusal::Sorts),
    }
}

/// `times` copies beside each other, by doubling: the term has few nodes and folds fast.
fn repeat(term: Term, times: u32) -> Result<Term> {
    if times == 0 {
        return Err(Refusal::Sorts);
    }
    let mut copies = term;
    for bit in (0..times.ilog2()).rev() {
        copies = concat(copies, copies)?;
        if times >> bit & 1 == 1 {
            copies = concat(copies, term)?;
        }
    }
    Ok(copies)
}

fn rotate_left(term: Term, width: u32, by: u32) -> Result<Term> {
    if by == 0 {
        return Ok(term);
    }
    concat(
        extract(term, width - by - 1, 0)?,
        extract(term, width - 1, width - by)?,
    )
}

/// Is the sign bit of this bit-vector set?
fn negative(term: Term) -> Term {
    let Sort::BitVec(width) = term.sort() else {
        unreachable!("only bit-vectors come here");
    };
    let (high, low) = (width - 1, width - 1);
    Term::bv(Op::Extract { high, low }, &[term]).eq(Term::bitvec(1, 1))
}

/// The standard's definitions by the signs of the arguments, with their common parts shared:
/// every case divides the absolute values.
fn signed_division(operator: Operator, a: Term, b: Term) -> Term {
    let opposite = |term| Term::bv(Op::BvNeg, &[term]);
    let (a_negative, b_negative) = (negative(a), negative(b));
    let absolute = [
        a_negative.ite(opposite(a), a),
        b_negative.ite(opposite(b), b),
    ];
    if operator == O::BvSdiv {
        let quotient = Term::bv(Op::BvUdiv, &absolute);
        return a_negative.xor(b_negative).ite(opposite(quotient), quotient);
    }
    let remainder = Term::bv(Op::BvUrem, &absolute);
    let signed = a_negative.ite(opposite(remainder), remainder);
    if operator == O::BvSrem {
        return signed;
    }
    let zero = Term::constant(Value::default_of(a.sort()));
    let same_sign = a_negative.eq(b_negative);
    let plus_divisor = Term::bv(Op::BvAdd, &[signed, b]);
    Term::or(&[remainder.eq(zero), same_sign]).ite(signed, plus_divisor)
}
