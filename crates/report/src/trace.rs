//! A run as people see it: the variables that matter, by row.
//!
//! Inputs come first, all of them, since they are what somebody would have to do to see the fault; then
//! what the property depends on, in the order of the declarations. What only passes a value on is left
//! out ([`Aliases`]), and so is what the tool made up, but for the arbitrary value of an unguarded
//! `pre`, which may be the very reason; it has a value at the first step only.

use crate::aliases::Aliases;
use proofmark_model::graph::{BitTrace, NamedSignal, Netlist, Signal, cone};
use proofmark_model::{self as model, Category, EnumSort, Mentions, Role, System, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// The values of some variables at the steps of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShownTrace {
    /// How many steps the run has; the first is step 0.
    pub steps: usize,
    /// One for each variable that is shown.
    pub rows: Vec<Row>,
    /// The step that follows the last one, if the run goes round.
    pub back: Option<usize>,
    /// The properties that the run violates, each with its first step.
    pub violates: Vec<(String, usize)>,
}

/// A variable, step by step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The name, as the source has it, with the instance it is in.
    pub name: String,
    /// Whether its values come from outside.
    pub is_input: bool,
    /// One for each step, or only for the first ones.
    pub values: Vec<Value>,
}

/// Which variables to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// Inputs, and those that the property depends on and that do not repeat others.
    Relevant,
    /// All variables.
    All,
}

/// What a run that violates a property shows, worked out once for many runs.
#[derive(Clone, Debug)]
pub struct View {
    property: usize,
    /// By their current terms; nothing where all is shown.
    relevant: Option<FxHashSet<Term>>,
    /// Nothing where all is shown.
    aliases: Aliases,
    auxiliaries: bool,
}

impl View {
    /// A view of runs in which a property, by position, matters.
    pub fn new(system: &System, property: usize, shown: Shown) -> View {
        let relevant = (shown == Shown::Relevant).then(|| {
            let cone = model::slice(system, &[property]).system;
            cone.variables().iter().map(|one| one.current).collect()
        });
        let aliases = match shown {
            Shown::Relevant => Aliases::of(system),
            Shown::All => Aliases::default(),
        };
        View {
            property,
            relevant,
            aliases,
            auxiliaries: shown == Shown::All,
        }
    }

    /// The view for the kills of a campaign. Where much is relevant, it shows what a run is given and
    /// what the property speaks of: the rest follows, and there may be thousands of such runs.
    pub fn of_kills(system: &System, property: usize, shown: Shown) -> View {
        let mut view = View::new(system, property, shown);
        if let Some(relevant) = view.relevant.as_mut().filter(|all| all.len() > MANY) {
            let elements = system.elements().iter();
            let definitions = elements.flat_map(|element| element.definitions());
            let follows = definitions.filter(|one| one.init.is_some() && one.step.is_some());
            let named = Mentions::of(system.properties()[property].term).variables;
            for definition in follows.filter(|one| !named.contains(&one.variable)) {
                relevant.remove(&definition.variable);
            }
        }
        view
    }

    fn shows(&self, variable: &model::Variable) -> bool {
        let relevant = self.relevant.as_ref();
        variable.role == Role::Input
            || relevant.is_none_or(|all| all.contains(&variable.current))
                && (is_declared(variable) || self.auxiliaries)
    }
}

impl ShownTrace {
    /// The run up to the step at which a property, given by its position, is false.
    pub fn new(
        system: &System,
        run: &model::Trace,
        (property, step): (usize, usize),
        shown: Shown,
    ) -> ShownTrace {
        let view = View::new(system, property, shown);
        ShownTrace::seen(system, run, step, &view, &[])
    }

    /// The same as one sees it, and some variables that one wants to see anyway.
    pub fn seen(
        system: &System,
        run: &model::Trace,
        step: usize,
        view: &View,
        also: &[Term],
    ) -> ShownTrace {
        let steps = run.len().min(step + 1);
        let all = system.variables().iter();
        let is_wanted =
            |one: Term| also.contains(&one) || system.properties()[view.property].term == one;
        let is_shown = |one: Term| system.variable(one).is_some_and(|one| view.shows(one));
        let repeats = |one: Term| !is_wanted(one) && view.aliases.repeats(one, run, &is_shown);
        let variables = all.filter(|one| is_wanted(one.current) || view.shows(one));
        let variables = variables.filter(|one| !repeats(one.current));
        let mut rows: Vec<Row> = variables
            .map(|variable| row(variable, run, steps))
            .collect();
        rows.sort_by_key(|row| !row.is_input);
        let property = &system.properties()[view.property];
        if property.term.as_var().is_none() {
            let values = (0..steps).map(|at| Value::Bool(at != step)).collect();
            rows.push(Row {
                name: property.name.clone(),
                is_input: false,
                values,
            });
        }
        ShownTrace {
            steps,
            rows,
            back: None,
            violates: vec![(property.name.clone(), step)],
        }
    }
}

impl ShownTrace {
    /// A run of a netlist that shows a bad signal, by position, at its last step. What is relevant are
    /// the inputs that the signal depends on and, where they are few, the latches.
    pub fn of_netlist(netlist: &Netlist, run: &BitTrace, bad: usize, shown: Shown) -> ShownTrace {
        let steps = run.inputs.len();
        let latches = netlist.latches.iter().map(|latch| latch.node);
        let (inputs, latches): (Vec<u32>, Vec<u32>) = match shown {
            Shown::All => (netlist.inputs.clone(), latches.collect()),
            Shown::Relevant => {
                let map = cone(netlist, &[bad]).map;
                let seen = |node: &u32| map.translate(Signal::of(*node)).is_some();
                let latches: Vec<u32> = latches.filter(seen).collect();
                let few = if latches.len() <= FEW {
                    latches
                } else {
                    Vec::new()
                };
                (netlist.inputs.iter().copied().filter(seen).collect(), few)
            }
        };
        let name = netlist.bads[bad].name.clone();
        let mut rows = netlist_rows(netlist, run, &inputs, true);
        rows.extend(netlist_rows(netlist, run, &latches, false));
        ShownTrace {
            steps,
            rows,
            back: None,
            violates: vec![(name, steps.saturating_sub(1))],
        }
    }

    /// A run of a netlist with its outputs; latches where they are few, or all are asked for.
    pub fn of_outputs(netlist: &Netlist, run: &BitTrace, shown: Shown) -> ShownTrace {
        let mut latches: Vec<u32> = netlist.latches.iter().map(|latch| latch.node).collect();
        if shown == Shown::Relevant && latches.len() > FEW {
            latches.clear();
        }
        let mut rows = netlist_rows(netlist, run, &netlist.inputs, true);
        let is_shown = |name: &str| netlist.outputs.iter().any(|one| one.name == name);
        let state = netlist_rows(netlist, run, &latches, false);
        rows.extend(state.into_iter().filter(|row| !is_shown(&row.name)));
        let nodes: Vec<u32> = netlist
            .outputs
            .iter()
            .map(|one| one.signal.node())
            .collect();
        for (output, values) in netlist.outputs.iter().zip(netlist.watch(run, &nodes)) {
            let turned = output.signal.is_complemented();
            rows.push(Row {
                name: output.name.clone(),
                is_input: false,
                values: values
                    .into_iter()
                    .map(|one| Value::Bool(one ^ turned))
                    .collect(),
            });
        }
        ShownTrace {
            steps: run.inputs.len(),
            rows,
            back: None,
            violates: Vec::new(),
        }
    }
}

fn netlist_rows(netlist: &Netlist, run: &BitTrace, nodes: &[u32], is_input: bool) -> Vec<Row> {
    let watched = nodes.iter().zip(netlist.watch(run, nodes));
    let rows = watched.map(|(node, values)| Row {
        name: netlist.name(*node),
        is_input,
        values: values.into_iter().map(Value::Bool).collect(),
    });
    rows.collect()
}

impl ShownTrace {
    /// A run of a netlist with all its inputs and latches.
    pub fn of_bits(netlist: &Netlist, run: &BitTrace) -> ShownTrace {
        let latches: Vec<u32> = netlist.latches.iter().map(|latch| latch.node).collect();
        let rows = |nodes: &[u32], is_input: bool| -> Vec<Row> {
            let values = netlist.watch(run, nodes);
            let all = nodes.iter().zip(values);
            all.map(|(node, values)| Row {
                name: netlist.name(*node),
                is_input,
                values: values.into_iter().map(Value::Bool).collect(),
            })
            .collect()
        };
        let mut all = rows(&netlist.inputs, true);
        all.extend(rows(&latches, false));
        ShownTrace {
            steps: run.inputs.len(),
            rows: all,
            back: None,
            violates: Vec::new(),
        }
    }
}

/// More variables than this are many.
const MANY: usize = 500;
/// So many variables are few.
const FEW: usize = 60;

impl ShownTrace {
    /// A run of the original and one of a mutant on the same inputs, violating nothing. Where much
    /// is declared, the first shows what it is given, what is named and what differs, and the second
    /// leaves out what is the same but for the inputs: the rest follows, and there may be thousands of
    /// such pairs.
    pub fn pair(
        system: &System,
        runs: [&model::Trace; 2],
        named: &[Term],
        shown: Shown,
    ) -> [ShownTrace; 2] {
        let [here, there] = runs;
        let elements = system.elements().iter();
        let definitions = elements.flat_map(|element| element.definitions());
        let defined: FxHashSet<Term> = definitions.map(|one| one.variable).collect();
        let all = shown == Shown::All || system.variables().len() <= FEW;
        let aliases = match shown {
            Shown::Relevant => Aliases::of(system),
            Shown::All => Aliases::default(),
        };
        let repeats = |one: Term| {
            let mut runs = runs.iter();
            !named.contains(&one) && runs.all(|run| aliases.repeats(one, run, &|_| true))
        };
        let differs = |one: Term| {
            let mut steps = 0..here.len().max(there.len());
            named.contains(&one)
                || steps.any(|step| here.value(one, step) != there.value(one, step))
        };
        let is_seen = |one: &model::Variable| {
            (is_declared(one) || shown == Shown::All) && !repeats(one.current)
        };
        let second = |one: &model::Variable| {
            is_seen(one) && (all || one.role == Role::Input || differs(one.current))
        };
        let first =
            |one: &model::Variable| second(one) || is_seen(one) && !defined.contains(&one.current);
        [
            ShownTrace::plain(system, here, &first),
            ShownTrace::plain(system, there, &second),
        ]
    }

    /// A run that the assumptions block after its last step: with what they depend on, or with all.
    pub fn blocked(system: &System, run: &model::Trace, shown: Shown) -> ShownTrace {
        let elements = system.elements().iter();
        let demands = elements.filter(|element| element.target().is_none());
        let demands: Vec<Term> = demands.flat_map(|element| element.terms()).collect();
        let cone = model::slice_with(system, &[], &demands).system;
        ShownTrace::plain(system, run, &|variable| {
            shown == Shown::All || cone.variable(variable.current).is_some()
        })
    }

    /// A run that violates what is said of whole runs: what is given, and what the claim and the fairness
    /// conditions depend on.
    pub fn of_claim(
        system: &System,
        run: &model::Trace,
        back: Option<usize>,
        specification: usize,
        shown: Shown,
    ) -> ShownTrace {
        let claimed = &system.specifications()[specification];
        let atoms = claimed.claim.atoms().into_iter();
        let atoms: Vec<Term> = atoms.chain(system.fairness().atoms()).copied().collect();
        let cone = model::slice_with(system, &[], &atoms).system;
        let relevant = |one: &model::Variable| {
            is_declared(one) && one.role != Role::Choice && cone.variable(one.current).is_some()
        };
        let trace = ShownTrace::plain(system, run, &|one| shown == Shown::All || relevant(one));
        ShownTrace {
            back,
            violates: vec![(claimed.name.clone(), 0)],
            ..trace
        }
    }

    /// A run with all that somebody declared, violating nothing.
    pub fn declared(system: &System, run: &model::Trace) -> ShownTrace {
        ShownTrace::plain(system, run, &|one| {
            is_declared(one) && one.role != Role::Choice
        })
    }

    /// A run of a netlist with its inputs and some signals.
    pub fn of_signals(netlist: &Netlist, run: &BitTrace, signals: &[NamedSignal]) -> ShownTrace {
        let nodes: Vec<u32> = signals.iter().map(|one| one.signal.node()).collect();
        let inputs = netlist.watch(run, &netlist.inputs).into_iter();
        let given = netlist.inputs.iter().zip(inputs).map(|(node, values)| Row {
            name: netlist.name(*node),
            is_input: true,
            values: values.into_iter().map(Value::Bool).collect(),
        });
        let shown = signals.iter().zip(netlist.watch(run, &nodes));
        let shown = shown.map(|(one, values)| {
            let values = values.into_iter();
            let values = values.map(|value| Value::Bool(value != one.signal.is_complemented()));
            Row {
                name: one.name.clone(),
                is_input: false,
                values: values.collect(),
            }
        });
        ShownTrace {
            steps: run.inputs.len(),
            rows: given.chain(shown).collect(),
            back: None,
            violates: Vec::new(),
        }
    }

    /// A run with what somebody wants to see, violating nothing.
    fn plain(
        system: &System,
        run: &model::Trace,
        shown: &dyn Fn(&model::Variable) -> bool,
    ) -> ShownTrace {
        let variables = system.variables().iter();
        let mut rows: Vec<Row> = variables
            .filter(|variable| shown(variable))
            .map(|variable| row(variable, run, run.len()))
            .collect();
        rows.sort_by_key(|row| !row.is_input);
        ShownTrace {
            steps: run.len(),
            rows,
            back: None,
            violates: Vec::new(),
        }
    }
}

/// Whether somebody wrote the variable, or a run is given its value. What says when a clocked
/// call runs, and what it holds meanwhile, is in no source.
fn is_declared(variable: &model::Variable) -> bool {
    match variable.role {
        Role::Auxiliary => false,
        Role::Input | Role::Choice => true,
        // A variable without a place may be anybody's.
        _ => variable.origin.category != Category::Generated || variable.origin.location.is_none(),
    }
}

fn row(variable: &model::Variable, run: &model::Trace, steps: usize) -> Row {
    let steps = match variable.role {
        Role::Choice => steps.min(1),
        _ => steps,
    };
    // A choice is read within its bounds, whatever the solver said.
    let bounds = variable.bounds.as_ref();
    let bounds = bounds.filter(|_| variable.role == Role::Choice);
    let values = (0..steps).map_while(|step| run.value(variable.current, step).cloned());
    let values = values.map(|value| match bounds {
        Some(bounds) => bounds.clamp_value(value),
        None => value,
    });
    Row {
        name: variable.name.to_string(),
        is_input: variable.role == Role::Input,
        values: values.collect(),
    }
}

/// As the contract has it: a list of steps, each with the values by name, as exact text.
impl Serialize for ShownTrace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all = serializer.serialize_struct("Trace", 4)?;
        let steps: Vec<Step<'_>> = (0..self.steps).map(|at| Step(self, at)).collect();
        all.serialize_field("steps", &steps)?;
        all.serialize_field("loop", &self.back)?;
        all.serialize_field("violates", &Violates(&self.violates))?;
        let inputs = self.rows.iter().filter(|row| row.is_input);
        let inputs: Vec<&str> = inputs.map(|row| row.name.as_str()).collect();
        all.serialize_field("inputs", &inputs)?;
        all.end()
    }
}

/// The schema of what is written, which is not how it is held.
impl JsonSchema for ShownTrace {
    fn schema_name() -> Cow<'static, str> {
        "Trace".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "The values of some variables at the steps of a run.",
            "properties": {
                "steps": {
                    "type": "array",
                    "description": "The values by name, as exact text: 1/3, -2, true.",
                    "items": { "type": "object", "additionalProperties": { "type": "string" } }
                },
                "loop": {
                    "type": ["integer", "null"],
                    "description": "The step that follows the last one, if the run goes round."
                },
                "violates": {
                    "type": "object",
                    "description": "The properties that the run violates, each with its first step.",
                    "additionalProperties": { "type": "integer", "minimum": 0 }
                },
                "inputs": {
                    "type": "array",
                    "description": "Which of the variables a run is given.",
                    "items": { "type": "string" }
                }
            },
            "required": ["steps", "loop", "violates"]
        })
    }
}

struct Step<'t>(&'t ShownTrace, usize);

impl Serialize for Step<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut values = serializer.serialize_map(None)?;
        for row in &self.0.rows {
            if let Some(value) = row.values.get(self.1) {
                values.serialize_entry(&row.name, &value.to_string())?;
            }
        }
        values.end()
    }
}

struct Violates<'t>(&'t [(String, usize)]);

impl Serialize for Violates<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, step)| (name, step)))
    }
}

/// What is read back looks as it did. The contract has values as text and says nothing of sorts, so a
/// value is its text: the only one of an enumeration.
impl<'de> Deserialize<'de> for ShownTrace {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ShownTrace, D::Error> {
        #[derive(serde::Deserialize)]
        struct Written {
            steps: Vec<InOrder<String>>,
            #[serde(default, rename = "loop")]
            back: Option<usize>,
            violates: InOrder<usize>,
            #[serde(default)]
            inputs: FxHashSet<String>,
        }
        let written = Written::deserialize(deserializer)?;
        let mut trace = ShownTrace {
            steps: written.steps.len(),
            rows: Vec::new(),
            back: written.back,
            violates: written.violates.0,
        };
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        for (at, step) in written.steps.into_iter().enumerate() {
            for (name, text) in step.0 {
                let value = Value::Enum(EnumSort::new("text", vec![text]), 0);
                let next = trace.rows.len();
                let row = *places.entry(name.clone()).or_insert(next);
                if row == next {
                    trace.rows.push(Row {
                        is_input: written.inputs.contains(&name),
                        name,
                        values: Vec::new(),
                    });
                }
                if trace.rows[row].values.len() != at {
                    return Err(D::Error::custom("a value at each step before is missing"));
                }
                trace.rows[row].values.push(value);
            }
        }
        Ok(trace)
    }
}

/// The entries of an object as they stand.
struct InOrder<V>(Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for InOrder<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<InOrder<V>, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

struct Entries<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
    type Value = InOrder<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<InOrder<V>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(InOrder(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmark_model::Rational;

    #[test]
    fn a_trace_is_read_back_as_it_was_written() {
        let row = |name: &str, values: Vec<Value>| Row {
            name: name.into(),
            is_input: name == "z",
            values,
        };
        let trace = ShownTrace {
            steps: 2,
            rows: vec![
                row("z", vec![Value::Bool(true), Value::Bool(false)]),
                row("chosen", vec![Value::Real(Rational::new(-1, 3))]),
                row("a", vec![Value::Int(1.into()), Value::Int(1.into())]),
            ],
            back: Some(1),
            violates: vec![("p".into(), 1), ("a".into(), 0)],
        };
        let written = serde_json::to_string(&trace).unwrap();
        let read: ShownTrace = serde_json::from_str(&written).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), written);
        let names: Vec<&str> = read.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["z", "chosen", "a"]);
        let inputs: Vec<bool> = read.rows.iter().map(|row| row.is_input).collect();
        assert_eq!(inputs, [true, false, false]);
    }
}
