//! What a former run found, tried first by the next: `mutate --reuse`.
//!
//! A verdict is not carried over, its evidence is. The run that killed a mutant, or told it from the
//! original, is replayed on the mutant of the same name; the invariants of certificates are proved
//! again on whatever mutant they help. So it does not matter whether the model is still the same:
//! where it is, the evidence stands and costs next to nothing; where it is not, the search begins anew.

use crate::advice;
use crate::arguments::Mutate;
use crate::exit::Exit;
use crate::journal::{self, Journal};
use crate::terminal;
use proofmark_model::{self as model, System, Term, Value};
use proofmark_quality::mutate::{Campaign, Former, Mutation};
use proofmark_report::{AssumptionFinding, Findings, MutantFinding, ShownTrace, read_json};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::path::Path;

/// What was found of each mutant, by its id.
#[derive(Default)]
struct FormerRun(BTreeMap<String, Evidence>);

/// What shows that a mutant is what it is.
struct Evidence {
    run: Option<ShownTrace>,
    certificate: Option<serde_json::Value>,
}

/// What the findings of a campaign show, mutants and assumptions alike.
type Shown = Vec<(String, Evidence)>;

fn of_mutant(one: MutantFinding) -> (String, Evidence) {
    let evidence = Evidence {
        run: one.original_trace.or(one.trace),
        certificate: one.certificate,
    };
    (one.id, evidence)
}

fn of_assumption(one: AssumptionFinding) -> (String, Evidence) {
    let evidence = Evidence {
        run: one.trace,
        certificate: one.certificate,
    };
    (one.id, evidence)
}

impl FormerRun {
    /// Reads the folder of a run, or what it printed; what is wrong has been printed.
    fn read(path: &Path) -> Result<FormerRun, Exit> {
        let mutants = match path.is_dir() {
            true => journal::mutants(path).map(|all| all.into_iter().map(of_mutant).collect()),
            false => printed(path),
        };
        let mutants = mutants.map_err(|error| {
            let path = path.display();
            terminal::error(&format!(
                "--reuse: {path} is neither the folder of a run nor what `mutate --json` printed: \
                 {error}"
            ));
            Exit::Input
        })?;
        Ok(FormerRun(mutants.into_iter().collect()))
    }

    /// What a journal says of some mutants.
    fn of_journal(journal: &Journal, of_interest: &FxHashSet<String>) -> FormerRun {
        let findings = journal.findings().into_iter();
        let findings = findings.filter(|one| of_interest.contains(&one.id));
        FormerRun(findings.cloned().map(of_mutant).collect())
    }

    /// The run that told something of a mutant.
    fn run(&self, id: &str, system: &System) -> Option<model::Trace> {
        let trace = self.0.get(id)?.run.as_ref()?;
        Some(given(trace, system))
    }

    /// The invariants of all certificates that speak of this system.
    fn lemmas(&self, system: &System, solver: &str) -> Vec<Term> {
        let mut lemmas = Vec::new();
        let certificates = self.0.values();
        for certificate in certificates.filter_map(|one| one.certificate.as_ref()) {
            // What cannot be read is no help, and no harm.
            let Ok(advice) = advice::of_document(certificate, system, solver) else {
                continue;
            };
            for invariant in advice.invariants {
                if !lemmas.contains(&invariant.term) {
                    lemmas.push(invariant.term);
                }
            }
        }
        lemmas
    }
}

fn printed(path: &Path) -> Result<Shown, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let findings: Findings = read_json(&text).map_err(|error| error.to_string())?;
    let mutants = findings.mutants.into_iter().map(of_mutant);
    let assumptions = findings.assumptions.into_iter().map(of_assumption);
    Ok(mutants.chain(assumptions).collect())
}

/// A trace as somebody saw it, as one to run a system on: what the system does not have is left out.
fn given(trace: &ShownTrace, system: &System) -> model::Trace {
    let rows = trace.rows.iter().filter_map(|row| {
        let variable = system.variable_named(model::Symbol::new(&row.name))?;
        let read = |value: &Value| Value::parse(&value.to_string(), variable.sort());
        let values: Option<Vec<Value>> = row.values.iter().map(read).collect();
        Some((variable.current, values?))
    });
    let rows: Vec<(Term, Vec<Value>)> = rows.collect();
    let mut given = model::Trace::new(rows.iter().map(|(variable, _)| *variable).collect());
    for step in 0..trace.steps {
        let at = |(variable, values): &(Term, Vec<Value>)| {
            let value = values.get(step).cloned();
            value.unwrap_or_else(|| Value::default_of(variable.sort()))
        };
        let pushed = given.push(rows.iter().map(at).collect());
        // Each value was read as one of its variable's sort.
        debug_assert!(pushed.is_ok());
    }
    given
}

/// What a former run leaves to try first, if one is named, and what the journal has of mutants that are rechecked.
pub fn former(
    arguments: &Mutate,
    campaign: &Campaign<'_>,
    mutations: &[Mutation],
    (journal, rechecked): (&Journal, &FxHashSet<String>),
) -> Result<Former, Exit> {
    let mut run = match &arguments.reuse {
        Some(path) => FormerRun::read(path)?,
        None => FormerRun::default(),
    };
    run.0.extend(FormerRun::of_journal(journal, rechecked).0);
    if run.0.is_empty() {
        return Ok(Former::default());
    }
    let system = campaign.mutable.model.system();
    let numbered = mutations.iter().enumerate();
    let runs = numbered.filter_map(|(at, one)| Some((at, run.run(&campaign.id(one), system)?)));
    Ok(Former {
        runs: runs.collect(),
        lemmas: run.lemmas(system, &arguments.proving.solver),
        ..Former::default()
    })
}
