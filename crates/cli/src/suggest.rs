//! Properties that would close the gaps, as text that can be pasted into the main node.

use crate::arguments::Mutate;
use crate::exit::Exit;
use crate::ivc::report_oracle_error;
use crate::session::Session;
use proofmark_quality::mutate::{Decided, Mutation, Plan, suggest};

/// The suggestions for each mutation, with word of how many of the steps to them are done; a property has the same name wherever it is suggested.
pub fn texts(
    arguments: &Mutate,
    session: &Session<'_>,
    plan: &Plan<'_>,
    (mutations, decided): (&[Mutation], &[Option<Decided>]),
    hear: &mut dyn FnMut(usize, usize),
) -> Result<Vec<Vec<String>>, Exit> {
    if arguments.no_suggest || plan.observed.is_none() {
        return Ok(vec![Vec::new(); mutations.len()]);
    }
    let model = &session.loaded.model;
    let suggested = suggest(model, plan, mutations, decided, hear);
    let suggested = suggested.map_err(|error| report_oracle_error(session, &error))?;
    let taken = |name: &str| {
        let mut properties = session.system().properties().iter();
        properties.any(|one| one.name == name)
    };
    let mut names = (1..).map(|number| format!("suggested {number}"));
    let properties = suggested.properties.iter().map(|tree| {
        let name = names.find(|name| !taken(name)).unwrap_or_default();
        (session.language.property)(&name, tree)
    });
    let properties: Vec<String> = properties.collect();
    let lists = suggested.of.iter();
    Ok(lists
        .map(|list| list.iter().map(|at| properties[*at].clone()).collect())
        .collect())
}
