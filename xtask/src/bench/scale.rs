//! `cargo xtask bench scale`: time and memory of `proofmark` on a netlist of a million gates and ten thousand
//! latches, generated here.
//!
//! The gates form a random network in which values come from nearby, as in circuits. Four questions are asked
//! of it: to load and write it; a property that simplification proves; one whose cone is a small counter, so
//! that bounded model checking must not pay for the rest; and one that depends on everything. The limits that are claimed are checked.

use super::build;
use super::process::{Ran, run};
use proofmark_lang::aiger;
use proofmark_model::graph::random::Dice;
use proofmark_model::graph::{Init, Netlist, Signal};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const USAGE: &str = "bench scale [--gates N] [--latches N] [--binary PATH]";

struct Options {
    gates: usize,
    latches: usize,
    binary: Option<PathBuf>,
}

/// How far back a gate reads at most.
const WINDOW: usize = 20_000;
/// Bits of the counter.
const COUNTER: usize = 6;
/// Seconds and MB within which a million gates are loaded, and a trivial property is reported.
const LOAD: (f64, u64) = (2.0, 300);
const TRIVIAL: (f64, u64) = (5.0, 500);

pub fn main(args: &[String]) -> Result<(), String> {
    let options = options(args)?;
    let binary = options.binary.clone().map_or_else(build, Ok)?;
    let netlist = generate(&options);
    let place =
        |name: &str| std::env::temp_dir().join(format!("proofmark-{}-{name}", std::process::id()));
    let (file, copy) = (place("scale.aig"), place("copy.aig"));
    let mut bytes = Vec::new();
    aiger::write_binary(&netlist, &mut bytes).map_err(|error| error.to_string())?;
    std::fs::write(&file, &bytes).map_err(|error| error.to_string())?;
    println!(
        "{} gates, {} latches, {} inputs, {} bytes",
        netlist.graph.gates(),
        netlist.latches.len(),
        netlist.inputs.len(),
        bytes.len()
    );
    let measured = measure(&binary, &file, &copy);
    let _ = (std::fs::remove_file(&file), std::fs::remove_file(&copy));
    measured
}

fn options(args: &[String]) -> Result<Options, String> {
    let usage = || format!("usage: cargo xtask {USAGE}");
    let mut options = Options {
        gates: 1_000_000,
        latches: 10_000,
        binary: None,
    };
    for pair in args.chunks(2) {
        let [flag, value] = pair else {
            return Err(usage());
        };
        let number = || value.parse().map_err(|_| usage());
        match flag.as_str() {
            "--gates" => options.gates = number()?,
            "--latches" => options.latches = number()?.max(2 * COUNTER),
            "--binary" => options.binary = Some(value.into()),
            _ => return Err(usage()),
        }
    }
    Ok(options)
}

/// The first latch is stuck at zero, the next ones count, the rest read the network.
fn generate(options: &Options) -> Netlist {
    let mut dice = Dice::new(1);
    let mut netlist = Netlist::default();
    let mut signals: Vec<Signal> = (0..options.latches / 10)
        .map(|_| netlist.add_input())
        .collect();
    let latches: Vec<Signal> = (0..options.latches)
        .map(|_| netlist.add_latch(Init::Zero))
        .collect();
    signals.extend(&latches[1 + COUNTER..]);
    netlist.set_next(0, latches[0]);
    let mut carry = Signal::TRUE;
    for (at, &latch) in latches.iter().enumerate().skip(1).take(COUNTER) {
        let next = netlist.graph.xor(latch, carry);
        netlist.set_next(at, next);
        carry = netlist.graph.and(latch, carry);
    }
    while netlist.graph.gates() < options.gates {
        let near = signals.len().saturating_sub(WINDOW);
        let [a, b] = [0; 2].map(|_| {
            let from = if dice.below(10) == 0 { 0 } else { near };
            let signal = signals[from + dice.below(signals.len() - from)];
            if dice.below(2) == 0 { signal } else { !signal }
        });
        let gate = netlist.graph.add_gate(a, b);
        signals.push(gate);
    }
    for at in 1 + COUNTER..options.latches {
        let next = signals[signals.len() - 1 - dice.below(WINDOW.min(signals.len()))];
        netlist.set_next(at, next);
    }
    netlist.add_bad("stuck", latches[0]);
    netlist.add_bad("counted", carry);
    let last: Vec<Signal> = signals[signals.len() - 64..].to_vec();
    let all = netlist.graph.and_all(&last);
    netlist.add_bad("wide", all);
    netlist
}

fn measure(binary: &Path, file: &Path, copy: &Path) -> Result<(), String> {
    let mut failed = Vec::new();
    let mut told = |what: &str, ran: &Ran, limit: Option<(f64, u64)>, more: &str| {
        let (wall, memory) = (ran.wall.as_secs_f64(), ran.memory / 1024);
        println!(
            "{what:<44} {wall:>6.2} s wall {:>6.2} s CPU {memory:>6} MB   {more}",
            ran.cpu.as_secs_f64()
        );
        if limit.is_some_and(|(seconds, megabytes)| wall > seconds || memory > megabytes) {
            failed.push(what.to_string());
        }
    };
    let ran = run(Command::new(binary).arg("convert").args([file, copy]));
    let ran = ran.map_err(|error| error.to_string())?;
    told("load, and write again", &ran, Some(LOAD), "");
    let ran = ask(binary, file, "stuck", &["--timeout", "30"])?;
    told("check what is stuck", &ran, Some(TRIVIAL), &verdict(&ran));
    let ran = ask(
        binary,
        file,
        "counted",
        &["--timeout", "30", "--engines", "bmc"],
    )?;
    told("bounded search in a small cone", &ran, None, &verdict(&ran));
    let ran = ask(binary, file, "wide", &["--timeout", "30"])?;
    told(
        "check what depends on everything",
        &ran,
        None,
        &verdict(&ran),
    );
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("beyond its limit: {}", failed.join(", "))),
    }
}

fn ask(binary: &Path, file: &Path, property: &str, more: &[&str]) -> Result<Ran, String> {
    let mut command = Command::new(binary);
    command.args([
        "check",
        "--json",
        "--no-config",
        "--jobs",
        "1",
        "--property",
        property,
    ]);
    let ran = run(command.args(more).arg(file));
    ran.map_err(|error| error.to_string())
}

/// The verdict, and how many steps it is about.
fn verdict(ran: &Ran) -> String {
    let findings: Value = serde_json::from_str(&ran.output).unwrap_or_default();
    let property = &findings["properties"][0];
    let text = |key: &str| property[key].as_str().unwrap_or("").to_string();
    let step = property["step"].as_u64();
    let step = step.map_or(String::new(), |step| format!(" at step {step}"));
    format!("{} {}{step}", text("verdict"), text("engine"))
}
