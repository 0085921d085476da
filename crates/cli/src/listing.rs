//! Mutants without verdicts: the list of them, one as a patch, and what somebody may have meant by an
//! id that none has.

use crate::exit::Exit;
use crate::glob::matches;
use crate::mutants::undecided;
use crate::session::Session;
use crate::terminal;
use proofmark_quality::mutate::{MutableModel, Mutation, Selection};
use proofmark_report::{Findings, Outcome};
use proofmark_source::nearest;
use std::collections::BTreeSet;
use std::path::{Component, Path};

/// Findings that list mutations, nothing of them decided.
pub fn list(
    session: &Session<'_>,
    mutable: &MutableModel<'_>,
    mutations: &[Mutation],
    asked: Findings,
) -> Findings {
    let listed = mutations.iter().map(|one| {
        let mut finding = undecided(one, mutable, session);
        finding.reason = Some("listed, not decided".into());
        finding
    });
    let mut findings = Findings {
        mutants: listed.collect(),
        seconds: session.seconds(),
        // Nobody must take a list for a campaign that found nothing.
        outcome: Outcome::Inconclusive,
        ..asked
    };
    findings.options.insert("list".into(), true.into());
    findings
}

/// A mutation as a patch of its file. What is wrong has been printed.
pub fn patch(
    id: &str,
    selection: &Selection,
    session: &Session<'_>,
    mutable: &MutableModel<'_>,
) -> Result<String, Exit> {
    let alone = of_its_mutator(id, session, mutable);
    let Some(mutation) = alone.iter().find(|one| mutable.id(one) == id) else {
        let all = mutable.mutations(selection, session.jobs()).mutations;
        let message = unknown("--patch", id, &ids(mutable, &[alone, all].concat()));
        terminal::error(&message);
        return Err(Exit::Usage);
    };
    unified(mutation, session).ok_or_else(|| {
        let name = session.language.name;
        terminal::error(&format!(
            "--patch: {name} is no text, so that its mutants have no patches"
        ));
        Exit::Usage
    })
}

/// The patch of a mutant, if there is such a mutant and its language is text.
pub fn patch_of(id: &str, session: &Session<'_>, mutable: &MutableModel<'_>) -> Option<String> {
    let alone = of_its_mutator(id, session, mutable);
    let mutation = alone.iter().find(|one| mutable.id(one) == id)?;
    unified(mutation, session)
}

/// The mutations of the mutator that an id names. A mutator alone makes all the mutations that it makes
/// beside others, under the same ids.
fn of_its_mutator(id: &str, session: &Session<'_>, mutable: &MutableModel<'_>) -> Vec<Mutation> {
    let alone: Option<Selection> = id.rsplit('#').nth(1).and_then(|name| name.parse().ok());
    let make = |alone: Selection| mutable.mutations(&alone, session.jobs()).mutations;
    alone.map_or_else(Vec::new, make)
}

/// A mutation as a unified diff, where there is a text.
fn unified(mutation: &Mutation, session: &Session<'_>) -> Option<String> {
    let rewritten = mutation.rewritten.as_ref()?;
    let file = session.sources.file(rewritten.place.file);
    Some(
        rewritten
            .edits
            .unified(&from_here(file.name()), file.text()),
    )
}

/// A path as `patch -p0` takes it: it refuses names that begin at the root or go up.
fn from_here(name: &str) -> String {
    let path = Path::new(name);
    let is_refused = path.is_absolute() || path.components().any(|one| one == Component::ParentDir);
    let here = || std::env::current_dir().ok()?.canonicalize().ok();
    let inside = || {
        Some(
            path.canonicalize()
                .ok()?
                .strip_prefix(here()?)
                .ok()?
                .to_owned(),
        )
    };
    match is_refused.then(inside).flatten() {
        Some(path) => path.display().to_string(),
        None => name.to_string(),
    }
}

/// The ids of mutations.
pub fn ids(mutable: &MutableModel<'_>, mutations: &[Mutation]) -> BTreeSet<String> {
    mutations.iter().map(|one| mutable.id(one)).collect()
}

/// Whether every pattern names a mutant; those that do not have been printed.
pub fn check_patterns(patterns: &[String], known: &BTreeSet<String>) -> Result<(), Exit> {
    let is_known = |pattern: &String| known.iter().any(|id| matches(pattern, id));
    let mut result = Ok(());
    for pattern in patterns.iter().filter(|pattern| !is_known(pattern)) {
        terminal::error(&unknown("--mutant", pattern, known));
        result = Err(Exit::Usage);
    }
    result
}

fn unknown(option: &str, id: &str, known: &BTreeSet<String>) -> String {
    let hint = near(id, known);
    let hint = hint.unwrap_or_else(|| "`proofmark mutate --list` tells the ids".into());
    format!("{option}: the model has no mutant `{id}`; {hint}")
}

/// What somebody may have meant by an id or a pattern that no mutant has: one with a slip of the
/// finger, one that is written only in part, or one with a slip in the element or the mutator.
pub fn near(id: &str, known: &BTreeSet<String>) -> Option<String> {
    if let Some(near) = nearest(id, known.iter().map(String::as_str)) {
        return Some(format!("did you mean `{near}`?"));
    }
    let corrected: Vec<&str> = id.split('#').map(|part| near_part(part, known)).collect();
    let element = corrected.first().filter(|element| !element.contains('*'));
    let mut wider = vec![
        format!("{id}#*"),
        format!("*{id}"),
        format!("*{id}*"),
        corrected.join("#"),
    ];
    wider.extend(element.map(|element| format!("{element}#*")));
    wider.iter().find_map(|pattern| {
        let mut taken = known.iter().filter(|id| matches(pattern, id));
        let first = taken.next()?;
        let count = 1 + taken.count();
        let mutants = if count == 1 { "mutant" } else { "mutants" };
        Some(format!(
            "`{pattern}` has {count} {mutants}, such as `{first}`"
        ))
    })
}

/// An element or a mutator that is nearest to a part of an id, or that part itself where it is one.
fn near_part<'a>(part: &'a str, known: &'a BTreeSet<String>) -> &'a str {
    let parts = || known.iter().flat_map(|id| id.split('#'));
    match parts().any(|other| matches(part, other)) {
        true => part,
        false => nearest(part, parts()).unwrap_or(part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_nearly_right_is_corrected() {
        let known = [
            "tank/level#plus2minus#1",
            "tank/level#const#1",
            "tank/alarm#g2ge#1",
        ];
        let known: BTreeSet<String> = known.iter().map(|id| id.to_string()).collect();
        let cases = [
            ("tank/alarm#g2g#1", "did you mean `tank/alarm#g2ge#1`?"),
            (
                "tank/level",
                "`tank/level#*` has 2 mutants, such as `tank/level#const#1`",
            ),
            (
                "alarm#*",
                "`*alarm#*` has 1 mutant, such as `tank/alarm#g2ge#1`",
            ),
            (
                "const",
                "`*const*` has 1 mutant, such as `tank/level#const#1`",
            ),
            (
                "tank/level#or2and#1",
                "`tank/level#*` has 2 mutants, such as `tank/level#const#1`",
            ),
            (
                "*#plus2minsu#*",
                "`*#plus2minus#*` has 1 mutant, such as `tank/level#plus2minus#1`",
            ),
        ];
        for (id, wanted) in cases {
            assert_eq!(near(id, &known).as_deref(), Some(wanted), "{id}");
        }
        assert_eq!(near("pump/on#g2l#1", &known), None);
        assert_eq!(near("*zebra*", &known), None);
    }
}
