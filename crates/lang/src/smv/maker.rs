//! Makes trees. A place in the text has one node id in all instances; what the text has no word for is
//! generated and serves the place.

use super::value::One;
use num_bigint::BigUint;
use proofmark_model::{
    BitVec, Category, EnumSort, Expr, InstancePath, NodeId, NodeIds, Operator, Origin, Rational,
    Sort, Value,
};
use proofmark_source::Span;
use rustc_hash::FxHashMap;

/// Where something stands: what tells the place from others, its span, and the instance.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub key: usize,
    pub span: Span,
    pub path: InstancePath,
}

/// Gives nodes their ids and origins.
#[derive(Default)]
pub(super) struct Maker {
    pub ids: NodeIds,
    places: FxHashMap<usize, NodeId>,
}

impl Maker {
    fn origin(place: &Place) -> Origin {
        Origin::new(place.span, Category::Expression).within(&place.path)
    }

    fn id(&mut self, place: &Place) -> NodeId {
        let ids = &mut self.ids;
        *self.places.entry(place.key).or_insert_with(|| ids.fresh())
    }

    /// The node that stands at a place. The sorts must fit.
    pub fn node(&mut self, place: &Place, operator: Operator, args: Vec<Expr>) -> Expr {
        let id = self.id(place);
        let made = Expr::new(id, operator, args, Maker::origin(place));
        made.unwrap_or_else(|error| unreachable!("sorts are checked before: {}", error.0))
    }

    /// A literal that stands at a place.
    pub fn literal(&mut self, place: &Place, value: Value) -> Expr {
        let id = self.id(place);
        Expr::constant(id, value, Maker::origin(place))
    }

    /// A variable that is read at a place.
    pub fn read(&mut self, place: &Place, name: &str, sort: Sort) -> Expr {
        let id = self.id(place);
        Expr::variable(id, name, sort, Maker::origin(place))
    }

    /// A node that serves the place of another.
    pub fn serve(&mut self, operator: Operator, args: Vec<Expr>) -> Expr {
        let origin = args
            .first()
            .map_or_else(Origin::generated, |arg| arg.origin().serving());
        let made = Expr::new(self.ids.fresh(), operator, args, origin);
        made.unwrap_or_else(|error| unreachable!("sorts are checked before: {}", error.0))
    }

    /// A generated constant.
    pub fn value(&mut self, value: Value) -> Expr {
        Expr::constant(self.ids.fresh(), value, Origin::generated())
    }

    /// A truth value.
    pub fn truth(&mut self, value: bool) -> Expr {
        self.value(Value::Bool(value))
    }

    /// A number.
    pub fn int(&mut self, value: i128) -> Expr {
        let number = Rational::from_big(value.into(), 1.into());
        self.value(Value::Int(number))
    }

    /// A word.
    pub fn bits(&mut self, width: u32, value: BigUint) -> Expr {
        self.value(Value::BitVec(BitVec::new(width, value)))
    }

    /// The negation.
    pub fn not(&mut self, a: &Expr) -> Expr {
        match truth(a) {
            Some(value) => self.truth(!value),
            None => self.serve(Operator::Not, vec![a.clone()]),
        }
    }

    /// The conjunction.
    pub fn and(&mut self, a: &Expr, b: &Expr) -> Expr {
        match (truth(a), truth(b)) {
            (Some(true), _) | (_, Some(false)) => b.clone(),
            (Some(false), _) | (_, Some(true)) => a.clone(),
            _ => self.serve(Operator::And, vec![a.clone(), b.clone()]),
        }
    }

    /// The disjunction.
    pub fn or(&mut self, a: &Expr, b: &Expr) -> Expr {
        match (truth(a), truth(b)) {
            (Some(false), _) | (_, Some(true)) => b.clone(),
            (Some(true), _) | (_, Some(false)) => a.clone(),
            _ => self.serve(Operator::Or, vec![a.clone(), b.clone()]),
        }
    }

    /// A conditional.
    pub fn choose(&mut self, c: &Expr, a: &Expr, b: &Expr) -> Expr {
        match truth(c) {
            Some(true) => a.clone(),
            Some(false) => b.clone(),
            None => self.serve(Operator::IfThenElse, vec![c.clone(), a.clone(), b.clone()]),
        }
    }

    /// Whether two of one sort are equal.
    pub fn equal(&mut self, a: &Expr, b: &Expr) -> Expr {
        self.serve(Operator::Equal, vec![a.clone(), b.clone()])
    }

    /// A value of an enumeration by its name; nothing if it has none such.
    pub fn symbol(&mut self, sort: EnumSort, name: &str) -> Option<Expr> {
        let at = sort.values().iter().position(|value| value == name)?;
        Some(self.value(Value::Enum(sort, at as u32)))
    }

    /// A value of an enumeration as one of another, which has all the values that it takes; where the
    /// other has not, anything.
    pub fn convert(&mut self, tree: &Expr, to: EnumSort) -> Expr {
        let mut guards = Vec::new();
        let mut rest = tree.clone();
        while *rest.operator() == Operator::IfThenElse {
            let [condition, then, otherwise] = rest.args() else {
                unreachable!("a conditional has three arguments");
            };
            let then = self.convert(then, to);
            guards.push((condition.clone(), then, rest.clone()));
            let otherwise = otherwise.clone();
            rest = otherwise;
        }
        let mut whole = self.convert_leaf(&rest, to);
        for (condition, then, node) in guards.into_iter().rev() {
            let args = vec![condition, then, whole];
            let made = Expr::new(node.id(), Operator::IfThenElse, args, node.origin().clone());
            whole = made.unwrap_or_else(|error| unreachable!("one sort: {}", error.0));
        }
        whole
    }

    fn convert_leaf(&mut self, leaf: &Expr, to: EnumSort) -> Expr {
        match leaf.sort() {
            Sort::Enum(from) if from == to => leaf.clone(),
            Sort::Enum(from) => match leaf.operator() {
                Operator::Constant(Value::Enum(_, at)) => {
                    let name = &from.values()[*at as usize];
                    let place = to
                        .values()
                        .iter()
                        .position(|value| value == name)
                        .unwrap_or(0);
                    let value = Value::Enum(to, place as u32);
                    Expr::constant(leaf.id(), value, leaf.origin().clone())
                }
                _ => self.by_cases(leaf, from, to),
            },
            _ => self.numbers_to_symbols(leaf, to),
        }
    }

    fn by_cases(&mut self, leaf: &Expr, from: EnumSort, to: EnumSort) -> Expr {
        let common = from
            .values()
            .iter()
            .filter(|name| to.values().contains(name));
        let mut whole = self.value(Value::Enum(to, 0));
        for (position, name) in common.enumerate() {
            let value = self.symbol(to, name).unwrap_or_else(|| whole.clone());
            if position == 0 {
                whole = value;
                continue;
            }
            let here = self.symbol(from, name).unwrap_or_else(|| leaf.clone());
            let is = self.equal(leaf, &here);
            whole = self.choose(&is, &value, &whole);
        }
        whole
    }

    /// An integer as a value of an enumeration that has numbers.
    fn numbers_to_symbols(&mut self, leaf: &Expr, to: EnumSort) -> Expr {
        let mut whole = self.value(Value::Enum(to, 0));
        for (at, name) in to.values().iter().enumerate() {
            let Ok(number) = name.parse::<i64>() else {
                continue;
            };
            let number = self.int(number.into());
            let is = self.equal(leaf, &number);
            let value = self.value(Value::Enum(to, at as u32));
            whole = self.choose(&is, &value, &whole);
        }
        whole
    }

    /// When a value is one of an enumeration's: true where it always is.
    pub fn is_within(&mut self, one: &One, to: EnumSort) -> Expr {
        let mut within = self.truth(false);
        match one.sort() {
            Sort::Enum(from) => {
                if from.values().iter().all(|name| to.values().contains(name)) {
                    return self.truth(true);
                }
                if let Operator::Constant(Value::Enum(_, at)) = one.tree.operator() {
                    let known = to.values().contains(&from.values()[*at as usize]);
                    return self.truth(known);
                }
                for name in from
                    .values()
                    .iter()
                    .filter(|name| to.values().contains(name))
                {
                    let Some(value) = self.symbol(from, name) else {
                        continue;
                    };
                    let is = self.equal(&one.tree, &value);
                    within = self.or(&within, &is);
                }
            }
            _ => {
                for name in to.values() {
                    let Ok(number) = name.parse::<i64>() else {
                        continue;
                    };
                    let number = self.int(number.into());
                    let is = self.equal(&one.tree, &number);
                    within = self.or(&within, &is);
                }
            }
        }
        within
    }
}

/// The truth value of a constant.
pub(super) fn truth(tree: &Expr) -> Option<bool> {
    match tree.operator() {
        Operator::Constant(value) => value.as_bool(),
        _ => None,
    }
}
