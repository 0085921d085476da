//! Two runs beside each other: what became covered, and what is not any more.
//!
//! Properties go by name, elements by id and property, mutants by their stable id. Worse is a
//! regression, better an improvement, and whatever is neither is told without an opinion: an element
//! that every core has and now some, a mutant that is gone. What is new has to be fine from the
//! beginning: a new gap is a regression, since nobody noticed it before either.

use crate::assumptions::{AssumptionVerdict, assumption_summaries};
use crate::coverage::CoverageVerdict;
use crate::findings::{CoreRole, Findings, MutantFinding, MutantVerdict, PropertyVerdict};
use crate::score::Score;
use crate::text::Style;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What two runs differ in.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The version of this contract.
    pub schema: &'static str,
    /// How many changes are for the worse.
    pub regressions: usize,
    /// How many changes are for the better.
    pub improvements: usize,
    /// Regressions first, then improvements, then the rest.
    pub changes: Vec<FindingChange>,
    /// The score of each, the older first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<(Score, Score)>,
}

/// One difference.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FindingChange {
    /// Whether it is for the worse or for the better.
    pub direction: Direction,
    /// What has changed.
    pub what: Kind,
    /// The name of a property, the id of an element or a mutant.
    pub name: String,
    /// For an element: to which property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// Absent when it is new.
    pub from: Option<String>,
    /// Absent when it is gone.
    pub to: Option<String>,
}

/// Whether a change is for the worse or for the better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Worse than before, or new and not fine.
    Regression,
    /// Better than before.
    Improvement,
    /// Told without an opinion.
    Neither,
}

/// What a change is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The verdict on a property.
    Property,
    /// The role of an element in the cores of a property.
    Element,
    /// The verdict on a mutant.
    Mutant,
    /// What is known of an assumption.
    Assumption,
    /// The score of the campaign.
    Score,
}

/// A state with its worth; what has none can become neither better nor worse.
#[derive(Clone, PartialEq, Eq)]
struct State {
    word: String,
    worth: Option<u8>,
}

/// Compares an older run with a newer one.
pub fn compare(old: &Findings, new: &Findings) -> Comparison {
    let mut changes = Vec::new();
    let keyed = |states: &BTreeMap<String, State>| -> BTreeMap<(String, Option<String>), State> {
        let states = states.clone().into_iter();
        states.map(|(name, state)| ((name, None), state)).collect()
    };
    let (before, after) = (keyed(&properties(old)), keyed(&properties(new)));
    differences(Kind::Property, &before, &after, &mut changes);
    differences(Kind::Element, &elements(old), &elements(new), &mut changes);
    let (before, after) = (keyed(&mutants(old)), keyed(&mutants(new)));
    differences(Kind::Mutant, &before, &after, &mut changes);
    let (before, after) = (keyed(&assumptions(old)), keyed(&assumptions(new)));
    differences(Kind::Assumption, &before, &after, &mut changes);
    let scores = old.score.zip(new.score);
    changes.extend(scores.and_then(|(before, after)| score(&before, &after)));
    changes.sort_by_key(|change| change.direction);
    let count = |direction| {
        let of = changes.iter();
        of.filter(|one| one.direction == direction).count()
    };
    Comparison {
        schema: "proofmark-diff/1",
        regressions: count(Direction::Regression),
        improvements: count(Direction::Improvement),
        scores,
        changes,
    }
}

fn properties(findings: &Findings) -> BTreeMap<String, State> {
    let states = findings.properties.iter().map(|property| {
        let worth = match property.verdict {
            PropertyVerdict::Valid => 2,
            PropertyVerdict::Unknown | PropertyVerdict::Vacuous => 1,
            PropertyVerdict::Invalid => 0,
        };
        let state = State {
            word: property.verdict.as_str().to_lowercase(),
            worth: Some(worth),
        };
        (property.name.clone(), state)
    });
    states.collect()
}

fn elements(findings: &Findings) -> BTreeMap<(String, Option<String>), State> {
    let mut states = BTreeMap::new();
    if !findings.coverage.is_empty() {
        return coverage(findings);
    }
    for element in &findings.elements {
        for (property, role) in &element.role {
            let in_core = matches!(role, CoreRole::Must | CoreRole::May | CoreRole::Used);
            let state = State {
                word: role.as_str().to_lowercase(),
                worth: Some(2 * u8::from(in_core)),
            };
            states.insert((element.id.clone(), Some(property.clone())), state);
        }
    }
    states
}

/// What all properties together notice of the cuts of each element.
fn coverage(findings: &Findings) -> BTreeMap<(String, Option<String>), State> {
    let mut states = BTreeMap::new();
    let joint = findings
        .coverage
        .iter()
        .filter(|row| row.property.is_none());
    for row in joint {
        let cuts = [
            ("", row.nondet),
            (" stuck at 0", row.zero),
            (" stuck at 1", row.one),
        ];
        for (how, verdict) in cuts {
            let state = State {
                word: verdict.as_str().into(),
                worth: Some(match verdict {
                    CoverageVerdict::Covered => 2,
                    CoverageVerdict::Unknown => 1,
                    CoverageVerdict::NotCovered => 0,
                }),
            };
            states.insert((format!("{}{how}", row.element), None), state);
        }
    }
    states
}

fn mutants(findings: &Findings) -> BTreeMap<String, State> {
    let state = |mutant: &MutantFinding| {
        let verdict = mutant.verdict;
        let worth = match verdict {
            MutantVerdict::Killed | MutantVerdict::Vacuous => Some(2),
            MutantVerdict::Unknown => Some(1),
            MutantVerdict::Gap | MutantVerdict::Survived | MutantVerdict::NotObserved => Some(0),
            MutantVerdict::Equivalent | MutantVerdict::NotValid => None,
        };
        match mutant.suppressed {
            Some(_) => State {
                word: "suppressed".into(),
                worth: None,
            },
            None => State {
                word: verdict.as_str().to_lowercase(),
                worth,
            },
        }
    };
    let mutants = findings.mutants.iter();
    mutants.map(|one| (one.id.clone(), state(one))).collect()
}

/// An assumption that is needed is as it should be. One that nothing needs is worth a word, and no
/// regression: nothing of the model goes unnoticed by it.
fn assumptions(findings: &Findings) -> BTreeMap<String, State> {
    let summaries = assumption_summaries(&findings.assumptions);
    let states = summaries.into_iter().map(|one| {
        let word = match one.verdict {
            AssumptionVerdict::Needed => "needed",
            AssumptionVerdict::NotNeeded => "not needed",
            AssumptionVerdict::Tighter | AssumptionVerdict::Unknown => "unknown",
        };
        let state = State {
            word: word.into(),
            worth: None,
        };
        (one.element.to_string(), state)
    });
    states.collect()
}

type States = BTreeMap<(String, Option<String>), State>;

fn differences(what: Kind, before: &States, after: &States, changes: &mut Vec<FindingChange>) {
    let keys: BTreeSet<&(String, Option<String>)> = before.keys().chain(after.keys()).collect();
    for key in keys {
        let (from, to) = (before.get(key), after.get(key));
        if from == to {
            continue;
        }
        let worth = |state: Option<&State>| state.and_then(|state| state.worth);
        let direction = match (from, worth(from), to, worth(to)) {
            (Some(_), Some(before), Some(_), Some(after)) if after < before => {
                Direction::Regression
            }
            (Some(_), Some(before), Some(_), Some(after)) if after > before => {
                Direction::Improvement
            }
            // Something new that is bad, or that was no fault and is one now.
            (_, None, Some(_), Some(0)) if what != Kind::Element => Direction::Regression,
            (Some(_), Some(0), Some(_), None) => Direction::Improvement,
            _ => Direction::Neither,
        };
        let word = |state: Option<&State>| state.map(|state| state.word.clone());
        changes.push(FindingChange {
            direction,
            what,
            name: key.0.clone(),
            property: key.1.clone(),
            from: word(from),
            to: word(to),
        });
    }
}

/// The lower end counts: that much is certain.
fn score(before: &Score, after: &Score) -> Option<FindingChange> {
    let direction = match before.low.total_cmp(&after.low) {
        std::cmp::Ordering::Greater => Direction::Regression,
        std::cmp::Ordering::Less => Direction::Improvement,
        std::cmp::Ordering::Equal => return None,
    };
    let text = |score: &Score| Some(format!("{:.1} %", 100.0 * score.low));
    Some(FindingChange {
        direction,
        what: Kind::Score,
        name: "score".into(),
        property: None,
        from: text(before),
        to: text(after),
    })
}

/// A comparison as text for people, regressions first.
pub fn comparison_text(comparison: &Comparison, style: &Style) -> String {
    let mut out = String::new();
    for change in &comparison.changes {
        if style.quiet && change.direction != Direction::Regression {
            continue;
        }
        // Writing to a string does not fail.
        let _ = writeln!(out, "{}", line(change, style));
    }
    if !style.quiet {
        let (worse, better) = (comparison.regressions, comparison.improvements);
        let rest = comparison.changes.len() - worse - better;
        let _ = writeln!(
            out,
            "{worse} regressions, {better} improvements, {rest} other changes"
        );
    }
    out
}

fn line(change: &FindingChange, style: &Style) -> String {
    let (word, colour) = match change.direction {
        Direction::Regression => ("WORSE", "\x1b[1;31m"),
        Direction::Improvement => ("BETTER", "\x1b[32m"),
        Direction::Neither => ("CHANGED", "\x1b[2m"),
    };
    let (colour, plain) = match style.colour {
        true => (colour, "\x1b[0m"),
        false => ("", ""),
    };
    let what = match change.what {
        Kind::Property => "property ",
        Kind::Element => "element ",
        Kind::Mutant => "mutant ",
        Kind::Assumption => "assumption ",
        Kind::Score => "",
    };
    let to = match &change.property {
        Some(property) => format!(" to {property}"),
        None => String::new(),
    };
    let state = |state: &Option<String>, none: &str| state.clone().unwrap_or(none.into());
    let (from, after) = (state(&change.from, "new"), state(&change.to, "gone"));
    let name = &change.name;
    format!("{colour}{word:<7}{plain} {what}{name}{to}: {from} -> {after}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    const PAGE: Style = Style {
        width: 100,
        colour: false,
        quiet: false,
    };

    /// What becomes of one mutant.
    fn became(from: Option<&str>, to: Option<&str>) -> Option<Direction> {
        let run = |verdict: Option<&str>| {
            let mutants = verdict.map(samples::mutant).into_iter().collect();
            samples::findings(&["valid"], mutants)
        };
        let comparison = compare(&run(from), &run(to));
        comparison.changes.first().map(|change| change.direction)
    }

    #[test]
    fn worse_is_a_regression_and_better_is_not() {
        use Direction::{Improvement, Neither, Regression};
        let cases = [
            (Some("killed"), Some("gap"), Some(Regression)),
            (Some("killed"), Some("unknown"), Some(Regression)),
            (Some("equivalent"), Some("gap"), Some(Regression)),
            (None, Some("gap"), Some(Regression)),
            (Some("gap"), Some("killed"), Some(Improvement)),
            (Some("gap"), Some("equivalent"), Some(Improvement)),
            (Some("killed"), Some("equivalent"), Some(Neither)),
            (None, Some("killed"), Some(Neither)),
            (Some("gap"), None, Some(Neither)),
            (Some("gap"), Some("gap"), None),
            (Some("killed"), Some("not-observed"), Some(Regression)),
        ];
        for (from, to, expected) in cases {
            assert_eq!(became(from, to), expected, "{from:?} {to:?}");
        }
    }

    #[test]
    fn an_assumption_that_is_not_needed_any_more_is_told_without_an_opinion() {
        let run = |which: usize| {
            let mut findings = samples::findings(&["valid"], Vec::new());
            let mut assumption = samples::assumptions().swap_remove(which);
            assumption.element = "m/assertion".into();
            findings.assumptions = vec![assumption];
            findings
        };
        let comparison = compare(&run(0), &run(1));
        let text = comparison_text(&comparison, &PAGE);
        assert!(
            text.starts_with("CHANGED assumption m/assertion: needed -> not needed\n"),
            "{text}"
        );
    }

    #[test]
    fn an_element_that_no_core_has_any_more_is_a_regression() {
        let run = |role: &str| {
            let mut findings = samples::findings(&["valid"], Vec::new());
            let element = serde_json::json!({
                "id": "m/x", "name": "x", "category": "equation", "text": "x = y",
                "role": { "p&q": role },
            });
            findings.elements = vec![serde_json::from_value(element).unwrap()];
            findings
        };
        let comparison = compare(&run("must"), &run("unused"));
        let text = comparison_text(&comparison, &PAGE);
        assert!(
            text.starts_with("WORSE   element m/x to p&q: must -> unused\n"),
            "{text}"
        );
        assert_eq!(compare(&run("outside"), &run("may")).improvements, 1);
        let neither = compare(&run("must"), &run("may"));
        assert_eq!((neither.changes.len(), neither.regressions), (1, 0));
    }

    #[test]
    fn properties_are_compared_by_name_and_told_in_words() {
        let run = |verdict| samples::findings(&[verdict], Vec::new());
        let comparison = compare(&run("valid"), &run("invalid"));
        let text = comparison_text(&comparison, &PAGE);
        let expected = "WORSE   property p&q: valid -> invalid\n\
                        1 regressions, 0 improvements, 0 other changes\n";
        assert_eq!(text, expected);
        assert_eq!(compare(&run("unknown"), &run("valid")).improvements, 1);
    }
}
