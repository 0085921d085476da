//! `proofmark simulate`: prints a run of a model, random or with given inputs.

use crate::arguments::{Simulate, Subject};
use crate::exit::Exit;
use crate::session::{self, Opened};
use crate::{input, terminal};
use proofmark_lang::{Design, Languages};
use proofmark_model::graph::{BitTrace, Netlist};
use proofmark_model::{Rational, Sort, Symbol, System, Term, Value};
use proofmark_quality::{SimulationRequest, VerifyError, simulate};
use proofmark_report::{ShownTrace, trace_json, trace_table};
use proofmark_solve::EMBEDDED;
use proofmark_source::Sources;

pub fn run(arguments: &Simulate, languages: Languages) -> Exit {
    match attempt(arguments, languages) {
        Ok(exit) | Err(exit) => exit,
    }
}

/// What ends a run early has been printed.
fn attempt(arguments: &Simulate, languages: Languages) -> Result<Exit, Exit> {
    let subject = Subject {
        file: arguments.file.clone(),
        files: Vec::new(),
        language: arguments.language.clone(),
        main: arguments.main.clone(),
        include: arguments.include.clone(),
        strict: false,
        property: None,
    };
    let opened = Opened::read(languages, &subject, EMBEDDED)?;
    let given = match &arguments.inputs {
        Some(name) => Table::read(name)?,
        None => Table::default(),
    };
    let (trace, stopped) = match opened.load()? {
        Design::Words(loaded) => {
            let system = session::lower_model(&loaded.model, &opened.sources)?.system;
            run_words(arguments, &given, &system)?
        }
        Design::Netlist(netlist) => run_netlist(arguments, &given, &netlist)?,
    };
    session::print(&match arguments.json {
        true => trace_json(&trace),
        false => trace_table(&trace, &session::page(false)),
    })?;
    match stopped {
        Some(why) => {
            terminal::warning(&format!("the run ends early: {why}"));
            Ok(Exit::Inconclusive)
        }
        None => Ok(Exit::Fine),
    }
}

/// A run and why it ended early, if it did.
type Ran = (ShownTrace, Option<String>);

fn run_words(arguments: &Simulate, given: &Table, system: &System) -> Result<Ran, Exit> {
    let mut rows = Vec::new();
    for cells in &given.rows {
        let mut row: Vec<(Term, Value)> = Vec::new();
        for (name, text) in given.names.iter().zip(cells) {
            let unknown = || given.wrong(&format!("there is no variable `{name}`"));
            let variable = system
                .variable_named(Symbol::new(name))
                .ok_or_else(unknown)?;
            if text.is_empty() {
                continue;
            }
            let value = value(variable.sort(), text).ok_or_else(|| {
                let sort = variable.sort();
                given.wrong(&format!(
                    "`{text}` is no value of `{name}`, which has sort {sort}"
                ))
            })?;
            row.push((variable.current, value));
        }
        rows.push(row);
    }
    let request = SimulationRequest {
        steps: arguments.steps.unwrap_or(rows.len().max(STEPS)),
        seed: arguments.seed,
        given: rows,
    };
    let solver = proofmark_solve::open(EMBEDDED);
    let solver = solver.map_err(|error| fail(&VerifyError::Solve(error)))?;
    let found = simulate(system, &request, solver).map_err(|error| fail(&error))?;
    Ok((ShownTrace::declared(system, &found.trace), found.stopped))
}

fn fail(error: &VerifyError) -> Exit {
    terminal::error(&error.to_string());
    match error {
        VerifyError::Compile(_) => Exit::Input,
        _ => Exit::Internal,
    }
}

/// So many steps when nobody says how many.
const STEPS: usize = 10;

/// A netlist has its inputs and latches; a run ends where a constraint is violated.
fn run_netlist(arguments: &Simulate, given: &Table, netlist: &Netlist) -> Result<Ran, Exit> {
    let steps = arguments.steps.unwrap_or(given.rows.len().max(STEPS));
    let mut random = arguments.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut bit = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random >> 40 & 1 == 1
    };
    let names: Vec<String> = netlist
        .inputs
        .iter()
        .map(|node| netlist.name(*node))
        .collect();
    if let Some(name) = given.names.iter().find(|name| !names.contains(name)) {
        return Err(given.wrong(&format!("there is no input `{name}`")));
    }
    let latches = netlist.latches.iter();
    let mut run = BitTrace {
        latches: latches
            .map(|latch| latch.init.value().unwrap_or_else(&mut bit))
            .collect(),
        inputs: Vec::new(),
    };
    for step in 0..steps {
        let mut row = Vec::new();
        for name in &names {
            let cell = given.cell(step, name).filter(|text| !text.is_empty());
            row.push(match cell.map(|text| (text, value(Sort::Bool, text))) {
                None => bit(),
                Some((_, Some(Value::Bool(value)))) => value,
                Some((text, _)) => {
                    return Err(given.wrong(&format!("`{text}` is no value of `{name}`")));
                }
            });
        }
        run.inputs.push(row);
    }
    let accepted = netlist.replay(&run).accepted;
    let stopped =
        (accepted < steps).then(|| format!("a constraint is violated at step {accepted}"));
    run.inputs.truncate(accepted);
    Ok((ShownTrace::of_bits(netlist, &run), stopped))
}

/// The values of a file: names in the first line, then a line a step, separated by commas.
#[derive(Default)]
struct Table {
    file: String,
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(name: &str) -> Result<Table, Exit> {
        let mut sources = Sources::default();
        let file = input::read_text(name, &mut sources)?;
        let mut lines = sources.file(file).text().lines();
        let cells = |line: &str| -> Vec<String> {
            line.split(',')
                .map(|cell| cell.trim().to_string())
                .collect()
        };
        let mut table = Table {
            file: name.into(),
            names: lines.next().map(cells).unwrap_or_default(),
            rows: Vec::new(),
        };
        for (at, line) in lines.enumerate() {
            let row = cells(line);
            if row.len() != table.names.len() {
                let (wanted, found) = (table.names.len(), row.len());
                let line = at + 2;
                let what = format!("line {line} has {found} values, expected {wanted}");
                return Err(table.wrong(&what));
            }
            table.rows.push(row);
        }
        Ok(table)
    }

    fn cell(&self, step: usize, name: &str) -> Option<&str> {
        let at = self.names.iter().position(|one| one == name)?;
        Some(self.rows.get(step)?.get(at)?)
    }

    /// Says what is wrong with it.
    fn wrong(&self, what: &str) -> Exit {
        terminal::error(&format!(
            "{}: {what}; the first line names variables, each other line has their values at a \
             step, and an empty one is free",
            self.file
        ));
        Exit::Input
    }
}

/// A value as people and reports write it.
fn value(sort: Sort, text: &str) -> Option<Value> {
    match sort {
        Sort::Bool => match text.to_lowercase().as_str() {
            "true" | "1" => Some(Value::Bool(true)),
            "false" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        Sort::Int => Some(Value::Int(text.parse::<i64>().ok()?.into())),
        Sort::Real => {
            let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
            let [numerator, denominator] = [numerator, denominator].map(|one| one.parse().ok());
            let denominator = denominator.filter(|one: &i64| *one != 0)?;
            Some(Value::Real(Rational::new(numerator?, denominator)))
        }
        Sort::Enum(sort) => {
            let at = sort.values().iter().position(|one| one == text)?;
            Some(Value::Enum(sort, at as u32))
        }
        Sort::BitVec(width) => {
            let bits = match text.strip_prefix("#b") {
                Some(bits) => u64::from_str_radix(bits, 2).ok()?,
                None => text.parse().ok()?,
            };
            let fits = width >= 64 || bits >> width == 0;
            fits.then(|| Term::bitvec(width, bits).as_const().cloned())?
        }
    }
}
