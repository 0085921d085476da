//! A model as Lustre: one node, everything inlined.
//!
//! Names that the language does not have (`timer~0.x`, `a[1]`) become names that it has. What no
//! equation defines is an input, so that a part of a model is printed as a model of its own.
//!
//! Variables are declared without their ranges: these are assumptions and properties by now. Only
//! the arbitrary value of an unguarded `pre` still depends on them, and gets a variable of its own:
//! `before = pre x` is read as `(if 0 <= before then … else 0) -> before`.

use super::lexer::is_word;
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
        bounded: FxHashMap::default(),
        held: Vec::new(),
        roots: 0,
    };
    let text = printer.expression(tree);
    let inner = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    match inner {
        // The outermost pair, if it is one.
        Some(inner) if balanced(inner) => inner.to_string(),
        _ => text,
    }
}

fn balanced(text: &str) -> bool {
    let mut depth = 0i64;
    let never_below = text.bytes().all(|byte| {
        depth += match byte {
            b'(' => 1,
            b')' => -1,
            _ => 0,
        };
        depth >= 0
    });
    never_below && depth == 0
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

/// When an expression is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    First,
    Later,
}

/// What is still to be written of an expression.
enum Piece<'e> {
    Text(&'static str),
    Tree(&'e Expr, Read),
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
        let mut stack = vec![Piece::Tree(tree, Read::First)];
        while let Some(piece) = stack.pop() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Tree(tree, read) => {
                    let from = stack.len();
                    self.write(tree, read, &mut stack, &mut out);
                    stack[from..].reverse();
                }
            }
        }
        out
    }

    /// Writes what begins an expression, and puts the rest on the list.
    fn write(&mut self, tree: &'a Expr, read: Read, rest: &mut Vec<Piece<'a>>, out: &mut String) {
        let args = tree.args();
        match (tree.operator(), args) {
            (Operator::Constant(value), _) => out.push_str(&constant(value)),
            (Operator::Named(_), _) => rest.extend(args.iter().map(|arg| Piece::Tree(arg, read))),
            (Operator::Variable(name), _) => out.push_str(&self.name(*name)),
            (Operator::IfThenElse, _) => {
                let words = ["(if ", " then ", " else "];
                for (word, arg) in words.into_iter().zip(args) {
                    rest.extend([Piece::Text(word), Piece::Tree(arg, read)]);
                }
                rest.push(Piece::Text(")"));
            }
            (Operator::Call(function), _) => {
                out.push_str(&self.name(function.name()));
                list(args, ", ", read, rest);
            }
            (Operator::ToReal, _) => prefix("real(", args, read, rest),
            (Operator::Floor, _) => prefix("floor(", args, read, rest),
            (Operator::Not, _) => prefix("(not ", args, read, rest),
            (Operator::Negate, _) => prefix("(-", args, read, rest),
            (Operator::Pre, [operand]) => {
                let bounds = Bounds::of_tree(operand, |name| self.bounded.get(&name).cloned());
                match bounds.filter(|_| read == Read::First) {
                    Some(bounds) => out.push_str(&self.hold(operand, &bounds)),
                    None => prefix("(pre ", args, Read::First, rest),
                }
            }
            (Operator::Arrow, [left, right]) => rest.extend([
                Piece::Text("("),
                Piece::Tree(left, read),
                Piece::Text(" -> "),
                Piece::Tree(right, Read::Later),
                Piece::Text(")"),
            ]),
            (Operator::Equal | Operator::Different, _) if args.len() > 2 => {
                let negated = *tree.operator() == Operator::Different;
                rest.push(Piece::Text(if negated { "(not (" } else { "(" }));
                let (left, right) = args.split_at(args.len() / 2);
                for (at, (a, b)) in left.iter().zip(right).enumerate() {
                    rest.push(Piece::Text(if at > 0 { ") and (" } else { "(" }));
                    let pair = [
                        Piece::Tree(a, read),
                        Piece::Text(" = "),
                        Piece::Tree(b, read),
                    ];
                    rest.extend(pair);
                }
                rest.push(Piece::Text(if negated { ")))" } else { "))" }));
            }
            (operator, _) => list(args, infix(operator), read, rest),
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

fn prefix<'e>(word: &'static str, args: &'e [Expr], read: Read, rest: &mut Vec<Piece<'e>>) {
    rest.push(Piece::Text(word));
    rest.extend(args.iter().map(|arg| Piece::Tree(arg, read)));
    rest.push(Piece::Text(")"));
}

fn list<'e>(args: &'e [Expr], between: &'static str, read: Read, rest: &mut Vec<Piece<'e>>) {
    rest.push(Piece::Text("("));
    for (at, arg) in args.iter().enumerate() {
        if at > 0 {
            rest.push(Piece::Text(between));
        }
        rest.push(Piece::Tree(arg, read));
    }
    rest.push(Piece::Text(")"));
}

/// The operator between its arguments. Lustre has no bit-vectors.
fn infix(operator: &Operator) -> &'static str {
    match operator {
        Operator::And => " and ",
        Operator::Or => " or ",
        Operator::Xor => " xor ",
        Operator::Implies => " => ",
        Operator::Equal => " = ",
        Operator::Different => " <> ",
        Operator::Less => " < ",
        Operator::LessEqual => " <= ",
        Operator::Greater => " > ",
        Operator::GreaterEqual => " >= ",
        Operator::Plus => " + ",
        Operator::Minus => " - ",
        Operator::Times => " * ",
        Operator::Divide => " / ",
        Operator::IntDivide => " div ",
        Operator::Modulo => " mod ",
        Operator::Arrow => " -> ",
        _ => " ? ",
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
