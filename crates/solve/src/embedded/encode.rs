//! From terms to literals, sums and bits.
//!
//! Each term is encoded once and remembered. Booleans become literals through shared gates, numbers
//! linear sums over unknowns, bit-vectors and enumerations lists of literals. What arithmetic has no
//! sum for (a conditional, a division, a floor, an application) gets a fresh unknown and the
//! clauses that define it. The walk has a stack of its own; depth costs no recursion.
//!
//! A variable that is bound (see `bindings.rs`) is encoded as its definition. Codes live in scopes:
//! what belongs to a definition lives as long as the binding, even when it is first needed in a
//! scope further in, so that what is learned about it stays; what an assertion says by itself goes
//! with the assertion; a variable goes with the scope that declared it.

use super::arithmetic::Arithmetic;
use super::bindings::Bindings;
use super::bits::Circuits;
use super::delta::Delta;
use super::gates::{FALSE, Gates, TRUE};
use super::sat::Sat;
use super::scoped::ScopedLog;
use super::sum::Sum;
use super::tableau::Unknown;
use crate::sat::literal::{Lit, Var};
use crate::solver::SolveError;
use proofmark_model::{Function, Op, Rational, Sort, Term, Value, division_by_zero};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a term has become.
#[derive(Clone, Debug)]
pub(super) enum Code {
    Lit(Lit),
    Sum(Arc<Sum>),
    /// Least significant first.
    Bits(Arc<[Lit]>),
}

/// An application of an uninterpreted function that has been encoded.
pub(super) struct Application {
    pub(super) function: Function,
    pub(super) term: Term,
}

/// Sums longer than this get an unknown of their own, which bounds the cost of long additions.
const LONGEST_SUM: usize = 64;

/// Nests of numeric conditionals are opened up to so many branches.
const MOST_CASES: usize = 24;

pub(super) struct Encoder {
    pub(super) sat: Sat<Arithmetic>,
    pub(super) bindings: Bindings,
    pub(super) applications: Vec<Application>,
    /// What terms have become, and the scope with which that goes.
    pub(super) codes: FxHashMap<Term, (Code, u32)>,
    scoped_codes: ScopedLog<Term>,
    /// The scope that declared a variable; those not here are of scope 0.
    declared: FxHashMap<Term, u32>,
    scoped_declared: ScopedLog<Term>,
    gates: Gates,
    /// Unknowns by the primitive sum that they stand for.
    sums: FxHashMap<Vec<(Unknown, Rational)>, Unknown>,
    scoped_sums: ScopedLog<Vec<(Unknown, Rational)>>,
    /// Integer quotients and floors: `floor(sum / divisor)`.
    quotients: FxHashMap<(Sum, Rational), Unknown>,
    scoped_quotients: ScopedLog<(Sum, Rational)>,
    /// The least scope with which what is being made goes.
    lifetime: u32,
}

impl Encoder {
    pub(super) fn new() -> Encoder {
        let mut sat = Sat::new(Arithmetic::new());
        let truth = sat.new_var(0);
        sat.add_clause(&[truth.positive()], 0);
        Encoder {
            sat,
            bindings: Bindings::default(),
            applications: Vec::new(),
            codes: FxHashMap::default(),
            scoped_codes: ScopedLog::default(),
            declared: FxHashMap::default(),
            scoped_declared: ScopedLog::default(),
            gates: Gates::default(),
            sums: FxHashMap::default(),
            scoped_sums: ScopedLog::default(),
            quotients: FxHashMap::default(),
            scoped_quotients: ScopedLog::default(),
            lifetime: 0,
        }
    }

    pub(super) fn push(&mut self) {
        self.sat.push();
    }

    pub(super) fn pop(&mut self) {
        let closed = self.sat.scope();
        let dead = self.sat.pop();
        self.sat.theory.close(closed, &dead);
        self.gates.close(closed);
        for term in self.scoped_codes.close(closed) {
            self.codes.remove(&term);
        }
        for variable in self.scoped_declared.close(closed) {
            self.declared.remove(&variable);
        }
        for sum in self.scoped_sums.close(closed) {
            self.sums.remove(&sum);
        }
        for quotient in self.scoped_quotients.close(closed) {
            self.quotients.remove(&quotient);
        }
        self.applications
            .retain(|application| self.codes.contains_key(&application.term));
    }

    /// Notes that a variable belongs to the current scope.
    pub(super) fn declare(&mut self, variable: Term) {
        let scope = self.sat.scope();
        if scope > 0 && !self.codes.contains_key(&variable) {
            self.declared.insert(variable, scope);
            self.scoped_declared.note(scope, variable);
        }
    }

    pub(super) fn code(&self, term: Term) -> Option<&Code> {
        self.codes.get(&term).map(|(code, _)| code)
    }

    fn known(&self, term: Term) -> &Code {
        match self.code(term) {
            Some(code) => code,
            None => unreachable!("{term:?} is encoded before it is needed"),
        }
    }

    /// The literal of a Boolean term, which need not outlive the current scope.
    pub(super) fn literal(&mut self, term: Term) -> Result<Lit, SolveError> {
        self.encode(term)?;
        Ok(self.lit(term))
    }

    fn lit(&self, term: Term) -> Lit {
        match self.known(term) {
            Code::Lit(lit) => *lit,
            other => unreachable!("a Boolean is a literal, not {other:?}"),
        }
    }

    fn sum(&self, term: Term) -> Arc<Sum> {
        match self.known(term) {
            Code::Sum(sum) => sum.clone(),
            other => unreachable!("a number is a sum, not {other:?}"),
        }
    }

    fn bits(&self, term: Term) -> Arc<[Lit]> {
        match self.known(term) {
            Code::Bits(bits) => bits.clone(),
            other => unreachable!("a bit-vector is a list of bits, not {other:?}"),
        }
    }

    /// Encodes a term and all that it needs.
    pub(super) fn encode(&mut self, root: Term) -> Result<(), SolveError> {
        // Each term with the scope that it belongs to.
        let mut stack = vec![(root, self.sat.scope())];
        let mut needed = Vec::new();
        while let Some(&(term, scope)) = stack.last() {
            if self.codes.contains_key(&term) {
                stack.pop();
                continue;
            }
            let binding = self.bindings.get(&term).copied();
            let scope = binding.map_or(scope, |binding| binding.scope);
            needed.clear();
            let definition = binding.map(|binding| binding.definition);
            self.needed(term, definition, &mut needed);
            let before = stack.len();
            stack.extend(
                needed
                    .iter()
                    .filter(|part| !self.codes.contains_key(part))
                    .map(|part| (*part, scope)),
            );
            if stack.len() > before {
                continue;
            }
            self.lifetime = needed
                .iter()
                .map(|part| self.codes[part].1)
                .fold(scope, u32::max);
            self.gates.lifetime = self.lifetime;
            let code = self.encode_node(term)?;
            let lifetime = self.code_lifetime(term, &code);
            self.codes.insert(term, (code, lifetime));
            self.scoped_codes.note(lifetime, term);
            stack.pop();
        }
        self.lifetime = self.sat.scope();
        self.gates.lifetime = self.lifetime;
        Ok(())
    }

    fn code_lifetime(&self, term: Term, code: &Code) -> u32 {
        let parts = match code {
            Code::Lit(lit) => self.sat.lifetime(*lit),
            Code::Bits(bits) => bits
                .iter()
                .map(|lit| self.sat.lifetime(*lit))
                .fold(0, u32::max),
            Code::Sum(sum) => self.sum_lifetime(&sum.terms),
        };
        // A variable by itself, or a constant, needs no scope of the place where it is used.
        let leaf = term.args().is_empty() && !self.bindings.contains_key(&term);
        if leaf {
            parts
        } else {
            parts.max(self.lifetime)
        }
    }

    fn sum_lifetime(&self, terms: &[(Unknown, Rational)]) -> u32 {
        terms
            .iter()
            .map(|(unknown, _)| self.sat.theory.lifetime(*unknown))
            .fold(0, u32::max)
    }

    /// Collects what must be encoded before the term, as far as it is known: what more the branches
    /// of a conditional need turns up when the conditions are encoded.
    fn needed(&self, term: Term, definition: Option<Term>, needed: &mut Vec<Term>) {
        if let Some(definition) = definition {
            needed.push(definition);
        } else if *term.op() == Op::Ite {
            self.cases(term, needed);
        } else {
            needed.extend(term.args());
            needed.extend(self.division_by_zero(term));
        }
    }

    /// The branches of a conditional, each with the literals that lead to it; what they need is
    /// collected on the way, and as long as conditions are not encoded there is no answer. With a
    /// constant condition only one branch counts. Numeric conditionals that are branches of
    /// conditionals are opened too, so that a nest of them needs a single unknown.
    fn cases(&self, term: Term, needed: &mut Vec<Term>) -> Option<Vec<(Vec<Lit>, Term)>> {
        let mut cases = Vec::new();
        let mut complete = true;
        let mut stack = vec![(Vec::new(), term)];
        while let Some((path, part)) = stack.pop() {
            let open = *part.op() == Op::Ite
                && (part == term
                    || (term.sort().is_arithmetic()
                        && !self.codes.contains_key(&part)
                        && cases.len() + stack.len() < MOST_CASES));
            if !open {
                needed.push(part);
                cases.push((path, part));
                continue;
            }
            let [condition, then, otherwise] = *part.args() else {
                unreachable!("three arguments")
            };
            needed.push(condition);
            match self.code(condition) {
                None => complete = false,
                Some(Code::Lit(TRUE)) => stack.push((path, then)),
                Some(Code::Lit(FALSE)) => stack.push((path, otherwise)),
                Some(Code::Lit(lit)) => {
                    let mut other = path.clone();
                    other.push(!*lit);
                    stack.push((other, otherwise));
                    let mut path = path;
                    path.push(*lit);
                    stack.push((path, then));
                }
                Some(other) => unreachable!("a condition is a literal, not {other:?}"),
            }
        }
        complete.then_some(cases)
    }

    /// A division whose divisor turned out to be zero is an application.
    fn division_by_zero(&self, term: Term) -> Option<Term> {
        if !matches!(term.op(), Op::Div | Op::IntDiv | Op::Mod) {
            return None;
        }
        match self.code(term.args()[1])? {
            Code::Sum(sum) if sum.as_constant().is_some_and(Rational::is_zero) => {
                Some(Term::apply(division_by_zero(term.op()), &term.args()[..1]))
            }
            _ => None,
        }
    }

    /// Encodes a term whose needs are encoded.
    fn encode_node(&mut self, term: Term) -> Result<Code, SolveError> {
        if let Some(binding) = self.bindings.get(&term) {
            return Ok(self.known(binding.definition).clone());
        }
        if let Some(instead) = self.division_by_zero(term) {
            return Ok(self.known(instead).clone());
        }
        match term.op() {
            Op::Const(value) => Ok(constant(value)),
            Op::Var(_) => {
                self.lifetime = self.declared.get(&term).copied().unwrap_or(0);
                self.gates.lifetime = self.lifetime;
                Ok(self.fresh(term.sort()))
            }
            Op::Apply(function) => {
                self.applications.push(Application {
                    function: *function,
                    term,
                });
                Ok(self.fresh(term.sort()))
            }
            Op::Not | Op::And | Op::Or | Op::Eq | Op::Le | Op::BvUle | Op::BvSle => {
                Ok(Code::Lit(self.encode_bool(term)))
            }
            Op::Ite => Ok(self.encode_ite(term)),
            Op::Add | Op::Mul | Op::Div | Op::IntDiv | Op::Mod | Op::ToReal | Op::Floor => {
                Ok(Code::Sum(self.encode_sum(term)?))
            }
            _ => Ok(Code::Bits(self.encode_bits(term))),
        }
    }

    /// A variable of a sort, with nothing known of it.
    fn fresh(&mut self, sort: Sort) -> Code {
        match sort {
            Sort::Bool => Code::Lit(self.sat.new_var(self.lifetime).positive()),
            Sort::Int | Sort::Real => {
                let unknown = self
                    .sat
                    .theory
                    .new_unknown(sort == Sort::Int, self.lifetime);
                Code::Sum(Arc::new(Sum::unknown(unknown)))
            }
            Sort::BitVec(width) => Code::Bits(self.fresh_bits(width)),
            Sort::Enum(sort) => {
                let last = sort.values().len() as u64 - 1;
                let width = enum_width(sort.values().len());
                let bits = self.fresh_bits(width);
                let most = number_bits(width, last);
                let in_range = self.circuits().unsigned_le(&bits, &most);
                self.sat.add_clause(&[in_range], 0);
                Code::Bits(bits)
            }
        }
    }

    fn fresh_bits(&mut self, width: u32) -> Arc<[Lit]> {
        (0..width)
            .map(|_| self.sat.new_var(self.lifetime).positive())
            .collect()
    }

    fn circuits(&mut self) -> Circuits<'_> {
        Circuits {
            gates: &mut self.gates,
            sat: &mut self.sat,
        }
    }

    // ---- Booleans -------------------------------------------------------------------------

    fn encode_bool(&mut self, term: Term) -> Lit {
        let args = term.args();
        match term.op() {
            Op::Not => !self.lit(args[0]),
            Op::And => {
                let lits: Vec<Lit> = args.iter().map(|arg| self.lit(*arg)).collect();
                self.gates.and(&lits, &mut self.sat)
            }
            Op::Or => {
                let lits: Vec<Lit> = args.iter().map(|arg| self.lit(*arg)).collect();
                self.gates.or(&lits, &mut self.sat)
            }
            Op::Le => {
                let difference = self.sum(args[0]).minus(&self.sum(args[1]));
                self.at_most_zero(&difference)
            }
            Op::BvUle => {
                let (a, b) = (self.bits(args[0]), self.bits(args[1]));
                self.circuits().unsigned_le(&a, &b)
            }
            Op::BvSle => {
                let (a, b) = (self.bits(args[0]), self.bits(args[1]));
                self.circuits().signed_le(&a, &b)
            }
            Op::Eq => match args[0].sort() {
                Sort::Bool => self
                    .gates
                    .iff(self.lit(args[0]), self.lit(args[1]), &mut self.sat),
                Sort::Int | Sort::Real => {
                    let difference = self.sum(args[0]).minus(&self.sum(args[1]));
                    let (below, above) = self.zero_bounds(&difference);
                    self.gates.and(&[below, above], &mut self.sat)
                }
                Sort::BitVec(_) | Sort::Enum(_) => {
                    let (a, b) = (self.bits(args[0]), self.bits(args[1]));
                    self.circuits().equal(&a, &b)
                }
            },
            op => unreachable!("{op:?} is no Boolean operator"),
        }
    }

    fn encode_ite(&mut self, term: Term) -> Code {
        let Some(cases) = self.cases(term, &mut Vec::new()) else {
            unreachable!("conditions are encoded")
        };
        match (&cases[..], term.sort()) {
            ([(_, only)], _) => self.known(*only).clone(),
            (_, Sort::Int | Sort::Real) => Code::Sum(self.conditional_sum(&cases)),
            ([(path, then), (_, otherwise)], Sort::Bool) => {
                let (a, b) = (self.lit(*then), self.lit(*otherwise));
                Code::Lit(self.gates.ite(path[0], a, b, &mut self.sat))
            }
            ([(path, then), (_, otherwise)], _) => {
                let (a, b) = (self.bits(*then), self.bits(*otherwise));
                Code::Bits(self.circuits().ite(path[0], &a, &b).into())
            }
            _ => unreachable!("only numeric conditionals are opened"),
        }
    }

    // ---- Arithmetic -----------------------------------------------------------------------

    fn encode_sum(&mut self, term: Term) -> Result<Arc<Sum>, SolveError> {
        let args = term.args();
        match term.op() {
            Op::Add => {
                let mut total = Sum::default();
                for arg in args {
                    total = total.plus(&Rational::ONE, &self.sum(*arg));
                }
                Ok(Arc::new(self.shorten(total)))
            }
            Op::Mul => {
                let (a, b) = (self.sum(args[0]), self.sum(args[1]));
                if let Some(factor) = a.as_constant() {
                    return Ok(Arc::new(b.times(factor)));
                }
                let Some(factor) = b.as_constant() else {
                    return Err(unsupported(term, "a product of unknowns is not linear"));
                };
                Ok(Arc::new(a.times(factor)))
            }
            Op::ToReal => Ok(self.sum(args[0])),
            Op::Floor => {
                let sum = self.sum(args[0]);
                let floor = self.quotient(&sum, &Rational::ONE);
                Ok(Arc::new(floor))
            }
            Op::Div | Op::IntDiv | Op::Mod => {
                let (a, b) = (self.sum(args[0]), self.sum(args[1]));
                let Some(divisor) = b.as_constant() else {
                    return Err(unsupported(term, "a division by an unknown is not linear"));
                };
                if *term.op() == Op::Div {
                    return Ok(Arc::new(a.times(&divisor.recip())));
                }
                let quotient = self.quotient(&a, &divisor.abs());
                Ok(Arc::new(match term.op() {
                    Op::Mod => a.plus(&-divisor.abs(), &quotient),
                    _ if divisor.is_negative() => quotient.times(&Rational::MINUS_ONE),
                    _ => quotient,
                }))
            }
            op => unreachable!("{op:?} yields no number"),
        }
    }

    fn shorten(&mut self, sum: Sum) -> Sum {
        if sum.terms.len() <= LONGEST_SUM {
            return sum;
        }
        let (terms, factor) = sum.primitive();
        let unknown = self.unknown_of(terms);
        Sum {
            terms: vec![(unknown, factor)],
            constant: sum.constant,
        }
    }

    /// The unknown that equals a primitive sum.
    fn unknown_of(&mut self, terms: Vec<(Unknown, Rational)>) -> Unknown {
        if let [(unknown, _)] = terms[..] {
            return unknown;
        }
        if let Some(&known) = self.sums.get(&terms) {
            return known;
        }
        let lifetime = self.sum_lifetime(&terms).max(self.lifetime);
        let unknown = self.sat.theory.define(&terms, lifetime);
        self.sums.insert(terms.clone(), unknown);
        self.scoped_sums.note(lifetime, terms);
        unknown
    }

    /// The literal of `unknown <= bound`. Neighbouring bounds of one unknown are linked, so that
    /// the clauses know their order.
    pub(super) fn atom(&mut self, unknown: Unknown, bound: Delta) -> Lit {
        let (below, above) = match self.sat.theory.find_atom(unknown, &bound) {
            Ok(var) => return var.positive(),
            Err(neighbours) => neighbours,
        };
        let lifetime = self.lifetime.max(self.sat.theory.lifetime(unknown));
        let var = self.sat.new_var(lifetime);
        self.sat.set_atom(var);
        self.sat.theory.add_atom(unknown, bound, var);
        let lit = var.positive();
        if let Some(below) = below.map(Var::positive) {
            self.sat.add_clause(&[!below, lit], 0);
        }
        if let Some(above) = above.map(Var::positive) {
            self.sat.add_clause(&[!lit, above], 0);
        }
        lit
    }

    /// `unknown <= bound`
    fn upper(&mut self, unknown: Unknown, bound: Rational) -> Lit {
        let bound = if self.sat.theory.is_int(unknown) {
            bound.floor()
        } else {
            bound
        };
        self.atom(unknown, bound.into())
    }

    /// `unknown >= bound`
    fn lower(&mut self, unknown: Unknown, bound: Rational) -> Lit {
        if self.sat.theory.is_int(unknown) {
            return !self.atom(unknown, (&bound.ceil() - &Rational::ONE).into());
        }
        !self.atom(
            unknown,
            Delta {
                real: bound,
                delta: Rational::MINUS_ONE,
            },
        )
    }

    /// `sum <= 0`
    pub(super) fn at_most_zero(&mut self, sum: &Sum) -> Lit {
        if let Some(constant) = sum.as_constant() {
            return if constant.is_positive() { FALSE } else { TRUE };
        }
        let (terms, factor) = sum.primitive();
        let unknown = self.unknown_of(terms);
        let bound = -(&sum.constant / &factor);
        if factor.is_negative() {
            self.lower(unknown, bound)
        } else {
            self.upper(unknown, bound)
        }
    }

    /// The two literals whose conjunction is `sum = 0`.
    fn zero_bounds(&mut self, sum: &Sum) -> (Lit, Lit) {
        if let Some(constant) = sum.as_constant() {
            let zero = if constant.is_zero() { TRUE } else { FALSE };
            return (zero, zero);
        }
        let (terms, factor) = sum.primitive();
        let unknown = self.unknown_of(terms);
        let bound = -(&sum.constant / &factor);
        if self.sat.theory.is_int(unknown) && !bound.is_integer() {
            return (FALSE, FALSE);
        }
        (
            self.upper(unknown, bound.clone()),
            self.lower(unknown, bound),
        )
    }

    /// A fresh unknown that equals each branch on its path.
    fn conditional_sum(&mut self, cases: &[(Vec<Lit>, Term)]) -> Arc<Sum> {
        let sums: Vec<Arc<Sum>> = cases.iter().map(|(_, branch)| self.sum(*branch)).collect();
        if sums.iter().all(|sum| *sum == sums[0]) {
            return sums[0].clone();
        }
        let is_int = sums.iter().all(|sum| self.is_int(sum));
        let unknown = self.sat.theory.new_unknown(is_int, self.lifetime);
        let choice = Sum::unknown(unknown);
        for ((path, _), sum) in cases.iter().zip(&sums) {
            let (below, above) = self.zero_bounds(&choice.minus(sum));
            let mut clause: Vec<Lit> = path.iter().map(|lit| !*lit).collect();
            clause.push(below);
            self.sat.add_clause(&clause, 0);
            clause.pop();
            clause.push(above);
            self.sat.add_clause(&clause, 0);
        }
        let constants: Option<Vec<&Rational>> = sums.iter().map(|sum| sum.as_constant()).collect();
        if let Some(constants) = constants
            && let (Some(&least), Some(&most)) = (constants.iter().min(), constants.iter().max())
        {
            let least = self.lower(unknown, least.clone());
            let most = self.upper(unknown, most.clone());
            self.sat.add_clause(&[least], 0);
            self.sat.add_clause(&[most], 0);
        }
        Arc::new(choice)
    }

    fn is_int(&self, sum: &Sum) -> bool {
        sum.constant.is_integer()
            && sum
                .terms
                .iter()
                .all(|(unknown, c)| c.is_integer() && self.sat.theory.is_int(*unknown))
    }

    /// `floor(sum / divisor)` for a positive divisor: `0 <= sum - divisor·q < divisor`.
    fn quotient(&mut self, sum: &Sum, divisor: &Rational) -> Sum {
        let scaled = sum.times(&divisor.recip());
        if self.is_int(&scaled) {
            return scaled;
        }
        if let Some(constant) = scaled.as_constant() {
            return Sum::constant(constant.floor());
        }
        let key = (sum.clone(), divisor.clone());
        if let Some(&known) = self.quotients.get(&key) {
            return Sum::unknown(known);
        }
        let lifetime = self.sum_lifetime(&sum.terms).max(self.lifetime);
        let unknown = self.sat.theory.new_unknown(true, lifetime);
        self.quotients.insert(key.clone(), unknown);
        self.scoped_quotients.note(lifetime, key);
        let quotient = Sum::unknown(unknown);
        let remainder = sum.plus(&-divisor, &quotient);
        let least = self.at_most_zero(&remainder.times(&Rational::MINUS_ONE));
        let too_much = self.at_most_zero(&Sum::constant(divisor.clone()).minus(&remainder));
        self.sat.add_clause(&[least], 0);
        self.sat.add_clause(&[!too_much], 0);
        quotient
    }

    // ---- Bit-vectors ----------------------------------------------------------------------

    fn encode_bits(&mut self, term: Term) -> Arc<[Lit]> {
        let args = term.args();
        let a = self.bits(args[0]);
        let b = args
            .get(1)
            .map(|arg| self.bits(*arg))
            .unwrap_or_else(|| Arc::new([]));
        let mut circuits = self.circuits();
        let bits: Vec<Lit> = match term.op() {
            Op::Concat => b.iter().chain(a.iter()).copied().collect(),
            Op::Extract { high, low } => a[*low as usize..=*high as usize].to_vec(),
            Op::BvNot => a.iter().map(|lit| !*lit).collect(),
            Op::BvNeg => circuits.negate(&a),
            Op::BvAnd => circuits.bitwise_and(&a, &b),
            Op::BvOr => circuits.bitwise_or(&a, &b),
            Op::BvXor => circuits.bitwise_xor(&a, &b),
            Op::BvAdd => circuits.add(&a, &b, FALSE).0,
            Op::BvMul => circuits.multiply(&a, &b),
            Op::BvUdiv => circuits.divide(&a, &b).0,
            Op::BvUrem => circuits.divide(&a, &b).1,
            Op::BvShl => circuits.shift_up(&a, &b, FALSE),
            Op::BvLshr => circuits.shift_down(&a, &b, FALSE),
            Op::BvAshr => circuits.shift_down(&a, &b, a[a.len() - 1]),
            op => unreachable!("{op:?} yields no bit-vector"),
        };
        bits.into()
    }
}

fn unsupported(term: Term, why: &str) -> SolveError {
    SolveError::Unsupported {
        term,
        why: why.into(),
    }
}

fn constant(value: &Value) -> Code {
    match value {
        Value::Bool(true) => Code::Lit(TRUE),
        Value::Bool(false) => Code::Lit(FALSE),
        Value::Int(number) | Value::Real(number) => {
            Code::Sum(Arc::new(Sum::constant(number.clone())))
        }
        Value::BitVec(bits) => {
            Code::Bits((0..bits.width()).map(|at| truth(bits.bit(at))).collect())
        }
        Value::Enum(sort, index) => {
            Code::Bits(number_bits(enum_width(sort.values().len()), u64::from(*index)).into())
        }
    }
}

fn truth(value: bool) -> Lit {
    if value { TRUE } else { FALSE }
}

fn number_bits(width: u32, number: u64) -> Vec<Lit> {
    (0..width).map(|at| truth(number >> at & 1 == 1)).collect()
}

/// How many bits tell so many values apart; at least one.
fn enum_width(values: usize) -> u32 {
    (values - 1).checked_ilog2().map_or(1, |log| log + 1)
}
