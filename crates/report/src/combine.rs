//! The findings on several models as one document: one report for all of them.
//!
//! Each model was looked at by itself, and nothing is decided here. Names of properties and ids of
//! elements and mutants are unique within a model only; so each gets the path of its model before it,
//! as in `models/tank.lus:bounded`, wherever one refers to another. Lists are put one behind the
//! other, times are sums, and the score is that of all mutants.

use crate::assumptions::AssumptionFinding;
use crate::coverage::{CoverageFinding, CoverageSummary};
use crate::findings::{
    AuditSummary, CoreFinding, DeadlockFinding, DeadlockVerdict, ElementFinding, Findings,
    MutantFinding, Outcome, OutputFinding, Properties, PropertyFinding, PropertyVerdict, Worth,
};
use crate::score::Score;
use crate::text::summary;
use crate::trace::ShownTrace;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// One document for all; nothing when there are none. `failed` are the models that could not be
/// looked at: with one of those, not everything has an answer.
pub fn combine(parts: Vec<Findings>, failed: &[String]) -> Option<Findings> {
    let options = options(&parts);
    let outcome = outcome(&parts, failed);
    let solvers: BTreeSet<&str> = parts.iter().map(|one| one.tool.solver.as_str()).collect();
    let solver = Vec::from_iter(solvers).join(", ");
    let (audit, deadlock, worth) = (audit(&parts), deadlock(&parts), worth(&parts));
    let is_campaign = parts.iter().any(|one| one.score.is_some());
    let mut named = parts.into_iter().map(name);
    let mut whole = named.next()?;
    for part in named {
        whole.inputs.extend(part.inputs);
        whole.seconds += part.seconds;
        whole.properties.extend(part.properties);
        whole.elements.extend(part.elements);
        whole.cores.extend(part.cores);
        whole.mutants.extend(part.mutants);
        whole.assumptions.extend(part.assumptions);
        whole.coverage.extend(part.coverage);
        whole.coverage_summary.extend(part.coverage_summary);
        whole.coverage_suggestions.extend(part.coverage_suggestions);
    }
    whole.tool.solver = solver;
    Some(Findings {
        options,
        outcome,
        audit,
        deadlock,
        outputs: OutputFinding::of(&whole.mutants),
        score: is_campaign.then(|| Score::of(&whole.mutants)),
        worth,
        equivalence: None,
        failed: failed.to_vec(),
        ..whole
    })
}

/// A line for all models together, and a second one where a deadlock is not decided.
pub fn combined_text(findings: &Findings) -> String {
    let all = findings.inputs.len() + findings.failed.len();
    let mut text = format!("{all} {}", if all == 1 { "model" } else { "models" });
    // Writing to a string does not fail.
    let _ = match findings.failed.len() {
        0 => write!(text, ": "),
        count => write!(text, ", {count} of them not looked at: "),
    };
    let is_list = findings.options.contains_key("list");
    match &findings.score {
        Some(score) => text.push_str(&(score.line() + "\n")),
        None if is_list => {
            let _ = writeln!(text, "{} mutants", findings.mutants.len());
        }
        None => text.push_str(&summary(findings)),
    }
    text
}

/// What holds for all is told once; where models differ, what holds for each by its path.
fn options(parts: &[Findings]) -> BTreeMap<String, serde_json::Value> {
    let names: BTreeSet<&String> = parts.iter().flat_map(|one| one.options.keys()).collect();
    let of = |name: &String| {
        let mut values = parts.iter().map(|one| one.options.get(name));
        let first = values.next().flatten();
        match first.filter(|first| values.all(|other| other == Some(first))) {
            Some(value) => value.clone(),
            None => {
                let each = parts.iter().filter_map(|one| {
                    let value = one.options.get(name)?;
                    Some((file(one).to_string(), value.clone()))
                });
                serde_json::Value::Object(each.collect())
            }
        }
    };
    names
        .into_iter()
        .map(|one| (one.clone(), of(one)))
        .collect()
}

fn outcome(parts: &[Findings], failed: &[String]) -> Outcome {
    let has = |outcome| parts.iter().any(|one| one.outcome == outcome);
    if has(Outcome::Found) {
        Outcome::Found
    } else if has(Outcome::Inconclusive) || !failed.is_empty() {
        Outcome::Inconclusive
    } else {
        Outcome::Holds
    }
}

fn audit(parts: &[Findings]) -> Option<AuditSummary> {
    let all: Vec<&AuditSummary> = parts.iter().filter_map(|one| one.audit.as_ref()).collect();
    let differs = distinct(all.iter().filter_map(|one| one.differs.clone()));
    (!all.is_empty()).then(|| AuditSummary {
        by: distinct(all.iter().flat_map(|one| one.by.clone())),
        differs: (!differs.is_empty()).then(|| differs.join("; ")),
        seconds: all.iter().map(|one| one.seconds).sum(),
    })
}

/// Each text once, where it first comes.
fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for text in texts {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// The worst that is known of any model, with the reasons of each.
fn deadlock(parts: &[Findings]) -> Option<DeadlockFinding> {
    let all = parts.iter();
    let all: Vec<(&str, &DeadlockFinding)> = all
        .filter_map(|one| Some((file(one), one.deadlock.as_ref()?)))
        .collect();
    let has = |verdict| all.iter().any(|(_, one)| one.verdict == verdict);
    let verdict = if has(DeadlockVerdict::Found) {
        DeadlockVerdict::Found
    } else if has(DeadlockVerdict::Undecided) {
        DeadlockVerdict::Undecided
    } else {
        DeadlockVerdict::Absent
    };
    let such: Vec<&(&str, &DeadlockFinding)> = all
        .iter()
        .filter(|(_, one)| one.verdict == verdict)
        .collect();
    let reasons = such.iter().filter_map(|(file, one)| {
        let reason = one.reason.as_ref()?;
        Some(format!("{file}: {reason}"))
    });
    let reasons: Vec<String> = reasons.collect();
    (!all.is_empty()).then(|| DeadlockFinding {
        verdict,
        audited_by: distinct(such.iter().flat_map(|(_, one)| one.audited_by.clone())),
        reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
    })
}

/// A property of one model says nothing of another, so that the smallest sets add up.
fn worth(parts: &[Findings]) -> Option<Worth> {
    let all: Vec<(&str, &Worth)> = parts
        .iter()
        .filter_map(|one| Some((file(one), one.worth.as_ref()?)))
        .collect();
    let names = |list: fn(&Worth) -> &[String]| {
        let each = all.iter();
        each.flat_map(|(file, one)| list(one).iter().map(move |name| format!("{file}:{name}")))
            .collect()
    };
    (!all.is_empty()).then(|| Worth {
        redundant: names(|one| &one.redundant),
        smallest: names(|one| &one.smallest),
        exact: all.iter().all(|(_, one)| one.exact),
        unknown: all.iter().map(|(_, one)| one.unknown).sum(),
    })
}

/// The model that findings are of.
fn file(findings: &Findings) -> &str {
    findings.inputs.first().map_or("", |input| &input.file)
}

/// The findings with the path of the model before every name.
fn name(mut findings: Findings) -> Findings {
    let keys = keys(&findings);
    let prefix = format!("{}:", file(&findings));
    let name = Names {
        prefix: &prefix,
        keys: &keys,
    };
    findings
        .properties
        .iter_mut()
        .for_each(|one| name.property(one));
    findings
        .elements
        .iter_mut()
        .for_each(|one| name.element(one));
    findings.cores.iter_mut().for_each(|one| name.core(one));
    findings.mutants.iter_mut().for_each(|one| name.mutant(one));
    let assumptions = findings.assumptions.iter_mut();
    assumptions.for_each(|one| name.assumption(one));
    findings
        .coverage
        .iter_mut()
        .for_each(|one| name.coverage(one));
    let summaries = findings.coverage_summary.iter_mut();
    summaries.for_each(|one| name.coverage_summary(one));
    let suggestions = findings.coverage_suggestions.iter_mut();
    suggestions.for_each(|one| name.texts(&mut one.elements));
    findings
}

/// The keys of properties that are taken together, each with their names.
fn keys(findings: &Findings) -> BTreeMap<String, Vec<String>> {
    let cores = findings.cores.iter();
    let together = cores.filter_map(|one| match &one.property {
        Properties::Together(names) => Some(names.clone()),
        Properties::One(_) => None,
    });
    let properties = findings.properties.iter();
    let proved = properties.filter(|one| one.verdict == PropertyVerdict::Valid);
    let proved: Vec<String> = proved.map(|one| one.name.clone()).collect();
    let all = together.chain([proved]);
    all.map(|names| (names.join(", "), names)).collect()
}

/// Puts the path of a model before names.
struct Names<'n> {
    prefix: &'n str,
    keys: &'n BTreeMap<String, Vec<String>>,
}

impl Names<'_> {
    fn text(&self, name: &mut String) {
        name.insert_str(0, self.prefix);
    }

    fn texts(&self, names: &mut [String]) {
        names.iter_mut().for_each(|name| self.text(name));
    }

    /// The key of one property, or of several together.
    fn key(&self, key: String) -> String {
        let named = |name: &String| format!("{}{name}", self.prefix);
        match self.keys.get(&key) {
            Some(names) => Vec::from_iter(names.iter().map(named)).join(", "),
            None => named(&key),
        }
    }

    fn trace(&self, trace: &mut Option<ShownTrace>) {
        let violates = trace.iter_mut().flat_map(|one| &mut one.violates);
        violates.for_each(|(name, _)| self.text(name));
    }

    fn property(&self, one: &mut PropertyFinding) {
        self.text(&mut one.name);
        self.trace(&mut one.trace);
        self.trace(&mut one.inductive_counterexample);
    }

    fn element(&self, one: &mut ElementFinding) {
        self.text(&mut one.id);
        let roles = std::mem::take(&mut one.role).into_iter();
        one.role = roles.map(|(key, role)| (self.key(key), role)).collect();
    }

    fn core(&self, one: &mut CoreFinding) {
        match &mut one.property {
            Properties::One(name) => self.text(name),
            Properties::Together(names) => self.texts(names),
        }
        self.texts(&mut one.elements);
        self.texts(&mut one.undecided);
        self.texts(&mut one.must_undecided);
    }

    fn mutant(&self, one: &mut MutantFinding) {
        self.text(&mut one.id);
        self.text(&mut one.element);
        // Nodes of two models may have one name, and are two.
        self.text(&mut one.node);
        self.texts(&mut one.killed_by);
        self.texts(&mut one.reaches);
        let cells = std::mem::take(&mut one.matrix).into_iter();
        one.matrix = cells
            .map(|(name, cell)| (format!("{}{name}", self.prefix), cell))
            .collect();
        self.trace(&mut one.trace);
        self.trace(&mut one.original_trace);
    }

    fn coverage(&self, one: &mut CoverageFinding) {
        self.text(&mut one.element);
        one.property.iter_mut().for_each(|name| self.text(name));
        self.trace(&mut one.trace);
    }

    fn coverage_summary(&self, one: &mut CoverageSummary) {
        one.property.iter_mut().for_each(|name| self.text(name));
        for certificate in &mut one.certificates {
            self.texts(&mut certificate.elements);
        }
    }

    fn assumption(&self, one: &mut AssumptionFinding) {
        self.text(&mut one.id);
        self.text(&mut one.element);
        self.texts(&mut one.needed_by);
        self.trace(&mut one.trace);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::CoreRole;
    use crate::samples;

    fn part(file: &str, verdict: &str, mutants: &[&str]) -> Findings {
        let mutants = mutants.iter().map(|one| samples::mutant(one)).collect();
        let mut findings = samples::findings(&[verdict], mutants);
        findings.inputs[0].file = file.into();
        findings.outcome = match verdict {
            "valid" => Outcome::Holds,
            _ => Outcome::Found,
        };
        findings.score = Some(Score::of(&findings.mutants));
        findings
    }

    #[test]
    fn names_have_the_path_of_their_model_before_them() {
        let mut one = part("a.lus", "valid", &["killed"]);
        one.mutants[0].killed_by = vec!["p&q".into()];
        one.assumptions = samples::assumptions();
        let whole = combine(vec![one, part("b.lus", "invalid", &["gap"])], &[]);
        let whole = whole.expect("there are two");
        let names: Vec<&str> = whole
            .properties
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(names, ["a.lus:p&q", "b.lus:p&q"]);
        let trace = whole.properties[1].trace.as_ref().expect("it is invalid");
        assert_eq!(trace.violates[0].0, "b.lus:p&q");
        let ids: Vec<&str> = whole.mutants.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["a.lus:m/x#or2xor#1", "b.lus:m/x#or2xor#1"]);
        assert_eq!(whole.mutants[0].killed_by, ["a.lus:p&q"]);
        assert_eq!(whole.assumptions[0].needed_by, ["a.lus:p&q"]);
        assert_eq!(whole.outcome, Outcome::Found);
        assert_eq!(whole.seconds, 1.0);
        let score = whole.score.expect("there are mutants");
        assert_eq!((score.killed, score.gap, score.total), (1, 1, 2));
        assert!(combined_text(&whole).starts_with("2 models: score 50.0 % (1 of 2 killed"));
    }

    #[test]
    fn roles_of_properties_taken_together_keep_their_keys() {
        let mut one = part("a.lus", "valid", &[]);
        one.score = None;
        let names = vec!["p".to_string(), "q, r".to_string()];
        let core = serde_json::json!({
            "property": names, "elements": ["m/x"], "minimal": true, "audit": "passed",
            "decided": {}, "seconds": 0.1,
        });
        one.cores = vec![serde_json::from_value(core).expect("it is a core")];
        let element = serde_json::json!({
            "id": "m/x", "name": "x", "category": "equation", "text": "x = 1;",
            "role": { "p, q, r": "must" },
        });
        one.elements = vec![serde_json::from_value(element).expect("it is an element")];
        let whole = combine(vec![one], &[]).expect("there is one");
        let key = whole.cores[0].property.key();
        assert_eq!(key, "a.lus:p, a.lus:q, r");
        assert_eq!(whole.elements[0].id, whole.cores[0].elements[0]);
        assert_eq!(whole.elements[0].role.get(&key), Some(&CoreRole::Must));
    }

    #[test]
    fn a_model_that_failed_leaves_the_rest_inconclusive() {
        let failed = ["c.lus".to_string()];
        let whole = combine(vec![part("a.lus", "valid", &[])], &failed).expect("there is one");
        assert_eq!(whole.outcome, Outcome::Inconclusive);
        assert_eq!(whole.failed, failed);
        let text = combined_text(&whole);
        assert!(
            text.starts_with("2 models, 1 of them not looked at: "),
            "{text}"
        );
        assert!(combine(Vec::new(), &failed).is_none());
    }

    #[test]
    fn options_that_differ_are_told_by_model() {
        let mut parts = vec![part("a.lus", "valid", &[]), part("b.lus", "valid", &[])];
        for (part, jobs) in parts.iter_mut().zip([1, 2]) {
            part.options.insert("jobs".into(), jobs.into());
            part.options.insert("audit".into(), true.into());
        }
        let options = combine(parts, &[]).expect("there are two").options;
        assert_eq!(options["audit"], true);
        assert_eq!(
            options["jobs"],
            serde_json::json!({ "a.lus": 1, "b.lus": 2 })
        );
    }
}
