//! `proofmark merge`: the parts of a campaign as one.
//!
//! Each part proved the properties for itself. The parts belong together when they looked at the
//! same model, were asked the same but for the part, and proved the same properties; then every
//! mutant must be there once. A part that is not there is told, and leaves the rest inconclusive.

use crate::arguments::{Acceptable, Merge};
use crate::ending::{exit, outcome, text};
use crate::exit::Exit;
use crate::exports::write_stryker;
use crate::journal::INDIFFERENT;
use crate::shard::ShardNumber;
use crate::{input, outputs, page, recheck, session, terminal};
use proofmark_lang::Languages;
use proofmark_report::{
    Findings, MutantFinding, Outcome, OutputFinding, SCHEMA, Score, Shard, coverage_text,
    join_coverage, read_json,
};
use proofmark_source::Sources;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

pub fn run(arguments: &Merge, languages: Languages) -> Exit {
    match attempt(arguments, languages) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn attempt(arguments: &Merge, languages: Languages) -> Result<Exit, Exit> {
    let named = [
        ("html", arguments.printing.html.as_ref()),
        ("stryker", arguments.stryker.as_ref()),
    ];
    outputs::check(&[&named[..], &arguments.exports.outputs()].concat())?;
    let names = arguments.files.iter();
    let parts: Result<Vec<ShardRun<'_>>, Exit> = names.map(|name| read(name)).collect();
    let (whole, missing) = merge(parts?).map_err(|error| {
        terminal::error(&error);
        Exit::Input
    })?;
    missing.iter().for_each(|what| terminal::warning(what));
    let tolerance = arguments.printing.tolerance(arguments.min_score);
    let written = [
        page::write_merged(&arguments.printing, &whole),
        write_stryker(arguments.stryker.as_ref(), &whole, languages),
        arguments.exports.write(&whole, &tolerance),
    ];
    let printing = &arguments.printing;
    match printing.json {
        true => session::print_json(&whole)?,
        false if whole.command == "cover" => {
            let style = session::style(printing);
            session::print(&coverage_text(&whole, &style, arguments.verbose))?;
        }
        false => session::print(&text(printing, arguments.verbose, &whole))?,
    }
    outputs::all(written)?;
    if whole.command == "cover" {
        let unknown = whole.outcome == Outcome::Inconclusive;
        return Ok(match whole.outcome {
            Outcome::Found => Exit::Found,
            _ if unknown && !printing.accepts(Acceptable::Unknown) => Exit::Inconclusive,
            _ => Exit::Fine,
        });
    }
    Ok(
        match exit(&arguments.printing, arguments.min_score, &whole) {
            Exit::Fine if !missing.is_empty() => Exit::Inconclusive,
            exit => exit,
        },
    )
}

/// What a part of the campaign found.
struct ShardRun<'a> {
    name: &'a str,
    shard: Shard,
    findings: Findings,
}

fn read(name: &str) -> Result<ShardRun<'_>, Exit> {
    let mut sources = Sources::default();
    let file = input::read_text(name, &mut sources)?;
    let part = parse(name, sources.file(file).text());
    part.map_err(|error| {
        terminal::error(&format!("{name} is no part of a campaign: {error}"));
        Exit::Input
    })
}

fn parse<'a>(name: &'a str, text: &str) -> Result<ShardRun<'a>, String> {
    let found: serde_json::Result<Findings> = read_json(text);
    let mut findings = found.map_err(|error| error.to_string())?;
    let is_known = ["mutate", "cover"].contains(&findings.command.as_str());
    if findings.schema != SCHEMA || !is_known {
        return Err(format!(
            "expected {SCHEMA} of mutate or cover, found {} of {}",
            findings.schema, findings.command
        ));
    }
    let shard = findings.shard.take();
    let shard = shard.ok_or("it has no shard; was it run with --shard?")?;
    let cuts = findings.command == "cover";
    let listed = if cuts {
        findings.elements.len()
    } else {
        findings.mutants.len()
    };
    let (mutants, assumptions) = (listed, findings.assumptions.len());
    if (shard.positions.len(), shard.assumptions.len()) != (mutants, assumptions) {
        return Err(format!(
            "its shard has {} mutants and {} of assumptions, and it lists {mutants} and {assumptions}",
            shard.positions.len(),
            shard.assumptions.len(),
        ));
    }
    fits(&shard, &findings)?;
    Ok(ShardRun {
        name,
        shard,
        findings,
    })
}

/// More parts than anybody has machines.
const MOST_PARTS: usize = 1_000_000;

/// Whether a part is one: of so many, with places in the whole, each once, and mutants that belong to it.
fn fits(shard: &Shard, findings: &Findings) -> Result<(), String> {
    let Shard {
        number, of, all, ..
    } = *shard;
    if !(1..=MOST_PARTS).contains(&of) || !(1..=of).contains(&number) {
        return Err(format!(
            "expected a part of at most {MOST_PARTS}, found part {number} of {of}"
        ));
    }
    for positions in [&shard.positions, &shard.assumptions] {
        let ascends = positions.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascends || positions.last().is_some_and(|last| *last >= all) {
            return Err(format!(
                "its positions are not those of a part of {all} mutants, each once"
            ));
        }
    }
    let part = ShardNumber { number, of };
    let mut ids = findings.mutants.iter().map(|one| &one.id);
    match ids.find(|id| !part.has(id)) {
        Some(id) => Err(format!(
            "the mutant {id} belongs to another part than {part}"
        )),
        None => Ok(()),
    }
}

/// The whole, and what is missing.
fn merge(mut parts: Vec<ShardRun<'_>>) -> Result<(Findings, Vec<String>), String> {
    parts.sort_by_key(|part| part.shard.number);
    for part in &parts[1..] {
        compare(&parts[0], part)?;
    }
    let missing = missing(&parts);
    if parts[0].findings.command == "cover" {
        return Ok((merge_coverage(&parts, &missing)?, missing));
    }
    let mutants = in_order(&parts, |part| {
        let positions = part.shard.positions.iter().copied();
        let mutants = part.findings.mutants.iter();
        positions
            .zip(mutants.map(|one| (one.id.as_str(), one)))
            .collect()
    })?;
    let assumptions = in_order(&parts, |part| {
        let positions = part.shard.assumptions.iter().copied();
        let assumptions = part.findings.assumptions.iter();
        positions
            .zip(assumptions.map(|one| (one.id.as_str(), one)))
            .collect()
    })?;
    let sum = |of: fn(&Findings) -> f64| parts.iter().map(|part| of(&part.findings)).sum();
    let seconds = sum(|one| one.seconds);
    let audit_seconds = sum(|one| one.audit.as_ref().map_or(0.0, |audit| audit.seconds));
    let mut auditors: Vec<String> = Vec::new();
    for one in parts.iter().filter_map(|part| part.findings.audit.as_ref()) {
        let new = one.by.iter().filter(|by| !auditors.contains(by));
        let new: Vec<String> = new.cloned().collect();
        auditors.extend(new);
    }
    // A document is evidence, and nobody has shown it again.
    let mutants: Vec<MutantFinding> = mutants.into_iter().map(recheck::unshown).collect();
    let mut whole = parts.swap_remove(0).findings;
    whole.outcome = match outcome(&whole.properties, &mutants, &assumptions) {
        Outcome::Holds if !missing.is_empty() => Outcome::Inconclusive,
        outcome => outcome,
    };
    if let Some(audit) = &mut whole.audit {
        audit.seconds = audit_seconds;
        audit.by = auditors;
    }
    whole.options.insert("shard".into(), None::<String>.into());
    whole.seconds = seconds;
    whole.outputs = OutputFinding::of(&mutants);
    whole.score = (!mutants.is_empty()).then(|| Score::of(&mutants));
    whole.mutants = mutants;
    whole.assumptions = assumptions;
    Ok((whole, missing))
}

/// The whole of a coverage of which each part has some elements.
fn merge_coverage(parts: &[ShardRun<'_>], missing: &[String]) -> Result<Findings, String> {
    let elements = in_order(parts, |part| {
        let positions = part.shard.positions.iter().copied();
        let elements = part.findings.elements.iter();
        positions
            .zip(elements.map(|one| (one.id.as_str(), one)))
            .collect()
    })?;
    let each: Vec<&Findings> = parts.iter().map(|part| &part.findings).collect();
    let (coverage, coverage_summary) = join_coverage(&elements, &each);
    let audits = each.iter().filter_map(|one| one.audit.as_ref());
    let audit_seconds = audits.map(|audit| audit.seconds).sum();
    let mut whole = Findings {
        elements,
        coverage,
        coverage_summary,
        coverage_suggestions: each
            .iter()
            .flat_map(|one| one.coverage_suggestions.clone())
            .collect(),
        seconds: each.iter().map(|one| one.seconds).sum(),
        ..parts[0].findings.clone()
    };
    let worst = each.iter().map(|one| one.outcome);
    let worst = worst.reduce(|one, other| match (one, other) {
        (Outcome::Found, _) | (_, Outcome::Found) => Outcome::Found,
        (Outcome::Inconclusive, _) | (_, Outcome::Inconclusive) => Outcome::Inconclusive,
        _ => one,
    });
    whole.outcome = match worst.unwrap_or(whole.outcome) {
        Outcome::Holds if !missing.is_empty() => Outcome::Inconclusive,
        outcome => outcome,
    };
    if let Some(audit) = &mut whole.audit {
        audit.seconds = audit_seconds;
    }
    whole.options.insert("shard".into(), None::<String>.into());
    Ok(whole)
}

/// Whether two parts are of the same campaign.
fn compare(one: &ShardRun<'_>, other: &ShardRun<'_>) -> Result<(), String> {
    let differ = |what: &str| Err(format!("{} and {} {what}", one.name, other.name));
    if one.shard.number == other.shard.number {
        return differ(&format!("are both part {}", one.shard.number));
    }
    let (mine, its) = (&one.findings, &other.findings);
    let hashes = |findings: &Findings| -> Vec<String> {
        let inputs = findings.inputs.iter();
        inputs.map(|input| input.hash.clone()).collect()
    };
    if hashes(mine) != hashes(its) {
        return differ("are of different models");
    }
    if one.shard.all != other.shard.all {
        let (one, other) = (one.shard.all, other.shard.all);
        return differ(&format!(
            "are of campaigns with {one} and with {other} mutants"
        ));
    }
    if one.shard.of != other.shard.of {
        let (one, other) = (one.shard.of, other.shard.of);
        return differ(&format!("are parts of {one} and of {other}"));
    }
    if (&mine.tool.version, &mine.tool.solver) != (&its.tool.version, &its.tool.solver) {
        return differ("are by different versions or solvers");
    }
    let names: BTreeSet<&String> = mine.options.keys().chain(its.options.keys()).collect();
    for name in names {
        let free = name == "shard" || INDIFFERENT.contains(&name.as_str());
        if !free && mine.options.get(name) != its.options.get(name) {
            return differ(&format!("differ in {name}"));
        }
    }
    let verdicts = |findings: &Findings| -> Vec<_> {
        let properties = findings.properties.iter();
        properties
            .map(|one| (one.name.clone(), one.verdict))
            .collect()
    };
    if verdicts(mine) != verdicts(its) {
        return differ("have different verdicts on the properties; do they need more time?");
    }
    Ok(())
}

/// How many missing parts are named.
const SHOWN: usize = 20;

/// What is not there, in words.
fn missing(parts: &[ShardRun<'_>]) -> Vec<String> {
    let Shard { of, all, .. } = parts[0].shard;
    let there: BTreeSet<usize> = parts.iter().map(|part| part.shard.number).collect();
    let absent = (1..=of).filter(|number| !there.contains(number));
    let mut missing: Vec<String> = absent
        .clone()
        .take(SHOWN)
        .map(|number| format!("part {number}/{of} is missing"))
        .collect();
    let more = (of - there.len()).saturating_sub(SHOWN);
    if more > 0 {
        missing.push(format!("{more} more parts are missing"));
    }
    let count = |shard: &Shard| shard.positions.len() + shard.assumptions.len();
    let count: usize = parts.iter().map(|part| count(&part.shard)).sum();
    if count != all {
        missing.push(format!("{count} of {all} mutants are there"));
    }
    missing
}

/// What parts list, each with its position and its id.
type Listed<'p, T> = Vec<(usize, (&'p str, &'p T))>;

/// All that the parts list, in the order of the whole campaign.
fn in_order<'p, T: Clone + 'p>(
    parts: &'p [ShardRun<'_>],
    list: impl Fn(&'p ShardRun<'_>) -> Listed<'p, T>,
) -> Result<Vec<T>, String> {
    let mut whole: Vec<(usize, &T)> = Vec::new();
    let mut seen: FxHashMap<&str, &str> = FxHashMap::default();
    for part in parts {
        for (at, (id, one)) in list(part) {
            if let Some(other) = seen.insert(id, part.name) {
                let name = part.name;
                return Err(format!("mutant {id} is both in {other} and in {name}"));
            }
            whole.push((at, one));
        }
    }
    whole.sort_by_key(|(at, _)| *at);
    if let Some(pair) = whole.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(format!(
            "two parts have something at position {}",
            pair[0].0
        ));
    }
    Ok(whole.into_iter().map(|(_, one)| one.clone()).collect())
}
