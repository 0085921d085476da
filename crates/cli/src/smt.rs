//! `proofmark smt`: runs an SMT-LIB script. `sat` and `unsat` are both answers, so both are fine.

use crate::arguments::Smt;
use crate::exit::Exit;
use crate::{input, interrupt, terminal};
use proofmark_solve::smtlib::{Reader, Script, ScriptError, Stream, Summary};
use proofmark_solve::{SolveError, Solver};
use proofmark_source::{Diagnostic, Sources};
use std::io::{BufWriter, ErrorKind, Stdout, stdin, stdout};
use std::time::Instant;

pub fn run(arguments: &Smt) -> Exit {
    let begin = Instant::now();
    let mut solver = match proofmark_solve::open(&arguments.solver) {
        Ok(solver) => solver,
        Err(error) => {
            terminal::error(&error.to_string());
            return Exit::Usage;
        }
    };
    let interrupt = solver.interrupt();
    let script = Script::new(&mut *solver, BufWriter::new(stdout()));
    interrupt::connect(interrupt, script.checking());
    let exit = match arguments.file.as_str() {
        "-" => run_input(script),
        file => run_file(script, file),
    };
    if arguments.stats {
        print_statistics(&*solver, begin);
    }
    exit
}

type Answering<'s> = Script<'s, BufWriter<Stdout>>;

fn run_file(script: Answering<'_>, name: &str) -> Exit {
    let mut sources = Sources::default();
    let file = match input::read_text(name, &mut sources) {
        Ok(file) => file,
        Err(exit) => return exit,
    };
    let mut reader = Reader::new(file, sources.file(file).text());
    match script.run(&mut reader) {
        Ok(summary) => conclude(summary),
        Err(error) => fail(error, &sources),
    }
}

/// Runs what is written to standard input, each command when it is complete: the writer may wait
/// for the answer.
fn run_input(script: Answering<'_>) -> Exit {
    let mut sources = Sources::default();
    let Ok(file) = sources.add("standard input", String::new()) else {
        return Exit::Internal;
    };
    let stream = Stream::new(file, Box::new(stdin()));
    let ended = script.run(&mut Reader::of_stream(&stream));
    let error = match ended {
        Ok(summary) => return conclude(summary),
        Err(error) => error,
    };
    // The text is needed in one piece only now, to show the line.
    match sources.replace(file, stream.into_text()) {
        Ok(()) => fail(error, &sources),
        Err(_) => {
            terminal::error("standard input has 4 GiB or more; split it");
            Exit::Input
        }
    }
}

fn conclude(summary: Summary) -> Exit {
    if summary.interrupted || summary.unknown > 0 {
        Exit::Inconclusive
    } else {
        Exit::Fine
    }
}

fn fail(error: ScriptError, sources: &Sources) -> Exit {
    match error {
        ScriptError::Input(fault) => {
            terminal::diagnostic(&fault, sources);
            Exit::Input
        }
        ScriptError::Solver(error, span) => {
            terminal::diagnostic(&Diagnostic::error(span, error.to_string()), sources);
            match error {
                SolveError::External { .. } => Exit::Internal,
                SolveError::Unsupported { .. } | SolveError::Misuse(_) => Exit::Input,
            }
        }
        // A closed pipe ends the printing.
        ScriptError::Output(error) if error.kind() == ErrorKind::BrokenPipe => Exit::Inconclusive,
        ScriptError::Output(error) => {
            terminal::error(&format!("cannot write the answers: {error}"));
            Exit::Internal
        }
    }
}

fn print_statistics(solver: &dyn Solver, begin: Instant) {
    let all = solver.statistics();
    let lines = [
        ("checks", all.checks),
        ("conflicts", all.conflicts),
        ("decisions", all.decisions),
        ("propagations", all.propagations),
        ("pivots", all.pivots),
        ("restarts", all.restarts),
    ];
    eprintln!("{:<14}{}", "solver", solver.name());
    for (what, count) in lines {
        eprintln!("{what:<14}{count}");
    }
    eprintln!("{:<14}{:.6}", "seconds", begin.elapsed().as_secs_f64());
}
