//! What SMV means, case by case: each test is a small model of our own whose answers are known from
//! NuSMV 2.6. Invariants over constants are evaluated here; the rest is what the front end makes or says.

use proofmark_lang::{Design, LANGUAGES, Loaded, Options};
use proofmark_model::{Claim, Lowered, Role, System, Term, Value, When, lower};
use proofmark_source::{Severity, Sources};
use std::collections::HashMap;

/// The model, or the errors in order, and all warnings.
fn load(text: &str) -> (Result<Loaded, Vec<String>>, Vec<String>) {
    let mut sources = Sources::default();
    let file = sources.add("m.smv", text.to_string()).unwrap();
    let language = LANGUAGES.choose("m.smv", None).unwrap();
    let (design, diagnostics) = (language.load)(&sources, file, &Options::default());
    let of = |severity| {
        let found = diagnostics.iter().filter(|one| one.severity == severity);
        let texts = found.map(|one| {
            assert!(one.hint.is_some(), "no hint: {}", one.message);
            format!("{}: {}", sources.place(one.span).line, one.message)
        });
        texts.collect::<Vec<String>>()
    };
    let warnings = of(Severity::Warning);
    let loaded = design
        .and_then(Design::words)
        .ok_or_else(|| of(Severity::Error));
    (loaded, warnings)
}

fn model(text: &str) -> Loaded {
    let (loaded, warnings) = load(text);
    assert!(warnings.is_empty(), "{warnings:?}");
    loaded.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn errors(text: &str) -> Vec<String> {
    load(text)
        .0
        .err()
        .unwrap_or_else(|| panic!("no error in\n{text}"))
}

fn lowered(text: &str) -> Lowered {
    lower(&model(text).model).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// What invariants over constants are.
fn constants(text: &str) -> Vec<bool> {
    let text = format!("MODULE main VAR b : boolean; {text}");
    let properties = lowered(&text).system.properties().to_vec();
    let truths = properties.iter().map(|one| {
        let value = one
            .term
            .as_const()
            .unwrap_or_else(|| panic!("{}", one.name));
        value.as_bool().unwrap()
    });
    truths.collect()
}

/// Whether an invariant over Booleans is true whatever they are.
fn tautologies(text: &str) -> Vec<bool> {
    let text = format!("MODULE main VAR a : boolean; b : boolean; c : boolean; {text}");
    let system: System = lowered(&text).system;
    let variables: Vec<Term> = system.variables().iter().map(|one| one.current).collect();
    let always = |term: Term| {
        (0..8u32).all(|bits| {
            let values = variables.iter().enumerate();
            let known = values.map(|(at, term)| (*term, Value::Bool(bits >> at & 1 == 1)));
            let known: HashMap<_, _> = known.collect();
            evaluate(term, &known)
        })
    };
    system
        .properties()
        .iter()
        .map(|one| always(one.term))
        .collect()
}

fn evaluate(term: Term, known: &HashMap<Term, Value>) -> bool {
    let mut values: HashMap<Term, Term> = known
        .iter()
        .map(|(term, value)| (*term, Term::constant(value.clone())))
        .collect();
    let mut stack = vec![term];
    while let Some(&top) = stack.last() {
        if values.contains_key(&top) {
            stack.pop();
            continue;
        }
        let missing: Vec<Term> = top
            .args()
            .iter()
            .copied()
            .filter(|arg| !values.contains_key(arg))
            .collect();
        if !missing.is_empty() {
            stack.extend(missing);
            continue;
        }
        let args: Vec<Term> = top.args().iter().map(|arg| values[arg]).collect();
        let made = Term::build(top.op().clone(), &args).unwrap();
        values.insert(top, made);
    }
    values[&term].is_true()
}

#[test]
fn operators_bind_as_in_nusmv() {
    let found = tautologies(
        "INVARSPEC (a -> b -> c) <-> (a -> (b -> c))
         INVARSPEC (a -> b -> c) <-> ((a -> b) -> c)
         INVARSPEC (!b = c) <-> ((!b) = c)
         INVARSPEC (c | a & b) <-> (c | (a & b))
         INVARSPEC (a | b xor c) <-> ((a | b) xor c)
         INVARSPEC (a | b xor c) <-> (a | (b xor c))
         INVARSPEC (c <-> b -> a) <-> ((c <-> b) -> a)
         INVARSPEC (c <-> b -> a) <-> (c <-> (b -> a))
         INVARSPEC (b ? a : c -> b) <-> ((b ? a : c) -> b)
         INVARSPEC (b ? a : c -> b) <-> (b ? a : (c -> b))
         INVARSPEC (b xor c) <-> (b xnor !c)
         INVARSPEC (b != a = c) <-> ((b != a) = c)
         INVARSPEC (a = b & c) <-> ((a = b) & c)",
    );
    let wanted = [
        true, false, true, true, true, false, true, false, true, false, true, true, true,
    ];
    assert_eq!(found, wanted);
}

#[test]
fn division_truncates_and_so_does_the_remainder() {
    let found = constants(
        "DEFINE q := -9 / 4; r := -9 mod 4; p := 9 / -4; s := 9 mod -4;
         INVARSPEC q = -2 INVARSPEC r = -1 INVARSPEC p = -2 INVARSPEC s = 1 INVARSPEC r = 3",
    );
    assert_eq!(found, [true, true, true, true, false]);
    // The same for variables, by value.
    let text = "MODULE main VAR x : -5..5; y : {-3, -1, 2}; INVARSPEC x / y * y + x mod y = x";
    let system = lowered(text).system;
    let variables: Vec<Term> = system.variables().iter().map(|one| one.current).collect();
    for x in -5..=5 {
        for y in [-3, -1, 2] {
            let values = [
                (variables[0], Value::Int(x.into())),
                (variables[1], Value::Int(y.into())),
            ];
            let known: HashMap<_, _> = values.into_iter().collect();
            assert!(evaluate(system.properties()[0].term, &known), "{x} {y}");
        }
    }
}

#[test]
fn words_wrap_shift_and_change_width() {
    let found = constants(
        "INVARSPEC (0ud3_7 + 0ud3_2) = 0ud3_1
         INVARSPEC (0sd5_15 + 0sd5_1) = -0sd5_16
         INVARSPEC (-0sd5_9 / 0sd5_4) = -0sd5_2
         INVARSPEC (-0sd5_9 mod 0sd5_4) = -0sd5_1
         INVARSPEC (-0sd5_16 >> 2) = -0sd5_4
         INVARSPEC (0ud5_16 >> 2) = 0ud5_4
         INVARSPEC (0ub3_101 :: 0ub1_1) = 0ub4_1011
         INVARSPEC (0ub5_10110 [3:1]) = 0ub3_011
         INVARSPEC extend(-0sd3_2, 3) = -0sd6_2
         INVARSPEC extend(0ud3_6, 3) = 0ud6_6
         INVARSPEC unsigned(-0sd3_1) = 0ud3_7
         INVARSPEC signed(0ud3_7) = -0sd3_1
         INVARSPEC resize(0ud5_30, 3) = 0ud3_6
         INVARSPEC resize(-0sd5_15, 3) = -0sd3_3
         INVARSPEC word1(FALSE) = 0ub1_0
         INVARSPEC toint(0ud5_19) = 19
         INVARSPEC toint(-0sd5_3) = -3
         INVARSPEC !bool(0ub1_0)
         INVARSPEC swconst(-2, 3) = -0sd3_2
         INVARSPEC uwconst(5, 3) = 0ud3_5
         INVARSPEC (!0ub3_100) = 0ub3_011
         INVARSPEC 0h_1a = 0ud8_26
         INVARSPEC count(TRUE, TRUE, FALSE) = 2
         INVARSPEC sizeof(0ud7_3) = 7
         INVARSPEC (0ud4_3 << 0ud2_2) = 0ud4_12
         INVARSPEC (0ub4_1100 xor 0ub4_1010) = 0ub4_0110
         INVARSPEC (0ub2_10 -> 0ub2_01) = 0ub2_01
         INVARSPEC 0sd4_3 > -0sd4_3 INVARSPEC 0ud4_3 > 0ud4_13
         INVARSPEC max(3, abs(-7)) = 7 & min(2, 1) = 1",
    );
    let wrong: Vec<usize> = found
        .iter()
        .enumerate()
        .filter(|(_, one)| !**one)
        .map(|(at, _)| at)
        .collect();
    assert_eq!(wrong, [28]);
}

#[test]
fn truth_values_are_no_numbers() {
    let found = errors(
        "MODULE main
         VAR b : boolean;
         ASSIGN init(b) := 0;
           next(b) := case 1 : !b; esac;
         CTLSPEC AG (b = 1)",
    );
    let wanted = [
        "3: `b` is boolean and gets a value that is integer",
        "4: a condition must be boolean, found integer",
        "5: these are of different types: boolean and integer",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn a_minus_within_a_name_is_a_part_of_it() {
    let found = errors("MODULE main VAR x : 0..3; ASSIGN next(x) := x-1;");
    assert_eq!(found, ["1: `x-1` is not declared"]);
    model("MODULE main VAR x-1 : 0..3; ASSIGN next(x-1) := x-1;");
}

#[test]
fn circles_and_double_assignments_are_found() {
    let found = errors("MODULE main VAR x : 0..3; y : 0..3; ASSIGN x := y; y := x;");
    assert!(found[0].contains("is defined by itself"), "{found:?}");
    let found = errors("MODULE main VAR x : 0..3; ASSIGN next(x) := 0; next(x) := 1;");
    assert_eq!(found, ["1: `x` is assigned twice"]);
    let found = errors("MODULE main VAR x : 0..3; ASSIGN x := 0; init(x) := 1;");
    assert_eq!(found, ["1: `x` is assigned twice"]);
    let found = errors("MODULE main DEFINE d := e + 1; e := d; VAR x : 0..3; ASSIGN init(x) := d;");
    assert!(found[0].contains("is defined by itself"), "{found:?}");
    // A step's circle through a state's assignment is a relation.
    model("MODULE main VAR x : 0..3; y : 0..3; ASSIGN next(x) := next(y); y := x; INVARSPEC x = y");
}

#[test]
fn ranges_and_cases_are_looked_at_in_all_states() {
    let found = errors("MODULE main VAR x : 0..3; ASSIGN init(x) := 0; next(x) := x + 1;");
    assert_eq!(found, ["1: `x` may get a value outside of 0..3"]);
    let found =
        errors("MODULE main VAR x : 0..3; ASSIGN next(x) := case x < 2 : x; x = 3 : 0; esac;");
    assert_eq!(found, ["1: no branch of this `case` may apply"]);
    let found =
        errors("MODULE main VAR x : 0..3; ASSIGN init(x) := 1; next(x) := x; INVARSPEC 5 / x = 5");
    assert_eq!(found, ["1: this may divide by zero"]);
    let found = errors("MODULE main VAR a : array 0..2 of boolean; i : 0..3; INVARSPEC a[i]");
    assert_eq!(found, ["1: the index may be out of bounds"]);
    let found = errors("MODULE main VAR x : {p, q}; y : {q, r}; ASSIGN next(x) := y;");
    assert_eq!(found, ["1: `x` may get a value outside of {p, q}"]);
    // What guards exclude is no fault, whatever INVAR says is none either.
    model(
        "MODULE main VAR x : 0..3; y : 0..3; a : array 0..2 of boolean;
         ASSIGN next(x) := case x = 3 : 0; x < 3 : x + 1; esac;
         INVARSPEC x != 0 -> y / x <= 3
         INVARSPEC x < 3 -> a[x] | !a[x]
         INVARSPEC x = 0 | (y mod x) < 3",
    );
    let guarded = "MODULE main VAR x : 0..3; INVAR x < 3; ASSIGN next(x) := x + 1;";
    assert_eq!(errors(guarded), ["1: `x` may get a value outside of 0..3"]);
}

#[test]
fn sets_stand_where_one_of_them_is_chosen() {
    let loaded = model(
        "MODULE main VAR x : 0..3; y : 0..3;
         ASSIGN init(x) := {0, 1}; next(x) := x in {0, 1} ? {2, 3} : (x union 0); y := x;
         INVARSPEC x in {0, 1, 2, 3}",
    );
    let relations = loaded
        .model
        .equations
        .iter()
        .filter(|one| one.target.is_none());
    assert_eq!(relations.filter(|one| one.origin.is_source()).count(), 2);
    let found = errors("MODULE main VAR x : 0..3; DEFINE z := {0, 1}; CTLSPEC AG (z = 0 | z = 1)");
    assert_eq!(found, ["1: a set cannot stand here"]);
}

#[test]
fn inputs_label_steps() {
    let found = errors("MODULE main IVAR i : boolean; VAR s : 0..3; CTLSPEC EX i");
    assert_eq!(found, ["1: `i` is an input, which no state has a value of"]);
    let loaded = model(
        "MODULE main IVAR i : boolean; VAR s : 0..3; FROZENVAR f : 0..3;
         ASSIGN init(s) := f; next(s) := i ? s : f;
         LTLSPEC G (i -> X s = f) CTLSPEC AG s = f INVARSPEC s = f",
    );
    let inputs = loaded
        .model
        .variables
        .iter()
        .filter(|one| one.role == Role::Input);
    assert_eq!(inputs.count(), 1);
    let system = lower(&loaded.model).unwrap().system;
    let frozen = loaded
        .model
        .equations
        .iter()
        .filter(|one| one.when == When::Later);
    assert_eq!(frozen.count(), 2);
    assert!(format!("{:?}", system.elements()[1].step()).contains("i@pre"));
    let found = errors("MODULE main FROZENVAR f : boolean; ASSIGN next(f) := TRUE;");
    assert_eq!(found, ["1: `f` is frozen and has only a first value"]);
}

#[test]
fn formulas_of_time_are_read_as_they_bind() {
    let text = |formula: &str, kind: &str| {
        let loaded = model(&format!(
            "MODULE main VAR a : boolean; b : boolean; {kind} {formula}"
        ));
        match &loaded.model.specifications[0].claim {
            Claim::Linear(formula) | Claim::Branching(formula) => {
                let nodes = formula.nodes().iter().map(|node| match node {
                    proofmark_model::Node::Atom(tree) => format!("{tree:?}"),
                    other => format!("{other:?}"),
                });
                nodes
                    .collect::<Vec<String>>()
                    .join("; ")
                    .replace("Subformula", "")
            }
            other => panic!("{other:?}"),
        }
    };
    let same = |kind: &str, short: &str, long: &str| {
        assert_eq!(text(short, kind), text(long, kind), "{short}");
    };
    same("LTLSPEC", "a U b U a", "(a U b) U a");
    same("LTLSPEC", "a U b & G a", "(a U b) & (G a)");
    same("LTLSPEC", "! a U b", "(!a) U b");
    same("LTLSPEC", "X a U b", "(X a) U b");
    same("LTLSPEC", "G a -> F b", "(G a) -> (F b)");
    same("LTLSPEC", "F X a = b", "F (X (a = b))");
    same("CTLSPEC", "AG a -> AF b", "(AG a) -> (AF b)");
    same("CTLSPEC", "! EF a & b", "(!(EF a)) & b");
    same("CTLSPEC", "A [a & b U b | a]", "A [(a & b) U (b | a)]");
    same(
        "CTLSPEC",
        "E [a BU 0..2 b] <-> EBF 0..3 a",
        "(E [a BU 0..2 b]) <-> (EBF 0..3 (a))",
    );
    same(
        "PSLSPEC",
        "always a -> eventually! b",
        "always (a -> (eventually! b));",
    );
    same("PSLSPEC", "never a & b;", "never (a & b);");
    assert_eq!(
        errors("MODULE main VAR a : boolean; CTLSPEC G a LTLSPEC AG a"),
        [
            "1: an operator of CTL has a path quantifier",
            "1: an operator of LTL has no path quantifier"
        ]
    );
    assert!(!errors("MODULE main VAR a : boolean; PSLSPEC {a;a} |-> a;").is_empty());
}

#[test]
fn processes_take_turns_and_are_warned_about() {
    let (loaded, warnings) = load(
        "MODULE main VAR p : process cell(q.x); q : process cell(p.x);
         CTLSPEC AG EF p.x
         MODULE cell(input) VAR x : boolean;
         ASSIGN init(x) := FALSE; next(x) := !input; FAIRNESS running",
    );
    assert_eq!(warnings.len(), 1);
    let loaded = loaded.unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(loaded.model.fairness.justice.len(), 2);
    let selector = &loaded.model.variables[2];
    assert_eq!(
        (selector.role, selector.name.as_str()),
        (Role::Input, "_process_selector_")
    );
    assert_eq!(selector.sort().to_string(), "_process_selector_");
}

#[test]
fn modules_have_parameters_and_parts() {
    let loaded = model(
        "MODULE main VAR c : counter(up, 3); up : boolean; d : watcher(c);
         INVARSPEC c.n <= 3
         MODULE counter(go, top) ISA named
         VAR n : 0..top;
         ASSIGN init(n) := 0; next(n) := go & n < top ? n + 1 : n;
         MODULE named DEFINE full := n = top;
         MODULE watcher(watched) DEFINE watched.seen := watched.full; ok := watched.seen;
         SPEC AG (ok -> watched.n = 3)",
    );
    let names: Vec<&str> = loaded
        .model
        .variables
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names, ["c.n", "up"]);
    assert!(loaded.model.specifications[0].name.ends_with("IN d"));
    let found = errors("MODULE main VAR a : m; MODULE m VAR b : n; MODULE n VAR c : m;");
    assert_eq!(found, ["1: module `m` has an instance of itself"]);
    let found = errors("MODULE main VAR a : m(1, 2); MODULE m(x) DEFINE d := x;");
    assert_eq!(found, ["1: module `m` takes 1 parameters, found 2"]);
    let found = errors("MODULE main VAR a : m(1, 2); DEFINE a.d := 1; MODULE m(x) DEFINE e := x;");
    assert_eq!(found.len(), 1, "{found:?}");
    let found = errors("MODULE main VAR a : mm; MODULE m DEFINE d := 1;");
    assert_eq!(found, ["1: there is no module `mm`"]);
}

#[test]
fn enumerations_of_different_types_are_compared_by_name() {
    let text = "MODULE main VAR x : {p, q, 1}; y : {q, 2, 1}; n : 0..3;
         ASSIGN next(n) := case x = y : 1; x = n : 2; y = 2 : 3; TRUE : 0; esac;
         INVARSPEC x = 1 & n = 1 -> x = n INVARSPEC x = p -> x != y INVARSPEC x in {p, q, 1}";
    lower(&model(text).model).unwrap();
    let found = errors("MODULE main VAR x : {p, q}; INVARSPEC x = 1");
    assert_eq!(
        found,
        ["1: these are of different types: symbolic and integer"]
    );
}

#[test]
fn deep_large_and_endless_texts_get_an_answer() {
    let deep = format!(
        "MODULE main VAR b : boolean; INVARSPEC {}b{}",
        "(".repeat(5000),
        ")".repeat(5000)
    );
    assert!(
        errors(&deep)[0].contains("nest deeper"),
        "{:?}",
        errors(&deep)
    );
    let long = format!(
        "MODULE main VAR b : boolean; INVARSPEC b{}",
        " | b".repeat(20_000)
    );
    lower(&model(&long).model).unwrap();
    let mut chain = "MODULE main VAR b : boolean; DEFINE d0 := b;\n".to_string();
    for at in 1..5_000 {
        chain.push_str(&format!("d{at} := !d{};\n", at - 1));
    }
    chain.push_str("INVARSPEC d4999");
    lower(&model(&chain).model).unwrap();
    assert!(errors("MODULE main VAR a : array 0..99999999 of boolean;")[0].contains("too large"));
    let mut many = "MODULE main VAR\n".to_string();
    for at in 0..10_000 {
        many.push_str(&format!("v{at} : 0..3;\n"));
    }
    many.push_str("INVARSPEC v0 <= 3");
    model(&many);
    let mut twice = "MODULE main VAR a : m0; b : m0;\n".to_string();
    for at in 0..30 {
        twice.push_str(&format!("MODULE m{at} VAR a : m{0}; b : m{0};\n", at + 1));
    }
    twice.push_str("MODULE m30 VAR x : boolean;");
    assert!(errors(&twice)[0].contains("more than"));
}
