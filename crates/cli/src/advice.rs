//! The invariants of a former run, kept in a file as advice for the next.
//!
//! The file is JSON: a version, and for each invariant its term in SMT-LIB, the depth of its
//! induction and the sorts of its variables. What is read back is a guess like any other, to be
//! proved again, so that a file of another model, or a wrong one, costs time and never a verdict.
//! What this model has no variables for is skipped. Terms with uninterpreted functions, which also
//! stand for division by zero, are not kept.

use proofmark_model::{Invariant, Mentions, Op, Proof, Sort, Symbol, System, Term};
use proofmark_solve::smtlib::{Command, Reader, printer};
use proofmark_solve::{Budget, SolveError};
use proofmark_source::Sources;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};

/// The version of the file.
const SCHEMA: &str = "proofmark-proof/1";

/// The file that keeps the invariants of some proofs.
pub fn write<'p>(proofs: impl Iterator<Item = &'p Proof>) -> String {
    format!("{:#}\n", document(proofs))
}

/// What such a file says.
pub fn document<'p>(proofs: impl Iterator<Item = &'p Proof>) -> Value {
    let mut depths: BTreeMap<String, (Term, u32)> = BTreeMap::new();
    for invariant in proofs.flat_map(|proof| &proof.invariants) {
        if Mentions::of(invariant.term).functions.is_empty() {
            let text = printer::term(invariant.term);
            let entry = depths.entry(text).or_insert((invariant.term, invariant.k));
            entry.1 = entry.1.min(invariant.k);
        }
    }
    let invariants: Vec<Value> = depths
        .iter()
        .map(|(text, (term, k))| json!({"term": text, "k": k, "variables": variables(*term)}))
        .collect();
    json!({"schema": SCHEMA, "invariants": invariants})
}

fn variables(term: Term) -> BTreeMap<&'static str, String> {
    let mentioned = Mentions::of(term).variables;
    let named = mentioned
        .into_iter()
        .filter_map(|variable| Some((variable.as_var()?.as_str(), printer::sort(variable.sort()))));
    named.collect()
}

/// What a file has for a system.
pub struct Advice {
    pub invariants: Vec<Invariant>,
    /// What is of no use here, and why.
    pub skipped: Vec<String>,
}

/// Reads a file; an error says what it is instead.
pub fn read(text: &str, system: &System, solver: &str) -> Result<Advice, String> {
    let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    of_document(&file, system, solver)
}

/// What a document has for a system.
pub fn of_document(file: &Value, system: &System, solver: &str) -> Result<Advice, String> {
    if file["schema"] != SCHEMA {
        return Err(format!(
            "expected the schema {SCHEMA}, found {}; was it written by --save-proof?",
            file["schema"]
        ));
    }
    let listed = file["invariants"]
        .as_array()
        .ok_or("expected a list of invariants")?;
    let mut advice = Advice {
        invariants: Vec::new(),
        skipped: Vec::new(),
    };
    for one in listed {
        match invariant(one, system, solver) {
            Ok(invariant) => advice.invariants.push(invariant),
            Err(why) => advice.skipped.push(format!("{}: {why}", one["term"])),
        }
    }
    Ok(advice)
}

fn invariant(one: &Value, system: &System, solver: &str) -> Result<Invariant, String> {
    let text = one["term"].as_str().ok_or("expected a term")?;
    let sorts = one["variables"].as_object().ok_or("expected variables")?;
    let mut script = String::new();
    let mut enumerations = Vec::new();
    for (name, sort) in sorts {
        let variable = system
            .variable_named(Symbol::new(name))
            .ok_or_else(|| format!("there is no variable {name}"))?;
        let own = printer::sort(variable.sort());
        if sort.as_str() != Some(own.as_str()) {
            return Err(format!("{name} is of sort {own} now"));
        }
        if let Sort::Enum(sort) = variable.sort()
            && !enumerations.contains(&sort)
        {
            enumerations.push(sort);
            printer::write_declare_enumeration(sort, &printer::OwnNames, &mut script);
        }
        script += &format!("(declare-const {} {own})", printer::symbol(name));
    }
    let term = parse(format!("{script}(assert {text}\n)"))?;
    let mentioned = Mentions::of(term);
    let known = |variable: &Term| system.variable(*variable).is_some();
    if !mentioned.functions.is_empty() || !mentioned.variables.iter().all(known) {
        return Err("it is not about this model's variables alone".into());
    }
    if !is_simple(term) {
        try_out(term, solver).map_err(|error| error.to_string())?;
    }
    let k = one["k"].as_u64().and_then(|k| u32::try_from(k).ok());
    let k = k.unwrap_or(1).max(1);
    Ok(Invariant { term, k })
}

/// The term of a script that makes one assertion.
fn parse(script: String) -> Result<Term, String> {
    let mut sources = Sources::default();
    let file = sources
        .add("advice", script)
        .map_err(|_| "it is too long")?;
    let mut reader = Reader::new(file, sources.file(file).text());
    let mut asserted = None;
    loop {
        match reader.command() {
            Ok(None) => return asserted.ok_or_else(|| "expected a term".into()),
            Ok(Some((Command::Assert { formula, .. }, _))) if asserted.is_none() => {
                asserted = Some(formula.term);
            }
            Ok(Some((Command::DeclareVariable(_) | Command::DeclareSort(_), _)))
                if asserted.is_none() => {}
            Ok(Some(_)) => return Err("expected one term, found more".into()),
            Err(fault) => return Err(fault.message.clone()),
        }
    }
}

/// Is a term such that every solver takes it?
fn is_simple(term: Term) -> bool {
    let mut seen = HashSet::new();
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        let unknown = |arg: &&Term| arg.as_const().is_none();
        let product = *term.op() == Op::Mul && term.args().iter().filter(unknown).count() > 1;
        if product || matches!(term.sort(), Sort::BitVec(_)) {
            return false;
        }
        stack.extend(term.args());
    }
    true
}

/// Shows a term to a solver, which may refuse it.
fn try_out(term: Term, solver: &str) -> Result<(), SolveError> {
    let mut solver = proofmark_solve::open(solver)?;
    solver.set_budget(Budget {
        effort: Some(1),
        time: Some(std::time::Duration::from_millis(100)),
    });
    solver.assert(term)?;
    solver.check(&[]).map(drop)
}
