//! Ctrl-C: a script ends within a tenth of a second, whatever it is doing.
//!
//! The solver is asked to stop, which normally lets the run end in its own way. What does not come
//! back in time, be it a long parse or a wait for input, is ended here. A second Ctrl-C has nothing
//! to add.
//!
//! A check of a model has more to say: what it has settled is audited and shown. It gets the time
//! for that, and a second Ctrl-C ends it at once.

use crate::exit::Exit;
use proofmark_solve::Interrupt;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How long a check has to end by itself.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long an answer has to be written to its end. The rest of the tenth of a second belongs to
/// the system, which takes back the memory of a large script.
const LAST_WORDS: Duration = Duration::from_millis(10);

/// Connects Ctrl-C and termination with a solver. `checking` is set while a check runs that has to
/// be answered; the thread that clears it writes the answer.
pub fn connect(interrupt: Interrupt, checking: Arc<AtomicBool>) {
    let handled = ctrlc::set_handler(move || {
        interrupt.set();
        let has_question = checking.load(Ordering::SeqCst);
        std::thread::sleep(if has_question { PATIENCE } else { LAST_WORDS });
        if checking.swap(false, Ordering::SeqCst) {
            let mut out = std::io::stdout();
            let _ = writeln!(out, "unknown").and_then(|()| out.flush());
        }
        std::process::exit(Exit::Inconclusive as i32);
    });
    tell(handled);
}

/// What Ctrl-C and termination set in a run that shows what it has when it is interrupted, and whether
/// the run has something to show: before that is set, it ends at once. The handler of a process is one,
/// and so are these, however many models the run looks at.
pub fn of_run() -> (Interrupt, Arc<AtomicBool>) {
    static RUN: OnceLock<(Interrupt, Arc<AtomicBool>)> = OnceLock::new();
    let run = RUN.get_or_init(|| {
        let run = (Interrupt::default(), Arc::new(AtomicBool::new(false)));
        let (interrupt, started) = run.clone();
        let handled = ctrlc::set_handler(move || {
            if !started.load(Ordering::SeqCst) || interrupt.is_set() {
                std::process::exit(Exit::Inconclusive as i32);
            }
            interrupt.set();
        });
        tell(handled);
        run
    });
    run.clone()
}

fn tell(handled: Result<(), ctrlc::Error>) {
    // Without a handler Ctrl-C ends the process as it ends any other.
    if let Err(error) = handled {
        crate::terminal::warning(&format!("Ctrl-C cannot be handled: {error}"));
    }
}
