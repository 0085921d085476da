//! Pages of findings that no small model has. One has five thousand mutants, made of the few of a small
//! model: as many copies of the text, one below the other, each with its mutants, elements and runs of
//! its own. The other has no text and no places in one, as a binary netlist.

use proofmark_report::{
    CoreRole, ElementFinding, Findings, MutantFinding, Origin, Score, ShownSpan, html,
};
use proofmark_source::Sources;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const WANTED: usize = 5000;

/// Writes the page; returns how many mutants it has.
pub fn write(binary: &Path, model: &Path, page: &Path) -> Result<usize, String> {
    let few = few(binary, model)?;
    let text = std::fs::read_to_string(model).map_err(|error| error.to_string())?;
    let copies = WANTED.div_ceil(few.mutants.len().max(1));
    let height = text.lines().count() as u32;
    let findings = copied(&few, copies, height);
    let mut sources = Sources::default();
    let name = few.inputs[0].file.clone();
    let file = sources.add(name, text.repeat(copies));
    let file = file.map_err(|_| "the text is too long".to_string())?;
    let text = html(&findings, &[sources.file(file)]).map_err(|error| error.to_string())?;
    std::fs::write(page, text).map_err(|error| error.to_string())?;
    Ok(findings.mutants.len())
}

/// Writes the page of the same findings without a text.
pub fn write_without_text(binary: &Path, model: &Path, page: &Path) -> Result<(), String> {
    let mut findings = few(binary, model)?;
    for (index, mutant) in (0..).zip(&mut findings.mutants) {
        mutant.origin = Origin::Name {
            name: mutant.element.clone(),
            index,
        };
        mutant.at = None;
    }
    for element in &mut findings.elements {
        element.origin = None;
    }
    for property in &mut findings.properties {
        property.origin = None;
    }
    let text = html(&findings, &[]).map_err(|error| error.to_string())?;
    std::fs::write(page, text).map_err(|error| error.to_string())
}

/// What is found in the small model.
fn few(binary: &Path, model: &Path) -> Result<Findings, String> {
    let output = Command::new(binary)
        .args(["mutate", "--mutators", "paper", "--json"])
        .arg(model)
        .output()
        .map_err(|error| error.to_string())?;
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

fn copied(few: &Findings, copies: usize, height: u32) -> Findings {
    let mut many = few.clone();
    many.mutants.clear();
    for copy in 0..copies {
        let below = copy as u32 * height;
        for one in &few.mutants {
            many.elements.push(element(one, copy, below));
            many.mutants.push(mutant(one, copy, below));
        }
    }
    many.elements.dedup_by(|one, other| one.id == other.id);
    many.score = Some(Score::of(&many.mutants));
    many
}

fn moved(origin: &Origin, below: u32) -> Origin {
    match origin {
        Origin::Span(span) => Origin::Span(ShownSpan {
            line: span.line + below,
            end_line: span.end_line + below,
            ..span.clone()
        }),
        named => named.clone(),
    }
}

fn mutant(one: &MutantFinding, copy: usize, below: u32) -> MutantFinding {
    let mut mutant = one.clone();
    mutant.id = format!("{copy}/{}", one.id);
    mutant.element = format!("{copy}/{}", one.element);
    mutant.origin = moved(&one.origin, below);
    if let Some(at) = &mut mutant.at {
        at.line += below;
    }
    for trace in [&mut mutant.trace, &mut mutant.original_trace] {
        for row in trace.iter_mut().flat_map(|trace| &mut trace.rows) {
            row.name = format!("{}_{copy}", row.name);
        }
    }
    mutant
}

fn element(one: &MutantFinding, copy: usize, below: u32) -> ElementFinding {
    let roles = [
        CoreRole::Must,
        CoreRole::May,
        CoreRole::Unused,
        CoreRole::Outside,
    ];
    ElementFinding {
        id: format!("{copy}/{}", one.element),
        name: one.element.clone(),
        category: "equation".into(),
        origin: Some(moved(&one.origin, below)),
        text: one.original.clone(),
        role: BTreeMap::from([("Prop1".to_string(), roles[copy % 4])]),
    }
}
