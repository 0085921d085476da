//! Two models as black boxes: the same inputs, and at every step the same outputs.
//!
//! They run side by side on shared inputs, as one system: the second's variables get names of their own, and
//! what a model assumes is not assumed there but watched. Both have to accept the same runs, and to show the
//! same on those. Whether they do is a property, which the engines decide and the auditor checks; a run that
//! violates it is run again on each model by itself.
//!
//! What nobody defines is a choice of the model. A proof in which choices of the same name agree is one of
//! equivalence; a difference may be made up for by another choice, and is none that we can tell.

use super::{
    AuditFailed, Declared, Difference, Equivalence, EquivalenceVerdict, VariableDifference,
};
use crate::auditor::Audited;
use crate::mutate::copy_element;
use crate::verify::{Verdict, Verified, VerifyError};
use proofmark_model::{
    Body, Definition, Element, Evaluator, Origin, Phase, Program, Property, Role, Sort, System,
    SystemError, Term, Trace, Value, Variable, rename,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why a comparison has no result.
#[derive(Debug)]
pub enum SequentialError {
    /// The engines or the auditor failed.
    Verify(VerifyError),
    /// The two are no system together.
    Product(SystemError),
    /// A run is none: an internal error.
    Audit(AuditFailed),
}

impl From<SystemError> for SequentialError {
    fn from(error: SystemError) -> SequentialError {
        SequentialError::Product(error)
    }
}

/// What is observed of a model: the variables and properties of some names or, where nothing is named, its
/// outputs, and where it has none, its properties.
pub fn observed(system: &System, names: &[String]) -> Vec<(String, Term)> {
    let variables = system.variables().iter();
    let variables = variables.map(|one| (one.name.to_string(), one.current, one.role));
    let properties = system.properties().iter();
    let properties: Vec<(String, Term)> =
        properties.map(|one| (one.name.clone(), one.term)).collect();
    if !names.is_empty() {
        let all = variables.map(|(name, term, _)| (name, term));
        let mut all: Vec<(String, Term)> = all.chain(properties).collect();
        all.retain(|(name, _)| names.contains(name));
        return all;
    }
    let outputs = variables.filter(|(.., role)| *role == Role::Output);
    let outputs: Vec<(String, Term)> = outputs.map(|(name, term, _)| (name, term)).collect();
    if outputs.is_empty() {
        properties
    } else {
        outputs
    }
}

/// What of two models does not fit together: inputs and what is observed, by name.
pub fn interface(first: &System, second: &System, names: &[String]) -> Vec<VariableDifference> {
    let declared = |system: &System| -> Vec<(String, Declared)> {
        let inputs = system.inputs();
        let inputs = inputs.map(|one| (one.name.to_string(), Declared::of(one)));
        let observed = observed(system, names).into_iter();
        let observed = observed.map(|(name, term)| (name, Declared::observed(term)));
        inputs.chain(observed).collect()
    };
    let (one, other) = (declared(first), declared(second));
    let find = |list: &[(String, Declared)], name: &str| {
        let found = list.iter().find(|(known, _)| known == name);
        found.map(|(_, declared)| declared.clone())
    };
    let added = other.iter().filter(|(name, _)| find(&one, name).is_none());
    let rows = one.iter().chain(added).map(|(name, _)| VariableDifference {
        name: name.clone(),
        first: find(&one, name),
        second: find(&other, name),
    });
    rows.filter(|row| row.first != row.second).collect()
}

/// Compares two models by what has a name of a list, or by their outputs. `check` decides the one property of their product.
pub fn compare_sequential(
    [first, second]: [&System; 2],
    names: &[String],
    check: &mut dyn FnMut(&System) -> Result<Verified, VerifyError>,
) -> Result<Equivalence, SequentialError> {
    let rows = interface(first, second, names);
    if !rows.is_empty() {
        let difference = Box::new(Difference::Variables(rows));
        return Ok(Equivalence {
            verdict: EquivalenceVerdict::Different(difference),
            audit: Audited::by("the declarations"),
            states: None,
        });
    }
    let product = product(first, second, names)?;
    let mut verified = check(&product).map_err(SequentialError::Verify)?;
    let Some(judgement) = verified.judgements.pop() else {
        return Ok(unknown("nothing was asked".into()));
    };
    let audit = judgement.audit.unwrap_or(Audited::NotAskedFor);
    let verdict = match judgement.verdict {
        Verdict::Valid { .. } => EquivalenceVerdict::Equivalent,
        Verdict::Vacuous { why, .. } | Verdict::Unknown { why, .. } => {
            EquivalenceVerdict::Unknown { why }
        }
        Verdict::Invalid { refutation, .. } => {
            if let Some(name) = chooses(first).or_else(|| chooses(second)) {
                return Ok(unknown(format!(
                    "they differ when both choose alike, and `{name}` may be chosen otherwise"
                )));
            }
            let runs = runs(
                [first, second],
                names,
                &refutation.trace,
                refutation.step as usize,
            );
            let difference = runs.map_err(SequentialError::Audit)?;
            EquivalenceVerdict::Different(Box::new(difference))
        }
    };
    Ok(Equivalence {
        verdict,
        audit,
        states: None,
    })
}

fn unknown(why: String) -> Equivalence {
    Equivalence {
        verdict: EquivalenceVerdict::Unknown { why },
        audit: Audited::NotAskedFor,
        states: None,
    }
}

/// A variable that the model may choose, if there is one.
fn chooses(system: &System) -> Option<String> {
    let mut defined: [FxHashSet<Term>; 2] = Default::default();
    for element in system.elements() {
        for definition in element.definitions() {
            for (phase, known) in [Phase::Init, Phase::Step].into_iter().zip(&mut defined) {
                if definition.value(phase).is_some() {
                    known.insert(definition.variable);
                }
            }
        }
    }
    let mut variables = system.variables().iter();
    let found = variables.find(|one| match one.role {
        Role::Input => false,
        Role::Choice => true,
        _ => !defined.iter().all(|known| known.contains(&one.current)),
    });
    found.map(|one| one.name.to_string())
}

/// The name of the second model's variable in the product.
fn other_name(name: &str) -> String {
    format!("{name}%other")
}

/// Both side by side, with the property that nobody can tell them apart.
fn product(first: &System, second: &System, names: &[String]) -> Result<System, SequentialError> {
    let mut product = System::default();
    let mut copies: FxHashMap<Term, Term> = FxHashMap::default();
    for variable in first.variables() {
        product.declare(variable.clone())?;
    }
    for variable in second.variables() {
        let shared = first.variable_named(variable.name);
        let is_shared = matches!(variable.role, Role::Input | Role::Choice);
        if is_shared
            && shared.is_some_and(|one| one.role == variable.role && one.sort() == variable.sort())
        {
            continue;
        }
        let copy = Variable::new(
            &other_name(variable.name.as_str()),
            variable.sort(),
            variable.role,
            variable.origin.clone(),
        );
        let copy = copy.with_bounds(variable.bounds.clone());
        copies.insert(variable.current, copy.current);
        copies.insert(variable.previous, copy.previous);
        product.declare(copy)?;
    }
    first
        .functions()
        .iter()
        .chain(second.functions())
        .for_each(|one| product.add_function(*one));
    let mut demands: [Vec<Element>; 2] = Default::default();
    for (side, system) in [first, second].into_iter().enumerate() {
        for element in system.elements() {
            let element = match side {
                0 => (**element).clone(),
                _ => copy_element(element, &mut copies),
            };
            match element.body {
                Body::Define(_) => {
                    product.add_element(element)?;
                }
                Body::Constrain { .. } => demands[side].push(element),
            }
        }
    }
    let accepted = watch(&mut product, demands)?;
    let of_second: FxHashMap<String, Term> = observed(second, names).into_iter().collect();
    let pairs = observed(first, names)
        .into_iter()
        .filter_map(|(name, term)| {
            let other = rename(*of_second.get(&name)?, &mut copies, |leaf| leaf);
            Some(term.eq(other))
        });
    let same = Term::and(&pairs.collect::<Vec<Term>>());
    let term = match accepted {
        None => same,
        Some([so_far, one, other]) => {
            so_far.implies(Term::and(&[one.eq(other), one.implies(same)]))
        }
    };
    product.add_property(Property {
        name: "the models are the same".into(),
        term,
        origin: Origin::generated(),
    })?;
    Ok(product)
}

/// Defines whether both have accepted the run up to the step before, and whether each accepts this step.
fn watch(
    product: &mut System,
    demands: [Vec<Element>; 2],
) -> Result<Option<[Term; 3]>, SystemError> {
    if demands.iter().all(Vec::is_empty) {
        return Ok(None);
    }
    let boolean = |name: &str| Variable::new(name, Sort::Bool, Role::Local, Origin::generated());
    let so_far = boolean("accepted so far%both");
    let sides = [boolean("accepted%first"), boolean("accepted%second")];
    for variable in sides.iter().chain([&so_far]) {
        product.declare(variable.clone())?;
    }
    for (variable, elements) in sides.iter().zip(demands) {
        let all = |phase: Phase| {
            let demands = elements.iter().filter_map(|one| one.constraint(phase));
            Term::and(&demands.collect::<Vec<Term>>())
        };
        let definition = Definition {
            variable: variable.current,
            init: Some(all(Phase::Init)),
            step: Some(all(Phase::Step)),
        };
        let auxiliaries = elements.iter().flat_map(|one| one.auxiliaries.clone());
        let element = Element {
            auxiliaries: auxiliaries.collect(),
            ..Element::define(definition, Origin::generated())
        };
        product.add_element(element)?;
    }
    let before = [so_far.previous, sides[0].previous, sides[1].previous];
    let definition = Definition {
        variable: so_far.current,
        init: Some(Term::bool(true)),
        step: Some(Term::and(&before)),
    };
    product.add_element(Element::define(definition, Origin::generated()))?;
    Ok(Some([so_far.current, sides[0].current, sides[1].current]))
}

/// The runs of both, each computed by itself, up to the step at which they differ.
fn runs(
    [first, second]: [&System; 2],
    names: &[String],
    found: &Trace,
    step: usize,
) -> Result<Difference, AuditFailed> {
    let run = |system: &System| {
        let program = Program::compile(system).map_err(|error| AuditFailed(error.to_string()))?;
        let (run, outcome) = program.machine().run(&found.first(step + 1));
        Ok((run, outcome.broken_at().is_none_or(|broken| broken > step)))
    };
    let ((one, accepted), (other, other_accepted)) = (run(first)?, run(second)?);
    let of_second: FxHashMap<String, Term> = observed(second, names).into_iter().collect();
    let mut shown: Vec<String> = Vec::new();
    for (name, term) in observed(first, names) {
        let value = |run: &Trace, term: Term| value_of(run, step, term);
        let there = of_second.get(&name).and_then(|term| value(&other, *term));
        if value(&one, term) != there {
            shown.push(name);
        }
    }
    if shown.is_empty() && accepted == other_accepted {
        return Err(AuditFailed("the run does not tell the models apart".into()));
    }
    Ok(Difference::Observed {
        step,
        names: shown,
        first: one,
        second: other,
        accepted: [accepted, other_accepted],
    })
}

fn value_of(run: &Trace, step: usize, term: Term) -> Option<Value> {
    let columns = run.columns().iter().copied();
    let row: FxHashMap<Term, Value> = columns.zip(run.row(step).iter().cloned()).collect();
    Evaluator::new(&row).value(term).ok()
}
