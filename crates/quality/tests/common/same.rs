//! Whether two models say the same, up to the names of what a user did not declare in the main node.
//!
//! Variables are paired from the main node's declarations down: two are a pair when what defines
//! them is the same tree over pairs, or when both are free. What only names another variable, as the
//! argument of a call does, is looked through. Where trees differ, both models are run on the same
//! random inputs.

use proofmark_lang::random::Dice;
use proofmark_model::{
    Expr, Lowered, Model, Operator, Program, Role, Sort, Symbol, System, Trace, Value, lower,
};
use std::collections::{HashMap, HashSet};

/// How two models were found to be the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Same {
    Trees,
    Runs,
}

pub fn same(wanted: &Model, found: &Model) -> Result<Same, String> {
    match trees(wanted, found) {
        Ok(()) => Ok(Same::Trees),
        Err(trees) => match runs(wanted, found) {
            Ok(()) => Ok(Same::Runs),
            Err(runs) => Err(format!("trees: {trees}; runs: {runs}")),
        },
    }
}

/// One of the two models.
struct Side<'m> {
    model: &'m Model,
    definitions: HashMap<Symbol, &'m Expr>,
    roles: HashMap<Symbol, Role>,
}

impl<'m> Side<'m> {
    fn new(model: &'m Model) -> Side<'m> {
        let equations = model.equations.iter();
        let definitions = equations.filter_map(|one| Some((one.target?, &one.tree)));
        let roles = model.variables.iter().map(|one| (one.name, one.role));
        Side {
            model,
            definitions: definitions.collect(),
            roles: roles.collect(),
        }
    }

    /// Looks through names of constants and of other variables.
    fn seen(&self, mut tree: &'m Expr) -> &'m Expr {
        loop {
            tree = match (tree.operator(), tree.args()) {
                (Operator::Named(_), [definition]) => definition,
                (Operator::Variable(name), _) => match self.definitions.get(name) {
                    Some(definition) if is_name(definition) => definition,
                    _ => return tree,
                },
                _ => return tree,
            };
        }
    }

    fn constraints(&self) -> Vec<&'m Expr> {
        let constraints = self.model.equations.iter();
        let constraints = constraints.filter(|one| one.target.is_none());
        constraints.map(|one| &one.tree).collect()
    }
}

fn is_name(tree: &Expr) -> bool {
    match (tree.operator(), tree.args()) {
        (Operator::Variable(_), _) => true,
        (Operator::Named(_), [definition]) => is_name(definition),
        _ => number(tree).is_some(),
    }
}

#[derive(Clone, Default)]
struct Pairs {
    there: HashMap<Symbol, Symbol>,
    back: HashMap<Symbol, Symbol>,
    /// Trees that are the same, by where their arguments lie.
    done: HashSet<(*const Expr, *const Expr)>,
}

struct Comparison<'m> {
    wanted: Side<'m>,
    found: Side<'m>,
    pairs: Pairs,
}

fn trees(wanted: &Model, found: &Model) -> Result<(), String> {
    let mut comparison = Comparison {
        wanted: Side::new(wanted),
        found: Side::new(found),
        pairs: Pairs::default(),
    };
    let declared = wanted.variables.iter();
    let declared = declared.filter(|one| one.origin.path.is_root() && one.origin.is_source());
    for variable in declared {
        let (name, sort) = (variable.name, variable.sort());
        let read = Expr::variable(
            wanted.node_ids.clone().fresh(),
            name.as_str(),
            sort,
            variable.origin.clone(),
        );
        let other = found.variables.iter().find(|one| one.name == name);
        if other.is_none_or(|other| other.sort() != sort || other.role != variable.role) {
            return Err(format!("`{name}` is not declared so"));
        }
        // Both sides read the variable by the same tree, which has to outlive the comparison.
        let read: &Expr = Box::leak(Box::new(read));
        comparison
            .tree(read, read)
            .map_err(|error| format!("`{name}`: {error}"))?;
    }
    let (wanted, found) = (
        comparison.wanted.constraints(),
        comparison.found.constraints(),
    );
    comparison.all("constraint", wanted, found)?;
    let goals = |side: &Side<'_>| side.model.goals.len();
    if goals(&comparison.wanted) != goals(&comparison.found) {
        return Err("other properties".into());
    }
    let wanted = comparison.wanted.model.goals.iter().map(|goal| &goal.tree);
    let found = comparison.found.model.goals.iter().map(|goal| &goal.tree);
    let (wanted, found) = (wanted.collect(), found.collect());
    comparison.all("property", wanted, found)
}

impl<'m> Comparison<'m> {
    /// Pairs trees in any order.
    fn all(
        &mut self,
        what: &str,
        wanted: Vec<&'m Expr>,
        mut found: Vec<&'m Expr>,
    ) -> Result<(), String> {
        if wanted.len() != found.len() {
            return Err(format!("{} {what}s, not {}", found.len(), wanted.len()));
        }
        for tree in wanted {
            let mut last = String::new();
            let position = (0..found.len()).find(|at| {
                let before = self.pairs.clone();
                match self.tree(tree, found[*at]) {
                    Ok(()) => true,
                    Err(error) => {
                        last = error;
                        self.pairs = before;
                        false
                    }
                }
            });
            let position = position.ok_or_else(|| format!("no such {what}: {tree:?}: {last}"))?;
            found.remove(position);
        }
        Ok(())
    }

    fn tree(&mut self, wanted: &'m Expr, found: &'m Expr) -> Result<(), String> {
        let mut stack = vec![(wanted, found)];
        while let Some((wanted, found)) = stack.pop() {
            let (wanted, found) = (self.wanted.seen(wanted), self.found.seen(found));
            if let (Some(a), Some(b)) = (number(wanted), number(found)) {
                if a != b {
                    return Err(format!("{b}, not {a}"));
                }
                continue;
            }
            match (wanted.operator(), found.operator()) {
                (Operator::Variable(a), Operator::Variable(b)) => {
                    stack.extend(self.pair(*a, *b)?);
                }
                (a, b) if a == b && wanted.args().len() == found.args().len() => {
                    let (a, b) = (wanted.args(), found.args());
                    if a.is_empty() || self.pairs.done.insert((a.as_ptr(), b.as_ptr())) {
                        stack.extend(a.iter().zip(b));
                    }
                }
                _ => return Err(format!("{found:?}, not {wanted:?}")),
            }
        }
        Ok(())
    }

    /// Makes two variables a pair; returns what then has to be the same.
    fn pair(&mut self, a: Symbol, b: Symbol) -> Result<Option<(&'m Expr, &'m Expr)>, String> {
        match (self.pairs.there.get(&a), self.pairs.back.get(&b)) {
            (Some(there), Some(back)) if *there == b && *back == a => return Ok(None),
            (None, None) => {}
            _ => return Err(format!("`{a}` and `{b}` have other partners")),
        }
        self.pairs.there.insert(a, b);
        self.pairs.back.insert(b, a);
        let definitions = (
            self.wanted.definitions.get(&a),
            self.found.definitions.get(&b),
        );
        match definitions {
            (Some(a), Some(b)) => Ok(Some((a, b))),
            (None, None) => {
                // What was removed is another input.
                let is_input = self.wanted.roles.get(&a) == Some(&Role::Input);
                match is_input && a != b {
                    true => Err(format!("`{b}` is free, not `{a}`")),
                    false => Ok(None),
                }
            }
            _ => Err(format!("one of `{a}` and `{b}` is free")),
        }
    }
}

/// A number with its sign.
fn number(tree: &Expr) -> Option<Value> {
    match (tree.operator(), tree.args()) {
        (Operator::Constant(value), _) => Some(value.clone()),
        (Operator::Negate, [operand]) => match number(operand)? {
            Value::Int(number) => Some(Value::Int(-&number)),
            Value::Real(number) => Some(Value::Real(-&number)),
            _ => None,
        },
        _ => None,
    }
}

const STEPS: usize = 8;
const RUNS: usize = 40;

fn runs(wanted: &Model, found: &Model) -> Result<(), String> {
    let lowered = |model: &Model| lower(model).map_err(|errors| format!("{errors:?}"));
    let (a, b): (Lowered, Lowered) = (lowered(wanted)?, lowered(found)?);
    let (a, b) = (a.system, b.system);
    let compiled = |system: &System| Program::compile(system).map_err(|error| error.to_string());
    let (first, second) = (compiled(&a)?, compiled(&b)?);
    let inputs = |system: &System| {
        let variables = system.variables().iter();
        let inputs = variables.filter(|one| one.role == Role::Input);
        let mut names: Vec<(String, Sort)> = inputs
            .map(|one| (one.name.to_string(), one.sort()))
            .collect();
        names.sort_by(|a, b| a.0.cmp(&b.0));
        names
    };
    if inputs(&a) != inputs(&b) {
        return Err("other inputs".into());
    }
    let observed: Vec<_> = wanted
        .variables
        .iter()
        .filter(|one| one.origin.path.is_root() && one.origin.is_source())
        .map(|one| one.current)
        .collect();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    for _ in 0..RUNS {
        let columns: Vec<_> = a
            .variables()
            .iter()
            .filter(|one| one.role == Role::Input)
            .map(|one| one.current)
            .collect();
        let mut given = Trace::new(columns.clone());
        for _ in 0..STEPS {
            let row = columns.iter().map(|one| dice.value(one.sort())).collect();
            given.push(row).map_err(|error| error.to_string())?;
        }
        let (one, judged) = first.machine().run(&given);
        let (other, judged_other) = second.machine().run(&given);
        if judged.broken_at() != judged_other.broken_at() {
            return Err("assumptions accept other runs".into());
        }
        let refuted: Vec<_> = (0..a.properties().len())
            .map(|at| judged.refuted_at(at))
            .collect();
        let mut others: Vec<_> = (0..b.properties().len())
            .map(|at| judged_other.refuted_at(at))
            .collect();
        for at in refuted {
            let position = others.iter().position(|other| *other == at);
            others.remove(position.ok_or("a property is refuted at another step")?);
        }
        for step in 0..STEPS {
            for variable in &observed {
                if one.value(*variable, step) != other.value(*variable, step) {
                    return Err(format!("{variable:?} differs at step {step}"));
                }
            }
        }
    }
    Ok(())
}
