//! Terms: hash-consed, immutable, shared by all threads.
//!
//! A [`Term`] is a pointer to the only copy of its node, so that equality is one comparison, a term
//! is `Copy`, and a formula is a graph whose common parts exist once. The operators are a small
//! kernel: what has two spellings gets one when the term is built (`a => b` is `or (not a) b`,
//! `a < b` is `not (b <= a)`, `a xor b` is `not (a = b)`). Building also folds constants and the
//! plainest identities; it never looks deeper than the arguments, so it costs the same for every
//! size of term. Nothing here depends on the address or the number of a term: the same calls build
//! the same term in every run.

use crate::eval::fold;
use crate::intern::{Interner, hash_of};
use crate::number::Rational;
use crate::sort::Sort;
use crate::value::{BitVec, Value};
use num_bigint::BigUint;
use rustc_hash::{FxHashSet, FxHasher};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};

/// A name, interned: equal names are the same pointer.
// The box keeps the pointer thin, so that a symbol is one word.
#[allow(clippy::borrowed_box)]
#[derive(Clone, Copy)]
pub struct Symbol(&'static Box<str>);

static SYMBOLS: Interner<Box<str>> = Interner::new();

impl Symbol {
    /// The only symbol of this name.
    pub fn new(name: &str) -> Symbol {
        Symbol(SYMBOLS.find_or_make(hash_of(&name), |known| **known == *name, || name.into()))
    }

    /// The name. It lives as long as the process.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl PartialEq for Symbol {
    fn eq(&self, other: &Symbol) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for Symbol {}

impl Hash for Symbol {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// An uninterpreted function: its name and its signature are its identity.
#[derive(Clone, Copy, Debug)]
pub struct Function(&'static FunctionData);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct FunctionData {
    name: Symbol,
    domain: Vec<Sort>,
    range: Sort,
}

static FUNCTIONS: Interner<FunctionData> = Interner::new();

impl Function {
    /// The only function with this name and these sorts.
    pub fn new(name: &str, domain: Vec<Sort>, range: Sort) -> Function {
        Function(FUNCTIONS.intern(&FunctionData {
            name: Symbol::new(name),
            domain,
            range,
        }))
    }

    /// Its name.
    pub fn name(self) -> Symbol {
        self.0.name
    }

    /// The sorts of its arguments.
    pub fn domain(self) -> &'static [Sort] {
        &self.0.domain
    }

    /// The sort of its values.
    pub fn range(self) -> Sort {
        self.0.range
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}

/// What a division by the constant zero means: a function of the dividend that nothing else is
/// known about, as in SMT-LIB. No language can spell the names, so that a declared function is never
/// taken for one of these.
pub fn division_by_zero(op: &Op) -> Function {
    match op {
        Op::Div => Function::new("/|0", vec![Sort::Real], Sort::Real),
        Op::IntDiv => Function::new("div|0", vec![Sort::Int], Sort::Int),
        Op::Mod => Function::new("mod|0", vec![Sort::Int], Sort::Int),
        _ => unreachable!("{op:?} divides nothing"),
    }
}

/// The operators of the kernel. Sorts of arguments are checked when a term is built.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A constant; no arguments.
    Const(Value),
    /// A free variable of the term's sort; no arguments.
    Var(Symbol),
    /// An uninterpreted function on its arguments.
    Apply(Function),
    /// One Boolean.
    Not,
    /// Two or more arguments.
    And,
    /// Two or more arguments.
    Or,
    /// Two arguments of one sort; on Booleans, equivalence.
    Eq,
    /// Condition, then, else.
    Ite,
    /// `a <= b` on integers or reals.
    Le,
    /// Two or more arguments, all integer or all real.
    Add,
    /// Two arguments, both integer or both real.
    Mul,
    /// Exact division of reals.
    Div,
    /// Euclidean quotient of integers.
    IntDiv,
    /// Euclidean remainder of integers.
    Mod,
    /// The same number as a real.
    ToReal,
    /// The greatest integer below.
    Floor,
    /// The first argument has the high bits.
    Concat,
    /// Bits `high` down to `low`, both included.
    Extract {
        /// The highest bit that is kept; bit 0 is the least significant.
        high: u32,
        /// The lowest bit that is kept.
        low: u32,
    },
    /// Bit by bit.
    BvNot,
    /// Two's complement.
    BvNeg,
    /// Bit by bit, on two of the same width.
    BvAnd,
    /// Bit by bit, on two of the same width.
    BvOr,
    /// Bit by bit, on two of the same width.
    BvXor,
    /// Modulo two to the width.
    BvAdd,
    /// Modulo two to the width.
    BvMul,
    /// All ones on division by zero.
    BvUdiv,
    /// The dividend on division by zero.
    BvUrem,
    /// By the unsigned value of the second argument; zeros come in.
    BvShl,
    /// By the unsigned value of the second argument; zeros come in.
    BvLshr,
    /// By the unsigned value of the second argument; copies of the sign come in.
    BvAshr,
    /// `a <= b` on unsigned values.
    BvUle,
    /// `a <= b` on values in two's complement.
    BvSle,
}

/// A term: a pointer to its only copy.
#[derive(Clone, Copy)]
pub struct Term(&'static TermData);

struct TermData {
    op: Op,
    args: Box<[Term]>,
    sort: Sort,
    id: u32,
}

static TERMS: Interner<TermData> = Interner::new();
static NEXT_ID: AtomicU32 = AtomicU32::new(0);

/// An operator applied to arguments that it does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortError(pub String);

impl fmt::Display for SortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for SortError {}

impl Term {
    /// The operator at the root.
    pub fn op(self) -> &'static Op {
        &self.0.op
    }

    /// The arguments of the root, in the order of the operator.
    pub fn args(self) -> &'static [Term] {
        &self.0.args
    }

    /// The sort of the values.
    pub fn sort(self) -> Sort {
        self.0.sort
    }

    /// A number that is this term's alone while the process lives. Not the same from run to run
    /// when several threads build terms; nothing visible may depend on it.
    pub fn id(self) -> u32 {
        self.0.id
    }

    /// Applies an operator: checks the sorts, folds constants and plain identities.
    pub fn build(op: Op, args: &[Term]) -> Result<Term, SortError> {
        let sort = sort_of(&op, args)?;
        Ok(simplify(op, args, sort))
    }

    /// The node as it stands, without simplification.
    fn raw(op: Op, args: &[Term], sort: Sort) -> Term {
        let mut hasher = FxHasher::default();
        op.hash(&mut hasher);
        args.hash(&mut hasher);
        sort.hash(&mut hasher);
        Term(TERMS.find_or_make(
            hasher.finish(),
            |known| known.op == op && *known.args == *args && known.sort == sort,
            || TermData {
                op: op.clone(),
                args: args.into(),
                sort,
                id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            },
        ))
    }

    /// The same operator over other arguments of the same sorts, without simplification.
    pub(crate) fn over(self, args: &[Term]) -> Term {
        Term::raw(self.op().clone(), args, self.sort())
    }

    /// For operators whose sorts the caller guarantees.
    #[track_caller]
    fn known(op: Op, args: &[Term]) -> Term {
        match Term::build(op, args) {
            Ok(term) => term,
            Err(error) => panic!("{error}"),
        }
    }

    /// A variable; terms of the same name and sort are the same term.
    pub fn var(name: &str, sort: Sort) -> Term {
        Term::raw(Op::Var(Symbol::new(name)), &[], sort)
    }

    /// A value as a term.
    pub fn constant(value: Value) -> Term {
        let sort = value.sort();
        Term::raw(Op::Const(value), &[], sort)
    }

    /// True or false as a term.
    pub fn bool(value: bool) -> Term {
        Term::constant(Value::Bool(value))
    }

    /// An integer as a term.
    pub fn int(value: i64) -> Term {
        Term::constant(Value::Int(value.into()))
    }

    /// A real as a term.
    pub fn real(value: Rational) -> Term {
        Term::constant(Value::Real(value))
    }

    /// A bit-vector with the low bits of a number.
    pub fn bitvec(width: u32, value: u64) -> Term {
        Term::constant(Value::BitVec(BitVec::new(width, BigUint::from(value))))
    }

    /// The value, when the term is a constant.
    pub fn as_const(self) -> Option<&'static Value> {
        match self.op() {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }

    /// Whether it is the constant true.
    pub fn is_true(self) -> bool {
        self.as_const() == Some(&Value::Bool(true))
    }

    /// Whether it is the constant false.
    pub fn is_false(self) -> bool {
        self.as_const() == Some(&Value::Bool(false))
    }

    /// The name, when the term is a variable.
    pub fn as_var(self) -> Option<Symbol> {
        match self.op() {
            Op::Var(symbol) => Some(*symbol),
            _ => None,
        }
    }

    /// Whether the operator at the root is a negation.
    pub fn is_negation(self) -> bool {
        matches!(self.op(), Op::Not)
    }
}

// The builders below panic on ill-sorted arguments; input from people goes through `Term::build`.
#[allow(clippy::should_implement_trait)]
impl Term {
    /// A function on arguments of its domain.
    #[track_caller]
    pub fn apply(function: Function, args: &[Term]) -> Term {
        Term::known(Op::Apply(function), args)
    }

    /// The negation of a Boolean.
    #[track_caller]
    pub fn not(self) -> Term {
        Term::known(Op::Not, &[self])
    }

    /// The conjunction; of nothing, `true`.
    #[track_caller]
    pub fn and(args: &[Term]) -> Term {
        match args {
            [] => Term::bool(true),
            [only] => *only,
            _ => Term::known(Op::And, args),
        }
    }

    /// The disjunction; of nothing, `false`.
    #[track_caller]
    pub fn or(args: &[Term]) -> Term {
        match args {
            [] => Term::bool(false),
            [only] => *only,
            _ => Term::known(Op::Or, args),
        }
    }

    /// Whether the conclusion holds when this does.
    #[track_caller]
    pub fn implies(self, conclusion: Term) -> Term {
        Term::or(&[self.not(), conclusion])
    }

    /// Whether two Booleans differ.
    #[track_caller]
    pub fn xor(self, other: Term) -> Term {
        self.eq(other).not()
    }

    /// Equality of two terms of the same sort.
    #[track_caller]
    pub fn eq(self, other: Term) -> Term {
        Term::known(Op::Eq, &[self, other])
    }

    /// The first branch where this Boolean is true, the other elsewhere.
    #[track_caller]
    pub fn ite(self, then: Term, otherwise: Term) -> Term {
        Term::known(Op::Ite, &[self, then, otherwise])
    }

    /// `self <= other`, on integers or reals.
    #[track_caller]
    pub fn le(self, other: Term) -> Term {
        Term::known(Op::Le, &[self, other])
    }

    /// `self < other`, on integers or reals.
    #[track_caller]
    pub fn lt(self, other: Term) -> Term {
        other.le(self).not()
    }

    /// `self >= other`, on integers or reals.
    #[track_caller]
    pub fn ge(self, other: Term) -> Term {
        other.le(self)
    }

    /// `self > other`, on integers or reals.
    #[track_caller]
    pub fn gt(self, other: Term) -> Term {
        other.lt(self)
    }

    /// The sum of one or more terms.
    #[track_caller]
    pub fn add(args: &[Term]) -> Term {
        match args {
            [only] => *only,
            _ => Term::known(Op::Add, args),
        }
    }

    /// The difference, on integers or reals.
    #[track_caller]
    pub fn sub(self, other: Term) -> Term {
        Term::add(&[self, other.neg()])
    }

    /// The number with the opposite sign, on integers or reals.
    #[track_caller]
    pub fn neg(self) -> Term {
        let minus_one = match self.sort() {
            Sort::Int => Term::int(-1),
            _ => Term::real(Rational::MINUS_ONE),
        };
        minus_one.mul(self)
    }

    /// The product, on integers or reals.
    #[track_caller]
    pub fn mul(self, other: Term) -> Term {
        Term::known(Op::Mul, &[self, other])
    }

    /// Exact division of reals.
    #[track_caller]
    pub fn div(self, other: Term) -> Term {
        Term::known(Op::Div, &[self, other])
    }

    /// Euclidean quotient of integers.
    #[track_caller]
    pub fn int_div(self, other: Term) -> Term {
        Term::known(Op::IntDiv, &[self, other])
    }

    /// Euclidean remainder of integers.
    #[track_caller]
    pub fn modulo(self, other: Term) -> Term {
        Term::known(Op::Mod, &[self, other])
    }

    /// The same number as a real.
    #[track_caller]
    pub fn to_real(self) -> Term {
        Term::known(Op::ToReal, &[self])
    }

    /// The greatest integer not above a real.
    #[track_caller]
    pub fn floor(self) -> Term {
        Term::known(Op::Floor, &[self])
    }

    /// A bit-vector operator.
    #[track_caller]
    pub fn bv(op: Op, args: &[Term]) -> Term {
        Term::known(op, args)
    }
}

/// The sort of an operator's result, or why it does not take these arguments.
fn sort_of(op: &Op, args: &[Term]) -> Result<Sort, SortError> {
    use Sort::{BitVec, Bool, Int, Real};
    let fail = |wanted: &str| {
        let found: Vec<String> = args.iter().map(|arg| arg.sort().to_string()).collect();
        Err(SortError(format!(
            "{} takes {wanted}, not ({})",
            op_name(op),
            found.join(" ")
        )))
    };
    let all = |sort: Sort| args.iter().all(|arg| arg.sort() == sort);
    match (op, args) {
        (Op::Const(value), []) => Ok(value.sort()),
        (Op::Var(_), _) => Err(SortError("a variable is built with its sort".into())),
        (Op::Apply(function), _) => {
            if function
                .domain()
                .iter()
                .copied()
                .eq(args.iter().map(|arg| arg.sort()))
            {
                return Ok(function.range());
            }
            let wanted: Vec<String> = function.domain().iter().map(ToString::to_string).collect();
            fail(&format!("({})", wanted.join(" ")))
        }
        (Op::Not, [_]) if all(Bool) => Ok(Bool),
        (Op::Not, _) => fail("one Boolean"),
        (Op::And | Op::Or, [_, _, ..]) if all(Bool) => Ok(Bool),
        (Op::And | Op::Or, _) => fail("Booleans"),
        (Op::Eq, [a, b]) if a.sort() == b.sort() => Ok(Bool),
        (Op::Eq, _) => fail("two terms of one sort"),
        (Op::Ite, [c, a, b]) if c.sort() == Bool && a.sort() == b.sort() => Ok(a.sort()),
        (Op::Ite, _) => fail("a Boolean and two terms of one sort"),
        (Op::Le, [_, _]) if all(Int) || all(Real) => Ok(Bool),
        (Op::Le, _) => fail("two integers or two reals"),
        (Op::Add, [first, _, ..]) if all(Int) || all(Real) => Ok(first.sort()),
        (Op::Add, _) => fail("integers or reals, not both"),
        (Op::Mul, [first, _]) if all(Int) || all(Real) => Ok(first.sort()),
        (Op::Mul, _) => fail("two integers or two reals"),
        (Op::Div, [_, _]) if all(Real) => Ok(Real),
        (Op::Div, _) => fail("two reals"),
        (Op::IntDiv | Op::Mod, [_, _]) if all(Int) => Ok(Int),
        (Op::IntDiv | Op::Mod, _) => fail("two integers"),
        (Op::ToReal, [_]) if all(Int) => Ok(Real),
        (Op::ToReal, _) => fail("one integer"),
        (Op::Floor, [_]) if all(Real) => Ok(Int),
        (Op::Floor, _) => fail("one real"),
        (Op::Concat, [a, b]) => match (a.sort(), b.sort()) {
            (BitVec(m), BitVec(n)) => match m.checked_add(n) {
                Some(width) => Ok(BitVec(width)),
                None => fail("bit-vectors that fit together"),
            },
            _ => fail("two bit-vectors"),
        },
        (Op::Extract { high, low }, [a]) => match a.sort() {
            BitVec(width) if low <= high && *high < width => Ok(BitVec(high - low + 1)),
            BitVec(_) => fail(&format!("a bit-vector of more than {high} bits")),
            _ => fail("one bit-vector"),
        },
        (Op::BvNot | Op::BvNeg, [a]) if matches!(a.sort(), BitVec(_)) => Ok(a.sort()),
        (Op::BvUle | Op::BvSle, [a, _]) if matches!(a.sort(), BitVec(_)) && all(a.sort()) => {
            Ok(Bool)
        }
        (
            Op::BvAnd
            | Op::BvOr
            | Op::BvXor
            | Op::BvAdd
            | Op::BvMul
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr,
            [a, _],
        ) if matches!(a.sort(), BitVec(_)) && all(a.sort()) => Ok(a.sort()),
        _ => fail("bit-vectors of one width"),
    }
}

fn op_name(op: &Op) -> String {
    match op {
        Op::Apply(function) => function.name().to_string(),
        _ => format!("{op:?}").to_lowercase(),
    }
}

/// Folds constants and plain identities; `sort` is the sort of the result.
fn simplify(op: Op, args: &[Term], sort: Sort) -> Term {
    if let Some(folded) = fold_constants(&op, args) {
        return folded;
    }
    match (&op, args) {
        (Op::Not, [a]) if a.is_negation() => a.args()[0],
        (Op::And, _) => junction(op, args, true),
        (Op::Or, _) => junction(op, args, false),
        (Op::Eq, [a, b]) => equality(*a, *b),
        (Op::Ite, [c, a, b]) => conditional(*c, *a, *b, sort),
        (Op::Le, [a, b]) if a == b => Term::bool(true),
        (Op::Add, _) => sum(args, sort),
        (Op::Mul, [a, b]) => product(*a, *b, sort),
        (Op::Div | Op::IntDiv | Op::Mod, [a, b]) => match b.as_const().and_then(Value::as_number) {
            Some(divisor) if divisor.is_zero() => {
                Term::raw(Op::Apply(division_by_zero(&op)), &[*a], sort)
            }
            Some(divisor) if divisor.is_one() && op != Op::Mod => *a,
            Some(divisor) if op == Op::Div => product(Term::real(divisor.recip()), *a, sort),
            _ => Term::raw(op, args, sort),
        },
        (Op::Floor, [a]) if *a.op() == Op::ToReal => a.args()[0],
        (Op::Extract { .. }, [a]) if a.sort() == sort => *a,
        _ => Term::raw(op, args, sort),
    }
}

fn fold_constants(op: &Op, args: &[Term]) -> Option<Term> {
    if args.is_empty() || !args.iter().all(|arg| arg.as_const().is_some()) {
        return None;
    }
    let values: Vec<Value> = args
        .iter()
        .filter_map(|arg| arg.as_const().cloned())
        .collect();
    fold(op, &values).map(Term::constant)
}

/// Conjunction (`unit` true) or disjunction (`unit` false): drops units and repetitions, and sees
/// an argument beside its negation. The order of the arguments stays.
fn junction(op: Op, args: &[Term], unit: bool) -> Term {
    if args.len() <= FEW && is_plain(args) {
        return Term::raw(op, args, Sort::Bool);
    }
    // The arguments seen so far, and what their negations negate.
    let (mut plain, mut negated) = (FxHashSet::default(), FxHashSet::default());
    let mut kept = Vec::with_capacity(args.len());
    for &arg in args {
        match arg.as_const() {
            Some(value) if *value == Value::Bool(unit) => continue,
            Some(_) => return Term::bool(!unit),
            None => {}
        }
        let (same, other, atom) = match arg.op() {
            Op::Not => (&mut negated, &plain, arg.args()[0]),
            _ => (&mut plain, &negated, arg),
        };
        if other.contains(&atom) {
            return Term::bool(!unit);
        }
        if same.insert(atom) {
            kept.push(arg);
        }
    }
    match kept[..] {
        [] => Term::bool(unit),
        [only] => only,
        _ => Term::raw(op, &kept, Sort::Bool),
    }
}

/// So many arguments are compared pair by pair, without a table.
const FEW: usize = 8;

/// Are there no constants among these few, no repetitions and no negations of each other?
fn is_plain(args: &[Term]) -> bool {
    let mut atoms = [args[0]; FEW];
    for (at, arg) in args.iter().enumerate() {
        let atom = match arg.op() {
            Op::Const(_) => return false,
            Op::Not => arg.args()[0],
            _ => *arg,
        };
        if atoms[..at].contains(&atom) {
            return false;
        }
        atoms[at] = atom;
    }
    true
}

fn equality(a: Term, b: Term) -> Term {
    if a == b {
        return Term::bool(true);
    }
    let (a, b) = if a.as_const().is_some() {
        (b, a)
    } else {
        (a, b)
    };
    if a.sort() == Sort::Bool {
        match b.as_const() {
            Some(Value::Bool(true)) => return a,
            Some(_) => return a.not(),
            None => {}
        }
        // One negation at most, outside.
        match (a.is_negation(), b.is_negation()) {
            (true, true) => return equality(a.args()[0], b.args()[0]),
            (true, false) => return equality(a.args()[0], b).not(),
            (false, true) => return equality(a, b.args()[0]).not(),
            (false, false) => {}
        }
    }
    Term::raw(Op::Eq, &[a, b], Sort::Bool)
}

fn conditional(c: Term, a: Term, b: Term, sort: Sort) -> Term {
    if a == b || c.is_true() {
        return a;
    }
    if c.is_false() {
        return b;
    }
    if c.is_negation() {
        return conditional(c.args()[0], b, a, sort);
    }
    if sort == Sort::Bool {
        match (a.as_const(), b.as_const()) {
            (Some(Value::Bool(true)), _) => return Term::or(&[c, b]),
            (Some(_), _) => return Term::and(&[c.not(), b]),
            (_, Some(Value::Bool(true))) => return Term::or(&[c.not(), a]),
            (_, Some(_)) => return Term::and(&[c, a]),
            _ => {}
        }
    }
    Term::raw(Op::Ite, &[c, a, b], sort)
}

/// A sum with its constants gathered into one, which comes last.
fn sum(args: &[Term], sort: Sort) -> Term {
    let mut constant = Rational::ZERO;
    let mut kept = Vec::with_capacity(args.len());
    for &arg in args {
        match arg.as_const().and_then(Value::as_number) {
            Some(number) => constant += number,
            None => kept.push(arg),
        }
    }
    if !constant.is_zero() {
        kept.push(number(constant, sort));
    }
    match kept[..] {
        [] => number(Rational::ZERO, sort),
        [only] => only,
        _ => Term::raw(Op::Add, &kept, sort),
    }
}

/// A product with its constant, if any, first.
fn product(a: Term, b: Term, sort: Sort) -> Term {
    let (a, b) = if b.as_const().is_some() {
        (b, a)
    } else {
        (a, b)
    };
    let Some(factor) = a.as_const().and_then(Value::as_number) else {
        return Term::raw(Op::Mul, &[a, b], sort);
    };
    if factor.is_zero() {
        return a;
    }
    if factor.is_one() {
        return b;
    }
    // A constant times a constant times a term.
    if let (Op::Mul, [c, d]) = (b.op(), b.args())
        && let Some(inner) = c.as_const().and_then(Value::as_number)
    {
        return product(number(factor * inner, sort), *d, sort);
    }
    Term::raw(Op::Mul, &[a, b], sort)
}

fn number(value: Rational, sort: Sort) -> Term {
    Term::constant(match sort {
        Sort::Int => Value::Int(value),
        _ => Value::Real(value),
    })
}

impl PartialEq for Term {
    #[inline]
    fn eq(&self, other: &Term) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for Term {}

impl Hash for Term {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

/// For people and debuggers: prefix notation, cut off when it is deep.
impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug(*self, 8, f)
    }
}

fn debug(term: Term, depth: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match term.op() {
        Op::Const(value) => write!(f, "{value}"),
        Op::Var(name) => write!(f, "{name}"),
        _ if depth == 0 => write!(f, "…"),
        op => {
            write!(f, "({}", op_name(op))?;
            for arg in term.args() {
                write!(f, " ")?;
                debug(*arg, depth - 1, f)?;
            }
            write!(f, ")")
        }
    }
}
