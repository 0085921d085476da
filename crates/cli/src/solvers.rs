//! `proofmark solvers`: which solvers are at hand, and what each can do.

use crate::exit::Exit;
use proofmark_solve::{Capabilities, external};
use std::fmt::Write as _;

pub fn run() -> Exit {
    let mut text = String::new();
    let mut line = |name: &str, version: &str, what: &str| {
        let _ = writeln!(text, "{name:<12}{version:<28}{what}");
    };
    match proofmark_solve::open(proofmark_solve::EMBEDDED) {
        Ok(solver) => {
            let can = describe(solver.capabilities());
            line(proofmark_solve::EMBEDDED, &solver.name(), &can);
        }
        Err(error) => line(proofmark_solve::EMBEDDED, "-", &error.to_string()),
    }
    let available = external::available();
    for name in external::known() {
        match available.iter().find(|found| found.name == name) {
            Some(found) => line(name, &found.version, &describe(found.capabilities)),
            None => line(name, "-", "not on the search path"),
        }
    }
    match crate::session::print(&text) {
        Ok(()) => Exit::Fine,
        Err(exit) => exit,
    }
}

fn describe(can: Capabilities) -> String {
    let all = [
        (can.arithmetic, "linear arithmetic"),
        (can.nonlinear, "nonlinear arithmetic"),
        (can.functions, "functions"),
        (can.bit_vectors, "bit-vectors"),
        (can.cores, "cores"),
        (can.effort, "effort budgets"),
    ];
    let some: Vec<&str> = all
        .iter()
        .filter(|(has, _)| *has)
        .map(|(_, what)| *what)
        .collect();
    some.join(", ")
}
