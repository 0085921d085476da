//! Certificates: what is written passes, and what was changed does not.

mod draft;

use draft::{Draft, counter, proof};
use proofmark_audit::{
    Certificate, Certified, CertifiedModel, Checked, Listed, MANIFEST, NOT_COMPARED, auditor,
    remove_certificate, write_certificate,
};
use proofmark_model::{EnumSort, Function, Proof, Role, Sort, System, Term, Value};
use proofmark_source::sha256;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("proofmark-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn write(folder: &Path, system: &System, proofs: &[(usize, &Proof)]) {
    let certified = proofs.iter();
    let certified: Vec<Certified<'_>> = certified
        .map(|&(property, proof)| Certified { property, proof })
        .collect();
    let model = CertifiedModel {
        file: Listed {
            hash: sha256(b"text"),
            path: "a.lus".into(),
        },
        ..CertifiedModel::default()
    };
    write_certificate(folder, &model, system, &certified).unwrap();
}

fn check_by(folder: &Path, system: &System, solver: Option<&str>) -> Vec<Checked> {
    let certificate = Certificate::read(folder).unwrap();
    certificate.check(system, &|| auditor(solver))
}

fn check(folder: &Path) -> Vec<Checked> {
    check_by(folder, &counter().0, None)
}

/// Without the model, of which the first complaints are to be those of a model.
fn check_scripts(folder: &Path) -> Vec<Checked> {
    let certificate = Certificate::read(folder).unwrap();
    certificate.check_scripts("it is gone", &|| auditor(None))
}

fn the_counters_certificate(folder: &Path) {
    let (system, x) = counter();
    let invariant = proof(1, &[x.le(Term::int(5))]);
    write(folder, &system, &[(0, &proof(2, &[])), (1, &invariant)]);
}

fn complaints(checked: &[Checked]) -> Vec<(&str, &str)> {
    let complaints = checked.iter().flat_map(|one| &one.complaints);
    complaints
        .map(|complaint| (complaint.part, complaint.what.as_str()))
        .collect()
}

#[test]
fn a_certificate_passes_with_every_solver_that_is_there() {
    let folder = Folder::new("passes");
    the_counters_certificate(&folder.0);
    let checked = check(&folder.0);
    let names: Vec<&str> = checked.iter().map(|one| one.property.as_str()).collect();
    assert_eq!(names, ["small", "positive"]);
    assert_eq!(complaints(&checked), []);
    for solver in ["z3", "yices-smt2"] {
        if auditor(Some(solver)).is_err() {
            println!("skipped {solver}: it is not installed");
            continue;
        }
        let checked = check_by(&folder.0, &counter().0, Some(solver));
        assert_eq!(complaints(&checked), [], "{solver}");
    }
}

#[test]
fn a_script_says_what_it_asserts() {
    let folder = Folder::new("reads");
    the_counters_certificate(&folder.0);
    let expected = "\
; Proofmark certificate, step of an induction with k = 1 and 1 invariants.
; Property positive: steps in which it holds, with the invariants, are followed by such a step.
; Every check-sat has to answer unsat.
(set-logic ALL)
(declare-const small@0 Bool)
(declare-const x@0 Int)
(declare-const x@1 Int)
(declare-const small@1 Bool)

; Step 0 is any step: what holds at every step, whatever came before.
(assert (= small@0 (<= x@0 6)))

; The property and the invariants hold at step 0.
(assert (and (<= 0 x@0) (<= x@0 5)))

; Step 1 follows from step 0.
(assert (= x@1 (ite (= x@0 5) 0 (+ x@0 1))))
(assert (= small@1 (<= x@1 6)))

; Otherwise a state that violates the property or an invariant follows 1 that do not.
(assert (not (and (<= 0 x@1) (<= x@1 5))))
(set-info :status unsat)
(check-sat)
";
    let text = fs::read_to_string(folder.0.join("positive/step.smt2")).unwrap();
    assert_eq!(text, expected);
}

/// Changes a file of a certificate, and its hash when `covered`.
fn tamper(folder: &Path, file: &str, covered: bool, change: impl Fn(&str) -> String) {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).unwrap();
    let changed = change(&text);
    assert_ne!(text, changed);
    fs::write(&path, &changed).unwrap();
    if covered {
        let manifest = fs::read_to_string(folder.join(MANIFEST)).unwrap();
        let (old, new) = (sha256(text.as_bytes()), sha256(changed.as_bytes()));
        assert!(manifest.contains(&old));
        fs::write(folder.join(MANIFEST), manifest.replace(&old, &new)).unwrap();
    }
}

#[test]
fn a_changed_file_fails_even_when_it_is_still_unsatisfiable() {
    let folder = Folder::new("changed");
    the_counters_certificate(&folder.0);
    let weaken = |text: &str| text.replace("(check-sat)", "(assert false)\n(check-sat)");
    tamper(&folder.0, "small/base.smt2", false, weaken);
    let checked = check(&folder.0);
    let complaints = complaints(&checked);
    assert_eq!(complaints.len(), 1);
    assert_eq!(complaints[0].0, "base");
    assert!(complaints[0].1.contains("was changed"), "{complaints:?}");
}

#[test]
fn a_changed_file_fails_by_its_answer_when_the_manifest_was_changed_too() {
    type Change = fn(&str) -> String;
    let changes: [(&str, Change); 4] = [
        ("small/step.smt2", |text| {
            text.replace("(= x@0 5)", "(= x@0 4)")
        }),
        ("small/base.smt2", |text| {
            text.replace("(= x@0 0)", "(= x@0 9)")
        }),
        ("small/implication.smt2", |text| {
            text.replace("(assert small@0)", "(assert true)")
        }),
        ("small/base.smt2", |text| text.replace("(check-sat)", "")),
    ];
    for (at, (file, change)) in changes.into_iter().enumerate() {
        let folder = Folder::new(&format!("answers{at}"));
        the_counters_certificate(&folder.0);
        tamper(&folder.0, file, true, change);
        for checked in [check(&folder.0), check_scripts(&folder.0)] {
            let closed: Vec<_> = checked[0]
                .complaints
                .iter()
                .filter(|one| !one.open)
                .collect();
            assert_eq!(closed.len(), 1, "{file} {checked:?}");
            assert!(file.contains(closed[0].part), "{checked:?}");
        }
    }
}

#[test]
fn a_part_that_is_missing_fails() {
    let folder = Folder::new("missing");
    the_counters_certificate(&folder.0);
    fs::remove_file(folder.0.join("small/step.smt2")).unwrap();
    let manifest = fs::read_to_string(folder.0.join(MANIFEST)).unwrap();
    let lines = manifest
        .lines()
        .filter(|line| !line.ends_with("positive/base.smt2"));
    let shorter: Vec<&str> = lines.collect();
    fs::write(folder.0.join(MANIFEST), shorter.join("\n")).unwrap();
    let checked = check(&folder.0);
    let parts: Vec<&str> = complaints(&checked).iter().map(|(part, _)| *part).collect();
    assert_eq!(parts, ["step", "base"]);
}

#[test]
fn a_folder_without_a_certificate_is_an_error() {
    let folder = Folder::new("empty");
    assert!(Certificate::read(&folder.0).is_err());
    let (system, _) = counter();
    write(&folder.0, &system, &[]);
    assert!(Certificate::read(&folder.0).is_err());
}

#[test]
fn properties_of_similar_names_get_folders_of_their_own() {
    let folder = Folder::new("names");
    let mut draft = Draft::default();
    for name in ["a/b", "a b", "A_b", "", "../.."] {
        draft.property(name, Term::bool(true));
    }
    let proof = proof(1, &[]);
    let proofs: Vec<(usize, &Proof)> = (0..5).map(|at| (at, &proof)).collect();
    write(&folder.0, &draft.0, &proofs);
    assert_eq!(complaints(&check_by(&folder.0, &draft.0, None)), []);
    for name in ["a_b", "a_b-2", "A_b-3", "_", "______"] {
        let there = folder.0.join(name).join("base.smt2").is_file();
        assert!(there || name.starts_with("___"), "{name}");
    }
}

/// Enumerations, functions, reals, division by zero, names that are words of SMT-LIB or none.
#[test]
fn everything_a_model_can_say_can_be_certified() {
    let folder = Folder::new("everything");
    let mut draft = Draft::default();
    let sort = EnumSort::new("let", vec!["and".into(), "a b".into()]);
    let f = Function::new("abs", vec![Sort::Int, Sort::Enum(sort)], Sort::Real);
    let (mode, _) = draft.declare("mode", Sort::Enum(sort), Role::Input);
    let (n, before) = draft.declare("a|b~1", Sort::Int, Role::Local);
    let (quotient, _) = draft.declare("select", Sort::Int, Role::Local);
    draft.define(n, Term::int(-2), before);
    let divided = n.int_div(Term::int(0));
    draft.define(quotient, divided, divided);
    let on = mode.eq(Term::constant(Value::Enum(sort, 1)));
    let image = Term::apply(f, &[n, mode]);
    let other = Term::apply(f, &[Term::int(-2), mode]);
    let same = Term::int(-2).int_div(Term::int(0));
    draft.assume(None, Some(on));
    draft.property("p", on.implies(image.eq(other)));
    draft.property("q", quotient.eq(same));
    let proof = proof(1, &[n.eq(Term::int(-2))]);
    write(&folder.0, &draft.0, &[(0, &proof), (1, &proof)]);
    assert_eq!(complaints(&check_by(&folder.0, &draft.0, None)), []);
    if auditor(Some("z3")).is_ok() {
        let checked = check_by(&folder.0, &draft.0, Some("z3"));
        assert_eq!(complaints(&checked), []);
    }
}

fn closed(checked: &[Checked]) -> Vec<&str> {
    let complaints = checked.iter().flat_map(|one| &one.complaints);
    let closed = complaints.filter(|one| !one.open);
    closed.map(|one| one.what.as_str()).collect()
}

fn change_manifest(folder: &Path, change: impl Fn(&str) -> String) {
    let path = folder.join(MANIFEST);
    let text = fs::read_to_string(&path).unwrap();
    let changed = change(&text);
    assert_ne!(text, changed);
    fs::write(&path, changed).unwrap();
}

#[test]
fn without_the_model_a_certificate_never_passes() {
    let folder = Folder::new("modelless");
    the_counters_certificate(&folder.0);
    let checked = check_scripts(&folder.0);
    for one in &checked {
        assert_eq!(one.complaints.len(), 1, "{checked:?}");
        assert!(one.complaints[0].open);
        assert!(
            one.complaints[0].what.starts_with(NOT_COMPARED),
            "{checked:?}"
        );
    }
}

/// What is unsatisfiable is not thereby about the model; with the hash updated only the model tells.
#[test]
fn a_contradiction_put_into_a_script_is_found_by_the_model() {
    let folder = Folder::new("contradiction");
    the_counters_certificate(&folder.0);
    let weaken = |text: &str| text.replace("(set-logic ALL)", "(set-logic ALL)\n(assert false)");
    for part in ["base", "step", "implication"] {
        tamper(&folder.0, &format!("small/{part}.smt2"), true, weaken);
    }
    assert_eq!(closed(&check_scripts(&folder.0)), [""; 0]);
    let found = check(&folder.0);
    assert_eq!(closed(&found).len(), 3, "{found:?}");
    assert!(
        closed(&found)[0].contains("not what the model makes"),
        "{found:?}"
    );
}

#[test]
fn a_script_that_does_more_than_ask_is_refused_by_name() {
    let more = [
        (
            "(set-option :diagnostic-output-channel \"unsat\")\n(get-option :diagnostic-output-channel)",
            "set-option",
        ),
        ("(get-option :print-success)", "get-option"),
        ("(echo \"unsat\")", "echo"),
        ("(get-info :name)", "get-info"),
        ("(exit)", "exit"),
        ("(reset)", "reset"),
        ("(check-sat-assuming (false))", "check-sat-assuming"),
    ];
    for (at, (command, name)) in more.into_iter().enumerate() {
        let folder = Folder::new(&format!("more{at}"));
        the_counters_certificate(&folder.0);
        let add =
            |text: &str| text.replace("(set-logic ALL)", &format!("(set-logic ALL)\n{command}"));
        tamper(&folder.0, "small/step.smt2", true, add);
        for checked in [check(&folder.0), check_scripts(&folder.0)] {
            assert_eq!(closed(&checked).len(), 1, "{command} {checked:?}");
        }
        let told = check_scripts(&folder.0);
        assert!(closed(&told)[0].contains(&format!("`{name}`")), "{told:?}");
    }
}

#[test]
fn a_script_has_as_many_questions_as_its_part() {
    let folder = Folder::new("questions");
    the_counters_certificate(&folder.0);
    // The base of a proof of depth 2 has two.
    let drop = |text: &str| text.replacen("(check-sat)", "", 1);
    tamper(&folder.0, "small/base.smt2", true, drop);
    let told = check_scripts(&folder.0);
    assert!(
        closed(&told)[0].contains("expected 2 check-sat, found 1"),
        "{told:?}"
    );
}

#[test]
fn one_script_does_not_serve_for_several_parts() {
    let folder = Folder::new("parts");
    the_counters_certificate(&folder.0);
    let text = fs::read_to_string(folder.0.join("small/base.smt2")).unwrap();
    change_manifest(&folder.0, |manifest| {
        let lines = manifest.lines().map(|line| match line.split_once(' ') {
            Some((part @ ("base" | "step" | "implication"), rest)) if rest.contains("small/") => {
                format!("{part} {} small/base.smt2\n", sha256(text.as_bytes()))
            }
            _ => format!("{line}\n"),
        });
        lines.collect()
    });
    for checked in [check(&folder.0), check_scripts(&folder.0)] {
        let told = closed(&checked);
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(
            told.iter().all(|what| what.contains("listed twice")),
            "{told:?}"
        );
    }
}

#[test]
fn invariants_that_are_not_inductive_are_found_whatever_the_scripts_say() {
    let folder = Folder::new("invariants");
    the_counters_certificate(&folder.0);
    let weaken = |text: &str| {
        text.replace("(<= |x| 5)", "(<= |x| 9)")
            .replace("(<= x 5)", "(<= x 9)")
    };
    tamper(&folder.0, "positive/proof.smt2", true, weaken);
    let checked = check(&folder.0);
    let parts: Vec<&str> = complaints(&checked).iter().map(|(part, _)| *part).collect();
    assert!(parts.contains(&"proof"), "{checked:?}");
    assert!(!closed(&checked).is_empty(), "{checked:?}");
}

#[test]
fn a_certificate_of_another_model_does_not_pass() {
    let folder = Folder::new("other");
    the_counters_certificate(&folder.0);
    // The same names, and a counter that goes on.
    let mut draft = Draft::default();
    let (x, before) = draft.declare("x", Sort::Int, Role::Output);
    let (small, _) = draft.declare("small", Sort::Bool, Role::Local);
    draft.define(x, Term::int(0), Term::add(&[before, Term::int(1)]));
    draft.define(small, x.le(Term::int(6)), x.le(Term::int(6)));
    draft.property("small", small);
    draft.property("positive", Term::int(0).le(x));
    draft.property("never three", x.eq(Term::int(3)).not());
    let checked = check_by(&folder.0, &draft.0, None);
    assert!(closed(&checked).len() >= 2, "{checked:?}");
    assert!(
        checked.iter().all(|one| !one.complaints.is_empty()),
        "{checked:?}"
    );
}

#[test]
fn a_contradictory_model_has_no_certificate_that_passes() {
    let folder = Folder::new("vacuous");
    let mut draft = Draft::default();
    draft.assume(Some(Term::bool(false)), Some(Term::bool(false)));
    draft.property("p", Term::bool(false));
    write(&folder.0, &draft.0, &[(0, &proof(1, &[]))]);
    let checked = check_by(&folder.0, &draft.0, None);
    assert!(closed(&checked)[0].contains("vacuous"), "{checked:?}");
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let (folder, elsewhere) = (Folder::new("link"), Folder::new("elsewhere"));
    the_counters_certificate(&folder.0);
    fs::rename(folder.0.join("small"), &elsewhere.0).unwrap();
    std::os::unix::fs::symlink(&elsewhere.0, folder.0.join("small")).unwrap();
    for checked in [check(&folder.0), check_scripts(&folder.0)] {
        assert!(closed(&checked)[0].contains("a link"), "{checked:?}");
    }
}

#[test]
fn a_former_certificate_goes_with_what_it_listed_and_nothing_else() {
    let folder = Folder::new("former");
    the_counters_certificate(&folder.0);
    fs::write(folder.0.join("notes.txt"), "mine").unwrap();
    let (system, _) = counter();
    write(&folder.0, &system, &[(0, &proof(2, &[]))]);
    assert!(!folder.0.join("positive").exists());
    assert_eq!(closed(&check(&folder.0)), [""; 0]);
    assert!(remove_certificate(&folder.0).unwrap());
    let left: Vec<_> = fs::read_dir(&folder.0).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(!remove_certificate(&folder.0).unwrap());
}
