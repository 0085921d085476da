//! `proofmark sat`: solves a formula in DIMACS, with the output and the exit codes of SAT
//! competitions: `s SATISFIABLE` with a model in `v` lines and 10, `s UNSATISFIABLE` and 20,
//! `s UNKNOWN` and 0.
//!
//! A model is evaluated before it is printed. `--check` lets the audit check each step of the proof.

use crate::arguments::Sat;
use crate::exit::Exit;
use crate::{input, interrupt, terminal};
use proofmark_audit::lrat::{Checker, LratError};
use proofmark_solve::Budget;
use proofmark_solve::sat::dimacs::{self, Formula};
use proofmark_solve::sat::{Answer, Lit, LratWriter, ProofSink, Solver, Step, Var};
use proofmark_source::Sources;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub fn run(arguments: &Sat) -> Exit {
    let begin = Instant::now();
    let formula = match read(&arguments.file) {
        Ok(formula) => formula,
        Err(exit) => return exit,
    };
    let log = match Log::open(arguments, &formula) {
        Ok(log) => log,
        Err(exit) => return exit,
    };
    let mut solver = load(&formula, log.clone());
    let (interrupt, started) = interrupt::of_run();
    started.store(true, Ordering::SeqCst);
    solver.set_interrupt(interrupt);
    let limit = arguments.timeout.map(Duration::from_secs_f64);
    solver.set_budget(Budget {
        effort: None,
        time: limit.map(|limit| limit.saturating_sub(begin.elapsed())),
    });
    let answer = solver.solve(&[]);
    if arguments.stats {
        print_statistics(&solver, begin);
    }
    if let Err(message) = log.map_or(Ok(()), |log| finish(&log, answer)) {
        terminal::error(&message);
        return Exit::Internal;
    }
    conclude(&formula, &solver, answer)
}

fn read(name: &str) -> Result<Formula, Exit> {
    let mut sources = Sources::default();
    let file = input::read_text(name, &mut sources)?;
    dimacs::read(file, sources.file(file).text()).map_err(|fault| {
        terminal::diagnostic(&fault, &sources);
        Exit::Input
    })
}

fn load(formula: &Formula, log: Option<Arc<Mutex<Log>>>) -> Solver {
    let mut solver = Solver::new();
    if let Some(log) = log {
        solver.log_proof(log);
        solver.reserve_ids(formula.clauses().len() as u32);
    }
    for _ in 0..formula.used_variables() {
        solver.new_var();
    }
    for clause in formula.clauses() {
        solver.add_clause(clause);
    }
    solver
}

/// Where the steps of the proof go.
struct Log {
    writer: Option<LratWriter<BufWriter<File>>>,
    checker: Option<Checker>,
    fault: Option<LratError>,
}

impl Log {
    /// None when nobody asked for a proof.
    fn open(arguments: &Sat, formula: &Formula) -> Result<Option<Arc<Mutex<Log>>>, Exit> {
        let create = |name: &String| {
            File::create(name).map_err(|error| {
                terminal::error(&format!("cannot write {name}: {error}"));
                Exit::Input
            })
        };
        let file = arguments.proof.as_ref().map(create).transpose()?;
        let mut log = Log {
            writer: file.map(|file| LratWriter::new(BufWriter::new(file))),
            checker: arguments.check.then(Checker::new),
            fault: None,
        };
        if log.writer.is_none() && log.checker.is_none() {
            return Ok(None);
        }
        // The checker takes the formula from the file's reader, not from the solver.
        if let Some(checker) = &mut log.checker {
            for (id, clause) in (1..).zip(formula.clauses()) {
                let added = checker.add_original(id, &numbers(clause));
                log.fault = log.fault.or(added.err());
            }
        }
        Ok(Some(Arc::new(Mutex::new(log))))
    }
}

fn numbers(clause: &[Lit]) -> Vec<i32> {
    clause.iter().map(|lit| lit.to_dimacs()).collect()
}

impl ProofSink for Log {
    fn step(&mut self, step: Step<'_>) {
        if let Some(writer) = &mut self.writer {
            writer.step(step);
        }
        let (Some(checker), None) = (&mut self.checker, &self.fault) else {
            return;
        };
        let checked = match step {
            Step::Original { .. } => Ok(()),
            Step::Derived { id, clause, hints } => {
                let hints: Vec<u64> = hints.iter().map(|&hint| hint.into()).collect();
                checker.add_derived(id.into(), &numbers(clause), &hints)
            }
            Step::Deleted { id } => checker.delete(id.into()),
        };
        self.fault = checked.err();
    }
}

/// Closes the file of the proof, and hears what the checker says.
fn finish(log: &Mutex<Log>, answer: Answer) -> Result<(), String> {
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(writer) = &mut log.writer {
        let written = writer.finish();
        written.map_err(|error| format!("cannot write the proof: {error}"))?;
    }
    let Some(checker) = &log.checker else {
        return Ok(());
    };
    if let Some(fault) = &log.fault {
        return Err(format!("the proof is wrong: {fault}"));
    }
    if answer == Answer::Unsatisfiable && !checker.is_refuted() {
        return Err("the proof does not end with the empty clause".into());
    }
    Ok(())
}

fn conclude(formula: &Formula, solver: &Solver, answer: Answer) -> Exit {
    let is_true = |lit: &Lit| solver.value(*lit) == Some(true);
    if answer == Answer::Satisfiable && !formula.clauses().all(|clause| clause.iter().any(is_true))
    {
        terminal::error("the model does not satisfy the formula");
        return Exit::Internal;
    }
    let (word, exit) = match answer {
        Answer::Satisfiable => ("SATISFIABLE", Exit::Found),
        Answer::Unsatisfiable => ("UNSATISFIABLE", Exit::Unsatisfiable),
        Answer::Unknown => ("UNKNOWN", Exit::Fine),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut printed = writeln!(out, "s {word}");
    if answer == Answer::Satisfiable {
        printed = printed.and_then(|()| print_model(formula, solver, &mut out));
    }
    match printed.and_then(|()| out.flush()) {
        // A closed pipe ends the printing.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            terminal::error(&format!("cannot write the answer: {error}"));
            Exit::Internal
        }
        _ => exit,
    }
}

/// The longest line of a model.
const WIDTH: usize = 78;

/// Prints a value of every variable up to the last that occurs; the header may promise any number.
fn print_model(formula: &Formula, solver: &Solver, out: &mut impl Write) -> io::Result<()> {
    let mut line = String::from("v");
    for var in (0..formula.used_variables()).map(Var::new) {
        let value = solver.value(var.positive()) == Some(true);
        let word = var.lit(value).to_dimacs().to_string();
        if line.len() + 1 + word.len() > WIDTH {
            writeln!(out, "{line}")?;
            line.truncate(1);
        }
        line.push(' ');
        line.push_str(&word);
    }
    if line.len() > 1 {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "v 0")
}

fn print_statistics(solver: &Solver, begin: Instant) {
    let all = solver.counters();
    let lines = [
        ("conflicts", all.conflicts),
        ("decisions", all.decisions),
        ("propagations", all.propagations),
        ("restarts", all.restarts),
    ];
    for (what, count) in lines {
        eprintln!("c {what:<14}{count}");
    }
    eprintln!("c {:<14}{:.6}", "seconds", begin.elapsed().as_secs_f64());
}
