//! Typed expression trees: the model as its author wrote it.
//!
//! Terms are made for solvers and forget their spelling; mutators need the spelling. A tree keeps
//! the operators of the source, and each node carries a [`NodeId`], which names the place in the
//! source and not the position in a tree: inlining copies a node together with its id, so that all
//! instances of one place share it and [`Expr::replace`] changes them at once. A use of a named
//! constant holds the constant's definition as its argument, for the same reason: the definition is
//! one place, mutated once for all uses.
//!
//! Trees are immutable and share their parts. Everything that walks one, also its destruction, does
//! so with a stack of its own: generated models are a million nodes deep.

use crate::origin::{InstancePath, Origin};
use crate::sort::Sort;
use crate::term::{Function, SortError, Symbol};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::sync::Arc;

/// The identity of a place in the source, unique in a model; shared by all its instances.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(u32);

/// Gives out node ids, each once.
#[derive(Clone, Debug, Default)]
pub struct NodeIds {
    next: u32,
}

impl NodeIds {
    /// An id that was not given out before.
    pub fn fresh(&mut self) -> NodeId {
        let id = NodeId(self.next);
        self.next += 1;
        id
    }
}

/// The operators of the source languages. A name stands for the same idea in every sort that it
/// takes; where bit-vectors have a signed and an unsigned reading, the plain name is the unsigned
/// one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// A literal.
    Constant(Value),
    /// A use of a named constant; the argument is its definition.
    Named(Symbol),
    /// A use of a variable, at the current step.
    Variable(Symbol),
    /// On one Boolean.
    Not,
    /// On two Booleans.
    And,
    /// On two Booleans.
    Or,
    /// On two Booleans: whether they differ.
    Xor,
    /// On two Booleans: false only when the left one is true and the right one false.
    Implies,
    /// On two of any one sort, as is `Different`; or on the scalars of two compound values, those of
    /// the left one before those of the right one.
    Equal,
    /// The negation of `Equal`, on the same arguments.
    Different,
    /// On integers, reals or bit-vectors, as are the next three.
    Less,
    /// On the sorts of `Less`.
    LessEqual,
    /// On the sorts of `Less`.
    Greater,
    /// On the sorts of `Less`.
    GreaterEqual,
    /// On integers, reals or bit-vectors, as are `Minus`, `Negate` and `Times`.
    Plus,
    /// The left one less the right one.
    Minus,
    /// One argument.
    Negate,
    /// The product of two.
    Times,
    /// Exact division of reals.
    Divide,
    /// Euclidean on integers, towards zero on bit-vectors; so is `Modulo`.
    IntDivide,
    /// The remainder that goes with `IntDivide`.
    Modulo,
    /// Condition, then, else; both branches have the same sort.
    IfThenElse,
    /// The left side at the first step, the right side afterwards.
    Arrow,
    /// The value at the step before; arbitrary at the first step.
    Pre,
    /// An uninterpreted function.
    Call(Function),
    /// From integers to reals, the same number.
    ToReal,
    /// From reals to integers: the greatest one not above.
    Floor,
    /// On bit-vectors in two's complement, as are the next three.
    SignedLess,
    /// On the sorts of `SignedLess`.
    SignedLessEqual,
    /// On the sorts of `SignedLess`.
    SignedGreater,
    /// On the sorts of `SignedLess`.
    SignedGreaterEqual,
    /// Towards zero.
    SignedDivide,
    /// With the sign of the dividend.
    SignedRemainder,
    /// With the sign of the divisor.
    SignedModulo,
    /// Bit by bit, as are the next three.
    BitNot,
    /// On two of the same width.
    BitAnd,
    /// On two of the same width.
    BitOr,
    /// On two of the same width.
    BitXor,
    /// By the unsigned value of the right one; zeros come in.
    ShiftLeft,
    /// By the unsigned value of the right one; zeros come in.
    ShiftRight,
    /// By the unsigned value of the right one; copies of the sign come in.
    ArithmeticShiftRight,
    /// The left one has the high bits.
    Concat,
    /// Bits `high` down to `low`, both included.
    Extract {
        /// The highest bit that is kept; bit 0 is the least significant.
        high: u32,
        /// The lowest bit that is kept.
        low: u32,
    },
    /// By so many zeros.
    ZeroExtend(u32),
    /// By so many copies of the sign.
    SignExtend(u32),
}

impl Operator {
    /// What it is called in messages.
    pub fn name(&self) -> String {
        let name = match self {
            Operator::Constant(value) => return value.to_string(),
            Operator::Named(name) | Operator::Variable(name) => return name.to_string(),
            Operator::Call(function) => return function.name().to_string(),
            Operator::Not => "not",
            Operator::And => "and",
            Operator::Or => "or",
            Operator::Xor => "xor",
            Operator::Implies => "=>",
            Operator::Equal => "=",
            Operator::Different => "<>",
            Operator::Less => "<",
            Operator::LessEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterEqual => ">=",
            Operator::Plus => "+",
            Operator::Minus | Operator::Negate => "-",
            Operator::Times => "*",
            Operator::Divide => "/",
            Operator::IntDivide => "div",
            Operator::Modulo => "mod",
            Operator::IfThenElse => "if-then-else",
            Operator::Arrow => "->",
            Operator::Pre => "pre",
            Operator::ToReal => "real",
            Operator::Floor => "floor",
            other => return format!("{other:?}"),
        };
        name.to_string()
    }

    /// The sort of the result, or why the operator does not take these arguments.
    fn sort(&self, args: &[Expr]) -> Result<Sort, SortError> {
        use Sort::{BitVec, Bool, Int, Real};
        let fail = |wanted: &str| {
            let found: Vec<String> = args.iter().map(|arg| arg.sort().to_string()).collect();
            let found = found.join(", ");
            let name = self.name();
            Err(SortError(format!("`{name}` takes {wanted}, not ({found})")))
        };
        let all = |sort: Sort| args.iter().all(|arg| arg.sort() == sort);
        let bits = args
            .first()
            .is_some_and(|a| a.sort().is_bits() && all(a.sort()));
        let numbers = all(Int) || all(Real) || bits;
        match (self, args) {
            (Operator::Constant(value), []) => Ok(value.sort()),
            (Operator::Constant(_), _) => fail("nothing"),
            (Operator::Variable(_), _) => Err(SortError("a variable is made with its sort".into())),
            (Operator::Named(_), [definition]) => Ok(definition.sort()),
            (Operator::Named(_), _) => fail("its definition"),
            (Operator::Call(function), _) => {
                let found = args.iter().map(Expr::sort);
                if function.domain().iter().copied().eq(found) {
                    return Ok(function.range());
                }
                let domain = function.domain().iter().map(ToString::to_string);
                fail(&format!("({})", domain.collect::<Vec<_>>().join(", ")))
            }
            (Operator::Not, [_]) if all(Bool) => Ok(Bool),
            (Operator::Not, _) => fail("one Boolean"),
            (Operator::And | Operator::Or | Operator::Xor | Operator::Implies, [_, _])
                if all(Bool) =>
            {
                Ok(Bool)
            }
            (Operator::And | Operator::Or | Operator::Xor | Operator::Implies, _) => {
                fail("two Booleans")
            }
            (Operator::Equal | Operator::Different, _) => {
                let (left, right) = args.split_at(args.len() / 2);
                let sorts = |half: &[Expr]| half.iter().map(Expr::sort).collect::<Vec<Sort>>();
                match !left.is_empty() && sorts(left) == sorts(right) {
                    true => Ok(Bool),
                    false => fail("two of one sort"),
                }
            }
            (
                Operator::Less | Operator::LessEqual | Operator::Greater | Operator::GreaterEqual,
                [_, _],
            ) if numbers => Ok(Bool),
            (
                Operator::Less | Operator::LessEqual | Operator::Greater | Operator::GreaterEqual,
                _,
            ) => fail("two numbers of one sort"),
            (Operator::Plus | Operator::Minus | Operator::Times, [a, _]) if numbers => Ok(a.sort()),
            (Operator::Plus | Operator::Minus | Operator::Times, _) => {
                fail("two numbers of one sort")
            }
            (Operator::Negate, [a]) if numbers => Ok(a.sort()),
            (Operator::Negate, _) => fail("one number"),
            (Operator::Divide, [_, _]) if all(Real) => Ok(Real),
            (Operator::Divide, _) => fail("two reals"),
            (Operator::IntDivide | Operator::Modulo, [a, _]) if all(Int) || bits => Ok(a.sort()),
            (Operator::IntDivide | Operator::Modulo, _) => fail("two integers"),
            (Operator::IfThenElse, [c, a, b]) if c.sort() == Bool && a.sort() == b.sort() => {
                Ok(a.sort())
            }
            (Operator::IfThenElse, _) => fail("a Boolean and two of one sort"),
            (Operator::Arrow, [a, b]) if a.sort() == b.sort() => Ok(a.sort()),
            (Operator::Arrow, _) => fail("two of one sort"),
            (Operator::Pre, [a]) => Ok(a.sort()),
            (Operator::Pre, _) => fail("one argument"),
            (Operator::ToReal, [_]) if all(Int) => Ok(Real),
            (Operator::ToReal, _) => fail("one integer"),
            (Operator::Floor, [_]) if all(Real) => Ok(Int),
            (Operator::Floor, _) => fail("one real"),
            (Operator::Concat, [a, b]) => match (a.sort(), b.sort()) {
                (BitVec(m), BitVec(n)) => match m.checked_add(n) {
                    Some(width) => Ok(BitVec(width)),
                    None => fail("bit-vectors that fit together"),
                },
                _ => fail("two bit-vectors"),
            },
            (Operator::Extract { high, low }, [a]) => match a.sort() {
                BitVec(width) if low <= high && *high < width => Ok(BitVec(high - low + 1)),
                _ => fail(&format!("a bit-vector of more than {high} bits")),
            },
            (Operator::ZeroExtend(more) | Operator::SignExtend(more), [a]) => match a.sort() {
                BitVec(width) => match width.checked_add(*more) {
                    Some(width) => Ok(BitVec(width)),
                    None => fail("a narrower bit-vector"),
                },
                _ => fail("one bit-vector"),
            },
            (Operator::BitNot, [a]) if bits => Ok(a.sort()),
            (
                Operator::SignedLess
                | Operator::SignedLessEqual
                | Operator::SignedGreater
                | Operator::SignedGreaterEqual,
                [_, _],
            ) if bits => Ok(Bool),
            (
                Operator::SignedDivide
                | Operator::SignedRemainder
                | Operator::SignedModulo
                | Operator::BitAnd
                | Operator::BitOr
                | Operator::BitXor
                | Operator::ShiftLeft
                | Operator::ShiftRight
                | Operator::ArithmeticShiftRight,
                [a, _],
            ) if bits => Ok(a.sort()),
            _ => fail("bit-vectors of one width"),
        }
    }
}

/// An expression tree; cheap to clone.
#[derive(Clone)]
pub struct Expr(Arc<Node>);

struct Node {
    id: NodeId,
    operator: Operator,
    args: Vec<Expr>,
    sort: Sort,
    origin: Origin,
    temporal: bool,
}

/// Takes a tree apart from the top with a stack of its own; the compiler's way would recurse.
impl Drop for Node {
    fn drop(&mut self) {
        let mut doomed = std::mem::take(&mut self.args);
        while let Some(expr) = doomed.pop() {
            if let Some(mut node) = Arc::into_inner(expr.0) {
                doomed.append(&mut node.args);
            }
        }
    }
}

impl Expr {
    /// Applies an operator other than a variable; checks the sorts.
    pub fn new(
        id: NodeId,
        operator: Operator,
        args: Vec<Expr>,
        origin: Origin,
    ) -> Result<Expr, SortError> {
        let sort = operator.sort(&args)?;
        let temporal = matches!(operator, Operator::Arrow | Operator::Pre)
            || args.iter().any(Expr::is_temporal);
        Ok(Expr(Arc::new(Node {
            id,
            operator,
            args,
            sort,
            origin,
            temporal,
        })))
    }

    /// A use of a variable.
    pub fn variable(id: NodeId, name: &str, sort: Sort, origin: Origin) -> Expr {
        Expr::leaf(id, Operator::Variable(Symbol::new(name)), sort, origin)
    }

    /// A literal; its sort is that of the value.
    pub fn constant(id: NodeId, value: Value, origin: Origin) -> Expr {
        let sort = value.sort();
        Expr::leaf(id, Operator::Constant(value), sort, origin)
    }

    fn leaf(id: NodeId, operator: Operator, sort: Sort, origin: Origin) -> Expr {
        Expr(Arc::new(Node {
            id,
            operator,
            args: Vec::new(),
            sort,
            origin,
            temporal: false,
        }))
    }

    /// The place in the source; copies of a tree by inlining share it.
    pub fn id(&self) -> NodeId {
        self.0.id
    }

    /// What the node does with its arguments.
    pub fn operator(&self) -> &Operator {
        &self.0.operator
    }

    /// The arguments, in the order of the operator.
    pub fn args(&self) -> &[Expr] {
        &self.0.args
    }

    /// The sort of the value.
    pub fn sort(&self) -> Sort {
        self.0.sort
    }

    /// Where it comes from, with the instance it is in.
    pub fn origin(&self) -> &Origin {
        &self.0.origin
    }

    /// Whether `->` or `pre` occurs, so that the value depends on more than the present state.
    pub fn is_temporal(&self) -> bool {
        self.0.temporal
    }

    /// Whether both are the same node in memory; a rewriting that changed nothing returns such.
    pub fn is_same(&self, other: &Expr) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Tells nodes apart while the tree lives.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Every node of the tree, a shared one once, each before its arguments, from left to right.
    pub fn nodes(&self) -> Vec<&Expr> {
        let mut seen = FxHashSet::default();
        let mut nodes = Vec::new();
        let mut stack = vec![self];
        while let Some(node) = stack.pop() {
            if seen.insert(node.address()) {
                nodes.push(node);
                stack.extend(node.args().iter().rev());
            }
        }
        nodes
    }

    /// The same node over other arguments.
    pub fn with_args(&self, args: Vec<Expr>) -> Result<Expr, SortError> {
        if args.is_empty() && self.args().is_empty() {
            return Ok(self.clone());
        }
        Expr::new(
            self.id(),
            self.operator().clone(),
            args,
            self.origin().clone(),
        )
    }

    /// The same leaf or application with another origin.
    fn with_origin(&self, origin: Origin) -> Expr {
        Expr(Arc::new(Node {
            id: self.0.id,
            operator: self.0.operator.clone(),
            args: self.0.args.clone(),
            sort: self.0.sort,
            origin,
            temporal: self.0.temporal,
        }))
    }

    /// Rewrites the tree from the leaves up: `change` sees each node over its rewritten arguments
    /// and returns what takes its place. A shared node is rewritten once and stays shared; what did
    /// not change is the same in memory. Fails when a node's new argument has another sort than it
    /// takes.
    pub fn rewrite(
        &self,
        mut change: impl FnMut(&Expr) -> Result<Expr, SortError>,
    ) -> Result<Expr, SortError> {
        let mut done: FxHashMap<usize, Expr> = FxHashMap::default();
        let mut stack = vec![self];
        while let Some(&node) = stack.last() {
            if done.contains_key(&node.address()) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let missing = node
                .args()
                .iter()
                .filter(|arg| !done.contains_key(&arg.address()));
            stack.extend(missing);
            if stack.len() > before {
                continue;
            }
            let args: Vec<Expr> = node
                .args()
                .iter()
                .map(|arg| done[&arg.address()].clone())
                .collect();
            let unchanged = args
                .iter()
                .zip(node.args())
                .all(|(new, old)| new.is_same(old));
            let rebuilt = if unchanged {
                node.clone()
            } else {
                node.with_args(args)?
            };
            done.insert(node.address(), change(&rebuilt)?);
            stack.pop();
        }
        Ok(done[&self.address()].clone())
    }

    /// Replaces every instance of a place: `replacement` makes the new node from each instance,
    /// whose arguments differ from instance to instance and have been through the replacement
    /// already. The new node must have the old one's sort.
    pub fn replace(
        &self,
        id: NodeId,
        mut replacement: impl FnMut(&Expr) -> Result<Expr, SortError>,
    ) -> Result<Expr, SortError> {
        self.rewrite(|node| {
            if node.id() != id {
                return Ok(node.clone());
            }
            let new = replacement(node)?;
            if new.sort() != node.sort() {
                let (name, was, is) = (node.operator().name(), node.sort(), new.sort());
                return Err(SortError(format!(
                    "`{name}` of sort {was} replaced by a {is}"
                )));
            }
            Ok(new)
        })
    }

    /// A copy of the tree in an instance: `bindings` says what the variables of the called body
    /// are in the caller, and every node that is copied gets its origin within `path`. Node ids
    /// stay, and what `bindings` gives is taken as it is.
    pub fn instantiate(
        &self,
        path: &InstancePath,
        bindings: &FxHashMap<Symbol, Expr>,
    ) -> Result<Expr, SortError> {
        self.rewrite(|node| {
            let bound = match node.operator() {
                Operator::Variable(name) => bindings.get(name),
                _ => None,
            };
            match bound {
                Some(actual) if actual.sort() != node.sort() => Err(SortError(format!(
                    "`{}` of sort {} bound to a {}",
                    node.operator().name(),
                    node.sort(),
                    actual.sort()
                ))),
                Some(actual) => Ok(actual.clone()),
                None if path.is_root() => Ok(node.clone()),
                None => Ok(node.with_origin(node.origin().within(path))),
            }
        })
    }
}

/// For people and debuggers: prefix notation, cut off when it is deep.
impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug(self, 8, f)
    }
}

fn debug(expr: &Expr, depth: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if expr.args().is_empty() {
        return write!(f, "{}", expr.operator().name());
    }
    if depth == 0 {
        return write!(f, "…");
    }
    write!(f, "({}", expr.operator().name())?;
    for arg in expr.args() {
        write!(f, " ")?;
        debug(arg, depth - 1, f)?;
    }
    write!(f, ")")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(ids: &mut NodeIds, value: i64) -> Expr {
        Expr::constant(ids.fresh(), Value::Int(value.into()), Origin::generated())
    }

    fn variable(ids: &mut NodeIds, name: &str) -> Expr {
        Expr::variable(ids.fresh(), name, Sort::Int, Origin::generated())
    }

    fn node(ids: &mut NodeIds, operator: Operator, args: &[&Expr]) -> Expr {
        let args = args.iter().map(|arg| (*arg).clone()).collect();
        Expr::new(ids.fresh(), operator, args, Origin::generated()).unwrap()
    }

    #[test]
    fn ill_sorted_expressions_are_refused_with_a_reason() {
        let mut ids = NodeIds::default();
        let one = int(&mut ids, 1);
        let refused = |operator, args: &[&Expr]| {
            let args = args.iter().map(|arg| (*arg).clone()).collect();
            let id = NodeIds::default().fresh();
            Expr::new(id, operator, args, Origin::generated())
                .unwrap_err()
                .0
        };
        let message = refused(Operator::And, &[&one, &one]);
        assert_eq!(message, "`and` takes two Booleans, not (Int, Int)");
        let message = refused(Operator::Divide, &[&one, &one]);
        assert_eq!(message, "`/` takes two reals, not (Int, Int)");
        let message = refused(Operator::IfThenElse, &[&one, &one, &one]);
        assert_eq!(
            message,
            "`if-then-else` takes a Boolean and two of one sort, not (Int, Int, Int)"
        );
        let bits = Function::new("f", vec![Sort::BitVec(4)], Sort::Bool);
        let message = refused(Operator::Call(bits), &[&one]);
        assert_eq!(message, "`f` takes ((_ BitVec 4)), not (Int)");
        let message = refused(Operator::BitAnd, &[&one, &one]);
        assert_eq!(
            message,
            "`BitAnd` takes bit-vectors of one width, not (Int, Int)"
        );
    }

    #[test]
    fn a_tree_a_million_deep_is_walked_rewritten_and_dropped_without_recursion() {
        let mut ids = NodeIds::default();
        let mut tree = variable(&mut ids, "x");
        let leaf = tree.id();
        for _ in 0..1_000_000 {
            tree = Expr::new(
                ids.fresh(),
                Operator::Negate,
                vec![tree],
                Origin::generated(),
            )
            .unwrap();
        }
        assert_eq!(tree.nodes().len(), 1_000_001);
        let five = int(&mut ids, 5);
        let other = tree.replace(leaf, |_| Ok(five.clone())).unwrap();
        assert!(!other.is_same(&tree));
        assert!(format!("{other:?}").len() < 100);
    }

    #[test]
    fn replacing_a_node_changes_all_its_instances_also_nested_ones() {
        let mut ids = NodeIds::default();
        // The body x + 1, called as f(f(y)).
        let (x, one) = (variable(&mut ids, "x"), int(&mut ids, 1));
        let body = node(&mut ids, Operator::Plus, &[&x, &one]);
        let y = variable(&mut ids, "y");
        let path = InstancePath::default().enter("f", None);
        let bind = |actual: &Expr| FxHashMap::from_iter([(Symbol::new("x"), actual.clone())]);
        let inner = body.instantiate(&path, &bind(&y)).unwrap();
        let outer = body
            .instantiate(&path.enter("f", None), &bind(&inner))
            .unwrap();
        assert_eq!(format!("{outer:?}"), "(+ (+ y 1) 1)");
        assert_eq!(outer.id(), body.id());
        assert_eq!(outer.origin().path.to_string(), "f.f");
        assert_eq!(outer.args()[0].origin().path.to_string(), "f");

        let minus = |node: &Expr| {
            let args = node.args().to_vec();
            Expr::new(NodeId(99), Operator::Minus, args, node.origin().clone())
        };
        let mutant = outer.replace(body.id(), minus).unwrap();
        assert_eq!(format!("{mutant:?}"), "(- (- y 1) 1)");
        assert_eq!(mutant.origin().path.to_string(), "f.f");
        let left = outer
            .replace(body.id(), |node| Ok(node.args()[0].clone()))
            .unwrap();
        assert_eq!(format!("{left:?}"), "y");
    }

    #[test]
    fn a_named_constant_is_changed_at_its_definition_for_all_uses() {
        let mut ids = NodeIds::default();
        let definition = int(&mut ids, 7);
        let first = node(&mut ids, Operator::Named(Symbol::new("N")), &[&definition]);
        let second = node(&mut ids, Operator::Named(Symbol::new("N")), &[&definition]);
        let sum = node(&mut ids, Operator::Plus, &[&first, &second]);
        let one = int(&mut ids, 1);
        let mutant = sum.replace(definition.id(), |_| Ok(one.clone())).unwrap();
        assert_eq!(format!("{mutant:?}"), "(+ (N 1) (N 1))");
        let mutant = sum.replace(first.id(), |_| Ok(one.clone())).unwrap();
        assert_eq!(format!("{mutant:?}"), "(+ 1 (N 7))");
    }

    #[test]
    fn a_replacement_of_another_sort_is_an_error() {
        let mut ids = NodeIds::default();
        let x = variable(&mut ids, "x");
        let truth = Expr::constant(ids.fresh(), Value::Bool(true), Origin::generated());
        let error = x.replace(x.id(), |_| Ok(truth.clone())).unwrap_err();
        assert_eq!(error.0, "`x` of sort Int replaced by a Bool");
    }

    #[test]
    fn a_rewriting_that_changes_nothing_gives_the_same_tree_and_keeps_sharing() {
        let mut ids = NodeIds::default();
        let x = variable(&mut ids, "x");
        let mut tree = x.clone();
        // Two to the power of sixty leaves, sixty nodes.
        for _ in 0..60 {
            tree = node(&mut ids, Operator::Plus, &[&tree, &tree]);
        }
        assert!(
            tree.replace(ids.fresh(), |node| Ok(node.clone()))
                .unwrap()
                .is_same(&tree)
        );
        let y = variable(&mut ids, "y");
        let changed = tree.replace(x.id(), |_| Ok(y.clone())).unwrap();
        assert_eq!(changed.nodes().len(), 61);
    }

    #[test]
    fn temporal_operators_are_seen_from_above() {
        let mut ids = NodeIds::default();
        let x = variable(&mut ids, "x");
        let pre = node(&mut ids, Operator::Pre, &[&x]);
        let sum = node(&mut ids, Operator::Plus, &[&x, &pre]);
        assert!(sum.is_temporal());
        assert!(
            !sum.replace(pre.id(), |node| Ok(node.args()[0].clone()))
                .unwrap()
                .is_temporal()
        );
    }
}
