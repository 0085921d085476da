//! Decision diagrams against an explicit checker that shares nothing with them, on random small systems
//! with fairness, deadlocks and inputs; and on a ring that no explicit checker could walk.

use proofmark_audit::{Recount, RecountLimits, recount};
use proofmark_engine::diagrams::{DiagramLimits, Evidence, Found, explore, statistics};
use proofmark_model::{
    Binary, Claim, Definition, Distance, Element, Evaluator, Fairness, Formula, Node, Origin,
    Program, Quantifier, Role, Sort, Specification, Steps, Subformula, System, Term, Trace, Unary,
    Value, Variable,
};
use rustc_hash::FxHashMap;

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

/// Two Booleans and a number from 0 to 2 are the state, a Boolean labels the steps.
struct Sample {
    system: System,
    state: Vec<Variable>,
    input: Variable,
}

fn declare(system: &mut System, name: &str, sort: Sort, role: Role) -> Variable {
    let variable = Variable::new(name, sort, role, Origin::generated());
    system.declare(variable.clone()).unwrap();
    variable
}

fn constrain(system: &mut System, init: Option<Term>, step: Option<Term>) {
    system
        .add_element(Element::constrain(init, step, Origin::generated()))
        .unwrap();
}

/// A random Boolean over some leaves.
fn boolean(random: &mut Random, leaves: &[Term], depth: usize) -> Term {
    if depth == 0 || random.below(4) == 0 {
        let leaf = leaves[random.below(leaves.len())];
        return match leaf.sort() {
            Sort::Bool => leaf,
            _ => leaf.eq(Term::int(random.below(3) as i64)),
        };
    }
    let a = boolean(random, leaves, depth - 1);
    match random.below(4) {
        0 => a.not(),
        1 => Term::and(&[a, boolean(random, leaves, depth - 1)]),
        2 => Term::or(&[a, boolean(random, leaves, depth - 1)]),
        _ => a.xor(boolean(random, leaves, depth - 1)),
    }
}

fn sample(random: &mut Random) -> Sample {
    let mut system = System::default();
    let a = declare(&mut system, "a", Sort::Bool, Role::Local);
    let b = declare(&mut system, "b", Sort::Bool, Role::Local);
    let n = declare(&mut system, "n", Sort::Int, Role::Local);
    let input = declare(&mut system, "i", Sort::Bool, Role::Input);
    let within = Term::and(&[Term::int(0).le(n.current), n.current.le(Term::int(2))]);
    constrain(&mut system, Some(within), Some(within));
    let state = vec![a, b, n];
    let now: Vec<Term> = state.iter().map(|one| one.current).collect();
    let mut before: Vec<Term> = state.iter().map(|one| one.previous).collect();
    before.push(input.previous);
    if random.below(3) > 0 {
        let init = boolean(random, &now, 2);
        constrain(&mut system, Some(init), None);
    }
    // One variable is computed, the others are related.
    let step = Some(boolean(random, &before, 2));
    let init = (random.below(2) == 0).then(|| Term::bool(random.below(2) == 0));
    let definition = Definition {
        variable: now[0],
        init,
        step,
    };
    system
        .add_element(Element::define(definition, Origin::generated()))
        .unwrap();
    let both: Vec<Term> = now.iter().chain(&before).copied().collect();
    for _ in 0..1 + random.below(3) {
        let step = boolean(random, &both, 3);
        constrain(&mut system, None, Some(step));
    }
    let mut fairness = Fairness::default();
    let mut conditions = now.clone();
    conditions.push(input.current);
    for _ in 0..random.below(3) {
        fairness.justice.push(boolean(random, &conditions, 1));
    }
    if random.below(3) == 0 {
        let pair = (boolean(random, &now, 1), boolean(random, &now, 1));
        fairness.compassion.push(pair);
    }
    system.set_fairness(fairness).unwrap();
    Sample {
        system,
        state,
        input,
    }
}

/// All steps of a sample, by brute force: states are numbered, steps have the input's value.
struct Explicit {
    states: Vec<Vec<Value>>,
    initial: Vec<usize>,
    /// From, the input, to.
    steps: Vec<(usize, bool, usize)>,
}

fn value(term: Term, values: &FxHashMap<Term, Value>) -> bool {
    Evaluator::new(values).value(term) == Ok(Value::Bool(true))
}

impl Explicit {
    fn new(sample: &Sample) -> Explicit {
        let mut states = Vec::new();
        for code in 0..12i64 {
            let number = Value::Int((code / 4).into());
            states.push(vec![
                Value::Bool(code & 1 == 1),
                Value::Bool(code & 2 == 2),
                number,
            ]);
        }
        let parts = |phase| -> Vec<Term> {
            sample
                .system
                .elements()
                .iter()
                .map(|one| one.part(phase))
                .collect()
        };
        let (init, step) = (
            parts(proofmark_model::Phase::Init),
            parts(proofmark_model::Phase::Step),
        );
        let current = |state: &[Value], values: &mut FxHashMap<Term, Value>| {
            for (variable, value) in sample.state.iter().zip(state) {
                values.insert(variable.current, value.clone());
            }
        };
        let mut initial = Vec::new();
        let mut steps = Vec::new();
        for (at, state) in states.iter().enumerate() {
            let mut values = FxHashMap::default();
            current(state, &mut values);
            if init.iter().all(|part| value(*part, &values)) {
                initial.push(at);
            }
            for (to, next) in states.iter().enumerate() {
                for input in [false, true] {
                    let mut values = FxHashMap::default();
                    current(next, &mut values);
                    for (variable, value) in sample.state.iter().zip(state) {
                        values.insert(variable.previous, value.clone());
                    }
                    values.insert(sample.input.previous, Value::Bool(input));
                    if step.iter().all(|part| value(*part, &values)) {
                        steps.push((at, input, to));
                    }
                }
            }
        }
        Explicit {
            states,
            initial,
            steps,
        }
    }

    fn holds(&self, sample: &Sample, term: Term, state: usize, input: bool) -> bool {
        let mut values = FxHashMap::default();
        for (variable, value) in sample.state.iter().zip(&self.states[state]) {
            values.insert(variable.current, value.clone());
        }
        values.insert(sample.input.current, Value::Bool(input));
        value(term, &values)
    }

    /// The states of a set from which a fair run within it begins: some strongly connected part of the
    /// steps, found by closing reachability, on which the conditions can be met for ever. Compassion is
    /// met by taking out the states that ask for what does not come, again and again.
    fn fair(&self, sample: &Sample, within: &[bool]) -> Vec<bool> {
        let count = self.states.len();
        let mut good = vec![false; count];
        let mut work: Vec<Vec<bool>> = vec![within.to_vec()];
        while let Some(set) = work.pop() {
            let steps: Vec<&(usize, bool, usize)> = self
                .steps
                .iter()
                .filter(|(a, _, b)| set[*a] && set[*b])
                .collect();
            let mut reach = vec![vec![false; count]; count];
            steps.iter().for_each(|(a, _, b)| reach[*a][*b] = true);
            for k in 0..count {
                for a in 0..count {
                    for b in 0..count {
                        reach[a][b] |= reach[a][k] && reach[k][b];
                    }
                }
            }
            let mut done = vec![false; count];
            for root in (0..count).filter(|root| reach[*root][*root]) {
                if done[root] {
                    continue;
                }
                let part: Vec<bool> = (0..count)
                    .map(|one| reach[root][one] && reach[one][root])
                    .collect();
                (0..count)
                    .filter(|one| part[*one])
                    .for_each(|one| done[one] = true);
                let inner = || steps.iter().filter(|(a, _, b)| part[*a] && part[*b]);
                let fairness = sample.system.fairness();
                let just = fairness.justice.iter().all(|condition| {
                    inner().any(|(a, input, _)| self.holds(sample, *condition, *a, *input))
                });
                if !just {
                    continue;
                }
                let met =
                    |term: Term| inner().any(|(a, input, _)| self.holds(sample, term, *a, *input));
                let open = fairness
                    .compassion
                    .iter()
                    .find(|(first, second)| met(*first) && !met(*second));
                match open {
                    None => (0..count)
                        .filter(|one| part[*one])
                        .for_each(|one| good[one] = true),
                    Some((first, _)) => {
                        let smaller = (0..count)
                            .map(|one| part[one] && !self.holds(sample, *first, one, false));
                        work.push(smaller.collect());
                    }
                }
            }
        }
        self.until(within, &good)
    }

    fn before(&self, set: &[bool]) -> Vec<bool> {
        let mut found = vec![false; set.len()];
        self.steps
            .iter()
            .filter(|(_, _, to)| set[*to])
            .for_each(|(from, _, _)| found[*from] = true);
        found
    }

    fn until(&self, within: &[bool], target: &[bool]) -> Vec<bool> {
        let mut set = target.to_vec();
        loop {
            let before = self.before(&set);
            let next: Vec<bool> = (0..set.len())
                .map(|at| set[at] || (within[at] && before[at]))
                .collect();
            if next == set {
                return set;
            }
            set = next;
        }
    }

    /// Branching time from its definition, one operator after the other.
    fn branching(&self, sample: &Sample, formula: &Formula<Term>) -> Vec<bool> {
        let all = vec![true; self.states.len()];
        let fair = self.fair(sample, &all);
        let zip = |a: &[bool], b: &[bool], f: fn(bool, bool) -> bool| -> Vec<bool> {
            a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
        };
        let not = |a: &[bool]| -> Vec<bool> { a.iter().map(|a| !a).collect() };
        let ex = |a: &[bool]| self.before(&zip(a, &fair, |a, b| a && b));
        let mut sets: Vec<Vec<bool>> = Vec::new();
        for node in formula.nodes() {
            let set = match *node {
                Node::Atom(term) => (0..self.states.len())
                    .map(|at| self.holds(sample, term, at, false))
                    .collect(),
                Node::Not(a) => not(&sets[a.index()]),
                Node::And(a, b) => zip(&sets[a.index()], &sets[b.index()], |a, b| a && b),
                Node::Or(a, b) => zip(&sets[a.index()], &sets[b.index()], |a, b| a || b),
                Node::Iff(a, b) => zip(&sets[a.index()], &sets[b.index()], |a, b| a == b),
                Node::Unary(quantifier, operator, a) => {
                    let every = quantifier == Some(Quantifier::All);
                    let a = if every {
                        not(&sets[a.index()])
                    } else {
                        sets[a.index()].clone()
                    };
                    let eventually = matches!(operator, Unary::Eventually(_)) != every;
                    let set = match operator {
                        Unary::Next => ex(&a),
                        Unary::Eventually(None) | Unary::Always(None) if eventually => {
                            self.until(&all, &zip(&a, &fair, |a, b| a && b))
                        }
                        Unary::Eventually(None) | Unary::Always(None) => self.fair(sample, &a),
                        Unary::Eventually(Some(steps)) | Unary::Always(Some(steps)) => {
                            // Backwards from the last step that counts.
                            let high = steps.high.unwrap();
                            let mut set = match eventually {
                                true => vec![false; a.len()],
                                false => fair.clone(),
                            };
                            for at in (0..=high).rev() {
                                let ahead = if at == high {
                                    set.clone()
                                } else {
                                    self.before(&set)
                                };
                                set = match (at >= steps.low, eventually) {
                                    (false, _) => ahead,
                                    (true, true) => {
                                        let here = zip(&a, &fair, |a, b| a && b);
                                        if at == high {
                                            here
                                        } else {
                                            zip(&here, &ahead, |a, b| a || b)
                                        }
                                    }
                                    (true, false) => zip(&a, &ahead, |a, b| a && b),
                                };
                            }
                            set
                        }
                        _ => unreachable!(),
                    };
                    if every { not(&set) } else { set }
                }
                Node::Binary(quantifier, _, a, b) => {
                    let (a, b) = (&sets[a.index()], &sets[b.index()]);
                    if quantifier == Some(Quantifier::Exists) {
                        self.until(a, &zip(b, &fair, |a, b| a && b))
                    } else {
                        let never = self.fair(sample, &not(b));
                        let neither =
                            zip(&zip(&not(a), &not(b), |a, b| a && b), &fair, |a, b| a && b);
                        let broken = self.until(&not(b), &neither);
                        not(&zip(&never, &broken, |a, b| a || b))
                    }
                }
            };
            sets.push(set);
        }
        sets.pop().unwrap()
    }
}

fn formula(random: &mut Random, leaves: &[Term], size: usize, linear: bool) -> Formula<Term> {
    let mut formula = Formula::default();
    for _ in 0..2 {
        formula.push(Node::Atom(boolean(random, leaves, 1)));
    }
    for _ in 0..size {
        let count = formula.nodes().len();
        let last = Subformula(count as u32 - 1);
        let other = Subformula(random.below(count) as u32);
        let quantifier = match (linear, random.below(2)) {
            (true, _) => None,
            (_, 0) => Some(Quantifier::Exists),
            _ => Some(Quantifier::All),
        };
        let low = random.below(2) as u32;
        let steps = (random.below(3) == 0).then(|| Steps {
            low,
            high: Some(low + random.below(3) as u32),
        });
        let node = match random.below(if linear { 16 } else { 9 }) {
            0 => Node::Not(last),
            1 => Node::And(last, other),
            2 => Node::Or(last, other),
            3 => Node::Iff(last, other),
            4 => Node::Unary(quantifier, Unary::Next, last),
            5 => Node::Unary(quantifier, Unary::Eventually(steps), last),
            6 => Node::Unary(quantifier, Unary::Always(steps), last),
            7 | 8 => Node::Binary(quantifier, Binary::Until(None), other, last),
            9 => Node::Binary(None, Binary::Release, other, last),
            10 => Node::Unary(None, Unary::Yesterday, last),
            11 => Node::Unary(None, Unary::WeakYesterday, last),
            12 => Node::Unary(None, Unary::Once(steps), last),
            13 => Node::Unary(None, Unary::Historically(steps), last),
            14 => Node::Binary(None, Binary::Since, other, last),
            _ => Node::Binary(None, Binary::Trigger, other, last),
        };
        formula.push(node);
    }
    formula
}

fn check(system: &System, claim: Claim<Term>) -> Found {
    let mut system = system.clone();
    let specification = Specification {
        name: "claim".into(),
        claim,
        origin: Origin::generated(),
    };
    system.add_specification(specification).unwrap();
    let limits = DiagramLimits {
        nodes: 1 << 16,
        ..DiagramLimits::default()
    };
    let mut found = None;
    explore(&system, &[0], &limits, &mut |_, answer| {
        found = Some(answer)
    })
    .unwrap();
    let found = found.unwrap().unwrap();
    let mut second = None;
    recount(
        &system,
        &[0],
        &RecountLimits::default(),
        &mut |_, answer| second = Some(answer),
    );
    let expected = match &found {
        Found::Holds | Found::Vacuous => Recount::Holds(true),
        Found::Fails(_) => Recount::Holds(false),
        Found::Distance(distance) => Recount::Distance(*distance),
    };
    assert_eq!(second, Some(Ok(expected)), "{found:?}");
    found
}

/// The simulator accepts every step, and a loop comes back to the same state.
fn replays(sample: &Sample, evidence: &Evidence) -> Trace {
    let mut given = evidence.trace.clone();
    let count = given.len();
    if let Some(back) = evidence.back {
        given.push(evidence.trace.row(back).to_vec()).unwrap();
    }
    let (run, result) = Program::compile(&sample.system)
        .unwrap()
        .machine()
        .run(&given);
    assert_eq!(result.broken_at(), None, "{evidence:?}");
    for variable in &sample.state {
        for step in 0..count {
            // What is defined the same way at every step is left to the simulator.
            if let Some(value) = evidence.trace.value(variable.current, step) {
                assert_eq!(run.value(variable.current, step), Some(value));
            }
        }
        if let Some(back) = evidence.back {
            let [last, first] = [count, back].map(|step| run.value(variable.current, step));
            assert_eq!(last, first);
        }
    }
    run
}

#[test]
fn branching_time_agrees_with_an_explicit_checker() {
    let mut random = Random(0x5eed_0001);
    let (mut holds, mut fails) = (0, 0);
    for round in 0..400 {
        let sample = sample(&mut random);
        let explicit = Explicit::new(&sample);
        let leaves: Vec<Term> = sample.state.iter().map(|one| one.current).collect();
        let size = 1 + random.below(5);
        let formula = formula(&mut random, &leaves, size, false);
        let expected = explicit.branching(&sample, &formula);
        let fair = explicit.fair(&sample, &vec![true; explicit.states.len()]);
        let expected = explicit
            .initial
            .iter()
            .all(|at| expected[*at] || !fair[*at]);
        match check(&sample.system, Claim::Branching(formula.clone())) {
            Found::Holds | Found::Vacuous => {
                assert!(expected, "round {round}: {formula:?}");
                holds += 1;
            }
            Found::Fails(evidence) => {
                assert!(!expected, "round {round}: {formula:?}");
                replays(&sample, &evidence);
                fails += 1;
            }
            Found::Distance(_) => unreachable!(),
        }
    }
    assert!(holds > 50 && fails > 50, "{holds} hold, {fails} fail");
}

/// Whether a lasso satisfies a formula at its first step. The loop is gone through so often that what looks
/// back has settled in the last round; what looks ahead comes back from its end to its beginning.
fn satisfies(
    formula: &Formula<Term>,
    atom: &dyn Fn(Term, usize) -> bool,
    length: usize,
    back: usize,
) -> bool {
    let round = length - back;
    let rounds = 2 + 4 * formula.nodes().len();
    let count = length + rounds * round;
    let place = |at: usize| {
        if at < length {
            at
        } else {
            back + (at - length) % round
        }
    };
    let next = |at: usize| {
        if at + 1 < count {
            at + 1
        } else {
            count - round
        }
    };
    let mut truth: Vec<Vec<bool>> = Vec::new();
    for node in formula.nodes() {
        let at = |one: Subformula, step: usize| truth[one.index()][step];
        let steps = |steps: Option<Steps>| {
            steps.map_or((0, None), |one| {
                (one.low as usize, one.high.map(|high| high as usize))
            })
        };
        let ahead = |a: &dyn Fn(usize) -> bool, b: &dyn Fn(usize) -> bool| -> Vec<bool> {
            // The least solution of "b, or a and so at the next step".
            let mut set = vec![false; count];
            for _ in 0..2 {
                for step in (0..count).rev() {
                    set[step] = b(step) || (a(step) && set[next(step)]);
                }
            }
            set
        };
        let back_from = |a: &dyn Fn(usize) -> bool, b: &dyn Fn(usize) -> bool| -> Vec<bool> {
            let mut set: Vec<bool> = Vec::new();
            for step in 0..count {
                set.push(b(step) || (a(step) && step > 0 && set[step - 1]));
            }
            set
        };
        let flip = |set: Vec<bool>| -> Vec<bool> { set.into_iter().map(|one| !one).collect() };
        let later = |step: usize, distance: usize| (0..distance).fold(step, |step, _| next(step));
        let set: Vec<bool> = match *node {
            Node::Atom(term) => (0..count).map(|step| atom(term, place(step))).collect(),
            Node::Not(a) => (0..count).map(|step| !at(a, step)).collect(),
            Node::And(a, b) => (0..count).map(|step| at(a, step) && at(b, step)).collect(),
            Node::Or(a, b) => (0..count).map(|step| at(a, step) || at(b, step)).collect(),
            Node::Iff(a, b) => (0..count).map(|step| at(a, step) == at(b, step)).collect(),
            Node::Unary(_, operator, a) => match operator {
                Unary::Next => (0..count).map(|step| at(a, next(step))).collect(),
                Unary::Yesterday => (0..count).map(|step| step > 0 && at(a, step - 1)).collect(),
                Unary::WeakYesterday => (0..count)
                    .map(|step| step == 0 || at(a, step - 1))
                    .collect(),
                Unary::Eventually(None) => ahead(&|_| true, &|step| at(a, step)),
                Unary::Always(None) => flip(ahead(&|_| true, &|step| !at(a, step))),
                Unary::Once(None) => back_from(&|_| true, &|step| at(a, step)),
                Unary::Historically(None) => flip(back_from(&|_| true, &|step| !at(a, step))),
                Unary::Eventually(some) => {
                    let (low, high) = steps(some);
                    (0..count)
                        .map(|step| (low..=high.unwrap()).any(|far| at(a, later(step, far))))
                        .collect()
                }
                Unary::Always(some) => {
                    let (low, high) = steps(some);
                    (0..count)
                        .map(|step| (low..=high.unwrap()).all(|far| at(a, later(step, far))))
                        .collect()
                }
                Unary::Once(some) => {
                    let (low, high) = steps(some);
                    (0..count)
                        .map(|step| {
                            (low..=high.unwrap()).any(|far| far <= step && at(a, step - far))
                        })
                        .collect()
                }
                Unary::Historically(some) => {
                    let (low, high) = steps(some);
                    (0..count)
                        .map(|step| {
                            (low..=high.unwrap()).all(|far| far > step || at(a, step - far))
                        })
                        .collect()
                }
            },
            Node::Binary(_, operator, a, b) => match operator {
                Binary::Until(_) => ahead(&|step| at(a, step), &|step| at(b, step)),
                Binary::Release => flip(ahead(&|step| !at(a, step), &|step| !at(b, step))),
                Binary::Since => back_from(&|step| at(a, step), &|step| at(b, step)),
                Binary::Trigger => flip(back_from(&|step| !at(a, step), &|step| !at(b, step))),
            },
        };
        truth.push(set);
    }
    truth[truth.len() - 1][0]
}

/// Whether what a loop meets is fair.
fn is_fair(
    sample: &Sample,
    atom: &dyn Fn(Term, usize) -> bool,
    length: usize,
    back: usize,
) -> bool {
    let met = |term: Term| (back..length).any(|step| atom(term, step));
    let fairness = sample.system.fairness();
    fairness.justice.iter().all(|one| met(*one))
        && fairness
            .compassion
            .iter()
            .all(|(first, second)| !met(*first) || met(*second))
}

#[test]
fn linear_time_agrees_with_lassos() {
    let mut random = Random(0x5eed_0002);
    let (mut holds, mut fails, mut tried) = (0, 0, 0);
    for round in 0..400 {
        let sample = sample(&mut random);
        let explicit = Explicit::new(&sample);
        let mut leaves: Vec<Term> = sample.state.iter().map(|one| one.current).collect();
        if random.below(2) == 0 {
            leaves.push(sample.input.current);
        }
        let size = 1 + random.below(5);
        let formula = formula(&mut random, &leaves, size, true);
        match check(&sample.system, Claim::Linear(formula.clone())) {
            Found::Fails(evidence) => {
                let run = replays(&sample, &evidence);
                let atom = |term: Term, step: usize| {
                    let row = run.columns().iter().zip(run.row(step));
                    let values: FxHashMap<Term, Value> =
                        row.map(|(term, value)| (*term, value.clone())).collect();
                    value(term, &values)
                };
                let (length, back) = (evidence.trace.len(), evidence.back.unwrap());
                assert!(is_fair(&sample, &atom, length, back), "round {round}");
                assert!(
                    !satisfies(&formula, &atom, length, back),
                    "round {round}: {formula:?} {evidence:?}"
                );
                fails += 1;
            }
            Found::Holds | Found::Vacuous => {
                holds += 1;
                for _ in 0..300 {
                    let Some((path, back)) = walk(&mut random, &explicit) else {
                        continue;
                    };
                    let atom = |term: Term, step: usize| {
                        let (state, input) = path[step];
                        explicit.holds(&sample, term, state, input)
                    };
                    if is_fair(&sample, &atom, path.len(), back) {
                        tried += 1;
                        assert!(
                            satisfies(&formula, &atom, path.len(), back),
                            "round {round}: {formula:?} {path:?} {back}"
                        );
                    }
                }
            }
            Found::Distance(_) => unreachable!(),
        }
    }
    assert!(
        holds > 50 && fails > 50 && tried > 1000,
        "{holds} hold, {fails} fail, {tried} lassos"
    );
}

/// A random lasso: states with the inputs of the steps out of them.
fn walk(random: &mut Random, explicit: &Explicit) -> Option<(Vec<(usize, bool)>, usize)> {
    let mut state = *explicit
        .initial
        .get(random.below(explicit.initial.len().max(1)))?;
    let mut path: Vec<(usize, bool)> = Vec::new();
    for _ in 0..1 + random.below(10) {
        let out: Vec<&(usize, bool, usize)> =
            explicit.steps.iter().filter(|one| one.0 == state).collect();
        let (_, input, to) = *out.get(random.below(out.len().max(1)))?;
        path.push((state, *input));
        state = *to;
    }
    let back = path.iter().rposition(|one| one.0 == state)?;
    Some((path, back))
}

/// A token goes around; whoever has it may change a bit of its own: 70 * 2^70 states, above 10^20.
#[test]
fn a_ring_of_ten_to_the_twenty_states_takes_seconds() {
    let count = 70;
    let mut system = System::default();
    let mut tokens = Vec::new();
    let mut bits = Vec::new();
    for at in 0..count {
        tokens.push(declare(
            &mut system,
            &format!("token{at}"),
            Sort::Bool,
            Role::Local,
        ));
        bits.push(declare(
            &mut system,
            &format!("bit{at}"),
            Sort::Bool,
            Role::Local,
        ));
    }
    for at in 0..count {
        let before = &tokens[(at + count - 1) % count];
        let definition = Definition {
            variable: tokens[at].current,
            init: Some(Term::bool(at == 0)),
            step: Some(before.previous),
        };
        system
            .add_element(Element::define(definition, Origin::generated()))
            .unwrap();
        let kept = bits[at].current.eq(bits[at].previous);
        let step = Term::or(&[tokens[at].previous, kept]);
        constrain(&mut system, Some(bits[at].current.not()), Some(step));
    }
    let start = std::time::Instant::now();
    let found = statistics(&system, &DiagramLimits::default()).unwrap();
    let expected = num_bigint::BigUint::from(70u32) << 70;
    assert_eq!(found.reachable, expected);
    assert!(found.deadlock.is_none() && found.fair);
    // The token comes back, always.
    let mut formula = Formula::atom(tokens[3].current);
    let root = formula.root().unwrap();
    let soon = formula.push(Node::Unary(
        Some(Quantifier::All),
        Unary::Eventually(None),
        root,
    ));
    formula.push(Node::Unary(
        Some(Quantifier::All),
        Unary::Always(None),
        soon,
    ));
    let specification = Specification {
        name: "back".into(),
        claim: Claim::Branching(formula),
        origin: Origin::generated(),
    };
    system.add_specification(specification).unwrap();
    let mut answers = Vec::new();
    let statistics = explore(
        &system,
        &[0],
        &DiagramLimits::default(),
        &mut |_, answer| answers.push(answer),
    );
    assert!(statistics.is_ok());
    assert!(matches!(answers[0], Ok(Found::Holds)), "{answers:?}");
    println!("{:?}, {} rings", start.elapsed(), found.diameter);
}

#[test]
fn distances_are_counted_in_steps() {
    let mut system = System::default();
    let n = declare(&mut system, "n", Sort::Int, Role::Local);
    let n = n.with_bounds(None);
    let within = Term::and(&[Term::int(0).le(n.current), n.current.le(Term::int(7))]);
    constrain(&mut system, Some(within), Some(within));
    // Up by one or by two, and it stays at the top.
    let up = |by: i64| n.current.eq(Term::add(&[n.previous, Term::int(by)]));
    let top = Term::and(&[n.previous.eq(Term::int(7)), n.current.eq(Term::int(7))]);
    let step = Term::or(&[up(1), up(2), top]);
    constrain(&mut system, Some(n.current.eq(Term::int(0))), Some(step));
    let at = |value: i64| Formula::atom(n.current.eq(Term::int(value)));
    let distance = |longest, from, to| match check(
        &system,
        Claim::Distance {
            longest,
            from: at(from),
            to: at(to),
        },
    ) {
        Found::Distance(distance) => distance,
        other => panic!("{other:?}"),
    };
    assert_eq!(distance(false, 0, 7), Distance::Steps(4));
    assert_eq!(distance(true, 0, 7), Distance::Steps(7));
    assert_eq!(distance(true, 0, 6), Distance::Infinite);
    assert_eq!(distance(false, 5, 1), Distance::Infinite);
    assert_eq!(distance(false, 0, 0), Distance::Steps(0));
}
