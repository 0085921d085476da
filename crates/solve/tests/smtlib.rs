//! The reader, the printer and the script runner together: what faults look like, what survives a
//! round trip, and that no input, however deep or long or broken, takes the process down.

use proofmark_model::{EnumSort, Function, Op, Rational, Sort, Term, Value};
use proofmark_solve::smtlib::{Command, Reader, printer};
use proofmark_source::Sources;

/// Reads a whole script; the fault as `line:column: message`.
fn read(text: &str) -> Result<Vec<Term>, String> {
    let mut sources = Sources::default();
    let file = sources.add("test.smt2", text.into()).unwrap();
    let mut reader = Reader::new(file, text);
    let mut asserted = Vec::new();
    loop {
        match reader.command() {
            Ok(Some((Command::Assert { formula, .. }, _))) => asserted.push(formula.term),
            Ok(Some(_)) => {}
            Ok(None) => return Ok(asserted),
            Err(fault) => {
                let place = sources.place(fault.span);
                return Err(format!("{place}: {}", fault.message));
            }
        }
    }
}

fn only(text: &str) -> Term {
    let asserted = read(text).unwrap();
    assert_eq!(asserted.len(), 1);
    asserted[0]
}

fn int(name: &str) -> Term {
    Term::var(name, Sort::Int)
}

const DECLARED: &str = "(declare-const a Bool)(declare-const b Bool)(declare-const x Int)\
    (declare-const y Int)(declare-const r Real)(declare-const v (_ BitVec 8))\
    (declare-const w (_ BitVec 8))(declare-fun f (Int Real) Int)\
    (declare-datatypes ((Color 0)) (((red) (green) (blue))))(declare-const c Color)\n";

/// Reads two formulas over the same declarations and compares them.
fn same(one: &str, other: &str) {
    let formula = |text: &str| only(&format!("{DECLARED}(assert {text})"));
    assert_eq!(formula(one), formula(other), "{one} is not {other}");
}

#[test]
fn operators_mean_what_the_standard_says() {
    same("(=> a b a)", "(or (not a) (not b) a)");
    same("(xor a b a)", "(not (= (not (= a b)) a))");
    same("(= x y 3)", "(and (= x y) (= y 3))");
    same(
        "(distinct x y 3)",
        "(and (not (= x y)) (not (= x 3)) (not (= y 3)))",
    );
    same("(< x y 3)", "(and (not (<= y x)) (not (<= 3 y)))");
    same("(= (- x y 3) 0)", "(= (+ x (* (- 1) y) (- 3)) 0)");
    same("(= (- x) 0)", "(= (* (- 1) x) 0)");
    same("(= (* 2 x y) 0)", "(= (* (* 2 x) y) 0)");
    same("(= (div x y 2) 0)", "(= (div (div x y) 2) 0)");
    same("(= (/ 1 3) r)", "(= r (/ 1.0 3.0))");
    same("(< x r)", "(< (to_real x) r)");
    same("(= (abs x) y)", "(= (ite (>= x 0) x (- x)) y)");
    same("(is_int r)", "(= r (to_real (to_int r)))");
    same("((_ divisible 3) x)", "(= (mod x 3) 0)");
    same("((_ is red) c)", "(= c red)");
    same("(= (as red Color) c)", "(= red c)");
    same("(= (f x 1) (f x 1.0))", "true");
    same("(= v (bvsub v w))", "(= v (bvadd v (bvneg w)))");
    same("(bvult v w)", "(not (bvule w v))");
    same("(bvsgt v w)", "(not (bvsle v w))");
    same("(= v (bvadd v w w))", "(= v (bvadd (bvadd v w) w))");
    same("(= #b1 (bvcomp v w))", "(= #b1 (ite (= v w) #b1 #b0))");
    same("(= #x0f (_ bv15 8))", "true");
    same("(= ((_ rotate_left 3) #b10010110) #b10110100)", "true");
    same("(= ((_ rotate_right 3) #b10010110) #b11010010)", "true");
    same("(= ((_ repeat 3) #b01) #b010101)", "true");
    same("(= ((_ zero_extend 2) #b10) #b0010)", "true");
    same("(= ((_ sign_extend 2) #b10) #b1110)", "true");
    same("(= (concat #b1 #b01 #b001) #b101001)", "true");
    same("(= (bvsdiv #xf9 #x02) #xfd)", "true");
    same("(= (bvsrem #xf9 #x02) #xff)", "true");
    same("(= (bvsmod #xf9 #x02) #x01)", "true");
    same("(= (bvsmod #x07 #xfe) #xff)", "true");
    same("(= (bvsdiv #xf9 #x00) #x01)", "true");
    same("(= (bvnand v w) (bvnot (bvand v w)))", "true");
}

#[test]
fn let_binds_in_parallel_and_shadows() {
    same("(let ((x y) (y x)) (< x y))", "(< y x)");
    same("(let ((x 1)) (let ((x (+ x 1))) (= x y)))", "(= 2 y)");
    same("(and (let ((a b)) a) a)", "(and b a)");
}

#[test]
fn definitions_are_expanded_with_their_own_names() {
    let script = "(declare-const x Int)(declare-const y Int)
        (define-fun outer () Int x)
        (define-fun f ((x Int) (y Int)) Int (+ (* 2 x) (* 3 y) outer))
        (define-fun g ((r Real)) Bool (< r 1.5))
        (define-const three Int 3)
        (assert (and (= (f y three) 0) (g 1) (g x)))";
    let (x, y) = (int("x"), int("y"));
    let sum = Term::add(&[Term::int(2).mul(y), Term::int(9), x]);
    let below = x.to_real().lt(Term::real(Rational::new(3, 2)));
    assert_eq!(only(script), Term::and(&[sum.eq(Term::int(0)), below]));
}

#[test]
fn declarations_end_with_their_scope() {
    let script = "(push 1)(declare-const x Int)(assert (! (< x 1) :named n))(pop 1)
        (push 1)(declare-const x Bool)(define-fun n () Bool x)(assert n)(pop 1)";
    let asserted = read(script).unwrap();
    assert_eq!(asserted[1], Term::var("x", Sort::Bool));
    let global = "(set-option :global-declarations true)(push 1)(declare-const x Int)(pop 1)(assert (< x 1))";
    assert_eq!(read(global).unwrap().len(), 1);
    let global = "(push 1)(declare-const x Int)(pop 1)(assert (< x 1))";
    assert!(read(global).unwrap_err().starts_with("1:48: "));
}

#[test]
fn a_logic_without_a_theory_leaves_its_names_free() {
    let script = "(set-logic QF_LIA)(declare-const bvadd Int)(assert (< bvadd 1))";
    assert!(read(script).is_ok());
    let script = "(set-logic QF_BV)(declare-const + (_ BitVec 2))(assert (= + #b00))";
    assert!(read(script).is_ok());
    let script = "(declare-const bvadd Int)";
    assert!(read(script).is_err());
}

#[test]
fn numerals_are_real_where_there_are_no_integers() {
    let script = "(set-logic QF_LRA)(declare-const x Real)(assert (= x (ite (< x 2) 1 3)))";
    assert_eq!(only(script).args()[1].sort(), Sort::Real);
}

#[test]
fn faults_tell_place_expectation_and_finding() {
    let faults = [
        (
            "(assert true",
            "1:13: expected `)` at the end of the command, found the end of the file",
        ),
        ("(assert", "1:8: expected a term, found the end of the file"),
        (
            "(assert (and true",
            "1:18: expected a term, found the end of the file",
        ),
        (
            "true",
            "1:1: expected `(` and a command, found the symbol `true`",
        ),
        (
            "(asert true)",
            "1:2: expected the name of a command, found `asert`",
        ),
        (
            "((",
            "1:2: expected the name of a command after `(`, found `(`",
        ),
        (
            "(assert ((((",
            "1:11: expected `_` and an indexed function after `((`, found `(`",
        ),
        (
            "\n(assert (+ 1 true))",
            "2:9: expected integers or reals as arguments of `+`, found (Int Bool)",
        ),
        (
            "(assert x)",
            "1:9: expected a term, found `x`, which is not declared here",
        ),
        (
            "(assert (x 1))",
            "1:10: expected a function after `(`, found `x`, which is not declared here",
        ),
        (
            "(assert 1)",
            "1:9: expected a formula of sort Bool, found a term of sort Int",
        ),
        (
            "(assert not)",
            "1:9: expected a term, found the function `not` without arguments",
        ),
        (
            "(assert (not))",
            "1:9: expected one Boolean as arguments of `not`, found ()",
        ),
        (
            "(assert (let ((x 1) (x 2)) true))",
            "1:22: `x` is bound twice in one `let`",
        ),
        (
            "(assert (forall ((x Int)) true))",
            "1:10: unsupported: `forall`; terms are free of quantifiers",
        ),
        (
            "(declare-sort S 0)",
            "1:2: unsupported command `declare-sort`: uninterpreted sorts are not supported",
        ),
        (
            "(declare-const x S)",
            "1:18: expected a sort that is known, found `S`",
        ),
        (
            "(declare-const x (Array Int Int))",
            "1:19: expected a sort that is known, found `Array`",
        ),
        (
            "(declare-const x Int)(declare-const x Int)",
            "1:37: expected a new name, found `x`, which is already declared",
        ),
        (
            "(declare-const and Int)",
            "1:16: expected a new name, found `and`, which is a function of the logic's theories",
        ),
        (
            "(declare-datatypes ((L 0)) (((nil) (cons (head Int)))))",
            "1:42: unsupported: a constructor with fields",
        ),
        (
            "(pop 1)",
            "1:6: expected a scope for each pop, found 0 open to close 1",
        ),
        (
            "(push 9999999999999999999999)",
            "1:7: expected at most 1048576 open scopes, found more",
        ),
        (
            "(define-fun f ((x Int)) Bool x)",
            "1:30: expected a body of the announced sort Bool, found one of Int",
        ),
        (
            "(define-fun f ((x Int) (x Int)) Int x)",
            "1:25: the parameter `x` is named twice",
        ),
        (
            "(define-fun f ((x Int)) Int x)(assert (= 1 (f true)))",
            "1:44: expected the 1 arguments of the definition, of sorts (Int), found (Bool)",
        ),
        (
            "(assert (= #b1 ((_ extract 2 1) #b10)))",
            "1:16: expected one bit-vector that has these bits as arguments of `extract`, found ((_ BitVec 2))",
        ),
        (
            "(declare-const x (_ BitVec 0))",
            "1:28: expected a width from 1 to 1048576, found 0",
        ),
        (
            "(echo \"a",
            "1:7: expected `\"` at the end of a string, found the end of the file",
        ),
        (
            "(assert |x",
            "1:9: expected `|` at the end of a quoted symbol, found the end of the file",
        ),
        (
            "(set-info :a ((())",
            "1:19: expected `)` at the end of a list, found the end of the file",
        ),
        (
            "(assert (! true :named))",
            "1:23: expected a name after :named, found `)`",
        ),
        (
            "(assert true))",
            "1:14: expected `(` and a command, found `)`",
        ),
        (
            "(assert é)",
            "1:9: expected a token of SMT-LIB, found the character 'é'",
        ),
    ];
    for (script, expected) in faults {
        assert_eq!(read(script).unwrap_err(), expected, "{script}");
    }
}

#[test]
fn depth_is_no_danger() {
    let deep = 1_000_000;
    assert!(read(&"(".repeat(deep)).is_err());
    assert!(read(&format!("(assert {}", "(".repeat(deep))).is_err());
    assert!(read(&format!("(assert {}", "(not ".repeat(deep))).is_err());
    assert!(read(&format!("(set-info :x {}", "(".repeat(deep))).is_err());
    let valid = format!("(assert {}false{})", "(not ".repeat(deep), ")".repeat(deep));
    assert_eq!(only(&valid), Term::bool(false));
    let (open, close) = ("(let ((a (not a))) ".repeat(deep), ")".repeat(deep));
    let lets = format!("(declare-const a Bool)(assert {open}a{close})");
    assert_eq!(only(&lets), Term::var("a", Sort::Bool));
    let named = format!(
        "(assert {}true{})",
        "(! ".repeat(deep),
        ":x y)".repeat(deep)
    );
    assert_eq!(only(&named), Term::bool(true));
}

#[test]
fn long_numbers_are_refused() {
    let long = "1".repeat(1_000_000);
    let expected = "1:12: expected at most 100000 digits in a number, found 1000000";
    assert_eq!(
        read(&format!("(assert (= {long} 1))")).unwrap_err(),
        expected
    );
    assert!(read(&format!("(assert (= 0.{long} 1))")).is_err());
    assert!(read(&format!("(assert (= #x{long} #b1))")).is_err());
    assert!(read(&format!("(assert (= (_ bv{long} 8) #x00))")).is_err());
    let squares: String = (1..50)
        .map(|n| format!("(let ((x{n} (* x{0} x{0}))) ", n - 1))
        .collect();
    let script = format!("(assert (let ((x0 3)) {squares} (= x49 0)");
    assert!(read(&script).unwrap_err().contains("millions of digits"));
}

#[test]
fn a_script_cut_off_anywhere_is_a_fault_or_a_shorter_script() {
    let script = format!(
        "{DECLARED}(assert (! (=> a (let ((z 1.5)) (< z (f x r) 3))) :named |n m|))(check-sat)"
    );
    for end in 0..script.len() {
        if let Err(fault) = read(&script[..end]) {
            assert!(fault.contains("expected"), "{fault}");
        }
    }
}

/// A small generator of numbers, enough to shape terms.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Grows a pool of terms of all sorts from each other.
fn random_terms(random: &mut Random, count: usize) -> Vec<Term> {
    let color = EnumSort::new("Co lor", vec!["red".into(), "gr een".into()]);
    let f = Function::new("f", vec![Sort::Int, Sort::Real], Sort::Int);
    let mut pool = vec![
        Term::var("a", Sort::Bool),
        Term::var("|".replace('|', "b c").as_str(), Sort::Bool),
        int("x"),
        int(".1"),
        Term::int(-7),
        Term::var("r", Sort::Real),
        Term::real(Rational::new(-22, 7)),
        Term::var("v", Sort::BitVec(4)),
        Term::bitvec(4, 9),
        Term::var("c", Sort::Enum(color)),
        Term::constant(Value::Enum(color, 1)),
    ];
    let ops = [
        Op::Not,
        Op::And,
        Op::Or,
        Op::Eq,
        Op::Ite,
        Op::Le,
        Op::Add,
        Op::Mul,
        Op::Div,
        Op::IntDiv,
        Op::Mod,
        Op::ToReal,
        Op::Floor,
        Op::Concat,
        Op::Extract { high: 2, low: 1 },
        Op::BvNot,
        Op::BvNeg,
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
        Op::BvUle,
        Op::BvSle,
        Op::Apply(f),
    ];
    while pool.len() < count {
        let op = ops[random.below(ops.len())].clone();
        let arguments = 1 + random.below(4);
        let args: Vec<Term> = (0..arguments)
            .map(|_| pool[random.below(pool.len())])
            .collect();
        if let Ok(term) = Term::build(op, &args)
            && !matches!(term.sort(), Sort::BitVec(width) if width > 64)
        {
            pool.push(term);
        }
    }
    pool
}

#[test]
fn what_is_printed_is_read_back_as_the_identical_term() {
    let declarations = "(declare-datatypes ((|Co lor| 0)) (((red) (|gr een|))))
        (declare-const a Bool)(declare-const |b c| Bool)(declare-const x Int)(declare-const .1 Int)
        (declare-const r Real)(declare-const v (_ BitVec 4))(declare-const c |Co lor|)
        (declare-fun f (Int Real) Int)\n";
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut compared = 0;
    for _ in 0..20 {
        for term in random_terms(&mut random, 200) {
            let text = printer::term(term);
            // The term stands in a definition, which takes every sort and changes nothing.
            let sort = printer::sort(term.sort());
            let script = format!("{declarations}(define-fun t () {sort} {text})(get-value (t))");
            let mut sources = Sources::default();
            let file = sources.add("printed", script.clone()).unwrap();
            let mut reader = Reader::new(file, &script);
            let back = loop {
                match reader.command() {
                    Ok(Some((Command::GetValue(terms), _))) => break terms[0].term,
                    Ok(Some(_)) => {}
                    other => panic!("{other:?} in {text}"),
                }
            };
            assert_eq!(back, term, "{text}");
            compared += 1;
        }
    }
    assert!(compared >= 4000);
}

#[test]
fn no_soup_of_tokens_takes_the_reader_down() {
    let pieces = [
        "(",
        "(",
        "(",
        ")",
        ")",
        ")",
        " ",
        "assert",
        "declare-fun",
        "declare-const",
        "define-fun",
        "define-sort",
        "push",
        "pop",
        "check-sat-assuming",
        "get-value",
        "let",
        "((x 1))",
        "!",
        ":named",
        "_",
        "as",
        "extract 3 1",
        "repeat 3",
        "bv7 4",
        "is red",
        "divisible 0",
        "rotate_left 9",
        "a",
        "b",
        "x",
        "y",
        "r",
        "v",
        "w",
        "f",
        "c",
        "red",
        "0",
        "1",
        "-",
        "+",
        "*",
        "/",
        "div",
        "mod",
        "2.50",
        "#b1",
        "#x0f",
        "\"s\"",
        "|q|",
        "|",
        "\"",
        ";",
        "\n",
        "and",
        "or",
        "not",
        "=>",
        "ite",
        "=",
        "distinct",
        "<",
        "concat",
        "bvadd",
        "bvsmod",
        "bvcomp",
        "Int",
        "Bool",
        "Real",
        "(_ BitVec 8)",
        "true",
        "set-info",
        "set-logic QF_LRA",
        "reset",
        "declare-datatypes",
        "zero_extend 70000",
        "é",
        "sign_extend 0",
        "abs",
        "to_int",
        "is_int",
        "to_real",
        "99999999999999999999",
        "set-option",
    ];
    let mut random = Random(0x0123_4567_89AB_CDEF);
    let mut read_whole = 0;
    for _ in 0..30_000 {
        let mut script = String::from(DECLARED);
        for _ in 0..3 {
            // Most soups begin well, so that they come further.
            script.push_str(
                [
                    "(assert (",
                    "(get-value ((",
                    "(define-fun g ((z Int)) Int (",
                    "",
                ][random.below(4)],
            );
            for _ in 0..random.below(14) {
                script.push_str(pieces[random.below(pieces.len())]);
                script.push_str([" ", " ", ""][random.below(3)]);
            }
            script.push_str(["))", ")))", ")", ""][random.below(4)]);
        }
        read_whole += usize::from(read(&script).is_ok());
    }
    assert!(read_whole > 0);
}
