//! What could be said of a model: candidates for properties, from templates over its text.
//!
//! The text of an observed variable is split into cases: `b = if c then x else y` says `c => b = x`
//! and `not c => b = y`; a disjunction among the conditions is split once more, and sides of an
//! arrow hold at the first step and later. Definitions of what is not observed are written out, so
//! that a candidate talks about inputs and observed variables as far as it can: a property that
//! repeats an internal variable would change with the fault that it should notice. Then there are
//! comparisons of pairs and with the constants of the text. The whole definition is the last resort:
//! it closes every gap, but it repeats the model.
//!
//! Most candidates are false; nothing here proves anything.

use proofmark_model::{
    Expr, Model, NodeIds, Operator, Origin, Reading, Role, Sort, Symbol, Value, When,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many candidates there are at most.
const MOST: usize = 400;
/// Larger expressions are no suggestions.
const LARGEST: usize = 60;
/// Conditions that have more alternatives are not split.
const WIDEST: usize = 8;
/// How often definitions are written out.
const ROUNDS: usize = 6;
/// How many definitions are looked at to find out whether one leads back to itself.
const LOOK: usize = 2_000;

/// Candidates, each once, the smallest first.
pub(crate) struct Candidates {
    pub trees: Vec<Expr>,
    /// From here on they repeat whole definitions.
    pub repeat_from: usize,
}

/// The candidates for these observed variables.
pub(crate) fn candidates(model: &Model, observed: &[Symbol]) -> Candidates {
    let mut definitions = FxHashMap::default();
    for equation in &model.equations {
        // What is related to itself is not written out.
        let is_definition = equation.reading == Reading::Definition;
        if let (Some(target), When::Always, true) = (equation.target, equation.when, is_definition)
        {
            definitions.insert(target, equation.tree.clone());
        }
    }
    let inputs = model.variables.iter().filter(|one| one.role == Role::Input);
    let mut visible: FxHashSet<Symbol> = inputs.map(|one| one.name).collect();
    visible.extend(observed);
    let mut writer = Writer {
        model,
        ids: model.node_ids.clone(),
        definitions,
        visible,
        recursive: FxHashMap::default(),
        aliases: FxHashMap::default(),
        found: Vec::new(),
        repeated: Vec::new(),
    };
    // All of them first: one may read what another copies.
    let trees: Vec<Option<Expr>> = observed
        .iter()
        .map(|name| writer.definition_of(*name))
        .collect();
    for (name, tree) in observed.iter().zip(trees) {
        if let Some(tree) = tree {
            writer.cases_of(*name, tree);
        }
        writer.comparisons_of(*name);
    }
    let Writer {
        found: mut trees,
        mut repeated,
        ..
    } = writer;
    let mut seen: FxHashSet<Vec<Operator>> = repeated.iter().map(spelled).collect();
    trees.sort_by_key(size);
    trees.retain(|one| seen.insert(spelled(one)));
    trees.truncate(MOST);
    repeated.truncate(MOST);
    let repeat_from = trees.len();
    trees.append(&mut repeated);
    Candidates { trees, repeat_from }
}

/// The number of nodes of a tree, not counted further than matters.
fn size(tree: &Expr) -> usize {
    let mut count = 0;
    let mut stack = vec![tree];
    while let Some(node) = stack.pop() {
        count += 1;
        if count > 4 * LARGEST {
            break;
        }
        stack.extend(node.args());
    }
    count
}

/// The operators of a tree in order, which tells trees apart.
fn spelled(tree: &Expr) -> Vec<Operator> {
    let mut operators = Vec::new();
    let mut stack = vec![tree];
    while let Some(node) = stack.pop() {
        operators.push(node.operator().clone());
        stack.extend(node.args());
    }
    operators
}

/// A branch of a definition.
struct DefinitionBranch {
    conditions: Vec<(Expr, bool)>,
    value: Expr,
}

/// At which steps something is said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Always,
    First,
    Later,
}

struct Writer<'m> {
    model: &'m Model,
    ids: NodeIds,
    definitions: FxHashMap<Symbol, Expr>,
    visible: FxHashSet<Symbol>,
    recursive: FxHashMap<Symbol, bool>,
    /// What stands for a variable that an observed one copies.
    aliases: FxHashMap<Symbol, Expr>,
    found: Vec<Expr>,
    repeated: Vec<Expr>,
}

impl Writer<'_> {
    /// Nothing when the sorts do not fit.
    fn make(&mut self, operator: Operator, args: Vec<Expr>) -> Option<Expr> {
        Expr::new(self.ids.fresh(), operator, args, Origin::generated()).ok()
    }

    fn truth(&mut self, value: bool) -> Expr {
        Expr::constant(self.ids.fresh(), Value::Bool(value), Origin::generated())
    }

    fn variable(&mut self, name: Symbol) -> Option<Expr> {
        let variable = self.model.variables.iter().find(|one| one.name == name)?;
        let (id, sort) = (self.ids.fresh(), variable.sort());
        Some(Expr::variable(id, name.as_str(), sort, Origin::generated()))
    }

    /// Keeps a candidate that can be written in the main node.
    fn keep(&mut self, candidate: Option<Expr>, at: At) -> Option<()> {
        let mut candidate = candidate?;
        if at != At::Always {
            let yes = self.truth(true);
            let sides = match at {
                At::First => vec![candidate, yes],
                _ => vec![yes, candidate],
            };
            candidate = self.make(Operator::Arrow, sides)?;
        }
        let writable = |node: &&Expr| match node.operator() {
            Operator::Variable(name) => !name.as_str().contains(['~', '@', '%']),
            _ => true,
        };
        if size(&candidate) <= LARGEST && candidate.nodes().iter().all(writable) {
            self.found.push(candidate);
        }
        Some(())
    }

    /// What a definition says, written out and as it stands.
    fn cases_of(&mut self, name: Symbol, tree: Expr) {
        let written = self.written_out(&tree);
        for tree in [written, tree] {
            let before = self.found.len();
            let whole = self.says(name, &tree);
            self.keep(whole, At::Always);
            self.repeated.append(&mut self.found.split_off(before));
            self.cases_in(name, tree);
        }
    }

    /// The definition of an observed variable. What it only copies, as the output of a call, is
    /// known by its name from then on.
    fn definition_of(&mut self, name: Symbol) -> Option<Expr> {
        let mut tree = self.definitions.get(&name)?.clone();
        for _ in 0..ROUNDS {
            let Operator::Variable(copied) = *tree.operator() else {
                break;
            };
            if self.visible.contains(&copied) || self.aliases.contains_key(&copied) {
                break;
            }
            let Some(next) = self.definitions.get(&copied).cloned() else {
                break;
            };
            let own = self.variable(name)?;
            self.aliases.insert(copied, own);
            tree = next;
        }
        Some(tree)
    }

    /// What the branches of a definition say.
    fn cases_in(&mut self, name: Symbol, tree: Expr) {
        let parts = match (tree.operator(), tree.args()) {
            (Operator::Arrow, [first, later]) => {
                vec![(first.clone(), At::First), (later.clone(), At::Later)]
            }
            _ => vec![(tree, At::Always)],
        };
        for (part, at) in parts {
            let cases = branches(&part);
            let mut values = Vec::new();
            for case in &cases {
                self.case(name, case, at);
                values.extend(self.says(name, &case.value));
            }
            if cases.len() > 1 {
                let any = self.joined(Operator::Or, values);
                self.keep(any, at);
            }
        }
    }

    /// `condition => name = value`, for the whole condition and for each alternative in it.
    fn case(&mut self, name: Symbol, case: &DefinitionBranch, at: At) -> Option<()> {
        let says = self.says(name, &case.value)?;
        let mut alternatives = vec![Vec::new()];
        for (condition, wanted) in &case.conditions {
            let split = self.alternatives(condition, *wanted, WIDEST)?;
            alternatives = product(&alternatives, &split)?;
        }
        let mut wholes = Vec::new();
        for literals in alternatives {
            let mut guard = self.joined(Operator::And, literals);
            if let Some(guard) = guard.take() {
                wholes.push(guard.clone());
                let implied = self.make(Operator::Implies, vec![guard, says.clone()]);
                self.keep(implied, at);
            } else {
                self.keep(Some(says.clone()), at);
            }
        }
        if wholes.len() > 1 {
            let guard = self.joined(Operator::Or, wholes)?;
            let implied = self.make(Operator::Implies, vec![guard, says]);
            self.keep(implied, at);
        }
        Some(())
    }

    /// `name = value`, or `name` and `not name` for the Boolean constants.
    fn says(&mut self, name: Symbol, value: &Expr) -> Option<Expr> {
        let variable = self.variable(name)?;
        match value.operator() {
            Operator::Constant(Value::Bool(true)) => Some(variable),
            Operator::Constant(Value::Bool(false)) => self.make(Operator::Not, vec![variable]),
            _ => self.make(Operator::Equal, vec![variable, value.clone()]),
        }
    }

    /// Joins with a connective; nothing when there is nothing to join.
    fn joined(&mut self, operator: Operator, parts: Vec<Expr>) -> Option<Expr> {
        let mut parts = parts.into_iter();
        let mut all = parts.next()?;
        for part in parts {
            all = self.make(operator.clone(), vec![all, part])?;
        }
        Some(all)
    }

    /// A condition as alternatives of literals, no deeper than `depth` connectives.
    fn alternatives(&mut self, tree: &Expr, wanted: bool, depth: usize) -> Option<Vec<Vec<Expr>>> {
        let connective = match (tree.operator(), wanted) {
            _ if depth == 0 => None,
            (Operator::And, wanted) => Some((wanted, wanted, wanted)),
            (Operator::Or, wanted) => Some((!wanted, wanted, wanted)),
            (Operator::Implies, wanted) => Some((!wanted, !wanted, wanted)),
            _ => None,
        };
        match (tree.operator(), tree.args(), connective) {
            (Operator::Not, [inner], _) if depth > 0 => {
                self.alternatives(inner, !wanted, depth - 1)
            }
            (_, [left, right], Some((both, left_wanted, right_wanted))) => {
                let left = self.alternatives(left, left_wanted, depth - 1)?;
                let right = self.alternatives(right, right_wanted, depth - 1)?;
                match both {
                    true => product(&left, &right),
                    false => Some([left, right].concat()).filter(|all| all.len() <= WIDEST),
                }
            }
            _ => Some(vec![vec![self.literal(tree, wanted)?]]),
        }
    }

    /// A condition or its negation, as people write it.
    fn literal(&mut self, tree: &Expr, wanted: bool) -> Option<Expr> {
        if wanted {
            return Some(tree.clone());
        }
        let opposite = match tree.operator() {
            Operator::Less => Operator::GreaterEqual,
            Operator::LessEqual => Operator::Greater,
            Operator::Greater => Operator::LessEqual,
            Operator::GreaterEqual => Operator::Less,
            Operator::Equal => Operator::Different,
            Operator::Different => Operator::Equal,
            _ => return self.make(Operator::Not, vec![tree.clone()]),
        };
        self.make(opposite, tree.args().to_vec())
    }

    /// Comparisons of an observed variable with others and with the constants of the text.
    fn comparisons_of(&mut self, name: Symbol) -> Option<()> {
        let variable = self.variable(name)?;
        let sort = variable.sort();
        let mut others: Vec<Expr> = Vec::new();
        for other in self.model.variables.iter().map(|one| one.name) {
            if self.visible.contains(&other) && other != name {
                others.extend(self.variable(other).filter(|one| one.sort() == sort));
            }
        }
        others.truncate(WIDEST);
        others.extend(self.constants(sort));
        let relations = match sort {
            Sort::Bool => vec![Operator::Implies, Operator::Equal],
            Sort::Int | Sort::Real => vec![
                Operator::Equal,
                Operator::LessEqual,
                Operator::GreaterEqual,
                Operator::Different,
            ],
            _ => vec![Operator::Equal, Operator::Different],
        };
        for other in others {
            for relation in &relations {
                let says = self.make(relation.clone(), vec![variable.clone(), other.clone()]);
                self.keep(says, At::Always);
            }
        }
        Some(())
    }

    /// A few constants of the text, by their first uses.
    fn constants(&self, sort: Sort) -> Vec<Expr> {
        let mut constants: Vec<Expr> = Vec::new();
        for equation in &self.model.equations {
            for node in equation.tree.nodes() {
                let known = |one: &Expr| one.operator() == node.operator();
                if matches!(node.operator(), Operator::Constant(_))
                    && node.sort() == sort
                    && sort != Sort::Bool
                    && !constants.iter().any(known)
                {
                    constants.push(node.clone());
                }
                if constants.len() == WIDEST {
                    return constants;
                }
            }
        }
        constants
    }

    /// Replaces what is not visible by its definition, where that leads to an end.
    fn written_out(&mut self, tree: &Expr) -> Expr {
        let mut tree = tree.clone();
        for _ in 0..ROUNDS {
            let mut bindings = FxHashMap::default();
            for node in tree.nodes() {
                let Operator::Variable(name) = node.operator() else {
                    continue;
                };
                if let Some(own) = self.aliases.get(name) {
                    bindings.insert(*name, own.clone());
                } else if !self.visible.contains(name)
                    && !self.leads_back(*name)
                    && let Some(definition) = self.definitions.get(name)
                {
                    bindings.insert(*name, definition.clone());
                }
            }
            if bindings.is_empty() {
                break;
            }
            let path = proofmark_model::InstancePath::default();
            match tree.instantiate(&path, &bindings) {
                Ok(larger) if size(&larger) <= 4 * LARGEST => tree = larger,
                _ => break,
            }
        }
        tree
    }

    /// Whether a variable depends on itself, by way of earlier steps and not of what is visible.
    fn leads_back(&mut self, name: Symbol) -> bool {
        if let Some(known) = self.recursive.get(&name) {
            return *known;
        }
        let mut seen = FxHashSet::default();
        let mut stack = vec![name];
        let mut back = false;
        while let Some(next) = stack.pop()
            && !back
        {
            let Some(tree) = self.definitions.get(&next) else {
                continue;
            };
            for node in tree.nodes() {
                if let Operator::Variable(read) = node.operator()
                    && !self.visible.contains(read)
                    && !self.aliases.contains_key(read)
                {
                    back |= *read == name || seen.len() > LOOK;
                    if seen.insert(*read) {
                        stack.push(*read);
                    }
                }
            }
        }
        self.recursive.insert(name, back);
        back
    }
}

/// Every choice of one alternative from each side.
fn product(left: &[Vec<Expr>], right: &[Vec<Expr>]) -> Option<Vec<Vec<Expr>>> {
    if left.len() * right.len() > WIDEST {
        return None;
    }
    let pairs = left
        .iter()
        .flat_map(|one| right.iter().map(move |other| (one, other)));
    Some(
        pairs
            .map(|(one, other)| [&one[..], &other[..]].concat())
            .collect(),
    )
}

/// The branches of conditionals at the top of a tree.
fn branches(tree: &Expr) -> Vec<DefinitionBranch> {
    let mut cases = Vec::new();
    let mut stack = vec![(tree.clone(), Vec::new())];
    while let Some((tree, conditions)) = stack.pop() {
        match (tree.operator(), tree.args()) {
            (Operator::IfThenElse, [condition, yes, no]) if cases.len() < WIDEST => {
                for (side, wanted) in [(no, false), (yes, true)] {
                    let mut conditions: Vec<(Expr, bool)> = conditions.clone();
                    conditions.push((condition.clone(), wanted));
                    stack.push((side.clone(), conditions));
                }
            }
            _ => cases.push(DefinitionBranch {
                conditions,
                value: tree.clone(),
            }),
        }
    }
    cases
}
