//! Random terms: what the builder simplifies means what the operators mean.
//!
//! Each drawn formula is evaluated three ways: operator by operator with `fold`, as a built term
//! with its variables looked up, and as a term built over the constants in the first place.

mod dice;

use dice::Dice;
use proofmark_model::{
    EnumSort, Environment, Evaluator, Function, Mentions, Op, Rational, Sort, Term, Unroller,
    Value, division_by_zero, fold,
};
use rustc_hash::FxHashMap;

/// A formula that nobody has simplified.
enum Formula {
    Leaf(Term),
    Node(Op, Vec<Formula>),
}

/// Variables by table; functions, so those of division by zero, add one to their argument.
struct Values(FxHashMap<Term, Value>);

impl Environment for Values {
    fn variable(&self, variable: Term) -> Option<Value> {
        self.0.get(&variable).cloned()
    }

    fn function(&self, _: Function, args: &[Value]) -> Option<Value> {
        Some(match &args[0] {
            Value::Int(number) => Value::Int(number + &Rational::ONE),
            Value::Real(number) => Value::Real(number + &Rational::ONE),
            other => other.clone(),
        })
    }
}

fn color() -> EnumSort {
    let names = ["red", "green", "blue"].map(String::from);
    EnumSort::new("color", names.to_vec())
}

fn sorts() -> Vec<Sort> {
    use Sort::{BitVec, Bool, Enum, Int, Real};
    vec![
        Bool,
        Int,
        Real,
        BitVec(1),
        BitVec(3),
        BitVec(8),
        Enum(color()),
    ]
}

fn formula(dice: &mut Dice, sort: Sort, depth: u32) -> Formula {
    if depth == 0 || dice.one_in(6) {
        return Formula::Leaf(match dice.one_in(2) {
            true => Term::constant(dice.value(sort)),
            false => Term::var(&format!("{sort} {}", dice.below(2)), sort),
        });
    }
    let (op, sorts) = operator(dice, sort);
    let args = sorts.into_iter();
    Formula::Node(
        op,
        args.map(|sort| formula(dice, sort, depth - 1)).collect(),
    )
}

/// An operator with this result, and the sorts of its arguments.
fn operator(dice: &mut Dice, sort: Sort) -> (Op, Vec<Sort>) {
    if dice.one_in(5) {
        return (Op::Ite, vec![Sort::Bool, sort, sort]);
    }
    let many = 2 + dice.below(3) as usize;
    match sort {
        Sort::Bool => match dice.below(7) {
            0 => (Op::Not, vec![Sort::Bool]),
            1 => (Op::And, vec![Sort::Bool; many]),
            2 => (Op::Or, vec![Sort::Bool; many]),
            3 => (Op::Le, vec![dice.pick(&[Sort::Int, Sort::Real]); 2]),
            4 => (Op::BvUle, vec![Sort::BitVec(3); 2]),
            5 => (Op::BvSle, vec![Sort::BitVec(3); 2]),
            _ => (Op::Eq, vec![dice.pick(&sorts()); 2]),
        },
        Sort::Int => match dice.below(5) {
            0 => (Op::Add, vec![sort; many]),
            1 => (Op::Mul, vec![sort; 2]),
            2 => (Op::IntDiv, vec![sort; 2]),
            3 => (Op::Mod, vec![sort; 2]),
            _ => (Op::Floor, vec![Sort::Real]),
        },
        Sort::Real => match dice.below(4) {
            0 => (Op::Add, vec![sort; many]),
            1 => (Op::Mul, vec![sort; 2]),
            2 => (Op::Div, vec![sort; 2]),
            _ => (Op::ToReal, vec![Sort::Int]),
        },
        Sort::BitVec(width) => bits_operator(dice, width),
        Sort::Enum(_) => (Op::Ite, vec![Sort::Bool, sort, sort]),
    }
}

fn bits_operator(dice: &mut Dice, width: u32) -> (Op, Vec<Sort>) {
    let sort = Sort::BitVec(width);
    match dice.below(4) {
        0 => (dice.pick(&[Op::BvNot, Op::BvNeg]), vec![sort]),
        1 if width < 8 => {
            let low = dice.below(8 - width + 1);
            let high = low + width - 1;
            (Op::Extract { high, low }, vec![Sort::BitVec(8)])
        }
        2 if width == 8 => {
            let widths = [Sort::BitVec(3), Sort::BitVec(5)];
            (Op::Concat, widths.to_vec())
        }
        _ => {
            let ops = [
                Op::BvAnd,
                Op::BvOr,
                Op::BvXor,
                Op::BvAdd,
                Op::BvMul,
                Op::BvUdiv,
                Op::BvUrem,
                Op::BvShl,
                Op::BvLshr,
                Op::BvAshr,
            ];
            (dice.pick(&ops), vec![sort; 2])
        }
    }
}

fn build(formula: &Formula, leaf: &dyn Fn(Term) -> Term) -> Term {
    match formula {
        Formula::Leaf(term) => leaf(*term),
        Formula::Node(op, args) => {
            let args: Vec<Term> = args.iter().map(|arg| build(arg, leaf)).collect();
            Term::build(op.clone(), &args).unwrap()
        }
    }
}

fn meaning(formula: &Formula, values: &Values) -> Value {
    match formula {
        Formula::Leaf(term) => match term.as_const() {
            Some(value) => value.clone(),
            None => values.0[term].clone(),
        },
        Formula::Node(op, args) => {
            let args: Vec<Value> = args.iter().map(|arg| meaning(arg, values)).collect();
            fold(op, &args).unwrap_or_else(|| {
                let function = division_by_zero(op);
                values.function(function, &args[..1]).unwrap()
            })
        }
    }
}

fn values(dice: &mut Dice) -> Values {
    let mut values = FxHashMap::default();
    for sort in sorts().into_iter().chain([Sort::BitVec(5)]) {
        for index in 0..2 {
            let variable = Term::var(&format!("{sort} {index}"), sort);
            values.insert(variable, dice.value(sort));
        }
    }
    Values(values)
}

#[test]
fn a_built_term_means_what_its_operators_mean() {
    let mut dice = Dice::new(1);
    for round in 0..30_000 {
        let sort = dice.pick(&sorts());
        let formula = formula(&mut dice, sort, 1 + round % 5);
        let term = build(&formula, &|leaf| leaf);
        for _ in 0..3 {
            let values = values(&mut dice);
            let wanted = meaning(&formula, &values);
            let found = Evaluator::new(&values).value(term);
            assert_eq!(found, Ok(wanted.clone()), "{term:?} under {:?}", values.0);

            let constant = |leaf: Term| {
                values
                    .0
                    .get(&leaf)
                    .map_or(leaf, |v| Term::constant(v.clone()))
            };
            let ground = build(&formula, &constant);
            let found = Evaluator::new(&values).value(ground);
            assert_eq!(found, Ok(wanted), "{ground:?} from {term:?}");
        }
    }
}

#[test]
fn a_term_without_variables_and_functions_is_a_constant() {
    let mut dice = Dice::new(2);
    for round in 0..10_000 {
        let sort = dice.pick(&[Sort::Bool, Sort::BitVec(3), Sort::BitVec(8)]);
        let formula = formula(&mut dice, sort, 1 + round % 4);
        let values = values(&mut dice);
        let constant = |leaf: Term| {
            values
                .0
                .get(&leaf)
                .map_or(leaf, |v| Term::constant(v.clone()))
        };
        let ground = build(&formula, &constant);
        // Division by zero alone is left standing.
        let mentions = Mentions::of(ground);
        assert!(mentions.variables.is_empty());
        assert!(ground.as_const().is_some() || !mentions.functions.is_empty());
    }
}

#[test]
fn unrolling_without_variables_of_the_system_changes_nothing() {
    let mut dice = Dice::new(3);
    let mut unroller = Unroller::default();
    for _ in 0..1_000 {
        let sort = dice.pick(&sorts());
        let term = build(&formula(&mut dice, sort, 4), &|leaf| leaf);
        assert_eq!(unroller.at(term, 5), term);
    }
}
