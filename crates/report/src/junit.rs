//! Findings as JUnit XML, the form in which CI systems show what passed.
//!
//! A property is a test: invalid is a failure with the counterexample, and without an answer it is
//! an error, never a pass. The cores of a proof, each mutant and each assumption are tests in suites of
//! their own; a gap is a failure that says what would notice it, unless the run accepts it. A score
//! that is asked for is a test as well.

use crate::assumptions::{AssumptionSummary, AssumptionVerdict, assumption_summaries};
use crate::findings::{CoreFinding, Findings, MutantFinding, MutantVerdict};
use crate::findings::{PropertyFinding, PropertyVerdict};
use crate::table::write_table;
use crate::text::Style;
use crate::tolerance::Tolerance;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// One document, with a newline at its end. Each model has suites of its own.
pub fn junit(findings: &Findings, tolerance: &Tolerance) -> Result<String, SerializeError> {
    let mut report = Report::new("proofmark");
    report.set_time(duration(findings.seconds));
    let files = findings.inputs.iter().map(|input| input.file.as_str());
    files.for_each(|file| add_model(&mut report, findings, file, tolerance));
    if findings.inputs.len() > 1 {
        let score = Vec::from_iter(score_case(findings, tolerance));
        add_suite(&mut report, "all models: mutation".into(), "all", score);
    }
    for file in &findings.failed {
        let status = unanswered("failed", "it was not examined; the log says why");
        let cases = vec![case("model", status, 0.0)];
        add_suite(&mut report, format!("{file}: model"), file, cases);
    }
    report.to_string()
}

/// Adds the suites of a model. The score is one of its tests where there is no other model.
fn add_model(report: &mut Report, findings: &Findings, file: &str, tolerance: &Tolerance) {
    let mine = |name: &str| findings.file_of(name) == file;
    let properties = findings.properties.iter().filter(|one| mine(&one.name));
    let cases = properties.map(|one| property(one, tolerance)).collect();
    add_suite(report, format!("{file}: properties"), file, cases);
    let cores = findings.cores.iter();
    let cases = cores.filter(|one| mine(&one.property.key())).enumerate();
    let cases = cases.map(|(at, one)| core(at, one)).collect();
    add_suite(report, format!("{file}: cores"), file, cases);
    let score = findings.score.as_ref();
    let accepted = |one: &MutantFinding| tolerance.of_mutant(one, score);
    let mutants = findings.mutants.iter().filter(|one| mine(&one.id));
    let cases = mutants.map(|one| mutant(one, accepted(one)));
    let score = score_case(findings, tolerance).filter(|_| findings.inputs.len() == 1);
    add_suite(
        report,
        format!("{file}: mutation"),
        file,
        cases.chain(score).collect(),
    );
    let summaries = assumption_summaries(&findings.assumptions);
    let summaries = summaries.iter().filter(|one| mine(one.element));
    let cases = summaries.map(assumption).collect();
    add_suite(report, format!("{file}: assumptions"), file, cases);
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

fn property(property: &PropertyFinding, tolerance: &Tolerance) -> TestCase {
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
        PropertyVerdict::Unknown | PropertyVerdict::Vacuous => {
            let kind = property.verdict.as_str().to_lowercase();
            match tolerance.of_property(property) {
                Some(why) => skipped(format!("{why} ({kind}: {reason})")),
                None => unanswered(&kind, reason),
            }
        }
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

/// The score as a test, when one is asked for.
fn score_case(findings: &Findings, tolerance: &Tolerance) -> Option<TestCase> {
    let (score, least) = findings.score.as_ref().zip(tolerance.min_score)?;
    let status = match score.low >= least {
        true => TestCaseStatus::success(),
        false => {
            let least = 100.0 * least;
            let message = format!("{}, below {least:.1} %", score.line());
            bad(NonSuccessKind::Failure, "score", message, String::new())
        }
    };
    Some(case("score", status, 0.0))
}

/// An assumption passes when a property needs it; what nothing needs is told, and fails nothing.
fn assumption(summary: &AssumptionSummary<'_>) -> TestCase {
    let text = &summary.shown.original;
    let status = match summary.verdict {
        AssumptionVerdict::Needed => TestCaseStatus::success(),
        AssumptionVerdict::NotNeeded => skipped(format!("{text}: needed by no property")),
        _ => skipped(format!("{text}: not known whether a property needs it")),
    };
    case(summary.element, status, summary.shown.seconds)
}

fn mutant(mutant: &MutantFinding, accepted: Option<String>) -> TestCase {
    let reason = mutant.reason.as_deref().unwrap_or("no reason is known");
    let status = match (&mutant.suppressed, mutant.verdict) {
        (Some(why), _) => skipped(format!("suppressed: {why}")),
        (None, MutantVerdict::Killed | MutantVerdict::Vacuous) => TestCaseStatus::success(),
        (None, MutantVerdict::Equivalent) => skipped("equivalent to the original".into()),
        (None, MutantVerdict::NotValid) => skipped(format!("no model: {reason}")),
        (None, MutantVerdict::Unknown) => match accepted {
            Some(why) => skipped(format!("{why} (unknown: {reason})")),
            None => unanswered("unknown", reason),
        },
        (None, MutantVerdict::Gap | MutantVerdict::Survived | MutantVerdict::NotObserved) => {
            let kind = mutant.verdict.as_str().to_lowercase();
            let (original, replacement) = (&mutant.original, &mutant.replacement);
            let message = format!("no property notices {original} becoming {replacement}");
            match accepted {
                Some(why) => skipped(format!("{why} ({kind}: {message})")),
                None => bad(NonSuccessKind::Failure, &kind, message, describe(mutant)),
            }
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
        let text = junit(&findings, &Tolerance::default()).unwrap();
        let suites: Vec<&str> = text
            .lines()
            .filter(|one| one.contains("<testsuite "))
            .collect();
        assert!(suites[0].contains("tests=\"4\" skipped=\"0\" errors=\"2\" failures=\"1\""));
        assert!(suites[1].contains("tests=\"4\" skipped=\"1\" errors=\"1\" failures=\"1\""));
        assert!(text.contains("x&lt;y"), "{text}");
    }

    #[test]
    fn what_the_run_accepts_is_skipped_and_says_why() {
        let mutants = vec![samples::mutant("gap"), samples::mutant("killed")];
        let mut findings = samples::findings(&["unknown"], mutants);
        findings.score = Some(crate::Score::of(&findings.mutants));
        findings.assumptions = samples::assumptions();
        let suites = |tolerance: &Tolerance| -> Vec<String> {
            let text = junit(&findings, tolerance).unwrap();
            let lines = text.lines().filter(|one| one.contains("<testsuite "));
            lines.map(str::to_string).collect()
        };
        let accepting = Tolerance {
            gap: true,
            unknown: true,
            ..Tolerance::default()
        };
        let [properties, mutants, assumptions] = &suites(&accepting)[..] else {
            panic!("three suites");
        };
        assert!(properties.contains("skipped=\"1\" errors=\"0\" failures=\"0\""));
        assert!(mutants.contains("skipped=\"1\" errors=\"0\" failures=\"0\""));
        assert!(assumptions.contains("tests=\"2\" skipped=\"1\" errors=\"0\" failures=\"0\""));
        let with_least = |least| Tolerance {
            min_score: Some(least),
            ..Tolerance::default()
        };
        let reached = &suites(&with_least(0.5))[1];
        assert!(reached.contains("tests=\"3\" skipped=\"1\" errors=\"0\" failures=\"0\""));
        let missed = &suites(&with_least(0.6))[1];
        assert!(missed.contains("tests=\"3\" skipped=\"0\" errors=\"0\" failures=\"2\""));
    }
}
