//! The elements of a model, as they are counted and named.
//!
//! An equation of the source may be several of the model: one for each scalar, in each instance.
//! What counts as one element is the caller's choice ([`Grain`]); its members are removed together.
//! An element has an id that stays the same as long as its source does, whatever stands around it.

use crate::analysis::{Analysis, FoundCore};
use proofmark_model::{
    Category, ElementId, Facts, InstancePath, Location, Lowered, Model, Origin, Rewriter, Symbol,
    System, Variable, VariableFacts, slice,
};
use proofmark_source::Sources;
use rustc_hash::{FxHashMap, FxHashSet};

/// A model with all that is known of it.
#[derive(Clone, Copy)]
pub struct AnnotatedModel<'a> {
    /// The files it comes from.
    pub sources: &'a Sources,
    /// The model as trees.
    pub model: &'a Model,
    /// What the front end knows of it.
    pub facts: &'a Facts,
    /// The same model as terms.
    pub lowered: &'a Lowered,
    /// Writes mutations into the source, where that is text.
    pub rewriter: Option<&'a dyn Rewriter>,
}

impl<'a> AnnotatedModel<'a> {
    /// The model as terms.
    pub fn system(&self) -> &'a System {
        &self.lowered.system
    }
}

/// What counts as one element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grain {
    /// Each scalar of an equation, in each instance.
    Scalar,
    /// An equation, in each instance.
    Equation,
    /// An equation of the source, all its instances together.
    Source,
}

/// One element, in the words of its author.
#[derive(Clone, Debug)]
pub struct NamedElement {
    /// The main node and the name.
    pub id: String,
    /// The variable that it defines, with the instance it is in; for an argument of a call the
    /// parameter, with the instance that is called.
    pub name: String,
    /// What people call such an element.
    pub category: &'static str,
    /// Where it stands.
    pub location: Option<Location>,
    /// Its text in one line.
    pub text: String,
    /// Whether it is assumed and not done by the model.
    pub is_assumption: bool,
}

/// What an element is to the proofs of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementRole {
    /// In every core.
    Must,
    /// In some minimal core.
    May,
    /// In a core that is not known to be minimal.
    Used,
    /// In no core that was found.
    Unused,
    /// The property does not depend on it, not even by way of assumptions.
    Outside,
}

/// The elements that are counted, in the order of the source.
pub struct Elements {
    /// What is removed as one, by the elements of the system.
    pub units: Vec<Vec<ElementId>>,
    /// What each unit is called.
    pub names: Vec<NamedElement>,
}

/// What makes equations one element.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Scalar(usize),
    Equation(&'static str, Origin),
    Source(&'static str, Option<Location>),
}

impl Elements {
    /// All elements that the front end says are counted.
    pub fn of(model: &AnnotatedModel<'_>, grain: Grain) -> Elements {
        Elements::matching(model, grain, |_| true)
    }

    /// Those of them that are no assumptions.
    pub fn without_assumptions(model: &AnnotatedModel<'_>, grain: Grain) -> Elements {
        Elements::matching(model, grain, |category| category != Category::Assertion)
    }

    fn matching(
        model: &AnnotatedModel<'_>,
        grain: Grain,
        wanted: impl Fn(Category) -> bool,
    ) -> Elements {
        let mut positions: FxHashMap<Key, usize> = FxHashMap::default();
        let mut units: Vec<Vec<ElementId>> = Vec::new();
        let origin = |id: ElementId| &model.model.equations[id.index()].origin;
        for (at, facts) in model.facts.elements.iter().enumerate() {
            let id = ElementId(at as u32);
            if !facts.counted || !wanted(origin(id).category) {
                continue;
            }
            let key = match grain {
                Grain::Scalar => Key::Scalar(at),
                Grain::Equation => Key::Equation(facts.category, origin(id).clone()),
                Grain::Source => Key::Source(facts.category, origin(id).location),
            };
            let unit = *positions.entry(key).or_insert_with(|| {
                units.push(Vec::new());
                units.len() - 1
            });
            units[unit].push(id);
        }
        units.sort_by_key(|unit| (origin(unit[0]).location.map(Location::start), unit[0]));
        let names = name_all(model, &units, grain);
        Elements { units, names }
    }

    /// The elements on which properties depend.
    pub fn cone(&self, system: &System, properties: &[usize]) -> FxHashSet<usize> {
        let part = slice(system, properties);
        let inside = |unit: &usize| {
            let mut members = self.units[*unit].iter();
            members.any(|id| part.elements.position(*id).is_some())
        };
        (0..self.units.len()).filter(inside).collect()
    }

    /// The elements that define the properties themselves.
    pub fn own(&self, model: &AnnotatedModel<'_>, properties: &[usize]) -> FxHashSet<usize> {
        let system = model.system();
        let terms: FxHashSet<_> = properties
            .iter()
            .map(|at| system.properties()[*at].term)
            .collect();
        let defines = |unit: &usize| {
            let members = self.units[*unit].iter();
            let mut targets = members.filter_map(|id| model.model.target(*id, system));
            targets.any(|target| terms.contains(&target))
        };
        (0..self.units.len()).filter(defines).collect()
    }

    /// What each element is to properties whose cores were looked for.
    pub fn roles(
        &self,
        system: &System,
        properties: &[usize],
        analysis: &Analysis,
    ) -> Vec<ElementRole> {
        let cone = self.cone(system, properties);
        let units = 0..self.units.len();
        units.map(|unit| role(unit, analysis, &cone)).collect()
    }

    /// Why properties that hold with this core say nothing of the model, if they do not.
    pub fn vacuous(
        &self,
        model: &AnnotatedModel<'_>,
        properties: &[usize],
        core: &FoundCore,
    ) -> Option<&'static str> {
        let own = self.own(model, properties);
        let rest = core.units.iter().filter(|unit| !own.contains(unit));
        let mut rest = rest.peekable();
        if rest.peek().is_none() {
            return Some("no element of the model is needed: the property holds by itself");
        }
        let only = rest.all(|unit| self.names[*unit].is_assumption);
        only.then_some("the assertions alone make it true, whatever the model does")
    }
}

fn role(unit: usize, analysis: &Analysis, cone: &FxHashSet<usize>) -> ElementRole {
    let must = analysis.must.as_ref();
    let cores = || analysis.cores.iter();
    let mut minimal = cores().filter(|core| core.is_minimal().is_some());
    if must.is_some_and(|(units, _)| units.contains(&unit)) {
        ElementRole::Must
    } else if minimal.any(|core| core.units.contains(&unit)) {
        ElementRole::May
    } else if cores().any(|core| core.units.contains(&unit)) {
        ElementRole::Used
    } else if cone.contains(&unit) {
        ElementRole::Unused
    } else {
        ElementRole::Outside
    }
}

fn name_all(
    model: &AnnotatedModel<'_>,
    units: &[Vec<ElementId>],
    grain: Grain,
) -> Vec<NamedElement> {
    let namer = Namer::new(model);
    let mut taken: FxHashMap<String, usize> = FxHashMap::default();
    let mut named = Vec::with_capacity(units.len());
    for unit in units {
        let origin = &model.model.equations[unit[0].index()].origin;
        let mut name = namer.name(unit[0], grain);
        let text = text(model, unit[0], &name);
        let count = taken.entry(name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            name = format!("{name}#{count}");
        }
        named.push(NamedElement {
            id: format!("{}/{name}", model.facts.main),
            name,
            category: model.facts.elements[unit[0].index()].category,
            location: origin.location,
            text,
            is_assumption: origin.category == Category::Assertion,
        });
    }
    named
}

/// Knows what the parts of a model are called.
struct Namer<'a> {
    model: &'a AnnotatedModel<'a>,
    variables: FxHashMap<Symbol, (&'a Variable, &'a VariableFacts)>,
    /// What is declared at a place.
    declared: FxHashMap<Location, Symbol>,
    /// What an instance is one of.
    scopes: FxHashMap<&'a InstancePath, Symbol>,
}

impl<'a> Namer<'a> {
    fn new(model: &'a AnnotatedModel<'a>) -> Namer<'a> {
        let variables = || model.model.variables.iter().zip(&model.facts.variables);
        Namer {
            model,
            variables: variables()
                .map(|(one, facts)| (one.name, (one, facts)))
                .collect(),
            declared: variables()
                .filter_map(|(one, facts)| Some((one.origin.location?, facts.declared)))
                .collect(),
            scopes: variables()
                .map(|(one, facts)| (&one.origin.path, facts.scope))
                .collect(),
        }
    }

    /// What an equation is written in: a node, a module, a function.
    fn scope(&self, id: ElementId) -> &str {
        let path = &self.model.model.equations[id.index()].origin.path;
        let main = self.model.facts.main.as_str();
        match path.is_root() {
            true => main,
            false => self.scopes.get(path).map_or(main, |scope| scope.as_str()),
        }
    }

    /// What an equation is called that defines nothing. In a text its category is its name, which does
    /// not change when lines move; after it comes the variable whose type says so, if one does.
    fn constraint(&self, id: ElementId) -> String {
        let category = self.model.facts.elements[id.index()].category;
        let location = self.model.model.equations[id.index()].origin.location;
        let declared = location.and_then(|location| self.declared.get(&location));
        match (location, declared) {
            (Some(Location::Name { index, .. }), _) => format!("{category}@{index}"),
            (_, Some(declared)) => format!("{category}.{declared}"),
            (_, None) => category.to_string(),
        }
    }

    /// What an element defines, after the instance it is in.
    fn name(&self, id: ElementId, grain: Grain) -> String {
        let equation = &self.model.model.equations[id.index()];
        let path = &equation.origin.path;
        let Some(target) = equation.target else {
            let name = self.constraint(id);
            return match grain {
                _ if path.is_root() => name,
                Grain::Source => format!("{}.{name}", self.scope(id)),
                Grain::Scalar | Grain::Equation => format!("{path}.{name}"),
            };
        };
        let Some((variable, facts)) = self.variables.get(&target) else {
            return target.to_string();
        };
        let (instance, declared) = (&variable.origin.path, facts.declared);
        match grain {
            Grain::Scalar => target.to_string(),
            Grain::Equation if instance.is_root() => declared.to_string(),
            Grain::Equation => format!("{instance}.{declared}"),
            Grain::Source => {
                // An argument is written where the call is, and named by the call and the parameter.
                let called = instance.calls().last().map(|call| call.name);
                let called = called.filter(|_| instance != path);
                let scope = (!path.is_root()).then(|| self.scope(id));
                let parts = [scope, called.map(Symbol::as_str), Some(declared.as_str())];
                let parts: Vec<&str> = parts.into_iter().flatten().collect();
                parts.join(".")
            }
        }
    }
}

/// The text of an element in one line. What is made up in the service of a place, as the binding of an
/// argument is, has the text of that place after its name.
fn text(model: &AnnotatedModel<'_>, id: ElementId, name: &str) -> String {
    let equation = &model.model.equations[id.index()];
    let Some(span) = equation.origin.span() else {
        return String::new();
    };
    let words: Vec<&str> = model.sources.text(span).split_whitespace().collect();
    let text = words.join(" ");
    match (equation.origin.category, equation.target) {
        (Category::Generated, Some(_)) => format!("{name} <- {text}"),
        _ => text,
    }
}

/// What each equation is written in: a node, a module, a function.
pub fn scopes(model: &AnnotatedModel<'_>) -> Vec<String> {
    let namer = Namer::new(model);
    let equations = 0..model.model.equations.len();
    equations
        .map(|at| namer.scope(ElementId(at as u32)).to_string())
        .collect()
}

/// The id of the element that each equation belongs to. A file may say which elements are counted;
/// mutants are also in the others, and each place in the source has an id of its own. What a user has
/// not named, as the clock of a call, goes by its category.
pub fn element_ids(model: &AnnotatedModel<'_>) -> FxHashMap<ElementId, String> {
    let counted = Elements::of(model, Grain::Source);
    let namer = Namer::new(model);
    let mut ids = FxHashMap::default();
    let mut taken = FxHashSet::default();
    for (unit, element) in counted.units.iter().zip(&counted.names) {
        ids.extend(unit.iter().map(|id| (*id, element.id.clone())));
        taken.insert(element.id.clone());
    }
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    let mut others: FxHashMap<Option<Location>, String> = FxHashMap::default();
    for (at, equation) in model.model.equations.iter().enumerate() {
        let fresh = || {
            let variable = equation
                .target
                .and_then(|target| namer.variables.get(&target));
            let name = match variable {
                Some((one, _)) if one.origin.category != Category::Generated => {
                    namer.name(ElementId(at as u32), Grain::Source)
                }
                None if equation.target.is_none() => namer.constraint(ElementId(at as u32)),
                _ => model.facts.elements[at].category.to_string(),
            };
            let base = format!("{}/{name}", model.facts.main);
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
