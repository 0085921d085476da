//! `proofmark mutators`: the small faults that can be put into a model.

use crate::arguments::Mutators;
use crate::exit::Exit;
use crate::session;
use proofmark_quality::mutate::{Mutator, Set, mutators};
use std::fmt::Write as _;

pub fn run(arguments: &Mutators) -> Exit {
    let text = match arguments.json {
        true => json(),
        false => text(),
    };
    match session::print(&text) {
        Ok(()) => Exit::Fine,
        Err(exit) => exit,
    }
}

fn sets(mutator: &Mutator) -> Vec<&'static str> {
    let sets = Set::ALL.into_iter().filter(|set| mutator.is_in(*set));
    sets.map(Set::name).collect()
}

/// An equation goes: there is nothing to show.
fn after(mutator: &Mutator) -> Option<&'static str> {
    Some(mutator.example.1).filter(|after| *after != "*")
}

fn text() -> String {
    let mut text = String::new();
    for mutator in mutators() {
        let sets = sets(mutator).join(" ");
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{:<17}{sets:<21}{}",
            mutator.name, mutator.description
        );
        let (before, after) = (mutator.example.0, after(mutator).unwrap_or("(nothing)"));
        let _ = writeln!(text, "{:<38}o = {before}  ~>  o = {after}", "");
    }
    text
}

fn json() -> String {
    let rows = mutators().iter().map(|mutator| {
        serde_json::json!({
            "name": mutator.name,
            "sets": sets(mutator),
            "description": mutator.description,
            "example": { "before": mutator.example.0, "after": after(mutator) },
        })
    });
    let document = serde_json::json!({ "mutators": rows.collect::<Vec<_>>() });
    format!("{document:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutator_is_listed_in_both_ways() {
        let document: serde_json::Value = serde_json::from_str(&json()).unwrap();
        let rows = document["mutators"].as_array().unwrap();
        assert_eq!(rows.len(), mutators().len());
        assert_eq!(
            rows[0]["sets"],
            serde_json::json!(["jkind", "paper", "default"])
        );
        let text = text();
        assert!(mutators().iter().all(|row| text.contains(row.description)));
        assert!(
            text.lines().all(|line| line.chars().count() <= 100),
            "{text}"
        );
    }
}
