//! Texts that put a model beside another, or a model to one run.
//!
//! A model is taken from its text, flattened to one node and printed again, with what it assumes as an
//! output: `accepted` is true until the first step at which an assertion is false. Assertions that
//! are watched and not assumed leave nothing vacuous.

use proofmark_lang::lustre::{LANGUAGE, print};
use proofmark_lang::{Design, Loaded, Options, Part};
use proofmark_model::{
    ElementId, Lowered, Program, Rewriter, Role, System, Term, Trace, Value, lower,
};
use proofmark_quality::AnnotatedModel;
use proofmark_source::{FileId, Sources};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A model with its text.
pub struct Case {
    pub text: String,
    sources: Sources,
    file: FileId,
    loaded: Loaded,
    pub lowered: Lowered,
}

impl Case {
    pub fn load(text: String) -> Result<Case, String> {
        let mut sources = Sources::default();
        let file = sources.add("random.lus", text.clone());
        let file = file.map_err(|error| error.to_string())?;
        let (loaded, diagnostics) = (LANGUAGE.load)(&sources, file, &Options::default());
        let Some(loaded) = loaded.and_then(Design::words) else {
            let all: Vec<&str> = diagnostics.iter().map(|one| one.message.as_str()).collect();
            return Err(all.join("; "));
        };
        let mut lowered = lower(&loaded.model).map_err(|errors| errors[0].to_string())?;
        lowered.remember(&loaded.model);
        Ok(Case {
            text,
            sources,
            file,
            loaded,
            lowered,
        })
    }

    /// What writes mutations into the text.
    pub fn rewriter(&self) -> Option<Box<dyn Rewriter>> {
        (LANGUAGE.rewriter?)(&self.sources, self.file, &Options::default())
    }

    /// The model as campaigns have it.
    pub fn annotated<'a>(&'a self, rewriter: Option<&'a dyn Rewriter>) -> AnnotatedModel<'a> {
        AnnotatedModel {
            sources: &self.sources,
            model: &self.loaded.model,
            facts: &self.loaded.facts,
            lowered: &self.lowered,
            rewriter,
        }
    }
}

/// A name and its type.
type Declaration = (String, String);

/// A model as one node.
#[derive(Clone, Debug)]
pub struct Flat {
    types: Vec<String>,
    inputs: Vec<Declaration>,
    outputs: Vec<Declaration>,
    locals: Vec<Declaration>,
    equations: Vec<String>,
    assertions: Vec<String>,
    /// An expression for each property, in order.
    goals: Vec<String>,
    /// Whether it has values that nothing determines.
    pub chooses: bool,
}

impl Flat {
    pub fn new(case: &Case) -> Flat {
        let equations: FxHashSet<ElementId> = case.lowered.system.ids().collect();
        let model = &case.loaded.model;
        let goals: Vec<usize> = (0..model.goals.len()).collect();
        let text = print(&Part {
            model,
            name: "flat",
            equations: &equations,
            goals: &goals,
        });
        let mut flat = Flat {
            types: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            locals: Vec::new(),
            equations: Vec::new(),
            assertions: Vec::new(),
            goals: Vec::new(),
            chooses: chooses(&case.lowered.system),
        };
        text.lines().for_each(|line| flat.take(line));
        flat
    }

    /// Takes a line of a printed model; each holds one thing.
    fn take(&mut self, line: &str) {
        let inner = line.trim().trim_end_matches(';');
        if line.starts_with("type ") {
            self.types.push(line.into());
        } else if let Some(rest) = inner.strip_prefix("node flat(") {
            let (inputs, outputs) = rest.split_once(") returns (").unwrap_or((rest, ""));
            self.inputs = declarations(inputs);
            self.outputs = declarations(outputs.trim_end_matches(')'));
        } else if let Some(rest) = line.strip_prefix("var ") {
            self.locals = declarations(rest.trim_end_matches(';'));
        } else if let Some(rest) = inner.strip_prefix("assert ") {
            self.assertions.push(rest.into());
        } else if let Some(rest) = inner.strip_prefix("--%PROPERTY ") {
            let named = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
            self.goals.push(named.map_or(rest, |(_, tree)| tree).into());
        } else if !matches!(inner, "let" | "tel") {
            self.equations.push(inner.into());
        }
    }

    /// Whether all its inputs are inputs of the other.
    pub fn has_inputs_of(&self, other: &Flat) -> bool {
        self.inputs.iter().all(|(name, _)| other.is_input(name))
    }

    /// Whether it has an input of this name.
    pub fn is_input(&self, name: &str) -> bool {
        self.inputs.iter().any(|(known, _)| known == name)
    }

    fn type_of(&self, name: &str) -> Option<&str> {
        let all = [&self.inputs, &self.outputs, &self.locals];
        let mut all = all.into_iter().flatten();
        let found = all.find(|(known, _)| known == name);
        found.map(|(_, of)| of.as_str())
    }

    /// The node, which returns what is wanted of its variables, whether the run is accepted, and
    /// whether the properties hold.
    fn node(&self, name: &str, wanted: &[&str]) -> String {
        let mut outputs: Vec<Declaration> = Vec::new();
        for (at, one) in wanted.iter().enumerate() {
            let of = self.type_of(one).unwrap_or("bool");
            outputs.push((format!("seen{at}"), of.into()));
        }
        outputs.push(("accepted".into(), "bool".into()));
        outputs.extend((0..self.goals.len()).map(|at| (format!("holds{at}"), "bool".into())));
        let mut text = format!("node {name}({}) returns (", write(&self.inputs));
        let _ = writeln!(text, "{});\nvar", write(&outputs));
        for (name, of) in self.locals.iter().chain(&self.outputs) {
            let _ = writeln!(text, "  {name}: {of};");
        }
        text.push_str("  unused: bool;\nlet\n  unused = true;\n");
        for equation in &self.equations {
            let _ = writeln!(text, "  {equation};");
        }
        for (at, one) in wanted.iter().enumerate() {
            let _ = writeln!(text, "  seen{at} = {one};");
        }
        text.push_str("  accepted = (true -> pre accepted)");
        for assertion in &self.assertions {
            let _ = write!(text, "\n    and ({assertion})");
        }
        text.push_str(";\n");
        for (at, goal) in self.goals.iter().enumerate() {
            let _ = writeln!(text, "  holds{at} = {goal};");
        }
        text.push_str("tel;\n");
        text
    }

    /// A call of that node: declarations of its results with a prefix, and the equation.
    fn call(&self, name: &str, wanted: &[&str], prefix: &str) -> (Vec<Declaration>, String) {
        let mut results: Vec<Declaration> = Vec::new();
        for (at, one) in wanted.iter().enumerate() {
            let of = self.type_of(one).unwrap_or("bool");
            results.push((format!("{prefix}_seen{at}"), of.into()));
        }
        results.push((format!("{prefix}_accepted"), "bool".into()));
        let goals = 0..self.goals.len();
        results.extend(goals.map(|at| (format!("{prefix}_holds{at}"), "bool".into())));
        let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
        let arguments: Vec<&str> = self.inputs.iter().map(|(name, _)| name.as_str()).collect();
        let equation = format!("{} = {name}({})", names.join(", "), arguments.join(", "));
        (results, equation)
    }
}

/// Whether a run has values to choose that are no inputs: an unguarded `pre`, a cycle in one step.
fn chooses(system: &System) -> bool {
    let Ok(program) = Program::compile(system) else {
        return true;
    };
    let (first, later) = program.free();
    let is_input = |term: &Term| system.variable(*term).map(|one| one.role) == Some(Role::Input);
    !first.iter().chain(&later).all(is_input)
}

fn declarations(text: &str) -> Vec<Declaration> {
    let all = text.split("; ").filter_map(|one| one.split_once(": "));
    all.map(|(name, of)| (name.to_string(), of.to_string()))
        .collect()
}

fn write(all: &[Declaration]) -> String {
    let all = all.iter().map(|(name, of)| format!("{name}: {of}"));
    all.collect::<Vec<String>>().join("; ")
}

/// The name of a variable in a printed model.
pub fn printed_name(name: &str) -> String {
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() || matches!(c, '_' | '~') => c,
        _ => '_',
    };
    name.chars().map(plain).collect()
}

/// Two models side by side on the same inputs. The property says that both accept the same runs
/// and show the same on those that they accept; what only the mutant has as an input is free.
pub fn pair(original: &Flat, mutant: &Flat, observed: &[String]) -> String {
    let wanted: Vec<&str> = observed.iter().map(String::as_str).collect();
    let mut text = types(&[original, mutant]);
    text.push_str(&original.node("original", &wanted));
    text.push_str(&mutant.node("mutant", &wanted));
    let mut inputs = original.inputs.clone();
    let more = mutant.inputs.iter();
    inputs.extend(more.filter(|(name, _)| !original.is_input(name)).cloned());
    let (mut locals, first) = original.call("original", &wanted, "o");
    let (more, second) = mutant.call("mutant", &wanted, "m");
    locals.extend(more);
    let _ = writeln!(
        text,
        "node main({}) returns (same: bool);\nvar {};\nlet\n  {first};\n  {second};",
        write(&inputs),
        write(&locals)
    );
    text.push_str("  same = o_accepted = m_accepted and (o_accepted => true");
    for at in 0..observed.len() {
        let _ = write!(text, " and o_seen{at} = m_seen{at}");
    }
    text.push_str(");\n  --%PROPERTY same;\ntel;\n");
    text
}

fn types(all: &[&Flat]) -> String {
    let types: BTreeSet<&String> = all.iter().flat_map(|one| &one.types).collect();
    types.iter().map(|one| format!("{one}\n")).collect()
}

/// Values of some variables at the steps of a run, by their printed names.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub steps: Vec<BTreeMap<String, String>>,
}

impl Run {
    /// The first steps of a trace of a system that has the variables of the case.
    pub fn new(trace: &Trace, steps: usize, case: &Case) -> Run {
        let system = &case.lowered.system;
        let columns = trace.columns().iter();
        let known: Vec<_> = columns
            .filter_map(|term| {
                let variable = system.variable(*term)?;
                Some((*term, printed_name(variable.name.as_str())))
            })
            .collect();
        let row = |step| {
            let values = known.iter().filter_map(|(term, name)| {
                let value = trace.value(*term, step)?;
                Some((name.clone(), constant(value)))
            });
            values.collect()
        };
        Run {
            steps: (0..steps).map(row).collect(),
        }
    }
}

/// What a run has to be at its last step.
#[derive(Clone, Copy, Debug)]
pub enum Last {
    Accepted,
    /// Accepted, and a property, by position, is false.
    Violates(usize),
}

/// A model on the inputs of a run. The property says that it has no such run with these values of
/// what is observed, whatever the values that nothing determines.
pub fn impossible(flat: &Flat, run: &Run, observed: &[String], last: Last) -> String {
    let is_given = |name: &str| run.steps.iter().all(|step| step.contains_key(name));
    let wanted: Vec<&str> = observed.iter().map(String::as_str).collect();
    let (given, free): (Vec<_>, Vec<_>) = flat
        .inputs
        .iter()
        .cloned()
        .partition(|(name, _)| is_given(name));
    let mut text = types(&[flat]);
    text.push_str(&flat.node("subject", &wanted));
    let (mut locals, call) = flat.call("subject", &wanted, "s");
    locals.extend(given.iter().cloned());
    locals.extend([("now", "int"), ("matches", "bool")].map(|(a, b)| (a.into(), b.into())));
    let end = run.steps.len().saturating_sub(1);
    let _ = writeln!(
        text,
        "node main({}) returns (never: bool);\nvar {};\nlet\n  {call};",
        write(&free),
        write(&locals)
    );
    let _ = writeln!(
        text,
        "  now = 0 -> if pre now > {end} then pre now else pre now + 1;"
    );
    for (name, _) in &given {
        let mut value = run.steps[end][name].clone();
        for (at, step) in run.steps.iter().enumerate().take(end).rev() {
            value = format!("if now = {at} then {} else {value}", step[name]);
        }
        let _ = writeln!(text, "  {name} = {value};");
    }
    text.push_str("  matches = (true -> pre matches)");
    for (at, step) in run.steps.iter().enumerate() {
        for (position, name) in wanted.iter().enumerate() {
            if let Some(value) = step.get(*name) {
                let _ = write!(text, "\n    and (now = {at} => s_seen{position} = {value})");
            }
        }
    }
    let last = match last {
        Last::Accepted => "s_accepted".into(),
        Last::Violates(at) => format!("s_accepted and not s_holds{at}"),
    };
    let _ = writeln!(
        text,
        ";\n  never = not (now = {end} and matches and {last});\n  --%PROPERTY never;\ntel;"
    );
    text
}

/// A value as Lustre writes it.
fn constant(value: &Value) -> String {
    match value {
        Value::Enum(of, at) => of.values()[*at as usize].to_string(),
        Value::Real(number) => match number.to_string().split_once('/') {
            Some((above, below)) => format!("(({above}.0) / {below}.0)"),
            None => format!("({number}.0)"),
        },
        _ => format!("({value})"),
    }
}
