//! What is said about files that are wrong: one small file each, and every message about it.

use proofmark_lang::lustre::{self, FlattenLimits, Options};
use proofmark_source::{Diagnostic, Severity, Sources};

fn render(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let place = sources.place(diagnostic.span);
    let mut text = format!("{severity} {place} {}", diagnostic.message);
    if let Some(hint) = &diagnostic.hint {
        text += &format!(" / {hint}");
    }
    for label in &diagnostic.labels {
        text += &format!(" / {} {}", sources.place(label.span), label.text);
    }
    text
}

#[track_caller]
fn check_with(options: &Options, text: &str, expected: &[&str]) {
    let mut sources = Sources::default();
    let file = sources.add("test.lus", text.into()).unwrap();
    let (loaded, diagnostics) = lustre::load(&sources, file, options);
    let found: Vec<String> = diagnostics.iter().map(|d| render(&sources, d)).collect();
    assert_eq!(found, expected, "{found:#?}");
    let errors = diagnostics.iter().any(|d| d.severity == Severity::Error);
    assert_eq!(loaded.is_none(), errors);
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    check_with(&Options::default(), text, expected);
}

/// Checks the body of a node with an input `i`, a Boolean input `b` and an output `o`, all of whose
/// places are in line 2.
#[track_caller]
fn check_body(body: &str, expected: &[&str]) {
    let text = format!("node main(i: int; b: bool) returns (o: int); let\n{body}\ntel;");
    check(&text, expected);
}

#[test]
fn unknown_names_come_with_the_nearest_known_one() {
    check(
        "node main(counter: int) returns (o: int); let\no = conuter + zebra;\ntel;",
        &[
            "error 2:5 unknown variable `conuter` / did you mean `counter`?",
            "error 2:15 unknown variable `zebra` / declare it as an input, output or local of node `main`; known here: `counter`, `o`",
        ],
    );
    check(
        "type colour = enum { red };\nnode main(c: color) returns (o: bol); let\no = c = rde;\ntel;",
        &[
            "error 2:14 unknown type `color` / did you mean `colour`?",
            "error 2:33 unknown type `bol` / did you mean `bool`?",
            "error 3:9 unknown variable `rde` / did you mean `red`?",
        ],
    );
    check(
        "node step(x: int) returns (y: int); let y = x; tel;\nnode main(i: int) returns (o: int); let\no = stop(i);\ntel;",
        &["error 3:5 unknown node or function `stop` / did you mean `step`?"],
    );
}

#[test]
fn unknown_fields_name_the_record() {
    check(
        "type point = struct { x: int; y: int };\nnode main(p: point) returns (o: int); let\no = p.z + p{w := 1}.x + point { x = 1; zz = 2 }.y;\ntel;",
        &[
            "error 3:7 unknown field of `point` `z` / choose another field; known here: `x`, `y`",
            "error 3:13 unknown field of `point` `w` / choose another field; known here: `x`, `y`",
            "error 3:25 this `point` lacks `y` / give every field a value",
            "error 3:40 unknown field of `point` `zz` / choose another field; known here: `x`, `y`",
        ],
    );
}

#[test]
fn definitions_are_made_once_and_not_of_inputs() {
    check(
        "const N = 1;\nconst N = 2;\nnode main(i: int; i: bool) returns (o: int);\nvar N: int; x, x: int;\nlet\no = 1;\no = 2;\ni = 3;\nx = 1;\ntel;\nnode main() returns (); let tel;",
        &[
            "error 2:7 constant `N` is defined twice / remove or rename one of the two / 1:7 first defined here",
            "error 3:19 variable `i` is defined twice / remove or rename one of the two / 3:11 first defined here",
            "error 4:5 `N` is a constant or a value already / rename one of the two / 1:7 defined here",
            "error 4:5 the variable `N` is never defined / add an equation to node `main`, or make it an input",
            "error 4:16 variable `x` is defined twice / remove or rename one of the two / 4:13 first defined here",
            "error 7:1 variable `o` is defined twice / remove or rename one of the two / 6:1 first defined here",
            "error 8:1 `i` is an input and cannot be defined / remove the equation, or declare it as an output or a local / 3:11 declared here",
            "error 11:6 node or function `main` is defined twice / remove or rename one of the two / 3:6 first defined here",
        ],
    );
}

#[test]
fn what_is_never_defined_is_named() {
    check(
        "node main(i: int) returns (o: int);\nvar x: bool;\nlet\ntel;",
        &[
            "error 1:28 the output `o` is never defined / add an equation to node `main`, or make it an input",
            "error 2:5 the variable `x` is never defined / add an equation to node `main`, or make it an input",
        ],
    );
}

#[test]
fn operators_say_what_they_take_and_what_they_found() {
    check_body(
        "o = i + b;",
        &[
            "error 2:5 `+` takes two numbers of one type, found int and bool / choose numbers by `if … then … else …` / 2:5 this is int / 2:9 this is bool",
        ],
    );
    check_body(
        "o = if i and b then 1 else 2.0;",
        &[
            "error 2:5 `if` takes two branches of one type, found int and real / write `real(…)` around it, or `1.0` for the literal `1` / 2:21 this is int / 2:28 this is real",
            "error 2:8 `and` takes two Booleans, found int and bool / compare it, as in `… > 0` / 2:8 this is int / 2:14 this is bool",
        ],
    );
    check_body(
        "o = 1.5;",
        &["error 2:5 the value of `o` must have type int, found real / write `floor(…)` around it"],
    );
    check_body(
        "o = i / 2;",
        &[
            "error 2:5 `/` takes two reals, found int and int / integers are divided with `div` / 2:5 this is int / 2:9 this is int",
        ],
    );
    check_body(
        "o = if i then 1 else 2; assert not i; check i;",
        &[
            "error 2:8 the condition of `if` must have type bool, found int / compare it, as in `… > 0`",
            "error 2:32 `not` takes a Boolean, found int / apply it to a Boolean / 2:36 this is int",
            "error 2:45 a property must have type bool, found int / compare it, as in `… > 0`",
        ],
    );
}

#[test]
fn one_slip_is_one_message() {
    check_body(
        "o = if unknown then (unknown2 + 1) * 2 else i;",
        &[
            "error 2:8 unknown variable `unknown` / declare it as an input, output or local of node `main`; known here: `i`, `b`, `o`",
            "error 2:22 unknown variable `unknown2` / declare it as an input, output or local of node `main`; known here: `i`, `b`, `o`",
        ],
    );
}

#[test]
fn calls_are_checked_against_the_signature() {
    let text = "node f(a: int; b: bool) returns (x: int; y: bool); let x = a; y = b; tel;\n\
                node main(i: int) returns (o: int; p: bool); let\n\
                (o, p) = f(i);\no = f(i, true);\n(o, p) = f(true, i);\ntel;";
    check(
        text,
        &[
            "error 3:10 `f` takes 2 arguments, found 1 / write `f(a, b)` / 1:6 defined here",
            "error 4:1 variable `o` is defined twice / remove or rename one of the two / 3:2 first defined here",
            "error 4:1 1 variable on the left, 2 values on the right / write one variable for each value: (a, b) = …;",
            "error 5:2 variable `o` is defined twice / remove or rename one of the two / 3:2 first defined here",
            "error 5:5 variable `p` is defined twice / remove or rename one of the two / 3:5 first defined here",
            "error 5:12 argument 1 of `f` must have type int, found bool / choose numbers by `if … then … else …`",
            "error 5:18 argument 2 of `f` must have type bool, found int / compare it, as in `… > 0`",
        ],
    );
}

#[test]
fn a_cycle_within_one_step_is_shown_whole() {
    let strict = Options {
        strict: true,
        ..Options::default()
    };
    check_with(
        &strict,
        "node main(i: int) returns (x: int); var y, z: int; let\nx = y + i;\ny = 0 -> z;\nz = 1 -> x;\ntel;",
        &[
            "error 2:1 `x` depends on itself within one step: `x` needs `y` needs `z` needs `x` / break the cycle with `pre`: an earlier value may be used / 2:1 `x` needs `y` / 3:1 `y` needs `z` / 4:1 `z` needs `x`",
        ],
    );
    check_with(
        &strict,
        "node main(i: int) returns (x: int); var y: int; let\nx = y -> i;\ny = x -> pre x;\ntel;",
        &[
            "error 2:1 `x` depends on itself at the first step: `x` needs `y` needs `x` / break the cycle with `pre`: an earlier value may be used / 2:1 `x` needs `y` / 3:1 `y` needs `x`",
        ],
    );
}

#[test]
fn a_cycle_is_a_warning_for_whoever_is_not_strict() {
    check(
        "node main(i: int) returns (x: int); var y: int; let\nx = y + i;\ny = 0 -> x;\ntel;",
        &[
            "warning 2:1 `x` depends on itself within one step: `x` needs `y` needs `x` / its value is any that satisfies the equations, if there is one; break the cycle with `pre`; --strict makes this an error / 2:1 `x` needs `y` / 3:1 `y` needs `x`",
        ],
    );
}

#[test]
fn a_loop_through_a_call_is_fine_when_the_output_does_not_need_the_input() {
    check(
        "node delay(x: int) returns (y: int); let y = 0 -> pre x; tel;\nnode main(i: int) returns (o: int); let\no = delay(o) + i;\ntel;",
        &[],
    );
}

#[test]
fn recursion_is_an_error_and_no_hang() {
    check(
        "node f(x: int) returns (y: int); let y = g(x); tel;\nnode g(x: int) returns (y: int); let y = f(x); tel;",
        &[
            "error 1:6 node `f` calls itself: recursion has no end / remember what is needed with `pre` instead of calling again / 1:42 `f` calls `g` / 2:42 `g` calls `f`",
        ],
    );
    check(
        "type a = b[2];\ntype b = struct { x: a };\nconst N = M;\nconst M = N + 1;\nnode main(i: a) returns (); let tel;",
        &[
            "error 1:6 `a` is defined by itself / write one of them without the others / 1:6 `a` uses `b` / 2:6 `b` uses `a`",
            "error 3:7 `N` is defined by itself / write one of them without the others / 3:7 `N` uses `M` / 4:7 `M` uses `N`",
        ],
    );
}

#[test]
fn an_unguarded_pre_is_a_warning() {
    check_body(
        "o = if b then pre i else 0 -> pre pre o;",
        &[
            "warning 2:15 this `pre` is read at the first step, where its value is arbitrary / write `initial -> pre …`",
            "warning 2:35 this `pre` is read at the first step, where its value is arbitrary / write `initial -> pre …`",
        ],
    );
    check_body("o = 0 -> pre (0 -> pre o) + (0 fby i);", &[]);
}

#[test]
fn constants_are_constant() {
    check(
        "const N = 1 -> 2;\nconst M : bool = 3;\nconst K = 2 * M + unknown;\nconst Z = f(1);\nnode f(x: int) returns (y: int); let y = x; tel;",
        &[
            "error 1:11 the value of `N` is not constant / a constant is made of literals, other constants and operators, without `->`, `pre`, calls and variables",
            "error 2:18 the constant `M` must have type bool, found int / compare it, as in `… > 0`",
            "error 3:11 `*` takes two numbers of one type, found int and bool / choose numbers by `if … then … else …` / 3:11 this is int / 3:15 this is bool",
            "error 3:19 unknown constant `unknown` / define it as a `const`; known here: `K`, `M`, `N`, `Z`",
            "error 4:11 a constant cannot call a node or function / write the value out, or make it a local of a node",
        ],
    );
}

#[test]
fn indices_stay_inside_their_array() {
    check(
        "const N = 3;\nnode main(a: int[N]; i: int; b: bool) returns (o: int; p: int[2]); let\no = a[N] + a[N - 1] + a[-1] + a[i] + a[b] + i[0];\np = a;\ntel;",
        &[
            "error 3:7 the index 3 is outside the array: 0 to 2 / indices begin with 0; change the index or the array's length",
            "error 3:25 the index -1 is outside the array: 0 to 2 / indices begin with 0; change the index or the array's length",
            "error 3:40 an index must have type int, found bool / choose numbers by `if … then … else …`",
            "error 3:45 a value of type int has no elements: it is no array / leave the index out, or declare it as an array",
            "error 4:5 the value of `p` must have type int[2], found int[3] / change the value or the declaration",
        ],
    );
}

#[test]
fn types_must_make_sense() {
    check(
        "type s = subrange [5, 1] of int;\ntype e = int[0];\ntype h = int[99999999999];\ntype r = struct { a: int; a: bool };\ntype n = int[K];\nnode main(x: s; y: e; z: h; v: r) returns (); let tel;",
        &[
            "error 1:20 the subrange [5, 1] is empty / the lower bound comes first",
            "error 2:14 an array needs at least one element, not 0 / write a length of 1 or more",
            "error 3:10 a type may have at most 1048576 scalars / make it smaller, or divide it among several variables",
            "error 4:27 field `a` is defined twice / remove or rename one of the two / 4:19 first defined here",
            "error 5:14 unknown constant `K` / define it as a `const`",
        ],
    );
}

#[test]
fn products_and_quotients_are_accepted_for_a_solver_that_has_them() {
    let nonlinear = Options {
        nonlinear: true,
        ..Options::default()
    };
    check_with(
        &nonlinear,
        "node main(i: int) returns (o: int); let\no = i * i + 7 div i + i mod (i + 1) + i div (1 - 1);\ntel;",
        &["error 2:45 `div` by zero / write another divisor"],
    );
}

#[test]
fn a_contract_is_skipped_with_a_warning() {
    check_body(
        "(*@contract assume i > 0; *) o = i;",
        &[
            "warning 2:1 contracts are not read: this one is skipped like any comment / write what it guarantees as a property, `check …;`, and what it assumes as an assertion, `assert …;`",
        ],
    );
}

#[test]
fn products_and_quotients_are_linear() {
    let factor = "make one factor a constant, choose among constants by `if`, leave the product open with an uninterpreted `function`, or name a solver that has products: --solver z3";
    check_body(
        "o = i * i;",
        &[&format!(
            "error 2:5 non-linear: a product of two values that are not constant / {factor} / 2:5 this is not constant / 2:9 this is not constant"
        )],
    );
    check_body(
        "o = 7 div i + i mod 0;",
        &[
            "error 2:5 non-linear: `div` by a value that is not constant / make the divisor a constant, leave the quotient open with an uninterpreted `function`, or name a solver that has quotients: --solver z3 / 2:11 this is not constant",
            "error 2:21 `mod` by zero / write another divisor",
        ],
    );
    check_body(
        "o = (2 + 3) * i + i div (-2) + (if true then 2 else 3) * i;",
        &[],
    );
}

#[test]
fn reading_goes_on_after_a_syntax_error() {
    check(
        "node main(i: int) returns (o: int);\nvar x int; y: bool;\nlet\no = i + ;\nx = (1;\ny = true\nassert y;\n--%PROPERTY y;\ntel;\nnode g() returns (; let tel;\nnode h() returns (); let\nz = 1;\ntel;",
        &[
            "error 2:7 expected `:`, found `int`",
            "error 4:9 expected an expression, found `;`",
            "error 5:7 expected `,` or `)`, found `;`",
            "error 7:1 expected `;`, found `assert` / 6:9 it is missing here",
            "error 10:19 expected the name of a variable, found `;`",
            "error 12:1 unknown variable `z` / declare it as an input, output or local of node `h`",
        ],
    );
}

#[test]
fn a_missing_tel_is_noticed_at_the_next_node() {
    check(
        "node f() returns (o: int); let\no = 1;\nnode main() returns (o: int); let o = f(); tel;",
        &["error 3:1 expected `tel`, found `node` / the body of node `f` ends with `tel;`"],
    );
    check(
        "node f() returns (o: int); let\no = 1;",
        &[
            "error 2:7 expected `tel`, found the end of the file / the body of node `f` ends with `tel;`",
        ],
    );
}

#[test]
fn a_missing_let_does_not_keep_reading_from_an_end() {
    check(
        "node f() returns (o: int);\nvar x: int;\no = 1;\n--%PROPERTY o;\nassert true;\ntel;\nnode main() returns (); let tel;",
        &[
            "error 3:3 expected `:`, found `=`",
            "error 4:1 expected `let`, found `--%PROPERTY`",
        ],
    );
    check(
        "node main() returns (o: int); let\nlet = 1;\no = 2;\ntel;",
        &[
            "error 2:1 expected an equation, `assert` or `tel`, found `let` / this word is a keyword and cannot be a name",
        ],
    );
}

#[test]
fn other_dialects_are_refused_by_name() {
    let message = |place: &str, word: &str| {
        format!(
            "error {place} `{word}` is not supported: all flows here have one clock / use `condact(clock, node(…), default, …)` to run a node at some steps only"
        )
    };
    check_body("o = i when b;", &[&message("2:7", "when")]);
    check_body("o = current i;", &[&message("2:13", "current")]);
    check_body("o = current(i);", &[&message("2:5", "current")]);
    check_body("o = merge(b, i, i);", &[&message("2:5", "merge")]);
}

#[test]
fn the_main_node_is_chosen_by_name_directive_or_place() {
    let text = "node first() returns (o: bool); let o = true; tel;\nnode second() returns (o: bool); let o = true; tel;";
    let options = Options {
        main: Some("frist".into()),
        ..Options::default()
    };
    check_with(
        &options,
        text,
        &["error 2:52 there is no node `frist` to be the main one / did you mean `first`?"],
    );
    check(
        "",
        &[
            "error 1:1 there is no node in this file / write one: node main(…) returns (…); let … tel;",
        ],
    );
    check(
        "node a() returns (); let --%MAIN\ntel;\nnode b() returns (); let --%MAIN;\ntel;",
        &[
            "error 3:26 a second node is declared the main one / keep one `--%MAIN`; `--main` chooses another / 1:26 the first is here",
        ],
    );
}

#[test]
fn an_assert_in_a_called_node_is_assumed_with_a_warning() {
    check(
        "node f(x: int) returns (y: int); let\nassert x > 0;\ny = x;\ntel;\nnode main(i: int) returns (o: int); let\no = f(i) + f(i + 1);\nassert i < 5;\ntel;",
        &[
            "warning 2:1 this assert is assumed wherever `f` is called / nothing checks it there; to have it checked, make it a property: `check …;`",
        ],
    );
}

#[test]
fn condact_needs_a_clock_a_call_and_defaults() {
    check(
        "node f(x: int) returns (y: int); let y = x; tel;\nfunction g(x: int) returns (y: int);\nnode main(i: int; b: bool) returns (o, p, q, r: int); let\no = condact(i, f(i), 0);\np = condact(b, f(i), true);\nq = condact(b, i, 0);\nr = condact(b, g(i), 0);\ntel;",
        &[
            "error 4:13 the clock of `condact` must have type bool, found int / compare it, as in `… > 0`",
            "error 5:5 the defaults of `condact` must have type int, found bool / one default for each output of the node: its value until the clock is true for the first time",
            "error 6:5 the second argument of `condact` must be a call of a node / write `condact(clock, node(…), default, …)`",
            "error 7:5 the second argument of `condact` must be a call of a node / write `condact(clock, node(…), default, …)`",
        ],
    );
}

#[test]
fn directives_are_checked_like_everything_else() {
    check(
        "node main(i: int) returns (ok: bool); var x: int; let\nok = true;\nx = i;\n--%PROPERTY okay;\n--%PROPERTY ok;\n--%PROPERTY ok;\n--%IVC x, y, i;\n--%REALIZABLE i;\ntel;",
        &[
            "error 4:13 unknown variable `okay` / did you mean `ok`?",
            "error 6:13 property `ok` is defined twice / remove or rename one of the two / 5:13 first defined here",
            "error 7:11 unknown variable `y` / declare it as an input, output or local of node `main`; known here: `i`, `ok`, `x`",
            "error 7:14 `i` is an input, which no equation defines / --%IVC names locals and outputs",
            "warning 8:1 --%REALIZABLE is ignored: realizability is not analysed",
        ],
    );
}

#[test]
fn parts_of_a_variable_are_not_defined_alone() {
    check(
        "node main(i: int) returns (a: int[2]); let\na[0] = i;\na[1] = i;\ntel;",
        &[
            "error 1:28 the output `a` is never defined / add an equation to node `main`, or make it an input",
            "error 2:1 `a[0]` cannot be defined alone: `a` is one variable / define all of it: a = …;",
            "error 3:1 `a[1]` cannot be defined alone: `a` is one variable / define all of it: a = …;",
        ],
    );
}

#[test]
fn names_that_collide_when_taken_apart_are_reported() {
    check(
        "node main(a: int[2]; a[1]: bool) returns (); let tel;",
        &[
            "error 1:22 the parts of this variable include `a[1]`, and there is another variable of that name / rename one of the two",
        ],
    );
}

#[test]
fn what_unfolds_without_end_is_refused() {
    let mut text = String::from("node n0(x: int) returns (y: int); let y = x; tel;\n");
    for level in 1..60 {
        let below = level - 1;
        text += &format!(
            "node n{level}(x: int) returns (y: int); let y = n{below}(x) + n{below}(-x); tel;\n"
        );
    }
    check(
        &text,
        &[
            "error 60:6 the model unfolds to more than 10000000 nodes / its calls and arrays multiply; make fewer or smaller ones",
        ],
    );
    let options = Options {
        limits: FlattenLimits {
            nodes: 1000,
            calls: 3,
        },
        ..Options::default()
    };
    check_with(
        &options,
        "type t = int[10][10];\nnode f(x: t) returns (y: t); let y = x; tel;\nnode main(x: t) returns (y: t); let\ny = f(f(f(x)));\ntel;",
        &[
            "error 3:6 the model unfolds to more than 1000 nodes / its calls and arrays multiply; make fewer or smaller ones",
        ],
    );
    let chain: Vec<&str> = text.lines().take(5).collect();
    check_with(
        &options,
        &chain.join("\n"),
        &["error 2:43 calls are nested more than 3 deep / join some of the nodes"],
    );
}
