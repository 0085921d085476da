//! Findings as SARIF 2.1.0, for editors and code scanning.
//!
//! A result is something that somebody should look at: an invalid property, one that says nothing,
//! one without an answer, a gap. Fingerprints are names of the model and the stable ids of mutants,
//! never positions, so that a viewer knows a result again after the file has changed. Columns count
//! characters, from one, the end exclusive, as SARIF does when told so. What the run accepts is a note.

use crate::assumptions::AssumptionFinding;
use crate::findings::{CoreFinding, Findings, MutantFinding, MutantVerdict, PropertyFinding};
use crate::findings::{Properties, PropertyVerdict, ShownSpan};
use crate::tolerance::Tolerance;
use serde_json::{Value, json};

/// A kind of result.
struct Rule {
    id: &'static str,
    level: &'static str,
    short: &'static str,
    help: &'static str,
}

const INVALID: Rule = Rule {
    id: "invalid-property",
    level: "error",
    short: "A property is false",
    help: "The model has a run on which the property is false, replayed by the simulator. Either the \
           model is wrong or the property asks too much. `proofmark check --vcd FILE` writes the run \
           for waveform viewers.",
};
const VACUOUS: Rule = Rule {
    id: "vacuous-property",
    level: "warning",
    short: "A property says nothing of the model",
    help: "The assumptions contradict each other, or the property holds whatever the model does. \
           Weaken the assumptions, or state what the model should do.",
};
const UNKNOWN: Rule = Rule {
    id: "unknown-property",
    level: "warning",
    short: "A property is neither proved nor refuted",
    help: "No engine came to an end in time. More time (`--timeout`), more engines, or a lemma as a \
           further property may help; `--inductive-counterexample` shows where the induction fails.",
};
const GAP: Rule = Rule {
    id: "gap",
    level: "warning",
    short: "No property notices a fault here",
    help: "With this small change the model does something else, and every property still holds. \
           State a property that tells the two apart; the message has suggestions that are proved \
           on the model, if some were found.",
};
const SURVIVED: Rule = Rule {
    id: "survivor",
    level: "note",
    short: "No property notices a change here",
    help: "Every property still holds with this change. Whether the model does something else is not \
           known, or was not asked.",
};
const NOT_OBSERVED: Rule = Rule {
    id: "not-observed",
    level: "note",
    short: "No property notices a change here, and nothing else is observed",
    help: "Every property still holds with this change. The main node has no outputs but properties, so \
           that nothing tells whether the model does something else; `--observe NAMES` says what matters.",
};
const UNNEEDED: Rule = Rule {
    id: "unneeded-assumption",
    level: "note",
    short: "No property needs this assumption",
    help: "Every property still holds when nothing is assumed here. An assumption that nothing needs \
           can go: it only leaves out runs that nobody has looked at.",
};
const RULES: [&Rule; 7] = [
    &INVALID,
    &VACUOUS,
    &UNKNOWN,
    &GAP,
    &SURVIVED,
    &NOT_OBSERVED,
    &UNNEEDED,
];

/// One document, with a newline at its end.
pub fn sarif(findings: &Findings, tolerance: &Tolerance) -> String {
    let properties = findings.properties.iter();
    let mut results: Vec<Value> = properties
        .filter_map(|one| property(one, findings, tolerance))
        .collect();
    results.extend(findings.cores.iter().filter_map(|one| core(one, findings)));
    let mutants = findings.mutants.iter();
    results.extend(mutants.filter_map(|one| mutant(one, findings, tolerance)));
    let assumptions = findings.assumptions.iter();
    results.extend(assumptions.filter_map(|one| assumption(one, findings)));
    let artifacts = findings.inputs.iter().map(|input| {
        json!({ "location": { "uri": uri(&input.file) }, "hashes": { "sha-256": input.hash } })
    });
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Proofmark",
                "version": findings.tool.version,
                "semanticVersion": findings.tool.version,
                "rules": RULES.iter().map(|rule| rule.describe()).collect::<Vec<_>>(),
            }},
            "automationDetails": { "id": format!("proofmark/{}/", findings.command) },
            "columnKind": "unicodeCodePoints",
            "artifacts": artifacts.collect::<Vec<_>>(),
            "results": results,
        }],
    });
    format!("{document:#}\n")
}

impl Rule {
    fn describe(&self) -> Value {
        json!({
            "id": self.id,
            "name": self.id,
            "shortDescription": { "text": self.short },
            "fullDescription": { "text": self.help },
            "help": { "text": self.help },
            "defaultConfiguration": { "level": self.level },
        })
    }

    fn result(&self, message: String, place: Value, fingerprint: String) -> Value {
        let index = RULES.iter().position(|one| one.id == self.id);
        json!({
            "ruleId": self.id,
            "ruleIndex": index,
            "level": self.level,
            "message": { "text": message },
            "locations": [{ "physicalLocation": place }],
            "partialFingerprints": { "proofmarkId/v1": fingerprint },
        })
    }
}

fn property(
    property: &PropertyFinding,
    findings: &Findings,
    tolerance: &Tolerance,
) -> Option<Value> {
    let name = &property.name;
    let reason = property.reason.as_deref().unwrap_or("no reason is known");
    let (rule, message) = match property.verdict {
        PropertyVerdict::Valid => return None,
        PropertyVerdict::Invalid => {
            let step = property.step.unwrap_or(0);
            (INVALID, format!("{name} is false at step {step}."))
        }
        PropertyVerdict::Vacuous => (VACUOUS, format!("{name} says nothing: {reason}.")),
        PropertyVerdict::Unknown => (UNKNOWN, format!("{name} is not decided: {reason}.")),
    };
    let place = place_of(property, findings);
    let mut result = rule.result(message, place, format!("property {name}"));
    accept(tolerance.of_property(property), &mut result);
    if let Some(trace) = &property.trace {
        result["properties"] = json!({ "trace": trace });
    }
    Some(result)
}

/// A proof that needs nothing of the model.
fn core(core: &CoreFinding, findings: &Findings) -> Option<Value> {
    let (why, key) = (core.vacuous.as_ref()?, core.property.key());
    let first = match &core.property {
        Properties::One(name) => Some(name),
        Properties::Together(names) => names.first(),
    };
    let mut properties = findings.properties.iter();
    let place = match properties.find(|one| Some(&one.name) == first) {
        Some(property) => place_of(property, findings),
        None => whole_file(findings, &key),
    };
    let fingerprint = format!("core {key}");
    Some(VACUOUS.result(format!("{key} says nothing: {why}."), place, fingerprint))
}

/// What the run accepts is a note that says why.
fn accept(why: Option<String>, result: &mut Value) {
    if let Some(why) = why {
        result["level"] = "note".into();
        result["properties"]["accepted"] = why.into();
    }
}

/// An assumption that nothing needs.
fn assumption(one: &AssumptionFinding, findings: &Findings) -> Option<Value> {
    if !one.can_go() {
        return None;
    }
    let message = format!("`{}` is needed by no property: it can go.", one.original);
    let place = match one.origin.span() {
        Some(span) => place(span),
        None => whole_file(findings, &one.id),
    };
    let fingerprint = format!("assumption {}", one.element);
    let mut result = UNNEEDED.result(message, place, fingerprint);
    result["properties"] = json!({ "mutant": one.id });
    Some(result)
}

fn mutant(mutant: &MutantFinding, findings: &Findings, tolerance: &Tolerance) -> Option<Value> {
    let (original, replacement) = (&mutant.original, &mutant.replacement);
    let change = format!("`{original}` may become `{replacement}` ({})", mutant.label);
    let (rule, mut message) = match mutant.verdict {
        MutantVerdict::Gap => {
            let (differs, step) = (mutant.differs.join(", "), mutant.step.unwrap_or(0));
            let what = format!("no property notices that {differs} differs at step {step}");
            (GAP, format!("{change}: {what}."))
        }
        MutantVerdict::Survived => (SURVIVED, format!("{change}: every property still holds.")),
        MutantVerdict::NotObserved => {
            let what = "every property still holds, and nothing else is observed";
            (NOT_OBSERVED, format!("{change}: {what}."))
        }
        _ => return None,
    };
    for suggestion in &mutant.suggestions {
        message.push_str(&format!("\nWould notice: {suggestion}"));
    }
    let id = format!("mutant {}", mutant.id);
    let place = match mutant.origin.span() {
        Some(span) => place(span),
        None => whole_file(findings, &mutant.id),
    };
    let mut result = rule.result(message, place, id);
    if let Some(why) = &mutant.suppressed {
        result["suppressions"] = json!([{ "kind": "external", "justification": why }]);
    }
    result["properties"] = json!({ "mutant": mutant.id, "suggestions": mutant.suggestions });
    accept(
        tolerance.of_mutant(mutant, findings.score.as_ref()),
        &mut result,
    );
    Some(result)
}

fn place_of(property: &PropertyFinding, findings: &Findings) -> Value {
    match &property.origin {
        Some(origin) => place(origin),
        None => whole_file(findings, &property.name),
    }
}

fn place(span: &ShownSpan) -> Value {
    json!({
        "artifactLocation": { "uri": uri(&span.file) },
        "region": {
            "startLine": span.line, "startColumn": span.column,
            "endLine": span.end_line, "endColumn": span.end_column,
        },
    })
}

/// The file of what has no place in a text, by its name or id.
fn whole_file(findings: &Findings, name: &str) -> Value {
    json!({ "artifactLocation": { "uri": uri(findings.file_of(name)) } })
}

/// A path as a reference; what a URI cannot have is encoded.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut uri = match path.starts_with('/') {
        true => String::from("file://"),
        false => String::new(),
    };
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into());
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn results_are_what_somebody_should_look_at() {
        let mutants = [
            "killed",
            "gap",
            "survived",
            "not-observed",
            "equivalent",
            "unknown",
        ];
        let mutants = mutants.map(samples::mutant).to_vec();
        let mut findings = samples::findings(&["valid", "invalid", "unknown", "vacuous"], mutants);
        findings.assumptions = samples::assumptions();
        let text = sarif(&findings, &Tolerance::default());
        let document: Value = serde_json::from_str(&text).unwrap();
        let results = document["runs"][0]["results"].as_array().unwrap();
        let rules: Vec<&str> = results
            .iter()
            .map(|one| one["ruleId"].as_str().unwrap())
            .collect();
        let expected = [
            INVALID,
            UNKNOWN,
            VACUOUS,
            GAP,
            SURVIVED,
            NOT_OBSERVED,
            UNNEEDED,
        ]
        .map(|rule| rule.id);
        assert_eq!(rules, expected);
        for result in results {
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(RULES[index].id, result["ruleId"]);
        }
        let place = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b/m.lus");
    }

    #[test]
    fn what_the_run_accepts_is_a_note() {
        let mutants = vec![samples::mutant("gap"), samples::mutant("killed")];
        let mut findings = samples::findings(&["unknown"], mutants);
        findings.score = Some(crate::Score::of(&findings.mutants));
        let levels = |tolerance: &Tolerance| -> Vec<String> {
            let document: Value = serde_json::from_str(&sarif(&findings, tolerance)).unwrap();
            let results = document["runs"][0]["results"].as_array().unwrap().iter();
            results
                .map(|one| one["level"].as_str().unwrap().to_string())
                .collect()
        };
        assert_eq!(levels(&Tolerance::default()), ["warning", "warning"]);
        let accepting = Tolerance {
            gap: true,
            unknown: true,
            ..Tolerance::default()
        };
        assert_eq!(levels(&accepting), ["note", "note"]);
        let with_least = |least| Tolerance {
            gap: true,
            min_score: Some(least),
            ..Tolerance::default()
        };
        assert_eq!(levels(&with_least(0.5)), ["warning", "note"]);
        assert_eq!(levels(&with_least(0.6)), ["warning", "warning"]);
    }

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("/x y/é.lus"), "file:///x%20y/%C3%A9.lus");
        assert_eq!(uri("models\\a.lus"), "models/a.lus");
    }
}
