//! Chores of the project: `cargo xtask <chore>`.

mod bench;
mod fuzz;
mod page;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args.first().map(String::as_str) {
        Some("bench") => bench::main(&args[1..]),
        Some("fuzz") => fuzz::main(&args[1..]),
        Some("page") => page::main(&args[1..]),
        _ => Err(format!(
            "usage: {}\n       {}\n       {}",
            bench::usage(),
            fuzz::usage(),
            page::USAGE
        )),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}
