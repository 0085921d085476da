//! The elements of a model, as they are counted and named.

use crate::arguments::Grain;
use crate::session::Session;
use proofmark_lang::lustre::EquationKind;
use proofmark_model::{ElementId, Origin, slice};
use proofmark_report::{ElementFinding, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The elements that are counted, in the order of the source.
pub struct Elements {
    /// What is removed as one.
    pub units: Vec<Vec<ElementId>>,
    pub findings: Vec<ElementFinding>,
    pub kinds: Vec<EquationKind>,
}

/// What makes equations one element.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Scalar(usize),
    Equation(EquationKind, Origin),
    Source(EquationKind, Option<proofmark_source::Span>),
}

impl Elements {
    /// Equations, assertions and the arguments of calls. A model that says which elements it wants
    /// counted has no others.
    pub fn of(session: &Session<'_>, grain: Grain, keep_assertions: bool) -> Elements {
        let mut positions: FxHashMap<Key, usize> = FxHashMap::default();
        let mut units: Vec<Vec<ElementId>> = Vec::new();
        let mut kinds = Vec::new();
        for (at, kind) in session.loaded.equations.iter().enumerate() {
            if !counts(session, at, *kind, keep_assertions) {
                continue;
            }
            let origin = &session.loaded.model.equations[at].origin;
            let key = match grain {
                Grain::Scalar => Key::Scalar(at),
                Grain::Equation => Key::Equation(*kind, origin.clone()),
                Grain::Source => Key::Source(*kind, origin.span),
            };
            let unit = *positions.entry(key).or_insert_with(|| {
                units.push(Vec::new());
                kinds.push(*kind);
                units.len() - 1
            });
            units[unit].push(ElementId(at as u32));
        }
        let mut order: Vec<usize> = (0..units.len()).collect();
        let place = |unit: &usize| {
            let origin = &session.loaded.model.equations[units[*unit][0].index()].origin;
            (origin.span.map(|span| span.start), units[*unit][0])
        };
        order.sort_by_key(place);
        let units: Vec<Vec<ElementId>> = order.iter().map(|at| units[*at].clone()).collect();
        let kinds: Vec<EquationKind> = order.iter().map(|at| kinds[*at]).collect();
        let findings = describe(session, &units, &kinds, grain);
        Elements {
            units,
            findings,
            kinds,
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
        let system = session.system();
        let terms: FxHashSet<_> = properties
            .iter()
            .map(|at| system.properties()[*at].term)
            .collect();
        let defines = |unit: &usize| {
            let members = self.units[*unit].iter();
            let mut targets = members.filter_map(|id| system.element(*id).target());
            targets.any(|target| terms.contains(&target))
        };
        (0..self.units.len()).filter(defines).collect()
    }
}

fn counts(session: &Session<'_>, at: usize, kind: EquationKind, keep_assertions: bool) -> bool {
    let wanted = session.loaded.ivc.as_ref();
    match kind {
        EquationKind::Equation | EquationKind::Binding => {
            let target = session.loaded.model.equations[at].target;
            wanted.is_none_or(|wanted| target.is_some_and(|target| wanted.contains(&target)))
        }
        EquationKind::Assertion => !keep_assertions && wanted.is_none(),
        EquationKind::Clock | EquationKind::Range => false,
    }
}

fn describe(
    session: &Session<'_>,
    units: &[Vec<ElementId>],
    kinds: &[EquationKind],
    grain: Grain,
) -> Vec<ElementFinding> {
    let mut taken: FxHashMap<String, usize> = FxHashMap::default();
    let mut findings = Vec::new();
    for (unit, kind) in units.iter().zip(kinds) {
        let equation = &session.loaded.model.equations[unit[0].index()];
        let span = equation
            .origin
            .span
            .map(|span| Span::new(span, &session.sources));
        let mut name = name(session, unit, grain);
        let count = taken.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            name = format!("{name}#{count}");
        }
        findings.push(ElementFinding {
            id: format!("{}/{name}", session.loaded.main),
            name,
            category: match kind {
                EquationKind::Assertion => "assert",
                EquationKind::Binding => "argument",
                EquationKind::Equation | EquationKind::Clock | EquationKind::Range => "equation",
            }
            .into(),
            text: text(session, unit[0], *kind),
            origin: span,
            role: BTreeMap::new(),
        });
    }
    findings
}

/// What an element defines, after the instance it is in; an assertion by its line.
fn name(session: &Session<'_>, unit: &[ElementId], grain: Grain) -> String {
    let equation = &session.loaded.model.equations[unit[0].index()];
    let path = &equation.origin.path;
    let Some(target) = equation.target else {
        let span = equation.origin.span;
        let line = span.map_or(0, |span| {
            session.sources.file(span.file).place(span.start).line
        });
        return match path.is_root() || grain == Grain::Source {
            true => format!("assert@{line}"),
            false => format!("{path}.assert@{line}"),
        };
    };
    let position = session.system().variable_named(target);
    let variables = session.system().variables();
    let facts = position
        .and_then(|known| variables.iter().position(|one| one.name == known.name))
        .and_then(|at| session.loaded.variables.get(at));
    match (grain, facts) {
        (Grain::Scalar, _) | (_, None) => target.to_string(),
        (Grain::Source, Some(facts)) => match path.is_root() {
            true => facts.declared.to_string(),
            false => format!("{}.{}", facts.node, facts.declared),
        },
        (Grain::Equation, Some(facts)) => match path.is_root() {
            true => facts.declared.to_string(),
            false => format!("{path}.{}", facts.declared),
        },
    }
}

/// The first line of an element's text.
fn text(session: &Session<'_>, id: ElementId, kind: EquationKind) -> String {
    let equation = &session.loaded.model.equations[id.index()];
    let Some(span) = equation.origin.span else {
        return String::new();
    };
    let text = session.sources.file(span.file).text();
    let text = &text[span.start as usize..span.end as usize];
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    match (kind, equation.target) {
        (EquationKind::Binding, Some(target)) => format!("{target} <- {text}"),
        _ => text,
    }
}
