//! Terms, sorts and values as SMT-LIB text.
//!
//! A term is a graph; written out as a tree it can be exponentially long. What occurs more than once
//! is therefore named once, by `let`, and the writing runs on a stack of its own. Reading the text
//! back gives the identical term.

use super::lexer::is_simple_symbol;
use super::names::is_reserved;
use proofmark_model::{EnumSort, Function, Op, Rational, Sort, Term, Value, division_by_zero};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// How names are written. A solver process has to be told of names that SMT-LIB cannot spell or
/// that mean something else there, so it brings its own.
pub trait Spelling {
    /// Writes the name of a variable.
    fn variable(&self, variable: Term, out: &mut String);
    /// Writes the name of a function.
    fn function(&self, function: Function, out: &mut String);
    /// Writes the name of a value of an enumeration, by its position.
    fn constructor(&self, sort: EnumSort, index: u32, out: &mut String);
    /// Writes the name of an enumeration.
    fn enumeration(&self, sort: EnumSort, out: &mut String);
}

/// Every name as it is, between bars when it needs them.
pub struct OwnNames;

impl Spelling for OwnNames {
    fn variable(&self, variable: Term, out: &mut String) {
        let name = variable.as_var().map_or("", |name| name.as_str());
        write_symbol(name, out);
    }

    fn function(&self, function: Function, out: &mut String) {
        write_symbol(function.name().as_str(), out);
    }

    fn constructor(&self, sort: EnumSort, index: u32, out: &mut String) {
        write_symbol(&sort.values()[index as usize], out);
    }

    fn enumeration(&self, sort: EnumSort, out: &mut String) {
        write_symbol(sort.name(), out);
    }
}

/// A name as a symbol. The two characters that no symbol can hold become `!`: names with them are
/// made by the tool, and are shown but never read back.
pub fn write_symbol(name: &str, out: &mut String) {
    if is_simple_symbol(name) && !is_reserved(name) {
        out.push_str(name);
        return;
    }
    out.push('|');
    out.extend(name.chars().map(|c| match c {
        '|' | '\\' => '!',
        c => c,
    }));
    out.push('|');
}

/// A name as a symbol, between bars when it needs them.
pub fn symbol(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    write_symbol(name, &mut out);
    out
}

/// A sort with its own names.
pub fn sort(sort: Sort) -> String {
    let mut out = String::new();
    write_sort(sort, &OwnNames, &mut out);
    out
}

/// A value as a term of SMT-LIB.
pub fn value(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, &OwnNames, &mut out);
    out
}

/// A term with its own names; what occurs more than once is named by `let`.
pub fn term(term: Term) -> String {
    let mut out = String::new();
    write_term(term, &OwnNames, &mut out);
    out
}

/// Writes to a string, which never fails.
fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    let written = out.write_fmt(text);
    debug_assert!(written.is_ok());
}

/// Writes a sort; bit-vectors by their width.
pub fn write_sort(sort: Sort, spelling: &dyn Spelling, out: &mut String) {
    match sort {
        Sort::Bool => out.push_str("Bool"),
        Sort::Int => out.push_str("Int"),
        Sort::Real => out.push_str("Real"),
        Sort::BitVec(width) => put(out, format_args!("(_ BitVec {width})")),
        Sort::Enum(sort) => spelling.enumeration(sort, out),
    }
}

/// The command that declares an enumeration.
pub fn write_declare_enumeration(sort: EnumSort, spelling: &dyn Spelling, out: &mut String) {
    out.push_str("(declare-datatypes ((");
    spelling.enumeration(sort, out);
    out.push_str(" 0)) ((");
    for index in 0..sort.values().len() as u32 {
        out.push_str(if index == 0 { "(" } else { " (" });
        spelling.constructor(sort, index, out);
        out.push(')');
    }
    out.push_str(")))");
}

/// Writes a value; a negative number is the negation of a positive one.
pub fn write_value(value: &Value, spelling: &dyn Spelling, out: &mut String) {
    match value {
        Value::Bool(value) => put(out, format_args!("{value}")),
        Value::Int(number) => signed(number, out, |magnitude, out| {
            put(out, format_args!("{}", magnitude.numerator()));
        }),
        Value::Real(number) if number.is_integer() => signed(number, out, |magnitude, out| {
            put(out, format_args!("{}.0", magnitude.numerator()));
        }),
        Value::Real(number) => {
            out.push_str("(/ ");
            let numerator = Rational::from(number.numerator());
            signed(&numerator, out, |magnitude, out| {
                put(out, format_args!("{}.0", magnitude.numerator()));
            });
            put(out, format_args!(" {}.0)", number.denominator()));
        }
        Value::BitVec(bits) => put(out, format_args!("{bits}")),
        Value::Enum(sort, index) => spelling.constructor(*sort, *index, out),
    }
}

/// A number by its magnitude: SMT-LIB has no negative literals.
fn signed(number: &Rational, out: &mut String, write: impl Fn(&Rational, &mut String)) {
    if !number.is_negative() {
        return write(number, out);
    }
    out.push_str("(- ");
    write(&number.abs(), out);
    out.push(')');
}

/// Writes a term; what occurs more than once is named by `let`.
pub fn write_term(root: Term, spelling: &dyn Spelling, out: &mut String) {
    let outline = Outline::of(&[root], usize::MAX);
    if outline.shared.is_empty() {
        return write_flat(root, spelling, &|_, _| false, out);
    }
    let numbers: FxHashMap<Term, usize> =
        (0..).zip(&outline.shared).map(|(n, t)| (*t, n)).collect();
    let dots = ".".repeat(outline.dots + 1);
    let reference = |term: Term, out: &mut String| match numbers.get(&term) {
        Some(number) => write!(out, "{dots}{number}").is_ok(),
        None => false,
    };
    for (number, shared) in outline.shared.iter().enumerate() {
        put(out, format_args!("(let (({dots}{number} "));
        write_node(*shared, spelling, &reference, out);
        out.push_str(")) ");
    }
    write_flat(root, spelling, &reference, out);
    out.extend(std::iter::repeat_n(')', outline.shared.len()));
}

/// What is to be named before a term can be written.
pub struct Outline {
    /// The terms with arguments that occur more than once, or that lie so many levels above the
    /// leaves or above the last such term; each after those it contains.
    pub shared: Vec<Term>,
    /// The most dots that a name begins with; one more makes a name that is new.
    dots: usize,
}

impl Outline {
    /// Looks through terms, and names parts so that nothing is deeper than so many levels.
    pub fn of(roots: &[Term], most_levels: usize) -> Outline {
        let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
        let mut order = Vec::new();
        let mut dots = 0;
        // A term comes twice: first to open its arguments, then, they being done, itself.
        let mut stack: Vec<(Term, bool)> = roots.iter().rev().map(|term| (*term, false)).collect();
        while let Some((term, arguments_done)) = stack.pop() {
            if arguments_done {
                order.push(term);
                continue;
            }
            let count = uses.entry(term).or_insert(0);
            *count += 1;
            if *count > 1 {
                continue;
            }
            dots = dots.max(leading_dots(term));
            if !term.args().is_empty() {
                stack.push((term, true));
                stack.extend(term.args().iter().rev().map(|arg| (*arg, false)));
            }
        }
        let mut levels: FxHashMap<Term, usize> = FxHashMap::default();
        order.retain(|term| {
            let below = term.args().iter().filter_map(|arg| levels.get(arg));
            let level = below.max().map_or(1, |level| level + 1);
            let named = uses[term] > 1 || level >= most_levels;
            levels.insert(*term, if named { 0 } else { level });
            named
        });
        Outline {
            shared: order,
            dots,
        }
    }
}

fn leading_dots(term: Term) -> usize {
    let name = match term.op() {
        Op::Var(name) => name.as_str(),
        Op::Apply(function) => function.name().as_str(),
        _ => return 0,
    };
    name.bytes().take_while(|byte| *byte == b'.').count()
}

/// Writes the name of a term and says so, when the term has one.
type Reference<'r> = dyn Fn(Term, &mut String) -> bool + 'r;

/// Writes a term, the named ones among its subterms by their names.
pub fn write_flat(root: Term, spelling: &dyn Spelling, name: &Reference, out: &mut String) {
    if !name(root, out) {
        write_node(root, spelling, name, out);
    }
}

/// Writes a term itself, even when it has a name, but its named subterms by their names.
pub fn write_node(root: Term, spelling: &dyn Spelling, name: &Reference, out: &mut String) {
    let mut stack = vec![Piece::Term(root)];
    let mut is_root = true;
    while let Some(piece) = stack.pop() {
        let term = match piece {
            Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Term(term) => term,
        };
        if !std::mem::take(&mut is_root) {
            // Blanks stand before arguments only.
            out.push(' ');
            if name(term, out) {
                continue;
            }
        }
        open(term, spelling, out, &mut stack);
    }
}

enum Piece {
    Term(Term),
    Text(&'static str),
}

/// Writes the beginning of a term and leaves the rest on the stack.
fn open(term: Term, spelling: &dyn Spelling, out: &mut String, stack: &mut Vec<Piece>) {
    match term.op() {
        Op::Const(value) => return write_value(value, spelling, out),
        Op::Var(_) => return spelling.variable(term, out),
        Op::Apply(function) => {
            if let Some((operator, zero)) = as_division_by_zero(*function) {
                out.push_str(operator);
                stack.push(Piece::Text(zero));
                stack.push(Piece::Term(term.args()[0]));
                return;
            }
            out.push('(');
            spelling.function(*function, out);
        }
        Op::Extract { high, low } => put(out, format_args!("((_ extract {high} {low})")),
        op => {
            out.push('(');
            out.push_str(operator_name(op));
        }
    }
    stack.push(Piece::Text(")"));
    stack.extend(term.args().iter().rev().map(|arg| Piece::Term(*arg)));
}

/// The function that stands for division by zero, as the division it came from.
pub fn as_division_by_zero(function: Function) -> Option<(&'static str, &'static str)> {
    // The name decides first: three lookups per application would be felt.
    if !function.name().as_str().ends_with("|0") {
        return None;
    }
    [
        (Op::Div, ("(/", " 0.0)")),
        (Op::IntDiv, ("(div", " 0)")),
        (Op::Mod, ("(mod", " 0)")),
    ]
    .into_iter()
    .find(|(op, _)| division_by_zero(op) == function)
    .map(|(_, text)| text)
}

fn operator_name(op: &Op) -> &'static str {
    match op {
        Op::Const(_) | Op::Var(_) | Op::Apply(_) | Op::Extract { .. } => "",
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Eq => "=",
        Op::Ite => "ite",
        Op::Le => "<=",
        Op::Add => "+",
        Op::Mul => "*",
        Op::Div => "/",
        Op::IntDiv => "div",
        Op::Mod => "mod",
        Op::ToReal => "to_real",
        Op::Floor => "to_int",
        Op::Concat => "concat",
        Op::BvNot => "bvnot",
        Op::BvNeg => "bvneg",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::BvAdd => "bvadd",
        Op::BvMul => "bvmul",
        Op::BvUdiv => "bvudiv",
        Op::BvUrem => "bvurem",
        Op::BvShl => "bvshl",
        Op::BvLshr => "bvlshr",
        Op::BvAshr => "bvashr",
        Op::BvUle => "bvule",
        Op::BvSle => "bvsle",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_the_standard_wants_them() {
        let real = |num, den| value(&Value::Real(Rational::new(num, den)));
        assert_eq!(value(&Value::Int((-3).into())), "(- 3)");
        assert_eq!(real(-2, 1), "(- 2.0)");
        assert_eq!(real(1, 3), "(/ 1.0 3.0)");
        assert_eq!(real(-1, 3), "(/ (- 1.0) 3.0)");
        assert_eq!(symbol("a b"), "|a b|");
        assert_eq!(symbol("let"), "|let|");
        assert_eq!(symbol("1st"), "|1st|");
        assert_eq!(symbol(""), "||");
        assert_eq!(symbol("$x~1"), "$x~1");
    }

    #[test]
    fn shared_terms_are_written_once() {
        let mut doubled = Term::var("x", Sort::Int);
        for _ in 0..100 {
            doubled = doubled.mul(doubled);
        }
        let text = term(doubled);
        assert!(text.len() < 3000, "{text}");
        assert!(text.starts_with("(let ((.0 (* x x))) (let ((.1 (* .0 .0))) "));
    }

    #[test]
    fn names_of_shared_terms_are_new() {
        let dotted = Term::var(".0", Sort::Int);
        let square = dotted.mul(dotted);
        assert_eq!(
            term(square.mul(square)),
            "(let ((..0 (* .0 .0))) (* ..0 ..0))"
        );
    }

    #[test]
    fn division_by_zero_is_written_as_division() {
        let x = Term::var("x", Sort::Int);
        assert_eq!(term(x.int_div(Term::int(0))), "(div x 0)");
        assert_eq!(term(x.modulo(Term::int(0))), "(mod x 0)");
        let y = x.to_real();
        assert_eq!(
            term(y.div(Term::real(Rational::ZERO))),
            "(/ (to_real x) 0.0)"
        );
    }

    #[test]
    fn depth_costs_no_stack() {
        let (x, c) = (Term::var("x", Sort::Int), Term::var("c", Sort::Bool));
        let mut deep = x;
        for number in 0..200_000 {
            deep = c.ite(Term::int(number), deep);
        }
        assert!(term(deep).ends_with(&")".repeat(200_000)));
    }
}
