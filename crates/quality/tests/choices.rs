//! Original and mutant that choose values, compared by what is observed.
//!
//! The systems are finite, so that the truth can be had: the sets of states that one and the other
//! may be in after the same inputs and observed values are followed until nothing new comes up (the
//! subset construction). They have the same runs when at each such pair both can show the same. A GAP
//! of systems with the same runs, and an EQUIVALENT of others, is wrong; SURVIVED may be either.

use proofmark_engine::EngineName;
use proofmark_lang::lustre;
use proofmark_lang::random::Dice;
use proofmark_model::{
    ElementId, Environment, Evaluator, Function, Lowered, Model, Phase, Proof, Role, Sort, System,
    Term, Value, lower,
};
use proofmark_quality::mutate::{
    Comparison, Distinction, Fate, Former, Mutant, Mutation, Plan, Side, campaign, generate,
    witness,
};
use proofmark_quality::{Audited, Auditor, Resources};
use proofmark_solve::{Embedded, Interrupt, SolveError, Solver};
use proofmark_source::Sources;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

fn open() -> Result<Box<dyn Solver>, SolveError> {
    Ok(Box::new(Embedded::default()))
}

struct Case {
    model: Model,
    lowered: Lowered,
    text: String,
}

fn load(text: &str) -> Case {
    let mut sources = Sources::default();
    let file = sources.add("case.lus", text.to_string()).unwrap();
    let (loaded, diagnostics) = lustre::load(&sources, file, &lustre::Options::default());
    let model = loaded
        .unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"))
        .model;
    Case {
        lowered: lower(&model).unwrap(),
        text: text.to_string(),
        model,
    }
}

impl Case {
    fn system(&self) -> &System {
        &self.lowered.system
    }

    fn observed(&self) -> Vec<Term> {
        let outputs = self.system().variables().iter();
        let outputs = outputs.filter(|one| one.role == Role::Output);
        outputs.map(|one| one.current).collect()
    }

    fn mutations(&self, selection: &str) -> Vec<Mutation> {
        let goals = self.system().properties().iter();
        let goals: FxHashSet<Term> = goals.map(|one| one.term).collect();
        let mutable = |id: ElementId| {
            let target = self.system().element(id).target();
            target.is_none_or(|target| !goals.contains(&target))
        };
        let selection = selection.parse().unwrap();
        generate(&self.model, &self.lowered, &mutable, &selection, None, 1).mutations
    }

    /// What becomes of mutations; a distinction has a witness, or none.
    fn decide(&self, mutations: &[Mutation]) -> Vec<Fate> {
        let (core, observed) = (self.system().ids().collect(), self.observed());
        let proof = Proof {
            k: 1,
            invariants: Vec::new(),
        };
        let plan = Plan {
            lowered: &self.lowered,
            properties: &[0],
            proof: &proof,
            proof_audit: Audited::by("the test"),
            core: &core,
            observed: Some(&observed),
            resources: Resources {
                open: &open,
                engines: &EngineName::ALL,
                jobs: 1,
                budget: Duration::from_secs(5),
                deadline: None,
                interrupt: &Interrupt::default(),
            },
            former: &Former::default(),
            auditor: Some(Auditor::default()),
        };
        let decided = campaign(&plan, mutations, &|_| false, &mut |_, _| ()).unwrap();
        let fates = decided.into_iter().map(|one| one.unwrap().fate);
        let fates: Vec<Fate> = fates.collect();
        for (mutation, fate) in mutations.iter().zip(&fates) {
            if let Fate::Survived {
                comparison: Some(Comparison::Different(found)),
                ..
            } = fate
            {
                let seen = witness(&plan, mutation, found).unwrap();
                for found in seen.iter().map(|one| &one.distinction).chain([&**found]) {
                    self.check_distinction(mutation, found);
                }
            }
        }
        fates
    }

    fn mutated(&self, mutation: &Mutation) -> System {
        let mutant = Mutant::new(&self.lowered, mutation, "mutant:").unwrap();
        mutant.of(self.system()).unwrap()
    }

    /// The other one has no run like the one that is said to be alone.
    fn check_distinction(&self, mutation: &Mutation, found: &Distinction) {
        let mut variables = self.system().variables().iter();
        if variables.any(|one| matches!(one.sort(), Sort::Int | Sort::Real)) {
            return;
        }
        let mutated = self.mutated(mutation);
        let (run, other) = match found.alone {
            Some(Side::Original) => (&found.original, &mutated),
            Some(Side::Mutant) => (&found.mutant, self.system()),
            None => return,
        };
        let observed = self.observed();
        let mut states = None;
        for step in 0..=found.step {
            let inputs = other.inputs();
            let inputs = inputs.map(|one| (one.current, run.value(one.current, step).unwrap()));
            let inputs = inputs.map(|(one, value)| (one, value.clone())).collect();
            let mut next = successors(other, states.as_ref(), &inputs, &observed);
            let shown = observed.iter().map(|one| run.value(*one, step).unwrap());
            let shown: Vec<String> = shown.map(|value| format!("{value:?}")).collect();
            states = next.remove(&shown);
            if states.is_none() {
                assert_eq!(step, found.step, "{}\n{}", mutation.label, self.text);
                return;
            }
        }
        panic!(
            "the other one has the run, too: {}\n{}",
            mutation.label, self.text
        );
    }
}

/// The values of what a step reads of the one before.
type State = Vec<(String, String)>;
type States = BTreeMap<State, FxHashMap<Term, Value>>;

/// All values of a finite sort.
fn values(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Enum(of) => {
            let all = 0..of.values().len() as u32;
            all.map(|at| Value::Enum(of, at)).collect()
        }
        _ => panic!("{sort} is not finite"),
    }
}

/// One step of a system.
struct Step<'s> {
    system: &'s System,
    phase: Phase,
    before: &'s FxHashMap<Term, Value>,
    given: &'s FxHashMap<Term, Value>,
    definitions: &'s FxHashMap<(Term, Phase), Term>,
}

impl Environment for Step<'_> {
    fn variable(&self, term: Term) -> Option<Value> {
        let variable = self.system.variable(term)?;
        if variable.previous == term {
            return self.before.get(&variable.current).cloned();
        }
        self.given.get(&term).cloned()
    }

    fn function(&self, _: Function, _: &[Value]) -> Option<Value> {
        None
    }

    fn definition(&self, variable: Term) -> Option<Term> {
        self.definitions.get(&(variable, self.phase)).copied()
    }
}

/// The states after a step with some inputs, by what is observed.
fn successors(
    system: &System,
    before: Option<&States>,
    inputs: &FxHashMap<Term, Value>,
    observed: &[Term],
) -> BTreeMap<Vec<String>, States> {
    let phase = match before {
        None => Phase::Init,
        Some(_) => Phase::Step,
    };
    let definitions = system.elements().iter().flat_map(|one| one.definitions());
    let definitions: FxHashMap<(Term, Phase), Term> = definitions
        .flat_map(|one| {
            let phases = [Phase::Init, Phase::Step].into_iter();
            phases.filter_map(|phase| Some(((one.variable, phase), one.value(phase)?)))
        })
        .collect();
    let mut needed = FxHashSet::default();
    let elements = system.elements().iter();
    let mut waiting: Vec<Term> = elements.filter_map(|one| one.constraint(phase)).collect();
    waiting.extend(observed);
    let state: Vec<Term> = system.state().iter().map(|one| one.current).collect();
    waiting.extend(&state);
    while let Some(term) = waiting.pop() {
        if needed.insert(term) {
            waiting.extend(term.args());
            waiting.extend(definitions.get(&(term, phase)));
        }
    }
    let free = system.variables().iter().map(|one| one.current);
    let free: Vec<Term> = free
        .filter(|one| needed.contains(one) && !inputs.contains_key(one))
        .filter(|one| !definitions.contains_key(&(*one, phase)))
        .collect();
    let mut all = vec![inputs.clone()];
    for variable in free {
        let extended = all.iter().flat_map(|given| {
            values(variable.sort()).into_iter().map(|value| {
                let mut given = given.clone();
                given.insert(variable, value);
                given
            })
        });
        all = extended.collect();
    }
    let nothing = FxHashMap::default();
    let before: Vec<&FxHashMap<Term, Value>> =
        before.map_or(vec![&nothing], |states| states.values().collect());
    let mut found: BTreeMap<Vec<String>, States> = BTreeMap::new();
    for before in before {
        for given in &all {
            let step = Step {
                system,
                phase,
                before,
                given,
                definitions: &definitions,
            };
            let mut evaluator = Evaluator::new(&step);
            let mut value = |term: Term| evaluator.value(term).unwrap();
            let mut demands = system.elements().iter();
            if demands.any(|one| {
                let demand = one.constraint(phase);
                demand.is_some_and(|demand| value(demand) != Value::Bool(true))
            }) {
                continue;
            }
            let shown = observed.iter().map(|one| format!("{:?}", value(*one)));
            let shown: Vec<String> = shown.collect();
            let after: FxHashMap<Term, Value> =
                state.iter().map(|one| (*one, value(*one))).collect();
            found.entry(shown).or_default().insert(key(&after), after);
        }
    }
    found
}

fn key(state: &FxHashMap<Term, Value>) -> State {
    let mut key: State = state
        .iter()
        .map(|(one, value)| (format!("{one:?}"), format!("{value:?}")))
        .collect();
    key.sort();
    key
}

/// Whether two finite systems have the same runs, as observed.
fn same_runs(one: &System, other: &System, observed: &[Term]) -> bool {
    let mut inputs = vec![FxHashMap::default()];
    for input in one.inputs() {
        let extended = inputs.iter().flat_map(|given: &FxHashMap<Term, Value>| {
            values(input.sort()).into_iter().map(|value| {
                let mut given = given.clone();
                given.insert(input.current, value);
                given
            })
        });
        inputs = extended.collect();
    }
    let mut seen: BTreeSet<[Vec<State>; 2]> = BTreeSet::new();
    let mut waiting: Vec<[Option<States>; 2]> = vec![[None, None]];
    while let Some([here, there]) = waiting.pop() {
        for given in &inputs {
            let here = successors(one, here.as_ref(), given, observed);
            let mut there = successors(other, there.as_ref(), given, observed);
            if !here.keys().eq(there.keys()) {
                return false;
            }
            for (shown, states) in here {
                let others = there.remove(&shown).unwrap();
                let keys = [&states, &others].map(|one| one.keys().cloned().collect());
                if seen.insert(keys) {
                    waiting.push([Some(states), Some(others)]);
                }
            }
        }
    }
    true
}

/// What a comparison came to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Found {
    Same,
    Gap,
    Open,
    /// It does not survive.
    Other,
}

fn found(fate: &Fate) -> Found {
    match fate {
        Fate::Survived {
            comparison: Some(Comparison::Equivalent { .. }),
            ..
        } => Found::Same,
        Fate::Survived {
            comparison: Some(Comparison::Different(_)),
            ..
        } => Found::Gap,
        Fate::Survived { .. } => Found::Open,
        _ => Found::Other,
    }
}

/// The mutant of a label, and what it is found to be.
fn only(text: &str, label: &str) -> (Case, Mutation, Fate) {
    let case = load(text);
    let mutator = label.split(' ').next().unwrap();
    let mutations = case.mutations(mutator);
    let mutation = mutations.into_iter().find(|one| one.label == label);
    let mutation = mutation.unwrap_or_else(|| panic!("no {label} in {text}"));
    let fate = case.decide(std::slice::from_ref(&mutation)).remove(0);
    (case, mutation, fate)
}

/// A mutant of a finite model is found to be this, which is the truth.
#[track_caller]
fn check(text: &str, label: &str, expected: Found) {
    let (case, mutation, fate) = only(text, label);
    assert_eq!(found(&fate), expected, "{fate:?}\n{text}");
    let same = same_runs(case.system(), &case.mutated(&mutation), &case.observed());
    assert_eq!(same, expected == Found::Same, "{text}");
}

/// A model with outputs `y` and `z`, and locals `c`, `d` and `e`.
fn node(body: &str) -> String {
    format!(
        "node main(i, j: bool) returns (y, z: bool);
         var c, d, e, ok: bool;
         let {body} ok = true; --%PROPERTY ok;
         tel;"
    )
}

#[test]
fn a_choice_makes_up_for_a_negation() {
    let body = "c = pre c; y = not c; z = i; d = true; e = true;";
    check(&node(body), "rm_not", Found::Same);
}

#[test]
fn two_choices_make_up_for_a_change() {
    let body = "c = pre c; d = pre d; e = true; y = c or d; z = i;";
    check(&node(body), "or2xor", Found::Same);
    // What `z` shows leaves nothing to choose.
    let body = "c = pre c; d = pre d; e = c and d; y = c or d; z = e;";
    check(&node(body), "or2xor", Found::Gap);
}

#[test]
fn what_is_remembered_of_a_choice_may_tell() {
    // The first `y` is arbitrary in both; the second is not.
    let body = "c = i; d = true; e = true; y = pre (not c); z = i;";
    check(&node(body), "rm_not", Found::Gap);
    let body = "c = i; d = true; e = true; y = pre (c or false); z = i;";
    check(&node(body), "or2left", Found::Same);
}

#[test]
fn a_mutant_that_chooses_less_has_fewer_runs() {
    let body = "c = i; d = true; e = true; y = pre c; z = i;";
    check(&node(body), "pre_drop", Found::Gap);
    let body = "c = pre c; d = true; e = true; y = c; z = i;";
    check(&node(body), "init_true", Found::Gap);
    // Nobody can tell which of the two was chosen.
    let body = "c = pre c; d = true; e = true; y = c or not c; z = i;";
    check(&node(body), "init_true", Found::Same);
}

#[test]
fn a_removed_equation_frees_what_it_defines() {
    let label = "equation_remove";
    let first = |body: &str| {
        let case = load(&node(body));
        let mutation = case.mutations(label).remove(0);
        let fate = case.decide(std::slice::from_ref(&mutation)).remove(0);
        let same = same_runs(case.system(), &case.mutated(&mutation), &case.observed());
        (found(&fate), same)
    };
    let others = "d = true; e = true; z = i;";
    // It is observed; it matters; it does not; it was a choice anyway, at the first step only or
    // for ever.
    let observed = first(&format!("y = i or j; c = true; {others}"));
    assert_eq!(observed, (Found::Gap, false));
    let matters = first(&format!("c = i and j; y = c; {others}"));
    assert_eq!(matters, (Found::Gap, false));
    let idle = first(&format!("c = i and j; y = c or not c; {others}"));
    assert_eq!(idle, (Found::Same, true));
    let later = first(&format!("c = pre i; y = c; {others}"));
    assert_eq!(later, (Found::Gap, false));
    let once = first(&format!("c = pre c; y = c -> true; {others}"));
    assert_eq!(once, (Found::Same, true));
    let with_another = first("c = pre d; d = pre d; e = true; y = c -> pre y; z = i;");
    assert_eq!(with_another, (Found::Same, true));
}

#[test]
fn assumptions_limit_what_may_be_chosen() {
    let body = "c = pre c; d = true; e = true; assert c; y = not c; z = i;";
    check(&node(body), "rm_not", Found::Gap);
    let body = "c = pre c; d = true; e = c or i -> true; assert e; y = j; z = true;";
    check(&node(body), "or2xor", Found::Same);
    let body = "c = pre c; d = true; e = c or i; assert e; y = c; z = true;";
    check(&node(body), "or2right", Found::Gap);
}

#[test]
fn an_enumeration_is_chosen_from() {
    let text = |shown: &str| {
        format!(
            "type colour = enum {{ red, green, blue }};
             node main(i: bool) returns (y: bool; z: colour);
             var c: colour; ok: bool;
             let
               c = pre c;
               y = c = red;
               z = {shown};
               ok = true;
               --%PROPERTY ok;
             tel;"
        )
    };
    check(&text("if i then red else blue"), "eq2neq", Found::Same);
    check(&text("c"), "eq2neq", Found::Gap);
}

#[test]
fn a_cycle_within_a_step_is_solved_by_both() {
    // Both pairs of values satisfy the equations, at every step.
    let body = "c = d; d = c; e = i; y = not c; z = e;";
    let (case, mutation, fate) = only(&node(body), "rm_not");
    assert_ne!(found(&fate), Found::Gap);
    let runs = |system: &System| same_runs(case.system(), system, &case.observed());
    assert!(runs(&case.mutated(&mutation)));
    // There is one solution, and another one in the mutant.
    let body = "c = if i then d else true; d = if i then true else c; e = i; y = c; z = e;";
    check(&node(body), "const bool true -> false", Found::Gap);
}

#[test]
fn a_number_is_solved_for() {
    let text = |shown: &str| {
        format!(
            "node main(i: int) returns (y: int);
             var c: int; s: subrange [2, 5] of int; ok: bool;
             let c = pre c; s = pre s; y = {shown}; ok = true; --%PROPERTY ok; tel;"
        )
    };
    let found = |shown, label| found(&only(&text(shown), label).2);
    assert_eq!(found("c + i -> pre y", "plus2minus"), Found::Same);
    assert_eq!(found("c + i", "plus2minus"), Found::Gap);
    assert_eq!(found("if c > 3 then 1 else 0", "g2ge"), Found::Same);
    assert_eq!(found("if pre s = 3 then 1 else 0", "eq2neq"), Found::Same);
    // There is no half.
    assert_ne!(found("2 * c", "const int 2 -> 1"), Found::Same);
}

#[test]
fn what_a_mutated_assumption_reads_may_be_mutated_itself() {
    let body = "c = false; d = true -> pre i; e = false; y = pre e; z = not pre y;
        assert pre (pre y and e);";
    let case = load(&node(body));
    let mut mutations = case.mutations("variable");
    mutations.retain(|one| ["variable e -> d", "variable i -> j"].contains(&&*one.label));
    assert!(mutations.len() >= 2);
    case.decide(&mutations);
}

/// Random expressions over Booleans.
fn expression(dice: &mut Dice, known: &[&str], depth: usize) -> String {
    let variables = ["c", "d", "e", "y", "z", "i"];
    if depth == 0 {
        return match dice.roll(5) {
            0 => format!("pre {}", variables[dice.roll(variables.len())]),
            1 => ["true", "false"][dice.roll(2)].to_string(),
            _ => known[dice.roll(known.len())].to_string(),
        };
    }
    let mut inner = || expression(dice, known, depth - 1);
    let (one, other, third) = (inner(), inner(), inner());
    match dice.roll(9) {
        0 => format!("({one} and {other})"),
        1 => format!("({one} or {other})"),
        2 => format!("({one} xor {other})"),
        3 => format!("(not {one})"),
        4 => format!("({one} -> {other})"),
        5 => format!("(if {one} then {other} else {third})"),
        6 => format!("pre ({one} and {other})"),
        7 => format!("(pre {})", variables[dice.roll(variables.len())]),
        _ => one,
    }
}

fn random_model(dice: &mut Dice) -> String {
    let mut body = String::new();
    let mut known = vec!["i", "j"];
    for variable in ["c", "d", "e", "y", "z"] {
        let depth = dice.roll(3);
        let value = expression(dice, &known, depth);
        body.push_str(&format!("{variable} = {value};\n"));
        known.push(variable);
    }
    if dice.roll(3) == 0 {
        let demand = expression(dice, &known, 1);
        body.push_str(&format!("assert {demand};\n"));
    }
    node(&body)
}

const MODELS: usize = 100;
/// Of each model.
const MUTANTS: usize = 10;

#[test]
fn random_systems_with_choices_are_what_their_sets_of_runs_say() {
    let mut dice = Dice(20);
    let mut counts: BTreeMap<(Found, bool), usize> = BTreeMap::new();
    for _ in 0..MODELS {
        let case = load(&random_model(&mut dice));
        let mut mutations = case.mutations("all,equation_remove");
        while mutations.len() > MUTANTS {
            mutations.swap_remove(dice.roll(mutations.len()));
        }
        // A changed assumption is no fault, and not compared.
        mutations.retain(|one| !one.is_of_assumption(case.system()));
        for (mutation, fate) in mutations.iter().zip(case.decide(&mutations)) {
            let found = found(&fate);
            if found == Found::Other {
                continue;
            }
            let same = same_runs(case.system(), &case.mutated(mutation), &case.observed());
            let context = || {
                format!(
                    "{} at {:?}: {fate:?}\n{}",
                    mutation.label, mutation.location, case.text
                )
            };
            assert!(found != Found::Gap || !same, "a false gap: {}", context());
            assert!(
                found != Found::Same || same,
                "not equivalent: {}",
                context()
            );
            *counts.entry((found, same)).or_default() += 1;
        }
    }
    let count = |found, same| counts.get(&(found, same)).copied().unwrap_or(0);
    assert!(count(Found::Gap, false) > 100, "{counts:?}");
    assert!(count(Found::Same, true) > 50, "{counts:?}");
    let open = count(Found::Open, true) + count(Found::Open, false);
    assert!(open * 50 < counts.values().sum(), "{counts:?}");
}
