//! Random finite systems, run by their simulator and as netlists, step by step.

mod dice;

use dice::Dice;
use proofmark_model::graph::{
    BitTrace, Blasted, Guess, Init, Signal, Simulation, bit_blast, bit_blast_with,
};
use proofmark_model::{
    Bounds, Definition, Element, EnumSort, Environment, Evaluator, Function, Op, Origin, Program,
    Property, Role, Sort, System, Term, Trace, Value, Variable,
};

const STEPS: usize = 6;

/// Draws systems. Variable `k` reads variables before it at the same step, and all at the step before.
struct Draft {
    dice: Dice,
    system: System,
    sorts: Vec<Sort>,
}

impl Draft {
    fn system(seed: u64) -> (System, Dice) {
        let colour = ["red", "green", "blue"].map(String::from).to_vec();
        let mut sorts = vec![Sort::Bool, Sort::BitVec(3), Sort::BitVec(1)];
        sorts.push(Sort::Enum(EnumSort::new("colour", colour)));
        // Integers may leave their bounds, which is another story.
        if seed % 2 == 1 {
            sorts.push(Sort::Int);
        }
        let mut draft = Draft {
            dice: Dice::new(seed),
            system: System::default(),
            sorts,
        };
        let (free, all) = (3, 5 + draft.dice.below(5) as usize);
        for index in 0..all {
            let sort = draft.dice.pick(&draft.sorts.clone());
            let role = if index < free {
                Role::Input
            } else {
                Role::Local
            };
            let bounds = (sort == Sort::Int).then(|| Bounds {
                low: (-3).into(),
                high: 4.into(),
            });
            let variable = Variable::new(&format!("v{index}"), sort, role, Origin::generated());
            draft.system.declare(variable.with_bounds(bounds)).unwrap();
        }
        for index in 0..all {
            draft.element(index, index < free);
        }
        for index in 0..3 {
            let (name, term) = (format!("p{index}"), draft.term(Sort::Bool, 3, all, false));
            let origin = Origin::generated();
            draft
                .system
                .add_property(Property { name, term, origin })
                .unwrap();
        }
        (draft.system, draft.dice)
    }

    fn element(&mut self, index: usize, free: bool) {
        let variable = self.system.variables()[index].current;
        let sort = variable.sort();
        let within = Term::and(&match sort {
            Sort::Int => vec![Term::int(-3).le(variable), variable.le(Term::int(4))],
            _ => vec![],
        });
        let element = if free {
            let readable = index + 1;
            let mut demand = vec![within];
            if self.dice.one_in(3) {
                let some = [0; 3].map(|_| self.term(Sort::Bool, 1, readable, false));
                demand.push(Term::or(&some));
            }
            let demand = Term::and(&demand);
            Element::constrain(Some(demand), Some(demand), Origin::generated())
        } else {
            let step = self.value(sort, index, true);
            let init = match self.dice.below(3) {
                0 => Some(Term::constant(self.constant(sort))),
                1 => Some(self.value(sort, index, false)),
                // A free integer has to be bounded by a constraint.
                _ if sort == Sort::Int => Some(Term::int(0)),
                _ => None,
            };
            let definition = Definition {
                variable,
                init,
                step: Some(step),
            };
            Element::define(definition, Origin::generated())
        };
        self.system.add_element(element).unwrap();
    }

    /// A definition; most integers are kept within their bounds.
    fn value(&mut self, sort: Sort, index: usize, later: bool) -> Term {
        // Some read nothing of the present: registers.
        let readable = if later && self.dice.one_in(2) {
            0
        } else {
            index
        };
        let term = self.term(sort, 3, readable, later);
        let bounds = Bounds {
            low: (-3).into(),
            high: 4.into(),
        };
        match sort {
            Sort::Int if !self.dice.one_in(6) => bounds.clamp(term),
            _ => term,
        }
    }

    fn constant(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Int => Value::Int((i64::from(self.dice.below(8)) - 3).into()),
            _ => self.dice.value(sort),
        }
    }

    fn leaf(&mut self, sort: Sort, readable: usize, later: bool) -> Term {
        let variables = self.system.variables().iter().enumerate();
        let mut fitting = Vec::new();
        for (at, variable) in variables.filter(|(_, variable)| variable.sort() == sort) {
            fitting.extend((at < readable).then_some(variable.current));
            fitting.extend(later.then_some(variable.previous));
        }
        if fitting.is_empty() || self.dice.one_in(4) {
            return Term::constant(self.constant(sort));
        }
        self.dice.pick(&fitting)
    }

    fn term(&mut self, sort: Sort, depth: u32, readable: usize, later: bool) -> Term {
        if depth == 0 || self.dice.one_in(6) {
            return self.leaf(sort, readable, later);
        }
        let mut part = |sort| self.term(sort, depth - 1, readable, later);
        let (a, b) = (part(sort), part(sort));
        let condition = part(Sort::Bool);
        if self.dice.one_in(3) {
            return condition.ite(a, b);
        }
        match sort {
            Sort::Bool => self.comparison(a, b, depth, readable, later),
            Sort::Int => match self.dice.below(5) {
                0 => a.mul(b),
                1 => a.int_div(Term::int(self.dice.pick(&[-3, -1, 2, 5]))),
                2 => a.modulo(Term::int(self.dice.pick(&[-3, 1, 2, 5]))),
                3 => a.neg(),
                _ => Term::add(&[a, b, Term::int(1)]),
            },
            Sort::BitVec(width) => {
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
                match self.dice.below(5) {
                    0 => Term::bv(self.dice.pick(&[Op::BvNot, Op::BvNeg]), &[a]),
                    1 => {
                        let wide = Term::bv(Op::Concat, &[a, b]);
                        let low = self.dice.below(width);
                        let high = low + width - 1;
                        Term::bv(Op::Extract { high, low }, &[wide])
                    }
                    _ => Term::bv(self.dice.pick(&ops), &[a, b]),
                }
            }
            _ => condition.ite(b, a),
        }
    }

    fn comparison(&mut self, a: Term, b: Term, depth: u32, readable: usize, later: bool) -> Term {
        let sort = self.dice.pick(&self.sorts.clone());
        let [x, y] = [0; 2].map(|_| self.term(sort, depth - 1, readable, later));
        match (self.dice.below(6), sort) {
            (0, _) => Term::and(&[a, b]),
            (1, _) => Term::or(&[a, b.not()]),
            (2, _) => a.xor(b),
            (3, _) => x.eq(y),
            (_, Sort::Int) => x.le(y),
            (_, Sort::BitVec(_)) => Term::bv(self.dice.pick(&[Op::BvUle, Op::BvSle]), &[x, y]),
            _ => x.eq(y).not(),
        }
    }
}

fn random_run(blasted: &Blasted, dice: &mut Dice) -> BitTrace {
    let latches = blasted
        .netlist
        .latches
        .iter()
        .map(|latch| match latch.init {
            Init::Free => dice.one_in(2),
            Init::Zero => false,
            Init::One => true,
        });
    let latches = latches.collect();
    let mut step = || {
        blasted
            .netlist
            .inputs
            .iter()
            .map(|_| dice.one_in(2))
            .collect()
    };
    BitTrace {
        latches,
        inputs: (0..STEPS).map(|_| step()).collect(),
    }
}

#[test]
fn a_finite_system_and_its_netlist_have_the_same_runs() {
    let (mut finite, mut refuted, mut overflowed) = (0, 0, 0);
    for seed in 0..600 {
        let (system, mut dice) = Draft::system(seed);
        let Ok(blasted) = bit_blast(&system) else {
            continue;
        };
        finite += 1;
        let program = Program::compile(&system).unwrap();
        let mut machine = program.machine();
        for _ in 0..8 {
            let run = random_run(&blasted, &mut dice);
            let (_, outcome) = machine.run(&blasted.map.trace(&run));
            let replay = blasted.netlist.replay(&run);
            let accepted = outcome.broken_at().unwrap_or(STEPS);
            for (property, found) in replay.refuted.iter().enumerate() {
                let expected = outcome.refuted_at(property);
                if blasted.map.may_overflow() {
                    // What is bad comes in time; what is not bad may be an overflow.
                    assert!(expected.is_none() || *found <= expected, "seed {seed}");
                    overflowed += usize::from(found.is_some() && *found != expected);
                } else {
                    assert_eq!(*found, expected, "seed {seed}, property {property}");
                    assert_eq!(replay.accepted, accepted, "seed {seed}");
                }
                refuted += usize::from(expected.is_some());
            }
        }
    }
    println!("{finite} finite, {refuted} refuted, {overflowed} overflows");
    assert!(finite > 400 && refuted > 1000 && overflowed > 0);
}

/// The values of a state of the system.
struct State<'a>(&'a Trace, usize);

impl Environment for State<'_> {
    fn variable(&self, term: Term) -> Option<Value> {
        self.0.value(term, self.1).cloned()
    }

    fn function(&self, _: Function, _: &[Value]) -> Option<Value> {
        None
    }
}

#[test]
fn a_latch_is_a_term_over_one_state_of_the_system() {
    let mut compared = [0, 0];
    for seed in 0..600 {
        let (system, mut dice) = Draft::system(seed);
        let Ok(blasted) = bit_blast(&system) else {
            continue;
        };
        let Blasted { netlist, map } = &blasted;
        let program = Program::compile(&system).unwrap();
        let run = random_run(&blasted, &mut dice);
        let (values, outcome) = program.machine().run(&map.trace(&run));
        let replay = netlist.replay(&run);
        // Latches after an overflow are not what they should be.
        let first_bad = replay.refuted.iter().flatten().min();
        let exact = match map.may_overflow() {
            true => first_bad
                .copied()
                .unwrap_or(replay.accepted)
                .min(replay.accepted),
            false => replay.accepted,
        };
        assert!(exact <= outcome.broken_at().unwrap_or(STEPS));
        let mut simulation = Simulation::new(netlist);
        let word = |value: bool| if value { u64::MAX } else { 0 };
        simulation.start(netlist, |at| word(run.latches[at]));
        let mut agrees = [true, true];
        for (step, inputs) in run.inputs.iter().enumerate().take(exact) {
            for (&node, &value) in netlist.inputs.iter().zip(inputs) {
                simulation.set(node, word(value));
            }
            simulation.evaluate(netlist);
            for latch in &netlist.latches {
                let signal = Signal::of(latch.node);
                let term = map.clause(netlist, &[signal]).unwrap();
                let now = simulation.value(signal) == u64::MAX;
                let next = simulation.value(latch.next) == u64::MAX;
                let state = State(&values, step);
                let held = Evaluator::new(&state).value(term) == Ok(Value::Bool(true));
                // Bits of a free enumeration may stand for no value at the first step.
                agrees[0] &= now == held || step == 0;
                agrees[1] &= next == held;
            }
            simulation.advance(netlist);
        }
        assert!(agrees[0] || agrees[1], "seed {seed}");
        let which = usize::from(!agrees[0]);
        compared[which] += 1;
    }
    println!("{compared:?}");
    assert!(compared[0] > 20 && compared[1] > 200, "{compared:?}");
}

#[test]
fn what_is_not_finite_is_refused_by_name() {
    let refused = |build: &dyn Fn(&mut System, Term, Term)| {
        let mut system = System::default();
        let x = Variable::new("x", Sort::Int, Role::Local, Origin::generated());
        let (now, before) = (x.current, x.previous);
        system.declare(x).unwrap();
        build(&mut system, now, before);
        let (name, origin) = ("p".into(), Origin::generated());
        let term = now.le(Term::int(3));
        system
            .add_property(Property { name, term, origin })
            .unwrap();
        bit_blast(&system)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let define = |system: &mut System, variable, init, step| {
        let (init, step) = (Some(init), Some(step));
        let definition = Definition {
            variable,
            init,
            step,
        };
        system
            .add_element(Element::define(definition, Origin::generated()))
            .unwrap();
    };
    let free = refused(&|_, _, _| {}).unwrap_err();
    assert_eq!(free, "`x` is free and has no bounds that are assumed");
    let counter = refused(&|system, now, before| {
        define(
            system,
            now,
            Term::int(0),
            Term::add(&[before, Term::int(1)]),
        );
    });
    assert!(
        counter
            .unwrap_err()
            .starts_with("`x` needs its own value, or has no bounds")
    );
}

#[test]
fn a_guessed_width_is_bad_where_it_does_not_suffice() {
    let counter = |next: fn(Term) -> Term| {
        let mut system = System::default();
        let x = Variable::new("x", Sort::Int, Role::Local, Origin::generated());
        let (variable, before) = (x.current, x.previous);
        system.declare(x).unwrap();
        let (init, step) = (Some(Term::int(0)), Some(next(before)));
        let definition = Definition {
            variable,
            init,
            step,
        };
        let element = Element::define(definition, Origin::generated());
        system.add_element(element).unwrap();
        let (name, origin) = ("p".into(), Origin::generated());
        let term = variable.ge(Term::int(0));
        let property = Property { name, term, origin };
        system.add_property(property).unwrap();
        let guess = Guess { width: Some(4) };
        let blasted = bit_blast_with(&system, guess).unwrap();
        let run = BitTrace {
            latches: vec![],
            inputs: vec![vec![]; 12],
        };
        blasted.netlist.replay(&run).refuted[0]
    };
    // Eight does not fit into four bits: it is to be stored when it is there.
    let up = |before: Term| Term::add(&[before, Term::int(1)]);
    assert_eq!(counter(up), Some(8));
    let wheel = |before: Term| Term::add(&[before, Term::int(1)]).modulo(Term::int(4));
    assert_eq!(counter(wheel), None);
}
