//! From rows of the registry to the mutations of a model.
//!
//! Places are collected first: expressions that somebody wrote, by their node ids, and equations, by
//! their places. Each row is tried on each place. What it yields has to lower, and must not make a
//! variable depend on itself, nor divide by zero. Two mutations that lower to the same terms are one
//! fault, and one that lowers to the terms of the original is none: counting them would make a score
//! say less. Where the source is text, a mutation is what its [`Rewriter`] writes there, and one that
//! no text means is none. Places are tried side by side; what they yield is taken in one after the
//! other, in the order of the source.

pub(crate) mod causality;
mod kept;
pub(crate) mod mutators;
mod rules;
pub(crate) mod selection;

use crate::mutate::generate::causality::Causality;
use crate::mutate::generate::kept::Kept;
use crate::mutate::generate::mutators::{Mutator, Rule};
use crate::mutate::generate::rules::{NodeMaker, name};
use crate::mutate::{Generated, Mutation, MutationChange, MutationPlace, Selection};
use crate::parallel;
use proofmark_model::{
    Category, Element, ElementId, Equation, Expr, Location, Lowered, Model, NodeId, Operator,
    Rational, Rewrite, Rewriter, Rewritten, Sort, SortError, Symbol, Term, Value, When,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Goes before the names of variables that only a comparison of mutations sees.
const SCOPE: &str = "@";

/// All mutations of the elements that are `mutable` by the mutators of a selection, in the order of
/// the source, those of one place in the order of the registry. `lowered` comes from `model`. With a
/// rewriter, only those that it can write into the source.
pub fn generate(
    model: &Model,
    lowered: &Lowered,
    mutable: &dyn Fn(ElementId) -> bool,
    selection: &Selection,
    rewriter: Option<&dyn Rewriter>,
    jobs: usize,
) -> Generated {
    let original = Original {
        model,
        lowered,
        causality: Causality::of(&lowered.system),
        merges: selection.merges(),
        divides: model.equations.iter().any(|one| has_division(&one.tree)),
        rewriter,
        kept: Kept::of(model, mutable),
    };
    let sites = sites(model, mutable);
    let start = || Generator {
        original: &original,
        maker: NodeMaker::new(model),
        originals: FxHashMap::default(),
        candidates: Vec::new(),
    };
    let candidates = parallel::map(jobs, &sites, &start, &|generator, site| {
        for (_, mutator) in selection.mutators() {
            generator.mutate(site, mutator);
        }
        std::mem::take(&mut generator.candidates)
    });
    let mut collector = Collector {
        model,
        known: FxHashSet::default(),
        ordinals: FxHashMap::default(),
        generated: Generated::default(),
    };
    for (site, candidates) in sites.iter().zip(candidates) {
        for candidate in candidates {
            collector.take(site, candidate);
        }
    }
    collector.generated
}

/// A place in the source, and where the model has it.
struct Site<'m> {
    place: MutationPlace,
    location: Location,
    /// Where it comes in the order of the source: an operation behind its left argument.
    anchor: u32,
    elements: Vec<ElementId>,
    /// The tree in the first instance.
    first: &'m Expr,
    /// The scalars that a use of a variable reads, over all instances.
    scalars: FxHashSet<Symbol>,
}

/// All places, in the order of the source.
fn sites<'m>(model: &'m Model, mutable: &dyn Fn(ElementId) -> bool) -> Vec<Site<'m>> {
    let mut nodes: FxHashMap<NodeId, Site<'m>> = FxHashMap::default();
    let mut equations: FxHashMap<Location, Site<'m>> = FxHashMap::default();
    for (index, equation) in model.equations.iter().enumerate() {
        let id = ElementId(index as u32);
        if !mutable(id) {
            continue;
        }
        let origin = &equation.origin;
        let is_definition = equation.target.is_some() && origin.category.is_definition();
        let is_whole = is_definition || origin.category == Category::Assertion;
        if let Some(location) = origin.location.filter(|_| is_whole) {
            let site = equations.entry(location);
            let site = site.or_insert_with(|| {
                let (place, anchor) = (MutationPlace::Equation, location.start());
                Site::new(place, location, anchor, &equation.tree)
            });
            site.elements.push(id);
        }
        for node in equation.tree.nodes() {
            let (true, Some(location)) = (node.origin().is_source(), node.origin().location) else {
                continue;
            };
            let site = nodes.entry(node.id());
            let place = MutationPlace::Node(node.id());
            let site =
                site.or_insert_with(|| Site::new(place, location, anchor(node, location), node));
            if site.elements.last() != Some(&id) {
                site.elements.push(id);
            }
            site.scalars.extend(name(node));
        }
    }
    let mut sites: Vec<Site<'m>> = equations.into_values().chain(nodes.into_values()).collect();
    sites.sort_by_key(|site| {
        let inner = site.place != MutationPlace::Equation;
        let span = site.location.span();
        let file = span.map(|span| span.file);
        (file, site.anchor, inner, span, site.first.id())
    });
    sites
}

impl<'m> Site<'m> {
    fn new(place: MutationPlace, location: Location, anchor: u32, first: &'m Expr) -> Site<'m> {
        Site {
            place,
            location,
            anchor,
            elements: Vec::new(),
            first,
            scalars: FxHashSet::default(),
        }
    }
}

/// Where an expression comes in the order of the source.
fn anchor(node: &Expr, location: Location) -> u32 {
    let infix = node.args().len() == 2 && !matches!(node.operator(), Operator::Call(_));
    let left = node.args().first().and_then(|left| left.origin().span());
    match (left, location) {
        (Some(left), Location::Span(span)) if infix && left.file == span.file => left.end,
        _ => location.start(),
    }
}

/// What a mutator yields at a place.
enum Candidate {
    Valid {
        mutator: &'static Mutator,
        yielded: Yielded,
        /// What it changes, where that matters.
        meaning: Option<Vec<(ElementId, Meaning)>>,
        rewritten: Option<Rewritten>,
    },
    /// It is no model.
    Invalid(&'static Mutator),
    /// No text means it.
    Unwritten(&'static Mutator),
}

impl Candidate {
    fn mutator(&self) -> &'static str {
        match self {
            Candidate::Valid { mutator, .. }
            | Candidate::Invalid(mutator)
            | Candidate::Unwritten(mutator) => mutator.name,
        }
    }
}

struct Yielded {
    after: Option<Expr>,
    change: MutationChange,
    /// The same in words that a language can write.
    rewrite: Option<Rewrite>,
}

/// What an element says, as terms.
type Meaning = Vec<(Option<Term>, Option<Term>, Option<Term>)>;

/// What all mutations start from.
struct Original<'m> {
    model: &'m Model,
    lowered: &'m Lowered,
    causality: Causality,
    merges: bool,
    /// Whether anything is divided in the original.
    divides: bool,
    rewriter: Option<&'m dyn Rewriter>,
    kept: Kept,
}

/// Tries mutators on places.
struct Generator<'g> {
    original: &'g Original<'g>,
    maker: NodeMaker,
    /// The meanings of unchanged elements, as they are needed.
    originals: FxHashMap<ElementId, Meaning>,
    /// What came of the present place.
    candidates: Vec<Candidate>,
}

impl Generator<'_> {
    /// All variants of a mutator at a place.
    fn mutate(&mut self, site: &Site<'_>, mutator: &'static Mutator) {
        if site.place == MutationPlace::Equation {
            if let Some(yielded) = self.change_equation(site, &mutator.rule) {
                self.consider(site, mutator, yielded);
            }
            return;
        }
        if matches!(mutator.rule, Rule::Index(_)) && !self.maker.reads_one(&site.scalars) {
            return;
        }
        let mut variant = 0;
        while let Some(after) = self.maker.apply(&mutator.rule, site.first, variant) {
            match self.change_nodes(site, &mutator.rule, variant) {
                Some(change) => {
                    let rewrite = self
                        .maker
                        .describe(&mutator.rule, site.first, &after, variant);
                    let yielded = Yielded {
                        after: Some(after),
                        change,
                        rewrite,
                    };
                    self.consider(site, mutator, yielded);
                }
                None => self.candidates.push(Candidate::Invalid(mutator)),
            }
            variant += 1;
        }
    }

    /// Changes every instance of an expression.
    fn change_nodes(
        &mut self,
        site: &Site<'_>,
        rule: &Rule,
        variant: usize,
    ) -> Option<MutationChange> {
        let MutationPlace::Node(id) = site.place else {
            return None;
        };
        let changed = self.original.model.replace(id, &site.elements, |node| {
            let new = self.maker.apply(rule, node, variant);
            new.ok_or_else(|| SortError("not in every instance".into()))
        });
        changed.ok().map(MutationChange::Replace)
    }

    /// Changes every instance and every scalar of an equation.
    fn change_equation(&mut self, site: &Site<'_>, rule: &Rule) -> Option<Yielded> {
        let first = site.elements.first()?;
        let category = self.original.model.equations[first.index()].origin.category;
        if matches!(rule, Rule::Remove) && category != Category::Assertion {
            return Some(Yielded {
                after: None,
                change: MutationChange::Remove(site.elements.clone()),
                rewrite: Some(Rewrite::Remove),
            });
        }
        let mut changed = Vec::with_capacity(site.elements.len());
        for id in &site.elements {
            let equation = &self.original.model.equations[id.index()];
            let is_assumption = equation.origin.category == Category::Assertion;
            if is_assumption != matches!(rule, Rule::Unassume) {
                return None;
            }
            if equation.when != When::Always && matches!(rule, Rule::Init(_)) {
                return None;
            }
            let tree = self.maker.apply_to_equation(rule, &equation.tree)?;
            let origin = equation.origin.clone();
            let equation = Equation {
                tree,
                origin,
                ..*equation
            };
            changed.push((*id, equation));
        }
        let after = changed.first().map(|(_, equation)| equation.tree.clone());
        let tree = after.as_ref()?;
        let rewrite = self.maker.describe(rule, site.first, tree, 0);
        let change = MutationChange::Replace(changed);
        Some(Yielded {
            after,
            change,
            rewrite,
        })
    }

    /// Makes a candidate of what a mutator yields.
    fn consider(&mut self, site: &Site<'_>, mutator: &'static Mutator, yielded: Yielded) {
        let meaning = match &yielded.change {
            MutationChange::Replace(changed) => match self.meaning(changed, yielded.after.as_ref())
            {
                Some(meaning) => self.original.merges.then_some(meaning),
                None => {
                    self.candidates.push(Candidate::Invalid(mutator));
                    return;
                }
            },
            MutationChange::Remove(_) => None,
        };
        let rewritten = match self.original.rewriter {
            None => None,
            Some(rewriter) => match self.write(rewriter, site, &yielded) {
                None => {
                    self.candidates.push(Candidate::Unwritten(mutator));
                    return;
                }
                rewritten => rewritten,
            },
        };
        self.candidates.push(Candidate::Valid {
            mutator,
            yielded,
            meaning,
            rewritten,
        });
    }

    /// What a mutation is in the source.
    fn write(
        &self,
        rewriter: &dyn Rewriter,
        site: &Site<'_>,
        yielded: &Yielded,
    ) -> Option<Rewritten> {
        let (model, kept) = (self.original.model, &self.original.kept);
        let span = site.location.span()?;
        let keep = match site.place {
            MutationPlace::Equation => kept.of_equation(span)?,
            MutationPlace::Node(id) => kept.of_node(id, &site.elements, model)?,
        };
        rewriter.rewrite(span, yielded.rewrite.as_ref()?, &keep)
    }

    /// What changed equations mean that their originals do not, where that is asked; nothing when they
    /// are no models.
    fn meaning(
        &mut self,
        changed: &[(ElementId, Equation)],
        after: Option<&Expr>,
    ) -> Option<Vec<(ElementId, Meaning)>> {
        let original = self.original;
        let divides = original.divides || after.is_some_and(has_division);
        if divides && changed.iter().any(|(_, one)| divides_by_zero(&one.tree)) {
            return None;
        }
        let patches = original.lowered.patches(changed, SCOPE).ok()?;
        if original.causality.has_cycle(&patches) {
            return None;
        }
        let mut meaning = Vec::new();
        for patch in patches.iter().filter(|_| original.merges) {
            let new = meaning_of(&patch.element);
            if new != *self.original(patch.id) {
                meaning.push((patch.id, new));
            }
        }
        Some(meaning)
    }

    /// The meaning of an unchanged element, lowered as a changed one is, so that names agree.
    fn original(&mut self, id: ElementId) -> &Meaning {
        let (model, lowered) = (self.original.model, self.original.lowered);
        self.originals.entry(id).or_insert_with(|| {
            let equation = model.equations[id.index()].clone();
            let patches = lowered.patches(&[(id, equation)], SCOPE);
            let patch = patches.ok().and_then(|mut patches| patches.pop());
            patch.map_or_else(Meaning::new, |patch| meaning_of(&patch.element))
        })
    }
}

/// Takes candidates in, in the order of the source.
struct Collector<'m> {
    model: &'m Model,
    /// The meanings of mutations that there are.
    known: FxHashSet<Vec<(ElementId, Meaning)>>,
    ordinals: FxHashMap<(Option<Location>, &'static str), u32>,
    generated: Generated,
}

impl Collector<'_> {
    /// Takes a candidate in, unless it is invalid or known. One that is left out is counted in the
    /// ordinals all the same: what is merged depends on the other mutators of the selection, and an
    /// ordinal must not.
    fn take(&mut self, site: &Site<'_>, candidate: Candidate) {
        let source = self.model.equations[site.elements[0].index()]
            .origin
            .location;
        let ordinal = self.ordinals.entry((source, candidate.mutator()));
        let ordinal = ordinal.or_default();
        *ordinal += 1;
        let ordinal = *ordinal;
        let (mutator, yielded, meaning, rewritten) = match candidate {
            Candidate::Valid {
                mutator,
                yielded,
                meaning,
                rewritten,
            } => (mutator, yielded, meaning, rewritten),
            Candidate::Invalid(_) => {
                self.generated.invalid += 1;
                return;
            }
            Candidate::Unwritten(_) => {
                self.generated.unwritten += 1;
                return;
            }
        };
        if let Some(meaning) = meaning
            && (meaning.is_empty() || !self.known.insert(meaning))
        {
            self.generated.merged += 1;
            return;
        }
        self.generated.mutations.push(Mutation {
            mutator: mutator.name,
            label: label(mutator.name, site.first, yielded.after.as_ref()),
            element: site.elements[0],
            place: site.place,
            location: site.location,
            rewritten,
            before: site.first.clone(),
            after: yielded.after,
            ordinal,
            change: yielded.change,
        });
    }
}

fn meaning_of(element: &Element) -> Meaning {
    use proofmark_model::Phase::{Init, Step};
    let own = (None, element.constraint(Init), element.constraint(Step));
    let definitions = element.definitions();
    let definitions = definitions.map(|one| (Some(one.variable), one.init, one.step));
    std::iter::once(own).chain(definitions).collect()
}

/// The name, and what became of a literal or a variable.
fn label(mutator: &str, before: &Expr, after: Option<&Expr>) -> String {
    use Operator::{Constant, Variable};
    match (before.operator(), after.map(Expr::operator)) {
        (Constant(was @ Value::Enum(..)), Some(Constant(is))) => format!("{mutator} {was} -> {is}"),
        (Constant(was), Some(Constant(is))) => {
            let sort = before.sort().to_string().to_lowercase();
            let (was, is) = (spell(was), spell(is));
            format!("{mutator} {sort} {was} -> {is}")
        }
        (Variable(was), Some(Variable(is))) => {
            let path = &before.origin().path;
            format!("{mutator} {} -> {}", local(*was, path), local(*is, path))
        }
        _ => mutator.to_string(),
    }
}

/// A real is told from an integer.
fn spell(value: &Value) -> String {
    match value.as_number() {
        Some(number) if value.sort() == Sort::Real && number.is_integer() => format!("{number}.0"),
        _ => value.to_string(),
    }
}

/// The name of a variable in its own instance.
fn local(name: Symbol, path: &proofmark_model::InstancePath) -> &'static str {
    let name = name.as_str();
    let inner = name.strip_prefix(&path.to_string());
    inner
        .and_then(|inner| inner.strip_prefix('.'))
        .unwrap_or(name)
}

fn is_division(node: &Expr) -> bool {
    let operator = node.operator();
    matches!(
        operator,
        Operator::Divide | Operator::IntDivide | Operator::Modulo
    )
}

fn has_division(tree: &Expr) -> bool {
    tree.nodes().into_iter().any(is_division)
}

/// Whether a tree divides by the constant zero, which no front end accepts.
fn divides_by_zero(tree: &Expr) -> bool {
    let is_zero = |divisor: &Expr| match divisor.operator() {
        Operator::Constant(Value::Int(value) | Value::Real(value)) => *value == Rational::from(0),
        _ => false,
    };
    let mut divisions = tree.nodes().into_iter().filter(|node| is_division(node));
    divisions.any(|node| {
        let mut divisor = &node.args()[1];
        while let (Operator::Named(_), [value]) = (divisor.operator(), divisor.args()) {
            divisor = value;
        }
        is_zero(divisor)
    })
}
