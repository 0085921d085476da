//! Another solver as a judge: one process for many formulas.
//!
//! The vocabulary is declared once and every question asked between a push and a pop, which takes
//! about a millisecond. A process that answers what nobody asked is not believed again; one that
//! does not answer in time is replaced.

use super::session::{declarations, is_division, mentioned};
use super::terms::{self, MOST_PLAIN, MOST_VARIABLES, THEORIES, functions, sorts};
use super::trial::Judge;
use crate::smtlib::printer;
use proofmark_model::Term;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// A solver that can be asked: its program, its arguments, what it is told first, and whether it
/// knows enumerations and division by zero.
struct Known {
    program: &'static str,
    args: &'static [&'static str],
    greeting: &'static str,
    whole_language: bool,
}

const KNOWN: &[Known] = &[
    Known {
        program: "z3",
        args: &["-in", "-smt2"],
        greeting: "(set-option :timeout 3000)\n",
        whole_language: true,
    },
    Known {
        program: "yices-smt2",
        args: &["--incremental", "--interactive", "--timeout=3"],
        greeting: "(set-option :print-success false)\n(set-logic ALL)\n",
        whole_language: false,
    },
];

/// How long a process may think; it is told less.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why there is no answer.
#[derive(Debug)]
enum Silence {
    Late,
    Ended,
}

pub struct Rival {
    known: &'static Known,
    child: Child,
    input: ChildStdin,
    /// Lines, read by a thread of their own.
    output: Receiver<String>,
    /// The first thing that went wrong.
    pub trouble: Option<String>,
}

impl Rival {
    /// Starts a solver that is on the path; otherwise says why not.
    pub fn start(name: &str) -> Result<Rival, String> {
        let known = KNOWN.iter().find(|known| known.program == name);
        let names: Vec<&str> = KNOWN.iter().map(|known| known.program).collect();
        let known = known.ok_or_else(|| format!("{name} is not one of {}", names.join(", ")))?;
        let mut child = Command::new(known.program)
            .args(known.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{name} cannot be run: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{name} has no pipes"));
        };
        let mut rival = Rival {
            known,
            child,
            input,
            output: lines(output),
            trouble: None,
        };
        let greeting = format!("{}{}", known.greeting, rival.vocabulary());
        // The first question shows whether the vocabulary was understood.
        match rival.ask(&format!("{greeting}(check-sat)\n")) {
            Ok(answer) if answer == "sat" => Ok(rival),
            Ok(other) => Err(format!("{name} says {other} to the vocabulary")),
            Err(silence) => Err(format!("{name}: {silence:?}")),
        }
    }

    /// The declarations of all that random terms may hold.
    fn vocabulary(&self) -> String {
        let mut all = THEORIES[THEORIES.len() - 1];
        all.enumerations &= self.known.whole_language;
        let mut samples = Vec::new();
        for sort in sorts(&all) {
            samples.extend((0..MOST_VARIABLES).map(|number| terms::variable(sort, number)));
        }
        samples.extend((0..MOST_PLAIN).map(terms::plain));
        for function in functions(&all) {
            let domain = function.domain().iter();
            let args: Vec<Term> = domain.map(|sort| terms::variable(*sort, 0)).collect();
            samples.push(Term::apply(function, &args));
        }
        declarations(samples.into_iter())
    }

    fn ask(&mut self, question: &str) -> Result<String, Silence> {
        let sent = self.input.write_all(question.as_bytes());
        sent.and_then(|()| self.input.flush())
            .map_err(|_| Silence::Ended)?;
        match self.output.recv_timeout(PATIENCE) {
            Ok(line) => Ok(line.trim().to_string()),
            Err(RecvTimeoutError::Timeout) => Err(Silence::Late),
            Err(RecvTimeoutError::Disconnected) => Err(Silence::Ended),
        }
    }

    /// Believes it no more, and says why.
    fn distrust(&mut self, what: String) {
        eprintln!("{}: {what}", self.known.program);
        self.trouble = Some(what);
    }

    fn understands(&self, formulas: &[Term]) -> bool {
        if self.known.whole_language {
            return true;
        }
        let mentioned = mentioned(formulas.iter().copied());
        let mut functions = mentioned.functions.into_iter();
        mentioned.enumerations.is_empty() && !functions.any(is_division)
    }
}

impl Judge for Rival {
    fn name(&self) -> String {
        self.known.program.into()
    }

    fn satisfiable(&mut self, formulas: &[Term]) -> Option<bool> {
        if self.trouble.is_some() || !self.understands(formulas) {
            return None;
        }
        let mut question = String::from("(push 1)\n");
        for formula in formulas {
            question.push_str("(assert ");
            printer::write_term(*formula, &printer::OwnNames, &mut question);
            question.push_str(")\n");
        }
        question.push_str("(check-sat)\n(pop 1)\n");
        match self.ask(&question) {
            Ok(answer) if answer == "sat" => Some(true),
            Ok(answer) if answer == "unsat" => Some(false),
            Ok(answer) if answer == "unknown" => None,
            Ok(other) => {
                self.distrust(format!("{other}, asked\n{question}"));
                None
            }
            Err(Silence::Ended) => {
                self.distrust(format!("the process ended, asked\n{question}"));
                None
            }
            Err(Silence::Late) => {
                match Rival::start(self.known.program) {
                    Ok(fresh) => *self = fresh,
                    Err(why) => self.distrust(why),
                }
                None
            }
        }
    }
}

/// Hands over lines as they come, so that waiting for one can end.
fn lines(output: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        // Nobody listens any more when the rival is gone.
        lines.map(|line| sender.send(line)).all(|sent| sent.is_ok())
    });
    receiver
}

impl Drop for Rival {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
