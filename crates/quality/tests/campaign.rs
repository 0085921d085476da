//! The verdicts of campaigns, against a verification of each mutant from scratch, twice: once of the
//! patched system, and once of the patched model printed as Lustre and read again.
//!
//! The models are small and each is a trap: something that would make a hasty campaign say that a
//! mutant survives.

use proofmark_audit::Assumptions;
use proofmark_engine::{EngineName, Limits};
use proofmark_lang::lustre::{self, Part};
use proofmark_model::{ElementId, Lowered, Model, Proof, Role, System, Term, lower};
use proofmark_quality::mutate::{
    Comparison, Decided, Fate, Former, Mutant, Mutation, MutationChange, Plan, Test, campaign,
    generate,
};
use proofmark_quality::{
    Audited, Auditor, ProofGoal, Question, Request, Resources, Smoothing, Verdict, analyze,
    joint_proof, verify,
};
use proofmark_solve::{
    Answer, Budget, Capabilities, Embedded, Interrupt, SolveError, Solver, Statistics, Unknown,
};
use proofmark_source::Sources;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn open() -> Result<Box<dyn Solver>, SolveError> {
    Ok(Box::new(Embedded::default()))
}

struct Case {
    model: Model,
    lowered: Lowered,
}

/// What a verification from scratch says of all properties together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Truth {
    Holds,
    Fails,
    Vacuous,
    Unknown,
}

fn load(text: &str) -> Case {
    let mut sources = Sources::default();
    let file = sources.add("case.lus", text.to_string()).unwrap();
    let (loaded, diagnostics) = lustre::load(&sources, file, &lustre::Options::default());
    let model = loaded
        .unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"))
        .model;
    let lowered = lower(&model).unwrap();
    Case { model, lowered }
}

fn judge(system: &System) -> (Truth, Vec<Proof>) {
    let question = Question {
        system,
        properties: (0..system.properties().len()).collect(),
        specifications: Vec::new(),
        limits: Limits {
            jobs: 1,
            time: Some(Duration::from_secs(10)),
            ..Limits::default()
        },
        open: &open,
        auditor: Some(Auditor::default()),
        smoothing: Smoothing::Off,
        deadlocks: false,
        statistics: false,
    };
    let verified = match verify(&question, &mut |_| ()) {
        Ok(verified) => verified,
        Err(error) => panic!("{error}"),
    };
    let mut truth = Truth::Holds;
    let mut proofs = Vec::new();
    for judgement in verified.judgements {
        match judgement.verdict {
            Verdict::Valid { proof, .. } => proofs.push(proof),
            Verdict::Invalid { .. } => truth = Truth::Fails,
            Verdict::Vacuous { .. } if truth != Truth::Fails => truth = Truth::Vacuous,
            Verdict::Unknown { .. } if truth == Truth::Holds => truth = Truth::Unknown,
            _ => {}
        }
    }
    (truth, proofs)
}

impl Case {
    fn system(&self) -> &System {
        &self.lowered.system
    }

    fn mutations(&self, selection: &str) -> Vec<Mutation> {
        let properties = self.system().properties().iter();
        let goals: FxHashSet<Term> = properties.map(|property| property.term).collect();
        let mutable = |id: ElementId| {
            let target = self.system().element(id).target();
            target.is_none_or(|target| !goals.contains(&target))
        };
        let selection = selection.parse().unwrap();
        generate(&self.model, &self.lowered, &mutable, &selection, None, 2).mutations
    }

    fn decide(&self, mutations: &[Mutation], proof: &Proof) -> Vec<Decided> {
        self.decide_with(mutations, proof, &open)
    }

    /// Without the help of a core: every mutant goes through the whole cascade.
    fn decide_with(
        &self,
        mutations: &[Mutation],
        proof: &Proof,
        open: &(dyn Fn() -> Result<Box<dyn Solver>, SolveError> + Sync),
    ) -> Vec<Decided> {
        let all = self.system().ids().collect();
        self.decide_on(mutations, (proof, &all), open)
    }

    /// A core of a proof, and its own proof.
    fn core(&self, proof: &Proof) -> (Proof, FxHashSet<ElementId>) {
        let system = self.system();
        let properties: Vec<usize> = (0..system.properties().len()).collect();
        let units: Vec<Vec<ElementId>> = system.ids().map(|id| vec![id]).collect();
        let goal = ProofGoal::new(system, &properties, &units, &proof.invariants).unwrap();
        let interrupt = Interrupt::default();
        let resources = Resources {
            open: &open,
            engines: &EngineName::ALL,
            jobs: 1,
            budget: Duration::from_secs(5),
            deadline: None,
            interrupt: &interrupt,
        };
        let request = Request::default();
        let analysis = analyze(&goal, proof, &request, resources, None, &mut |_| ()).unwrap();
        let core = analysis.cores.into_iter().next().unwrap();
        let ids = core.units.iter().map(|at| ElementId(*at as u32));
        (core.proof, ids.collect())
    }

    fn decide_on(
        &self,
        mutations: &[Mutation],
        of: (&Proof, &FxHashSet<ElementId>),
        open: &(dyn Fn() -> Result<Box<dyn Solver>, SolveError> + Sync),
    ) -> Vec<Decided> {
        self.decide_by(mutations, of, open, Auditor::default())
    }

    fn decide_by(
        &self,
        mutations: &[Mutation],
        (proof, core): (&Proof, &FxHashSet<ElementId>),
        open: &(dyn Fn() -> Result<Box<dyn Solver>, SolveError> + Sync),
        auditor: Auditor<'_>,
    ) -> Vec<Decided> {
        let system = self.system();
        let properties: Vec<usize> = (0..system.properties().len()).collect();
        let outputs = system.variables().iter();
        let outputs = outputs.filter(|one| one.role == Role::Output);
        let observed: Vec<Term> = outputs.map(|one| one.current).collect();
        let plan = Plan {
            lowered: &self.lowered,
            properties: &properties,
            proof,
            core,
            observed: Some(&observed),
            resources: Resources {
                open,
                engines: &EngineName::ALL,
                jobs: 1,
                budget: Duration::from_secs(5),
                deadline: None,
                interrupt: &Interrupt::default(),
            },
            former: &Former::default(),
            auditor: Some(auditor),
            proof_audit: Audited::by("the test"),
        };
        let decided = campaign(&plan, mutations, &|_| false, &mut |_, _| ()).unwrap();
        decided.into_iter().map(Option::unwrap).collect()
    }

    /// The mutated model, printed.
    fn printed(&self, mutation: &Mutation) -> String {
        let mut model = self.model.clone();
        let mut equations: FxHashSet<ElementId> = self.system().ids().collect();
        match &mutation.change {
            MutationChange::Replace(changed) => {
                for (id, equation) in changed {
                    model.equations[id.index()] = equation.clone();
                }
            }
            MutationChange::Remove(removed) => equations.retain(|id| !removed.contains(id)),
        }
        let goals: Vec<usize> = (0..model.goals.len()).collect();
        lustre::print(&Part {
            model: &model,
            name: "mutant",
            equations: &equations,
            goals: &goals,
        })
    }

    /// Decides all mutants, and checks each verdict; returns them by label.
    fn cross_check(&self, selection: &str) -> Vec<(String, Decided)> {
        let (truth, proofs) = judge(self.system());
        assert_eq!(truth, Truth::Holds, "the original");
        let mutations = self.mutations(selection);
        assert!(!mutations.is_empty());
        let proof = joint_proof(&proofs);
        let decided = self.decide(&mutations, &proof);
        let (small, core) = self.core(&proof);
        let by_core = self.decide_on(&mutations, (&small, &core), &open);
        for ((mutation, one), other) in mutations.iter().zip(&decided).zip(&by_core) {
            let kind = |one: &Decided| std::mem::discriminant(&one.fate);
            let context = format!("{} by {:?} and {:?}", mutation.label, one.by, other.by);
            assert_eq!(kind(one), kind(other), "with the core: {context}");
        }
        for (mutation, decided) in mutations.iter().zip(&decided) {
            let found = match &decided.fate {
                Fate::Killed { .. } => Truth::Fails,
                Fate::Survived { .. } => Truth::Holds,
                Fate::Vacuous { .. } => Truth::Vacuous,
                Fate::Unknown { .. } | Fate::Unaudited { .. } => Truth::Unknown,
                Fate::NotValid { why } => panic!("{}: {why}", mutation.label),
            };
            let text = self.printed(mutation);
            let context = || format!("{} decided by {:?}\n{text}", mutation.label, decided.by);
            let mutant = Mutant::new(&self.lowered, mutation, "mutant:").unwrap();
            let patched = mutant.of(self.system()).unwrap();
            assert_eq!(found, judge(&patched).0, "patched: {}", context());
            let read = load(&text);
            assert_eq!(found, judge(read.system()).0, "printed: {}", context());
            self.check_comparison(mutation, decided, &context());
        }
        let labels = mutations.iter().map(|one| one.label.clone());
        labels.zip(decided).collect()
    }

    /// A distinction must be one.
    fn check_comparison(&self, mutation: &Mutation, decided: &Decided, context: &str) {
        if let Fate::Survived {
            comparison: Some(Comparison::Different(distinction)),
            ..
        } = &decided.fate
        {
            let (one, other) = (&distinction.original, &distinction.mutant);
            let differs = |term: &Term| {
                one.value(*term, distinction.step) != other.value(*term, distinction.step)
            };
            assert!(distinction.variables.iter().all(differs), "{context}");
            assert_eq!(one.len(), other.len(), "{}", mutation.label);
        }
    }
}

fn fates<'d>(decided: &'d [(String, Decided)], label: &str) -> Vec<&'d Fate> {
    let found = decided.iter().filter(|(name, _)| name == label);
    let found: Vec<&Fate> = found.map(|(_, one)| &one.fate).collect();
    assert!(!found.is_empty(), "no {label}");
    found
}

/// The property needs one step of induction and a fact that needs three: a campaign that looks at
/// the first step alone would keep the fact where it fails later.
const LATE: &str = "
node late(i: int) returns (x: int);
var a, b, c: bool; n: int;
let
  n = 0 -> if pre n < 6 then pre n + 1 else 6;
  a = true -> pre b;
  b = true -> pre c;
  c = true -> pre (n <= 6);
  x = if a then 1 else 0;
  --%PROPERTY \"one\" x = 1;
tel;
";

#[test]
fn a_lemma_that_breaks_late_is_not_kept() {
    let case = load(LATE);
    let decided = case.cross_check("const_plus,const_minus,l2le,const,plus2minus,equal_false");
    let killed = |fate: &Fate| matches!(fate, Fate::Killed { .. });
    assert!(decided.iter().any(|(_, one)| killed(&one.fate)));
    for fate in fates(&decided, "l2le") {
        // The counter then stops one later, beyond what is promised.
        let Fate::Killed { refutation, .. } = fate else {
            panic!("{fate:?}")
        };
        assert!(refutation.step > 6, "{}", refutation.step);
    }
}

#[test]
fn a_proof_with_deep_lemmas_is_no_excuse_on_the_mutant() {
    // The invariant is the whole story; that the joint proof claims a small k must not matter.
    let case = load(LATE);
    let names = ["a", "b", "c"];
    let system = case.system();
    let find = |name: &str| {
        system
            .variables()
            .iter()
            .find(|one| one.name.as_str() == name)
    };
    let terms = names.map(|name| find(name).unwrap().current);
    let n = find("n").unwrap().current;
    let limit = n.le(Term::int(6));
    let invariants = terms.into_iter().chain([limit]);
    let proof = Proof {
        k: 1,
        invariants: invariants
            .map(|term| proofmark_model::Invariant { term, k: 4 })
            .collect(),
    };
    let mutations = case.mutations("l2le,const");
    for (mutation, decided) in mutations.iter().zip(case.decide(&mutations, &proof)) {
        let truth = judge(load(&case.printed(mutation)).system()).0;
        let survived = matches!(decided.fate, Fate::Survived { .. });
        assert_eq!(survived, truth == Truth::Holds, "{}", mutation.label);
    }
}

/// The assertion reads no variable, so that nothing depends on it until a mutation makes it false.
#[test]
fn an_assertion_without_variables_that_becomes_false_is_a_contradiction() {
    let case = load(
        "node main(i: int) returns (o: bool);
         let
           assert false or true;
           o = i > 0 or i <= 0;
           --%PROPERTY \"either\" o;
         tel;",
    );
    let decided = case.cross_check("or2left");
    let contradiction = |fate: &&Fate| matches!(fate, Fate::Vacuous { .. });
    assert!(fates(&decided, "or2left").iter().any(contradiction));
}

#[test]
fn a_subrange_is_assumed_of_inputs_and_proved_of_locals() {
    let case = load(
        "type small = subrange [0, 3] of int;
         node main(i: small) returns (o: int);
         var l: small;
         let
           l = if i > 2 then 0 else i + 1;
           o = l + i;
           --%PROPERTY \"sum\" o <= 6;
         tel;",
    );
    let decided = case.cross_check("default,paper");
    // With `i >= 2` as with `i > 2` the local stays in its range; `i > 3` lets it out.
    assert!(
        fates(&decided, "const_plus int 2 -> 3")
            .iter()
            .any(|fate| matches!(fate, Fate::Killed { .. }))
    );
}

#[test]
fn contradictory_assumptions_are_no_survivors() {
    let case = load(
        "node main(i: int) returns (o: int);
         var low: int;
         let
           low = 1;
           assert i >= low;
           assert i <= 1;
           o = i + 1;
           --%PROPERTY \"positive\" o > 0;
         tel;",
    );
    let decided = case.cross_check("default,paper");
    let vacuous = decided
        .iter()
        .filter(|(_, one)| matches!(one.fate, Fate::Vacuous { .. }));
    assert!(vacuous.count() > 0);
    assert!(
        fates(&decided, "const_plus int 1 -> 2")
            .iter()
            .any(|fate| matches!(fate, Fate::Vacuous { .. }))
    );
}

#[test]
fn assumptions_that_a_later_state_contradicts_are_no_survivors() {
    let case = load(
        "node main(i: int) returns (o: int);
         var n: int;
         let
           n = 0 -> if pre n >= 2 then 0 else pre n + 1;
           assert n <= 2;
           o = if i > 0 then i else 0;
           --%PROPERTY \"natural\" o >= 0;
         tel;",
    );
    case.cross_check("default,paper");
}

#[test]
fn what_the_front_end_makes_is_no_place_for_faults() {
    let text = "
type color = enum {red, green, blue};
node hold(i: int) returns (o: int);
let
  o = i + 1;
tel;
node main(c: color; v: int[2]; tick: bool; at: subrange [0, 1] of int) returns (o: int; w: int[2]);
var d: color;
let
  d = if c = red then green else c;
  w = v[0 := 7];
  o = condact(tick, hold(w[at]), 0);
  --%PROPERTY \"not red\" d <> red;
  --%PROPERTY \"seven\" w[0] = 7;
tel;
";
    let case = load(text);
    let lines: Vec<&str> = text.lines().collect();
    for mutation in case.mutations("all") {
        let span = mutation.location.span().unwrap();
        let source = &text[span.start as usize..span.end as usize];
        assert!(!source.trim().is_empty(), "{}", mutation.label);
        // The range of an input is assumed: what is written there is its declaration.
        if mutation.mutator == "assumption_remove" {
            assert_eq!(source, "at");
            continue;
        }
        // Everything else that is changed is written somewhere in the bodies.
        let line = text[..span.start as usize].lines().count().max(1) - 1;
        assert!(
            lines[line].contains(" = ") || lines[line].trim().is_empty(),
            "{} at {}",
            mutation.label,
            lines[line]
        );
    }
    case.cross_check("paper,default");
}

#[test]
fn what_is_outside_the_cone_is_in_the_count() {
    let case = load(
        "node main(i: int) returns (o, p: int);
         let
           o = if i > 0 then i else 0;
           p = i + 1;
           --%PROPERTY \"natural\" o >= 0;
         tel;",
    );
    let decided = case.cross_check("paper");
    let outside = decided.iter().filter(|(_, one)| one.by == Test::Outside);
    let outside: Vec<_> = outside.collect();
    assert!(outside.iter().any(|(label, _)| label == "plus2minus"));
    for (label, one) in outside {
        let different = matches!(
            one.fate,
            Fate::Survived {
                comparison: Some(Comparison::Different(_)),
                ..
            }
        );
        assert!(different, "{label}: {:?}", one.fate);
    }
}

#[test]
fn tiny_models_are_decided_as_from_scratch() {
    for text in [
        "node main(a, b: bool) returns (x, y: bool);
         let
           x = a and not b -> pre y or a;
           y = b => x;
           --%PROPERTY \"p\" b and not x => not y;
           --%PROPERTY \"q\" y or b;
         tel;",
        "node main(up: bool) returns (n: int; full: bool);
         let
           n = 0 -> if pre full then 0 else if up then pre n + 1 else pre n;
           full = n >= 3;
           --%PROPERTY \"low\" n >= 0;
           --%PROPERTY \"high\" n <= 3;
         tel;",
        "node count(reset: bool) returns (n: int);
         let
           n = if reset then 0 else 0 -> (pre n + 1) mod 4;
         tel;
         node main(r: bool) returns (x, y, z: int);
         let
           x = count(r);
           y = count(r or x = 2);
           z = x - x;
           --%PROPERTY \"range\" x < 4 and y < 4;
           --%PROPERTY \"zero\" z = 0;
         tel;",
        "node main(x: real; hold: bool) returns (y: real);
         var last: real;
         let
           last = 0.0 -> pre y;
           y = if hold then last else if x < 0.0 then -x else x / 2.0;
           --%PROPERTY \"not negative\" y >= 0.0;
         tel;",
        "node main(i: bool) returns (o: bool);
         var a, b: bool;
         let
           a = pre i;
           b = if i then a else a and true;
           o = b or not b;
           --%PROPERTY \"yes\" o;
         tel;",
        // Compound values are compared as a whole.
        "type pair = struct {l: int; r: bool};
         node main(p, q: pair; a: int[2]) returns (o: bool);
         let
           assert p = q;
           assert a <> [1, 2];
           o = p = q and p.l = q.l;
           --%PROPERTY \"same\" o and p.r = q.r;
           --%PROPERTY \"not both\" not (a[0] = 1 and a[1] = 2);
         tel;",
        // Within one step, `y` and `x` need each other, and so do `left` and `right`.
        "node main(i: int; on: bool) returns (x: int);
         var y: int; left, right: bool;
         let
           y = x - 3;
           x = if on then 2 * y else 0 -> pre x + i;
           left = not right;
           right = not left;
           --%PROPERTY \"solved\" on => x = 6;
           --%PROPERTY \"apart\" left <> right;
         tel;",
        // The arbitrary values stay in their range, also in the mutants.
        "node main(i: subrange [1, 3] of int; c: bool) returns (o: subrange [1, 3] of int);
         var a: int;
         let
           o = pre o;
           a = pre (if c then i else o);
           --%PROPERTY \"range\" 1 <= a and a <= 3;
         tel;",
    ] {
        load(text).cross_check("all");
    }
}

#[test]
fn a_core_much_smaller_than_the_cone_decides_the_same() {
    let case = load(
        "node main(i: int) returns (n: int);
         var a, b, c, d, e: int;
         let
           a = i + 1;
           b = a + 2;
           c = if b > a then b - a else 0;
           d = c + i;
           e = if d > 5 then d + b else b;
           n = 0 -> if e > 3 and d < 9 then pre n + 1 else if c = 2 then pre n else pre n + 2;
           --%PROPERTY \"not negative\" n >= 0;
         tel;",
    );
    let (_, proofs) = judge(case.system());
    let (_, core) = case.core(&joint_proof(&proofs));
    assert!(core.len() * 2 <= case.system().elements().len());
    let decided = case.cross_check("all");
    let by_induction = decided.iter().filter(|(_, one)| one.by == Test::Induction);
    assert!(by_induction.count() > 10);
}

#[test]
fn choices_are_shared_with_the_original() {
    // The first value of `a` is a choice; what is changed changes nothing.
    let case = load(
        "node main(i: int) returns (o: int; ok: bool);
         var a, c: int;
         let
           c = if i > 0 then i else i;
           a = pre c;
           o = a;
           ok = true;
           --%PROPERTY ok;
         tel;",
    );
    for fate in fates(&case.cross_check("ifelsethen"), "ifelsethen") {
        let same = matches!(
            fate,
            Fate::Survived {
                comparison: Some(Comparison::Equivalent { .. }),
                ..
            }
        );
        assert!(same, "{fate:?}");
    }
}

/// A solver that gives up on some questions, and is offended when asked for a model then.
struct Moody {
    inner: Embedded,
    /// It gives up when the number of questions is a multiple of this.
    gives_up: u32,
    questions: u32,
    gave_up: bool,
}

impl Moody {
    fn new(gives_up: u32, questions: u32) -> Moody {
        Moody {
            inner: Embedded::default(),
            gives_up,
            questions,
            gave_up: false,
        }
    }
}

impl Solver for Moody {
    fn name(&self) -> String {
        self.inner.name()
    }
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }
    fn declare(&mut self, variable: Term) -> Result<(), SolveError> {
        self.inner.declare(variable)
    }
    fn assert(&mut self, formula: Term) -> Result<(), SolveError> {
        self.inner.assert(formula)
    }
    fn push(&mut self) -> Result<(), SolveError> {
        self.inner.push()
    }
    fn pop(&mut self, scopes: usize) -> Result<(), SolveError> {
        self.inner.pop(scopes)
    }
    fn check(&mut self, assumptions: &[Term]) -> Result<Answer, SolveError> {
        self.questions += 1;
        self.gave_up = self.questions.is_multiple_of(self.gives_up);
        match self.gave_up {
            true => Ok(Answer::Unknown(Unknown::Budget)),
            false => self.inner.check(assumptions),
        }
    }
    fn value(&mut self, term: Term) -> Result<proofmark_model::Value, SolveError> {
        assert!(!self.gave_up, "there is no model");
        self.inner.value(term)
    }
    fn core(&mut self) -> Result<Vec<Term>, SolveError> {
        assert!(!self.gave_up, "there is no core");
        self.inner.core()
    }
    fn set_budget(&mut self, budget: Budget) {
        self.inner.set_budget(budget);
    }
    fn interrupt(&self) -> Interrupt {
        self.inner.interrupt()
    }
    fn statistics(&self) -> Statistics {
        self.inner.statistics()
    }
}

#[test]
fn a_solver_that_does_not_know_decides_nothing() {
    let case = load(
        "node main(up: bool) returns (n: int; full: bool);
         let
           n = 0 -> if pre full then 0 else if up then pre n + 1 else pre n;
           full = n >= 3;
           --%PROPERTY \"low\" n >= 0;
           --%PROPERTY \"high\" n <= 3;
         tel;",
    );
    let (_, proofs) = judge(case.system());
    let mutations = case.mutations("all");
    for first in 0..3 {
        let moody =
            move || -> Result<Box<dyn Solver>, SolveError> { Ok(Box::new(Moody::new(3, first))) };
        let decided = case.decide_with(&mutations, &joint_proof(&proofs), &moody);
        for (mutation, decided) in mutations.iter().zip(decided) {
            let mutant = Mutant::new(&case.lowered, mutation, "mutant:").unwrap();
            let truth = judge(&mutant.of(case.system()).unwrap()).0;
            match decided.fate {
                Fate::Killed { .. } => assert_eq!(truth, Truth::Fails, "{}", mutation.label),
                Fate::Survived { .. } => assert_eq!(truth, Truth::Holds, "{}", mutation.label),
                _ => {}
            }
        }
    }
}

/// A solver that knows nothing.
fn open_silent() -> Result<Box<dyn Solver>, SolveError> {
    Ok(Box::new(Moody::new(1, 0)))
}

/// Its assumptions have nothing to do with its property, and a mutant of the bound contradicts them.
const APART: &str = "node main(i, j: int) returns (o: int);
     var low: int;
     let
       low = 1;
       assert j >= low;
       assert j <= 1;
       o = if i > 0 then i else 0;
       --%PROPERTY \"natural\" o >= 0;
     tel;";

#[test]
fn a_survivor_without_a_known_run_of_its_assumptions_is_unknown() {
    let case = load(APART);
    let (_, proofs) = judge(case.system());
    let (proof, core) = case.core(&joint_proof(&proofs));
    let mutations = case.mutations("const_plus");
    let fate = |open: &(dyn Fn() -> Result<Box<dyn Solver>, SolveError> + Sync)| {
        let decided = case.decide_on(&mutations, (&proof, &core), open);
        let named = mutations.iter().zip(decided);
        let mut named = named.filter(|(one, _)| one.label == "const_plus int 1 -> 2");
        named.next().unwrap().1.fate
    };
    assert!(matches!(fate(&open), Fate::Vacuous { .. }));
    let Fate::Unknown { why, cut, .. } = fate(&open_silent) else {
        panic!("nobody knows whether it has a run");
    };
    assert!(
        why.contains("whether the assumptions accept a run"),
        "{why}"
    );
    assert!(!cut);
}

#[test]
fn a_proof_says_when_nobody_knows_whether_the_assumptions_can_be_met() {
    let case = load(APART);
    let first = AtomicBool::new(true);
    let open = || match first.swap(false, Ordering::SeqCst) {
        true => open_silent(),
        false => open(),
    };
    let question = Question {
        system: case.system(),
        properties: vec![0],
        specifications: Vec::new(),
        limits: Limits {
            jobs: 1,
            ..Limits::default()
        },
        open: &open,
        auditor: Some(Auditor::default()),
        smoothing: Smoothing::Off,
        deadlocks: false,
        statistics: false,
    };
    let verified = verify(&question, &mut |_| ()).unwrap_or_else(|error| panic!("{error}"));
    assert!(matches!(
        verified.judgements[0].verdict,
        Verdict::Valid { .. }
    ));
    assert!(matches!(verified.assumptions, Assumptions::Unknown { .. }));
}

#[test]
fn a_silent_auditor_leaves_survivors_unaudited() {
    let case = load(APART);
    let (_, proofs) = judge(case.system());
    let proof = joint_proof(&proofs);
    let all = case.system().ids().collect();
    let mutations = case.mutations("default");
    let silent = Auditor {
        open: &open_silent,
        ..Auditor::default()
    };
    let unaudited = case.decide_by(&mutations, (&proof, &all), &open, silent);
    let accepting = Auditor {
        accept_unaudited: true,
        ..silent
    };
    let accepted = case.decide_by(&mutations, (&proof, &all), &open, accepting);
    let audited = case.decide(&mutations, &proof);
    for ((one, other), sure) in unaudited.iter().zip(&accepted).zip(&audited) {
        // What nothing depends on has the audit of the original's proof.
        let is_claim = sure.by != Test::Outside || matches!(sure.fate, Fate::Vacuous { .. });
        match &sure.fate {
            Fate::Killed { .. } => assert!(matches!(one.fate, Fate::Killed { .. })),
            _ if !is_claim => assert!(one.fate.audit().unwrap().passed()),
            _ => {
                assert!(matches!(one.fate, Fate::Unaudited { cut: false, .. }));
                let kind = std::mem::discriminant(&sure.fate);
                assert_eq!(kind, std::mem::discriminant(&other.fate));
                let audit = other.fate.audit();
                assert!(matches!(audit, Some(Audited::NoAnswer { .. })));
            }
        }
    }
    let count = |is: fn(&Fate) -> bool| audited.iter().filter(|one| is(&one.fate)).count();
    assert!(count(|fate| matches!(fate, Fate::Vacuous { .. })) > 0);
    assert!(count(|fate| matches!(fate, Fate::Survived { .. })) > 0);
}
