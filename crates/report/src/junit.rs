//! Findings as JUnit XML, the form in which CI systems show what passed.
//!
//! A property is a test: invalid is a failure with the counterexample, and without an answer it is
//! an error, never a pass. The cores of a proof and each mutant are tests in suites of their own; a
//! gap is a failure that says what would notice it.

use crate::findings::{CoreFinding, Findings, MutantFinding, MutantVerdict};
use crate::findings::{PropertyFinding, PropertyVerdict};
use crate::table::write_table;
use crate::text::Style;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// One document, with a newline at its end.
pub fn junit(findings: &Findings) -> Result<String, SerializeError> {
    let file = findings.inputs.first().map_or("", |input| &input.file);
    let mut report = Report::new("proofmark");
    report.set_time(duration(findings.seconds));
    let cases = findings.properties.iter().map(property).collect();
    add_suite(&mut report, format!("{file}: properties"), file, cases);
    let cases = findings.cores.iter().enumerate();
    let cases = cases.map(|(at, one)| core(at, one)).collect();
    add_suite(&mut report, format!("{file}: cores"), file, cases);
    let cases = findings.mutants.iter().map(mutant).collect();
    add_suite(&mut report, format!("{file}: mutation"), file, cases);
    report.to_string()
}

/// Adds a suite if there is something in it.
fn add_suite(report: &mut Report, name: String, class: &str, cases: Vec<TestCase>) {
    if cases.is_empty() {
        return;
    }
    let mut suite = TestSuite::new(name);
    let times = cases.iter().filter_map(|case| case.time);
    suite.set_time(times.sum());
    for mut case in cases {
        case.set_classname(class);
        suite.add_test_case(case);
    }
    report.add_test_suite(suite);
}

fn property(property: &PropertyFinding) -> TestCase {
    let reason = property.reason.as_deref().unwrap_or("no reason is known");
    let status = match property.verdict {
        PropertyVerdict::Valid => TestCaseStatus::success(),
        PropertyVerdict::Invalid => {
            let step = property.step.unwrap_or(0);
            let mut table = String::new();
            if let Some(trace) = &property.trace {
                write_table(trace, &PAGE, &mut table);
            }
            bad(
                NonSuccessKind::Failure,
                "invalid",
                format!("false at step {step}"),
                table,
            )
        }
        PropertyVerdict::Unknown => unanswered("unknown", reason),
        PropertyVerdict::Vacuous => unanswered("vacuous", reason),
    };
    case(&property.name, status, property.seconds)
}

fn core(at: usize, core: &CoreFinding) -> TestCase {
    let status = match &core.vacuous {
        Some(why) => unanswered("vacuous", why),
        None => TestCaseStatus::success(),
    };
    let name = format!("{}: core {}", core.property.key(), at + 1);
    case(&name, status, core.seconds)
}

fn mutant(mutant: &MutantFinding) -> TestCase {
    let reason = mutant.reason.as_deref().unwrap_or("no reason is known");
    let status = match (&mutant.suppressed, mutant.verdict) {
        (Some(why), _) => skipped(format!("suppressed: {why}")),
        (None, MutantVerdict::Killed | MutantVerdict::Vacuous) => TestCaseStatus::success(),
        (None, MutantVerdict::Equivalent) => skipped("equivalent to the original".into()),
        (None, MutantVerdict::NotValid) => skipped(format!("no model: {reason}")),
        (None, MutantVerdict::Unknown) => unanswered("unknown", reason),
        (None, MutantVerdict::Gap | MutantVerdict::Survived) => {
            let kind = mutant.verdict.as_str().to_lowercase();
            let (original, replacement) = (&mutant.original, &mutant.replacement);
            let message = format!("no property notices {original} becoming {replacement}");
            bad(NonSuccessKind::Failure, &kind, message, describe(mutant))
        }
    };
    case(&mutant.id, status, mutant.seconds)
}

/// Where a gap is, a run that slips through, and what would notice.
fn describe(mutant: &MutantFinding) -> String {
    let file = mutant.origin.span().map(|span| format!("{}:", span.file));
    let (file, place) = (file.unwrap_or_default(), mutant.place());
    let mut text = format!("{file}{place} {}\n", mutant.label);
    let traces = [
        ("the original", &mutant.original_trace),
        ("the mutant", &mutant.trace),
    ];
    for (title, trace) in traces {
        if let Some(trace) = trace {
            text.push_str(&format!("\n{title}\n"));
            write_table(trace, &PAGE, &mut text);
        }
    }
    for suggestion in &mutant.suggestions {
        text.push_str(&format!("\nwould notice: {suggestion}"));
    }
    text
}

/// How tables are laid out.
const PAGE: Style = Style {
    width: 100,
    colour: false,
    quiet: false,
};

fn case(name: &str, status: TestCaseStatus, seconds: f64) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_time(duration(seconds));
    case
}

fn unanswered(kind: &str, reason: &str) -> TestCaseStatus {
    bad(NonSuccessKind::Error, kind, reason.into(), String::new())
}

fn bad(kind: NonSuccessKind, word: &str, message: String, description: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(word);
    status.set_message(message);
    if !description.is_empty() {
        status.set_description(description);
    }
    status
}

fn skipped(why: String) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(why);
    status
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn nothing_passes_that_is_not_proved_or_noticed() {
        let mutants = ["killed", "gap", "unknown", "equivalent"];
        let mutants = mutants.map(samples::mutant).to_vec();
        let findings = samples::findings(&["valid", "invalid", "unknown", "vacuous"], mutants);
        let text = junit(&findings).unwrap();
        let suites: Vec<&str> = text
            .lines()
            .filter(|one| one.contains("<testsuite "))
            .collect();
        assert!(suites[0].contains("tests=\"4\" skipped=\"0\" errors=\"2\" failures=\"1\""));
        assert!(suites[1].contains("tests=\"4\" skipped=\"1\" errors=\"1\" failures=\"1\""));
        assert!(text.contains("x&lt;y"), "{text}");
    }
}
