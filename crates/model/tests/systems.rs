//! Random small systems, run in several ways that must agree.
//!
//! The reference reads a model as streams, straight from the trees and without the model crate's
//! operators: `value(expression, step)`. Against it stand the simulator on the lowered system, the
//! unrolled init and step parts under the evaluator, the slice of the system, and mutants patched
//! into the lowered system against mutants lowered from scratch.

mod dice;

use dice::Dice;
use proofmark_model::{
    ElementId, Environment, Equation, Evaluator, Expr, Function, Goal, InstancePath, Lowered,
    Model, NodeId, Operator, Origin, Phase, Program, Rational, Reading, Role, Sort, Symbol, System,
    Term, Trace, Unroller, Value, Variable, When, lower, slice,
};
use rustc_hash::{FxHashMap, FxHashSet};

const WORD: Sort = Sort::BitVec(3);
const SORTS: [Sort; 4] = [Sort::Bool, Sort::Int, Sort::Real, WORD];
const STEPS: usize = 6;

/// Draws models. Variable `k` reads variables before it at the same step, and any under a `pre`.
struct Draft {
    dice: Dice,
    model: Model,
    function: Function,
}

impl Draft {
    fn new(seed: u64) -> Draft {
        Draft {
            dice: Dice::new(seed),
            model: Model::default(),
            function: Function::new("f", vec![Sort::Int], Sort::Int),
        }
    }

    fn model(seed: u64) -> (Model, Dice) {
        let mut draft = Draft::new(seed);
        let locals = 3 + draft.dice.below(5) as usize;
        for index in 0..3 + locals {
            let role = if index < 3 { Role::Input } else { Role::Local };
            let sort = draft.dice.pick(&SORTS);
            let variable = Variable::new(&format!("v{index}"), sort, role, Origin::generated());
            draft.model.variables.push(variable);
        }
        for index in 3..3 + locals {
            let variable = draft.model.variables[index].clone();
            let when = match draft.dice.below(12) {
                0 => When::First,
                1 => When::Later,
                _ => When::Always,
            };
            let tree = draft.tree(variable.sort(), 4, index);
            draft.equation(Some(variable.name), when, tree);
        }
        let all = draft.model.variables.len();
        for _ in 0..draft.dice.below(3) {
            let tree = draft.tree(Sort::Bool, 2, all);
            draft.equation(None, When::Always, tree);
        }
        for index in 0..3 {
            let (name, origin) = (format!("p{index}"), Origin::generated());
            let tree = draft.tree(Sort::Bool, 3, all);
            draft.model.goals.push(Goal { name, tree, origin });
        }
        (draft.model, draft.dice)
    }

    fn equation(&mut self, target: Option<Symbol>, when: When, tree: Expr) {
        let origin = Origin::generated();
        self.model.equations.push(Equation {
            target,
            reading: Reading::Definition,
            when,
            tree,
            origin,
        });
    }

    fn node(&mut self, operator: Operator, args: Vec<Expr>) -> Expr {
        let id = self.model.node_ids.fresh();
        Expr::new(id, operator, args, Origin::generated()).unwrap()
    }

    fn leaf(&mut self, sort: Sort, readable: usize) -> Expr {
        let variables = self.model.variables[..readable].iter();
        let fitting: Vec<Symbol> = variables
            .filter(|variable| variable.sort() == sort)
            .map(|variable| variable.name)
            .collect();
        let id = self.model.node_ids.fresh();
        if fitting.is_empty() || self.dice.one_in(4) {
            let value = self.dice.value(sort);
            return Expr::constant(id, value, Origin::generated());
        }
        let name = self.dice.pick(&fitting);
        Expr::variable(id, name.as_str(), sort, Origin::generated())
    }

    fn tree(&mut self, sort: Sort, depth: u32, readable: usize) -> Expr {
        if depth == 0 || self.dice.one_in(7) {
            return self.leaf(sort, readable);
        }
        let depth = depth - 1;
        match self.dice.below(8) {
            0 | 1 => {
                let all = self.model.variables.len();
                let operand = self.tree(sort, depth, all);
                self.node(Operator::Pre, vec![operand])
            }
            2 => self.apply(Operator::Arrow, &[sort, sort], depth, readable),
            3 => {
                let sorts = [Sort::Bool, sort, sort];
                self.apply(Operator::IfThenElse, &sorts, depth, readable)
            }
            _ => {
                let (operator, sorts) = self.operator(sort);
                let tree = self.apply(operator.clone(), &sorts, depth, readable);
                match operator {
                    // Keeps numbers from exploding.
                    Operator::Times if sort == Sort::Int => {
                        let id = self.model.node_ids.fresh();
                        let seven = Value::Int(7.into());
                        let seven = Expr::constant(id, seven, Origin::generated());
                        self.node(Operator::Modulo, vec![tree, seven])
                    }
                    _ => tree,
                }
            }
        }
    }

    fn apply(&mut self, operator: Operator, sorts: &[Sort], depth: u32, readable: usize) -> Expr {
        let sorts = sorts.iter();
        let args = sorts
            .map(|sort| self.tree(*sort, depth, readable))
            .collect();
        self.node(operator, args)
    }

    fn operator(&mut self, sort: Sort) -> (Operator, Vec<Sort>) {
        use Operator::*;
        let dice = &mut self.dice;
        match sort {
            Sort::Bool => match dice.below(6) {
                0 => (Not, vec![Sort::Bool]),
                1 | 2 => (dice.pick(&[And, Or, Xor, Implies]), vec![Sort::Bool; 2]),
                3 => (dice.pick(&[Equal, Different]), vec![dice.pick(&SORTS); 2]),
                4 => {
                    let signed = [
                        SignedLess,
                        SignedLessEqual,
                        SignedGreater,
                        SignedGreaterEqual,
                    ];
                    (dice.pick(&signed), vec![WORD; 2])
                }
                _ => {
                    let numbers = [Sort::Int, Sort::Real, WORD];
                    let operator = dice.pick(&[Less, LessEqual, Greater, GreaterEqual]);
                    (operator, vec![dice.pick(&numbers); 2])
                }
            },
            Sort::Int => match dice.below(7) {
                0 => (Negate, vec![sort]),
                1 => (Call(self.function), vec![sort]),
                2 => (Floor, vec![Sort::Real]),
                _ => {
                    let operators = [Plus, Minus, Times, IntDivide, Modulo];
                    (dice.pick(&operators), vec![sort; 2])
                }
            },
            Sort::Real => match dice.below(5) {
                0 => (Negate, vec![sort]),
                1 => (ToReal, vec![Sort::Int]),
                _ => (dice.pick(&[Plus, Minus]), vec![sort; 2]),
            },
            _ => match dice.below(4) {
                0 => (dice.pick(&[BitNot, Negate]), vec![sort]),
                1 => (dice.pick(&[BitAnd, BitOr, BitXor]), vec![sort; 2]),
                2 => {
                    let shifts = [ShiftLeft, ShiftRight, ArithmeticShiftRight];
                    (dice.pick(&shifts), vec![sort; 2])
                }
                _ => {
                    let operators = [Plus, Minus, Times, IntDivide, Modulo];
                    (dice.pick(&operators), vec![sort; 2])
                }
            },
        }
    }
}

/// The meaning of a model as streams. What is free has the values of the given trace, and a `pre`
/// at the first step has the default value, as the simulator's when nothing is given for it.
struct Streams<'a> {
    model: &'a Model,
    given: &'a Trace,
    nodes: FxHashMap<(NodeId, usize), Value>,
    variables: FxHashMap<(Symbol, usize), Value>,
}

impl<'a> Streams<'a> {
    fn new(model: &'a Model, given: &'a Trace) -> Streams<'a> {
        Streams {
            model,
            given,
            nodes: FxHashMap::default(),
            variables: FxHashMap::default(),
        }
    }

    fn variable(&mut self, name: Symbol, sort: Sort, step: usize) -> Value {
        if let Some(value) = self.variables.get(&(name, step)) {
            return value.clone();
        }
        let model = self.model;
        let equation = model.equations.iter().find(|equation| {
            let holds = match equation.when {
                When::Always => true,
                When::First => step == 0,
                When::Later => step > 0,
            };
            equation.target == Some(name) && holds
        });
        let value = match equation {
            Some(equation) => self.value(&equation.tree, step),
            None => {
                let given = self.given.value(Term::var(name.as_str(), sort), step);
                given.cloned().unwrap_or_else(|| Value::default_of(sort))
            }
        };
        self.variables.insert((name, step), value.clone());
        value
    }

    fn value(&mut self, node: &Expr, step: usize) -> Value {
        if let Some(value) = self.nodes.get(&(node.id(), step)) {
            return value.clone();
        }
        let args = node.args();
        let value = match node.operator() {
            Operator::Variable(name) => self.variable(*name, node.sort(), step),
            Operator::Arrow => self.value(&args[usize::from(step > 0)], step),
            Operator::Pre if step == 0 => Value::default_of(node.sort()),
            Operator::Pre => self.value(&args[0], step - 1),
            operator => {
                let args = args.iter().map(|arg| self.value(arg, step)).collect();
                meaning(operator, args)
            }
        };
        self.nodes.insert((node.id(), step), value.clone());
        value
    }
}

/// The operators on values, in the test's own words.
fn meaning(operator: &Operator, args: Vec<Value>) -> Value {
    use Operator::*;
    let truth = |index: usize| args[index].as_bool().unwrap();
    match operator {
        Constant(value) => value.clone(),
        Not => Value::Bool(!truth(0)),
        And => Value::Bool(truth(0) && truth(1)),
        Or => Value::Bool(truth(0) || truth(1)),
        Xor => Value::Bool(truth(0) ^ truth(1)),
        Implies => Value::Bool(!truth(0) || truth(1)),
        Equal => Value::Bool(args[0] == args[1]),
        Different => Value::Bool(args[0] != args[1]),
        IfThenElse => args[if truth(0) { 1 } else { 2 }].clone(),
        // No table is given, so every point has the default value.
        Call(function) => Value::default_of(function.range()),
        ToReal => Value::Real(args[0].as_number().unwrap().clone()),
        Floor => Value::Int(args[0].as_number().unwrap().floor()),
        _ => match &args[0] {
            Value::BitVec(_) => word_meaning(operator, &args),
            Value::Int(_) => match number_meaning(operator, &args) {
                Ok(number) => Value::Int(number),
                Err(truth) => Value::Bool(truth),
            },
            _ => match number_meaning(operator, &args) {
                Ok(number) => Value::Real(number),
                Err(truth) => Value::Bool(truth),
            },
        },
    }
}

fn number_meaning(operator: &Operator, args: &[Value]) -> Result<Rational, bool> {
    let a = args[0].as_number().unwrap();
    let zero = Rational::ZERO;
    let b = args.get(1).map_or(&zero, |arg| arg.as_number().unwrap());
    match operator {
        Operator::Less => Err(a < b),
        Operator::LessEqual => Err(a <= b),
        Operator::Greater => Err(a > b),
        Operator::GreaterEqual => Err(a >= b),
        Operator::Plus => Ok(a + b),
        Operator::Minus => Ok(a - b),
        Operator::Negate => Ok(-a),
        Operator::Times => Ok(a * b),
        Operator::IntDivide | Operator::Modulo if b.is_zero() => Ok(zero),
        Operator::IntDivide => Ok(a.div_euclid(b)),
        Operator::Modulo => Ok(a.rem_euclid(b)),
        _ => panic!("{operator:?} on numbers"),
    }
}

fn word_meaning(operator: &Operator, args: &[Value]) -> Value {
    let read = |value: &Value| match value {
        Value::BitVec(bits) => bits
            .unsigned()
            .to_u64_digits()
            .first()
            .copied()
            .unwrap_or(0) as i64,
        other => panic!("{other} is no word"),
    };
    let signed = |x: i64| if x >= 4 { x - 8 } else { x };
    let a = read(&args[0]);
    let b = args.get(1).map_or(0, read);
    let truth = match operator {
        Operator::Less => Some(a < b),
        Operator::LessEqual => Some(a <= b),
        Operator::Greater => Some(a > b),
        Operator::GreaterEqual => Some(a >= b),
        Operator::SignedLess => Some(signed(a) < signed(b)),
        Operator::SignedLessEqual => Some(signed(a) <= signed(b)),
        Operator::SignedGreater => Some(signed(a) > signed(b)),
        Operator::SignedGreaterEqual => Some(signed(a) >= signed(b)),
        _ => None,
    };
    if let Some(truth) = truth {
        return Value::Bool(truth);
    }
    let number = match operator {
        Operator::BitNot => !a,
        Operator::Negate => -a,
        Operator::BitAnd => a & b,
        Operator::BitOr => a | b,
        Operator::BitXor => a ^ b,
        Operator::ShiftLeft => a << b,
        Operator::ShiftRight => a >> b,
        Operator::ArithmeticShiftRight => signed(a) >> b,
        Operator::Plus => a + b,
        Operator::Minus => a - b,
        Operator::Times => a * b,
        Operator::IntDivide if b == 0 => 7,
        Operator::IntDivide => a / b,
        Operator::Modulo if b == 0 => a,
        Operator::Modulo => a % b,
        _ => panic!("{operator:?} on words"),
    };
    let bits = proofmark_model::BitVec::new(3, ((number & 7) as u64).into());
    Value::BitVec(bits)
}

/// Random values for some of the free variables.
fn stimulus(system: &System, dice: &mut Dice, keep: impl Fn(&Variable) -> bool) -> Trace {
    let variables = system.variables().iter();
    let columns: Vec<Term> = variables
        .filter(|variable| keep(variable))
        .map(|variable| variable.current)
        .collect();
    let mut trace = Trace::new(columns.clone());
    for _ in 0..STEPS {
        let row = columns.iter().map(|column| dice.value(column.sort()));
        trace.push(row.collect()).unwrap();
    }
    trace
}

fn lowered(seed: u64) -> (Model, Lowered, Dice) {
    let (model, dice) = Draft::model(seed);
    let lowered = lower(&model).unwrap_or_else(|errors| panic!("{seed}: {errors:?}"));
    (model, lowered, dice)
}

#[test]
fn simulating_the_system_agrees_with_reading_the_trees_as_streams() {
    for seed in 0..3_000 {
        let (model, lowered, mut dice) = lowered(seed);
        let given = stimulus(&lowered.system, &mut dice, |v| v.role != Role::Choice);
        let program = Program::compile(&lowered.system).unwrap();
        let (trace, outcome) = program.machine().run(&given);
        let judged = program.machine().judge(&given);
        assert!(judged.refuted().eq(outcome.refuted()), "{seed}");
        let mut streams = Streams::new(&model, &given);
        for step in 0..STEPS {
            for variable in &model.variables {
                let wanted = streams.variable(variable.name, variable.sort(), step);
                let found = trace.value(variable.current, step);
                assert_eq!(found, Some(&wanted), "{seed}: {} at {step}", variable.name);
            }
        }
        for (index, goal) in model.goals.iter().enumerate() {
            let wanted =
                (0..STEPS).find(|step| streams.value(&goal.tree, *step) == Value::Bool(false));
            assert_eq!(outcome.first_false[index], wanted, "{seed}: {}", goal.name);
        }
        for (index, equation) in model.equations.iter().enumerate() {
            if equation.target.is_some() {
                continue;
            }
            let id = ElementId(index as u32);
            let wanted =
                (0..STEPS).find(|step| streams.value(&equation.tree, *step) == Value::Bool(false));
            let violation = outcome
                .violated
                .iter()
                .find(|(violated, _)| *violated == id);
            assert_eq!(violation.map(|(_, step)| *step), wanted, "{seed}: {id:?}");
        }
    }
}

/// A trace as an assignment to the unrolled variables.
struct Unrolled(FxHashMap<Term, Value>);

impl Unrolled {
    fn new(trace: &Trace, unroller: &mut Unroller) -> Unrolled {
        let mut values = FxHashMap::default();
        for step in 0..trace.len() {
            for (column, value) in trace.columns().iter().zip(trace.row(step)) {
                values.insert(unroller.at(*column, step as u32), value.clone());
            }
        }
        Unrolled(values)
    }
}

impl Environment for Unrolled {
    fn variable(&self, variable: Term) -> Option<Value> {
        self.0.get(&variable).cloned()
    }

    fn function(&self, function: Function, _: &[Value]) -> Option<Value> {
        Some(Value::default_of(function.range()))
    }
}

#[test]
fn a_simulated_run_satisfies_the_unrolled_init_and_step_parts() {
    for seed in 0..1_500 {
        let (_, lowered, mut dice) = lowered(seed);
        // Without one element: what it defined takes values from the trace.
        let removed = ElementId(dice.below(lowered.system.elements().len() as u32));
        let (system, _) = lowered.system.without(&FxHashSet::from_iter([removed]));
        let given = stimulus(&system, &mut dice, |_| true);
        let program = Program::compile(&system).unwrap();
        let (trace, outcome) = program.machine().run(&given);
        let mut unroller = Unroller::new(&system);
        let unrolled = Unrolled::new(&trace, &mut unroller);
        let mut evaluator = Evaluator::new(&unrolled);
        let mut broken = FxHashMap::default();
        for step in 0..STEPS {
            let phase = if step == 0 { Phase::Init } else { Phase::Step };
            for id in system.ids() {
                let part = unroller.at(system.element(id).part(phase), step as u32);
                if evaluator.value(part) != Ok(Value::Bool(true)) {
                    broken.entry(id).or_insert(step);
                }
            }
        }
        // Definitions always hold, and constraints break where the simulator says.
        let violated: FxHashMap<_, _> = outcome.violated.iter().copied().collect();
        assert_eq!(broken, violated, "{seed}");
        for (index, property) in system.properties().iter().enumerate() {
            let is_false = |step: &usize| {
                let term = unroller.at(property.term, *step as u32);
                evaluator.value(term) == Ok(Value::Bool(false))
            };
            let first = (0..STEPS).find(is_false);
            assert_eq!(outcome.first_false[index], first, "{seed}");
        }
    }
}

#[test]
fn slicing_keeps_the_values_of_properties_and_of_what_is_kept() {
    let mut dropped = 0;
    for seed in 0..1_500 {
        let (_, lowered, mut dice) = lowered(seed);
        let system = &lowered.system;
        let given = stimulus(system, &mut dice, |_| true);
        let (trace, outcome) = Program::compile(system).unwrap().machine().run(&given);
        for property in 0..system.properties().len() {
            let slice = slice(system, &[property]);
            dropped += system.elements().len() - slice.elements.kept().len();
            let program = Program::compile(&slice.system).unwrap();
            let (sliced, found) = program.machine().run(&given);
            assert_eq!(
                found.first_false[0], outcome.first_false[property],
                "{seed}"
            );
            for variable in slice.system.variables() {
                for step in 0..STEPS {
                    let wanted = trace.value(variable.current, step);
                    assert_eq!(sliced.value(variable.current, step), wanted, "{seed}");
                }
            }
            for (element, step) in found.violated {
                let original = slice.elements.original(element);
                assert!(outcome.violated.contains(&(original, step)), "{seed}");
            }
        }
    }
    assert!(dropped > 1_000, "the test slices something: {dropped}");
}

#[test]
fn a_patched_mutant_runs_like_one_lowered_from_scratch() {
    for seed in 0..1_500 {
        let (mut model, lowered, mut dice) = lowered(seed);
        let equation = dice.below(model.equations.len() as u32) as usize;
        let tree = model.equations[equation].tree.clone();
        let node = dice.pick(&tree.nodes()).clone();
        let fresh = model.node_ids.fresh();
        let pre = |node: &Expr| {
            let origin = node.origin().clone();
            Expr::new(fresh, Operator::Pre, vec![node.clone()], origin)
        };
        let elements = &model.occurrences()[&node.id()];
        let changed = model.replace(node.id(), elements, pre).unwrap();
        assert_eq!(changed.len(), 1, "{seed}");
        let patches = lowered.patches(&changed, "m:").unwrap();
        let patched = lowered.patched(patches).unwrap();

        let given = stimulus(&lowered.system, &mut dice, |v| v.role != Role::Choice);
        for (id, equation) in changed {
            model.equations[id.index()] = equation;
        }
        let scratch = lower(&model).unwrap().system;
        let [first, second] = [&patched, &scratch].map(|system| {
            let program = Program::compile(system).unwrap();
            program.machine().run(&given)
        });
        assert_eq!(first.1, second.1, "{seed}");
        for variable in &model.variables {
            for step in 0..STEPS {
                let wanted = second.0.value(variable.current, step);
                assert_eq!(first.0.value(variable.current, step), wanted, "{seed}");
            }
        }
    }
}

#[test]
fn replacing_a_node_changes_all_instances_and_nothing_else() {
    for seed in 0..1_000 {
        let (mut model, mut dice) = Draft::model(seed);
        // Two instances of one equation's tree, one inside the other where sorts allow.
        let body = model.equations[0].tree.clone();
        let inner = body.instantiate(
            &InstancePath::default().enter("inner", None),
            &FxHashMap::default(),
        );
        let inner = inner.unwrap();
        let names = model.variables.iter().filter(|v| v.sort() == body.sort());
        let bindings = names.map(|v| (v.name, inner.clone())).collect();
        let path = InstancePath::default().enter("outer", None);
        let outer = body.instantiate(&path, &bindings).unwrap();
        model.equations[0].tree = outer.clone();
        let second = model.equations[0].clone();
        model.equations.push(second);

        let place = dice.pick(&body.nodes()).id();
        let count = |tree: &Expr, id| tree.nodes().iter().filter(|node| node.id() == id).count();
        let fresh = model.node_ids.fresh();
        let value = dice.value(body.sort());
        let occurrences = model.occurrences();
        let Some(elements) = occurrences.get(&place) else {
            // A variable that was bound: no instance of it is left.
            assert_eq!(count(&outer, place), 0);
            continue;
        };
        let changed = model
            .replace(place, elements, |node| {
                let value = if node.sort() == value.sort() {
                    value.clone()
                } else {
                    Value::default_of(node.sort())
                };
                Ok(Expr::constant(fresh, value, node.origin().clone()))
            })
            .unwrap();
        assert_eq!(changed.len(), elements.len(), "{seed}");
        for (_, equation) in &changed {
            assert_eq!(count(&equation.tree, place), 0, "{seed}");
            assert!(count(&equation.tree, fresh) >= 1, "{seed}");
        }
    }
}

#[test]
fn an_equation_a_million_deep_is_lowered_sliced_and_run() {
    let mut draft = Draft::new(1);
    let variable = Variable::new("x", Sort::Int, Role::Local, Origin::generated());
    draft.model.variables.push(variable.clone());
    let read = |draft: &mut Draft| {
        let id = draft.model.node_ids.fresh();
        Expr::variable(id, "x", Sort::Int, Origin::generated())
    };
    let constant = |draft: &mut Draft, value: i64| {
        let id = draft.model.node_ids.fresh();
        Expr::constant(id, Value::Int(value.into()), Origin::generated())
    };
    let one = constant(&mut draft, 1);
    let mut sum = read(&mut draft);
    for _ in 0..1_000_000 {
        sum = draft.node(Operator::Plus, vec![sum, one.clone()]);
    }
    // x = 0 -> pre (x + 1 + 1 + …)
    let (zero, pre) = (
        constant(&mut draft, 0),
        draft.node(Operator::Pre, vec![sum]),
    );
    let tree = draft.node(Operator::Arrow, vec![zero.clone(), pre]);
    draft.equation(Some(variable.name), When::Always, tree);
    let x = read(&mut draft);
    let tree = draft.node(Operator::GreaterEqual, vec![x, zero]);
    let (name, origin) = ("positive".into(), Origin::generated());
    draft.model.goals.push(Goal { name, tree, origin });

    let lowered = lower(&draft.model).unwrap();
    let slice = slice(&lowered.system, &[0]);
    let mut given = Trace::new(Vec::new());
    (0..3).for_each(|_| given.push(Vec::new()).unwrap());
    let (trace, outcome) = Program::compile(&slice.system)
        .unwrap()
        .machine()
        .run(&given);
    let last = trace.value(variable.current, 2);
    assert_eq!(last, Some(&Value::Int(2_000_000.into())));
    assert_eq!(outcome.first_false, [None]);
}

#[test]
fn threads_can_share_trees_systems_and_programs() {
    fn shared<T: Send + Sync>() {}
    shared::<Expr>();
    shared::<Model>();
    shared::<Lowered>();
    shared::<Program>();
}
