//! From lines to a netlist.
//!
//! The variables of a binary file are the nodes of the graph, number for number. Those of a text file
//! have any numbers and come in any order: inputs, latches and gates are looked up by number, and gates are
//! added after what they read, which also finds cycles.

use super::Places;
use super::cursor::Fault;
use super::gates::GateLine;
use super::sections::{Format, Header, Line, Sections};
use super::symbols::{Named, Symbols};
use proofmark_model::graph::{NamedSignal, Netlist, Signal};
use proofmark_model::{Category, Origin, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most errors of one file that are told.
const MOST_FAULTS: usize = 20;

/// Inputs and latches of a binary file.
pub(super) fn before_gates(header: &Header, sections: &Sections) -> Netlist {
    let mut netlist = Netlist::default();
    for _ in 0..header.inputs {
        netlist.add_input();
    }
    for latch in &sections.latches {
        netlist.add_latch(latch.init);
    }
    netlist
}

/// What reads the gates of a binary file: every literal is a signal.
pub(super) fn connect_binary(
    header: &Header,
    sections: &Sections,
    netlist: &mut Netlist,
) -> Result<(), Fault> {
    connect(header, sections, netlist, &|line| {
        Ok(Signal::from_code(line.code))
    })
}

/// Next values, constraints, outputs and bad signals.
fn connect(
    header: &Header,
    sections: &Sections,
    netlist: &mut Netlist,
    resolve: &dyn Fn(&Line) -> Result<Signal, Fault>,
) -> Result<(), Fault> {
    for (position, latch) in sections.latches.iter().enumerate() {
        let (code, line) = (latch.next, latch.line);
        let next = resolve(&Line { code, ..line })?;
        netlist.set_next(position, next);
    }
    for line in &sections.constraints {
        netlist.constraints.push(resolve(line)?);
    }
    for line in &sections.outputs {
        netlist.outputs.push(unnamed(resolve(line)?));
    }
    for line in bad_lines(header, sections) {
        netlist.bads.push(unnamed(resolve(line)?));
    }
    Ok(())
}

fn unnamed(signal: Signal) -> NamedSignal {
    NamedSignal {
        name: String::new(),
        signal,
        origin: Origin::generated(),
    }
}

/// What is bad: in the older format, the outputs.
fn bad_lines<'a>(header: &Header, sections: &'a Sections) -> &'a [Line] {
    match header.bads {
        0 => &sections.outputs,
        _ => &sections.bads,
    }
}

/// What a variable of a text file is.
#[derive(Clone, Copy)]
enum Definition {
    /// An input, a latch, or a gate that is in the graph.
    Known(Signal),
    /// A gate by its position.
    Gate(u32),
}

/// The variables of a text file by number.
struct Variables<'a> {
    definitions: FxHashMap<u32, Definition>,
    gates: &'a [GateLine],
    faults: Vec<Fault>,
}

pub(super) fn from_text(
    header: &Header,
    sections: &Sections,
    gates: &[GateLine],
    places: &Places,
) -> Result<Netlist, Vec<Fault>> {
    let mut netlist = Netlist::default();
    let mut variables = Variables {
        definitions: FxHashMap::default(),
        gates,
        faults: Vec::new(),
    };
    variables
        .definitions
        .insert(0, Definition::Known(Signal::FALSE));
    let mark = |netlist: &mut Netlist, signal: Signal, line: &Line, category| {
        if let Some(span) = places.span(line.from, line.to) {
            let origin = Origin::new(span, category);
            netlist.labels.set_origin(signal.node(), origin);
        }
    };
    for line in &sections.inputs {
        let input = netlist.add_input();
        mark(&mut netlist, input, line, Category::Declaration);
        variables.define(line.code, line.place(), Definition::Known(input));
    }
    for latch in &sections.latches {
        let signal = netlist.add_latch(latch.init);
        mark(&mut netlist, signal, &latch.line, Category::Latch);
        let definition = Definition::Known(signal);
        variables.define(latch.line.code, latch.line.place(), definition);
    }
    for (position, gate) in (0..).zip(gates) {
        variables.define(gate.code, gate.place(), Definition::Gate(position));
    }
    for position in 0..gates.len() as u32 {
        variables.add_gate(position, &mut netlist);
        if variables.faults.len() >= MOST_FAULTS {
            break;
        }
    }
    if !variables.faults.is_empty() {
        variables.faults.truncate(MOST_FAULTS);
        return Err(variables.faults);
    }
    let resolve = |line: &Line| variables.resolve(line.code, line.place());
    connect(header, sections, &mut netlist, &resolve)?;
    Ok(netlist)
}

impl Variables<'_> {
    fn define(&mut self, code: u32, place: (usize, usize), definition: Definition) {
        if code % 2 == 1 || code == 0 {
            let message = format!("the literal {code} cannot be defined");
            let hint = "inputs, latches and gates have even literals from 2 on";
            self.faults.push(Fault::new(place, message, hint));
        } else if self.definitions.insert(code / 2, definition).is_some() {
            let message = format!("the literal {code} is defined twice");
            let hint = "each variable is one input, latch or gate";
            self.faults.push(Fault::new(place, message, hint));
        }
    }

    /// The signal of a literal whose variable is in the graph.
    fn resolve(&self, code: u32, place: (usize, usize)) -> Result<Signal, Fault> {
        match self.definitions.get(&(code / 2)) {
            Some(Definition::Known(signal)) => Ok(signal.complement_if(code % 2 == 1)),
            _ => Err(Fault::new(
                place,
                format!("the literal {code} is not defined"),
                "every variable that is read is an input, a latch or a gate",
            )),
        }
    }

    /// Adds a gate and before it the gates that it reads.
    fn add_gate(&mut self, position: u32, netlist: &mut Netlist) {
        let gate = self.gates[position as usize];
        if !gate.fanins.iter().any(|code| self.waits(*code)) {
            self.finish(&gate, netlist);
            return;
        }
        // The gates on the way down, and how many fanins of each have been looked at.
        let mut path: Vec<(u32, usize)> = vec![(position, 0)];
        let mut open = FxHashSet::from_iter([position]);
        while let Some((position, looked)) = path.last_mut() {
            let gate = self.gates[*position as usize];
            let fanin = gate.fanins.get(*looked).copied();
            *looked += 1;
            let Some(fanin) = fanin else {
                open.remove(position);
                path.pop();
                self.finish(&gate, netlist);
                continue;
            };
            if let Some(Definition::Gate(below)) = self.definitions.get(&(fanin / 2)).copied() {
                if !open.insert(below) {
                    let message = format!("the gate {} reads itself", gate.code);
                    let hint = "a cycle of gates has no value; a latch breaks it";
                    self.faults.push(Fault::new(gate.place(), message, hint));
                    // It counts as known, so that the cycle is told once.
                    self.know(gate.code, Signal::FALSE);
                    return;
                }
                path.push((below, 0));
            }
        }
    }

    fn finish(&mut self, gate: &GateLine, netlist: &mut Netlist) {
        if !self.waits(gate.code) {
            return;
        }
        let fanins = gate.fanins.map(|code| self.resolve(code, gate.place()));
        let signal = match fanins {
            [Ok(a), Ok(b)] => netlist.graph.add_gate(a, b),
            [Err(fault), _] | [_, Err(fault)] => {
                self.faults.push(fault);
                // It counts as known, so that its readers are not wrong as well.
                Signal::FALSE
            }
        };
        self.know(gate.code, signal);
    }

    fn know(&mut self, code: u32, signal: Signal) {
        self.definitions.insert(code / 2, Definition::Known(signal));
    }

    /// Whether a literal is a gate that is not in the graph yet.
    fn waits(&self, code: u32) -> bool {
        let definition = self.definitions.get(&(code / 2));
        matches!(definition, Some(Definition::Gate(_)))
    }
}

/// Gives names and origins to all that has one.
pub(super) fn name_all(
    header: &Header,
    sections: &Sections,
    symbols: &Symbols,
    places: &Places,
    netlist: &mut Netlist,
) {
    for (position, &node) in netlist.inputs.iter().enumerate() {
        if let Some(name) = symbols.get(Named::Input, position) {
            netlist.labels.set_name(node, Symbol::new(name));
        }
    }
    for (position, latch) in netlist.latches.iter().enumerate() {
        if let Some(name) = symbols.get(Named::Latch, position) {
            netlist.labels.set_name(latch.node, Symbol::new(name));
        }
    }
    let bads = match header.bads {
        0 => (Named::Output, 'o'),
        _ => (Named::Bad, 'b'),
    };
    let lists = [
        (
            &mut netlist.outputs,
            &sections.outputs[..],
            (Named::Output, 'o'),
        ),
        (&mut netlist.bads, bad_lines(header, sections), bads),
    ];
    for (list, lines, (kind, letter)) in lists {
        let mut taken = FxHashSet::default();
        for (position, (one, line)) in list.iter_mut().zip(lines).enumerate() {
            let plain = format!("{letter}{position}");
            let named = symbols.get(kind, position).map(str::to_string);
            // Of two with one name the second goes by its position.
            one.name = named
                .filter(|name| taken.insert(name.clone()))
                .unwrap_or(plain);
            let span = match header.format {
                Format::Text => places.span(line.from, line.to),
                Format::Binary => None,
            };
            one.origin = match span {
                Some(span) => Origin::new(span, Category::Property),
                None => Origin::named(&one.name, position as u32, Category::Property),
            };
        }
    }
}
