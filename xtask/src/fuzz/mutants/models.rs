//! Random models in Lustre: small, well typed, and without cycles inside a step.
//!
//! A variable reads, at the same step, only what stands before it in the order of definition, and
//! under a `pre` whatever its node declares. Numbers are mostly counted within bounds, so that there
//! are properties to prove. Everything follows from the generator of numbers.

use proofmark_solve::random::Random;

/// The types of variables. Their declarations are in [`Draft::declarations`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Bool,
    Int,
    /// A subrange of the integers.
    Small,
    Real,
    /// An enumeration.
    Mode,
    /// `int[3]`
    Row,
    /// `bool[2]`
    Flags,
    /// A record of `f: int` and `g: bool`.
    Pair,
}

impl Type {
    pub fn text(self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::Int => "int",
            Type::Small => "small",
            Type::Real => "real",
            Type::Mode => "mode",
            Type::Row => "int[3]",
            Type::Flags => "bool[2]",
            Type::Pair => "pair",
        }
    }
}

const MODES: [&str; 3] = ["red", "green", "blue"];

#[derive(Clone, Debug)]
pub struct Declared {
    pub name: String,
    pub of: Type,
}

/// A node as lists of texts.
#[derive(Clone, Debug, Default)]
pub struct NodeDraft {
    pub name: String,
    pub inputs: Vec<Declared>,
    pub outputs: Vec<Declared>,
    pub locals: Vec<Declared>,
    /// Equations and assertions, each with its semicolon.
    pub statements: Vec<String>,
}

/// A model to which properties can be added.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Types and constants.
    pub declarations: String,
    /// The last one is the main node.
    pub nodes: Vec<NodeDraft>,
}

/// A Boolean expression over the variables of the main node.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub expression: String,
    /// Whether the variable that holds it is an output.
    pub is_output: bool,
}

impl Draft {
    pub fn main(&self) -> &NodeDraft {
        &self.nodes[self.nodes.len() - 1]
    }

    /// The model with these properties, each an equation of a variable `p0`, `p1`, ….
    pub fn text(&self, properties: &[Candidate]) -> String {
        let mut text = self.declarations.clone();
        for (at, node) in self.nodes.iter().enumerate() {
            let mut node = node.clone();
            if at + 1 == self.nodes.len() {
                for (number, one) in properties.iter().enumerate() {
                    add_property(&mut node, number, one);
                }
            }
            text.push_str(&write_node(&node));
        }
        text
    }
}

fn add_property(node: &mut NodeDraft, number: usize, candidate: &Candidate) {
    let name = format!("p{number}");
    let equation = format!("{name} = {};", candidate.expression);
    node.statements.push(equation);
    node.statements.push(format!("--%PROPERTY {name};"));
    let declared = Declared {
        name,
        of: Type::Bool,
    };
    match candidate.is_output {
        true => node.outputs.push(declared),
        false => node.locals.push(declared),
    }
}

fn write_node(node: &NodeDraft) -> String {
    let list = |all: &[Declared]| -> String {
        let all = all
            .iter()
            .map(|one| format!("{}: {}", one.name, one.of.text()));
        all.collect::<Vec<String>>().join("; ")
    };
    let mut text = format!(
        "node {}({}) returns ({});\n",
        node.name,
        list(&node.inputs),
        list(&node.outputs)
    );
    if !node.locals.is_empty() {
        text.push_str("var\n");
        for one in &node.locals {
            text.push_str(&format!("  {}: {};\n", one.name, one.of.text()));
        }
    }
    text.push_str("let\n");
    for statement in &node.statements {
        text.push_str(&format!("  {statement}\n"));
    }
    text.push_str("tel;\n");
    text
}

/// Draws a model.
pub fn draft(random: &mut Random) -> Draft {
    let (least, most) = (random.between(-1, 1), random.between(2, 4));
    let constants: Vec<i64> = (0..3).map(|_| random.between(0, 5)).collect();
    let mut declarations = format!(
        "type small = subrange [{least}, {most}] of int;\n\
         type mode = enum {{red, green, blue}};\n\
         type pair = struct {{f: int; g: bool}};\n"
    );
    for (at, value) in constants.iter().enumerate() {
        declarations.push_str(&format!("const K{at} = {value};\n"));
    }
    declarations.push_str(&format!("const ON = {};\n", random.chance(50)));
    let mut author = Author {
        random,
        range: (least, most),
        signatures: Vec::new(),
        scope: Vec::new(),
        readable: 0,
    };
    let mut nodes = Vec::new();
    for at in 0..author.random.between(1, 3) {
        let node = author.node(&format!("n{at}"), Size::PART);
        author.signatures.push(Signature {
            name: node.name.clone(),
            inputs: node.inputs.iter().map(|one| one.of).collect(),
            outputs: node.outputs.iter().map(|one| one.of).collect(),
        });
        nodes.push(node);
    }
    nodes.push(author.node("main", Size::MAIN));
    Draft {
        declarations,
        nodes,
    }
}

/// Expressions that may hold in all runs of the model, or may not. `bounds` are the least and the
/// greatest value that each number of the main node was seen to have.
pub fn candidates(
    draft: &Draft,
    bounds: &[(String, i64, i64)],
    random: &mut Random,
) -> Vec<Candidate> {
    let main = draft.main();
    let all = [&main.inputs, &main.locals, &main.outputs];
    let scope: Vec<Declared> = all.into_iter().flatten().cloned().collect();
    let mut author = Author {
        random,
        range: (0, 3),
        signatures: Vec::new(),
        readable: scope.len(),
        scope,
    };
    let mut candidates = Vec::new();
    for (name, least, most) in bounds {
        let bound = match author.random.below(4) {
            0 => format!("{name} >= {least}"),
            1 => format!("{name} <= {most}"),
            2 => format!("{least} <= {name} and {name} <= {most}"),
            _ => format!("true -> pre {name} <= {most}"),
        };
        candidates.push(bound);
    }
    for _ in 0..12 {
        let one = author.claim();
        candidates.push(one);
    }
    let restated = main.statements.iter().filter_map(|one| restated(main, one));
    candidates.extend(restated.filter(|_| author.random.chance(40)));
    let candidate = |expression| Candidate {
        expression,
        is_output: author.random.chance(30),
    };
    candidates.into_iter().map(candidate).collect()
}

/// An equation as a property, where it is one of a single scalar: many faults break it.
fn restated(node: &NodeDraft, statement: &str) -> Option<String> {
    let (name, value) = statement.strip_suffix(';')?.split_once(" = ")?;
    let mut declared = node.locals.iter().chain(&node.outputs);
    let of = declared.find(|one| one.name == name)?.of;
    let is_scalar = !matches!(of, Type::Row | Type::Flags | Type::Pair);
    // A call would make an instance of its own.
    let calls = value.contains("condact(") || value.contains("n0(") || value.contains("n1(");
    (is_scalar && !calls).then(|| format!("{name} = ({value})"))
}

/// How much a node has.
#[derive(Clone, Copy)]
struct Size {
    inputs: (i64, i64),
    outputs: (i64, i64),
    locals: (i64, i64),
    /// Equations that are calls.
    calls: (i64, i64),
    depth: u32,
    /// In percent, twice.
    assertions: usize,
}

impl Size {
    const PART: Size = Size {
        inputs: (1, 3),
        outputs: (1, 2),
        locals: (0, 1),
        calls: (0, 1),
        depth: 2,
        assertions: 15,
    };
    const MAIN: Size = Size {
        inputs: (2, 4),
        outputs: (1, 3),
        locals: (1, 3),
        calls: (1, 3),
        depth: 2,
        assertions: 35,
    };
}

struct Signature {
    name: String,
    inputs: Vec<Type>,
    outputs: Vec<Type>,
}

/// What defines some variables of a node.
enum Definition {
    Expression(Declared),
    Call(usize, Vec<Declared>),
}

struct Author<'r> {
    random: &'r mut Random,
    /// The bounds of [`Type::Small`].
    range: (i64, i64),
    /// The nodes that can be called.
    signatures: Vec<Signature>,
    /// The variables of the node.
    scope: Vec<Declared>,
    /// How many of them may be read at the same step.
    readable: usize,
}

impl Author<'_> {
    fn some_type(&mut self) -> Type {
        use Type::{Bool, Flags, Int, Mode, Pair, Real, Row, Small};
        self.random.pick(&[
            Bool, Bool, Bool, Bool, Int, Int, Int, Int, Small, Small, Mode, Real, Row, Flags, Pair,
        ])
    }

    fn declare(&mut self, prefix: char, range: (i64, i64)) -> Vec<Declared> {
        let count = self.random.between(range.0, range.1);
        let one = |at: i64| Declared {
            name: format!("{prefix}{at}"),
            of: self.some_type(),
        };
        (0..count).map(one).collect()
    }

    /// Inputs, of which the first ones are a flag and a number, so that conditions depend on something.
    fn inputs(&mut self, range: (i64, i64)) -> Vec<Declared> {
        let mut inputs = self.declare('i', range);
        for (one, of) in inputs.iter_mut().zip([Type::Bool, Type::Int]) {
            if self.random.chance(80) {
                one.of = of;
            }
        }
        inputs
    }

    fn node(&mut self, name: &str, size: Size) -> NodeDraft {
        let mut node = NodeDraft {
            name: name.into(),
            inputs: self.inputs(size.inputs),
            outputs: self.declare('o', size.outputs),
            locals: self.declare('v', size.locals),
            statements: Vec::new(),
        };
        let defined = node.locals.iter().chain(&node.outputs);
        let mut definitions: Vec<Definition> =
            defined.cloned().map(Definition::Expression).collect();
        if !self.signatures.is_empty() {
            for number in 0..self.random.between(size.calls.0, size.calls.1) {
                let callee = self.random.below(self.signatures.len());
                let results = self.results(callee, number, &mut node);
                definitions.push(Definition::Call(callee, results));
            }
        }
        self.shuffle(&mut definitions);
        self.scope = node.inputs.clone();
        for definition in &definitions {
            match definition {
                Definition::Expression(one) => self.scope.push(one.clone()),
                Definition::Call(_, results) => self.scope.extend(results.iter().cloned()),
            }
        }
        self.readable = node.inputs.len();
        for definition in definitions {
            let statement = self.define(&definition, size.depth);
            node.statements.push(statement);
            self.readable += match definition {
                Definition::Expression(_) => 1,
                Definition::Call(_, results) => results.len(),
            };
        }
        for _ in 0..2 {
            if self.random.chance(size.assertions) {
                let assumption = self.assumption(node.inputs.len());
                node.statements.push(format!("assert {assumption};"));
            }
        }
        let mut statements = std::mem::take(&mut node.statements);
        self.shuffle(&mut statements);
        node.statements = statements;
        node
    }

    /// Declares variables for the outputs of a call, in the main node often as outputs.
    fn results(&mut self, callee: usize, number: i64, node: &mut NodeDraft) -> Vec<Declared> {
        let types = self.signatures[callee].outputs.clone();
        let mut results = Vec::new();
        for (at, of) in types.into_iter().enumerate() {
            let name = format!("c{number}_{at}");
            let declared = Declared { name, of };
            match self.random.chance(40) {
                true => node.outputs.push(declared.clone()),
                false => node.locals.push(declared.clone()),
            }
            results.push(declared);
        }
        results
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.random.below(at + 1));
        }
    }

    fn define(&mut self, definition: &Definition, depth: u32) -> String {
        match definition {
            Definition::Expression(one) => {
                let value = match self.random.chance(45) {
                    true => self.memory(one),
                    false => {
                        let depth = depth + self.random.below(2) as u32;
                        self.expression(one.of, depth)
                    }
                };
                format!("{} = {value};", one.name)
            }
            Definition::Call(callee, results) => {
                let names: Vec<&str> = results.iter().map(|one| one.name.as_str()).collect();
                let call = self.call(*callee, 1);
                format!("{} = {call};", names.join(", "))
            }
        }
    }

    /// A call, sometimes under a clock.
    fn call(&mut self, callee: usize, depth: u32) -> String {
        let Signature {
            name,
            inputs,
            outputs,
        } = &self.signatures[callee];
        let (name, inputs, outputs) = (name.clone(), inputs.clone(), outputs.clone());
        let list = |author: &mut Self, types: &[Type], depth| -> String {
            let all = types.iter().map(|of| author.expression(*of, depth));
            all.collect::<Vec<String>>().join(", ")
        };
        let arguments = list(self, &inputs, depth);
        let call = format!("{name}({arguments})");
        if !self.random.chance(30) {
            return call;
        }
        let clock = self.expression(Type::Bool, 1);
        let defaults = list(self, &outputs, 0);
        format!("condact({clock}, {call}, {defaults})")
    }

    /// What remembers its own past: a counter, a latch, a mode, a register.
    fn memory(&mut self, one: &Declared) -> String {
        let x = &one.name;
        let condition = self.expression(Type::Bool, 1);
        match one.of {
            Type::Bool => match self.random.below(4) {
                0 => format!("{condition} -> ({condition} or pre {x})"),
                1 => format!("({condition}) and (true -> pre {x})"),
                2 => format!("false -> not pre {x}"),
                _ => {
                    let other = self.expression(Type::Bool, 1);
                    format!(
                        "if {condition} then true else if {other} then false else (false -> pre {x})"
                    )
                }
            },
            Type::Int | Type::Small => {
                let (least, most) = match one.of {
                    Type::Small => self.range,
                    _ => (0, self.random.between(2, 5)),
                };
                match self.random.below(3) {
                    0 => format!(
                        "{least} -> if {condition} then {least} else if pre {x} < {most} \
                         then pre {x} + 1 else pre {x}"
                    ),
                    1 => format!(
                        "{least} -> if {condition} and pre {x} <= {most} - 1 then pre {x} + 1 \
                         else if pre {x} > {least} then pre {x} - 1 else {least}"
                    ),
                    _ => format!("if {condition} then {most} else ({least} -> pre {x})"),
                }
            }
            Type::Mode => {
                let (first, second) = (self.random.pick(&MODES), self.random.pick(&MODES));
                format!("{first} -> if {condition} then {second} else pre {x}")
            }
            Type::Real => {
                format!("0.0 -> if {condition} then pre {x} / 2.0 else pre {x} + 0.5")
            }
            Type::Row => {
                let (index, value) = (self.index(), self.expression(Type::Int, 1));
                format!(
                    "[0, 1, 2] -> if {condition} then (pre {x})[{index} := {value}] else pre {x}"
                )
            }
            Type::Flags => {
                format!(
                    "[false, true] -> if {condition} then [(pre {x})[1], (pre {x})[0]] else pre {x}"
                )
            }
            Type::Pair => {
                let value = self.expression(Type::Int, 1);
                format!(
                    "pair {{f = 0; g = true}} -> if {condition} then (pre {x}){{f := {value}}} else pre {x}"
                )
            }
        }
    }

    /// A variable that may be read here.
    fn variable(&mut self, of: Type) -> Option<String> {
        let known = self.scope[..self.readable].iter();
        let fits = |one: &&Declared| one.of == of || (of == Type::Int && one.of == Type::Small);
        let known: Vec<&Declared> = known.filter(fits).collect();
        match known.is_empty() {
            true => None,
            false => Some(known[self.random.below(known.len())].name.clone()),
        }
    }

    fn literal(&mut self, of: Type) -> String {
        match of {
            Type::Bool => self.random.pick(&["true", "false", "ON"]).into(),
            Type::Int => match self.random.below(6) {
                0 => "(-1)".into(),
                1 => self.random.pick(&["K0", "K1", "K2"]).into(),
                _ => self.random.between(0, 4).to_string(),
            },
            Type::Small => self
                .random
                .between(self.range.0.max(0), self.range.1)
                .to_string(),
            Type::Real => self.random.pick(&["0.0", "0.5", "1.5", "2.0"]).into(),
            Type::Mode => self.random.pick(&MODES).into(),
            Type::Row => "[1, 0, 2]".into(),
            Type::Flags => "[true, false]".into(),
            Type::Pair => "pair {f = 1; g = false}".into(),
        }
    }

    /// A variable where there is one.
    fn named(&mut self, of: Type) -> String {
        let variable = self.variable(of);
        variable.unwrap_or_else(|| self.literal(of))
    }

    fn leaf(&mut self, of: Type) -> String {
        let wanted = self.random.chance(85);
        let variable = wanted.then(|| self.variable(of)).flatten();
        variable.unwrap_or_else(|| self.literal(of))
    }

    fn expression(&mut self, of: Type, depth: u32) -> String {
        if depth == 0 || self.random.chance(15) {
            return self.leaf(of);
        }
        match self.random.below(12) {
            0 | 1 => {
                let condition = self.expression(Type::Bool, depth - 1);
                let (yes, no) = (
                    self.expression(of, depth - 1),
                    self.expression(of, depth - 1),
                );
                format!("(if {condition} then {yes} else {no})")
            }
            2 | 3 => self.delayed(of, depth),
            4 => self
                .called(of, depth)
                .unwrap_or_else(|| self.operation(of, depth)),
            _ => self.operation(of, depth),
        }
    }

    /// The past of an expression, mostly with a value for the first step.
    fn delayed(&mut self, of: Type, depth: u32) -> String {
        let readable = std::mem::replace(&mut self.readable, self.scope.len());
        let past = match depth > 0 && self.random.chance(25) {
            true => self.delayed(of, depth - 1),
            false => self.expression(of, depth.saturating_sub(1)),
        };
        self.readable = readable;
        // `pre` binds tightly; a negative number is in parentheses already.
        let past = match past.chars().all(|c| c.is_ascii_alphanumeric()) {
            true => past,
            false => format!("({past})"),
        };
        if self.random.chance(7) {
            return format!("(pre {past})");
        }
        let first = self.leaf(of);
        match self.random.chance(15) {
            true => format!("({first} fby {past})"),
            false => format!("({first} -> pre {past})"),
        }
    }

    /// A call of a node with one output of this type.
    fn called(&mut self, of: Type, depth: u32) -> Option<String> {
        let all = self.signatures.iter().enumerate();
        let fitting: Vec<usize> = all
            .filter(|(_, one)| one.outputs == [of])
            .map(|(at, _)| at)
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let callee = self.random.pick(&fitting);
        Some(self.call(callee, depth - 1))
    }

    fn operation(&mut self, of: Type, depth: u32) -> String {
        let depth = depth - 1;
        match of {
            Type::Bool => self.boolean(depth),
            Type::Int => self.integer(depth),
            Type::Small => {
                // A subrange is an obligation, so that the number is kept within its bounds.
                let ((least, most), number) = (self.range, self.integer(depth));
                format!(
                    "(if {number} < {least} then {least} else if {number} > {most} then {most} else {number})"
                )
            }
            Type::Real => self.real(depth),
            Type::Mode => self.leaf(of),
            Type::Row => {
                let mut item = || self.expression(Type::Int, depth);
                format!("[{}, {}, {}]", item(), item(), item())
            }
            Type::Flags => {
                let mut item = || self.expression(Type::Bool, depth);
                format!("[{}, {}]", item(), item())
            }
            Type::Pair => {
                let (number, flag) = (
                    self.expression(Type::Int, depth),
                    self.expression(Type::Bool, depth),
                );
                format!("pair {{f = {number}; g = {flag}}}")
            }
        }
    }

    fn boolean(&mut self, depth: u32) -> String {
        let of = match self.random.below(14) {
            0..=5 => Type::Bool,
            6..=9 => Type::Int,
            10 => Type::Mode,
            11 => Type::Real,
            12 => return self.part(Type::Bool),
            _ => {
                let mut item = || self.expression(Type::Bool, depth);
                return format!("#({}, {}, {})", item(), item(), item());
            }
        };
        let (left, right) = (self.expression(of, depth), self.expression(of, depth));
        let operator = match of {
            Type::Bool if self.random.chance(15) => return format!("(not {left})"),
            Type::Bool => self.random.pick(&["and", "or", "xor", "=>", "=", "<>"]),
            Type::Mode => self.random.pick(&["=", "<>"]),
            Type::Real => self.random.pick(&["<", "<=", ">", ">="]),
            _ => self.random.pick(&["<", "<=", ">", ">=", "=", "<>"]),
        };
        format!("({left} {operator} {right})")
    }

    fn integer(&mut self, depth: u32) -> String {
        let left = self.expression(Type::Int, depth);
        let number = self.random.between(2, 3);
        match self.random.below(10) {
            0..=2 => format!("({left} + {})", self.expression(Type::Int, depth)),
            3 | 4 => format!("({left} - {})", self.expression(Type::Int, depth)),
            5 => format!("({left} * {number})"),
            6 => format!("({left} div {number})"),
            7 => format!("({left} mod {number})"),
            8 => self.part(Type::Int),
            _ => format!("(-{left})"),
        }
    }

    fn real(&mut self, depth: u32) -> String {
        let left = self.expression(Type::Real, depth);
        match self.random.below(5) {
            0 => format!("({left} + {})", self.expression(Type::Real, depth)),
            1 => format!("({left} - {})", self.expression(Type::Real, depth)),
            2 => format!("({left} * 2.0)"),
            3 => format!("({left} / 2.0)"),
            _ => format!("real({})", self.expression(Type::Int, depth)),
        }
    }

    /// An element of an array or a field of a record.
    fn part(&mut self, of: Type) -> String {
        let whole = match of {
            Type::Bool => Type::Flags,
            _ => Type::Row,
        };
        if let (true, Some(pair)) = (self.random.chance(50), self.variable(Type::Pair)) {
            let field = if of == Type::Bool { "g" } else { "f" };
            return format!("{pair}.{field}");
        }
        let index = self.index();
        match self.variable(whole) {
            Some(array) => format!("{array}[{index}]"),
            None => self.leaf(of),
        }
    }

    /// A constant index is inside every array; a variable may be outside.
    fn index(&mut self) -> String {
        let variable = self.random.chance(40).then(|| self.variable(Type::Int));
        variable
            .flatten()
            .unwrap_or_else(|| self.random.below(2).to_string())
    }

    /// An assumption that most runs meet: mostly about inputs alone.
    fn assumption(&mut self, inputs: usize) -> String {
        let all = std::mem::replace(&mut self.readable, inputs);
        let number = self.variable(Type::Int);
        let (flag, other) = (self.variable(Type::Bool), self.variable(Type::Bool));
        let choice = self.random.below(6);
        let text = match (choice, number, flag, other) {
            (0, Some(number), ..) => Some(format!("{number} >= {}", self.random.between(-2, 0))),
            (1, Some(number), ..) => Some(format!("{number} <= {}", self.random.between(2, 5))),
            (2, Some(number), ..) => Some(format!("true -> {number} <= pre {number} + 1")),
            (3, _, Some(flag), Some(other)) => Some(format!("not ({flag} and {other})")),
            (3 | 4, _, Some(flag), _) => Some(format!("({flag} or (true -> pre {flag}))")),
            _ => None,
        };
        self.readable = all;
        text.unwrap_or_else(|| {
            let claim = self.claim();
            let flag = self.leaf(Type::Bool);
            format!("({flag} or ({claim}))")
        })
    }

    /// Something that may well always be true.
    fn claim(&mut self) -> String {
        let (a, b) = (self.named(Type::Bool), self.leaf(Type::Bool));
        let (x, y) = (self.named(Type::Int), self.leaf(Type::Int));
        match self.random.below(14) {
            9 if self.random.chance(70) => self.expression(Type::Bool, 2),
            0 => format!("{a} => {b}"),
            1 => format!("{a} or {b}"),
            2 => format!("not ({a} and {b})"),
            3 => format!("{x} <= {y}"),
            4 => format!("{x} = {y} or {a}"),
            5 => format!("{a} => {x} >= {y}"),
            6 => format!("true -> (pre {a} => {b})"),
            7 => format!("true -> {x} >= pre {x}"),
            8 => format!("true -> {x} <= pre {x} + 1"),
            9 => format!("{x} > {y} or {x} <= {y}"),
            10 => format!("{a} = {b}"),
            11 => format!("{} <> {}", self.named(Type::Mode), self.literal(Type::Mode)),
            12 => format!("{x} <= K0 + K1"),
            _ => self.expression(Type::Bool, 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::mutants::texts::Case;

    fn drafts() -> impl Iterator<Item = (Draft, Random)> {
        (0..300).map(|seed| {
            let mut random = Random::new(seed);
            (draft(&mut random), random)
        })
    }

    #[test]
    fn every_random_model_is_a_model() {
        for (draft, mut random) in drafts() {
            let candidates = candidates(&draft, &[], &mut random);
            let text = draft.text(&candidates);
            if let Err(what) = Case::load(text.clone()) {
                panic!("{what}\n{text}");
            }
        }
    }

    #[test]
    fn random_models_have_what_campaigns_stumble_over() {
        let texts: Vec<String> = drafts().map(|(draft, _)| draft.text(&[])).collect();
        let share = |has: &dyn Fn(&str) -> bool| {
            let having = texts.iter().filter(|text| has(text));
            having.count() * 100 / texts.len()
        };
        let calls = |text: &str| text.matches("n0(").count();
        let in_main = |text: &str, word: &str| {
            let main = text.split_once("node main(").map_or("", |(_, main)| main);
            main.contains(word)
        };
        assert!(share(&|text| text.contains("assert ")) > 40);
        assert!(share(&|text| in_main(text, "assert ")) > 30);
        assert!(share(&|text| text.contains("condact(")) > 40);
        assert!(share(&|text| text.contains("-> pre ((")) > 10);
        assert!(share(&|text| text.contains("(pre ")) > 10);
        assert!(share(&|text| text.contains("int[3]") || text.contains("bool[2]")) > 30);
        assert!(share(&|text| text.contains(": pair")) > 20);
        assert!(share(&|text| text.contains(": mode")) > 20);
        assert!(share(&|text| in_main(text, "K")) > 20);
        // The definition, and two calls at least.
        assert!(share(&|text| calls(text) > 2) > 30);
    }
}
