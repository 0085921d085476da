//! Findings as SARIF 2.1.0, for editors and code scanning.
//!
//! A result is something that somebody should look at: an invalid property, one that says nothing,
//! one without an answer, a gap. Fingerprints are names of the model and the stable ids of mutants,
//! never positions, so that a viewer knows a result again after the file has changed. Columns count
//! characters, from one, the end exclusive, as SARIF does when told so.

use crate::findings::{CoreFinding, Findings, MutantFinding, MutantVerdict, PropertyFinding};
use crate::findings::{Properties, PropertyVerdict, ShownSpan};
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
const RULES: [&Rule; 5] = [&INVALID, &VACUOUS, &UNKNOWN, &GAP, &SURVIVED];

/// One document, with a newline at its end.
pub fn sarif(findings: &Findings) -> String {
    let properties = findings.properties.iter();
    let mut results: Vec<Value> = properties
        .filter_map(|one| property(one, findings))
        .collect();
    results.extend(findings.cores.iter().filter_map(|one| core(one, findings)));
    results.extend(
        findings
            .mutants
            .iter()
            .filter_map(|one| mutant(one, findings)),
    );
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

fn property(property: &PropertyFinding, findings: &Findings) -> Option<Value> {
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
        None => whole_file(findings),
    };
    let fingerprint = format!("core {key}");
    Some(VACUOUS.result(format!("{key} says nothing: {why}."), place, fingerprint))
}

fn mutant(mutant: &MutantFinding, findings: &Findings) -> Option<Value> {
    let (original, replacement) = (&mutant.original, &mutant.replacement);
    let change = format!("`{original}` may become `{replacement}` ({})", mutant.label);
    let (rule, mut message) = match mutant.verdict {
        MutantVerdict::Gap => {
            let (differs, step) = (mutant.differs.join(", "), mutant.step.unwrap_or(0));
            let what = format!("no property notices that {differs} differs at step {step}");
            (GAP, format!("{change}: {what}."))
        }
        MutantVerdict::Survived => (SURVIVED, format!("{change}: every property still holds.")),
        _ => return None,
    };
    for suggestion in &mutant.suggestions {
        message.push_str(&format!("\nWould notice: {suggestion}"));
    }
    let id = format!("mutant {}", mutant.id);
    let place = match mutant.origin.span() {
        Some(span) => place(span),
        None => whole_file(findings),
    };
    let mut result = rule.result(message, place, id);
    if let Some(why) = &mutant.suppressed {
        result["suppressions"] = json!([{ "kind": "external", "justification": why }]);
    }
    result["properties"] = json!({ "mutant": mutant.id, "suggestions": mutant.suggestions });
    Some(result)
}

fn place_of(property: &PropertyFinding, findings: &Findings) -> Value {
    match &property.origin {
        Some(origin) => place(origin),
        None => whole_file(findings),
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

fn whole_file(findings: &Findings) -> Value {
    let file = findings.inputs.first().map_or("", |input| &input.file);
    json!({ "artifactLocation": { "uri": uri(file) } })
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
        let mutants = ["killed", "gap", "survived", "equivalent", "unknown"];
        let mutants = mutants.map(samples::mutant).to_vec();
        let findings = samples::findings(&["valid", "invalid", "unknown", "vacuous"], mutants);
        let document: Value = serde_json::from_str(&sarif(&findings)).unwrap();
        let results = document["runs"][0]["results"].as_array().unwrap();
        let rules: Vec<&str> = results
            .iter()
            .map(|one| one["ruleId"].as_str().unwrap())
            .collect();
        let expected = [INVALID, UNKNOWN, VACUOUS, GAP, SURVIVED].map(|rule| rule.id);
        assert_eq!(rules, expected);
        for result in results {
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(RULES[index].id, result["ruleId"]);
        }
        let place = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b/m.lus");
    }

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("/x y/é.lus"), "file:///x%20y/%C3%A9.lus");
        assert_eq!(uri("models\\a.lus"), "models/a.lus");
    }
}
