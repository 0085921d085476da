//! Mutants in Stryker's form (`mutation-testing-report-schema` 2), for its viewers and dashboards.
//!
//! Properties take the place of tests. Stryker counts a timeout as detected; a solver that did not
//! answer detected nothing, so what is unknown is `Pending`, which counts for nothing. Equivalent
//! mutants and suppressed ones are `Ignored`, and say why; what no property depends on has
//! `NoCoverage`. Changed assumptions are no faults, and not in it. So Stryker's score is the lower end of ours when nothing is unknown.

use crate::findings::{
    Findings, MutantFinding, MutantVerdict, PropertyFinding, PropertyVerdict, ShownSpan,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The text of each file, by the name that the findings have for it.
pub type Texts = BTreeMap<String, String>;

/// One document, with a newline at its end. `language` tells the language of a file by its name.
pub fn stryker(
    findings: &Findings,
    texts: &Texts,
    language: &dyn Fn(&str) -> &'static str,
) -> String {
    let mut files: Map<String, Value> = Map::new();
    let mut tests: Map<String, Value> = Map::new();
    for input in &findings.inputs {
        let name = &input.file;
        let here = |span: Option<&ShownSpan>, id: &str| match span {
            Some(span) => span.file == *name,
            None => findings.file_of(id) == name,
        };
        let mutants = findings.mutants.iter();
        let mutants = mutants.filter(|one| here(one.origin.span(), &one.id));
        let mutants: Vec<Value> = mutants.map(mutant).collect();
        let source = texts.get(name).map_or("", String::as_str);
        let file = json!({ "language": language(name), "source": source, "mutants": mutants });
        files.insert(name.clone(), file);
        let properties = findings.properties.iter();
        let proved = properties.filter(|one| one.verdict == PropertyVerdict::Valid);
        let mine = proved.filter(|one| here(one.origin.as_ref(), &one.name));
        let listed: Vec<Value> = mine.map(test).collect();
        tests.insert(name.clone(), json!({ "source": source, "tests": listed }));
    }
    let document = json!({
        "$schema": "http://stryker-mutator.io/report.schema.json",
        "schemaVersion": "2.0",
        "thresholds": { "high": 80, "low": 60 },
        "framework": { "name": "Proofmark", "version": findings.tool.version },
        "config": findings.options,
        "files": files,
        "testFiles": tests,
    });
    format!("{document:#}\n")
}

fn test(property: &PropertyFinding) -> Value {
    let mut test = json!({ "id": property.name, "name": property.name });
    if let Some(origin) = &property.origin {
        test["location"] = location(origin);
    }
    test
}

fn mutant(mutant: &MutantFinding) -> Value {
    let (status, reason) = status(mutant);
    let (original, replacement) = (&mutant.original, &mutant.replacement);
    let mut document = json!({
        "id": mutant.id,
        "mutatorName": mutant.mutator,
        "description": format!("{original} becomes {replacement}"),
        "replacement": replacement,
        "location": mutant.origin.span().map_or_else(nowhere, location),
        "status": status,
        "killedBy": mutant.killed_by,
        "duration": mutant.seconds * 1000.0,
    });
    if let Some(reason) = reason {
        document["statusReason"] = reason.into();
    }
    document
}

/// Stryker's word, and the reason.
fn status(mutant: &MutantFinding) -> (&'static str, Option<String>) {
    if let Some(why) = &mutant.suppressed {
        return ("Ignored", Some(format!("suppressed: {why}")));
    }
    let reason = mutant.reason.clone();
    let step = mutant.step.unwrap_or(0);
    match mutant.verdict {
        MutantVerdict::Killed => {
            let by = mutant.killed_by.join(", ");
            ("Killed", Some(format!("{by} false at step {step}")))
        }
        MutantVerdict::Vacuous => ("Killed", reason),
        MutantVerdict::Equivalent => {
            let why = "equivalent: proved to do what the original does";
            ("Ignored", Some(why.into()))
        }
        MutantVerdict::Gap => {
            let status = match mutant.decided_by.as_str() {
                "outside" => "NoCoverage",
                _ => "Survived",
            };
            let differs = mutant.differs.join(", ");
            let mut why = format!("no property notices that {differs} differs at step {step}");
            for suggestion in &mutant.suggestions {
                why.push_str(&format!("\nwould notice: {suggestion}"));
            }
            (status, Some(why))
        }
        MutantVerdict::Survived => ("Survived", reason),
        MutantVerdict::NotObserved => {
            let why = "every property holds, and nothing but properties is observed";
            ("Survived", Some(why.into()))
        }
        MutantVerdict::Unknown => {
            let why = reason.unwrap_or_else(|| "not decided".into());
            ("Pending", Some(format!("unknown: {why}")))
        }
        MutantVerdict::NotValid => ("CompileError", reason),
    }
}

/// Stryker wants a place of every mutant: what has no text is at the beginning.
fn nowhere() -> Value {
    json!({ "start": { "line": 1, "column": 1 }, "end": { "line": 1, "column": 1 } })
}

/// Both count from one and exclude the end.
fn location(span: &ShownSpan) -> Value {
    json!({
        "start": { "line": span.line, "column": span.column },
        "end": { "line": span.end_line, "column": span.end_column },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn the_name_of_a_mutator_has_no_values_in_it() {
        let constant = MutantFinding {
            mutator: "const".into(),
            label: "const int 0 -> 1".into(),
            ..samples::mutant("killed")
        };
        let document = mutant(&constant);
        assert_eq!(document["mutatorName"], "const");
        assert_eq!(document["description"], "a or b becomes a xor b");
    }

    #[test]
    fn what_is_not_known_is_never_detected() {
        let expected = [
            ("killed", "Killed"),
            ("vacuous", "Killed"),
            ("equivalent", "Ignored"),
            ("gap", "Survived"),
            ("survived", "Survived"),
            ("not-observed", "Survived"),
            ("unknown", "Pending"),
            ("not-valid", "CompileError"),
        ];
        for (verdict, word) in expected {
            let mutant = samples::mutant(verdict);
            assert_eq!(status(&mutant).0, word, "{verdict}");
        }
        let outside = MutantFinding {
            decided_by: "outside".into(),
            ..samples::mutant("gap")
        };
        assert_eq!(status(&outside).0, "NoCoverage");
        let suppressed = MutantFinding {
            suppressed: Some("display only".into()),
            ..samples::mutant("gap")
        };
        let why = Some("suppressed: display only".to_string());
        assert_eq!(status(&suppressed), ("Ignored", why));
    }
}
