//! The elements of a model, as they are counted and named.

use crate::arguments::Grain;
use crate::session::Session;
use proofmark_model::{Category, ElementFacts, ElementId, Location, slice};
use proofmark_report::{ElementFinding, Origin};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The elements that are counted, in the order of the source.
pub struct Elements {
    /// What is removed as one.
    pub units: Vec<Vec<ElementId>>,
    pub findings: Vec<ElementFinding>,
    /// Whether each is an assumption.
    pub assumed: Vec<bool>,
}

/// What makes equations one element.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Scalar(usize),
    Equation(&'static str, proofmark_model::Origin),
    Source(&'static str, Option<Location>),
}

impl Elements {
    /// The elements that the front end says are counted.
    pub fn of(session: &Session<'_>, grain: Grain, keep_assertions: bool) -> Elements {
        let mut positions: FxHashMap<Key, usize> = FxHashMap::default();
        let mut units: Vec<Vec<ElementId>> = Vec::new();
        let model = &session.loaded.model;
        for (at, facts) in session.loaded.facts.elements.iter().enumerate() {
            let origin = &model.equations[at].origin;
            let kept = keep_assertions && origin.category == Category::Assertion;
            if !facts.counted || kept {
                continue;
            }
            let key = match grain {
                Grain::Scalar => Key::Scalar(at),
                Grain::Equation => Key::Equation(facts.category, origin.clone()),
                Grain::Source => Key::Source(facts.category, origin.location),
            };
            let unit = *positions.entry(key).or_insert_with(|| {
                units.push(Vec::new());
                units.len() - 1
            });
            units[unit].push(ElementId(at as u32));
        }
        let first = |unit: &[ElementId]| &model.equations[unit[0].index()].origin;
        units.sort_by_key(|unit| (first(unit).location.map(Location::start), unit[0]));
        let assumed = units
            .iter()
            .map(|unit| first(unit).category == Category::Assertion);
        Elements {
            assumed: assumed.collect(),
            findings: describe(session, &units, grain),
            units,
        }
    }

    /// The elements on which a property depends.
    pub fn cone(&self, session: &Session<'_>, properties: &[usize]) -> FxHashSet<usize> {
        let part = slice(session.system(), properties);
        let inside = |unit: &usize| {
            let mut members = self.units[*unit].iter();
            members.any(|id| part.elements.position(*id).is_some())
        };
        (0..self.units.len()).filter(inside).collect()
    }

    /// The elements that define the properties themselves.
    pub fn own(&self, session: &Session<'_>, properties: &[usize]) -> FxHashSet<usize> {
        let (system, model) = (session.system(), &session.loaded.model);
        let terms: FxHashSet<_> = properties
            .iter()
            .map(|at| system.properties()[*at].term)
            .collect();
        let defines = |unit: &usize| {
            let members = self.units[*unit].iter();
            let mut targets = members.filter_map(|id| model.target(*id, system));
            targets.any(|target| terms.contains(&target))
        };
        (0..self.units.len()).filter(defines).collect()
    }
}

fn describe(session: &Session<'_>, units: &[Vec<ElementId>], grain: Grain) -> Vec<ElementFinding> {
    let mut taken: FxHashMap<String, usize> = FxHashMap::default();
    let mut findings = Vec::new();
    for unit in units {
        let equation = &session.loaded.model.equations[unit[0].index()];
        let facts = session.loaded.facts.elements[unit[0].index()];
        let origin = equation.origin.location;
        let origin = origin.map(|place| Origin::new(place, &session.sources));
        let mut name = name(session, unit, facts, grain);
        let count = taken.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            name = format!("{name}#{count}");
        }
        findings.push(ElementFinding {
            id: format!("{}/{name}", session.loaded.facts.main),
            name,
            category: facts.category.into(),
            text: text(session, unit[0]),
            origin,
            role: BTreeMap::new(),
        });
    }
    findings
}

/// What an element defines, after the instance it is in; a constraint by its line.
fn name(session: &Session<'_>, unit: &[ElementId], element: ElementFacts, grain: Grain) -> String {
    let equation = &session.loaded.model.equations[unit[0].index()];
    let path = &equation.origin.path;
    let Some(target) = equation.target else {
        let location = equation.origin.location;
        let line = location.map_or(0, |location| match location {
            Location::Span(span) => session.sources.place(span).line,
            Location::Name { index, .. } => index,
        });
        return match path.is_root() || grain == Grain::Source {
            true => format!("{}@{line}", element.category),
            false => format!("{path}.{}@{line}", element.category),
        };
    };
    let position = session.system().variable_named(target);
    let variables = session.system().variables();
    let facts = position
        .and_then(|known| variables.iter().position(|one| one.name == known.name))
        .and_then(|at| session.loaded.facts.variables.get(at));
    match (grain, facts) {
        (Grain::Scalar, _) | (_, None) => target.to_string(),
        (Grain::Source, Some(facts)) => match path.is_root() {
            true => facts.declared.to_string(),
            false => format!("{}.{}", facts.scope, facts.declared),
        },
        (Grain::Equation, Some(facts)) => match path.is_root() {
            true => facts.declared.to_string(),
            false => format!("{path}.{}", facts.declared),
        },
    }
}

/// The text of an element in one line. What is made up in the service of a place, as the binding of an
/// argument is, has the text of that place after what it defines.
fn text(session: &Session<'_>, id: ElementId) -> String {
    let equation = &session.loaded.model.equations[id.index()];
    let Some(span) = equation.origin.span() else {
        return String::new();
    };
    let text = session.sources.file(span.file).text();
    let text = &text[span.start as usize..span.end as usize];
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    match (equation.origin.category, equation.target) {
        (Category::Generated, Some(target)) => format!("{target} <- {text}"),
        _ => text,
    }
}
