//! Whole scripts on the embedded solver: what is written, word for word.

use proofmark_solve::smtlib::{Reader, Script, ScriptError, Summary};
use proofmark_source::Sources;

/// Runs a script; what it wrote, and how it ended.
fn run(text: &str) -> (String, Result<Summary, String>) {
    let mut sources = Sources::default();
    let file = sources.add("test.smt2", text.into()).unwrap();
    let mut solver = proofmark_solve::open(proofmark_solve::EMBEDDED).unwrap();
    let mut out = Vec::new();
    let script = Script::new(&mut *solver, &mut out);
    let ended = script.run(&mut Reader::new(file, text));
    let ended = ended.map_err(|error| match error {
        ScriptError::Input(fault) => format!("{}: {}", sources.place(fault.span), fault.message),
        other => format!("{other:?}"),
    });
    (String::from_utf8(out).unwrap(), ended)
}

fn check(text: &str, expected: &str) {
    let (written, ended) = run(text);
    assert_eq!(written.trim_end(), expected, "{text}");
    ended.unwrap();
}

fn refuse(text: &str, written: &str, fault: &str) {
    let (out, ended) = run(text);
    assert_eq!(out.trim_end(), written, "{text}");
    assert_eq!(ended.unwrap_err(), fault, "{text}");
}

#[test]
fn answers_come_in_order_and_scopes_are_kept() {
    check(
        "(declare-const x Int)(assert (> x 1))(check-sat)(push)(assert (< x 1))(check-sat)(pop)(check-sat)",
        "sat\nunsat\nsat",
    );
}

#[test]
fn success_is_printed_only_on_request() {
    check(
        "(set-option :print-success true)(set-logic QF_LIA)(declare-const x Int)(assert true)(push 1)(exit)(check-sat)",
        "success\nsuccess\nsuccess\nsuccess\nsuccess\nsuccess",
    );
}

#[test]
fn a_core_names_assertions_and_leaves_out_what_is_not_needed() {
    check(
        "(set-option :produce-unsat-cores true)(declare-const x Int)(declare-const p Bool)
         (assert (! (> x 3) :named big))(assert (! p :named |not needed|))
         (push 1)(assert (! (< x 2) :named |sm all|))(check-sat)(get-unsat-core)(pop 1)
         (check-sat)(assert (! (< x 2) :named |sm all|))(check-sat)(get-unsat-core)",
        "unsat\n(big |sm all|)\nsat\nunsat\n(big |sm all|)",
    );
}

#[test]
fn failed_assumptions_are_written_as_they_were_given() {
    check(
        "(declare-const p Bool)(declare-const q Bool)(assert (not q))
         (check-sat-assuming (p (not  (not q))))(get-unsat-assumptions)
         (check-sat-assuming (p))(check-sat)",
        "unsat\n((not (not q)))\nsat\nsat",
    );
}

#[test]
fn models_define_what_was_declared() {
    check(
        "(declare-const x Int)(declare-const |a b| Real)(declare-const v (_ BitVec 4))
         (declare-datatypes ((Color 0)) (((red) (green))))(declare-const c Color)
         (declare-fun f (Int Bool) Int)(declare-fun g (Int) Int)
         (assert (and (= x (- 3)) (= (* 3 |a b|) 1) (= v #x9) (= c green)
                      (= (f x true) 7) (= (f 1 false) (- 8))))
         (check-sat)(get-model)(get-value (x (+ x 1) |a b|))",
        "sat
(
  (define-fun x () Int (- 3))
  (define-fun |a b| () Real (/ 1.0 3.0))
  (define-fun v () (_ BitVec 4) #b1001)
  (define-fun c () Color green)
  (define-fun f ((x0 Int) (x1 Bool)) Int (ite (and (= x0 1) (= x1 false)) (- 8) (ite (and (= x0 (- 3)) (= x1 true)) 7 0)))
  (define-fun g ((x0 Int)) Int 0)
)
((x (- 3))
 ((+ x 1) (- 2))
 (|a b| (/ 1.0 3.0)))",
    );
}

#[test]
fn reset_forgets_and_reset_assertions_forgets_less() {
    check(
        "(declare-const x Int)(assert false)(push 1)(reset-assertions)(check-sat)
         (declare-const x Bool)(assert x)(reset)(declare-const x Int)(assert (= x 1))(check-sat)
         (get-info :assertion-stack-levels)",
        "sat\nsat\n(:assertion-stack-levels 0)",
    );
    check(
        "(set-option :global-declarations true)(declare-const x Int)(assert (= x 1))
         (reset-assertions)(assert (= x 2))(check-sat)",
        "sat",
    );
}

#[test]
fn the_script_can_ask_for_itself() {
    check(
        "(set-logic QF_LIA)(declare-const x Int)(assert (! (> x ; why not
           1) :named n))(get-assertions)(echo \"a \"\"b\"\"\")(get-option :produce-unsat-cores)
         (get-info :error-behavior)(get-info :name)(get-info :nonsense)(set-option :nonsense 1)
         (check-sat)(get-assignment)",
        "((! (> x 1) :named n))\n\"a \"\"b\"\"\"\nfalse\n(:error-behavior immediate-exit)\n(:name \"Proofmark\")\nunsupported\nunsupported\nsat\n((n true))",
    );
}

#[test]
fn a_reserved_word_between_bars_is_a_symbol() {
    check(
        "(declare-const |let| Int)(declare-fun |as| (Int) Int)(declare-datatypes ((|par| 0)) (((|!|) (|_|))))
         (declare-const |and more| |par|)(define-fun |forall| ((|exists| Int)) Int (+ |exists| 1))
         (assert (! (= |let| (|as| 3) (|forall| 4)) :named |match|))(assert (= |and more| |_|))
         (assert (let ((|let| 1) (x |let|)) (< |let| x)))(check-sat)(get-value (|let| (|as| 3) |and more|))
         (get-assignment)(get-model)",
        "sat\n((|let| 5)\n ((|as| 3) 5)\n (|and more| |_|))\n((|match| true))\n(\n  (define-fun |let| () Int 5)\n  (define-fun |as| ((x0 Int)) Int (ite (= x0 3) 5 0))\n  (define-fun |and more| () |par| |_|)\n)",
    );
    // Any other symbol is the same with and without bars.
    check(
        "(declare-const |x| (_ |BitVec| 8))(assert (|=| x (_ |bv3| 8)))(check-sat)(get-value (|x|))",
        "sat\n((|x| #b00000011))",
    );
    for text in [
        "(declare-const let Int)",
        "(define-sort par () Int)",
        "(define-fun f ((as Int)) Int 1)",
        "(assert (let ((exists true)) true))",
        "(assert (! true :named _))",
        "(declare-datatypes ((C 0)) (((match))))",
    ] {
        let (_, ended) = run(text);
        let fault = ended.unwrap_err();
        assert!(fault.ends_with("which is a reserved word"), "{fault}");
    }
    let (_, ended) = run("(assert (|let| ((x true)) x))");
    assert_eq!(
        ended.unwrap_err(),
        "1:10: expected a function after `(`, found `let`, which is not declared here"
    );
}

#[test]
fn the_first_error_ends_the_run_after_what_came_before_it() {
    refuse(
        "(check-sat)\n(assert \"x\")\n(check-sat)",
        "sat\n(error \"line 2 column 9: expected a term, found the string \"\"x\"\"\")",
        "2:9: expected a term, found the string \"x\"",
    );
    refuse(
        "(assert false)(check-sat)(get-model)(check-sat)",
        "unsat\n(error \"line 1 column 26: expected a check that answered sat just before, found none\")",
        "1:26: expected a check that answered sat just before, found none",
    );
    refuse(
        "(assert false)(check-sat)(get-unsat-core)",
        "unsat\n(error \"line 1 column 26: expected the option :produce-unsat-cores to be true, found false\")",
        "1:26: expected the option :produce-unsat-cores to be true, found false",
    );
}

#[test]
fn what_the_solver_cannot_do_has_its_place() {
    let (written, ended) =
        run("(declare-const x Int)(declare-const y Int)\n(assert (= (* x y y) 12))\n(check-sat)");
    let fault = ended.unwrap_err();
    let expected = "(error \"line 3 column 1: unsupported: ";
    assert!(written.starts_with(expected), "{written}");
    assert!(fault.contains(": unsupported: "), "{fault}");
}

#[test]
fn an_unknown_answer_is_no_error_and_the_script_goes_on() {
    let clauses: String = (0..9)
        .flat_map(|pigeon| {
            let somewhere: String = (0..8).map(|hole| format!(" p{pigeon}{hole}")).collect();
            let apart = (0..pigeon).flat_map(move |other| {
                (0..8)
                    .map(move |hole| format!("(assert (not (and p{pigeon}{hole} p{other}{hole})))"))
            });
            std::iter::once(format!("(assert (or{somewhere}))")).chain(apart)
        })
        .collect();
    let declared: String = (0..9)
        .flat_map(|pigeon| (0..8).map(move |hole| format!("(declare-const p{pigeon}{hole} Bool)")))
        .collect();
    let script = format!(
        "(set-option :reproducible-resource-limit 10){declared}(push 1){clauses}(check-sat)(get-info :reason-unknown)(pop 1)(check-sat)"
    );
    let (written, ended) = run(&script);
    assert_eq!(written, "unknown\n(:reason-unknown resource-limit)\nsat\n");
    let summary = ended.unwrap();
    assert_eq!(
        (summary.checks, summary.unknown, summary.interrupted),
        (2, 1, false)
    );
}
