//! What a campaign comes to, how that is printed, and how the run ends.

use crate::arguments::{Acceptable, Printing};
use crate::exit::Exit;
use crate::session::{self, Session};
use crate::{audits, kills, terminal};
use proofmark_quality::Verified;
use proofmark_report::{
    Findings, MutantFinding, MutantVerdict, Outcome, PropertyFinding, PropertyVerdict, Score,
    Shown, mutate_text,
};

/// The findings of a campaign: what was asked, and what became of properties and mutants.
pub fn findings(
    asked: Findings,
    session: &Session<'_>,
    verified: &Verified,
    mutants: Vec<MutantFinding>,
) -> Findings {
    let properties = session.property_findings(verified, Shown::Relevant);
    let proved = properties
        .iter()
        .filter(|one| one.verdict == PropertyVerdict::Valid);
    let names: Vec<String> = proved.map(|one| one.name.clone()).collect();
    let worth = kills::summary(&names, &mutants);
    let mut audit = session.audit_summary(verified);
    if let Some(audit) = &mut audit {
        let marks = mutants.iter().filter_map(|one| one.audit.as_ref());
        let by = marks.filter_map(|one| one.by.as_deref());
        for one in by.flat_map(audits::auditors) {
            if !audit.by.iter().any(|known| known == one) {
                audit.by.push(one.into());
            }
        }
    }
    Findings {
        audit,
        outcome: outcome(&properties, &mutants),
        properties,
        score: (!mutants.is_empty()).then(|| Score::of(&mutants)),
        mutants,
        worth,
        ..asked
    }
}

/// What a campaign comes to.
pub fn outcome(properties: &[PropertyFinding], mutants: &[MutantFinding]) -> Outcome {
    if mutants.iter().any(MutantFinding::is_gap) {
        Outcome::Found
    } else if mutants.is_empty() || mutants.iter().any(is_unknown) {
        Outcome::Inconclusive
    } else {
        crate::check::outcome(properties)
    }
}

pub fn print(printing: &Printing, verbose: bool, findings: &Findings) -> Result<(), Exit> {
    if printing.json {
        return session::print_json(findings);
    }
    session::print(&mutate_text(findings, &session::style(printing), verbose))
}

fn is_unknown(mutant: &MutantFinding) -> bool {
    mutant.verdict == MutantVerdict::Unknown && mutant.suppressed.is_none()
}

/// How a campaign ends. With a threshold, the score decides and no single mutant; what is unknown
/// counts against it already.
pub fn exit(printing: &Printing, min_score: Option<f64>, findings: &Findings) -> Exit {
    let accepts = |what| printing.accepts(what);
    let mutants = &findings.mutants;
    let properties = crate::check::outcome(&findings.properties);
    let (found, unknown) = match (min_score, &findings.score) {
        (Some(least), Some(score)) => (is_below(score, least), false),
        _ => (
            mutants.iter().any(MutantFinding::is_gap) && !accepts(Acceptable::Gap),
            mutants.iter().any(|one| {
                is_unknown(one) && !(one.is_unaudited() && accepts(Acceptable::Unaudited))
            }),
        ),
    };
    let unknown = unknown || properties == Outcome::Inconclusive;
    if found || properties == Outcome::Found {
        Exit::Found
    } else if mutants.is_empty() || (unknown && !accepts(Acceptable::Unknown)) {
        Exit::Inconclusive
    } else {
        Exit::Fine
    }
}

/// Whether a score is below a threshold, which is told.
fn is_below(score: &Score, least: f64) -> bool {
    let below = score.low < least;
    if below {
        let (low, least) = (100.0 * score.low, 100.0 * least);
        let unknown = match score.unknown + score.survived {
            0 => String::new(),
            count => format!("; {count} mutants that are not decided count as unnoticed"),
        };
        terminal::error(&format!(
            "the score is {low:.1} %, below the {least:.1} % of --min-score{unknown}"
        ));
    }
    below
}
