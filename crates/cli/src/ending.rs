//! What a campaign comes to, how that is printed, and how the run ends.

use crate::arguments::{Acceptable, Printing};
use crate::exit::Exit;
use crate::session::{self, Session};
use crate::{audits, kills, terminal};
use proofmark_quality::Verified;
use proofmark_quality::mutate::AssumptionEffect as Effect;
use proofmark_report::{
    AssumptionEffect, AssumptionFinding, Findings, MutantFinding, MutantVerdict, Outcome,
    OutputFinding, PropertyFinding, PropertyVerdict, Score, Shard, Shown, mutate_text,
};
use rustc_hash::FxHashMap;

/// What a campaign found of mutants and of assumptions.
#[derive(Default)]
pub struct Found {
    mutants: Vec<MutantFinding>,
    assumptions: Vec<AssumptionFinding>,
    shard: Option<Shard>,
}

impl Found {
    /// Sorts what was found by what was changed: `effects` has the ids of those that change an
    /// assumption.
    pub fn new(
        findings: Vec<MutantFinding>,
        effects: &FxHashMap<String, Effect>,
        shard: Option<Shard>,
    ) -> Found {
        let mut found = Found::default();
        let positions = shard.as_ref().map(|shard| shard.positions.clone());
        let mut positions = positions.unwrap_or_default().into_iter();
        let (mut of_mutants, mut of_assumptions) = (Vec::new(), Vec::new());
        for finding in findings {
            let position = positions.next();
            match effects.get(&finding.id) {
                Some(effect) => {
                    of_assumptions.extend(position);
                    let finding = AssumptionFinding::new(finding, shown(*effect));
                    found.assumptions.push(finding);
                }
                None => {
                    of_mutants.extend(position);
                    found.mutants.push(finding);
                }
            }
        }
        found.shard = shard.map(|shard| Shard {
            positions: of_mutants,
            assumptions: of_assumptions,
            ..shard
        });
        found
    }
}

fn shown(effect: Effect) -> AssumptionEffect {
    match effect {
        Effect::Removed => AssumptionEffect::Removed,
        Effect::Weaker => AssumptionEffect::Weaker,
        Effect::Tighter => AssumptionEffect::Tighter,
        Effect::Other => AssumptionEffect::Other,
    }
}

/// The findings of a campaign: what was asked, and what became of properties and mutants.
pub fn findings(
    asked: Findings,
    session: &Session<'_>,
    verified: &Verified,
    found: Found,
) -> Findings {
    let Found {
        mutants,
        assumptions,
        shard,
    } = found;
    let properties = session.property_findings(verified, Shown::Relevant);
    let proved = properties
        .iter()
        .filter(|one| one.verdict == PropertyVerdict::Valid);
    let names: Vec<String> = proved.map(|one| one.name.clone()).collect();
    let worth = kills::summary(&names, &mutants);
    let mut audit = session.audit_summary(verified);
    if let Some(audit) = &mut audit {
        let of_assumptions = assumptions.iter().filter_map(|one| one.audit.as_ref());
        let marks = mutants.iter().filter_map(|one| one.audit.as_ref());
        let marks = marks.chain(of_assumptions);
        let by = marks.filter_map(|one| one.by.as_deref());
        for one in by.flat_map(audits::auditors) {
            if !audit.by.iter().any(|known| known == one) {
                audit.by.push(one.into());
            }
        }
    }
    Findings {
        audit,
        deadlock: session.deadlock(verified),
        outcome: outcome(&properties, &mutants, &assumptions),
        properties,
        outputs: OutputFinding::of(&mutants),
        score: (!mutants.is_empty()).then(|| Score::of(&mutants)),
        shard,
        mutants,
        assumptions,
        worth,
        ..asked
    }
}

/// What a campaign comes to. An assumption that nothing needs is worth a note, and no fault.
pub fn outcome(
    properties: &[PropertyFinding],
    mutants: &[MutantFinding],
    assumptions: &[AssumptionFinding],
) -> Outcome {
    let nothing = mutants.is_empty() && assumptions.is_empty();
    if mutants.iter().any(MutantFinding::is_gap) {
        Outcome::Found
    } else if nothing || mutants.iter().any(is_unknown) {
        Outcome::Inconclusive
    } else {
        crate::check::outcome(properties)
    }
}

/// What was found, for people.
pub fn text(printing: &Printing, verbose: bool, findings: &Findings) -> String {
    let (style, detail) = (session::style(printing), session::detail(verbose));
    mutate_text(findings, &style, detail)
}

fn is_unknown(mutant: &MutantFinding) -> bool {
    mutant.verdict == MutantVerdict::Unknown && mutant.suppressed.is_none()
}

/// How a campaign ends. With a threshold, the score decides and no single mutant; what is unknown
/// counts against it already.
pub fn exit(printing: &Printing, min_score: Option<f64>, findings: &Findings) -> Exit {
    let accepts = |what| printing.accepts(what);
    let mutants = &findings.mutants;
    let nothing = mutants.is_empty() && findings.assumptions.is_empty();
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
    } else if nothing || (unknown && !accepts(Acceptable::Unknown)) {
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
