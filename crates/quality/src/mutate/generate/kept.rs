//! What a mutation must leave as it is, although it shares its place with what changes.
//!
//! Properties and the equations that define them are not mutated. A named constant may be used there
//! and elsewhere: its uses there keep their value, and the source has to say so. Anything else that
//! stands in both, as one of two values of a call, cannot change in one and stay in the other.

use proofmark_model::{ElementId, Expr, Model, NodeId, Operator};
use proofmark_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct Kept {
    /// The uses of constants, by the nodes of their definitions.
    uses: FxHashMap<NodeId, FxHashSet<Span>>,
    /// Nodes that stand in what is kept for themselves.
    nodes: FxHashSet<NodeId>,
    /// Equations of which some scalar or instance is kept.
    equations: FxHashSet<Span>,
}

impl Kept {
    pub fn of(model: &Model, mutable: &dyn Fn(ElementId) -> bool) -> Kept {
        let mut kept = Kept {
            uses: FxHashMap::default(),
            nodes: FxHashSet::default(),
            equations: FxHashSet::default(),
        };
        for (index, equation) in model.equations.iter().enumerate() {
            if mutable(ElementId(index as u32)) {
                continue;
            }
            kept.add(&equation.tree);
            if equation.origin.category.is_definition() {
                kept.equations.extend(equation.origin.span());
            }
        }
        model.goals.iter().for_each(|goal| kept.add(&goal.tree));
        kept
    }

    fn add(&mut self, tree: &Expr) {
        let mut defined = FxHashSet::default();
        let nodes = tree.nodes();
        for node in &nodes {
            let (Operator::Named(_), [definition]) = (node.operator(), node.args()) else {
                continue;
            };
            for inner in definition.nodes() {
                defined.insert(inner.id());
                let uses = self.uses.entry(inner.id()).or_default();
                uses.extend(node.origin().span());
            }
        }
        let ids = nodes.iter().map(|node| node.id());
        self.nodes.extend(ids.filter(|id| !defined.contains(id)));
    }

    /// The uses of constants that keep their value when a node changes in these elements; nothing
    /// when it cannot change in them alone.
    pub fn of_node(&self, id: NodeId, elements: &[ElementId], model: &Model) -> Option<Vec<Span>> {
        if self.nodes.contains(&id) {
            return None;
        }
        let Some(uses) = self.uses.get(&id) else {
            return Some(Vec::new());
        };
        // A use within another definition is both, and the source has two of that.
        let changes = |node: &&Expr| {
            let is_use = matches!(node.operator(), Operator::Named(_));
            is_use
                && node
                    .origin()
                    .span()
                    .is_some_and(|span| uses.contains(&span))
        };
        for element in elements {
            let nodes = model.equations[element.index()].tree.nodes();
            let mut outer: FxHashSet<NodeId> = FxHashSet::default();
            for node in nodes
                .iter()
                .filter(|node| matches!(node.operator(), Operator::Named(_)))
            {
                outer.extend(node.args()[0].nodes().iter().map(|inner| inner.id()));
            }
            let mut uses = nodes.into_iter().filter(changes);
            if uses.any(|node| !outer.contains(&node.id())) {
                return None;
            }
        }
        let mut uses: Vec<Span> = uses.iter().copied().collect();
        uses.sort_unstable();
        Some(uses)
    }

    /// The same for all scalars of an equation.
    pub fn of_equation(&self, span: Span) -> Option<Vec<Span>> {
        (!self.equations.contains(&span)).then(Vec::new)
    }
}
