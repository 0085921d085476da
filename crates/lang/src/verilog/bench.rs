//! A counterexample as a testbench: it drives the design of the user as the run does, and fails in a
//! simulator where the property is violated.
//!
//! The property is evaluated by the testbench itself, over the registers of the design, so that it fails in
//! simulators that know no assertions, too. Registers that only Yosys knows (it makes some for clocked
//! assertions) are kept in the testbench, each with its next value. What begins with any value in the model
//! is forced to that of the run before the first clock edge. As in the model, all clocks are one.

use super::expression::{constant, operation};
use super::labels::{without_labels, words};
use crate::btor2::width;
use crate::language::{SimulatorTest, TestFiles};
use proofmark_model::{Expr, Model, NodeId, Operator, Role, Symbol, Value, Variable, When};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;

/// Where the testbench finds the value of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Place {
    /// A port, driven by a register of the same name.
    Port,
    /// A clock: the testbench makes its edges.
    Clock { falling: bool },
    /// A signal of the design.
    Inside,
    /// A word of an array of the design, which cannot be forced.
    Word,
    /// A register of the testbench.
    Own,
}

/// The testbench as far as it is written.
struct Bench<'a> {
    test: &'a SimulatorTest<'a>,
    places: FxHashMap<Symbol, Place>,
    variables: FxHashMap<Symbol, &'a Variable>,
    /// What a state is defined by.
    equations: FxHashMap<Symbol, (When, &'a Expr)>,
    declarations: String,
    /// What unnamed states are called in the design, because an output is equal to them.
    paths: FxHashMap<Symbol, Symbol>,
    /// Names of what is declared.
    names: FxHashMap<Symbol, String>,
    wires: FxHashMap<NodeId, String>,
    /// Variables that the testbench keeps, in the order of their declaration.
    own: Vec<Symbol>,
}

/// The testbench of a run.
pub(super) fn test(test: &SimulatorTest<'_>) -> Result<TestFiles, String> {
    let module = module(test.translated).ok_or("Yosys does not tell the name of the top module")?;
    let goal = &test.run.loaded.model.goals[test.run.goal];
    let mut bench = Bench::new(test)?;
    let holds = bench.wire(&goal.tree)?;
    let next = bench.own_registers()?;
    let name = format!("{}_test", identifier(&goal.name));
    let goals = &test.run.loaded.model.goals;
    let plain = without_labels(test.text, |name| goals.iter().any(|goal| goal.name == name));
    let copy = plain.map(|plain| (copy_name(test.file), plain));
    let design = copy.as_ref().map_or(test.file, |(name, _)| name);
    let text = bench.text(&name, (module, design), &holds, &next);
    Ok(TestFiles {
        files: copy
            .into_iter()
            .chain([(format!("{name}.v"), text)])
            .collect(),
        warnings: bench.warnings(),
    })
}

/// The top module, which Yosys names in the first line.
fn module(translated: &str) -> Option<&str> {
    let first = translated.lines().next()?;
    let (_, name) = first.split_once(" for module ")?;
    Some(name.trim_end().trim_end_matches('.'))
}

/// The name of a copy of the design.
fn copy_name(file: &str) -> String {
    let path = Path::new(file);
    let part =
        |part: Option<&OsStr>| part.map_or(String::new(), |part| part.to_string_lossy().into());
    format!(
        "{}_without_labels.{}",
        part(path.file_stem()),
        part(path.extension())
    )
}

/// A name as an identifier of the testbench.
fn identifier(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String = name
        .chars()
        .map(|c| if fits(c) { c } else { '_' })
        .collect();
    match name.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("_{name}"),
        false => name,
    }
}

/// Whether a name leads to a signal of the design: names that Yosys made hold a dollar sign or a
/// backslash, and what has no name at all is called by its number.
fn is_of_design(name: &str) -> bool {
    let unnamed = name
        .strip_prefix('n')
        .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
    !unnamed && name.split('.').all(is_segment)
}

/// An identifier, with indices behind it.
fn is_segment(segment: &str) -> bool {
    let (name, indices) = segment.split_at(segment.find('[').unwrap_or(segment.len()));
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    let indices = indices.split_inclusive(']').all(|index| {
        let inner = index
            .strip_prefix('[')
            .and_then(|one| one.strip_suffix(']'));
        inner.is_some_and(|inner| inner.chars().all(|c| c.is_ascii_digit()))
    });
    indices && name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}

/// States that are outputs: Yosys names only the output.
fn outputs(model: &Model) -> FxHashMap<Symbol, Symbol> {
    let outputs = model
        .variables
        .iter()
        .filter(|one| one.role == Role::Output);
    let outputs: FxHashSet<Symbol> = outputs.map(|one| one.name).collect();
    let equations = model.equations.iter();
    let equal = equations.filter_map(|equation| match equation.tree.operator() {
        Operator::Variable(state) if !is_of_design(state.as_str()) => Some((
            *state,
            equation.target.filter(|name| outputs.contains(name))?,
        )),
        _ => None,
    });
    equal.collect()
}

/// Signals behind `posedge` (false) and `negedge` (true) in the text.
fn edges(text: &str) -> Vec<(String, bool)> {
    let words = words(text);
    let pairs = words.windows(2).map(|pair| (pair[0].1, pair[1].1));
    let edges = pairs.filter(|(word, _)| matches!(*word, "posedge" | "negedge"));
    edges
        .map(|(word, name)| (name.to_string(), word == "negedge"))
        .collect()
}

impl<'a> Bench<'a> {
    fn new(test: &'a SimulatorTest<'a>) -> Result<Bench<'a>, String> {
        let loaded = test.run.loaded;
        let equations = loaded.model.equations.iter();
        let equations = equations.filter_map(|one| Some((one.target?, (one.when, &one.tree))));
        let variables = loaded.model.variables.iter();
        let mut bench = Bench {
            test,
            places: FxHashMap::default(),
            variables: variables.map(|one| (one.name, one)).collect(),
            equations: equations.collect(),
            declarations: String::new(),
            paths: outputs(&loaded.model),
            names: FxHashMap::default(),
            wires: FxHashMap::default(),
            own: Vec::new(),
        };
        let all = loaded.model.variables.iter().zip(&loaded.facts.variables);
        for (variable, facts) in all {
            let name = bench.path(variable.name).as_str();
            let place = match variable.role {
                _ if !is_of_design(name) => Place::Own,
                Role::Input if name.contains(['.', '[']) => Place::Own,
                Role::Input => Place::Port,
                _ if facts.declared != variable.name => Place::Word,
                _ => Place::Inside,
            };
            bench.places.insert(variable.name, place);
        }
        bench.find_clocks()?;
        Ok(bench)
    }

    /// The name of a variable in the design.
    fn path(&self, name: Symbol) -> Symbol {
        self.paths.get(&name).copied().unwrap_or(name)
    }

    /// A clock is an input that no value depends on and that stands behind an edge in the text, or is called
    /// a clock when the text is in other files.
    fn find_clocks(&mut self) -> Result<(), String> {
        let model = &self.test.run.loaded.model;
        let trees = model.equations.iter().map(|one| &one.tree);
        let trees = trees.chain(model.goals.iter().map(|goal| &goal.tree));
        let read: FxHashSet<Symbol> = trees
            .flat_map(|tree| tree.nodes())
            .filter_map(|node| match node.operator() {
                Operator::Variable(name) => Some(*name),
                _ => None,
            })
            .collect();
        let inputs = model.variables.iter().filter(|one| {
            one.role == Role::Input && width(one.current.sort()) == 1 && !read.contains(&one.name)
        });
        let inputs = inputs.filter(|one| self.places[&one.name] == Place::Port);
        let unread: Vec<Symbol> = inputs.map(|one| one.name).collect();
        let edges = edges(self.test.text);
        let has = |name: &Symbol, falling| {
            edges
                .iter()
                .any(|one| one.0 == name.as_str() && one.1 == falling)
        };
        let mut clocks: Vec<Symbol> = unread.clone();
        clocks.retain(|name| has(name, false) || has(name, true));
        if clocks.is_empty() {
            clocks = unread;
            clocks.retain(|name| {
                let name = name.as_str().to_lowercase();
                name.contains("clk") || name.contains("clock")
            });
        }
        if clocks.is_empty() && !self.equations.is_empty() && self.test.run.steps > 1 {
            return Err("no input of the design is a clock: one that stands behind `posedge` or `negedge` and \
                 that no value depends on"
                .into());
        }
        for name in clocks {
            let falling = has(&name, true) && !has(&name, false);
            self.places.insert(name, Place::Clock { falling });
        }
        Ok(())
    }

    // ---- Wires of the property ------------------------------------------------------------

    /// The wire of an expression. A previous value is a present one: next values are read before the edge.
    fn wire(&mut self, root: &Expr) -> Result<String, String> {
        let mut stack = vec![root.clone()];
        while let Some(node) = stack.last().cloned() {
            if self.wires.contains_key(&node.id()) {
                stack.pop();
                continue;
            }
            let args = node.args().iter();
            let missing = args.filter(|arg| !self.wires.contains_key(&arg.id()));
            let missing: Vec<Expr> = missing.cloned().collect();
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            let args: Vec<&str> = node
                .args()
                .iter()
                .map(|arg| self.wires[&arg.id()].as_str())
                .collect();
            let wire = match node.operator() {
                Operator::Variable(name) => self.variable(*name),
                Operator::Pre | Operator::Named(_) => args[0].to_string(),
                _ => {
                    let name = format!("pm_w{}", self.wires.len());
                    let wires = operation(&node, &name, &args)?;
                    self.declarations.push_str(&wires);
                    name
                }
            };
            self.wires.insert(node.id(), wire);
            stack.pop();
        }
        Ok(self.wires[&root.id()].clone())
    }

    /// What holds the value of a variable.
    fn variable(&mut self, name: Symbol) -> String {
        if let Some(known) = self.names.get(&name) {
            return known.clone();
        }
        let bits = width(self.variables[&name].current.sort()) - 1;
        let own = format!("pm_v{}", self.names.len());
        match &self.places[&name] {
            Place::Port | Place::Clock { .. } => {
                self.names.insert(name, name.to_string());
                return name.to_string();
            }
            // By way of a wire, so that it does not matter how the bits are numbered.
            Place::Inside | Place::Word => {
                let path = self.path(name);
                let _ = writeln!(self.declarations, "  wire [{bits}:0] {own} = dut.{path};");
            }
            Place::Own => {
                let _ = writeln!(self.declarations, "  reg [{bits}:0] {own}; // {name}");
                self.own.push(name);
            }
        }
        self.names.insert(name, own.clone());
        own
    }

    /// Next values of the registers that the testbench keeps, which may need others: the register and the
    /// wire.
    fn own_registers(&mut self) -> Result<Vec<(String, String)>, String> {
        let mut next = Vec::new();
        let mut at = 0;
        while let Some(&name) = self.own.get(at) {
            at += 1;
            let tree = match self.equations.get(&name) {
                Some((When::Always, tree)) => tree.args().get(1).cloned(),
                Some((When::Later, tree)) => Some((*tree).clone()),
                _ => None,
            };
            if let Some(tree) = tree {
                let wire = self.wire(&tree)?;
                next.push((self.names[&name].clone(), wire));
            }
        }
        Ok(next)
    }

    // ---- The text -------------------------------------------------------------------------

    fn value(&self, name: Symbol, step: usize) -> Value {
        let variable = self.variables[&name];
        let value = self.test.run.trace.value(variable.current, step);
        value
            .cloned()
            .unwrap_or_else(|| Value::default_of(variable.current.sort()))
    }

    /// Variables of the model in its order, with where they are.
    fn all(&self) -> impl Iterator<Item = (&'a Variable, &Place)> {
        let variables = self.test.run.loaded.model.variables.iter();
        variables.map(|one| (one, &self.places[&one.name]))
    }

    fn text(
        &self,
        name: &str,
        (module, design): (&str, &str),
        holds: &str,
        next: &[(String, String)],
    ) -> String {
        let run = &self.test.run;
        let (file, property) = (self.test.file, &run.loaded.model.goals[run.goal].name);
        let last = run.steps - 1;
        let mut text = format!(
            "// A counterexample that Proofmark found: `{property}` of {file} is false at step {last}.\n\
             //   iverilog -g2012 -DFORMAL -o {name}.vvp {design} {name}.v && vvp {name}.vvp\n\
             // It prints FAIL and ends with $fatal as long as the design behaves so, and PASS otherwise.\n\
             module {name};\n"
        );
        self.design(module, &mut text);
        text.push_str(&self.declarations);
        let message = format!("FAIL: {property} is false at step %0d").replace('"', "'");
        let _ = write!(
            text,
            "\n  task check(input integer step);\n    if ({holds} === 1'b0) begin\n      \
             $display(\"{message}\", step);\n      $fatal(1);\n    end\n  endtask\n"
        );
        self.edge(next, &mut text);
        self.steps(property, &mut text);
        text.push_str("endmodule\n");
        text
    }

    /// The ports and the design.
    fn design(&self, module: &str, text: &mut String) {
        let mut ports = Vec::new();
        for (variable, place) in self.all() {
            let name = variable.name;
            let bits = width(variable.current.sort()) - 1;
            match place {
                Place::Port => {
                    let _ = writeln!(text, "  reg [{bits}:0] {name};");
                }
                Place::Clock { falling } => {
                    let _ = writeln!(text, "  reg {name} = {};", u8::from(*falling));
                }
                _ => continue,
            }
            ports.push(format!(".{name}({name})"));
        }
        let ports = ports.join(", ");
        let _ = writeln!(text, "  {module} dut ({ports});\n");
    }

    /// A clock edge; what the testbench keeps is read before it and set after it.
    fn edge(&self, next: &[(String, String)], text: &mut String) {
        let mut read = String::new();
        let mut set = String::new();
        for (register, wire) in next {
            let _ = writeln!(text, "  reg [$bits({register})-1:0] {register}_next;");
            let _ = writeln!(read, "      {register}_next = {wire};");
            let _ = writeln!(set, "      {register} = {register}_next;");
        }
        let clocks = self.all().filter_map(|(variable, place)| match place {
            Place::Clock { falling } => Some((variable.name, u8::from(*falling))),
            _ => None,
        });
        let (mut active, mut rest) = (String::new(), String::new());
        for (name, level) in clocks {
            let _ = writeln!(active, "      {name} = {};", 1 - level);
            let _ = writeln!(rest, "      {name} = {level};");
        }
        let _ = write!(
            text,
            "\n  task edges;\n    begin\n{read}{active}      #1;\n{set}{rest}      #1;\n    end\n  endtask\n"
        );
    }

    /// The run: inputs that change, what is free, checks and edges.
    fn steps(&self, property: &str, text: &mut String) {
        text.push_str("\n  initial begin\n");
        for step in 0..self.test.run.steps {
            let _ = writeln!(text, "    // step {step}");
            self.drive(step, text);
            text.push_str("    #1;\n");
            if step == 0 {
                self.begin(text);
            }
            let _ = writeln!(text, "    check({step});");
            if step + 1 < self.test.run.steps {
                text.push_str("    edges;\n");
            }
        }
        let property = property.replace('"', "'");
        let _ = write!(
            text,
            "    $display(\"PASS: {property} holds in this run\");\n    $finish;\n  end\n"
        );
    }

    /// Inputs, where they change, and registers of the testbench that are free at this step.
    fn drive(&self, step: usize, text: &mut String) {
        for (variable, place) in self.all() {
            let name = variable.name;
            let register = match (place, self.names.get(&name)) {
                (Place::Port, _) => name.to_string(),
                (Place::Own, Some(own)) => match self.equations.get(&name) {
                    Some((When::Always | When::Later, _)) if step > 0 => continue,
                    _ => own.clone(),
                },
                _ => continue,
            };
            let value = self.value(name, step);
            if step == 0 || value != self.value(name, step - 1) {
                let _ = writeln!(text, "    {register} = {};", constant(&value));
            }
        }
    }

    /// Registers of the design that begin with any value.
    fn begin(&self, text: &mut String) {
        let free = self.all().filter(|(variable, place)| {
            let defined = self.equations.get(&variable.name);
            variable.role == Role::Local
                && matches!(place, Place::Inside | Place::Word)
                && matches!(defined, None | Some((When::Later, _)))
        });
        let mut released = String::new();
        for (variable, place) in free {
            let name = self.path(variable.name);
            let value = constant(&self.value(variable.name, 0));
            let _ = match place {
                Place::Word => writeln!(text, "    dut.{name} = {value};"),
                _ => writeln!(text, "    force dut.{name} = {value};"),
            };
            if *place == Place::Inside {
                let _ = writeln!(released, "    release dut.{name};");
            }
        }
        let _ = write!(text, "    #1;\n{released}");
    }

    /// Inputs of the model that no port drives.
    fn warnings(&self) -> Vec<String> {
        let inputs = self
            .all()
            .filter(|(variable, place)| variable.role == Role::Input && **place == Place::Own);
        let told = inputs.map(|(variable, _)| {
            format!(
                "`{}` is no port, so that the test does not drive it and may pass",
                variable.name
            )
        });
        told.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_design_are_told_from_those_that_were_made() {
        for name in ["count", "sub.count", "gen[0].x", "memory[3]", "_a1"] {
            assert!(is_of_design(name), "{name}");
        }
        for name in ["n12", "$auto$1", "sub.$x", "a b", "x[", "x[a]", "1x", ""] {
            assert!(!is_of_design(name), "{name}");
        }
    }

    #[test]
    fn edges_are_found_in_the_text() {
        let text = "always @(posedge clk or negedge rst_n) x <= 1;";
        let found = edges(text);
        assert_eq!(
            found,
            [("clk".to_string(), false), ("rst_n".to_string(), true)]
        );
    }
}
