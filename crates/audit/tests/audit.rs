//! What the notary lets pass, and what not.

mod draft;

use draft::{Draft, counter, proof};
use proofmark_audit::{
    Assumptions, Audit, audit_proof, audit_proofs, audit_refutation, auditor, vacuity,
};
use proofmark_model::{Program, Proof, Refutation, Role, Sort, System, Term, Trace, Value};
use std::cell::Cell;
use std::time::Duration;

fn audit(system: &System, property: usize, proof: &Proof) -> Audit {
    audit_proof(system, property, proof, &|| auditor(None), None).unwrap()
}

/// The complaint of an audit that failed.
fn complaint(audit: &Audit) -> &str {
    match audit {
        Audit::Failed { what } => what,
        other => panic!("{other:?}"),
    }
}

fn passed(audit: &Audit) -> bool {
    matches!(audit, Audit::Passed { .. })
}

#[test]
fn a_proof_passes_with_enough_depth_or_the_right_invariant() {
    let (system, x) = counter();
    let shallow = audit(&system, 0, &proof(1, &[]));
    assert!(complaint(&shallow).starts_with("the step"), "{shallow:?}");
    assert!(passed(&audit(&system, 0, &proof(2, &[]))));
    assert!(passed(&audit(&system, 0, &proof(1, &[x.le(Term::int(5))]))));
}

#[test]
fn a_property_that_an_equation_defines_means_its_equation_in_the_first_state_too() {
    let (mut system, x) = counter();
    let small = system.properties()[0].term;
    let name = "tight".to_string();
    let origin = proofmark_model::Origin::generated();
    let term = Term::and(&[small, x.le(Term::int(5))]);
    let property = proofmark_model::Property { name, term, origin };
    system.add_property(property).unwrap();
    assert!(passed(&audit(&system, 3, &proof(1, &[]))));
}

#[test]
fn a_false_invariant_is_found_in_the_base_or_in_the_step() {
    let (system, x) = counter();
    let never = audit(&system, 0, &proof(1, &[Term::bool(false)]));
    assert_eq!(
        complaint(&never),
        "the base of the induction does not hold: a run violates the property or an invariant at \
         step 0"
    );
    let early = audit(&system, 0, &proof(1, &[x.le(Term::int(2))]));
    assert!(complaint(&early).starts_with("the step"), "{early:?}");
    let late = audit(&system, 0, &proof(4, &[x.le(Term::int(2))]));
    assert!(complaint(&late).ends_with("at step 3"), "{late:?}");
}

#[test]
fn an_invalid_property_has_no_proof_however_it_is_dressed() {
    let (system, x) = counter();
    let not_three = x.eq(Term::int(3)).not();
    for k in 1..8 {
        for invariants in [&[][..], &[not_three], &[x.le(Term::int(2))]] {
            complaint(&audit(&system, 2, &proof(k, invariants)));
        }
    }
}

#[test]
fn a_proof_that_does_not_speak_of_the_system_fails() {
    let (system, _) = counter();
    let stranger = Term::var("stranger", Sort::Bool);
    let before = Term::var("x@pre", Sort::Int).le(Term::int(5));
    complaint(&audit(&system, 0, &proof(0, &[])));
    complaint(&audit(&system, 7, &proof(1, &[])));
    complaint(&audit(&system, 0, &proof(2, &[stranger])));
    complaint(&audit(&system, 0, &proof(2, &[before])));
}

/// The assumption cannot be met at the second step, where nothing is violated any more.
#[test]
fn a_dead_end_after_a_violation_does_not_hide_it() {
    let mut draft = Draft::default();
    let (x, _) = draft.declare("x", Sort::Int, Role::Input);
    draft.assume(None, Some(Term::bool(false)));
    draft.property("zero", x.eq(Term::int(0)));
    let audit = audit(&draft.0, 0, &proof(3, &[]));
    assert!(complaint(&audit).ends_with("at step 0"), "{audit:?}");
}

#[test]
fn proofs_are_audited_together_and_one_that_fails_does_not_take_the_others_with_it() {
    let (system, x) = counter();
    let good = proof(1, &[x.le(Term::int(5))]);
    let bad = proof(1, &[]);
    let other = proof(1, &[]);
    let audits = |first| {
        let proofs = [(0, first), (1, &other), (0, &proof(2, &[]))];
        audit_proofs(&system, &proofs, &|| auditor(None), None).unwrap()
    };
    assert!(audits(&good).iter().all(passed));
    let mixed = audits(&bad);
    complaint(&mixed[0]);
    assert!(passed(&mixed[1]) && passed(&mixed[2]));
}

#[test]
fn no_time_is_no_answer() {
    let (system, _) = counter();
    let proof = proof(2, &[]);
    let audit = audit_proof(&system, 0, &proof, &|| auditor(None), Some(Duration::ZERO)).unwrap();
    assert!(matches!(audit, Audit::Unknown { .. }), "{audit:?}");
}

#[test]
fn another_solver_audits_too() {
    if auditor(Some("z3")).is_err() {
        println!("skipped: z3 is not installed");
        return;
    }
    let (system, _) = counter();
    let open = || auditor(Some("z3"));
    let audit = audit_proof(&system, 0, &proof(2, &[]), &open, None).unwrap();
    assert!(
        matches!(&audit, Audit::Passed { by, .. } if by.contains("z3") || by.contains("Z3")),
        "{audit:?}"
    );
}

fn steps(count: usize) -> Trace {
    let mut trace = Trace::new(Vec::new());
    (0..count).for_each(|_| trace.push(Vec::new()).unwrap());
    trace
}

#[test]
fn a_refutation_passes_when_the_simulator_agrees_about_the_step() {
    let (system, _) = counter();
    let program = Program::compile(&system).unwrap();
    let audit = |property, steps_of_run, step| {
        let trace = steps(steps_of_run);
        audit_refutation(&program, property, &Refutation { trace, step })
    };
    assert!(passed(&audit(2, 4, 3)));
    complaint(&audit(2, 3, 2));
    complaint(&audit(2, 4, 2));
    complaint(&audit(0, 9, 8));
    complaint(&audit(9, 9, 8));
}

#[test]
fn a_run_that_violates_an_assumption_refutes_nothing() {
    let mut draft = Draft::default();
    let (x, _) = draft.declare("x", Sort::Int, Role::Input);
    draft.assume(Some(x.le(Term::int(5))), None);
    draft.property("p", x.le(Term::int(3)));
    let program = Program::compile(&draft.0).unwrap();
    let audit = |value: i64| {
        let mut trace = Trace::new(vec![x]);
        trace.push(vec![Value::Int(value.into())]).unwrap();
        audit_refutation(&program, 0, &Refutation { trace, step: 0 })
    };
    assert!(passed(&audit(4)));
    assert!(complaint(&audit(6)).contains("violates an assumption"));
}

fn assumptions(draft: &Draft) -> Assumptions {
    let program = Program::compile(&draft.0).unwrap();
    vacuity(&draft.0, &program, &|| auditor(None), None).unwrap()
}

#[test]
fn contradictory_assumptions_are_found_at_the_first_and_at_the_second_step() {
    let mut draft = Draft::default();
    let (x, before) = draft.declare("x", Sort::Int, Role::Input);
    assert_eq!(assumptions(&draft), Assumptions::Consistent);
    let large = Term::int(7).le(x);
    draft.assume(Some(large), Some(large));
    assert_eq!(assumptions(&draft), Assumptions::Consistent);
    draft.assume(None, Some(x.lt(before)));
    draft.property("false", Term::bool(false));
    assert_eq!(assumptions(&draft), Assumptions::Consistent);
    draft.assume(Some(x.eq(Term::int(7))), None);
    assert_eq!(assumptions(&draft), Assumptions::NoNextState);
    draft.assume(Some(x.le(Term::int(3))), None);
    assert_eq!(assumptions(&draft), Assumptions::NoFirstState);
}

/// The run of defaults meets the assumption at the first step only.
#[test]
fn a_second_step_is_looked_for_also_when_every_property_is_false() {
    let mut draft = Draft::default();
    draft.declare("x", Sort::Int, Role::Input);
    draft.property("false", Term::bool(false));
    draft.assume(None, Some(Term::bool(false)));
    assert_eq!(assumptions(&draft), Assumptions::NoNextState);
}

#[test]
fn when_the_time_is_up_nobody_asks_about_each_proof() {
    let (system, _) = counter();
    let deep = proof(2, &[]);
    let proofs = vec![(0, &deep); 20];
    let opened = Cell::new(0);
    let open = || {
        opened.set(opened.get() + 1);
        auditor(None)
    };
    let audits = audit_proofs(&system, &proofs, &open, Some(Duration::ZERO)).unwrap();
    assert_eq!(audits.len(), 20);
    let undecided = |audit: &Audit| matches!(audit, Audit::Unknown { .. });
    assert!(audits.iter().all(undecided), "{audits:?}");
    assert_eq!(opened.get(), 1);
}
