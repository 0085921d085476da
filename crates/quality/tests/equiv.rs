//! Structural equivalence against an explicit comparison of states.
//!
//! Models are data; their meaning is computed here from the data, state by state, and by the rest of the
//! house from their text. The two share nothing.

use proofmark_lang::random::Dice;
use proofmark_lang::{LANGUAGES, Options};
use proofmark_model::{System, lower};
use proofmark_quality::equiv::{
    Difference, EquivalenceLimits, EquivalenceVerdict, compare_structure,
};
use proofmark_source::Sources;
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    State,
    Frozen,
    Input,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Domain {
    Boolean,
    Range,
    Symbols,
}

#[derive(Clone, Debug)]
struct Variable {
    kind: Kind,
    domain: Domain,
    size: u8,
}

impl Variable {
    fn name(&self, at: usize) -> String {
        format!("v{at}")
    }

    fn literal(&self, value: u8) -> String {
        match self.domain {
            Domain::Boolean => ["FALSE", "TRUE"][value as usize].into(),
            Domain::Range => value.to_string(),
            Domain::Symbols => format!("s{value}"),
        }
    }
}

/// A Boolean over a state and, where it is primed, the next one.
#[derive(Clone, Debug)]
enum Condition {
    Is(usize, u8, bool),
    Below(usize, u8),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

#[derive(Clone, Debug)]
enum Value {
    Any(Vec<u8>),
    Of(usize),
    Up(usize),
    Case(Vec<(Condition, Value)>, Box<Value>),
}

type State = Vec<u8>;

#[derive(Clone, Debug, Default)]
struct Model {
    variables: Vec<Variable>,
    always: Vec<Option<Value>>,
    first: Vec<Option<Value>>,
    next: Vec<Option<Value>>,
    init: Vec<Condition>,
    invar: Vec<Condition>,
    trans: Vec<Condition>,
    justice: Vec<Condition>,
    compassion: Vec<(Condition, Condition)>,
}

// ---- meaning ----

impl Condition {
    fn holds(&self, state: &[u8], next: &[u8]) -> bool {
        match self {
            Condition::Is(at, value, primed) => (if *primed { next } else { state })[*at] == *value,
            Condition::Below(at, value) => state[*at] < *value,
            Condition::Not(a) => !a.holds(state, next),
            Condition::And(a, b) => a.holds(state, next) && b.holds(state, next),
            Condition::Or(a, b) => a.holds(state, next) || b.holds(state, next),
        }
    }

    fn text(&self, model: &Model) -> String {
        let name = |at: &usize| model.variables[*at].name(*at);
        let literal = |at: &usize, value: &u8| model.variables[*at].literal(*value);
        match self {
            Condition::Is(at, value, true) => {
                format!("next({}) = {}", name(at), literal(at, value))
            }
            Condition::Is(at, value, false) => format!("{} = {}", name(at), literal(at, value)),
            Condition::Below(at, value) => format!("{} < {value}", name(at)),
            Condition::Not(a) => format!("!({})", a.text(model)),
            Condition::And(a, b) => format!("({} & {})", a.text(model), b.text(model)),
            Condition::Or(a, b) => format!("({} | {})", a.text(model), b.text(model)),
        }
    }
}

impl Value {
    fn allows(&self, model: &Model, state: &[u8], value: u8) -> bool {
        match self {
            Value::Any(values) => values.contains(&value),
            Value::Of(at) => state[*at] == value,
            Value::Up(at) => (state[*at] + 1) % model.variables[*at].size == value,
            Value::Case(branches, otherwise) => {
                let mut branches = branches.iter();
                let found = branches.find(|(condition, _)| condition.holds(state, state));
                found
                    .map_or(&**otherwise, |(_, value)| value)
                    .allows(model, state, value)
            }
        }
    }

    fn text(&self, model: &Model, target: usize) -> String {
        let variable = &model.variables[target];
        match self {
            Value::Any(values) => {
                let values: Vec<String> = values.iter().map(|one| variable.literal(*one)).collect();
                format!("{{{}}}", values.join(", "))
            }
            Value::Of(at) => model.variables[*at].name(*at),
            Value::Up(at) => format!("(v{at} + 1) mod {}", model.variables[*at].size),
            Value::Case(branches, otherwise) => {
                let mut text = "case ".to_string();
                for (condition, value) in branches {
                    let _ = write!(
                        text,
                        "{} : {}; ",
                        condition.text(model),
                        value.text(model, target)
                    );
                }
                format!("{text}TRUE : {}; esac", otherwise.text(model, target))
            }
        }
    }
}

impl Model {
    /// All values of the variables of some kinds, the others zero.
    fn all(&self, wanted: impl Fn(Kind) -> bool) -> Vec<State> {
        let mut all = vec![Vec::new()];
        for variable in &self.variables {
            let values = if wanted(variable.kind) {
                variable.size
            } else {
                1
            };
            all = all
                .iter()
                .flat_map(|one| (0..values).map(|value| [&one[..], &[value]].concat()))
                .collect();
        }
        all
    }

    fn is_state(&self, state: &[u8]) -> bool {
        let given = self.always.iter().enumerate();
        self.invar.iter().all(|one| one.holds(state, state))
            && given.clone().all(|(at, value)| {
                value
                    .as_ref()
                    .is_none_or(|value| value.allows(self, state, state[at]))
            })
    }

    fn is_first(&self, state: &[u8]) -> bool {
        self.is_state(state)
            && self.init.iter().all(|one| one.holds(state, state))
            && self.first.iter().enumerate().all(|(at, value)| {
                value
                    .as_ref()
                    .is_none_or(|value| value.allows(self, state, state[at]))
            })
    }

    /// The state before has the values of the inputs.
    fn is_step(&self, labelled: &[u8], next: &[u8]) -> bool {
        let frozen = |at: usize| self.variables[at].kind == Kind::Frozen;
        self.is_state(next)
            && self.trans.iter().all(|one| one.holds(labelled, next))
            && (0..next.len()).all(|at| !frozen(at) || next[at] == labelled[at])
            && self.next.iter().enumerate().all(|(at, value)| {
                value
                    .as_ref()
                    .is_none_or(|value| value.allows(self, labelled, next[at]))
            })
    }

    fn text(&self) -> String {
        let mut text = "MODULE main\n".to_string();
        for (at, variable) in self.variables.iter().enumerate() {
            let keyword = match variable.kind {
                Kind::State => "VAR",
                Kind::Frozen => "FROZENVAR",
                Kind::Input => "IVAR",
            };
            let domain = match variable.domain {
                Domain::Boolean => "boolean".to_string(),
                Domain::Range => format!("0..{}", variable.size - 1),
                Domain::Symbols => {
                    let all: Vec<String> = (0..variable.size)
                        .map(|one| variable.literal(one))
                        .collect();
                    format!("{{{}}}", all.join(", "))
                }
            };
            let _ = writeln!(text, "{keyword} v{at} : {domain};");
        }
        for (form, values) in [
            ("@", &self.always),
            ("init(@)", &self.first),
            ("next(@)", &self.next),
        ] {
            for (at, value) in values.iter().enumerate() {
                if let Some(value) = value {
                    let target = form.replace('@', &format!("v{at}"));
                    let _ = writeln!(text, "ASSIGN {target} := {};", value.text(self, at));
                }
            }
        }
        for (keyword, list) in [
            ("INIT", &self.init),
            ("INVAR", &self.invar),
            ("TRANS", &self.trans),
            ("JUSTICE", &self.justice),
        ] {
            for one in list {
                let _ = writeln!(text, "{keyword} {};", one.text(self));
            }
        }
        for (often, answer) in &self.compassion {
            let _ = writeln!(
                text,
                "COMPASSION ({}, {});",
                often.text(self),
                answer.text(self)
            );
        }
        text
    }
}

// ---- the explicit comparison ----

/// Where two models begin to differ: the length of the shortest run that only one has; 0 where only their
/// fairness tells them apart.
fn explicit(first: &Model, second: &Model) -> Option<usize> {
    let states = first.all(|kind| kind != Kind::Input);
    let inputs = first.all(|kind| kind == Kind::Input);
    if states
        .iter()
        .any(|state| first.is_first(state) != second.is_first(state))
    {
        return Some(1);
    }
    let begin = states.iter().filter(|state| first.is_first(state));
    let mut queue: VecDeque<(State, usize)> = begin.map(|state| (state.clone(), 1)).collect();
    let mut seen: BTreeSet<State> = queue.iter().map(|(state, _)| state.clone()).collect();
    let mut edges: Vec<(State, State)> = Vec::new();
    while let Some((state, length)) = queue.pop_front() {
        for input in &inputs {
            // Only one of the two is not zero.
            let labelled: State = state.iter().zip(input).map(|(a, b)| a + b).collect();
            for next in &states {
                let step = first.is_step(&labelled, next);
                if step != second.is_step(&labelled, next) {
                    return Some(length + 1);
                }
                if step {
                    edges.push((state.clone(), next.clone()));
                    if seen.insert(next.clone()) {
                        queue.push_back((next.clone(), length + 1));
                    }
                }
            }
        }
    }
    let fair_elsewhere = |one: &Model, other: &Model| {
        let justice = other.justice.iter().any(|condition| {
            let within = seen.iter().filter(|state| !condition.holds(state, state));
            has_fair_cycle(within.cloned().collect(), &edges, one, None)
        });
        justice
            || other.compassion.iter().any(|(often, answer)| {
                let within = seen.iter().filter(|state| !answer.holds(state, state));
                has_fair_cycle(within.cloned().collect(), &edges, one, Some(often))
            })
    };
    (fair_elsewhere(first, second) || fair_elsewhere(second, first)).then_some(0)
}

/// Whether a fair run stays within some states for ever, and meets a condition again and again.
fn has_fair_cycle(
    within: BTreeSet<State>,
    edges: &[(State, State)],
    model: &Model,
    often: Option<&Condition>,
) -> bool {
    let inner: Vec<&(State, State)> = edges
        .iter()
        .filter(|(from, to)| within.contains(from) && within.contains(to))
        .collect();
    let reach = |from: &State| -> BTreeSet<State> {
        let mut found = BTreeSet::new();
        let mut stack = vec![from];
        while let Some(state) = stack.pop() {
            for (_, to) in inner.iter().filter(|(from, _)| from == state) {
                if found.insert(to.clone()) {
                    stack.push(to);
                }
            }
        }
        found
    };
    let mut done: BTreeSet<State> = BTreeSet::new();
    for state in &within {
        let ahead = reach(state);
        if done.contains(state) || !ahead.contains(state) {
            continue;
        }
        let component: BTreeSet<State> = ahead
            .into_iter()
            .filter(|one| reach(one).contains(state))
            .collect();
        done.extend(component.iter().cloned());
        let meets = |condition: &Condition| component.iter().any(|one| condition.holds(one, one));
        if !model.justice.iter().chain(often).all(meets) {
            continue;
        }
        let broken = model
            .compassion
            .iter()
            .find(|(often, answer)| meets(often) && !meets(answer));
        let Some((often_met, _)) = broken else {
            return true;
        };
        let smaller = component.iter().filter(|one| !often_met.holds(one, one));
        if has_fair_cycle(smaller.cloned().collect(), edges, model, often) {
            return true;
        }
    }
    false
}

// ---- random pairs ----

fn condition(
    dice: &mut Dice,
    model: &Model,
    depth: usize,
    allowed: &dyn Fn(Kind) -> bool,
    primed: bool,
) -> Condition {
    if depth > 0 && dice.roll(3) > 0 {
        let mut one = || Box::new(condition(dice, model, depth - 1, allowed, primed));
        let (a, b) = (one(), one());
        return match dice.roll(3) {
            0 => Condition::Not(a),
            1 => Condition::And(a, b),
            _ => Condition::Or(a, b),
        };
    }
    let all: Vec<usize> = (0..model.variables.len())
        .filter(|at| allowed(model.variables[*at].kind))
        .collect();
    let at = all[dice.roll(all.len())];
    let variable = &model.variables[at];
    let value = dice.roll(variable.size as usize) as u8;
    let primed = primed && variable.kind == Kind::State && dice.roll(2) == 0;
    match variable.domain {
        Domain::Range if !primed && dice.roll(2) == 0 => Condition::Below(at, value),
        _ => Condition::Is(at, value, primed),
    }
}

/// A value for a variable that reads only variables before `limit`.
fn value(
    dice: &mut Dice,
    model: &Model,
    target: usize,
    depth: usize,
    limit: usize,
    inputs: bool,
) -> Value {
    let variable = &model.variables[target];
    let readable = |at: &usize| {
        let other = &model.variables[*at];
        (inputs || other.kind != Kind::Input) && *at < limit
    };
    let like: Vec<usize> = (0..model.variables.len())
        .filter(readable)
        .filter(|at| {
            let other = &model.variables[*at];
            other.domain == variable.domain && other.size == variable.size
        })
        .collect();
    let any_readable = (0..model.variables.len()).any(|at| readable(&at));
    match dice.roll(5) {
        0 | 1 if depth > 0 && any_readable => {
            let mut smaller = model.clone();
            smaller.variables.truncate(limit);
            let branches = (0..1 + dice.roll(2)).map(|_| {
                let allowed = |kind| inputs || kind != Kind::Input;
                let condition = condition(dice, &smaller, 1, &allowed, false);
                (
                    condition,
                    value(dice, model, target, depth - 1, limit, inputs),
                )
            });
            let branches = branches.collect();
            let otherwise = value(dice, model, target, depth - 1, limit, inputs);
            Value::Case(branches, Box::new(otherwise))
        }
        2 if !like.is_empty() => Value::Of(like[dice.roll(like.len())]),
        3 if !like.is_empty() && variable.domain == Domain::Range => {
            Value::Up(like[dice.roll(like.len())])
        }
        _ => {
            let mut values: Vec<u8> = (0..variable.size).filter(|_| dice.roll(2) == 0).collect();
            if values.is_empty() {
                values.push(dice.roll(variable.size as usize) as u8);
            }
            Value::Any(values)
        }
    }
}

fn model(dice: &mut Dice) -> Model {
    let mut model = Model::default();
    for at in 0..2 + dice.roll(3) {
        let (domain, size) = match dice.roll(3) {
            0 => (Domain::Boolean, 2),
            1 => (Domain::Range, 3),
            _ => (Domain::Symbols, 3),
        };
        let kind = match dice.roll(6) {
            0 if at > 0 => Kind::Input,
            1 if at > 0 => Kind::Frozen,
            _ => Kind::State,
        };
        model.variables.push(Variable { kind, domain, size });
    }
    let count = model.variables.len();
    (model.always, model.first, model.next) =
        (vec![None; count], vec![None; count], vec![None; count]);
    for at in 0..count {
        let kind = model.variables[at].kind;
        if kind == Kind::State && at > 0 && dice.roll(5) == 0 {
            model.always[at] = Some(value(dice, &model, at, 2, at, false));
            continue;
        }
        if kind != Kind::Input && dice.roll(3) > 0 {
            model.first[at] = Some(value(dice, &model, at, 1, at, false));
        }
        if kind == Kind::State && dice.roll(4) > 0 {
            model.next[at] = Some(value(dice, &model, at, 2, count, true));
        }
    }
    constrain(dice, &mut model, 3);
    model
}

fn constrain(dice: &mut Dice, model: &mut Model, rare: usize) {
    let seen = |kind: Kind| kind != Kind::Input;
    if dice.roll(rare) == 0 {
        let one = condition(dice, model, 1, &seen, false);
        model.init.push(one);
    }
    if dice.roll(rare) == 0 {
        let one = condition(dice, model, 1, &seen, false);
        model.invar.push(one);
    }
    if dice.roll(rare) == 0 {
        let one = condition(dice, model, 1, &|_| true, true);
        model.trans.push(one);
    }
    if dice.roll(rare) == 0 {
        let one = condition(dice, model, 1, &seen, false);
        model.justice.push(one);
    }
    if dice.roll(rare) == 0 {
        let pair = (
            condition(dice, model, 1, &seen, false),
            condition(dice, model, 1, &seen, false),
        );
        model.compassion.push(pair);
    }
}

/// A model that is almost the same.
fn changed(dice: &mut Dice, original: &Model) -> Model {
    let mut model = original.clone();
    let count = model.variables.len();
    let at = dice.roll(count);
    match dice.roll(7) {
        0 => {}
        1 if model.next[at].is_some() => {
            model.next[at] = Some(value(dice, &model, at, 2, count, true));
        }
        2 => {
            for value in model.next.iter_mut().chain(&mut model.always).flatten() {
                if let Value::Case(branches, _) = value {
                    branches.reverse();
                }
            }
        }
        3 if model.first[at].is_some() => {
            model.first[at] = Some(value(dice, &model, at, 1, at, false))
        }
        4 if model.always[at].is_some() => {
            model.always[at] = Some(value(dice, &model, at, 2, at, false));
        }
        // The same again, said otherwise.
        5 => {
            if let Some(old) = model.next[at].clone() {
                let condition = condition(dice, &model, 1, &|_| true, false);
                model.next[at] = Some(Value::Case(vec![(condition, old.clone())], Box::new(old)));
            }
        }
        _ => constrain(dice, &mut model, 2),
    }
    model
}

fn system(model: &Model) -> System {
    let mut sources = Sources::default();
    let text = model.text();
    let file = sources.add("random.smv", text.clone()).unwrap();
    let language = LANGUAGES.choose("random.smv", None).unwrap();
    let (design, diagnostics) = (language.load)(&sources, file, &Options::default());
    let loaded = design.and_then(|one| one.words());
    let loaded = loaded.unwrap_or_else(|| panic!("{text}\n{diagnostics:?}"));
    lower(&loaded.model).unwrap().system
}

#[test]
fn equivalence_agrees_with_an_explicit_comparison_on_random_pairs() {
    let (mut same, mut by_state, mut by_fairness, mut unaudited) = (0, 0, 0, 0);
    for seed in 1..=500u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let first = model(&mut dice);
        let second = changed(&mut dice, &first);
        let expected = explicit(&first, &second);
        let limits = EquivalenceLimits {
            audit: Some(Duration::from_secs(20)),
            ..EquivalenceLimits::default()
        };
        let (one, other) = (system(&first), system(&second));
        let told = || format!("seed {seed}\n{}\n{}", first.text(), second.text());
        let found = compare_structure(&one, &other, &limits)
            .unwrap_or_else(|why| panic!("{why:?} {}", told()));
        match (expected, &found.verdict) {
            (None, EquivalenceVerdict::Equivalent) => same += 1,
            (Some(0), EquivalenceVerdict::Different(difference))
                if matches!(**difference, Difference::Fair { .. }) =>
            {
                by_fairness += 1;
            }
            (Some(length), EquivalenceVerdict::Different(difference)) => match &**difference {
                Difference::Step { run, .. } if run.len() == length => by_state += 1,
                other => panic!(
                    "expected a run of {length} states, found {other:?}\n{}",
                    told()
                ),
            },
            (expected, found) => panic!("expected {expected:?}, found {found:?}\n{}", told()),
        }
        unaudited += usize::from(!found.audit.passed());
    }
    println!(
        "{same} the same, {by_state} by a state, {by_fairness} by fairness, {unaudited} not audited"
    );
    assert!(
        same > 100 && by_state > 100 && by_fairness > 5,
        "{same} {by_state} {by_fairness}"
    );
    assert_eq!(unaudited, 0);
}
