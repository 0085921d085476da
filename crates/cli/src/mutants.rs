//! Where a mutation stands, as people point at it: an operation at its operator, everything else at
//! its beginning; and the names of what mutations are in.

use crate::arguments::Grain;
use crate::elements::Elements;
use crate::session::Session;
use proofmark_lang::Language;
use proofmark_model::{ElementId, Location};
use proofmark_quality::mutate::{Mutation, MutationPlace};
use proofmark_source::{Place, Sources, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// The id of the element that each equation belongs to. A model may say which elements are counted;
/// mutants are also in the others, and each place in the source has an id of its own.
pub fn element_ids(session: &Session<'_>) -> FxHashMap<ElementId, String> {
    let counted = Elements::of(session, Grain::Source, false);
    let mut ids = FxHashMap::default();
    let mut taken = FxHashSet::default();
    for (unit, finding) in counted.units.iter().zip(&counted.findings) {
        ids.extend(unit.iter().map(|id| (*id, finding.id.clone())));
        taken.insert(finding.id.clone());
    }
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    let mut others: FxHashMap<Option<Location>, String> = FxHashMap::default();
    for (at, equation) in session.loaded.model.equations.iter().enumerate() {
        let fresh = || {
            let name = equation.target.map(|target| target.to_string());
            let name = name.unwrap_or_else(|| "constraint".into());
            let base = format!("{}/{name}", session.loaded.facts.main);
            let count = counts.entry(base.clone()).or_default();
            loop {
                *count += 1;
                let id = match *count {
                    1 => base.clone(),
                    count => format!("{base}#{count}"),
                };
                if taken.insert(id.clone()) {
                    return id;
                }
            }
        };
        ids.entry(ElementId(at as u32)).or_insert_with(|| {
            let id = others.entry(equation.origin.location);
            id.or_insert_with(fresh).clone()
        });
    }
    ids
}

/// The line and column of a mutation, where there is a text.
pub fn position(mutation: &Mutation, language: &Language, sources: &Sources) -> Option<Place> {
    let Span { file, start, .. } = mutation.location.span()?;
    let byte = match mutation.place {
        MutationPlace::Equation => None,
        MutationPlace::Node(_) => (language.position)(sources.file(file).text(), &mutation.before),
    };
    let byte = byte.unwrap_or(start);
    Some(sources.place(Span::new(file, byte, byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_lang::lustre;
    use proofmark_model::lower;
    use proofmark_quality::mutate::generate;

    /// Positions and labels of the mutations of all that is not a property.
    fn listed(text: &str, selection: &str) -> Vec<String> {
        let mut sources = Sources::default();
        let file = sources.add("case.lus", text.to_string()).unwrap();
        let (loaded, diagnostics) = lustre::load(&sources, file, &lustre::Options::default());
        let model = loaded.unwrap_or_else(|| panic!("{diagnostics:?}")).model;
        let lowered = lower(&model).unwrap();
        let properties = lowered.system.properties();
        let mutable = |id: ElementId| {
            let target = lowered.system.element(id).target();
            properties.iter().all(|one| Some(one.term) != target)
        };
        let generated = generate(&model, &lowered, &mutable, &selection.parse().unwrap(), 1);
        let mutations = generated.mutations.iter();
        let list = mutations.map(|one| {
            format!(
                "{} {}",
                position(one, &lustre::LANGUAGE, &sources).unwrap(),
                one.label
            )
        });
        list.collect()
    }

    /// Figures 4 and 5 of the paper.
    #[test]
    fn the_mutants_of_demo2_stand_where_the_paper_has_them() {
        let demo2 = "node demo2 ( a1 , a2 : int )
returns ( Prop1 : bool ; b : int );
var
  d : bool;
let
  d = (a1 > 0);
  b = if d or (a2 < 0) then a1 else a2;
  Prop1 = (b = a1 or b = a2);
  --%PROPERTY Prop1;
tel;
";
        let mut found = listed(demo2, "paper");
        found.sort();
        let mut wanted = [
            "6:3 equal_false",
            "6:3 equation_remove",
            "6:3 init_false",
            "6:11 g2l",
            "6:13 const int 0 -> 1",
            "7:3 init_-1",
            "7:3 equal_5",
            "7:3 equal_-2",
            "7:3 equation_remove",
            "7:3 init_5",
            "7:7 ifelsethen",
            "7:7 ifelse",
            "7:12 or2right",
            "7:12 or2xor",
            "6:3 init_true",
            "6:3 equal_true",
            "6:11 g2ge",
            "7:7 ifthen",
            "7:12 or2left",
            "7:19 l2g",
            "7:19 l2le",
            "7:21 const int 0 -> 1",
        ];
        wanted.sort_unstable();
        assert_eq!(found, wanted);
    }

    #[test]
    fn an_operator_is_found_behind_parentheses_comments_and_fields() {
        let model = "type pair = struct {l: int; r: int};
node id(p: pair) returns (q: pair);
let
  q = p;
tel;
node main(p: pair; orange, b: bool) returns (o: bool; x: int);
let
  o = ((orange) -- or not
    (* or *) or b);
  x = 1 fby id(p).l - 2;
tel;
";
        let found = listed(model, "or2xor,minus2plus,arrow_left");
        assert_eq!(
            found,
            ["9:14 or2xor", "10:9 arrow_left", "10:21 minus2plus"]
        );
    }
}
