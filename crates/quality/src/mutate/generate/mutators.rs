//! The registry of mutators: a row says what a mutator is called, to which sets it belongs, what it
//! is for, and, as data, what it matches and what it yields.
//!
//! `jkind` is what the first tool of this kind had ("Specification quality metrics based on
//! mutation and inductive incremental model checking", table 2), and `paper` adds what its figure 5
//! shows. `default` is what we think finds most gaps for the work: faults that people make, and few
//! that change nothing.

use proofmark_model::{Operator, Rational, Sort, Value};

/// The named sets of mutators, besides `all`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Set {
    /// What the first tool of this kind had.
    Jkind,
    /// `jkind`, and what the published figure adds.
    Paper,
    /// Faults that people make, and few that change nothing.
    Default,
}

impl Set {
    /// In the order in which they are listed.
    pub const ALL: [Set; 3] = [Set::Jkind, Set::Paper, Set::Default];

    /// The name in selections.
    pub fn name(self) -> &'static str {
        match self {
            Set::Jkind => "jkind",
            Set::Paper => "paper",
            Set::Default => "default",
        }
    }
}

/// One mutator.
#[derive(Debug)]
pub struct Mutator {
    /// The name in selections and in the ids of mutants, as `or2xor`.
    pub name: &'static str,
    /// The sets that it belongs to.
    pub sets: &'static [Set],
    /// One line for people: what it does, and what it is for.
    pub description: &'static str,
    /// An equation before and after.
    pub example: (&'static str, &'static str),
    pub(crate) rule: Rule,
}

impl Mutator {
    /// Whether the set has this mutator.
    pub fn is_in(&self, set: Set) -> bool {
        self.sets.contains(&set)
    }
}

/// What a mutator matches and what it yields. A rule may yield several variants, numbered from 0.
#[derive(Debug)]
pub(crate) enum Rule {
    /// An operator becomes another; of several pairs, the first that the sorts allow.
    Operator(&'static [(Operator, Operator)]),
    /// An operation becomes one of its arguments.
    Argument(Operator, usize),
    /// The condition of a conditional becomes a constant.
    Condition(bool),
    /// The branches of a conditional change places.
    Branches,
    /// A literal becomes another.
    Literal(fn(&Value, usize) -> Option<Value>),
    /// A Boolean expression becomes a constant.
    Stuck(bool),
    /// A variable comes one step late.
    Delay,
    /// A variable becomes another of its type in its node.
    Exchange,
    /// An index of an array becomes another.
    Index(i64),
    /// The right side of an equation becomes a constant of its sort.
    Equal(fn(Sort) -> Option<Value>),
    /// The right side of an equation gets a constant at the first step.
    Init(fn(Sort) -> Option<Value>),
    /// An equation goes.
    Remove,
    /// An assumption goes.
    Unassume,
}

/// All mutators.
pub fn mutators() -> &'static [Mutator] {
    MUTATORS
}

const PUBLISHED: &[Set] = &[Set::Jkind, Set::Paper, Set::Default];
const PAPER: &[Set] = &[Set::Paper];
const BOTH: &[Set] = &[Set::Paper, Set::Default];
const DEFAULT: &[Set] = &[Set::Default];

const fn row(
    name: &'static str,
    sets: &'static [Set],
    description: &'static str,
    example: (&'static str, &'static str),
    rule: Rule,
) -> Mutator {
    Mutator {
        name,
        sets,
        description,
        example,
        rule,
    }
}

use Operator::{
    And, Arrow, BitAnd, BitOr, BitXor, Different, Divide, Equal, Greater, GreaterEqual, Implies,
    IntDivide, Less, LessEqual, Minus, Modulo, Negate, Not, Or, Plus, Pre, SignedGreater,
    SignedGreaterEqual, SignedLess, SignedLessEqual, Times, Xor,
};

#[rustfmt::skip]
static MUTATORS: &[Mutator] = &[
    row("or2xor", PUBLISHED, "`or` becomes `xor`", ("a or b", "a xor b"), Rule::Operator(&[(Or, Xor), (BitOr, BitXor)])),
    row("xor2implies", PUBLISHED, "`xor` becomes `=>`", ("a xor b", "a => b"), Rule::Operator(&[(Xor, Implies)])),
    row("implies2and", PUBLISHED, "`=>` becomes `and`", ("a => b", "a and b"), Rule::Operator(&[(Implies, And)])),
    row("and2or", PUBLISHED, "`and` becomes `or`", ("a and b", "a or b"), Rule::Operator(&[(And, Or), (BitAnd, BitOr)])),
    row("or2left", PUBLISHED, "`or` becomes its left side", ("a or b", "a"), Rule::Argument(Or, 0)),
    row("or2right", PUBLISHED, "`or` becomes its right side", ("a or b", "b"), Rule::Argument(Or, 1)),
    row("and2left", PUBLISHED, "`and` becomes its left side", ("a and b", "a"), Rule::Argument(And, 0)),
    row("and2right", PUBLISHED, "`and` becomes its right side", ("a and b", "b"), Rule::Argument(And, 1)),
    row("eq2neq", PUBLISHED, "`=` becomes `<>`", ("x = y", "x <> y"), Rule::Operator(&[(Equal, Different)])),
    row("neq2eq", PUBLISHED, "`<>` becomes `=`", ("x <> y", "x = y"), Rule::Operator(&[(Different, Equal)])),
    row("g2ge", PUBLISHED, "`>` becomes `>=`", ("x > y", "x >= y"), Rule::Operator(&[(Greater, GreaterEqual), (SignedGreater, SignedGreaterEqual)])),
    row("ge2g", PUBLISHED, "`>=` becomes `>`", ("x >= y", "x > y"), Rule::Operator(&[(GreaterEqual, Greater), (SignedGreaterEqual, SignedGreater)])),
    row("l2le", PUBLISHED, "`<` becomes `<=`", ("x < y", "x <= y"), Rule::Operator(&[(Less, LessEqual), (SignedLess, SignedLessEqual)])),
    row("le2l", PUBLISHED, "`<=` becomes `<`", ("x <= y", "x < y"), Rule::Operator(&[(LessEqual, Less), (SignedLessEqual, SignedLess)])),
    row("g2l", PUBLISHED, "`>` becomes `<`", ("x > y", "x < y"), Rule::Operator(&[(Greater, Less), (SignedGreater, SignedLess)])),
    row("l2g", PUBLISHED, "`<` becomes `>`", ("x < y", "x > y"), Rule::Operator(&[(Less, Greater), (SignedLess, SignedGreater)])),
    row("ge2le", PUBLISHED, "`>=` becomes `<=`", ("x >= y", "x <= y"), Rule::Operator(&[(GreaterEqual, LessEqual), (SignedGreaterEqual, SignedLessEqual)])),
    row("le2ge", PUBLISHED, "`<=` becomes `>=`", ("x <= y", "x >= y"), Rule::Operator(&[(LessEqual, GreaterEqual), (SignedLessEqual, SignedGreaterEqual)])),
    row("plus2minus", PUBLISHED, "`+` becomes `-`", ("x + y", "x - y"), Rule::Operator(&[(Plus, Minus)])),
    row("minus2plus", PUBLISHED, "`-` between two becomes `+`", ("x - y", "x + y"), Rule::Operator(&[(Minus, Plus)])),
    row("rm_minus", PUBLISHED, "`-` before one goes", ("-x", "x"), Rule::Argument(Negate, 0)),
    row("rm_not", PUBLISHED, "`not` goes", ("not a", "a"), Rule::Argument(Not, 0)),
    row("ifthen", PUBLISHED, "a condition becomes true", ("if a then x else y", "if true then x else y"), Rule::Condition(true)),
    row("ifelse", PUBLISHED, "a condition becomes false", ("if a then x else y", "if false then x else y"), Rule::Condition(false)),
    row("ifelsethen", PUBLISHED, "branches change places", ("if a then x else y", "if a then y else x"), Rule::Branches),
    row("const", PUBLISHED, "a number becomes 1, and 1 becomes -1; a truth value is flipped", ("x + 7", "x + 1"), Rule::Literal(published)),
    row("equation_remove", BOTH, "an equation goes: what it defines is free", ("x + 7", "*"), Rule::Remove),
    row("equal_true", PAPER, "an equation's right side becomes true", ("a or b", "true"), Rule::Equal(|sort| boolean(sort, true))),
    row("equal_false", PAPER, "an equation's right side becomes false", ("a or b", "false"), Rule::Equal(|sort| boolean(sort, false))),
    row("init_true", PAPER, "an equation begins with true", ("a or b", "true -> (a or b)"), Rule::Init(|sort| boolean(sort, true))),
    row("init_false", PAPER, "an equation begins with false", ("a or b", "false -> (a or b)"), Rule::Init(|sort| boolean(sort, false))),
    row("equal_5", PAPER, "an equation's right side becomes 5", ("x + y", "5"), Rule::Equal(|sort| number(sort, 5))),
    row("equal_-2", PAPER, "an equation's right side becomes -2", ("x + y", "-2"), Rule::Equal(|sort| number(sort, -2))),
    row("init_5", PAPER, "an equation begins with 5", ("x + y", "5 -> (x + y)"), Rule::Init(|sort| number(sort, 5))),
    row("init_-1", PAPER, "an equation begins with -1", ("x + y", "-1 -> (x + y)"), Rule::Init(|sort| number(sort, -1))),
    row("const_plus", DEFAULT, "a number becomes the next", ("x + 7", "x + 8"), Rule::Literal(|value, at| moved(value, at, 1))),
    row("const_minus", DEFAULT, "a number becomes the one before", ("x + 7", "x + 6"), Rule::Literal(|value, at| moved(value, at, -1))),
    row("const_zero", DEFAULT, "a number becomes 0", ("x + 7", "x + 0"), Rule::Literal(zero)),
    row("enum", DEFAULT, "a value of an enumeration becomes its neighbour", ("c = red", "c = green"), Rule::Literal(neighbour)),
    row("times2div", DEFAULT, "`*` by a constant becomes `div` or `/`", ("x * 7", "x div 7"), Rule::Operator(&[(Times, IntDivide), (Times, Divide)])),
    row("div2times", DEFAULT, "`div` or `/` becomes `*`", ("x div 7", "x * 7"), Rule::Operator(&[(IntDivide, Times), (Divide, Times)])),
    row("div2mod", DEFAULT, "`div` becomes `mod`", ("x div 7", "x mod 7"), Rule::Operator(&[(IntDivide, Modulo)])),
    row("mod2div", DEFAULT, "`mod` becomes `div`", ("x mod 7", "x div 7"), Rule::Operator(&[(Modulo, IntDivide)])),
    row("pre_drop", DEFAULT, "`pre` goes", ("0 -> pre x", "0 -> x"), Rule::Argument(Pre, 0)),
    row("pre_add", DEFAULT, "a variable comes one step late", ("x + 7", "(x -> pre x) + 7"), Rule::Delay),
    row("arrow_left", DEFAULT, "`->` becomes its left side", ("0 -> pre x", "0"), Rule::Argument(Arrow, 0)),
    row("arrow_right", DEFAULT, "`->` becomes its right side", ("0 -> pre x", "pre x"), Rule::Argument(Arrow, 1)),
    row("variable", DEFAULT, "a variable becomes another of its type in its node", ("x + 7", "y + 7"), Rule::Exchange),
    row("index_plus", DEFAULT, "an array is read one place later", ("v[1]", "v[2]"), Rule::Index(1)),
    row("index_minus", DEFAULT, "an array is read one place earlier", ("v[1]", "v[0]"), Rule::Index(-1)),
    row("assumption_remove", DEFAULT, "an assumption goes: an `assert`, or the range of an input", ("assert a;", "assert true;"), Rule::Unassume),
    row("stuck_true", DEFAULT, "a Boolean expression becomes true", ("a or b", "true or b"), Rule::Stuck(true)),
    row("stuck_false", DEFAULT, "a Boolean expression becomes false", ("a or b", "false or b"), Rule::Stuck(false)),
];

/// The constant mutator of the paper.
fn published(value: &Value, variant: usize) -> Option<Value> {
    match (value, variant) {
        (Value::Bool(value), 0) => Some(Value::Bool(!value)),
        (_, 0) => {
            let was = value.as_number()?;
            number(value.sort(), if was.is_one() { -1 } else { 1 })
        }
        _ => None,
    }
}

fn moved(value: &Value, variant: usize, by: i64) -> Option<Value> {
    match (value, variant) {
        (Value::Int(number), 0) => Some(Value::Int(number + &Rational::from(by))),
        (Value::Real(number), 0) => Some(Value::Real(number + &Rational::from(by))),
        (Value::BitVec(bits), 0) => Some(Value::BitVec(bits.plus(by))),
        _ => None,
    }
}

fn zero(value: &Value, variant: usize) -> Option<Value> {
    if !matches!(value, Value::BitVec(_)) {
        value.as_number()?;
    }
    let zero = Value::default_of(value.sort());
    (variant == 0 && zero != *value).then_some(zero)
}

/// The next value of an enumeration, then the one before it.
fn neighbour(value: &Value, variant: usize) -> Option<Value> {
    let Value::Enum(of, at) = value else {
        return None;
    };
    let count = of.values().len() as u32;
    match variant {
        0 if count > 1 => Some(Value::Enum(*of, (at + 1) % count)),
        1 if count > 2 => Some(Value::Enum(*of, (at + count - 1) % count)),
        _ => None,
    }
}

fn boolean(sort: Sort, value: bool) -> Option<Value> {
    (sort == Sort::Bool).then_some(Value::Bool(value))
}

fn number(sort: Sort, value: i64) -> Option<Value> {
    match sort {
        Sort::Int => Some(Value::Int(value.into())),
        Sort::Real => Some(Value::Real(value.into())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::BitVec;

    #[test]
    fn a_constant_of_bits_becomes_its_neighbours_and_zero() {
        let bits = |number: u32| Value::BitVec(BitVec::new(3, number.into()));
        assert_eq!(moved(&bits(4), 0, 1), Some(bits(5)));
        assert_eq!(moved(&bits(7), 0, 1), Some(bits(0)));
        assert_eq!(moved(&bits(0), 0, -1), Some(bits(7)));
        assert_eq!(zero(&bits(4), 0), Some(bits(0)));
        assert_eq!(zero(&bits(0), 0), None);
        assert_eq!(zero(&Value::Bool(true), 0), None);
    }
}
