//! `proofmark diff`: what became covered between two runs, and what is not any more.

use crate::arguments::Diff;
use crate::exit::Exit;
use crate::journal::INDIFFERENT;
use crate::{input, session, terminal};
use proofmark_report::{Findings, SCHEMA, compare, comparison_text, read_json};
use proofmark_source::Sources;
use std::collections::BTreeSet;

pub fn run(arguments: &Diff) -> Exit {
    match attempt(arguments) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn attempt(arguments: &Diff) -> Result<Exit, Exit> {
    let (old, new) = (read(&arguments.old)?, read(&arguments.new)?);
    if old.command != new.command {
        terminal::error(&format!(
            "expected two runs of the same command, found {} in {} and {} in {}",
            old.command, arguments.old, new.command, arguments.new
        ));
        return Err(Exit::Input);
    }
    let differ = different_options(&old, &new);
    if !differ.is_empty() {
        let names = differ.join(", ");
        terminal::warning(&format!("the two runs have different options: {names}"));
    }
    let comparison = compare(&old, &new);
    let text = match arguments.json {
        true => {
            serde_json::to_string_pretty(&comparison).map_err(|error| {
                terminal::error(&format!("cannot write JSON: {error}"));
                Exit::Internal
            })? + "\n"
        }
        false => comparison_text(&comparison, &session::page(arguments.quiet)),
    };
    session::print(&text)?;
    Ok(match comparison.regressions {
        0 => Exit::Fine,
        _ => Exit::Found,
    })
}

fn read(name: &str) -> Result<Findings, Exit> {
    let mut sources = Sources::default();
    let file = input::read_text(name, &mut sources)?;
    let found: serde_json::Result<Findings> = read_json(sources.file(file).text());
    let found = found.map_err(|error| error.to_string());
    let found = found.and_then(|findings| match findings.schema == SCHEMA {
        true => Ok(findings),
        false => Err(format!("expected {SCHEMA}, found {}", findings.schema)),
    });
    found.map_err(|error| {
        terminal::error(&format!(
            "{name} is not what check, ivc, mutate or cover print with --json: {error}"
        ));
        Exit::Input
    })
}

/// The options that may decide a verdict and are not the same.
fn different_options(old: &Findings, new: &Findings) -> Vec<String> {
    let names: BTreeSet<&String> = old.options.keys().chain(new.options.keys()).collect();
    let differ = |name: &&&String| {
        let indifferent = INDIFFERENT.contains(&name.as_str());
        !indifferent && old.options.get(**name) != new.options.get(**name)
    };
    names
        .iter()
        .filter(differ)
        .map(|name| name.to_string())
        .collect()
}
