//! What the rules of the registry make of a tree.
//!
//! A rule sees one instance of a place at a time and has to yield the same for all of them; what
//! differs between instances are names, and [`NodeMaker`] knows which variables correspond.

use crate::mutate::generate::mutators::Rule;
use proofmark_model::{
    Expr, InstancePath, Location, Model, NodeId, NodeIds, Operator, Rewrite, Sort, Symbol, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A use of a variable is exchanged for so many others.
const EXCHANGES: usize = 2;

/// A variable as it was declared, with its scalars.
struct Declared {
    path: InstancePath,
    location: Option<Location>,
    scalars: Vec<(Symbol, Sort)>,
    /// A property is not offered in exchange.
    is_goal: bool,
}

/// Makes new nodes, and knows the variables among which they stand.
pub(crate) struct NodeMaker {
    ids: NodeIds,
    declared: Vec<Declared>,
    /// Where a scalar is: its variable and its position in it.
    places: FxHashMap<Symbol, (usize, usize)>,
    /// For which others a variable is exchanged.
    neighbours: Vec<Vec<usize>>,
    /// Expressions that choose an element of an array.
    indices: FxHashSet<NodeId>,
}

impl NodeMaker {
    pub fn new(model: &Model) -> NodeMaker {
        let mut maker = NodeMaker {
            ids: model.node_ids.clone(),
            declared: Vec::new(),
            places: FxHashMap::default(),
            neighbours: Vec::new(),
            indices: indices(model),
        };
        let goals = model.goals.iter().filter_map(|goal| name(&goal.tree));
        let goals: FxHashSet<Symbol> = goals.collect();
        for variable in &model.variables {
            let origin = &variable.origin;
            if !origin.is_source() {
                continue;
            }
            let last = maker.declared.last();
            if last
                .is_none_or(|last| (&last.path, last.location) != (&origin.path, origin.location))
            {
                maker.declared.push(Declared {
                    path: origin.path.clone(),
                    location: origin.location,
                    scalars: Vec::new(),
                    is_goal: false,
                });
            }
            let at = maker.declared.len() - 1;
            let declared = &mut maker.declared[at];
            let position = declared.scalars.len();
            declared.scalars.push((variable.name, variable.sort()));
            declared.is_goal |= goals.contains(&variable.name);
            maker.places.insert(variable.name, (at, position));
        }
        maker.neighbours = neighbours(&maker.declared);
        maker
    }

    /// What a rule makes of an expression; nothing when it does not match or has no such variant.
    pub fn apply(&mut self, rule: &Rule, node: &Expr, variant: usize) -> Option<Expr> {
        let args = node.args();
        match (rule, node.operator()) {
            (Rule::Literal(value), Operator::Constant(was)) => {
                let value = value(was, variant)?;
                Some(self.constant(node, value))
            }
            (Rule::Exchange, Operator::Variable(name)) => {
                let name = self.neighbour(*name, variant)?;
                Some(self.variable(node, name))
            }
            _ if variant > 0 => None,
            (Rule::Operator(pairs), operator) => {
                let pairs = pairs.iter().filter(|(from, _)| from == operator);
                let mut made = pairs.filter_map(|(_, to)| self.operation(node, to));
                made.next()
            }
            (Rule::Argument(of, at), operator) if of == operator => args.get(*at).cloned(),
            (Rule::Condition(value), Operator::IfThenElse) => {
                let value = self.constant(&args[0], Value::Bool(*value));
                self.over(node, vec![value, args[1].clone(), args[2].clone()])
            }
            (Rule::Branches, Operator::IfThenElse) => {
                let args = vec![args[0].clone(), args[2].clone(), args[1].clone()];
                self.over(node, args)
            }
            (Rule::Stuck(_), Operator::Constant(_) | Operator::Named(_)) => None,
            (Rule::Stuck(value), _) if node.sort() == Sort::Bool => {
                Some(self.constant(node, Value::Bool(*value)))
            }
            (Rule::Delay, Operator::Variable(_)) => {
                let before = self.make(node, Operator::Pre, vec![node.clone()])?;
                self.make(node, Operator::Arrow, vec![node.clone(), before])
            }
            (Rule::Index(by), operator) => self.index(node, operator, *by),
            _ => None,
        }
    }

    /// What a rule makes of the right side of an equation.
    pub fn apply_to_equation(&mut self, rule: &Rule, tree: &Expr) -> Option<Expr> {
        match rule {
            Rule::Equal(value) => Some(self.constant(tree, value(tree.sort())?)),
            Rule::Unassume => Some(self.constant(tree, Value::Bool(true))),
            Rule::Init(value) => {
                let value = self.constant(tree, value(tree.sort())?);
                self.make(tree, Operator::Arrow, vec![value, tree.clone()])
            }
            _ => None,
        }
    }

    /// What a rule made of an expression or an equation, in words that a language can write.
    pub fn describe(
        &self,
        rule: &Rule,
        before: &Expr,
        after: &Expr,
        variant: usize,
    ) -> Option<Rewrite> {
        let constant = |tree: &Expr| match tree.operator() {
            Operator::Constant(value) => Some(value.clone()),
            _ => None,
        };
        Some(match rule {
            Rule::Operator(_) => Rewrite::Operator(after.operator().clone()),
            Rule::Argument(_, at) => Rewrite::Argument(*at),
            Rule::Condition(value) => Rewrite::Condition(*value),
            Rule::Branches => Rewrite::Branches,
            Rule::Literal(_) | Rule::Stuck(_) => Rewrite::Constant(constant(after)?),
            Rule::Delay => Rewrite::Delay,
            Rule::Exchange => {
                let &(at, _) = self.places.get(&name(before)?)?;
                let other = *self.neighbours[at].get(variant)?;
                Rewrite::Variable(self.declared[other].location?.span()?)
            }
            Rule::Index(by) => Rewrite::Index(*by),
            Rule::Equal(_) | Rule::Unassume => Rewrite::Equal(constant(after)?),
            Rule::Init(_) => Rewrite::Init(constant(after.args().first()?)?),
            Rule::Remove => Rewrite::Remove,
        })
    }

    fn make(&mut self, place: &Expr, operator: Operator, args: Vec<Expr>) -> Option<Expr> {
        let id = self.ids.fresh();
        Expr::new(id, operator, args, place.origin().clone()).ok()
    }

    /// The same operation over other arguments, as a node of its own.
    fn over(&mut self, node: &Expr, args: Vec<Expr>) -> Option<Expr> {
        self.make(node, node.operator().clone(), args)
    }

    fn constant(&mut self, place: &Expr, value: Value) -> Expr {
        Expr::constant(self.ids.fresh(), value, place.origin().clone())
    }

    fn variable(&mut self, place: &Expr, name: Symbol) -> Expr {
        let id = self.ids.fresh();
        Expr::variable(id, name.as_str(), place.sort(), place.origin().clone())
    }

    /// Another operator over the same arguments. A division is made only by a constant: few solvers
    /// can do with others.
    fn operation(&mut self, node: &Expr, to: &Operator) -> Option<Expr> {
        let divides = matches!(to, Operator::Divide | Operator::IntDivide);
        let divisor = node.args().last()?.operator();
        if divides && !matches!(divisor, Operator::Constant(_) | Operator::Named(_)) {
            return None;
        }
        self.make(node, to.clone(), node.args().to_vec())
    }

    /// The scalar of another variable with the same sorts in the same instance, the nearest in the
    /// order of declaration first.
    fn neighbour(&self, name: Symbol, variant: usize) -> Option<Symbol> {
        let &(at, position) = self.places.get(&name)?;
        let other = *self.neighbours[at].get(variant)?;
        Some(self.declared[other].scalars[position].0)
    }

    /// Another element of an array: of a constant index by the name of the scalar, of any other by
    /// arithmetic.
    fn index(&mut self, node: &Expr, operator: &Operator, by: i64) -> Option<Expr> {
        if self.indices.contains(&node.id()) && node.sort() == Sort::Int {
            let (operator, by) = match by < 0 {
                true => (Operator::Minus, -by),
                false => (Operator::Plus, by),
            };
            let by = self.constant(node, Value::Int(by.into()));
            return self.make(node, operator, vec![node.clone(), by]);
        }
        let Operator::Variable(name) = operator else {
            return None;
        };
        let other = moved(name.as_str(), by)?;
        let &(at, _) = self.places.get(name)?;
        let mut scalars = self.declared[at].scalars.iter();
        let (other, _) =
            scalars.find(|(known, sort)| known.as_str() == other && *sort == node.sort())?;
        Some(self.variable(node, *other))
    }

    /// Whether a place reads exactly one scalar of a variable in each instance, so that it has an
    /// index of its own.
    pub fn reads_one(&self, scalars: &FxHashSet<Symbol>) -> bool {
        let mut seen = FxHashSet::default();
        let variables = scalars.iter().filter_map(|name| self.places.get(name));
        variables.into_iter().all(|(at, _)| seen.insert(*at))
    }
}

/// The nearest variables with the same sorts in the same instance, a later one before an earlier one.
fn neighbours(declared: &[Declared]) -> Vec<Vec<usize>> {
    let mut alike: FxHashMap<(&InstancePath, Vec<Sort>), Vec<usize>> = FxHashMap::default();
    for (at, one) in declared.iter().enumerate() {
        let sorts = one.scalars.iter().map(|(_, sort)| *sort).collect();
        alike.entry((&one.path, sorts)).or_default().push(at);
    }
    let mut neighbours = vec![Vec::new(); declared.len()];
    for group in alike.values() {
        let offered = group.iter().filter(|at| !declared[**at].is_goal);
        let offered: Vec<usize> = offered.copied().collect();
        for at in group {
            let here = offered.partition_point(|other| other < at);
            let from = here.saturating_sub(EXCHANGES);
            let to = offered.len().min(here + EXCHANGES + 1);
            let mut near = offered[from..to].to_vec();
            near.retain(|other| other != at);
            near.sort_by_key(|other| (other.abs_diff(*at), *other < *at));
            near.truncate(EXCHANGES);
            neighbours[*at] = near;
        }
    }
    neighbours
}

/// The name of a scalar with its last index moved: `v[1].f` to `v[2].f`.
fn moved(name: &str, by: i64) -> Option<String> {
    let open = name.rfind('[')?;
    let close = open + name[open..].find(']')?;
    let index: i64 = name[open + 1..close].parse().ok()?;
    let index = index.checked_add(by)?;
    Some(format!("{}[{index}]{}", &name[..open], &name[close + 1..]))
}

/// A front end compares an index that is not constant with each number in turn; nothing else that
/// is generated compares an expression with a generated number.
fn indices(model: &Model) -> FxHashSet<NodeId> {
    let nodes = model.equations.iter().flat_map(|one| one.tree.nodes());
    let comparisons = nodes
        .filter(|node| *node.operator() == Operator::Equal && !node.origin().is_source())
        .filter_map(|node| match node.args() {
            [index, number] => Some((index, number)),
            _ => None,
        });
    comparisons
        .filter(|(index, number)| {
            let literal = matches!(number.operator(), Operator::Constant(_));
            literal && !number.origin().is_source() && index.origin().is_source()
        })
        .map(|(index, _)| index.id())
        .collect()
}

/// The name of a variable.
pub(crate) fn name(expr: &Expr) -> Option<Symbol> {
    match expr.operator() {
        Operator::Variable(name) => Some(*name),
        _ => None,
    }
}
