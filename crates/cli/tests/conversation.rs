//! `proofmark smt -` in conversation: who waits for the answer before writing on gets it.

use proofmark_solve::random::Random;
use proofmark_solve::random::session::{Call, Session};
use proofmark_solve::random::terms::{Shape, THEORIES, Theory};
use proofmark_solve::{Answer, Embedded, SolveError, Solver, external};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_proofmark");
/// An answer that takes longer is not coming.
const PATIENCE: Duration = Duration::from_secs(20);

/// The binary with somebody on each of its streams.
struct Conversation {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Conversation {
    fn start() -> Conversation {
        let mut child = Command::new(PROGRAM)
            .args(["smt", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let input = child.stdin.take();
        let output = child.stdout.take().expect("its output is a pipe");
        Conversation {
            child,
            input,
            lines: lines(output),
        }
    }

    fn say(&mut self, text: &str) {
        let input = self.input.as_mut().expect("its input is open");
        input.write_all(text.as_bytes()).expect("it listens");
        input.flush().expect("it listens");
    }

    fn hear(&self, expected: &str) {
        assert_eq!(self.lines.recv_timeout(PATIENCE).as_deref(), Ok(expected));
    }

    /// Nothing more is said; what is on standard error.
    fn end(mut self) -> (ExitStatus, String) {
        drop(self.input.take());
        assert_eq!(self.lines.recv_timeout(PATIENCE).ok(), None);
        let mut error = String::new();
        let stream = self.child.stderr.as_mut().expect("its errors are a pipe");
        stream.read_to_string(&mut error).expect("it writes UTF-8");
        (self.child.wait().expect("it ends"), error)
    }
}

/// The lines of an output, read by a thread so that waiting can have an end.
fn lines(output: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

#[test]
fn each_command_is_answered_when_it_is_complete() {
    let mut talk = Conversation::start();
    talk.say("(set-option :print-success true)\n");
    talk.hear("success");
    talk.say("(declare-const x Int)");
    talk.hear("success");
    // Cut anywhere, with parentheses that do not count.
    for part in ["(ass", "ert (! (> x 3) :named |a)", "|)) ; (", "\n"] {
        talk.say(part);
    }
    talk.hear("success");
    talk.say("(check-sat)(get-value (x))(echo \"(\"");
    talk.hear("sat");
    talk.hear("((x 4))");
    talk.say(")(reset)\n(check-sat)");
    talk.hear("\"(\"");
    // The option was reset, too.
    talk.hear("sat");
    let (status, error) = talk.end();
    assert_eq!((status.code(), error.as_str()), (Some(0), ""));
}

#[test]
fn what_was_said_long_ago_is_quoted() {
    let mut talk = Conversation::start();
    for text in [
        "(declare-const x Int)",
        "(assert (= x\n ; a\n 1))",
        "\n(assert  (> x 0))",
    ] {
        talk.say(text);
    }
    talk.say("(get-assertions)");
    talk.hear("((= x 1)");
    talk.hear(" (> x 0))");
    assert_eq!(talk.end().0.code(), Some(0));
}

#[test]
fn exit_does_not_wait_for_the_end_of_the_input() {
    let mut talk = Conversation::start();
    talk.say("(check-sat)(exit)");
    talk.hear("sat");
    assert_eq!(talk.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_mistake_ends_the_conversation_at_once_and_has_its_place_in_all_of_it() {
    let mut talk = Conversation::start();
    talk.say("(check-sat)\n; é\n");
    talk.hear("sat");
    talk.say("(echo \"é\") (assert");
    talk.hear("\"é\"");
    talk.say(" (and x))");
    talk.hear(
        "(error \"line 3 column 25: expected a term, found `x`, which is not declared here\")",
    );
    assert_eq!(talk.child.wait().expect("it ends").code(), Some(2));
    let (_, error) = talk.end();
    let shown = "\
 --> standard input:3:25
  |
3 | (echo \"é\") (assert (and x))
  |                         ^
";
    assert!(error.contains(shown), "{error}");
}

#[test]
fn words_between_commands_are_refused_when_their_line_ends() {
    let mut talk = Conversation::start();
    talk.say("\n(check-sat) help\n");
    talk.hear("sat");
    talk.hear("(error \"line 2 column 13: expected `(` and a command, found the symbol `help`\")");
    assert_eq!(talk.end().0.code(), Some(2));
}

#[test]
fn an_end_inside_a_command_is_told_as_in_a_file() {
    for text in [
        "(check-sat)\n(assert (and true",
        "(echo \"a",
        "(assert |a",
        "(check-sat",
    ] {
        let mut talk = Conversation::start();
        talk.say(text);
        drop(talk.input.take());
        let answers: Vec<String> = talk.lines.iter().collect();
        let (status, error) = talk.end();
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cut-off.smt2");
        std::fs::write(&path, text).expect("the folder is there");
        let file = Command::new(PROGRAM).arg("smt").arg(&path).output();
        let file = file.expect("the binary starts");
        assert_eq!(status.code(), Some(2), "{text}");
        assert_eq!(file.status.code(), Some(2), "{text}");
        let expected = String::from_utf8_lossy(&file.stdout);
        assert_eq!(answers, expected.lines().collect::<Vec<_>>(), "{text}");
        let name = path.display().to_string();
        let expected = String::from_utf8_lossy(&file.stderr).replace(&name, "standard input");
        assert_eq!(error, expected, "{text}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_wait_for_input() {
    let mut talk = Conversation::start();
    talk.say("(check-sat)(assert");
    talk.hear("sat");
    let process = talk.child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &process]).status();
    assert!(sent.expect("kill runs").success());
    assert_eq!(talk.child.wait().expect("it ends").code(), Some(5));
}

/// Makes the calls of a session; what each check answered. Values only have to be there: models
/// differ.
fn answers(session: &Session, solver: &mut dyn Solver) -> Result<Vec<Answer>, SolveError> {
    let mut answers = Vec::new();
    let mut has_model = false;
    for call in &session.0 {
        match call {
            Call::Value(term) if has_model => {
                let value = solver.value(*term)?;
                assert_eq!(value.sort(), term.sort());
            }
            Call::Value(_) | Call::Declare(_) | Call::Effort(_) => {}
            Call::Assert(formula) => solver.assert(*formula)?,
            Call::Push => solver.push()?,
            Call::Pop(scopes) => match solver.pop(*scopes) {
                // A session may pop more than there is.
                Ok(()) | Err(SolveError::Misuse(_)) => {}
                Err(error) => return Err(error),
            },
            Call::Check(assumptions) | Call::MinimalCore(assumptions) => {
                let answer = solver.check(assumptions)?;
                answers.push(answer);
                if answer == Answer::Unsat {
                    let core = solver.core()?;
                    assert!(core.iter().all(|term| assumptions.contains(term)));
                    assert_eq!(solver.check(&core)?, Answer::Unsat);
                }
                has_model = answer == Answer::Sat;
                continue;
            }
        }
        has_model &= matches!(call, Call::Value(_));
    }
    Ok(answers)
}

fn session(theory: Theory, number: u64) -> Session {
    let shape = Shape {
        theory,
        depth: 2,
        variables: 2,
        constants: 8,
    };
    Session::random(Random::new(number), shape)
}

#[test]
fn the_binary_as_external_solver_agrees_with_the_embedded_one() {
    let mut compared = 0;
    for theory in THEORIES {
        for number in 0..4 {
            let session = session(*theory, number);
            let mut outside = external::open_own(Path::new(PROGRAM)).expect("it starts");
            let told = answers(&session, &mut *outside).expect("it answers");
            let known = answers(&session, &mut Embedded::default()).expect("it answers");
            assert_eq!(told, known, "{} {number}\n{session}", theory.name);
            compared += known.len();
        }
    }
    assert!(compared > 50, "{compared}");
}
