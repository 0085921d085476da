//! Runs the scripts of a certificate, of which it takes nothing for granted.
//!
//! A script may declare, assert and ask, and nothing else: what prints something of its own (`get-option`,
//! `echo`), changes what is printed (`set-option`) or ends the script early (`exit`) is refused by name before
//! anything is run. An answer is one to a question, and there are as many as the part of an induction has
//! questions.

use crate::audit::OpenSolver;
use proofmark_solve::SolveError;
use proofmark_solve::smtlib::{Command, Reader, Script, ScriptError};
use proofmark_source::Sources;

/// What is wrong, and whether that is only not known.
pub(crate) type Fault = (String, bool);

pub(crate) fn wrong(what: impl Into<String>) -> Fault {
    (what.into(), false)
}

/// Runs a script, each of whose questions has to be answered by `unsat`.
pub(crate) fn check_script(
    name: &str,
    text: String,
    questions: u64,
    open: &OpenSolver<'_>,
) -> Result<(), Fault> {
    let unreadable = |what: &str| wrong(format!("{name}: {what}"));
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let file = file.map_err(|_| unreadable("4 GiB or more"))?;
    let text = sources.file(file).text();
    let asked = count_questions(Reader::new(file, text)).map_err(|what| unreadable(&what))?;
    if asked != questions {
        return Err(unreadable(&format!(
            "expected {questions} check-sat, found {asked}"
        )));
    }
    let mut solver = open().map_err(|error| (error.to_string(), true))?;
    let mut answers = Vec::new();
    let script = Script::new(&mut *solver, &mut answers);
    match script.run(&mut Reader::new(file, text)) {
        Ok(_) => {}
        Err(ScriptError::Input(fault)) => return Err(unreadable(&fault.message)),
        Err(ScriptError::Solver(error, _)) => {
            let open = matches!(
                error,
                SolveError::Unsupported { .. } | SolveError::External { .. }
            );
            return Err((format!("{name}: {error}"), open));
        }
        Err(ScriptError::Output(error)) => return Err(unreadable(&error.to_string())),
    }
    judge(name, &String::from_utf8_lossy(&answers), questions)
}

/// The questions of a script that does nothing but what a certificate needs.
fn count_questions(mut reader: Reader<'_>) -> Result<u64, String> {
    let mut count = 0;
    loop {
        let refused = match reader.command().map_err(|fault| fault.message.clone())? {
            None => return Ok(count),
            Some((Command::CheckSat, _)) => {
                count += 1;
                continue;
            }
            Some((
                Command::SetLogic(_)
                | Command::SetInfo(..)
                | Command::DeclareVariable(_)
                | Command::DeclareFunction(_)
                | Command::DeclareSort(_)
                | Command::Define
                | Command::Assert { .. }
                | Command::Push(_)
                | Command::Pop(_),
                _,
            )) => continue,
            Some((_, span)) => reader.source(span),
        };
        let mut name = refused.trim_start_matches('(').split([' ', ')']);
        return Err(format!(
            "a certificate has no place for `{}`: its scripts declare, assert and check",
            name.next().unwrap_or_default()
        ));
    }
}

fn judge(name: &str, answers: &str, questions: u64) -> Result<(), Fault> {
    for (number, answer) in (1..).zip(answers.lines()) {
        let what = format!("{name}: check {number} answers {answer}");
        match answer {
            "unsat" => {}
            "unknown" => return Err((what, true)),
            _ => return Err(wrong(what)),
        }
    }
    match answers.lines().count() as u64 == questions {
        true => Ok(()),
        false => Err(wrong(format!("{name}: not every check is answered"))),
    }
}
