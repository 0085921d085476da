//! A model as Lustre: one node, everything inlined.
//!
//! Names that the language does not have (`timer~0.x`, `a[1]`) become names that it has. What no
//! equation defines is an input, so that a part of a model is printed as a model of its own.
//!
//! Variables are declared without their ranges: these are assumptions and properties by now. Only
//! the arbitrary value of an unguarded `pre` still depends on them, and gets a variable of its own:
//! `before = pre x` is read as `(if 0 <= before then … else 0) -> before`.
//!
//! Parentheses stand where the parser needs them, and around every `if` that is an operand.

use super::lexer::is_word;
use super::rewrite::{Shape, Slot};
use super::syntax::{Binary, Unary};
use crate::language::Part;
use proofmark_model::{
    Bounds, ElementId, Expr, Function, Model, Operator, Rational, Role, Sort, Symbol, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write as _;

/// Prints a part of a model as a file with one node.
pub fn print(part: &Part<'_>) -> String {
    let mut printer = Printer {
        part,
        names: FxHashMap::default(),
        taken: FxHashSet::default(),
        constants: NamedConstants::WrittenOut,
        bounded: bounded(part.model),
        held: Vec::new(),
        roots: 0,
    };
    printer.file()
}

/// An expression as the author of its node would write it: the names of the node, not of the
/// instance.
pub fn print_expression(tree: &Expr) -> String {
    let (equations, model) = (FxHashSet::default(), Model::default());
    let part = Part {
        model: &model,
        name: "",
        equations: &equations,
        goals: &[],
    };
    let mut names = FxHashMap::default();
    for node in tree.nodes() {
        if let Operator::Variable(name) = node.operator() {
            let local = match name.as_str().rsplit_once('~') {
                Some((_, rest)) => rest.split_once('.').map_or(rest, |(_, local)| local),
                None => name.as_str(),
            };
            names.insert(*name, local.to_string());
        }
    }
    let mut printer = Printer {
        part: &part,
        names,
        taken: FxHashSet::default(),
        constants: NamedConstants::Kept,
        bounded: FxHashMap::default(),
        held: Vec::new(),
        roots: 0,
    };
    printer.expression(tree)
}

fn bounded(model: &Model) -> FxHashMap<Symbol, Bounds> {
    let variables = model.variables.iter();
    let bounded = variables.filter_map(|one| Some((one.name, one.bounds.clone()?)));
    bounded.collect()
}

struct Printer<'a> {
    part: &'a Part<'a>,
    names: FxHashMap<Symbol, String>,
    taken: FxHashSet<String>,
    constants: NamedConstants,
    /// The variables whose types have bounds.
    bounded: FxHashMap<Symbol, Bounds>,
    /// The variables of unguarded `pre`s that have bounds.
    held: Vec<Held<'a>>,
    /// How many equations and properties were begun.
    roots: usize,
}

/// A variable for the value of an unguarded `pre`. What is equal in one equation is held once, as
/// its arbitrary value is one.
#[derive(Clone)]
struct Held<'a> {
    name: String,
    operand: &'a Expr,
    root: usize,
}

/// What is written where the source has the name of a constant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NamedConstants {
    /// The name: the file of the text declares it.
    Kept,
    /// The definition: the printed file declares no constants.
    WrittenOut,
}

/// When an expression is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    First,
    Later,
}

/// What is still to be written of an expression.
enum Piece<'e> {
    Text(&'static str),
    Tree(&'e Expr, Read, Slot),
}

impl<'a> Printer<'a> {
    fn file(&mut self) -> String {
        let (read, functions) = self.mentioned();
        let mut out = String::new();
        self.types(&read, &mut out);
        self.functions(&functions, &mut out);
        self.node(&read, &mut out);
        out
    }

    /// The trees that are printed.
    fn trees(&self) -> impl Iterator<Item = &Expr> {
        let equations = self.part.model.equations.iter().enumerate();
        let kept = equations.filter(|(at, _)| self.keeps(*at));
        let goals = self.part.goals.iter().map(|at| &self.part.model.goals[*at]);
        kept.map(|(_, equation)| &equation.tree)
            .chain(goals.map(|goal| &goal.tree))
    }

    fn keeps(&self, equation: usize) -> bool {
        let id = ElementId(equation as u32);
        self.part.equations.contains(&id)
    }

    fn mentioned(&self) -> (FxHashSet<Symbol>, Vec<Function>) {
        let (mut read, mut functions) = (FxHashSet::default(), Vec::new());
        for node in self.trees().flat_map(Expr::nodes) {
            match node.operator() {
                Operator::Variable(name) => {
                    read.insert(*name);
                }
                Operator::Call(function) if !functions.contains(function) => {
                    functions.push(*function);
                }
                _ => {}
            }
        }
        (read, functions)
    }

    fn types(&mut self, read: &FxHashSet<Symbol>, out: &mut String) {
        let mut seen = FxHashSet::default();
        let variables = self.part.model.variables.iter();
        let read: Vec<Sort> = variables
            .filter(|variable| read.contains(&variable.name))
            .map(|variable| variable.sort())
            .collect();
        let constants: Vec<Sort> = self.trees().flat_map(Expr::nodes).map(Expr::sort).collect();
        for sort in read.into_iter().chain(constants) {
            if let Sort::Enum(of) = sort
                && seen.insert(of)
            {
                let values: Vec<String> = of.values().iter().map(|one| one.to_string()).collect();
                // Writing to a string does not fail.
                let _ = writeln!(
                    out,
                    "type {} = enum {{ {} }};",
                    of.name(),
                    values.join(", ")
                );
                self.taken.extend(values);
                self.taken.insert(of.name().to_string());
            }
        }
    }

    fn functions(&mut self, functions: &[Function], out: &mut String) {
        for function in functions {
            let name = self.name(function.name());
            let inputs = function.domain().iter().enumerate();
            let inputs = inputs.map(|(at, sort)| format!("i{at}: {}", spell(*sort)));
            let inputs: Vec<String> = inputs.collect();
            let _ = writeln!(
                out,
                "function {name}({}) returns (o: {});",
                inputs.join("; "),
                spell(function.range())
            );
        }
    }

    fn node(&mut self, read: &FxHashSet<Symbol>, out: &mut String) {
        let model = self.part.model;
        let equations = model.equations.iter().enumerate();
        let kept: Vec<_> = equations.filter(|(at, _)| self.keeps(*at)).collect();
        let defined: FxHashSet<Symbol> = kept.iter().filter_map(|(_, one)| one.target).collect();
        let (mut inputs, mut outputs, mut locals) = (Vec::new(), Vec::new(), Vec::new());
        for variable in &model.variables {
            let name = variable.name;
            let declaration = || (name, variable.sort());
            match (defined.contains(&name), variable.role) {
                (true, Role::Output) => outputs.push(declaration()),
                (true, _) => locals.push(declaration()),
                (false, _) if read.contains(&name) => inputs.push(declaration()),
                (false, _) => {}
            }
        }
        let _ = writeln!(
            out,
            "node {}({}) returns ({});",
            self.part.name,
            self.declarations(&inputs),
            self.declarations(&outputs)
        );
        let mut locals = self.declarations(&locals);
        let mut body = String::new();
        for (_, equation) in kept {
            self.roots += 1;
            let tree = self.expression(&equation.tree);
            let _ = match equation.target {
                Some(target) => writeln!(body, "  {} = {tree};", self.name(target)),
                None => writeln!(body, "  assert {tree};"),
            };
        }
        for at in self.part.goals {
            let goal = &model.goals[*at];
            self.roots += 1;
            let tree = self.expression(&goal.tree);
            let _ = match goal.tree.operator() {
                Operator::Variable(_) => writeln!(body, "  --%PROPERTY {tree};"),
                _ => writeln!(body, "  --%PROPERTY \"{}\" {tree};", quotable(&goal.name)),
            };
        }
        // What is held may need more to be held.
        let mut next = 0;
        while let Some(held) = self.held.get(next).cloned() {
            let name = held.name;
            let between = if locals.is_empty() { "" } else { "; " };
            let _ = write!(locals, "{between}{name}: int");
            self.roots = held.root;
            let operand = self.expression(held.operand);
            let _ = writeln!(body, "  {name} = pre {operand};");
            next += 1;
        }
        if !locals.is_empty() {
            let _ = writeln!(out, "var {locals};");
        }
        let _ = writeln!(out, "let\n{body}tel;");
    }

    fn declarations(&mut self, variables: &[(Symbol, Sort)]) -> String {
        let declared = variables.iter();
        let declared =
            declared.map(|(name, sort)| format!("{}: {}", self.name(*name), spell(*sort)));
        declared.collect::<Vec<String>>().join("; ")
    }

    /// The name of a variable or function in the printed file.
    fn name(&mut self, symbol: Symbol) -> String {
        if let Some(name) = self.names.get(&symbol) {
            return name.clone();
        }
        let plain: String = symbol
            .as_str()
            .chars()
            .map(|c| match c {
                c if c.is_ascii_alphanumeric() || matches!(c, '_' | '~' | '!' | '$') => c,
                _ => '_',
            })
            .collect();
        let mut name = plain.clone();
        let mut count = 1;
        while is_word(&name) || !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{plain}_{count}");
        }
        self.names.insert(symbol, name.clone());
        name
    }

    fn expression(&mut self, tree: &'a Expr) -> String {
        let mut out = String::new();
        let mut stack = vec![Piece::Tree(tree, Read::First, Slot::OPEN)];
        while let Some(piece) = stack.pop() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Tree(tree, read, slot) => {
                    let from = stack.len();
                    let in_parentheses = needs_parentheses(tree, slot);
                    out.push_str(if in_parentheses { "(" } else { "" });
                    self.write(tree, read, slot, &mut stack, &mut out);
                    stack.extend(in_parentheses.then_some(Piece::Text(")")));
                    stack[from..].reverse();
                }
            }
        }
        out
    }

    /// Writes what begins an expression, and puts the rest on the list.
    fn write(
        &mut self,
        tree: &'a Expr,
        read: Read,
        slot: Slot,
        rest: &mut Vec<Piece<'a>>,
        out: &mut String,
    ) {
        let args = tree.args();
        match (tree.operator(), args) {
            (Operator::Constant(value), _) => out.push_str(&constant_in(slot, value)),
            (Operator::Named(name), [definition]) => match self.constants {
                NamedConstants::Kept => out.push_str(name.as_str()),
                NamedConstants::WrittenOut => rest.push(Piece::Tree(definition, read, slot)),
            },
            (Operator::Variable(name), _) => out.push_str(&self.name(*name)),
            (Operator::IfThenElse, [condition, then, otherwise]) => rest.extend([
                Piece::Text("if "),
                Piece::Tree(condition, read, Slot::OPEN),
                Piece::Text(" then "),
                Piece::Tree(then, read, Slot::CONDITIONAL),
                Piece::Text(" else "),
                Piece::Tree(otherwise, read, Slot::OPEN),
            ]),
            (Operator::Call(function), _) => {
                out.push_str(&self.name(function.name()));
                list(args, read, rest);
            }
            (Operator::ToReal, _) => word("real", args, read, rest),
            (Operator::Floor, _) => word("floor", args, read, rest),
            (Operator::Not, [operand]) => {
                let slot = Slot::between(Unary::Not.precedence(), None);
                rest.extend([Piece::Text("not "), Piece::Tree(operand, read, slot)]);
            }
            // Two signs together would begin a comment.
            (Operator::Negate, [operand]) => {
                rest.extend([Piece::Text("-"), Piece::Tree(operand, read, Slot::Base)]);
            }
            (Operator::Pre, [operand]) => {
                let bounds = Bounds::of_tree(operand, |name| self.bounded.get(&name).cloned());
                let slot = Slot::between(Unary::Pre.precedence(), None);
                match bounds.filter(|_| read == Read::First) {
                    Some(bounds) => out.push_str(&self.hold(operand, &bounds)),
                    None => {
                        rest.extend([Piece::Text("pre "), Piece::Tree(operand, Read::First, slot)])
                    }
                }
            }
            (Operator::Equal | Operator::Different, _) if args.len() > 2 => {
                let is_negated = *tree.operator() == Operator::Different;
                rest.push(Piece::Text(if is_negated { "(not (" } else { "(" }));
                let (left, right) = args.split_at(args.len() / 2);
                for (at, pair) in left.iter().zip(right).enumerate() {
                    rest.extend((at > 0).then_some(Piece::Text(" and ")));
                    infix(Binary::Equal, [pair.0, pair.1], [read; 2], rest);
                }
                rest.push(Piece::Text(if is_negated { "))" } else { ")" }));
            }
            (operator, _) => {
                let later = match operator {
                    Operator::Arrow => Read::Later,
                    _ => read,
                };
                match binary(operator) {
                    Some(binary) => infix(binary, args, [read, later], rest),
                    None => list(args, read, rest),
                }
            }
        }
    }

    /// The value of an unguarded `pre` within its bounds, by a variable that holds it.
    fn hold(&mut self, operand: &'a Expr, bounds: &Bounds) -> String {
        let root = self.roots;
        let known = self
            .held
            .iter()
            .find(|known| known.root == root && same(known.operand, operand));
        let name = match known {
            Some(held) => held.name.clone(),
            None => {
                // An `@` cannot be in a name of the source.
                let name = self.name(Symbol::new(&format!("before@{}", self.held.len())));
                self.held.push(Held {
                    name: name.clone(),
                    operand,
                    root,
                });
                name
            }
        };
        let [low, high] = [&bounds.low, &bounds.high].map(|end| constant(&Value::Int(end.clone())));
        format!(
            "((if {low} <= {name} then (if {name} <= {high} then {name} else {high}) else {low}) \
             -> {name})"
        )
    }
}

/// Whether two trees are written alike.
fn same(one: &Expr, other: &Expr) -> bool {
    let mut stack = vec![(one, other)];
    while let Some((one, other)) = stack.pop() {
        if one.operator() != other.operator() || one.args().len() != other.args().len() {
            return false;
        }
        if !one.is_same(other) {
            stack.extend(one.args().iter().zip(other.args()));
        }
    }
    true
}

/// Whether an expression would be read otherwise, or is hard to read, without parentheses.
fn needs_parentheses(tree: &Expr, slot: Slot) -> bool {
    match tree.operator() {
        Operator::IfThenElse => slot != Slot::OPEN,
        Operator::Equal | Operator::Different if tree.args().len() > 2 => false,
        Operator::Not => !slot.fits(prefixed(Unary::Not)),
        Operator::Negate => !slot.fits(prefixed(Unary::Negate)),
        Operator::Pre => !slot.fits(prefixed(Unary::Pre)),
        operator => binary(operator).is_some_and(|binary| {
            let own = Some(binary.precedence());
            !slot.fits(Shape {
                left: own,
                right: own,
            })
        }),
    }
}

fn prefixed(operator: Unary) -> Shape {
    Shape {
        left: None,
        right: operator.precedence(),
    }
}

/// A word of the language before one operand, which stands in parentheses.
fn word<'e>(word: &'static str, args: &'e [Expr], read: Read, rest: &mut Vec<Piece<'e>>) {
    rest.push(Piece::Text(word));
    list(args, read, rest);
}

fn list<'e>(args: &'e [Expr], read: Read, rest: &mut Vec<Piece<'e>>) {
    rest.push(Piece::Text("("));
    for (at, arg) in args.iter().enumerate() {
        rest.extend((at > 0).then_some(Piece::Text(", ")));
        rest.push(Piece::Tree(arg, read, Slot::OPEN));
    }
    rest.push(Piece::Text(")"));
}

/// Operands with an operator between; the first and the others may be read at different steps.
fn infix<'e>(
    operator: Binary,
    args: impl IntoIterator<Item = &'e Expr>,
    [first, others]: [Read; 2],
    rest: &mut Vec<Piece<'e>>,
) {
    let own = Some(operator.precedence());
    for (at, arg) in args.into_iter().enumerate() {
        if at == 0 {
            rest.push(Piece::Tree(arg, first, Slot::between(None, own)));
            continue;
        }
        let texts = [
            Piece::Text(" "),
            Piece::Text(operator.text()),
            Piece::Text(" "),
        ];
        rest.extend(texts);
        rest.push(Piece::Tree(arg, others, Slot::between(own, None)));
    }
}

/// The operator as it stands between operands. Lustre has no bit-vectors.
fn binary(operator: &Operator) -> Option<Binary> {
    Some(match operator {
        Operator::And => Binary::And,
        Operator::Or => Binary::Or,
        Operator::Xor => Binary::Xor,
        Operator::Implies => Binary::Implies,
        Operator::Equal => Binary::Equal,
        Operator::Different => Binary::Different,
        Operator::Less => Binary::Less,
        Operator::LessEqual => Binary::LessEqual,
        Operator::Greater => Binary::Greater,
        Operator::GreaterEqual => Binary::GreaterEqual,
        Operator::Plus => Binary::Plus,
        Operator::Minus => Binary::Minus,
        Operator::Times => Binary::Times,
        Operator::Divide => Binary::Divide,
        Operator::IntDivide => Binary::IntDivide,
        Operator::Modulo => Binary::Modulo,
        Operator::Arrow => Binary::Arrow,
        _ => return None,
    })
}

/// A constant where it stands: a sign needs parentheses after another one.
fn constant_in(slot: Slot, value: &Value) -> String {
    match value {
        Value::Int(number) if number.is_negative() && slot.fits(prefixed(Unary::Negate)) => {
            number.to_string()
        }
        _ => constant(value),
    }
}

/// A constant as Lustre writes it.
pub fn constant(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) if value.is_negative() => format!("({value})"),
        Value::Int(value) => value.to_string(),
        Value::Real(value) => real(value),
        Value::Enum(of, at) => of.values()[*at as usize].to_string(),
        Value::BitVec(bits) => bits.to_string(),
    }
}

/// A fraction is a quotient of two literals.
fn real(value: &Rational) -> String {
    let text = value.to_string();
    let text = match text.split_once('/') {
        Some((numerator, denominator)) => format!("({numerator}.0 / {denominator}.0)"),
        None => format!("{text}.0"),
    };
    match value.is_negative() {
        true => format!("({text})"),
        false => text,
    }
}

fn spell(sort: Sort) -> String {
    match sort {
        Sort::Bool => "bool".into(),
        Sort::Int => "int".into(),
        Sort::Real => "real".into(),
        Sort::Enum(of) => of.name().to_string(),
        Sort::BitVec(width) => format!("bits{width}"),
    }
}

fn quotable(name: &str) -> String {
    name.replace(['"', '\n'], "'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lustre::{Options, load};
    use crate::random::Dice;
    use proofmark_source::Sources;

    /// The tree of a Boolean expression over `a`, `b` and the numbers `x`, `y`.
    fn read(text: &str) -> Expr {
        let mut sources = Sources::default();
        let text = format!(
            "const limit: int = 7; node m(a, b: bool; x, y: int) returns (o: bool); let o = {text}; tel"
        );
        let file = sources.add("m.lus", text.clone()).unwrap();
        let (loaded, diagnostics) = load(&sources, file, &Options::default());
        let loaded = loaded.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"));
        loaded.model.equations[0].tree.clone()
    }

    #[test]
    fn parentheses_stand_only_where_they_are_needed() {
        for text in [
            "a and b or not a and not b",
            "(a or b) and (a => b)",
            "(a => b) => b => a",
            "a = (b or a)",
            "x - (y - 1) - 2 <= -3",
            "-(-x) > -(x + 1) * 2",
            "(y + 1) * 3 = limit",
            "(0 -> pre x) + 1 < (if a then x else y)",
            "if a then (if b then a else b) else if b then a else b",
            "false -> pre a and not pre (a or b)",
            "(false -> pre a) and not (true -> b)",
            "x < y = (y < limit)",
        ] {
            assert_eq!(print_expression(&read(text)), text);
        }
    }

    /// A text with all parentheses.
    fn random_text(dice: &mut Dice, is_number: bool, depth: usize) -> String {
        if depth == 0 {
            let leaves: &[&str] = match is_number {
                true => &["x", "y", "limit", "(-2)"],
                false => &["a", "b", "true"],
            };
            return leaves[dice.roll(leaves.len())].to_string();
        }
        let mut one = |is_number| random_text(dice, is_number, depth - 1);
        let (a, b, c) = (one(is_number), one(is_number), one(false));
        let (x, y) = (one(true), one(true));
        let shapes = match is_number {
            true => vec![
                format!("({a} + {b})"),
                format!("({a} - {b})"),
                format!("({a} * 3)"),
                format!("(-{a})"),
                format!("(if {c} then {a} else {b})"),
                format!("({a} -> (pre {b}))"),
            ],
            false => vec![
                format!("({a} and {b})"),
                format!("({a} or {b})"),
                format!("({a} xor {b})"),
                format!("({a} => {b})"),
                format!("({a} = {b})"),
                format!("({x} < {y})"),
                format!("({x} <> {y})"),
                format!("(not {a})"),
                format!("(if {c} then {a} else {b})"),
                format!("({a} -> (pre {b}))"),
            ],
        };
        shapes[dice.roll(shapes.len())].clone()
    }

    #[test]
    fn what_is_written_is_read_as_the_same() {
        let mut dice = Dice(0x5eed);
        for _ in 0..300 {
            let tree = read(&random_text(&mut dice, false, 3));
            let text = print_expression(&tree);
            assert!(same(&tree, &read(&text)), "{text}");
        }
    }
}
