//! What programs mean: small ones are loaded, lowered and run, and their values compared.

use proofmark_lang::lustre::{self, EquationKind, GoalKind, Loaded, Options, VariableKind};
use proofmark_model::{Category, Program, Role, Symbol, Term, Trace, Value, lower};
use proofmark_source::{Severity, Sources};
use std::collections::HashMap;

#[track_caller]
fn load(text: &str) -> Loaded {
    let mut sources = Sources::default();
    let file = sources.add("test.lus", text.into()).unwrap();
    let (loaded, diagnostics) = lustre::load(&sources, file, &Options::default());
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    assert_eq!(errors.count(), 0, "{diagnostics:#?}");
    loaded.unwrap()
}

fn value(text: &str, variable: Term) -> Value {
    match variable.sort() {
        proofmark_model::Sort::Bool => Value::Bool(text == "true"),
        proofmark_model::Sort::Int => Value::Int(text.parse::<i64>().unwrap().into()),
        proofmark_model::Sort::Real => Value::Real(text.parse::<i64>().unwrap().into()),
        proofmark_model::Sort::Enum(sort) => {
            let position = sort.values().iter().position(|known| known == text);
            Value::Enum(sort, position.unwrap() as u32)
        }
        other => panic!("no values of {other}"),
    }
}

/// Runs a program on rows of values for `inputs` (`"a b"`, then `"1 true"`, …) and returns the
/// values of each variable over the steps, as text.
#[track_caller]
fn run(text: &str, inputs: &str, rows: &[&str]) -> HashMap<String, String> {
    let loaded = load(text);
    let lowered = lower(&loaded.model).unwrap();
    let system = &lowered.system;
    let program = Program::compile(system).unwrap();
    let columns: Vec<Term> = inputs
        .split_whitespace()
        .map(|name| system.variable_named(Symbol::new(name)).unwrap().current)
        .collect();
    let mut trace = Trace::new(columns.clone());
    for row in rows {
        let row = row.split_whitespace().zip(&columns);
        trace
            .push(row.map(|(text, column)| value(text, *column)).collect())
            .unwrap();
    }
    let (result, _) = program.machine().run(&trace);
    let mut values = HashMap::new();
    for variable in system.variables() {
        let steps = (0..rows.len()).map(|step| {
            let value = result.value(variable.current, step);
            value.map_or(String::new(), ToString::to_string)
        });
        values.insert(
            variable.name.to_string(),
            steps.collect::<Vec<_>>().join(" "),
        );
    }
    values
}

/// The value of a constant expression of some type, by running it.
#[track_caller]
fn evaluate(of: &str, expression: &str) -> String {
    let text = format!("node main() returns (o: {of}); let o = {expression}; tel;");
    run(&text, "", &[""])["o"].clone()
}

#[test]
fn operators_bind_as_in_jkind() {
    let cases = [
        ("int", "1 + 2 * 3 - 4 div 2", "5"),
        ("int", "10 - 3 - 2", "5"),
        ("int", "-2 + 5", "3"),
        ("int", "- 7 mod 3", "2"),
        ("int", "2 * - 3", "-6"),
        ("bool", "true or false and false", "true"),
        ("bool", "not false and false", "false"),
        ("bool", "not true or true", "true"),
        ("bool", "false => false => false", "true"),
        ("bool", "1 < 2 = true", "true"),
        ("bool", "true xor true xor true", "true"),
        ("bool", "true or true xor true", "false"),
        ("bool", "false -> true => false", "false"),
        ("int", "if true then 1 else 2 + 3", "1"),
        ("int", "1 + if false then 1 else 2 + 3", "6"),
        ("int", "1 -> 2 -> 3", "1"),
        ("int", "if true then if false then 1 else 2 else 3", "2"),
        ("bool", "not if true then false else true or true", "true"),
    ];
    for (of, expression, expected) in cases {
        assert_eq!(evaluate(of, expression), expected, "{expression}");
    }
}

#[test]
fn division_is_euclidean_and_numbers_are_exact() {
    assert_eq!(evaluate("int", "(-7) div 2"), "-4");
    assert_eq!(evaluate("int", "(-7) mod 2"), "1");
    assert_eq!(evaluate("int", "7 div (-2)"), "-3");
    assert_eq!(evaluate("int", "(-7) mod (-2)"), "1");
    assert_eq!(evaluate("real", "1.0 / 3.0 + 0.1"), "13/30");
    assert_eq!(evaluate("int", "floor(-1.5) + floor(real(7) / 2.0)"), "1");
    let large = "123456789012345678901234567890";
    assert_eq!(evaluate("int", large), large);
    assert_eq!(
        evaluate("int", &format!("{large} * {large}")),
        "15241578753238836750495351562536198787501905199875019052100"
    );
}

#[test]
fn time_runs_through_arrow_pre_and_fby() {
    let text = "node main(i: int) returns (sum, late, later: int); let
        sum = i -> pre sum + i;
        late = 7 fby i;
        later = 0 -> pre (1 -> pre i);
      tel;";
    let values = run(text, "i", &["1", "2", "3", "4"]);
    assert_eq!(values["sum"], "1 3 6 10");
    assert_eq!(values["late"], "7 1 2 3");
    assert_eq!(values["later"], "0 1 1 2");
}

#[test]
fn enumerations_and_named_constants_are_values() {
    let text = "type light = enum { red, green, yellow };
      const first = red; const pair = [green, yellow]; const N : int = 2 * 3;
      node main(go: bool) returns (l: light; n: int); let
        l = first -> if pre l = red and go then pair[0] else if pre l = pair[0] then pair[1] else red;
        n = N + 1;
      tel;";
    let values = run(text, "go", &["true", "true", "true", "true", "false"]);
    assert_eq!(values["l"], "red green yellow red red");
    assert_eq!(values["n"], "7 7 7 7 7");
}

#[test]
fn records_and_arrays_are_taken_apart() {
    let text = "type point = struct { x: int; y: int[2] };
      const origin = point { y = [0, 0]; x = 0 };
      node main(i: int; b: bool) returns (p: point; same: bool; m: int[2][3]; c: int); let
        p = origin -> if b then (pre p){x := i} else (pre p){y := (pre p.y)[1 := i]};
        same = p = origin;
        m = [[1, 2], [3, 4], [5, 6]];
        c = m[2][0] + p.y[1];
      tel;";
    let values = run(text, "i b", &["9 true", "5 true", "6 false", "7 true"]);
    assert_eq!(values["p.x"], "0 5 5 7");
    assert_eq!(values["p.y[0]"], "0 0 0 0");
    assert_eq!(values["p.y[1]"], "0 0 6 6");
    assert_eq!(values["same"], "true false false false");
    assert_eq!(values["m[2][1]"], "6 6 6 6");
    assert_eq!(values["c"], "5 5 11 11");
}

#[test]
fn an_index_that_is_not_constant_becomes_a_choice() {
    let text = "type r = struct { a: int; b: bool };
      node main(i, v: int) returns (o: int; u: int[3]; s: r; d: bool); var t: r[2]; let
        o = [10, 20, 30][i];
        u = [1, 2, 3][i := v];
        t = [r { a = 1; b = false }, r { a = 2; b = true }];
        s = t[i];
        d = u <> [1, 2, 3];
      tel;";
    let values = run(text, "i v", &["0 7", "1 8", "2 9", "5 1", "-1 1"]);
    assert_eq!(values["o"], "10 20 30 30 30");
    assert_eq!(values["u[0]"], "7 1 1 1 1");
    assert_eq!(values["u[2]"], "3 3 9 3 3");
    assert_eq!(values["s.a"], "1 2 2 2 2");
    assert_eq!(values["s.b"], "false true true true true");
    assert_eq!(values["d"], "true true true false false");
}

#[test]
fn at_most_one_counts_all_pairs() {
    let text = "node main(a, b, c: bool) returns (o, single: bool); let
        o = #(a, b, c); single = #(a); tel;";
    let rows = [
        "false false false",
        "true false false",
        "true false true",
        "false true true",
    ];
    let values = run(text, "a b c", &rows);
    assert_eq!(values["o"], "true true false false");
    assert_eq!(values["single"], "true true true true");
}

#[test]
fn instances_have_their_own_memory_and_readable_names() {
    let text = "node count(up: bool) returns (n: int); var one: int; let
        one = if up then 1 else 0; n = one -> pre n + one; tel;
      node both(a: bool) returns (s, d: int); let
        s = count(a) + count(not a);
        d = count(a);
      tel;
      node main(a: bool) returns (x, y: int); let (x, y) = both(a); tel;";
    let values = run(text, "a", &["true", "true", "false"]);
    assert_eq!(values["x"], "1 2 3");
    assert_eq!(values["both~0.count~0.n"], "1 2 2");
    assert_eq!(values["both~0.count~1.n"], "0 0 1");
    assert_eq!(values["both~0.count~2.up"], "true true false");
    assert_eq!(values["y"], "1 2 2");
}

#[test]
fn nested_calls_are_numbered_in_the_order_of_the_text() {
    let text = "node inc(x: int) returns (y: int); let y = x + 1; tel;
      node main(i: int) returns (o: int); let o = inc(inc(i)); tel;";
    let values = run(text, "i", &["1"]);
    assert_eq!(values["inc~0.x"], "2");
    assert_eq!(values["inc~1.x"], "1");
    assert_eq!(values["o"], "3");
}

const COUNTER: &str = "node count(step: int) returns (n: int; even: bool); let
    n = step -> pre n + step; even = true -> not pre even; tel;\n";

#[test]
fn condact_runs_a_node_at_some_steps_only() {
    let text = format!(
        "{COUNTER}node main(c: bool; i: int) returns (n: int; e: bool); let
           (n, e) = condact(c, count(i), -1, false); tel;"
    );
    let rows = [
        "false 1", "true 2", "false 3", "true 4", "true 5", "false 6",
    ];
    let values = run(&text, "c i", &rows);
    assert_eq!(values["n"], "-1 2 2 6 11 11");
    assert_eq!(values["e"], "false true true false true true");
}

#[test]
fn a_clock_that_is_true_is_no_clock() {
    let text = format!(
        "{COUNTER}node main(i: int) returns (n: int; e: bool); let
           (n, e) = condact(true, count(i), -1, false); tel;"
    );
    let loaded = load(&text);
    assert!(!loaded.equations.contains(&EquationKind::Clock));
    let values = run(&text, "i", &["1", "2"]);
    assert_eq!(values["n"], "1 3");
}

#[test]
fn clocks_within_clocks_tick_when_both_do() {
    let text = format!(
        "{COUNTER}node middle(c: bool; i: int) returns (n: int; m: int); var e, f: bool; let
           (n, e) = condact(c, count(i), i, false);
           (m, f) = count(1); tel;
         node main(outer, inner: bool; i: int) returns (n, m: int); let
           (n, m) = condact(outer, middle(inner, i), -1, -2); tel;"
    );
    let rows = [
        "false true 1", // Nothing has run: the outer defaults.
        "true false 2", // The inner default, at the first step of the middle's own time.
        "false true 3",
        "true true 4",
        "true false 5",
        "true true 6",
    ];
    let values = run(&text, "outer inner i", &rows);
    assert_eq!(values["n"], "-1 2 2 4 4 10");
    assert_eq!(values["m"], "-2 1 1 2 3 4");
}

#[test]
fn properties_and_asserts_of_a_clocked_instance_count_while_it_runs() {
    let text = "node f(x: int) returns (y: int); let y = x; assert x > 0; check y > 5; tel;
      node main(c: bool; i: int) returns (o: int); let o = condact(c, f(i), 0); tel;";
    let loaded = load(text);
    let lowered = lower(&loaded.model).unwrap();
    let program = Program::compile(&lowered.system).unwrap();
    let column = |name| {
        lowered
            .system
            .variable_named(Symbol::new(name))
            .unwrap()
            .current
    };
    let mut trace = Trace::new(vec![column("c"), column("i")]);
    for (clock, number) in [(false, -9), (true, 7), (false, 0), (true, 3), (true, -1)] {
        let row = vec![Value::Bool(clock), Value::Int(number.into())];
        trace.push(row).unwrap();
    }
    let outcome = program.machine().run(&trace).1;
    assert_eq!(outcome.first_false, [Some(3)]);
    assert_eq!(outcome.broken_at(), Some(4));
    assert_eq!(loaded.model.goals[0].name, "f~0.y > 5");
}

#[test]
fn functions_are_uninterpreted_and_may_have_several_outputs() {
    let text = "type p = struct { a: int; b: bool };
      function f(x: int; y: p) returns (z: int);
      function g.h(x: int) returns (u: int; v: p);
      node main(i: int; q: p) returns (o, u: int; v: p; same: bool); let
        o = f(i, q); (u, v) = g.h(o); same = f(i, q) = o; tel;";
    let loaded = load(text);
    let names: Vec<String> = loaded
        .model
        .functions
        .iter()
        .map(|f| f.name().to_string())
        .collect();
    assert_eq!(names, ["f", "g.h.u", "g.h.v.a", "g.h.v.b"]);
    assert_eq!(loaded.model.functions[0].domain().len(), 3);
    let values = run(text, "i q.a q.b", &["1 2 true"]);
    assert_eq!(values["same"], "true");
}

#[test]
fn subranges_are_assumed_of_inputs_and_proved_of_the_rest() {
    let text = "type small = subrange [0, 9] of int;
      node f(x: small) returns (y: int); let y = x; tel;
      node main(i: small; j: small[2]) returns (o: small; ok: bool); let
        o = f(i) + j[1]; ok = o >= 0; --%PROPERTY ok; tel;";
    let loaded = load(text);
    let goals = loaded.model.goals.iter().zip(&loaded.goals);
    let goals: Vec<(&str, GoalKind)> = goals.map(|(g, kind)| (g.name.as_str(), *kind)).collect();
    let expected = [
        ("o in [0, 9]", GoalKind::Range),
        ("f~0.x in [0, 9]", GoalKind::Range),
        ("ok", GoalKind::Property),
    ];
    assert_eq!(goals, expected);
    let range = |kind: &&EquationKind| **kind == EquationKind::Range;
    assert_eq!(loaded.equations.iter().filter(range).count(), 3);
    for (goal, kind) in loaded.model.goals.iter().zip(&loaded.goals) {
        assert_eq!(goal.origin.is_source(), *kind == GoalKind::Property);
    }
    for (equation, kind) in loaded.model.equations.iter().zip(&loaded.equations) {
        // The range of an input is written at its declaration.
        let source = matches!(
            kind,
            EquationKind::Equation | EquationKind::Assertion | EquationKind::Range
        );
        assert_eq!(equation.origin.is_source(), source);
    }
}

#[test]
fn variables_are_known_by_role_declaration_and_node() {
    let text = "node f(x: int) returns (y: int); var t: int[2]; let t = [x, x]; y = t[0]; tel;
      node main(i: int) returns (o: int); let o = f(i); tel;";
    let loaded = load(text);
    let facts = |name: &str| {
        let position = loaded
            .model
            .variables
            .iter()
            .position(|v| v.name.as_str() == name);
        let position = position.unwrap();
        let facts = &loaded.variables[position];
        (
            loaded.model.variables[position].role,
            facts.kind,
            facts.declared.as_str(),
            facts.node.as_str(),
        )
    };
    assert_eq!(facts("i"), (Role::Input, VariableKind::Input, "i", "main"));
    assert_eq!(
        facts("o"),
        (Role::Output, VariableKind::Output, "o", "main")
    );
    assert_eq!(facts("f~0.x"), (Role::Local, VariableKind::Input, "x", "f"));
    assert_eq!(
        facts("f~0.t[1]"),
        (Role::Local, VariableKind::Local, "t", "f")
    );
    assert_eq!(loaded.main, "main");
}

#[test]
fn a_place_has_one_identity_in_all_its_instances() {
    let text = "node f(x: int) returns (y: int); let y = x + 1; tel;
      node main(i: int) returns (o: int); let o = f(i) - f(o + 2); tel;"
        .replace("f(o + 2)", "f(i + 2)");
    let loaded = load(&text);
    let bodies: Vec<_> = loaded
        .model
        .equations
        .iter()
        .filter(|equation| equation.target.is_some_and(|t| t.as_str().ends_with(".y")))
        .collect();
    assert_eq!(bodies.len(), 2);
    assert_eq!(bodies[0].tree.id(), bodies[1].tree.id());
    assert_eq!(bodies[0].origin.location, bodies[1].origin.location);
    assert_eq!(bodies[0].origin.path.to_string(), "f~0");
    assert_eq!(bodies[1].tree.origin().path.to_string(), "f~1");
    assert_eq!(bodies[1].origin.category, Category::Equation);
    let occurrences = loaded.model.occurrences();
    assert_eq!(occurrences[&bodies[0].tree.id()].len(), 2);
    // An argument is the user's, what binds it is not.
    let binding = loaded
        .equations
        .iter()
        .rposition(|k| *k == EquationKind::Binding)
        .unwrap();
    let binding = &loaded.model.equations[binding];
    assert!(!binding.origin.is_source());
    assert!(binding.tree.origin().is_source());
    assert_eq!(format!("{:?}", binding.tree), "(+ i 2)");
}

#[test]
fn properties_of_called_nodes_are_checked_in_each_instance() {
    let text = "node f(x: int) returns (y: int); var ok: bool; let
        y = x; ok = y > 0; --%PROPERTY ok;
        --%PROPERTY \"no zero\" y <> 0;
        check \"big\" y > 10; check y   < 100; tel;
      node main(i: int) returns (o: int); let o = f(i) + f(-i); --%IVC o; tel;";
    let loaded = load(text);
    let names: Vec<&str> = loaded
        .model
        .goals
        .iter()
        .map(|goal| goal.name.as_str())
        .collect();
    let expected = [
        "f~0.ok",
        "f~0.no zero",
        "f~0.big",
        "f~0.y < 100",
        "f~1.ok",
        "f~1.no zero",
        "f~1.big",
        "f~1.y < 100",
    ];
    assert_eq!(names, expected);
    assert_eq!(loaded.ivc, Some(vec![Symbol::new("o")]));
}

#[test]
fn names_with_dots_and_indices_may_be_declared() {
    let text = "node main(a.b: int; a.c[0]: bool; check: int) returns (x.y: int); let
        x.y = if a.c[0] then a.b else check; --%PROPERTY a.c[0]; tel;";
    let values = run(text, "a.b a.c[0] check", &["1 true 2", "1 false 2"]);
    assert_eq!(values["x.y"], "1 2");
    assert_eq!(load(text).model.goals[0].name, "a.c[0]");
}

#[test]
fn a_named_constant_is_one_place_for_all_its_uses() {
    let text = "const N = 7; node main(i: int) returns (o, p: int); let o = i + N; p = N; tel;";
    let loaded = load(text);
    let trees: Vec<_> = loaded.model.equations.iter().map(|e| &e.tree).collect();
    let first = &trees[0].args()[1].args()[0];
    let second = &trees[1].args()[0];
    assert_eq!(first.id(), second.id());
    assert_eq!(first.origin().category, Category::Constant);
    assert_eq!(format!("{:?}", trees[1]), "(N 7)");
}

#[test]
fn expressions_of_any_depth_are_read_and_dropped() {
    let depth = 100_000;
    let text = format!(
        "node main(i: int; b: bool) returns (o, p: int; q: bool); let
           o = {}i{};
           p = {}i{};
           q = {}{}b; tel;",
        "(".repeat(depth),
        ")".repeat(depth),
        "i + (".repeat(depth),
        ")".repeat(depth),
        "not ".repeat(depth),
        "if b then b else ".repeat(depth),
    );
    let loaded = load(&text);
    assert_eq!(loaded.model.equations.len(), 3);
    assert!(lower(&loaded.model).is_ok());
}

#[test]
fn the_arbitrary_value_of_an_unguarded_pre_is_one_of_its_type() {
    let text = "
        node main(x : subrange [2, 5] of int) returns (a, b, c : int);
        let
          a = pre x;
          b = pre (if true -> false then x else 9);
          c = pre (x + 1);
        tel;";
    let rows = ["7 7 7", "3 0 0"];
    let values = run(text, "x@first b@2.first0 c@3.first0", &rows);
    assert_eq!(values["a"], "5 0");
    assert_eq!(values["b"], "7 0");
    assert_eq!(values["c"], "7 1");
}
