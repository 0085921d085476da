//! The elements of a model as they are reported.

use crate::arguments::Grain;
use crate::session::Session;
use proofmark_quality::{ElementRole, Elements};
use proofmark_report::{CoreRole, ElementFinding, Origin};
use std::collections::BTreeMap;

impl From<Grain> for proofmark_quality::Grain {
    fn from(grain: Grain) -> proofmark_quality::Grain {
        match grain {
            Grain::Scalar => proofmark_quality::Grain::Scalar,
            Grain::Equation => proofmark_quality::Grain::Equation,
            Grain::Source => proofmark_quality::Grain::Source,
        }
    }
}

/// Elements without roles yet.
pub fn findings(session: &Session<'_>, elements: &Elements) -> Vec<ElementFinding> {
    let names = elements.names.iter().map(|element| ElementFinding {
        id: element.id.clone(),
        name: element.name.clone(),
        category: element.category.into(),
        origin: element
            .location
            .map(|location| Origin::new(location, &session.sources)),
        text: element.text.clone(),
        role: BTreeMap::new(),
    });
    names.collect()
}

pub fn role(role: ElementRole) -> CoreRole {
    match role {
        ElementRole::Must => CoreRole::Must,
        ElementRole::May => CoreRole::May,
        ElementRole::Used => CoreRole::Used,
        ElementRole::Unused => CoreRole::Unused,
        ElementRole::Outside => CoreRole::Outside,
    }
}
