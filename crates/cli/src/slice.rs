//! `proofmark slice`: prints the model reduced to what its proofs need.
//!
//! What is printed is one node with every call inlined; a variable whose equation is left out has
//! become an input. With `--cone` the equations are left out that the properties do not depend on,
//! and nothing is proved.

use crate::arguments::{Cores, Slice};
use crate::exit::Exit;
use crate::ivc::{ask, patience, request};
use crate::session::{self, Asked, Session};
use crate::terminal;
use proofmark_lang::{Languages, Part};
use proofmark_model::{ElementId, Proof, slice};
use proofmark_quality::{CoreQuestion, Elements, Grain, joint_proof};
use rustc_hash::FxHashSet;

pub fn run(arguments: &Slice, languages: Languages) -> Exit {
    match attempt(arguments, languages) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn attempt(arguments: &Slice, languages: Languages) -> Result<Exit, Exit> {
    let session = Session::open(languages, &arguments.subject, &arguments.proving)?;
    let Some(print) = session.language.part else {
        let name = session.language.name;
        terminal::error(&format!(
            "slices cannot be written as {name}; ivc lists the core"
        ));
        return Err(Exit::Usage);
    };
    let all: FxHashSet<ElementId> = session.system().ids().collect();
    let (kept, goals) = match arguments.cone {
        true => (all, session.properties.clone()),
        false => core(arguments, &session)?,
    };
    let equations = cone(&session, kept, &goals);
    let text = print(&Part {
        model: &session.loaded.model,
        name: &session.loaded.facts.main,
        equations: &equations,
        goals: &goals,
    });
    session::print(&text)?;
    let left_out = session.properties.len() - goals.len();
    if left_out > 0 {
        terminal::warning(&format!(
            "{left_out} properties were not proved and are left out"
        ));
        return Ok(Exit::Inconclusive);
    }
    Ok(Exit::Fine)
}

/// The elements of a core of all properties that are proved, and what is in no unit.
fn core(
    arguments: &Slice,
    session: &Session<'_>,
) -> Result<(FxHashSet<ElementId>, Vec<usize>), Exit> {
    let verified = session.verify(&Asked::default())?;
    let proved: Vec<(usize, &Proof)> = verified.proved().collect();
    if proved.is_empty() {
        terminal::error("no property was proved, so there is no core; --cone slices without proof");
        return Err(Exit::Inconclusive);
    }
    let goals: Vec<usize> = proved.iter().map(|(at, _)| *at).collect();
    let proof = joint_proof(proved.iter().map(|(_, proof)| *proof));
    let elements = Elements::of(&session.annotated(), Grain::Equation);
    let cores = Cores {
        minimal: arguments.minimal,
        budget: arguments.budget,
        ..Cores::default()
    };
    let question = CoreQuestion {
        system: session.system(),
        properties: &goals,
        proof: &proof,
        units: &elements.units,
        request: request(&cores),
    };
    let analysis = ask(session, &question, patience(session, &cores), &mut |_| ())?;
    let mut kept: FxHashSet<ElementId> = session.system().ids().collect();
    for (unit, members) in elements.units.iter().enumerate() {
        if !analysis.cores.iter().any(|core| core.units.contains(&unit)) {
            members.iter().for_each(|id| {
                kept.remove(id);
            });
        }
    }
    Ok((kept, goals))
}

/// What of these elements the properties depend on.
fn cone(
    session: &Session<'_>,
    kept: FxHashSet<ElementId>,
    goals: &[usize],
) -> FxHashSet<ElementId> {
    let removed: FxHashSet<ElementId> = session
        .system()
        .ids()
        .filter(|id| !kept.contains(id))
        .collect();
    let (part, map) = session.system().without(&removed);
    let cone = slice(&part, goals);
    let inside = cone.elements.kept().iter();
    inside.map(|id| map.original(*id)).collect()
}
